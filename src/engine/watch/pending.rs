//! Collects changes until they have been quiet for a moment. Uses no clock: the caller passes the time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time that a path must be quiet before it is read: programs write a file in several steps.
const QUIET_TIME: Duration = Duration::from_millis(60);

/// The same for a file that was written and closed.
const WRITTEN_QUIET_TIME: Duration = Duration::from_millis(20);

/// The longest wait for a path that keeps changing. With the time to read it, a change shows within a quarter second.
const MAX_DELAY: Duration = Duration::from_millis(150);

/// Changes that are due so soon after another one are taken with it: a rename is reported as two paths, one after the other.
const MERGE_WINDOW: Duration = Duration::from_millis(10);

/// Changes that were not checked yet.
#[derive(Debug, Default)]
pub(super) struct Pending {
    paths: HashMap<PathBuf, ChangeTimes>,
    /// Times at which it was found that anything may have changed.
    all: Option<ChangeTimes>,
    /// A lower bound of the next due time.
    pub(super) next: Option<Instant>,
}

/// Paths to check now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PendingBatch {
    /// These paths, in order.
    Paths(Vec<PathBuf>),
    /// Everything.
    All,
}

#[derive(Clone, Copy, Debug)]
struct ChangeTimes {
    first: Instant,
    last: Instant,
    /// Time that it must be quiet.
    quiet: Duration,
}

impl ChangeTimes {
    fn due(self) -> Instant {
        (self.last + self.quiet).min(self.first + MAX_DELAY)
    }
}

impl Pending {
    /// Notes that something changed at a path.
    pub(super) fn note(&mut self, path: PathBuf, now: Instant) {
        self.note_until_quiet(path, now, QUIET_TIME);
    }

    /// Notes that the file at a path was written and closed: unless it is written again, it is complete.
    pub(super) fn note_written(&mut self, path: PathBuf, now: Instant) {
        self.note_until_quiet(path, now, WRITTEN_QUIET_TIME);
    }

    fn note_until_quiet(&mut self, path: PathBuf, now: Instant, quiet_time: Duration) {
        // Kept, so that a path that never becomes quiet is read after the longest delay.
        let first = self.paths.get(&path).map_or(now, |times| times.first);
        self.paths.insert(path, ChangeTimes { first, last: now, quiet: quiet_time });
        self.soon(now + quiet_time);
    }

    /// Notes that anything may have changed.
    pub(super) fn note_all(&mut self, now: Instant) {
        let first = self.all.map_or(now, |times| times.first);
        self.all = Some(ChangeTimes { first, last: now, quiet: QUIET_TIME });
        self.soon(now + QUIET_TIME);
    }

    fn soon(&mut self, time: Instant) {
        self.next = Some(self.next.map_or(time, |next| next.min(time)));
    }

    /// Takes what is due.
    pub(super) fn take(&mut self, now: Instant) -> Option<PendingBatch> {
        if self.next.is_none_or(|next| next > now) {
            return None;
        }
        // `next` was only a lower bound: later changes may have moved what was due first.
        self.next = self.first_due();
        if self.next.is_none_or(|next| next > now) {
            return None;
        }
        let limit = now + MERGE_WINDOW;
        if self.all.is_some_and(|times| times.due() <= limit) {
            // Single paths are checked with everything.
            *self = Self::default();
            return Some(PendingBatch::All);
        }
        let mut paths: Vec<PathBuf> =
            self.paths.extract_if(|_, times| times.due() <= limit).map(|(path, _)| path).collect();
        paths.sort_unstable();
        self.next = self.first_due();
        (!paths.is_empty()).then_some(PendingBatch::Paths(paths))
    }

    fn first_due(&self) -> Option<Instant> {
        self.paths.values().chain(&self.all).map(|times| times.due()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays notes (milliseconds and a path; `*` for everything, and with `!` for a file that was closed) and returns what is due when. Requests a batch at the reported times.
    fn played(notes: &[(u64, &str)]) -> Vec<String> {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut pending = Pending::default();
        let mut batches = Vec::new();
        let mut drain = |pending: &mut Pending, until: Option<u64>| {
            while let Some(next) = pending.next
                && until.is_none_or(|until| next <= at(until))
            {
                if let Some(batch) = pending.take(next) {
                    let millis = next.duration_since(start).as_millis();
                    batches.push(match batch {
                        PendingBatch::All => format!("{millis} everything"),
                        PendingBatch::Paths(paths) => {
                            let paths: Vec<_> = paths.iter().map(|p| p.to_string_lossy()).collect();
                            format!("{millis} {}", paths.join(" "))
                        }
                    });
                }
            }
        };
        for (millis, path) in notes {
            drain(&mut pending, Some(*millis));
            match *path {
                "*" => pending.note_all(at(*millis)),
                path if path.ends_with('!') => {
                    pending.note_written(path.trim_end_matches('!').into(), at(*millis));
                }
                path => pending.note(path.into(), at(*millis)),
            }
        }
        drain(&mut pending, None);
        batches
    }

    #[test]
    fn what_is_quiet_is_given_out_together_and_once() {
        assert_eq!(played(&[]), [""; 0]);
        assert_eq!(played(&[(0, "b"), (0, "a")]), ["60 a b"]);
        assert_eq!(played(&[(0, "a"), (50, "a"), (300, "a")]), ["110 a", "360 a"]);
    }

    #[test]
    fn a_file_that_was_closed_is_complete_unless_it_is_written_again() {
        assert_eq!(played(&[(0, "a"), (5, "a"), (10, "a!")]), ["30 a"]);
        assert_eq!(played(&[(0, "a!"), (10, "a")]), ["70 a"]);
        assert_eq!(played(&[(0, "a"), (10, "b!")]), ["30 b", "60 a"]);
    }

    #[test]
    fn what_changes_all_the_time_is_published_too_and_delays_nothing_else() {
        let mut notes: Vec<(u64, &str)> = (0..20).map(|n| (n * 20, "busy")).collect();
        notes.push((400, "calm"));
        assert_eq!(played(&notes), ["150 busy", "310 busy", "440 busy", "460 calm"]);
        assert_eq!(played(&[(0, "a"), (30, "b")]), ["60 a", "90 b"]);
        assert_eq!(played(&[(0, "from"), (1, "to")]), ["60 from to"]);
    }

    #[test]
    fn everything_takes_in_each() {
        assert_eq!(played(&[(0, "*"), (10, "a"), (40, "*")]), ["70 a", "100 everything"]);
        assert_eq!(played(&[(0, "a"), (1, "*"), (2, "b")]), ["60 everything"]);
    }
}
