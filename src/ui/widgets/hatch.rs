//! Where one side has nothing to show.

use egui::{Rect, Shape, Stroke, Ui, pos2};

use crate::ui::theme::tokens;

const APART: f32 = 6.0;

/// Fills `rect` with hair lines at 45 degrees, 6 apart. Lines of neighbouring rects join.
pub fn hatch(ui: &Ui, rect: Rect) {
    let visible = rect.intersect(ui.clip_rect());
    if !visible.is_positive() {
        return;
    }
    let painter = ui.painter().with_clip_rect(visible);
    let stroke = Stroke::new(1.0, tokens(ui).hair);
    // A line is where x + y is a multiple of the distance, whatever the rect, so that rows below each other join.
    let step = APART * std::f32::consts::SQRT_2;
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
