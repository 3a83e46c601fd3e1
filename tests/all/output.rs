//! What reaches a terminal, a build log or a script: nothing raw, nothing half, no error without need.

use std::io::Read as _;
use std::process::Stdio;

use calls::source::sha256_hex;
use document::text::HiddenKind;

use crate::project::{Project, Run, recording, stamped};

#[test]
fn colours_come_only_when_they_are_wanted() {
    let broken = "{ \"request\": { \"messages\": [], \"tools\": [";
    let project = Project::new(&[("set/turn-1.json", broken)]);
    let colored = |arguments: &[&str]| {
        let run = project.run(&[&["check", "set"], arguments].concat());
        run.stdout.contains('\x1b')
    };
    assert!(!colored(&[]));
    assert!(!colored(&["--color", "never"]));
    assert!(colored(&["--color", "always"]));
}

#[test]
fn variables_decide_on_colours_unless_an_option_does() {
    let broken = "{ \"request\": { \"messages\": [], \"tools\": [";
    let project = Project::new(&[("set/turn-1.json", broken)]);
    let colored = |variables: &[(&str, &str)], color: &str| {
        let mut command = project.command(&["check", "set", "--color", color]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        Run::of(&output).stdout.contains('\x1b')
    };
    let forced = ("CLICOLOR_FORCE", "1");
    assert!(colored(&[forced], "auto"));
    assert!(colored(&[forced, ("TERM", "dumb")], "auto"));
    assert!(colored(&[forced, ("CLICOLOR", "0")], "auto"));
    assert!(!colored(&[forced, ("NO_COLOR", "1")], "auto"));
    assert!(!colored(&[forced], "never"));
    for variable in [("CLICOLOR", "0"), ("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(!colored(&[variable], "auto"), "{variable:?}");
        assert!(colored(&[variable], "always"), "{variable:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let project = Project::new(&[]);
    for n in 0..2000 {
        project.write(&format!("set/turn-{n}.json"), recording("req-1", ""));
    }
    let mut child = project
        .command(&["check", "set"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    let _ = child.stderr.take().unwrap().read_to_string(&mut stderr);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_reported() {
    let full = || std::fs::File::create("/dev/full").unwrap();
    let machine = "machine \"A\"\n";
    let more = stamped("a.dygram", &sha256_hex(machine.as_bytes()));
    let project = Project::new(&[
        ("retake.toml", ""),
        ("a.dygram", machine),
        ("set/turn-1.json", &recording("req-1", &more)),
    ]);
    for arguments in [
        &["list", "set"] as &[&str],
        &["list", "set", "--json"],
        &["check", "set"],
        &["check", "set", "--json"],
        &["source", "set/turn-1.json"],
        &["source", "set/turn-1.json", "--json"],
        &["--help"],
        &["list", "--help"],
        &["--version"],
    ] {
        let mut command = project.command(arguments);
        let run = Run::of(&command.stdout(full()).output().unwrap());
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(
            run.stderr.contains("cannot be written: No space left"),
            "{arguments:?}: {}",
            run.stderr
        );
        // If stderr cannot be written, the result is still valid.
        let printed = project.command(arguments).stderr(full()).output().unwrap();
        assert_eq!(printed.status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_that_a_file_holds_passes_raw() {
    let nasty = "\u{1b}[2J\u{202e}\u{9b}x\n::error::x ##[error]x ##vso[task.x]\u{200b}";
    let key = serde_json::to_string(nasty).unwrap();
    let name = nasty.replace('/', "");
    let twice = format!(
        "{{ {key}: 1, {key}: 2, \"messages\": [{{\"role\": {key}, \"content\": {key}}}] }}"
    );
    let project = Project::new(&[("retake.toml", "")]);
    let whole = recording("req-1", &stamped(nasty, nasty.trim()));
    project.write("set/turn-1.json", whole.replace("req-1", key.trim_matches('"')));
    project
        .write(&format!("set/{name}.json"), recording("req-2", &format!(", {key}: 1, {key}: 2")));
    project.write(&format!("{name}/turn-1.json"), &twice);
    project.write(
        "replays/a.yaml",
        format!("id: {key}\ninput: {key}\ncontract: {key}\n{key}: 1\n{key}: 2\n"),
    );
    project.write("a.seeds.json", format!("{{ \"seeds\": [ {{ \"schema\": {key}, \"model\": {key}, \"jobId\": {key}, \"response\": \"\" }} ] }}"));
    project.write("tape.json", format!("{{ \"meta\": {{ \"model\": {key}, \"recordedAt\": {key} }}, \"request\": {{ \"model\": {key}, \"contents\": {key}, \"config\": {{}} }}, \"stream\": [ {{ \"delayNs\": -1, \"text\": {key} }} ] }}"));
    let file = format!("set/{name}.json");
    let lines = format!("{nasty}\n::error::y\n::z\n##[error]").repeat(2);
    let message = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        recording("req-3", "").replacen(
            "\"messages\"",
            &format!("\"text\": {text}, \"messages\""),
            1,
        )
    };
    project.write("old/t.json", message("x"));
    project.write("new/t.json", message(&lines));
    for arguments in [
        &["list", "."] as &[&str],
        &["list", ".", "--json"],
        &["check", "."],
        &["check", ".", "--json"],
        &["check", ".", "--format", "sarif"],
        &["check", ".", "--format", "junit"],
        &["check", ".", "--format", "github"],
        &["check", "--color", "never", &file, &name],
        &["source", "set/turn-1.json"],
        &["source", "set/turn-1.json", "--json"],
        &["source", &file],
        &["source", &name],
        &["diff", "old", "new"],
        &["diff", "old", "new", "--json"],
        &["diff", "old", "new", "--format", "html"],
        &["diff", "set/turn-1.json", &file, "--format", "html"],
        &["review", "new", "--against", "old"],
        &["review", "new", "--against", "old", "--json"],
        &["match", "--recordings", "set", "--requests", "set"],
        &["match", "--recordings", "set", "--requests", "new", "--json"],
        &["lookup", "--seeds", ".", "--schema", "s", "--model", "m", "--job", nasty],
        &["contract", "replays"],
        &["verify", "tape.json", "--request", "set/turn-1.json"],
        &["stamp", ".", "--dry-run"],
        &["list", &format!("{name}/gone")],
        &["list", &format!("--{name}")],
        &["list", ".", "--root", &format!("{name}/gone")],
        &["list", ".", "--filter", nasty],
        &["check", ".", "--rule", nasty],
        &["check", ".", "--mode", nasty],
        &[nasty],
        &["set", "--root", nasty],
    ] {
        let run = project.run(arguments);
        for line in run.stdout.lines().chain(run.stderr.lines()) {
            let raw = line.chars().find(|c| HiddenKind::classify(*c).is_some());
            assert_eq!(raw, None, "{arguments:?}: {line:?}");
            // Annotations are commands, each on a line of its own and only ours.
            let is_annotation = arguments.last() == Some(&"github")
                && ["::error file=", "::warning file=", "::notice file="]
                    .iter()
                    .any(|command| line.starts_with(command));
            assert!(is_annotation || !line.trim_start().starts_with("::"), "{arguments:?}: {line}");
            assert!(!line.contains("##[") && !line.contains("##vso["), "{arguments:?}: {line}");
        }
        if arguments[1..] == [".", "--json"] {
            let whole = run.json().to_string();
            assert!(whole.contains("##vso["), "{arguments:?} should print the whole message");
        }
    }
}
