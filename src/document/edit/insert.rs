//! Puts a new value into a list or a mapping.

use super::blocks::Indicator;
use super::expected_edit::ExpectedEdit;
use super::lines::{ContainerPart, ContainerSyntax, DocumentLines};
use super::pointer::{self, InsertPosition};
use super::style::{ContainerLayout, layout_of};
use super::writer::{FormatStrictness, ValueWriter, nearest_like};
use super::{EditCandidates, EditRefusal, JsonValue, set};
use crate::text::TextEdit;
use crate::yaml::write::ScalarContext;
use crate::{Node, Tree};

pub(super) fn plans<'a>(
    tree: &'a Tree,
    pointer: &str,
    value: &JsonValue,
    before: Option<&str>,
) -> Result<EditCandidates<'a>, EditRefusal> {
    let (container, index, key) = match pointer::find_insert_position(tree, pointer)? {
        InsertPosition::Element(list, index) => (list, index, None),
        InsertPosition::Member(mapping, key) => {
            let at = mapping.items().position(|item| before.is_some() && item.key() == before);
            (mapping, at.unwrap_or(mapping.len()), Some(key))
        }
    };
    set::fits_syntax(container, value)?;
    let page = DocumentLines::new(tree);
    let shape = page.shape(container);
    if shape == ContainerSyntax::Pair {
        let message = "A mapping without braces in a list can have only one member";
        return Err(EditRefusal::at(container, message));
    }
    let ways = if container.is_empty() {
        let container_value = match &key {
            Some(key) => value.in_object(key),
            None => value.in_list(),
        };
        set::candidates(container, &container_value)
    } else {
        let parts = page.parts(container);
        let new = NewPart { key: key.as_deref(), value: value.root() };
        let at = parts.get(index).map_or(container.span().range().end, |part| part.start);
        let mut writer = ValueWriter::new(tree, at);
        let mut ways = Vec::new();
        for strictness in [FormatStrictness::MatchStyle, FormatStrictness::Plainest] {
            writer.strictness = strictness;
            match shape {
                ContainerSyntax::Block => {
                    ways.extend(block_candidates(&writer, &parts, index, &new));
                }
                _ => ways.extend(bracket_candidate(&writer, container, &parts, index, &new)),
            }
        }
        // Both spellings are often the same, and each candidate costs two parses.
        ways.dedup();
        ways
    };
    let outcome = ExpectedEdit::Insert(container, index, key, value.clone());
    Ok(EditCandidates { outcome, candidates: ways })
}

/// The inserted part: an element, or a member with its key.
struct NewPart<'v> {
    key: Option<&'v str>,
    value: Node<'v>,
}

/// Into a list or mapping by indentation: on lines of its own.
fn block_candidates(
    writer: &ValueWriter<'_>,
    parts: &[ContainerPart<'_>],
    index: usize,
    new: &NewPart<'_>,
) -> Vec<TextEdit> {
    let page = writer.page;
    let sibling = parts.get(index).or(parts.last());
    let Some(sibling) = sibling else { return Vec::new() };
    // YAML requires all parts of a block to be at one column.
    let column = page.column(parts.first().unwrap_or(sibling).start);
    let example = nearest_like(sibling.node, new.value).filter(|_| new.key.is_none());
    let text = match new.key {
        Some(key) => {
            let key = writer.key(key, Some(sibling.node), ScalarContext::Block);
            let value = writer.behind(Indicator::Colon, new.value, example, column);
            format!("{key}:{value}")
        }
        None => writer.block_element(new.value, example, column),
    };
    let blank = blank_lines_between(&page, parts);
    let Some(left_part) = index.checked_sub(1).and_then(|index| parts.get(index)) else {
        let newlines = writer.newline.repeat(blank);
        let text = format!("{text}{newlines}{}", writer.line_at(column));
        let range = sibling.start..sibling.start;
        return vec![TextEdit { range, new: text }];
    };
    let line = writer.line_at(column);
    let line_end = page.line_end(left_part.end);
    let insertion = |blank: usize| TextEdit {
        range: line_end..line_end,
        new: format!("{}{line}{text}", writer.newline.repeat(blank)),
    };
    let mut ways = vec![insertion(blank)];
    if blank > 0 {
        ways.push(insertion(0));
    }
    // Blank lines behind a text may belong to it.
    let (count, end) = page.blank_lines_after(left_part.end);
    if let Some(start) = page.next_line(end).filter(|_| count > 0) {
        ways.push(TextEdit {
            range: start..start,
            new: format!("{}{text}{}", " ".repeat(column), writer.newline),
        });
    }
    ways
}

/// Returns how many blank lines are between all parts.
fn blank_lines_between(page: &DocumentLines<'_>, parts: &[ContainerPart<'_>]) -> usize {
    let head = parts.split_last().map_or(parts, |(_, head)| head);
    head.iter().map(|part| page.blank_lines_after(part.end).0).min().unwrap_or(0)
}

/// Into brackets: with a comma.
fn bracket_candidate(
    writer: &ValueWriter<'_>,
    container: Node<'_>,
    parts: &[ContainerPart<'_>],
    index: usize,
    new: &NewPart<'_>,
) -> Option<TextEdit> {
    let page = writer.page;
    let sibling = parts.get(index).or(parts.last())?;
    let layout = layout_of(&page, container);
    let margin = page.indentation(sibling.start);
    let example = nearest_like(sibling.node, new.value).filter(|_| new.key.is_none());
    let value = writer.value(new.value, example, layout, margin);
    let text = match new.key {
        Some(key) => {
            let key = writer.key(key, Some(sibling.node), ScalarContext::Flow);
            let colon = writer.style.spacing(Some(container)).colon();
            format!("{key}{colon}{value}")
        }
        None => value,
    };
    let line = format!("{}{margin}", writer.newline);
    let Some(left_part) = index.checked_sub(1).and_then(|index| parts.get(index)) else {
        let comma = match parts.get(1) {
            Some(next) => separator(&page, parts.first()?.end..next.start),
            None => None,
        };
        let comma = comma.unwrap_or_else(|| comma_of(writer, container, layout, &line));
        let range = sibling.start..sibling.start;
        return Some(TextEdit { range, new: format!("{text}{comma}") });
    };
    if let Some(next) = parts.get(index) {
        let range = next.start..next.start;
        return match separator(&page, left_part.end..next.start) {
            Some(comma) => Some(TextEdit { range, new: format!("{text}{comma}") }),
            None => {
                // A comment is between the two parts; one on the line of the comma belongs to the first part.
                let at = page.line_end(page.skip(left_part.end, next.start));
                Some(TextEdit { range: at..at, new: format!("{line}{text},") })
            }
        };
    }
    let previous = index.checked_sub(2).and_then(|index| parts.get(index));
    let comma = previous
        .and_then(|previous| separator(&page, previous.end..left_part.start))
        .unwrap_or_else(|| comma_of(writer, container, layout, &line));
    let comma_place = page.skip(left_part.end, container.span().range().end);
    let has_comma = page.text[comma_place..].starts_with(',');
    let comma_end = if has_comma { comma_place + 1 } else { left_part.end };
    let comment_end = page.comment_end(comma_end);
    if comment_end == comma_end {
        let range = left_part.end..left_part.end;
        return Some(TextEdit { range, new: format!("{comma}{text}") });
    }
    let comment = page.slice(left_part.end..comment_end);
    Some(if has_comma {
        TextEdit { range: comment_end..comment_end, new: format!("{line}{text},") }
    } else {
        TextEdit { range: left_part.end..comment_end, new: format!(",{comment}{line}{text}") }
    })
}

/// Returns the text between two parts, if it is only a comma and white space.
fn separator(page: &DocumentLines<'_>, range: std::ops::Range<usize>) -> Option<String> {
    let text = page.slice(range);
    (text.trim() == ",").then(|| text.to_owned())
}

/// Returns what to put between two parts where there is no example.
fn comma_of(
    writer: &ValueWriter<'_>,
    container: Node<'_>,
    layout: ContainerLayout,
    line: &str,
) -> String {
    match layout {
        ContainerLayout::ManyLines => format!(",{line}"),
        _ => writer.style.spacing(Some(container)).comma().to_owned(),
    }
}
