//! The simulator against a second one, which is slow and simple: both play the same calls and have to agree on each.

use std::sync::Arc;

use calls::Pool;
use document::read;
use document::text::Source;
use play::playback::{
    CallOutcome, MatchStep, PlaybackClient, PlaybackMode, PlaybackRules, PlaybackRun,
    PlayedRequest, Player, PlayerState, RecordingSet, ResponseShape, SetRecording, error_text,
    requests,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A client as its owner describes it: no index, every recording looked at for each call, values as JavaScript has them.
struct Naive {
    recordings: Vec<Value>,
    rules: PlaybackRules,
    used: Vec<usize>,
    next: usize,
}

/// The result of a call.
#[derive(Debug, PartialEq)]
enum Came {
    /// The recording at this position; whether by its signature, and what is returned.
    Served(usize, bool, Out),
    /// The client goes on with an empty answer.
    Empty,
    /// The client ends.
    Error(String),
}

#[derive(Debug, PartialEq)]
enum Out {
    Answer,
    Undefined,
    Error(String),
}

/// `undefined` is `None`.
type Js<'v> = Option<&'v Value>;

/// `value.key`
fn get<'v>(value: Js<'v>, key: &str) -> Result<Js<'v>, String> {
    let nothing = match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(value) => return Ok(value.get(key)),
    };
    Err(format!("TypeError: Cannot read properties of {nothing} (reading '{key}')"))
}

/// `value.length`
fn length(value: Js<'_>) -> Result<Option<usize>, String> {
    get(value, "length")?;
    Ok(match value {
        Some(Value::Array(list)) => Some(list.len()),
        Some(Value::String(text)) => Some(text.encode_utf16().count()),
        _ => None,
    })
}

fn is_truthy(value: Js<'_>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    }
}

/// `a === b` for what signatures hold.
fn is_same(a: Js<'_>, b: Js<'_>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(Value::Number(a)), Some(Value::Number(b))) => a.as_f64() == b.as_f64(),
        (Some(a), Some(b)) if a.is_object() || a.is_array() || b.is_object() => false,
        (a, b) => a == b,
    }
}

fn are_equal(a: Js<'_>, b: &[Option<Value>]) -> Result<bool, String> {
    if length(a)? != Some(b.len()) {
        return Ok(false);
    }
    let at = |index: usize| a.and_then(|a| a.get(index));
    Ok((0..b.len()).all(|index| is_same(at(index), b[index].as_ref())))
}

/// A signature that is computed.
struct Computed {
    tool_names: Vec<Option<Value>>,
    message_count: Option<usize>,
    context_keys: Vec<Option<Value>>,
}

fn sort(list: &mut [Option<Value>]) {
    let units = |value: &Value| -> Vec<u16> { value.as_str().unwrap().encode_utf16().collect() };
    list.sort_by(|a, b| match (a, b) {
        (Some(a), Some(b)) => units(a).cmp(&units(b)),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
}

impl Naive {
    fn computed(&self, request: Js<'_>) -> Result<Computed, String> {
        let (messages, tools) = (get(request, "messages")?, get(request, "tools")?);
        get(tools, "map")?;
        let mut tool_names = Vec::new();
        for tool in tools.unwrap().as_array().unwrap() {
            tool_names.push(get(Some(tool), "name")?.cloned());
        }
        sort(&mut tool_names);
        let message_count = length(messages)?;
        let context = get(request, "context")?.and_then(Value::as_object);
        let mut context_keys = Vec::new();
        if self.rules.client == PlaybackClient::Documented {
            let keys = context.into_iter().flat_map(Map::keys);
            context_keys.extend(keys.map(|key| Some(json!(key))));
            sort(&mut context_keys);
        }
        Ok(Computed { tool_names, message_count, context_keys })
    }

    fn is_match(&self, recording: &Value, current: &Computed) -> Result<bool, String> {
        let stored = get(Some(recording), "signature")?;
        let own;
        let recorded = if is_truthy(stored) {
            stored
        } else {
            let computed = self.computed(get(Some(recording), "request")?)?;
            own = json!({
                "toolNames": computed.tool_names,
                "messageCount": computed.message_count,
                "contextKeys": computed.context_keys,
            });
            // JSON has no `undefined`, so what is computed is compared by itself.
            return Ok(computed.tool_names == current.tool_names
                && computed.message_count == current.message_count
                && are_equal(own.get("contextKeys"), &current.context_keys)?);
        };
        if !are_equal(get(recorded, "toolNames")?, &current.tool_names)? {
            return Ok(false);
        }
        let count = json!(current.message_count);
        if !is_same(get(recorded, "messageCount")?, Some(&count)) {
            return Ok(false);
        }
        let keys = get(recorded, "contextKeys")?;
        let has_any = length(keys)?.is_some_and(|length| length > 0);
        if has_any || !current.context_keys.is_empty() {
            return are_equal(keys, &current.context_keys);
        }
        Ok(true)
    }

    fn find(&self, current: &Computed) -> Result<Option<usize>, String> {
        for (index, recording) in self.recordings.iter().enumerate() {
            if !self.used.contains(&index) && self.is_match(recording, current)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn serve(&mut self, index: usize, by_signature: bool) -> Came {
        self.used.push(index);
        let out = handed(&self.recordings[index]);
        Came::Served(index, by_signature, out.unwrap_or_else(Out::Error))
    }

    fn play(&mut self, request: &Value) -> Came {
        if self.rules.mode != PlaybackMode::Sequential {
            let current = self.computed(Some(request)).unwrap();
            match self.find(&current) {
                Err(error) => return Came::Error(error),
                Ok(Some(index)) => return self.serve(index, true),
                Ok(None) if self.rules.mode == PlaybackMode::Signature => {
                    return Came::Error(self.no_match(request, &current));
                }
                Ok(None) => {}
            }
        }
        let (index, total) = (self.next, self.recordings.len());
        if index >= total {
            return match self.rules.client {
                PlaybackClient::Browser => Came::Empty,
                _ => Came::Error(format!(
                    "LLM invoked but no recording available (index: {index}, total: {total}). \
                     This machine requires LLM interaction but recordings are missing."
                )),
            };
        }
        self.next += 1;
        self.serve(index, false)
    }

    /// The client's error, from its first line to its last.
    fn no_match(&self, request: &Value, current: &Computed) -> String {
        if self.rules.client == PlaybackClient::Browser {
            let tools = request["tools"].as_array().unwrap().iter();
            let names = tools.map(|tool| tool.get("name"));
            let names: Vec<_> = names.flatten().filter_map(Value::as_str).collect();
            return format!("No matching recording found. Tools: {}", names.join(", "));
        }
        let names = current.tool_names.iter();
        let names: Vec<Js<'_>> = names.map(Option::as_ref).collect();
        let mut text = format!(
            "❌ No matching recording found for request\n\nCurrent Request:\n  Tools ({}): {}\n  Message count: {}\n\n\
             Available Recordings:\n",
            names.len(),
            current_names(&names).join(", "),
            current.message_count.unwrap(),
        );
        for (index, recording) in self.recordings.iter().enumerate() {
            let used = if self.used.contains(&index) { " (USED)" } else { "" };
            match self.listed(recording) {
                Ok([id, tools, messages]) => {
                    text += &format!(
                        "  [{index}] {id}{used}\n      Tools: {tools}\n      Messages: {messages}\n"
                    );
                }
                Err(error) => return error,
            }
        }
        text + "\nTroubleshooting:\n  1. Regenerate recordings if source file changed\n  \
            2. Check that tool names match exactly\n  \
            3. Use matchingMode: \"hybrid\" for backward compatibility\n\n  Recordings directory: set"
    }

    /// The id, the tools and the count of messages that the error lists for a recording.
    fn listed(&self, recording: &Value) -> Result<[String; 3], String> {
        let id = get(get(Some(recording), "request")?, "requestId")?;
        let stored = get(Some(recording), "signature")?;
        let (tools, messages) = if is_truthy(stored) {
            let names = get(stored, "toolNames")?;
            get(names, "join")?;
            let not_joined = "TypeError: recordedSig.toolNames.join is not a function";
            let names = names.and_then(Value::as_array).ok_or(not_joined)?;
            let names: Vec<Js<'_>> = names.iter().map(Some).collect();
            (current_names(&names).join(", "), printed(get(stored, "messageCount")?))
        } else {
            let computed = self.computed(get(Some(recording), "request")?)?;
            let names: Vec<Js<'_>> = computed.tool_names.iter().map(Option::as_ref).collect();
            let count = computed.message_count.map(|count| json!(count));
            (current_names(&names).join(", "), printed(count.as_ref()))
        };
        Ok([printed(id), tools, messages])
    }
}

/// Names as `join` writes them.
fn current_names(names: &[Js<'_>]) -> Vec<String> {
    let is_nothing = |name: &Js<'_>| matches!(name, None | Some(Value::Null));
    let text = |name: &Js<'_>| {
        if is_nothing(name) { String::new() } else { printed(*name) }
    };
    names.iter().map(text).collect()
}

/// `${value}`
fn printed(value: Js<'_>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.as_f64().unwrap().to_string(),
        Some(value) => value.to_string(),
    }
}

/// What the client does with a recording that it serves.
fn handed(recording: &Value) -> Result<Out, String> {
    let recording = Some(recording);
    if !is_truthy(recording) {
        return Err("Internal error: No recording selected".to_owned());
    }
    get(get(recording, "request")?, "requestId")?;
    get(get(recording, "response")?, "reasoning")?;
    length(get(get(recording, "request")?, "tools")?)?;
    let answer = get(get(recording, "response")?, "response")?;
    Ok(match answer {
        None | Some(Value::Null) => Out::Undefined,
        Some(_) => Out::Answer,
    })
}

/// What the simulator says, in the words of the other.
fn came(
    set: &RecordingSet,
    rules: PlaybackRules,
    request_of: &PlayedRequest,
    before: &PlayerState,
    outcome: &CallOutcome,
) -> Came {
    let error = || error_text(set, rules, request_of, outcome, || before.clone()).unwrap();
    match outcome {
        CallOutcome::Served(served) => Came::Served(
            served.index,
            served.step == MatchStep::Signature,
            match served.response {
                ResponseShape::Answer => Out::Answer,
                ResponseShape::Undefined => Out::Undefined,
                ResponseShape::Breaks(error) => Out::Error(error.to_string()),
            },
        ),
        CallOutcome::PastEnd { .. } if rules.client == PlaybackClient::Browser => Came::Empty,
        CallOutcome::NoMatch | CallOutcome::PastEnd { .. } | CallOutcome::Breaks { .. } => {
            Came::Error(error())
        }
        CallOutcome::Skipped => panic!("a call that is certain is played"),
    }
}

fn recorded(index: usize, recording: &Value) -> SetRecording {
    let path = format!("set/{index:03}.json");
    let document = read(Source::new(recording.to_string()), "x.json");
    SetRecording::read(path.into(), &document, &Pool::default()).unwrap()
}

fn request_of(request: &Value) -> Arc<PlayedRequest> {
    let document = read(Source::new(request.to_string()), "x.json");
    let requests = requests::from_document(&"request".into(), &document, &Pool::default());
    requests.unwrap().swap_remove(0)
}

fn compare(
    recordings: Vec<Value>,
    requests: &[Value],
    rules: PlaybackRules,
) -> Result<(), TestCaseError> {
    let files = recordings.iter().enumerate();
    let files = files.map(|(index, it)| Ok(recorded(index, it)));
    let set = Arc::new(RecordingSet::new("set", files));
    let mut naive = Naive { recordings, rules, used: Vec::new(), next: 0 };
    let all: Vec<Arc<PlayedRequest>> = requests.iter().map(request_of).collect();
    let mut player = Player::new(&set, rules);
    for (request, request_of) in requests.iter().zip(&all) {
        let before = player.state().clone();
        // Going on from a state is the same as having come there.
        let again = Player::resume(&set, rules, &before).play(request_of);
        let outcome = player.play(request_of);
        prop_assert_eq!(&again, &outcome);
        let wanted = naive.play(request);
        prop_assert_eq!(came(&set, rules, request_of, &before, &outcome), wanted);
        let used: Vec<bool> =
            (0..set.recordings.len()).map(|index| naive.used.contains(&index)).collect();
        prop_assert_eq!(&player.state().used, &used);
        prop_assert_eq!(player.state().next, naive.next);
    }
    let run = PlaybackRun::new(Arc::clone(&set), rules, all);
    prop_assert_eq!(run.state_after(requests.len()), player.state().clone());
    consistent(&run)
}

/// The findings of a run agree with its calls.
fn consistent(run: &PlaybackRun) -> Result<(), TestCaseError> {
    for (at, call) in run.calls.iter().enumerate() {
        let misses = run.misses(at, usize::MAX);
        let others = run.set.recordings.len() - usize::from(call.index().is_some());
        prop_assert_eq!(misses.count, others);
        prop_assert_eq!(misses.nearest.len(), others);
        // Whatever was looked at and not taken has something against it.
        let looked_at = match &call.outcome {
            CallOutcome::Served(served) if served.step == MatchStep::Signature => served.index,
            CallOutcome::Breaks { index, .. } => *index,
            _ if run.rules.mode == PlaybackMode::Sequential => 0,
            _ => usize::MAX,
        };
        for miss in misses.nearest.iter().filter(|miss| miss.index < looked_at) {
            prop_assert!(!miss.reasons.is_empty());
        }
        let few = run.misses(at, 2).nearest;
        prop_assert_eq!(&few[..], &misses.nearest[..few.len()]);
        prop_assert!(!run.explain(at).is_empty());
    }
    let unused = run
        .served_in
        .iter()
        // Nothing is unused where nothing is played.
        .filter(|calls| calls.is_empty() && !run.calls.is_empty())
        .count();
    prop_assert_eq!(run.findings.unused.len(), unused);
    Ok(())
}

fn name() -> impl Strategy<Value = &'static str> {
    // Their order differs by bytes and by UTF-16 units.
    prop::sample::select(vec!["a", "b", "B", "\u{ff5e}", "\u{1f600}"])
}

fn names(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(name(), 0..=most)
}

/// A request that a client makes: tools and messages are lists.
fn request() -> impl Strategy<Value = Value> {
    let tool = prop_oneof![
        12 => name().prop_map(|name| json!({ "name": name })),
        1 => Just(json!({})),
    ];
    let tools = prop::collection::vec(tool, 0..=2);
    let context = prop::option::of(names(1));
    (tools, 1usize..=2, context).prop_map(|(tools, messages, keys)| {
        let message = json!({ "role": "user", "content": "x" });
        let mut request = json!({
            "type": "llm_invocation_request",
            "requestId": "req",
            "messages": vec![message; messages],
            "tools": tools,
        });
        if let Some(keys) = keys {
            let context: Map<_, _> = keys.iter().map(|key| (key.to_string(), json!(1))).collect();
            request["context"] = context.into();
        }
        request
    })
}

/// A stored signature: mostly a good one, else with what JavaScript makes something else of.
fn signature() -> impl Strategy<Value = Value> {
    let list = || {
        prop_oneof![
            12 => names(2).prop_map(|names| json!(names)),
            1 => Just(json!(null)),
            1 => Just(json!(5)),
            1 => Just(json!("")),
            1 => Just(json!([1])),
            1 => Just(json!({})),
        ]
    };
    let keys = prop_oneof![6 => Just(json!([])), 3 => list()];
    let count = prop_oneof![
        9 => (1u64..=2).prop_map(|count| json!(count)),
        1 => Just(json!(1.0)),
        1 => Just(json!(1.5)),
        1 => Just(json!("1")),
        1 => Just(json!(-1)),
        1 => Just(json!(null)),
    ];
    let whole = (list(), count, keys, prop::option::weighted(0.1, 0usize..3)).prop_map(
        |(tools, count, keys, lacks)| {
            let mut signature =
                json!({ "toolNames": tools, "messageCount": count, "contextKeys": keys });
            if let Some(lacks) = lacks {
                let key = ["toolNames", "messageCount", "contextKeys"][lacks];
                signature.as_object_mut().unwrap().remove(key);
            }
            signature
        },
    );
    prop_oneof![
        14 => whole,
        1 => Just(json!(null)),
        1 => Just(json!(0)),
        1 => Just(json!("")),
        1 => Just(json!("x")),
        1 => Just(json!([])),
    ]
}

/// A file of a set: mostly a recording, now and then something that the recorder never wrote.
fn recording() -> impl Strategy<Value = Value> {
    let response = prop_oneof![
        8 => (0u8..3).prop_map(|answer| json!({ "response": { "content": [answer] } })),
        1 => Just(json!({ "content": [] })),
        1 => Just(json!({ "response": null })),
        1 => Just(json!(null)),
    ];
    let whole = (
        request(),
        response,
        prop::option::of(signature()),
        prop::option::weighted(0.08, 0usize..6),
    );
    let whole = whole.prop_map(|(request, response, signature, lacks)| {
        let mut recording = json!({ "request": request, "response": response });
        if let Some(signature) = signature {
            recording["signature"] = signature;
        }
        let lost = |value: &mut Value, key: &str| drop(value.as_object_mut().unwrap().remove(key));
        match lacks {
            Some(0) => lost(&mut recording, "request"),
            Some(1) => lost(&mut recording, "response"),
            Some(2) => lost(&mut recording["request"], "messages"),
            Some(3) => lost(&mut recording["request"], "tools"),
            // What is text has a length, too, in UTF-16 code units.
            Some(4) => recording["request"]["messages"] = json!("\u{1f600}"),
            Some(5) => recording["request"]["requestId"] = json!(7),
            _ => {}
        }
        recording
    });
    prop_oneof![
        60 => whole,
        1 => Just(json!({})),
        1 => Just(json!(null)),
        1 => Just(json!([1])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn both_play_the_same(
        recordings in prop::collection::vec(recording(), 0..=8),
        requests in prop::collection::vec(request(), 0..=8),
        mode in prop::sample::select(PlaybackMode::ALL.to_vec()),
        client in prop::sample::select(PlaybackClient::ALL.to_vec()),
    ) {
        compare(recordings, &requests, PlaybackRules { mode, client })?;
    }

    #[test]
    fn both_play_the_same_where_every_file_is_good(
        recordings in prop::collection::vec((request(), names(1), 0u8..3), 1..=8),
        calls in prop::collection::vec(0usize..8, 0..=12),
        mode in prop::sample::select(PlaybackMode::ALL.to_vec()),
        client in prop::sample::select(PlaybackClient::ALL.to_vec()),
    ) {
        let requests: Vec<Value> = calls
            .iter()
            .map(|call| recordings[call % recordings.len()].0.clone())
            .collect();
        let recordings = recordings.into_iter().map(|(request, keys, answer)| {
            let response = json!({ "response": { "content": [answer] } });
            let mut recording = json!({ "request": request, "response": response });
            if answer > 0 {
                let tools = request["tools"].as_array().unwrap().iter();
                let mut names: Vec<Option<Value>> =
                    tools.map(|tool| tool.get("name").cloned()).collect();
                sort(&mut names);
                recording["signature"] = json!({
                    "toolNames": names,
                    "messageCount": request["messages"].as_array().unwrap().len(),
                    "contextKeys": keys,
                });
            }
            recording
        });
        compare(recordings.collect(), &requests, PlaybackRules { mode, client })?;
    }
}
