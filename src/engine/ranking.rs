//! Ranks the recordings of all sets by their similarity to a request in a queue.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::disk::project::Project;
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::{DocumentBody, FileKind};
use crate::ops::Item;
use crate::ops::live::queue::QueueReply;
use crate::ops::playback::{
    PlaybackMode, PlaybackRules, PlaybackRun, PlayedRequest, RecordingSet, SetRecording,
    SkippedFile,
};
use crate::workbench::{
    DocId, EngineEvent, LiveEvent, NearRecording, NearSet, QueueEvent, RankRequest,
};

/// The most recordings of a set that are offered.
const MAX_OFFERED: usize = 3;

/// The ranking job, with recordings cached for the next one.
#[derive(Default)]
pub(super) struct RankingJob {
    job: BackgroundJob,
    /// Recordings that were read, valid as long as their items stay the same.
    cache: Arc<Mutex<HashMap<DocId, CachedRead>>>,
}

/// A recording that was read, and its item at that time.
type CachedRead = (Arc<Item>, Result<SetRecording, SkippedFile>);

/// A set, and which document each of its recordings is.
struct KnownSet {
    set: Arc<RecordingSet>,
    docs: HashMap<Arc<str>, DocId>,
}

impl RankingJob {
    /// Clears the cache: other files are open.
    pub(super) fn forget(&mut self) {
        self.job.stop();
        self.cache = Arc::default();
    }
}

impl Engine {
    /// Ranks the recordings of all sets for a request; the result arrives as [`QueueEvent::Ranked`].
    pub(super) fn rank_sets(&mut self, order: RankRequest) {
        let Some(project) = self.project.clone() else {
            return;
        };
        self.queues.ranking.job.stop();
        let (sender, read) = (self.sender.clone(), Arc::clone(&self.queues.ranking.cache));
        let job = BackgroundJob::start("retake nearest", move |cancel| {
            let Some(sets) = read_sets(&project, &order, &read, cancel) else {
                return;
            };
            let sets = rank(&project, &order, sets);
            let ranked = QueueEvent::Ranked(order.id, order.revision, sets.into());
            sender.send(EngineEvent::Live(LiveEvent::Queue(ranked)), cancel);
        });
        match job {
            Ok(job) => self.queues.ranking.job = job,
            Err(error) => self.fail(format!("Cannot start a thread to compare: {error}")),
        }
    }
}

/// Returns the sets of all recordings; `None` when it was cancelled.
fn read_sets(
    project: &Project,
    order: &RankRequest,
    read: &Mutex<HashMap<DocId, CachedRead>>,
    cancel: &AtomicBool,
) -> Option<Vec<KnownSet>> {
    type Files = Vec<Result<SetRecording, SkippedFile>>;
    let mut sets: HashMap<&str, (Files, HashMap<Arc<str>, DocId>)> = HashMap::new();
    let mut known = read.lock().unwrap_or_else(PoisonError::into_inner);
    let recordings = order.items.iter();
    for (doc, item) in recordings.filter(|(_, item)| item.kind == FileKind::Recording) {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let is_same = known.get(&doc).is_some_and(|(of, _)| Arc::ptr_eq(of, item));
        if !is_same && let Ok(document) = project.read(doc.index(), item) {
            let path = Arc::clone(&item.root_path);
            let recorded = SetRecording::read(path, &document, &project.pool);
            known.insert(doc, (Arc::clone(item), recorded));
        }
        if let Some((_, recorded)) = known.get(&doc) {
            let (files, docs) = sets.entry(item.folder()).or_default();
            files.push(recorded.clone());
            docs.insert(Arc::clone(&item.root_path), doc);
        }
    }
    known.retain(|doc, _| order.items.get(*doc).is_some());
    let sets = sets.into_iter().map(|(folder, (files, docs))| KnownSet {
        set: Arc::new(RecordingSet::new(folder, files)),
        docs,
    });
    Some(sets.collect())
}

/// Returns the sets by the similarity of their recordings, the most similar first.
fn rank(project: &Project, order: &RankRequest, sets: Vec<KnownSet>) -> Vec<NearSet> {
    let near = sets.iter().map(|known| {
        let nearest = nearest_recordings(&known.set, &order.request).into_iter();
        let nearest = nearest.filter_map(|(recorded, near)| {
            let doc = *known.docs.get(&recorded.path)?;
            let reply = read_reply(project, order, doc);
            Some(NearRecording { doc, reply, ..near })
        });
        NearSet {
            folder: Arc::clone(&known.set.folder),
            nearest: nearest.collect(),
        }
    });
    let mut near: Vec<NearSet> = near.filter(|set| !set.nearest.is_empty()).collect();
    let distance = |set: &NearSet| set.nearest.first().map(|near| near.distance);
    near.sort_by(|a, b| (distance(a), &a.folder).cmp(&(distance(b), &b.folder)));
    near
}

/// Returns the most similar recordings of a set, first the one with the signature of the request.
fn nearest_recordings<'s>(
    set: &'s Arc<RecordingSet>,
    request: &Arc<PlayedRequest>,
) -> Vec<(&'s SetRecording, NearRecording)> {
    let rules = PlaybackRules {
        mode: PlaybackMode::Signature,
        ..PlaybackRules::default()
    };
    let run = PlaybackRun::new(Arc::clone(set), rules, vec![Arc::clone(request)]);
    let served = run.calls.first().and_then(|call| call.index());
    let near = |index: usize, short: String, against: Vec<String>, distance: usize| {
        let recorded = set.recordings.get(index)?;
        let near = NearRecording {
            doc: DocId::new(0),
            path: Arc::clone(&recorded.path),
            label: recorded.label().into(),
            summary: short,
            differences: against,
            distance,
            reply: Err(String::new()),
        };
        Some((recorded, near))
    };
    let served =
        served.and_then(|index| near(index, "the same signature".to_owned(), Vec::new(), 0));
    let misses = run.misses(0, MAX_OFFERED).nearest.into_iter();
    let misses = misses.filter_map(|miss| {
        let against = miss.reasons.iter().map(|reason| reason.sentence());
        let short = if miss.reasons.is_empty() {
            "the same signature".to_owned()
        } else {
            miss.short()
        };
        near(miss.index, short, against.collect(), miss.distance)
    });
    served.into_iter().chain(misses).take(MAX_OFFERED).collect()
}

/// Returns a recording's answer.
fn read_reply(project: &Project, order: &RankRequest, doc: DocId) -> Result<QueueReply, String> {
    let item = order.items.get(doc).ok_or("it is no longer open")?;
    let document = project.read(doc.index(), item)?;
    match &document.body {
        DocumentBody::Recording(recording) => QueueReply::from_recording(&document, recording),
        _ => Err("it is no longer a recording".to_owned()),
    }
}
