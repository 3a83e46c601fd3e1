//! Moves of the playhead: play, loop, steps by chunk and by tape.

use super::transport::{EndBehavior, Transport};
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Plays or pauses.
    pub(in crate::workbench) fn play_tape(&mut self) {
        self.tapes.with_transport(Transport::toggle);
    }

    /// Repeats the selected range, or stops repeating.
    pub(in crate::workbench) fn toggle_loop(&mut self) {
        let transport = &mut self.tapes.transport;
        transport.set_end_behavior(match transport.end_behavior {
            EndBehavior::Stop => EndBehavior::Repeat,
            EndBehavior::Repeat => EndBehavior::Stop,
        });
    }

    /// Skips to the end of a long wait.
    pub(in crate::workbench) fn skip_wait(&mut self) {
        self.tapes.with_transport(|transport, schedule, now| {
            if let Some(end) = transport.long_wait_end(schedule) {
                transport.seek(schedule, end, now);
            }
        });
    }

    /// Moves the playhead by one chunk.
    pub(in crate::workbench) fn step_chunk(&mut self, step: StepDirection) {
        self.tapes.with_transport(|transport, schedule, _| {
            let arrived = match step {
                StepDirection::Next => transport.arrived + 1,
                StepDirection::Previous => transport.arrived.saturating_sub(1),
            };
            transport.go_to(schedule, arrived);
        });
    }

    /// Moves the playhead to the start or the end of the tape.
    pub(in crate::workbench) fn step_to_end_of_tape(&mut self, step: StepDirection) {
        self.tapes.with_transport(|transport, schedule, _| {
            let arrived = match step {
                StepDirection::Next => schedule.len(),
                StepDirection::Previous => 0,
            };
            transport.go_to(schedule, arrived);
        });
    }

    /// Selects a tape some rows away; while the tape is compared, a difference.
    pub(in crate::workbench) fn step_tape(&mut self, by: isize) {
        if self.tapes.is_compared() {
            self.step_differences(by);
            return;
        }
        let tapes = &self.tapes.tapes;
        let at = tapes
            .iter()
            .position(|doc| Some(*doc) == self.tapes.selected);
        let last = tapes.len().saturating_sub(1);
        let to = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        if let Some(doc) = tapes.get(to).copied() {
            self.select_tape(doc);
        }
    }
}
