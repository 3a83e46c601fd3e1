//! Looks up a path while the user types it.

use crate::engine::disk::typed_path::look_up;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, LookUpPath};

impl Task for LookUpPath {
    fn lane() -> Lane {
        Lane::Independent("typed path")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        context.panic_if_injected();
        let home = std::env::home_dir();
        let (base, root) = (self.base.as_deref(), context.root.as_deref());
        let home = home.as_deref();
        let found = look_up(&self.text, base, home, root, &context.cancel);
        Some(EngineEvent::PathFound(self.text.clone(), found))
    }
}
