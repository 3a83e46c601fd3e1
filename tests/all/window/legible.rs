//! What is cut can be read in a tooltip, and no control lies over another, on every desk.

use std::collections::{BTreeSet, HashMap, HashSet};

use egui::epaint::{ClippedShape, TextShape};
use egui::{Pos2, Shape, vec2};

use super::*;

/// Overlaps up to this are roundings, in points.
const ROUNDING: f32 = 1.5;

/// Frames until a tooltip is there: longer than its delay.
const TOOLTIP: usize = 4;

/// A text on the screen.
struct Painted {
    /// As it is seen, with `…` where it is cut.
    seen: String,
    whole: String,
    /// Whether its end is cut.
    is_elided: bool,
    /// Whether its end or its middle is cut.
    is_cut: bool,
    center: Pos2,
}

fn painted(window: &Window) -> Vec<Painted> {
    let mut found = Vec::new();
    for ClippedShape { clip_rect, shape, .. } in &window.harness.output().shapes {
        texts_in(shape, &mut |text| {
            let seen: String = (text.galley.rows.iter())
                .flat_map(|row| row.glyphs.iter().map(|glyph| glyph.chr))
                .collect();
            let inside = text.visual_bounding_rect().intersect(*clip_rect);
            // An ellipsis with text on both sides was put into the middle.
            let middle = seen.find('…').filter(|at| *at > 0);
            let after = middle.and_then(|at| seen.get(at + '…'.len_utf8()..));
            let is_middle =
                after.is_some_and(|after| after.starts_with(|it: char| !it.is_whitespace()));
            if inside.is_positive() {
                found.push(Painted {
                    is_elided: text.galley.elided,
                    is_cut: text.galley.elided || is_middle,
                    whole: text.galley.text().to_owned(),
                    center: inside.center(),
                    seen,
                });
            }
        });
    }
    found
}

/// The places at which texts that begin so are on the screen, from top to bottom and from left to right.
pub(super) fn places(window: &Window, start: &str) -> Vec<Pos2> {
    let texts = painted(window).into_iter().filter(|painted| painted.seen.starts_with(start));
    let mut places: Vec<Pos2> = texts.map(|painted| painted.center).collect();
    places.sort_by(|a, b| (a.y, a.x).partial_cmp(&(b.y, b.x)).unwrap());
    places
}

fn texts_in(shape: &Shape, found: &mut impl FnMut(&TextShape)) {
    match shape {
        Shape::Text(text) => found(text),
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| texts_in(shape, found)),
        _ => {}
    }
}

/// The texts that are cut and whose whole is not in a tooltip, except those of a view behind the present one.
fn cut_without_tooltip(window: &mut Window, behind: &HashSet<String>) -> BTreeSet<String> {
    let mut seen = behind.clone();
    let cut = painted(window).into_iter().filter(|text| text.is_cut);
    let cut: Vec<Painted> = cut.filter(|text| seen.insert(text.seen.clone())).collect();
    let mut is_without = |text: &Painted| {
        window.harness.hover_at(text.center);
        (0..TOOLTIP).for_each(|_| window.harness.step());
        let is_whole = |shown: &Painted| {
            // Sentences in tooltips keep the backticks around code.
            let words = |text: &str| text.replace('`', "").split_whitespace().collect::<String>();
            let whole = words(&shown.whole);
            let has = |part: &str| whole.contains(&words(part));
            let mut parts = text.seen.split('…');
            !shown.is_elided && shown.whole != text.seen && parts.all(has)
        };
        !painted(window).iter().any(is_whole)
    };
    let without = cut.into_iter().filter(|text| is_without(text));
    let without = without.map(|text| text.seen).collect();
    window.harness.remove_cursor();
    window.settle();
    without
}

/// The pairs of controls of which one lies partly over the other.
fn overlapping<S>(harness: &Harness<'_, S>) -> BTreeSet<String> {
    let nodes = harness.root().children_recursive();
    let names = nodes.filter_map(|node| {
        // A splitter lies between what it divides.
        let is_control = !matches!(role_of(&node), Role::ScrollBar | Role::Splitter | Role::Label);
        let name = text_of(&node).filter(|_| is_control)?;
        Some((node.accesskit_node().locate().0, name))
    });
    let names: HashMap<_, _> = names.collect();
    harness.ctx.viewport(|viewport| {
        let mut pairs = BTreeSet::new();
        for (_, widgets) in viewport.prev_pass.widgets.layers() {
            let seen = widgets.iter().filter(|it| it.sense.senses_click());
            let seen = seen.filter(|it| it.interact_rect.is_positive());
            let controls =
                seen.filter_map(|it| Some((it.interact_rect, names.get(&it.id.accesskit_id())?)));
            let controls: Vec<(Rect, &String)> = controls.collect();
            for (at, (a, name)) in controls.iter().enumerate() {
                for (b, other) in &controls[at + 1..] {
                    let shared = a.intersect(*b).size();
                    let holds =
                        |outer: &Rect, inner: &Rect| outer.expand(ROUNDING).contains_rect(*inner);
                    if shared.min_elem() > ROUNDING && !holds(a, b) && !holds(b, a) {
                        pairs.insert(format!("{name} and {other}"));
                    }
                }
            }
        }
        pairs
    })
}

#[track_caller]
pub(super) fn look(window: &mut Window, place: &str, found: &mut Vec<String>) {
    look_above(window, &HashSet::new(), place, found);
}

/// Looks at a dialog. What it covers was seen before.
#[track_caller]
fn look_above(window: &mut Window, behind: &HashSet<String>, place: &str, found: &mut Vec<String>) {
    let cut = cut_without_tooltip(window, behind);
    found.extend(cut.iter().map(|text| format!("{place}: cut without tooltip: {text}")));
    let pairs = overlapping(&window.harness);
    found.extend(pairs.iter().map(|pair| format!("{place}: overlap: {pair}")));
}

/// Looks at every desk in a window of this size.
#[track_caller]
fn look_at_desks(size: egui::Vec2) {
    let mut window = open_start_page();
    let mut found = Vec::new();
    window.harness.set_size(size);
    window.settle();
    look(&mut window, "start page", &mut found);
    window.click(Role::Button, "Open the samples");
    // The last that is found: git is read after the files.
    window.wait_until("all findings", |window| {
        window.shows("39 items") && window.says("recordings break")
    });
    look(&mut window, "library", &mut found);
    window.press(Key::J);
    window.press(Key::J);
    look(&mut window, "library with inspector", &mut found);
    let desks = [
        (Key::Num2, "playback"),
        (Key::Num3, "tapes"),
        (Key::Num4, "sessions"),
        (Key::Num5, "seeds"),
        (Key::Num6, "review"),
        (Key::Num7, "problems"),
        (Key::Num8, "live"),
    ];
    for (key, desk) in desks {
        window.press_with(Modifiers::COMMAND, key);
        look(&mut window, desk, &mut found);
    }
    window.press_with(Modifiers::COMMAND, Key::Num2);
    window.press(Key::Enter);
    window.wait_until("the calls", |window| window.says("Call 1, "));
    look(&mut window, "playback of a set", &mut found);
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press_with(Modifiers::ALT, Key::Num1);
    window.wait_until("the texts", |window| window.says("working tree"));
    for (key, tab) in
        [(Key::Num2, "the map"), (Key::Num3, "the recordings"), (Key::Num1, "then and now")]
    {
        window.press(key);
        look(&mut window, tab, &mut found);
    }
    window.press(Key::Escape);
    let behind = painted(&window).into_iter().map(|text| text.seen).collect();
    window.press_with(Modifiers::ALT, Key::Num2);
    window.wait_for("Wrap 1 answer");
    look_above(&mut window, &behind, "a step", &mut found);
    window.press(Key::Escape);
    window.press_with(Modifiers::COMMAND, Key::K);
    look_above(&mut window, &behind, "palette", &mut found);
    window.press(Key::Escape);
    window.press(Key::F1);
    look_above(&mut window, &behind, "keys", &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn in_a_small_window_what_is_cut_has_a_tooltip_and_no_controls_overlap() {
    look_at_desks(vec2(900.0, 600.0));
}

#[test]
fn in_a_usual_window_what_is_cut_has_a_tooltip_and_no_controls_overlap() {
    look_at_desks(vec2(1440.0, 900.0));
}

#[test]
fn controls_that_overlap_are_found() {
    let harness = Harness::new_ui(|ui| {
        for (name, x) in [("One", 0.0), ("Two", 50.0), ("Three", 110.0)] {
            let rect = Rect::from_min_size(egui::pos2(x, 0.0), vec2(60.0, 20.0));
            let control = ui.interact(rect, ui.scope_id().with(name), egui::Sense::click());
            control.widget_info(|| egui::WidgetInfo::labeled(Role::Button, true, name));
        }
    });
    let found: Vec<String> = overlapping(&harness).into_iter().collect();
    assert_eq!(found, ["One and Two"]);
}
