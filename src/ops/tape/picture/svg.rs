//! Renders a picture as SVG, with text as text.

use std::fmt::Write;

use super::{Picture, PictureFont, PictureShape, SIZE, TextAnchor};

impl Picture {
    /// Renders the picture as SVG. Text stays text; each mark has a tooltip.
    pub fn svg(&self) -> String {
        let (width, height) = SIZE;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#{:06x}\"/>\n",
            escaped(&crate::text::visible(&self.title)),
            self.ground
        );
        for shape in &self.shapes {
            // Writing into a string cannot fail.
            let _ = shape.write(&mut svg);
        }
        svg += "</svg>\n";
        svg
    }
}

impl PictureShape {
    fn write(&self, svg: &mut String) -> std::fmt::Result {
        match self {
            Self::Rect {
                at: (x, y),
                size: (width, height),
                color,
            } => writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#{color:06x}\"/>"
            ),
            Self::Mark {
                at: (x, y),
                size: (width, height),
                color,
                tooltip,
            } => writeln!(
                svg,
                "<rect class=\"mark\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
                 fill=\"#{color:06x}\"><title>{}</title></rect>",
                escaped(tooltip)
            ),
            Self::Area {
                points,
                base,
                fill,
                line,
            } => {
                let point = |(x, y): &(f32, f32)| format!("{x:.1},{y:.1}");
                let points: Vec<String> = points.iter().map(point).collect();
                let x = |point: Option<&String>| {
                    point
                        .and_then(|point| point.split(',').next())
                        .unwrap_or("0")
                        .to_owned()
                };
                let (first, last) = (x(points.first()), x(points.last()));
                let points = points.join(" ");
                writeln!(
                    svg,
                    "<polygon points=\"{first},{base:.1} {points} {last},{base:.1}\" fill=\"#{fill:06x}\"/>"
                )?;
                writeln!(
                    svg,
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"#{line:06x}\"/>"
                )
            }
            Self::Text {
                at: (x, y),
                anchor,
                size,
                font: face,
                color,
                text,
            } => {
                let anchor = match anchor {
                    TextAnchor::Start => "start",
                    TextAnchor::Middle => "middle",
                    TextAnchor::End => "end",
                };
                let (family, weight) = match face {
                    PictureFont::Words => ("Inter, sans-serif", 400),
                    PictureFont::Heading => ("Inter, sans-serif", 600),
                    PictureFont::Data => ("JetBrains Mono, monospace", 400),
                };
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-family=\"{family}\" \
                     font-weight=\"{weight}\" font-size=\"{size}\" fill=\"#{color:06x}\">{}</text>",
                    escaped(text)
                )
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
