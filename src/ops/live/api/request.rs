//! Reads a client's request, and converts it to the formats of recordings and tapes.

use super::super::answer::is_object;
use super::super::json::{Json, object};
use super::chat::Usage;
use super::conversation;
use super::route::{ResponseForm, Route};
use crate::format::json::quote;
use crate::format::tape::RequestShape;
use crate::format::{self, Document, Node, NodeKind};
use crate::ops::tape::javascript::stringify;
use crate::ops::tape::sse::Api;
use crate::text::Source;

/// A call that a client made.
#[derive(Clone, Debug)]
pub struct ClientCall {
    /// The body as received.
    pub body: Document,
    /// The requested model, if it names one.
    pub model: Option<String>,
    /// The request in the format of recordings: messages, tools, system prompt.
    pub recorded: Document,
    /// Number of offered tools.
    pub tools: usize,
    pub messages: usize,
    api: Api,
}

impl ClientCall {
    /// Parses the body of a call. If it requests a form of the answer, the route is updated.
    ///
    /// # Errors
    ///
    /// Returns why it is not valid, as a sentence without a full stop.
    pub fn read(route: &mut Route, id: &str, body: impl Into<String>) -> Result<Self, String> {
        let body = format::read(Source::new(body), "request.json");
        let root = body.tree.root().filter(is_object);
        let root = match (body.tree.fault(), root) {
            (None, Some(root)) => root,
            (Some(fault), _) => {
                return Err(format!(
                    "The body of the request is not JSON: {}",
                    fault.message
                ));
            }
            (None, None) => return Err("The body of the request is not a JSON object".to_owned()),
        };
        if root.get("stream").and_then(Node::as_bool) == Some(true) {
            route.form = ResponseForm::Events;
        }
        let model = root.get("model").and_then(Node::as_str).map(str::to_owned);
        let model = route.model.clone().or(model);
        let conversation::ApiConversation {
            messages,
            tools,
            system,
        } = conversation::parse_conversation(route.api, root);
        let counts = (tools.len(), messages.len());
        let recorded = object! {
            "type": "llm_invocation_request", "requestId": id, "messages": messages, "tools": tools, "systemPrompt": system,
        };
        let recorded = format::read(Source::new(recorded.into_string()), "request.json");
        Ok(Self {
            model,
            recorded,
            tools: counts.0,
            messages: counts.1,
            api: route.api,
            body,
        })
    }

    /// Returns the names of the offered tools in order.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        let tools = self.recorded.tree.root().and_then(|root| root.get("tools"));
        let tools = tools.into_iter().flat_map(Node::items);
        tools.filter_map(|tool| tool.get("name")?.as_str())
    }

    pub(super) fn wants_usage(&self) -> Usage {
        let root = self.body.tree.root();
        let wants = root
            .and_then(|root| root.get("stream_options")?.get("include_usage"))
            .and_then(Node::as_bool);
        match wants {
            Some(true) => Usage::Included,
            _ => Usage::Omitted,
        }
    }

    /// Returns the request as JSON in the shape of a tape. What an address or an SDK loses (the key order of a
    /// configuration, and whether a text was a plain string) is taken from the tape's own request, so that it does not
    /// count as a difference.
    pub fn in_shape(&self, shape: RequestShape, like: Option<Node<'_>>) -> String {
        let model = self.model.as_deref().unwrap_or_default();
        match (shape, self.api) {
            (RequestShape::History, _) => self.history(model, like).into_string(),
            (RequestShape::Contents, Api::Gemini) => gemini(&self.body, model, like).into_string(),
            (RequestShape::Other, Api::Gemini) if is_owners(like) => {
                gemini(&self.body, model, like).into_string()
            }
            _ => self.body.tree.root().map(stringify).unwrap_or_default(),
        }
    }

    /// Returns the request as JSON for a new tape: for Gemini in the shape of its SDK, with the keys of `config` in the
    /// order of `like`; for others as received.
    pub fn for_tape(&self, like: Option<Node<'_>>) -> String {
        self.in_shape(RequestShape::Other, like)
    }

    /// Builds a history of plain events, with their text under the key that the tape uses.
    fn history(&self, model: &str, like: Option<Node<'_>>) -> Json {
        let recorded = self.recorded.tree.root();
        let get = |key| recorded.and_then(|recorded| recorded.get(key));
        let first = like.and_then(|like| like.get("history")?.items().next());
        let is_text = first.is_some_and(|first| first.get("text").is_some());
        let uses_model = like
            .and_then(|like| like.get("history"))
            .is_some_and(|history| {
                let mut roles = history
                    .items()
                    .filter_map(|item| item.get("role")?.as_str());
                roles.any(|role| role == "model")
            });
        let is_gemini = uses_model || self.api == Api::Gemini;
        let messages = get("messages").into_iter().flat_map(Node::items);
        let events = messages.map(|message| {
            let role = match message.get("role").and_then(Node::as_str) {
                Some("assistant") if is_gemini => "model",
                role => role.unwrap_or_default(),
            };
            let key = if is_text { "text" } else { "content" };
            Json::object([("role", role.into()), (key, message.get("content").into())])
        });
        object! { "model": model, "systemPrompt": get("systemPrompt"), "history": events.collect::<Vec<Json>>() }
    }
}

/// Returns whether a Gemini request should have the shape of the SDK: unless the tape has it as sent over HTTP.
fn is_owners(like: Option<Node<'_>>) -> bool {
    let has = |key| like.is_some_and(|like| like.get(key).is_some());
    like.is_none() || has("config") || !has("generationConfig")
}

/// Members of `config` that Gemini's SDK sends next to `generationConfig`.
const BESIDE: [&str; 5] = [
    "systemInstruction",
    "tools",
    "toolConfig",
    "safetySettings",
    "cachedContent",
];

/// `{model, contents, config}`, as a caller of Gemini's SDK writes it.
fn gemini(body: &Document, model: &str, like: Option<Node<'_>>) -> Json {
    let root = body.tree.root();
    let contents = root.and_then(|root| root.get("contents"));
    let like_contents = like.and_then(|like| like.get("contents"));
    let contents = unwrapped(contents, like_contents);
    let like_config = like.and_then(|like| like.get("config"));
    let mut members: Vec<(&str, Json)> = Vec::new();
    for key in BESIDE {
        if let Some(value) = root.and_then(|root| root.get(key)) {
            let like = like_config.and_then(|like| like.get(key));
            members.push((key, unwrapped(Some(value), like)));
        }
    }
    let generation = root.and_then(|root| root.get("generationConfig"));
    let generation = generation.into_iter().flat_map(Node::items);
    members.extend(generation.map(|item| (item.key().unwrap_or_default(), Json::from(item))));
    let place = |key: &str| {
        let mut keys = like_config.into_iter().flat_map(Node::items);
        keys.position(|item| item.key() == Some(key))
            .unwrap_or(usize::MAX)
    };
    members.sort_by_key(|(key, _)| place(key));
    let mut all = vec![("model", Json::from(model)), ("contents", contents)];
    if !members.is_empty() || like_config.is_some() || like.is_none() {
        all.push(("config", Json::object(members)));
    }
    Json::object(all)
}

/// Unwraps a single text of a single turn to a plain string, as callers write it, unless the tape has it otherwise.
fn unwrapped(value: Option<Node<'_>>, like: Option<Node<'_>>) -> Json {
    let Some(value) = value else {
        return Json::raw("null");
    };
    let is_text = like.is_none_or(|like| like.kind() == NodeKind::String);
    let turn = match value.kind() {
        NodeKind::Array if value.len() == 1 => value.items().next(),
        _ => Some(value),
    };
    let only = |turn: Node<'_>| {
        let is_users = turn
            .get("role")
            .and_then(Node::as_str)
            .is_none_or(|role| role == "user");
        let parts = turn
            .get("parts")
            .filter(|parts| is_users && parts.len() == 1)?;
        let part = parts.items().next().filter(|part| part.len() == 1)?;
        part.get("text")?.as_str().map(quote)
    };
    match turn.filter(|_| is_text).and_then(only) {
        Some(text) => Json::raw(text),
        None => value.into(),
    }
}
