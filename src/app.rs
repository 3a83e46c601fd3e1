//! The window's shell: receives events, runs effects, paints, applies actions. In that order, every frame.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::ui::{Views, keys, theme, window_ui};
use crate::workbench::{Action, Effect, Theme, Workbench};

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
    let options = eframe::NativeOptions { viewport, centered: true, ..Default::default() };
    let shell = move |creation: &eframe::CreationContext<'_>| {
        Ok(Box::new(Shell::new(&creation.egui_ctx, paths, root)) as Box<dyn eframe::App>)
    };
    eframe::run_native("Retake", options, Box::new(shell)).map_err(|error| {
        format!("no window can be opened ({error}); `retake list` and `retake check` need none")
    })
}

struct Shell {
    workbench: Workbench,
    engine: Engine,
    views: Views,
    theme: Option<Theme>,
    title: String,
}

impl Shell {
    fn new(ctx: &egui::Context, paths: Vec<PathBuf>, root: Option<PathBuf>) -> Self {
        theme::install(ctx);
        let wake = ctx.clone();
        let engine = Engine::start(root, move || wake.request_repaint());
        let remembered = engine.remembered();
        let paths = if paths.is_empty() { remembered.opened.clone() } else { paths };
        let workbench = Workbench::new(remembered);
        let mut shell =
            Self { workbench, engine, views: Views::default(), theme: None, title: String::new() };
        shell.act(ctx, vec![Action::Open(paths)]);
        shell
    }

    fn act(&mut self, ctx: &egui::Context, actions: Vec<Action>) {
        for action in actions {
            let effects = self.workbench.apply(action);
            self.perform(ctx, effects);
        }
    }

    fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
                other => self.engine.perform(other),
            }
        }
    }

    fn receive(&mut self, ctx: &egui::Context) {
        let started = Instant::now();
        while let Some(event) = self.engine.try_event() {
            let effects = self.workbench.receive(event);
            self.perform(ctx, effects);
            if started.elapsed() > RECEIVE_AT_MOST {
                ctx.request_repaint();
                break;
            }
        }
    }

    fn dress(&mut self, ctx: &egui::Context) {
        let wanted = self.workbench.remembered().theme;
        if self.theme != Some(wanted) {
            self.theme = Some(wanted);
            ctx.set_theme(theme::preference(wanted));
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
            input.raw.dropped_files.iter().filter_map(|file| file.path.clone()).collect::<Vec<_>>()
        });
        let mut actions = vec![Action::Open(dropped)];
        actions.extend(keys::take_commands(ctx).into_iter().map(Action::Run));
        self.act(ctx, actions);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let mut actions = Vec::new();
        window_ui(ui, &mut self.workbench, &mut self.views, &mut actions);
        if !actions.is_empty() {
            let ctx = ui.ctx().clone();
            self.act(&ctx, actions);
            // What an action changed would else stay unseen until the mouse moves.
            ctx.request_repaint();
        }
    }
}
