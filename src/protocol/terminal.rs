//! Commands run in the project's folder.

/// Identifies a run until the program ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// An event of a run.
#[derive(Clone, Debug)]
pub enum TerminalEvent {
    /// Lines that it has printed, with hidden characters made visible.
    Output(Vec<String>),
    /// The command ended.
    Ended(CommandEnd),
}

/// A request to run a command in the project's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCommand {
    pub run: RunId,
    pub command: String,
}

/// End of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With an exit code.
    Code(i32),
    /// With a signal that was not requested by the user.
    Signal(i32),
    /// Stopped by the user.
    Stopped,
    /// It could not be started, for this reason.
    NotStarted(String),
    /// Unknown, for this reason.
    Unknown(String),
}
