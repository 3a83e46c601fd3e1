use std::fs;

use super::*;
use crate::disk::save::is_temporary;
use author::command_step::UndoMode;

/// A project with a file, a folder for steps, and the store of the project.
fn project() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let (project, state) = (temp.path().join("project"), temp.path().join("state"));
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join("retake.toml"), "").unwrap();
    fs::write(project.join("a.json"), "1").unwrap();
    (temp, project, state)
}

fn write(recorder: &StepRecorder, path: &Path, text: &str) {
    let target = SaveTarget::chosen(path, None).unwrap();
    let result = recorder.write(target, text.as_bytes(), Expected::Anything);
    result.unwrap();
}

fn store(project: &Path, state: &Path) -> UndoStore {
    UndoStore::in_folder(project, state)
}

/// Undoes the last step.
fn undo(store: &UndoStore, mode: UndoMode) -> Result<UndoPlan, UndoRefusal> {
    let locked_steps = store.lock(MAX_COMMAND_WAIT).unwrap();
    locked_steps.undo(&store.steps()[0], None, mode)
}

/// The file of the only step.
fn step_file(state: &Path) -> PathBuf {
    let folder = fs::read_dir(state).unwrap().next().unwrap().unwrap();
    let mut files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some()).unwrap()
}

#[test]
fn a_file_that_is_written_twice_gets_its_first_bytes_back() {
    let (_temp, project, state) = project();
    let recorder = StepRecorder::in_folder("retake edit a.json", &state);
    let (a, new) = (project.join("a.json"), project.join("new.json"));
    for text in ["2", "3"] {
        write(&recorder, &a, text);
        write(&recorder, &new, text);
    }
    assert_eq!(recorder.finish(), None);
    let store = store(&project, &state);
    let steps = store.steps();
    assert_eq!((steps.len(), steps[0].files.len()), (1, 2));
    undo(&store, UndoMode::All).unwrap();
    assert_eq!(fs::read_to_string(&a).unwrap(), "1");
    assert!(!new.exists());
    assert_eq!(store.steps(), []);
}

#[test]
fn a_killed_command_is_undone_whatever_it_had_written() {
    // What each file contains when the command is killed, all of which it has recorded.
    for (a, new) in [("1", None), ("2", None), ("2", Some("2")), ("3", Some("2"))] {
        let (_temp, project, state) = project();
        let recorder = StepRecorder::in_folder("retake edit .", &state);
        let paths = [project.join("a.json"), project.join("new.json")];
        for (text, path) in [("2", &paths[0]), ("2", &paths[1]), ("3", &paths[0])] {
            write(&recorder, path, text);
        }
        recorder.lock().open.as_mut().unwrap().file.write_all(b"{\"change\": {\"pa").unwrap();
        drop(recorder);
        fs::write(&paths[0], a).unwrap();
        match new {
            Some(new) => fs::write(&paths[1], new).unwrap(),
            None => fs::remove_file(&paths[1]).unwrap(),
        }
        undo(&store(&project, &state), UndoMode::All).unwrap();
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), "1");
        assert!(!paths[1].exists());
    }
}

#[test]
fn what_was_not_written_is_not_in_the_step() {
    let (_temp, project, state) = project();
    let recorder = StepRecorder::in_folder("retake triage --fix", &state);
    let target = |path: &str| SaveTarget::chosen(&project.join(path), None);
    let create = |path: &str| FileStep::Create { path: path.into(), bytes: b"2".as_slice().into() };
    let outcome = recorder.change_files(&[create("b.json"), create("a.json")], target);
    assert_eq!((outcome.done.len(), outcome.fault.is_some()), (1, true));
    assert_eq!(recorder.finish(), None);
    // Another program changes the file that the command could not.
    fs::write(project.join("a.json"), "theirs").unwrap();
    let store = store(&project, &state);
    assert_eq!(store.steps()[0].files, [fs::canonicalize(&project).unwrap().join("b.json")]);
    undo(&store, UndoMode::All).unwrap();
    assert_eq!(fs::read_to_string(project.join("a.json")).unwrap(), "theirs");
}

#[test]
fn renames_are_undone_from_each_state_on_the_way() {
    let steps = [("a.json", "moving"), ("b.json", "a.json"), ("moving", "b.json")]
        .map(|(from, to)| FileStep::Rename { from: from.into(), to: to.into() });
    for done_count in 0..=steps.len() {
        let (_temp, project, state) = project();
        fs::write(project.join("b.json"), "b").unwrap();
        let recorder = StepRecorder::in_folder("retake triage --fix", &state);
        let target = |path: &str| SaveTarget::chosen(&project.join(path), None);
        recorder.keep_steps(&steps, target);
        assert_eq!(change_files(&steps[..done_count], target).fault, None);
        // It is killed.
        drop(recorder);
        undo(&store(&project, &state), UndoMode::All).unwrap();
        let text = |name: &str| fs::read_to_string(project.join(name)).ok();
        assert_eq!(
            ["a.json", "b.json", "moving"].map(text),
            [Some("1".into()), Some("b".into()), None]
        );
    }
}

#[test]
fn changed_files_block_only_themselves() {
    let (_temp, project, state) = project();
    let paths = ["a.json", "b.json", "c.json"].map(|name| project.join(name));
    for path in &paths {
        fs::write(path, "1").unwrap();
    }
    for text in ["2", "3"] {
        let recorder = StepRecorder::in_folder("retake edit .", &state);
        paths.iter().for_each(|path| write(&recorder, path, text));
        recorder.finish();
    }
    // One is edited, and one has its old bytes again.
    fs::write(&paths[0], "mine").unwrap();
    fs::write(&paths[1], "2").unwrap();
    let store = store(&project, &state);
    let texts = || paths.each_ref().map(|path| fs::read_to_string(path).unwrap());
    let refusal = undo(&store, UndoMode::All).unwrap_err();
    assert!(matches!(&refusal, UndoRefusal::Changed(files) if files.len() == 1), "{refusal}");
    assert_eq!(texts(), ["mine", "2", "3"]);
    let plan = undo(&store, UndoMode::SkipChanged).unwrap();
    assert_eq!((plan.files.len(), plan.skipped.len()), (1, 1));
    assert_eq!(texts(), ["mine", "2", "2"]);
    undo(&store, UndoMode::Forget).unwrap();
    assert_eq!((texts(), store.steps().len()), (["mine", "2", "2"].map(str::to_owned), 0));
}

#[test]
fn damaged_contents_are_refused_and_what_is_no_step_is_skipped() {
    let (_temp, project, state) = project();
    let recorder = StepRecorder::in_folder("retake edit a.json", &state);
    write(&recorder, &project.join("a.json"), "2");
    recorder.finish();
    let (store, file) = (store(&project, &state), step_file(&state));
    let step = fs::read_to_string(&file).unwrap();
    // Another content of the same length.
    fs::write(&file, step.replace("\n1\n", "\n7\n")).unwrap();
    let refusal = undo(&store, UndoMode::All).unwrap_err();
    assert!(refusal.to_string().ends_with("its old content is stored, but damaged"), "{refusal}");
    assert_eq!(fs::read_to_string(project.join("a.json")).unwrap(), "2");
    for other in ["{}", "", "{\"command\": 1}\n", &step[..step.len() - 2]] {
        fs::write(&file, other).unwrap();
        assert_eq!(store.steps(), [], "{other}");
    }
}

#[test]
fn steps_wait_for_each_other() {
    let (_temp, project, state) = project();
    let recorder = StepRecorder::in_folder("retake edit a.json", &state);
    write(&recorder, &project.join("a.json"), "2");
    let store = store(&project, &state);
    let refusal = store.lock(Duration::ZERO).unwrap_err();
    insta::assert_snapshot!(refusal, @"Nothing was undone: another command of Retake is changing files of this project. Try again later");
    recorder.finish();
    assert!(store.lock(MAX_COMMAND_WAIT).is_ok());
    // A step that was undone meanwhile is not undone again.
    let step = store.steps().remove(0);
    undo(&store, UndoMode::All).unwrap();
    let result = store.lock(MAX_COMMAND_WAIT).unwrap().undo(&step, None, UndoMode::All);
    insta::assert_snapshot!(result.unwrap_err(), @"Nothing was undone: this is no longer the last command");
}

#[test]
fn leftovers_of_a_killed_write_are_removed_by_the_next_command_and_by_undo() {
    for undoes in [false, true] {
        let (_temp, project, state) = project();
        let recorder = StepRecorder::in_folder("retake edit a.json", &state);
        write(&recorder, &project.join("a.json"), "2");
        drop(recorder);
        let leftover = project.join(".a.json.retake-0123456789abcdef.tmp");
        assert!(is_temporary(leftover.file_name().unwrap()));
        fs::write(&leftover, "1").unwrap();
        fs::create_dir(project.join("other")).unwrap();
        if undoes {
            undo(&store(&project, &state), UndoMode::All).unwrap();
        } else {
            let recorder = StepRecorder::in_folder("retake edit other", &state);
            write(&recorder, &project.join("other/b.json"), "1");
        }
        assert!(!leftover.exists());
    }
}
