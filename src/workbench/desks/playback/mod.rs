//! The playback desk: plays requests against a set, and shows the answers and their reasons.

mod actions;
mod fixing;
mod list;
mod strip;
mod sync;
#[cfg(test)]
mod tests;

pub use fixing::FilePlan;
pub use list::Playable;
pub use strip::StripState;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use self::list::{PlayableList, Verdicts};
use crate::{Core, DeskState, Latest, News, PlayheadAction, ProjectStart, StepDirection};
use calls::Item;
use compare::signature::SignatureDiff;
use document::Severity;
use document::text::{counted, quoted};
use play::playback::fixes::Fix;
use play::playback::{CallVerdict, PlaybackClient, PlaybackMode, PlaybackRules, PlayedCall};
use protocol::{
    Desk, DiskChange, DocId, ExplainKey, Explanation, FileChangeRequest, FoundSets, PlayKey,
    PlaybackResult, RequestsSource,
};

/// An action of the playback desk.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAction {
    /// Uses the recordings of this folder.
    ServeFrom(Arc<str>),
    PlayRequests(RequestsSource),
    /// Plays these requests in hybrid mode, the default of the client for tests.
    PlayHybrid(RequestsSource),
    /// Plays the requests of the set in this folder, or of a cassette, against itself.
    CheckSet(Arc<str>),
    /// Plays the set in this folder in hybrid mode, with the first requests of its machine if that can be read completely, else
    /// with its own; or a cassette.
    PlaySet(Arc<str>),
    /// Reads this text as the log of a failed run or as a JUnit report, and plays its failure, or triages several.
    ReadLog {
        /// The name of the log.
        name: Arc<str>,
        text: Arc<str>,
    },
    /// Plays a pasted text: a log or a request.
    Paste(String),
    /// Plays the requests of this file or folder.
    PlayPath(PathBuf),
    /// Opens a dialog to choose a file or folder with requests.
    PickRequests(PickKind),
    /// Plays this failure of the log, counted from 0.
    ShowFailure(usize),
    SetMode(PlaybackMode),
    SetClient(PlaybackClient),
    /// Lets the client of the cassette compare this part of requests, or not; the cassette is then played again.
    ToggleMatcher(&'static str),
    /// Selects a call, counted from 0.
    ShowCall(usize),
    /// Compares this recording of the set, by its position, with the request.
    ShowRecording(usize),
    /// Shows this recording of the set, by its position, in the library.
    OpenRecording(usize),
    Playhead(PlayheadAction),
    /// Lists only what has these words in its path.
    Filter(String),
    /// Plays what is listed with this path.
    Choose(Arc<str>),
    /// Fixes the set: shows the changes first.
    Fix(Fix),
    /// Does the planned changes of files.
    ChangeFiles,
}

/// Kind of choice in a file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickKind {
    /// A folder with requests or recordings in it.
    Folder,
    /// A file: a machine, a request, a recording, a log.
    File,
}

/// The view state of the playback desk.
#[derive(Debug, Default)]
pub struct PlaybackDesk {
    pub requests: Option<RequestsSource>,
    pub set: Option<Arc<str>>,
    /// The set that is used if a log names none.
    fallback: Option<Arc<str>>,
    pub rules: PlaybackRules,
    /// The matchers to use in place of those of the cassette's client; `None` for its own.
    matchers: Option<Arc<[Box<str>]>>,
    pub call: usize,
    /// The call to select when the requests are played, from 1.
    wanted_call: Option<usize>,
    recording: Option<usize>,
    pub strip: StripState,
    /// The planned changes of files.
    pub plan: Option<FilePlan>,
    /// The undo of the last changes of files, and the revision of the edit history at that time.
    pub undo: Option<(FileChangeRequest, u64)>,
    /// Grows with every change of the settings of the run.
    content: u64,
    playing: Latest<PlayKey, Arc<PlaybackResult>>,
    /// Counts the results, to distinguish them.
    pub number: u64,
    pub fault: Option<Arc<str>>,
    explanation: Latest<ExplainKey, Result<Explanation, String>>,
    /// The compared signatures, by the result, the call and the position of the recording.
    signatures: Latest<(u64, usize, usize), Arc<SignatureDiff>>,
    pub sets: Arc<FoundSets>,
    list: PlayableList,
    /// The revision of the items that the sets belong to or are requested for.
    sets_of: Option<u64>,
    verdicts: Verdicts,
    /// Grows with every relevant change on disk.
    touched: u64,
    /// Whether the requests are new: then the first wrong call is selected.
    is_new: bool,
}

impl DeskState for PlaybackDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.played()?.doc(self.selected()?.index().or_else(|| self.position())?)
    }

    /// Requests a new result if its inputs have changed, while the desk is shown.
    fn sync(&mut self, core: &mut Core) {
        self.sync_strip(core);
        let is_read = core.progress.is_none();
        let is_shown = is_read && core.shows(Desk::Playback);
        // The live desk offers the queues to watch.
        if is_shown || is_read && core.shows(Desk::Live) {
            self.sync_sets(core);
        }
        core.request(self.verdicts.sync(core));
        if is_shown {
            self.sync_list();
            core.request(self.sync_request(core));
            core.request(self.sync_explanation());
            self.sync_signatures();
        }
    }

    fn has_rows(&self) -> bool {
        self.played().is_some_and(|result| !result.run.calls.is_empty()) || self.chosen().is_some()
    }

    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        if self.is_choosing() {
            self.step_cursor(step, rows);
        } else {
            self.step_call(step, rows);
        }
    }

    fn step_change(&mut self, _core: &mut Core, step: StepDirection) {
        self.step_wrong(step);
    }

    /// Plays what is chosen; shows the recording that answers the selected call, else the recording compared with its request.
    fn open_selected(&mut self, core: &mut Core) {
        if let Some(row) = self.chosen() {
            return self.choose(core, Arc::clone(&row.path));
        }
        let index = self.selected().and_then(|call| call.index());
        if let Some(position) = index.or_else(|| self.position()) {
            self.open_recording(core, position);
        }
    }

    fn close(&mut self, core: &mut Core) -> bool {
        core.inspector.close() || self.leave()
    }

    /// Notes which folders changed.
    fn on_disk_change(&mut self, core: &Core, change: &DiskChange) {
        let set_of = |item: &Item| match item.foreign {
            // A file of several calls is a set of its own.
            Some(_) => item.root_path().to_string(),
            None => item.folder().to_owned(),
        };
        let folders: BTreeSet<String> =
            core.library.items_of(change).into_iter().map(set_of).collect();
        for folder in folders {
            self.verdicts.mark_written(&folder);
            self.mark_dirty(&folder);
        }
    }

    /// Notes in which folders files are new.
    fn on_news(&mut self, core: &Core, news: &News) {
        for item in news.added.iter().filter_map(|doc| core.library.get(*doc)) {
            self.mark_dirty(item.folder());
        }
    }

    /// Keeps the rules; after a reload, the same requests are played again.
    fn start_project(&mut self, start: ProjectStart) {
        let old = std::mem::take(self);
        self.verdicts = old.verdicts.reset();
        self.strip = old.strip.reset();
        self.rules = old.rules;
        // Not reset: a late answer must not fit a new result.
        self.number = old.number;
        self.list.filter = old.list.filter;
        if start == ProjectStart::Again {
            self.requests = old.requests;
            self.set = old.set;
            self.fallback = old.fallback;
            self.call = old.call;
            self.content = old.content;
        }
    }
}

impl PlaybackDesk {
    /// The result of playing; `None` if nothing was played.
    pub fn played(&self) -> Option<&Arc<PlaybackResult>> {
        self.playing.value.as_ref()
    }

    /// Whether a response is pending.
    pub fn is_playing(&self) -> bool {
        self.playing.is_awaited()
    }

    /// Reason for the answer of the selected call, or why that is not known; `None` while it is computed.
    pub fn explanation(&self) -> Option<Result<&Explanation, &str>> {
        let is_shown = self.explanation.key == Some((self.number, self.call));
        Some(self.explanation.value.as_ref().filter(|_| is_shown)?.as_ref().map_err(String::as_str))
    }

    /// The fixes for the selected call, and then those for the set, the most likely first. A right answer has none.
    pub fn fixes(&self) -> impl Iterator<Item = &Fix> {
        let is_right = self.selected().is_none_or(|call| call.verdict == CallVerdict::Right);
        let explanation = self.explanation().and_then(Result::ok).filter(|_| !is_right);
        let call_fixes = explanation.map_or(&[][..], |explanation| &explanation.fixes);
        let set_fixes = self.played().map_or(&[][..], |result| &result.fixes).iter();
        call_fixes.iter().chain(set_fixes.filter(|fix| !call_fixes.contains(fix)))
    }

    /// The first of the fixes that changes recordings.
    pub fn first_change(&self) -> Option<&Fix> {
        let is_change = |fix: &&Fix| !matches!(fix, Fix::ShowSourceChange(_) | Fix::Regenerate(_));
        self.fixes().find(is_change)
    }

    /// The fix to offer first: one that changes recordings, else the most likely.
    pub fn main_fix(&self) -> Option<&Fix> {
        self.first_change().or_else(|| self.fixes().next())
    }

    /// The signature of the selected request compared with that of a recording, and the recording's position.
    pub fn signatures(&self) -> Option<(usize, &Arc<SignatureDiff>)> {
        let (_, _, position) = self.signatures.key?;
        Some((position, self.signatures.value.as_ref()?))
    }

    /// The selected call, if there is one.
    pub fn selected(&self) -> Option<&PlayedCall> {
        self.played()?.run.calls.get(self.call)
    }

    /// The position of the recording compared with the request: the chosen one, else the one that answers correctly or whose
    /// tools a log reports as different, else the nearest miss.
    pub fn position(&self) -> Option<usize> {
        let served_index = self.selected()?.index();
        let is_right = matches!(
            self.selected()?.verdict,
            CallVerdict::Right | CallVerdict::FirstOf(_) | CallVerdict::Undefined
        );
        let log_index = self.selected()?.compared_in_log();
        let nearest_index = || self.explanation()?.ok()?.nearest;
        self.recording
            .or_else(|| served_index.filter(|_| is_right))
            .or(log_index)
            .or_else(nearest_index)
            .or(served_index)
    }

    /// Marks the requests as new.
    fn mark_as_new(&mut self) {
        self.content += 1;
        self.is_new = true;
    }

    /// Notes that files in this folder changed on disk.
    fn mark_dirty(&mut self, folder: &str) {
        // After a failed play, the folder of its set is unknown, so any folder may have the missing files.
        let is_set = self.set.as_deref() == Some(folder) || self.playing.value.is_none();
        let is_requested = match &self.requests {
            Some(RequestsSource::Folder(request_folder)) => **request_folder == *folder,
            Some(RequestsSource::Machine(_)) => true,
            _ => false,
        };
        if is_set || is_requested {
            self.touched += 1;
        }
    }

    /// Uses the rules of a log from now on.
    fn adopt_rules(&mut self, rules: PlaybackRules) {
        self.rules = rules;
        // Otherwise the rules would look like a new choice, and the log would be played again.
        if let Some(key) = &mut self.playing.key {
            key.rules = rules;
        }
    }

    /// Handles the result of playing.
    fn set_result(&mut self, core: &mut Core, result: Result<Arc<PlaybackResult>, String>) {
        let is_new = std::mem::take(&mut self.is_new);
        let result = match result {
            Ok(result) => result,
            Err(reason) => {
                self.fault = Some(reason.into());
                self.playing.value = None;
                return;
            }
        };
        self.fault = None;
        self.adopt_rules(result.run.rules);
        let last = result.run.calls.len().saturating_sub(1);
        let call_number = self.wanted_call.take();
        let count = result.run.calls.len();
        if let Some(number) = call_number.filter(|number| *number > count) {
            let calls = counted(count, "call", "calls");
            let folder = quoted(&result.run.set.folder);
            core.notify(Severity::Warning, format!("{folder} has {calls}, no call {number}."));
        }
        self.call = if let Some(number) = call_number {
            (number - 1).min(last)
        } else if is_new {
            result.wrong.first().copied().unwrap_or_default()
        } else {
            self.call.min(last)
        };
        self.recording = None;
        // Selects the set that a log names.
        self.set.get_or_insert_with(|| Arc::clone(&result.run.set.folder));
        self.number += 1;
        self.playing.value = Some(result);
    }
}
