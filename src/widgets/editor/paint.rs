//! Paints the background of the lines on screen, and the margin beside them.

use std::ops::Range;

use egui::layers::ShapeIdx;
use egui::text::CharIndex;
use egui::{Galley, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

use super::editor_data::EditorData;
use super::state::EditorState;
use super::text_layout::Gap;
use crate::code::margin::{self, GUTTER_WIDTH, MarginLayout};
use crate::theme::TEXT_LINE;
use document::text::{HiddenKind, Span};

/// Shapes reserved behind the text, because their content is known only after the text was painted.
pub(super) struct BackgroundShapes {
    bands: (Painter, ShapeIdx),
    tints: (Painter, ShapeIdx),
}

impl BackgroundShapes {
    pub(super) fn new(ui: &Ui, place: &MarginLayout) -> Self {
        let room = |clip| {
            let painter = ui.painter().with_clip_rect(clip);
            let index = painter.add(Shape::Noop);
            (painter, index)
        };
        Self { bands: room(place.clip), tints: room(text_clip(place)) }
    }

    fn set(self, bands: Vec<Shape>, tints: Vec<Shape>) {
        self.bands.0.set(self.bands.1, bands);
        self.tints.0.set(self.tints.1, tints);
    }
}

/// Returns the area in which the text is painted, without the line numbers.
pub(super) fn text_clip(place: &MarginLayout) -> Rect {
    place.clip.with_min_x(place.left + GUTTER_WIDTH - 4.0)
}

/// A painted text, and its selection while it has the focus.
pub(super) struct Painted<'a> {
    pub(super) text: &'a str,
    pub(super) galley: &'a Galley,
    pub(super) at: Pos2,
    pub(super) selected: Option<Range<usize>>,
    /// The line of the caret.
    pub(super) caret: Option<usize>,
}

/// A line on screen.
struct VisibleLine {
    index: usize,
    top: f32,
    /// Its bytes in the text, without the line end.
    range: Range<usize>,
}

impl Painted<'_> {
    /// Returns the lines on screen, in order.
    fn lines(&self, clip: Rect) -> Vec<VisibleLine> {
        let rows = &self.galley.rows;
        let first = rows.partition_point(|row| self.at.y + row.pos.y + TEXT_LINE < clip.top());
        // Lines do not wrap: the rows of the galley are the lines of the text.
        let ends = memchr::memchr_iter(b'\n', self.text.as_bytes());
        let mut start = match first.checked_sub(1) {
            Some(n) => ends.clone().nth(n).map_or(self.text.len(), |end| end + 1),
            None => 0,
        };
        let mut lines = Vec::new();
        let rest = self.text[start..].split('\n');
        for ((index, row), content) in rows.iter().enumerate().skip(first).zip(rest) {
            let top = self.at.y + row.pos.y;
            if top > clip.bottom() {
                break;
            }
            let range = start..start + content.len();
            start = range.end + 1;
            lines.push(VisibleLine { index, top, range });
        }
        lines
    }

    /// Returns the horizontal screen position of byte `at` of a line.
    fn x(&self, line: &VisibleLine, at: usize) -> f32 {
        let at = self.text.floor_char_boundary(at.clamp(line.range.start, line.range.end));
        let column = self.text[line.range.start..at].chars().count();
        let row = self.galley.rows.get(line.index);
        self.at.x + row.map_or(0.0, |row| row.x_offset(CharIndex(column)))
    }

    /// Returns the rectangle of bytes in their line, also outside the screen.
    pub(super) fn rect(&self, range: &Range<usize>) -> Rect {
        let at = |byte| super::buffer::caret_at(self.text, byte);
        let start = self.galley.pos_from_cursor(at(range.start));
        let end = self.galley.pos_from_cursor(at(range.end));
        start.union(end).translate(self.at.to_vec2())
    }
}

/// Returns whether a place overlaps a line.
fn overlaps(place: &Range<usize>, line: &Range<usize>) -> bool {
    // A place that ends at the beginning of a line does not cover that line; an empty one covers its line.
    let last = place.end.saturating_sub(1).max(place.start);
    place.start <= line.end && line.start <= last
}

fn is_within(place: &Range<usize>, line: &Range<usize>) -> bool {
    line.start <= place.start && place.end <= line.end
}

/// Paints the background of the lines on screen, and the margin beside them.
pub(super) fn lines_ui(
    ui: &mut Ui,
    place: &MarginLayout,
    data: &EditorData,
    state: &EditorState,
    painting: &Painted<'_>,
    background: BackgroundShapes,
) {
    let tokens = place.tokens;
    let (mut bands, mut tints) = (Vec::new(), Vec::new());
    let highlighted_range =
        state.highlighted_place.as_ref().map(|highlighted_range| &highlighted_range.range);
    for line in painting.lines(place.clip) {
        let marks = data.code.marks_in(line.index);
        let highlighted_range =
            highlighted_range.filter(|highlighted_range| overlaps(highlighted_range, &line.range));
        let band = Rect::from_min_size(pos2(place.left, line.top), vec2(place.width, TEXT_LINE));
        let caret_color = (painting.caret == Some(line.index)).then_some(tokens.hover);
        let focus = highlighted_range.map(|place| Span::new(place.start, place.end));
        if let Some(color) = margin::band_color(tokens, marks, focus).or(caret_color) {
            bands.push(Shape::rect_filled(band, 0.0, color));
        }
        tint_matches(painting, &line, state, tokens, &mut tints);
        // A place that spans several lines is highlighted as a whole.
        if let Some(highlighted_range) =
            highlighted_range.filter(|highlighted_range| is_within(highlighted_range, &line.range))
        {
            let (left, right) = (
                painting.x(&line, highlighted_range.start),
                painting.x(&line, highlighted_range.end),
            );
            let frame = margin::frame(left, right, line.top);
            let stroke = Stroke::new(1.0, margin::frame_color(tokens, marks));
            tints.push(Shape::rect_stroke(frame, 2.0, stroke, StrokeKind::Middle));
        }
        hidden_ui(ui, place, painting, &line);
        margin::gutter_ui(ui, place, band, line.index, marks);
    }
    background.set(bands, tints);
}

/// Highlights the matches in a line, with a frame around the selected match.
fn tint_matches(
    painting: &Painted<'_>,
    line: &VisibleLine,
    state: &EditorState,
    tokens: &crate::theme::Tokens,
    tints: &mut Vec<Shape>,
) {
    let matches = state.find.matches();
    let from = matches.partition_point(|range| range.end <= line.range.start);
    let matches = matches[from..].iter();
    for range in matches.take_while(|range| range.start < line.range.end) {
        let (left, right) = (painting.x(line, range.start), painting.x(line, range.end));
        let rect = margin::frame(left, right, line.top);
        tints.push(Shape::rect_filled(rect, 2.0, tokens.selected));
        if painting.selected.as_ref() == Some(range) {
            let stroke = Stroke::new(1.0, tokens.accent);
            tints.push(Shape::rect_stroke(rect, 2.0, stroke, StrokeKind::Middle));
        }
    }
}

/// Marks invisible characters of a line.
fn hidden_ui(ui: &mut Ui, place: &MarginLayout, painting: &Painted<'_>, line: &VisibleLine) {
    let Some(row) = painting.galley.rows.get(line.index) else { return };
    let clip = text_clip(place);
    for (column, glyph) in row.glyphs.iter().enumerate() {
        let Some(kind) = HiddenKind::classify(glyph.chr) else { continue };
        let left = painting.at.x + glyph.pos.x;
        if !clip.x_range().contains(left) {
            continue;
        }
        let bar = Rect::from_min_size(pos2(left - 1.0, line.top + 3.0), vec2(2.0, TEXT_LINE - 6.0));
        ui.painter().with_clip_rect(clip).rect_filled(bar, 1.0, place.tokens.warning);
        let id = ui.scope_id().with(("hidden", line.index, column));
        // Two points are too narrow to be hit by the pointer.
        let response = ui.interact(bar.expand(3.0), id, Sense::hover());
        response.on_hover_text(format!("U+{:04X}, {}", u32::from(glyph.chr), kind.name()));
    }
}

/// Paints the message of the place that is shown, in the gap below its line.
pub(super) fn message_ui(
    ui: &Ui,
    place: &MarginLayout,
    state: &EditorState,
    painting: &Painted<'_>,
    gap: Option<Gap>,
) {
    let highlighted_place = state.highlighted_place.as_ref();
    let message = highlighted_place.and_then(|highlighted_place| {
        Some((highlighted_place.message.as_deref()?, highlighted_place.severity))
    });
    if let (Some((message, severity)), Some(gap)) = (message, gap)
        && let Some(row) = painting.galley.rows.get(gap.line)
    {
        let top = painting.at.y + row.pos.y + TEXT_LINE;
        margin::message_ui(ui, place, top, gap.height, message, severity);
    }
}
