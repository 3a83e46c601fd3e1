//! Recording and serving from the window, with clients of flesh and blood: sockets.

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
    open_tape(&tape(&request("Hi"), chunks))
}

fn open_tape(tape: &str) -> (Project, Window) {
    let project = Project::new(&[("retake.toml", ""), ("tapes/hi.json", tape)]);
    let start = StartOptions { paths: vec![project.path("")], ..StartOptions::default() };
    let mut window = Window::open(start, Vec::new());
    window.wait_for("1 item");
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.click(Role::RadioButton, "Record and serve");
    (project, window)
}

impl Window {
    /// Starts what a form says, at any port; answers where that is.
    fn start_at_any_port(&mut self, form: &str, field: &str, start: &str) -> SocketAddr {
        self.click(Role::Button, form);
        self.fill(Role::TextInput, field, "0");
        self.click(Role::Button, start);
        self.wait_until("an address", |window| window.says("Listens on "));
        self.addresses().pop().unwrap()
    }

    /// Where the status line says that something listens.
    fn addresses(&self) -> Vec<SocketAddr> {
        let texts = self.texts();
        let listens = texts.iter().find_map(|text| text.strip_prefix("Listens on "));
        let addresses = listens.into_iter().flat_map(|text| text.split(" and "));
        addresses.map(|address| address.parse().unwrap()).collect()
    }

    pub(super) fn serve(&mut self) -> SocketAddr {
        self.start_at_any_port("Serve tapes and sets…", "Port of the server", "Start serving")
    }

    /// Starts the server, and before it the recorder, with tapes into `new`; answers where the
    /// recorder and the server listen.
    pub(super) fn record_what_is_served(&mut self) -> [SocketAddr; 2] {
        let served = self.serve();
        self.click(Role::Button, "Record calls…");
        self.click(Role::RadioButton, "Other");
        self.fill(Role::TextInput, "Upstream address", &format!("http://{served}"));
        self.fill(Role::TextInput, "Port of the recorder", "0");
        self.fill(Role::TextInput, "Folder for the tapes", "new");
        self.click(Role::Button, "Start recording");
        self.wait_until("both", |window| window.addresses().len() == 2);
        [self.addresses()[0], served]
    }

    /// Waits until a row says this, and answers it without its time of day.
    fn wait_for_row(&mut self, says: &str) -> String {
        self.wait_until(says, |window| window.rows().iter().any(|row| row.contains(says)));
        let rows = self.rows();
        let row = rows.iter().find(|row| row.contains(says)).unwrap();
        row.split_once(", ").unwrap().1.to_owned()
    }
}

/// What is open after all desks were looked at, while something is served, and after it was stopped.
pub(crate) fn sockets_of_a_window<T>(open_now: impl Fn() -> T) -> [T; 3] {
    let (_project, mut window) = open(&[(0, "Hello")]);
    for desk in [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7] {
        window.press_with(Modifiers::COMMAND, desk);
    }
    window.press_with(Modifiers::COMMAND, Key::Num8);
    window.click(Role::Button, "Serve tapes and sets…");
    let desks = open_now();
    window.press(Key::Escape);
    let address = window.serve();
    assert_eq!(send_request(address, ANTHROPIC, &request("Hi")).status, 200);
    let started = open_now();
    window.click(Role::Link, "Stop");
    window.wait_for("No network");
    [desks, started, open_now()]
}

#[test]
fn a_served_call_shows_what_was_served_and_why() {
    let (_project, mut window) = open(&[(0, "Hello"), (1, " there")]);
    assert!(window.shows("No network"));
    let address = window.serve();
    let reply = send_request(address, ANTHROPIC, &request("Hi"));
    assert_eq!(reply.status, 200);
    let row = window.wait_for_row("done");
    assert!(row.starts_with("hi, m, done, 2 chunks"), "{row}");
    assert!(row.ends_with("Strict match, hi"), "{row}");

    window.press(Key::J);
    assert!(window.shows("It was recorded for the same request."));
    assert!(window.shows("Hello there"));
    window.press(Key::Enter);
    window.wait_for("Verify request…");
    // It goes on while others are looked at.
    assert_eq!(window.addresses(), [address]);
    assert_eq!(send_request(address, ANTHROPIC, &request("Hi")).status, 200);
}

#[test]
fn an_answer_in_another_form_than_recorded_is_reported_first() {
    let mut recorded: serde_json::Value =
        serde_json::from_str(&tape(&request("Hi"), &[(0, "Hello")])).unwrap();
    recorded["meta"]["sdk"] = "Anthropic messages".into();
    let received = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Hello"}]}"#;
    recorded["received"] = received.into();
    let (_project, mut window) = open_tape(&recorded.to_string());
    let address = window.serve();
    assert_eq!(send_request(address, ANTHROPIC, &request("Hi")).status, 200);
    window.wait_for_row("done");
    window.press(Key::J);
    assert!(window.shows("The client got the recorded answer in another form."));
    assert!(window.says("without 1 block of other content."));
}

#[test]
fn a_call_that_nothing_matches_names_what_comes_nearest() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    let address = window.serve();
    assert_eq!(send_request(address, ANTHROPIC, &request("Ha")).status, 404);
    let row = window.wait_for_row("404");
    assert!(row.ends_with("404, nothing sent, No match, nearest: 1 difference"), "{row}");
    window.press(Key::J);
    assert!(window.shows("The nearest is hi: 1 difference."));
    assert!(
        window.says(r#"The tape has `"Hi"`, the request `"Ha"`"#) || window.says("The tape has")
    );
}

#[test]
fn a_port_in_use_is_reported_in_the_form_and_another_one_can_be_used() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    window.click(Role::Button, "Serve tapes and sets…");
    window.fill(Role::TextInput, "Port of the server", &address.port().to_string());
    window.click(Role::Button, "Start serving");
    let words = format!("Another program is already listening on {address}; choose another port.");
    window.wait_for(&words);
    assert!(window.shows("No network"));
    window.fill(Role::TextInput, "Port of the server", "0");
    assert!(!window.shows(&words));
    window.click(Role::Button, "Start serving");
    window.wait_until("an address", |window| window.says("Listens on "));
}

#[test]
fn what_is_recorded_shows_as_a_tape_of_the_project() {
    let (project, mut window) = open(&[(0, "Hello"), (1, " there")]);
    let [recorder, _] = window.record_what_is_served();
    assert_eq!(send_request(recorder, ANTHROPIC, &request("Hi")).status, 200);
    let row = window.wait_for_row("m-1.json");
    assert!(row.starts_with("m, 1 message, done, 2 chunks"), "{row}");
    window.wait_for("2 items");
    window.press(Key::J);
    window.click(Role::Button, "Open in Tapes");
    assert!(project.path("new/m-1.json").is_file());
    window.press_with(Modifiers::COMMAND, Key::Num8);

    window.click(Role::Link, "Stop both");
    window.wait_for("No network");
}

#[test]
fn enter_starts_what_a_form_says_whatever_has_the_focus() {
    let (_project, mut window) = open(&[(0, "Hello")]);
    window.click(Role::Button, "Serve tapes and sets…");
    window.fill(Role::TextInput, "Port of the server", "0");
    window.click(Role::RadioButton, "Loose");
    window.press(Key::Enter);
    window.wait_until("an address", |window| window.says("Listens on "));

    window.click(Role::Button, "Record calls…");
    window.fill(Role::TextInput, "Port of the recorder", "0");
    window.fill(Role::TextInput, "Seconds without a byte", "soon");
    window.press(Key::Enter);
    assert!(window.shows("Expected a number of seconds above 0, such as 120."));
    window.fill(Role::TextInput, "Seconds without a byte", "2.5");
    window.click(Role::RadioButton, "Other");
    window.fill(Role::TextInput, "Upstream address", "http://127.0.0.1:9");
    window.press(Key::Enter);
    window.wait_until("both", |window| window.addresses().len() == 2);
}

#[test]
fn a_call_under_way_is_kept_when_the_window_closes() {
    let (project, mut window) = open(&[(0, "Hello"), (600_000, " there")]);
    let [recorder, served] = window.record_what_is_served();
    let stream = crate::live::send(recorder, ANTHROPIC, "", &request("Hi"));
    window.wait_until("the first chunk", |window| {
        window.rows().iter().any(|row| row.contains("streaming, 1 chunk"))
    });
    drop(window);
    let text = std::fs::read_to_string(project.path("new/m-1.json")).unwrap();
    assert!(text.contains("cut-off"), "{text}");
    drop(stream);
    assert!(TcpListener::bind(served).is_ok());
}
