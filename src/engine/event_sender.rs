//! Sends events from worker threads to the window.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::{SendTimeoutError, Sender};

use protocol::EngineEvent;

/// Interval at which a thread that waits for the window checks whether it was cancelled.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Sends events to the window and wakes it.
#[derive(Clone)]
pub(super) struct EventSender {
    pub(super) events: Sender<EngineEvent>,
    pub(super) wake: Arc<dyn Fn() + Send + Sync>,
}

impl EventSender {
    /// Sends from the window's own thread, which must not wait for itself.
    pub(super) fn try_send(&self, event: EngineEvent) {
        if self.events.try_send(event).is_ok() {
            (self.wake)();
        }
    }

    /// Waits until the channel has room for an event; false when the window is gone or the job was cancelled.
    pub(super) fn send(&self, mut event: EngineEvent, cancel: &AtomicBool) -> bool {
        loop {
            event = match self.events.send_timeout(event, CANCEL_POLL_INTERVAL) {
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
