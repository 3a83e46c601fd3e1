//! Tests of runs: the reported calls and their explanations.

use std::sync::Arc;

use serde_json::json;

use super::testing::{describe_run, play, played_request, recording, set, stored};
use super::{PlaybackClient, PlaybackMode, PlaybackRules, PlaybackRun, PlayerState};

const HYBRID: PlaybackRules =
    PlaybackRules { mode: PlaybackMode::Hybrid, client: PlaybackClient::Shipped };

const SIGNATURE: PlaybackRules =
    PlaybackRules { mode: PlaybackMode::Signature, client: PlaybackClient::Shipped };

fn misses(run: &PlaybackRun, call: usize) -> String {
    let nearest = run.misses(call, 9).nearest;
    let line = |miss: &super::Miss| {
        let reasons: Vec<_> = miss.reasons.iter().map(|reason| reason.sentence()).collect();
        let label = run.set.recordings[miss.index].label();
        let (short, change) = (miss.short(), miss.change(run));
        format!("{label}: {short} | {} | {change}", reasons.join(". "))
    };
    nearest.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn why(run: &PlaybackRun, call: usize) -> String {
    let steps = run.explain(call);
    let steps = steps.iter().map(|step| format!("{:?}: {}", step.status, step.text));
    steps.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_tool_that_no_recording_offers_is_the_cause() {
    let intake = recording("req-0", "intake", "transition_to_classify", 1);
    let classify = recording("req-1", "classify", "transition_to_respond read_T", 1);
    let later = recording("req-2", "classify", "transition_to_respond read_T", 3);
    let now = recording("", "classify", "transition_to_reply transition_to_refund read_T", 1);
    let set = set([("a", intake.clone()), ("b", classify), ("c", later)]);
    let run = play(&set, HYBRID, [&intake, &now]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: 1 of 2 calls gets a wrong answer, because classify now offers refund and reply, but no recording does.
    Hybrid mode falls back to position. Call 2 then gets a call of transition_to_classify, a tool that is not offered.
    1 intake: req-0 by Signature, Right answer
    2 classify: req-0 by Sequential, Wrong answer It answers with a call of transition_to_classify, which is not offered
    ");
    insta::assert_snapshot!(misses(&run, 1), @"
    req-1: 2 missing, 1 extra tool | It lacks transition_to_refund and transition_to_reply and additionally has transition_to_respond | Record it again with the tools that are offered now.
    req-2: 2 missing, 1 extra tool, 3 messages, not 1 | It lacks transition_to_refund and transition_to_reply and additionally has transition_to_respond. It has 3 messages, the request has 1 | Record it again with the tools that are offered now.
    ");
    insta::assert_snapshot!(why(&run, 1), @"
    Doubtful: No recording has the signature of this request, so matching by signature finds none.
    Doubtful: Hybrid mode then serves position 1, recorded at node `intake`, already served in call 1.
    Bad: The client only warns that the tools differ, and it returns a call of `transition_to_classify`.
    ");
    let run = play(&set, SIGNATURE, [&now]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: The call finds no recording, because classify now offers refund and reply, but no recording does.
    The test stops here.
    1 classify: none, No recording
    ");
    insta::assert_snapshot!(why(&run, 0), @"
    Doubtful: No recording has the signature of this request, so matching by signature finds none.
    Bad: Signature mode has no fallback: the client fails with an error.
    ");
    insta::assert_snapshot!(run.error(0).unwrap(), @r#"
    ❌ No matching recording found for request

    Current Request:
      Tools (3): read_T, transition_to_refund, transition_to_reply
      Message count: 1

    Available Recordings:
      [0] req-0
          Tools: transition_to_classify
          Messages: 1
      [1] req-1
          Tools: read_T, transition_to_respond
          Messages: 1
      [2] req-2
          Tools: read_T, transition_to_respond
          Messages: 3

    Troubleshooting:
      1. Regenerate recordings if source file changed
      2. Check that tool names match exactly
      3. Use matchingMode: "hybrid" for backward compatibility

      Recordings directory: set
    "#);
}

#[test]
fn an_answer_that_never_fitted_its_own_request_is_the_cause() {
    let mut recording = recording("req-0", "intake", "transition_to_classify", 1);
    recording["response"]["response"]["content"][0]["name"] = json!("transition_to_close");
    let run = play(&set([("a", recording.clone())]), HYBRID, [&recording]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: The call gets a wrong answer, because recorded answers call tools that these requests do not offer.
    Call 1 gets a call of transition_to_close, a tool that is not offered.
    1 intake: req-0 by Signature, Wrong answer It answers with a call of transition_to_close, which is not offered
    ");
}

#[test]
fn stored_context_keys_keep_a_recording_from_the_shipped_client_alone() {
    let one = stored(recording("req-1", "a", "go", 1), &["currentNode"]);
    let two = stored(recording("req-2", "a", "go", 1), &[]);
    let set = set([("a", one.clone()), ("b", two.clone())]);
    insta::assert_snapshot!(describe_run(&play(&set, HYBRID, [&one, &two])), @"
    Doubtful: Both calls get an answer that fits, 1 only by position: 1 recording stores context keys, but the shipped client computes none.
    1 a: req-2 by Signature, Right answer
    2 a: req-1 by Sequential, By position only The tools and the message count match, but the stored signature or context keys do not
    ");
    let run = play(&set, HYBRID, [&one, &two]);
    let none = "store context keys, but the client computes none for a request";
    assert!(why(&run, 1).contains(none), "{}", why(&run, 1));
    insta::assert_snapshot!(misses(&play(&set, SIGNATURE, [&one, &two]), 1), @"
    req-1: context keys | It stores the context keys currentNode, but the client computes none for the request | Drop its stored context keys.
    req-2: used by call 1 | Call 1 already used it | Duplicate for a second call.
    ");
    let documented = PlaybackRules { client: PlaybackClient::Documented, ..SIGNATURE };
    insta::assert_snapshot!(describe_run(&play(&set, documented, [&one, &two])), @"
    Bad: 1 of 2 calls finds no recording, because the stored context keys differ from those of the request.
    The test stops here.
    1 a: req-1 by Signature, Right answer
    2 a: none, No recording
    ");
}

#[test]
fn of_several_alike_the_order_decides_only_while_their_answers_differ() {
    let alike = |id| recording(id, "a", "go", 1);
    let files =
        || [("turn-1", alike("req-1")), ("turn-10", alike("req-10")), ("turn-2", alike("req-2"))];
    let call = alike("");
    let run = play(&set(files()), SIGNATURE, [&call, &call, &call, &call]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: 1 of 4 calls finds no recording, because every recording of such a request is already used.
    The test stops here.
    1 a: req-1 by Signature, First of 3 matches 3 unused recordings have this signature but different answers; the first by file order is served
    2 a: req-10 by Signature, First of 2 matches 2 unused recordings have this signature but different answers; the first by file order is served
    3 a: req-2 by Signature, Right answer
    4 a: none, No recording
    ");
    assert_eq!(run.findings.ambiguous, [[0, 1, 2]]);
    let same = set(files().map(|(name, _)| (name, alike("req"))));
    let run = play(&same, SIGNATURE, [&call]);
    insta::assert_snapshot!(describe_run(&run), @"
    Good: The call gets the right answer.
    2 recordings are never used.
    1 a: req by Signature, Right answer
    ");
    assert!(run.findings.ambiguous.is_empty());
}

#[test]
fn a_rename_is_advised_only_where_it_is_offered_as_a_fix() {
    let advice = |second: &str| {
        let first = recording("req-1", "a", "go old", 1);
        let files = [("turn-1", first), ("turn-2", recording("req-2", "b", second, 1))];
        let run = play(&set(files), SIGNATURE, [&recording("", "a", "go new", 1)]);
        let rename = super::fixes::for_call(&run, 0);
        let is_offered =
            rename.iter().any(|fix| matches!(fix, super::fixes::Fix::RenameTool { .. }));
        (misses(&run, 0).contains("Rename "), is_offered)
    };
    assert_eq!(advice("stop"), (true, true));
    // A recording offers both, so they are two tools.
    assert_eq!(advice("new old"), (false, false));
}

#[test]
fn errors_and_empty_answers_are_reported() {
    let good = recording("req-1", "a", "go", 1);
    let mut flat = recording("req-2", "a", "stop", 1);
    flat["response"] = flat["response"]["response"].take();
    let run = play(&set([("a", flat.clone())]), HYBRID, [&flat]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: The call gets undefined, because the recorded answers are not wrapped.
    Starting with call 1. The failure shows up later, where the answer is used.
    1 a: req-2 by Signature, Undefined Its answer is not wrapped, so the client returns undefined
    ");
    insta::assert_snapshot!(why(&run, 0), @"
    Good: Position 1 has the signature of this request, recorded at node `a`.
    Bad: Its answer is not wrapped in `response.response`, so the client returns `undefined`.
    ");
    let foreign = set([("a", good.clone()), ("package", json!({ "name": "x" }))]);
    let run = play(&foreign, HYBRID, [&good, &flat]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: The client fails at call 2 with a TypeError, because package.json lacks a value that it reads.
    Each request that no recording before it answers makes the client read that file.
    1 a: req-1 by Signature, Right answer
    2 a: none, Client fails The client fails because a file lacks a value that it reads
    ");
    insta::assert_snapshot!(why(&run, 1), @"
    Doubtful: While matching by signature, the client reads the unused recording `package.json`.
    Bad: The client fails there: TypeError: Cannot read properties of undefined (reading 'messages').
    ");
    let mut no_keys = stored(good.clone(), &[]);
    no_keys["signature"].as_object_mut().unwrap().remove("contextKeys");
    let run = play(&set([("a", no_keys)]), HYBRID, [&flat, &good]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: 1 of 2 calls finds no recording, and 1 gets a wrong answer, because a now offers stop, but no recording does.
    Hybrid mode falls back to position. Call 1 then gets a call of go, a tool that is not offered.
    1 a: req-1 by Sequential, Wrong answer It answers with a call of go, which is not offered
    2 a: none, No recording
    ");
}

#[test]
fn past_the_end_each_client_has_its_own_way() {
    let one = recording("req-1", "a", "go", 1);
    let set = set([("a", one.clone())]);
    for client in PlaybackClient::ALL {
        let mode = PlaybackMode::Sequential;
        let run = play(&set, PlaybackRules { mode, client }, [&one, &one]);
        insta::allow_duplicates! {
            match client {
                PlaybackClient::Browser => insta::assert_snapshot!(describe_run(&run), @"
                Bad: 1 of 2 calls finds no recording, because there is only 1 recording.
                Call 2 gets an empty answer, and the run continues.
                1 a: req-1 by Sequential, Right answer
                2 a: none, Empty answer The client returns its empty answer
                "),
                _ => insta::assert_snapshot!(describe_run(&run), @"
                Bad: 1 of 2 calls finds no recording, because there is only 1 recording.
                The test stops here.
                1 a: req-1 by Sequential, Right answer
                2 a: none, No recording
                "),
            }
        }
    }
}

#[test]
fn a_run_goes_on_from_a_state() {
    let one = recording("req-1", "a", "go", 1);
    let set = set([("a", one.clone()), ("b", recording("req-2", "a", "go", 1))]);
    let start_state = PlayerState { used: vec![true, false], next: 1 };
    let run = PlaybackRun::resume(set, HYBRID, start_state.clone(), vec![played_request(&one); 3]);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: 1 of 3 calls finds no recording, because every recording of such a request is already used.
    The test stops here.
    1 a: req-2 by Signature, Right answer
    2 a: req-2 by Sequential, Used again It matches, but it was already used and is served again
    3 a: none, No recording
    ");
    assert_eq!(run.state_after(0), start_state);
    assert_eq!(run.state_after(9).used, [true, true]);
    assert!(run.findings.unused.is_empty());
    let twice = |run: &PlaybackRun| -> Vec<(usize, bool, Vec<usize>)> {
        let twice = run.findings.served_twice.iter();
        twice.map(|miss| (miss.recording, miss.is_used_before, miss.calls.clone())).collect()
    };
    assert_eq!(twice(&run), [(1, false, vec![0, 1])]);
    // One that was used before is served a second time by its first call.
    let rules = PlaybackRules { mode: PlaybackMode::Sequential, ..HYBRID };
    let again = PlayerState { used: vec![true, false], next: 0 };
    let run = PlaybackRun::resume(Arc::clone(&run.set), rules, again, vec![played_request(&one)]);
    assert_eq!(twice(&run), [(0, true, vec![0])]);
    let run = PlaybackRun::resume(Arc::clone(&run.set), rules, PlayerState::default(), Vec::new());
    assert!(run.findings.unused.is_empty(), "nothing is played");
    assert_eq!(run.summary.detail, "");
}

#[test]
fn a_file_that_is_no_json_is_passed_over() {
    let pool = calls::Pool::default();
    let read = |text: &str| {
        let document = super::testing::document(text);
        super::SetRecording::read("a.json".into(), &document, &pool)
            .map(|recording| recording.comparison)
    };
    insta::assert_debug_snapshot!(read("{ \"request\": "), @r#"
    Err(
        SkippedFile {
            path: "a.json",
            reason: "The file ends inside the object that starts at line 1; `}` is expected (line 1)",
        },
    )
    "#);
    insta::assert_debug_snapshot!(read("\u{feff}{}"), @r#"
    Err(
        SkippedFile {
            path: "a.json",
            reason: "It begins with a byte order mark, which `JSON.parse` refuses",
        },
    )
    "#);
    insta::assert_debug_snapshot!(read(""), @r#"
    Err(
        SkippedFile {
            path: "a.json",
            reason: "The file is empty (line 1)",
        },
    )
    "#);
    assert!(read("null").is_ok());
}

#[test]
fn the_calls_of_an_archive_are_played_and_are_a_set() {
    let archive = calls::reading::testing::archive(&[
        ("go stop", "go", 200),
        ("go", "go", 429),
        ("go", "go", 200),
    ]);
    let archive = document::read(document::text::Source::new(archive), "a.har");
    let pool = calls::Pool::default();
    let path = "in/a.har".into();
    let set = super::RecordingSet::from_calls(&path, &archive, &pool).unwrap();
    let skipped = set.skipped.iter();
    let skipped: Vec<_> = skipped.map(|file| format!("{}: {}", file.path, file.reason)).collect();
    assert_eq!(skipped, ["in/a.har#2: HTTP status 429"]);
    let requests = super::requests::from_document(&path, &archive, &pool).unwrap();
    let run = PlaybackRun::new(std::sync::Arc::new(set), SIGNATURE, requests);
    insta::assert_snapshot!(describe_run(&run), @"
    Bad: By DyGram's rules, 1 of 3 calls finds no recording, because every recording of such a request is already used.
    The test stops here. The file itself has no player.
    1 c1: c1 by Signature, Right answer
    2 a.har#2: c3 by Signature, Right answer
    3 c3: none, No recording
    ");
    assert_eq!(super::fixes::for_run(&run), []);
    assert_eq!(super::fixes::for_call(&run, 1), []);
    let recording = super::testing::document(&recording("req-1", "a", "go", 1).to_string());
    assert!(super::RecordingSet::from_calls(&path, &recording, &pool).is_none());
}
