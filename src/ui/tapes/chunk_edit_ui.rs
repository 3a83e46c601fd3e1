//! Edits single chunks: the fields of the chunk at the playhead, and the tools above the table.

use egui::text_edit::TextEditState;
use egui::{Id, Rect, Ui};

use super::tapes_data::{TapeProps, escaped, unescaped};
use calls::tape::edits::TapeEdit;
use calls::tape::timing::MILLISECOND;
use document::tape::Chunk;
use protocol::{DocId, Revision};
use widgets::{Button, FieldState, TextField, icons};
use workbench::{Action, Actions, TapesAction};

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
pub(super) fn is_editable_in_row(chunk: &Chunk) -> bool {
    chunk.text.len() <= MAX_TYPED_CHARS
}

fn text_id() -> Id {
    Id::unique("text of a chunk")
}

/// Draws the delay of the chunk at the playhead as a field.
pub(super) fn delay_ui(
    ui: &mut Ui,
    rect: Rect,
    props: TapeProps<'_>,
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
pub(super) fn text_ui(
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
    fn sync(&mut self, props: TapeProps<'_>, index: usize, chunk: &Chunk) {
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
pub(super) fn tools_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    draft: &ChunkDraft,
    actions: &mut Actions,
) {
    let chunks = props.desk.chosen();
    let count = props.tape.chunks().len();
    let no_chunk_reason =
        (chunks.end > count || !props.desk.has_chosen()).then_some("select a chunk first");
    let subject = match chunks.len() {
        1 => format!("chunk {}", chunks.start + 1),
        _ => format!("chunks {} to {}", chunks.start + 1, chunks.end),
    };
    // With one chunk chosen, merging means with the next one.
    let merged_chunks =
        if chunks.len() > 1 { chunks.clone() } else { chunks.start..chunks.start + 2 };
    let no_next_reason = (merged_chunks.end > count).then_some("no chunk follows it");
    let split = split_at_caret(ui, props, draft);
    // Without delay and text, so that it changes nothing of what is played.
    let insert =
        TapeEdit::Insert { before: chunks.end.min(count), delay_nanos: 0.0, text: String::new() };
    let tools = [
        (
            icons::TRASH_2,
            format!("Delete {subject}"),
            Ok(TapeEdit::Delete { chunks: chunks.clone() }),
            no_chunk_reason,
        ),
        (icons::PLUS, "Insert an empty chunk after it".to_owned(), Ok(insert), None),
        (
            icons::MERGE,
            format!("Merge chunks {} to {}", merged_chunks.start + 1, merged_chunks.end),
            Ok(TapeEdit::Merge { chunks: merged_chunks }),
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
fn split_at_caret(
    ui: &Ui,
    props: TapeProps<'_>,
    draft: &ChunkDraft,
) -> Result<TapeEdit, &'static str> {
    let reason = Err("place the caret in the text of the chunk at the playhead");
    let Some(chunk) = props.desk.transport.chunk() else { return reason };
    let is_short = props.tape.chunks().get(chunk).is_some_and(is_editable_in_row);
    if !is_short {
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
