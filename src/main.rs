//! The `retake` program: runs a subcommand, or opens the window without one.

use std::path::PathBuf;
use std::process::ExitCode;

use calls::file_part::FilePart;
use cli::CliRequest;

/// Reading allocates a few hundred small pieces per file; this allocator needs two thirds of the time of the default one, and
/// keeps memory more compact.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    document::program::set_commit(option_env!("RETAKE_COMMIT").unwrap_or_default());
    // Before anything that can panic, logging included.
    engine::report_panics();
    engine::start_logging();
    // For tests of what a crash leaves. In the window, `RETAKE_PANIC` names a key.
    let is_forced = std::env::var_os("RETAKE_PANIC").is_some_and(|v| v == "start");
    assert!(!(cfg!(debug_assertions) && is_forced), "a forced panic");
    match cli::run(std::env::args_os()) {
        CliRequest::Done(code) => code,
        CliRequest::Window { paths, place, root, is_new } if has_display() => {
            #[cfg(windows)]
            if start_without_console() {
                return ExitCode::SUCCESS;
            }
            open_window(paths, place, root, is_new)
        }
        CliRequest::Window { .. } => {
            cli::report_error(
                "There is no display to open a window on.\n\
                 Set DISPLAY or WAYLAND_DISPLAY, or use the command line: `retake list PATH`, `retake check PATH`; \
                 `retake --help` lists all commands.",
            );
            ExitCode::from(2)
        }
    }
}

fn open_window(
    paths: Vec<PathBuf>,
    place: Option<(PathBuf, Vec<FilePart>)>,
    root: Option<PathBuf>,
    is_new: bool,
) -> ExitCode {
    match retake::app::run(paths, place, root, is_new) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            cli::report_error(&reason);
            ExitCode::from(2)
        }
    }
}

/// Returns whether there is a display for a window. On systems other than Linux and the BSDs there always is.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos")))
        || is_set("DISPLAY")
        || is_set("WAYLAND_DISPLAY")
        || is_set("WAYLAND_SOCKET")
}

/// Starts this program again without a console, and returns whether this one has done its work. Windows opens a console for
/// every program with a command line, and a window started from a menu would keep it open.
#[cfg(windows)]
fn start_without_console() -> bool {
    use std::os::windows::process::CommandExt as _;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const MARK_VARIABLE: &str = "RETAKE_WITHOUT_CONSOLE";
    // Without the mark the new process would start itself forever.
    if std::env::var_os(MARK_VARIABLE).is_some() {
        return false;
    }
    let process = std::env::current_exe().and_then(|program| {
        let mut command = std::process::Command::new(program);
        command.args(std::env::args_os().skip(1)).env(MARK_VARIABLE, "1");
        command.creation_flags(DETACHED_PROCESS).spawn()
    });
    // If no process could be started, this one opens the window and the console stays.
    process.is_ok()
}
