//! Indentation: the file's habit, and lines moved by a step of it.

use std::ops::Range;

use super::shown::Splice;
use crate::format::Syntax;

/// Which way lines move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// To the right.
    In,
    /// To the left.
    Out,
}

/// What one step of indentation is written as: what the first line that stands further in than the line before adds to it,
/// else two spaces. Never a tab in YAML, which knows none.
pub(super) fn habit(text: &str, syntax: Syntax) -> String {
    let mut before = "";
    for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
        let blank = leading(line);
        let more = blank.strip_prefix(before).unwrap_or_default();
        let fits = more.chars().all(|c| c == ' ') || syntax == Syntax::Json;
        if !more.is_empty() && more.len() <= 8 && fits {
            return more.to_owned();
        }
        before = blank;
    }
    "  ".to_owned()
}

/// The spaces and tabs a line begins with.
pub(super) fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indentation of the line that holds byte `at`, up to it.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    leading(&before[start..])
}

/// What moves the lines that `selected` touches by a step.
pub(super) fn shift(text: &str, selected: Range<usize>, step: &str, shift: Shift) -> Vec<Splice> {
    let mut start = text[..selected.start].rfind('\n').map_or(0, |end| end + 1);
    let mut changes = Vec::new();
    for line in text[start..].split('\n') {
        let first = changes.is_empty() && start <= selected.start;
        if start >= selected.end && !first {
            break;
        }
        match shift {
            Shift::In if line.is_empty() => {}
            Shift::In => changes.push((start..start, step.to_owned())),
            Shift::Out => match outdent(line, step) {
                0 => {}
                less => changes.push((start..start + less, String::new())),
            },
        }
        start += line.len() + 1;
    }
    changes
}

/// How many bytes a line loses when it moves out by a step.
fn outdent(line: &str, step: &str) -> usize {
    if line.starts_with('\t') {
        return 1;
    }
    let spaces = line.len() - line.trim_start_matches(' ').len();
    spaces.min(step.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_what_the_file_shows() {
        assert_eq!(habit("{\n    \"a\": 1\n}", Syntax::Json), "    ");
        assert_eq!(habit("{\n\t\"a\": 1\n}", Syntax::Json), "\t");
        assert_eq!(habit("a:\n\tb", Syntax::Yaml), "  ");
        assert_eq!(habit("a:\n\n   - b", Syntax::Yaml), "   ");
        assert_eq!(habit("{}", Syntax::Json), "  ");
    }

    fn shifted(text: &str, selected: Range<usize>, way: Shift) -> String {
        let mut after = text.to_owned();
        for (range, new) in shift(text, selected, "  ", way).into_iter().rev() {
            after.replace_range(range, &new);
        }
        after
    }

    #[test]
    fn every_line_of_a_selection_moves_and_no_other() {
        let text = "a\n  b\n\nc\nd";
        assert_eq!(shifted(text, 0..8, Shift::In), "  a\n    b\n\n  c\nd");
        assert_eq!(shifted(text, 2..4, Shift::In), "a\n    b\n\nc\nd");
        assert_eq!(shifted(text, 4..4, Shift::Out), "a\nb\n\nc\nd");
        assert_eq!(shifted(text, 0..text.len(), Shift::Out), "a\nb\n\nc\nd");
        // A selection that ends at the start of a line does not reach into it.
        assert_eq!(shifted("a\nb\nc", 0..4, Shift::In), "  a\n  b\nc");
    }

    #[test]
    fn a_new_line_begins_under_the_one_it_was_made_from() {
        let text = "a:\n  - b";
        assert_eq!(indentation(text, text.len()), "  ");
        assert_eq!(indentation(text, 4), " ");
        assert_eq!(indentation(text, 1), "");
    }
}
