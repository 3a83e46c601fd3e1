//! Splits a chunk in two, between two characters.

use super::editor::TapeEditor;
use document::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    index: usize,
    at: usize,
) -> Result<(), EditRefusal> {
    let chunk = editor.chunk(index)?;
    if !chunk.text.is_char_boundary(at) {
        return Err(editor.refuse_at(index, "The split position is not between two characters"));
    }
    if at == 0 || at == chunk.text.len() {
        let verb = if at == 0 { "begins" } else { "ends" };
        return Err(editor.refuse_at(index, format!("The chunk already {verb} there")));
    }
    let range = 0..chunk.text.len();
    let parts = [at..range.end, 0..at].map(|part| editor.replaced(chunk, &[(part, String::new())]));
    let [Some(first), Some(second)] = parts else {
        return Err(editor.refuse_at(index, "A chunk cannot be split inside an escape sequence"));
    };
    editor.write(index, None, &first);
    editor.insert(index + 1, 0.0, &second)
}
