//! What is wrong with a YAML text, told at its place in words that help.

use std::sync::Arc;

use saphyr_parser::ScanError;

use super::{Flow, Reader, places};
use crate::format::json::{MAX_DEPTH, too_many};
use crate::format::problem::{Problem, RuleId};
use crate::format::scalar::Plain;
use crate::format::tree::Node;
use crate::text::{Span, quoted};

impl Reader<'_> {
    pub(super) fn too_deep(&mut self, start: usize) {
        let what = format!(
            "More than {MAX_DEPTH} values inside each other; the rest of the file is not read"
        );
        self.tell(RuleId::NestingTooDeep, Span::empty(start), what);
        self.tree.set_ill_formed();
    }

    /// Tells of more values than are read.
    pub(super) fn tell_too_many(&mut self) {
        let (at, most) = (self.before, self.most_values);
        let problem = too_many(self.source, at, self.pointer_around(), most);
        self.problems.add(problem);
        self.tree.set_ill_formed();
    }

    /// Between values, and in a text without quotes, PyYAML takes no tab but in comments.
    pub(super) fn tell_tab(&mut self, start: usize, end: usize) {
        let start = start.max(self.without_tab);
        if start >= end {
            return;
        }
        self.without_tab = end;
        if let Some(at) = places::tab(self.source.text(), start, end) {
            self.without_tab = self.source.text().len();
            let what = "A tab, which PyYAML takes only inside quotes; spaces are expected";
            self.syntax(at, at + 1, what);
        }
    }

    /// PyYAML refuses a text that holds a control character, wherever it stands.
    pub(super) fn tell_unprintable(&mut self) {
        let text = self.source.text();
        let is_refused = |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
        let found = text.char_indices().find(|(_, c)| is_refused(*c));
        if let Some((at, c)) = found {
            let code = c as u32;
            let what = format!(
                "The character U+{code:04X}, which PyYAML refuses; in double quotes `\\u{code:04x}` stands for it"
            );
            self.syntax(at, at + c.len_utf8(), what);
        }
    }

    pub(super) fn scan_error(&mut self, error: &ScanError) -> Flow {
        let at = self.places.byte(error.marker().index());
        if error.info() == "recursion limit exceeded" {
            self.too_deep(at);
            return Flow::Stop;
        }
        let at = match error.info().starts_with("simple key") {
            // The scanner has passed the key when it misses the colon.
            true => places::last_line(self.source.text(), at),
            false => at,
        };
        self.syntax(at, at, explain(error.info()));
        self.tree.set_ill_formed();
        Flow::Stop
    }

    /// Tells of something that PyYAML refuses.
    pub(super) fn syntax(&mut self, start: usize, end: usize, message: impl Into<Arc<str>>) {
        self.tell(RuleId::Syntax, Span::new(start, end), message);
    }

    /// Tells of a fault inside the innermost collection.
    pub(super) fn tell(&mut self, rule: RuleId, span: Span, message: impl Into<Arc<str>>) {
        let pointer = self.pointer_around();
        let problem = Problem::at(rule, self.source, span, pointer, message);
        self.problems.add(problem);
    }

    fn pointer_around(&self) -> String {
        let around = self.open.last().map(|open| self.tree.node(open.id));
        around.map_or(String::new(), Node::told_pointer)
    }
}

/// What PyYAML takes a scalar for that it then cannot make.
pub(super) fn refused_as(plain: Plain) -> &'static str {
    match plain {
        Plain::Timestamp => "a date, which it is not",
        Plain::Number => "a number, which it is not",
        Plain::Merge => "a merge",
        _ => "a default value",
    }
}

/// The parser's words for the commonest faults, said so that one knows what to do.
fn explain(info: &str) -> String {
    let said = match info {
        "mapping values are not allowed in this context" => {
            "A colon that starts a value is not allowed here; a text with `: ` in it needs quotes"
        }
        "while parsing a block mapping, did not find expected key" => {
            "A key is expected here, at the indentation of the keys before it"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "`-` is expected here, at the indentation of the elements before it"
        }
        "simple key expect ':'" | "simple key expected" | "simple key expected ':'" => {
            "A colon is expected after this key"
        }
        "while parsing a flow mapping, did not find expected ',' or '}'" => {
            "A comma or `}` is expected here"
        }
        "while parsing a flow sequence, expected ',' or ']'" => "A comma or `]` is expected here",
        "while scanning a quoted scalar, found unexpected end of stream" => {
            "The file ends inside a text in quotes"
        }
        "while parsing node, found unknown anchor" => {
            "An alias for which there is no anchor before"
        }
        "tab cannot be used as indentation"
        | "tabs disallowed in this context"
        | "tabs disallowed within this context (block indentation)"
        | "a block scalar content cannot start with a tab" => {
            "A tab as indentation; YAML takes only spaces"
        }
        "while parsing a quoted scalar, found unknown escape character" => {
            "An escape in this text is none of YAML; a backslash in double quotes is written `\\\\`"
        }
        "illegal placement of ':' indicator" => {
            "A colon is not allowed here; the bracket that closes the list before may be missing"
        }
        "invalid indentation in quoted scalar" => {
            "A text in quotes goes on at a lower indentation; its closing quote may be missing"
        }
        "':' must be followed by a valid YAML whitespace" => "A space is expected after the colon",
        "unexpected eof" => "The file ends too early",
        _ => match info.strip_prefix("unexpected character: `") {
            Some(c) => {
                let c = c.trim_end_matches('\'');
                return format!("{} cannot start a text without quotes", quoted(c));
            }
            None => return format!("The YAML parser says: {info}"),
        },
    };
    said.to_owned()
}
