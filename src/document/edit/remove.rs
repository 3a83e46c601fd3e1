//! Takes an element or a member out, with what separates it and the comment behind it on its line.

use super::expected_edit::ExpectedEdit;
use super::lines::{ContainerPart, ContainerSyntax, DocumentLines, is_blank};
use super::set::Indentation;
use super::{EditCandidates, EditRefusal};
use crate::text::TextEdit;
use crate::{Node, NodeKind, Syntax};

pub(super) fn plans(node: Node<'_>) -> Result<EditCandidates<'_>, EditRefusal> {
    let Some(container) = node.parent() else {
        return Err(EditRefusal::at(node, "The document itself cannot be removed"));
    };
    let page = DocumentLines::new(node.tree());
    let parts = page.parts(container);
    let index = node.index();
    let ways = match page.shape(container) {
        ContainerSyntax::Block if parts.len() == 1 => {
            replace_with_empty(&page, container, &parts[0]).into_iter().collect()
        }
        ContainerSyntax::Block => remove_lines(&page, &parts, index),
        ContainerSyntax::Pair => {
            // `[a: 1]` without its only member has an empty mapping as its element.
            vec![TextEdit { range: container.span().range(), new: "{}".to_owned() }]
        }
        ContainerSyntax::Brackets if parts.len() == 1 => {
            vec![remove_only_part(&page, container, &parts[0])]
        }
        ContainerSyntax::Brackets => vec![remove_with_comma(&page, &parts, index)],
    };
    let outcome = ExpectedEdit::Remove(node);
    Ok(EditCandidates { outcome, candidates: ways })
}

/// Plans to remove several neighbors in brackets, beside which others stay; `None` for all else.
pub(super) fn plan_run(nodes: &[Node<'_>]) -> Option<TextEdit> {
    let (first, last) = (nodes.first()?, nodes.last()?);
    let container = first.parent().filter(|_| nodes.len() > 1)?;
    let page = DocumentLines::new(container.tree());
    let is_toml = container.tree().syntax() == Syntax::Toml;
    if is_toml || page.shape(container) != ContainerSyntax::Brackets {
        return None;
    }
    let parts = page.parts(container);
    let range = match parts.get(last.index() + 1) {
        Some(next) => parts.get(first.index())?.start..next.start,
        None => parts.get(first.index().checked_sub(1)?)?.end..parts.get(last.index())?.end,
    };
    // A comment may belong to a value that stays, so a range with `#` is left to the removal of single values.
    (!page.slice(range.clone()).contains('#') || container.tree().syntax() == Syntax::Json)
        .then(|| TextEdit { range, new: String::new() })
}

/// Replaces a block-style list or mapping with a single part by an empty one.
fn replace_with_empty(
    page: &DocumentLines<'_>,
    container: Node<'_>,
    part: &ContainerPart<'_>,
) -> Option<TextEdit> {
    // A block without parts would be read as null.
    let brackets = if container.kind() == NodeKind::Array { "[]" } else { "{}" };
    let mut edit = Indentation::find(page, container)?.inline(brackets.to_owned());
    edit.range.end = page.comment_end(part.end).max(edit.range.end);
    Some(edit)
}

/// Removes the lines of one of several parts in block style.
fn remove_lines(
    page: &DocumentLines<'_>,
    parts: &[ContainerPart<'_>],
    index: usize,
) -> Vec<TextEdit> {
    let Some(part) = parts.get(index) else { return Vec::new() };
    let removal = |range| TextEdit { range, new: String::new() };
    let line_end = page.line_end(part.end);
    if !page.starts_line(part.start) {
        // The part follows the dash of a list around it, and the next part takes its place after the dash.
        let next = parts.get(index + 1).map_or(line_end, |next| next.start);
        let mut end = line_end;
        while let Some(start) = page.next_line(end).filter(|start| *start <= next) {
            let content = start + page.indentation(start).len();
            if content < page.text.len() && page.next_line(content).is_none() {
                return vec![removal(part.start..content)];
            }
            end = page.line_end(start);
        }
        return Vec::new();
    }
    let start = page.line_start(part.start);
    let (blank, blank_end) = page.blank_lines_after(part.end);
    let text_end = page.slice(0..start).trim_end_matches(['\n', '\r']).len();
    let rest_is_blank = page.next_line(blank_end).is_none_or(|next| next == page.text.len());
    let mut ways = Vec::new();
    if let Some(previous) = index.checked_sub(1).and_then(|index| parts.get(index)) {
        let (blank_above, _) = page.blank_lines_after(previous.end);
        let only_blank =
            is_blank(&page.slice(page.line_end(previous.end)..start).replace(['\n', '\r'], ""));
        let is_apart = blank_above > 0
            && only_blank
            && (blank > 0 || rest_is_blank || index + 1 == parts.len());
        if is_apart {
            // The blank lines above separate the part from the one before, so they are removed with it.
            ways.push(removal(page.line_end(previous.end)..line_end));
        }
    }
    let with_blank = page.next_line(blank_end).unwrap_or(blank_end);
    // Blank lines behind the first part would be left at the top.
    if index == 0 && blank > 0 {
        ways.push(removal(start..with_blank));
    }
    match page.next_line(line_end) {
        Some(next) => ways.push(removal(start..next)),
        None => {
            ways.push(removal(text_end.min(start)..line_end));
            // A block of text above may need the line end.
            ways.push(removal(start..line_end));
        }
    }
    if blank > 0 {
        // A text above would take in the blank lines below.
        ways.push(removal(start..with_blank));
    }
    ways
}

/// Removes the only part in brackets: with the white space around it, unless there are comments.
fn remove_only_part(
    page: &DocumentLines<'_>,
    container: Node<'_>,
    part: &ContainerPart<'_>,
) -> TextEdit {
    let span = container.span().range();
    let (range_before, range_after) = (span.start + 1..part.start, part.end..span.end - 1);
    let has_comment = page.slice(range_before.clone()).contains('#')
        || page.slice(range_after.clone()).contains('#');
    let range = if has_comment {
        let comma = page.skip(part.end, range_after.end);
        part.start..if page.text[comma..].starts_with(',') { comma + 1 } else { part.end }
    } else {
        range_before.start..range_after.end
    };
    TextEdit { range, new: String::new() }
}

/// Removes one of several parts in brackets, with a comma.
fn remove_with_comma(
    page: &DocumentLines<'_>,
    parts: &[ContainerPart<'_>],
    index: usize,
) -> TextEdit {
    let part = parts[index];
    if let Some(next) = parts.get(index + 1) {
        let comma = page.skip(part.end, next.start);
        let stop = page.comment_end((comma + 1).min(next.start));
        // Comment lines above the next part stay with it.
        let content_start =
            page.next_line(page.line_end(stop)).map(|start| start + page.indentation(start).len());
        let end = if page.slice(comma..next.start).contains('#') {
            content_start.filter(|end| *end <= next.start).unwrap_or(next.start)
        } else {
            next.start
        };
        return TextEdit { range: part.start..end, new: String::new() };
    }
    let left = parts[index - 1];
    let comma = page.skip(left.end, part.start);
    let own_comma = page.skip(part.end, page.text.len());
    if page.text[own_comma..].starts_with(',') {
        // The comma before this part becomes the one that trails.
        let stop = (comma + 1).min(part.start);
        let comment_len = page.slice(stop..part.start).trim_end().len();
        return TextEdit {
            range: stop + comment_len..page.comment_end(own_comma + 1),
            new: String::new(),
        };
    }
    let separator = format!(
        "{}{}",
        page.slice(left.end..comma),
        page.slice((comma + 1).min(part.start)..part.start)
    );
    TextEdit { range: left.end..page.comment_end(part.end), new: separator.trim_end().to_owned() }
}
