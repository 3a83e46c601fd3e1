//! A window with the engine that reads for it, of which every picture is made and thrown away.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use egui::Event as Input;
use engine::{Engine, EngineOptions};
use protocol::{DiskChange, EngineEvent, Remembered, WatchState};
use workbench::{Action, Effect, Workbench};

use crate::window::Window;

pub(crate) struct OpenedFolder {
    engine: Engine,
    events: Receiver<EngineEvent>,
    pub(crate) window: Window,
    /// How long the longest picture took, with all that the window did for it.
    pub(crate) longest: Duration,
    /// From the start of the engine until the first rows were painted.
    pub(crate) first_rows: Duration,
    started: Instant,
    is_watched: bool,
}

impl OpenedFolder {
    /// Opens a folder, and waits until it is read, listed and watched.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let start = Instant::now();
        let (mut engine, events) = Engine::start(EngineOptions::default(), || {})?;
        let mut window = Window::new(Workbench::new(Remembered::default()));
        window.paint(Vec::new());
        engine.scan(vec![folder.to_owned()]);
        let mut opened_folder = Self {
            engine,
            events,
            window,
            longest: Duration::ZERO,
            first_rows: Duration::ZERO,
            started: start,
            is_watched: false,
        };
        while !opened_folder.is_watched || opened_folder.workbench().core.list.listing.is_empty() {
            let event = opened_folder.next();
            opened_folder.receive(event);
            if opened_folder.first_rows.is_zero()
                && !opened_folder.workbench().core.list.listing.is_empty()
            {
                opened_folder.first_rows = start.elapsed();
            }
        }
        Ok(opened_folder)
    }

    pub(crate) fn workbench(&self) -> &Workbench {
        &self.window.workbench
    }

    /// Waits for what the engine reports next.
    fn next(&self) -> EngineEvent {
        let event = self.events.recv_timeout(Duration::from_secs(60));
        event.expect("the engine answers")
    }

    /// Handles an event, and paints what it changed.
    fn receive(&mut self, event: EngineEvent) {
        self.handle(event);
        self.picture(Vec::new());
    }

    fn handle(&mut self, event: EngineEvent) {
        self.is_watched |=
            matches!(event, EngineEvent::DiskChanged(_, DiskChange::Watching(WatchState::Live)));
        let effects = self.window.workbench.receive(event);
        self.perform(effects);
    }

    /// Applies an action, and paints what it changed.
    pub(crate) fn act(&mut self, action: Action) {
        let effects = self.window.workbench.apply(action);
        self.perform(effects);
        self.picture(Vec::new());
    }

    /// Handles events until something is so. Returns how long that took.
    pub(crate) fn wait(&mut self, mut is_reached: impl FnMut(&Workbench) -> bool) -> Duration {
        let start = Instant::now();
        while !is_reached(self.workbench()) {
            let event = self.next();
            self.receive(event);
        }
        start.elapsed()
    }

    /// Handles events until a text is shown.
    pub(crate) fn wait_for_text(&mut self, text: &str) {
        while !self.window.texts().contains(text) {
            let event = self.next();
            self.receive(event);
        }
    }

    /// Paints a picture; returns how long that took, with the work of the window for it.
    pub(crate) fn picture(&mut self, input: Vec<Input>) -> Duration {
        let start = Instant::now();
        while let Ok(event) = self.events.try_recv() {
            self.handle(event);
        }
        let seconds = self.started.elapsed().as_secs_f64();
        self.window.workbench.set_time(seconds);
        let effects = self.window.workbench.refresh();
        self.perform(effects);
        for action in self.window.paint(input) {
            let effects = self.window.workbench.apply(action);
            self.perform(effects);
        }
        let duration = start.elapsed();
        self.longest = self.longest.max(duration);
        duration
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Run(request) => self.engine.run(request),
                Effect::Cancel(request) => self.engine.cancel(request),
                _ => {}
            }
        }
    }
}
