//! What the programs that own cassettes read of them: after edits by vcrpy, also with bodies as trees, and cassetter; and the texts
//! of YAML by PyYAML.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::project::Run;

/// How many edits are made; the variable `RETAKE_CASSETTE_EDITS` sets another number.
const EDITS: &str = "100";

/// How many cassettes are generated; the variable `RETAKE_YAML_CASSETTES` sets another number.
const CASSETTES: &str = "20";

/// How many files with a planted secret are made; the variable `RETAKE_PLANTED_SECRETS` sets another number.
const PLANTED: &str = "60";

/// Returns a Python with the owners where they can be installed, else one with PyYAML.
pub(crate) fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(find_python).clone()
}

fn find_python() -> Option<PathBuf> {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cassette-venv");
    let program = venv.join("bin/python");
    let can = |program: &Path, modules: &str| {
        let import = format!("import {modules}");
        let run = Command::new(program)
            .args(["-c", &import])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.is_ok_and(|status| status.success())
    };
    let owners = "vcr, cassetter, yaml";
    if !can(&program, owners) {
        // A registry that does not answer must not keep the tests.
        let steps = format!(
            "timeout 60 python3 -m venv '{}' && timeout 180 '{}' -m pip install -q --timeout 10 --retries 1 vcrpy==9.4.2 cassetter==0.16.1",
            venv.display(),
            program.display()
        );
        let _ = Command::new("sh")
            .args(["-c", &steps])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
    let system = PathBuf::from("python3");
    [(program, owners), (system, "yaml")]
        .into_iter()
        .find_map(|(program, modules)| can(&program, modules).then_some(program))
}

/// Returns the project's own cassettes.
fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            samples(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

/// Runs a script of `tests/owner` with the program, a count, a seed and the project's own cassettes. It fails where it finds
/// something wrong; what was compared is printed.
fn run_script(script: &str, count: &str) {
    let Some(python) = python() else {
        let _ = writeln!(
            std::io::stderr(),
            "{script}: no Python with PyYAML: nothing was read by an owner"
        );
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    samples(&root.join("sample-recordings/cassettes"), &mut files);
    let state = tempfile::tempdir().unwrap();
    let output = Command::new(python)
        .arg(root.join("tests/owner").join(script))
        .arg(env!("CARGO_BIN_EXE_retake"))
        .args([count, "1"])
        .args(files)
        .env("RETAKE_STATE_DIR", state.path())
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let _ = write!(std::io::stderr(), "{}", run.stderr);
}

#[test]
fn owners_read_edited_cassettes_with_only_the_edited_values_changed() {
    let edits = std::env::var("RETAKE_CASSETTE_EDITS");
    run_script("edit_cassettes.py", edits.as_deref().unwrap_or(EDITS));
}

#[test]
fn texts_of_yaml_are_what_pyyaml_reads() {
    let cassettes = std::env::var("RETAKE_YAML_CASSETTES");
    run_script("yaml_values.py", cassettes.as_deref().unwrap_or(CASSETTES));
}

#[test]
fn planted_secrets_are_reported_and_replaced_in_every_place_and_layer() {
    let planted = std::env::var("RETAKE_PLANTED_SECRETS");
    run_script("redact_secrets.py", planted.as_deref().unwrap_or(PLANTED));
}
