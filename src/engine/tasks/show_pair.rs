//! Builds the view of one pair of recordings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::disk::history;
use crate::disk::project::Project;
use crate::disk::root::Root;
use crate::disk::sources::candidates;
use crate::run::Work;
use ::calls::reading;
use ::calls::source::content_hash;
use compare::calls::compare;
use compare::recordings::{IgnoredDifference, RecordingComparison};
use compare::review::{
    AlignedCalls, ChangeSubject, Reviewed, Take, TakeChange, TakeValue, aligned_calls,
    count_reasons, decoded_values,
};
use document::call::ModelCall;
use document::diff::alike::format_alike;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::recording::SourceMetadata;
use document::text::{Source, Span, listed};
use document::{Document, FileKind, Syntax, json};
use machine::{Machine, MachineDiff};
use protocol::{
    ChangedValue, EngineEvent, Lane, PairCall, PairDetails, PairRequest, PairText, ReviewEvent,
    SourceChangeNote,
};

/// The most changes of a pair whose values are compared: a review shows one at a time.
const MAX_COMPARED_VALUES: usize = 200;

pub(crate) fn show_pair(request: PairRequest) -> Work {
    Work::answering(
        Lane::Newest("pair"),
        request,
        |request, context| {
            let details = build_pair_view(context.project.as_deref()?, request, &context.cancel)?;
            Some(Ok(Arc::new(details)))
        },
        |request, details| EngineEvent::Review(ReviewEvent::Shown(request.number, details)),
    )
}

/// Builds the view of a pair; `None` when it was cancelled.
fn build_pair_view(
    project: &Project,
    request: &PairRequest,
    cancel: &AtomicBool,
) -> Option<PairDetails> {
    let (review, index) = (&request.review, request.at);
    let reviewed = review.pairs.get(index)?;
    let [old, new] = [&reviewed.pair.old, &reviewed.pair.new].map(|take| document(take.as_deref()));
    let changes: Vec<&TakeChange> = reviewed.compared.direct_changes().collect();
    let details = PairDetails {
        calls: compare_calls(reviewed, &old, &new),
        json: layout_as_values(reviewed, &old, &new, &changes),
        text: layout_as_written(&old, &new, &changes),
        values: changes.iter().take(MAX_COMPARED_VALUES).map(|c| compare_values(c)).collect(),
        chain: review.chain(index),
        partners: review.partner_candidates(index, &request.rules),
        source_change: project
            .root()
            .and_then(|root| explain_source_change(root, [&old, &new], reviewed, cancel)),
    };
    // The search through the history may have been cut short.
    (!cancel.load(Ordering::Relaxed)).then_some(details)
}

/// Compares the calls of a pair: those of cassettes as they are aligned, of other files the first that differs.
fn compare_calls(reviewed: &Reviewed, old: &Document, new: &Document) -> Vec<PairCall> {
    let Some(alignments) = aligned_calls(old, new) else {
        let conversation = compare(old, new);
        let ignored_changes = reviewed.compared.ignored_changes();
        let conversation = conversation.map(|c| Arc::new(with_ignored(c, ignored_changes)));
        let numbers = AlignedCalls { old: Some(1), new: Some(1) };
        return vec![PairCall { numbers, conversation, subjects: Vec::new() }];
    };
    let [all_old, all_new] = [old, new].map(reading::all_calls);
    let call = |numbers: AlignedCalls| {
        let call_at = |calls: &[ModelCall<'_>], number: Option<usize>| {
            Some(calls.get(number?.checked_sub(1)?)?.document.clone().into_owned())
        };
        let documents = call_at(&all_old, numbers.old).zip(call_at(&all_new, numbers.new));
        let conversation = documents.and_then(|(old, new)| RecordingComparison::new(&old, &new));
        let ignored_changes = reviewed.compared.ignored_changes().filter(|c| c.is_in(numbers));
        let conversation = conversation
            // The rules of DyGram's clients say nothing about a cassette, which its own client plays.
            .map(RecordingComparison::without_verdicts)
            .map(|c| Arc::new(with_ignored(c, ignored_changes)));
        let changes = reviewed.compared.changes.iter();
        let call_changes = changes.filter(|c| c.ignored.is_none() && c.is_in(numbers));
        let mut subjects: Vec<ChangeSubject> = call_changes.map(|change| change.subject).collect();
        subjects.sort_unstable();
        subjects.dedup();
        PairCall { numbers, conversation, subjects }
    };
    alignments.into_iter().map(call).collect()
}

/// Returns a comparison with what the review ignores, so that both count the same.
fn with_ignored<'a>(
    mut comparison: RecordingComparison,
    ignored_changes: impl Iterator<Item = &'a TakeChange>,
) -> RecordingComparison {
    let ignored_changes: Vec<&TakeChange> = ignored_changes.collect();
    let value = |value_at_side: &Option<TakeValue>| {
        let json = &*value_at_side.as_ref()?.json;
        let text = json.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        Some(text.unwrap_or(json).to_owned())
    };
    comparison.ignored_summary = listed(&count_reasons(ignored_changes.iter().copied()));
    let ignored_changes = ignored_changes.into_iter().map(|change| {
        let pointer = change.pointer();
        let name = pointer.rsplit('/').next().unwrap_or_default();
        IgnoredDifference {
            name: name.to_owned().into(),
            pointer: pointer.to_owned(),
            left: value(&change.old),
            right: value(&change.new),
        }
    });
    comparison.ignored = ignored_changes.collect();
    comparison
}

/// Compares the two values of a change; `None` if it has no other value, but another place, or if it is a whole call or file, which is
/// shown anyway.
fn compare_values(change: &TakeChange) -> Option<ChangedValue> {
    if matches!(change.subject, ChangeSubject::HttpCall | ChangeSubject::Text) {
        return None;
    }
    let sides = [&change.old, &change.new];
    let [old, new] = sides.map(|value| {
        let json = value.as_ref().map(|value| &*value.json);
        json.map(|json| json::parse(&Source::new(json)).0)
    });
    let texts = [&old, &new].map(|tree| tree.as_ref().and_then(|tree| tree.root()?.as_str()));
    let is_absent = [&old, &new].map(Option::is_none);
    let is_text = (0..2).all(|side| is_absent[side] || texts[side].is_some());
    let [left, right] = if is_text {
        texts.map(|text| Source::new(text.unwrap_or_default()))
    } else {
        format_alike(old.as_ref(), new.as_ref())
    };
    if left.text() == right.text() {
        return None;
    }
    let outline = if is_text { Outline::Markdown } else { Outline::Json };
    Some(ChangedValue { diff: Arc::new(TextDiff::new(&left, &right, outline)), is_text })
}

fn document(take: Option<&Take>) -> Document {
    // The side of an added or removed recording that is missing is shown as an empty text.
    take.map_or_else(|| document::read(Source::new(""), ""), Take::read)
}

fn layout_as_written(old: &Document, new: &Document, changes: &[&TakeChange]) -> PairText {
    let outline = match (new.syntax, new.kind()) {
        (Syntax::Json, _) => Outline::Json,
        (_, FileKind::Unknown) => Outline::Plain,
        _ => Outline::Markdown,
    };
    let span = |value: &Option<TakeValue>| value.as_ref().map(|value| value.span);
    PairText {
        diff: Arc::new(TextDiff::new(old.source(), new.source(), outline)),
        places: changes.iter().map(|change| [span(&change.old), span(&change.new)]).collect(),
    }
}

/// Lays both out as JSON formatted in the same way; `None` when they cannot be read as values.
fn layout_as_values(
    reviewed: &Reviewed,
    old: &Document,
    new: &Document,
    changes: &[&TakeChange],
) -> Option<PairText> {
    let is_json = !matches!(new.syntax, Syntax::Code | Syntax::Machine);
    if reviewed.compared.fault.is_some() || !is_json {
        return None;
    }
    let decoded = [old, new].map(decoded_values);
    let [decoded_old, decoded_new] = decoded.each_ref().map(Option::as_ref);
    let trees = [decoded_old.unwrap_or(&old.tree), decoded_new.unwrap_or(&new.tree)];
    let sources = format_alike(Some(trees[0]), Some(trees[1]));
    let trees = sources.each_ref().map(|source| json::parse(source).0);
    let span = |change: &TakeChange, side: usize| -> Option<Span> {
        let value = [&change.old, &change.new][side].as_ref()?;
        let is_in_call = change.call.is_some() && value.pointer.contains('#');
        let pointer =
            if is_in_call { value.pointer.replace('#', "").into() } else { value.pointer.clone() };
        Some(trees[side].at_pointer(&pointer)?.span())
    };
    let places = changes.iter().map(|c| [span(c, 0), span(c, 1)]);
    let [old, new] = &sources;
    Some(PairText {
        diff: Arc::new(TextDiff::new(old, new, Outline::Json)),
        places: places.collect(),
    })
}

/// Describes what changed in the source between the recordings, if both name it and both versions are found.
fn explain_source_change(
    root: &Root,
    takes: [&Document; 2],
    reviewed: &Reviewed,
    cancel: &AtomicBool,
) -> Option<SourceChangeNote> {
    let sources = takes.map(|take| Some(&take.body.recording()?.source.as_ref()?.value));
    let [Some(old), Some(new)] = sources else { return None };
    let hash = |source: &SourceMetadata| Some(source.hash.as_ref()?.value.clone());
    let file = new.file.as_ref()?.value.clone();
    let (old, new) = (hash(old)?, hash(new)?);
    // The recordings were made from the same source.
    if old == new {
        return None;
    }
    let paths = candidates(reviewed.pair.shown().map_or("", Take::folder), &file).ok()?;
    let text = |hash: &str| find_source(root, &paths, hash, cancel);
    let default_message = format!("`{file}` changed between these recordings");
    let words = match (text(&old), text(&new)) {
        (Some(old), Some(new)) => describe_change(&file, &old, &new),
        _ => default_message,
    };
    Some(SourceChangeNote { message: words })
}

/// Finds the source with a hash: the present one, or one in the history.
fn find_source(root: &Root, paths: &[String], hash: &str, cancel: &AtomicBool) -> Option<Source> {
    let mut sources = paths.iter().filter_map(|path| root.read(path).ok()).map(Source::from_bytes);
    let has_hash = |source: &Source| *content_hash(source.text().as_bytes()) == *hash;
    // The present source first, since searching the history takes longer.
    sources.find(has_hash).or_else(|| {
        let bounds = history::SearchBounds::default();
        let original = history::find_as_recorded(root, paths, hash, bounds, cancel).ok()?;
        Some(Source::from_bytes(original.bytes))
    })
}

fn describe_change(file: &str, old: &Source, new: &Source) -> String {
    let diff = MachineDiff::new(&Machine::read(old), &Machine::read(new));
    match diff.changes.as_slice() {
        [] => format!("In `{file}`, {} between these recordings", diff.describe()),
        [one] => format!("Between these recordings, in `{file}`: {one}"),
        [one, rest @ ..] => {
            format!("Between these recordings, in `{file}`: {one}, and {} more", rest.len())
        }
    }
}
