//! Commands that the terminal panel shows for the user to decide.

use document::text::Span;
use protocol::DocId;

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
