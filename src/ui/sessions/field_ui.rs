//! Paints a field of a session: its name, its input, and its problem.

use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Align2, Frame, Margin, Response, ScrollArea, Sense, TextEdit, Ui, vec2};

use super::form_ui::Form;
use super::sessions_data::{FieldProblem, FieldSpec};
use document::{NodeKind, Severity};
use widgets::theme::{self, tokens};
use widgets::{FieldState, Line, StyledText, fields, icons};
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
    form: &mut Form<'a>,
    spec: &FieldSpec,
    content: impl FnOnce(&mut Ui, &mut Form<'a>),
) {
    Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 0)).show(ui, |ui| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let size = vec2(NAME_WIDTH, theme::CONTROL_LARGE);
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            let name = Line::new(spec.name, theme::regular(theme::ROW), tokens(ui).text);
            name.show_in(ui, rect.with_max_x(rect.right() - theme::GAP));
            widgets::hint(response, spec.meaning);
            ui.vertical(|ui| content(ui, form));
        });
    });
    match form.props.data.problem_at(FormCursor::Field(spec.key)) {
        Some(problem) => problem_row_ui(ui, form, (&problem, spec.name)),
        None => ui.add_space(theme::SECTION_GAP),
    }
}

/// Draws a field of the session with its name and its problem.
pub(super) fn field_ui(
    ui: &mut Ui,
    form: &mut Form<'_>,
    spec: &'static FieldSpec,
    (size, font): (FieldSize, FieldFont),
) {
    let data = form.props.data;
    let pointer = data.pointer(spec.key);
    let kind = if spec.is_required { InputKind::Text } else { InputKind::Optional };
    let state = match data.problem_at(FormCursor::Field(spec.key)).map(|p| p.severity) {
        None => FieldState::Valid,
        Some(Severity::Error) => FieldState::Invalid,
        Some(_) => FieldState::Doubtful,
    };
    let input = FieldInput { pointer: &pointer, kind, name: spec.name, font };
    named_row(ui, form, spec, |ui, form| {
        let response = framed(ui, form, (size, spec.key), state, input);
        widgets::hint(response.clone(), spec.meaning);
        sync_cursor(&response, form, FormCursor::Field(spec.key));
    });
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
    form: &mut Form<'_>,
    input: FieldInput<'_>,
    size: FieldSize,
) -> Response {
    let tokens = tokens(ui);
    let node = form.props.data.node(input.pointer);
    let mut text = form.props.desk.drafts.text(input.pointer, input.kind, node);
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
    let output = edit
        .id(id)
        .font(font)
        .text_color(tokens.text_strong)
        .frame(Frame::NONE)
        .margin(Margin::ZERO)
        .desired_width(ui.available_width())
        .min_size(vec2(0.0, 18.0))
        .hint_text(hint.color(tokens.muted))
        .show(ui);
    let response = output.response.response;
    if response.changed() {
        let (pointer, name) = (input.pointer.to_owned(), input.name.to_owned());
        let field = DraftField { pointer, name, kind: input.kind };
        form.push(SessionsAction::Draft(field, text));
    }
    // Live text is in the file already and is undone there; in a large field, Esc closes the panel.
    if size == FieldSize::Line && !input.kind.is_live() && is_cancelled(ui, &response) {
        form.push(SessionsAction::CancelDraft(input.pointer.to_owned()));
    }
    if form.focus_request.as_deref() == Some(input.pointer) {
        *form.focus_request = None;
        response.request_focus();
    }
    // An object without members is an unfinished one.
    let is_whole = size == FieldSize::Line || old_text == "{}";
    // Only if the focus was moved by keyboard: a click puts the caret where the user pointed.
    if is_whole && response.gained_focus() && !response.changed() && !is_hovered(ui) {
        select_all(ui, id, old_text.chars().count());
    }
    if response.has_focus() {
        form.focused = Some(input.pointer.to_owned());
    }
    response.accessible_name(input.name)
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

/// Draws the input in the frame of a field.
pub(super) fn framed(
    ui: &mut Ui,
    form: &mut Form<'_>,
    (size, salt): (FieldSize, &str),
    state: FieldState,
    input: FieldInput<'_>,
) -> Response {
    widgets::framed_field(ui, Margin::symmetric(9, 7), state, |ui| {
        ui.set_min_width(ui.available_width());
        let mut content = |ui: &mut Ui| field_input_ui(ui, form, input, size);
        match size {
            FieldSize::Line => content(ui),
            FieldSize::Lines => {
                ScrollArea::vertical().max_height(MAX_HEIGHT).id_salt(salt).show(ui, content).inner
            }
        }
    })
}

/// Moves the cursor of the form to the field with the keyboard focus.
pub(super) fn sync_cursor(response: &Response, form: &mut Form<'_>, spot: FormCursor) {
    // Only on a change, or each frame would push an action and request the next frame.
    if response.gained_focus() && form.props.desk.cursor != Some(spot) {
        form.push(SessionsAction::Point(Some(spot)));
    }
}

/// Height of a problem below its row.
pub(super) const PROBLEM_HEIGHT: f32 = 36.0;

/// Draws a problem with its fixes in a row.
pub(super) fn problem_row_ui(ui: &mut Ui, form: &mut Form<'_>, problem: (&FieldProblem, &str)) {
    ui.add_space(theme::GAP);
    problem_ui(ui, 0.0, form, problem);
    ui.add_space(theme::GAP);
}

/// Draws a problem of a subject with its fixes on its tint, indented.
pub(super) fn problem_ui(
    ui: &mut Ui,
    indent: f32,
    form: &mut Form<'_>,
    (problem, subject): (&FieldProblem, &str),
) {
    let colors = tokens(ui);
    let tone = widgets::severity_tone(problem.severity);
    // The problem was found in this text; in another one the fix might hit something else.
    let base = form.props.data.revision;
    let content = |ui: &mut Ui| {
        // Reversed, because they are laid out from the right.
        for (name, edit) in problem.fixes.iter().rev() {
            let fix = widgets::link(ui, name);
            // Links of all rows have the same label.
            widgets::describe(&fix, egui::Role::Button, &format!("{name}: {subject}"));
            if fix.clicked() {
                form.push(SessionsAction::Edit(base, edit.clone()));
            }
        }
        widgets::at_left(ui, |ui| {
            ui.add_space(indent);
            let icon = icons::severity(problem.severity);
            widgets::icon(ui, icon, theme::ICON, colors.tone(tone));
            let (font, color) = (theme::regular(theme::ROW), colors.text_strong);
            let message = StyledText::new().with(&problem.message, font, color).show(ui);
            widgets::hint(message, &problem.message);
        });
    };
    Frame::new().fill(colors.tint_of(tone)).show(ui, |ui| {
        widgets::strip(ui, PROBLEM_HEIGHT, |ui| {
            widgets::at_right(ui, content);
        });
    });
}
