//! Properties that the parts of the form paint, and the state that they change.

use super::sessions_data::SessionData;
use author::session::SessionEdit;
use protocol::ContractReport;
use workbench::{Action, Actions, Library, SessionsAction, SessionsDesk};

/// Input of all parts of the view that paint a session.
#[derive(Clone, Copy)]
pub(super) struct SessionProps<'a> {
    pub(super) desk: &'a SessionsDesk,
    pub(super) library: &'a Library,
    pub(super) data: &'a SessionData,
    /// Whether the session can be saved, or why not.
    pub(super) can_save: Result<(), &'static str>,
    /// Whether a save was held because a tool has no name.
    pub(super) has_reported_unnamed_tool: bool,
    /// Whether the tool response under the cursor had another value before a fault was injected.
    pub(super) has_original_response: bool,
    /// The result of checking its contract.
    pub(super) look: Option<&'a ContractReport>,
    /// Whether the session can be listed in a configuration, or why not.
    pub(super) can_add: Result<(), &'static str>,
}

/// Properties that the parts of the form paint, and the state that they change.
pub(super) struct FormState<'a> {
    pub(super) props: SessionProps<'a>,
    /// The row that is being dragged.
    pub(super) dragged: &'a mut Option<usize>,
    /// The field to focus once it is painted.
    pub(super) focus_request: &'a mut Option<String>,
    /// Whether a panel was opened in this frame; it gets the focus.
    pub(super) has_opened_panel: &'a mut bool,
    /// The field that has the focus in this frame, by its JSON Pointer.
    pub(super) focused: Option<String>,
    pub(super) actions: &'a mut Actions,
}

impl FormState<'_> {
    pub(super) fn push(&mut self, action: SessionsAction) {
        self.actions.push(Action::from(action));
    }

    /// Edits the session as it is shown: an edit of an older text is refused.
    pub(super) fn edit(&mut self, edit: SessionEdit) {
        self.push(SessionsAction::Edit(self.props.data.revision, edit));
    }
}
