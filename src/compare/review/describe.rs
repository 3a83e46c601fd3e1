//! Changes in words: one short sentence each.

use super::change::TakeChange;
use super::change_pattern::{Replaced, change_patterns};
use super::structure::{ChangeKind, ValueDifference};
use super::subject::{ChangeSubject, ChangeTopic};
use calls::tape::timing::format_duration;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::diff::word_diff::{MAX_EXACT_BYTES, count, is_split, marks};
use document::text::{Source, Span, counted, lower_first, quoted, thousands};
use document::{FileKind, Node, NodeKind};

/// The maximum length of a text that is included completely in a sentence.
const MAX_QUOTED_BYTES: usize = 40;

impl TakeChange {
    /// Adds what a change is about, in words.
    pub(super) fn about(
        mut self,
        topic: &ChangeTopic<'_>,
        difference: &ValueDifference<'_>,
        renames: &[Replaced],
    ) -> Self {
        self.subject = topic.subject;
        self.sentence = sentence(topic, difference).into();
        self.patterns = change_patterns(difference, topic, renames);
        self
    }
}

/// Describes what changed, without a full stop. Names are in backquotes.
fn sentence(topic: &ChangeTopic<'_>, difference: &ValueDifference<'_>) -> String {
    let words = described(topic, difference);
    match topic.call {
        Some(number) => format!("Call {number}: {}", lower_first(&words)),
        None => words,
    }
}

fn described(topic: &ChangeTopic<'_>, difference: &ValueDifference<'_>) -> String {
    let [old, new] = difference.nodes;
    let Some(node) = new.or(old) else { return String::new() };
    let is_thing = topic.is_thing(node);
    match (topic.subject, difference.kind, old, new) {
        (ChangeSubject::OfferedTool, ChangeKind::Added, ..) if is_thing => {
            format!("Tool {} is offered", name(topic))
        }
        (ChangeSubject::OfferedTool, ChangeKind::Removed, ..) if is_thing => {
            format!("Tool {} is no longer offered", name(topic))
        }
        (ChangeSubject::ToolCall, ChangeKind::Added, ..) if is_thing => {
            format!("Calls {} as well", name(topic))
        }
        (ChangeSubject::ToolCall, ChangeKind::Removed, ..) if is_thing => {
            format!("No longer calls {}", name(topic))
        }
        (ChangeSubject::OfferedTool, ChangeKind::Changed, Some(old), Some(new)) if is_name(new) => {
            let [old, new] = [old, new].map(|name| short_value(name, false));
            format!("Tool {old} is now {new}")
        }
        (ChangeSubject::ToolCall, ChangeKind::Changed, Some(old), Some(new)) if is_name(new) => {
            let [old, new] = [old, new].map(|name| short_value(name, false));
            format!("Calls {new} in place of {old}")
        }
        (ChangeSubject::Source, ChangeKind::Changed, ..) if node.key() == Some("contentHash") => {
            "Made from another version of the source".to_owned()
        }
        _ => format!("{}{}", noun(topic, node), describe_difference(topic, difference)),
    }
}

fn is_name(node: Node<'_>) -> bool {
    node.key() == Some("name")
}

/// Returns the name of a tool or a call.
fn name(topic: &ChangeTopic<'_>) -> String {
    let name = topic.name();
    name.map_or_else(|| "without a name".to_owned(), quoted)
}

/// Returns a value in a few words.
fn short_value(node: Node<'_>, is_json_text: bool) -> String {
    let [object, list] = if is_json_text { ["JSON text"; 2] } else { ["an object", "a list"] };
    match node.kind() {
        NodeKind::Object => {
            let fields = counted(node.len(), "field", "fields");
            format!("{object} with {fields}")
        }
        NodeKind::Array => {
            let elements = counted(node.len(), "element", "elements");
            format!("{list} with {elements}")
        }
        _ if node.as_str() == Some("") => "an empty text".to_owned(),
        _ => quoted(node.scalar_text().unwrap_or_default()),
    }
}

/// Returns what changed, as the beginning of a sentence.
fn noun(topic: &ChangeTopic<'_>, node: Node<'_>) -> String {
    let (kind, number) = (topic.kind, topic.number);
    let is_thing = topic.is_thing(node);
    if let Some(label) = &topic.label {
        return label.clone();
    }
    match topic.subject {
        ChangeSubject::OfferedTool if is_thing => format!("Tool {}", name(topic)),
        ChangeSubject::OfferedTool => format!("{} of tool {}", field(node), name(topic)),
        ChangeSubject::ToolCall if is_thing => format!("Call of {}", name(topic)),
        ChangeSubject::ToolCall => format!("{} in the call of {}", field(node), name(topic)),
        ChangeSubject::Prompt if kind == FileKind::Session => "Input".to_owned(),
        ChangeSubject::Prompt if node.key() == Some("contents") => "Contents".to_owned(),
        ChangeSubject::Prompt => "System prompt".to_owned(),
        ChangeSubject::Message if node.key().is_some_and(|k| matches!(k, "content" | "text")) => {
            format!("Message {number}")
        }
        ChangeSubject::Message if is_thing => format!("Message {number}"),
        ChangeSubject::Message => format!("{} of message {number}", field(node)),
        ChangeSubject::Answer if kind == FileKind::Tape => format!("Chunk {number}"),
        ChangeSubject::Answer => "Answer text".to_owned(),
        ChangeSubject::Reasoning => "Reasoning".to_owned(),
        ChangeSubject::StopReason => "Stop reason".to_owned(),
        ChangeSubject::ToolResponse if is_thing => format!("Response {number} of {}", name(topic)),
        ChangeSubject::ToolResponse => format!("{} of response {number}", field(node)),
        ChangeSubject::Signature => format!("Signature: {}", lower_first(&field(node))),
        ChangeSubject::Source => format!("Source: {}", lower_first(&field(node))),
        ChangeSubject::Context => format!("Context: {}", lower_first(&field(node))),
        ChangeSubject::Model => "Model".to_owned(),
        ChangeSubject::Timing => format!("Wait before chunk {number}"),
        ChangeSubject::Value | ChangeSubject::Text | ChangeSubject::HttpCall => field(node),
    }
}

/// Returns a member by its name, an element by its place.
fn field(node: Node<'_>) -> String {
    match (node.key(), node.parent()) {
        (Some(key), _) => format!("Field {}", quoted(key)),
        (None, Some(list)) => match list.key() {
            Some(key) => format!("Element {} of {}", node.index() + 1, quoted(key)),
            None => format!("Element {}", node.index() + 1),
        },
        (None, None) => "All of it".to_owned(),
    }
}

/// Describes the difference, as the end of a sentence.
fn describe_difference(topic: &ChangeTopic<'_>, difference: &ValueDifference<'_>) -> String {
    match (difference.kind, difference.nodes) {
        (ChangeKind::Added, _) => " added".to_owned(),
        (ChangeKind::Removed, _) => " removed".to_owned(),
        (ChangeKind::Moved, [Some(old), Some(new)]) => {
            let (from, to) = (old.index() + 1, new.index() + 1);
            format!(" moved from place {from} to {to}")
        }
        (_, [Some(old), Some(new)]) => match (old.as_str(), new.as_str()) {
            (Some(a), Some(b))
                if a.len().max(b.len()) > MAX_QUOTED_BYTES || (a.to_owned() + b).contains(' ') =>
            {
                format!(", {}", count_changed_words(a, b))
            }
            _ => match durations([old, new]) {
                Some([old, new]) => format!(": {old} → {new}"),
                None => {
                    let [was, is] = topic.is_json_text;
                    let (old, new) = (short_value(old, was), short_value(new, is));
                    format!(" is {new}, was {old}")
                }
            },
        },
        _ => String::new(),
    }
}

/// Returns two durations with their units, if a unit is in the name of the field.
fn durations(nodes: [Node<'_>; 2]) -> Option<[String; 2]> {
    let key = nodes[1].key()?;
    let is = |ends: [&str; 2]| ends.iter().any(|end| key.ends_with(end));
    // Such as `delayNs` in tapes and `latency_ms` in sessions.
    let nanos_per_unit = if is(["Ns", "_ns"]) {
        1.0
    } else if is(["Ms", "_ms"]) {
        1e6
    } else {
        return None;
    };
    let [old, new] = nodes.map(|node| node.as_f64().filter(|n| n.is_finite() && *n >= 0.0));
    // A value that is no duration, such as a negative one, is described as it is written.
    let unit = |value: f64| format_duration(value * nanos_per_unit);
    Some([unit(old?), unit(new?)])
}

/// Returns how many words changed.
pub(super) fn count_changed_words(old: &str, new: &str) -> String {
    // Line by line, the words of a long text are compared in less time.
    if old.len().max(new.len()) > MAX_EXACT_BYTES && old.contains('\n') && new.contains('\n') {
        let sources = [old, new].map(Source::new);
        let size = TextDiff::new(&sources[0], &sources[1], Outline::Plain).size();
        return if size.is_empty() { "only line ends".to_owned() } else { size.to_string() };
    }
    if !is_split(old, new) {
        return "changed".to_owned();
    }
    let (a, b) = marks(old, new);
    match (count(old, &a), count(new, &b)) {
        (0, 0) => "only signs or spacing".to_owned(),
        (0, added) => format!("{} added", counted(added, "word", "words")),
        (dropped, 0) => format!("{} dropped", counted(dropped, "word", "words")),
        (1, 1) if !is_at_same_places(&a, &b) => "1 word dropped, 1 added".to_owned(),
        (from, to) if from == to && !is_at_same_places(&a, &b) => {
            format!("{} words dropped, as many added", thousands(from))
        }
        (from, to) if from == to => format!("{} replaced", counted(to, "word", "words")),
        (from, to) => {
            let from = counted(from, "word", "words");
            format!("{from} became {}", thousands(to))
        }
    }
}

/// Returns whether the marked parts of two texts are between the same texts.
fn is_at_same_places(old: &[Span], new: &[Span]) -> bool {
    let values_before = |marks: &[Span]| -> Vec<usize> {
        let mut marked = 0;
        let texts = marks.iter().map(|mark| {
            let unmarked = mark.start as usize - marked;
            marked += mark.len();
            unmarked
        });
        texts.collect()
    };
    values_before(old) == values_before(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;

    #[test]
    fn waits_have_a_unit() {
        let read = |json: &str| read(Source::new(json), "a.json");
        let between = |old: &str, new: &str| {
            let [old, new] = [read(old), read(new)];
            let first = |document: &document::Document| {
                let root = document.tree.root()?;
                root.items().next().map(|node| node.id())
            };
            let ids = [first(&old)?, first(&new)?];
            durations([old.node(ids[0]), new.node(ids[1])])
        };
        let of = |key: &str, old: &str, new: &str| {
            let json = |value: &str| format!("{{\"{key}\": {value}}}");
            between(&json(old), &json(new)).map(|texts| texts.join(" → "))
        };
        assert_eq!(of("delayNs", "412000000", "38e7").as_deref(), Some("412 ms → 380 ms"));
        assert_eq!(of("latency_ms", "1200", "8").as_deref(), Some("1.2 s → 8 ms"));
        assert_eq!(of("delayNs", "-1", "8"), None);
        assert_eq!(of("tokens", "1", "8"), None);
    }

    #[test]
    fn words_are_counted_where_they_are_compared() {
        let words = |count: usize, word: &str| format!("{word} ").repeat(count);
        let long = |word: &str| words(5_000, "known") + &words(30, word);
        assert_eq!(count_changed_words(&long("old"), &long("new")), "30 words replaced");
        let moved = ["never send it by mail now", "send it by mail never now"];
        assert_eq!(count_changed_words(moved[0], moved[1]), "1 word dropped, 1 added");
        assert_eq!(count_changed_words("a cat ran off", "a dog ran out"), "2 words replaced");
        let stream = |run: usize, last: &str| {
            let line =
                |at: usize| format!("data: {{\"id\": \"run{run}\", \"text\": \"word{at}\"}}\n\n");
            (0..500).map(line).collect::<String>() + last
        };
        let counted = count_changed_words(&stream(1, ""), &stream(2, "data: [DONE]\n\n"));
        assert_eq!(counted, "500 words changed and 2 lines added");
        assert_eq!(
            count_changed_words(&stream(1, ""), &stream(1, "").replace('\n', "\r\n")),
            "only line ends"
        );
        let huge = |word: &str| words(200_000, "known") + &words(30, word);
        assert_eq!(count_changed_words(&huge("old"), &huge("new")), "changed");
    }
}
