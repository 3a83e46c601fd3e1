//! Paints the editor of one response: a text, an object, or null, which becomes a text when something is typed.

use egui::Ui;

use super::field_ui::{FieldFont, FieldInput, FieldSize, framed, problem_ui};
use super::form_ui::Form;
use super::sessions_data::{FieldProblem, suggested_fixes};
use author::session::SessionEdit;
use document::edit::JsonValue;
use document::{Node, NodeKind, Severity};
use widgets::FieldState;
use widgets::theme::{self, tokens};
use workbench::{InputKind, parse_value};

/// Total height, including the padding.
pub(super) const HEIGHT: f32 = 276.0;

/// The kinds of a response; flakestorm accepts nothing else.
const KINDS: [(NodeKind, &str); 3] =
    [(NodeKind::String, "Text"), (NodeKind::Object, "Object"), (NodeKind::Null, "Null")];

/// Draws the editor. A text is written to the file with each character, an object when the field is left.
pub(super) fn response_ui(ui: &mut Ui, row: usize, form: &mut Form<'_>) {
    let props = form.props;
    let place = props.data.response_pointer(row);
    let pointer = format!("{place}/response");
    let node = props.data.node(&pointer);
    let kind = node.map_or(NodeKind::Null, Node::kind);
    ui.spacing_mut().item_spacing.y = 6.0;
    let has_chosen = head_ui(ui, &place, node, form);
    // The field of the new kind gets the focus, not that of the previous kind.
    let is_awaited = form.focus_request.as_ref() == Some(&pointer) && props.desk.is_editing();
    if has_chosen || is_awaited {
        return;
    }
    let syntax = props.data.document.as_ref().map(|document| document.syntax);
    let input_kind = match (kind, syntax) {
        (NodeKind::Object, Some(syntax)) => InputKind::Object(syntax),
        // Null becomes a text with the first character.
        (NodeKind::String | NodeKind::Null, _) => InputKind::Text,
        _ => {
            let words = "This value is not accepted. Choose text or object above, or a fix next to the row.";
            ui.label(theme::text(words, theme::regular(theme::ROW), tokens(ui).error));
            return;
        }
    };
    let name = field_name(row);
    let input =
        FieldInput { pointer: &pointer, kind: input_kind, name: &name, font: FieldFont::Data };
    let fault = props.desk.drafts.fault(&pointer, input_kind);
    let state = if fault.is_some() { FieldState::Invalid } else { FieldState::Valid };
    let response = framed(ui, form, (FieldSize::Lines, "response"), state, input);
    // Taken, so that the focus is given once and may be moved away.
    if std::mem::take(form.has_opened_panel) {
        response.request_focus();
    }
    if let Some(fault) = fault {
        fault_ui(ui, &place, &pointer, (input_kind, fault), form);
    }
}

/// Returns the accessible name of the field for a response.
pub(super) fn field_name(row: usize) -> String {
    format!("Response {}", row + 1)
}

/// Draws the kind of the response, and the button that closes the editor. Returns whether another kind was chosen.
fn head_ui(ui: &mut Ui, place: &str, node: Option<Node<'_>>, form: &mut Form<'_>) -> bool {
    let kind = node.map_or(NodeKind::Null, Node::kind);
    let (rect, _) = widgets::allocate_row(ui, theme::CONTROL, egui::Sense::hover());
    widgets::place_right(ui, rect, |ui| widgets::key_hint(ui, &["Esc"], "close"));
    widgets::place_left(ui, rect, |ui| {
        // A list or a number is none of the three, so no segment is chosen.
        let Some(new_kind) = widgets::choice(ui, &KINDS, kind) else { return false };
        let edit = SessionEdit::Response(place.to_owned(), convert_response(node, new_kind));
        *form.focus_request = Some(format!("{place}/response"));
        form.edit(edit);
        true
    })
}

/// Converts a response to another kind; keeps its content as far as possible.
fn convert_response(node: Option<Node<'_>>, new_kind: NodeKind) -> JsonValue {
    let text = node.and_then(Node::as_str);
    match (new_kind, node) {
        (NodeKind::Null, _) => JsonValue::null(),
        (NodeKind::String, Some(node)) if node.kind() != NodeKind::Null => {
            // An object becomes its JSON as text, so that converting back gives the same object.
            JsonValue::text(JsonValue::from_node(node).json())
        }
        (NodeKind::String, _) => JsonValue::text(""),
        (_, Some(node)) if node.kind() != NodeKind::Null => {
            let object = text
                .and_then(|text| JsonValue::parse(text).ok())
                .filter(|object| object.root().kind() == NodeKind::Object);
            // A value that is no object is wrapped, rather than lost.
            object.unwrap_or_else(|| JsonValue::object(&[("result", JsonValue::from_node(node))]))
        }
        _ => JsonValue::object(&[]),
    }
}

/// Draws why the input cannot be written to the file, with fixes.
fn fault_ui(
    ui: &mut Ui,
    place: &str,
    pointer: &str,
    (kind, fault): (InputKind, String),
    form: &mut Form<'_>,
) {
    let props = form.props;
    let text = props.desk.drafts.text(pointer, kind, props.data.node(pointer));
    let syntax = props.data.document.as_ref().map(|document| document.syntax);
    let value = syntax.and_then(|syntax| parse_value(&text, syntax).ok());
    // The value is valid, but not as a response.
    let applied_fix = |(name, edit)| match (edit, &value) {
        (SessionEdit::FixResponse(place, fix), Some(value)) => {
            Some((name, SessionEdit::Response(place, fix.apply(value))))
        }
        _ => None,
    };
    let fixes = suggested_fixes(place).into_iter().filter_map(applied_fix).collect();
    let problem = FieldProblem { severity: Severity::Error, message: format!("{fault}."), fixes };
    problem_ui(ui, 0.0, form, (&problem, "typed text"));
}
