//! Lays the calls' side out.

use egui::Ui;

use crate::ui::widgets;
use crate::workbench::{Action, Workbench};

/// What the calls' side keeps to itself between frames.
#[derive(Default)]
pub(in crate::ui::live) struct CallsView {}

/// Draws the column at the left: the recorder and the server.
pub(in crate::ui::live) fn runs_ui(
    _ui: &mut Ui,
    _workbench: &Workbench,
    _view: &mut CallsView,
    _actions: &mut Vec<Action>,
) {
}

/// Draws the calls, and the one that is selected.
pub(in crate::ui::live) fn calls_ui(
    ui: &mut Ui,
    _workbench: &Workbench,
    _view: &mut CallsView,
    _actions: &mut Vec<Action>,
) {
    widgets::empty_state(ui, "Nothing is recorded or served.", None);
}
