//! Tags, counts and statuses: always an icon and a word; colour is only an addition.

use egui::{Color32, Pos2, Rect, Response, Role, Sense, StrokeKind, Ui, pos2, vec2};

use super::styled_text::{self, StyledText};
use crate::icons;
use crate::theme::{self, Tone, tokens};
use calls::ItemStatus;
use document::Severity;
use play::playback::ResultStatus;

/// Returns the icon and the tone of the outcome of a playback.
pub fn outcome_style(status: ResultStatus) -> (&'static str, Tone) {
    match status {
        ResultStatus::Good => (icons::CIRCLE_CHECK, Tone::Good),
        ResultStatus::Doubtful => (icons::TRIANGLE_ALERT, Tone::Warning),
        ResultStatus::Bad => (icons::CIRCLE_X, Tone::Error),
    }
}

/// Returns the icon and the tone of a status. Good statuses are plain, so that a healthy folder has few colours.
pub fn status_look(status: ItemStatus) -> (&'static str, Tone) {
    match status {
        ItemStatus::Fresh => (icons::CIRCLE_CHECK, Tone::Good),
        ItemStatus::Stale | ItemStatus::StaleBreaks => (icons::CLOCK_ALERT, Tone::Warning),
        ItemStatus::Unstamped => (icons::CIRCLE_DASHED, Tone::Plain),
        ItemStatus::LineEnds => (icons::WRAP_TEXT, Tone::Note),
        ItemStatus::Renamed => (icons::FILE_SYMLINK, Tone::Note),
        ItemStatus::SourceGone => (icons::FILE_X, Tone::Warning),
        ItemStatus::Outside => (icons::SHIELD_BAN, Tone::Error),
        ItemStatus::Problems => (icons::TRIANGLE_ALERT, Tone::Warning),
        ItemStatus::Unreadable => (icons::OCTAGON_X, Tone::Error),
        ItemStatus::Incomplete => (icons::CIRCLE_MINUS, Tone::Error),
        ItemStatus::Failed => (icons::CIRCLE_X, Tone::Error),
        ItemStatus::Pending => (icons::HOURGLASS, Tone::Note),
        ItemStatus::Ok => (icons::CHECK, Tone::Plain),
        ItemStatus::Foreign => (icons::FILE, Tone::Plain),
    }
}

/// Returns the tone of a severity.
pub fn severity_tone(severity: Severity) -> Tone {
    match severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Note => Tone::Note,
    }
}

/// Adds a word on the tint of its tone, with its icon.
pub fn tag(ui: &mut Ui, icon: &str, text: &str, tone: Tone) -> Response {
    let tokens = tokens(ui);
    let color = tokens.tone(tone);
    let icon_width = if icon.is_empty() { 0.0 } else { theme::ICON_TAG + 5.0 };
    let extra_width = 12.0 + icon_width;
    let (font, room) = (theme::regular(theme::LABEL), ui.available_width() - extra_width);
    let label = styled_text::line(ui, text, font, color, room);
    let size = vec2((extra_width + label.size().x).ceil(), theme::TAG);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    crate::describe(&response, Role::Label, text);
    let painter = ui.painter();
    painter.rect_filled(rect, theme::RADIUS_TAG, tokens.tint_of(tone));
    let middle = rect.center().y;
    if !icon.is_empty() {
        let center = pos2(rect.left() + 6.0 + theme::ICON_TAG / 2.0, middle);
        styled_text::paint_icon(painter, center, icon, theme::ICON_TAG, color);
    }
    styled_text::paint_line(painter, pos2(rect.left() + 6.0 + icon_width, middle), label);
    response
}

/// Adds a tag that is a button. `name` is its name for screen readers.
pub fn tag_button(ui: &mut Ui, icon: &str, text: &str, tone: Tone, name: &str) -> Response {
    let tag = tag(ui, icon, text, tone);
    let response = ui.interact(tag.rect, tag.id.with("click"), Sense::click());
    crate::describe(&response, Role::Button, name);
    crate::focus_ring(ui, &response, theme::RADIUS_TAG);
    response
}

/// Adds words in a frame, with an icon if it is not empty. `name` is their name for screen readers.
pub fn framed_tag(
    ui: &mut Ui,
    (icon, icon_color): (&str, Color32),
    words: StyledText,
    name: &str,
    (fill, stroke): (Color32, Color32),
) {
    let icon_width = if icon.is_empty() { 0.0 } else { theme::ICON_TAG + theme::ICON_GAP };
    let line = words.galley(ui, ui.max_rect().width() - icon_width - 16.0);
    // Whole points, so that the frames are sharp.
    let size = vec2((line.size().x + icon_width + 16.0).ceil(), 24.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    crate::describe(&response, Role::Label, name);
    let painter = ui.painter();
    painter.rect(rect, theme::RADIUS_CONTROL, fill, (1.0, stroke), StrokeKind::Inside);
    let (left, middle) = (rect.left() + 8.0, rect.center().y);
    let center = pos2(left + theme::ICON_TAG / 2.0, middle);
    styled_text::paint_icon(painter, center, icon, theme::ICON_TAG, icon_color);
    styled_text::paint_line(painter, pos2(left + icon_width, middle), line);
}

/// Paints the number of a step in a circle; a step that is reached has a check mark in its place.
pub fn step_badge(ui: &Ui, center: Pos2, number: usize, is_reached: bool) {
    let (tokens, painter) = (tokens(ui), ui.painter());
    if is_reached {
        painter.circle_filled(center, 9.0, tokens.fill);
        styled_text::paint_icon(painter, center, icons::CHECK, theme::ICON_TAG, tokens.on_fill);
        return;
    }
    painter.circle_stroke(center, 9.0, (1.0, tokens.line));
    let font = theme::regular(theme::SMALL);
    let line = styled_text::line(ui, &number.to_string(), font, tokens.muted, 18.0);
    styled_text::paint_line(painter, pos2(center.x - line.size().x / 2.0, center.y), line);
}

/// Adds a status as a tag.
pub fn status_tag(ui: &mut Ui, status: ItemStatus) -> Response {
    let (icon, tone) = status_look(status);
    tag(ui, icon, status.label(), tone)
}

/// Paints an icon and a word from the left edge of `rect`, vertically centered. Returns where the word ends.
pub fn paint_icon_word(ui: &Ui, rect: Rect, icon: (&str, Color32), word: (&str, Color32)) -> f32 {
    let middle = rect.center().y;
    let center = pos2(rect.left() + theme::ICON / 2.0, middle);
    // An icon is not shortened as a text is, and would be painted over the next cell.
    let painter = ui.painter().with_clip_rect(ui.clip_rect().intersect(rect));
    styled_text::paint_icon(&painter, center, icon.0, theme::ICON, icon.1);
    let left = rect.left() + theme::ICON + theme::ICON_GAP;
    let label =
        styled_text::line(ui, word.0, theme::regular(theme::ROW), word.1, rect.right() - left);
    let end = left + label.size().x;
    styled_text::paint_line(&painter, pos2(left, middle), label);
    end
}
