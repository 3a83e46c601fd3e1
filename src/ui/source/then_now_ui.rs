//! Paints a source at the time of recording and now, and the changes beside it.

use egui::{Frame, Rect, RichText, Sense, Ui, vec2};

use super::changes_ui::changes_ui;
use super::then_now_data::{SideHeading, StaleData, StaleSource, StaleState};
use crate::compare::{LEAST_LIST, SIDE_HEAD};
use document::diff::Side;
use document::text::visible;
use widgets::sheet::sheet_ui;
use widgets::theme::{self, Tone, tokens};
use widgets::{SidePanel, icons};
use workbench::{Action, Actions, Command, DiffLayout};

/// Initial width of the changes.
const CHANGES_WIDTH: f32 = 360.0;

/// The place of the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangesPlace {
    /// Beside the texts.
    Beside,
    /// In place of the texts.
    Alone,
    Hidden,
}

/// Draws both texts and the changes.
pub(super) fn then_now_ui(
    ui: &mut Ui,
    data: &StaleData,
    place: ChangesPlace,
    actions: &mut Actions,
) {
    if place == ChangesPlace::Alone {
        return changes_ui(ui, data, actions);
    }
    if place == ChangesPlace::Beside {
        SidePanel::right("source changes", CHANGES_WIDTH, LEAST_LIST..=640.0)
            .show(ui, |ui| changes_ui(ui, data, actions));
    }
    Frame::new().fill(tokens(ui).desk).show(ui, |ui| match &data.state {
        StaleState::Searching => {
            let sentence = "Searching the git history for the text that was recorded…";
            if widgets::empty_state(ui, sentence, Some("Stop searching")) {
                actions.push(Action::Run(Command::Close));
            }
        }
        StaleState::Failed(reason) => {
            let heading = "The search for the source failed.";
            widgets::banner(ui, Tone::Error, icons::OCTAGON_X, heading, &visible(reason));
        }
        StaleState::Found(result) => found_ui(ui, data, result, actions),
    });
}

fn found_ui(ui: &mut Ui, data: &StaleData, result: &StaleSource, actions: &mut Actions) {
    heads_ui(ui, data, result, actions);
    widgets::hair_line(ui);
    if let Some(remark) = &result.remark {
        let tone = widgets::severity_tone(remark.severity);
        let icon = icons::severity(remark.severity);
        widgets::banner(ui, tone, icon, &remark.title, &remark.detail);
    }
    // Without the recorded text, these facts are all that is known about it.
    if !result.source.recorded_facts.is_empty() && result.source.recorded.is_err() {
        kept_ui(ui, result);
    }
    if let Some(sheet) = &result.sheet {
        let mut sheet_actions = Vec::new();
        ui.push_id("source", |ui| sheet_ui(ui, sheet, &result.focus, &mut sheet_actions));
        actions.extend(sheet_actions.into_iter().filter_map(|action| match action {
            // The sheet counts changes of the text.
            Action::ShowChange(change) => {
                let mut lines = data.changes.lines.iter();
                lines.position(|line| line.changes.contains(&change)).map(Action::ShowChange)
            }
            action => Some(action),
        }));
    }
}

/// Paints the facts about its source that the recording stores.
fn kept_ui(ui: &mut Ui, result: &StaleSource) {
    widgets::padded_frame().show(ui, |ui| {
        let tokens = tokens(ui);
        ui.spacing_mut().item_spacing.y = 4.0;
        widgets::heading(ui, icons::FILE_PLAY, "What the recording stores about it", "");
        widgets::indented(ui, |ui| {
            for (name, value) in &result.source.recorded_facts {
                ui.horizontal_wrapped(|ui| {
                    widgets::note(ui, name);
                    let value = RichText::new(visible(value)).font(theme::mono(theme::LABEL));
                    ui.label(value.color(tokens.text_strong));
                });
            }
        });
    });
    widgets::hair_line(ui);
}

fn heads_ui(ui: &mut Ui, data: &StaleData, result: &StaleSource, actions: &mut Actions) {
    let halves = if data.pane == DiffLayout::Unified {
        // Two lines stacked need less space than two heads.
        let (rect, _) = widgets::allocate_row(ui, 2.0 * SIDE_HEAD - 8.0, Sense::hover());
        [rect.with_max_y(rect.center().y), rect.with_min_y(rect.center().y)]
    } else {
        widgets::halves(ui, SIDE_HEAD)
    };
    for (side, (half, head)) in Side::BOTH.into_iter().zip(halves.into_iter().zip(&result.heads)) {
        ui.push_id(side, |ui| side_head_ui(ui, half, head, actions));
    }
}

fn side_head_ui(ui: &mut Ui, rect: Rect, head: &SideHeading, actions: &mut Actions) {
    widgets::place_left(ui, rect.shrink2(vec2(12.0, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        widgets::subtitle(ui, head.title);
        if let Some((short_hash, hash)) = &head.commit {
            let tip = format!("Commit {hash}. Click to copy.");
            let link = widgets::mono_link(ui, short_hash);
            if widgets::hint(link, &tip).clicked() {
                actions.push(Action::Copy(hash.clone()));
            }
        }
        let response = widgets::muted(ui, &head.words);
        if !head.tip.is_empty() {
            response.on_hover_text(&head.tip);
        }
    });
}
