//! Names beside similar names: what differs is strong and always shown, what is shared with a neighbour is muted and gives way first.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use egui::{Galley, Ui};

use super::styled_text::StyledText;
use crate::theme::{self, tokens};

/// Fewest letters that are muted as shared: a shorter part would only make a name look spotted.
const MIN_SHARED_LETTERS: usize = 3;

/// A name with the part in which it differs from its neighbours in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctName<'a> {
    name: Cow<'a, str>,
    own: Range<usize>,
}

impl<'a> DistinctName<'a> {
    /// Compares a name with those beside it, usually of the rows above and below.
    pub fn new<'n>(
        name: impl Into<Cow<'a, str>>,
        neighbors: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let name = name.into();
        let (mut start, mut end) = (0, 0);
        for other in neighbors.into_iter().filter(|other| *other != name) {
            let (head, tail) = shared(&name, other);
            // The neighbour with most in common decides: against it the name must be distinguished.
            if head + tail > start + end {
                (start, end) = (head, tail);
            }
        }
        if name[..start].chars().count() < MIN_SHARED_LETTERS {
            start = 0;
        }
        let own = start..name.len() - end;
        Self { name, own }
    }

    /// Returns the part before the difference, the difference, and the part after it.
    pub fn parts(&self) -> [&str; 3] {
        let Range { start, end } = self.own;
        [&self.name[..start], &self.name[start..end], &self.name[end..]]
    }

    /// Lays the name out in a font of data. Where it is too wide, the beginning of the shared part becomes `…`.
    pub fn galley(&self, ui: &Ui, max_width: f32, is_selected: bool) -> Arc<Galley> {
        galley(ui, self.parts(), max_width, is_selected)
    }

    /// Returns the name in a font of data, with as much of the shared part as fits.
    pub fn fitted(&self, ui: &Ui, max_width: f32, is_selected: bool) -> StyledText {
        fitted(ui, self.parts(), max_width, is_selected)
    }
}

/// Lays out the parts of a name.
pub(super) fn galley(ui: &Ui, parts: [&str; 3], max_width: f32, is_selected: bool) -> Arc<Galley> {
    fitted(ui, parts, max_width, is_selected).galley(ui, max_width)
}

fn fitted(
    ui: &Ui,
    [before, own, after]: [&str; 3],
    max_width: f32,
    is_selected: bool,
) -> StyledText {
    let tokens = tokens(ui);
    let strong = if is_selected { theme::mono_bold } else { theme::mono };
    let text = |before: &str, after: &str| {
        StyledText::of(before, tokens.muted_data())
            .with(own, strong(theme::LABEL), tokens.text_strong)
            .add(after, tokens.muted_data())
    };
    let whole = text(before, after).galley(ui, f32::INFINITY);
    if whole.size().x <= max_width {
        return text(before, after);
    }
    // By the width of a letter, which all have in common in this font.
    let letter = whole.size().x / whole.text().chars().count().max(1) as f32;
    let fitting = (max_width / letter) as usize;
    let count = |text: &str| text.chars().count();
    let own_letters = count(own);
    if own_letters > fitting {
        let [head, tail] = [before, after].map(|shared| if shared.is_empty() { "" } else { "…" });
        let own = shortened(own, fitting.saturating_sub(count(head) + count(tail)));
        return StyledText::of(head, tokens.muted_data())
            .with(&own, strong(theme::LABEL), tokens.text_strong)
            .add(tail, tokens.muted_data());
    }
    let [before, after] = fitted_around(before, after, fitting - own_letters);
    text(&before, &after)
}

/// Fits what is before and after a difference into a number of letters. The end of each says most: before, what it is a difference of, and
/// after, which file or test it is.
fn fitted_around(before: &str, after: &str, max_letters: usize) -> [String; 2] {
    let end_of = |text: &str, max_letters: usize| {
        let count = text.chars().count();
        if count <= max_letters {
            return text.to_owned();
        }
        let kept = text.chars().skip(count - max_letters.saturating_sub(1));
        std::iter::once('…').chain(kept).collect()
    };
    // What is before gives way first, down to a third.
    let min_before = before.chars().count().min((max_letters / 3).max(1));
    let after = end_of(after, max_letters.saturating_sub(min_before));
    let before = end_of(before, max_letters.saturating_sub(after.chars().count()));
    [before, after]
}

/// Signs before the last part of a name, which says most: of a test in its file and its suites, and of a file in its folders.
const SEPARATORS: [&str; 3] = [" > ", "::", "/"];

/// Shortens a name to a number of letters: to its last part if that fits, else in its middle, since names in a list that begin alike
/// differ at their ends.
fn shortened(name: &str, max_letters: usize) -> String {
    let last_start = SEPARATORS.iter().filter_map(|sign| name.rfind(sign)).max();
    let last = last_start.map(|start| &name[start..]);
    if let Some(last) = last.filter(|last| last.chars().count() < max_letters) {
        let missing = max_letters - 1 - last.chars().count();
        let head: String = name[..name.len() - last.len()].chars().take(missing).collect();
        return format!("{head}…{last}");
    }
    let text = last.map_or(name, |last| last.trim_start_matches([' ', '>', ':', '/']));
    let letters: Vec<char> = text.chars().collect();
    let kept = max_letters.saturating_sub(1).min(letters.len());
    let head: String = letters[..kept.div_ceil(2)].iter().collect();
    let tail: String = letters[letters.len() - kept / 2..].iter().collect();
    format!("{head}…{tail}")
}

/// Returns the numbers of bytes that two names share at their beginnings and at their ends, up to whole words.
fn shared(name: &str, other: &str) -> (usize, usize) {
    let is_equal = |(a, b): &(char, char)| a == b;
    let length = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(is_equal).map(|(letter, _)| letter.len_utf8()).sum()
    };
    let mut start = length(&mut name.chars().zip(other.chars()));
    // A number or a word that differs only at its end differs as a whole, and so does one after which only signs follow.
    let is_in_word = |start: usize| {
        let (head, rest) = name.split_at(start);
        let has_words = rest.contains(char::is_alphanumeric);
        head.ends_with(char::is_alphanumeric)
            && (rest.starts_with(char::is_alphanumeric) || !has_words)
    };
    while is_in_word(start) {
        start -= name[..start].chars().next_back().map_or(0, char::len_utf8);
    }
    let (rest, other_rest) = (&name[start..], other.get(start..).unwrap_or_default());
    let mut end = length(&mut rest.chars().rev().zip(other_rest.chars().rev()));
    while name[name.len() - end..].chars().next().is_some_and(char::is_alphanumeric)
        && name[..name.len() - end].chars().next_back().is_none_or(char::is_alphanumeric)
    {
        end -= name[name.len() - end..].chars().next().map_or(0, char::len_utf8);
    }
    // Never the whole name, which would then have nothing of its own.
    if start + end >= name.len() { (start, 0) } else { (start, end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_room_keeps_its_last_part_or_both_its_ends() {
        let table = [
            ("test/a.test.ts > triage > answers", 20, "test/a.te… > answers"),
            ("test/a.test.ts > triage > answers a known issue", 12, "answer…issue"),
            ("test_powered_by_a_new_model", 11, "test_…model"),
            ("größe_größe_größe", 5, "gr…ße"),
            ("abc", 0, "…"),
        ];
        for (name, letters, expected) in table {
            assert_eq!(shortened(name, letters), expected, "{name}");
        }
    }

    #[test]
    fn what_is_around_a_difference_gives_way_and_keeps_its_ends() {
        let table = [
            ("test_", "]", 20, ["test_", "]"]),
            ("test_multimodal_tool_", "]", 8, ["…_tool_", "]"]),
            ("pkg_", "/cassettes/azure/test_tool", 13, ["pkg_", "…est_tool"]),
            ("", "_with_content", 5, ["", "…tent"]),
            ("cassettes/", "", 1, ["…", ""]),
        ];
        for (before, after, letters, expected) in table {
            assert_eq!(fitted_around(before, after, letters), expected, "{before} {after}");
        }
    }

    #[test]
    fn the_part_that_differs_from_the_nearest_neighbour_is_its_own() {
        let table = [
            ("a_test", &[][..], ["", "a_test", ""]),
            ("test_a", &["other"], ["", "test_a", ""]),
            (
                "matrix[direct-audio-google_2_5]",
                &["matrix[direct-audio-google_gemini3]", "test_b"],
                ["matrix[direct-audio-google_", "2_5", "]"],
            ),
            ("matrix[openai]", &["matrix[openai_chat]"], ["matrix[", "openai", "]"]),
            ("step-10", &["step-1", "step-2"], ["step-", "10", ""]),
            ("test_reply", &["test_reply"], ["", "test_reply", ""]),
            ("test_reply", &["test_reply_again"], ["test_", "reply", ""]),
            ("größe_a", &["größe_b"], ["größe_", "a", ""]),
        ];
        for (name, neighbors, parts) in table {
            let distinct = DistinctName::new(name, neighbors.iter().copied());
            assert_eq!(distinct.parts(), parts, "{name}");
            assert_eq!(distinct.parts().concat(), name);
        }
    }
}
