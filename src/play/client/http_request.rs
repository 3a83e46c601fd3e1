//! A request as clients compare it.

use super::json_form::dumps;
use document::body::{decode_base64, decode_hex};
use document::call::{BodyContent, ModelCall, StoredBody};
use document::cassette::Interaction;
use document::edit::JsonValue;
use document::{Document, Node, NodeKind};

/// A request, as it was sent or recorded. What is `None` is not known, as of a request of which only a log is left.
#[derive(Clone, Debug, Default)]
pub struct HttpRequest {
    /// As written.
    pub method: Option<String>,
    /// If it begins with `/`, scheme, host and port are not known, as of a request to a server in place of another one.
    pub url: Option<String>,
    /// Names and values in their order.
    pub headers: Option<Vec<(String, String)>>,
    pub body: RequestBody,
}

/// The body of a request.
#[derive(Clone, Debug, Default)]
pub enum RequestBody {
    #[default]
    Unknown,
    /// The request has none.
    Missing,
    /// As sent over the network.
    Bytes(Vec<u8>),
    /// A value that the client gave in place of bytes.
    Tree(JsonValue),
}

impl HttpRequest {
    /// Creates the request of a call in a document: as the file has it, with the layers around its body.
    pub fn of_call(document: &Document, call: &ModelCall<'_>) -> Self {
        if let Some(interaction) = Interaction::parse(document.node(call.node)) {
            return Self::of_interaction(&interaction);
        }
        let Some(http) = &call.facts.http else { return Self::default() };
        let body = match http.request_body.as_ref().map(|body| &body.content) {
            None => RequestBody::Missing,
            Some(BodyContent::Text(text)) => RequestBody::Bytes(text.text().as_bytes().to_vec()),
            Some(BodyContent::Bytes(bytes)) => RequestBody::Bytes(bytes.clone()),
            Some(BodyContent::Tree(node)) => {
                RequestBody::Tree(JsonValue::from_node(document.node(*node)))
            }
        };
        Self {
            method: Some(http.method.clone()),
            url: Some(http.url.clone()).filter(|url| !url.is_empty()),
            headers: Some(http.request_headers.clone()),
            body,
        }
    }

    /// Creates the request of a recorded call.
    pub fn of_interaction(interaction: &Interaction<'_>) -> Self {
        let written_method = interaction.request.get("method").and_then(Node::scalar_text);
        let method = match interaction.recorded() {
            None => written_method.map_or_else(|| interaction.method(), str::to_owned),
            Some(_) => interaction.method(),
        };
        let has_request = interaction.recorded().is_none_or(|call| call.sent.is_some());
        let headers = interaction.request_headers().into_iter();
        let headers = headers.filter_map(|(n, value)| Some((n.to_owned(), header_text(value)?)));
        let body = match interaction.request_body() {
            StoredBody::Missing if !has_request => RequestBody::Unknown,
            body => without_answer(read_stored(&body), interaction),
        };
        Self {
            method: Some(method),
            url: Some(interaction.uri().to_owned()).filter(|url| !url.is_empty()),
            headers: Some(headers.collect()),
            body,
        }
    }

    /// Returns whether its address or its body is known.
    pub fn is_known(&self) -> bool {
        self.url.is_some() || !matches!(self.body, RequestBody::Unknown)
    }

    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter().flatten();
        headers.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Returns the value of a header, which may be stored as bytes.
fn header_text(value: Node<'_>) -> Option<String> {
    let text = value.scalar_text()?;
    let bytes = document::cassette::is_binary(value).then(|| decode_base64(text)).flatten();
    Some(match bytes {
        Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        None => text.to_owned(),
    })
}

/// Returns a body without the member that has its answer: some recorders add the answer to the request.
fn without_answer(body: RequestBody, interaction: &Interaction<'_>) -> RequestBody {
    let member = || {
        let call = interaction.recorded()?;
        let (sent, received) = (call.sent?.node, call.received?.node);
        let is_member = |node: &Node<'_>| node.parent().is_some_and(|n| n.id() == sent.id());
        received.ancestors().find(is_member)?.key()
    };
    let RequestBody::Tree(value) = &body else { return body };
    let Some(key) = member() else { return body };
    let members = serde_json::from_str::<serde_json::Map<_, _>>(value.json());
    let Ok(mut members) = members else { return body };
    members.remove(key);
    let text = serde_json::Value::Object(members).to_string();
    JsonValue::parse(&text).map_or(body, RequestBody::Tree)
}

fn read_stored(body: &StoredBody<'_>) -> RequestBody {
    let text = |node: &Node<'_>| node.scalar_text().unwrap_or_default().as_bytes().to_vec();
    RequestBody::Bytes(match body {
        StoredBody::Missing => return RequestBody::Missing,
        // The serializer of pydantic-ai loads the text of the value; with aiohttp the value itself is the body.
        StoredBody::Tree(node) if node.key() == Some("parsed_body") => {
            dumps(*node, None).into_bytes()
        }
        // cassetter stores the JSON `null` so, and vcrpy a body that is absent under another key.
        StoredBody::Tree(node)
            if node.kind() == NodeKind::Null && node.key() != Some("content") =>
        {
            return RequestBody::Missing;
        }
        StoredBody::Tree(node) => return RequestBody::Tree(JsonValue::from_node(*node)),
        StoredBody::Text(node) | StoredBody::JsonText(node) => text(node),
        StoredBody::Base64(node) => {
            node.scalar_text().and_then(decode_base64).unwrap_or_else(|| text(node))
        }
        StoredBody::Hex(node) => {
            node.scalar_text().and_then(decode_hex).unwrap_or_else(|| text(node))
        }
        StoredBody::Lines(_, lines, separator) => {
            let lines: Vec<&str> = lines.iter().filter_map(|line| line.as_str()).collect();
            lines.join(separator).into_bytes()
        }
        StoredBody::Inside(node, range) => {
            let part = node.as_str().and_then(|text| text.get(range.clone())).unwrap_or_default();
            // A string in the text is a body as text.
            let inner: Option<String> = serde_json::from_str(part).ok();
            inner.unwrap_or_else(|| part.to_owned()).into_bytes()
        }
        StoredBody::Parts(_, parts) => {
            let bytes = |part: &StoredBody<'_>| match read_stored(part) {
                RequestBody::Bytes(bytes) => bytes,
                _ => Vec::new(),
            };
            parts.iter().flat_map(bytes).collect()
        }
    })
}
