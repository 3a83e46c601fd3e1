//! The live desk: programs that run now, and what passes between them and a model.
//!
//! It has two sides. At the [queue](QueueDesk) programs wait for an answer, and the user gives it. [Calls](CallsDesk) go
//! through the recorder or are served from tapes and sets. Neither begins by itself, and no socket is open before the user
//! started one of the two.

mod calls;
mod queue;

pub use calls::{
    CallId, CallsAction, CallsDesk, CallsEffect, CallsEvent, ClientKind, Listed, Listener, OnOffer,
    Pace as ServePace, RecordForm, RecordOrder, Rows as CallRows, RunState, ServeForm, ServeOrder,
    StartFault, StartField, Station, Upstream, What,
};
pub use queue::{
    AnswerDraft, AnswerRuleDraft, AnswerWay, Asking, Logged, Near, NearSet, Outcome, QueueAction,
    QueueDesk, QueueEffect, QueueEvent, RankOrder, RequestId, RulesAnswer, ToolOffered, Watched,
};

use super::action::Step;
use super::event::Effect;
use super::navigation::{Desk, View};
use super::state::Workbench;

/// A side of the live desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiveSide {
    /// Requests that wait for an answer.
    #[default]
    Queue,
    /// Calls that are recorded or served.
    Calls,
}

/// What runs, and which side of it is shown.
#[derive(Debug, Default)]
pub struct LiveDesk {
    pub(super) side: LiveSide,
    pub(super) queue: QueueDesk,
    pub(super) calls: CallsDesk,
}

/// Something that is done at the live desk.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveAction {
    /// Show this side.
    Show(LiveSide),
    /// Do something about a queue.
    Queue(QueueAction),
    /// Do something about the recorder, the server or their calls.
    Calls(CallsAction),
}

/// Work on the outside world for the live desk.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveEffect {
    /// On a queue.
    Queue(QueueEffect),
    /// With a socket.
    Calls(CallsEffect),
}

/// What the live desk is told.
#[derive(Clone, Debug)]
pub enum LiveEvent {
    /// Of a queue.
    Queue(QueueEvent),
    /// Of the recorder or the server.
    Calls(CallsEvent),
}

impl LiveDesk {
    /// The side that is shown.
    pub fn side(&self) -> LiveSide {
        self.side
    }

    /// The queue's side.
    pub fn queue(&self) -> &QueueDesk {
        &self.queue
    }

    pub(super) fn tell_time(&mut self, now: f64) {
        self.queue.tell_time(now);
    }

    /// The calls' side.
    pub fn calls(&self) -> &CallsDesk {
        &self.calls
    }
}

impl Workbench {
    /// The live desk.
    pub fn live_desk(&self) -> &LiveDesk {
        &self.live
    }

    pub(super) fn act_live(&mut self, action: LiveAction) -> Vec<Effect> {
        match action {
            LiveAction::Show(side) => {
                self.live.side = side;
                self.go(Desk::Live, View::List)
            }
            LiveAction::Queue(action) => self.act_on_queue(action),
            LiveAction::Calls(action) => self.act_on_calls(action),
        }
    }

    pub(super) fn live_told(&mut self, event: LiveEvent) -> Vec<Effect> {
        match event {
            LiveEvent::Queue(event) => self.queue_told(event),
            LiveEvent::Calls(event) => self.calls_told(event),
        }
    }

    /// Whether the desk is shown.
    pub(super) fn shows_live(&self) -> bool {
        (self.here().view, self.here().desk) == (View::List, Desk::Live)
    }

    /// Opens what is selected on the side that is shown.
    pub(super) fn open_in_live(&mut self) -> Vec<Effect> {
        match self.live.side {
            LiveSide::Queue => Vec::new(),
            LiveSide::Calls => self.open_call(),
        }
    }

    /// Goes on by some rows in what is listed on the side that is shown.
    pub(super) fn step_live(&mut self, step: Step, rows: usize) {
        match self.live.side {
            LiveSide::Queue => self.live.queue.step(step, rows),
            LiveSide::Calls => self.live.calls.step(step, rows),
        }
    }
}
