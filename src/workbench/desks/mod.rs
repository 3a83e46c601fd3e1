//! The desks, each with its own state and actions. No desk names another one.
//!
//! The import, the triage, the source and the terminal panel are desks, too, without an entry in the rail. The library is in `core`.

pub(crate) mod audit;
pub(crate) mod incident;
pub(crate) mod live;
pub(crate) mod playback;
pub(crate) mod problems;
pub(crate) mod review;
pub(crate) mod seeds;
pub(crate) mod sessions;
pub(crate) mod source;
pub(crate) mod tapes;
pub(crate) mod terminal;
pub(crate) mod triage;

use super::core::navigation::StepDirection;
use super::core::{Core, News, ProjectStart};
use protocol::{DiskChange, DocId};

/// All desks, in the order in which they are updated: each with its state, its actions and the view in which it is shown.
macro_rules! with_desks {
    ($make:ident) => {
        $make! {
            problems: Problems(ProblemsDesk, ProblemsAction) [(DeskView::List, Desk::Problems)];
            seeds: Seeds(SeedsDesk, SeedsAction) [(DeskView::List, Desk::Seeds)];
            tapes: Tapes(TapesDesk, TapesAction) [(DeskView::List, Desk::Tapes)];
            sessions: Sessions(SessionsDesk, SessionsAction) [(DeskView::List, Desk::Sessions)];
            review: Review(ReviewDesk, ReviewAction) [(DeskView::List, Desk::Review)];
            import: Import(ImportDesk, ImportAction) [(DeskView::Import, _)];
            playback: Playback(PlaybackDesk, PlaybackAction) [(DeskView::List, Desk::Playback)];
            triage: Triage(TriageDesk, TriageAction) [(DeskView::Triage | DeskView::Failure, _)];
            source: Source(SourceDesk, SourceAction) [(DeskView::Source(_), _)];
            audit: Audit(AuditDesk, AuditAction) [(DeskView::List, Desk::Audit)];
            live: Live(LiveDesk, LiveAction) [(DeskView::List, Desk::Live)];
            // A panel below all views.
            terminal: Terminal(Terminal, TerminalAction) [_ if false];
        }
    };
}
pub(crate) use with_desks;

/// One desk: its own state, over what all desks share. By default, it does nothing.
pub(crate) trait DeskState {
    /// Returns the document that commands apply to.
    fn subject(&self, _core: &Core) -> Option<DocId> {
        None
    }

    /// Updates what is shown, and requests what is missing. Called once per frame, before painting.
    fn sync(&mut self, _core: &mut Core) {}

    /// Returns whether there is a row that a step can select.
    fn has_rows(&self) -> bool {
        false
    }

    /// Moves the selection by some rows.
    fn step(&mut self, _core: &mut Core, _step: StepDirection, _rows: usize) {}

    /// Selects the first or last row.
    fn step_to_end(&mut self, core: &mut Core, step: StepDirection) {
        self.step(core, step, usize::MAX);
    }

    /// Goes to the next or previous change.
    fn step_change(&mut self, core: &mut Core, step: StepDirection) {
        core.step_change(step);
    }

    /// Opens what is selected.
    fn open_selected(&mut self, _core: &mut Core) {}

    /// Handles Esc: closes the topmost part of the desk. Returns whether there was one; without one, the inspector is next.
    fn close(&mut self, _core: &mut Core) -> bool {
        false
    }

    /// Handles a change on disk, before the documents change.
    fn on_disk_change(&mut self, _core: &Core, _change: &DiskChange) {}

    /// Handles changes of documents.
    fn on_news(&mut self, _core: &Core, _news: &News) {}

    /// Drops what belongs to the project that was open. What the user set stays if the same paths are opened again.
    fn start_project(&mut self, _start: ProjectStart) {}
}
