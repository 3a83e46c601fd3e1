//! A regeneration, reviewed from outside: few groups, the right first causes, and files exactly as decided.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::project::Project;

/// What happens to a conversation when it is recorded again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The tool `transition_to_respond` is called `transition_to_reply`.
    Renamed,
    /// The last answer ends without its greeting.
    Greeting,
    /// The call of the third turn has a field more.
    Field,
    /// The second turn calls another tool.
    Called,
    /// Nothing but times and ids.
    Nothing,
}

/// Which take it is: everything a recorder makes up differs between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    Old,
    New,
}

const SETS: usize = 250;
const TURNS: usize = 4;

fn cause(set: usize) -> Cause {
    match set {
        0..100 => Cause::Renamed,
        100..160 => Cause::Greeting,
        160..220 => Cause::Field,
        220..249 => Cause::Called,
        _ => Cause::Nothing,
    }
}

fn path(set: usize, turn: usize) -> String {
    format!("fixtures/set-{set:03}/turn-{turn}.json")
}

/// The answer of a turn, as its content blocks.
fn answer(set: usize, turn: usize, time: Time) -> Value {
    let is_new = |wanted: Cause| time == Time::New && cause(set) == wanted;
    let name = match turn {
        2 if is_new(Cause::Called) => "transition_to_escalate",
        2 if is_new(Cause::Renamed) => "transition_to_reply",
        2 => "transition_to_respond",
        _ => "write_Ticket",
    };
    let mut input =
        json!({"ticket": set * 10 + turn, "reason": "the customer has waited for long"});
    if turn == 3 && is_new(Cause::Field) {
        input["currency"] = json!("EUR");
    }
    let greeting = if turn == TURNS && !is_new(Cause::Greeting) { "\n\nBest regards" } else { "" };
    let id = match time {
        Time::Old => format!("toolu_{set:04}{turn}0a1b2c"),
        Time::New => format!("toolu_{set:04}{turn}9z8y7x"),
    };
    json!([
        {"type": "text", "text": format!("Ticket {set} in turn {turn} is about a late parcel.{greeting}")},
        {"type": "tool_use", "id": id, "name": name, "input": input},
    ])
}

fn recording(set: usize, turn: usize, time: Time) -> String {
    let stamp = |seconds: usize| match time {
        Time::Old => format!("2026-03-12T15:22:{seconds:02}.311Z"),
        Time::New => format!("2026-06-02T14:25:{seconds:02}.840Z"),
    };
    let request = match time {
        Time::Old => format!("req-17733241{set:04}{turn}-1"),
        Time::New => format!("req-17804103{set:04}{turn}-1"),
    };
    let mut messages =
        vec![json!({"role": "user", "content": format!("Handle ticket {set}, please.")})];
    for earlier in 1..turn {
        let content = answer(set, earlier, time);
        let id = content[1]["id"].clone();
        messages.push(json!({"role": "assistant", "content": content}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}));
    }
    let respond = if time == Time::New && cause(set) == Cause::Renamed {
        "transition_to_reply"
    } else {
        "transition_to_respond"
    };
    let names = match turn {
        1 => vec!["write_Ticket"],
        _ => vec!["transition_to_escalate", respond, "write_Ticket"],
    };
    let tool = |name: &&str| json!({"name": name, "description": format!("Goes on with {name}"), "input_schema": {"type": "object"}});
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let recording = json!({
        "request": {"type": "llm_invocation_request", "requestId": request, "timestamp": stamp(turn), "context": {},
            "messages": messages, "tools": names.iter().map(tool).collect::<Vec<_>>(), "systemPrompt": "You sort tickets."},
        "response": {"type": "llm_invocation_response", "requestId": request, "timestamp": stamp(turn + 1),
            "response": {"content": answer(set, turn, time), "stop_reason": "tool_use"}},
        "recordedAt": stamp(turn + 2),
        "signature": {"toolNames": sorted, "messageCount": messages.len(), "contextKeys": []},
    });
    serde_json::to_string_pretty(&recording).unwrap()
}

fn write(project: &Project, time: Time) {
    for set in 0..SETS {
        for turn in 1..=TURNS {
            project.write(&path(set, turn), recording(set, turn, time));
        }
    }
}

/// A thousand recordings, committed and then recorded again.
fn regenerated() -> Project {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    write(&project, Time::Old);
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    write(&project, Time::New);
    project
}

#[test]
fn a_thousand_re_recorded_files_need_four_decisions() {
    let project = regenerated();
    let run = project.run(&["review", "fixtures", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let review = run.json();
    let mut groups = String::new();
    for group in review["groups"].as_array().unwrap() {
        let text = |key: &str| group[key].as_str().unwrap().to_owned();
        let _ = writeln!(
            groups,
            "{} {} | {} | {}",
            group["count"],
            text("id"),
            text("summary"),
            text("detail")
        );
    }
    insta::assert_snapshot!(groups, @"
    433 only-times-and-ids-differ | Only times and ids differ | 
    120 field-currency-added | Field `currency` added | calls and messages
    87 calls-transition-to-escalate-not-transition-to-respond | Calls `transition_to_escalate`, not `transition_to_respond` | calls and messages
    60 best-regards-dropped | “Best regards” dropped | answer text
    300 tool-respond-became-reply | Tool `respond` became `reply` | offered tools, calls, messages and signature
    ");
    let pairs = review["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), SETS * TURNS);
    let pair = |set, turn| {
        let path = path(set, turn);
        pairs.iter().find(|pair| pair["new"] == path.as_str()).unwrap()
    };
    // The first turn that changed, and what follows from it.
    for (set, first) in [(0, 2), (120, 4), (170, 3), (230, 2)] {
        for turn in 1..=TURNS {
            let cause = &pair(set, turn)["first_cause"];
            if turn > first {
                assert_eq!(*cause, path(set, first).as_str(), "{set} {turn}");
            } else {
                assert!(cause.is_null(), "{set} {turn}: {cause}");
            }
        }
    }
    // Values that a recorder generates are ignored, and shown as ignored.
    let quiet = pair(249, 3);
    assert_eq!(quiet["status"], "ignored-only");
    let ignored = quiet["changes"].as_array().unwrap().iter();
    let ignored: Vec<&str> = ignored
        .filter(|it| it["ignored"] == true)
        .map(|it| it["ignored_as"].as_str().unwrap())
        .collect();
    assert_eq!(ignored.len(), quiet["changes"].as_array().unwrap().len());
    assert!(ignored.contains(&"time") && ignored.contains(&"id"));

    let group = |cause: Cause| match cause {
        Cause::Renamed => "tool-respond-became-reply",
        Cause::Greeting => "best-regards-dropped",
        Cause::Field => "field-currency-added",
        Cause::Called | Cause::Nothing => "calls-transition-to-escalate-not-transition-to-respond",
    };
    let run = project.run(&[
        "review",
        "fixtures",
        "--accept",
        group(Cause::Renamed),
        group(Cause::Field),
        "--reject",
        group(Cause::Greeting),
        group(Cause::Called),
        "--note",
        "looked at",
    ]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    for set in 0..SETS {
        for turn in 1..=TURNS {
            let is_rejected = match cause(set) {
                Cause::Greeting => turn == TURNS,
                Cause::Called => turn >= 2,
                _ => false,
            };
            let expected = recording(set, turn, if is_rejected { Time::Old } else { Time::New });
            let found = std::fs::read_to_string(project.path(&path(set, turn))).unwrap();
            assert_eq!(found, expected, "{set} {turn}");
        }
    }

    // The decisions are kept; a file that changes is undecided again.
    assert_eq!(project.run(&["review", "fixtures"]).code, Some(0));
    let changed = recording(0, 2, Time::New).replace("late parcel", "lost parcel");
    project.write(&path(0, 2), changed);
    let run = project.run(&["review", "fixtures", "--json"]);
    assert_eq!(run.code, Some(1));
    let open: Vec<Value> = run.json()["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["decided"] == false)
        .cloned()
        .collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0]["new"], path(0, 2).as_str());
}

const OLD: &str = r#"{"request": {"messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "go"}]},
 "response": {"response": {"content": [{"type": "text", "text": "All is well today."}], "stop_reason": "end_turn"}}}"#;

#[test]
fn a_broken_file_beside_recordings_is_added_and_one_of_another_program_is_not() {
    let other = "{\"name\": \"x\"}";
    let project = Project::new(&[
        ("old/s/a.json", OLD),
        ("new/s/a.json", OLD),
        ("new/s/cut.json", "{\"stre"),
        ("new/s/other.json", other),
        ("new/t/cut.json", "{\"stre"),
    ]);
    let run = project.run(&["diff", "old", "new"]);
    assert!(
        run.stdout.contains("s/cut.json  (added, the new version cannot be read: line 1: "),
        "{}",
        run.printed()
    );
    assert!(!run.stdout.contains("other.json"), "{}", run.printed());
    assert!(!run.stdout.contains("t/cut.json"), "{}", run.printed());
    assert_eq!(run.code, Some(1));
}

#[test]
fn added_and_removed_files_are_decided_too() {
    let project = Project::new(&[("retake.toml", ""), ("s/gone.json", OLD), ("s/kept.json", OLD)]);
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "recorded"]);
    std::fs::remove_file(project.path("s/gone.json")).unwrap();
    let new = OLD.replace("well today", "lost").replace("end_turn", "max_tokens");
    project.write(
        "s/deep/new.json",
        new.replace("hi", "something else entirely, which nobody said before"),
    );
    project.write("s/kept.json", &new);
    project.write("package.json", r#"{"name": "not a take"}"#);
    let run = project.run(&["review", ".", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    for file in ["s/gone.json", "s/kept.json"] {
        assert_eq!(project.read(file), OLD);
    }
    assert!(!project.path("s/deep/new.json").exists());
    let run = project.run(&["review", "s", "--accept", "nothing-like-it"]);
    assert_eq!(run.code, Some(2));
    insta::assert_snapshot!(run.stderr, @"retake: No group and no changed file matches nothing-like-it");
}

/// 200 recordings: 40 that differ only in times, 20 only in white space, 20 that are named otherwise, 10 removed, 10 added.
fn rerecorded() -> (Project, Vec<(String, String)>) {
    let project = Project::new(&[("retake.toml", "")]);
    let recording = |number: usize, answer: &str, second: usize| {
        let text = OLD.replace("hi", &format!("question number {number} of the day"));
        let stamp = format!(r#", "recordedAt": "2026-03-12T15:22:{second:02}.311Z"}}"#);
        let text = text.replace("well today", answer);
        format!("{}{stamp}\n", text.strip_suffix('}').unwrap())
    };
    let path = |number: usize| format!("s/{}/turn-{number}.json", number % 7);
    let old = (0..200).map(|number| (path(number), recording(number, "well today", 1)));
    let old: Vec<(String, String)> = old.collect();
    for (path, text) in &old {
        project.write(path, text);
    }
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "recorded"]);
    for (number, (path, text)) in old.iter().enumerate() {
        match number {
            0..40 => project.write(path, recording(number, "well today", 2)),
            40..60 => project.write(path, text.replace(": ", ":  ")),
            60..80 => {
                std::fs::remove_file(project.path(path)).unwrap();
                let path = path.replace("turn", "req");
                project.write(&path, recording(number, "well today", 3));
            }
            80..90 => std::fs::remove_file(project.path(path)).unwrap(),
            90..100 => {
                let text = recording(number, "lost now", 4);
                project.write(&path.replace("turn", "added"), text.replace("day", "night"));
            }
            _ => project.write(path, recording(number, "lost now", 5)),
        }
    }
    (project, old)
}

/// Every recording that is there.
fn files(project: &Project) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in 0..7 {
        for entry in std::fs::read_dir(project.path(&format!("s/{folder}"))).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("s/{folder}/{name}");
            files.push((path.clone(), project.read(&path)));
        }
    }
    files.sort();
    files
}

#[test]
fn rejecting_all_brings_every_byte_back_and_accepting_all_none() {
    let (project, mut old) = rerecorded();
    old.sort();
    let run = project.run(&["review", "s", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert!(files(&project) == old, "{}", run.stdout);

    let (project, _) = rerecorded();
    let new = files(&project);
    let run = project.run(&["review", "s", "--accept", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert!(files(&project) == new, "{}", run.stdout);
    // What was accepted can still be rejected.
    let run = project.run(&["review", "s", "--reject", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert!(files(&project) == old, "{}", run.stdout);
}

#[test]
fn noise_selects_what_differs_only_in_what_is_ignored_and_all_the_rest_beside_it() {
    let (project, old) = rerecorded();
    let new = files(&project);
    let run = project.run(&["review", "s", "--reject", "noise", "--accept", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    let found = files(&project);
    // What differs only in its bytes is noise as well.
    let is_noise = |path: &String| old[..60].iter().any(|(noisy, _)| noisy == path);
    for ((path, found), (_, new)) in found.iter().zip(&new) {
        let before = old.iter().find(|(old, _)| is_noise(path) && old == path);
        assert_eq!(found, before.map_or(new, |(_, text)| text), "{path}");
    }
    let run = project.run(&["review", "s", "--reject", "all", "--accept", "all"]);
    assert_eq!(run.code, Some(2));
    insta::assert_snapshot!(run.stderr, @"retake: Selected twice: all");
}

#[test]
fn pending_files_replace_the_files_beside_them() {
    let new = OLD.replace("All is well", "Nothing works");
    let project = Project::new(&[
        ("retake.toml", ""),
        ("s/a.json", OLD),
        ("s/a.json.new", &new),
        ("s/b.json", OLD),
        ("s/b.json.new", &new),
    ]);
    let run =
        project.run(&["review", "s", "--pending", "--accept", "s/a.json", "--reject", "s/b.json"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert_eq!(project.read("s/a.json"), new);
    assert_eq!(project.read("s/b.json"), OLD);
    assert!(!project.path("s/a.json.new").exists() && !project.path("s/b.json.new").exists());
}

#[test]
fn a_difference_is_shown_as_text_json_and_one_page() {
    let new = OLD
        .replace("All is well", "Nothing <b>works</b>")
        .replace("\"name\"", "\"description\": \"on\", \"name\"");
    let project = Project::new(&[
        ("old.json", OLD),
        ("new.json", &new),
        ("same.json", &OLD.replace(' ', "  ").replace("All  is  well  today", "All is well today")),
    ]);
    let run = project.run(&["diff", "old.json", "new.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @r#"
    We sent something else: 1 pair
    Field `description` added  1 pair, offered tools and answer text
      new.json
        + Field `description` of tool `go` added  /request/tools/0/description
            + "on"
        ~ Answer text, 3 words became 4  /response/response/content/0/text
            - "All is well today."
            + "Nothing <b>works</b> today."

    1 pair differs; 0 only in ignored values, 0 only in bytes
    "#);
    let run = project.run(&["diff", "old.json", "new.json", "--format", "html"]);
    assert!(run.stdout.contains("<ins>Nothing &lt;b&gt;works&lt;/b&gt;</ins>"), "{}", run.stdout);
    assert!(!run.stdout.contains("http"), "the page needs nothing else");
    let run = project.run(&[
        "diff",
        "old.json",
        "new.json",
        "--ignore",
        "description",
        "/response/**/text",
        "--format",
        "json",
    ]);
    assert_eq!((run.code, &run.json()["pairs"][0]["status"]), (Some(0), &json!("ignored-only")));
    let run = project.run(&["diff", "old.json", "same.json", "--format", "json"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(
        (&run.json()["pairs"][0]["status"], &run.json()["pairs"][0]["bytes_only"]),
        (&json!("same"), &json!(true))
    );
    // As a tool of git, where there is no file on one side.
    let run = project.run(&["diff", "/dev/null", "new.json", "--format", "json"]);
    assert_eq!((run.code, &run.json()["pairs"][0]["status"]), (Some(1), &json!("added")));
}

#[test]
fn a_comment_for_a_pull_request_has_groups_pairs_and_decisions() {
    let new = OLD.replace("All is well", "Nothing `<b>` for @team");
    let project = Project::new(&[("retake.toml", ""), ("old/a.json", OLD), ("new/a.json", &new)]);
    let run = project.run(&["diff", "old", "new", "--format", "markdown"]);
    insta::assert_snapshot!(run.printed(), @r#"
    1
    ### old and new

    1 pair differs; 0 only in ignored values, 0 only in bytes

    **Model answered differently: 1 pair**

    #### Text changed

    1 pair, answer text (`worded-otherwise`)

    - Answer text, 3 words became 4 `/response/response/content/0/text`, show: `retake 'new/a.json#pointer=/response/response/content/0/text'`
      ```diff
      - "All is well today."
      + "Nothing `<b>` for @team today."
      ```

    <details><summary>1 pair</summary>

    - `a.json`

    </details>
    ---
    "#);
    project.write("old/b.json", OLD.replace("\"hi\"", "\"ho\""));
    project.write("new/b.json", new.replace("\"hi\"", "\"ho\""));
    let review = |more: &[&str]| {
        let arguments = ["review", "new", "--against", "old"];
        project.run(&[&arguments, more].concat())
    };
    let run = review(&[
        "--accept",
        "new/b.json",
        "--note",
        "As *agreed*\non Monday",
        "--format",
        "markdown",
    ]);
    insta::assert_snapshot!(run.printed(), @r#"
    1
    ### old and new

    2 pairs in 1 group; 0 only in ignored values, 0 only in bytes; 1 of 2 decided, 1 group left

    **Model answered differently: 2 pairs**

    #### “All is well” became “Nothing `<b>` for @<!-- -->team”

    2 pairs, answer text, uniform (`all-is-well-became-nothing-b-for-team`): 1 undecided, 1 accepted

    - Answer text, 3 words became 4 `/response/response/content/0/text`, show: `retake 'new/a.json#pointer=/response/response/content/0/text'`
      ```diff
      - "All is well today."
      + "Nothing `<b>` for @team today."
      ```

    <details><summary>2 pairs</summary>

    - `new/a.json`: undecided
    - `new/b.json`: accepted<br>As \*agreed\*<br>on Monday

    </details>
    ---
    "#);
    let run = review(&["--format", "html"]);
    for text in [
        "<p>1 of 2 decided, 1 group left.</p>",
        "1 undecided, 1 accepted</span>",
        "changed: accepted</span>",
        "<p>As *agreed*<br>on Monday</p>",
    ] {
        assert!(run.stdout.contains(text), "{text}: {}", run.stdout);
    }
    insta::assert_snapshot!(review(&["--format", "text"]).printed(), @"
    1
    Model answered differently: 2 pairs
    “All is well” became “Nothing `<b>` for @team”  2 pairs, answer text, uniform: 1 undecided, 1 accepted
      all-is-well-became-nothing-b-for-team
        new/a.json
        new/b.json  (accepted)
          As *agreed*
          on Monday
    1 of 2 decided, 1 group left
    ---
    ");
    let json = review(&["--format", "json"]).stdout;
    assert_eq!(json, review(&["--json"]).stdout);
    let diff = |format: &[&str]| project.run(&[&["diff", "old", "new"], format].concat());
    assert_eq!(diff(&["--json"]).stdout, diff(&["--format", "json"]).stdout);
    assert_eq!(diff(&["--json", "--format", "text"]).code, Some(2));
}

#[test]
fn what_is_to_be_discussed_is_undecided_and_a_note_is_about_its_group() {
    let (project, _) = rerecorded();
    let before = files(&project);
    let review = |more: &[&str]| project.run(&[&["review", "s"], more].concat());
    let groups = review(&["--json"]).json()["groups"].clone();
    let id = groups[0]["id"].as_str().unwrap().to_owned();
    let run = review(&["--discuss", &id, "--note", "Is the `answer` meant?", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(files(&project), before, "no file changes");
    let json = run.json();
    assert_eq!(json["groups"][0]["note"], "Is the `answer` meant?");
    let pairs = json["pairs"].as_array().unwrap().iter();
    let pairs: Vec<&Value> = pairs.filter(|pair| pair["group"] == id.as_str()).collect();
    assert!(!pairs.is_empty());
    for pair in &pairs {
        let state = (&pair["verdict"], &pair["decided"], &pair["note"]);
        assert_eq!(state, (&json!("discuss"), &json!(false), &json!("")));
    }
    // A pair in which nothing but noise differs needs no decision, unless it is to be discussed.
    let run = review(&["--accept", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = review(&["--discuss", "noise", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let json = run.json();
    let mut pairs_of_noise = json["pairs"].as_array().unwrap().iter();
    let noise = pairs_of_noise.find(|pair| pair["verdict"] == "discuss");
    assert_eq!(noise.unwrap()["decided"], false);
    // Everything is decided, and one pair gets a note of its own.
    let run = review(&["--reject", "noise", "--accept", "all"]);
    assert_eq!(run.code, Some(0), "{}\n{}", run.stdout, run.stderr);
    let path = pairs[0]["new"].as_str().unwrap();
    let run = review(&["--discuss", path, "--note", "Here, too"]);
    assert_eq!(run.code, Some(1));
    for line in ["Is the `answer` meant?", "(to discuss)", "Here, too", "1 to discuss, "] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    let markdown = review(&["--format", "markdown"]).stdout;
    assert!(markdown.contains("\n> Is the `answer` meant?\n"), "{markdown}");
    assert!(markdown.contains(": to discuss<br>Here, too\n"), "{markdown}");
    let html = review(&["--format", "html"]).stdout;
    assert!(html.contains("<p>Is the `answer` meant?</p>"), "{html}");
    // What was written can be undone, and with it the decisions.
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(review(&[]).code, Some(0));
}

/// A cassette of two calls, in which a model answers this. `run` is in everything that differs between two recordings of the same.
fn cassette(answers: [&str; 2], run: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Refund order 4471."})];
    let mut text = String::from("interactions:\n");
    for (number, answer) in answers.into_iter().enumerate() {
        let request = json!({"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": messages});
        let answered = json!({"id": format!("msg_{run}{number}0000000000"), "type": "message", "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": answer}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 20 + run, "output_tokens": 4}});
        let _ = write!(
            text,
            "- request:\n    body: '{request}'\n    headers: {{}}\n    method: POST\n    uri: https://api.anthropic.com/v1/messages\n  \
             response:\n    body: {{string: '{answered}'}}\n    headers:\n      request-id: [req_{run}{number}]\n    status: {{code: 200, message: OK}}\n"
        );
        messages.push(json!({"role": "assistant", "content": answer}));
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    text + "version: 1\n"
}

/// Returns a project with cassettes at these paths, committed with the first answers and recorded again with the second ones.
fn re_recorded(cassettes: &[(&str, [&str; 2], [&str; 2])]) -> Project {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    for (path, before, _) in cassettes {
        project.write(path, cassette(*before, 1));
    }
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    for (path, _, after) in cassettes {
        project.write(path, cassette(*after, 2));
    }
    project
}

#[test]
fn a_change_of_a_cassette_is_shown_in_its_call() {
    let project = re_recorded(&[(
        "cassettes/a.yaml",
        ["I look at it.", "It is refunded."],
        ["I check the order.", "It is refunded."],
    )]);
    let run = project.run(&["diff", "cassettes", "--no-pager"]);
    insta::assert_snapshot!(run.stdout, @r#"
    Model answered differently: 1 pair
    Reworded  1 pair, messages and answer text
      cassettes/a.yaml
        ~ Call 1: answer text, 3 words replaced  /interactions/0/response/body/string#/content/0/text
            - "I look at it."
            + "I check the order."
        1 more change in call 2 follows from the above
        6 differences ignored: 2 IDs, 2 headers and 2 token counts

    1 pair differs; 0 only in ignored values, 0 only in bytes
    "#);
    let run = project.run(&["diff", "cassettes", "--format", "markdown", "--no-pager"]);
    insta::assert_snapshot!(run.stdout, @r#"
    ### cassettes since HEAD

    1 pair differs; 0 only in ignored values, 0 only in bytes

    **Model answered differently: 1 pair**

    #### Reworded

    1 pair, messages and answer text (`worded-otherwise`)

    - Call 1: answer text, 3 words replaced `/interactions/0/response/body/string#/content/0/text`, show: `retake 'cassettes/a.yaml#call=1'`
      ```diff
      - "I look at it."
      + "I check the order."
      ```
    - 1 more change in call 2 follows from the above

    <details><summary>1 pair</summary>

    - `cassettes/a.yaml`

    </details>
    "#);
    let html = project.run(&["diff", "cassettes", "--format", "html", "--no-pager"]);
    assert!(html.stdout.contains("Repeated in later calls, 1"));
    let json = project.run(&["diff", "cassettes", "--json"]).json();
    let changes = json["pairs"][0]["changes"].as_array().unwrap();
    let repeated = changes.iter().find(|it| it["follows"] == "call 1").unwrap();
    assert_eq!(repeated["pointer"], "/interactions/1/request/body#/messages/1/content");
    // The old answer is decided by its place, as the window does.
    assert_eq!(project.run(&["review", "cassettes", "--reject", "all"]).code, Some(0));
    assert_eq!(project.git(&["status", "--porcelain", "cassettes"]), "");
}

#[cfg(unix)]
#[test]
fn a_link_that_git_tracks_is_neither_added_nor_removed() {
    let recording = recording(0, 1, Time::Old);
    let project = Project::new(&[("a/x.json", &recording), ("b/c/other.txt", "")]);
    for (target, link) in [
        ("../a/x.json", "b/link.json"),
        ("link.json", "b/again.json"),
        ("../a", "b/folder"),
        ("../folder/x.json", "b/c/over.json"),
        ("nothing.json", "b/dangling.json"),
        ("round.json", "b/round.json"),
    ] {
        std::os::unix::fs::symlink(target, project.path(link)).unwrap();
    }
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git_on(Some(1), &["commit", "-q", "-m", "recorded"]);
    let states = || {
        let run = project.run(&["review", ".", "--json"]);
        let review = run.json();
        let pairs = review["pairs"].as_array().unwrap().iter();
        let states = pairs.map(|pair| format!("{} {}", pair["new"], pair["status"]));
        states.collect::<Vec<String>>().join("\n")
    };
    insta::assert_snapshot!(states(), @r#"
    "a/x.json" "same"
    "b/again.json" "same"
    "b/c/over.json" "same"
    "b/link.json" "same"
    "#);
    project.write("a/x.json", recording.replace("You sort", "You file"));
    insta::assert_snapshot!(states(), @r#"
    "a/x.json" "changed"
    "b/again.json" "changed"
    "b/c/over.json" "changed"
    "b/link.json" "changed"
    "#);
    project.run(&["review", ".", "--reject", "all"]);
    assert_eq!(project.read("a/x.json"), recording);
    assert!(project.path("b/link.json").is_symlink());
}

/// A project in which an answer was edited by hand after it was recorded, and then everything was recorded again.
pub(crate) fn edited_by_hand() -> Project {
    let project = Project::new(&[(".gitignore", "/state\n")]);
    project.git(&["init", "-q", "-b", "main"]);
    let commit = |day: usize, text: String, subject: &str| {
        project.write("fixtures/a.yaml", text);
        project.git(&["add", "-A"]);
        project.git_on(Some(day), &["commit", "-q", "-m", subject]);
    };
    project.write("fixtures/b.yaml", cassette(["Hello", "Bye"], 5));
    commit(1, cassette(["Refund of 10", "Done"], 1), "Record");
    commit(2, cassette(["Refund of 11", "Done"], 1), "Test the limit");
    project.write("fixtures/a.yaml", cassette(["Refund of ten", "Done, thanks"], 2));
    project.write("fixtures/b.yaml", cassette(["Hello", "Good bye"], 6));
    project
}

#[test]
fn what_was_edited_by_hand_is_never_overwritten_without_a_choice() {
    let project = edited_by_hand();
    let short = project.git(&["rev-parse", "--short=7", "HEAD"]);
    let remark = format!("overwrites 2 values edited by hand in {}", short.trim());
    let accepted = |arguments: &[&str]| {
        let all = [&["review", "fixtures", "--accept", "all"], arguments].concat();
        project.run(&all)
    };
    let states = || {
        let review = project.run(&["review", "fixtures", "--json"]).json();
        let pairs = review["pairs"].as_array().unwrap().iter();
        pairs.map(|pair| pair["verdict"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let listed = project.run(&["review", "fixtures"]);
    assert!(listed.stdout.contains(&format!("a.yaml  ({remark})")), "{}", listed.stdout);
    let new = project.read("fixtures/a.yaml");

    // Without a choice, the rest is accepted and the file with the edit is left undecided.
    let run = accepted(&[]);
    let message = format!(
        "Not accepted, since it {remark}; add --keep-edits or --overwrite-edits: fixtures/a.yaml"
    );
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains(&message), "{}", run.stderr);
    assert_eq!(states(), [None, Some("accept".to_owned())]);

    // The edit is kept, and all else is as it was recorded again.
    assert_eq!(accepted(&["--keep-edits"]).code, Some(0));
    let kept = project.read("fixtures/a.yaml");
    assert_eq!(kept, new.replace("Refund of ten", "Refund of 11"));
    assert_eq!(states(), [Some("part".to_owned()), Some("accept".to_owned())]);
    assert_eq!(accepted(&[]).code, Some(0));

    // Overwriting it is a choice, too, and lasts.
    project.write("fixtures/a.yaml", &new);
    std::fs::remove_file(project.path(".retake/review.json")).unwrap();
    assert_eq!(accepted(&["--overwrite-edits"]).code, Some(0));
    assert_eq!(project.read("fixtures/a.yaml"), new);
    let again = accepted(&[]);
    assert_eq!((again.code, again.stderr.contains("Not accepted")), (Some(0), false));

    assert_eq!(accepted(&["--keep-edits", "--overwrite-edits"]).code, Some(2));
    assert_eq!(accepted(&["--keep-edits", "--keep-noise"]).code, Some(2));
}

#[test]
fn a_pending_file_overwrites_what_was_edited_by_hand_only_on_request() {
    let project = Project::new(&[(".gitignore", "/state\n")]);
    project.git(&["init", "-q", "-b", "main"]);
    project.write("fixtures/a.yaml", cassette(["Refund of 10", "Done"], 1));
    project.git(&["add", "-A"]);
    project.git_on(Some(1), &["commit", "-q", "-m", "Record"]);
    // The edit is not committed.
    project.write("fixtures/a.yaml", cassette(["Refund of 11", "Done"], 1));
    project.write("fixtures/a.yaml.new", cassette(["Refund of ten", "Done"], 2));
    let run = project.run(&["review", "fixtures", "--pending", "--accept", "all"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("overwrites 2 values edited by hand;"), "{}", run.stderr);
    let run = project.run(&["review", "fixtures", "--pending", "--accept", "all", "--keep-edits"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(project.read("fixtures/a.yaml").contains("Refund of 11"));
}
