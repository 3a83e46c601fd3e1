//! Moves an element within its list.

use super::expected_edit::ExpectedEdit;
use super::lines::{ContainerPart, ContainerSyntax, DocumentLines};
use super::{EditCandidates, EditRefusal, pointer};
use crate::text::TextEdit;
use crate::{Node, NodeKind};

pub(super) fn plans(node: Node<'_>, to: usize) -> Result<EditCandidates<'_>, EditRefusal> {
    let list = node.parent().filter(|parent| parent.kind() == NodeKind::Array);
    let Some(list) = list else {
        return Err(EditRefusal::at(node, "Only an element of a list can be moved"));
    };
    if to >= list.len() {
        return Err(pointer::no_element(list, &to.to_string()));
    }
    let page = DocumentLines::new(node.tree());
    let parts = page.parts(list);
    let mut ways = Vec::new();
    match page.shape(list) {
        // Blank lines mostly separate elements, but behind a block of text they may belong to it.
        ContainerSyntax::Block => {
            ways.extend(move_element(
                &page,
                &element_ranges(&page, &parts, Blanks::Stay),
                node.index(),
                to,
            ));
            ways.extend(move_element(
                &page,
                &element_ranges(&page, &parts, Blanks::Follow),
                node.index(),
                to,
            ));
        }
        ContainerSyntax::Brackets | ContainerSyntax::Pair => {
            let values: Vec<_> = parts.iter().map(|part| (part.start, part.end)).collect();
            ways.extend(move_element(&page, &values, node.index(), to));
        }
    }
    let outcome = ExpectedEdit::Move(node, to);
    Ok(EditCandidates { outcome, candidates: ways })
}

/// Treatment of the blank lines behind an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// They separate places.
    Stay,
    /// They belong to the text of the element.
    Follow,
}

/// Returns the range of each element, including the comment after it and the comment lines directly above it. Comments
/// above the first element belong to the list.
fn element_ranges(
    page: &DocumentLines<'_>,
    parts: &[ContainerPart<'_>],
    blanks: Blanks,
) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(parts.len());
    for part in parts {
        let end = match blanks {
            Blanks::Stay => page.comment_end(part.end),
            Blanks::Follow => page.blank_lines_after(part.end).1,
        };
        let mut start = part.start;
        if let Some((_, previous_end)) = ranges.last() {
            // A comment in the range of the element before belongs to that one.
            while let Some(line) =
                comment_line_above(page, start).filter(|line| line > previous_end)
            {
                start = line;
            }
        }
        ranges.push((start, end));
    }
    ranges
}

/// Returns where the comment begins that fills the line above byte `at`, as far indented as that.
fn comment_line_above(page: &DocumentLines<'_>, at: usize) -> Option<usize> {
    let line = page.line_start(at);
    let head = page.slice(0..line);
    let lines_before = head.strip_suffix("\r\n").or_else(|| head.strip_suffix(['\n', '\r']))?;
    let start = page.line_start(lines_before.len());
    let comment = start + page.indentation(start).len();
    let is_beside = page.column(comment) == page.column(at);
    (is_beside && lines_before.get(comment..)?.starts_with('#')).then_some(comment)
}

/// Moves the element at `from` to the position of the one at `to`; the text between the elements does not move.
fn move_element(
    page: &DocumentLines<'_>,
    elements: &[(usize, usize)],
    from: usize,
    to: usize,
) -> Option<TextEdit> {
    let (first, last) = (from.min(to), from.max(to));
    let elements = elements.get(first..=last)?;
    let mut order: Vec<usize> = (0..elements.len()).collect();
    if from < to {
        order.rotate_left(1);
    } else {
        order.rotate_right(1);
    }
    let mut new = String::new();
    for (place, &element) in order.iter().enumerate() {
        if place > 0 {
            new.push_str(page.slice(elements[place - 1].1..elements[place].0));
        }
        let (start, end) = elements[element];
        new.push_str(page.slice(start..end));
    }
    let range = elements.first()?.0..elements.last()?.1;
    Some(TextEdit { range, new })
}
