//! The calls side of the live desk: the recorder and the server, and each call that goes through them.
//!
//! Both run until they are stopped, whatever desk is shown and whatever else is opened; both end with the project and
//! with the window. Calls are reported as whole rows, so that nothing here handles single chunks.

mod actions;
mod form;
mod rows;
mod run;
#[cfg(test)]
mod tests;

pub use form::{RecordForm, ServeForm, ServePace, ServeSelection, UpstreamChoice};
pub use rows::{CallFilter, CallId, CallRows};
pub use run::{
    ListenRequest, ListenState, ListenerKind, ListenerRun, RecordRequest, ServeOffer, ServeRequest,
    StartFault, StartField,
};

use std::net::SocketAddr;
use std::sync::Arc;

use crate::ops::live::{record, serve};
use crate::workbench::core::navigation::StepDirection;

/// The recorder and the server, with their calls.
#[derive(Debug)]
pub struct CallsDesk {
    pub recorder: ListenerRun<RecordRequest>,
    pub server: ListenerRun<ServeRequest>,
    pub offer: Arc<ServeOffer>,
    pub record_form: RecordForm,
    pub serve_form: ServeForm,
    /// Why the form that is shown is invalid.
    fault: Option<StartFault>,
    pub recorded: CallRows<record::RecordedCall>,
    pub served: CallRows<serve::ServedCall>,
    pub filter: CallFilter,
    pub selected: Option<CallId>,
    pub client: ClientKind,
    /// Which listener the client settings are shown for.
    client_target: ListenerKind,
}

/// A client SDK that can be pointed at the recorder or the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClientKind {
    /// Anthropic's SDK.
    #[default]
    Anthropic,
    /// OpenAI's SDK.
    OpenAi,
    /// Google's SDK for Gemini.
    Gemini,
}

impl ClientKind {
    /// All, in the order of the desk.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Gemini];

    /// The environment variable for the base URL of its SDK, and that URL.
    pub fn variable(self, address: SocketAddr) -> (&'static str, String) {
        match self {
            Self::Anthropic => ("ANTHROPIC_BASE_URL", format!("http://{address}")),
            Self::OpenAi => ("OPENAI_BASE_URL", format!("http://{address}/v1")),
            Self::Gemini => ("GOOGLE_GEMINI_BASE_URL", format!("http://{address}")),
        }
    }
}

/// An action on the recorder, the server or their calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsAction {
    /// Shows the form that starts a listener.
    ShowForm(ListenerKind),
    /// Shows the form of the server for this path, as files are listed.
    ShowServeForm(Arc<str>),
    /// Sets the values of the recorder's form.
    EditRecord(RecordForm),
    /// Sets the values of the server's form.
    EditServe(ServeForm),
    /// Starts or restarts a listener as its form says.
    Start(ListenerKind),
    Stop(ListenerKind),
    StopBoth,
    Select(CallId),
    /// Sets which calls are listed.
    List(CallFilter),
    /// Shows or folds the earlier calls.
    ToggleFold(ListenerKind),
    /// Shows the settings of this client.
    ShowClient(ClientKind),
    /// Shows the client settings for this listener.
    PointAt(ListenerKind),
    /// Copies the URL of a listener.
    CopyUrl(ListenerKind),
    /// Copies the environment variable for a client.
    CopyVariable,
    /// Copies the request of a call, in the format of recordings.
    CopyRequest(CallId),
    /// Plays the request of a call on the playback desk, against the set of this file.
    Explain(CallId, Arc<str>),
    /// Shows the tape or recording at this path, as files are listed.
    ShowFile(Arc<str>),
}

/// An event of the recorder or the server. Numbers identify runs.
#[derive(Clone, Debug)]
pub enum CallsEvent {
    /// The state of a listener.
    Run(ListenerKind, u32, ListenState),
    /// What the server has to serve.
    Offers(u32, Arc<ServeOffer>),
    /// New or updated calls of the recorder.
    Recorded(u32, Vec<record::RecordedCall>),
    /// New or updated calls of the server.
    Served(u32, Vec<serve::ServedCall>),
}

impl Default for CallsDesk {
    fn default() -> Self {
        Self {
            recorder: ListenerRun::default(),
            server: ListenerRun::default(),
            offer: Arc::default(),
            record_form: RecordForm::default(),
            serve_form: ServeForm::default(),
            fault: None,
            recorded: CallRows::new(ListenerKind::Recorder),
            served: CallRows::new(ListenerKind::Server),
            filter: CallFilter::default(),
            selected: None,
            client: ClientKind::default(),
            client_target: ListenerKind::Server,
        }
    }
}

/// How many calls of a listener are shown, if both have calls and if only one has.
const SHOWN: [usize; 2] = [6, 14];

impl CallsDesk {
    /// The addresses of running listeners, the recorder first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let all = [self.recorder.address(), self.server.address()];
        all.into_iter().flatten().collect()
    }

    /// The address of a listener.
    pub fn address(&self, which: ListenerKind) -> Option<SocketAddr> {
        match which {
            ListenerKind::Recorder => self.recorder.address(),
            ListenerKind::Server => self.server.address(),
        }
    }

    /// The state of a listener.
    pub fn state(&self, which: ListenerKind) -> &ListenState {
        match which {
            ListenerKind::Recorder => &self.recorder.state,
            ListenerKind::Server => &self.server.state,
        }
    }

    /// Why a form is invalid or its listener could not be started.
    pub fn fault(&self, which: ListenerKind) -> Option<&StartFault> {
        match self.state(which) {
            _ if self.fault.is_some() => self.fault.as_ref(),
            ListenState::Failed(fault) => Some(fault),
            _ => None,
        }
    }

    /// The listener that the client settings are for: the chosen one, else the one that is running.
    pub fn client_target(&self) -> Option<(ListenerKind, SocketAddr)> {
        let other = match self.client_target {
            ListenerKind::Recorder => ListenerKind::Server,
            ListenerKind::Server => ListenerKind::Recorder,
        };
        let at = |which| Some((which, self.address(which)?));
        at(self.client_target).or_else(|| at(other))
    }

    /// How many calls are in progress.
    pub fn streaming(&self) -> usize {
        self.recorded.streaming + self.served.streaming
    }

    /// The visible calls of a listener, the latest first, and the number of folded earlier ones.
    pub fn shown(&self, which: ListenerKind) -> (&[CallId], usize) {
        let (listed, other, is_unfolded) = match which {
            ListenerKind::Recorder => {
                (&self.recorded.listed, &self.served.listed, self.recorded.is_unfolded)
            }
            ListenerKind::Server => {
                (&self.served.listed, &self.recorded.listed, self.served.is_unfolded)
            }
        };
        let most = if is_unfolded { usize::MAX } else { SHOWN[usize::from(other.is_empty())] };
        // Folding a single row saves no space.
        let count = if listed.len() <= most + 1 { listed.len() } else { most };
        (&listed[..count], listed.len() - count)
    }

    pub(in crate::workbench::desks::live) fn step(&mut self, step: StepDirection, rows: usize) {
        let [recorded, served] = ListenerKind::ALL.map(|which| self.shown(which).0);
        let all = [recorded, served].concat();
        let Some(last) = all.len().checked_sub(1) else {
            return;
        };
        let here = all.iter().position(|id| Some(*id) == self.selected);
        let to = match (here, step) {
            (None, _) => 0,
            (Some(here), StepDirection::Next) => here.saturating_add(rows).min(last),
            (Some(here), StepDirection::Previous) => here.saturating_sub(rows),
        };
        self.selected = all.get(to).copied();
    }
}
