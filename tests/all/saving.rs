//! A save at which everything goes wrong: an error or a kill at each call to the file system, a disk that is full.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread;

use author::saving::{Expected, ReadOnly};
use engine::save::{SaveRequest, SaveTarget, save};
use engine::{Project as Opened, ScanStep, SourceLookup, scan};

use crate::project::{Project, Run, recording};

const FILE: &str = "set/turn-1.json";

/// A project with one recording.
fn project() -> (Project, String) {
    let old = recording("req-1", "");
    let project = Project::new(&[("retake.toml", ""), (FILE, &old)]);
    #[cfg(target_os = "linux")]
    dress(&project.path(FILE));
    (project, old)
}

/// Gives a file what a save has to keep, as far as this user may: each is done by calls that can fail.
#[cfg(target_os = "linux")]
fn dress(file: &Path) {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let flags = rustix::fs::XattrFlags::empty();
    let _ = rustix::fs::setxattr(file, "user.note", b"kept", flags);
    let _ = chown(file, Some(1), Some(1));
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o640)).unwrap();
}

/// The arguments of a save: it replaces one word.
const EDIT: [&str; 4] = ["edit", FILE, "--set", "/request/requestId=\"req-2\""];

/// The text after that.
fn edited(old: &str) -> String {
    old.replacen("req-1", "req-2", 1)
}

/// A call to the system, by its name and its number among those of that name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    name: String,
    nth: usize,
    /// Whether the new text is on its way: a temporary file was made.
    writes: bool,
}

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Damage {
    Error(&'static str),
    Kill,
}

const HARMS: [Damage; 5] = [
    Damage::Error("ENOSPC"),
    Damage::Error("EIO"),
    Damage::Error("EINTR"),
    Damage::Error("EACCES"),
    Damage::Kill,
];

/// Calls that take a descriptor or a path and have nothing to do with files.
const OTHERS: [&str; 6] = ["execve", "mmap", "poll", "ppoll", "ioctl", "epoll_wait"];

/// Runs the program under strace, which writes what it sees to `trace`.
pub(crate) fn traced(
    project: &Project,
    arguments: &[&str],
    injection: Option<String>,
) -> (Run, String) {
    let plain = project.command(arguments);
    let trace = project.path("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-e", "trace=%file,%desc", "-o"]).arg(&trace);
    if let Some(injection) = injection {
        command.args(["-e", &injection]);
    }
    command.arg(plain.get_program()).args(plain.get_args());
    command.current_dir(project.path("."));
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().unwrap_or_else(|error| {
        panic!("strace is needed to bring a save to fail at each of its steps: {error}")
    });
    let run = Run::of(&output);
    let trace = std::fs::read_to_string(trace).unwrap_or_default();
    assert!(
        trace.contains("execve("),
        "strace cannot trace here, ptrace has to be allowed: {}",
        run.stderr
    );
    (run, trace)
}

/// A line of a trace: the thread, the name of the call, and what it was given.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (thread, call) = line.split_once(' ')?;
    let (name, given) = call.trim_start().split_once('(')?;
    // A call during which another thread made one is logged in two lines, the second as `<... read resumed>`.
    (!name.contains(' ')).then_some((thread, name, given))
}

/// The calls of a save to the file system: all from the first one on that names the file. The program saves on its main
/// thread; strace counts calls by thread.
fn calls(trace: &str) -> BTreeSet<Call> {
    let main = trace.split(' ').next();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut begun, mut writes) = (false, false);
    let mut calls = BTreeSet::new();
    for (thread, name, given) in trace.lines().filter_map(parts) {
        if Some(thread) != main {
            continue;
        }
        let nth = numbers.entry(name).or_default();
        *nth += 1;
        begun |= name != "execve" && given.contains("turn-1.json");
        writes |= given.contains(".retake-");
        if begun && !OTHERS.contains(&name) {
            calls.insert(Call { name: name.to_owned(), nth: *nth, writes });
        }
    }
    calls
}

/// The calls that change something on disk, in their order.
fn order(trace: &str) -> String {
    let changes = ["write", "fsync", "rename", "link", "unlink", "truncate"];
    let calls = trace.lines().filter_map(|line| {
        let (_, name, given) = parts(line)?;
        let is_reported = given.starts_with("1,") || given.starts_with("2,");
        let is_change = changes.iter().any(|change| name.starts_with(change));
        (is_change && !is_reported).then_some(name)
    });
    calls.collect::<Vec<_>>().join(", ")
}

/// What is in the folder of the file.
fn names(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.path("set")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Makes a save fail at one call, and describes what is wrong with its result.
fn damage(call: &Call, damage: Damage) -> Result<String, String> {
    let (project, old) = project();
    let new = edited(&old);
    let what = match damage {
        Damage::Error(error) => format!("error={error}"),
        Damage::Kill => "signal=KILL".to_owned(),
    };
    let injection = format!("inject={}:{what}:when={}", call.name, call.nth);
    let (run, trace) = traced(&project, &EDIT, Some(injection));
    let hit = trace.contains("(INJECTED)") || trace.contains("killed by SIGKILL");
    if !hit {
        return Err("the call was not made".to_owned());
    }
    let text = std::fs::read_to_string(project.path(FILE)).unwrap_or_default();
    let there = match text {
        text if text == old => "old",
        text if text == new => "new",
        _ => "broken",
    };
    let is_reported = match (run.code, there) {
        (Some(0), "new") => true,
        (Some(2), "old") => run.stderr.starts_with("retake: "),
        (None, "old" | "new") => damage == Damage::Kill,
        _ => false,
    };
    if !is_reported {
        let (code, stderr) = (run.code, &run.stderr);
        return Err(format!("the file is {there}, the exit code {code:?}: {stderr}"));
    }
    if call.writes && damage == Damage::Error("EINTR") && run.code != Some(0) {
        return Err(format!("a signal kept it from saving: {}", run.stderr));
    }
    if names(&project) != ["turn-1.json"] {
        let again = project.run(&EDIT);
        let names = names(&project);
        if again.code != Some(0) || names != ["turn-1.json"] {
            return Err(format!("after the next start there is {names:?}: {}", again.stderr));
        }
    }
    Ok(run.stderr)
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_call_fails_the_old_or_the_new_file_is_there_and_the_answer_says_which() {
    let (project, old) = project();
    let (run, trace) = traced(&project, &EDIT, None);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.read(FILE), edited(&old));
    insta::assert_snapshot!(order(&trace), @"write, fsync, fsync, fsync, write, fsync, write, fsync, renameat2, unlinkat, fsync");
    let calls = calls(&trace);
    assert!(calls.len() > 40, "{calls:?}");

    let left = Mutex::new(Vec::new());
    for call in &calls {
        left.lock().unwrap().extend(HARMS.map(|damage| (call, damage)));
    }
    let answers = Mutex::new(BTreeMap::new());
    let workers = thread::available_parallelism().map_or(2, |count| count.get());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().pop();
                    let Some((call, how)) = next else { break };
                    answers.lock().unwrap().insert((call, how), damage(call, how));
                }
            });
        }
    });
    let answers = answers.into_inner().unwrap();
    let wrong: Vec<String> = answers
        .iter()
        .filter_map(|((call, damage), answer)| {
            let wrong = answer.as_ref().err()?;
            Some(format!("{damage:?} at {} {}: {wrong}", call.name, call.nth))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // The message names the fault.
    let fault = |name: &str, error: &'static str| {
        let of = answers.iter().filter(|((call, damage), _)| {
            call.writes && call.name == name && *damage == Damage::Error(error)
        });
        let lines = of.filter_map(|(_, answer)| answer.as_ref().ok());
        let lines = lines.flat_map(|fault| fault.lines());
        let first: BTreeSet<&str> =
            lines.filter_map(|line| line.strip_prefix("retake: ")?.split('.').next()).collect();
        first.into_iter().collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(fault("write", "ENOSPC"), @"There is no space left on the disk, so the file was not changed");
    insta::assert_snapshot!(fault("fsync", "EIO"), @"
    The file could not be written to disk, so it was not changed (input/output error)
    The folder could not be synced, so the old file may be back after a power failure: input/output error
    ");
    insta::assert_snapshot!(fault("renameat2", "EACCES"), @"The system does not allow replacing the file, so it was not changed (permission denied)");
}

#[cfg(unix)]
#[test]
fn a_file_too_large_for_the_limit_is_reported_and_not_begun() {
    let (project, _) = project();
    let old = recording("req-1", &format!(",\n  \"padding\": \"{}\"", "x".repeat(9000)));
    project.write(FILE, &old);
    let plain = project.command(&EDIT);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 4; exec \"$@\"", "sh"]);
    command.arg(plain.get_program()).args(plain.get_args());
    command.current_dir(project.path("."));
    command.env("RETAKE_STATE_DIR", project.path("state"));
    let run = Run::of(&command.output().unwrap());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    insta::assert_snapshot!(run.stderr, @"retake: The text is larger than the maximum file size here, so the file was not changed. Save to another disk, or raise the limit of the file size and save again: set/turn-1.json");
    assert_eq!(project.read(FILE), old);
    assert_eq!(names(&project), ["turn-1.json"]);
}

/// Opens each file of a folder, saves it under another name, and compares the bytes. Returns how many were saved.
pub(crate) fn save_elsewhere(folder: &Path) -> usize {
    let opened = Opened::open(&[folder.to_owned()], None).unwrap();
    let mut items = Vec::new();
    let never = AtomicBool::new(false);
    scan(&opened, SourceLookup::LeaveAlone, &never, &mut |step| {
        if let ScanStep::Rows(rows) = step {
            items.extend(rows);
        }
    })
    .unwrap();
    let temp = tempfile::tempdir().unwrap();
    let mut copied = 0;
    for (index, item) in items.iter().enumerate() {
        let document = opened.read(index, item).unwrap();
        if document.source().fault().is_some() {
            continue;
        }
        let copy = temp.path().join(format!("{index}.copy"));
        let request = SaveRequest {
            target: SaveTarget::chosen(&copy, None).unwrap(),
            bytes: document.source().text().as_bytes().into(),
            expected: Expected::Anything,
            read_only: ReadOnly::Refuse,
        };
        save(&request).unwrap();
        let original = std::fs::read(opened.target(index, item).unwrap().path()).unwrap();
        assert!(std::fs::read(&copy).unwrap() == original, "{}", item.path);
        copied += 1;
    }
    copied
}

#[test]
fn every_file_opened_and_saved_under_another_name_is_the_same_byte_for_byte() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-recordings");
    let copied = save_elsewhere(&samples);
    assert!(copied > 10, "{copied}");
}
