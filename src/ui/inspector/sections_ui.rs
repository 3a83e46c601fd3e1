//! Paints the sections of an inspector that are on screen, however many there are.

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use super::content::InspectorSection;
use super::inspector_data::{InspectorData, Ready};
use super::sections_state::{SectionContext, SectionsState};
use super::{card_ui, fold_ui, prompt_ui, turn_ui};
use widgets::theme::{self, tokens};
use workbench::Actions;

/// Paints the sections on screen.
pub(super) fn sections_ui(
    ui: &mut Ui,
    data: &InspectorData,
    ready: &Ready,
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let area = egui::ScrollArea::vertical().auto_shrink(false).id_salt(("sections", &data.path));
    area.show_viewport(ui, |ui, viewport| visible_ui(ui, viewport, (data, ready), state, actions));
}

/// Allocates space for all sections and paints those within `viewport`, which is relative to the first one.
pub(super) fn visible_ui(
    ui: &mut Ui,
    viewport: Rect,
    (data, ready): (&InspectorData, &Ready),
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let width = ui.available_width();
    state.reset_for(data, ready, width);
    let height = state.tops.last().copied().unwrap_or_default();
    let (room, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    // The section before begins above the view and reaches into it.
    let first = state.tops.partition_point(|&top| top <= viewport.min.y).saturating_sub(1);
    let mut has_changed = false;
    let mut y = state.tops.get(first).copied().unwrap_or_default();
    let mut next = first;
    while y <= viewport.max.y {
        let index = state.first_shown(next);
        next = index + 1;
        let Some(section) = ready.section(index) else { break };
        let corner = pos2(room.left(), room.top() + y);
        let rect = Rect::from_min_size(corner, vec2(width, f32::INFINITY));
        // With the path, so that fields of another file have other ids.
        let builder = UiBuilder::new().max_rect(rect).id_salt(("section", &data.path, index));
        let mut child = ui.new_child(builder);
        child.set_clip_rect(ui.clip_rect());
        let mut context = SectionContext { data, ready, tokens: tokens(ui), index, state, actions };
        section_ui(&mut child, &section, &mut context);
        let height = child.min_rect().height().ceil();
        if state.heights.get(index).is_some_and(|old_height| (old_height - height).abs() >= 1.0) {
            state.heights[index] = height;
            has_changed = true;
        }
        y += height;
    }
    if has_changed {
        state.update_tops();
        // The sections below were placed by the old height.
        ui.request_repaint();
    }
}

fn section_ui(ui: &mut Ui, section: &InspectorSection, context: &mut SectionContext<'_>) {
    ui.spacing_mut().item_spacing = vec2(theme::ICON_GAP, 4.0);
    match section {
        InspectorSection::Banner(banner) => card_ui::banner_ui(ui, banner, context.actions),
        InspectorSection::Turn(turn) => turn_ui::turn_ui(ui, turn, context),
        InspectorSection::Prompt(card) => prompt_ui::prompt_ui(ui, card, context),
        InspectorSection::Tools(tools) => card_ui::tools_ui(ui, tools, context),
        InspectorSection::Facts(facts) => card_ui::facts_ui(ui, facts, context),
        InspectorSection::Heading(heading) => card_ui::list_heading_ui(ui, heading),
        InspectorSection::Fold(fold) => fold_ui::fold_ui(ui, fold, context),
        InspectorSection::Row(row) => turn_ui::row_ui(ui, row, context),
    }
}
