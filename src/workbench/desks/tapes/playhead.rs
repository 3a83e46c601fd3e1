//! Moves of the playhead: play, loop, steps by chunk and by tape.

use super::TapesDesk;
use crate::core::Core;
use crate::core::navigation::StepDirection;
use crate::core::transport::EndBehavior;
use document::Severity;
use document::text::{counted, quoted};
use protocol::DocId;

impl TapesDesk {
    /// Repeats the selected range, or stops repeating.
    pub(crate) fn toggle_loop(&mut self) {
        let transport = &mut self.transport;
        transport.end_behavior = match transport.end_behavior {
            EndBehavior::Stop => EndBehavior::Repeat,
            EndBehavior::Repeat => EndBehavior::Stop,
        };
    }

    /// Skips to the end of a long wait.
    pub(crate) fn skip_wait(&mut self) {
        self.with_transport(|transport, schedule, now| {
            if let Some(end) = transport.long_wait_end(schedule) {
                transport.seek(schedule, end, now);
            }
        });
    }

    /// Moves the playhead to the chunk that a link names, if the tape is prepared.
    pub(super) fn go_to_wanted_chunk(&mut self, core: &mut Core, doc: DocId) {
        let pace = self.transport.pace;
        let chunks = self.prepared().map(|tape| tape.schedule(pace).len());
        let Some(chunks) = chunks else { return };
        let Some(number) = self.wanted_chunk.take() else { return };
        if number > chunks
            && let Some(item) = core.library.get(doc)
        {
            let chunks = counted(chunks, "chunk", "chunks");
            let message = format!("{} has {chunks}, no chunk {number}.", quoted(&item.path));
            core.notify(Severity::Warning, message);
        }
        self.with_transport(|transport, schedule, _| transport.go_to(schedule, number));
    }

    /// Moves the playhead by one chunk.
    pub(crate) fn step_chunk(&mut self, step: StepDirection) {
        self.with_transport(|transport, schedule, _| {
            transport.go_to(schedule, step.target(transport.arrived, 1));
        });
    }
}
