//! Tags, counts and statuses: always an icon and a word; colour is only an addition.

use egui::{Color32, Rect, Response, Role, Sense, Ui, pos2, vec2};

use super::styled_text;
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
