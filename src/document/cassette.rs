//! Cassettes: HTTP calls as VCR and its relatives record them.
//!
//! A file is a list of interactions, each with a request and a response. Their shapes differ by the program that wrote
//! them; what is read here accepts all of them: vcrpy in YAML and JSON (also with `parsed_body` of pydantic-ai, and the older
//! shape of httpx), cassetter in YAML and TOML, VCR for Ruby, vcr for R, go-vcr, and recorders that write the same list without saying
//! whose it is.

use jiff::SignedDuration;

pub use super::call::StoredBody;
use super::members::has_any;
use super::recorded::{self, RecordedCall};
use super::{Node, NodeKind, Problem, RuleId, Syntax, Tree, yaml};
use crate::text::named_enum;

/// Returns whether a file that begins so may be a cassette, whatever its name: its list of calls is named in it.
pub fn begins_as_cassette(head: &[u8]) -> bool {
    const LIST_KEY: &[u8] = b"interactions";
    memchr::memmem::find_iter(head, LIST_KEY).any(|at| {
        let rest = head[at + LIST_KEY.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").unwrap_or(rest).trim_ascii_start();
        // `interactions:` in YAML, `"interactions":` in JSON, `[[interactions]]` in TOML; also the end of `http_interactions`.
        rest.starts_with(b":") || rest.starts_with(b"]]")
    })
}

named_enum! {
    /// The program whose file it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum CassetteClient {
        Vcrpy = "vcrpy",
        Cassetter = "cassetter",
        RubyVcr = "ruby-vcr",
        RVcr = "r-vcr",
        GoVcr = "go-vcr",
    }

    /// Every program.
    const ALL;

    /// The word used on the command line and in JSON.
    pub fn as_str;
}

impl CassetteClient {
    /// Returns whether settings in the code of tests are read: those in Python.
    pub fn has_read_settings(self) -> bool {
        matches!(self, Self::Vcrpy | Self::Cassetter)
    }

    /// Recognises the program that wrote the cassette with this root; `None` if nothing in it shows which: other recorders write a list
    /// of the same name.
    pub fn of(root: Node<'_>) -> Option<Self> {
        if root.get("http_interactions").is_some() {
            // Ruby names itself `VCR 6.4.0`, R `VCR-vcr/2.1.1` or, in each call, `vcr/1.6.0, webmockr/1.0.0`.
            let first = || list(root)?.items().next()?.get("recorded_with");
            let name = root.get("recorded_with").or_else(first).and_then(Node::as_str);
            return match name {
                None => Some(Self::RubyVcr),
                Some(name) if name.starts_with("VCR ") => Some(Self::RubyVcr),
                Some(name) => name.contains("vcr/").then_some(Self::RVcr),
            };
        }
        let mut items = list(root).into_iter().flat_map(Node::items);
        let Some(first) = items.find_map(Interaction::in_cassette) else {
            return Some(Self::Vcrpy);
        };
        let (request, response) = (first.request, first.response);
        // vcrpy and cassetter write `uri`, go-vcr and recorders that leave no name write `url`.
        if request.get("uri").is_none() {
            return is_of_go(root, &first).then_some(Self::GoVcr);
        }
        let status = response.and_then(|response| response.get("status")).map(Node::kind);
        let is_of_cassetter =
            status == Some(NodeKind::Number) || first.node.get("recorded_at").is_some();
        Some(if is_of_cassetter { Self::Cassetter } else { Self::Vcrpy })
    }
}

/// Returns whether a call whose address is in `url` has what only go-vcr writes beside it.
fn is_of_go(root: Node<'_>, first: &Interaction<'_>) -> bool {
    let is_second = || root.get("version").and_then(Node::scalar_text) == Some("2");
    has_any(first.request, &["proto", "form", "content_length"])
        || first.response.is_some_and(|response| has_any(response, &["code", "duration"]))
        || is_second() && has_any(first.node, &["id"])
}

/// One recorded call.
#[derive(Clone, Copy, Debug)]
pub struct Interaction<'a> {
    pub node: Node<'a>,
    pub request: Node<'a>,
    pub response: Option<Node<'a>>,
    /// Its parts, if another recorder wrote them under names of its own.
    recorded: Option<RecordedCall<'a>>,
}

/// Returns those of the problems of parsing that are problems of a cassette. Its program constructs values for tags of its own, and
/// takes the last of repeated keys.
pub(super) fn problems(tree: &Tree, mut problems: Vec<Problem>) -> Vec<Problem> {
    let text = tree.source().text();
    let is_tag =
        |problem: &Problem| text.as_bytes().get(problem.span.start as usize) == Some(&b'!');
    problems.retain(|problem| problem.rule != RuleId::Syntax || !is_tag(problem));
    problems
}

/// Returns the list of recorded calls.
pub fn list<'a>(root: Node<'a>) -> Option<Node<'a>> {
    let mut lists =
        ["http_interactions", "interactions"].into_iter().filter_map(|key| root.get(key));
    lists.find(|list| list.kind() == NodeKind::Array)
}

/// Returns the recorded calls of a cassette, or those of another recorder.
pub fn interactions(tree: &Tree) -> Vec<Interaction<'_>> {
    if tree.is_described() {
        return recorded::find(tree).calls.into_iter().map(Interaction::of_recorded).collect();
    }
    let list = tree.root().and_then(list);
    let items = list.into_iter().flat_map(Node::items);
    let mut calls: Vec<Interaction<'_>> = items.filter_map(Interaction::in_cassette).collect();
    // What is no HTTP call in the list, such as the messages of a WebSocket, is found by its shape.
    if list.is_none_or(|list| list.len() > calls.len()) {
        let is_in = |call: &Interaction<'_>, at: usize| call.node.positions().contains(&at);
        let mut found = recorded::find(tree).calls;
        found.retain(|other| {
            let at = other.node.id().number() as usize;
            !calls.iter().any(|call| is_in(call, at))
        });
        calls.extend(found.into_iter().map(Interaction::of_recorded));
        calls.sort_by_key(|call| call.node.id());
    }
    calls
}

/// Returns the null in place of the list of recorded calls. cassetter reads it as an empty one, and vcrpy refuses it.
pub fn null_list<'a>(root: Node<'a>) -> Option<Node<'a>> {
    let list = root.get("interactions");
    list.filter(|list| list.kind() == NodeKind::Null)
}

impl<'a> Interaction<'a> {
    /// Reads a recorded call of a cassette or of another recorder; `None` if the value is none.
    pub fn parse(node: Node<'a>) -> Option<Self> {
        let tree = node.tree();
        let of_recorded = || Some(Self::of_recorded(recorded::at(node)?));
        if tree.is_described() {
            return of_recorded();
        }
        // Beside the list of a cassette and the calls of a trace, other recorders have members of the same names.
        if tree.syntax() == Syntax::Code || tree.root().and_then(list).is_some() {
            Self::in_cassette(node).or_else(of_recorded)
        } else {
            of_recorded().or_else(|| Self::in_cassette(node))
        }
    }

    /// Reads a recorded call of a cassette.
    pub fn in_cassette(node: Node<'a>) -> Option<Self> {
        let request = node.get("request")?;
        has_any(request, &["uri", "url"]).then(|| Self {
            node,
            request,
            response: node.get("response"),
            recorded: None,
        })
    }

    /// Takes a call that was found by its shape.
    pub fn of_recorded(call: RecordedCall<'a>) -> Self {
        let message =
            |part: Option<recorded::Payload<'a>>| part.and_then(|part| part.node.parent());
        Self {
            node: call.node,
            request: message(call.sent).unwrap_or(call.node),
            response: message(call.received).or(Some(call.node)),
            recorded: Some(call),
        }
    }

    /// Returns the call as it was found by its shape, if it was.
    pub fn recorded(&self) -> Option<&RecordedCall<'a>> {
        self.recorded.as_ref()
    }

    /// Returns whether a value is in the value around the request, where that is not around the answer as well.
    pub fn is_in_request(&self, node: Node<'_>) -> bool {
        let (call, request) = (self.node.positions(), self.request.positions());
        request.start > call.start && request.contains(&(node.id().number() as usize))
    }

    /// Returns the method in upper case.
    pub fn method(&self) -> String {
        if let Some(call) = &self.recorded {
            let method = call.method.and_then(Node::as_str);
            return method.unwrap_or("POST").to_ascii_uppercase();
        }
        self.request.get("method").and_then(Node::scalar_text).unwrap_or("GET").to_ascii_uppercase()
    }

    pub fn uri(&self) -> &'a str {
        self.address().and_then(Node::scalar_text).unwrap_or_default()
    }

    /// Returns the value that holds the address.
    pub fn address(&self) -> Option<Node<'a>> {
        match &self.recorded {
            Some(call) => call.url,
            None => self.request.get("uri").or_else(|| self.request.get("url")),
        }
    }

    /// Returns the value that holds the status, which is a number.
    pub fn status_node(&self) -> Option<Node<'a>> {
        if let Some(call) = &self.recorded {
            return call.status;
        }
        let response = self.response?;
        let status = response.get("status");
        let inner_code = status
            .filter(|status| status.kind() == NodeKind::Object)
            .and_then(|status| status.get("code").or_else(|| status.get("status_code")));
        // go-vcr has the text in `status`, and the number in `code`.
        let sibling_code = || response.get("code").or_else(|| response.get("status_code"));
        let is_number = |node: &Node<'_>| node.kind() == NodeKind::Number;
        inner_code.or_else(|| status.filter(is_number)).or_else(sibling_code).or(status)
    }

    /// Returns the status; 0 if there is none.
    pub fn status(&self) -> u16 {
        let status = self.status_node().and_then(Node::scalar_text);
        // llama-stack stores a status only with an exception: what it received without one had succeeded.
        let has_succeeded = |response: Node<'_>| {
            let is_exception = response.get("is_exception").and_then(Node::as_bool);
            response.get("is_streaming").is_some() && is_exception != Some(true)
        };
        // A number that is no status is none of success.
        let status = status.and_then(|text| Some(text.parse::<f64>().ok()? as u16));
        status.unwrap_or(if self.response.is_some_and(has_succeeded) { 200 } else { 0 })
    }

    /// Returns when the call was made, as written.
    pub fn recorded_at(&self) -> Option<&'a str> {
        self.time()?.scalar_text()
    }

    /// Returns the value that says when the call was made.
    pub fn time(&self) -> Option<Node<'a>> {
        match &self.recorded {
            Some(call) => call.time,
            None => self.node.get("recorded_at"),
        }
    }

    /// Returns how long the call took, where the file says so: Go's durations, such as `1.2s` and `350.5ms`.
    pub fn duration_nanos(&self) -> Option<f64> {
        let text = self.response?.get("duration")?.scalar_text()?;
        // Go writes the micro sign (U+00B5), and also reads the Greek letter (U+03BC).
        let duration: SignedDuration = text.replace('\u{3bc}', "\u{b5}").parse().ok()?;
        (!duration.is_negative()).then(|| duration.as_nanos() as f64)
    }

    pub fn request_headers(&self) -> Vec<(&'a str, Node<'a>)> {
        headers(self.header_values()[0])
    }

    pub fn response_headers(&self) -> Vec<(&'a str, Node<'a>)> {
        headers(self.header_values()[1])
    }

    /// Returns the values that hold the headers of the request and of the response.
    pub fn header_values(&self) -> [Option<Node<'a>>; 2] {
        let of_message = |message: Option<Node<'a>>| message?.get("headers");
        let own = || [Some(self.request), self.response].map(of_message);
        self.recorded.as_ref().map_or_else(own, |call| call.headers)
    }

    /// Returns the values that hold the bodies of the request and of the response.
    pub fn body_values(&self) -> [Vec<Node<'a>>; 2] {
        // `parsed_body` is pydantic-ai's; `body_type` and `body_content` are cassetter's in TOML.
        const BODIES: [&str; 5] = ["body", "parsed_body", "content", "body_type", "body_content"];
        let in_message = |message: Option<Node<'a>>| {
            let get = |key: &&str| message?.get(key);
            BODIES.iter().filter_map(get).collect()
        };
        let own = || [Some(self.request), self.response].map(in_message);
        self.recorded.as_ref().map_or_else(own, RecordedCall::payload_values)
    }

    pub fn request_body(&self) -> StoredBody<'a> {
        match &self.recorded {
            Some(call) => call.sent.map_or(StoredBody::Missing, recorded::Payload::stored),
            None => message_body(self.request),
        }
    }

    pub fn response_body(&self) -> StoredBody<'a> {
        match &self.recorded {
            Some(call) => call.received.map_or(StoredBody::Missing, recorded::Payload::stored),
            None => self.response.map_or(StoredBody::Missing, message_body),
        }
    }
}

/// Returns each value of headers with its name.
fn headers(headers: Option<Node<'_>>) -> Vec<(&str, Node<'_>)> {
    let mut values = Vec::new();
    for header in headers.into_iter().flat_map(Node::items) {
        // A list has them as `{name, value}` or as pairs.
        let pair = || {
            let mut items = header.items();
            let (name, value) = match header.get("name") {
                Some(name) => (name, header.get("value")?),
                None => (items.next()?, items.next()?),
            };
            Some((name.as_str()?, value))
        };
        let Some(name) = header.key() else {
            values.extend(pair());
            continue;
        };
        match header.kind() {
            NodeKind::Array => values.extend(header.items().map(|value| (name, value))),
            _ => values.push((name, header)),
        }
    }
    values
}

fn message_body(message: Node<'_>) -> StoredBody<'_> {
    let parsed_body = message.get("parsed_body");
    if let Some(parsed_body) = parsed_body.filter(|body| body.kind() != NodeKind::Null) {
        return StoredBody::Tree(parsed_body);
    }
    if let Some(kind) = message.get("body_type").and_then(Node::as_str) {
        return typed_body(kind, message.get("body_content"));
    }
    match message.get("body").or_else(|| message.get("content")) {
        None => StoredBody::Missing,
        // opencode writes `bodyEncoding`.
        Some(body) if message.get("bodyEncoding").and_then(Node::as_str) == Some("base64") => {
            StoredBody::Base64(body)
        }
        Some(body) => match body.get("type").and_then(Node::as_str) {
            Some(kind @ ("json" | "text" | "binary" | "none")) if is_typed(body) => {
                typed_body(kind, body.get("content"))
            }
            _ => plain_body(body),
        },
    }
}

/// Returns whether a body has cassetter's shape, and is no JSON that has a type.
fn is_typed(body: Node<'_>) -> bool {
    body.items().filter_map(Node::key).all(|key| matches!(key, "type" | "content"))
}

fn typed_body<'a>(kind: &str, body: Option<Node<'a>>) -> StoredBody<'a> {
    match (kind, body) {
        (_, None) => StoredBody::Missing,
        ("binary", Some(body)) => StoredBody::Hex(body),
        ("json", Some(body)) if body.tree().syntax() == Syntax::Toml => StoredBody::JsonText(body),
        ("json", Some(body)) => StoredBody::Tree(body),
        (_, Some(body)) => StoredBody::Text(body),
    }
}

fn plain_body(body: Node<'_>) -> StoredBody<'_> {
    match body.kind() {
        NodeKind::Null => StoredBody::Missing,
        NodeKind::Object => {
            let part = |key| body.get(key).filter(|node: &Node<'_>| node.kind() != NodeKind::Null);
            let base64 = part("base64_string").or_else(|| part("raw_gzip"));
            if let Some(base64) = base64 {
                return StoredBody::Base64(base64);
            }
            match part("string") {
                Some(text) => plain_body(text),
                // vcr for R names a file, or the fields of a form.
                None if has_any(body, &["string", "on_disk", "fields", "encoding"]) => {
                    StoredBody::Missing
                }
                None if has_stream_tag(body) => match body.get("state") {
                    Some(state) => stream(body, state),
                    None => StoredBody::Missing,
                },
                // aiohttp's `json=` is recorded as a tree.
                None => StoredBody::Tree(body),
            }
        }
        NodeKind::Array => stream(body, body),
        _ if is_binary(body) => StoredBody::Base64(body),
        _ => StoredBody::Text(body),
    }
}

/// Reads the tags `!!python/object/apply:builtins.iter` and `!!python/object/new:_io.BytesIO`, which have the parts of a stream in lists.
fn stream<'a>(body: Node<'a>, list: Node<'a>) -> StoredBody<'a> {
    fn add<'a>(node: Node<'a>, parts: &mut Vec<StoredBody<'a>>) {
        match node.kind() {
            NodeKind::Array => node.items().for_each(|item| add(item, parts)),
            NodeKind::String if is_binary(node) => parts.push(StoredBody::Base64(node)),
            NodeKind::String => parts.push(StoredBody::Text(node)),
            _ => {}
        }
    }
    let mut parts = Vec::new();
    add(list, &mut parts);
    StoredBody::Parts(body, parts)
}

fn has_stream_tag(node: Node<'_>) -> bool {
    yaml::tag(node).is_some_and(|tag| tag.contains("python/object"))
}

/// Returns whether a text is Base64 by its tag: YAML's `!!binary`, or Ruby's `!binary`.
pub fn is_binary(node: Node<'_>) -> bool {
    matches!(yaml::tag(node), Some("!!binary" | "!binary" | "!<tag:yaml.org,2002:binary>"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use crate::text::Source;

    #[test]
    fn a_program_is_named_only_by_what_it_alone_writes() {
        let call = |keys: &str, request: &str, response: &str| {
            format!(
                r#"{{"version": 1, "interactions": [{{{keys} "request": {{"method": "POST", {request}}}, "response": {{{response}}}}}]}}"#
            )
        };
        let (url, uri) = (r#""url": "https://a""#, r#""uri": "https://a""#);
        for (text, expected) in [
            (call("", uri, r#""status": {"code": 200}"#), "vcrpy"),
            (call("", uri, r#""status": 200"#), "cassetter"),
            (call(r#""recorded_at": "t","#, uri, ""), "cassetter"),
            (call("", url, r#""status": "200 OK", "code": 200"#), "go-vcr"),
            (call("", r#""url": "https://a", "form": {}"#, ""), "go-vcr"),
            (call("", r#""url": "https://a", "proto": "HTTP/1.1""#, ""), "go-vcr"),
            (call(r#""transport": "http","#, url, r#""status": 200"#), "-"),
            (call("", r#""url": "https://a", "signature": "5""#, ""), "-"),
            (call("", url, r#""status": 200, "headers": {}"#), "-"),
            (call(r#""id": 0,"#, url, "").replace(": 1,", ": 2,"), "go-vcr"),
            (call(r#""id": 0,"#, url, ""), "-"),
            (r#"{"http_interactions": [], "recorded_with": "VCR 6.4.0"}"#.to_owned(), "ruby-vcr"),
            (r#"{"http_interactions": [], "recorded_with": "VCR-vcr/2.1.1"}"#.to_owned(), "r-vcr"),
            (r#"{"http_interactions": [], "recorded_with": "betamax/0.9.0"}"#.to_owned(), "-"),
        ] {
            let document = read(Source::new(text.as_str()), "a.json");
            let client = document.tree.root().and_then(CassetteClient::of);
            assert_eq!(client.map_or("-", CassetteClient::as_str), expected, "{text}");
        }
    }

    #[test]
    fn durations_of_go_are_read_and_no_other_texts() {
        for (text, nanos) in [
            ("812.5ms", Some(812.5e6)),
            ("1h2m0.25s", Some(3_720.25e9)),
            ("350.512\u{b5}s", Some(350_512.0)),
            ("7\u{3bc}s", Some(7000.0)),
            ("0s", Some(0.0)),
            ("-3s", None),
            ("1.5", None),
            ("soon", None),
        ] {
            let call = format!(
                r#"{{"interactions": [{{"request": {{"url": "https://a"}}, "response": {{"duration": "{text}"}}}}]}}"#
            );
            let document = read(Source::new(call), "a.json");
            let calls = interactions(&document.tree);
            assert_eq!(calls[0].duration_nanos(), nanos, "{text}");
        }
    }
}
