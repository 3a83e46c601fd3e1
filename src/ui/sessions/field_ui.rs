//! Paints a field of a session: its name, its input, and its problem.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::{TextEditOutput, TextEditState};
use egui::{
    Align2, CornerRadius, Frame, Margin, Rect, Response, ScrollArea, Sense, Stroke, StrokeKind,
    TextEdit, Ui, pos2, vec2,
};

use super::form_state::FormState;
use super::sessions_data::{FieldProblem, FieldSpec};
use document::NodeKind;
use widgets::fields;
use widgets::theme::{self, tokens};
use workbench::{DraftField, FormCursor, InputKind, SessionsAction};

/// Width of the field names.
const NAME_WIDTH: f32 = 140.0;
/// Maximum height of a multi-line field.
const MAX_HEIGHT: f32 = 160.0;

/// Whether a field has one line or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldSize {
    Line,
    Lines,
}

/// Font of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldFont {
    Text,
    Data,
}

/// Draws a field with its name on the left, and its problem in a row below.
pub(super) fn named_row<'a>(
    ui: &mut Ui,
    state: &mut FormState<'a>,
    spec: &FieldSpec,
    content: impl FnOnce(&mut Ui, &mut FormState<'a>),
) {
    Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 0)).show(ui, |ui| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            name_ui(ui, spec);
            ui.vertical(|ui| content(ui, state));
        });
    });
    match state.props.data.problem_at(FormCursor::Field(spec.key)) {
        Some(problem) => problem_row_ui(ui, state, (&problem, spec.name)),
        None => ui.add_space(theme::SECTION_GAP),
    }
}

/// Draws the name of a field, with its meaning as a tooltip.
fn name_ui(ui: &mut Ui, spec: &FieldSpec) {
    let size = vec2(NAME_WIDTH, theme::CONTROL_LARGE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let (font, color) = (theme::regular(theme::ROW), tokens(ui).text);
    let line = widgets::line(ui, spec.name, font, color, NAME_WIDTH - theme::GAP);
    widgets::paint_line(ui.painter(), pos2(rect.left(), rect.center().y), line);
    widgets::tip(response, spec.meaning, &[] as &[&str]);
}

/// Draws a field of the session.
pub(super) fn text_field(
    ui: &mut Ui,
    state: &mut FormState<'_>,
    spec: &'static FieldSpec,
    look: (FieldSize, FieldFont),
) {
    let props = state.props;
    let pointer = props.data.pointer(spec.key);
    let kind = if spec.is_required { InputKind::Text } else { InputKind::Optional };
    let problem = props.data.problem_at(FormCursor::Field(spec.key));
    let input = FieldInput { pointer: &pointer, kind, name: spec.name, font: look.1 };
    let severity = problem.as_ref().map(|problem| problem.severity);
    let stroke = severity.map(|severity| tokens(ui).tone(widgets::severity_tone(severity)));
    let response = framed(ui, (look.0, spec.key), stroke, |ui| {
        field_input_ui(ui, state, input, look.0).response.response
    });
    widgets::tip(response.clone(), spec.meaning, &[] as &[&str]);
    sync_cursor(&response, state, FormCursor::Field(spec.key));
}

/// Parameters of an input that is bound to a value of the file.
#[derive(Clone, Copy)]
pub(super) struct FieldInput<'a> {
    pub(super) pointer: &'a str,
    pub(super) kind: InputKind,
    /// Name for screen readers.
    pub(super) name: &'a str,
    pub(super) font: FieldFont,
}

/// Draws the input without a frame.
pub(super) fn field_input_ui(
    ui: &mut Ui,
    state: &mut FormState<'_>,
    input: FieldInput<'_>,
    size: FieldSize,
) -> TextEditOutput {
    let tokens = tokens(ui);
    let node = state.props.data.node(input.pointer);
    let mut text = state.props.desk.drafts.text(input.pointer, input.kind, node);
    // Before the field may change it: the selection below is of what was shown.
    let old_text = text.trim().to_owned();
    let font = match input.font {
        FieldFont::Text => theme::regular(theme::ROW),
        FieldFont::Data => theme::mono(theme::LABEL),
    };
    let alignment = match input.kind {
        InputKind::Number | InputKind::Millis => Align2::RIGHT_CENTER,
        _ => Align2::LEFT_CENTER,
    };
    let id = fields::live(input.pointer, input.name);
    let edit = match size {
        FieldSize::Line => TextEdit::singleline(&mut text).align(alignment),
        FieldSize::Lines => TextEdit::multiline(&mut text).desired_rows(1),
    };
    let hint = match input.kind {
        InputKind::Number | InputKind::Millis => "none",
        InputKind::Text if node.is_some_and(|node| node.kind() == NodeKind::Null) => "null",
        _ => "",
    };
    let hint = egui::RichText::new(hint).font(font.clone());
    // The frame around the input decides the height, not the default height of a control.
    ui.spacing_mut().interact_size.y = 0.0;
    // Undo then acts on the file, which has each typed character.
    if input.kind.is_live() {
        fields::mark_live(ui.ctx(), id);
    }
    let mut output = edit
        .id(id)
        .font(font)
        .text_color(tokens.text_strong)
        .frame(Frame::NONE)
        .margin(Margin::ZERO)
        .desired_width(ui.available_width())
        .min_size(vec2(0.0, 18.0))
        .hint_text(hint.color(tokens.muted))
        .show(ui);
    let response = &mut output.response.response;
    if response.changed() {
        let (pointer, name) = (input.pointer.to_owned(), input.name.to_owned());
        let field = DraftField { pointer, name, kind: input.kind };
        state.push(SessionsAction::Draft(field, text));
    }
    // Live text is in the file already and is undone there; in a large field, Esc closes the panel.
    if size == FieldSize::Line && !input.kind.is_live() && is_cancelled(ui, response) {
        state.push(SessionsAction::CancelDraft(input.pointer.to_owned()));
    }
    if state.focus_request.as_deref() == Some(input.pointer) {
        *state.focus_request = None;
        response.request_focus();
    }
    // An object without members is an unfinished one.
    let is_whole = size == FieldSize::Line || old_text == "{}";
    // Only if the focus was moved by keyboard: a click puts the caret where the user pointed.
    if is_whole && response.gained_focus() && !response.changed() && !is_hovered(ui) {
        select_all(ui, id, old_text.chars().count());
    }
    if response.has_focus() {
        state.focused = Some(input.pointer.to_owned());
    }
    *response = response.clone().accessible_name(input.name);
    output
}

/// Selects the whole text of a field, so that typing replaces it.
fn select_all(ui: &Ui, id: egui::Id, chars: usize) {
    let (start, end) = (CCursor::new(0), CCursor::new(chars));
    let mut edit = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    edit.cursor.set_char_range(Some(CCursorRange::two(start, end)));
    edit.store(ui.ctx(), id);
}

fn is_hovered(ui: &Ui) -> bool {
    ui.input(|input| input.pointer.any_pressed() || input.pointer.any_released())
}

/// Returns whether a field was left by Esc: nothing else has the focus now, and neither Enter, Tab nor the pointer
/// moved it. The key event itself may already be consumed.
fn is_cancelled(ui: &Ui, response: &Response) -> bool {
    let is_pressed = |key| ui.input(|input| input.key_pressed(key));
    // egui only reports that the focus is gone, not which key took it.
    let leads_on = is_pressed(egui::Key::Enter) || is_pressed(egui::Key::Tab);
    let has_other = ui.memory(|memory| memory.focused().is_some());
    widgets::has_lost_focus(response) && !has_other && !leads_on && !is_hovered(ui)
}

/// Draws a frame around a field.
pub(super) fn framed(
    ui: &mut Ui,
    (size, salt): (FieldSize, &str),
    problem_color: Option<egui::Color32>,
    content: impl FnOnce(&mut Ui) -> Response,
) -> Response {
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let margin = Margin::symmetric(9, 7);
    let frame = Frame::new().fill(tokens(ui).input).corner_radius(radius);
    let output = frame.inner_margin(margin).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        match size {
            FieldSize::Line => content(ui),
            FieldSize::Lines => {
                ScrollArea::vertical().max_height(MAX_HEIGHT).id_salt(salt).show(ui, content).inner
            }
        }
    });
    let (rect, response) = (output.response.rect, output.inner);
    outline(ui, rect, &response, problem_color);
    response
}

fn outline(ui: &Ui, rect: Rect, response: &Response, problem_color: Option<egui::Color32>) {
    let tokens = tokens(ui);
    let (stroke, kind) = match problem_color {
        // The focus comes before a problem, since it must always be visible.
        _ if response.has_focus() => (Stroke::new(2.0, tokens.ring), StrokeKind::Middle),
        Some(color) => (Stroke::new(1.0, color), StrokeKind::Inside),
        None if response.hovered() => (Stroke::new(1.0, tokens.strong), StrokeKind::Inside),
        None => (Stroke::new(1.0, tokens.line), StrokeKind::Inside),
    };
    ui.painter().rect_stroke(rect, theme::RADIUS_CONTROL, stroke, kind);
}

/// Moves the cursor of the form to the field with the keyboard focus.
pub(super) fn sync_cursor(response: &Response, state: &mut FormState<'_>, spot: FormCursor) {
    // Only on a change, or each frame would push an action and request the next frame.
    if response.gained_focus() && state.props.desk.cursor != Some(spot) {
        state.push(SessionsAction::Point(Some(spot)));
    }
}

/// Height of a problem below its row.
pub(super) const PROBLEM_HEIGHT: f32 = 36.0;

/// Draws a problem with its fixes in a row.
pub(super) fn problem_row_ui(
    ui: &mut Ui,
    state: &mut FormState<'_>,
    problem: (&FieldProblem, &str),
) {
    ui.add_space(theme::GAP);
    let (rect, _) = widgets::allocate_row(ui, PROBLEM_HEIGHT, Sense::hover());
    problem_ui(ui, rect.with_min_x(rect.left() + theme::PADDING), state, problem);
    ui.add_space(theme::GAP);
}

/// Draws a problem with its fixes in an existing rect, on its tint, which begins at the left edge of the form.
pub(super) fn problem_ui(
    ui: &mut Ui,
    rect: Rect,
    state: &mut FormState<'_>,
    (problem, subject): (&FieldProblem, &str),
) {
    let colors = tokens(ui);
    let tone = widgets::severity_tone(problem.severity);
    let ground = rect.with_min_x(ui.max_rect().left().min(rect.left()));
    ui.painter().rect_filled(ground, 0.0, colors.tint_of(tone));
    // The problem was found in this text; in another one the fix might hit something else.
    let base = state.props.data.revision;
    let inner = rect.with_max_x(rect.right() - theme::PADDING);
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        // Reversed, because they are laid out from the right.
        for (name, edit) in problem.fixes.iter().rev() {
            let fix = widgets::link(ui, name);
            // Links of all rows have the same label.
            widgets::describe(&fix, egui::Role::Button, &format!("{name}: {subject}"));
            if fix.clicked() {
                state.push(SessionsAction::Edit(base, edit.clone()));
            }
        }
    });
    let icon = (widgets::icons::severity(problem.severity), colors.tone(tone));
    let room = inner.with_max_x(right - theme::GAP);
    let response = ui.interact(room, ui.auto_id_with(("wrong", subject)), Sense::hover());
    widgets::describe(&response, egui::Role::Label, &problem.message);
    widgets::paint_icon_word(ui, room, icon, (&problem.message, colors.text_strong));
    widgets::tip(response, &problem.message, &[] as &[&str]);
}
