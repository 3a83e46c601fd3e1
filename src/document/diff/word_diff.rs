//! Compares the words of two lines.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::text::align_lines;
use crate::text::Span;

/// The words of longer lines (in bytes) are aligned at those that occur once, which takes less time.
pub const MAX_EXACT_BYTES: usize = 16 * 1024;

/// Lines longer than this (in bytes) are not split into words: only their common start and end are compared.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// Between words that occur once, more words than this are not aligned: the time rises with the square of their number.
const MAX_ALIGNED_WORDS: usize = 8_000;

/// Number of words of a line used to compute similarity.
// Bounds the cost of one of the many comparisons within a range of lines.
const MAX_WEIGHED_WORDS: usize = 256;

/// Splits a line into words, runs of white space, and single punctuation characters. Underscores also separate words,
/// so that only `reply` of `transition_to_reply` is marked. Grapheme clusters are not split.
pub fn split(line: &str) -> Vec<&str> {
    if line.is_ascii() { split_ascii(line) } else { split_unicode(line) }
}

/// As [`split_unicode`], for a line of ASCII only, in a fraction of the time.
fn split_ascii(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let mut pieces = Vec::with_capacity(line.len() / 3 + 1);
    let mut start = 0;
    while let Some(&first) = bytes.get(start) {
        let mut end = start + 1;
        while let Some(&next) = bytes.get(end) {
            let left = bytes[end - 1];
            let is_one_word = match (left, next) {
                (b' ', b' ') | (b'\r', b'\n') => true,
                // An apostrophe between two letters or two digits is a part of their word.
                (_, b'\'') if first.is_ascii_alphanumeric() => {
                    let after_next = bytes.get(end + 1).copied().unwrap_or_default();
                    left.is_ascii_alphabetic() && after_next.is_ascii_alphabetic()
                        || left.is_ascii_digit() && after_next.is_ascii_digit()
                }
                (b'\'', next) => first != b'\'' && next.is_ascii_alphanumeric(),
                (left, next) => left.is_ascii_alphanumeric() && next.is_ascii_alphanumeric(),
            };
            if !is_one_word {
                break;
            }
            end += 1;
        }
        pieces.push(&line[start..end]);
        start = end;
    }
    pieces
}

fn split_unicode(line: &str) -> Vec<&str> {
    use similar::DiffableStr as _;
    let mut pieces = Vec::new();
    for token in line.tokenize_unicode_words() {
        let mut rest = token;
        while let Some(at) = rest.find(|c: char| c.is_ascii_punctuation() && c != '\'') {
            if !parts(rest, at) {
                break;
            }
            if at > 0 {
                pieces.push(&rest[..at]);
            }
            pieces.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            pieces.push(rest);
        }
    }
    pieces
}

/// Returns whether the ASCII character at `at` is a separate grapheme: it is followed by ASCII, a letter or a digit,
/// and not by a combining character.
fn parts(text: &str, at: usize) -> bool {
    text[at + 1..].chars().next().is_none_or(|next| next.is_ascii() || next.is_alphanumeric())
}

/// Returns the different byte ranges of two lines.
///
/// Unmarked text is the same on both sides. White space between two marks is also marked, so that a changed phrase is
/// one mark.
pub fn marks(left: &str, right: &str) -> (Box<[Span]>, Box<[Span]>) {
    if left == right {
        return Default::default();
    }
    if !is_split(left, right) {
        return ends_only(left, right);
    }
    let (l, r) = (split(left), split(right));
    let mut runs: Vec<[std::ops::Range<usize>; 2]> = Vec::new();
    let ops = if left.len().max(right.len()) > MAX_EXACT_BYTES {
        align_lines(&l, &r, &align_words)
    } else {
        capture_diff_slices(Algorithm::Myers, &l, &r)
    };
    for op in ops {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        match runs.last_mut() {
            Some([a, b]) if l[a.end..old.start].iter().all(|word| is_blank(word)) => {
                a.end = old.end;
                b.end = new.end;
            }
            _ => runs.push([old, new]),
        }
    }
    for [a, b] in &mut runs {
        // Joined stretches and coarse ones may begin or end with equal words, which are not marked.
        while a.start < a.end && b.start < b.end && l[a.start] == r[b.start] {
            a.start += 1;
            b.start += 1;
        }
        while a.start < a.end && b.start < b.end && l[a.end - 1] == r[b.end - 1] {
            a.end -= 1;
            b.end -= 1;
        }
    }
    let [a, b]: [Vec<_>; 2] = [0, 1].map(|side| runs.iter().map(|s| s[side].clone()).collect());
    (to_spans(&l, &a), to_spans(&r, &b))
}

/// Aligns the words between two that occur once, by their numbers.
fn align_words(left: &[u32], right: &[u32]) -> Vec<DiffOp> {
    if left.len() + right.len() <= MAX_ALIGNED_WORDS || left.is_empty() || right.is_empty() {
        return capture_diff_slices(Algorithm::Myers, left, right);
    }
    vec![DiffOp::Replace { old_index: 0, old_len: left.len(), new_index: 0, new_len: right.len() }]
}

/// Returns whether the words of two lines are compared, so that they can be counted.
pub fn is_split(left: &str, right: &str) -> bool {
    left.len().max(right.len()) <= MAX_LINE_BYTES
}

/// Marks everything except the common start and end.
fn ends_only(left: &str, right: &str) -> (Box<[Span]>, Box<[Span]>) {
    let start = common_bytes(left.chars(), right.chars());
    let end = common_bytes(left[start..].chars().rev(), right[start..].chars().rev());
    let to_spans_of = |line: &str| match Span::new(start, line.len() - end) {
        span if span.is_empty() => Box::default(),
        span => Box::from([span]),
    };
    (to_spans_of(left), to_spans_of(right))
}

/// Returns the length of the characters that two texts have in common at their start.
fn common_bytes(left: impl Iterator<Item = char>, right: impl Iterator<Item = char>) -> usize {
    let pairs = left.zip(right).take_while(|(a, b)| a == b);
    pairs.map(|(c, _)| c.len_utf8()).sum()
}

fn to_spans(words: &[&str], stretches: &[std::ops::Range<usize>]) -> Box<[Span]> {
    let mut spans = Vec::with_capacity(stretches.len());
    let (mut word, mut byte) = (0, 0);
    let mut byte_of = |index: usize| {
        byte += words[word..index].iter().map(|w| w.len()).sum::<usize>();
        word = index;
        byte
    };
    for stretch in stretches.iter().filter(|stretch| !stretch.is_empty()) {
        spans.push(Span::new(byte_of(stretch.start), byte_of(stretch.end)));
    }
    spans.into()
}

fn is_blank(word: &str) -> bool {
    word.chars().all(char::is_whitespace)
}

/// Returns how many words differ between two texts, on the side that has more of them.
pub fn changed(left: &str, right: &str) -> usize {
    let (l, r) = marks(left, right);
    count(left, &l).max(count(right, &r))
}

/// Returns the number of words in the marks of a line, without punctuation and white space.
pub fn count(line: &str, marks: &[Span]) -> usize {
    let is_word = |piece: &&&str| piece.chars().any(char::is_alphanumeric);
    marks
        .iter()
        .filter_map(|mark| line.get(mark.range()))
        .map(|text| split(text).iter().filter(is_word).count())
        .sum()
}

/// The words of a line with weights, to compute the similarity of two lines.
pub struct Weighed {
    words: Vec<(u64, u32)>,
    total: u32,
}

impl Weighed {
    /// Weighs the words of a line by their length; white space has no weight.
    pub fn new(line: &str) -> Self {
        use foldhash::fast::FixedState;
        use std::hash::BuildHasher as _;
        let mut end = line.len().min(MAX_EXACT_BYTES);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        let mut words: Vec<(u64, u32)> = split(&line[..end])
            .into_iter()
            .filter(|word| !is_blank(word))
            .take(MAX_WEIGHED_WORDS)
            .map(|word| (FixedState::default().hash_one(word), word.chars().count() as u32))
            .collect();
        // Sorted, so that one pass over both lists finds the common words.
        words.sort_unstable();
        let total = words.iter().map(|word| word.1).sum();
        Self { words, total }
    }

    /// Returns the cost of one comparison.
    pub(super) fn cost(&self) -> usize {
        self.words.len() + 1
    }

    /// Returns the similarity of two lines, from 0 to 1: the share of common words.
    pub fn similarity(&self, other: &Self) -> f32 {
        // Two blank lines are alike.
        if self.total + other.total == 0 {
            return 1.0;
        }
        let (mut a, mut b) = (self.words.iter().peekable(), other.words.iter().peekable());
        let mut common_weight = 0;
        while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => a.next(),
                std::cmp::Ordering::Greater => b.next(),
                std::cmp::Ordering::Equal => {
                    common_weight += x.1;
                    a.next();
                    b.next()
                }
            };
        }
        2.0 * common_weight as f32 / (self.total + other.total) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(left: &str, right: &str) -> String {
        let (a, b) = marks(left, right);
        let show = |line: &str, marks: &[Span]| {
            let mut output = line.to_owned();
            for mark in marks.iter().rev() {
                output.insert(mark.end as usize, ']');
                output.insert(mark.start as usize, '[');
            }
            output
        };
        format!("{}\n{}", show(left, &a), show(right, &b))
    }

    #[test]
    fn only_the_words_that_differ_are_marked() {
        insta::assert_snapshot!(shown("Decide who should handle this ticket.", "Decide who can handle the ticket."), @r"
        Decide who [should] handle [this] ticket.
        Decide who [can] handle [the] ticket.
        ");
        insta::assert_snapshot!(shown("transition_to_respond", "transition_to_reply"), @r"
        transition_to_[respond]
        transition_to_[reply]
        ");
        insta::assert_snapshot!(shown("Known issue, answer in article 114", "Known issue, see article 114"), @r"
        Known issue, [answer in] article 114
        Known issue, [see] article 114
        ");
        insta::assert_snapshot!(shown("a  b", "a b "), @r"
        a[  ]b
        a[ ]b[ ]
        ");
    }

    #[test]
    fn a_very_long_line_is_compared_by_its_ends() {
        let long_text = "x".repeat(MAX_LINE_BYTES);
        let (a, b) = marks(&format!("<{long_text}>é"), &format!("<{long_text}y>é"));
        assert!(a.is_empty());
        assert_eq!((b.len(), b[0].len()), (1, 1));
    }

    #[test]
    fn the_words_of_a_long_line_are_counted() {
        let words = |range: std::ops::Range<usize>| {
            let words: Vec<String> = range.map(|at| format!("word{at}")).collect();
            words.join(" ")
        };
        let text = words(0..4_000);
        assert!(text.len() > 2 * MAX_EXACT_BYTES);
        let cases = [
            (text.replace("word17 ", "one ").replace("word3900 ", "two "), [2, 2]),
            (text.replace("word17 ", "") + " more words", [1, 2]),
            // Words that occur often, in a text without spaces.
            (text.replace(' ', ","), [0, 0]),
            (format!("{} {text}", words(5_000..9_000)), [0, 4_000]),
            (words(5_000..9_000), [4_000, 4_000]),
        ];
        for (other_text, expected) in cases {
            let (a, b) = marks(&text, &other_text);
            assert_eq!([count(&text, &a), count(&other_text, &b)], expected);
            let (a, b) = marks(&other_text, &text);
            assert_eq!([count(&text, &b), count(&other_text, &a)], expected);
        }
        // Too many words that all occur often.
        let [old, new] = ["1", "2"].map(|last| "0,".repeat(20_000) + last);
        assert_eq!(changed(&old, &new), 1);
        assert_eq!(changed(&format!("1,{old}"), &format!("2,{new}")), 20_002);
    }

    fn unmarked(line: &str, marks: &[Span]) -> String {
        let mut rest = line.to_owned();
        for mark in marks.iter().rev() {
            rest.replace_range(mark.range(), "");
        }
        rest
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn what_is_not_marked_is_the_same_on_both_sides(left in "[ab _.é👩‍💻\u{301}]{0,20}", right in "[ab _.é👩‍💻\u{301}]{0,20}") {
            let (a, b) = marks(&left, &right);
            prop_assert_eq!(unmarked(&left, &a), unmarked(&right, &b));
            prop_assert_eq!(a.is_empty() && b.is_empty(), left == right);
            prop_assert_eq!(split(&left).concat(), left);
        }

        #[test]
        fn ascii_is_split_as_any_text(line in "[ab1' _.,:;\t\r\n-]{0,20}") {
            prop_assert_eq!(split_ascii(&line), split_unicode(&line));
        }

        #[test]
        fn a_mark_neither_begins_nor_ends_with_what_both_have(left in "[abc ]{0,12}", right in "[abc ]{0,12}") {
            let (a, b) = marks(&left, &right);
            // Marks come in pairs only where both sides have one; with a single pair that is certain.
            if let ([x], [y]) = (&*a, &*b) {
                let (x, y) = (split(&left[x.range()]), split(&right[y.range()]));
                if left[..a[0].start as usize] == right[..b[0].start as usize] {
                    prop_assert_ne!(x.first(), y.first());
                    prop_assert_ne!(x.last(), y.last());
                }
            }
        }
    }
}
