//! The window's shell: receives events, runs effects, paints, applies actions. In that order, every frame.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::engine::{Engine, state};
use crate::ui::{Views, keys, theme, window_ui};
use crate::workbench::{Action, Effect, Event, Theme, Workbench};

/// How long a frame takes events before it paints.
const RECEIVE_AT_MOST: Duration = Duration::from_millis(4);

/// Opens the window on `paths`; with none, on what was open last or on the start page.
///
/// # Errors
///
/// A sentence for people, when no window can be opened.
pub fn run(paths: Vec<PathBuf>, root: Option<PathBuf>) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Retake")
        .with_app_id("retake")
        .with_inner_size([1440.0, 900.0])
        .with_min_inner_size([640.0, 400.0]);
    let options = eframe::NativeOptions {
        viewport,
        centered: true,
        ..Default::default()
    };
    let shell = move |creation: &eframe::CreationContext<'_>| {
        let shell = Shell::new(&creation.egui_ctx, paths, root)?;
        Ok(Box::new(shell) as Box<dyn eframe::App>)
    };
    eframe::run_native("Retake", options, Box::new(shell)).map_err(|error| {
        format!("no window can be opened ({error}); `retake list` and `retake check` need none")
    })
}

struct Shell {
    workbench: Workbench,
    engine: Engine,
    events: Receiver<Event>,
    dialog: Dialog,
    views: Views,
    theme: Theme,
    title: String,
}

/// The system's own dialog for files, which waits on a thread of its own.
struct Dialog {
    to_shell: Sender<Vec<PathBuf>>,
    picked: Receiver<Vec<PathBuf>>,
}

/// What a dialog lets choose.
#[derive(Clone, Copy)]
enum Pick {
    Folder,
    Files,
}

impl Dialog {
    fn open(&self, ctx: &egui::Context, pick: Pick) {
        let (to_shell, wake) = (self.to_shell.clone(), ctx.clone());
        let ask = move || {
            let picked = match pick {
                Pick::Folder => rfd::FileDialog::new()
                    .set_title("Open a folder")
                    .pick_folders(),
                Pick::Files => rfd::FileDialog::new().set_title("Open files").pick_files(),
            };
            // Nothing chosen, or the answer to an earlier dialog still waits: nothing to tell.
            let _ = to_shell.try_send(picked.unwrap_or_default());
            wake.request_repaint();
        };
        // Without a thread there is no dialog; opening by drop, argument and recent list still works.
        let _ = std::thread::Builder::new()
            .name("retake dialog".into())
            .spawn(ask);
    }
}

impl Shell {
    fn new(ctx: &egui::Context, paths: Vec<PathBuf>, root: Option<PathBuf>) -> io::Result<Self> {
        let remembered = state::load();
        theme::install(ctx, remembered.theme);
        let wake = ctx.clone();
        let (engine, events) = Engine::start(root, move || wake.request_repaint())?;
        let (to_shell, picked) = crossbeam_channel::bounded(1);
        let paths = if paths.is_empty() {
            remembered.opened.clone()
        } else {
            paths
        };
        let mut shell = Self {
            theme: remembered.theme,
            workbench: Workbench::new(remembered),
            engine,
            events,
            dialog: Dialog { to_shell, picked },
            views: Views::new(state::samples()),
            title: String::new(),
        };
        shell.act(ctx, vec![Action::Open(paths)]);
        Ok(shell)
    }

    fn act(&mut self, ctx: &egui::Context, actions: Vec<Action>) {
        for action in actions {
            let effects = self.workbench.apply(action);
            self.perform(ctx, effects);
        }
    }

    fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            let library = self.workbench.library();
            match effect {
                Effect::Scan(paths) => self.engine.scan(paths),
                Effect::CancelScan => self.engine.cancel_scan(),
                Effect::List(request) => self.engine.list(request),
                Effect::Read(id) => {
                    if let Some(item) = library.share(id) {
                        self.engine.read(id, item);
                    }
                }
                Effect::Compare { left, right } => {
                    if let (Some(a), Some(b)) = (library.share(left), library.share(right)) {
                        self.engine.compare((left, a), (right, b));
                    }
                }
                Effect::FindSource(id) => {
                    if let Some(item) = library.share(id) {
                        self.engine.then_and_now(id, item);
                    }
                }
                Effect::CancelSideBySide => self.engine.cancel_side_by_side(),
                Effect::PickFolder => self.dialog.open(ctx, Pick::Folder),
                Effect::PickFiles => self.dialog.open(ctx, Pick::Files),
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Remember(remembered) => {
                    if let Err(reason) = state::save(&remembered) {
                        let effects = self.workbench.receive(Event::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            }
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
        if let Ok(paths) = self.dialog.picked.try_recv() {
            let effects = self.workbench.receive(Event::Picked(paths));
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
        let title = match self.workbench.project() {
            Some(project) => format!("{} – Retake", project.name),
            None => "Retake".to_owned(),
        };
        if self.title != title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

impl eframe::App for Shell {
    fn logic(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        self.receive(ctx);
        self.dress(ctx);
        let dropped = ctx.input(|input| {
            input
                .raw
                .dropped_files
                .iter()
                .map(|file| file.path().to_owned())
                .collect::<Vec<_>>()
        });
        let mut actions = vec![Action::Open(dropped)];
        actions.extend(keys::take_commands(ctx).into_iter().map(Action::Run));
        self.act(ctx, actions);
        self.refresh(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let mut actions = Vec::new();
        window_ui(ui, &mut self.workbench, &mut self.views, &mut actions);
        if !actions.is_empty() {
            let ctx = ui.ctx().clone();
            self.act(&ctx, actions);
            self.refresh(&ctx);
            // What an action changed would else stay unseen until the mouse moves.
            ctx.request_repaint();
        }
    }
}
