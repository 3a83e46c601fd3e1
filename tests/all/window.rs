//! The window from outside: a person opens the samples, finds things by their names, presses keys, and sees what comes.
//!
//! It is the whole window with its engine and real files; only the frame around it and the system's dialogs are missing.

mod budget;
pub(crate) mod calls;
mod commands;
mod crashes;
mod drafts;
mod drift;
mod editing;
mod every_list;
mod fetching;
mod few_keys;
mod formats;
mod keys;
mod legible;
mod library;
mod lists;
mod live_queue;
mod map;
mod names;
mod opening;
mod palette;
mod paths;
mod playback;
mod problems;
mod replace;
mod review;
mod seeds;
mod session_contract;
mod sessions;
mod settings;
mod side_by_side;
mod sources;
mod stamps;
mod tape_making;
mod tapes;
mod text;
mod triage;
mod unsaved;
mod watching;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use egui::accesskit::Toggled;
use egui::{Key, Modifiers, OutputCommand, Rect, Role, ViewportId};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use protocol::{Grouping, ProjectView, Remembered};
use retake::app::{AppShell, DialogAnswer, StartOptions, SystemServices};
use workbench::Dialog;

use crate::project::{Project, copy};
use crate::samples::{NOW, checkout, source_when_recorded};

/// How long the engine may be silent while something is waited for: longer than any machine needs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How many frames may follow each other without a pause before a window counts as restless.
const RESTLESS: usize = 500;

/// A window that a test looks at and uses.
struct Window {
    harness: Harness<'static, Slot>,
    /// Signals that a frame is requested, from any thread.
    wakes: mpsc::Receiver<()>,
    kept: Rc<RefCell<Remembered>>,
    /// What was put on the clipboard last.
    copied: Option<String>,
    /// Whether the window has closed itself.
    is_closed: bool,
}

/// The shell needs the context that it paints in, which is there only after the harness.
type Slot = Rc<RefCell<Option<AppShell<Desktop>>>>;

/// A desktop on which the user always chooses the same; `None` if it cannot show dialogs.
struct Desktop {
    chosen: Option<Vec<PathBuf>>,
    kept: Rc<RefCell<Remembered>>,
}

impl SystemServices for Desktop {
    fn pick(&mut self, _: Dialog, answer: DialogAnswer) {
        match &self.chosen {
            Some(chosen) => answer.send(chosen.clone()),
            None => answer.send_unavailable(),
        }
    }

    fn remember(&mut self, remembered: &Remembered) -> Result<(), String> {
        *self.kept.borrow_mut() = remembered.clone();
        Ok(())
    }

    fn open_window(&mut self) -> Result<(), String> {
        Err("Cannot open a window: no desktop.".to_owned())
    }
}

/// The samples in a repository of their own, whose history holds the source as it was recorded.
fn samples() -> Project {
    const MACHINE: &str = "sample-recordings/machines/triage-ticket.dygram";
    let project = Project::new(&[]);
    let folder = project.path("sample-recordings");
    copy(&checkout().join("sample-recordings"), &folder);
    // Tests of cassettes and other recorders open a copy of their own; the others count rows.
    for folder in ["cassettes", "fixtures"].map(|name| folder.join(name)) {
        std::fs::remove_dir_all(folder).unwrap();
    }
    project.git(&["init", "-q", "-b", "main"]);
    for (text, message) in [(&*source_when_recorded(), "then"), (NOW, "now")] {
        project.write(MACHINE, text);
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", message]);
    }
    project
}

/// To start with a file or folder of a project.
fn start_with(project: &Project, path: &str) -> StartOptions {
    StartOptions { paths: vec![project.path(path)], ..StartOptions::default() }
}

/// Opens the samples and waits until all of them are read.
fn open_samples(project: &Project) -> Window {
    let mut window = Window::open(start_with(project, "sample-recordings"), Vec::new());
    window.wait_for_samples();
    window
}

/// Opens the page that a window starts with when nothing is open.
fn open_start_page() -> Window {
    let mut window = Window::open(StartOptions::default(), Vec::new());
    window.settle();
    window
}

impl Window {
    /// Opens a window as the program does. `chosen` is what dialogs answer.
    fn open(start: StartOptions, chosen: Vec<PathBuf>) -> Self {
        Self::open_in_time(start, chosen, 1.0 / 4.0)
    }

    /// Opens a window on a desktop that cannot show dialogs.
    fn open_without_dialogs(start: StartOptions) -> Self {
        Self::open_on(start, None, 1.0 / 4.0)
    }

    /// The same; a frame takes this many seconds of the window's time.
    fn open_in_time(start: StartOptions, chosen: Vec<PathBuf>, frame: f32) -> Self {
        Self::open_on(start, Some(chosen), frame)
    }

    fn open_on(mut start: StartOptions, chosen: Option<Vec<PathBuf>>, frame: f32) -> Self {
        // Most tests look at single recordings, whatever set they are in.
        if !start.paths.is_empty() && start.remembered.projects.is_empty() {
            let view = ProjectView {
                opened: start.paths.clone(),
                grouping: Grouping::None,
                ..ProjectView::default()
            };
            start.remembered.projects.push(view);
        }
        let kept = Rc::default();
        let system = Desktop { chosen, kept: Rc::clone(&kept) };
        let (wake, wakes) = mpsc::channel();
        let slot = Slot::default();
        let filled = Rc::clone(&slot);
        let harness = Harness::builder()
            // High enough for a row of each sample: rows out of sight get no layout.
            .with_size([1440.0, 1600.0])
            .with_step_dt(frame)
            .with_context_setup(move |ctx| {
                ctx.set_request_repaint_callback(move |_| {
                    let _ = wake.send(());
                });
                *filled.borrow_mut() = Some(AppShell::new(ctx, start, system).unwrap());
            })
            .build_ui_state(
                |ui, slot: &mut Slot| {
                    let mut shell = slot.borrow_mut();
                    let shell = shell.as_mut().unwrap();
                    shell.logic(&ui.ctx().clone());
                    shell.ui(ui);
                },
                slot,
            );
        Self { harness, wakes, kept, copied: None, is_closed: false }
    }

    /// Runs frames until something holds and the window is at rest.
    #[track_caller]
    fn wait_until(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        loop {
            self.settle();
            if holds(self) {
                return;
            }
            // A clock that is shown wakes the window without anything that is waited for.
            if self.wakes.recv_timeout(TIMEOUT).is_err() || began.elapsed() > TIMEOUT {
                let shown = self.texts().join("\n");
                panic!("{what} did not come; the window shows:\n{shown}");
            }
        }
    }

    /// Runs frames until no further one is requested.
    #[track_caller]
    fn settle(&mut self) {
        let restless = (0..RESTLESS).all(|_| {
            self.harness.step();
            let output = self.harness.output();
            for command in &output.platform_output.commands {
                if let OutputCommand::CopyText(text) = command {
                    self.copied = Some(text.clone());
                }
            }
            let viewport = &output.viewport_output[&ViewportId::ROOT];
            self.is_closed |= viewport.commands.contains(&egui::ViewportCommand::Close);
            viewport.repaint_delay.is_zero()
        });
        assert!(!restless, "the window does not come to rest");
        self.harness.check_accessibility();
    }

    /// Waits until a control or a text of this name is there.
    #[track_caller]
    fn wait_for(&mut self, name: &str) {
        self.wait_until(name, |window| window.shows(name));
    }

    /// Waits until the samples that the program contains are read.
    #[track_caller]
    fn wait_for_all_samples(&mut self) {
        self.wait_until("all samples", |window| {
            window.shows("39 items") && window.shows("All 39") && window.is_watching()
        });
        // The samples are grouped by folder and set; the tests look at single recordings.
        self.press(Key::G);
    }

    #[track_caller]
    fn wait_for_samples(&mut self) {
        self.wait_until("all samples", |window| {
            window.shows("28 items") && window.rows().len() == 28 && window.is_watching()
        });
    }

    /// Whether everything is read and judged, so that no row moves any more by itself.
    fn is_watching(&self) -> bool {
        self.says("Watching") || self.says("Rescanning")
    }

    /// Waits until the list has this many rows.
    #[track_caller]
    fn wait_for_rows(&mut self, count: usize) {
        self.wait_until("all rows", |window| window.rows().len() == count);
    }

    /// Presses a control, which has to be there.
    #[track_caller]
    fn click(&mut self, role: Role, name: &str) {
        self.find(role, name).click();
        self.settle();
    }

    /// Presses the last of several controls of this name.
    #[track_caller]
    fn click_last(&mut self, role: Role, name: &str) {
        let last = self.harness.get_all_by_role_and_label(role, name).last();
        last.unwrap().click();
        self.settle();
    }

    #[track_caller]
    fn find<'a>(&'a self, role: Role, name: &'a str) -> Node<'a> {
        self.harness.get_by_role_and_label(role, name)
    }

    fn press(&mut self, key: Key) {
        self.press_with(Modifiers::NONE, key);
    }

    fn press_with(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    /// Presses Tab until a control has the keyboard focus.
    #[track_caller]
    fn tab_to(&mut self, role: Role, name: &str) {
        for _ in 0..100 {
            if self.find(role, name).is_focused() {
                return;
            }
            self.press(Key::Tab);
        }
        panic!("{name} is not reached by Tab");
    }

    /// Types, letter by letter, as a keyboard does: the key and its text.
    fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            if let Some(key) = Key::from_name(&letter.to_uppercase().to_string()) {
                self.harness.key_down(key);
            }
            self.harness.event(egui::Event::Text(letter.to_string()));
        }
        self.settle();
    }

    /// Replaces the text in a field.
    #[track_caller]
    fn fill(&mut self, role: Role, name: &str, text: &str) {
        self.find(role, name).focus();
        self.settle();
        self.press_with(Modifiers::COMMAND, Key::A);
        self.press(Key::Delete);
        self.type_text(text);
    }

    /// What every control is called and what every text says, from the back to the front.
    fn texts(&self) -> Vec<String> {
        let nodes = self.nodes();
        nodes.filter_map(|node| text_of(&node)).collect()
    }

    fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let nodes = self.harness.root().children_recursive();
        nodes.filter(|node| node.accesskit_node().role() != Role::TextRun)
    }

    /// Whether a control or a text is called exactly this.
    fn shows(&self, name: &str) -> bool {
        self.nodes().any(|node| text_of(&node).as_deref() == Some(name))
    }

    /// Whether a control or a text has this in it.
    fn says(&self, text: &str) -> bool {
        self.texts().iter().any(|shown| shown.contains(text))
    }

    /// The rows of the list, each with `>` where it is selected.
    fn rows(&self) -> Vec<String> {
        let rows = self.nodes().filter(|node| role_of(node) == Role::ListBoxOption);
        rows.map(|row| {
            let mark = if is_on(&row) { ">" } else { "" };
            format!("{mark}{}", text_of(&row).unwrap_or_default())
        })
        .collect()
    }

    /// The row that is selected.
    fn selected(&self) -> Option<String> {
        let rows = self.rows();
        let mut rows = rows.iter().filter_map(|row| row.strip_prefix('>'));
        rows.next().map(str::to_owned)
    }

    /// The lines of text whose left edge is within the left and right edge of `area`, from the top down.
    fn lines_in(&self, area: Rect) -> Vec<String> {
        let nodes = self.nodes().filter(|node| {
            role_of(node) == Role::Label && area.x_range().contains(node.rect().left())
        });
        let mut lines: Vec<(f32, String)> =
            nodes.filter_map(|node| Some((node.rect().top(), text_of(&node)?))).collect();
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.into_iter().map(|(_, line)| line).collect()
    }
}

fn role_of(node: &Node<'_>) -> Role {
    node.accesskit_node().role()
}

/// What a control is called, or what a text says.
fn text_of(node: &Node<'_>) -> Option<String> {
    let node = node.accesskit_node();
    node.label().or_else(|| node.value()).filter(|text| !text.trim().is_empty())
}

/// Whether a row or a choice is the chosen one.
fn is_on(node: &Node<'_>) -> bool {
    let node = node.accesskit_node();
    node.is_selected() == Some(true) || node.toggled() == Some(Toggled::True)
}
