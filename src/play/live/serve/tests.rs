use super::*;
use crate::client::HttpRequest;
use crate::live::answer::ServedAnswer;
use crate::live::client_call::ClientCall;
use crate::playback::SetRecording;
use calls::Pool;
use calls::api::Route;
use calls::tape::playback::TapePlayback;

const GEMINI: &str = "/v1beta/models/m:streamGenerateContent";

fn call(path: &str, body: &str) -> ClientCall {
    let mut route = Route::from_request("POST", path, None).unwrap();
    ClientCall::read(&mut route, "c", body).unwrap()
}

fn tape(catalog: &mut Catalog, path: &str, request: &str) {
    let text = format!(
        r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {request}, "stream": []}}"#
    );
    let document = document::read(Source::new(text), "tape.json");
    catalog.add_tape(&path.into(), &document);
}

fn set(names: &[(&str, &[&str])]) -> RecordingSet {
    set_at("set", names)
}

fn set_at(folder: &str, names: &[(&str, &[&str])]) -> RecordingSet {
    let files = names.iter().map(|(name, tools)| {
        let tools: Vec<String> = tools.iter().map(|tool| format!(r#"{{"name": "{tool}"}}"#)).collect();
        let text = format!(
            r#"{{"request": {{"type": "llm_invocation_request", "requestId": "{name}", "messages": [{{"role": "user", "content": "x"}}], "tools": [{}]}},
            "response": {{"response": {{"content": [{{"type": "text", "text": "{name}"}}]}}}}, "recordedAt": "t"}}"#,
            tools.join(", ")
        );
        let document = document::read(Source::new(text), "a.json");
        SetRecording::read(format!("{folder}/{name}.json").into(), &document, &Pool::default())
    });
    RecordingSet::new(folder, files)
}

fn describe(choice: &ServeChoice) -> String {
    let chosen_tape = choice.chosen.as_ref();
    let served = chosen_tape.map(|tape| format!("{}: {}", tape.path, tape.matched_by.describe()));
    let mut lines = vec![served.unwrap_or_else(|| choice.refusal())];
    lines.extend(choice.why.iter().map(|why| format!("why {why}")));
    lines.extend(choice.differences.iter().map(|difference| format!("differs {difference}")));
    lines.join("\n")
}

fn choose(catalog: &Catalog, call: &ClientCall) -> ServeChoice {
    catalog.choose("c", call, &HttpRequest::default())
}

#[test]
fn a_tape_answers_the_request_it_was_made_for_in_the_shape_it_has() {
    let mut all = Catalog::new(ServeRules::default());
    tape(
        &mut all,
        "t/history.json",
        r#"{"model": "m", "systemPrompt": "S", "history": [{"role": "user", "text": "Hi"}, {"role": "model", "text": "Yo"}]}"#,
    );
    tape(
        &mut all,
        "t/contents.json",
        r#"{"model": "m", "contents": "Hi", "config": {"temperature": 1, "systemInstruction": "S"}}"#,
    );
    tape(
        &mut all,
        "t/plain.json",
        r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}"#,
    );
    let history = r#"{"systemInstruction": {"parts": [{"text": "S"}]}, "contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Yo"}]}]}"#;
    insta::assert_snapshot!(describe(&choose(&all, &call(GEMINI, history))), @"
    t/history.json: strict match
    why It was recorded for the same request.
    ");
    let contents = r#"{"systemInstruction": {"role": "user", "parts": [{"text": "S"}]}, "contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {"temperature": 1}}"#;
    insta::assert_snapshot!(describe(&choose(&all, &call(GEMINI, contents))), @"
    t/contents.json: strict match
    why It was recorded for the same request.
    ");
    let plain =
        r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}"#;
    insta::assert_snapshot!(describe(&choose(&all, &call("/v1/messages", plain))), @"
    t/plain.json: strict match
    why It was recorded for the same request.
    ");
    insta::assert_snapshot!(describe(&choose(&all, &call("/v1/messages", &plain.replace("Hi", "Ho")))), @r#"
    No tape or recording answers this call. None of 3 tapes was recorded for this request. The closest is t/plain.json (1 difference): The tape has `"Hi"`, the request has `"Ho"`.
    why None of 3 tapes was recorded for this request.
    "#);
}

#[test]
fn tapes_for_one_request_take_turns() {
    let mut all = Catalog::new(ServeRules::default());
    let request = r#"{"model":"m","stream":true,"messages":[]}"#;
    tape(&mut all, "t/a.json", request);
    tape(&mut all, "t/b.json", request);
    let call = call("/v1/messages", request);
    let served = [0; 4].map(|_| describe(&choose(&all, &call)));
    let paths = served.map(|text| text.lines().next().unwrap_or_default().to_owned());
    insta::assert_snapshot!(paths.join("\n"), @"
    t/a.json: strict match
    t/b.json: strict match
    t/a.json: strict match
    t/b.json: strict match
    ");
}

#[test]
fn calls_at_the_same_time_get_each_a_tape_of_their_own() {
    let mut all = Catalog::new(ServeRules::default());
    let request = r#"{"model":"m","stream":true,"messages":[]}"#;
    let paths: Vec<String> = (0..8).map(|number| format!("t/{number}.json")).collect();
    for path in &paths {
        tape(&mut all, path, request);
    }
    let (all, call) = (&all, &call("/v1/messages", request));
    let start = &std::sync::Barrier::new(paths.len());
    let mut served: Vec<Arc<str>> = std::thread::scope(|scope| {
        let calls: Vec<_> = paths
            .iter()
            .map(|_| {
                scope.spawn(move || {
                    start.wait();
                    choose(all, call).chosen.unwrap().path
                })
            })
            .collect();
        calls.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    served.sort();
    assert!(served.iter().map(|path| &**path).eq(&paths), "{served:?}");
}

#[test]
fn sets_answer_by_signature_and_then_by_position_until_they_are_used_up() {
    let mut all = Catalog::new(ServeRules::default());
    all.add_set(set(&[("1", &["a"]), ("2", &["b"])]), &HashMap::new());
    let call_with = |tool: &str| {
        let body = format!(
            r#"{{"messages": [{{"role": "user", "content": "x"}}], "tools": [{{"name": "{tool}", "input_schema": {{}}}}]}}"#
        );
        call("/v1/messages", &body)
    };
    let served = ["b", "b", "c", "c"].map(|tool| describe(&choose(&all, &call_with(tool))));
    insta::assert_snapshot!(served.join("\n\n"), @"
    set/2.json: by signature
    why Position 2 has the signature of this request.

    set/1.json: by position 1
    why Every recording with the signature of this request is already used.
    why Sequential mode serves position 1.
    why The client only warns that the tools differ, and it returns an answer that was recorded with other tools.
    differs It lacks b and additionally has a

    set/2.json: by position 2
    why No recording has the signature of this request, so matching by signature finds none.
    why Sequential mode serves position 2.
    why The client only warns that the tools differ, and it returns an answer that was recorded with other tools.
    differs It lacks c and additionally has b

    No tape or recording answers this call. No recording has the signature of this request, so matching by signature finds none. Position 3 is past the last recording. The closest is set/1.json (1 missing, 1 extra tool, used): It lacks c and additionally has a; It is already used.
    why No recording has the signature of this request, so matching by signature finds none.
    why Position 3 is past the last recording.
    ");
}

#[test]
fn each_set_without_a_match_is_listed_with_the_reason() {
    let rules = ServeRules { mode: PlaybackMode::Signature, ..ServeRules::default() };
    let mut all = Catalog::new(rules);
    for (folder, tool) in [("s/1", "a"), ("s/2", "b"), ("s/3", "c")] {
        all.add_set(set_at(folder, &[("x", &[tool])]), &HashMap::new());
    }
    let mut reasons_for = |tool: &str| {
        let body = format!(
            r#"{{"messages": [{{"role": "user", "content": "x"}}], "tools": [{{"name": "{tool}", "input_schema": {{}}}}]}}"#
        );
        choose(&all, &call("/v1/messages", &body)).why.join("\n")
    };
    let whys = ["d", "b", "c", "c"].map(&mut reasons_for);
    insta::assert_snapshot!(whys.join("\n\n"), @"
    None of 3 sets has a recording with its signature.

    `s/1/`: No recording has the signature of this request, so matching by signature finds none.
    Position 1 has the signature of this request.

    2 of 3 sets have no recording with its signature.
    Position 1 has the signature of this request.

    2 of 3 sets have no recording with its signature.
    `s/3/`: Every recording with the signature of this request is already used.
    ");
}

#[test]
fn the_next_tape_is_served_only_on_request() {
    let rules = ServeRules { fallback: Fallback::Next, ..ServeRules::default() };
    let mut all = Catalog::new(rules);
    tape(&mut all, "t/a.json", r#"{"model":"m","messages":[]}"#);
    insta::assert_snapshot!(describe(&choose(&all, &call("/v1/messages", r#"{"model": "n"}"#))), @r#"
    t/a.json: next in order, tape 1
    why None of 1 tape was recorded for this request.
    why The next tape in order is served: tape 1 of 1.
    differs The tape has `"m"`, the request has `"n"`
    differs The request lacks `messages`
    "#);
    let none = Catalog::new(ServeRules::default());
    insta::assert_snapshot!(describe(&choose(&none, &call("/v1/messages", "{}"))), @"No tape or recording answers this call. The server has no tapes or sets.");
}

#[test]
fn loose_matching_ignores_ids_and_dates() {
    let rules = ServeRules { tapes: Strictness::Loose, ..ServeRules::default() };
    let mut all = Catalog::new(rules);
    tape(&mut all, "t/a.json", r#"{"model":"m","contents":"At 2025-01-01: go","config":{}}"#);
    let request = call(
        GEMINI,
        r#"{"contents": [{"role": "user", "parts": [{"text": "At 2025-02-01: go"}]}]}"#,
    );
    insta::assert_snapshot!(describe(&choose(&all, &request)), @"
    t/a.json: loose match, 1 difference ignored
    why With loose comparison, it was recorded for the same request.
    differs The texts first differ at line 1, column 10 of the text: `1-01: go` in the tape, `2-01: go` in the request
    ");
}

#[test]
fn a_call_of_an_archive_is_served_after_its_own_time() {
    let archive = calls::reading::testing::archive(&[("go", "go", 200)]);
    let archive = document::read(Source::new(archive), "a.har");
    let calls = calls::reading::calls(&archive);
    let (document, playback) = (&calls[0].document, TapePlayback::default());
    let recording = document.body.recording().unwrap();
    let served = ServedAnswer::from_recording(document, recording, &playback);
    assert_eq!(served.last_nanos(), 1_500_000_000);
}

/// Adds the calls of a cassette, each a chat with a body and an answer.
fn cassette(catalog: &mut Catalog, calls: &[(&str, &str)]) {
    let call = |(sent, received): &(&str, &str)| {
        let answer = format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":"{received}"}},"finish_reason":"stop"}}]}}"#
        );
        format!(
            "- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', body: '{sent}'}}\n  \
             response: {{status: {{code: 200}}, headers: {{content-type: [application/json]}}, body: {{string: '{answer}'}}}}\n"
        )
    };
    let calls: String = calls.iter().map(call).collect();
    let text = format!("interactions:\n{calls}version: 1\n");
    let document = document::read(Source::new(text), "c.yaml");
    let path: Arc<str> = "c.yaml".into();
    let mut calls = calls::reading::served_calls(&path, &document);
    let mut keys = HashMap::new();
    for (path, call) in &mut calls {
        keys.insert(Arc::clone(path), call.facts.served.take().unwrap().keys);
    }
    let set = RecordingSet::from_named_calls(&path, calls, &Pool::default()).unwrap();
    assert_eq!(set.skipped, []);
    catalog.add_set(set, &keys);
}

#[test]
fn a_recorded_request_comes_before_its_signature() {
    let body = |content: &str, more: &str| {
        format!(
            r#"{{"model":"m",{more}"messages":[{{"role":"user","content":"{content}"}}],"n":1}}"#
        )
    };
    let recorded = ["A", "B", "C", "A"].map(|content| body(content, r#""temperature":1,"#));
    let mut all = Catalog::new(ServeRules::default());
    let calls: Vec<(&str, &str)> = recorded.iter().map(|body| (&**body, "x")).collect();
    cassette(&mut all, &calls);
    let sent = [
        r#"{"messages": [{"content": "B", "role": "user"}], "n": 1.0, "temperature": 1, "model": "m"}"#.to_owned(),
        recorded[0].clone(),
        recorded[0].clone(),
        recorded[0].clone(),
        body("C", ""),
        body("B", r#""temperature":1,"#),
        body("D", ""),
    ];
    let served = sent.map(|sent| {
        let choice = choose(&all, &call("/v1/chat/completions", &sent));
        describe(&choice).lines().next().unwrap_or_default().to_owned()
    });
    insta::assert_snapshot!(served.join("\n"), @"
    c.yaml#2: strict match
    c.yaml#1: strict match
    c.yaml#4: strict match
    c.yaml#4: strict match
    c.yaml#3: same conversation
    c.yaml#2: strict match
    c.yaml#1: by position 1
    ");
}

#[test]
fn a_mode_by_position_ignores_the_recorded_request() {
    let mut all =
        Catalog::new(ServeRules { mode: PlaybackMode::Sequential, ..ServeRules::default() });
    let body = |content: &str| {
        format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{content}"}}]}}"#)
    };
    cassette(&mut all, &[(&body("A"), "a"), (&body("B"), "b")]);
    let choice = choose(&all, &call("/v1/chat/completions", &body("B")));
    assert_eq!(&*choice.chosen.unwrap().path, "c.yaml#1");
}

#[test]
fn a_recording_of_a_folder_is_found_by_its_request_until_it_is_used() {
    let recording = |content: &str| {
        let text = format!(
            r#"{{"request": {{"messages": [{{"role": "user", "content": "{content}"}}], "tools": [], "systemPrompt": ""}},
            "response": {{"response": {{"content": []}}}}, "recordedAt": "t"}}"#
        );
        document::read(Source::new(text), "a.json")
    };
    let (mut keys, mut files) = (HashMap::new(), Vec::new());
    for content in ["a", "b"] {
        let path: Arc<str> = format!("set/{content}.json").into();
        let document = recording(content);
        let key = calls::reading::messages_key(document.tree.root());
        keys.insert(Arc::clone(&path), Vec::from_iter(key));
        files.push(SetRecording::read(path, &document, &Pool::default()));
    }
    let mut all =
        Catalog::new(ServeRules { mode: PlaybackMode::Signature, ..ServeRules::default() });
    all.add_set(RecordingSet::new("set", files), &keys);
    let request = r#"{"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "b"}]}]}"#;
    let served = [(); 3].map(|()| describe(&choose(&all, &call("/v1/messages", request))));
    let first = served.map(|text| text.lines().next().unwrap_or_default().to_owned());
    insta::assert_snapshot!(first.join("\n"), @"
    set/b.json: strict match
    set/a.json: by signature
    No tape or recording answers this call. Every recording with the signature of this request is already used. The closest is set/a.json (used): It is already used.
    ");
}

#[test]
fn what_a_model_answered_is_compared_by_its_texts_and_calls() {
    let chat = |message: &str, more: &str| {
        format!(
            r#"{{"model":"m",{more}"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant",{message}}}]}}"#
        )
    };
    let responses = |items: &str, more: &str| {
        format!(r#"{{"model":"m",{more}"input":[{{"role":"user","content":"Hi"}},{items}]}}"#)
    };
    let go = r#""tool_calls":[{"id":"c","type":"function","function":{"name":"go","arguments":"{\"a\": 1}"}}]"#;
    let item = r#"{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Yo","annotations":[]}]}"#;
    let plain =
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yo"}]}"#;
    let (chats, items) = ("/v1/chat/completions", "/v1/responses");
    for (path, recorded, sent, is_same) in [
        (
            chats,
            chat(r#""content":"Yo","annotations":[]"#, ""),
            chat(r#""content":"Yo""#, ""),
            true,
        ),
        (
            chats,
            chat(&format!(r#""content":null,{go}"#), ""),
            chat(&format!(r#""content":"",{go}"#), ""),
            true,
        ),
        (chats, chat(r#""content":"Yo""#, ""), chat(r#""content":"Ya""#, ""), false),
        (
            chats,
            chat(r#""content":"Yo","annotations":[]"#, ""),
            chat(r#""content":"Yo""#, r#""seed":1,"#),
            false,
        ),
        (
            chats,
            chat(&format!(r#""content":null,{go}"#), ""),
            chat(&format!(r#""content":"",{}"#, go.replace("\"c\"", "\"d\"")), ""),
            false,
        ),
        (items, responses(item, ""), responses(plain, ""), true),
        (
            items,
            responses(
                &format!(
                    r#"{{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}},{item}"#
                ),
                "",
            ),
            responses(plain, ""),
            true,
        ),
        (
            items,
            responses(item, r#""previous_response_id":"resp_1","#),
            responses(item, r#""previous_response_id":"resp_2","#),
            true,
        ),
        (
            "/v1/messages",
            chat(
                r#""content":[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Yo","citations":null}]"#,
                r#""system":"S","#,
            ),
            chat(r#""content":"Yo""#, r#""system":"S","#),
            true,
        ),
    ] {
        let mut all = Catalog::new(ServeRules::default());
        tape(&mut all, "t/a.json", &recorded);
        let how = choose(&all, &call(path, &sent)).chosen.map(|tape| tape.matched_by);
        let expected = is_same.then_some(MatchedBy::Conversation);
        assert_eq!(how, expected, "{recorded}\n{sent}");
    }
}

#[test]
fn an_answer_may_be_a_file_with_a_number_sign() {
    for (path, recorded) in
        [("a.yaml#2", ("a.yaml", 1)), ("a.yaml#0", ("a.yaml#0", 0)), ("a#b.yaml", ("a#b.yaml", 0))]
    {
        let chosen = ChosenAnswer { path: path.into(), matched_by: MatchedBy::Strict };
        let choice = ServeChoice { chosen: Some(chosen), ..ServeChoice::default() };
        assert_eq!(choice.recorded(), Some(recorded));
    }
}
