//! Writes a value in the style of what is around it: scalars, and lists and objects in brackets.

use super::lines::DocumentLines;
use super::style::{ContainerLayout, DocumentStyle, Quotes, layout_of, quotes_of};
use crate::json::{quote, to_ascii};
use crate::yaml::write::{self, ScalarContext};
use crate::{Node, NodeKind, Tree};

/// Closeness to the style of what is around.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatStrictness {
    /// As what is around it is written.
    MatchStyle,
    /// On one line, with texts in double quotes: valid everywhere.
    Plainest,
}

/// Writes new values into a document.
pub(super) struct ValueWriter<'a> {
    pub(super) page: DocumentLines<'a>,
    pub(super) style: DocumentStyle<'a>,
    pub(super) newline: &'a str,
    pub(super) strictness: FormatStrictness,
}

impl<'a> ValueWriter<'a> {
    /// Creates a writer for values near byte `at`.
    pub(super) fn new(tree: &'a Tree, at: usize) -> Self {
        let page = DocumentLines::new(tree);
        Self {
            page,
            style: DocumentStyle::detect(page),
            newline: page.newline(at),
            strictness: FormatStrictness::MatchStyle,
        }
    }

    /// A value in brackets or on one line, for a line that is indented by `margin`. `peer` is what it resembles.
    pub(super) fn value(
        &self,
        value: Node<'_>,
        peer: Option<Node<'a>>,
        parent_layout: ContainerLayout,
        margin: &str,
    ) -> String {
        match value.kind() {
            NodeKind::Array | NodeKind::Object => self.brackets(value, peer, parent_layout, margin),
            _ => self.scalar(value, peer, ScalarContext::Flow),
        }
    }

    fn brackets(
        &self,
        value: Node<'_>,
        example: Option<Node<'a>>,
        parent_layout: ContainerLayout,
        margin: &str,
    ) -> String {
        let (open, close) = if value.kind() == NodeKind::Array { ('[', ']') } else { ('{', '}') };
        if value.is_empty() {
            return format!("{open}{close}");
        }
        let layout = match (self.strictness, self.layout(value, example, parent_layout)) {
            (FormatStrictness::MatchStyle, ContainerLayout::ManyLines) => {
                ContainerLayout::ManyLines
            }
            _ => ContainerLayout::OneLine,
        };
        let spacing = self.style.spacing(example);
        let (first, comma, last, margin) = match layout {
            ContainerLayout::ManyLines => {
                let inner_margin = format!("{margin}{}", self.style.unit(example));
                let line = format!("{}{inner_margin}", self.newline);
                let last = format!("{}{margin}", self.newline);
                (line.clone(), format!(",{line}"), last, inner_margin)
            }
            _ => {
                let pad = spacing.pad(value.kind());
                (pad.to_owned(), spacing.comma().to_owned(), pad.to_owned(), margin.to_owned())
            }
        };
        let mut output = format!("{open}{first}");
        for (index, part) in value.items().enumerate() {
            if index > 0 {
                output.push_str(&comma);
            }
            let example = part_like(example, part);
            if let Some(key) = part.key() {
                output.push_str(&self.key(key, example, ScalarContext::Flow));
                output.push_str(spacing.colon());
            }
            output.push_str(&self.value(part, example, layout, &margin));
        }
        output.push_str(&last);
        output.push(close);
        output
    }

    /// Returns the layout for a list or an object with parts.
    pub(super) fn layout(
        &self,
        value: Node<'_>,
        example: Option<Node<'a>>,
        base: ContainerLayout,
    ) -> ContainerLayout {
        if self.strictness == FormatStrictness::Plainest {
            return ContainerLayout::OneLine;
        }
        let is_container =
            |node: &Node<'_>| matches!(node.kind(), NodeKind::Array | NodeKind::Object);
        let example = example.filter(|example| is_container(example) && !example.is_alias());
        if let Some(example) = example {
            let layout = layout_of(&self.page, example);
            // `[]` on one line shows nothing of how a list with parts would be written.
            let has_example = !example.is_empty() || layout == ContainerLayout::ManyLines;
            if has_example && (layout != ContainerLayout::Block || base == ContainerLayout::Block) {
                return layout;
            }
        }
        if base == ContainerLayout::OneLine {
            return ContainerLayout::OneLine;
        }
        let fills = example.is_some_and(Node::is_empty);
        let is_list = value.kind() == NodeKind::Array;
        let holds_scalars = value.items().all(|part| part.is_empty());
        // An empty list `[]` in a block becomes `[1]`, not a block of its own.
        let usual = if fills && is_list && holds_scalars && base == ContainerLayout::Block {
            ContainerLayout::OneLine
        } else {
            base
        };
        self.style.layout(value, base).unwrap_or(usual)
    }

    /// Returns a scalar on one line.
    pub(super) fn scalar(
        &self,
        value: Node<'_>,
        example: Option<Node<'a>>,
        spot: ScalarContext,
    ) -> String {
        let raw = value.raw();
        match value.kind() {
            NodeKind::String if self.page.is_yaml() => {
                self.text(value.as_str().unwrap_or_default(), example, spot)
            }
            NodeKind::String => self.json_text(raw),
            // YAML can also write null as `~`.
            NodeKind::Null if self.page.is_yaml() => self.style.null().to_owned(),
            NodeKind::Number if self.page.is_yaml() => write::number(raw),
            _ => raw.to_owned(),
        }
    }

    /// Returns a YAML text on one line.
    fn text(&self, text: &str, peer: Option<Node<'a>>, spot: ScalarContext) -> String {
        let quotes = match peer.filter(|peer| peer.kind() == NodeKind::String && !peer.is_alias()) {
            Some(peer) if !peer.raw().starts_with(['|', '>']) => quotes_of(peer.raw()),
            _ => self.style.text_quotes(),
        };
        self.quoted(text, quotes, spot)
    }

    fn quoted(&self, text: &str, quotes: Quotes, spot: ScalarContext) -> String {
        let plain_text = || write::plain(text, spot).map(str::to_owned);
        let base = self.style.needed_quotes();
        let output = match (self.strictness, quotes) {
            (FormatStrictness::Plainest, _) => None,
            (_, Quotes::None) => plain_text()
                .or_else(|| (base == Quotes::Single).then(|| write::single_quoted(text)).flatten()),
            (_, Quotes::Single) => write::single_quoted(text),
            (_, Quotes::Double) => None,
        };
        output.unwrap_or_else(|| write::double_quoted(text))
    }

    /// Returns a JSON text, escaped beyond ASCII where the document does so.
    fn json_text(&self, raw: &str) -> String {
        if self.style.is_ascii { to_ascii(raw).into_owned() } else { raw.to_owned() }
    }

    /// Returns a key; `example` is a member whose key is written in the same way.
    pub(super) fn key(&self, key: &str, example: Option<Node<'a>>, spot: ScalarContext) -> String {
        if !self.page.is_yaml() {
            return self.json_text(&quote(key));
        }
        let quotes = match example.and_then(Node::key_span) {
            Some(span) => quotes_of(self.page.slice(span.range())),
            None => self.style.key_quotes(),
        };
        self.quoted(key, quotes, spot)
    }
}

/// Maximum number of values beside one that are searched for a member with some key.
// Lists may have thousands of elements, and each new member is looked up.
const MAX_SIBLINGS: usize = 64;

/// The part of something alike that a new part resembles: the member with the same key, there or in what is beside it,
/// at best of the same kind; the element at the same place.
pub(super) fn part_like<'a>(model: Option<Node<'a>>, part: Node<'_>) -> Option<Node<'a>> {
    let model = model.filter(|model| !model.is_alias())?;
    match (part.key(), model.kind()) {
        (Some(key), NodeKind::Object) => {
            let peers = model.parent().into_iter().flat_map(Node::items);
            let maps = peers.filter(|node| node.kind() == NodeKind::Object && !node.is_alias());
            let members = [model].into_iter().chain(maps.take(MAX_SIBLINGS)).flat_map(Node::items);
            let mut namesakes = members.filter(|member| member.key() == Some(key)).peekable();
            let first = namesakes.peek().copied();
            namesakes.find(|member| member.kind() == part.kind()).or(first)
        }
        (None, NodeKind::Array) => model.items().nth(part.index()).or_else(|| model.items().last()),
        _ => None,
    }
}

/// Returns the nearest value to `origin`, including itself, of the same kind, whose style new values follow.
pub(super) fn nearest_like<'a>(origin: Node<'a>, value: Node<'_>) -> Option<Node<'a>> {
    let is_example = |node: &Node<'_>| {
        let is_container = matches!(node.kind(), NodeKind::Array | NodeKind::Object);
        node.kind() == value.kind() && !node.is_alias() && (!is_container || !node.is_empty())
    };
    let siblings = origin.parent().into_iter().flat_map(Node::items);
    // A block is only an example for a text of several lines.
    let has_lines = value.as_str().is_some_and(|text| text.contains('\n'));
    let fits = |node: &Node<'_>| has_lines || !node.raw().starts_with(['|', '>']);
    let nearest_sibling = siblings
        .filter(is_example)
        .filter(fits)
        .min_by_key(|node| node.index().abs_diff(origin.index()));
    Some(origin).filter(is_example).or(nearest_sibling)
}
