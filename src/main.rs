//! Retake's program: no subcommand opens the window, else the command runs.

use std::path::PathBuf;
use std::process::ExitCode;

use retake::cli::{self, Asked};

/// Reading makes and drops a few hundred small pieces a file; with this allocator that takes two thirds of the time, and
/// what is kept lies closer together.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Asked::Done(code) => code,
        Asked::Window { paths, root } if has_display() => open_window(paths, root),
        Asked::Window { .. } => {
            cli::complain(
                "There is no display to open a window on.\n\
                 Set DISPLAY or WAYLAND_DISPLAY, or use the command line: `retake list PATH`, `retake check PATH`; \
                 `retake --help` lists all commands.",
            );
            ExitCode::from(2)
        }
    }
}

fn open_window(paths: Vec<PathBuf>, root: Option<PathBuf>) -> ExitCode {
    match retake::app::run(paths, root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            cli::complain(&reason);
            ExitCode::from(2)
        }
    }
}

/// Whether there is something to show a window on. Elsewhere than on Linux and its kin there always is.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos")))
        || is_set("DISPLAY")
        || is_set("WAYLAND_DISPLAY")
        || is_set("WAYLAND_SOCKET")
}
