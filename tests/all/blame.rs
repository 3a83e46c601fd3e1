//! `retake blame` over histories whose true commits are known.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::project::{Project, RandomNumbers, recording};

/// A call of the generated cassette, with the commits that its parts are of.
#[derive(Clone, PartialEq)]
struct TrueCall {
    name: usize,
    prompt: usize,
    reply: usize,
    answer: String,
    request: String,
}

/// A cassette in a repository that grows commit by commit.
struct Story {
    project: Project,
    numbers: RandomNumbers,
    calls: Vec<TrueCall>,
    commits: usize,
    /// How many calls, prompts and replies there were.
    made: usize,
    file: String,
}

impl Story {
    fn new(seed: u64) -> Self {
        let project = Project::new(&[(".gitignore", "/state\n")]);
        project.git(&["init", "-q", "-b", "main"]);
        Self {
            project,
            numbers: RandomNumbers(seed),
            calls: Vec::new(),
            commits: 0,
            made: 0,
            file: "tests/cassettes/refund.yaml".to_owned(),
        }
    }

    fn next(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// The subject of the next commit.
    fn subject(&self) -> String {
        format!("c{}", self.commits + 1)
    }

    /// Writes the cassette as if it was recorded again: with other ids, times and numbers of tokens.
    fn write(&mut self) {
        let noise = self.numbers.below(90_000_000) + 10_000_000;
        let calls = self.calls.iter().map(|call| {
            let sent = json!({"model": "m", "messages": [
                {"role": "system", "content": format!("You are agent {}.", call.name)},
                {"role": "user", "content": format!("Prompt {}", call.prompt)},
            ]});
            let received = json!({
                "id": format!("chatcmpl-{noise}"), "object": "chat.completion", "created": noise, "model": "m",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": format!("Reply {}", call.reply)}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": noise, "completion_tokens": 2},
            });
            let quoted = |value: &Value| format!("'{}'", value.to_string().replace('\'', "''"));
            format!(
                "- request:\n    body: {}\n    headers:\n      x-request-id:\n      - req_{noise}\n    method: POST\n    \
                 uri: https://api.openai.com/v1/chat/completions\n  response:\n    body:\n      string: {}\n    \
                 headers:\n      request-id:\n      - req_{noise}\n    status:\n      code: 200\n      message: OK\n",
                quoted(&sent), quoted(&received)
            )
        });
        let text = format!("interactions:\n{}version: 1\n", calls.collect::<String>());
        self.project.write(&self.file, text);
    }

    fn commit(&mut self) {
        self.commits += 1;
        self.project.git(&["add", "-A"]);
        let message = format!("c{}", self.commits);
        let arguments = ["commit", "-q", "--allow-empty", "-m", &message];
        self.project.git_on(Some(self.commits), &arguments);
    }

    fn add(&mut self) {
        let (name, prompt, reply) = (self.next(), self.next(), self.next());
        let subject = self.subject();
        let call = TrueCall { name, prompt, reply, answer: subject.clone(), request: subject };
        let at = self.numbers.below(self.calls.len() + 1);
        self.calls.insert(at, call);
    }

    fn answer_again(&mut self) {
        let (at, reply, subject) =
            (self.numbers.below(self.calls.len()), self.next(), self.subject());
        self.calls[at].reply = reply;
        self.calls[at].answer = subject;
    }

    fn change(&mut self) {
        match self.numbers.below(8) {
            // Only noise.
            0 => {}
            1 => {
                let [a, b] = [(); 2].map(|()| self.numbers.below(self.calls.len()));
                self.calls.swap(a, b);
            }
            2 => self.add(),
            3 if self.calls.len() > 3 => {
                let at = self.numbers.below(self.calls.len());
                self.calls.remove(at);
            }
            4 => {
                let (at, prompt, subject) =
                    (self.numbers.below(self.calls.len()), self.next(), self.subject());
                self.calls[at].prompt = prompt;
                self.calls[at].request = subject;
            }
            _ => self.answer_again(),
        }
    }

    /// Answers calls again on two branches, and merges them: the first half of the calls is of one, the second of the other.
    fn merge(&mut self, number: usize) {
        let branch = format!("branch{number}");
        let middle = self.calls.len() / 2;
        let before = self.calls.clone();
        self.project.git(&["checkout", "-q", "-b", &branch]);
        let reply = self.next();
        self.calls[middle].answer = self.subject();
        self.calls[middle].reply = reply;
        self.write();
        self.commit();
        let other = std::mem::replace(&mut self.calls, before);
        self.project.git(&["checkout", "-q", "main"]);
        let reply = self.next();
        self.calls[0].answer = self.subject();
        self.calls[0].reply = reply;
        self.write();
        self.commit();
        self.project.git(&["merge", "-q", "--no-commit", "-s", "ours", &branch]);
        self.calls.truncate(middle);
        self.calls.extend_from_slice(&other[middle..]);
        self.write();
        self.commit();
    }

    /// The answer and the request of each call, by the subjects of their commits.
    fn blame(&self) -> Vec<[String; 2]> {
        let document = self.project.run(&["blame", &self.file, "--json"]).json();
        let subject =
            |commit: &Value| commit["subject"].as_str().unwrap_or("not committed").to_owned();
        let calls = document["calls"].as_array().unwrap().iter();
        calls.map(|call| [subject(&call["answer"]), subject(&call["request"])]).collect()
    }

    fn truth(&self) -> Vec<[String; 2]> {
        self.calls.iter().map(|call| [call.answer.clone(), call.request.clone()]).collect()
    }
}

#[test]
fn each_call_is_of_the_commit_that_changed_it() {
    for seed in [1, 7] {
        let mut story = Story::new(seed);
        for _ in 0..5 {
            story.add();
        }
        story.write();
        story.commit();
        while story.commits < 60 {
            match story.commits {
                20 => {
                    // What is beside the file does not matter, and it is found under its old name.
                    story.project.write("other.txt", "x");
                    story.commit();
                    story.project.git(&["mv", &story.file, "tests/renamed.yaml"]);
                    story.file = "tests/renamed.yaml".to_owned();
                    story.commit();
                }
                number if number % 17 == 0 => story.merge(number),
                _ => {
                    story.change();
                    story.write();
                    story.commit();
                }
            }
            if story.commits.is_multiple_of(10) {
                assert_eq!(story.blame(), story.truth(), "seed {seed}, c{}", story.commits);
            }
        }
        story.project.git(&["gc", "-q"]);
        assert_eq!(story.blame(), story.truth(), "seed {seed}, packed");
        story.answer_again();
        story
            .calls
            .iter_mut()
            .filter(|call| call.answer == "c61")
            .for_each(|call| call.answer = "not committed".to_owned());
        story.write();
        let truth = story.truth();
        assert_eq!(story.blame(), truth, "seed {seed}, not committed");
        let is_open = |parts: &&[String; 2]| parts[0] == "not committed";
        assert_eq!(truth.iter().filter(is_open).count(), 1);
    }
}

/// A recording that was recorded twice, with a commit that changes only ids between.
fn small() -> Project {
    let project =
        Project::new(&[(".gitignore", "/state\n"), ("set/turn-1.json", &recording("req-1", ""))]);
    project.git(&["init", "-q", "-b", "main"]);
    let commit = |day: usize, text: String, subject: &str| {
        project.write("set/turn-1.json", text);
        project.git(&["add", "-A"]);
        project.git_on(Some(day), &["commit", "-q", "-m", subject]);
    };
    let first = recording("req-1", "");
    commit(1, first.clone(), "Record the first turn");
    commit(2, first.replace("req-1", "req-2"), "Record again, nothing changed");
    commit(3, first.replace("Hello", "Good morning"), "Greet in another way");
    project
}

#[test]
fn a_line_names_the_commit_and_a_second_one_that_of_the_request() {
    let project = small();
    let ids = project.git(&["log", "--format=%s %h", "--abbrev=7"]);
    let ids: HashMap<&str, &str> = ids.lines().filter_map(|line| line.rsplit_once(' ')).collect();
    let (first, last) = (ids["Record the first turn"], ids["Greet in another way"]);
    let run = project.run(&["blame", "set/turn-1.json"]);
    let expected = format!(
        "1          {first}  2026-01-02  A  Record the first turn\n1 request  {last}  2026-01-04  A  Greet in another way\n"
    );
    assert_eq!((run.code, run.stdout), (Some(0), expected));
    assert_eq!(project.run(&["blame", "set/turn-1.json:1"]).code, Some(0));

    project.write("set/turn-1.json", recording("req-3", ""));
    let run = project.run(&["blame", "set/turn-1.json"]);
    let expected = format!(
        "1          {first}  2026-01-02  A  Record the first turn\n1 request  not committed\n"
    );
    assert_eq!((run.code, run.stdout), (Some(0), expected));
    project.write("set/turn-2.json", recording("req-3", ""));
    assert_eq!(project.run(&["blame", "set/turn-2.json"]).stdout, "1  not committed\n");

    project.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &format!("file://{}", project.path("").display()),
        "state/shallow",
    ]);
    let run = project.run(&["blame", "state/shallow/set/turn-1.json"]);
    let line = format!(
        "1  {last}  2026-01-04  A  Greet in another way (or earlier: the history ends here)\n"
    );
    assert_eq!((run.code, run.stdout), (Some(0), line));
}

#[test]
fn what_has_no_commits_is_reported() {
    let project = small();
    project.write("set/note.json", "{}");
    let message = |arguments: &[&str]| {
        let run = project.run(arguments);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{arguments:?}");
        run.stderr
    };
    let checked = [
        (
            vec!["blame", "set/none.json"],
            "retake: No file or folder at set/none.json; paths are relative to the current folder\n",
        ),
        (vec!["blame", "set"], "retake: Expected a file, found a folder: set\n"),
        (vec!["blame", "set/turn-1.json:2"], "retake: set/turn-1.json has no call 2; it has 1\n"),
        (
            vec!["blame", "set/turn-1.json:0"],
            "retake: set/turn-1.json has no call 0; the first is 1\n",
        ),
        (
            vec!["blame", "set/note.json"],
            "retake: Expected a file with calls of models, found one of kind unknown: set/note.json\n",
        ),
    ];
    for (arguments, expected) in checked {
        assert_eq!(message(&arguments), expected);
    }
    std::fs::remove_dir_all(project.path(".git")).unwrap();
    assert_eq!(
        message(&["blame", "set/turn-1.json"]),
        "retake: set/turn-1.json is not in a git repository\n"
    );
}

/// A call of a generated history, with what was done to it last.
#[derive(Clone)]
struct EditedCall {
    prompt: usize,
    reply: usize,
    /// The ids and times of its take.
    take: usize,
    is_answer_edited: bool,
    is_request_edited: bool,
    /// Whether the answer has the id that the service gave it.
    has_id: bool,
}

impl EditedCall {
    fn text(&self) -> String {
        let sent = json!({"model": "m", "messages": [{"role": "user", "content": format!("Prompt {}", self.prompt)}]});
        let message = json!({"role": "assistant", "content": format!("Reply {}", self.reply)});
        let mut received = json!({
            "id": format!("chatcmpl-aB{}cD", self.take), "created": 1_700_000_000 + self.take, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        });
        if !self.has_id {
            received.as_object_mut().unwrap().remove("id");
        }
        format!(
            "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{sent}'}}\n  \
             response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{received}'}}}}\n"
        )
    }
}

/// Does to a cassette what people do between two commits.
fn change_history(calls: &mut Vec<EditedCall>, numbers: &mut RandomNumbers, next: &mut usize) {
    let mut new = || {
        *next += 1;
        *next
    };
    let at = numbers.below(calls.len());
    match numbers.below(6) {
        5 => calls[at].has_id = false,
        0 => {
            calls[at].reply = new();
            calls[at].is_answer_edited = true;
        }
        1 => {
            calls[at].prompt = new();
            calls[at].is_request_edited = true;
        }
        2 => {
            // Recorded again: what is the same afterwards is confirmed.
            for call in calls.iter_mut() {
                call.take = new();
                (call.is_answer_edited, call.is_request_edited) = (false, false);
                call.has_id = true;
                if numbers.below(2) == 0 {
                    call.reply = new();
                }
            }
        }
        3 => {
            let call = EditedCall {
                prompt: new(),
                reply: new(),
                take: new(),
                is_answer_edited: false,
                is_request_edited: false,
                has_id: true,
            };
            calls.insert(at, call);
        }
        _ => {
            let other = numbers.below(calls.len());
            calls.swap(at, other);
        }
    }
}

#[test]
fn what_was_edited_by_hand_is_distinguished_from_what_was_recorded_again() {
    // The first prompts and replies have smaller numbers.
    let (mut numbers, mut next) = (RandomNumbers(8), 10);
    let project = Project::new(&[(".gitignore", "/state\n")]);
    project.git(&["init", "-q", "-b", "main"]);
    let mut histories: Vec<Vec<EditedCall>> = (0..100).map(|_| Vec::new()).collect();
    for day in 1..=8 {
        for (number, calls) in histories.iter_mut().enumerate() {
            if day == 1 {
                let call = |index: usize| EditedCall {
                    prompt: index,
                    reply: index,
                    take: 1_000_000 + number * 10 + index,
                    is_answer_edited: false,
                    is_request_edited: false,
                    has_id: true,
                };
                calls.extend((0..3).map(call));
            } else {
                change_history(calls, &mut numbers, &mut next);
            }
            let text: String = calls.iter().map(EditedCall::text).collect();
            project.write(
                &format!("cassettes/{number}.yaml"),
                format!("interactions:\n{text}version: 1\n"),
            );
        }
        // The last changes are not committed.
        if day < 8 {
            project.git(&["add", "-A"]);
            project.git_on(Some(day), &["commit", "-q", "--allow-empty", "-m", "Change"]);
        }
    }
    for (number, calls) in histories.iter().enumerate() {
        let file = format!("cassettes/{number}.yaml");
        let document = project.run(&["blame", &file, "--json"]).json();
        let found = document["calls"].as_array().unwrap().iter();
        let found: Vec<Value> = found
            .map(|call| {
                json!([call["answer_edited"], call["request_edited"], call["derived"].is_string()])
            })
            .collect();
        // Of two without one, it is not known which was recorded.
        let without = calls.iter().filter(|call| !call.has_id).count();
        let is_derived = |call: &EditedCall| !call.has_id && without == 1 && calls.len() > 1;
        let truth: Vec<Value> = calls
            .iter()
            .map(|call| json!([call.is_answer_edited, call.is_request_edited, is_derived(call)]))
            .collect();
        assert_eq!(found, truth, "{file}");
    }
}

#[test]
fn many_files_that_a_script_recorded_again_with_their_ids_were_not_edited_by_hand() {
    let project = Project::new(&[]);
    project.git(&["init", "-q", "-b", "main"]);
    let write = |file: usize, replies: [usize; 2]| {
        let call = |index: usize, reply: usize| EditedCall {
            prompt: index,
            reply,
            take: 1_000_000 + file * 10 + index,
            is_answer_edited: false,
            is_request_edited: false,
            has_id: true,
        };
        let text = call(0, replies[0]).text() + &call(1, replies[1]).text();
        let path = format!("cassettes/test_{}/{file}.yaml", file % 2);
        project.write(&path, format!("interactions:\n{text}version: 1\n"));
    };
    let commit = |day| {
        project.git(&["add", "-A"]);
        project.git_on(Some(day), &["commit", "-q", "-m", "Change"]);
    };
    let edited = || {
        let run = project.run(&["list", "cassettes", "--filter", "is:edited", "--json"]);
        let items = run.json()["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    (0..8).for_each(|file| write(file, [1, 2]));
    commit(1);
    (0..6).for_each(|file| write(file, [3, 4]));
    assert_eq!(edited(), [""; 0]);
    commit(2);
    assert_eq!(edited(), [""; 0]);
    // One answer of each of many files, and all answers of a few, may be edits.
    (0..6).for_each(|file| write(file, [5, 4]));
    commit(3);
    assert_eq!(edited().len(), 6);
    write(6, [5, 6]);
    write(7, [5, 6]);
    assert_eq!(edited().len(), 8);
}

#[test]
fn what_a_command_of_retake_wrote_is_derived_until_it_changes_again() {
    let project = small();
    let derived = || {
        let document = project.run(&["blame", "set/turn-1.json", "--json"]).json();
        document["calls"][0]["derived"].as_str().map(str::to_owned)
    };
    let listed = |filter: &str| project.run(&["list", "set", "--filter", filter]).stdout;
    assert_eq!(derived(), None);
    assert_eq!(listed("is:derived"), "");
    let edit = ["edit", "set/turn-1.json", "--replace", "Good morning", "Good day"];
    assert_eq!(project.run(&edit).code, Some(0));
    let reason = derived().unwrap_or_default();
    assert!(reason.starts_with("Written by `retake edit set/turn-1.json"), "{reason}");
    assert!(listed("is:derived").contains("turn-1.json"));
    assert_eq!(listed("-is:derived"), "");
    let run = project.run(&["blame", "set/turn-1.json"]);
    assert!(run.stdout.contains(" (derived: written by `retake edit "), "{}", run.stdout);
    // What Retake did not write is not known to be derived, and to undo restores what was recorded.
    let written = project.read("set/turn-1.json");
    project.write("set/turn-1.json", format!("{written}\n"));
    assert_eq!(derived(), None);
    project.write("set/turn-1.json", written);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(derived(), None);
}
