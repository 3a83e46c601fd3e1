//! Triages a whole run: its failures by cause, the fix of each cause, and which failures are answered since.

mod desk;
mod fixing;
mod reading;
mod sharing;

pub use desk::{TriageDesk, TriageState};

use std::path::PathBuf;
use std::sync::Arc;

use crate::workbench::requests::RunSource;

/// An action of the triage.
#[derive(Clone, Debug, PartialEq)]
pub enum TriageAction {
    /// Reads a run. A single failure is played, several are triaged.
    Read(RunSource),
    /// Opens a dialog to choose the logs of a run.
    PickLogs,
    /// Shows the last run.
    Show,
    /// Selects a cause, counted from 0. After the last one are the failures without a set.
    SelectCause(usize),
    /// Selects a failure of the selected cause, counted from 0.
    SelectFailure(usize),
    /// Plays the selected failure.
    PlayFailure,
    /// Shows this recording, given by its path from the project root.
    OpenRecording(Arc<str>),
    /// Compares the source of this recording at the time of recording with its current version.
    CompareSource(Arc<str>),
    /// Shows the changes that fix the selected cause.
    Fix,
    /// Shows the changes that fix all causes.
    FixAll,
    /// Records the recordings of the selected cause again.
    Regenerate,
    /// Writes a page of the run that is shown, or of this log, into a file.
    WritePage(PathBuf, Option<RunSource>),
}
