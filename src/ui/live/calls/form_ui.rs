//! Shared parts of the recorder and server forms: fields, errors, and buttons.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use crate::ui::dialog::error_text;
use crate::ui::widgets::{Button, FieldState, TextField};
use crate::workbench::{Action, CallsDesk, ListenState, ListenerKind, StartFault, StartField};

/// Consumes Enter for the whole form, whatever has the focus, except "Cancel". The Enter that `opened` the form does
/// not count.
pub(super) fn consume_enter(ui: &Ui, opened: bool) -> bool {
    let focused = ui.memory(|memory| memory.focused());
    let cancel = ui.data(|data| data.get_temp::<Id>(cancel_id()));
    if opened || focused.is_some() && focused == cancel {
        return false;
    }
    let is_pressed = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
    if let Some(focused) = focused.filter(|_| is_pressed) {
        // A field with an error gets it.
        ui.memory_mut(|memory| memory.surrender_focus(focused));
    }
    is_pressed
}

fn cancel_id() -> Id {
    Id::unique("cancel of the listener form")
}

/// A field of a form.
pub(super) struct FormInput {
    field: Option<StartField>,
    name: &'static str,
    pub(super) hint: &'static str,
}

impl FormInput {
    pub(super) fn new(field: StartField, name: &'static str) -> Self {
        Self { field: Some(field), ..Self::without_field(name) }
    }

    pub(super) fn without_field(name: &'static str) -> Self {
        Self { field: None, name, hint: "" }
    }

    /// Adds the field. A field with an error gets the focus.
    pub(super) fn show(
        &self,
        ui: &mut Ui,
        text: &mut String,
        width: f32,
        fault: Option<&StartFault>,
    ) {
        let is_wrong = self.field.is_some() && fault.is_some_and(|fault| fault.field == self.field);
        let id = Id::unique(("listen", self.name));
        let field = TextField::new(id, self.name, text).hint(self.hint).mono();
        let field = if is_wrong { field.state(FieldState::Invalid) } else { field };
        let response = field.show(ui, width, |_| {}, |_| {});
        if is_wrong && ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
    }
}

/// Adds the error of a field below it.
pub(super) fn fault_ui(ui: &mut Ui, fault: Option<&StartFault>, field: StartField) {
    if let Some(fault) = fault.filter(|fault| fault.field == Some(field)) {
        error_text(ui, &format!("{}.", fault.message));
    }
}

/// Adds the error that belongs to no field.
pub(super) fn general_fault_ui(ui: &mut Ui, fault: Option<&StartFault>) {
    if let Some(fault) = fault.filter(|fault| fault.field.is_none()) {
        error_text(ui, &format!("{}.", fault.message));
    }
}

/// Adds the buttons. Returns whether the start button was clicked.
pub(super) fn foot_ui(
    ui: &mut Ui,
    desk: &CallsDesk,
    (which, opened): (ListenerKind, bool),
    actions: &mut Vec<Action>,
) -> bool {
    let mut is_pressed = false;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let is_on = desk.address(which).is_some();
        let words = match (which, is_on) {
            (ListenerKind::Recorder, false) => "Start recording",
            (ListenerKind::Server, false) => "Start serving",
            (_, true) => "Restart",
        };
        let reason = match desk.state(which) {
            ListenState::Starting => Some("it is starting"),
            ListenState::Stopping => Some("it is stopping"),
            _ => None,
        };
        let start = ui.add(Button::primary(words).disabled(reason));
        if opened {
            start.request_focus();
        }
        is_pressed = start.clicked();
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        let cancel = ui.add(cancel.tooltip("Closes without starting anything"));
        ui.data_mut(|data| data.insert_temp(cancel_id(), cancel.id));
        if cancel.clicked() {
            actions.push(Action::SetOverlay(None));
        }
    });
    is_pressed
}
