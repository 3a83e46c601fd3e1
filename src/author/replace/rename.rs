//! Renames tools, nodes and models wherever a file refers to them.

use std::ops::Range;

use regex::Regex;

use document::cassette::{StoredBody, interactions};
use document::edit::{Edit, EditRefusal, JsonValue};
use document::recording::{MessageBlock, Request};
use document::session::Session;
use document::{Document, DocumentBody, Field, FileKind, Node, NodeId, Tree, json, text};
use machine::node_line;
use play::playback::fixes::rename_tool_edits;

/// Kind of thing that is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenameKind {
    /// A tool: where recordings and requests offer or call it, in the stored signature, and in tool responses and contracts.
    Tool,
    /// A node of a machine: in the context and the prompts of recordings and requests. A stamp describes its source and stays.
    Node,
    /// A model: of recordings, requests, tapes and seeds, and of the calls of cassettes and HTTP archives.
    Model,
}

/// A place with the old name.
pub(super) struct RenamedPlace {
    pub(super) node: NodeId,
    /// The part of the text that is the name, if it is not all of it.
    pub(super) part: Option<Range<usize>>,
    /// The new values: of the place, and for a sorted list of its other elements.
    pub(super) values: Vec<(NodeId, JsonValue)>,
}

impl RenamedPlace {
    fn whole(node: NodeId, to: &str) -> Self {
        Self { node, part: None, values: vec![(node, JsonValue::text(to))] }
    }

    fn part(node: NodeId, range: Range<usize>) -> Self {
        Self { node, part: Some(range), values: Vec::new() }
    }
}

/// Returns the places where a document names it.
pub(super) fn places(
    document: &Document,
    kind: RenameKind,
    from: &str,
    to: &str,
) -> Result<Vec<RenamedPlace>, EditRefusal> {
    match kind {
        RenameKind::Tool => tool(document, from, to),
        RenameKind::Node => Ok(node(document, from, to)),
        RenameKind::Model => {
            let mut places = whole(model(document), document, from, to);
            places.extend(model_in_calls(document, from, to));
            Ok(places)
        }
    }
}

/// Returns the places among these values that have the old name.
fn whole(
    nodes: impl IntoIterator<Item = NodeId>,
    document: &Document,
    from: &str,
    to: &str,
) -> Vec<RenamedPlace> {
    let is_named = |id: &NodeId| {
        let node = document.node(*id);
        // The text of an alias is changed where it is written.
        !node.is_alias() && node.as_str() == Some(from)
    };
    nodes.into_iter().filter(is_named).map(|node| RenamedPlace::whole(node, to)).collect()
}

/// The list of the stored names of tools.
const STORED_TOOLS: &str = "/signature/toolNames/";

fn tool(document: &Document, from: &str, to: &str) -> Result<Vec<RenamedPlace>, EditRefusal> {
    match &document.body {
        DocumentBody::Recording(_) | DocumentBody::Request(_) => {
            let edits = rename_tool_edits(document, from, to)
                .map_err(|reason| EditRefusal { reason, place: offered(document, to) })?;
            Ok(of_edits(&document.tree, edits, from))
        }
        DocumentBody::Session(session) => Ok(whole(tools_of(session), document, from, to)),
        DocumentBody::Contract(contract) => {
            Ok(whole(named_tool(document.node(contract.node)), document, from, to))
        }
        DocumentBody::Config(config) => {
            let contract = config.contract.iter().flat_map(|c| named_tool(document.node(c.node)));
            let sessions = config.sessions.iter().flat_map(tools_of);
            Ok(whole(contract.chain(sessions), document, from, to))
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns where a request offers a tool.
fn offered(document: &Document, name: &str) -> document::text::Place {
    let mut tools = document.body.request().into_iter().flat_map(|request| &request.tools);
    let tool = tools.find(|tool| text(&tool.name) == Some(name));
    tool.map_or(document::text::Place::START, |tool| document.node(tool.node).place())
}

/// Turns edits into places. Those of the stored signature, which is sorted again, are one place.
fn of_edits(tree: &Tree, edits: Vec<Edit>, from: &str) -> Vec<RenamedPlace> {
    let mut places = Vec::new();
    let mut stored: Vec<(NodeId, JsonValue)> = Vec::new();
    for edit in edits {
        let Edit::Set { pointer, value } = edit else { continue };
        let Some(node) = tree.at_pointer(&pointer) else { continue };
        if pointer.starts_with(STORED_TOOLS) {
            stored.push((node.id(), value));
        } else {
            let values = vec![(node.id(), value)];
            places.push(RenamedPlace { node: node.id(), part: None, values });
        }
    }
    let list = tree.at_pointer(STORED_TOOLS.trim_end_matches('/'));
    let node = list.into_iter().flat_map(Node::items).find(|name| name.as_str() == Some(from));
    if let Some(renamed_node) = node.filter(|_| !stored.is_empty()) {
        places.push(RenamedPlace { node: renamed_node.id(), part: None, values: stored });
    }
    places
}

fn tools_of(session: &Session) -> impl Iterator<Item = NodeId> {
    session.tool_responses.iter().filter_map(|response| Some(response.tool.as_ref()?.node))
}

/// Returns the values of `tool` in a contract.
fn named_tool(contract: Node<'_>) -> impl Iterator<Item = NodeId> {
    let inside = contract.tree().nodes_at(contract.positions());
    inside.filter(|node| node.key() == Some("tool")).map(Node::id)
}

fn node(document: &Document, from: &str, to: &str) -> Vec<RenamedPlace> {
    let Some(request) = document.body.request() else { return Vec::new() };
    let current = request.current_node.iter().map(|field| field.node);
    let mut places = whole(current, document, from, to);
    for text in prompts(request) {
        let mut at = 0;
        while let Some(range) = node_line(&text.value[at..]) {
            let range = at + range.start..at + range.end;
            at = range.end;
            if &text.value[range.clone()] == from {
                places.push(RenamedPlace::part(text.node, range));
            }
        }
    }
    places
}

/// Returns the texts in which a client names the current node.
fn prompts(request: &Request) -> impl Iterator<Item = &Field<String>> {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let texts = blocks.filter_map(|block| match block {
        MessageBlock::Text(text) => Some(text),
        _ => None,
    });
    request.system_prompt.iter().chain(texts)
}

fn model(document: &Document) -> Vec<NodeId> {
    let at = |pointers: &[&str]| -> Vec<NodeId> {
        pointers.iter().filter_map(|at| document.tree.at_pointer(at)).map(Node::id).collect()
    };
    match &document.body {
        DocumentBody::Recording(_) => {
            // Flat recordings have the answer in `response`, others in `response.response`.
            at(&["/request/model", "/response/model", "/response/response/model"])
        }
        DocumentBody::Request(_) => at(&["/model"]),
        DocumentBody::Tape(_) => at(&["/meta/model", "/request/model"]),
        DocumentBody::Seeds(seeds) => {
            let trace = seeds.seeds.iter().map(|seed| &seed.model);
            let hash = seeds.hash_seeds.iter().map(|seed| &seed.model);
            trace.chain(hash).flatten().map(|field| field.node).collect()
        }
        _ => Vec::new(),
    }
}

/// The members of requests and answers that name a model.
// `modelVersion` is Gemini's, `modelId` Bedrock's.
const MODEL_MEMBERS: [&str; 5] = ["model", "modelVersion", "model_name", "modelId", "model_id"];

/// Returns the places in HTTP calls: in their bodies, as far as these are stored as values or texts, and in addresses.
fn model_in_calls(document: &Document, from: &str, to: &str) -> Vec<RenamedPlace> {
    // A member of a body, whose value may be text of JSON or of a stream; a step of a path such as `/models/NAME:generateContent`.
    let (name, step) = (regex::escape(&json::quote(from)), regex::escape(from));
    let member = format!(r#""(?:{})"\s*:\s*({name})"#, MODEL_MEMBERS.join("|"));
    // `deployments` is Azure's, `engines` that of OpenAI's first API.
    let path = format!(r"/(?:models?|deployments|engines)/({step})(?:[/:?]|$)");
    // An escaped name is always valid; only an extremely long one exceeds the limit of the engine.
    let (Ok(member), Ok(path)) = (Regex::new(&member), Regex::new(&path)) else {
        return Vec::new();
    };
    let parts = |node: Node<'_>, pattern: &Regex, quotes: usize| {
        let text = node.as_str().unwrap_or_default();
        let groups = pattern.captures_iter(text).filter_map(|found| found.get(1));
        let places =
            groups.map(|g| RenamedPlace::part(node.id(), g.start() + quotes..g.end() - quotes));
        places.collect::<Vec<_>>()
    };
    let (mut places, mut bodies) = (Vec::new(), Vec::new());
    match document.kind() {
        FileKind::Cassette => {
            for call in interactions(&document.tree) {
                let address = call.address();
                places.extend(address.into_iter().flat_map(|node| parts(node, &path, 0)));
                bodies.extend([call.request_body(), call.response_body()]);
            }
        }
        FileKind::Har => {
            let entries = document.tree.at_pointer("/log/entries");
            for entry in entries.into_iter().flat_map(Node::items) {
                let at = |keys: [&str; 3]| keys.iter().try_fold(entry, |node, key| node.get(key));
                let address = entry.get("request").and_then(|request| request.get("url"));
                places.extend(address.into_iter().flat_map(|node| parts(node, &path, 0)));
                bodies.extend(at(["request", "postData", "text"]).map(StoredBody::Text));
                bodies.extend(at(["response", "content", "text"]).map(StoredBody::Text));
            }
        }
        _ => {}
    }
    while let Some(body) = bodies.pop() {
        match body {
            StoredBody::Tree(node) => {
                let nodes = document.tree.nodes_at(node.positions());
                let models = nodes.filter(|node| MODEL_MEMBERS.contains(&node.key().unwrap_or("")));
                places.extend(whole(models.map(Node::id), document, from, to));
            }
            StoredBody::Text(node) | StoredBody::JsonText(node) if !node.is_alias() => {
                places.extend(parts(node, &member, 1));
            }
            StoredBody::Parts(_, parts) => bodies.extend(parts),
            _ => {}
        }
    }
    places
}
