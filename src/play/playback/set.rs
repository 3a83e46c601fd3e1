//! The recordings of one folder, in the order in which a client loads them.

use std::hash::{BuildHasher as _, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use jiff::Timestamp;

use super::PlayedRequest;
use super::comparison::{ClientComparison, TypeError, is_nothing, is_truthy, property};
use super::listing::ClientListing;
use calls::Pool;
use calls::reading::named_calls;
use compare::signature::{MatchingSide, MatchingSideKind};
use document::call::ModelCall;
use document::files::file_name;
use document::recording::{RecordedAnswer, Recording};
use document::signature::{Signature, utf16_order};
use document::time::parse_time;
use document::{Document, Node, NodeKind, text};

/// Bytes of an answer's text after which no further word is kept.
const MAX_WORDS: usize = 120;

/// The recordings of one folder.
#[derive(Clone, Debug, Default)]
pub struct RecordingSet {
    /// Its folder, as given; the file, if the set is the calls in one.
    pub folder: Arc<str>,
    /// Whether the set is the calls in one file. No client loads such a set, so verdicts are only by DyGram's rules, and no recording
    /// of it can be changed.
    pub is_file: bool,
    /// In the order in which clients load them: by the UTF-16 code units of the files' names.
    pub recordings: Vec<SetRecording>,
    /// Files that clients warn about and skip.
    pub skipped: Vec<SkippedFile>,
}

/// A file of a set that is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its path as given, joined with `/`.
    pub path: Arc<str>,
    /// Reason of the client, as a sentence without a full stop.
    pub reason: Arc<str>,
}

/// A recording of a set.
#[derive(Clone, Debug)]
pub struct SetRecording {
    /// Its path as given, joined with `/`.
    pub path: Arc<str>,
    /// Its `requestId`.
    pub id: Option<Arc<str>>,
    /// The node where it was recorded, from its context or its prompt.
    pub node: Option<Arc<str>>,
    /// Its stored and computed signatures, for a side-by-side comparison.
    pub matching: MatchingSide,
    /// Its request, to play it again; `None` for a file that is not a recording.
    pub request: Option<Arc<PlayedRequest>>,
    /// The tools that its answer calls in order.
    pub calls: Box<[Arc<str>]>,
    /// The first words of its answer's text; empty if it has none.
    pub words: Box<str>,
    /// Whether the words are those of the answer, not a description of its error.
    pub is_quote: bool,
    /// When its answer was received, as recorded; else when it was recorded.
    pub answered: Option<Timestamp>,
    /// Its source, from the stamp.
    pub source: Option<Arc<str>>,
    /// Whether it is of a model: a cassette has other HTTP calls beside.
    pub is_of_model: bool,
    /// Result of serving it.
    pub response: ResponseShape,
    /// Properties that a client compares, or the error that it fails with.
    pub comparison: ClientComparison,
    /// Whether the compared signature is stored, not computed.
    pub is_stored: bool,
    /// Entry of the recording in the client's error, or the client's failure there; `None` if it is that of [`Self::signature`].
    pub(super) listing: Option<Box<Result<ClientListing, TypeError>>>,
    /// Hash of its answer, without ids of tool calls.
    pub(super) answer_hash: u64,
}

/// Kind of value that a client returns when it serves a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResponseShape {
    Answer,
    /// Nothing: the answer is `undefined` or `null` where players expect it.
    Undefined,
    /// The client fails because something it reads is missing.
    Breaks(TypeError),
}

impl RecordingSet {
    /// Creates a set from the files of a folder, given in any order.
    pub fn new(
        folder: &str,
        files: impl IntoIterator<Item = Result<SetRecording, SkippedFile>>,
    ) -> Self {
        let mut set = Self { folder: folder.into(), ..Self::default() };
        files.into_iter().for_each(|file| set.push(file));
        // Clients load in the order of JavaScript's `sort()`: `turn-10` before `turn-2`.
        let by_name = |a: &Arc<str>, b: &Arc<str>| utf16_order(file_name(a), file_name(b));
        set.recordings.sort_by(|a, b| by_name(&a.path, &b.path));
        set.skipped.sort_by(|a, b| by_name(&a.path, &b.path));
        set
    }

    /// Returns the name of what answers: the recordings of a folder, or the file of calls.
    pub fn noun(&self) -> &'static str {
        if self.is_file { "Cassette" } else { "Recordings" }
    }

    /// Creates a set from the calls in a file, in their order; `None` if there are none, or the file is itself a call.
    pub fn from_calls(path: &Arc<str>, document: &Document, pool: &Pool) -> Option<Self> {
        Self::from_named_calls(path, named_calls(path, document), pool)
    }

    /// Creates a set from the calls in a file with their names.
    pub fn from_named_calls(
        path: &Arc<str>,
        calls: Vec<(Arc<str>, ModelCall<'_>)>,
        pool: &Pool,
    ) -> Option<Self> {
        // Such a file is a recording in the set of its folder, not a set of its own.
        if calls.first()?.1.is_file() {
            return None;
        }
        let mut set = Self { folder: Arc::clone(path), is_file: true, ..Self::default() };
        for (path, call) in calls {
            set.push(match call.failure() {
                Some(failure) => Err(SkippedFile { path, reason: failure.to_string().into() }),
                None => SetRecording::read(path, &call.document, pool),
            });
        }
        Some(set)
    }

    fn push(&mut self, read: Result<SetRecording, SkippedFile>) {
        match read {
            Ok(recording) => self.recordings.push(recording),
            Err(skipped) => self.skipped.push(skipped),
        }
    }
}

impl SetRecording {
    /// Reads a file of a set.
    ///
    /// # Errors
    ///
    /// Returns why clients skip it: they accept every file that is valid JSON.
    pub fn read(path: Arc<str>, document: &Document, pool: &Pool) -> Result<Self, SkippedFile> {
        if let Some(reason) = parse_error(document) {
            return Err(SkippedFile { path, reason });
        }
        let root = document.tree.root();
        let (comparison, is_stored) = ClientComparison::from_recording(root, pool);
        let set_recording = Self {
            response: response_shape(root).unwrap_or_else(ResponseShape::Breaks),
            comparison,
            is_stored,
            answer_hash: hash_answer(document),
            ..Self::blank(path)
        };
        // Any valid JSON takes a place in the client's list, so a file that is no recording stays in the set.
        let mut set_recording = match document.body.recording() {
            Some(recording) => set_recording.with_recording(recording, pool),
            None => set_recording,
        };
        let listing = ClientListing::from_recording(root, pool);
        // Stored only where it differs: nearly every recording of a large set is listed by its signature.
        if listing != Ok(set_recording.plain_listing()) {
            set_recording.listing = Some(Box::new(listing));
        }
        Ok(set_recording)
    }

    /// Returns a recording of which only the path is known.
    pub(super) fn blank(path: Arc<str>) -> Self {
        Self {
            path,
            id: None,
            node: None,
            matching: MatchingSide {
                kind: MatchingSideKind::Recording,
                stored: None,
                computed: Signature::default(),
            },
            request: None,
            calls: Box::default(),
            words: Box::default(),
            is_quote: true,
            answered: None,
            source: None,
            is_of_model: true,
            response: ResponseShape::Undefined,
            comparison: ClientComparison::Breaks(TypeError::NONE_SELECTED),
            is_stored: false,
            listing: None,
            answer_hash: 0,
        }
    }

    /// Returns how the client lists it in its error.
    ///
    /// # Errors
    ///
    /// Returns the error of the client instead.
    pub(super) fn listing(&self) -> Result<ClientListing, TypeError> {
        self.listing.as_deref().cloned().unwrap_or_else(|| Ok(self.plain_listing()))
    }

    /// Returns the error of the client when it lists this recording, if it fails there.
    pub(super) fn listing_error(&self) -> Option<TypeError> {
        self.listing.as_deref()?.as_ref().err().copied()
    }

    fn plain_listing(&self) -> ClientListing {
        let own = self.signature();
        ClientListing {
            // A template literal of JavaScript prints a missing value like this.
            id: self.id.as_deref().unwrap_or("undefined").to_owned(),
            tools: own.tool_names.join(", "),
            messages: own.message_count.to_string(),
        }
    }

    fn with_recording(self, recording: &Recording, pool: &Pool) -> Self {
        let keep = |text: &str| pool.text(text);
        let source = recording.source.as_ref();
        let answer = recording.answer.as_ref();
        let words = answer.and_then(|answer| answer.texts().find(|text| !text.trim().is_empty()));
        let answer = answer.and_then(|a| text(&a.timestamp)).or(text(&recording.recorded_at));
        let request = PlayedRequest::from_request(Arc::clone(&self.path), &recording.request, pool);
        Self {
            id: request.id.clone(),
            node: request.node.clone(),
            matching: MatchingSide::from_recording(recording),
            request: Some(Arc::new(request)),
            calls: recording.answer.iter().flat_map(RecordedAnswer::tools).map(keep).collect(),
            words: words.map(first_words).unwrap_or_default(),
            answered: answer.and_then(parse_time),
            source: source.and_then(|source| text(&source.value.file)).map(keep),
            ..self
        }
    }

    /// Returns its file name.
    pub fn file_name(&self) -> &str {
        file_name(&self.path)
    }

    /// Returns its display name: its id, else its file name without `.json`.
    pub fn label(&self) -> &str {
        let name = self.file_name();
        self.id.as_deref().unwrap_or(name.strip_suffix(".json").unwrap_or(name))
    }

    /// Returns the tools that its request offered, sorted.
    pub fn offered(&self) -> &[Arc<str>] {
        &self.matching.computed.tool_names
    }

    /// Returns the signature it answers by.
    pub fn signature(&self) -> &Signature {
        self.matching.own_signature()
    }
}

/// Returns the beginning of a text as one line.
fn first_words(text: &str) -> Box<str> {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if words.len() >= MAX_WORDS {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        // A text without spaces, such as base64, is one word.
        words.extend(word.chars().take(MAX_WORDS));
    }
    words.into()
}

/// Returns why `JSON.parse` rejects a file; `None` if it does not.
fn parse_error(doc: &Document) -> Option<Arc<str>> {
    if doc.source().has_bom() {
        return Some("It begins with a byte order mark, which `JSON.parse` refuses".into());
    }
    let mut problems = doc.problems.iter();
    let fault = doc.tree.fault().or_else(|| problems.find(|p| p.rule.hides_content()));
    match fault {
        Some(problem) => Some(format!("{} (line {})", problem.message, problem.place.line).into()),
        None if !doc.tree.is_well_formed() || doc.tree.is_empty() => Some("It is not JSON".into()),
        None => None,
    }
}

/// Returns what the client gets when it serves a recording, reading in its order.
fn response_shape(root: Option<Node<'_>>) -> Result<ResponseShape, TypeError> {
    if !root.is_some_and(is_truthy) {
        return Err(TypeError::NONE_SELECTED);
    }
    let request = property(root, "request")?;
    // Read only for the error: the client fails at the first value that is missing.
    property(request, "requestId")?;
    let response = property(root, "response")?;
    property(response, "reasoning")?;
    let tools = property(request, "tools")?;
    // Any other value has a `length`, at worst `undefined`, so only these throw.
    if is_nothing(tools) {
        property(tools, "length")?;
    }
    let is_undefined = is_nothing(property(response, "response")?);
    Ok(if is_undefined { ResponseShape::Undefined } else { ResponseShape::Answer })
}

/// Hashes what the client returns. The hash is stable, so equal answers are equal in every run.
fn hash_answer(document: &Document) -> u64 {
    let response = document.tree.root().and_then(|root| root.get("response"));
    let mut hasher = FixedState::default().build_hasher();
    match response.and_then(|response| response.get("response")) {
        Some(answer) => hash(answer, &mut hasher),
        None => hasher.write_u8(0),
    }
    hasher.finish()
}

/// Hashes a value by its content, without formatting and without the random ids of tool calls.
fn hash(node: Node<'_>, hasher: &mut impl Hasher) {
    hasher.write_u8(node.kind() as u8);
    let is_call = node.get("type").and_then(Node::as_str) == Some("tool_use");
    for item in node.items() {
        if is_call && item.key() == Some("id") {
            continue;
        }
        if let Some(key) = item.key() {
            // No UTF-8 text has the byte 0xff, so it separates a key from what follows.
            hasher.write(key.as_bytes());
            hasher.write_u8(0xff);
        }
        hash(item, hasher);
    }
    match node.kind() {
        NodeKind::Array | NodeKind::Object => hasher.write_usize(node.len()),
        _ => hasher.write(node.scalar_text().unwrap_or_default().as_bytes()),
    }
    hasher.write_u8(0xff);
}
