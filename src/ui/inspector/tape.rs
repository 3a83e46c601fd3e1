//! Inspector sections of tapes. There may be a million chunks, so the row of each is made when it becomes visible.

use super::content::{Fact, Heading, RowState, RowText, Section, SectionPart, SectionRow, count};
use super::prose::preview;
use super::recording::{data_fact, prose_fact, role_look};
use calls::tape::text::TapeText;
use calls::tape::timing::{SECOND, TapeSchedule, format_duration};
use document::tape::{RequestShape, Tape};
use document::{Document, DocumentBody, Node};
use widgets::icons;

/// Builds the sections of a tape: the request, the reply as one text, and the heading of its chunks.
pub(super) fn tape(document: &Document, tape: &Tape) -> Vec<Section> {
    let mut sections = Vec::new();
    let reply = TapeText::new(tape);
    if !reply.text().is_empty() {
        let heading = Heading::new(icons::SPARKLES, "Reply", "as one text");
        let parts = vec![SectionPart::from_text(None, reply.text())];
        sections.push(Section::turn(heading, None, parts));
    }
    sections.extend(request(document, tape));
    sections.push(facts(tape));
    let count = document::text::thousands(tape.chunks.len());
    sections.push(Section::heading(icons::ACTIVITY, "Chunks", count));
    sections
}

fn facts(tape: &Tape) -> Section {
    let total: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    let duration = Fact {
        remark: format!("in {}", count(tape.chunks.len(), "chunk")),
        ..Fact::data("Duration", &format_duration(total))
    };
    let first = tape.chunks.first().map(|first| format_duration(first.delay_nanos));
    let first = first.map(|delay| Fact::data("First chunk after", &delay));
    // The first delay is the time until the answer began, not a gap in it.
    let gaps = tape.chunks.iter().enumerate().skip(1);
    let longest = gaps.max_by(|(_, a), (_, b)| a.delay_nanos.total_cmp(&b.delay_nanos)).map(
        |(index, chunk)| Fact {
            remark: format!("before chunk {}", document::text::thousands(index + 1)),
            ..Fact::data("Longest gap", &format_duration(chunk.delay_nanos))
        },
    );
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
    Section::facts(icons::ACTIVITY, "Tape", "", facts)
}

fn request(document: &Document, tape: &Tape) -> Vec<Section> {
    let Some(request) = tape.request.map(|id| document.node(id)) else { return Vec::new() };
    let part = |icon, title, key| Some(turn(icon, title, "", request.get(key)?));
    match tape.request_shape {
        RequestShape::History => {
            let is_blank =
                |node: Node<'_>| node.as_str().is_some_and(|text| text.trim().is_empty());
            let prompt = part(icons::SETTINGS, "System prompt", "systemPrompt");
            let prompt = prompt.filter(|_| !request.get("systemPrompt").is_some_and(is_blank));
            let entries = request.get("history").into_iter();
            prompt.into_iter().chain(entries.flat_map(|node| history(node, "history"))).collect()
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
pub(super) fn history(entries: Node<'_>, list_name: &str) -> Vec<Section> {
    let total = entries.len();
    let entry = |(index, entry): (usize, Node<'_>)| {
        let role = entry.get("role").and_then(Node::as_str);
        let (icon, title) = role_look(role, "Entry");
        // `content` is the field of OpenAI and Anthropic, `parts` that of Gemini.
        let words = ["content", "text", "parts"]
            .into_iter()
            .find_map(|key| entry.get(key))
            // With more fields than role and text, showing only the text would hide the others.
            .filter(|_| entry.len() == 2);
        let note = format!("{} of {total} in {list_name}", index + 1);
        turn(icon, &title, &note, words.unwrap_or(entry))
    };
    entries.items().enumerate().map(entry).collect()
}

fn turn(icon: &'static str, title: &str, note: &str, node: Node<'_>) -> Section {
    let heading = Heading::new(icon, title, note);
    Section::turn(heading, Some(node), vec![value_part(node)])
}

/// Builds a text as prose, and another value as lines of keys and values.
pub(super) fn value_part(node: Node<'_>) -> SectionPart {
    match node.as_str() {
        Some(text) => SectionPart::from_text(Some(node.id()), text),
        None => SectionPart::value(node),
    }
}

/// Shortest delay that is marked as a silence, in nanoseconds.
const MIN_SILENCE_NANOS: f64 = SECOND;

/// Returns chunk `at` (from 0) of a tape as a row.
pub(super) fn chunk(schedule: &TapeSchedule, document: &Document, at: usize) -> Option<SectionRow> {
    let DocumentBody::Tape(tape) = &document.body else { return None };
    let chunk = tape.chunks.get(at)?;
    let node = document.node(chunk.node);
    let row_text = |text: String, key: &str| RowText { text, node: node.get(key).map(Node::id) };
    // In quotes, because a chunk often begins or ends with a space.
    let title = row_text(format!("“{}”", preview(&chunk.text)), "text");
    let right = vec![
        row_text(format!("+{}", format_duration(chunk.delay_nanos)), "delayNs"),
        RowText::computed(format_duration(schedule.arrival_nanos(at))),
    ];
    Some(SectionRow {
        state: (chunk.delay_nanos >= MIN_SILENCE_NANOS).then_some(RowState::Doubtful),
        ..SectionRow::new(at, chunk.node, title, right, Vec::new())
    })
}
