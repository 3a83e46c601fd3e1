//! A served call in progress, which reports its events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::idle_timeout::CENTURY;

use play::live::serve::{ServeEvent, ServedCallEnd};

/// Receives the server's events; called on the server's thread, so it must not block.
pub(super) type ServeCallback = Arc<dyn Fn(ServeEvent) + Send + Sync>;

/// A call in progress. If it is dropped before its end, the client disconnected.
pub(super) struct OpenCall {
    pub(super) number: u64,
    pub(super) started: Instant,
    listener: ServeCallback,
    is_over: bool,
}

impl OpenCall {
    pub(super) fn new(number: u64, listener: ServeCallback) -> Self {
        Self { number, started: Instant::now(), listener, is_over: false }
    }

    pub(super) fn send_event(&self, event: impl FnOnce(u64) -> ServeEvent) {
        (self.listener)(event(self.number));
    }

    fn elapsed_nanos(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the time the given number of nanoseconds after the start, at most a century.
    pub(super) fn due_at(&self, nanos: u64) -> Instant {
        self.started + Duration::from_nanos(nanos).min(CENTURY)
    }

    pub(super) fn report_piece(&self, index: usize) {
        let at_nanos = self.elapsed_nanos();
        self.send_event(|call| ServeEvent::Sent { call, index, at_nanos });
    }

    pub(super) fn finish(&mut self, end: ServedCallEnd) {
        // A call that has ended is ended once more when it is dropped.
        if !std::mem::replace(&mut self.is_over, true) {
            let nanos = self.elapsed_nanos();
            self.send_event(|number| ServeEvent::Ended(number, end, nanos));
        }
    }

    /// Moves the call to a new owner.
    pub(super) fn hand_over(&mut self) -> Self {
        // Dropping this one must not report an end.
        self.is_over = true;
        let mut call = Self::new(self.number, Arc::clone(&self.listener));
        call.started = self.started;
        call
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.finish(ServedCallEnd::HungUp);
    }
}
