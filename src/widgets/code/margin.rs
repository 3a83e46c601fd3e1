//! The margin of a source text: line numbers, problem icons, and messages between the lines.

use std::sync::Arc;

use egui::{Align2, Color32, Galley, Rect, Sense, Ui, pos2, vec2};

use super::code_data::ProblemMark;
use super::inline::sentence;
use crate::theme::{self, TEXT_LINE, Tokens, Tone};
use crate::{icons, severity_tone as tone};
use document::Severity;
use document::text::{Span, upper_first};

/// The right edge of the line numbers, from the left edge.
const NUMBERS_RIGHT: f32 = 32.0;
/// Left edge of the text, after the numbers and the problem icon.
pub(crate) const GUTTER_WIDTH: f32 = 52.0;
/// Maximum rows of a message below its line.
pub(crate) const MAX_MESSAGE_ROWS: usize = 6;

/// Layout of a line: `left` follows sideways scrolling so that the numbers stay in place, `text_left` does not.
pub(crate) struct MarginLayout {
    pub(crate) tokens: &'static Tokens,
    pub(crate) left: f32,
    pub(crate) text_left: f32,
    pub(crate) width: f32,
    pub(crate) clip: Rect,
}

/// Paints a line's number and the icon of its problems. Hovering over the icon shows them.
pub(crate) fn gutter_ui(
    ui: &mut Ui,
    place: &MarginLayout,
    band: Rect,
    line: usize,
    marks: &[ProblemMark],
) {
    let tokens = place.tokens;
    ui.painter().text(
        pos2(place.left + NUMBERS_RIGHT, band.center().y),
        Align2::RIGHT_CENTER,
        line + 1,
        theme::mono(theme::SMALL),
        if marks.is_empty() { tokens.muted } else { tokens.text_strong },
    );
    let Some(worst) = marks.iter().max_by_key(|mark| mark.severity) else { return };
    let sign = Rect::from_center_size(pos2(place.left + 41.0, band.center().y), vec2(14.0, 14.0));
    ui.painter().text(
        sign.center(),
        Align2::CENTER_CENTER,
        icons::severity(worst.severity),
        theme::icon(13.0),
        tokens.tone(tone(worst.severity)),
    );
    let response = ui.interact(sign, ui.scope_id().with(("mark", line)), Sense::hover());
    crate::describe(&response, egui::Role::Label, &worst.message);
    response.on_hover_ui(|ui| {
        for mark in marks.iter().take(MAX_MESSAGE_ROWS) {
            let text = format!("{}: {}", upper_first(mark.severity.as_str()), mark.message);
            let (font, tokens) = (theme::regular(theme::LABEL), place.tokens);
            ui.label(sentence(&text, font, tokens.text, tokens.text_strong, 400.0));
        }
    });
}

/// Paints the message for a place, in the space below its line.
pub(crate) fn message_ui(
    ui: &Ui,
    place: &MarginLayout,
    top: f32,
    height: f32,
    message: &str,
    severity: Option<Severity>,
) {
    let tokens = place.tokens;
    let tone = severity.map_or(Tone::Plain, tone);
    let band = Rect::from_min_size(pos2(place.left, top), vec2(place.width, height));
    ui.painter().rect_filled(band, 0.0, tokens.tint_of(tone));
    let galley =
        message_galley(ui, message, place.width - GUTTER_WIDTH - theme::PADDING, tokens.tone(tone));
    let at =
        pos2(place.left + GUTTER_WIDTH, top + ((height - galley.size().y) / 2.0 - 2.0).max(0.0));
    ui.painter().with_clip_rect(band.intersect(place.clip)).galley(at, galley, tokens.tone(tone));
}

fn message_galley(ui: &Ui, message: &str, width: f32, color: Color32) -> Arc<Galley> {
    // In a very narrow window words still fit into a row; the rest is clipped.
    let job = sentence(message, theme::regular(theme::ROW), color, color, width.max(80.0));
    ui.painter().layout_job(job)
}

/// Returns how many rows a message needs.
pub(crate) fn message_rows(ui: &Ui, message: &str, width: f32) -> usize {
    let height = message_galley(ui, message, width, Color32::PLACEHOLDER).size().y;
    // A longer message would push the text out of view; the list of problems has all of it.
    (((height + 4.0) / TEXT_LINE).ceil() as usize).clamp(1, MAX_MESSAGE_ROWS)
}

/// Returns the background colour of a line that has problems or the focus.
pub(crate) fn band_color(
    tokens: &Tokens,
    marks: &[ProblemMark],
    focus: Option<Span>,
) -> Option<Color32> {
    let worst = marks.iter().map(|mark| mark.severity).max();
    match worst {
        Some(worst) if focus.is_some() || worst > Severity::Note => {
            Some(tokens.tint_of(tone(worst)))
        }
        _ => focus.map(|_| tokens.selected),
    }
}

/// Returns the colour of the frame around the focus.
pub(crate) fn frame_color(tokens: &Tokens, marks: &[ProblemMark]) -> Color32 {
    tokens.tone(marks.iter().map(|mark| mark.severity).max().map_or(Tone::Accent, tone))
}

/// Returns the frame around the characters from `left` to `right`, or a stroke if there are none.
pub(crate) fn frame(left: f32, right: f32, top: f32) -> Rect {
    let right = right.max(left + 2.0);
    Rect::from_x_y_ranges(left - 1.0..=right + 1.0, top + 2.0..=top + TEXT_LINE - 2.0)
}
