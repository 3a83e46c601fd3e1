//! The pieces of texts that the events of a stream bring.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::{Covering, Part};
use document::{Node, NodeKind, Tree};

/// Names of members that continue a text in the next event, in the APIs of all providers.
const PIECE_NAMES: [&str; 15] = [
    "text",
    "content",
    "delta",
    "partial_json",
    "arguments",
    "input",
    "thinking",
    "reasoning",
    "reasoning_content",
    "reasoningText",
    "refusal",
    "response",
    "summary",
    "transcript",
    "completion",
];

/// Members whose value says which of several texts an event continues.
const INDICES: [&str; 8] = [
    "index",
    "output_index",
    "content_index",
    "summary_index",
    "contentBlockIndex",
    "item_id",
    "thought",
    "type",
];

/// Returns the texts of an event that others may continue, each with what it shares with its other pieces.
pub(super) fn pieces(event: &Tree) -> impl Iterator<Item = (String, Node<'_>)> {
    let nodes = event.nodes().filter(|node| {
        let is_piece = |name| PIECE_NAMES.contains(&name);
        node.kind() == NodeKind::String && node.key().is_some_and(is_piece)
    });
    nodes.map(|node| (stream_of(node), node))
}

/// Returns the place of a text in its event, with the indices of what is around it. Of a list of events, each is one.
fn stream_of(node: Node<'_>) -> String {
    let mut stream = String::new();
    for ancestor in node.ancestors() {
        match (ancestor.key(), ancestor.parent()) {
            (Some(key), _) => stream.push_str(key),
            (None, Some(list)) if list.parent().is_some() => {
                stream.push_str(&ancestor.index().to_string());
            }
            _ => {}
        }
        // All in one pass: an event may have many members, and a stream many events.
        let mut indices: [Option<Node<'_>>; INDICES.len()] = [None; INDICES.len()];
        for member in ancestor.items() {
            let at = member.key().and_then(|key| INDICES.iter().position(|name| *name == key));
            if let Some(index) = at.and_then(|at| indices.get_mut(at)) {
                *index = Some(member);
            }
        }
        for index in indices.into_iter().flatten() {
            stream.push_str(index.scalar_text().unwrap_or_default());
        }
        stream.push('/');
    }
    stream
}

/// The texts that a stream brings in pieces.
#[derive(Debug, Default)]
pub(super) struct JoinedTexts {
    texts: BTreeMap<String, JoinedText>,
}

#[derive(Debug, Default)]
struct JoinedText {
    text: String,
    /// The number of the event of each piece, and where the piece ends.
    ends: Vec<(usize, usize)>,
}

/// The texts that were joined of the streams of a document, by their text: each search needs them, and parsing the events takes most
/// of its time.
#[derive(Debug, Default)]
pub(super) struct JoinedStreams(RefCell<HashMap<Box<str>, Rc<JoinedTexts>>>);

impl JoinedStreams {
    /// Returns what the events of a stream bring in pieces.
    pub(super) fn of(&self, stream: &str, join: impl FnOnce() -> JoinedTexts) -> Rc<JoinedTexts> {
        if let Some(texts) = self.0.borrow().get(stream) {
            return Rc::clone(texts);
        }
        let texts = Rc::new(join());
        self.0.borrow_mut().insert(stream.into(), Rc::clone(&texts));
        texts
    }
}

/// Finds in pieces, by the number of the event and the text that the piece continues.
pub(super) type PieceParts = BTreeMap<usize, BTreeMap<String, Vec<Part>>>;

impl JoinedTexts {
    pub(super) fn add(&mut self, event: usize, stream: String, piece: &str) {
        let joined_text = self.texts.entry(stream).or_default();
        joined_text.text.push_str(piece);
        joined_text.ends.push((event, joined_text.text.len()));
    }

    /// Searches each text, and returns what was found by pieces: the first has the replacement, the others lose their part.
    pub(super) fn search(&self, mut search: impl FnMut(&str) -> Vec<Part>) -> PieceParts {
        let mut parts_by_event = PieceParts::new();
        for (stream, joined_text) in &self.texts {
            // A single piece is searched with its event.
            if joined_text.ends.len() < 2 {
                continue;
            }
            for part in search(&joined_text.text) {
                joined_text.spread(part, stream, &mut parts_by_event);
            }
        }
        parts_by_event
    }
}

impl JoinedText {
    fn spread(&self, mut part: Part, stream: &str, events: &mut PieceParts) {
        let range = part.range.clone();
        let first = self.ends.partition_point(|(_, end)| *end <= range.start);
        let last = self.ends.partition_point(|(_, end)| *end < range.end);
        if last > first {
            part.cover(Covering::Split(last - first + 1, "events"));
        }
        for number in first..=last {
            let Some((event, end)) = self.ends.get(number) else { break };
            let start = number.checked_sub(1).map_or(0, |previous| self.ends[previous].1);
            let piece = range.start.max(start) - start..range.end.min(*end) - start;
            if piece.is_empty() {
                continue;
            }
            let parts = events.entry(*event).or_default().entry(stream.to_owned()).or_default();
            // Only the first piece has the finds and the replacement; the empty part deletes its piece.
            parts.push(Part { range: piece, ..std::mem::take(&mut part) });
        }
    }
}
