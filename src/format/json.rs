//! JSON as `JSON.parse` accepts it, read with places and to the end even when it is broken.
//!
//! What `JSON.parse` accepts is read without a fault, be it unusual: halves of surrogate pairs, numbers beyond every
//! range, `-0`, keys that stand twice. So is a byte order mark, which it would refuse. Everything else is a `syntax`
//! problem at its place, and reading goes on where a person would go on.

mod string;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Syntax;
use super::problem::{Problem, RuleId};
use super::problems::Problems;
use super::tree::{Key, NodeId, NodeKind, Scalar, Tree};
use crate::text::{Hidden, Source, Span, visible};

pub use string::utf16;

/// How deep values may lie in each other. Nothing that people record comes near.
pub(super) const MAX_DEPTH: usize = 512;

/// After so many faults the text is hardly JSON any more, and reading ends.
const MAX_FAULTS: usize = 20;

/// Up to so many members, each key is compared with each; beyond, by hash.
const FEW_MEMBERS: usize = 12;

/// Reads a JSON text. Always answers: what is broken becomes a problem, and everything that was understood is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    let mut reader = Reader {
        source,
        bytes: source.text().as_bytes(),
        at: source.content_start(),
        tree: Tree::new(source.clone(), Syntax::Json),
        open: Vec::new(),
        problems: Problems::default(),
        faults: 0,
        last_fault: None,
        too_deep: false,
    };
    reader.read();
    while !reader.open.is_empty() {
        reader.close_at(reader.at);
    }
    let problems = reader.problems.finish();
    reader.tree.set_fault(&problems);
    (reader.tree, problems)
}

struct Reader<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    at: usize,
    tree: Tree,
    /// The containers around `at`, outermost first.
    open: Vec<Open>,
    problems: Problems,
    faults: usize,
    /// Where the latest fault starts: one cause is told once.
    last_fault: Option<usize>,
    too_deep: bool,
}

struct Open {
    id: NodeId,
    shape: Shape,
    last: Last,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    List,
    Object,
}

/// What came last in a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Opening,
    Value,
    /// A comma, at this byte.
    Comma(usize),
}

impl Shape {
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

impl Reader<'_> {
    fn read(&mut self) {
        while self.faults < MAX_FAULTS {
            let Some(byte) = self.next_byte() else {
                return self.end_of_file();
            };
            match self.open.last().map(|open| (open.shape, open.last)) {
                None if self.tree.is_empty() => self.value(None, byte),
                None => return self.second_value(byte),
                Some((shape, last)) => self.part(shape, last, byte),
            }
        }
    }

    /// Skips white space, and comments with a fault, and looks at what follows.
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                b'/' | b'#' if self.faults < MAX_FAULTS && self.skip_comment() => {}
                &byte => return Some(byte),
            }
        }
    }

    fn skip_comment(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let len = match rest {
            [b'/', b'*', inside @ ..] => {
                memchr::memmem::find(inside, b"*/").map_or(rest.len(), |at| at + 4)
            }
            [b'/', b'/', ..] | [b'#', ..] => {
                memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
            }
            _ => return false,
        };
        self.fault(self.at, self.at + len, "A comment; JSON has none");
        self.at += len;
        true
    }

    /// Reads the next piece of a container: an element or a member, a comma, or its end.
    fn part(&mut self, shape: Shape, last: Last, byte: u8) {
        match byte {
            b']' | b'}' if byte == shape.closer() as u8 => {
                if let Last::Comma(comma) = last {
                    let what = format!(
                        "A trailing comma before `{}`; JSON allows none",
                        shape.closer()
                    );
                    self.fault(comma, comma + 1, what);
                }
                self.at += 1;
                self.close_at(self.at);
            }
            b']' | b'}' => self.wrong_closer(shape, byte),
            b':' if shape == Shape::List => {
                self.fault(
                    self.at,
                    self.at + 1,
                    "A colon in a list; only objects have keys",
                );
                self.came(Last::Opening);
                self.at += 1;
            }
            b',' => {
                if last != Last::Value {
                    let what = format!("{} is expected before this comma", shape_part(shape));
                    self.fault(self.at, self.at + 1, what);
                }
                self.came(Last::Comma(self.at));
                self.at += 1;
            }
            _ => {
                if last == Last::Value {
                    let what = format!(
                        "A comma or `{}` is expected before {}",
                        shape.closer(),
                        self.found()
                    );
                    self.fault(self.at, self.at, what);
                }
                match shape {
                    Shape::List => self.value(None, byte),
                    Shape::Object => self.member(byte),
                }
            }
        }
    }

    /// Meets `}` in a list or `]` in an object.
    fn wrong_closer(&mut self, shape: Shape, byte: u8) {
        let closes_another = self
            .open
            .iter()
            .any(|open| open.shape.closer() as u8 == byte);
        if !closes_another {
            let what = format!(
                "`{}` closes nothing; `{}` is expected",
                byte as char,
                shape.closer()
            );
            self.fault(self.at, self.at + 1, what);
            self.at += 1;
            return;
        }
        let line = self.opening_line();
        let what = format!(
            "`{}` is expected before `{}`: the {} that starts at line {line} is not closed",
            shape.closer(),
            byte as char,
            shape.name()
        );
        self.fault(self.at, self.at, what);
        while self
            .open
            .last()
            .is_some_and(|open| open.shape.closer() as u8 != byte)
        {
            self.close_at(self.at);
        }
        self.came(Last::Value);
    }

    fn member(&mut self, byte: u8) {
        let start = self.at;
        let text = match byte {
            b'"' => self.string(),
            b'\'' => self.single_quoted(),
            _ => match self.word_len() {
                0 => return self.skip_garbage("A key in double quotes is expected"),
                len => {
                    let what = format!("The key {} is not in double quotes", self.found());
                    self.fault(start, start + len, what);
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
                let what = format!("The key {} has no value", self.written(span));
                self.fault(start, span.end as usize, what);
                self.came(Last::Value);
            }
            Some(byte) => {
                if !colon {
                    let what = format!("A colon is expected after the key, not {}", self.found());
                    self.fault(self.at, self.at, what);
                }
                self.value(Some(Key { span, text }), byte);
            }
        }
    }

    fn value(&mut self, key: Option<Key>, byte: u8) {
        let start = self.at;
        let (kind, text) = match byte {
            b'{' => return self.open(key, Shape::Object),
            b'[' => return self.open(key, Shape::List),
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
        self.came(Last::Value);
    }

    fn open(&mut self, key: Option<Key>, shape: Shape) {
        let start = self.at;
        self.at += 1;
        let id = self.add(key, shape.kind(), Span::new(start, self.at), None);
        self.open.push(Open {
            id,
            shape,
            last: Last::Opening,
        });
        if self.open.len() > MAX_DEPTH {
            self.skip_too_deep(id);
        }
    }

    /// Passes over a container that lies too deep, by its brackets.
    fn skip_too_deep(&mut self, id: NodeId) {
        if !self.too_deep {
            let what = format!(
                "More than {MAX_DEPTH} values inside each other; what lies deeper is not read"
            );
            self.problems
                .at(RuleId::NestingTooDeep, self.tree.node(id), what);
            self.too_deep = true;
        }
        let mut depth = 1;
        while depth > 0 && self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
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
        if open.shape == Shape::Object {
            self.tell_duplicates(open.id);
        }
        self.came(Last::Value);
    }

    fn came(&mut self, last: Last) {
        if let Some(open) = self.open.last_mut() {
            open.last = last;
        }
    }

    fn add(
        &mut self,
        key: Option<Key>,
        kind: NodeKind,
        span: Span,
        text: Option<Scalar>,
    ) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        self.tree.push(parent, key, kind, span, text)
    }

    fn string(&mut self) -> Scalar {
        let start = self.at;
        let Some(end) = string_end(self.bytes, start) else {
            return self.open_string(self.bytes.len());
        };
        let content = &self.bytes[start + 1..end - 1];
        let is_plain = memchr::memchr(b'\\', content).is_none();
        let has_control = string::has_control(content);
        if is_plain && !has_control {
            self.at = end;
            return Scalar::Quoted;
        }
        if has_control && !self.goes_on(end) {
            // The quote found is more likely the start of the next string, and this one's is missing.
            if let Some(line) = memchr::memchr2(b'\n', b'\r', content) {
                return self.open_string(start + 1 + line);
            }
        }
        let (text, fault) = string::decode(&self.source.text()[start + 1..end - 1]);
        if let Some(fault) = fault {
            let (from, to) = (start + 1 + fault.range.start, start + 1 + fault.range.end);
            self.fault(from, to, fault.message);
        }
        self.at = end;
        Scalar::Decoded(text)
    }

    /// True when what follows byte `end` may follow a string.
    fn goes_on(&self, end: usize) -> bool {
        let mut rest = self.bytes[end..].iter();
        let next = rest.find(|byte| !byte.is_ascii_whitespace());
        next.is_none_or(|byte| b",:]}".contains(byte))
    }

    /// Takes a string without its closing quote, up to byte `end`.
    fn open_string(&mut self, end: usize) -> Scalar {
        let start = self.at;
        let mut content = &self.source.text()[start + 1..end];
        if end == self.bytes.len() {
            let line = self.source.place(start).line;
            self.cut_off(&format!("a string that starts at line {line}"));
        } else {
            let what = "A closing quote is expected before the line ends";
            self.fault(start, end, what);
            content = content.trim_end_matches(',');
            self.at = start + 1 + content.len();
        }
        Scalar::Decoded(string::decode(content).0)
    }

    fn single_quoted(&mut self) -> Scalar {
        let (start, rest) = (self.at, &self.bytes[self.at + 1..]);
        let len = match memchr::memchr3(b'\'', b'\n', b'\r', rest) {
            Some(at) if rest[at] == b'\'' => at + 2,
            Some(at) => at + 1,
            None => rest.len() + 1,
        };
        self.at += len;
        self.fault(
            start,
            self.at,
            "Single quotes; JSON takes double quotes only",
        );
        let text = &self.source.text()[start + 1..self.at];
        Scalar::Decoded(text.strip_suffix('\'').unwrap_or(text).to_owned())
    }

    fn number(&mut self) {
        let start = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        self.at += self.bytes[start..]
            .iter()
            .take_while(|byte| is_part(byte))
            .count();
        let written = &self.source.text()[start..self.at];
        let Some(wrong) = wrong_number(written).filter(|_| !self.is_cut_token()) else {
            return;
        };
        let what = format!("{} is no number of JSON: {wrong}", quoted(written));
        self.fault(start, self.at, what);
    }

    /// Reads `true`, `false`, `null`, or what somebody took for a value.
    fn word(&mut self, len: usize) -> NodeKind {
        let start = self.at;
        self.at += len;
        match &self.bytes[start..self.at] {
            b"true" | b"false" => NodeKind::Bool,
            b"null" => NodeKind::Null,
            _ if self.is_cut_token() => NodeKind::Null,
            _ => {
                let word = quoted(&self.source.text()[start..self.at]);
                let what = format!("{word} is no value of JSON; text stands in double quotes");
                self.fault(start, self.at, what);
                NodeKind::Null
            }
        }
    }

    /// The length in bytes of the word at `at`, such as `null` or a key without quotes.
    fn word_len(&self) -> usize {
        let rest = &self.source.text()[self.at..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_$-.".contains(c)));
        end.unwrap_or(rest.len())
    }

    /// Passes over what cannot be understood, up to the next space or sign of JSON.
    fn skip_garbage(&mut self, expected: &str) {
        let what = format!("{expected}, not {}", self.found());
        let rest = &self.source.text()[self.at..];
        let mut ends = rest.char_indices().skip(1);
        let end = ends.find(|(_, c)| c.is_whitespace() || "{}[],:\"'".contains(*c));
        let len = end.map_or(rest.len(), |(at, _)| at);
        self.fault(self.at, self.at + len, what);
        self.at += len;
    }

    fn second_value(&mut self, byte: u8) {
        let what = match byte {
            b'}' | b']' => format!(
                "`{}` closes nothing; the value has ended before",
                byte as char
            ),
            b',' => "A comma after the value; a file holds one value".to_owned(),
            _ => format!("{} after the value; a file holds one value", self.found()),
        };
        self.fault(self.at, self.at, what);
    }

    fn end_of_file(&mut self) {
        match self.open.last().map(|open| open.shape) {
            Some(shape) => self.cut_off(&format!(
                "the {} that starts at line {}; `{}` is expected",
                shape.name(),
                self.opening_line(),
                shape.closer()
            )),
            None if self.tree.is_empty() && self.faults == 0 => {
                self.fault(self.at, self.at, "No value; an object is expected");
            }
            None => {}
        }
    }

    /// The line on which the innermost container starts.
    fn opening_line(&self) -> u32 {
        let open = self.open.last().map(|open| self.tree.node(open.id));
        open.map_or(1, |node| node.place().line)
    }

    /// What was written, fit for a message.
    fn written(&self, span: Span) -> String {
        quoted(self.source.slice(span))
    }

    /// What stands at `at`, in the words of a message.
    fn found(&self) -> String {
        let rest = &self.source.text()[self.at..];
        let Some(first) = rest.chars().next() else {
            return "the end of the file".to_owned();
        };
        match first {
            '"' => {
                let end = string_end(self.bytes, self.at).unwrap_or(self.bytes.len());
                quoted(&self.source.text()[self.at..end])
            }
            _ if self.word_len() > 0 => quoted(&rest[..self.word_len()]),
            _ => match Hidden::of(first) {
                Some(hidden) => format!("{} (U+{:04X})", hidden.name(), first as u32),
                None if first.is_whitespace() => {
                    format!("a space that JSON does not know (U+{:04X})", first as u32)
                }
                None => format!("`{first}`"),
            },
        }
    }

    fn fault(&mut self, start: usize, end: usize, message: impl Into<Box<str>>) {
        if self.last_fault == Some(start) {
            return;
        }
        self.last_fault = Some(start);
        self.faults += 1;
        let problem = self.syntax(start, end, message);
        self.problems.add(problem);
    }

    fn syntax(&self, start: usize, end: usize, message: impl Into<Box<str>>) -> Problem {
        let around = self.open.last().map(|open| self.tree.node(open.id));
        let pointer = around.map_or(String::new(), |node| node.pointer());
        let span = Span::new(start, end);
        Problem::at(RuleId::Syntax, self.source, span, pointer, message)
    }

    /// Tells that the text ends too early, which is what a half-written file looks like, and ends the reading.
    fn cut_off(&mut self, inside: &str) {
        let text = self.source.text();
        let end = text.trim_end_matches([' ', '\n', '\r', '\t']).len();
        let problem = self.syntax(end, end, format!("The file ends inside {inside}"));
        self.problems.add(problem.with_help(
            "It was probably cut off while it was written. Record it again, or take it from version control.",
        ));
        self.faults = MAX_FAULTS;
        self.at = text.len();
    }

    /// True when a half-written file may end in the token that ends at `at`.
    fn is_cut_token(&self) -> bool {
        self.at == self.bytes.len() && !self.open.is_empty()
    }

    fn tell_duplicates(&mut self, object: NodeId) {
        let (tree, problems) = (&self.tree, &mut self.problems);
        for (earlier, last) in duplicates(tree, object) {
            problems.add_with(RuleId::DuplicateKey, || duplicate_key(tree, earlier, last));
        }
    }
}

/// The members of an object whose keys stand again later, each with the last of the same key. YAML may merge as often as
/// it likes.
pub(super) fn duplicates(tree: &Tree, object: NodeId) -> Vec<(NodeId, NodeId)> {
    let object = tree.node(object);
    let members = || object.items().filter(|item| !item.is_merge());
    let mut found = Vec::new();
    if object.len() <= FEW_MEMBERS {
        for item in members() {
            let later = members().skip_while(|other| other.id() <= item.id());
            let last = later.filter(|other| other.key() == item.key()).last();
            found.extend(last.map(|last| (item.id(), last.id())));
        }
        return found;
    }
    let mut last_of: HashMap<Option<&str>, NodeId> = HashMap::with_capacity(object.len());
    last_of.extend(members().map(|item| (item.key(), item.id())));
    let pairs = members().filter_map(|item| Some((item.id(), *last_of.get(&item.key())?)));
    found.extend(pairs.filter(|(item, last)| item != last));
    found
}

/// The problem of a key that stands again.
pub(super) fn duplicate_key(tree: &Tree, earlier: NodeId, last: NodeId) -> Problem {
    let (earlier, last) = (tree.node(earlier), tree.node(last));
    let place = tree
        .source()
        .place(last.key_span().unwrap_or_default().start as usize);
    let what = format!(
        "The key {} stands again at line {}, column {}; only the last one counts",
        quoted(tree.source().slice(earlier.key_span().unwrap_or_default())),
        place.line,
        place.column
    );
    let span = earlier.key_span().unwrap_or_default();
    Problem::at(
        RuleId::DuplicateKey,
        tree.source(),
        span,
        earlier.pointer(),
        what,
    )
}

fn shape_part(shape: Shape) -> &'static str {
    match shape {
        Shape::List => "A value",
        Shape::Object => "A key with its value",
    }
}

/// The byte after the closing quote of the string whose opening quote is at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Why a number is not written as JSON wants it; `None` for a good one.
fn wrong_number(written: &str) -> Option<&'static str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = written.strip_prefix('-').unwrap_or(written);
    let whole = digits(rest);
    match rest.as_bytes() {
        [b'+', ..] => return Some("it starts with a plus sign"),
        [b'.', ..] => return Some("a digit is expected before the point"),
        [b'0', b'0'..=b'9', ..] => return Some("it starts with a zero"),
        _ if whole == 0 => return Some("digits are expected"),
        _ => {}
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let len = digits(fraction);
        if len == 0 {
            return Some("a digit is expected after the point");
        }
        rest = &fraction[len..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let len = digits(exponent);
        if len == 0 {
            return Some("digits are expected in its exponent");
        }
        rest = &exponent[len..];
    }
    (!rest.is_empty()).then_some("only digits, one point and an exponent are expected")
}

/// The start of a text from the file in backquotes, fit for a message.
pub(crate) fn quoted(text: &str) -> String {
    const MAX_CHARS: usize = 32;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("`{}…`", visible(&text[..end])),
        None => format!("`{}`", visible(text)),
    }
}
