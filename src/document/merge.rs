//! Three-way merge: combines two edits of the same base, and finds their conflicts.
//!
//! The unit is the line with its line end. Changes that neither overlap nor touch are merged; others are conflicts, which
//! the user resolves.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use crate::text::Source;

/// Time limit of the diff for the shortest result, after which it accepts a coarser one.
const DIFF_TIMEOUT: Duration = Duration::from_secs(2);

/// One of the three versions of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeSide {
    /// The text when the edit began.
    Base,
    /// The text on disk.
    Theirs,
    /// The text edited here.
    Ours,
}

/// Difference of a hunk between the three versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HunkKind {
    /// The same in all three.
    Same,
    /// Only theirs differs from the base.
    Theirs,
    /// Only ours differs from the base.
    Ours,
    /// Both made the same change.
    Both,
    /// Both made different changes.
    Conflict,
}

/// A hunk: corresponding lines of the three versions. Ranges count lines from 0; one of them may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Difference between the versions.
    pub kind: HunkKind,
    /// Lines of the base.
    pub base: Range<usize>,
    /// Lines of theirs.
    pub theirs: Range<usize>,
    /// Lines of ours.
    pub ours: Range<usize>,
}

impl Hunk {
    /// Returns the version that the merge uses here; `None` for a conflict.
    pub fn version(&self) -> Option<MergeSide> {
        match self.kind {
            HunkKind::Same | HunkKind::Ours | HunkKind::Both => Some(MergeSide::Ours),
            HunkKind::Theirs => Some(MergeSide::Theirs),
            HunkKind::Conflict => None,
        }
    }
}

/// Three versions of a text and their hunks.
#[derive(Clone, Debug)]
pub struct Merge {
    base: LineTable,
    theirs: LineTable,
    ours: LineTable,
    /// All lines of all versions, in order. There is an unchanged hunk between any two that differ.
    pub hunks: Vec<Hunk>,
}

impl Merge {
    /// Compares two edits of the same base.
    pub fn new(base: &Source, theirs: &Source, ours: &Source) -> Self {
        let [base, theirs, ours] = [base, theirs, ours].map(LineTable::new);
        let deadline = Instant::now() + DIFF_TIMEOUT;
        let mut all_changes = changes(&base, &theirs, MergeSide::Theirs, deadline);
        all_changes.extend(changes(&base, &ours, MergeSide::Ours, deadline));
        all_changes.sort_by_key(|change| change.base.start);
        let mut merge = Self { base, theirs, ours, hunks: Vec::new() };
        for cluster in clusters(&all_changes) {
            merge.push_same(cluster[0].base.start);
            merge.push_changed(cluster);
        }
        merge.push_same(merge.base.count());
        merge
    }

    /// Returns the whole text of one version.
    pub fn source(&self, version: MergeSide) -> &Source {
        match version {
            MergeSide::Base => &self.base.source,
            MergeSide::Theirs => &self.theirs.source,
            MergeSide::Ours => &self.ours.source,
        }
    }

    /// Returns the text of a hunk in one version, including line ends.
    pub fn text(&self, hunk: &Hunk, version: MergeSide) -> &str {
        match version {
            MergeSide::Base => self.base.slice(&hunk.base),
            MergeSide::Theirs => self.theirs.slice(&hunk.theirs),
            MergeSide::Ours => self.ours.slice(&hunk.ours),
        }
    }

    /// Adds the unchanged lines before line `until` of the base.
    fn push_same(&mut self, until: usize) {
        let [base, theirs, ours] = self.ends();
        let count = until.saturating_sub(base);
        if count > 0 {
            self.hunks.push(Hunk {
                kind: HunkKind::Same,
                base: base..base + count,
                theirs: theirs..theirs + count,
                ours: ours..ours + count,
            });
        }
    }

    /// Adds the hunk of changes that touch each other.
    fn push_changed(&mut self, cluster: &[LineChange]) {
        let [base, theirs, ours] = self.ends();
        let end = cluster.iter().map(|change| change.base.end).max();
        let base = base..end.unwrap_or(base);
        // The lines of a side are those of the base without the removed lines and with the added lines.
        let count = |version| {
            let edits = cluster.iter().filter(|change| change.by == version);
            edits.fold(base.len(), |count, change| count + change.added - change.base.len())
        };
        let theirs = theirs..theirs + count(MergeSide::Theirs);
        let ours = ours..ours + count(MergeSide::Ours);
        let all_by = |version| cluster.iter().all(|change| change.by == version);
        let kind = if all_by(MergeSide::Theirs) {
            HunkKind::Theirs
        } else if all_by(MergeSide::Ours) {
            HunkKind::Ours
        } else if self.theirs.slice(&theirs) == self.ours.slice(&ours) {
            HunkKind::Both
        } else {
            HunkKind::Conflict
        };
        self.hunks.push(Hunk { kind, base, theirs, ours });
    }

    /// Returns the ends of the last hunk in base, theirs and ours.
    fn ends(&self) -> [usize; 3] {
        self.hunks.last().map_or([0; 3], |hunk| [hunk.base.end, hunk.theirs.end, hunk.ours.end])
    }
}

/// Lines of the base that one side replaces by others.
#[derive(Clone, Debug)]
struct LineChange {
    by: MergeSide,
    base: Range<usize>,
    /// Number of lines that replace them.
    added: usize,
}

fn changes(base: &LineTable, table: &LineTable, side: MergeSide, end: Instant) -> Vec<LineChange> {
    let (old, new) = (base.all(), table.all());
    let ops = capture_diff_slices_deadline(Algorithm::Histogram, &old, &new, Some(end));
    let changes = ops.into_iter().filter(|op| op.tag() != DiffTag::Equal);
    let change = changes.map(|op| LineChange {
        by: side,
        base: op.old_range(),
        added: op.new_range().len(),
    });
    change.collect()
}

/// Groups sorted changes that overlap or touch.
fn clusters(changes: &[LineChange]) -> impl Iterator<Item = &[LineChange]> {
    let mut end = 0;
    changes.chunk_by(move |previous, next| {
        // The end of the group so far: a change may be within an earlier one of the other side.
        end = previous.base.end.max(end);
        // Changes that only touch are a conflict as well, as for git: they may depend on each other.
        next.base.start <= end
    })
}

/// A text split into lines, each with its line end.
#[derive(Clone, Debug)]
struct LineTable {
    source: Source,
    /// The first byte of each line; then the text's end.
    borders: Vec<usize>,
}

impl LineTable {
    fn new(source: &Source) -> Self {
        let text = source.text();
        let mut borders = vec![0];
        for (at, byte) in text.bytes().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                borders.push(at + 1);
            }
        }
        if borders.last() != Some(&text.len()) {
            borders.push(text.len());
        }
        Self { source: source.clone(), borders }
    }

    fn count(&self) -> usize {
        self.borders.len() - 1
    }

    fn all(&self) -> Vec<&str> {
        (0..self.count()).map(|line| self.slice(&(line..line + 1))).collect()
    }

    fn slice(&self, lines: &Range<usize>) -> &str {
        &self.source.text()[self.borders[lines.start]..self.borders[lines.end]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the text with each hunk in the version that `choose` returns for it; `None` if it returns none.
    fn whole(merge: &Merge, choose: impl Fn(&Hunk) -> Option<MergeSide>) -> Option<String> {
        merge.hunks.iter().map(|hunk| Some(merge.text(hunk, choose(hunk)?))).collect()
    }

    /// Returns the hunks that are not the same everywhere, then the merged text.
    fn merge(base: &str, theirs: &str, ours: &str) -> String {
        let [base, theirs, ours] = [base, theirs, ours].map(Source::new);
        let merge = Merge::new(&base, &theirs, &ours);
        let mut report = String::new();
        for hunk in &merge.hunks {
            if hunk.kind != HunkKind::Same {
                let [base, theirs, ours] = [MergeSide::Base, MergeSide::Theirs, MergeSide::Ours]
                    .map(|version| merge.text(hunk, version));
                report += &format!("{:?}: {base:?} {theirs:?} {ours:?}\n", hunk.kind);
            }
        }
        report + &format!("{:?}", whole(&merge, Hunk::version))
    }

    #[test]
    fn edits_that_do_not_touch_are_taken_together() {
        insta::assert_snapshot!(merge(
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n",
            "{\n  \"a\": 10,\n  \"b\": 2,\n  \"c\": 3\n}\n",
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n",
        ), @r#"
        Theirs: "  \"a\": 1,\n" "  \"a\": 10,\n" "  \"a\": 1,\n"
        Ours: "  \"c\": 3\n" "  \"c\": 3\n" "  \"c\": 3,\n  \"d\": 4\n"
        Some("{\n  \"a\": 10,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": 4\n}\n")
        "#);
    }

    #[test]
    fn edits_that_touch_are_for_a_person_to_decide() {
        insta::assert_snapshot!(merge("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nb\nC\nd\n"), @r#"
        Conflict: "b\nc\n" "B\nc\n" "b\nC\n"
        None
        "#);
        insta::assert_snapshot!(merge("a\nb\n", "a\ntheirs\nb\n", "a\nours\nb\n"), @r#"
        Conflict: "" "theirs\n" "ours\n"
        None
        "#);
        insta::assert_snapshot!(merge("a\nb\nc\n", "a\nc\n", "a\nB\nc\n"), @r#"
        Conflict: "b\n" "" "B\n"
        None
        "#);
    }

    #[test]
    fn the_same_edit_on_both_sides_is_no_conflict() {
        insta::assert_snapshot!(merge("a\nb\nc", "a\nx\ny\nc", "a\nx\ny\nc"), @r#"
        Both: "b\n" "x\ny\n" "x\ny\n"
        Some("a\nx\ny\nc")
        "#);
    }

    #[test]
    fn line_ends_count_and_are_kept() {
        insta::assert_snapshot!(merge("a\r\nb\rc\n\nd", "a\r\nb\rc\n\nd\n", "A\r\nb\rc\n\nd"), @r#"
        Ours: "a\r\n" "a\r\n" "A\r\n"
        Theirs: "d" "d\n" "d"
        Some("A\r\nb\rc\n\nd\n")
        "#);
        insta::assert_snapshot!(merge("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n"), @r#"
        Conflict: "a\nb\nc\n" "a\r\nb\r\nc\r\n" "a\nB\nc\n"
        None
        "#);
    }

    fn text() -> impl Strategy<Value = String> {
        "((a|b|c|d|)(\n|\r\n|\r)){0,8}(a|b|)"
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn where_one_side_changed_nothing_the_merge_is_the_other(base in text(), other in text()) {
            let [base, other] = [base, other].map(Source::new);
            for (theirs, ours) in [(&other, &base), (&base, &other), (&other, &other)] {
                let merged_text = whole(&Merge::new(&base, theirs, ours), Hunk::version);
                prop_assert_eq!(merged_text.as_deref(), Some(other.text()));
            }
        }

        #[test]
        fn every_version_comes_back_byte_for_byte(base in text(), theirs in text(), ours in text()) {
            let [base, theirs, ours] = [base, theirs, ours].map(Source::new);
            let merge = Merge::new(&base, &theirs, &ours);
            prop_assert_eq!(whole(&merge, |_| Some(MergeSide::Base)), Some(base.text().to_owned()));
            prop_assert_eq!(whole(&merge, |_| Some(MergeSide::Theirs)), Some(theirs.text().to_owned()));
            prop_assert_eq!(whole(&merge, |_| Some(MergeSide::Ours)), Some(ours.text().to_owned()));
            let differ = |hunk: &Hunk| hunk.kind != HunkKind::Same;
            prop_assert!(merge.hunks.windows(2).all(|pair| differ(&pair[0]) != differ(&pair[1])));
        }

        #[test]
        fn edits_apart_from_each_other_both_arrive(
            before in text(), old in "[e-g]{1,3}", theirs in "[h-k]{0,3}", between in "[l-n]\n",
            ours in "[o-q]{0,3}", after in text(), end in "\n|\r\n",
        ) {
            let document = |first: &str, second: &str| {
                Source::new(format!("{before}\n{first}{end}{between}{second}{end}{after}"))
            };
            let merge = Merge::new(&document(&old, &old), &document(&theirs, &old), &document(&old, &ours));
            let merged_text = whole(&merge, Hunk::version);
            let expected = document(&theirs, &ours);
            prop_assert_eq!(merged_text.as_deref(), Some(expected.text()));
        }
    }
}
