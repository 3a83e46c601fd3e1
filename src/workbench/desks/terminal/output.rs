//! The last lines of a command's output.

use std::collections::VecDeque;
use std::ops::Range;

/// The maximum number of lines.
const MAX_LINES: usize = 10_000;
/// The maximum number of bytes of text.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A line, without its line end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputLine {
    /// Its text, with hidden characters made visible.
    pub text: String,
    /// The highlighted ranges, in order; all other bytes are [`Ink::Plain`].
    pub inks: Vec<(Range<usize>, Ink)>,
    /// Whether it continues in the next line, because it is too long.
    pub continues: bool,
}

/// The color or style of a part of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Default.
    #[default]
    Plain,
    /// Bold.
    Strong,
    /// Dimmed, or grey.
    Muted,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewOutput {
    /// Complete lines.
    pub done: Tail,
    /// The incomplete last line, which replaces the previous one.
    pub open: Option<OutputLine>,
}

/// The last lines of a text, with the number of dropped lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    pub lines: VecDeque<OutputLine>,
    bytes: usize,
    pub dropped: usize,
}

impl Tail {
    /// Adds a line, and drops the first lines if there are too many.
    pub fn push(&mut self, line: OutputLine) {
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            self.pop_front();
            self.dropped += 1;
        }
    }

    /// Adds the lines of another, and its number of dropped lines.
    pub fn append(&mut self, other: Self) {
        if other.dropped > 0 {
            self.dropped += self.lines.len() + other.dropped;
            self.lines.clear();
            self.bytes = 0;
        }
        other.lines.into_iter().for_each(|line| self.push(line));
    }

    fn pop_front(&mut self) {
        if let Some(line) = self.lines.pop_front() {
            self.bytes -= line.text.len();
        }
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no output.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The line with this index.
    pub fn get(&self, at: usize) -> Option<&OutputLine> {
        self.lines.get(at)
    }
}

/// The text of lines, each with a line end.
pub(super) fn text_of<'a>(lines: impl Iterator<Item = &'a OutputLine>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.text);
        if !line.continues {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> OutputLine {
        OutputLine { text: text.to_owned(), ..OutputLine::default() }
    }

    #[test]
    fn the_last_lines_stay_and_those_before_are_counted() {
        let mut tail = Tail::default();
        (0..MAX_LINES + 3).for_each(|n| tail.push(line(&n.to_string())));
        assert_eq!((tail.len(), tail.dropped), (MAX_LINES, 3));
        assert_eq!(tail.get(0), Some(&line("3")));

        let large = "x".repeat(MAX_BYTES / 2);
        (0..3).for_each(|_| tail.push(line(&large)));
        assert_eq!((tail.len(), tail.dropped), (2, MAX_LINES + 4));

        let mut all = Tail::default();
        all.push(line("before"));
        all.append(tail);
        assert_eq!((all.len(), all.dropped), (2, MAX_LINES + 5));
    }
}
