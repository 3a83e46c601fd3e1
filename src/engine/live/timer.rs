//! A timer service that wakes many tasks, each at its time: to a tenth of a millisecond, where the runtime's own supports only
//! whole milliseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
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
    pending: BinaryHeap<Reverse<PendingTimer>>,
    count: u64,
    is_over: bool,
}

/// A pending timer; ordered by time, then by creation.
#[derive(Debug)]
struct PendingTimer {
    at: Instant,
    number: u64,
    wake: oneshot::Sender<()>,
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
        self.0.add_timer(time)
    }
}

impl Drop for TimerService {
    fn drop(&mut self) {
        lock(&self.0.state).is_over = true;
        self.0.changed.notify_one();
    }
}

impl SharedTimers {
    fn add_timer(&self, time: Instant) -> Timer {
        let (wake, receiver) = oneshot::channel();
        let mut state = lock(&self.state);
        state.count += 1;
        let number = state.count;
        let is_next = state.pending.peek().is_none_or(|next| time < next.0.at);
        state.pending.push(Reverse(PendingTimer { at: time, number, wake }));
        // Before waking the thread, which needs the lock at once.
        drop(state);
        // Only an earlier time changes how long the thread sleeps.
        if is_next {
            self.changed.notify_one();
        }
        receiver
    }

    fn run(&self) {
        let mut state = lock(&self.state);
        let mut wakes = Vec::new();
        while !state.is_over {
            let now = Instant::now();
            while let Some(next) = state.pending.peek_mut().filter(|next| next.0.at <= now) {
                wakes.push(PeekMut::pop(next).0.wake);
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
            let next = state.pending.peek().map(|next| next.0.at - now);
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

impl PartialEq for PendingTimer {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for PendingTimer {}

impl PartialOrd for PendingTimer {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PendingTimer {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}
