//! The window on a desktop: its frame, its dialogs, and the state that is kept between starts.

use std::path::{Path, PathBuf};

use super::{AppShell, Dialog, DialogAnswer, StartOptions, SystemServices};
use crate::engine::live::langsmith::Account;
use crate::engine::state;
use crate::workbench::{PickKind, Remembered, TapeFileUse};

/// Opens the window on `paths`; with none, on what was open last or on the start page. Nothing outside `root` is read.
///
/// # Errors
///
/// A message for the user, when no window can be opened.
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
    let start = StartOptions {
        paths,
        root,
        remembered: state::load(),
        samples: state::samples(),
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

fn save_dialog(near: &Path) -> Option<PathBuf> {
    let mut dialog = rfd::FileDialog::new().set_title("Save as");
    if let Some(name) = near.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    let folder = near
        .parent()
        .and_then(|folder| std::path::absolute(folder).ok());
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    dialog.save_file()
}

/// The desktop's own dialogs and folders.
struct DesktopServices;

impl SystemServices for DesktopServices {
    /// Waits for the answer on its own thread.
    fn pick(&mut self, pick: Dialog, answer: DialogAnswer) {
        let open_dialog = move || {
            let picked = match pick {
                Dialog::Folder => rfd::FileDialog::new()
                    .set_title("Open folder")
                    .pick_folders(),
                Dialog::Files => rfd::FileDialog::new().set_title("Open files").pick_files(),
                Dialog::Incident => rfd::FileDialog::new()
                    .set_title("Choose the files of the incident")
                    .pick_files(),
                Dialog::SessionFolder => rfd::FileDialog::new()
                    .set_title("Choose the folder to save sessions in")
                    .pick_folder()
                    .map(|path| vec![path]),
                Dialog::Requests(PickKind::Folder) => rfd::FileDialog::new()
                    .set_title("Choose a folder of requests to play")
                    .pick_folder()
                    .map(|path| vec![path]),
                Dialog::Requests(PickKind::File) => rfd::FileDialog::new()
                    .set_title("Choose a machine, a request or a log")
                    .pick_file()
                    .map(|path| vec![path]),
                Dialog::Queue => rfd::FileDialog::new()
                    .set_title("Choose the queue to watch")
                    .pick_folder()
                    .map(|path| vec![path]),
                Dialog::Picture { name, .. } => rfd::FileDialog::new()
                    .set_title("Export the picture as SVG or PNG")
                    .set_file_name(name)
                    .save_file()
                    .map(|path| vec![path]),
                Dialog::ForTape(what) => rfd::FileDialog::new()
                    .set_title(match what {
                        TapeFileUse::Comparison => "Choose the tape to compare with",
                        TapeFileUse::Request => "Choose the request to verify",
                    })
                    .pick_file()
                    .map(|path| vec![path]),
                Dialog::Material => rfd::FileDialog::new()
                    .set_title("Choose a saved response, a text or a recording")
                    .pick_file()
                    .map(|path| vec![path]),
                Dialog::SaveAs { near, .. } => save_dialog(Path::new(&near)).map(|path| vec![path]),
            };
            answer.send(picked.unwrap_or_default());
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
