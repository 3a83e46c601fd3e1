//! The strip of a session, with what the rules find in its answers.

use super::{CheckFacts, check_document};
use author::session::session_strip;
use calls::tape::timing::MILLISECOND;
use document::DocumentBody;
use document::text::Source;

#[test]
fn tool_calls_follow_each_other_in_the_lanes_of_their_tools_and_show_what_failed() {
    let text = "id: a
input: b
tool_responses:
  - {tool: lookup, status: 200, latency_ms: 180, response: ok}
  - {tool: refund, status: 504, latency_ms: 30000, response: null}
  - {tool: refund, status: 429, latency_ms: 0, response: wait}
  - {tool: mail, status: 0, response: null}
  - {tool: lookup, latency_ms: 20, response: [wrong]}
  - {response: ok, latency_ms: -5}
";
    let document = document::read(Source::new(text), "a.yaml");
    let DocumentBody::Session(session) = &document.body else {
        panic!("{:?}", document.body);
    };
    let problems = check_document(&document, &CheckFacts::default());
    let strip = session_strip(session, "", &problems);
    let lanes: Vec<_> = strip.lanes.iter().map(|lane| lane.node.as_deref()).collect();
    assert_eq!(lanes, [Some("lookup"), Some("refund"), Some("mail"), None]);
    let blocks = strip.blocks.iter().map(|block| {
        let [from, to] =
            [block.time.from_nanos, block.time.to_nanos].map(|nanos| nanos / MILLISECOND);
        let measured = if block.is_measured { "" } else { " nominal" };
        format!("{} {from}..{to} ms{measured} {:?}\n", block.lane, block.status)
    });
    insta::assert_snapshot!(blocks.collect::<String>(), @"
        0 0..180 ms Good
        1 180..30180 ms Bad
        1 30180..30181 ms Doubtful
        2 30181..30281 ms nominal Bad
        0 30281..30301 ms Bad
        3 30301..30401 ms nominal Bad
        ");
}
