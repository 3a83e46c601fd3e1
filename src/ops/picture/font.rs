//! The fonts of pictures, and how wide their texts are.

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFont {
    Words,
    Medium,
    Heading,
    Data,
    DataBold,
}

/// An icon of a picture, a character of the icon font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureIcon {
    CircleCheck,
    TriangleAlert,
    CircleX,
    Circle,
    Check,
    Repeat,
}

pub(super) const ICONS: &[u8] = include_bytes!("../../../assets/fonts/Lucide.ttf");

impl PictureFont {
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Self::Words => include_bytes!("../../../assets/fonts/Inter-Regular.otf"),
            Self::Medium => include_bytes!("../../../assets/fonts/Inter-Medium.otf"),
            Self::Heading => include_bytes!("../../../assets/fonts/Inter-SemiBold.otf"),
            Self::Data => include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf"),
            Self::DataBold => include_bytes!("../../../assets/fonts/JetBrainsMono-Bold.ttf"),
        }
    }
}

impl PictureIcon {
    /// Returns its character.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::CircleCheck => "\u{e226}",
            Self::TriangleAlert => "\u{e193}",
            Self::CircleX => "\u{e084}",
            Self::Circle => "\u{e076}",
            Self::Check => "\u{e06c}",
            Self::Repeat => "\u{e411}",
        }
    }

    /// Returns its outline as the data of an SVG path, with the middle of the icon at 0, 0.
    pub(super) fn outline(self, size: f32) -> String {
        let mut pen = SvgPen { path: String::new(), half: size / 2.0 };
        let Ok(font) = FontRef::new(ICONS) else {
            return pen.path;
        };
        let sign = self.sign().chars().next();
        let glyph = sign.and_then(|sign| font.charmap().map(sign));
        let outline = glyph.and_then(|glyph| font.outline_glyphs().get(glyph));
        if let Some(outline) = outline {
            let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
            // An outline that the font does not have leaves the path empty.
            let _ = outline.draw(settings, &mut pen);
        }
        pen.path
    }
}

/// Writes an outline as SVG. The font's coordinates begin at the base line and grow upwards; icons are as high as the font's size.
struct SvgPen {
    path: String,
    half: f32,
}

impl SvgPen {
    fn push(&mut self, letter: char, points: &[(f32, f32)]) {
        self.path.push(letter);
        let places = points.iter().map(|(x, y)| {
            let (x, y) = (x - self.half, self.half - y);
            format!("{x:.2} {y:.2}")
        });
        self.path.push_str(&places.collect::<Vec<_>>().join(" "));
    }
}

impl OutlinePen for SvgPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.push('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push('L', &[(x, y)]);
    }

    fn quad_to(&mut self, bend_x: f32, bend_y: f32, x: f32, y: f32) {
        self.push('Q', &[(bend_x, bend_y), (x, y)]);
    }

    fn curve_to(
        &mut self,
        first_x: f32,
        first_y: f32,
        second_x: f32,
        second_y: f32,
        x: f32,
        y: f32,
    ) {
        self.push('C', &[(first_x, first_y), (second_x, second_y), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

/// Returns how wide a text is, in points.
pub fn text_width(font: PictureFont, size: f32, text: &str) -> f32 {
    glyphs(font.bytes(), size, text).1
}

/// Returns the ids of the characters of a text, each with where it begins, and how wide the text is. Characters that the font lacks are
/// drawn as empty boxes.
pub(super) fn glyphs(font: &'static [u8], size: f32, text: &str) -> (Vec<(u32, f32)>, f32) {
    let mut width = 0.0;
    let mut placed = Vec::new();
    let Ok(font) = FontRef::new(font) else {
        return (placed, width);
    };
    let signs = font.charmap();
    let widths = font.glyph_metrics(Size::new(size), LocationRef::default());
    for letter in text.chars() {
        let sign = signs.map(letter).unwrap_or_default();
        placed.push((sign.to_u32(), width));
        width += widths.advance_width(sign).unwrap_or_default();
    }
    (placed, width)
}

/// Returns a text, or its beginning and an ellipsis if it is wider than the room.
pub(super) fn shorten(font: PictureFont, size: f32, text: &str, room: f32) -> String {
    let (placed, width) = glyphs(font.bytes(), size, text);
    if width <= room {
        return text.to_owned();
    }
    let end = room - text_width(font, size, "…");
    // Each letter ends where the next one begins.
    let fitting = placed.iter().skip(1).take_while(|(_, left)| *left <= end);
    let mut short: String = text.chars().take(fitting.count()).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}
