//! Paints the map of a machine over the whole page, with its versions below it.

use std::sync::Arc;

use egui::{Rect, Response, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, vec2};

use super::versions_ui::{SLIDER_HEIGHT, versions_ui};
use document::text::{counted, visible};
use machine::layout::FRAME_TITLE;
use machine::map_picture::MapDrawing;
use machine::{MachineMap, MapVersion};
use widgets::graph::{PanZoom, Placement};
use widgets::picture::paint;
use widgets::theme::{self, tokens};
use widgets::{StyledText, dates};
use workbench::{Action, Actions, Command, SourceAction, SourceDesk, Workbench};

/// The space around the drawing.
const MARGIN: Vec2 = vec2(44.0, 32.0);

/// View state of the map.
#[derive(Debug, Default)]
pub(super) struct MapView {
    view: PanZoom,
    /// The machine for which it was zoomed and moved.
    machine: Option<Arc<str>>,
}

impl MapView {
    pub(super) fn fit(&mut self) {
        self.view = PanZoom::default();
    }

    pub(super) fn zoom_by(&mut self, factor: f32, from: Vec2) {
        self.view.zoom_by(factor, from);
    }
}

/// Draws the map and its versions, or why there is no map.
pub(super) fn map_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut MapView,
    actions: &mut Actions,
) {
    let desk = &workbench.source;
    let machine = desk.machine();
    // Zoom and position mean nothing for another machine.
    if view.machine.as_ref() != machine {
        view.machine = machine.cloned();
        view.fit();
    }
    let Some((map, version)) = desk.map().zip(desk.shown_version()) else {
        return match (desk.read(), machine) {
            (Some(Err(reason)), _) => {
                widgets::empty_sentence(ui, &format!("{}.", visible(reason)));
            }
            (_, None) => widgets::empty_sentence(ui, "The source is not there to be drawn."),
            _ => widgets::awaited(ui, 8, theme::ROW_TWO_LINES, None),
        };
    };
    let rect = ui.available_rect_before_wrap();
    let slider = if map.versions.len() > 1 { SLIDER_HEIGHT } else { 0.0 };
    let (drawing, slider) = rect.split_top_bottom_at_y(rect.bottom() - slider);
    drawing_ui(ui, drawing, desk, (map, version), view, actions);
    version_words_ui(ui, drawing, desk);
    if map.versions.len() > 1 {
        widgets::place(ui, slider, |ui| versions_ui(ui, map, desk.version(), actions));
    }
}

/// Draws which version is shown, unless it is the newest.
fn version_words_ui(ui: &mut Ui, rect: Rect, desk: &SourceDesk) {
    let Some((map, version)) = desk.map().zip(desk.shown_version()) else { return };
    let Some(commit) = version.commit.as_ref().filter(|_| desk.version() + 1 < map.versions.len())
    else {
        return;
    };
    let colors = tokens(ui);
    let day = dates::day_of_seconds(commit.id.seconds);
    let broke = match version.broke.len() {
        0 => String::new(),
        count => format!("It broke {}.", counted(count, "recording", "recordings")),
    };
    let words = StyledText::of(&day, colors.muted_body())
        .with_gap(&visible(&commit.subject), colors.heading())
        .with_gap(&broke, (theme::regular(theme::BODY), colors.warning));
    let place = Rect::from_min_size(
        rect.left_top() + vec2(theme::PADDING, theme::GAP),
        vec2(rect.width() - 2.0 * theme::PADDING, theme::TEXT_LINE),
    );
    widgets::place_left(ui, place, |ui| words.show(ui));
}

fn drawing_ui(
    ui: &mut Ui,
    rect: Rect,
    desk: &SourceDesk,
    (map, version): (&MachineMap, &MapVersion),
    view: &mut MapView,
    actions: &mut Actions,
) {
    let response = ui.interact(rect, ui.scope_id().with("map"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "The machine, drag to move"));
    view.view.update(ui, rect, &response);
    // Nodes are drawn later and get their own clicks; this one hit none.
    widgets::on_click(&response, SourceAction::SelectNode(None), actions);
    let drawing = MapDrawing { map, version, origin: [0.0; 2], chosen: desk.node, letters: 1.0 };
    let canvas = MapCanvas::new(drawing, view.view.place(rect, map.layout.size, MARGIN));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    canvas.edges(&inner);
    for index in 0..map.nodes.len() {
        let Some(response) = canvas.node_ui(&mut inner, index) else { continue };
        let is_chosen = desk.node == Some(index);
        if response.clicked() && is_chosen {
            actions.push(Action::Run(Command::OpenSelected));
        } else if response.clicked() || response.gained_focus() {
            actions.push(Action::from(SourceAction::SelectNode(Some(index))));
        }
    }
}

/// A version, placed on the page.
struct MapCanvas<'a> {
    drawing: MapDrawing<'a>,
    at: Placement,
}

impl<'a> MapCanvas<'a> {
    fn new(drawing: MapDrawing<'a>, at: Placement) -> Self {
        // Letters do not shrink as much as nodes, until they are omitted.
        let readable = at.readable_letters(theme::SMALL);
        let letters = readable.map_or(0.0, |size| size / (theme::SMALL * at.scale));
        Self { drawing: MapDrawing { letters, ..drawing }, at }
    }

    /// Paints the frames of groups, below everything else, then all edges, then their labels.
    fn edges(&self, ui: &Ui) {
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
    fn node_ui(&self, ui: &mut Ui, index: usize) -> Option<Response> {
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
