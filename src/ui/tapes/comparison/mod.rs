//! Compares another tape with this one: chosen from a list, shown on the timeline below this tape, listed by
//! difference.

mod choose_ui;
mod data;
mod differences_ui;
mod lanes_ui;
mod texts_ui;
mod toolbar_ui;

use egui::{Rect, Stroke, Ui};

use super::tapes_ui::TapeProps;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps};
use crate::ui::theme::tokens;
use crate::ui::widgets;
use crate::workbench::{Action, ComparisonState};

pub use choose_ui::choose_ui;
pub(super) use lanes_ui::{Lanes, lanes_ui};
pub(super) use toolbar_ui::{compare_buttons_ui, toolbar_ui};

/// State of the comparison views that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct ComparisonViewState {
    chooser: data::TakeChooser,
    tolerance: toolbar_ui::ToleranceField,
    texts: texts_ui::TextsState,
}

/// Returns the compared tape and its differences.
fn compared_take<'a>(props: &TapeProps<'a>) -> Option<(&'a ComparedTake, &'a DifferingSteps)> {
    match props.desk.comparison.state() {
        ComparisonState::Ready(takes, differing) => Some((takes, differing)),
        _ => None,
    }
}

/// Draws both texts and the differences in place of the tape's text and chunks. Returns false if no tape is compared.
pub(super) fn comparison_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    (texts, steps): (Option<Rect>, Rect),
    state: &mut ComparisonViewState,
    actions: &mut Vec<Action>,
) -> bool {
    let Some((takes, differing)) = compared_take(&props) else {
        return false;
    };
    if let Some(texts) = texts {
        widgets::place(ui, texts, |ui| {
            texts_ui::texts_ui(ui, props, takes, differing, &mut state.texts);
        });
        let line = Stroke::new(1.0, tokens(ui).hair);
        ui.painter()
            .vline(texts.right() - 0.5, steps.y_range(), line);
    }
    widgets::place(ui, steps, |ui| {
        differences_ui::differences_ui(ui, props, takes, differing, actions);
    });
    true
}
