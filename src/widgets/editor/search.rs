//! Searches a text for a query.

use std::ops::Range;

/// Query with its options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FindQuery {
    pub(super) text: String,
    pub(super) case: LetterCase,
    pub(super) extent: MatchExtent,
}

/// Whether the case of letters matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LetterCase {
    #[default]
    Ignored,
    /// Case must match.
    Matched,
}

/// Characters that may be next to a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MatchExtent {
    /// Anything.
    #[default]
    Anywhere,
    /// No character of a word.
    Words,
}

impl FindQuery {
    /// Returns all matches in order, without overlap.
    pub(super) fn matches(&self, text: &str) -> Vec<Range<usize>> {
        if self.text.is_empty() {
            return Vec::new();
        }
        let ranges: Vec<Range<usize>> = match self.case {
            LetterCase::Matched => memchr::memmem::find_iter(text.as_bytes(), &self.text)
                .map(|start| start..start + self.text.len())
                .collect(),
            LetterCase::Ignored => ignoring_case(text, &self.text),
        };
        let fits =
            |range: &Range<usize>| self.extent == MatchExtent::Anywhere || is_word(text, range);
        ranges.into_iter().filter(fits).collect()
    }
}

fn ignoring_case(text: &str, query: &str) -> Vec<Range<usize>> {
    // Letter by letter: a lower-case copy of the text may have other offsets, as `İ` becomes two characters.
    let letters: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let Some(first) = letters.first() else { return Vec::new() };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut free_from = 0;
    for (start, c) in text.char_indices() {
        if start < free_from || c.to_lowercase().next() != Some(*first) {
            continue;
        }
        if let Some(len) = prefix_len(&text[start..], &letters) {
            free_from = start + len;
            ranges.push(start..free_from);
        }
    }
    ranges
}

/// Returns the length in bytes of the wanted letters at the beginning of the text, or `None` if it begins differently.
fn prefix_len(text: &str, mut letters: &[char]) -> Option<usize> {
    for (at, c) in text.char_indices() {
        if letters.is_empty() {
            return Some(at);
        }
        for lower_letter in c.to_lowercase() {
            letters = letters.strip_prefix(&[lower_letter])?;
        }
    }
    letters.is_empty().then_some(text.len())
}

/// Returns whether the range begins and ends at word boundaries.
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    // Punctuation at the ends of a query is a boundary by itself.
    let is_boundary = |before: Option<char>, after: Option<char>| {
        !(before.is_some_and(part) && after.is_some_and(part))
    };
    let matched_text = &text[range.clone()];
    is_boundary(text[..range.start].chars().next_back(), matched_text.chars().next())
        && is_boundary(matched_text.chars().next_back(), text[range.end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, query: &str, case: LetterCase, extent: MatchExtent) -> Vec<usize> {
        let text_of_query = query.to_owned();
        let query = FindQuery { text: text_of_query, case, extent };
        query.matches(text).into_iter().map(|range| range.start).collect()
    }

    #[test]
    fn case_is_ignored_unless_it_must_match() {
        let text = "Tool tool TOOL ÄÖ äö";
        assert_eq!(found(text, "tool", LetterCase::Ignored, MatchExtent::Anywhere), [0, 5, 10]);
        assert_eq!(found(text, "tool", LetterCase::Matched, MatchExtent::Anywhere), [5]);
        assert_eq!(found(text, "äÖ", LetterCase::Ignored, MatchExtent::Anywhere), [15, 20]);
        assert_eq!(found(text, "", LetterCase::Ignored, MatchExtent::Anywhere), [0; 0]);
    }

    #[test]
    fn whole_words_have_word_boundaries() {
        let text = "tool tools a_tool \"tool\"";
        assert_eq!(found(text, "tool", LetterCase::Ignored, MatchExtent::Words), [0, 19]);
        assert_eq!(found(text, "\"tool", LetterCase::Ignored, MatchExtent::Words), [18]);
    }

    #[test]
    fn matches_do_not_overlap() {
        assert_eq!(found("aaaaa", "aa", LetterCase::Ignored, MatchExtent::Anywhere), [0, 2]);
        assert_eq!(found("aaaaa", "aa", LetterCase::Matched, MatchExtent::Anywhere), [0, 2]);
        // A single letter whose lower case is two characters.
        assert_eq!(found("İx", "i", LetterCase::Ignored, MatchExtent::Anywhere), [0; 0]);
    }
}
