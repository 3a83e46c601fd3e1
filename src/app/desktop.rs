//! The window on a desktop: its frame, its dialogs, and the state that is kept between starts.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{process, thread};

use eframe::glow::HasContext as _;
use egui::{Pos2, Rect, pos2, vec2};
use log::Record;

use super::{AppShell, DialogAnswer, StartOptions, SystemServices};
use calls::file_part::FilePart;
use engine::live::langsmith::Account;
use engine::live::on_interrupt;
use engine::{flush_log, log_to_file, open_new_window, state};
use protocol::{Remembered, WindowSize};
use workbench::{Dialog, DialogKind};

/// Longest time that the window may take to end after a signal.
const MAX_END_WAIT: Duration = Duration::from_secs(15);

/// About the height of a title bar, in points.
const TITLE_BAR_HEIGHT: f32 = 32.0;

/// Opens the window on `paths`, and shows a place in the text of one of them, `file`; with none, on what was open last or, if
/// `is_new`, on the start page. Nothing outside `root` is read.
///
/// # Errors
///
/// A message for the user, when no window can be opened.
pub fn run(
    paths: Vec<PathBuf>,
    file: Option<(PathBuf, Vec<FilePart>)>,
    root: Option<PathBuf>,
    is_new: bool,
) -> Result<(), String> {
    let memory = state::load();
    // Before the window, so that the log also has the reason if no window can be opened.
    log_to_file(state::folder().as_deref(), note_failed_dialog);
    let window = memory.window;
    let (width, height) = window.map_or(WindowSize::DEFAULT, |window| window.size);
    let (min_width, min_height) = WindowSize::MIN;
    let viewport = egui::ViewportBuilder::default()
        .with_title("Retake")
        // The name of the installed `.desktop` file, by which Wayland finds the icon.
        .with_app_id("retake")
        .with_icon(icon())
        .with_inner_size([width as f32, height as f32])
        .with_maximized(window.is_some_and(|window| window.is_maximized))
        .with_min_inner_size([min_width as f32, min_height as f32]);
    let place = window.and_then(|window| window.place).map(|(x, y)| pos2(x as f32, y as f32));
    let viewport = match place {
        Some(place) => viewport.with_position(place),
        None => viewport,
    };
    let options =
        // `centered` would override a saved place.
        eframe::NativeOptions { viewport, centered: place.is_none(), ..Default::default() };
    let start = StartOptions {
        paths,
        place: file,
        is_new,
        root,
        remembered: memory,
        state: state::folder(),
        sources: state::sources(),
        caches: state::caches(),
        // Without the folder the window only lacks the history of commands.
        undo: state::undo().ok().flatten(),
        settings: state::settings_file(),
        langsmith: Account::from_environment(),
    };
    let window = move |creation: &eframe::CreationContext<'_>| {
        // The place is checked here, since the screens are not known before.
        let size = vec2(width as f32, height as f32);
        let frame = place.map(|place| Rect::from_min_size(place, size));
        if let Some(place) = frame.and_then(|frame| visible_place(frame, &screens(creation))) {
            let place = egui::ViewportCommand::OuterPosition(place);
            // Moved after opening, because the builder cannot query the screens.
            creation.egui_ctx.send_viewport_cmd(place);
        }
        // A drawing error in a user's report can only be judged with the driver's name.
        log::info!("The window is open, painted with {}", renderer(creation));
        let shell = AppShell::new(&creation.egui_ctx, start, DesktopServices)?;
        let (interrupted, ctx) = (shell.interrupted(), creation.egui_ctx.clone());
        let interrupt_setup = on_interrupt(move || {
            interrupted.store(true, Ordering::Relaxed);
            ctx.request_repaint();
            // The window may not answer, as when its display is gone.
            thread::sleep(MAX_END_WAIT);
            process::exit(1);
        });
        if let Err(error) = interrupt_setup {
            log::warn!("A signal ends the window without storing the latest edits: {error}");
        }
        Ok(Box::new(AppWindow(shell)) as Box<dyn eframe::App>)
    };
    let outcome = eframe::run_native("Retake", options, Box::new(window)).map_err(|error| {
        format!("cannot open a window ({error}); `retake list` and `retake check` work without one")
    });
    match &outcome {
        Ok(()) => log::info!("The window is closed"),
        Err(reason) => log::error!("{reason}"),
    }
    // The log is written on its own thread, and the end of the process would lose the last lines.
    flush_log();
    outcome
}

/// Returns the version of OpenGL, and its vendor where the version has one.
fn renderer(creation: &eframe::CreationContext<'_>) -> String {
    let Some(gl) = &creation.gl else { return "no OpenGL".to_owned() };
    let version = gl.version();
    let (major, minor) = (version.major, version.minor);
    format!("OpenGL {major}.{minor} {}", version.vendor_info).trim_end().to_owned()
}

/// Returns the icon of the window. On Wayland the desktop takes that of the installed `.desktop` file.
fn icon() -> egui::IconData {
    let png = include_bytes!("../../assets/package/icons/256x256.png");
    // A window without an icon is better than none.
    eframe::icon_data::from_png_bytes(png).unwrap_or_default()
}

/// Returns the screens, in points; none where they are unknown.
fn screens(creation: &eframe::CreationContext<'_>) -> Vec<Rect> {
    let Some(window) = creation.winit_window() else { return Vec::new() };
    let screens = window.available_monitors().map(|screen| {
        let (place, size) = (screen.position(), screen.size());
        let place = pos2(place.x as f32, place.y as f32);
        let size = vec2(size.width as f32, size.height as f32);
        // winit counts physical pixels, egui points.
        Rect::from_min_size(place, size) / screen.scale_factor() as f32
    });
    screens.collect()
}

/// Returns where a window has to be moved because none of the screens shows its title bar, as when a screen was unplugged.
fn visible_place(window: Rect, screens: &[Rect]) -> Option<Pos2> {
    let title = window.center_top() + vec2(0.0, TITLE_BAR_HEIGHT / 2.0);
    // Unknown screens are no reason to move the window.
    let first = screens.first()?;
    let is_visible = screens.iter().any(|screen| screen.contains(title));
    let center_place = first.center() - window.size() / 2.0;
    // A window larger than the screen keeps its title bar visible, by which it is moved.
    (!is_visible).then(|| center_place.max(first.min))
}

struct AppWindow(AppShell<DesktopServices>);

impl eframe::App for AppWindow {
    fn logic(&mut self, ctx: &egui::Context, _: &mut eframe::Frame) {
        panic_if_forced(ctx);
        self.0.logic(ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.0.ui(ui);
    }
}

/// Panics when the key that `RETAKE_PANIC` names is pressed, to test what a crash leaves. Not in releases.
fn panic_if_forced(ctx: &egui::Context) {
    if cfg!(debug_assertions)
        && let Ok(name) = std::env::var("RETAKE_PANIC")
        && let Some(key) = egui::Key::from_name(&name)
    {
        assert!(!ctx.input(|input| input.key_pressed(key)), "a forced panic");
    }
}

fn save_dialog(mut dialog: rfd::FileDialog, proposal: &Path) -> Option<PathBuf> {
    // The name and the folder separately, since `rfd` takes no whole path as a proposal.
    if let Some(name) = proposal.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    let folder = proposal.parent().and_then(|folder| std::path::absolute(folder).ok());
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
fn note_failed_dialog(record: &Record<'_>) {
    // The module that reports the last resort, after the desktop's portal and the program `zenity`.
    if record.target() == "rfd::backend::xdg_desktop_portal" {
        HAS_FAILED.set(true);
    }
}

/// The desktop's own dialogs and folders.
struct DesktopServices;

impl SystemServices for DesktopServices {
    /// Waits for the answer on its own thread.
    fn pick(&mut self, dialog: Dialog, answer: DialogAnswer) {
        let open_dialog = move || {
            HAS_FAILED.set(false);
            let frame = rfd::FileDialog::new().set_title(dialog.title);
            let paths = match dialog.kind {
                DialogKind::File => frame.pick_file().map(|path| vec![path]),
                DialogKind::Files => frame.pick_files(),
                DialogKind::Folder => frame.pick_folder().map(|path| vec![path]),
                DialogKind::Folders => frame.pick_folders(),
                DialogKind::Save(proposal) | DialogKind::SavePicture(proposal) => {
                    save_dialog(frame, &proposal).map(|path| vec![path])
                }
            };
            match paths {
                None if HAS_FAILED.get() => answer.send_unavailable(),
                paths => answer.send(paths.unwrap_or_default()),
            }
        };
        // Without a thread there is no dialog; opening by drop, argument and the recent list still works.
        let _ = std::thread::Builder::new().name("retake dialog".into()).spawn(open_dialog);
    }

    fn remember(&mut self, memory: &Remembered) -> Result<(), String> {
        state::save(memory)
    }

    fn open_window(&mut self) -> Result<(), String> {
        open_new_window()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_moved_only_if_no_screen_shows_its_title_bar() {
        let rect = |x, y, width, height| Rect::from_min_size(pos2(x, y), vec2(width, height));
        let (left, right) = (rect(0.0, 0.0, 1920.0, 1080.0), rect(1920.0, 0.0, 1280.0, 1024.0));
        let window = rect(1800.0, 200.0, 1000.0, 700.0);
        assert_eq!(visible_place(window, &[left, right]), None);
        assert_eq!(visible_place(window, &[left]), Some(pos2(460.0, 190.0)));
        assert_eq!(visible_place(window, &[]), None, "unknown");
        let place_above = rect(100.0, -500.0, 2000.0, 1200.0);
        assert_eq!(visible_place(place_above, &[left]), Some(pos2(0.0, 0.0)));
    }
}
