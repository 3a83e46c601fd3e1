//! Handles actions and events of the recorder, the server and their calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::form::ServeSelection;
use super::rows::CallId;
use super::run::{ListenRequest, ListenState, ListenerKind, RecordRequest, ServeRequest};
use super::{CallsAction, CallsDesk, CallsEvent};
use crate::format::{FileKind, Severity};
use crate::ops::live::serve;
use crate::workbench::action::Action;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::core::view::Overlay;
use crate::workbench::desks::live::LiveSide;
use crate::workbench::desks::playback::{PlaybackAction, RequestsSource};
use crate::workbench::desks::tapes::TapesAction;
use crate::workbench::state::Workbench;

/// How many bytes of requests of served calls are kept.
const MAX_REQUEST_BYTES: usize = 32 << 20;

impl Workbench {
    pub(in crate::workbench) fn act_on_calls(&mut self, action: CallsAction) {
        let desk = &mut self.live.calls;
        match action {
            CallsAction::ShowForm(which) => self.show_start_form(which),
            CallsAction::ShowServeForm(path) => {
                desk.serve_form.selection = ServeSelection::Paths(BTreeSet::from([path]));
                self.show_start_form(ListenerKind::Server);
            }
            CallsAction::EditRecord(form) => {
                desk.record_form = form;
                desk.clear_fault(ListenerKind::Recorder);
            }
            CallsAction::EditServe(form) => {
                desk.serve_form = form;
                desk.clear_fault(ListenerKind::Server);
            }
            CallsAction::Start(which) => self.start_listening(which),
            CallsAction::Stop(which) => self.stop_listening(which),
            CallsAction::StopBoth => {
                for which in ListenerKind::ALL {
                    self.stop_listening(which);
                }
            }
            CallsAction::Select(id) => desk.selected = Some(id),
            CallsAction::List(listed) => {
                desk.filter = listed;
                desk.recorded.rebuild(listed);
                desk.served.rebuild(listed);
            }
            CallsAction::ToggleFold(ListenerKind::Recorder) => desk.recorded.is_unfolded ^= true,
            CallsAction::ToggleFold(ListenerKind::Server) => desk.served.is_unfolded ^= true,
            CallsAction::ShowClient(client) => desk.client = client,
            CallsAction::PointAt(which) => desk.client_target = which,
            CallsAction::CopyUrl(which) => {
                if let Some(address) = desk.address(which) {
                    self.core.copy(format!("http://{address}"));
                }
            }
            CallsAction::CopyVariable => {
                if let Some((_, address)) = desk.client_target() {
                    let (name, url) = desk.client.variable(address);
                    self.core.copy(format!("{name}={url}"));
                }
            }
            CallsAction::CopyRequest(id) => {
                if let Some(request) = desk.request(id) {
                    self.core.copy(request.to_string());
                }
            }
            CallsAction::Explain(id, path) => self.explain_call(id, &path),
            CallsAction::ShowFile(path) => self.show_file_of_call(&path),
        }
    }

    pub(in crate::workbench) fn on_calls_event(&mut self, event: CallsEvent) {
        let desk = &mut self.live.calls;
        match event {
            CallsEvent::Run(which, run, state) => self.on_listen_state(which, run, state),
            CallsEvent::Offers(_, offered) => desk.offer = offered,
            CallsEvent::Recorded(run, rows) => desk.recorded.update(run, rows, desk.filter),
            CallsEvent::Served(run, rows) => {
                desk.served.update(run, rows, desk.filter);
                desk.forget_requests();
            }
        }
    }

    fn on_listen_state(&mut self, which: ListenerKind, run: u32, state: ListenState) {
        let desk = &mut self.live.calls;
        let is_listening = matches!(state, ListenState::Listening { .. });
        let has_failed = match &state {
            ListenState::Failed(fault) => Some(fault.message.clone()),
            _ => None,
        };
        let is_news = match which {
            ListenerKind::Recorder => desk.recorder.on_state(run, state),
            ListenerKind::Server => desk.server.on_state(run, state),
        };
        let shows_form = self.core.overlay == Some(overlay_of(which));
        if is_news && is_listening && shows_form {
            self.core.overlay = None;
        }
        // The form shows the reason where the field is.
        if let Some(words) = has_failed.filter(|_| is_news && !shows_form) {
            self.core.notify(Severity::Error, format!("{words}."));
        }
    }

    /// Shows the form that starts a listener, on the calls side of the desk.
    fn show_start_form(&mut self, which: ListenerKind) {
        self.live.side = LiveSide::Calls;
        self.live.calls.clear_fault(which);
        self.core.go(Desk::Live, DeskView::List);
        self.core.overlay = Some(overlay_of(which));
    }

    fn start_listening(&mut self, which: ListenerKind) {
        let opened = self.core.project.as_ref().map(|project| &*project.opened);
        let desk = &mut self.live.calls;
        desk.fault = None;
        let started = match which {
            ListenerKind::Recorder => desk
                .record_form
                .request()
                .map(|order| Effect::run(desk.recorder.start(order))),
            ListenerKind::Server => {
                desk.serve_form
                    .request(opened.unwrap_or_default())
                    .map(|order| {
                        desk.offer = Arc::default();
                        Effect::run(desk.server.start(order))
                    })
            }
        };
        match started {
            Ok(started) => {
                desk.client_target = which;
                self.core.request(started);
            }
            Err(fault) => {
                desk.fault = Some(fault);
            }
        }
    }

    pub(in crate::workbench) fn stop_listening(&mut self, which: ListenerKind) {
        let desk = &mut self.live.calls;
        let (was_on, stop) = match which {
            ListenerKind::Recorder => (
                desk.recorder.stop(),
                Effect::cancel::<ListenRequest<RecordRequest>>(),
            ),
            ListenerKind::Server => (
                desk.server.stop(),
                Effect::cancel::<ListenRequest<ServeRequest>>(),
            ),
        };
        self.core.request(was_on.then_some(stop));
    }

    fn explain_call(&mut self, id: CallId, path: &str) {
        let request = self.live.calls.request(id);
        let folder = self.doc_at(path).and_then(|doc| self.core.library.get(doc));
        let folder: Option<Arc<str>> = folder.map(|item| item.folder().into());
        let (Some(request), Some(folder)) = (request, folder) else {
            let words = "The set that served the call is no longer open.";
            self.core.notify(Severity::Note, words);
            return;
        };
        self.act(Action::Playback(PlaybackAction::ServeFrom(folder)));
        let typed = PlaybackAction::PlayRequests(RequestsSource::Typed(request));
        self.act(Action::Playback(typed));
    }

    /// Shows a file on the desk for its kind.
    fn show_file_of_call(&mut self, path: &str) {
        let Some(doc) = self.doc_at(path) else {
            let words = format!("{path} is not open.");
            self.core.notify(Severity::Note, words);
            return;
        };
        let is_tape = self
            .core
            .library
            .get(doc)
            .is_some_and(|item| item.kind == FileKind::Tape);
        if !is_tape {
            return self.core.show(doc);
        }
        self.core.go(Desk::Tapes, DeskView::List);
        self.act(Action::Tapes(TapesAction::Select(doc)));
    }

    /// Returns the item of a file.
    fn doc_at(&self, path: &str) -> Option<DocId> {
        let mut all = self.core.library.iter();
        all.find(|(_, item)| *item.path == *path)
            .map(|(doc, _)| doc)
    }

    /// The path that can be served: the selected tape, or the folder of the selected recording.
    pub(in crate::workbench) fn servable(&self) -> Option<Arc<str>> {
        let item = self.core.library.get(self.subject()?)?;
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
    pub(in crate::workbench) fn open_call(&mut self) {
        if let Some(path) = self.live.calls.file_of_selected() {
            self.show_file_of_call(&path);
        }
    }
}

/// The overlay with the form of a listener.
fn overlay_of(which: ListenerKind) -> Overlay {
    match which {
        ListenerKind::Recorder => Overlay::RecordCalls,
        ListenerKind::Server => Overlay::ServeCalls,
    }
}

impl CallsDesk {
    /// Clears the error of a form after it was changed.
    fn clear_fault(&mut self, which: ListenerKind) {
        self.fault = None;
        match which {
            ListenerKind::Recorder => self.recorder.clear_fault(),
            ListenerKind::Server => self.server.clear_fault(),
        }
    }

    /// The request of a served call, in the format of recordings.
    pub fn request(&self, id: CallId) -> Option<Arc<str>> {
        let request = Arc::clone(&self.served.get(id)?.began.request);
        (!request.is_empty()).then_some(request)
    }

    fn file_of_selected(&self) -> Option<Arc<str>> {
        let id = self.selected?;
        match id.listener {
            ListenerKind::Recorder => self.recorded.get(id)?.tape().cloned(),
            ListenerKind::Server => {
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
            if kept > MAX_REQUEST_BYTES && !call.began.request.is_empty() {
                let call: &mut serve::ServedCall = Arc::make_mut(call);
                Arc::make_mut(&mut call.began).request = Arc::default();
            }
        });
    }
}
