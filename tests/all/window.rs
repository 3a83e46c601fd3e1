//! The window as a person uses it: by what is written on it, and by the keyboard.

use std::path::PathBuf;
use std::time::Duration;

use crossbeam_channel::Receiver;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use retake::engine::Engine;
use retake::ui::{Views, keys, theme, window_ui};
use retake::workbench::{
    Action, Desk, Effect, Event, Finding, Opened, ProblemId, Remembered, Theme, Workbench,
};

use crate::project::{Project, recording};

/// How long an answer of the engine may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Everything but the frame that the system draws round a window.
struct Desktop {
    workbench: Workbench,
    views: Views,
    engine: Engine,
    events: Receiver<Event>,
    copied: Vec<String>,
}

impl Desktop {
    fn act(&mut self, actions: impl IntoIterator<Item = Action>) {
        for action in actions {
            let effects = self.workbench.apply(action);
            self.perform(effects);
        }
        self.workbench.refresh();
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let library = self.workbench.library();
            match effect {
                Effect::Scan(paths) => self.engine.scan(paths),
                Effect::Read(id) => self.engine.read(id, library.share(id).unwrap()),
                Effect::Compare { left, right } => {
                    let sides = [left, right].map(|id| (id, library.share(id).unwrap()));
                    let [left, right] = sides;
                    self.engine.compare(left, right);
                }
                Effect::FindSource(id) => {
                    self.engine.then_and_now(id, library.share(id).unwrap());
                }
                Effect::Copy(text) => self.copied.push(text),
                _ => {}
            }
        }
    }

    fn is_waiting(&self) -> bool {
        let library = self.workbench.library();
        let reads = library
            .iter()
            .any(|(id, _)| matches!(library.opened(id), Some(Opened::Reading)));
        let looks =
            |side: &retake::workbench::SideBySide| matches!(side.finding(), Finding::Working);
        self.workbench.reading().is_some()
            || reads
            || self.workbench.side_by_side().is_some_and(looks)
    }
}

/// A window on some files.
struct Window {
    harness: Harness<'static, Desktop>,
}

impl Window {
    fn open(size: [f32; 2], paths: Vec<PathBuf>) -> Self {
        let (engine, events) = Engine::start(None, || {}).unwrap();
        let desktop = Desktop {
            workbench: Workbench::new(Remembered::default()),
            views: Views::new(None),
            engine,
            events,
            copied: Vec::new(),
        };
        let frame = |ui: &mut egui::Ui, desktop: &mut Desktop| {
            theme::install(ui.ctx(), Theme::Dark);
            let commands = keys::take_commands(ui.ctx());
            desktop.act(commands.into_iter().map(Action::Run));
            let mut actions = Vec::new();
            window_ui(ui, &mut desktop.workbench, &mut desktop.views, &mut actions);
            if !actions.is_empty() {
                ui.ctx().request_repaint();
            }
            desktop.act(actions);
        };
        let builder = Harness::builder().with_size(vec2(size[0], size[1]));
        let mut window = Self {
            harness: builder.build_ui_state(frame, desktop),
        };
        window.harness.state_mut().act([Action::Open(paths)]);
        window.settle();
        window
    }

    /// Paints until nothing changes and the engine owes no answer.
    fn settle(&mut self) {
        loop {
            self.harness.run();
            let desktop = self.harness.state_mut();
            if !desktop.is_waiting() && desktop.events.is_empty() {
                return;
            }
            let event = desktop.events.recv_timeout(PATIENCE).unwrap();
            let effects = desktop.workbench.receive(event);
            desktop.perform(effects);
            desktop.workbench.refresh();
        }
    }

    fn press(&mut self, key: Key) {
        self.press_with(Modifiers::NONE, key);
    }

    fn press_with(&mut self, held: Modifiers, key: Key) {
        self.harness.key_press_modifiers(held, key);
        self.settle();
    }

    /// Presses the keys of these letters, as a keyboard does: a key and its text at once.
    fn write(&mut self, text: &str) {
        for letter in text.chars() {
            let key = Key::from_name(&letter.to_uppercase().to_string()).unwrap();
            let press = egui::Event::Key {
                key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::NONE,
            };
            let text = egui::Event::Text(letter.to_string());
            self.harness.input_mut().events.extend([press, text]);
            self.settle();
        }
    }

    fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.settle();
    }

    fn shows(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    fn workbench(&self) -> &Workbench {
        &self.harness.state().workbench
    }

    /// The name of the selected item's file.
    fn selected(&self) -> String {
        let item = self.workbench().selected();
        item.map_or_else(String::new, |item| item.file_name().to_owned())
    }
}

/// Two unstamped recordings in a folder, the later one first in the list.
fn two_recordings() -> (Project, Window) {
    let project = Project::new(&[
        ("set/a.json", &recording("req-a", "")),
        ("set/b.json", &recording("req-b", "")),
    ]);
    let window = Window::open([1440.0, 900.0], vec![project.folder().to_owned()]);
    (project, window)
}

const ROW_B: &str = "req-b, recording, Unstamped";

#[test]
fn typing_goes_on_behind_what_was_completed() {
    let (_project, mut window) = two_recordings();
    window.write("/sta");
    window.press(Key::Tab);
    window.write("unst");
    window.press(Key::Enter);
    assert!(window.shows("Remove status unstamped"));
    assert!(
        window.shows("kind:"),
        "what is offered next is another term"
    );
    window.click("Clear the filter");
    assert!(!window.shows("Remove status unstamped"));
}

#[test]
fn escape_takes_away_one_thing_at_a_press() {
    let (_project, mut window) = two_recordings();
    window.press(Key::J);
    window.press(Key::M);
    let marked = window.workbench().list().marked();
    assert!(marked.is_some());

    window.write("/");
    assert!(window.shows("kind:"));
    window.press(Key::Escape);
    assert!(
        !window.shows("kind:"),
        "the list is closed, the field stays"
    );
    window.press(Key::Escape);
    assert_eq!(window.workbench().list().marked(), marked);

    window.harness.get_by_label(ROW_B).click_secondary();
    window.settle();
    assert!(window.shows("Copy the path"));
    window.press(Key::Escape);
    assert!(!window.shows("Copy the path"));
    assert_eq!(window.workbench().list().marked(), marked);
    window.press(Key::Escape);
    assert_eq!(window.workbench().list().marked(), None);
}

#[test]
fn problems_are_gone_through_by_the_keyboard_in_the_order_in_which_they_are_listed() {
    let (project, _) = two_recordings();
    project.write("set/broken.json", "{ \"request\": ");
    let mut window = Window::open([1440.0, 900.0], vec![project.folder().to_owned()]);
    window.press(Key::End);
    assert_eq!(window.selected(), "broken.json");

    window.press_with(Modifiers::COMMAND, Key::Num2);
    let place = |window: &Window| {
        let ProblemId { doc, index } = window.workbench().problems_desk().problem().unwrap();
        let item = window.workbench().library().get(doc).unwrap();
        format!("{} {}", item.file_name(), item.problems[index].rule)
    };
    let mut visited = vec![place(&window)];
    for key in [Key::J, Key::J, Key::K, Key::PageDown, Key::End, Key::F8] {
        window.press(key);
        visited.push(place(&window));
    }
    insta::assert_snapshot!(visited.join("\n"), @"
    broken.json syntax
    a.json signature-missing
    b.json signature-missing
    a.json signature-missing
    a.json signature-shared
    b.json signature-shared
    a.json source-unstamped
    ");

    window.press(Key::Enter);
    assert_eq!(window.workbench().here().desk, Desk::Library);
    assert_eq!(window.selected(), "a.json");
    assert!(window.shows("JSON   UTF-8, LF, no final newline"));
}

#[test]
fn in_a_narrow_window_the_details_lie_over_the_desk_and_esc_takes_them_away() {
    let (project, _) = two_recordings();
    let mut window = Window::open([900.0, 600.0], vec![project.folder().to_owned()]);
    window.press(Key::J);
    assert!(window.shows("Model hidden") || window.shows("Model, set hidden"));
    assert!(!window.shows("Conversation"));
    window.press(Key::Enter);
    assert!(window.shows("Conversation"));
    window.press(Key::Escape);
    assert!(!window.shows("Conversation"));
    window.click("Details");
    window.click("Close the details");
    assert!(!window.shows("Conversation"));
    assert_ne!(window.selected(), "", "the selection stays");
}
