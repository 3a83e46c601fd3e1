//! Live folders: what others do to the files shows by itself, and the user stays where they were.

use super::*;

const SET: &str = "sample-recordings/recordings/close-ticket";

#[test]
fn a_file_that_others_add_shows_as_a_row_and_the_selection_stays() {
    let project = samples();
    let mut window = open_samples(&project);
    window.wait_for("Watching");
    window.press(Key::J);
    window.press(Key::J);
    let selected = window.selected();
    assert!(selected.is_some());

    let text = std::fs::read_to_string(project.path(&format!("{SET}/req-1780281201443-1.json")));
    let text = text.unwrap().replace("req-1780281201443-1", "req-of-another");
    project.write(&format!("{SET}/added.json"), text);
    window.wait_for("29 items");
    window.wait_until("the new row", |window| {
        window.rows().iter().any(|row| row.contains("req-of-another"))
    });
    assert_eq!(window.selected(), selected);

    std::fs::remove_file(project.path(&format!("{SET}/added.json"))).unwrap();
    window.wait_for_samples();
    assert_eq!(window.selected(), selected);
}

#[test]
fn what_is_looked_at_follows_its_file_without_ever_being_away() {
    let project = samples();
    let mut window = open_samples(&project);
    window.wait_for("Watching");
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    let path = "sample-recordings/replays/ticket-loop.yaml";
    let text = project.read(path);
    let title = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    project.write(path, text.replace(title, "loop-renamed"));
    window.wait_until("the new id", |window| window.says("loop-renamed"));
    assert!(!window.says("Reading"));
    let selected = window.selected().unwrap_or_default();
    assert!(selected.starts_with("loop-renamed"), "{selected}");
}
