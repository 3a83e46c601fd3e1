//! Recorded calls of models, found by the shape of what was sent and answered, whatever a recorder wraps around them.
//!
//! A value is a *payload* if it is a request or an answer of an API, as it is or in one of the ways in which recorders store it: JSON in
//! a text, a stream as text, lines, pieces or values, Base64 of these. A request belongs to the answer in the same record: the two are
//! paired where their nearest common container is. What is not certain is not paired, and counted.

use super::body::{BodyHeaders, decode_base64, event_stream, read_body};
use super::call::BodyContent;
use super::cassette::StoredBody;
use super::shapes::{self, ApiShape};
use super::tree::{Node, NodeId, NodeKind, Tree};
use super::{json, parts};
use crate::text::Source;

/// One recorded call: where its parts are.
#[derive(Clone, Copy, Debug)]
pub struct RecordedCall<'a> {
    /// The value that names the call: the nearest one around its request and its answer, or its request where several calls have the
    /// same.
    pub node: Node<'a>,
    pub sent: Option<Payload<'a>>,
    pub received: Option<Payload<'a>>,
    pub url: Option<Node<'a>>,
    pub method: Option<Node<'a>>,
    pub status: Option<Node<'a>>,
    /// When it was made.
    pub time: Option<Node<'a>>,
    /// The headers of the request and of the answer.
    pub headers: [Option<Node<'a>>; 2],
}

/// A request or an answer.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    pub node: Node<'a>,
    pub form: PayloadForm,
    side: Side,
    api: Option<ApiShape>,
}

/// How a file stores a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadForm {
    /// As a value; a stream as a list of its events.
    Tree,
    /// As text.
    Text,
    Base64,
    /// As a list of texts that follow each other after this separator.
    Lines(&'static str),
    /// As a list of pieces in Base64, each a text or under a key.
    Pieces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Request,
    Answer,
}

/// What was found in a document.
#[derive(Clone, Debug, Default)]
pub struct RecordedCalls<'a> {
    /// In the order of the file.
    pub calls: Vec<RecordedCall<'a>>,
    /// Number of requests and answers of which it is not certain which belong together.
    pub unsure: usize,
}

impl<'a> Payload<'a> {
    /// Returns the payload as a body.
    pub fn stored(self) -> StoredBody<'a> {
        match self.form {
            PayloadForm::Tree => StoredBody::Tree(self.node),
            PayloadForm::Text => StoredBody::Text(self.node),
            PayloadForm::Base64 => StoredBody::Base64(self.node),
            PayloadForm::Lines(separator) => {
                StoredBody::Lines(self.node, self.node.items().collect(), separator)
            }
            PayloadForm::Pieces => {
                let pieces = self.node.items().filter_map(piece);
                StoredBody::Parts(self.node, pieces.map(StoredBody::Base64).collect())
            }
        }
    }
}

impl Payload<'_> {
    /// Returns whether only an answer inside of it would show that it is a request.
    fn is_vague(&self) -> bool {
        self.side == Side::Request
            && !shapes::may_be_request(own_value(self.node))
            && self.form == PayloadForm::Tree
    }
}

/// Returns a conversation without a model or a setting, which is a request if its answer is in the same object.
fn vague_request(node: Node<'_>) -> Option<Payload<'_>> {
    let is_conversation = shapes::has_messages(node) && node.len() > 1;
    is_conversation.then_some(Payload {
        node,
        form: PayloadForm::Tree,
        side: Side::Request,
        api: None,
    })
}

/// Finds the calls of a document.
pub fn find(tree: &Tree) -> RecordedCalls<'_> {
    let Some(root) = tree.root() else { return RecordedCalls::default() };
    let mut search = Search { calls: RecordedCalls::default() };
    let found = search.collect(root, 0);
    search.finish(root, &found);
    search.calls.calls.sort_by_key(|call| call.node.id());
    search.calls
}

/// Finds the call that a value names.
pub fn at(node: Node<'_>) -> Option<RecordedCall<'_>> {
    let mut search = Search { calls: RecordedCalls::default() };
    let found = search.collect(node, 0);
    if let [call] = search.calls.calls[..] {
        return (call.node.id() == node.id()).then_some(call);
    }
    match found[..] {
        [] => other_call(node),
        // Its partner is elsewhere: in a list beside that of the requests, or in the event after its own.
        _ => find(node.tree()).calls.into_iter().find(|call| call.node.id() == node.id()),
    }
}

/// The most containers around a payload that are looked through; the parser allows more.
const MAX_DEPTH: usize = 48;

struct Search<'a> {
    calls: RecordedCalls<'a>,
}

impl<'a> Search<'a> {
    /// Returns the payloads in a value that have no partner in it.
    fn collect(&mut self, node: Node<'a>, depth: usize) -> Vec<Payload<'a>> {
        if depth > MAX_DEPTH || node.is_alias() {
            return Vec::new();
        }
        if let Some(payload) = payload(node).or_else(|| vague_request(node)) {
            let answer = self.answer_inside(payload, depth);
            if let Some(answer) = answer {
                self.pair_in(node, payload, answer);
                return Vec::new();
            }
            if !payload.is_vague() {
                return vec![payload];
            }
        }
        if !matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
            return Vec::new();
        }
        let first_call = self.calls.calls.len();
        let mut found: Vec<Payload<'a>> = Vec::new();
        for item in node.items() {
            let in_item = self.collect(item, depth + 1);
            // A record may have its request twice, as text and as values.
            let is_twin = |payload: &&Payload<'a>| {
                node.kind() == NodeKind::Object && found.iter().any(|other| is_same(other, payload))
            };
            let in_item: Vec<Payload<'a>> =
                in_item.iter().filter(|payload| !is_twin(payload)).copied().collect();
            found.extend(in_item);
        }
        if found.is_empty() {
            return found;
        }
        let has_calls = self.calls.calls.len() > first_call;
        self.combine(node, found, has_calls)
    }

    /// Finds the answer that a recorder put into the object of its request.
    fn answer_inside(&mut self, request: Payload<'a>, depth: usize) -> Option<Payload<'a>> {
        if request.side != Side::Request || request.form != PayloadForm::Tree {
            return None;
        }
        let sent_keys = ["messages", "contents", "input", "tools", "system", "prompt"];
        let members = request
            .node
            .items()
            .filter(|item| !sent_keys.contains(&item.key().unwrap_or_default()));
        let answers = members.flat_map(|member| self.collect(member, depth + 1));
        let answers: Vec<Payload<'a>> =
            answers.filter(|payload| payload.side == Side::Answer).collect();
        (answers.len() == 1).then(|| answers[0])
    }

    /// Pairs the payloads in a container, or returns them.
    fn combine(
        &mut self,
        node: Node<'a>,
        found: Vec<Payload<'a>>,
        has_calls: bool,
    ) -> Vec<Payload<'a>> {
        let (requests, answers): (Vec<Payload<'a>>, Vec<Payload<'a>>) =
            found.iter().partition(|payload| payload.side == Side::Request);
        match (&requests[..], &answers[..]) {
            ([request], [answer]) => {
                let is_of_list = |payload: &Payload<'a>| {
                    let list =
                        element(*payload).parent().filter(|list| list.kind() == NodeKind::Array);
                    list.and_then(Node::parent).is_some_and(|around| around.id() == node.id())
                };
                if !is_possible(request, answer) {
                    self.calls.unsure += 2;
                } else if is_of_list(request) && is_of_list(answer) {
                    self.calls.calls.push(RecordedCall::of_lists(*request, *answer));
                } else {
                    self.pair_in(node, *request, *answer);
                }
                Vec::new()
            }
            // An answer without the shape of one: an error, or nothing.
            ([request], []) if node.kind() == NodeKind::Object => {
                match untyped_answer(node, request.node) {
                    Some(status) => {
                        let received = untyped_body(node, request.node, status);
                        self.calls.calls.push(RecordedCall::new(node, [Some(*request), received]));
                        Vec::new()
                    }
                    None => found,
                }
            }
            ([], _) | (_, []) => found,
            _ => {
                // Of an answer before its request, both are in one record, and paired there.
                let alternates = found.chunks(2).all(|pair| {
                    matches!(pair, [a, b] if a.side == Side::Request && b.side == Side::Answer && is_possible(a, b))
                });
                let are_lists = requests.len() == answers.len()
                    && !has_calls
                    && is_one_list(&requests)
                    && is_one_list(&answers)
                    && requests
                        .iter()
                        .zip(&answers)
                        .all(|(request, answer)| is_possible(request, answer));
                if alternates {
                    for pair in found.chunks(2) {
                        self.pair_in(pair[0].node, pair[0], pair[1]);
                    }
                } else if are_lists {
                    for (request, answer) in requests.iter().zip(&answers) {
                        let call = RecordedCall::of_lists(*request, *answer);
                        self.calls.calls.push(call);
                    }
                } else {
                    self.calls.unsure += found.len();
                }
                Vec::new()
            }
        }
    }

    fn pair_in(&mut self, record: Node<'a>, request: Payload<'a>, answer: Payload<'a>) {
        self.calls.calls.push(RecordedCall::new(record, [Some(request), Some(answer)]));
    }

    /// Adds the answers without a request, and the HTTP calls that are of no model.
    fn finish(&mut self, root: Node<'a>, found: &[Payload<'a>]) {
        let answers: Vec<&Payload<'a>> =
            found.iter().filter(|payload| payload.side == Side::Answer).collect();
        let requests = found.len() - answers.len();
        if found.is_empty() && self.calls.calls.is_empty() && shapes::is_error_of_api(root) {
            let error =
                Payload { node: root, form: PayloadForm::Tree, side: Side::Answer, api: None };
            self.calls.calls.push(RecordedCall::new(root, [None, Some(error)]));
        } else if requests == 0 && self.calls.calls.is_empty() {
            let calls =
                answers.iter().map(|answer| RecordedCall::new(answer.node, [None, Some(**answer)]));
            self.calls.calls.extend(calls);
        } else {
            self.calls.unsure += found.len();
        }
        let lists =
            [root].into_iter().chain(root.items()).filter(|list| list.kind() == NodeKind::Array);
        let records: Vec<Node<'a>> =
            [root].into_iter().chain(lists.flat_map(Node::items)).collect();
        for record in records {
            let has_call = |call: &RecordedCall<'_>| {
                record.positions().contains(&(call.node.id().number() as usize))
            };
            if !self.calls.calls.iter().any(has_call) {
                self.calls.calls.extend(other_call(record));
            }
        }
    }
}

/// Returns an HTTP call of no model: a record with a method and an address.
fn other_call(record: Node<'_>) -> Option<RecordedCall<'_>> {
    let call = RecordedCall::new(record, [None, None]);
    (record.kind() == NodeKind::Object && call.url.is_some() && call.method.is_some())
        .then_some(call)
}

/// Returns the element of the outermost list around a payload that is not a part of the payload itself.
fn element(payload: Payload<'_>) -> Node<'_> {
    let mut nodes = payload.node.ancestors();
    let is_element =
        |node: &Node<'_>| node.parent().is_some_and(|list| list.kind() == NodeKind::Array);
    nodes.find(is_element).unwrap_or(payload.node)
}

/// Returns whether payloads are in different elements of one list.
fn is_one_list(payloads: &[Payload<'_>]) -> bool {
    let list = |payload: &Payload<'_>| element(*payload).parent().map(Node::id);
    let first = payloads.first().and_then(list);
    first.is_some() && payloads.iter().all(|payload| list(payload) == first)
}

/// Returns whether two payloads of a record are the same one.
fn is_same(a: &Payload<'_>, b: &Payload<'_>) -> bool {
    if a.side != b.side {
        return false;
    }
    let value = |payload: &Payload<'_>| match text_of(*payload) {
        Some(text) => serde_json::from_str::<serde_json::Value>(&text).ok(),
        None => serde_json::from_str(&json::text(payload.node)).ok(),
    };
    value(a).zip(value(b)).is_some_and(|(a, b)| a == b)
}

/// Returns the text of a payload that is stored as one.
fn text_of(payload: Payload<'_>) -> Option<String> {
    let body = read_body(payload.stored(), &BodyHeaders::default())?;
    match body.content {
        BodyContent::Text(text) => Some(text.text().to_owned()),
        BodyContent::Bytes(_) | BodyContent::Tree(_) => None,
    }
}

/// Returns whether an answer can be one to a request.
fn is_possible(request: &Payload<'_>, answer: &Payload<'_>) -> bool {
    use ApiShape::{Anthropic, Chat, Completions, Converse, Gemini, Interactions, Responses};
    let (Some(sent), Some(received)) = (request.api, answer.api) else { return true };
    // Many APIs take a list of messages; what only one API has is answered by no other.
    let own = [Gemini, Responses, Completions, Interactions];
    sent == received
        || !own.contains(&sent) && !own.contains(&received)
        || matches!((sent, received), (Responses, Interactions) | (Completions, _))
        || matches!(sent, Chat | Anthropic | Converse) && received == Interactions
}

/// Returns a payload that is this value.
fn payload(node: Node<'_>) -> Option<Payload<'_>> {
    let new = |(side, api), form| Payload { node, form, side, api };
    match node.kind() {
        NodeKind::Object => side_of(node).map(|found| new(found, PayloadForm::Tree)),
        NodeKind::String => {
            let text = node.as_str()?;
            if let Some(found) = side_of_text(text) {
                return Some(new(found, PayloadForm::Text));
            }
            let bytes = packed_bytes(text)?;
            side_of_bytes(&bytes).map(|found| new(found, PayloadForm::Base64))
        }
        NodeKind::Array => {
            let first = node.items().find(|item| item.as_str() != Some(""))?;
            match first.kind() {
                NodeKind::Object if is_stream(node) => {
                    let api = node.items().find_map(|event| shapes::of_event(own_value(event)));
                    Some(new((Side::Answer, api), PayloadForm::Tree))
                }
                NodeKind::String
                    if first.as_str().is_some_and(is_line)
                        && node.items().all(|item| item.as_str().is_some()) =>
                {
                    let separator = separator(node);
                    let lines: Vec<&str> = node.items().filter_map(Node::as_str).collect();
                    side_of_text(&lines.join(separator))
                        .map(|found| new(found, PayloadForm::Lines(separator)))
                }
                _ => {
                    let pieces: Vec<Node<'_>> = node.items().map(piece).collect::<Option<_>>()?;
                    if pieces.iter().all(|piece| piece.as_str().is_some_and(is_base64)) {
                        let bytes =
                            pieces.iter().filter_map(|piece| decode_base64(piece.as_str()?));
                        return side_of_bytes(&bytes.collect::<Vec<_>>().concat())
                            .map(|found| new(found, PayloadForm::Pieces));
                    }
                    // `{data: "{…}"}`: the events of a stream by their fields.
                    let api = pieces.iter().find_map(|piece| {
                        let tree = json::parse_container(&Source::new(piece.as_str()?))?;
                        shapes::of_event(tree.root()?)
                    })?;
                    Some(new((Side::Answer, Some(api)), PayloadForm::Tree))
                }
            }
        }
        _ => None,
    }
}

/// Returns the value that an SDK's dump of a type holds, or the value itself.
pub fn own_value(node: Node<'_>) -> Node<'_> {
    node.get("__data__").filter(|_| node.get("__type__").is_some()).unwrap_or(node)
}

fn side_of(node: Node<'_>) -> Option<(Side, Option<ApiShape>)> {
    let value = own_value(node);
    if let Some(api) = shapes::of_answer(value) {
        return Some((Side::Answer, Some(api)));
    }
    shapes::may_be_request(value).then(|| (Side::Request, shapes::of_request(value)))
}

/// Returns whether a list has the events of a stream.
fn is_stream(list: Node<'_>) -> bool {
    let mut events = list.items().map(own_value);
    let is_event = |event: Node<'_>| shapes::of_event(event).is_some();
    // Providers put events of their own between those of an API.
    let count = events.clone().take(4).filter(|event| is_event(*event)).count();
    count > 0
        && count * 2 >= list.len().min(4)
        && events.all(|event| event.kind() == NodeKind::Object)
        // Of some APIs an event has the shape of a whole answer; several that end are several answers.
        && list.items().filter(|event| shapes::is_end(own_value(*event))).count() <= 1
}

/// Returns whether a text begins as JSON or as an event does.
fn is_line(text: &str) -> bool {
    let text = text.trim_start();
    ["data:", "event:", "{", "[", ":"].iter().any(|start| text.starts_with(start))
}

/// Returns what divides the texts of a list: nothing if they have their line ends, an empty line if each is an event, else a line end.
fn separator(list: Node<'_>) -> &'static str {
    let texts = || list.items().filter_map(Node::as_str).filter(|text| !text.is_empty());
    let has_empty = list.items().any(|item| item.as_str() == Some(""));
    if texts().any(|text| text.ends_with('\n')) {
        ""
    } else if has_empty || texts().any(|text| text.starts_with('{')) {
        "\n"
    } else if texts().any(|text| text.starts_with("event:") && text.contains("\ndata:"))
        || texts().all(|text| text.starts_with("data:"))
    {
        "\n\n"
    } else {
        "\n"
    }
}

/// Returns the text of a piece of a stream: the piece itself, or its only text of some length.
fn piece(node: Node<'_>) -> Option<Node<'_>> {
    if node.as_str().is_some() {
        return Some(node);
    }
    // A record has more members.
    const MAX_MEMBERS: usize = 3;
    if node.len() > MAX_MEMBERS {
        return None;
    }
    ["b64", "data", "bytes", "chunk", "raw", "text"]
        .iter()
        .find_map(|key| node.get(key).filter(|value| value.as_str().is_some()))
}

/// Decodes a text that can only be Base64.
fn packed_bytes(text: &str) -> Option<Vec<u8>> {
    const MIN_BYTES: usize = 24;
    let text = text.trim();
    (text.len() >= MIN_BYTES && is_base64(text)).then(|| decode_base64(text)).flatten()
}

/// Returns whether the beginning of a text has only letters of Base64.
fn is_base64(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\n\r".contains(&byte);
    text.bytes().take(256).all(is_letter)
}

fn side_of_bytes(bytes: &[u8]) -> Option<(Side, Option<ApiShape>)> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return side_of_text(text);
    }
    let messages = event_stream(bytes);
    let is_known = |(kind, payload): &(String, &[u8])| {
        let text = std::str::from_utf8(payload).ok()?;
        let tree = json::parse_container(&Source::new(text))?;
        let is_converse = kind.starts_with("message") || kind.starts_with("contentBlock");
        if is_converse { Some(ApiShape::Converse) } else { shapes::of_event(tree.root()?) }
    };
    messages.iter().find_map(is_known).map(|api| (Side::Answer, Some(api)))
}

/// Returns what a text is: JSON, JSON lines, or a stream of events.
fn side_of_text(text: &str) -> Option<(Side, Option<ApiShape>)> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        let source = Source::new(text);
        let Some(tree) = json::parse_container(&source) else {
            let lines = parts::parse(&source, parts::PartsForm::Lines)?;
            return side_of_events(&lines);
        };
        let root = tree.root()?;
        return match root.kind() {
            NodeKind::Array => side_of_events(&tree),
            _ => side_of(root).or_else(|| Some((Side::Answer, Some(shapes::of_event(root)?)))),
        };
    }
    if !is_line(text) || !text.contains("data:") {
        return None;
    }
    side_of_events(&parts::parse(&Source::new(text), parts::PartsForm::Events)?)
}

fn side_of_events(tree: &Tree) -> Option<(Side, Option<ApiShape>)> {
    let root = tree.root()?;
    let api = root.items().take(8).find_map(|event| shapes::of_event(own_value(event)));
    let ends = root.items().filter(|event| shapes::is_end(own_value(*event))).count();
    api.filter(|_| ends <= 1).map(|api| (Side::Answer, Some(api)))
}

impl<'a> RecordedCall<'a> {
    fn new(node: Node<'a>, [sent, received]: [Option<Payload<'a>>; 2]) -> Self {
        let mut call = Self {
            node,
            sent,
            received,
            url: None,
            method: None,
            status: None,
            time: None,
            headers: [None; 2],
        };
        let skipped = [sent, received].map(|payload| payload.map(|payload| payload.node.id()));
        call.read_members(node, &skipped, None, 0);
        call
    }

    /// The call of a request in a list, and of the answer at the same place of another one.
    fn of_lists(request: Payload<'a>, answer: Payload<'a>) -> Self {
        let mut call = Self::new(element(request), [Some(request), Some(answer)]);
        let payloads = [Some(request.node.id()), Some(answer.node.id())];
        call.read_members(element(answer), &payloads, Some(1), 0);
        call
    }

    /// Looks for what is known of the call besides its payloads.
    fn read_members(
        &mut self,
        node: Node<'a>,
        payloads: &[Option<NodeId>; 2],
        side: Option<usize>,
        depth: usize,
    ) {
        /// The members of the sides of a call are in it, and what a recorder groups is one level deeper.
        const MAX_MEMBER_DEPTH: usize = 4;
        if depth > MAX_MEMBER_DEPTH || node.kind() != NodeKind::Object {
            return;
        }
        // A request that is the record has members of its own, which say nothing of the call.
        if payloads.contains(&Some(node.id())) {
            return;
        }
        for item in node.items() {
            let key = plain(item.key().unwrap_or_default());
            let is_text = item.as_str().is_some();
            let place = match &*key {
                "url" | "uri" | "requesturi" | "requesturl" | "path" | "endpoint" | "address"
                    if is_text =>
                {
                    &mut self.url
                }
                "method" | "requestmethod" | "httpmethod" | "verb" if is_text => &mut self.method,
                "status" | "statuscode" | "code" | "responsestatus" | "httpstatus"
                    if is_status(item) =>
                {
                    &mut self.status
                }
                "recordedat" | "capturedat" | "timestamp" | "createdat" | "starteddatetime"
                | "time" | "date"
                    if is_text =>
                {
                    &mut self.time
                }
                "headers" | "header" | "requestheaders" | "responseheaders" | "reqheaders"
                | "resheaders" => {
                    let side = side_named(&key).or(side).unwrap_or(0);
                    &mut self.headers[side]
                }
                _ => {
                    if !payloads.contains(&Some(item.id())) {
                        let side = side_named(&key).or(side);
                        self.read_members(item, payloads, side, depth + 1);
                    }
                    continue;
                }
            };
            // An address counts more than a path, and the outer value more than one inside.
            let is_better = |old: &Node<'a>| {
                let is_full =
                    |node: &Node<'a>| node.as_str().is_some_and(|text| text.contains("://"));
                is_full(&item) && !is_full(old)
            };
            if place.as_ref().is_none_or(is_better) {
                *place = Some(item);
            }
        }
    }
}

/// Returns a key without its case and its signs.
fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the side that a key names: 0 for what was sent, 1 for what was received.
fn side_named(key: &str) -> Option<usize> {
    let starts = |names: &[&str]| names.iter().any(|name| key.starts_with(name));
    if starts(&["req", "sent", "when", "input"]) {
        Some(0)
    } else if starts(&["res", "received", "then", "output", "answer", "reply"]) {
        Some(1)
    } else {
        None
    }
}

fn is_status(node: Node<'_>) -> bool {
    let number = node.scalar_text().and_then(|text| text.parse::<u16>().ok());
    number.is_some_and(|status| (100..600).contains(&status))
}

/// Returns the status of a record that has a request and no answer of a known shape.
fn untyped_answer<'a>(record: Node<'a>, request: Node<'a>) -> Option<Node<'a>> {
    let payload =
        Payload { node: request, form: PayloadForm::Tree, side: Side::Request, api: None };
    RecordedCall::new(record, [Some(payload), None]).status
}

/// Returns the body beside a status.
fn untyped_body<'a>(record: Node<'a>, request: Node<'a>, status: Node<'a>) -> Option<Payload<'a>> {
    let names = [
        "body",
        "responsebody",
        "content",
        "response",
        "data",
        "bodybase64",
        "bodyb64",
        "error",
        "exceptiondata",
        "jsonbodystr",
    ];
    let is_around = |node: &Node<'a>| node.positions().contains(&(request.id().number() as usize));
    // The body is in the object of the status, or beside an object of it.
    let sides = status
        .ancestors()
        .skip(1)
        .take_while(|side| side.positions().start >= record.positions().start);
    let bodies = sides.flat_map(|side| side.items()).filter(|item| !is_around(item));
    let is_body = |item: &Node<'a>| {
        let key = plain(item.key().unwrap_or_default());
        item.kind() != NodeKind::Null && names.contains(&&*key) && item.id() != status.id()
            // The object of the status and the headers is no body.
            && !item.positions().contains(&(status.id().number() as usize))
    };
    let node = bodies.into_iter().find(is_body)?;
    let (node, form) = untyped_form(node);
    Some(Payload { node, form, side: Side::Answer, api: None })
}

fn untyped_form(node: Node<'_>) -> (Node<'_>, PayloadForm) {
    // `{kind, value}` and `{b64}` are wrappers of a body.
    let inner = ["value", "b64", "text"]
        .iter()
        .find_map(|key| node.get(key))
        .filter(|_| !shapes::is_error(node));
    let node = inner.unwrap_or(node);
    let key = plain(node.key().unwrap_or_default());
    let form = match node.kind() {
        NodeKind::Object => PayloadForm::Tree,
        NodeKind::Array => PayloadForm::Lines(separator(node)),
        _ if key.ends_with("b64") || key.ends_with("base64") => PayloadForm::Base64,
        _ => PayloadForm::Text,
    };
    (node, form)
}
