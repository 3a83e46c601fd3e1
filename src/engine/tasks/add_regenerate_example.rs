//! Adds the example of a command that regenerates recordings to the project's file.

use super::append_rule;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{
    AddRegenerateExample, EngineEvent, REGENERATE_EXAMPLE, RunId, TerminalEvent,
};

impl Task for AddRegenerateExample {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        Some(added(append_rule(context.project.as_deref()?, REGENERATE_EXAMPLE)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        added(Err(reason))
    }
}

fn added(result: Result<(), String>) -> EngineEvent {
    EngineEvent::Terminal(RunId::default(), TerminalEvent::ExampleAdded(result))
}
