//! Painting of the keyboard focus.

use egui::{CornerRadius, Painter, Rect, Response, Stroke, StrokeKind, Ui};

use crate::ui::theme::tokens;

/// Draws the ring around a focused control: 2 points of space, then a ring of 2 points.
pub fn focus_ring(ui: &Ui, response: &Response, radius: u8) {
    if response.has_focus() {
        ring(ui, ui.painter(), response.rect.expand(2.0), radius + 2);
    }
}

/// Draws the ring inside a row or another surface that has no space around it.
pub fn focus_ring_inside(ui: &Ui, rect: Rect, radius: u8) {
    let stroke = Stroke::new(2.0, tokens(ui).ring);
    let radius = CornerRadius::same(radius);
    ui.painter()
        .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
}

fn ring(ui: &Ui, painter: &Painter, rect: Rect, radius: u8) {
    let stroke = Stroke::new(2.0, tokens(ui).ring);
    let radius = CornerRadius::same(radius);
    painter.rect_stroke(rect, radius, stroke, StrokeKind::Outside);
}
