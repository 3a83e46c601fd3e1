//! A timer service that wakes many tasks, each at its time: to a tenth of a millisecond, where the runtime's own supports only
//! whole milliseconds.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;
use std::{io, thread};

use tokio::sync::oneshot;

use crate::disk::guard::lock;

/// Completes at its time; an error, too, means that the wait is over.
pub(super) type Timer = oneshot::Receiver<()>;

/// A timer service with its own thread, which ends with it.
#[derive(Debug)]
pub(super) struct TimerService(Arc<SharedTimers>);

#[derive(Debug, Default)]
struct SharedTimers {
    state: Mutex<TimerState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct TimerState {
    /// By time, then in the order in which they were added.
    pending: BTreeMap<(Instant, u64), oneshot::Sender<()>>,
    count: u64,
    is_over: bool,
}

impl TimerService {
    pub(super) fn start() -> io::Result<Self> {
        let shared = Arc::new(SharedTimers::default());
        let thread = thread::Builder::new().name("retake clock".into());
        let timers = Arc::clone(&shared);
        thread.spawn(move || timers.run())?;
        Ok(Self(shared))
    }

    /// Waits until a time; returns at once when it is over.
    pub(super) async fn wait_until(&self, time: Instant) {
        if time > Instant::now() {
            // The service outlives everything that waits for it.
            let _ = self.timer(time).await;
        }
    }

    /// Returns a timer that completes at a time.
    pub(super) fn timer(&self, time: Instant) -> Timer {
        let (wake, receiver) = oneshot::channel();
        let mut state = lock(&self.0.state);
        state.count += 1;
        let key = (time, state.count);
        let is_next = state.pending.first_key_value().is_none_or(|(next, _)| key < *next);
        state.pending.insert(key, wake);
        // Before waking the thread, which needs the lock at once.
        drop(state);
        // Only an earlier time changes how long the thread sleeps.
        if is_next {
            self.0.changed.notify_one();
        }
        receiver
    }
}

impl Drop for TimerService {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.changed.notify_one();
    }
}

impl SharedTimers {
    fn run(&self) {
        let mut state = lock(&self.state);
        let mut wakes = Vec::new();
        while !state.is_over {
            let now = Instant::now();
            while let Some(next) = state.pending.first_entry().filter(|next| next.key().0 <= now) {
                wakes.push(next.remove());
            }
            if !wakes.is_empty() {
                // A woken task may add a timer at once.
                drop(state);
                for wake in wakes.drain(..) {
                    // A receiver that was dropped is not woken.
                    let _ = wake.send(());
                }
                state = lock(&self.state);
                continue;
            }
            let next = state.pending.first_key_value().map(|((time, _), _)| *time - now);
            state = match next {
                Some(pause) => {
                    let result = self.changed.wait_timeout(state, pause);
                    result.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
