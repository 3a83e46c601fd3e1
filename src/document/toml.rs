//! Parses TOML with places. Values of a table are in the order of their first key in the text.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Syntax;
use super::problem::{Problem, RuleId};
use super::tree::{MAX_VALUES, MemberKey, NodeId, NodeKind, Scalar, Tree};
use crate::text::{Source, Span, upper_first};

/// Parses a TOML text. Never fails: a syntax error becomes a problem, and what was understood is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    let (table, faults) = DeTable::parse_recoverable(source.text());
    let mut reader = TomlTree { source, tree: Tree::new(source.clone(), Syntax::Toml) };
    let value = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
    reader.add(None, None, &value);
    // One error causes others, so only the first is reported.
    let problem = faults.first().map(|fault| {
        let at = fault.span().map_or(0, |span| span.start);
        let message = upper_first(fault.message().trim());
        Problem::at(RuleId::Syntax, source, Span::empty(at), "", message)
    });
    let problems = Vec::from_iter(problem);
    if !problems.is_empty() {
        reader.tree.set_ill_formed();
    }
    reader.tree.set_fault(&problems);
    (reader.tree, problems)
}

struct TomlTree<'a> {
    source: &'a Source,
    tree: Tree,
}

impl TomlTree<'_> {
    /// Adds a value and returns where its text ends: of a table after its last value, although its own text is only the header.
    fn add(
        &mut self,
        parent: Option<NodeId>,
        key: Option<MemberKey>,
        value: &Spanned<DeValue<'_>>,
    ) -> usize {
        let range = value.span();
        if self.tree.len() > MAX_VALUES {
            return range.end;
        }
        let (kind, text) = match value.get_ref() {
            DeValue::Table(_) => (NodeKind::Object, None),
            DeValue::Array(_) => (NodeKind::Array, None),
            DeValue::String(text) => (NodeKind::String, Some(self.scalar(&range, text))),
            DeValue::Integer(_) | DeValue::Float(_) => (NodeKind::Number, None),
            DeValue::Boolean(_) => (NodeKind::Bool, None),
            DeValue::Datetime(_) => (NodeKind::Timestamp, None),
        };
        let id = self.tree.push(parent, key, kind, Span::new(range.start, range.end), text);
        let mut end = range.end;
        match value.get_ref() {
            DeValue::Table(table) => {
                let mut members: Vec<_> = table.iter().collect();
                members.sort_by_key(|(key, _)| key.span().start);
                for (key, value) in members {
                    let span = key.span();
                    let text = self.scalar(&span, key.get_ref());
                    let span = Span::new(span.start, span.end);
                    // Parts of a table may be anywhere in the text, so the last key is not always the last to end.
                    end = end.max(self.add(Some(id), Some(MemberKey { span, text }), value));
                }
            }
            DeValue::Array(items) => {
                for item in items {
                    end = end.max(self.add(Some(id), None, item));
                }
            }
            _ => return end,
        }
        self.tree.close(id, end);
        end
    }

    /// Returns how a text is written.
    fn scalar(&self, span: &Range<usize>, text: &str) -> Scalar {
        let raw = self.source.text().get(span.clone()).unwrap_or_default();
        let content = raw.len().checked_sub(1).and_then(|end| raw.get(1..end));
        if raw == text {
            Scalar::Plain
        } else if content == Some(text) {
            Scalar::Quoted
        } else {
            Scalar::Decoded(text.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each value with its pointer, its place and how it is written.
    fn described(text: &str) -> String {
        let (tree, problems) = parse(&Source::new(text));
        let line = |node: super::super::Node<'_>| {
            let place = node.place();
            let value = node.scalar_text().unwrap_or(node.kind().name());
            format!("{} {}:{} {value:?}", node.pointer(), place.line, place.column)
        };
        let mut lines: Vec<String> = tree.nodes().map(line).collect();
        lines.extend(problems.iter().map(|problem| problem.message.to_string()));
        lines.join("\n")
    }

    #[test]
    fn tables_and_lists_of_tables_have_their_places() {
        insta::assert_snapshot!(described(
            "version = 1\n\n[[calls]]\nat = \"a\\tb\"\n[calls.sent]\nkeys = ['x', 2]\n[[calls]]\nok = true\n"
        ), @r#"
         1:1 "an object"
        /version 1:11 "1"
        /calls 3:1 "a list"
        /calls/0 3:1 "an object"
        /calls/0/at 4:6 "a\tb"
        /calls/0/sent 5:1 "an object"
        /calls/0/sent/keys 6:8 "a list"
        /calls/0/sent/keys/0 6:9 "x"
        /calls/0/sent/keys/1 6:14 "2"
        /calls/1 7:1 "an object"
        /calls/1/ok 8:6 "true"
        "#);
    }

    #[test]
    fn what_precedes_a_fault_is_read() {
        insta::assert_snapshot!(described("a = 1\nb = \n"), @r#"
         1:1 "an object"
        /a 1:5 "1"
        /b 2:5 ""
        String values must be quoted, expected literal string
        "#);
    }
}
