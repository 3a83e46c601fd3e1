//! Lays out sibling boxes: those of the whole chart, or of one frame.

use super::{Area, Bend, BoxSize, ChartBox, ChartLine, Path, layers, order, straight};

/// The space on the left and on the right of what is written on lines: lines part on the left of it.
const LABEL_GAPS: [f32; 2] = [40.0, 16.0];
/// The least width of what is written on lines.
const MIN_LABEL_WIDTH: f32 = 20.0;
/// The space between two boxes of a layer, which leaves lines room to part, and between two boxes without lines.
const LAYER_GAP: f32 = 64.0;
const BOX_GAP: f32 = 18.0;
/// The space between lines, and between a line and a box.
const LINE_GAP: f32 = 16.0;
/// Least width of rows of boxes without lines.
const MIN_ROW_WIDTH: f32 = 560.0;

/// Boxes beside each other, with the lines between them.
#[derive(Clone, Debug, Default)]
pub(super) struct LevelLayout {
    /// The boxes, by their numbers in the chart.
    pub(super) members: Vec<usize>,
    /// The lines, by their numbers in the chart, and the members they are between.
    pub(super) lines: Vec<(usize, [usize; 2])>,
    /// The upper left corner of the room of each member.
    pub(super) places: Vec<[f32; 2]>,
    /// The lines as they are drawn, by their numbers in the chart.
    pub(super) paths: Vec<(usize, Path)>,
    /// Width and height of the whole.
    pub(super) size: [f32; 2],
}

/// Vertices in layers: first the members, then those that lines go through.
struct Layered {
    /// Their widths and heights.
    sizes: Vec<[f32; 2]>,
    /// Lines from one layer to the next.
    lines: Vec<[usize; 2]>,
    layers: Vec<Vec<usize>>,
    /// For each vertex the one with which it should be aligned, if that is more important than others.
    level_with: Vec<Option<usize>>,
    /// For each line its vertices from left to right, and the one at which its label is.
    ways: Vec<(Vec<usize>, usize)>,
}

impl LevelLayout {
    /// Lays it out; `boxes`, with their `sizes`, and `lines` are all of the chart.
    pub(super) fn arrange(&mut self, boxes: &[ChartBox], sizes: &[BoxSize], lines: &[ChartLine]) {
        let box_sizes: Vec<[f32; 2]> = self.members.iter().map(|at| sizes[*at].whole()).collect();
        let mut rank = std::collections::BTreeMap::new();
        rank.extend(self.members.iter().enumerate().map(|(at, member)| (*member, at)));
        let ends = self.lines.iter().map(|(_, ends)| ends);
        let ends: Vec<[usize; 2]> =
            ends.map(|ends| ends.map(|end| rank.get(&end).copied().unwrap_or_default())).collect();
        let is_start: Vec<bool> = self.members.iter().map(|at| boxes[*at].begins).collect();
        let is_turned = layers::find_back_edges(&is_start, &ends);
        let mut directed_ends = ends.clone();
        // From here on all lines lead to the right; `path` turns these round again.
        for (ends, is_turned) in directed_ends.iter_mut().zip(&is_turned) {
            if *is_turned {
                ends.reverse();
            }
        }
        let mut is_loose = vec![true; box_sizes.len()];
        for end in ends.iter().flatten() {
            is_loose[*end] = false;
        }
        let labels: Vec<[f32; 2]> = self.lines.iter().map(|(at, _)| lines[*at].label).collect();
        let layered = Layered::new(&box_sizes, &directed_ends, &is_turned, &labels, &is_loose);
        let (spots, size) = layered.places();
        self.size = size;
        self.places = spots[..box_sizes.len()].iter().map(|spot| spot.min).collect();
        self.place_loose(&box_sizes, &is_loose);
        let ways = layered.ways.iter().zip(&self.lines).zip(&is_turned);
        let paths = ways.map(|(((way, label), (line, _)), is_turned)| {
            (*line, path(way, *label, &spots, *is_turned))
        });
        self.paths = paths.collect();
    }

    /// Puts boxes that no line leads to in rows below all others.
    fn place_loose(&mut self, box_sizes: &[[f32; 2]], is_loose: &[bool]) {
        let width = self.size[0].max(MIN_ROW_WIDTH);
        let mut corner = [0.0, self.size[1]];
        if corner[1] > 0.0 {
            corner[1] += BOX_GAP;
        }
        let mut row: f32 = 0.0;
        for at in (0..box_sizes.len()).filter(|at| is_loose[*at]) {
            let size = box_sizes[at];
            if corner[0] > 0.0 && corner[0] + size[0] > width {
                corner = [0.0, corner[1] + row + BOX_GAP];
                row = 0.0;
            }
            self.places[at] = corner;
            self.size[0] = self.size[0].max(corner[0] + size[0]);
            self.size[1] = self.size[1].max(corner[1] + size[1]);
            corner[0] += size[0] + BOX_GAP;
            row = row.max(size[1]);
        }
    }
}

/// Returns a line through the vertices of its path.
fn path(way: &[usize], label: usize, spots: &[Area], is_turned: bool) -> Path {
    let mut points = Vec::with_capacity(2 * way.len());
    for (at, vertex) in way.iter().enumerate() {
        let spot = spots[*vertex];
        if at > 0 {
            points.push(spot.left());
        }
        if at + 1 < way.len() && (at == 0 || spot.size()[0] > 0.0) {
            points.push(spot.right());
        }
    }
    if is_turned {
        points.reverse();
    }
    let spot = spots[label];
    let label = [0, 1].map(|axis| f32::midpoint(spot.min[axis], spot.max[axis]));
    Path { points, label, bend: Bend::Level }
}

impl Layered {
    /// Puts members in every other layer, and what is written on lines into those between.
    fn new(
        box_sizes: &[[f32; 2]],
        lines: &[[usize; 2]],
        is_turned: &[bool],
        labels: &[[f32; 2]],
        is_loose: &[bool],
    ) -> Self {
        let numbers = layers::layers(box_sizes.len(), lines);
        let count = numbers.iter().max().map_or(0, |last| 2 * last + 1);
        let mut layered = Self {
            sizes: box_sizes.to_vec(),
            level_with: vec![None; box_sizes.len()],
            lines: Vec::new(),
            layers: vec![Vec::new(); count],
            ways: Vec::new(),
        };
        for (at, number) in numbers.iter().enumerate().filter(|(at, _)| !is_loose[*at]) {
            layered.layers[2 * number].push(at);
        }
        for ((ends, is_turned), label) in lines.iter().zip(is_turned).zip(labels) {
            let [first, last] = ends.map(|end| 2 * numbers[end]);
            // The label is at the arrow head.
            let label_layer = if *is_turned { first + 1 } else { last - 1 };
            layered.draw(*ends, first + 1..last, (label_layer, *label));
        }
        layered
    }

    /// Draws a line through these layers.
    fn draw(
        &mut self,
        [from, to]: [usize; 2],
        layers: std::ops::Range<usize>,
        (label_layer, label): (usize, [f32; 2]),
    ) {
        let (mut way, mut label_vertex) = (vec![from], from);
        for layer in layers {
            let vertex = self.sizes.len();
            self.sizes.push(if layer == label_layer { label } else { [0.0; 2] });
            self.level_with.push(None);
            if layer == label_layer {
                label_vertex = vertex;
            }
            self.layers[layer].push(vertex);
            way.push(vertex);
        }
        way.push(to);
        // A label before an arrow head is aligned with it.
        if way.len() > 2 && way[way.len() - 2] == label_vertex {
            self.level_with[label_vertex] = Some(to);
        }
        self.lines.extend(way.windows(2).map(|pair| [pair[0], pair[1]]));
        self.ways.push((way, label_vertex));
    }

    /// Returns for each vertex those with which it should be aligned.
    fn aligned_vertices(&self) -> Vec<Vec<usize>> {
        let mut neighbors = vec![Vec::new(); self.sizes.len()];
        for [from, to] in &self.lines {
            neighbors[*from].push(*to);
            neighbors[*to].push(*from);
        }
        for (neighbors, partner) in neighbors.iter_mut().zip(&self.level_with) {
            if let Some(partner) = partner {
                *neighbors = vec![*partner];
            }
        }
        neighbors
    }

    /// Returns the position of each vertex, and the total width and height.
    fn places(&self) -> (Vec<Area>, [f32; 2]) {
        let count = self.sizes.len();
        let members = self.layers.iter().step_by(2).flatten();
        let mut is_box = vec![false; count];
        // Long lines pass through the layers of boxes, as vertices without a height.
        for vertex in members.filter(|vertex| self.sizes[**vertex][1] > 0.0) {
            is_box[*vertex] = true;
        }
        let mut layers = self.layers.clone();
        order::order(&mut layers, count, &self.lines);
        let heights: Vec<f32> = self.sizes.iter().map(|size| size[1]).collect();
        let gap = |a: usize, b: usize| {
            if is_box[a] && is_box[b] { LAYER_GAP } else { LINE_GAP }
        };
        let middles = straight::straighten(&layers, &heights, gap, &self.aligned_vertices());
        let mut spots = vec![Area::default(); count];
        let (mut left, mut bottom) = (0.0, 0.0_f32);
        for (number, layer) in layers.iter().enumerate() {
            let widths = layer.iter().map(|vertex| self.sizes[*vertex][0]);
            let is_between = number % 2 == 1;
            let width = widths.fold(if is_between { MIN_LABEL_WIDTH } else { 0.0 }, f32::max);
            if is_between {
                left += LABEL_GAPS[0];
            }
            for vertex in layer {
                let size = self.sizes[*vertex];
                let min = [left + (width - size[0]) / 2.0, middles[*vertex] - size[1] / 2.0];
                let max = [min[0] + size[0], min[1] + size[1]];
                spots[*vertex] = Area { min, max };
                bottom = bottom.max(max[1]);
            }
            left += width + if is_between { LABEL_GAPS[1] } else { 0.0 };
        }
        (spots, [left, bottom])
    }
}
