//! Handlers of the actions at the playback desk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::request::RequestsSource;
use super::{PasteRefusal, PickKind, PlaybackAction, RunSlot};
use crate::format::FileKind;
use crate::ops::playback::failure_log::FailureLog;
use crate::ops::playback::{PlaybackClient, PlaybackRules};
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::desks::tapes::NewTapeSource;
use crate::workbench::state::Workbench;

/// How many characters of a refused text are shown.
const EXCERPT_CHARS: usize = 60;

impl Workbench {
    /// Handles an action of the playback desk.
    pub(in crate::workbench) fn act_on_playback(&mut self, action: PlaybackAction) {
        match action {
            PlaybackAction::ServeFrom(folder) => self.serve_from(folder),
            PlaybackAction::PlayRequests(requests) => {
                self.choose_set_of(&requests);
                self.play_requests(requests);
            }
            PlaybackAction::PlayHybrid(requests) => {
                self.playback.rules = PlaybackRules::default();
                self.play_requests(requests);
            }
            PlaybackAction::DropRefusal => self.playback.refusal = None,
            PlaybackAction::CheckSet(folder) => {
                self.playback.set = Some(folder);
                self.play_requests(RequestsSource::SetItself);
            }
            PlaybackAction::ReadLog { name, text } => self.read_log(name, text),
            PlaybackAction::Paste(text) => self.paste(text),
            PlaybackAction::PlayPath(path) => self.play_path(path),
            PlaybackAction::PickRequests(wanted) => {
                let (title, kind) = match wanted {
                    PickKind::Folder => ("Choose a folder of requests to play", DialogKind::Folder),
                    PickKind::File => ("Choose a machine, a request or a log", DialogKind::File),
                };
                self.core
                    .request(Effect::pick(title, kind, PlaybackAction::PlayPath));
            }
            PlaybackAction::ShowFailure(number) => self.show_failure(number),
            PlaybackAction::SetMode(which, mode) => {
                self.change_rules(which, |rules| rules.mode = mode);
            }
            PlaybackAction::SetClient(which, client) => {
                self.change_rules(which, |rules| rules.client = client);
            }
            PlaybackAction::ToggleComparison => self.toggle_comparison(),
            PlaybackAction::ShowCall(call) => self.show_call(call),
            PlaybackAction::StepCall(step) => self.step_call(step, 1),
            PlaybackAction::StepWrong(step) => self.step_wrong(step),
            PlaybackAction::StepToEnd(step) => self.step_to_last_call(step),
            PlaybackAction::ShowRecording(position) => {
                self.playback.recording = Some(position);
                self.core.inspector.show();
            }
            PlaybackAction::OpenRecording(position) => self.open_recording(position),
            PlaybackAction::Filter(finding) => self.list_finding(finding),
            PlaybackAction::EditRequest(text) => self.edit_request(text),
            PlaybackAction::Fix(_) | PlaybackAction::ChangeFiles | PlaybackAction::UndoFiles => {
                self.act_on_files(&action);
            }
            PlaybackAction::UndoEdit => {
                self.playback.typed = None;
                self.playback.content += 1;
            }
        }
    }

    fn serve_from(&mut self, folder: Arc<str>) {
        self.playback.set = Some(folder);
        let requests = self.playback.requests.take();
        self.play_requests(requests.unwrap_or(RequestsSource::SetItself));
    }

    /// Chooses the set for the requests of a machine if only one set was made from it.
    fn choose_set_of(&mut self, requests: &RequestsSource) {
        let RequestsSource::Machine(path) = requests else {
            return;
        };
        let sets = self
            .playback
            .sets
            .machine(path)
            .map(|machine| &machine.sets[..]);
        if let Some([set]) = sets {
            self.playback.set = Some(Arc::clone(set));
        }
    }

    fn play_requests(&mut self, requests: RequestsSource) {
        self.playback.requests = Some(requests);
        self.playback.typed = None;
        self.playback.mark_as_new();
        self.core.go(Desk::Playback, DeskView::List);
    }

    /// Plays a file or folder that was chosen or dropped. If the folder is open, its changes are followed.
    pub(super) fn play_path(&mut self, path: PathBuf) {
        if let Some(folder) = self.open_folder(&path) {
            return self.play_requests(RequestsSource::Folder(folder));
        }
        // A log may name its set.
        self.forget_set();
        self.play_requests(RequestsSource::Path(path));
    }

    /// The open folder with requests at a path, or the folder of requests of a queue there.
    fn open_folder(&self, path: &Path) -> Option<Arc<str>> {
        let root = &self.core.project.as_ref()?.root;
        let below = path
            .strip_prefix(root)
            .ok()?
            .to_string_lossy()
            .replace('\\', "/");
        let waiting = format!("{below}/requests");
        let sets = &self.playback.sets.sets;
        let named = |name: &str| sets.iter().find(|set| *set.folder == *name);
        Some(Arc::clone(
            &named(&waiting).or_else(|| named(&below))?.folder,
        ))
    }

    fn forget_set(&mut self) {
        let set = self.playback.set.take();
        self.playback.fallback = set.or(self.playback.fallback.take());
    }

    fn read_log(&mut self, name: Arc<str>, text: Arc<str>) {
        self.forget_set();
        let failure = 0;
        self.play_requests(RequestsSource::Log {
            name,
            text,
            failure,
        });
    }

    /// Plays a pasted text: a log or a request.
    fn paste(&mut self, text: String) {
        if FailureLog::looks_like_log(&text) {
            return self.read_log("Pasted log".into(), text.into());
        }
        if self.core.here().desk == Desk::Tapes && !text.trim().is_empty() {
            return self.begin_tape(Some(NewTapeSource::Text(text.into())));
        }
        if self.core.here().desk != Desk::Playback {
            return;
        }
        if text.trim_start().starts_with('{') {
            return self.play_requests(RequestsSource::Typed(text.into()));
        }
        let begins = text.lines().map(str::trim).find(|line| !line.is_empty());
        let begins = begins
            .unwrap_or_default()
            .chars()
            .take(EXCERPT_CHARS)
            .collect();
        let desk = &mut self.playback;
        desk.refused += 1;
        let number = desk.refused;
        desk.refusal = Some(PasteRefusal {
            number,
            excerpt: begins,
        });
    }

    fn show_failure(&mut self, number: usize) {
        if let Some(RequestsSource::Log { failure, .. }) = &mut self.playback.requests {
            *failure = number;
            self.forget_set();
            self.playback.mark_as_new();
        }
    }

    fn change_rules(&mut self, which: RunSlot, change: impl FnOnce(&mut PlaybackRules)) {
        match (which, &mut self.playback.compared_rules) {
            (RunSlot::First, _) => change(&mut self.playback.rules),
            (RunSlot::Second, Some(beside)) => change(beside),
            (RunSlot::Second, None) => {}
        }
    }

    fn toggle_comparison(&mut self) {
        let desk = &mut self.playback;
        desk.compared_rules = match desk.compared_rules {
            Some(_) => None,
            None => Some(with_other_client(desk.rules)),
        };
        desk.listed = None;
    }

    fn show_call(&mut self, call: usize) {
        let desk = &mut self.playback;
        let calls = desk.played().map_or(0, |played| played.run.calls.len());
        if call < calls && call != desk.call {
            desk.call = call;
            desk.recording = None;
        }
    }

    /// Moves the selection by some listed calls.
    pub(in crate::workbench) fn step_call(&mut self, step: StepDirection, by: usize) {
        let desk = &self.playback;
        let Some(played) = desk.played() else { return };
        let call = desk.call;
        let to = match (desk.calls(), step) {
            (None, StepDirection::Next) => {
                (call + by).min(played.run.calls.len().saturating_sub(1))
            }
            (None, StepDirection::Previous) => call.saturating_sub(by),
            (Some(calls), step) => {
                let at = calls.partition_point(|other| *other < call);
                let is_on = calls.get(at) == Some(&call);
                let to = match step {
                    StepDirection::Next => at + by - usize::from(!is_on),
                    StepDirection::Previous => at.saturating_sub(by),
                };
                let last = calls.len().saturating_sub(1);
                calls.get(to.min(last)).copied().unwrap_or(call)
            }
        };
        self.show_call(to);
    }

    /// Goes to the next call with a wrong answer, and wraps around at the end.
    pub(in crate::workbench) fn step_wrong(&mut self, step: StepDirection) {
        let desk = &self.playback;
        let Some(played) = desk.played() else { return };
        let (wrong, call) = (&played.wrong, desk.call);
        let to = match step {
            StepDirection::Next => {
                let after = wrong.partition_point(|other| *other <= call);
                wrong.get(after).or(wrong.first())
            }
            StepDirection::Previous => {
                let before = wrong.partition_point(|other| *other < call);
                before
                    .checked_sub(1)
                    .and_then(|at| wrong.get(at))
                    .or(wrong.last())
            }
        };
        if let Some(to) = to.copied() {
            self.show_call(to);
        }
    }

    /// Goes to the first or last listed call.
    pub(in crate::workbench) fn step_to_last_call(&mut self, step: StepDirection) {
        self.step_call(step, usize::MAX / 2);
    }

    fn list_finding(&mut self, finding: super::PlayFinding) {
        let desk = &mut self.playback;
        desk.listed = match desk.listed {
            Some(listed) if listed == finding => None,
            _ => Some(finding),
        };
        let first = desk.calls().and_then(|calls| calls.first().copied());
        let is_listed = desk
            .calls()
            .is_none_or(|calls| calls.binary_search(&desk.call).is_ok());
        if let Some(first) = first.filter(|_| !is_listed) {
            self.show_call(first);
        }
    }

    fn edit_request(&mut self, text: String) {
        let desk = &mut self.playback;
        match &mut desk.requests {
            Some(RequestsSource::Typed(typed)) => *typed = text.into(),
            _ => desk.typed = Some((desk.call, text.into())),
        }
        desk.content += 1;
        self.core.overlay = None;
    }

    fn open_recording(&mut self, position: usize) {
        let doc = self
            .playback
            .played()
            .and_then(|played| played.doc(position));
        if let Some(doc) = doc {
            self.core.show(doc);
        }
    }

    /// Shows the recording that answers the selected call in the library, else the recording compared with its request.
    pub(in crate::workbench) fn open_served(&mut self) {
        let desk = &self.playback;
        let served = desk.selected().and_then(|call| call.index());
        if let Some(position) = served.or_else(|| desk.position()) {
            self.open_recording(position);
        }
    }

    /// The document that commands on this desk apply to.
    pub(in crate::workbench) fn served_doc(&self) -> Option<DocId> {
        let desk = &self.playback;
        let served = desk.selected()?.index();
        desk.played()?.doc(served.or_else(|| desk.position())?)
    }

    /// The folder of the selected item, if it is a set.
    pub(in crate::workbench) fn chosen_set(&self) -> Option<Arc<str>> {
        let item = self.selected()?;
        let is_call = matches!(item.kind, FileKind::Recording | FileKind::Request);
        is_call.then(|| item.folder().into())
    }

    /// Plays the set of the selected recording against itself.
    pub(in crate::workbench) fn check_chosen_set(&mut self) {
        if let Some(folder) = self.chosen_set() {
            self.act_on_playback(PlaybackAction::CheckSet(folder));
        }
    }

    /// Selects the set of the selected recording; the requests are still to be chosen.
    pub(in crate::workbench) fn serve_from_chosen_set(&mut self) {
        if let Some(folder) = self.chosen_set() {
            self.act_on_playback(PlaybackAction::ServeFrom(folder));
        }
    }
}

/// The rules of the other client, because most differences are between clients.
fn with_other_client(rules: PlaybackRules) -> PlaybackRules {
    let client = match rules.client {
        PlaybackClient::Documented => PlaybackClient::Shipped,
        PlaybackClient::Shipped | PlaybackClient::Browser => PlaybackClient::Documented,
    };
    PlaybackRules { client, ..rules }
}
