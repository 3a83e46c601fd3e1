//! The form that starts the recorder.

use egui::Ui;

use super::calls_ui::calls_action;
use super::form_ui::{FormInput, consume_enter, fault_ui, foot_ui, general_fault_ui};
use crate::ui::dialog::{DialogHead, dialog, row, small_text};
use crate::ui::widgets::{Segment, segmented};
use crate::ui::{icons, theme};
use crate::workbench::{
    Action, CallsAction, ListenerKind, RecordForm, StartFault, StartField, UpstreamChoice,
    Workbench,
};

/// Draws the form over the desk. `opened` is true in the first frame.
pub fn record_ui(ui: &mut Ui, workbench: &Workbench, opened: bool, actions: &mut Vec<Action>) {
    let desk = &workbench.live.calls;
    let mut form = desk.record_form.clone();
    let fault = desk.fault(ListenerKind::Recorder);
    let head = DialogHead {
        icon: icons::RADIO,
        title: "Record calls",
        detail: "Forwards calls and saves each call as a tape. API keys are never saved.",
    };
    let entered = consume_enter(ui, opened);
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        upstream_ui(ui, &mut form, fault);
        place_ui(ui, &mut form, fault);
        names_ui(ui, &mut form);
        general_fault_ui(ui, fault);
        ui.add_space(theme::GAP);
    };
    let mut pressed = false;
    dialog(ui, "record calls", head, actions, body, |ui, actions| {
        pressed = foot_ui(ui, desk, (ListenerKind::Recorder, opened), actions);
    });
    if form != desk.record_form {
        // Typed input is applied before clicks.
        actions.insert(0, calls_action(CallsAction::EditRecord(form)));
    }
    if pressed || entered {
        actions.push(calls_action(CallsAction::Start(ListenerKind::Recorder)));
    }
}

/// Adds the upstream address and the idle timeout.
fn upstream_ui(ui: &mut Ui, form: &mut RecordForm, fault: Option<&StartFault>) {
    row(ui, "Upstream", |ui| {
        let segments = ["Anthropic", "OpenAI", "Gemini", "Other"].map(Segment::text);
        let chosen = UpstreamChoice::ALL.iter().position(|it| *it == form.upstream);
        let pressed = segmented(ui, &segments, chosen.unwrap_or_default());
        if let Some(upstream) = pressed.and_then(|at| UpstreamChoice::ALL.get(at)) {
            form.upstream = *upstream;
        }
        match form.upstream.url() {
            Some(url) => small_text(ui, url),
            None => {
                let mut input = FormInput::new(StartField::Upstream, "Upstream address");
                input.hint = "https://models.example";
                input.show(ui, &mut form.url, 240.0, fault);
            }
        }
    });
    fault_ui(ui, fault, StartField::Upstream);
    row(ui, "Idle timeout", |ui| {
        let input = FormInput::new(StartField::IdleTimeout, "Seconds without a byte");
        input.show(ui, &mut form.idle_timeout, 72.0, fault);
        small_text(ui, "s without a byte; then the client gets 504, or the answer is cut off");
    });
    fault_ui(ui, fault, StartField::IdleTimeout);
}

/// Adds the port and the folder for tapes.
fn place_ui(ui: &mut Ui, form: &mut RecordForm, fault: Option<&StartFault>) {
    row(ui, "Port", |ui| {
        let input = FormInput::new(StartField::Port, "Port of the recorder");
        input.show(ui, &mut form.port, 72.0, fault);
        small_text(ui, "on this computer only; 0 picks a free port");
    });
    fault_ui(ui, fault, StartField::Port);
    row(ui, "Save tapes to", |ui| {
        let input = FormInput::new(StartField::Folder, "Folder for the tapes");
        input.show(ui, &mut form.folder, 240.0, fault);
        small_text(ui, "in the open folder");
    });
    fault_ui(ui, fault, StartField::Folder);
}

/// Adds the label of tapes and the comment on them.
fn names_ui(ui: &mut Ui, form: &mut RecordForm) {
    row(ui, "Label", |ui| {
        let mut input = FormInput::without_field("Label of the tapes");
        input.hint = "name for new tapes";
        input.show(ui, &mut form.label, 240.0, None);
        small_text(ui, "unless the client sends x-retake-label");
    });
    row(ui, "Comment", |ui| {
        let mut input = FormInput::without_field("Comment on the tapes");
        input.hint = "comment on each tape";
        input.show(ui, &mut form.comment, 240.0, None);
    });
}
