//! An overlay over the right part of a desk, used if there is no space beside it.

use egui::{Id, Rect, Ui};

use crate::theme::{self, tokens};

const OVERLAY_WIDTH: f32 = 400.0;

/// Returns the left edge of an overlay over a desk.
pub fn side_overlay_left(desk: Rect) -> f32 {
    // 72 points of the desk stay visible, so that the overlay is seen to be above it.
    desk.right() - OVERLAY_WIDTH.min(desk.width() - 72.0)
}

/// Paints an overlay with a shadow over the right part of a desk.
pub fn side_overlay(ui: &mut Ui, desk: Rect, add: impl FnOnce(&mut Ui)) {
    let colors = tokens(ui);
    let rect = desk.with_min_x(side_overlay_left(desk));
    egui::Area::new(Id::unique("over the desk"))
        // Above the desk, and below menus and dialogs.
        .order(egui::Order::Middle)
        .fixed_pos(rect.min)
        // egui would move an area that reaches beyond the window, while this one has its place.
        .constrain(false)
        .fade_in(false)
        .show(ui.ctx(), |ui| {
            let shadow = theme::shadow(colors).as_shape(rect, 0);
            // Clipped, or the shadow would darken the bars around the desk.
            ui.painter().with_clip_rect(desk).add(shadow);
            ui.painter().rect_filled(rect, 0.0, colors.panel);
            ui.scope_builder(egui::UiBuilder::new().max_rect(rect), |ui| {
                ui.set_clip_rect(rect);
                ui.set_min_size(rect.size());
                add(ui);
            });
            ui.painter().vline(rect.left() - 0.5, rect.y_range(), (1.0, colors.line));
        });
}
