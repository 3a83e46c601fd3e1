//! Checks the README and the guide: their commands run, their links lead somewhere, their tables match the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::project::{Project, Run, copy};
use crate::samples::{checkout, source_when_recorded};

/// A page: its path from the checkout, and its text.
struct Page {
    path: PathBuf,
    text: String,
}

/// The README and all pages of the guide.
fn pages() -> Vec<Page> {
    let guide = fs::read_dir(checkout().join("assets/guide")).unwrap();
    let mut paths: Vec<PathBuf> =
        guide.map(|entry| Path::new("assets/guide").join(entry.unwrap().file_name())).collect();
    paths.push("README.md".into());
    paths.sort();
    paths.into_iter().map(Page::read).collect()
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(checkout().join(&path)).unwrap();
        Self { path, text }
    }

    fn of(path: &str) -> Self {
        Self::read(path.into())
    }

    /// The fenced blocks in one of these languages.
    fn blocks<'a>(&'a self, languages: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let blocks = self.text.split("```").skip(1).step_by(2);
        blocks.filter_map(move |block| {
            let (language, code) = block.split_once('\n').unwrap();
            languages.contains(&language).then_some(code)
        })
    }

    /// The text outside fenced blocks.
    fn prose(&self) -> String {
        self.text.split("```").step_by(2).collect()
    }

    /// The commands of the blocks for a shell, in their order.
    fn commands(&self) -> Vec<Example<'_>> {
        let mut commands = Vec::new();
        for block in self.blocks(&["sh", "console"]) {
            let mut code = 0;
            for line in block.lines().filter(|line| !line.is_empty()) {
                let stated = line.split_once("# exit code ").map(|(_, rest)| {
                    let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
                    digits.parse().unwrap()
                });
                code = stated.unwrap_or(code);
                if !line.starts_with('#') {
                    commands.push(Example { line, code });
                    code = 0;
                }
            }
        }
        commands
    }

    /// What is between two markers.
    fn marked(&self, name: &str) -> &str {
        let (_, rest) = self.text.split_once(&format!("<!-- {name} -->\n")).unwrap();
        rest.split_once(&format!("<!-- /{name} -->")).unwrap().0
    }
}

/// A command on a page, and the exit code that the page states, else 0.
struct Example<'a> {
    line: &'a str,
    code: i32,
}

/// How a command is run that needs more than a folder.
enum Special {
    /// Runs it, and expects this exit code and a text on stderr.
    Fails(i32, &'static str),
    /// Runs it with more arguments.
    With(&'static str),
    /// Starts it with more arguments, waits for its address, and ends it.
    Listens(&'static str),
}

/// Commands that need a display, a network or a client, by how they start.
const SPECIAL: &[(&str, Special, &str)] = &[
    ("retake sample-recordings", Special::Fails(2, "display"), "the window needs a display"),
    ("retake 'sample-recordings", Special::Fails(2, "display"), "the window needs a display"),
    (
        "retake import --from-langsmith",
        Special::Fails(2, "LANGSMITH_API_KEY"),
        "the import needs a network and a key",
    ),
    (
        "retake drift",
        Special::Fails(2, "requests.jsonl"),
        "the log is of a run of tests that play cassettes",
    ),
    ("retake answer", Special::With("--once"), "without this option it waits for more requests"),
    (
        "retake serve",
        Special::Listens("--listen 127.0.0.1:0"),
        "it runs until it is ended; the default port may be taken",
    ),
    (
        "retake record",
        Special::Listens("--listen 127.0.0.1:0"),
        "it runs until it is ended; the default port may be taken",
    ),
];

/// Programs that are run beside `retake`. Commands of other programs are not run.
const HELPERS: &[&str] = &["cat", "cp", "echo"];
const NOT_RUN: &[&str] = &["cargo", "git"];

/// A copy of the samples in a repository whose history has the recorded text of the stale source.
fn project() -> Project {
    let project = Project::new(&[]);
    let machine = "sample-recordings/machines/triage-ticket.dygram";
    project.write(machine, source_when_recorded());
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "The machine is recorded"]);
    for samples in ["sample-recordings", "sample-cassettes"] {
        copy(&checkout().join(samples), &project.path(samples));
    }
    project.git(&["add", "."]);
    project.git(&["commit", "--quiet", "--message", "The machine changes"]);
    project
}

/// A shell in the project that finds the program.
fn shell(project: &Project, line: &str) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_retake")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let retake = project.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(project.path(""));
    for (name, value) in retake.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
        .env("PATH", format!("{}:{path}", program.display()))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("LANGSMITH_API_KEY")
        .stdin(Stdio::null());
    shell
}

fn run(project: &Project, line: &str) -> Run {
    Run::of(&shell(project, line).output().unwrap())
}

/// Runs a command of a page; returns what is wrong with it.
fn failure(project: &Project, example: &Example<'_>) -> Option<String> {
    let Example { line, code } = example;
    let program = line.split(' ').next().unwrap();
    if NOT_RUN.contains(&program) || line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    if checkout().join(program).is_file() {
        return None;
    }
    if program != "retake" && !HELPERS.contains(&program) {
        return Some("not a command that the guide may use".to_owned());
    }
    let special = SPECIAL.iter().find(|(start, special, _)| {
        let is_complete = matches!(special, Special::With(more) if line.contains(more));
        line.starts_with(start) && !is_complete
    });
    let (run, code) = match special {
        None => (run(project, line), *code),
        Some((_, Special::With(more), _)) => (run(project, &format!("{line} {more}")), *code),
        Some((_, Special::Fails(code, message), _)) => {
            let run = run(project, line);
            if !run.stderr.contains(message) {
                return Some(run.stderr);
            }
            (run, *code)
        }
        Some((_, Special::Listens(more), _)) => {
            let mut child = shell(project, &format!("exec {line} {more}"))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut first = String::new();
            let mut stderr = BufReader::new(child.stderr.take().unwrap());
            stderr.read_line(&mut first).unwrap();
            let _ = child.kill();
            let _ = child.wait();
            return (!first.contains("http://127.0.0.1:")).then_some(first);
        }
    };
    (run.code != Some(code)).then(|| format!("expected exit code {code}\n{}", run.printed()))
}

#[test]
fn every_command_on_every_page_runs_as_the_page_says() {
    let pages = pages();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let check = |page: &Page| {
            let examples = page.commands();
            if examples.is_empty() {
                return Vec::new();
            }
            let project = project();
            let failures = examples.iter().filter_map(|example| {
                let failure = failure(&project, example)?;
                let path = page.path.display();
                Some(format!("{path}: {}\n{failure}", example.line))
            });
            failures.collect()
        };
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(move || check(page))).collect();
        let failures = threads.into_iter().map(|thread| thread.join().unwrap());
        failures.flatten().collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The name and the summary of each command, as `--help` prints them.
fn declared() -> Vec<(String, String)> {
    let help = Project::new(&[]).run(&["--help"]).stdout;
    let (_, rest) = help.split_once("Commands:\n").unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in rest.lines().take_while(|line| !line.is_empty()) {
        let text = line.strip_prefix("  ").unwrap();
        match text.split_once(' ').filter(|_| !text.starts_with(' ')) {
            Some((name, summary)) => commands.push((name.to_owned(), summary.trim().to_owned())),
            None => {
                let (_, summary) = commands.last_mut().unwrap();
                *summary += " ";
                *summary += text.trim();
            }
        }
    }
    commands
}

/// The commands of each job. Every command is of one.
const JOBS: [(&str, &[&str]); 5] = [
    ("Look and check", &["list", "check", "audit", "unused", "rules", "explain", "init"]),
    ("Triage", &["triage", "match", "source", "blame", "diff", "verify", "lookup"]),
    ("Author", &["import", "export", "contract", "edit", "redact", "play"]),
    (
        "Record again and review",
        &["drift", "plugin", "record", "serve", "answer", "review", "stamp", "stabilize"],
    ),
    ("Around it", &["undo", "hook", "completions", "man", "schema", "skill"]),
];

#[test]
fn the_guide_has_a_table_of_all_commands_by_job() {
    let declared: BTreeMap<String, String> = declared().into_iter().collect();
    let mut table = "| Job | Command | What it does |\n| --- | --- | --- |\n".to_owned();
    for (job, name) in
        JOBS.iter().flat_map(|(job, names)| names.iter().map(move |name| (job, name)))
    {
        table += &format!("| {job} | [`{name}`](#retake-{name}) | {} |\n", declared[*name]);
    }
    let page = Page::of("assets/guide/command-line.md");
    assert!(page.marked("commands") == table, "the table of commands should be:\n\n{table}");
    let listed: BTreeSet<&str> = JOBS.iter().flat_map(|(_, names)| *names).copied().collect();
    let missing = declared.keys().find(|name| *name != "help" && !listed.contains(name.as_str()));
    assert_eq!(missing, None, "a job for each command");
}

#[test]
fn the_readme_is_a_front_page() {
    let lines = Page::of("README.md").text.lines().count();
    assert!(lines <= 120, "{lines} lines");
}

#[test]
fn the_guide_describes_every_command_with_an_example_and_options_that_exist() {
    let page = Page::of("assets/guide/command-line.md");
    let help = |arguments: &[&str]| Project::new(&[]).run(arguments).stdout;
    for (name, _) in declared() {
        let heading = format!("\n## retake {name}\n");
        let (_, section) = page.text.split_once(&heading).expect(&heading);
        let section = section.split("\n## ").next().unwrap();
        let example = format!("retake {name} ");
        assert!(section.contains(&example), "no example of {name}");
        let mut known = match name.as_str() {
            "help" => String::new(),
            name => help(&[name, "--help"]),
        };
        match name.as_str() {
            "export" => {
                for what in ["tape", "seeds", "session", "picture", "map", "strip"] {
                    known += &help(&[&name, what, "--help"]);
                }
            }
            "hook" => known += &help(&[&name, "install", "--help"]),
            _ => {}
        }
        let options = section.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
        let options: BTreeSet<&str> =
            options.filter(|word| word.starts_with("--") && !word.ends_with('-')).collect();
        for option in options {
            let is_known = known
                .split(|c: char| !(c.is_ascii_lowercase() || c == '-'))
                .any(|word| word == option);
            assert!(is_known, "retake {name} has no option {option}");
        }
    }
}

/// Returns the keys as Markdown: a heading and a table for each section.
fn keys_markdown() -> String {
    use workbench::{Command, CommandSection};
    let mut text = String::new();
    for section in CommandSection::ALL {
        let place = match section.desk() {
            Some(desk) => format!("At the {} desk.\n\n", desk.name()),
            None => String::new(),
        };
        text += &format!(
            "## {}\n\n{place}| Key | Command | What it does |\n| --- | --- | --- |\n",
            section.name()
        );
        let commands = Command::ALL.iter().filter(|command| command.section() == *section);
        for command in commands.filter(|command| !command.default_shortcuts().is_empty()) {
            let keys: Vec<String> =
                command.default_shortcuts().iter().map(|keys| format!("`{keys}`")).collect();
            let name = command.name().trim_end_matches('…');
            let keys = keys.join(" or ");
            text += &format!("| {keys} | {name} | {} |\n", command.tooltip());
        }
        text.push('\n');
    }
    text
}

/// Returns the ids of all commands as Markdown.
fn ids_markdown() -> String {
    use workbench::{Command, Desk};
    let rows = Command::ALL.iter().map(|command| {
        let name = command.name().trim_end_matches('…');
        let desk = command.section().desk().map_or("All", Desk::name);
        format!("| `{}` | {name} | {desk} |\n", command.id())
    });
    let head = "| Name in the file | Command | Desk |\n| --- | --- | --- |\n";
    head.to_owned() + &rows.collect::<String>()
}

#[test]
fn the_tables_of_keys_are_those_of_the_commands() {
    let page = Page::of("assets/guide/keys.md");
    let keys = keys_markdown();
    assert!(
        page.marked("keys").trim() == keys.trim(),
        "the tables in assets/guide/keys.md should be:\n\n{keys}"
    );
}

#[test]
fn the_table_of_settings_has_every_command() {
    let page = Page::of("assets/guide/settings.md");
    let ids = ids_markdown();
    assert!(
        page.marked("commands").trim() == ids.trim(),
        "the table in assets/guide/settings.md should be:\n\n{ids}"
    );
}

#[test]
fn the_table_of_rules_has_every_rule_with_its_level() {
    let project = Project::new(&[("a.txt", "")]);
    let sarif = project.run(&["check", ".", "--format", "sarif"]).json();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array();
    let declared: Vec<String> = rules
        .unwrap()
        .iter()
        .map(|rule| {
            let configuration = &rule["defaultConfiguration"];
            let level = match configuration["enabled"].as_bool() {
                Some(false) => "off",
                _ => configuration["level"].as_str().unwrap(),
            };
            format!("| `{}` | {level} |", rule["id"].as_str().unwrap())
        })
        .collect();
    let page = Page::of("assets/guide/problems.md");
    let rows = page.marked("rules").lines().skip(2);
    let shown: Vec<String> = rows.map(|row| row.split_inclusive('|').take(3).collect()).collect();
    assert_eq!(shown, declared);
}

#[test]
fn settings_on_every_page_are_understood() {
    // The settings of a user are in another file; a unit test reads that example.
    let pages = pages().into_iter();
    for page in pages.filter(|page| !page.path.ends_with("settings.md")) {
        for block in page.blocks(&["toml"]) {
            let project = Project::new(&[("retake.toml", block), ("fixtures/a.json", "{}")]);
            let report = project.run(&["check", "fixtures", "retake.toml", "--json"]);
            let problems = report.json();
            let problems = problems["problems"].as_array().unwrap();
            // The files of an example do not exist.
            let is_wrong = |problem: &&serde_json::Value| {
                problem["path"] == "retake.toml" && problem["rule"] != "format-mismatch"
            };
            let in_settings: Vec<_> = problems.iter().filter(is_wrong).collect();
            assert!(in_settings.is_empty(), "{:?}: {in_settings:?}", page.path);
        }
    }
}

/// Appends the text of every source file in a folder.
fn read_sources(folder: &Path, sources: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            *sources += &fs::read_to_string(&path).unwrap();
        }
    }
}

/// Returns the texts in italics, which are labels of the window.
fn labels(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let outside_code: String = prose.split('`').step_by(2).collect();
    let plain = outside_code.replace("**", "");
    let italics = plain.split('*').skip(1).step_by(2);
    italics.map(|label| label.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn every_label_in_italics_is_a_label_of_the_program() {
    let mut sources = String::new();
    read_sources(&checkout().join("src"), &mut sources);
    let mut wrong = Vec::new();
    for page in pages() {
        for label in labels(&page) {
            // The whole text, or a verb before a number such as `Restamp {}…`.
            let literals = [format!("\"{label}\""), format!("\"{label} {{}}")];
            if !literals.iter().any(|literal| sources.contains(literal)) {
                wrong.push(format!("{}: {label}", page.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The id that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut wrong = Vec::new();
    for page in pages() {
        let prose = page.prose();
        let targets = prose.split("](").skip(1);
        for target in targets.map(|rest| rest.split(')').next().unwrap()) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = page.path.parent().unwrap();
            let path = match file {
                "" => checkout().join(&page.path),
                file => checkout().join(folder).join(file),
            };
            let leads = match fs::read_to_string(&path) {
                _ if heading.is_empty() => path.exists(),
                Ok(text) => {
                    let mut lines = text.lines().filter(|line| line.starts_with('#'));
                    lines.any(|line| anchor(line.trim_start_matches('#').trim()) == heading)
                }
                Err(_) => false,
            };
            if !leads {
                wrong.push(format!("{}: {target}", page.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_picture_is_used_and_small() {
    let prose: String = pages().iter().map(Page::prose).collect();
    for entry in fs::read_dir(checkout().join("assets/screenshots")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.ends_with(".png") {
            assert!(prose.contains(&format!("screenshots/{name})")), "{name}");
            assert!(entry.metadata().unwrap().len() <= 150_000, "{name}");
        }
    }
}
