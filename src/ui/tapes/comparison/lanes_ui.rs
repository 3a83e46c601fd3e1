//! Paints the other tape below this one on the same axis, and the differences between them.

use egui::{
    Color32, CornerRadius, Painter, Rect, Response, Shape, Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::compared_take;
use super::data::{DifferenceSign, take_name};
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps, OverlayStep};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::timeline::{TimeRange, Timeline};
use crate::ops::tape::timing::{TapePace, format_duration};
use crate::ui::tapes::marks_ui::{columns, wait_labels_ui, waits_ui};
use crate::ui::tapes::tapes_ui::TapeProps;
use crate::ui::tapes::timeline_ui::TimeScale;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::{icons, widgets};

/// Height of the strip between both tapes.
const BETWEEN: f32 = 26.0;
/// Height of the bar that marks a step in this strip.
const FOOT: f32 = 4.0;
/// Up to this many steps are painted one by one; more are combined into columns.
const MAX_SEPARATE_STEPS: usize = 240;
/// Width of the columns in which steps are combined.
const COLUMN: f32 = 3.0;

/// Areas of the timeline: this tape at the top, the other tape at the bottom, the differences between them.
pub(in crate::ui::tapes) struct Lanes<'a> {
    pub(in crate::ui::tapes) own: Rect,
    between: Rect,
    other: Rect,
    takes: &'a ComparedTake,
    differing: &'a DifferingSteps,
}

impl<'a> Lanes<'a> {
    /// Divides the timeline if another tape is compared: both tapes share the height of the marks and of the rate.
    pub(in crate::ui::tapes) fn split_timeline(
        props: TapeProps<'a>,
        marks: &mut Rect,
        rate: &mut Rect,
    ) -> Option<Self> {
        let (takes, differing) = compared_take(&props)?;
        marks.max.y = rate.bottom();
        rate.min.y = rate.bottom();
        let middle = marks.center().y.round();
        let between =
            Rect::from_x_y_ranges(marks.x_range(), middle - BETWEEN / 2.0..=middle + BETWEEN / 2.0);
        Some(Self {
            own: marks.with_max_y(between.top()),
            between,
            other: marks.with_min_y(between.bottom()),
            takes,
            differing,
        })
    }

    /// Returns the other tape if the pointer is over it.
    pub(in crate::ui::tapes) fn hovered_tape(
        &self,
        response: &Response,
    ) -> Option<&'a PreparedTape> {
        let pointer = response.hover_pos()?;
        let is_there = self.other.y_range().contains(pointer.y);
        is_there.then(|| self.takes.other())
    }
}

/// Draws the other tape and the differences.
pub(in crate::ui::tapes) fn lanes_ui(
    ui: &Ui,
    painter: &Painter,
    lanes: &Lanes<'_>,
    scale: TimeScale,
    props: TapeProps<'_>,
) {
    let colors = tokens(ui);
    let pace = props.desk.transport.pace;
    let timeline = lanes.takes.other().timeline(pace);
    let silence_nanos = props.desk.silence_nanos();
    painter.rect_filled(lanes.between, 0.0, colors.panel);
    waits_ui(ui, painter, lanes.other, scale, timeline, silence_nanos);
    let waits = (silence_nanos, Some(props.desk.transport.nanos));
    wait_labels_ui(ui, painter, lanes.other, scale, timeline, waits);
    let still = TimeScale { moved: None, ..scale };
    let arrived = timeline.schedule().arrived(props.desk.transport.nanos);
    other_marks_ui(painter, colors, lanes.other, still, (timeline, arrived));
    ends_ui(ui, painter, lanes, still, props);
    links_ui(ui, painter, lanes, scale, props);
    let hair = Stroke::new(1.0, colors.hair);
    for y in [lanes.between.top() + 0.5, lanes.between.bottom() - 0.5] {
        painter.hline(lanes.between.x_range(), y, hair);
    }
    let take = props.desk.comparison.other.as_ref();
    let other = take.map_or_else(String::new, |take| take_name(take, props.library));
    for (words, y, color) in [
        ("this tape", lanes.own.top() + 10.0, colors.accent),
        (&other, lanes.other.bottom() - 9.0, colors.note),
    ] {
        let line = widgets::line(ui, words, theme::medium(theme::SMALL), color, 240.0);
        let ground =
            Rect::from_min_size(pos2(scale.left + 2.0, y - 8.0), vec2(line.size().x + 8.0, 16.0));
        painter.rect_filled(ground, 3.0, colors.desk.gamma_multiply(0.85));
        widgets::paint_line(painter, pos2(scale.left + 6.0, y), line);
    }
}

/// Draws where each tape ends.
fn ends_ui(ui: &Ui, painter: &Painter, lanes: &Lanes<'_>, scale: TimeScale, props: TapeProps<'_>) {
    let colors = tokens(ui);
    let pace = props.desk.transport.pace;
    for (lane, y, tape, color) in [
        (lanes.own, lanes.own.top() + 10.0, props.tape, colors.accent),
        (lanes.other, lanes.other.bottom() - 9.0, lanes.takes.other(), colors.note),
    ] {
        let end = tape.schedule(pace).total_nanos();
        let x = scale.x(end).round();
        painter.extend(Shape::dashed_line(
            &[pos2(x, lane.top()), pos2(x, lane.bottom())],
            Stroke::new(1.0, color),
            3.0,
            3.0,
        ));
        let words = format!("end {}", format_duration(end));
        let line = widgets::line(ui, &words, theme::regular(theme::SMALL), color, 120.0);
        // At the right edge, the label is on the other side of the line.
        let width = line.size().x + 6.0;
        let is_free = x + width <= scale.left + scale.width + theme::PADDING;
        let left = if is_free { x + 4.0 } else { x - width };
        widgets::paint_line(painter, pos2(left, y), line);
    }
}

/// Draws the chunks of the other tape hanging down, so that the tapes mirror each other: filled once they have arrived, before
/// that hollow where there is room.
fn other_marks_ui(
    painter: &Painter,
    colors: &Tokens,
    rect: Rect,
    scale: TimeScale,
    (timeline, arrived): (&Timeline, usize),
) {
    let (columns, width) = columns(scale, timeline);
    let highest = (rect.height() - 22.0).max(8.0) / timeline.tallest().max(1) as f32;
    let radius = CornerRadius { sw: 2, se: 2, ..CornerRadius::ZERO };
    for (x, column) in columns.iter().filter(|(_, column)| !column.chunks.is_empty()) {
        if column.empty == column.chunks.len() {
            let center = pos2(*x, rect.top() + 6.0);
            painter.circle(center, 3.5, colors.desk, Stroke::new(1.5, colors.warning));
            continue;
        }
        let height = (column.tallest as f32 * highest).max(2.0);
        let corner = pos2((x - width / 2.0).round(), rect.top());
        let bar = Rect::from_min_size(corner, vec2(width, height));
        let is_played = column.chunks.end <= arrived;
        if width < 4.0 {
            let faint = colors.note.gamma_multiply(0.6);
            let color = if is_played { colors.note } else { faint };
            painter.rect_filled(bar, 0.0, color);
        } else if is_played {
            painter.rect_filled(bar, radius, colors.note);
        } else {
            let stroke = Stroke::new(1.0, colors.note);
            painter.rect(bar, radius, colors.note_tint, stroke, StrokeKind::Inside);
        }
        if arrived > 0 && column.chunks.contains(&(arrived - 1)) && width >= 4.0 {
            let stroke = Stroke::new(1.5, colors.text_strong);
            let frame = bar.expand2(vec2(3.0, 2.0));
            painter.rect_stroke(frame, CornerRadius::same(2), stroke, StrokeKind::Middle);
        }
    }
}

/// Draws a line between the two positions of each step that differs.
fn links_ui(ui: &Ui, painter: &Painter, lanes: &Lanes<'_>, scale: TimeScale, props: TapeProps<'_>) {
    let pace = props.desk.transport.pace;
    let places = StepPositions { lanes, props, pace };
    let steps = lanes.differing.steps();
    let shown = scale.shown;
    let first = steps.partition_point(|at| places.end_of(*at) < shown.from_nanos);
    let end = steps.partition_point(|at| places.start_of(*at) <= shown.to_nanos).max(first);
    if end - first > MAX_SEPARATE_STEPS {
        return density_ui(painter, tokens(ui), &places, scale);
    }
    let here = steps.get(props.desk.comparison.at);
    for at in &steps[first..end] {
        if let Some(step) = lanes.takes.steps().get(*at) {
            link_ui(ui, painter, &places, scale, step, here == Some(at));
        }
    }
}

/// Positions of steps in both tapes. Steps are ordered in both, so visible ones are found by binary search.
struct StepPositions<'a> {
    lanes: &'a Lanes<'a>,
    props: TapeProps<'a>,
    pace: TapePace,
}

impl StepPositions<'_> {
    fn both(&self, step: &OverlayStep) -> [TimeRange; 2] {
        self.lanes.takes.time_ranges(self.props.tape, step, self.pace)
    }

    fn start_of(&self, at: usize) -> f64 {
        let step = self.lanes.takes.steps().get(at);
        step.map_or(f64::INFINITY, |step| {
            let [ours, theirs] = self.both(step);
            ours.from_nanos.min(theirs.from_nanos)
        })
    }

    fn end_of(&self, at: usize) -> f64 {
        let step = self.lanes.takes.steps().get(at);
        step.map_or(f64::INFINITY, |step| {
            let [ours, theirs] = self.both(step);
            ours.to_nanos.max(theirs.to_nanos)
        })
    }
}

fn link_ui(
    ui: &Ui,
    painter: &Painter,
    places: &StepPositions<'_>,
    scale: TimeScale,
    step: &OverlayStep,
    is_here: bool,
) {
    let colors = tokens(ui);
    let (icon, color) = sign_style(DifferenceSign::for_step(step), colors);
    let between = places.lanes.between;
    let [above, below] = places.both(step).map(|stretch| {
        let (left, right) = (scale.x(stretch.from_nanos), scale.x(stretch.to_nanos));
        [left - 2.5, right + 2.5]
    });
    let width = if is_here { 2.0 } else { 1.0 };
    let stroke =
        if is_here { Stroke::new(2.0, colors.text_strong) } else { Stroke::new(1.0, color) };
    // A bar in each tape and a line between them: a filled shape would be too thin if the positions are far apart.
    let middle = |[left, right]: [f32; 2]| f32::midpoint(left, right);
    let (top, bottom) = (between.top() + FOOT, between.bottom() - FOOT);
    for ([left, right], y) in [(above, between.top()), (below, bottom)] {
        let foot = Rect::from_x_y_ranges(left..=right, y..=y + FOOT);
        painter.rect(foot, 1.0, color, Stroke::new(width - 1.0, stroke.color), StrokeKind::Outside);
    }
    let ends = [pos2(middle(above), top), pos2(middle(below), bottom)];
    painter.line_segment(ends, stroke);
    let is_steep = (ends[0].x - ends[1].x).abs() < 4.0 * BETWEEN;
    if is_here || is_steep && (above[1] - above[0]).max(below[1] - below[0]) > 3.0 {
        let center = ends[0].lerp(ends[1], 0.5);
        painter.circle(center, 9.0, colors.panel, stroke);
        widgets::paint_icon(painter, center, icon, theme::ICON_TAG, color);
    }
}

/// Draws a mark for each column with differences; the more differences, the higher the mark.
fn density_ui(painter: &Painter, colors: &Tokens, places: &StepPositions<'_>, scale: TimeScale) {
    let steps = places.lanes.differing.steps();
    let between = places.lanes.between;
    let count = (scale.width / COLUMN).floor().max(1.0) as usize;
    let before = |column: usize| {
        let x = scale.left + column as f32 / count as f32 * scale.width;
        let nanos = scale.nanos(x);
        steps.partition_point(|at| places.start_of(*at) < nanos)
    };
    let borders: Vec<usize> = (0..=count).map(before).collect();
    let counts: Vec<usize> = borders.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let most = counts.iter().copied().max().unwrap_or(1).max(1) as f32;
    for (column, found) in counts.iter().enumerate().filter(|(_, found)| **found > 0) {
        let x = scale.left + (column as f32 + 0.5) / count as f32 * scale.width;
        let high = (*found as f32 / most * (BETWEEN - 8.0)).max(3.0);
        let bar = Rect::from_center_size(pos2(x, between.center().y), vec2(2.0, high));
        painter.rect_filled(bar, 0.0, colors.warning);
    }
}

/// Returns the icon and the colour of a difference.
pub(super) fn sign_style(sign: DifferenceSign, colors: &Tokens) -> (&'static str, Color32) {
    match sign {
        DifferenceSign::Text => (icons::EQUAL_NOT, colors.error),
        DifferenceSign::Chunks => (icons::COLUMNS_2, colors.accent),
        DifferenceSign::Time => (icons::CLOCK, colors.warning),
    }
}
