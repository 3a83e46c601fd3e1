//! Paints the sessions desk: the form, and beside it the contract or the text.

use egui::{Frame, Ui, vec2};

use super::contract::{ContractView, contract_ui};
use super::form_state::{FormState, SessionProps};
use super::form_ui::form_ui;
use super::head_ui::head_ui;
use super::sessions_data::SessionData;
use super::text_ui::{SessionTextState, text_ui};
use crate::incident;
use widgets::SidePanel;
use widgets::theme::{self, tokens};
use workbench::{
    Action, Actions, Command, FindRequest, FormCursor, Panel as WhatIsOpen, SessionState,
    SessionsAction, Workbench,
};

/// Width of the contract.
const CONTRACT_WIDTH: f32 = 400.0;
/// Width of the text, in which a line of about eighty characters fits.
const TEXT_WIDTH: f32 = 680.0;
/// Width that remains for the form beside either.
const MIN_FORM_WIDTH: f32 = 420.0;

/// State of the desk that is kept between frames.
#[derive(Default)]
pub struct SessionsView {
    /// A request of a command to the find bar of the text.
    pub find: Option<FindRequest>,
    /// State of the contract dialogs.
    pub contract: ContractView,
    data: SessionData,
    text: SessionTextState,
    dragged: Option<usize>,
    /// The cursor of the last frame, and the panel that was open there.
    last_cursor: (Option<FormCursor>, Option<WhatIsOpen>),
    /// The field to focus once it is painted.
    focus_request: Option<String>,
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

/// Draws the form, and the contract or the text beside it.
fn session_ui(ui: &mut Ui, workbench: &Workbench, view: &mut SessionsView, actions: &mut Actions) {
    let desk = &workbench.sessions;
    if let Some(pointer) = desk.focus.as_deref() {
        view.focus_request = Some(pointer.to_owned());
        // The request was taken over; without this it would return in every frame.
        actions.push(Action::from(SessionsAction::Focused));
    }
    let cursor = (desk.cursor, desk.panel());
    let mut is_opened = cursor.1.is_some() && view.last_cursor.1 != cursor.1;
    view.last_cursor = cursor;
    let props = SessionProps {
        desk,
        library: &workbench.core.library,
        data: &view.data,
        can_save: Command::Save.enabled(workbench),
        has_reported_unnamed_tool: desk.has_reported_unnamed_tool(&workbench.core),
        has_original_response: desk.original_response(&workbench.core).is_some(),
        look: desk.report().map(|report| &**report),
        can_add: Command::AddToConfig.enabled(workbench),
    };
    let mut state = FormState {
        props,
        dragged: &mut view.dragged,
        focus_request: &mut view.focus_request,
        has_opened_panel: &mut is_opened,
        focused: None,
        actions,
    };
    // Taken even if the text is hidden: the request is for what is shown now.
    let find = view.find.take();
    let room = (ui.available_width() - MIN_FORM_WIDTH).max(240.0);
    if desk.shows_text {
        let panel = SidePanel::right("session text", TEXT_WIDTH.min(room), 240.0..=960.0);
        panel.fill(tokens(ui).desk).show(ui, |ui| text_ui(ui, find, &mut view.text, &mut state));
    } else {
        let panel = SidePanel::right("session contract", CONTRACT_WIDTH.min(room), 240.0..=560.0);
        panel.show(ui, |ui| contract_ui(ui, props, state.actions));
    }
    Frame::new().show(ui, |ui| {
        head_ui(ui, props, state.actions);
        widgets::hair_line(ui);
        form_ui(ui, &mut state);
    });
    if state.focused != desk.drafts.focused {
        let focused = state.focused.take();
        // First: what the user did then is after the field was left.
        state.actions.insert(0, Action::from(SessionsAction::Focus(focused)));
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
