//! Renders a picture as PNG, with the fonts of the window.

use std::sync::Arc;

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};
use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::kurbo::{Affine, BezPath, Rect, Stroke};
use vello_cpu::peniko::{Blob, FontData};
use vello_cpu::{Glyph, Pixmap, RenderContext, Resources};

use super::{Picture, PictureColor, PictureFont, PictureShape, SIZE, TextAnchor};

/// Number of pixels per point.
const SCALE: f32 = 2.0;

const WORDS: &[u8] = include_bytes!("../../../../assets/fonts/Inter-Regular.otf");
const HEADING: &[u8] = include_bytes!("../../../../assets/fonts/Inter-SemiBold.otf");
const DATA: &[u8] = include_bytes!("../../../../assets/fonts/JetBrainsMono-Regular.ttf");

impl PictureFont {
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Words => WORDS,
            Self::Heading => HEADING,
            Self::Data => DATA,
        }
    }
}

impl Picture {
    /// Renders the picture as PNG, with two pixels per point.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be encoded, as a sentence without a full stop.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let (width, height) = ((SIZE.0 * SCALE) as u16, (SIZE.1 * SCALE) as u16);
        let mut canvas = PngCanvas {
            context: RenderContext::new(width, height),
            resources: Resources::new(),
        };
        canvas
            .context
            .set_transform(Affine::scale(f64::from(SCALE)));
        canvas.rect((0.0, 0.0), SIZE, self.ground);
        for shape in &self.shapes {
            canvas.draw(shape);
        }
        let mut pixels = Pixmap::new(width, height);
        canvas.context.flush();
        canvas.context.render(&mut pixels, &mut canvas.resources);
        let png = pixels.into_png();
        png.map_err(|error| format!("The picture cannot be written as PNG: {error}"))
    }
}

struct PngCanvas {
    context: RenderContext,
    resources: Resources,
}

impl PngCanvas {
    fn paint(&mut self, color: PictureColor) {
        let [_, red, green, blue] = color.to_be_bytes();
        self.context
            .set_paint(AlphaColor::<Srgb>::from_rgb8(red, green, blue));
    }

    fn rect(&mut self, (x, y): (f32, f32), (width, height): (f32, f32), color: PictureColor) {
        self.paint(color);
        let (x, y) = (f64::from(x), f64::from(y));
        let (right, bottom) = (x + f64::from(width), y + f64::from(height));
        self.context.fill_rect(&Rect::new(x, y, right, bottom));
    }

    fn draw(&mut self, shape: &PictureShape) {
        match shape {
            PictureShape::Rect { at, size, color }
            | PictureShape::Mark {
                at, size, color, ..
            } => {
                self.rect(*at, *size, *color);
            }
            PictureShape::Area {
                points,
                base,
                fill,
                line,
            } => {
                let places = || points.iter().map(|(x, y)| (f64::from(*x), f64::from(*y)));
                let (Some(first), Some(last)) = (places().next(), places().next_back()) else {
                    return;
                };
                let mut path = BezPath::new();
                path.move_to(first);
                places().skip(1).for_each(|point| path.line_to(point));
                let curve = path.clone();
                path.line_to((last.0, f64::from(*base)));
                path.line_to((first.0, f64::from(*base)));
                path.close_path();
                self.paint(*fill);
                self.context.fill_path(&path);
                self.paint(*line);
                self.context.set_stroke(Stroke::new(1.0));
                self.context.stroke_path(&curve);
            }
            PictureShape::Text {
                at,
                anchor,
                size,
                font: face,
                color,
                text,
            } => {
                self.paint(*color);
                self.text(*at, *anchor, *size, *face, text);
            }
        }
    }

    fn text(
        &mut self,
        (x, y): (f32, f32),
        anchor: TextAnchor,
        size: f32,
        face: PictureFont,
        text: &str,
    ) {
        let Ok(font) = FontRef::new(face.bytes()) else {
            return;
        };
        let (signs, widths) = (
            font.charmap(),
            font.glyph_metrics(Size::new(size), LocationRef::default()),
        );
        let mut glyphs = Vec::new();
        let mut width = 0.0;
        for letter in text.chars() {
            // Characters that the font lacks are drawn as empty boxes.
            let sign = signs.map(letter).unwrap_or_default();
            glyphs.push((sign.to_u32(), width));
            width += widths.advance_width(sign).unwrap_or_default();
        }
        let left = x - match anchor {
            TextAnchor::Start => 0.0,
            TextAnchor::Middle => width / 2.0,
            TextAnchor::End => width,
        };
        let data = FontData::new(Blob::new(Arc::new(face.bytes())), 0);
        let run = self.context.glyph_run(&mut self.resources, &data);
        let placed = |(id, at): (u32, f32)| Glyph {
            id,
            x: left + at,
            y,
        };
        run.font_size(size)
            .hint(false)
            .fill_glyphs(glyphs.into_iter().map(placed));
    }
}
