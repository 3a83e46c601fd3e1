//! Paints the header of a session: its name, and the actions on all of it.

use egui::{Align, Layout, Role, Ui};

use super::form_state::SessionProps;
use document::text::visible;
use document::{Syntax, text};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command, SessionsAction};

/// Width of the tag, besides the name.
const TAG_WIDTH: f32 = 96.0;

/// Draws the header.
pub(super) fn head_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let Some((id, item)) = props.data.id().zip(props.data.item.as_deref()) else { return };
    let is_unsaved = props.library.copy(id.doc).is_some_and(|copy| copy.is_unsaved());
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            // Shown only if there is something to save.
            if props.can_save.is_ok() {
                let save = Button::primary("Save").command(Command::Save, Ok(()));
                widgets::command_button(ui, save, Command::Save, actions);
            }
            let syntax = props.data.document.as_ref().map(|document| document.syntax);
            let label = if syntax == Some(Syntax::Yaml) { "YAML" } else { "JSON" };
            let command = Command::ToggleSessionText;
            let toggle = Button::ghost(label).icon(icons::FILE_BRACES).command(command, Ok(()));
            widgets::command_button(ui, toggle.on(props.desk.shows_text), command, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let name = props.data.session().and_then(|session| text(&session.id));
                // A session without a valid id still needs a title.
                let name = visible(name.unwrap_or(item.file_name()));
                title_ui(ui, props, (&name, is_unsaved), actions);
            });
        });
    });
}

fn title_ui(
    ui: &mut Ui,
    props: SessionProps<'_>,
    (name, is_unsaved): (&str, bool),
    actions: &mut Actions,
) {
    let room = ui.available_width();
    ui.scope(|ui| {
        // The name gives way to the tag, and must not cover the actions beside it.
        ui.set_max_width(if is_unsaved { (room - TAG_WIDTH).max(TAG_WIDTH) } else { room });
        if props.desk.sessions().len() > 1 {
            return choice_ui(ui, props, name, actions);
        }
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with(name, title, tokens(ui).text_strong).show(ui);
    });
    if is_unsaved {
        let tag = widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
        widgets::describe(&tag, Role::Label, "Unsaved");
    }
}

/// Draws the name as a menu of all sessions.
fn choice_ui(ui: &mut Ui, props: SessionProps<'_>, name: &str, actions: &mut Actions) {
    let button = Button::ghost(name).trailing(icons::CHEVRON_DOWN);
    let button = ui.add(button.tooltip("Show another session"));
    widgets::menu(&button, |ui| {
        ui.set_max_height(480.0);
        egui::ScrollArea::vertical().show(ui, |ui| {
            for session in props.desk.sessions() {
                let icon = if props.desk.selected.as_ref() == Some(&session.id) {
                    icons::CHECK
                } else {
                    icons::MESSAGES_SQUARE
                };
                if widgets::menu_action(ui, icon, &session.name, None) {
                    actions.push(Action::from(SessionsAction::Select(session.id.clone())));
                }
            }
        });
    });
}
