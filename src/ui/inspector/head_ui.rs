//! Paints the header of the inspector: name, unsaved edits, the menu of the file, and the strip of its calls.

use egui::{
    Align, Color32, Frame, Label, Layout, Margin, Role, Sense, TextFormat, Ui, WidgetInfo, vec2,
};

use super::inspector_data::{InspectorContent, InspectorData};
use super::sections_state::SectionsState;
use super::{paint, turn_ui};
use document::text::counted;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, on_click};
use workbench::{Action, Actions, Command, InspectorPlacement};

/// Draws the name on as many lines as it needs, the buttons, and the strip of the calls.
pub(super) fn head_ui(
    ui: &mut Ui,
    data: &InspectorData,
    room: InspectorPlacement,
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let margin = Margin { left: 16, right: 10, top: 8, bottom: 8 };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            widgets::close_button(ui, room, "Close inspector", actions);
            let menu_button = widgets::icon_button(ui, icons::ELLIPSIS, "More");
            widgets::menu(&menu_button, |ui| menu_ui(ui, data, state, actions));
            unsaved_ui(ui, data, actions);
            ui.with_layout(Layout::left_to_right(Align::Min), |ui| title_ui(ui, data));
        });
        if data.strip.blocks.len() > 1 {
            ui.add_space(8.0);
            let chosen = ui.scope(|ui| {
                // The buttons above end closer to the edge than content does.
                ui.set_max_width(ui.available_width() - 6.0);
                widgets::call_strip(ui, &data.strip.blocks, data.strip.selected)
            });
            let target = chosen.inner.and_then(|index| data.strip.targets.get(index));
            actions.extend(target.map(|target| match *target {
                (id, Some(call)) => Action::SelectCall(id, call),
                (id, None) => Action::Select(id),
            }));
        }
    });
}

fn title_ui(ui: &mut Ui, data: &InspectorData) {
    let tokens = tokens(ui);
    let title = &data.title;
    let [before, own, after] = &title.parts;
    let mut job = egui::text::LayoutJob::default();
    let mut add = |text: &str, font: egui::FontId, color: Color32| {
        let format = TextFormat { line_height: Some(20.0), ..TextFormat::simple(font, color) };
        job.append(text, 0.0, format);
    };
    if title.icon.is_empty() {
        add(before, theme::mono(theme::LABEL), tokens.muted);
        add(own, theme::mono_bold(theme::LABEL), tokens.text_strong);
        add(after, theme::mono(theme::LABEL), tokens.muted);
    } else {
        ui.allocate_ui(vec2(theme::ICON_HEADING, theme::CONTROL), |ui| {
            ui.add_space(6.0);
            paint::icon(ui, title.icon, theme::ICON_HEADING, tokens.muted);
        });
        add(own, theme::semibold(theme::TITLE), tokens.text_strong);
    }
    if !title.note.is_empty() {
        add(&format!("  {}", title.note), theme::regular(theme::BODY), tokens.muted);
    }
    ui.vertical(|ui| {
        // On one line with the buttons.
        ui.add_space(4.0);
        let name = ui.add(Label::new(job).wrap());
        let hover = format!("{}\n{}, {}", data.shown_path, data.kind.as_str(), data.status.label());
        name.on_hover_text(hover);
    });
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

fn menu_ui(ui: &mut Ui, data: &InspectorData, state: &mut SectionsState, actions: &mut Actions) {
    if widgets::menu_switch(ui, "Texts as written", "", (state.as_written, false)) {
        state.as_written = !state.as_written;
    }
    for command in [Command::Save, Command::SaveAs, Command::Revert] {
        let availability = match (command, data.unsaved) {
            (Command::SaveAs, _) | (_, Some(_)) => Ok(()),
            _ => Err("it has no unsaved edits"),
        };
        on_click(&widgets::menu_command(ui, command, availability), Action::Run(command), actions);
    }
    if widgets::menu_item(ui, icons::COPY, "Copy name", &[], None).clicked() {
        actions.push(Action::Copy(data.label.clone()));
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
