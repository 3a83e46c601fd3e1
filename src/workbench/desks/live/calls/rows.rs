//! The latest calls of the recorder or the server.

use std::collections::VecDeque;
use std::sync::Arc;

use super::run::ListenerKind;
use crate::ops::live::log::{LogRow, MOST_CALLS};

/// Identifies a call until the window closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    pub listener: ListenerKind,
    /// The run of the listener.
    pub run: u32,
    /// Its number in that run.
    pub number: u64,
}

/// Which calls are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CallFilter {
    #[default]
    All,
    /// Calls in progress.
    Streaming,
    Failed,
}

impl CallFilter {
    pub const ALL: [Self; 3] = [Self::All, Self::Streaming, Self::Failed];
}

/// The calls of a listener.
#[derive(Debug)]
pub struct CallRows<R> {
    listener: ListenerKind,
    /// The earliest first.
    rows: VecDeque<(CallId, Arc<R>)>,
    /// The latest first.
    pub listed: Vec<CallId>,
    pub streaming: usize,
    pub failed: usize,
    pub is_unfolded: bool,
}

impl<R: LogRow> CallRows<R> {
    pub(super) fn new(which: ListenerKind) -> Self {
        Self {
            listener: which,
            rows: VecDeque::new(),
            listed: Vec::new(),
            streaming: 0,
            failed: 0,
            is_unfolded: false,
        }
    }

    /// Returns a call.
    pub fn get(&self, id: CallId) -> Option<&Arc<R>> {
        let at = self.rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.rows.get(at).map(|(_, row)| row)
    }

    /// Returns the number of calls.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no calls.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds or updates calls.
    pub(super) fn update(&mut self, run: u32, rows: Vec<R>, listed: CallFilter) {
        for row in rows {
            let id = CallId { listener: self.listener, run, number: row.number() };
            let row = Arc::new(row);
            match self.rows.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(at) => self.rows[at].1 = row,
                Err(at) => self.rows.insert(at, (id, row)),
            }
        }
        let too_many = self.rows.len().saturating_sub(MOST_CALLS);
        self.rows.drain(..too_many);
        self.rebuild(listed);
    }

    /// Updates calls, from the latest to the first.
    pub(super) fn each_mut(&mut self, mut change: impl FnMut(&mut Arc<R>)) {
        self.rows.iter_mut().rev().for_each(|(_, row)| change(row));
    }

    /// Lists and counts the calls again.
    pub(super) fn rebuild(&mut self, listed: CallFilter) {
        let count = |holds: fn(&R) -> bool| self.rows.iter().filter(|(_, row)| holds(row)).count();
        (self.streaming, self.failed) = (count(R::is_streaming), count(R::has_failed));
        let is_listed = |row: &R| match listed {
            CallFilter::All => true,
            CallFilter::Streaming => row.is_streaming(),
            CallFilter::Failed => row.has_failed(),
        };
        let rows = self.rows.iter().rev().filter(|(_, row)| is_listed(row));
        self.listed = rows.map(|(id, _)| *id).collect();
    }
}
