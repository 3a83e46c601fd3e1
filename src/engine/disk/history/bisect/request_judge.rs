//! Plays the same requests against each version of a set.

use std::collections::HashMap;
use std::sync::Arc;

use gix::ObjectId;

use super::{FolderFiles, GitFiles, Judge};
use crate::engine::disk::playback::{RequestSource, Requests};
use crate::format;
use crate::ops::Pool;
use crate::ops::bisect::CallFit;
use crate::ops::playback::failure_log::LoggedFailure;
use crate::ops::playback::{
    CallVerdict, MismatchCause, PlaybackRules, PlaybackRun, PlayedCall, PlayedRequest,
    RecordingSet, SetRecording, SkippedFile,
};
use crate::text::Source;

pub(super) struct RequestJudge {
    /// The folder of the set, as given.
    folder: Arc<str>,
    requests: Vec<Arc<PlayedRequest>>,
    /// The failure in a log that the requests are of; then they also depend on the set.
    failed: Option<LoggedFailure>,
    rules: Option<PlaybackRules>,
    /// Those of the calls, with their nodes.
    names: Vec<(Arc<str>, Option<Arc<str>>)>,
    pool: Pool,
    recordings: HashMap<(Box<str>, ObjectId), Result<SetRecording, SkippedFile>>,
}

impl RequestJudge {
    /// Plays requests that were read; of a log, those of its [main failure](crate::ops::playback::failure_log::FailureLog::main_failure). `set` is
    /// the one on disk.
    ///
    /// # Errors
    ///
    /// When there is nothing to play.
    pub(super) fn new(
        folder: &Arc<str>,
        read: Requests,
        rules: Option<PlaybackRules>,
        set: &FolderFiles,
        files: &mut GitFiles<'_>,
    ) -> Result<Self, String> {
        let failed = match read.origin {
            RequestSource::Log(mut log) => {
                let none = "The log contains no readable call of a playback client";
                let main = log.main_failure().ok_or(none)?;
                Some(log.failures.swap_remove(main))
            }
            _ => None,
        };
        let mut judge = Self {
            folder: Arc::clone(folder),
            requests: read.requests,
            failed,
            rules,
            names: Vec::new(),
            pool: Pool::default(),
            recordings: HashMap::new(),
        };
        let calls = judge.play(set, files).calls;
        let names = calls.iter().map(|call| {
            let request = &call.request;
            (Arc::clone(&request.name), request.node.clone())
        });
        judge.names = names.collect();
        if judge.names.is_empty() {
            return Err("No requests to play".to_owned());
        }
        Ok(judge)
    }

    fn play(&mut self, set: &FolderFiles, files: &mut GitFiles<'_>) -> PlaybackRun {
        let mut recordings = Vec::new();
        for (name, id) in set.iter() {
            let key = (name.clone(), *id);
            if !self.recordings.contains_key(&key) {
                let path: Arc<str> = format!("{}/{name}", self.folder).into();
                let bytes = files.read(*id).unwrap_or_default();
                let document = format::read(Source::from_bytes(bytes), name);
                let read = SetRecording::read(path, &document, &self.pool);
                self.recordings.insert(key.clone(), read);
            }
            recordings.extend(self.recordings.get(&key).cloned());
        }
        let set = Arc::new(RecordingSet::new(&self.folder, recordings));
        let Some(failed) = &self.failed else {
            let rules = self.rules.unwrap_or_default();
            return PlaybackRun::new(set, rules, self.requests.iter().cloned());
        };
        let rules = self.rules.or_else(|| failed.rules(&set));
        let replay = failed.replay(&set);
        PlaybackRun::resume(set, rules.unwrap_or_default(), replay.before, replay.requests)
    }
}

impl Judge for RequestJudge {
    fn calls(&self) -> Vec<(Arc<str>, Option<Arc<str>>)> {
        self.names.clone()
    }

    fn judge(
        &mut self,
        set: &FolderFiles,
        _: Option<ObjectId>,
        files: &mut GitFiles<'_>,
    ) -> Vec<Option<CallFit>> {
        let run = self.play(set, files);
        run.calls.iter().map(|call| Some(fit(call))).collect()
    }
}

fn fit(call: &PlayedCall) -> CallFit {
    let why = || -> Arc<str> {
        let explained = call.verdict.explain();
        explained.unwrap_or_else(|| call.verdict_label()).into()
    };
    match &call.verdict {
        CallVerdict::Right | CallVerdict::FirstOf(_) => CallFit::Matches,
        CallVerdict::Unknown(_)
        | CallVerdict::ByPosition(MismatchCause::Unprinted | MismatchCause::OtherCount(_)) => {
            CallFit::Unknown(why())
        }
        _ => CallFit::Breaks(why()),
    }
}
