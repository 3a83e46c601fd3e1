//! Replaces a value.

use super::blocks::RenderedValue;
use super::expected_edit::ExpectedEdit;
use super::lines::{ContainerPart, ContainerSyntax, DocumentLines, is_blank};
use super::style::{ContainerLayout, layout_of};
use super::writer::{FormatStrictness, ValueWriter, nearest_like};
use super::{EditCandidates, EditRefusal, JsonValue};
use crate::cassette::is_binary;
use crate::json::{key_utf16, utf16};
use crate::scalar::{self, Plain};
use crate::text::TextEdit;
use crate::{Node, NodeKind, Syntax, yaml};

pub(super) fn plans<'a>(
    node: Node<'a>,
    value: &JsonValue,
) -> Result<EditCandidates<'a>, EditRefusal> {
    fits_syntax(node, value)?;
    let base64 = wrapped_base64(node, value);
    let value = base64.as_ref().unwrap_or(value);
    let ways = candidates(node, value);
    let outcome = ExpectedEdit::Set(node, value.clone());
    Ok(EditCandidates { outcome, candidates: ways })
}

/// Returns Base64 in lines as long as those of the old value, if that is a block of lines by its tag; PyYAML writes 76 letters.
pub(super) fn wrapped_base64(node: Node<'_>, value: &JsonValue) -> Option<JsonValue> {
    const BASE64_LINE_WIDTH: usize = 76;
    let old = node.as_str().filter(|_| node.raw().starts_with('|') && is_binary(node))?;
    let text = value.root().as_str().filter(|text| text.is_ascii())?;
    let mut lengths = old.lines().map(str::len);
    // A single line does not show at which width the writer breaks.
    let width = lengths.next().filter(|_| lengths.next().is_some());
    let base64: String = text.split_ascii_whitespace().collect();
    let lines: Vec<&str> = base64
        .as_bytes()
        .chunks(width.unwrap_or(BASE64_LINE_WIDTH).max(1))
        .filter_map(|line| std::str::from_utf8(line).ok())
        .collect();
    let end = if old.ends_with('\n') { "\n" } else { "" };
    Some(JsonValue::text(&format!("{}{end}", lines.join("\n"))))
}

/// Returns the possible edits that write `value` in place of `node`.
pub(super) fn candidates(node: Node<'_>, value: &JsonValue) -> Vec<TextEdit> {
    let mut writer = ValueWriter::new(node.tree(), node.span().range().start);
    let example = nearest_like(node, value.root()).or(Some(node));
    let mut ways = Vec::new();
    // Not every value can be written in the style of the document: the plainest form is valid everywhere.
    for strictness in [FormatStrictness::MatchStyle, FormatStrictness::Plainest] {
        writer.strictness = strictness;
        ways.extend(candidate(&writer, node, value.root(), example));
    }
    ways.dedup();
    ways
}

/// Returns the edit that writes `value` in place of `node` in the style of the document, if there is one.
pub(super) fn best_candidate<'a>(
    writer: &ValueWriter<'a>,
    node: Node<'a>,
    value: &JsonValue,
) -> Option<TextEdit> {
    candidate(writer, node, value.root(), nearest_like(node, value.root()).or(Some(node)))
}

/// Checks that the file's syntax can represent the value.
pub(super) fn fits_syntax(place: Node<'_>, value: &JsonValue) -> Result<(), EditRefusal> {
    // JSON can write half of a surrogate pair as an escape.
    if place.tree().syntax() == Syntax::Json {
        return Ok(());
    }
    // After `!`, PyYAML reads a text as if it had no quotes: as a date, a number or nothing.
    if yaml::tag(place) == Some("!")
        && let (Some(old), Some(new)) = (place.as_str(), value.root().as_str())
        && ![Plain::Text, scalar::resolve(old)].contains(&scalar::resolve(new))
    {
        return Err(EditRefusal::at(place, "The tag before the value would change its type"));
    }
    let is_whole = |units: Vec<u16>| String::from_utf16(&units).is_ok();
    let has_whole_texts = |node: Node<'_>| is_whole(key_utf16(node)) && is_whole(utf16(node));
    if value.tree().nodes().all(has_whole_texts) {
        Ok(())
    } else {
        Err(EditRefusal::at(
            place,
            "The text contains an unpaired surrogate, which YAML cannot represent",
        ))
    }
}

fn candidate<'a>(
    writer: &ValueWriter<'a>,
    node: Node<'a>,
    value: Node<'_>,
    example: Option<Node<'a>>,
) -> Option<TextEdit> {
    let page = writer.page;
    if page.is_in_brackets(node) {
        let layout = node.parent().map_or(ContainerLayout::ManyLines, |p| layout_of(&page, p));
        let margin = page.indentation(node.span().range().start);
        return Some(in_place(&page, node, writer.value(value, example, layout, margin)));
    }
    let indentation = Indentation::find(&page, node)?;
    match writer.render(value, example, indentation.parent) {
        RenderedValue::Inline(text) => Some(indentation.inline(text)),
        RenderedValue::Lines(text) => indentation.lines(&text),
        RenderedValue::Block => Some(indentation.block(writer, value, example)),
    }
}

/// Replaces a value in brackets, which may be empty text, by `new`.
fn in_place(page: &DocumentLines<'_>, node: Node<'_>, new: String) -> TextEdit {
    let range = node.span().range();
    let sign = match (range.is_empty(), node.key_span()) {
        // In `{a}`, the key has neither a colon nor a value.
        (true, Some(key)) if !page.slice(key.range().end..range.start).contains(':') => ": ",
        (true, _) => " ",
        (false, _) => "",
    };
    let new = format!("{sign}{new}");
    TextEdit { range, new }
}

/// The place of a value in block style, and the text around it.
pub(super) struct Indentation<'a> {
    page: DocumentLines<'a>,
    node: Node<'a>,
    start: usize,
    end: usize,
    /// The byte after the indicator, anchor and tag before the value.
    lead: usize,
    /// The column of the collection around it; `None` for the document.
    parent: Option<usize>,
    is_element: bool,
    has_properties: bool,
}

impl<'a> Indentation<'a> {
    pub(super) fn find(page: &DocumentLines<'a>, node: Node<'a>) -> Option<Self> {
        let span = node.span().range();
        let mut indentation = Self {
            page: *page,
            node,
            start: span.start,
            end: span.end,
            lead: span.start,
            parent: None,
            is_element: false,
            has_properties: false,
        };
        let Some(parent) = node.parent() else {
            let line = page.slice(page.line_start(span.start)..span.start);
            indentation.lead -= line.len() - line.trim_end_matches(' ').len();
            return Some(indentation);
        };
        let parts = page.parts(parent);
        let part: &ContainerPart<'_> = parts.get(node.index())?;
        indentation.lead = page.lead(part)?;
        indentation.parent = Some(page.column(parent.span().range().start));
        indentation.is_element = parent.kind() == NodeKind::Array;
        let lead_text = page.slice(part.start..indentation.lead);
        // Otherwise an anchor or a tag is between the indicator and the value.
        indentation.has_properties = !lead_text.ends_with([':', '-']);
        Some(indentation)
    }

    /// Returns the text between the indicator and the value.
    fn gap(&self) -> &'a str {
        self.page.slice(self.lead..self.start)
    }

    /// Returns true if the value begins on a line below its indicator.
    fn is_below(&self) -> bool {
        self.gap().contains(['\n', '\r'])
    }

    fn is_block(&self) -> bool {
        let is_group = matches!(self.node.kind(), NodeKind::Array | NodeKind::Object);
        is_group && !self.node.is_alias() && self.page.shape(self.node) == ContainerSyntax::Block
    }

    /// Returns the comment behind the header of a block of text, with the spaces before it.
    fn header_comment(&self) -> &'a str {
        let raw = self.page.slice(self.start..self.end);
        let is_text = raw.starts_with(['|', '>']);
        let header = raw.split(['\n', '\r']).next().filter(|_| is_text);
        header.and_then(|header| Some(&header[header.find(" #")?..])).unwrap_or_default()
    }

    /// Writes a value on one line.
    pub(super) fn inline(&self, text: String) -> TextEdit {
        if self.start == self.end {
            // Without a blank, `key:text` would be one plain text.
            return TextEdit { range: self.lead..self.lead, new: format!(" {text}") };
        }
        if self.parent.is_some() && self.is_below() && self.is_block() {
            let comments = self.gap().trim_end();
            return TextEdit { range: self.lead..self.end, new: format!(" {text}{comments}") };
        }
        TextEdit { range: self.start..self.end, new: format!("{text}{}", self.header_comment()) }
    }

    /// Writes a text of several lines: what follows the old value on its line goes behind the header.
    fn lines(&self, text: &str) -> Option<TextEdit> {
        let (header, body) = text.split_at(text.find(['\n', '\r'])?);
        if self.start == self.end {
            let range = self.lead..self.page.line_end(self.lead);
            let comment = self.page.slice(range.clone()).trim_end();
            let new = format!(" {header}{comment}{body}");
            return Some(TextEdit { range, new });
        }
        if self.parent.is_some() && self.is_below() {
            let new = format!(" {header}{body}");
            let range = self.lead..self.end;
            return is_blank(&self.gap().replace(['\n', '\r'], ""))
                .then_some(TextEdit { range, new });
        }
        let (range, comment) = match self.header_comment() {
            "" if !self.is_block() => {
                let line_end = self.page.line_end(self.end);
                (self.start..line_end, self.page.slice(self.end..line_end).trim_end())
            }
            comment => (self.start..self.end, comment),
        };
        let new = format!("{header}{comment}{body}");
        Some(TextEdit { range, new })
    }

    /// Writes a list or a mapping by indentation.
    fn block(&self, writer: &ValueWriter<'a>, value: Node<'_>, peer: Option<Node<'a>>) -> TextEdit {
        let col = self.page.column(self.start);
        let parent = self.parent.unwrap_or_default();
        let is_empty = self.start == self.end;
        let is_column_kept = match self.parent {
            _ if is_empty => false,
            None => col == 0,
            Some(_) if self.is_block() && self.node.kind() == value.kind() => true,
            // A list may be at the column of its key, but a mapping may not.
            Some(_) if self.is_below() => col > parent,
            Some(_) => self.is_element && !self.has_properties,
        };
        if is_column_kept {
            return TextEdit { range: self.start..self.end, new: writer.block(value, peer, col) };
        }
        if self.is_element && is_empty && !self.has_properties {
            let gap = writer.style.dash_gap();
            let block = writer.block(value, peer, parent + 1 + gap);
            return TextEdit {
                range: self.lead..self.lead,
                new: format!("{}{block}", " ".repeat(gap)),
            };
        }
        let col = match self.parent {
            Some(parent) if self.is_element => parent + writer.style.indent(),
            Some(parent) => writer.column_below(value, parent),
            None => 0,
        };
        let new = format!("{}{}", writer.line_at(col), writer.block(value, peer, col));
        if is_empty {
            let at = self.page.comment_end(self.lead);
            return TextEdit { range: at..at, new };
        }
        let comments = self.gap().trim_end();
        TextEdit { range: self.lead..self.end, new: format!("{comments}{new}") }
    }
}
