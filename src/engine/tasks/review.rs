//! Reviews recordings: they are paired and compared, and results are sent as they arrive, so that the first pairs can be decided while
//! the others are compared. Plans what the decisions write.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::disk::guard::guard_file;
use crate::disk::parallel::map_quietly;
use crate::disk::project::Project;
use crate::disk::review::{Baseline, ReviewInputs, make_stable, read_decisions};
use crate::disk::root::Root;
use crate::run::{TaskContext, Work};
use compare::review::{
    Follows, IgnoreRule, LineCounter, PairComparison, PairKey, Review, TakePair, plan,
};
use protocol::{
    CountLines, EngineEvent, Lane, PlanReview, ReviewBase, ReviewEvent, ReviewRequest,
    ReviewSnapshot, ReviewStart,
};

/// Number of pairs that are compared before the first results are sent. Each later batch is sixteen times as large.
const FIRST_BATCH_PAIRS: usize = 24;
/// Number of pairs that are counted before the results are sent.
const COUNT_BATCH_PAIRS: usize = 8;

pub(crate) fn review(request: ReviewRequest) -> Work {
    fn failed(request: &ReviewRequest, reason: String) -> EngineEvent {
        EngineEvent::Review(ReviewEvent::Failed(request.number, reason))
    }
    Work::failing(
        Lane::Newest("review"),
        request,
        |request, context| {
            let result = run_review(context.project.as_deref()?, request, context);
            result.err().map(|reason| failed(request, reason))
        },
        failed,
    )
}

pub(crate) fn count_lines(request: CountLines) -> Work {
    Work::failing(Lane::Newest("line counts"), request, send_line_counts, |request, reason| {
        let counts = request.pairs.iter().map(|index| (*index, Err(reason.clone()))).collect();
        EngineEvent::Review(ReviewEvent::LinesCounted(Arc::clone(&request.review), counts))
    })
}

fn send_line_counts(request: &CountLines, context: &TaskContext) -> Option<EngineEvent> {
    let counter = LineCounter::new(&request.review);
    // The first count is sent alone, so that it need not wait for others.
    let (first, rest) = request.pairs.split_at(request.pairs.len().min(1));
    for pairs in std::iter::once(first).chain(rest.chunks(COUNT_BATCH_PAIRS)) {
        if context.is_cancelled() {
            break;
        }
        let counts = map_quietly(pairs, |index| {
            let reviewed = request.review.pairs.get(*index)?;
            let count = || counter.count_with_old_noise(reviewed);
            Some((*index, guard_file(reviewed.pair.path(), count)))
        })
        .into_iter()
        .flatten()
        .collect();
        let event = ReviewEvent::LinesCounted(Arc::clone(&request.review), counts);
        context.send(EngineEvent::Review(event));
    }
    None
}

/// Finds what the decisions write.
pub(crate) fn plan_review(request: PlanReview) -> Work {
    Work::answering(
        Lane::Newest("plan"),
        request,
        |PlanReview { review, decisions, origin }, context| {
            let mut plan = plan(review, decisions, *origin);
            if let Some(root) = context.project.as_deref().and_then(Project::shared_root) {
                make_stable(&root, &mut plan);
            }
            let lines = LineCounter::new(review).count_review(review, &plan);
            Some(Ok((Arc::new(plan), lines)))
        },
        |_, plan| EngineEvent::Review(ReviewEvent::Planned(plan)),
    )
}

/// Compares all recordings and sends the results.
fn run_review(project: &Project, job: &ReviewRequest, context: &TaskContext) -> Result<(), String> {
    let send = |event| context.send(EngineEvent::Review(event));
    let root = project.root().ok_or("Nothing is open")?;
    let first = show_first_pairs(project, job, context)?;
    let takes = read_inputs(project, root, &job.base)?;
    let start = ReviewStart { decisions: read_decisions(root), unread: takes.unread.len() };
    send(ReviewEvent::Started(job.number, Box::new(start)));
    let rules = takes.rules();
    let pairs = takes.pair_up(&job.manual_pairs);
    // Comparisons by other rules ignore other differences.
    let is_known = *job.rules == *rules;
    let rows: KnownComparisons<'_> = job
        .known
        .pairs
        .iter()
        .filter(|_| is_known)
        .map(|pair| (pair.pair.key(), &pair.compared))
        .collect();
    let pair_count = pairs.len();
    let (mut rest, mut comparisons) = (pairs.into_iter(), Vec::with_capacity(pair_count));
    let (mut size, mut done_count) = (FIRST_BATCH_PAIRS, 0);
    let rules: Arc<[IgnoreRule]> = rules.into();
    loop {
        let batch: Vec<TakePair> = rest.by_ref().take(size).collect();
        done_count += batch.len();
        comparisons.extend(compare(&takes, batch, &rules, (&rows, &*context.cancel))?);
        if context.is_cancelled() {
            return Ok(());
        }
        let compared_pairs = if done_count == pair_count {
            std::mem::take(&mut comparisons)
        } else {
            with_first(&comparisons, &first)
        };
        let snapshot = ReviewSnapshot {
            review: Arc::new(Review::new(compared_pairs)),
            rules: Arc::clone(&rules),
            done: done_count,
            total: pair_count,
            is_complete: done_count == pair_count,
        };
        if !send(ReviewEvent::Progressed(job.number, snapshot)) || done_count == pair_count {
            return Ok(());
        }
        size *= 16;
    }
}

/// Returns the pairs compared so far, and those that were shown first, so that none disappears.
fn with_first(
    comparisons: &[(TakePair, PairComparison)],
    first: &[(TakePair, PairComparison)],
) -> Vec<(TakePair, PairComparison)> {
    let paths: HashSet<&str> = comparisons.iter().map(|(pair, _)| pair.path()).collect();
    let missing_pairs = first.iter().filter(|(pair, _)| !paths.contains(pair.path()));
    let mut pairs: Vec<_> = comparisons.iter().chain(missing_pairs).cloned().collect();
    pairs.sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
    pairs
}

/// Compares some pairs and sends them, to be shown while everything is read. Returns them.
fn show_first_pairs(
    project: &Project,
    request: &ReviewRequest,
    context: &TaskContext,
) -> Result<Vec<(TakePair, PairComparison)>, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let (paths, baseline) = compared_paths(project, &request.base);
    let first = paths.into_iter().next().ok_or("Nothing is open")?;
    let takes = ReviewInputs::read_first(&first, Some(root.path()), &baseline, FIRST_BATCH_PAIRS)?;
    let pairs = takes.pair_up(&[]);
    // Recordings that the user pairs otherwise are paired when everything is read.
    let is_manual = |path: &str| {
        let mut manual = request.manual_pairs.iter();
        manual.any(|(old, new)| **old == *path || **new == *path)
    };
    let pairs = pairs.into_iter().filter(|pair| !is_manual(pair.path()));
    let rules = takes.rules();
    let mut compared_pairs = takes.compare(pairs.collect(), &rules, &context.cancel)?;
    takes.find_edits(&mut compared_pairs, &context.cancel);
    if compared_pairs.is_empty() {
        return Ok(compared_pairs);
    }
    let start = ReviewStart { decisions: read_decisions(root), unread: 0 };
    let snapshot = ReviewSnapshot {
        review: Arc::new(Review::new(compared_pairs.clone())),
        rules: rules.into(),
        // The number of pairs is known only when everything is read.
        done: 0,
        total: 0,
        is_complete: false,
    };
    let send = |event| context.send(EngineEvent::Review(event));
    send(ReviewEvent::Started(request.number, Box::new(start)));
    send(ReviewEvent::Progressed(request.number, snapshot));
    Ok(compared_pairs)
}

/// Returns the paths of the new recordings, and what they are compared with.
fn compared_paths(project: &Project, base: &ReviewBase) -> (Vec<PathBuf>, Baseline) {
    let baseline = match base {
        ReviewBase::Revision(revision) => Baseline::Revision(revision.to_string()),
        ReviewBase::Folder(folder) => Baseline::Path(folder.clone()),
        ReviewBase::Sidecars => Baseline::Sidecars,
        ReviewBase::Files { old, new } => {
            return (vec![new.clone()], Baseline::Path(old.clone()));
        }
    };
    (project.opened_paths().collect(), baseline)
}

/// Reads the recordings of everything that is open.
fn read_inputs(project: &Project, root: &Root, base: &ReviewBase) -> Result<ReviewInputs, String> {
    let (paths, baseline) = compared_paths(project, base);
    let mut opened = paths.into_iter();
    let first = opened.next().ok_or("Nothing is open")?;
    let mut takes = ReviewInputs::read(&first, Some(root.path()), &baseline)?;
    for path in opened {
        let inputs = ReviewInputs::read(&path, Some(root.path()), &baseline)?;
        for (side, additions) in [(&mut takes.old, inputs.old), (&mut takes.new, inputs.new)] {
            // Opened paths may overlap.
            let known_paths: HashSet<Arc<str>> = side.iter().map(|t| Arc::clone(&t.path)).collect();
            side.extend(additions.into_iter().filter(|take| !known_paths.contains(&take.path)));
        }
        takes.unread.extend(inputs.unread);
    }
    Ok(takes)
}

/// Compared pairs by their content.
type KnownComparisons<'a> = HashMap<PairKey, &'a PairComparison>;

/// Compares the pairs that were not compared before.
fn compare(
    takes: &ReviewInputs,
    pairs: Vec<TakePair>,
    rules: &[IgnoreRule],
    (comparisons, cancel): (&KnownComparisons<'_>, &AtomicBool),
) -> Result<Vec<(TakePair, PairComparison)>, String> {
    // A key is computed only if something is known.
    let find = |pair: &TakePair| {
        let is_possible = !comparisons.is_empty();
        is_possible.then(|| comparisons.get(&pair.key()).copied())?
    };
    let (known_pairs, new_pairs): (Vec<_>, Vec<_>) =
        pairs.into_iter().map(|pair| (find(&pair), pair)).partition(|(diff, _)| diff.is_some());
    let new_pairs = new_pairs.into_iter().map(|(_, pair)| pair).collect();
    let mut result = takes.compare(new_pairs, rules, cancel)?;
    takes.find_edits(&mut result, cancel);
    result.extend(
        known_pairs.into_iter().filter_map(|(diff, pair)| Some((pair, without_pair_links(diff?)))),
    );
    result.sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
    Ok(result)
}

/// Returns an earlier comparison without its links to other pairs, which are computed again.
fn without_pair_links(comparison: &PairComparison) -> PairComparison {
    let mut copy = comparison.clone();
    for change in &mut copy.changes {
        if let Some(Follows::Turn(_)) = change.follows {
            change.follows = None;
        }
    }
    copy
}
