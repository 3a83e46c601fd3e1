//! The playback desk before anything is played: an introduction, and how to start.

use egui::{ScrollArea, Ui};

use super::head_ui::{set_label, set_name};
use super::playback_data::PlaybackData;
use protocol::FoundSet;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, on_click};
use workbench::{Action, Actions, Command, Overlay, PickKind, PlaybackAction};

const WIDTH: f32 = 760.0;
/// Width of the column of verdicts.
const VERDICT_WIDTH: f32 = 232.0;
/// Maximum number of sets listed here; the menu above lists all.
const MAX_LISTED_SETS: usize = 40;

/// Draws the introduction, the actions to start with, and the sets.
pub(super) fn start_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let margin = ((ui.available_width() - WIDTH) / 2.0).max(theme::PADDING);
        let area = ui.available_rect_before_wrap();
        let inner = area.with_min_x(area.left() + margin).with_max_x(area.right() - margin);
        ui.scope_builder(egui::UiBuilder::new().max_rect(inner), |ui| {
            ui.spacing_mut().item_spacing.y = theme::GAP;
            ui.add_space(40.0);
            introduction_ui(ui);
            ui.add_space(theme::GAP);
            start_actions_ui(ui, actions);
            ui.add_space(theme::SECTION_GAP);
            sets_ui(ui, data, actions);
        });
    });
}

fn introduction_ui(ui: &mut Ui) {
    let colors = tokens(ui);
    let title = "Why does a call get this recording?";
    StyledText::new().with(title, theme::semibold(theme::TITLE), colors.text_strong).show(ui);
    let text = "Play requests against a set exactly as the clients do, without running a test. \
        Retake explains each answer and each recording that was skipped.";
    ui.label(theme::text(text, theme::regular(theme::BODY), colors.text));
}

fn start_actions_ui(ui: &mut Ui, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(theme::GAP, theme::GAP);
        let paste = Button::primary(Command::ReadLog.name()).icon(icons::CLIPBOARD_PASTE);
        // The heading of the desk has a button of the same name.
        let paste = ui.push_id("begin", |ui| ui.add(paste)).inner;
        on_click(&paste, Action::SetOverlay(Some(Overlay::FailureLog)), actions);
        let open = |kind| Action::from(PlaybackAction::PickRequests(kind));
        let queue = Button::secondary("Open a queue…").icon(icons::INBOX);
        let tip = "Choose a folder to which a live run writes its requests";
        on_click(&ui.add(queue.tooltip(tip)), open(PickKind::Folder), actions);
        let file = Button::secondary("Open a machine, request or log…").icon(icons::FILE);
        on_click(&ui.add(file), open(PickKind::File), actions);
    });
}

fn sets_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let mut sets = data.desk.sets.with_recordings().peekable();
    let cassettes = data.desk.sets.others_remark();
    let remark = match (sets.peek(), data.workbench.core.progress) {
        // While files are read, a set may still appear.
        (None, Some(_)) => Some("Sets appear here when they are read.".to_owned()),
        (None, None) if cassettes.is_none() => {
            Some("The open folder has no recordings.".to_owned())
        }
        _ => cassettes,
    };
    if let Some(remark) = remark {
        ui.label(theme::text(remark, theme::regular(theme::BODY), tokens(ui).muted));
        ui.add_space(theme::GAP);
    }
    if sets.peek().is_none() {
        return;
    }
    let width = ui.available_width() - VERDICT_WIDTH - theme::GAP;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        ui.scope(|ui| {
            ui.set_width(width);
            widgets::heading(ui, "", "Check a set against itself", "each request in file order");
        });
        widgets::heading(ui, "", "Played in hybrid mode", "");
    });
    ui.spacing_mut().item_spacing.y = 4.0;
    for set in sets.take(MAX_LISTED_SETS) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let label = set_label(set);
            let button = Button::secondary(&label)
                .icon(icons::FOLDER)
                .trailing(icons::ARROW_RIGHT)
                .width(width);
            on_click(&ui.add(button), PlaybackAction::CheckSet(set.folder.clone()), actions);
            verdict_ui(ui, data, set, actions);
        });
    }
}

/// Draws the verdict on a set, with the requests that were played, as a button that plays it in the same way.
fn verdict_ui(ui: &mut Ui, data: &PlaybackData<'_>, set: &FoundSet, actions: &mut Actions) {
    let check = data.desk.judged(&set.folder);
    let (label, tip) = match check {
        Some(check) => (check.label(), check.describe()),
        None => ("…".to_owned(), "The set is being played.".to_owned()),
    };
    let name = format!("{}, {label}", set_name(&set.folder));
    let mut button =
        Button::secondary(&label).tooltip(&tip).width(VERDICT_WIDTH).name_for_readers(&name);
    if let Some(check) = check {
        let (icon, tone) = widgets::outcome_style(check.verdict.status);
        button = button.icon(icon).icon_tone(tone).aligned_left();
    }
    on_click(&ui.add(button), PlaybackAction::PlaySet(set.folder.clone()), actions);
}
