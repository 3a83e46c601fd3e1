//! Lays out the playback desk: what is played and the verdict, then the calls; while nothing is played, what can be.

use egui::Ui;

use super::playback_data::PlaybackData;
use super::strip::{PlaybackView, strip_ui};
use super::{head_ui, list_ui};
use widgets::theme;
use workbench::Actions;

/// Draws the desk. User input becomes an [`Action`](workbench::Action).
pub fn playback_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PlaybackView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing = egui::vec2(theme::GAP, 0.0);
    head_ui::head_ui(ui, data, &mut view.filter, actions);
    head_ui::verdict_ui(ui, data, actions);
    if data.desk.is_choosing() {
        return list_ui::list_ui(ui, data, actions);
    }
    match data.played() {
        Some(_) if data.desk.shown_strip().is_some() => strip_ui(ui, data, view, actions),
        // The first line says what a log without calls lacks.
        Some(result) if result.input.log.is_none() => {
            widgets::empty_state(ui, "No requests to play.", None);
        }
        Some(_) => {}
        None => widgets::skeleton_rows(ui, 6, theme::ROW_TWO_LINES),
    }
}
