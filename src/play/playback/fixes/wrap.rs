//! Moves an answer one level deeper, where players expect it.

use document::recording::AnswerShape;
use document::text::TextEdit;
use document::{Document, Node, Syntax};
use machine::stamp::recording_of;

pub(super) fn edit(document: &Document) -> Result<Option<TextEdit>, String> {
    let recording = recording_of(document)?;
    let root = document.tree.root();
    let response = root.and_then(|root| root.get("response"));
    let (AnswerShape::Flat, Some(response)) = (recording.shape, response) else { return Ok(None) };
    if document.syntax == Syntax::Yaml {
        return Err("The file is YAML, but players read JSON".to_owned());
    }
    if let Some(fault) = document.tree.fault() {
        return Err(format!("The file cannot be read completely: {}", fault.message));
    }
    // The new braces have as much space as the file has around the value.
    let space = space_before(document, response);
    let new = format!("{{{space}\"response\":{space}{}{space}}}", response.raw());
    Ok(Some(TextEdit { range: response.span().range(), new }))
}

fn space_before(document: &Document, value: Node<'_>) -> &'static str {
    let text_before = &document.source().text()[..value.span().range().start];
    if text_before.ends_with(char::is_whitespace) { " " } else { "" }
}
