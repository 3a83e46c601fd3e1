//! The header above the calls: requests, set, mode, and the verdict.

use egui::{Align, Layout, Sense, Ui, vec2};

use super::playback_data::{PlaybackData, client_name, mode_name, recording_label};

use crate::inspector::paint;
use document::text::{thousands, visible};
use play::playback::{PlaybackClient, PlaybackMode, ResultStatus};
use protocol::{FoundSet, RequestsSource};
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Segment, StyledText};
use workbench::{Action, Actions, Command, Overlay, PasteRefusal, PickKind, PlaybackAction};

/// The width of a count of calls with its word.
const COUNT_WIDTH: f32 = 100.0;
/// Width of the desk from which the choices have labels.
const LABELS_MIN_WIDTH: f32 = 860.0;

/// Width of the header from which the buttons beside the view have labels.
const BUTTON_LABELS_MIN_WIDTH: f32 = 1100.0;

/// Draws which requests are played against which set.
pub(super) fn head_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let is_wide = inner.width() >= BUTTON_LABELS_MIN_WIDTH;
        if data.desk.set.is_some() {
            let play = Command::PlaySet;
            let (name, icon) = (play.name(), icons::command(play));
            let wide_button = Button::secondary(name).icon(icon);
            let button = if is_wide { wide_button } else { Button::icon_only(icon, name) };
            let button = button.command(play, play.enabled(data.workbench));
            widgets::command_button(ui, button, play, actions);
        }
        let name = Command::ReadLog.name();
        let has_name = is_wide || data.desk.requests.is_none();
        let icon_button = Button::ghost("").name_for_readers(name);
        let paste = if has_name { Button::secondary(name) } else { icon_button };
        let paste = paste.icon(icons::CLIPBOARD_PASTE);
        if ui.add(paste.tooltip("Ctrl+V also plays a log from the clipboard")).clicked() {
            actions.push(Action::SetOverlay(Some(Overlay::FailureLog)));
        }
        if data.desk.played().is_some_and(|result| result.input.log.is_some()) {
            let command = Command::MakeSession;
            let button = Button::secondary(command.name()).icon(icons::command(command));
            let button = button.tooltip("Create a replay session from this log");
            widgets::command_button(ui, button, command, actions);
        }
    });
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with("Playback", title, tokens(ui).text_strong).show(ui);
        ui.add_space(theme::GAP);
        requests_ui(ui, data, actions);
        paint::icon(ui, icons::ARROW_RIGHT, theme::ICON, tokens(ui).muted);
        set_ui(ui, data, actions);
    });
    widgets::line_below(ui, rect);
}

fn requests_icon(requests: Option<&RequestsSource>) -> &'static str {
    match requests {
        None | Some(RequestsSource::Folder(_) | RequestsSource::Path { .. }) => icons::INBOX,
        Some(RequestsSource::SetItself) => icons::REPEAT_2,
        Some(RequestsSource::Machine(_)) => icons::WORKFLOW,
        Some(RequestsSource::Log { .. }) => icons::FILE_TEXT,
        Some(RequestsSource::Typed(_)) => icons::CLIPBOARD_PASTE,
    }
}

/// Draws the menu of request sources.
fn requests_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let requests = data.desk.requests.as_ref();
    let mut label = requests
        .map_or("Choose requests".to_owned(), |requests| visible(&requests.label()).into_owned());
    // The banner below is about this text, although other requests may still be played.
    if let Some(refusal) = data.desk.refusal.as_ref() {
        label = format!("Pasted text {}", refusal.number);
    }
    let button = Button::ghost(&label)
        .icon(requests_icon(requests))
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Where the requests come from");
    widgets::menu(&ui.add(button), |ui| {
        // A project may have more sets than fit on the screen.
        ui.set_max_height(480.0);
        egui::ScrollArea::vertical().show(ui, |ui| requests_menu_ui(ui, data, actions));
    });
}

fn requests_menu_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let mut take = |ui: &mut Ui, icon, text: &str, requests: RequestsSource| {
        widgets::menu_choice(ui, icon, text, PlaybackAction::PlayRequests(requests), actions);
    };
    if data.desk.set.is_some() {
        take(ui, icons::REPEAT_2, "The set itself", RequestsSource::SetItself);
    }
    let sets = &data.desk.sets;
    if !sets.sets.is_empty() {
        widgets::menu_heading(ui, "Requests in a folder");
    }
    for set in &sets.sets {
        let icon = if set.requests > 0 { icons::INBOX } else { icons::FOLDER };
        take(ui, icon, &set_label(set), RequestsSource::Folder(set.folder.clone()));
    }
    if !sets.machines.is_empty() {
        widgets::menu_heading(ui, "Requests of a machine today");
    }
    for machine in &sets.machines {
        let requests = RequestsSource::Machine(machine.path.clone());
        take(ui, icons::WORKFLOW, &set_name(&machine.path), requests);
    }
    widgets::menu_heading(ui, "Other sources");
    let pick = |kind| Action::from(PlaybackAction::PickRequests(kind));
    let log = Action::SetOverlay(Some(Overlay::FailureLog));
    let entries = [
        (icons::CLIPBOARD_PASTE, Command::ReadLog.name(), log),
        (icons::FOLDER_OPEN, "Another folder…", pick(PickKind::Folder)),
        (icons::FILE, "A machine, request or log…", pick(PickKind::File)),
    ];
    for (icon, text, action) in entries {
        widgets::menu_choice(ui, icon, text, action, actions);
    }
}

/// Returns the label of a set in a menu: its folder and size.
pub(super) fn set_label(set: &FoundSet) -> String {
    let folder = set_name(&set.folder);
    let words: Vec<String> = [(set.recordings, "recording file"), (set.requests, "request")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| document::text::counted(*count, word, &format!("{word}s")))
        .collect();
    format!("{folder}  {}", words.join(", "))
}

/// Returns the name of a set: the last two parts of its folder.
pub(super) fn set_name(folder: &str) -> String {
    let start = folder.rmatch_indices('/').nth(1).map_or(0, |(slash, _)| slash + 1);
    match &folder[start..] {
        "" => "The project's folder".to_owned(),
        name => visible(name).into_owned(),
    }
}

/// Draws the menu of sets.
fn set_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let mut label = data.desk.set.as_ref().map_or("Choose a set".to_owned(), |s| set_name(s));
    if let Some(result) = data.played().filter(|_| data.desk.set.is_some()) {
        label = format!("{label}  {}", result.run.set.recordings.len());
    }
    let button = Button::ghost(&label)
        .icon(icons::FOLDER_OPEN)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("The set that serves the recordings");
    widgets::menu(&ui.add(button), |ui| {
        ui.set_max_height(480.0);
        egui::ScrollArea::vertical().show(ui, |ui| {
            widgets::menu_heading(ui, "Serve from");
            for set in data.desk.sets.with_recordings() {
                if widgets::menu_action(ui, icons::FOLDER, &set_label(set), None) {
                    actions.push(Action::from(PlaybackAction::ServeFrom(set.folder.clone())));
                }
            }
        });
    });
}

/// Draws the mode and the client, the failures of a log, and the numbers of calls.
pub(super) fn rules_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    has_counts: bool,
    actions: &mut Actions,
) {
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let rules = data.desk.rules;
        if let Some(mode) = choice_ui(ui, "Mode", PlaybackMode::ALL, mode_name, rules.mode) {
            actions.push(Action::from(PlaybackAction::SetMode(mode)));
        }
        ui.add_space(4.0);
        let clients = PlaybackClient::ALL;
        if let Some(client) = choice_ui(ui, "Client", clients, client_name, rules.client) {
            actions.push(Action::from(PlaybackAction::SetClient(client)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if has_counts {
                counts_ui(ui, data);
            }
            failures_ui(ui, data, actions);
        });
    });
}

/// Draws how many calls are right, by file order and wrong, from right to left.
fn counts_ui(ui: &mut Ui, data: &PlaybackData<'_>) {
    let Some(result) = data.played() else { return };
    let statuses = [ResultStatus::Good, ResultStatus::Doubtful, ResultStatus::Bad];
    ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
    let labels = result.strip.count_labels().into_iter().zip(statuses).rev();
    let counts = labels.filter(|((count, _), _)| *count > 0);
    // All or none: some counts with words and some without would look like different things.
    let has_room = ui.available_width() >= counts.clone().count() as f32 * COUNT_WIDTH;
    for ((count, words), status) in counts {
        let label = if has_room { words.clone() } else { thousands(count) };
        let (icon, tone) = widgets::outcome_style(status);
        let (color, text) = (tokens(ui).tone(tone), tokens(ui).text);
        StyledText::new()
            .with(&label, theme::regular(theme::ROW), text)
            .show(ui)
            .on_hover_text(words);
        // Negative, because egui adds the spacing between counts before the icon of a count, too.
        ui.add_space(theme::ICON_GAP - theme::SECTION_GAP);
        paint::icon(ui, icon, theme::ICON, color);
    }
}

/// Draws a choice after its label, if there is room for that. Returns what was clicked.
fn choice_ui<T: Copy + PartialEq, const N: usize>(
    ui: &mut Ui,
    label: &str,
    values: [T; N],
    name: fn(T) -> &'static str,
    selection: T,
) -> Option<T> {
    if ui.ctx().content_rect().width() >= LABELS_MIN_WIDTH {
        StyledText::new().with(label, theme::regular(theme::LABEL), tokens(ui).muted).show(ui);
    }
    let segments = values.map(|value| Segment::text(name(value)));
    let position = values.iter().position(|value| *value == selection);
    let index = widgets::segmented(ui, &segments, position.unwrap_or_default())?;
    values.get(index).copied()
}

/// Draws the menu of failures if a log contains several.
fn failures_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let log = data.played().and_then(|result| result.input.log.as_ref());
    let Some(log) = log.filter(|log| log.failures.len() > 1) else { return };
    let label = format!("Failure {} of {}", log.chosen + 1, log.failures.len());
    widgets::menu(&ui.add(Button::ghost(&label).trailing(icons::CHEVRON_DOWN)), |ui| {
        for (number, failure) in log.failures.iter().enumerate() {
            let icon = if number == log.chosen { icons::CHECK } else { "" };
            if widgets::menu_action(ui, icon, &visible(failure), None) {
                actions.push(Action::from(PlaybackAction::ShowFailure(number)));
            }
        }
    });
}

/// Draws the verdict, and what was not played.
pub(super) fn verdict_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    if let Some(refusal) = data.desk.refusal.as_ref() {
        return refusal_ui(ui, data, refusal, actions);
    }
    if let Some(fault) = data.desk.fault.as_deref() {
        let (title, fault) = ("The requests could not be played.", visible(fault).replace('`', ""));
        return widgets::banner(ui, Tone::Error, icons::OCTAGON_X, title, &fault);
    }
    let Some(result) = data.played() else {
        if data.desk.set.is_none() {
            let words = "Choose above the set to play these requests against.";
            widgets::banner(ui, Tone::Note, icons::INFO, "No set selected.", words);
        }
        return;
    };
    let summary = &result.run.summary;
    let (icon, tone) = widgets::outcome_style(summary.status);
    // A banner has one font, and would show backticks as they are.
    let title = visible(&summary.title).replace('`', "");
    let mut detail = visible(&summary.detail).replace('`', "");
    // Only the first is named: a folder may contain hundreds of other files.
    if let Some(first) = result.input.skipped.first() {
        let count = document::text::counted(result.input.skipped.len(), "file", "files");
        detail += &format!(" {count} without a request, first {}.", visible(&first.path));
    }
    if let Some(first) = result.run.set.skipped.first() {
        let reason = document::text::lower_first(&first.reason);
        detail += &format!(" Clients skip {}: {reason}.", visible(&first.path));
    }
    let Some(log) = &result.input.log else {
        return widgets::banner(ui, tone, icon, &title, detail.trim());
    };
    for remark in &log.remarks {
        detail += &format!(" {}", visible(remark).replace('`', ""));
    }
    if !log.lacks_request {
        return widgets::banner(ui, tone, icon, &title, detail.trim());
    }
    let suspect = log.suspect.as_ref().and_then(|suspect| {
        Some((suspect, recording_label(result.run.set.recordings.get(suspect.index)?)))
    });
    if let Some((suspect, name)) = &suspect {
        detail += &format!(" Check {name} first. {}", visible(&suspect.why).replace('`', ""));
    }
    // Without a call there is no outcome, and the title is that of the log.
    let (tone, icon, title) = if result.run.calls.is_empty() {
        let title = format!("The log says: {}. It contains no request.", log.failure.title());
        (Tone::Warning, icons::TRIANGLE_ALERT, visible(&title).into_owned())
    } else {
        (tone, icon, title)
    };
    widgets::banner_with(ui, tone, icon, &title, detail.trim(), |ui| {
        alternatives_ui(ui, data, actions);
        if let Some((suspect, name)) = &suspect
            && ui.add(Button::secondary(&format!("Show {name}"))).clicked()
        {
            actions.push(Action::from(PlaybackAction::OpenRecording(suspect.index)));
        }
    });
}

/// Draws what else can be played if a log does not contain the failed request.
fn alternatives_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let set = Button::secondary("Play this set")
        .icon(icons::REPEAT_2)
        .tooltip("Play the requests of the set in their own order, in hybrid mode");
    widgets::on_click(&ui.add(set), PlaybackAction::PlayHybrid(RequestsSource::SetItself), actions);
    let folder = data.desk.set.as_ref();
    let machine = folder.and_then(|folder| data.desk.sets.machine_of(folder));
    let (words, tip, action) = match machine {
        Some(machine) => (
            "Play the machine's requests",
            format!(
                "Play the requests that the nodes of {} make today, in hybrid mode",
                machine.path
            ),
            PlaybackAction::PlayHybrid(RequestsSource::Machine(machine.path.clone())),
        ),
        None => (
            "Play a machine's requests…",
            "No recording of this set names its machine: choose its file".to_owned(),
            PlaybackAction::PickRequests(PickKind::File),
        ),
    };
    if ui.add(Button::secondary(words).icon(icons::WORKFLOW).tooltip(&tip)).clicked() {
        actions.push(Action::from(action));
    }
}

/// Draws why a pasted text cannot be played.
fn refusal_ui(ui: &mut Ui, data: &PlaybackData<'_>, refusal: &PasteRefusal, actions: &mut Actions) {
    let title = format!("Pasted text {} cannot be played.", refusal.number);
    let detail = &refusal.reason;
    let (tone, icon) = (Tone::Error, icons::OCTAGON_X);
    let Some(requests) = data.desk.requests.as_ref() else {
        return widgets::banner(ui, tone, icon, &title, detail);
    };
    widgets::banner_with(ui, tone, icon, &title, detail, |ui| {
        let words = format!("Back to {}", visible(&requests.label()));
        if ui.add(Button::secondary(&words).icon(icons::UNDO_2)).clicked() {
            actions.push(Action::from(PlaybackAction::DropRefusal));
        }
    });
}
