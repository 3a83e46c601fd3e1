//! Paints an import: the drafts with their calls on the left, the personal data in the middle, and the resulting file on the right.

use egui::{Frame, Ui, vec2};

use super::calls_ui::{calls_ui, strip_ui};
use super::head_ui::{filter_ui, foot_ui, head_ui};
use super::incident_data::ImportViewState;
use super::list_ui::list_ui;
use super::personal_data_ui::personal_data_ui;
use author::import::ImportKind;
use document::text::{counted, visible};
use widgets::code::{CodeFocus, code_ui};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Segment, SidePanel, StyledText};
use workbench::{
    Action, Actions, Command, ImportAction, ImportDesk, ImportSide, ImportState, Workbench,
};

/// Width of the desk from which drafts, personal data and file are side by side.
const MIN_THREE_PANE_WIDTH: f32 = 1160.0;
/// Widths of the drafts with their calls, and of the file.
const DRAFTS_WIDTH: f32 = 432.0;
const FILE_WIDTH: f32 = 480.0;

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
    head_ui(ui, desk, actions);
    foot_ui(ui, desk, actions);
    // The filter is the one that Flakestorm has for runs of LangSmith.
    if desk.incident.kind == ImportKind::LangSmith {
        filter_ui(ui, desk, actions);
        widgets::hair_line(ui);
    }
    if desk.incident.drafts.is_empty() {
        widgets::empty_state(ui, "No runs match the filter.", None);
        return;
    }
    strip_ui(ui, desk, actions);
    // Before the panels are added, which take their parts of the width.
    let width = ui.available_width();
    let is_wide = width >= MIN_THREE_PANE_WIDTH;
    let left = if is_wide { DRAFTS_WIDTH } else { width * 0.4 };
    SidePanel::left("import drafts", left, 240.0..=560.0).show(ui, |ui| {
        list_ui(ui, desk, actions);
        calls_ui(ui, desk, actions);
    });
    if is_wide {
        SidePanel::right("import file", FILE_WIDTH, 320.0..=800.0).show(ui, |ui| {
            file_head_ui(ui, view);
            file_ui(ui, desk, view);
        });
    }
    Frame::new().show(ui, |ui| {
        if !is_wide {
            side_ui(ui, desk, actions);
        }
        match desk.side {
            ImportSide::Text if !is_wide => file_ui(ui, desk, view),
            _ => {
                notes_ui(ui, desk);
                personal_data_ui(ui, desk, actions);
            }
        }
    });
}

/// Draws what did not fit into the session.
fn notes_ui(ui: &mut Ui, desk: &ImportDesk) {
    let draft = desk.incident.drafts.get(desk.selected);
    let Some(draft) = draft.filter(|draft| !draft.notes.is_empty()) else { return };
    let heading = format!("{} to check", counted(draft.notes.len(), "thing", "things"));
    let body: Vec<String> = draft.notes.iter().take(3).map(|note| format!("{note}.")).collect();
    widgets::banner(ui, Tone::Note, icons::INFO, &heading, &visible(&body.join(" ")));
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
        let segments = ["Personal data", "File"].map(Segment::text);
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
