//! A filter taken apart at its spaces, quotes kept together.

use super::filter_key::FilterKey;
use super::pattern::TermPiece;
use document::text::Span;

/// A term as written, not yet understood.
#[derive(Clone, Debug, Default)]
pub(super) struct FilterToken {
    pub(super) span: Span,
    pub(super) negated: bool,
    /// Without its colon.
    pub(super) key: Option<String>,
    pub(super) pieces: Vec<TermPiece>,
    /// False when a quote, or a regular expression, is opened and reaches to the end of the filter.
    pub(super) closed: bool,
    /// Whether the value is a regular expression; then it is one piece, without the slashes.
    pub(super) is_regex: bool,
}

impl FilterToken {
    /// Returns the value without quotes, with its stars.
    pub(super) fn value(&self) -> String {
        let piece = |piece: &TermPiece| match piece {
            TermPiece::Text(text) => text.clone(),
            TermPiece::Any => "*".to_owned(),
        };
        let value: String = self.pieces.iter().map(piece).collect();
        if self.is_regex { format!("/{value}/") } else { value }
    }
}

/// Returns a value as a term needs it: in quotes where it would mean something else without.
pub(super) fn filter_value(value: &str) -> String {
    let is_raw = |c: char| !c.is_whitespace() && !matches!(c, '"' | '*');
    if !value.is_empty() && value.chars().all(is_raw) { value.to_owned() } else { in_quotes(value) }
}

pub(super) fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Takes a filter's text apart at its spaces.
pub(super) fn tokens(text: &str) -> Vec<FilterToken> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(skip) = text[position..].find(|c: char| !c.is_whitespace()) {
        let token = token(text, position + skip);
        position = token.span.range().end;
        tokens.push(token);
    }
    tokens
}

/// Reads the token that begins at `start`, where no space is.
fn token(text: &str, start: usize) -> FilterToken {
    let rest = &text[start..];
    let (negated, rest) = rest.strip_prefix('-').map_or((false, rest), |rest| (true, rest));
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (key, rest) = match rest[letters..].strip_prefix(':') {
        Some(value) if letters > 0 => (Some(rest[..letters].to_owned()), value),
        _ => (None, rest),
    };
    let is_body = key.as_deref().and_then(FilterKey::named) == Some(FilterKey::Body);
    // A path may begin with a slash, so only this key has regular expressions.
    let is_regex = is_body && rest.starts_with('/');
    let TokenValue { pieces, length, closed } = if is_regex { regex(rest) } else { value(rest) };
    let end = text.len() - rest.len() + length;
    FilterToken { span: Span::new(start, end), negated, key, pieces, closed, is_regex }
}

struct TokenValue {
    pieces: Vec<TermPiece>,
    /// In bytes.
    length: usize,
    closed: bool,
}

/// Reads a regular expression between slashes: up to the next slash before a space or the end. Without one, it reaches to the end.
fn regex(text: &str) -> TokenValue {
    let mut is_escaped = false;
    let ends = text.char_indices().skip(1).filter(|(index, c)| {
        let next_char = text[index + c.len_utf8()..].chars().next();
        // A slash inside needs no escape: expressions about paths and addresses have many.
        let is_end = *c == '/' && !is_escaped && next_char.is_none_or(char::is_whitespace);
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    let end = ends.map(|(index, _)| index).next();
    TokenValue {
        pieces: vec![TermPiece::Text(text[1..end.unwrap_or(text.len())].to_owned())],
        length: end.map_or(text.len(), |end| end + 1),
        closed: end.is_some(),
    }
}

/// Reads a value up to the next space outside quotes. Open quotes reach to the end.
fn value(text: &str) -> TokenValue {
    let mut pieces = Vec::new();
    let mut buffer = String::new();
    let mut is_quoted = false;
    let mut chars = text.char_indices();
    let mut length = text.len();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => {
                buffer.push('\\');
                if let Some((_, escaped_char)) = chars.next() {
                    // Only these need the backslash, any other keeps it.
                    if matches!(escaped_char, '"' | '\\') {
                        buffer.pop();
                    }
                    buffer.push(escaped_char);
                }
            }
            '*' if !is_quoted => {
                pieces.push(TermPiece::Text(std::mem::take(&mut buffer)));
                pieces.push(TermPiece::Any);
            }
            c if c.is_whitespace() && !is_quoted => {
                length = index;
                break;
            }
            c => buffer.push(c),
        }
    }
    pieces.push(TermPiece::Text(buffer));
    TokenValue { pieces, length, closed: !is_quoted }
}
