//! Cassettes that were recorded again, with known causes: each is a group of its own in its lane.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::project::Project;

/// What happens to a cassette when it is recorded again, besides ids, times, token counts and headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PlantedCause {
    Noise,
    /// Nothing but the order of headers and the style in which they are written.
    Format,
    /// An answer has a field more.
    Field,
    /// The second answer has another word; later calls repeat it.
    Answer,
    /// All calls have another system prompt, and each answer is another one.
    Prompt,
    /// Another call is in front of the second one.
    Added,
    /// The last call is missing.
    Removed,
    /// The first two calls changed places.
    Moved,
}

const CAUSES: [PlantedCause; 8] = [
    PlantedCause::Noise,
    PlantedCause::Format,
    PlantedCause::Field,
    PlantedCause::Answer,
    PlantedCause::Prompt,
    PlantedCause::Added,
    PlantedCause::Removed,
    PlantedCause::Moved,
];
/// How many cassettes each cause changes.
pub(crate) const EACH: usize = 6;
const TURNS: usize = 4;

/// What a cassette was recorded from, and when.
#[derive(Clone, Copy)]
struct Run {
    number: usize,
    is_new: bool,
    cause: PlantedCause,
    /// Whether only the cause is new.
    keeps_noise: bool,
}

impl Run {
    fn is(self, cause: PlantedCause) -> bool {
        self.is_new && self.cause == cause
    }

    /// Returns whether ids, times, token counts and headers are those of the second run.
    fn has_noise(self) -> bool {
        self.is_new && !self.keeps_noise && self.cause != PlantedCause::Format
    }

    /// Returns how many lines git shows as added and as removed if only the causes are taken.
    fn changed_lines(self) -> [usize; 2] {
        let lines = |call: &str| call.lines().count();
        match self.cause {
            PlantedCause::Noise | PlantedCause::Format => [0, 0],
            PlantedCause::Field => [1, 1],
            // The answer, and the requests that repeat it.
            PlantedCause::Answer => [TURNS - 1, TURNS - 1],
            // Each request and each answer.
            PlantedCause::Prompt => [2 * TURNS, 2 * TURNS],
            PlantedCause::Added => [lines(&self.call(0)), 0],
            PlantedCause::Removed => [0, lines(&self.call(TURNS - 1))],
            PlantedCause::Moved => {
                let calls = [self.call(0), self.call(1)];
                let pairs = calls[0].lines().zip(calls[1].lines());
                let differ = 2 * pairs.filter(|(a, b)| a != b).count();
                [differ, differ]
            }
        }
    }

    /// Returns a number that differs between the runs.
    fn noise(self, turn: usize) -> usize {
        self.number * 100 + turn * 10 + usize::from(self.has_noise())
    }

    fn answer(self, turn: usize) -> String {
        let number = self.number;
        let day = if turn == 1 && self.is(PlantedCause::Answer) { "Tuesday" } else { "Monday" };
        let words = ["gladly", "at once", "as agreed", "soon", "today", "for sure"];
        let how = if self.is(PlantedCause::Prompt) { words[(number + turn) % 6] } else { "now" };
        format!("Parcel {number} of step {turn} is sent on {day}, and I close the ticket {how}.")
    }

    fn call(self, turn: usize) -> String {
        let limit = if self.is(PlantedCause::Prompt) { 150 } else { 100 };
        let mut messages = Vec::new();
        for earlier in 0..=turn {
            messages.push(json!({"role": "user", "content": format!("Step {earlier} of ticket {}", self.number)}));
            if earlier < turn {
                messages.push(json!({"role": "assistant", "content": self.answer(earlier)}));
            }
        }
        let request = json!({"model": "claude-sonnet-4-5", "max_tokens": 256, "system": format!("Refund up to {limit} euros."),
            "messages": messages});
        let noise = self.noise(turn);
        let mut answer = json!({"id": format!("msg_{noise:012}"), "type": "message", "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": self.answer(turn)}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 100 + noise, "output_tokens": 20 + noise}});
        if turn == 0 && self.is(PlantedCause::Field) {
            answer["service_tier"] = json!("standard");
        }
        self.exchange("messages", &request, &answer, turn)
    }

    fn exchange(self, path: &str, request: &Value, answer: &Value, turn: usize) -> String {
        let day = if self.has_noise() { "Tue, 02 Jun 2026" } else { "Thu, 12 Mar 2026" };
        let noise = self.noise(turn);
        let headers = if self.is(PlantedCause::Format) && !self.keeps_noise {
            format!("{{request-id: [req_{noise:08}], date: ['{day} 09:00:0{turn} GMT']}}")
        } else {
            format!(
                "\n      date:\n      - {day} 09:00:0{turn} GMT\n      request-id:\n      - req_{noise:08}"
            )
        };
        format!(
            "- request:\n    body: '{request}'\n    headers:\n      host:\n      - api.anthropic.com\n    method: POST\n    \
             uri: https://api.anthropic.com/v1/{path}\n  response:\n    body:\n      string: '{answer}'\n    headers: {headers}\n    \
             status:\n      code: 200\n      message: OK\n"
        )
    }

    fn cassette(self) -> String {
        let turns = if self.is(PlantedCause::Removed) { TURNS - 1 } else { TURNS };
        let mut calls: Vec<String> = (0..turns).map(|turn| self.call(turn)).collect();
        if self.is(PlantedCause::Moved) {
            calls.swap(0, 1);
        }
        if self.is(PlantedCause::Added) {
            let request = json!({"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "Count this."}]});
            calls.insert(
                1,
                self.exchange("messages/count_tokens", &request, &json!({"input_tokens": 7}), 9),
            );
        }
        format!("interactions:\n{}version: 1\n", calls.concat())
    }
}

fn path(number: usize) -> String {
    format!("cassettes/test_{number:02}.yaml")
}

/// Returns old or new runs, `each` for every cause.
fn runs(each: usize, is_new: bool) -> impl Iterator<Item = Run> {
    // Causes alternate, so that no group is a range of paths.
    (0..CAUSES.len() * each).map(move |number| Run {
        number,
        is_new,
        cause: CAUSES[number % CAUSES.len()],
        keeps_noise: false,
    })
}

/// Returns a project in which all cassettes were recorded again after a commit, and the cause for each path.
fn rerecorded(each: usize) -> (Project, BTreeMap<String, PlantedCause>) {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    let runs = |is_new: bool| runs(each, is_new);
    for run in runs(false) {
        project.write(&path(run.number), run.cassette());
    }
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    for run in runs(true) {
        project.write(&path(run.number), run.cassette());
    }
    let causes = runs(true).map(|run| (path(run.number), run.cause));
    (project, causes.collect())
}

#[test]
fn each_cause_is_a_group_in_its_lane_and_no_cassette_is_in_another_one() {
    let (project, causes) = rerecorded(EACH);
    let review = project.run(&["diff", "cassettes", "--json"]).json();
    let mut groups = String::new();
    for group in review["groups"].as_array().unwrap() {
        let text = |key: &str| group[key].as_str().unwrap().to_owned();
        let _ = writeln!(
            groups,
            "{}: {} {}, {} {}",
            text("lane"),
            group["count"],
            text("id"),
            if group["uniform"] == true { "uniform" } else { "different" },
            group["variants"],
        );
    }
    insta::assert_snapshot!(groups, @"
    noise: 6 only-bytes-differ, uniform 1
    noise: 6 only-what-is-set-aside-differs, uniform 1
    same-words: 6 field-service-tier-added, uniform 1
    answered: 6 monday-became-tuesday, uniform 1
    sent: 6 100-became-150, different 3
    calls: 6 call-of-claude-sonnet-4-5-removed, different 6
    calls: 6 calls-in-another-order, different 6
    calls: 6 call-to-count-tokens-added, uniform 1
    ");
    let mut of_group: BTreeMap<String, Vec<PlantedCause>> = BTreeMap::new();
    for pair in review["pairs"].as_array().unwrap() {
        let group = pair["group"].as_str().unwrap().to_owned();
        let cause = causes[pair["new"].as_str().unwrap()];
        of_group.entry(group).or_default().push(cause);
        // Calls are aligned as they were recorded.
        let changes = pair["changes"].as_array().unwrap();
        let calls = changes.iter().filter(|change| change["subject"] == "call");
        let calls: Vec<String> =
            calls.map(|change| change["summary"].as_str().unwrap().to_owned()).collect();
        let expected: &[&str] = match cause {
            PlantedCause::Added => &["Call 2 added"],
            PlantedCause::Removed => &["Call 4 removed"],
            PlantedCause::Moved => &["Call 1 moved to 2"],
            _ => &[],
        };
        assert_eq!(calls, expected, "{pair}");
    }
    for (group, causes) in of_group {
        assert_eq!(causes.len(), EACH, "{group}: {causes:?}");
        assert!(causes.iter().all(|cause| *cause == causes[0]), "{group}");
    }
}

#[test]
fn rejecting_all_leaves_nothing_for_git() {
    let (project, _) = rerecorded(EACH);
    let run = project.run(&["review", "cassettes", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.git(&["status", "--porcelain", "cassettes"]), "");
}

#[test]
fn what_is_written_is_stable_if_the_settings_say_so_and_what_is_rejected_is_the_old_file() {
    let (project, causes) = rerecorded(1);
    project.write("retake.toml", "[stable]\non_save = true\n");
    let of = |cause: PlantedCause| causes.iter().find(|(_, it)| **it == cause).unwrap().0.clone();
    let (answer, field) = (of(PlantedCause::Answer), of(PlantedCause::Field));
    let cassette = |of: &String, is_new| {
        let run = runs(1, is_new).find(|run| path(run.number) == *of);
        run.unwrap().cassette()
    };
    let decide = |verdict: &[&str]| {
        let run = project.run(&[&["review", "cassettes"], verdict].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
    };
    decide(&["--accept", &answer, "--keep-noise"]);
    decide(&["--reject", &field]);
    assert_eq!(project.read(&field), cassette(&field, false));
    let written = project.read(&answer);
    assert!(written.contains("Tuesday"));
    assert!(!written.contains("request-id"), "{written}");
    let check = project.run(&["stabilize", "--check", &answer]);
    assert_eq!(check.code, Some(0), "{}", check.stdout);
    // What was written can be undone.
    project.run(&["undo"]);
    project.run(&["undo"]);
    assert_eq!(project.read(&answer), cassette(&answer, true));
}

/// How many files each cause changes, six unless `RETAKE_RERECORDED` says otherwise.
pub(crate) fn each() -> usize {
    let number = std::env::var("RETAKE_RERECORDED").ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(EACH)
}

/// Returns the lines that git shows as added and as removed, by path.
pub(crate) fn changed_lines(project: &Project) -> BTreeMap<String, [usize; 2]> {
    let stat = project.git(&["diff", "--numstat", "--no-renames", "HEAD"]);
    let rows = stat.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let mut number = || parts.next()?.parse().ok();
        let lines = [number()?, number()?];
        Some((parts.next()?.to_owned(), lines))
    });
    rows.collect()
}

#[test]
fn with_the_old_noise_git_shows_only_the_lines_of_the_causes() {
    let each = each();
    let (project, _) = rerecorded(each);
    let run = project.run(&["review", "cassettes", "--accept", "all", "--keep-noise", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut expected = BTreeMap::new();
    for run in runs(each, true) {
        let path = path(run.number);
        let run = Run { keeps_noise: true, ..run };
        let lines = run.changed_lines();
        if lines != [0, 0] {
            expected.insert(path.clone(), lines);
        }
        // A call that is new has its own noise, and one that moved keeps its own.
        let has_own = [PlantedCause::Added, PlantedCause::Moved].contains(&run.cause);
        assert!(has_own || project.read(&path) == run.cassette(), "{path}");
    }
    assert_eq!(changed_lines(&project), expected);
    let lines = &run.json()["summary"]["changed_lines"];
    let after: usize = expected.values().flatten().sum();
    assert_eq!(lines["after"], after, "{lines}");
    assert!(lines["before"].as_u64().unwrap() as usize > 3 * after, "{lines}");
}
