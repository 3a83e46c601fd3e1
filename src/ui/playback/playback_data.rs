//! Data of the playback desk, built for what is on screen.

use std::sync::Arc;

use document::text::{counted, visible};
use play::client::CassettePlay;
use play::playback::fixes::Fix;
use play::playback::strip_picture::RecordingUse;
use play::playback::{PlaybackClient, PlaybackMode, PlayedCall, SetRecording};
use protocol::{PlaybackResult, RequestsSource};
use workbench::{Playable, PlaybackDesk, Workbench};

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

    /// Play of the cassette by the rules of its client; `None` for a set.
    pub fn cassette(&self) -> Option<&'a CassettePlay> {
        self.played()?.input.cassette.as_deref()
    }

    /// Whether the requests are of a log that does not contain the one that failed.
    pub fn lacks_request(&self) -> bool {
        let log = self.played().and_then(|result| result.input.log.as_ref());
        log.is_some_and(|log| log.lacks_request)
    }

    /// Returns the name of what is played: of a cassette its file, of a set its folder.
    pub fn title(&self) -> String {
        let path = self.desk.set.as_deref().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_file = self.cassette().is_some();
        let stem = name.rsplit_once('.').filter(|_| is_file).map_or(name, |(stem, _)| stem);
        if stem.is_empty() { "The project's folder".to_owned() } else { visible(stem).into_owned() }
    }

    /// Returns what is played in a few words: of a cassette its client and its test, of a set where the requests are from.
    pub fn extent(&self) -> String {
        let Some(result) = self.played() else { return String::new() };
        let calls = counted(result.run.calls.len(), "call", "calls");
        if let Some(cassette) = self.cassette() {
            let test = cassette.test.as_ref();
            let test = test.map(|test| format!(", {}", visible(&test.origin.to_string())));
            return format!("{calls}, {}{}", cassette.client.as_str(), test.unwrap_or_default());
        }
        let recordings = counted(result.run.set.recordings.len(), "recording", "recordings");
        match &self.desk.requests {
            None | Some(RequestsSource::SetItself) => format!("{calls}, {recordings}"),
            Some(source) => format!("{calls} of {}, {recordings}", visible(&source.label())),
        }
    }

    /// Returns what is wrong, and the rest of the sentence.
    pub fn verdict(&self) -> (String, String) {
        let Some(result) = self.played() else { return Default::default() };
        let summary = &result.run.summary;
        if let Some(log) = result.input.log.as_ref().filter(|_| result.run.calls.is_empty()) {
            let title = format!("The log says: {}.", log.failure.title());
            return (visible(&title).into_owned(), " It contains no request.".to_owned());
        }
        let title = visible(&summary.title).replace('`', "");
        if let Some(cassette) = self.cassette() {
            let settled_by = cassette.settled_by();
            let hint =
                settled_by.map(|matcher| format!(" Comparing `{matcher}` would distinguish them."));
            let detail = [&*summary.detail, &hint.unwrap_or_default()].concat();
            return (title, format!(" {}", detail.trim()));
        }
        match title.split_once(", ") {
            Some((lead, rest)) => (lead.to_owned(), format!(", {rest}")),
            None => (title, String::new()),
        }
    }

    /// Returns what else there is to know of a run, as sentences.
    pub fn remarks(&self) -> Vec<String> {
        let Some(result) = self.played().filter(|result| result.input.cassette.is_none()) else {
            return Vec::new();
        };
        let plain = |text: &str| visible(text).replace('`', "");
        let mut remarks = Vec::new();
        // Only the first is named: a folder may contain hundreds of other files.
        if let Some(first) = result.input.skipped.first() {
            let count = counted(result.input.skipped.len(), "file", "files");
            remarks.push(format!("{count} without a request, first {}.", visible(&first.path)));
        }
        if let Some(first) = result.run.set.skipped.first() {
            let reason = document::text::lower_first(&first.reason);
            remarks.push(format!("Clients skip {}: {reason}.", visible(&first.path)));
        }
        if let Some(log) = &result.input.log {
            remarks.push(plain(&result.run.summary.detail));
            remarks.extend(log.remarks.iter().map(|remark| plain(remark)));
            let suspect = log.suspect.as_ref().filter(|_| log.lacks_request);
            let recording = suspect.and_then(|s| result.run.set.recordings.get(s.index));
            if let (Some(suspect), Some(recording)) = (suspect, recording) {
                let name = recording_label(recording);
                remarks.push(format!("Check {name} first. {}", plain(&suspect.why)));
            }
        }
        remarks.retain(|remark| !remark.is_empty());
        remarks
    }

    /// Returns the label of the button of a fix.
    pub fn fix_label(&self, fix: &Fix) -> String {
        if let Fix::Regenerate(recordings) = fix
            && self.workbench.core.can_regenerate()
        {
            return format!(
                "Record {} again…",
                counted(recordings.len(), "recording", "recordings")
            );
        }
        let extent = fix.extent();
        let title = fix.title();
        match &*extent {
            "" => title.to_owned(),
            // What changes files is shown before.
            extent => format!("{} ({extent})…", title.trim_end_matches('…')),
        }
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

/// Returns the name of a recording.
pub(super) fn recording_label(recording: &SetRecording) -> String {
    visible(recording.label()).into_owned()
}

/// Returns the length of the folders that all rows have in common.
pub(super) fn common_folder(rows: &[Playable]) -> usize {
    let Some((first, rest)) = rows.split_first() else { return 0 };
    // A set's own name stays, and so does the file of a cassette.
    let parent = first.path.rfind('/').map_or(0, |slash| slash + 1);
    rest.iter().fold(parent, |length, row| {
        let pairs = first.path[..length].bytes().zip(row.path.bytes());
        let same = pairs.take_while(|(a, b)| a == b).count();
        first.path.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
    })
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
