//! Leaves the inside of long scalars out of what the scanner gets, which looks at each character several times.
//!
//! A line that ends with a quoted text, or with the header of a literal block, probably is what it looks like. Its inside is left
//! out, and the scanner confirms it: it must report one scalar of this style at this place. Up to there it has seen the same
//! characters, so it would have read the whole scalar as well. If it reports anything else, or an error, the text is read again as
//! it is. The values are put together here, by the rules of YAML 1.2 for line ends and escapes.
//!
//! In the same way texts in quotes are read whose further lines are indented less than the scanner requires: libyaml, PyYAML and Psych
//! look at no indentation in quotes, and files that were reformatted have such texts.

use std::borrow::Cow;

use saphyr_parser::ScalarStyle;

use super::byte_places::after_space;
use super::line_breaks::unquoted;

/// Shorter insides are scanned.
pub(super) const MIN_LONG_SCALAR_BYTES: usize = 128;

/// A text without the inside of its long scalars.
pub(super) struct ShortenedText<'a> {
    whole: &'a str,
    /// Text for the scanner.
    pub(super) text: Cow<'a, str>,
    scalars: Vec<LongScalar>,
    /// Number of those that the scanner confirmed.
    confirmed: usize,
    /// Whether an error of the scanner may be due to what was left out.
    pub(super) is_guess: bool,
}

/// A scalar whose inside is left out.
#[derive(Clone, Copy)]
struct LongScalar {
    /// The bytes that are left out.
    start: usize,
    end: usize,
    form: LongScalarForm,
    /// Number of bytes that are left out up to its end.
    omitted: usize,
}

#[derive(Clone, Copy)]
enum LongScalarForm {
    /// All between the quotes is left out.
    Quoted {
        /// Whether that is its value: one line without escapes.
        is_verbatim: bool,
    },
    /// A literal block, of which the first line and the last are scanned.
    Block {
        /// Byte of its `|`.
        header: usize,
        /// Byte at which its first line begins.
        first: usize,
        /// The spaces before each line.
        indent: usize,
    },
}

impl<'a> ShortenedText<'a> {
    /// Returns a text as it is.
    pub(super) fn unchanged(full_text: &'a str) -> Self {
        Self {
            whole: full_text,
            text: Cow::Borrowed(full_text),
            scalars: Vec::new(),
            confirmed: 0,
            is_guess: false,
        }
    }

    /// Leaves out the inside of scalars with at least this many bytes. `None` if there is none.
    pub(super) fn new(full_text: &'a str, min_bytes: usize) -> Option<Self> {
        // Below, only `\n` ends a line.
        if memchr::memchr(b'\r', full_text.as_bytes()).is_some() {
            return None;
        }
        Self::without(full_text, long_scalars(full_text, min_bytes), true)
    }

    /// Leaves out the inside of the texts in quotes that begin at these bytes, in the order of the text, whatever their indentation.
    /// `None` if one of them has no end, or is followed by what cannot follow it.
    pub(super) fn without_quoted(full_text: &'a str, starts: &[usize]) -> Option<Self> {
        let scalars = starts.iter().map(|&start| {
            let (end, _) = closing_quote(full_text.as_bytes(), start, None).ok()?;
            let rest = full_text.get(end + 1..)?;
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let next_at = end + 1 + blanks;
            let is_end = match full_text.as_bytes().get(next_at) {
                None | Some(b'\n' | b'\r' | b',' | b']' | b'}') => true,
                // A comment has white space before it.
                Some(b'#') => next_at > end + 1,
                Some(_) => false,
            };
            is_end.then(|| LongScalar::quoted(start, end, false))
        });
        Self::without(full_text, scalars.collect::<Option<_>>()?, false)
    }

    /// Leaves out the inside of what look like texts in quotes of several lines from a byte on, whatever their indentation.
    pub(super) fn without_quoted_lines(text: &'a str, from: usize) -> Option<Self> {
        let from = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let is_long = |scalar: &LongScalar| text[scalar.start..scalar.end].contains('\n');
        Self::without(text, find_scalars(text, from, false).filter(is_long).collect(), true)
    }

    /// Leaves out the inside of these scalars, which are in the order of the text.
    fn without(full_text: &'a str, mut scalars: Vec<LongScalar>, is_guess: bool) -> Option<Self> {
        let mut omitted_len = 0;
        for scalar in &mut scalars {
            omitted_len += scalar.len();
            scalar.omitted = omitted_len;
        }
        scalars.last()?;
        let mut text = String::with_capacity(full_text.len() - omitted_len);
        let mut at = 0;
        for scalar in &scalars {
            text.push_str(&full_text[at..scalar.start]);
            at = scalar.end;
        }
        text.push_str(&full_text[at..]);
        Some(Self { whole: full_text, text: Cow::Owned(text), scalars, confirmed: 0, is_guess })
    }

    /// Notes that the scanner found an error.
    pub(super) fn reject(&mut self) {
        // Never the number of scalars, so nothing can be confirmed any more.
        self.confirmed = usize::MAX;
    }

    /// Returns whether the scanner confirmed all that was left out.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmed == self.scalars.len()
    }

    /// Returns the byte of the whole text that is at a byte of the shortened one.
    pub(super) fn place(&self, at: usize) -> usize {
        let is_before = |scalar: &LongScalar| scalar.end <= at + scalar.omitted;
        let count = self.scalars.partition_point(is_before);
        let last = count.checked_sub(1).and_then(|last| self.scalars.get(last));
        at + last.map_or(0, |scalar| scalar.omitted)
    }

    /// Returns whether something was left out between two bytes of the whole text, and was not yet confirmed.
    pub(super) fn omits(&self, start: usize, end: usize) -> bool {
        let next = self.scalars.get(self.confirmed);
        next.is_some_and(|next| start <= next.start && next.end <= end)
    }

    /// Confirms the next scalar, if the scanner reported it: with this style, from byte `start` on, with `value` without what was
    /// left out. Returns its whole value, and if it is in quotes where it ends; `None` if it is not this scalar.
    pub(super) fn confirm(
        &mut self,
        style: ScalarStyle,
        start: usize,
        value: &str,
    ) -> Option<(Cow<'a, str>, Option<usize>)> {
        let scalar = *self.scalars.get(self.confirmed)?;
        let content = &self.whole[scalar.start..scalar.end];
        let full_scalar = match (scalar.form, style) {
            (
                LongScalarForm::Quoted { is_verbatim },
                ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted,
            ) => {
                let quote = if style == ScalarStyle::SingleQuoted { b'\'' } else { b'"' };
                // All between the quotes was left out, so the scanner must have found an empty text.
                let is_left_out = start + 1 == scalar.start
                    && self.whole.as_bytes().get(start) == Some(&quote)
                    && value.is_empty();
                let text = if is_verbatim {
                    Cow::Borrowed(content)
                } else {
                    Cow::Owned(unquoted(content, Some(quote))?)
                };
                (Some(text).filter(|_| is_left_out)?, Some(scalar.end + 1))
            }
            (LongScalarForm::Block { header, first, indent }, ScalarStyle::Literal)
                if header == start =>
            {
                let first = &self.whole[first + indent..scalar.start];
                let rest = value.strip_prefix(first)?;
                let mut full_text = String::with_capacity(value.len() + content.len());
                full_text.push_str(first);
                full_text.extend(content.split_inclusive('\n').map(|line| &line[indent..]));
                full_text.push_str(rest);
                (Cow::Owned(full_text), None)
            }
            _ => return None,
        };
        self.confirmed += 1;
        Some(full_scalar)
    }
}

impl LongScalar {
    /// The text between the quotes at these bytes.
    fn quoted(start: usize, end: usize, is_verbatim: bool) -> Self {
        Self { start: start + 1, end, form: LongScalarForm::Quoted { is_verbatim }, omitted: 0 }
    }

    fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Finds what look like long scalars, in the order of the text.
fn long_scalars(text: &str, min_bytes: usize) -> Vec<LongScalar> {
    find_scalars(text, 0, true).filter(|scalar| scalar.len() >= min_bytes).collect()
}

/// Finds what look like scalars from the line at byte `at` on. With `is_strict`, texts in quotes are indented as YAML 1.2 requires, else
/// those are left out which are no texts in quotes.
fn find_scalars(text: &str, mut at: usize, is_strict: bool) -> impl Iterator<Item = LongScalar> {
    let bytes = text.as_bytes();
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let (indent, value) = value_start(bytes, at);
            let (scalar, next) = match bytes.get(at + value) {
                Some(b'\'' | b'"') => quoted(text, at + value, is_strict.then_some(indent)),
                Some(b'|') => {
                    let (block, next) = block(bytes, at + value);
                    (block.filter(|_| is_strict), next)
                }
                _ => (None, line_end(bytes, at + value)),
            };
            at = next;
            if scalar.is_some() {
                return scalar;
            }
        }
        None
    })
}

/// Returns how far further lines of the value on the line at `start` are indented at least, and where on the line it begins. Only
/// dashes, a plain key, an anchor and a tag may be before it.
fn value_start(bytes: &[u8], start: usize) -> (usize, usize) {
    let line = &bytes[start..];
    let spaces = |from: usize| {
        from + line.get(from..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
    };
    let mut column = spaces(0);
    while line.get(column..).is_some_and(|rest| rest.starts_with(b"- ")) {
        column = spaces(column + 2);
    }
    let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let key = line[column..].iter().take_while(is_key).count();
    let (indent, mut value) = if key > 0 && line[column + key..].starts_with(b": ") {
        (column + 1, spaces(column + key + 2))
    } else {
        let has_dash = line[spaces(0)..column].contains(&b'-');
        (column + usize::from(!has_dash), column)
    };
    while let Some(b'&' | b'!') = line.get(value) {
        let name = line[value..].iter();
        value = spaces(value + name.take_while(|byte| !b" \n".contains(byte)).count());
    }
    (indent, value)
}

/// Returns the start of the line after byte `at`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(bytes.len(), |len| at + len + 1)
}

/// Returns the text in quotes that starts at `start`, if it is the last of its line and no key; and the line to go on with. Further
/// lines of it have at least `indent` spaces before them.
fn quoted(text: &str, start: usize, indent: Option<usize>) -> (Option<LongScalar>, usize) {
    let bytes = text.as_bytes();
    let (end, is_verbatim) = match closing_quote(bytes, start, indent) {
        Ok(quote_end) => quote_end,
        Err(next) => return (None, next),
    };
    let next = line_end(bytes, end);
    let is_last = bytes[end + 1..next].iter().all(|byte| b" \r\n".contains(byte));
    let is_key = || bytes.get(after_space(text, next, bytes.len())) == Some(&b':');
    let scalar = LongScalar::quoted(start, end, is_verbatim);
    (Some(scalar).filter(|_| is_last && !is_key()), next)
}

/// Returns the quote that closes the text whose quote is at `from`, and whether that text is one line without escapes; otherwise
/// the line to go on with. Further lines have at least `depth` spaces before them; without it only the mark of a document ends it.
fn closing_quote(bytes: &[u8], from: usize, depth: Option<usize>) -> Result<(usize, bool), usize> {
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
            b'\n' => {
                let line = &bytes[at + 1..];
                let spaces = line.iter().take_while(|byte| **byte == b' ').count();
                let is_further = match depth {
                    Some(depth) => spaces >= depth && line.get(spaces) != Some(&b'\t'),
                    None => !is_document_mark(line),
                };
                if !is_further && line.get(spaces) != Some(&b'\n') {
                    return Err(at + 1);
                }
                at += 1 + spaces;
            }
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
        match closing_quote(text.as_bytes(), start, None) {
            Ok((end, _)) if end < at => from = end + 1,
            found => return found.ok().map(|_| start),
        }
    }
}

/// Returns whether a line is `---` or `...`, or begins with it and white space.
fn is_document_mark(line: &[u8]) -> bool {
    let mark = line.strip_prefix(b"---").or(line.strip_prefix(b"..."));
    mark.is_some_and(|rest| matches!(rest.first(), None | Some(b' ' | b'\t' | b'\r' | b'\n')))
}

/// Returns the literal block whose header is at `header`, and the line to go on with.
fn block(bytes: &[u8], header: usize) -> (Option<LongScalar>, usize) {
    let first = line_end(bytes, header);
    // Headers with other indicators fold lines or change the indentation, which is left to the scanner.
    if !matches!(&bytes[header..first], b"|\n" | b"|-\n" | b"|+\n") {
        return (None, first);
    }
    let indent = bytes[first..].iter().take_while(|byte| **byte == b' ').count();
    let is_line = |at: usize| {
        let line = &bytes[at..];
        let spaces = &line[..indent.min(line.len())];
        spaces.iter().all(|byte| *byte == b' ')
            && line.get(indent).is_some_and(|byte| !b" \t\n".contains(byte))
    };
    let (mut last, mut next) = (first, first);
    let mut second_line = first;
    while indent > 0 && next < bytes.len() && is_line(next) {
        last = next;
        next = line_end(bytes, next);
        if second_line == first {
            second_line = next;
        }
    }
    let scalar = LongScalar {
        start: second_line,
        // A block of one line has nothing to leave out.
        end: last.max(second_line),
        form: LongScalarForm::Block { header, first, indent },
        omitted: 0,
    };
    (Some(scalar), next)
}
