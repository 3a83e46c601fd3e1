//! Forwards the state of calls to the window: not each chunk, but the latest state of each call, at most 25 times a second.

use std::io;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::listener_handle::RunReporter;
use crate::engine::run::spawn_guarded;
use crate::ops::live::log::{CallLog, LogRow};
use crate::workbench::{CallsEvent, EngineEvent};

/// The time between two updates of the window.
const FORWARD_INTERVAL: Duration = Duration::from_millis(40);

/// Starts a thread that forwards a run's calls to the window until the channel is closed. Senders never
/// wait, and memory stays bounded however slow the window is.
pub(super) fn forward<R>(
    run: &RunReporter,
    wrap: fn(u32, Vec<R>) -> CallsEvent,
) -> io::Result<(Sender<R::Event>, JoinHandle<()>)>
where
    R: LogRow + Send + 'static,
    R::Event: Send + 'static,
{
    let (sender, events) = unbounded();
    let run = run.clone();
    let failed = run.clone();
    let fail = move |reason| {
        failed.sender.send(EngineEvent::Failed(format!("{reason}.")), &failed.cancel);
    };
    let thread = spawn_guarded("calls", "showing calls".to_owned(), fail, move || {
        let mut log = CallLog::default();
        while receive_events(&events, &mut log) == ChannelState::Open {
            if !run.sender.events.is_full() {
                run.send(wrap(run.number, log.take_changed()));
            }
        }
        run.send(wrap(run.number, log.take_changed()));
    })?;
    Ok((sender, thread))
}

#[derive(PartialEq, Eq)]
enum ChannelState {
    Open,
    Closed,
}

/// Receives events for [`FORWARD_INTERVAL`] after the first one.
fn receive_events<R: LogRow>(events: &Receiver<R::Event>, log: &mut CallLog<R>) -> ChannelState {
    let first = if log.has_changes() {
        // The window's channel was full.
        events.recv_timeout(FORWARD_INTERVAL)
    } else {
        events.recv().map_err(|_| RecvTimeoutError::Disconnected)
    };
    let until = Instant::now() + FORWARD_INTERVAL;
    let mut next = first;
    loop {
        match next {
            Ok(event) => log.note(event),
            Err(RecvTimeoutError::Timeout) => return ChannelState::Open,
            Err(RecvTimeoutError::Disconnected) => return ChannelState::Closed,
        }
        next = events.recv_deadline(until);
    }
}
