//! How long is waited for the other side without a byte.

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep, timeout_at};

/// Longer nobody waits; a clock that goes further may not be there.
const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);

/// When somebody last did something who may take its time.
#[derive(Clone, Debug)]
pub(super) struct Pulse(Arc<Mutex<Instant>>);

impl Pulse {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    pub(super) fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something until there was no pulse for so long; then there is none.
    pub(super) async fn wait<T>(
        &self,
        patience: Duration,
        awaited: impl Future<Output = T>,
    ) -> Option<T> {
        let mut awaited = pin!(awaited);
        loop {
            let last = self.last();
            let until = last + patience.min(CENTURY);
            match timeout_at(until, awaited.as_mut()).await {
                Ok(done) => return Some(done),
                Err(_) if self.last() == last => return None,
                Err(_) => {}
            }
        }
    }
}

/// Measures how long nothing comes while something is waited for.
#[derive(Debug)]
pub(super) struct Silence {
    patience: Duration,
    sleep: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl Silence {
    pub(super) fn new(patience: Duration) -> Self {
        let patience = patience.min(CENTURY);
        Self {
            patience,
            sleep: Box::pin(sleep(patience)),
            is_waiting: false,
        }
    }

    /// Something came.
    pub(super) fn end(&mut self) {
        self.is_waiting = false;
    }

    /// Nothing came yet; ready once that is so for too long.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !std::mem::replace(&mut self.is_waiting, true) {
            self.sleep.as_mut().reset(Instant::now() + self.patience);
        }
        self.sleep.as_mut().poll(context)
    }
}
