//! Leaves the inside of texts in quotes out of what the scanner gets, whose further lines are indented less than it requires: libyaml,
//! PyYAML and Psych look at no indentation in quotes, and files that were reformatted have such texts.
//!
//! What looks like such a text is left out, and the scanner confirms it: it must report an empty text in quotes at this place. If it
//! reports anything else, or an error, the text is no such text. The values are put together here, by the rules of YAML 1.2 for line
//! ends and escapes.

use std::borrow::Cow;

use saphyr_parser::ScalarStyle;

use super::byte_places::after_space;
use super::line_breaks::unquoted;

/// A text without the inside of some texts in quotes.
pub(super) struct ShortenedText<'a> {
    whole: &'a str,
    /// Text for the scanner.
    pub(super) text: Cow<'a, str>,
    omitted: Vec<QuotedInside>,
    /// Number of those that the scanner confirmed.
    confirmed: usize,
    /// Whether an error of the scanner may be due to what was left out.
    pub(super) is_guess: bool,
}

/// The inside of a text in quotes that is left out.
#[derive(Clone, Copy)]
struct QuotedInside {
    start: usize,
    end: usize,
    /// Number of bytes that are left out up to its end.
    omitted: usize,
}

impl<'a> ShortenedText<'a> {
    /// Returns a text as it is.
    pub(super) fn unchanged(full_text: &'a str) -> Self {
        Self {
            whole: full_text,
            text: Cow::Borrowed(full_text),
            omitted: Vec::new(),
            confirmed: 0,
            is_guess: false,
        }
    }

    /// Leaves out the inside of the texts in quotes that begin at these bytes, in the order of the text, whatever their indentation.
    /// `None` if one of them has no end, or is followed by what cannot follow it.
    pub(super) fn without_quoted(full_text: &'a str, starts: &[usize]) -> Option<Self> {
        let insides = starts.iter().map(|&start| {
            let (end, _) = closing_quote(full_text.as_bytes(), start).ok()?;
            let rest = full_text.get(end + 1..)?;
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let next_at = end + 1 + blanks;
            let is_end = match full_text.as_bytes().get(next_at) {
                None | Some(b'\n' | b'\r' | b',' | b']' | b'}') => true,
                // A comment has white space before it.
                Some(b'#') => next_at > end + 1,
                Some(_) => false,
            };
            is_end.then(|| QuotedInside::new(start, end))
        });
        Self::without(full_text, insides.collect::<Option<_>>()?, false)
    }

    /// Leaves out the inside of what look like texts in quotes of several lines from a byte on, whatever their indentation.
    pub(super) fn without_quoted_lines(text: &'a str, from: usize) -> Option<Self> {
        let from = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let is_long = |inside: &QuotedInside| text[inside.start..inside.end].contains('\n');
        Self::without(text, find_quoted(text, from).filter(is_long).collect(), true)
    }

    /// Leaves out these insides, which are in the order of the text.
    fn without(full_text: &'a str, mut insides: Vec<QuotedInside>, is_guess: bool) -> Option<Self> {
        let mut omitted_len = 0;
        for inside in &mut insides {
            omitted_len += inside.end - inside.start;
            inside.omitted = omitted_len;
        }
        insides.last()?;
        let mut text = String::with_capacity(full_text.len() - omitted_len);
        let mut at = 0;
        for inside in &insides {
            text.push_str(&full_text[at..inside.start]);
            at = inside.end;
        }
        text.push_str(&full_text[at..]);
        let text = Cow::Owned(text);
        Some(Self { whole: full_text, text, omitted: insides, confirmed: 0, is_guess })
    }

    /// Notes that the scanner found an error.
    pub(super) fn reject(&mut self) {
        // Never the number of insides, so nothing can be confirmed any more.
        self.confirmed = usize::MAX;
    }

    /// Returns whether the scanner confirmed all that was left out.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmed == self.omitted.len()
    }

    /// Returns the byte of the whole text that is at a byte of the shortened one.
    pub(super) fn place(&self, at: usize) -> usize {
        let is_before = |inside: &QuotedInside| inside.end <= at + inside.omitted;
        let count = self.omitted.partition_point(is_before);
        let last = count.checked_sub(1).and_then(|last| self.omitted.get(last));
        at + last.map_or(0, |inside| inside.omitted)
    }

    /// Returns whether something was left out between two bytes of the whole text, and was not yet confirmed.
    pub(super) fn omits(&self, start: usize, end: usize) -> bool {
        let next = self.omitted.get(self.confirmed);
        next.is_some_and(|next| start <= next.start && next.end <= end)
    }

    /// Confirms the next inside, if the scanner reported it: with this style, from byte `start` on, with `value` without what was left
    /// out. Returns its whole value and where its text in quotes ends; `None` if it is not this one.
    pub(super) fn confirm(
        &mut self,
        style: ScalarStyle,
        start: usize,
        value: &str,
    ) -> Option<(String, usize)> {
        let inside = *self.omitted.get(self.confirmed)?;
        let quote = match style {
            ScalarStyle::SingleQuoted => b'\'',
            ScalarStyle::DoubleQuoted => b'"',
            _ => return None,
        };
        // All between the quotes was left out, so the scanner must have found an empty text.
        let is_left_out = start + 1 == inside.start
            && self.whole.as_bytes().get(start) == Some(&quote)
            && value.is_empty();
        let text = unquoted(&self.whole[inside.start..inside.end], Some(quote))?;
        self.confirmed += usize::from(is_left_out);
        is_left_out.then_some((text, inside.end + 1))
    }
}

impl QuotedInside {
    /// What is between the quotes at these bytes.
    fn new(start: usize, end: usize) -> Self {
        Self { start: start + 1, end, omitted: 0 }
    }
}

/// Finds what look like texts in quotes, in the order of the text, from the line at byte `at` on.
fn find_quoted(text: &str, mut at: usize) -> impl Iterator<Item = QuotedInside> {
    let bytes = text.as_bytes();
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let value = at + value_start(bytes, at);
            let (inside, next) = match bytes.get(value) {
                Some(b'\'' | b'"') => quoted(text, value),
                _ => (None, line_end(bytes, value)),
            };
            at = next;
            if inside.is_some() {
                return inside;
            }
        }
        None
    })
}

/// Returns where the value on the line at `start` begins. Only dashes, a plain key, an anchor and a tag may be before it.
fn value_start(bytes: &[u8], start: usize) -> usize {
    let line = &bytes[start..];
    let spaces = |from: usize| {
        from + line.get(from..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
    };
    let mut value = spaces(0);
    while line.get(value..).is_some_and(|rest| rest.starts_with(b"- ")) {
        value = spaces(value + 2);
    }
    let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let key = line[value..].iter().take_while(is_key).count();
    if key > 0 && line[value + key..].starts_with(b": ") {
        value = spaces(value + key + 2);
    }
    while let Some(b'&' | b'!') = line.get(value) {
        let name = line[value..].iter();
        value = spaces(value + name.take_while(|byte| !b" \n".contains(byte)).count());
    }
    value
}

/// Returns the start of the line after byte `at`.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |len| at + len + 1)
}

/// Returns the inside of the text in quotes that starts at `start`, if it is the last of its line and no key; and the line to go on
/// with.
fn quoted(text: &str, start: usize) -> (Option<QuotedInside>, usize) {
    let bytes = text.as_bytes();
    let (end, _) = match closing_quote(bytes, start) {
        Ok(quote_end) => quote_end,
        Err(next) => return (None, next),
    };
    let next = line_end(bytes, end);
    let is_last = bytes[end + 1..next].iter().all(|byte| b" \r\n".contains(byte));
    let is_key = || bytes.get(after_space(text, next, bytes.len())) == Some(&b':');
    (Some(QuotedInside::new(start, end)).filter(|_| is_last && !is_key()), next)
}

/// Returns the quote that closes the text whose quote is at `from`, and whether that text is one line without escapes; otherwise
/// the line to go on with. Only the mark of a document ends it before.
pub(super) fn closing_quote(bytes: &[u8], from: usize) -> Result<(usize, bool), usize> {
    let quote = bytes[from];
    let special = if quote == b'"' { b'\\' } else { quote };
    let mut at = from + 1;
    let mut is_verbatim = true;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(len) = memchr::memchr3(quote, special, b'\n', rest) else {
            return Err(bytes.len());
        };
        at += len;
        match bytes[at] {
            b'\n' if is_document_mark(&bytes[at + 1..]) => return Err(at + 1),
            b'\n' => at += 1,
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 1,
            b'\\' => at += 2,
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            _ => return Ok((at, is_verbatim)),
        }
        is_verbatim = false;
    }
}

/// Returns the quote of the text in quotes that byte `at` is in, if no other text with quotes is between it and byte `from`.
pub(super) fn quote_around(text: &str, mut from: usize, at: usize) -> Option<usize> {
    loop {
        let start = from + text.get(from..at)?.find(['\'', '"'])?;
        match closing_quote(text.as_bytes(), start) {
            Ok((end, _)) if end < at => from = end + 1,
            found => return found.ok().map(|_| start),
        }
    }
}

/// Returns whether a line is `---` or `...`, or begins with it and white space.
pub(super) fn is_document_mark(line: &[u8]) -> bool {
    let mark = line.strip_prefix(b"---").or(line.strip_prefix(b"..."));
    mark.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n')))
}
