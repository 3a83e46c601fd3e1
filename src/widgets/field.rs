//! Fields for text.

use egui::{
    Align, CornerRadius, Frame, Id, Margin, Rect, Response, ScrollArea, Stroke, StrokeKind,
    TextEdit, Ui, vec2,
};

use super::{place_left, place_right, styled_text};
use crate::icons;
use crate::theme::{self, tokens};

/// Maximum height of a field of several lines, unless it begins higher.
const MAX_LINES_HEIGHT: f32 = 160.0;

/// The state of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldState {
    /// Valid input.
    #[default]
    Valid,
    /// Doubtful input: the stroke is yellow, and a message beside it says why.
    Doubtful,
    /// Invalid input: the stroke is red, and a message beside it says why.
    Invalid,
}

/// A one-line text field.
#[must_use = "add it to a layout with `show`"]
pub struct TextField<'a> {
    text: &'a mut String,
    id: Id,
    name: &'a str,
    hint: &'a str,
    icon: Option<&'a str>,
    mono: bool,
    align: Align,
    state: FieldState,
}

impl<'a> TextField<'a> {
    /// Creates a field for `text`. `name` is its name for screen readers; `id` is its id for the focus.
    pub fn new(id: Id, name: &'a str, text: &'a mut String) -> Self {
        Self {
            text,
            id,
            name,
            hint: "",
            icon: None,
            mono: false,
            align: Align::LEFT,
            state: FieldState::Valid,
        }
    }

    /// Creates a search field with a magnifier icon.
    pub fn search(id: Id, name: &'a str, text: &'a mut String) -> Self {
        Self { icon: Some(icons::SEARCH), ..Self::new(id, name, text) }
    }

    /// Sets the placeholder text.
    pub fn hint(self, hint: &'a str) -> Self {
        Self { hint, ..self }
    }

    /// Uses the data font.
    pub fn mono(self) -> Self {
        Self { mono: true, ..self }
    }

    /// Uses the data font, aligned right.
    pub fn number(mut self) -> Self {
        self.mono = true;
        self.align = Align::RIGHT;
        self
    }

    /// Sets the state.
    pub fn state(self, state: FieldState) -> Self {
        Self { state, ..self }
    }

    /// Adds the field, `width` wide. `prefix_ui` is placed left of the text (chips), `suffix_ui` at the right edge (counts,
    /// keys).
    pub fn show(
        self,
        ui: &mut Ui,
        width: f32,
        prefix_ui: impl FnOnce(&mut Ui),
        suffix_ui: impl FnOnce(&mut Ui),
    ) -> Response {
        let tokens = tokens(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(width, theme::CONTROL), egui::Sense::hover());
        ui.painter().rect_filled(rect, theme::RADIUS_CONTROL, tokens.input);
        let state = self.state;
        let mut content = rect.shrink2(vec2(9.0, 1.0));

        // The right end first: text and chips get the rest.
        let ((), right) = place_right(ui, content, |ui| {
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            suffix_ui(ui);
        });
        content.max.x = right - 4.0;
        if let Some(icon) = self.icon {
            let center = content.left_center() + vec2(theme::ICON / 2.0, 0.0);
            styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, tokens.muted);
            content.min.x += theme::ICON + theme::ICON_GAP;
        }
        // Half a point up aligns the text with its neighbours.
        let response = place_left(ui, content.translate(vec2(0.0, -0.5)), |ui| {
            // Two points more, so that the caret at either end is not cut.
            ui.set_clip_rect(ui.clip_rect().intersect(content.expand2(vec2(2.0, 0.0))));
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            prefix_ui(ui);
            self.add_edit(ui, None)
        });
        // After the text, whose focus decides the stroke.
        field_border(ui, rect, &response, state);
        response
    }
}

impl TextField<'_> {
    /// Adds a field of several lines, as wide as the layout. It has the height of `rows` while it is empty, and grows with its text.
    pub fn show_lines(self, ui: &mut Ui, rows: usize) -> Response {
        let (id, state) = (self.id, self.state);
        let height = MAX_LINES_HEIGHT.max(rows as f32 * theme::TEXT_LINE);
        framed_field(ui, Margin::symmetric(9, 5), state, |ui| {
            let area = ScrollArea::vertical().id_salt(id).max_height(height);
            area.show(ui, |ui| self.add_edit(ui, Some(rows))).inner
        })
    }

    fn add_edit(self, ui: &mut Ui, rows: Option<usize>) -> Response {
        let tokens = tokens(ui);
        let font = if self.mono { theme::mono(theme::LABEL) } else { theme::regular(theme::ROW) };
        let hint = theme::text(self.hint, theme::regular(theme::ROW), tokens.muted);
        let edit = match rows {
            Some(rows) => TextEdit::multiline(self.text).desired_rows(rows),
            None => {
                TextEdit::singleline(self.text).align(egui::Align2([self.align, Align::Center]))
            }
        };
        let edit = edit
            .id(self.id)
            .font(font)
            .text_color(tokens.text_strong)
            .hint_text(hint)
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(f32::INFINITY);
        ui.add(edit).accessible_name(self.name)
    }
}

/// Adds a field in the frame that all fields have.
pub fn framed_field(
    ui: &mut Ui,
    margin: Margin,
    state: FieldState,
    field: impl FnOnce(&mut Ui) -> Response,
) -> Response {
    let frame = Frame::new().fill(tokens(ui).input).corner_radius(theme::RADIUS_CONTROL);
    let output = frame.inner_margin(margin).show(ui, field);
    // Painted last: the border must not scroll with the text.
    field_border(ui, output.response.rect, &output.inner, state);
    output.inner
}

/// Draws the border of a field.
pub fn field_border(ui: &Ui, rect: Rect, response: &Response, state: FieldState) {
    let tokens = tokens(ui);
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let (stroke, kind) = match state {
        // The focus comes before an error, since it must always be visible; the message beside the field stays.
        _ if response.has_focus() => (Stroke::new(2.0, tokens.ring), StrokeKind::Middle),
        FieldState::Doubtful => (Stroke::new(1.0, tokens.warning), StrokeKind::Inside),
        FieldState::Invalid => (Stroke::new(1.0, tokens.error), StrokeKind::Inside),
        FieldState::Valid if response.hovered() => {
            (Stroke::new(1.0, tokens.strong), StrokeKind::Inside)
        }
        FieldState::Valid => (Stroke::new(1.0, tokens.line), StrokeKind::Inside),
    };
    ui.painter().rect_stroke(rect, radius, stroke, kind);
}
