//! The live desk: running programs, and their calls to models.
//!
//! It has three sides. At a [queue](QueueDesk), programs wait for an answer that the user gives. [Calls](CallsDesk) go
//! through the recorder or are served from tapes and sets. Nothing starts automatically, and no socket is open until the
//! user starts the recorder or the server. [Drift](DriftDesk) is what tests send beside what was recorded, from a log.

mod calls;
mod drift;
mod queue;

pub use calls::{CallsAction, CallsDesk, ListenForm, Listener, client_variables};
pub use drift::DriftDesk;
pub use queue::{
    AnswerDraft, AnswerMethod, AnswerRuleDraft, PendingRequest, QueueAction, QueueDesk,
    RequestLogEntry, RequestOutcome, RequestTool, WatchedQueue,
};

use std::sync::Arc;

use crate::{Core, DeskState, DeskView, ProjectStart, StepDirection};
use play::drift::DriftReport;
use protocol::{Desk, ListenerKind};

/// A side of the live desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiveSide {
    /// Requests that wait for an answer.
    #[default]
    Queue,
    /// Calls that are recorded or served.
    Calls,
    /// What tests send beside what was recorded.
    Drift,
}

/// The state of the live desk, and which side is shown.
#[derive(Debug, Default)]
pub struct LiveDesk {
    pub side: LiveSide,
    pub queue: QueueDesk,
    pub calls: CallsDesk,
    pub drift: DriftDesk,
}

/// An action of the live desk.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveAction {
    Show(LiveSide),
    /// An action of the queue side.
    Queue(QueueAction),
    /// An action of the calls side.
    Calls(CallsAction),
    /// Selects a cause of drift.
    SelectCause(usize),
}

impl DeskState for LiveDesk {
    fn start_project(&mut self, start: ProjectStart) {
        if start != ProjectStart::Again {
            self.drift = DriftDesk::default();
        }
    }

    fn sync(&mut self, core: &mut Core) {
        self.queue.sync(core);
    }

    fn has_rows(&self) -> bool {
        match self.side {
            // A request that has ended is kept while it is selected.
            LiveSide::Queue => self.queue.selected().is_some() || self.queue.waiting() > 0,
            LiveSide::Calls => self.calls.calls().len() > 0,
            LiveSide::Drift => !self.drift.causes().is_empty(),
        }
    }

    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        match self.side {
            LiveSide::Queue => self.queue.step(step, rows),
            LiveSide::Calls => self.calls.step(step, rows),
            LiveSide::Drift => self.drift.step(step, rows),
        }
    }

    /// Moves the cursor to the answer, or shows the file of the selected call.
    fn open_selected(&mut self, core: &mut Core) {
        match self.side {
            LiveSide::Queue => self.queue.focus += 1,
            LiveSide::Calls => self.calls.open_selected(core),
            LiveSide::Drift => self.drift.open_selected(core),
        }
    }
}

impl LiveDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: LiveAction) {
        match action {
            LiveAction::Show(side) => {
                self.side = side;
                core.go(Desk::Live, DeskView::List);
            }
            LiveAction::SelectCause(cause) => self.drift.selected = cause,
            LiveAction::Queue(action) => {
                // Watching leads to the desk, which must show its side.
                if matches!(action, QueueAction::Watch(_) | QueueAction::WatchFile(_)) {
                    self.side = LiveSide::Queue;
                }
                self.queue.act(core, action);
            }
            LiveAction::Calls(action) => {
                if matches!(action, CallsAction::ShowForm(_) | CallsAction::ShowServeForm(_)) {
                    self.side = LiveSide::Calls;
                }
                self.calls.act(core, action);
            }
        }
    }

    /// Shows what tests send beside what was recorded, and marks the cassettes to record again.
    pub(crate) fn show_drift(&mut self, core: &mut Core, name: String, report: Arc<DriftReport>) {
        let revision = self.drift.revision + 1;
        self.drift = DriftDesk::new(core, name, report, revision);
        self.side = LiveSide::Drift;
        core.go(Desk::Live, DeskView::List);
    }

    /// Stops the queues, the recorder and the server.
    pub(crate) fn stop_all(&mut self, core: &mut Core) {
        self.queue.stop_all(core);
        ListenerKind::ALL.into_iter().for_each(|kind| self.calls.stop(core, kind));
    }

    pub(crate) fn shows_queue(&self, core: &Core) -> bool {
        core.shows(Desk::Live) && self.side == LiveSide::Queue
    }

    /// Whether digits choose an entry of what is shown, so that they run no command.
    pub fn chooses_by_digits(&self, core: &Core) -> bool {
        self.shows_queue(core) && core.overlay.is_none() && self.queue.selected().is_some()
    }
}
