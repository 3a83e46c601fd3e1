//! Handlers of the actions at the playback desk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{PickKind, PlaybackAction, PlaybackDesk};
use crate::{Core, DeskView, DialogKind, Effect, Link, StepDirection};
use document::Severity;
use play::playback::PlaybackRules;
use play::triage::{describe_unread_text, looks_like_run};
use protocol::{Desk, RequestsSource};

impl PlaybackDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: PlaybackAction) {
        match action {
            PlaybackAction::ServeFrom(folder) => {
                self.set = Some(folder);
                let requests = self.requests.take();
                self.play_requests(core, requests.unwrap_or(RequestsSource::SetItself));
            }
            PlaybackAction::PlayRequests(requests) => {
                self.choose_set_of(&requests);
                self.play_requests(core, requests);
            }
            PlaybackAction::PlayHybrid(requests) => {
                self.rules = PlaybackRules::default();
                self.play_requests(core, requests);
            }
            PlaybackAction::CheckSet(folder) => {
                self.set = Some(folder);
                self.play_requests(core, RequestsSource::SetItself);
            }
            PlaybackAction::PlaySet(folder) => self.play_set(core, folder),
            PlaybackAction::ReadLog { name, text } => core.link(Link::PlayLog { name, text }),
            PlaybackAction::Paste(text) => self.paste(core, text),
            PlaybackAction::PlayPath(path) => self.play_path(core, path),
            PlaybackAction::PickRequests(pick_kind) => {
                let (title, kind) = match pick_kind {
                    PickKind::Folder => ("Choose a folder of requests to play", DialogKind::Folder),
                    PickKind::File => ("Choose a machine, a request or a log", DialogKind::File),
                };
                core.request(Effect::pick(title, kind, PlaybackAction::PlayPath));
            }
            PlaybackAction::ShowFailure(number) => self.show_failure(number),
            PlaybackAction::SetMode(mode) => self.rules.mode = mode,
            PlaybackAction::SetClient(client) => self.rules.client = client,
            PlaybackAction::ToggleMatcher(name) => self.toggle_matcher(name),
            PlaybackAction::ShowCall(call) => self.show_call(call),
            PlaybackAction::ShowRecording(position) => {
                self.recording = Some(position);
                core.inspector.show();
            }
            PlaybackAction::OpenRecording(position) => self.open_recording(core, position),
            PlaybackAction::Playhead(action) => self.move_playhead(action),
            PlaybackAction::Filter(words) => self.list.filter = words,
            PlaybackAction::Choose(path) => self.choose(core, path),
            PlaybackAction::Fix(fix) => self.fix_set(core, &fix),
            PlaybackAction::ChangeFiles => self.change_files(core),
        }
    }

    /// Plays the requests of the set in a folder against itself, and selects a call, from 1.
    pub(crate) fn show_own_call(&mut self, core: &mut Core, folder: Arc<str>, number: usize) {
        self.act(core, PlaybackAction::CheckSet(folder));
        self.wanted_call = Some(number);
    }

    fn toggle_matcher(&mut self, name: &'static str) {
        let Some(result) = self.played() else { return };
        let Some(cassette) = &result.input.cassette else { return };
        let mut matchers = cassette.compared.clone();
        let old_count = matchers.len();
        matchers.retain(|other| **other != *name);
        if matchers.len() == old_count {
            matchers.push(name.into());
        }
        self.matchers = Some(matchers.into());
    }

    /// Chooses the set for the requests of a machine if only one set was made from it.
    fn choose_set_of(&mut self, requests: &RequestsSource) {
        let RequestsSource::Machine(path) = requests else { return };
        if let Some([set]) = self.sets.machine(path).map(|machine| &machine.sets[..]) {
            self.set = Some(Arc::clone(set));
        }
    }

    fn play_requests(&mut self, core: &mut Core, requests: RequestsSource) {
        // The client of a cassette is known only with the requests in it.
        if requests != RequestsSource::SetItself {
            self.set = self.set.take().filter(|set| !self.is_cassette(set));
        }
        self.requests = Some(requests);
        self.matchers = None;
        self.mark_as_new();
        core.go(Desk::Playback, DeskView::List);
    }

    /// Plays a file or folder that was chosen or dropped. If the folder is open, its changes are followed.
    fn play_path(&mut self, core: &mut Core, path: PathBuf) {
        if let Some(folder) = self.open_folder(core, &path) {
            return self.play_requests(core, RequestsSource::Folder(folder));
        }
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xml")) {
            // A JUnit report; requests are in other formats.
            return core.link(Link::ReadLogs(vec![path]));
        }
        // A log may name its set.
        self.forget_set();
        self.play_requests(core, RequestsSource::Path { path, failure: 0 });
    }

    /// The open folder with requests at a path, or the folder of requests of a queue there.
    fn open_folder(&self, core: &Core, path: &Path) -> Option<Arc<str>> {
        let root = &core.project.as_ref()?.root;
        let folder = path.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
        // DyGram's queues have their requests in this folder.
        let requests_folder = format!("{folder}/requests");
        let sets = &self.sets.sets;
        let find_set = |name: &str| sets.iter().find(|set| *set.folder == *name);
        Some(Arc::clone(&find_set(&requests_folder).or_else(|| find_set(&folder))?.folder))
    }

    fn forget_set(&mut self) {
        self.fallback = self.set.take().or(self.fallback.take());
    }

    /// Plays a failure of a log, counted from 0.
    pub(crate) fn play_failure(&mut self, core: &mut Core, log: RequestsSource) {
        self.forget_set();
        self.play_requests(core, log);
    }

    /// Plays a pasted text: a log or a request.
    fn paste(&mut self, core: &mut Core, text: String) {
        if looks_like_run(&text) {
            let (name, text) = ("Pasted log".into(), text.into());
            return core.link(Link::PlayLog { name, text });
        }
        if core.here().desk == Desk::Tapes && !text.trim().is_empty() {
            return core.link(Link::BeginTape(text.into()));
        }
        if core.here().desk != Desk::Playback {
            return;
        }
        // A request is one JSON object; a log is none.
        if text.trim_start().starts_with('{') {
            return self.play_requests(core, RequestsSource::Typed(text.into()));
        }
        let reason = describe_unread_text(&text);
        core.refuse(Severity::Warning, format!("The pasted text is not used. {reason}"));
    }

    fn show_failure(&mut self, number: usize) {
        let failure_number = match &mut self.requests {
            Some(RequestsSource::Log { failure, .. } | RequestsSource::Path { failure, .. }) => {
                failure
            }
            _ => return,
        };
        if *failure_number != number {
            *failure_number = number;
            // Another failure may name another set.
            self.forget_set();
            self.mark_as_new();
        }
    }

    pub(super) fn show_call(&mut self, call: usize) {
        if call < self.played().map_or(0, |result| result.run.calls.len()) && call != self.call {
            self.call = call;
            // The recording was chosen for the previous call.
            self.recording = None;
        }
    }

    /// Moves the selection by some calls.
    pub(crate) fn step_call(&mut self, step: StepDirection, distance: usize) {
        let count = self.played().map_or(0, |result| result.run.calls.len());
        self.show_call(step.target(self.call, distance).min(count.saturating_sub(1)));
    }

    /// Goes to the next call with a wrong answer, and wraps around at the end.
    pub(super) fn step_wrong(&mut self, step: StepDirection) {
        let Some(result) = self.played() else { return };
        let (bad_calls, call) = (&result.wrong, self.call);
        let target_call = match step {
            StepDirection::Next => {
                let position = bad_calls.partition_point(|other| *other <= call);
                bad_calls.get(position).or(bad_calls.first())
            }
            StepDirection::Previous => {
                let position = bad_calls.partition_point(|other| *other < call);
                position.checked_sub(1).and_then(|index| bad_calls.get(index)).or(bad_calls.last())
            }
        };
        if let Some(target_call) = target_call.copied() {
            self.show_call(target_call);
        }
    }

    pub(super) fn open_recording(&mut self, core: &mut Core, position: usize) {
        let doc = self.played().and_then(|result| result.doc(position));
        if let Some(doc) = doc {
            core.show(doc);
        }
    }
}
