//! The three versions of a document, row by row, for the view.

use std::ops::Range;
use std::sync::Arc;

use document::diff::Side;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::merge::{Hunk, HunkKind, Merge, MergeSide};
use document::text::{Source, Span, counted, visible};
use protocol::DocId;
use widgets::highlight::Language;
use workbench::{Conflict, DeskView, SideBySideContent, Workbench};

/// The three versions from left to right.
pub(super) const VERSIONS: [MergeSide; 3] = [MergeSide::Base, MergeSide::Theirs, MergeSide::Ours];

/// Number of equal lines shown before and after a change.
const CONTEXT_LINES: usize = 3;
/// Minimum number of equal lines that are folded.
const MIN_FOLDED_LINES: usize = 4;

/// Data of the conflict view.
#[derive(Debug)]
pub struct ConflictData {
    pub doc: DocId,
    /// The name of its file.
    pub title: String,
    /// Such as "2 edits".
    pub edits: String,
    /// The selected place, from 0.
    pub current: usize,
    /// The versions; `None` while they are compared.
    pub versions: Option<Box<Versions>>,
    made_from: (DocId, u64, usize),
}

/// The versions as rows.
#[derive(Debug)]
pub struct Versions {
    /// The versions, and the choices.
    pub conflict: Conflict,
    /// The language, for colours.
    pub language: Language,
    /// The rows from top to bottom.
    pub rows: Vec<ConflictRow>,
    /// The row of each place.
    pub row_of: Vec<usize>,
    /// The places that differ, in order.
    pub places: Vec<ConflictPlace>,
    /// The rows of the result, from top to bottom.
    pub result: Vec<ResultRow>,
    /// The row of each place in the result.
    pub result_of: Vec<usize>,
    /// Number of places that are not decided yet.
    pub undecided: usize,
}

/// A row across the three versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictRow {
    /// Lines of base, theirs and ours side by side.
    Lines {
        /// Their place, from 0; `None` if all versions are the same.
        place: Option<usize>,
        /// `None` if a version has no line here.
        lines: [Option<VersionLine>; 3],
    },
    /// The number of folded lines that are the same in all versions.
    Fold(usize),
}

/// A line of one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionLine {
    /// Index from 0.
    pub index: usize,
    /// Whether it differs from the base, or in the base from a version.
    pub changed: bool,
    /// The words that differ, as bytes within the line.
    pub marks: Box<[Span]>,
}

impl VersionLine {
    fn same(index: usize) -> Self {
        Self { index, changed: false, marks: Box::default() }
    }
}

/// A place that differs, in the list of places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictPlace {
    /// A title for the content.
    pub title: String,
    /// The lines, and who changed them.
    pub detail: String,
    /// The content in base, theirs and ours, shortened.
    pub shown: [String; 3],
    /// Whether both changed it differently.
    pub is_conflict: bool,
    /// The chosen version.
    pub version: Option<MergeSide>,
}

/// A row of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultRow {
    /// A line of a version.
    Line {
        version: MergeSide,
        /// Index from 0 in that version.
        index: usize,
        /// Its number in the result, from 1.
        number: usize,
        /// Its place; `None` if all versions are the same.
        place: Option<usize>,
    },
    /// The number of folded lines that are the same in all versions.
    Fold(usize),
    /// A place that is not decided yet.
    Open(usize),
}

impl ConflictData {
    /// Synchronizes with the workbench while it shows a conflict.
    pub fn update(data: &mut Option<Self>, workbench: &Workbench) {
        let (DeskView::Conflict(doc), Some(side)) =
            (workbench.core.here().view, workbench.core.side.as_ref())
        else {
            *data = None;
            return;
        };
        // For another comparison of the same document, the place starts at 0 again.
        let conflict = match &side.content {
            SideBySideContent::Versions(conflict) => Some(conflict),
            _ => None,
        };
        let merge = conflict.map_or(0, |conflict| Arc::as_ptr(&conflict.merge) as usize);
        let made_from = (doc, side.revision, merge);
        if let Some(data) = data.as_mut().filter(|data| data.made_from == made_from) {
            data.current = side.change;
            return;
        }
        let name = workbench.core.library.name_of(doc);
        let edits = workbench.core.journal.edits_of(doc).max(1);
        *data = Some(Self {
            doc,
            title: visible(name).into_owned(),
            edits: counted(edits, "edit", "edits"),
            current: side.change,
            versions: conflict.map(|conflict| Box::new(Versions::new(conflict.clone(), name))),
            made_from,
        });
    }
}

impl Versions {
    fn new(conflict: Conflict, name: &str) -> Self {
        let merge = &conflict.merge;
        let (mut rows, mut row_of) = (Vec::new(), Vec::new());
        let hunks = merge.hunks.len();
        for (index, hunk) in merge.hunks.iter().enumerate() {
            if hunk.kind == HunkKind::Same {
                push_same(&mut rows, hunk, index > 0, index + 1 < hunks);
            } else {
                row_of.push(rows.len());
                push_changed(&mut rows, merge, hunk, row_of.len() - 1);
            }
        }
        let places: Vec<ConflictPlace> =
            (0..row_of.len()).map(|place| place_line(&conflict, place)).collect();
        let (result, result_of) = result(&conflict);
        Self {
            language: if name.ends_with(".json") { Language::Json } else { Language::Yaml },
            undecided: conflict.undecided(),
            rows,
            row_of,
            places,
            result,
            result_of,
            conflict,
        }
    }

    /// Returns the text of a version.
    pub fn source(&self, version: MergeSide) -> &Source {
        self.conflict.merge.source(version)
    }
}

/// Returns how many lines of a range are shown before and after the fold, and how many are folded.
fn context(lines: usize, has_before: bool, has_after: bool) -> (usize, usize, usize) {
    // At the beginning and the end of a file there is no change that the lines would be the context of.
    let first = if has_before { CONTEXT_LINES } else { 0 };
    let last = if has_after { CONTEXT_LINES } else { 0 };
    // A fold needs a row, too, and a click to open it.
    if lines >= first + last + MIN_FOLDED_LINES {
        (first, lines - first - last, last)
    } else {
        (lines, 0, 0)
    }
}

fn push_same(rows: &mut Vec<ConflictRow>, hunk: &Hunk, has_before: bool, has_after: bool) {
    let line = |offset: usize| {
        let starts = [hunk.base.start, hunk.theirs.start, hunk.ours.start];
        ConflictRow::Lines {
            place: None,
            lines: starts.map(|start| Some(VersionLine::same(start + offset))),
        }
    };
    let lines = hunk.base.len();
    let (first, hidden_count, last) = context(lines, has_before, has_after);
    rows.extend((0..first).map(line));
    if hidden_count > 0 {
        rows.push(ConflictRow::Fold(hidden_count));
    }
    rows.extend((lines - last..lines).map(line));
}

fn push_changed(rows: &mut Vec<ConflictRow>, merge: &Merge, hunk: &Hunk, place: usize) {
    let diff = |version| {
        // Both are compared with the base and not with each other, so that marks show who changed what.
        let [base, other] =
            [MergeSide::Base, version].map(|side| Source::new(merge.text(hunk, side)));
        TextDiff::new(&base, &other, Outline::Plain)
    };
    let (theirs, ours) = (diff(MergeSide::Theirs), diff(MergeSide::Ours));
    let column = |range: &Range<usize>, diffs: &[(&TextDiff, Side)]| {
        let mut lines: Vec<_> = range.clone().map(VersionLine::same).collect();
        for (diff, side) in diffs {
            for row in diff.rows.iter().filter(|row| !row.is_same()) {
                let number = row.number(*side).map_or(0, |number| number as usize);
                if let Some(line) = number.checked_sub(1).and_then(|index| lines.get_mut(index)) {
                    line.changed = true;
                    // Both versions may change the same line of the base, which has room for the marks of one.
                    if line.marks.is_empty() {
                        line.marks = row.marks(*side).into();
                    }
                }
            }
        }
        lines
    };
    let columns = [
        column(&hunk.base, &[(&theirs, Side::Left), (&ours, Side::Left)]),
        column(&hunk.theirs, &[(&theirs, Side::Right)]),
        column(&hunk.ours, &[(&ours, Side::Right)]),
    ];
    let height = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row = |index: usize| ConflictRow::Lines {
        place: Some(place),
        lines: [0, 1, 2].map(|column: usize| columns[column].get(index).cloned()),
    };
    rows.extend((0..height).map(row));
}

fn place_line(conflict: &Conflict, place: usize) -> ConflictPlace {
    let merge = &conflict.merge;
    let hunk = &merge.hunks[conflict.places[place]];
    let lines = VERSIONS.map(|version| {
        let lines = merge.text(hunk, version).lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).collect::<Vec<&str>>()
    });
    let [_, theirs, ours] = &lines;
    // Of the versions the first lines that differ, or their values would look equal.
    let first = (0..theirs.len().max(ours.len())).find(|at| theirs.get(*at) != ours.get(*at));
    let texts = lines.map(|lines| {
        let line = lines
            .get(first.unwrap_or_default())
            .or(lines.last())
            .copied()
            .unwrap_or_default()
            .chars()
            .take(48)
            .collect::<String>();
        visible(&line).into_owned()
    });
    let change = match hunk.kind {
        HunkKind::Theirs => "changed only in theirs",
        HunkKind::Ours => "changed only in ours",
        HunkKind::Both => "both made the same change",
        // Places are never of the kind `Same`.
        HunkKind::Conflict | HunkKind::Same => "changed on both sides",
    };
    let lines = match hunk.base.len() {
        0 => format!("after line {}", hunk.base.start),
        1 => format!("line {}", hunk.base.start + 1),
        _ => format!("lines {} to {}", hunk.base.start + 1, hunk.base.end),
    };
    // A place is named by its new text; by the old one only where lines were deleted.
    let order = if hunk.kind == HunkKind::Theirs { [1, 2, 0] } else { [2, 1, 0] };
    let title =
        order.map(|column: usize| &texts[column]).into_iter().find(|title| !title.is_empty());
    ConflictPlace {
        title: title.map_or_else(|| "Empty lines".to_owned(), String::clone),
        detail: format!("{lines}, {change}"),
        is_conflict: hunk.kind == HunkKind::Conflict,
        version: conflict.version(place),
        shown: texts,
    }
}

fn version_lines(hunk: &Hunk, version: MergeSide) -> Range<usize> {
    match version {
        MergeSide::Base => hunk.base.clone(),
        MergeSide::Theirs => hunk.theirs.clone(),
        MergeSide::Ours => hunk.ours.clone(),
    }
}

fn result(conflict: &Conflict) -> (Vec<ResultRow>, Vec<usize>) {
    let (mut rows, mut result_of) = (Vec::new(), Vec::new());
    let hunks = &conflict.merge.hunks;
    let mut number = 0;
    for (hunk_index, hunk) in hunks.iter().enumerate() {
        let place = (hunk.kind != HunkKind::Same).then_some(result_of.len());
        let version = match place {
            Some(place) => {
                result_of.push(rows.len());
                conflict.version(place)
            }
            // Outside of the places all versions have the same lines.
            None => Some(MergeSide::Ours),
        };
        let Some(version) = version else {
            rows.extend(place.map(ResultRow::Open));
            continue;
        };
        let lines = version_lines(hunk, version);
        let (first, hidden_count, _) = match place {
            Some(_) => (lines.len(), 0, 0),
            None => context(lines.len(), hunk_index > 0, hunk_index + 1 < hunks.len()),
        };
        for (offset, index) in lines.enumerate() {
            number += 1;
            if offset == first && hidden_count > 0 {
                rows.push(ResultRow::Fold(hidden_count));
            }
            if !(first..first + hidden_count).contains(&offset) {
                rows.push(ResultRow::Line { version, index, number, place });
            }
        }
    }
    (rows, result_of)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use workbench::ConflictOrigin;

    /// Formats the rows as text: the three versions side by side, `*` before changes; then the result.
    fn picture(base: &str, theirs: &str, ours: &str) -> String {
        let [base, theirs, ours] = [base, theirs, ours].map(Source::new);
        let merge = Merge::new(&base, &theirs, &ours);
        let conflict = Conflict::new(Arc::new(merge), Default::default(), ConflictOrigin::Disk);
        let versions = Versions::new(conflict, "a.yaml");
        let cell = |version: MergeSide, line: &Option<VersionLine>| match line {
            None => "/".to_owned(),
            Some(line) => {
                let mark = if line.changed { "*" } else { "" };
                format!("{mark}{}", versions.source(version).line(line.index))
            }
        };
        let mut lines = Vec::new();
        for row in &versions.rows {
            lines.push(match row {
                ConflictRow::Fold(count) => format!("… {count}"),
                ConflictRow::Lines { lines: [b, t, o], .. } => {
                    [cell(MergeSide::Base, b), cell(MergeSide::Theirs, t), cell(MergeSide::Ours, o)]
                        .join(" | ")
                }
            });
        }
        lines.push("=".to_owned());
        for row in &versions.result {
            lines.push(match row {
                ResultRow::Fold(count) => format!("… {count}"),
                ResultRow::Open(place) => format!("? {place}"),
                ResultRow::Line { version, index, number, .. } => {
                    format!("{number} {}", versions.source(*version).line(*index))
                }
            });
        }
        let places = versions.places.iter();
        lines.extend(places.map(|place| format!("{}: {}", place.title, place.detail)));
        lines.join("\n")
    }

    #[test]
    fn three_versions_are_side_by_side_above_the_result() {
        let base = "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\nk: 1\nl: 1\n";
        let theirs = base.replace("a: 1", "a: 3").replace("l: 1", "l: 3");
        let ours = base.replace("l: 1\n", "l: 2\nm: 2\n");
        insta::assert_snapshot!(picture(base, &theirs, &ours), @"
        *a: 1 | *a: 3 | a: 1
        b: 1 | b: 1 | b: 1
        c: 1 | c: 1 | c: 1
        d: 1 | d: 1 | d: 1
        … 4
        i: 1 | i: 1 | i: 1
        j: 1 | j: 1 | j: 1
        k: 1 | k: 1 | k: 1
        *l: 1 | *l: 3 | *l: 2
        / | / | *m: 2
        =
        1 a: 3
        2 b: 1
        3 c: 1
        4 d: 1
        … 4
        9 i: 1
        10 j: 1
        11 k: 1
        ? 1
        a: 3: line 1, changed only in theirs
        l: 2: line 12, changed on both sides
        ");
    }
}
