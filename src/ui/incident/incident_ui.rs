//! Paints an import: the drafts with their calls on the left, the personal data in the middle, and the resulting file on the right.

use egui::{Frame, Id, Panel, Ui, vec2};

use super::fetch_ui::status_ui;
use super::fixture_ui::{chooser_ui, form_ui, range_words, target_noun};
use super::incident_data::{ImportView, incident_summary};
use super::list_ui::{calls_ui, list_ui, strip_ui};
use super::personal_data_ui::personal_data_ui;
use author::fixture::FixtureTarget;
use author::import::{ImportKind, RunFilter};
use document::Severity;
use document::text::{counted, visible};
use widgets::code::{CodeFocus, code_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Headline, Segment, SidePanel, StyledText, TextField, icons};
use workbench::{Action, Actions, Command, ImportAction, ImportDesk, ImportSide, ImportState};

/// Width of the desk from which drafts, personal data and file are side by side.
const MIN_THREE_PANE_WIDTH: f32 = 1160.0;
/// Widths of the drafts with their calls, and of the file.
const DRAFTS_WIDTH: f32 = 432.0;
const FILE_WIDTH: f32 = 480.0;

/// Draws the import. User input becomes an [`Action`](workbench::Action).
pub fn incident_ui(ui: &mut Ui, desk: &ImportDesk, view: &mut ImportView, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    view.sync_preview(desk);
    match &desk.state {
        ImportState::Ready => {}
        ImportState::Reading => {
            // In place of the header, so that nothing moves once the import is read.
            ui.add_space(theme::DESK_HEADER);
            return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        ImportState::Nothing => return empty_ui(ui, "Nothing imported yet", NO_DRAFTS, actions),
        ImportState::Failed(_) if desk.is_plain_text => {
            let heading = (icons::FILE_TEXT, "Text without model calls");
            let words = "It can be the input of a session, whose answers you add.";
            let used = widgets::empty_desk(ui, heading, words, &["Use as input of a session"]);
            return actions.extend(used.map(|_| Action::from(ImportAction::UseText)));
        }
        ImportState::Failed(reason) => {
            return empty_ui(ui, "Nothing to import", &format!("{}.", visible(reason)), actions);
        }
    }
    head_ui(ui, desk, actions);
    foot_ui(ui, desk, actions);
    // The filter is the one that Flakestorm has for runs of LangSmith. One run alone needs none.
    let is_filtered = desk.filter != RunFilter::default();
    let has_filter = (desk.incident.drafts.len() > 1 || is_filtered) && !desk.makes_fixture();
    if desk.incident.kind == ImportKind::LangSmith && has_filter {
        filter_ui(ui, desk, actions);
        widgets::hair_line(ui);
    }
    if desk.incident.drafts.is_empty() && !desk.makes_fixture() {
        widgets::empty_state(ui, "No runs match the filter.", None);
        return;
    }
    strip_ui(ui, desk, actions);
    // Before the panels are added, which take their parts of the width.
    let width = ui.available_width();
    let is_wide = width >= MIN_THREE_PANE_WIDTH;
    let left = if is_wide { DRAFTS_WIDTH } else { width * 0.4 };
    SidePanel::left("import drafts", left, 240.0..=560.0).show(ui, |ui| {
        if !desk.makes_fixture() {
            list_ui(ui, desk, actions);
        }
        calls_ui(ui, desk, actions);
    });
    if is_wide {
        SidePanel::right("import file", FILE_WIDTH, 320.0..=800.0).show(ui, |ui| {
            form_ui(ui, desk, actions);
            file_head_ui(ui, view);
            file_ui(ui, desk, view);
        });
    }
    Frame::new().show(ui, |ui| {
        if !is_wide {
            form_ui(ui, desk, actions);
            side_ui(ui, desk, actions);
        }
        match desk.side {
            ImportSide::Text if !is_wide => file_ui(ui, desk, view),
            _ => {
                notes_ui(ui, desk, view);
                personal_data_ui(ui, desk, actions);
            }
        }
    });
}

/// Draws what did not fit into the session, or what the fixture assumes.
fn notes_ui(ui: &mut Ui, desk: &ImportDesk, view: &mut ImportView) {
    let notes: Vec<&String> = if desk.makes_fixture() {
        view.text().into_iter().flat_map(|(preview, ..)| &preview.fixture.fixture.notes).collect()
    } else {
        let draft = desk.incident.drafts.get(desk.selected);
        draft.into_iter().flat_map(|draft| &draft.notes).collect()
    };
    if notes.is_empty() {
        return;
    }
    let heading = format!("{} to check", counted(notes.len(), "thing", "things"));
    let body: Vec<String> = notes.iter().take(3).map(|note| format!("{note}.")).collect();
    widgets::banner(ui, Tone::Note, icons::INFO, &heading, &visible(&body.join(" ")));
}

const NO_DRAFTS: &str =
    "Import a report, stored runs, an archive or a log to make sessions of what failed.";

/// Draws the placeholder if there are no drafts or sessions: what they are, and buttons to import some.
pub fn empty_ui(ui: &mut Ui, title: &str, words: &str, actions: &mut Actions) {
    let commands = [Command::ImportIncident, Command::ImportFromLangSmith];
    let heading = (icons::MESSAGES_SQUARE, title);
    widgets::empty_desk_commands(ui, heading, words, &commands, actions);
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

fn file_head_ui(ui: &mut Ui, view: &mut ImportView) {
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

fn file_ui(ui: &mut Ui, desk: &ImportDesk, view: &mut ImportView) {
    match view.text() {
        Some((_, code, state)) => code_ui(ui, code, CodeFocus::default(), state),
        None => widgets::awaited(ui, 8, theme::TEXT_LINE, desk.preview_failure()),
    }
}

/// Height of the line at the foot.
const FOOT_HEIGHT: f32 = 56.0;

/// Draws the first line.
fn head_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let (kind, rest) = incident_summary(desk);
    let play = desk.log.is_some().then(|| {
        Button::secondary("Play it instead")
            .icon(icons::LIST_CHECKS)
            .tooltip("Show the request at the playback desk, and why no recording answered it")
    });
    let headline = Headline::new(Severity::Note, kind, &rest);
    headline.icon(icons::CLIPBOARD_PASTE, Tone::Plain).show_with(ui, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        if !desk.calls.rows.is_empty() {
            chooser_ui(ui, desk, actions);
        }
        if let Some(play) = play {
            widgets::on_click(&ui.add(play), ImportAction::PlayLog, actions);
        }
    });
}

/// Draws what is written, or what has to be decided first.
fn foot_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let frame = Frame::new().fill(tokens(ui).panel);
    let panel = Panel::bottom("write sessions").exact_size(FOOT_HEIGHT).resizable(false);
    let foot = panel.frame(frame).show(ui, |ui| {
        let right = |ui: &mut Ui, actions: &mut Actions| foot_buttons_ui(ui, desk, actions);
        widgets::split_row(ui, FOOT_HEIGHT, actions, right, |ui, _| {
            if desk.makes_fixture() {
                widgets::muted(ui, &range_words(desk));
            }
        });
    });
    widgets::keep_clear(ui, foot.response.rect);
}

fn foot_buttons_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
    let words = match desk.fixture.target {
        FixtureTarget::Session => {
            format!("Save {}…", counted(desk.included().len(), "session", "sessions"))
        }
        target => format!("Write the {}", target_noun(target)),
    };
    let reason = desk.blocked_reason();
    let save = Button::primary(&words).keys_of(Command::SaveSessions).show_keys().disabled(reason);
    widgets::command_button(ui, save, Command::SaveSessions, actions);
    let open = desk.undecided();
    if open > 0 {
        let words = format!("Decide {} first", counted(open, "value", "values"));
        let color = tokens(ui).warning;
        StyledText::new().with(&words, theme::regular(theme::ROW), color).show(ui);
    }
    let cancel = Button::ghost("Cancel").keys_of(Command::Close).show_keys();
    widgets::command_button(ui, cancel, Command::Close, actions);
}

/// Draws the filter of runs.
fn filter_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let mut filter = desk.filter.clone();
    let is_narrow = ui.available_width() < 900.0;
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        status_ui(ui, &mut filter.status);
        let width = if is_narrow { 104.0 } else { 136.0 };
        for (name, hint, text) in [
            ("Runs since", "since, last_7_days", &mut filter.since),
            ("Runs until", "until", &mut filter.until),
            ("Minimum duration, ms", "from ms", &mut filter.least),
            ("Maximum duration, ms", "to ms", &mut filter.most),
        ] {
            let field = TextField::new(Id::unique(("run filter", name)), name, text);
            let width = if hint.ends_with("ms") { 76.0 } else { width };
            // The response adds nothing: changes of all fields are found by the comparison below.
            let _ = field.hint(hint).show(ui, width, |_| {}, |_| {});
        }
        if !filter.is_understood() {
            let words = "A date, last_7_days, or milliseconds";
            StyledText::new().with(words, theme::regular(theme::ROW), tokens(ui).warning).show(ui);
        }
    });
    if filter != desk.filter {
        actions.push(Action::from(ImportAction::Filter(filter)));
    }
}
