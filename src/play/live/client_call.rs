//! A client's request, and its conversion to the formats of recordings and tapes.

use calls::api::{Api, ResponseForm, Route, sdk_request};
use calls::first_words;
use calls::javascript::stringify;
use calls::json::{Json, object};
use calls::reading::{SentRequest, recorded, request_keys};
use document::tape::RequestShape;
use document::text::Source;
use document::{Document, Node, NodeKind};

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
    /// Whether token counts are requested at the end of a stream.
    pub with_usage: bool,
    /// Form of the requested answer.
    pub form: ResponseForm,
    pub api: Api,
}

impl ClientCall {
    /// Parses the body of a call. If it requests a form of the answer, the route is updated.
    ///
    /// # Errors
    ///
    /// Returns why it is not valid, as a sentence without a full stop.
    pub fn read(route: &mut Route, id: &str, body: impl Into<String>) -> Result<Self, String> {
        let body = document::read(Source::new(body), "request.json");
        let root = body.tree.root().filter(|root| root.kind() == NodeKind::Object);
        let root = match (body.tree.fault(), root) {
            (None, Some(root)) => root,
            (Some(fault), _) => {
                return Err(format!("The body of the request is not JSON: {}", fault.message));
            }
            (None, None) => return Err("The body of the request is not a JSON object".to_owned()),
        };
        let request = route.api.read_request(root);
        if request.is_stream {
            route.form = ResponseForm::Events;
        }
        let model = route.model.clone().or(request.model.map(str::to_owned));
        let request_json = recorded::request(Some(id), None, route.api, &request);
        let counts = (request.tools.len(), request.messages.len());
        let with_usage = request.with_usage;
        // Written and parsed again, so that matching sees it as it sees a request in a file.
        let document = document::read(Source::new(request_json.into_string()), "request.json");
        Ok(Self {
            model,
            recorded: document,
            tools: counts.0,
            messages: counts.1,
            with_usage,
            form: route.form,
            api: route.api,
            body,
        })
    }

    /// Returns the keys of the request, the strictest first.
    pub(super) fn keys(&self) -> Vec<u64> {
        let request = SentRequest {
            api: self.api,
            model: self.model.as_deref(),
            is_stream: self.form != ResponseForm::Whole,
            body: self.body.tree.root(),
        };
        request_keys(&request, &self.recorded)
    }

    /// Returns the first words of the last message with a text.
    pub fn first_words(&self) -> Box<str> {
        let messages = self.recorded.body.request().map_or(&[][..], |request| &request.messages);
        let last = messages.iter().rev().find_map(|message| message.texts().last());
        last.map(first_words).unwrap_or_default()
    }

    /// Returns the request as JSON in the shape of a tape. What an address or an SDK loses (the key order of a
    /// configuration, and whether a text was a plain string) is taken from the tape's own request, so that it does not
    /// count as a difference.
    pub fn in_shape(&self, shape: RequestShape, example: Option<Node<'_>>) -> String {
        let model = self.model.as_deref().unwrap_or_default();
        match (shape, self.api) {
            (RequestShape::History, _) => self.history(model, example).into_string(),
            (RequestShape::Contents, Api::Gemini) => {
                sdk_request(self.body.tree.root(), model, example).into_string()
            }
            (RequestShape::Other, Api::Gemini) if is_owners(example) => {
                sdk_request(self.body.tree.root(), model, example).into_string()
            }
            _ => self.body.tree.root().map(stringify).unwrap_or_default(),
        }
    }

    /// Returns the request as JSON for a new tape: for Gemini in the shape of its SDK, with the keys of `config` in the
    /// order of `example`; for others as received.
    pub fn for_tape(&self, example: Option<Node<'_>>) -> String {
        self.in_shape(RequestShape::Other, example)
    }

    /// Builds a history of plain events, with their text under the key that the tape uses.
    fn history(&self, model: &str, example: Option<Node<'_>>) -> Json {
        let root = self.recorded.tree.root();
        let get = |key| root.and_then(|node| node.get(key));
        // Both keys are in use, and strict comparison needs the one of the tape.
        let first = example.and_then(|example| example.get("history")?.items().next());
        let is_text = first.is_some_and(|first| first.get("text").is_some());
        let uses_model = example.and_then(|e| e.get("history")).is_some_and(|history| {
            let mut roles = history.items().filter_map(|item| item.get("role")?.as_str());
            roles.any(|role| role == "model")
        });
        let is_gemini = uses_model || self.api == Api::Gemini;
        let events = get("messages").into_iter().flat_map(Node::items).map(|message| {
            let role = match message.get("role").and_then(Node::as_str) {
                // Gemini has another name for the role.
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
fn is_owners(example: Option<Node<'_>>) -> bool {
    let has = |key| example.is_some_and(|example| example.get(key).is_some());
    example.is_none() || has("config") || !has("generationConfig")
}
