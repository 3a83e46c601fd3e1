//! The text of a cassette in parts: each call, and what is between them.

use std::borrow::Cow;
use std::ops::Range;

use super::keep_noise::indented;
use super::view::CallView;
use document::parts::PartsForm;
use document::{Node, NodeKind, Syntax, Tree};

/// The text of a cassette in parts. All parts in order are the text.
pub(super) struct CallTexts<'t> {
    /// Text before the first call.
    pub(super) head: &'t str,
    pub(super) calls: Vec<&'t str>,
    /// Text behind each call but the last one.
    gaps: Vec<&'t str>,
    /// Text behind the last call.
    pub(super) tail: &'t str,
    /// Whether each call has lines of its own, with their ends.
    is_in_lines: bool,
    /// The text between two calls that did not follow each other.
    common_gap: &'t str,
}

impl<'t> CallTexts<'t> {
    /// Divides the text of a cassette; `None` if its calls are not the elements of one list, or there are none.
    pub(super) fn new(tree: &'t Tree, calls: &[CallView<'t>]) -> Option<Self> {
        let text = tree.source().text();
        let list = calls.first()?.interaction.node.parent()?;
        let is_in_list = |call: &CallView<'t>| {
            let parent = call.interaction.node.parent();
            let is_alone =
                || call.interaction.recorded().is_none_or(|call| call.answer_node.is_none());
            parent.is_some_and(|parent| parent.id() == list.id()) && is_alone()
        };
        if list.kind() != NodeKind::Array
            || list.len() != calls.len()
            || !calls.iter().all(is_in_list)
        {
            return None;
        }
        let is_toml = tree.syntax() == Syntax::Toml;
        let is_in_lines = is_toml || tree.parts().is_some() || !list.raw().starts_with('[');
        let calls: Vec<Range<usize>> = if is_toml {
            tables(text, list.key()?, list.len())?
        } else if tree.parts().is_some() || !is_in_lines {
            list.items().map(|call| call.span().range()).collect()
        } else {
            lines(text, list)?
        };
        let (first, last) = (calls.first()?, calls.last()?);
        let pairs = calls.iter().zip(&calls[1..]);
        let gaps: Option<Vec<&str>> = pairs.map(|(a, b)| text.get(a.end..b.start)).collect();
        let gaps = gaps?;
        let common_gap = match tree.parts() {
            Some(PartsForm::Documents) => "---\n",
            _ if is_in_lines => "",
            _ => gaps.first().copied().unwrap_or(", "),
        };
        let texts: Option<Vec<&str>> = calls.iter().map(|call| text.get(call.clone())).collect();
        Some(Self {
            head: text.get(..first.start)?,
            tail: text.get(last.end..)?,
            gaps,
            calls: texts?,
            is_in_lines,
            common_gap,
        })
    }

    /// Returns the text of the cassette with only this call, in which the call may have another text.
    pub(super) fn with_only(&self, call: &str) -> String {
        format!("{}{call}{}", self.head, self.tail)
    }

    /// Returns the call of a text that has only one.
    pub(super) fn only_call<'s>(&self, text: &'s str) -> Option<&'s str> {
        text.strip_prefix(self.head)?.strip_suffix(self.tail)
    }

    /// Returns a call of another file as it is added to this one: the list may be indented differently in the two files.
    pub(super) fn as_added(&self, call: Cow<'_, str>) -> String {
        let column = |call: &str| call.len() - call.trim_start_matches(' ').len();
        let is_dashed = |call: &str| call.trim_start().starts_with('-');
        let other = self.calls[0];
        if !self.is_in_lines || !is_dashed(other) || !is_dashed(&call) {
            return call.into_owned();
        }
        let (from, to) = (column(&call), column(other));
        format!("{}{}", " ".repeat(to), indented(&call[from..], from, to))
    }

    /// Returns a text with these calls, each with its old index if it has one, separated as they were.
    pub(super) fn joined(&self, calls: &[(Option<usize>, String)]) -> String {
        let mut text = self.head.to_owned();
        for (at, (index, call)) in calls.iter().enumerate() {
            if let Some((previous, _)) = at.checked_sub(1).map(|index| &calls[index]) {
                // A gap may contain a comment, which stays between calls that still follow each other.
                let is_next = previous.map(|previous| previous + 1) == *index;
                let own = previous.filter(|_| is_next).and_then(|index| self.gaps.get(index));
                let end_line = |text: &mut String| {
                    if self.is_in_lines && !text.ends_with('\n') {
                        text.push('\n');
                    }
                };
                if own.is_none() {
                    end_line(&mut text);
                }
                text += own.unwrap_or(&self.common_gap);
                end_line(&mut text);
            }
            text += call;
        }
        text + self.tail
    }
}

/// Returns the lines of each call in a list in block style, from its dash up to that of the next one.
fn lines(text: &str, list: Node<'_>) -> Option<Vec<Range<usize>>> {
    let mut starts = Vec::with_capacity(list.len());
    for call in list.items() {
        let within = call.span().range().start;
        let head = text.get(..within)?;
        let dash = head.rfind('-')?;
        let start = head[..dash].rfind('\n').map_or(0, |at| at + 1);
        let is_own = head[start..dash].bytes().all(|byte| byte == b' ');
        // An alias has its text elsewhere, and a call behind another on its line has no lines of its own.
        if call.kind() != NodeKind::Object || call.is_alias() || !is_own {
            return None;
        }
        starts.push(start);
    }
    let end = list.items().last()?.span().range().end;
    // The span of a block scalar at the end includes its line end.
    let end = if text.get(..end)?.ends_with('\n') {
        end
    } else {
        let rest = text.get(end..)?;
        end + rest.find('\n').map_or(rest.len(), |at| at + 1)
    };
    let ends = starts.iter().skip(1).copied().chain([end]);
    Some(starts.iter().copied().zip(ends).map(|(a, b)| a..b).collect())
}

/// Returns the lines of each table of an array of tables.
fn tables(text: &str, name: &str, count: usize) -> Option<Vec<Range<usize>>> {
    let heading = format!("[[{name}]]");
    let mut starts = Vec::with_capacity(count);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == heading {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let tables = starts.iter().copied().zip(ends).map(|(a, b)| a..b);
    // A line like the heading within a text would make one table too many.
    (starts.len() == count).then(|| tables.collect())
}
