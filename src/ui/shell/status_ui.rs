//! Paints the status line.

use egui::{Rect, Response, Sense, Ui, pos2, vec2};

use super::shell_data::StatusLine;
use document::text::{bytes, counted, thousands};
use widgets::theme::{self, tokens};
use widgets::{StyledText, icons, key_hint, keymap, link, paint_bar, place_left, place_right, tip};
use workbench::{Action, Actions, Command, FetchAction, ImportAction, LiveAction, LiveSide};

const BAR_WIDTH: f32 = 120.0;

/// Draws the status line: loaded data and progress at the left, permanent state at the right.
pub(super) fn status_ui(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    let rect = ui.max_rect().shrink2(vec2(12.0, 0.0));
    // First: network, watching and unsaved edits must stay visible in a narrow window.
    let ((), right) = place_right(ui, rect, |ui| {
        network_ui(ui, data, actions);
        if let Some((words, help)) = &data.watch_status {
            ui.add_space(theme::GAP);
            tip(icon_label(ui, icons::EYE, words), help, &[] as &[&str]);
        }
        unsaved_ui(ui, data, actions);
    });
    let left = Rect::from_min_max(rect.min, pos2(right - theme::PADDING, rect.bottom()));
    place_left(ui, left, |ui| {
        // Hints that do not fit are cut rather than painted over the right side.
        ui.set_clip_rect(ui.clip_rect().intersect(left));
        ui.spacing_mut().item_spacing.x = theme::GAP;
        command_ui(ui, data, actions);
        fetching_ui(ui, data, actions);
        loaded(ui, data, actions);
        if !data.shown.is_empty() {
            widgets::small(ui, &data.shown);
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
fn network_ui(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    if data.fetching.is_some() {
        let label = icon_label(ui, icons::WIFI, "Network: LangSmith");
        let words = "Runs are being fetched as you requested; nothing else is sent";
        tip(label, words, &[] as &[&str]);
        ui.add_space(theme::GAP);
    // Also shown when there is nothing: that Retake sends nothing is a promise.
    } else if data.listen_addresses.is_empty() {
        let words = "Retake sends nothing over the network and listens on no port";
        let label = icon_label(ui, icons::WIFI_OFF, "No network");
        tip(label, words, &[] as &[&str]);
    }
    if data.listen_addresses.is_empty() {
        return;
    }
    let text = format!("Listens on {}", data.listen_addresses);
    let response = widgets::warning_link(ui, icons::WIFI, &text);
    widgets::on_click(&response, LiveAction::Show(LiveSide::Calls), actions);
}

/// Paints the number of unsaved documents. A click lists them.
fn unsaved_ui(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    if data.unsaved == 0 {
        return;
    }
    ui.add_space(theme::GAP);
    let words = match data.conflicts {
        0 => format!("{} unsaved", thousands(data.unsaved)),
        conflicts => {
            format!("{} unsaved, {} changed on disk", thousands(data.unsaved), thousands(conflicts))
        }
    };
    let label = widgets::icon_link(ui, icons::CIRCLE_DOT, &words);
    let caps = keymap::caps(ui, Command::ShowUnsaved);
    let response = tip(label, Command::ShowUnsaved.tooltip(), &caps);
    widgets::on_click(&response, Action::Run(Command::ShowUnsaved), actions);
}

/// Paints the running command, on every desk.
fn command_ui(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    let Some((words, is_panel_shown)) = &data.command else { return };
    // The terminal panel has the button to stop it.
    if *is_panel_shown {
        icon_label(ui, icons::SQUARE_TERMINAL, words);
    } else {
        let response = widgets::icon_link(ui, icons::SQUARE_TERMINAL, words);
        widgets::on_click(&response, Action::Run(Command::ToggleTerminal), actions);
        widgets::on_click(&link(ui, "Stop"), Action::Run(Command::StopCommand), actions);
    }
    ui.add_space(theme::GAP);
}

/// Paints the progress of fetching, on every desk.
fn fetching_ui(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    let Some(words) = &data.fetching else { return };
    let words = format!("Fetching from LangSmith: {words}");
    let response = widgets::icon_link(ui, icons::DOWNLOAD, &words);
    widgets::on_click(&response, Action::Run(Command::ImportFromLangSmith), actions);
    let link = link(ui, "Stop fetching");
    widgets::on_click(&link, ImportAction::Fetch(FetchAction::Cancel), actions);
    ui.add_space(theme::GAP);
}

fn loaded(ui: &mut Ui, data: &StatusLine, actions: &mut Actions) {
    if let Some(reading) = data.reading {
        progress_ui(ui, "Reading", reading.read, reading.known, actions);
    } else if let Some(searching) = data.searching {
        progress_ui(ui, "Searching", searching.searched, searching.all, actions);
    } else if let Some(totals) = data.totals {
        let size = bytes(totals.bytes);
        tip(widgets::small(ui, &data.items), &size, &[] as &[&str]);
        ui.add_space(theme::GAP);
    } else {
        widgets::small(ui, "Files change only when you save");
        ui.add_space(theme::GAP);
    }
    let progress = data.reading.or(data.totals).unwrap_or_default();
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
        tip(response, help, &[] as &[&str]);
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
