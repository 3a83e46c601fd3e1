//! Explains the answer of a call.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, ExplainCall, Explanation, PlaybackEvent};

impl Task for ExplainCall {
    fn lane() -> Lane {
        Lane::Newest("explain")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let explanation = Arc::new(Explanation::new(&self.played, self.call));
        let explained = PlaybackEvent::Explained(Arc::clone(&self.played), Ok(explanation));
        Some(EngineEvent::Playback(explained))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let explained = PlaybackEvent::Explained(Arc::clone(&self.played), Err(reason));
        EngineEvent::Playback(explained)
    }
}
