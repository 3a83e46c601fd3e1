//! Draws a version of a machine: nodes with a mark for each recording, and edges as wide as they are used.

use super::map::{EdgeState, MachineMap, MapNodeKind, MapVersion, NodeChange, NodeState};
use crate::layout::{Area, FRAME_TITLE};
use crate::picture::font::text_width;
use crate::picture::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureFont, PictureShape, PictureText,
    PictureTheme, TextAnchor, TextRun,
};
use document::text::{counted, thousands, visible};

/// The height of the strip of a task, the widest block and the narrowest, and the space between two.
const STRIP_HEIGHT: f32 = 10.0;
const BLOCK_WIDTHS: [f32; 2] = [20.0, 3.0];
const BLOCK_GAP: f32 = 2.0;
/// The width of an edge that is used once, what each further use adds, and the largest width.
const EDGE_WIDTHS: [f32; 3] = [1.5, 0.75, 6.0];
/// The least length of an arrow head.
const HEAD_LENGTH: f32 = 8.0;
/// The dashes of what no recording covers: of edges, and of the borders of tasks.
const UNCOVERED_DASHES: [[f32; 2]; 2] = [[5.0, 4.0], [5.0, 3.0]];
/// The sizes of names, of labels and of small text.
const NAME_SIZE: f32 = 15.0;
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
    let art = MapDrawing {
        map,
        version,
        origin: [MARGIN, MARGIN + HEADING_HEIGHT],
        chosen: None,
        letters: 1.0,
    };
    let [width, height] = map.layout.size;
    let width = (width + 2.0 * MARGIN).max(MIN_WIDTH);
    let label = version.describe();
    let (strong, muted) = (PictureColor::TextStrong, PictureColor::Muted);
    let title = visible(title).into_owned();
    let head = PictureText::new([MARGIN, 27.5], 18.0, PictureFont::Heading, strong, title.clone());
    let facts = PictureText::new([MARGIN, 51.5], 13.0, PictureFont::Words, muted, label.clone());
    let room = width - 2.0 * MARGIN;
    let mut shapes =
        vec![PictureShape::Text(head.within(room)), PictureShape::Text(facts.within(room))];
    shapes.extend(legend([MARGIN, 76.0]));
    // From back to front, since later shapes are painted over earlier ones.
    let nodes = || 0..map.nodes.len();
    shapes.extend(nodes().filter_map(|at| art.frame(at)));
    let edges = || 0..map.edges.len();
    shapes.extend(edges().filter_map(|at| art.edge(at)));
    shapes.extend(edges().filter_map(|at| art.label(at)));
    shapes.extend(nodes().filter_map(|at| {
        Some(PictureShape::Mark { tooltip: art.describe_node(at)?, shapes: art.node(at, false) })
    }));
    Some(Picture {
        title: format!("The machine {title}"),
        description: label,
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
        block([x, y - STRIP_HEIGHT / 2.0], BLOCK_WIDTHS[0], PictureColor::GoodMark),
        word(x + 28.0, "matches"),
        block([x + 86.0, y - STRIP_HEIGHT / 2.0], BLOCK_WIDTHS[0], PictureColor::WarningMark),
        word(x + 114.0, "breaks"),
        PictureShape::line([x + 166.0, y], [x + 186.0, y], uncovered),
        word(x + 194.0, "not covered"),
    ]
}

/// Returns a block of a strip, by its upper left corner.
fn block(min: [f32; 2], width: f32, color: PictureColor) -> PictureShape {
    PictureShape::filled(Area::new(min, [width, STRIP_HEIGHT]), 2.0, color)
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
            0 => EDGE_WIDTHS[0],
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
        if state.uses > 0 {
            let color = if self.is_edge_chosen(at) {
                PictureColor::Accent
            } else {
                PictureColor::TextStrong
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

    /// Adds what is in a task: its name and how it changed, how many of its recordings match, and their strip.
    fn task(&self, shapes: &mut Vec<PictureShape>, area: Area, state: &NodeState) {
        let (left, right) = (area.min[0] + 14.0, area.max[0] - 14.0);
        let row = |y: f32| area.min[1] + y;
        let mut room = right - left;
        if let Some((text, color)) = change_text(&state.change) {
            let width = text_width(PictureFont::Words, SMALL_TEXT_SIZE, &text) * self.letters;
            // The name keeps at least a third of the line.
            let max_width = room * 0.65;
            room -= width.min(max_width) + 8.0;
            let at = [right, row(24.0)];
            let text = PictureText::new(at, SMALL_TEXT_SIZE, PictureFont::Words, color, text)
                .anchored(TextAnchor::End)
                .within(max_width);
            shapes.push(PictureShape::Text(text));
        }
        let (name, strong) = (visible(&state.name).into_owned(), PictureColor::TextStrong);
        let name =
            PictureText::new([left, row(24.0)], NAME_SIZE, PictureFont::Heading, strong, name);
        shapes.push(PictureShape::Text(name.within(room)));
        let (line, color) = verdict(state);
        let line = PictureText::new([left, row(46.0)], LABEL_SIZE, PictureFont::Words, color, line);
        shapes.push(PictureShape::Text(line.within(right - left)));
        add_strip(shapes, [left, row(66.0)], right - left, state);
    }
}

/// Returns how many recordings of a task match or break, and the colour of that.
fn verdict(state: &NodeState) -> (String, PictureColor) {
    match (state.recordings.len(), state.breaks, state.is_task) {
        (0, _, true) => ("No recording".to_owned(), PictureColor::Muted),
        (0, _, false) => ("No model called".to_owned(), PictureColor::Muted),
        (count, 0, _) => (counted(count, "matches", "match"), PictureColor::Good),
        (count, breaks, _) if count == breaks => {
            (counted(count, "breaks", "break"), PictureColor::Warning)
        }
        (count, breaks, _) => {
            let words = format!("{} of {} break", thousands(breaks), thousands(count));
            (words, PictureColor::Warning)
        }
    }
}

/// Adds a block for each recording, those that break first; of more than fit, each block is several.
fn add_strip(shapes: &mut Vec<PictureShape>, [x, y]: [f32; 2], room: f32, state: &NodeState) {
    let count = state.recordings.len();
    let max_blocks = ((room + BLOCK_GAP) / (BLOCK_WIDTHS[1] + BLOCK_GAP)) as usize;
    let blocks = count.min(max_blocks);
    let width = ((room + BLOCK_GAP) / blocks.max(1) as f32 - BLOCK_GAP).min(BLOCK_WIDTHS[0]);
    // One recording of thousands that breaks must still be seen.
    let breaking = (state.breaks * blocks).div_ceil(count.max(1));
    shapes.extend((0..blocks).map(|at| {
        let left = x + at as f32 * (width + BLOCK_GAP);
        let color = if at < breaking { PictureColor::WarningMark } else { PictureColor::GoodMark };
        block([left, y], width, color)
    }));
}
