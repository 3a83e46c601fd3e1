//! Plans an edit of a file of seeds.

use super::{apply_edit, read_current};
use crate::engine::disk::project::Project;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::seeds::plan;
use crate::workbench::{EngineEvent, PlanSeed, PlannedEdit, SeedsEvent};

impl Task for PlanSeed {
    fn lane() -> Lane {
        Lane::Newest("seed")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let planned = Box::new(plan_seed(context.project()?, self));
        let planned = SeedsEvent::Planned(self.generation, self.current.doc, planned);
        Some(EngineEvent::Seeds(planned))
    }
}

fn plan_seed(project: &Project, request: &PlanSeed) -> Result<PlannedEdit, String> {
    let PlanSeed {
        current, change, ..
    } = request;
    let before = read_current(project, current)?;
    let edit = plan(&before, change, current.item.file_name())?;
    Ok(apply_edit(project, current, &before, edit))
}
