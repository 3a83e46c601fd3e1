//! Writes the files of an import, one step after the other, each of which can be undone.

use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::disk::root::Root;
use crate::engine::disk::save::{self, SaveRequest, SaveTarget, save};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::saving::{Expected, Fingerprint, ReadOnly, SaveFault};
use crate::workbench::{EngineEvent, ImportEvent, SessionStep, SessionSteps, SessionStepsResult};

impl Task for SessionSteps {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let result = run_steps(context.project.as_deref()?, &self.steps);
        let written = ImportEvent::FilesWritten(self.clone(), result);
        Some(EngineEvent::Import(written))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let failed = SessionStepsResult {
            fault: Some(reason),
            ..SessionStepsResult::default()
        };
        EngineEvent::Import(ImportEvent::FilesWritten(self.clone(), failed))
    }
}

/// Runs steps. Stops at the first that fails.
fn run_steps(project: &Project, steps: &[SessionStep]) -> SessionStepsResult {
    let mut taken = SessionStepsResult::default();
    let Some(root) = project.root() else {
        taken.fault = Some("Nothing is open".to_owned());
        return taken;
    };
    for step in steps {
        match run_step(root, step) {
            Ok(back) => taken.undo.push(back),
            Err(reason) => {
                taken.fault = Some(reason);
                break;
            }
        }
    }
    taken.done = taken.undo.len();
    taken.undo.reverse();
    taken
}

/// Runs one step. Returns the step that undoes it.
fn run_step(root: &Root, step: &SessionStep) -> Result<SessionStep, String> {
    let message = |fault: SaveFault| fault.to_string();
    match step {
        SessionStep::Write {
            path,
            bytes,
            before,
        } => {
            let target = resolve_target(root, path)?;
            let request = SaveRequest {
                target,
                bytes: Arc::clone(bytes),
                expected: before.as_ref().map_or(Expected::Nothing, |before| {
                    Expected::File(Fingerprint::from_bytes(before))
                }),
                read_only: ReadOnly::Refuse,
            };
            save(&request).map_err(message)?;
            let (path, holds) = (Arc::clone(path), Arc::clone(bytes));
            Ok(match before {
                None => SessionStep::Trash { path, holds },
                Some(before) => SessionStep::Write {
                    path,
                    bytes: Arc::clone(before),
                    before: Some(holds),
                },
            })
        }
        SessionStep::Trash { path, holds } => {
            let target = resolve_target(root, path)?;
            if save::read(&target).map_err(message)? != *holds {
                return Err(format!("Skipped: the file was changed since: {path}"));
            }
            let bytes = save::trash(&target).map_err(message)?;
            Ok(SessionStep::Write {
                path: Arc::clone(path),
                bytes,
                before: None,
            })
        }
    }
}

/// Returns the target of a file below the root. Creates its folder if it does not exist.
fn resolve_target(root: &Root, path: &str) -> Result<SaveTarget, String> {
    let message = |fault: SaveFault| fault.to_string();
    let target = SaveTarget::beneath(root, path).map_err(message)?;
    target.make_folder().map_err(message)?;
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &str, text: &str, before: Option<&str>) -> SessionStep {
        SessionStep::Write {
            path: path.into(),
            bytes: text.as_bytes().into(),
            before: before.map(|before| before.as_bytes().into()),
        }
    }

    #[test]
    fn files_are_written_in_new_folders_and_what_was_there_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("flakestorm.yaml");
        std::fs::write(&config, "old").unwrap();
        let project = Project::open(&[folder.path().to_owned()], None).unwrap();
        let steps = [
            write("replays/new/a.yaml", "a", None),
            write("flakestorm.yaml", "new", Some("old")),
        ];
        let taken = run_steps(&project, &steps);
        assert_eq!((taken.done, taken.fault), (2, None));
        let a = folder.path().join("replays/new/a.yaml");
        assert_eq!(std::fs::read_to_string(&a).unwrap(), "a");
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "new");

        std::fs::write(&a, "edited").unwrap();
        let back = run_steps(&project, &taken.undo);
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "old");
        assert_eq!(back.done, 1);
        assert_eq!(
            back.fault.as_deref(),
            Some("Skipped: the file was changed since: replays/new/a.yaml")
        );
        assert_eq!(std::fs::read_to_string(&a).unwrap(), "edited");
    }

    #[test]
    fn what_is_there_stays_and_nothing_is_written_outside() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.yaml"), "theirs").unwrap();
        let project = Project::open(&[folder.path().to_owned()], None).unwrap();
        for step in [
            write("a.yaml", "ours", None),
            write("a.yaml", "ours", Some("as it was")),
            write("../b.yaml", "ours", None),
        ] {
            let taken = run_steps(&project, &[step]);
            assert_eq!(taken.done, 0);
            assert!(taken.fault.is_some());
        }
        let text = std::fs::read_to_string(folder.path().join("a.yaml")).unwrap();
        assert_eq!(text, "theirs");
    }
}
