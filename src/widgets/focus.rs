//! Painting of the keyboard focus, and names for screen readers.

use egui::{Rect, Response, Role, Stroke, StrokeKind, Ui, WidgetInfo};

use crate::theme::tokens;

/// Sets the role and the name of a control for screen readers.
pub fn describe(response: &Response, role: Role, name: &str) {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
}

/// Draws the ring around a focused control: 2 points of space, then a ring of 2 points.
pub fn focus_ring(ui: &Ui, response: &Response, radius: u8) {
    if response.has_focus() {
        let (rect, stroke) = (response.rect.expand(2.0), Stroke::new(2.0, tokens(ui).ring));
        ui.painter().rect_stroke(rect, radius + 2, stroke, StrokeKind::Outside);
    }
}

/// Draws the ring inside a row or another surface that has no space around it.
pub fn focus_ring_inside(ui: &Ui, rect: Rect, radius: u8) {
    let stroke = Stroke::new(2.0, tokens(ui).ring);
    ui.painter().rect_stroke(rect, radius, stroke, StrokeKind::Inside);
}

/// Returns whether a widget has lost the focus, once. egui reports it in two passes, so that an edit would be made twice.
pub fn has_lost_focus(response: &Response) -> bool {
    if !response.lost_focus() {
        return false;
    }
    let pass = response.ctx.cumulative_pass_nr();
    let id = response.id.with("lost focus");
    let last = response.ctx.data_mut(|data| {
        let last = data.get_temp::<u64>(id);
        data.insert_temp(id, pass);
        last
    });
    last.is_none_or(|last| last + 1 < pass)
}
