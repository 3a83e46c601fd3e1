//! What Retake keeps about itself, to be shown: the log.

use crate::workbench::core::effect::Effect;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;

/// A request for the latest lines of the log.
#[derive(Debug)]
pub struct ReadLog;

impl TaskRequest for ReadLog {
    fn describe(&self) -> String {
        "reading the log".to_owned()
    }
}

impl Core {
    /// Requests the log again, when it is about to be shown.
    pub(in crate::workbench) fn read_log(&mut self) {
        self.log = None;
        self.request(Effect::run(ReadLog));
    }
}
