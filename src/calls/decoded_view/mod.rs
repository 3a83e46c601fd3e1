//! The texts of a document as a reader of the wire sees them: layers undone, escapes read, the pieces of a stream joined.
//!
//! [`search_document`] gives every text to a [`TextSearch`], with what names it, and returns what that found, each with its place in
//! the file and with its replacement in the spelling of the file. What reports and what replaces read the same texts, so that they
//! cannot disagree.
//!
//! A text with a structure (JSON, events, a form, cookies, parts of multipart) is read by its parts only. Any other is read as it is,
//! and again without its escapes and in its Base64. Of what overlaps, what was read without escapes counts: the letter of an escape is
//! no letter of a word.

mod escapes;
mod names;
mod secrets;
mod stream;
mod walk;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::secret::{FoundSecret, SecretKind};
use super::tape::text::TapeText;
use crate::reading::archived_headers;
use document::body::{BodyHeaders, pack, read_body};
use document::call::{BodyContent, BodyForm, BodyLayer, HttpBody, ModelCall};
use document::cassette::{StoredBody, is_binary};
use document::text::Span;
use document::{Document, DocumentBody, Node, NodeId, NodeKind, Tree};
use stream::JoinedStreams;
use walk::{Candidates, StructuredTexts, TextForm, TextWalk, name_of, with_parts};

pub use names::{is_listed, plain_name};
pub use secrets::{MarkedSecret, SecretSearch, marked_tree};
use walk::span_in;

/// A search in texts.
pub trait TextSearch {
    /// Searches a text as it reads; the parts are in order and do not overlap.
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part>;

    /// Returns where something may be in a text with a structure, in any order; `None` if everywhere.
    fn marks(&self, text: &str) -> Option<Vec<usize>>;
}

/// The names of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextName<'a> {
    None,
    /// The key of a member.
    Member(&'a str),
    /// The key of a member that names a person, as those beside it show.
    NameOfPerson(&'a str),
    Header(&'a str),
    Cookie(&'a str),
    /// It is a whole form, or the query of an address, as it is written.
    Query,
}

/// A part of a text, in which something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The replacement, as it is written there.
    pub new: String,
    /// Everything found in it; several where the part is in a layer.
    pub found: Vec<Found>,
    /// Number of its places; several where it is in a layer, and none where it only continues another part.
    pub places: usize,
    /// The reason why it cannot be replaced, as a sentence without a full stop.
    pub fault: Option<&'static str>,
}

/// One find in a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: SecretKind,
    /// As it reads.
    pub text: String,
    pub covering: Covering,
    /// Its place in the text, behind the pointer of that: `#` and a pointer for each JSON around it.
    pub place: String,
}

/// A layer that hides a text from a reader of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Covering {
    #[default]
    None,
    Escapes,
    /// The layers of a body, such as gzip.
    Layers,
    Base64,
    /// It is split over a number of these.
    Split(usize, &'static str),
}

/// Parts found in one place of a document.
#[derive(Clone, Debug)]
pub struct FoundParts<'t> {
    pub spot: Spot<'t>,
    pub parts: Vec<Part>,
}

/// A place of a document with a text. The ranges of parts are in that text.
#[derive(Clone, Copy, Debug)]
pub enum Spot<'t> {
    /// The text of a value.
    Value(Node<'t>),
    /// The key of a member.
    Key(Node<'t>),
    /// Everything outside of texts, numbers and keys, such as comments; the ranges are in the document.
    Outside,
    /// The text of the chunks of a tape.
    Chunks,
}

impl Part {
    /// Returns what was found in a text as a part of it, without a replacement.
    pub fn new(found: FoundSecret, text: &str) -> Self {
        let find = Found {
            kind: found.kind,
            text: text[found.range.clone()].to_owned(),
            covering: Covering::None,
            place: String::new(),
        };
        Self { range: found.range, found: vec![find], places: 1, ..Self::default() }
    }

    fn shift(&mut self, offset: usize) {
        self.range = self.range.start + offset..self.range.end + offset;
    }

    fn cover(&mut self, covering: Covering) {
        for find in &mut self.found {
            // The innermost layer is the one to report; escapes say less than any other.
            let is_covered = |layer: Covering| match layer {
                Covering::None => true,
                Covering::Escapes => covering != Covering::Escapes,
                _ => false,
            };
            if is_covered(find.covering) {
                find.covering = covering;
            }
        }
    }

    /// Puts a place in front of those of what was found.
    fn lead(&mut self, place: &dyn Fn() -> String) {
        for find in &mut self.found {
            find.place.insert_str(0, &place());
        }
    }

    /// Joins parts to one.
    fn merge(parts: Vec<Self>) -> Self {
        let fault = parts.iter().find_map(|part| part.fault);
        let places = parts.iter().map(|part| part.places).sum();
        let found = parts.into_iter().flat_map(|part| part.found);
        Self { found: found.collect(), places, fault, ..Self::default() }
    }
}

impl FoundParts<'_> {
    /// Returns the bytes of a part in the document; of the chunks of a tape, none.
    pub fn written(&self, part: &Part) -> Range<usize> {
        let len = part.range.len();
        match self.spot {
            Spot::Value(node) => span_in(node, &part.range),
            Spot::Key(node) => {
                let range = node.key_span().map_or(0..0, Span::range);
                let raw = &node.tree().source().text()[range.clone()];
                // A key with escapes in this part is shown as a whole.
                let part = node.key().and_then(|key| raw.find(key.get(part.range.clone())?));
                part.map_or(range.clone(), |at| range.start + at..range.start + at + len)
            }
            Spot::Outside | Spot::Chunks => part.range.clone(),
        }
    }
}

/// The texts of a document with these calls. What does not depend on a search is read once for several of them.
#[derive(Debug)]
pub struct DocumentTexts<'t, 'c> {
    document: &'t Document,
    calls: &'c [ModelCall<'c>],
    structured: OnceCell<StructuredTexts>,
    streams: JoinedStreams,
}

impl<'t, 'c> DocumentTexts<'t, 'c> {
    pub fn new(document: &'t Document, calls: &'c [ModelCall<'c>]) -> Self {
        let (structured, streams) = (OnceCell::new(), JoinedStreams::default());
        Self { document, calls, structured, streams }
    }

    pub fn document(&self) -> &'t Document {
        self.document
    }

    /// Searches all texts.
    pub fn search(&self, search: &mut dyn TextSearch) -> Vec<FoundParts<'t>> {
        let document = self.document;
        let http = self.calls.iter().filter_map(|call| call.facts.http.as_ref());
        let bodies = http
            .flat_map(|http| [&http.request_body, &http.response_body])
            .flatten()
            // The text around such a body is searched as that of any value.
            .filter(|body| !body.is_inside)
            .map(|body| (body.node, body))
            .collect();
        // These are left out of the search of values: below they are searched as one text, since a secret may be split over them.
        let chunks = match &document.body {
            DocumentBody::Tape(tape) => {
                let chunks = tape.chunks.iter();
                let texts = chunks.filter_map(|chunk| document.tree.find(chunk.node)?.get("text"));
                texts.map(Node::id).collect()
            }
            _ => BTreeSet::new(),
        };
        let structured = self.structured.get_or_init(|| StructuredTexts::find(&document.tree));
        let mut walk = TextWalk::new(search, &self.streams);
        let mut found_parts = search_with(&mut walk, &document.tree, structured, &bodies, &chunks);
        if let DocumentBody::Tape(tape) = &document.body {
            let text = TapeText::new(tape);
            let mut parts = walk.text(text.text(), TextName::None, TextForm::Unknown, 0);
            for part in &mut parts {
                let chunks = text.chunks_of(part.range.clone()).len();
                if chunks > 1 {
                    part.cover(Covering::Split(chunks, "chunks"));
                }
            }
            if !parts.is_empty() {
                found_parts.push(FoundParts { spot: Spot::Chunks, parts });
            }
        }
        found_parts
    }
}

/// Searches all texts of a document with these calls.
pub fn search_document<'t>(
    document: &'t Document,
    calls: &[ModelCall<'_>],
    search: &mut dyn TextSearch,
) -> Vec<FoundParts<'t>> {
    DocumentTexts::new(document, calls).search(search)
}

/// Returns a text with what replaces the parts that are found in it; what cannot be written stays.
pub fn replace_in_text(text: &str, search: &mut dyn TextSearch) -> String {
    let streams = JoinedStreams::default();
    let mut walk = TextWalk::new(search, &streams);
    let mut parts = walk.text(text, TextName::None, TextForm::Unknown, 0);
    parts.retain(|part| part.fault.is_none());
    with_parts(text, &parts)
}

/// Searches all texts of a tree.
pub fn search_tree<'t>(tree: &'t Tree, search: &mut dyn TextSearch) -> Vec<FoundParts<'t>> {
    let streams = JoinedStreams::default();
    let mut walk = TextWalk::new(search, &streams);
    let structured = StructuredTexts::find(tree);
    search_with(&mut walk, tree, &structured, &BTreeMap::new(), &BTreeSet::new())
}

fn search_with<'t>(
    walk: &mut TextWalk<'_>,
    tree: &'t Tree,
    structured: &StructuredTexts,
    bodies: &BTreeMap<NodeId, &HttpBody>,
    chunks: &BTreeSet<NodeId>,
) -> Vec<FoundParts<'t>> {
    let Candidates { mut nodes, outside } = walk.candidates(tree, structured);
    // The layers of these bodies hide their secrets from the search for marks.
    let hidden_bodies = bodies.values().filter(|body| is_hidden(body));
    nodes.extend(hidden_bodies.filter_map(|body| tree.find(body.node)));
    // The facts of calls in an HTTP archive have no bodies.
    if bodies.is_empty() {
        nodes.extend(tree.nodes().filter(|node| is_archived_body(*node)));
    }
    nodes.sort_by_key(|node| node.id());
    nodes.dedup_by_key(|node| node.id());
    let mut found_parts = Vec::new();
    for node in nodes {
        if let Some(key) = node.key().filter(|_| node.key_span().is_some()) {
            let parts = walk.text(key, TextName::None, TextForm::Plain, 0);
            found_parts.push(FoundParts { spot: Spot::Key(node), parts });
        }
        if !node.is_alias() && !chunks.contains(&node.id()) {
            let parts = value(walk, node, bodies.get(&node.id()).copied());
            found_parts.push(FoundParts { spot: Spot::Value(node), parts });
        }
    }
    let text = tree.source().text();
    let mut parts = Vec::new();
    let has_any = outside.as_ref().is_none_or(|marks| !marks.is_empty());
    for gap in has_any.then(|| outside_texts(tree)).into_iter().flatten() {
        let is_marked = |marks: &Vec<usize>| marks.iter().any(|at| gap.contains(at));
        let is_empty = !text[gap.clone()].contains(char::is_alphanumeric);
        if !is_empty && outside.as_ref().is_none_or(is_marked) {
            // The name of a value that could not be parsed may be before it, in its line.
            let line = text[..gap.start].rfind('\n').map_or(0, |end| end + 1);
            let start = text.ceil_char_boundary(line.max(gap.start.saturating_sub(MAX_NAME_BYTES)));
            // Where nothing was parsed, the text may be lines or events; else it is a comment or what is left of a value.
            let form = if tree.is_empty() { TextForm::Unknown } else { TextForm::Plain };
            let mut gap_parts = walk.text(&text[start..gap.end], TextName::None, form, 0);
            gap_parts.iter_mut().for_each(|part| part.shift(start));
            parts.extend(gap_parts.into_iter().filter(|part| part.range.start >= gap.start));
        }
    }
    found_parts.push(FoundParts { spot: Spot::Outside, parts });
    found_parts.retain(|p| !p.parts.is_empty());
    found_parts
}

/// The longest text in the line of what is outside of all values that is read before it.
const MAX_NAME_BYTES: usize = 120;

/// Returns whether the text of a body is not written in the file, or has pieces that are a secret only together.
fn is_hidden(body: &HttpBody) -> bool {
    let has_parts = matches!(body.form, BodyForm::Events | BodyForm::Form | BodyForm::Multipart);
    !body.layers.is_empty() || has_parts || matches!(body.content, BodyContent::Bytes(_))
}

/// Returns whether a value is a body in an HTTP archive.
fn is_archived_body(node: Node<'_>) -> bool {
    let is_in = |parent: Node<'_>| matches!(parent.key(), Some("content" | "postData"));
    node.key() == Some("text") && node.parent().is_some_and(is_in)
}

/// Searches the text of a value, which may be a body.
fn value(walk: &mut TextWalk<'_>, node: Node<'_>, body: Option<&HttpBody>) -> Vec<Part> {
    // The values of a tree, and the parts of a stream that are only in Base64, are searched one by one.
    let is_of_http = |layer: &BodyLayer| !matches!(layer, BodyLayer::Base64 | BodyLayer::Hex);
    let is_list = matches!(node.kind(), NodeKind::Array | NodeKind::Object);
    if let Some(body) = body.filter(|body| !is_list || body.layers.iter().any(is_of_http)) {
        return search_body(walk, node, body, (TextName::None, Covering::Layers));
    }
    let Some(text) = node.as_str() else { return walk.number(node).into_iter().collect() };
    let name = name_of(node);
    let content_node = node.parent().filter(|_| is_archived_body(node));
    let member = |key| content_node.and_then(|n| n.get(key)).and_then(Node::as_str);
    let is_base64 = is_binary(node) || member("encoding") == Some("base64");
    if is_base64 {
        let headers = BodyHeaders::new(&archived_headers(content_node.and_then(Node::parent)));
        let body =
            read_body(StoredBody::Base64(node), &headers).filter(|body| !body.layers.is_empty());
        let (name, covering) = match content_node {
            Some(_) => (TextName::None, Covering::Layers),
            None => (name, Covering::Base64),
        };
        return body.map_or_else(Vec::new, |body| search_body(walk, node, &body, (name, covering)));
    }
    let kind = member("mimeType").unwrap_or_default();
    let form = match kind {
        _ if kind.contains("form-urlencoded") => TextForm::Fields,
        _ if kind.contains("multipart/") => TextForm::Multipart,
        _ => TextForm::Unknown,
    };
    let name = if content_node.is_some() { TextName::None } else { name };
    walk.text(text, name, form, 0)
}

/// Returns the part of a value that has this content in layers.
fn packed(
    old_text: &str,
    (content, part): (Vec<u8>, Part),
    layers: &[BodyLayer],
    covering: Covering,
) -> Vec<Part> {
    let content = pack(content, layers, old_text).map(|(new, _)| new);
    let reason = "A body in this encoding can be read, but not written";
    let fault = part.fault.or(content.is_none().then_some(reason));
    let new = content.unwrap_or_default();
    let mut part = Part { range: 0..old_text.len(), new, fault, ..part };
    part.cover(covering);
    vec![part]
}

/// Searches a body with this name, whose layers are reported as such.
fn search_body(
    walk: &mut TextWalk<'_>,
    node: Node<'_>,
    body: &HttpBody,
    (name, covering): (TextName<'_>, Covering),
) -> Vec<Part> {
    let form = match body.form {
        BodyForm::Form => TextForm::Fields,
        BodyForm::Multipart => TextForm::Multipart,
        BodyForm::Events => TextForm::Events,
        _ => TextForm::Unknown,
    };
    let old_text = node.scalar_text().unwrap_or_default();
    let mut parts = match &body.content {
        BodyContent::Text(text) => {
            let parts = walk.text(text.text(), name, form, 0);
            if body.layers.is_empty() || parts.is_empty() {
                parts
            } else {
                let content = with_parts(text.text(), &parts).into_bytes();
                packed(old_text, (content, Part::merge(parts)), &body.layers, covering)
            }
        }
        BodyContent::Bytes(bytes) => {
            let is_stream = body.form == BodyForm::EventStream;
            let found = walk.bytes(bytes, is_stream).into_iter();
            found.flat_map(|found| packed(old_text, found, &body.layers, covering)).collect()
        }
        BodyContent::Tree(_) => Vec::new(),
    };
    if matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
        let reason = "A body that is stored in parts can be read, but not written";
        parts.iter_mut().for_each(|part| part.fault = Some(reason));
    }
    parts
}

/// Returns what is outside of texts, numbers and keys: comments, and what cannot be parsed.
fn outside_texts(tree: &Tree) -> Vec<Range<usize>> {
    let texts = tree.nodes().flat_map(|node| {
        let is_value = node.as_str().is_some() || node.kind() == NodeKind::Number;
        [node.key_span(), (is_value && !node.is_alias()).then(|| node.span())]
    });
    let (mut gaps, mut end) = (Vec::new(), 0);
    for text in texts.flatten().map(Span::range) {
        if text.start > end {
            gaps.push(end..text.start);
        }
        end = end.max(text.end);
    }
    gaps.push(end..tree.source().text().len());
    gaps
}
