//! Pictures of a tape's timeline for documents, as SVG and PNG.

mod png;
mod svg;

use std::ops::Range;

use super::axis::ticks;
use super::prepared_tape::PreparedTape;
use super::timeline::{SilentGap, TimeRange, Timeline, TimelineColumn};
use super::timing::{MILLISECOND, SECOND, TapePace, format_duration};
use crate::text::{counted, thousands};

/// Size of a picture in points; a PNG has twice as many pixels.
pub const SIZE: (f32, f32) = (1200.0, 380.0);

#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// The tape's name.
    pub title: String,
    /// The time range; `None` for the whole tape.
    pub shown: Option<TimeRange>,
    /// Which delays are used.
    pub pace: TapePace,
    /// Minimum length of a marked silence, in nanoseconds.
    pub silence_nanos: f64,
    /// The color theme.
    pub theme: PictureTheme,
}

/// Color theme of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PictureTheme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// A colour, `0xRRGGBB`.
type PictureColor = u32;

/// The colors of a theme.
struct PictureColors {
    ground: PictureColor,
    strong: PictureColor,
    muted: PictureColor,
    hair: PictureColor,
    accent: PictureColor,
    tint: PictureColor,
    note: PictureColor,
    note_tint: PictureColor,
    warning: PictureColor,
    warning_tint: PictureColor,
}

impl PictureTheme {
    fn colors(self) -> PictureColors {
        match self {
            Self::Dark => PictureColors {
                ground: 0x14171C,
                strong: 0xF1F3F6,
                muted: 0x9AA2B1,
                hair: 0x2E343F,
                accent: 0xA3B0FF,
                tint: 0x242A47,
                note: 0x74BDF5,
                note_tint: 0x162A39,
                warning: 0xEAB454,
                warning_tint: 0x2D2617,
            },
            Self::Light => PictureColors {
                ground: 0xFFFFFF,
                strong: 0x12151A,
                muted: 0x596170,
                hair: 0xD6DBE3,
                accent: 0x3C49CF,
                tint: 0xE7EAFF,
                note: 0x0F6199,
                note_tint: 0xE2F0FB,
                warning: 0x855600,
                warning_tint: 0xFCF0D6,
            },
        }
    }
}

/// A shape in a picture. Coordinates are points from the top left corner.
#[derive(Clone, Debug, PartialEq)]
enum PictureShape {
    Rect {
        at: (f32, f32),
        size: (f32, f32),
        color: PictureColor,
    },
    /// The mark of chunks, with its tooltip.
    Mark {
        at: (f32, f32),
        size: (f32, f32),
        color: PictureColor,
        tooltip: String,
    },
    /// The area below a line.
    Area {
        points: Vec<(f32, f32)>,
        base: f32,
        fill: PictureColor,
        line: PictureColor,
    },
    Text {
        /// Horizontal alignment of a text: which point of its base line is given.
        at: (f32, f32),
        anchor: TextAnchor,
        size: f32,
        font: PictureFont,
        color: PictureColor,
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextAnchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PictureFont {
    Words,
    Heading,
    Data,
}

/// A picture of a tape.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    title: String,
    ground: PictureColor,
    shapes: Vec<PictureShape>,
}

const PADDING: f32 = 24.0;
const AXIS: f32 = 84.0;
const MARKS: Range<f32> = 92.0..296.0;
const RATE: Range<f32> = 318.0..362.0;
/// Width of a mark, space it needs, and width of the columns if there is not enough space.
const MARK: f32 = 5.0;
const ROOM: f32 = 7.0;
const COLUMN: f32 = 3.0;
/// Width of the columns of the rate.
const RATE_COLUMN: f32 = 4.0;

pub fn draw_picture(tape: &PreparedTape, options: &PictureOptions) -> Picture {
    let timeline = tape.timeline(options.pace);
    let total = timeline.schedule().total_nanos();
    let whole = TimeRange {
        from_nanos: 0.0,
        to_nanos: if total > 0.0 { total } else { SECOND },
    };
    let mut drawing = PictureBuilder {
        tape,
        timeline,
        shown: options.shown.unwrap_or(whole),
        colors: options.theme.colors(),
        shapes: Vec::new(),
    };
    drawing.head(&options.title);
    drawing.axis();
    drawing.waits(options.silence_nanos);
    drawing.marks();
    drawing.rate();
    Picture {
        title: options.title.clone(),
        ground: drawing.colors.ground,
        shapes: drawing.shapes,
    }
}

/// Renders a picture as SVG or PNG, depending on the file name.
///
/// # Errors
///
/// Returns an error if the name ends in neither, as a sentence without a full stop.
pub fn render_picture(
    tape: &PreparedTape,
    options: &PictureOptions,
    name: &str,
) -> Result<Vec<u8>, String> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match &*ending.to_ascii_lowercase() {
        "svg" => Ok(draw_picture(tape, options).svg().into_bytes()),
        "png" => draw_picture(tape, options).png(),
        _ => Err("The name of a picture must end in .svg or .png".to_owned()),
    }
}

struct PictureBuilder<'a> {
    tape: &'a PreparedTape,
    timeline: &'a Timeline,
    shown: TimeRange,
    colors: PictureColors,
    shapes: Vec<PictureShape>,
}

impl PictureBuilder<'_> {
    fn width() -> f32 {
        SIZE.0 - 2.0 * PADDING
    }

    fn x(&self, nanos: f64) -> f32 {
        let share = (nanos - self.shown.from_nanos) / self.shown.nanos();
        PADDING + share.clamp(0.0, 1.0) as f32 * Self::width()
    }

    fn text(
        &mut self,
        at: (f32, f32),
        anchor: TextAnchor,
        (face, size): (PictureFont, f32),
        color: PictureColor,
        text: String,
    ) {
        self.shapes.push(PictureShape::Text {
            at,
            anchor,
            size,
            font: face,
            color,
            text,
        });
    }

    /// Draws the name and the statistics.
    fn head(&mut self, title: &str) {
        let stats = self.tape.stats();
        let mut facts = vec![
            format!(
                "{} in {}",
                counted(stats.chunks, "chunk", "chunks"),
                format_duration(stats.total_nanos)
            ),
            counted(stats.chars, "character", "characters"),
        ];
        facts.extend(
            stats
                .first_nanos
                .map(|nanos| format!("first after {}", format_duration(nanos))),
        );
        facts.extend(stats.gaps.map(|gaps| {
            format!(
                "gaps {} (median), {} (p95), {} at most",
                format_duration(gaps.median_nanos),
                format_duration(gaps.p95_nanos),
                format_duration(gaps.longest_nanos)
            )
        }));
        let (strong, muted) = (self.colors.strong, self.colors.muted);
        let title = crate::text::visible(title).into_owned();
        self.text(
            (PADDING, 34.0),
            TextAnchor::Start,
            (PictureFont::Heading, 18.0),
            strong,
            title,
        );
        self.text(
            (PADDING, 56.0),
            TextAnchor::Start,
            (PictureFont::Words, 13.0),
            muted,
            facts.join(", "),
        );
    }

    fn axis(&mut self) {
        let label = self.shown.nanos() * f64::from(96.0 / Self::width());
        for tick in ticks(self.shown, label) {
            let Some(label) = tick.label else {
                continue;
            };
            let x = self.x(tick.nanos);
            let (color, muted) = (self.colors.hair, self.colors.muted);
            let size = (1.0, RATE.end - AXIS - 6.0);
            let at = (x, AXIS + 6.0);
            self.shapes.push(PictureShape::Rect { at, size, color });
            if x + 60.0 < SIZE.0 {
                self.text(
                    (x + 4.0, AXIS),
                    TextAnchor::Start,
                    (PictureFont::Data, 11.0),
                    muted,
                    label,
                );
            }
        }
        let (at, size) = ((PADDING, MARKS.end), (Self::width(), 1.0));
        let color = self.colors.hair;
        self.shapes.push(PictureShape::Rect { at, size, color });
    }

    /// Draws the wait for the first chunk, and every silence.
    fn waits(&mut self, silence_nanos: f64) {
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
        let silences = self.timeline.silences(self.shown, least);
        for silence in first.chain(silences) {
            let (word, color, tint) = match silence.before {
                0 => ("first chunk after", self.colors.note, self.colors.note_tint),
                _ => ("silence", self.colors.warning, self.colors.warning_tint),
            };
            let (left, right) = (
                self.x(silence.time_range.from_nanos),
                self.x(silence.time_range.to_nanos),
            );
            let size = (right - left, MARKS.end - MARKS.start);
            self.shapes.push(PictureShape::Rect {
                at: (left, MARKS.start),
                size,
                color: tint,
            });
            let words = format!("{word} {}", format_duration(silence.time_range.nanos()));
            if size.0 > words.len() as f32 * 6.5 {
                let at = (f32::midpoint(left, right), MARKS.end - 14.0);
                self.text(
                    at,
                    TextAnchor::Middle,
                    (PictureFont::Words, 12.0),
                    color,
                    words,
                );
            }
        }
    }

    /// Draws each chunk where it arrives; without enough space, chunks within a few points as one.
    fn marks(&mut self) {
        let shown = TimeRange {
            to_nanos: self.shown.to_nanos.next_up(),
            ..self.shown
        };
        let chunks = self.timeline.chunks(shown);
        if chunks.len() as f32 * ROOM <= Self::width() {
            for chunk in chunks {
                let column = self.timeline.column(chunk..chunk + 1);
                self.mark(
                    self.x(self.timeline.schedule().arrival_nanos(chunk)),
                    MARK,
                    &column,
                );
            }
            return;
        }
        let count = (Self::width() / COLUMN).floor();
        let columns = self.timeline.columns(self.shown, count as usize);
        for (index, column) in columns.iter().enumerate() {
            let x = PADDING + (index as f32 + 0.5) * Self::width() / count;
            self.mark(x, COLUMN - 1.0, column);
        }
    }

    fn mark(&mut self, x: f32, width: f32, column: &TimelineColumn) {
        if column.chunks.is_empty() {
            return;
        }
        let room = MARKS.end - MARKS.start - 20.0;
        let height = column.tallest as f32 / self.timeline.tallest().max(1) as f32 * room;
        let height = height.max(2.0);
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
        self.shapes.push(PictureShape::Mark {
            at: (x - width / 2.0, MARKS.end - height),
            size: (width, height),
            color: if is_empty {
                self.colors.warning
            } else {
                self.colors.accent
            },
            tooltip: format!("{which}, {chars}"),
        });
    }

    /// Draws the rate in characters a second.
    fn rate(&mut self) {
        let count = (Self::width() / RATE_COLUMN).floor() as usize;
        let window = (0.4 * SECOND).min(self.shown.nanos() / 8.0);
        let rates = self.timeline.rates(self.shown, count, window);
        let peak = rates.iter().copied().fold(0.0, f32::max);
        let step = Self::width() / count as f32;
        let point = |(index, rate): (usize, &f32)| {
            let x = PADDING + (index as f32 + 0.5) * step;
            (x, RATE.end - rate / peak.max(1.0) * (RATE.end - RATE.start))
        };
        self.shapes.push(PictureShape::Area {
            points: rates.iter().enumerate().map(point).collect(),
            base: RATE.end,
            fill: self.colors.tint,
            line: self.colors.accent,
        });
        let muted = self.colors.muted;
        let words = "characters a second".to_owned();
        self.text(
            (PADDING, MARKS.end + 16.0),
            TextAnchor::Start,
            (PictureFont::Words, 11.0),
            muted,
            words,
        );
        let peak = format!("peak {}", thousands(peak.round() as usize));
        let at = (SIZE.0 - PADDING, MARKS.end + 16.0);
        self.text(at, TextAnchor::End, (PictureFont::Data, 11.0), muted, peak);
    }
}

#[cfg(test)]
mod tests;
