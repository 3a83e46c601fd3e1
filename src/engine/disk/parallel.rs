//! Work on many things on all processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::progress::Phase;

/// The most things that a thread takes at once. Of few things, it takes fewer, so that all processors work to the end.
const MAX_BATCH_ITEMS: usize = 16;

/// Does the same work on each thing, on all processors; `what` names it in a [`Phase`]. The results are in the order of the things; those that were not begun when it was
/// cancelled have none. A panic is passed on.
pub(crate) fn map_parallel<T: Sync, R: Send>(
    what: &'static str,
    things: &[T],
    cancel: &AtomicBool,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    map_on_threads(&Phase::new(what, things.len()), things, cancel, processors(), work)
}

/// Does the same work on each thing, on all processors, without showing progress. The results are in the order of the things; a panic is passed on.
pub fn map_quietly<T: Sync, R: Send>(things: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on_threads(&Phase::hidden(), things, &AtomicBool::new(false), processors(), work)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get)
}

/// Number of files that are written at the same time: each write waits for the disk, which takes several in one go.
const WRITER_THREADS: usize = 16;

/// Does the same work, which writes a file, on each thing; as [`map_parallel`].
pub(crate) fn map_writes<T: Sync, R: Send>(
    what: &'static str,
    things: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let phase = Phase::new(what, things.len());
    map_on_threads(&phase, things, &AtomicBool::new(false), WRITER_THREADS, work)
}

fn map_on_threads<T: Sync, R: Send>(
    phase: &Phase,
    things: &[T],
    cancel: &AtomicBool,
    workers: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let batch_size = (things.len() / (workers * 4)).clamp(1, MAX_BATCH_ITEMS);
    let next = AtomicUsize::new(0);
    let take_batches = || {
        let mut results: Vec<(usize, R)> = Vec::new();
        loop {
            // Relaxed, since the counter guards no other memory: the results are passed on by joining the threads.
            let start = next.fetch_add(batch_size, Ordering::Relaxed);
            if start >= things.len() {
                return results;
            }
            for (index, thing) in things.iter().enumerate().skip(start).take(batch_size) {
                if cancel.load(Ordering::Relaxed) {
                    return results;
                }
                results.push((index, work(thing)));
                phase.step();
            }
        }
    };
    let mut results = thread::scope(|scope| {
        // If a thread cannot be started, the others do its work.
        let helpers: Vec<_> = (1..workers.min(things.len().div_ceil(batch_size)))
            .filter_map(|_| {
                let helper = thread::Builder::new().name("retake worker".into());
                helper.spawn_scoped(scope, take_batches).ok()
            })
            .collect();
        let mut results = take_batches();
        for helper in helpers {
            results.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_a_panic_is_passed_on() {
        let (numbers, no_cancel): (Vec<usize>, _) = ((0..1000).collect(), AtomicBool::new(false));
        let doubled = map_parallel("Doubling", &numbers, &no_cancel, |number| number * 2);
        assert_eq!(doubled, numbers.iter().map(|n| n * 2).collect::<Vec<_>>());
        let panics = || {
            map_parallel("Checking", &numbers, &no_cancel, |number| {
                assert_ne!(*number, 700);
            })
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    }

    #[test]
    fn what_was_not_begun_when_it_is_cancelled_has_no_result() {
        let cancel = AtomicBool::new(true);
        assert!(map_parallel("Reading", &[1, 2], &cancel, |number| *number).is_empty());
    }
}
