//! Other windows of the program.

use std::process::Command;
use std::thread;

/// Opens another window without a project, as a process of its own.
///
/// # Errors
///
/// A message that says why it could not be opened.
pub fn open_new_window() -> Result<(), String> {
    let start = |program| Command::new(program).arg("--new-window").spawn();
    let mut window = std::env::current_exe()
        .and_then(start)
        .map_err(|error| format!("Cannot open a window: {error}."))?;
    // Some systems keep a process that has ended until its parent has noticed it.
    let _ = thread::Builder::new().name("retake window".into()).spawn(move || window.wait());
    Ok(())
}
