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
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_until("the map", |window| window.says("refund, added"));
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

fn names(nodes: &[(String, Rect)]) -> String {
    let names: Vec<&str> = nodes.iter().map(|(name, _)| &**name).collect();
    names.join("\n")
}

#[test]
fn each_version_shows_its_nodes_at_the_same_places() {
    let project = project();
    let mut window = open_map(&project);
    let newest = map_nodes(&window);
    insta::assert_snapshot!(names(&newest), @"
    intake, 2 recordings, 2 break
    reply, 1 recording
    close
    refund, added, no recording
    ");
    window.press(Key::ArrowLeft);
    window.wait_until("the rename", |window| window.says("Rename answer to reply"));
    let renamed = map_nodes(&window);
    insta::assert_snapshot!(names(&renamed), @"
    intake, 2 recordings, 2 break
    reply, was answer, 1 recording
    close
    ");
    window.press(Key::ArrowLeft);
    window.wait_until("the oldest", |window| window.says("Add the machine"));
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
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_until("the map", |window| window.says("refund, added"));
    window.press(Key::V);
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
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_until("the map", |window| window.says("refund, added"));
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
fn the_commit_that_broke_recordings_says_so_and_a_node_leads_to_its_recordings() {
    let project = project();
    let mut window = open_map(&project);
    assert!(window.says("2 of 3 recordings break, all at intake, since "), "{:?}", window.texts());
    window.press(Key::ArrowLeft);
    window.press(Key::ArrowLeft);
    window.press(Key::N);
    window.wait_until("the commit", |window| window.says("It broke 2 recordings."));
    assert!(window.says("Rename answer to reply"));

    window.click(Role::Button, "intake, 2 recordings, 2 break");
    window.press(Key::Escape);
    let node = "intake, 2 recordings, 2 break";
    assert!(!is_on(&window.find(Role::Button, node)), "Esc deselects the node first");
    window.tab_to(Role::Button, node);
    window.press(Key::Enter);
    window.wait_for("Offered at intake");
    insta::assert_snapshot!(window.rows().join("\n"), @"
    2 break
    >a, answer, breaks
    b, answer, breaks
    1 still matches
    c, close, still matches
    ");
    let tools = window.texts().into_iter().filter(|text| text.starts_with("transition_to_"));
    insta::assert_snapshot!(tools.collect::<Vec<_>>().join("\n"), @"
    transition_to_answer, removed, called
    transition_to_reply, added
    transition_to_close
    ");
    window.press(Key::Escape);
    window.wait_for_rows(3);
}

#[test]
fn recordings_without_a_source_are_stamped_from_the_page() {
    let project = Project::new(&[("set/a.json", &crate::project::recording("a", ""))]);
    let mut window = Window::open(start_with(&project, "."), Vec::new());
    window.wait_for_rows(1);
    window.press_with(Modifiers::SHIFT, Key::M);
    window.wait_for("Stamp 1 recording to see them here.");
    window.find(Role::Button, "Stamp 1 recording…");
}
