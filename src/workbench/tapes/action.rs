//! The actions, effects and events of the tapes desk.

use std::path::PathBuf;
use std::sync::Arc;

use super::form::CutForm;
use super::making::{MakeAction, MakeEffect, MakeEvent};
use super::picture::{PictureEffect, PictureEvent};
use super::pull::Pull;
use super::takes::{TakesAction, TakesEffect, TakesEvent};
use super::verifying::{Verified, VerifyAction, VerifyOrder};
use super::window::Zoom;
use crate::ops::Item;
use crate::ops::tape::edits::TapeEdit;
use crate::ops::tape::picture::PictureTheme;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::{Stats, TapePace};
use crate::workbench::library::DocId;
use crate::workbench::working_copy::Revision;

/// An action of the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesAction {
    /// Selects a tape.
    Select(DocId),
    /// Requests the thumbnails of these visible tapes.
    Glance(Vec<DocId>),
    /// Moves the playhead, in nanoseconds since the start of the call.
    Seek(f64),
    /// Moves the playhead to the time at which this many chunks have arrived.
    GoTo(usize),
    /// Sets the speed.
    SetSpeed(Speed),
    /// Sets which delays are played.
    SetPace(TapePace),
    /// Selects a range of time, or none.
    SetRange(Option<TimeRange>),
    /// Sets from which wait on silences are marked, in nanoseconds.
    SetSilence(f64),
    /// Shows this range of time.
    Show(TimeRange),
    /// Zooms in or out.
    Zoom(Zoom),
    /// Edits the stream of the shown tape.
    Cut(TapeEdit),
    /// Shows chunks moved in time while they are dragged, or at their own times.
    Pull(Option<Pull>),
    /// Exports the visible part as a picture in these colors.
    Picture(PictureTheme),
    /// An action of the form of a new tape.
    Make(MakeAction),
    /// Drops the dragged chunks.
    LetGo,
    /// Sets the values of the form, or closes it.
    Edit(Option<CutForm>),
    /// Applies the edit of the form.
    Apply,
    /// An action of the comparison with another tape.
    Takes(TakesAction),
    /// An action of the verification of a request.
    Verify(VerifyAction),
}

/// Work for the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesEffect {
    /// Prepares this tape for display, as read from the text with this revision.
    Lay(DocId, Revision),
    /// Plans an edit of the text with this revision.
    Cut(DocId, Revision, TapeEdit),
    /// Computes the statistics of a tape after an edit.
    Try(DocId, TapeEdit),
    /// Draws a tape.
    Picture(PictureEffect),
    /// Makes a new tape.
    Make(MakeEffect),
    /// Makes the thumbnails of these tapes.
    Glance(Vec<DocId>),
    /// Opens a dialog to choose a file.
    Pick(ForTape),
    /// Work for the comparison.
    Takes(TakesEffect),
    /// Compares a request.
    Verify(VerifyOrder),
}

/// What a chosen file is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForTape {
    /// To compare the tape with it.
    Take,
    /// To verify it against the tape's request.
    Request,
}

/// An event of the tapes desk.
#[derive(Clone, Debug)]
pub enum TapesEvent {
    /// A tape is prepared; `None` if the file is not a tape.
    Laid(DocId, Revision, Option<Arc<PreparedTape>>),
    /// The edit of the text with this revision would change nothing.
    Unchanged(DocId, Revision),
    /// The statistics of a tape after an edit, or why the edit is not possible.
    Tried(TapeEdit, Result<Stats, String>),
    /// The result of drawing a picture.
    Picture(PictureEvent),
    /// An event of a new tape.
    Make(MakeEvent),
    /// Thumbnails, each with the item that it was made from.
    Glanced(Vec<(DocId, Glance)>),
    /// A file was chosen.
    Picked(ForTape, PathBuf),
    /// An event of the comparison.
    Takes(TakesEvent),
    /// The result of verifying a request, or why it cannot be compared.
    Verified(VerifyOrder, Result<Arc<Verified>, String>),
}

/// The thumbnail of a tape, as a few columns.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The item that it was made from.
    pub of: Arc<Item>,
    /// The columns, each from 0 to 1; empty if the file cannot be read.
    pub columns: Arc<[f32]>,
}
