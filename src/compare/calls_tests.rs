//! Calls of two documents in, differences out.

use super::calls::{compare, compare_timed};
use calls::reading::testing::archive;
use document::diff::Side;
use document::read;
use document::text::Source;

#[test]
fn calls_are_compared_by_their_positions_and_the_first_that_differs_is_shown() {
    let compared = |left: &[(&str, &str, u16)], right: &[(&str, &str, u16)]| {
        let [left, right] = [left, right].map(|calls| read(Source::new(archive(calls)), "a.har"));
        compare(&left, &right).map(|compared| compared.markdown())
    };
    let old = [("go", "go", 200), ("go stop", "stop", 200), ("a", "a", 200)];
    let new = [("go", "go", 200), ("go", "go", 200), ("b", "b", 200)];
    insta::assert_snapshot!(compared(&old, &new).unwrap(), @"
    - Offered tool `stop`, only left: `/request/tools/1/name`
    - Calls `go` instead of `stop`: `/response/response/content/0/name`
    ");
    let same = compared(&old, &old[..1]).unwrap();
    assert_eq!(same, "");
    assert_eq!(compared(&old, &[]), None);
}

#[test]
fn two_tapes_are_compared_with_the_figures_of_time_that_differ() {
    const OLD: &str = r#"[{"delayNs": 1e9, "text": "It goes"}, {"delayNs": 5e7, "text": " on"}, {"delayNs": 6e7, "text": "."}]"#;
    let tape = |stream: &str| {
        let meta = r#"{"model": "m", "recordedAt": "t"}"#;
        let request = r#"{"model": "m", "contents": "Hi"}"#;
        let text = format!(r#"{{"meta": {meta}, "request": {request}, "stream": {stream}}}"#);
        read(Source::new(text), "t.json")
    };
    let sentences = |new: &str| {
        let compared = compare_timed(&tape(OLD), &tape(new)).unwrap();
        compared.differences.iter().map(|difference| difference.sentence()).collect::<Vec<_>>()
    };
    assert!(sentences(OLD).is_empty());
    assert!(sentences(&OLD.replace("6e7", "6.00001e7")).is_empty());
    let slower = OLD.replace("1e9", "1.2e9").replace("5e7", "3e8");
    assert_eq!(
        sentences(&slower),
        [
            "First chunk after 1.2 s instead of 1.0 s",
            "Longest gap 300 ms instead of 60 ms",
            "Total time 1.6 s instead of 1.1 s"
        ]
    );
    let one = r#"[{"delayNs": 1e9, "text": "It goes on."}]"#;
    assert_eq!(sentences(one).last().unwrap(), "Total time 1.0 s instead of 1.1 s");
    assert_eq!(sentences("[]").last().unwrap(), "Total time 0 ms instead of 1.1 s");
}

#[test]
fn a_comparison_shows_no_words_that_only_recordings_have() {
    let call = |thought: &str, answer: &str, stop: &str| {
        let output = format!(
            r#"[{{"type": "reasoning", "summary": [{{"type": "summary_text", "text": "{thought}"}}]}}, {answer}]"#
        );
        let status = format!(
            r#""status": "{stop}", "incomplete_details": {{"reason": "max_output_tokens"}}"#
        );
        let answer =
            format!(r#"{{"object": "response", "model": "m", {status}, "output": {output}}}"#);
        let exchange = serde_json::json!([{"request": {"method": "POST", "url": "https://api.openai.com/v1/responses",
            "postData": {"text": r#"{"model": "m", "input": "Hi"}"#}},
            "response": {"status": 200, "content": {"text": answer}}}]);
        let text = serde_json::json!({"log": {"entries": exchange}}).to_string();
        read(Source::new(text), "a.har")
    };
    let message = r#"{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]}"#;
    let used = r#"{"type": "function_call", "call_id": "c", "name": "go", "arguments": "{}"}"#;
    let cases = [
        (call("Be kind.", message, "completed"), call("Be nice.", used, "completed")),
        (call("Be kind.", message, "completed"), call("", message, "incomplete")),
    ];
    let mut text = String::new();
    for (left, right) in &cases {
        let compared = compare(left, right).unwrap();
        let [old, new] =
            compared.facts.each_ref().map(|facts| facts.stop_reason.as_deref().unwrap_or("-"));
        text += &format!("{old} → {new}\n{}", compared.markdown());
        for section in &compared.sections {
            let sides =
                [Side::Left, Side::Right].map(|side| section.diff.source(side).text().to_owned());
            text += &format!("{} {:?}\n{}\n", section.title, section.notes, sides.join("\n--\n"));
        }
    }
    assert!(
        !["thinking", "tool_use", "end_turn", "max_tokens"].iter().any(|word| text.contains(word)),
        "{text}"
    );
    insta::assert_snapshot!(text, @r#"
    completed → completed
    - Answer, 1 word changed and 1 line removed: `/response/response/content/0`
    - Calls `go`, only right: `/response/response/content/1/name`
    Answer ["completed", "completed"]
    reasoning: "Be kind."
    Hello.
    --
    reasoning: "Be nice."

    Tool call ["", "c"]

    --
    go

    Request ["message 1 of 1", "message 1 of 1"]
    Hi
    --
    Hi
    completed → max_output_tokens
    - Answer, 2 words: `/response/response/content/0`
    - Stop reason `max_output_tokens` instead of `completed`: `/response/response/stop_reason`
    Answer ["completed", "max_output_tokens"]
    reasoning: "Be kind."
    Hello.
    --
    reasoning: ""
    Hello.
    Request ["message 1 of 1", "message 1 of 1"]
    Hi
    --
    Hi
    "#);
}
