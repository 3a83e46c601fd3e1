//! The calls that are kept of the recorder or of the server, the latest of them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::run::Listener;
use crate::ops::live::log::{MOST_CALLS, Row};

/// Names a call for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId {
    /// Of which of the two.
    pub which: Listener,
    /// Of which run.
    pub run: u32,
    /// Its number in that run.
    pub number: u64,
}

/// Which calls are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Listed {
    /// All.
    #[default]
    All,
    /// Those that are answered now.
    Streaming,
    /// Those that did not end as they should.
    Failed,
}

impl Listed {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::All, Self::Streaming, Self::Failed];
}

/// The calls of one of the two.
#[derive(Debug)]
pub struct Rows<R> {
    which: Listener,
    /// The earliest first.
    rows: VecDeque<(CallId, Arc<R>)>,
    /// The latest first.
    listed: Vec<CallId>,
    streaming: usize,
    failed: usize,
    pub(super) is_unfolded: bool,
}

impl<R: Row> Rows<R> {
    pub(super) fn new(which: Listener) -> Self {
        Self {
            which,
            rows: VecDeque::new(),
            listed: Vec::new(),
            streaming: 0,
            failed: 0,
            is_unfolded: false,
        }
    }

    /// A call.
    pub fn get(&self, id: CallId) -> Option<&Arc<R>> {
        let at = self.rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.rows.get(at).map(|(_, row)| row)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many are answered now.
    pub fn streaming(&self) -> usize {
        self.streaming
    }

    /// How many did not end as they should.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// Those that are listed, the latest first.
    pub fn listed(&self) -> &[CallId] {
        &self.listed
    }

    /// Whether the earlier ones are shown, too.
    pub fn is_unfolded(&self) -> bool {
        self.is_unfolded
    }

    /// Puts calls in the place of what was known of them.
    pub(super) fn put(&mut self, run: u32, rows: Vec<R>, listed: Listed) {
        for row in rows {
            let id = CallId {
                which: self.which,
                run,
                number: row.number(),
            };
            let row = Arc::new(row);
            match self.rows.binary_search_by_key(&id, |(id, _)| *id) {
                Ok(at) => self.rows[at].1 = row,
                Err(at) => self.rows.insert(at, (id, row)),
            }
        }
        let too_many = self.rows.len().saturating_sub(MOST_CALLS);
        self.rows.drain(..too_many);
        self.list(listed);
    }

    /// Changes what is known of calls, from the latest on.
    pub(super) fn each_mut(&mut self, mut change: impl FnMut(&mut Arc<R>)) {
        self.rows.iter_mut().rev().for_each(|(_, row)| change(row));
    }

    /// Lists and counts calls anew.
    pub(super) fn list(&mut self, listed: Listed) {
        let count = |holds: fn(&R) -> bool| self.rows.iter().filter(|(_, row)| holds(row)).count();
        (self.streaming, self.failed) = (count(R::is_streaming), count(R::has_failed));
        let is_listed = |row: &R| match listed {
            Listed::All => true,
            Listed::Streaming => row.is_streaming(),
            Listed::Failed => row.has_failed(),
        };
        let rows = self.rows.iter().rev().filter(|(_, row)| is_listed(row));
        self.listed = rows.map(|(id, _)| *id).collect();
    }
}
