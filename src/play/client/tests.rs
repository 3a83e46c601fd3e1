use std::slice::from_ref;

use super::*;
use document::text::Source;

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const JSON: &str = "application/json";

fn request(method: &str, url: &str, content_type: &str, body: &str) -> HttpRequest {
    let headers = Some(("content-type".to_owned(), content_type.to_owned()));
    let headers = headers.filter(|(_, value)| !value.is_empty());
    HttpRequest {
        method: Some(method.to_owned()),
        url: Some(url.to_owned()),
        headers: Some(headers.into_iter().collect()),
        body: RequestBody::Bytes(body.as_bytes().to_vec()),
    }
}

fn chat(body: &str) -> HttpRequest {
    request("POST", CHAT, JSON, body)
}

fn recorded(requests: &[HttpRequest]) -> Vec<RecordedRequest> {
    let call = |(index, request): (usize, &HttpRequest)| RecordedRequest {
        index,
        request: request.clone(),
        conditions: None,
        node: document::NodeId::ROOT,
        is_in_list: true,
    };
    requests.iter().enumerate().map(call).collect()
}

fn rules(client: RecorderClient, matchers: &[&str]) -> ClientRules {
    let names: Vec<Box<str>> = matchers.iter().map(|name| Box::from(*name)).collect();
    let rules = ClientRules::new(client);
    match matchers {
        [] => rules,
        _ => ClientRules { matchers: matchers_named(client, &names).unwrap(), ..rules },
    }
}

/// The answers to requests in one line each word.
fn played(rules: &ClientRules, calls: &[HttpRequest], sent: &[HttpRequest]) -> String {
    played_in(CassetteState::Loaded, rules, calls, sent)
}

fn played_in(
    state: CassetteState,
    rules: &ClientRules,
    calls: &[HttpRequest],
    sent: &[HttpRequest],
) -> String {
    let mut player = CassettePlayer::new(recorded(calls), state, rules.clone()).unwrap();
    let words = sent.iter().map(|request| {
        let answer = player.answer(request);
        let unknown: String = answer.unknown.iter().map(|m| format!("?{}", m.as_str())).collect();
        let numbers = |indices: &[usize]| {
            let numbers: Vec<String> = indices.iter().map(|i| (i + 1).to_string()).collect();
            numbers.join("+")
        };
        let text = match answer.outcome {
            Outcome::Played { index, is_repeat } => {
                format!("{}{}", index + 1, if is_repeat { "r" } else { "" })
            }
            Outcome::PlayedNew(number) => format!("new{}", number + 1),
            Outcome::Consumed(indices) => format!("used:{}", numbers(&indices)),
            Outcome::NoMatch(candidates) => {
                let nearest = candidates.iter().map(|candidate| {
                    let failed: Vec<&str> = candidate.failed.iter().map(|m| m.as_str()).collect();
                    format!("{}!{}", candidate.index + 1, failed.join(","))
                });
                format!("none:{}", nearest.collect::<Vec<_>>().join(";"))
            }
            Outcome::NoCassette => "no-file".to_owned(),
            Outcome::Recorded => "recorded".to_owned(),
            Outcome::Ignored => "ignored".to_owned(),
            Outcome::Raised(error) => error.to_owned(),
        };
        text + &unknown
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn each_client_chooses_by_its_own_rules() {
    use RecorderClient::{Cassetter, GoVcr, Own, RVcr, RubyVcr, Vcrpy};
    let (a, b) = (chat(r#"{"a":1}"#), chat(r#"{"a": 2}"#));
    let calls = [a.clone(), b.clone(), b.clone()];
    let sent = [a, b.clone(), chat(r#"{ "a": 1 }"#), b];
    for (client, matchers, repeats, expected) in [
        (Vcrpy, &[][..], false, "1 2 3 used:1+2+3"),
        (Vcrpy, &["body"], false, "1 2 used:1 3"),
        (Vcrpy, &["raw_body"], false, "1 2 none: 3"),
        (Vcrpy, &["body"], true, "1 2 1r 2r"),
        (Cassetter, &[], false, "1 2 3 1r"),
        (Cassetter, &["json_body"], false, "1 2 1r 3"),
        (RubyVcr, &[], true, "1 2 3 3r"),
        (RubyVcr, &["body"], false, "1 2 none:1!body;2!body;3!body 3"),
        (RVcr, &[], false, "1 2 used:1 3"),
        (GoVcr, &[], false, "1 2 none:1!body;2!body;3!body 3"),
        (Own, &[], false, "1 2 used:1 3"),
    ] {
        let mut rules = rules(client, matchers);
        rules.repeats |= repeats;
        assert_eq!(played(&rules, &calls, &sent), expected, "{client:?} {matchers:?}");
    }
}

#[test]
fn modes_decide_what_is_sent() {
    let (a, b) = (chat("{}"), request("GET", CHAT, "", ""));
    let calls = [a.clone()];
    let sent = [a.clone(), a.clone(), b.clone(), b];
    let missing = CassetteState::Missing;
    for (mode, repeats, version, state, expected) in [
        ("none", false, (9, 4), CassetteState::Loaded, "1 used:1 none:1!method none:1!method"),
        ("once", true, (9, 4), CassetteState::Loaded, "1 1r none:1!method none:1!method"),
        ("new_episodes", false, (9, 4), CassetteState::Loaded, "1 recorded recorded new3"),
        ("all", false, (9, 4), CassetteState::Loaded, "recorded recorded recorded recorded"),
        ("none", false, (9, 4), missing, "no-file no-file no-file no-file"),
        ("once", false, (9, 4), missing, "recorded recorded recorded recorded"),
        ("once", true, (9, 4), missing, "recorded new1 recorded new3"),
        ("once", true, (9, 3), missing, "recorded recorded recorded recorded"),
    ] {
        let mode = RecordMode::named(mode).unwrap();
        let rules =
            ClientRules { mode, repeats, version, ..ClientRules::new(RecorderClient::Vcrpy) };
        assert_eq!(played_in(state, &rules, &calls, &sent), expected, "{mode:?} {version:?}");
    }
}

#[test]
fn bodies_are_compared_by_their_types() {
    let form = "application/x-www-form-urlencoded";
    for (version, kind, a, b, expected) in [
        ((9, 4), JSON, r#"{"a":1,"b":2}"#, r#"{"b":2.0,"a":true}"#, "1"),
        ((9, 4), JSON, "{", "{", "1"),
        ((9, 4), JSON, "{", "{}", "none:"),
        ((8, 5), JSON, "{", "{", "JSONDecodeError"),
        ((9, 4), JSON, "null", "", "1"),
        ((9, 4), "text/plain", "{}", "{ }", "none:"),
        ((9, 4), "application/vnd.api+json", "{}", "{ }", "none:"),
        ((9, 4), "application/json-patch+json", "{}", "{ }", "1"),
        ((9, 4), form, "a=1&b=2&a=3&c=", "b=2&a=1&a=3", "1"),
        ((9, 4), form, "a=1&a=3", "a=3&a=1", "none:"),
        ((9, 4), form, "é", "é", "1"),
        ((8, 5), form, "é", "é", "UnicodeDecodeError"),
    ] {
        let rules = ClientRules { version, ..rules(RecorderClient::Vcrpy, &["body"]) };
        let [sent, call] = [a, b].map(|body| request("POST", CHAT, kind, body));
        assert_eq!(played(&rules, &[call], &[sent]), expected, "{version:?} {kind} {a} {b}");
    }
    let absent = HttpRequest { body: RequestBody::Missing, ..request("POST", CHAT, form, "") };
    for (version, expected) in [((9, 4), "1"), ((8, 5), "AttributeError")] {
        let rules = ClientRules { version, ..rules(RecorderClient::Vcrpy, &["body"]) };
        assert_eq!(played(&rules, from_ref(&absent), from_ref(&absent)), expected);
    }
    let other_type = request("POST", CHAT, "text/plain", "{}");
    let rules = rules(RecorderClient::Vcrpy, &["body"]);
    assert_eq!(played(&rules, &[chat("{}")], from_ref(&other_type)), "1");
    assert_eq!(played(&rules, &[chat("{ }")], &[other_type]), "none:");
}

#[test]
fn filters_apply_to_both_sides() {
    let filters = RequestFilters {
        headers: vec![("authorization".into(), None), ("x".into(), Some("y".into()))],
        query: vec![("key".into(), None), ("user".into(), Some("U".into()))],
        post_data: vec![("id".into(), None), ("z".into(), Some("Z".into()))],
        is_nested: false,
    };
    let rules = ClientRules {
        filters,
        ignored_hosts: vec!["localhost".into()],
        ..rules(RecorderClient::Vcrpy, &["uri", "headers", "raw_body"])
    };
    let with = |url: &str, header: (&str, &str), body: &str| {
        let mut request = request("POST", url, JSON, body);
        request.headers.as_mut().unwrap().push((header.0.to_owned(), header.1.to_owned()));
        request
    };
    let call =
        with("https://a.dev/?key=1&user=2", ("Authorization", "a"), r#"{"id":1,"a":1,"z":2}"#);
    let sent = with("https://a.dev/?user=U", ("authorization", "b"), r#"{"z": "Z", "a": 1}"#);
    let other = with("https://a.dev/?user=U", ("x", "b"), "{}");
    let local = with("http://localhost/", ("x", "b"), "{}");
    let failing = with("https://a.dev/", ("x", "b"), "{");
    assert_eq!(
        played(&rules, &[call], &[sent, other, local, failing]),
        "1 none:1!headers,raw_body ignored JSONDecodeError"
    );
}

#[test]
fn names_of_a_query_are_decoded_as_each_client_decodes_them() {
    let hidden = |client| {
        let mut rules = ClientRules::new(client);
        rules.filters.query = vec![("a b".into(), Some("x".into()))];
        move |query: &str| rules.filter_url(&format!("https://a.dev/?{query}"))
    };
    let (cassetter, vcrpy) = (hidden(RecorderClient::Cassetter), hidden(RecorderClient::Vcrpy));
    for (query, by_cassetter, by_vcrpy) in [
        ("%61%20b=1&c=%2f", "%61%20b=x&c=%2f", "a+b=x&c=%2F"),
        ("A%20B=1#a b=1", "A%20B=x#a b=1", "A+B=1#a b=1"),
        ("a+b=1&a%20b", "a+b=1&a%20b", "a+b=x"),
    ] {
        let expected = [by_cassetter, by_vcrpy].map(|query| format!("https://a.dev/?{query}"));
        assert_eq!([cassetter(query), vcrpy(query)], expected);
    }
}

#[test]
fn what_is_json_depends_on_the_parser_of_the_client() {
    let mark = ["\u{feff}{\"a\": 1}", "\u{feff}{\"a\":1}"];
    let surrogate = [r#"{"a": "\ud800"}"#, r#"{"a":"\ud800"}"#];
    for (client, matcher, [by_mark, by_surrogate]) in [
        (RecorderClient::Vcrpy, "body", ["1", "1"]),
        (RecorderClient::RVcr, "body_json", ["1", "1"]),
        (RecorderClient::Cassetter, "json_body", ["none:1!json_body"; 2]),
        (RecorderClient::RubyVcr, "body_as_json", ["none:1!body_as_json", "1"]),
    ] {
        let mut rules = rules(client, &[matcher]);
        rules.mode = RecordMode::None;
        for ([recorded, sent], expected) in [(mark, by_mark), (surrogate, by_surrogate)] {
            assert_eq!(played(&rules, &[chat(recorded)], &[chat(sent)]), expected, "{client:?}");
        }
    }
}

#[test]
fn what_is_not_known_of_a_request_is_taken_for_equal() {
    let rules = rules(RecorderClient::Vcrpy, &["method", "path", "body"]);
    let calls = [chat(r#"{"a":1}"#), request("GET", CHAT, "", "")];
    let sent = HttpRequest { method: Some("POST".to_owned()), ..HttpRequest::default() };
    let other = HttpRequest { method: Some("PUT".to_owned()), ..HttpRequest::default() };
    assert_eq!(played(&rules, &calls, &[sent, other]), "1?path?body none:1!method;2!method");
}

#[test]
fn differences_are_named_value_by_value() {
    let rules = rules(RecorderClient::Vcrpy, &["method", "query", "headers", "body"]);
    let call = request("POST", "https://a.dev/?a=1&b=2", JSON, r#"{"m":[{"c":"Hi"}],"t":1,"k":0}"#);
    let mut sent = request("GET", "https://a.dev/?b=3", JSON, r#"{"m":[{"c":"Ho"},5],"t":1.0}"#);
    sent.headers.as_mut().unwrap().push(("X-A".to_owned(), "1".to_owned()));
    let state = CassetteState::Loaded;
    let mut player = CassettePlayer::new(recorded(&[call]), state, rules).unwrap();
    assert!(player.answer(&sent).outcome.is_failure());
    let parts = player.differences(&sent, 0, &player.rules().matchers);
    let lines = parts.iter().flat_map(|part| {
        part.values.iter().map(|value| {
            let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
            let name = part.matcher.as_str();
            format!("{name} {}: {} | {}", value.place, text(&value.sent), text(&value.recorded))
        })
    });
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    method : GET | POST
    query a: - | 1
    query b: 3 | 2
    headers x-a: 1 | -
    body /m/0/c: "Ho" | "Hi"
    body /m/1: 5 | -
    body /k: - | 0
    "#);
}

#[test]
fn values_of_bodies_have_paths_and_one_that_was_added_moves_no_others() {
    let rules = rules(RecorderClient::Vcrpy, &[]);
    for (sent, recorded, expected) in [
        (r#"{"m":[1,{"a":2},3]}"#, r#"{"m":[1,3]}"#, r#"m[1]: {"a":2} | -"#),
        (r#"{"m":[3]}"#, r#"{"m":[1,2,3]}"#, "m[0]: - | 1, m[1]: - | 2"),
        (r#"{"m":[1,2]}"#, r#"{"m":[3,2,4]}"#, "m[0]: 1 | 3, m[2]: - | 4"),
        (r#"{"a":{"b":[{"c":true}]}}"#, r#"{"a":{"b":[{"c":1.0}]}}"#, ""),
        (r#"{"a":{"b":[{"c":0}]}}"#, r#"{"a":{"b":[{"c":1}]}}"#, "a.b[0].c: 0 | 1"),
        ("a", "b", ": a | b"),
        ("a", "a", ""),
    ] {
        let [sent, recorded] = [sent, recorded].map(|text| RequestBody::Bytes(text.into()));
        let values = rules.body_differences(Matcher::Body, [&sent, &recorded]);
        let line = |value: &ValueDifference| {
            let [sent, recorded] =
                [&value.sent, &value.recorded].map(|text| text.as_deref().unwrap_or("-"));
            format!("{}: {sent} | {recorded}", value.path)
        };
        assert_eq!(values.iter().map(line).collect::<Vec<_>>().join(", "), expected);
    }
}

#[test]
fn a_mock_is_played_again_and_again_by_its_conditions() {
    let text = "when:\n  path: /v1/chat\n  method: POST\n  header:\n  - name: Accept\n    value: x\n  body: '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"model\":\"m\"}'\nthen:\n  status: 200\n  body: '{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Ho\"}}]}'\n---\nwhen:\n  path_prefix: /v1/\n  body_contains: '\"model\":\"m\"'\n  cookie:\n  - name: a\n    value: b\n  method: POST\nthen:\n  status: 200\n  body: '{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Oh\"}}]}'\n";
    let document = document::read(Source::new(text), "mock.yaml");
    let calls = RecordedRequest::all(&document);
    let rules = ClientRules::new(RecorderClient::Httpmock);
    let mut player = CassettePlayer::new(calls, CassetteState::Loaded, rules).unwrap();
    let body = r#"{"messages":[{"role":"user","content":"Hi"}],"model":"m"}"#;
    let mut sent = request("POST", "http://localhost:5000/v1/chat?x=1", JSON, body);
    sent.headers.as_mut().unwrap().push(("accept".to_owned(), "x".to_owned()));
    let first = Outcome::Played { index: 0, is_repeat: false };
    assert_eq!(player.answer(&sent).outcome, first);
    assert_eq!(player.answer(&sent).outcome, Outcome::Played { index: 0, is_repeat: true });
    sent.headers.as_mut().unwrap().pop();
    let answer = player.answer(&sent);
    assert_eq!(answer.outcome, Outcome::Played { index: 1, is_repeat: false });
    assert_eq!(answer.unknown, [Matcher::Headers]);
}

#[test]
fn an_equal_request_is_known_until_its_call_is_played() {
    let calls = [r#"{"a": 1}"#, r#"{"a": 2}"#].map(chat);
    let rules = rules(RecorderClient::Vcrpy, &[]);
    let mut player = CassettePlayer::new(recorded(&calls), CassetteState::Loaded, rules).unwrap();
    let equal = |player: &CassettePlayer| {
        [r#"{"a": 1}"#, r#"{"a":2}"#, r#"{"a": 3}"#].map(|body| player.has_equal(&chat(body)))
    };
    assert_eq!(equal(&player), [true, true, false]);
    // Bodies are not compared, so the first call answers.
    assert_eq!(player.answer(&calls[1]).outcome.played(), Some(0));
    assert_eq!(equal(&player), [false, true, false]);
}

#[test]
fn an_answer_beside_the_members_of_its_request_is_not_compared() {
    let document = |prompt: &str, answer: &str| {
        let text = format!(
            r#"{{"model": "m", "messages": [{{"role": "user", "content": "{prompt}"}}],
            "response": {{"choices": [{{"index": 0, "message": {{"role": "assistant", "content": "{answer}"}}}}]}}}}"#
        );
        document::read(Source::new(text), "fixtures/a.json")
    };
    let calls = RecordedRequest::all(&document("Hi", "a"));
    assert_eq!(calls.len(), 1);
    for (prompt, expected) in [("Hi", Some(0)), ("Bye", None)] {
        let sent = RecordedRequest::all(&document(prompt, "b")).remove(0).request;
        let rules = ClientRules::new(RecorderClient::Own);
        let player = CassettePlayer::new(calls.clone(), CassetteState::Loaded, rules);
        assert_eq!(player.unwrap().answer(&sent).outcome.played(), expected, "{prompt}");
    }
}

#[test]
fn a_mock_is_chosen_by_its_tests() {
    let json = r#"{"a":1,"b":[1,2]}"#;
    for (when, expected) in [
        ("path: /v1/chat", true),
        ("path: /v1/chat?a=1", false),
        ("method_not: [GET]", true),
        ("path_prefix_not: [/v2]", true),
        // A text that is shorter than the beginning is none without it.
        ("path_prefix_not: [/v1/chat/long]", false),
        ("query_param: [{name: b, value: ''}]", true),
        ("query_param_not: [{name: a, value: '2'}]", true),
        ("query_param_not: [{name: c, value: '2'}]", false),
        ("query_param_missing: [c]", true),
        ("query_param_matches: [{name: '^a$', value: '[0-9]'}]", true),
        ("header_contains: [{name: CONTENT-TYPE, value: json}]", true),
        ("header_not: [{name: content-type, value: json}]", true),
        ("json_body: {b: [1, 2], a: 1}", true),
        ("json_body: {b: [1, 2], a: 1.0}", false),
        ("json_body_includes: [{b: [1]}]", true),
        ("json_body_excludes: [{b: [2]}]", true),
        ("json_body_not: {b: [1, 2], a: 1}", true),
        ("body_excludes: ['']", true),
    ] {
        let text = format!("when:\n  {when}\nthen:\n  status: 200\n  body: x\n");
        let document = document::read(Source::new(text), "mock.yaml");
        let rules = ClientRules::new(RecorderClient::Httpmock);
        let calls = RecordedRequest::all(&document);
        let mut player = CassettePlayer::new(calls, CassetteState::Loaded, rules).unwrap();
        let sent = request("POST", "https://a.dev/v1/chat?a=1&b=", JSON, json);
        let answer = player.answer(&sent);
        assert_eq!(answer.outcome.played().is_some(), expected, "{when}");
        assert_eq!(answer.unknown, [], "{when}");
    }
}

/// Plays questions by fixtures, each with its conditions, and returns the numbers of those that answer.
fn played_fixtures(conditions: &[&str], bodies: &[&str]) -> String {
    let fixture = |conditions: &&str| {
        format!("{{\"match\":{conditions},\"response\":{{\"content\":\"x\"}}}}")
    };
    let fixtures: Vec<String> = conditions.iter().map(fixture).collect();
    let text = format!("{{\"fixtures\":[{}]}}", fixtures.join(","));
    let calls = RecordedRequest::all(&document::read(Source::new(text), "a.json"));
    let rules = ClientRules::new(RecorderClient::Aimock);
    let mut player = CassettePlayer::new(calls, CassetteState::Loaded, rules).unwrap();
    let answers = bodies.iter().map(|body| {
        let sent = request("POST", "http://localhost/v1/chat/completions", JSON, body);
        player
            .answer(&sent)
            .outcome
            .played()
            .map_or("-".to_owned(), |index| (index + 1).to_string())
    });
    answers.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_fixture_is_chosen_by_its_conditions_and_its_turn() {
    const HI: &str = r#"{"model":"gpt-4o-2024","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"Hi there"}]}"#;
    const RESULT: &str = r#"{"model":"m","tools":[{"type":"function","function":{"name":"get"}}],"messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"sunny"}]}"#;
    for (conditions, expected) in [
        (&["{}"][..], "1 1 1"),
        (&[r#"{"userMessage":"Hi"}"#, "{}"], "1 1 1"),
        (&[r#"{"userMessage":"Hi there"}"#], "1 - 1"),
        (&[r#"{"systemMessage":["be","brief"]}"#], "1 - 1"),
        (&[r#"{"toolCallId":"c1","toolResultContains":"sun"}"#], "- 1 -"),
        (&[r#"{"toolName":"get","hasToolResult":true}"#, r#"{"hasToolResult":false}"#], "2 1 2"),
        (&[r#"{"model":"gpt-4o"}"#, r#"{"model":"gpt-4"}"#, r#"{"model":"m"}"#], "1 3 1"),
        (&[r#"{"turnIndex":1}"#, r#"{"turnIndex":0}"#], "2 1 2"),
        (&[r#"{"turnIndex":3}"#, r#"{"turnIndex":2}"#], "2 2 2"),
        (&["{}", r#"{"turnIndex":1}"#], "1 1 1"),
        (&[r#"{"turnIndex":1}"#, "{}"], "2 1 2"),
        (&[r#"{"sequenceIndex":0}"#, r#"{"sequenceIndex":1}"#], "1 2 -"),
        (&[r#"{"endpoint":"embedding"}"#, r#"{"inputText":"Hi"}"#], "- - -"),
    ] {
        assert_eq!(played_fixtures(conditions, &[HI, RESULT, HI]), expected, "{conditions:?}");
    }
}
