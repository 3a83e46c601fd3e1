//! Reads the YAML that recorders write, line by line: block collections, whose keys are on one line, with texts that are plain, in
//! quotes or in blocks.
//!
//! The scanner looks at each character several times; here line ends, quotes and colons are searched. What is not of this kind is left
//! to the scanner, which then reads the whole text: anchors, brackets with parts, explicit keys, further documents, tabs between
//! values, and all that may be an error.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};
use saphyr_parser::{ScalarStyle, Tag};

use super::byte_places::block_end;
use super::line_breaks::unquoted;
use super::quoted_texts::{ShortenedText, closing_quote, is_document_mark, line_end};
use super::{Flow, YamlReader};
use crate::problem::Problem;
use crate::text::{Source, Span};
use crate::tree::{NodeKind, Tree};

/// PyYAML takes no longer key, and the scanner counts characters.
const MAX_KEY_BYTES: usize = 1000;
/// The tags that recorders write, that of YAML and that of Psych, as the scanner divides them.
const BINARY_TAGS: [(&str, &str); 2] = [("!!binary ", "tag:yaml.org,2002:"), ("!binary ", "!")];

/// Returns what [`super::parse`] does; `None` if the text has anything that is left to the scanner.
pub(super) fn read(source: &Source, most_values: usize) -> Option<(Tree, Vec<Problem>)> {
    let text = source.text();
    if text.starts_with('\u{feff}') || memchr(b'\r', text.as_bytes()).is_some() {
        return None;
    }
    let mut reader = YamlReader::new(source, text, ShortenedText::unchanged(text), most_values);
    if reader.has_breaks {
        return None;
    }
    // A tab between values is left to the scanner.
    reader.without_tab = text.len();
    let start = if text.starts_with("---\n") { 4 } else { 0 };
    let lines = BlockLines { text, at: start, open: Vec::new(), sign_end: None, reader };
    lines.read_all().map(|reader| reader.finish().0)
}

/// The reading of one text. Its functions return `None` for what is left to the scanner.
struct BlockLines<'a> {
    text: &'a str,
    /// The start of the next line.
    at: usize,
    /// The collections around it, as in the reader.
    open: Vec<BlockCollection>,
    /// The byte after a colon or a dash without a value on its line.
    sign_end: Option<usize>,
    reader: YamlReader<'a>,
}

#[derive(Clone, Copy)]
struct BlockCollection {
    /// The spaces before its dashes or keys; what precedes them on the first line counts as well.
    column: usize,
    is_list: bool,
}

struct BlockKey<'a> {
    span: Span,
    text: Cow<'a, str>,
    style: ScalarStyle,
}

impl<'a> BlockLines<'a> {
    fn read_all(mut self) -> Option<YamlReader<'a>> {
        while let Some(column) = self.next_line()? {
            let is_value = self.settle(column)?;
            self.line(column, is_value)?;
            // The scanner stops at the exact value.
            if self.reader.tree.len() > self.reader.most_values {
                return None;
            }
        }
        self.add_missing_value();
        (!self.reader.tree.is_empty()).then_some(self.reader)
    }

    /// Skips blank lines and comments. Returns the number of spaces before the next line; `Some(None)` at the end.
    fn next_line(&mut self) -> Option<Option<usize>> {
        loop {
            let line = self.text.as_bytes().get(self.at..).unwrap_or_default();
            let spaces = spaces(line);
            match line.get(spaces) {
                None => return Some(None),
                Some(b'\n') => self.at += spaces + 1,
                Some(b'#') => self.at = line_end(self.text.as_bytes(), self.at),
                Some(_) if spaces == 0 && is_document_mark(line) => {
                    let is_end =
                        line.strip_prefix(b"...").is_some_and(|rest| rest.trim_ascii().is_empty());
                    return is_end.then_some(None);
                }
                Some(_) => return Some(Some(spaces)),
            }
        }
    }

    /// Ends the collections that do not go on at this column. Returns whether a value begins there, rather than a further part of the
    /// innermost collection.
    fn settle(&mut self, column: usize) -> Option<bool> {
        let is_dash = is_dash(&self.text.as_bytes()[self.at + column..]);
        if self.sign_end.is_some() {
            let parent = self.open.last()?;
            let is_under_key = column == parent.column && !parent.is_list && is_dash;
            if column > parent.column || is_under_key {
                self.sign_end = None;
                return Some(true);
            }
            self.add_missing_value();
        }
        let is_over = |last: &mut BlockCollection| {
            last.column > column || last.column == column && last.is_list && !is_dash
        };
        while self.open.pop_if(is_over).is_some() {
            self.reader.close(self.reader.before);
        }
        match self.open.last() {
            Some(last) => (last.column == column && last.is_list == is_dash).then_some(false),
            None => self.reader.tree.is_empty().then_some(true),
        }
    }

    /// Reads a line and the further lines of its text.
    fn line(&mut self, mut column: usize, mut is_value: bool) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + column;
        loop {
            let is_list = is_dash(&bytes[at..]);
            let key = if is_list { None } else { self.find_key(at)? };
            match (is_value, is_list || key.is_some()) {
                (true, true) => self.begin(at, column, is_list)?,
                (true, false) => return self.scalar(at),
                (false, true) => {}
                (false, false) => return None,
            }
            let sign_end = match key {
                Some(key) => {
                    self.add(key.text, key.style, key.span)?;
                    key.span.end as usize + 1
                }
                None => at + 1,
            };
            let value = sign_end + spaces(&bytes[sign_end..]);
            match bytes.get(value) {
                None | Some(b'\n') => {
                    (self.sign_end, self.at) = (Some(sign_end), value + 1);
                    return Some(());
                }
                Some(_) if !is_list => return self.scalar(value),
                Some(_) => {
                    column += value - at;
                    (at, is_value) = (value, true);
                }
            }
        }
    }

    /// Returns the key at a byte; `Some(None)` if there is none.
    fn find_key(&self, at: usize) -> Option<Option<BlockKey<'a>>> {
        let line = self.rest_of_line(at);
        let is_end = |rest: &[u8]| matches!(rest.first(), None | Some(b' '));
        match *line.as_bytes().first()? {
            quote @ (b'"' | b'\'') => {
                let Ok((len, _)) = closing_quote(line.as_bytes(), 0) else {
                    return Some(None);
                };
                let rest = &line.as_bytes()[len + 1..];
                if rest.first() != Some(&b':') {
                    return Some(None);
                }
                let text = Cow::Owned(unquoted(&line[1..len], Some(quote))?);
                let is_key = is_end(&rest[1..]) && len <= MAX_KEY_BYTES;
                let key =
                    BlockKey { span: Span::new(at, at + len + 1), text, style: style_of(quote) };
                is_key.then_some(Some(key))
            }
            b'|' | b'>' | b'[' | b'{' | b'!' => Some(None),
            _ => {
                let mut colons = memchr_iter(b':', line.as_bytes());
                let Some(len) = colons.find(|at| is_end(&line.as_bytes()[at + 1..])) else {
                    return Some(None);
                };
                let text = &line[..len];
                check_plain(text)?;
                let is_key = !text.ends_with(' ') && len <= MAX_KEY_BYTES;
                let (span, text) = (Span::new(at, at + len), Cow::Borrowed(text));
                is_key.then_some(Some(BlockKey { span, text, style: ScalarStyle::Plain }))
            }
        }
    }

    fn begin(&mut self, at: usize, column: usize, is_list: bool) -> Option<()> {
        self.open.push(BlockCollection { column, is_list });
        let kind = if is_list { NodeKind::Array } else { NodeKind::Object };
        (self.reader.collection(kind, 0, None, at, at) == Flow::Continue).then_some(())
    }

    /// Reads the value that begins at a byte and is no block collection.
    fn scalar(&mut self, at: usize) -> Option<()> {
        let parent = self.open.last()?.column;
        match self.text.as_bytes()[at] {
            quote @ (b'"' | b'\'') => self.quoted(at, quote),
            b'|' | b'>' => self.block(None, at, parent),
            b'!' => {
                let is_tag = |(tag, _): &&(&str, _)| self.text[at..].starts_with(tag);
                let (written, handle) = BINARY_TAGS.iter().find(is_tag)?;
                let tag = Tag { handle: (*handle).to_owned(), suffix: "binary".to_owned() };
                self.block(Some((at, &tag)), at + written.len(), parent)
            }
            b'[' | b'{' => self.empty_collection(at),
            _ => self.plain(at, parent),
        }
    }

    /// Reads a text in quotes, whose further lines may have any indentation, as in libyaml.
    fn quoted(&mut self, at: usize, quote: u8) -> Option<()> {
        let (end, is_verbatim) = closing_quote(self.text.as_bytes(), at).ok()?;
        self.end_line(end + 1)?;
        let content = &self.text[at + 1..end];
        let text = if is_verbatim {
            Cow::Borrowed(content)
        } else {
            Cow::Owned(unquoted(content, Some(quote))?)
        };
        self.add(text, style_of(quote), Span::new(at, end + 1))
    }

    fn empty_collection(&mut self, at: usize) -> Option<()> {
        let (kind, end) = match &self.text.as_bytes()[at..] {
            [b'[', b']', ..] => (NodeKind::Array, at + 2),
            [b'{', b'}', ..] => (NodeKind::Object, at + 2),
            _ => return None,
        };
        self.end_line(end)?;
        let flow = self.reader.collection(kind, 0, None, at, end);
        self.reader.close(end);
        self.reader.before = end;
        (flow == Flow::Continue).then_some(())
    }

    /// Reads a plain text: its first line, and those that are indented further than what is around it.
    fn plain(&mut self, at: usize, parent: usize) -> Option<()> {
        let bytes = self.text.as_bytes();
        let first = self.rest_of_line(at);
        check_plain(first)?;
        let mut end = at + first.trim_end_matches(' ').len();
        self.at = line_end(bytes, at);
        let mut next = self.at;
        let mut is_one_line = true;
        while let Some(spaces) = bytes.get(next..).map(spaces) {
            match bytes.get(next + spaces) {
                Some(b'\n') => next += spaces + 1,
                Some(byte) if spaces > parent && *byte != b'#' => {
                    let line = self.rest_of_line(next + spaces);
                    check_plain_rest(line)?;
                    end = next + spaces + line.trim_end_matches(' ').len();
                    next = line_end(bytes, next);
                    (self.at, is_one_line) = (next, false);
                }
                _ => break,
            }
        }
        let raw = &self.text[at..end];
        let text = if is_one_line { Cow::Borrowed(raw) } else { Cow::Owned(unquoted(raw, None)?) };
        self.add(text, ScalarStyle::Plain, Span::new(at, end))
    }

    /// Reads a literal or folded text behind its tag.
    fn block(&mut self, tag: Option<(usize, &Tag)>, header: usize, parent: usize) -> Option<()> {
        let (style, header_end) = match self.text.as_bytes().get(header)? {
            b'|' => (ScalarStyle::Literal, line_end(self.text.as_bytes(), header)),
            b'>' => (ScalarStyle::Folded, line_end(self.text.as_bytes(), header)),
            _ => return None,
        };
        let header_text = self.text[header + 1..header_end].trim_end_matches([' ', '\n']);
        let (signs, digits): (String, String) =
            header_text.chars().partition(|c| matches!(c, '+' | '-'));
        let indent = match digits.as_bytes() {
            [] => first_indent(&self.text.as_bytes()[header_end..])?,
            [digit @ b'1'..=b'9'] => parent + usize::from(digit - b'0'),
            _ => return None,
        };
        if indent <= parent {
            return None;
        }
        let is_folded = style == ScalarStyle::Folded;
        let (mut value, last_breaks) = self.block_value(header_end, indent, is_folded)?;
        match &*signs {
            "" => value.push('\n'),
            "-" => {}
            "+" => value.extend(std::iter::repeat_n('\n', last_breaks)),
            _ => return None,
        }
        let span = Span::new(header, block_end(self.text, header, self.at, &value));
        let value = self.reader.without_missing_end(Cow::Owned(value), style, span);
        let (start, tag) = tag.unzip();
        self.reader.add_scalar(value, style, (0, tag), start.unwrap_or(header), span);
        Some(())
    }

    /// Reads the lines of a block, which begin at a byte, up to the line end of its last line that is not blank. Returns the text, and
    /// the number of line ends after it.
    fn block_value(
        &mut self,
        start: usize,
        indent: usize,
        is_folded: bool,
    ) -> Option<(String, usize)> {
        let bytes = self.text.as_bytes();
        let mut value = String::new();
        let (mut breaks, mut may_fold) = (0, false);
        self.at = start;
        while self.at < bytes.len() {
            let spaces = spaces(&bytes[self.at..]).min(indent);
            let line = self.rest_of_line(self.at + spaces);
            if spaces < indent && !line.is_empty() {
                break;
            }
            self.at = line_end(bytes, self.at);
            if line.is_empty() {
                // Blanks at the end of the file, without a line end, are left to the scanner.
                (bytes.last() == Some(&b'\n')).then_some(())?;
                breaks += 1;
                continue;
            }
            // Lines that are indented further keep the line ends around them.
            let is_unindented = is_folded && !line.starts_with([' ', '\t']);
            let is_joined = is_unindented && may_fold;
            if is_joined && breaks == 1 {
                value.push(' ');
            } else {
                value.extend(std::iter::repeat_n('\n', breaks - usize::from(is_joined)));
            }
            value.push_str(line);
            (breaks, may_fold) = (1, is_unindented);
        }
        (!value.is_empty()).then_some((value, breaks))
    }

    fn add(&mut self, text: Cow<'_, str>, style: ScalarStyle, span: Span) -> Option<()> {
        self.reader.add_scalar(text, style, (0, None), span.start as usize, span);
        Some(())
    }

    /// Adds the nothing that a colon or a dash without a value has.
    fn add_missing_value(&mut self) {
        if let Some(end) = self.sign_end.take() {
            let _ = self.add(Cow::Borrowed(""), ScalarStyle::Plain, Span::empty(end));
        }
    }

    /// Goes on with the line after a value that ends before a byte. `None` if anything follows it.
    fn end_line(&mut self, end: usize) -> Option<()> {
        let rest = &self.text.as_bytes()[end..];
        let len = spaces(rest);
        self.at = end + len + 1;
        matches!(rest.get(len), None | Some(b'\n')).then_some(())
    }

    fn rest_of_line(&self, at: usize) -> &'a str {
        let rest = &self.text[at..];
        memchr(b'\n', rest.as_bytes()).map_or(rest, |len| &rest[..len])
    }
}

/// Returns the number of spaces at the start of a text.
fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b' ').count()
}

fn is_dash(bytes: &[u8]) -> bool {
    matches!(bytes, [b'-'] | [b'-', b' ' | b'\n', ..])
}

fn style_of(quote: u8) -> ScalarStyle {
    if quote == b'"' { ScalarStyle::DoubleQuoted } else { ScalarStyle::SingleQuoted }
}

/// Returns the spaces before the first line of a block that is not blank. `None` if a blank line before it has more.
fn first_indent(block: &[u8]) -> Option<usize> {
    let (mut at, mut most) = (0, 0);
    loop {
        let spaces = spaces(&block[at..]);
        match block.get(at + spaces)? {
            b'\n' => (at, most) = (at + spaces + 1, most.max(spaces)),
            b'\t' => return None,
            _ => return (spaces >= most).then_some(spaces),
        }
    }
}

/// Returns `None` unless a line is plain text, or a key without its colon.
fn check_plain(line: &str) -> Option<()> {
    match line.as_bytes() {
        [] | [b'-', b' ', ..] | b"-" => return None,
        [first, ..] if b",[]{}#&*!|>'\"%@`?: \t".contains(first) => return None,
        _ => {}
    }
    check_plain_rest(line)
}

/// Returns `None` if a line of plain text has a sign of YAML in it.
fn check_plain_rest(line: &str) -> Option<()> {
    let bytes = line.as_bytes();
    let has = |sign: &[u8]| memmem::find(bytes, sign).is_some();
    let is_text = !has(b": ") && !has(b" #") && !line.ends_with(':');
    (is_text && memchr(b'\t', bytes).is_none()).then_some(())
}
