//! Draws a version of a machine: nodes with a mark for each recording, and edges as wide as they are used.

use super::map::{EdgeState, MachineMap, MapNodeKind, MapVersion, NodeChange, NodeState};
use crate::layout::{Area, FRAME_TITLE};
use crate::picture::font::text_width;
use crate::picture::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureFont, PictureShape, PictureText,
    PictureTheme, TextAnchor, TextRun,
};
use document::text::{counted, thousands, visible};

/// From the middle of a mark to the next, and from a row of marks to the next.
const MARK_STEPS: [f32; 2] = [16.0, 13.0];
/// The most marks in a row, and the most rows.
const MAX_MARKS: [usize; 2] = [10, 2];
/// The diameter of the mark of a recording that matches, and the width of one that does not.
const MARK_SIZES: [f32; 2] = [10.0, 12.0];
/// The width of an edge that is used once, what each further use adds, and the largest width.
const EDGE_WIDTHS: [f32; 3] = [1.75, 0.75, 6.0];
/// The least length of an arrow head.
const HEAD_LENGTH: f32 = 8.0;
/// The dashes of what no recording covers: of edges, and of the borders of tasks.
const UNCOVERED_DASHES: [[f32; 2]; 2] = [[5.0, 4.0], [5.0, 3.0]];
/// The sizes of labels and of small text.
const LABEL_SIZE: f32 = 12.0;
const SMALL_TEXT_SIZE: f32 = 11.0;
/// The space around a picture, the height of its heading, and its least width.
const MARGIN: f32 = 24.0;
const HEADING_HEIGHT: f32 = 68.0;
const MIN_WIDTH: f32 = 560.0;

/// The shapes of a version, for pictures and for the window.
#[derive(Clone, Copy)]
pub struct MapDrawing<'a> {
    pub map: &'a MachineMap,
    pub version: &'a MapVersion,
    /// Position of the upper left corner of the layout.
    pub origin: [f32; 2],
    /// The selected node.
    pub chosen: Option<usize>,
    /// Size of letters relative to the nodes; 1 in a picture.
    pub letters: f32,
}

/// Draws a version of a map, by its position, with a title.
pub fn draw_map(
    map: &MachineMap,
    version: usize,
    (title, theme): (&str, PictureTheme),
) -> Option<Picture> {
    let version = map.versions.get(version)?;
    let drawing = MapDrawing {
        map,
        version,
        origin: [MARGIN, MARGIN + HEADING_HEIGHT],
        chosen: None,
        letters: 1.0,
    };
    let [width, height] = map.layout.size;
    let width = (width + 2.0 * MARGIN).max(MIN_WIDTH);
    let description = version.describe();
    let (strong, muted) = (PictureColor::TextStrong, PictureColor::Muted);
    let title = visible(title).into_owned();
    let heading =
        PictureText::new([MARGIN, 27.5], 18.0, PictureFont::Heading, strong, title.clone());
    let facts =
        PictureText::new([MARGIN, 51.5], 13.0, PictureFont::Words, muted, description.clone());
    let room = width - 2.0 * MARGIN;
    let mut shapes =
        vec![PictureShape::Text(heading.within(room)), PictureShape::Text(facts.within(room))];
    shapes.extend(legend([MARGIN, 76.0]));
    // From back to front, since later shapes are painted over earlier ones.
    let nodes = || 0..map.nodes.len();
    shapes.extend(nodes().filter_map(|at| drawing.frame(at)));
    let edges = || 0..map.edges.len();
    shapes.extend(edges().filter_map(|at| drawing.edge(at)));
    shapes.extend(edges().filter_map(|at| drawing.label(at)));
    shapes.extend(nodes().filter_map(|at| {
        Some(PictureShape::Mark {
            tooltip: drawing.describe_node(at)?,
            shapes: drawing.node(at, false),
        })
    }));
    Some(Picture {
        title: format!("The machine {title}"),
        description,
        size: [width, height + 2.0 * MARGIN + HEADING_HEIGHT],
        theme,
        shapes,
    })
}

/// Explains the marks.
fn legend([x, y]: [f32; 2]) -> Vec<PictureShape> {
    let word = |x, text: &str| {
        let text = text.to_owned();
        PictureShape::text([x, y], SMALL_TEXT_SIZE, PictureFont::Words, PictureColor::Muted, text)
    };
    let uncovered = LineStyle::dashed(PictureColor::Strong, 1.0, UNCOVERED_DASHES[0]);
    vec![
        recording_mark([x + 6.0, y], true, 1.0),
        word(x + 18.0, "matches"),
        recording_mark([x + 86.0, y], false, 1.0),
        word(x + 98.0, "breaks"),
        PictureShape::line([x + 150.0, y], [x + 170.0, y], uncovered),
        word(x + 178.0, "not covered"),
    ]
}

/// Returns the mark of a recording: a circle if it matches, else a triangle.
pub fn recording_mark([x, y]: [f32; 2], matches: bool, scale: f32) -> PictureShape {
    let [radius, half_width] = MARK_SIZES.map(|size| size / 2.0 * scale);
    if matches {
        let area = Area::new([x - radius, y - radius], [radius * 2.0; 2]);
        PictureShape::filled(area, radius, PictureColor::Good)
    } else {
        let foot = y + half_width * 0.8;
        let points =
            vec![[x, y - half_width * 0.9], [x + half_width, foot], [x - half_width, foot]];
        PictureShape::Polygon { points, fill: PictureColor::Warning }
    }
}

impl MapVersion {
    /// Describes what recordings cover: `Tasks 4 of 5, edges 8 of 13, 14 recordings match, 9 break`.
    pub fn describe(&self) -> String {
        let (tasks, edges) = (&self.tasks, &self.edge_share);
        let matches = counted(self.matches, "recording matches", "recordings match");
        let mut text = format!(
            "Tasks {} of {}, edges {} of {}, {matches}",
            tasks.covered, tasks.total, edges.covered, edges.total
        );
        if self.breaks > 0 {
            text += ", ";
            text += &counted(self.breaks, "breaks", "break");
        }
        text
    }
}

impl NodeState {
    /// Describes a node: `reply, was respond, 5 recordings, 2 break`.
    pub fn describe(&self) -> String {
        let mut text = visible(&self.qualified).into_owned();
        let recordings = match self.recordings.len() {
            0 => self.is_task.then(|| "no recording".to_owned()),
            recordings => Some(counted(recordings, "recording", "recordings")),
        };
        let change = change_text(&self.change).map(|(change, _)| change);
        let breaks = (self.breaks > 0).then(|| counted(self.breaks, "breaks", "break"));
        for part in [change, recordings, breaks].into_iter().flatten() {
            text += ", ";
            text += &part;
        }
        text
    }
}

/// Returns how a node changed, and its color.
fn change_text(change: &NodeChange) -> Option<(String, PictureColor)> {
    match change {
        NodeChange::Same => None,
        NodeChange::Added => Some(("added".to_owned(), PictureColor::Good)),
        NodeChange::Renamed(old_name) => {
            Some((format!("was {}", visible(old_name)), PictureColor::Note))
        }
    }
}

impl MapDrawing<'_> {
    /// Returns the area of a node.
    pub fn area(&self, at: usize) -> Area {
        let area = self.map.layout.boxes[at];
        Area { min: self.placed(area.min), max: self.placed(area.max) }
    }

    /// Describes a node; `None` if the version does not have it.
    pub fn describe_node(&self, at: usize) -> Option<String> {
        Some(self.version.nodes[at].as_ref()?.describe())
    }

    fn placed(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        [x + self.origin[0], y + self.origin[1]]
    }

    /// Returns the frame of a group, which is below everything else.
    pub fn frame(&self, at: usize) -> Option<PictureShape> {
        let border = Some(LineStyle::solid(PictureColor::Line, 1.0));
        self.map.nodes[at].is_frame.then(|| PictureShape::Rect {
            area: self.area(at),
            radius: 8.0,
            fill: Some(PictureColor::Panel),
            border,
        })
    }

    /// Returns whether the selected node is at an end of an edge.
    fn is_edge_chosen(&self, at: usize) -> bool {
        let edge = self.map.edges[at];
        [edge.from, edge.to].map(Some).contains(&self.chosen)
    }

    fn edge_state(&self, at: usize) -> Option<&EdgeState> {
        self.version.edges[at].as_ref()
    }

    /// Returns the line of an edge; `None` if the version does not have it.
    pub fn edge(&self, at: usize) -> Option<PictureShape> {
        let state = self.edge_state(at)?;
        let color =
            if self.is_edge_chosen(at) { PictureColor::Accent } else { PictureColor::Strong };
        let width = match state.uses {
            0 => 1.0,
            uses => (EDGE_WIDTHS[0] + EDGE_WIDTHS[1] * (uses - 1) as f32).min(EDGE_WIDTHS[2]),
        };
        // An edge that no model may choose cannot have recordings.
        let is_uncovered = state.uses == 0 && state.is_offered;
        Some(PictureShape::Line {
            curve: PictureCurve::of_path(&self.map.layout.lines[at], self.origin),
            style: LineStyle { color, width, dashes: is_uncovered.then_some(UNCOVERED_DASHES[0]) },
            // A wide line would cover a small head.
            head: HEAD_LENGTH.max(width * 2.0),
        })
    }

    /// Returns the label of an edge; `None` if it has none.
    pub fn label(&self, at: usize) -> Option<PictureShape> {
        let state = self.edge_state(at)?;
        let run = |text: String, font, color| TextRun { text, font, color };
        let mut runs = Vec::new();
        if !state.label.is_empty() {
            let label = visible(&state.label).into_owned();
            runs.push(run(label, PictureFont::Words, PictureColor::Muted));
        }
        if state.is_offered {
            let color = match (state.uses, self.is_edge_chosen(at)) {
                (0, _) => PictureColor::Muted,
                (_, true) => PictureColor::Accent,
                (_, false) => PictureColor::TextStrong,
            };
            runs.push(run(thousands(state.uses), PictureFont::Data, color));
        }
        (!runs.is_empty()).then(|| {
            PictureShape::Text(PictureText {
                at: self.placed(self.map.layout.lines[at].label),
                anchor: TextAnchor::Middle,
                size: SMALL_TEXT_SIZE,
                runs,
                room: f32::INFINITY,
                // The label is on its line, which would cross the letters.
                ground: Some(PictureColor::Desk),
            })
        })
    }

    /// Returns the shapes of a node, or the title of a group; none if the version does not have it. One that is lit has a stronger border.
    pub fn node(&self, at: usize, is_lit: bool) -> Vec<PictureShape> {
        let Some(state) = &self.version.nodes[at] else { return Vec::new() };
        let (kind, area) = (self.map.nodes[at].kind, self.area(at));
        let ([left, top], [width, height]) = (area.min, area.size());
        let (strong, medium) = (PictureColor::TextStrong, PictureFont::Medium);
        let name = visible(&state.name).into_owned();
        if self.map.nodes[at].is_frame {
            let place = [left + 12.0, top + FRAME_TITLE / 2.0];
            let title = PictureText::new(place, LABEL_SIZE, medium, strong, name);
            return vec![PictureShape::Text(title.within(width - 24.0))];
        }
        let is_chosen = self.chosen == Some(at);
        let is_uncovered = state.is_task && state.recordings.is_empty();
        let fill = match (is_chosen, is_uncovered) {
            (true, _) => PictureColor::Selected,
            (false, true) => PictureColor::Desk,
            (false, false) if kind == MapNodeKind::Task => PictureColor::Raised,
            (false, false) => PictureColor::Panel,
        };
        let border = match is_lit || is_chosen {
            _ if is_uncovered => LineStyle::dashed(PictureColor::Strong, 1.0, UNCOVERED_DASHES[1]),
            true => LineStyle::solid(PictureColor::Strong, 1.0),
            false => LineStyle::solid(PictureColor::Line, 1.0),
        };
        let is_task = kind == MapNodeKind::Task;
        let mut shapes = vec![PictureShape::Rect {
            area,
            radius: if is_task { 8.0 } else { height / 2.0 },
            fill: Some(fill),
            border: Some(border),
        }];
        if is_task {
            self.task(&mut shapes, area, state);
        } else {
            let middle = [left + width / 2.0, top + height / 2.0];
            let name = PictureText::new(middle, LABEL_SIZE, medium, strong, name)
                .anchored(TextAnchor::Middle)
                .within(width - 16.0);
            shapes.push(PictureShape::Text(name));
        }
        shapes
    }

    /// Adds what is in a task: its name and how it changed, its recordings, and how many match.
    fn task(&self, shapes: &mut Vec<PictureShape>, area: Area, state: &NodeState) {
        let (left, right) = (area.min[0] + 12.0, area.max[0] - 10.0);
        let row = |y: f32| area.min[1] + y;
        let mut room = right - left;
        if let Some((text, color)) = change_text(&state.change) {
            let width = text_width(PictureFont::Words, SMALL_TEXT_SIZE, &text) * self.letters;
            // The name keeps at least a third of the line.
            let max_width = room * 0.65;
            room -= width.min(max_width) + 8.0;
            let text = PictureText::new(
                [right, row(18.0)],
                SMALL_TEXT_SIZE,
                PictureFont::Words,
                color,
                text,
            )
            .anchored(TextAnchor::End)
            .within(max_width);
            shapes.push(PictureShape::Text(text));
        }
        let (name, strong) = (visible(&state.name).into_owned(), PictureColor::TextStrong);
        let name =
            PictureText::new([left, row(18.0)], LABEL_SIZE, PictureFont::Heading, strong, name);
        shapes.push(PictureShape::Text(name.within(room)));
        let words = match (state.recordings.len(), state.breaks, state.is_task) {
            (0, _, true) => "No recording".to_owned(),
            (0, _, false) => "No model called".to_owned(),
            (count, 0, _) => counted(count, "recording matches", "recordings match"),
            (count, breaks, _) if count == breaks => {
                counted(count, "recording breaks", "recordings break")
            }
            (count, breaks, _) => format!("Breaks: {} of {}", thousands(breaks), thousands(count)),
        };
        let y = if state.recordings.is_empty() { 42.0 } else { 66.0 };
        let muted = PictureColor::Muted;
        let words =
            PictureText::new([left, row(y)], SMALL_TEXT_SIZE, PictureFont::Words, muted, words);
        shapes.push(PictureShape::Text(words.within(right - left)));
        recording_marks(shapes, [left, row(42.0)], state);
    }
}

/// Adds a mark for each recording, those that break first; for the ones without room their number.
fn recording_marks(shapes: &mut Vec<PictureShape>, first: [f32; 2], state: &NodeState) {
    let count = state.recordings.len();
    let max_count = MAX_MARKS[0] * MAX_MARKS[1];
    // The number of the others needs the room of three marks.
    let mark_count = if count > max_count { max_count - 3 } else { count };
    let rows = mark_count.div_ceil(MAX_MARKS[0]);
    let place = |at: usize| {
        let column = (at % MAX_MARKS[0]) as f32 * MARK_STEPS[0] + MARK_SIZES[1] / 2.0;
        // The marks of two rows are centered around the middle.
        let row = (at / MAX_MARKS[0]) as f32 - (rows.max(1) - 1) as f32 / 2.0;
        [first[0] + column, first[1] + row * MARK_STEPS[1]]
    };
    shapes.extend((0..mark_count).map(|at| recording_mark(place(at), at >= state.breaks, 1.0)));
    if mark_count < count {
        let text = format!("+{}", thousands(count - mark_count));
        let [x, y] = place(mark_count);
        let (at, muted) = ([x - MARK_SIZES[1] / 2.0, y], PictureColor::Muted);
        shapes.push(PictureShape::text(at, SMALL_TEXT_SIZE, PictureFont::Words, muted, text));
    }
}
