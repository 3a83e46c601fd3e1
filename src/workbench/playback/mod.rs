//! The playback desk: plays requests against a set, and shows the answers and their reasons.

mod deeds;
mod desk;
mod explanation;
mod follow;
mod mending;
mod order;
mod played;
mod sets;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

pub use desk::{PlaybackDesk, Refusal};
pub use explanation::Explanation;
pub use mending::{FileOrder, FilePlan, FileStep, FilesChanged};
pub use order::{PlayOrder, RequestsFrom};
pub use played::{LogNote, PlayFinding, Played, Stock};
pub use sets::{FoundMachine, FoundServed, FoundSet, FoundSets};

use super::items::Items;
use crate::ops::playback::fixes::Fix;
use crate::ops::playback::{PlaybackClient, PlaybackMode};

/// An action of the playback desk.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAction {
    /// Uses the recordings of this folder.
    ServeFrom(Arc<str>),
    /// Plays these requests.
    Take(RequestsFrom),
    /// Plays these requests in hybrid mode, the default of the client for tests.
    PlayHybrid(RequestsFrom),
    /// Goes back from a refused pasted text to the last result.
    DropRefusal,
    /// Plays the requests of the set in this folder against itself.
    CheckSet(Arc<str>),
    /// Reads this text as the log of a failed run, and plays the failure.
    ReadLog {
        /// The name of the log.
        name: Arc<str>,
        /// The text.
        text: Arc<str>,
    },
    /// Plays a pasted text: a log or a request.
    Paste(String),
    /// Plays the requests of this file or folder.
    PlayPath(PathBuf),
    /// Opens a dialog to choose a file or folder with requests.
    PickRequests(Wanted),
    /// Plays this failure of the log, counted from 0.
    ShowFailure(usize),
    /// Sets the mode.
    SetMode(Which, PlaybackMode),
    /// Sets the client.
    SetClient(Which, PlaybackClient),
    /// Adds or removes a second run for comparison.
    ToggleComparison,
    /// Selects a call, counted from 0.
    ShowCall(usize),
    /// Selects the next or previous listed call.
    StepCall(super::action::Step),
    /// Selects the next or previous call with a wrong answer.
    StepWrong(super::action::Step),
    /// Selects the first or last listed call.
    StepToEnd(super::action::Step),
    /// Compares this recording of the set, by its position, with the request.
    ShowRecording(usize),
    /// Shows this recording of the set, by its position, in the library.
    OpenRecording(usize),
    /// Lists only the calls of this finding; the second time, all calls.
    Filter(PlayFinding),
    /// Plays this text, of a bare request or of a recording, as the request of the selected call.
    EditRequest(String),
    /// Plays the original request again.
    TakeBackEdit,
    /// Fixes the set: shows the changes first.
    Mend(Fix),
    /// Does the planned changes of files.
    ChangeFiles,
    /// Undoes the last changes of files.
    UndoFiles,
}

/// One of two compared runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The run that is explained.
    First,
    /// The run that it is compared with.
    Second,
}

/// What a file dialog lets the user choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// A folder with requests or recordings in it.
    Folder,
    /// A file: a machine, a request, a recording, a log.
    File,
}

/// Work for the playback desk.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackEffect {
    /// Reads the requests and the set, unless they are known, and plays.
    Play(Box<PlayOrder>),
    /// Finds the sets among these items, which have this revision.
    FindSets(u64, ItemsToSort),
    /// Explains the answer of a call.
    Explain(Arc<Played>, usize),
    /// Renames files, copies them, or moves them to the trash.
    ChangeFiles(FileOrder),
    /// Opens a dialog to choose requests.
    Pick(Wanted),
}

/// Items to sort into sets. Always equal, because their revision is compared.
#[derive(Clone, Debug)]
pub struct ItemsToSort(pub Items);

impl PartialEq for ItemsToSort {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An event of the playback desk.
#[derive(Clone, Debug)]
pub enum PlaybackEvent {
    /// The request with this number was played, or could not be.
    Played(u64, Result<Arc<Played>, String>),
    /// The sets among the items with this revision.
    SetsFound(u64, Arc<FoundSets>),
    /// The explanation of a call of this run.
    Explained(Arc<Played>, Arc<Explanation>),
    /// The result of changing files.
    FilesChanged(FileOrder, FilesChanged),
    /// A file or folder with requests was chosen.
    Picked(PathBuf),
}
