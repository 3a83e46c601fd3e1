//! Promises of a run: what is told of calls, and why.

use serde_json::json;

use super::testing::{asked, play, recording, set, stored, told};
use super::{Client, Mode, Rules, Run, State};

const HYBRID: Rules = Rules {
    mode: Mode::Hybrid,
    client: Client::Shipped,
};

const SIGNATURE: Rules = Rules {
    mode: Mode::Signature,
    client: Client::Shipped,
};

fn misses(run: &Run, call: usize) -> String {
    let nearest = run.misses(call, 9).nearest;
    let line = |miss: &super::Miss| {
        let reasons: Vec<_> = miss.reasons.iter().map(|it| it.sentence()).collect();
        let label = run.set.recordings[miss.index].label();
        let (short, change) = (miss.short(), miss.change());
        format!("{label}: {short} | {} | {change}", reasons.join(". "))
    };
    nearest.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn why(run: &Run, call: usize) -> String {
    let steps = run.why(call);
    let steps = steps
        .iter()
        .map(|step| format!("{:?}: {}", step.standing, step.text));
    steps.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_tool_that_no_recording_offers_is_the_cause() {
    let intake = recording("req-0", "intake", "transition_to_classify", 1);
    let classify = recording("req-1", "classify", "transition_to_respond read_T", 1);
    let later = recording("req-2", "classify", "transition_to_respond read_T", 3);
    let now = recording(
        "",
        "classify",
        "transition_to_reply transition_to_refund read_T",
        1,
    );
    let set = set([("a", intake.clone()), ("b", classify), ("c", later)]);
    let run = play(&set, HYBRID, [&intake, &now]);
    insta::assert_snapshot!(told(&run), @"");
    insta::assert_snapshot!(misses(&run, 1), @"");
    insta::assert_snapshot!(why(&run, 1), @"");
    let run = play(&set, SIGNATURE, [&now]);
    insta::assert_snapshot!(told(&run), @"");
    insta::assert_snapshot!(why(&run, 0), @"");
    insta::assert_snapshot!(run.error(0).unwrap(), @"");
}

#[test]
fn stored_context_keys_keep_a_recording_from_the_shipped_client_alone() {
    let one = stored(recording("req-1", "a", "go", 1), &["currentNode"]);
    let two = stored(recording("req-2", "a", "go", 1), &[]);
    let set = set([("a", one.clone()), ("b", two.clone())]);
    insta::assert_snapshot!(told(&play(&set, HYBRID, [&one, &two])), @"");
    insta::assert_snapshot!(misses(&play(&set, SIGNATURE, [&one, &two]), 1), @"");
    let documented = Rules {
        client: Client::Documented,
        ..SIGNATURE
    };
    insta::assert_snapshot!(told(&play(&set, documented, [&one, &two])), @"");
}

#[test]
fn of_several_alike_the_order_decides_only_while_their_answers_differ() {
    let alike = |id| recording(id, "a", "go", 1);
    let files = || {
        [
            ("turn-1", alike("req-1")),
            ("turn-10", alike("req-10")),
            ("turn-2", alike("req-2")),
        ]
    };
    let call = alike("");
    let run = play(&set(files()), SIGNATURE, [&call, &call, &call, &call]);
    insta::assert_snapshot!(told(&run), @"");
    assert_eq!(run.findings.ambiguous, [[0, 1, 2]]);
    let same = set(files().map(|(name, _)| (name, alike("req"))));
    let run = play(&same, SIGNATURE, [&call]);
    insta::assert_snapshot!(told(&run), @"");
    assert!(run.findings.ambiguous.is_empty());
}

#[test]
fn what_ends_a_client_or_says_nothing_is_told() {
    let good = recording("req-1", "a", "go", 1);
    let mut flat = recording("req-2", "a", "stop", 1);
    flat["response"] = flat["response"]["response"].take();
    let run = play(&set([("a", flat.clone())]), HYBRID, [&flat]);
    insta::assert_snapshot!(told(&run), @"");
    insta::assert_snapshot!(why(&run, 0), @"");
    let foreign = set([("a", good.clone()), ("package", json!({ "name": "x" }))]);
    let run = play(&foreign, HYBRID, [&good, &flat]);
    insta::assert_snapshot!(told(&run), @"");
    insta::assert_snapshot!(why(&run, 1), @"");
    let mut lacks = stored(good.clone(), &[]);
    lacks["signature"]
        .as_object_mut()
        .unwrap()
        .remove("contextKeys");
    let run = play(&set([("a", lacks)]), HYBRID, [&flat, &good]);
    insta::assert_snapshot!(told(&run), @"");
}

#[test]
fn past_the_end_each_client_has_its_own_way() {
    let one = recording("req-1", "a", "go", 1);
    let set = set([("a", one.clone())]);
    for client in Client::ALL {
        let mode = Mode::Sequential;
        let run = play(&set, Rules { mode, client }, [&one, &one]);
        insta::allow_duplicates! {
            match client {
                Client::Browser => insta::assert_snapshot!(told(&run), @""),
                _ => insta::assert_snapshot!(told(&run), @""),
            }
        }
    }
}

#[test]
fn a_run_goes_on_from_a_state() {
    let one = recording("req-1", "a", "go", 1);
    let set = set([("a", one.clone()), ("b", recording("req-2", "a", "go", 1))]);
    let before = State {
        used: vec![true, false],
        next: 1,
    };
    let run = Run::resume(set, HYBRID, before.clone(), vec![asked(&one); 3]);
    insta::assert_snapshot!(told(&run), @"");
    assert_eq!(run.state_after(0), before);
    assert_eq!(run.state_after(9).used, [true, true]);
    assert!(run.findings.unused.is_empty());
}

#[test]
fn a_file_that_is_no_json_is_passed_over() {
    let pool = crate::ops::Pool::default();
    let read = |text: &str| {
        let document = super::testing::document(text);
        super::Recorded::read("a.json".into(), &document, &pool).map(|it| it.comparison)
    };
    insta::assert_debug_snapshot!(read("{ \"request\": "), @"");
    insta::assert_debug_snapshot!(read("\u{feff}{}"), @"");
    insta::assert_debug_snapshot!(read(""), @"");
    assert!(read("null").is_ok());
}
