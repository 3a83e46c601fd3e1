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
    EngineEvent, Lane, PairCall, PairDetails, PairRequest, PairText, ReviewEvent, SourceChangeNote,
};

/// The most following pairs that are named.
const MAX_NAMED_PAIRS: usize = 4;

pub(crate) fn show_pair(request: PairRequest) -> Work {
    Work::answering(
        Lane::Newest("pair"),
        request,
        |request, context| {
            let shown = build_pair_view(context.project.as_deref()?, request, &context.cancel)?;
            Some(Ok(Arc::new(shown)))
        },
        |request, shown| EngineEvent::Review(ReviewEvent::Shown(request.number, shown)),
    )
}

/// Builds the view of a pair; `None` when it was cancelled.
fn build_pair_view(
    project: &Project,
    order: &PairRequest,
    cancel: &AtomicBool,
) -> Option<PairDetails> {
    let (review, at) = (&order.review, order.at);
    let reviewed = review.pairs.get(at)?;
    let [old, new] = [&reviewed.pair.old, &reviewed.pair.new].map(|take| document(take.as_deref()));
    let own: Vec<&TakeChange> = reviewed.compared.direct_changes().collect();
    let followers: Vec<usize> = review.followers(at).collect();
    let first =
        followers.iter().take(MAX_NAMED_PAIRS).map(|at| review.pairs[*at].pair.path().to_owned());
    let shown = PairDetails {
        calls: compare_calls(reviewed, &old, &new),
        json: layout_as_values(reviewed, &old, &new, &own),
        text: layout_as_written(&old, &new, &own),
        chain: review.chain(at),
        followers: (followers.len(), first.collect()),
        partners: review.partner_candidates(at, &order.rules),
        source_change: project
            .root()
            .and_then(|root| explain_source_change(root, [&old, &new], reviewed, cancel)),
    };
    // The search through the history may have been cut short.
    (!cancel.load(Ordering::Relaxed)).then_some(shown)
}

/// Compares the calls of a pair: those of cassettes as they are aligned, of other files the first that differs.
fn compare_calls(reviewed: &Reviewed, old: &Document, new: &Document) -> Vec<PairCall> {
    let Some(aligned) = aligned_calls(old, new) else {
        let conversation = compare(old, new);
        let ignored = reviewed.compared.ignored_changes();
        let conversation = conversation.map(|it| Arc::new(with_ignored(it, ignored)));
        let numbers = AlignedCalls { old: Some(1), new: Some(1) };
        return vec![PairCall { numbers, conversation, subjects: Vec::new() }];
    };
    let [all_old, all_new] = [old, new].map(reading::all_calls);
    let call = |numbers: AlignedCalls| {
        let at = |calls: &[ModelCall<'_>], number: Option<usize>| {
            Some(calls.get(number?.checked_sub(1)?)?.document.clone().into_owned())
        };
        let documents = at(&all_old, numbers.old).zip(at(&all_new, numbers.new));
        let conversation = documents.and_then(|(old, new)| RecordingComparison::new(&old, &new));
        let ignored = reviewed.compared.ignored_changes().filter(|it| it.is_in(numbers));
        let conversation = conversation
            // The rules of DyGram's clients say nothing about a cassette, which its own client plays.
            .map(RecordingComparison::without_verdicts)
            .map(|it| Arc::new(with_ignored(it, ignored)));
        let changes = reviewed.compared.changes.iter();
        let own = changes.filter(|it| it.ignored.is_none() && it.is_in(numbers));
        let mut subjects: Vec<ChangeSubject> = own.map(|change| change.subject).collect();
        subjects.sort_unstable();
        subjects.dedup();
        PairCall { numbers, conversation, subjects }
    };
    aligned.into_iter().map(call).collect()
}

/// Returns a comparison with what the review ignores, so that both count the same.
fn with_ignored<'a>(
    mut comparison: RecordingComparison,
    ignored: impl Iterator<Item = &'a TakeChange>,
) -> RecordingComparison {
    let ignored: Vec<&TakeChange> = ignored.collect();
    let value = |at: &Option<TakeValue>| {
        let json = &*at.as_ref()?.json;
        let text = json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        Some(text.unwrap_or(json).to_owned())
    };
    comparison.ignored_summary = listed(&count_reasons(ignored.iter().copied()));
    let ignored = ignored.into_iter().map(|change| {
        let pointer = change.pointer();
        let name = pointer.rsplit('/').next().unwrap_or_default();
        IgnoredDifference {
            name: name.to_owned().into(),
            pointer: pointer.to_owned(),
            left: value(&change.old),
            right: value(&change.new),
        }
    });
    comparison.ignored = ignored.collect();
    comparison
}

fn document(take: Option<&Take>) -> Document {
    // The side of an added or removed recording that is missing is shown as an empty text.
    take.map_or_else(|| document::read(Source::new(""), ""), Take::read)
}

fn layout_as_written(old: &Document, new: &Document, own: &[&TakeChange]) -> PairText {
    let outline = match (new.syntax, new.kind()) {
        (Syntax::Json, _) => Outline::Json,
        (_, FileKind::Unknown) => Outline::Plain,
        _ => Outline::Markdown,
    };
    let span = |at: &Option<TakeValue>| at.as_ref().map(|at| at.span);
    PairText {
        diff: Arc::new(TextDiff::new(old.source(), new.source(), outline)),
        places: own.iter().map(|it| [span(&it.old), span(&it.new)]).collect(),
    }
}

/// Lays both out as JSON formatted in the same way; `None` when they cannot be read as values.
fn layout_as_values(
    reviewed: &Reviewed,
    old: &Document,
    new: &Document,
    own: &[&TakeChange],
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
        let at = [&change.old, &change.new][side].as_ref()?;
        let within = change.call.is_some() && at.pointer.contains('#');
        let pointer = if within { at.pointer.replace('#', "").into() } else { at.pointer.clone() };
        Some(trees[side].at_pointer(&pointer)?.span())
    };
    let places = own.iter().map(|it| [span(it, 0), span(it, 1)]);
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
    let changed = format!("`{file}` changed between these recordings");
    let words = match (text(&old), text(&new)) {
        (Some(old), Some(new)) => describe_change(&file, &old, &new),
        _ => changed,
    };
    Some(SourceChangeNote { message: words })
}

/// Finds the source with a hash: the present one, or one in the history.
fn find_source(root: &Root, paths: &[String], hash: &str, cancel: &AtomicBool) -> Option<Source> {
    let mut present = paths.iter().filter_map(|path| root.read(path).ok()).map(Source::from_bytes);
    let is_it = |source: &Source| *content_hash(source.text().as_bytes()) == *hash;
    // The present source first, since searching the history takes longer.
    present.find(is_it).or_else(|| {
        let bounds = history::SearchBounds::default();
        let found = history::find_as_recorded(root, paths, hash, bounds, cancel).ok()?;
        Some(Source::from_bytes(found.text))
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
