//! Requests of one desk to another, since no desk names another.

use std::path::PathBuf;
use std::sync::Arc;

use crate::core::command::Command;
use crate::core::proposal::TerminalPrompt;
use calls::Item;
use compare::review::PlannedWrite;
use document::files::FileStep;
use play::playback::fixes::Fix;
use protocol::DocId;

/// A request to another desk, or to the whole workbench. It is carried out after the action or event that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Link {
    /// Runs a command.
    Run(Command),
    /// Closes the project, and stops what runs for it.
    CloseProject,
    /// Writes files of a review, or restores them.
    WriteFiles(Arc<[PlannedWrite]>),
    /// Shows commands in the terminal panel, which run when the user confirms.
    Propose(TerminalPrompt),
    /// Plays the failure of a log or JUnit report, or triages several.
    PlayLog { name: Arc<str>, text: Arc<str> },
    /// Reads dropped paths as the logs of a run, if they contain failures.
    ReadDropped(Vec<PathBuf>),
    /// Reads files as the logs of a run.
    ReadLogs(Vec<PathBuf>),
    /// Imports or opens dropped paths that contain no failures.
    DropOther(Vec<PathBuf>),
    /// Plays this failure of a log, counted from 0.
    PlayFailure { name: Arc<str>, text: Arc<str>, failure: usize },
    /// Shows the changes that a fix makes to the files of these folders, each given by a document in it.
    ProposeFiles { fix: Fix, folders: Vec<(DocId, Arc<Item>)>, steps: Vec<FileStep> },
    /// Plays the requests of a file or folder.
    PlayPath(PathBuf),
    /// Plays a pasted text, or starts a tape from it.
    Paste(String),
    /// Selects the session of a file.
    SelectSession(DocId),
    /// Starts a tape from a text.
    BeginTape(Arc<str>),
    /// Records these documents again.
    Regenerate(Vec<DocId>),
    /// Shows a tape on its desk.
    ShowTape(DocId),
}
