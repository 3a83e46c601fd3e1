//! Threads that work for the window, and the way by which their answers reach it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{SendTimeoutError, Sender};

use crate::workbench::Event;

/// How often someone who waits for the window looks whether to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// The way to the window.
#[derive(Clone)]
pub(super) struct Outlet {
    pub(super) events: Sender<Event>,
    pub(super) wake: Arc<dyn Fn() + Send + Sync>,
}

impl Outlet {
    /// Waits until the window has room for an event; false when it is gone or the job was stopped.
    pub(super) fn send(&self, mut event: Event, cancel: &AtomicBool) -> bool {
        loop {
            event = match self.events.send_timeout(event, GLANCE) {
                Ok(()) => {
                    (self.wake)();
                    return true;
                }
                Err(SendTimeoutError::Disconnected(_)) => return false,
                Err(SendTimeoutError::Timeout(_)) if cancel.load(Ordering::Relaxed) => {
                    return false;
                }
                Err(SendTimeoutError::Timeout(event)) => event,
            };
        }
    }
}

/// A thread that is told to stop when this is dropped. Nobody waits for it: it may be inside a large file.
#[derive(Default)]
pub(super) struct Job {
    cancel: Arc<AtomicBool>,
}

impl Job {
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(&AtomicBool) + Send + 'static,
    ) -> std::io::Result<Self> {
        let job = Self::default();
        let cancel = Arc::clone(&job.cancel);
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(move || work(&cancel))?;
        Ok(job)
    }

    pub(super) fn stop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
    }
}
