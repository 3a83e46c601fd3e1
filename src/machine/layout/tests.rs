use proptest::prelude::*;

use super::*;

/// Boxes `a`, `b`, … of one size, and lines between them such as `ab`.
fn chart(count: usize, lines: &str) -> Chart {
    let chart_box = ChartBox { size: [80.0, 36.0], inside: None, begins: false };
    let number = |letter: u8| usize::from(letter - b'a');
    let line = |ends: &str| ChartLine {
        from: number(ends.as_bytes()[0]),
        to: number(ends.as_bytes()[1]),
        label: [0.0; 2],
    };
    Chart { boxes: vec![chart_box; count], lines: lines.split_whitespace().map(line).collect() }
}

/// Draws the boxes.
fn picture(chart: &Chart) -> String {
    let layout = chart.arrange();
    let place = |(at, area): (usize, &Area)| {
        let name = char::from(b'a' + at as u8);
        format!("{name} {:.0} {:.0}", area.min[0], area.min[1])
    };
    let places: Vec<String> = layout.boxes.iter().enumerate().map(place).collect();
    places.join("\n")
}

/// Whether two areas have a point in common that is no border's.
fn overlaps(one: Area, other: Area) -> bool {
    (0..2).all(|axis| one.min[axis] < other.max[axis] && other.min[axis] < one.max[axis])
}

/// Whether all of `inner` is in `outer`.
fn holds(outer: Area, inner: Area) -> bool {
    (0..2).all(|axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
}

/// Checks the properties of every layout.
fn check(chart: &Chart) {
    let layout = chart.arrange();
    assert_eq!(layout, chart.arrange(), "the same again");
    let plane = Area { min: [0.0; 2], max: layout.size };
    let close = |a: f32, b: f32| (a - b).abs() < 0.5;
    for (at, (chart_box, area)) in chart.boxes.iter().zip(&layout.boxes).enumerate() {
        let frame = chart_box.inside.map_or(plane, |frame| layout.boxes[frame]);
        let outer_area =
            Area { min: frame.min.map(|edge| edge - 0.5), max: frame.max.map(|edge| edge + 0.5) };
        assert!(holds(outer_area, *area), "box {at} {area:?} is in {frame:?}");
        for (other, other_area) in layout.boxes.iter().enumerate().skip(at + 1) {
            let is_sibling = chart.boxes[other].inside == chart_box.inside;
            let inner_area = Area {
                min: other_area.min.map(|edge| edge + 0.5),
                max: other_area.max.map(|edge| edge - 0.5),
            };
            assert!(!is_sibling || !overlaps(*area, inner_area), "{at} and {other}");
        }
    }
    for (line, path) in chart.lines.iter().zip(&layout.lines) {
        assert!(path.points.len() >= 2);
        let ends = [(path.points[0], line.from), (path.points[path.points.len() - 1], line.to)];
        for ([x, y], end) in ends {
            let Area { min, max } = layout.boxes[end];
            let is_at_side = close(x, min[0]) || close(x, max[0]);
            let is_at_top = close(y, min[1]);
            let is_at =
                is_at_side && y >= min[1] && y <= max[1] || is_at_top && x >= min[0] && x <= max[0];
            assert!(is_at, "{line:?} ends at {x} {y}, not at {min:?} {max:?}");
        }
        let numbers = path.points.iter().chain([&path.label]).flatten();
        assert!(numbers.into_iter().all(|number| number.is_finite()));
    }
}

#[test]
fn a_way_goes_from_left_to_right_and_parts_about_its_middle() {
    insta::assert_snapshot!(picture(&chart(5, "ab bc bd ce de")), @"
    a 0 50
    b 156 50
    c 312 0
    d 312 100
    e 468 50
    ");
}

#[test]
fn a_circle_is_drawn_from_where_it_begins() {
    insta::assert_snapshot!(picture(&chart(4, "ab bc cb cd")), @"
    a 0 0
    b 156 0
    c 312 0
    d 468 0
    ");
    let mut circle = chart(3, "ab bc ca");
    check(&circle);
    circle.boxes[1].begins = true;
    let begin = circle.arrange().boxes[1].min[0];
    assert!(begin < 1.0, "{begin}");
    check(&chart(2, "aa ab bb ba"));
}

#[test]
fn a_line_that_leads_back_shares_no_end_with_others() {
    let layout = chart(3, "ab bc cb ca").arrange();
    let ends = |at: usize| {
        let points = &layout.lines[at].points;
        [points[0], points[points.len() - 1]].map(|[x, y]| format!("{x:.0} {y:.0}"))
    };
    let ends: Vec<String> = (0..4).map(|at| ends(at).join(" to ")).collect();
    insta::assert_snapshot!(ends.join("\n"), @"
    80 28 to 156 18
    236 18 to 312 35
    312 44 to 236 27
    312 49 to 80 37
    ");
}

#[test]
fn what_nothing_leads_to_is_in_rows_below() {
    insta::assert_snapshot!(picture(&chart(4, "ab")), @"
    a 0 0
    b 156 0
    c 0 54
    d 98 54
    ");
    assert_eq!(Chart::default().arrange(), ChartLayout::default());
}

#[test]
fn what_is_inside_is_in_its_frame() {
    let mut chart = chart(5, "ad ce bc");
    chart.boxes[1].inside = Some(0);
    chart.boxes[2].inside = Some(0);
    check(&chart);
    insta::assert_snapshot!(picture(&chart), @"
    a 0 23
    b 14 63
    c 170 63
    d 340 0
    e 340 100
    ");
    let layout = chart.arrange();
    assert!(holds(layout.boxes[0], layout.boxes[1]));
}

#[test]
fn two_hundred_boxes_are_arranged() {
    let mut chart = chart(0, "");
    for at in 0..200 {
        chart.boxes.push(ChartBox { size: [90.0, 38.0], inside: None, begins: false });
        for step in [1, 7, 31] {
            chart.lines.push(ChartLine {
                from: at,
                to: (at * step + step) % 200,
                label: [40.0, 14.0],
            });
        }
    }
    check(&chart);
}

fn charts() -> impl Strategy<Value = Chart> {
    let sizes = prop::collection::vec(
        (20_u16..200, 20_u16..60, any::<prop::sample::Index>(), 0..4_u8),
        1..24,
    );
    let lines = prop::collection::vec(
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u16..90),
        0..40,
    );
    (sizes, lines).prop_map(|(sizes, lines)| {
        let chart_box = |(at, (width, height, frame, nested)): (
            usize,
            &(u16, u16, prop::sample::Index, u8),
        )| ChartBox {
            size: [f32::from(*width), f32::from(*height)],
            inside: (at > 0 && *nested == 0).then(|| frame.index(at)),
            begins: *nested == 1,
        };
        let boxes: Vec<ChartBox> = sizes.iter().enumerate().map(chart_box).collect();
        let line = |(from, to, label): (prop::sample::Index, prop::sample::Index, u16)| ChartLine {
            from: from.index(boxes.len()),
            to: to.index(boxes.len()),
            label: match label {
                0..20 => [0.0; 2],
                width => [f32::from(width), 14.0],
            },
        };
        let lines = lines.into_iter().map(line).collect();
        Chart { boxes, lines }
    })
}

proptest! {
    #![proptest_config(document::text::cases(128))]

    #[test]
    fn boxes_never_overlap_and_lines_end_at_theirs(chart in charts()) {
        check(&chart);
    }
}
