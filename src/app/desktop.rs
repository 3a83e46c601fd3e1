//! The window on a desktop: its frame, its dialogs, and the state that is kept between starts.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use log::{Level, LevelFilter, Log, Metadata, Record};

use super::{AppShell, DialogAnswer, StartOptions, SystemServices};
use crate::engine::live::langsmith::Account;
use crate::engine::state;
use crate::workbench::{Dialog, DialogKind, Remembered};

/// Opens the window on `paths`; with none, on what was open last or on the start page. Nothing outside `root` is read.
///
/// # Errors
///
/// A message for the user, when no window can be opened.
pub fn run(paths: Vec<PathBuf>, root: Option<PathBuf>) -> Result<(), String> {
    // If there is another logger, a dialog that cannot be shown looks like one that was cancelled.
    if log::set_logger(&DialogLog).is_ok() {
        log::set_max_level(LevelFilter::Error);
    }
    let remembered = state::load();
    let window = remembered.window;
    let (width, height) = window.map_or((1440, 900), |window| window.size);
    let viewport = egui::ViewportBuilder::default()
        .with_title("Retake")
        .with_app_id("retake")
        .with_inner_size([width as f32, height as f32])
        .with_maximized(window.is_some_and(|window| window.is_maximized))
        .with_min_inner_size([640.0, 400.0]);
    let options = eframe::NativeOptions {
        viewport,
        centered: true,
        ..Default::default()
    };
    let start = StartOptions {
        paths,
        root,
        remembered,
        state: state::folder(),
        sources: state::sources(),
        langsmith: Account::from_environment(),
    };
    let window = move |creation: &eframe::CreationContext<'_>| {
        let window = AppWindow(AppShell::new(&creation.egui_ctx, start, DesktopServices)?);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native("Retake", options, Box::new(window)).map_err(|error| {
        format!("cannot open a window ({error}); `retake list` and `retake check` work without one")
    })
}

struct AppWindow(AppShell<DesktopServices>);

impl eframe::App for AppWindow {
    fn logic(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        self.0.logic(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.0.ui(ui);
    }
}

fn save_dialog(mut dialog: rfd::FileDialog, proposal: &Path) -> Option<PathBuf> {
    if let Some(name) = proposal.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    let folder = proposal
        .parent()
        .and_then(|folder| std::path::absolute(folder).ok());
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    dialog.save_file()
}

thread_local! {
    /// Whether the dialog that this thread waited for could not be shown.
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that no dialog could be shown. `rfd` only logs that, and returns the same as when the user cancels.
struct DialogLog;

impl DialogLog {
    /// The module that reports the last resort, after the desktop's portal and the program `zenity`.
    const TARGET: &str = "rfd::backend::xdg_desktop_portal";
}

impl Log for DialogLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == Level::Error && metadata.target() == Self::TARGET
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            HAS_FAILED.set(true);
        }
    }

    fn flush(&self) {}
}

/// The desktop's own dialogs and folders.
struct DesktopServices;

impl SystemServices for DesktopServices {
    /// Waits for the answer on its own thread.
    fn pick(&mut self, dialog: Dialog, answer: DialogAnswer) {
        let open_dialog = move || {
            HAS_FAILED.set(false);
            let frame = rfd::FileDialog::new().set_title(dialog.title);
            let chosen = match dialog.kind {
                DialogKind::File => frame.pick_file().map(|path| vec![path]),
                DialogKind::Files => frame.pick_files(),
                DialogKind::Folder => frame.pick_folder().map(|path| vec![path]),
                DialogKind::Folders => frame.pick_folders(),
                DialogKind::Save(proposal) => save_dialog(frame, &proposal).map(|path| vec![path]),
            };
            match chosen {
                None if HAS_FAILED.get() => answer.send_unavailable(),
                chosen => answer.send(chosen.unwrap_or_default()),
            }
        };
        // Without a thread there is no dialog; opening by drop, argument and the recent list still works.
        let _ = std::thread::Builder::new()
            .name("retake dialog".into())
            .spawn(open_dialog);
    }

    fn remember(&mut self, remembered: &Remembered) -> Result<(), String> {
        state::save(remembered)
    }
}
