//! Prepares a line of text for display: hidden characters made visible, split by colour and mark, and broken if it is
//! too long.

use std::ops::Range;

use crate::highlight::TokenClass;
use document::text::{HiddenKind, Span};

/// Only the beginning of a line longer than this (in bytes) is shown.
const MAX_LINE_BYTES: usize = 20_000;

/// Width of a tab, in characters.
const TAB_CHARS: usize = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisplayLine {
    /// The text: tabs as spaces, hidden characters as escapes.
    pub text: String,
    /// Consecutive runs that cover the text.
    pub runs: Vec<LineRun>,
}

/// A run of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRun {
    /// Bytes of [`DisplayLine::text`].
    pub range: Range<usize>,
    /// Its syntactic class.
    pub class: TokenClass,
    /// Whether the other side's line differs here.
    pub marked: bool,
}

impl DisplayLine {
    /// Prepares a line for display. `marks` and `classes` are in order and count bytes of `line`.
    pub fn new(line: &str, marks: &[Span], classes: &[(Range<usize>, TokenClass)]) -> Self {
        // Visible lines are prepared in each frame, so that a minified file must not cost its whole length.
        let end = line.floor_char_boundary(MAX_LINE_BYTES);
        let mut borders = vec![0, end];
        let is_inside = |at: &usize| *at <= end && line.is_char_boundary(*at);
        let marks_at = marks.iter().flat_map(|mark| [mark.start as usize, mark.end as usize]);
        let classes_at = classes.iter().flat_map(|(range, _)| [range.start, range.end]);
        // Marks and colours are independent of each other: a run ends where either does.
        borders.extend(marks_at.chain(classes_at).filter(is_inside));
        borders.sort_unstable();
        borders.dedup();

        let mut display_line = Self::default();
        let (mut column, mut previous) = (0, ' ');
        let (mut marks, mut classes) = (marks.iter().peekable(), classes.iter().peekable());
        for pair in borders.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            while marks.next_if(|mark| mark.end as usize <= from).is_some() {}
            while classes.next_if(|(range, _)| range.end <= from).is_some() {}
            let is_marked = marks.peek().is_some_and(|mark| mark.start as usize <= from);
            let class = classes
                .peek()
                .filter(|(range, _)| range.start <= from)
                .map_or(TokenClass::Plain, |(_, class)| *class);
            let start = display_line.text.len();
            for c in line[from..to].chars() {
                column += push(&mut display_line.text, c, column, previous);
                previous = c;
            }
            display_line.runs.push(LineRun {
                range: start..display_line.text.len(),
                class,
                marked: is_marked,
            });
        }
        if end < line.len() {
            let start = display_line.text.len();
            let rest = document::text::counted(line.len() - end, "more byte", "more bytes");
            display_line.text.push_str(&format!(" … {rest}"));
            let range = start..display_line.text.len();
            display_line.runs.push(LineRun { range, class: TokenClass::Comment, marked: false });
        }
        display_line
    }

    /// Returns where the line is broken so that no part is wider than `width`, preferably after whitespace: the start
    /// of each part, the first being 0. `measure` returns the width of a character.
    pub fn breaks(&self, width: f32, measure: &mut impl FnMut(char) -> f32) -> Vec<usize> {
        breaks(&self.text, width, measure)
    }

    /// Returns the runs of a part of the line, with their ranges counted from its start.
    pub fn part(&self, part: &Range<usize>) -> impl Iterator<Item = (LineRun, &str)> {
        let part = part.clone();
        self.runs.iter().filter_map(move |run| {
            let start = run.range.start.max(part.start);
            let end = run.range.end.min(part.end);
            let text = self.text.get(start..end).filter(|text| !text.is_empty())?;
            Some((LineRun { range: start - part.start..end - part.start, ..run.clone() }, text))
        })
    }
}

/// Returns how many lines a line takes on screen, the same as the number of [`DisplayLine::breaks`]. `widest` is the
/// width of the widest plain ASCII character.
pub(super) fn line_count(
    line: &str,
    width: f32,
    widest: f32,
    measure: &mut impl FnMut(char) -> f32,
) -> usize {
    // Most lines are short and plain ASCII; their length is enough to decide.
    let is_plain = || line.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    if line.len() as f32 * widest <= width && is_plain() {
        return 1;
    }
    DisplayLine::new(line, &[], &[]).breaks(width, measure).len()
}

fn breaks(text: &str, width: f32, measure: &mut impl FnMut(char) -> f32) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut used_width, mut after_space, mut width_after_space) = (0.0, None, 0.0);
    for (at, c) in text.char_indices() {
        let char_width = measure(c);
        // Whitespace may hang over the edge, so that no part begins with it; a part has at least one character.
        if used_width + char_width > width && !c.is_whitespace() && Some(&at) != starts.last() {
            match after_space.take() {
                Some(space) => {
                    starts.push(space);
                    used_width -= width_after_space;
                }
                None => {
                    starts.push(at);
                    used_width = 0.0;
                }
            }
        }
        used_width += char_width;
        if c.is_whitespace() {
            after_space = Some(at + c.len_utf8());
            width_after_space = used_width;
        }
    }
    starts
}

/// Appends a character as it is displayed; returns how many columns it takes.
fn push(text: &mut String, c: char, column: usize, previous: char) -> usize {
    match c {
        '\t' => {
            let spaces = TAB_CHARS - column % TAB_CHARS;
            text.extend(std::iter::repeat_n(' ', spaces));
            spaces
        }
        // Other line ends are reported by a note above the rows.
        '\n' | '\r' => 0,
        // Joiners are common in emoji and in words of several scripts.
        '\u{200c}' | '\u{200d}' if !previous.is_ascii() => {
            text.push(c);
            0
        }
        c if HiddenKind::classify(c).is_some() => {
            let old_len = text.len();
            text.extend(c.escape_unicode());
            text.len() - old_len
        }
        c => {
            text.push(c);
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_carry_colour_and_mark_and_hide_nothing() {
        let classes = [(1..5, TokenClass::String)];
        let display_line =
            DisplayLine::new("\t\"ab\" \u{202e}c", &[Span::new(2, 3), Span::new(6, 9)], &classes);
        let runs: Vec<String> = display_line
            .runs
            .iter()
            .map(|run| {
                format!(
                    "{:?} {:?} {}",
                    &display_line.text[run.range.clone()],
                    run.class,
                    run.marked
                )
            })
            .collect();
        insta::assert_snapshot!(runs.join("\n"), @r#"
        "    " Plain false
        "\"" String false
        "a" String true
        "b\"" String false
        " " Plain false
        "\\u{202e}" Plain true
        "c" Plain false
        "#);
    }

    #[test]
    fn lines_break_after_spaces_and_else_anywhere() {
        let parts = |text: &str, width: f32| {
            let starts = breaks(text, width, &mut |_| 1.0);
            let ends = starts.iter().copied().skip(1).chain([text.len()]);
            let parts: Vec<&str> =
                std::iter::zip(starts.clone(), ends).map(|(a, b)| &text[a..b]).collect();
            parts.join("|")
        };
        assert_eq!(parts("one two three", 8.0), "one two |three");
        assert_eq!(parts("abcdefgh ij", 4.0), "abcd|efgh |ij");
        assert_eq!(parts("", 4.0), "");
        assert_eq!(parts("ab", 0.5), "a|b");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn the_count_of_lines_is_the_count_of_breaks(line in "[ab \té\u{202e}]{0,40}", width in 1u8..20) {
            let width = f32::from(width);
            let count = line_count(&line, width, 1.0, &mut |_| 1.0);
            prop_assert_eq!(count, DisplayLine::new(&line, &[], &[]).breaks(width, &mut |_| 1.0).len());
        }

        #[test]
        fn runs_cover_the_line(line in "[ab \té\u{202e}]{0,20}", a in 0usize..30, b in 0usize..30) {
            let mark = Span::new(a.min(b), a.max(b));
            let display_line = DisplayLine::new(&line, &[mark], &[(a.min(b)..a.max(b), TokenClass::Key)]);
            let mut end = 0;
            for run in &display_line.runs {
                prop_assert_eq!(run.range.start, end);
                end = run.range.end;
            }
            prop_assert_eq!(end, display_line.text.len());
        }
    }
}
