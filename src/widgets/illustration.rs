//! Draws the three jobs of the start page from the parts of the program.

use egui::{Color32, FontId, Pos2, Rect, StrokeKind, Ui, pos2, vec2};

use super::styled_text::{self, paint_icon};
use crate::icons;
use crate::theme::{self, tokens};

/// The width that the parts are placed for.
const WIDTH: f32 = 248.0;

/// Subject of the drawing, one for each job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illustration {
    /// A request and a recording whose tools differ.
    Signatures,
    /// A report that becomes a session.
    Report,
    /// Files that are sorted into groups.
    Groups,
}

/// Paints an illustration in the middle of `rect`.
pub(super) fn paint_illustration(ui: &Ui, illustration: Illustration, rect: Rect) {
    // Whole pixels: the thin lines of the drawing would be blurred between two.
    let origin = pos2((rect.center().x - WIDTH / 2.0).round(), (rect.center().y - 46.0).round());
    match illustration {
        Illustration::Signatures => signatures(ui, origin),
        Illustration::Report => report(ui, origin),
        Illustration::Groups => groups(ui, origin),
    }
}

fn frame(ui: &Ui, rect: Rect, fill: Color32, stroke: Color32) {
    ui.painter().rect(rect, theme::RADIUS_CONTROL, fill, (1.0, stroke), StrokeKind::Inside);
}

fn bar(ui: &Ui, left: Pos2, width: f32, color: Color32) {
    let rect = Rect::from_min_size(left - vec2(0.0, 2.0), vec2(width, 4.0));
    ui.painter().rect_filled(rect, 2, color);
}

fn word(ui: &Ui, left: Pos2, text: &str, color: Color32) {
    text_at(ui, left, text, theme::regular(theme::SMALL), color);
}

fn code(ui: &Ui, left: Pos2, text: &str, color: Color32) {
    text_at(ui, left, text, theme::mono(theme::SMALL), color);
}

fn text_at(ui: &Ui, left: Pos2, text: &str, font: FontId, color: Color32) {
    let line = styled_text::line(ui, text, font, color, f32::INFINITY);
    styled_text::paint_line(ui.painter(), left, line);
}

fn sign(ui: &Ui, center: Pos2, icon: &str, color: Color32) {
    paint_icon(ui.painter(), center, icon, theme::ICON, color);
}

fn signatures(ui: &Ui, origin: Pos2) {
    let tokens = tokens(ui);
    let sides = [
        (0.0, "Request", "reply", tokens.added_line),
        (140.0, "Recording", "respond", tokens.removed_line),
    ];
    for (left, title, last, mark) in sides {
        let card = Rect::from_min_size(origin + vec2(left, 0.0), vec2(108.0, 92.0));
        frame(ui, card, tokens.desk, tokens.line);
        word(ui, card.min + vec2(12.0, 15.0), title, tokens.muted);
        let row = Rect::from_min_size(card.min + vec2(6.0, 66.0), vec2(96.0, 20.0));
        ui.painter().rect_filled(row, theme::RADIUS_KEY, mark);
        for (tool, top) in [("escalate", 36.0), ("read_Ticket", 56.0), (last, 76.0)] {
            code(ui, card.min + vec2(12.0, top), tool, tokens.text_strong);
        }
    }
    let middle = origin + vec2(124.0, 0.0);
    for (icon, top, color) in [
        (icons::EQUAL, 36.0, tokens.muted),
        (icons::EQUAL, 56.0, tokens.muted),
        (icons::EQUAL_NOT, 76.0, tokens.error),
    ] {
        sign(ui, middle + vec2(0.0, top), icon, color);
    }
}

fn report(ui: &Ui, origin: Pos2) {
    let tokens = tokens(ui);
    let card = Rect::from_min_size(origin, vec2(108.0, 92.0));
    frame(ui, card, tokens.desk, tokens.line);
    word(ui, card.min + vec2(12.0, 15.0), "Report", tokens.muted);
    let rows = [(true, 64.0), (false, 52.0), (true, 60.0), (false, 44.0)];
    for (row, (passes, width)) in rows.into_iter().enumerate() {
        let left = card.min + vec2(12.0, 34.0 + 15.0 * row as f32);
        let (icon, color, line) = if passes {
            (icons::CHECK, tokens.good, tokens.line)
        } else {
            (icons::X, tokens.error, tokens.removed_word)
        };
        paint_icon(ui.painter(), left + vec2(4.0, 0.0), icon, theme::ICON_TAG, color);
        bar(ui, left + vec2(17.0, 0.0), width, line);
    }
    sign(ui, origin + vec2(124.0, 46.0), icons::ARROW_RIGHT, tokens.accent);
    let card = card.translate(vec2(140.0, 0.0));
    frame(ui, card, tokens.desk, tokens.accent);
    word(ui, card.min + vec2(12.0, 15.0), "Session", tokens.muted);
    for (row, key) in ["id:", "input:", "tools:", "contract:"].iter().enumerate() {
        let left = card.min + vec2(12.0, 34.0 + 15.0 * row as f32);
        code(ui, left, key, tokens.key);
        // About seven points for a character of the small monospaced font.
        let label_width = 7.0 * key.len() as f32 + 4.0;
        bar(ui, left + vec2(label_width, 0.0), 84.0 - label_width, tokens.line);
    }
}

fn groups(ui: &Ui, origin: Pos2) {
    let tokens = tokens(ui);
    for sheet in 0..4_u8 {
        let offset = 4.0 * f32::from(sheet);
        let card = Rect::from_min_size(origin + vec2(offset, offset), vec2(88.0, 92.0 - 12.0));
        frame(ui, card, tokens.desk, tokens.line);
    }
    let card = origin + vec2(12.0, 12.0);
    word(ui, card + vec2(12.0, 16.0), "400 files", tokens.muted);
    let lines = [
        (56.0, tokens.added_word),
        (44.0, tokens.removed_word),
        (60.0, tokens.added_word),
        (36.0, tokens.removed_word),
    ];
    for (row, (width, color)) in lines.into_iter().enumerate() {
        bar(ui, card + vec2(12.0, 32.0 + 12.0 * row as f32), width, color);
    }
    sign(ui, origin + vec2(122.0, 46.0), icons::ARROW_RIGHT, tokens.accent);
    let groups = [
        (icons::CHECK, tokens.good, tokens.good_tint, 32.0, "312"),
        (icons::CHECK, tokens.good, tokens.good_tint, 24.0, "80"),
        (icons::MINUS, tokens.warning, tokens.warning_tint, 28.0, "8"),
    ];
    for (row, (icon, color, tint, width, count)) in groups.into_iter().enumerate() {
        let card = Rect::from_min_size(origin + vec2(140.0, 32.0 * row as f32), vec2(108.0, 28.0));
        frame(ui, card, tint, color.gamma_multiply(0.4));
        let left = card.left_center();
        paint_icon(ui.painter(), left + vec2(15.0, 0.0), icon, theme::ICON_TAG, color);
        bar(ui, left + vec2(28.0, 0.0), width, color.gamma_multiply(0.35));
        let font = theme::mono(theme::SMALL);
        let line = styled_text::line(ui, count, font, tokens.text_strong, f32::INFINITY);
        styled_text::paint_line_right(ui.painter(), card.right_center() - vec2(10.0, 0.0), line);
    }
}
