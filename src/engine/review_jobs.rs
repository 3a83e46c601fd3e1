//! Runs reviews for the window: recordings are paired and compared on a separate thread, and results are sent as they
//! arrive, so that the first pairs can be decided while the others are compared.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::Project;
use crate::engine::disk::review::{self, ReviewInputs, read_decisions};
use crate::engine::disk::root::Root;
use crate::engine::event_sender::{BackgroundJob, EventSender};
use crate::engine::pair_view;
use crate::engine::runner::Engine;
use crate::engine::write_worker::WriteRequest;
use crate::ops::review::{
    Decisions, Follows, IgnoreRule, PairComparison, PairKey, PlannedWrite, Review, TakeOrigin,
    TakePair, pair_up, plan,
};
use crate::workbench::{
    EngineEvent, PairRequest, PtrEq, ReviewBase, ReviewEvent, ReviewRequest, ReviewSnapshot,
    ReviewStart, RuleDraft, RulePreview,
};

/// How many pairs are compared before the first results are sent. Each later batch is four times as large.
const FIRST_BATCH_PAIRS: usize = 24;
/// The most pairs that are named of those that a rule would hide.
const MAX_NAMED_PAIRS: usize = 5;

/// The jobs of the review desk: at most one of each kind.
#[derive(Default)]
pub(super) struct ReviewJobs {
    review: BackgroundJob,
    show: BackgroundJob,
    trial: BackgroundJob,
    plan: BackgroundJob,
}

impl ReviewJobs {
    pub(super) fn stop(&mut self) {
        for job in [
            &mut self.review,
            &mut self.show,
            &mut self.trial,
            &mut self.plan,
        ] {
            job.stop();
        }
    }
}

impl Engine {
    /// Pairs, compares and groups recordings; the results arrive as [`ReviewEvent::Started`] and then
    /// [`ReviewEvent::Progressed`], several times. Cancels a review that is still running.
    pub fn start_review(&mut self, order: ReviewRequest) {
        let work = move |project: &Project, sender: &EventSender, cancel: &AtomicBool| {
            let number = order.number;
            let send = |event| sender.send(EngineEvent::Review(event), cancel);
            if let Err(reason) = run_review(project, &order, cancel, &send) {
                send(ReviewEvent::Failed(number, reason));
            }
        };
        self.reviewing.review = self.review_job("retake review", work);
    }

    /// Builds the view of a pair; the result arrives as [`ReviewEvent::Shown`].
    pub fn show_pair(&mut self, order: PairRequest) {
        self.reviewing.show = self.review_job("retake pair", move |project, sender, cancel| {
            if let Some(shown) = pair_view::build_pair_view(project, &order, cancel) {
                let shown = ReviewEvent::Shown(order.number, Arc::new(shown));
                sender.send(EngineEvent::Review(shown), cancel);
            }
        });
    }

    /// Finds the changes that a rule would hide; the result arrives as [`ReviewEvent::RulePreviewed`].
    pub fn try_rule(&mut self, review: PtrEq<Review>, draft: RuleDraft) {
        self.reviewing.trial = self.review_job("retake rule", move |_, sender, cancel| {
            if let Ok(rule) = draft.rule() {
                let tried = ReviewEvent::RulePreviewed(count_silenced(&review, draft, &rule));
                sender.send(EngineEvent::Review(tried), cancel);
            }
        });
    }

    /// Finds what applying decisions writes; the result arrives as [`ReviewEvent::Planned`].
    pub fn plan_review(
        &mut self,
        review: PtrEq<Review>,
        decisions: PtrEq<Decisions>,
        origin: TakeOrigin,
    ) {
        self.reviewing.plan = self.review_job("retake plan", move |_, sender, cancel| {
            let plan = Arc::new(plan(&review, &decisions, origin));
            sender.send(EngineEvent::Review(ReviewEvent::Planned(plan)), cancel);
        });
    }

    /// Writes files as decided; the result arrives as [`ReviewEvent::Written`].
    pub fn write_review(&self, writes: Arc<[PlannedWrite]>) {
        self.send_write(|project| WriteRequest::Review(project, writes));
    }

    /// Saves the decisions in the project.
    pub fn keep_decisions(&self, decisions: PtrEq<Decisions>) {
        self.send_write(|project| WriteRequest::Decisions(project, decisions));
    }

    /// Adds a rule to the project's file; the result arrives as [`ReviewEvent::RuleSaved`].
    pub fn keep_rule(&self, rule: IgnoreRule) {
        self.send_write(|project| WriteRequest::Rule(project, rule));
    }

    fn review_job(
        &mut self,
        name: &str,
        work: impl FnOnce(&Project, &EventSender, &AtomicBool) + Send + 'static,
    ) -> BackgroundJob {
        let Some(project) = self.project.clone() else {
            return BackgroundJob::default();
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start(name, move |cancel| work(&project, &sender, cancel));
        job.unwrap_or_else(|error| {
            self.fail(format!("Cannot start a thread to review: {error}"));
            BackgroundJob::default()
        })
    }
}

/// Compares all recordings and sends the results by `send`, which returns false when the review was cancelled.
fn run_review(
    project: &Project,
    order: &ReviewRequest,
    cancel: &AtomicBool,
    send: &dyn Fn(ReviewEvent) -> bool,
) -> Result<(), String> {
    let root = project.root().ok_or("Nothing is open")?;
    let takes = read_inputs(project, root, &order.base)?;
    let begun = ReviewStart {
        decisions: read_decisions(root),
        committed_at: takes.committed_at,
        unread: takes.unread.len(),
    };
    send(ReviewEvent::Started(order.number, Box::new(begun)));
    let rules = takes.rules();
    let pairs = pair_up(takes.old.clone(), takes.new.clone(), &order.manual_pairs);
    let known = if *order.rules == *rules {
        index_compared(&order.known)
    } else {
        HashMap::new()
    };
    let of = pairs.len();
    let (mut rest, mut found) = (pairs.into_iter(), Vec::with_capacity(of));
    let (mut size, mut done) = (FIRST_BATCH_PAIRS, 0);
    let rules: Arc<[IgnoreRule]> = rules.into();
    loop {
        let batch: Vec<TakePair> = rest.by_ref().take(size).collect();
        done += batch.len();
        found.extend(compare(&takes, batch, &rules, (&known, cancel)));
        if cancel.load(Ordering::Relaxed) {
            return Ok(());
        }
        let snapshot = ReviewSnapshot {
            review: Arc::new(Review::new(found.clone())),
            rules: Arc::clone(&rules),
            done,
            total: of,
            is_complete: done == of,
        };
        if !send(ReviewEvent::Progressed(order.number, snapshot)) || done == of {
            return Ok(());
        }
        size *= 4;
    }
}

/// Reads the recordings of everything that is open.
fn read_inputs(
    project: &Project,
    root: &Root,
    against: &ReviewBase,
) -> Result<ReviewInputs, String> {
    let against = match against {
        ReviewBase::Revision(revision) => review::Baseline::Revision(revision.to_string()),
        ReviewBase::Folder(folder) => review::Baseline::Path(folder.clone()),
        ReviewBase::Sidecars => review::Baseline::Sidecars,
        ReviewBase::Files { old, new } => {
            let against = review::Baseline::Path(old.clone());
            return ReviewInputs::read(new, Some(root.path()), &against);
        }
    };
    let mut opened = project.opened_paths();
    let first: PathBuf = opened.next().ok_or("Nothing is open")?;
    let mut takes = ReviewInputs::read(&first, Some(root.path()), &against)?;
    for path in opened {
        let more = ReviewInputs::read(&path, Some(root.path()), &against)?;
        for (all, more) in [(&mut takes.old, more.old), (&mut takes.new, more.new)] {
            let is_new = |take: &Arc<crate::ops::review::Take>| {
                !all.iter().any(|other| other.path == take.path)
            };
            let more: Vec<_> = more.into_iter().filter(is_new).collect();
            all.extend(more);
        }
        takes.unread.extend(more.unread);
    }
    Ok(takes)
}

type KnownComparisons<'a> = HashMap<PairKey, &'a PairComparison>;

/// Indexes compared pairs by their content.
fn index_compared(review: &Review) -> KnownComparisons<'_> {
    let pairs = review.pairs.iter();
    pairs.map(|it| (it.pair.key(), &it.compared)).collect()
}

/// Compares the pairs that were not compared before.
fn compare(
    takes: &ReviewInputs,
    pairs: Vec<TakePair>,
    rules: &[IgnoreRule],
    (known, cancel): (&KnownComparisons<'_>, &AtomicBool),
) -> Vec<(TakePair, PairComparison)> {
    let (known, new): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .map(|pair| (known.get(&pair.key()).copied(), pair))
        .partition(|(known, _)| known.is_some());
    let new = new.into_iter().map(|(_, pair)| pair).collect();
    let mut found = takes
        .compare(new, rules, cancel, &|_| {})
        .unwrap_or_default();
    found.extend(
        known
            .into_iter()
            .filter_map(|(known, pair)| Some((pair, without_pair_links(known?)))),
    );
    found.sort_by(|(a, _), (b, _)| a.path().cmp(b.path()));
    found
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

fn count_silenced(review: &Review, draft: RuleDraft, rule: &IgnoreRule) -> RulePreview {
    let silenced = review.effect_of_rule(rule);
    let first = silenced.pairs.iter().take(MAX_NAMED_PAIRS);
    let first = first.filter_map(|at| Some(review.pairs.get(*at)?.pair.path().to_owned()));
    RulePreview {
        draft,
        changes: silenced.changes,
        pairs: silenced.pairs.len(),
        fully_ignored: silenced.nothing_left,
        first: first.collect(),
    }
}
