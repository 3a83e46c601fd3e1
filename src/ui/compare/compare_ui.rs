//! Two calls side by side: the verdict, the parts of both, and the differences.

use egui::{Align, Frame, Layout, Margin, Rect, Role, Sense, Ui, WidgetInfo, vec2};

use super::compare_data::{CompareData, CompareState, RunStrips, SideHead};
use super::{FORMATS, back_button, format_name, stepper};
use compare::recordings::{
    ChangeSign, DescriptionPart as Piece, DifferenceWeight, RecordingComparison,
    RecordingDifference,
};
use compare::signature::MatchOutcome;
use document::diff::Side;
use document::text::visible;
use widgets::icons;
use widgets::sheet::sheet_ui;
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, SidePanel, StyledText};
use workbench::{Action, Actions, Command, DiffLayout, InspectorTab};

/// Width of the list of differences.
pub(crate) const LIST: f32 = 384.0;
/// Minimum width of the list of differences.
pub(crate) const LEAST_LIST: f32 = 300.0;
/// Below this width of the desk the list of differences is hidden.
pub(crate) const LIST_FROM: f32 = 880.0;
/// Height of the header of a side.
pub(crate) const SIDE_HEAD: f32 = 36.0;
/// A row of the list on the right.
pub(crate) const LIST_ROW: RowShape =
    RowShape { height: 56.0, lines: &[18.0, 38.0], hair: false, ..RowShape::TWO_LINES };

/// A difference; its place in the file is its tooltip.
const DIFFERENCE_ROW: RowShape = RowShape { height: 36.0, lines: &[18.0], ..RowShape::ONE_LINE };

/// Draws two calls side by side.
pub fn compare_ui(ui: &mut Ui, data: &CompareData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if let CompareState::Ready { comparison, sheet, .. } = &data.state
        && ui.available_width() >= LIST_FROM
    {
        // Before the rest, because a panel takes its part of what is available.
        SidePanel::right("differences", LIST, LEAST_LIST..=640.0)
            .show(ui, |ui| differences_ui(ui, data, (comparison, sheet.is_unmarked), actions));
    }
    Frame::new().fill(tokens(ui).desk).show(ui, |ui| {
        header_ui(ui, data, actions);
        heads_ui(ui, data);
        widgets::hair_line(ui);
        match &data.state {
            CompareState::Working => {
                widgets::empty_state(ui, "Comparing…", None);
            }
            CompareState::Failed(reason) => failed_ui(ui, reason, actions),
            CompareState::Ready { comparison, sheet, focus, run, .. } => {
                if let Some(run) = run {
                    run_ui(ui, run, actions);
                }
                // Other files have clients with other rules, about which the verdict says nothing.
                if data.tab == InspectorTab::Conversation && comparison.is_judged {
                    verdict_ui(ui, comparison);
                }
                let mut sheet_actions = Vec::new();
                ui.push_id("compare", |ui| sheet_ui(ui, sheet, focus, &mut sheet_actions));
                // A click on a text hits one of its changes, but the list on the right counts differences of the calls.
                let difference_action = |action| match action {
                    Action::ShowChange(index) => data.difference_of(index).map(Action::ShowChange),
                    action => Some(action),
                };
                actions.extend(sheet_actions.into_iter().filter_map(difference_action));
            }
        }
    });
}

/// Draws the calls of both files, and where they part.
fn run_ui(ui: &mut Ui, run: &RunStrips, actions: &mut Actions) {
    let chosen = widgets::padded(ui, |ui| {
        let titles = ["Left", "Right"];
        let chosen = widgets::aligned_strips(ui, titles, &run.blocks, run.call);
        if let Some((sentence, action)) = &run.first {
            first_difference_ui(ui, sentence, action, actions);
        }
        chosen
    });
    widgets::hair_line(ui);
    actions.extend(chosen.map(Action::CompareCall));
}

/// Draws the first difference that matters, with a link that goes to it.
pub(crate) fn first_difference_ui(
    ui: &mut Ui,
    sentence: &str,
    action: &Action,
    actions: &mut Actions,
) {
    ui.add_space(theme::GAP);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        let colors = tokens(ui);
        widgets::icon(ui, icons::GIT_FORK, theme::ICON, colors.accent);
        let sentence = sentence.replace('`', "");
        ui.label(theme::text(visible(&sentence), theme::regular(theme::ROW), colors.text));
        let response = widgets::link(ui, "Go to the first difference");
        widgets::on_click(&response, action.clone(), actions);
    });
}

fn failed_ui(ui: &mut Ui, reason: &str, actions: &mut Actions) {
    let heading = "The two files could not be compared.";
    widgets::banner_with(ui, Tone::Error, icons::OCTAGON_X, heading, &visible(reason), |ui| {
        widgets::command_button(ui, Button::secondary("Back to the list"), Command::Close, actions);
    });
}

fn header_ui(ui: &mut Ui, data: &CompareData, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    widgets::place_left(ui, rect.shrink2(vec2(theme::GAP, 0.0)), |ui| {
        back_button(ui, actions);
        widgets::title(ui, "Compare");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(theme::GAP);
            widgets::view_menu(ui, |ui| view_entries(ui, data, actions));
            if let CompareState::Ready { comparison, sheet, .. } = &data.state
                && !sheet.is_unmarked
            {
                stepper(ui, "Difference", data.current, comparison.differences.len(), actions);
            }
        });
    });
    widgets::line_below(ui, rect);
}

/// Adds the entries of the menu *View*.
fn view_entries(ui: &mut Ui, data: &CompareData, actions: &mut Actions) {
    widgets::menu_heading(ui, "Show");
    for tab in FORMATS {
        if widgets::menu_switch(ui, format_name(tab), "", (data.tab == tab, true)) {
            actions.push(Action::ShowTab(tab));
        }
    }
    let is_split = data.pane == DiffLayout::SideBySide;
    if data.can_choose_pane && widgets::menu_switch(ui, "Side by side", "", (is_split, false)) {
        actions.push(Action::Run(Command::ToggleDiffLayout));
    }
    widgets::menu_run(ui, Command::SwapSides, Ok(()), actions);
}

fn heads_ui(ui: &mut Ui, data: &CompareData) {
    for (half, head) in widgets::halves(ui, SIDE_HEAD).into_iter().zip(&data.heads) {
        side_head_ui(ui, half, head);
    }
}

fn side_head_ui(ui: &mut Ui, rect: Rect, head: &SideHead) {
    let tokens = tokens(ui);
    widgets::place_left(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        widgets::icon(ui, icons::kind(head.kind), theme::ICON, tokens.muted);
        let font = theme::mono_bold(theme::ROW);
        StyledText::new().with(&head.label, font, tokens.text_strong).show(ui);
        // In a narrow column the name matters more than the status.
        if ui.available_width() > 90.0 {
            widgets::status_tag(ui, head.status);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            widgets::small(ui, &head.detail);
        });
    });
}

fn verdict_ui(ui: &mut Ui, comparison: &RecordingComparison) {
    let signatures = &comparison.signatures;
    let verdict = &signatures.shipped;
    let (tone, icon) = match verdict.outcome {
        MatchOutcome::Matches => (Tone::Good, icons::EQUAL),
        MatchOutcome::Only(_) | MatchOutcome::Differs => (Tone::Warning, icons::EQUAL_NOT),
    };
    let mut detail = visible(&verdict.detail).into_owned();
    if let Some(note) = signatures.clients_differ() {
        detail.push(' ');
        detail.push_str(&note);
    }
    widgets::banner(ui, tone, icon, &verdict.title, &detail);
}

fn differences_ui(
    ui: &mut Ui,
    data: &CompareData,
    (comparison, is_unmarked): (&RecordingComparison, bool),
    actions: &mut Actions,
) {
    let count = comparison.differences.len();
    let column = if comparison.is_judged && !is_unmarked { "For the match" } else { "" };
    list_heading(ui, "What differs", "", column);
    let height = (ui.available_height() - actions_height(data)).max(DIFFERENCE_ROW.height);
    if count == 0 || is_unmarked {
        let words = match comparison.ignored.len() {
            _ if is_unmarked => "These are two requests with almost no text in common.".to_owned(),
            0 => "No differences.".to_owned(),
            _ => format!("No differences, {} ignored.", comparison.ignored_summary),
        };
        ui.allocate_ui(vec2(ui.available_width(), height), |ui| {
            Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| ui.label(words));
        });
    } else {
        List::new("List of differences", &DIFFERENCE_ROW, count)
            // Not higher than its rows, so that the actions are right below a short list.
            .max_height(height.min(count as f32 * DIFFERENCE_ROW.height))
            .selection(Some(data.current), Some)
            .show(ui, |slot| {
                difference_ui(slot, data, &comparison.differences[slot.index], actions);
            });
    }
    actions_ui(ui, data, comparison, actions);
}

/// Draws the heading of a list on the right.
pub(crate) fn list_heading(ui: &mut Ui, title: &str, count: &str, column: &str) {
    let tokens = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let name = if count.is_empty() { title.to_owned() } else { format!("{title}, {count}") };
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &name));
    let words = StyledText::of(title, tokens.title()).with_gap(count, tokens.note());
    let column = StyledText::of(column, tokens.label());
    let line = Line::from(words).right(column).right_share(0.5);
    line.show_in(ui, rect.shrink2(vec2(theme::PADDING, 0.0)));
    widgets::line_below(ui, rect);
}

fn sign_style(sign: ChangeSign, tokens: &Tokens) -> (&'static str, egui::Color32) {
    match sign {
        ChangeSign::Added => (icons::PLUS, tokens.good),
        ChangeSign::Removed => (icons::MINUS, tokens.error),
        ChangeSign::Replaced => (icons::REPLACE, tokens.note),
        ChangeSign::Text => (icons::TEXT, tokens.note),
        ChangeSign::Value => (icons::PENCIL_LINE, tokens.note),
    }
}

fn difference_ui(
    slot: &mut RowSlot<'_>,
    data: &CompareData,
    difference: &RecordingDifference,
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let weight = difference.weight.map_or("", DifferenceWeight::as_str);
    let mut name = visible(&difference.sentence()).into_owned();
    if !weight.is_empty() {
        name = format!("{name}, {weight}");
    }
    let (icon, color) = sign_style(difference.sign, tokens);
    let font = || theme::regular(theme::ROW);
    let mut words = StyledText::new();
    for piece in &difference.description {
        let (text, font, color) = match piece {
            Piece::Plain(text) => (text, font(), tokens.text),
            Piece::Name(name) => (name, theme::semibold(theme::ROW), tokens.text_strong),
        };
        words.push(&visible(text), font, color);
    }
    // What playback ignores is all that has no word.
    let decides = difference.weight.filter(|weight| *weight == DifferenceWeight::Decides);
    let weight = decides.map_or("", DifferenceWeight::as_str);
    let weight = StyledText::new().with(weight, font(), tokens.warning);
    let row = Row::new(name)
        .selected(slot.index == data.current)
        .tip(visible(&difference.pointer))
        .line(Line::from(words).icon(icon, color).right(weight));
    let response = slot.show(row);
    widgets::on_click(&response, Action::ShowChange(slot.index), actions);
    widgets::context_menu(&response, |ui| {
        if widgets::menu_action(ui, icons::COPY, "Copy JSON Pointer", None) {
            actions.push(Action::Copy(difference.pointer.clone()));
        }
    });
}

/// Returns the side whose source changed, the left one first.
fn stale_side(data: &CompareData) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| data.head(*side).is_stale)
}

fn actions_height(data: &CompareData) -> f32 {
    // Agrees with `actions_ui`: the list above takes the rest of the height.
    let buttons = 1.0 + stale_side(data).map_or(0.0, |_| 1.0);
    2.0 * theme::PADDING + buttons * (theme::CONTROL + theme::GAP)
}

fn actions_ui(ui: &mut Ui, data: &CompareData, calls: &RecordingComparison, actions: &mut Actions) {
    widgets::hair_line(ui);
    Frame::new().inner_margin(Margin::same(16)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        let width = ui.available_width();
        if let Some(side) = stale_side(data) {
            let name = format!("Then and now, {}", side.as_str());
            let button = Button::primary("Then and now")
                .icon(icons::COLUMNS_2)
                .name_for_readers(&name)
                .aligned_left()
                .width(width);
            widgets::on_click(&ui.add(button), Action::CompareSource(data.head(side).doc), actions);
        }
        let button =
            Button::secondary("Copy as Markdown").icon(icons::COPY).aligned_left().width(width);
        if ui.add(button).clicked() {
            actions.push(Action::Copy(calls.markdown()));
        }
    });
}
