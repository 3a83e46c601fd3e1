//! Handles actions and events of the recorder, the server and their calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::form::What;
use super::rows::CallId;
use super::run::{ListenState, Listener};
use super::{CallsAction, CallsDesk, CallsEffect, CallsEvent};
use crate::format::{FileKind, Severity};
use crate::ops::live::serve;
use crate::workbench::action::{Action, Overlay};
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::live::{LiveEffect, LiveSide};
use crate::workbench::navigation::{Desk, View};
use crate::workbench::playback::{PlaybackAction, RequestsFrom};
use crate::workbench::state::Workbench;
use crate::workbench::tapes::TapesAction;

/// How many bytes of requests of served calls are kept.
const MOST_REQUESTS: usize = 32 << 20;

fn effect(effect: CallsEffect) -> Vec<Effect> {
    vec![Effect::Live(LiveEffect::Calls(effect))]
}

impl Workbench {
    pub(in crate::workbench) fn act_on_calls(&mut self, action: CallsAction) -> Vec<Effect> {
        let desk = &mut self.live.calls;
        match action {
            CallsAction::Ask(which) => self.ask_to_listen(which),
            CallsAction::AskToServe(path) => {
                desk.serve_form.what = What::Some(BTreeSet::from([path]));
                self.ask_to_listen(Listener::Server);
            }
            CallsAction::EditRecord(form) => {
                desk.record_form = form;
                desk.forgive(Listener::Recorder);
            }
            CallsAction::EditServe(form) => {
                desk.serve_form = form;
                desk.forgive(Listener::Server);
            }
            CallsAction::Start(which) => return self.start_to_listen(which),
            CallsAction::Stop(which) => return self.stop_listening(which),
            CallsAction::StopBoth => {
                let both = Listener::ALL.map(|which| self.stop_listening(which));
                return both.concat();
            }
            CallsAction::Select(id) => desk.selected = Some(id),
            CallsAction::List(listed) => {
                desk.listed = listed;
                desk.recorded.list(listed);
                desk.served.list(listed);
            }
            CallsAction::ToggleFold(Listener::Recorder) => desk.recorded.is_unfolded ^= true,
            CallsAction::ToggleFold(Listener::Server) => desk.served.is_unfolded ^= true,
            CallsAction::ShowClient(client) => desk.client = client,
            CallsAction::PointAt(which) => desk.pointed = which,
            CallsAction::CopyUrl(which) => {
                if let Some(address) = desk.address(which) {
                    return self.copy(format!("http://{address}"));
                }
            }
            CallsAction::CopyVariable => {
                if let Some((_, address)) = desk.pointed() {
                    let (name, url) = desk.client.variable(address);
                    return self.copy(format!("{name}={url}"));
                }
            }
            CallsAction::CopyRequest(id) => {
                if let Some(request) = desk.request(id) {
                    return self.copy(request.to_string());
                }
            }
            CallsAction::Explain(id, path) => return self.explain_call(id, &path),
            CallsAction::ShowFile(path) => return self.show_file_of_call(&path),
        }
        Vec::new()
    }

    pub(in crate::workbench) fn calls_told(&mut self, event: CallsEvent) -> Vec<Effect> {
        let desk = &mut self.live.calls;
        match event {
            CallsEvent::Run(which, run, state) => self.run_told(which, run, state),
            CallsEvent::Offers(_, offered) => desk.on_offer = offered,
            CallsEvent::Recorded(run, rows) => desk.recorded.put(run, rows, desk.listed),
            CallsEvent::Served(run, rows) => {
                desk.served.put(run, rows, desk.listed);
                desk.forget_requests();
            }
        }
        Vec::new()
    }

    fn run_told(&mut self, which: Listener, run: u32, state: ListenState) {
        let desk = &mut self.live.calls;
        let is_listening = matches!(state, ListenState::Listening { .. });
        let has_failed = match &state {
            ListenState::Failed(fault) => Some(fault.words.clone()),
            _ => None,
        };
        let is_news = match which {
            Listener::Recorder => desk.recorder.told(run, state),
            Listener::Server => desk.server.told(run, state),
        };
        let shows_form = self.overlay == Some(overlay_of(which));
        if is_news && is_listening && shows_form {
            self.overlay = None;
        }
        // The form shows the reason where the field is.
        if let Some(words) = has_failed.filter(|_| is_news && !shows_form) {
            self.notify(Severity::Error, format!("{words}."));
        }
    }

    /// Shows the form that starts a listener, on the calls side of the desk.
    fn ask_to_listen(&mut self, which: Listener) {
        self.live.side = LiveSide::Calls;
        self.live.calls.forgive(which);
        // Showing a desk has no effects.
        let effects = self.go(Desk::Live, View::List);
        debug_assert!(effects.is_empty());
        self.overlay = Some(overlay_of(which));
    }

    fn start_to_listen(&mut self, which: Listener) -> Vec<Effect> {
        let opened = self.project.as_ref().map(|project| &*project.opened);
        let desk = &mut self.live.calls;
        desk.fault = None;
        let started = match which {
            Listener::Recorder => desk.record_form.order().map(|order| {
                let run = desk.recorder.start(order.clone());
                CallsEffect::Record(run, Box::new(order))
            }),
            Listener::Server => desk
                .serve_form
                .order(opened.unwrap_or_default())
                .map(|order| {
                    desk.on_offer = Arc::default();
                    let run = desk.server.start(order.clone());
                    CallsEffect::Serve(run, Box::new(order))
                }),
        };
        match started {
            Ok(started) => {
                desk.pointed = which;
                effect(started)
            }
            Err(fault) => {
                desk.fault = Some(fault);
                Vec::new()
            }
        }
    }

    pub(in crate::workbench) fn stop_listening(&mut self, which: Listener) -> Vec<Effect> {
        let desk = &mut self.live.calls;
        let was_on = match which {
            Listener::Recorder => desk.recorder.stop(),
            Listener::Server => desk.server.stop(),
        };
        if was_on {
            effect(CallsEffect::Stop(which))
        } else {
            Vec::new()
        }
    }

    fn explain_call(&mut self, id: CallId, path: &str) -> Vec<Effect> {
        let request = self.live.calls.request(id);
        let folder = self.doc_at(path).and_then(|doc| self.library.get(doc));
        let folder: Option<Arc<str>> = folder.map(|item| item.folder().into());
        let (Some(request), Some(folder)) = (request, folder) else {
            let words = "The set that served the call is no longer open.";
            self.notify(Severity::Note, words);
            return Vec::new();
        };
        let mut effects = self.apply(Action::Playback(PlaybackAction::ServeFrom(folder)));
        let typed = PlaybackAction::Take(RequestsFrom::Typed(request));
        effects.extend(self.apply(Action::Playback(typed)));
        effects
    }

    /// Shows a file on the desk for its kind.
    fn show_file_of_call(&mut self, path: &str) -> Vec<Effect> {
        let Some(doc) = self.doc_at(path) else {
            let words = format!("{path} is not open.");
            self.notify(Severity::Note, words);
            return Vec::new();
        };
        let is_tape = self
            .library
            .get(doc)
            .is_some_and(|item| item.kind == FileKind::Tape);
        if !is_tape {
            return self.show(doc);
        }
        let mut effects = self.go(Desk::Tapes, View::List);
        effects.extend(self.apply(Action::Tapes(TapesAction::Select(doc))));
        effects
    }

    /// Returns the item of a file.
    fn doc_at(&self, path: &str) -> Option<DocId> {
        let mut all = self.library.iter();
        all.find(|(_, item)| *item.path == *path)
            .map(|(doc, _)| doc)
    }

    /// The path that can be served: the selected tape, or the folder of the selected recording.
    pub(in crate::workbench) fn servable(&self) -> Option<Arc<str>> {
        let item = self.library.get(self.subject()?)?;
        match item.kind {
            FileKind::Tape => Some(Arc::clone(&item.path)),
            FileKind::Recording => {
                let folder = item.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
                Some(folder.into())
            }
            _ => None,
        }
    }

    /// Shows the file of the selected call: its tape, or what served it.
    pub(in crate::workbench) fn open_call(&mut self) -> Vec<Effect> {
        match self.live.calls.file_of_selected() {
            Some(path) => self.show_file_of_call(&path),
            None => Vec::new(),
        }
    }
}

/// The overlay with the form of a listener.
fn overlay_of(which: Listener) -> Overlay {
    match which {
        Listener::Recorder => Overlay::RecordCalls,
        Listener::Server => Overlay::ServeCalls,
    }
}

impl CallsDesk {
    /// Clears the error of a form after it was changed.
    fn forgive(&mut self, which: Listener) {
        self.fault = None;
        match which {
            Listener::Recorder => self.recorder.forgive(),
            Listener::Server => self.server.forgive(),
        }
    }

    /// The request of a served call, in the format of recordings.
    pub fn request(&self, id: CallId) -> Option<Arc<str>> {
        let request = Arc::clone(&self.served.get(id)?.began.request);
        (!request.is_empty()).then_some(request)
    }

    fn file_of_selected(&self) -> Option<Arc<str>> {
        let id = self.selected?;
        match id.which {
            Listener::Recorder => self.recorded.get(id)?.tape().cloned(),
            Listener::Server => {
                let choice = self.served.get(id)?.choice.clone()?;
                let chosen = choice.chosen.as_ref().map(|chosen| &chosen.path);
                let nearest = choice.nearest.first().map(|near| &near.path);
                chosen.or(nearest).cloned()
            }
        }
    }

    /// Drops the oldest requests if all together are too large.
    fn forget_requests(&mut self) {
        let mut kept = 0;
        self.served.each_mut(|call| {
            kept += call.began.request.len();
            if kept > MOST_REQUESTS && !call.began.request.is_empty() {
                let call: &mut serve::ServedCall = Arc::make_mut(call);
                Arc::make_mut(&mut call.began).request = Arc::default();
            }
        });
    }
}
