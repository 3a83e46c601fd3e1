//! The playback desk: which requests are played against which set, how, and what of the answer is looked at.

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
use crate::ops::playback::{Client, Mode};

/// What is asked of the playback desk.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackAction {
    /// Serve from the recordings of this folder.
    ServeFrom(Arc<str>),
    /// Play these requests.
    Take(RequestsFrom),
    /// Play these requests in hybrid mode, as the client for tests does by default.
    PlayHybrid(RequestsFrom),
    /// Go back from a pasted text that cannot be played to what was played before.
    DropRefusal,
    /// Play the requests of the set in this folder against itself.
    CheckSet(Arc<str>),
    /// Read this text as the log of a failed run, and play what failed.
    ReadLog {
        /// What people call it.
        name: Arc<str>,
        /// All of it.
        text: Arc<str>,
    },
    /// The same with a text that was pasted; what cannot be played is refused.
    Paste(String),
    /// Play what this file or folder holds.
    PlayPath(PathBuf),
    /// Let the user choose a file or folder whose requests are played.
    PickRequests(Wanted),
    /// Play this failure of the log, counted from 0.
    ShowFailure(usize),
    /// Choose recordings like this.
    SetMode(Which, Mode),
    /// Play as this client does.
    SetClient(Which, Client),
    /// Play a second time in another way beside the first, or no longer.
    ToggleComparison,
    /// Look at a call, counted from 0.
    ShowCall(usize),
    /// Look at the next call or the one before among those that are listed.
    StepCall(super::action::Step),
    /// Look at the next call that gets a wrong answer, or the one before.
    StepWrong(super::action::Step),
    /// Go to the first or the last call that is listed.
    StepToEnd(super::action::Step),
    /// Put this recording of the set, by its position, beside the request.
    ShowRecording(usize),
    /// Show this recording of the set, by its position, in the library.
    OpenRecording(usize),
    /// List only what this finding concerns; the same again: everything.
    Filter(PlayFinding),
    /// Play this text, of a bare request or of a recording, in place of the request of the selected call.
    EditRequest(String),
    /// Play the request as it was read.
    TakeBackEdit,
    /// Mend the set like this: shows first what that changes.
    Mend(Fix),
    /// Do to files what is shown.
    ChangeFiles,
    /// Take back what was done to files last.
    UndoFiles,
}

/// Which of two runs side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// The one that is explained.
    First,
    /// The one beside it.
    Second,
}

/// What is to be chosen in a dialog of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// A folder with requests or recordings in it.
    Folder,
    /// A file: a machine, a request, a recording, a log.
    File,
}

/// What the playback desk asks of the world outside.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackEffect {
    /// Read what is to be played, if that is not known, and play it.
    Play(Box<PlayOrder>),
    /// Find the sets among these items, which have this revision.
    FindSets(u64, ItemsToSort),
    /// Say why a call of a run gets what it gets.
    Explain(Arc<Played>, usize),
    /// Give files other names, copy them, or move them to the trash.
    ChangeFiles(FileOrder),
    /// Let the user choose what is played.
    Pick(Wanted),
}

/// Items that are to be sorted into sets. All are alike: their revision stands beside them.
#[derive(Clone, Debug)]
pub struct ItemsToSort(pub Items);

impl PartialEq for ItemsToSort {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What the playback desk is told.
#[derive(Clone, Debug)]
pub enum PlaybackEvent {
    /// The order with this number was played, or could not be.
    Played(u64, Result<Arc<Played>, String>),
    /// The sets among the items with this revision.
    SetsFound(u64, Arc<FoundSets>),
    /// Why a call of this run gets what it gets.
    Explained(Arc<Played>, Arc<Explanation>),
    /// What became of files that were to be changed.
    FilesChanged(FileOrder, FilesChanged),
    /// A file or folder was chosen whose requests are to be played.
    Picked(PathBuf),
}
