//! Paints the header of a session: name, status and actions.

use egui::{Align, Layout, Role, Sense, Ui, WidgetInfo};

use super::contract::add_button;
use super::sessions_ui::SessionProps;
use crate::format::{Severity, text};
use crate::text::{counted, visible};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, Command, SessionsAction};

/// Room for a tag beside the name.
const TAG: f32 = 100.0;

/// Draws the header.
pub(super) fn head_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Vec<Action>) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let list = Button::icon_only(icons::PANEL_LEFT, Command::ToggleSessions.name());
        let list = list.on(props.desk.list());
        if ui.add(list).clicked() {
            actions.push(Action::Run(Command::ToggleSessions));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            actions_ui(ui, props, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                title_ui(ui, props, actions);
            });
        });
    });
}

/// Draws the actions on the whole session, from right to left.
fn actions_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Vec<Action>) {
    let save = Button::primary("Save").command(Command::Save, props.can_save);
    if ui.add(save).clicked() {
        actions.push(Action::Run(Command::Save));
    }
    add_button(ui, props, actions);
}

/// Draws the name as a menu of all sessions, in place of their list.
fn choice_ui(ui: &mut Ui, props: SessionProps<'_>, name: &str, actions: &mut Vec<Action>) {
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
                if widgets::menu_item(ui, icon, &session.name, &[], None).clicked() {
                    let id = session.id.clone();
                    actions.push(Action::from(SessionsAction::Select(id)));
                    ui.close();
                }
            }
        });
    });
}

fn title_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let Some((id, item)) = props.data.id().zip(props.data.item.as_deref()) else {
        return;
    };
    let session = props.data.session();
    let name = session.and_then(|session| text(&session.id));
    let name = visible(name.unwrap_or(item.file_name()));
    let is_unsaved = props.library.copy(id.doc);
    let is_unsaved = is_unsaved.is_some_and(|copy| copy.is_unsaved());
    let levels = [Severity::Error, Severity::Warning];
    let levels = levels.iter().filter(|level| item.count(**level) > 0);
    let tags = levels.count() + usize::from(is_unsaved);
    ui.scope(|ui| {
        // What follows the name stays readable, however long it is.
        ui.set_max_width((ui.available_width() - TAG * tags as f32).max(TAG));
        if !props.desk.list() && props.desk.sessions().len() > 1 {
            return choice_ui(ui, props, &name, actions);
        }
        let title = theme::semibold(theme::TITLE);
        StyledText::new()
            .with(&name, title, colors.text_strong)
            .show(ui);
    });
    if is_unsaved {
        widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
    }
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
    ] {
        let first = item.problems.iter().find(|it| it.severity == severity);
        let Some(first) = first else { continue };
        let words = counted(item.count(severity), one, many);
        let tone = widgets::severity_tone(severity);
        let tag = widgets::tag(ui, icons::severity(severity), &words, tone);
        let tag = ui.interact(tag.rect, tag.id.with("press"), Sense::click());
        let name = format!("Show the first of {words}");
        tag.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        widgets::focus_ring(ui, &tag, theme::RADIUS_TAG);
        if widgets::tip(tag, "Show the place", &[] as &[&str]).clicked() {
            actions.push(match props.data.spot_of(first) {
                Some(spot) => Action::from(SessionsAction::Point(Some(spot))),
                None => Action::Reveal(id.doc, first.span),
            });
        }
    }
}
