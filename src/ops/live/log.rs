//! A live log of calls in bounded memory: each call is a row that is updated by events.

use std::collections::{BTreeMap, BTreeSet};

/// A call that is updated by events.
pub trait Row: Clone {
    /// The events.
    type Event;

    /// Returns the number of the call that an event is about.
    fn number_of(event: &Self::Event) -> u64;

    /// Creates the row for an event that starts a call; `None` for other events.
    fn begun(event: &Self::Event) -> Option<Self>;

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
pub struct Log<R> {
    rows: BTreeMap<u64, R>,
    news: BTreeSet<u64>,
}

/// Maximum number of calls kept; older ones are only in a log file.
pub const MOST_CALLS: usize = 1000;

impl<R> Default for Log<R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            news: BTreeSet::new(),
        }
    }
}

impl<R: Row> Log<R> {
    /// Applies an event.
    pub fn note(&mut self, event: R::Event) {
        let number = R::number_of(&event);
        match self.rows.get_mut(&number) {
            Some(row) => row.note(event),
            None => match R::begun(&event) {
                Some(row) => {
                    self.rows.insert(number, row);
                    self.forget();
                }
                None => return,
            },
        }
        self.news.insert(number);
    }

    /// Drops the earliest finished call if too many are waiting to be taken.
    fn forget(&mut self) {
        if self.news.len() < MOST_CALLS {
            return;
        }
        let is_over = |number: &&u64| self.rows.get(number).is_some_and(R::is_over);
        if let Some(number) = self.news.iter().find(is_over).copied() {
            self.news.remove(&number);
            self.rows.remove(&number);
        }
    }

    /// Returns whether any call changed.
    pub fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// Takes the calls that changed, each in its current state. Finished calls are removed from the log.
    pub fn take(&mut self) -> Vec<R> {
        let news = std::mem::take(&mut self.news);
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
