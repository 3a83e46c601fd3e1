//! Reads the latest lines of the log.

use crate::engine::disk::log_file::LogFile;
use crate::engine::logging::flush_log;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::stored_text::StoredText;
use crate::workbench::{EngineEvent, ReadLog};

/// How many lines are shown.
const MAX_LINES: usize = 500;

impl Task for ReadLog {
    fn lane() -> Lane {
        Lane::Independent("read log")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        flush_log();
        let text = context.services.state.as_deref().map(|state| {
            let lines = LogFile::open(state).map(|log| log.tail(MAX_LINES));
            StoredText { path: LogFile::path(state), text: lines.unwrap_or_default().join("\n") }
        });
        Some(EngineEvent::LogRead(text.unwrap_or_default()))
    }
}
