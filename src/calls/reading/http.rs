//! HTTP calls, whatever file holds them: which are of models, and what these contain.

use std::borrow::Cow;

use super::converse;
use super::dialect::{self, Dialect, Translated};
use super::request_key::{SentRequest, request_keys};
use super::{CallDetail, ReadCall};
use crate::api::{Api, ModelAnswer, ModelRequest, Provider, Route, unescaped_model};
use document::address::WrittenAddress;
use document::call::{CallFacts, ModelCall, ServedFacts};
use document::text::Source;
use document::{Node, NodeKind, Tree, json, shapes};

/// A body that is JSON.
pub(crate) enum JsonBody<'a> {
    /// A text that was parsed.
    Parsed(Box<Tree>),
    /// A value of the file.
    InFile(Node<'a>),
}

impl JsonBody<'_> {
    /// Parses a text; `None` if it is not JSON.
    pub(crate) fn parse(text: &Source) -> Option<Self> {
        json::parse_container(text).map(|tree| Self::Parsed(Box::new(tree)))
    }

    fn root(&self) -> Option<Node<'_>> {
        match self {
            Self::Parsed(tree) => tree.root(),
            Self::InFile(node) => Some(*node),
        }
    }
}

/// One call.
pub struct HttpCall<'a> {
    /// The value of the file that holds it.
    pub node: Node<'a>,
    pub method: Cow<'a, str>,
    pub(super) url: &'a str,
    pub host: &'a str,
    pub path: &'a str,
    sent: Option<JsonBody<'a>>,
    received: Option<JsonBody<'a>>,
    /// The answer as text, which may be a stream.
    pub(super) text: Option<Cow<'a, str>>,
    dialect: Option<Dialect>,
    /// Whether the shape of its bodies shows that a model was called.
    pub(super) is_recorded: bool,
}

impl<'a> HttpCall<'a> {
    /// Creates the call to an address. `text` is the answer as text.
    pub(crate) fn new(
        node: Node<'a>,
        method: Cow<'a, str>,
        url: &'a str,
        [sent, received]: [Option<JsonBody<'a>>; 2],
        text: Option<Cow<'a, str>>,
    ) -> Self {
        let WrittenAddress { host, path, .. } = WrittenAddress::split(url);
        let is_converse = converse::is_path(path);
        let dialect = {
            let [sent, received] =
                [&sent, &received].map(|body| body.as_ref().and_then(JsonBody::root));
            let stream = text.as_deref().filter(|_| received.is_none());
            let stream_api = stream.and_then(dialect::untranslated_api);
            let events = stream.filter(|_| stream_api.is_none()).and_then(dialect::events);
            Dialect::of(sent, received.or_else(|| events.as_ref()?.root()), stream_api)
                .or(is_converse.then_some(Dialect::CONVERSE))
                // Only blocks without a type prove nothing, so the path must be Bedrock's, too.
                .or_else(|| {
                    let is_untyped =
                        path.starts_with("/model/") && sent.is_some_and(shapes::has_untyped_blocks);
                    is_untyped.then_some(Dialect::CONVERSE)
                })
        };
        let translate = |body: Option<JsonBody<'a>>,
                         convert: &dyn Fn(Node<'_>) -> Option<String>| {
            let source = body.as_ref()?.root().and_then(convert).map(Source::new);
            source.and_then(|json| JsonBody::parse(&json)).or(body)
        };
        let (mut sent, mut received, mut text) = (sent, received, text);
        if let Some(dialect) = dialect {
            sent = translate(sent, &|body| dialect.request(body));
            let streamed = {
                let list = received
                    .as_ref()
                    .and_then(JsonBody::root)
                    .filter(|root| root.kind() == NodeKind::Array);
                let events =
                    text.as_deref().filter(|_| received.is_none()).and_then(dialect::events);
                let list = list.or_else(|| events.as_ref()?.root());
                list.and_then(|list| dialect.stream(list.items()))
            };
            match streamed {
                Some(Translated::Whole(answer)) => {
                    (received, text) = (JsonBody::parse(&Source::new(answer)), None);
                }
                Some(Translated::Stream(events)) => {
                    (received, text) = (None, Some(Cow::Owned(events)));
                }
                None => received = translate(received, &|body| dialect.answer(body)),
            }
        }
        Self {
            node,
            method,
            url,
            host: Some(host).filter(|host| is_host(host)).unwrap_or_default(),
            path,
            sent,
            received,
            text,
            dialect,
            is_recorded: false,
        }
    }

    /// Returns the body of the request, where that is JSON.
    pub fn sent_body(&self) -> Option<Node<'_>> {
        self.sent.as_ref()?.root()
    }

    /// Returns the body of the answer, where that is JSON.
    pub fn received_body(&self) -> Option<Node<'_>> {
        self.received.as_ref()?.root()
    }

    /// Returns whether the body is one that only models are sent.
    fn is_sent_to_model(&self) -> bool {
        self.sent_body().is_some_and(|body| {
            let has_member = |key| body.get(key).is_some();
            let is_responses = || {
                self.path.ends_with("/responses")
                    || self.received_body().and_then(Api::of_answer) == Some(Api::OpenAiResponses)
                    || shapes::is_responses_request(body)
            };
            has_member("model") && (has_member("messages") || has_member("input") && is_responses())
                || has_member("contents")
                    && (has_member("generationConfig") || self.path.contains("generateContent"))
        })
    }

    /// Returns whether it is a call of a model in a record of all traffic, where other servers may have paths like those of an API.
    pub(super) fn is_model_traffic(&self) -> bool {
        // Embeddings, moderations and speech have an input that is no conversation.
        let has_input = self.sent_body().is_some_and(|body| body.get("input").is_some());
        let is_providers = self.method == "POST" && self.provider().is_some();
        let is_answered = !has_input || self.path.ends_with("/responses");
        !self.is_unanswered_prompt() && (self.is_sent_to_model() || is_providers && is_answered)
    }

    /// Returns whether its path takes the prompt of a call and answers nothing to it.
    fn is_unanswered_prompt(&self) -> bool {
        const PROMPT_PATHS: [&str; 6] = [
            "/cachedContents",
            "/threads",
            "count_tokens",
            "count-tokens",
            "countTokens",
            "input_tokens",
        ];
        let is_message = || self.path.contains("/threads/") && self.path.ends_with("/messages");
        PROMPT_PATHS.iter().any(|path| self.path.ends_with(path)) || is_message()
    }

    /// Returns the provider at the address.
    pub(super) fn provider(&self) -> Option<Provider> {
        Provider::at(self.host, self.path)
    }

    fn route(&self) -> Option<Route> {
        Route::from_request(&self.method, self.path, None)
    }

    /// Returns whether it is a call of an API that is read: by its path, or by what was sent.
    pub(super) fn is_of_known_api(&self) -> bool {
        if self.is_unanswered_prompt() {
            return false;
        }
        let is_prompt = || {
            let sent_body = self.sent_body();
            let has_member = |key| sent_body.is_some_and(|body| body.get(key).is_some());
            has_member("messages") || has_member("contents")
        };
        self.is_recorded
            || self.dialect.is_some()
            || self.route().is_some()
            || self.is_sent_to_model()
            || self.method == "POST" && self.provider().is_some() && is_prompt()
    }

    fn api(&self) -> Option<Api> {
        if let Some(dialect) = self.dialect {
            return Some(dialect.api());
        }
        let of_call = || Api::of_call(self.host, self.path, self.sent_body());
        // Of an answer alone, only its own form shows the API.
        let of_answer = || {
            let of_stream = || self.text.as_deref().and_then(Api::of_stream);
            self.received_body().and_then(Api::of_answer).or_else(of_stream)
        };
        if !self.is_recorded {
            return of_call();
        }
        // Without the address of an API, its answer shows more than a list of messages does.
        let is_addressed = self.route().is_some() || self.provider().is_some();
        let of_address = is_addressed.then(of_call).flatten();
        of_address.or_else(of_answer).or_else(of_call).or(Some(Api::OpenAiChat))
    }

    /// Reads the request, whatever API it is of.
    pub fn request(&self) -> Option<ModelRequest<'_>> {
        Some(self.api()?.read_request(self.sent_body()?))
    }

    /// Reads the model's answer, from one document or a stream.
    pub fn answer(&self) -> Option<ModelAnswer<'_>> {
        let body = self.received_body();
        // The answer's own form comes first: the API of the call may only be guessed by its host.
        let apis = body.and_then(Api::of_answer).into_iter().chain(self.api());
        let answer = body.and_then(|body| apis.into_iter().find_map(|api| api.read_answer(body)));
        answer.or_else(|| ModelAnswer::from_stream(self.text.as_deref()?))
    }

    /// Converts the call of a model. `facts` has what is known besides, without the HTTP side: when it was made, and how it was
    /// answered; `has_body` is whether something was sent.
    pub(super) fn to_call<'d>(
        &self,
        has_body: bool,
        facts: CallFacts,
        detail: CallDetail,
    ) -> Option<ModelCall<'d>> {
        let api = self.api()?;
        let provider = self.provider();
        // A client may record no body of a request.
        let request = match self.request() {
            Some(request) => request,
            None if self.is_recorded || !has_body && self.route().is_some() => {
                ModelRequest::default()
            }
            None => return None,
        };
        let model = self.model_in_path();
        let answer = self.answer();
        // Several APIs share the form of a request: a response in no known form belongs to another one.
        let is_of_another = answer.is_none()
            && self
                .received_body()
                .is_some_and(|body| !body.is_empty() && body.get("error").is_none());
        let is_version = |body: Node<'_>| body.get("anthropic_version").is_some();
        let is_version = self.sent_body().is_some_and(is_version);
        // Completions of a prompt have the address of messages at Bedrock, and are not read.
        let is_prompt = self
            .sent_body()
            .is_some_and(|body| body.get("prompt").is_some() && body.get("messages").is_none());
        let shown_api = self
            .route()
            .filter(|_| !is_prompt)
            .map(|route| route.api)
            .or_else(|| self.received_body().and_then(Api::of_answer))
            .or_else(|| (!is_of_another && !is_prompt || is_version).then_some(api));
        let label = match shown_api {
            _ if let Some(dialect) = self.dialect => dialect.label(),
            None => dialect::label_of_path(self.path).unwrap_or("Unknown API"),
            // `Api::as_str` names Gemini's streams.
            Some(Api::Gemini)
                if self.path.ends_with(":generateContent")
                    || self.is_recorded
                        && self.received.is_some()
                        && !self.path.contains(":stream") =>
            {
                "Gemini generateContent"
            }
            Some(api) => api.as_str(),
        };
        let read_call = ReadCall {
            node: self.node,
            api,
            request,
            answer,
            facts: CallFacts {
                provider: Some(provider.map_or(self.host, |p| p.name).to_owned())
                    .filter(|name| !name.is_empty()),
                api: Some(label),
                ..facts
            },
        };
        let is_stream = read_call.request.is_stream;
        let mut call = read_call.convert(detail)?;
        let name = model.as_deref().or_else(|| self.sent_body()?.get("model")?.as_str());
        if detail == CallDetail::Served {
            // Gemini and Vertex AI take this from the path, not from the body.
            let is_stream = is_stream || self.path.contains(":stream");
            let request = SentRequest { api, model: name, is_stream, body: self.sent_body() };
            call.facts.served = Some(ServedFacts {
                keys: request_keys(&request, &call.document),
                received: self.received_text(),
            });
        }
        // Azure names a deployment, which mostly has the name of its model.
        let deployment = || model_after(self.path, "/deployments/");
        call.facts.model = call.facts.model.or(model).or_else(deployment);
        Some(call)
    }

    /// Returns the model that the path names.
    fn model_in_path(&self) -> Option<String> {
        match self.route() {
            Some(route) => route.model,
            None if self.path.starts_with("/model/") => model_after(self.path, "/model/"),
            None => None,
        }
    }

    /// Returns the answer as text, unless it was translated.
    fn received_text(&self) -> Option<String> {
        let text = match (&self.text, &self.received) {
            // A client of Converse could not read Anthropic's messages.
            _ if self.dialect.is_some() => None,
            (Some(text), _) => Some(text.to_string()),
            (None, Some(JsonBody::InFile(node))) => Some(json::text(*node).into_owned()),
            (None, _) => None,
        };
        text.filter(|text| !text.trim().is_empty())
    }

    /// Converts a call that is of no model: all that is known is its HTTP side.
    ///
    /// Its model is known nevertheless where a provider is called by an API that is not read.
    pub(super) fn to_other<'d>(&self, facts: CallFacts) -> ModelCall<'d> {
        let sent_model = || Some(self.sent_body()?.get("model")?.as_str()?.to_owned());
        let model = self.provider().and_then(|_| self.model_in_path().or_else(sent_model));
        let facts = CallFacts { model, ..facts };
        ModelCall {
            node: self.node.id(),
            document: Cow::Owned(document::read(Source::new("{}"), "call.json")),
            facts,
        }
    }
}

/// Returns whether a text is the name of a host, and not a mask in place of an address.
fn is_host(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || ".-_:[]".contains(letter))
}

/// Returns the model that follows a part of a path.
fn model_after(path: &str, part: &str) -> Option<String> {
    let model = path.split_once(part)?.1.split('/').next()?;
    Some(unescaped_model(model)).filter(|model| !model.is_empty())
}

/// Returns the value of the file as JSON, if it is a list or an object.
pub(super) fn in_file(node: Node<'_>) -> Option<JsonBody<'_>> {
    matches!(node.kind(), NodeKind::Array | NodeKind::Object).then_some(JsonBody::InFile(node))
}
