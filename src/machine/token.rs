//! Tokens of a source: names, strings, arrows, punctuation. Comments are collected separately.

use document::text::{Span, named_enum};

named_enum! {
    /// The kind of an edge, by its head.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Arrow {
        /// `->`
        Thin = "->",
        /// `-->`
        Double = "-->",
        /// `=>`
        Fat = "=>",
        /// `<-->`
        Both = "<-->",
        /// `<|--`
        Inherit = "<|--",
        /// `*-->`
        Compose = "*-->",
        /// `o-->`
        Aggregate = "o-->",
    }

    /// As it is written.
    pub fn as_str;
}

/// A comment, including its delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// As written.
    pub text: Box<str>,
    /// Its place.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MachineTokenKind {
    /// A name, including `a.b`.
    Word,
    /// Digits, with a fraction or exponent.
    Number,
    /// `#name`
    External,
    /// A quoted string, possibly without its closing quote.
    String,
    /// `{{ … }}` on one line.
    Template,
    /// A complete arrow, or the head after a label.
    Arrow(Arrow),
    /// `<--label-->`
    LabelledBoth,
    /// `-`, `--` or `=`: the start of a label.
    Opener,
    /// Any other ASCII punctuation.
    Sign(u8),
    /// Any other character.
    Other,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MachineToken {
    pub(super) kind: MachineTokenKind,
    pub(super) span: Span,
    /// Whether it is the first token on its line.
    pub(super) leads: bool,
}

impl Arrow {
    /// All kinds, longer ones before their prefixes.
    const ALL: [Self; 7] = [
        Self::Both,
        Self::Inherit,
        Self::Compose,
        Self::Aggregate,
        Self::Double,
        Self::Thin,
        Self::Fat,
    ];

    /// Returns whether it may end a label.
    pub(super) fn ends_label(self) -> bool {
        matches!(self, Self::Thin | Self::Double | Self::Fat)
    }
}

/// Tokenizes a text from byte `start`.
pub(super) fn tokens(text: &str, start: usize) -> (Vec<MachineToken>, Vec<Comment>) {
    let mut lexer = MachineSourceLexer {
        text,
        at: start,
        template_end: WordFinder::new("}}"),
        comment_end: WordFinder::new("*/"),
        line_end: WordFinder::new("\n"),
        unended: [false; 2],
    };
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut leads = true;
    while let Some(next) = lexer.rest().chars().next() {
        let at = lexer.at;
        if next.is_whitespace() {
            leads |= next == '\n';
            lexer.at += next.len_utf8();
        } else if let Some(end) = lexer.comment() {
            lexer.at = end;
            comments.push(Comment { text: text[at..end].into(), span: Span::new(at, end) });
        } else {
            let (kind, length) = lexer.token(next);
            lexer.at += length;
            tokens.push(MachineToken { kind, span: Span::new(at, lexer.at), leads });
            leads = false;
        }
    }
    (tokens, comments)
}

struct MachineSourceLexer<'a> {
    text: &'a str,
    at: usize,
    template_end: WordFinder,
    comment_end: WordFinder,
    line_end: WordFinder,
    /// Whether an unterminated string in `"` or `'` was found: then later ones are not searched to the end of the text.
    unended: [bool; 2],
}

impl MachineSourceLexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Returns the end of the line that contains `at`, before its line end.
    fn end_of_line(&mut self) -> usize {
        let end = self.line_end.find(self.text, self.at).unwrap_or(self.text.len());
        end - usize::from(self.text[self.at..end].ends_with('\r'))
    }

    /// Returns the end of the comment that starts here, if any.
    fn comment(&mut self) -> Option<usize> {
        if self.rest().starts_with("//") {
            return Some(self.end_of_line());
        }
        if !self.rest().starts_with("/*") {
            return None;
        }
        let end = self.comment_end.find(self.text, self.at + 2);
        Some(end.map_or(self.text.len(), |end| end + 2))
    }

    /// Returns the kind and length of the token that starts with `first`.
    fn token(&mut self, first: char) -> (MachineTokenKind, usize) {
        if let Some(arrow) =
            Arrow::ALL.into_iter().find(|arrow| self.rest().starts_with(arrow.as_str()))
        {
            return (MachineTokenKind::Arrow(arrow), arrow.as_str().len());
        }
        match first {
            '"' | '\'' => (MachineTokenKind::String, self.string(first as u8)),
            '#' if self.rest()[1..].starts_with(is_name) => {
                (MachineTokenKind::External, 1 + word(&self.rest()[1..]))
            }
            '{' if self.rest().starts_with("{{") => self.template(),
            '<' if self.rest().starts_with("<--") => match labelled_both(self.rest()) {
                Some(length) => (MachineTokenKind::LabelledBoth, length),
                None => (MachineTokenKind::Sign(b'<'), 1),
            },
            '-' if self.rest().starts_with("--") => (MachineTokenKind::Opener, 2),
            '-' | '=' => (MachineTokenKind::Opener, 1),
            c if is_name(c) => number_or_word(self.rest()),
            c if c.is_ascii_punctuation() => (MachineTokenKind::Sign(c as u8), 1),
            c => (MachineTokenKind::Other, c.len_utf8()),
        }
    }

    fn template(&mut self) -> (MachineTokenKind, usize) {
        let line = self.end_of_line();
        match self.template_end.find(self.text, self.at + 2) {
            Some(end) if end < line => (MachineTokenKind::Template, end + 2 - self.at),
            // Without a closing pair, the two braces open nested objects.
            _ => (MachineTokenKind::Sign(b'{'), 1),
        }
    }

    /// Returns the length of a string with its quotes; an unterminated one ends with its line.
    fn string(&mut self, quote: u8) -> usize {
        let quote_index = usize::from(quote == b'\'');
        if !self.unended[quote_index] {
            let mut bytes = self.rest().bytes().enumerate().skip(1);
            while let Some((at, byte)) = bytes.next() {
                match byte {
                    b'\\' => drop(bytes.next()),
                    byte if byte == quote => return at + 1,
                    _ => {}
                }
            }
            self.unended[quote_index] = true;
        }
        // A quote at the end of a line is a token, too: otherwise the lexer would not advance.
        (self.end_of_line() - self.at).max(1)
    }
}

/// Finds the next occurrence of a word. With increasing start positions, each byte is scanned once.
struct WordFinder {
    word: &'static str,
    found: Option<usize>,
    is_over: bool,
}

impl WordFinder {
    fn new(word: &'static str) -> Self {
        Self { word, found: None, is_over: false }
    }

    fn find(&mut self, text: &str, start: usize) -> Option<usize> {
        if self.found.is_none_or(|at| at < start) && !self.is_over {
            let offset = memchr::memmem::find(text.as_bytes().get(start..)?, self.word.as_bytes());
            self.found = offset.map(|offset| start + offset);
            self.is_over = offset.is_none();
        }
        self.found
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the name at the start of `text`. Dots are part of it if a name follows.
fn word(text: &str) -> usize {
    let mut length = 0;
    loop {
        let part = &text[length..];
        length += part.find(|c| !is_name(c)).unwrap_or(part.len());
        let mut chars = text[length..].chars();
        if chars.next() != Some('.') || !chars.next().is_some_and(is_name) {
            return length;
        }
        length += 1;
    }
}

fn number_or_word(text: &str) -> (MachineTokenKind, usize) {
    let len = word(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return (MachineTokenKind::Word, len);
    }
    let is_number = |len: usize| text[..len].parse::<f64>().is_ok();
    let tail = &text.as_bytes()[len..];
    // As in `1e-5`: only behind an exponent a sign is part of a number.
    let has_sign = matches!(tail, [b'+' | b'-', digit, ..] if digit.is_ascii_digit());
    if has_sign && text[..len].ends_with(['e', 'E']) {
        let number_len = len + 1 + word(&text[len + 1..]);
        if is_number(number_len) {
            return (MachineTokenKind::Number, number_len);
        }
    }
    if is_number(len) { (MachineTokenKind::Number, len) } else { (MachineTokenKind::Word, len) }
}

/// Returns the length of `<--label-->`, also with one dash before its head.
fn labelled_both(text: &str) -> Option<usize> {
    let label = text.strip_prefix("<--")?;
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let dashes = label[end..].bytes().take_while(|b| *b == b'-').count();
    let is_whole = end > 0 && dashes <= 2 && label[end + dashes..].starts_with('>');
    is_whole.then_some(3 + end + dashes + 1)
}

/// Returns the value of a string token: without quotes, with its escapes resolved.
pub(super) fn unquoted(raw: &str) -> Box<str> {
    let Some(quote) = raw.chars().next() else { return "".into() };
    let tail = &raw[quote.len_utf8()..];
    // An unterminated string has no closing quote.
    let content = tail.strip_suffix(quote).unwrap_or(tail);
    if !content.contains('\\') {
        return content.into();
    }
    let mut value = String::with_capacity(content.len());
    let mut chars = content.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some(c) => value.push(c),
                None => value.push('\\'),
            },
            c => value.push(c),
        }
    }
    value.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        let (tokens, comments) = tokens(text, 0);
        let line = |token: &MachineToken| format!("{:?} {}", token.kind, &text[token.span.range()]);
        let mut lines: Vec<String> = tokens.iter().map(line).collect();
        lines.extend(comments.iter().map(|comment| format!("{comment:?}")));
        lines.join("\n")
    }

    #[test]
    fn arrows_and_labels_are_distinguished() {
        insta::assert_snapshot!(describe(r#"a.b -"t"-> c o--> d <--yes-> e =id=> f -x: -1.5e-3; -->g <|-- h"#), @r#"
        Word a.b
        Opener -
        String "t"
        Arrow(Thin) ->
        Word c
        Arrow(Aggregate) o-->
        Word d
        LabelledBoth <--yes->
        Word e
        Opener =
        Word id
        Arrow(Fat) =>
        Word f
        Opener -
        Word x
        Sign(58) :
        Opener -
        Number 1.5e-3
        Sign(59) ;
        Arrow(Double) -->
        Word g
        Arrow(Inherit) <|--
        Word h
        "#);
    }

    #[test]
    fn strings_templates_and_comments_end_where_they_end() {
        insta::assert_snapshot!(describe("x: {{ a.b }} {{\n'it\\'s' #ext 3d // c\r\n/* d\n*/ \"open\nb"), @r#"
        Word x
        Sign(58) :
        Template {{ a.b }}
        Sign(123) {
        Sign(123) {
        String 'it\'s'
        External #ext
        Word 3d
        String "open
        Word b
        Comment { text: "// c", span: Span { start: 32, end: 36 } }
        Comment { text: "/* d\n*/", span: Span { start: 38, end: 45 } }
        "#);
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(&*unquoted(r#""a\n\"b\" \x""#), "a\n\"b\" x");
        assert_eq!(&*unquoted("'open"), "open");
    }
}
