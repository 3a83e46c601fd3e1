//! What all commands have in common: progress, JSON with a schema, examples in the help, a section in the guide.

use std::collections::BTreeMap;

use insta::assert_snapshot;

use crate::project::{Project, no_match, recording};

/// Why a command shows no progress.
const AT_ONCE: &str = "answers at once";
const UNTIL_STOPPED: &str = "runs until it is stopped";

/// A command that shows its progress, with the arguments of a run that does.
type Shown = Result<&'static str, &'static str>;

/// For each command how it is run, or why it shows no progress.
const PROGRESS: &[(&str, Shown)] = &[
    ("answer", Err(UNTIL_STOPPED)),
    ("audit", Ok("set")),
    ("blame", Ok("set/turn-1.json")),
    ("check", Ok("set")),
    ("completions", Err(AT_ONCE)),
    ("contract", Ok("session.yaml")),
    ("diff", Ok("set other")),
    ("drift", Ok("run.jsonl")),
    ("edit", Ok("set other --replace hi ho --dry-run")),
    ("explain", Err(AT_ONCE)),
    ("export", Ok("tape set --to tapes")),
    ("hook", Err(AT_ONCE)),
    ("import", Ok("set --to replays --dry-run")),
    ("init", Ok("--dry-run")),
    ("list", Ok("set")),
    ("lookup", Ok("--seeds s.seeds.json --schema s --model m --job j")),
    ("man", Err(AT_ONCE)),
    ("match", Ok("--recordings set --requests other")),
    ("play", Err("plays in recorded time")),
    ("plugin", Err(AT_ONCE)),
    ("record", Err(UNTIL_STOPPED)),
    ("redact", Ok("set --check")),
    ("review", Ok("set --against other")),
    ("rules", Err(AT_ONCE)),
    ("schema", Err(AT_ONCE)),
    ("serve", Err(UNTIL_STOPPED)),
    ("skill", Err(AT_ONCE)),
    ("source", Ok("set/turn-1.json")),
    ("stabilize", Ok("set --check")),
    ("stamp", Ok("set --to v2")),
    ("triage", Ok("run.log --recordings set")),
    ("undo", Ok(".")),
    ("unused", Ok("set")),
    ("verify", Ok("tape.json --request request.json")),
];

/// Commands without `--json`, with the reason.
const WITHOUT_JSON: &[(&str, &str)] = &[
    ("completions", "prints a script"),
    ("hook", "writes one file"),
    ("init", "writes one file"),
    ("man", "prints a page"),
    ("play", "--jsonl"),
    ("plugin", "prints a file"),
    ("schema", "prints JSON"),
    ("skill", "prints a page"),
];

const TAPE: &str =
    r#"{"request": {"model": "m", "contents": "x"}, "stream": [{"delayNs": 0, "text": "a"}]}"#;

fn project() -> Project {
    let take = |number: usize| recording(&format!("req-{number}"), "");
    Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &take(1)),
        ("set/turn-2.json", &take(2)),
        ("other/turn-1.json", &take(1)),
        ("other/turn-2.json", &take(3)),
        ("session.yaml", "id: s\ninput: hi\ntool_responses: []\n"),
        (
            "s.seeds.json",
            r#"{"seeds": [{"schema": "s", "model": "m", "jobId": "j", "round": 0, "response": "{}"}]}"#,
        ),
        ("run.jsonl", "{\"retake\": \"serve-log\", \"version\": 1}"),
        ("run.log", &no_match("set", "none")),
        ("tape.json", TAPE),
        ("request.json", r#"{"model": "m", "contents": "x"}"#),
    ])
}

/// The commands that the help lists.
fn commands(project: &Project) -> Vec<String> {
    let help = project.run(&["--help"]).stdout;
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let (list, _) = rest.split_once("\n\n").unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter_map(|line| line.split_once(' ').map(|(name, _)| name.to_owned()));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

/// Whether the command draws its progress, where it is wanted.
fn shows_progress(project: &Project, command: &str, arguments: &str) -> bool {
    let mut run = project.command(&[command]);
    run.args(arguments.split(' ')).env("RETAKE_PROGRESS", "always");
    let drawn = String::from_utf8_lossy(&run.output().unwrap().stderr).into_owned();
    let silent = project.command(&[command]).args(arguments.split(' ')).output();
    let silent = String::from_utf8_lossy(&silent.unwrap().stderr).into_owned();
    assert!(!silent.contains("\x1b[K"), "{command}: progress without a terminal");
    drawn.contains("\r\x1b[K")
}

#[test]
fn every_command_has_progress_json_a_schema_an_example_and_a_section_or_says_why_not() {
    let project = project();
    // What has a commit.
    project.git(&["init", "-q"]);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "record"]);
    // What can be undone.
    assert_eq!(project.run(&["stamp", "set", "--to", "v2"]).code, Some(0));
    let progress: BTreeMap<&str, Shown> = PROGRESS.iter().copied().collect();
    let schemas = project.run(&["schema"]).stdout;
    let schemas: Vec<&str> = schemas.lines().filter_map(|line| line.split(' ').next()).collect();
    let guide = include_str!("../../assets/guide/command-line.md");
    let (mut table, mut gaps) = (String::new(), String::new());
    let mut row = |cells: [&str; 6]| table += &format!("{}\n", cells.join(" | "));
    row(["command", "progress", "--json", "schema", "example", "guide"]);
    for command in commands(&project) {
        let name = command.as_str();
        let shown = progress.get(name).unwrap_or_else(|| panic!("no row for {name}"));
        let shown = match shown {
            Ok(arguments) if shows_progress(&project, name, arguments) => "yes",
            Ok(_) => "NO",
            Err(reason) => reason,
        };
        // The help of a command with commands of its own lists these.
        let help =
            project.run(&[name, "--help"]).stdout + &project.run(&[name, "tape", "--help"]).stdout;
        let without = WITHOUT_JSON.iter().find(|(without, _)| *without == name);
        let json = match without {
            Some((_, reason)) => reason,
            None if help.contains("--json") => "yes",
            None => "NO",
        };
        let schema = match without {
            Some(_) if name != "play" => "-",
            _ if schemas.contains(&name) => name,
            _ => "NO",
        };
        let has_example = help.contains("Example") && help.contains(&format!("  retake {name}"));
        let example = if has_example { "yes" } else { "NO" };
        let section = if guide.contains(&format!("\n## retake {name}\n")) { "yes" } else { "NO" };
        let cells = [name, shown, json, schema, example, section];
        if cells.contains(&"NO") {
            gaps += &format!("{}\n", cells.join(" | "));
        }
        row(cells);
    }
    assert_eq!(gaps, "");
    assert_snapshot!(table, @r"
    command | progress | --json | schema | example | guide
    list | yes | yes | list | yes | yes
    check | yes | yes | check | yes | yes
    rules | answers at once | yes | rules | yes | yes
    explain | answers at once | yes | explain | yes | yes
    init | yes | writes one file | - | yes | yes
    match | yes | yes | match | yes | yes
    triage | yes | yes | triage | yes | yes
    drift | yes | yes | drift | yes | yes
    audit | yes | yes | audit | yes | yes
    source | yes | yes | source | yes | yes
    blame | yes | yes | blame | yes | yes
    stamp | yes | yes | stamp | yes | yes
    stabilize | yes | yes | stabilize | yes | yes
    diff | yes | yes | diff | yes | yes
    review | yes | yes | review | yes | yes
    edit | yes | yes | edit | yes | yes
    redact | yes | yes | redact | yes | yes
    import | yes | yes | import | yes | yes
    contract | yes | yes | contract | yes | yes
    lookup | yes | yes | lookup | yes | yes
    play | plays in recorded time | --jsonl | play | yes | yes
    verify | yes | yes | verify | yes | yes
    export | yes | yes | export | yes | yes
    answer | runs until it is stopped | yes | answer | yes | yes
    record | runs until it is stopped | yes | record | yes | yes
    serve | runs until it is stopped | yes | serve | yes | yes
    plugin | answers at once | prints a file | - | yes | yes
    hook | answers at once | writes one file | - | yes | yes
    unused | yes | yes | unused | yes | yes
    undo | yes | yes | undo | yes | yes
    completions | answers at once | prints a script | - | yes | yes
    man | answers at once | prints a page | - | yes | yes
    schema | answers at once | prints JSON | - | yes | yes
    skill | answers at once | prints a page | - | yes | yes
    ");
}

#[test]
fn quiet_leaves_out_progress_and_summaries_and_keeps_errors() {
    let project = project();
    let run = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        let output = command.env("RETAKE_PROGRESS", "always").output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&["list", "set"]).contains("2 items in 2 files"));
    assert_eq!(run(&["list", "set", "--quiet"]), "");
    assert_eq!(run(&["stamp", "set", "--to", "v2", "-q"]), "");
    assert!(run(&["list", "set", "missing", "-q"]).contains("missing"));
}
