//! Paints the form: the fields of the session, then its tool responses.

use egui::{ScrollArea, Ui, vec2};

use super::field_ui::{FieldFont, FieldSize, name_ui, named_row, problem_below_ui, text_field};
use super::form_state::FormState;
use super::sessions_data::{CAPTURED_AT, CONTEXT, EXPECTED_FAILURE, ID, INPUT, NAME, SOURCE};
use super::table_ui::table_ui;
use author::session::SessionEdit;
use document::text::{counted, visible};
use document::{Node, text};
use widgets::{Button, icons, theme};
use workbench::{FormCursor, SessionsAction};

/// Width from which two short fields are side by side.
const SIDE_BY_SIDE_MIN_WIDTH: f32 = 700.0;
/// The values that flakestorm knows for the source.
const SOURCES: [&str; 3] = ["manual", "langsmith", "flakestorm_export"];

/// Draws the form.
pub(super) fn form_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let props = state.props;
    if props.data.session().is_none() {
        let words = "This text is no longer a valid session. Fix it on the right, or undo.";
        return widgets::empty_sentence(ui, words);
    }
    // By session, so that another one starts at its top.
    ScrollArea::vertical().id_salt(("session", props.data.id())).auto_shrink(false).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            widgets::padded_frame().show(ui, |ui| fields_ui(ui, state));
            table_ui(ui, state);
        },
    );
}

fn fields_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let (line, data) = ((FieldSize::Line, FieldFont::Text), (FieldSize::Line, FieldFont::Data));
    let lines = (FieldSize::Lines, FieldFont::Text);
    for (spec, look) in [(&ID, data), (&NAME, line), (&INPUT, lines), (&EXPECTED_FAILURE, lines)] {
        named_row(ui, spec, |ui| {
            text_field(ui, state, spec, look);
            problem_below_ui(ui, state, spec);
        });
    }
    let is_roomy = ui.available_width() >= SIDE_BY_SIDE_MIN_WIDTH;
    named_row(ui, &CAPTURED_AT, |ui| {
        if is_roomy {
            captured_and_source_ui(ui, state);
        } else {
            text_field(ui, state, &CAPTURED_AT, data);
        }
        problem_below_ui(ui, state, &CAPTURED_AT);
    });
    if !is_roomy {
        named_row(ui, &SOURCE, |ui| source_ui(ui, state));
    }
    problem_below_ui(ui, state, &SOURCE);
    context_ui(ui, state);
}

/// Draws two short fields side by side.
fn captured_and_source_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let (rect, _) = widgets::allocate_row(ui, theme::CONTROL, egui::Sense::hover());
    let (left, right) = rect.split_left_right_at_fraction(0.46);
    widgets::place(ui, left, |ui| {
        text_field(ui, state, &CAPTURED_AT, (FieldSize::Line, FieldFont::Data));
    });
    widgets::place_left(ui, right.with_min_x(right.left() + theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        name_ui(ui, &SOURCE, 56.0);
        source_ui(ui, state);
    });
}

/// Draws the source of the session: a known value, or the value in the file.
fn source_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let props = state.props;
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
                state.edit(SessionEdit::Text(pointer.clone(), source.to_owned()));
            }
        }
    });
}

/// Draws the conversation before the input as a link to the text.
fn context_ui(ui: &mut Ui, state: &mut FormState<'_>) {
    let props = state.props;
    let spot = FormCursor::Field(CONTEXT.key);
    let turns = props.data.node(&props.data.pointer(CONTEXT.key));
    let count = turns.map_or(0, |turns| turns.len());
    // Details of the incident that an import has stored are no turn of the conversation.
    let is_turn = |turn: &Node<'_>| turn.get("provenance").is_none();
    let turns = turns.map_or(0, |turns| turns.items().filter(is_turn).count());
    if count == 0 && props.data.problem_at(spot).is_none() {
        return;
    }
    named_row(ui, &CONTEXT, |ui| {
        ui.horizontal(|ui| {
            ui.set_min_height(theme::CONTROL);
            let words = match turns {
                0 if count > 0 => "Provenance of the incident".to_owned(),
                _ => counted(turns, "turn before the input", "turns before the input"),
            };
            let show = widgets::link(ui, &words);
            let response = widgets::tip(show, "Show them in the text", &[] as &[&str]);
            widgets::on_click(&response, SessionsAction::Point(Some(spot)), state.actions);
        });
        problem_below_ui(ui, state, &CONTEXT);
    });
}
