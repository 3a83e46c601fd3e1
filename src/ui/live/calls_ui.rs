//! *Record and serve*: the recorder and the server at the left, and their calls beside them.

use std::net::SocketAddr;

use egui::{Id, Label, ScrollArea, Ui, vec2};
use jiff::tz::TimeZone;

use document::text::visible;
use protocol::{ListenState, ListenerKind, LiveCall};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, Line, List, Row, RowShape, RowSlot, StyledText, is_entered};
use workbench::{
    Action, Actions, CallsAction, Command, Listener, LiveAction, Workbench, client_variables,
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
        // Once: of the server if both listen, as *Copy base URL* does.
        if let Some(address) = desk.addresses().last() {
            widgets::padded(ui, |ui| client_ui(ui, *address, actions));
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
        ListenState::Off | ListenState::Failed(_) => "",
        ListenState::Starting => "starting…",
        ListenState::Listening(_) => "running",
        ListenState::Stopping => "stopping…",
    };
    widgets::heading(ui, icon, name, state);
    ui.add_space(theme::GAP);
    if !listener.is_on() {
        let is_started = form_ui(ui, kind, listener, wants_focus, actions);
        if ui.add(Button::secondary(start).icon(icons::PLAY)).clicked() || is_started {
            actions.push(calls_action(CallsAction::Start(kind)));
        }
        return;
    }
    facts_ui(ui, kind, listener);
    let button = Button::secondary(stop.name()).icon(icons::SQUARE);
    if ui.add(button.command(stop, stop.enabled(workbench))).clicked() {
        actions.push(calls_action(CallsAction::Stop(kind)));
    }
}

/// Adds what a running listener was started with.
fn facts_ui(ui: &mut Ui, kind: ListenerKind, listener: &Listener) {
    let form = &listener.form;
    let address = listener.address().map(|address| address.to_string());
    let served = if form.path.trim().is_empty() { "all that is open" } else { form.path.trim() };
    let (upstream, folder) = match kind {
        ListenerKind::Recorder => (("Upstream", form.upstream.trim()), ("Into", form.path.trim())),
        ListenerKind::Server => (("", ""), ("From", served)),
    };
    let facts = [("Address", address.as_deref().unwrap_or_default()), upstream, folder];
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        let line =
            StyledText::of(name, tokens(ui).note()).with_gap(&visible(value), tokens(ui).data());
        widgets::describe(&line.show(ui), egui::Role::Label, &format!("{name}: {value}"));
        ui.add_space(4.0);
    }
    ui.add_space(4.0);
}

/// Adds the fields. Returns whether Enter was pressed in one.
fn form_ui(
    ui: &mut Ui,
    kind: ListenerKind,
    listener: &Listener,
    mut wants_focus: bool,
    actions: &mut Actions,
) -> bool {
    let mut form = listener.form.clone();
    let fault = match &listener.state {
        ListenState::Failed(reason) => Some(visible(reason)),
        _ => None,
    };
    let port = "0: any free port";
    let fields: &mut [(&str, &str, &str, &mut String)] = match kind {
        ListenerKind::Recorder => &mut [
            ("Port", "Port of the recorder", port, &mut form.port),
            ("Upstream", "URL of the model API", "", &mut form.upstream),
            ("Into", "Folder for the tapes", "in the open folder", &mut form.path),
        ],
        ListenerKind::Server => &mut [
            ("Port", "Port of the server", port, &mut form.port),
            ("From", "Tapes or set to serve", "empty: all", &mut form.path),
        ],
    };
    let (last, mut is_started) = (fields.len() - 1, false);
    for (index, (label, name, note, text)) in fields.iter_mut().enumerate() {
        // The reason may be about any of them, so it is below the last.
        let fault = fault.as_deref().filter(|_| index == last);
        let field = FormField::data(label, text).name(name).note(note).fault(fault);
        let response = field.show(ui, Id::unique(("listen", *name)));
        if std::mem::take(&mut wants_focus) {
            response.request_focus();
        }
        is_started |= is_entered(ui, &response);
    }
    // The desk owns the form; the fields edit a copy, and the change goes through an action.
    if form != listener.form {
        actions.push(calls_action(CallsAction::Edit(kind, form)));
    }
    is_started
}

/// Adds the lines that point a client at a listener, each with a button that copies it.
fn client_ui(ui: &mut Ui, address: SocketAddr, actions: &mut Actions) {
    widgets::heading(ui, icons::LINK, "Point a client here", "");
    ui.add_space(theme::GAP);
    for (variable, url) in client_variables(address) {
        let line = format!("{variable}={url}");
        ui.horizontal_top(|ui| {
            let copy = widgets::icon_button(ui, icons::COPY, &format!("Copy {variable}"));
            widgets::on_click(&copy, Action::Copy(line.clone()), actions);
            let text = theme::text(&line, theme::mono(theme::LABEL), tokens(ui).text);
            ui.add(Label::new(text).wrap().selectable(true));
        });
    }
}

/// Draws the list of calls.
pub(super) fn calls_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.live.calls;
    let root = workbench.core.project.as_ref().map_or("", |project| &*project.root);
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
            row_ui(slot, call, (desk.selected == Some(call.id), &zone, root), actions);
        });
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    call: &LiveCall,
    (is_selected, zone, root): (bool, &TimeZone, &str),
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
    let outcome = call.outcome.as_deref().unwrap_or("in progress");
    // Files of the project are named from its folder.
    let folder = format!("{root}{}", std::path::MAIN_SEPARATOR);
    let outcome = visible(outcome);
    let outcome = if root.is_empty() { outcome.into_owned() } else { outcome.replace(&folder, "") };
    let time = call.at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string();
    let right = StyledText::of(&time, colors.muted_data());
    let row = Row::new(format!("{title}, {outcome}"))
        .selected(is_selected)
        .line(Line::title(&title, colors).icon(icon, color).right(right))
        .line(Line::detail(&outcome, colors).under_icon())
        // The second line may be cut.
        .tip(&outcome);
    let response = slot.show(row);
    widgets::on_click(&response, calls_action(CallsAction::Select(call.id)), actions);
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
}
