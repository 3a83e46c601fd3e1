//! The sessions desk: one session at a time, as a form and as its text.

mod contract;
mod drafts;
mod edits;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::{Core, DeskState, Effect, Latest, OpenDocument, ProjectStart, StepDirection};
use author::session::{InjectedFault, SessionEdit, session_at};
use document::session::Session;
use document::{Document, FileKind, Severity};
use protocol::{Desk, DocId, ListSessions, ListedSession, Revision, SessionId, SessionsEvent};

pub use contract::{ContractAction, ContractDesk, RunScope};
pub use drafts::{DraftField, FieldDrafts, InputKind, parse_value};

/// An action of the sessions desk.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionsAction {
    Select(SessionId),
    /// Reports the position of the cursor.
    Point(Option<FormCursor>),
    /// Opens a panel below the tool response under the cursor, or closes it.
    Open(Option<Panel>),
    /// Edits the session as a separate step. Refused with a notice if the revision is out of date.
    Edit(Revision, SessionEdit),
    /// Reports what is typed in a field.
    Draft(DraftField, String),
    /// Discards what is typed in a field, by its JSON Pointer.
    CancelDraft(String),
    /// Reports the field that has the focus, by its JSON Pointer.
    Focus(Option<String>),
    /// Reports that the requested field has the focus.
    Focused,
    /// Shows the text in place of the contract.
    ShowText,
    /// Injects a fault into the tool response under the cursor; `None` restores the original.
    Fault(Option<InjectedFault>),
    /// An action of the contract column.
    Contract(ContractAction),
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
    /// By the revision of the items.
    listing: Latest<u64, Arc<[ListedSession]>>,
    pub selected: Option<SessionId>,
    pub cursor: Option<FormCursor>,
    panel: Option<Panel>,
    /// The field that is to get the focus, by its JSON Pointer.
    pub focus: Option<String>,
    /// The text for which a tool without a name was already reported.
    reported: Option<(DocId, Revision)>,
    /// Whether the text of the file is beside the form, in place of the contract.
    pub shows_text: bool,
    pub drafts: FieldDrafts,
    edits: edits::Edits,
    pub contract: ContractDesk,
}

impl DeskState for SessionsDesk {
    fn subject(&self, _core: &Core) -> Option<DocId> {
        self.selected.as_ref().map(|id| id.doc)
    }

    fn sync(&mut self, core: &mut Core) {
        // Also if the desk is not shown: what was typed follows its document.
        if !core.shows(Desk::Sessions) {
            self.drafts.focused = None;
        }
        self.sync_drafts(core, false);
        if !core.shows(Desk::Sessions) || core.progress.is_some() {
            return;
        }
        let key = core.library.items_revision;
        if self.listing.want(&key) {
            core.request(Effect::run(ListSessions {
                key,
                items: core.library.items.clone(),
                // Edits can add and remove sessions only in configurations.
                texts: core.library.edited_texts(&[FileKind::Config]),
            }));
        }
        let doc = self.subject(core);
        if let Some(doc) = doc.filter(|doc| core.library.opened(*doc).is_none()) {
            core.request_document(doc);
        }
        self.sync_contract(core);
    }

    fn has_rows(&self) -> bool {
        !self.sessions().is_empty()
    }

    /// Moves by some tool responses, or by sessions if the cursor is not in a response.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        if let Some(response) = self.response() {
            let index = step.target_in(Some(response), rows, self.responses(core));
            return self.point(Some(FormCursor::Response(index)));
        }
        let index = step.target_in(self.position(), rows, self.sessions().len());
        if let Some(id) = self.sessions().get(index).map(|s| s.id.clone()) {
            self.select(core, id);
        }
    }

    /// Opens the panel of the response under the cursor; without a cursor, goes to the first response or adds one.
    fn open_selected(&mut self, core: &mut Core) {
        match self.response() {
            Some(_) => self.toggle_panel(Panel::Response),
            None if self.responses(core) > 0 => self.point(Some(FormCursor::Response(0))),
            None if self.session(core).is_some() => self.add_response(core),
            None => {}
        }
    }

    fn close(&mut self, _core: &mut Core) -> bool {
        self.panel.take().is_some() || self.cursor.take().is_some()
    }

    fn start_project(&mut self, _start: ProjectStart) {
        *self = Self { shows_text: self.shows_text, ..Self::default() };
    }
}

impl SessionsDesk {
    pub fn sessions(&self) -> &[ListedSession] {
        self.listing.value.as_deref().unwrap_or_default()
    }

    /// Whether the sessions were listed.
    pub fn is_listed(&self) -> bool {
        self.listing.key.is_some()
    }

    /// The tool response under the cursor, counted from 0.
    pub fn response(&self) -> Option<usize> {
        let Some(FormCursor::Response(index)) = self.cursor else { return None };
        Some(index)
    }

    /// The panel that is open below it.
    pub fn panel(&self) -> Option<Panel> {
        self.panel.filter(|_| self.response().is_some())
    }

    fn position(&self) -> Option<usize> {
        let selected_id = self.selected.as_ref()?;
        self.sessions().iter().position(|s| s.id == *selected_id)
    }

    fn point(&mut self, spot: Option<FormCursor>) {
        if self.cursor != spot {
            self.cursor = spot;
            self.panel = None;
        }
    }

    /// The state of the selected session.
    pub fn state(&self, core: &Core) -> SessionState {
        let Some(id) = self.selected.as_ref() else { return SessionState::Nothing };
        match core.library.opened(id.doc) {
            Some(OpenDocument::Ready(document, revision)) => {
                SessionState::Ready(Arc::clone(document), *revision)
            }
            Some(OpenDocument::Failed(reason)) => SessionState::Failed(Arc::clone(reason)),
            Some(OpenDocument::Reading) | None => SessionState::Reading,
        }
    }

    /// The selected session, as last read.
    pub fn session<'core>(&self, core: &'core Core) -> Option<&'core Session> {
        let id = self.selected.as_ref()?;
        session_at(core.library.document(id.doc)?, &id.pointer)
    }

    /// Whether a field of the session is about to get the focus, so that typed text is not a command.
    pub fn awaits_typing(&self, core: &Core) -> bool {
        core.shows(Desk::Sessions) && (self.focus.is_some() || self.edits.is_adding())
    }

    /// Whether digits choose a fault.
    pub fn offers_faults(&self, core: &Core) -> bool {
        core.shows(Desk::Sessions) && self.panel() == Some(Panel::Faults)
    }

    pub(crate) fn act(&mut self, core: &mut Core, action: SessionsAction) {
        match action {
            SessionsAction::Select(id) => self.select(core, id),
            SessionsAction::Point(spot) => self.point(spot),
            SessionsAction::Open(panel) => self.panel = panel,
            SessionsAction::Edit(base, edit) => self.edit(core, base, edit),
            SessionsAction::Draft(field, text) => self.type_draft(core, field, text),
            SessionsAction::CancelDraft(pointer) => self.drafts.cancel(&pointer),
            SessionsAction::Focus(pointer) => self.drafts.focused = pointer,
            SessionsAction::Focused => self.focus = None,
            SessionsAction::ShowText => self.shows_text = true,
            SessionsAction::Fault(fault) => self.put_fault(core, fault),
            SessionsAction::Contract(action) => self.act_on_contract(core, action),
        }
    }

    fn select(&mut self, core: &mut Core, id: SessionId) {
        let doc = id.doc;
        if self.selected.as_ref() != Some(&id) {
            // What is typed belongs to the session that was selected.
            self.sync_drafts(core, true);
            self.drafts = FieldDrafts::default();
            self.selected = Some(id);
            self.point(None);
            // Text typed in another session is another step.
            core.journal.end_typing();
        }
        core.request_document(doc);
    }

    /// Moves the cursor to the tool name of a tool response.
    pub(crate) fn edit_tool(&mut self, index: usize) {
        let session = self.selected.as_ref();
        let pointer = session.map(|id| format!("{}/tool_responses/{index}/tool", id.pointer));
        self.point(Some(FormCursor::Response(index)));
        self.focus = pointer;
    }

    /// Reports once that a tool of the session has no name, before the session is saved.
    pub(crate) fn report_unnamed_tool(&mut self, core: &mut Core, doc: DocId) -> bool {
        let is_shown = self.selected.as_ref().is_some_and(|id| id.doc == doc);
        let Some(session) = self.session(core).filter(|_| is_shown) else { return false };
        let mut list = session.tool_responses.iter();
        let position = list.position(|r| r.tool.as_ref().is_some_and(|tool| tool.value.is_empty()));
        let text = core.library.text(doc).map(|(_, revision)| (doc, revision));
        // The user may save the same text again, to write it anyway.
        let (Some(index), true) = (position, text != self.reported) else { return false };
        self.reported = text;
        let words = format!(
            "Not saved yet: tool response {} names no tool, and Flakestorm rejects such a session. Type the name, or save \
             again to write it without.",
            index + 1
        );
        core.refuse(Severity::Warning, words);
        if core.shows(Desk::Sessions) {
            self.edit_tool(index);
        }
        true
    }

    /// Whether a save of the text as it is now was held because a tool has no name.
    pub fn has_reported_unnamed_tool(&self, core: &Core) -> bool {
        let doc = self.subject(core);
        let text = doc.and_then(|doc| Some((doc, core.library.text(doc)?.1)));
        text.is_some() && text == self.reported
    }

    /// The number of tool responses of the session.
    fn responses(&self, core: &Core) -> usize {
        self.session(core).map_or(0, |session| session.tool_responses.len())
    }

    pub(crate) fn receive(&mut self, core: &mut Core, event: SessionsEvent) {
        match event {
            SessionsEvent::Listed(key, sessions) if self.listing.accept(&key) => {
                if let Some(sessions) = core.or_notify(sessions) {
                    self.listing.value = Some(sessions);
                }
                self.select_existing(core);
            }
            SessionsEvent::Listed(..) => {}
            SessionsEvent::Contract(event) => self.receive_contract(core, event),
        }
    }

    /// Selects another session if the selected one no longer exists.
    fn select_existing(&mut self, core: &mut Core) {
        let library = &core.library;
        if self.selected.as_ref().is_some_and(|id: &SessionId| library.get(id.doc).is_some()) {
            return;
        }
        // The selection in the library is what the user was looking at.
        let sessions = self.sessions();
        let selected_doc = core.list.selected;
        let session = sessions.iter().find(|s| Some(s.id.doc) == selected_doc);
        match session.or(sessions.first()).map(|s| s.id.clone()) {
            Some(id) => self.select(core, id),
            None => self.selected = None,
        }
    }
}
