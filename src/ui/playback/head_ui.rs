//! The top of the desk: what is played, its one menu, and the verdict with its fix.

use egui::{ScrollArea, Ui};

use super::playback_data::{PlaybackData, client_name, mode_name};
use document::Severity;
use document::text::visible;
use play::client::{CassettePlay, RecorderClient};
use play::playback::{PlaybackClient, PlaybackMode, ResultStatus};
use protocol::RequestsSource;
use widgets::theme::{self, tokens};
use widgets::{Button, Headline, StyledText, TextField, fields, icons};
use workbench::{Action, Actions, Command, Overlay, PickKind, PlaybackAction};

/// Widths of the filter, and of what is beside it.
const FILTER_WIDTH: f32 = 320.0;
const BESIDE_FILTER_WIDTH: f32 = 440.0;

/// Height of the window that a long menu leaves free.
const MENU_MARGIN: f32 = 140.0;

/// Draws the name of what is played, or the filter of what can be, and the menu.
pub(super) fn head_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    filter: &mut String,
    actions: &mut Actions,
) {
    let is_choosing = data.desk.is_choosing();
    let width = ui.available_width() - 2.0 * theme::PADDING;
    let right = |ui: &mut Ui, actions: &mut Actions| {
        widgets::view_menu(ui, |ui| match data.cassette() {
            _ if is_choosing => sources_menu_ui(ui, actions),
            Some(cassette) => {
                matchers_ui(ui, cassette, actions);
                shown_menu_ui(ui, data, false, actions);
            }
            // A log may have more failures than fit on the screen.
            None => {
                let height = ui.ctx().content_rect().height() - MENU_MARGIN;
                let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
                area.show(ui, |ui| run_menu_ui(ui, data, actions));
            }
        });
        if is_choosing && data.desk.requests.is_none() {
            let paste = Button::secondary(Command::ReadLog.name())
                .icon(icons::CLIPBOARD_PASTE)
                .tooltip("Ctrl+V also plays a log from the clipboard");
            let overlay = Action::SetOverlay(Some(Overlay::FailureLog));
            widgets::on_click(&ui.add(paste), overlay, actions);
        }
    };
    widgets::header(ui, actions, right, |ui, actions| {
        let colors = tokens(ui);
        if !is_choosing {
            let title = (theme::mono_bold(theme::BODY), colors.text_strong);
            StyledText::of(&data.title(), title).with_gap(&data.extent(), colors.note()).show(ui);
            return;
        }
        let title = if data.desk.awaits_set() {
            "Choose the set that answers"
        } else {
            "Choose what to play"
        };
        widgets::title(ui, title);
        ui.add_space(theme::GAP);
        filter_ui(ui, data, filter, width, actions);
    });
}

fn filter_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    filter: &mut String,
    width: f32,
    actions: &mut Actions,
) {
    // Another project has another filter.
    if filter != data.desk.filter() {
        data.desk.filter().clone_into(filter);
    }
    let width = (width - BESIDE_FILTER_WIDTH).clamp(120.0, FILTER_WIDTH);
    let field = TextField::search(fields::filter(), "Filter what can be played", filter);
    let response = field.hint("Words of the path").show(ui, width, |_| {}, |_| {});
    if response.changed() {
        actions.push(Action::from(PlaybackAction::Filter(filter.clone())));
    }
    if response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
        actions.push(Action::Run(Command::OpenSelected));
    }
}

/// Draws where requests may come from besides the project.
fn sources_menu_ui(ui: &mut Ui, actions: &mut Actions) {
    for (icon, text, kind) in [
        (icons::INBOX, "Play the requests of a folder…", PickKind::Folder),
        (icons::FILE, "Play a machine, request or log…", PickKind::File),
    ] {
        widgets::menu_choice(ui, icon, text, PlaybackAction::PickRequests(kind), actions);
    }
}

/// Draws what the client of a cassette compares, to try what another choice would do.
fn matchers_ui(ui: &mut Ui, cassette: &CassettePlay, actions: &mut Actions) {
    widgets::menu_heading(ui, "Compared");
    for matcher in RecorderClient::from(cassette.client).matchers() {
        let name = matcher.as_str();
        let is_on = cassette.compared.iter().any(|compared| **compared == *name);
        if widgets::menu_switch(ui, name, "", (is_on, false)) {
            actions.push(Action::from(PlaybackAction::ToggleMatcher(name)));
        }
    }
}

/// Draws the rules of the client, the requests, the failures of a log, and the other fixes.
fn run_menu_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let rules = data.desk.rules;
    let mut switch = |ui: &mut Ui, text: &str, is_on, action: PlaybackAction| {
        if widgets::menu_switch(ui, text, "", (is_on, true)) {
            actions.push(Action::from(action));
        }
    };
    widgets::menu_heading(ui, "Mode");
    for mode in PlaybackMode::ALL {
        switch(ui, mode_name(mode), mode == rules.mode, PlaybackAction::SetMode(mode));
    }
    widgets::menu_heading(ui, "Client");
    for client in PlaybackClient::ALL {
        switch(ui, client_name(client), client == rules.client, PlaybackAction::SetClient(client));
    }
    let requests = data.desk.requests.as_ref();
    let set = data.desk.set.as_ref();
    let machine = set.and_then(|set| data.desk.sets.machine_of(set));
    let machine = machine.map(|machine| RequestsSource::Machine(machine.path.clone()));
    let sources: Vec<_> = [RequestsSource::SetItself].into_iter().chain(machine).collect();
    // What is played when the set is chosen.
    let is_usual = requests == sources.last();
    // A single choice that is made needs no entry.
    if sources.len() > 1 || !is_usual {
        widgets::menu_heading(ui, "Requests");
        for source in sources {
            let is_on = requests == Some(&source);
            switch(ui, &visible(&source.label()), is_on, PlaybackAction::PlayRequests(source));
        }
    }
    let log = data.played().and_then(|result| result.input.log.as_ref());
    if let Some(log) = log.filter(|log| log.failures.len() > 1) {
        widgets::menu_heading(ui, "Failure");
        for (number, failure) in log.failures.iter().enumerate() {
            let action = PlaybackAction::ShowFailure(number);
            switch(ui, &visible(failure), number == log.chosen, action);
        }
    }
    // A run in which all is right has no button for it.
    let is_good =
        data.played().is_some_and(|result| result.run.summary.status == ResultStatus::Good);
    let main_fix = data.desk.main_fix().filter(|_| !is_good);
    let others: Vec<_> = data.desk.fixes().filter(|fix| Some(*fix) != main_fix).collect();
    if !others.is_empty() {
        widgets::menu_heading(ui, "Other fixes");
    }
    for fix in others {
        let action = PlaybackAction::Fix(fix.clone());
        widgets::menu_choice(ui, icons::WRENCH, &data.fix_label(fix), action, actions);
    }
    shown_menu_ui(ui, data, !is_usual, actions);
}

/// Draws what can be done with what is shown, and whether the set can be played as usual again.
fn shown_menu_ui(ui: &mut Ui, data: &PlaybackData<'_>, is_other: bool, actions: &mut Actions) {
    widgets::menu_heading(ui, "Shown");
    let explanation = data.desk.explanation().and_then(Result::ok);
    if let Some(error) = explanation.and_then(|explanation| explanation.error.as_ref()) {
        let copy = Action::Copy(error.clone());
        widgets::menu_choice(ui, icons::COPY, "Copy the client's error", copy, actions);
    }
    let play = is_other.then_some(Command::PlaySet);
    let map = data.cassette().is_none().then_some(Command::ShowMap);
    let commands = [play, map, Some(Command::CopyLink), Some(Command::ExportPicture)];
    for command in commands.into_iter().flatten() {
        if command.enabled(data.workbench).is_ok() {
            widgets::menu_run(ui, command, Ok(()), actions);
        }
    }
}

/// Draws the first line: what is wrong, and the one thing to do next.
pub(super) fn verdict_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    if let Some(fault) = data.desk.fault.as_deref() {
        Headline::new(Severity::Error, &visible(fault), "").show(ui, None);
        return;
    }
    let Some(result) = data.played() else { return };
    let (lead, rest) = data.verdict();
    let headline = match result.run.summary.status {
        ResultStatus::Good => {
            Headline::good(&lead).show(ui, None);
            return;
        }
        ResultStatus::Doubtful => Headline::new(Severity::Warning, &lead, &rest),
        ResultStatus::Bad => Headline::new(Severity::Error, &lead, &rest),
    };
    let next = match data.desk.main_fix() {
        Some(fix) => Some((
            data.fix_label(fix),
            icons::WRENCH,
            Action::from(PlaybackAction::Fix(fix.clone())),
        )),
        None if data.lacks_request() => {
            Some(("Play this set".to_owned(), icons::REPEAT_2, Action::Run(Command::PlaySet)))
        }
        None => None,
    };
    let is_by_key = data.desk.first_change().is_some();
    let button = next.as_ref().map(|(label, icon, _)| {
        let button = Button::primary(label).icon(icon);
        if is_by_key { button.keys_of(Command::FixPlayback).show_keys() } else { button }
    });
    if headline.show(ui, button) {
        actions.extend(next.map(|(_, _, action)| action));
    }
}
