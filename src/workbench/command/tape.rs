//! Commands for tapes and the playhead.

use super::declared::by_section::Tape;
use super::running::{Can, after, need, nothing, when};
use crate::ops::tape::timing::MILLISECOND;
use crate::workbench::state::Workbench;
use crate::workbench::tapes::{MadeOf, TakesAction, TapesAction, VerifyAction, Zoom};

impl Workbench {
    pub(super) fn tape_deed(&self, command: Tape) -> Can {
        match command {
            Tape::NewTape => {
                let is_open = self.project.is_some();
                when(is_open, "open a folder first", |it| it.begin_tape(None))
            }
            Tape::TapeOfRecording => {
                let is_chosen = self.chosen_recording().is_some();
                when(is_chosen, "select a recording in the library first", |it| {
                    let recording = it.chosen_recording();
                    recording.map_or_else(Vec::new, |doc| it.begin_tape(Some(MadeOf::Answer(doc))))
                })
            }
            Tape::PlayTape => after(self.needs_tape(), |it| {
                it.play_tape();
                nothing()
            }),
            Tape::LoopTape => after(self.needs_tape(), |it| {
                it.toggle_loop();
                nothing()
            }),
            Tape::SkipWait => {
                let waits = self.shows_tapes() && self.tapes.is_in_long_wait();
                let reason = "the playhead is not in a wait of more than a minute";
                when(waits, reason, |it| {
                    it.skip_wait();
                    nothing()
                })
            }
            Tape::ZoomIn => after(self.needs_tape(), |it| {
                it.act_on_tapes(TapesAction::Zoom(Zoom::In))
            }),
            Tape::ZoomOut => after(self.needs_tape(), |it| {
                it.act_on_tapes(TapesAction::Zoom(Zoom::Out))
            }),
            Tape::FitTape => after(self.needs_tape(), |it| {
                it.act_on_tapes(TapesAction::Zoom(Zoom::Fit))
            }),
            Tape::ExportPicture => after(self.needs_tape(), |it| it.export_picture(None)),
            Tape::CompareTape => after(self.needs_tape(), |it| {
                it.act_on_tapes(TapesAction::Takes(TakesAction::Choose))
            }),
            Tape::VerifyRequest => after(self.needs_tape(), |it| {
                it.act_on_tapes(TapesAction::Verify(VerifyAction::Open))
            }),
            Tape::LaterChunk => after(self.needs_chunk(), |it| {
                it.tapes.push(MILLISECOND);
                nothing()
            }),
            Tape::EarlierChunk => after(self.needs_chunk(), |it| {
                it.tapes.push(-MILLISECOND);
                nothing()
            }),
            Tape::MuchLaterChunk => after(self.needs_chunk(), |it| {
                it.tapes.push(10.0 * MILLISECOND);
                nothing()
            }),
            Tape::MuchEarlierChunk => after(self.needs_chunk(), |it| {
                it.tapes.push(-10.0 * MILLISECOND);
                nothing()
            }),
        }
    }

    fn needs_tape(&self) -> Result<(), &'static str> {
        let is_shown = self.shows_tapes() && self.tapes.reel().is_some();
        need(is_shown, "no tape is shown")
    }

    fn needs_chunk(&self) -> Result<(), &'static str> {
        let is_chosen = self.shows_tapes() && self.tapes.has_chosen();
        need(is_chosen, "move the playhead to a chunk first")
    }
}
