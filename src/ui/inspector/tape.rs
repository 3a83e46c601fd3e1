//! Inspector sections of tapes.

use super::content::{
    ConversationTurn, InspectorFact, InspectorSection, SectionHeading, SectionPart, count,
};
use super::prose::preview;
use super::recording::{data_fact, prose_fact};
use calls::tape::text::TapeText;
use calls::tape::timing::format_duration;
use document::tape::{RequestShape, Tape};
use document::{Document, Node};
use widgets::icons;

/// Builds the sections of a tape: the request, the reply as one text, and the heading of its chunks.
pub(super) fn tape(document: &Document, tape: &Tape) -> Vec<InspectorSection> {
    let mut sections = Vec::new();
    let reply = TapeText::new(tape);
    if !reply.text().is_empty() {
        let heading = SectionHeading::new(icons::SPARKLES, "Reply", "as one text");
        let parts = vec![SectionPart::from_text(None, reply.text())];
        sections.push(InspectorSection::Turn(ConversationTurn::new(heading, None, parts)));
    }
    sections.extend(request(document, tape));
    sections.push(facts(tape));
    let count = document::text::thousands(tape.chunks.len());
    sections.push(InspectorSection::heading(icons::ACTIVITY, "Chunks", count));
    sections
}

fn facts(tape: &Tape) -> InspectorSection {
    let total: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    let duration = InspectorFact {
        remark: format!("in {}", count(tape.chunks.len(), "chunk")),
        ..InspectorFact::data("Duration", &format_duration(total))
    };
    let first = tape
        .chunks
        .first()
        .map(|first| InspectorFact::data("First chunk after", &format_duration(first.delay_nanos)));
    // The first delay is the time until the answer began, not a gap in it.
    let gaps = tape.chunks.iter().enumerate().skip(1);
    let longest = gaps.max_by(|(_, a), (_, b)| a.delay_nanos.total_cmp(&b.delay_nanos));
    let longest = longest.map(|(index, chunk)| InspectorFact {
        remark: format!("before chunk {}", document::text::thousands(index + 1)),
        ..InspectorFact::data("Longest gap", &format_duration(chunk.delay_nanos))
    });
    let facts = [
        prose_fact("Label", &tape.label),
        data_fact("Model", &tape.model),
        data_fact("Recorded at", &tape.recorded_at),
        data_fact("SDK", &tape.sdk),
        prose_fact("Comment", &tape.comment),
        Some(duration),
        first,
        longest,
    ];
    InspectorSection::facts(icons::ACTIVITY, "Tape", "", facts)
}

fn request(document: &Document, tape: &Tape) -> Vec<InspectorSection> {
    let Some(request) = tape.request.map(|id| document.node(id)) else { return Vec::new() };
    let part = |icon, title, key| Some(turn(icon, title, "", request.get(key)?));
    match tape.request_shape {
        RequestShape::History => {
            let prompt = request.get("systemPrompt");
            let prompt =
                prompt.filter(|node| node.as_str().is_none_or(|text| !text.trim().is_empty()));
            let prompt = prompt.map(|node| turn(icons::SETTINGS, "System prompt", "", node));
            let history =
                request.get("history").into_iter().flat_map(|node| history(node, "history"));
            prompt.into_iter().chain(history).collect()
        }
        RequestShape::Contents => {
            let contents = part(icons::USER, "Contents", "contents");
            contents.into_iter().chain(part(icons::SETTINGS, "Config", "config")).collect()
        }
        RequestShape::Other => {
            vec![turn(icons::USER, "Request", "in an unknown format", request)]
        }
    }
}

/// Builds a section for each earlier message: mostly objects with a role and a text.
pub(super) fn history(entries: Node<'_>, list_name: &str) -> Vec<InspectorSection> {
    let total = entries.len();
    let entry = |(index, entry): (usize, Node<'_>)| {
        let role = entry.get("role").and_then(Node::as_str);
        let (sign, title) = match role {
            Some("user") => (icons::USER, "User".to_owned()),
            Some("assistant" | "model") => (icons::SPARKLES, "Model".to_owned()),
            Some(other) => (icons::SETTINGS, preview(other)),
            None => (icons::SETTINGS, "Entry".to_owned()),
        };
        // `content` is the field of OpenAI and Anthropic, `parts` that of Gemini.
        let words = ["content", "text", "parts"]
            .into_iter()
            .find_map(|key| entry.get(key))
            // With more fields than role and text, showing only the text would hide the others.
            .filter(|_| entry.len() == 2);
        turn(
            sign,
            &title,
            &format!("{} of {total} in {list_name}", index + 1),
            words.unwrap_or(entry),
        )
    };
    entries.items().enumerate().map(entry).collect()
}

fn turn(icon: &'static str, title: &str, note: &str, node: Node<'_>) -> InspectorSection {
    let heading = SectionHeading::new(icon, title, note);
    InspectorSection::Turn(ConversationTurn::new(heading, Some(node), vec![value_part(node)]))
}

/// Builds a text as prose, and another value as lines of keys and values.
pub(super) fn value_part(node: Node<'_>) -> SectionPart {
    match node.as_str() {
        Some(text) => SectionPart::from_text(Some(node.id()), text),
        None => SectionPart::value(node),
    }
}
