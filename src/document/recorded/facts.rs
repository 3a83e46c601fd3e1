//! Facts of a call besides its request and its answer: address, method, status, time and headers, wherever a record has them.

use super::super::found_calls::{CallParts, PayloadForm, Side};
use super::super::shapes;
use super::super::tree::{Node, NodeKind};
use super::payload::{Payload, payload, separator};

pub type RecordedCall<'a> = CallParts<Node<'a>>;

impl<'a> RecordedCall<'a> {
    pub(crate) fn new(node: Node<'a>, [sent, received]: [Option<Payload<'a>>; 2]) -> Self {
        let [answer_node, url, method, status, time, key, test] = [None; 7];
        let headers = [None; 2];
        let mut call = Self {
            node,
            answer_node,
            sent,
            received,
            url,
            method,
            status,
            time,
            headers,
            key,
            test,
        };
        call.read_members(node, None, 0);
        call
    }

    /// The call of a request in a record of its own, and of the answer in another one.
    pub(super) fn of_records(records: [Node<'a>; 2], payloads: [Option<Payload<'a>>; 2]) -> Self {
        let mut call = Self::new(records[0], payloads);
        call.read_members(records[1], Some(1), 0);
        call.answer_node = Some(records[1]);
        call
    }

    /// Returns whether its shape shows that a model was called; else it is a call of HTTP with the body beside its status.
    pub fn is_of_model(&self) -> bool {
        let is_answer = |received: Payload<'a>| received.side == Side::Answer || self.url.is_none();
        self.sent.is_some() || self.received.is_some_and(is_answer)
    }

    /// Returns the values that hold its request and its answer: those that were found, each with others of the record that repeat it in
    /// another form.
    pub fn payload_values(&self) -> [Vec<Node<'a>>; 2] {
        let records = [Some(self.node), self.answer_node].into_iter().flatten();
        let own: Vec<Payload<'a>> = [self.sent, self.received].into_iter().flatten().collect();
        let mut values = [self.sent, self.received]
            .map(|own| own.iter().map(|own| own.node).collect::<Vec<_>>());
        let mut position = 0;
        for node in records.flat_map(|record| record.tree().nodes_at(record.positions())) {
            let at = node.id().number() as usize;
            if own.iter().any(|own| own.node.id() == node.id()) {
                position = node.positions().end;
            }
            let side = |payload: Payload<'a>| own.iter().position(|own| own.is_same(&payload));
            if at < position {
                continue;
            }
            if let Some(side) = payload(node).and_then(side) {
                position = node.positions().end;
                values[usize::from(side == 1 || self.sent.is_none())].push(node);
            }
        }
        values
    }

    /// Returns whether a value is the request or the answer.
    fn is_payload(&self, node: Node<'a>) -> bool {
        [self.sent, self.received]
            .into_iter()
            .flatten()
            .any(|payload| payload.node.id() == node.id())
    }

    /// Looks for what is known of the call besides its payloads.
    fn read_members(&mut self, node: Node<'a>, side: Option<usize>, depth: usize) {
        /// The members of the sides of a call are in it, and what a recorder groups is one level deeper.
        const MAX_MEMBER_DEPTH: usize = 4;
        // A request that is the record has members of its own, which say nothing of the call.
        if depth > MAX_MEMBER_DEPTH || node.kind() != NodeKind::Object || self.is_payload(node) {
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
                    self.read_members(item, side_named(&key).or(side), depth + 1);
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
pub(crate) fn plain(key: &str) -> String {
    key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the side that a key names: 0 for what was sent, 1 for what was received.
pub(crate) fn side_named(key: &str) -> Option<usize> {
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

pub(super) fn is_error_status(status: Node<'_>) -> bool {
    status.scalar_text().is_some_and(|text| text.starts_with(['4', '5']))
}

/// Returns an HTTP call of no model: a record with a method and an address.
pub(super) fn other_call(record: Node<'_>) -> Option<RecordedCall<'_>> {
    let mut call = RecordedCall::new(record, [None, None]);
    if let (Some(method), Some(status)) = (call.method, call.status) {
        let are_apart = method.parent().map(Node::id) != status.parent().map(Node::id);
        call.received = untyped_body(record, method, status).filter(|_| are_apart);
    }
    (record.kind() == NodeKind::Object && call.url.is_some() && call.method.is_some())
        .then_some(call)
}

/// Returns the body beside a status.
pub(super) fn untyped_body<'a>(
    record: Node<'a>,
    request: Node<'a>,
    status: Node<'a>,
) -> Option<Payload<'a>> {
    const NAMES: [&str; 10] = [
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
    let is_around = |node: &Node<'a>, inner: Node<'a>| {
        node.positions().contains(&(inner.id().number() as usize))
    };
    // The body is in the object of the status, or beside an object of it.
    let sides = status
        .ancestors()
        .skip(1)
        .take_while(|side| side.positions().start >= record.positions().start);
    let bodies = sides.flat_map(|side| side.items()).filter(|item| !is_around(item, request));
    let is_body = |item: &Node<'a>| {
        let key = plain(item.key().unwrap_or_default());
        // The status, and the object of it and the headers, is no body.
        item.kind() != NodeKind::Null && NAMES.contains(&&*key) && !is_around(item, status)
    };
    let node = bodies.into_iter().find(is_body)?;
    let (node, form) = untyped_form(node);
    Some(Payload { node, form, side: Side::Error, api: None })
}

pub(crate) fn untyped_form(node: Node<'_>) -> (Node<'_>, PayloadForm) {
    // `{kind, value}` and `{b64}` are wrappers of a body.
    let inner = ["value", "b64", "text", "string"]
        .iter()
        .find_map(|key| node.get(key))
        .filter(|_| !shapes::is_error(node));
    let node = inner.unwrap_or(node);
    let key = plain(node.key().unwrap_or_default());
    let form = match node.kind() {
        NodeKind::Object => PayloadForm::Tree,
        NodeKind::Array => {
            let texts: Vec<&str> = node.items().filter_map(Node::as_str).collect();
            PayloadForm::Lines(separator(&texts))
        }
        _ if key.ends_with("b64") || key.ends_with("base64") => PayloadForm::Base64,
        _ => PayloadForm::Text,
    };
    (node, form)
}
