//! The sessions desk: one session at a time, as a form and as its text.

mod contract;
mod edits;
mod list;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::format::session::Session;
use crate::format::{Document, FileKind, Severity};
use crate::ops::session::{InjectedFault, SessionEdit, session_at};
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::{DocId, OpenDocument};
use crate::workbench::core::navigation::Desk;
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::working_copy::Revision;
use crate::workbench::state::Workbench;

pub use contract::{
    AnswerSource, CheckedInvariant, ConfigFound, ConfigListing, ContractAction, ContractDesk,
    ContractEvent, ContractReport, ContractRequest, FilePlace, FindAnswers, FoundAnswers,
    ListedInConfig, OfferedAnswer, OfferedContract, ReferenceKind, Resolution, RunCommands,
    RunScope, SourceInConfig, TestedAnswer,
};
pub use list::{ListSessions, ListedSession, SessionId};

/// An action of the sessions desk.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionsAction {
    Select(SessionId),
    /// Sets what is shown beside the form in a narrow window.
    ShowSide(SessionSide),
    /// Reports the position of the cursor.
    Point(Option<FormCursor>),
    /// Opens a panel below the tool response under the cursor, or closes it.
    Open(Option<Panel>),
    /// Edits the session as a separate step. Refused with a notice if the revision is out of date.
    Edit(Revision, SessionEdit),
    /// Edits the session while the user types in a field: text typed without a pause is one step.
    Type(Revision, SessionEdit),
    /// Reports that the requested field has the focus.
    Focused,
    /// Injects a fault into the tool response under the cursor; `None` restores the original.
    Fault(Option<InjectedFault>),
    /// An action of the contract column.
    Contract(ContractAction),
}

/// An event of the sessions desk.
#[derive(Clone, Debug)]
pub enum SessionsEvent {
    /// All sessions, as requested with this number.
    Listed(u64, Result<Arc<[ListedSession]>, String>),
    /// An event of the contract column.
    Contract(ContractEvent),
}

/// What is shown beside the form in a narrow window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionSide {
    /// The text of the file.
    #[default]
    Text,
    /// The contract with its results.
    Contract,
}

/// A position in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormCursor {
    /// A field of the session, by its key.
    Field(&'static str),
    /// A tool response, counted from 0.
    Response(usize),
}

/// A panel below a tool response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    /// The faults that can be injected.
    Faults,
    /// The response, to be edited.
    Response,
}

/// The state of the selected session.
#[derive(Clone, Debug)]
pub enum SessionState {
    /// None is selected.
    Nothing,
    /// It is being read.
    Reading,
    /// Its document, and the revision of its text.
    Ready(Arc<Document>, Revision),
    /// It cannot be shown, for this reason.
    Failed(Arc<str>),
}

/// The view state of the sessions desk.
#[derive(Debug, Default)]
pub struct SessionsDesk {
    pub sessions: Arc<[ListedSession]>,
    listed: Option<u64>,
    awaited: Option<u64>,
    pub selected: Option<SessionId>,
    pub cursor: Option<FormCursor>,
    panel: Option<Panel>,
    /// The field that is to get the focus, by its JSON Pointer.
    pub focus: Option<String>,
    /// The text for which a tool without a name was already reported.
    reported: Option<(DocId, Revision)>,
    /// Whether the list is shown; `None` shows it if there is room.
    list: Option<bool>,
    has_room: bool,
    pub side: SessionSide,
    edits: edits::Edits,
    pub contract: ContractDesk,
}

impl SessionsDesk {
    /// Whether the sessions were listed.
    pub fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The tool response under the cursor, counted from 0.
    pub fn response(&self) -> Option<usize> {
        match self.cursor {
            Some(FormCursor::Response(at)) => Some(at),
            _ => None,
        }
    }

    /// The panel that is open below it.
    pub fn panel(&self) -> Option<Panel> {
        self.panel.filter(|_| self.response().is_some())
    }

    /// Whether the list of sessions is shown.
    pub fn list(&self) -> bool {
        self.list.unwrap_or(self.has_room)
    }

    /// Whether an edit is in progress.
    pub fn is_editing(&self) -> bool {
        self.edits.is_editing()
    }

    /// The desk after a reload of its project.
    pub(in crate::workbench) fn after_reload(&self) -> Self {
        Self {
            list: self.list,
            side: self.side,
            ..Self::default()
        }
    }

    fn position(&self) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        self.sessions.iter().position(|it| it.id == *selected)
    }

    fn point(&mut self, spot: Option<FormCursor>) {
        if self.cursor != spot {
            self.cursor = spot;
            self.panel = None;
        }
    }
}

impl Workbench {
    /// The state of the selected session.
    pub fn session_shown(&self) -> SessionState {
        let Some(id) = self.sessions.selected.as_ref() else {
            return SessionState::Nothing;
        };
        match self.core.library.opened(id.doc) {
            Some(OpenDocument::Ready(document, revision)) => {
                SessionState::Ready(Arc::clone(document), *revision)
            }
            Some(OpenDocument::Failed(reason)) => SessionState::Failed(Arc::clone(reason)),
            Some(OpenDocument::Reading) | None => SessionState::Reading,
        }
    }

    /// The selected session, as last read.
    pub fn session(&self) -> Option<&Session> {
        let id = self.sessions.selected.as_ref()?;
        session_at(self.core.library.document(id.doc)?, &id.pointer)
    }

    /// Whether a field of the session is about to get the focus, so that typed text is not a command.
    pub fn awaits_typing(&self) -> bool {
        let desk = &self.sessions;
        self.core.shows(Desk::Sessions) && (desk.focus.is_some() || desk.edits.is_adding())
    }

    /// Whether digits choose a fault.
    pub fn offers_faults(&self) -> bool {
        self.core.shows(Desk::Sessions) && self.sessions.panel() == Some(Panel::Faults)
    }

    /// Sets whether there is room for the list beside the session.
    pub fn set_room_for_sessions(&mut self, has_room: bool) {
        self.sessions.has_room = has_room;
    }

    /// Handles an action of the sessions desk.
    pub(in crate::workbench) fn act_on_sessions(&mut self, action: SessionsAction) {
        let sessions = &mut self.sessions;
        match action {
            SessionsAction::Select(id) => self.select_session(id),
            SessionsAction::ShowSide(side) => sessions.side = side,
            SessionsAction::Point(spot) => sessions.point(spot),
            SessionsAction::Open(panel) => sessions.panel = panel,
            SessionsAction::Edit(base, edit) => self.edit_session(base, edit),
            SessionsAction::Type(base, edit) => self.type_in_session(base, edit),
            SessionsAction::Focused => sessions.focus = None,
            SessionsAction::Fault(fault) => self.put_fault(fault),
            SessionsAction::Contract(action) => self.act_on_contract(action),
        }
    }

    fn select_session(&mut self, id: SessionId) {
        let doc = id.doc;
        if self.sessions.selected.as_ref() != Some(&id) {
            self.sessions.selected = Some(id);
            self.sessions.point(None);
            self.core.journal.end_typing();
        }
        self.core.request_document(doc);
    }

    /// Closes the topmost panel of the form. Returns whether there was one.
    pub(in crate::workbench) fn close_in_session(&mut self) -> bool {
        if self.sessions.panel.take().is_some() {
            return true;
        }
        self.sessions.cursor.take().is_some()
    }

    /// Opens the panel of the response under the cursor; without a cursor, goes to the first response or adds one.
    pub(in crate::workbench) fn open_response(&mut self) {
        match self.sessions.response() {
            Some(_) => self.toggle_panel(Panel::Response),
            None if self.responses() > 0 => self.sessions.point(Some(FormCursor::Response(0))),
            None if self.session().is_some() => self.add_response(),
            None => {}
        }
    }

    /// Moves the cursor to the tool name of a tool response.
    pub(in crate::workbench) fn edit_tool(&mut self, at: usize) {
        let session = self.sessions.selected.as_ref();
        let pointer = session.map(|id| format!("{}/tool_responses/{at}/tool", id.pointer));
        self.sessions.point(Some(FormCursor::Response(at)));
        self.sessions.focus = pointer;
    }

    /// Reports once that a tool of the session has no name, before the session is saved.
    pub(in crate::workbench) fn report_unnamed_tool(&mut self, doc: DocId) -> bool {
        let is_shown = self
            .sessions
            .selected
            .as_ref()
            .is_some_and(|id| id.doc == doc);
        let Some(session) = self.session().filter(|_| is_shown) else {
            return false;
        };
        let mut responses = session.tool_responses.iter();
        let unnamed =
            responses.position(|it| it.tool.as_ref().is_some_and(|tool| tool.value.is_empty()));
        let text = self
            .core
            .library
            .text(doc)
            .map(|(_, revision)| (doc, revision));
        let (Some(at), true) = (unnamed, text != self.sessions.reported) else {
            return false;
        };
        self.sessions.reported = text;
        let words = format!(
            "Not saved yet: tool response {} names no tool, and Flakestorm refuses such a session. Type the name, or save \
             again to write it without.",
            at + 1
        );
        self.core.notify(Severity::Warning, words);
        if self.core.shows(Desk::Sessions) {
            self.edit_tool(at);
        }
        true
    }

    /// Shows or hides the list.
    pub(in crate::workbench) fn toggle_sessions(&mut self) {
        let is_shown = self.sessions.list.unwrap_or(self.sessions.has_room);
        self.sessions.list = Some(!is_shown);
    }

    /// Moves by some tool responses, or by sessions if the cursor is not in a response.
    pub(in crate::workbench) fn step_session(&mut self, by: isize) {
        if let Some(at) = self.sessions.response() {
            let last = self.responses().saturating_sub(1);
            let to = at.saturating_add_signed(by).min(last);
            self.sessions.point(Some(FormCursor::Response(to)));
            return;
        }
        let last = self.sessions.sessions.len().saturating_sub(1);
        let at = self.sessions.position();
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        if let Some(id) = self.sessions.sessions.get(to).map(|it| it.id.clone()) {
            self.select_session(id);
        }
    }

    /// Goes to the first or last of them.
    pub(in crate::workbench) fn step_to_end_of_sessions(&mut self, step: StepDirection) {
        self.step_session(match step {
            StepDirection::Next => isize::MAX,
            StepDirection::Previous => isize::MIN,
        });
    }

    /// The number of tool responses of the session.
    fn responses(&self) -> usize {
        self.session()
            .map_or(0, |session| session.tool_responses.len())
    }

    /// Handles an event of the sessions desk.
    pub(in crate::workbench) fn on_sessions_event(&mut self, event: SessionsEvent) {
        match event {
            SessionsEvent::Listed(key, found) if self.sessions.awaited == Some(key) => {
                self.sessions.awaited = None;
                self.sessions.listed = Some(key);
                if let Some(found) = self.core.or_notify(found) {
                    self.sessions.sessions = found;
                }
                self.select_existing_session();
            }
            SessionsEvent::Listed(..) => {}
            SessionsEvent::Contract(event) => self.on_contract_event(event),
        }
    }

    /// Selects another session if the selected one no longer exists.
    fn select_existing_session(&mut self) {
        let library = &self.core.library;
        let is_there = |id: &SessionId| library.get(id.doc).is_some();
        if self.sessions.selected.as_ref().is_some_and(is_there) {
            return;
        }
        // The selection in the library is what the user was looking at.
        let sessions = &self.sessions.sessions;
        let looked_at = self.core.list.selected;
        let looked_at = sessions.iter().find(|it| Some(it.id.doc) == looked_at);
        match looked_at.or(sessions.first()).map(|it| it.id.clone()) {
            Some(id) => self.select_session(id),
            None => {
                self.sessions.selected = None;
            }
        }
    }

    /// Updates the desk after changes, while it is shown.
    pub(in crate::workbench) fn sync_sessions(&mut self) {
        if !self.core.shows(Desk::Sessions) || self.core.progress.is_some() {
            return;
        }
        let key = self.core.library.items_revision;
        if self.sessions.listed != Some(key) && self.sessions.awaited != Some(key) {
            self.sessions.awaited = Some(key);
            self.core.request(Effect::run(ListSessions {
                key,
                items: self.core.library.items.clone(),
                texts: self.core.library.edited_texts(&[FileKind::Config]),
            }));
        }
        let selected = self.sessions.selected.as_ref().map(|id| id.doc);
        if let Some(doc) = selected.filter(|doc| self.core.library.opened(*doc).is_none()) {
            self.core.request_document(doc);
        }
    }
}

impl crate::workbench::desks::DeskState for SessionsDesk {}
