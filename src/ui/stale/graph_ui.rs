//! Shows the machine as a graph below the texts: its heading, pan and zoom, and clicks on nodes.

use std::ops::Range;
use std::sync::Arc;

use egui::{Align, Color32, Layout, Sense, Ui, UiBuilder, Vec2, vec2};

use super::canvas::{GraphCanvas, name_of};
use super::data::{StaleData, StaleSource};
use crate::ops::diff::Side;
use crate::ops::machine::{DrawnNode, DrawnStatus, MachineDrawing};
use crate::ui::compare::{Sheet, SheetEntry};
use crate::ui::graph::{LARGEST_SCALE, PanZoom};
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, MapAction, SourceChangeLine, SourceComparison};

/// The height of the heading.
const HEAD: f32 = 36.0;
/// The space around the drawing.
const MARGIN: Vec2 = vec2(16.0, 12.0);

/// View state of the graph.
#[derive(Debug)]
pub struct GraphState {
    pub shown: bool,
    view: PanZoom,
    /// The selected node, with its drawing and the change that was focused.
    chosen: Option<(usize, usize, usize)>,
    /// The text rows of the node.
    rows: Option<Range<usize>>,
}

impl Default for GraphState {
    fn default() -> Self {
        Self { shown: true, view: PanZoom::default(), chosen: None, rows: None }
    }
}

impl GraphState {
    /// Returns the rows of the selected node, until another change is focused.
    pub(super) fn rows(&self, data: &StaleData, found: &StaleSource) -> Option<&Range<usize>> {
        let (_, of, change) = self.chosen?;
        let is_it = (of, change) == (pointer_address(&found.source), data.current);
        self.rows.as_ref().filter(|_| is_it)
    }

    fn chosen(&self, data: &StaleData, found: &StaleSource) -> Option<usize> {
        let (node, of, change) = self.chosen?;
        ((of, change) == (pointer_address(&found.source), data.current)).then_some(node)
    }
}

fn pointer_address(source: &Arc<SourceComparison>) -> usize {
    Arc::as_ptr(source) as usize
}

/// Returns the height at which a drawing is as large as its width allows.
pub(super) fn graph_height(drawing: &MachineDrawing, width: f32) -> f32 {
    let [wide, high] = drawing.layout.size;
    let scale = (width - 2.0 * MARGIN.x) / wide.max(1.0);
    HEAD + 2.0 * MARGIN.y + high * scale.clamp(0.5, LARGEST_SCALE)
}

/// Draws heading and graph.
pub(super) fn graph_ui(
    ui: &mut Ui,
    data: &StaleData,
    found: &StaleSource,
    state: &mut GraphState,
    actions: &mut Vec<Action>,
) {
    let Some(drawing) = &found.source.drawing else {
        return;
    };
    ui.spacing_mut().item_spacing = Vec2::ZERO;
    let chosen = state.chosen(data, found);
    let selected = data.changes.lines.get(data.current);
    head_ui(ui, data, drawing, chosen, state, actions);
    let size = ui.available_size().max(vec2(40.0, 40.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::drag());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Canvas, true, "The machine, drag to move")
    });
    state.view.update(ui, rect, &response);
    let canvas =
        GraphCanvas { data, drawing, at: state.view.place(rect, drawing.layout.size, MARGIN) };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    canvas.frames(&inner);
    for (edge, path) in drawing.edges.iter().zip(&drawing.layout.lines) {
        canvas.edge(&inner, edge, path);
    }
    for (edge, path) in drawing.edges.iter().zip(&drawing.layout.lines) {
        canvas.label(&inner, edge, path);
    }
    for at in 0..drawing.nodes.len() {
        let is_marked = match chosen {
            Some(node) => node == at,
            None => selected.is_some_and(|line| line.is_about(&drawing.nodes[at])),
        };
        if canvas.node_ui(&mut inner, at, is_marked).clicked() {
            select_node(data, found, at, state, actions);
        }
    }
}

fn head_ui(
    ui: &mut Ui,
    data: &StaleData,
    drawing: &MachineDrawing,
    chosen: Option<usize>,
    state: &mut GraphState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), HEAD);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut right = ui.new_child(UiBuilder::new().max_rect(inner).layout(layout));
    right.spacing_mut().item_spacing.x = theme::GAP;
    if widgets::icon_button(&mut right, icons::X, "Hide the graph").clicked() {
        state.shown = false;
    }
    let map = Button::ghost("Map").tooltip("Shows the machine in all its versions");
    if right.add(map).clicked() {
        actions.push(Action::from(MapAction::Show));
    }
    if state.view.is_changed() {
        let fit = Button::ghost("Fit").tooltip("Fits the whole graph into the view");
        if right.add(fit).clicked() {
            state.view = PanZoom::default();
        }
    }
    let font = || theme::regular(theme::LABEL);
    let hint = match chosen {
        None => "Click a node to go to its lines".to_owned(),
        Some(at) => name_of(data, drawing, at),
    };
    if chosen.is_some() || inner.width() > 640.0 {
        let words = StyledText::new().with(&hint, font(), colors.muted);
        words.show(&mut right);
    }
    let left = inner.with_max_x(right.min_rect().left() - theme::GAP);
    widgets::place_left(ui, left, |ui| {
        ui.spacing_mut().item_spacing.x = theme::PADDING;
        let heading = theme::semibold(theme::BODY);
        StyledText::new().with("Machine", heading, colors.text_strong).show(ui);
        for (sign, word, color) in legend_entries(drawing, colors) {
            StyledText::new()
                .with(sign, theme::mono_bold(theme::LABEL), color)
                .after(theme::ICON_GAP, word, font(), colors.muted)
                .show(ui);
        }
    });
    widgets::hair_line(ui);
}

/// Returns the symbols in the drawing with their meaning.
fn legend_entries(
    drawing: &MachineDrawing,
    colors: &Tokens,
) -> impl Iterator<Item = (&'static str, &'static str, Color32)> {
    let fates = || {
        let nodes = drawing.nodes.iter().map(|node| &node.status);
        nodes.chain(drawing.edges.iter().map(|edge| &edge.status))
    };
    let all = [
        ("+", "added", colors.good, fates().any(|it| *it == DrawnStatus::Added)),
        ("−", "removed, dashed", colors.error, fates().any(|it| *it == DrawnStatus::Gone)),
        ("→", "renamed", colors.note, fates().any(|it| matches!(it, DrawnStatus::Renamed(_)))),
        ("~", "changed", colors.note, fates().any(|it| *it == DrawnStatus::Changed)),
    ];
    let shown = all.into_iter().filter(|(.., is_there)| *is_there);
    shown.map(|(sign, word, color, _)| (sign, word, color))
}

/// Selects the change of a node, goes to its lines and unfolds them.
fn select_node(
    data: &StaleData,
    found: &StaleSource,
    at: usize,
    state: &mut GraphState,
    actions: &mut Vec<Action>,
) {
    let node = found.source.drawing.as_ref().map(|drawing| &drawing.nodes[at]);
    let change = node.and_then(|node| change_of(&data.changes.lines, node));
    let address = pointer_address(&found.source);
    state.chosen = Some((at, address, change.unwrap_or(data.current)));
    state.rows = None;
    actions.extend(change.map(Action::ShowChange));
    let place = node.and_then(|node| match (node.spans.now, node.spans.then) {
        (Some(span), _) => Some((Side::Right, span)),
        (None, Some(span)) => Some((Side::Left, span)),
        (None, None) => None,
    });
    let (Some((side, span)), Some(sheet)) = (place, &found.sheet) else {
        return;
    };
    state.rows = sheet.rows_of(side, span);
    if let Some(rows) = &state.rows {
        actions
            .extend(closed_folds(sheet, rows).map(|fold| Action::ToggleFold { section: 0, fold }));
    }
}

/// Returns the row of the change of a node, or else that of its first changed edge.
fn change_of(lines: &[SourceChangeLine], node: &DrawnNode) -> Option<usize> {
    let find = |is_own: bool| {
        let mut lines = lines.iter();
        lines.position(|line| (line.nodes.len() == 1) == is_own && line.is_about(node))
    };
    find(true).or_else(|| find(false))
}

/// Returns the closed folds that hide some of these rows.
fn closed_folds<'a>(sheet: &'a Sheet, rows: &'a Range<usize>) -> impl Iterator<Item = usize> + 'a {
    let folds = sheet.content.diff(0).map_or(&[][..], |diff| &diff.folds);
    sheet.entries.iter().filter_map(|entry| match entry {
        SheetEntry::Fold { section: 0, fold } => {
            let hidden = &folds.get(*fold)?.rows;
            (hidden.start < rows.end && rows.start < hidden.end).then_some(*fold)
        }
        _ => None,
    })
}
