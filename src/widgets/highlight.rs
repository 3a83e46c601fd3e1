//! Syntax highlighting: keywords, keys, strings, numbers and comments.
//!
//! Works line by line. A [`LineState`] at the start of each line records what continues from the line before (a block
//! comment), so that only the lines on screen are parsed in full.

use std::ops::Range;

use document::text::Source;

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Prose: only headings are highlighted.
    Prose,
    /// DyGram's machine language.
    Machine,
    Json,
    /// YAML, a line at a time: keys, plain and quoted text, numbers, comments.
    Yaml,
    /// One value per line, with unquoted keys where possible. The first line may be a name.
    Values,
}

/// Class of a token, which decides its colour and weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenClass {
    /// Nothing special.
    Plain,
    /// A heading among sentences.
    Heading,
    /// A keyword, an arrow, an annotation.
    Keyword,
    /// The name of a value.
    Key,
    /// Text in quotes.
    String,
    /// A number or a literal such as `true`.
    Number,
    Comment,
}

/// The state at the start of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineState {
    /// Nothing.
    #[default]
    Code,
    /// A block comment.
    Comment,
}

/// Common node types of machines.
// Also keywords without a type of their own: what follows them is a name all the same.
const TYPES: &[&str] = &[
    "machine", "state", "task", "context", "init", "process", "concept", "input", "output",
    "result", "data", "tool", "style", "note", "import", "from", "as", "event", "decision", "end",
    "start", "agent", "model", "resource",
];

impl Language {
    /// Returns the state at the start of each line; empty for languages without multi-line tokens.
    pub fn states(self, source: &Source) -> Vec<LineState> {
        // Of the languages here only machines have comments that span lines.
        if self != Self::Machine {
            return Vec::new();
        }
        let mut state = LineState::Code;
        let mut states = Vec::with_capacity(source.line_count());
        for line in 0..source.line_count() {
            states.push(state);
            state = MachineLexer::new(source.line(line)).run(state, &mut |_, _| {});
        }
        states
    }

    /// Returns the tokens of a line in order, without overlap. All other text is plain.
    pub fn classes(self, line: &str, state: LineState) -> Vec<(Range<usize>, TokenClass)> {
        let mut pieces = Vec::new();
        let mut add = |range: Range<usize>, class| pieces.push((range, class));
        match self {
            Self::Prose => {
                let hashes = line.len() - line.trim_start_matches('#').len();
                // Markdown has six levels; seven signs, or a sign without a space, are text.
                if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
                    add(0..line.len(), TokenClass::Heading);
                }
            }
            Self::Machine => {
                MachineLexer::new(line).run(state, &mut add);
            }
            Self::Json => json(line, 0, &mut add),
            Self::Yaml => yaml(line, &mut add),
            Self::Values => {
                let start = bare_key(line);
                if let Some(key) = &start {
                    add(key.clone(), TokenClass::Key);
                }
                json(line, start.map_or(0, |key| key.end), &mut add);
            }
        }
        pieces
    }
}

/// Returns the unquoted key at the start of a line of values, if any.
fn bare_key(line: &str) -> Option<Range<usize>> {
    let start = line.len() - line.trim_start_matches(' ').len();
    // With a space, so that a URL or a time is no key.
    let end = start + line[start..].find(": ")?;
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    (end > start && line[start..end].chars().all(is_bare)).then_some(start..end)
}

fn yaml(line: &str, add: &mut impl FnMut(Range<usize>, TokenClass)) {
    let end = comment_start(line);
    yaml_value(line[..end].trim_end(), add);
    if end < line.len() {
        add(end..line.len(), TokenClass::Comment);
    }
}

/// Highlights a line of YAML without its comment.
fn yaml_value(line: &str, add: &mut impl FnMut(Range<usize>, TokenClass)) {
    let mut at = line.len() - line.trim_start_matches(' ').len();
    while line[at..].starts_with("- ") {
        at += 2 + line[at + 2..].bytes().take_while(|byte| *byte == b' ').count();
    }
    let rest = &line[at..];
    let is_quoted = rest.starts_with(['"', '\'']);
    let colon = if is_quoted {
        string_end(rest.as_bytes(), 0)
    } else {
        // A colon ends a YAML key only before a space or at the end of the line.
        rest.find(": ").unwrap_or(rest.len() - usize::from(rest.ends_with(':')))
    };
    let is_key = rest[colon..].starts_with(':') && !rest.starts_with(['{', '[']);
    if is_key {
        add(at..at + colon, TokenClass::Key);
        at += colon + 1;
    }
    let value = line[at..].trim_start();
    let from = line.len() - value.len();
    match value.chars().next() {
        // Block scalars, anchors, aliases, tags and directives: what follows on this line is not a plain value.
        None | Some('|' | '>' | '&' | '*' | '!' | '%') => {}
        // The flow style of YAML differs from JSON only in what is rare in these files.
        Some('{' | '[') => json(line, from, add),
        _ if value.parse::<f64>().is_ok() || matches!(value, "true" | "false" | "null" | "~") => {
            add(from..line.len(), TokenClass::Number);
        }
        _ => add(from..line.len(), TokenClass::String),
    }
}

/// Returns where the comment of a YAML line begins: at a `#` at the start or after a space, outside of quotes.
fn comment_start(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        // A quote inside of a word is an apostrophe, and must not hide the comment after it.
        let starts = at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'{' | b'[' | b',' | b':');
        match byte {
            b'"' | b'\'' if starts => at = string_end(bytes, at),
            b'#' if at == 0 || matches!(bytes[at - 1], b' ' | b'\t') => return at,
            _ => at += 1,
        }
    }
    line.len()
}

fn json(line: &str, start: usize, add: &mut impl FnMut(Range<usize>, TokenClass)) {
    let bytes = line.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let from = at;
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                // Only one line is known, so a string before a colon is a key.
                let follows = line[at..].trim_start();
                let class =
                    if follows.starts_with(':') { TokenClass::Key } else { TokenClass::String };
                add(from..at, class);
            }
            // Coarse on purpose: what is no valid number is reported elsewhere, not by its colour.
            b'-' | b'0'..=b'9' => {
                at = end_of(bytes, at + 1, |byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-')
                });
                add(from..at, TokenClass::Number);
            }
            byte if is_word(byte) => {
                at = end_of(bytes, at, is_word);
                if matches!(&line[from..at], "true" | "false" | "null") {
                    add(from..at, TokenClass::Number);
                }
            }
            _ => at += 1,
        }
    }
}

fn is_word(byte: u8) -> bool {
    // Bytes from 0x80 on belong to letters of other scripts, and cutting between them would split a character.
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the first byte from `at` on for which `part` is false.
fn end_of(bytes: &[u8], at: usize, part: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !part(*byte)).unwrap_or(rest.len())
}

/// Returns the end of the quoted string that begins at `at`, or the end of the line if it is not closed.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let quote = bytes.get(at).copied();
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            // May pass the end of the line; the length below is returned then.
            b'\\' => at += 2,
            byte if Some(byte) == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

struct MachineLexer<'a> {
    line: &'a str,
    at: usize,
    words: usize,
}

impl<'a> MachineLexer<'a> {
    fn new(line: &'a str) -> Self {
        Self { line, at: 0, words: 0 }
    }

    /// Reports every token of the line and returns the state at the start of the next line.
    fn run(
        mut self,
        mut state: LineState,
        add: &mut impl FnMut(Range<usize>, TokenClass),
    ) -> LineState {
        let bytes = self.line.as_bytes();
        while self.at < bytes.len() {
            let from = self.at;
            if state == LineState::Comment {
                match self.line[from..].find("*/") {
                    Some(end) => {
                        self.at = from + end + 2;
                        state = LineState::Code;
                    }
                    None => self.at = bytes.len(),
                }
                // Each line of a block comment is a token of its own, as layouts are by line.
                add(from..self.at, TokenClass::Comment);
                continue;
            }
            if let Some(class) = self.token(&mut state) {
                add(from..self.at, class);
            }
        }
        state
    }

    fn token(&mut self, state: &mut LineState) -> Option<TokenClass> {
        let bytes = self.line.as_bytes();
        let from = self.at;
        let rest = &bytes[from..];
        match rest {
            [b'/', b'/', ..] => {
                self.at = bytes.len();
                Some(TokenClass::Comment)
            }
            [b'/', b'*', ..] => {
                self.at += 2;
                *state = LineState::Comment;
                Some(TokenClass::Comment)
            }
            [b'"' | b'\'', ..] => {
                self.at = string_end(bytes, from);
                Some(TokenClass::String)
            }
            [b'@', ..] => {
                self.at = end_of(bytes, from + 1, is_word);
                Some(TokenClass::Keyword)
            }
            [b'-' | b'=' | b'<' | b'>', ..] => {
                self.at = end_of(bytes, from, |b| matches!(b, b'-' | b'=' | b'<' | b'>' | b'|'));
                // A single sign is no arrow, except before the label inside one: `-"text"->`.
                (self.at > from + 1 || matches!(rest, [b'-', b'"' | b'\'', ..]))
                    .then_some(TokenClass::Keyword)
            }
            [b'0'..=b'9', ..] => {
                self.at = end_of(bytes, from, |b| b.is_ascii_alphanumeric() || b == b'.');
                Some(TokenClass::Number)
            }
            [byte, ..] if is_word(*byte) => {
                self.at = end_of(bytes, from, is_word);
                self.word(from)
            }
            _ => {
                self.at += 1;
                None
            }
        }
    }

    fn word(&mut self, from: usize) -> Option<TokenClass> {
        self.words += 1;
        let word = &self.line[from..self.at];
        let rest = &self.line[self.at..];
        if matches!(word, "true" | "false" | "null") {
            return Some(TokenClass::Number);
        }
        let tail = rest.trim_start();
        // DyGram writes an attribute as `name: value` or `name<Type>: value`.
        let type_and_rest = tail.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        if tail.starts_with(':')
            || type_and_rest.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
        {
            return Some(TokenClass::Key);
        }
        // The first of two words is a type, even an unknown one.
        let names = rest.starts_with(' ')
            && tail.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '#' | '"' | '{'));
        let first = self.words == 1
            && names
            && (TYPES.contains(&word) || tail.starts_with(char::is_alphabetic));
        (first || matches!(word, "from" | "as")).then_some(TokenClass::Keyword)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn classes_of(language: Language, line: &str) -> String {
        let pieces = language.classes(line, LineState::Code);
        let classes_of: Vec<String> = pieces
            .into_iter()
            .map(|(range, class)| format!("{class:?} {}", &line[range]))
            .collect();
        classes_of.join(" · ")
    }

    #[test]
    fn machines_have_keywords_keys_strings_and_arrows() {
        let classes_of = |line| classes_of(Language::Machine, line);
        insta::assert_snapshot!(classes_of("task classify \"Choose\" @auto { // why"), @r#"Keyword task · String "Choose" · Keyword @auto · Comment // why"#);
        insta::assert_snapshot!(classes_of("    limit<number>: 50; open: true;"), @"Key limit · Number 50 · Key open · Number true");
        insta::assert_snapshot!(classes_of("classify -\"known issue\"-> respond;"), @r#"Keyword - · String "known issue" · Keyword ->"#);
        insta::assert_snapshot!(classes_of("a, b --> c; d => e"), @"Keyword --> · Keyword =>");
    }

    #[test]
    fn json_has_keys_strings_and_numbers() {
        insta::assert_snapshot!(classes_of(Language::Json, r#"  "a\"b": ["x", -1.5e3, null],"#), @r#"Key "a\"b" · String "x" · Number -1.5e3 · Number null"#);
        insta::assert_snapshot!(classes_of(Language::Yaml, "  - status: 200  # as it was"), @"Key status · Number 200 · Comment # as it was");
        insta::assert_snapshot!(classes_of(Language::Yaml, "input: \"a # b\""), @r#"Key input · String "a # b""#);
        insta::assert_snapshot!(classes_of(Language::Yaml, "  My printer is offline."), @"String My printer is offline.");
        insta::assert_snapshot!(classes_of(Language::Values, "  reason: \"Known\","), @r#"Key reason · String "Known""#);
    }

    #[test]
    fn a_block_comment_reaches_over_lines() {
        let source = Source::new("a /* b\nc\nd */ e -> f\n");
        assert_eq!(
            Language::Machine.states(&source),
            [LineState::Code, LineState::Comment, LineState::Comment, LineState::Code]
        );
        let pieces = Language::Machine.classes("d */ e -> f", LineState::Comment);
        assert_eq!(pieces, [(0..4, TokenClass::Comment), (7..9, TokenClass::Keyword)]);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn pieces_are_in_order_and_on_borders_of_characters(line in "[a\"'\\\\/*<>:@{}# é0-]{0,20}") {
            for language in [Language::Prose, Language::Machine, Language::Json, Language::Yaml, Language::Values] {
                let mut end = 0;
                for (range, _) in language.classes(&line, LineState::Code) {
                    prop_assert!(range.start >= end && line.get(range.clone()).is_some());
                    end = range.end;
                }
            }
        }
    }
}
