//! Moves of the playhead: play, loop, steps by chunk and by tape.

use super::desk::TapesDesk;
use crate::workbench::core::transport::{EndBehavior, Transport};
use crate::workbench::core::navigation::StepDirection;

impl TapesDesk {
    /// Plays or pauses.
    pub(in crate::workbench) fn play(&mut self) {
        self.with_transport(Transport::toggle);
    }

    /// Repeats the selected range, or stops repeating.
    pub(in crate::workbench) fn toggle_loop(&mut self) {
        let transport = &mut self.transport;
        transport.set_end_behavior(match transport.end_behavior {
            EndBehavior::Stop => EndBehavior::Repeat,
            EndBehavior::Repeat => EndBehavior::Stop,
        });
    }

    /// Skips to the end of a long wait.
    pub(in crate::workbench) fn skip_wait(&mut self) {
        self.with_transport(|transport, schedule, now| {
            if let Some(end) = transport.long_wait_end(schedule) {
                transport.seek(schedule, end, now);
            }
        });
    }

    /// Moves the playhead by one chunk.
    pub(in crate::workbench) fn step_chunk(&mut self, step: StepDirection) {
        self.with_transport(|transport, schedule, _| {
            let arrived = match step {
                StepDirection::Next => transport.arrived + 1,
                StepDirection::Previous => transport.arrived.saturating_sub(1),
            };
            transport.go_to(schedule, arrived);
        });
    }
}
