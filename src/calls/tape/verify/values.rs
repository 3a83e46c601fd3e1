//! Compares values as JavaScript would after `JSON.parse`.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{DifferenceKind, RequestDifference, Strictness, ignore};
use crate::javascript::{canonical, members, stringify};
use document::json::{self, javascript_number};
use document::tape::RequestShape;
use document::text::{Source, listed, quoted};
use document::{Node, NodeKind, Tree};

/// Two values that are compared: the tape's and the request's.
type ValuePair<'a> = [Node<'a>; 2];

/// A comparison of two requests.
pub(super) struct RequestComparison<'a> {
    strictness: Strictness,
    roots: ValuePair<'a>,
    differences: Vec<RequestDifference>,
    ignored: Vec<RequestDifference>,
}

/// Texts of at most this many bytes are shown completely.
const MAX_FULL_TEXT_BYTES: usize = 40;

/// Returns the keys whose values a tape's owner compares, in its order; other keys, and the order of these, do not
/// count. If empty, the whole request counts.
pub(super) fn compared_keys(shape: RequestShape) -> &'static [&'static str] {
    match shape {
        RequestShape::History => &["model", "systemPrompt", "history"],
        RequestShape::Contents => &["model", "contents", "config"],
        RequestShape::Other => &[],
    }
}

impl<'a> RequestComparison<'a> {
    pub(super) fn new(strictness: Strictness, roots: ValuePair<'a>) -> Self {
        Self { strictness, roots, differences: Vec::new(), ignored: Vec::new() }
    }

    /// Returns the differences and the ignored ones, each in the order of the tape.
    pub(super) fn finish(self) -> (Vec<RequestDifference>, Vec<RequestDifference>) {
        (self.differences, self.ignored)
    }

    /// Compares the whole requests by their `JSON.stringify` texts.
    pub(super) fn whole(&mut self) {
        let [ours, theirs] = self.roots;
        // The texts decide, as in players of tapes; the values only show where they differ.
        if stringify(ours) != stringify(theirs) {
            self.values(self.roots);
        }
    }

    /// Compares the values of these keys, each by its `JSON.stringify` text; other keys and the order of these are
    /// ignored.
    pub(super) fn members(&mut self, keys: &[&str]) {
        let [ours, theirs] = self.roots;
        if ours.kind() != theirs.kind() {
            return self.values(self.roots);
        }
        for &key in keys {
            match (ours.get(key), theirs.get(key)) {
                (Some(ours), Some(theirs)) if stringify(ours) == stringify(theirs) => {}
                (Some(ours), Some(theirs)) => self.values([ours, theirs]),
                (Some(ours), None) => self.missing(ours, theirs),
                (None, Some(theirs)) => self.extra(ours, theirs),
                (None, None) => {}
            }
        }
        for (key, value) in members(ours).into_iter().filter(|(key, _)| !keys.contains(key)) {
            let message = format!("{} is not compared", quoted(key));
            match theirs.get(key) {
                Some(their_value) if stringify(their_value) == stringify(value) => {}
                Some(their_value) => {
                    self.ignore(DifferenceKind::Value, [value, their_value], message);
                }
                None => self.ignore(DifferenceKind::Missing, [value, theirs], message),
            }
        }
        for (key, value) in members(theirs).into_iter().filter(|(key, _)| !keys.contains(key)) {
            if ours.get(key).is_none() {
                let message = format!("{} is not compared", quoted(key));
                self.ignore(DifferenceKind::Extra, [ours, value], message);
            }
        }
    }

    fn values(&mut self, pair: ValuePair<'a>) {
        let [ours, theirs] = pair;
        match (ours.kind(), theirs.kind()) {
            (NodeKind::Object, NodeKind::Object) => self.objects(pair),
            (NodeKind::Array, NodeKind::Array) => self.lists(pair),
            (NodeKind::String, NodeKind::String) => self.texts(pair),
            (left, right) if left == right => {
                if scalar(ours) != scalar(theirs) {
                    self.other(pair);
                }
            }
            _ => self.other(pair),
        }
    }

    /// Reports two texts that differ.
    fn plain_texts(&mut self, pair: ValuePair<'a>, texts: [&str; 2]) {
        if texts.iter().all(|text| text.len() <= MAX_FULL_TEXT_BYTES && !text.contains('\n')) {
            self.other(pair);
        } else {
            let at = describe_first_difference(texts[0], texts[1]);
            self.differ(pair, format!("The texts first differ at {at}"));
        }
    }

    /// Reports two values that differ.
    fn other(&mut self, pair: ValuePair<'a>) {
        let [ours, theirs] = pair.map(|node| quoted(&json::text(node)));
        self.differ(pair, format!("The tape has {ours}, the request has {theirs}"));
    }

    /// Reports a difference of two values, or ignores it.
    fn differ(&mut self, pair: ValuePair<'a>, message: String) {
        self.report(DifferenceKind::Value, ignore::kind_of(pair), pair, message);
    }

    fn objects(&mut self, pair: ValuePair<'a>) {
        let [ours, theirs] = pair;
        let (left, right) = (members(ours), members(theirs));
        for (key, value) in &left {
            match theirs.get(key) {
                Some(their_value) => self.values([*value, their_value]),
                None => self.missing(*value, theirs),
            }
        }
        for (_, value) in right.iter().filter(|(key, _)| ours.get(key).is_none()) {
            self.extra(ours, *value);
        }
        let shared_keys = |members: &[(&'a str, Node<'a>)], object: Node<'a>| {
            let keys = members.iter().map(|(key, _)| *key);
            keys.filter(|key| object.get(key).is_some()).collect::<Vec<_>>()
        };
        let (left, right) = (shared_keys(&left, theirs), shared_keys(&right, ours));
        // Only keys that both have: the others are reported one by one.
        if left != right {
            let [left, right] = [left, right]
                .map(|keys| listed(&keys.iter().map(|key| quoted(key)).collect::<Vec<_>>()));
            self.bytes(pair, format!("Equal in meaning, different in bytes: the keys are {left} in the tape, {right} in the request"));
        }
    }

    fn lists(&mut self, pair: ValuePair<'a>) {
        let [left, right] = pair.map(|list| list.items().collect::<Vec<_>>());
        let meanings =
            |items: &[Node<'a>]| items.iter().map(|item| canonical(*item)).collect::<Vec<_>>();
        // Aligned, so that one more event at the beginning does not make all others differ.
        for op in capture_diff_slices(Algorithm::Myers, &meanings(&left), &meanings(&right)) {
            let (tag, ours, theirs): (DiffTag, Range<usize>, Range<usize>) = op.as_tag_tuple();
            let paired_count = ours.len().min(theirs.len());
            for (ours, theirs) in ours.clone().zip(theirs.clone()) {
                self.values([left[ours], right[theirs]]);
            }
            if tag != DiffTag::Equal {
                ours.skip(paired_count).for_each(|ours| self.missing(left[ours], pair[1]));
                theirs.skip(paired_count).for_each(|theirs| self.extra(pair[0], right[theirs]));
            }
        }
    }

    fn texts(&mut self, pair: ValuePair<'a>) {
        // As UTF-16, since half a character is no text in Rust.
        let [ours, theirs] = pair.map(json::utf16);
        if ours == theirs {
            return;
        }
        let [left, right] = pair.map(|node| node.as_str().unwrap_or_default());
        if let Some(trees) = both_json([left, right]) {
            return self.texts_of_json(pair, [left, right], &trees);
        }
        if self.strictness == Strictness::Loose {
            let masks = [left, right].map(ignore::masked);
            if let Some(kind) = masks[0].1.filter(|_| masks[0].0 == masks[1].0) {
                let message =
                    format!("The texts first differ at {}", describe_first_difference(left, right));
                return self.ignore(kind, pair, message);
            }
        }
        self.plain_texts(pair, [left, right]);
    }

    /// Compares two texts that are JSON and reports differences by their place in it.
    fn texts_of_json(&mut self, pair: ValuePair<'a>, texts: [&str; 2], trees: &[Tree; 2]) {
        let roots = trees.each_ref().map(|tree| tree.node(document::NodeId::ROOT));
        let mut comparison = RequestComparison::new(self.strictness, roots);
        comparison.values(roots);
        let differences = comparison.differences.iter().chain(&comparison.ignored);
        // One report suffices if only bytes differ: each place inside would say the same.
        let is_same = differences.map(|d| d.kind).all(|kind| kind == DifferenceKind::Bytes);
        let describe = |difference: RequestDifference| {
            let at = if difference.pointer.is_empty() {
                "the top level".to_owned()
            } else {
                quoted(&difference.pointer)
            };
            format!(
                "In the JSON of the text, at {at}: {}",
                document::text::lower_first(&difference.message)
            )
        };
        if is_same {
            let at = describe_first_difference(texts[0], texts[1]);
            return self.bytes(pair, format!("Equal in meaning, different in bytes at {at}"));
        }
        for difference in comparison.differences {
            self.count(difference.kind, pair, describe(difference));
        }
        for difference in comparison.ignored {
            self.ignore(difference.kind, pair, describe(difference));
        }
    }

    /// Reports values with the same meaning but different bytes.
    fn bytes(&mut self, pair: ValuePair<'a>, message: String) {
        self.report(DifferenceKind::Bytes, Some(DifferenceKind::Bytes), pair, message);
    }

    fn missing(&mut self, ours: Node<'a>, parent: Node<'a>) {
        let message = format!("The request lacks {}", describe_value(ours));
        let ignored_kind = ignore::kind_of_one(ours);
        self.report(DifferenceKind::Missing, ignored_kind, [ours, parent], message);
    }

    fn extra(&mut self, parent: Node<'a>, theirs: Node<'a>) {
        let message = format!("The tape lacks {}", describe_value(theirs));
        let ignored_kind = ignore::kind_of_one(theirs);
        self.report(DifferenceKind::Extra, ignored_kind, [parent, theirs], message);
    }

    /// Reports a difference; a loose comparison ignores it if there is a kind for that.
    fn report(
        &mut self,
        kind: DifferenceKind,
        ignored_kind: Option<DifferenceKind>,
        pair: ValuePair<'a>,
        message: String,
    ) {
        match ignored_kind.filter(|_| self.strictness == Strictness::Loose) {
            Some(ignored_kind) => self.ignore(ignored_kind, pair, message),
            None => self.count(kind, pair, message),
        }
    }

    fn count(&mut self, kind: DifferenceKind, pair: ValuePair<'a>, message: String) {
        self.differences.push(self.difference(kind, pair, message));
    }

    fn ignore(&mut self, kind: DifferenceKind, pair: ValuePair<'a>, message: String) {
        self.ignored.push(self.difference(kind, pair, message));
    }

    fn difference(
        &self,
        kind: DifferenceKind,
        [ours, theirs]: ValuePair<'a>,
        message: String,
    ) -> RequestDifference {
        // The tape has no value there that could be named.
        let (side, node) = if kind == DifferenceKind::Extra { (1, theirs) } else { (0, ours) };
        let pointer = node.pointer();
        let root = self.roots[side].pointer();
        RequestDifference {
            kind,
            pointer: pointer.strip_prefix(&root).unwrap_or(&pointer).to_owned(),
            tape_place: ours.place(),
            request_place: theirs.place(),
            message,
        }
    }
}

/// Describes a value that one side lacks.
fn describe_value(node: Node<'_>) -> String {
    match node.key() {
        Some(key) => quoted(key),
        None => {
            let list = node.parent().and_then(Node::key);
            let element = if list == Some("history") { "event" } else { "element" };
            format!("{element} {}, {}", node.index() + 1, quoted(&json::text(node)))
        }
    }
}

/// Returns a number, boolean or null in comparable form.
fn scalar(node: Node<'_>) -> String {
    // `1.0` and `1e0` are the same number for `JSON.parse`.
    node.as_f64().map_or_else(|| json::text(node).into_owned(), javascript_number)
}

/// Parses both texts as JSON if both are lists or objects.
fn both_json(texts: [&str; 2]) -> Option<[Tree; 2]> {
    let parse_json = |text: &str| {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let (tree, problems) = json::parse(&Source::new(text));
        (problems.is_empty() && tree.is_well_formed()).then_some(tree)
    };
    let [left, right] = texts.map(parse_json);
    Some([left?, right?])
}

/// Describes where two texts first differ, with the text there in each.
fn describe_first_difference(left: &str, right: &str) -> String {
    let shared_len = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    let at = left.floor_char_boundary(shared_len).min(right.floor_char_boundary(shared_len));
    let place = Source::new(left).place(at);
    let excerpt = |text: &str| {
        let tail = text.get(at..).unwrap_or_default();
        let end = tail.char_indices().nth(24).map_or(tail.len(), |(end, _)| end);
        if tail.is_empty() { "the end".to_owned() } else { quoted(&tail[..end]) }
    };
    let (line, column) = (place.line, place.column);
    format!(
        "line {line}, column {column} of the text: {} in the tape, {} in the request",
        excerpt(left),
        excerpt(right)
    )
}
