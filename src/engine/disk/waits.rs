//! What the threads wait for: files that are being opened or read. A disk that hangs answers no system call, so that only another
//! thread can report it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The calls that have not returned yet. A place is used again, with its memory.
static WAITS: Mutex<Vec<WaitSlot>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct WaitSlot {
    /// When the call began; `None` between two calls.
    since: Option<Instant>,
    path: PathBuf,
    is_free: bool,
}

/// Calls for one file, until it is dropped.
#[derive(Debug)]
pub(in crate::engine) struct Wait(usize);

impl Wait {
    /// Notes that this thread begins a call for a file.
    pub(in crate::engine) fn begin(path: &Path) -> Self {
        let since = Some(Instant::now());
        let mut waits = lock();
        let free = waits.iter().position(|slot| slot.is_free).unwrap_or_else(|| {
            waits.push(WaitSlot { since, path: PathBuf::new(), is_free: true });
            waits.len() - 1
        });
        let slot = &mut waits[free];
        (slot.since, slot.is_free) = (since, false);
        slot.path.clear();
        slot.path.push(path);
        Self(free)
    }

    /// Notes that the call has returned.
    pub(in crate::engine) fn pause(&self) {
        lock()[self.0].since = None;
    }

    /// Makes another call for the same file.
    pub(in crate::engine) fn during<T>(&self, call: impl FnOnce() -> T) -> T {
        lock()[self.0].since = Some(Instant::now());
        let done = call();
        self.pause();
        done
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        let slot = &mut lock()[self.0];
        (slot.since, slot.is_free) = (None, true);
    }
}

fn lock() -> MutexGuard<'static, Vec<WaitSlot>> {
    WAITS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the file that a thread has waited for the longest, and for how long; `None` when no thread waits.
pub(in crate::engine) fn longest() -> Option<(PathBuf, Duration)> {
    let waits = lock();
    let begun = waits.iter().filter_map(|slot| Some((slot.since?, slot)));
    let (since, slot) = begun.min_by_key(|(since, _)| *since)?;
    Some((slot.path.clone(), since.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_is_known_until_it_is_there() {
        let is_waiting = |path: &str| {
            let waits = lock();
            let mut begun = waits.iter().filter(|slot| slot.since.is_some());
            begun.any(|slot| slot.path == Path::new(path))
        };
        let first = Wait::begin(Path::new("waits/first.json"));
        let second = Wait::begin(Path::new("waits/second.json"));
        assert!(longest().is_some());
        assert!(is_waiting("waits/first.json") && is_waiting("waits/second.json"));
        first.pause();
        assert!(!is_waiting("waits/first.json") && is_waiting("waits/second.json"));
        first.during(|| assert!(is_waiting("waits/first.json")));
        drop(first);
        assert!(!is_waiting("waits/first.json") && is_waiting("waits/second.json"));
        drop(second);
        assert!(!is_waiting("waits/second.json"));
    }
}
