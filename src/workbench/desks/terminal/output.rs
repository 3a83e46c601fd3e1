//! The last lines of a command's output.

use std::collections::VecDeque;

/// The maximum number of lines.
const MAX_LINES: usize = 10_000;
/// The maximum number of bytes of text.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The last lines of a text, with the number of dropped lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    pub lines: VecDeque<String>,
    bytes: usize,
    pub dropped: usize,
}

impl Tail {
    /// Adds a line, and drops the first lines if there are too many.
    pub fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
            self.dropped += 1;
        }
    }

    /// The text, with a line end after each line.
    pub(super) fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stay_and_those_before_are_counted() {
        let mut tail = Tail::default();
        (0..MAX_LINES + 3).for_each(|n| tail.push(n.to_string()));
        assert_eq!((tail.lines.len(), tail.dropped), (MAX_LINES, 3));
        assert_eq!(tail.lines[0], "3");

        let line = "x".repeat(MAX_BYTES / 2);
        (0..3).for_each(|_| tail.push(line.clone()));
        assert_eq!((tail.lines.len(), tail.dropped), (2, MAX_LINES + 4));
        assert_eq!(tail.text().len(), MAX_BYTES + 2);
    }
}
