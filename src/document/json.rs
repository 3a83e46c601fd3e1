//! Parses JSON as `JSON.parse` accepts it, with places, and to the end even when it is invalid.
//!
//! All that `JSON.parse` accepts is read without a problem, even if it is unusual: lone surrogates, numbers out of
//! range, `-0`, repeated keys. So is a byte order mark, which it would refuse. Everything else is a `syntax`
//! problem at its place, and parsing continues where a human reader would.

mod duplicates;
mod string;
mod syntax_faults;
#[cfg(test)]
mod tests;
mod token;
mod write;

use super::Syntax;
use super::problem::{Problem, RuleId};
use super::problems::ProblemList;
use super::tree::{MAX_VALUES, MemberKey, NodeId, NodeKind, Scalar, Tree};
use crate::text::{Source, Span};
use token::string_end;

pub(super) use duplicates::{duplicate_key, duplicates};
pub use string::{key_utf16, places_in_raw, utf16};
pub(super) use syntax_faults::too_many;
pub use write::{
    JsonLayout, JsonWriter, javascript_number, quote, quote_utf16, quoted_key, quoted_text, text,
    to_ascii, write,
};

/// The deepest nesting of values, far more than in real recordings.
pub(super) const MAX_DEPTH: usize = 512;

/// After this many errors the text is hardly JSON, and parsing ends.
const MAX_FAULTS: usize = 20;

/// Parses a JSON text. Never fails: errors become problems, and everything that was understood is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    parse_up_to(source, MAX_VALUES, JsonDialect::JavaScript)
}

/// Parses a JSON text as Python's `json.loads` accepts it, except for a byte order mark, which it refuses.
pub fn parse_python(source: &Source) -> (Tree, Vec<Problem>) {
    parse_up_to(source, MAX_VALUES, JsonDialect::Python)
}

/// Parses a text that is a list or an object in JSON from its first byte to its last.
pub fn parse_container(source: &Source) -> Option<Tree> {
    let (tree, _) = source.text().trim_start().starts_with(['{', '[']).then(|| parse(source))?;
    tree.fault().is_none().then_some(tree)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonDialect {
    JavaScript,
    /// `NaN`, `Infinity` and `-Infinity` are numbers.
    Python,
}

fn parse_up_to(source: &Source, most_values: usize, dialect: JsonDialect) -> (Tree, Vec<Problem>) {
    let mut reader = JsonReader {
        source,
        bytes: source.text().as_bytes(),
        at: source.content_start(),
        tree: Tree::new(source.clone(), Syntax::Json),
        open: Vec::new(),
        problems: ProblemList::default(),
        faults: 0,
        last_fault: None,
        too_deep: false,
        most_values,
        dialect,
    };
    reader.read();
    while !reader.open.is_empty() {
        reader.close_at(reader.at);
    }
    let problems = reader.problems.finish();
    reader.tree.set_fault(&problems);
    (reader.tree, problems)
}

struct JsonReader<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    at: usize,
    tree: Tree,
    /// The containers around `at`, outermost first.
    open: Vec<OpenContainer>,
    problems: ProblemList,
    faults: usize,
    /// Start of the last error, so that one cause is reported once.
    last_fault: Option<usize>,
    too_deep: bool,
    most_values: usize,
    dialect: JsonDialect,
}

struct OpenContainer {
    id: NodeId,
    shape: ContainerShape,
    last: LastPart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContainerShape {
    List,
    Object,
}

/// The last part of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastPart {
    Opening,
    Value,
    /// A comma, at this byte.
    Comma(usize),
}

impl ContainerShape {
    fn closer(self) -> char {
        match self {
            Self::List => ']',
            Self::Object => '}',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Object => "object",
        }
    }

    fn kind(self) -> NodeKind {
        match self {
            Self::List => NodeKind::Array,
            Self::Object => NodeKind::Object,
        }
    }
}

impl JsonReader<'_> {
    fn read(&mut self) {
        while self.faults < MAX_FAULTS {
            let Some(byte) = self.next_byte() else { return self.end_of_file() };
            if self.tree.len() > self.most_values {
                return self.report_too_many();
            }
            match self.open.last().map(|open| (open.shape, open.last)) {
                None if self.tree.is_empty() => self.value(None, byte),
                // Which of two values is meant is unknown, so nothing after the first is read.
                None => return self.second_value(byte),
                Some((shape, last)) => self.part(shape, last, byte),
            }
        }
    }

    /// Skips white space, and comments with a problem, and returns the next byte without consuming it.
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                // Each comment is a fault, so a text full of them must end like any other.
                b'/' | b'#' if self.faults < MAX_FAULTS && self.skip_comment() => {}
                &byte => return Some(byte),
            }
        }
    }

    fn skip_comment(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let len = match rest {
            [b'/', b'*', inside @ ..] => {
                // The four bytes around the text of the comment.
                memchr::memmem::find(inside, b"*/").map_or(rest.len(), |at| at + 4)
            }
            [b'/', b'/', ..] | [b'#', ..] => {
                memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
            }
            _ => return false,
        };
        self.fault(self.at, self.at + len, "A comment; JSON allows none");
        self.at += len;
        true
    }

    /// Reads the next piece of a container: an element or a member, a comma, or its end.
    fn part(&mut self, shape: ContainerShape, last: LastPart, byte: u8) {
        match byte {
            b']' | b'}' if byte == shape.closer() as u8 => {
                if let LastPart::Comma(comma) = last {
                    let message =
                        format!("A trailing comma before `{}`; JSON allows none", shape.closer());
                    self.fault(comma, comma + 1, message);
                }
                self.at += 1;
                self.close_at(self.at);
            }
            b']' | b'}' => self.wrong_closer(shape, byte),
            b':' if shape == ContainerShape::List => {
                self.fault(self.at, self.at + 1, "A colon in a list; only objects have keys");
                // No comma is expected before what follows the colon.
                self.note_part(LastPart::Opening);
                self.at += 1;
            }
            b',' => {
                if last != LastPart::Value {
                    let message = format!("{} is expected before this comma", shape_part(shape));
                    self.fault(self.at, self.at + 1, message);
                }
                self.note_part(LastPart::Comma(self.at));
                self.at += 1;
            }
            _ => {
                if last == LastPart::Value {
                    let message = format!(
                        "A comma or `{}` is expected before {}",
                        shape.closer(),
                        self.found()
                    );
                    self.fault(self.at, self.at, message);
                }
                match shape {
                    ContainerShape::List => self.value(None, byte),
                    ContainerShape::Object => self.member(byte),
                }
            }
        }
    }

    /// Handles `}` in a list or `]` in an object.
    fn wrong_closer(&mut self, shape: ContainerShape, byte: u8) {
        let closes_another = self.open.iter().any(|open| open.shape.closer() as u8 == byte);
        // A bracket that closes something further out is in its place: what is missing is the one before it.
        if !closes_another {
            let message =
                format!("`{}` closes nothing; `{}` is expected", byte as char, shape.closer());
            self.fault(self.at, self.at + 1, message);
            self.at += 1;
            return;
        }
        let line = self.opening_line();
        let message = format!(
            "`{}` is expected before `{}`: the {} that starts at line {line} is not closed",
            shape.closer(),
            byte as char,
            shape.name()
        );
        self.fault(self.at, self.at, message);
        while self.open.last().is_some_and(|open| open.shape.closer() as u8 != byte) {
            self.close_at(self.at);
        }
        // The bracket is not consumed, so it closes its container next.
        self.note_part(LastPart::Value);
    }

    fn member(&mut self, byte: u8) {
        let start = self.at;
        let text = match byte {
            b'"' => self.string(),
            b'\'' => self.single_quoted(),
            _ => match self.word_len() {
                0 => return self.skip_garbage("A key in double quotes is expected"),
                len => {
                    let words = format!("The key {} is not in double quotes", self.found());
                    self.fault(start, start + len, words);
                    self.at += len;
                    Scalar::Plain
                }
            },
        };
        let span = Span::new(start, self.at);
        let colon = self.next_byte() == Some(b':');
        if colon {
            self.at += 1;
        }
        match self.next_byte() {
            None => {}
            Some(b',' | b'}' | b']') => {
                let words = format!("The key {} has no value", self.written(span));
                self.fault(start, span.end as usize, words);
                self.note_part(LastPart::Value);
            }
            Some(byte) => {
                if !colon {
                    let words = format!("A colon is expected after the key, not {}", self.found());
                    self.fault(self.at, self.at, words);
                }
                self.value(Some(MemberKey { span, text }), byte);
            }
        }
    }

    fn value(&mut self, key: Option<MemberKey>, byte: u8) {
        let start = self.at;
        let (kind, text) = match byte {
            b'{' => return self.open(key, ContainerShape::Object),
            b'[' => return self.open(key, ContainerShape::List),
            b'"' => (NodeKind::String, Some(self.string())),
            b'\'' => (NodeKind::String, Some(self.single_quoted())),
            b'-' | b'+' | b'.' | b'0'..=b'9' => {
                self.number();
                (NodeKind::Number, None)
            }
            _ => match self.word_len() {
                0 => return self.skip_garbage("A value is expected"),
                len => (self.word(len), None),
            },
        };
        self.add(key, kind, Span::new(start, self.at), text);
        self.note_part(LastPart::Value);
    }

    fn open(&mut self, key: Option<MemberKey>, shape: ContainerShape) {
        let start = self.at;
        self.at += 1;
        let id = self.add(key, shape.kind(), Span::new(start, self.at), None);
        self.open.push(OpenContainer { id, shape, last: LastPart::Opening });
        // The container is added first, because the problem is reported at it.
        if self.open.len() > MAX_DEPTH {
            self.skip_too_deep(id);
        }
    }

    /// Skips a container that is nested too deeply, by its brackets.
    fn skip_too_deep(&mut self, id: NodeId) {
        if !self.too_deep {
            let words = format!("More than {MAX_DEPTH} nested values; deeper values are not read");
            self.problems.at(RuleId::NestingTooDeep, self.tree.node(id), words);
            self.too_deep = true;
        }
        let mut depth = 1;
        while depth > 0 && self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                // Brackets in texts do not count.
                b'"' => self.at = string_end(self.bytes, self.at).unwrap_or(self.bytes.len()) - 1,
                _ => {}
            }
            self.at += 1;
        }
        if depth == 0 {
            self.close_at(self.at);
        }
    }

    /// Ends the innermost container before byte `end`.
    fn close_at(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.tree.close(open.id, end);
        if open.shape == ContainerShape::Object {
            self.report_duplicates(open.id);
        }
        self.note_part(LastPart::Value);
    }

    fn note_part(&mut self, last: LastPart) {
        if let Some(open) = self.open.last_mut() {
            open.last = last;
        }
    }

    fn add(
        &mut self,
        key: Option<MemberKey>,
        kind: NodeKind,
        span: Span,
        text: Option<Scalar>,
    ) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        self.tree.push(parent, key, kind, span, text)
    }

    fn second_value(&mut self, byte: u8) {
        let message = match byte {
            b'}' | b']' => {
                format!("`{}` closes nothing; the value has already ended", byte as char)
            }
            b',' => "A comma after the value; a file contains one value".to_owned(),
            _ => format!("{} after the value; a file contains one value", self.found()),
        };
        self.fault(self.at, self.at, message);
    }

    fn end_of_file(&mut self) {
        match self.open.last().map(|open| open.shape) {
            Some(shape) => self.report_cut_off(&format!(
                "the {} that starts at line {}; `{}` is expected",
                shape.name(),
                self.opening_line(),
                shape.closer()
            )),
            // If there is a fault, it already says why there is no value.
            None if self.tree.is_empty() && self.faults == 0 => {
                self.fault(self.at, self.at, "No value; an object is expected");
            }
            None => {}
        }
    }

    fn report_duplicates(&mut self, object: NodeId) {
        let (tree, problems) = (&self.tree, &mut self.problems);
        for (first, last) in duplicates(tree, object) {
            problems.add_with(RuleId::DuplicateKey, || duplicate_key(tree, first, last));
        }
    }
}

fn shape_part(shape: ContainerShape) -> &'static str {
    match shape {
        ContainerShape::List => "A value",
        ContainerShape::Object => "A key with its value",
    }
}
