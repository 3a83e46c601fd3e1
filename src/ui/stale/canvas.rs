//! Paints the elements of a machine's graph: frames, edges and nodes, each with its change.

use egui::{
    Color32, Painter, Rect, Response, RichText, Sense, Shape, Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::data::StaleData;
use crate::ops::layout::Path;
use crate::ops::machine::{DrawnEdge, DrawnNode, DrawnStatus, MachineDrawing};
use crate::text::{thousands, visible};
use crate::ui::graph::{Placement, dashed_border};
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, StyledText};

/// Context for painting a drawing.
pub(super) struct GraphCanvas<'a> {
    pub(super) data: &'a StaleData,
    pub(super) drawing: &'a MachineDrawing,
    pub(super) at: Placement,
}

impl GraphCanvas<'_> {
    /// Returns how many recordings break at a node.
    fn breaks(&self, node: &DrawnNode) -> usize {
        let breaks = &self.data.changes.affected.breaks_at;
        breaks.get(&*node.qualified).copied().unwrap_or_default()
    }

    /// Paints the frames of groups, below everything else.
    pub(super) fn frames(&self, ui: &Ui) {
        let colors = tokens(ui);
        let nodes = self.drawing.nodes.iter().zip(&self.drawing.layout.boxes);
        for (node, area) in nodes.filter(|(node, _)| node.is_frame) {
            let rect = self.at.rect(*area);
            let line = change_color(&node.status, colors).unwrap_or(colors.line);
            let radius = 8.0 * self.at.scale;
            ui.painter().rect_filled(rect, radius, colors.panel);
            self.border(ui.painter(), rect, radius, Stroke::new(1.0, line), &node.status);
        }
    }

    /// Paints a border, dashed for removed elements.
    fn border(
        &self,
        painter: &Painter,
        rect: Rect,
        radius: f32,
        stroke: Stroke,
        status: &DrawnStatus,
    ) {
        if *status != DrawnStatus::Gone {
            painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
            return;
        }
        painter.extend(dashed_border(rect, stroke));
    }

    /// Paints an edge.
    pub(super) fn edge(&self, ui: &Ui, edge: &DrawnEdge, path: &Path) {
        let colors = tokens(ui);
        let color = change_color(&edge.status, colors);
        let stroke =
            Stroke::new(if color.is_some() { 1.6 } else { 1.2 }, color.unwrap_or(colors.strong));
        let Some(line) = self.at.edge(ui, path) else {
            return;
        };
        let painter = ui.painter();
        match edge.status {
            DrawnStatus::Gone => painter.extend(Shape::dashed_line(&line, stroke, 5.0, 4.0)),
            _ => {
                painter.add(Shape::line(line.clone(), stroke));
            }
        }
        painter.extend(self.at.head(&line, stroke.width, stroke.color));
    }

    /// Paints the label of an edge.
    pub(super) fn label(&self, ui: &Ui, edge: &DrawnEdge, path: &Path) {
        let (false, Some(letters)) = (edge.label.is_empty(), self.at.letters(theme::SMALL)) else {
            return;
        };
        let colors = tokens(ui);
        let center = self.at.point(path.label);
        let sign = match edge.status {
            DrawnStatus::Added => "+ ",
            DrawnStatus::Gone => "− ",
            DrawnStatus::Changed => "~ ",
            DrawnStatus::Same | DrawnStatus::Renamed(_) => "",
        };
        let color = change_color(&edge.status, colors).unwrap_or(colors.muted);
        let text = format!("{sign}{}", visible(&edge.label));
        let line = widgets::line(ui, &text, theme::regular(letters), color, f32::INFINITY);
        let rect = Rect::from_center_size(center, line.size() + vec2(6.0, 0.0));
        ui.painter().rect_filled(rect, 3.0, colors.desk);
        let min = center - line.size() / 2.0;
        ui.painter().galley(min, line, Color32::PLACEHOLDER);
    }

    /// Paints a clickable node.
    pub(super) fn node_ui(&self, ui: &mut Ui, at: usize, chosen: bool) -> Response {
        let node = &self.drawing.nodes[at];
        let mut rect = self.at.rect(self.drawing.layout.boxes[at]);
        if node.is_frame {
            // Nodes inside are clicked separately.
            let title = crate::ops::layout::FRAME_TITLE * self.at.scale;
            rect.max.y = rect.max.y.min(rect.min.y + title + 6.0 * self.at.scale);
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
            if node.is_frame {
                self.paint_title(ui, rect, node);
            } else {
                self.paint_node(ui, rect, node, chosen || response.hovered());
            }
            if chosen || response.has_focus() {
                widgets::focus_ring_inside(ui, rect.expand(2.0), 8);
            }
        }
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
        response.on_hover_ui(|ui| {
            ui.label(RichText::new(&name).font(theme::semibold(theme::LABEL)));
            for line in &node.details {
                let line = visible(line);
                let short: String = line.chars().take(200).collect();
                ui.label(RichText::new(short).font(theme::mono(theme::LABEL)));
            }
        })
    }

    fn paint_title(&self, ui: &Ui, rect: Rect, node: &DrawnNode) {
        let Some(letters) = self.at.letters(theme::LABEL) else {
            return;
        };
        let colors = tokens(ui);
        let second = self.subtitle(node, colors);
        let mut words = StyledText::new().with(
            &visible(&node.name),
            theme::medium(letters),
            colors.text_strong,
        );
        if let Some((text, color)) = second {
            words = words.after(8.0 * self.at.scale, &text, theme::regular(letters), color);
        }
        let room = rect.width() - 24.0 * self.at.scale;
        let at = pos2(rect.left() + 12.0 * self.at.scale, rect.center().y);
        widgets::paint_line(ui.painter(), at, words.galley(ui, room));
    }

    fn paint_node(&self, ui: &Ui, rect: Rect, node: &DrawnNode, lit: bool) {
        let colors = tokens(ui);
        let (fill, line) = match &node.status {
            DrawnStatus::Same if self.breaks(node) > 0 => (colors.warning_tint, colors.warning),
            DrawnStatus::Same => (colors.raised, colors.strong),
            DrawnStatus::Added => (colors.good_tint, colors.good),
            DrawnStatus::Gone => (colors.error_tint, colors.error),
            DrawnStatus::Renamed(_) | DrawnStatus::Changed => (colors.note_tint, colors.note),
        };
        let radius = 6.0 * self.at.scale;
        ui.painter().rect_filled(rect, radius, fill);
        let stroke = Stroke::new(if lit { 2.0 } else { 1.0 }, line);
        self.border(ui.painter(), rect, radius, stroke, &node.status);
        let second = self.subtitle(node, colors);
        let room = rect.width() - 10.0 * self.at.scale;
        let put = |text: &str, font: egui::FontId, color: Color32, y: f32| {
            let line = widgets::line(ui, text, font, color, room);
            let min = pos2(rect.center().x, y) - line.size() / 2.0;
            ui.painter().galley(min, line, Color32::PLACEHOLDER);
        };
        let middle = rect.center().y;
        let name = visible(&node.name);
        let apart = 8.0 * self.at.scale;
        match (self.at.letters(theme::LABEL), self.at.letters(theme::SMALL), second) {
            (Some(letters), Some(small), Some((text, color))) => {
                put(&name, theme::medium(letters), colors.text_strong, middle - apart);
                put(&text, theme::regular(small), color, middle + apart);
            }
            (Some(letters), ..) => put(&name, theme::medium(letters), colors.text_strong, middle),
            (None, ..) => {}
        }
    }

    /// Returns the text below a node's name: how many recordings break there, else its change.
    fn subtitle(&self, node: &DrawnNode, colors: &Tokens) -> Option<(String, Color32)> {
        let sign = match &node.status {
            DrawnStatus::Same => "",
            DrawnStatus::Added => "+ ",
            DrawnStatus::Gone => "− ",
            DrawnStatus::Renamed(_) => "→ ",
            DrawnStatus::Changed => "~ ",
        };
        let breaks = self.breaks(node);
        if breaks > 0 {
            let text = format!("{sign}breaks {}", thousands(breaks));
            return Some((text, colors.warning));
        }
        let words = match &node.status {
            DrawnStatus::Same => return None,
            DrawnStatus::Added => "added".to_owned(),
            DrawnStatus::Gone => "removed".to_owned(),
            DrawnStatus::Renamed(was) => format!("was {}", visible(was)),
            DrawnStatus::Changed => "changed".to_owned(),
        };
        let color = change_color(&node.status, colors).unwrap_or(colors.muted);
        Some((format!("{sign}{words}"), color))
    }
}

/// Returns the name of a node for screen readers: `Node classify, changed, 3 recordings break`.
pub(super) fn name_of(data: &StaleData, drawing: &MachineDrawing, at: usize) -> String {
    let name = visible(&drawing.name_of(at)).into_owned();
    let node = drawing.nodes.get(at);
    let breaks = node.and_then(|node| data.changes.affected.breaks_at.get(&*node.qualified));
    match breaks {
        None | Some(0) => name,
        Some(1) => format!("{name}, 1 recording breaks"),
        Some(many) => format!("{name}, {} recordings break", thousands(*many)),
    }
}

/// Returns the colour of a change; `None` if unchanged.
fn change_color(status: &DrawnStatus, colors: &Tokens) -> Option<Color32> {
    match status {
        DrawnStatus::Same => None,
        DrawnStatus::Added => Some(colors.good),
        DrawnStatus::Gone => Some(colors.error),
        DrawnStatus::Renamed(_) | DrawnStatus::Changed => Some(colors.note),
    }
}
