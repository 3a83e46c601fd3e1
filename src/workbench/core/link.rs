//! Requests of one desk to another, since no desk names another.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Command;
use calls::Item;
use compare::review::PlannedWrite;
use document::files::FileStep;
use document::text::Span;
use play::drift::DriftReport;
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
    /// Reads files as the logs of a run for the audit.
    ReadAuditLogs(Vec<PathBuf>),
    /// Lists in the library what passes a filter.
    Filter(String),
    /// Imports or opens dropped paths that contain no failures.
    DropOther(Vec<PathBuf>),
    /// Shows what tests send beside what was recorded, by the name of its logs.
    ShowDrift(String, Arc<DriftReport>),
    /// Plays this failure of a log, counted from 0.
    PlayFailure { name: Arc<str>, text: Arc<str>, failure: usize },
    /// Shows the changes that a fix, described in sentences, makes to the files of these folders, each given by a document in it.
    ProposeFiles { sentence: String, folders: Vec<(DocId, Arc<Item>)>, steps: Vec<FileStep> },
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

/// Commands that are shown but not run yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposal {
    /// Their purpose, in the imperative.
    pub name: String,
    /// They run one after another until one fails.
    pub commands: Vec<String>,
    /// Remarks for the user before they run, one sentence each.
    pub remarks: Vec<String>,
    pub origin: Option<CommandOrigin>,
}

/// The line of a file that defines a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOrigin {
    /// The file, from the project root.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The same location, if the file is open.
    pub reveal: Option<(DocId, Span)>,
}

/// Content of the panel, for the user to decide.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalPrompt {
    /// Commands to run.
    Run(Proposal),
    /// The project's file has no command, or an invalid one, for this reason.
    NoCommand(Option<String>),
    /// There is no command for the selection, for this reason.
    Refused(String),
}
