//! Progress of long work, for an observer of the thread that begins it.
//!
//! Work that may take longer than a second is a [`Phase`]; its steps may be made on any thread. The command line observes
//! its thread and draws a line on the terminal. On threads without an observer a phase does nothing.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// Watches the phases of a thread.
pub type ProgressObserver = Arc<dyn Fn(Option<PhaseProgress>) + Send + Sync>;

thread_local! {
    static OBSERVER: RefCell<Option<ProgressObserver>> = const { RefCell::new(None) };
}

/// Progress of a phase.
#[derive(Clone, Copy, Debug)]
pub struct PhaseProgress {
    /// Name of the work, as in "Comparing".
    pub what: &'static str,
    /// The number of files, or of what else the phase counts.
    pub done: usize,
    /// Number of all; 0 while that is not known.
    pub total: usize,
    /// The bytes that were read; 0 where they are not counted.
    pub bytes: u64,
    /// Begin of the phase.
    pub started: Instant,
}

/// Work of which the steps are counted. The observer gets the progress at each step, and `None` at the end.
pub struct Phase {
    what: &'static str,
    started: Instant,
    done: AtomicUsize,
    total: AtomicUsize,
    bytes: AtomicU64,
    observer: Option<ProgressObserver>,
}

/// Watches the phases that this thread begins.
pub fn observe_progress(observer: ProgressObserver) {
    OBSERVER.set(Some(observer));
}

impl Phase {
    /// Begins work of `total` steps; 0 if their number is not known.
    pub fn new(what: &'static str, total: usize) -> Self {
        Self {
            what,
            started: Instant::now(),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(total),
            bytes: AtomicU64::new(0),
            observer: OBSERVER.with_borrow(Clone::clone),
        }
    }

    /// Begins work that no observer watches.
    pub(crate) fn hidden() -> Self {
        let mut phase = Self::new("", 0);
        phase.observer = None;
        phase
    }

    /// Counts one step.
    pub fn step(&self) {
        // Readers on all processors would wait for each other at the counter, which is shown only on the command line.
        if self.observer.is_some() {
            self.done.fetch_add(1, Ordering::Relaxed);
            self.report();
        }
    }

    /// Sets how far the work has come, for work that counts by itself.
    pub fn set(&self, done: usize, total: usize, bytes: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.report();
    }

    /// Counts a step for each element that is taken.
    pub fn over<I: Iterator>(what: &'static str, elements: I) -> impl Iterator<Item = I::Item> {
        let phase = Self::new(what, elements.size_hint().0);
        elements.inspect(move |_| phase.step())
    }

    fn report(&self) {
        if let Some(observer) = &self.observer {
            observer(Some(PhaseProgress {
                what: self.what,
                done: self.done.load(Ordering::Relaxed),
                total: self.total.load(Ordering::Relaxed),
                bytes: self.bytes.load(Ordering::Relaxed),
                started: self.started,
            }));
        }
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn steps_on_all_threads_reach_the_observer_of_the_thread_that_began() {
        let steps = Arc::new(Mutex::new(Vec::new()));
        let observer = Arc::clone(&steps);
        observe_progress(Arc::new(move |progress: Option<PhaseProgress>| {
            let step = progress.map(|p| (p.done, p.total));
            observer.lock().unwrap().push(step);
        }));
        let phase = Phase::new("Reading", 3);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| phase.step());
            }
        });
        drop(phase);
        let steps = steps.lock().unwrap();
        assert_eq!(steps.len(), 4);
        assert!(steps.contains(&Some((3, 3))));
        assert_eq!(steps.last(), Some(&None));
    }
}
