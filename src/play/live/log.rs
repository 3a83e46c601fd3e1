//! The calls in progress: each is a row that is updated by events.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

/// A call that is updated by events.
pub trait LogRow: Sized {
    type Event;

    /// Returns the number of the call that an event is about, counted from 1.
    fn number_of(event: &Self::Event) -> u64;

    /// Creates the row for an event that starts a call; `None` for other events.
    fn from_event(event: &Self::Event) -> Option<Self>;

    /// Applies an event.
    fn note(&mut self, event: Self::Event);

    /// Returns when it arrived.
    fn at(&self) -> Timestamp;

    /// Returns the first words of its request, or else its address.
    fn title(&self) -> String;

    /// Describes in one line what became of it.
    fn describe(&self) -> String;

    /// Returns whether it failed.
    fn has_failed(&self) -> bool;

    /// Returns the path of the file it became, or was answered from.
    fn file(&self) -> Option<&Arc<str>>;

    /// Returns whether no more events will follow.
    fn is_over(&self) -> bool;
}

/// The calls in progress, by their numbers.
#[derive(Debug)]
pub struct CallLog<R>(HashMap<u64, R>);

impl<R> Default for CallLog<R> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<R: LogRow> CallLog<R> {
    /// Applies an event. Returns the call that it finished.
    pub fn note(&mut self, event: R::Event) -> Option<R> {
        let number = R::number_of(&event);
        match self.0.get_mut(&number) {
            Some(row) => row.note(event),
            None => {
                self.0.insert(number, R::from_event(&event)?);
            }
        }
        // Removed when it is over, so that a server that runs for days holds only open calls.
        self.0.get(&number).is_some_and(R::is_over).then(|| self.0.remove(&number)).flatten()
    }
}
