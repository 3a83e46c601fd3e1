//! The commits of calls, and what the command line wrote.

use std::sync::Arc;

use crate::{DocId, Revision};
use author::command_step::{CommandStep, UndoMode};
use calls::Item;

/// The text whose commits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitsKey {
    /// Of the scan.
    pub generation: u64,
    pub doc: DocId,
    pub revision: Revision,
    /// Counts the commits that were made meanwhile.
    pub history: u64,
}

/// The call whose pictures and sounds are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaKey {
    /// Of the scan.
    pub generation: u64,
    pub doc: DocId,
    pub revision: Revision,
    /// The call, by its number from 0; `None` for a file that is one.
    pub call: Option<usize>,
}

/// A change that is previewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviewKey {
    pub doc: DocId,
    /// The text that the change was made for.
    pub base: Revision,
    /// Counts the changes that were previewed.
    pub number: u64,
}

/// Finds the commits that recorded the calls of a file, as it is on disk.
#[derive(Debug)]
pub struct FindCommits {
    pub key: CommitsKey,
    pub item: Arc<Item>,
}

/// A request for the steps of the command line that can be undone.
#[derive(Debug)]
pub struct ListCommandSteps;

/// A request to undo the last step of the command line.
#[derive(Debug)]
pub struct UndoCommandStep {
    pub step: CommandStep,
    pub mode: UndoMode,
}
