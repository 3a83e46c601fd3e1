//! The form of a new seed.

use egui::{Id, Ui};

use super::seeds_data::SeedsData;
use author::seeds::typescript;
use document::text::visible;
use widgets::theme::{self, Tone};
use widgets::{Button, TextField, icons};
use workbench::{Action, Actions, FormKind, SeedForm, SeedsAction};

/// Draws the form. Typed text becomes an action immediately, so that it is kept when another desk is shown.
pub(super) fn form_ui(ui: &mut Ui, form: &SeedForm, data: &SeedsData, actions: &mut Actions) {
    // A copy, since the form belongs to the desk and changes only by an action.
    let mut new_form = form.clone();
    let (title, apply) = match &form.kind {
        FormKind::New => ("New seed", "Add seed"),
        FormKind::Replace { .. } => ("Replace with a trace key", "Replace"),
    };
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, title);
    });
    widgets::hair_line(ui);
    egui::ScrollArea::vertical().id_salt("seed form").auto_shrink([false, false]).show(ui, |ui| {
        widgets::padded_frame().show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 6.0;
            if let FormKind::Replace { key, .. } = &form.kind {
                widgets::note(ui, &format!("Replaces {}", visible(key)));
            }
            for (name, text) in [
                ("Schema", &mut new_form.schema),
                ("Model", &mut new_form.model),
                ("Job", &mut new_form.job),
                ("Round", &mut new_form.round),
            ] {
                widgets::muted(ui, name);
                let width = ui.available_width();
                let name = format!("{name} of the seed");
                let field = TextField::new(Id::unique(("seed form", &name)), &name, text);
                field.mono().show(ui, width, |_| {}, |_| {});
                ui.add_space(2.0);
            }
            widgets::muted(ui, "Response");
            let (id, name) = (Id::unique("seed form response"), "Response of the seed");
            TextField::new(id, name, &mut new_form.response).mono().show_lines(ui, 6);
            file_ui(ui, &mut new_form, data);
            if let Some(warning) = new_form.warning() {
                ui.add_space(theme::GAP);
                widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, warning, "");
            }
            ui.add_space(theme::SECTION_GAP);
            buttons_ui(ui, &new_form, apply, actions);
        });
    });
    if new_form != *form {
        // Typed text is applied before the button that was clicked.
        actions.insert(0, Action::from(SeedsAction::Edit(Some(new_form))));
    }
}

fn file_ui(ui: &mut Ui, form: &mut SeedForm, data: &SeedsData) {
    let path = |doc| data.files.iter().find(|(id, _)| *id == doc).map(|(_, path)| path.as_str());
    // A seed that is replaced stays in its file.
    if form.kind != FormKind::New {
        return;
    }
    ui.add_space(2.0);
    widgets::muted(ui, "File");
    let file_label = form.file.and_then(path).unwrap_or("none");
    let width = ui.available_width();
    let button = Button::secondary(file_label)
        .icon(icons::FILE_BRACES)
        .trailing(icons::CHEVRON_DOWN)
        .width(width);
    let response = ui.add(button.tooltip("Choose the file for the seed"));
    widgets::menu(&response, |ui| {
        for (doc, path) in &data.files {
            if widgets::menu_action(ui, icons::FILE_BRACES, path, None) {
                form.file = Some(*doc);
            }
        }
        if data.files.is_empty() {
            widgets::menu_heading(ui, "No seed file is open");
        }
    });
}

fn buttons_ui(ui: &mut Ui, form: &SeedForm, apply: &str, actions: &mut Actions) {
    let fault = form.fault();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(theme::GAP, theme::GAP);
        let response = ui.add(Button::primary(apply).disabled(fault));
        widgets::on_click(&response, SeedsAction::Apply, actions);
        widgets::on_click(&ui.add(Button::secondary("Cancel")), SeedsAction::Edit(None), actions);
        if ui.add(Button::ghost("Copy as TypeScript").icon(icons::FILE_CODE)).clicked()
            && let Some(seed) = form.seed()
        {
            actions.push(Action::Copy(typescript(&[seed])));
        }
    });
    if let Some(fault) = fault {
        widgets::note(ui, &format!("{fault}."));
    }
}
