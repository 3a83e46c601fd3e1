//! Splits a chunk in two, between two characters.

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(stage: &mut Stage<'_>, index: usize, at: usize) -> Result<(), Refusal> {
    let chunk = stage.chunk(index)?;
    if !chunk.text.is_char_boundary(at) {
        return Err(stage.refuse_at(index, "The split position is not between two characters"));
    }
    if at == 0 || at == chunk.text.len() {
        let where_ = if at == 0 { "begins" } else { "ends" };
        return Err(stage.refuse_at(index, format!("The chunk already {where_} there")));
    }
    let whole = 0..chunk.text.len();
    let parts = [at..whole.end, 0..at].map(|part| stage.replaced(chunk, &[(part, String::new())]));
    let [Some(first), Some(second)] = parts else {
        return Err(stage.refuse_at(index, "A chunk cannot be split inside an escape sequence"));
    };
    stage.write(index, None, &first);
    stage.insert(index + 1, 0.0, &second)
}
