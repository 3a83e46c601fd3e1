//! Pictures of a tape's timeline for documents.

use std::ops::Range;

use calls::tape::axis::ticks;
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::timeline::{SilentGap, TimeRange, Timeline, TimelineColumn};
use calls::tape::timing::{MILLISECOND, SECOND, TapePace, format_duration};
use document::text::{counted, thousands, visible};
use machine::layout::Area;
use machine::picture::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureFont, PictureShape, PictureText,
    PictureTheme, TextAnchor,
};

/// Size of a picture in points.
const PICTURE_SIZE: [f32; 2] = [1200.0, 380.0];

#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// The tape's name.
    pub title: String,
    /// The time range; `None` for the whole tape.
    pub shown: Option<TimeRange>,
    /// Delays as recorded, or in whole milliseconds.
    pub pace: TapePace,
    /// Minimum length of a marked silence, in nanoseconds.
    pub silence_nanos: f64,
    /// The color theme.
    pub theme: PictureTheme,
}

const PADDING: f32 = 24.0;
const AXIS_Y: f32 = 84.0;
const MARKS_Y: Range<f32> = 92.0..296.0;
const RATE_Y: Range<f32> = 318.0..362.0;
/// Width of a mark, space it needs, and width of the columns if there is not enough space.
const MARK_WIDTH: f32 = 5.0;
const MARK_DISTANCE: f32 = 7.0;
const COLUMN_WIDTH: f32 = 3.0;
/// Width of the columns of the rate.
const RATE_COLUMN_WIDTH: f32 = 4.0;

pub fn draw_picture(tape: &PreparedTape, options: &PictureOptions) -> Picture {
    let timeline = tape.timeline(options.pace);
    let total = timeline.schedule().total_nanos();
    // All chunks may arrive at once, and an axis needs a length.
    let span = TimeRange { from_nanos: 0.0, to_nanos: if total > 0.0 { total } else { SECOND } };
    let mut drawing =
        PictureBuilder { tape, timeline, shown: options.shown.unwrap_or(span), shapes: Vec::new() };
    drawing.head(&options.title);
    drawing.axis();
    drawing.waits(options.silence_nanos);
    drawing.marks();
    drawing.rate();
    Picture {
        title: options.title.clone(),
        description: describe(tape),
        size: PICTURE_SIZE,
        theme: options.theme,
        shapes: drawing.shapes,
    }
}

/// Returns the statistics of a tape.
fn describe(tape: &PreparedTape) -> String {
    let stats = tape.stats();
    let mut facts = vec![
        format!(
            "{} in {}",
            counted(stats.chunks, "chunk", "chunks"),
            format_duration(stats.total_nanos)
        ),
        counted(stats.chars, "character", "characters"),
    ];
    facts.extend(stats.first_nanos.map(|nanos| format!("first after {}", format_duration(nanos))));
    facts.extend(stats.gaps.map(|gaps| {
        format!(
            "gaps {} (median), {} (p95), {} at most",
            format_duration(gaps.median_nanos),
            format_duration(gaps.p95_nanos),
            format_duration(gaps.longest_nanos)
        )
    }));
    facts.join(", ")
}

struct PictureBuilder<'a> {
    tape: &'a PreparedTape,
    timeline: &'a Timeline,
    shown: TimeRange,
    shapes: Vec<PictureShape>,
}

impl PictureBuilder<'_> {
    fn width() -> f32 {
        PICTURE_SIZE[0] - 2.0 * PADDING
    }

    fn x(&self, nanos: f64) -> f32 {
        let share = (nanos - self.shown.from_nanos) / self.shown.nanos();
        PADDING + share.clamp(0.0, 1.0) as f32 * Self::width()
    }

    fn text(
        &mut self,
        at: [f32; 2],
        (font, size): (PictureFont, f32),
        color: PictureColor,
        text: String,
    ) {
        self.shapes.push(PictureShape::text(at, size, font, color, text));
    }

    fn rect(&mut self, min: [f32; 2], size: [f32; 2], fill: PictureColor) {
        self.shapes.push(PictureShape::filled(Area::new(min, size), 0.0, fill));
    }

    /// Draws the name and the statistics.
    fn head(&mut self, title: &str) {
        let title = visible(title).into_owned();
        self.text([PADDING, 27.5], (PictureFont::Heading, 18.0), PictureColor::TextStrong, title);
        let facts = describe(self.tape);
        self.text([PADDING, 51.5], (PictureFont::Words, 13.0), PictureColor::Muted, facts);
    }

    fn axis(&mut self) {
        // 96 points have room for a label and a gap.
        let label = self.shown.nanos() * f64::from(96.0 / Self::width());
        for tick in ticks(self.shown, label) {
            let Some(label) = tick.label else { continue };
            let x = self.x(tick.nanos);
            self.rect([x, AXIS_Y + 6.0], [1.0, RATE_Y.end - AXIS_Y - 6.0], PictureColor::Line);
            // A label at the right border would be cut.
            if x + 60.0 < PICTURE_SIZE[0] {
                let data = (PictureFont::Data, 11.0);
                self.text([x + 4.0, AXIS_Y - 4.0], data, PictureColor::Muted, label);
            }
        }
        self.rect([PADDING, MARKS_Y.end], [Self::width(), 1.0], PictureColor::Line);
    }

    /// Draws the wait for the first chunk, and every silence.
    fn waits(&mut self, silence_nanos: f64) {
        // What is narrower than a point cannot be seen.
        let least = silence_nanos.max(self.shown.nanos() / f64::from(Self::width()));
        // The first wait is always labelled.
        let first = SilentGap {
            before: 0,
            time_range: TimeRange {
                from_nanos: 0.0,
                to_nanos: self.timeline.schedule().arrival_nanos(0),
            },
        };
        let is_short = first.time_range.nanos() < least && first.time_range.nanos() > 0.0;
        let is_seen = first.time_range.to_nanos > self.shown.from_nanos;
        let first = (is_short && is_seen).then_some(first).into_iter();
        for silence in first.chain(self.timeline.silences(self.shown, least)) {
            let (word, color, tint) = match silence.before {
                0 => ("first chunk after", PictureColor::Note, PictureColor::NoteTint),
                _ => ("silence", PictureColor::Warning, PictureColor::WarningTint),
            };
            let (left, right) =
                (self.x(silence.time_range.from_nanos), self.x(silence.time_range.to_nanos));
            let size = [right - left, MARKS_Y.end - MARKS_Y.start];
            self.rect([left, MARKS_Y.start], size, tint);
            let words = format!("{word} {}", format_duration(silence.time_range.nanos()));
            // 6.5 points are about the width of a character at this size.
            if size[0] > words.len() as f32 * 6.5 {
                let at = [f32::midpoint(left, right), MARKS_Y.end - 18.5];
                let text = PictureText::new(at, 12.0, PictureFont::Words, color, words)
                    .anchored(TextAnchor::Middle);
                self.shapes.push(PictureShape::Text(text));
            }
        }
    }

    /// Draws each chunk where it arrives; without enough space, chunks within a few points as one.
    fn marks(&mut self) {
        // The last chunk arrives exactly at the end, which a range excludes.
        let visible_range = TimeRange { to_nanos: self.shown.to_nanos.next_up(), ..self.shown };
        let chunks = self.timeline.chunks(visible_range);
        if chunks.len() as f32 * MARK_DISTANCE <= Self::width() {
            for chunk in chunks {
                let cell = self.timeline.column(chunk..chunk + 1);
                self.mark(self.x(self.timeline.schedule().arrival_nanos(chunk)), MARK_WIDTH, &cell);
            }
            return;
        }
        let count = (Self::width() / COLUMN_WIDTH).floor();
        let columns = self.timeline.columns(self.shown, count as usize);
        for (index, cell) in columns.iter().enumerate() {
            self.mark(
                PADDING + (index as f32 + 0.5) * Self::width() / count,
                COLUMN_WIDTH - 1.0,
                cell,
            );
        }
    }

    fn mark(&mut self, x: f32, width: f32, column: &TimelineColumn) {
        if column.chunks.is_empty() {
            return;
        }
        let room = MARKS_Y.end - MARKS_Y.start - 20.0;
        let share = column.tallest as f32 / self.timeline.tallest().max(1) as f32;
        // An empty chunk has no height of its own, and must be seen.
        let height = (share * room).max(2.0);
        let is_empty = column.empty == column.chunks.len();
        let which = match column.chunks.len() {
            1 => {
                let wait = self.timeline.schedule().wait_nanos(column.chunks.start);
                let number = thousands(column.chunks.end);
                format!("Chunk {number}, after {:.3} ms", wait / MILLISECOND)
            }
            _ => format!(
                "Chunks {} to {}",
                thousands(column.chunks.start + 1),
                thousands(column.chunks.end)
            ),
        };
        let chars = counted(column.chars, "character", "characters");
        let color = if is_empty { PictureColor::Warning } else { PictureColor::Accent };
        let area = Area::new([x - width / 2.0, MARKS_Y.end - height], [width, height]);
        self.shapes.push(PictureShape::Mark {
            tooltip: format!("{which}, {chars}"),
            shapes: vec![PictureShape::filled(area, 0.0, color)],
        });
    }

    /// Draws the rate in characters a second.
    fn rate(&mut self) {
        let count = (Self::width() / RATE_COLUMN_WIDTH).floor() as usize;
        let window = (0.4 * SECOND).min(self.shown.nanos() / 8.0);
        let rates = self.timeline.rates(self.shown, count, window);
        let peak = rates.iter().copied().fold(0.0, f32::max);
        let step = Self::width() / count as f32;
        let point = |(index, rate): (usize, &f32)| {
            let x = PADDING + (index as f32 + 0.5) * step;
            [x, RATE_Y.end - rate / peak.max(1.0) * (RATE_Y.end - RATE_Y.start)]
        };
        let points: Vec<[f32; 2]> = rates.iter().enumerate().map(point).collect();
        let ends = [points.last(), points.first()].into_iter().flatten();
        let base = ends.map(|[x, _]| [*x, RATE_Y.end]);
        self.shapes.push(PictureShape::Polygon {
            points: points.iter().copied().chain(base).collect(),
            fill: PictureColor::Tint,
        });
        self.shapes.push(PictureShape::Line {
            curve: PictureCurve::through(points),
            style: LineStyle::solid(PictureColor::Accent, 1.0),
            head: 0.0,
        });
        let (y, muted) = (MARKS_Y.end + 12.0, PictureColor::Muted);
        let words = "characters a second".to_owned();
        self.text([PADDING, y], (PictureFont::Words, 11.0), muted, words);
        let peak = format!("peak {}", thousands(peak.round() as usize));
        let text =
            PictureText::new([PICTURE_SIZE[0] - PADDING, y], 11.0, PictureFont::Data, muted, peak);
        self.shapes.push(PictureShape::Text(text.anchored(TextAnchor::End)));
    }
}

#[cfg(test)]
mod tests;
