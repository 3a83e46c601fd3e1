//! Forms: fields that are described by their label, kind, value, fault and explanation.

use egui::{Id, Key, Response, Sense, Ui};

use super::place::{allocate_row, place_left};
use super::styled_text::StyledText;
use super::{
    Button, FieldState, Line, TextField, check_box, describe, hint, menu, menu_switch, segmented,
};
use crate::theme::{self, tokens};
use crate::{Segment, icons};

/// Width of the labels beside the fields.
const LABELS_WIDTH: f32 = 128.0;
/// Below this width of a form its labels are above the fields.
const LABELS_BESIDE_MIN_WIDTH: f32 = 480.0;

/// Up to this many names are side by side.
const MAX_SEGMENTS: usize = 4;

/// A value of a form, by the kind of its field.
enum FieldKind<'a> {
    /// One line of text.
    Text(&'a mut String),
    /// Lines of text, with their number while the field is empty.
    Lines(&'a mut String, usize),
    /// One of a few names, by its index.
    Choice(&'a [&'a str], &'a mut usize),
    /// On or off.
    Switch(&'a mut bool),
    /// A text that is not edited here.
    Fixed(&'a str),
}

/// A field with its label.
#[must_use = "add it to a layout with `show`"]
pub struct FormField<'a> {
    label: &'a str,
    name: &'a str,
    kind: FieldKind<'a>,
    hint: &'a str,
    note: &'a str,
    fault: Option<&'a str>,
    tip: &'a str,
    width: f32,
    is_data: bool,
}

impl<'a> FormField<'a> {
    fn new(label: &'a str, kind: FieldKind<'a>) -> Self {
        Self {
            label,
            name: label,
            kind,
            hint: "",
            note: "",
            fault: None,
            tip: "",
            width: f32::INFINITY,
            is_data: false,
        }
    }

    /// Creates a field for one line of text.
    pub fn text(label: &'a str, text: &'a mut String) -> Self {
        Self::new(label, FieldKind::Text(text))
    }

    /// Creates a field for one line in the data font.
    pub fn data(label: &'a str, text: &'a mut String) -> Self {
        Self { is_data: true, ..Self::text(label, text) }
    }

    /// Creates a field for several lines, which has the height of `rows` while it is empty.
    pub fn lines(label: &'a str, text: &'a mut String, rows: usize) -> Self {
        Self::new(label, FieldKind::Lines(text, rows))
    }

    /// Creates a choice of one among a few names.
    pub fn choice(label: &'a str, names: &'a [&'a str], index: &'a mut usize) -> Self {
        Self::new(label, FieldKind::Choice(names, index))
    }

    /// Creates a check box, whose words are the `note`.
    pub fn switch(label: &'a str, is_on: &'a mut bool) -> Self {
        Self::new(label, FieldKind::Switch(is_on))
    }

    /// Creates a row with a text that cannot be edited.
    pub fn fixed(label: &'a str, text: &'a str) -> Self {
        Self::new(label, FieldKind::Fixed(text))
    }

    /// Sets the name for screen readers, if the label needs its surroundings.
    pub fn name(self, name: &'a str) -> Self {
        Self { name, ..self }
    }

    /// Sets the placeholder of an empty field.
    pub fn hint(self, hint: &'a str) -> Self {
        Self { hint, ..self }
    }

    /// Sets what the value may be, or how it is understood.
    pub fn note(self, note: &'a str) -> Self {
        Self { note, ..self }
    }

    /// Sets why the value is not valid, without a full stop.
    pub fn fault(self, fault: Option<&'a str>) -> Self {
        Self { fault, ..self }
    }

    /// Sets the explanation, which is shown on hover.
    pub fn tip(self, tip: &'a str) -> Self {
        Self { tip, ..self }
    }

    /// Sets the width of the field itself; without it, it is as wide as the form.
    pub fn width(self, width: f32) -> Self {
        Self { width, ..self }
    }

    /// Uses the data font.
    pub fn mono(self) -> Self {
        Self { is_data: true, ..self }
    }

    /// Adds the field: its label beside it, or above it in a narrow form.
    pub fn show(self, ui: &mut Ui, id: Id) -> Response {
        let is_wide = ui.available_width() >= LABELS_BESIDE_MIN_WIDTH;
        let fault = self.fault;
        let indent = if is_wide { LABELS_WIDTH } else { 0.0 };
        let response = match self.kind {
            FieldKind::Lines(..) => self.below(ui, id),
            _ if is_wide => self.beside(ui, id),
            _ => self.below(ui, id),
        };
        if let Some(fault) = fault {
            fault_ui(ui, fault, indent);
        }
        response
    }

    fn beside(self, ui: &mut Ui, id: Id) -> Response {
        let note = if matches!(self.kind, FieldKind::Switch(_)) { "" } else { self.note };
        form_row(ui, self.label, |ui| {
            let response = self.control(ui, id);
            crate::muted(ui, note);
            response
        })
    }

    fn below(self, ui: &mut Ui, id: Id) -> Response {
        let colors = tokens(ui);
        if !matches!(self.kind, FieldKind::Switch(_)) {
            StyledText::new()
                .with(self.label, theme::medium(theme::LABEL), colors.text)
                .after(theme::ICON_GAP, self.note, theme::regular(theme::LABEL), colors.muted)
                .show(ui);
            ui.add_space(4.0);
        }
        let response = self.control(ui, id);
        ui.add_space(theme::GAP);
        response
    }

    fn control(self, ui: &mut Ui, id: Id) -> Response {
        let state = if self.fault.is_some() { FieldState::Invalid } else { FieldState::Valid };
        let field = |text| {
            let field = TextField::new(id, self.name, text).hint(self.hint).state(state);
            if self.is_data { field.mono() } else { field }
        };
        // A field that ends where its form ends gets its note on hover.
        let width = self.width.min(ui.available_width());
        let response = match self.kind {
            FieldKind::Text(text) => field(text).show(ui, width, |_| {}, |_| {}),
            FieldKind::Lines(text, rows) => field(text).show_lines(ui, rows),
            FieldKind::Choice(names, index) => choice_ui(ui, id, self.name, names, index),
            FieldKind::Switch(is_on) => check_box(ui, is_on, self.note),
            FieldKind::Fixed(text) => {
                let font = theme::regular(theme::BODY);
                let font = if self.is_data { theme::mono(theme::LABEL) } else { font };
                StyledText::new().with(text, font, tokens(ui).text).show(ui)
            }
        };
        if self.tip.is_empty() { response } else { hint(response, self.tip) }
    }
}

/// Adds a choice among names: side by side, or if they are many, in a menu.
fn choice_ui(ui: &mut Ui, id: Id, label: &str, names: &[&str], index: &mut usize) -> Response {
    if names.len() <= MAX_SEGMENTS {
        let segments: Vec<Segment<'_>> = names.iter().map(|name| Segment::text(name)).collect();
        let group = ui.push_id(id, |ui| {
            *index = segmented(ui, &segments, *index).unwrap_or(*index);
        });
        return group.response;
    }
    let text = names.get(*index).copied().unwrap_or_default();
    let button = Button::secondary(text).trailing(icons::CHEVRON_DOWN).name_for_readers(label);
    let response = ui.push_id(id, |ui| ui.add(button.width(ui.available_width()))).inner;
    menu(&response, |ui| {
        for (place, name) in names.iter().enumerate() {
            if menu_switch(ui, name, "", (place == *index, true)) {
                *index = place;
                ui.close();
            }
        }
    });
    response
}

/// Adds a row of a form whose labels are beside its fields: a label, and any content.
pub fn form_row<R>(ui: &mut Ui, label: &str, content: impl FnOnce(&mut Ui) -> R) -> R {
    let (rect, _) = allocate_row(ui, theme::CONTROL + 6.0, Sense::hover());
    let (left, right) = rect.split_left_right_at_x(rect.left() + LABELS_WIDTH);
    place_left(ui, left, |ui| crate::muted(ui, label));
    place_left(ui, right, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        content(ui)
    })
}

/// Adds the reason why a value is not valid, without a full stop, below its field.
fn fault_ui(ui: &mut Ui, fault: &str, indent: f32) {
    let color = tokens(ui).error;
    let (rect, response) = allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    let text = format!("{fault}.");
    describe(&response, egui::Role::Label, &text);
    let line = Line::icon_word((icons::OCTAGON_X, color), (&text, color));
    line.show_in(ui, rect.with_min_x(rect.left() + indent));
    response.on_hover_text(text);
}

/// Returns whether Enter was pressed in a field of one line, which then loses the focus. Tab and a click elsewhere do the same, and
/// enter nothing.
pub fn is_entered(ui: &Ui, response: &Response) -> bool {
    response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    #[test]
    fn a_field_has_its_name_its_fault_and_its_value_at_every_width() {
        for width in [300.0, 700.0] {
            let paint = |ui: &mut Ui, (text, index): &mut (String, usize)| {
                theme::install(ui.ctx(), protocol::Theme::Dark);
                let field = FormField::text("Port", text).name("Port of the server");
                field.fault(Some("Expected a number")).show(ui, Id::unique("port"));
                let field = FormField::choice("Theme", &["Light", "Dark"], index);
                field.show(ui, Id::unique("theme"));
            };
            let size = egui::vec2(width, 200.0);
            let mut harness =
                Harness::builder().with_size(size).build_ui_state(paint, (String::new(), 0));
            harness.get_by_label("Expected a number.");
            harness.get_by_label("Dark").click();
            harness.get_by_label("Port of the server").focus();
            harness.run();
            harness.get_by_label("Port of the server").type_text("8");
            harness.run();
            assert_eq!(*harness.state(), ("8".to_owned(), 1), "{width}");
        }
    }
}
