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
    CircleMinus,
    Circle,
    Check,
    Repeat,
}

impl PictureFont {
    fn bytes(self) -> &'static [u8] {
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
            Self::CircleMinus => "\u{e07e}",
            Self::Circle => "\u{e076}",
            Self::Check => "\u{e06c}",
            Self::Repeat => "\u{e411}",
        }
    }

    /// Returns its outline as the data of an SVG path, with the middle of the icon at 0, 0.
    pub(super) fn outline(self, size: f32) -> String {
        let mut pen = SvgPen { path: String::new(), half: size / 2.0 };
        // The font is compiled in, so this does not fail.
        let Ok(font) = FontRef::new(include_bytes!("../../../assets/fonts/Lucide.ttf")) else {
            return pen.path;
        };
        let sign = self.sign().chars().next();
        let glyph = sign.and_then(|sign| font.charmap().map(sign));
        let outline = glyph.and_then(|glyph| font.outline_glyphs().get(glyph));
        if let Some(outline) = outline {
            // Hinting fits points to the pixels of one size, which an SVG does not have.
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
    letter_widths(font, size, text).into_iter().sum()
}

/// Returns how wide each character of a text is. Characters that the font lacks are as wide as its empty box.
fn letter_widths(font: PictureFont, size: f32, text: &str) -> Vec<f32> {
    let Ok(font) = FontRef::new(font.bytes()) else { return Vec::new() };
    let signs = font.charmap();
    let widths = font.glyph_metrics(Size::new(size), LocationRef::default());
    let width = |letter| widths.advance_width(signs.map(letter).unwrap_or_default());
    text.chars().map(|letter| width(letter).unwrap_or_default()).collect()
}

/// Returns a text, or its beginning and an ellipsis if it is wider than the room.
pub(super) fn shorten(font: PictureFont, size: f32, text: &str, room: f32) -> String {
    let mut widths = letter_widths(font, size, text);
    if widths.iter().sum::<f32>() <= room {
        return text.to_owned();
    }
    let end = room - text_width(font, size, "…");
    // The last letter is never kept: the ellipsis stands for at least one.
    widths.pop();
    let ends = widths.iter().scan(0.0, |right, width| {
        *right += width;
        Some(*right)
    });
    let count = ends.take_while(|right| *right <= end).count();
    let mut beginning: String = text.chars().take(count).collect();
    beginning.truncate(beginning.trim_end().len());
    beginning.push('…');
    beginning
}
