//! Carries out changes of files: the only way in which the window and the command line change more than one file.

use std::sync::Arc;

use super::root::Root;
use super::save::{self, SaveTarget};
use author::saving::{Expected, SaveFault};
use document::files::{FileStep, FilesChanged};

/// Returns where the paths of steps are, if they are relative to a root.
pub(crate) fn beneath(root: &Root) -> impl Fn(&str) -> Result<SaveTarget, SaveFault> {
    |path| SaveTarget::beneath(root, path)
}

/// Carries out steps in order, each only if the disk is as planned, and stops at the first that fails. Adds those that were done to
/// `done_steps`, with the contents that were found, so that each has an inverse.
pub(crate) fn carry_out<'a>(
    steps: impl IntoIterator<Item = &'a FileStep>,
    target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
    done_steps: &mut Vec<FileStep>,
) -> Result<(), SaveFault> {
    for step in steps {
        done_steps.push(carry_out_one(step, &target)?);
    }
    Ok(())
}

/// As [`carry_out`], with the result for the window.
pub(crate) fn change_files(
    steps: &[FileStep],
    target: impl Fn(&str) -> Result<SaveTarget, SaveFault>,
) -> FilesChanged {
    let mut done_steps = Vec::new();
    let fault = carry_out(steps, target, &mut done_steps).err();
    FilesChanged { done: done_steps, fault: fault.map(|fault| fault.to_string()) }
}

fn carry_out_one(
    step: &FileStep,
    target: &impl Fn(&str) -> Result<SaveTarget, SaveFault>,
) -> Result<FileStep, SaveFault> {
    match step {
        FileStep::Create { path, bytes } => {
            // A file that appeared since the plan was made belongs to someone else.
            save::write(target(path)?, Arc::clone(bytes), Expected::Nothing)?;
        }
        FileStep::Write { path, before, after: Some(after) } => {
            let expected = Expected::from_bytes(before.as_deref());
            save::write(target(path)?, Arc::clone(after), expected)?;
        }
        FileStep::Write { path, before, .. } => {
            save::remove(&target(path)?, before.as_deref().unwrap_or_default())?;
        }
        FileStep::Rename { from, to } => save::rename(&target(from)?, &target(to)?)?,
        FileStep::Copy { from, to } => {
            let creation =
                // Done and returned as a creation, since undoing it needs the bytes that were copied.
                FileStep::Create { path: Arc::clone(to), bytes: save::read(&target(from)?)? };
            return carry_out_one(&creation, target);
        }
    }
    Ok(step.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;
    use crate::Project;

    /// A project with these files, each with its path as its text.
    fn project(paths: &[&str]) -> (TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for path in paths {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, path).unwrap();
        }
        let project = Project::open(&[folder.path().to_owned()], None).unwrap();
        (folder, project)
    }

    /// The texts of all files, by path.
    fn files(folder: &Path) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                let children = self::files(&entry.path()).into_iter();
                files.extend(children.map(|(path, text)| (format!("{name}/{path}"), text)));
            } else {
                files.insert(name, std::fs::read_to_string(entry.path()).unwrap());
            }
        }
        files
    }

    fn create(path: &str, text: &str) -> FileStep {
        FileStep::Create { path: path.into(), bytes: text.as_bytes().into() }
    }

    fn write(path: &str, before: Option<&str>, after: Option<&str>) -> FileStep {
        let bytes = |text: &str| text.as_bytes().into();
        FileStep::Write { path: path.into(), before: before.map(bytes), after: after.map(bytes) }
    }

    fn rename(from: &str, to: &str) -> FileStep {
        FileStep::Rename { from: from.into(), to: to.into() }
    }

    fn copy(from: &str, to: &str) -> FileStep {
        FileStep::Copy { from: from.into(), to: to.into() }
    }

    /// Carries out all steps. While another test starts a program, that holds this process's locks for a moment.
    fn change_all(steps: &[FileStep], root: &Root) -> FilesChanged {
        let mut total = FilesChanged::default();
        loop {
            let outcome = change_files(&steps[total.done.len()..], beneath(root));
            total.done.extend(outcome.done);
            let fault = outcome.fault;
            if !fault.as_deref().is_some_and(|reason| reason.contains("has locked it")) {
                return FilesChanged { fault, ..total };
            }
        }
    }

    #[test]
    fn files_swap_their_names_are_copied_and_all_is_undone() {
        let (folder, _) = project(&["a.json", "b.json"]);
        let old_files = files(folder.path());
        let doc = SaveTarget::chosen(&folder.path().join("a.json"), None).unwrap();
        let target = |path: &str| Ok(doc.beside(path));
        let steps = [
            rename("a.json", "a.json.moving-1"),
            rename("b.json", "a.json"),
            rename("a.json.moving-1", "b.json"),
            copy("a.json", "a-copy.json"),
            rename("b.json", "a.json"),
        ];
        let outcome = change_files(&steps, target);
        assert_eq!(outcome.done.len(), 4);
        let fault = outcome.fault.as_deref().unwrap();
        assert!(fault.starts_with("A file with this name already exists"));
        assert_eq!(
            files(folder.path()).into_values().collect::<Vec<_>>(),
            ["b.json", "b.json", "a.json"]
        );

        assert_eq!(change_files(&outcome.undo(), target).fault, None);
        assert_eq!(files(folder.path()), old_files);
    }

    #[test]
    fn files_are_written_in_new_folders_and_what_was_there_comes_back() {
        let (folder, project) = project(&["flakestorm.yaml"]);
        let root = project.root().unwrap();
        let steps = [
            create("replays/new/a.yaml", "a"),
            write("flakestorm.yaml", Some("flakestorm.yaml"), Some("new")),
        ];
        let outcome = change_all(&steps, root);
        assert_eq!((outcome.done.len(), &outcome.fault), (2, &None));
        assert_eq!(files(folder.path()).into_values().collect::<Vec<_>>(), ["new", "a"]);

        std::fs::write(folder.path().join("replays/new/a.yaml"), "edited").unwrap();
        let back = change_all(&outcome.undo(), root);
        assert_eq!(back.done.len(), 1);
        assert_eq!(
            back.fault.as_deref(),
            Some("Skipped: the file was changed since: replays/new/a.yaml")
        );
        assert_eq!(
            files(folder.path()).into_values().collect::<Vec<_>>(),
            ["flakestorm.yaml", "edited"]
        );
    }

    #[test]
    fn what_is_there_stays_and_nothing_is_written_outside() {
        let (folder, project) = project(&["a.yaml"]);
        let old_files = files(folder.path());
        for step in [
            create("a.yaml", "ours"),
            write("a.yaml", Some("as it was"), Some("ours")),
            write("a.yaml", Some("as it was"), None),
            write("gone/a.yaml", Some("as it was"), Some("ours")),
            create("../b.yaml", "ours"),
            copy("a.yaml", "../b.yaml"),
            rename("../b.yaml", "../c.yaml"),
        ] {
            let outcome = change_files(&[step], beneath(project.root().unwrap()));
            assert_eq!(outcome.done, []);
            assert!(outcome.fault.is_some());
        }
        assert_eq!(files(folder.path()), old_files);
        assert!(!folder.path().join("gone").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_moved_nor_removed_nor_copied() {
        let (folder, project) = project(&["a.json"]);
        std::os::unix::fs::symlink("a.json", folder.path().join("link.json")).unwrap();
        let old_files = files(folder.path());
        for step in [
            rename("link.json", "b.json"),
            copy("link.json", "b.json"),
            write("link.json", Some("a.json"), None),
        ] {
            let outcome = change_files(&[step], beneath(project.root().unwrap()));
            let fault = outcome.fault.unwrap();
            assert!(fault.contains("it is a link or a folder"), "{fault}");
        }
        assert_eq!(files(folder.path()), old_files);
    }

    const PATHS: [&str; 4] = ["a.json", "b.json", "c.json", "d.json"];

    proptest::proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn steps_and_then_their_inverses_give_back_the_same_names_and_bytes(
            choices in proptest::collection::vec((0..5, 0..PATHS.len(), 0..PATHS.len()), 0..16),
        ) {
            let (folder, project) = project(&PATHS[..2]);
            let old_files = files(folder.path());
            let mut new_files = old_files.clone();
            let mut steps = Vec::new();
            for (number, (kind, path, to)) in choices.into_iter().enumerate() {
                let (path, to, new) = (PATHS[path], PATHS[to], number.to_string());
                let old_text = new_files.get(path).cloned();
                let is_free = !new_files.contains_key(to);
                let (step, changes) = match (kind, old_text) {
                    (0, None) => (create(path, &new), vec![(path, Some(new))]),
                    (1, old_text) => (
                        write(path, old_text.as_deref(), Some(&new)),
                        vec![(path, Some(new))],
                    ),
                    (2, Some(old_text)) => (write(path, Some(&old_text), None), vec![(path, None)]),
                    (3, Some(old_text)) if is_free => (
                        rename(path, to),
                        vec![(path, None), (to, Some(old_text))],
                    ),
                    (4, Some(old_text)) if is_free => (copy(path, to), vec![(to, Some(old_text))]),
                    _ => continue,
                };
                steps.push(step);
                for (path, text) in changes {
                    match text {
                        Some(text) => new_files.insert(path.to_owned(), text),
                        None => new_files.remove(path),
                    };
                }
            }
            let root = project.root().unwrap();
            let outcome = change_all(&steps, root);
            assert_eq!((outcome.done.len(), &outcome.fault), (steps.len(), &None));
            assert_eq!(files(folder.path()), new_files);
            assert_eq!(change_all(&outcome.undo(), root).fault, None);
            assert_eq!(files(folder.path()), old_files);
        }
    }
}
