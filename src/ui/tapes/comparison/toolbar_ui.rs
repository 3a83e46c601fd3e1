//! Paints the toolbar of a comparison: name of the other tape, summary, tolerance, and steps through the differences.

use egui::{Align, Id, Layout, Ui};

use super::data::{parse_tolerance, take_name};
use super::{ComparisonViewState, compared_take};
use crate::ops::tape::timing::MILLISECOND;
use crate::text::thousands;
use crate::ui::icons;
use crate::ui::tapes::tapes_ui::TapeProps;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, FieldState, StyledText, TextField};
use crate::workbench::{Action, Command, CompareAction, ComparisonState, TapesAction};

/// Width of the tape view from which the buttons of its header have labels.
const WORDS_FROM: f32 = 900.0;

/// Text field of the tolerance.
#[derive(Debug, Default)]
pub(super) struct ToleranceField {
    typed: String,
    applied: Option<f64>,
}

/// Draws the buttons that compare the tape with something else, from right to left.
pub(in crate::ui::tapes) fn compare_buttons_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    actions: &mut Vec<Action>,
) {
    let is_roomy = ui.max_rect().width() >= WORDS_FROM;
    let over = props.desk.comparison.other.is_some();
    let (icon, command) = (icons::LAYERS, Command::CompareTape);
    let words = "Compare with another tape…";
    let button = if is_roomy {
        Button::ghost(words).icon(icon).tooltip(command.tooltip())
    } else {
        Button::icon_only(icon, words)
    };
    if ui.add(button.keys_of(command).on(over)).clicked() {
        actions.push(Action::Run(command));
    }
}

/// Draws the toolbar while another tape is compared.
pub(in crate::ui::tapes) fn toolbar_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    state: &mut ComparisonViewState,
    actions: &mut Vec<Action>,
) {
    let over = &props.desk.comparison;
    let Some(take) = over.other.as_ref() else {
        return;
    };
    let colors = tokens(ui);
    widgets::hair_line(ui);
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let (rect, _) = ui.allocate_exact_size(egui::vec2(16.0, 16.0), egui::Sense::hover());
        let (center, size) = (rect.center(), theme::ICON_HEADING);
        widgets::paint_icon(ui.painter(), center, icons::LAYERS, size, colors.note);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let off = Button::secondary("Stop comparing").keys(vec!["Esc".to_owned()]);
            if ui.add(off.tooltip("Show only this tape again")).clicked() {
                actions.push(Action::from(TapesAction::Compare(CompareAction::Stop)));
            }
            navigation_ui(ui, props, actions);
            tolerance_ui(ui, over.tolerance_nanos(), &mut state.tolerance, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let name = format!("Compared with {}", take_name(take, props.library));
                let (words, color) = match over.state() {
                    ComparisonState::Failed(reason) => (format!("{reason}."), colors.error),
                    ComparisonState::Ready(_, differing) => {
                        let summary = differing.summary();
                        (summary.describe(differing.tolerance_nanos()), colors.text)
                    }
                    ComparisonState::Loading | ComparisonState::None => {
                        ("being compared…".to_owned(), colors.muted)
                    }
                };
                let line = StyledText::new()
                    .with(&name, theme::semibold(theme::BODY), colors.text_strong)
                    .after(theme::GAP, &words, theme::regular(theme::ROW), color);
                line.show(ui).on_hover_text(words);
            });
        });
    });
    widgets::hair_line(ui);
}

/// Draws the number of the selected difference and the buttons to its neighbours.
fn navigation_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Vec<Action>) {
    let Some((_, differing)) = compared_take(&props) else {
        return;
    };
    let count = differing.steps().len();
    let none = (count == 0).then_some("no differences");
    for (icon, name, command) in [
        (icons::CHEVRON_DOWN, "Next difference", Command::NextChange),
        (icons::CHEVRON_UP, "Previous difference", Command::PreviousChange),
    ] {
        let button = Button::icon_only(icon, name).disabled(none);
        if ui.add(button.keys_of(command)).clicked() {
            actions.push(Action::Run(command));
        }
    }
    let colors = tokens(ui);
    let at = (props.desk.comparison.at + 1).min(count);
    let words = format!("{} of {}", thousands(at), thousands(count));
    let font = theme::regular(theme::LABEL);
    StyledText::new().with(&words, font, colors.muted).show(ui);
}

fn tolerance_ui(ui: &mut Ui, now: f64, state: &mut ToleranceField, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    if state.applied != Some(now) {
        state.applied = Some(now);
        state.typed = (now / MILLISECOND).to_string();
    }
    let label = |ui: &mut Ui, words: &str| {
        let font = theme::regular(theme::LABEL);
        StyledText::new().with(words, font, colors.muted).show(ui);
    };
    label(ui, "ms");
    let wanted = parse_tolerance(&state.typed);
    let field = TextField::new(
        Id::unique("tolerance of comparison"),
        "Ignore time differences below this many ms",
        &mut state.typed,
    );
    let field = field.mono().state(match wanted {
        Some(_) => FieldState::Valid,
        None => FieldState::Invalid,
    });
    let response = field.show(ui, 56.0, |_| {}, |_| {});
    if let Some(nanos) = wanted.filter(|nanos| widgets::has_lost_focus(&response) && *nanos != now)
    {
        let set = CompareAction::SetTolerance(nanos);
        actions.push(Action::from(TapesAction::Compare(set)));
    }
    label(ui, "Tolerance");
}
