//! Text of one or a few lines that is truncated if it does not fit, and vertically centered icons and lines.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{
    Align, Color32, Context, FontId, Galley, Id, LayerId, Painter, Pos2, Rect, Response, Sense, Ui,
    UiBuilder, pos2,
};

use crate::theme::{self, TextRole};

/// Maximum characters of a line. Text in files may be far longer, and its layout would be slow.
const MAX_LINE_CHARS: usize = 600;

/// One line of text in several fonts and colours; more lines with [`wrapped`](Self::wrapped).
#[must_use]
#[derive(Clone, Default)]
pub struct StyledText {
    job: LayoutJob,
}

impl From<LayoutJob> for StyledText {
    fn from(job: LayoutJob) -> Self {
        Self { job }
    }
}

impl StyledText {
    /// Creates an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a text of up to `rows` lines.
    pub fn wrapped(mut job: LayoutJob, rows: usize) -> Self {
        job.wrap.max_rows = rows;
        Self { job }
    }

    /// Adds text.
    pub fn with(mut self, text: &str, font: FontId, color: Color32) -> Self {
        self.push(text, font, color);
        self
    }

    /// Creates a text in a role.
    pub fn of(text: &str, role: TextRole) -> Self {
        Self::new().add(text, role)
    }

    /// Adds text in a role.
    pub fn add(self, text: &str, (font, color): TextRole) -> Self {
        self.with(text, font, color)
    }

    /// Adds text in a role, after the gap between controls.
    pub fn with_gap(self, text: &str, (font, color): TextRole) -> Self {
        self.after(theme::GAP, text, font, color)
    }

    /// Adds text after some space.
    pub fn after(mut self, space: f32, text: &str, font: FontId, color: Color32) -> Self {
        // Cut before the layout, whose cost grows with the whole text and not with what is visible.
        self.job.append(truncate(text), space, format(font, color));
        self
    }

    /// Adds text.
    pub fn push(&mut self, text: &str, font: FontId, color: Color32) {
        self.job.append(truncate(text), 0.0, format(font, color));
    }

    /// Adds a sentence that was laid out with its marked words in the data font.
    pub fn sentence(mut self, sentence: LayoutJob) -> Self {
        for section in sentence.sections {
            let range = section.byte_range.start.0..section.byte_range.end.0;
            let format = TextFormat { valign: Align::Center, ..section.format };
            self.job.append(truncate(&sentence.text[range]), 0.0, format);
        }
        self
    }

    /// Lets the text wrap into up to `rows` lines.
    pub fn rows(mut self, rows: usize) -> Self {
        self.job.wrap.max_rows = rows;
        self
    }

    /// Lays out the text. It ends in `…` if it is wider than `max_width`.
    pub fn galley(mut self, ui: &Ui, max_width: f32) -> Arc<Galley> {
        // egui's default means that no one has chosen a number of rows.
        if self.job.wrap.max_rows == usize::MAX {
            self.job.break_on_newline = false;
            self.job.wrap = TextWrapping::truncate_at_width(0.0);
        }
        self.job.wrap.max_width = max_width.max(0.0);
        ui.painter().layout_job(self.job)
    }

    /// Lays out text in one font. What does not fit is left out in its middle, where names differ least; then the whole text is
    /// returned, too.
    pub(super) fn middle(self, ui: &Ui, max_width: f32) -> (Arc<Galley>, Option<String>) {
        let galley = self.clone().galley(ui, f32::INFINITY);
        let count = galley.text().chars().count();
        if galley.size().x <= max_width || count == 0 {
            return (galley, None);
        }
        // By the average width of a letter; the layout below cuts what is still too wide.
        let fit = (max_width / galley.size().x * count as f32) as usize;
        // One letter fewer at the end, for the ellipsis.
        let (start, end) = (fit / 2, fit.saturating_sub(1) / 2);
        let letters = galley.text().chars();
        let short_text: String = letters.clone().take(start).chain(['…']).collect();
        let short_text: String = short_text.chars().chain(letters.skip(count - end)).collect();
        let format =
            self.job.sections.into_iter().next().map(|section| section.format).unwrap_or_default();
        let mut job = LayoutJob::default();
        job.append(&short_text, 0.0, format);
        (Self { job }.galley(ui, max_width), Some(self.job.text))
    }

    /// Adds text in one font to the layout; what does not fit into `max_width` is left out in its middle.
    pub fn show_middle(self, ui: &mut Ui, max_width: f32) {
        let (galley, full_text) = self.middle(ui, max_width.min(ui.available_width()));
        let (rect, response) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
        let text = full_text.unwrap_or_else(|| galley.text().to_owned());
        crate::describe(&response, egui::Role::Label, &text);
        if text != galley.text() {
            response.on_hover_text(text);
        }
        ui.painter().galley(rect.min, galley, Color32::PLACEHOLDER);
    }

    /// Adds the line to the layout, truncated to the available width.
    pub fn show(self, ui: &mut Ui) -> Response {
        let galley = self.galley(ui, ui.available_width());
        let (rect, response) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
        crate::describe(&response, egui::Role::Label, in_words(&galley.job).trim());
        if galley.elided {
            remember_elided(ui.painter(), rect, &in_words(&galley.job));
        }
        ui.painter().galley(rect.min, galley, Color32::PLACEHOLDER);
        response
    }
}

fn format(font: FontId, color: Color32) -> TextFormat {
    TextFormat { font_id: font, color, valign: Align::Center, ..TextFormat::default() }
}

fn truncate(text: &str) -> &str {
    text.char_indices().nth(MAX_LINE_CHARS).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// Lays out one line in one font.
pub fn line(ui: &Ui, text: &str, font: FontId, color: Color32, max_width: f32) -> Arc<Galley> {
    StyledText::new().with(text, font, color).galley(ui, max_width)
}

/// Returns the height of what wraps below the first line of a text, in whole points: in a list whose rows end between two points, a
/// control at the edge of what is visible loses the focus.
pub fn height_below(ui: &Ui, text: StyledText, max_width: f32) -> f32 {
    let galley = text.galley(ui, max_width);
    (galley.size().y - row_height(&galley)).ceil()
}

/// Paints a line that begins at `left`, vertically centered on it; of more lines, the first one.
pub fn paint_line(painter: &Painter, left: Pos2, line: Arc<Galley>) {
    // Rounds down, not to the nearest, so that texts of odd and even height are aligned.
    let min = pos2(left.x, (left.y.floor() - row_height(&line) / 2.0).floor());
    if line.elided {
        remember_elided(painter, Rect::from_min_size(min, line.size()), &in_words(&line.job));
    }
    painter.galley(min, line, Color32::PLACEHOLDER);
}

/// Returns the text of a line, with a space where there is room between its parts.
fn in_words(job: &LayoutJob) -> String {
    let parts = job.sections.iter().enumerate().flat_map(|(at, section)| {
        let gap = if at > 0 && section.leading_space > 0.0 { " " } else { "" };
        [
            gap,
            job.text.get(section.byte_range.start.0..section.byte_range.end.0).unwrap_or_default(),
        ]
    });
    parts.collect()
}

/// A text that is not shown whole, with its place.
#[derive(Clone)]
struct ElidedText {
    layer: LayerId,
    place: Rect,
    whole: String,
}

/// Keeps a text that is not shown whole, if the pointer is over its place.
pub(super) fn remember_elided(painter: &Painter, place: Rect, text: &str) {
    let visible_rect = place.intersect(painter.clip_rect());
    let (context, layer) = (painter.ctx(), painter.layer_id());
    // Only the one under the pointer: a window has hundreds of cut texts.
    if context.rect_contains_pointer(layer, visible_rect) {
        let elided_text = ElidedText { layer, place: visible_rect, whole: text.to_owned() };
        context.data_mut(|data| data.insert_temp(elided_id(), elided_text));
    }
}

/// Returns the height of one line of a text.
pub(super) fn row_height(text: &Galley) -> f32 {
    text.size().y / text.rows.len().max(1) as f32
}

fn elided_id() -> Id {
    Id::unique("elided text under the pointer")
}

/// Returns the whole of the truncated text under the pointer, if it is in this place.
pub(super) fn take_elided(ctx: &Context, area: Rect) -> Option<String> {
    let elided_text = elided(ctx).filter(|elided_text| area.intersects(elided_text.place))?;
    // Taken, so that the tooltip is not shown a second time at the end of the frame.
    ctx.data_mut(|data| data.remove::<ElidedText>(elided_id()));
    Some(elided_text.whole)
}

fn elided(ctx: &Context) -> Option<ElidedText> {
    ctx.data(|data| data.get_temp(elided_id()))
}

/// Shows the whole of the truncated text under the pointer, unless a row has shown it. Called once per frame, after everything
/// was painted.
pub fn elided_tooltip_ui(ui: &Ui) {
    let Some(elided_text) = elided(ui.ctx()) else { return };
    ui.data_mut(|data| data.remove::<ElidedText>(elided_id()));
    let builder = UiBuilder::new().layer_id(elided_text.layer).max_rect(elided_text.place);
    let overlay_ui = Ui::new(ui.ctx().clone(), elided_id().with("layer"), builder);
    overlay_ui
        .interact(elided_text.place, elided_id(), Sense::hover())
        .on_hover_text(elided_text.whole);
}

/// Paints a line that ends at `right`, vertically centered on it.
pub fn paint_line_right(painter: &Painter, right: Pos2, line: Arc<Galley>) {
    paint_line(painter, pos2(right.x - line.size().x, right.y), line);
}

/// Paints an icon centered on a point.
pub fn paint_icon(painter: &Painter, center: Pos2, icon: &str, size: f32, color: Color32) {
    let line = painter.layout_no_wrap(icon.to_owned(), theme::icon(size), color);
    let rect = Rect::from_center_size(center, line.size());
    // On whole points, where the thin lines of icons are sharp.
    painter.galley(pos2(rect.left().round(), rect.top().round()), line, color);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_room_between_them_are_separate_words() {
        let (font, color) = (FontId::default(), Color32::WHITE);
        let line = StyledText::new()
            .with("close", font.clone(), color)
            .after(6.0, "“Sign-in ", font.clone(), color)
            .with("fails”", font, color);
        assert_eq!(in_words(&line.job), "close “Sign-in fails”");
    }
}
