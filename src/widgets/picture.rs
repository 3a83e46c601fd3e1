//! Paints the shapes of pictures in the window, and the button that saves what is shown as a picture.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, pos2, vec2};

use super::graph::{Placement, cubic, dashed_border};
use super::theme;
use crate::StyledText;
use machine::picture::{
    GROUND_PADDING, LineStyle, PictureColor, PictureFont, PictureShape, PictureText, PictureTheme,
    RUN_GAP, TextAnchor, TextRun,
};

/// Returns a colour of pictures in the appearance of the window.
pub fn color(ui: &Ui, color: PictureColor) -> Color32 {
    // The colours are those of saved pictures, so that window and file look the same.
    let theme = if ui.visuals().dark_mode { PictureTheme::Dark } else { PictureTheme::Light };
    let [_, red, green, blue] = theme.rgb(color).to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// Paints shapes where a drawing is. Letters stay easy to read as long as they fit, and lines have their widths also where the drawing is
/// much larger.
pub fn paint(ui: &Ui, painter: &Painter, at: Placement, shapes: &[PictureShape]) {
    let canvas = PictureCanvas { ui, painter, at };
    shapes.iter().for_each(|shape| canvas.shape(shape));
}

struct PictureCanvas<'a> {
    ui: &'a Ui,
    painter: &'a Painter,
    at: Placement,
}

impl PictureCanvas<'_> {
    fn shape(&self, shape: &PictureShape) {
        let (ui, painter, at) = (self.ui, self.painter, self.at);
        match shape {
            PictureShape::Rect { area, radius, fill, border } => {
                let (rect, radius) = (at.rect(*area), radius * at.scale);
                if let Some(fill) = fill {
                    painter.rect_filled(rect, radius, color(ui, *fill));
                }
                match border {
                    // egui strokes no rectangle with dashes, so this one has square corners.
                    Some(border) if border.dashes.is_some() => {
                        let stroke = Stroke::new(border.width, color(ui, border.color));
                        painter.extend(dashed_border(rect, stroke, 5.0));
                    }
                    Some(border) => {
                        let stroke = Stroke::new(border.width, color(ui, border.color));
                        painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
                    }
                    None => {}
                }
            }
            PictureShape::Line { curve, style, head } => {
                let segments = curve.segments().map(|segment| segment.map(|point| at.point(point)));
                let mut line: Vec<Pos2> = Vec::new();
                for segment in segments {
                    line.extend(cubic(segment));
                }
                self.line(line, style, *head);
            }
            PictureShape::Polygon { points, fill } => {
                let points = points.iter().map(|point| at.point(*point)).collect();
                let shape = Shape::convex_polygon(points, color(ui, *fill), Stroke::NONE);
                painter.add(shape);
            }
            PictureShape::Text(text) => self.text(text),
            PictureShape::Icon { center, size, icon, color: of } => {
                let (center, size) = (at.point(*center), size * at.scale);
                crate::paint_icon(painter, center, icon.sign(), size, color(ui, *of));
            }
            PictureShape::Mark { shapes, .. } => {
                shapes.iter().for_each(|shape| self.shape(shape));
            }
        }
    }

    fn line(&self, line: Vec<Pos2>, style: &LineStyle, head: f32) {
        let (painter, color) = (self.painter, color(self.ui, style.color));
        // Expanded, because the head and half of the width are outside the points.
        let bounds = Rect::from_points(&line).expand(head.max(style.width));
        // A zoomed map has thousands of lines outside the window, and dashing one is expensive.
        if line.is_empty() || !bounds.intersects(painter.clip_rect()) {
            return;
        }
        let stroke = Stroke::new(style.width * self.at.line_scale(), color);
        let arrow = (head > 0.0).then(|| self.at.head(&line, head / 2.0, color));
        match style.dashes {
            // A dash without length is a dot, as in SVG with round ends.
            Some([0.0, gap]) => {
                painter.extend(Shape::dotted_line(&line, color, gap, style.width / 2.0));
            }
            Some([dash, gap]) => {
                painter.extend(Shape::dashed_line(&line, stroke, dash, gap));
            }
            None => {
                painter.add(Shape::line(line, stroke));
            }
        }
        painter.extend(arrow.flatten());
    }

    fn text(&self, text: &PictureText) {
        let is_name =
            |run: &TextRun| matches!(run.font, PictureFont::Heading | PictureFont::Medium);
        // Names stay legible longest, since a node without its name says nothing.
        let letters = if text.runs.iter().any(is_name) {
            self.at.name_letters(text.size)
        } else {
            self.at.readable_letters(text.size)
        };
        let Some(letters) = letters else { return };
        let at = self.at.point(text.at);
        let mut line = StyledText::new();
        for (number, run) in text.runs.iter().enumerate() {
            let font = match run.font {
                PictureFont::Words => theme::regular(letters),
                PictureFont::Medium => theme::medium(letters),
                PictureFont::Heading => theme::semibold(letters),
                PictureFont::Data => theme::mono(letters),
                PictureFont::DataBold => theme::mono_bold(letters),
            };
            let gap = if number == 0 { 0.0 } else { RUN_GAP };
            line = line.after(gap * self.at.scale, &run.text, font, color(self.ui, run.color));
        }
        // The room grows with the drawing while letters do not, so more of a name shows when zoomed.
        let line = line.galley(self.ui, text.room * self.at.scale);
        let left = at.x
            - match text.anchor {
                TextAnchor::Start => 0.0,
                TextAnchor::Middle => line.size().x / 2.0,
                TextAnchor::End => line.size().x,
            };
        if let Some(ground) = text.ground {
            let rect = Rect::from_min_size(pos2(left, at.y - line.size().y / 2.0), line.size())
                .expand2(vec2(GROUND_PADDING, 0.0));
            self.painter.rect_filled(rect, 3.0, color(self.ui, ground));
        }
        crate::paint_line(self.painter, pos2(left, at.y), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::icons;
    use crate::theme::{DARK, LIGHT};
    use machine::picture::PictureIcon;

    #[test]
    fn pictures_have_the_colours_and_the_icons_of_the_window() {
        for (theme, tokens) in [(PictureTheme::Dark, &DARK), (PictureTheme::Light, &LIGHT)] {
            use PictureColor as C;
            for (name, token) in [
                (C::Desk, tokens.desk),
                (C::Panel, tokens.panel),
                (C::Raised, tokens.raised),
                (C::Hover, tokens.hover),
                (C::Selected, tokens.selected),
                (C::Hair, tokens.hair),
                (C::Line, tokens.line),
                (C::Strong, tokens.strong),
                (C::TextStrong, tokens.text_strong),
                (C::Text, tokens.text),
                (C::Muted, tokens.muted),
                (C::Accent, tokens.accent),
                (C::Ring, tokens.ring),
                (C::Tint, tokens.tint),
                (C::Good, tokens.good),
                (C::GoodTint, tokens.good_tint),
                (C::Warning, tokens.warning),
                (C::WarningTint, tokens.warning_tint),
                (C::Error, tokens.error),
                (C::ErrorTint, tokens.error_tint),
                (C::Note, tokens.note),
                (C::NoteTint, tokens.note_tint),
            ] {
                let [_, red, green, blue] = theme.rgb(name).to_be_bytes();
                assert_eq!(Color32::from_rgb(red, green, blue), token, "{name:?}");
            }
        }
        let icons = [
            (PictureIcon::CircleCheck, icons::CIRCLE_CHECK),
            (PictureIcon::TriangleAlert, icons::TRIANGLE_ALERT),
            (PictureIcon::CircleX, icons::CIRCLE_X),
            (PictureIcon::CircleMinus, icons::CIRCLE_MINUS),
            (PictureIcon::Circle, icons::CIRCLE),
            (PictureIcon::Check, icons::CHECK),
            (PictureIcon::Repeat, icons::REPEAT_2),
        ];
        for (picture, window) in icons {
            assert_eq!(picture.sign(), window);
        }
    }
}
