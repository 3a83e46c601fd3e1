//! A filter taken apart at its spaces, quotes kept together.

use super::pattern::TermPiece;
use crate::text::Span;

/// A term as written, not yet understood.
#[derive(Clone, Debug)]
pub(super) struct FilterToken {
    pub(super) span: Span,
    pub(super) negated: bool,
    /// Without its colon.
    pub(super) key: Option<String>,
    pub(super) pieces: Vec<TermPiece>,
    /// False when a quote is opened and reaches to the end of the filter.
    pub(super) closed: bool,
}

impl FilterToken {
    /// Returns the value without quotes, with its stars.
    pub(super) fn value(&self) -> String {
        let piece = |piece: &TermPiece| match piece {
            TermPiece::Text(text) => text.clone(),
            TermPiece::Any => "*".to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }
}

/// Returns a value as a term needs it: in quotes where it would mean something else without.
pub(super) fn filter_value(value: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '*');
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else {
        in_quotes(value)
    }
}

pub(super) fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Takes a filter's text apart at its spaces.
pub(super) fn tokens(text: &str) -> Vec<FilterToken> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(skip) = text[at..].find(|c: char| !c.is_whitespace()) {
        let token = token(text, at + skip);
        at = token.span.range().end;
        tokens.push(token);
    }
    tokens
}

/// Reads the token that begins at `start`, where no space is.
fn token(text: &str, start: usize) -> FilterToken {
    let rest = &text[start..];
    let (negated, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let letters = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let (key, rest) = match rest[letters..].strip_prefix(':') {
        Some(value) if letters > 0 => (Some(rest[..letters].to_owned()), value),
        _ => (None, rest),
    };
    let TokenValue {
        pieces,
        length,
        closed,
    } = value(rest);
    let end = text.len() - rest.len() + length;
    FilterToken {
        span: Span::new(start, end),
        negated,
        key,
        pieces,
        closed,
    }
}

struct TokenValue {
    pieces: Vec<TermPiece>,
    /// In bytes.
    length: usize,
    closed: bool,
}

/// Reads a value up to the next space outside quotes. Open quotes reach to the end.
fn value(text: &str) -> TokenValue {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut in_quotes = false;
    let mut chars = text.char_indices();
    let mut length = text.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => in_quotes = !in_quotes,
            '\\' if in_quotes => plain.push(chars.next().map_or('\\', |(_, escaped)| escaped)),
            '*' if !in_quotes => {
                pieces.push(TermPiece::Text(std::mem::take(&mut plain)));
                pieces.push(TermPiece::Any);
            }
            c if c.is_whitespace() && !in_quotes => {
                length = at;
                break;
            }
            c => plain.push(c),
        }
    }
    pieces.push(TermPiece::Text(plain));
    TokenValue {
        pieces,
        length,
        closed: !in_quotes,
    }
}
