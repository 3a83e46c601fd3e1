//! The calls' side of the live desk: the recorder and the server, and each call that goes through them.
//!
//! Either runs until it is stopped, whatever desk is shown and whatever else is opened meanwhile; both end with the project
//! and with the window. What is told of their calls comes as whole rows, so that nothing here follows single chunks.

mod acts;
mod form;
mod rows;
mod run;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use crate::ops::live::{record, serve};
use crate::workbench::action::Step;

pub use form::{Pace, RecordForm, ServeForm, Upstream, What};
pub use rows::{CallId, Listed, Rows};
pub use run::{
    Listener, OnOffer, RecordOrder, RunState, ServeOrder, StartFault, StartField, Station,
};

/// The recorder and the server, with their calls.
#[derive(Debug)]
pub struct CallsDesk {
    recorder: Station<RecordOrder>,
    server: Station<ServeOrder>,
    on_offer: Arc<OnOffer>,
    record_form: RecordForm,
    serve_form: ServeForm,
    /// Why the form that is shown could not be taken.
    fault: Option<StartFault>,
    recorded: Rows<record::Call>,
    served: Rows<serve::Call>,
    listed: Listed,
    selected: Option<CallId>,
    client: ClientKind,
    /// Which of the two clients are pointed at.
    pointed: Listener,
}

/// A client that is pointed at the recorder or the server.
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

    /// The variable that its SDK takes the base URL from, and that URL.
    pub fn variable(self, address: SocketAddr) -> (&'static str, String) {
        match self {
            Self::Anthropic => ("ANTHROPIC_BASE_URL", format!("http://{address}")),
            Self::OpenAi => ("OPENAI_BASE_URL", format!("http://{address}/v1")),
            Self::Gemini => ("GOOGLE_GEMINI_BASE_URL", format!("http://{address}")),
        }
    }
}

/// Something that is done about the recorder, the server or their calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsAction {
    /// Show the form with which one of the two is started.
    Ask(Listener),
    /// Show the form of the server for what lies at this path, as files are listed.
    AskToServe(Arc<str>),
    /// Fill the form of the recorder in.
    EditRecord(RecordForm),
    /// Fill the form of the server in.
    EditServe(ServeForm),
    /// Start one of the two as its form says, in place of what runs of it.
    Start(Listener),
    /// Stop one of the two.
    Stop(Listener),
    /// Stop both.
    StopBoth,
    /// Select a call.
    Select(CallId),
    /// List calls of one kind only.
    List(Listed),
    /// Show the earlier calls as well, or fold them again.
    ToggleFold(Listener),
    /// Show how this client is pointed here.
    ShowClient(ClientKind),
    /// Point clients at this one of the two.
    PointAt(Listener),
    /// Copy the URL of one of the two.
    CopyUrl(Listener),
    /// Copy what points a client here.
    CopyVariable,
    /// Copy the request of a call, as recordings keep it.
    CopyRequest(CallId),
    /// Play the request of a call at the playback desk, against the set that this file is of.
    Explain(CallId, Arc<str>),
    /// Show the tape or recording at this path, as files are listed.
    ShowFile(Arc<str>),
}

/// Work with sockets.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsEffect {
    /// Start the recorder anew; the number names the run.
    Record(u32, Box<RecordOrder>),
    /// Start the server anew; the number names the run.
    Serve(u32, Box<ServeOrder>),
    /// Stop one of the two.
    Stop(Listener),
}

/// What is told of the recorder or the server. Numbers name runs.
#[derive(Clone, Debug)]
pub enum CallsEvent {
    /// How far one of the two is.
    Run(Listener, u32, RunState),
    /// What the server has to serve.
    Offers(u32, Arc<OnOffer>),
    /// Calls of the recorder, as they are now.
    Recorded(u32, Vec<record::Call>),
    /// Calls of the server, as they are now.
    Served(u32, Vec<serve::Call>),
}

impl Default for CallsDesk {
    fn default() -> Self {
        Self {
            recorder: Station::default(),
            server: Station::default(),
            on_offer: Arc::default(),
            record_form: RecordForm::default(),
            serve_form: ServeForm::default(),
            fault: None,
            recorded: Rows::new(Listener::Recorder),
            served: Rows::new(Listener::Server),
            listed: Listed::default(),
            selected: None,
            client: ClientKind::default(),
            pointed: Listener::Server,
        }
    }
}

/// How many calls of one of the two are shown while both have some, and while only it has.
const SHOWN: [usize; 2] = [6, 14];

impl CallsDesk {
    /// Where something listens, the recorder first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let all = [self.recorder.address(), self.server.address()];
        all.into_iter().flatten().collect()
    }

    /// Where one of the two listens.
    pub fn address(&self, which: Listener) -> Option<SocketAddr> {
        match which {
            Listener::Recorder => self.recorder.address(),
            Listener::Server => self.server.address(),
        }
    }

    /// How far one of the two is.
    pub fn state(&self, which: Listener) -> &RunState {
        match which {
            Listener::Recorder => self.recorder.state(),
            Listener::Server => self.server.state(),
        }
    }

    /// The recorder.
    pub fn recorder(&self) -> &Station<RecordOrder> {
        &self.recorder
    }

    /// The server.
    pub fn server(&self) -> &Station<ServeOrder> {
        &self.server
    }

    /// What the server has to serve.
    pub fn on_offer(&self) -> &OnOffer {
        &self.on_offer
    }

    /// The form of the recorder.
    pub fn record_form(&self) -> &RecordForm {
        &self.record_form
    }

    /// The form of the server.
    pub fn serve_form(&self) -> &ServeForm {
        &self.serve_form
    }

    /// What stands in the way of what the form says: what was found in it, or what came of starting.
    pub fn fault(&self, which: Listener) -> Option<&StartFault> {
        match self.state(which) {
            _ if self.fault.is_some() => self.fault.as_ref(),
            RunState::Failed(fault) => Some(fault),
            _ => None,
        }
    }

    /// The calls of the recorder.
    pub fn recorded(&self) -> &Rows<record::Call> {
        &self.recorded
    }

    /// The calls of the server.
    pub fn served(&self) -> &Rows<serve::Call> {
        &self.served
    }

    /// Which calls are listed.
    pub fn listed(&self) -> Listed {
        self.listed
    }

    /// The selected call.
    pub fn selected(&self) -> Option<CallId> {
        self.selected
    }

    /// The client that is shown how to point here.
    pub fn client(&self) -> ClientKind {
        self.client
    }

    /// What clients are pointed at: the one of the two that was chosen, else the one that listens.
    pub fn pointed(&self) -> Option<(Listener, SocketAddr)> {
        let other = match self.pointed {
            Listener::Recorder => Listener::Server,
            Listener::Server => Listener::Recorder,
        };
        let at = |which| Some((which, self.address(which)?));
        at(self.pointed).or_else(|| at(other))
    }

    /// How many calls are answered now.
    pub fn streaming(&self) -> usize {
        self.recorded.streaming() + self.served.streaming()
    }

    /// The calls of one of the two that are shown, the latest first; and how many earlier ones are folded.
    pub fn shown(&self, which: Listener) -> (&[CallId], usize) {
        let (listed, other, is_unfolded) = match which {
            Listener::Recorder => (
                self.recorded.listed(),
                self.served.listed(),
                self.recorded.is_unfolded,
            ),
            Listener::Server => (
                self.served.listed(),
                self.recorded.listed(),
                self.served.is_unfolded,
            ),
        };
        let most = if is_unfolded {
            usize::MAX
        } else {
            SHOWN[usize::from(other.is_empty())]
        };
        // One row is no shorter folded.
        let count = if listed.len() <= most + 1 {
            listed.len()
        } else {
            most
        };
        (&listed[..count], listed.len() - count)
    }

    pub(in crate::workbench::live) fn step(&mut self, step: Step, rows: usize) {
        let [recorded, served] = Listener::ALL.map(|which| self.shown(which).0);
        let all = [recorded, served].concat();
        let Some(last) = all.len().checked_sub(1) else {
            return;
        };
        let here = all.iter().position(|id| Some(*id) == self.selected);
        let to = match (here, step) {
            (None, _) => 0,
            (Some(here), Step::Next) => here.saturating_add(rows).min(last),
            (Some(here), Step::Previous) => here.saturating_sub(rows),
        };
        self.selected = all.get(to).copied();
    }
}
