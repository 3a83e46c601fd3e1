//! Paints the status line.

use egui::{Rect, Response, Sense, Ui, pos2, vec2};

use super::shell_data::{ShellData, desk_summary, watch_status};
use document::text::{bytes, counted, listed, thousands};
use widgets::theme::{self, tokens};
use widgets::{
    StyledText, hint, icons, key_hint, keymap, link, paint_bar, place_left, place_right, tip,
};
use workbench::{
    Action, Actions, Command, FetchAction, ImportAction, LiveAction, LiveSide, Workbench,
};

const BAR_WIDTH: f32 = 120.0;

/// Draws the status line: loaded data and progress at the left, permanent state at the right.
pub(super) fn status_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ShellData,
    actions: &mut Actions,
) {
    let rect = ui.max_rect().shrink2(vec2(12.0, 0.0));
    // First: network, watching and unsaved edits must stay visible in a narrow window.
    let ((), right) = place_right(ui, rect, |ui| {
        network_ui(ui, workbench, actions);
        if let Some((words, help)) = watch_status(&workbench.core.watch_state) {
            ui.add_space(theme::GAP);
            hint(icon_label(ui, icons::EYE, &words), &help);
        }
        unsaved_ui(ui, workbench, actions);
    });
    let left = Rect::from_min_max(rect.min, pos2(right - theme::PADDING, rect.bottom()));
    place_left(ui, left, |ui| {
        // Hints that do not fit are cut rather than painted over the right side.
        ui.set_clip_rect(ui.clip_rect().intersect(left));
        ui.spacing_mut().item_spacing.x = theme::GAP;
        command_ui(ui, workbench, actions);
        fetching_ui(ui, workbench, actions);
        loaded(ui, workbench, &data.items, actions);
        let summary = desk_summary(workbench);
        if !summary.is_empty() {
            widgets::small(ui, &summary);
            ui.add_space(theme::GAP);
        }
        // In a field these keys type, or move the caret.
        let is_typed = ui.ctx().text_edit_focused();
        let is_kept = |cap: &String| {
            let is_function = cap.strip_prefix('F').is_some_and(|n| n.parse::<u8>().is_ok());
            is_function || cap == "Ctrl" || cap == "Alt"
        };
        for hint in data.hints.iter().filter(|h| !is_typed || h.caps.iter().any(is_kept)) {
            key_hint(ui, &hint.caps, hint.does);
            ui.add_space(theme::GAP);
        }
    });
}

/// Paints network use: requests and listening addresses. A click shows them.
fn network_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let addresses = workbench.live.calls.addresses();
    if workbench.import.fetch.progress_text().is_some() {
        let label = icon_label(ui, icons::WIFI, "Network: LangSmith");
        let words = "Runs are being fetched as you requested; nothing else is sent";
        hint(label, words);
        ui.add_space(theme::GAP);
    // Also shown when there is nothing: that Retake sends nothing is a promise.
    } else if addresses.is_empty() {
        let words = "Retake sends nothing over the network and listens on no port";
        let label = icon_label(ui, icons::WIFI_OFF, "No network");
        hint(label, words);
    }
    if addresses.is_empty() {
        return;
    }
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let text = format!("Listens on {}", listed(&addresses));
    let response = widgets::warning_link(ui, icons::WIFI, &text);
    widgets::on_click(&response, LiveAction::Show(LiveSide::Calls), actions);
}

/// Paints the number of unsaved documents. A click lists them.
fn unsaved_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let copies = || workbench.core.library.unsaved();
    let unsaved = copies().count();
    if unsaved == 0 {
        return;
    }
    ui.add_space(theme::GAP);
    let unsaved = format!("{} unsaved", thousands(unsaved));
    let words = match copies().filter(|(_, copy)| copy.is_in_conflict()).count() {
        0 => unsaved,
        conflicts => format!("{unsaved}, {} changed on disk", thousands(conflicts)),
    };
    let label = widgets::icon_link(ui, icons::CIRCLE_DOT, &words);
    let caps = keymap::caps(ui, Command::ShowUnsaved);
    let response = tip(label, Command::ShowUnsaved.tooltip(), &caps);
    widgets::on_click(&response, Action::Run(Command::ShowUnsaved), actions);
}

/// Paints the running command, on every desk.
fn command_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let Some(run) = workbench.terminal.running() else { return };
    let words = format!("{}: running", run.proposal.name);
    // The terminal panel has the button to stop it.
    if workbench.terminal.is_shown {
        icon_label(ui, icons::SQUARE_TERMINAL, &words);
    } else {
        let response = widgets::icon_link(ui, icons::SQUARE_TERMINAL, &words);
        widgets::on_click(&response, Action::Run(Command::ToggleTerminal), actions);
        widgets::on_click(&link(ui, "Stop"), Action::Run(Command::StopCommand), actions);
    }
    ui.add_space(theme::GAP);
}

/// Paints the progress of fetching, on every desk.
fn fetching_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let Some(words) = workbench.import.fetch.progress_text() else { return };
    let words = format!("Fetching from LangSmith: {words}");
    let response = widgets::icon_link(ui, icons::DOWNLOAD, &words);
    widgets::on_click(&response, Action::Run(Command::ImportFromLangSmith), actions);
    let link = link(ui, "Stop fetching");
    widgets::on_click(&link, ImportAction::Fetch(FetchAction::Cancel), actions);
    ui.add_space(theme::GAP);
}

fn loaded(ui: &mut Ui, workbench: &Workbench, items: &str, actions: &mut Actions) {
    let core = &workbench.core;
    // Without a project, numbers of the closed one would remain.
    let totals = core.project.as_ref().map(|_| core.last_progress);
    if let Some(reading) = core.progress {
        progress_ui(ui, "Reading", reading.read, reading.known, actions);
    } else if let Some(searching) = core.bodies.progress {
        progress_ui(ui, "Searching", searching.searched, searching.all, actions);
    } else if let Some(totals) = totals {
        let size = bytes(totals.bytes);
        hint(widgets::small(ui, items), &size);
        ui.add_space(theme::GAP);
    } else {
        widgets::small(ui, "Files change only when you save or confirm");
        ui.add_space(theme::GAP);
    }
    let progress = core.progress.or(totals).unwrap_or_default();
    let counts = [
        (
            progress.not_opened,
            "not opened",
            "Files and folders that were found but not opened; the list gives each reason",
        ),
        (
            progress.ignored,
            "ignored",
            "Files and folders that .gitignore ignores; gitignore = false in retake.toml lists them",
        ),
    ];
    for (number, label, help) in counts.iter().filter(|(number, ..)| *number > 0) {
        let response = widgets::small(ui, &format!("{} {label}", thousands(*number)));
        hint(response, help);
        ui.add_space(theme::GAP);
    }
}

/// Paints how far the files are read or searched, with a link that stops it.
fn progress_ui(ui: &mut Ui, label: &str, done_count: usize, total: usize, actions: &mut Actions) {
    widgets::small(ui, label);
    // While a folder is being walked, the number of files is unknown.
    if total > 0 {
        let (bar, _) = ui.allocate_exact_size(vec2(BAR_WIDTH, 4.0), Sense::hover());
        paint_bar(ui, bar, done_count as f32 / total as f32);
        number_label(ui, &format!("{} of {}", thousands(done_count), thousands(total)));
    } else {
        number_label(ui, &counted(done_count, "file", "files"));
    }
    widgets::on_click(&link(ui, "Cancel"), Action::Run(Command::CancelReading), actions);
    ui.add_space(theme::GAP);
}

fn number_label(ui: &mut Ui, text: &str) {
    StyledText::of(text, tokens(ui).muted_data()).show(ui);
}

fn icon_label(ui: &mut Ui, icon: &str, text: &str) -> Response {
    let (font, color) = tokens(ui).label();
    let response = StyledText::new()
        .with(icon, theme::icon(theme::ICON_TAG), color)
        .after(theme::ICON_GAP, text, font, color)
        .show(ui);
    // Without the sign of the icon.
    widgets::describe(&response, egui::Role::Label, text);
    response
}
