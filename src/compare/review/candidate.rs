//! Facts about a take that has no partner by its path or content.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use super::Take;
use super::similarity::{hash, sketch_of};
use calls::reading::sent_calls;
use calls::tape::verify::ignore;
use document::recording::{Recording, Request};
use document::signature::SignatureText;
use document::text::natural_order;
use document::{Document, Node, NodeId};

/// Number of features of a text that are compared.
const MAX_FEATURES: usize = 64;
/// Maximum number of bytes of a text that are read for its features.
const MAX_READ_BYTES: usize = 64 * 1024;

/// A take that is paired by what it contains.
pub(super) struct PairCandidate {
    /// Its place among the takes of its side.
    pub(super) at: usize,
    pub(super) path: Arc<str>,
    pub(super) folder: Box<str>,
    /// Hash of messages, offered tools and system prompt, without ids and times; `None` without a request.
    pub(super) request: Option<u64>,
    /// Hash of the signature, stored or computed.
    pub(super) signature: Option<u64>,
    /// Whether the signature is stored in the file.
    pub(super) has_signature: bool,
    /// When it was requested, in milliseconds since 1970 (UTC).
    pub(super) time: Option<i64>,
    /// Features of the request; of the whole file without one.
    pub(super) features: Vec<u64>,
    /// Features of the answer.
    pub(super) answer: Vec<u64>,
}

impl PairCandidate {
    pub(super) fn new(at: usize, take: &Take) -> Self {
        let full_document = take.read();
        let call = sent_calls(&full_document).into_iter().next();
        let document = call.map_or(Cow::Borrowed(&full_document), |call| call.document);
        let (recording, request) = (document.body.recording(), document.body.request());
        let own_features = match request {
            Some(request) => features(&document, parts(request)),
            None => features(&document, document.tree.root().map(Node::id)),
        };
        let answer = recording.and_then(|recording| recording.answer.as_ref());
        Self {
            at,
            path: Arc::clone(&take.path),
            folder: take.folder().into(),
            request: request.map(|request| request_hash(&document, request)),
            signature: signature(recording, request),
            has_signature: recording.is_some_and(|recording| recording.signature.is_some()),
            time: time(recording, request, take.file_name()),
            features: own_features,
            answer: features(&document, answer.map(|answer| answer.node)),
        }
    }

    /// Compares by time, then by name.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.time.cmp(&other.time).then_with(|| natural_order(&self.path, &other.path))
    }

    /// Returns how similar two answers are, from 0 to 16.
    pub(super) fn answer_similarity(&self, other: &Self) -> i64 {
        let most = self.answer.len().max(other.answer.len());
        let is_shared = |feature: &&u64| other.answer.binary_search(feature).is_ok();
        // Two takes without an answer are alike.
        (self.answer.iter().filter(is_shared).count() * 16).checked_div(most).unwrap_or(16) as i64
    }
}

/// Returns the hash of the request of a take with one call, as [`PairCandidate::request`]; `None` of other takes.
pub(super) fn only_request(take: &Take) -> Option<u64> {
    let document = take.read();
    let mut calls = sent_calls(&document).into_iter();
    // In a file with several calls, no single request identifies the file.
    let call = calls.next().filter(|_| calls.next().is_none())?;
    Some(request_hash(&call.document, call.document.body.request()?))
}

/// Returns the parts of a request that the model receives.
fn parts(request: &Request) -> impl Iterator<Item = NodeId> {
    let prompt = request.system_prompt.iter().map(|prompt| prompt.node);
    let messages = request.messages.iter().map(|message| message.node);
    let tools = request.tools.iter().map(|tool| tool.node);
    prompt.chain(messages).chain(tools)
}

fn request_hash(document: &Document, request: &Request) -> u64 {
    let sketch = |node: NodeId| sketch_of(document.node(node));
    let prompt = request.system_prompt.as_ref().map(|prompt| sketch(prompt.node));
    let messages: Vec<u64> = request.messages.iter().map(|message| sketch(message.node)).collect();
    // Signatures sort the tools, so their order says nothing.
    let mut tools: Vec<u64> = request.tools.iter().map(|tool| sketch(tool.node)).collect();
    tools.sort_unstable();
    hash((prompt, messages, tools))
}

fn signature(recording: Option<&Recording>, request: Option<&Request>) -> Option<u64> {
    let signature = match recording {
        Some(recording) => SignatureText::of_recording(recording),
        None => SignatureText::of_request(request?),
    };
    Some(hash(signature))
}

/// When the request was sent: as noted there, in the file's name (`req-1764753074326-1.json`), or as recorded.
fn time(recording: Option<&Recording>, request: Option<&Request>, name: &str) -> Option<i64> {
    let parsed = |text: &String| Some(text.parse::<jiff::Timestamp>().ok()?.as_millisecond());
    let sent = request.and_then(|request| request.timestamp.as_ref());
    let recorded = recording.and_then(|recording| recording.recorded_at.as_ref());
    let name = || {
        // Milliseconds since 1970 have 13 digits from 2001 to 2286.
        name.split(|c: char| !c.is_ascii_digit()).find(|number| number.len() == 13)?.parse().ok()
    };
    sent.and_then(|sent| parsed(&sent.value))
        .or_else(name)
        // Last, since answers of simultaneous requests may come in another order.
        .or_else(|| recorded.and_then(|recorded| parsed(&recorded.value)))
}

/// Returns the texts and numbers of these values, without ids and times.
fn text(document: &Document, nodes: impl IntoIterator<Item = NodeId>) -> String {
    let mut text = String::new();
    for node in nodes {
        for part in document.tree.nodes_at(document.node(node).positions()) {
            if text.len() > MAX_READ_BYTES {
                return text;
            }
            let is_noise = |key| ignore::names_id(key) || ignore::names_date(key);
            if let (Some(scalar), false) = (part.scalar_text(), part.key().is_some_and(is_noise)) {
                text.push_str(&ignore::masked(scalar).0);
                text.push(' ');
            }
        }
    }
    text
}

/// Returns a sample of the word triples in these values: mostly the same where the texts are similar. Sorted.
fn features(document: &Document, nodes: impl IntoIterator<Item = NodeId>) -> Vec<u64> {
    const WORDS_PER_FEATURE: usize = 3;
    let text = text(document, nodes);
    let words: Vec<&str> = text.split_whitespace().collect();
    // A text of one or two words is a feature as a whole.
    let mut features: Vec<u64> =
        words.windows(words.len().clamp(1, WORDS_PER_FEATURE)).map(hash).collect();
    features.sort_unstable();
    features.dedup();
    // The least hashes are a sample that similar texts share wherever they differ; the first words would not be.
    features.truncate(MAX_FEATURES);
    features
}
