//! Lays out the playback desk: requests, set and mode, the verdict, and the calls.

use egui::Ui;

use super::playback_data::PlaybackData;
use super::strip::{PlaybackView, strip_ui};
use super::{head_ui, start_ui};
use widgets::theme;
use workbench::Actions;

/// Below this height, above the strip are only the numbers of calls in place of the verdict, to make room for the lanes.
const VERDICT_MIN_HEIGHT: f32 = 480.0;

/// Draws the desk. User input becomes an [`Action`](workbench::Action).
pub fn playback_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PlaybackView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = egui::vec2(theme::GAP, 0.0);
    head_ui::head_ui(ui, data, actions);
    if data.desk.requests.is_none() && data.desk.refusal.is_none() {
        start_ui::start_ui(ui, data, actions);
        return;
    }
    let is_short = data.desk.shown_strip().is_some()
        && ui.available_height() < VERDICT_MIN_HEIGHT
        // The verdict then says what else can be played, and must not be hidden.
        && !data.lacks_request();
    head_ui::rules_ui(ui, data, is_short, actions);
    if is_short {
        widgets::hair_line(ui);
    } else {
        head_ui::verdict_ui(ui, data, actions);
    }
    match data.played() {
        Some(_) if data.desk.shown_strip().is_some() => strip_ui(ui, data, view, actions),
        // The banner of a log without calls explains what to do.
        Some(result) if result.input.log.is_none() => {
            widgets::empty_state(ui, "No requests to play.", None);
        }
        None if data.desk.is_playing() && data.desk.refusal.is_none() => {
            widgets::skeleton_rows(ui, 6, theme::ROW_TWO_LINES);
        }
        _ => {}
    }
}
