//! Incremental text layout, line by line: a change lays out only the lines that it touches, and a line is drawn only
//! when it is close to the visible part.

use std::ops::Range;
use std::sync::Arc;

use egui::epaint::text::RowVisuals;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Color32, Galley, Rect, Ui};

use super::editor_data::Colour;
use crate::code::piece_color;
use crate::theme::{self, TEXT_LINE, Tokens, tokens};
use document::text::TextEdit;

/// Space below a line for its message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap {
    /// The line, from 0.
    pub(super) line: usize,
    /// Height in points.
    pub(super) height: f32,
}

/// The layout of a text for egui. It stays valid while fonts, scale and colours stay the same.
pub(super) struct TextLayout {
    colours: Vec<Colour>,
    /// The source of `colours`; the colours are compared only if this changed.
    source_colours: Arc<Vec<Colour>>,
    gap: Option<Gap>,
    lines: Vec<LineLayout>,
    pub(super) whole: Arc<Galley>,
    tokens: &'static Tokens,
    /// A text that egui lays out again when the fonts change; if it changed, the whole layout is outdated.
    probe: Arc<Galley>,
}

/// One line of the text.
#[derive(Clone)]
struct LineLayout {
    galley: Arc<Galley>,
    detail: LineDetail,
}

/// Completeness of the layout of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineDetail {
    /// Only the character positions, for the caret; nothing is visible.
    Sketched,
    /// Everything.
    Drawn,
}

/// Number of lines beyond the visible part that are drawn, so that scrolling a little draws nothing.
const MARGIN_LINES: usize = 60;

impl TextLayout {
    /// Lays out a text.
    pub(super) fn new(ui: &Ui, text: &str, colours: &Arc<Vec<Colour>>, gap: Option<Gap>) -> Self {
        let mut layout = Self {
            colours: colours.to_vec(),
            source_colours: colours.clone(),
            gap,
            lines: Vec::new(),
            // A placeholder until `join` below, since a galley has no empty value.
            whole: probe_galley(ui),
            tokens: tokens(ui),
            probe: probe_galley(ui),
        };
        layout.lines = layout.layout_lines(ui, text, 0..text.len());
        layout.join(ui, text);
        layout
    }

    /// Draws the lines from `top` to `bottom`, in points from the top of the text, and some lines around them.
    pub(super) fn draw(&mut self, ui: &Ui, top: f32, bottom: f32) {
        let rows = &self.whole.rows;
        let first = rows.partition_point(|row| row.pos.y + TEXT_LINE < top);
        let last = rows.partition_point(|row| row.pos.y < bottom);
        let is_drawn = |line: &LineLayout| line.detail == LineDetail::Drawn;
        if self.lines[first.min(last)..last].iter().all(is_drawn) {
            return;
        }
        let (first, last) = (first.saturating_sub(MARGIN_LINES), last + MARGIN_LINES);
        let galley = self.whole.clone();
        let text = galley.text();
        let mut start = 0;
        let lines = text.split('\n').zip(&mut self.lines).enumerate();
        for (index, (content, line)) in lines.take(last) {
            let range = start..start + content.len();
            start = range.end + 1;
            if index >= first && line.detail == LineDetail::Sketched {
                let colours = colours_within(&self.colours, &range);
                *line = LineLayout::draw(ui, self.tokens, content, range, colours);
            }
        }
        self.join(ui, text);
    }

    /// Updates the text and its colours. Costs nothing if nothing changed.
    pub(super) fn update(
        &mut self,
        ui: &Ui,
        text: &str,
        colours: &Arc<Vec<Colour>>,
        gap: Option<Gap>,
    ) {
        let fits = Arc::ptr_eq(&self.probe, &probe_galley(ui)) && self.tokens == tokens(ui);
        if !fits {
            *self = Self::new(ui, text, colours, gap);
            return;
        }
        self.galley(ui, text);
        if !Arc::ptr_eq(&self.source_colours, colours) {
            self.source_colours = colours.clone();
            self.recolour(ui, text, colours);
        }
        if self.gap != gap {
            self.gap = gap;
            self.join(ui, text);
        }
    }

    /// Returns the layout of the current text. Lays out the changed lines and moves the colours with the text.
    pub(super) fn galley(&mut self, ui: &Ui, text: &str) -> Arc<Galley> {
        let Some(edit) = TextEdit::between(self.whole.text(), text) else {
            return self.whole.clone();
        };
        let old = self.whole.text();
        let first = line_ends(&old[..edit.range.start]);
        // The lines touched by an edit are one more than the line ends in it.
        let old_lines = first..first + line_ends(&old[edit.range.clone()]) + 1;
        for colour in &mut self.colours {
            *colour = colour.after_edit(&edit);
        }
        let new_range = edit.range.start..edit.range.start + edit.new.len();
        let new_lines = self.layout_lines(ui, text, whole_lines(text, new_range));
        self.lines.splice(old_lines, new_lines);
        self.join(ui, text);
        self.whole.clone()
    }

    fn recolour(&mut self, ui: &Ui, text: &str, colours: &[Colour]) {
        if self.colours == colours {
            return;
        }
        let old = std::mem::replace(&mut self.colours, colours.to_vec());
        let mut start = 0;
        for (content, layout) in text.split('\n').zip(&mut self.lines) {
            let range = start..start + content.len();
            start = range.end + 1;
            let new = colours_within(colours, &range);
            // Sketched lines have no colours yet and get the new ones when they are drawn.
            if layout.detail == LineDetail::Drawn && colours_within(&old, &range) != new {
                *layout = LineLayout::draw(ui, self.tokens, content, range, new);
            }
        }
        self.join(ui, text);
    }

    /// Lays out whole lines: a few are drawn, because typing changes few lines; otherwise they are only sketched.
    fn layout_lines(&self, ui: &Ui, text: &str, lines: Range<usize>) -> Vec<LineLayout> {
        // Pasting or opening many lines must not draw all of them at once.
        let draws = line_ends(&text[lines.clone()]) < MARGIN_LINES;
        let mut start = lines.start;
        let mut layout = Vec::new();
        for content in text[lines].split('\n') {
            let range = start..start + content.len();
            start = range.end + 1;
            let colours = colours_within(&self.colours, &range);
            layout.push(if draws {
                LineLayout::draw(ui, self.tokens, content, range, colours)
            } else {
                LineLayout::sketch(&self.probe, content)
            });
        }
        layout
    }

    /// Joins the lines into one galley.
    fn join(&mut self, ui: &Ui, text: &str) {
        let mut job = LayoutJob::single_section(text.to_owned(), format(self.tokens.text));
        job.wrap = TextWrapping::no_max_width();
        let scale = ui.ctx().pixels_per_point();
        let lines: Vec<Arc<Galley>> = self.lines.iter().map(|line| line.galley.clone()).collect();
        let mut galley = Galley::concat(Arc::new(job), &lines, scale);
        if let Some(gap) = self.gap {
            for row in galley.rows.iter_mut().skip(gap.line + 1) {
                row.pos.y += gap.height;
            }
            galley.rect.max.y += gap.height;
            galley.mesh_bounds.max.y += gap.height;
        }
        self.whole = Arc::new(galley);
    }
}

fn probe_galley(ui: &Ui) -> Arc<Galley> {
    let job = LayoutJob::single_section("0".to_owned(), format(Color32::PLACEHOLDER));
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

fn format(color: Color32) -> TextFormat {
    TextFormat {
        line_height: Some(TEXT_LINE),
        ..TextFormat::simple(theme::mono(theme::ROW), color)
    }
}

impl LineLayout {
    /// Lays out a line completely.
    fn draw(ui: &Ui, tokens: &Tokens, text: &str, range: Range<usize>, colours: &[Colour]) -> Self {
        let mut job = LayoutJob {
            break_on_newline: false,
            keep_trailing_whitespace: true,
            wrap: TextWrapping::no_max_width(),
            ..LayoutJob::default()
        };
        let mut at = 0;
        for colour in colours {
            let start = colour.start.max(range.start) - range.start;
            let end = colour.end.min(range.end) - range.start;
            let (Some(gap_text), Some(piece)) = (text.get(at..start), text.get(start..end)) else {
                continue;
            };
            job.append(gap_text, 0.0, format(tokens.text));
            job.append(piece, 0.0, format(piece_color(colour.piece, tokens)));
            at = end;
        }
        let rest = text.get(at..).unwrap_or_default();
        // egui gives a job without sections no height.
        if !rest.is_empty() || job.is_empty() {
            job.append(rest, 0.0, format(tokens.text));
        }
        Self { galley: ui.fonts_mut(|fonts| fonts.layout_job(job)), detail: LineDetail::Drawn }
    }

    /// Computes the character positions of a line, assuming that all characters are as wide as that of the witness.
    fn sketch(witness: &Arc<Galley>, text: &str) -> Self {
        let mut galley = Galley::clone(witness);
        if let Some(placed_row) = galley.rows.first_mut()
            && let Some(zero) = placed_row.row.glyphs.first().copied()
        {
            let row = Arc::make_mut(&mut placed_row.row);
            let mut x = 0.0;
            let glyphs = text.chars().map(|chr| {
                // As wide as egui draws a tab.
                let columns = if chr == '\t' { 4.0 } else { 1.0 };
                let mut glyph = zero;
                glyph.chr = chr;
                glyph.pos.x = x;
                glyph.advance_width *= columns;
                x += glyph.advance_width;
                glyph
            });
            row.glyphs = glyphs.collect();
            row.size.x = x;
            row.visuals = RowVisuals::default();
            galley.rect.max.x = x;
        }
        galley.mesh_bounds = Rect::NOTHING;
        (galley.num_vertices, galley.num_indices) = (0, 0);
        Self { galley: Arc::new(galley), detail: LineDetail::Sketched }
    }
}

/// Returns the colours that overlap a range.
fn colours_within<'a>(colours: &'a [Colour], range: &Range<usize>) -> &'a [Colour] {
    let from = colours.partition_point(|colour| colour.end <= range.start);
    let to = colours.partition_point(|colour| colour.start < range.end);
    &colours[from..to.max(from)]
}

/// Extends the range to the boundaries of its lines.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[range.end..].find('\n');
    start..end.map_or(text.len(), |end| range.end + end)
}

fn line_ends(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use egui_kittest::Harness;

    use super::*;
    use crate::code::SyntaxPiece;

    /// Lays out a text, changes it step by step, and returns whether the outcome equals a complete layout.
    fn follows(texts: &[&str]) {
        let layouts = RefCell::new(Vec::new());
        let mut harness = Harness::new_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let gap = Some(Gap { line: 1, height: 40.0 });
            let no_colours = Arc::new(Vec::new());
            let mut layout = TextLayout::new(ui, texts[0], &no_colours, None);
            for text in texts {
                layout.galley(ui, text);
                let length = text.len().min(3);
                let colours =
                    Arc::new(vec![Colour { start: 0, end: length, piece: SyntaxPiece::Key }]);
                layout.update(ui, text, &colours, gap);
                let mut complete = TextLayout::new(ui, text, &colours, gap);
                for layout in [&mut layout, &mut complete] {
                    layout.draw(ui, 0.0, 1e6);
                }
                layouts.borrow_mut().push((layout.whole.clone(), complete.whole));
            }
        });
        harness.run();
        for (layout, complete) in layouts.take() {
            assert_eq!(layout, complete, "{:?}", layout.text());
        }
    }

    #[test]
    fn an_incremental_layout_equals_a_complete_one() {
        follows(&["a\nbb\nc", "a\nbxb\nc", "a\n\n\nc", "ac", "", "\n", "a\nb\n"]);
        follows(&["one\ntwo\nthree\n", "one\nthree\n", "one\ntwo\nthree\n"]);
    }

    #[test]
    fn a_sketched_line_has_its_characters_where_they_are_drawn_later() {
        let mut harness = Harness::new_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let text = format!("  \"{}\": 1,\n\tx\n\n", "key -> ".repeat(30)).repeat(200);
            let mut layout = TextLayout::new(ui, &text, &Arc::default(), None);
            let sketch = layout.whole.clone();
            layout.draw(ui, 0.0, 100.0);
            let drawn_lines = layout.lines.iter().filter(|line| line.detail == LineDetail::Drawn);
            assert!((MARGIN_LINES..MARGIN_LINES + 10).contains(&drawn_lines.count()));
            layout.draw(ui, 0.0, 1e6);
            for (sketch, drawn_row) in sketch.rows.iter().zip(&layout.whole.rows) {
                assert_eq!(sketch.pos, drawn_row.pos);
                assert_eq!(sketch.glyphs.len(), drawn_row.glyphs.len());
                assert!((sketch.size - drawn_row.size).length() < 1.0, "{}", drawn_row.text());
                let x = |row: &egui::epaint::text::PlacedRow| {
                    row.glyphs.last().map(|glyph| glyph.pos.x)
                };
                let distance = x(sketch).unwrap_or_default() - x(drawn_row).unwrap_or_default();
                assert!(distance.abs() < 1.0, "{}", drawn_row.text());
            }
        });
        harness.run();
    }

    #[test]
    fn the_gap_below_a_line_moves_the_following_lines() {
        let mut harness = Harness::new_ui(|ui| {
            theme::install(ui.ctx(), protocol::Theme::Dark);
            let gap = Gap { line: 0, height: 40.0 };
            let layout = TextLayout::new(ui, "a\nb\nc", &Arc::default(), Some(gap));
            let tops: Vec<f32> = layout.whole.rows.iter().map(|row| row.pos.y).collect();
            assert_eq!(tops, [0.0, 60.0, 80.0]);
        });
        harness.run();
    }
}
