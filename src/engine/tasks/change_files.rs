//! Changes the files of a set: renames, copies, trash. Runs one step after the other, each of which can be
//! undone.

use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::disk::save::{self, SaveRequest, SaveTarget, save};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::saving::{Expected, ReadOnly, SaveFault};
use crate::workbench::{EngineEvent, FileChangeRequest, FileStep, FilesChanged, PlaybackEvent};

impl Task for FileChangeRequest {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let changed = execute(context.project.as_deref()?, self);
        let changed = PlaybackEvent::FilesChanged(self.clone(), changed);
        Some(EngineEvent::Playback(changed))
    }
}

/// Runs all steps. Stops at the first one that fails.
fn execute(project: &Project, order: &FileChangeRequest) -> FilesChanged {
    let mut undo = Vec::new();
    let mut fault = None;
    for step in &order.steps {
        match run_step(project, order, step) {
            Ok(back) => undo.push(back),
            Err(reason) => {
                fault = Some(reason);
                break;
            }
        }
    }
    let done = undo.len();
    undo.reverse();
    FilesChanged { done, undo, fault }
}

/// Runs one step. Returns the step that undoes it.
fn run_step(
    project: &Project,
    order: &FileChangeRequest,
    step: &FileStep,
) -> Result<FileStep, String> {
    let at = |name: &str| project.sibling(order.doc.index(), &order.item, name);
    let message = |fault: SaveFault| fault.to_string();
    match step {
        FileStep::Rename { from, to } => {
            save::rename(&at(from)?, &at(to)?).map_err(message)?;
            Ok(FileStep::Rename {
                from: Arc::clone(to),
                to: Arc::clone(from),
            })
        }
        FileStep::Copy { from, to } => {
            let bytes = save::read(&at(from)?).map_err(message)?;
            write(at(to)?, bytes).map_err(message)?;
            Ok(FileStep::Trash(Arc::clone(to)))
        }
        FileStep::Trash(name) => {
            let bytes = save::trash(&at(name)?).map_err(message)?;
            let name = Arc::clone(name);
            Ok(FileStep::Write { name, bytes })
        }
        FileStep::Write { name, bytes } => {
            write(at(name)?, Arc::clone(bytes)).map_err(message)?;
            Ok(FileStep::Trash(Arc::clone(name)))
        }
    }
}

/// Writes a new file.
fn write(target: SaveTarget, bytes: Arc<[u8]>) -> Result<(), SaveFault> {
    let request = SaveRequest {
        target,
        bytes,
        expected: Expected::Nothing,
        read_only: ReadOnly::Refuse,
    };
    save(&request).map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::engine::disk::scan::scan;
    use crate::engine::{ScanStep, SourceLookup};
    use crate::workbench::DocId;

    /// The names and the texts of a folder's files, in order.
    fn files(folder: &std::path::Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let file = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        };
        let mut files: Vec<_> = entries.map(file).collect();
        files.sort();
        files
    }

    fn step(from: &str, to: &str) -> FileStep {
        FileStep::Rename {
            from: from.into(),
            to: to.into(),
        }
    }

    #[test]
    fn files_swap_their_names_are_copied_and_all_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.json", "b.json"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let before = files(folder.path());
        let project = Project::open(&[folder.path().join("a.json")], None).unwrap();
        let mut item = None;
        let mut take = |step: ScanStep| {
            if let ScanStep::Rows(items) = step {
                item = items.into_iter().next();
            }
        };
        scan(
            &project,
            SourceLookup::LeaveAlone,
            &AtomicBool::new(false),
            &mut take,
        )
        .unwrap();
        let mut order = FileChangeRequest {
            doc: DocId::new(0),
            item: item.unwrap(),
            steps: vec![
                step("a.json", "a.json.moving-1"),
                step("b.json", "a.json"),
                step("a.json.moving-1", "b.json"),
                FileStep::Copy {
                    from: "a.json".into(),
                    to: "a-copy.json".into(),
                },
                step("b.json", "a.json"),
            ],
            message: String::new(),
        };
        let changed = execute(&project, &order);
        assert_eq!(changed.done, 4);
        assert!(
            changed
                .fault
                .unwrap()
                .starts_with("A file with this name already exists")
        );
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(text("a.json"), "b.json");
        assert_eq!(text("b.json"), "a.json");
        assert_eq!(text("a-copy.json"), "b.json");

        // All but what needs a trash.
        order.steps = changed.undo[1..].to_vec();
        assert_eq!(execute(&project, &order).fault, None);
        std::fs::remove_file(folder.path().join("a-copy.json")).unwrap();
        assert_eq!(files(folder.path()), before);
    }
}
