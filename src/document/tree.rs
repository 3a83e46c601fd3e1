//! The values of a JSON or YAML text, each with its place.
//!
//! A [`Tree`] is a parsed [`Source`]: it stores only text that had to be decoded, and every value and key
//! has its byte range. The formats read their fields from it; edits find their spans in it.

use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};

use super::Syntax;
use super::found_calls::CallsFound;
use super::pointer_steps::{escape_step, unescape_step};
use super::problem::{Problem, RuleId};
use crate::text::{Place, Source, Span, named_enum};

/// Names a value of one [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The outermost value of a tree that is not empty.
    pub const ROOT: Self = Self(0);

    pub fn number(self) -> u32 {
        self.0
    }

    /// Names the value with this [number](Self::number).
    pub fn from_number(number: u32) -> Self {
        Self(number)
    }
}

named_enum! {
    /// The type of a value, as the parser of the file's owner would see it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum NodeKind {
        /// `null`, or a YAML plain scalar that reads as null.
        Null = "null",
        /// `true` or `false`, or what YAML 1.1 reads so (`yes`, `off`, …).
        Bool = "a boolean",
        /// Any number, as written.
        Number = "a number",
        String = "a string",
        /// A YAML plain scalar that PyYAML reads as a date or time.
        Timestamp = "a date",
        Array = "a list",
        /// An object; in YAML a mapping.
        Object = "an object",
        /// Code that is not a literal: its value is unknown.
        Expression = "an expression",
    }

    /// The name in a message, with its article.
    pub fn name;
}

/// How the values of a text follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartsForm {
    /// A JSON value a line.
    Lines,
    /// A JSON value in the `data` of each server-sent event.
    Events,
    /// YAML documents, divided by `---`.
    Documents,
}

/// Kept small, at 36 bytes: a file of 200 MiB may hold eight million values.
///
/// Values are in the order of the text, parents before their parts, so the parts of a container are the values from the
/// next one up to `after`.
#[derive(Clone, Debug)]
struct NodeData {
    span: Span,
    /// The member's key as written (JSON: with its quotes); empty for elements and roots. Of a decoded key the start is its index
    /// in [`Tree::decoded`], which has the place.
    key: Span,
    /// Value of `holds`: a number of parts, the id of an alias's target, or an index in [`Tree::decoded`].
    payload: u32,
    /// [`NO_PARENT`] for the root.
    parent: NodeId,
    /// The id after the last value inside this one.
    after: u32,
    /// Position among the parent's parts.
    index: u32,
    kind: NodeKind,
    key_form: TextForm,
    holds: NodePayload,
    /// The member is a YAML merge key: its value's members count as the parent's.
    merge: bool,
}

/// The parent of a root.
const NO_PARENT: NodeId = NodeId(u32::MAX);

/// Content of a node besides its bytes.
#[derive(Clone, Copy, Debug)]
enum NodePayload {
    /// Nothing: the bytes are sufficient.
    Raw,
    /// A string's text.
    Text(TextForm),
    /// A container's number of parts.
    Count,
    /// A YAML alias for another value.
    Alias,
}

/// Place of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextForm {
    /// There is none: not a member.
    None,
    /// The bytes of its span, unchanged.
    Plain,
    /// The bytes of its span without the quotes.
    Quoted,
    /// Decoded, because it had escapes or was folded.
    Decoded,
}

/// A text that differs from its bytes.
#[derive(Clone, Debug)]
struct Decoded {
    span: Span,
    text: Box<str>,
}

/// All values of one text. Built by `json`, `yaml`, `toml` and `code`.
#[derive(Clone, Debug)]
pub struct Tree {
    source: Source,
    syntax: Syntax,
    nodes: Vec<NodeData>,
    decoded: Vec<Decoded>,
    well_formed: bool,
    fault: Option<Box<Problem>>,
    parts: Option<PartsForm>,
    /// The calls in it, once they were looked for.
    pub(crate) recorded_calls: OnceLock<Arc<CallsFound<NodeId>>>,
    is_described: bool,
}

/// The most values of one file that are read. Each costs [`VALUE_BYTES`], so a file of 256 MiB that contains only `0,` would
/// need gigabytes; recordings and archives have 30 bytes a value and more, tapes of single words a dozen.
pub const MAX_VALUES: usize = 8 << 20;

/// Number of bytes of memory that each value of a [`Tree`] takes, besides text that had to be decoded.
pub const VALUE_BYTES: usize = size_of::<NodeData>();

// Larger nodes would need a lower limit: together they bound the memory that one file takes.
const _: () = assert!(MAX_VALUES * VALUE_BYTES <= 300 << 20);

/// A key on its way into a tree.
#[derive(Clone, Debug)]
pub(crate) struct MemberKey {
    pub(crate) span: Span,
    pub(crate) text: Scalar,
}

/// The text of a string or key on its way into a tree.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    /// The same bytes as in the source.
    Plain,
    /// The same bytes as in the source, between two quotes of one byte.
    Quoted,
    Decoded(String),
}

impl Tree {
    /// A tree without values, to be filled by a parser.
    pub(crate) fn new(source: Source, syntax: Syntax) -> Self {
        // One value in 64 bytes is a guess; the limit keeps a long text of few values from reserving much memory.
        let nodes = (source.text().len() / 64).min(1 << 12);
        Self {
            source,
            syntax,
            nodes: Vec::with_capacity(nodes),
            decoded: Vec::new(),
            well_formed: true,
            fault: None,
            parts: None,
            recorded_calls: OnceLock::new(),
            is_described: false,
        }
    }

    /// A tree with a list as its root, to which the values of a text are added with [`Self::append`].
    pub(crate) fn of_parts(source: Source, syntax: Syntax, form: PartsForm) -> Self {
        let mut tree = Self { parts: Some(form), ..Self::new(source, syntax) };
        tree.push(None, None, NodeKind::Array, Span::default(), None);
        tree
    }

    /// Adds all values of the tree of a part of the text, which starts at byte `offset`, to the list that is the root.
    pub(crate) fn append(&mut self, part: Self, offset: usize) {
        let (first_node, first_text) = (self.nodes.len() as u32, self.decoded.len() as u32);
        let shifted =
            |span: Span| Span::new(span.start as usize + offset, span.end as usize + offset);
        let nodes = part.nodes.into_iter().map(|node| {
            let is_root = node.parent == NO_PARENT;
            let payload = match node.holds {
                NodePayload::Text(TextForm::Decoded) => node.payload + first_text,
                NodePayload::Alias => node.payload + first_node,
                _ => node.payload,
            };
            NodeData {
                span: shifted(node.span),
                key: match node.key_form {
                    TextForm::None => node.key,
                    TextForm::Decoded => Span::empty((node.key.start + first_text) as usize),
                    TextForm::Plain | TextForm::Quoted => shifted(node.key),
                },
                payload,
                parent: if is_root { NodeId::ROOT } else { NodeId(node.parent.0 + first_node) },
                after: node.after + first_node,
                index: if is_root { self.nodes[0].payload } else { node.index },
                ..node
            }
        });
        let nodes: Vec<NodeData> = nodes.collect();
        self.nodes[0].payload += u32::from(!nodes.is_empty());
        self.nodes.extend(nodes);
        let texts = part.decoded.into_iter();
        self.decoded.extend(texts.map(|text| Decoded { span: shifted(text.span), ..text }));
    }

    /// Sets its calls to those that a description names.
    pub(super) fn describe_calls(&mut self, calls: CallsFound<NodeId>) {
        (self.recorded_calls, self.is_described) = (OnceLock::from(Arc::new(calls)), true);
    }

    /// Returns whether its calls are those that a description names, and no others.
    pub(super) fn is_described(&self) -> bool {
        self.is_described
    }

    /// How several values follow each other in the text, if its root is a list of them that is not written.
    pub fn parts(&self) -> Option<PartsForm> {
        self.parts
    }

    /// Keeps the first of the problems because of which values may be missing or wrong.
    pub(super) fn set_fault(&mut self, problems: &[Problem]) {
        let hides = |problem: &&Problem| match problem.rule {
            RuleId::NestingTooDeep | RuleId::Unreadable => true,
            // All values of a well-formed text were read, although PyYAML would refuse it.
            RuleId::Syntax => !self.well_formed,
            _ => false,
        };
        self.fault = problems.iter().find(hides).cloned().map(Box::new);
    }

    /// Adds a value below `parent` (the root when `None`) and returns its id. Containers are closed with
    /// [`Self::close`] before anything is added beside them.
    pub(crate) fn push(
        &mut self,
        parent: Option<NodeId>,
        key: Option<MemberKey>,
        kind: NodeKind,
        span: Span,
        text: Option<Scalar>,
    ) -> NodeId {
        // `MAX_VALUES` is far below the largest `u32`.
        let id = NodeId(self.nodes.len() as u32);
        let (key, key_form) = match key {
            None => (Span::default(), TextForm::None),
            Some(key) => match self.keep(key.span, key.text) {
                (form, None) => (key.span, form),
                (form, Some(index)) => (Span::empty(index as usize), form),
            },
        };
        let (holds, payload) = match (kind, text) {
            (NodeKind::Array | NodeKind::Object, _) => (NodePayload::Count, 0),
            (_, Some(text)) => {
                let (form, index) = self.keep(span, text);
                (NodePayload::Text(form), index.unwrap_or_default())
            }
            (_, None) => (NodePayload::Raw, 0),
        };
        let index = parent.map_or(0, |parent| self.count_part(parent));
        self.make_room();
        self.nodes.push(NodeData {
            span,
            key,
            payload,
            parent: parent.unwrap_or(NO_PARENT),
            after: id.0 + 1,
            index,
            kind,
            key_form,
            holds,
            merge: false,
        });
        id
    }

    /// Grows by doubling, but not far past [`MAX_VALUES`]: unused allocated memory may have a cost.
    fn make_room(&mut self) {
        let (len, max_nodes) = (self.nodes.len(), MAX_VALUES + 1);
        if len == self.nodes.capacity() && (max_nodes / 2..max_nodes).contains(&len) {
            self.nodes.reserve_exact(max_nodes - len);
        }
    }

    /// Counts one more part and returns its index.
    fn count_part(&mut self, parent: NodeId) -> u32 {
        let parent = &mut self.nodes[parent.0 as usize];
        match parent.holds {
            NodePayload::Count => {
                parent.payload += 1;
                parent.payload - 1
            }
            NodePayload::Raw | NodePayload::Text(_) | NodePayload::Alias => 0,
        }
    }

    /// Returns the form of a text, and where it is kept if it is decoded.
    fn keep(&mut self, span: Span, text: Scalar) -> (TextForm, Option<u32>) {
        match text {
            Scalar::Plain => (TextForm::Plain, None),
            Scalar::Quoted => (TextForm::Quoted, None),
            Scalar::Decoded(text) => {
                let text = text.into();
                self.decoded.push(Decoded { span, text });
                (TextForm::Decoded, Some(self.decoded.len() as u32 - 1))
            }
        }
    }

    /// Sets where a container ends: its text before byte `end`, its parts with the last value added.
    pub(crate) fn close(&mut self, id: NodeId, end: usize) {
        let end_id = self.nodes.len() as u32;
        let node = &mut self.nodes[id.0 as usize];
        node.span = Span::new(node.span.start as usize, end);
        node.after = end_id;
    }

    /// Makes `id` an alias of `target`. The caller has checked that this makes no cycle and no exponential expansion.
    pub(crate) fn set_alias(&mut self, id: NodeId, target: NodeId) {
        let node = &mut self.nodes[id.0 as usize];
        (node.holds, node.payload) = (NodePayload::Alias, target.0);
    }

    /// Makes `id` a merge: the members of its value count as members of its parent, unless the parent has them itself.
    pub(crate) fn set_merge(&mut self, id: NodeId) {
        self.nodes[id.0 as usize].merge = true;
    }

    /// Syntax of the text.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Notes that the text breaks off or breaks the rules of its syntax.
    pub(crate) fn set_ill_formed(&mut self) {
        self.well_formed = false;
    }

    /// True when the text is JSON or YAML from its first byte to its last. Its owner may still refuse it: PyYAML
    /// refuses tags it does not know, and a second document.
    pub fn is_well_formed(&self) -> bool {
        self.well_formed
    }

    /// The text this is a reading of.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Reason values may be missing or wrong, if they may: the problem at the first place that was not understood.
    pub fn fault(&self) -> Option<&Problem> {
        self.fault.as_deref()
    }

    /// The outermost value; `None` for a text without one.
    pub fn root(&self) -> Option<Node<'_>> {
        (!self.nodes.is_empty()).then(|| self.node(NodeId::ROOT))
    }

    /// The value with this id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    /// The value with this name, which may be one of an earlier text; `None` if there is none.
    pub fn find(&self, id: NodeId) -> Option<Node<'_>> {
        ((id.0 as usize) < self.nodes.len()).then(|| self.node(id))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every value in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes_at(0..self.nodes.len())
    }

    /// The values at these positions of [`Self::nodes`].
    pub fn nodes_at(&self, positions: Range<usize>) -> impl Iterator<Item = Node<'_>> {
        let end = positions.end.min(self.nodes.len());
        (positions.start..end).map(|id| self.node(NodeId(id as u32)))
    }

    /// The values from byte `at` on, in the order of the text; first the last one that begins before it.
    pub fn nodes_from(&self, at: usize) -> impl Iterator<Item = Node<'_>> {
        let count = self.nodes.partition_point(|node| (node.span.start as usize) < at);
        // The last value that begins before may reach past `at`.
        self.nodes_at(count.saturating_sub(1)..self.nodes.len())
    }

    /// The value at a JSON Pointer (RFC 6901), `""` being the root.
    pub fn at_pointer(&self, pointer: &str) -> Option<Node<'_>> {
        let mut node = self.root()?;
        if pointer.is_empty() {
            return Some(node);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = unescape_step(token);
            node = match node.kind() {
                NodeKind::Array => node.items().nth(token.parse().ok()?)?,
                _ => node.get(&token)?,
            };
        }
        Some(node)
    }

    /// Returns the texts that had to be decoded, because their bytes differ.
    pub fn decoded_texts(&self) -> impl Iterator<Item = &str> {
        self.decoded.iter().map(|value| &*value.text)
    }

    /// Returns the text of a scalar, or for a plain one its bytes.
    fn scalar(&self, data: &NodeData) -> &str {
        self.value_text(data).unwrap_or_else(|| self.source.slice(data.span))
    }

    /// The text of a string.
    fn value_text(&self, data: &NodeData) -> Option<&str> {
        match data.holds {
            NodePayload::Text(form) => self.text(form, data.span, data.payload),
            NodePayload::Raw | NodePayload::Count | NodePayload::Alias => None,
        }
    }

    fn text(&self, form: TextForm, span: Span, index: u32) -> Option<&str> {
        match form {
            TextForm::None => None,
            TextForm::Plain => Some(self.source.slice(span)),
            TextForm::Quoted => Some(
                // A text that is cut off may have only its first quote; its span is then reversed, and its slice empty.
                self.source.slice(Span { start: span.start + 1, end: span.end.saturating_sub(1) }),
            ),
            TextForm::Decoded => self.decoded.get(index as usize).map(|value| &*value.text),
        }
    }
}

/// One value of a [`Tree`]. An alias behaves as the value it refers to, except for its place, key and pointer.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    tree: &'a Tree,
    id: NodeId,
}

impl<'a> Node<'a> {
    fn own(self) -> &'a NodeData {
        &self.tree.nodes[self.id.0 as usize]
    }

    fn resolved(self) -> &'a NodeData {
        let data = self.own();
        match data.holds {
            NodePayload::Alias => &self.tree.nodes[data.payload as usize],
            NodePayload::Raw | NodePayload::Text(_) | NodePayload::Count => data,
        }
    }

    /// The tree this is a value of.
    pub fn tree(self) -> &'a Tree {
        self.tree
    }

    /// The id, to find this value again in the same tree.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Returns the type of the value.
    pub fn kind(self) -> NodeKind {
        self.resolved().kind
    }

    /// The bytes of the value, without its key; of an alias, the alias.
    pub fn span(self) -> Span {
        self.own().span
    }

    /// The bytes of the member's key as written; `None` for elements and the root.
    pub fn key_span(self) -> Option<Span> {
        let data = self.own();
        match data.key_form {
            TextForm::None => None,
            TextForm::Plain | TextForm::Quoted => Some(data.key),
            TextForm::Decoded => Some(self.tree.decoded.get(data.key.start as usize)?.span),
        }
    }

    /// The member's key, decoded; `None` for elements and the root.
    pub fn key(self) -> Option<&'a str> {
        let data = self.own();
        self.tree.text(data.key_form, data.key, data.key.start)
    }

    /// Returns whether this is the key, decoded. Most keys differ in length, which is compared first.
    pub(super) fn has_key(self, key: &str) -> bool {
        let data = self.own();
        match data.key_form {
            TextForm::Quoted if data.key.len() != key.len() + 2 => false,
            _ => self.key() == Some(key),
        }
    }

    /// True when both are members with the same key, decoded.
    pub(super) fn has_key_of(self, other: Self) -> bool {
        other.key().is_some_and(|key| self.has_key(key))
    }

    /// Line and column of the value's first character.
    pub fn place(self) -> Place {
        self.tree.source.place(self.own().span.start as usize)
    }

    /// The source text of the value: in YAML with its quotes, indentation and escapes, of an alias its name. For edits and for
    /// comparing spellings only; the value is [`Self::as_str`], `scalar_text` or [`json::text`](super::json::text). A test
    /// lists the files that may use it.
    pub fn raw(self) -> &'a str {
        self.tree.source.slice(self.own().span)
    }

    /// True for a YAML merge (`<<`), whose value's members count as members of the parent.
    pub fn is_merge(self) -> bool {
        self.own().merge
    }

    /// Returns whether this is a YAML alias (`*name`) of another value.
    pub fn is_alias(self) -> bool {
        matches!(self.own().holds, NodePayload::Alias)
    }

    /// The value that a YAML alias refers to.
    pub fn alias_target(self) -> Option<Node<'a>> {
        let data = self.own();
        match data.holds {
            NodePayload::Alias => Some(self.tree.node(NodeId(data.payload))),
            NodePayload::Raw | NodePayload::Text(_) | NodePayload::Count => None,
        }
    }

    /// The position among the parent's parts, from 0; 0 for the root.
    pub fn index(self) -> usize {
        self.own().index as usize
    }

    /// The positions in [`Tree::nodes`] of this value and of everything in it; of an alias, only its own.
    pub fn positions(self) -> Range<usize> {
        self.id.0 as usize..self.own().after as usize
    }

    /// The value this one is a part of.
    pub fn parent(self) -> Option<Node<'a>> {
        let parent = self.own().parent;
        (parent != NO_PARENT).then(|| self.tree.node(parent))
    }

    /// The value itself and all that contain it, from the inside out.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'a>> {
        std::iter::successors(Some(self), |node| node.parent())
    }

    /// The elements of a list or the values of an object's members, in the order of the text; nothing for other kinds.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> + Clone {
        let tree = self.tree;
        let target = self.alias_target().map_or(self.id, Node::id);
        let end = tree.nodes[target.0 as usize].after;
        let first = Some(target.0 + 1).filter(|&first| first < end);
        std::iter::successors(first, move |&id| {
            Some(tree.nodes[id as usize].after).filter(|&next| next < end)
        })
        .map(move |id| tree.node(NodeId(id)))
    }

    /// Number of elements or members, duplicate keys counted each.
    pub fn len(self) -> usize {
        let data = self.resolved();
        match data.holds {
            NodePayload::Count => data.payload as usize,
            NodePayload::Raw | NodePayload::Text(_) | NodePayload::Alias => 0,
        }
    }

    /// True when there are no elements or members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of a member. Of duplicate keys the last counts, as in `JSON.parse` and PyYAML; what YAML's `<<` merges
    /// in counts where the mapping itself has no such key.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        if self.kind() != NodeKind::Object {
            return None;
        }
        let (mut own_member, mut merges) = (None, false);
        for item in self.items() {
            if item.is_merge() {
                merges = true;
            } else if item.has_key(key) {
                // The last of repeated keys counts, so all are looked at.
                own_member = Some(item);
            }
        }
        if own_member.is_some() || !merges {
            return own_member;
        }
        // PyYAML takes the last of several merges, and the first mapping in a list.
        let mut member = None;
        for merge in self.items().filter(|item| item.is_merge()) {
            let mapping_member = match merge.kind() {
                NodeKind::Array => merge.items().find_map(|mapping| mapping.get(key)),
                _ => merge.get(key),
            };
            member = mapping_member.or(member);
        }
        member
    }

    /// Returns the text of a string, decoded. A lone surrogate, which a Rust string cannot contain, appears as its escape (`\ud83d`);
    /// where that matters (a tape's chunks), see [`json::utf16`](super::json::utf16).
    pub fn as_str(self) -> Option<&'a str> {
        match self.kind() {
            NodeKind::String => self.tree.value_text(self.resolved()),
            _ => None,
        }
    }

    /// Returns the members that count, as PyYAML builds a mapping: what `<<` merges in precedes the mapping's own members, and of
    /// a repeated key the last value is at the first place.
    pub fn members(self) -> Vec<(&'a str, Node<'a>)> {
        if self.kind() != NodeKind::Object {
            return Vec::new();
        }
        let mut members: Vec<(&str, Node<'_>)> = Vec::with_capacity(self.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(self.len());
        let mut add = |key, member| match places.entry(key) {
            Entry::Occupied(place) => members[*place.get()].1 = member,
            Entry::Vacant(place) => {
                place.insert(members.len());
                members.push((key, member));
            }
        };
        let (merges, own_members): (Vec<_>, Vec<_>) = self.items().partition(|i| i.is_merge());
        for merge in merges {
            let mappings: Vec<Node<'_>> =
                if merge.kind() == NodeKind::Array { merge.items().collect() } else { vec![merge] };
            // The first mapping in a list wins, so it is added last.
            for (key, member) in mappings.into_iter().rev().flat_map(Node::members) {
                add(key, member);
            }
        }
        for member in own_members {
            add(member.key().unwrap_or_default(), member);
        }
        members
    }

    /// Returns whether YAML merges other members into this mapping.
    pub(super) fn has_merges(self) -> bool {
        self.tree.syntax == Syntax::Yaml && self.items().any(Node::is_merge)
    }

    /// Returns the text of a scalar of any type: a string's text, or a plain scalar as it is written.
    pub fn scalar_text(self) -> Option<&'a str> {
        match self.kind() {
            NodeKind::Array | NodeKind::Object => None,
            _ => Some(self.tree.scalar(self.resolved())),
        }
    }

    /// The number as the owner's parser reads it; `1e400` is infinite, as in JavaScript.
    pub fn as_f64(self) -> Option<f64> {
        let data = self.resolved();
        match data.kind {
            NodeKind::Number => super::scalar::number(self.tree.scalar(data)),
            _ => None,
        }
    }

    pub fn as_bool(self) -> Option<bool> {
        let data = self.resolved();
        match data.kind {
            NodeKind::Bool => super::scalar::boolean(self.tree.scalar(data)),
            _ => None,
        }
    }

    /// A problem about this value, at its place.
    pub fn problem(self, rule: RuleId, message: impl Into<Arc<str>>) -> Problem {
        Problem::at(rule, &self.tree.source, self.span(), self.bounded_pointer(), message)
    }

    /// The JSON Pointer (RFC 6901) of this value; empty for the root.
    pub fn pointer(self) -> String {
        self.pointer_within(usize::MAX)
    }

    /// The pointer that problems keep: of this value or, where that would be very long, of the nearest value around it. A
    /// file whose keys are megabytes must not fill the memory with pointers.
    pub fn bounded_pointer(self) -> String {
        const MAX_POINTER_BYTES: usize = 4096;
        self.pointer_within(MAX_POINTER_BYTES)
    }

    fn pointer_within(self, most_bytes: usize) -> String {
        let mut path: Vec<Node<'_>> = self.ancestors().collect();
        path.pop();
        let mut pointer = String::new();
        for node in path.iter().rev() {
            let token = match node.key() {
                Some(key) if key.len() > most_bytes => break,
                Some(key) => escape_step(key),
                None => node.own().index.to_string(),
            };
            // Only whole tokens are left out, so that the pointer still names a value.
            if pointer.len() + 1 + token.len() > most_bytes {
                break;
            }
            pointer.push('/');
            pointer.push_str(&token);
        }
        pointer
    }
}
