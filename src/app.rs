//! The window's shell: receives events, runs effects, paints, applies actions. In that order, every frame.
//!
//! What only the system can do is behind [`System`], so that the whole window can also be used without one, by tests.

mod desktop;
mod dropping;
mod perform;
mod picking;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::engine::live::langsmith::Account;
use crate::engine::{Engine, Setup};
use crate::ui::{Views, keys, theme, window_ui};
use crate::workbench::{
    Action, Command, Effect, Event, FetchEvent, ImportEvent, Remembered, Theme, Workbench,
};

use dropping::dropped;

pub use desktop::run;
pub use picking::{Answer, Pick};

/// How long a frame takes events before it paints.
const RECEIVE_AT_MOST: Duration = Duration::from_millis(4);

/// What the shell asks of the system around the window.
pub trait System {
    /// Lets the user choose; the answer may come at any time.
    fn pick(&mut self, pick: Pick, answer: Answer);

    /// Keeps this for the next start.
    ///
    /// # Errors
    ///
    /// Says in a sentence why it could not be kept; the program goes on without.
    fn remember(&mut self, remembered: &Remembered) -> Result<(), String>;
}

/// With what a window begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The files and folders to open; none: what was open last.
    pub paths: Vec<PathBuf>,
    /// The folder outside which nothing is read; `None`: the project that each path lies in.
    pub root: Option<PathBuf>,
    /// What was kept from the last time.
    pub remembered: Remembered,
    /// The folder of the sample project, if there is one.
    pub samples: Option<PathBuf>,
    /// The folder in which unsaved edits survive the end of the program; `None`: they do not.
    pub state: Option<PathBuf>,
    /// The folder in which sources are kept as they were; `None`: they are not.
    pub sources: Option<PathBuf>,
    /// How one gets to LangSmith, if that is asked for.
    pub langsmith: Account,
}

/// The window without its frame: what it shows, the engine that reads for it, and the system it asks.
pub struct Shell<S> {
    workbench: Workbench,
    engine: Engine,
    events: Receiver<Event>,
    system: S,
    /// The channel by which answers to dialogs come.
    dialog: (Sender<Event>, Receiver<Event>),
    views: Views,
    theme: Theme,
    title: String,
    /// Nothing stands in the way of closing the window.
    closing: bool,
    /// Commands that wait until the fields have what was typed in this frame.
    late: Vec<Command>,
}

impl<S: System> Shell<S> {
    /// Sets up how everything looks and begins to read.
    ///
    /// # Errors
    ///
    /// When no thread can be started to read.
    pub fn new(ctx: &egui::Context, start: Start, system: S) -> io::Result<Self> {
        let Start {
            mut paths,
            root,
            remembered,
            samples,
            state,
            sources,
            langsmith,
        } = start;
        theme::install(ctx, remembered.theme);
        let wake = ctx.clone();
        let setup = Setup {
            root,
            state,
            sources,
            langsmith,
        };
        let (engine, events) = Engine::start(setup, move || wake.request_repaint())?;
        if paths.is_empty() {
            paths.clone_from(&remembered.opened);
        }
        let theme = remembered.theme;
        let mut workbench = Workbench::new(remembered);
        let known = ImportEvent::Fetch(FetchEvent::Known(engine.langsmith()));
        let effects = workbench.receive(Event::Import(known));
        debug_assert!(effects.is_empty());
        let mut shell = Self {
            theme,
            workbench,
            engine,
            events,
            system,
            dialog: crossbeam_channel::bounded(1),
            views: Views::new(samples),
            title: String::new(),
            closing: false,
            late: Vec::new(),
        };
        shell.act(ctx, vec![Action::Open(paths)]);
        Ok(shell)
    }

    fn act(&mut self, ctx: &egui::Context, actions: Vec<Action>) {
        for action in actions {
            let mut before = Vec::new();
            let stays = match action {
                Action::Run(command) => self.views.put_in(command, &mut before),
                _ => Ok(()),
            };
            let effects = before.into_iter().chain(stays.is_ok().then_some(action));
            let effects = effects.flat_map(|action| self.workbench.apply(action));
            let mut effects: Vec<Effect> = effects.collect();
            if let Err(Some(reason)) = stays {
                effects.extend(self.workbench.receive(Event::Failed(reason)));
            }
            self.perform(ctx, effects);
        }
    }

    fn receive(&mut self, ctx: &egui::Context) {
        let started = Instant::now();
        while let Ok(event) = self.events.try_recv() {
            let effects = self.workbench.receive(event);
            self.perform(ctx, effects);
            if started.elapsed() > RECEIVE_AT_MOST {
                ctx.request_repaint();
                break;
            }
        }
        if let Ok(picked) = self.dialog.1.try_recv() {
            let effects = self.workbench.receive(picked);
            self.perform(ctx, effects);
        }
    }

    fn refresh(&mut self, ctx: &egui::Context) {
        let effects = self.workbench.refresh().into_iter().collect();
        self.perform(ctx, effects);
    }

    fn dress(&mut self, ctx: &egui::Context) {
        let wanted = self.workbench.remembered().theme;
        if self.theme != wanted {
            self.theme = wanted;
            theme::choose(ctx, wanted);
        }
        let unsaved = self.workbench.library().unsaved().next();
        let mark = unsaved.map_or("", |_| "• ");
        let title = match self.workbench.project() {
            Some(project) => format!("{mark}{} – Retake", project.name),
            None => "Retake".to_owned(),
        };
        if self.title != title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Takes what happened since the last frame; may not paint.
    pub fn logic(&mut self, ctx: &egui::Context) {
        self.workbench.tell_time(ctx.input(|input| input.time));
        self.receive(ctx);
        self.dress(ctx);
        let mut actions: Vec<Action> = dropped(ctx, &self.workbench).into_iter().collect();
        if ctx.input(|input| input.viewport().close_requested()) && !self.closing {
            // What is unsaved is asked about first.
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            actions.push(Action::Run(Command::Quit));
        }
        let commands = keys::take_commands(ctx, &self.workbench).into_iter();
        // A field gets what was typed in this frame when it is painted, and a save must not miss that.
        let is_typing = ctx.text_edit_focused();
        let (late, now): (Vec<Command>, Vec<Command>) =
            commands.partition(|command| is_typing && command.counts_edits());
        self.late = late;
        actions.extend(now.into_iter().map(Action::Run));
        self.act(ctx, actions);
        self.refresh(ctx);
    }

    /// Paints, and does what the user asks for.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        let mut actions = Vec::new();
        window_ui(ui, &mut self.workbench, &mut self.views, &mut actions);
        actions.extend(self.late.drain(..).map(Action::Run));
        if !actions.is_empty() {
            let ctx = ui.ctx().clone();
            self.act(&ctx, actions);
            self.refresh(&ctx);
            // What an action changed would else stay unseen until the mouse moves.
            ctx.request_repaint();
        }
    }
}
