//! Common parts of drawings of graphs: zooming and moving, curves, and heads of arrows.

use egui::epaint::CubicBezierShape;
use egui::{Color32, Pos2, Rect, Response, Shape, Stroke, Ui, Vec2, vec2};

use machine::layout::Area;

/// The largest scale of a drawing that fits.
const MAX_SCALE: f32 = 1.25;
/// The allowed zoom, relative to the size that fits.
const ZOOM_RANGE: std::ops::RangeInclusive<f32> = 0.5..=8.0;
/// Below this size letters are illegible and omitted.
const MIN_LETTER_SIZE: f32 = 5.0;
/// The least size of names, and the scale below which nodes have no room for them.
const MIN_NAME_SIZE_AND_SCALE: (f32, f32) = (8.0, 0.25);
/// Length of an arrow head.
const ARROW_HEAD_LENGTH: f32 = 8.0;

/// Zoom and offset of a drawing.
#[derive(Debug)]
pub struct PanZoom {
    /// Relative to the size that fits.
    pub(super) zoom: f32,
    /// Distance by which it was dragged, in points.
    pub(super) dragged: Vec2,
}

impl Default for PanZoom {
    fn default() -> Self {
        Self { zoom: 1.0, dragged: Vec2::ZERO }
    }
}

impl PanZoom {
    /// Handles the wheel and dragging.
    pub fn update(&mut self, ui: &Ui, rect: Rect, response: &Response) {
        self.dragged += response.drag_delta();
        let Some(pointer) = ui.input(|input| input.pointer.hover_pos()) else { return };
        // The first is false outside the drawing, the second where an overlay covers it.
        if !rect.contains(pointer) || !ui.rect_contains_pointer(rect) {
            return;
        }
        let turn =
            // A pinch is a factor, the wheel a distance. 200 points are a factor of e, as in egui's own `scroll_zoom_speed`.
            ui.input(|input| input.smooth_scroll_delta().y + input.zoom_delta().ln() * 200.0);
        if turn != 0.0 {
            self.zoom_by((turn / 200.0).exp(), pointer - rect.center());
        }
    }

    /// Zooms; the point this far from the middle stays where it is.
    pub fn zoom_by(&mut self, factor: f32, from: Vec2) {
        let old_zoom = self.zoom;
        self.zoom = (old_zoom * factor).clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
        self.dragged = from - (from - self.dragged) * (self.zoom / old_zoom);
    }

    /// Places a drawing of this size in the middle of a rectangle, with a margin around it.
    pub fn place(&self, rect: Rect, size: [f32; 2], margin: Vec2) -> Placement {
        let size = Vec2::from(size);
        // A drawing of one node may have no width, which must not divide by zero.
        let fit = (rect.size() - 2.0 * margin) / size.max(Vec2::splat(1.0));
        let scale = fit.min_elem().clamp(0.05, MAX_SCALE) * self.zoom;
        Placement { origin: rect.center() - size * scale / 2.0 + self.dragged, scale }
    }
}

/// Position of a drawing: the place of its upper left corner, and its scale.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub origin: Pos2,
    pub scale: f32,
}

impl Placement {
    /// For shapes whose places are those of the window.
    pub const IDENTITY: Self = Self { origin: Pos2::ZERO, scale: 1.0 };

    pub fn point(self, [x, y]: [f32; 2]) -> Pos2 {
        self.origin + vec2(x, y) * self.scale
    }

    pub fn rect(self, area: Area) -> Rect {
        Rect::from_min_max(self.point(area.min), self.point(area.max))
    }

    /// Returns the size of letters at this scale, unless they would be illegible.
    fn letters(self, size: f32) -> Option<f32> {
        // Half points: every other size would be one more set of letters in the font's texture.
        let size = (size * self.scale * 2.0).round() / 2.0;
        (size >= MIN_LETTER_SIZE).then_some(size)
    }

    /// Returns the size of letters at this scale: not below what is easy to read, as long as they fit.
    pub fn readable_letters(self, size: f32) -> Option<f32> {
        let letters = self.letters(size)?;
        // Below this scale, letters of nearly full size would be wider than their nodes.
        let min_size = if self.scale >= 0.55 { size - 1.5 } else { 0.0 };
        Some(letters.max(min_size))
    }

    /// Returns the size of the letters of names, which are legible as long as nodes have any room for them.
    pub(super) fn name_letters(self, size: f32) -> Option<f32> {
        let (min_size, from) = MIN_NAME_SIZE_AND_SCALE;
        let min_size = if self.scale >= from { min_size.min(size) } else { 0.0 };
        let letters = self.readable_letters(size).unwrap_or(0.0).max(min_size);
        (letters > 0.0).then_some(letters)
    }

    /// Returns how much wider than in the drawing its lines are.
    pub(super) fn line_scale(self) -> f32 {
        // Thinner lines would vanish in a large drawing that is shown whole.
        self.scale.clamp(0.5, 1.2)
    }

    /// Returns the head of an arrow at the end of a line.
    pub(super) fn head(self, line: &[Pos2], width: f32, color: Color32) -> Option<Shape> {
        let end = *line.last()?;
        let length = ARROW_HEAD_LENGTH.max(width * 2.0) * self.line_scale();
        // The point before the end gives the direction of the arrow.
        let foot_point = line.iter().rev().find(|point| point.distance(end) >= length);
        let direction = (end - foot_point.copied().unwrap_or(line[0])).normalized();
        let side = direction.rot90() * length * 0.45;
        let foot = end - direction * length;
        let head = vec![end, foot + side, foot - side];
        Some(Shape::convex_polygon(head, color, Stroke::NONE))
    }
}

/// Returns a border as dashes.
pub fn dashed_border(rect: Rect, stroke: Stroke, dash: f32) -> Vec<Shape> {
    let rect = rect.shrink(0.5);
    let corners = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ];
    Shape::dashed_line(&corners, stroke, dash, 3.0)
}

/// Returns the points of a curve that leaves its start and reaches its end in the same direction.
pub fn curve(from: Pos2, to: Pos2, lead: Vec2) -> Vec<Pos2> {
    cubic([from, from + lead, to - lead, to])
}

/// Returns the points of a cubic curve with these control points.
pub(super) fn cubic(points: [Pos2; 4]) -> Vec<Pos2> {
    let [from, first, second, to] = points;
    if from == first && second == to {
        return vec![from, to];
    }
    let shape =
        CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, Stroke::NONE);
    // egui's default tolerance is a thousandth of the horizontal distance: nearly zero, with far too many points, if vertical.
    shape.flatten(Some(0.3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nodes_are_drawn_at_scales_at_which_other_letters_are_not() {
        let sizes = [1.0, 0.6, 0.5, 0.4, 0.3, 0.2].map(|scale| {
            let at = Placement { origin: Pos2::ZERO, scale };
            (at.name_letters(12.0), at.readable_letters(11.0))
        });
        let expected = [
            (Some(12.0), Some(11.0)),
            (Some(10.5), Some(9.5)),
            (Some(8.0), Some(5.5)),
            (Some(8.0), None),
            (Some(8.0), None),
            (None, None),
        ];
        assert_eq!(sizes, expected);
    }
}
