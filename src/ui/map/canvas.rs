//! Paints a version of a machine: nodes with a mark for each recording, and edges as wide as they are used.

use egui::{Color32, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::ops::layout::{FRAME_TITLE, Path};
use crate::ops::machine::{EdgeState, MachineMap, MapNodeKind, MapVersion, NodeChange, NodeState};
use crate::text::{counted, thousands, visible};
use crate::ui::graph::{Placement, dashed_border};
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, StyledText};

/// From the middle of a mark to the next.
const MARK_STEP: f32 = 16.0;
/// The most marks in a row, and the most rows.
const MARKS: [usize; 2] = [10, 2];
/// The diameter of the mark of a recording that matches, and the width of one that does not.
const MARK_SIZES: [f32; 2] = [10.0, 12.0];
/// The width of an edge that is used once, what each further use adds, and the largest width.
const EDGE_WIDTHS: [f32; 3] = [1.75, 0.75, 6.0];

/// Context for painting a version.
pub(super) struct MapCanvas<'a> {
    pub(super) map: &'a MachineMap,
    pub(super) version: &'a MapVersion,
    pub(super) at: Placement,
    pub(super) chosen: Option<usize>,
}

impl MapCanvas<'_> {
    /// Returns the size of letters: not below what is easy to read, as long as they fit.
    fn letters(&self, size: f32) -> Option<f32> {
        let letters = self.at.letters(size)?;
        let least = if self.at.scale >= 0.55 {
            size - 1.5
        } else {
            0.0
        };
        Some(letters.max(least))
    }

    /// Paints the frames of groups, below everything else.
    pub(super) fn frames(&self, ui: &Ui) {
        let colors = tokens(ui);
        for (node, area) in self.map.nodes.iter().zip(&self.map.layout.boxes) {
            if node.is_frame {
                let rect = self.at.rect(*area);
                let radius = 8.0 * self.at.scale;
                let line = Stroke::new(1.0, colors.line);
                ui.painter()
                    .rect(rect, radius, colors.panel, line, StrokeKind::Inside);
            }
        }
    }

    /// Paints all edges of the version, then their labels.
    pub(super) fn edges(&self, ui: &Ui) {
        let edges = || {
            let edges = self.map.edges.iter().zip(&self.version.edges);
            let edges = edges.zip(&self.map.layout.lines);
            edges.filter_map(|((edge, state), path)| {
                let is_chosen = [edge.from, edge.to].map(Some).contains(&self.chosen);
                Some((state.as_ref()?, path, is_chosen))
            })
        };
        for (state, path, is_chosen) in edges() {
            self.edge(ui, state, path, is_chosen);
        }
        for (state, path, is_chosen) in edges() {
            self.label(ui, state, path, is_chosen);
        }
    }

    fn edge(&self, ui: &Ui, state: &EdgeState, path: &Path, is_chosen: bool) {
        let Some(line) = self.at.edge(ui, path) else {
            return;
        };
        let colors = tokens(ui);
        let color = if is_chosen {
            colors.accent
        } else {
            colors.strong
        };
        let painter = ui.painter();
        let width = match state.uses {
            0 => 1.0,
            uses => (EDGE_WIDTHS[0] + EDGE_WIDTHS[1] * (uses - 1) as f32).min(EDGE_WIDTHS[2]),
        };
        let stroke = Stroke::new(width * self.at.scale.clamp(0.5, 1.2), color);
        if state.uses == 0 && state.is_offered {
            painter.extend(Shape::dashed_line(&line, stroke, 5.0, 4.0));
        } else {
            painter.add(Shape::line(line.clone(), stroke));
        }
        painter.extend(self.at.head(&line, width, color));
    }

    fn label(&self, ui: &Ui, state: &EdgeState, path: &Path, is_chosen: bool) {
        let Some(letters) = self.letters(theme::SMALL) else {
            return;
        };
        let center = self.at.point(path.label);
        if !ui.clip_rect().contains(center) || !state.is_offered && state.label.is_empty() {
            return;
        }
        let colors = tokens(ui);
        let mut words = StyledText::new();
        if !state.label.is_empty() {
            let label = visible(&state.label);
            words = words.with(&label, theme::regular(letters), colors.muted);
        }
        if state.is_offered {
            let color = match (state.uses, is_chosen) {
                (0, _) => colors.muted,
                (_, true) => colors.accent,
                (_, false) => colors.text_strong,
            };
            let number = thousands(state.uses);
            words = words.after(4.0 * self.at.scale, &number, theme::mono(letters), color);
        }
        let line = words.galley(ui, f32::INFINITY);
        let rect = Rect::from_center_size(center, line.size() + vec2(6.0, 0.0));
        ui.painter().rect_filled(rect, 3.0, colors.desk);
        let min = center - line.size() / 2.0;
        ui.painter().galley(min, line, Color32::PLACEHOLDER);
    }

    /// Paints a clickable node; `None` if the version does not have it.
    pub(super) fn node_ui(&self, ui: &mut Ui, at: usize) -> Option<Response> {
        let state = self.version.nodes[at].as_ref()?;
        let node = self.map.nodes[at];
        let mut rect = self.at.rect(self.map.layout.boxes[at]);
        if node.is_frame {
            // Nodes inside are clicked separately.
            rect.max.y = rect.max.y.min(rect.min.y + FRAME_TITLE * self.at.scale);
        }
        let is_chosen = self.chosen == Some(at);
        let id = ui.scope_id().with(("map node", at));
        let response = ui.interact(rect, id, Sense::click());
        response.widget_info(|| {
            egui::WidgetInfo::selected(egui::Role::Button, true, is_chosen, describe(state))
        });
        if rect.intersects(ui.clip_rect()) {
            if node.is_frame {
                self.title(ui, rect, state);
            } else {
                self.node(ui, rect, node.kind, state, is_chosen || response.hovered());
            }
            if is_chosen || response.has_focus() {
                widgets::focus_ring_inside(ui, rect.expand(3.0), 10);
            }
        }
        Some(response.on_hover_cursor(egui::CursorIcon::PointingHand))
    }

    fn title(&self, ui: &Ui, rect: Rect, state: &NodeState) {
        if let Some(letters) = self.letters(theme::LABEL) {
            let color = tokens(ui).text_strong;
            let name = visible(&state.name);
            let room = rect.width() - 24.0 * self.at.scale;
            let line = widgets::line(ui, &name, theme::medium(letters), color, room);
            let left = pos2(rect.left() + 12.0 * self.at.scale, rect.center().y);
            widgets::paint_line(ui.painter(), left, line);
        }
    }

    fn node(&self, ui: &Ui, rect: Rect, kind: MapNodeKind, state: &NodeState, is_lit: bool) {
        let colors = tokens(ui);
        let radius = match kind {
            MapNodeKind::Task => 8.0 * self.at.scale,
            MapNodeKind::Data | MapNodeKind::End => rect.height() / 2.0,
        };
        let is_uncovered = state.is_task && state.recordings.is_empty();
        let fill = match (self.chosen_state(state), is_uncovered) {
            (true, _) => colors.selected,
            (false, true) => colors.desk,
            (false, false) if kind == MapNodeKind::Task => colors.raised,
            (false, false) => colors.panel,
        };
        ui.painter().rect_filled(rect, radius, fill);
        let line = if is_lit { colors.strong } else { colors.line };
        if is_uncovered {
            ui.painter()
                .extend(dashed_border(rect, Stroke::new(1.0, colors.strong)));
        } else {
            let stroke = Stroke::new(1.0, line);
            ui.painter()
                .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
        }
        match kind {
            MapNodeKind::Task => self.task(ui, rect, state),
            MapNodeKind::Data | MapNodeKind::End => {
                if let Some(letters) = self.letters(theme::LABEL) {
                    let name = visible(&state.name);
                    let room = rect.width() - 16.0 * self.at.scale;
                    let font = theme::medium(letters);
                    let line = widgets::line(ui, &name, font, colors.text_strong, room);
                    let min = rect.center() - line.size() / 2.0;
                    ui.painter().galley(min, line, Color32::PLACEHOLDER);
                }
            }
        }
    }

    fn chosen_state(&self, state: &NodeState) -> bool {
        let chosen = self.chosen.and_then(|at| self.version.nodes[at].as_ref());
        chosen.is_some_and(|chosen| std::ptr::eq(chosen, state))
    }

    /// Paints what is in a task: its name and how it changed, its recordings, and how many match.
    fn task(&self, ui: &Ui, rect: Rect, state: &NodeState) {
        let (Some(letters), Some(small)) = (self.letters(theme::LABEL), self.letters(theme::SMALL))
        else {
            return;
        };
        let colors = tokens(ui);
        let scale = self.at.scale;
        let left = rect.left() + 12.0 * scale;
        let right = rect.right() - 10.0 * scale;
        let row = |y: f32| rect.top() + y * scale;
        let mut room = right - left;
        if let Some((text, color)) = change_text(&state.change, colors) {
            let line = widgets::line(ui, &text, theme::regular(small), color, room * 0.65);
            room -= line.size().x + 8.0 * scale;
            widgets::paint_line_right(ui.painter(), pos2(right, row(18.0)), line);
        }
        let name = visible(&state.name);
        let font = theme::semibold(letters);
        let line = widgets::line(ui, &name, font, colors.text_strong, room);
        widgets::paint_line(ui.painter(), pos2(left, row(18.0)), line);
        let words = match (state.recordings.len(), state.breaks, state.is_task) {
            (0, _, true) => "No recording".to_owned(),
            (0, _, false) => "No model called".to_owned(),
            (all, 0, _) => counted(all, "matches", "match"),
            (all, breaks, _) if all == breaks => counted(all, "breaks", "break"),
            (all, breaks, _) => format!(
                "{} match, {} break",
                thousands(all - breaks),
                thousands(breaks)
            ),
        };
        let y = if state.recordings.is_empty() {
            42.0
        } else {
            66.0
        };
        let line = widgets::line(
            ui,
            &words,
            theme::regular(small),
            colors.muted,
            right - left,
        );
        widgets::paint_line(ui.painter(), pos2(left, row(y)), line);
        self.marks(ui, pos2(left, row(42.0)), state);
    }

    /// Paints a mark for each recording, those that break first; for the ones without room their number.
    fn marks(&self, ui: &Ui, first: Pos2, state: &NodeState) {
        let colors = tokens(ui);
        let scale = self.at.scale;
        let all = state.recordings.len();
        let most = MARKS[0] * MARKS[1];
        let shown = if all > most { most - 3 } else { all };
        let rows = shown.div_ceil(MARKS[0]);
        let place = |at: usize| {
            let column = (at % MARKS[0]) as f32 * MARK_STEP + MARK_SIZES[1] / 2.0;
            // Two rows are closer to each other.
            let row = ((at / MARKS[0]) as f32 - (rows.max(1) - 1) as f32 / 2.0) * 13.0;
            first + vec2(column, row) * scale
        };
        for at in 0..shown {
            mark(ui, place(at), at >= state.breaks, scale, colors);
        }
        if shown < all
            && let Some(small) = self.letters(theme::SMALL)
        {
            let more = format!("+{}", thousands(all - shown));
            let left = place(shown) - vec2(MARK_SIZES[1] / 2.0, 0.0) * scale;
            let line = widgets::line(
                ui,
                &more,
                theme::regular(small),
                colors.muted,
                f32::INFINITY,
            );
            widgets::paint_line(ui.painter(), left, line);
        }
    }
}

/// Paints the mark of a recording: a circle if it matches, else a triangle.
pub(super) fn mark(ui: &Ui, center: Pos2, matches: bool, scale: f32, colors: &Tokens) {
    let [circle, triangle] = MARK_SIZES.map(|size| size / 2.0 * scale);
    if matches {
        ui.painter().circle_filled(center, circle, colors.good);
    } else {
        let points = vec![
            center + vec2(0.0, -triangle * 0.9),
            center + vec2(triangle, triangle * 0.8),
            center + vec2(-triangle, triangle * 0.8),
        ];
        let shape = Shape::convex_polygon(points, colors.warning, Stroke::NONE);
        ui.painter().add(shape);
    }
}

/// Returns how a node changed, and its color.
fn change_text(change: &NodeChange, colors: &Tokens) -> Option<(String, Color32)> {
    match change {
        NodeChange::Same => None,
        NodeChange::Added => Some(("added".to_owned(), colors.good)),
        NodeChange::Renamed(was) => Some((format!("was {}", visible(was)), colors.note)),
    }
}

/// Describes a node for screen readers: `reply, was respond, 5 recordings, 2 break`.
pub(super) fn describe(state: &NodeState) -> String {
    let mut text = visible(&state.qualified).into_owned();
    match &state.change {
        NodeChange::Same => {}
        NodeChange::Added => text.push_str(", added"),
        NodeChange::Renamed(was) => {
            text.push_str(", was ");
            text.push_str(&visible(was));
        }
    }
    if !state.recordings.is_empty() {
        text.push_str(", ");
        text.push_str(&counted(state.recordings.len(), "recording", "recordings"));
    } else if state.is_task {
        text.push_str(", no recording");
    }
    if state.breaks > 0 {
        text.push_str(", ");
        text.push_str(&counted(state.breaks, "breaks", "break"));
    }
    text
}
