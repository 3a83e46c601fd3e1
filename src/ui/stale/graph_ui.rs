//! Paints the machine as a graph below the texts: its nodes and edges, what became of them, and where recordings break.

use std::ops::Range;
use std::sync::Arc;

use egui::epaint::CubicBezierShape;
use egui::{
    Align, Color32, Layout, Painter, Pos2, Rect, Response, RichText, Sense, Shape, Stroke,
    StrokeKind, Ui, UiBuilder, Vec2, pos2, vec2,
};

use super::data::{Found, StaleData};
use crate::ops::diff::Side;
use crate::ops::diff::thousands;
use crate::ops::layout::{Area, Bend, Path};
use crate::ops::machine::{Drawing, DrawnEdge, DrawnNode, Fate};
use crate::text::visible;
use crate::ui::compare::{Entry, Sheet};
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Button, Words};
use crate::workbench::{Action, ThenAndNow};

/// The height of the heading.
const HEAD: f32 = 36.0;
/// The space around the drawing.
const MARGIN: Vec2 = vec2(16.0, 12.0);
/// How much larger than its room a drawing is shown at most, and how much smaller.
const ZOOM: std::ops::RangeInclusive<f32> = 0.5..=8.0;
/// Below this size letters are not read, and left out.
const LEAST_LETTERS: f32 = 5.0;
/// How long the head of an edge is.
const HEAD_LENGTH: f32 = 8.0;

/// How the graph is shown.
#[derive(Debug)]
pub struct GraphState {
    /// Whether it is shown at all.
    pub shown: bool,
    /// How much larger than it would be to fit.
    zoom: f32,
    /// How far it was dragged.
    dragged: Vec2,
    /// The node that was chosen, in this drawing, while this change was in focus.
    chosen: Option<(usize, usize, usize)>,
    /// The rows of the text that show it.
    rows: Option<Range<usize>>,
}

impl Default for GraphState {
    fn default() -> Self {
        Self {
            shown: true,
            zoom: 1.0,
            dragged: Vec2::ZERO,
            chosen: None,
            rows: None,
        }
    }
}

impl GraphState {
    /// The rows of the chosen node, until another change is looked at.
    pub(super) fn rows(&self, data: &StaleData, found: &Found) -> Option<&Range<usize>> {
        let (_, of, change) = self.chosen?;
        let is_it = (of, change) == (address(&found.source), data.current);
        self.rows.as_ref().filter(|_| is_it)
    }

    fn chosen(&self, data: &StaleData, found: &Found) -> Option<usize> {
        let (node, of, change) = self.chosen?;
        ((of, change) == (address(&found.source), data.current)).then_some(node)
    }
}

fn address(source: &Arc<ThenAndNow>) -> usize {
    Arc::as_ptr(source) as usize
}

/// What a drawing is painted with.
struct Canvas<'a> {
    data: &'a StaleData,
    drawing: &'a Drawing,
    /// Where the upper left corner of the drawing stands, and how large it is.
    origin: Pos2,
    scale: f32,
}

impl Canvas<'_> {
    fn point(&self, [x, y]: [f32; 2]) -> Pos2 {
        self.origin + vec2(x, y) * self.scale
    }

    fn rect(&self, area: Area) -> Rect {
        Rect::from_min_max(self.point(area.min), self.point(area.max))
    }

    /// How many recordings break at a node.
    fn breaks(&self, node: &DrawnNode) -> usize {
        let breaks = &self.data.touched.breaks_at;
        breaks.get(&*node.qualified).copied().unwrap_or_default()
    }
}

/// Draws heading and graph.
pub(super) fn graph_ui(
    ui: &mut Ui,
    data: &StaleData,
    found: &Found,
    state: &mut GraphState,
    actions: &mut Vec<Action>,
) {
    let Some(drawing) = &found.source.drawing else {
        return;
    };
    ui.spacing_mut().item_spacing = Vec2::ZERO;
    let chosen = state.chosen(data, found);
    head_ui(ui, data, drawing, chosen, state);
    let size = ui.available_size().max(vec2(40.0, 40.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::drag());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Canvas, true, "The machine, drag to move")
    });
    let fit = (rect.size() - 2.0 * MARGIN) / Vec2::from(drawing.layout.size).max(Vec2::splat(1.0));
    let fit = fit.min_elem().clamp(0.05, 1.0);
    move_about(ui, rect, &response, state);
    let scale = fit * state.zoom;
    let size = Vec2::from(drawing.layout.size) * scale;
    let canvas = Canvas {
        data,
        drawing,
        origin: rect.center() - size / 2.0 + state.dragged,
        scale,
    };
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
        if canvas.node_ui(&mut inner, at, chosen == Some(at)).clicked() {
            choose(data, found, at, state, actions);
        }
    }
}

/// Takes the wheel and the drag.
fn move_about(ui: &Ui, rect: Rect, response: &Response, state: &mut GraphState) {
    state.dragged += response.drag_delta();
    let Some(pointer) = ui.input(|input| input.pointer.hover_pos()) else {
        return;
    };
    if !rect.contains(pointer) || !ui.rect_contains_pointer(rect) {
        return;
    }
    let turned = ui.input(|input| input.smooth_scroll_delta().y + input.zoom_delta().ln() * 200.0);
    if turned == 0.0 {
        return;
    }
    let before = state.zoom;
    state.zoom = (state.zoom * (turned / 200.0).exp()).clamp(*ZOOM.start(), *ZOOM.end());
    // What is under the pointer stays there.
    let from = pointer - rect.center();
    state.dragged = from - (from - state.dragged) * (state.zoom / before);
}

fn head_ui(
    ui: &mut Ui,
    data: &StaleData,
    drawing: &Drawing,
    chosen: Option<usize>,
    state: &mut GraphState,
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
    if state.zoom != 1.0 || state.dragged != Vec2::ZERO {
        let fit = Button::ghost("Fit").tooltip("Shows all of it again");
        if right.add(fit).clicked() {
            (state.zoom, state.dragged) = (1.0, Vec2::ZERO);
        }
    }
    let font = || theme::regular(theme::LABEL);
    let told = match chosen {
        None => "A press on a node goes to its lines".to_owned(),
        Some(at) => name_of(data, drawing, at),
    };
    if chosen.is_some() || inner.width() > 640.0 {
        let words = Words::new().with(&told, font(), colors.muted);
        words.show(&mut right);
    }
    let left = inner.with_max_x(right.min_rect().left() - theme::GAP);
    widgets::place_left(ui, left, |ui| {
        ui.spacing_mut().item_spacing.x = theme::PADDING;
        let heading = theme::semibold(theme::BODY);
        Words::new()
            .with("Machine", heading, colors.text_strong)
            .show(ui);
        for (sign, word, color) in signs(drawing, colors) {
            Words::new()
                .with(sign, theme::mono_bold(theme::LABEL), color)
                .after(theme::ICON_GAP, word, font(), colors.muted)
                .show(ui);
        }
    });
    widgets::hair_line(ui);
}

/// The signs that the drawing has, with what they mean.
fn signs(
    drawing: &Drawing,
    colors: &Tokens,
) -> impl Iterator<Item = (&'static str, &'static str, Color32)> {
    let fates = || {
        let nodes = drawing.nodes.iter().map(|node| &node.fate);
        nodes.chain(drawing.edges.iter().map(|edge| &edge.fate))
    };
    let all = [
        (
            "+",
            "added",
            colors.good,
            fates().any(|it| *it == Fate::Added),
        ),
        (
            "−",
            "gone, dashed",
            colors.error,
            fates().any(|it| *it == Fate::Gone),
        ),
        (
            "→",
            "renamed",
            colors.note,
            fates().any(|it| matches!(it, Fate::Renamed(_))),
        ),
        (
            "~",
            "changed",
            colors.note,
            fates().any(|it| *it == Fate::Changed),
        ),
    ];
    let shown = all.into_iter().filter(|(.., is_there)| *is_there);
    shown.map(|(sign, word, color, _)| (sign, word, color))
}

/// The name of a node for those who cannot see it: `Node classify, changed, 3 recordings break`.
fn name_of(data: &StaleData, drawing: &Drawing, at: usize) -> String {
    let name = visible(&drawing.name_of(at)).into_owned();
    let node = drawing.nodes.get(at);
    let breaks = node.and_then(|node| data.touched.breaks_at.get(&*node.qualified));
    match breaks {
        None | Some(0) => name,
        Some(1) => format!("{name}, 1 recording breaks"),
        Some(many) => format!("{name}, {} recordings break", thousands(*many)),
    }
}

/// Goes to the lines of a node, and opens what hides them.
fn choose(
    data: &StaleData,
    found: &Found,
    at: usize,
    state: &mut GraphState,
    actions: &mut Vec<Action>,
) {
    state.chosen = Some((at, address(&found.source), data.current));
    state.rows = None;
    let node = found
        .source
        .drawing
        .as_ref()
        .map(|drawing| &drawing.nodes[at]);
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
        actions.extend(closed(sheet, rows).map(|fold| Action::ToggleFold { section: 0, fold }));
    }
}

/// The closed folds that hide some of these rows.
fn closed<'a>(sheet: &'a Sheet, rows: &'a Range<usize>) -> impl Iterator<Item = usize> + 'a {
    let folds = sheet.content.diff(0).map_or(&[][..], |diff| &diff.folds);
    sheet.entries.iter().filter_map(|entry| match entry {
        Entry::Fold { section: 0, fold } => {
            let hidden = &folds.get(*fold)?.rows;
            (hidden.start < rows.end && rows.start < hidden.end).then_some(*fold)
        }
        _ => None,
    })
}

/// The colour of what became of something; `None` for nothing.
fn fate_color(fate: &Fate, colors: &Tokens) -> Option<Color32> {
    match fate {
        Fate::Same => None,
        Fate::Added => Some(colors.good),
        Fate::Gone => Some(colors.error),
        Fate::Renamed(_) | Fate::Changed => Some(colors.note),
    }
}

impl Canvas<'_> {
    fn letters(&self, size: f32) -> Option<f32> {
        let size = (size * self.scale * 2.0).round() / 2.0;
        (size >= LEAST_LETTERS).then_some(size)
    }

    fn frames(&self, ui: &Ui) {
        let colors = tokens(ui);
        let nodes = self.drawing.nodes.iter().zip(&self.drawing.layout.boxes);
        for (node, area) in nodes.filter(|(node, _)| node.is_frame) {
            let rect = self.rect(*area);
            let line = fate_color(&node.fate, colors).unwrap_or(colors.line);
            let radius = 8.0 * self.scale;
            ui.painter().rect_filled(rect, radius, colors.panel);
            self.border(
                ui.painter(),
                rect,
                radius,
                Stroke::new(1.0, line),
                &node.fate,
            );
        }
    }

    /// What is gone has a dashed border.
    fn border(&self, painter: &Painter, rect: Rect, radius: f32, stroke: Stroke, fate: &Fate) {
        if *fate != Fate::Gone {
            painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
            return;
        }
        let rect = rect.shrink(0.5);
        let corners = [
            rect.left_top(),
            rect.right_top(),
            rect.right_bottom(),
            rect.left_bottom(),
            rect.left_top(),
        ];
        painter.extend(Shape::dashed_line(&corners, stroke, 5.0, 3.0));
    }

    fn edge(&self, ui: &Ui, edge: &DrawnEdge, path: &Path) {
        let colors = tokens(ui);
        let color = fate_color(&edge.fate, colors);
        let stroke = Stroke::new(
            if color.is_some() { 1.6 } else { 1.2 },
            color.unwrap_or(colors.strong),
        );
        let points: Vec<Pos2> = path.points.iter().map(|point| self.point(*point)).collect();
        let mut line: Vec<Pos2> = Vec::new();
        for pair in points.windows(2) {
            line.extend(curve(pair[0], pair[1], path.bend));
        }
        let is_seen = Rect::from_points(&line)
            .expand(HEAD_LENGTH)
            .intersects(ui.clip_rect());
        let (Some(&end), true) = (line.last(), is_seen) else {
            return;
        };
        let painter = ui.painter();
        match edge.fate {
            Fate::Gone => painter.extend(Shape::dashed_line(&line, stroke, 5.0, 4.0)),
            _ => {
                painter.add(Shape::line(line.clone(), stroke));
            }
        }
        // Where the line comes from right before its end.
        let length = HEAD_LENGTH * self.scale.clamp(0.5, 1.2);
        let before = line
            .iter()
            .rev()
            .find(|point| point.distance(end) >= length);
        let way = (end - before.copied().unwrap_or(line[0])).normalized();
        let side = way.rot90() * length * 0.45;
        let foot = end - way * length;
        let head = vec![end, foot + side, foot - side];
        painter.add(Shape::convex_polygon(head, stroke.color, Stroke::NONE));
    }

    fn label(&self, ui: &Ui, edge: &DrawnEdge, path: &Path) {
        let (false, Some(letters)) = (edge.label.is_empty(), self.letters(theme::SMALL)) else {
            return;
        };
        let colors = tokens(ui);
        let center = self.point(path.label);
        let sign = match edge.fate {
            Fate::Added => "+ ",
            Fate::Gone => "− ",
            Fate::Changed => "~ ",
            Fate::Same | Fate::Renamed(_) => "",
        };
        let color = fate_color(&edge.fate, colors).unwrap_or(colors.muted);
        let text = format!("{sign}{}", visible(&edge.label));
        let line = widgets::line(ui, &text, theme::regular(letters), color, f32::INFINITY);
        let rect = Rect::from_center_size(center, line.size() + vec2(6.0, 0.0));
        ui.painter().rect_filled(rect, 3.0, colors.desk);
        let min = center - line.size() / 2.0;
        ui.painter().galley(min, line, Color32::PLACEHOLDER);
    }

    fn node_ui(&self, ui: &mut Ui, at: usize, chosen: bool) -> Response {
        let node = &self.drawing.nodes[at];
        let mut rect = self.rect(self.drawing.layout.boxes[at]);
        if node.is_frame {
            // What is inside is pressed by itself.
            let title = crate::ops::layout::FRAME_TITLE * self.scale;
            rect.max.y = rect.max.y.min(rect.min.y + title + 6.0 * self.scale);
        }
        let id = ui.scope_id().with(("node", at));
        let response = ui.interact(rect, id, Sense::click());
        let name = name_of(self.data, self.drawing, at);
        response
            .widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, chosen, &name));
        if response.gained_focus() && !ui.clip_rect().contains_rect(rect) {
            ui.scroll_to_rect(rect, None);
        }
        if rect.intersects(ui.clip_rect()) {
            match node.is_frame {
                true => self.paint_title(ui, rect, node),
                false => self.paint_node(ui, rect, node, chosen || response.hovered()),
            }
            if chosen || response.has_focus() {
                widgets::focus_ring_inside(ui, rect.expand(2.0), 8);
            }
        }
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
        response.on_hover_ui(|ui| {
            ui.label(RichText::new(&name).font(theme::semibold(theme::LABEL)));
            for line in &node.told {
                let line = visible(line);
                let short: String = line.chars().take(200).collect();
                ui.label(RichText::new(short).font(theme::mono(theme::LABEL)));
            }
        })
    }

    fn paint_title(&self, ui: &Ui, rect: Rect, node: &DrawnNode) {
        let Some(letters) = self.letters(theme::LABEL) else {
            return;
        };
        let colors = tokens(ui);
        let second = self.second(node, colors);
        let mut words = Words::new().with(
            &visible(&node.name),
            theme::medium(letters),
            colors.text_strong,
        );
        if let Some((text, color)) = second {
            words = words.after(8.0 * self.scale, &text, theme::regular(letters), color);
        }
        let room = rect.width() - 24.0 * self.scale;
        let at = pos2(rect.left() + 12.0 * self.scale, rect.center().y);
        widgets::paint_line(ui.painter(), at, words.galley(ui, room));
    }

    fn paint_node(&self, ui: &Ui, rect: Rect, node: &DrawnNode, lit: bool) {
        let colors = tokens(ui);
        let (fill, line) = match &node.fate {
            Fate::Same if self.breaks(node) > 0 => (colors.warning_tint, colors.warning),
            Fate::Same => (colors.raised, colors.strong),
            Fate::Added => (colors.good_tint, colors.good),
            Fate::Gone => (colors.error_tint, colors.error),
            Fate::Renamed(_) | Fate::Changed => (colors.note_tint, colors.note),
        };
        let radius = 6.0 * self.scale;
        ui.painter().rect_filled(rect, radius, fill);
        let stroke = Stroke::new(if lit { 2.0 } else { 1.0 }, line);
        self.border(ui.painter(), rect, radius, stroke, &node.fate);
        let second = self.second(node, colors);
        let room = rect.width() - 10.0 * self.scale;
        let put = |text: &str, font: egui::FontId, color: Color32, y: f32| {
            let line = widgets::line(ui, text, font, color, room);
            let min = pos2(rect.center().x, y) - line.size() / 2.0;
            ui.painter().galley(min, line, Color32::PLACEHOLDER);
        };
        let middle = rect.center().y;
        let name = visible(&node.name);
        let apart = 8.0 * self.scale;
        match (
            self.letters(theme::LABEL),
            self.letters(theme::SMALL),
            second,
        ) {
            (Some(letters), Some(small), Some((text, color))) => {
                put(
                    &name,
                    theme::medium(letters),
                    colors.text_strong,
                    middle - apart,
                );
                put(&text, theme::regular(small), color, middle + apart);
            }
            (Some(letters), ..) => put(&name, theme::medium(letters), colors.text_strong, middle),
            (None, ..) => {}
        }
    }

    /// What stands below the name of a node: how many recordings break there, else what became of it.
    fn second(&self, node: &DrawnNode, colors: &Tokens) -> Option<(String, Color32)> {
        let sign = match &node.fate {
            Fate::Same => "",
            Fate::Added => "+ ",
            Fate::Gone => "− ",
            Fate::Renamed(_) => "→ ",
            Fate::Changed => "~ ",
        };
        let breaks = self.breaks(node);
        if breaks > 0 {
            let word = if breaks == 1 { "breaks" } else { "break" };
            let text = format!("{sign}{} {word}", thousands(breaks));
            return Some((text, colors.warning));
        }
        let words = match &node.fate {
            Fate::Same => return None,
            Fate::Added => "added".to_owned(),
            Fate::Gone => "gone".to_owned(),
            Fate::Renamed(was) => format!("was {}", visible(was)),
            Fate::Changed => "changed".to_owned(),
        };
        let color = fate_color(&node.fate, colors).unwrap_or(colors.muted);
        Some((format!("{sign}{words}"), color))
    }
}

/// The points of a piece of an edge.
fn curve(from: Pos2, to: Pos2, bend: Bend) -> Vec<Pos2> {
    if bend == Bend::Upright || from.y == to.y {
        return vec![from, to];
    }
    let half = vec2((to.x - from.x) / 2.0, 0.0);
    let points = [from, from + half, to - half, to];
    let shape =
        CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, Stroke::NONE);
    shape.flatten(Some(0.3))
}
