//! The window's shell: every frame it receives events, runs effects, paints and applies actions, in this order.
//!
//! Operations of the desktop are behind [`SystemServices`], so that tests can use the whole window without one.

mod desktop;
mod dialogs;
mod dropped_files;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use calls::file_part::FilePart;
use engine::live::langsmith::Account;
use engine::{Engine, EngineOptions, user_settings};
use protocol::{EngineEvent, FetchEvent, ImportEvent, Remembered, Theme, WindowSize};
use ui::{Views, keys, window_ui};
use widgets::theme;
use widgets::{restore_sizes, sizes};
use workbench::{Action, Actions, Command, Effect, UserSettingsAction, Workbench};

use dialogs::DialogOutcome;
use dropped_files::action_for_drop;

pub use desktop::run;
pub use dialogs::DialogAnswer;
pub use workbench::Dialog;

/// Longest time for which a frame receives events before it paints: a quarter of a frame at 60 Hz.
const MAX_RECEIVE_TIME: Duration = Duration::from_millis(4);

/// Operations of the desktop that the shell uses.
pub trait SystemServices {
    /// Opens a dialog; the answer may arrive at any time.
    fn pick(&mut self, dialog: Dialog, answer: DialogAnswer);

    /// Saves this for the next start.
    ///
    /// # Errors
    ///
    /// A message that says why it could not be saved; the program continues without it.
    fn remember(&mut self, memory: &Remembered) -> Result<(), String>;

    /// Opens another window without a project.
    ///
    /// # Errors
    ///
    /// A message that says why it could not be opened.
    fn open_window(&mut self) -> Result<(), String>;
}

/// Options for starting the window.
#[derive(Clone, Debug, Default)]
pub struct StartOptions {
    /// The files and folders to open; empty for those that were open last.
    pub paths: Vec<PathBuf>,
    /// The file to show first, which is one of the paths, and what to show of it.
    pub place: Option<(PathBuf, Vec<FilePart>)>,
    /// Opens the start page in place of what was open last.
    pub is_new: bool,
    /// The folder outside which nothing is read; `None`: the project that each path is in.
    pub root: Option<PathBuf>,
    /// The state saved by the last run.
    pub remembered: Remembered,
    /// The folder in which unsaved edits survive the end of the program; `None`: they do not.
    pub state: Option<PathBuf>,
    /// The folder in which sources are kept as they were; `None`: they are not.
    pub sources: Option<PathBuf>,
    /// The folder with the index caches; `None`: none are used.
    pub caches: Option<PathBuf>,
    /// The folder in which steps of the command line are kept; `None`: the window does not know them.
    pub undo: Option<PathBuf>,
    /// The file with the user's own settings; `None`: there are none.
    pub settings: Option<PathBuf>,
    /// The LangSmith account, for when runs are fetched.
    pub langsmith: Account,
}

/// The window without its frame: the workbench, the views, the engine and the desktop.
pub struct AppShell<S> {
    workbench: Workbench,
    engine: Engine,
    events: Receiver<EngineEvent>,
    system: S,
    /// The channel for answers of dialogs.
    dialog: (Sender<DialogOutcome>, Receiver<DialogOutcome>),
    views: Views,
    theme: Theme,
    is_motion_reduced: bool,
    missing_fonts: theme::MissingFonts,
    title: String,
    /// Whether the window may be closed.
    closing: bool,
    /// Set on a signal to end.
    interrupted: Arc<AtomicBool>,
    /// Number of frames that have begun since the signal.
    frames_since_signal: usize,
    /// Commands that wait until text fields have applied this frame's input.
    deferred_commands: Vec<Command>,
}

impl<S: SystemServices> AppShell<S> {
    /// Sets up fonts and colours, and starts reading.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started to read.
    pub fn new(ctx: &egui::Context, start: StartOptions, system: S) -> io::Result<Self> {
        let StartOptions {
            mut paths,
            place,
            is_new,
            root,
            remembered,
            state,
            sources,
            caches,
            undo,
            settings,
            langsmith,
        } = start;
        if let Some(window) = remembered.window {
            // The limits of egui's own shortcuts for the zoom; the saved number may have been edited by hand.
            ctx.set_zoom_factor(window.zoom.clamp(20, 500) as f32 / 100.0);
        }
        // Made absolute, because the paths are remembered and the next start may be in another folder.
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        for path in &mut paths {
            *path = absolute(path);
        }
        let wake = ctx.clone();
        let setup = EngineOptions { root, state, sources, caches, undo, langsmith };
        // egui sleeps between inputs, so an event has to wake it from the engine's thread.
        let (engine, events) = Engine::start(setup, move || wake.request_repaint())?;
        if paths.is_empty() && !is_new {
            // Without `absolute`, since saved paths are absolute already.
            paths.clone_from(&remembered.opened);
        }
        let mut workbench = Workbench::new(remembered);
        if let Some(path) = settings {
            // Before the first frame, so that it has the theme of the user.
            let file = user_settings::read(&path);
            workbench.core.user.path = Some(path);
            let effects = workbench.receive(EngineEvent::UserSettings(file));
            debug_assert!(effects.is_empty());
        }
        let theme = workbench.core.theme();
        theme::install(ctx, theme);
        // The engine has the account; the views only learn its endpoint, or why it cannot be used.
        let event = ImportEvent::Fetch(FetchEvent::Known(engine.langsmith()));
        let effects = workbench.receive(EngineEvent::Import(event));
        debug_assert!(effects.is_empty());
        let mut shell = Self {
            theme,
            is_motion_reduced: false,
            missing_fonts: theme::MissingFonts::watch(ctx),
            workbench,
            engine,
            events,
            system,
            // One place: a second dialog that was opened meanwhile must not add an answer that no one expects.
            dialog: crossbeam_channel::bounded(1),
            views: Views::default(),
            title: String::new(),
            closing: false,
            interrupted: Arc::default(),
            frames_since_signal: 0,
            deferred_commands: Vec::new(),
        };
        let open = match place {
            Some((file, parts)) => {
                let show = Action::ShowParts(absolute(&file), parts);
                // The file can only be shown once the scan has found it.
                Action::OpenThen(paths, Box::new(show))
            }
            None => Action::Open(paths),
        };
        shell.act(ctx, vec![open]);
        Ok(shell)
    }

    /// Returns what is set to end the window as a signal does: unsaved edits are stored, and nothing is confirmed.
    pub fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    fn act(&mut self, ctx: &egui::Context, actions: Actions) {
        for action in actions {
            let effects = self.workbench.apply(action);
            self.perform(ctx, effects);
        }
    }

    /// Runs the workbench's effects; slow work is passed to the engine.
    fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Run(request) => self.engine.run(request),
                Effect::Cancel(request) => self.engine.cancel(request),
                Effect::Pick(dialog) => {
                    let answer = DialogAnswer {
                        to_shell: self.dialog.0.clone(),
                        dialog: dialog.clone(),
                        ctx: ctx.clone(),
                    };
                    self.system.pick(dialog, answer);
                }
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Remember(mut remembered) => {
                    // The workbench has no window, so size and place are added here.
                    remembered.window = window_size(ctx, remembered.window);
                    if let Err(reason) = self.system.remember(&remembered) {
                        let effects = self.workbench.receive(EngineEvent::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::OpenWindow => {
                    if let Err(reason) = self.system.open_window() {
                        let effects = self.workbench.receive(EngineEvent::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::Quit => {
                    self.closing = true;
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }

    fn receive(&mut self, ctx: &egui::Context) {
        let start = Instant::now();
        while let Ok(event) = self.events.try_recv() {
            let effects = self.workbench.receive(event);
            self.perform(ctx, effects);
            // Checked after an event, so that each frame makes progress even if one event alone takes longer.
            if start.elapsed() > MAX_RECEIVE_TIME {
                ctx.request_repaint();
                break;
            }
        }
        // Outside the time limit above: a dialog gives one answer, and the user waits for it.
        match self.dialog.1.try_recv() {
            Ok(DialogOutcome::Chosen(choice)) => {
                let action = Action::from_choice(choice);
                self.act(ctx, action.into_iter().collect());
            }
            Ok(DialogOutcome::Unsuitable(dialog, chosen, fault)) => {
                let effects = self.workbench.on_unsuitable_choice(dialog, &chosen, fault);
                self.perform(ctx, effects);
            }
            Ok(DialogOutcome::Unavailable(dialog)) => {
                let effects = self.workbench.on_dialog_unavailable(dialog);
                self.perform(ctx, effects);
            }
            Err(_) => {}
        }
    }

    fn refresh(&mut self, ctx: &egui::Context) {
        // After every batch of actions: only here do desks request what they are missing.
        let effects = self.workbench.refresh().into_iter().collect();
        self.perform(ctx, effects);
    }

    /// Stores the unsaved edits, and closes the window as soon as nothing is missing.
    fn end(&mut self, ctx: &egui::Context) {
        self.frames_since_signal += 1;
        if self.frames_since_signal == 2 {
            // The fields have the input of the previous frame by now. An invalid draft cannot be stored.
            self.workbench.apply_drafts();
            self.refresh(ctx);
        }
        // The program must not end while the engine's threads still write.
        self.engine.finish_writes();
        if self.frames_since_signal >= 2 && !self.workbench.has_pending_changes() {
            self.perform(ctx, vec![Effect::Quit]);
        } else {
            ctx.request_repaint();
        }
    }

    fn apply_theme(&mut self, ctx: &egui::Context) {
        let theme = self.workbench.core.theme();
        if self.theme != theme {
            self.theme = theme;
            theme::choose(ctx, theme);
        }
        let is_reduced = self.workbench.core.user.settings.reduced_motion;
        if self.is_motion_reduced != is_reduced {
            self.is_motion_reduced = is_reduced;
            theme::reduce_motion(ctx, is_reduced);
        }
        let unsaved_file = self.workbench.core.library.unsaved().next();
        let mark = unsaved_file.map_or("", |_| "• ");
        let title = match self.workbench.core.project.as_ref() {
            Some(project) => format!("{mark}{} – Retake", project.name),
            None => "Retake".to_owned(),
        };
        // Each viewport command requests a repaint, so without this check the window would never rest.
        if self.title != title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Handles what happened since the last frame; must not paint.
    pub fn logic(&mut self, ctx: &egui::Context) {
        self.workbench.set_time(ctx.input(|input| input.time));
        self.receive(ctx);
        // The project that was opened may have sizes of its own.
        if sizes(ctx) != self.workbench.core.sizes {
            restore_sizes(ctx, &self.workbench.core.sizes);
        }
        self.apply_theme(ctx);
        let mut actions: Actions = action_for_drop(ctx, &self.workbench).into_iter().collect();
        if ctx.input(|input| input.events.contains(&egui::Event::WindowFocused(true))) {
            // The settings may have been edited in another window.
            actions.push(Action::UserSettings(UserSettingsAction::Read));
        }
        if ctx.input(|input| input.viewport().close_requested()) && !self.closing {
            // Confirm discarding unsaved edits first.
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            actions.push(Action::Run(Command::Quit));
        }
        let commands = keys::take_commands(ctx, &self.workbench).into_iter();
        // A text field applies this frame's input when it is painted, and a save must include it.
        let is_typing = ctx.text_edit_focused();
        let (late_commands, ready_commands): (Vec<Command>, Vec<Command>) =
            commands.partition(|command| is_typing && command.counts_edits());
        self.deferred_commands = late_commands;
        actions.extend(ready_commands.into_iter().map(Action::Run));
        self.act(ctx, actions);
        self.refresh(ctx);
        if self.interrupted.load(Ordering::Relaxed) && !self.closing {
            self.end(ctx);
        }
    }

    /// Paints, and applies the user's actions.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        let mut actions = Vec::new();
        window_ui(ui, &mut self.workbench, &mut self.views, &mut actions);
        self.workbench.core.sizes = sizes(ui.ctx());
        if let Some(message) = self.missing_fonts.take_message() {
            self.workbench.on_missing_fonts(message);
            ui.ctx().request_repaint();
        }
        // After painting: by now the fields have taken this frame's input.
        actions.extend(self.deferred_commands.drain(..).map(Action::Run));
        if !actions.is_empty() {
            let ctx = ui.ctx().clone();
            self.act(&ctx, actions);
            self.refresh(&ctx);
            // Without this, the change would not show until the mouse moves.
            ctx.request_repaint();
        }
    }
}

/// Returns the size, the place and the zoom of the window, or what they were before where it has no frame.
fn window_size(ctx: &egui::Context, previous: Option<WindowSize>) -> Option<WindowSize> {
    let zoom = ctx.zoom_factor();
    let (rect, outer_rect, is_maximized) = ctx.input(|input| {
        let viewport = input.viewport();
        let is_maximized = viewport.maximized.unwrap_or_default();
        (viewport.inner_rect, viewport.outer_rect, is_maximized)
    });
    let Some(rect) = rect else { return previous };
    // egui counts in zoomed points; what is saved must not depend on the zoom.
    let size = rect.size() * zoom;
    let size = (size.x.round() as u32, size.y.round() as u32);
    let place = outer_rect
        .map(|outer_rect| outer_rect.min * zoom)
        .map(|place| (place.x.round() as i32, place.y.round() as i32));
    // A maximized window keeps the size and the place to which it returns.
    let normal = previous.filter(|_| is_maximized);
    Some(WindowSize {
        size: normal.map_or(size, |previous| previous.size),
        place: normal.map_or(place, |previous| previous.place),
        is_maximized,
        zoom: (zoom * 100.0).round() as u32,
    })
}
