//! Editing values where they stand: in the tree and in what is read from them.

use super::*;

const SESSION: &str = "sample-recordings/replays/ticket-loop.yaml";

/// Opens the samples and shows this tab of the session.
fn open_session(project: &Project, tab: &str) -> Window {
    let mut window = open_samples(project);
    window.click(Role::ListBoxOption, "ticket-loop, session, OK");
    window.wait_for(tab);
    window.click(Role::Tab, tab);
    window
}

impl Window {
    /// Types a value in place of what a field holds.
    fn replace_text(&mut self, text: &str) {
        self.press_with(Modifiers::COMMAND, Key::A);
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.settle();
    }
}

fn status_of_saved(window: &Window, count: usize) -> bool {
    window.nodes().filter(|node| text_of(node).as_deref() == Some("status: 504")).count() == count
}

#[test]
fn a_number_is_edited_in_its_row_undone_and_done_again() {
    let project = samples();
    let mut window = open_session(&project, "YAML");
    let before = std::fs::read(project.path(SESSION)).unwrap();
    dump(&window);
}

fn dump(window: &Window) {
    for node in window.nodes() {
        println!("{:?} {:?}", role_of(&node), text_of(&node));
    }
}
