//! The map of a machine: its heading, the drawing, the versions below it, and the panel beside it.

use std::sync::Arc;

use egui::{Rect, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, vec2};

use super::canvas::MapCanvas;
use super::node_ui::{mark, panel_ui};
use super::versions_ui::{self, versions_ui};
use document::text::{counted, visible};
use machine::map_picture::MapDrawing;
use machine::{CoveredShare, MachineMap, MapVersion};
use widgets::graph::PanZoom;
use widgets::icons;
use widgets::picture::picture_button;
use widgets::theme::{self, tokens};
use widgets::{Button, Segment, SidePanel, StyledText};
use workbench::{Action, Actions, Command, InspectorPlacement, MapAction, MapDesk, Workbench};

/// The space around the drawing.
const MARGIN: Vec2 = vec2(24.0, 28.0);
/// Initial width of the panel.
const PANEL_WIDTH: f32 = 400.0;

/// View state of the map.
#[derive(Debug, Default)]
pub struct MapView {
    view: PanZoom,
    /// The machine for which it was zoomed and moved.
    machine: Option<Arc<str>>,
}

/// Draws the map.
pub fn map_ui(ui: &mut Ui, workbench: &Workbench, view: &mut MapView, actions: &mut Actions) {
    let desk = &workbench.map;
    // Zoom and position mean nothing for another machine.
    if view.machine != desk.machine {
        view.machine.clone_from(&desk.machine);
        view.view = PanZoom::default();
    }
    ui.spacing_mut().item_spacing = Vec2::ZERO;
    let content = desk.map().zip(desk.shown_version());
    let inspector = &workbench.core.inspector;
    let is_docked = inspector.placement == InspectorPlacement::Docked;
    let area = ui.available_rect_before_wrap();
    if let Some((map, version)) = content.filter(|_| is_docked) {
        let panel = SidePanel::right("map node", PANEL_WIDTH, 300.0..=640.0);
        panel.show(ui, |ui| panel_ui(ui, workbench, map, version, actions));
    }
    let frame = egui::Frame::new().fill(tokens(ui).desk);
    egui::CentralPanel::default().frame(frame).show(ui, |ui| {
        head_ui(ui, workbench, view, actions);
        widgets::hair_line(ui);
        let Some((map, version)) = content else { return missing_ui(ui, workbench, actions) };
        shares_ui(ui, workbench, version, actions);
        widgets::hair_line(ui);
        let rect = ui.available_rect_before_wrap();
        // In a low window the drawing keeps half of the height.
        let versions = versions_ui::height(map).min(rect.height() / 2.0);
        let (drawing, versions_rect) = rect.split_top_bottom_at_y(rect.bottom() - versions);
        let visible_right =
            if is_docked { f32::INFINITY } else { widgets::side_overlay_left(area) };
        drawing_ui(ui, (drawing, visible_right), desk, (map, version), view, actions);
        widgets::place(ui, versions_rect, |ui| {
            let machine = desk.machine.as_deref().unwrap_or_default();
            let name = machine.rsplit('/').next().unwrap_or(machine);
            versions_ui(ui, map, desk.version(), name, actions);
        });
    });
    if let Some((map, version)) = content.filter(|_| !is_docked)
        && (desk.node.is_some() || inspector.is_shown())
    {
        widgets::side_overlay(ui, area, |ui| panel_ui(ui, workbench, map, version, actions));
    }
}

fn missing_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.map;
    let are_cassettes = workbench.core.list.listing.totals.are_cassettes();
    let sentence = match desk.read() {
        // First, because cassettes cannot be stamped, which the next message advises.
        _ if are_cassettes => {
            "A map shows the machine that recordings were made from; cassettes name none."
        }
        _ if desk.machines.is_empty() => {
            "No recording names the machine that it was made from. Stamp recordings to see them on a map."
        }
        Some(Err(reason)) => &format!("{}.", visible(reason)),
        _ => return widgets::awaited(ui, 8, theme::ROW_TWO_LINES, None),
    };
    let (words, action) = if desk.machines.is_empty() && !are_cassettes {
        (Command::StampListed.name(), Action::Run(Command::StampListed))
    } else {
        ("Show the list", Action::from(MapAction::ShowList))
    };
    if widgets::empty_state(ui, sentence, Some(words)) {
        actions.push(action);
    }
}

fn head_ui(ui: &mut Ui, workbench: &Workbench, view: &mut MapView, actions: &mut Actions) {
    let desk = &workbench.map;
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        let machine = desk.machine.as_deref().unwrap_or("No machine");
        let name = visible(machine.rsplit('/').next().unwrap_or(machine));
        let button = Button::secondary(&name)
            .icon(icons::WORKFLOW)
            .trailing(icons::CHEVRON_DOWN)
            .tooltip("Choose a machine");
        widgets::menu(&ui.add(button), |ui| {
            for (path, totals) in &desk.machines {
                let count = counted(totals.recordings, "recording", "recordings");
                let icon = if Some(path) == desk.machine.as_ref() { icons::CHECK } else { "" };
                if widgets::menu_action(ui, icon, &format!("{}  ({count})", visible(path)), None) {
                    actions.push(Action::from(MapAction::ChooseMachine(Arc::clone(path))));
                }
            }
        });
        let totals = desk.machine.as_ref().and_then(|path| desk.machines.get(path));
        if let Some(totals) = totals {
            let recordings = counted(totals.recordings, "recording", "recordings");
            let words = format!("{recordings} in {}", counted(totals.sets.len(), "set", "sets"));
            StyledText::new().with(&words, theme::regular(theme::BODY), tokens(ui).muted).show(ui);
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            if desk.map().is_some() {
                picture_button(ui, actions);
                let fit = Button::ghost("Fit").tooltip("Fits the whole map into the view");
                if ui.add(fit).clicked() {
                    view.view = PanZoom::default();
                }
                if widgets::icon_button(ui, icons::ZOOM_IN, "Zoom in").clicked() {
                    view.view.zoom_by(1.25, Vec2::ZERO);
                }
                if widgets::icon_button(ui, icons::ZOOM_OUT, "Zoom out").clicked() {
                    view.view.zoom_by(0.8, Vec2::ZERO);
                }
            }
            let segments = [
                Segment::text("List").icon(icons::LIST_TREE, None),
                Segment::text("Map").icon(icons::WORKFLOW, None),
            ];
            if widgets::segmented(ui, &segments, 1) == Some(0) {
                actions.push(Action::from(MapAction::ShowList));
            }
        });
    });
}

/// Draws how much of the machine is covered, and what the marks mean.
fn shares_ui(ui: &mut Ui, workbench: &Workbench, version: &MapVersion, actions: &mut Actions) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        ui.spacing_mut().item_spacing.x = theme::PADDING;
        share_ui(ui, "Tasks", version.tasks);
        share_ui(ui, "Edges", version.edge_share);
        let gap = |share: CoveredShare| share.total - share.covered;
        let gap = gap(version.tasks) + gap(version.edge_share);
        if gap > 0 && widgets::link(ui, &format!("Show the {gap} not covered")).clicked() {
            actions.push(Action::from(MapAction::SelectNode(None)));
            if !workbench.core.inspector.is_shown() {
                actions.push(Action::Run(Command::ToggleInspector));
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.available_width() < 300.0 {
                return;
            }
            let word = |ui: &mut Ui, text: &str| {
                StyledText::new().with(text, theme::regular(theme::LABEL), colors.muted).show(ui);
            };
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            word(ui, "not covered");
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 12.0), Sense::hover());
            let points = [rect.left_center(), rect.right_center()];
            let stroke = egui::Stroke::new(1.0, colors.strong);
            ui.painter().extend(egui::Shape::dashed_line(&points, stroke, 5.0, 4.0));
            for (text, matches) in [("breaks", false), ("matches", true)] {
                ui.add_space(theme::GAP);
                word(ui, text);
                let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                mark(ui, rect.center(), matches, 1.0);
            }
        });
    });
}

fn share_ui(ui: &mut Ui, name: &str, share: CoveredShare) {
    let colors = tokens(ui);
    let figure = format!("{} of {}", share.covered, share.total);
    StyledText::new()
        .with(name, theme::regular(theme::BODY), colors.muted)
        .after(theme::GAP, &figure, theme::semibold(theme::BODY), colors.text_strong)
        .show(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(64.0, 4.0), Sense::hover());
    widgets::paint_bar(ui, rect, share.covered as f32 / share.total.max(1) as f32);
}

/// Draws the map in a rectangle. While a node is selected, a panel hides what is right of `visible_right`.
fn drawing_ui(
    ui: &mut Ui,
    (rect, visible_right): (Rect, f32),
    desk: &MapDesk,
    (map, version): (&MachineMap, &MapVersion),
    view: &mut MapView,
    actions: &mut Actions,
) {
    let response = ui.interact(rect, ui.scope_id().with("map"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "The machine, drag to move"));
    view.view.update(ui, rect, &response);
    // Nodes are drawn later and get their own clicks; this one hit none.
    widgets::on_click(&response, MapAction::SelectNode(None), actions);
    let drawing = MapDrawing { map, version, origin: [0.0; 2], chosen: desk.node, letters: 1.0 };
    let mut placement = view.view.place(rect, map.layout.size, MARGIN);
    if let Some(node) = desk.node {
        // The selected node is not behind the panel.
        let right = placement.rect(drawing.area(node)).right() + MARGIN.x;
        placement.origin.x -= (right - visible_right).clamp(0.0, rect.width());
    }
    let canvas = MapCanvas::new(drawing, placement);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    canvas.edges(&inner);
    for index in 0..map.nodes.len() {
        let Some(response) = canvas.node_ui(&mut inner, index) else { continue };
        if response.clicked() {
            // A second click on a node closes its panel.
            let node = (desk.node != Some(index)).then_some(index);
            actions.push(Action::from(MapAction::SelectNode(node)));
        }
    }
}
