//! Paints the dialog of unsaved documents.

use egui::{Align, Frame, Layout, Margin, RichText, Ui, vec2};

use super::changes::{ChangeFolds, file_ui};
use super::unsaved_data::{UnsavedData, UnsavedEntry, UnsavedFault};
use widgets::dialog::{DialogHead, close_button, default_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command};

/// Draws the dialog over the desk.
pub fn unsaved_ui(ui: &mut Ui, data: &mut UnsavedData, actions: &mut Actions) {
    let head = DialogHead { icon: icons::CIRCLE_DOT, title: data.title, detail: &data.detail };
    let (entries, folds) = (&data.entries, &mut data.folds);
    let (files, is_leaving) = (&data.files, data.is_leaving);
    let body = |ui: &mut Ui, actions: &mut Actions| {
        entries.iter().for_each(|entry| entry_ui(ui, entry, actions, folds));
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "unsaved", head, actions, body, |ui, actions| {
        foot_ui(ui, (files, is_leaving), actions);
    });
}

fn foot_ui(ui: &mut Ui, (files, is_leaving): (&str, bool), actions: &mut Actions) {
    // Only on the way out: elsewhere, files are reverted one by one, where undo still works.
    if is_leaving {
        let words = format!("Discard {files}");
        let response = ui.add(Button::secondary(&words).icon(icons::TRASH_2));
        widgets::on_click(&response, Action::Discard, actions);
        widgets::muted(ui, "discards these edits permanently");
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let save = Button::primary("Save all").icon(icons::SAVE).enter();
        widgets::on_click(&default_button(ui, save), Action::Run(Command::SaveAll), actions);
        close_button(ui, if is_leaving { "Cancel" } else { "Close" }, actions);
    });
}

fn entry_ui(ui: &mut Ui, entry: &UnsavedEntry, actions: &mut Actions, folds: &mut ChangeFolds) {
    let UnsavedEntry { file, edits, change_on_disk, fault } = entry;
    let tools = |ui: &mut Ui, actions: &mut Actions| {
        let response = widgets::icon_button(ui, icons::UNDO_2, &format!("Revert {}", file.name));
        widgets::on_click(&response, Action::Revert(file.doc), actions);
        let response = ui.add(Button::ghost("Save as…").tooltip("Writes it to another file"));
        widgets::on_click(&response, Action::SaveAs(file.doc), actions);
    };
    let notes = |ui: &mut Ui| {
        if let Some(change) = change_on_disk {
            widgets::tag(ui, icons::REFRESH_CW, change, Tone::Note);
        }
        let role = (theme::regular(theme::ROW), tokens(ui).text);
        StyledText::of(edits, role).show(ui);
    };
    file_ui(ui, file, folds, actions, tools, notes, |ui, actions| {
        if let Some(fault) = fault {
            fault_ui(ui, fault, actions);
        }
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
