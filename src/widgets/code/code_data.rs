//! Data of the source text view, line by line: hidden characters are escaped, and long lines are cut to what fits on a
//! screen.

use std::sync::Arc;

use super::colours::{SyntaxPiece, pieces};
use document::text::{EncodingFault, HiddenKind, LineEnds, Source, Span, counted, visible};
use document::{Document, Problem, Severity, Syntax};

/// Maximum bytes of one line that are shown at once. Links lead to the text before and after.
pub(super) const WINDOW_BYTES: usize = 2_000;

/// The text of one file with its marks. Built when the file or its problems change.
#[derive(Clone, Debug)]
pub struct CodeData {
    /// The text with its values, which decide the colours.
    pub document: Arc<Document>,
    /// The places with problems, in text order.
    pub marks: Vec<ProblemMark>,
    /// Facts about the whole file.
    pub facts: TextFacts,
    /// Places on a tint, such as text that was replaced.
    pub tinted: Vec<Span>,
}

/// A place with a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemMark {
    /// The line of its first byte, from 0.
    pub line: usize,
    /// The bytes that have the problem.
    pub span: Span,
    pub severity: Severity,
    /// The problem as a sentence, with hidden characters escaped.
    pub message: Box<str>,
}

/// Facts about the file, shown below the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFacts {
    /// `JSON` or `YAML 1.1`.
    pub syntax: &'static str,
    /// Such as `UTF-8, LF, no final newline`.
    pub encoding: String,
}

/// One line, or the part of it that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// With hidden characters escaped; tabs stay.
    pub text: String,
    /// The bytes of the source that `text` shows.
    pub span: Span,
    /// Length of the text before the shown part: `1,200 characters before`.
    pub before: Option<String>,
    /// Length of the text after the shown part: `1,200 more characters`.
    pub after: Option<String>,
    /// For each escaped character: the byte after it in the source, and the byte after its escape in `text`.
    shifts: Vec<(usize, usize)>,
}

impl CodeData {
    /// Builds the data from a text and the problems of its file.
    pub fn new(document: &Arc<Document>, problems: &[Problem]) -> Self {
        let source = document.source();
        let mut marks: Vec<ProblemMark> = problems
            .iter()
            .map(|problem| ProblemMark {
                line: source.line_at(problem.span.start as usize),
                span: problem.span,
                severity: problem.severity,
                message: visible(&problem.message).into(),
            })
            .collect();
        // At one place the most severe comes first, because a tooltip lists only the first marks.
        marks.sort_by_key(|mark| (mark.span.start, std::cmp::Reverse(mark.severity)));
        let facts = TextFacts::from_source(source, document.syntax);
        Self { marks, facts, document: document.clone(), tinted: Vec::new() }
    }

    pub fn source(&self) -> &Source {
        self.document.source()
    }

    /// Returns the classified pieces of a line in order, each with its range in the shown text.
    pub fn pieces(&self, line: &CodeLine) -> Vec<(std::ops::Range<usize>, SyntaxPiece)> {
        let pieces = pieces(&self.document, line.span).into_iter();
        pieces.map(|(span, piece)| (line.shown_range(span), piece)).collect()
    }

    /// Returns the marks that begin in line `index` (from 0).
    pub fn marks_in(&self, index: usize) -> &[ProblemMark] {
        // Marks are in the order of the text, so their lines ascend, too.
        let from = self.marks.partition_point(|mark| mark.line < index);
        let to = self.marks.partition_point(|mark| mark.line <= index);
        &self.marks[from..to]
    }

    /// Returns line `index` (from 0) as it is shown. A line longer than a screen is cut to the part that begins at byte
    /// `from` of the text, or at the start of the line.
    pub fn line(&self, index: usize, from: Option<usize>) -> CodeLine {
        let line = self.source().line_span(index).range();
        let text = self.source().text();
        let mut start = line.start;
        if let Some(from) = from
            && line.len() > WINDOW_BYTES
        {
            start = text.floor_char_boundary(from.clamp(line.start, line.end));
        }
        let end = if line.end - start > WINDOW_BYTES {
            text.floor_char_boundary(start + WINDOW_BYTES)
        } else {
            line.end
        };
        let (line_text, shifts) = escape_hidden(&text[start..end], start);
        CodeLine {
            text: line_text,
            span: Span::new(start, end),
            before: (start > line.start).then(|| text_amount(&text[line.start..start]) + " before"),
            after: (end < line.end).then(|| text_amount(&text[end..line.end]) + " more"),
            shifts,
        }
    }

    /// Returns where the shown part of a long line must begin to contain byte `at` with some text before it, or `None`
    /// if the first part contains it.
    pub fn window_for(&self, at: usize) -> Option<usize> {
        let line = self.source().line_span(self.source().line_at(at)).range();
        // 200 bytes before the place are shown with it; near the end of the first part, those after it would be missing.
        (at > line.start + WINDOW_BYTES - 200).then(|| at.saturating_sub(200).max(line.start))
    }
}

impl CodeLine {
    /// Returns the position in `text` of byte `at` of the source, or the end of `text` if the byte is after it.
    pub fn shown_at(&self, at: usize) -> usize {
        let at = at.clamp(self.span.start as usize, self.span.end as usize);
        let shift_count = self.shifts.partition_point(|&(source, _)| source <= at);
        let (source, text_offset) =
            match shift_count.checked_sub(1).and_then(|i| self.shifts.get(i)) {
                Some(&ends) => ends,
                None => (self.span.start as usize, 0),
            };
        (text_offset + at.saturating_sub(source)).min(self.text.len())
    }

    /// Returns the range of `text` that shows `span`, or an empty range.
    pub fn shown_range(&self, span: Span) -> std::ops::Range<usize> {
        let start = self.shown_at(span.start as usize);
        start..self.shown_at(span.end as usize).max(start)
    }
}

impl TextFacts {
    fn from_source(source: &Source, syntax: Syntax) -> Self {
        let mut encoding = String::from(match source.fault() {
            None if source.has_bom() => "UTF-8 with BOM",
            None => "UTF-8",
            Some(EncodingFault::NotUtf8 { .. }) => "not UTF-8",
            Some(EncodingFault::Utf16 { little_endian: true }) => "UTF-16, little-endian",
            Some(EncodingFault::Utf16 { little_endian: false }) => "UTF-16, big-endian",
        });
        encoding.push_str(match source.line_ends() {
            LineEnds::None => ", one line",
            LineEnds::Lf => ", LF",
            LineEnds::CrLf => ", CRLF",
            LineEnds::Mixed => ", mixed line endings",
        });
        if !source.text().is_empty() && !source.text().ends_with(['\n', '\r']) {
            encoding.push_str(", no final newline");
        }
        Self {
            syntax: match syntax {
                Syntax::Json => "JSON",
                Syntax::Yaml => "YAML 1.1",
                Syntax::Toml => "TOML",
                Syntax::Code => "Code, seed calls",
                Syntax::Machine => "Machine",
            },
            encoding,
        }
    }
}

/// Escapes hidden characters except tabs, and returns where this made the text longer.
fn escape_hidden(text: &str, start: usize) -> (String, Vec<(usize, usize)>) {
    let mut output = String::with_capacity(text.len());
    let mut shifts = Vec::new();
    for (at, c) in text.char_indices() {
        if HiddenKind::classify(c).is_none() {
            output.push(c);
            continue;
        }
        output.extend(c.escape_unicode());
        shifts.push((start + at + c.len_utf8(), output.len()));
    }
    (output, shifts)
}

/// Describes the length of a text: in characters, or in bytes if counting them in each frame would take too long.
fn text_amount(text: &str) -> String {
    match text.len() {
        0..=65_536 => counted(text.chars().count(), "character", "characters"),
        bytes @ ..=1_048_575 => format!("{} kB", bytes / 1_000),
        bytes => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::RuleId;

    fn code(text: &str) -> CodeData {
        let document = document::read(Source::new(text), "a.json");
        CodeData::new(&Arc::new(document), &[])
    }

    #[test]
    fn hidden_characters_are_escaped_and_places_still_hit() {
        let text = "\ta\u{202e}b\u{0}é = c";
        let line = code(text).line(0, None);
        assert_eq!(line.text, "\ta\\u{202e}b\\u{0}é = c");
        for word in ["a", "b", "é", "c"] {
            let at = text.find(word).unwrap();
            let range = line.shown_range(Span::new(at, at + word.len()));
            assert_eq!(&line.text[range], word);
        }
        let bidi = text.find('\u{202e}').unwrap();
        assert_eq!(&line.text[line.shown_range(Span::new(bidi, bidi + 3))], "\\u{202e}");
    }

    #[test]
    fn only_a_part_of_a_huge_line_is_rendered() {
        let text = "é".repeat(3_000_000);
        let code = code(&text);
        let first = code.line(0, None);
        assert_eq!(first.text.len(), WINDOW_BYTES);
        assert_eq!((first.before, first.after), (None, Some("5.9 MB more".to_owned())));

        let start = code.window_for(5_999_999).unwrap();
        let last = code.line(0, Some(start));
        assert!(last.span.touches(5_999_998) && last.after.is_none());
    }

    #[test]
    fn marks_are_found_by_their_line() {
        let source = Source::new("{\n \"a\": 1,\n \"a\": 2\n}");
        let problem = |at: usize, rule| Problem::at(rule, &source, Span::new(at, at + 1), "", "no");
        let problems = [problem(12, RuleId::DuplicateKey), problem(3, RuleId::Syntax)];
        let document = Arc::new(document::read(source, "a.json"));
        let code = CodeData::new(&document, &problems);
        let lines: Vec<usize> = code.marks.iter().map(|mark| mark.line).collect();
        assert_eq!(lines, [1, 2]);
        assert_eq!(code.marks_in(2).len(), 1);
        assert_eq!(code.marks_in(0), []);
        assert_eq!(code.facts.encoding, "UTF-8, LF, no final newline");
    }
}
