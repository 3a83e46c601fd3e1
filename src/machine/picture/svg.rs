//! Writes a picture as SVG. Text stays text, and icons become outlines.

use std::fmt::{self, Write};

use super::{
    LineStyle, Picture, PictureColor, PictureCurve, PictureFont, PictureShape, PictureText,
    PictureTheme,
};
use crate::html::escaped;
use crate::layout::Area;

impl Picture {
    /// Renders the picture as an SVG document. Text stays text; each mark has a tooltip.
    pub fn svg(&self) -> String {
        self.write_svg(SvgColors::Theme(self.theme))
    }

    /// Renders the picture for an HTML page, with the colors of the reader's light or dark theme.
    pub fn inline_svg(&self) -> String {
        self.write_svg(SvgColors::Variables)
    }

    fn write_svg(&self, colors: SvgColors) -> String {
        let [width, height] = self.size;
        let namespace = match colors {
            SvgColors::Theme(_) => " xmlns=\"http://www.w3.org/2000/svg\"",
            // An SVG in a page needs no namespace, and a page must not name a host.
            SvgColors::Variables => "",
        };
        let mut svg = format!(
            "<svg{namespace} width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n<title>{}</title>\n",
            escaped(&self.title),
        );
        if matches!(colors, SvgColors::Variables) {
            let [light, dark] =
                [PictureTheme::Light, PictureTheme::Dark].map(PictureTheme::variables);
            svg += &format!(
                "<style>:root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}</style>\n"
            );
        }
        let mut writer = SvgWriter { svg: &mut svg, colors };
        // Writing into a string cannot fail.
        let _ = writer.content(self);
        svg += "</svg>\n";
        svg
    }
}

/// Notation of colors.
#[derive(Clone, Copy)]
enum SvgColors {
    Theme(PictureTheme),
    /// As the variables of the picture's style.
    Variables,
}

struct SvgWriter<'a> {
    svg: &'a mut String,
    colors: SvgColors,
}

impl SvgWriter<'_> {
    fn content(&mut self, picture: &Picture) -> fmt::Result {
        if !picture.description.is_empty() {
            let description = escaped(&picture.description);
            writeln!(self.svg, "<desc>{description}</desc>")?;
        }
        let [width, height] = picture.size;
        let ground = self.color(PictureColor::Desk);
        writeln!(
            self.svg,
            "<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"{ground}\"/>"
        )?;
        picture.shapes.iter().try_for_each(|shape| self.shape(shape))
    }

    fn color(&self, color: PictureColor) -> String {
        match self.colors {
            SvgColors::Theme(theme) => format!("#{:06x}", theme.rgb(color)),
            SvgColors::Variables => format!("var(--p-{color:?})"),
        }
    }

    fn shape(&mut self, shape: &PictureShape) -> fmt::Result {
        match shape {
            PictureShape::Rect { area, radius, fill, border } => {
                self.rect(*area)?;
                if *radius > 0.0 {
                    write!(self.svg, " rx=\"{radius:.1}\"")?;
                }
                let fill = fill.map_or_else(|| "none".to_owned(), |fill| self.color(fill));
                write!(self.svg, " fill=\"{fill}\"")?;
                if let Some(border) = border {
                    self.stroke(border)?;
                }
                writeln!(self.svg, "/>")
            }
            PictureShape::Line { curve, style, head } => {
                self.svg.push_str("<path fill=\"none\" d=\"");
                self.curve(curve)?;
                self.svg.push('"');
                self.stroke(style)?;
                self.svg.push_str("/>\n");
                match curve.head(*head).filter(|_| *head > 0.0) {
                    Some(points) => self.polygon(&points, style.color),
                    None => Ok(()),
                }
            }
            PictureShape::Polygon { points, fill } => self.polygon(points, *fill),
            PictureShape::Text(text) => self.text(text),
            PictureShape::Icon { center: [x, y], size, icon, color } => {
                let (fill, outline) = (self.color(*color), icon.outline(*size));
                writeln!(
                    self.svg,
                    "<path transform=\"translate({x:.1} {y:.1})\" fill=\"{fill}\" d=\"{outline}\"/>"
                )
            }
            PictureShape::Mark { tooltip, shapes } => {
                let tooltip = escaped(tooltip);
                writeln!(self.svg, "<g class=\"mark\"><title>{tooltip}</title>")?;
                shapes.iter().try_for_each(|shape| self.shape(shape))?;
                writeln!(self.svg, "</g>")
            }
        }
    }

    /// Begins a rectangle.
    fn rect(&mut self, area: Area) -> fmt::Result {
        let ([x, y], [width, height]) = (area.min, area.size());
        write!(
            self.svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\""
        )
    }

    fn stroke(&mut self, style: &LineStyle) -> fmt::Result {
        let (color, width) = (self.color(style.color), style.width);
        write!(self.svg, " stroke=\"{color}\" stroke-width=\"{width:.2}\"")?;
        match style.dashes {
            Some([dash, gap]) => {
                // A dash of length 0 is painted only with a round cap, as a dot.
                let cap = if dash > 0.0 { "butt" } else { "round" };
                write!(self.svg, " stroke-dasharray=\"{dash} {gap}\" stroke-linecap=\"{cap}\"")
            }
            None => Ok(()),
        }
    }

    fn curve(&mut self, curve: &PictureCurve) -> fmt::Result {
        if let Some([x, y]) = curve.points.first() {
            write!(self.svg, "M{x:.1} {y:.1}")?;
        }
        for [from, first, second, [x, y]] in curve.segments() {
            if from == first && second == [x, y] {
                write!(self.svg, "L{x:.1} {y:.1}")?;
            } else {
                let ([a, b], [c, d]) = (first, second);
                write!(self.svg, "C{a:.1} {b:.1} {c:.1} {d:.1} {x:.1} {y:.1}")?;
            }
        }
        Ok(())
    }

    fn polygon(&mut self, points: &[[f32; 2]], fill: PictureColor) -> fmt::Result {
        let points = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}"));
        let (points, fill) = (points.collect::<Vec<_>>().join(" "), self.color(fill));
        writeln!(self.svg, "<polygon points=\"{points}\" fill=\"{fill}\"/>")
    }

    fn text(&mut self, text: &PictureText) -> fmt::Result {
        let (runs, width) = text.arranged();
        if let Some(ground) = text.ground {
            self.rect(text.ground_area(width))?;
            let ground = self.color(ground);
            writeln!(self.svg, " fill=\"{ground}\"/>")?;
        }
        let (left, y, size) = (text.left(width), text.base_line(), text.size);
        for (x, run) in runs {
            // Fonts are not embedded: readers without them see a similar one at the same places.
            let (family, weight) = match run.font {
                PictureFont::Words => ("Inter, sans-serif", 400),
                PictureFont::Medium => ("Inter, sans-serif", 500),
                PictureFont::Heading => ("Inter, sans-serif", 600),
                PictureFont::Data => ("JetBrains Mono, monospace", 400),
                PictureFont::DataBold => ("JetBrains Mono, monospace", 700),
            };
            let color = self.color(run.color);
            writeln!(
                self.svg,
                "<text x=\"{:.1}\" y=\"{y:.1}\" font-family=\"{family}\" font-weight=\"{weight}\" \
                 font-size=\"{size}\" fill=\"{color}\">{}</text>",
                left + x,
                escaped(&run.text)
            )?;
        }
        Ok(())
    }
}
