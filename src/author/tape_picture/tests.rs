use std::sync::Arc;

use super::*;
use calls::tape::testing::{document, stream, text};

fn prepared(chunks: &[(f64, &str)]) -> PreparedTape {
    PreparedTape::new(Arc::new(document(&text(&stream(chunks))))).unwrap()
}

fn options(title: &str) -> PictureOptions {
    PictureOptions {
        title: title.to_owned(),
        shown: None,
        pace: TapePace::Recorded,
        silence_nanos: 5e8,
        theme: PictureTheme::Light,
    }
}

/// Returns what a picture says, and how many marks it has.
fn describe(svg: &str) -> (usize, String) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let marks = document.descendants().filter(|node| node.attribute("class") == Some("mark"));
    let words = document.descendants().filter(|node| node.has_tag_name("text"));
    let words = words.filter_map(|node| node.text()).collect::<Vec<_>>();
    (marks.count(), words.join("\n"))
}

#[test]
fn an_svg_has_a_mark_a_chunk_and_says_what_there_is_to_say() {
    let tape = prepared(&[(1.2e9, "It"), (1e8, " goes"), (0.0, ""), (9e8, " out")]);
    let (marks, words) = describe(&draw_picture(&tape, &options("a < b & \u{1} c")).svg());
    assert_eq!(marks, 4);
    insta::assert_snapshot!(words, @r"
    a < b & \u{1} c
    4 chunks in 2.2 s, 11 characters, first after 1.2 s, gaps 100 ms (median), 900 ms (p95), 900 ms at most
    0.0 s
    0.2 s
    0.4 s
    0.6 s
    0.8 s
    1.0 s
    1.2 s
    1.4 s
    1.6 s
    1.8 s
    2.0 s
    first chunk after 1.2 s
    silence 900 ms
    characters a second
    peak 25
    ");
}

#[test]
fn many_chunks_are_added_up_and_a_stretch_shows_its_own() {
    let chunks: Vec<(f64, &str)> = (0..2000).map(|_| (1e6, "ab")).collect();
    let tape = prepared(&chunks);
    let (marks, _) = describe(&draw_picture(&tape, &options("many")).svg());
    assert_eq!(marks, 384);
    let visible_range = Some(TimeRange { from_nanos: 1e6, to_nanos: 10e6 });
    let (marks, _) = describe(
        &draw_picture(
            &tape,
            &PictureOptions { shown: visible_range, theme: PictureTheme::Dark, ..options("few") },
        )
        .svg(),
    );
    assert_eq!(marks, 10);
    let (marks, _) = describe(&draw_picture(&self::prepared(&[]), &options("none")).svg());
    assert_eq!(marks, 0);
}
