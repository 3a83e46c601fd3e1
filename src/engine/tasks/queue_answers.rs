//! Answers to requests in a queue: ranks the recordings of all sets by their similarity, and adds a rule to the project's file.

use std::collections::HashMap;
use std::sync::Arc;

use super::write_review::append_rule;
use crate::disk::guard::lock;
use crate::disk::project::Project;
use crate::run::{TaskContext, Work};
use document::FileKind;
use play::live::queue::QueueReply;
use play::playback::{
    PlaybackMode, PlaybackRules, PlaybackRun, RecordingSet, SetRecording, SkippedFile,
};
use protocol::{
    DocId, EngineEvent, Lane, LiveEvent, NearRecording, NearSet, QueueEvent, RankRequest,
    SaveAnswerRule,
};

/// The most recordings of a set that are offered.
const MAX_OFFERED: usize = 3;

/// A set, and which document each of its recordings is.
struct KnownSet {
    set: Arc<RecordingSet>,
    docs: HashMap<Arc<str>, DocId>,
}

pub(crate) fn rank_recordings(request: RankRequest) -> Work {
    Work::answering(
        Lane::Newest("nearest"),
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            Some(Ok(rank(project, request, read_sets(project, request, context)?).into()))
        },
        |request, sets| {
            let ranked = QueueEvent::Ranked(request.id.clone(), request.revision, sets);
            EngineEvent::Live(LiveEvent::Queue(ranked))
        },
    )
}

pub(crate) fn save_rule(request: SaveAnswerRule) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| Some(append_rule(context.project.as_deref()?, &request.0.toml())),
        |_, saved| EngineEvent::Live(LiveEvent::Queue(QueueEvent::RuleSaved(saved))),
    )
}

/// Returns the sets of all recordings; `None` when it was cancelled.
fn read_sets(
    project: &Project,
    order: &RankRequest,
    context: &TaskContext,
) -> Option<Vec<KnownSet>> {
    type Files = Vec<Result<SetRecording, SkippedFile>>;
    let mut sets: HashMap<&str, (Files, HashMap<Arc<str>, DocId>)> = HashMap::new();
    let mut known = lock(&project.known_recordings);
    let recordings = order.items.iter();
    for (doc, item) in recordings.filter(|(_, item)| item.kind == FileKind::Recording) {
        if context.is_cancelled() {
            return None;
        }
        let at = doc.index();
        // A file that has changed has got another item.
        let is_same = known.get(&at).is_some_and(|(of, _)| Arc::ptr_eq(of, item));
        if !is_same && let Ok(document) = project.read(at, item) {
            let path = Arc::clone(&item.root_path);
            let recorded = SetRecording::read(path, &document, &project.pool);
            known.insert(at, (Arc::clone(item), recorded));
        }
        if let Some((_, recorded)) = known.get(&at) {
            let (files, docs) = sets.entry(item.folder()).or_default();
            files.push(recorded.clone());
            docs.insert(Arc::clone(&item.root_path), doc);
        }
    }
    // Recordings of files that are no longer listed would stay in memory.
    known.retain(|at, _| order.items.get(DocId::new(*at)).is_some());
    let sets = sets.into_iter().map(|(folder, (files, docs))| KnownSet {
        set: Arc::new(RecordingSet::new(folder, files)),
        docs,
    });
    Some(sets.collect())
}

/// Returns the sets by the similarity of their recordings, the most similar first.
fn rank(project: &Project, order: &RankRequest, sets: Vec<KnownSet>) -> Vec<NearSet> {
    let mut near: Vec<NearSet> = sets
        .iter()
        .map(|known| NearSet {
            folder: Arc::clone(&known.set.folder),
            nearest: nearest_recordings(project, order, known),
        })
        .filter(|set| !set.nearest.is_empty())
        .collect();
    let distance = |set: &NearSet| set.nearest.first().map(|near| near.distance);
    near.sort_by(|a, b| (distance(a), &a.folder).cmp(&(distance(b), &b.folder)));
    near
}

/// Returns the most similar recordings of a set, first the one with the signature of the request.
fn nearest_recordings(
    project: &Project,
    order: &RankRequest,
    KnownSet { set, docs }: &KnownSet,
) -> Vec<NearRecording> {
    // Other modes also serve the next recording in order, which would be near only by chance.
    let rules = PlaybackRules { mode: PlaybackMode::Signature, ..PlaybackRules::default() };
    let run = PlaybackRun::new(Arc::clone(set), rules, vec![Arc::clone(&order.request)]);
    let served = run.calls.first().and_then(|call| call.index());
    let near = |index: usize, short: String, against: Vec<String>, distance: usize| {
        let recorded = set.recordings.get(index)?;
        let doc = *docs.get(&recorded.path)?;
        Some(NearRecording {
            doc,
            path: Arc::clone(&recorded.path),
            label: recorded.label().into(),
            summary: short,
            differences: against,
            distance,
            reply: read_reply(project, order, doc),
        })
    };
    let served =
        served.and_then(|index| near(index, "the same signature".to_owned(), Vec::new(), 0));
    let misses = run.misses(0, MAX_OFFERED).nearest.into_iter().filter_map(|miss| {
        let against = miss.reasons.iter().map(|reason| reason.sentence());
        let short =
            if miss.reasons.is_empty() { "the same signature".to_owned() } else { miss.short() };
        near(miss.index, short, against.collect(), miss.distance)
    });
    served.into_iter().chain(misses).take(MAX_OFFERED).collect()
}

/// Returns a recording's answer.
fn read_reply(project: &Project, order: &RankRequest, doc: DocId) -> Result<QueueReply, String> {
    let item = order.items.get(doc).ok_or("it is no longer open")?;
    let document = project.read(doc.index(), item)?;
    let recording = document.body.recording().ok_or("it is no longer a recording")?;
    QueueReply::from_recording(&document, recording)
}
