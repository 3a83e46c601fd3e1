//! Ctrl+C, and what else asks a program to end.

use std::io;
use std::thread;

use crossbeam_channel::{Receiver, bounded};
use tokio::runtime;

/// Gets a message when somebody asks the program to end; the first time it does not end by itself.
///
/// # Errors
///
/// Those of the system, where it cannot be listened for.
pub fn interrupts() -> io::Result<Receiver<()>> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (sender, receiver) = bounded(1);
    let thread = thread::Builder::new().name("retake interrupt".into());
    thread.spawn(move || {
        runtime.block_on(asked());
        // Nobody may be left who wants to know.
        let _ = sender.send(());
    })?;
    Ok(receiver)
}

#[cfg(unix)]
async fn asked() {
    use super::race::race;
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => drop(race(tokio::signal::ctrl_c(), terminate.recv()).await),
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn asked() {
    drop(tokio::signal::ctrl_c().await);
}
