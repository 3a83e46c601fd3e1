//! The values of a JSON or YAML text, each with its place.
//!
//! A [`Tree`] is a reading of a [`Source`]: it owns no text but what had to be decoded, and every value, key included,
//! knows its bytes. Readers of formats take it apart; edits find their spans in it.

use std::borrow::Cow;

use crate::text::{Place, Source, Span};

/// Names a value of one [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// What kind of value a node is, as its owner's parser would say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// `null`, or a YAML plain scalar that reads as null.
    Null,
    /// `true` or `false`, or what YAML 1.1 reads so (`yes`, `off`, …).
    Bool,
    /// Any number, as written.
    Number,
    /// Text.
    String,
    /// A YAML plain scalar that PyYAML reads as a date or time.
    Timestamp,
    /// A list.
    Array,
    /// An object; in YAML a mapping.
    Object,
}

impl NodeKind {
    /// What it is called in a message, with its article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Timestamp => "a date",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

#[derive(Clone, Debug)]
struct NodeData {
    kind: NodeKind,
    span: Span,
    /// The member's key as written (JSON: with its quotes); empty for elements and roots.
    key_span: Span,
    /// Index into `decoded` for a key that is not its own slice.
    key: Text,
    /// The value of a string.
    value: Text,
    /// The node an alias stands for, in YAML.
    alias_of: Option<NodeId>,
    parent: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
    next: Option<NodeId>,
    count: u32,
    /// Position among the parent's children.
    index: u32,
}

/// Where a decoded text is found.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// There is none: not a string, or not a member.
    None,
    /// The bytes of this span, as they stand.
    Slice(Span),
    /// Decoded, because it had escapes or was folded.
    Decoded(u32),
}

/// All values of one text. Built by `format::json` and `format::yaml`.
#[derive(Clone, Debug)]
pub struct Tree {
    source: Source,
    nodes: Vec<NodeData>,
    decoded: Vec<Box<str>>,
    root: Option<NodeId>,
}

/// A key on its way into a tree.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) span: Span,
    pub(crate) text: Scalar,
}

/// The text of a string or key on its way into a tree.
#[derive(Clone, Debug)]
pub(crate) enum Scalar {
    /// The same bytes as in the source.
    Slice(Span),
    /// Decoded.
    Decoded(String),
}

impl Tree {
    /// A tree without values, to be filled by a parser.
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            nodes: Vec::new(),
            decoded: Vec::new(),
            root: None,
        }
    }

    /// Adds a value below `parent` (the root when `None`) and returns its id. Containers get their end with [`Self::close`].
    pub(crate) fn push(
        &mut self,
        parent: Option<NodeId>,
        key: Option<Key>,
        kind: NodeKind,
        span: Span,
        value: Option<Scalar>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let key_span = key.as_ref().map_or(Span::default(), |key| key.span);
        let key = self.keep(key.map(|key| key.text));
        let value = self.keep(value);
        let mut index = 0;
        if let Some(parent) = parent {
            let previous = self.nodes[parent.0 as usize].last;
            if let Some(previous) = previous {
                self.nodes[previous.0 as usize].next = Some(id);
            }
            let above = &mut self.nodes[parent.0 as usize];
            above.first = above.first.or(Some(id));
            above.last = Some(id);
            index = above.count;
            above.count += 1;
        } else if self.root.is_none() {
            self.root = Some(id);
        }
        self.nodes.push(NodeData {
            kind,
            span,
            key_span,
            key,
            value,
            alias_of: None,
            parent,
            first: None,
            last: None,
            next: None,
            count: 0,
            index,
        });
        id
    }

    fn keep(&mut self, text: Option<Scalar>) -> Text {
        match text {
            None => Text::None,
            Some(Scalar::Slice(span)) => Text::Slice(span),
            Some(Scalar::Decoded(text)) => {
                self.decoded.push(text.into());
                Text::Decoded(self.decoded.len() as u32 - 1)
            }
        }
    }

    /// Sets where a container ends.
    pub(crate) fn close(&mut self, id: NodeId, end: usize) {
        let span = &mut self.nodes[id.0 as usize].span;
        *span = Span::new(span.start as usize, end);
    }

    /// Makes `id` stand for `target`. The caller has seen to it that this makes no circle and no bomb.
    pub(crate) fn set_alias(&mut self, id: NodeId, target: NodeId) {
        self.nodes[id.0 as usize].alias_of = Some(target);
    }

    /// The text this is a reading of.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The outermost value; `None` for a text without one.
    pub fn root(&self) -> Option<Node<'_>> {
        self.root.map(|id| self.node(id))
    }

    /// The value with this id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True when there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every value in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len() as u32).map(|id| self.node(NodeId(id)))
    }

    /// The value at a JSON Pointer (RFC 6901), `""` being the root.
    pub fn at_pointer(&self, pointer: &str) -> Option<Node<'_>> {
        let mut node = self.root()?;
        if pointer.is_empty() {
            return Some(node);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            node = match node.kind() {
                NodeKind::Array => node.items().nth(token.parse().ok()?)?,
                _ => node.get(&token)?,
            };
        }
        Some(node)
    }

    fn text(&self, text: Text) -> Option<&str> {
        match text {
            Text::None => None,
            Text::Slice(span) => Some(self.source.slice(span)),
            Text::Decoded(index) => self.decoded.get(index as usize).map(|text| &**text),
        }
    }
}

/// One value of a [`Tree`]. An alias answers as the value it stands for, except for its place, key and pointer.
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
        let mut data = self.own();
        while let Some(target) = data.alias_of {
            data = &self.tree.nodes[target.0 as usize];
        }
        data
    }

    /// The id, to find this value again in the same tree.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// What kind of value this is.
    pub fn kind(self) -> NodeKind {
        self.resolved().kind
    }

    /// The bytes of the value, without its key; of an alias, the alias.
    pub fn span(self) -> Span {
        self.own().span
    }

    /// The bytes of the member's key as written; `None` for elements and the root.
    pub fn key_span(self) -> Option<Span> {
        self.key().map(|_| self.own().key_span)
    }

    /// The member's key, decoded; `None` for elements and the root.
    pub fn key(self) -> Option<&'a str> {
        self.tree.text(self.own().key)
    }

    /// Line and column of the value's first character.
    pub fn place(self) -> Place {
        self.tree.source.place(self.own().span.start as usize)
    }

    /// The value as written.
    pub fn raw(self) -> &'a str {
        self.tree.source.slice(self.own().span)
    }

    /// True for a YAML alias (`*name`).
    pub fn is_alias(self) -> bool {
        self.own().alias_of.is_some()
    }

    /// The value this one is a part of.
    pub fn parent(self) -> Option<Node<'a>> {
        self.own().parent.map(|id| self.tree.node(id))
    }

    /// The elements of a list or the values of an object's members, in the order of the text; nothing for other kinds.
    pub fn items(self) -> impl Iterator<Item = Node<'a>> {
        let tree = self.tree;
        std::iter::successors(self.resolved().first, move |id| {
            tree.nodes[id.0 as usize].next
        })
        .map(move |id| tree.node(id))
    }

    /// How many elements or members there are, duplicate keys counted each.
    pub fn len(self) -> usize {
        self.resolved().count as usize
    }

    /// True when there are no elements or members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of a member. Of duplicate keys the last counts, as in `JSON.parse` and PyYAML.
    pub fn get(self, key: &str) -> Option<Node<'a>> {
        if self.kind() != NodeKind::Object {
            return None;
        }
        self.items().filter(|item| item.key() == Some(key)).last()
    }

    /// The text of a string, decoded. A lone surrogate, which no Rust string can hold, stands as its escape (`\ud83d`);
    /// where that matters (a tape's chunks), see `json::utf16`.
    pub fn as_str(self) -> Option<&'a str> {
        match self.kind() {
            NodeKind::String => self.tree.text(self.resolved().value),
            _ => None,
        }
    }

    /// The number as the owner's parser reads it; `1e400` is infinite, as in JavaScript.
    pub fn as_f64(self) -> Option<f64> {
        let data = self.resolved();
        match data.kind {
            NodeKind::Number => super::scalar::number(self.tree.source.slice(data.span)),
            _ => None,
        }
    }

    /// The boolean.
    pub fn as_bool(self) -> Option<bool> {
        let data = self.resolved();
        match data.kind {
            NodeKind::Bool => super::scalar::boolean(self.tree.source.slice(data.span)),
            _ => None,
        }
    }

    /// The JSON Pointer (RFC 6901) of this value; empty for the root.
    pub fn pointer(self) -> String {
        let mut tokens: Vec<Cow<'_, str>> = Vec::new();
        let mut node = self;
        while let Some(parent) = node.parent() {
            tokens.push(match node.key() {
                Some(key) => Cow::Owned(key.replace('~', "~0").replace('/', "~1")),
                None => Cow::Owned(node.own().index.to_string()),
            });
            node = parent;
        }
        let mut pointer = String::new();
        for token in tokens.iter().rev() {
            pointer.push('/');
            pointer.push_str(token);
        }
        pointer
    }
}
