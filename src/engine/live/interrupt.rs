//! Ctrl+C and the other signals that end a program: SIGTERM, SIGHUP when its terminal is closed, and SIGQUIT for the window.

#[cfg(unix)]
use std::future::poll_fn;
use std::io;
#[cfg(unix)]
use std::task::Poll;
use std::thread;

use crossbeam_channel::{Receiver, bounded};
use tokio::runtime;

/// Returns a receiver that gets a message on the first signal to end; that signal does not end the program.
///
/// # Errors
///
/// Returns an error of the system if it cannot be listened for.
pub fn listen_for_interrupts() -> io::Result<Receiver<()>> {
    let (sender, receiver) = bounded(1);
    on_signal(false, move || {
        // The receiver may be gone.
        let _ = sender.send(());
    })?;
    Ok(receiver)
}

/// Does this on a thread of its own on the first signal to end, also SIGQUIT; that signal does not end the program.
///
/// # Errors
///
/// Returns an error of the system if it cannot be listened for.
pub fn on_interrupt(action: impl FnOnce() + Send + 'static) -> io::Result<()> {
    on_signal(true, action)
}

fn on_signal(with_quit: bool, action: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    // From here on no signal ends the program, also before the thread runs.
    let signals = {
        let _context = runtime.enter();
        signals(with_quit)?
    };
    let thread = thread::Builder::new().name("retake interrupt".into());
    thread.spawn(move || {
        runtime.block_on(signals);
        action();
    })?;
    Ok(())
}

/// Keeps Ctrl+C from ending the program, for another program in the same terminal that it is meant for.
///
/// # Errors
///
/// Returns an error of the system if it cannot be listened for.
pub(crate) fn ignore_interrupts() -> io::Result<runtime::Runtime> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    {
        let _context = runtime.enter();
        // Listening is enough: the signal no longer ends the program, also when nothing waits for it.
        #[cfg(unix)]
        drop(tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?);
        #[cfg(windows)]
        drop(tokio::signal::windows::ctrl_c()?);
    }
    Ok(runtime)
}

/// Waits for the first signal.
#[cfg(unix)]
fn signals(with_quit: bool) -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
    if with_quit {
        kinds.push(SignalKind::quit());
    }
    if !ignores_hangup() {
        kinds.push(SignalKind::hangup());
    }
    let mut signals: Vec<Signal> = kinds.into_iter().map(signal).collect::<io::Result<_>>()?;
    Ok(poll_fn(move |context| {
        let mut polls = signals.iter_mut().map(|signal| signal.poll_recv(context));
        if polls.any(|p| p.is_ready()) { Poll::Ready(()) } else { Poll::Pending }
    }))
}

/// Whether the program was started so that it goes on when its terminal is closed, as `nohup` does. Only Linux says so without
/// unsafe code.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored_signals = lines
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit is that of the first signal, which is SIGHUP.
    ignored_signals.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
fn signals(_: bool) -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
