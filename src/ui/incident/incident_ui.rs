//! Paints an import: the drafts on the left, the fields of one in the middle, and the resulting file on the right.

use egui::{Frame, Ui, vec2};

use super::fields_ui::fields_ui;
use super::head_ui::{filter_ui, head_ui, secrets_ui};
use super::incident_data::ImportViewState;
use super::list_ui::list_ui;
use author::import::ImportKind;
use document::text::visible;
use widgets::code::{CodeFocus, code_ui};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Segment, SidePanel, StyledText};
use workbench::{
    Action, Actions, Command, ImportAction, ImportDesk, ImportSide, ImportState, Workbench,
};

/// Width of the desk from which fields and file are side by side.
const MIN_TWO_PANE_WIDTH: f32 = 1080.0;

/// Draws the import. User input becomes an [`Action`](workbench::Action).
pub fn incident_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ImportViewState,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let desk = &workbench.import;
    view.sync_preview(desk);
    match &desk.state {
        ImportState::Ready => {}
        ImportState::Reading => {
            // In place of the header, so that nothing moves once the import is read.
            ui.add_space(theme::DESK_HEADER);
            return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        ImportState::Nothing => return empty_ui(ui, "Nothing imported yet", NO_DRAFTS, actions),
        ImportState::Failed(reason) => {
            return empty_ui(ui, "Nothing to import", &format!("{}.", visible(reason)), actions);
        }
    }
    head_ui(ui, workbench, actions);
    widgets::hair_line(ui);
    // The filter is the one that Flakestorm has for runs of LangSmith.
    if desk.incident.kind == ImportKind::LangSmith {
        filter_ui(ui, desk, actions);
        widgets::hair_line(ui);
    }
    secrets_ui(ui, desk, actions);
    widgets::hair_line(ui);
    if desk.incident.drafts.is_empty() {
        widgets::empty_state(ui, "No runs match the filter.", None);
        return;
    }
    // Before the panel is added, which takes its part of the width.
    let width = ui.available_width();
    SidePanel::left("drafts", 288.0, 240.0..=480.0).show(ui, |ui| list_ui(ui, desk, actions));
    if width >= MIN_TWO_PANE_WIDTH {
        SidePanel::right("draft file", 492.0, 320.0..=800.0).show(ui, |ui| {
            file_head_ui(ui, view);
            file_ui(ui, desk, view);
        });
        Frame::new().show(ui, |ui| fields_ui(ui, desk, view, actions));
        return;
    }
    Frame::new().show(ui, |ui| {
        side_ui(ui, desk, actions);
        match desk.side {
            ImportSide::Fields => fields_ui(ui, desk, view, actions),
            ImportSide::Text => file_ui(ui, desk, view),
        }
    });
}

const NO_DRAFTS: &str =
    "Import a report, stored runs, an archive or a log to make sessions of what failed.";

/// Draws the placeholder if there are no drafts or sessions: what they are, and buttons to import some.
pub fn empty_ui(ui: &mut Ui, title: &str, words: &str, actions: &mut Actions) {
    let commands = [Command::ImportIncident, Command::ImportFromLangSmith];
    let heading = (icons::MESSAGES_SQUARE, title);
    let index = widgets::empty_desk(ui, heading, words, &commands.map(Command::name));
    actions.extend(index.and_then(|i| commands.get(i)).copied().map(Action::Run));
}

/// Draws the choice between fields and file if there is room for only one.
fn side_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let segments = ["Fields", "File"].map(Segment::text);
        let selection = usize::from(desk.side == ImportSide::Text);
        if let Some(index) = widgets::segmented(ui, &segments, selection) {
            let side = [ImportSide::Fields, ImportSide::Text][index];
            actions.push(Action::from(ImportAction::ShowSide(side)));
        }
    });
    widgets::hair_line(ui);
}

fn file_head_ui(ui: &mut Ui, view: &mut ImportViewState) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::ROW_TWO_LINES, |ui| {
        let Some((preview, ..)) = view.text() else { return };
        let name = visible(&preview.name);
        StyledText::new()
            .with(icons::FILE_TEXT, theme::icon(theme::ICON), colors.muted)
            .after(theme::GAP, &name, theme::mono(theme::LABEL), colors.text_strong)
            .show(ui);
    });
    widgets::hair_line(ui);
}

fn file_ui(ui: &mut Ui, desk: &ImportDesk, view: &mut ImportViewState) {
    match view.text() {
        Some((_, code, state)) => code_ui(ui, code, CodeFocus::default(), state),
        None => widgets::awaited(ui, 8, theme::TEXT_LINE, desk.preview_failure()),
    }
}
