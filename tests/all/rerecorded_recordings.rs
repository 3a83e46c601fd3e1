//! Recordings that were made again, with known causes: each is a group of its own in its lane, and with the old noise git shows
//! only the lines of the causes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::project::Project;
use crate::rerecorded_cassettes::{EACH, changed_lines, each};

/// What happens to a recording when it is made again, besides ids, times and the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordedCause {
    Noise,
    /// The file has one line; nothing else differs.
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
    /// There was no such recording.
    Added,
}

const CAUSES: [RecordedCause; 9] = [
    RecordedCause::Noise,
    RecordedCause::Compact,
    RecordedCause::Answer,
    RecordedCause::Prompt,
    RecordedCause::Field,
    RecordedCause::Tool,
    RecordedCause::Call,
    RecordedCause::Removed,
    RecordedCause::Added,
];

/// A recording of one of two runs.
#[derive(Clone, Copy)]
struct RecordedTurn {
    number: usize,
    cause: RecordedCause,
    is_new: bool,
    /// Whether ids and times are those of the second run.
    has_noise: bool,
    is_compact: bool,
}

impl RecordedTurn {
    fn is(self, cause: RecordedCause) -> bool {
        self.is_new && self.cause == cause
    }

    /// Returns whether its run has it.
    fn is_recorded(self) -> bool {
        let missing = if self.is_new { RecordedCause::Removed } else { RecordedCause::Added };
        self.cause != missing
    }

    fn id(self) -> String {
        format!("req-178028{:07}-1", self.number * 10 + usize::from(self.has_noise))
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
        let limit = if self.is(RecordedCause::Prompt) { 150 } else { 100 };
        let word = if self.is(RecordedCause::Answer) { "Tuesday" } else { "Monday" };
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
        if self.is_compact {
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
            RecordedCause::Added => [self.text().lines().count(), 0],
        }
    }
}

/// Returns the recordings of a run, `each` for every cause.
fn turns(each: usize, is_new: bool) -> impl Iterator<Item = RecordedTurn> {
    let turns = (0..CAUSES.len() * each).map(move |number| {
        let cause = CAUSES[number % CAUSES.len()];
        RecordedTurn {
            number,
            cause,
            is_new,
            has_noise: is_new && cause != RecordedCause::Compact,
            is_compact: is_new && cause == RecordedCause::Compact,
        }
    });
    turns.filter(|turn| turn.is_recorded())
}

/// Returns a project in which all recordings were made again after a commit.
fn rerecorded(each: usize) -> Project {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    for turn in turns(each, false) {
        project.write(&turn.path(), turn.text());
    }
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    for turn in turns(each, false) {
        std::fs::remove_file(project.path(&turn.path())).unwrap();
    }
    for turn in turns(each, true) {
        project.write(&turn.path(), turn.text());
    }
    project
}

#[test]
fn each_cause_is_a_group_in_its_lane_and_each_recording_has_its_own_partner() {
    let project = rerecorded(EACH);
    let review = project.run(&["diff", "recordings", "--json"]).json();
    let mut groups = String::new();
    for group in review["groups"].as_array().unwrap() {
        let text = |key: &str| group[key].as_str().unwrap().to_owned();
        let _ = writeln!(
            groups,
            "{}: {} {}, variants {}",
            text("lane"),
            group["count"],
            text("id"),
            group["variants"],
        );
    }
    insta::assert_snapshot!(groups, @"
    noise: 6 only-what-is-set-aside-differs, variants 1
    noise: 6 only-bytes-differ, variants 1
    same-words: 6 field-lane-added, variants 1
    answered: 6 calls-look-up-as-well, variants 6
    answered: 6 monday-became-tuesday, variants 1
    sent: 6 tool-write-down-added, variants 1
    sent: 6 100-became-150, variants 1
    calls: 6 takes-added, variants 6
    calls: 6 takes-removed, variants 6
    ");
    let paths = |is_new: bool| -> BTreeMap<String, RecordedTurn> {
        let turns = turns(EACH, is_new);
        turns.map(|turn| (turn.path(), turn)).collect()
    };
    let (old, new) = (paths(false), paths(true));
    let mut of_group: BTreeMap<String, Vec<RecordedCause>> = BTreeMap::new();
    let mut paired = [0, 0];
    for pair in review["pairs"].as_array().unwrap() {
        let turn =
            |turns: &BTreeMap<String, RecordedTurn>, side: &str| Some(turns[pair[side].as_str()?]);
        let (old, new) = (turn(&old, "old"), turn(&new, "new"));
        let known = old.or(new).unwrap();
        let is_own = |turn: Option<RecordedTurn>| turn.is_none_or(|it| it.number == known.number);
        assert!(is_own(new), "{pair}");
        paired[0] += usize::from(old.is_some());
        paired[1] += usize::from(new.is_some());
        let group = pair["group"].as_str().unwrap().to_owned();
        of_group.entry(group).or_default().push(known.cause);
    }
    // Each recording is in one pair.
    assert_eq!(paired, [old.len(), new.len()]);
    for (group, causes) in of_group {
        assert_eq!(causes.len(), EACH, "{group}: {causes:?}");
        assert!(causes.iter().all(|cause| *cause == causes[0]), "{group}");
    }
}

#[test]
fn with_the_old_noise_git_shows_only_the_lines_of_the_causes() {
    let each = each();
    let project = rerecorded(each);
    let run = project.run(&["review", "recordings", "--accept", "all", "--keep-noise", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut expected = BTreeMap::new();
    let removed = turns(each, false).filter(|turn| turn.cause == RecordedCause::Removed);
    for turn in turns(each, true).chain(removed) {
        let turn = RecordedTurn {
            // What is new has its own noise.
            has_noise: turn.cause == RecordedCause::Added,
            is_compact: false,
            ..turn
        };
        if turn.changed_lines() != [0, 0] {
            expected.insert(turn.path(), turn.changed_lines());
        }
        if turn.cause != RecordedCause::Removed {
            assert_eq!(project.read(&turn.path()), turn.text(), "{}", turn.path());
        }
    }
    // Git shows what is added only if it is staged.
    project.git(&["add", "--intent-to-add", "recordings"]);
    assert_eq!(changed_lines(&project), expected);
    let lines = &run.json()["summary"]["changed_lines"];
    let after: usize = expected.values().flatten().sum();
    assert_eq!(lines["after"], after, "{lines}");
}

#[test]
fn rejecting_all_leaves_nothing_for_git() {
    let project = rerecorded(EACH);
    let run = project.run(&["review", "recordings", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.git(&["status", "--porcelain", "recordings"]), "");
}

#[test]
fn where_files_got_other_numbers_the_counted_lines_are_those_of_git() {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    let path = |number: usize| format!("recordings/{number:03}.json");
    let turn = |number: usize, is_new: bool| RecordedTurn {
        number,
        cause: RecordedCause::Noise,
        is_new,
        has_noise: is_new,
        is_compact: false,
    };
    for number in 0..9 {
        project.write(&path(number), turn(number, false).text());
    }
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    std::fs::remove_file(project.path(&path(8))).unwrap();
    // The third call is left out, so those after it have another number.
    for number in (0..9).filter(|number| *number != 2) {
        let place = number - usize::from(number > 2);
        project.write(&path(place), turn(number, true).text());
    }
    let by_git = |project: &Project| changed_lines(project).values().flatten().sum::<usize>();
    let before = by_git(&project);
    let arguments = ["review", "recordings", "--accept", "all", "--keep-noise"];
    let run = project.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = &run.json()["summary"]["changed_lines"];
    assert_eq!(lines, &json!({"before": before, "after": by_git(&project)}), "{}", run.stdout);
    assert!(by_git(&project) < before);
}
