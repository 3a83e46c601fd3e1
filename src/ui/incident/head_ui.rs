//! Paints the header of an import: what is imported, the filter of runs, and the decision on all secrets.

use egui::{Align, Frame, Id, Layout, Margin, Ui};

use super::fetch_ui::status_ui;
use super::incident_data::incident_summary;
use author::import::{CHECKED_FOR, SecretChoice};
use document::text::{counted, visible};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, TextField, on_click};
use workbench::{Action, Actions, Command, ImportAction, ImportDesk, Workbench};

/// Draws the header.
pub(super) fn head_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let colors = tokens(ui);
    let desk = &workbench.import;
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons_ui(ui, desk, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let close = Button::icon_only(icons::ARROW_LEFT, "Back");
                widgets::command_button(ui, close, Command::Close, actions);
                let incident = &desk.incident;
                let name = visible(&incident.name);
                let (note, font) = (incident_summary(incident), theme::regular(theme::BODY));
                StyledText::new()
                    .with(&name, theme::semibold(theme::TITLE), colors.text_strong)
                    .after(theme::GAP, &note, font, colors.muted)
                    .show(ui);
            });
        });
    });
}

/// Draws the actions on the drafts, from right to left.
fn buttons_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let words = format!("Save {}…", counted(desk.included().len(), "session", "sessions"));
    let save = Button::primary(&words).keys_of(Command::Save).disabled(desk.blocked_reason());
    on_click(&ui.add(save), ImportAction::ShowSaving, actions);
    if desk.log.is_some() {
        let play = Button::secondary("Play it instead")
            .icon(icons::LIST_CHECKS)
            .tooltip("Show the request at the playback desk, and why no recording answered it");
        on_click(&ui.add(play), ImportAction::PlayLog, actions);
    }
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

/// Draws how many secrets there are, what was looked for, and the decision on all of them.
pub(super) fn secrets_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let count = match desk.secrets.len() {
            0 => "Nothing found".to_owned(),
            count => counted(count, "secret or personal value", "secrets or personal values"),
        };
        let (icon, tone, words) = match desk.undecided() {
            // That nothing was found is no proof that there is nothing, so it is not shown as good.
            0 if desk.secrets.is_empty() => (icons::INFO, Tone::Plain, String::new()),
            0 => (icons::CIRCLE_CHECK, Tone::Good, "all decided".to_owned()),
            count => {
                (icons::TRIANGLE_ALERT, Tone::Warning, format!("{count} to decide before saving"))
            }
        };
        widgets::tag(ui, icon, &count, tone);
        StyledText::new().with(&words, theme::regular(theme::ROW), colors.text).show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if desk.secrets.is_empty() {
                return;
            }
            let decide = |choice| Action::from(ImportAction::Decide(None, choice));
            on_click(&ui.add(Button::secondary("Keep all")), decide(SecretChoice::Keep), actions);
            let redact = Button::secondary("Redact all")
                .icon(icons::EYE_OFF)
                .command(Command::RedactSecrets, Ok(()));
            on_click(&ui.add(redact), decide(SecretChoice::Redact), actions);
        });
    });
    Frame::new().inner_margin(Margin::symmetric(16, 6)).show(ui, |ui| {
        // A label has one font, and would show backticks as they are.
        let text = format!("{CHECKED_FOR}.").replace('`', "");
        ui.label(theme::text(text, theme::regular(theme::LABEL), colors.muted));
    });
}
