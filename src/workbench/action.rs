//! Actions that the user can request.

use crate::workbench::Choice;
use crate::workbench::saving::SaveTo;
use std::any::Any;
use std::path::PathBuf;

use super::command::Command;
use super::desks::{ProblemsView, QuickFilter};
use super::incident::ImportAction;
use super::library::DocId;
use super::listing::Grouping;
use super::live::LiveAction;
use super::navigation::Desk;
use super::playback::PlaybackAction;
use super::review::ReviewAction;
use super::seeds::SeedsAction;
use super::sessions::SessionsAction;
use super::sorting::LibraryColumn;
use super::sources::SourceAction;
use super::state::ProblemId;
use super::tapes::TapesAction;
use super::terminal::TerminalAction;
use super::working_copy::Revision;
use crate::format::{RuleId, Severity};
use crate::ops::change::Change;
use crate::ops::edit::Edit;
use crate::ops::merge::MergeSide;
use crate::text::{Span, TextEdit};

/// An action requested by the user. Names its target by id, so that it survives a reload or a new sort order.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a command, if it is enabled.
    Run(Command),
    /// Shows the list of a desk.
    Go(Desk),

    /// Opens these files and folders and closes what is open.
    Open(Vec<PathBuf>),
    /// Removes a folder from the list of recent ones.
    ForgetRecent(PathBuf),

    /// Shows this item in the inspector.
    Select(DocId),
    /// Marks this item as the other side of a comparison, or removes the mark.
    ToggleMark(DocId),
    /// Sets the text of the library's filter.
    SetFilter(String),
    /// Sets the text of the filter while its last term is still being typed: that term matches as a prefix.
    TypeFilter(String),
    /// Sets the quick filter of the list.
    SetQuickFilter(QuickFilter),
    /// Sorts by this column; the second time, in reverse.
    SortBy(LibraryColumn),
    /// Groups rows under headings.
    GroupBy(Grouping),
    /// Folds or unfolds a group, named by its heading.
    ToggleGroup(String),

    /// Shows this tab of the selected item.
    ShowTab(InspectorTab),
    /// Selects an item and shows this range of its text.
    Reveal(DocId, Span),

    /// Shows two items side by side.
    Compare(DocId, DocId),
    /// Compares the recorded source of a recording with its current version.
    CompareSource(DocId),
    /// Goes to a change of the comparison, by its number from 0.
    ShowChange(usize),
    /// Opens or closes a fold of unchanged text in the comparison.
    ToggleFold {
        /// The section, counted from 0; a source is one section.
        section: usize,
        /// The fold in the section, counted from 0.
        fold: usize,
    },
    /// Sets the layout of two texts: side by side or unified.
    SetDiffLayout(DiffLayout),

    /// An action of the seeds desk.
    Seeds(SeedsAction),

    /// Lists problems by rule or by file, or lists sources, on the problems desk.
    SetProblemsView(ProblemsView),
    /// An action of the tapes desk.
    Tapes(TapesAction),

    /// An action of the sessions desk.
    Sessions(SessionsAction),

    /// Shows what a rule checks and where it applies.
    SelectRule(RuleId),
    /// Shows the location of one problem.
    SelectProblem(ProblemId),
    /// Shows problems of one severity only, or all.
    FilterProblems(Option<Severity>),

    /// Changes one value of a document. Refused with a notice if `base` is no longer the current text.
    EditValue {
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        /// What is changed.
        edit: Edit,
    },
    /// Replaces a part of a document's text while the user types.
    TypeText {
        doc: DocId,
        /// The text that was typed into.
        base: Revision,
        /// What was typed.
        edit: TextEdit,
    },
    /// Replaces a part of a document's text as one step.
    EditText {
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        /// What is replaced.
        edit: TextEdit,
        /// The name of the step in the history, in the imperative.
        name: String,
    },
    /// Edits these recordings as one step, which is shown before it is saved.
    Batch(Change, Vec<DocId>),
    /// Stamps all recordings that are listed under this heading.
    StampGroup(String),
    /// An action of the list of sources.
    Sources(SourceAction),
    /// Makes the next typed text a separate undo step.
    EndTyping,
    /// Undoes or redoes until this many steps of the history are applied.
    JumpTo(usize),

    /// Writes a document to its file.
    Save(DocId, SaveMode),
    /// Chooses another file to save a document to.
    SaveAs(DocId),
    /// Saves a document to this file.
    SaveTo(SaveTo),
    /// Discards all unsaved edits of a document.
    Revert(DocId),
    /// Shows the versions of a document that was changed both here and on disk.
    ShowConflict(DocId),
    /// Chooses a version for a conflict, counted from 0.
    Choose(usize, MergeSide),
    /// Merges the chosen versions into one text and saves it.
    Resolve(DocId),
    /// Overwrites the version on disk with ours.
    KeepOurs(DocId),
    /// Continues without saving the unsaved edits.
    Discard,
    /// Recovers unsaved edits of an earlier run, by their number.
    Recover(u64),
    /// Deletes recovered edits of an earlier run.
    DropDraft(u64),

    /// An action of the import of an incident.
    Import(ImportAction),
    /// An action of the playback desk.
    Playback(PlaybackAction),
    /// An action of the review desk.
    Review(ReviewAction),
    /// An action of the live desk.
    Live(LiveAction),
    /// An action of the terminal panel.
    Terminal(TerminalAction),

    /// Copies text to the clipboard.
    Copy(String),
    /// Shows an overlay, or none.
    SetOverlay(Option<Overlay>),
    SetTheme(Theme),
    /// Dismisses a notice, by its number.
    Dismiss(u64),
}

impl Action {
    /// Returns the action that follows from a choice in a dialog.
    pub fn from_choice(choice: Choice) -> Option<Self> {
        fn of<T: 'static>(
            choice: Box<dyn Any + Send>,
            action: fn(T) -> Action,
        ) -> Result<Action, Box<dyn Any + Send>> {
            choice.downcast().map(|it| action(*it))
        }
        of(choice.0, |action: Self| action)
            .or_else(|choice| of(choice, Self::SaveTo))
            .or_else(|choice| of(choice, Self::Tapes))
            .or_else(|choice| of(choice, Self::Live))
            .or_else(|choice| of(choice, Self::Import))
            .or_else(|choice| of(choice, Self::Playback))
            .ok()
    }
}

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

/// How a document is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaveMode {
    /// Over the original file, if it is unchanged and writable.
    Usual,
    /// Over the original file, even if it is read-only.
    ReplaceReadOnly,
    /// As a new file, because the original was deleted.
    Recreate,
}

/// The direction of a step through changes, problems or rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepDirection {
    /// To the one after.
    Next,
    /// To the one before.
    Previous,
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
    /// The unsaved documents with their changes.
    Unsaved,
    /// The undo history.
    History,
    /// Unsaved edits of an earlier run.
    Recovered,
    /// A field to paste the log of a failed playback.
    FailureLog,
    /// A field to type a request.
    TypedRequest,
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
    /// The tapes that the shown tape can be compared with.
    CompareTape,
    /// The form of a new tape.
    NewTape,
    /// How a session is added to its configuration.
    AddToConfig,
    /// The choice of an answer to test a contract on.
    ChooseAnswer,
    /// The form that starts the recorder.
    RecordCalls,
    /// The form that starts the server.
    ServeCalls,
}

/// The color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Follows the system setting.
    #[default]
    System,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}
