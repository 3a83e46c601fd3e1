//! The recorder and the server for the window. No socket is open before the user started one of them.

use super::runner::Engine;
use crate::workbench::CallsEffect;

impl Engine {
    /// Does what the live desk asks about calls.
    pub fn on_calls(&mut self, effect: CallsEffect) {
        match effect {}
    }
}
