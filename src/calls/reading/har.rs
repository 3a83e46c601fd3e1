//! The calls of models in an HTTP archive, beside those of tools and pages.

use std::borrow::Cow;

use super::CallDetail;
use super::http::{HttpCall, JsonBody};
use document::body::{BodyHeaders, decode_base64, read_body};
use document::call::{BodyContent, CallFacts, HttpExchange, ModelCall};
use document::cassette::StoredBody;
use document::text::Source;
use document::{Document, Node};

/// Returns the values that can be calls.
pub(super) fn nodes(document: &Document) -> Vec<Node<'_>> {
    document.tree.at_pointer("/log/entries").into_iter().flat_map(Node::items).collect()
}

/// Converts the call in an entry, if it is one of a model.
pub(super) fn call(node: Node<'_>, detail: CallDetail) -> Option<ModelCall<'_>> {
    let entry = HarEntry::parse(node)?;
    matches!(entry.role(), HostRole::Model).then(|| entry.to_call(detail))?
}

/// Returns the entries of an archive that have a request and a response.
pub fn entries(document: &Document) -> Vec<HarEntry<'_>> {
    nodes(document).into_iter().filter_map(HarEntry::parse).collect()
}

/// The kind of server that was called.
pub enum HostRole {
    Model,
    Tool,
    /// A page and its parts, or what reports on the program: nothing that a tool would call.
    Page,
}

/// One call.
pub struct HarEntry<'a> {
    pub call: HttpCall<'a>,
    pub response: Node<'a>,
}

impl<'a> HarEntry<'a> {
    fn parse(node: Node<'a>) -> Option<Self> {
        let (request, response) = (node.get("request")?, node.get("response")?);
        let sent = request.get("postData").and_then(|data| data.get("text")).and_then(Node::as_str);
        let content = response.get("content");
        let stored_text = content.and_then(|content| content.get("text"));
        let is_base64 = content.and_then(|c| c.get("encoding")?.as_str()) == Some("base64");
        let answer_text = match stored_text {
            Some(text) if is_base64 => decoded(text, response).map(Cow::Owned),
            text => text.and_then(Node::as_str).map(Cow::Borrowed),
        };
        let method = request.get("method").and_then(Node::as_str);
        Some(Self {
            call: HttpCall::new(
                node,
                Cow::Borrowed(method.unwrap_or("GET")),
                request.get("url")?.as_str()?,
                [sent, answer_text.as_deref()].map(|text| JsonBody::parse(&Source::new(text?))),
                answer_text,
            ),
            response,
        })
    }

    pub fn role(&self) -> HostRole {
        let is_page = || {
            const PAGE_TYPES: [&str; 8] = [
                "image/",
                "font/",
                "text/css",
                "javascript",
                "text/html",
                "video/",
                "audio/",
                "wasm",
            ];
            let kind = self.body().and_then(|b| b.get("mimeType")?.as_str()).unwrap_or_default();
            // A browser sends OPTIONS by itself before it calls another origin.
            self.call.method == "OPTIONS" || PAGE_TYPES.iter().any(|part| kind.contains(part))
        };
        let is_providers = self.call.provider().is_some();
        // Tested before models: LangSmith and others are sent whole prompts and answers.
        if is_telemetry(self.call.host, self.call.path) {
            HostRole::Page
        } else if self.call.is_model_traffic() {
            HostRole::Model
        // Programs also request lists of models and files from a provider, which is no call of a tool.
        } else if is_providers || is_page() {
            HostRole::Page
        } else {
            HostRole::Tool
        }
    }

    pub(crate) fn body(&self) -> Option<Node<'a>> {
        self.response.get("content")
    }

    pub fn answered(&self) -> Option<Node<'a>> {
        self.body()?.get("text")
    }

    /// Returns the answer as text, without Base64 and compression.
    pub fn text(&self) -> Option<&str> {
        self.call.text.as_deref()
    }

    fn to_call<'d>(&self, detail: CallDetail) -> Option<ModelCall<'d>> {
        let node = self.call.node;
        let text = |key| node.get(key).and_then(Node::as_str);
        let status = self.response.get("status").and_then(Node::as_f64);
        let millis = node.get("time").and_then(Node::as_f64);
        let http = HttpExchange {
            method: self.call.method.to_string(),
            url: self.call.url.to_owned(),
            status: status.unwrap_or_default() as u16,
            request_headers: headers(node.get("request")),
            response_headers: headers(Some(self.response)),
            ..HttpExchange::default()
        };
        let facts = CallFacts {
            started_at: text("startedDateTime").map(str::to_owned),
            // HTTP archives have times in milliseconds.
            duration_nanos: millis.filter(|m| m.is_finite()).map(|m| m * 1e6),
            http: Some(http),
            ..CallFacts::default()
        };
        self.call.to_call(false, facts, detail)
    }
}

/// Decodes a body in Base64, which may be as it was sent; `None` if it is not text.
fn decoded(text: Node<'_>, response: Node<'_>) -> Option<String> {
    let headers = BodyHeaders::new(&headers(Some(response)));
    // Most programs store what was decompressed, and keep the header.
    let body = read_body(StoredBody::Base64(text), &headers).filter(|body| body.fault.is_none());
    if let Some(BodyContent::Text(content)) = body.map(|body| body.content) {
        return Some(content.text().to_owned());
    }
    String::from_utf8(decode_base64(text.as_str()?)?).ok()
}

/// Returns whether an address takes reports on a program: errors, traces, and what its users do.
pub fn is_telemetry(host: &str, path: &str) -> bool {
    const DOMAINS: &str = "sentry.io posthog.com segment.io segment.com datadoghq.com datadoghq.eu browser-intake-datadoghq.com nr-data.net \
        newrelic.com honeycomb.io mixpanel.com amplitude.com google-analytics.com logfire.pydantic.dev smith.langchain.com langfuse.com";
    let host = host.split(':').next().unwrap_or(host);
    let is_of = |domain: &str| {
        let prefix = host.strip_suffix(domain);
        prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('.'))
    };
    // OpenTelemetry's own paths, on any host.
    let is_collector =
        ["/v1/traces", "/v1/metrics", "/v1/logs"].iter().any(|end| path.ends_with(end));
    is_collector || DOMAINS.split(' ').any(is_of)
}

/// Returns the headers of a request or a response.
pub fn headers(side: Option<Node<'_>>) -> Vec<(String, String)> {
    let headers = side.and_then(|side| side.get("headers")).into_iter().flat_map(Node::items);
    let text = |header: Node<'_>, key| Some(header.get(key)?.as_str()?.to_owned());
    headers.filter_map(|header| Some((text(header, "name")?, text(header, "value")?))).collect()
}
