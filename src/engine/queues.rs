//! Queues for the window: folders in which programs wait for an answer.

use super::runner::Engine;
use crate::workbench::QueueEffect;

impl Engine {
    /// Does what the live desk asks about queues.
    pub fn on_queue(&mut self, effect: QueueEffect) {
        match effect {}
    }
}
