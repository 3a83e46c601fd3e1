//! Paints the table of chunks, which follows the playhead, with the fields of the chunk at the playhead and the tools above.

use egui::text_edit::TextEditState;
use egui::{Id, Rangef, Rect, Response, Sense, Ui, vec2};

use super::tapes_data::{Props, escaped, format_millis, format_seconds, one_line, unescaped};
use calls::tape::edits::TapeEdit;
use calls::tape::timing::{MILLISECOND, TapePace, lost_nanos};
use document::tape::Chunk;
use document::text::{counted, thousands};
use document::{Problem, Severity};
use protocol::{DocId, Revision};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, Column, FieldState, Line, List, Row, RowShape, RowSlot, TextField, icons};
use workbench::{Action, Actions, TapesAction};

/// Width of a digit.
const DIGIT_WIDTH: f32 = 7.3;
/// Minimum width of the text; columns of numbers are hidden first.
const MIN_TEXT_WIDTH: f32 = 72.0;
/// Minimum distance between two columns of numbers.
const MIN_COLUMN_GAP: f32 = 18.0;

/// Returns the columns, wide enough for the largest numbers of the tape.
fn place_columns(ui: &Ui, props: Props<'_>) -> Vec<Column> {
    let (tape, stats) = (props.tape, props.tape.stats());
    let column_width =
        |text: &str, min: f32| (text.len() as f32 * DIGIT_WIDTH + MIN_COLUMN_GAP).max(min);
    let longest_gap = stats.gaps.map_or(0.0, |gaps| gaps.longest_nanos);
    let longest_nanos = longest_gap.max(stats.first_nanos.unwrap_or_default());
    let max_chars = tape.timeline(TapePace::Recorded).tallest() as usize;
    // The delay of the chunk at the playhead is in a field and often has a fraction.
    let delay = format_millis(longest_nanos.floor());
    // Either of the last two columns may be the one before the text, so both end with a gap.
    let mut numbers = vec![
        ("Delay, ms", column_width(&delay, 84.0), 0.0),
        ("At, s", column_width(&format_seconds(stats.total_nanos), 84.0), theme::PADDING),
        ("Size", column_width(&thousands(max_chars), 56.0) - theme::PADDING, theme::PADDING),
    ];
    let number_width = column_width(&thousands(tape.chunks().len()), 64.0);
    let room = ui.available_width() - number_width - MIN_TEXT_WIDTH;
    while numbers.iter().map(|(_, width, gap)| width + gap).sum::<f32>() > room && numbers.len() > 1
    {
        numbers.pop();
    }
    let (start, end) = (ui.max_rect().left(), ui.max_rect().left() + ui.available_width());
    let mut left = start + number_width;
    let mut columns = vec![Column::new("No.", Rangef::new(start + theme::PADDING, left))];
    columns.extend(numbers.into_iter().map(|(name, width, gap)| {
        let x = Rangef::new(left, left + width);
        left = x.max + gap;
        Column::number(name, x)
    }));
    columns.push(Column::new("Text", Rangef::new(left, end.max(left) - theme::GAP)));
    columns
}

/// Draws the table. A click moves the playhead to a chunk.
pub(super) fn chunks_ui(
    ui: &mut Ui,
    props: Props<'_>,
    draft: &mut ChunkDraft,
    actions: &mut Actions,
) {
    let chunks = props.tape.chunks().len();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        widgets::title_note(ui, ("Chunks", theme::BODY), (&thousands(chunks), theme::ROW));
        widgets::at_right(ui, |ui| {
            tools_ui(ui, props, draft, actions);
        });
    });
    widgets::hair_line(ui);
    let columns = place_columns(ui, props);
    let (heading, _) = widgets::allocate_row(ui, theme::TABLE_HEADING, Sense::hover());
    widgets::table_heading(ui, heading, &columns);
    if chunks == 0 {
        return no_chunks_ui(ui, props);
    }
    let chunk = props.desk.transport.chunk();
    List::new("List of chunks", &RowShape::ONE_LINE, chunks)
        .of(props.doc)
        .selection(Some(chunk), |chunk| Some(chunk.unwrap_or_default()))
        // Only while it plays: otherwise the list would jump while the user reads elsewhere.
        .follow(chunk.filter(|_| props.desk.transport.is_playing()))
        .show(ui, |slot| row_ui(slot, props, &columns, draft, actions));
}

/// Explains why there are no chunks.
fn no_chunks_ui(ui: &mut Ui, props: Props<'_>) {
    let problems = props.library.get(props.doc).map(|item| &item.problems);
    let is_error = |problem: &&Problem| problem.severity == Severity::Error;
    let first = problems.and_then(|problems| problems.iter().find(is_error));
    let none = "The stream has no chunks.";
    widgets::empty_sentence(ui, first.map_or(none, |problem| &problem.message));
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
    fn new(props: Props<'a>, index: usize) -> Option<Self> {
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
        let (number, size) = (self.index + 1, counted(self.size, "character", "characters"));
        let Self { delay, at, text, .. } = self;
        let name = format!("Chunk {number}, waits {delay} ms, at {at} s, {size}: {text}");
        match self.problem {
            Some(problem) => format!("{name}. {}", problem.message),
            None => name,
        }
    }
}

/// Draws a row. The delay and the text of the chunk at the playhead are fields.
fn row_ui(
    slot: &mut RowSlot<'_>,
    props: Props<'_>,
    columns: &[Column],
    draft: &mut ChunkDraft,
    actions: &mut Actions,
) {
    let (colors, index, transport) = (tokens(slot.ui), slot.index, &props.desk.transport);
    let Some(texts) = ChunkRow::new(props, index) else { return };
    let is_here = transport.chunk() == Some(index);
    // While it plays, fields would appear and vanish many times a second.
    let is_edited = is_here && !transport.is_playing();
    let has_text_field = is_edited && is_editable_in_row(texts.chunk);
    // The delay of the first chunk is the time to the first token, which is long in every tape.
    let is_silence = texts.chunk.delay_nanos >= props.desk.silence_nanos() && index > 0;
    let delay_color = if is_silence { colors.warning } else { colors.text_strong };
    let mono = || theme::mono(theme::LABEL);
    let row = Row::new(texts.accessible_name()).selected(is_here);
    let row = columns.iter().fold(row, |row, column| {
        let line = match &*column.name {
            "No." => Line::new(&thousands(index + 1), mono(), colors.muted),
            "At, s" => Line::number(&texts.at, mono(), colors.text),
            "Size" => Line::number(&thousands(texts.size), mono(), colors.text),
            // The row paints no text where a field is.
            "Delay, ms" if !is_edited => Line::number(&texts.delay, mono(), delay_color),
            "Text" if !has_text_field => text_line(&texts, colors),
            _ => return row,
        };
        row.cell(column.x).line(line)
    });
    let response = slot.show(row);
    let (ui, y) = (&mut *slot.ui, slot.rect.y_range());
    if is_edited {
        // After the number of the chunk; the text is the last one.
        let (x, text_x) = (columns[1].x, columns[columns.len() - 1].x);
        let field = Rect::from_x_y_ranges(x.min + 4.0..=x.max + 9.0, y);
        let delay = delay_ui(ui, field, props, index, texts.chunk, draft);
        let field = Rect::from_x_y_ranges(text_x, y).expand2(vec2(9.0, 0.0));
        let text = has_text_field.then(|| text_ui(ui, field, index, texts.chunk, draft)).flatten();
        actions.extend(delay.or(text).map(TapesAction::EditTape).map(Action::from));
    }
    widgets::on_click(&hover_ui(response, &texts), TapesAction::GoTo(index + 1), actions);
}

/// Adds a tooltip to a row: lost delay, and problem.
fn hover_ui(response: Response, row: &ChunkRow<'_>) -> Response {
    let lost_delay = lost_nanos(row.chunk.delay_nanos);
    let loss = (lost_delay > 0.0).then(|| {
        let millis = format_millis(lost_delay);
        format!("A player that waits whole milliseconds drops {millis} ms of this delay")
    });
    let problem = row.problem.map(|problem| problem.message.to_string());
    [loss, problem].into_iter().flatten().fold(response, Response::on_hover_text)
}

/// Returns the problem of a chunk.
fn chunk_problem(props: Props<'_>, index: usize) -> Option<&Problem> {
    let span = props.tape.chunks().get(index)?.span.range();
    let problems = &props.library.get(props.doc)?.problems;
    // Problems are in the order of the file, and a tape may have thousands of chunks.
    let first = problems.partition_point(|problem| problem.span.range().start < span.start);
    let problem = problems.get(first)?;
    span.contains(&problem.span.range().start).then_some(problem)
}

/// Returns a chunk's text or a placeholder, with an icon before it if the chunk has a problem.
fn text_line(row: &ChunkRow<'_>, colors: &Tokens) -> Line {
    let line = if row.text.is_empty() {
        Line::new("empty", theme::regular(theme::LABEL), colors.warning)
    } else {
        Line::new(&row.text, theme::mono(theme::LABEL), colors.text)
    };
    match row.problem {
        Some(problem) => {
            let color = colors.tone(widgets::severity_tone(problem.severity));
            line.icon(icons::severity(problem.severity), color)
        }
        None => line,
    }
}

/// The text being typed.
#[derive(Debug, Default)]
pub(super) struct ChunkDraft {
    key: Option<(DocId, Option<Revision>, usize)>,
    delay: String,
    text: String,
}

/// Maximum length of a text that can be edited in one line, in bytes: the whole text gets a new layout in every frame.
const MAX_TYPED_CHARS: usize = 4000;

/// Returns whether a chunk's text is short enough to be edited in its row.
fn is_editable_in_row(chunk: &Chunk) -> bool {
    chunk.text.len() <= MAX_TYPED_CHARS
}

fn text_id() -> Id {
    Id::unique("text of a chunk")
}

/// Draws the delay of the chunk at the playhead as a field.
fn delay_ui(
    ui: &mut Ui,
    rect: Rect,
    props: Props<'_>,
    index: usize,
    chunk: &Chunk,
    draft: &mut ChunkDraft,
) -> Option<TapeEdit> {
    draft.sync(props, index, chunk);
    let name = format!("Delay of chunk {}, in ms", index + 1);
    let is_wrong = draft.delay_nanos().is_none();
    let state = if is_wrong { FieldState::Invalid } else { FieldState::Valid };
    let field = TextField::new(Id::unique("delay of a chunk"), &name, &mut draft.delay)
        .number()
        .state(state);
    let response = widgets::place(ui, rect, |ui| field.show(ui, rect.width(), |_| {}, |_| {}));
    let delay_nanos = draft.delay_nanos().filter(|_| widgets::has_lost_focus(&response))?;
    // Leaving a field that was not changed must not be a step to undo.
    (delay_nanos != chunk.delay_nanos).then_some(TapeEdit::SetDelay { chunk: index, delay_nanos })
}

/// Draws the text of the chunk at the playhead as a field.
fn text_ui(
    ui: &mut Ui,
    rect: Rect,
    index: usize,
    chunk: &Chunk,
    draft: &mut ChunkDraft,
) -> Option<TapeEdit> {
    let name = format!("Text of chunk {}", index + 1);
    let field = TextField::new(text_id(), &name, &mut draft.text).mono().hint("empty");
    let response = widgets::place(ui, rect, |ui| field.show(ui, rect.width(), |_| {}, |_| {}));
    let text = unescaped(&draft.text);
    (widgets::has_lost_focus(&response) && text != chunk.text)
        .then_some(TapeEdit::SetText { chunk: index, text })
}

impl ChunkDraft {
    /// Resets the draft for another chunk, or if the tape changed.
    fn sync(&mut self, props: Props<'_>, index: usize, chunk: &Chunk) {
        let key = Some((props.doc, props.desk.revision(), index));
        if self.key != key {
            self.key = key;
            // With all digits, unlike in the table: the field must write back what it has read.
            self.delay = (chunk.delay_nanos / MILLISECOND).to_string();
            self.text =
                if is_editable_in_row(chunk) { escaped(&chunk.text) } else { String::new() };
        }
    }

    fn delay_nanos(&self) -> Option<f64> {
        let millis: f64 = self.delay.trim().parse().ok()?;
        // A millisecond has a million nanoseconds; a fraction of one is a rounding error.
        let nanos = millis * MILLISECOND;
        let rounded = nanos.round();
        let nanos = if (nanos - rounded).abs() < 1e-3 { rounded } else { nanos };
        (nanos.is_finite() && nanos >= 0.0).then_some(nanos)
    }
}

/// Draws the buttons split, merge, insert and delete, from right to left.
fn tools_ui(ui: &mut Ui, props: Props<'_>, draft: &ChunkDraft, actions: &mut Actions) {
    let chunks = props.desk.chosen();
    let count = props.tape.chunks().len();
    let no_chunk_reason =
        (chunks.end > count || !props.desk.has_chosen()).then_some("select a chunk first");
    let subject = match chunks.len() {
        1 => format!("chunk {}", chunks.start + 1),
        _ => format!("chunks {} to {}", chunks.start + 1, chunks.end),
    };
    // With one chunk chosen, merging means with the next one.
    let merged = if chunks.len() > 1 { chunks.clone() } else { chunks.start..chunks.start + 2 };
    let no_next_reason = (merged.end > count).then_some("no chunk follows it");
    let split = split_at_caret(ui, props, draft);
    // Without delay and text, so that it changes nothing of what is played.
    let insert =
        TapeEdit::Insert { before: chunks.end.min(count), delay_nanos: 0.0, text: String::new() };
    let delete = Ok(TapeEdit::Delete { chunks: chunks.clone() });
    let tools = [
        (icons::TRASH_2, format!("Delete {subject}"), delete, no_chunk_reason),
        (icons::PLUS, "Insert an empty chunk after it".to_owned(), Ok(insert), None),
        (
            icons::MERGE,
            format!("Merge chunks {} to {}", merged.start + 1, merged.end),
            Ok(TapeEdit::Merge { chunks: merged }),
            no_chunk_reason.or(no_next_reason),
        ),
        (icons::SCISSORS, "Split at the caret".to_owned(), split, no_chunk_reason),
    ];
    for (icon, name, edit, reason) in tools {
        let reason = reason.or(edit.as_ref().err().copied());
        let button = Button::icon_only(icon, &name).disabled(reason);
        if let (true, Ok(edit)) = (ui.add(button).clicked(), edit) {
            actions.push(Action::from(TapesAction::EditTape(edit)));
        }
    }
}

/// Returns the split at the caret in the text of the chunk at the playhead.
fn split_at_caret(ui: &Ui, props: Props<'_>, draft: &ChunkDraft) -> Result<TapeEdit, &'static str> {
    let reason = Err("place the caret in the text of the chunk at the playhead");
    let Some(chunk) = props.desk.transport.chunk() else { return reason };
    if !props.tape.chunks().get(chunk).is_some_and(is_editable_in_row) {
        return Err("the chunk is too long to edit here; edit its file in the library");
    }
    // egui keeps the caret by the id of the field, which all chunks share.
    let is_of = draft.key == Some((props.doc, props.desk.revision(), chunk));
    let state = TextEditState::load(ui.ctx(), text_id()).filter(|_| is_of);
    let Some(range) = state.and_then(|state| state.cursor.char_range()) else { return reason };
    let caret = range.primary.index.0;
    let prefix: String = draft.text.chars().take(caret).collect();
    // The field shows escapes such as `\n`; the edit counts bytes of the real text.
    let at = unescaped(&prefix).len();
    let text = unescaped(&draft.text);
    if props.tape.chunks().get(chunk).is_none_or(|chunk| chunk.text != text) {
        // The caret is in the typed text, and the split would be of the stored one.
        return Err("press Enter in the text first");
    }
    // At either end, one of the chunks would be empty.
    if at > 0 && at < text.len() { Ok(TapeEdit::Split { chunk, at }) } else { reason }
}
