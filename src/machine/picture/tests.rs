use super::*;

const ACCENT: PictureColor = PictureColor::Accent;

/// A picture with a shape of each kind.
fn sample() -> Picture {
    let mut label = PictureText::new(
        [50.0, 40.0],
        12.0,
        PictureFont::Words,
        ACCENT,
        "a < b & \"c\" ::d".to_owned(),
    )
    .anchored(TextAnchor::Middle);
    label.ground = Some(PictureColor::Panel);
    label.runs.push(TextRun {
        text: "7".to_owned(),
        font: PictureFont::DataBold,
        color: PictureColor::Muted,
    });
    let area = Area::new([10.0, 10.0], [80.0, 20.0]);
    let border = Some(LineStyle::dashed(PictureColor::Strong, 1.0, [5.0, 3.0]));
    let boxed = PictureShape::Rect { area, radius: 4.0, fill: Some(PictureColor::Raised), border };
    Picture {
        title: "Title".to_owned(),
        description: "What it shows".to_owned(),
        size: [100.0, 60.0],
        theme: PictureTheme::Dark,
        shapes: vec![
            PictureShape::Mark { tooltip: "a <box>".to_owned(), shapes: vec![boxed] },
            PictureShape::Line {
                curve: PictureCurve::bent([0.0, 0.0], [100.0, 50.0], [50.0, 0.0]),
                style: LineStyle::solid(ACCENT, 2.0),
                head: 8.0,
            },
            PictureShape::line(
                [0.0, 50.0],
                [0.0, 60.0],
                LineStyle::dashed(ACCENT, 1.5, [0.0, 4.0]),
            ),
            PictureShape::Text(label),
            PictureShape::Icon {
                center: [90.0, 50.0],
                size: 12.0,
                icon: PictureIcon::Repeat,
                color: PictureColor::Warning,
            },
        ],
    }
}

#[test]
fn an_svg_has_text_as_text_and_titles() {
    let svg = sample().svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let parts = document.root_element().descendants().filter(|n| n.is_element()).map(|part| {
        let name = part.tag_name().name();
        let text = part.text().unwrap_or_default().trim();
        format!("{name} {text}").trim().to_owned()
    });
    insta::assert_snapshot!(parts.collect::<Vec<_>>().join("\n"), @r#"
    svg
    title Title
    desc What it shows
    rect
    g
    title a <box>
    rect
    path
    polygon
    path
    rect
    text a < b & "c" ::d
    text 7
    path
    "#);
}

#[test]
fn a_picture_is_written_into_files_that_are_named_as_svg() {
    let start = |name: &str| sample().render(name).map(|bytes| bytes[..4].to_vec());
    assert_eq!(start("a.SVG").unwrap(), b"<svg");
    for name in ["a.b.png", "svg", ""] {
        assert_eq!(start(name).unwrap_err(), "The name of a picture must end in .svg");
    }
}

#[test]
fn text_that_is_too_wide_ends_in_an_ellipsis() {
    let shorten = |text: &str, room| font::shorten(PictureFont::Words, 12.0, text, room);
    assert_eq!(shorten("classify", 200.0), "classify");
    assert_eq!(shorten("classify the ticket", 60.0), "classify…");
    assert_eq!(shorten("classify", 0.0), "…");
    assert_eq!(shorten("", 0.0), "");
    let width = |text: &str| font::text_width(PictureFont::Data, 10.0, text);
    assert!((width("ab") - 2.0 * width("a")).abs() < 0.01);
}
