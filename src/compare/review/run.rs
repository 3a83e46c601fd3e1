//! Two files with the calls of an agent as runs: which call became which, and where they part.

use std::sync::Arc;

use super::cassette::aligned_calls;
use super::{AlignedCalls, FirstDifference, IgnoreRule, Review, Take, TakePair, compare};
use calls::json::Json;
use calls::object;
use calls::reading::all_calls;
use document::call::ModelCall;
use document::recording::Message;
use document::{Document, DocumentBody, NodeId, json};

/// Two compared runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunComparison {
    /// The calls in the order of the new run, and whether each differs in more than noise.
    pub calls: Vec<(AlignedCalls, bool)>,
    /// The call of the first difference that matters, by its place among these.
    pub first: Option<usize>,
    /// That difference in a sentence; empty if there is none.
    pub sentence: String,
}

/// Compares two runs by their calls; `None` if one of the files has no calls that can be aligned.
pub fn compare_runs(old: &Take, new: &Take, rules: &[IgnoreRule]) -> Option<RunComparison> {
    let [old, new] =
        [old, new].map(|take| Arc::new(take.with_calls().unwrap_or_else(|| take.clone())));
    let aligned = aligned_calls(&old.read(), &new.read())?;
    let pair = TakePair::by_hand(&old, &new);
    let comparison = compare(&pair, rules);
    let review = Review::new(vec![(pair, comparison)]);
    let changes = &review.pairs.first()?.compared.changes;
    let is_changed = |calls: AlignedCalls| {
        changes.iter().any(|change| change.ignored.is_none() && change.is_in(calls))
    };
    let first = review.first_difference_of(0);
    let calls = first.as_ref().and_then(FirstDifference::aligned);
    Some(RunComparison {
        first: calls.and_then(|calls| aligned.iter().position(|other| *other == calls)),
        sentence: first.and_then(|first| first.sentence()).unwrap_or_default(),
        calls: aligned.into_iter().map(|calls| (calls, is_changed(calls))).collect(),
    })
}

impl Take {
    /// Returns the calls of a transcript as a cassette, so that it is compared by its calls; `None` for another file, which is compared as
    /// it is. Each request has only the messages that are not in the call before: a long conversation would be repeated in each.
    #[must_use]
    pub fn with_calls(&self) -> Option<Self> {
        let document = self.read();
        let is_run = matches!(&document.body, DocumentBody::Foreign(foreign) if foreign.format.is_agent_run());
        let calls = if is_run { all_calls(&document) } else { Vec::new() };
        if calls.is_empty() {
            return None;
        }
        let mut earlier = EarlierCall::default();
        let interactions: Vec<Json> =
            calls.iter().map(|call| interaction(call, &mut earlier)).collect();
        let cassette = object! { "version": 1usize, "interactions": interactions };
        Some(Self::new(&self.path, cassette.into_string().into_bytes()))
    }
}

/// The call before another one of a transcript.
#[derive(Default)]
struct EarlierCall {
    /// As JSON.
    messages: Vec<String>,
    answer: String,
}

/// Returns a call as one of a cassette, with the messages that are not in the earlier one, and makes it the earlier one.
fn interaction(call: &ModelCall<'_>, earlier: &mut EarlierCall) -> Json {
    let document: &Document = &call.document;
    let text = |node: NodeId| json::text(document.node(node)).into_owned();
    let request = document.body.request();
    let messages: Vec<String> = request
        .into_iter()
        .flat_map(|request| request.messages.iter().map(|message| text(message.node)))
        .collect();
    let mut known =
        if messages.starts_with(&earlier.messages) { earlier.messages.len() } else { 0 };
    let next = request.and_then(|request| request.messages.get(known));
    let is_answer = |message: &Message| message.texts().collect::<String>() == earlier.answer;
    known += usize::from(known > 0 && next.is_some_and(is_answer));
    let new_messages: Vec<Json> = messages[known..].iter().map(Json::raw).collect();
    let answer = call.answer().map_or_else(String::new, |answer| answer.texts().collect());
    *earlier = EarlierCall { messages, answer };
    let tools = request.into_iter().flat_map(|request| &request.tools);
    let tools: Vec<Json> = tools.map(|tool| Json::raw(text(tool.node))).collect();
    let system = request.and_then(|request| Some(request.system_prompt.as_ref()?.value.clone()));
    let model = call.facts.model.as_deref().unwrap_or_default();
    let sent = object! {
        "model": model, "max_tokens": 1usize, "system": system.unwrap_or_default(),
        "messages": new_messages, "tools": tools,
    };
    let answer = call.answer().and_then(|answer| document.node(answer.node).get("content"));
    let content = answer.map_or_else(|| Json::raw("[]"), |node| Json::raw(json::text(node)));
    let answered =
        object! { "type": "message", "role": "assistant", "model": model, "content": content };
    object! {
        "request": object! {
            "method": "POST", "uri": "https://api.anthropic.com/v1/messages", "headers": object! {},
            "body": sent.into_string(),
        },
        "response": object! {
            "status": object! { "code": 200usize, "message": "OK" }, "headers": object! {},
            "body": object! { "string": answered.into_string() },
        },
    }
}
