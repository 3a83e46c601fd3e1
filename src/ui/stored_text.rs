//! The dialogs that show the log and the report of a crash.

use egui::{Id, ScrollArea, TextEdit, Ui};

use author::stored_text::StoredText;
use document::text::visible;
use widgets::dialog::{DialogHead, body_height, close_at_right, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, Workbench};

/// Draws the latest lines of the log over the desk, the last one at the bottom.
pub fn log_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let head = DialogHead {
        icon: icons::FILE_TEXT,
        title: "Log",
        detail: "The latest lines. The log stays on this computer; Retake sends it nowhere.",
    };
    stored_text_ui(ui, head, workbench.core.log.as_ref(), "No log is written.", actions);
}

/// Draws the report of the last crash over the desk.
pub fn crash_report_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let head = DialogHead {
        icon: icons::TRIANGLE_ALERT,
        title: "Crash report",
        detail: "Nothing was sent: copy the text to report the crash, and read it first.",
    };
    stored_text_ui(ui, head, workbench.core.crash_report.as_ref(), "The report is empty.", actions);
}

fn stored_text_ui(
    ui: &mut Ui,
    head: DialogHead<'_>,
    stored_text: Option<&StoredText>,
    empty_sentence: &str,
    actions: &mut Actions,
) {
    let body = |ui: &mut Ui, _: &mut Actions| {
        let Some(stored_text) = stored_text else { return };
        let tokens = tokens(ui);
        let muted_text = |ui: &mut Ui, text: &str| {
            widgets::small(ui, text);
            ui.add_space(theme::GAP);
        };
        if stored_text.text.is_empty() {
            return muted_text(ui, empty_sentence);
        }
        muted_text(ui, &visible(&stored_text.path.to_string_lossy()));
        let area = ScrollArea::vertical()
            .id_salt(head.title)
            .max_height((body_height(ui) - 2.0 * theme::ROW - theme::GAP).max(40.0))
            // The latest lines of a log are the ones to read; a report is read from its start.
            .stick_to_bottom(head.title == "Log");
        area.show(ui, |ui| {
            // egui edits no `&str`, so the field can be selected and copied, but not changed.
            let mut content = stored_text.text.as_str();
            let text = TextEdit::multiline(&mut content)
                .id(Id::unique(("stored text", head.title)))
                .font(theme::mono(theme::LABEL))
                .text_color(tokens.text)
                .frame(egui::Frame::NONE)
                .desired_width(f32::INFINITY);
            ui.add(text).accessible_name(head.title);
        });
    };
    dialog(ui, "stored text", head, actions, body, |ui, actions| {
        let text = stored_text.map(|t| t.text.as_str()).unwrap_or_default();
        let copy = Button::secondary("Copy").icon(icons::COPY);
        if ui.add_enabled(!text.is_empty(), copy).clicked() {
            actions.push(Action::Copy(text.to_owned()));
        }
        let path = stored_text.map(|t| t.path.to_string_lossy().into_owned());
        let copy = Button::secondary("Copy path").icon(icons::COPY);
        if ui.add_enabled(!text.is_empty(), copy).clicked() {
            actions.extend(path.map(Action::Copy));
        }
        close_at_right(ui, "Close", actions);
    });
}
