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
    DocId, EngineEvent, Lane, NearRecording, NearSet, QueueEvent, RankRequest, SaveAnswerRule,
};

/// The most recordings of a set that are offered.
const MAX_OFFERED_RECORDINGS: usize = 3;

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
            EngineEvent::Queue(QueueEvent::Ranked(request.id.clone(), request.revision, sets))
        },
    )
}

pub(crate) fn save_rule(request: SaveAnswerRule) -> Work {
    Work::answering(
        Lane::Writes,
        request,
        |request, context| Some(append_rule(context.project.as_deref()?, &request.0.toml())),
        |_, result| EngineEvent::Queue(QueueEvent::RuleSaved(result)),
    )
}

/// Returns the sets of all recordings; `None` when it was cancelled.
fn read_sets(
    project: &Project,
    request: &RankRequest,
    context: &TaskContext,
) -> Option<Vec<KnownSet>> {
    type Files = Vec<Result<SetRecording, SkippedFile>>;
    let mut sets: HashMap<&str, (Files, HashMap<Arc<str>, DocId>)> = HashMap::new();
    let mut known_recordings = lock(&project.known_recordings);
    let recordings = request.items.iter();
    for (doc, item) in recordings.filter(|(_, item)| item.kind == FileKind::Recording) {
        if context.is_cancelled() {
            return None;
        }
        let index = doc.index();
        // A file that has changed has got another item.
        let is_same = known_recordings
            .get(&index)
            .is_some_and(|(known_item, _)| Arc::ptr_eq(known_item, item));
        if !is_same && let Ok(document) = project.read(index, item) {
            let path = item.root_path().into();
            let recording = SetRecording::read(path, &document, &project.pool);
            known_recordings.insert(index, (Arc::clone(item), recording));
        }
        if let Some((_, recording)) = known_recordings.get(&index) {
            let (files, docs) = sets.entry(item.folder()).or_default();
            files.push(recording.clone());
            docs.insert(item.root_path().into(), doc);
        }
    }
    // Recordings of files that are no longer listed would stay in memory.
    known_recordings.retain(|i, _| request.items.get(DocId::new(*i)).is_some());
    let sets = sets.into_iter().map(|(folder, (files, docs))| KnownSet {
        set: Arc::new(RecordingSet::new(folder, files)),
        docs,
    });
    Some(sets.collect())
}

/// Returns the sets by the similarity of their recordings, the most similar first.
fn rank(project: &Project, request: &RankRequest, sets: Vec<KnownSet>) -> Vec<NearSet> {
    let mut near_sets: Vec<NearSet> = sets
        .iter()
        .map(|known_set| NearSet {
            folder: Arc::clone(&known_set.set.folder),
            nearest: nearest_recordings(project, request, known_set),
        })
        .filter(|set| !set.nearest.is_empty())
        .collect();
    let distance = |set: &NearSet| set.nearest.first().map(|recording| recording.distance);
    near_sets.sort_by(|a, b| (distance(a), &a.folder).cmp(&(distance(b), &b.folder)));
    near_sets
}

/// Returns the most similar recordings of a set, first the one with the signature of the request.
fn nearest_recordings(
    project: &Project,
    request: &RankRequest,
    KnownSet { set, docs }: &KnownSet,
) -> Vec<NearRecording> {
    // Other modes also serve the next recording in order, which would be near only by chance.
    let rules = PlaybackRules { mode: PlaybackMode::Signature, ..PlaybackRules::default() };
    let run = PlaybackRun::new(Arc::clone(set), rules, vec![Arc::clone(&request.request)]);
    let answer = run.calls.first().and_then(|call| call.index());
    let build_recording =
        |index: usize, summary: String, differences: Vec<String>, distance: usize| {
            let recording = set.recordings.get(index)?;
            let doc = *docs.get(&recording.path)?;
            Some(NearRecording {
                doc,
                path: Arc::clone(&recording.path),
                label: recording.label().into(),
                summary,
                differences,
                distance,
                reply: read_reply(project, request, doc),
            })
        };
    let answer = answer
        .and_then(|index| build_recording(index, "the same signature".to_owned(), Vec::new(), 0));
    let misses = run.misses(0, MAX_OFFERED_RECORDINGS).nearest.into_iter().filter_map(|miss| {
        let differences = miss.reasons.iter().map(|reason| reason.sentence());
        let summary =
            if miss.reasons.is_empty() { "the same signature".to_owned() } else { miss.short() };
        build_recording(miss.index, summary, differences.collect(), miss.distance)
    });
    answer.into_iter().chain(misses).take(MAX_OFFERED_RECORDINGS).collect()
}

/// Returns a recording's answer.
fn read_reply(project: &Project, request: &RankRequest, doc: DocId) -> Result<QueueReply, String> {
    let item = request.items.get(doc).ok_or("it is no longer open")?;
    let document = project.read(doc.index(), item)?;
    let recording = document.body.recording().ok_or("it is no longer a recording")?;
    QueueReply::from_recording(&document, recording)
}
