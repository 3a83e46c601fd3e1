//! Layout of the live desk: the choice of the view is above the running listeners, at the left.

use egui::{Ui, vec2};

use super::calls_ui::{calls_ui, listeners_ui};
use super::drift_data::DriftData;
use super::drift_ui::{drift_facts_ui, drift_ui};
use super::queue::{QueueView, queue_ui, waiting_ui};
use widgets::theme;
use widgets::{Segment, SidePanel, hair_line, segmented};
use workbench::{Action, Actions, LiveAction, LiveSide, Workbench};

/// View state of the desk between frames.
#[derive(Default)]
pub struct LiveView {
    queue: QueueView,
    drift: DriftData,
    /// The request to move the focus into the form of a listener that was handled last.
    listener_focus: u64,
}

/// Draws the live desk. User input becomes [`Action`]s.
pub fn live_ui(ui: &mut Ui, workbench: &Workbench, view: &mut LiveView, actions: &mut Actions) {
    let side = workbench.live.side;
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    SidePanel::left("live", 304.0, 296.0..=480.0).show(ui, |ui| {
        sides_ui(ui, workbench, actions);
        match side {
            LiveSide::Queue => waiting_ui(ui, workbench, &mut view.queue, actions),
            LiveSide::Calls => listeners_ui(ui, workbench, &mut view.listener_focus, actions),
            LiveSide::Drift => drift_facts_ui(ui, &mut view.drift, workbench, actions),
        }
    });
    match side {
        LiveSide::Queue => queue_ui(ui, workbench, &mut view.queue, actions),
        LiveSide::Calls => calls_ui(ui, workbench, actions),
        LiveSide::Drift => drift_ui(ui, &mut view.drift, workbench, actions),
    }
}

/// Paints the choice between the two views.
fn sides_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.live;
    let waiting_count = desk.queue.waiting();
    // Without a zero: a number always means that there is something to do.
    let count = (waiting_count > 0).then(|| waiting_count.to_string());
    let queue = count.iter().fold(Segment::text("Queue"), |queue, count| queue.count(count));
    let drifted = desk.drift.report.as_ref().map_or(0, |report| report.drifted().count());
    let drifted = (drifted > 0).then(|| drifted.to_string());
    let drift = drifted.iter().fold(Segment::text("Drift"), |drift, count| drift.count(count));
    let segments = [queue, Segment::text("Record and serve"), drift];
    let sides = [LiveSide::Queue, LiveSide::Calls, LiveSide::Drift];
    let selection = sides.iter().position(|side| *side == desk.side);
    let (head, _) = widgets::allocate_row(ui, theme::DESK_HEADER, egui::Sense::hover());
    widgets::place_left(ui, head.shrink2(vec2(12.0, 0.0)), |ui| {
        if let Some(segment) = segmented(ui, &segments, selection.unwrap_or_default()) {
            actions.extend(sides.get(segment).map(|side| Action::from(LiveAction::Show(*side))));
        }
    });
    hair_line(ui);
}
