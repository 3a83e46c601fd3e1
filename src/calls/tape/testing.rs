//! Tapes for the tests of this folder.

use document::tape::Tape;
use document::text::Source;
use document::{Document, DocumentBody, read as read_document};

/// Returns a tape with this stream, as JSON.
pub fn text(stream: &str) -> String {
    format!(
        "{{\n  \"meta\": {{ \"model\": \"m\", \"recordedAt\": \"2026-03-09T11:02:17Z\" }},\n  \
         \"request\": {{ \"model\": \"m\", \"systemPrompt\": \"s\", \"history\": [] }},\n  \"stream\": {stream}\n}}\n"
    )
}

/// A document that is a tape.
pub fn document(text: &str) -> Document {
    read_document(Source::new(text), "tape.json")
}

/// Returns the tape that a document is.
pub fn tape_of(document: &Document) -> Tape {
    match &document.body {
        DocumentBody::Tape(tape) => tape.clone(),
        other => panic!("{other:?}"),
    }
}

/// Returns a tape with this stream, as JSON.
pub fn read(stream: &str) -> Tape {
    tape_of(&document(&text(stream)))
}

/// Returns a tape of these delays and texts.
pub fn tape(chunks: &[(f64, &str)]) -> Tape {
    read(&stream(chunks))
}

/// These delays and texts as JSON.
pub fn stream(chunks: &[(f64, &str)]) -> String {
    let chunk = |(delay, text): &(f64, &str)| {
        format!("{{ \"delayNs\": {delay}, \"text\": {} }}", serde_json::Value::from(*text))
    };
    let chunks: Vec<String> = chunks.iter().map(chunk).collect();
    format!("[{}]", chunks.join(", "))
}
