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
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ui::tapes::tapes_ui::request_next_frame;
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

/// Returns the compared tape.
fn other_tape<'a>(props: &TapeProps<'a>) -> Option<&'a PreparedTape> {
    compared_take(props).map(|(takes, _)| takes.other())
}

/// Requests a frame for the next chunk of the compared tape, which plays in the same time.
pub(super) fn request_next_frame_of_other(ui: &Ui, props: TapeProps<'_>) {
    let transport = &props.desk.transport;
    if let Some(other) = other_tape(&props) {
        request_next_frame(ui, transport, other.schedule(transport.pace), props.is_reduced);
    }
}

/// Returns where the compared tape shows the playhead, in nanoseconds; 0 without one.
pub(super) fn shown_nanos_of_other(props: TapeProps<'_>) -> f64 {
    let transport = &props.desk.transport;
    let shown = |other: &PreparedTape| {
        transport.shown_nanos(other.schedule(transport.pace), props.is_reduced)
    };
    other_tape(&props).map_or(0.0, shown)
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
        ui.painter().vline(texts.right() - 0.5, steps.y_range(), line);
    }
    widgets::place(ui, steps, |ui| {
        differences_ui::differences_ui(ui, props, takes, differing, actions);
    });
    true
}
