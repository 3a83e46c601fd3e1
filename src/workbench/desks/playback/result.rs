//! The result of playing, with indexes for the views.

use std::sync::Arc;

use crate::ops::playback::failure_log::{LoggedFailure, Suspect};
use crate::ops::playback::fixes::{self, Fix};
use crate::ops::playback::{
    CallVerdict, PlaybackRules, PlaybackRun, PlayedRequest, PlayerState, RecordingSet, RunStrip,
    SkippedFile,
};
use crate::workbench::core::library::DocId;

/// The input that was read. It can be played with other rules without reading again.
#[derive(Clone, Debug, Default)]
pub struct PlaybackInput {
    pub set: Arc<RecordingSet>,
    /// The documents of its recordings, by position.
    pub docs: Vec<Option<DocId>>,
    /// The requests, in order.
    pub requests: Vec<Arc<PlayedRequest>>,
    /// The recordings that were used before the first call.
    pub before: PlayerState,
    /// Files among the requests that contain no request.
    pub skipped: Vec<SkippedFile>,
    /// The content of the log, if the requests come from one.
    pub log: Option<LogNote>,
}

/// The content of a log, in addition to its requests.
#[derive(Clone, Debug, PartialEq)]
pub struct LogNote {
    /// The failures in a few words, in the order of the log.
    pub failures: Vec<String>,
    /// The failure that is played.
    pub chosen: usize,
    /// The rules of that failure's client; `None` if the log does not show them.
    pub rules: Option<PlaybackRules>,
    /// Remarks, as sentences: how the test ended, why this set is used, what could not be read.
    pub remarks: Vec<String>,
    /// Whether the log does not contain the failed request.
    pub lacks_request: bool,
    /// The recording to show first.
    pub suspect: Option<Suspect>,
    /// The parsed failure.
    pub failure: LoggedFailure,
}

#[derive(Clone, Debug)]
pub struct PlaybackResult {
    pub input: Arc<PlaybackInput>,
    /// The calls.
    pub run: PlaybackRun,
    /// The fixes for the set.
    pub fixes: Vec<Fix>,
    /// The calls along the time axis.
    pub strip: RunStrip,
    /// Calls with a wrong answer or none; if there are none, calls that are answered by file order.
    pub wrong: Vec<usize>,
}

impl PlaybackResult {
    /// Plays the input.
    pub fn new(input: Arc<PlaybackInput>, rules: PlaybackRules) -> Self {
        let (set, before) = (Arc::clone(&input.set), input.before.clone());
        let run = PlaybackRun::resume(set, rules, before, input.requests.clone());
        let calls_where = |is: &dyn Fn(&CallVerdict) -> bool| -> Vec<usize> {
            let calls = run.calls.iter().enumerate();
            calls.filter(|(_, call)| is(&call.verdict)).map(|(at, _)| at).collect()
        };
        let mut wrong = calls_where(&CallVerdict::is_bad);
        if wrong.is_empty() {
            wrong = calls_where(&|verdict| *verdict != CallVerdict::Right);
        }
        Self { fixes: fixes::for_run(&run), strip: RunStrip::new(&run), wrong, input, run }
    }

    /// The document of the recording at a position.
    pub fn doc(&self, position: usize) -> Option<DocId> {
        self.input.docs.get(position).copied().flatten()
    }
}
