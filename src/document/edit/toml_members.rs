//! Removes members and elements in TOML, with their lines. Tables are written with headers or in braces.

use std::ops::Range;

use super::expected_edit::ExpectedEdit;
use super::lines::DocumentLines;
use super::toml_value::is_by_headers;
use super::{EditCandidates, EditRefusal};
use crate::text::{TextEdit, with_replaced};
use crate::{Node, NodeKind, Tree};

/// Plans to remove a value.
pub(super) fn remove(node: Node<'_>) -> Result<EditCandidates<'_>, EditRefusal> {
    let page = TomlPage::new(node.tree());
    let Some(parent) = node.parent() else {
        return Err(EditRefusal::at(node, "The document itself cannot be removed"));
    };
    let edit = if page.is_by_headers(node) {
        if parent.kind() == NodeKind::Array && parent.len() == 1 {
            let message = "A list of tables has at least one; remove the list itself";
            return Err(EditRefusal::at(node, message));
        }
        page.without_tables(node)?
    } else if page.is_in_brackets(parent) {
        page.out_of_brackets(parent, node.index())
    } else {
        page.without_line(node)
    };
    Ok(EditCandidates { outcome: ExpectedEdit::Remove(node), candidates: vec![edit] })
}

/// The lines of a document, and the headers in it.
struct TomlPage<'a> {
    tree: &'a Tree,
    lines: DocumentLines<'a>,
    /// The first byte of each header, in order.
    headers: Vec<usize>,
}

impl<'a> TomlPage<'a> {
    fn new(tree: &'a Tree) -> Self {
        let lines = DocumentLines::new(tree);
        let tables = tree.nodes().filter(|node| node.kind() == NodeKind::Object);
        let starts = tables.map(|node| node.span().range().start);
        let is_header = |at: &usize| lines.text[*at..].starts_with('[') && lines.starts_line(*at);
        let mut headers: Vec<usize> = starts.filter(is_header).collect();
        headers.sort_unstable();
        headers.dedup();
        Self { tree, lines, headers }
    }

    fn is_by_headers(&self, node: Node<'_>) -> bool {
        is_by_headers(&self.lines, node)
    }

    /// Returns whether the parts of a container are between brackets or braces.
    fn is_in_brackets(&self, container: Node<'_>) -> bool {
        container.parent().is_some() && !self.is_by_headers(container)
    }

    /// Returns the headers of a table or a list of tables, and of those in it.
    fn headers_of(&self, node: Node<'_>) -> Vec<usize> {
        let tables = self.tree.nodes_at(node.positions());
        let starts = tables.filter(|node| node.kind() == NodeKind::Object);
        let mut starts: Vec<usize> = starts.map(|node| node.span().range().start).collect();
        starts.retain(|at| self.headers.binary_search(at).is_ok());
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Returns the lines of a header and of what follows it, up to the next header with the comments directly above it.
    fn section(&self, header: usize) -> Range<usize> {
        let start = self.lines.line_start(header);
        let next = self.headers.partition_point(|at| *at <= header);
        let Some(next) = self.headers.get(next) else { return start..self.lines.text.len() };
        let end = self.section_start(*next).max(start);
        start..end
    }

    /// Returns where the last value of a member ends.
    fn end_of(&self, member: Node<'_>) -> usize {
        let parts = self.tree.nodes_at(member.positions());
        parts.map(|part| part.span().range().end).max().unwrap_or_default()
    }

    fn without_tables(&self, node: Node<'_>) -> Result<TextEdit, EditRefusal> {
        let headers = self.headers_of(node);
        let sections: Vec<Range<usize>> = headers.into_iter().map(|h| self.section(h)).collect();
        let (Some(first), Some(last)) = (sections.first(), sections.last()) else {
            let message = "The table is written with dotted keys; edit the text itself";
            return Err(EditRefusal::at(node, message));
        };
        let (mut span, text) = (first.start..last.end, self.lines.text);
        let removals: Vec<(Range<usize>, &str)> =
            sections.iter().map(|s| (s.start - span.start..s.end - span.start, "")).collect();
        let mut new = with_replaced(self.lines.slice(span.clone()), &removals);
        if span.end == text.len() && new.is_empty() {
            // The blank lines above separated the removed table from what precedes it.
            let end = text[..span.start].trim_end().len();
            let line_start = self.lines.next_line(self.lines.line_end(end));
            span.start = line_start.filter(|start| end > 0 && *start <= span.start).unwrap_or(end);
            if !text.ends_with('\n') {
                span.start = end;
                new.clear();
            }
        }
        Ok(TextEdit { range: span, new })
    }

    fn without_line(&self, node: Node<'_>) -> TextEdit {
        let start = self.lines.line_start(node.key_span().unwrap_or(node.span()).range().start);
        let end = self.lines.line_end(self.end_of(node));
        let range = match self.lines.next_line(end) {
            Some(next) => start..next,
            None => self.lines.text[..start].trim_end_matches(['\r', '\n']).len()..end,
        };
        TextEdit { range, new: String::new() }
    }

    /// Returns where a part of brackets is, with its key.
    fn part(&self, part: Node<'_>) -> Range<usize> {
        part.key_span().unwrap_or(part.span()).range().start..self.end_of(part)
    }

    fn out_of_brackets(&self, container: Node<'_>, index: usize) -> TextEdit {
        let parts: Vec<Range<usize>> = container.items().map(|item| self.part(item)).collect();
        let own_range = parts[index].clone();
        let next = parts.get(index + 1);
        let comma = self.lines.skip(own_range.end, self.lines.text.len());
        let own_end = if self.lines.text[comma..].starts_with(',') {
            self.lines.comment_end(comma + 1)
        } else {
            self.lines.comment_end(own_range.end)
        };
        let range = if self.lines.starts_line(own_range.start)
            && let Some(line) = self.lines.next_line(own_end)
        {
            // Nothing else is on the lines of this value, so they are removed whole.
            self.lines.line_start(own_range.start)..line
        } else if let Some(next) = next {
            own_range.start..next.start
        } else if let Some(previous) = index.checked_sub(1).and_then(|i| parts.get(i)) {
            previous.end..own_range.end
        } else {
            let span = container.span().range();
            let content = span.start + 1..span.end - 1;
            if self.lines.slice(content.clone()).contains('#') {
                own_range.start..own_end.max(own_range.end)
            } else {
                content
            }
        };
        TextEdit { range, new: String::new() }
    }

    /// Returns where the comments directly above a header begin.
    fn section_start(&self, header: usize) -> usize {
        let mut start = self.lines.line_start(header);
        while let Some(end) = start.checked_sub(1) {
            let line_start = self.lines.line_start(end);
            if !self.lines.slice(line_start..start).trim_start().starts_with('#') {
                break;
            }
            start = line_start;
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Edit, JsonValue, plan};
    use crate::text::Source;
    use crate::toml;

    const TEXT: &str = r#"# head
version = 1 # kept
tags = ["a", "b"]
lines = [
  1, # one
  2,
]
inner = { a = 1, b = [] }
empty = {}

[interactions.meta]
on = true

# the first
[[interactions.calls]]
at = 1

[interactions.calls.headers]
"x y" = ["1"]
date = ["now"]

# the second
[[interactions.calls]]
at = 2
"#;

    /// Returns the lines of the text that an edit removes and adds.
    fn change(edit: &Edit) -> String {
        let (tree, _) = toml::parse(&Source::new(TEXT));
        let edit = match plan(&tree, edit) {
            Ok(edit) => edit,
            Err(refusal) => return format!("{refusal}\n"),
        };
        let mut new_text = TEXT.to_owned();
        edit.apply(&mut new_text);
        let diff = similar::TextDiff::from_lines(TEXT, &new_text);
        let changes = diff.iter_all_changes().filter(|c| c.tag() != similar::ChangeTag::Equal);
        changes.map(|change| format!("{}{change}", change.tag())).collect()
    }

    fn remove(pointer: &str) -> String {
        let pointer = pointer.to_owned();
        change(&Edit::Remove { pointer })
    }

    #[test]
    fn members_and_elements_are_removed_with_their_lines() {
        let changes = [
            remove("/version"),
            remove("/tags/0"),
            remove("/tags/1"),
            remove("/lines/0"),
            remove("/lines"),
            remove("/inner/a"),
            remove("/inner/b"),
            remove("/interactions/meta"),
            remove("/interactions/calls/0"),
            remove("/interactions/calls/0/headers/x y"),
            remove("/interactions/calls/0/headers"),
            remove("/interactions/calls/1"),
            remove("/interactions/calls"),
            remove("/interactions/calls/0/headers/date/0"),
        ];
        insta::assert_snapshot!(changes.join("--\n"), @r#"
        -version = 1 # kept
        --
        -tags = ["a", "b"]
        +tags = ["b"]
        --
        -tags = ["a", "b"]
        +tags = ["a"]
        --
        -  1, # one
        --
        -lines = [
        -  1, # one
        -  2,
        -]
        --
        -inner = { a = 1, b = [] }
        +inner = { b = [] }
        --
        -inner = { a = 1, b = [] }
        +inner = { a = 1 }
        --
        -[interactions.meta]
        -on = true
        -
        --
        -[[interactions.calls]]
        -at = 1
        -
        -[interactions.calls.headers]
        -"x y" = ["1"]
        -date = ["now"]
        -
        --
        -"x y" = ["1"]
        --
        -[interactions.calls.headers]
        -"x y" = ["1"]
        -date = ["now"]
        -
        --
        -[[interactions.calls]]
        -at = 2
        --
        -[[interactions.calls]]
        -at = 1
        -
        -[interactions.calls.headers]
        -"x y" = ["1"]
        -date = ["now"]
        -
        -[[interactions.calls]]
        -at = 2
        --
        -date = ["now"]
        +date = []
        "#);
    }

    #[test]
    fn what_is_new_is_left_to_the_text() {
        let value = JsonValue::text("x");
        let at = str::to_owned;
        let edits = [
            Edit::Rename { pointer: at("/version"), key: at("new") },
            Edit::Move { pointer: at("/tags/0"), to: 1 },
            Edit::Insert { pointer: at("/tags/-"), value: value.clone() },
            Edit::InsertBefore { pointer: at("/new"), before: at("version"), value },
        ];
        let changes = edits.map(|edit| change(&edit));
        insta::assert_snapshot!(changes.concat(), @"
        In TOML, values are only replaced and removed; edit the text itself (line 2, column 11)
        In TOML, values are only replaced and removed; edit the text itself (line 3, column 9)
        In TOML, values are only replaced and removed; edit the text itself (line 1, column 1)
        In TOML, values are only replaced and removed; edit the text itself (line 1, column 1)
        ");
    }

    #[test]
    fn an_edit_changes_only_its_value_in_odd_files() {
        let texts = [
            TEXT.to_owned(),
            TEXT.replace('\n', "\r\n"),
            "# mixed\r\na = 1\nb = 'x' # kept\r\n\n[t]\r\nc = [ 1,\r\n  2, # two\n]".to_owned(),
            "a.b.c = 1\na.\"d e\" = '''\none\n'two' '''\n\n[[x]]\n[[x.y]]\nz = {k = 1979-05-27, l.m=\"\\u00e9\"}\n".to_owned(),
            "\"\" = 0x1F\n'q\"' = \"\"\"\n\\\n  folded\"\"\"\r\nt = 07:32:00\nf = 1_000.5e-3\nn = +nan\n".to_owned(),
        ];
        for text in &texts {
            let (tree, problems) = toml::parse(&Source::new(text.as_str()));
            assert!(problems.is_empty(), "{text}");
            for node in tree.nodes().filter(|table| table.is_empty() && table.parent().is_some()) {
                let (pointer, span) = (node.pointer(), node.span().range());
                let value = JsonValue::text("it's\n");
                let mut new_text = text.clone();
                plan(&tree, &Edit::Set { pointer: pointer.clone(), value })
                    .unwrap()
                    .apply(&mut new_text);
                assert!(new_text.starts_with(&text[..span.start]), "{pointer} {new_text}");
                assert!(new_text.ends_with(&text[span.end..]), "{pointer} {new_text}");
                // A dotted key takes the tables along that only it makes, which is refused.
                let Ok(edit) = plan(&tree, &Edit::Remove { pointer: pointer.clone() }) else {
                    assert!(pointer.starts_with("/a/b") || pointer.ends_with("/l/m"), "{pointer}");
                    continue;
                };
                let mut new_text = text.clone();
                edit.apply(&mut new_text);
                // All bytes but some next to each other stay.
                let start = text.bytes().zip(new_text.bytes()).take_while(|(a, b)| a == b).count();
                assert!(text.ends_with(&new_text[start..]), "{pointer} {new_text}");
                let (new_tree, problems) = toml::parse(&Source::new(new_text.as_str()));
                assert!(problems.is_empty() && new_tree.len() < tree.len(), "{pointer} {new_text}");
            }
        }
    }
}
