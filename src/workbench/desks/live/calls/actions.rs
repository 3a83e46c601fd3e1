//! Handles actions and events of the recorder, the server and their calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::form::ServeSelection;
use super::rows::CallId;
use super::run::{ListenRequest, ListenState, ListenerKind, RecordRequest, ServeRequest};
use super::{CallsAction, CallsDesk, CallsEvent};
use crate::format::{FileKind, Severity};
use crate::ops::live::serve;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::DocId;
use crate::workbench::core::link::Link;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::core::state::Core;
use crate::workbench::core::view::Overlay;

/// How many bytes of requests of served calls are kept.
const MAX_REQUEST_BYTES: usize = 32 << 20;

impl CallsDesk {
    pub(in crate::workbench::desks::live) fn act(&mut self, core: &mut Core, action: CallsAction) {
        match action {
            CallsAction::ShowForm(which) => self.show_start_form(core, which),
            CallsAction::ShowServeForm(path) => {
                self.serve_form.selection = ServeSelection::Paths(BTreeSet::from([path]));
                self.show_start_form(core, ListenerKind::Server);
            }
            CallsAction::EditRecord(form) => {
                self.record_form = form;
                self.clear_fault(ListenerKind::Recorder);
            }
            CallsAction::EditServe(form) => {
                self.serve_form = form;
                self.clear_fault(ListenerKind::Server);
            }
            CallsAction::Start(which) => self.start_listening(core, which),
            CallsAction::Stop(which) => self.stop_listening(core, which),
            CallsAction::StopBoth => {
                for which in ListenerKind::ALL {
                    self.stop_listening(core, which);
                }
            }
            CallsAction::Select(id) => self.selected = Some(id),
            CallsAction::List(listed) => {
                self.filter = listed;
                self.recorded.rebuild(listed);
                self.served.rebuild(listed);
            }
            CallsAction::ToggleFold(ListenerKind::Recorder) => self.recorded.is_unfolded ^= true,
            CallsAction::ToggleFold(ListenerKind::Server) => self.served.is_unfolded ^= true,
            CallsAction::ShowClient(client) => self.client = client,
            CallsAction::PointAt(which) => self.client_target = which,
            CallsAction::CopyUrl(which) => {
                if let Some(address) = self.address(which) {
                    core.copy(format!("http://{address}"));
                }
            }
            CallsAction::CopyVariable => {
                if let Some((_, address)) = self.client_target() {
                    let (name, url) = self.client.variable(address);
                    core.copy(format!("{name}={url}"));
                }
            }
            CallsAction::CopyRequest(id) => {
                if let Some(request) = self.request(id) {
                    core.copy(request.to_string());
                }
            }
            CallsAction::Explain(id, path) => self.explain_call(core, id, &path),
            CallsAction::ShowFile(path) => show_file_of_call(core, &path),
        }
    }

    pub(in crate::workbench::desks::live) fn receive(
        &mut self,
        core: &mut Core,
        event: CallsEvent,
    ) {
        match event {
            CallsEvent::Run(which, run, state) => self.on_listen_state(core, which, run, state),
            CallsEvent::Offers(_, offered) => self.offer = offered,
            CallsEvent::Recorded(run, rows) => self.recorded.update(run, rows, self.filter),
            CallsEvent::Served(run, rows) => {
                self.served.update(run, rows, self.filter);
                self.forget_requests();
            }
        }
    }

    fn on_listen_state(
        &mut self,
        core: &mut Core,
        which: ListenerKind,
        run: u32,
        state: ListenState,
    ) {
        let is_listening = matches!(state, ListenState::Listening { .. });
        let has_failed = match &state {
            ListenState::Failed(fault) => Some(fault.message.clone()),
            _ => None,
        };
        let is_news = match which {
            ListenerKind::Recorder => self.recorder.on_state(run, state),
            ListenerKind::Server => self.server.on_state(run, state),
        };
        let shows_form = core.overlay == Some(overlay_of(which));
        if is_news && is_listening && shows_form {
            core.overlay = None;
        }
        // The form shows the reason where the field is.
        if let Some(words) = has_failed.filter(|_| is_news && !shows_form) {
            core.notify(Severity::Error, format!("{words}."));
        }
    }

    /// Shows the form that starts a listener, on the calls side of the desk.
    fn show_start_form(&mut self, core: &mut Core, which: ListenerKind) {
        self.clear_fault(which);
        core.go(Desk::Live, DeskView::List);
        core.overlay = Some(overlay_of(which));
    }

    fn start_listening(&mut self, core: &mut Core, which: ListenerKind) {
        let opened = core.project.as_ref().map(|project| &*project.opened);
        self.fault = None;
        let started = match which {
            ListenerKind::Recorder => {
                self.record_form.request().map(|order| Effect::run(self.recorder.start(order)))
            }
            ListenerKind::Server => {
                self.serve_form.request(opened.unwrap_or_default()).map(|order| {
                    self.offer = Arc::default();
                    Effect::run(self.server.start(order))
                })
            }
        };
        match started {
            Ok(started) => {
                self.client_target = which;
                core.request(started);
            }
            Err(fault) => {
                self.fault = Some(fault);
            }
        }
    }

    fn stop_listening(&mut self, core: &mut Core, which: ListenerKind) {
        let (was_on, stop) = match which {
            ListenerKind::Recorder => {
                (self.recorder.stop(), Effect::cancel::<ListenRequest<RecordRequest>>())
            }
            ListenerKind::Server => {
                (self.server.stop(), Effect::cancel::<ListenRequest<ServeRequest>>())
            }
        };
        core.request(was_on.then_some(stop));
    }

    fn explain_call(&self, core: &mut Core, id: CallId, path: &str) {
        let request = self.request(id);
        let item = doc_at(core, path).and_then(|doc| core.library.get(doc));
        let set: Option<Arc<str>> = item.map(|item| item.folder().into());
        let (Some(request), Some(set)) = (request, set) else {
            let words = "The set that served the call is no longer open.";
            core.notify(Severity::Note, words);
            return;
        };
        core.link(Link::PlayRequest { request, set });
    }

    /// Shows the file of the selected call: its tape, or what served it.
    pub(in crate::workbench::desks::live) fn open_selected(&mut self, core: &mut Core) {
        if let Some(path) = self.file_of_selected() {
            show_file_of_call(core, &path);
        }
    }
}

/// Shows a file on the desk for its kind.
fn show_file_of_call(core: &mut Core, path: &str) {
    let Some(doc) = doc_at(core, path) else {
        let words = format!("{path} is not open.");
        core.notify(Severity::Note, words);
        return;
    };
    let is_tape = core.library.get(doc).is_some_and(|item| item.kind == FileKind::Tape);
    if is_tape {
        core.link(Link::ShowTape(doc));
    } else {
        core.show(doc);
    }
}

/// Returns the item of a file.
fn doc_at(core: &Core, path: &str) -> Option<DocId> {
    let mut all = core.library.iter();
    all.find(|(_, item)| *item.path == *path).map(|(doc, _)| doc)
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

    pub(in crate::workbench) fn file_of_selected(&self) -> Option<Arc<str>> {
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
