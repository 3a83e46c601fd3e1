//! Compares another tape with this one: chosen from a list, shown on the timeline below this tape, listed by
//! difference.

mod choose_ui;
mod data;
mod lanes_ui;
mod steps_ui;
mod strip_ui;
mod texts_ui;

use egui::{Rect, Stroke, Ui};

use super::tapes_ui::Shows;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps};
use crate::ui::theme::tokens;
use crate::ui::widgets;
use crate::workbench::{Action, Lies};

pub use choose_ui::choose_ui;
pub(super) use lanes_ui::{Lanes, lanes_ui};
pub(super) use strip_ui::{compare_ui, strip_ui};

/// State of the comparison views that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct TakesState {
    choosing: data::Choosing,
    tolerance: strip_ui::Tolerance,
    steps: steps_ui::StepsState,
    texts: texts_ui::TextsState,
}

/// Returns the compared tape and its differences.
fn laid<'a>(props: &Shows<'a>) -> Option<(&'a ComparedTake, &'a DifferingSteps)> {
    match props.desk.over().lies() {
        Lies::Here(takes, differing) => Some((takes, differing)),
        _ => None,
    }
}

/// Draws both texts and the differences in place of the tape's text and chunks. Returns false if no tape is compared.
pub(super) fn halves_ui(
    ui: &mut Ui,
    props: Shows<'_>,
    (texts, steps): (Option<Rect>, Rect),
    state: &mut TakesState,
    actions: &mut Vec<Action>,
) -> bool {
    let Some((takes, differing)) = laid(&props) else {
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
        steps_ui::steps_ui(ui, props, takes, differing, &mut state.steps, actions);
    });
    true
}
