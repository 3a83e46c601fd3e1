//! A live log of calls in bounded memory: each call is a row that is updated by events.

use std::collections::{BTreeMap, BTreeSet};

/// A call that is updated by events.
pub trait LogRow: Clone {
    type Event;

    /// Returns the number of the call that an event is about.
    fn number_of(event: &Self::Event) -> u64;

    /// Creates the row for an event that starts a call; `None` for other events.
    fn from_event(event: &Self::Event) -> Option<Self>;

    /// Applies an event.
    fn note(&mut self, event: Self::Event);

    /// Returns the number of the call, counted from 1 in each run.
    fn number(&self) -> u64;

    /// Returns whether the answer is being sent now.
    fn is_streaming(&self) -> bool;

    /// Returns whether it failed.
    fn has_failed(&self) -> bool;

    /// Returns whether no more events will follow.
    fn is_over(&self) -> bool;
}

/// The calls in progress and those that changed.
#[derive(Debug)]
pub struct CallLog<R> {
    rows: BTreeMap<u64, R>,
    changed: BTreeSet<u64>,
}

/// Maximum number of calls kept; older ones are only in a log file.
pub const MOST_CALLS: usize = 1000;

impl<R> Default for CallLog<R> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), changed: BTreeSet::new() }
    }
}

impl<R: LogRow> CallLog<R> {
    /// Applies an event.
    pub fn note(&mut self, event: R::Event) {
        let number = R::number_of(&event);
        match self.rows.get_mut(&number) {
            Some(row) => row.note(event),
            None => match R::from_event(&event) {
                Some(row) => {
                    self.rows.insert(number, row);
                    self.forget();
                }
                None => return,
            },
        }
        self.changed.insert(number);
    }

    /// Drops the earliest finished call if too many are waiting to be taken.
    fn forget(&mut self) {
        if self.changed.len() < MOST_CALLS {
            return;
        }
        let is_over = |number: &&u64| self.rows.get(number).is_some_and(R::is_over);
        if let Some(number) = self.changed.iter().find(is_over).copied() {
            self.changed.remove(&number);
            self.rows.remove(&number);
        }
    }

    /// Returns whether any call changed.
    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Takes the calls that changed, each in its current state. Finished calls are removed from the log.
    pub fn take_changed(&mut self) -> Vec<R> {
        let news = std::mem::take(&mut self.changed);
        let rows = news.into_iter().filter_map(|number| {
            if self.rows.get(&number)?.is_over() {
                self.rows.remove(&number)
            } else {
                self.rows.get(&number).cloned()
            }
        });
        rows.collect()
    }
}
