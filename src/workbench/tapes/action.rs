//! What the user asks for on the tapes desk, what that asks of the engine, and what comes back.

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
use crate::ops::tape::cut::Cut;
use crate::ops::tape::picture::Look;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::reel::Reel;
use crate::ops::tape::timeline::Stretch;
use crate::ops::tape::timing::{Pace, Stats};
use crate::workbench::library::DocId;
use crate::workbench::working_copy::Revision;

/// Something the user asked for on the tapes desk.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesAction {
    /// Show this tape.
    Select(DocId),
    /// These tapes are in sight, and have no miniature yet.
    Glance(Vec<DocId>),
    /// Go to a moment, in nanoseconds since the start of the call.
    Seek(f64),
    /// Go to the moment at which so many chunks have come.
    GoTo(usize),
    /// Play so fast.
    SetSpeed(Speed),
    /// Play by these delays.
    SetPace(Pace),
    /// Choose this stretch of time, or none.
    SetRange(Option<Stretch>),
    /// Mark silences from so many nanoseconds on.
    SetSilence(f64),
    /// Show this stretch of time.
    Show(Stretch),
    /// Show more or less of the tape.
    Zoom(Zoom),
    /// Change the stream of the tape that is shown.
    Cut(Cut),
    /// Show chunks as if they came later or earlier, or where they are.
    Pull(Option<Pull>),
    /// Export what is shown as a picture in these colours.
    Picture(Look),
    /// Do something about a new tape.
    Make(MakeAction),
    /// Leave chunks where they were pulled to.
    LetGo,
    /// Fill in this form, or none.
    Edit(Option<CutForm>),
    /// Make the cut that the form describes.
    Apply,
    /// Something about another take, laid over the tape.
    Takes(TakesAction),
    /// Something about a request that is compared with the tape's.
    Verify(VerifyAction),
}

/// What the tapes desk asks of the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum TapesEffect {
    /// Make this tape ready, as it was read from the text with this name.
    Lay(DocId, Revision),
    /// Find the bytes of a cut in the text with this name.
    Cut(DocId, Revision, Cut),
    /// Find out what a tape would be like after a cut.
    Try(DocId, Cut),
    /// Draw a tape.
    Picture(PictureEffect),
    /// Make a new tape.
    Make(MakeEffect),
    /// Make the miniatures of these tapes.
    Glance(Vec<DocId>),
    /// Let the user choose a file for the tape.
    Pick(ForTape),
    /// Work on another take.
    Takes(TakesEffect),
    /// Compare a request.
    Verify(VerifyOrder),
}

/// What a file is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForTape {
    /// To be laid over the tape.
    Take,
    /// To be compared with the tape's request.
    Request,
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum TapesEvent {
    /// A tape is ready; `None`: it is no tape.
    Laid(DocId, Revision, Option<Arc<Reel>>),
    /// The cut of the text with this name would change nothing.
    Unchanged(DocId, Revision),
    /// What a tape would be like after a cut, or why that cannot be made.
    Tried(Cut, Result<Stats, String>),
    /// What became of a picture.
    Picture(PictureEvent),
    /// What became of a new tape.
    Make(MakeEvent),
    /// Miniatures, each with the row of the file that it was made of.
    Glanced(Vec<(DocId, Glance)>),
    /// A file was chosen.
    Picked(ForTape, PathBuf),
    /// Something about another take.
    Takes(TakesEvent),
    /// What came of comparing a request, or why it cannot be compared.
    Verified(VerifyOrder, Result<Arc<Verified>, String>),
}

/// A tape in a few columns.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The row of the file that it was made of.
    pub of: Arc<Item>,
    /// Each from 0 to 1; none where the file cannot be read.
    pub columns: Arc<[f32]>,
}
