//! Lays out the playback desk: requests, set and mode, the verdict, the calls, and the findings about the whole run.

use egui::{Frame, Panel, Ui};

use super::data::PlaybackData;
use super::strip::{StripView, strip_ui};
use super::{head_ui, run_ui, start_ui, table_ui};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::workbench::Action;

/// Below these heights the set and then the findings are hidden to make room for the calls.
const SET_FROM: f32 = 400.0;
const TILES_FROM: f32 = 260.0;

/// State of the view that is kept between frames.
#[derive(Debug, Default)]
pub struct PlaybackView {
    /// The run and the call that were last scrolled into view in the set.
    pub(super) shown_cell: Option<(u64, usize)>,
    strip: StripView,
}

/// Draws the desk. User input becomes an [`Action`].
pub fn playback_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PlaybackView,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing = egui::vec2(theme::GAP, 0.0);
    head_ui::head_ui(ui, data, actions);
    if data.desk.requests.is_none() && data.desk.refusal.is_none() {
        start_ui::start_ui(ui, data, actions);
        return;
    }
    head_ui::rules_ui(ui, data, actions);
    if data.desk.shown_strip().is_some() && !data.lacks_request() {
        widgets::hair_line(ui);
        return strip_ui(ui, data, &mut view.strip, actions);
    }
    head_ui::verdict_ui(ui, data, actions);
    if data.desk.shown_strip().is_some() {
        return strip_ui(ui, data, &mut view.strip, actions);
    }
    let Some(played) = data.played() else {
        if data.desk.is_playing() && data.desk.refusal.is_none() {
            widgets::skeleton_rows(ui, 6, table_ui::ROW);
        }
        return;
    };
    if played.run.calls.is_empty() && played.input.log.is_some() {
        // Without calls there is nothing to count, and the banner explains what to do.
        return;
    }
    let panel = |name| {
        Panel::bottom(name)
            .resizable(false)
            .show_separator_line(false)
            .frame(Frame::new().fill(tokens(ui).panel))
    };
    let (set, tiles) = (panel("the set"), panel("whole run"));
    let room = ui.available_height();
    if room >= SET_FROM {
        set.exact_size(run_ui::SET).show(ui, |ui| run_ui::set_ui(ui, data, played, view, actions));
    }
    if room >= TILES_FROM {
        tiles.exact_size(run_ui::TILES).show(ui, |ui| run_ui::tiles_ui(ui, data, actions));
    }
    table_ui::table_ui(ui, data, played, actions);
}
