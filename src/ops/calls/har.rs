//! The calls of models in an HTTP archive, beside those of tools and pages.

use super::ReadCall;
use crate::format::call::{CallFacts, HttpExchange, ModelCall};
use crate::format::{self, Document, Node};
use crate::ops::api::{Api, ModelAnswer, ModelRequest, Provider};
use crate::text::Source;

/// Returns the values that can be calls.
pub(super) fn nodes(document: &Document) -> Vec<Node<'_>> {
    let entries = document.tree.at_pointer("/log/entries");
    entries.into_iter().flat_map(Node::items).collect()
}

/// Converts the call in an entry, if it is one of a model.
pub(super) fn call(node: Node<'_>) -> Option<ModelCall<'_>> {
    let entry = HarEntry::parse(node)?;
    matches!(entry.role(), HostRole::Model).then(|| entry.to_call())?
}

/// Returns the entries of an archive that have a request and a response.
pub(in crate::ops) fn entries(document: &Document) -> Vec<HarEntry<'_>> {
    nodes(document)
        .into_iter()
        .filter_map(HarEntry::parse)
        .collect()
}

/// Who was called.
pub(in crate::ops) enum HostRole {
    Model,
    Tool,
    /// A page and its parts: nothing that a tool would call.
    Page,
}

/// One call.
pub(in crate::ops) struct HarEntry<'a> {
    pub(in crate::ops) node: Node<'a>,
    url: &'a str,
    pub(in crate::ops) method: &'a str,
    pub(in crate::ops) host: &'a str,
    pub(in crate::ops) path: &'a str,
    /// What was sent, where that is JSON.
    sent: Option<Document>,
    pub(in crate::ops) response: Node<'a>,
    received: Option<Document>,
}

impl<'a> HarEntry<'a> {
    fn parse(node: Node<'a>) -> Option<Self> {
        let (request, response) = (node.get("request")?, node.get("response")?);
        let url = request.get("url")?.as_str()?;
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let sent = request
            .get("postData")
            .and_then(|data| data.get("text"))
            .and_then(Node::as_str);
        let received = response
            .get("content")
            .and_then(|content| content.get("text"));
        Some(Self {
            node,
            url,
            received: received.and_then(Node::as_str).and_then(json),
            method: request
                .get("method")
                .and_then(Node::as_str)
                .unwrap_or("GET"),
            host: host.rsplit('@').next().unwrap_or(host),
            path: path.split(['?', '#']).next().unwrap_or_default(),
            sent: sent.and_then(json),
            response,
        })
    }

    pub(in crate::ops) fn role(&self) -> HostRole {
        let is_model_call = self
            .sent
            .as_ref()
            .and_then(|it| it.tree.root())
            .is_some_and(|body| {
                let has = |key| body.get(key).is_some();
                has("messages") && has("model")
                    || has("contents")
                        && (has("generationConfig") || self.path.contains("generateContent"))
            });
        let is_page = || {
            const PARTS: [&str; 8] = [
                "image/",
                "font/",
                "text/css",
                "javascript",
                "text/html",
                "video/",
                "audio/",
                "wasm",
            ];
            let kind = self
                .body()
                .and_then(|it| it.get("mimeType"))
                .and_then(Node::as_str)
                .unwrap_or_default();
            self.method == "OPTIONS" || PARTS.iter().any(|part| kind.contains(part))
        };
        let is_providers = Provider::at(self.host, self.path).is_some();
        if is_model_call || (is_providers && self.method == "POST") {
            HostRole::Model
        } else if is_providers || is_page() {
            HostRole::Page
        } else {
            HostRole::Tool
        }
    }

    pub(in crate::ops) fn body(&self) -> Option<Node<'a>> {
        self.response.get("content")
    }

    pub(in crate::ops) fn answered(&self) -> Option<Node<'a>> {
        self.body()?.get("text")
    }

    /// Returns the body of the request.
    pub(in crate::ops) fn sent_body(&self) -> Option<Node<'_>> {
        self.sent.as_ref()?.tree.root()
    }

    /// Returns the body of the answer, where that is JSON.
    pub(in crate::ops) fn received_body(&self) -> Option<Node<'_>> {
        self.received.as_ref()?.tree.root()
    }

    fn api(&self) -> Option<Api> {
        Api::of_call(self.host, self.path, self.sent_body())
    }

    /// Reads the request, whatever API it is of.
    pub(in crate::ops) fn request(&self) -> Option<ModelRequest<'_>> {
        Some(self.api()?.read_request(self.sent_body()?))
    }

    /// Reads the model's answer, from one document or a stream.
    pub(in crate::ops) fn answer(&self) -> Option<ModelAnswer<'_>> {
        let body = self.received_body();
        let apis = body.and_then(Api::of_answer).into_iter().chain(self.api());
        let whole = body.and_then(|body| apis.into_iter().find_map(|api| api.read_answer(body)));
        whole.or_else(|| ModelAnswer::from_stream(self.answered()?.as_str()?))
    }

    fn to_call<'d>(&self) -> Option<ModelCall<'d>> {
        let api = self.api()?;
        let provider = Provider::at(self.host, self.path);
        let text = |key| self.node.get(key).and_then(Node::as_str);
        let status = self.response.get("status").and_then(Node::as_f64);
        let millis = self.node.get("time").and_then(Node::as_f64);
        let read = ReadCall {
            node: self.node,
            api,
            request: self.request()?,
            answer: self.answer(),
            facts: CallFacts {
                provider: Some(provider.map_or(self.host, |it| it.name).to_owned()),
                api: Some(api.as_str()),
                started_at: text("startedDateTime").map(str::to_owned),
                duration_nanos: millis.filter(|it| it.is_finite()).map(|it| it * 1e6),
                http: Some(HttpExchange {
                    method: self.method.to_owned(),
                    url: self.url.to_owned(),
                    status: status.unwrap_or_default() as u16,
                    request_headers: headers(self.node.get("request")),
                    response_headers: headers(Some(self.response)),
                }),
                ..CallFacts::default()
            },
        };
        read.convert()
    }
}

fn headers(message: Option<Node<'_>>) -> Vec<(String, String)> {
    let headers = message.and_then(|message| message.get("headers"));
    let headers = headers.into_iter().flat_map(Node::items);
    let text = |header: Node<'_>, key| Some(header.get(key)?.as_str()?.to_owned());
    headers
        .filter_map(|header| Some((text(header, "name")?, text(header, "value")?)))
        .collect()
}

pub(in crate::ops) fn json(text: &str) -> Option<Document> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let document = is_json.then(|| format::read(Source::new(text), "body.json"))?;
    document.tree.fault().is_none().then_some(document)
}
