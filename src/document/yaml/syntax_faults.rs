//! Reports errors in a YAML text.

use std::sync::Arc;

use saphyr_parser::ScanError;

use super::quoted_texts::quote_around;
use super::{Flow, YamlReader, byte_places};
use crate::json::{MAX_DEPTH, too_many};
use crate::problem::{Problem, RuleId};
use crate::scalar::Plain;
use crate::text::{Span, quoted};
use crate::tree::Node;

impl YamlReader<'_> {
    pub(super) fn too_deep(&mut self, start: usize) {
        let note = format!("More than {MAX_DEPTH} nested values; the rest of the file is not read");
        self.report(RuleId::NestingTooDeep, Span::empty(start), note);
        self.tree.set_ill_formed();
    }

    pub(super) fn report_too_many(&mut self) {
        let (at, limit) = (self.before, self.most_values);
        let problem = too_many(self.source, at, self.pointer_around(), limit);
        self.problems.add(problem);
        self.tree.set_ill_formed();
    }

    /// Between values, and in a text without quotes, PyYAML takes no tab but in comments.
    pub(super) fn report_tab(&mut self, start: usize, end: usize) {
        let start = start.max(self.without_tab);
        if start >= end {
            return;
        }
        self.without_tab = end;
        if let Some(at) = byte_places::tab(self.text, start, end) {
            // One is enough: a file that is indented with tabs has them in all its lines.
            self.without_tab = self.text.len();
            let message = "A tab, which PyYAML accepts only inside quotes; spaces are expected";
            self.syntax(at, at + 1, message);
        }
    }

    /// PyYAML refuses a text with a control character anywhere.
    pub(super) fn report_unprintable(&mut self, at: usize, c: char) {
        let code = c as u32;
        let message = format!(
            "The character U+{code:04X}, which PyYAML refuses; in double quotes `\\u{code:04x}` is its escape"
        );
        self.syntax(at, at + c.len_utf8(), message);
    }

    /// In a flow collection PyYAML takes a `?` anywhere in a text without quotes, and a `:` at its start, for the sign of a
    /// key or a value.
    pub(super) fn report_flow_sign(&mut self, span: Span) {
        let text = self.source.slice(span);
        let Some(at) = text.find('?').or(text.starts_with(':').then_some(0)) else { return };
        let is_bracket = |open: &super::OpenCollection| {
            let start = self.tree.node(open.id).span().start as usize;
            matches!(self.text.as_bytes().get(start), Some(b'{' | b'['))
        };
        if self.open.iter().any(is_bracket) {
            let sign = &text[at..at + 1];
            let message = format!(
                "`{sign}` in unquoted text between brackets, where PyYAML reads it as syntax; put the text in quotes"
            );
            let at = span.start as usize + at;
            self.syntax(at, at + 1, message);
        }
    }

    /// A `:` with no key before it, which PyYAML refuses unless a `?` says that the key is empty; `search_start` is where the value
    /// before it ends.
    pub(super) fn report_missing_key(&mut self, search_start: usize) {
        if let Some((at, b':')) = byte_places::key_sign(self.text, search_start) {
            self.syntax(at, at + 1, "A key is missing before this colon");
        }
    }

    /// PyYAML looks for the colon of a key on the line on which the key starts, at most 1,024 characters away, unless a `?`
    /// says that it is a key. `start` is where the key starts, with its properties, and `end` where it ends.
    pub(super) fn report_stale_key(&mut self, base: usize, start: usize, end: usize) {
        const MAX_KEY_CHARS: usize = 1024;
        let text = self.text;
        let colon = byte_places::after_space(text, end, text.len());
        let key_text = &text[start..colon];
        let is_near = key_text.len() <= MAX_KEY_CHARS && !key_text.contains(['\n', '\r']);
        let has_colon = text.as_bytes().get(colon) == Some(&b':');
        if is_near || !has_colon || matches!(byte_places::key_sign(text, base), Some((_, b'?'))) {
            return;
        }
        if key_text.contains(['\n', '\r']) {
            let message = "A key and its colon on more than one line, which PyYAML refuses";
            self.syntax(start, end, message);
        } else if key_text.chars().count() > MAX_KEY_CHARS {
            self.syntax(start, end, "A key of more than 1,024 characters, which PyYAML refuses");
        }
    }

    /// PyYAML takes only letters of ASCII, digits, `-` and `_` in the name of an anchor; the sign `&` of this one is
    /// in the bytes from `start` to `end`.
    pub(super) fn report_anchor(&mut self, start: usize, end: usize) {
        let Some(name) = byte_places::anchor(self.text, start, end) else { return };
        let text = self.source.slice(Span::new(name.start, name.end));
        let is_refused = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
        if let Some(c) = text.chars().find(|&c| is_refused(c)) {
            let message = format!(
                "{} in the name of an anchor; PyYAML accepts only the letters A to Z, digits, `-` and `_` there",
                quoted(&c.to_string())
            );
            self.syntax(name.start, name.end, message);
        }
    }

    pub(super) fn scan_error(&mut self, error: &ScanError, at: usize) -> Flow {
        // The parser's errors have no codes, only texts.
        if error.info() == "recursion limit exceeded" {
            self.too_deep(at);
            return Flow::Stop;
        }
        self.unindented = match error.info() {
            "invalid indentation in quoted scalar" => Some(at),
            "tab cannot be used as indentation" => quote_around(self.text, self.before, at),
            _ => None,
        };
        let at = if error.info().starts_with("simple key") {
            // The scanner has passed the key when it misses the colon.
            byte_places::last_line(self.text, at)
        } else {
            at
        };
        self.syntax(at, at, explain(error.info()));
        self.tree.set_ill_formed();
        Flow::Stop
    }

    /// Reports something that PyYAML refuses.
    pub(super) fn syntax(&mut self, start: usize, end: usize, message: impl Into<Arc<str>>) {
        self.report(RuleId::Syntax, Span::new(start, end), message);
    }

    /// Reports an error inside the innermost collection.
    pub(super) fn report(&mut self, rule: RuleId, span: Span, message: impl Into<Arc<str>>) {
        self.problems.add(Problem::at(rule, self.source, span, self.pointer_around(), message));
    }

    fn pointer_around(&self) -> String {
        let container = self.open.last().map(|open| self.tree.node(open.id));
        container.map_or(String::new(), Node::bounded_pointer)
    }
}

/// Returns the first character that PyYAML refuses anywhere in a text.
pub(super) fn unprintable(text: &str) -> Option<(usize, char)> {
    // The bytes that a refused character can begin with; most texts have none of them.
    let may_begin = |byte: u8| {
        byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r') || matches!(byte, 0x7f | 0xc2 | 0xef)
    };
    // Without an early exit the compiler can vectorise the loop.
    if !text.bytes().fold(false, |has_any, byte| has_any | may_begin(byte)) {
        return None;
    }
    let is_refused = |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
    text.char_indices().find(|(_, c)| is_refused(*c))
}

/// Describes the type that PyYAML gives to a scalar that it then refuses.
pub(super) fn refused_as(plain_kind: Plain) -> &'static str {
    match plain_kind {
        Plain::Timestamp => "an invalid date",
        Plain::Number => "an invalid number",
        Plain::Merge => "a merge",
        _ => "a default value",
    }
}

/// Replaces the parser's messages for the most common errors with ones that say what to do.
fn explain(info: &str) -> String {
    let message = match info {
        "mapping values are not allowed in this context" => {
            "A colon that starts a value is not allowed here; text that contains `: ` needs quotes"
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
            "The file ends inside quoted text"
        }
        "while parsing node, found unknown anchor" => "An alias without an anchor before it",
        "tab cannot be used as indentation"
        | "tabs disallowed in this context"
        | "tabs disallowed within this context (block indentation)"
        | "a block scalar content cannot start with a tab" => {
            "A tab as indentation; YAML allows only spaces"
        }
        "while parsing a quoted scalar, found unknown escape character" => {
            "This text contains an escape that YAML does not have; a backslash in double quotes is written `\\\\`"
        }
        "illegal placement of ':' indicator" => {
            "A colon is not allowed here; the bracket that closes the list before may be missing"
        }
        "invalid indentation in quoted scalar" => {
            "Quoted text continues at a lower indentation; its closing quote may be missing"
        }
        "':' must be followed by a valid YAML whitespace" => "A space is expected after the colon",
        "unexpected eof" => "The file ends too early",
        _ => match info.strip_prefix("unexpected character: `") {
            Some(c) => {
                let c = c.trim_end_matches('\'');
                return format!("{} cannot start unquoted text", quoted(c));
            }
            None => return format!("The YAML parser reports: {info}"),
        },
    };
    message.to_owned()
}
