//! Writes a new tape as JSON.

use super::NewTape;
use crate::javascript;
use document::json::{self, JsonLayout, JsonWriter, javascript_number, quote};
use document::tape::RECEIVED;
use document::text::Source;

pub(super) fn json(tape: &NewTape) -> String {
    let mut writer = JsonWriter::new(JsonLayout::PRETTY);
    let key = tape.received.as_ref().map(|_| RECEIVED);
    let parts =
        ["meta", "request", "stream"].into_iter().chain(key).map(|part| (quote(part), part));
    writer.object(parts, |writer, part| match part {
        "meta" => meta(writer, tape),
        "request" => request(writer, tape),
        "stream" => stream(writer, tape),
        _ => writer.json(&quote(tape.received.as_deref().unwrap_or_default())),
    });
    writer.into_text() + "\n"
}

fn meta(writer: &mut JsonWriter<'_>, tape: &NewTape) {
    let meta = &tape.meta;
    let fields = [
        ("label", meta.label.as_deref()),
        ("model", Some(meta.model.as_str())),
        ("recordedAt", Some(meta.recorded_at.as_str())),
        ("sdk", meta.sdk.as_deref()),
        ("comment", meta.comment.as_deref()),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((quote(key), value?)));
    writer.object(fields, |writer, value| writer.json(&quote(value)));
}

fn request(writer: &mut JsonWriter<'_>, tape: &NewTape) {
    let (request, _) = json::parse(&Source::new(tape.request.as_str()));
    match request.root() {
        // As `JSON.stringify` writes it, since players compare that text.
        Some(request) => javascript::write(writer, request),
        None => writer.object([(quote("model"), &tape.meta.model)], |writer, model| {
            writer.json(&quote(model));
        }),
    }
}

fn stream(writer: &mut JsonWriter<'_>, tape: &NewTape) {
    writer.list(&tape.chunks, |writer, chunk| {
        let delay = javascript_number(chunk.delay_nanos);
        let members = [("\"delayNs\"", &delay), ("\"text\"", &chunk.text)];
        writer.object(members, |writer, value| writer.json(value));
    });
}
