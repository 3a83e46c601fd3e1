//! Actions that the user can request.

use std::any::Any;
use std::path::PathBuf;

use super::{Choice, DiffLayout, InspectorTab, SaveMode};
use crate::desks::with_desks;
use crate::{
    Command, DraftStep, FormatAction, Overlay, PathAction, ReplaceAction, SaveTo, StepDecision,
    UserSettingsAction, ValueDraft,
};
use author::command_step::UndoMode;
use calls::file_part::FilePart;
use check::change::Change;
use document::merge::MergeSide;
use document::text::{Span, TextEdit};
use machine::picture::PictureTheme;
use protocol::{
    BlockVerdict, Desk, DocId, DrawPicture, FindingKind, Grouping, PreviewKey, Revision,
    SampleStop, Sort, Theme,
};

macro_rules! desk_actions {
    ($($field:ident: $variant:ident($state:ident, $action:ident) [$($pattern:tt)*];)*) => {
        /// An action of a desk.
        #[derive(Clone, Debug, PartialEq)]
        pub enum DeskAction {
            $($variant(super::$action),)*
        }

        $(impl From<super::$action> for Action {
            fn from(action: super::$action) -> Self {
                Self::Desk(DeskAction::$variant(action))
            }
        })*

        /// Returns the action of a desk that follows from a choice, or the choice if it is of none.
        fn of_desk(choice: Box<dyn Any + Send>) -> Result<Action, Box<dyn Any + Send>> {
            let choice = Err(choice);
            $(let choice = choice.or_else(|choice| of::<super::$action>(choice, Action::from));)*
            choice
        }
    };
}

with_desks!(desk_actions);

/// Actions of one frame, in the order in which views push them.
pub type Actions = Vec<Action>;

/// An action requested by the user. Names its target by id, so that it survives a reload or a new sort order.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a command, if it is enabled.
    Run(Command),
    /// Shows the list of a desk.
    Go(Desk),

    /// Opens these files and folders and closes what is open.
    Open(Vec<PathBuf>),
    /// An action in the field for a path.
    Path(PathAction),
    /// Opens these files and folders, and does something when they are read.
    OpenThen(Vec<PathBuf>, Box<Self>),
    /// Shows these parts of the file at this path, as it was given.
    ShowParts(PathBuf, Vec<FilePart>),
    /// Opens the samples at one of their stops.
    OpenSamples(SampleStop),
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
    /// Lists only items with this verdict, or all.
    ShowVerdict(Option<BlockVerdict>),
    /// Does what a finding offers.
    ActOnFinding(FindingKind),
    /// Sorts the rows of the library.
    SortBy(Sort),
    /// Groups rows under headings.
    GroupBy(Grouping),
    /// Shows the notes of each row, or hides them.
    ToggleNotes,
    /// Folds or unfolds a group, named by its heading.
    ToggleGroup(String),

    /// Shows a call of an item in the inspector, by its number from 0.
    SelectCall(DocId, usize),
    /// Opens the test of a cassette in the user's editor.
    OpenTest(DocId),
    /// Lists the calls of an item, or the recordings of its set, below it, or hides them.
    ToggleCalls(DocId),

    /// Shows this tab of the selected item.
    ShowTab(InspectorTab),
    /// Selects the first row if no listed one is selected.
    EnterList,
    /// Selects an item and shows this range of its text.
    Reveal(DocId, Span),

    /// Shows two items side by side.
    Compare(DocId, DocId),
    /// Compares the recorded source of a recording with its current version.
    CompareSource(DocId),
    /// Goes to a change of the comparison, by its number from 0.
    ShowChange(usize),
    /// Compares other calls of the compared files, by their place in the run.
    CompareCall(usize),
    /// Opens or closes a fold of unchanged text in the comparison.
    ToggleFold {
        /// The section, counted from 0; a source is one section.
        section: usize,
        /// The fold in the section, counted from 0.
        fold: usize,
    },
    /// Sets the layout of two texts: side by side or unified.
    SetDiffLayout(DiffLayout),

    /// Changes one value of a document. Refused with a notice if `base` is no longer the current text.
    EditValue {
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        change: Change,
    },
    /// Does this with a draft of a value of a document.
    Draft(DocId, DraftStep, Box<ValueDraft>),
    /// Shows what a change would make of a document, without making it.
    PreviewChange(PreviewKey, Change),
    /// Replaces a part of a document's text.
    EditText {
        doc: DocId,
        /// The text that the edit was made for.
        base: Revision,
        /// The range to replace, with its new text.
        edit: TextEdit,
        /// The name of the step in the history, in the imperative; `None` for a part of what is being typed.
        name: Option<String>,
    },
    /// Applies the step that is shown.
    DecideStep(StepDecision),
    /// Edits these recordings as one step, which is shown before it is applied.
    Batch(Change, Vec<DocId>),
    /// An action about the format of a file.
    Format(FormatAction),
    /// An action in the form that replaces something in many files.
    Replace(ReplaceAction),
    /// Stamps all recordings that are listed under this heading.
    StampGroup(String),
    /// Makes the next typed text a separate undo step.
    EndTyping,
    /// Undoes or redoes until this many steps of the history are applied.
    JumpTo(usize),
    /// Undoes the last step of the command line.
    UndoCommandStep(UndoMode),

    /// Writes a document to its file.
    Save(DocId, SaveMode),
    /// Chooses another file to save a document to.
    SaveAs(DocId),
    /// Saves a document to this file.
    SaveTo(SaveTo),
    /// Draws what is shown as a picture in these colors, into a file that is chosen then.
    ExportPicture(PictureTheme),
    /// Draws a picture into a file.
    DrawPicture(DrawPicture),
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

    /// An action of one desk.
    Desk(DeskAction),
    /// Copies text to the clipboard.
    Copy(String),
    /// Shows an overlay, or none.
    SetOverlay(Option<Overlay>),
    SetTheme(Theme),
    /// An action about the user's own settings.
    UserSettings(UserSettingsAction),
    /// Dismisses a notice, by its number.
    Dismiss(u64),
}

impl Action {
    /// Returns the action that follows from a choice in a dialog.
    pub fn from_choice(choice: Choice) -> Option<Self> {
        // A choice has the type of the part that opened the dialog, which is not known here.
        of(choice.0, |action: Self| action)
            .or_else(|choice| of(choice, Self::SaveTo))
            .or_else(|choice| of(choice, Self::DrawPicture))
            .or_else(of_desk)
            .ok()
    }
}

/// Returns the action of a choice, or the choice if it is of another type.
fn of<T: 'static>(
    choice: Box<dyn Any + Send>,
    action: fn(T) -> Action,
) -> Result<Action, Box<dyn Any + Send>> {
    choice.downcast().map(|value| action(*value))
}
