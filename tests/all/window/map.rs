//! The map of a machine: its recordings in each version of the history.

use super::*;

const SET: &str = "recordings/triage";
const OLD: &str = "task intake { prompt: \"Read\"; }\ntask answer { prompt: \"Write\"; }\nstate close;\n\
    intake -> answer;\nintake -> close;\nanswer -> close;\nanswer -> intake;\n";

/// Three versions of a machine: in the second a node is renamed, in the third one is added.
fn project() -> Project {
    let project = Project::new(&[("retake.toml", ""), (".gitignore", "/state\n")]);
    project.git(&["init", "-q", "-b", "main"]);
    let renamed = OLD.replace("answer", "reply");
    let added = format!(
        "{renamed}task refund {{ prompt: \"Pay\"; }}\nrefund -> close;\nrefund -> intake;\n"
    );
    let hash = retake_hash(OLD);
    let calls = [
        ("a", "intake", ["transition_to_answer", "transition_to_close"]),
        ("b", "intake", ["transition_to_answer", "transition_to_close"]),
        ("c", "answer", ["transition_to_close", "transition_to_intake"]),
    ];
    for (id, node, tools) in calls {
        let mut value = crate::project::recording_offering(id, &tools);
        value["request"]["messages"][0]["content"] =
            serde_json::json!(format!("- **Node**: {node}\n"));
        value["sourceMetadata"] =
            serde_json::json!({"sourceFile": "machines/triage.dygram", "contentHash": hash});
        project.write(&format!("{SET}/{id}.json"), value.to_string());
    }
    let versions =
        [(OLD, "Add the machine"), (&*renamed, "Rename answer to reply"), (&*added, "Add refunds")];
    for (day, (text, subject)) in versions.into_iter().enumerate() {
        project.write("machines/triage.dygram", text);
        project.git(&["add", "-A"]);
        project.git_on(Some(day + 1), &["commit", "-q", "-m", subject]);
    }
    project
}

fn retake_hash(text: &str) -> String {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(text);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn open_map(project: &Project) -> Window {
    let mut window = Window::open(start_with(project, "."), Vec::new());
    window.wait_for_rows(3);
    window.click(Role::Button, "Map");
    window.wait_for("Add refunds");
    window
}

/// The nodes by their accessible names, each with where it is.
fn map_nodes(window: &Window) -> Vec<(String, Rect)> {
    let nodes = window.nodes().filter(|node| role_of(node) == Role::Button);
    let nodes = nodes.filter_map(|node| Some((text_of(&node)?, node.rect())));
    let is_node = |(name, _): &(String, Rect)| {
        ["intake", "answer", "reply", "close", "refund"]
            .iter()
            .any(|it| name == it || name.starts_with(&format!("{it},")))
    };
    nodes.filter(is_node).collect()
}

/// How many rows have the background of removed and of added lines.
fn tinted_rows(window: &Window) -> (usize, usize) {
    let colors = widgets::theme::DARK;
    let count = |color| {
        let shapes = window.harness.output().shapes.iter();
        let has_color = |shape: &egui::Shape| match shape {
            egui::Shape::Rect(rect) => rect.fill == color,
            _ => false,
        };
        shapes.filter(|shape| has_color(&shape.shape)).count()
    };
    (count(colors.removed_line), count(colors.added_line))
}

fn names(nodes: &[(String, Rect)]) -> String {
    let names: Vec<&str> = nodes.iter().map(|(name, _)| &**name).collect();
    names.join("\n")
}

#[test]
fn each_version_shows_its_nodes_at_the_same_places() {
    let project = project();
    let mut window = open_map(&project);
    assert!(window.says("2 of 3"), "tasks with a recording");
    let newest = map_nodes(&window);
    insta::assert_snapshot!(names(&newest), @"
    intake, 2 recordings, 2 break
    reply, 1 recording
    close
    refund, added, no recording
    ");
    window.press(Key::ArrowLeft);
    window.wait_for("Rename answer to reply");
    let renamed = map_nodes(&window);
    insta::assert_snapshot!(names(&renamed), @"
    intake, 2 recordings, 2 break
    reply, was answer, 1 recording
    close
    ");
    window.press(Key::ArrowLeft);
    window.wait_for("Add the machine");
    let oldest = map_nodes(&window);
    insta::assert_snapshot!(names(&oldest), @"
    intake, 2 recordings
    answer, 1 recording
    close
    ");
    let places = |nodes: &[(String, Rect)]| -> Vec<Rect> {
        let mut places: Vec<Rect> = nodes.iter().map(|(_, rect)| *rect).collect();
        places.sort_by(|a, b| a.min.x.total_cmp(&b.min.x).then(a.min.y.total_cmp(&b.min.y)));
        places
    };
    assert_eq!(places(&oldest), places(&renamed));
    let all = places(&newest);
    assert!(places(&renamed).iter().all(|place| all.contains(place)));
}

#[test]
fn the_map_is_saved_as_a_picture_in_the_chosen_colors() {
    let project = project();
    let chosen = vec![project.path("map.svg")];
    let mut window = Window::open(start_with(&project, "."), chosen);
    window.wait_for_rows(3);
    window.click(Role::Button, "Map");
    window.wait_for("Add refunds");
    window.click(Role::Button, "Save picture…");
    window.click(Role::MenuItem, "Dark theme…");
    window.wait_until("the notice", |window| window.says("Saved the picture as"));
    let svg = std::fs::read_to_string(project.path("map.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let marks = document.descendants().filter(|node| node.attribute("class") == Some("mark"));
    let titles = marks.filter_map(|mark| mark.first_element_child()?.text());
    insta::assert_snapshot!(titles.collect::<Vec<_>>().join("\n"), @"
    intake, 2 recordings, 2 break
    reply, 1 recording
    close
    refund, added, no recording
    ");
    // The same picture as on the command line, which has light colors unless others are requested.
    let export = ["export", "map", "recordings", "--to", "-", "--colors", "dark"];
    let printed = project.run(&export);
    assert_eq!(printed.stdout, svg);
}

#[test]
fn a_picture_with_another_ending_is_not_saved_until_its_name_is_changed() {
    const FAULT: &str = "The name of a picture must end in .svg";
    let project = project();
    let chosen = vec![project.path("map.gif")];
    let mut window = Window::open(start_with(&project, "."), chosen);
    window.wait_for_rows(3);
    window.click(Role::Button, "Map");
    window.wait_for("Add refunds");
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    window.wait_until("the reason", |window| window.says(FAULT));
    window.press_with(Modifiers::COMMAND, Key::A);
    window.type_text("map.svg");
    window.press(Key::Enter);
    window.wait_until("the notice", |window| window.says("Saved the picture as"));
    assert!(!window.says(FAULT));
    assert!(!project.path("map.gif").exists());
}

#[test]
fn the_commit_that_broke_recordings_says_so_and_its_recordings_open() {
    let project = project();
    let mut window = open_map(&project);
    window.press(Key::ArrowLeft);
    window.wait_for("Rename answer to reply");
    assert!(window.says("This commit broke 2 recordings."));

    window.click(Role::Button, "intake, 2 recordings, 2 break");
    assert!(window.says("Tools offered"));
    assert_eq!(tinted_rows(&window), (1, 1), "removed and added");
    let rows = window.rows();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    transition_to_answer, removed, 2 calls
    transition_to_close, 0 calls
    transition_to_reply, added, 0 calls
    a, transition_to_answer, breaks
    b, transition_to_answer, breaks
    ");
    window.click(Role::ListBoxOption, "b, transition_to_answer, breaks");
    window.wait_for_rows(3);
    assert_eq!(window.selected().unwrap(), "b, recording, Stale, breaks");
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_for("Rename answer to reply");
    window.press(Key::Escape);
    assert!(window.says("Coverage"), "Esc closes the node");
    window.click(Role::RadioButton, "List");
    window.wait_for_rows(3);
}

#[test]
fn in_a_narrow_window_the_panel_of_a_node_is_over_the_map() {
    let project = project();
    let mut window = open_map(&project);
    window.harness.set_size(egui::vec2(900.0, 600.0));
    window.settle();
    let before = map_nodes(&window);
    assert!(!window.says("Coverage"));
    window.click(Role::Button, "intake, 2 recordings, 2 break");
    assert!(window.says("Tools offered"));
    let sizes = |nodes: &[(String, Rect)]| -> Vec<egui::Vec2> {
        nodes.iter().map(|(_, rect)| rect.size().round()).collect()
    };
    let nodes = map_nodes(&window);
    assert_eq!(sizes(&nodes), sizes(&before), "the map keeps its size");
    let chosen = nodes.iter().find(|(name, _)| name.starts_with("intake"));
    assert!(chosen.unwrap().1.right() < 500.0, "beside the panel");
    window.press(Key::Escape);
    assert!(!window.says("Tools offered"));

    window.click(Role::Link, "Show the 5 not covered");
    assert!(window.says("Coverage"));
    window.click(Role::Button, "Close the coverage");
    assert!(!window.says("Coverage"));
    assert_eq!(map_nodes(&window), before);
}

#[test]
fn without_a_machine_the_map_says_what_to_do() {
    let project = Project::new(&[("set/a.json", &crate::project::recording("a", ""))]);
    let mut window = Window::open(start_with(&project, "."), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_for("Stamp all listed recordings…");
    assert!(window.says("No recording names the machine that it was made from."));
}
