//! Timeouts for connections on which no data arrives.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep, timeout_at};

use crate::disk::guard::lock;

/// The longest wait; the system's clock may not support more.
pub(super) const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The time of the last activity of a peer.
#[derive(Clone, Debug)]
pub(super) struct LastActivity(Arc<Mutex<Instant>>);

impl LastActivity {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(super) fn touch(&self) {
        *lock(&self.0) = Instant::now();
    }

    fn last(&self) -> Instant {
        *lock(&self.0)
    }

    /// Waits for a future; `None` once there was no activity for so long.
    pub(super) async fn wait_with_timeout<T>(
        &self,
        timeout: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let mut future = pin!(future);
        loop {
            let last = self.last();
            let deadline = last + timeout.min(CENTURY);
            match timeout_at(deadline, future.as_mut()).await {
                Ok(output) => return Some(output),
                // Activity does not move the timer, which would cost time at each chunk: it is checked when the timer ends.
                Err(_) if self.last() == last => return None,
                Err(_) => {}
            }
        }
    }
}

/// Measures how long no data arrives while it is awaited.
#[derive(Debug)]
pub(super) struct IdleTimeout {
    timeout: Duration,
    sleep: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl IdleTimeout {
    pub(super) fn new(timeout: Duration) -> Self {
        let timeout = timeout.min(CENTURY);
        Self { timeout, sleep: Box::pin(sleep(timeout)), is_waiting: false }
    }

    /// Resets the timeout: data arrived.
    pub(super) fn reset(&mut self) {
        self.is_waiting = false;
    }

    /// Polls the timeout while no data arrives; ready once it has expired.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !std::mem::replace(&mut self.is_waiting, true) {
            // Set when the wait begins: time in which the other side takes no data does not count.
            self.sleep.as_mut().reset(Instant::now() + self.timeout);
        }
        self.sleep.as_mut().poll(context)
    }
}
