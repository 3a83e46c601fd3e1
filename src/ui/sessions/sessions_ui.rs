//! Paints the sessions desk: the list, the form, the text, and the contract.

use egui::{Frame, Ui, vec2};

use super::contract::{ContractView, contract_ui};
use super::draft::{DraftEvent, FieldDrafts, InvalidField};
use super::form_state::{FormState, SessionProps};
use super::form_ui::form_ui;
use super::head_ui::head_ui;
use super::list_ui::list_ui;
use super::sessions_data::SessionData;
use super::strip_ui::strip_ui;
use super::text_ui::{SessionTextState, text_head_ui, text_ui};
use crate::incident;
use crate::strip::LanesView;
use document::text::{lower_first, quoted};
use protocol::SessionId;
use widgets::SidePanel;
use widgets::theme::{self, tokens};
use workbench::{
    Action, Actions, Command, FindRequest, FormCursor, Panel as WhatIsOpen, SessionSide,
    SessionState, SessionView, SessionsAction, Workbench,
};

/// Width of the list.
const LIST_WIDTH: f32 = 160.0;
/// Width of the contract.
const CONTRACT_WIDTH: f32 = 300.0;
/// Width from which form, text and contract are side by side.
const THREE_COLUMNS_MIN_WIDTH: f32 = 1060.0;

/// State of the desk that is kept between frames.
#[derive(Default)]
pub struct SessionsView {
    /// A request of a command to the find bar of the text.
    pub find: Option<FindRequest>,
    /// State of the contract dialogs.
    pub contract: ContractView,
    data: SessionData,
    drafts: FieldDrafts,
    /// The session to which the drafts belong.
    drafts_of: Option<SessionId>,
    text: SessionTextState,
    lanes: LanesView,
    dragged: Option<usize>,
    /// The cursor of the last frame, and the panel that was open there.
    last_cursor: (Option<FormCursor>, Option<WhatIsOpen>),
    /// The field to focus once it is painted.
    focus_request: Option<String>,
    /// Commands that run once all typed text is in the file.
    deferred_commands: Vec<Command>,
}

impl SessionsView {
    /// Commits the drafts before a command that saves, closes or moves tool responses.
    ///
    /// # Errors
    ///
    /// The reason why the command cannot run, as a sentence. `None`: the command runs later, once the drafts are in the
    /// file.
    pub fn commit_drafts(
        &mut self,
        command: Command,
        actions: &mut Actions,
    ) -> Result<(), Option<String>> {
        if let Some(invalid) = self.drafts.invalid() {
            self.show_field(&invalid.pointer, actions);
            let InvalidField { pointer, name, typed, fault } = &invalid;
            // Esc in the large field of a response closes the panel, and the text stays.
            let advice = if pointer.ends_with("/response") {
                "Correct it first."
            } else {
                "Correct it first, or press Esc in the field to restore its value."
            };
            let (typed, fault) = (quoted(typed), lower_first(fault));
            return Err(Some(format!("{name} is invalid: {fault}. It contains {typed}. {advice}")));
        }
        // The edits are made one by one in the next frames; the command waits for the last.
        if self.drafts.has_pending() {
            self.deferred_commands.push(command);
            return Err(None);
        }
        Ok(())
    }

    /// Moves the cursor to a field, from any desk.
    fn show_field(&mut self, pointer: &str, actions: &mut Actions) {
        // Kept until the field is painted, which takes a frame when its desk or panel opens first.
        self.focus_request = Some(pointer.to_owned());
        actions.push(Action::Run(Command::GoSessions));
        actions.push(Action::from(SessionsAction::ShowView(SessionView::Form)));
        let Some((_, response)) = pointer.rsplit_once("/tool_responses/") else { return };
        let mut steps = response.split('/');
        let row = steps.next().and_then(|row| row.parse().ok());
        actions.push(Action::from(SessionsAction::Point(row.map(FormCursor::Response))));
        if steps.next() == Some("response") {
            actions.push(Action::from(SessionsAction::Open(Some(WhatIsOpen::Response))));
        }
    }

    /// Keeps the drafts in sync while another desk is shown.
    pub fn sync_in_background(&mut self, workbench: &Workbench, actions: &mut Actions) {
        if self.drafts.is_empty() && self.deferred_commands.is_empty() {
            return;
        }
        self.data.update(workbench);
        if self.drafts_of.as_ref() != self.data.id() {
            self.drafts.clear();
        }
        self.drafts.begin_frame();
        // Unchanged, so that a panel counts as opened only where it is painted.
        sync_drafts(self, workbench, self.last_cursor, actions);
    }
}

/// Draws the desk. User input becomes an [`Action`](workbench::Action).
pub fn sessions_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut SessionsView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let desk = &workbench.sessions;
    view.data.update(workbench);
    if desk.sessions().is_empty() && desk.selected.is_none() {
        return empty_ui(ui, workbench, actions);
    }
    if desk.list() {
        SidePanel::left("sessions", LIST_WIDTH, 144.0..=480.0)
            .show(ui, |ui| list_ui(ui, workbench, actions));
    }
    match workbench.sessions.state(&workbench.core) {
        SessionState::Ready(..) => session_ui(ui, workbench, view, actions),
        SessionState::Failed(reason) => widgets::empty_sentence(ui, &format!("{reason}.")),
        SessionState::Reading => {
            ui.add_space(theme::DESK_HEADER);
            widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        SessionState::Nothing => widgets::empty_sentence(ui, "Choose a session."),
    }
}

/// Draws the form, the text and the contract, as many as fit side by side.
fn session_ui(ui: &mut Ui, workbench: &Workbench, view: &mut SessionsView, actions: &mut Actions) {
    let desk = &workbench.sessions;
    if view.drafts_of.as_ref() != view.data.id() {
        view.drafts_of = view.data.id().cloned();
        view.drafts.clear();
    }
    view.drafts.begin_frame();
    if let Some(pointer) = desk.focus.as_deref() {
        view.focus_request = Some(pointer.to_owned());
        // The request was taken over; without this it would return in every frame.
        actions.push(Action::from(SessionsAction::Focused));
    }
    let cursor = (desk.cursor, desk.panel());
    let mut is_opened = cursor.1.is_some() && view.last_cursor.1 != cursor.1;
    let props = SessionProps {
        desk,
        library: &workbench.core.library,
        data: &view.data,
        can_save: Command::Save.enabled(workbench),
        has_reported_unnamed_tool: workbench.sessions.has_reported_unnamed_tool(&workbench.core),
        has_original_response: workbench.sessions.original_response(&workbench.core).is_some(),
        look: workbench.sessions.report().map(|report| &**report),
        can_add: Command::AddToConfig.enabled(workbench),
        is_reduced: workbench.core.user.settings.reduced_motion,
    };
    let mut state = FormState {
        props,
        drafts: &mut view.drafts,
        dragged: &mut view.dragged,
        focus_request: &mut view.focus_request,
        has_opened_panel: &mut is_opened,
        actions,
    };
    let width = ui.available_width();
    let ground = tokens(ui).desk;
    // Taken even if the text is hidden: the request is for what is shown now.
    let find = view.find.take();
    let (text, lanes) = (&mut view.text, &mut view.lanes);
    if width >= THREE_COLUMNS_MIN_WIDTH {
        let contract = SidePanel::right("contract", CONTRACT_WIDTH, 260.0..=560.0);
        contract.show(ui, |ui| contract_ui(ui, props, state.actions));
        SidePanel::right("session text", 512.0, 320.0..=960.0).fill(ground).show(ui, |ui| {
            text_head_ui(ui, &mut state);
            widgets::hair_line(ui);
            text_ui(ui, find, text, &mut state);
        });
    } else {
        let side = SidePanel::right("session side", 560.0, 320.0..=800.0).fill(ground);
        side.show(ui, |ui| side_ui(ui, find, text, &mut state));
    }
    Frame::new().show(ui, |ui| {
        head_ui(ui, props, state.actions);
        widgets::hair_line(ui);
        match desk.strip.view {
            SessionView::Form => form_ui(ui, &mut state),
            SessionView::Strip => strip_ui(ui, props, lanes, state.actions),
        }
    });
    sync_drafts(view, workbench, cursor, actions);
}

/// Processes the drafts, and stores the position of the cursor.
fn sync_drafts(
    view: &mut SessionsView,
    workbench: &Workbench,
    cursor: (Option<FormCursor>, Option<WhatIsOpen>),
    actions: &mut Actions,
) {
    view.last_cursor = cursor;
    let is_editing = workbench.sessions.is_editing();
    let mut is_settled = !is_editing;
    if let Some(document) = view.data.document.as_ref() {
        // A waiting command needs also what the focused field has.
        let commits = !view.deferred_commands.is_empty();
        let event = view.drafts.next_event(&document.tree, is_editing, commits);
        let action = event.map(|event| match event {
            DraftEvent::Type(edit) => Action::from(SessionsAction::Type(view.data.revision, edit)),
            DraftEvent::Edit(edit) => Action::from(SessionsAction::Edit(view.data.revision, edit)),
            DraftEvent::EndTyping => Action::EndTyping,
        });
        is_settled &= action.is_none();
        // Must run before another session is selected in this frame.
        actions.splice(0..0, action);
    }
    // Not while an edit is on its way: a save would miss it.
    if is_settled && !view.drafts.has_pending() {
        actions.extend(view.deferred_commands.drain(..).map(Action::Run));
    }
}

/// Draws the text or the contract if there is room for only one of them.
fn side_ui(
    ui: &mut Ui,
    find: Option<FindRequest>,
    text: &mut SessionTextState,
    state: &mut FormState<'_>,
) {
    let props = state.props;
    let sides = [(SessionSide::Text, "Text"), (SessionSide::Contract, "Contract")];
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let action = widgets::choice(ui, &sides, props.desk.side).map(SessionsAction::ShowSide);
        state.actions.extend(action.map(Action::from));
    });
    widgets::hair_line(ui);
    match props.desk.side {
        SessionSide::Text => text_ui(ui, find, text, state),
        SessionSide::Contract => contract_ui(ui, props, state.actions),
    }
}

fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.sessions;
    // Sessions may still be found; *No sessions* would be wrong for a moment.
    if workbench.core.progress.is_some() || !desk.is_listed() {
        return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
    }
    let words =
        "A session replays an incident. It is a YAML or JSON file, or part of flakestorm.yaml.";
    incident::empty_ui(ui, "No sessions found", words, actions);
}
