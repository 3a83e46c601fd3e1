//! The playback desk: plays requests against a set, and shows the answers and their reasons.

mod actions;
mod desk;
mod fixing;
mod strip;
mod sync;
#[cfg(test)]
mod tests;
mod verdicts;

pub use desk::{PasteRefusal, PlaybackDesk};
pub use fixing::FilePlan;
pub use strip::StripState;

use std::path::PathBuf;
use std::sync::Arc;

use crate::ops::playback::fixes::Fix;
use crate::ops::playback::{PlaybackClient, PlaybackMode};
use crate::workbench::core::strip_player::PlayheadAction;
use crate::workbench::requests::RequestsSource;

/// An action of the playback desk.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAction {
    /// Uses the recordings of this folder.
    ServeFrom(Arc<str>),
    PlayRequests(RequestsSource),
    /// Plays these requests in hybrid mode, the default of the client for tests.
    PlayHybrid(RequestsSource),
    /// Goes back from a refused pasted text to the last result.
    DropRefusal,
    /// Plays the requests of the set in this folder against itself.
    CheckSet(Arc<str>),
    /// Plays the set in this folder in hybrid mode, with the first requests of its machine if that can be read completely, else
    /// with its own.
    PlaySet(Arc<str>),
    /// Reads this text as the log of a failed run or as a JUnit report, and plays its failure, or triages several.
    ReadLog {
        /// The name of the log.
        name: Arc<str>,
        text: Arc<str>,
    },
    /// Plays a pasted text: a log or a request.
    Paste(String),
    /// Plays the requests of this file or folder.
    PlayPath(PathBuf),
    /// Opens a dialog to choose a file or folder with requests.
    PickRequests(PickKind),
    /// Plays this failure of the log, counted from 0.
    ShowFailure(usize),
    SetMode(PlaybackMode),
    SetClient(PlaybackClient),
    /// Selects a call, counted from 0.
    ShowCall(usize),
    /// Compares this recording of the set, by its position, with the request.
    ShowRecording(usize),
    /// Shows this recording of the set, by its position, in the library.
    OpenRecording(usize),
    Playhead(PlayheadAction),
    /// Shows the conversation in place of the explanation of the selected call, or the explanation again.
    ShowConversation(bool),
    /// Fixes the set: shows the changes first.
    Fix(Fix),
    /// Does the planned changes of files.
    ChangeFiles,
    /// Undoes the last changes of files.
    UndoFiles,
}

/// What a file dialog lets the user choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickKind {
    /// A folder with requests or recordings in it.
    Folder,
    /// A file: a machine, a request, a recording, a log.
    File,
}
