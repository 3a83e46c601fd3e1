//! Inspector sections of tapes.

use super::content::{
    ConversationTurn, HeadingIcon, InspectorFact, InspectorSection, SectionHeading, SectionPart,
    count,
};
use super::prose::preview;
use super::recording::{data_fact, prose_fact, text_part};
use super::values::Values;
use calls::tape::text::TapeText;
use calls::tape::timing::format_duration;
use document::tape::{RequestShape, Tape};
use document::{Document, Node};

/// Builds the sections of a tape: the request, the reply as one text, and the heading of its
/// [`Chunks`](super::chunks::Chunks).
pub(super) fn tape(document: &Document, tape: &Tape) -> Vec<InspectorSection> {
    let mut sections = Vec::new();
    let whole = TapeText::new(tape);
    if !whole.text().is_empty() {
        sections.push(InspectorSection::Turn(ConversationTurn {
            is_main: false,
            heading: SectionHeading::new(HeadingIcon::Model, "Reply", "as one text"),
            right: String::new(),
            node: None,
            parts: vec![SectionPart::from_text(None, whole.text())],
        }));
    }
    sections.extend(request(document, tape));
    sections.push(facts(tape));
    let note = document::text::thousands(tape.chunks.len());
    sections.push(InspectorSection::Heading(SectionHeading::new(
        HeadingIcon::Stream,
        "Chunks",
        note,
    )));
    sections
}

fn facts(tape: &Tape) -> InspectorSection {
    let mut facts: Vec<InspectorFact> = [
        prose_fact("Label", &tape.label),
        data_fact("Model", &tape.model),
        data_fact("Recorded at", &tape.recorded_at),
        data_fact("SDK", &tape.sdk),
        prose_fact("Comment", &tape.comment),
    ]
    .into_iter()
    .flatten()
    .collect();
    let total: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    facts.push(InspectorFact {
        remark: format!("in {}", count(tape.chunks.len(), "chunk")),
        ..InspectorFact::data("Duration", &format_duration(total))
    });
    if let Some(first) = tape.chunks.first() {
        facts.push(InspectorFact::data("First chunk after", &format_duration(first.delay_nanos)));
    }
    // The first delay is the time until the answer began, not a gap in it.
    let gaps = tape.chunks.iter().enumerate().skip(1);
    let longest = gaps.max_by(|(_, a), (_, b)| a.delay_nanos.total_cmp(&b.delay_nanos));
    if let Some((index, chunk)) = longest {
        facts.push(InspectorFact {
            remark: format!("before chunk {}", document::text::thousands(index + 1)),
            ..InspectorFact::data("Longest gap", &format_duration(chunk.delay_nanos))
        });
    }
    InspectorSection::facts(HeadingIcon::Stream, "Tape", "", facts)
}

fn request(document: &Document, tape: &Tape) -> Vec<InspectorSection> {
    let Some(request) = tape.request.map(|id| document.node(id)) else { return Vec::new() };
    let mut sections = Vec::new();
    match tape.request_shape {
        RequestShape::History => {
            sections.extend(
                request
                    .get("systemPrompt")
                    .filter(|node| node.as_str().is_none_or(|it| !it.trim().is_empty()))
                    .map(|node| turn(HeadingIcon::System, "System prompt", "", node)),
            );
            sections.extend(
                request.get("history").into_iter().flat_map(|node| history(node, "history")),
            );
        }
        RequestShape::Contents => {
            sections.extend(
                request.get("contents").map(|node| turn(HeadingIcon::User, "Contents", "", node)),
            );
            sections.extend(
                request.get("config").map(|node| turn(HeadingIcon::System, "Config", "", node)),
            );
        }
        RequestShape::Other => {
            sections.push(turn(HeadingIcon::User, "Request", "in an unknown format", request));
        }
    }
    sections
}

/// Builds a section for each earlier message: mostly objects with a role and a text.
pub(super) fn history(entries: Node<'_>, of_what: &str) -> Vec<InspectorSection> {
    let of = entries.len();
    let entry = |(index, entry): (usize, Node<'_>)| {
        let role = entry.get("role").and_then(Node::as_str);
        let (sign, title) = match role {
            Some("user") => (HeadingIcon::User, "User".to_owned()),
            Some("assistant" | "model") => (HeadingIcon::Model, "Model".to_owned()),
            Some(other) => (HeadingIcon::System, preview(other)),
            None => (HeadingIcon::System, "Entry".to_owned()),
        };
        // `content` is the field of OpenAI and Anthropic, `parts` that of Gemini.
        let words = ["content", "text", "parts"]
            .into_iter()
            .find_map(|key| entry.get(key))
            // With more fields than role and text, showing only the text would hide the others.
            .filter(|_| entry.len() == 2);
        turn(sign, &title, &format!("{} of {of} in {of_what}", index + 1), words.unwrap_or(entry))
    };
    entries.items().enumerate().map(entry).collect()
}

fn turn(sign: HeadingIcon, title: &str, note: &str, node: Node<'_>) -> InspectorSection {
    InspectorSection::Turn(ConversationTurn {
        is_main: false,
        heading: SectionHeading::new(sign, title, note),
        right: node.pointer(),
        node: Some(node.id()),
        parts: vec![value_part(node)],
    })
}

/// Builds a text as prose, and another value as lines of keys and values.
pub(super) fn value_part(node: Node<'_>) -> SectionPart {
    match node.as_str() {
        Some(text) => text_part(node.id(), text),
        None => SectionPart::Value(String::new(), Values::from_node(node)),
    }
}
