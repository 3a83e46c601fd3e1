//! The old noise is kept: what `retake review --accept … --keep-noise` writes and says.

use serde_json::json;

use crate::project::Project;

/// Returns a recording of a run with another id and time, compact or not.
fn recording(run: usize, answer: &str, is_compact: bool) -> String {
    let recording = json!({
        "request": {"requestId": format!("req-178028120144{run}-1"), "timestamp": format!("2026-03-0{run}T10:00:00.000Z"),
            "messages": [{"role": "user", "content": "Where is it?"}], "tools": []},
        "response": {"requestId": format!("req-178028120144{run}-1"), "response": {"content": [{"type": "text", "text": answer}],
            "stop_reason": "end_turn"}},
        "recordedAt": format!("2026-03-0{run}T10:00:01.000Z")
    });
    if is_compact {
        recording.to_string()
    } else {
        serde_json::to_string_pretty(&recording).unwrap() + "\n"
    }
}

/// Returns a project with a recording that has another answer, one that differs only in noise, and one that cannot be read to its end.
fn rerecorded() -> Project {
    let old = |answer: &str| recording(1, answer, false);
    let project = Project::new(&[
        ("s/answer.json", &old("It is on its way.")),
        ("s/noise.json", &old("Yes.")),
        ("s/cut.json", &old("No.")),
    ]);
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    project.write("s/answer.json", recording(2, "It has arrived.", true));
    project.write("s/noise.json", recording(2, "Yes.", true));
    project.write("s/cut.json", &recording(2, "No.", true)[..200]);
    project
}

const KEEP: [&str; 5] = ["review", "s", "--accept", "all", "--keep-noise"];

#[test]
fn what_is_accepted_has_the_old_noise_and_what_cannot_stays_undecided() {
    let project = rerecorded();
    let new = project.read("s/answer.json");
    let run = project.run(&[&KEEP[..], &["--dry-run"]].concat());
    assert_eq!(project.read("s/answer.json"), new);
    insta::assert_snapshot!(run.stderr, @"
    retake: The new version cannot be read: line 1: The file ends inside a string that starts at line 1; the file can only be taken as a whole: s/cut.json
    retake: Would be written: s/answer.json
    retake: Would be written: s/noise.json
    ");
    let run = project.run(&KEEP);
    assert_eq!(run.code, Some(2));
    insta::assert_snapshot!(run.stderr, @"retake: The new version cannot be read: line 1: The file ends inside a string that starts at line 1; the file can only be taken as a whole: s/cut.json");
    insta::assert_snapshot!(run.stdout, @"
    Cannot be read as values: 1 pair
    The new version cannot be read  1 pair, text: 1 undecided
      new-version-is-unreadable
        s/cut.json  (the new version cannot be read: line 1: The file ends inside a string that starts at line 1)
    Noise: 1 pair
    Only times and ids differ  1 pair: 1 old noise kept
      only-times-and-ids-differ
    Model answered differently: 1 pair
    Reworded  1 pair, answer text: 1 old noise kept
      worded-otherwise
    2 of 3 decided, 1 group left
    Git diff: about 81 changed lines, 29 as decided
    ");
    let kept = recording(1, "It is on its way.", false).replace("is on its way", "has arrived");
    assert_eq!(project.read("s/answer.json"), kept);
    assert_eq!(
        project.git(&["diff", "--numstat", "HEAD", "s/answer.json", "s/noise.json"]),
        "1\t1\ts/answer.json"
    );
    let ledger = project.read(".retake/review.json");
    assert_eq!(ledger.matches("\"verdict\": \"keep-noise\"").count(), 2, "{ledger}");
    // What was applied stays decided.
    let run = project.run(&["review", "s", "--json"]);
    let decided =
        run.json()["pairs"].as_array().unwrap().iter().filter(|it| it["decided"] == true).count();
    assert_eq!(decided, 2, "{}", run.stdout);
    project.run(&["undo"]);
    assert_eq!(project.read("s/answer.json"), new);
    // The decision can be made again, and gives the same bytes.
    project.run(&KEEP);
    assert_eq!(project.read("s/answer.json"), kept);
}

#[test]
fn lanes_are_selections() {
    let project = rerecorded();
    let new = project.read("s/answer.json");
    let run = project.run(&["review", "s", "--reject", "noise"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(project.read("s/noise.json"), recording(1, "Yes.", false));
    assert_eq!(project.read("s/answer.json"), new);
    let accept = ["review", "s", "--accept", "unreadable"];
    let run = project.run(&[&accept[..], &["--dry-run"]].concat());
    insta::assert_snapshot!(run.stderr, @"retake: Would be accepted, but s/cut.json cannot be read: line 1: The file ends inside a string that starts at line 1");
    let run = project.run(&accept);
    insta::assert_snapshot!(run.stderr, @"retake: Accepted, but s/cut.json cannot be read: line 1: The file ends inside a string that starts at line 1");
    let run = project.run(&["review", "s", "--reject", "answered", "--json"]);
    assert_eq!(project.read("s/answer.json"), recording(1, "It is on its way.", false));
    let lines = &run.json()["summary"]["changed_lines"];
    assert!(lines["before"].as_u64() > lines["after"].as_u64(), "{lines}");
    let run = project.run(&["review", "s", "--accept", "calls", "--accept", "noise"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = project.run(&["review", "s", "--keep-noise"]);
    assert_eq!(run.code, Some(2));
}
