//! Finds the marks of secrets in a text, in one pass that looks at each pair of bytes once.
//!
//! Nearly every text has none, so only that must be quick. Three neighbouring bytes of each mark are chosen so that their two pairs
//! are rare; wherever the mark is, one of the two is at an even place. A table has these pairs. Where one is, the three bytes are
//! looked for in a second, which hardly any text passes without a mark.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::format::FORMATS;
use super::named;

/// The marks of all forms and of all names.
pub(super) static MARKS: LazyLock<MarkerSearch> = LazyLock::new(|| {
    let forms = FORMATS.iter().enumerate().flat_map(|(number, form)| {
        form.marks.iter().map(move |mark| (*mark, MarkGroup::Form(number)))
    });
    MarkerSearch::new(forms.chain(named::MARKS.iter().map(|mark| (*mark, MarkGroup::Name))))
});

/// The form or the name that a mark is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MarkGroup {
    /// A secret in the form with this number.
    Form(usize),
    /// The name of a secret.
    Name,
}

/// Looks for any of some short texts.
pub(super) struct MarkerSearch {
    /// For each pair of bytes the number of its bucket plus one; 0 for a pair of no mark.
    bucket_of: Box<[u8; PAIR_COUNT]>,
    buckets: Vec<Bucket>,
    /// A bit for each hash of the three bytes of a mark.
    triples: Box<[bool; TRIPLE_COUNT]>,
}

/// The marks that a pair may be a part of.
#[derive(Default)]
struct Bucket {
    candidates: Vec<Candidate>,
    /// Whether one of them has less than three bytes.
    has_short: bool,
}

/// A mark that may be at a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Candidate {
    mark: &'static str,
    group: MarkGroup,
    /// Offset of the pair in the mark; -1 if the first byte of the mark is the second of the pair.
    offset: isize,
}

/// Number of pairs of bytes.
const PAIR_COUNT: usize = 1 << 16;

/// Number of hashes of three bytes.
const TRIPLE_COUNT: usize = 1 << 12;

/// Number of bytes that are checked at once.
const BLOCK_BYTES: usize = 16;

impl MarkerSearch {
    fn new(marks: impl Iterator<Item = (&'static str, MarkGroup)>) -> Self {
        let mut candidates_of_pair: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
        let mut triples = Box::new([false; TRIPLE_COUNT]);
        for (mark, group) in marks {
            if let Some((_, triple)) = rarest_triple(mark.as_bytes()) {
                triples[hash(triple)] = true;
            }
            for (pair, offset) in anchors(mark.as_bytes()) {
                candidates_of_pair.entry(pair).or_default().push(Candidate { mark, group, offset });
            }
        }
        let (mut bucket_of, mut buckets) = (Box::new([0; PAIR_COUNT]), Vec::new());
        let mut bucket_numbers: HashMap<Vec<Candidate>, u8> = HashMap::new();
        for (pair, candidates) in candidates_of_pair {
            bucket_of[pair] = *bucket_numbers.entry(candidates).or_insert_with_key(|candidates| {
                // The number of a bucket must fit into the byte of the table, so the last ones share a bucket.
                if buckets.len() < usize::from(u8::MAX) {
                    buckets.push(Bucket::default());
                }
                if let Some(bucket) = buckets.last_mut() {
                    bucket.candidates.extend_from_slice(candidates);
                    bucket.has_short |= candidates.iter().any(|c| c.mark.len() < 3);
                }
                buckets.len() as u8
            });
        }
        Self { bucket_of, buckets, triples }
    }

    /// Calls `report` with the start and the end of each occurrence, and with what the mark is a part of.
    pub(super) fn each(&self, text: &str, report: &mut impl FnMut(MarkGroup, usize, usize)) {
        let bytes = text.as_bytes();
        let mut blocks = bytes.chunks_exact(BLOCK_BYTES);
        let mut start = 0;
        for block in &mut blocks {
            // Without a branch for each pair this takes a third of the time.
            if block.chunks_exact(2).fold(0, |bits, pair| bits | self.bucket_of[pair_of(pair)]) != 0
            {
                let mut hits = self.hits(block);
                while hits != 0 {
                    let at = hits.trailing_zeros() as usize * 2;
                    self.check(bytes, start + at, &block[at..at + 2], report);
                    hits &= hits - 1;
                }
            }
            start += BLOCK_BYTES;
        }
        for (pair, at) in blocks.remainder().chunks(2).zip((start..).step_by(2)) {
            self.check(bytes, at, pair, report);
        }
    }

    /// Returns a bit for each pair of a block that is one of a mark, the first in the lowest.
    fn hits(&self, block: &[u8]) -> u32 {
        block.chunks_exact(2).enumerate().fold(0, |hits, (number, pair)| {
            hits | u32::from(self.bucket_of[pair_of(pair)] != 0) << number
        })
    }

    /// Checks the pair at `at`.
    fn check(
        &self,
        bytes: &[u8],
        at: usize,
        pair: &[u8],
        report: &mut impl FnMut(MarkGroup, usize, usize),
    ) {
        let bucket = usize::from(self.bucket_of[pair_of(pair)]);
        let Some(bucket) = bucket.checked_sub(1).and_then(|i| self.buckets.get(i)) else {
            return;
        };
        let is_triple = |at: usize| {
            let triple = bytes.get(at..).and_then(|rest| rest.first_chunk());
            triple.is_some_and(|triple| self.triples[hash(triple)])
        };
        // Both are looked up: a branch between them would be predicted badly.
        let is_part = is_triple(at) | (at > 0 && is_triple(at - 1));
        if !(bucket.has_short || is_part) {
            return;
        }
        for candidate in &bucket.candidates {
            let Some(mark_start) = at.checked_add_signed(-candidate.offset) else { continue };
            if bytes.get(mark_start..).unwrap_or_default().starts_with(candidate.mark.as_bytes()) {
                report(candidate.group, mark_start, mark_start + candidate.mark.len());
            }
        }
    }
}

/// Returns the number of a pair of bytes. The last byte of a text may be alone.
fn pair_of(pair: &[u8]) -> usize {
    match *pair {
        [first, second] => usize::from(u16::from_le_bytes([first, second])),
        [first] => usize::from(first),
        _ => 0,
    }
}

/// Returns the pairs by which a mark is found, wherever it begins, each with the place in the mark where it begins.
fn anchors(mark: &[u8]) -> Vec<(usize, isize)> {
    if let Some((at, [a, b, c])) = rarest_triple(mark) {
        let at = at as isize;
        return vec![(pair_of(&[*a, *b]), at), (pair_of(&[*b, *c]), at + 1)];
    }
    let all_bytes = || 0..=u8::MAX;
    // A mark of two bytes has no triple, and is found by every pair with its first byte.
    let Some(&first) = mark.first() else { return Vec::new() };
    let pairs = all_bytes()
        .filter(|next| mark.get(1).is_none_or(|second| second == next))
        .map(|next| (pair_of(&[first, next]), 0));
    pairs.chain(all_bytes().map(|previous| (pair_of(&[previous, first]), -1))).collect()
}

/// Returns the three neighbouring bytes whose two pairs are the rarest, and where they are.
fn rarest_triple(mark: &[u8]) -> Option<(usize, &[u8; 3])> {
    mark.windows(3).filter_map(|bytes| bytes.first_chunk()).enumerate().min_by_key(|(_, bytes)| {
        let [a, b, c] = bytes.map(frequency);
        // The middle byte is in both pairs.
        b * (a + c)
    })
}

fn hash(triple: &[u8; 3]) -> usize {
    let [a, b, c] = triple.map(u32::from);
    // The multiplier is the golden ratio of 32 bits: the upper twelve then depend on all three bytes.
    ((a | b << 8 | c << 16).wrapping_mul(0x9e37_79b1) >> 20) as usize % TRIPLE_COUNT
}

/// Returns about how often a byte occurs in ten thousand bytes of recordings.
fn frequency(byte: u8) -> u32 {
    const LETTERS: [u32; 26] = [
        500, 90, 220, 240, 800, 140, 130, 220, 480, 10, 50, 260, 170, 480, 500, 180, 8, 430, 450,
        640, 180, 70, 90, 20, 110, 6,
    ];
    match byte {
        b'a'..=b'z' => LETTERS[usize::from(byte - b'a')],
        b' ' => 1200,
        b'"' => 500,
        b':' | b',' | b'.' | b'\\' | b'\n' => 150,
        b'-' | b'_' | b'/' | b'0'..=b'9' => 60,
        _ => 20,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn every_occurrence_is_found_once(
            pieces in proptest::collection::vec((0..200_usize, "[ask@e_\\-\"é]{0,9}"), 0..12),
        ) {
            let marks: Vec<&str> = MARKS.buckets.iter().flat_map(|b| &b.candidates).map(|c| c.mark).collect();
            let pieces = pieces.iter().map(|(mark, text)| format!("{}{text}", marks[mark % marks.len()]));
            let text: String = pieces.collect();
            let mut occurrences = Vec::new();
            MARKS.each(&text, &mut |group, start, end| occurrences.push((start, end, format!("{group:?}"))));
            occurrences.sort();
            let forms = FORMATS.iter().enumerate().flat_map(|(number, form)| {
                form.marks.iter().map(move |mark| (mark, MarkGroup::Form(number)))
            });
            let candidates = forms.chain(named::MARKS.iter().map(|mark| (mark, MarkGroup::Name)));
            let mut expected: Vec<_> = candidates
                .flat_map(|(mark, group)| {
                    // Overlapping occurrences count, too.
                    let starts = (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(mark.as_bytes()));
                    starts.map(move |at| (at, at + mark.len(), format!("{group:?}")))
                })
                .collect();
            expected.sort();
            prop_assert_eq!(occurrences, expected);
        }
    }
}
