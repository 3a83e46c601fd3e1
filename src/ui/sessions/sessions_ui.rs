//! Paints the sessions desk: the list, the form, the text beside it, and the contract.

use egui::{Frame, Margin, Panel, Sense, Ui, vec2};

use super::contract_ui::contract_ui;
use super::data::SessionData;
use super::head_ui::head_ui;
use super::list_ui::list_ui;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::workbench::{Action, Command, FindWish, Library, SessionShown, SessionsDesk, Workbench};

/// What the desk keeps to itself between frames.
#[derive(Default)]
pub struct SessionsView {
    /// What a command asks of the text.
    pub find: Option<FindWish>,
    data: SessionData,
}

/// What is painted of a session.
#[derive(Clone, Copy)]
pub(super) struct Shows<'a> {
    pub(super) desk: &'a SessionsDesk,
    pub(super) library: &'a Library,
    pub(super) data: &'a SessionData,
    /// Whether it can be saved; if not, why.
    pub(super) can_save: Result<(), &'static str>,
}

/// Draws the desk. Every wish of the user becomes an [`Action`].
pub fn sessions_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut SessionsView,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let (desk, library) = (workbench.sessions_desk(), workbench.library());
    view.data.update(workbench);
    if desk.sessions().is_empty() && desk.selected().is_none() {
        return empty_ui(ui, workbench, actions);
    }
    if desk.list() {
        Panel::left("sessions")
            .exact_size(176.0)
            .resizable(false)
            .frame(Frame::new().fill(tokens(ui).panel))
            .show(ui, |ui| list_ui(ui, desk, library, actions));
    }
    let shows = Shows {
        desk,
        library,
        data: &view.data,
        can_save: workbench.can_run(Command::Save),
    };
    match workbench.session_shown() {
        SessionShown::Ready(..) => {
            Panel::right("contract")
                .exact_size(300.0)
                .resizable(false)
                .frame(Frame::new().fill(tokens(ui).panel))
                .show(ui, |ui| contract_ui(ui, shows));
            Frame::new().show(ui, |ui| head_ui(ui, shows, actions));
        }
        SessionShown::Failed(reason) => {
            widgets::empty_state(ui, &format!("{reason}."), None);
        }
        SessionShown::Reading => {
            ui.add_space(theme::DESK_HEADER);
            widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        SessionShown::Nothing => {
            widgets::empty_state(ui, "Choose a session.", None);
        }
    }
}

fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let desk = workbench.sessions_desk();
    if workbench.reading().is_some() || !desk.is_listed() {
        widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        return;
    }
    let words = "No sessions here. A session is an incident to be played again, in a YAML or JSON file or in flakestorm.yaml.";
    if widgets::empty_state(ui, words, Some(Command::ImportIncident.name())) {
        actions.push(Action::Run(Command::ImportIncident));
    }
}

/// A row of tools with the padding of its region.
pub(super) fn strip(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    widgets::place_left(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        content(ui);
    });
}

/// Content with the padding of its region.
pub(super) fn inset() -> Frame {
    Frame::new().inner_margin(Margin::symmetric(16, 12))
}
