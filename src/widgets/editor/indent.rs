//! Indentation: detects the style of the file, and indents lines.

use std::ops::Range;

use super::normalized::Splice;
use document::Syntax;

/// The direction in which lines move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// To the right.
    In,
    /// To the left.
    Out,
}

/// Returns one step of indentation: what the first line that is indented deeper than the previous one adds, else two
/// spaces. Never a tab in YAML, which does not allow tabs.
pub(super) fn detect_indent(text: &str, syntax: Syntax) -> String {
    let mut previous_blank = "";
    for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
        let blank = leading_whitespace(line);
        let deeper_blank = blank.strip_prefix(previous_blank).unwrap_or_default();
        let fits = deeper_blank.chars().all(|c| c == ' ') || syntax == Syntax::Json;
        // Deeper lines are aligned with something above, which is not a step of indentation.
        if !deeper_blank.is_empty() && deeper_blank.len() <= 8 && fits {
            return deeper_blank.to_owned();
        }
        previous_blank = blank;
    }
    "  ".to_owned()
}

/// Returns the leading spaces and tabs of a line.
pub(super) fn leading_whitespace(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the indentation of the line that contains byte `at`, up to that byte.
pub(super) fn indentation(text: &str, at: usize) -> &str {
    let text_before = text.get(..at).unwrap_or(text);
    let start = text_before.rfind('\n').map_or(0, |end| end + 1);
    leading_whitespace(&text_before[start..])
}

/// Returns the changes that indent or outdent the lines touched by `selection`.
pub(super) fn shift(text: &str, selection: Range<usize>, step: &str, shift: Shift) -> Vec<Splice> {
    let mut start = text[..selection.start].rfind('\n').map_or(0, |end| end + 1);
    let mut changes = Vec::new();
    for line in text[start..].split('\n') {
        // The line of the caret is touched by an empty selection; a line of which only the beginning is reached is not.
        let first = changes.is_empty() && start <= selection.start;
        if start >= selection.end && !first {
            break;
        }
        match shift {
            // Indenting an empty line would leave trailing spaces.
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

/// Returns how many bytes a line loses when it is outdented by one step.
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
    fn the_indent_step_is_detected() {
        assert_eq!(detect_indent("{\n    \"a\": 1\n}", Syntax::Json), "    ");
        assert_eq!(detect_indent("{\n\t\"a\": 1\n}", Syntax::Json), "\t");
        assert_eq!(detect_indent("a:\n\tb", Syntax::Yaml), "  ");
        assert_eq!(detect_indent("a:\n\n   - b", Syntax::Yaml), "   ");
        assert_eq!(detect_indent("{}", Syntax::Json), "  ");
    }

    fn shifted(text: &str, selection: Range<usize>, direction: Shift) -> String {
        let mut new_text = text.to_owned();
        for (range, new) in shift(text, selection, "  ", direction).into_iter().rev() {
            new_text.replace_range(range, &new);
        }
        new_text
    }

    #[test]
    fn every_line_of_a_selection_moves_and_no_other() {
        let text = "a\n  b\n\nc\nd";
        assert_eq!(shifted(text, 0..8, Shift::In), "  a\n    b\n\n  c\nd");
        assert_eq!(shifted(text, 2..4, Shift::In), "a\n    b\n\nc\nd");
        assert_eq!(shifted(text, 4..4, Shift::Out), "a\nb\n\nc\nd");
        assert_eq!(shifted(text, 0..text.len(), Shift::Out), "a\nb\n\nc\nd");
        // A selection that ends at the start of a line does not include that line.
        assert_eq!(shifted("a\nb\nc", 0..4, Shift::In), "  a\n  b\nc");
    }

    #[test]
    fn a_new_line_keeps_the_indentation() {
        let text = "a:\n  - b";
        assert_eq!(indentation(text, text.len()), "  ");
        assert_eq!(indentation(text, 4), " ");
        assert_eq!(indentation(text, 1), "");
    }
}
