//! Merges chunks into one that arrives when the last of them did.

use std::ops::Range;

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(stage: &mut Stage<'_>, chunks: Range<usize>) -> Result<(), Refusal> {
    stage.some(&chunks)?;
    if chunks.len() < 2 {
        return Err(stage.refuse_at(
            chunks.start,
            "A single chunk cannot be merged; select at least two",
        ));
    }
    let merged = &stage.tape.chunks[chunks.clone()];
    let delay = merged.iter().map(|chunk| chunk.delay_nanos).sum();
    stage.delay(delay)?;
    let mut text = String::from("\"");
    for chunk in merged {
        let raw = stage.raw(chunk);
        text.push_str(raw.get(1..raw.len() - 1).unwrap_or_default());
    }
    text.push('"');
    let more = merged
        .iter()
        .skip(1)
        .filter(|chunk| stage.has_more(chunk))
        .count();
    if more > 0 {
        stage.remark =
            Some("Other members of merged chunks than delay and text are deleted".to_owned());
    }
    stage.write(chunks.start, Some(delay), &text);
    stage.remove(|chunk| chunks.contains(&chunk) && chunk != chunks.start);
    Ok(())
}
