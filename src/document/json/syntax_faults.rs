//! Reports errors in a JSON text.

use std::sync::Arc;

use super::token::string_end;
use super::{JsonReader, MAX_FAULTS};
use crate::text::{HiddenKind, Source, Span, quoted};
use crate::{Node, Problem, RuleId};

impl JsonReader<'_> {
    /// Skips what cannot be understood, up to the next space or JSON delimiter.
    pub(super) fn skip_garbage(&mut self, expected: &str) {
        let message = format!("{expected}, not {}", self.found());
        let rest = &self.source.text()[self.at..];
        // At least one character is skipped, or reading would never end.
        let mut ends = rest.char_indices().skip(1);
        let end = ends.find(|(_, c)| c.is_whitespace() || "{}[],:\"'".contains(*c));
        let len = end.map_or(rest.len(), |(at, _)| at);
        self.fault(self.at, self.at + len, message);
        self.at += len;
    }

    /// The line on which the innermost container starts.
    pub(super) fn opening_line(&self) -> u32 {
        self.open.last().map(|open| self.tree.node(open.id)).map_or(1, |node| node.place().line)
    }

    /// Returns the text of a span, for a message.
    pub(super) fn written(&self, span: Span) -> String {
        quoted(self.source.slice(span))
    }

    /// Describes what is at `at`, for a message.
    pub(super) fn found(&self) -> String {
        let rest = &self.source.text()[self.at..];
        let Some(first) = rest.chars().next() else { return "the end of the file".to_owned() };
        match first {
            '"' => {
                let end = string_end(self.bytes, self.at).unwrap_or(self.bytes.len());
                quoted(&self.source.text()[self.at..end])
            }
            _ if self.word_len() > 0 => quoted(&rest[..self.word_len()]),
            _ => match HiddenKind::classify(first) {
                Some(kind) => format!("{} (U+{:04X})", kind.name(), first as u32),
                None if first.is_whitespace() => {
                    format!("a space character that JSON does not allow (U+{:04X})", first as u32)
                }
                None => format!("`{first}`"),
            },
        }
    }

    /// Reports too many values, and ends parsing.
    pub(super) fn report_too_many(&mut self) {
        let problem = too_many(self.source, self.at, self.pointer_around(), self.most_values);
        self.problems.add(problem);
        self.tree.set_ill_formed();
        self.at = self.bytes.len();
    }

    pub(super) fn fault(&mut self, start: usize, end: usize, message: impl Into<Arc<str>>) {
        // A second fault at the same byte is a consequence of the first.
        if self.last_fault == Some(start) {
            return;
        }
        self.last_fault = Some(start);
        self.faults += 1;
        let problem = self.syntax(start, end, message);
        self.problems.add(problem);
        self.tree.set_ill_formed();
    }

    fn syntax(&self, start: usize, end: usize, message: impl Into<Arc<str>>) -> Problem {
        let span = Span::new(start, end);
        Problem::at(RuleId::Syntax, self.source, span, self.pointer_around(), message)
    }

    fn pointer_around(&self) -> String {
        let container = self.open.last().map(|open| self.tree.node(open.id));
        container.map_or(String::new(), Node::bounded_pointer)
    }

    /// Reports that the text ends too early, as in a half-written file, and ends parsing.
    pub(super) fn report_cut_off(&mut self, place: &str) {
        let text = self.source.text();
        let end = text.trim_end_matches([' ', '\n', '\r', '\t']).len();
        self.problems.add(self.syntax(end, end, format!("The file ends inside {place}")).with_help(
            "It was probably cut off while it was written. Record it again, or restore it from version control.",
        ));
        self.tree.set_ill_formed();
        // Reading ends at this number of faults, so nothing after the cut is reported.
        self.faults = MAX_FAULTS;
        self.at = text.len();
    }

    /// Returns whether the token that ends at `at` may be cut off in a half-written file.
    pub(super) fn is_cut_token(&self) -> bool {
        self.at == self.bytes.len() && !self.open.is_empty()
    }
}

/// The problem of a file with more values than are read; `at` is where reading ended.
pub(crate) fn too_many(source: &Source, at: usize, pointer: String, limit: usize) -> Problem {
    let message = format!("More than {limit} values in one file; the rest of it is not read");
    Problem::at(RuleId::Unreadable, source, Span::empty(at), pointer, message)
}
