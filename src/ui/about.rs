//! The dialog *About Retake*: the version, what the program does not do, and the notices of what it contains.

use std::sync::LazyLock;

use egui::{Id, ScrollArea, Ui};

use widgets::dialog::{DialogHead, body_height, close_at_right, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, icon_link, icons, paint_mark};
use workbench::{Action, Actions};

/// The licences of all libraries and fonts, which have to be passed on with the program.
static NOTICES: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../../assets/package/notices.txt").lines().collect());

/// Draws the dialog over the desk.
pub(super) fn about_ui(ui: &mut Ui, actions: &mut Actions) {
    let title = format!("Retake {}", document::program::version());
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let head = DialogHead {
        icon: icons::INFO,
        title: &title,
        detail: "Inspect, compare and curate recordings of language-model agents.",
    };
    let shows_licenses = Id::unique("licenses are shown");
    let body = |ui: &mut Ui, _: &mut Actions| {
        let (mark, _) = widgets::allocate_row(ui, 48.0, egui::Sense::hover());
        paint_mark(ui, mark.left_top());
        for (name, text) in [
            (
                "Privacy",
                "No telemetry: nothing is sent unless you start an import, the recorder or the server.",
            ),
            ("License", "MIT or Apache-2.0, at your option"),
            ("System", &system),
            ("Project", document::program::REPOSITORY),
        ] {
            FormField::fixed(name, text).show(ui, Id::unique(name));
        }
        ui.add_space(theme::GAP);
        let is_shown = ui.data(|data| data.get_temp(shows_licenses)).unwrap_or(false);
        let icon = if is_shown { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
        if icon_link(ui, icon, "Licenses of libraries and fonts").clicked() {
            ui.data_mut(|data| data.insert_temp(shows_licenses, !is_shown));
        }
        ui.add_space(theme::GAP);
        if is_shown {
            licenses_ui(ui);
            ui.add_space(theme::GAP);
        }
    };
    dialog(ui, "about", head, actions, body, |ui, actions| {
        if ui.add(Button::secondary("Copy version").icon(icons::COPY)).clicked() {
            actions.push(Action::Copy(format!("{title}, {system}")));
        }
        close_at_right(ui, "Close", actions);
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
        // 240 points are the mark and the rows above.
        .max_height((body_height(ui) - 240.0).max(80.0));
    area.show_rows(ui, line_height, NOTICES.len(), |ui, range| {
        for text in &NOTICES[range] {
            ui.add(egui::Label::new(theme::text(*text, font.clone(), color)).extend());
        }
    });
}
