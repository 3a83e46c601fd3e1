//! *Record and serve*: the recorder and the server at the left, and their calls beside them.

use egui::{Id, Key, Label, ScrollArea, Ui, vec2};
use jiff::tz::TimeZone;

use super::field_ui::{error_ui, field_ui};
use document::text::visible;
use protocol::{ListenState, ListenerKind, LiveCall};
use widgets::dialog::small_text;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText};
use workbench::{
    Action, Actions, CallsAction, CallsDesk, Command, ListenForm, LiveAction, Workbench,
    client_variables,
};

fn calls_action(action: CallsAction) -> Action {
    Action::from(LiveAction::Calls(action))
}

/// Draws the column at the left. `focus` is the request for the focus that was handled last.
pub(super) fn listeners_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    focus: &mut u64,
    actions: &mut Actions,
) {
    let desk = &workbench.live.calls;
    // A request for the focus is followed once, not in each frame.
    let wants_focus = std::mem::replace(focus, desk.focus) != desk.focus;
    ScrollArea::vertical().id_salt("listeners").auto_shrink(false).show(ui, |ui| {
        for kind in ListenerKind::ALL {
            widgets::padded(ui, |ui| {
                listener_ui(ui, workbench, (kind, wants_focus && desk.focused == kind), actions);
            });
            widgets::hair_line(ui);
        }
    });
}

fn listener_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    (kind, wants_focus): (ListenerKind, bool),
    actions: &mut Actions,
) {
    let listener = workbench.live.calls.listener(kind);
    let (icon, name, start, stop) = match kind {
        ListenerKind::Recorder => {
            (icons::RADIO, "Recorder", "Start recording", Command::StopRecording)
        }
        ListenerKind::Server => (icons::SERVER, "Server", "Start serving", Command::StopServing),
    };
    let state = match &listener.state {
        ListenState::Off => "off".to_owned(),
        ListenState::Starting => "starting…".to_owned(),
        ListenState::Listening(address) => address.to_string(),
        ListenState::Stopping => "stopping…".to_owned(),
        ListenState::Failed(_) => "not started".to_owned(),
    };
    widgets::heading(ui, icon, name, &state);
    ui.add_space(theme::GAP);
    if let Some(address) = listener.address() {
        small_text(ui, "Point a client on this computer here:");
        for (variable, url) in client_variables(address) {
            variable_ui(ui, variable, &format!("{variable}={url}"), actions);
        }
    } else if !listener.is_on() {
        let is_entered = form_ui(ui, kind, &listener.form, wants_focus, actions);
        if let ListenState::Failed(reason) = &listener.state {
            error_ui(ui, reason);
            ui.add_space(theme::GAP);
        }
        if ui.add(Button::secondary(start).icon(icons::PLAY)).clicked() || is_entered {
            actions.push(calls_action(CallsAction::Start(kind)));
        }
        return;
    }
    let button = Button::secondary(stop.name()).icon(icons::SQUARE);
    if ui.add(button.command(stop, stop.enabled(workbench))).clicked() {
        actions.push(calls_action(CallsAction::Stop(kind)));
    }
}

/// Adds the fields. Returns whether Enter was pressed in one.
fn form_ui(
    ui: &mut Ui,
    kind: ListenerKind,
    form: &ListenForm,
    mut wants_focus: bool,
    actions: &mut Actions,
) -> bool {
    let mut new_form = form.clone();
    let (port, path) = ("0: any free port", "in the open folder");
    let fields: &mut [(&str, &str, &mut String)] = match kind {
        ListenerKind::Recorder => &mut [
            ("Port of the recorder", port, &mut new_form.port),
            ("URL of the model API", "", &mut new_form.upstream),
            ("Folder for the tapes", path, &mut new_form.path),
        ],
        ListenerKind::Server => &mut [
            ("Port of the server", port, &mut new_form.port),
            ("Tapes or set to serve", "empty: all", &mut new_form.path),
        ],
    };
    let mut is_entered = false;
    for (name, note, text) in fields {
        let response = field_ui(ui, Id::unique(("listen", *name)), name, note, text);
        if std::mem::take(&mut wants_focus) {
            response.request_focus();
        }
        // egui takes the focus away from a one-line field on Enter.
        is_entered |= response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
    }
    // The desk owns the form; the fields edit a copy, and the change goes through an action.
    if new_form != *form {
        actions.push(calls_action(CallsAction::Edit(kind, new_form)));
    }
    is_entered
}

/// Adds a line that points a client at a listener, with a button that copies it.
fn variable_ui(ui: &mut Ui, name: &str, line: &str, actions: &mut Actions) {
    ui.horizontal_top(|ui| {
        if ui.add(Button::icon_only(icons::COPY, &format!("Copy {name}"))).clicked() {
            actions.push(Action::Copy(line.to_owned()));
        }
        let text = theme::text(line, theme::mono(theme::LABEL), tokens(ui).text);
        ui.add(Label::new(text).wrap().selectable(true));
    });
}

/// Draws the list of calls.
pub(super) fn calls_ui(ui: &mut Ui, desk: &CallsDesk, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let calls: Vec<&LiveCall> = desk.calls().collect();
    if calls.is_empty() {
        widgets::empty_state(ui, "Calls that are recorded or served appear here.", None);
        return;
    }
    let zone = TimeZone::system();
    List::new("Calls", &RowShape::TWO_LINES, calls.len())
        .selection(desk.selected, |id| calls.iter().position(|call| call.id == id))
        .show(ui, |slot| {
            let call = calls[slot.index];
            row_ui(slot, call, (desk.selected == Some(call.id), &zone), actions);
        });
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    call: &LiveCall,
    (is_selected, zone): (bool, &TimeZone),
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (icon, color) = match (&call.outcome, call.has_failed, call.id.listener) {
        (None, ..) => (icons::HOURGLASS, colors.accent),
        (_, true, _) => (icons::CIRCLE_X, colors.error),
        (_, _, ListenerKind::Recorder) => (icons::RADIO, colors.muted),
        (_, _, ListenerKind::Server) => (icons::SERVER, colors.muted),
    };
    let title = visible(&call.title);
    let outcome = visible(call.outcome.as_deref().unwrap_or("in progress"));
    let time = call.at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string();
    let right = StyledText::new().with(&time, theme::mono(theme::LABEL), colors.muted);
    let row = Row::new(format!("{title}, {outcome}"))
        .selected(is_selected)
        .line(Line::title(&title, colors).icon(icon, color).right(right))
        .line(Line::detail(&outcome, colors).under_icon())
        // The second line may be cut.
        .tip(&*outcome);
    let response = slot.show(row);
    widgets::on_click(&response, calls_action(CallsAction::Select(call.id)), actions);
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
}
