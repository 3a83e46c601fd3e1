//! The content of a body as it is edited: JSON with an indentation, and media as short tags.

use std::fmt::Write as _;

use super::content::BodyLayers;
use calls::media::format_of_base64;
use calls::reading::call_at;
use document::call::BodyContent;
use document::edit::JsonValue;
use document::json::{self, JsonLayout};
use document::text::bytes;
use document::{Document, NodeKind};
use workbench::DecodedBody;

/// Texts of Base64 and the like from this many bytes on are shown as a tag.
const MIN_TAGGED_BYTES: usize = 2_000;

/// Reads a body of a call; `None` if it is not text.
pub(super) fn read_body(
    document: &Document,
    layers: &BodyLayers,
    call: Option<usize>,
) -> Option<DecodedBody> {
    let http = call_at(document, layers.call)?.facts.http?;
    let bodies = [http.request_body, http.response_body].into_iter().flatten();
    let body = bodies.into_iter().find(|body| body.node == layers.node)?;
    let json = match &body.content {
        BodyContent::Tree(node) => Some(JsonValue::from_node(document.node(*node))),
        BodyContent::Text(text) => {
            json::parse_container(text).and_then(|_| JsonValue::parse(text.text()).ok())
        }
        BodyContent::Bytes(_) => None,
    };
    let mut tags = Vec::new();
    let text = match &json {
        Some(json) => tagged(json, &mut tags),
        None => body.text()?.to_owned(),
    };
    let (is_answer, layers) = (layers.is_of_answer, layers.names.join(" › "));
    Some(DecodedBody { text, json, call, is_answer, layers, tags })
}

/// Returns JSON on lines of its own, with tags in place of media.
fn tagged(json: &JsonValue, tags: &mut Vec<(String, String)>) -> String {
    let mut text = json::write(json.root(), JsonLayout::PRETTY);
    let strings = json.tree().nodes().filter(|node| node.kind() == NodeKind::String);
    for node in strings.filter(|node| node.raw().len() >= MIN_TAGGED_BYTES) {
        let Some(string) = node.as_str().filter(|string| !string.contains(char::is_whitespace))
        else {
            continue;
        };
        let raw = node.raw().to_owned();
        if tags.iter().any(|(_, other)| *other == raw) {
            continue;
        }
        let mut tag = match format_of_base64(string) {
            Some((format, size)) => format!("<{}, {}", format.name(), bytes(size as u64)),
            None => format!("<{}", bytes(string.len() as u64)),
        };
        // Two pictures may have one size.
        if tags.iter().any(|(other, _)| other[1..].starts_with(&tag)) {
            let _ = write!(tag, ", {}", tags.len() + 1);
        }
        let tag = format!("\"{tag}>\"");
        text = text.replace(&raw, &tag);
        tags.push((tag, raw));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_tags_and_come_back() {
        let picture = format!("iVBORw0KGgo{}", "A".repeat(4_000));
        let json = JsonValue::parse(&format!(
            r#"{{"result":"{picture}","again":"{picture}","other":"{}B","words":"{}"}}"#,
            picture,
            "a ".repeat(2_000)
        ))
        .unwrap();
        let mut tags = Vec::new();
        let text = tagged(&json, &mut tags);
        let shown: Vec<&str> = text.lines().filter(|line| line.len() < 100).collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        {
          "result": "<PNG, 3.0 kB>",
          "again": "<PNG, 3.0 kB>",
          "other": "<PNG, 3.0 kB, 2>",
        }
        "#);
        let body = DecodedBody {
            text: text.clone(),
            json: Some(json.clone()),
            call: None,
            is_answer: true,
            layers: String::new(),
            tags,
        };
        // Indented, and with the same values.
        let full_text = body.with_media(&text);
        let back = JsonValue::parse(&full_text).unwrap();
        assert_eq!(tagged(&back, &mut Vec::new()), tagged(&json, &mut Vec::new()));
        assert!(full_text.contains(&picture));
    }
}
