//! Writes a new tape as JSON.

use super::NewTape;
use crate::format::json;
use crate::ops::tape::javascript;
use crate::text::Source;

pub(super) fn json(tape: &NewTape) -> String {
    let meta = &tape.meta;
    let fields = [
        ("label", meta.label.as_deref()),
        ("model", Some(meta.model.as_str())),
        ("recordedAt", Some(meta.recorded_at.as_str())),
        ("sdk", meta.sdk.as_deref()),
        ("comment", meta.comment.as_deref()),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(key, value)| Some(format!("    \"{key}\": {}", json::quote(value?))));
    let fields: Vec<String> = fields.collect();
    let mut text = format!(
        "{{\n  \"meta\": {{\n{}\n  }},\n  \"request\": ",
        fields.join(",\n")
    );
    let (request, _) = json::parse(&Source::new(tape.request.as_str()));
    match request.root() {
        Some(request) => text += &javascript::indented(request, 1),
        None => text += &format!("{{\n    \"model\": {}\n  }}", json::quote(&meta.model)),
    }
    text += ",\n  \"stream\": [";
    for (index, chunk) in tape.chunks.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let delay = json::javascript_number(chunk.delay_nanos);
        text += comma;
        text += "\n    {\n      \"delayNs\": ";
        text += &delay;
        text += ",\n      \"text\": ";
        text += &chunk.text;
        text += "\n    }";
    }
    text += if tape.chunks.is_empty() {
        "]\n}\n"
    } else {
        "\n  ]\n}\n"
    };
    text
}
