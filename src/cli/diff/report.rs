//! The differences as JSON.

use std::borrow::Cow;
use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::first::{FirstDifferenceJson, rows};
use crate::output::Output;
use calls::file_part::FilePart;
use compare::review::{
    ChangeSubject, Decisions, Follows, LineCounts, Review, ReviewGroup, ReviewProgress,
    ReviewVerdict, Reviewed, Take, TakeChange, TakeValue,
};

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReviewDocument<'a> {
    pairs: Vec<PairJson<'a>>,
    groups: Vec<GroupJson<'a>>,
    /// Where each run parts, in place of pairs and groups; only with `--first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<FirstDifferenceJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<ReviewSummaryJson>,
}

#[derive(Serialize, JsonSchema)]
struct PairJson<'a> {
    old: Option<&'a str>,
    new: Option<&'a str>,
    status: &'static str,
    bytes_only: bool,
    paired_by: &'static str,
    changes: Vec<ChangeJson<'a>>,
    group: Option<&'a str>,
    /// `unreadable`, `noise`, `same-words`, `answered`, `sent` or `calls`.
    lane: &'static str,
    /// The earlier turn that caused the changes of this one.
    first_cause: Option<&'a str>,
    fault: Option<String>,
    /// The pointers of changes that overwrite what was edited by hand, only in a review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edited: Vec<&'a str>,
    #[serde(flatten)]
    decision: Option<DecisionJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct DecisionJson<'a> {
    /// `accept`, `keep-noise`, `reject`, `part`, `skip` or `discuss`; the last two leave the pair undecided.
    verdict: Option<&'static str>,
    decided: bool,
    note: &'a str,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ChangeJson<'a> {
    pointer: &'a str,
    kind: &'static str,
    old: Option<Value>,
    new: Option<Value>,
    old_pointer: Option<&'a str>,
    ignored: bool,
    ignored_as: Option<String>,
    follows: Option<Cow<'a, str>>,
    subject: &'static str,
    /// The lane of the change by itself.
    lane: &'static str,
    summary: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct GroupJson<'a> {
    id: &'a str,
    count: usize,
    summary: &'a str,
    detail: &'a str,
    needs_decision: bool,
    /// `unreadable`, `noise`, `same-words`, `answered`, `sent` or `calls`.
    lane: &'static str,
    /// In how many ways its pairs changed, by everything that is not ignored.
    variants: usize,
    /// The number of different causes; 1 if one decision is enough.
    causes: usize,
    /// Whether everything that is not ignored changed in the same way in all of its pairs.
    uniform: bool,
    /// The note on the group, only in a review; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct ReviewSummaryJson {
    pairs: usize,
    decided: usize,
    groups_left: usize,
    changed_lines: LineCounts,
}

/// Returns the command that shows a change in the new file: its call, its chunk of a tape, or its value. `None` for what was removed.
pub(super) fn show_command(
    review: &Review,
    reviewed: &Reviewed,
    change: &TakeChange,
) -> Option<String> {
    // The old side is a git revision or another folder, which the window does not show by a path.
    let path = &reviewed.pair.new.as_ref()?.path;
    let path = match &*review.base {
        "" => path.to_string(),
        base => format!("{}/{path}", base.trim_end_matches('/')),
    };
    change_part(reviewed, change)?.open_command(&path)
}

fn change_part(reviewed: &Reviewed, change: &TakeChange) -> Option<FilePart> {
    reviewed.pair.new.as_ref()?;
    if let Some(call) = &change.call {
        return call.numbers[1].map(FilePart::Call);
    }
    let pointer = &change.new.as_ref()?.pointer;
    // Outside of calls, only changes of the chunks of a tape have these subjects.
    let is_of_chunk = matches!(change.subject, ChangeSubject::Timing | ChangeSubject::Answer);
    let chunk = FilePart::chunk_at(pointer).filter(|_| is_of_chunk);
    Some(chunk.unwrap_or_else(|| FilePart::Pointer(pointer.to_string())))
}

/// Writes all pairs and groups, with the decision about each if there are decisions.
pub(crate) fn write(
    output: &mut Output,
    review: &Review,
    progress: Option<(&Decisions, LineCounts)>,
) -> io::Result<()> {
    let decisions = progress.map(|(decisions, _)| decisions);
    let pairs: Vec<usize> = (0..review.pairs.len()).collect();
    let row = |index: &usize| {
        Some(PairJson {
            decision: decisions.map(|decisions| decision(review, *index, decisions)),
            ..pair(review, review.pairs.get(*index)?)
        })
    };
    output.document_with_rows(&document(review, progress), "pairs", &pairs, row)
}

/// Writes only where each run parts.
pub(super) fn write_first(output: &mut Output, review: &Review) -> io::Result<()> {
    output.document(&ReviewDocument {
        pairs: Vec::new(),
        groups: Vec::new(),
        runs: Some(rows(review)),
        summary: None,
    })
}

/// The review without its pairs.
fn document<'a>(
    review: &'a Review,
    progress: Option<(&'a Decisions, LineCounts)>,
) -> ReviewDocument<'a> {
    let decisions = progress.map(|(decisions, _)| decisions);
    ReviewDocument {
        // `write` adds the pairs one by one: the JSON of thousands is never in memory as a whole.
        pairs: Vec::new(),
        runs: None,
        groups: review.groups.iter().map(|g| group(g, decisions)).collect(),
        summary: progress.map(|(decisions, lines)| {
            let ReviewProgress { decided, pairs, groups_left } = review.progress(decisions);
            ReviewSummaryJson { pairs, decided, groups_left, changed_lines: lines }
        }),
    }
}

fn pair<'a>(review: &'a Review, reviewed: &'a Reviewed) -> PairJson<'a> {
    let path = |take: Option<&'a Take>| take.map(|take| &*take.path);
    let comparison = &reviewed.compared;
    PairJson {
        old: path(reviewed.pair.old.as_deref()),
        new: path(reviewed.pair.new.as_deref()),
        status: comparison.status.as_str(),
        bytes_only: comparison.bytes_only,
        paired_by: reviewed.pair.by.as_str(),
        changes: comparison.changes.iter().map(change).collect(),
        group: reviewed.group.map(|group| &*review.groups[group].id),
        lane: reviewed.lane.as_str(),
        first_cause: reviewed.first_cause.map(|cause| review.pairs[cause].pair.path()),
        fault: comparison.fault.as_ref().map(ToString::to_string),
        edited: comparison.edits.iter().map(|edit| &*edit.change.pointer).collect(),
        decision: None,
    }
}

fn decision<'a>(review: &Review, index: usize, decisions: &'a Decisions) -> DecisionJson<'a> {
    let entry = decisions.decision(&review.pairs[index].pair.key());
    DecisionJson {
        verdict: entry.and_then(|entry| entry.verdict.as_ref()).map(ReviewVerdict::as_str),
        decided: review.is_decided(index, decisions),
        note: entry.map_or("", |entry| &entry.note),
    }
}

pub(super) fn change(change: &TakeChange) -> ChangeJson<'_> {
    // A number that serde_json cannot represent is written as text.
    let value = |side: &TakeValue| {
        serde_json::from_str(&side.json).unwrap_or_else(|_| side.json.as_ref().into())
    };
    ChangeJson {
        pointer: change.pointer(),
        kind: change.kind.as_str(),
        old: change.old.as_ref().map(value),
        new: change.new.as_ref().map(value),
        old_pointer: change.old.as_ref().map(|side| &*side.pointer),
        ignored: change.ignored.is_some(),
        ignored_as: change.ignored.map(|reason| reason.to_string()),
        follows: change.follows.as_ref().map(follows),
        subject: change.subject.as_str(),
        lane: change.lane().as_str(),
        summary: &change.sentence,
    }
}

/// Returns the cause of a change that follows from another: the path of a turn, or a phrase.
pub(crate) fn follows(follows: &Follows) -> Cow<'_, str> {
    match follows {
        Follows::OfferedTools => "the offered tools".into(),
        Follows::Messages => "the messages".into(),
        Follows::Context => "the context".into(),
        Follows::Turn(path) => Cow::Borrowed(path),
        Follows::Call(number) => format!("call {number}").into(),
    }
}

fn group<'a>(group: &'a ReviewGroup, decisions: Option<&'a Decisions>) -> GroupJson<'a> {
    GroupJson {
        id: &group.id,
        count: group.pairs.len(),
        summary: &group.name,
        detail: &group.detail,
        needs_decision: group.needs_decision,
        lane: group.lane.as_str(),
        variants: group.variants,
        causes: group.causes,
        uniform: group.variants == 1,
        note: decisions.map(|decisions| decisions.group_note(&group.id)),
    }
}
