//! Parts of the start page: the mark of Retake, the place for dropped files, and the number of a step.

use egui::{Color32, CornerRadius, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

use super::illustration::{Illustration, paint_illustration};
use super::styled_text::{line, paint_line};
use crate::theme::{self, tokens};

/// Paints the mark of Retake, 48 wide and 36 high.
pub fn paint_mark(ui: &Ui, left_top: Pos2) {
    let (tokens, painter) = (tokens(ui), ui.painter());
    let badge = Rect::from_min_size(left_top, vec2(48.0, 36.0));
    let stroke = Stroke::new(1.5, tokens.accent);
    painter.rect(badge, theme::RADIUS_CARD, tokens.tint, stroke, StrokeKind::Inside);
    let (left, right) = (badge.center() - vec2(8.0, 3.0), badge.center() + vec2(8.0, -3.0));
    for center in [left, right] {
        painter.circle_stroke(center, 5.0, stroke);
        painter.circle_filled(center, 1.5, tokens.accent);
    }
    painter.hline(left.x..=right.x, left.y + 5.0, stroke);
    let foot = [
        pos2(badge.left() + 12.0, badge.bottom() - 1.0),
        pos2(badge.left() + 15.0, badge.bottom() - 6.0),
        pos2(badge.right() - 15.0, badge.bottom() - 6.0),
        pos2(badge.right() - 12.0, badge.bottom() - 1.0),
    ];
    painter.add(Shape::line(foot.to_vec(), stroke));
}

/// Paints a card, with an illustration of this height at its top. Returns the place of the text, between the margins.
pub fn paint_job_card(ui: &Ui, card: Rect, picture: Option<(Illustration, f32)>) -> Rect {
    let (tokens, painter) = (tokens(ui), ui.painter());
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    let stroke = Stroke::new(1.0, tokens.line);
    painter.rect(card, radius, tokens.panel, stroke, StrokeKind::Inside);
    let text = card.shrink2(vec2(theme::PADDING, 0.0));
    let Some((illustration, height)) = picture else { return text };
    let edge = card.top() + height;
    let picture = card.with_max_y(edge).shrink(1.0);
    painter.rect_filled(picture, CornerRadius { sw: 0, se: 0, ..radius }, tokens.ground);
    painter.hline(card.x_range(), edge, stroke);
    paint_illustration(ui, illustration, picture);
    text.with_min_y(edge)
}

/// Paints a number in a ring.
pub fn paint_step(ui: &Ui, center: Pos2, number: usize) {
    let color = tokens(ui).accent;
    ui.painter().circle_stroke(center, 9.5, (1.0, color));
    let digit = line(ui, &number.to_string(), theme::regular(theme::SMALL), color, 20.0);
    paint_line(ui.painter(), center - vec2(digit.size().x / 2.0, 0.0), digit);
}

/// Paints a card with a dashed border. The corners are arcs of short straight segments.
pub fn paint_dashed_card(ui: &Ui, rect: Rect, fill: Color32, border: Color32) {
    let radius = f32::from(theme::RADIUS_CARD);
    ui.painter().rect_filled(rect, radius, fill);
    let rect = rect.shrink(0.5);
    let inner = rect.shrink(radius);
    let corners = [
        (inner.right_top(), -90.0_f32),
        (inner.right_bottom(), 0.0),
        (inner.left_bottom(), 90.0),
        (inner.left_top(), 180.0),
    ];
    let arc = |(center, start_angle): (Pos2, f32)| {
        // Seven points of 15 degrees each: at this radius the arc looks round.
        (0..=6).map(move |step| {
            let angle = (start_angle + 15.0 * step as f32).to_radians();
            center + radius * vec2(angle.cos(), angle.sin())
        })
    };
    let mut path: Vec<Pos2> = corners.into_iter().flat_map(arc).collect();
    path.extend(path.first().copied());
    ui.painter().extend(Shape::dashed_line(&path, Stroke::new(1.0, border), 4.0, 3.0));
}
