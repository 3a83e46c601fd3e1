//! The text of a file, byte for byte, with its lines.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::{Place, Span};

/// The text of a file as it is on disk, byte order mark and line ends included.
///
/// Cloning is cheap. If the bytes are not UTF-8 the text is only a lossy view of them (see [`Source::fault`]) and must
/// never be written back.
#[derive(Clone, Debug)]
pub struct Source {
    inner: Arc<SourceData>,
}

#[derive(Debug)]
struct SourceData {
    text: String,
    fault: Option<EncodingFault>,
    lines: OnceLock<Vec<u32>>,
}

/// Reason bytes are not the UTF-8 text they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingFault {
    /// The byte at `offset` is not part of valid UTF-8.
    NotUtf8 {
        /// Counted from the start of the file, in bytes.
        offset: usize,
        /// The first byte that does not fit.
        byte: u8,
    },
    /// UTF-16, by its byte order mark or by its zero bytes.
    Utf16 {
        /// True for the little-endian kind, which Windows writes.
        little_endian: bool,
    },
}

/// Kind of line ends in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// No line end at all.
    None,
    /// `\n` only.
    Lf,
    /// `\r\n` only.
    CrLf,
    /// More than one kind, or lone `\r`.
    Mixed,
}

const BOM: char = '\u{feff}';

impl Source {
    /// Takes text that is known to be UTF-8.
    pub fn new(text: impl Into<String>) -> Self {
        Self::with_fault(text.into(), None)
    }

    /// Takes a file's bytes. Bytes that are not UTF-8 are decoded lossily for display, and the fault is stored.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        if let Some(little_endian) = utf16_order(&bytes) {
            // An odd last byte is dropped: this text is only shown.
            let units = bytes.chunks_exact(2).map(|pair| {
                if little_endian {
                    u16::from_le_bytes([pair[0], pair[1]])
                } else {
                    u16::from_be_bytes([pair[0], pair[1]])
                }
            });
            let text = char::decode_utf16(units)
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            return Self::with_fault(text, Some(EncodingFault::Utf16 { little_endian }));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::with_fault(text, None),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                // `valid_up_to` is always before the end here, so the byte exists.
                let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Self::with_fault(text, Some(EncodingFault::NotUtf8 { offset, byte }))
            }
        }
    }

    fn with_fault(text: String, fault: Option<EncodingFault>) -> Self {
        Self { inner: Arc::new(SourceData { text, fault, lines: OnceLock::new() }) }
    }

    /// The whole text, with its byte order mark if it has one.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The text of a span; empty when the span is not one of this text.
    pub fn slice(&self, span: Span) -> &str {
        self.inner.text.get(span.range()).unwrap_or_default()
    }

    /// Returns the reason the bytes were not UTF-8, if they were not.
    pub fn fault(&self) -> Option<EncodingFault> {
        self.inner.fault
    }

    /// True when the text begins with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.inner.text.starts_with(BOM)
    }

    /// Number of bytes before the first character that counts: 3 with a byte order mark, else 0.
    pub fn content_start(&self) -> usize {
        if self.has_bom() { BOM.len_utf8() } else { 0 }
    }

    /// Number of lines; a text that ends with a line end has one more, empty, as editors show it.
    pub fn line_count(&self) -> usize {
        self.lines().len()
    }

    /// The bytes of line `index` (from 0) without its line end.
    pub fn line_span(&self, index: usize) -> Span {
        let Some(&start) = self.lines().get(index) else {
            return Span::empty(self.inner.text.len());
        };
        // The byte order mark is not part of the first line.
        let start = if index == 0 { self.content_start() } else { start as usize };
        let end = self.lines().get(index + 1).map_or(self.inner.text.len(), |&next| next as usize);
        let line = &self.inner.text[start..end.max(start)];
        Span::new(start, start + line.trim_end_matches(['\n', '\r']).len())
    }

    /// The text of line `index` (from 0) without its line end; empty past the end.
    pub fn line(&self, index: usize) -> &str {
        self.slice(self.line_span(index))
    }

    /// The index (from 0) of the line that holds byte `at`.
    pub fn line_at(&self, at: usize) -> usize {
        self.lines().partition_point(|&start| start as usize <= at).saturating_sub(1)
    }

    /// The line and column of byte `at`, as an editor shows them.
    pub fn place(&self, at: usize) -> Place {
        /// In as many bytes, line ends are counted in less time than a list of lines is made.
        const MAX_COUNTED_BYTES: usize = 1 << 14;
        let at = at.min(self.inner.text.len());
        let (index, start) = if at <= MAX_COUNTED_BYTES && self.inner.lines.get().is_none() {
            let (line_ends, last) = self.line_ends_in(0..at);
            (line_ends, last.unwrap_or(self.content_start()))
        } else {
            let index = self.line_at(at);
            (index, self.line_span(index).start as usize)
        };
        let columns = self.inner.text.get(start..at.max(start)).map_or(0, |t| t.chars().count());
        Place { line: to_u32(index + 1), column: to_u32(columns + 1) }
    }

    /// Returns how many lines end in a range of bytes, and where the last of the following lines starts.
    pub(super) fn line_ends_in(&self, range: Range<usize>) -> (usize, Option<usize>) {
        let bytes = self.inner.text.as_bytes();
        let part = &bytes[range.clone()];
        // Most files have no `\r`; without one, each line end is one byte and needs no look at the next.
        if memchr::memchr(b'\r', part).is_none() {
            let last = memchr::memrchr(b'\n', part).map(|at| range.start + at + 1);
            return (memchr::memchr_iter(b'\n', part).count(), last);
        }
        let ends = memchr::memchr2_iter(b'\n', b'\r', part)
            .map(|at| range.start + at)
            .filter(|&at| is_line_end(bytes, at));
        ends.fold((0, None), |(count, _), at| (count + 1, Some(at + 1)))
    }

    /// The text from a line and column to the end of that line; empty at the end of the line or of the text where the place is
    /// behind it.
    pub fn rest_of_line(&self, place: Place) -> Span {
        let line = self.line_span((place.line as usize).saturating_sub(1));
        let columns = (place.column as usize).saturating_sub(1);
        let bytes_before: usize = self.slice(line).chars().take(columns).map(char::len_utf8).sum();
        Span::new(line.start as usize + bytes_before, line.end as usize)
    }

    /// Returns the kind of line ends.
    pub fn line_ends(&self) -> LineEnds {
        let bytes = self.inner.text.as_bytes();
        let lf = memchr::memchr_iter(b'\n', bytes).count();
        let cr = memchr::memchr_iter(b'\r', bytes).count();
        let crlf = memchr::memmem::find_iter(bytes, b"\r\n").count();
        match (lf, cr, crlf) {
            (0, 0, _) => LineEnds::None,
            (_, 0, _) => LineEnds::Lf,
            _ if lf == crlf && cr == crlf => LineEnds::CrLf,
            _ => LineEnds::Mixed,
        }
    }

    /// Returns where each line starts. Computed on first use: most files do not need it.
    fn lines(&self) -> &[u32] {
        self.inner.lines.get_or_init(|| {
            let bytes = self.inner.text.as_bytes();
            let mut starts = vec![0];
            let ends =
                memchr::memchr2_iter(b'\n', b'\r', bytes).filter(|&at| is_line_end(bytes, at));
            starts.extend(ends.map(|at| to_u32(at + 1)));
            starts
        })
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text() && self.fault() == other.fault()
    }
}

/// Returns whether a line ends with the `\n` or `\r` at `at`: the `\r` of `\r\n` does not end it.
fn is_line_end(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n')
}

/// Recognises UTF-16 by its byte order mark, or by a zero beside each of the first ASCII characters.
fn utf16_order(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xff, 0xfe, ..] => Some(true),
        [0xfe, 0xff, ..] => Some(false),
        // Without a mark, the zeros show it: all formats that are read begin with two ASCII characters.
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(true),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(false),
        _ => None,
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_every_kind_of_line_end() {
        let source = Source::new("\u{feff}é{\r\nzwei\rdrei\n");
        let places: Vec<String> = ["{", "zwei", "drei"]
            .map(|word| source.place(source.text().find(word).unwrap()).to_string())
            .into();
        assert_eq!(places, ["1:2", "2:1", "3:1"]);
        assert_eq!(source.place(source.text().len()).to_string(), "4:1");
        let rest = |line, column| source.slice(source.rest_of_line(Place { line, column }));
        assert_eq!([rest(1, 1), rest(1, 2), rest(2, 3)], ["é{", "{", "ei"]);
        assert_eq!([rest(2, 9), rest(9, 9), rest(0, 0)], ["", "", "é{"]);
        assert_eq!((source.line(0), source.line(1), source.line_count()), ("é{", "zwei", 4));
        assert_eq!(source.line_ends(), LineEnds::Mixed);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_reported_with_their_place() {
        let source = Source::from_bytes(b"ab\xffcd".to_vec());
        assert_eq!(source.fault(), Some(EncodingFault::NotUtf8 { offset: 2, byte: 0xff }));
        assert_eq!(source.text(), "ab\u{fffd}cd");

        let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            Source::from_bytes(utf16).fault(),
            Some(EncodingFault::Utf16 { little_endian: true })
        );
    }
}
