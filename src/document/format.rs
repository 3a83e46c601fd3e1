//! Descriptions of home-made formats: where in a file the parts of each recorded call are.
//!
//! A pointer is a JSON Pointer (RFC 6901) in which `*` is every element of a list or every member of an object. Requests and answers
//! whose pointers have the same elements at their `*` are one call. `calls` is what the pointers of all parts begin with. Each line of
//! JSON Lines, each document of YAML and each element of a list that is the whole file has the pointers for itself. A pointer also
//! leads into JSON that is stored as text.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::foreign::ForeignFormat;
use super::found_calls::CallsFound;
use super::found_calls::Side;
use super::pointer_steps::{escape_step, unescape_step};
use super::recorded::{self, Payload, PayloadForm, RecordedCall};
use super::text_check::{self, TextCheck};
use super::{
    Document, DocumentBody, Node, NodeId, NodeKind, Problem, RuleId, Syntax, Tree, detect, json,
    parts, shapes, toml, toml_text, yaml,
};
use crate::text::{Source, counted, has_ending, named_enum, quoted};

named_enum! {
    /// A part of a recorded call that a pointer leads to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FormatPart {
        /// The list or the object whose elements are the calls.
        Calls = "calls",
        Request = "request",
        Answer = "answer",
        /// What the player of the recordings finds the call by.
        Key = "key",
        Time = "time",
        Status = "status",
        /// The test that made the call.
        Test = "test",
    }

    /// Every part.
    const ALL;

    /// The key in a table `[[format]]`.
    pub fn as_str;
}

/// The parts that a description need not have, besides the place of the calls.
const OPTIONAL_PARTS: [FormatPart; 4] =
    [FormatPart::Key, FormatPart::Time, FormatPart::Status, FormatPart::Test];

/// Pointers to the parts of each call; an empty one is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallPointers([String; FormatPart::ALL.len()]);

impl CallPointers {
    /// Returns the pointer to a part.
    pub fn get(&self, part: FormatPart) -> &str {
        &self.0[part as usize]
    }

    /// Returns the pointer to a part, to change it.
    pub fn get_mut(&mut self, part: FormatPart) -> &mut String {
        &mut self.0[part as usize]
    }

    /// Returns what is wrong with the pointers, with the part that it is about.
    pub fn fault(&self) -> Option<(FormatPart, String)> {
        let of_pointer = |part: &FormatPart| Some((*part, pointer_fault(self.get(*part))?));
        if let Some(fault) = FormatPart::ALL.iter().find_map(of_pointer) {
            return Some(fault);
        }
        let [request, answer] = [FormatPart::Request, FormatPart::Answer];
        if let Some(part) = [request, answer].into_iter().find(|part| self.get(*part).is_empty()) {
            return Some((part, format!("`{}` is missing", part.as_str())));
        }
        let stars = |part| self.get(part).split('/').filter(|token| *token == "*").count();
        let message = "`request` and `answer` have different numbers of `*`";
        (stars(request) != stars(answer)).then(|| (answer, message.to_owned()))
    }
}

/// Returns what is wrong with a pointer; nothing with an empty one, which is none.
fn pointer_fault(pointer: &str) -> Option<String> {
    let text = quoted(pointer);
    let has_escape = |rest: &str| rest.starts_with(['0', '1']);
    if !pointer.is_empty() && !pointer.starts_with('/') {
        Some(format!("The pointer {text} does not begin with `/`"))
    } else if !pointer.split('~').skip(1).all(has_escape) {
        Some(format!("The pointer {text} has a `~` of no escape: write `~0` for `~`, `~1` for `/`"))
    } else if pointer.split('/').any(|token| token == "**") {
        Some(format!("The pointer {text} has `**`: write one `*` for each level"))
    } else {
        None
    }
}

/// The description of a format: a table `[[format]]` of `retake.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordingFormat {
    /// Empty if it has none.
    pub name: String,
    /// Patterns of its files, as in `.gitignore`.
    pub paths: Vec<String>,
    /// `None`: the files are not recordings.
    pub pointers: Option<CallPointers>,
}

impl RecordingFormat {
    /// Returns it as a table of `retake.toml`.
    pub fn toml(&self) -> String {
        let mut text = "[[format]]\n".to_owned();
        let mut add = |key: &str, value: &str| text.push_str(&format!("{key} = {value}\n"));
        if !self.name.is_empty() {
            add("name", &toml_text::quote(&self.name));
        }
        let paths: Vec<String> = self.paths.iter().map(|path| toml_text::quote(path)).collect();
        add("paths", &format!("[{}]", paths.join(", ")));
        match &self.pointers {
            None => add("recording", "false"),
            Some(pointers) => {
                for part in FormatPart::ALL.iter().filter(|part| !pointers.get(**part).is_empty()) {
                    add(part.as_str(), &toml_text::quote(pointers.get(*part)));
                }
            }
        }
        text
    }

    /// Returns the name for messages.
    pub fn label(&self) -> String {
        if self.name.is_empty() {
            "described in retake.toml".to_owned()
        } else {
            quoted(&self.name)
        }
    }
}

/// Reads a file in which the calls are where the pointers lead.
pub(super) fn read(
    source: Source,
    file_name: &str,
    format: &RecordingFormat,
    pointers: &CallPointers,
) -> Document {
    if let TextCheck::Unreadable(problem) = text_check::check_text(&source) {
        let mut tree = Tree::new(source, Syntax::Json);
        tree.set_ill_formed();
        return Document::new(tree, Syntax::Json, DocumentBody::Unknown, vec![problem]);
    }
    let (mut tree, mut problems) =
        parse(&source, file_name.strip_suffix(".gz").unwrap_or(file_name));
    let mut count = 0;
    if tree.is_well_formed() {
        // The description is by the program of such a file, which alone can judge more than its syntax.
        if tree.parts().is_none() {
            problems.clear();
        }
        let (calls, fault) = find(&tree, pointers);
        count = calls.len();
        problems.extend(fault.map(|fault| fault.problem(format)));
        let calls = calls.into_iter().map(|call| call.map(Node::id)).collect();
        tree.describe_calls(CallsFound { calls, unsure: Vec::new() });
    }
    let syntax = tree.syntax();
    let body = DocumentBody::Foreign(ForeignFormat::Recorded.with_entries(count));
    Document::new(tree, syntax, body, problems)
}

fn parse(source: &Source, file_name: &str) -> (Tree, Vec<Problem>) {
    let text = source.text();
    let form = match detect::syntax(text, file_name) {
        Syntax::Toml => return toml::parse(source),
        Syntax::Yaml => {
            if !parts::has_documents(text) {
                return yaml::parse(source);
            }
            parts::PartsForm::Documents
        }
        _ => parts::PartsForm::Lines,
    };
    if form == parts::PartsForm::Lines && !has_ending(file_name, &[".jsonl", ".ndjson"]) {
        let (tree, problems) = json::parse(source);
        if tree.is_well_formed() {
            return (tree, problems);
        }
    }
    match parts::parse(source, form) {
        Some(tree) => (tree, Vec::new()),
        None if form == parts::PartsForm::Documents => yaml::parse(source),
        None => {
            let (tree, problems) = json::parse(source);
            if tree.is_well_formed() || !has_ending(file_name, &[".jsonl", ".ndjson"]) {
                return (tree, problems);
            }
            parts::parse_each(source, form)
        }
    }
}

/// One token of a pointer.
#[derive(Clone, Debug)]
enum PointerToken {
    /// Every element or member.
    Star,
    Key(String),
}

fn tokens(pointer: &str) -> Vec<PointerToken> {
    let tokens = pointer.split('/').skip(1).map(|token| match token {
        "*" => PointerToken::Star,
        _ => PointerToken::Key(unescape_step(token)),
    });
    tokens.collect()
}

/// A value that a pointer leads to.
struct Reached<'a> {
    node: Node<'a>,
    /// Bytes of the value in the text of `node`, if that is JSON in which the pointer goes on.
    inside: Option<Range<usize>>,
    /// The value of the last `*`, or the root.
    record: Node<'a>,
}

/// Reason that a pointer leads nowhere.
struct PointerFault<'a> {
    part: FormatPart,
    pointer: String,
    /// The last value on the way.
    last: Node<'a>,
    /// Number of tokens up to there.
    depth: usize,
    /// What the last value does not have.
    missing: String,
}

impl PointerFault<'_> {
    fn problem(&self, format: &RecordingFormat) -> Problem {
        let (part, pointer, last) = (self.part.as_str(), quoted(&self.pointer), self.last);
        let at = match last.bounded_pointer() {
            at if at.is_empty() => "the top of the file".to_owned(),
            at => quoted(&at),
        };
        let (name, missing) = (format.label(), &self.missing);
        let message =
            format!("The format {name} finds no {part} at {pointer}: it ends at {at}, {missing}");
        last.problem(RuleId::FormatMismatch, message)
    }
}

/// Follows the pointers to one part.
struct Walk<'a> {
    reached: BTreeMap<Vec<usize>, Reached<'a>>,
    fault: Option<(usize, Node<'a>, String)>,
    /// Whether a `*` led to an empty list or object.
    is_empty: bool,
}

impl<'a> Walk<'a> {
    fn new(root: Node<'a>, tokens: &[PointerToken]) -> Self {
        let mut walk = Self { reached: BTreeMap::new(), fault: None, is_empty: false };
        walk.follow(root, tokens, &mut Vec::new(), (root, 0));
        walk
    }

    fn follow(
        &mut self,
        node: Node<'a>,
        tokens: &[PointerToken],
        stars: &mut Vec<usize>,
        (record, depth): (Node<'a>, usize),
    ) {
        let Some((token, rest)) = tokens.split_first() else {
            self.reached.insert(stars.clone(), Reached { node, inside: None, record });
            return;
        };
        let is_container = matches!(node.kind(), NodeKind::Array | NodeKind::Object);
        match token {
            // Aliases of aliases would multiply the values.
            PointerToken::Star if is_container && !node.is_alias() => {
                self.is_empty |= node.is_empty();
                for (index, item) in node.items().enumerate() {
                    stars.push(index);
                    self.follow(item, rest, stars, (item, depth + 1));
                    stars.pop();
                }
            }
            PointerToken::Star => {
                self.stop(node, depth, format!("{}, not a list", node.kind().name()));
            }
            PointerToken::Key(key) => match member(node, key) {
                Some(member) => self.follow(member, rest, stars, (record, depth + 1)),
                None => match inside(node, tokens) {
                    Some(range) => {
                        let inside = Some(range);
                        self.reached.insert(stars.clone(), Reached { node, inside, record });
                    }
                    None => {
                        let what = match node.kind() {
                            NodeKind::String => "a string that is not JSON with",
                            NodeKind::Array => "a list without",
                            NodeKind::Object => "an object without",
                            _ => "a value without",
                        };
                        self.stop(node, depth, format!("{what} {}", quoted(key)));
                    }
                },
            },
        }
    }

    /// Notes the place that a pointer got to, if it is the farthest so far.
    fn stop(&mut self, node: Node<'a>, depth: usize, missing: String) {
        if self.fault.as_ref().is_none_or(|(farthest, ..)| depth > *farthest) {
            self.fault = Some((depth, node, missing));
        }
    }

    fn fault(&self, part: FormatPart, pointer: &str) -> Option<PointerFault<'a>> {
        let (depth, last, missing) = self.fault.as_ref().filter(|_| self.reached.is_empty())?;
        let (pointer, missing) = (pointer.to_owned(), missing.clone());
        Some(PointerFault { part, pointer, last: *last, depth: *depth, missing })
    }
}

fn member<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    match node.kind() {
        NodeKind::Array => node.items().nth(key.parse().ok()?),
        _ => node.get(key),
    }
}

/// Follows a pointer into JSON in a text. Returns the bytes of the value.
fn inside(node: Node<'_>, tokens: &[PointerToken]) -> Option<Range<usize>> {
    let tree = json::parse_container(&Source::new(node.as_str()?))?;
    let value = tokens.iter().try_fold(tree.root()?, |value, token| match token {
        PointerToken::Key(key) => member(value, key),
        // The values of a text have no places in the file, by which several calls could be named.
        PointerToken::Star => None,
    })?;
    let span = value.span();
    Some(span.start as usize..span.end as usize)
}

/// Finds the calls where the pointers lead; also why there is none, or none with both sides.
fn find<'a>(
    tree: &'a Tree,
    pointers: &CallPointers,
) -> (Vec<RecordedCall<'a>>, Option<PointerFault<'a>>) {
    let Some(root) = tree.root() else { return (Vec::new(), None) };
    let walk = |part| Walk::new(root, &all_tokens(root, pointers, part));
    let [sent, received] = [FormatPart::Request, FormatPart::Answer].map(walk);
    let fault = |walk: &Walk<'a>, part: FormatPart| walk.fault(part, &pointers.full(part));
    let faults = [fault(&sent, FormatPart::Request), fault(&received, FormatPart::Answer)]
        .into_iter()
        .flatten();
    // A list without calls is no fault.
    let is_empty = sent.is_empty && received.is_empty && sent.reached.is_empty();
    let fault = faults.max_by_key(|fault| fault.depth).filter(|_| !is_empty);
    let others = OPTIONAL_PARTS.map(|part| found_values(root, pointers, part));
    let mut answers = received.reached;
    let mut calls = Vec::new();
    for (stars, request) in sent.reached {
        let answer = answers.remove(&stars);
        calls.push((stars, request.record, [Some(request), answer]));
    }
    let rest =
        answers.into_iter().map(|(stars, answer)| (stars, answer.record, [None, Some(answer)]));
    calls.extend(rest);
    let calls = calls.into_iter().filter_map(|(stars, record, [request, answer])| {
        let sent = request.and_then(|reached| payload(&reached, Side::Request));
        let received = answer.and_then(|reached| payload(&reached, Side::Answer));
        let mut call = RecordedCall::new(record, [sent, received]);
        let [key, time, status, test] = &others;
        let value = |values: &HashMap<Vec<usize>, Node<'a>>| {
            (0..=stars.len()).rev().find_map(|end| values.get(&stars[..end]).copied())
        };
        call.time = value(time).or(call.time);
        call.status = value(status).or(call.status);
        (call.key, call.test) = (value(key), value(test));
        (sent.is_some() || received.is_some()).then_some(call)
    });
    let mut calls: Vec<RecordedCall<'a>> = calls.collect();
    calls.sort_by_key(|call| call.node.id());
    (calls, fault)
}

/// Returns the tokens from the root to a part of each call.
fn all_tokens(root: Node<'_>, pointers: &CallPointers, part: FormatPart) -> Vec<PointerToken> {
    let all = tokens(&pointers.full(part));
    let is_of_root = match all.first() {
        Some(PointerToken::Key(key)) => {
            root.kind() == NodeKind::Array && key.parse::<usize>().is_err()
        }
        Some(PointerToken::Star) | None => false,
    };
    let each = (is_of_root || root.tree().parts().is_some()).then_some(PointerToken::Star);
    each.into_iter().chain(all).collect()
}

/// Returns the values of a part that the description need not have, by the elements at the `*` of their pointer. A pointer that leads
/// nowhere from the calls is one from the top of the file.
fn found_values<'a>(
    root: Node<'a>,
    pointers: &CallPointers,
    part: FormatPart,
) -> HashMap<Vec<usize>, Node<'a>> {
    if pointers.get(part).is_empty() {
        return HashMap::new();
    }
    let mut walk = Walk::new(root, &all_tokens(root, pointers, part));
    if walk.reached.is_empty() {
        let from_top = pointers.clone().without_calls();
        walk = Walk::new(root, &all_tokens(root, &from_top, part));
    }
    let is_scalar =
        |reached: &Reached<'a>| reached.inside.is_none() && reached.node.scalar_text().is_some();
    let reached = walk.reached.into_iter().filter(|(_, reached)| is_scalar(reached));
    reached.map(|(stars, reached)| (stars, reached.node)).collect()
}

impl CallPointers {
    /// Returns the pointer from the top of the file to a part of each call.
    pub fn full(&self, part: FormatPart) -> String {
        format!("{}{}", self.each_call(), self.get(part))
    }

    fn each_call(&self) -> String {
        let calls = self.get(FormatPart::Calls);
        let star = if calls.is_empty() || calls.ends_with("/*") { "" } else { "/*" };
        format!("{calls}{star}")
    }

    fn without_calls(mut self) -> Self {
        self.get_mut(FormatPart::Calls).clear();
        self
    }
}

/// Parts that a description finds in all of its files.
#[derive(Clone, Debug, Default)]
pub struct FormatEvidence {
    /// Number of files that were read.
    files: usize,
    /// The optional parts that were found in any call.
    found: Vec<FormatPart>,
    /// The parts that lead to values of the sides that they are for, and those that lead to values of the other side.
    right: Vec<FormatPart>,
    wrong: Vec<FormatPart>,
    has_calls: bool,
}

impl FormatEvidence {
    /// Adds what the description of a file finds in it.
    pub fn add(&mut self, document: &Document) {
        let pointers = document.format.as_deref().and_then(|format| format.pointers.as_ref());
        let (Some(pointers), Some(root)) = (pointers, document.tree.root()) else { return };
        self.files += 1;
        for part in OPTIONAL_PARTS {
            if !found_values(root, pointers, part).is_empty() {
                self.found.push(part);
            }
        }
        for part in [FormatPart::Request, FormatPart::Answer] {
            let walk = Walk::new(root, &all_tokens(root, pointers, part));
            self.has_calls |= !walk.reached.is_empty();
            for is_request in walk.reached.values().filter_map(Reached::is_request) {
                let is_right = is_request == (part == FormatPart::Request);
                if is_right { &mut self.right } else { &mut self.wrong }.push(part);
            }
        }
        for parts in [&mut self.found, &mut self.right, &mut self.wrong] {
            parts.sort_by_key(|part| *part as usize);
            parts.dedup();
        }
    }

    /// Returns whether no other file can show a fault of a description.
    pub fn is_settled(&self, format: &RecordingFormat) -> bool {
        self.has_calls && self.faults(format).is_empty()
    }

    /// Returns what is wrong with a description in all files that were read, with the parts that it is about.
    pub fn faults(&self, format: &RecordingFormat) -> Vec<(FormatPart, String)> {
        let Some(pointers) = format.pointers.as_ref().filter(|_| self.has_calls) else {
            return Vec::new();
        };
        let files = counted(self.files, "file was read", "files were read");
        let name = format.label();
        let is_wrong = |part| self.wrong.contains(&part) && !self.right.contains(&part);
        let finds = |found: &str, part| {
            let pointer = quoted(&pointers.full(part));
            (part, format!("The format {name} finds {found} at {pointer}; {files}"))
        };
        let sides = match [FormatPart::Request, FormatPart::Answer].map(is_wrong) {
            [true, true] => Some((
                FormatPart::Request,
                format!(
                    "The format {name} finds answers at `request`, and requests at `answer`: swap the two pointers"
                ),
            )),
            [true, false] => Some(finds("answers, and no requests,", FormatPart::Request)),
            [false, true] => Some(finds("requests, and no answers,", FormatPart::Answer)),
            [false, false] => None,
        };
        let is_absent =
            |part: &FormatPart| !pointers.get(*part).is_empty() && !self.found.contains(part);
        let absent = OPTIONAL_PARTS.into_iter().filter(is_absent).map(|part| {
            let (noun, pointer) = (part.as_str(), quoted(pointers.get(part)));
            (part, format!("The format {name} finds no {noun} at {pointer}; {files}"))
        });
        sides.into_iter().chain(absent).collect()
    }
}

impl Reached<'_> {
    /// Returns whether it has the shape of a request, and not of an answer; `None` if it has neither.
    fn is_request(&self) -> Option<bool> {
        let is_request = |node: Node<'_>| Some(recorded::payload(node)?.side == Side::Request);
        match &self.inside {
            None => is_request(self.node),
            Some(range) => {
                let text = self.node.as_str()?.get(range.clone())?;
                is_request(json::parse(&Source::new(text)).0.root()?)
            }
        }
    }
}

/// Returns the payload that is at a place; of any shape, in any of the forms in which recorders store one.
fn payload<'a>(reached: &Reached<'a>, side: Side) -> Option<Payload<'a>> {
    let node = reached.node;
    if let Some(range) = &reached.inside {
        let form = PayloadForm::Inside { start: range.start, end: range.end };
        return Some(Payload { node, form, side, api: None });
    }
    if node.kind() == NodeKind::Null {
        return None;
    }
    let known = recorded::payload(node).map(|known| {
        let api = known.api.filter(|_| known.side == side);
        Payload { side, api, ..known }
    });
    let of_any_shape = || {
        let is_list_of_texts = node.items().all(|item| item.as_str().is_some());
        let form = match node.kind() {
            NodeKind::Array if is_list_of_texts => recorded::untyped_form(node).1,
            NodeKind::Object | NodeKind::Array => PayloadForm::Tree,
            _ => PayloadForm::Text,
        };
        Payload { node, form, side, api: None }
    };
    Some(known.unwrap_or_else(of_any_shape))
}

/// Guesses the pointers of a document: from the calls that were found by their shape, or else from the names of members.
pub fn guess(document: &Document) -> CallPointers {
    if let Some(RecordingFormat { pointers: Some(pointers), .. }) = document.format.as_deref() {
        return pointers.clone();
    }
    // Lines of another program have no values until they are described.
    let parse_lines = || parts::parse(document.source(), parts::PartsForm::Lines);
    let lines = if document.tree.root().is_none() { parse_lines() } else { None };
    let tree = lines.as_ref().unwrap_or(&document.tree);
    let found = recorded::find(tree).calls;
    let mut calls =
        found.iter().filter_map(|call| Some((call, call.sent?.node, call.received?.node)));
    if let Some((call, sent, received)) = calls.next() {
        let others = [found.get(1), found.last()].into_iter().flatten();
        let branches: Vec<NodeId> =
            others.filter_map(|other| branch(call.node, other.node)).collect();
        let pointer = |node| general_pointer(node, call.node, &branches);
        let mut all = CallPointers::default();
        *all.get_mut(FormatPart::Request) = pointer(sent);
        *all.get_mut(FormatPart::Answer) = pointer(received);
        *all.get_mut(FormatPart::Time) = call.time.map(pointer).unwrap_or_default();
        *all.get_mut(FormatPart::Status) = call.status.map(pointer).unwrap_or_default();
        return all.relative_to_calls(tree);
    }
    let records = tree.nodes().filter(|node| shapes::is_object(*node) && !node.is_alias());
    let sides = records.filter_map(|record| {
        let side = |side| {
            let items = record.items().filter(|item| side_of(item.key()) == Some(side));
            // An id or a date is shorter than what it belongs to.
            items.max_by_key(|item| item.span().len())
        };
        Some((record, side(0)?, side(1)?))
    });
    let Some((record, sent, received)) = sides.into_iter().next() else {
        return CallPointers::default();
    };
    let mut all = CallPointers::default();
    *all.get_mut(FormatPart::Request) = general_pointer(sent, record, &[]);
    *all.get_mut(FormatPart::Answer) = general_pointer(received, record, &[]);
    all.relative_to_calls(tree)
}

/// Returns the side that the key of a value names, also by a word that other values have as well.
fn side_of(key: Option<&str>) -> Option<usize> {
    let key = recorded::plain(key?);
    let of_word = || match &*key {
        "prompt" | "question" | "query" => Some(0),
        "completion" => Some(1),
        _ => None,
    };
    recorded::side_named(&key).or_else(of_word)
}

/// Returns the value around a record that is beside the one around another record.
fn branch(record: Node<'_>, other: Node<'_>) -> Option<NodeId> {
    let at = other.id().number() as usize;
    let is_branch = |node: &Node<'_>| {
        let is_around = node.parent().is_some_and(|parent| parent.positions().contains(&at));
        is_around && !node.positions().contains(&at)
    };
    record.ancestors().find(is_branch).map(Node::id)
}

/// Returns the pointer to a value with `*` for these values around it, and for the elements of lists around its record. In the record,
/// the place in a list is that of a part.
fn general_pointer(value: Node<'_>, record: Node<'_>, branches: &[NodeId]) -> String {
    let mut nodes: Vec<Node<'_>> = value.ancestors().collect();
    nodes.pop();
    let is_in_record = |node: Node<'_>| {
        node.id() != record.id() && record.positions().contains(&(node.id().number() as usize))
    };
    let tokens = nodes.into_iter().rev().map(|node| match node.key() {
        Some(_) if branches.contains(&node.id()) => "*".to_owned(),
        Some(key) => escape_step(key),
        None if is_in_record(node) => node.index().to_string(),
        None => "*".to_owned(),
    });
    tokens.map(|token| format!("/{token}")).collect()
}

impl CallPointers {
    /// Returns the same pointers with the common beginning up to their last `*` in `calls`, as people write it.
    fn relative_to_calls(mut self, tree: &Tree) -> Self {
        let is_list = || tree.root().is_some_and(|root| root.kind() == NodeKind::Array);
        // A number would be the place in the whole list.
        let has_place = || {
            let place = self.get(FormatPart::Request).strip_prefix("/*/").unwrap_or_default();
            place.starts_with(|c: char| c.is_ascii_digit())
        };
        if tree.parts().is_some() || is_list() && !has_place() {
            // Each element has the pointers for itself.
            for pointer in &mut self.0 {
                *pointer = pointer.strip_prefix("/*").unwrap_or(pointer).to_owned();
            }
        }
        let request = self.get(FormatPart::Request);
        let Some(end) = request.rfind("/*/") else { return self };
        let (calls, star) = (request[..end].to_owned(), format!("{}/*", &request[..end]));
        if !self.get(FormatPart::Answer).starts_with(&star) {
            return self;
        }
        for pointer in &mut self.0 {
            *pointer = pointer.strip_prefix(&star).unwrap_or(pointer).to_owned();
        }
        *self.get_mut(FormatPart::Calls) = if calls.is_empty() { star } else { calls };
        self
    }
}

/// Returns the pattern of one file.
pub fn path_pattern(path: &str) -> String {
    let is_sign = |c: char| "\\*?[".contains(c);
    // With a slash, a pattern is for this folder only.
    let slash = if path.contains('/') { "" } else { "/" };
    let letters = path.chars().flat_map(|c| is_sign(c).then_some('\\').into_iter().chain([c]));
    slash.chars().chain(letters).collect()
}

/// Returns the folder of a path with its slash, the name, and the ending of that.
fn split_path(path: &str) -> (&str, &str, &str) {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let plain_name = name.strip_suffix(".gz").unwrap_or(name);
    let (stem, ending) = match plain_name.rfind('.') {
        Some(dot) if dot > 0 => name.split_at(dot),
        _ => (name, ""),
    };
    (folder, stem, ending)
}

/// Returns whether two files are in the same folder, and have names with the same ending.
pub fn is_named_alike(path: &str, other: &str) -> bool {
    let ((folder, _, ending), (other_folder, _, other_ending)) =
        (split_path(path), split_path(other));
    !ending.is_empty() && folder == other_folder && ending == other_ending
}

/// Returns the narrowest patterns for files that are alike and [named alike](is_named_alike), of which the first one counts most, and for
/// none of the others in their folder: for all with their ending, for the part of their names that only they have, or for each of them.
pub fn narrow_patterns(alike: &[&str], others: &[&str]) -> Vec<String> {
    /// A longer list of names is hard to correct.
    const MAX_NAMED_FILES: usize = 5;
    let [path, ..] = alike else { return Vec::new() };
    let (folder, stem, ending) = split_path(path);
    let stems: Vec<&str> = alike.iter().map(|path| split_path(path).1).collect();
    // Words end at signs, so that letters that are equal by chance are no part of the pattern.
    let is_common = |start: &str, end: &str| {
        let is_of = |stem: &&str| {
            stem.len() >= start.len() + end.len() && stem.starts_with(start) && stem.ends_with(end)
        };
        stems.iter().all(is_of) && !others.iter().any(|path| is_of(&split_path(path).1))
    };
    let signs = || stem.match_indices(|c: char| "-_. ".contains(c)).map(|(at, _)| at);
    let starts = [""].into_iter().chain(signs().map(|at| &stem[..=at]));
    let ends = || [""].into_iter().chain(signs().map(|at| &stem[at..]));
    let mut parts = starts.flat_map(|start| ends().map(move |end| (start, end)));
    let common = parts.find(|(start, end)| !ending.is_empty() && is_common(start, end));
    match common {
        Some((start, end)) if alike.len() > 1 || others.is_empty() => {
            // No path has this character.
            vec![path_pattern(&format!("{folder}{start}\0{end}{ending}")).replace('\0', "*")]
        }
        _ if alike.len() <= MAX_NAMED_FILES => {
            alike.iter().map(|path| path_pattern(path)).collect()
        }
        _ => vec![path_pattern(path)],
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{read, read_as};

    const REQUEST: &str = r#"{"model": "m", "messages": [{"role": "user", "content": "a"}]}"#;
    const ANSWER: &str = r#"{"choices": [{"message": {"role": "assistant", "content": "b"}}]}"#;

    /// Returns a description by its pointers as they are written: `request=/q answer=/a`.
    fn format(pointers: &str) -> Arc<RecordingFormat> {
        let mut format = RecordingFormat::default();
        let mut all = CallPointers::default();
        for pointer in pointers.split(' ') {
            let (name, pointer) = pointer.split_once('=').unwrap();
            let part = FormatPart::ALL.iter().find(|part| part.as_str() == name).unwrap();
            pointer.clone_into(all.get_mut(*part));
        }
        format.pointers = Some(all);
        Arc::new(format)
    }

    /// Returns each call with the pointers of its record and its parts; then the problems.
    fn describe(pointers: &str, name: &str, text: &str) -> String {
        let document = read_as(Source::new(text), name, Some(&format(pointers)));
        let calls = recorded::find(&document.tree).calls.into_iter().map(|call| {
            let pointer = |node: Option<Node<'_>>| node.map_or("-".to_owned(), Node::pointer);
            let payload = |payload: Option<Payload<'_>>| match payload {
                Some(payload) => format!("{} {:?}", payload.node.pointer(), payload.form),
                None => "-".to_owned(),
            };
            assert!(recorded::at(call.node).is_some_and(|one| one.node.id() == call.node.id()));
            let rest = [call.key, call.time, call.status, call.test].map(pointer).join(" ");
            format!(
                "{}: {}, {}, {rest}",
                call.node.pointer(),
                payload(call.sent),
                payload(call.received)
            )
        });
        let problems = document.problems.iter().map(|problem| problem.message.to_string());
        calls.chain(problems).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn parts_are_found_from_each_call_and_from_the_top() {
        let text = r#"{"test": "t1", "log": [{"q": {"x": 1}, "a": "text", "at": "now", "code": 200, "id": "k"}, {"q": {}, "a": null}, {"q": null, "a": ["x", "y"]}, 5]}"#;
        let pointers = "calls=/log request=/q answer=/a key=/id time=/at status=/code test=/test";
        insta::assert_snapshot!(describe(pointers, "a.json", text), @"
        /log/0: /log/0/q Tree, /log/0/a Text, /log/0/id /log/0/at /log/0/code /test
        /log/1: /log/1/q Tree, -, - - - /test
        /log/2: -, /log/2/a Lines(\"\\n\"), - - - /test
        ");
    }

    #[test]
    fn a_pointer_leads_through_escapes_aliases_and_texts() {
        let yaml =
            "base: &b\n  a/b: {x: 1}\ncopy: *b\n~: 1\ntext: '{\"q\": [\"{}\", {\"z\": 1}]}'\n";
        let cases = [
            "request=/copy/a~1b answer=/base/a~1b",
            "request=/text/q/1 answer=/text/q/0",
            "request=/text/q/2 answer=/text/q/0",
            "request=/text/*/1 answer=/text/*/0",
            "request=/base/*/1 answer=/base/*/0",
        ];
        let lines: Vec<String> = cases.iter().map(|case| describe(case, "a.yaml", yaml)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        : /base/a~1b Tree, /base/a~1b Tree, - - - -
        : /text Inside { start: 13, end: 21 }, /text Inside { start: 7, end: 11 }, - - - -
        : -, /text Inside { start: 7, end: 11 }, - - - -
        The format described in retake.toml finds no request at `/text/q/2`: it ends at `/text`, a string that is not JSON with `q`
        The format described in retake.toml finds no answer at `/text/*/0`: it ends at `/text`, a string, not a list
        The format described in retake.toml finds no answer at `/base/*/0`: it ends at `/base/a~1b`, an object without `0`
        ");
    }

    #[test]
    fn a_guess_finds_the_same_calls() {
        let record = format!(r#"{{"s": {{"body": {REQUEST}}}, "r": {ANSWER}, "status": 200}}"#);
        let texts = [
            record.clone(),
            format!("[{record}, {record}]"),
            format!(r#"{{"log": [{record}, {record}]}}"#),
            format!(r#"{{"log": [{record}]}}"#),
            format!(r#"{{"k1": {record}, "k2": {record}}}"#),
            format!(r#"{{"a": {{"k/1": {record}, "k2": {record}}}}}"#),
            format!(r#"{{"requests": [{REQUEST}, {REQUEST}], "responses": [{ANSWER}, {ANSWER}]}}"#),
            format!(r#"{{"call": [{REQUEST}, {ANSWER}]}}"#),
            format!("[[{REQUEST}, {ANSWER}], [{REQUEST}, {ANSWER}]]"),
            format!("{record}\n{record}\n"),
            format!(r#"{{"log": [{{"wire": {record}}}, {{"wire": {record}}}]}}"#),
            format!(r#"{{"k1": {{"wire": {record}}}, "k2": {{"wire": {record}}}}}"#),
        ];
        let mut lines = Vec::new();
        for text in &texts {
            let name = if text.contains('\n') { "a.jsonl" } else { "fixtures/a.json" };
            let document = read(Source::new(text.as_str()), name);
            let pointers = guess(&document);
            let written = FormatPart::ALL.iter().filter(|part| !pointers.get(**part).is_empty());
            let written: Vec<String> =
                written.map(|part| format!("{}={}", part.as_str(), pointers.get(*part))).collect();
            let written = written.join(" ");
            let described = read_as(Source::new(text.as_str()), name, Some(&format(&written)));
            let ids = |document: &Document| -> Vec<_> {
                let calls = recorded::find(&document.tree).calls.into_iter();
                calls
                    .map(|call| (call.sent.unwrap().node.id(), call.received.unwrap().node.id()))
                    .collect()
            };
            assert_eq!(ids(&described), ids(&document), "{written} {text}");
            assert_eq!(described.problems, [], "{written}");
            lines.push(written);
        }
        insta::assert_snapshot!(lines.join("\n"), @"
        request=/s/body answer=/r status=/status
        request=/s/body answer=/r status=/status
        calls=/log request=/s/body answer=/r status=/status
        calls=/log request=/s/body answer=/r status=/status
        calls=/* request=/s/body answer=/r status=/status
        calls=/a request=/s/body answer=/r status=/status
        request=/requests/* answer=/responses/*
        request=/call/0 answer=/call/1
        calls=/* request=/0 answer=/1
        request=/s/body answer=/r status=/status
        calls=/log request=/wire/s/body answer=/wire/r status=/wire/status
        calls=/* request=/wire/s/body answer=/wire/r status=/wire/status
        ");
        for (text, request, answer) in [
            (r#"{"calls": [{"input": 1, "output": 2}]}"#, "/calls/*/input", "/calls/*/output"),
            (r#"[{"n": 1, "prompt": "a", "completion": "b"}]"#, "/prompt", "/completion"),
            (
                r#"{"task": "t", "attempts": [{"n": 1, "llm": {"requestId": 7, "request": "abc", "response": {}}}]}"#,
                "/attempts/*/llm/request",
                "/attempts/*/llm/response",
            ),
            ("{\"prompt\": \"a\", \"completion\": \"b\"}\n{\"x\": 1}\n", "/prompt", "/completion"),
            ("[1]", "", ""),
        ] {
            let name = if text.contains('\n') { "logs/a.jsonl" } else { "a.json" };
            let pointers = guess(&read(Source::new(text), name));
            let found = [FormatPart::Request, FormatPart::Answer].map(|part| pointers.full(part));
            assert_eq!(found, [request, answer], "{text}");
        }
    }

    #[test]
    fn patterns_are_for_files_alike_and_for_no_others() {
        for (alike, others, patterns) in [
            ("a.json", "", "/*.json"),
            ("x/a.b.json", "", "x/*.json"),
            ("x/a[1].yaml.gz x/b.yaml.gz", "", "x/*.yaml.gz"),
            ("x/.hidden", "", "x/.hidden"),
            ("x/name", "", "x/name"),
            ("x/a[1].json", "x/b.json", "x/a\\[1].json"),
            ("x/call-1.json x/call-12.json", "x/config.json", "x/call-*.json"),
            ("x/call_a_1.json x/call_b_1.json", "x/call_a_2.json", "x/*_1.json"),
            ("x/a.req.json x/b.req.json", "x/a.json", "x/*.req.json"),
            ("alpha.json gamma.json", "b.json", "/alpha.json /gamma.json"),
            ("1.json 2.json 3.json 4.json 5.json 6.json", "b.json", "/1.json"),
        ] {
            let [alike, others]: [Vec<&str>; 2] =
                [alike, others].map(|paths| paths.split_whitespace().collect());
            assert_eq!(narrow_patterns(&alike, &others).join(" "), patterns, "{alike:?}");
            assert!(others.iter().all(|other| is_named_alike(other, alike[0])));
        }
        assert!(!is_named_alike("x/a.json", "x/b/a.json"));
        assert!(!is_named_alike("x/name", "x/other"));
    }

    /// Returns what is wrong with a description in all files together.
    fn faults(pointers: &str, texts: &[&str]) -> String {
        let format = format(pointers);
        let mut evidence = FormatEvidence::default();
        for text in texts {
            evidence.add(&read_as(Source::new(*text), "a.json", Some(&format)));
        }
        let faults = evidence.faults(&format).into_iter();
        faults.map(|(part, message)| format!("{}: {message}\n", part.as_str())).collect()
    }

    #[test]
    fn a_fault_is_in_all_files_or_in_none() {
        let full = format!(r#"{{"q": {REQUEST}, "a": {ANSWER}, "t": "now", "code": 200}}"#);
        let bare = format!(r#"{{"q": {REQUEST}, "a": {ANSWER}, "code": {{}}}}"#);
        let text = format!(r#"{{"q": {}, "a": "text"}}"#, json::quote(ANSWER));
        let error = r#"{"q": {"any": 1}, "a": {"error": {"message": "no", "type": "t"}}}"#;
        let inside = format!(r#"{{"in": {}}}"#, json::quote(&bare));
        let all = "request=/q answer=/a time=/t status=/code";
        let cases = [
            (all, vec![&*full, &bare]),
            (all, vec![&bare, "[]"]),
            (all, vec!["[]", "{}"]),
            ("request=/a answer=/q", vec![&bare, error]),
            ("request=/a answer=/a", vec![&bare]),
            ("request=/q answer=/a", vec![&text]),
            ("request=/q answer=/a", vec![&text, &bare, error]),
            ("request=/in/a answer=/in/q", vec![&inside]),
        ];
        let lines = cases
            .iter()
            .map(|(pointers, texts)| format!("{pointers}\n{}", faults(pointers, texts)));
        insta::assert_snapshot!(lines.collect::<String>(), @"
        request=/q answer=/a time=/t status=/code
        request=/q answer=/a time=/t status=/code
        time: The format described in retake.toml finds no time at `/t`; 2 files were read
        status: The format described in retake.toml finds no status at `/code`; 2 files were read
        request=/q answer=/a time=/t status=/code
        request=/a answer=/q
        request: The format described in retake.toml finds answers at `request`, and requests at `answer`: swap the two pointers
        request=/a answer=/a
        request: The format described in retake.toml finds answers, and no requests, at `/a`; 1 file was read
        request=/q answer=/a
        request: The format described in retake.toml finds answers, and no requests, at `/q`; 1 file was read
        request=/q answer=/a
        request=/in/a answer=/in/q
        request: The format described in retake.toml finds answers at `request`, and requests at `answer`: swap the two pointers
        ");
    }

    proptest::proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn no_text_and_no_pointer_is_too_strange(
            text in "[\\[\\]{}\":,a*~/0-9 \n&-]{0,40}",
            pointers in proptest::array::uniform3("(/[a*0~]{0,2}){0,4}"),
            name in "a\\.(json|jsonl|yaml|toml|txt)",
        ) {
            let mut all = CallPointers::default();
            for (part, pointer) in FormatPart::ALL.iter().zip(pointers) {
                *all.get_mut(*part) = pointer;
            }
            let format = RecordingFormat { pointers: Some(all), ..RecordingFormat::default() };
            let document = read_as(Source::new(text), &name, Some(&Arc::new(format)));
            let _ = guess(&document);
            for call in recorded::find(&document.tree).calls {
                let _ = crate::cassette::Interaction::parse(call.node).map(|call| call.request_body());
            }
        }
    }
}
