//! The form that starts the recorder.

use egui::Ui;

use super::calls_ui::act;
use super::form_ui::{Input, fault_ui, foot_ui, other_fault_ui, takes_enter};
use crate::ui::dialog::{Head, dialog, row, small};
use crate::ui::icons;
use crate::ui::theme;
use crate::ui::widgets::{Segment, segmented};
use crate::workbench::{
    Action, CallsAction, Listener, RecordForm, StartFault, StartField, Upstream, Workbench,
};

/// Draws the form over the desk. `opened` is true in the first frame.
pub fn record_ui(ui: &mut Ui, workbench: &Workbench, opened: bool, actions: &mut Vec<Action>) {
    let desk = workbench.live_desk().calls();
    let mut form = desk.record_form().clone();
    let fault = desk.fault(Listener::Recorder);
    let head = Head {
        icon: icons::RADIO,
        title: "Record calls",
        detail: "Calls are forwarded to the model unchanged; each streamed answer is saved as a tape. Keys are never saved.",
    };
    let entered = takes_enter(ui, opened);
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        upstream_ui(ui, &mut form, fault);
        place_ui(ui, &mut form, fault);
        texts_ui(ui, &mut form);
        other_fault_ui(ui, fault);
        ui.add_space(theme::GAP);
    };
    let mut pressed = false;
    dialog(ui, "record calls", head, actions, body, |ui, actions| {
        pressed = foot_ui(ui, desk, (Listener::Recorder, opened), actions);
    });
    if form != *desk.record_form() {
        // Typed input is applied before clicks.
        actions.insert(0, act(CallsAction::EditRecord(form)));
    }
    if pressed || entered {
        actions.push(act(CallsAction::Start(Listener::Recorder)));
    }
}

/// Adds the upstream address and the idle timeout.
fn upstream_ui(ui: &mut Ui, form: &mut RecordForm, fault: Option<&StartFault>) {
    row(ui, "Upstream", |ui| {
        let segments = ["Anthropic", "OpenAI", "Gemini", "Other"].map(Segment::text);
        let chosen = Upstream::ALL.iter().position(|it| *it == form.upstream);
        let pressed = segmented(ui, &segments, chosen.unwrap_or_default());
        if let Some(upstream) = pressed.and_then(|at| Upstream::ALL.get(at)) {
            form.upstream = *upstream;
        }
        match form.upstream.url() {
            Some(url) => small(ui, url),
            None => {
                let mut input = Input::new(StartField::Upstream, "Upstream address");
                input.hint = "https://models.example";
                input.show(ui, &mut form.url, 240.0, fault);
            }
        }
    });
    fault_ui(ui, fault, StartField::Upstream);
    row(ui, "Idle timeout", |ui| {
        let input = Input::new(StartField::Patience, "Seconds without a byte");
        input.show(ui, &mut form.patience, 72.0, fault);
        small(
            ui,
            "s without a byte; then the client gets 504, or the answer is cut off",
        );
    });
    fault_ui(ui, fault, StartField::Patience);
}

/// Adds the port and the folder for tapes.
fn place_ui(ui: &mut Ui, form: &mut RecordForm, fault: Option<&StartFault>) {
    row(ui, "Port", |ui| {
        let input = Input::new(StartField::Port, "Port of the recorder");
        input.show(ui, &mut form.port, 72.0, fault);
        small(ui, "on this computer only; 0 picks a free port");
    });
    fault_ui(ui, fault, StartField::Port);
    row(ui, "Save tapes to", |ui| {
        let input = Input::new(StartField::Folder, "Folder for the tapes");
        input.show(ui, &mut form.folder, 240.0, fault);
        small(ui, "in the open folder");
    });
    fault_ui(ui, fault, StartField::Folder);
}

/// Adds the label of tapes and the comment on them.
fn texts_ui(ui: &mut Ui, form: &mut RecordForm) {
    row(ui, "Label", |ui| {
        let mut input = Input::of("Label of the tapes");
        input.hint = "name for new tapes";
        input.show(ui, &mut form.label, 240.0, None);
        small(ui, "unless the client sends x-retake-label");
    });
    row(ui, "Comment", |ui| {
        let mut input = Input::of("Comment on the tapes");
        input.hint = "comment on each tape";
        input.show(ui, &mut form.comment, 240.0, None);
    });
}
