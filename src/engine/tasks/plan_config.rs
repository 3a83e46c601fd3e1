//! Plans an edit of a configuration or a contract.

use std::sync::Arc;

use super::{apply_edit, read_current};
use crate::engine::disk::project::Project;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::Document;
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::ops::edit::{self, Edit, JsonValue};
use crate::ops::session::{SessionListing, add};
use crate::text::TextEdit;
use crate::workbench::{ConfigEdit, EngineEvent, PlanConfig, PlannedConfig};

impl Task for PlanConfig {
    fn lane() -> Lane {
        Lane::Newest("config")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        Some(self.planned(plan(context.project()?, self)))
    }
}

fn plan(project: &Project, request: &PlanConfig) -> Result<PlannedConfig, String> {
    let before = read_current(project, &request.current)?;
    let edit = config_edit(&before, &request.edit)?;
    let edit = apply_edit(project, &request.current, &before, edit);
    let diff = TextDiff::new(
        before.source(),
        edit.parsed.document.source(),
        Outline::Plain,
    );
    Ok(PlannedConfig {
        edit,
        diff: Arc::new(diff),
    })
}

fn config_edit(document: &Document, edit: &ConfigEdit) -> Result<TextEdit, String> {
    let planned = match edit {
        ConfigEdit::List(path) => add(document, SessionListing::File(path))
            .map_err(|refusal| refusal.to_string())?
            .ok_or("The session is already listed")?,
        ConfigEdit::SetType(pointer, kind) => {
            let set = Edit::Set {
                pointer: format!("{pointer}/type"),
                value: JsonValue::text(kind),
            };
            edit::plan(&document.tree, &set).map_err(|refusal| refusal.to_string())?
        }
    };
    Ok(planned)
}
