//! The dialog *About Retake*: the version, what the program does not do, and the notices of what it contains.

use std::sync::LazyLock;

use egui::{Align, Layout, ScrollArea, Ui};

use widgets::dialog::{DialogHead, body_height, default_button, dialog, row, small_text};
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons, on_click};
use workbench::{Action, Actions};

/// The licences of all libraries and fonts, which have to be passed on with the program.
static NOTICES: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../../assets/package/notices.txt").lines().collect());

/// Draws the dialog over the desk.
pub(super) fn about_ui(ui: &mut Ui, actions: &mut Actions) {
    let title = format!("Retake {}", document::program::version());
    let head = DialogHead {
        icon: icons::INFO,
        title: &title,
        detail: "Inspect, compare and curate recordings of language-model agents.",
    };
    let body = |ui: &mut Ui, _: &mut Actions| {
        for (name, text) in [
            (
                "Privacy",
                "No telemetry: nothing is sent unless you start an import, the recorder or the server.",
            ),
            ("License", "MIT or Apache-2.0, at your option"),
            ("System", &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
            ("Project", document::program::REPOSITORY),
        ] {
            row(ui, name, |ui| {
                StyledText::new().with(text, theme::regular(theme::BODY), tokens(ui).text).show(ui);
            });
        }
        ui.add_space(theme::GAP);
        small_text(ui, "Libraries and fonts, with their licenses");
        ui.add_space(theme::GAP / 2.0);
        licenses_ui(ui);
        ui.add_space(theme::GAP);
    };
    dialog(ui, "about", head, actions, body, |ui, actions| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::primary("Close").keys(vec!["Esc".to_owned()]);
            on_click(&default_button(ui, close.show_keys()), Action::SetOverlay(None), actions);
            if ui.add(Button::secondary("Copy version").icon(icons::COPY)).clicked() {
                ui.ctx().copy_text(format!("{title}, {}", std::env::consts::OS));
            }
        });
    });
}

/// Draws the notices. Only the visible lines are laid out.
fn licenses_ui(ui: &mut Ui) {
    let font = theme::mono(theme::LABEL);
    let color = tokens(ui).muted;
    let line_height = ui.fonts_mut(|fonts| fonts.row_height(&font));
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = ScrollArea::both()
        .id_salt("notices")
        .auto_shrink(false)
        // 200 points are the rows above with their headings.
        .max_height((body_height(ui) - 200.0).max(80.0));
    area.show_rows(ui, line_height, NOTICES.len(), |ui, range| {
        for text in &NOTICES[range] {
            ui.add(egui::Label::new(theme::text(*text, font.clone(), color)).extend());
        }
    });
}
