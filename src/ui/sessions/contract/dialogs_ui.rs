//! Paints the dialogs of a contract: the choice of the answer that it is checked against, and the preview of how a session is added to
//! its configuration.

use std::sync::Arc;

use egui::{Id, Key, Margin, Modifiers, Role, Ui};

use super::ContractView;
use super::config_ui::configs_ui;
use author::contract::AnswerOrigin;
use document::text::visible;
use protocol::{AnswerSource, ConfigListing, ContractReport, FoundAnswers, OfferedAnswer};
use widgets::dialog::{DialogHead, close_button, confirm_buttons, dialog};
use widgets::highlight::Language;
use widgets::sheet::{Sheet, whole_sheet_ui};
use widgets::theme::{self, Tokens, tokens};
use widgets::{
    Button, FieldState, Line, List, Row, RowShape, StyledText, TextField, fields, icons,
};
use workbench::{Action, Actions, ContractAction, SessionsAction, Workbench};

const ANSWER_ROW: RowShape = RowShape { margins: (theme::GAP, theme::GAP), ..RowShape::TWO_LINES };

/// Number of answers that are visible at once. The height is also reserved during the search.
const MAX_VISIBLE_ROWS: usize = 5;

/// Draws the dialog.
pub fn answers_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ContractView,
    actions: &mut Actions,
) {
    let detail = "The contract is checked against it immediately. The session does not change.";
    let head = DialogHead { icon: icons::CLIPBOARD_LIST, title: "Choose an answer", detail };
    // `None` when the dialog opens, so that answers are found without typing.
    if view.last_query.as_ref() != Some(&view.query) {
        view.last_query = Some(view.query.clone());
        view.row = 0;
        actions.push(contract_action(ContractAction::FindAnswers(view.query.clone())));
    }
    let answers = workbench.sessions.contract.found.as_ref();
    // Copied for the footer: the body borrows the view.
    let (text, latency) = (view.text.clone(), parse_millis(&view.latency));
    let body = |ui: &mut Ui, actions: &mut Actions| {
        search_ui(ui, view, answers.map_or(&[][..], |answers| &answers.found), actions);
        match answers {
            Some(answers) => list_ui(ui, answers, view.row, actions),
            None => widgets::skeleton_rows(ui, MAX_VISIBLE_ROWS, theme::ROW_TWO_LINES),
        }
        custom_answer_ui(ui, view);
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "choose an answer", head, actions, body, |ui, actions| {
        foot_ui(ui, &text, latency, actions);
    });
}

/// Parses the typed number of milliseconds.
fn parse_millis(text: &str) -> Option<f64> {
    let ms = text.trim().parse::<f64>().ok()?;
    // Rust parses `inf` and `nan` as numbers.
    (ms.is_finite() && ms >= 0.0).then_some(ms)
}

fn contract_action(action: ContractAction) -> Action {
    Action::from(SessionsAction::Contract(action))
}

/// Draws the search field, whose arrow keys go through the list below.
fn search_ui(ui: &mut Ui, view: &mut ContractView, found: &[OfferedAnswer], actions: &mut Actions) {
    let id = Id::unique("find found");
    if ui.memory(|memory| memory.has_focus(id)) {
        // Before the field is painted, which would move its caret by these keys.
        let press_count =
            |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let (down, up) = (press_count(Key::ArrowDown), press_count(Key::ArrowUp));
        view.row = (view.row + down).min(found.len().saturating_sub(1)).saturating_sub(up);
        if press_count(Key::Enter) > 0
            && let Some(answer) = found.get(view.row)
        {
            actions.push(choose(answer));
        }
    }
    let width = ui.available_width();
    let response = TextField::search(id, "Find an answer", &mut view.query)
        .hint("Find in reports, recordings and tapes")
        .show(ui, width, |_| {}, |_| {});
    fields::focus_first(ui, &response);
    ui.add_space(theme::GAP);
}

fn choose(answer: &OfferedAnswer) -> Action {
    contract_action(ContractAction::Try(AnswerSource::Document(answer.doc, answer.pointer.clone())))
}

fn list_ui(ui: &mut Ui, answers: &FoundAnswers, row: usize, actions: &mut Actions) {
    let colors = tokens(ui);
    List::new("Recorded answers", &ANSWER_ROW, answers.found.len())
        .max_height(MAX_VISIBLE_ROWS as f32 * theme::ROW_TWO_LINES)
        .selection(Some(row), Some)
        .show(ui, |slot| {
            let answer = &answers.found[slot.index];
            let response = slot.show(answer_row(answer, colors).selected(slot.index == row));
            widgets::on_click(&response, choose(answer), actions);
        });
    let words = match (answers.found.len(), answers.more) {
        (0, _) => "No recorded answer contains this text.".to_owned(),
        (_, 0) => return,
        (_, more) => format!("and {more} more: type a word to narrow the list"),
    };
    ui.add_space(4.0);
    widgets::small(ui, &words);
}

fn answer_row(answer: &OfferedAnswer, colors: &Tokens) -> Row {
    let (tag, tone) = match (answer.since, answer.is_same) {
        (AnswerOrigin::Failed, true) => ("failed, same input", colors.error),
        (AnswerOrigin::Failed, false) => ("failed", colors.error),
        (_, true) => ("same input", colors.muted),
        (_, false) => ("", colors.muted),
    };
    let font = || theme::regular(theme::LABEL);
    let title = Line::new(&answer.title, theme::regular(theme::ROW), colors.text_strong);
    let place = StyledText::new().with(&answer.place, font(), colors.muted);
    let right = if tag.is_empty() { place } else { place.after(theme::GAP, tag, font(), tone) };
    let excerpt = if answer.excerpt.is_empty() {
        "Its text is read when you choose it"
    } else {
        &answer.excerpt
    };
    Row::new(format!("{}, {}", answer.title, answer.place))
        .line(title.elide_middle().right(right).right_share(0.6))
        .line(Line::new(excerpt, font(), colors.text))
}

/// Draws the field for a pasted answer.
fn custom_answer_ui(ui: &mut Ui, view: &mut ContractView) {
    ui.add_space(theme::SECTION_GAP);
    ui.horizontal(|ui| {
        widgets::subtitle(ui, "Or paste one");
        widgets::at_right(ui, |ui| {
            let id = Id::unique("answer latency");
            let state = match parse_millis(&view.latency) {
                // Empty is valid: the latency is unknown, and the invariant on it is not checked.
                None if !view.latency.trim().is_empty() => FieldState::Invalid,
                _ => FieldState::Valid,
            };
            TextField::new(id, "Latency in milliseconds", &mut view.latency)
                .mono()
                .hint("unknown")
                .state(state)
                .show(ui, 88.0, |_| {}, |_| {});
            widgets::muted(ui, "Latency, ms");
        });
    });
    ui.add_space(theme::GAP);
    let id = Id::unique("own answer");
    TextField::new(id, "Your own answer", &mut view.text).show_lines(ui, 4);
}

fn foot_ui(ui: &mut Ui, text: &str, latency: Option<f64>, actions: &mut Actions) {
    let button = Button::ghost("Answer of the incident")
        .tooltip("Use the answer of the failed run from the session, its recordings or a report");
    let response = ui.add(button);
    widgets::on_click(&response, contract_action(ContractAction::Try(AnswerSource::Kept)), actions);
    widgets::at_right(ui, |ui| {
        let reason = text.is_empty().then_some("paste an answer first");
        let keys = vec!["Ctrl".to_owned(), "Enter".to_owned()];
        let button = Button::primary("Check").disabled(reason).keys(keys);
        let is_pressed = |input: &mut egui::InputState| {
            // With Ctrl, since Enter alone is a line break in the field.
            reason.is_none() && input.consume_key(Modifiers::COMMAND, Key::Enter)
        };
        if ui.add(button.show_keys()).clicked() || ui.input_mut(is_pressed) {
            let answer = AnswerSource::Given(text.into(), latency);
            actions.push(contract_action(ContractAction::Try(answer)));
        }
        close_button(ui, "Cancel", actions);
    });
}

/// Draws the dialog.
pub fn listing_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ContractView,
    actions: &mut Actions,
) {
    let report = workbench.sessions.report();
    let listing = workbench.sessions.contract.listing.as_ref();
    let detail = "The session’s file is listed under replays.sessions. No other byte changes, and nothing is saved yet.";
    let head = DialogHead { icon: icons::PLUS, title: "Add to config", detail };
    let diff = listing.and_then(|listing| listing.diff.as_ref());
    let sheet = diff.map(|diff| view.sheet.of(diff, Language::Yaml, usize::MAX));
    let body = |ui: &mut Ui, actions: &mut Actions| {
        if let Some(report) = report {
            body_ui(ui, report, sheet.as_ref(), actions);
        }
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "add to config", head, actions, body, |ui, actions| {
        let reason = listing.is_none().then_some("there is nothing to add");
        let add = Button::primary("Add").icon(icons::PLUS).disabled(reason);
        confirm_buttons(ui, add, actions, || contract_action(ContractAction::List));
    });
}

fn body_ui(
    ui: &mut Ui,
    report: &ContractReport,
    sheet: Option<&Arc<Sheet>>,
    actions: &mut Actions,
) {
    let Some(config) = &report.config else { return };
    if report.configs.len() > 1 {
        let path = visible(&config.path);
        let button = Button::secondary(&path).trailing(icons::CHEVRON_DOWN);
        let response = ui.add(button.tooltip("Choose the configuration"));
        widgets::describe(&response, Role::Button, &format!("Configuration: {path}"));
        widgets::menu(&response, |ui| configs_ui(ui, report, actions));
        ui.add_space(theme::GAP);
    }
    if let Some(reason) = refusal(report) {
        widgets::body(ui, &format!("{reason}."));
        return;
    }
    widgets::card_with(ui, tokens(ui).input, Margin::symmetric(0, 4), |ui| match sheet {
        // Folds cannot be opened here: only the change matters.
        Some(sheet) => whole_sheet_ui(ui, sheet, &mut Vec::new()),
        None => widgets::skeleton_rows(ui, 3, theme::TEXT_LINE),
    });
}

/// Returns why the session cannot be listed in this configuration.
fn refusal(report: &ContractReport) -> Option<&'static str> {
    let config = report.config.as_ref()?;
    match (&config.listing, config.doc) {
        (ConfigListing::Inline, _) => Some("The session is itself in a configuration"),
        (ConfigListing::Listed, _) => Some("This configuration already lists the session"),
        // Only open files can be changed, undone and saved.
        (_, None) => Some("This configuration is not open: open its folder to edit it"),
        _ => None,
    }
}
