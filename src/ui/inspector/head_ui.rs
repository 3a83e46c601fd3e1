//! Paints the header of the inspector: name, status, unsaved edits, and the menu of the file.

use egui::{Align, Label, Layout, Role, Sense, Ui, UiBuilder, WidgetInfo};

use super::inspector_data::{InspectorContent, InspectorData};
use super::{paint, turn_ui};
use calls::ItemStatus;
use document::FileKind;
use document::text::counted;
use protocol::Desk;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, on_click};
use workbench::{
    Action, Actions, Command, InspectorPlacement, LiveAction, QueueAction, TapesAction,
};

/// Draws the name, the status and the buttons.
pub(super) fn head_ui(
    ui: &mut Ui,
    data: &InspectorData,
    room: InspectorPlacement,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let builder = UiBuilder::new().max_rect(rect).layout(Layout::right_to_left(Align::Center));
    ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_space(10.0);
        widgets::close_button(ui, room, "Close inspector", actions);
        let menu_button = widgets::icon_button(ui, icons::ELLIPSIS, "More");
        widgets::menu(&menu_button, |ui| menu_ui(ui, data, actions));
        desk_ui(ui, data, actions);
        if widgets::icon_button(ui, icons::COPY, "Copy the id").clicked() {
            actions.push(Action::Copy(data.label.clone()));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add_space(theme::PADDING);
            ui.spacing_mut().item_spacing.x = theme::GAP;
            paint::icon(ui, icons::kind(data.kind), theme::ICON_HEADING, tokens.muted)
                .on_hover_text(data.kind.as_str());
            let unsaved_width = data.unsaved.map_or(0.0, |_| 90.0);
            let (icon, label, tone) = match &data.worst_problem {
                Some((severity, label)) => {
                    let tone = widgets::severity_tone(*severity);
                    // The part after a colon has no room beside the title.
                    let label = label.split(':').next().unwrap_or(label);
                    (icons::severity(*severity), label, tone)
                }
                None => {
                    let (icon, tone) = widgets::status_look(data.status);
                    (icon, data.status.label(), tone)
                }
            };
            // The tags are added after the title: their width is estimated, at 7 points for each character.
            let tag_width = 36.0 + 7.0 * label.chars().count() as f32 + unsaved_width;
            let title = theme::text(&data.title, theme::mono_bold(theme::BODY), tokens.text_strong);
            let width = (ui.available_width() - tag_width).max(60.0);
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.add(Label::new(title).truncate()).on_hover_text(&data.shown_path);
            });
            widgets::tag(ui, icon, label, tone);
            unsaved_ui(ui, data, actions);
        });
    });
    widgets::line_below(ui, rect);
}

/// Draws the button that shows the item on the desk where it is used, if there is one.
fn desk_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let (icon, name, desk_actions) = match data.kind {
        FileKind::Tape => {
            let desk_actions =
                vec![Action::Go(Desk::Tapes), Action::from(TapesAction::Select(data.id))];
            (icons::CASSETTE_TAPE, "Open in Tapes", desk_actions)
        }
        // An answered request is no longer in the queue.
        FileKind::Request if data.status == ItemStatus::Pending => {
            let watch = LiveAction::Queue(QueueAction::WatchFile(data.id));
            (icons::RADIO, "Answer it", vec![Action::from(watch)])
        }
        _ => return,
    };
    if widgets::icon_button(ui, icon, name).clicked() {
        actions.extend(desk_actions);
    }
}

/// Shows that there are unsaved edits. A click lists them.
fn unsaved_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let Some(unsaved_edits) = data.unsaved else { return };
    let tag = widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
    let tag = ui.interact(tag.rect, ui.scope_id().with("unsaved"), Sense::click());
    let name = format!("Unsaved, {}", counted(unsaved_edits.edits, "edit", "edits"));
    tag.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    if tag.on_hover_text(format!("{name}. Click to show the lines that would change.")).clicked() {
        actions.push(Action::Run(Command::ShowUnsaved));
    }
}

/// Shows that the file also changed on disk, with the possible actions.
pub(super) fn conflict_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    if !data.unsaved.is_some_and(|unsaved| unsaved.in_conflict) {
        return;
    }
    let heading = "The file changed on disk while it was edited here.";
    let body = "Both versions are kept. Nothing is written until you decide.";
    widgets::banner_with(ui, Tone::Note, icons::REFRESH_CW, heading, body, |ui| {
        if ui.add(Button::primary("Compare versions")).clicked() {
            actions.push(Action::ShowConflict(data.id));
        }
        if ui.add(Button::secondary("Use version on disk")).clicked() {
            actions.push(Action::Revert(data.id));
        }
    });
}

fn menu_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    for command in [Command::Save, Command::SaveAs, Command::Revert] {
        let availability = match (command, data.unsaved) {
            (Command::SaveAs, _) | (_, Some(_)) => Ok(()),
            _ => Err("it has no unsaved edits"),
        };
        on_click(&widgets::menu_command(ui, command, availability), Action::Run(command), actions);
    }
    if widgets::menu_item(ui, icons::COPY, "Copy path", &[], None).clicked() {
        actions.push(Action::Copy(data.path.to_string()));
    }
    let InspectorContent::Ready(ready) = &data.content else { return };
    widgets::menu_heading(ui, "The whole file");
    if let Some(root) = ready.document.tree.root() {
        turn_ui::copy_items(ui, root.id(), data, ready, actions);
    }
}
