//! Texts of a comparison between a request and a tape, and which of its parts are unfolded.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::format::tape::RequestShape;
use crate::ops::diff::fold::OpenFolds;
use crate::ops::tape::verify::{
    DifferenceKind, RequestDifference, RequestPart, RequestPartStatus, Strictness, VerifyVerdict,
};
use crate::text::{Span, counted, thousands};
use crate::ui::compare::{Sheet, SheetContent};
use crate::ui::highlight::Language;
use crate::ui::theme::Tone;
use crate::workbench::{DiffLayout, Verified};

/// Maximum number of differing parts that are shown.
const MAX_PARTS: usize = 200;

#[derive(Debug, PartialEq)]
pub(super) struct VerdictText {
    pub(super) tone: Tone,
    pub(super) heading: String,
    pub(super) body: String,
}

/// Returns the verdict as text.
pub(super) fn verdict_text(verdict: &VerifyVerdict, strictness: Strictness) -> VerdictText {
    let (mode, compared) = match (strictness, verdict.shape) {
        (Strictness::Strict, RequestShape::History) => {
            ("strict", "Compared: model, system prompt and history.")
        }
        (Strictness::Strict, RequestShape::Contents) => {
            ("strict", "Compared: model, contents and config.")
        }
        (Strictness::Strict, RequestShape::Other) => ("strict", "Compared: the whole request."),
        (Strictness::Loose, _) => {
            ("loose", "IDs, dates, key order and whitespace of JSON inside texts are ignored.")
        }
    };
    let ignored = match verdict.ignored.len() {
        0 => String::new(),
        count => format!(" {} ignored.", is_or_are(count)),
    };
    if verdict.matches() {
        return VerdictText {
            tone: Tone::Good,
            heading: format!("The tape answers this request in {mode} comparison."),
            body: format!("{compared}{ignored}"),
        };
    }
    let count = counted(verdict.differences.len(), "difference", "differences");
    let bytes = verdict.differences.iter().all(|one| one.kind == DifferenceKind::Bytes);
    let body = if bytes {
        "The request has the same meaning but different bytes: strict comparison includes key order and whitespace \
         inside texts. In loose comparison, the tape would answer it."
    .to_owned()
    } else {
        compared.to_owned()
    };
    VerdictText {
        tone: Tone::Error,
        heading: format!("The tape does not answer this request: {count} in {mode} comparison."),
        body: format!("{body}{ignored}"),
    }
}

fn is_or_are(count: usize) -> String {
    match count {
        1 => "1 difference is".to_owned(),
        _ => format!("{} differences are", thousands(count)),
    }
}

/// Formats the position of a difference on both sides.
pub(super) fn describe_place(difference: &RequestDifference) -> String {
    let pointer = match difference.pointer.as_str() {
        "" => "the whole request",
        pointer => pointer,
    };
    let (tape, request) = (difference.tape_place, difference.request_place);
    format!("{pointer}, tape {tape}, request {request}")
}

/// Returns the index of the part that contains a difference.
pub(super) fn part_of(parts: &[RequestPart], difference: &RequestDifference) -> Option<usize> {
    let within = |outer: Option<Span>, inner: Span| {
        outer.is_some_and(|outer| {
            let (outer, inner) = (outer.range(), inner.range());
            outer.start <= inner.start && inner.end <= outer.end
        })
    };
    parts.iter().position(|part| {
        within(part.tape, difference.tape) || within(part.request, difference.request)
    })
}

/// A row of the comparison: differing parts, and between them equal parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PartRow {
    /// Equal parts, folded.
    Same(Range<usize>),
    /// A part that is shown.
    Part(usize),
    /// The number of further differing parts.
    More(usize),
}

/// The rows of the comparison, and which of them are unfolded.
#[derive(Debug, Default)]
pub(super) struct ShownParts {
    verified_id: Option<usize>,
    pub(super) rows: Vec<PartRow>,
    sheets: BTreeMap<usize, Arc<Sheet>>,
    /// Equal parts that are shown anyway.
    unfolded: BTreeSet<usize>,
    folds: BTreeMap<usize, OpenFolds>,
}

impl ShownParts {
    /// Rebuilds the rows if another comparison is shown.
    pub(super) fn update(&mut self, verified: &Arc<Verified>) {
        let of = Some(Arc::as_ptr(verified).addr());
        if self.verified_id != of {
            *self = Self { verified_id: of, ..Self::default() };
            self.build_rows(&verified.parts);
        }
    }

    /// Returns the texts of a part that is shown.
    pub(super) fn sheet(&self, part: usize) -> Option<&Arc<Sheet>> {
        self.sheets.get(&part)
    }

    /// Shows equal parts.
    pub(super) fn unfold(&mut self, parts: &[RequestPart], range: Range<usize>) {
        self.unfolded.extend(range);
        self.build_rows(parts);
    }

    /// Opens or closes a fold among the lines of a part.
    pub(super) fn toggle_fold(&mut self, parts: &[RequestPart], part: usize, fold: usize) {
        let opened = self.folds.entry(part).or_default();
        if !opened.remove(&fold) {
            opened.insert(fold);
        }
        self.sheets.remove(&part);
        self.build_rows(parts);
    }

    fn build_rows(&mut self, parts: &[RequestPart]) {
        self.rows.clear();
        let (mut at, mut shown) = (0, 0);
        while let Some(part) = parts.get(at) {
            if part.status == RequestPartStatus::Same && !self.unfolded.contains(&at) {
                let is_folded = |index: &usize| {
                    let is_same =
                        parts.get(*index).map(|part| part.status) == Some(RequestPartStatus::Same);
                    is_same && !self.unfolded.contains(index)
                };
                let end = (at..).find(|index| !is_folded(index)).unwrap_or(at + 1);
                self.rows.push(PartRow::Same(at..end));
                at = end;
                continue;
            }
            if shown == MAX_PARTS {
                self.rows.push(PartRow::More(parts.len() - at));
                break;
            }
            let folds = self.folds.get(&at);
            let content = || SheetContent::Document(Arc::new(part.diff.clone()), Language::Json);
            let sheet =
                || Arc::new(Sheet::with_folds(content(), &|_| folds, DiffLayout::SideBySide));
            self.sheets.entry(at).or_insert_with(sheet);
            self.rows.push(PartRow::Part(at));
            (at, shown) = (at + 1, shown + 1);
        }
    }
}

/// Returns the label in place of folded parts.
pub(super) fn describe_folded(parts: &[RequestPart], range: &Range<usize>) -> String {
    let names: Vec<&str> =
        parts.get(range.clone()).unwrap_or_default().iter().map(|part| &*part.name).collect();
    match names[..] {
        [one] => format!("Equal: {one}"),
        [first, second] => format!("Equal: {first} and {second}"),
        [first, .., last] => format!("{} equal: {first} to {last}", thousands(names.len())),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use crate::ops::tape::verify::{side_by_side, verify};
    use crate::text::Source;

    const TAPE: &str = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "systemPrompt": "s", "history": [{"a": 1, "b": 2}, {"c": 1}, {"d": 1}]}, "stream": []}"#;

    fn described(request: &str, strictness: Strictness) -> String {
        let tape = read(Source::new(TAPE), "tape.json");
        let request = read(Source::new(request), "request.json");
        let verdict = verify(&tape, &request, strictness).unwrap();
        let parts = side_by_side(&tape, &request, &verdict);
        let VerdictText { heading, body, .. } = verdict_text(&verdict, strictness);
        let mut shown = ShownParts::default();
        shown.build_rows(&parts);
        let mut lines = vec![heading, body];
        lines.extend(shown.rows.iter().map(|row| match row {
            PartRow::Same(range) => describe_folded(&parts, range),
            PartRow::Part(part) => format!("{:?}: {}", parts[*part].status, parts[*part].name),
            PartRow::More(count) => format!("{count} more"),
        }));
        lines.extend(
            verdict
                .differences
                .iter()
                .map(|one| format!("{} in part {:?}", describe_place(one), part_of(&parts, one))),
        );
        lines.join("\n")
    }

    #[test]
    fn the_verdict_is_described_and_equal_parts_are_folded() {
        let reordered = r#"{"model": "m", "systemPrompt": "s", "history": [{"b": 2, "a": 1}, {"c": 1}, {"d": 1}]}"#;
        insta::assert_snapshot!(described(reordered, Strictness::Strict), @"
        The tape does not answer this request: 1 difference in strict comparison.
        The request has the same meaning but different bytes: strict comparison includes key order and whitespace inside texts. In loose comparison, the tape would answer it.
        Equal: model and systemPrompt
        Differs: event 1
        Equal: event 2 and event 3
        /history/0, tape 1:104, request 1:49 in part Some(2)
        ");
        insta::assert_snapshot!(described(reordered, Strictness::Loose), @"
        The tape answers this request in loose comparison.
        IDs, dates, key order and whitespace of JSON inside texts are ignored. 1 difference is ignored.
        Equal: model and systemPrompt
        Ignored: event 1
        Equal: event 2 and event 3
        ");
        let other = r#"{"model": "n", "systemPrompt": "s", "history": [{"a": 1, "b": 2}, {"c": 1}, {"e": 1}, {"d": 1}]}"#;
        insta::assert_snapshot!(described(other, Strictness::Strict), @"
        The tape does not answer this request: 2 differences in strict comparison.
        Compared: model, system prompt and history.
        Differs: model
        3 equal: systemPrompt to event 2
        Differs: event 3, only in the request
        Equal: event 3 of the tape, 4 of the request
        /model, tape 1:66, request 1:11 in part Some(0)
        /history/2, tape 1:103, request 1:77 in part Some(4)
        ");
    }
}
