//! The versions of a machine in histories whose true commits are known: which recordings each one broke.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::project::{Project, RandomNumbers, recording_offering};

/// A task of the generated machine. Its prompt stays the same when it is renamed.
#[derive(Clone)]
struct TrueTask {
    prompt: usize,
    name: String,
    /// The tasks that it leads to.
    ways: Vec<usize>,
}

/// A recording, and since when it does not match.
#[derive(Clone)]
struct TrueRecording {
    text: String,
    task: usize,
    tools: Vec<String>,
    /// The subject of the commit after which it stopped matching; `recorded` for one that never did.
    broke: Option<String>,
}

/// The state of a branch.
#[derive(Clone)]
struct Branch {
    tasks: Vec<TrueTask>,
    recordings: BTreeMap<String, TrueRecording>,
    comment: usize,
    file: String,
    /// The mark of its last commit.
    mark: usize,
}

/// Commits as input of `git fast-import`.
struct History {
    numbers: RandomNumbers,
    stream: String,
    marks: usize,
    made: usize,
}

impl Branch {
    fn machine(&self) -> String {
        let mut text = format!("machine \"Generated\"\n// Comment {}\n", self.comment);
        for task in &self.tasks {
            let _ = writeln!(text, "task {} {{ prompt: \"Do {}\"; }}", task.name, task.prompt);
        }
        for task in &self.tasks {
            for way in &task.ways {
                let _ = writeln!(text, "{} -> {};", task.name, self.tasks[*way].name);
            }
        }
        text
    }

    /// What a request of a task offers.
    fn offered(&self, task: usize) -> Vec<String> {
        let ways = self.tasks[task].ways.iter();
        let mut tools: Vec<String> =
            ways.map(|way| format!("transition_to_{}", self.tasks[*way].name)).collect();
        tools.sort();
        tools
    }

    fn record(&mut self, name: &str, task: usize, tools: Vec<String>, is_right: bool) {
        let names: Vec<&str> = tools.iter().map(String::as_str).collect();
        let mut value = recording_offering(name, &names);
        let node = &self.tasks[task].name;
        value["request"]["messages"][0]["content"] =
            json!(format!("# Position\n- **Node**: {node}\n\nRecorded {}", self.comment));
        let hash = Sha256::digest(self.machine());
        let hash: String = if is_right {
            hash.iter().map(|byte| format!("{byte:02x}")).collect()
        } else {
            "0".repeat(64)
        };
        value["sourceMetadata"] = json!({"sourceFile": self.file, "contentHash": hash});
        let recording = TrueRecording {
            text: serde_json::to_string_pretty(&value).unwrap(),
            task,
            tools,
            broke: (!is_right).then(|| "recorded".to_owned()),
        };
        self.recordings.insert(name.to_owned(), recording);
    }

    /// Notes which recordings stopped matching with a commit, and which match again.
    fn settle(&mut self, subject: &str) {
        let offered: Vec<_> = (0..self.tasks.len()).map(|it| self.offered(it)).collect();
        for recording in self.recordings.values_mut() {
            let is_right = recording.tools == offered[recording.task];
            match &recording.broke {
                None if !is_right => recording.broke = Some(subject.to_owned()),
                Some(origin) if is_right && origin != "recorded" => recording.broke = None,
                _ => {}
            }
        }
    }
}

impl History {
    fn next(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// Commits a branch, on its last commit and on those that are merged.
    fn commit(&mut self, branch: &mut Branch, subject: &str, merged: &[usize]) {
        self.marks += 1;
        let _ = write!(
            self.stream,
            "commit refs/heads/main\nmark :{}\ncommitter A <a@example.org> {} +0000\ndata {}\n{subject}\n",
            self.marks,
            1_767_225_600 + self.marks * 3600,
            subject.len()
        );
        if branch.mark > 0 {
            let _ = writeln!(self.stream, "from :{}", branch.mark);
        }
        for mark in merged {
            let _ = writeln!(self.stream, "merge :{mark}");
        }
        self.stream.push_str("deleteall\n");
        let machine = (branch.file.clone(), branch.machine());
        let set = branch.recordings.iter();
        let set = set.map(|(name, it)| (format!("set/{name}.json"), it.text.clone()));
        for (path, text) in std::iter::once(machine).chain(set) {
            let length = text.len();
            let _ = writeln!(self.stream, "M 100644 inline {path}\ndata {length}\n{text}");
        }
        branch.mark = self.marks;
        branch.settle(subject);
    }

    /// Changes the machine or the set in one way.
    fn change(&mut self, branch: &mut Branch) {
        let task = self.numbers.below(branch.tasks.len());
        match self.numbers.below(7) {
            0 => branch.comment = self.next(),
            1 => branch.tasks[task].name = format!("task{}", self.next()),
            2 => {
                let to = self.numbers.below(branch.tasks.len());
                if !branch.tasks[task].ways.contains(&to) {
                    branch.tasks[task].ways.push(to);
                }
            }
            3 if branch.tasks[task].ways.len() > 2 => {
                branch.tasks[task].ways.pop();
            }
            4 => {
                let (name, tools) = (format!("rec{}", self.next()), branch.offered(task));
                branch.record(&name, task, tools, true);
            }
            5 => {
                // Recorded with a version that was never committed.
                let name = format!("rec{}", self.next());
                branch.record(&name, task, vec!["transition_to_lost".to_owned()], false);
            }
            _ => {
                let at = self.numbers.below(branch.recordings.len());
                let (name, known) = branch.recordings.iter().nth(at).unwrap();
                let (name, task) = (name.clone(), known.task);
                let tools = branch.offered(task);
                branch.record(&name, task, tools, true);
            }
        }
    }
}

/// Writes a repository with a history, and returns its last state.
fn write_history(project: &Project, seed: u64) -> Branch {
    let mut history =
        History { numbers: RandomNumbers(seed), stream: String::new(), marks: 0, made: 0 };
    let tasks = (0..4).map(|prompt| TrueTask {
        prompt,
        name: format!("start{prompt}"),
        ways: vec![(prompt + 1) % 4, (prompt + 2) % 4],
    });
    let mut branch = Branch {
        tasks: tasks.collect(),
        recordings: BTreeMap::new(),
        comment: 0,
        file: "machine.dygram".to_owned(),
        mark: 0,
    };
    for task in 0..4 {
        let tools = branch.offered(task);
        branch.record(&format!("first{task}"), task, tools, true);
    }
    history.commit(&mut branch, "c0", &[]);
    for number in 1..14 {
        let subject = format!("c{number}");
        if number == 7 {
            // One side changes the machine, the other only the beginning of a comment.
            let mut other = branch.clone();
            for step in 0..2 {
                history.change(&mut other);
                history.commit(&mut other, &format!("side{step}"), &[]);
            }
            branch.comment = history.next();
            history.commit(&mut branch, &subject, &[]);
            let (main, side) = (branch.mark, other.mark);
            other.mark = main;
            branch = other;
            history.commit(&mut branch, "merge", &[side]);
        } else if number == 10 {
            branch.file = "renamed.dygram".to_owned();
            history.commit(&mut branch, &subject, &[]);
        } else {
            history.change(&mut branch);
            history.commit(&mut branch, &subject, &[]);
        }
    }
    project.git(&["init", "-q", "-b", "main"]);
    let mut import = Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(project.path(""))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(history.stream.as_bytes()).unwrap();
    drop(input);
    assert!(import.wait().unwrap().success());
    project.git(&["reset", "-q", "--hard"]);
    branch
}

/// For each recording the newest commit that broke it, as the slider of the map marks them.
fn marked(project: &Project) -> BTreeMap<String, String> {
    let document = project.run(&["list", "set", "--coverage", "--json"]).json();
    let [machine] = document["coverage"].as_array().unwrap().as_slice() else {
        panic!("one machine: {document}");
    };
    let now = &machine["versions"].as_array().unwrap().last().unwrap()["commit"]["subject"];
    assert!(now.is_string(), "the last version is committed");
    let mut marked = BTreeMap::new();
    for version in machine["versions"].as_array().unwrap() {
        let subject = version["commit"]["subject"].as_str().unwrap();
        for path in version["broke"].as_array().unwrap() {
            let path = path.as_str().unwrap();
            let name = path.strip_prefix("set/").unwrap().trim_end_matches(".json");
            marked.insert(name.to_owned(), subject.to_owned());
        }
    }
    marked
}

#[test]
fn each_recording_stopped_matching_with_the_commit_that_broke_it() {
    let mut origins = BTreeMap::new();
    for seed in 0..50 {
        let project = Project::new(&[(".gitignore", "/state\n")]);
        let branch = write_history(&project, seed);
        let recordings = branch.recordings.iter();
        let truth: BTreeMap<_, _> =
            recordings.map(|(name, it)| (name.clone(), it.broke.clone())).collect();
        let marked = marked(&project);
        for (name, origin) in &truth {
            if let Some(origin) = origin.as_ref().filter(|it| *it != "recorded") {
                assert_eq!(marked.get(name), Some(origin), "seed {seed}, {name}");
            }
        }
        for origin in truth.into_values().flatten() {
            *origins.entry(origin).or_insert(0) += 1;
        }
    }
    // Each kind of origin is met.
    for origin in ["recorded", "c5", "side1", "c13"] {
        assert!(origins.contains_key(origin), "{origin}: {origins:?}");
    }
}
