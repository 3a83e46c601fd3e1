//! Commands for tapes and the playhead.

use super::dispatch::{HandlerOrReason, handler, handler_after, handler_if, require};
use crate::core::command::declared::by_section::Tape;
use crate::{
    Action, PlaybackAction, PlayheadAction, TapesAction, TapesDesk, Transport, Workbench, Zoom,
};
use calls::tape::timing::MILLISECOND;
use protocol::{Desk, NewTapeSource};

impl Workbench {
    pub(super) fn tape_handler(&self, command: Tape) -> HandlerOrReason {
        let nudge = |nanos| {
            let is_chosen = self.core.shows(Desk::Tapes) && self.tapes.has_chosen();
            let reason = "move the playhead to a chunk first";
            handler_if(is_chosen, reason, move |w| w.tapes.nudge(nanos))
        };
        let zoom = |zoom| {
            let need = if self.shows_strip() { Ok(()) } else { self.needs_tape() };
            handler_after(need, move |w| w.zoom(zoom))
        };
        match command {
            Tape::NewTape => {
                handler_if(self.core.project.is_some(), "open a folder first", |workbench| {
                    workbench.tapes.begin_tape(&mut workbench.core, None);
                })
            }
            Tape::TapeOfRecording => {
                let doc = TapesDesk::chosen_recording(&self.core);
                let origin =
                    NewTapeSource::Answer(doc.ok_or("select a recording in the library first")?);
                handler(|w| w.tapes.begin_tape(&mut w.core, Some(origin)))
            }
            // The strip of a run has a playhead of its own.
            Tape::PlayTape if self.shows_strip() => handler(|w| w.playback.play_strip()),
            Tape::PlayTape => {
                handler_after(self.needs_tape(), |w| w.tapes.with_transport(Transport::toggle))
            }
            Tape::LoopTape => handler_after(self.needs_tape(), |w| w.tapes.toggle_loop()),
            Tape::SkipWait => {
                let is_waiting = self.core.shows(Desk::Tapes) && self.tapes.is_in_long_wait();
                let reason = "the playhead is not in a wait of more than a minute";
                handler_if(is_waiting, reason, |w| w.tapes.skip_wait())
            }
            Tape::ZoomIn => zoom(Zoom::In),
            Tape::ZoomOut => zoom(Zoom::Out),
            Tape::FitTape => zoom(Zoom::Fit),
            Tape::ExportPicture => handler_after(self.needs_picture(), |w| w.export_picture(None)),
            Tape::LaterChunk => nudge(MILLISECOND),
            Tape::EarlierChunk => nudge(-MILLISECOND),
            Tape::MuchLaterChunk => nudge(10.0 * MILLISECOND),
            Tape::MuchEarlierChunk => nudge(-10.0 * MILLISECOND),
        }
    }

    /// Whether the calls of a run are shown along the time axis.
    pub(super) fn shows_strip(&self) -> bool {
        self.core.shows(Desk::Playback) && self.playback.shown_strip().is_some()
    }

    fn zoom(&mut self, zoom: Zoom) {
        if self.shows_strip() {
            self.act(Action::from(PlaybackAction::Playhead(PlayheadAction::Zoom(zoom))));
        } else {
            self.act(Action::from(TapesAction::Zoom(zoom)));
        }
    }

    fn needs_tape(&self) -> Result<(), &'static str> {
        require(self.core.shows(Desk::Tapes) && self.tapes.prepared().is_some(), "no tape is shown")
    }
}
