//! The actions and events of the tapes desk.

use super::drag::ChunkDrag;
use super::form::TapeEditForm;
use super::new_tape::NewTapeAction;
use crate::ops::tape::edits::TapeEdit;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::TapePace;
use crate::workbench::core::visible_range::Zoom;
use crate::workbench::requests::DocId;

/// An action of the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesAction {
    /// Selects a tape.
    Select(DocId),
    /// Requests the thumbnails of these visible tapes.
    MakeThumbnails(Vec<DocId>),
    /// Moves the playhead, in nanoseconds since the start of the call.
    Seek(f64),
    /// Moves the playhead to the time at which this many chunks have arrived.
    GoTo(usize),
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
    EditTape(TapeEdit),
    /// Shows chunks moved in time while they are dragged, or at their own times.
    Drag(Option<ChunkDrag>),
    /// An action of the form of a new tape.
    NewTape(NewTapeAction),
    /// Drops the dragged chunks.
    Drop,
    /// Sets the values of the form, or closes it.
    EditForm(Option<TapeEditForm>),
    /// Applies the edit of the form.
    Apply,
}
