//! Recorded calls of models, found by the shape of what was sent and answered, whatever a recorder wraps around them.
//!
//! A value is a *payload* if it is a request or an answer of an API, as it is or in one of the ways in which recorders store it: JSON in
//! a text, a stream as text, lines, pieces or values, Base64 of these. A request belongs to the answer in the same record: the two are
//! paired where their nearest common container is. What is not certain is not paired, and counted.

use std::sync::Arc;

use super::body::{BodyHeaders, decode_base64, event_stream, read_body};
use super::call::{BodyContent, StoredBody};
use super::found_calls::{ApiShape, Side};
pub use super::found_calls::{CallParts, CallsFound, PayloadAt, PayloadForm};
use super::shapes;
use super::tree::{Node, NodeId, NodeKind, Tree};
use super::{json, parts};
use crate::text::Source;

pub type RecordedCall<'a> = CallParts<Node<'a>>;

pub type Payload<'a> = PayloadAt<Node<'a>>;

pub type RecordedCalls<'a> = CallsFound<Node<'a>>;

impl<'a> Payload<'a> {
    /// Returns the payload as a body.
    pub fn stored(self) -> StoredBody<'a> {
        match self.form {
            PayloadForm::Tree => StoredBody::Tree(own_value(self.node)),
            PayloadForm::Text => StoredBody::Text(self.node),
            PayloadForm::Base64 => StoredBody::Base64(self.node),
            PayloadForm::Lines(separator) => {
                StoredBody::Lines(self.node, self.node.items().collect(), separator)
            }
            PayloadForm::Frames { first, count } => {
                let frames = self.node.items().skip(first).take(count);
                StoredBody::Lines(
                    self.node,
                    frames.filter_map(|frame| frame.get("body")).collect(),
                    "\n",
                )
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
    let found = found(tree);
    let calls = found.calls.iter().map(|call| call.map(|id| tree.node(id)));
    CallsFound { calls: calls.collect(), unsure: found.unsure }
}

/// Finds the call that a value names.
pub fn at(node: Node<'_>) -> Option<RecordedCall<'_>> {
    let tree = node.tree();
    let calls = &found(tree).calls;
    let index = calls.binary_search_by_key(&node.id(), |call| call.node).ok()?;
    Some(calls[index].map(|id| tree.node(id)))
}

/// Returns the calls of a tree, which is searched once.
fn found(tree: &Tree) -> &CallsFound<NodeId> {
    tree.recorded_calls.get_or_init(|| {
        let mut search = Search { calls: RecordedCalls::default() };
        if let Some(root) = tree.root() {
            let found = search.collect(root, 0);
            search.finish(root, &found);
        }
        let RecordedCalls { mut calls, unsure } = search.calls;
        calls.sort_by_key(|call| call.node.id());
        let calls = calls.into_iter().map(|call| call.map(Node::id)).collect();
        Arc::new(CallsFound { calls, unsure })
    })
}

/// The most containers around a payload that are looked through; the parser allows more.
const MAX_DEPTH: usize = 48;

/// The most payloads of one record; more are in a collection of records, where equal ones are different calls.
const MAX_IN_RECORD: usize = 8;

struct Search<'a> {
    calls: RecordedCalls<'a>,
}

impl<'a> Search<'a> {
    /// Returns the payloads in a value that have no partner in it.
    fn collect(&mut self, node: Node<'a>, depth: usize) -> Vec<Payload<'a>> {
        if depth > MAX_DEPTH || node.is_alias() {
            return Vec::new();
        }
        let first_call = self.calls.calls.len();
        let mut members = Vec::new();
        if let Some(payload) = payload(node).or_else(|| vague_request(node)) {
            if payload.side == Side::Request && payload.form == PayloadForm::Tree {
                members = self.collect_beside(node, depth);
            }
            let mut answers = members
                .iter()
                .flat_map(|(_, found)| found)
                .filter(|payload| payload.side == Side::Answer);
            if let (Some(answer), None) = (answers.next(), answers.next()) {
                self.pair_in(node, payload, *answer);
                return Vec::new();
            }
            if !payload.is_vague() {
                return vec![payload];
            }
        }
        if !matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
            return Vec::new();
        }
        if self.pair_lists(node, depth) || self.pair_frames(node) {
            return Vec::new();
        }
        let mut members = members.into_iter().peekable();
        let mut found: Vec<Payload<'a>> = Vec::new();
        for item in node.items() {
            let in_item = match members.next_if(|(member, _)| *member == item.id()) {
                Some((_, in_item)) => in_item,
                None => self.collect(item, depth + 1),
            };
            // A record may have its request twice, as text and as values.
            let is_twin = |payload: &Payload<'a>| {
                node.kind() == NodeKind::Object
                    && found.len() <= MAX_IN_RECORD
                    && found.iter().any(|other| is_same(other, payload))
            };
            let in_item: Vec<Payload<'a>> =
                in_item.into_iter().filter(|payload| !is_twin(payload)).collect();
            found.extend(in_item);
        }
        if found.is_empty() {
            return found;
        }
        let has_calls = self.calls.calls.len() > first_call;
        self.combine(node, found, has_calls)
    }

    /// Pairs the records of two lists that are named after requests and responses, also those whose answer has no known shape.
    fn pair_lists(&mut self, node: Node<'a>, depth: usize) -> bool {
        let list = |side| {
            let is_list = |item: &Node<'a>| {
                let key = plain(item.key().unwrap_or_default());
                item.kind() == NodeKind::Array
                    && key.ends_with('s')
                    && side_named(&key) == Some(side)
            };
            node.items().find(is_list)
        };
        let is_record = |item: Node<'a>| shapes::is_object(item) && payload(item).is_none();
        let (Some(requests), Some(answers)) = (list(0), list(1)) else { return false };
        let are_records = requests.items().chain(answers.items()).all(is_record);
        if requests.is_empty() || requests.len() != answers.len() || !are_records {
            return false;
        }
        for (request, answer) in requests.items().zip(answers.items()) {
            let sent = self.collect(request, depth + 2);
            match (&sent[..], &self.collect(answer, depth + 2)[..]) {
                ([sent], [received]) if is_possible(sent, received) => {
                    self.calls.calls.push(RecordedCall::of_lists(*sent, *received));
                }
                ([sent], []) => {
                    let mut call = RecordedCall::new(request, [Some(*sent), None]);
                    call.read_members(answer, &[Some(sent.node.id()), None], Some(1), 0);
                    call.received =
                        call.status.and_then(|status| untyped_body(answer, sent.node, status));
                    self.calls.calls.push(call);
                }
                ([], _) => {}
                (sent, received) => self.calls.unsure += sent.len() + received.len(),
            }
        }
        true
    }

    /// Pairs each request in a list of messages of a WebSocket with what the server sends before the next one.
    fn pair_frames(&mut self, list: Node<'a>) -> bool {
        let direction = |frame: Node<'a>| frame.get("direction").and_then(Node::as_str);
        let is_frame = |frame: Node<'a>| direction(frame).is_some() && frame.get("body").is_some();
        if list.kind() != NodeKind::Array || list.is_empty() || !list.items().all(is_frame) {
            return false;
        }
        let frames: Vec<Node<'a>> = list.items().collect();
        let request = |frame: Node<'a>| {
            let sent = payload(frame.get("body")?)?;
            (direction(frame) == Some("client") && sent.side == Side::Request).then_some(sent)
        };
        let starts: Vec<usize> =
            (0..frames.len()).filter(|index| request(frames[*index]).is_some()).collect();
        for (index, start) in starts.iter().enumerate() {
            let first = start + 1;
            let end = starts.get(index + 1).copied().unwrap_or(frames.len());
            let is_server = |frame: &&Node<'a>| direction(**frame) == Some("server");
            let count = frames[first..end].iter().take_while(is_server).count();
            let form = PayloadForm::Frames { first, count };
            let sent = request(frames[*start]);
            let received = Payload { node: list, form, side: Side::Answer, api: None };
            let record = list.parent().unwrap_or(list);
            let mut call = RecordedCall::new(record, [sent, (count > 0).then_some(received)]);
            if let Some(sent) = sent.filter(|_| starts.len() > 1) {
                call.node = sent.node;
            }
            self.calls.calls.push(call);
        }
        !starts.is_empty()
    }

    /// Returns the payloads in each member of a request that a recorder may have added to it.
    fn collect_beside(
        &mut self,
        request: Node<'a>,
        depth: usize,
    ) -> Vec<(NodeId, Vec<Payload<'a>>)> {
        let sent_keys = ["messages", "contents", "input", "tools", "system", "prompt"];
        let members =
            request.items().filter(|item| !sent_keys.contains(&item.key().unwrap_or_default()));
        members.map(|member| (member.id(), self.collect(member, depth + 1))).collect()
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
                    // An embedding, mostly: the answer would show a model's response.
                    Some(status) if is_vague_input(request) && !is_error_status(status) => {
                        self.calls.calls.extend(other_call(node));
                        Vec::new()
                    }
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
        let mut of_models: Vec<usize> =
            self.calls.calls.iter().map(|call| call.node.id().number() as usize).collect();
        of_models.sort_unstable();
        for record in records {
            let positions = record.positions();
            let next = of_models.partition_point(|number| *number < positions.start);
            if of_models.get(next).is_none_or(|number| *number >= positions.end) {
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

/// Returns whether a value is an answer of an API, however it is stored.
pub(super) fn is_answer(node: Node<'_>) -> bool {
    payload(node).is_some_and(|payload| payload.side == Side::Answer)
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
                    let mut texts = pieces.iter().filter_map(|piece| piece.as_str());
                    let is_event =
                        |text: &str| text.trim_start().starts_with('{') || text == "[DONE]";
                    if !texts.clone().all(is_event) {
                        return None;
                    }
                    let api = texts.find_map(|text| {
                        let tree = json::parse_container(&Source::new(text))?;
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
    // A request and its answer may be lines as well.
    if root.items().next().is_some_and(|first| shapes::of_request(own_value(first)).is_some()) {
        return None;
    }
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

/// Returns whether a request has an input of which only the answer shows that it is one of a conversation.
fn is_vague_input(request: &Payload<'_>) -> bool {
    let has_input = || match text_of(*request) {
        Some(text) => text.contains("\"input\""),
        None => own_value(request.node).get("input").is_some(),
    };
    request.api.is_none() && has_input()
}

fn is_error_status(status: Node<'_>) -> bool {
    status.scalar_text().is_some_and(|text| text.starts_with(['4', '5']))
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
    let inner = ["value", "b64", "text", "string"]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::describe_problems;
    use crate::{DocumentBody, read};

    const ANSWER: &str = r#"{"choices": [{"message": {"role": "assistant", "content": "a"}}]}"#;

    /// Returns the format and the number of the calls of a file in a folder of recordings.
    fn calls(text: &str) -> Option<(&'static str, usize)> {
        let document = read(Source::new(text), "fixtures/a.json");
        assert_eq!(describe_problems(&document.problems), "");
        let DocumentBody::Foreign(foreign) = &document.body else { return None };
        Some((foreign.format.as_str(), find(&document.tree).calls.len()))
    }

    #[test]
    fn conversations_in_conversations_are_read_once_each() {
        let nest = |inside: String, _| {
            format!(r#"{{"messages": [{{"role": "user", "content": "a"}}], "x": {inside}}}"#)
        };
        assert_eq!(calls(&(0..40).fold("1".to_owned(), nest)), None);
    }

    #[test]
    fn many_calls_are_found_in_little_time() {
        const COUNT: usize = 3000;
        let list = |item: &dyn Fn(usize) -> String| {
            format!("[{}]", (0..COUNT).map(item).collect::<Vec<_>>().join(", "))
        };
        let request = |n| format!(r#"{{"model": "m{n}", "messages": [{{"role": "user"}}]}}"#);
        let text = format!(
            r#"{{"sent": {}, "received": {}}}"#,
            list(&request),
            list(&|_| ANSWER.to_owned())
        );
        let document = read(Source::new(text), "fixtures/a.json");
        let found = find(&document.tree).calls;
        assert_eq!(found.len(), COUNT);
        assert!(found.iter().all(|call| at(call.node).is_some_and(|one| one.sent.is_some())));
        // Equal requests of different records are no copies of each other.
        let named = |n| format!(r#""k{n}": {}"#, request(n));
        let requests: Vec<String> = (0..COUNT).map(named).collect();
        assert_eq!(calls(&format!("{{{}}}", requests.join(", "))), None);
    }

    #[test]
    fn values_that_are_like_answers_are_none() {
        for text in [
            r#"{"candidates": [{"name": "a", "content": {"bio": "b"}}]}"#,
            r#"{"candidates": [{"content": "b", "score": 1}]}"#,
            r#"{"questions": 1, "choices": [{"text": "a"}, {"text": "b"}]}"#,
            r#"{"generation": "1", "stop_reason": "a"}"#,
            r#"{"results": [{"outputText": "a"}]}"#,
            r#"{"response": "ok", "done": true}"#,
            r#"{"message": {"text": "a"}, "done": false}"#,
            r#"[{"type": "ping"}, {"type": "ping"}]"#,
        ] {
            assert_eq!(calls(text), None, "{text}");
        }
        for key in ["asyncapi", "traceId", "observations"] {
            let request = r#"{"model": "m", "messages": [{"role": "user"}]}"#;
            let text = format!(r#"{{"{key}": 1, "a": {request}, "b": {ANSWER}}}"#);
            assert_eq!(calls(&text), None, "{text}");
        }
        assert_eq!(calls(ANSWER), Some(("answers", 1)));
    }

    #[test]
    fn lines_of_calls_are_read_whatever_begins_them() {
        let request = r#"{"model": "m", "messages": [{"role": "user"}]}"#;
        let text = crate::json::quote(ANSWER);
        let line = format!(r#"{{"request": {request}, "response": {text}}}"#);
        let find_all =
            |text: String| find(&read(Source::new(text), "fixtures/a.jsonl").tree).calls.len();
        assert_eq!(find_all(format!("{line}\n{line}\n")), 2);
        assert_eq!(find_all(format!("\u{feff}{line}\r\n{line}\r\n")), 2);
        assert_eq!(calls(&line), Some(("recorded", 1)));
        // Of Gemini, an answer alone has the form of an event.
        let sent = r#"{"contents": [{"parts": [{"text": "a"}]}]}"#;
        let received = r#"{"candidates": [{"content": {"role": "model", "parts": []}}]}"#;
        let [sent, received] = [sent, received].map(crate::json::quote);
        assert_eq!(calls(&format!(r#"{{"call": [{sent}, {received}]}}"#)), Some(("recorded", 1)));
    }
}
