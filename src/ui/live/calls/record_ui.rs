//! The form with which the recorder is started.

use egui::{Align, Id, Layout, Ui};

use super::calls_ui::act;
use crate::ui::dialog::{Head, dialog, row, small, wrong};
use crate::ui::icons;
use crate::ui::theme;
use crate::ui::widgets::{Button, Field, FieldState, Segment, segmented};
use crate::workbench::{
    Action, CallsAction, CallsDesk, ListenState, Listener, RecordForm, StartFault, StartField,
    Upstream, Workbench,
};

/// Draws the form over the desk; `opened` says that it was not there before.
pub fn record_ui(ui: &mut Ui, workbench: &Workbench, opened: bool, actions: &mut Vec<Action>) {
    let desk = workbench.live_desk().calls();
    let mut form = desk.record_form().clone();
    let fault = desk.fault(Listener::Recorder);
    let head = Head {
        icon: icons::RADIO,
        title: "Record calls",
        detail: "Calls go through to the model as they are; each streamed answer becomes a tape. Keys are never written.",
    };
    let mut entered = false;
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        row(ui, "Model's side", |ui| {
            let segments = ["Anthropic", "OpenAI", "Gemini", "Another"].map(Segment::text);
            let chosen = Upstream::ALL.iter().position(|it| *it == form.upstream);
            let pressed = segmented(ui, &segments, chosen.unwrap_or_default());
            if let Some(upstream) = pressed.and_then(|at| Upstream::ALL.get(at)) {
                form.upstream = *upstream;
            }
            match form.upstream.url() {
                Some(url) => small(ui, url),
                None => {
                    let mut input = Input::new(StartField::Upstream, "Address of the model's side");
                    input.hint = "https://models.example";
                    entered |= input.show(ui, &mut form.url, 240.0, fault);
                }
            }
        });
        fault_ui(ui, fault, StartField::Upstream);
        row(ui, "Port", |ui| {
            let input = Input::new(StartField::Port, "Port of the recorder");
            entered |= input.show(ui, &mut form.port, 72.0, fault);
            small(ui, "on this computer only; 0 takes any that is free");
        });
        fault_ui(ui, fault, StartField::Port);
        row(ui, "Tapes into", |ui| {
            let input = Input::new(StartField::Folder, "Folder for the tapes");
            entered |= input.show(ui, &mut form.folder, 240.0, fault);
            small(ui, "in the folder that is open");
        });
        fault_ui(ui, fault, StartField::Folder);
        texts_ui(ui, &mut form, &mut entered);
        other_fault_ui(ui, fault);
        ui.add_space(theme::GAP);
    };
    let mut pressed = false;
    dialog(ui, "record calls", head, actions, body, |ui, actions| {
        pressed = foot_ui(ui, desk, (Listener::Recorder, opened), actions);
    });
    if form != *desk.record_form() {
        // What was typed counts before what was pressed.
        actions.insert(0, act(CallsAction::EditRecord(form)));
    }
    if pressed || entered {
        actions.push(act(CallsAction::Start(Listener::Recorder)));
    }
}

/// What tapes are called, and what is said of them.
fn texts_ui(ui: &mut Ui, form: &mut RecordForm, entered: &mut bool) {
    row(ui, "Label", |ui| {
        let mut input = Input::of("Label of the tapes");
        input.hint = "what tapes are called";
        *entered |= input.show(ui, &mut form.label, 240.0, None);
        small(ui, "unless the client says it by x-retake-label");
    });
    row(ui, "Comment", |ui| {
        let mut input = Input::of("Comment on the tapes");
        input.hint = "what is said of each";
        *entered |= input.show(ui, &mut form.comment, 240.0, None);
    });
}

/// A field of the form.
pub(super) struct Input {
    field: Option<StartField>,
    name: &'static str,
    hint: &'static str,
}

impl Input {
    pub(super) fn new(field: StartField, name: &'static str) -> Self {
        Self {
            field: Some(field),
            ..Self::of(name)
        }
    }

    fn of(name: &'static str) -> Self {
        Self {
            field: None,
            name,
            hint: "",
        }
    }

    /// Adds it; answers whether Enter was pressed in it. A field with a fault gets the focus.
    pub(super) fn show(
        &self,
        ui: &mut Ui,
        text: &mut String,
        width: f32,
        fault: Option<&StartFault>,
    ) -> bool {
        let is_wrong = self.field.is_some() && fault.is_some_and(|fault| fault.field == self.field);
        let id = Id::unique(("listen", self.name));
        let field = Field::new(id, self.name, text).hint(self.hint).mono();
        let field = match is_wrong {
            true => field.state(FieldState::Wrong),
            false => field,
        };
        let response = field.show(ui, width, |_| {}, |_| {});
        if is_wrong && ui.memory(|memory| memory.focused().is_none()) {
            response.request_focus();
        }
        response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))
    }
}

/// What is wrong with a field, below it.
pub(super) fn fault_ui(ui: &mut Ui, fault: Option<&StartFault>, field: StartField) {
    if let Some(fault) = fault.filter(|fault| fault.field == Some(field)) {
        wrong(ui, &format!("{}.", fault.words));
    }
}

/// What is wrong with no field.
pub(super) fn other_fault_ui(ui: &mut Ui, fault: Option<&StartFault>) {
    if let Some(fault) = fault.filter(|fault| fault.field.is_none()) {
        wrong(ui, &format!("{}.", fault.words));
    }
}

/// What can be decided; answers whether to start was pressed.
pub(super) fn foot_ui(
    ui: &mut Ui,
    desk: &CallsDesk,
    (which, opened): (Listener, bool),
    actions: &mut Vec<Action>,
) -> bool {
    let mut is_pressed = false;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let is_on = desk.address(which).is_some();
        let words = match (which, is_on) {
            (Listener::Recorder, false) => "Start recording",
            (Listener::Server, false) => "Start serving",
            (_, true) => "Start anew",
        };
        let reason = match desk.state(which) {
            ListenState::Starting => Some("it is being started"),
            ListenState::Stopping => Some("it is being stopped"),
            _ => None,
        };
        let start = ui.add(Button::primary(words).disabled(reason));
        if opened {
            start.request_focus();
        }
        is_pressed = start.clicked();
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        if ui.add(cancel.tooltip("Starts nothing")).clicked() {
            actions.push(Action::SetOverlay(None));
        }
    });
    is_pressed
}
