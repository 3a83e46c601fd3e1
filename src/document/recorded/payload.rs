//! Requests and answers as recorders store them: as values, as JSON in a text, as a stream in text, lines, pieces or values, in Base64.

use std::borrow::Cow;

use super::super::body::{BodyHeaders, decode_base64, event_stream, read_body};
use super::super::call::{BodyContent, StoredBody};
use super::super::found_calls::{ApiShape, PayloadAt, PayloadForm, Side};
use super::super::tree::{Node, NodeKind, Tree};
use super::super::{json, parts, shapes};
use crate::text::Source;

pub type Payload<'a> = PayloadAt<Node<'a>>;

impl<'a> Payload<'a> {
    /// Returns the payload as a body.
    pub fn stored(self) -> StoredBody<'a> {
        let lines =
            |items: Vec<Node<'a>>, separator| StoredBody::Lines(self.node, items, separator);
        match self.form {
            PayloadForm::Tree => StoredBody::Tree(own_value(self.node)),
            PayloadForm::Text => StoredBody::Text(self.node),
            PayloadForm::Base64 => StoredBody::Base64(self.node),
            PayloadForm::Lines(separator) => {
                lines(self.node.items().filter_map(piece).collect(), separator)
            }
            PayloadForm::Frames { first, count } => {
                let frames = self.node.items().skip(first).take(count);
                lines(frames.filter_map(|frame| frame.get("body")).collect(), "\n")
            }
            PayloadForm::Pieces => {
                let pieces = self.node.items().filter_map(piece);
                StoredBody::Parts(self.node, pieces.map(StoredBody::Base64).collect())
            }
            PayloadForm::Inside { start, end } => StoredBody::Inside(self.node, start..end),
        }
    }

    pub(super) fn is_request(&self) -> bool {
        self.side == Side::Request
    }

    /// Returns the request whose members are in the same object as those of this answer.
    pub(super) fn request_beside(self) -> Option<Self> {
        let api = shapes::of_request(self.node).filter(|_| self.side == Side::Answer)?;
        Some(Self { side: Side::Request, api: Some(api), ..self })
    }

    /// Returns whether only an answer inside of it would show that it is a request.
    pub(super) fn is_vague(&self) -> bool {
        self.is_request()
            && self.form == PayloadForm::Tree
            && !shapes::may_be_request(own_value(self.node))
    }

    /// Returns whether two payloads of a record are the same one, such as an answer as it was received and as it was put together.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.side == other.side
            && self.values().zip(other.values()).is_some_and(|(a, b)| {
                a == b
                    || !self.is_request()
                        && answer_id(&a).is_some_and(|id| answer_id(&b) == Some(id))
            })
    }

    /// Returns whether this request has an input of which only the answer shows that it is one of a conversation.
    pub(super) fn is_vague_input(&self) -> bool {
        let has_input = || match self.text() {
            Some(text) => text.contains("\"input\""),
            None => own_value(self.node).get("input").is_some(),
        };
        self.api.is_none() && has_input()
    }

    /// Returns the text of a payload that is stored as one.
    fn text(&self) -> Option<String> {
        match read_body(self.stored(), &BodyHeaders::default())?.content {
            BodyContent::Text(text) => Some(text.text().to_owned()),
            BodyContent::Bytes(_) | BodyContent::Tree(_) => None,
        }
    }

    /// Returns its value; of a stream the first event.
    fn values(&self) -> Option<serde_json::Value> {
        let text = match self.text() {
            Some(text) => Cow::Owned(text),
            None => json::text(own_value(self.node)),
        };
        let start = text.find(['{', '[']).filter(|_| !self.is_request()).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter();
        values.next()?.ok()
    }
}

/// Returns the id that an API gives to an answer, which each event of it repeats or the first has.
fn answer_id(answer: &serde_json::Value) -> Option<&str> {
    let first = answer.get(0).unwrap_or(answer);
    let holders = [Some(first), first.get("message"), first.get("response")];
    let ids =
        holders.into_iter().flatten().filter_map(|node| node.get("id").or(node.get("responseId")));
    ids.filter_map(|id| id.as_str()).find(|id| !id.is_empty())
}

/// Returns a conversation without a model or a setting, which is a request if its answer is in the same object.
pub(super) fn vague_request(node: Node<'_>) -> Option<Payload<'_>> {
    let is_conversation = shapes::has_messages(node) && node.len() > 1;
    let form = PayloadForm::Tree;
    is_conversation.then_some(Payload { node, form, side: Side::Request, api: None })
}

/// Returns whether a value is an answer of an API, however it is stored.
pub(crate) fn is_answer(node: Node<'_>) -> bool {
    payload(node).is_some_and(|payload| payload.side == Side::Answer)
}

/// Returns the payload that is this value.
pub(crate) fn payload(node: Node<'_>) -> Option<Payload<'_>> {
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
            let (found, form) = of_list(node)?;
            Some(new(found, form))
        }
        _ => None,
    }
}

/// A side of a call, and the API that shows it if one does.
type FoundSide = (Side, Option<ApiShape>);

/// Returns what a list of events, lines or pieces is.
fn of_list(list: Node<'_>) -> Option<(FoundSide, PayloadForm)> {
    let first = list.items().find(|item| item.as_str() != Some(""))?;
    if first.kind() == NodeKind::Object && is_stream(list) {
        let api = list.items().find_map(|event| shapes::of_event(event_value(event)));
        return Some(((Side::Answer, api), PayloadForm::Tree));
    }
    // The only object of a list is a record, whose members are looked at alone.
    if first.kind() == NodeKind::Object && list.len() == 1 {
        return None;
    }
    let pieces: Vec<&str> =
        list.items().map(|item| piece(item)?.as_str()).collect::<Option<_>>()?;
    if pieces.iter().find(|text| !text.is_empty()).is_some_and(|text| is_line(text)) {
        // A text that is cut at any place has nothing between its pieces.
        return [separator(&pieces), ""].into_iter().find_map(|separator| {
            let found = side_of_text(&pieces.join(separator))?;
            Some((found, PayloadForm::Lines(separator)))
        });
    }
    if !pieces.iter().all(|text| is_base64(text)) {
        return None;
    }
    let bytes: Vec<Vec<u8>> = pieces.iter().filter_map(|text| decode_base64(text)).collect();
    side_of_bytes(&bytes.concat()).map(|found| (found, PayloadForm::Pieces))
}

/// Returns the value that an SDK's dump of a type holds, or the value itself.
pub fn own_value(node: Node<'_>) -> Node<'_> {
    node.get("__data__").filter(|_| node.get("__type__").is_some()).unwrap_or(node)
}

/// Returns the event in an element of a stream: the element, or the value beside its time, name or number.
pub fn event_value(element: Node<'_>) -> Node<'_> {
    let event = own_value(element);
    if event.kind() != NodeKind::Object || shapes::of_event(event).is_some() {
        return event;
    }
    let is_event =
        |item: Node<'_>| item.kind() == NodeKind::Object && shapes::of_event(item).is_some();
    wrapped(event, is_event).unwrap_or(event)
}

/// Returns the member that is the content of a small object around it.
fn wrapped<'a>(object: Node<'a>, is_content: impl Fn(Node<'a>) -> bool) -> Option<Node<'a>> {
    /// A record of a call has more members than an event, its name, its time and its number.
    const MAX_MEMBERS: usize = 4;
    /// The members that only the record of an answer has.
    const OF_RECORDS: [&str; 6] =
        ["status", "status_code", "statusCode", "headers", "url", "method"];
    let (mut contents, others): (Vec<Node<'a>>, Vec<Node<'a>>) =
        object.items().partition(|item| is_content(*item));
    let is_mark = |item: &Node<'_>| {
        let text = item.scalar_text();
        text.is_some_and(|text| {
            text.len() < 64 && !OF_RECORDS.contains(&item.key().unwrap_or_default())
        })
    };
    (object.len() <= MAX_MEMBERS && contents.len() == 1 && others.iter().all(is_mark))
        .then(|| contents.pop())?
}

fn side_of(node: Node<'_>) -> Option<FoundSide> {
    let value = own_value(node);
    if let Some(api) = shapes::of_answer(value) {
        return Some((Side::Answer, Some(api)));
    }
    if shapes::may_be_request(value) {
        return Some((Side::Request, shapes::of_request(value)));
    }
    shapes::is_error_of_api(value).then_some((Side::Error, None))
}

/// Returns whether a list has the events of a stream.
fn is_stream(list: Node<'_>) -> bool {
    let is_event = |element: &Node<'_>| shapes::of_event(event_value(*element)).is_some();
    // Providers put events of their own between those of an API.
    let first_events: Vec<Node<'_>> = list.items().take(4).filter(is_event).collect();
    let Some(first) = first_events.first() else { return false };
    // All events are under the same key, if a recorder wrote something beside them.
    let key = event_value(*first).key().filter(|_| shapes::of_event(own_value(*first)).is_none());
    let is_part = |element: Node<'_>| {
        let part = key.map_or(Some(own_value(element)), |key| element.get(key));
        part.is_some_and(|part| shapes::is_object(part) && !shapes::may_be_request(part))
    };
    first_events.len() * 2 >= list.len().min(4)
        && list.items().all(is_part)
        // One value in an object is more likely an answer than a stream.
        && (list.len() > 1 || key.is_none())
        // Of some APIs an event has the shape of a whole answer; several that end are several answers.
        && list.items().filter(|event| shapes::is_end(event_value(*event))).count() <= 1
}

/// Returns whether a text begins as JSON or as an event does.
fn is_line(text: &str) -> bool {
    let text = text.trim_start();
    ["data:", "event:", "id:", "retry:", "{", "[", ":"].iter().any(|start| text.starts_with(start))
}

/// Returns what divides the texts of a list: nothing if they have their line ends, an empty line if each is an event, else a line end.
pub(super) fn separator(pieces: &[&str]) -> &'static str {
    let texts = || pieces.iter().filter(|text| !text.is_empty());
    if texts().any(|text| text.ends_with('\n')) {
        ""
    } else if pieces.contains(&"") || texts().any(|text| text.starts_with('{')) {
        "\n"
    } else if texts().any(|text| text.starts_with("event:") && text.contains("\ndata:"))
        || texts().all(|text| text.starts_with("data:"))
    {
        "\n\n"
    } else {
        "\n"
    }
}

/// Returns the text of a piece of a stream: the piece itself, or a text in a small object.
fn piece(node: Node<'_>) -> Option<Node<'_>> {
    if node.as_str().is_some() {
        return Some(node);
    }
    // A record has more members.
    const MAX_MEMBERS: usize = 3;
    let named = ["b64", "data", "bytes", "chunk", "raw", "text"].iter().find_map(|key| {
        let is_alone = || *key == "b64" || node.items().all(|item| item.scalar_text().is_some());
        let value = node.get(key).filter(|value| value.as_str().is_some());
        value.filter(|_| node.len() <= MAX_MEMBERS && is_alone())
    });
    named.or_else(|| wrapped(node, |item| item.as_str().is_some_and(is_line)))
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

fn side_of_bytes(bytes: &[u8]) -> Option<FoundSide> {
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
fn side_of_text(text: &str) -> Option<FoundSide> {
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

fn side_of_events(tree: &Tree) -> Option<FoundSide> {
    let root = tree.root()?;
    // A request and its answer may be lines as well.
    if root.items().next().is_some_and(|first| shapes::of_request(own_value(first)).is_some()) {
        return None;
    }
    let mut apis = root.items().take(8).filter_map(|event| shapes::of_event(event_value(event)));
    // Several whole answers in lines may be of several APIs.
    let api = apis.next().filter(|first| apis.all(|api| api == *first));
    let ends = root.items().filter(|event| shapes::is_end(event_value(*event))).count();
    api.filter(|_| ends <= 1).map(|api| (Side::Answer, Some(api)))
}
