//! Fixtures of aimock: what a request must have, and the answer to it. No request is stored.

use super::dialect::argument_text;
use super::{CallDetail, ReadCall};
use crate::api::Api;
use crate::json::{Json, object};
use document::call::{BodyContent, BodyForm, CallFacts, HttpBody, HttpExchange, ModelCall};
use document::text::Source;
use document::{Document, Node, json};

/// Returns the fixtures.
pub(super) fn nodes(document: &Document) -> Vec<Node<'_>> {
    let fixtures = document.tree.root().and_then(|root| root.get("fixtures"));
    fixtures.into_iter().flat_map(Node::items).collect()
}

/// Converts a fixture: what it matches is the request, as far as it is known.
pub(super) fn call(node: Node<'_>, detail: CallDetail) -> Option<ModelCall<'_>> {
    let (matched, response) = (node.get("match")?, node.get("response")?);
    let text = |key| matched.get(key).and_then(Node::as_str);
    let system = text("systemMessage").map(|text| object! { "role": "system", "content": text });
    let words = text("userMessage").or_else(|| text("inputText")).unwrap_or_default();
    let messages = system.into_iter().chain([object! { "role": "user", "content": words }]);
    let request =
        object! { "messages": messages.collect::<Vec<_>>(), "model": matched.get("model") };
    let is_error = response.get("error").is_some();
    let answer = (!is_error).then(|| answer(response));
    read(node, request, answer, response, detail)
}

/// Reads a call whose sides were written as OpenAI has them. `response` is what the file has in place of the answer.
pub(super) fn read<'t>(
    node: Node<'t>,
    request: Json,
    answer: Option<Json>,
    response: Node<'t>,
    detail: CallDetail,
) -> Option<ModelCall<'t>> {
    let parse = |json: Json| json::parse(&Source::new(json.into_string())).0;
    let (sent, received) = (parse(request), answer.map(parse));
    let api = Api::OpenAiChat;
    let status = response.get("status").and_then(Node::as_f64).map(|status| status as u16);
    let http = received.is_none().then(|| HttpExchange {
        status: status.unwrap_or_default(),
        response_body: Some(HttpBody {
            node: response.id(),
            layers: Vec::new(),
            sent_bytes: None,
            form: BodyForm::Json,
            content: BodyContent::Tree(response.id()),
            fault: None,
            is_inside: false,
        }),
        ..HttpExchange::default()
    });
    let read_call = ReadCall {
        node,
        api,
        request: api.read_request(sent.root()?),
        answer: received.as_ref().and_then(|tree| api.read_answer(tree.root()?)),
        facts: CallFacts { http, ..CallFacts::default() },
    };
    read_call.convert(detail)
}

fn answer(response: Node<'_>) -> Json {
    let blocks = || response.get("blocks").into_iter().flat_map(Node::items);
    let is_call = |block: &Node<'_>| block.get("type").and_then(Node::as_str) == Some("toolCall");
    let texts =
        blocks().filter(|block| !is_call(block)).filter_map(|block| block.get("text")?.as_str());
    let content = match response.get("content") {
        Some(content) => content.into(),
        None => Json::from(texts.collect::<Vec<_>>().concat()),
    };
    let calls =
        response.get("toolCalls").into_iter().flat_map(Node::items).chain(blocks().filter(is_call));
    let calls: Vec<Json> = calls
        .map(|call| {
            let arguments = call.get("arguments").map(argument_text);
            let function = object! { "name": call.get("name"), "arguments": arguments };
            object! { "id": call.get("id"), "type": "function", "function": function }
        })
        .collect();
    let mut message = vec![("role", Json::from("assistant")), ("content", content)];
    if !calls.is_empty() {
        message.push(("tool_calls", calls.into()));
    }
    let choice = object! { "index": 0usize, "message": Json::object(message), "finish_reason": response.get("finishReason") };
    object! { "model": response.get("model"), "choices": vec![choice] }
}
