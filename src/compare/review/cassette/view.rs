//! A recorded call with its bodies decoded, so that two can be compared.

use std::cell::OnceCell;
use std::collections::HashMap;

use ::calls::json::Json;
use ::calls::reading::{self, all_calls};
use ::calls::source::sha256_hex;
use document::address::WrittenAddress;
use document::body::form_parts;
use document::call::{BodyContent, BodyForm, HttpBody, ModelCall};
use document::cassette::Interaction;
use document::edit::JsonValue;
use document::json::{self, JsonLayout};
use document::text::{Source, counted};
use document::{Document, FileKind, Node, NodeId, NodeKind, Tree};

/// A recorded call.
pub(super) struct CallView<'d> {
    pub(super) interaction: Interaction<'d>,
    /// Its place among the calls of the file, from 1.
    pub(super) number: usize,
    pub(super) call: ModelCall<'d>,
    pub(super) request: BodyView<'d>,
    pub(super) response: BodyView<'d>,
    assembled: OnceCell<Option<BodyJson>>,
}

/// One of the two messages of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodySide {
    Request,
    Response,
}

impl BodySide {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Request => Self::Response,
            Self::Response => Self::Request,
        }
    }
}

/// A body without its layers.
pub(super) struct BodyView<'d> {
    /// The value of the file that holds it.
    pub(super) node: Option<Node<'d>>,
    pub(super) content: BodyParts,
    /// Whether single values can be written into it.
    pub(super) is_editable: bool,
}

/// Content of a body.
pub(super) enum BodyParts {
    Empty,
    Json(BodyJson),
    /// The answer that a stream assembles to, with `id`, `model`, `content`, `stop_reason` and `usage`.
    Answer(BodyJson),
    /// A text, as a value.
    Text(BodyJson),
    /// The parts of a form by their names, without the boundary between them.
    Form(BodyJson),
    /// Bytes that are no text, described by a text.
    Bytes(BodyJson),
}

impl BodyParts {
    pub(super) fn is_form(&self) -> bool {
        matches!(self, Self::Form(_))
    }
}

/// The JSON of a body. Texts in it that are JSON are values as well, such as the arguments of tool calls.
pub(super) struct BodyJson {
    tree: Tree,
    /// Before texts became values.
    written: Option<Tree>,
    /// The values that are texts in the body, in rising order.
    nested: Vec<NodeId>,
    /// The pointer of the body in the file, with `#` if it is in a text.
    prefix: String,
}

impl<'d> CallView<'d> {
    /// Reads all calls of a cassette; `None` if it is none.
    pub(super) fn read_all(document: &'d Document) -> Option<Vec<Self>> {
        if document.kind() != FileKind::Cassette {
            return None;
        }
        let calls = all_calls(document)
            .into_iter()
            .zip(1..)
            .map(|(call, number)| Self::read(document, number, call));
        calls.collect()
    }

    /// Reads one of the calls; `None` without an HTTP side, which the fixtures of some players do not have.
    pub(super) fn read(document: &'d Document, number: usize, call: ModelCall<'d>) -> Option<Self> {
        let interaction = Interaction::parse(document.node(call.node))?;
        let http = call.facts.http.as_ref();
        let [request, response] = [
            http.and_then(|http| http.request_body.as_ref()),
            http.and_then(|http| http.response_body.as_ref()),
        ];
        Some(Self {
            interaction,
            number,
            request: BodyView::new(document, request, None),
            response: BodyView::new(document, response, Some(&call)),
            call,
            assembled: OnceCell::new(),
        })
    }

    /// Returns the body of one of its messages.
    pub(super) fn body(&self, side: BodySide) -> &BodyView<'d> {
        match side {
            BodySide::Request => &self.request,
            BodySide::Response => &self.response,
        }
    }

    /// Returns the values that are compared apart: its bodies and its headers.
    pub(super) fn compared_apart(&self) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let headers = self.interaction.header_values().into_iter().flatten();
        self.interaction.body_values().into_iter().flatten().chain(headers)
    }

    /// Returns the answer as a stream of it would be compared, for one that is compared with a stream.
    pub(super) fn assembled(&self) -> Option<&BodyJson> {
        let assemble = || {
            let node = self.response.node?;
            answer(&self.call, format!("{}#", node.pointer()))
        };
        self.assembled.get_or_init(assemble).as_ref()
    }
}

impl<'d> BodyView<'d> {
    fn new(document: &'d Document, body: Option<&HttpBody>, call: Option<&ModelCall<'_>>) -> Self {
        let Some(body) = body else {
            return Self { node: None, content: BodyParts::Empty, is_editable: false };
        };
        let node = document.node(body.node);
        let (at, within) = (node.pointer(), format!("{}#", node.pointer()));
        let is_stream = matches!(body.form, BodyForm::Events | BodyForm::EventStream);
        let streamed = || Some(BodyParts::Answer(answer(call?, within.clone())?));
        let parts = match &body.content {
            BodyContent::Text(text) => form(text.text().as_bytes(), &within),
            BodyContent::Bytes(bytes) => form(bytes, &within),
            BodyContent::Tree(_) => None,
        };
        let parts = parts.filter(|_| body.form == BodyForm::Multipart);
        let content = match &body.content {
            _ if let Some(parts) = parts => BodyParts::Form(parts),
            // A stream is stored as the list of its events.
            BodyContent::Tree(tree)
                if document.node(*tree).kind() == NodeKind::Array
                    && let Some(answer) = streamed() =>
            {
                answer
            }
            BodyContent::Tree(tree) => {
                let value = json::write(document.node(*tree), JsonLayout::Spaced);
                let json = BodyJson::parse(&value, at.clone()).map(BodyParts::Json);
                json.unwrap_or_else(|| BodyParts::Text(BodyJson::text(&value, at)))
            }
            BodyContent::Text(text) if text.text().is_empty() => BodyParts::Empty,
            BodyContent::Text(text) => {
                let json = BodyJson::parse(text.text(), within.clone()).filter(|_| !is_stream);
                // Gemini streams a list of events.
                let is_list = json.as_ref().is_some_and(BodyJson::is_list);
                streamed()
                    .filter(|_| is_stream || is_list)
                    .or_else(|| json.map(BodyParts::Json))
                    // Lines of JSON, an event each.
                    .or_else(streamed)
                    .unwrap_or_else(|| BodyParts::Text(BodyJson::text(text.text(), at)))
            }
            BodyContent::Bytes(bytes) => {
                let described = || BodyParts::Bytes(BodyJson::text(&description(bytes), at));
                streamed().unwrap_or_else(described)
            }
        };
        let is_packed = !body.layers.is_empty();
        let is_writable =
            body.fault.is_none() && !body.is_inside && document.syntax.has_editable_values();
        Self {
            is_editable: is_writable
                && match content {
                    BodyParts::Json(_) => {
                        matches!(body.content, BodyContent::Tree(_)) || node.as_str().is_some()
                    }
                    BodyParts::Text(_) => !is_packed && node.as_str().is_some(),
                    BodyParts::Empty
                    | BodyParts::Answer(_)
                    | BodyParts::Form(_)
                    | BodyParts::Bytes(_) => false,
                },
            node: Some(node),
            content,
        }
    }

    /// Returns its content as a value, if it has some.
    pub(super) fn json(&self) -> Option<&BodyJson> {
        match &self.content {
            BodyParts::Json(json)
            | BodyParts::Answer(json)
            | BodyParts::Text(json)
            | BodyParts::Form(json)
            | BodyParts::Bytes(json) => Some(json),
            BodyParts::Empty => None,
        }
    }
}

/// Returns whether a call reports what a program does to a service that collects such reports.
pub(super) fn is_telemetry(view: &CallView<'_>) -> bool {
    let address = view.interaction.uri().split(['?', '#']).next().unwrap_or_default();
    reading::is_telemetry(WrittenAddress::split(address).host, address)
}

/// Describes bytes that are no text.
fn description(bytes: &[u8]) -> String {
    let hash = &sha256_hex(bytes)[..8];
    let size = counted(bytes.len(), "byte", "bytes");
    format!("{size}, SHA-256 {hash}…")
}

/// Returns the parts of a multipart body as an object; `None` if it has none.
fn form(bytes: &[u8], prefix: &str) -> Option<BodyJson> {
    let mut members: Vec<(String, Json)> = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for [head, body] in form_parts(bytes) {
        let head = String::from_utf8_lossy(&bytes[head]);
        let value = |mark: &str| {
            let (_, rest) = head.split_once(mark)?;
            rest.split('"').next().map(str::to_owned)
        };
        // The mark begins with a blank, because `filename="` ends in the same way.
        let Some(name) = value(" name=\"") else { continue };
        let kind = head.lines().find_map(|line| {
            let (name, kind) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-type").then(|| kind.trim())
        });
        let body = &bytes[body];
        let body = std::str::from_utf8(body).map_or_else(|_| description(body), |t| t.to_owned());
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        // Fields of a form may repeat, members of an object may not.
        let name = match *count {
            1 => name,
            count => format!("{name} ({count})"),
        };
        let file = value("filename=\"");
        let part = if file.is_some() || kind.is_some() {
            let facts = [("filename", file.as_deref()), ("type", kind), ("content", Some(&*body))];
            Json::object(facts.into_iter().filter_map(|(key, text)| Some((key, Json::from(text?)))))
        } else {
            Json::from(body)
        };
        members.push((name, part));
    }
    if members.is_empty() {
        return None;
    }
    let members = members.iter().map(|(name, part)| (&**name, part.clone()));
    BodyJson::parse(Json::object(members).as_str(), prefix.to_owned())
}

/// Writes the answer of a call of a model in the shape of Anthropic's API, whatever API it is of.
fn answer(call: &ModelCall<'_>, prefix: String) -> Option<BodyJson> {
    call.answer()?;
    let response = call.document.tree.root()?.get("response")?;
    let within = response.get("response")?;
    let tokens =
        [("input_tokens", call.facts.input_tokens), ("output_tokens", call.facts.output_tokens)];
    let tokens = tokens.into_iter().filter_map(|(n, c)| Some((n, Json::raw(c?.to_string()))));
    let members = [
        response.get("requestId").map(|id| ("id", Json::from(id))),
        (call.facts.model.as_deref()).map(|model| ("model", Json::from(model))),
        within.get("content").map(|content| ("content", Json::from(content))),
        (within.get("stop_reason")).map(|reason| ("stop_reason", Json::from(reason))),
        Some(("usage", Json::object(tokens))),
    ];
    BodyJson::parse(Json::object(members.into_iter().flatten()).as_str(), prefix)
}

impl BodyJson {
    /// Parses a body; `None` if it is no list or object.
    fn parse(text: &str, prefix: String) -> Option<Self> {
        let written_tree = parse(text)?;
        let texts: Vec<Node<'_>> =
            written_tree.nodes().filter(|node| is_json_text(*node)).collect();
        if texts.is_empty() {
            return Some(Self { tree: written_tree, written: None, nested: Vec::new(), prefix });
        }
        let mut expanded = text.to_owned();
        // From the end, so that the spans in front stay valid.
        for node in texts.iter().rev() {
            expanded.replace_range(node.span().range(), node.as_str().unwrap_or_default());
        }
        let tree = parse(&expanded)?;
        let nested = texts.iter().filter_map(|node| Some(tree.at_pointer(&node.pointer())?.id()));
        let mut nested: Vec<NodeId> = nested.collect();
        nested.sort_unstable();
        Some(Self { tree, written: Some(written_tree), nested, prefix })
    }

    /// Returns a text as a value.
    fn text(text: &str, prefix: String) -> Self {
        Self {
            tree: json::parse(&Source::new(json::quote(text))).0,
            written: None,
            nested: Vec::new(),
            prefix,
        }
    }

    /// Returns the outermost value.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.tree.root()
    }

    fn is_list(&self) -> bool {
        let root = self.root();
        root.is_some_and(|root| root.kind() == NodeKind::Array)
    }

    /// Returns whether one of its values is a text in the body.
    pub(super) fn is_nested(&self, node: Node<'_>) -> bool {
        self.nested.binary_search(&node.id()).is_ok()
    }

    /// Returns the pointer of one of its values in the file, as edits have it.
    pub(super) fn pointer(&self, node: Node<'_>) -> String {
        match node.ancestors().skip(1).find(|parent| self.is_nested(*parent)) {
            Some(text) => {
                let outer = text.pointer();
                let inner = &node.pointer()[outer.len()..];
                format!("{}{outer}#{inner}", self.prefix)
            }
            None => format!("{}{}", self.prefix, node.pointer()),
        }
    }

    /// Returns one of its values as it is written: what is a text there is a text.
    pub(super) fn value(&self, node: Node<'_>) -> JsonValue {
        let positions = node.positions();
        let is_within = |id: &NodeId| positions.contains(&(id.number() as usize));
        let written_tree = self.written.as_ref().filter(|_| self.nested.iter().any(is_within));
        let written_node = written_tree.and_then(|tree| tree.at_pointer(&node.pointer()));
        JsonValue::from_node(written_node.unwrap_or(node))
    }
}

/// Returns whether a value is a text that is a list or an object as JSON.
fn is_json_text(node: Node<'_>) -> bool {
    let text = node.as_str().unwrap_or_default();
    // A number or a word is valid JSON as well, but meant as text; and most texts need not be parsed.
    text.trim_start().starts_with(['{', '[']) && parse(text).is_some()
}

/// Parses a list or an object in JSON; `None` for anything else, and if there is any fault in it.
fn parse(text: &str) -> Option<Tree> {
    let (tree, problems) = json::parse(&Source::new(text));
    let is_container = matches!(tree.root()?.kind(), NodeKind::Array | NodeKind::Object);
    (is_container && problems.is_empty() && tree.is_well_formed()).then_some(tree)
}
