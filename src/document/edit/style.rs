//! The style of a document, which new values follow if no similar value is near.

use super::lines::{ContainerSyntax, DocumentLines, is_blank};
use crate::yaml::write::{self, ScalarContext};
use crate::{Node, NodeKind};

/// The layout of a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerLayout {
    /// In brackets, on one line.
    OneLine,
    /// In brackets, each part on its own line.
    ManyLines,
    /// By indentation.
    Block,
}

/// Quotes around a text on one line in YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Single,
    Double,
}

/// The white space around and between the parts of a container in brackets on one line.
#[derive(Clone, Copy, Default)]
pub(super) struct Spacing<'a> {
    colon: Option<&'a str>,
    comma: Option<&'a str>,
    list_pad: Option<&'a str>,
    object_pad: Option<&'a str>,
}

impl<'a> Spacing<'a> {
    pub(super) fn colon(&self) -> &'a str {
        self.colon.unwrap_or(": ")
    }

    pub(super) fn comma(&self) -> &'a str {
        let is_tight = self.colon == Some(":");
        self.comma.unwrap_or(if is_tight { "," } else { ", " })
    }

    pub(super) fn pad(&self, kind: NodeKind) -> &'a str {
        let pad = if kind == NodeKind::Array { self.list_pad } else { self.object_pad };
        pad.unwrap_or_default()
    }

    /// Learns unknown values from a container in brackets.
    fn learn(&mut self, page: &DocumentLines<'a>, container: Node<'a>) {
        let mut parts = container.items();
        let Some(first) = parts.next() else { return };
        let content_start = container.span().range().start + 1;
        let pad = Some(page.slice(content_start..start_of(first))).filter(|pad| is_blank(pad));
        match container.kind() {
            NodeKind::Array => self.list_pad = self.list_pad.or(pad),
            _ => self.object_pad = self.object_pad.or(pad),
        }
        if let (None, Some(key)) = (self.colon, first.key_span()) {
            let colon = page.slice(key.range().end..first.span().range().start);
            self.colon =
                (colon.trim_matches(' ') == ":" && !first.span().is_empty()).then_some(colon);
        }
        if let (None, Some(next)) = (self.comma, parts.next()) {
            let comma = page.slice(first.span().range().end..start_of(next));
            self.comma = (comma.trim_matches(' ') == ",").then_some(comma);
        }
    }

    /// Returns this spacing, with unknown values from another.
    fn or(self, other: Self) -> Self {
        Self {
            colon: self.colon.or(other.colon),
            comma: self.comma.or(other.comma),
            list_pad: self.list_pad.or(other.list_pad),
            object_pad: self.object_pad.or(other.object_pad),
        }
    }
}

/// Counts how often each variant is used, in the order of the variants.
#[derive(Clone, Copy, Default)]
struct Votes([u32; 3]);

impl Votes {
    fn count(&mut self, index: usize) {
        self.0[index] += 1;
    }

    /// Returns the most frequent of the first `count` variants; of equals the last. `None` if there was none.
    fn winner(&self, count: usize) -> Option<usize> {
        let winner = (0..count).max_by_key(|&index| self.0[index])?;
        (self.0[winner] > 0).then_some(winner)
    }
}

/// The style of a whole document.
pub(super) struct DocumentStyle<'a> {
    page: DocumentLines<'a>,
    spacing: Spacing<'a>,
    /// Of lists of scalars, and of other lists.
    layouts: [Votes; 2],
    /// One step of indentation in brackets.
    unit: Option<&'a str>,
    /// Columns by which a mapping is deeper than the one around it.
    indent: Option<usize>,
    /// Columns by which the dashes of a list are deeper than its key.
    list_indent: Option<usize>,
    /// Number of spaces behind a dash.
    dash_gap: Option<usize>,
    null: Option<&'a str>,
    /// The quotes of texts that need none.
    needless: Votes,
    /// The quotes of all texts in quotes.
    quotes: Votes,
    keys: Votes,
    /// Texts of several lines: as blocks or in quotes.
    several_lines: Votes,
    /// Whether the document is JSON with escapes for everything beyond ASCII.
    pub(super) is_ascii: bool,
}

impl<'a> DocumentStyle<'a> {
    pub(super) fn detect(page: DocumentLines<'a>) -> Self {
        let mut style = Self {
            page,
            spacing: Spacing::default(),
            layouts: [Votes::default(); 2],
            unit: None,
            indent: None,
            list_indent: None,
            dash_gap: None,
            null: None,
            needless: Votes::default(),
            quotes: Votes::default(),
            keys: Votes::default(),
            several_lines: Votes::default(),
            is_ascii: !page.is_yaml() && writes_ascii(page.text),
        };
        for node in page.tree.nodes().filter(|node| !node.is_alias()) {
            match node.kind() {
                NodeKind::Array | NodeKind::Object => style.learn_container(node),
                NodeKind::String if page.is_yaml() => style.learn_text(node),
                NodeKind::Null if !node.raw().is_empty() => {
                    style.null = style.null.or(Some(node.raw()));
                }
                _ => {}
            }
        }
        style
    }

    fn learn_container(&mut self, container: Node<'a>) {
        let Some(first) = container.items().next() else { return };
        let layout = layout_of(&self.page, container);
        if container.kind() == NodeKind::Array {
            self.layouts[class(container)].count(layout as usize);
        }
        if layout == ContainerLayout::Block {
            return self.learn_block(container, first);
        }
        self.spacing.learn(&self.page, container);
        if self.unit.is_none() {
            self.unit = unit_of(&self.page, container);
        }
    }

    fn learn_block(&mut self, container: Node<'a>, first: Node<'a>) {
        let start = container.span().range().start;
        if container.kind() == NodeKind::Array {
            let gap = self.page.slice(start + 1..first.span().range().start);
            if !gap.is_empty() && gap.bytes().all(|byte| byte == b' ') {
                self.dash_gap = self.dash_gap.or(Some(gap.len()));
            }
        }
        let parent = container.parent().filter(|parent| {
            parent.kind() == NodeKind::Object && self.page.shape(*parent) == ContainerSyntax::Block
        });
        let Some(parent) = parent else { return };
        let column = |at: usize| self.page.column(at);
        let depth = column(start).checked_sub(column(parent.span().range().start));
        match container.kind() {
            NodeKind::Array => self.list_indent = self.list_indent.or(depth),
            _ => self.indent = self.indent.or(depth.filter(|depth| *depth > 0)),
        }
    }

    fn learn_text(&mut self, node: Node<'a>) {
        let (raw, text) = (node.raw(), node.as_str().unwrap_or_default());
        let quotes = quotes_of(raw);
        let is_block = raw.starts_with(['|', '>']);
        if text.contains('\n') {
            self.several_lines.count(usize::from(!is_block));
        } else if !is_block {
            // Only quotes that a text does not need show a preference.
            if quotes == Quotes::None || write::plain(text, ScalarContext::Flow).is_some() {
                self.needless.count(quotes as usize);
            }
            self.quotes.count(quotes as usize);
        }
        if let Some(key) = node.key_span() {
            self.keys.count(quotes_of(self.page.slice(key.range())) as usize);
        }
    }

    /// Returns the layout for a new list inside a container with layout `base`; `None` if the document has no similar list.
    /// An object has the layout of its container.
    pub(super) fn layout(&self, value: Node<'_>, base: ContainerLayout) -> Option<ContainerLayout> {
        if value.kind() == NodeKind::Object {
            return Some(base);
        }
        // Inside brackets, block style is not possible.
        let count = if base == ContainerLayout::Block { 3 } else { 2 };
        let winner = self.layouts[class(value)].winner(count)?;
        Some([ContainerLayout::OneLine, ContainerLayout::ManyLines, ContainerLayout::Block][winner])
    }

    /// Returns the spacing of a similar value, with unknown values from the document.
    pub(super) fn spacing(&self, example: Option<Node<'a>>) -> Spacing<'a> {
        let mut spacing = Spacing::default();
        if let Some(example) = example.filter(|example| in_brackets(&self.page, *example)) {
            spacing.learn(&self.page, example);
        }
        spacing.or(self.spacing)
    }

    /// One step of indentation in brackets.
    pub(super) fn unit(&self, example: Option<Node<'a>>) -> &'a str {
        let example = example.filter(|example| in_brackets(&self.page, *example));
        let unit = example.and_then(|example| unit_of(&self.page, example));
        // `JSON.stringify(value, null, 2)`, which writes DyGram's recordings, indents by two spaces.
        unit.or(self.unit).unwrap_or("  ")
    }

    pub(super) fn indent(&self) -> usize {
        self.indent.unwrap_or(2)
    }

    pub(super) fn list_indent(&self) -> usize {
        self.list_indent.unwrap_or(2)
    }

    pub(super) fn dash_gap(&self) -> usize {
        self.dash_gap.unwrap_or(1)
    }

    pub(super) fn null(&self) -> &'a str {
        self.null.unwrap_or("null")
    }

    /// Returns the quotes of a text that needs none.
    pub(super) fn text_quotes(&self) -> Quotes {
        self.needless.winner(3).map_or(Quotes::None, quotes)
    }

    /// Returns the quotes of a text that needs some.
    pub(super) fn needed_quotes(&self) -> Quotes {
        let [_, single_count, double_count] = self.quotes.0;
        // Without a preference, double quotes are used: every text can be written in them.
        if single_count > double_count { Quotes::Single } else { Quotes::Double }
    }

    pub(super) fn key_quotes(&self) -> Quotes {
        self.keys.winner(3).map_or(Quotes::None, quotes)
    }

    /// Returns true if texts of several lines are written in quotes rather than as blocks.
    pub(super) fn quotes_lines(&self) -> bool {
        self.several_lines.winner(2) == Some(1)
    }
}

fn quotes(index: usize) -> Quotes {
    [Quotes::None, Quotes::Single, Quotes::Double][index]
}

/// Returns the quotes of a text.
pub(super) fn quotes_of(raw: &str) -> Quotes {
    match raw.as_bytes().first() {
        Some(b'"') => Quotes::Double,
        Some(b'\'') => Quotes::Single,
        _ => Quotes::None,
    }
}

/// Returns the layout of a container that is not an alias.
pub(super) fn layout_of(page: &DocumentLines<'_>, container: Node<'_>) -> ContainerLayout {
    if page.shape(container) == ContainerSyntax::Block {
        return ContainerLayout::Block;
    }
    let start = container.span().range().start;
    let end = container.items().next().map_or(container.span().range().end, start_of);
    if page.slice(start..end).contains(['\n', '\r']) {
        ContainerLayout::ManyLines
    } else {
        ContainerLayout::OneLine
    }
}

fn in_brackets(page: &DocumentLines<'_>, node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::Array | NodeKind::Object)
        && !node.is_alias()
        && page.shape(node) == ContainerSyntax::Brackets
}

/// Returns how much deeper than the container its parts are indented, if it has many lines.
fn unit_of<'a>(page: &DocumentLines<'a>, container: Node<'a>) -> Option<&'a str> {
    let first = start_of(container.items().next()?);
    if layout_of(page, container) != ContainerLayout::ManyLines || !page.starts_line(first) {
        return None;
    }
    let margin = page.indentation(container.span().range().start);
    let unit = page.indentation(first).strip_prefix(margin)?;
    (!unit.is_empty()).then_some(unit)
}

fn start_of(part: Node<'_>) -> usize {
    part.key_span().unwrap_or(part.span()).range().start
}

/// Returns 0 for a list of scalars, 1 for any other list.
fn class(list: Node<'_>) -> usize {
    let is_container = |node: Node<'_>| matches!(node.kind(), NodeKind::Array | NodeKind::Object);
    // Many documents write short lists of scalars on one line, and no others.
    usize::from(list.items().any(is_container))
}

/// Returns true for a text in ASCII only that has escapes for other characters.
pub fn writes_ascii(text: &str) -> bool {
    let is_beyond = |at: usize| {
        let digits = text.get(at + 2..at + 6);
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let is_escaped =
            text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        // Control characters up to U+009F and halves of surrogate pairs are escaped by other writers, too.
        !is_escaped && unit.is_some_and(|unit| unit >= 0xa0 && !(0xd800..0xe000).contains(&unit))
    };
    text.is_ascii() && memchr::memmem::find_iter(text.as_bytes(), "\\u").any(is_beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_beyond_ascii_are_a_habit_only_where_nothing_is_raw() {
        assert!(writes_ascii(r#"["caf\u00e9"]"#));
        for text in [r#"["é", "\u00e9"]"#, r#"["\u001b", "\ud83d"]"#, r#"["C:\\u00e9"]"#] {
            assert!(!writes_ascii(text), "{text}");
        }
    }
}
