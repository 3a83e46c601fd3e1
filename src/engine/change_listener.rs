//! Follows what is open on disk, for a command that runs again after each change.

use std::path::PathBuf;

use crossbeam_channel::{Receiver, never, select};

use crate::live::listen_for_interrupts;
use crate::{Engine, EngineOptions};
use protocol::{DiskChange, EngineEvent, WatchState};

/// Waits for changes of files, of their sources, and of the project's settings, by the watcher of the window.
pub struct ChangeListener {
    engine: Engine,
    events: Receiver<EngineEvent>,
    interrupts: Receiver<()>,
    paths: Vec<PathBuf>,
}

/// Reason that [`ChangeListener::wait`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// Something has changed on disk.
    Changed,
    /// The user has pressed Ctrl+C, or the program is to end for another reason.
    Interrupted,
}

impl ChangeListener {
    /// Reads files and folders, and returns when they are watched: what changes from then on is not missed.
    ///
    /// # Errors
    ///
    /// A message that says why they cannot be watched.
    pub fn start(paths: Vec<PathBuf>, root: Option<PathBuf>) -> Result<Self, String> {
        let interrupts =
            listen_for_interrupts().map_err(|error| format!("Cannot wait for Ctrl+C: {error}"))?;
        let options = EngineOptions { root, ..EngineOptions::default() };
        let (mut engine, events) = Engine::start(options, || {})
            .map_err(|error| format!("Cannot start a thread to watch files: {error}"))?;
        engine.scan(paths.clone());
        let listener = Self { engine, events, interrupts, paths };
        for event in &listener.events {
            match event {
                EngineEvent::Failed(reason) => return Err(reason),
                EngineEvent::DiskChanged(_, DiskChange::Watching(state))
                    if state != WatchState::Off =>
                {
                    break;
                }
                _ => {}
            }
        }
        Ok(listener)
    }

    /// Waits until something changes. Changes that have been reported meanwhile count as one.
    pub fn wait(&mut self) -> WaitOutcome {
        loop {
            let event = select! {
                recv(self.interrupts) -> _ => return WaitOutcome::Interrupted,
                recv(self.events) -> event => event,
            };
            let Ok(first) = event else {
                // The engine ends only with this listener.
                self.events = never();
                continue;
            };
            let (mut is_changed, mut is_replaced) = (false, false);
            // All waiting events are taken, since an editor's save or a checkout reports many and the command runs once for them.
            for event in std::iter::once(first).chain(self.events.try_iter()) {
                is_changed |= is_change(&event);
                is_replaced |= matches!(event, EngineEvent::DiskChanged(_, DiskChange::Replaced));
            }
            if is_replaced {
                // After a change of the settings, everything is read again, too.
                self.engine.scan(self.paths.clone());
            }
            if is_changed || is_replaced {
                return WaitOutcome::Changed;
            }
        }
    }
}

fn is_change(event: &EngineEvent) -> bool {
    match event {
        // New files are reported as found, not as changed.
        EngineEvent::ItemsFound { .. } => true,
        EngineEvent::DiskChanged(_, change) => matches!(
            change,
            DiskChange::Changed(_)
                | DiskChange::Seen(_)
                | DiskChange::Rewritten(_)
                | DiskChange::Removed(_)
        ),
        _ => false,
    }
}
