//! Paints the dialog that chooses the answer that a contract is checked against.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use super::ContractView;
use author::contract::AnswerOrigin;
use protocol::{AnswerSource, FoundAnswers, OfferedAnswer};
use widgets::dialog::{DialogHead, close_button, dialog};
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
    let head = DialogHead {
        icon: icons::CLIPBOARD_LIST,
        title: "Choose an answer",
        detail: "The contract is checked against it immediately. The session does not change.",
    };
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
fn search_ui(
    ui: &mut Ui,
    view: &mut ContractView,
    answers: &[OfferedAnswer],
    actions: &mut Actions,
) {
    let id = Id::unique("find answers");
    if ui.memory(|memory| memory.has_focus(id)) {
        // Before the field is painted, which would move its caret by these keys.
        let press_count =
            |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let (down, up) = (press_count(Key::ArrowDown), press_count(Key::ArrowUp));
        view.row = (view.row + down).min(answers.len().saturating_sub(1)).saturating_sub(up);
        if press_count(Key::Enter) > 0
            && let Some(answer) = answers.get(view.row)
        {
            actions.push(choose(answer));
        }
    }
    let field = TextField::search(id, "Find an answer", &mut view.query)
        .hint("Find in reports, recordings and tapes");
    let width = ui.available_width();
    let response = field.show(ui, width, |_| {}, |_| {});
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
    StyledText::new().with(&words, theme::regular(theme::LABEL), colors.muted).show(ui);
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
    let colors = tokens(ui);
    ui.add_space(theme::SECTION_GAP);
    ui.horizontal(|ui| {
        let font = theme::semibold(theme::BODY);
        StyledText::new().with("Or paste one", font, colors.text_strong).show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let id = Id::unique("answer latency");
            let state = match parse_millis(&view.latency) {
                // Empty is valid: the latency is unknown, and the invariant on it is not checked.
                None if !view.latency.trim().is_empty() => FieldState::Invalid,
                _ => FieldState::Valid,
            };
            let field = TextField::new(id, "Latency in milliseconds", &mut view.latency)
                .mono()
                .hint("unknown")
                .state(state);
            field.show(ui, 88.0, |_| {}, |_| {});
            let font = theme::regular(theme::ROW);
            StyledText::new().with("Latency, ms", font, colors.muted).show(ui);
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
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
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
