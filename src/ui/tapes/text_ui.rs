//! Paints the text before and after the playhead.

use std::ops::Range;

use egui::epaint::RectShape;
use egui::text::{CCursor, LayoutJob, TextFormat};
use egui::{
    Align, Color32, Galley, Label, Pos2, Rangef, Rect, ScrollArea, Shape, Stroke, StrokeKind, Ui,
    pos2,
};

use super::tapes_data::Props;
use calls::tape::text::TapeText;
use document::text::{thousands, visible_lines};
use widgets::theme::{self, tokens};

/// Maximum number of chunks shown before and after the playhead, and maximum number of bytes of text.
const MAX_CHUNKS: usize = 400;
const MAX_BYTES: usize = 6000;
/// Placeholder for a chunk without text.
const EMPTY_PLACEHOLDER: &str = "empty";

/// State kept between frames.
#[derive(Debug)]
pub(super) struct TapeTextState {
    /// Whether the ends of chunks are marked.
    pub(super) borders: bool,
    /// The chunk that was last scrolled into view.
    followed: Option<usize>,
}

impl Default for TapeTextState {
    fn default() -> Self {
        Self { borders: true, followed: None }
    }
}

/// Draws the text around the last chunk that has arrived, which is scrolled into view when it changes.
pub(super) fn text_ui(ui: &mut Ui, props: Props<'_>, state: &mut TapeTextState) {
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        widgets::subtitle(ui, "Text at the playhead");
    });
    widgets::hair_line(ui);
    let chunk = props.desk.transport.chunk();
    let text = props.tape.text();
    let chunks = shown_chunks(text, chunk.unwrap_or_default());
    // Only when the chunk changes, so that the user can scroll meanwhile.
    let follows = state.followed != chunk;
    state.followed = chunk;
    ScrollArea::vertical().id_salt(("text", props.doc)).auto_shrink(false).show(ui, |ui| {
        widgets::padded(ui, |ui| {
            omitted_ui(ui, text.range(chunks.start).start, "bytes before");
            text_layout_ui(ui, props, &chunks, (state.borders, follows));
            let end = text.range(chunks.end.saturating_sub(1)).end;
            omitted_ui(ui, text.text().len() - end, "bytes after");
        });
    });
}

fn omitted_ui(ui: &mut Ui, bytes: usize, label: &str) {
    if bytes > 0 {
        widgets::small(ui, &format!("… {} {label}", thousands(bytes)));
    }
}

/// Returns the chunks to show: those around the playhead, so that the cost does not depend on the length of the text.
fn shown_chunks(text: &TapeText, chunk: usize) -> Range<usize> {
    let count = text.chunks();
    let middle = text.range(chunk).start;
    // Both limits are needed: chunks may be single letters, or whole documents.
    let is_far = |chunk: &usize| text.range(*chunk).start.abs_diff(middle) > MAX_BYTES;
    let min = chunk.saturating_sub(MAX_CHUNKS);
    let first = (min..chunk).rev().find(is_far).map_or(min, |chunk| chunk + 1);
    let max_end = count.min(chunk + MAX_CHUNKS);
    let end = (chunk + 1..max_end).find(is_far).unwrap_or(max_end);
    // The chunk at the playhead is always among them, even if it is longer than the limit.
    first..end.max((chunk + 1).min(count))
}

fn text_layout_ui(
    ui: &mut Ui,
    props: Props<'_>,
    chunks: &Range<usize>,
    (borders, follows): (bool, bool),
) {
    let colors = tokens(ui);
    let transport = &props.desk.transport;
    let text_format = |color: Color32| TextFormat {
        line_height: Some(24.0),
        valign: Align::Center,
        ..TextFormat::simple(theme::mono(theme::LABEL), color)
    };
    let mut job = LayoutJob::default();
    job.wrap.max_width = ui.available_width();
    let mut ends = Vec::with_capacity(chunks.len());
    let (mut cursor, mut playhead_range) = (0, None);
    for chunk in chunks.clone() {
        let tape_text = props.tape.text();
        let text = tape_text.text().get(tape_text.range(chunk)).unwrap_or_default();
        let is_here = transport.chunk() == Some(chunk);
        let mut format =
            text_format(if chunk < transport.arrived { colors.text_strong } else { colors.muted });
        let is_empty = props.tape.chunks().get(chunk).is_some_and(|chunk| chunk.text.is_empty());
        let content = if is_empty && borders {
            EMPTY_PLACEHOLDER.to_owned()
        } else {
            visible_lines(&text[..text.ceil_char_boundary(MAX_BYTES)])
        };
        if is_empty {
            format = TextFormat {
                font_id: theme::regular(theme::SMALL),
                color: colors.warning,
                background: colors.warning_tint,
                ..format
            };
        }
        if is_here {
            playhead_range = Some(cursor..cursor + content.chars().count());
        }
        cursor += content.chars().count();
        job.append(&content, 0.0, format);
        ends.push((chunk, cursor));
    }
    // Without any text, egui gives the galley no row, and the border no place.
    if job.text.is_empty() {
        job.append(" ", 0.0, text_format(colors.muted));
    }
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    // A place before the text in the order of painting; what belongs there is known after the layout.
    let background_shape = ui.painter().add(Shape::Noop);
    let response = ui.add(Label::new(galley.clone()).selectable(true));
    let corner = response.rect.min;
    if follows && transport.chunk().is_none() {
        // Before the first chunk, the text is at its beginning.
        ui.scroll_to_rect(Rect::from_min_size(corner, egui::Vec2::ZERO).expand(24.0), None);
    }
    if let Some(playhead_range) = playhead_range {
        let tint = highlight(&galley, playhead_range, (colors.tint, colors.ring), corner);
        ui.painter().set(background_shape, tint);
    }
    for (chunk, cursor) in ends {
        let place = galley.pos_from_cursor(CCursor::new(cursor));
        let (x, y) = (corner.x + place.right(), place.center().y + corner.y);
        let is_here = transport.chunk() == Some(chunk);
        let (height, stroke) = if is_here {
            (9.0, Stroke::new(2.0, colors.ring))
        } else {
            (7.0, Stroke::new(1.0, colors.strong))
        };
        if borders || is_here {
            ui.painter().line_segment([pos2(x, y - height), pos2(x, y + height)], stroke);
        }
        if is_here && follows {
            ui.scroll_to_rect(place.translate(corner.to_vec2()).expand(24.0), None);
        }
    }
}

/// Returns the ground and the frame of these characters: as high around their middle on each row as the border at their end.
fn highlight(
    galley: &Galley,
    characters: Range<usize>,
    (ground, frame): (Color32, Color32),
    corner: Pos2,
) -> Shape {
    let [start, end] = [characters.start, characters.end].map(CCursor::new);
    let [start, end] = [start, end].map(|cursor| galley.layout_from_cursor(cursor));
    let [left, right] = [start, end].map(|cursor| galley.pos_from_layout_cursor(&cursor).left());
    let rows =
        galley.rows.iter().enumerate().filter(|(index, _)| (start.row..=end.row).contains(index));
    let shapes = rows.map(|(index, row)| {
        let row = row.rect();
        let left = if index == start.row { left } else { row.left() };
        let right = if index == end.row { right } else { row.right() };
        let y = Rangef::point(row.center().y).expand(9.0);
        let rect = Rect::from_x_y_ranges(left..=right, y).translate(corner.to_vec2());
        Shape::Rect(RectShape::new(rect, 2.0, ground, Stroke::new(1.0, frame), StrokeKind::Inside))
    });
    Shape::Vec(shapes.collect())
}
