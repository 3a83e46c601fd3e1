//! The call of a replay session: its input, the tool responses, and the answer of the incident if it is known.

use super::{CallDetail, ReadCall};
use crate::api::{Api, BlockContent, MessageRole, ModelAnswer, ModelBlock, ModelRequest, ToolCall};
use document::call::{CallFacts, ModelCall};
use document::session::Session;
use document::{Document, Node, text};

/// The names under which an import keeps an answer in what belongs to an incident.
const ANSWER_KEYS: [&str; 6] = ["output", "answer", "text", "result", "response", "content"];

pub(super) fn call<'d>(document: &'d Document, session: &Session) -> Option<ModelCall<'d>> {
    let node = document.node(session.node);
    let mut request = ModelRequest::default();
    let context = session.context.map(|context| document.node(context));
    let turns = context.into_iter().flat_map(Node::items);
    // An import keeps in the context what else belongs to the incident; this is no turn of the conversation.
    for turn in turns.filter(|turn| turn.get("provenance").is_none()) {
        request.push(MessageRole::of(turn), ModelBlock::read_all(turn.get("content")));
    }
    let input = session.input.as_ref()?;
    let input = ModelBlock::read(document.node(input.node));
    request.push(MessageRole::User, vec![input]);
    for (number, response) in (1..).zip(&session.tool_responses) {
        let id = format!("tool-{number}");
        let call = ToolCall {
            id: Some(id.clone()),
            name: text(&response.tool).unwrap_or_default().to_owned(),
            // A session does not record with which input a tool was called.
            input: "{}".to_owned(),
        };
        let result = BlockContent::ToolResult {
            call_id: Some(id.into()),
            content: response.response.map(|(node, _)| document.node(node)),
            is_error: response.status.as_ref().is_some_and(|s| s.value >= 400),
        };
        request.push(
            MessageRole::Assistant,
            vec![ModelBlock::without_node(BlockContent::ToolUse(call))],
        );
        request.push(MessageRole::User, vec![ModelBlock::without_node(result)]);
    }
    let incident = incident_answer(document, session);
    let facts = CallFacts {
        started_at: text(&session.captured_at).map(str::to_owned),
        duration_nanos: incident.and_then(|(_, millis)| Some(millis? * 1e6)),
        ..CallFacts::default()
    };
    let answer = incident.map(|(text, _)| {
        let mut answer = ModelAnswer::default();
        answer.push_text(text);
        answer
    });
    let read_call = ReadCall { node, api: Api::AnthropicMessages, request, answer, facts };
    read_call.convert(CallDetail::All)
}

/// Returns what the agent answered when the incident happened, as an import has kept it in the session's `context`, and how
/// many milliseconds that took.
pub fn incident_answer<'d>(
    document: &'d Document,
    session: &Session,
) -> Option<(&'d str, Option<f64>)> {
    document.node(session.context?).items().find_map(|turn| {
        turn.get("provenance").and_then(Node::as_str)?;
        let words = turn_text(turn, "response").or_else(|| turn_text(turn, "outputs"))?;
        Some((words, turn.get("latency_ms").and_then(Node::as_f64)))
    })
}

/// Returns a text, or the words in an object of outputs.
fn turn_text<'d>(turn: Node<'d>, key: &str) -> Option<&'d str> {
    let node = turn.get(key)?;
    let inner_text = || ANSWER_KEYS.iter().find_map(|name| node.get(name)?.as_str());
    node.as_str().or_else(inner_text)
}
