//! Paints the form: the fields of the session, then its tool responses.

use egui::{ScrollArea, Ui, vec2};

use super::field_ui::{FieldFont, FieldSize, field_ui, named_row, problem_row_ui};
use super::sessions_data::{
    CAPTURED_AT, CONTEXT, EXPECTED_FAILURE, FieldSpec, ID, INPUT, NAME, SOURCE, SessionData,
};
use super::table_ui::table_ui;
use author::session::SessionEdit;
use document::text::{counted, visible};
use document::{Node, text};
use protocol::ContractReport;
use widgets::{Button, icons, theme};
use workbench::{Action, Actions, FormCursor, Library, SessionsAction, SessionsDesk};

/// The values that flakestorm knows for the source.
const SOURCES: [&str; 3] = ["manual", "langsmith", "flakestorm_export"];
/// The fields that are folded unless one of them has a problem.
const FOLDED: [&FieldSpec; 4] = [&ID, &CAPTURED_AT, &SOURCE, &CONTEXT];

/// Draws the form.
pub(super) fn form_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let props = form.props;
    if props.data.session().is_none() {
        let words =
            "This text is no longer a valid session. Show the text with y and fix it, or undo.";
        return widgets::empty_sentence(ui, words);
    }
    // By session, so that another one starts at its top.
    ScrollArea::vertical().id_salt(("session", props.data.id())).auto_shrink(false).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            if let Some(problem) = props.data.other_problem() {
                problem_row_ui(ui, form, (&problem, "the session"));
            }
            ui.add_space(theme::SECTION_GAP);
            let lines = (FieldSize::Lines, FieldFont::Text);
            field_ui(ui, form, &NAME, (FieldSize::Line, FieldFont::Text));
            field_ui(ui, form, &INPUT, lines);
            field_ui(ui, form, &EXPECTED_FAILURE, lines);
            details_ui(ui, form);
            table_ui(ui, form);
        },
    );
}

/// Draws the fold of what is rarely edited: the id, the origin and the conversation before.
fn details_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let data = form.props.data;
    let problem_of = |spec: &FieldSpec| data.problem_at(FormCursor::Field(spec.key));
    let has_problem = FOLDED.into_iter().any(|spec| problem_of(spec).is_some());
    let session = data.session();
    // Also one that YAML reads as a date.
    let captured = data.node(&data.pointer(CAPTURED_AT.key)).and_then(Node::scalar_text);
    let source = visible(session.and_then(|session| text(&session.source)).unwrap_or("manual"));
    let label = match captured {
        // The day: the time is in the field below.
        Some(time) => {
            format!("Captured {}, {source}", visible(time.split('T').next().unwrap_or(time)))
        }
        None => format!("Id, time and source, {source}"),
    };
    if !widgets::fold(ui, "details", &label, has_problem) {
        return;
    }
    let line = (FieldSize::Line, FieldFont::Data);
    field_ui(ui, form, &ID, line);
    field_ui(ui, form, &CAPTURED_AT, line);
    named_row(ui, form, &SOURCE, source_ui);
    context_ui(ui, form);
}

/// Draws the source of the session: a known value, or the value in the file.
fn source_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let props = form.props;
    let session = props.data.session();
    let value = session.and_then(|session| text(&session.source));
    // Flakestorm's default for a session without a source.
    let label = visible(value.unwrap_or("manual"));
    let name = format!("Source: {label}");
    let button = Button::secondary(&label).trailing(icons::CHEVRON_DOWN);
    let response = ui.add(button.width(ui.available_width()).tooltip(SOURCE.meaning));
    widgets::describe(&response, egui::Role::ComboBox, &name);
    let pointer = props.data.pointer(SOURCE.key);
    widgets::menu(&response, |ui| {
        // Other values in a file are kept and shown, but not offered.
        for source in SOURCES {
            if widgets::menu_action(ui, icons::TAG, source, None) {
                form.edit(SessionEdit::Text(pointer.clone(), source.to_owned()));
            }
        }
    });
}

/// Draws the conversation before the input as a link to the text.
fn context_ui(ui: &mut Ui, form: &mut Form<'_>) {
    let props = form.props;
    let spot = FormCursor::Field(CONTEXT.key);
    let turns = props.data.node(&props.data.pointer(CONTEXT.key));
    let count = turns.map_or(0, |turns| turns.len());
    // Details of the incident that an import has stored are no turn of the conversation.
    let is_turn = |turn: &Node<'_>| turn.get("provenance").is_none();
    let turns = turns.map_or(0, |turns| turns.items().filter(is_turn).count());
    if count == 0 && props.data.problem_at(spot).is_none() {
        return;
    }
    named_row(ui, form, &CONTEXT, |ui, form| {
        ui.horizontal(|ui| {
            ui.set_min_height(theme::CONTROL_LARGE);
            let words = match turns {
                0 if count > 0 => "Provenance of the incident".to_owned(),
                _ => counted(turns, "turn before the input", "turns before the input"),
            };
            let show = widgets::link(ui, &words);
            if widgets::hint(show, "Show them in the text").clicked() {
                form.push(SessionsAction::Point(Some(spot)));
                form.push(SessionsAction::ShowText);
            }
        });
    });
}

/// Input of all parts of the view that paint a session.
#[derive(Clone, Copy)]
pub(super) struct SessionProps<'a> {
    pub(super) desk: &'a SessionsDesk,
    pub(super) library: &'a Library,
    pub(super) data: &'a SessionData,
    /// Whether the session can be saved, or why not.
    pub(super) can_save: Result<(), &'static str>,
    /// Whether a save was held because a tool has no name.
    pub(super) has_reported_unnamed_tool: bool,
    /// Whether the tool response under the cursor had another value before a fault was injected.
    pub(super) has_original_response: bool,
    /// The result of checking its contract.
    pub(super) look: Option<&'a ContractReport>,
    /// Whether the session can be listed in a configuration, or why not.
    pub(super) can_add: Result<(), &'static str>,
}

/// Properties that the parts of the form paint, and the state that they change.
pub(super) struct Form<'a> {
    pub(super) props: SessionProps<'a>,
    /// The row that is being dragged.
    pub(super) dragged: &'a mut Option<usize>,
    /// The field to focus once it is painted.
    pub(super) focus_request: &'a mut Option<String>,
    /// Whether a panel was opened in this frame; it gets the focus.
    pub(super) has_opened_panel: &'a mut bool,
    /// The field that has the focus in this frame, by its JSON Pointer.
    pub(super) focused: Option<String>,
    pub(super) actions: &'a mut Actions,
}

impl Form<'_> {
    pub(super) fn push(&mut self, action: SessionsAction) {
        self.actions.push(Action::from(action));
    }

    /// Edits the session as it is shown: an edit of an older text is refused.
    pub(super) fn edit(&mut self, edit: SessionEdit) {
        self.push(SessionsAction::Edit(self.props.data.revision, edit));
    }
}
