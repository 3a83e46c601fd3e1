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
const COUNTED_PAIRS: usize = 8;

pub(crate) fn review(request: ReviewRequest) -> Work {
    fn failed(request: &ReviewRequest, reason: String) -> EngineEvent {
        EngineEvent::Review(ReviewEvent::Failed(request.number, reason))
    }
    Work::failing(
        Lane::Newest("review"),
        request,
        |request, context| {
            let reviewed = run_review(context.project.as_deref()?, request, context);
            reviewed.err().map(|reason| failed(request, reason))
        },
        failed,
    )
}

pub(crate) fn count_lines(request: CountLines) -> Work {
    Work::failing(Lane::Newest("line counts"), request, send_line_counts, |request, reason| {
        let counts = request.pairs.iter().map(|at| (*at, Err(reason.clone()))).collect();
        EngineEvent::Review(ReviewEvent::LinesCounted(Arc::clone(&request.review), counts))
    })
}

fn send_line_counts(request: &CountLines, context: &TaskContext) -> Option<EngineEvent> {
    let counter = LineCounter::new(&request.review);
    // The first count is sent alone, so that it need not wait for others.
    let (first, rest) = request.pairs.split_at(request.pairs.len().min(1));
    for pairs in std::iter::once(first).chain(rest.chunks(COUNTED_PAIRS)) {
        if context.is_cancelled() {
            break;
        }
        let counts = map_quietly(pairs, |at| {
            let reviewed = request.review.pairs.get(*at)?;
            let count = || counter.count_with_old_noise(reviewed);
            Some((*at, guard_file(reviewed.pair.path(), count)))
        })
        .into_iter()
        .flatten()
        .collect();
        let counted = ReviewEvent::LinesCounted(Arc::clone(&request.review), counts);
        context.send(EngineEvent::Review(counted));
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
        |_, planned| EngineEvent::Review(ReviewEvent::Planned(planned)),
    )
}

/// Compares all recordings and sends the results.
fn run_review(
    project: &Project,
    order: &ReviewRequest,
    context: &TaskContext,
) -> Result<(), String> {
    let send = |event| context.send(EngineEvent::Review(event));
    let root = project.root().ok_or("Nothing is open")?;
    let first = show_first_pairs(project, order, context)?;
    let takes = read_inputs(project, root, &order.base)?;
    let begun = ReviewStart {
        decisions: read_decisions(root),
        committed_at: takes.committed_at,
        unread: takes.unread.len(),
    };
    send(ReviewEvent::Started(order.number, Box::new(begun)));
    let rules = takes.rules();
    let pairs = takes.pair_up(&order.manual_pairs);
    // Comparisons by other rules ignore other differences.
    let is_known = *order.rules == *rules;
    let known = order.known.pairs.iter().filter(|_| is_known);
    let known: KnownComparisons<'_> =
        known.map(|known| (known.pair.key(), &known.compared)).collect();
    let of = pairs.len();
    let (mut rest, mut found) = (pairs.into_iter(), Vec::with_capacity(of));
    let (mut size, mut done) = (FIRST_BATCH_PAIRS, 0);
    let rules: Arc<[IgnoreRule]> = rules.into();
    loop {
        let batch: Vec<TakePair> = rest.by_ref().take(size).collect();
        done += batch.len();
        found.extend(compare(&takes, batch, &rules, (&known, &*context.cancel))?);
        if context.is_cancelled() {
            return Ok(());
        }
        let compared =
            if done == of { std::mem::take(&mut found) } else { with_first(&found, &first) };
        let snapshot = ReviewSnapshot {
            review: Arc::new(Review::new(compared)),
            rules: Arc::clone(&rules),
            done,
            total: of,
            is_complete: done == of,
        };
        if !send(ReviewEvent::Progressed(order.number, snapshot)) || done == of {
            return Ok(());
        }
        size *= 16;
    }
}

/// Returns the pairs compared so far, and those that were shown first, so that none disappears.
fn with_first(
    found: &[(TakePair, PairComparison)],
    first: &[(TakePair, PairComparison)],
) -> Vec<(TakePair, PairComparison)> {
    let known: HashSet<&str> = found.iter().map(|(pair, _)| pair.path()).collect();
    let missing = first.iter().filter(|(pair, _)| !known.contains(pair.path()));
    let mut all: Vec<_> = found.iter().chain(missing).cloned().collect();
    all.sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
    all
}

/// Compares some pairs and sends them, to be shown while everything is read. Returns them.
fn show_first_pairs(
    project: &Project,
    order: &ReviewRequest,
    context: &TaskContext,
) -> Result<Vec<(TakePair, PairComparison)>, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let (paths, against) = compared_paths(project, &order.base);
    let first = paths.into_iter().next().ok_or("Nothing is open")?;
    let takes = ReviewInputs::read_first(&first, Some(root.path()), &against, FIRST_BATCH_PAIRS)?;
    let pairs = takes.pair_up(&[]);
    // Recordings that the user pairs otherwise are paired when everything is read.
    let is_manual = |path: &str| {
        let mut manual = order.manual_pairs.iter();
        manual.any(|(old, new)| **old == *path || **new == *path)
    };
    let pairs = pairs.into_iter().filter(|pair| !is_manual(pair.path()));
    let rules = takes.rules();
    let compared = takes.compare(pairs.collect(), &rules, &context.cancel)?;
    if compared.is_empty() {
        return Ok(compared);
    }
    let begun = ReviewStart {
        decisions: read_decisions(root),
        committed_at: takes.committed_at,
        unread: 0,
    };
    let snapshot = ReviewSnapshot {
        review: Arc::new(Review::new(compared.clone())),
        rules: rules.into(),
        // The number of pairs is known only when everything is read.
        done: 0,
        total: 0,
        is_complete: false,
    };
    let send = |event| context.send(EngineEvent::Review(event));
    send(ReviewEvent::Started(order.number, Box::new(begun)));
    send(ReviewEvent::Progressed(order.number, snapshot));
    Ok(compared)
}

/// Returns the paths of the new recordings, and what they are compared with.
fn compared_paths(project: &Project, base: &ReviewBase) -> (Vec<PathBuf>, Baseline) {
    let against = match base {
        ReviewBase::Revision(revision) => Baseline::Revision(revision.to_string()),
        ReviewBase::Folder(folder) => Baseline::Path(folder.clone()),
        ReviewBase::Sidecars => Baseline::Sidecars,
        ReviewBase::Files { old, new } => {
            return (vec![new.clone()], Baseline::Path(old.clone()));
        }
    };
    (project.opened_paths().collect(), against)
}

/// Reads the recordings of everything that is open.
fn read_inputs(
    project: &Project,
    root: &Root,
    against: &ReviewBase,
) -> Result<ReviewInputs, String> {
    let (paths, against) = compared_paths(project, against);
    let mut opened = paths.into_iter();
    let first = opened.next().ok_or("Nothing is open")?;
    let mut takes = ReviewInputs::read(&first, Some(root.path()), &against)?;
    for path in opened {
        let more = ReviewInputs::read(&path, Some(root.path()), &against)?;
        for (all, more) in [(&mut takes.old, more.old), (&mut takes.new, more.new)] {
            // Opened paths may overlap.
            let known: HashSet<Arc<str>> = all.iter().map(|it| Arc::clone(&it.path)).collect();
            all.extend(more.into_iter().filter(|take| !known.contains(&take.path)));
        }
        takes.unread.extend(more.unread);
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
    (known, cancel): (&KnownComparisons<'_>, &AtomicBool),
) -> Result<Vec<(TakePair, PairComparison)>, String> {
    // A key is computed only if something is known.
    let find = |pair: &TakePair| {
        let is_possible = !known.is_empty();
        is_possible.then(|| known.get(&pair.key()).copied())?
    };
    let (known, new): (Vec<_>, Vec<_>) =
        pairs.into_iter().map(|pair| (find(&pair), pair)).partition(|(known, _)| known.is_some());
    let new = new.into_iter().map(|(_, pair)| pair).collect();
    let mut found = takes.compare(new, rules, cancel)?;
    found.extend(
        known.into_iter().filter_map(|(known, pair)| Some((pair, without_pair_links(known?)))),
    );
    found.sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
    Ok(found)
}

/// Returns an earlier comparison without its links to other pairs, which are computed again.
fn without_pair_links(known: &PairComparison) -> PairComparison {
    let mut compared = known.clone();
    for change in &mut compared.changes {
        if let Some(Follows::Turn(_)) = change.follows {
            change.follows = None;
        }
    }
    compared
}
