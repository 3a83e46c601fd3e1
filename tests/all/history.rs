//! The sources of recordings in a history as projects have it: renamed, copied, deleted, merged, with other line ends, and
//! cut off.

use std::fmt::Write as _;

use calls::source::content_hash;
use serde_json::Value;

use crate::project::{Project, recording, stamped};

/// A repository that grows commit by commit, with recordings that are made from its sources on the way.
struct Story {
    project: Project,
    commits: usize,
    /// The source and its text, as each recording knew them.
    made: Vec<(String, Vec<u8>)>,
}

/// What `retake source` answers for a recording.
struct LocatedSource {
    /// `work tree`, the commit by its message, or the reason why there is none.
    place: String,
    /// Where it was; empty if it is not found.
    path: String,
    /// Whether the text is the one that the recording was made from.
    is_right: bool,
}

impl Story {
    fn new() -> Self {
        let project = Project::new(&[(".gitignore", "/set\n/state\n/shallow\n")]);
        project.git(&["init", "-q", "-b", "main"]);
        Self { project, commits: 0, made: Vec::new() }
    }

    fn write(&self, path: &str, text: &str) {
        self.project.write(path, text);
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.project.git_on(Some(self.commits), arguments)
    }

    /// Commits everything, with its number as message.
    fn commit(&mut self) {
        self.commits += 1;
        self.git(&["add", "-A"]);
        let message = format!("c{}", self.commits);
        self.git(&["commit", "-q", "-m", &message]);
    }

    /// Makes a recording from a source as it is now.
    fn record(&mut self, source: &str) {
        let text = std::fs::read(self.project.path(source)).unwrap();
        let name = self.name(self.made.len());
        let stamp = stamped(source, &content_hash(&text));
        self.write(&format!("set/{name}"), &recording(&name, &stamp));
        self.made.push((source.to_owned(), text));
    }

    fn write_commit_and_record(&mut self, path: &str, text: &str) {
        self.write(path, text);
        self.commit();
        self.record(path);
    }

    fn name(&self, number: usize) -> String {
        format!("{number:02}.json")
    }

    /// The messages of commits, by the beginning of their hashes.
    fn by_messages(&self, text: &str) -> String {
        let log = self.git(&["log", "--all", "--format=%H %s"]);
        let mut text = text.to_owned();
        for (id, message) in log.lines().filter_map(|line| line.split_once(' ')) {
            text = text.replace(id, message).replace(&id[..7], message);
        }
        text
    }

    /// What `retake` prints about the recording with this number, in a clone of this repository in a folder.
    fn locate_source(&self, folder: &str, number: usize) -> LocatedSource {
        let path = format!("{folder}set/{}", self.name(number));
        let answer = self.project.run(&["source", &path, "--json"]).json();
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let made = String::from_utf8(self.made[number].1.clone()).unwrap();
        LocatedSource {
            place: match answer["where"].as_str() {
                Some("git") => self.by_messages(&text("commit")),
                Some(place) => place.to_owned(),
                None => text("reason"),
            },
            path: text("path"),
            is_right: text("text") == made,
        }
    }

    /// Where the text of each recording is found, and what is wrong with its source.
    fn printed(&self) -> String {
        let check = self.project.run(&["check", "set", "--format", "json"]).json();
        let list = self.project.run(&["list", "set", "--json"]).json();
        let status = |name: &str| {
            let items = list["items"].as_array().unwrap().iter();
            let mut items = items.filter(|item| item["path"] == *name);
            items.next().unwrap()["source"]["status"].clone()
        };
        let mut printed = String::new();
        for (number, (source, _)) in self.made.iter().enumerate() {
            let name = format!("set/{}", self.name(number));
            let then = self.locate_source("", number);
            assert!(then.is_right, "{name} of {source}: {}", then.place);
            let (status, place, path) = (status(&name), then.place, then.path);
            let status = status.as_str().unwrap();
            let line = format!("{number:2} {source:19} {status:12} {place:12} {path}");
            let _ = writeln!(printed, "{}", line.trim_end());
            for problem in problems(&check, &name) {
                let _ = writeln!(printed, "     {}", self.by_messages(&problem));
            }
        }
        printed
    }
}

/// What `retake check` says of a recording's source, without hashes.
fn problems(check: &Value, path: &str) -> Vec<String> {
    let problems = check["problems"].as_array().unwrap().iter();
    let problems = problems.filter(|problem| {
        let rule = problem["rule"].as_str().unwrap();
        problem["path"] == *path && rule.starts_with("source-")
    });
    let message = |problem: &Value| {
        let message = problem["message"].as_str().unwrap();
        let start = message.find("there is no").unwrap_or_default();
        let ends = ["; recorded", ": recorded", ". Recorded"];
        let end = ends.iter().find_map(|end| message.find(end));
        message[start..end.unwrap_or(message.len())].to_owned()
    };
    problems.map(message).collect()
}

/// A machine with the given number of nodes, which a word names.
fn machine(word: &str, nodes: usize) -> String {
    let mut text = format!("machine \"{word}\"\n");
    for node in 0..nodes {
        let _ = writeln!(text, "{word}{node} -> {word}{};", node + 1);
    }
    text
}

/// Twenty commits and more.
fn story() -> Story {
    let mut story = Story::new();
    story.write("machines/b.dygram", &machine("b", 6));
    story.write_commit_and_record("machines/a.dygram", &machine("a", 6));
    story.record("machines/b.dygram");
    story.write_commit_and_record("machines/a.dygram", &machine("a", 7));

    // Moved as it is, and changed afterwards.
    std::fs::create_dir(story.project.path("agents")).unwrap();
    story.git(&["mv", "machines/a.dygram", "agents/a.dygram"]);
    story.commit();
    story.record("agents/a.dygram");
    story.write_commit_and_record("agents/a.dygram", &machine("a", 9));
    // Moved and changed at once.
    story.git(&["mv", "machines/b.dygram", "machines/b2.dygram"]);
    story.write_commit_and_record("machines/b2.dygram", &machine("b", 8));

    // A copy that goes its own way, is deleted, and comes back as something else.
    story.write("agents/copy.dygram", &machine("a", 9));
    story.commit();
    story.record("agents/copy.dygram");
    story.write_commit_and_record("agents/copy.dygram", &machine("a", 12));
    std::fs::remove_file(story.project.path("agents/copy.dygram")).unwrap();
    story.commit();
    story.write_commit_and_record("agents/copy.dygram", &machine("z", 3));

    // Line ends that are committed as they are, to and fro.
    let crlf = |text: String| text.replace('\n', "\r\n");
    story.write_commit_and_record("machines/ends.dygram", &crlf(machine("e", 3)));
    story.write_commit_and_record("machines/ends.dygram", &machine("e", 4));
    story.write_commit_and_record("machines/ends.dygram", &crlf(machine("e", 5)));
    // Line ends that git changes: the work tree has others than the commit.
    story.write("eol/.gitattributes", "*.dygram text eol=crlf\n");
    story.write("eol/x.dygram", &machine("x", 3));
    story.commit();
    std::fs::remove_file(story.project.path("eol/x.dygram")).unwrap();
    story.git(&["checkout", "-q", "--", "eol/x.dygram"]);
    story.record("eol/x.dygram");
    story.write_commit_and_record("eol/x.dygram", &crlf(machine("x", 4)));

    // One branch is merged, another one is not.
    story.git(&["checkout", "-q", "-b", "side"]);
    story.write_commit_and_record("agents/a.dygram", &machine("a", 10));
    story.git(&["checkout", "-q", "main"]);
    story.write_commit_and_record("machines/b2.dygram", &machine("b", 9));
    story.commits += 1;
    story.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    story.record("agents/a.dygram");
    story.git(&["checkout", "-q", "-b", "other"]);
    story.write_commit_and_record("machines/b2.dygram", &machine("other", 5));
    story.git(&["checkout", "-q", "main"]);

    // One that was deleted, and one that was moved again since the merge.
    story.write_commit_and_record("machines/gone.dygram", &machine("g", 4));
    std::fs::remove_file(story.project.path("machines/gone.dygram")).unwrap();
    story.commit();
    story.git(&["mv", "agents/a.dygram", "agents/first.dygram"]);
    story.commit();
    story.write_commit_and_record("agents/first.dygram", &machine("a", 11));
    assert!(story.commits >= 20);
    story
}

#[test]
fn each_recording_finds_its_source_as_it_was_and_what_became_of_it() {
    insta::assert_snapshot!(story().printed(), @"
     0 machines/a.dygram   renamed      c1           machines/a.dygram
         there is no `machines/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `00.json` was recorded. No node offers these tools today: `transition_to_b`
     1 machines/b.dygram   renamed      c4           machines/b.dygram
         there is no `machines/b.dygram`, and it was moved and changed, now machines/b2.dygram (moved there in commit c5)
         machines/b2.dygram has changed since `01.json` was recorded. No node offers these tools today: `transition_to_b`
     2 machines/a.dygram   renamed      c2           machines/a.dygram
         there is no `machines/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `02.json` was recorded. No node offers these tools today: `transition_to_b`
     3 agents/a.dygram     renamed      c3           agents/a.dygram
         there is no `agents/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `03.json` was recorded. No node offers these tools today: `transition_to_b`
     4 agents/a.dygram     renamed      c16          agents/a.dygram
         there is no `agents/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `04.json` was recorded. No node offers these tools today: `transition_to_b`
     5 machines/b2.dygram  stale        c15          machines/b2.dygram
         machines/b2.dygram has changed since `05.json` was recorded. No node offers these tools today: `transition_to_b`
     6 agents/copy.dygram  stale        c6           agents/copy.dygram
         agents/copy.dygram has changed since `06.json` was recorded. No node offers these tools today: `transition_to_b`
     7 agents/copy.dygram  stale        c7           agents/copy.dygram
         agents/copy.dygram has changed since `07.json` was recorded. No node offers these tools today: `transition_to_b`
     8 agents/copy.dygram  fresh        working-tree agents/copy.dygram
     9 machines/ends.dygram stale        c10          machines/ends.dygram
         machines/ends.dygram has changed since `09.json` was recorded. No node offers these tools today: `transition_to_b`
    10 machines/ends.dygram stale        c11          machines/ends.dygram
         machines/ends.dygram has changed since `10.json` was recorded. No node offers these tools today: `transition_to_b`
    11 machines/ends.dygram fresh        working-tree machines/ends.dygram
    12 eol/x.dygram        stale        c13          eol/x.dygram
         eol/x.dygram has changed since `12.json` was recorded. No node offers these tools today: `transition_to_b`
    13 eol/x.dygram        fresh        working-tree eol/x.dygram
    14 agents/a.dygram     renamed      c21          agents/first.dygram
         there is no `agents/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `14.json` was recorded. No node offers these tools today: `transition_to_b`
    15 machines/b2.dygram  fresh        working-tree machines/b2.dygram
    16 agents/a.dygram     renamed      c21          agents/first.dygram
         there is no `agents/a.dygram`, and it was moved and changed, now agents/first.dygram (moved there in commit c21)
         agents/first.dygram has changed since `16.json` was recorded. No node offers these tools today: `transition_to_b`
    17 machines/b2.dygram  stale        c18          machines/b2.dygram
         machines/b2.dygram has changed since `17.json` was recorded. No node offers these tools today: `transition_to_b`
    18 machines/gone.dygram missing      c19          machines/gone.dygram
         there is no `machines/gone.dygram` below the project root or above the recording, it was deleted in commit c20
    19 agents/first.dygram fresh        working-tree agents/first.dygram
    ");
}

#[test]
fn what_is_not_committed_yet_is_followed_too() {
    let mut story = Story::new();
    story.write_commit_and_record("a.dygram", &machine("a", 6));
    story.write_commit_and_record("a.dygram", &machine("a", 7));
    std::fs::rename(story.project.path("a.dygram"), story.project.path("b.dygram")).unwrap();
    story.write("b.dygram", &machine("a", 8));
    story.write("c.dygram", &machine("c", 8));
    insta::assert_snapshot!(story.printed(), @"
    0 a.dygram            renamed      c1           a.dygram
        there is no `a.dygram`, and it was moved and changed, now b.dygram
        b.dygram has changed since `00.json` was recorded. No node offers these tools today: `transition_to_b`
    1 a.dygram            renamed      c2           a.dygram
        there is no `a.dygram`, and it was moved and changed, now b.dygram
        b.dygram has changed since `01.json` was recorded. No node offers these tools today: `transition_to_b`
    ");
}

#[test]
fn several_that_go_on_with_a_source_are_offered_and_none_is_chosen() {
    let mut story = Story::new();
    story.write_commit_and_record("a.dygram", &machine("a", 6));
    std::fs::remove_file(story.project.path("a.dygram")).unwrap();
    story.write("b.dygram", &machine("a", 7));
    story.write("c.dygram", &machine("a", 8));
    story.commit();
    insta::assert_snapshot!(story.printed(), @"
    0 a.dygram            renamed      c1           a.dygram
        there is no `a.dygram`, and it was moved and changed, now b.dygram (moved there in commit c2) and c.dygram (moved there in commit c2)
    ");
    let list = story.project.run(&["list", "set", "--json"]).json();
    assert_eq!(list["items"][0]["source"]["affected"], Value::Null);
}

#[test]
fn a_history_that_is_cut_off_says_so_and_how_to_get_the_rest() {
    let story = story();
    let url = format!("file://{}", story.project.path("").display());
    story.git(&["clone", "-q", "--depth", "3", &url, "shallow"]);
    let found = |story: &Story| -> Vec<bool> {
        let found = (0..story.made.len()).map(|number| {
            let name = story.name(number);
            let recording = std::fs::read(story.project.path(&format!("set/{name}"))).unwrap();
            story.project.write(&format!("shallow/set/{name}"), recording);
            let then = story.locate_source("shallow/", number);
            assert!(
                then.is_right || then.place.contains("`git fetch --unshallow` fetches the rest"),
                "{name}: {}",
                then.place
            );
            then.is_right
        });
        found.collect()
    };
    let before = found(&story);
    assert!(before.contains(&true) && before.contains(&false), "{before:?}");
    story.git(&["-C", "shallow", "remote", "set-branches", "origin", "*"]);
    story.git(&["-C", "shallow", "fetch", "-q", "--unshallow"]);
    let after = found(&story);
    assert!(after.iter().all(|is_found| *is_found), "{after:?}");
}

#[test]
fn a_source_that_git_ignores_is_found_in_the_code_block_it_was_extracted_from() {
    let guide = |label: &str| {
        format!(
            "# Guide\n\nText.\n\n```dygram examples/a.dygram\nmachine \"A\"\na -{label}-> b;\n```\n\nMore.\n"
        )
    };
    let source = |label: &str| format!("machine \"A\"\na -{label}-> b;\n");
    let mut story = Story::new();
    story.write(".gitignore", "/set\n/state\n/examples\n");
    story.write("docs/guide.md", &guide("then"));
    story.write("examples/a.dygram", &source("then"));
    story.commit();
    story.record("examples/a.dygram");
    let header = "// do not edit, automatically extracted from docs/guide.md lines 5-8.\n";
    let headed = format!("{header}{}", source("then").trim_end());
    story.write("examples/a.dygram", &headed);
    story.record("examples/a.dygram");
    story.write("docs/guide.md", &guide("now"));
    story.write("examples/a.dygram", &source("now"));
    story.commit();
    for number in [0, 1] {
        let then = story.locate_source("", number);
        assert!(then.is_right, "{}", then.place);
        assert_eq!((&*then.place, &*then.path), ("c1", "docs/guide.md"));
    }
    let run = story.project.run(&["source", "set/00.json"]);
    assert_eq!(run.stdout, source("then"));
    assert!(run.stderr.contains("docs/guide.md:5, in a code block"), "{}", run.stderr);
    let answer = story.project.run(&["source", "set/00.json", "--json"]);
    assert_eq!(answer.json()["line"], 5);
}

#[test]
fn a_source_that_was_stamped_and_that_git_ignores_is_found_after_it_changed() {
    let mut story = Story::new();
    story.write(".gitignore", "/set\n/state\n/examples\n");
    story.commit();
    let (then, now) = ("machine \"A\"\na -> b;\n", "machine \"A\"\na -> c;\n");
    story.write("examples/a.dygram", then);
    story.write("set/turn-1.json", &recording("req-1", ""));
    let stamp = ["stamp", "set", "--source", "examples/a.dygram"];
    let dry = story.project.run(&[&stamp[..], &["--dry-run"]].concat());
    assert_eq!(dry.code, Some(0), "{}", dry.stderr);
    assert!(!story.project.path("state").exists());
    let mut off = story.project.command(&stamp);
    assert!(
        off.env("RETAKE_NO_SNAPSHOTS", "1")
            .env("RETAKE_NO_UNDO", "1")
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(!story.project.path("state").exists());
    // To stamp again writes nothing, and keeps a copy.
    assert_eq!(story.project.run(&stamp).code, Some(0));
    story.write("examples/a.dygram", now);
    let answer = story.project.run(&["source", "set/turn-1.json", "--json"]).json();
    assert_eq!(
        (&answer["where"], &answer["text"], &answer["current_text"]),
        (&"snapshot".into(), &then.into(), &now.into())
    );
}
