//! Paints the table of chunks, which follows the playhead.

use egui::{Align, Layout, Rect, Response, ScrollArea, Sense, Ui, pos2, vec2};

use super::chunk_edit_ui::{ChunkDraft, delay_ui, is_editable_in_row, text_ui, tools_ui};
use super::data::{format_millis, format_seconds, one_line};
use super::tapes_ui::TapeProps;
use crate::format::tape::Chunk;
use crate::format::{Problem, Severity};
use crate::ops::tape::timing::{TapePace, lost_nanos};
use crate::text::counted;
use crate::text::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, RowSelection, StyledText};
use crate::workbench::{Action, DocId, TapesAction};

/// State of the table that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct ChunksState {
    /// The chunk that was last scrolled into view.
    followed: Option<(DocId, Option<usize>)>,
    /// The scroll offset of the last frame.
    offset: f32,
    draft: ChunkDraft,
}

/// Maximum number of bytes of a text that are checked for missing glyphs.
const MAX_NAMED: usize = 2000;
/// Width of a digit.
const DIGIT: f32 = 7.3;
/// Minimum distance between two columns of numbers.
const BETWEEN: f32 = 18.0;

/// Right edges of the columns, from the left edge of the table; the last column takes the remaining width.
#[derive(Clone, Copy)]
struct ChunkColumns {
    number: f32,
    delay: f32,
    at: f32,
    size: f32,
}

impl ChunkColumns {
    /// Returns columns wide enough for the largest numbers of the tape.
    fn for_tape(props: TapeProps<'_>) -> Self {
        let tape = props.tape;
        let wide = |text: &str, least: f32| (text.len() as f32 * DIGIT + BETWEEN).max(least);
        let longest = tape.stats().gaps.map_or(0.0, |gaps| gaps.longest_nanos);
        let longest = longest.max(tape.stats().first_nanos.unwrap_or_default());
        let tallest = tape.timeline(TapePace::Recorded).tallest() as usize;
        let number = wide(&thousands(tape.chunks().len()), 64.0);
        // The delay of the chunk at the playhead is in a field and often has a fraction.
        let delay = number + wide(&format_millis(longest.floor()), 84.0);
        let at = delay + wide(&format_seconds(tape.stats().total_nanos), 84.0);
        let size = at + wide(&thousands(tallest), 56.0);
        Self {
            number,
            delay,
            at,
            size,
        }
    }
}

/// Draws the table. A click moves the playhead to a chunk.
pub(super) fn chunks_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    state: &mut ChunksState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let chunks = props.tape.chunks().len();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let title = theme::semibold(theme::BODY);
        StyledText::new()
            .with("Chunks", title, colors.text_strong)
            .after(
                theme::GAP,
                &thousands(chunks),
                theme::regular(theme::ROW),
                colors.muted,
            )
            .show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            tools_ui(ui, props, &state.draft, actions);
        });
    });
    widgets::hair_line(ui);
    let columns = ChunkColumns::for_tape(props);
    heading_ui(ui, columns);
    if chunks == 0 {
        return no_chunks_ui(ui, props);
    }
    let at = props.desk.transport.chunk();
    let mut area = ScrollArea::vertical()
        .id_salt(("chunks", props.doc))
        .auto_shrink(false);
    let wanted = Some((props.doc, at));
    if state.followed != wanted {
        state.followed = wanted;
        let top = at.unwrap_or_default() as f32 * theme::ROW_HEIGHT;
        let height = ui.available_height();
        let is_seen = (state.offset..=state.offset + height - theme::ROW_HEIGHT).contains(&top);
        if !is_seen {
            area = area.vertical_scroll_offset((top - height / 3.0).max(0.0));
        }
    }
    let shown = area.show_rows(ui, theme::ROW_HEIGHT, chunks, |ui, rows| {
        for chunk in rows {
            if row_ui(ui, props, (columns, chunk), &mut state.draft, actions) {
                actions.push(Action::Tapes(TapesAction::GoTo(chunk + 1)));
            }
        }
    });
    state.offset = shown.state.clamped_offset().y;
}

/// Explains why there are no chunks.
fn no_chunks_ui(ui: &mut Ui, props: TapeProps<'_>) {
    let problems = props.library.get(props.doc).map(|item| &item.problems);
    let is_error = |problem: &&Problem| problem.severity == Severity::Error;
    let first = problems.and_then(|problems| problems.iter().find(is_error));
    match first {
        Some(problem) => widgets::empty_state(ui, &problem.message, None),
        None => widgets::empty_state(ui, "The stream has no chunks.", None),
    };
}

fn heading_ui(ui: &mut Ui, columns: ChunkColumns) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, tokens.panel);
    let font = theme::medium(theme::LABEL);
    let (left, middle) = (rect.left(), rect.center().y);
    for (words, right) in [
        ("Delay, ms", columns.delay),
        ("At, s", columns.at),
        ("Size", columns.size),
    ] {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 90.0);
        widgets::paint_line_right(ui.painter(), pos2(left + right, middle), line);
    }
    for (words, at) in [
        ("No.", theme::PADDING),
        ("Text", columns.size + theme::PADDING),
    ] {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 90.0);
        widgets::paint_line(ui.painter(), pos2(left + at, middle), line);
    }
    let hair = egui::Stroke::new(1.0, tokens.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

/// The texts of a row.
struct ChunkRow<'a> {
    index: usize,
    chunk: &'a Chunk,
    delay: String,
    at: String,
    /// Number of characters.
    size: usize,
    text: String,
    problem: Option<&'a Problem>,
}

impl<'a> ChunkRow<'a> {
    fn new(props: TapeProps<'a>, index: usize) -> Option<Self> {
        let chunk = props.tape.chunks().get(index)?;
        let pace = props.desk.transport.pace;
        Some(Self {
            index,
            chunk,
            delay: format_millis(pace.wait_nanos(chunk.delay_nanos)),
            at: format_seconds(props.tape.schedule(pace).arrival_nanos(index)),
            size: props.tape.timeline(TapePace::Recorded).chars(index),
            text: one_line(&chunk.text),
            problem: chunk_problem(props, index),
        })
    }

    /// Returns the name of the row for screen readers.
    fn accessible_name(&self) -> String {
        let (number, size) = (
            self.index + 1,
            counted(self.size, "character", "characters"),
        );
        let Self {
            delay, at, text, ..
        } = self;
        let name = format!("Chunk {number}, waits {delay} ms, at {at} s, {size}: {text}");
        match self.problem {
            Some(problem) => format!("{name}. {}", problem.message),
            None => name,
        }
    }
}

/// Draws a row; returns whether it was clicked. The delay and the text of the chunk at the playhead are fields.
fn row_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    (columns, index): (ChunkColumns, usize),
    draft: &mut ChunkDraft,
    actions: &mut Vec<Action>,
) -> bool {
    let Some(row) = ChunkRow::new(props, index) else {
        return false;
    };
    let transport = &props.desk.transport;
    let is_here = transport.chunk() == Some(index);
    let chosen = if is_here {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &row.accessible_name());
    let rect = response.rect;
    let is_edited = is_here && !transport.is_playing();
    numbers_ui(ui, props, rect, (columns, &row), is_edited);
    let left = rect.left() + columns.size + theme::PADDING;
    let cell = Rect::from_x_y_ranges(left..=rect.right() - 8.0, rect.y_range());
    if is_edited {
        actions.extend(fields_ui(ui, props, cell, (columns, &row), draft));
    } else {
        text_cell(ui, row.problem, cell, &row.text);
    }
    hover_ui(ui, response, &row).clicked()
}

/// Draws the numbers of a chunk in their columns; the delay is omitted where it is in a field.
fn numbers_ui(
    ui: &Ui,
    props: TapeProps<'_>,
    rect: Rect,
    (columns, row): (ChunkColumns, &ChunkRow<'_>),
    is_edited: bool,
) {
    let tokens = tokens(ui);
    let (left, middle) = (rect.left(), rect.center().y);
    let line = |words: &str, color, width| {
        widgets::line(ui, words, theme::mono(theme::LABEL), color, width)
    };
    let number = line(&thousands(row.index + 1), tokens.muted, columns.number);
    widgets::paint_line(ui.painter(), pos2(left + theme::PADDING, middle), number);
    let is_silence = row.chunk.delay_nanos >= props.desk.silence_nanos() && row.index > 0;
    let delay_color = if is_silence {
        tokens.warning
    } else {
        tokens.text_strong
    };
    let put = |words: &str, right: f32, color| {
        let at = pos2(left + right, middle);
        widgets::paint_line_right(ui.painter(), at, line(words, color, 160.0));
    };
    if !is_edited {
        put(&row.delay, columns.delay, delay_color);
    }
    put(&row.at, columns.at, tokens.text);
    put(&thousands(row.size), columns.size, tokens.text);
}

/// Draws the fields of the chunk at the playhead; returns the edit that was typed.
fn fields_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    cell: Rect,
    (columns, row): (ChunkColumns, &ChunkRow<'_>),
    draft: &mut ChunkDraft,
) -> Option<Action> {
    let left = cell.left() - columns.size - theme::PADDING;
    let field = Rect::from_x_y_ranges(
        left + columns.number + 4.0..=left + columns.delay + 9.0,
        cell.y_range(),
    );
    let delay = delay_ui(ui, field, props, row.index, row.chunk, draft);
    let text = if is_editable_in_row(row.chunk) {
        let field = cell.expand2(vec2(9.0, 0.0));
        text_ui(ui, field, row.index, row.chunk, draft)
    } else {
        text_cell(ui, row.problem, cell, &row.text);
        None
    };
    let cut = delay.or(text)?;
    Some(Action::Tapes(TapesAction::EditTape(cut)))
}

/// Adds a tooltip to a row: lost delay, problem, and characters without a glyph.
fn hover_ui(ui: &Ui, response: Response, row: &ChunkRow<'_>) -> Response {
    let lost = lost_nanos(row.chunk.delay_nanos);
    let response = if lost > 0.0 {
        response.on_hover_text(format!(
            "A player that waits whole milliseconds drops {} ms of this delay",
            format_millis(lost)
        ))
    } else {
        response
    };
    let response = match row.problem {
        Some(problem) => response.on_hover_text(&*problem.message),
        None => response,
    };
    let missing = if response.hovered() {
        missing_glyphs(ui, &row.chunk.text)
    } else {
        None
    };
    match missing {
        Some(words) => response.on_hover_text(words),
        None => response,
    }
}

/// Returns the characters that are painted as boxes because no font has a glyph for them.
fn missing_glyphs(ui: &Ui, text: &str) -> Option<String> {
    let text = text
        .get(..text.floor_char_boundary(MAX_NAMED))
        .unwrap_or_default();
    let font = theme::mono(theme::LABEL);
    let mut missing: Vec<char> = ui.fonts_mut(|fonts| {
        let is_missing = |letter: &char| !letter.is_control() && !fonts.has_glyph(&font, *letter);
        text.chars().filter(is_missing).collect()
    });
    missing.sort_unstable();
    missing.dedup();
    let names: Vec<String> = missing
        .iter()
        .map(|letter| format!("U+{:04X}", u32::from(*letter)))
        .collect();
    (!names.is_empty()).then(|| format!("No glyph available for {}", names.join(", ")))
}

/// Returns the problem of a chunk.
fn chunk_problem(props: TapeProps<'_>, index: usize) -> Option<&Problem> {
    let span = props.tape.chunks().get(index)?.span.range();
    let problems = &props.library.get(props.doc)?.problems;
    let first = problems.partition_point(|problem| problem.span.range().start < span.start);
    let problem = problems.get(first)?;
    span.contains(&problem.span.range().start)
        .then_some(problem)
}

/// Draws a chunk's text or a placeholder, with an icon before it if the chunk has a problem.
fn text_cell(ui: &Ui, problem: Option<&Problem>, cell: Rect, text: &str) {
    let tokens = tokens(ui);
    let mut left = cell.left();
    if let Some(problem) = problem {
        let color = tokens.tone(widgets::severity_tone(problem.severity));
        let icon = icons::severity(problem.severity);
        let center = pos2(left + 7.0, cell.center().y);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON, color);
        left += theme::INDENT;
    }
    let (words, font, color) = if text.is_empty() {
        ("empty", theme::regular(theme::LABEL), tokens.warning)
    } else {
        (text, theme::mono(theme::LABEL), tokens.text)
    };
    let line = widgets::line(ui, words, font, color, cell.right() - left);
    widgets::paint_line(ui.painter(), pos2(left, cell.center().y), line);
}
