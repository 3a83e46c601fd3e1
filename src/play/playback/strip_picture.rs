//! Draws the calls of a run along the time axis, and the recordings that answer them.

use super::{CallBlock, PlaybackRun, ResultStatus, RunStrip};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::SECOND;
use document::text::{thousands, visible};
use machine::layout::Area;
use machine::picture::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureFont, PictureIcon, PictureShape,
    PictureText, PictureTheme,
};
use machine::short_tool;

/// The height of a lane, and of a block or a recording in it.
pub const LANE: f32 = 80.0;
pub const BLOCK: f32 = 44.0;
/// The least width of a block, the width from which it shows its number, and the one from which it shows everything.
pub const BLOCK_WIDTHS: [f32; 3] = [12.0, 20.0, 40.0];
/// The width of a recording, and from its left edge to that of the next.
pub const CELLS: [f32; 2] = [84.0, 92.0];
/// The width of the names of lanes, and the height of the arrows.
pub const NAMES: f32 = 120.0;
pub const ARROWS: f32 = 144.0;
/// The most blocks that are joined by lines.
pub const JOINED: usize = 80;
/// The distance of time labels on the axis.
const LABEL_DISTANCE: f32 = 90.0;
/// The space around a picture, and the height of its heading and of its axis.
const MARGIN: f32 = 24.0;
const HEADING_HEIGHT: f32 = 44.0;
const AXIS_HEIGHT: f32 = 28.0;
/// The least and the largest width of the time axis, and the width that a call gets on average.
const AXIS_WIDTHS: [f32; 3] = [1032.0, 15_000.0, 56.0];
/// The sizes of names and of small text.
const NAME_SIZE: f32 = 12.0;
const SMALL_TEXT_SIZE: f32 = 11.0;
/// Distance between the ends of lines into the same recording.
const LINE_DISTANCE: f32 = 18.0;
/// The dashes of a border.
const BORDER_DASHES: [f32; 2] = [5.0, 3.0];

/// Number of uses of a recording, as far as the picture distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingUse {
    /// Not yet.
    Unused,
    /// Once.
    Used,
    /// More than once.
    Reused,
}

impl RecordingUse {
    /// Of a recording that was used this many times.
    pub fn new(times: usize) -> Self {
        match times {
            0 => Self::Unused,
            1 => Self::Used,
            _ => Self::Reused,
        }
    }

    /// Returns the word for it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unused => "not used",
            Self::Used => "used",
            Self::Reused => "served twice",
        }
    }
}

/// The block of a call in the strip.
#[derive(Clone, Debug)]
pub struct BlockProps {
    pub area: Area,
    /// Counted from 0.
    pub call: usize,
    /// Its second line, such as the tool that its answer calls; may be empty.
    pub detail: String,
    /// Icon and colors, of the icon and behind it.
    pub style: (PictureIcon, PictureColor, PictureColor),
    pub is_measured: bool,
    /// Whether the playhead has reached it.
    pub is_played: bool,
    pub is_hovered: bool,
}

/// A recording below the strip.
#[derive(Clone, Debug)]
pub struct CellProps {
    pub area: Area,
    /// Its position in file order, from 0.
    pub position: usize,
    /// Its answer in a few words; may be empty.
    pub answer: String,
    pub usage: RecordingUse,
    pub is_hovered: bool,
}

/// Returns the icon and the colors of a block: of the icon, and behind it.
pub fn block_style(part: &CallBlock) -> (PictureIcon, PictureColor, PictureColor) {
    use PictureColor as C;
    match part.status {
        ResultStatus::Good if !part.is_of_model => (PictureIcon::CircleMinus, C::Strong, C::Raised),
        ResultStatus::Good => (PictureIcon::CircleCheck, C::Good, C::GoodTint),
        ResultStatus::Doubtful => (PictureIcon::TriangleAlert, C::Warning, C::WarningTint),
        ResultStatus::Bad => (PictureIcon::CircleX, C::Error, C::ErrorTint),
    }
}

/// Formats a time in seconds, to a tenth: `11.0 s`.
pub fn seconds(nanos: f64) -> String {
    format!("{:.1} s", nanos / SECOND)
}

impl PlaybackRun {
    /// Returns the answer of a call in a few words; empty if there is none.
    pub fn answer_label(&self, call: usize) -> String {
        let index = self.calls.get(call).and_then(super::PlayedCall::index);
        index.map_or_else(String::new, |index| self.recorded_label(index))
    }

    /// Returns what a recording answers: the tool that it calls first, without the prefix that an icon stands for, else its words.
    pub fn recorded_label(&self, recording: usize) -> String {
        let Some(recording) = self.set.recordings.get(recording) else { return String::new() };
        match recording.calls.first() {
            Some(tool) => visible(short_tool(tool)).into_owned(),
            None if recording.words.is_empty() || !recording.is_of_model => String::new(),
            None if recording.is_quote => format!("“{}”", visible(&recording.words)),
            None => visible(&recording.words).into_owned(),
        }
    }

    /// Returns how far beside the middle of a recording the line from a call that it answers ends, so that lines into the same recording
    /// are beside each other.
    pub fn line_end(&self, call: usize, recording: usize) -> f32 {
        let calls = self.served_in.get(recording).map_or(&[][..], |calls| calls);
        // With more ends, the gaps would have to shrink, or the outer ones leave the cell.
        let count = calls.len().min(4);
        let turn = calls.binary_search(&call).unwrap_or_default().min(3);
        (turn as f32 - (count.saturating_sub(1)) as f32 / 2.0) * LINE_DISTANCE
    }
}

impl RunStrip {
    /// Returns the label of a time: `11.0 s`, or where no latency was recorded, `Call 3`.
    pub fn time_label(&self, nanos: f64) -> String {
        if self.is_timed() {
            seconds(nanos)
        } else {
            format!("Call {}", thousands(self.call_at(nanos) + 1))
        }
    }

    /// Returns when a call begins: `2.9 s`; `None` where no latency was recorded.
    pub fn start_label(&self, call: usize) -> Option<String> {
        Some(seconds(self.blocks.get(call).filter(|_| self.is_timed())?.time.from_nanos))
    }

    /// Returns how long the run takes: `13.5 s`, or where no latency was recorded, how many calls it has: `8`.
    pub fn duration_label(&self) -> String {
        if self.is_timed() { seconds(self.total_nanos()) } else { thousands(self.blocks.len()) }
    }

    /// Returns the name of a lane.
    pub fn lane_name(&self, lane: usize) -> String {
        match self.lanes.get(lane).and_then(|lane| lane.node.as_deref()) {
            Some(node) => visible(node).into_owned(),
            None if self.lanes.len() > 1 => "no node".to_owned(),
            None => "calls".to_owned(),
        }
    }

    /// Returns the name of a block: `Call 3, escalate, 2.9 s, wrong answer`.
    pub fn block_name(&self, run: &PlaybackRun, call: usize, is_on: bool) -> String {
        let (Some(block), Some(played)) = (self.blocks.get(call), run.calls.get(call)) else {
            return String::new();
        };
        let outcome =
            if is_on { played.verdict_label().to_lowercase() } else { "not played yet".to_owned() };
        let lane = self.lane_name(block.lane);
        let start = self.start_label(call).map_or_else(String::new, |start| format!(", {start}"));
        format!("Call {}, {lane}{start}, {outcome}", call + 1)
    }

    /// Returns how many calls are right, by file order and wrong, in words.
    pub fn count_labels(&self) -> [(usize, String); 3] {
        let words = ["right", "by file order", "wrong"];
        let [good_count, doubtful_count, bad_count] = self.counts();
        let mut counts = [good_count, doubtful_count, bad_count].into_iter().zip(words);
        std::array::from_fn(|_| {
            let (count, word) = counts.next().unwrap_or_default();
            (count, format!("{} {word}", thousands(count)))
        })
    }
}

impl BlockProps {
    /// Returns the shapes of the block.
    pub fn shapes(&self) -> Vec<PictureShape> {
        let (icon, edge, tint) = self.style;
        let ([left, top], [width, _]) = (self.area.min, self.area.size());
        let fill = match (self.is_played, self.is_hovered) {
            (true, _) => tint,
            (false, true) => PictureColor::Hover,
            (false, false) => PictureColor::Desk,
        };
        let border = match (self.is_measured, self.is_hovered, self.is_played) {
            // Dashed: the block is not as long as its call took.
            (false, ..) => LineStyle::dashed(edge, 1.0, BORDER_DASHES),
            (true, true, _) => LineStyle::solid(PictureColor::Strong, 1.0),
            (true, false, true) => LineStyle::solid(fill, 1.0),
            (true, false, false) => LineStyle::solid(PictureColor::Line, 1.0),
        };
        let bar = Area::new(self.area.min, [2.0, self.area.size()[1]]);
        let (fill, border) = (Some(fill), Some(border));
        let mut shapes = vec![
            PictureShape::Rect { area: self.area, radius: 4.0, fill, border },
            PictureShape::filled(bar, 0.0, edge),
        ];
        if width < BLOCK_WIDTHS[1] {
            return shapes;
        }
        let (ink, weak_color) = text_colors(self.is_played);
        let is_whole = width >= BLOCK_WIDTHS[2];
        let inside = if is_whole { 8.0 } else { 4.0 };
        let (x, room) = (left + inside, width - inside - 2.0);
        let y = top + if is_whole { 14.0 } else { BLOCK / 2.0 };
        let number = (self.call + 1).to_string();
        // The icon is left out where the digits of the number need its place.
        let is_icon_free = is_whole && number.len() as f32 * 7.5 + 24.0 <= room;
        let number = PictureText::new([x, y], NAME_SIZE, PictureFont::DataBold, ink, number);
        shapes.push(PictureShape::Text(number.within(room)));
        if is_icon_free {
            let center = [left + width - 13.0, top + 14.0];
            shapes.push(PictureShape::Icon { center, size: 14.0, icon, color: edge });
        }
        if is_whole {
            let (at, detail) = ([x, top + 31.0], self.detail.clone());
            let detail = PictureText::new(at, NAME_SIZE, PictureFont::Words, weak_color, detail);
            shapes.push(PictureShape::Text(detail.within(room)));
        }
        shapes
    }
}

impl CellProps {
    /// Returns the shapes of the recording.
    pub fn shapes(&self) -> Vec<PictureShape> {
        let ([left, top], [width, _]) = (self.area.min, self.area.size());
        let is_used = self.usage != RecordingUse::Unused;
        let border = match self.usage {
            RecordingUse::Unused => LineStyle::dashed(PictureColor::Strong, 1.0, BORDER_DASHES),
            RecordingUse::Used => LineStyle::solid(PictureColor::Line, 1.0),
            RecordingUse::Reused => LineStyle::solid(PictureColor::Warning, 1.0),
        };
        let fill = match (self.is_hovered, is_used) {
            (true, _) => Some(PictureColor::Hover),
            (false, true) => Some(PictureColor::Raised),
            (false, false) => None,
        };
        let (area, border) = (self.area, Some(border));
        let mut shapes = vec![PictureShape::Rect { area, radius: 6.0, fill, border }];
        if width < BLOCK_WIDTHS[2] {
            return shapes;
        }
        let (icon, color) = match self.usage {
            RecordingUse::Unused => (PictureIcon::Circle, PictureColor::Muted),
            RecordingUse::Used => (PictureIcon::Check, PictureColor::Good),
            RecordingUse::Reused => (PictureIcon::Repeat, PictureColor::Warning),
        };
        let center = [left + width - 14.0, top + 14.0];
        shapes.push(PictureShape::Icon { center, size: NAME_SIZE, icon, color });
        let (ink, weak_color) = text_colors(is_used);
        let (x, tag) = (left + 8.0, (self.position + 1).to_string());
        let tag = PictureText::new([x, top + 14.0], NAME_SIZE, PictureFont::DataBold, ink, tag);
        shapes.push(PictureShape::Text(tag.within(width - 30.0)));
        let (at, answer) = ([x, top + 31.0], self.answer.clone());
        let answer = PictureText::new(at, NAME_SIZE, PictureFont::Words, weak_color, answer);
        shapes.push(PictureShape::Text(answer.within(width - 16.0)));
        shapes
    }
}

/// The colors of the number and of the tool of what is used or not.
fn text_colors(is_used: bool) -> (PictureColor, PictureColor) {
    if is_used {
        (PictureColor::TextStrong, PictureColor::Text)
    } else {
        (PictureColor::Muted, PictureColor::Muted)
    }
}

/// Returns the line that joins a block with the next one.
pub fn join(from: Area, to: Area, color: PictureColor) -> PictureShape {
    let middle = |area: Area| f32::midpoint(area.min[1], area.max[1]);
    let (from, to) = ([from.max[0], middle(from)], [to.min[0], middle(to)]);
    let lead = [(to[0] - from[0]).max(14.0) * 0.6, 0.0];
    PictureShape::Line {
        curve: PictureCurve::bent(from, to, lead),
        style: LineStyle::solid(color, 1.0),
        head: 0.0,
    }
}

/// Returns the dotted line from a block to the end of the lanes, with a dot at its beginning.
pub fn drop_line(
    from: [f32; 2],
    bottom: f32,
    color: PictureColor,
    is_selected: bool,
) -> [PictureShape; 2] {
    let width = if is_selected { 2.5 } else { 1.5 };
    // Dashes without a length and with round ends are dots.
    let style = LineStyle::dashed(color, width, [0.0, 4.0]);
    let dot = Area::new([from[0] - 2.0, from[1] - 2.0], [4.0; 2]);
    [PictureShape::filled(dot, 2.0, color), PictureShape::line(from, [from[0], bottom], style)]
}

/// Returns the arrow from the end of the lanes to a recording.
pub fn answer_arrow(
    from: [f32; 2],
    to: [f32; 2],
    lead: f32,
    style: LineStyle,
) -> [PictureShape; 3] {
    let wing = |offset: f32| {
        PictureShape::line(
            [to[0] + offset, to[1] - 5.0],
            to,
            LineStyle::solid(style.color, style.width),
        )
    };
    let arrow =
        PictureShape::Line { curve: PictureCurve::bent(from, to, [0.0, lead]), style, head: 0.0 };
    [arrow, wing(4.5), wing(-4.5)]
}

/// Draws a whole run.
pub fn draw_strip(run: &PlaybackRun, strip: &RunStrip, name: &str, theme: PictureTheme) -> Picture {
    let count = run.set.recordings.len() as f32;
    let calls = strip.blocks.len() as f32;
    let axis = (count * CELLS[1]).max(calls * AXIS_WIDTHS[2]).clamp(AXIS_WIDTHS[0], AXIS_WIDTHS[1]);
    let counts = strip.count_labels().map(|(_, words)| words).join(", ");
    let description = match run.extent() {
        none if run.calls.is_empty() => none,
        extent if strip.is_timed() => {
            format!("{extent}, {}: {counts}", seconds(strip.total_nanos()))
        }
        extent => format!("{extent}: {counts}"),
    };
    let mut drawing = StripDrawing {
        run,
        strip,
        left: MARGIN + NAMES,
        axis,
        lanes: [MARGIN + HEADING_HEIGHT + AXIS_HEIGHT, 0.0],
        shapes: Vec::new(),
    };
    drawing.lanes[1] = drawing.lanes[0] + strip.lanes.len() as f32 * LANE;
    let name = visible(name).into_owned();
    let strong = PictureColor::TextStrong;
    drawing.text([MARGIN, 27.5], 18.0, PictureFont::Heading, strong, name.clone());
    let muted = PictureColor::Muted;
    drawing.text([MARGIN, 51.5], 13.0, PictureFont::Words, muted, description.clone());
    // What is drawn later covers what was drawn before.
    drawing.axis();
    drawing.names();
    drawing.calls();
    drawing.recordings();
    let height = drawing.lanes[1] + ARROWS + BLOCK + MARGIN;
    Picture {
        title: format!("The calls of {name}"),
        description,
        size: [drawing.left + axis + MARGIN, height],
        theme,
        shapes: drawing.shapes,
    }
}

/// A strip that is drawn.
struct StripDrawing<'a> {
    run: &'a PlaybackRun,
    strip: &'a RunStrip,
    /// Left end of the time axis, and its length.
    left: f32,
    axis: f32,
    /// Top and bottom of the lanes.
    lanes: [f32; 2],
    shapes: Vec<PictureShape>,
}

impl StripDrawing<'_> {
    fn text(
        &mut self,
        at: [f32; 2],
        size: f32,
        font: PictureFont,
        color: PictureColor,
        text: String,
    ) {
        let text = PictureText::new(at, size, font, color, text);
        self.shapes.push(PictureShape::Text(text.within(self.left + self.axis - at[0])));
    }

    fn x(&self, nanos: f64) -> f32 {
        // A run without calls takes no time.
        self.left + (nanos / self.strip.total_nanos().max(1.0)) as f32 * self.axis
    }

    /// Draws round times, with lines through the lanes.
    fn axis(&mut self) {
        let total = self.strip.total_nanos();
        let hair = LineStyle::solid(PictureColor::Hair, 1.0);
        let [top, bottom] = self.lanes;
        let right = self.left + self.axis;
        let time_range = TimeRange { from_nanos: 0.0, to_nanos: total.max(1.0) };
        let label_nanos = time_range.nanos() * f64::from(LABEL_DISTANCE / self.axis);
        for tick in self.strip.axis_ticks(time_range, label_nanos) {
            let (x, Some(label)) = (self.x(tick.nanos), tick.label) else { continue };
            self.shapes.push(PictureShape::line([x, top], [x, bottom], hair));
            // The label of the last tick would reach beyond the axis.
            if x + LABEL_DISTANCE / 2.0 < right {
                let at = [x, top - AXIS_HEIGHT / 2.0];
                self.text(at, SMALL_TEXT_SIZE, PictureFont::Data, PictureColor::Muted, label);
            }
        }
        let lanes = 0..=self.strip.lanes.len();
        self.shapes.extend(lanes.map(|lane| {
            let y = top + lane as f32 * LANE;
            PictureShape::line([MARGIN, y], [right, y], hair)
        }));
    }

    /// Draws the names of the lanes and of what is below them.
    fn names(&mut self) {
        let room = NAMES - 8.0;
        let strong = PictureColor::TextStrong;
        let mut names = Vec::new();
        for at in 0..self.strip.lanes.len() {
            let middle = self.lanes[0] + (at as f32 + 0.5) * LANE;
            names.push((middle, NAME_SIZE + 1.0, strong, self.strip.lane_name(at)));
        }
        let cells = self.lanes[1] + ARROWS + BLOCK / 2.0;
        names.push((cells, NAME_SIZE + 1.0, strong, self.run.set.noun().to_owned()));
        self.shapes.extend(names.into_iter().map(|(center_y, size, color, name)| {
            let name = PictureText::new([MARGIN, center_y], size, PictureFont::Words, color, name);
            PictureShape::Text(name.within(room))
        }));
    }

    fn block_area(&self, block: &CallBlock) -> Area {
        let left = self.x(block.time.from_nanos);
        let right = self.x(block.time.to_nanos) - 2.0;
        let top = self.lanes[0] + block.lane as f32 * LANE + (LANE - BLOCK) / 2.0;
        Area { min: [left, top], max: [right.max(left + BLOCK_WIDTHS[0]), top + BLOCK] }
    }

    /// Draws the blocks, what joins them, and the lines to the recordings, below which the blocks of other lanes are.
    fn calls(&mut self) {
        let strip = self.strip;
        let areas: Vec<Area> = strip.blocks.iter().map(|block| self.block_area(block)).collect();
        if areas.len() <= JOINED {
            let lines = areas.windows(2).map(|pair| join(pair[0], pair[1], PictureColor::Strong));
            self.shapes.extend(lines);
        }
        for (call, (block, area)) in strip.blocks.iter().zip(&areas).enumerate() {
            let block = BlockProps {
                area: *area,
                call,
                detail: self.run.answer_label(call),
                style: block_style(block),
                is_measured: block.is_measured || !strip.is_timed(),
                is_played: true,
                is_hovered: false,
            };
            let (tooltip, shapes) = (strip.block_name(self.run, call, true), block.shapes());
            self.shapes.push(PictureShape::Mark { tooltip, shapes });
        }
        let bottom = self.lanes[1];
        for (call, (block, area)) in strip.blocks.iter().zip(&areas).enumerate() {
            let Some(recording) = block.recording else { continue };
            let (_, color, _) = block_style(block);
            let x = f32::midpoint(area.min[0], area.max[0]);
            self.shapes.extend(drop_line([x, area.max[1]], bottom, color, false));
            let cell = self.cell_area(recording);
            let middle = f32::midpoint(cell.min[0], cell.max[0]);
            // Cells are narrow if there are many recordings, so the ends of lines are closer.
            let offset = self.run.line_end(call, recording) * cell.size()[0] / CELLS[0];
            let end = [middle + offset, cell.min[1] - 2.0];
            let style = LineStyle::solid(color, 1.25);
            self.shapes.extend(answer_arrow([x, bottom], end, ARROWS * 0.55, style));
        }
    }

    fn cell_area(&self, position: usize) -> Area {
        let step = (self.axis / self.run.set.recordings.len().max(1) as f32).min(CELLS[1]);
        let width = step * CELLS[0] / CELLS[1];
        Area::new([self.left + position as f32 * step, self.lanes[1] + ARROWS], [width, BLOCK])
    }

    fn recordings(&mut self) {
        for position in 0..self.run.set.recordings.len() {
            let calls = self.run.served_in.get(position).map_or(&[][..], |calls| calls);
            let earlier_call = self.run.before.used.get(position).copied();
            let times = calls.len() + usize::from(earlier_call.unwrap_or_default());
            let cell = CellProps {
                area: self.cell_area(position),
                position,
                answer: self.run.recorded_label(position),
                usage: RecordingUse::new(times),
                is_hovered: false,
            };
            let recording = &self.run.set.recordings[position];
            let usage = cell.usage.label();
            let tooltip = format!("Recording {}, {}, {usage}", position + 1, recording.path);
            self.shapes.push(PictureShape::Mark { tooltip, shapes: cell.shapes() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{play, recording, set};
    use super::super::{PlaybackMode, PlaybackRules};
    use super::*;

    #[test]
    fn a_picture_has_a_mark_for_each_call_and_each_recording() {
        let recordings = [
            recording("a", "intake", "transition_to_classify", 1),
            recording("b", "classify", "transition_to_close", 1),
            recording("c", "reply <b>", "transition_to_close", 1),
        ];
        let set = set(["0", "1", "2"].into_iter().zip(recordings.iter().cloned()));
        let rules = PlaybackRules { mode: PlaybackMode::Hybrid, ..PlaybackRules::default() };
        let run = play(&set, rules, [&recordings[0], &recordings[1], &recordings[0]]);
        let strip = RunStrip::new(&run);
        let picture = draw_strip(&run, &strip, "run.log", PictureTheme::Dark);
        let svg = picture.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let titles: Vec<_> = document
            .descendants()
            .filter(|node| node.has_tag_name("title"))
            .filter_map(|title| title.text())
            .collect();
        insta::assert_snapshot!(titles.join("\n"), @"
        The calls of run.log
        Call 1, intake, right answer
        Call 2, classify, first of 2 matches
        Call 3, intake, used again
        Recording 1, set/0.json, served twice
        Recording 2, set/1.json, used
        Recording 3, set/2.json, not used
        ");
        let words: Vec<_> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .filter_map(|node| node.text())
            .collect();
        for word in ["Recordings", "intake", "classify"] {
            assert!(words.contains(&word), "{word}: {words:?}");
        }
    }

    #[test]
    fn a_run_without_calls_and_one_of_very_many_recordings_can_be_drawn() {
        let rules = PlaybackRules::default();
        let none = play(&set([]), rules, []);
        let picture = draw_strip(&none, &RunStrip::new(&none), "", PictureTheme::Light);
        assert!(picture.size[0] > 0.0 && picture.size[1] > 0.0);
        assert_eq!(picture.description, "No calls, 0 recordings");
        let names: Vec<String> = (0..400).map(|at| format!("{at:03}")).collect();
        let recordings = names.iter().map(|name| (&**name, recording(name, "n", "t", 1)));
        let many = play(&set(recordings), rules, []);
        let picture = draw_strip(&many, &RunStrip::new(&many), "", PictureTheme::Light);
        assert!(picture.size[0] <= AXIS_WIDTHS[1] + NAMES + 2.0 * MARGIN);
    }
}
