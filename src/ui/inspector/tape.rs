//! Inspector sections of tapes.

use super::content::{Fact, Facts, Heading, Part, Section, Sign, Turn, count, preview};
use super::data::format_duration;
use super::recording::{named, worded, words};
use super::values::Values;
use crate::format::tape::{RequestShape, Tape};
use crate::format::{Document, Node};

/// Builds the sections of a tape: the request, the reply as one text, and the heading of its
/// [`Chunks`](super::chunks::Chunks).
pub(super) fn tape(document: &Document, tape: &Tape) -> Vec<Section> {
    let mut sections = vec![facts(tape)];
    sections.extend(request(document, tape));
    let whole: String = tape
        .chunks
        .iter()
        .map(|chunk| chunk.text.as_str())
        .collect();
    if !whole.is_empty() {
        sections.push(Section::Turn(Turn {
            heading: Heading::new(Sign::Model, "Reply", "as one text"),
            right: String::new(),
            node: None,
            parts: vec![Part::said(None, &whole)],
        }));
    }
    let note = crate::ops::diff::thousands(tape.chunks.len());
    sections.push(Section::Heading(Heading::new(Sign::Stream, "Chunks", note)));
    sections
}

fn facts(tape: &Tape) -> Section {
    let mut facts: Vec<Fact> = [
        worded("Label", &tape.label),
        named("Model", &tape.model),
        named("Recorded at", &tape.recorded_at),
        named("SDK", &tape.sdk),
        worded("Comment", &tape.comment),
    ]
    .into_iter()
    .flatten()
    .collect();
    let total: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    facts.push(Fact {
        remark: format!("in {}", count(tape.chunks.len(), "chunk")),
        ..Fact::data("Duration", &format_duration(total))
    });
    if let Some(first) = tape.chunks.first() {
        facts.push(Fact::data(
            "To first chunk",
            &format_duration(first.delay_nanos),
        ));
    }
    let gaps = tape.chunks.iter().enumerate().skip(1);
    let longest = gaps.max_by(|(_, a), (_, b)| a.delay_nanos.total_cmp(&b.delay_nanos));
    if let Some((index, chunk)) = longest {
        facts.push(Fact {
            remark: format!("before chunk {}", crate::ops::diff::thousands(index + 1)),
            ..Fact::data("Longest wait", &format_duration(chunk.delay_nanos))
        });
    }
    Section::Facts(Facts {
        heading: Heading::new(Sign::Stream, "Tape", ""),
        facts,
        foot: None,
    })
}

fn request(document: &Document, tape: &Tape) -> Vec<Section> {
    let Some(request) = tape.request.map(|id| document.node(id)) else {
        return Vec::new();
    };
    let mut sections = Vec::new();
    match tape.request_shape {
        RequestShape::History => {
            sections.extend(
                request
                    .get("systemPrompt")
                    .map(|node| turn(Sign::System, "System prompt", "", node)),
            );
            sections.extend(
                request
                    .get("history")
                    .into_iter()
                    .flat_map(|node| history(node, "history")),
            );
        }
        RequestShape::Contents => {
            sections.extend(
                request
                    .get("contents")
                    .map(|node| turn(Sign::User, "Contents", "", node)),
            );
            sections.extend(
                request
                    .get("config")
                    .map(|node| turn(Sign::System, "Config", "", node)),
            );
        }
        RequestShape::Other => {
            sections.push(turn(Sign::User, "Request", "in an unknown format", request))
        }
    }
    sections
}

/// Builds a section for each earlier message: mostly objects with a role and a text.
pub(super) fn history(entries: Node<'_>, of_what: &str) -> Vec<Section> {
    let of = entries.len();
    let entry = |(index, entry): (usize, Node<'_>)| {
        let role = entry.get("role").and_then(Node::as_str);
        let (sign, title) = match role {
            Some("user") => (Sign::User, "User".to_owned()),
            Some("assistant" | "model") => (Sign::Model, "Model".to_owned()),
            Some(other) => (Sign::System, preview(other)),
            None => (Sign::System, "Entry".to_owned()),
        };
        let words = ["content", "text", "parts"];
        let words = words
            .into_iter()
            .find_map(|key| entry.get(key))
            .filter(|_| entry.len() == 2);
        let note = format!("{} of {of} in {of_what}", index + 1);
        turn(sign, &title, &note, words.unwrap_or(entry))
    };
    entries.items().enumerate().map(entry).collect()
}

fn turn(sign: Sign, title: &str, note: &str, node: Node<'_>) -> Section {
    Section::Turn(Turn {
        heading: Heading::new(sign, title, note),
        right: node.pointer(),
        node: Some(node.id()),
        parts: vec![said(node)],
    })
}

fn said(node: Node<'_>) -> Part {
    match node.as_str() {
        Some(text) => words(node.id(), text),
        None => Part::Value(String::new(), Values::of(node)),
    }
}
