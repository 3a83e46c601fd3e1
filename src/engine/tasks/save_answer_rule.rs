//! Adds a rule to the project's file that answers requests at a queue.

use super::append_rule;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, LiveEvent, QueueEvent, SaveAnswerRule};

impl Task for SaveAnswerRule {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let saved = append_rule(context.project.as_deref()?, &self.0.toml());
        let saved = LiveEvent::Queue(QueueEvent::RuleSaved(saved));
        Some(EngineEvent::Live(saved))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Live(LiveEvent::Queue(QueueEvent::RuleSaved(Err(reason))))
    }
}
