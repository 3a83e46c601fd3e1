//! Calls that are told of as they happen: each a row that grows, in memory that is bounded.

use std::collections::{BTreeMap, BTreeSet};

/// A call of which events tell.
pub trait Row: Clone {
    /// What is told of it.
    type Event;

    /// The number of the call that an event is about.
    fn number_of(event: &Self::Event) -> u64;

    /// The row that begins with an event; `None` where it tells of no beginning.
    fn begun(event: &Self::Event) -> Option<Self>;

    /// Takes note of an event.
    fn note(&mut self, event: Self::Event);

    /// Counts the calls of a run, from 1.
    fn number(&self) -> u64;

    /// Whether it is answered now.
    fn is_streaming(&self) -> bool;

    /// Whether it did not end as it should.
    fn has_failed(&self) -> bool;

    /// Whether nothing more will be told.
    fn is_over(&self) -> bool;
}

/// The calls that are under way, and those of which something is new.
#[derive(Debug)]
pub struct Log<R> {
    rows: BTreeMap<u64, R>,
    news: BTreeSet<u64>,
}

/// How many calls are kept: what is older is of interest to nobody, or stands in a log file.
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
    /// Takes note of an event.
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

    /// Forgets the earliest that is over where too many wait to be taken.
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

    /// Whether something is new.
    pub fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// The calls of which something is new, each as it is now. Those that are over are not kept any longer.
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
