//! Progress: numbers and a bar, never a spinner.

use egui::{Color32, Rect, Sense, StrokeKind, Ui};

use super::banner;
use crate::icons;
use crate::theme::{self, Tone, tokens};
use document::text::visible;

/// Paints a bar, 4 points high. `share` is the part that is done, from 0 to 1.
pub fn paint_bar(ui: &Ui, rect: Rect, share: f32) {
    paint_bar_in(ui, rect, share, tokens(ui).accent);
}

/// Paints a bar in another colour.
pub fn paint_bar_in(ui: &Ui, rect: Rect, share: f32, color: Color32) {
    ui.painter().rect_filled(rect, 2, tokens(ui).line);
    let end = rect.left() + rect.width() * share.clamp(0.0, 1.0);
    ui.painter().rect_filled(rect.with_max_x(end), 2, color);
}

/// Paints parts of a whole side by side, each with its count and its colour. The selected ones have a ring.
pub fn share_bar(ui: &Ui, rect: Rect, parts: &[(usize, Color32, bool)]) {
    const GAP: f32 = 2.0;
    let total = parts.iter().map(|(count, ..)| count).sum::<usize>().max(1) as f32;
    let room = rect.width() - GAP * parts.len().saturating_sub(1) as f32;
    let mut left = rect.left();
    for (count, color, is_selected) in parts {
        // One of thousands is visible, too.
        let right = left + (room * *count as f32 / total).max(2.0);
        let part = Rect::from_x_y_ranges(left..=right, rect.y_range());
        ui.painter().rect_filled(part, 2, *color);
        if *is_selected {
            let ring = (1.5, tokens(ui).accent);
            ui.painter().rect_stroke(part.expand(2.0), 4, ring, StrokeKind::Outside);
        }
        left = right + GAP;
    }
}

/// Paints a bar for each height from 0, scaled to the greatest, on the ground of a place or around its middle; of more than there is
/// room for, neighbours share one.
pub fn paint_bars(
    ui: &Ui,
    rect: Rect,
    heights: &[f32],
    (bar_width, step): (f32, f32),
    (color, is_centered): (Color32, bool),
) {
    let greatest = |heights: &[f32]| heights.iter().copied().fold(0.0, f32::max);
    let max_height = greatest(heights).max(f32::EPSILON);
    let room = ((rect.width() / step) as usize).max(1);
    for (index, bar) in heights.chunks(heights.len().div_ceil(room).max(1)).enumerate() {
        // A height of 0 has a bar, too.
        let height = 2.0 + greatest(bar) / max_height * (rect.height() - 2.0);
        let bottom = if is_centered { rect.center().y + height / 2.0 } else { rect.bottom() };
        let left = rect.left() + index as f32 * step;
        let bar = Rect::from_x_y_ranges(left..=left + bar_width, bottom - height..=bottom);
        ui.painter().rect_filled(bar, 1.0, color);
    }
}

/// Adds placeholder rows for what is awaited, or the reason why it will not come.
pub fn awaited(ui: &mut Ui, rows: usize, row_height: f32, failure: Option<&str>) {
    match failure {
        Some(reason) => {
            banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, &format!("{}.", visible(reason)), "");
        }
        None => skeleton_rows(ui, rows, row_height),
    }
}

/// Paints the placeholder of a text.
pub fn skeleton_bar(ui: &Ui, bar: Rect) {
    if bar.is_positive() {
        ui.painter().rect_filled(bar, bar.height() / 2.0, tokens(ui).raised);
    }
}

/// Adds placeholder rows for those still being read, each as tall as a real one.
pub fn skeleton_rows(ui: &mut Ui, rows: usize, row_height: f32) {
    ui.spacing_mut().item_spacing.y = 0.0;
    for row in 0..rows {
        let (rect, _) = super::allocate_row(ui, row_height, Sense::hover());
        let mut left = rect.left() + theme::PADDING;
        // The widths vary a little, so that the rows look like rows and not like a grid.
        let widths = [64.0, if row % 2 == 0 { 88.0 } else { 64.0 }, f32::INFINITY];
        for width in widths {
            let right = (left + width).min(rect.right() - theme::PADDING);
            let y = rect.center().y;
            let bar = Rect::from_x_y_ranges(left..=right, y - 5.0..=y + 5.0);
            skeleton_bar(ui, bar);
            left = right + theme::PADDING;
        }
        super::line_below(ui, rect);
    }
}
