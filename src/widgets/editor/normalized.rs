//! A file's text with normalized line ends for editing, and the mapping back to its bytes.

use std::ops::Range;

use document::text::{Source, TextEdit};

/// The text of a file with every line end as `\n` and without byte order mark.
///
/// Edits of it become edits of the file that keep all other bytes: a line end (`\r\n`, `\n` or a lone `\r`) stays until
/// the user deletes it, and a new line gets the most frequent line end of the file.
#[derive(Clone, Debug)]
pub struct NormalizedText {
    pub text: String,
    /// Length of the byte order mark of the file, in bytes.
    start: usize,
    /// Each `\r\n`: the offset of its `\n` in the text, and of its `\r` in the file, counted from `start`.
    pairs: Vec<(u32, u32)>,
    /// The most frequent line end of the file.
    line_end: &'static str,
}

/// An edit of the normalized text.
pub(super) type Splice = (Range<usize>, String);

impl NormalizedText {
    /// Normalizes the text of a file.
    pub fn new(source: &Source) -> Self {
        let start = source.content_start();
        let content = &source.text()[start..];
        let mut text = String::with_capacity(content.len());
        let mut pairs = Vec::new();
        let (mut at, mut lone_count) = (0, 0);
        for cr in memchr::memchr_iter(b'\r', content.as_bytes()) {
            text.push_str(&content[at..cr]);
            at = cr + 1;
            if content[at..].starts_with('\n') {
                pairs.push((to_u32(text.len()), to_u32(cr)));
            } else {
                text.push('\n');
                lone_count += 1;
            }
        }
        text.push_str(&content[at..]);
        let lf_count = memchr::memchr_iter(b'\n', content.as_bytes()).count() - pairs.len();
        let line_end = match pairs.len() {
            pairs if pairs > lf_count && pairs >= lone_count => "\r\n",
            _ if lone_count > lf_count => "\r",
            _ => "\n",
        };
        Self { text, start, pairs, line_end }
    }

    /// Converts an offset in the file to an offset in the text.
    pub fn text_offset(&self, byte: usize) -> usize {
        let byte = byte.saturating_sub(self.start);
        let pair_count = self.pairs.partition_point(|&(_, cr)| cr as usize + 1 < byte);
        // An offset between the two bytes of a line end maps to before the line end.
        let is_inside = self.pairs.get(pair_count).is_some_and(|&(_, cr)| (cr as usize) < byte);
        (byte - pair_count - usize::from(is_inside)).min(self.text.len())
    }

    /// Converts an offset in the text to an offset in the file.
    pub fn file_offset(&self, at: usize) -> usize {
        let pair_count = self.pairs.partition_point(|&(offset, _)| (offset as usize) < at);
        self.start + at + pair_count
    }

    /// Returns the edit of the file that applies these changes of the text, or `None` if there are none.
    ///
    /// The changes are in the order of the text and do not overlap. All bytes between them stay.
    pub fn edit(&self, source: &Source, changes: &[Splice]) -> Option<TextEdit> {
        let first = self.file_offset(changes.first()?.0.start);
        let last = self.file_offset(changes.last()?.0.end);
        let file = source.text();
        let (mut new, mut at) = (String::new(), first);
        for (range, text) in changes {
            new.push_str(file.get(at..self.file_offset(range.start))?);
            at = self.file_offset(range.end);
            let previous_char =
                new.chars().next_back().or_else(|| file[..first].chars().next_back());
            self.push(&mut new, text, previous_char, &file[at..]);
        }
        Some(TextEdit { range: first..last, new })
    }

    /// Appends typed text between `previous_char` and `rest`, with the line ends of the file. A `\r` before it and a `\n`
    /// after it are two line ends, and stay two.
    fn push(&self, new: &mut String, text: &str, previous_char: Option<char>, rest: &str) {
        let mut text = match self.line_end {
            "\n" => text.to_owned(),
            line_end => text.replace('\n', line_end),
        };
        if text.ends_with('\r') && rest.starts_with('\n') {
            text.push('\n');
        }
        let follows = text.chars().next().or_else(|| rest.chars().next());
        if previous_char == Some('\r') && follows == Some('\n') {
            new.push('\r');
        }
        new.push_str(&text);
    }
}

// A text is read-only long before it has this length; see `ReadOnlyReason`.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Applies `edit` to the normalized text and returns the resulting file.
    fn edited(file: &str, edit: impl FnOnce(&str) -> String) -> String {
        let source = Source::new(file);
        let normalized_text = NormalizedText::new(&source);
        let change =
            TextEdit::between(&normalized_text.text, &edit(&normalized_text.text)).unwrap();
        let edit = normalized_text.edit(&source, &[(change.range, change.new)]).unwrap();
        let mut file = file.to_owned();
        edit.apply(&mut file).unwrap();
        file
    }

    #[test]
    fn a_new_line_ends_as_the_lines_of_the_file_do() {
        let split_line = |text: &str| text.replace("b", "b\n");
        assert_eq!(edited("a\r\nb c\r\n", split_line), "a\r\nb\r\n c\r\n");
        assert_eq!(edited("a\nb c\n", split_line), "a\nb\n c\n");
        assert_eq!(edited("a\rb c\r", split_line), "a\rb\r c\r");
        assert_eq!(edited("b", split_line), "b\n");
    }

    #[test]
    fn mark_line_ends_and_a_missing_last_one_stay() {
        let new_file = edited("\u{feff}{\r\n\r \n}", |text| text.replace("}", "1}"));
        assert_eq!(new_file, "\u{feff}{\r\n\r \n1}");
        assert_eq!(edited("\u{feff}{}", |_| String::new()), "\u{feff}");
        assert_eq!(edited("a\r\nb\r\n", |text| text.replacen('\n', "", 1)), "ab\r\n");
    }

    #[test]
    fn two_line_ends_stay_two_when_the_text_between_them_is_deleted() {
        assert_eq!(edited("a\rX\nb", |text| text.replace('X', "")), "a\r\r\nb");
        assert_eq!(&NormalizedText::new(&Source::new("a\r\r\nb")).text, "a\n\nb");
    }

    #[test]
    fn several_changes_are_one_edit_that_keeps_the_text_between() {
        let source = Source::new("x\r\ny\nx\rx\r\n");
        let normalized_text = NormalizedText::new(&source);
        let changes = [0..1, 4..5, 6..7].map(|range| (range, "zz".to_owned()));
        let mut file = source.text().to_owned();
        normalized_text.edit(&source, &changes).unwrap().apply(&mut file).unwrap();
        assert_eq!(file, "zz\r\ny\nzz\rzz\r\n");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn offsets_convert_in_both_directions(file in "\u{feff}?[aé\r\n]{0,24}") {
            let source = Source::new(file.as_str());
            let normalized_text = NormalizedText::new(&source);
            prop_assert!(!normalized_text.text.contains('\r'));
            prop_assert_eq!(normalized_text.text.split('\n').count(), source.line_count());
            for at in 0..=normalized_text.text.len() {
                prop_assert_eq!(normalized_text.text_offset(normalized_text.file_offset(at)), at);
            }
            for (index, line) in normalized_text.text.split('\n').enumerate() {
                let span = source.line_span(index);
                let at = line.as_ptr() as usize - normalized_text.text.as_ptr() as usize;
                prop_assert_eq!(source.slice(span), line);
                prop_assert_eq!(normalized_text.text_offset(span.start as usize), at);
                prop_assert_eq!(normalized_text.file_offset(at), span.start as usize);
                prop_assert_eq!(normalized_text.file_offset(at + line.len()), span.end as usize);
            }
        }

        #[test]
        fn an_edit_changes_only_its_range(
            file in "\u{feff}?[ab\r\n]{0,20}", new in "[ab\n]{0,6}", a in 0usize..30, b in 0usize..30
        ) {
            let source = Source::new(file.as_str());
            let normalized_text = NormalizedText::new(&source);
            let len = normalized_text.text.len();
            let range = a.min(b).min(len)..a.max(b).min(len);
            let mut expected_text = normalized_text.text.to_owned();
            expected_text.replace_range(range.clone(), &new);

            let edit = normalized_text.edit(&source, &[(range.clone(), new)]).unwrap();
            prop_assert_eq!(edit.range.clone(), normalized_text.file_offset(range.start)..normalized_text.file_offset(range.end));
            let mut new_file = file.clone();
            let inverse = edit.apply(&mut new_file).unwrap();
            let after_edit = NormalizedText::new(&Source::new(new_file.as_str()));
            prop_assert_eq!(&*after_edit.text, expected_text);
            prop_assert_eq!(&new_file[..edit.range.start], &file[..edit.range.start]);
            prop_assert_eq!(&new_file[inverse.range.end..], &file[edit.range.end..]);
        }
    }
}
