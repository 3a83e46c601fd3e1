//! Splits JavaScript and TypeScript into words, texts and signs: enough to find calls and read literals.
//!
//! It takes one pass over any text. Text that is not JavaScript still gives tokens, which mean nothing then.

/// One token of the code; comments and white space are not tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeToken {
    pub(super) kind: TokenKind,
    /// The first byte.
    pub(super) start: u32,
    /// The byte after the last.
    pub(super) end: u32,
    /// The index of the token that closes an opening bracket; [`NO_PAIR`] if none does.
    pub(super) pair: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A string, or a template without `${…}`, with its quotes.
    Text,
    /// A number as it is written.
    Number,
    /// A regular expression.
    Regex,
    /// An opening bracket, the start of a template with `${…}` (a backquote), or such a `${` (a dollar sign).
    Open(u8),
    /// The end of the innermost of them.
    Close,
    /// Anything else, byte by byte.
    Sign(u8),
}

/// No token closes this one.
pub(super) const NO_PAIR: u32 = u32::MAX;

/// All tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<CodeToken> {
    let mut lexer = CodeLexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        open: Vec::new(),
        counts: [0; 5],
        no_regex_before: 0,
    };
    while let Some(&byte) = lexer.bytes.get(lexer.at) {
        lexer.token(byte);
    }
    lexer.tokens
}

/// The openers; their positions index the counts.
const OPENERS: [u8; 5] = *b"([{`$";

/// Words after which a slash begins a regular expression, because no value ends with them.
const WORDS_BEFORE_REGEX: [&str; 16] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "do",
    "else",
    "instanceof",
    "await",
    "yield",
    "default",
    "extends",
];

struct CodeLexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<CodeToken>,
    /// The indices of open tokens, outermost first.
    open: Vec<u32>,
    /// Number of open tokens of each kind.
    counts: [usize; OPENERS.len()],
    /// No regular expression ends before this byte: the line was already searched.
    no_regex_before: usize,
}

impl CodeLexer<'_> {
    fn token(&mut self, byte: u8) {
        match byte {
            b'"' | b'\'' => self.string(byte),
            b'`' => self.template(self.at),
            b'/' => self.slash(),
            b'(' | b'[' | b'{' => self.open(byte, self.at + 1),
            b')' => self.close(b'('),
            b']' => self.close(b'['),
            b'}' if self.is_in_substitution() => self.back_to_template(),
            b'}' => self.close(b'{'),
            b'0'..=b'9' => self.number(),
            b'.' if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) => self.number(),
            _ if byte.is_ascii_whitespace() => self.at += 1,
            _ if is_word_byte(byte) => self.word(),
            _ => self.push(TokenKind::Sign(byte), self.at + 1),
        }
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.tokens.push(CodeToken { kind, start: index(self.at), end: index(end), pair: NO_PAIR });
        self.at = end;
    }

    fn open(&mut self, opener: u8, end: usize) {
        self.open.push(index(self.tokens.len()));
        self.counts[place_of(opener)] += 1;
        self.push(TokenKind::Open(opener), end);
    }

    /// Closes the innermost opener of this kind; openers inside it stay unpaired. If none is open, it becomes a sign.
    fn close(&mut self, opener: u8) {
        // The counts keep a text full of closing brackets from being searched once per bracket.
        if self.counts[place_of(opener)] == 0 {
            return self.push(TokenKind::Sign(self.bytes[self.at]), self.at + 1);
        }
        while let Some(open_index) = self.open.pop() {
            let TokenKind::Open(kind) = self.tokens[open_index as usize].kind else { continue };
            self.counts[place_of(kind)] -= 1;
            if kind == opener {
                self.tokens[open_index as usize].pair = index(self.tokens.len());
                break;
            }
        }
        self.push(TokenKind::Close, self.at + 1);
    }

    fn is_in_substitution(&self) -> bool {
        let innermost = self.open.last();
        innermost.is_some_and(|&open| self.tokens[open as usize].kind == TokenKind::Open(b'$'))
    }

    fn back_to_template(&mut self) {
        self.close(b'$');
        self.template_text();
    }

    /// Reads a template from its backquote: a text, or the beginning of one with substitutions.
    fn template(&mut self, start: usize) {
        match self.template_end(start + 1) {
            (end, TemplateStop::Backquote) => self.push(TokenKind::Text, end + 1),
            (end, TemplateStop::End) => self.push(TokenKind::Sign(b'`'), end),
            (end, TemplateStop::Substitution) => {
                self.open(b'`', end);
                self.open(b'$', end + 2);
            }
        }
    }

    /// Continues a template after a substitution.
    fn template_text(&mut self) {
        let (end, stop) = self.template_end(self.at);
        self.at = end;
        match stop {
            TemplateStop::Backquote => self.close(b'`'),
            TemplateStop::Substitution => self.open(b'$', end + 2),
            TemplateStop::End => {}
        }
    }

    fn template_end(&self, from: usize) -> (usize, TemplateStop) {
        let mut at = from;
        while let Some(offset) = memchr::memchr3(b'`', b'\\', b'$', self.rest(at)) {
            at += offset;
            match (self.bytes[at], self.bytes.get(at + 1)) {
                (b'`', _) => return (at, TemplateStop::Backquote),
                (b'$', Some(b'{')) => return (at, TemplateStop::Substitution),
                (b'\\', _) => at += 2,
                _ => at += 1,
            }
        }
        (self.bytes.len(), TemplateStop::End)
    }

    fn rest(&self, at: usize) -> &[u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Reads a string. A quote without a closing one in its line is not a string, but text of another language.
    fn string(&mut self, quote: u8) {
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at) {
                // A backslash before a line end continues the string, and `\r\n` is one line end.
                Some(b'\\') if self.rest(at + 1).starts_with(b"\r\n") => at += 3,
                Some(b'\\') => at += 2,
                Some(&byte) if byte == quote => return self.push(TokenKind::Text, at + 1),
                None | Some(b'\n' | b'\r') => {
                    return self.push(TokenKind::Sign(quote), at.min(self.bytes.len()));
                }
                Some(_) => at += 1,
            }
        }
    }

    fn slash(&mut self) {
        match self.bytes.get(self.at + 1) {
            Some(b'/') => {
                let line = memchr::memchr2(b'\n', b'\r', self.rest(self.at));
                self.at = line.map_or(self.bytes.len(), |line| self.at + line);
            }
            Some(b'*') => {
                let end = memchr::memmem::find(self.rest(self.at + 2), b"*/");
                self.at = end.map_or(self.bytes.len(), |end| self.at + 2 + end + 2);
            }
            _ => match self.regex_end() {
                Some(end) => self.push(TokenKind::Regex, end),
                None => self.push(TokenKind::Sign(b'/'), self.at + 1),
            },
        }
    }

    /// Returns the byte after the regular expression that begins here, if one does.
    fn regex_end(&mut self) -> Option<usize> {
        if !self.value_may_begin() || self.at < self.no_regex_before {
            return None;
        }
        let (mut at, mut in_class) = (self.at + 1, false);
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n' | b'\r') => {
                    self.no_regex_before = at;
                    return None;
                }
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                // Within brackets, a slash does not end the expression.
                Some(b'/') if !in_class => return Some(at + 1),
                Some(_) => {}
            }
            at += 1;
        }
    }

    /// Returns whether a value may begin after the last token; else a slash is a division.
    fn value_may_begin(&self) -> bool {
        let Some(previous) = self.tokens.last() else { return true };
        match previous.kind {
            TokenKind::Open(_) | TokenKind::Sign(_) => true,
            TokenKind::Word => {
                let word = &self.text[previous.start as usize..previous.end as usize];
                WORDS_BEFORE_REGEX.contains(&word)
            }
            // After the `)` of an `if` or the `}` of a block, a slash may begin a regular expression; only a parser could know that.
            TokenKind::Text | TokenKind::Number | TokenKind::Regex | TokenKind::Close => false,
        }
    }

    fn number(&mut self) {
        let rest = self.rest(self.at);
        let is_hex = rest.len() > 1 && rest[0] == b'0' && rest[1].is_ascii_alphabetic();
        let mut end = self.at;
        while let Some(&byte) = self.bytes.get(end) {
            // `1e+5` is one number, `0xe+5` and `1+5` are sums.
            let signs_exponent = matches!(byte, b'+' | b'-')
                && !is_hex
                && end > self.at
                && matches!(self.bytes[end - 1], b'e' | b'E');
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || signs_exponent) {
                break;
            }
            end += 1;
        }
        self.push(TokenKind::Number, end);
    }

    fn word(&mut self) {
        let len = self
            .rest(self.at)
            .iter()
            .take_while(|byte| is_word_byte(**byte) || byte.is_ascii_digit());
        self.push(TokenKind::Word, self.at + len.count());
    }
}

/// End of a piece of a template.
enum TemplateStop {
    Backquote,
    Substitution,
    End,
}

/// Returns whether a byte is part of a word. Bytes beyond ASCII are: they begin no other token.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

fn place_of(opener: u8) -> usize {
    OPENERS.iter().position(|o| *o == opener).unwrap_or_default()
}

fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        let show = |token: &CodeToken| {
            let source = &text[token.start as usize..token.end as usize];
            match token.kind {
                TokenKind::Word => source.to_owned(),
                TokenKind::Text => format!("text:{source}"),
                TokenKind::Number => format!("number:{source}"),
                TokenKind::Regex => format!("regex:{source}"),
                TokenKind::Open(_) if token.pair == NO_PAIR => format!("alone:{source}"),
                TokenKind::Open(_) | TokenKind::Close | TokenKind::Sign(_) => source.to_owned(),
            }
        };
        let texts: Vec<String> = tokens(text).iter().map(show).collect();
        texts.join(" ")
    }

    #[test]
    fn comments_are_left_out_and_texts_keep_what_looks_like_code() {
        insta::assert_snapshot!(shown("a /* ( */ + 'it\\'s (' // `\n\"//\" `x\n`"), @r#"
        a + text:'it\'s (' text:"//" text:`x
        `
        "#);
    }

    #[test]
    fn a_slash_divides_or_begins_a_regular_expression() {
        insta::assert_snapshot!(shown("a / b / c; x = /[/'\"]\\//g; return /'/ (1) / 2"), @r#"a / b / c ; x = regex:/[/'"]\// g ; return regex:/'/ ( number:1 ) / number:2"#);
    }

    #[test]
    fn templates_hold_code_that_holds_templates() {
        insta::assert_snapshot!(shown("`a${f(`b${{c: '}'}}`)}d` e"), @"`a ${ f ( `b ${ { c : text:'}' } } ` ) } ` e");
    }

    #[test]
    fn what_is_not_closed_harms_its_line_only() {
        insta::assert_snapshot!(shown("<p>don't</p>\nf(')'"), @"< p > don 't</p> f alone:( text:')'");
        insta::assert_snapshot!(shown("{ ( } ) ]"), @"{ alone:( } ) ]");
        insta::assert_snapshot!(shown("/[ /[ /[\nx"), @"/ alone:[ / alone:[ / alone:[ x");
    }

    #[test]
    fn numbers_keep_what_belongs_to_them() {
        insta::assert_snapshot!(shown("1e-3 .5 0x1F 1_000n 0xe+1"), @"number:1e-3 number:.5 number:0x1F number:1_000n number:0xe + number:1");
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn any_text_gives_tokens_in_order(text in "([\\(\\)\\[\\]{}`$'\"/\\\\\n*aé1. ]|\\PC){0,60}") {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(end <= token.start && token.start < token.end);
                prop_assert!(text.get(token.start as usize..token.end as usize).is_some(), "{:?}", token);
                end = token.end;
            }
        }
    }
}
