//! What the command line has written in the open project, and undoing the last of it.

use std::time::Duration;

use crate::engine::disk::undo::UndoStore;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, ListCommandSteps, UndoCommandStep};

/// How long a command that changes files of the project is waited for: saves wait on the same thread.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Opens the steps of the open project; `None` where none are kept.
fn store(context: &TaskContext) -> Option<UndoStore> {
    let folder = context.services.undo.as_deref()?;
    let root = context.project.as_deref()?.root()?;
    Some(UndoStore::in_folder(root.path(), folder))
}

impl Task for ListCommandSteps {
    fn lane() -> Lane {
        Lane::Independent("command steps")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let steps = store(context).map(|store| store.steps());
        Some(EngineEvent::CommandSteps { steps: steps.unwrap_or_default(), undone: None })
    }
}

impl Task for UndoCommandStep {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let store = store(context)?;
        let (step, root) = (&self.step, context.root.as_deref());
        let undone = store.lock(MAX_WAIT).and_then(|locked| locked.undo(step, root, self.mode));
        let undone = match undone {
            Ok(_) => Ok(step.command.clone()),
            Err(refusal) => Err(refusal.to_string()),
        };
        Some(EngineEvent::CommandSteps { steps: store.steps(), undone: Some(undone) })
    }
}
