//! Layout of *Record and serve*: the calls in the middle, and the selected call at the right.

use std::time::Duration;

use egui::{Align, Frame, Layout, Panel, ScrollArea, Sense, Ui, vec2};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::call_details_ui::{call_details_ui, call_summary_ui};
use super::legend_ui::legend_ui;
use super::table_ui::tables_ui;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, SidePanel};
use crate::workbench::{Action, CallsAction, CallsDesk, InspectorPlacement, LiveAction, Workbench};

/// Repaint interval while calls are being answered.
const REPAINT_EVERY: Duration = Duration::from_millis(60);

pub(super) fn calls_action(action: CallsAction) -> Action {
    Action::from(LiveAction::Calls(action))
}

/// Data that every part of the view reads.
pub(super) struct CallsContext<'a> {
    pub(super) desk: &'a CallsDesk,
    pub(super) now: Timestamp,
    pub(super) zone: TimeZone,
}

/// Draws the calls and the details of the selected one.
pub(in crate::ui::live) fn calls_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let context = CallsContext {
        desk: &workbench.live.calls,
        now: Timestamp::now(),
        zone: TimeZone::system(),
    };
    if context.desk.streaming() > 0 {
        ui.ctx().request_repaint_after(REPAINT_EVERY);
    }
    let frame = Frame::new().fill(tokens(ui).panel);
    let over = ui.available_rect_before_wrap();
    let has_call = context.desk.selected.is_some();
    match (workbench.core.inspector.placement, workbench.core.inspector.is_shown()) {
        (InspectorPlacement::Docked, true) if has_call || has_calls(context.desk) => {
            SidePanel::right("call", 400.0, 320.0..=640.0).show(ui, |ui| {
                call_details_ui(ui, &context, InspectorPlacement::Docked, actions);
            });
        }
        (InspectorPlacement::Floating, false) if has_call => {
            let panel = Panel::bottom("call in short").exact_size(theme::ROW_TWO_LINES);
            let panel = panel.show_separator_line(false).frame(frame);
            panel.show(ui, |ui| call_summary_ui(ui, &context, actions));
        }
        _ => {}
    }
    middle_ui(ui, &context, actions);
    if has_call
        && (workbench.core.inspector.placement, workbench.core.inspector.is_shown())
            == (InspectorPlacement::Floating, true)
    {
        widgets::side_overlay(ui, over, |ui| {
            call_details_ui(ui, &context, InspectorPlacement::Floating, actions);
        });
    }
}

fn has_calls(desk: &CallsDesk) -> bool {
    !desk.recorded.is_empty() || !desk.served.is_empty()
}

fn middle_ui(ui: &mut Ui, context: &CallsContext<'_>, actions: &mut Vec<Action>) {
    let frame = Frame::new().fill(tokens(ui).desk);
    if has_calls(context.desk) {
        Panel::bottom("legend of calls")
            .exact_size(theme::TABLE_HEADING + 4.0)
            .show_separator_line(false)
            .frame(frame)
            .show(ui, legend_ui);
    }
    egui::CentralPanel::default().frame(frame).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        ScrollArea::vertical()
            .id_salt("calls")
            .auto_shrink(false)
            .show(ui, |ui| tables_ui(ui, context, actions));
    });
}

/// Adds a row whose right part is positioned first. Returns the remaining rect.
pub(super) fn split_row(ui: &mut Ui, height: f32, right: impl FnOnce(&mut Ui)) -> egui::Rect {
    let size = vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), end) = widgets::place_right(ui, inner, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
    inner.with_max_x(end - theme::GAP)
}
