//! Recording and serving from the window, with clients of flesh and blood: sockets.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};

use super::*;
use crate::live::{send_request, tape};

pub(super) const ANTHROPIC: &str = "POST /v1/messages";

pub(super) fn request(word: &str) -> String {
    serde_json::json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": word }] })
        .to_string()
}

/// A project with one tape, opened at the side of the live desk where calls are.
pub(super) fn open(chunks: &[(u32, &str)]) -> (Project, Window) {
    let tape = tape(&request("Hi"), chunks);
    let project = Project::new(&[("retake.toml", ""), ("tapes/hi.json", &tape)]);
    let start = StartOptions { paths: vec![project.path("")], ..StartOptions::default() };
    let mut window = Window::open(start, Vec::new());
    window.wait_for("1 item");
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.click(Role::RadioButton, "Record and serve");
    (project, window)
}

impl Window {
    /// Where the status line says that something listens.
    fn addresses(&self) -> Vec<SocketAddr> {
        let texts = self.texts();
        let listens = texts.iter().find_map(|text| text.strip_prefix("Listens on "));
        let addresses = listens.into_iter().flat_map(|text| text.split(" and "));
        addresses.map(|address| address.parse().unwrap()).collect()
    }

    /// Starts the server at any port; answers where that is.
    pub(super) fn serve(&mut self) -> SocketAddr {
        self.fill(Role::TextInput, "Port of the server", "0");
        self.click(Role::Button, "Start serving");
        self.wait_until("an address", |window| window.says("Listens on "));
        self.addresses().pop().unwrap()
    }

    /// Starts the server, and the recorder before it, with tapes into `new`; answers where the recorder and the server
    /// listen.
    fn record_what_is_served(&mut self) -> [SocketAddr; 2] {
        let served = self.serve();
        self.fill(Role::TextInput, "URL of the model API", &format!("http://{served}"));
        self.fill(Role::TextInput, "Port of the recorder", "0");
        self.fill(Role::TextInput, "Folder for the tapes", "new");
        self.click(Role::Button, "Start recording");
        self.wait_until("both", |window| window.addresses().len() == 2);
        [self.addresses()[0], served]
    }

    /// Waits until a row says this, and answers it.
    fn wait_for_row(&mut self, says: &str) -> String {
        self.wait_until(says, |window| window.rows().iter().any(|row| row.contains(says)));
        self.rows().into_iter().find(|row| row.contains(says)).unwrap()
    }

    /// The number of calls that have ended.
    pub(super) fn ended(&self) -> usize {
        self.rows().iter().filter(|row| row.contains(" late")).count()
    }
}

/// What is open after all desks were looked at, while something is served, and after it was stopped.
pub(crate) fn sockets_of_a_window<T>(open_now: impl Fn() -> T) -> [T; 3] {
    let (_project, mut window) = open(&[(0, "Hello")]);
    for desk in [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7] {
        window.press_with(Modifiers::COMMAND, desk);
    }
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.click(Role::RadioButton, "Record and serve");
    let desks = open_now();
    let address = window.serve();
    assert_eq!(send_request(address, ANTHROPIC, &request("Hi")).status, 200);
    let started = open_now();
    window.click(Role::Button, "Stop serving");
    window.wait_for("No network");
    [desks, started, open_now()]
}

#[test]
fn a_served_call_says_what_was_served_and_opens_it() {
    let (_project, mut window) = open(&[(0, "Hello"), (1, " there")]);
    assert!(window.shows("No network"));
    let address = window.serve();
    let reply = send_request(address, ANTHROPIC, &request("Hi"));
    assert_eq!(reply.status, 200);
    assert!(window.shows(&format!("ANTHROPIC_BASE_URL=http://{address}")));
    let row = window.wait_for_row("late");
    assert!(row.starts_with("Hi, Anthropic messages m: "), "{row}");
    assert!(row.contains("tapes/hi.json, strict match; 2 chunks in "), "{row}");

    window.press(Key::J);
    window.press(Key::Enter);
    window.wait_for("Shape timing");
    // It goes on while others are looked at.
    assert_eq!(window.addresses(), [address]);
    assert_eq!(send_request(address, ANTHROPIC, &request("Hi")).status, 200);
}

#[test]
fn a_call_that_nothing_matches_names_what_comes_nearest() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    let address = window.serve();
    assert_eq!(send_request(address, ANTHROPIC, &request("Ha")).status, 404);
    let row = window.wait_for_row("404");
    assert!(
        row.starts_with("Ha, Anthropic messages m: 404. No tape or recording answers this call."),
        "{row}"
    );
    assert!(row.contains("hi.json (1 difference)"), "{row}");
}

#[test]
fn a_port_in_use_is_reported_in_the_form_and_another_one_can_be_used() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    window.fill(Role::TextInput, "Port of the server", &address.port().to_string());
    window.click(Role::Button, "Start serving");
    let words = format!("Another program is already listening on {address}; choose another port.");
    window.wait_for(&words);
    assert!(window.shows("No network"));
    window.fill(Role::TextInput, "Port of the server", "0");
    assert!(!window.shows(&words));
    window.press(Key::Enter);
    window.wait_until("an address", |window| window.says("Listens on "));
}

#[test]
fn what_is_recorded_shows_as_a_tape_of_the_project() {
    let (project, mut window) = open(&[(0, "Hello"), (1, " there")]);
    let [recorder, _] = window.record_what_is_served();
    assert_eq!(send_request(recorder, ANTHROPIC, &request("Hi")).status, 200);
    let row = window.wait_for_row("m-1.json");
    assert!(row.starts_with("Hi, Anthropic messages m: 200, 2 chunks in "), "{row}");
    window.wait_for("2 items");
    window.press(Key::J);
    let is_recorded = |window: &Window| window.selected().is_some_and(|row| row.contains("m-1"));
    while !is_recorded(&window) {
        window.press(Key::J);
    }
    window.press(Key::Enter);
    window.wait_for("Shape timing");
    assert!(project.path("new/m-1.json").is_file());
    window.press_with(Modifiers::COMMAND, Key::Num8);
    for name in ["Stop recording", "Stop serving"] {
        // The next frame may break the lines above it otherwise, and move it away from the pointer.
        window.settle();
        window.click(Role::Button, name);
    }
    window.wait_for("No network");
}

#[test]
fn a_command_moves_the_focus_into_a_form_and_enter_starts_it() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    window.press_with(Modifiers::COMMAND | Modifiers::ALT, Key::V);
    window.press_with(Modifiers::COMMAND, Key::A);
    window.type_text("any");
    window.press(Key::Enter);
    assert!(window.shows("Expected a port number up to 65535; 0 uses any free port."));
    window.fill(Role::TextInput, "Port of the server", "0");
    window.press(Key::Enter);
    window.wait_until("an address", |window| window.says("Listens on "));
}

#[test]
fn a_call_under_way_is_kept_when_the_window_closes() {
    let (project, mut window) = open(&[(0, "Hello"), (600_000, " there")]);
    let [recorder, served] = window.record_what_is_served();
    let mut stream = crate::live::send(recorder, ANTHROPIC, "", &request("Hi"));
    window.wait_for_row("in progress");
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains("Hello") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        received.extend(byte);
    }
    drop(window);
    let text = std::fs::read_to_string(project.path("new/m-1.json")).unwrap();
    assert!(text.contains("cut-off"), "{text}");
    drop(stream);
    assert!(TcpListener::bind(served).is_ok());
}
