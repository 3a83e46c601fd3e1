//! Paints the sessions desk: the form, and beside it the contract or the text.

use egui::{Frame, Ui, vec2};

use super::contract::{ContractView, contract_ui};
use super::form_ui::{Form, SessionProps, form_ui};
use super::sessions_data::SessionData;
use crate::incident;
use document::text::visible;
use document::{Syntax, text};
use widgets::code::CodeFocus;
use widgets::editor::{EditorState, editor_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, SidePanel, StyledText, fields, icons};
use workbench::{
    Action, Actions, Command, FindRequest, FormCursor, Panel as WhatIsOpen, SessionState,
    SessionsAction, Workbench,
};

/// Width of the contract.
const CONTRACT_WIDTH: f32 = 400.0;
/// Width of the text, in which a line of about eighty characters fits.
const TEXT_WIDTH: f32 = 680.0;
/// Width that remains for the form beside either.
const MIN_FORM_WIDTH: f32 = 420.0;

/// State of the desk that is kept between frames.
#[derive(Default)]
pub struct SessionsView {
    /// A request of a command to the find bar of the text.
    pub find: Option<FindRequest>,
    /// State of the contract dialogs.
    pub contract: ContractView,
    data: SessionData,
    text: SessionText,
    dragged: Option<usize>,
    /// The cursor of the last frame, and the panel that was open there.
    last_cursor: (Option<FormCursor>, Option<WhatIsOpen>),
    /// The field to focus once it is painted.
    focus_request: Option<String>,
}

/// Draws the desk. User input becomes an [`Action`](workbench::Action).
pub fn sessions_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut SessionsView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let desk = &workbench.sessions;
    view.data.update(workbench);
    if desk.sessions().is_empty() && desk.selected.is_none() {
        return empty_ui(ui, workbench, actions);
    }
    match workbench.sessions.state(&workbench.core) {
        SessionState::Ready(..) => session_ui(ui, workbench, view, actions),
        SessionState::Failed(reason) => widgets::empty_sentence(ui, &format!("{reason}.")),
        SessionState::Reading => {
            ui.add_space(theme::DESK_HEADER);
            widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        SessionState::Nothing => widgets::empty_sentence(ui, "Choose a session."),
    }
}

/// Draws the form, and the contract or the text beside it.
fn session_ui(ui: &mut Ui, workbench: &Workbench, view: &mut SessionsView, actions: &mut Actions) {
    let desk = &workbench.sessions;
    if let Some(pointer) = desk.focus.as_deref() {
        view.focus_request = Some(pointer.to_owned());
        // The request was taken over; without this it would return in every frame.
        actions.push(Action::from(SessionsAction::Focused));
    }
    let cursor = (desk.cursor, desk.panel());
    let mut is_opened = cursor.1.is_some() && view.last_cursor.1 != cursor.1;
    view.last_cursor = cursor;
    let props = SessionProps {
        desk,
        library: &workbench.core.library,
        data: &view.data,
        can_save: Command::Save.enabled(workbench),
        has_reported_unnamed_tool: desk.has_reported_unnamed_tool(&workbench.core),
        has_original_response: desk.original_response(&workbench.core).is_some(),
        look: desk.report().map(|report| &**report),
        can_add: Command::AddToConfig.enabled(workbench),
    };
    let mut state = Form {
        props,
        dragged: &mut view.dragged,
        focus_request: &mut view.focus_request,
        has_opened_panel: &mut is_opened,
        focused: None,
        actions,
    };
    // Taken even if the text is hidden: the request is for what is shown now.
    let find = view.find.take();
    let room = (ui.available_width() - MIN_FORM_WIDTH).max(240.0);
    if desk.shows_text {
        let panel = SidePanel::right("session text", TEXT_WIDTH.min(room), 240.0..=960.0);
        panel.fill(tokens(ui).desk).show(ui, |ui| text_ui(ui, find, &mut view.text, &mut state));
    } else {
        let panel = SidePanel::right("session contract", CONTRACT_WIDTH.min(room), 240.0..=560.0);
        panel.show(ui, |ui| contract_ui(ui, props, state.actions));
    }
    Frame::new().show(ui, |ui| {
        head_ui(ui, props, state.actions);
        widgets::hair_line(ui);
        form_ui(ui, &mut state);
    });
    if state.focused != desk.drafts.focused {
        let focused = state.focused.take();
        // First: what the user did then is after the field was left.
        state.actions.insert(0, Action::from(SessionsAction::Focus(focused)));
    }
}

fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.sessions;
    // Sessions may still be found; *No sessions* would be wrong for a moment.
    if workbench.core.progress.is_some() || !desk.is_listed() {
        return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
    }
    let words =
        "A session replays an incident. It is a YAML or JSON file, or part of flakestorm.yaml.";
    incident::empty_ui(ui, "No sessions found", words, actions);
}

/// State of the text that is kept between frames.
#[derive(Default)]
struct SessionText {
    editor: EditorState,
    /// The place that was last shown.
    shown: Option<document::text::Span>,
}

/// Draws the name of the file, and a hint about what was just typed.
fn text_head_ui(ui: &mut Ui, editor: &EditorState, form: &Form<'_>) {
    let props = form.props;
    let colors = tokens(ui);
    let path =
        props.data.item.as_deref().map_or("", |item| props.library.shown_path(item.root_path()));
    let hint = editor.hint(ui.ctx()).unwrap_or_default();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        StyledText::new()
            .with(icons::FILE_TEXT, theme::icon(theme::ICON), colors.muted)
            .after(theme::GAP, &visible(path), theme::mono(theme::LABEL), colors.text_strong)
            .after(theme::GAP, hint, theme::regular(theme::LABEL), colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
}

/// Draws the text and highlights the place of the form's cursor in it.
fn text_ui(ui: &mut Ui, find: Option<FindRequest>, text: &mut SessionText, form: &mut Form<'_>) {
    text_head_ui(ui, &text.editor, form);
    let props = form.props;
    let Some(data) = props.data.text.as_ref() else { return };
    // While the user types here, the highlight moves with the text, and not the other way round.
    if !ui.memory(|memory| memory.has_focus(fields::text())) {
        let spot = props.desk.cursor;
        text.shown = spot.and_then(|spot| props.data.span(spot));
    }
    let focus = CodeFocus { span: text.shown, ..CodeFocus::default() };
    let (doc, base) = (data.doc, data.revision);
    let requests = editor_ui(ui, data, focus, find, &mut text.editor);
    form.actions.extend(requests.into_iter().map(|request| request.action(doc, base)));
}

/// Width of the tag, besides the name.
const TAG_WIDTH: f32 = 96.0;

/// Draws the header.
fn head_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let Some((id, item)) = props.data.id().zip(props.data.item.as_deref()) else { return };
    let is_unsaved = props.library.copy(id.doc).is_some_and(|copy| copy.is_unsaved());
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::at_right(ui, |ui| {
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
            widgets::at_left(ui, |ui| {
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
        widgets::title(ui, name);
    });
    if is_unsaved {
        widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
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
                let is_shown = props.desk.selected.as_ref() == Some(&session.id);
                let icon = if is_shown { icons::CHECK } else { icons::MESSAGES_SQUARE };
                let action = SessionsAction::Select(session.id.clone());
                widgets::menu_choice(ui, icon, &session.name, action, actions);
            }
        });
    });
}
