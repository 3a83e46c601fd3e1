//! The calls side of the live desk: the recorder and the server, and each call that goes through them.
//!
//! Both run until they are stopped, whatever desk is shown and whatever else is opened; both end with the project and
//! with the window.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{Core, DeskView, Effect, Link, StepDirection};
use document::{FileKind, Severity};
use protocol::{
    CallId, CallsEvent, Desk, ListenJob, ListenRequest, ListenState, ListenerKind, LiveCall,
};

/// The most calls that are listed; older ones are dropped.
const MAX_CALLS: usize = 1000;

/// The recorder and the server, with their calls.
#[derive(Debug)]
pub struct CallsDesk {
    listeners: [Listener; 2],
    /// The earliest first.
    calls: VecDeque<LiveCall>,
    pub selected: Option<CallId>,
    /// Counts the requests to move the focus into a form.
    pub focus: u64,
    /// The form that the focus moves into.
    pub focused: ListenerKind,
}

/// An action on the recorder, the server or their calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsAction {
    /// Shows the form of a listener.
    ShowForm(ListenerKind),
    /// Shows the form of the server with this path, as files are listed.
    ShowServeForm(Arc<str>),
    /// Sets the values of a form.
    Edit(ListenerKind, ListenForm),
    /// Starts a listener as its form says.
    Start(ListenerKind),
    Stop(ListenerKind),
    Select(CallId),
    /// Copies the base URL of the server, or else of the recorder.
    CopyUrl,
}

impl Default for CallsDesk {
    fn default() -> Self {
        Self {
            listeners: ListenerKind::ALL.map(Listener::new),
            calls: VecDeque::new(),
            selected: None,
            focus: 0,
            focused: ListenerKind::Recorder,
        }
    }
}

/// Returns the lines that point the SDKs of Anthropic, OpenAI and Google at an address: a variable of the environment each.
pub fn client_variables(address: SocketAddr) -> [(&'static str, String); 3] {
    [
        ("ANTHROPIC_BASE_URL", format!("http://{address}")),
        // OpenAI's SDKs have the version in the base URL; the others add theirs.
        ("OPENAI_BASE_URL", format!("http://{address}/v1")),
        ("GOOGLE_GEMINI_BASE_URL", format!("http://{address}")),
    ]
}

impl CallsDesk {
    pub fn listener(&self, kind: ListenerKind) -> &Listener {
        // The listeners are in the order of the variants.
        &self.listeners[kind as usize]
    }

    fn listener_mut(&mut self, kind: ListenerKind) -> &mut Listener {
        &mut self.listeners[kind as usize]
    }

    /// The addresses of running listeners, the recorder first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().filter_map(Listener::address).collect()
    }

    /// The number of calls in progress.
    pub fn streaming(&self) -> usize {
        self.calls.iter().filter(|call| call.outcome.is_none()).count()
    }

    /// The calls, the latest first.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = &LiveCall> {
        self.calls.iter().rev()
    }

    /// The file of the selected call.
    pub(crate) fn file_of_selected(&self) -> Option<&Arc<str>> {
        self.calls().find(|call| Some(call.id) == self.selected)?.file.as_ref()
    }

    pub(super) fn step(&mut self, step: StepDirection, rows: usize) {
        let position = self.calls().position(|call| Some(call.id) == self.selected);
        let call = self.calls().nth(step.target_in(position, rows, self.calls.len()));
        self.selected = call.map(|call| call.id).or(self.selected);
    }

    pub(super) fn act(&mut self, core: &mut Core, action: CallsAction) {
        match action {
            CallsAction::ShowForm(kind) => self.show_form(core, kind),
            CallsAction::ShowServeForm(path) => {
                let form = ListenForm {
                    path: path.to_string(),
                    ..self.listener(ListenerKind::Server).form.clone()
                };
                self.listener_mut(ListenerKind::Server).edit(form);
                self.show_form(core, ListenerKind::Server);
            }
            CallsAction::Edit(kind, form) => self.listener_mut(kind).edit(form),
            CallsAction::Start(kind) => {
                let paths = core.project.as_ref().map(|project| &*project.opened);
                let request = self.listener_mut(kind).start(kind, paths.unwrap_or_default());
                core.request(request.map(Effect::run));
            }
            CallsAction::Stop(kind) => self.stop(core, kind),
            CallsAction::Select(id) => self.selected = Some(id),
            CallsAction::CopyUrl => {
                // If both listen, the address of the server is copied, which is the last.
                if let Some(address) = self.addresses().last() {
                    core.copy(format!("http://{address}"));
                }
            }
        }
    }

    /// Shows the form of a listener on the calls side of the desk.
    fn show_form(&mut self, core: &mut Core, kind: ListenerKind) {
        core.go(Desk::Live, DeskView::List);
        self.focus += 1;
        self.focused = kind;
    }

    pub(super) fn stop(&mut self, core: &mut Core, kind: ListenerKind) {
        core.request(self.listener_mut(kind).stop(kind).map(Effect::run));
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: CallsEvent) {
        match event {
            CallsEvent::Run(kind, run, state) => {
                self.listener_mut(kind).on_state(run, state);
                // The desk shows the reason itself.
                if let ListenState::Failed(reason) = &self.listener(kind).state
                    && !core.shows(Desk::Live)
                {
                    core.notify(Severity::Error, format!("{reason}."));
                }
            }
            CallsEvent::Call(call) => {
                // From the end, because calls in progress are among the latest.
                match self.calls.iter_mut().rfind(|old_call| old_call.id == call.id) {
                    Some(old_call) => *old_call = call,
                    None => self.calls.push_back(call),
                }
                if self.calls.len() > MAX_CALLS {
                    self.calls.pop_front();
                }
            }
        }
    }

    /// Shows the file of the selected call on the desk for its kind.
    pub(super) fn open_selected(&self, core: &mut Core) {
        let Some(path) = self.file_of_selected() else { return };
        let Some((doc, item)) = core.library.iter().find(|(_, item)| item.path == *path) else {
            return core.notify(Severity::Note, format!("{path} is not open."));
        };
        match item.kind {
            FileKind::Tape => core.link(Link::ShowTape(doc)),
            _ => core.show(doc),
        }
    }
}

/// The form of a listener, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenForm {
    pub port: String,
    /// The URL of the model API; only of the recorder.
    pub upstream: String,
    /// The folder for new tapes, from the open folder. Of the server, the file or folder to serve, as files are listed; empty
    /// for all that is open.
    pub path: String,
}

impl ListenForm {
    fn new(kind: ListenerKind) -> Self {
        let [port, upstream, path] = match kind {
            ListenerKind::Recorder => ["8017", "https://api.anthropic.com", "tapes"],
            ListenerKind::Server => ["8020", "", ""],
        };
        Self { port: port.to_owned(), upstream: upstream.to_owned(), path: path.to_owned() }
    }

    /// Returns what the form says, or what is wrong with it, without a full stop. `folders` are the open paths.
    fn job(&self, kind: ListenerKind, folders: &[PathBuf]) -> Result<ListenJob, String> {
        let expected = "Expected a port number up to 65535; 0 uses any free port";
        let port = self.port.trim().parse().map_err(|_| expected)?;
        Ok(match kind {
            ListenerKind::Recorder => {
                let (upstream, folder) = (parse_url(&self.upstream)?, parse_folder(&self.path)?);
                ListenJob::Record { port, upstream, folder }
            }
            ListenerKind::Server => {
                let paths = match self.path.trim() {
                    "" => folders.to_vec(),
                    path => vec![path.into()],
                };
                ListenJob::Serve { port, paths }
            }
        })
    }
}

fn parse_url(text: &str) -> Result<String, &'static str> {
    let url = text.trim();
    let host = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    if host.is_none_or(str::is_empty) {
        return Err(
            "Expected a URL that starts with https:// or http://, such as https://api.anthropic.com",
        );
    }
    Ok(url.to_owned())
}

/// Parses a folder inside the open folder.
fn parse_folder(text: &str) -> Result<String, &'static str> {
    let slashed = text.trim().replace('\\', "/");
    let folder = slashed.trim_end_matches('/');
    let is_inside = |part: &str| !matches!(part, "" | "." | "..");
    // A colon may name a drive of Windows.
    if folder.contains(':') || !folder.split('/').all(is_inside) {
        return Err("Expected a folder inside the open folder, such as tapes/new");
    }
    Ok(folder.to_owned())
}

/// A listener.
#[derive(Debug)]
pub struct Listener {
    pub form: ListenForm,
    pub state: ListenState,
    /// Counts starts; events of earlier ones are ignored.
    run: u32,
}

impl Listener {
    fn new(kind: ListenerKind) -> Self {
        Self { form: ListenForm::new(kind), state: ListenState::Off, run: 0 }
    }

    /// The address while it is running.
    pub fn address(&self) -> Option<SocketAddr> {
        let ListenState::Listening(address) = self.state else { return None };
        Some(address)
    }

    /// Whether it is starting, running or stopping.
    pub fn is_on(&self) -> bool {
        !matches!(self.state, ListenState::Off | ListenState::Failed(_))
    }

    fn start(&mut self, kind: ListenerKind, paths: &[PathBuf]) -> Option<ListenRequest> {
        match self.form.job(kind, paths) {
            Ok(job) => {
                self.state = ListenState::Starting;
                self.run += 1;
                Some(ListenRequest { kind, run: self.run, job })
            }
            Err(reason) => {
                self.state = ListenState::Failed(reason);
                None
            }
        }
    }

    fn stop(&mut self, kind: ListenerKind) -> Option<ListenRequest> {
        if !matches!(self.state, ListenState::Starting | ListenState::Listening(_)) {
            return None;
        }
        self.state = ListenState::Stopping;
        Some(ListenRequest { kind, run: self.run, job: ListenJob::Stop })
    }

    /// Handles a new state. Ignores that of an earlier start, and a late start while it is being stopped.
    fn on_state(&mut self, run: u32, state: ListenState) {
        let is_late =
            self.state == ListenState::Stopping && matches!(state, ListenState::Listening(_));
        if run == self.run && !is_late {
            self.state = state;
        }
    }

    fn edit(&mut self, form: ListenForm) {
        self.form = form;
        // The failure was about the previous values.
        if let ListenState::Failed(_) = self.state {
            self.state = ListenState::Off;
        }
    }
}
