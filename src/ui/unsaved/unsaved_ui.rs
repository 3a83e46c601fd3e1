//! Paints the dialog of unsaved documents.

use egui::{Align, Frame, Layout, Margin, RichText, Ui, vec2};

use super::changes::{FoldRequest, changes_ui, file_row};
use super::unsaved_data::{UnsavedData, UnsavedEntry, UnsavedFault};
use widgets::dialog::{DialogHead, close_button, default_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command};

/// Draws the dialog over the desk.
pub fn unsaved_ui(ui: &mut Ui, data: &mut UnsavedData, actions: &mut Actions) {
    let head = DialogHead { icon: icons::CIRCLE_DOT, title: data.title, detail: &data.detail };
    let mut requests = Vec::new();
    let body = |ui: &mut Ui, actions: &mut Actions| {
        for entry in &data.entries {
            ui.push_id(entry.doc, |ui| entry_ui(ui, entry, actions, &mut requests));
        }
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "unsaved", head, actions, body, |ui, actions| foot_ui(ui, data, actions));
    // After the dialog, whose body borrows the data.
    for request in requests {
        data.folds.apply(request);
    }
}

fn foot_ui(ui: &mut Ui, data: &UnsavedData, actions: &mut Actions) {
    // Only on the way out: elsewhere, files are reverted one by one, where undo still works.
    if data.is_leaving {
        let words = format!("Discard {}", data.files);
        let response = ui.add(Button::secondary(&words).icon(icons::TRASH_2));
        widgets::on_click(&response, Action::Discard, actions);
        StyledText::new()
            .with("discards these edits permanently", theme::regular(theme::ROW), tokens(ui).muted)
            .show(ui);
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let save = Button::primary("Save all")
            .icon(icons::SAVE)
            .keys(vec!["Enter".to_owned()])
            .show_keys();
        widgets::on_click(&default_button(ui, save), Action::Run(Command::SaveAll), actions);
        close_button(ui, if data.is_leaving { "Cancel" } else { "Close" }, actions);
    });
}

fn entry_ui(ui: &mut Ui, file: &UnsavedEntry, actions: &mut Actions, folds: &mut Vec<FoldRequest>) {
    row_ui(ui, file, actions, folds);
    if !file.is_open {
        return;
    }
    changes_ui(ui, file.doc, (file.sheet.as_ref(), file.more), actions, folds, |ui, actions| {
        if let Some(fault) = &file.fault {
            fault_ui(ui, fault, actions);
        }
    });
}

fn row_ui(ui: &mut Ui, entry: &UnsavedEntry, actions: &mut Actions, folds: &mut Vec<FoldRequest>) {
    let color = tokens(ui).text;
    let document = (entry.doc, entry.kind);
    let path = (&*entry.folder, &*entry.name);
    let tools = |ui: &mut Ui| {
        let response = widgets::icon_button(ui, icons::UNDO_2, &format!("Revert {}", entry.name));
        widgets::on_click(&response, Action::Revert(entry.doc), actions);
        let response = ui.add(Button::ghost("Save as…").tooltip("Writes it to another file"));
        widgets::on_click(&response, Action::SaveAs(entry.doc), actions);
    };
    file_row(ui, document, path, entry.is_open, folds, tools, |ui| {
        if let Some(change) = entry.change_on_disk {
            widgets::tag(ui, icons::REFRESH_CW, change, Tone::Note);
        }
        StyledText::new().with(&entry.edits, theme::regular(theme::ROW), color).show(ui);
    });
}

fn fault_ui(ui: &mut Ui, fault: &UnsavedFault, actions: &mut Actions) {
    let tokens = tokens(ui);
    Frame::new().inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 2.0);
            let text = RichText::new(&fault.text).font(theme::regular(theme::ROW));
            ui.label(RichText::new(icons::INFO).color(tokens.note));
            ui.label(text.color(tokens.note));
            for (words, action) in &fault.actions {
                widgets::on_click(&widgets::link(ui, words), action.clone(), actions);
            }
        });
    });
}
