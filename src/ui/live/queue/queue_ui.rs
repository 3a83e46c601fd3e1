//! Layout of the queue: waiting requests at the left, the selected request, and the answer at the right.

use std::time::Duration;

use egui::{Ui, vec2};

use super::answer_ui::answer_ui;
use super::queue_data::QueueView;
use super::queue_list_ui::list_ui;
use super::request_ui::{nothing_ui, request_ui};
use widgets::SidePanel;
use widgets::theme;
use workbench::{Actions, Workbench};

/// Repaint interval of the remaining time.
const REPAINT_INTERVAL: Duration = Duration::from_secs(1);

/// Draws the left column: the watched folders and their waiting requests.
pub(crate) fn waiting_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut QueueView,
    actions: &mut Actions,
) {
    view.data.update(workbench);
    let desk = &workbench.live.queue;
    if desk.waiting() > 0 {
        // Without input egui paints no frames, and the remaining time would not change.
        ui.ctx().request_repaint_after(REPAINT_INTERVAL);
    }
    list_ui(ui, desk, &view.data, actions);
}

/// Draws the request and the answer.
pub(crate) fn queue_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut QueueView,
    actions: &mut Actions,
) {
    let desk = &workbench.live.queue;
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(request) = desk.selected() else {
        let root = workbench.core.project.as_ref().map_or("", |project| &*project.root);
        nothing_ui(ui, root, &view.data, actions);
        return;
    };
    SidePanel::right("answer", 432.0, 360.0..=720.0).show(ui, |ui| {
        answer_ui(ui, workbench, request, view, actions);
    });
    request_ui(ui, request, view, actions);
}
