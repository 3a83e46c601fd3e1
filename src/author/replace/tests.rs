use proptest::prelude::*;

use super::*;
use document::text::Source;
use document::{json, read};

fn document(name: &str, text: &str) -> Document {
    read(Source::new(text), name)
}

/// Returns the text afterwards, the places and the refusals, a line for each.
fn replaced(name: &str, text: &str, replacements: &[Replacement]) -> String {
    let plan = plan(&document(name, text), replacements, &|_| false);
    let mut after = text.to_owned();
    if let Some(edit) = &plan.edit {
        edit.apply(&mut after);
    }
    for ReplacePlace { pointer, place, change: PlaceChange { old, new } } in &plan.places {
        let new = new.as_deref().unwrap_or("-");
        after += &format!("\n{place} {pointer}: {old} -> {new}");
    }
    for EditRefusal { reason, place } in &plan.refused {
        after += &format!("\n{place} refused: {reason}");
    }
    after
}

fn set(at: &str, json: &str) -> Replacement {
    Replacement::Set {
        at: PlacePattern::parse(at).unwrap(),
        value: JsonValue::parse(json).unwrap(),
    }
}

fn remove(at: &str) -> Replacement {
    let at = PlacePattern::parse(at).unwrap();
    Replacement::Remove { at }
}

fn exact(old: &str, new: &str) -> Replacement {
    Replacement::Text { find: TextPattern::exact(old, new).unwrap(), at: None }
}

fn regex(pattern: &str, new: &str, at: Option<&str>) -> Replacement {
    Replacement::Text {
        find: TextPattern::regex(pattern, new).unwrap(),
        at: at.map(|at| PlacePattern::parse(at).unwrap()),
    }
}

fn rename(kind: RenameKind, from: &str, to: &str) -> Replacement {
    Replacement::Rename { kind, from: from.to_owned(), to: to.to_owned() }
}

#[test]
fn a_star_is_every_part_of_one_level() {
    let json = r#"{"a": [{"s": 1, "t": 2}, {"s": 200}, {"t": 3}, 7], "*": {"s": 4}}"#;
    insta::assert_snapshot!(replaced("x.json", json, &[set("/a/*/s", "200")]), @r#"
    {"a": [{"s": 200, "t": 2}, {"s": 200}, {"t": 3}, 7], "*": {"s": 4}}
    1:14 /a/0/s: 1 -> 200
    "#);
    insta::assert_snapshot!(replaced("x.json", json, &[set("/*/*/s", "[1, 2]"), remove("/a/*/t")]), @r#"
    {"a": [{"s": [1, 2]}, {"s": [1, 2]}, {}, 7], "*": {"s": 4}}
    1:14 /a/0/s: 1 -> [1, 2]
    1:22 /a/0/t: 2 -> -
    1:32 /a/1/s: 200 -> [1, 2]
    1:44 /a/2/t: 3 -> -
    "#);
    insta::assert_snapshot!(replaced("x.json", json, &[set("/*/s", "null"), set("/no/*", "1")]), @r#"
    {"a": [{"s": 1, "t": 2}, {"s": 200}, {"t": 3}, 7], "*": {"s": null}}
    1:63 /*/s: 4 -> null
    "#);
}

#[test]
fn only_the_bytes_of_a_match_change() {
    let json = r#"{"a": "caf\u00e9 respond \ud83d respond", "respond": ["re\u0073pond", "x"]}"#;
    insta::assert_snapshot!(replaced("x.json", json, &[exact("respond", "reply")]), @r#"
    {"a": "caf\u00e9 reply \ud83d reply", "respond": ["reply", "x"]}
    1:18 /a: "respond" -> "reply"
    1:33 /a: "respond" -> "reply"
    1:56 /respond/0: "respond" -> "reply"
    "#);
    insta::assert_snapshot!(replaced("x.json", json, &[exact("x", "é\n\"")]), @r#"
    {"a": "caf\u00e9 respond \ud83d respond", "respond": ["re\u0073pond", "\u00e9\n\""]}
    1:72 /respond/1: "x" -> "é\n\""
    "#);
    let yaml = "a: respond to   # respond\nb: 'it''s respond'\nc: |\n  respond\n   respond\nd: \"respond\\n\"\nrespond: x\n";
    insta::assert_snapshot!(replaced("x.yaml", yaml, &[exact("respond", "reply")]), @r#"
    a: reply to   # respond
    b: 'it''s reply'
    c: |
      reply
       reply
    d: "reply\n"
    respond: x

    1:4 /a: "respond" -> "reply"
    2:11 /b: "respond" -> "reply"
    4:3 /c: "respond" -> "reply"
    5:4 /c: "respond" -> "reply"
    6:5 /d: "respond" -> "reply"
    "#);
}

#[test]
fn a_text_that_needs_quotes_gets_them_in_the_style_of_the_file() {
    let yaml = "a: respond\nb: 'x'\nc: respond more\n";
    insta::assert_snapshot!(replaced("x.yaml", yaml, &[exact("respond", "no")]), @r#"
    a: 'no'
    b: 'x'
    c: no more

    1:4 /a: "respond" -> "no"
    3:4 /c: "respond" -> "no"
    "#);
    insta::assert_snapshot!(replaced("x.yaml", yaml, &[exact("respond", "- : #")]), @r#"
    a: '- : #'
    b: 'x'
    c: '- : # more'

    1:4 /a: "respond" -> "- : #"
    3:4 /c: "respond" -> "- : #"
    "#);
}

#[test]
fn groups_of_a_pattern_are_in_the_new_text() {
    let json = r#"{"ids": ["req-12", "req-7"], "other": "req-3"}"#;
    let replacement = regex(r"req-(\d+)", "call-${1}0", Some("/ids"));
    insta::assert_snapshot!(replaced("x.json", json, &[replacement]), @r#"
    {"ids": ["call-120", "call-70"], "other": "req-3"}
    1:11 /ids/0: "req-12" -> "call-120"
    1:21 /ids/1: "req-7" -> "call-70"
    "#);
    insta::assert_snapshot!(TextPattern::regex("a(", "").unwrap_err(), @"The regular expression is invalid: unclosed group");
    insta::assert_snapshot!(TextPattern::exact("", "a").unwrap_err(), @"The text to replace is empty");
}

#[test]
fn what_cannot_be_replaced_is_refused_and_the_rest_is_replaced() {
    let twice = r#"{"a": 1, "b": "old", "a": 2}"#;
    insta::assert_snapshot!(replaced("x.json", twice, &[remove("/a"), exact("old", "new")]), @r#"
    {"a": 1, "b": "new", "a": 2}
    1:16 /b: "old" -> "new"
    1:27 refused: The key `a` also occurs at line 1 and would become effective; edit the text itself
    "#);
    let yaml = "a: !int old\nb: old\n";
    insta::assert_snapshot!(replaced("x.yaml", yaml, &[exact("old", "new")]), @r#"
    a: !int new
    b: new

    1:9 /a: "old" -> "new"
    2:4 /b: "old" -> "new"
    "#);
    let json = r#"{"a": {"b": "old"}}"#;
    insta::assert_snapshot!(replaced("x.json", json, &[set("/a", "1"), exact("old", "new")]), @r#"
    {"a": 1}
    1:7 /a: {"b": "old"} -> 1
    1:14 refused: Two replacements change this value
    "#);
    insta::assert_snapshot!(replaced("x.json", "{\"a\": [1,], \"b\": \"old\"}", &[exact("old", "new")]), @r#"
    {"a": [1,], "b": "old"}
    1:9 refused: The file cannot be read completely: A trailing comma before `]`; JSON allows none
    "#);
}

#[test]
fn replacements_do_not_see_the_result_of_one_another() {
    let swapped = [exact("a", "b"), exact("b", "a")];
    insta::assert_snapshot!(replaced("x.json", r#"["a b", "b"]"#, &swapped), @r#"
    ["b a", "a"]
    1:3 /0: "a" -> "b"
    1:5 /0: "b" -> "a"
    1:10 /1: "b" -> "a"
    "#);
}

const RECORDING: &str = r###"{"request": {"requestId": "req-1", "model": "m", "context": {"currentNode": "respond"}, "messages": [
  {"role": "user", "content": "- **Node**: respond\nrespond"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "respond", "input": {"tool": "respond"}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "name": "respond", "content": "m"}]}],
  "tools": [{"name": "ask"}, {"name": "respond"}], "systemPrompt": "req-1"},
 "response": {"requestId": "req-1", "response": {"content": [{"type": "tool_use", "name": "respond", "input": {}}], "model": "m"}},
 "signature": {"toolNames": ["ask", "respond"], "messageCount": 3, "contextKeys": []}}"###;

#[test]
fn renames_follow_what_refers_to_a_name() {
    let changed = |kind, from, to| {
        let plan = plan(&document("a.json", RECORDING), &[rename(kind, from, to)], &|_| false);
        let places = plan.places.iter();
        let places: Vec<String> =
            places.map(|place| format!("{} {}", place.place, place.pointer)).collect();
        let mut after = RECORDING.to_owned();
        plan.edit.unwrap().apply(&mut after);
        let stored = after.lines().last().unwrap().to_owned();
        format!("{}\n{stored}", places.join("\n"))
    };
    insta::assert_snapshot!(changed(RenameKind::Tool, "respond", "answer"), @r#"
    3:77 /request/messages/1/content/0/name
    4:84 /request/messages/2/content/0/name
    5:39 /request/tools/1/name
    6:91 /response/response/content/0/name
    7:37 /signature/toolNames/1
     "signature": {"toolNames": ["answer", "ask"], "messageCount": 3, "contextKeys": []}}
    "#);
    insta::assert_snapshot!(changed(RenameKind::Node, "respond", "answer"), @r#"
    1:77 /request/context/currentNode
    2:44 /request/messages/0/content
     "signature": {"toolNames": ["ask", "respond"], "messageCount": 3, "contextKeys": []}}
    "#);
    insta::assert_snapshot!(changed(RenameKind::Model, "m", "n"), @r#"
    1:45 /request/model
    6:126 /response/response/model
     "signature": {"toolNames": ["ask", "respond"], "messageCount": 3, "contextKeys": []}}
    "#);
    let doubled = rename(RenameKind::Tool, "respond", "ask");
    let refused = plan(&document("a.json", RECORDING), &[doubled], &|_| false);
    assert_eq!((refused.places.len(), refused.edit), (0, None));
    insta::assert_snapshot!(refused.refused[0], @"It already offers a tool named `ask` (line 5, column 13)");
}

#[test]
fn renames_reach_sessions_configurations_and_tapes() {
    let session = "id: one\ninput: mail\ntool_responses:\n  - tool: mail   # sent\n    response: {tool: mail}\n";
    insta::assert_snapshot!(replaced("a.yaml", session, &[rename(RenameKind::Tool, "mail", "post")]), @r#"
    id: one
    input: mail
    tool_responses:
      - tool: post   # sent
        response: {tool: mail}

    4:11 /tool_responses/0/tool: "mail" -> "post"
    "#);
    let config = "version: \"2.0\"\ncontract:\n  name: C\n  invariants: []\n  chaos_matrix:\n    - tool_faults:\n        - tool: mail\nreplays:\n  sessions:\n    - id: one\n      input: x\n    - id: two\n      input: x\n";
    insta::assert_snapshot!(replaced("flakestorm.yaml", config, &[rename(RenameKind::Tool, "mail", "post")]), @r#"
    version: "2.0"
    contract:
      name: C
      invariants: []
      chaos_matrix:
        - tool_faults:
            - tool: post
    replays:
      sessions:
        - id: one
          input: x
        - id: two
          input: x

    7:17 /contract/chaos_matrix/0/tool_faults/0/tool: "mail" -> "post"
    "#);
    let tape = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "contents": "m", "config": {}}, "stream": []}"#;
    insta::assert_snapshot!(replaced("t.json", tape, &[rename(RenameKind::Model, "m", "n")]), @r#"
    {"meta": {"model": "n", "recordedAt": "t"}, "request": {"model": "n", "contents": "m", "config": {}}, "stream": []}
    1:20 /meta/model: "m" -> "n"
    1:66 /request/model: "m" -> "n"
    "#);
}

#[test]
fn a_model_is_renamed_in_the_calls_of_cassettes_and_archives() {
    let body = r#"{"model": "m-1", "messages": [{"content": "m-1 and \\"model\\": \\"m-1\\""}], "tools": ["m-1"]}"#;
    let stream = r#"data: {"model":"m-1","x":1}\n\ndata: {"response":{"model":"m-1"}}\n\ndata: {"model":"m-10"}\n\n"#;
    let cassette = format!(
        "version: 1\ninteractions:\n- request:\n    body: '{body}'\n    headers: {{Content-Length: ['{}']}}\n    method: POST\n    uri: https://a.example/v1/models/m-1:generateContent?key=m-1\n  response:\n    body: {{string: \"{}\"}}\n    headers: {{}}\n    status: {{code: 200, message: OK}}\n- request:\n    parsed_body:\n      model: m-1   # first\n      messages: [{{role: user, content: m-1}}]\n    method: POST\n    uri: https://a.example/openai/deployments/m-1/chat\n  response:\n    parsed_body: {{model: m-1, modelVersion: m-1}}\n    status: {{code: 200, message: OK}}\n",
        body.len(),
        stream.replace('"', "\\\""),
    );
    insta::assert_snapshot!(replaced("a.yaml", &cassette, &[rename(RenameKind::Model, "m-1", "new")]), @r#"
    version: 1
    interactions:
    - request:
        body: '{"model": "new", "messages": [{"content": "m-1 and \\"model\\": \\"m-1\\""}], "tools": ["m-1"]}'
        headers: {Content-Length: ['95']}
        method: POST
        uri: https://a.example/v1/models/new:generateContent?key=m-1
      response:
        body: {string: "data: {\"model\":\"new\",\"x\":1}\n\ndata: {\"response\":{\"model\":\"new\"}}\n\ndata: {\"model\":\"m-10\"}\n\n"}
        headers: {}
        status: {code: 200, message: OK}
    - request:
        parsed_body:
          model: new   # first
          messages: [{role: user, content: m-1}]
        method: POST
        uri: https://a.example/openai/deployments/new/chat
      response:
        parsed_body: {model: new, modelVersion: new}
        status: {code: 200, message: OK}

    4:23 /interactions/0/request/body: "m-1" -> "new"
    7:38 /interactions/0/request/uri: "m-1" -> "new"
    9:40 /interactions/0/response/body/string: "m-1" -> "new"
    9:91 /interactions/0/response/body/string: "m-1" -> "new"
    14:14 /interactions/1/request/parsed_body/model: "m-1" -> "new"
    17:47 /interactions/1/request/uri: "m-1" -> "new"
    19:26 /interactions/1/response/parsed_body/model: "m-1" -> "new"
    19:45 /interactions/1/response/parsed_body/modelVersion: "m-1" -> "new"
    "#);
    let har = serde_json::json!({"log": {"entries": [{"startedDateTime": "t",
        "request": {"method": "POST", "url": "https://a.example/v1/m-1", "postData": {"text": "{\"model\":\"m-1\"}"}},
        "response": {"status": 200, "content": {"text": "{\"id\":\"m-1\",\"model\" : \"m-1\"}"}}}]}});
    insta::assert_snapshot!(replaced("a.har", &har.to_string(), &[rename(RenameKind::Model, "m-1", "new")]), @r#"
    {"log":{"entries":[{"request":{"method":"POST","postData":{"text":"{\"model\":\"new\"}"},"url":"https://a.example/v1/m-1"},"response":{"content":{"text":"{\"id\":\"m-1\",\"model\" : \"new\"}"},"status":200},"startedDateTime":"t"}]}}
    1:81 /log/entries/0/request/postData/text: "m-1" -> "new"
    1:185 /log/entries/0/response/content/text: "m-1" -> "new"
    "#);
}

#[test]
fn skipped_places_stay() {
    let json = "[\"old old\",\n \"old\"]";
    let third = |place: Place| (place.line, place.column) == (1, 7);
    let plan = plan(&document("x.json", json), &[exact("old", "new")], &third);
    let mut after = json.to_owned();
    plan.edit.unwrap().apply(&mut after);
    assert_eq!((after.as_str(), plan.places.len()), ("[\"new old\",\n \"new\"]", 2));
}

#[test]
fn many_places_of_one_file_take_one_reading() {
    let json = format!("[{}1]", "\"old \\u00e9\", 3,\n ".repeat(20_000));
    let document = document("x.json", &json);
    let plan = plan(&document, &[exact("old", "new")], &|_| false);
    let mut after = json.clone();
    plan.edit.unwrap().apply(&mut after);
    assert_eq!((after, plan.places.len()), (json.replace("old", "new"), 20_000));
}

#[test]
fn equal_changes_are_one_group() {
    let places = |text: &str| {
        plan(&document("x.json", text), &[exact("a", "b"), exact("c", "d")], &|_| false).places
    };
    let (one, two) = (places(r#"["c", "a"]"#), places(r#"["a a"]"#));
    let groups = group_changes([("one", &*one), ("two", &*two)]);
    let groups = groups.iter().map(|group| (&*group.change.old, group.places(), group.files.len()));
    assert_eq!(groups.collect::<Vec<_>>(), [("\"a\"", 3, 2), ("\"c\"", 1, 1)]);
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn a_replacement_and_its_reverse_give_back_every_byte(
        texts in proptest::collection::vec("[ abé\n'\"#:-]{0,6}(OLD)?[ ab'\"\\\\]{0,4}", 1..5),
        is_yaml in any::<bool>(),
    ) {
        let quoted: Vec<String> = texts.iter().map(|text| json::quote(text)).collect();
        let (name, text) = if is_yaml {
            let lines = quoted.iter().map(|text| format!("- {text}   # note\n"));
            ("x.yaml", lines.collect::<String>())
        } else {
            ("x.json", format!("[ {} ]", quoted.join(" ,\n\t")))
        };
        let once = |text: &str, old: &str, new: &str| {
            let plan = plan(&document(name, text), &[exact(old, new)], &|_| false);
            let mut after = text.to_owned();
            if let Some(edit) = &plan.edit {
                edit.apply(&mut after);
            }
            (after, plan.places.len(), plan.refused)
        };
        let (after, count, refused) = once(&text, "OLD", "NEWER");
        prop_assert_eq!(refused, []);
        prop_assert_eq!(count, texts.iter().filter(|text| text.contains("OLD")).count());
        prop_assert_eq!(&after, &text.replace("OLD", "NEWER"));
        prop_assert_eq!(once(&after, "NEWER", "OLD").0, text);
    }
}

#[test]
fn a_length_that_was_right_fits_the_body_afterwards() {
    let text = "interactions:
- response:
    headers: {Content-Length: ['11']}  # right
    body: {string: hello there}
    status: {code: 200, message: OK}
  request:
    body: 'say hello'
    headers:
      content-length:
      - '9'
    method: POST
    uri: https://a.example/
- request: {method: GET, uri: 'https://a.example/hello', headers: {}, body: null}
  response:
    headers: {content-length: ['7']}
    body: {string: hello}
    status: {code: 200, message: OK}
- request: {method: GET, uri: 'https://a.example/', headers: {}, body: null}
  response:
    headers: {content-length: ['4']}
    body: {string: stay}
    status: {code: 200, message: OK}
";
    let after = |replacements: &[Replacement]| {
        let plan = plan(&document("a.yaml", text), replacements, &|_| false);
        assert_eq!(plan.refused, []);
        let mut after = text.to_owned();
        plan.edit.unwrap().apply(&mut after);
        after
    };
    let fitting = |text: &str| text.replace("'11'", "'14'").replace("'9'", "'12'");
    let hello = exact("hello", "good day");
    let expected = fitting(&text.replace("hello", "good day"));
    assert_eq!(after(std::slice::from_ref(&hello)), expected);
    // Also where calls before it are removed.
    let (_, expected) = expected.split_once("- request: {method").unwrap();
    let expected = format!("interactions:\n- request: {{method{expected}");
    let removed =
        [remove("/interactions/0"), set("/interactions/2/response/body/string", r#""gone away""#)];
    let text_after = after(&removed);
    assert_eq!(
        text_after,
        expected.replace("good day", "hello").replace("'4'", "'9'").replace("stay", "gone away")
    );
    // A header that is edited itself stays as it was set.
    let patterns = [hello, set("/interactions/0/response/headers/Content-Length/0", r#""3""#)];
    assert!(after(&patterns).contains("['3']}  # right"));
}
