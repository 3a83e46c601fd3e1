//! Tests that an answer that is served and recorded again is the same, in the words of each API.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    CallMetadata, ConfigOrders, Credentials, PendingTape, ProxyOutcome, ResponseHead,
    StreamRecorder,
};
use crate::live::answer::ServedAnswer;
use crate::live::client_call::ClientCall;
use crate::live::received::ReceivedAnswer;
use calls::api::{Api, ResponseContext, ResponseWriter, Route};
use calls::tape::playback::TapePlayback;
use document::text::Source;
use document::{Document, DocumentBody, read};

const API_PATHS: [&str; 4] = [
    "/v1/messages",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1beta/models/m:streamGenerateContent",
];

/// Returns a tape with these chunks: nanoseconds before each, and its text.
fn tape(chunks: &[(u64, String)], ended: &Value) -> String {
    let chunks: Vec<Value> =
        chunks.iter().map(|(delay, text)| json!({ "delayNs": delay, "text": text })).collect();
    let meta = json!({ "model": "m", "recordedAt": "t", "ended": ended });
    json!({ "meta": meta, "request": {}, "stream": chunks }).to_string()
}

fn played(document: &Document) -> ServedAnswer {
    match &document.body {
        DocumentBody::Tape(tape) => ServedAnswer {
            received: None,
            ..ServedAnswer::from_tape(document, tape, &TapePlayback::default())
        },
        other => panic!("{other:?}"),
    }
}

fn context() -> ResponseContext {
    ResponseContext { number: 1, model: "m".to_owned(), created: 1, ..Default::default() }
}

/// Returns what a recorder makes of an answer that is served.
fn recorded(path: &str, answer: &ServedAnswer, outcome: &ProxyOutcome) -> (Api, Document) {
    let query = path.contains(":stream").then_some("alt=sse");
    let mut route = Route::from_request("POST", path, query).unwrap();
    let body = r#"{"model":"m","stream":true}"#;
    let call = ClientCall::read(&mut route, "c", body).unwrap();
    let mut writer = ResponseWriter::new(&route, call.with_usage, context());
    let head = ResponseHead {
        status: 200,
        content_type: "text/event-stream".to_owned(),
        encoding: String::new(),
    };
    let mut recorder = StreamRecorder::new(Some(&route), head);
    for (index, piece) in answer.fragments.iter().enumerate() {
        let (blocks, end) = answer.fragment(index);
        let bytes = writer.fragment(blocks, end);
        recorder.push_bytes(bytes.as_bytes(), piece.due_nanos);
    }
    let metadata = CallMetadata {
        at: "2026-03-09T11:02:17.5Z".parse().unwrap(),
        url: None,
        route: Some(&route),
        request: Some(body.as_bytes()),
        label: None,
        comment: None,
        credentials: &Credentials::default(),
        config_orders: &ConfigOrders::default(),
    };
    let pending = PendingTape::new(metadata, Some(recorder), outcome);
    (route.api, read(Source::new(pending.json), "tape.json"))
}

/// Returns the chunks of a tape: nanoseconds before each, and its text.
fn chunks(document: &Document) -> Vec<(u64, String)> {
    let DocumentBody::Tape(tape) = &document.body else {
        panic!("{:?}", document.body);
    };
    tape.chunks.iter().map(|chunk| (chunk.delay_nanos as u64, chunk.text.to_string())).collect()
}

/// Content of a chunk, or of several that belong together.
#[derive(Clone, Debug)]
enum Says {
    Text(String),
    Call { id: Option<String>, input: Vec<String> },
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        4 => "[a-zé😀\n\\\\\"{}:, ]{1,6}",
        1 => Just("{\"type\":\"tool_use\"".to_owned()),
    ]
}

/// Returns an input in parts, some of them empty.
fn input() -> impl Strategy<Value = Vec<String>> {
    let object = prop::collection::btree_map("[a-zé]{0,3}", text(), 0..3);
    let cuts = prop::collection::vec(any::<prop::sample::Index>(), 0..4);
    (object, cuts).prop_map(|(object, cuts)| {
        let json: Vec<char> = json!(object).to_string().chars().collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(json.len() + 1)).collect();
        cuts.extend([0, json.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|part| &json[part[0]..part[1]]);
        parts.map(|part| part.iter().collect()).collect()
    })
}

fn says() -> impl Strategy<Value = Vec<Says>> {
    let id = prop::option::of("[a-z]{1,3}");
    let call = (id, input()).prop_map(|(id, input)| Says::Call { id, input });
    prop::collection::vec(prop_oneof![2 => text().prop_map(Says::Text), 1 => call], 0..6)
}

/// Returns the chunks as the recorder writes them.
fn written(says: &[Says]) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    for (number, one) in says.iter().enumerate() {
        let is_first = chunks.iter().all(String::is_empty);
        match one {
            Says::Text(text) => chunks.push(text.clone()),
            Says::Call { id, input } => {
                let lead = if is_first { "" } else { "\n" };
                let id = id.clone().unwrap_or_default() + &number.to_string();
                let mut input = input.clone();
                input[0].insert_str(
                    0,
                    &format!(
                        "{lead}{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"go\",\"input\":"
                    ),
                );
                if let Some(last) = input.last_mut() {
                    last.push('}');
                }
                chunks.append(&mut input);
            }
        }
    }
    chunks
}

fn timed(chunks: Vec<String>) -> Vec<(u64, String)> {
    [0, 7, 0, 1_000_000, 3].into_iter().cycle().zip(chunks).collect()
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn a_served_tape_is_recorded_with_the_same_chunks(says in says()) {
        let old_tape = read(Source::new(tape(&timed(written(&says)), &Value::Null)), "t.json");
        let answer = played(&old_tape);
        for path in API_PATHS {
            let (api, after) = recorded(path, &answer, &ProxyOutcome::Done);
            let replayed = played(&after);
            let DocumentBody::Tape(tape) = &after.body else { panic!() };
            prop_assert!(ReceivedAnswer::from_tape(&after, tape).is_some(), "{}", path);
            prop_assert_eq!(replayed.document(api, &context()), answer.document(api, &context()), "{}", path);
            let mut fragments = answer.fragments.clone();
            if matches!(api, Api::AnthropicMessages | Api::OpenAiResponses) {
                fragments.retain(|piece| !piece.blocks.is_empty());
            }
            let due = |pieces: &[crate::live::answer::Fragment]| pieces.iter().map(|piece| piece.due_nanos).collect::<Vec<_>>();
            prop_assert_eq!(due(&replayed.fragments), due(&fragments), "{}", path);
            if api != Api::Gemini {
                prop_assert_eq!(&replayed.fragments, &fragments, "{}", path);
            }
            if api == Api::OpenAiChat {
                prop_assert_eq!(chunks(&after), chunks(&old_tape));
            }
        }
    }

    #[test]
    fn wherever_a_tape_is_cut_its_calls_are_calls(says in says(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..9)) {
        let joined: Vec<char> = written(&says).concat().chars().collect();
        let calls = says.iter().filter(|says| matches!(says, Says::Call { .. })).count();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(joined.len() + 1)).collect();
        cuts.extend([0, joined.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|part| joined[part[0]..part[1]].iter().collect());
        let cut_tape = read(Source::new(tape(&timed(parts.collect()), &Value::Null)), "t.json");
        let answer = played(&cut_tape);
        for path in API_PATHS {
            let (api, after) = recorded(path, &answer, &ProxyOutcome::Done);
            let response = played(&after).document(api, &context());
            prop_assert_eq!(&response, &answer.document(api, &context()), "{}", path);
            // Text may follow on the line of a call where no cut keeps it apart.
            prop_assert!(response.matches("\"name\":\"go\"").count() <= calls);
        }
    }

    #[test]
    fn a_call_that_broke_off_breaks_off_again(says in says(), end in any::<prop::sample::Index>()) {
        let mut pieces = written(&says);
        pieces.truncate(end.index(pieces.len() + 1));
        let old_tape = read(Source::new(tape(&timed(pieces), &json!({ "how": "cut-off" }))), "t.json");
        let answer = played(&old_tape);
        let (_, after) = recorded("/v1/chat/completions", &answer, &ProxyOutcome::CutOff("It broke".to_owned()));
        let joined = |document: &Document| {
            let texts: String = chunks(document).into_iter().map(|(_, text)| text).collect();
            texts.trim_end_matches('}').to_owned()
        };
        prop_assert_eq!(joined(&after), joined(&old_tape));
        prop_assert_eq!(chunks(&after).len(), chunks(&old_tape).len());
    }
}
