//! Writes YAML by indentation: mappings, lists, and texts of several lines.

use super::lines::is_blank;
use super::style::{ContainerLayout, Quotes, quotes_of};
use super::writer::{FormatStrictness, ValueWriter, part_like};
use crate::yaml::write::{self, BlockLayout, ScalarContext};
use crate::{Node, NodeKind};

/// A value, written for a place where indentation counts.
pub(super) enum RenderedValue {
    /// On the line of its key or dash; or in brackets.
    Inline(String),
    /// A block scalar: a header, then the indented lines.
    Lines(String),
    /// A list or a mapping in block style, which is still to be written at its place.
    Block,
}

/// The indicator before a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Indicator {
    Colon,
    Dash,
}

impl<'a> ValueWriter<'a> {
    /// Writes a value for a collection at column `parent`; `None` means that there is no collection.
    pub(super) fn render(
        &self,
        value: Node<'_>,
        model: Option<Node<'a>>,
        parent: Option<usize>,
    ) -> RenderedValue {
        match value.kind() {
            NodeKind::Array | NodeKind::Object => {
                let is_block = !value.is_empty()
                    && self.layout(value, model, ContainerLayout::Block) == ContainerLayout::Block;
                if is_block {
                    return RenderedValue::Block;
                }
                let margin = " ".repeat(parent.unwrap_or_default());
                RenderedValue::Inline(self.value(value, model, ContainerLayout::ManyLines, &margin))
            }
            NodeKind::String => {
                match self.lines(value.as_str().unwrap_or_default(), model, parent) {
                    Some(lines) => RenderedValue::Lines(lines),
                    None => RenderedValue::Inline(self.scalar(value, model, ScalarContext::Block)),
                }
            }
            _ => RenderedValue::Inline(self.scalar(value, model, ScalarContext::Block)),
        }
    }

    /// Returns a text as a block scalar, if it has several lines or replaces a block scalar.
    fn lines(&self, text: &str, model: Option<Node<'a>>, parent: Option<usize>) -> Option<String> {
        if self.strictness == FormatStrictness::Plainest {
            return None;
        }
        let model = model.filter(|model| model.kind() == NodeKind::String && !model.is_alias());
        let block = model.filter(|model| model.raw().starts_with(['|', '>']));
        let is_one_line = |model: Node<'_>| !model.as_str().unwrap_or_default().contains('\n');
        if !text.contains('\n') && !block.is_some_and(is_one_line) {
            return None;
        }
        let is_quoted = |model: Node<'_>| {
            quotes_of(model.raw()) != Quotes::None
                && model.as_str().is_some_and(|text| text.contains('\n'))
        };
        if block.is_none() && (model.is_some_and(is_quoted) || self.style.quotes_lines()) {
            return None;
        }
        let depth = block.and_then(|block| self.depth_of(block));
        let lines = BlockLayout {
            // Without a collection around the block, readers disagree on where an indicator of indentation counts from.
            parent: parent.unwrap_or(usize::MAX),
            indent: parent.unwrap_or_default() + depth.unwrap_or(self.style.indent()),
            newline: self.newline,
        };
        let folded_text = block
            .filter(|block| block.raw().starts_with('>'))
            .and_then(|block| write::folded(text, lines, widest(block.raw())));
        // Not every text can be folded without a change.
        folded_text.or_else(|| write::literal(text, lines))
    }

    /// Returns how much deeper the lines of a block are than the collection around it.
    fn depth_of(&self, block: Node<'a>) -> Option<usize> {
        let (header, body) = block.raw().split_once('\n')?;
        // A comment behind the header may contain digits.
        let header = header.split('#').next().unwrap_or_default();
        if let Some(digit) = header.chars().find_map(|c| c.to_digit(10)) {
            return usize::try_from(digit).ok();
        }
        let line = body.lines().find(|line| !is_blank(line))?;
        let column = line.len() - line.trim_start_matches(' ').len();
        let p = block.parent().map_or(0, |p| self.page.column(p.span().range().start));
        column.checked_sub(p).filter(|d| *d > 0)
    }

    /// Returns the value and the text between its indicator and the value, in a collection at column `parent`.
    pub(super) fn behind(
        &self,
        sign: Indicator,
        value: Node<'_>,
        example: Option<Node<'a>>,
        parent: usize,
    ) -> String {
        let gap = match sign {
            Indicator::Colon => " ".to_owned(),
            Indicator::Dash => " ".repeat(self.style.dash_gap()),
        };
        match (self.render(value, example, Some(parent)), sign) {
            (RenderedValue::Inline(text) | RenderedValue::Lines(text), _) => format!("{gap}{text}"),
            (RenderedValue::Block, Indicator::Colon) => {
                let column = self.column_below(value, parent);
                format!("{}{}", self.line_at(column), self.block(value, example, column))
            }
            (RenderedValue::Block, Indicator::Dash) => {
                format!("{gap}{}", self.block(value, example, parent + 1 + gap.len()))
            }
        }
    }

    /// Returns the column of a list or a mapping that is the value of a key at column `parent`.
    pub(super) fn column_below(&self, value: Node<'_>, parent: usize) -> usize {
        match value.kind() {
            NodeKind::Array => parent + self.style.list_indent(),
            _ => parent + self.style.indent(),
        }
    }

    /// Returns a line end and the indentation of the next line.
    pub(super) fn line_at(&self, column: usize) -> String {
        format!("{}{}", self.newline, " ".repeat(column))
    }

    /// Returns a list or a mapping with parts at a column; the first line is not indented.
    pub(super) fn block(&self, value: Node<'_>, model: Option<Node<'a>>, column: usize) -> String {
        let model = model.filter(|model| model.kind() == value.kind());
        let parts = value.items().map(|part| match part.key() {
            Some(key) => self.block_member(key, part, part_like(model, part), column),
            None => self.block_element(part, part_like(model, part), column),
        });
        parts.collect::<Vec<_>>().join(&self.line_at(column))
    }

    pub(super) fn block_member(
        &self,
        key: &str,
        value: Node<'_>,
        example: Option<Node<'a>>,
        column: usize,
    ) -> String {
        let value = self.behind(Indicator::Colon, value, example, column);
        format!("{}:{value}", self.key(key, example, ScalarContext::Block))
    }

    pub(super) fn block_element(
        &self,
        value: Node<'_>,
        example: Option<Node<'a>>,
        column: usize,
    ) -> String {
        format!("-{}", self.behind(Indicator::Dash, value, example, column))
    }
}

/// Returns the width of the widest line.
fn widest(raw: &str) -> usize {
    // PyYAML's default width is 80 columns.
    raw.lines().map(|line| line.chars().count()).max().unwrap_or(80)
}
