//! Paints what is imported, the filter of runs, and the line that writes the sessions.

use egui::{Align, Frame, Id, Layout, Margin, Panel, Ui};

use super::fetch_ui::status_ui;
use super::incident_data::incident_summary;
use document::Severity;
use document::text::counted;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Headline, StyledText, TextField};
use workbench::{Action, Actions, Command, ImportAction, ImportDesk};

/// Height of the line at the foot.
const FOOT_HEIGHT: f32 = 56.0;

/// Draws the first line.
pub(super) fn head_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let (kind, rest) = incident_summary(&desk.incident);
    let play = desk.log.is_some().then(|| {
        Button::secondary("Play it instead")
            .icon(icons::LIST_CHECKS)
            .tooltip("Show the request at the playback desk, and why no recording answered it")
    });
    let headline = Headline::new(Severity::Note, kind, &rest);
    if headline.icon(icons::CLIPBOARD_PASTE, Tone::Plain).show(ui, play) {
        actions.push(Action::from(ImportAction::PlayLog));
    }
}

/// Draws what is written, or what has to be decided first.
pub(super) fn foot_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let colors = tokens(ui);
    let frame = Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 0));
    let panel = Panel::bottom("write sessions").exact_size(FOOT_HEIGHT).resizable(false);
    let foot = panel.frame(frame.fill(colors.panel)).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
            let words = format!("Save {}…", counted(desk.included().len(), "session", "sessions"));
            let reason = desk.blocked_reason();
            let save = Button::primary(&words).keys_of(Command::SaveSessions).disabled(reason);
            widgets::command_button(ui, save, Command::SaveSessions, actions);
            let open = desk.undecided();
            if open > 0 {
                let words = format!("Decide {} first", counted(open, "value", "values"));
                StyledText::new().with(&words, theme::regular(theme::ROW), colors.warning).show(ui);
            }
            let cancel = Button::ghost("Cancel").keys_of(Command::Close).show_keys();
            widgets::command_button(ui, cancel, Command::Close, actions);
        });
    });
    widgets::keep_clear(ui, foot.response.rect);
}

/// Draws the filter of runs.
pub(super) fn filter_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
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
