//! The sessions desk: one session at a time, as a form and as its text.

mod contract;
mod edits;
mod list;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::action::Step;
use super::event::{Effect, Planned};
use super::library::{DocId, Opened};
use super::navigation::{Desk, Location, View};
use super::state::Workbench;
use super::working_copy::Revision;
use crate::format::session::Session;
use crate::format::{Document, Severity};
use crate::ops::session::{Fault, SessionEdit, session_at};

pub use contract::{
    AnswerFrom, Answers, Checked, Commands, ConfigEdit, ConfigFound, ContractAction, ContractDesk,
    ContractEffect, ContractEvent, ContractLook, FindAnswers, ListedInConfig, Listing,
    LookAtContract, Offered, OfferedAnswer, PlannedConfig, Resolution, Scope, SourceInConfig,
    Spotted, TriedOn, Written,
};
pub use list::{ListSessions, ListedSession, SessionId};

/// Something the user asked for on the sessions desk.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionsAction {
    /// Show this session.
    Select(SessionId),
    /// Show this beside the form, where there is room for one thing only.
    ShowSide(SessionSide),
    /// The cursor is here.
    Point(Option<Spot>),
    /// Open something below the tool response under the cursor, or close it.
    Open(Option<Panel>),
    /// Change the session, as a step of its own. Refused aloud if the text is no longer the one with this name.
    Edit(Revision, SessionEdit),
    /// The same while somebody types in a field: what is typed in one go is one step.
    Type(Revision, SessionEdit),
    /// The field that was to get the focus gets it.
    Focused,
    /// Put a fault into the tool response under the cursor; `None`: as it was before.
    Fault(Option<Fault>),
    /// Something about its contract and its configuration.
    Contract(ContractAction),
}

/// What the sessions desk asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionsEffect {
    /// Find all sessions.
    List(ListSessions),
    /// Find the bytes of an edit in the text with this name.
    Plan(DocId, Revision, SessionEdit),
    /// Work on its contract and its configuration.
    Contract(ContractEffect),
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum SessionsEvent {
    /// All sessions, as they were when this was asked.
    Listed(u64, Arc<[ListedSession]>),
    /// An edit of the text with this name, or why it cannot be made; `None` where it would change nothing.
    Planned(DocId, Revision, Box<Result<Option<Planned>, String>>),
    /// Something about its contract and its configuration.
    Contract(ContractEvent),
}

/// What stands beside the form where there is room for one thing only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionSide {
    /// The text of the file.
    #[default]
    Text,
    /// The contract, and what it says.
    Contract,
}

/// A place in the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// A field of the session, by its key.
    Field(&'static str),
    /// A tool response, counted from 0.
    Response(usize),
}

/// What is open below a tool response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    /// The faults that can be put into it.
    Faults,
    /// Its response, to be edited.
    Response,
}

/// How the selected session stands.
#[derive(Clone, Debug)]
pub enum SessionShown {
    /// None is selected.
    Nothing,
    /// It is being read.
    Reading,
    /// Here is its document, and the name of the text that this is a reading of.
    Ready(Arc<Document>, Revision),
    /// It cannot be shown, for this reason.
    Failed(Arc<str>),
}

/// How the sessions desk is shown.
#[derive(Debug, Default)]
pub struct SessionsDesk {
    sessions: Arc<[ListedSession]>,
    listed: Option<u64>,
    awaited: Option<u64>,
    selected: Option<SessionId>,
    spot: Option<Spot>,
    panel: Option<Panel>,
    /// The field that is to get the focus, by its JSON Pointer.
    focus: Option<String>,
    /// The text in which a tool without a name was reported already.
    reported: Option<(DocId, Revision)>,
    /// Whether the user wants the list; `None`: where there is room.
    list: Option<bool>,
    has_room: bool,
    side: SessionSide,
    edits: edits::Edits,
    contract: ContractDesk,
}

impl SessionsDesk {
    /// Every session, in the order of their places; empty until they are found.
    pub fn sessions(&self) -> &Arc<[ListedSession]> {
        &self.sessions
    }

    /// Whether the sessions were looked for.
    pub fn is_listed(&self) -> bool {
        self.listed.is_some()
    }

    /// The session that is shown.
    pub fn selected(&self) -> Option<&SessionId> {
        self.selected.as_ref()
    }

    /// Where the cursor is in the form.
    pub fn spot(&self) -> Option<Spot> {
        self.spot
    }

    /// The tool response under the cursor, counted from 0.
    pub fn response(&self) -> Option<usize> {
        match self.spot {
            Some(Spot::Response(at)) => Some(at),
            _ => None,
        }
    }

    /// What is open below that.
    pub fn panel(&self) -> Option<Panel> {
        self.panel.filter(|_| self.response().is_some())
    }

    /// Whether the list of sessions is shown.
    pub fn list(&self) -> bool {
        self.list.unwrap_or(self.has_room)
    }

    /// What stands beside the form where there is room for one thing only.
    pub fn side(&self) -> SessionSide {
        self.side
    }

    /// The field that is to get the focus, by its JSON Pointer.
    pub fn focus(&self) -> Option<&str> {
        self.focus.as_deref()
    }

    /// Whether an edit is on its way.
    pub fn is_editing(&self) -> bool {
        self.edits.is_editing()
    }

    /// The same desk for the same project, read again.
    pub(super) fn again(&self) -> Self {
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

    fn point(&mut self, spot: Option<Spot>) {
        if self.spot != spot {
            self.spot = spot;
            self.panel = None;
        }
    }
}

impl Workbench {
    /// How the sessions desk is shown.
    pub fn sessions_desk(&self) -> &SessionsDesk {
        &self.sessions
    }

    /// How the selected session stands.
    pub fn session_shown(&self) -> SessionShown {
        let Some(id) = self.sessions.selected.as_ref() else {
            return SessionShown::Nothing;
        };
        match self.library.opened(id.doc) {
            Some(Opened::Ready(document, revision)) => {
                SessionShown::Ready(Arc::clone(document), *revision)
            }
            Some(Opened::Failed(reason)) => SessionShown::Failed(Arc::clone(reason)),
            Some(Opened::Reading) | None => SessionShown::Reading,
        }
    }

    /// The selected session as it was last read.
    pub fn session(&self) -> Option<&Session> {
        let id = self.sessions.selected.as_ref()?;
        session_at(self.library.document(id.doc)?, &id.pointer)
    }

    /// Whether sessions are shown.
    pub(super) fn shows_sessions(&self) -> bool {
        let (desk, view) = (Desk::Sessions, View::List);
        self.here() == Location { desk, view }
    }

    /// Whether a field of the session that is shown is about to get the focus: what is typed is no command.
    pub fn awaits_typing(&self) -> bool {
        let desk = &self.sessions;
        self.shows_sessions() && (desk.focus.is_some() || desk.edits.is_adding())
    }

    /// Whether digits choose a fault.
    pub fn offers_faults(&self) -> bool {
        self.shows_sessions() && self.sessions.panel() == Some(Panel::Faults)
    }

    /// Tells whether there is room for the list beside the session.
    pub fn make_room_for_sessions(&mut self, has_room: bool) {
        self.sessions.has_room = has_room;
    }

    /// Does what the user asked for on the sessions desk.
    pub(super) fn act_on_sessions(&mut self, action: SessionsAction) -> Vec<Effect> {
        let sessions = &mut self.sessions;
        match action {
            SessionsAction::Select(id) => return self.select_session(id),
            SessionsAction::ShowSide(side) => sessions.side = side,
            SessionsAction::Point(spot) => sessions.point(spot),
            SessionsAction::Open(panel) => sessions.panel = panel,
            SessionsAction::Edit(base, edit) => return self.edit_session(base, edit),
            SessionsAction::Type(base, edit) => return self.type_in_session(base, edit),
            SessionsAction::Focused => sessions.focus = None,
            SessionsAction::Fault(fault) => return self.put_fault(fault),
            SessionsAction::Contract(action) => return self.act_on_contract(action),
        }
        Vec::new()
    }

    fn select_session(&mut self, id: SessionId) -> Vec<Effect> {
        let doc = id.doc;
        if self.sessions.selected.as_ref() != Some(&id) {
            self.sessions.selected = Some(id);
            self.sessions.point(None);
            self.journal.end_typing();
        }
        self.want(doc)
    }

    /// Takes away what is open in the form, one thing a press.
    pub(super) fn close_in_session(&mut self) -> bool {
        if self.sessions.panel.take().is_some() {
            return true;
        }
        self.sessions.spot.take().is_some()
    }

    /// Opens the response under the cursor for editing; without a cursor goes to the first, and without any adds one.
    pub(super) fn open_response(&mut self) -> Vec<Effect> {
        match self.sessions.response() {
            Some(_) => self.toggle_panel(Panel::Response),
            None if self.responses() > 0 => self.sessions.point(Some(Spot::Response(0))),
            None if self.session().is_some() => return self.add_response(),
            None => {}
        }
        Vec::new()
    }

    /// Puts the cursor into the name of a tool response's tool.
    pub(super) fn edit_tool(&mut self, at: usize) {
        let session = self.sessions.selected.as_ref();
        let pointer = session.map(|id| format!("{}/tool_responses/{at}/tool", id.pointer));
        self.sessions.point(Some(Spot::Response(at)));
        self.sessions.focus = pointer;
    }

    /// Reports once that a tool of the shown session has no name, before that is written to its file.
    pub(super) fn reports_unnamed_tool(&mut self, doc: DocId) -> bool {
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
        let text = self.library.text(doc).map(|(_, revision)| (doc, revision));
        let (Some(at), true) = (unnamed, text != self.sessions.reported) else {
            return false;
        };
        self.sessions.reported = text;
        let words = format!(
            "Not saved yet: tool response {} names no tool, and Flakestorm refuses such a session. Type the name, or save \
             again to write it without.",
            at + 1
        );
        self.notify(Severity::Warning, words);
        if self.shows_sessions() {
            self.edit_tool(at);
        }
        true
    }

    /// Shows or hides the list.
    pub(super) fn toggle_sessions(&mut self) {
        let is_shown = self.sessions.list.unwrap_or(self.sessions.has_room);
        self.sessions.list = Some(!is_shown);
    }

    /// Goes on by some tool responses, or by sessions where the cursor is in none.
    pub(super) fn step_session(&mut self, by: isize) -> Vec<Effect> {
        if let Some(at) = self.sessions.response() {
            let last = self.responses().saturating_sub(1);
            let to = at.saturating_add_signed(by).min(last);
            self.sessions.point(Some(Spot::Response(to)));
            return Vec::new();
        }
        let last = self.sessions.sessions.len().saturating_sub(1);
        let at = self.sessions.position();
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        match self.sessions.sessions.get(to).map(|it| it.id.clone()) {
            Some(id) => self.select_session(id),
            None => Vec::new(),
        }
    }

    /// Goes to the first or the last of them.
    pub(super) fn step_to_end_of_sessions(&mut self, step: Step) -> Vec<Effect> {
        self.step_session(match step {
            Step::Next => isize::MAX,
            Step::Previous => isize::MIN,
        })
    }

    /// How many tool responses the session has.
    fn responses(&self) -> usize {
        self.session()
            .map_or(0, |session| session.tool_responses.len())
    }

    /// Takes what the engine found.
    pub(super) fn sessions_found(&mut self, event: SessionsEvent) -> Vec<Effect> {
        match event {
            SessionsEvent::Listed(key, found) if self.sessions.awaited == Some(key) => {
                self.sessions.awaited = None;
                self.sessions.listed = Some(key);
                self.sessions.sessions = found;
                self.keep_session()
            }
            SessionsEvent::Listed(..) => Vec::new(),
            SessionsEvent::Planned(doc, base, planned) => self.session_planned(doc, base, *planned),
            SessionsEvent::Contract(event) => self.contract_found(event),
        }
    }

    /// Sees to it that a session is selected that is there.
    fn keep_session(&mut self) -> Vec<Effect> {
        let library = &self.library;
        let is_there = |id: &SessionId| library.get(id.doc).is_some();
        if self.sessions.selected.as_ref().is_some_and(is_there) {
            return Vec::new();
        }
        // What is selected in the library is what the user was looking at.
        let sessions = &self.sessions.sessions;
        let looked_at = self.list.selected;
        let looked_at = sessions.iter().find(|it| Some(it.id.doc) == looked_at);
        match looked_at.or(sessions.first()).map(|it| it.id.clone()) {
            Some(id) => self.select_session(id),
            None => {
                self.sessions.selected = None;
                Vec::new()
            }
        }
    }

    /// Sees to it that the desk follows what is open, while it is shown.
    pub(super) fn follow_sessions(&mut self) -> Vec<Effect> {
        if !self.shows_sessions() || self.progress.is_some() {
            return Vec::new();
        }
        let mut effects = Vec::new();
        let key = self.library.items_revision();
        if self.sessions.listed != Some(key) && self.sessions.awaited != Some(key) {
            self.sessions.awaited = Some(key);
            let wanted = ListSessions::of(&self.library);
            effects.push(Effect::Sessions(SessionsEffect::List(wanted)));
        }
        let selected = self.sessions.selected.as_ref().map(|id| id.doc);
        if let Some(doc) = selected.filter(|doc| self.library.opened(*doc).is_none()) {
            effects.extend(self.want(doc));
        }
        effects
    }
}
