//! Hatching where one side has nothing to show.

use egui::{Rect, Shape, Stroke, Ui, pos2};

use crate::theme::tokens;

const LINE_GAP: f32 = 6.0;

/// Fills `rect` with hairlines at 45 degrees, 6 points apart. Lines of adjacent rects join.
pub fn hatch(ui: &Ui, rect: Rect) {
    // A tall rect that is scrolled has thousands of lines outside of the window.
    let visible = rect.intersect(ui.clip_rect());
    if !visible.is_positive() {
        return;
    }
    let painter = ui.painter().with_clip_rect(visible);
    let stroke = Stroke::new(1.0, tokens(ui).hair);
    // Lines are where x + y is a multiple of the distance, independent of the rect, so that adjacent rows join.
    let step = LINE_GAP * std::f32::consts::SQRT_2;
    let first = ((visible.left() + visible.top()) / step).floor() as i32;
    let last = ((visible.right() + visible.bottom()) / step).ceil() as i32;
    painter.extend((first..=last).map(|index| {
        let sum = index as f32 * step;
        let ends = [
            pos2(sum - visible.top(), visible.top()),
            pos2(sum - visible.bottom(), visible.bottom()),
        ];
        Shape::line_segment(ends, stroke)
    }));
}
