//! Key caps.

use std::sync::Arc;

use egui::{Color32, Galley, Painter, Pos2, Rect, Response, Sense, StrokeKind, Ui, pos2, vec2};

use super::styled_text;
use crate::theme::{self, Tokens, tokens};

const CAP_GAP: f32 = 6.0;
const CAP_PADDING: f32 = 6.0;

/// A row of key caps, to be painted where there is space.
pub struct Caps {
    caps: Vec<Arc<Galley>>,
    stroke: Color32,
    fill: Color32,
}

impl Caps {
    /// Creates caps for an ordinary surface.
    pub fn new<S: AsRef<str>>(ui: &Ui, caps: &[S]) -> Self {
        let tokens = tokens(ui);
        Self::colored(ui, caps, tokens.muted, tokens.line, tokens.desk)
    }

    /// Creates caps for the primary button.
    pub fn on_fill<S: AsRef<str>>(ui: &Ui, caps: &[S], tokens: &Tokens) -> Self {
        let line = tokens.on_fill.gamma_multiply(0.45);
        Self::colored(ui, caps, tokens.on_fill, line, Color32::TRANSPARENT)
    }

    /// Creates caps for a disabled control.
    pub fn disabled<S: AsRef<str>>(ui: &Ui, caps: &[S]) -> Self {
        let tokens = tokens(ui);
        Self::colored(ui, caps, tokens.disabled, tokens.hair, Color32::TRANSPARENT)
    }

    fn colored<S: AsRef<str>>(
        ui: &Ui,
        caps: &[S],
        text: Color32,
        stroke: Color32,
        fill: Color32,
    ) -> Self {
        let font = theme::regular(theme::SMALL);
        let line = |cap: &S| styled_text::line(ui, cap.as_ref(), font.clone(), text, f32::INFINITY);
        Self { caps: caps.iter().map(line).collect(), stroke, fill }
    }

    /// Returns the total width.
    pub fn width(&self) -> f32 {
        let caps: f32 = self.caps.iter().map(cap_width).sum();
        caps + CAP_GAP * self.caps.len().saturating_sub(1) as f32
    }

    /// Paints them from `left`, vertically centered on it.
    pub fn paint(self, painter: &Painter, left: Pos2) {
        let mut x = left.x.round();
        for cap in self.caps {
            let size = vec2(cap_width(&cap), theme::KEY);
            let rect = Rect::from_min_size(pos2(x, (left.y - theme::KEY / 2.0).round()), size);
            let stroke = (1.0, self.stroke);
            painter.rect(rect, theme::RADIUS_KEY, self.fill, stroke, StrokeKind::Inside);
            let text_left = rect.center().x - cap.size().x / 2.0;
            styled_text::paint_line(painter, pos2(text_left, rect.center().y), cap);
            x += size.x + CAP_GAP;
        }
    }
}

fn cap_width(cap: &Arc<Galley>) -> f32 {
    // At least square, like the keys of a keyboard.
    (cap.size().x + 2.0 * CAP_PADDING).max(theme::KEY).ceil()
}

/// Adds key caps to a layout.
pub fn key_caps<S: AsRef<str>>(ui: &mut Ui, caps: &[S]) -> Response {
    let caps = if ui.is_enabled() { Caps::new(ui, caps) } else { Caps::disabled(ui, caps) };
    let (rect, response) = ui.allocate_exact_size(vec2(caps.width(), theme::KEY), Sense::hover());
    caps.paint(ui.painter(), rect.left_center());
    response
}

/// Adds key caps and their effect, such as `Esc` close, if there is room.
pub fn key_hint<S: AsRef<str>>(ui: &mut Ui, caps: &[S], effect: &str) {
    let caps = Caps::new(ui, caps);
    let (font, color) = (theme::regular(theme::LABEL), tokens(ui).muted);
    let text = styled_text::line(ui, effect, font, color, f32::INFINITY);
    let width = caps.width() + theme::ICON_GAP + text.size().x;
    // A hint is left out as a whole: a cut one would name another key.
    if width > ui.available_width() {
        return;
    }
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::KEY), Sense::hover());
    crate::describe(&response, egui::Role::Label, effect);
    styled_text::paint_line_right(ui.painter(), rect.right_center(), text);
    caps.paint(ui.painter(), rect.left_center());
}
