//! Paints the run on the map of its machine: what is walked up to the selected call.

use egui::{Rect, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, vec2};

use super::strip_ui::StripProps;
use crate::ops::machine::map_picture::MapDrawing;
use crate::ops::machine::{MachineMap, MapVersion};
use crate::text::{thousands, visible};
use crate::ui::graph::PanZoom;
use crate::ui::icons;
use crate::ui::map::MapCanvas;
use crate::ui::playback::data::PlaybackData;
use crate::ui::strip::transport_ui;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, PlaybackAction, RunView, StripAction};

/// The space around the drawing.
const MARGIN: Vec2 = vec2(24.0, 28.0);

/// Draws the map of the played run.
pub(in crate::ui::playback) fn map_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    view: &mut PanZoom,
    actions: &mut Vec<Action>,
) {
    let Some(props) = StripProps::new(data) else {
        return;
    };
    transport_ui(ui, &props.picture(ui), false, actions);
    widgets::hair_line(ui);
    step_ui(ui, &props, view);
    widgets::hair_line(ui);
    match data.desk.run_map.shown() {
        Some(shown) => drawing_ui(ui, &props, shown, view, actions),
        None => missing_ui(ui, data, actions),
    }
}

fn missing_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Vec<Action>) {
    let run_map = &data.desk.run_map;
    let sentence = match run_map.read() {
        _ if run_map.machine.is_none() => {
            "No machine of this set was found: its recordings name none, or it is missing from the open folder.".to_owned()
        }
        Some(Err(reason)) => format!("{}.", visible(reason)),
        _ => {
            widgets::awaited(ui, 8, theme::ROW_TWO_LINES, None);
            return;
        }
    };
    if widgets::empty_state(ui, &sentence, Some("Show the strip")) {
        let show = StripAction::Show(RunView::Strip);
        actions.push(Action::from(PlaybackAction::Strip(show)));
    }
}

/// Draws which step of the run is shown, at which node of which machine.
fn step_ui(ui: &mut Ui, props: &StripProps<'_>, view: &mut PanZoom) {
    let colors = tokens(ui);
    let run_map = &props.data.desk.run_map;
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        let step = format!(
            "Step {} of {}",
            thousands(props.call() + 1),
            thousands(props.strip.blocks.len())
        );
        let step = StyledText::new().with(&step, theme::semibold(theme::BODY), colors.text_strong);
        step.show(ui);
        let node = run_map.shown().and_then(|(_, version)| {
            let state = version.nodes.get(run_map.trail.node?)?.as_ref()?;
            Some(visible(&state.qualified).into_owned())
        });
        let node = node.unwrap_or_else(|| "not on the map".to_owned());
        StyledText::new().with(&node, theme::regular(theme::BODY), colors.text).show(ui);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.with_layout(layout, |ui| {
            let fit = Button::ghost("Fit").tooltip("Fits the whole map into the view");
            if ui.add(fit).clicked() {
                *view = PanZoom::default();
            }
            if widgets::icon_button(ui, icons::ZOOM_IN, "Zoom in").clicked() {
                view.zoom_by(1.25, Vec2::ZERO);
            }
            if widgets::icon_button(ui, icons::ZOOM_OUT, "Zoom out").clicked() {
                view.zoom_by(0.8, Vec2::ZERO);
            }
            let machine = run_map.machine.as_deref().unwrap_or_default();
            let name = machine.rsplit('/').next().unwrap_or(machine);
            StyledText::new()
                .with(&visible(name), theme::mono(theme::LABEL), colors.muted)
                .show(ui);
        });
    });
}

fn drawing_ui(
    ui: &mut Ui,
    props: &StripProps<'_>,
    (map, version): (&MachineMap, &MapVersion),
    view: &mut PanZoom,
    actions: &mut Vec<Action>,
) {
    let (rect, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    let id = ui.scope_id().with("run map");
    let response = ui.interact(rect, id, Sense::click_and_drag());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Canvas, true, "The run on its machine, drag to move")
    });
    view.update(ui, rect, &response);
    let run_map = &props.data.desk.run_map;
    let drawing = MapDrawing {
        map,
        version,
        origin: [0.0; 2],
        chosen: run_map.trail.node,
        trail: Some(&run_map.trail),
        letters: 1.0,
    };
    let canvas = MapCanvas::new(drawing, view.place(rect, map.layout.size, MARGIN));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(Rect::intersect(rect, ui.clip_rect()));
    canvas.edges(&inner);
    for at in 0..map.nodes.len() {
        let clicked = canvas.node_ui(&mut inner, at);
        if clicked.is_some_and(|response| response.clicked())
            && let Some(call) = next_call(props, at)
        {
            actions.push(Action::from(PlaybackAction::ShowCall(call)));
        }
    }
}

/// Returns the next call at a node after the selected one, else the first.
fn next_call(props: &StripProps<'_>, node: usize) -> Option<usize> {
    let steps = &props.data.desk.run_map.steps;
    let calls = steps.iter().enumerate();
    let calls = calls.filter(|(_, step)| step.node == Some(node));
    let mut calls = calls.map(|(call, _)| call);
    let first = calls.next()?;
    let next = std::iter::once(first).chain(calls);
    next.into_iter().find(|call| *call > props.call()).or(Some(first))
}
