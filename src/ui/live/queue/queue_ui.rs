//! Lays the queue's side out.

use egui::Ui;

use crate::ui::widgets;
use crate::workbench::{Action, Workbench};

/// What the queue's side keeps to itself between frames.
#[derive(Default)]
pub(in crate::ui::live) struct QueueView {}

/// Draws the column at the left: the folders that are watched, and who waits there.
pub(in crate::ui::live) fn waiting_ui(
    _ui: &mut Ui,
    _workbench: &Workbench,
    _view: &mut QueueView,
    _actions: &mut Vec<Action>,
) {
}

/// Draws what is asked, and the answer.
pub(in crate::ui::live) fn queue_ui(
    ui: &mut Ui,
    _workbench: &Workbench,
    _view: &mut QueueView,
    _actions: &mut Vec<Action>,
) {
    widgets::empty_state(ui, "No queue is watched.", None);
}
