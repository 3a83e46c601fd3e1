//! The recorder and the server: their forms and states.

use protocol::{ListenJob, ListenRequest, ListenState, ListenerKind};
use std::net::SocketAddr;
use std::path::PathBuf;

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
    pub(super) fn new(kind: ListenerKind) -> Self {
        let [port, upstream, path] = match kind {
            ListenerKind::Recorder => ["8017", "https://api.anthropic.com", "tapes"],
            ListenerKind::Server => ["8020", "", ""],
        };
        Self { port: port.to_owned(), upstream: upstream.to_owned(), path: path.to_owned() }
    }

    /// Returns what the form says, or what is wrong with it, without a full stop. `folders` are the open paths.
    pub(super) fn job(&self, kind: ListenerKind, folders: &[PathBuf]) -> Result<ListenJob, String> {
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
    pub(super) fn new(kind: ListenerKind) -> Self {
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

    pub(super) fn start(&mut self, kind: ListenerKind, paths: &[PathBuf]) -> Option<ListenRequest> {
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

    pub(super) fn stop(&mut self, kind: ListenerKind) -> Option<ListenRequest> {
        if !matches!(self.state, ListenState::Starting | ListenState::Listening(_)) {
            return None;
        }
        self.state = ListenState::Stopping;
        Some(ListenRequest { kind, run: self.run, job: ListenJob::Stop })
    }

    /// Handles a new state. Ignores that of an earlier start, and a late start while it is being stopped.
    pub(super) fn on_state(&mut self, run: u32, state: ListenState) {
        let is_late =
            self.state == ListenState::Stopping && matches!(state, ListenState::Listening(_));
        if run == self.run && !is_late {
            self.state = state;
        }
    }

    pub(super) fn edit(&mut self, form: ListenForm) {
        self.form = form;
        // The failure was about the previous values.
        if let ListenState::Failed(_) = self.state {
            self.state = ListenState::Off;
        }
    }
}
