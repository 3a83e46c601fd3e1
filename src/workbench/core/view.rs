//! Shown parts of the window: overlays, tabs and layouts.

use crate::Command;

/// A tab of the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InspectorTab {
    /// The rendered conversation: turns, tables, lists.
    #[default]
    Conversation,
    /// The text of the file.
    Text,
    /// The values as a tree.
    Tree,
    /// The problems of the item.
    Problems,
}

/// A tab of the page of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceTab {
    /// The source at the time of recording, and now.
    #[default]
    ThenAndNow,
    /// The machine with its recordings at its nodes, in each version.
    Map,
    /// The recordings, by whether they still match.
    Recordings,
}

impl SourceTab {
    /// The tabs from left to right.
    pub const ALL: [Self; 3] = [Self::ThenAndNow, Self::Map, Self::Recordings];

    /// The command that shows it, whose name is its label.
    pub fn command(self) -> Command {
        match self {
            Self::ThenAndNow => Command::CompareSource,
            Self::Map => Command::ShowMap,
            Self::Recordings => Command::ShowSourceRecordings,
        }
    }
}

/// The layout of two compared texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DiffLayout {
    #[default]
    SideBySide,
    /// Interleaved in one column, line by line.
    Unified,
}

/// A panel shown over the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// The command palette.
    Palette,
    /// The table of keyboard shortcuts.
    Keys,
    /// The version, and the notices of what the program contains.
    About,
    /// The field for a path.
    Path,
    /// The unsaved documents with their changes.
    Unsaved,
    /// A planned change of documents, with its files.
    Step,
    /// The form that describes the format of a file.
    DescribeFormat,
    /// The form that replaces something in many files.
    Replace,
    /// The undo history.
    History,
    /// Unsaved edits of an earlier run.
    Recovered,
    /// The latest lines of the log.
    Log,
    /// The report of the last crash.
    CrashReport,
    /// A field to paste the log of a failed playback.
    FailureLog,
    /// The planned changes to the files of a set.
    FileChanges,
    /// The changes that applying the decisions of a review writes.
    ReviewApply,
    /// The form of a rule that ignores differences.
    ReviewRule,
    /// The choice of what to compare with in a review.
    ReviewAgainst,
    /// The form of a rule that answers requests at a queue.
    AnswerRule,
    /// The plan for saving session drafts.
    SaveSessions,
    /// The form to fetch runs from LangSmith, with its progress.
    FetchRuns,
    /// The form of a new tape.
    NewTape,
    /// The edit that adds a session to its configuration.
    AddToConfig,
    /// The choice of an answer to test a contract on.
    ChooseAnswer,
    /// The user's own settings.
    Settings,
}
