//! What the user can ask for.

use std::path::PathBuf;

use super::batch::Batch;
use super::command::Command;
use super::desks::{By, Quick};
use super::incident::ImportAction;
use super::library::DocId;
use super::listing::Grouping;
use super::live::LiveAction;
use super::navigation::Desk;
use super::playback::PlaybackAction;
use super::review::ReviewAction;
use super::seeds::SeedsAction;
use super::sessions::SessionsAction;
use super::sorting::Column;
use super::sources::SourceAction;
use super::state::ProblemId;
use super::tapes::TapesAction;
use super::terminal::TerminalAction;
use super::working_copy::Revision;
use crate::format::{RuleId, Severity};
use crate::ops::edit::Edit;
use crate::ops::merge::Version;
use crate::text::{Span, TextEdit};

/// Something the user asked for. Names its target by id, so it survives a reload or a new sort.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Do what a command does, if it is enabled.
    Run(Command),
    /// Show a desk's list.
    Go(Desk),

    /// Open these files and folders in place of what is open.
    Open(Vec<PathBuf>),
    /// Forget a folder on the list of recent ones.
    ForgetRecent(PathBuf),

    /// Show this item in the inspector.
    Select(DocId),
    /// Put this item beside the selected one, or take it away again.
    ToggleMark(DocId),
    /// Replace the filter of the library by this text.
    SetFilter(String),
    /// The same while its last term is still being typed: what is there of it counts as a beginning.
    TypeFilter(String),
    /// Narrow the list at one press.
    SetQuick(Quick),
    /// Sort by this column; again: the other way round.
    SortBy(Column),
    /// Put rows under headings.
    GroupBy(Grouping),
    /// Fold or unfold a group, named by its heading.
    ToggleGroup(String),

    /// Show this side of the selected item.
    ShowTab(Tab),
    /// Select an item and show this place in its text.
    Reveal(DocId, Span),

    /// Put two items side by side.
    Compare(DocId, DocId),
    /// Show the source of a recording as it was and as it is.
    ThenAndNow(DocId),
    /// Go to a change of what is compared, by its number from 0.
    ShowChange(usize),
    /// Open a folded stretch of what is compared, or fold it again.
    ToggleFold {
        /// The section, counted from 0; a source is one section.
        section: usize,
        /// The fold in the section, counted from 0.
        fold: usize,
    },
    /// Show two sides, or one above the other.
    SetPane(Pane),

    /// Do something on the seeds desk.
    Seeds(SeedsAction),

    /// List problems by rule or by file, or sources, on the problems desk.
    ListBy(By),
    /// Do something on the tapes desk.
    Tapes(TapesAction),

    /// Do something on the sessions desk.
    Sessions(SessionsAction),

    /// Show what a rule says and where it applies.
    SelectRule(RuleId),
    /// Show one problem's place.
    SelectProblem(ProblemId),
    /// Show problems of one level only, or all.
    FilterProblems(Option<Severity>),

    /// Change one value of a document. Refused aloud if the text is no longer the one with this name.
    EditValue {
        /// The document.
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        /// What is changed.
        edit: Edit,
    },
    /// Replace a part of a document's text while somebody types in it.
    Type {
        /// The document.
        doc: DocId,
        /// The text that was typed into.
        base: Revision,
        /// What was typed.
        edit: TextEdit,
    },
    /// Replace a part of a document's text, as one step.
    EditText {
        /// The document.
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        /// What is replaced.
        edit: TextEdit,
        /// What the step is called in the history, in the imperative.
        name: String,
    },
    /// Do this to these recordings, as one step that is shown before it is saved.
    Batch(Batch, Vec<DocId>),
    /// Stamp all recordings that are listed under this heading in the same way.
    StampGroup(String),
    /// What is asked of the list of sources.
    Sources(SourceAction),
    /// What is typed next is undone by itself.
    EndTyping,
    /// Undo or do again until so many steps of the history stand.
    JumpTo(usize),

    /// Write a document to its file.
    Save(DocId, SaveWay),
    /// Choose where else to save a document.
    SaveAs(DocId),
    /// Take all unsaved edits of a document back.
    Revert(DocId),
    /// Show the versions of a document that was changed both here and on disk.
    ShowConflict(DocId),
    /// Take one version at a place of the versions that are shown, counted from 0.
    Choose(usize, Version),
    /// Make one text of the versions as chosen, and save it.
    Resolve(DocId),
    /// Write ours over theirs.
    TakeOurs(DocId),
    /// Leave what is open without the edits that are not saved.
    Discard,
    /// Take over unsaved edits that an earlier run has left, by their number.
    Recover(u64),
    /// Drop unsaved edits that an earlier run has left.
    DropDraft(u64),

    /// Do something about an incident that becomes sessions.
    Import(ImportAction),
    /// Do something at the playback desk.
    Playback(PlaybackAction),
    /// Do something at the review desk.
    Review(ReviewAction),
    /// Do something at the live desk.
    Live(LiveAction),
    /// Something about commands that are run.
    Terminal(TerminalAction),

    /// Put text on the clipboard.
    Copy(String),
    /// Show something over the desk, or nothing.
    SetOverlay(Option<Overlay>),
    /// Use these colours.
    SetTheme(Theme),
    /// Take away a notice, by its number.
    Dismiss(u64),
}

/// One of the sides of an item in the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// As its readers would read it: turns, tables, lists.
    #[default]
    Conversation,
    /// The text of the file.
    Text,
    /// The values as a tree.
    Tree,
    /// What is wrong.
    Problems,
}

/// How a document is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaveWay {
    /// Over the file it was read from, if that is unchanged and may be written.
    Usual,
    /// The same, even if the file is marked as read-only.
    ReplaceReadOnly,
    /// As a new file: the one it was read from is gone.
    Anew,
}

/// Which way to step through changes, problems or rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the one after.
    Next,
    /// To the one before.
    Previous,
}

/// How two texts are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    /// Beside each other.
    #[default]
    Sides,
    /// One above the other, line by line.
    Unified,
}

/// Something over the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlay {
    /// The palette: every command, file and problem by name.
    Palette,
    /// The table of keys.
    Keys,
    /// What is not saved, with its changes.
    Unsaved,
    /// Every step that can be undone.
    History,
    /// Unsaved edits that an earlier run has left.
    Recovered,
    /// A field for the log of a failed playback.
    FailureLog,
    /// A field for the request of the selected call, or for one of one's own.
    TypedRequest,
    /// What would be done to the files of a set.
    FileChanges,
    /// What applying the decisions of a review would write.
    ReviewApply,
    /// A rule that sets differences aside.
    ReviewRule,
    /// What a review is against.
    ReviewAgainst,
    /// A rule that answers requests at a queue.
    AnswerRule,
    /// What saving drafts would do.
    SaveSessions,
    /// Which runs are fetched from LangSmith, and how far that is.
    FetchRuns,
    /// The tapes that can be laid over the one that is shown.
    Takes,
    /// The form of a new tape.
    NewTape,
    /// How a session would be listed in its configuration.
    AddToConfig,
    /// A choice of answers that a contract is tried on.
    ChooseAnswer,
    /// The form with which the recorder is started.
    RecordCalls,
    /// The form with which the server is started.
    ServeCalls,
}

/// Which colours to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// As the system is set.
    #[default]
    System,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}
