//! Paints the options of the running recorder or server.

use std::path::Path;

use egui::{RichText, Ui, pos2};

use super::runs_ui::sentence_ui;
use crate::ops::live::serve::Fallback;
use crate::ops::playback::PlaybackMode;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::verify::Strictness;
use crate::text::{counted, visible};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{
    Action, Desk, RecordRequest, ServableFolder, ServeOffer, ServeRequest, Workbench,
};

/// Width of the names of facts.
const NAMES: f32 = 76.0;
/// Maximum number of sets that are named.
const MAX_SETS: usize = 4;

/// Draws where a recorder forwards calls to, and where it saves tapes.
pub(super) fn recorder_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    order: &RecordRequest,
    actions: &mut Vec<Action>,
) {
    let upstream = order.upstream.split_once("://").map_or(&*order.upstream, |(_, rest)| rest);
    fact_ui(ui, "Upstream", |ui| data_ui(ui, upstream));
    let opened = workbench.core.project.as_ref().and_then(|project| project.opened.first());
    let path = opened.map(|opened| opened.join(&order.folder));
    let found = path.and_then(|path| find_served_folder(workbench, &path));
    fact_ui(ui, "Save to", |ui| {
        let name = format!("{}/", order.folder);
        folder_ui(ui, &name, found, actions);
    });
    if let Some(label) = &order.label {
        fact_ui(ui, "Label", |ui| text_ui(ui, &visible(label)));
    }
    fact_ui(ui, "Keys", |ui| text_ui(ui, "forwarded, never saved"));
}

/// Draws what a server serves, and how.
pub(super) fn server_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    order: &ServeRequest,
    actions: &mut Vec<Action>,
) {
    let offer = &workbench.live.calls.offer;
    fact_ui(ui, "From", |ui| offer_ui(ui, workbench, offer, actions));
    fact_ui(ui, "Match", |ui| text_ui(ui, &match_mode_label(order)));
    fact_ui(ui, "Speed", |ui| text_ui(ui, &speed_label(order.speed)));
    if let Some(first) = offer.faults.first() {
        ui.add_space(4.0);
        let more = match offer.faults.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let color = tokens(ui).warning;
        sentence_ui(ui, &format!("Skipped: {first}{more}."), color);
    }
}

/// Paints the tapes and sets that are served.
fn offer_ui(ui: &mut Ui, workbench: &Workbench, offer: &ServeOffer, actions: &mut Vec<Action>) {
    if offer.tapes > 0 {
        text_ui(ui, &counted(offer.tapes, "tape", "tapes"));
    }
    for (set, recordings) in offer.sets.iter().take(MAX_SETS) {
        let path = set.trim_end_matches('/');
        let name = &set[path.rfind('/').map_or(0, |at| at + 1)..];
        let found = find_served_folder(workbench, Path::new(path));
        ui.horizontal(|ui| {
            ui.set_height(theme::TEXT_LINE);
            folder_ui(ui, name, found, actions);
            let (font, color) = (theme::regular(theme::ROW), tokens(ui).muted);
            let count = recordings.to_string();
            StyledText::new().with(&count, font, color).show(ui);
        });
    }
    let more = offer.sets.len().saturating_sub(MAX_SETS);
    if more > 0 {
        let more = counted(more, "more set", "more sets");
        text_ui(ui, &format!("and {more}"));
    }
}

/// Returns the open folder at a path, if it has something to serve.
fn find_served_folder<'a>(workbench: &'a Workbench, path: &Path) -> Option<&'a ServableFolder> {
    let path = path.strip_prefix(".").unwrap_or(path);
    let is_there = |found: &&ServableFolder| {
        let found = Path::new(&*found.path);
        found.strip_prefix(".").unwrap_or(found) == path
    };
    workbench.playback.sets.servable.iter().find(is_there)
}

/// Paints a folder, as a link to its content if it is open.
fn folder_ui(ui: &mut Ui, name: &str, found: Option<&ServableFolder>, actions: &mut Vec<Action>) {
    let Some(found) = found else {
        return data_ui(ui, name);
    };
    let link = widgets::mono_link(ui, &visible(name));
    if widgets::tip(link, "Show in Library", &[] as &[&str]).clicked() {
        let folder = found.folder.replace('\\', "\\\\").replace('"', "\\\"");
        let filter = match &*folder {
            "" => String::new(),
            folder => format!("path:\"{folder}/\""),
        };
        actions.push(Action::SetFilter(filter));
        actions.push(Action::ShowStatus(None));
        actions.push(Action::Go(Desk::Library));
    }
}

/// Adds a fact: its name and its value, which may take several lines.
fn fact_ui(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    let left = ui.available_rect_before_wrap();
    let line = widgets::line(ui, name, theme::regular(theme::ROW), tokens(ui).muted, NAMES);
    widgets::paint_line(ui.painter(), pos2(left.left(), left.top() + 13.0), line);
    ui.horizontal_top(|ui| {
        ui.add_space(NAMES);
        ui.vertical(|ui| {
            ui.set_width(ui.available_width());
            ui.add_space(2.0);
            content(ui);
            ui.add_space(2.0);
        });
    });
}

fn data_ui(ui: &mut Ui, words: &str) {
    let text = RichText::new(visible(words)).font(theme::mono(theme::LABEL));
    let color = tokens(ui).text_strong;
    let label = egui::Label::new(text.color(color).line_height(Some(theme::TEXT_LINE)));
    ui.add(label.wrap_mode(egui::TextWrapMode::Wrap));
}

fn text_ui(ui: &mut Ui, words: &str) {
    let text = RichText::new(words).font(theme::regular(theme::ROW));
    let color = tokens(ui).text;
    ui.label(text.color(color).line_height(Some(theme::TEXT_LINE)));
}

/// Describes how a call is matched.
fn match_mode_label(order: &ServeRequest) -> String {
    let first = match order.rules.tapes {
        Strictness::Strict => "strict",
        Strictness::Loose => "loose",
    };
    let then = match order.rules.mode {
        PlaybackMode::Hybrid => "hybrid",
        PlaybackMode::Signature => "signature",
        PlaybackMode::Sequential => "sequential",
    };
    match order.rules.fallback {
        Fallback::Refuse => format!("{first}, then {then}"),
        Fallback::Next => format!("{first}, then {then}, then the next tape"),
    }
}

fn speed_label(speed: Speed) -> String {
    match speed {
        Speed::Instant => "instant".to_owned(),
        Speed::Times(1.0) => "1×, as recorded".to_owned(),
        Speed::Times(times) => format!("{times}×"),
    }
}
