//! Paints a version of a machine, with nodes that can be clicked.

use egui::{Response, Role, Sense, Ui, WidgetInfo};

use machine::layout::FRAME_TITLE;
use machine::map_picture::MapDrawing;
use widgets::graph::Placement;
use widgets::picture::paint;
use widgets::theme;

/// Context for painting a version.
pub(super) struct MapCanvas<'a> {
    drawing: MapDrawing<'a>,
    at: Placement,
}

impl<'a> MapCanvas<'a> {
    pub(super) fn new(drawing: MapDrawing<'a>, at: Placement) -> Self {
        // Letters do not shrink as much as nodes, until they are omitted.
        let readable = at.readable_letters(theme::SMALL);
        let letters = readable.map_or(0.0, |size| size / (theme::SMALL * at.scale));
        Self { drawing: MapDrawing { letters, ..drawing }, at }
    }

    /// Paints the frames of groups, below everything else, then all edges, then their labels.
    pub(super) fn edges(&self, ui: &Ui) {
        let drawing = &self.drawing;
        let (nodes, edges) = (0..drawing.map.nodes.len(), 0..drawing.map.edges.len());
        let frames = nodes.filter_map(|index| drawing.frame(index));
        let lines = edges.clone().filter_map(|index| drawing.edge(index));
        let labels = edges.filter_map(|index| {
            let center = self.at.point(drawing.map.layout.lines[index].label);
            // Labels outside of the view would be laid out for nothing.
            let is_visible = ui.clip_rect().contains(center);
            is_visible.then(|| drawing.label(index)).flatten()
        });
        for shape in frames.chain(lines).chain(labels) {
            paint(ui, ui.painter(), self.at, &[shape]);
        }
    }

    /// Paints a clickable node; `None` if the version does not have it.
    pub(super) fn node_ui(&self, ui: &mut Ui, index: usize) -> Option<Response> {
        let drawing = &self.drawing;
        let name = drawing.describe_node(index)?;
        let mut rect = self.at.rect(drawing.area(index));
        if drawing.map.nodes[index].is_frame {
            // Nodes inside are clicked separately.
            rect.max.y = rect.max.y.min(rect.min.y + FRAME_TITLE * self.at.scale);
        }
        let is_chosen = drawing.chosen == Some(index);
        let response = ui.interact(rect, ui.scope_id().with(("map node", index)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &name));
        // Nodes outside of the view keep their widgets, so that Tab and screen readers reach them.
        if rect.intersects(ui.clip_rect()) {
            paint(ui, ui.painter(), self.at, &drawing.node(index, response.hovered()));
            if is_chosen || response.has_focus() {
                widgets::focus_ring_inside(ui, rect.expand(3.0), 10);
            }
        }
        Some(response.on_hover_cursor(egui::CursorIcon::PointingHand))
    }
}
