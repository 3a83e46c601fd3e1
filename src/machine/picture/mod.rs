//! Pictures: shapes and text of a size. They are written as SVG for documents, and the window paints the same shapes.
//!
//! The code that draws something is beside what it draws: [`map_picture`](crate::map_picture), `play::playback::strip_picture`,
//! `author::tape_picture`.

mod color;
pub mod font;
mod svg;

pub use color::{PictureColor, PictureTheme};
pub use font::{PictureFont, PictureIcon};

use super::layout::{Area, Bend, Path};

/// A picture for documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub title: String,
    /// Description for readers who cannot see it; may be empty.
    pub description: String,
    /// Width and height in points.
    pub size: [f32; 2],
    pub theme: PictureTheme,
    pub shapes: Vec<PictureShape>,
}

/// Checks that a file name is that of an SVG file.
///
/// # Errors
///
/// Returns an error if it is not, as a sentence without a full stop.
pub fn check_picture_name(name: &str) -> Result<(), String> {
    // Browsers and `rsvg-convert` make a PNG of an SVG, so no other format is written here.
    match name.rsplit_once('.') {
        Some((_, ending)) if ending.eq_ignore_ascii_case("svg") => Ok(()),
        _ => Err("The name of a picture must end in .svg".to_owned()),
    }
}

/// A shape in a picture. Coordinates are points from the top left corner.
#[derive(Clone, Debug, PartialEq)]
pub enum PictureShape {
    /// A rectangle, or a circle if the radius of its corners is half of its width.
    Rect {
        area: Area,
        radius: f32,
        fill: Option<PictureColor>,
        border: Option<LineStyle>,
    },
    /// A line, with the length of the arrow head at its end; 0 for none.
    Line {
        curve: PictureCurve,
        style: LineStyle,
        head: f32,
    },
    Polygon {
        points: Vec<[f32; 2]>,
        fill: PictureColor,
    },
    Text(PictureText),
    Icon {
        center: [f32; 2],
        size: f32,
        icon: PictureIcon,
        color: PictureColor,
    },
    /// Shapes that stand for one thing, with its tooltip.
    Mark {
        tooltip: String,
        shapes: Vec<PictureShape>,
    },
}

/// The points of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureCurve {
    /// The first point, then for each segment two control points and its end.
    points: Vec<[f32; 2]>,
}

/// Style of a line or a border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineStyle {
    pub color: PictureColor,
    pub width: f32,
    /// The lengths of a dash and of the gap after it; `None` for a solid line. A dash of length 0 is a dot.
    pub dashes: Option<[f32; 2]>,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureText {
    /// The point that the anchor places, at half the height of the line.
    pub at: [f32; 2],
    pub anchor: TextAnchor,
    /// The size of the letters.
    pub size: f32,
    /// Parts of the text, with a gap between them.
    pub runs: Vec<TextRun>,
    /// The width from which it is shortened.
    pub room: f32,
    /// Colour of the rectangle behind it.
    pub ground: Option<PictureColor>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct TextRun {
    pub text: String,
    pub font: PictureFont,
    pub color: PictureColor,
}

/// Horizontal alignment of a text: which of its points is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnchor {
    Start,
    Middle,
    End,
}

/// The gap between two runs of a text.
pub const RUN_GAP: f32 = 4.0;
/// The space between a text and the end of its ground.
pub const GROUND_PADDING: f32 = 3.0;
/// Number of straight lines into which a segment of a curve is divided.
const LINES_PER_SEGMENT: usize = 16;

impl Picture {
    /// Renders the picture as SVG into a file with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is not that of an SVG file, as a sentence without a full stop.
    pub fn render(&self, name: &str) -> Result<Vec<u8>, String> {
        check_picture_name(name)?;
        Ok(self.svg().into_bytes())
    }

    /// Replaces each text, such as one with a secret. That is done before a text is shortened.
    #[must_use]
    pub fn map_texts(mut self, change: &impl Fn(&str) -> String) -> Self {
        self.title = change(&self.title);
        self.description = change(&self.description);
        self.shapes.iter_mut().for_each(|s| s.map_texts(change));
        self
    }
}

impl PictureShape {
    fn map_texts(&mut self, change: &impl Fn(&str) -> String) {
        match self {
            Self::Text(text) => {
                text.runs.iter_mut().for_each(|run| run.text = change(&run.text));
            }
            Self::Mark { tooltip, shapes } => {
                *tooltip = change(tooltip);
                shapes.iter_mut().for_each(|s| s.map_texts(change));
            }
            Self::Rect { .. } | Self::Line { .. } | Self::Polygon { .. } | Self::Icon { .. } => {}
        }
    }

    /// A filled rectangle without a border.
    pub fn filled(area: Area, radius: f32, fill: PictureColor) -> Self {
        Self::Rect { area, radius, fill: Some(fill), border: None }
    }

    /// A straight line.
    pub fn line(from: [f32; 2], to: [f32; 2], style: LineStyle) -> Self {
        Self::Line { curve: PictureCurve::through([from, to]), style, head: 0.0 }
    }

    /// A text of one run that begins at a point, as long as it is.
    pub fn text(
        at: [f32; 2],
        size: f32,
        font: PictureFont,
        color: PictureColor,
        text: String,
    ) -> Self {
        Self::Text(PictureText::new(at, size, font, color, text))
    }
}

impl PictureText {
    /// A text of one run that begins at a point, as long as it is.
    pub fn new(
        at: [f32; 2],
        size: f32,
        font: PictureFont,
        color: PictureColor,
        text: String,
    ) -> Self {
        Self {
            at,
            anchor: TextAnchor::Start,
            size,
            runs: vec![TextRun { text, font, color }],
            room: f32::INFINITY,
            ground: None,
        }
    }

    #[must_use]
    pub fn anchored(self, anchor: TextAnchor) -> Self {
        Self { anchor, ..self }
    }

    #[must_use]
    pub fn within(self, room: f32) -> Self {
        Self { room, ..self }
    }

    /// Returns its runs, shortened to its room, each with where it begins, relative to the left end; and how wide they are.
    fn arranged(&self) -> (Vec<(f32, TextRun)>, f32) {
        let mut width = 0.0;
        let mut placed_runs = Vec::new();
        for run in &self.runs {
            if width > 0.0 {
                width += RUN_GAP;
            }
            let text = font::shorten(run.font, self.size, &run.text, self.room - width);
            let left = width;
            width += font::text_width(run.font, self.size, &text);
            placed_runs.push((left, TextRun { text, ..run.clone() }));
        }
        (placed_runs, width)
    }

    /// Returns its left end, of a width.
    fn left(&self, width: f32) -> f32 {
        self.at[0]
            - match self.anchor {
                TextAnchor::Start => 0.0,
                TextAnchor::Middle => width / 2.0,
                TextAnchor::End => width,
            }
    }

    /// Returns the rectangle behind a text of a width.
    fn ground_area(&self, width: f32) -> Area {
        let left = self.left(width);
        Area {
            min: [left - GROUND_PADDING, self.at[1] - self.size * 0.65],
            max: [left + width + GROUND_PADDING, self.at[1] + self.size * 0.65],
        }
    }

    /// The height of its base line. Capital letters are 0.73 of the size high.
    fn base_line(&self) -> f32 {
        self.at[1] + self.size * 0.365
    }
}

impl LineStyle {
    pub fn solid(color: PictureColor, width: f32) -> Self {
        Self { color, width, dashes: None }
    }

    /// The dashes of a border, and of what is not covered or not reached.
    pub fn dashed(color: PictureColor, width: f32, dashes: [f32; 2]) -> Self {
        Self { color, width, dashes: Some(dashes) }
    }
}

impl PictureCurve {
    /// Straight lines through points.
    pub fn through(points: impl IntoIterator<Item = [f32; 2]>) -> Self {
        let mut curve = Vec::new();
        for point in points {
            if let Some(last) = curve.last().copied() {
                // A straight segment has its ends as control points.
                curve.extend([last, point]);
            }
            curve.push(point);
        }
        Self { points: curve }
    }

    /// A curve that leaves its start and reaches its end in the same direction.
    pub fn bent(from: [f32; 2], to: [f32; 2], lead: [f32; 2]) -> Self {
        let shift = |p: [f32; 2], factor: f32| [p[0] + factor * lead[0], p[1] + factor * lead[1]];
        Self { points: vec![from, shift(from, 1.0), shift(to, -1.0), to] }
    }

    /// The line of an edge of a layout whose upper left corner is at `origin`.
    pub fn of_path(path: &Path, origin: [f32; 2]) -> Self {
        let places: Vec<[f32; 2]> =
            path.points.iter().map(|[x, y]| [x + origin[0], y + origin[1]]).collect();
        let mut points: Vec<[f32; 2]> = places.first().copied().into_iter().collect();
        for pair in places.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let segment = if path.bend == Bend::Upright || from[1] == to[1] {
                Self::through([from, to])
            } else {
                Self::bent(from, to, [(to[0] - from[0]) / 2.0, 0.0])
            };
            points.extend(segment.points.into_iter().skip(1));
        }
        Self { points }
    }

    /// Returns the four points of each segment.
    pub fn segments(&self) -> impl Iterator<Item = [[f32; 2]; 4]> {
        let starts = (0..self.points.len().saturating_sub(3)).step_by(3);
        starts.map(|at| std::array::from_fn(|point| self.points[at + point]))
    }

    /// Returns the points of straight lines close to the curve.
    fn flatten(&self) -> Vec<[f32; 2]> {
        let mut points: Vec<[f32; 2]> = self.points.first().copied().into_iter().collect();
        for [a, b, c, d] in self.segments() {
            if a == b && c == d {
                points.push(d);
                continue;
            }
            points.extend((1..=LINES_PER_SEGMENT).map(|step| {
                let t = step as f32 / LINES_PER_SEGMENT as f32;
                let u = 1.0 - t;
                let coordinate = |axis: usize| {
                    a[axis] * u * u * u
                        + 3.0 * b[axis] * u * u * t
                        + 3.0 * c[axis] * u * t * t
                        + d[axis] * t * t * t
                };
                [coordinate(0), coordinate(1)]
            }));
        }
        points
    }

    /// Returns the arrow head at its end.
    fn head(&self, length: f32) -> Option<[[f32; 2]; 3]> {
        let line = self.flatten();
        let end = *line.last()?;
        let distance = |point: &[f32; 2]| (end[0] - point[0]).hypot(end[1] - point[1]);
        // The point before the end gives the direction of the arrow.
        let base = line.iter().rev().find(|point| distance(point) >= length).or(line.first())?;
        // A line whose points are all equal has no direction.
        let base_distance = distance(base).max(f32::EPSILON);
        let [x, y] = [(end[0] - base[0]) / base_distance, (end[1] - base[1]) / base_distance];
        let foot = [end[0] - x * length, end[1] - y * length];
        let side = [-y * length * 0.45, x * length * 0.45];
        Some([end, [foot[0] + side[0], foot[1] + side[1]], [foot[0] - side[0], foot[1] - side[1]]])
    }
}

#[cfg(test)]
mod tests;
