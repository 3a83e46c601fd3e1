//! The live desk: running programs, and their calls to models.
//!
//! It has two sides. At a [queue](QueueDesk), programs wait for an answer that the user gives. [Calls](CallsDesk) go
//! through the recorder or are served from tapes and sets. Nothing starts automatically, and no socket is open until the
//! user starts the recorder or the server.

mod calls;
mod queue;

pub use calls::{
    CallFilter, CallId, CallRows, CallsAction, CallsDesk, CallsEvent, ClientKind, ListenRequest,
    ListenState, ListenerKind, ListenerRun, RecordForm, RecordRequest, ServeForm, ServeOffer,
    ServePace, ServeRequest, ServeSelection, StartFault, StartField, UpstreamChoice,
};
pub use queue::{
    AnswerDraft, AnswerMethod, AnswerRuleDraft, NearRecording, NearSet, PendingRequest,
    QueueAction, QueueCommand, QueueDesk, QueueEvent, QueueRequest, RankRequest, RequestId,
    RequestLogEntry, RequestOutcome, RequestTool, RuleMode, SaveAnswerRule, WatchedQueue,
};

use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::navigation::{Desk, DeskView};
use crate::workbench::state::Workbench;

/// A side of the live desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiveSide {
    /// Requests that wait for an answer.
    #[default]
    Queue,
    /// Calls that are recorded or served.
    Calls,
}

/// The state of the live desk, and which side is shown.
#[derive(Debug, Default)]
pub struct LiveDesk {
    pub side: LiveSide,
    pub queue: QueueDesk,
    pub calls: CallsDesk,
}

/// An action of the live desk.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveAction {
    Show(LiveSide),
    /// An action of the queue side.
    Queue(QueueAction),
    /// An action of the calls side.
    Calls(CallsAction),
}

/// An event of the live desk.
#[derive(Clone, Debug)]
pub enum LiveEvent {
    /// An event of the queue side.
    Queue(QueueEvent),
    /// An event of the calls side.
    Calls(CallsEvent),
}

impl LiveDesk {
    pub(in crate::workbench) fn set_time(&mut self, now: f64) {
        self.queue.set_time(now);
    }
}

impl Workbench {
    pub(in crate::workbench) fn act_on_live(&mut self, action: LiveAction) {
        match action {
            LiveAction::Show(side) => {
                self.live.side = side;
                self.core.go(Desk::Live, DeskView::List);
            }
            LiveAction::Queue(action) => self.act_on_queue(action),
            LiveAction::Calls(action) => self.act_on_calls(action),
        }
    }

    pub(in crate::workbench) fn on_live_event(&mut self, event: LiveEvent) {
        match event {
            LiveEvent::Queue(event) => self.on_queue_event(event),
            LiveEvent::Calls(event) => self.on_calls_event(event),
        }
    }

    /// Opens the selected row of the side that is shown.
    pub(in crate::workbench) fn open_in_live(&mut self) {
        match self.live.side {
            LiveSide::Queue => {}
            LiveSide::Calls => self.open_call(),
        }
    }

    /// Moves the selection by some rows on the side that is shown.
    pub(in crate::workbench) fn step_live(&mut self, step: StepDirection, rows: usize) {
        match self.live.side {
            LiveSide::Queue => self.live.queue.step(step, rows),
            LiveSide::Calls => self.live.calls.step(step, rows),
        }
    }
}

impl crate::workbench::desks::DeskState for LiveDesk {}
