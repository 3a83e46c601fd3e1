//! Lays the queue's side out: who waits at the left, what is asked, and the answer at the right.

use std::time::Duration;

use egui::{Frame, Panel, Ui, vec2};

use super::answer_ui::answer_ui;
use super::asked_ui::{asked_ui, nothing_ui};
use super::data::QueueData;
use super::left_ui::left_ui;
use crate::ui::inspector::SectionsState;
use crate::ui::theme::{self, tokens};
use crate::workbench::{Action, Workbench};

/// How wide the answer is.
const ANSWER: f32 = 432.0;
/// The same in a narrow window.
const ANSWER_NARROW: f32 = 360.0;
/// Below this width of what is beside the list the answer is narrower.
const NARROW: f32 = 900.0;
/// How often the time that is left is shown anew.
const TICK: Duration = Duration::from_secs(1);

/// What the queue's side keeps to itself between frames.
#[derive(Default)]
pub(in crate::ui::live) struct QueueView {
    pub(super) data: QueueData,
    pub(super) sections: SectionsState,
    /// The wish for the cursor that was followed last.
    pub(super) focus: u64,
}

/// Draws the column at the left: the folders that are watched, and who waits there.
pub(in crate::ui::live) fn waiting_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut QueueView,
    actions: &mut Vec<Action>,
) {
    view.data.update(workbench);
    let desk = workbench.live_desk().queue();
    if desk.waiting() > 0 {
        ui.ctx().request_repaint_after(TICK);
    }
    left_ui(ui, desk, &view.data, actions);
}

/// Draws what is asked, and the answer.
pub(in crate::ui::live) fn queue_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut QueueView,
    actions: &mut Vec<Action>,
) {
    let desk = workbench.live_desk().queue();
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(request) = desk.selected() else {
        nothing_ui(ui, workbench, &view.data, actions);
        return;
    };
    let width = if ui.available_width() < NARROW {
        ANSWER_NARROW
    } else {
        ANSWER
    };
    Panel::right("answer")
        .exact_size(width)
        .resizable(false)
        .frame(Frame::new().fill(tokens(ui).panel))
        .show(ui, |ui| {
            answer_ui(ui, workbench, request, view, actions);
        });
    asked_ui(ui, request, view, actions);
}
