//! Renders a picture as PNG, with the fonts of the window.

use std::sync::Arc;

use vello_cpu::color::{AlphaColor, Srgb};
use vello_cpu::kurbo::{Affine, BezPath, Cap, Point, Rect, RoundedRect, Shape, Stroke};
use vello_cpu::peniko::{Blob, FontData};
use vello_cpu::{Glyph, Pixmap, RenderContext, Resources};

use super::font::{ICONS, glyphs};
use super::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureShape, PictureText, PictureTheme,
};
use crate::ops::layout::Area;

/// Number of pixels per point of a picture that is not too large.
const SCALE: f32 = 2.0;
/// The most pixels along an edge, and of all.
const MOST: [f32; 2] = [32_000.0, 64e6];
/// How far from a corner's curve its points are at most.
const TOLERANCE: f64 = 0.1;

impl Picture {
    /// Renders the picture as PNG, with two pixels per point; with fewer if it is very large.
    ///
    /// # Errors
    ///
    /// Returns an error if it cannot be encoded, as a sentence without a full stop.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let [width, height] = self.size.map(|size| size.max(1.0));
        let scale = SCALE.min(MOST[0] / width.max(height)).min((MOST[1] / (width * height)).sqrt());
        let pixels = |size: f32| (size * scale).round().max(1.0) as u16;
        let (width, height) = (pixels(width), pixels(height));
        let mut canvas = PngCanvas {
            context: RenderContext::new(width, height),
            resources: Resources::new(),
            theme: self.theme,
        };
        canvas.context.set_transform(Affine::scale(f64::from(scale)));
        let all = Area { min: [0.0; 2], max: self.size.map(|size| size + 1.0) };
        canvas.paint(PictureColor::Desk);
        canvas.context.fill_rect(&rect(all));
        self.shapes.iter().for_each(|shape| canvas.draw(shape));
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
    theme: PictureTheme,
}

fn rect(area: Area) -> Rect {
    let [[left, top], [right, bottom]] = [area.min, area.max].map(|it| it.map(f64::from));
    Rect::new(left, top, right, bottom)
}

fn point([x, y]: [f32; 2]) -> Point {
    Point::new(f64::from(x), f64::from(y))
}

fn polygon(points: &[[f32; 2]]) -> BezPath {
    let mut path = BezPath::new();
    if let Some((first, rest)) = points.split_first() {
        path.move_to(point(*first));
        rest.iter().for_each(|next| path.line_to(point(*next)));
        path.close_path();
    }
    path
}

fn curved(curve: &PictureCurve) -> BezPath {
    let mut path = BezPath::new();
    if let Some(first) = curve.points.first() {
        path.move_to(point(*first));
    }
    for [_, first, second, end] in curve.segments() {
        path.curve_to(point(first), point(second), point(end));
    }
    path
}

impl PngCanvas {
    fn paint(&mut self, color: PictureColor) {
        let [_, red, green, blue] = self.theme.rgb(color).to_be_bytes();
        self.context.set_paint(AlphaColor::<Srgb>::from_rgb8(red, green, blue));
    }

    fn stroke(&mut self, path: &BezPath, style: &LineStyle) {
        self.paint(style.color);
        let mut stroke = Stroke::new(f64::from(style.width));
        if let Some(dashes) = style.dashes {
            let cap = if dashes[0] > 0.0 { Cap::Butt } else { Cap::Round };
            // A dash without a length is not drawn at all.
            let dashes = dashes.map(|length| f64::from(length.max(0.01)));
            stroke = stroke.with_caps(cap).with_dashes(0.0, dashes);
        }
        self.context.set_stroke(stroke);
        self.context.stroke_path(path);
    }

    fn draw(&mut self, shape: &PictureShape) {
        match shape {
            PictureShape::Rect { area, radius, fill, border } => {
                let shape = RoundedRect::from_rect(rect(*area), f64::from(*radius));
                let path = shape.to_path(TOLERANCE);
                if let Some(fill) = fill {
                    self.paint(*fill);
                    self.context.fill_path(&path);
                }
                if let Some(border) = border {
                    self.stroke(&path, border);
                }
            }
            PictureShape::Line { curve, style, head } => {
                self.stroke(&curved(curve), style);
                if let Some(points) = curve.head(*head).filter(|_| *head > 0.0) {
                    self.context.fill_path(&polygon(&points));
                }
            }
            PictureShape::Polygon { points, fill } => {
                self.paint(*fill);
                self.context.fill_path(&polygon(points));
            }
            PictureShape::Text(text) => self.text(text),
            PictureShape::Icon { center: [x, y], size, icon, color } => {
                self.paint(*color);
                // Icons are as high as the font's size, from the base line up.
                let half = size / 2.0;
                self.glyphs(ICONS, *size, [x - half, y + half], icon.sign());
            }
            PictureShape::Mark { shapes, .. } => {
                shapes.iter().for_each(|shape| self.draw(shape));
            }
        }
    }

    fn text(&mut self, text: &PictureText) {
        let (runs, width) = text.arranged();
        if let Some(ground) = text.ground {
            self.paint(ground);
            self.context.fill_rect(&rect(text.ground_area(width)));
        }
        let left = text.left(width);
        for (x, run) in runs {
            self.paint(run.color);
            let at = [left + x, text.base_line()];
            self.glyphs(run.font.bytes(), text.size, at, &run.text);
        }
    }

    fn glyphs(&mut self, font: &'static [u8], size: f32, [x, y]: [f32; 2], text: &str) {
        let (placed, _) = glyphs(font, size, text);
        let data = FontData::new(Blob::new(Arc::new(font)), 0);
        let run = self.context.glyph_run(&mut self.resources, &data);
        let placed = placed.into_iter();
        let placed = placed.map(|(id, at)| Glyph { id, x: x + at, y });
        run.font_size(size).hint(false).fill_glyphs(placed);
    }
}
