//! Lays boxes and the lines between them out on a plane, in layers from left to right.
//!
//! Lines that close a cycle are reversed first. Each box is then placed after all boxes that lead to it, the boxes of a layer
//! are put in the order in which fewest lines cross, and moved up and down to where their lines are straight. Boxes inside
//! of another are arranged separately, and take part as their frame. The same chart always has the same layout.

mod layers;
mod level;
mod order;
mod straight;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use level::LevelLayout;

/// The space around what is inside of a frame.
pub const FRAME_PADDING: f32 = 14.0;
/// The room for a frame's title above what is inside of it.
pub const FRAME_TITLE: f32 = 26.0;
/// Distance of the ends of lines that lead back from the middle of a box's side, and from each other.
const BACK_OFFSETS: [f32; 2] = [9.0, 5.0];
/// The height of a line from a box to itself above the box.
pub const LOOP_HEIGHT: f32 = 18.0;

/// The chart to arrange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The boxes. A box that contains others becomes a frame and precedes them in this list.
    pub boxes: Vec<ChartBox>,
    /// The lines between them.
    pub lines: Vec<ChartLine>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartBox {
    /// Width and height; a frame is at least as wide.
    pub size: [f32; 2],
    /// The box that it is inside of: one before it.
    pub inside: Option<usize>,
    /// Whether the layout starts here if the lines form a cycle.
    pub begins: bool,
}

/// A line with a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartLine {
    /// The box it starts at.
    pub from: usize,
    /// The box its head is at.
    pub to: usize,
    /// Width and height of its label; zero for none.
    pub label: [f32; 2],
}

/// The positions of all boxes and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartLayout {
    /// Width and height of the whole.
    pub size: [f32; 2],
    /// The boxes, in the order of the chart.
    pub boxes: Vec<Area>,
    /// The lines, in the order of the chart.
    pub lines: Vec<Path>,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Its left upper corner.
    pub min: [f32; 2],
    /// Its right lower corner.
    pub max: [f32; 2],
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// From its start to its head, at least two.
    pub points: Vec<[f32; 2]>,
    /// The middle of what is written on it.
    pub label: [f32; 2],
    /// Sides of the boxes at which it ends.
    pub bend: Bend,
}

/// Sides of its boxes at which a line leaves and enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bend {
    /// At their sides.
    #[default]
    Level,
    /// At their tops.
    Upright,
}

impl Area {
    pub fn new(min: [f32; 2], size: [f32; 2]) -> Self {
        Self { min, max: moved(min, size) }
    }

    /// Its width and height.
    pub fn size(self) -> [f32; 2] {
        [self.max[0] - self.min[0], self.max[1] - self.min[1]]
    }

    fn left(self) -> [f32; 2] {
        [self.min[0], f32::midpoint(self.min[1], self.max[1])]
    }

    fn right(self) -> [f32; 2] {
        [self.max[0], f32::midpoint(self.min[1], self.max[1])]
    }
}

fn moved(point: [f32; 2], offset: [f32; 2]) -> [f32; 2] {
    [point[0] + offset[0], point[1] + offset[1]]
}

impl Chart {
    /// Lays it out.
    pub fn arrange(&self) -> ChartLayout {
        let routes: Vec<LineRoute> = self.lines.iter().map(|line| self.route_line(line)).collect();
        let mut levels: Vec<LevelLayout> = vec![LevelLayout::default(); self.boxes.len() + 1];
        // Level 0 is the chart, the others are the frames by their numbers.
        let slot = |frame: Option<usize>| frame.map_or(0, |f| f + 1);
        let mut sizes: Vec<BoxSize> = self.boxes.iter().map(|b| BoxSize::of(b.size)).collect();
        for (at, chart_box) in self.boxes.iter().enumerate() {
            levels[slot(chart_box.inside)].members.push(at);
        }
        for (at, line) in routes.iter().enumerate() {
            match line {
                LineRoute::Between { level, ends } => levels[slot(*level)].lines.push((at, *ends)),
                LineRoute::Loop(index) => sizes[*index].reserve(self.lines[at].label),
                LineRoute::Outwards { .. } => {}
            }
        }
        // Inner boxes follow their frame in the list, and are arranged before it.
        for frame in (0..=self.boxes.len()).rev() {
            let level = &mut levels[frame];
            level.arrange(&self.boxes, &sizes, &self.lines);
            if frame > 0 && !level.members.is_empty() {
                sizes[frame - 1].surround(level.size);
            }
        }
        self.assemble(&levels, &sizes, &routes)
    }

    /// Puts all levels into one plane.
    fn assemble(
        &self,
        levels: &[LevelLayout],
        sizes: &[BoxSize],
        routes: &[LineRoute],
    ) -> ChartLayout {
        let mut layout = ChartLayout {
            size: levels[0].size,
            boxes: vec![Area::default(); self.boxes.len()],
            lines: vec![Path::default(); self.lines.len()],
        };
        for (frame, level) in levels.iter().enumerate() {
            let corner = match frame.checked_sub(1) {
                None => [0.0; 2],
                Some(frame) => {
                    moved(layout.boxes[frame].min, [FRAME_PADDING, FRAME_TITLE + FRAME_PADDING])
                }
            };
            for (member, place) in level.members.iter().zip(&level.places) {
                layout.boxes[*member] = sizes[*member].body(moved(*place, corner));
            }
            for (line, path) in &level.paths {
                let points = path.points.iter().map(|point| moved(*point, corner));
                let (points, label) = (points.collect(), moved(path.label, corner));
                layout.lines[*line] = Path { points, label, bend: Bend::Level };
            }
        }
        for (at, (line, route)) in self.lines.iter().zip(routes).enumerate() {
            layout.lines[at].end([line.from, line.to].map(|end| layout.boxes[end]), *route);
        }
        layout.part_back_lines(&self.lines);
        layout
    }

    /// Returns where a line is drawn: between the sibling boxes that contain its ends.
    fn route_line(&self, line: &ChartLine) -> LineRoute {
        if line.from == line.to {
            return LineRoute::Loop(line.from);
        }
        let ancestors = |end: usize| {
            let mut path: Vec<usize> =
                std::iter::successors(Some(end), |at| self.boxes[*at].inside).collect();
            path.reverse();
            path
        };
        let (from, to) = (ancestors(line.from), ancestors(line.to));
        let len = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        match (from.get(len), to.get(len)) {
            (Some(a), Some(b)) => {
                LineRoute::Between { level: len.checked_sub(1).map(|at| from[at]), ends: [*a, *b] }
            }
            (Some(_), None) => LineRoute::Outwards { inner_first: true },
            _ => LineRoute::Outwards { inner_first: false },
        }
    }
}

/// Ends of lines: how far the next point is above or below the middle of the box, and the line.
type LineEnds = Vec<(f32, usize)>;

impl ChartLayout {
    /// Moves both ends of each line that leads back away from the middle of a box's side, where the other lines end: a side has
    /// heads in one place only.
    fn part_back_lines(&mut self, lines: &[ChartLine]) {
        // The key is the box, whether the ends are heads, and whether they come from above.
        let mut ends: BTreeMap<(usize, bool, bool), LineEnds> = BTreeMap::new();
        for (at, (line, path)) in lines.iter().zip(&self.lines).enumerate() {
            let leads_back = path.points.first() > path.points.last();
            if path.bend == Bend::Upright || !leads_back {
                continue;
            }
            let neighbors = [path.points[1], path.points[path.points.len() - 2]];
            for (box_index, is_head, [_, y]) in
                [(line.from, false, neighbors[0]), (line.to, true, neighbors[1])]
            {
                let [_, middle] = self.boxes[box_index].left();
                ends.entry((box_index, is_head, y < middle))
                    .or_default()
                    .push(((y - middle).abs(), at));
            }
        }
        for ((box_index, is_head, is_above), mut ends) in ends {
            // The line that is nearest ends nearest to the middle, so that they do not cross.
            ends.sort_by(|a, b| a.0.total_cmp(&b.0));
            // The end stays on the side, off the corner.
            let max_offset = (self.boxes[box_index].size()[1] / 2.0 - 4.0).max(0.0);
            for (n, (_, line)) in ends.into_iter().enumerate() {
                let offset = (BACK_OFFSETS[0] + n as f32 * BACK_OFFSETS[1]).min(max_offset);
                let points = &mut self.lines[line].points;
                let end = if is_head { points.len() - 1 } else { 0 };
                points[end][1] += if is_above { -offset } else { offset };
            }
        }
    }
}

/// Route of a line.
#[derive(Clone, Copy)]
enum LineRoute {
    /// From a box to itself.
    Loop(usize),
    /// Between two boxes of a level: the real ends, or what is around them.
    Between { level: Option<usize>, ends: [usize; 2] },
    /// Between a box and one around it.
    Outwards { inner_first: bool },
}

/// Room that a box takes, with the part of it that is above the box itself.
#[derive(Clone, Copy)]
struct BoxSize {
    own: [f32; 2],
    above: f32,
    /// The least width with what is above.
    width: f32,
}

impl BoxSize {
    fn of(own: [f32; 2]) -> Self {
        Self { own, above: 0.0, width: own[0] }
    }

    /// Makes room for a line that leads from the box to itself.
    fn reserve(&mut self, label: [f32; 2]) {
        self.above = self.above.max(LOOP_HEIGHT + label[1]);
        self.width = self.width.max(label[0]);
    }

    /// Becomes a frame.
    fn surround(&mut self, inner: [f32; 2]) {
        let width = inner[0] + 2.0 * FRAME_PADDING;
        self.own = [self.own[0].max(width), inner[1] + FRAME_TITLE + 2.0 * FRAME_PADDING];
        self.width = self.width.max(self.own[0]);
    }

    fn whole(self) -> [f32; 2] {
        [self.width, self.own[1] + self.above]
    }

    /// Returns the box itself where its room begins at `min`.
    fn body(self, min: [f32; 2]) -> Area {
        let left = min[0] + (self.width - self.own[0]) / 2.0;
        let min = [left, min[1] + self.above];
        Area { min, max: moved(min, self.own) }
    }
}

impl Path {
    /// Ends the line at the two boxes that it connects.
    fn end(&mut self, [from, to]: [Area; 2], route: LineRoute) {
        match route {
            LineRoute::Between { .. } => {
                // A line that was turned round leaves at the left.
                let is_forward = self.points.first() <= self.points.last();
                let ends =
                    if is_forward { [from.right(), to.left()] } else { [from.left(), to.right()] };
                if let [first, .., last] = self.points.as_mut_slice() {
                    [*first, *last] = ends;
                }
            }
            LineRoute::Loop(_) => {
                let (middle, top) = (f32::midpoint(from.min[0], from.max[0]), from.min[1]);
                let offset = (from.size()[0] / 4.0).min(12.0);
                self.points =
                    [(offset, 0.0), (offset, LOOP_HEIGHT), (-offset, LOOP_HEIGHT), (-offset, 0.0)]
                        .map(|(x, y)| [middle + x, top - y])
                        .into();
                self.label = [middle, top - LOOP_HEIGHT];
                self.bend = Bend::Upright;
            }
            LineRoute::Outwards { inner_first } => {
                let (inner, outer) = if inner_first { (from, to) } else { (to, from) };
                let middle = f32::midpoint(inner.min[0], inner.max[0]);
                self.points = vec![[middle, inner.min[1]], [middle, outer.min[1]]];
                if !inner_first {
                    self.points.reverse();
                }
                self.label = [middle, f32::midpoint(inner.min[1], outer.min[1])];
                self.bend = Bend::Upright;
            }
        }
    }
}
