//! Paints the header of a session: name, status and actions.

use egui::{Align, Layout, Role, Sense, Ui};

use super::contract::add_button;
use super::form_state::SessionProps;
use document::text::{counted, visible};
use document::{Severity, text};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command, SessionView, SessionsAction};

/// Width of a tag with a word, and of one with only its sign.
const TAG_WIDTHS: (f32, f32) = (100.0, 44.0);

/// Width that a name takes in a menu, besides its text.
const CHOICE_WIDTH: f32 = 40.0;

/// Draws the header.
pub(super) fn head_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let list = Button::icon_only(icons::PANEL_LEFT, Command::ToggleSessions.name())
            .on(props.desk.list());
        widgets::command_button(ui, list, Command::ToggleSessions, actions);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            actions_ui(ui, props, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| title_ui(ui, props, actions));
        });
    });
}

/// Draws the actions on the whole session, from right to left.
fn actions_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let save = Button::primary("Save").command(Command::Save, props.can_save);
    widgets::command_button(ui, save, Command::Save, actions);
    add_button(ui, props, actions);
    view_ui(ui, props, actions);
}

/// Draws the choice between form and strip.
fn view_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let views = [(SessionView::Form, "Form"), (SessionView::Strip, "Strip")];
    let action = widgets::choice(ui, &views, props.desk.strip.view).map(SessionsAction::ShowView);
    actions.extend(action.map(Action::from));
}

/// Draws the name as a menu of all sessions, in place of their list.
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

fn title_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let colors = tokens(ui);
    let Some((id, item)) = props.data.id().zip(props.data.item.as_deref()) else { return };
    let session = props.data.session();
    let name = session.and_then(|session| text(&session.id));
    // A session without a valid id still needs a title.
    let name = visible(name.unwrap_or(item.file_name()));
    let is_unsaved = props.library.copy(id.doc).is_some_and(|copy| copy.is_unsaved());
    let levels =
        [Severity::Error, Severity::Warning].iter().filter(|level| item.count(**level) > 0);
    let tags = levels.count() + usize::from(is_unsaved);
    let title = theme::semibold(theme::TITLE);
    let full_title = widgets::line(ui, &name, title.clone(), colors.text_strong, f32::INFINITY);
    let (room, tags) = (ui.available_width(), tags as f32);
    // The name has priority: the tags are only signs if it does not fit beside their words.
    let is_short = full_title.size().x + CHOICE_WIDTH > room - TAG_WIDTHS.0 * tags;
    let tag = if is_short { TAG_WIDTHS.1 } else { TAG_WIDTHS.0 };
    ui.scope(|ui| {
        // The title may get less room than the name needs, but must not cover the actions beside it.
        ui.set_max_width((room - tag * tags).max(TAG_WIDTHS.0).min(room.max(0.0)));
        // Only while the list of sessions is hidden.
        if !props.desk.list() && props.desk.sessions().len() > 1 {
            return choice_ui(ui, props, &name, actions);
        }
        StyledText::new().with(&name, title, colors.text_strong).show(ui);
    });
    if is_unsaved {
        let label = if is_short { "" } else { "Unsaved" };
        let tag = widgets::tag(ui, icons::CIRCLE_DOT, label, Tone::Accent);
        widgets::describe(&tag, Role::Label, "Unsaved");
        widgets::tip(tag, "Unsaved", &[] as &[&str]);
    }
    for (severity, one, many) in
        [(Severity::Error, "error", "errors"), (Severity::Warning, "warning", "warnings")]
    {
        let problem = item.problems.iter().find(|p| p.severity == severity);
        let Some(problem) = problem else { continue };
        let words = counted(item.count(severity), one, many);
        let tone = widgets::severity_tone(severity);
        let count = item.count(severity).to_string();
        let label = if is_short { &count } else { &words };
        let tag = widgets::tag(ui, icons::severity(severity), label, tone);
        // Tags do not sense clicks, which these two need to lead to their problem.
        let tag = ui.interact(tag.rect, tag.id.with("press"), Sense::click());
        widgets::describe(&tag, Role::Button, &format!("Show the first of {words}"));
        widgets::focus_ring(ui, &tag, theme::RADIUS_TAG);
        if widgets::tip(tag, &format!("{words}: show the place"), &[] as &[&str]).clicked() {
            actions.push(match props.data.spot_of(problem) {
                Some(spot) => Action::from(SessionsAction::Point(Some(spot))),
                // In a configuration, the problem may be outside of this session.
                None => Action::Reveal(id.doc, problem.span),
            });
        }
    }
}
