//! Data of the playback desk, built for what is on screen.

use std::sync::Arc;

use document::text::visible;
use play::playback::strip_picture::RecordingUse;
use play::playback::{
    CallVerdict, PlaybackClient, PlaybackMode, PlayedCall, PlayedRequest, RequestOrigin,
    SetRecording,
};
use protocol::PlaybackResult;
use widgets::icons;
use widgets::theme::Tone;
use workbench::{PlaybackDesk, Workbench};

/// Maximum number of calls of a recording that are named; more are only counted.
const MAX_NAMED_CALLS: usize = 4;

/// The playback desk for its view. It borrows, so building it costs nothing however many calls were played.
pub struct PlaybackData<'a> {
    pub workbench: &'a Workbench,
    /// The state of the desk.
    pub desk: &'a PlaybackDesk,
}

/// A position of the set after the selected call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCell {
    /// Its use up to the selected call, with what a log reports from before.
    pub usage: RecordingUse,
    /// Whether it answers the selected call.
    pub answers: bool,
    /// The calls it answered so far: `calls 1, 2`.
    pub calls: String,
}

impl<'a> PlaybackData<'a> {
    /// Reads the workbench.
    pub fn new(workbench: &'a Workbench) -> Self {
        Self { workbench, desk: &workbench.playback }
    }

    /// Returns the outcome of playing.
    pub fn played(&self) -> Option<&'a Arc<PlaybackResult>> {
        self.desk.played()
    }

    /// Whether the requests are of a log that does not contain the one that failed.
    pub fn lacks_request(&self) -> bool {
        let log = self.played().and_then(|result| result.input.log.as_ref());
        log.is_some_and(|log| log.lacks_request)
    }

    /// Returns a position of the set as it is after the selected call.
    pub fn cell(&self, position: usize) -> Option<SetCell> {
        let result = self.played()?;
        let run = &result.run;
        let calls = run.served_in.get(position)?;
        // Calls are played in order, so the calls that a recording answered are in ascending order.
        let answer_count = calls.partition_point(|call| *call <= self.desk.call);
        // A log may report recordings as used that answered requests before it begins.
        let is_used_before = run.before.used.get(position).copied().unwrap_or_default();
        let numbers = numbers(&calls[..answer_count]);
        let calls = match (answer_count, is_used_before) {
            (0, true) => "before".to_owned(),
            (0, false) => String::new(),
            (1, _) => format!("call {numbers}"),
            _ => format!("calls {numbers}"),
        };
        let call = run.calls.get(self.desk.call);
        Some(SetCell {
            usage: RecordingUse::new(answer_count + usize::from(is_used_before)),
            answers: call.and_then(PlayedCall::index) == Some(position),
            calls,
        })
    }
}

/// Returns the name of a request: its node, else its id, else its line.
fn request_name(request: &PlayedRequest) -> String {
    match request.origin {
        // A log has no ids of requests, but its lines can be found.
        RequestOrigin::Log { line, .. } if request.node.is_none() => format!("line {line}"),
        _ => visible(request.label()).into_owned(),
    }
}

/// Returns where a request is made, or its name.
pub(super) fn request_place(request: &PlayedRequest) -> String {
    match request.node {
        Some(_) => format!("at {}", request_name(request)),
        None => request_name(request),
    }
}

/// Returns the name of a recording.
pub(super) fn recording_label(recording: &SetRecording) -> String {
    visible(recording.label()).into_owned()
}

/// Returns the icon of a verdict and its tone.
pub(super) fn verdict_look(call: &PlayedCall) -> (&'static str, Tone) {
    match &call.verdict {
        CallVerdict::Right => (icons::CIRCLE_CHECK, Tone::Good),
        CallVerdict::FirstOf(_) | CallVerdict::ByPosition(_) | CallVerdict::Unknown(_) => {
            (icons::TRIANGLE_ALERT, Tone::Warning)
        }
        CallVerdict::Wrong(_) => (icons::CIRCLE_X, Tone::Error),
        CallVerdict::Undefined | CallVerdict::Empty => (icons::CIRCLE_MINUS, Tone::Error),
        CallVerdict::None | CallVerdict::Breaks => (icons::OCTAGON_X, Tone::Error),
    }
}

/// Returns the name of a mode.
pub(super) fn mode_name(mode: PlaybackMode) -> &'static str {
    match mode {
        PlaybackMode::Signature => "Signature",
        PlaybackMode::Sequential => "Sequential",
        PlaybackMode::Hybrid => "Hybrid",
    }
}

/// Returns the name of a client.
pub(super) fn client_name(client: PlaybackClient) -> &'static str {
    match client {
        PlaybackClient::Shipped => "Shipped, Node",
        PlaybackClient::Browser => "Shipped, browser",
        PlaybackClient::Documented => "Documented",
    }
}

/// Returns the first numbers of a list, counted from 1.
fn numbers(list: &[usize]) -> String {
    let text = list
        .iter()
        .take(MAX_NAMED_CALLS)
        .map(|index| (index + 1).to_string())
        .collect::<Vec<_>>()
        .join(", ");
    match list.len().saturating_sub(MAX_NAMED_CALLS) {
        0 => text,
        more => format!("{text} +{more}"),
    }
}
