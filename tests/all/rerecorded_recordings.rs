//! Recordings that were made again, with known causes: with the old noise git shows only the lines of the causes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::project::Project;
use crate::rerecorded_cassettes::{changed_lines, each};

/// What happens to a recording when it is made again, besides ids, times and the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordedCause {
    Noise,
    /// The file has one line.
    Compact,
    /// The answer has another word.
    Answer,
    /// The prompt has another word.
    Prompt,
    /// The answer has a field more.
    Field,
    /// One more tool is offered.
    Tool,
    /// The answer calls a tool.
    Call,
    /// The recording is missing.
    Removed,
}

const CAUSES: [RecordedCause; 8] = [
    RecordedCause::Noise,
    RecordedCause::Compact,
    RecordedCause::Answer,
    RecordedCause::Prompt,
    RecordedCause::Field,
    RecordedCause::Tool,
    RecordedCause::Call,
    RecordedCause::Removed,
];

/// A recording of one of two runs.
#[derive(Clone, Copy)]
struct RecordedTurn {
    number: usize,
    cause: RecordedCause,
    is_new: bool,
    /// Whether ids, times and format are those of the second run.
    has_noise: bool,
}

impl RecordedTurn {
    fn is(self, cause: RecordedCause) -> bool {
        self.is_new && self.cause == cause
    }

    fn id(self) -> String {
        format!(
            "req-178028{:07}-1",
            self.number * 10 + usize::from(self.has_noise)
        )
    }

    /// Returns its path, which has its id in every other one.
    fn path(self) -> String {
        match self.number % 2 {
            0 => format!("recordings/{}.json", self.id()),
            _ => format!("recordings/turn-{}.json", self.number),
        }
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "description": format!("Use {name} for this"), "input_schema": {"type": "object"}})
    }

    /// Returns the tool call that the answer may have.
    fn call(self) -> Value {
        json!({"type": "tool_use", "id": format!("toolu_01A09q90qw{:06}", self.number), "name": "look_up", "input": {"ticket": self.number}})
    }

    fn text(self) -> String {
        let number = self.number;
        let day = usize::from(self.has_noise) + 1;
        let limit = if self.is(RecordedCause::Prompt) {
            150
        } else {
            100
        };
        let word = if self.is(RecordedCause::Answer) {
            "Tuesday"
        } else {
            "Monday"
        };
        let mut tools = vec![Self::tool("look_up")];
        if self.is(RecordedCause::Tool) {
            tools.push(Self::tool("write_down"));
        }
        let mut content = vec![
            json!({"type": "text", "text": format!("Parcel {number} of ticket {} is sent on {word}.", number * 7)}),
        ];
        if self.is(RecordedCause::Call) {
            content.push(self.call());
        }
        let mut answer = json!({"content": content, "stop_reason": "end_turn"});
        if self.is(RecordedCause::Field) {
            answer["lane"] = json!("fast");
        }
        let recording = json!({
            "request": {"requestId": self.id(), "timestamp": format!("2026-03-0{day}T10:00:00.000Z"), "tools": tools, "messages": [
                {"role": "user", "content": format!("Ticket {} about parcel {number}: refund up to {limit} euros, then go on.", number * 7)},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_01B1{day}q90qw{number:06}"), "content": "done"}]}]},
            "response": {"requestId": self.id(), "response": answer, "latencyMs": 100 * day + number},
            "recordedAt": format!("2026-03-0{day}T10:00:00.000Z")
        });
        if self.has_noise && self.is(RecordedCause::Compact) {
            recording.to_string()
        } else {
            serde_json::to_string_pretty(&recording).unwrap() + "\n"
        }
    }

    /// Returns how many lines git shows as added and as removed if only the causes are taken.
    fn changed_lines(self) -> [usize; 2] {
        let lines = |value: &Value| serde_json::to_string_pretty(value).unwrap().lines().count();
        match self.cause {
            RecordedCause::Noise | RecordedCause::Compact => [0, 0],
            RecordedCause::Answer | RecordedCause::Prompt => [1, 1],
            RecordedCause::Field => [1, 0],
            RecordedCause::Tool => [lines(&Self::tool("write_down")), 0],
            RecordedCause::Call => [lines(&self.call()), 0],
            RecordedCause::Removed => [0, self.text().lines().count()],
        }
    }
}

fn turns(is_new: bool) -> impl Iterator<Item = RecordedTurn> {
    (0..CAUSES.len() * each()).map(move |number| RecordedTurn {
        number,
        cause: CAUSES[number % CAUSES.len()],
        is_new,
        has_noise: is_new,
    })
}

/// Returns a project in which all recordings were made again after a commit.
fn rerecorded() -> Project {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    for turn in turns(false) {
        project.write(&turn.path(), turn.text());
    }
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    for turn in turns(false) {
        std::fs::remove_file(project.path(&turn.path())).unwrap();
    }
    for turn in turns(true).filter(|it| it.cause != RecordedCause::Removed) {
        project.write(&turn.path(), turn.text());
    }
    project
}

#[test]
fn with_the_old_noise_git_shows_only_the_lines_of_the_causes() {
    let project = rerecorded();
    let run = project.run(&[
        "review",
        "recordings",
        "--accept",
        "all",
        "--keep-noise",
        "--json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut expected = BTreeMap::new();
    for turn in turns(true) {
        let turn = RecordedTurn {
            has_noise: false,
            ..turn
        };
        if turn.changed_lines() != [0, 0] {
            expected.insert(turn.path(), turn.changed_lines());
        }
        if turn.cause != RecordedCause::Removed {
            assert_eq!(project.read(&turn.path()), turn.text(), "{}", turn.path());
        }
    }
    assert_eq!(changed_lines(&project), expected);
    // The files have their old names, and there are no others.
    assert_eq!(project.git(&["ls-files", "--others", "recordings"]), "");
    let lines = &run.json()["summary"]["changed_lines"];
    let after: usize = expected.values().flatten().sum();
    assert_eq!(lines["after"], after, "{lines}");
}

#[test]
fn rejecting_all_leaves_nothing_for_git() {
    let project = rerecorded();
    let run = project.run(&["review", "recordings", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.git(&["status", "--porcelain", "recordings"]), "");
}
