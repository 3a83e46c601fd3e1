//! Reads one text: by its parts where it has a structure, else as it is and without its escapes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use super::escapes::{Escape, Unescaped, first_hidden, in_json};
use super::names::is_name_of_person;
use super::stream::{JoinedStreams, JoinedTexts, PieceParts, pieces};
use super::{Covering, Part, TextName, TextSearch};
use crate::secret::{MIN_BASE64_BYTES, base64_texts, names_secret_header};
use document::body::{decode_base64, decode_escapes, event_stream, form_parts, with_payloads};
use document::edit::text_ranges;
use document::text::{Source, remove_overlapping, with_replaced};
use document::yaml::line_breaks::has_any;
use document::{Node, NodeId, NodeKind, Syntax, Tree, json};

/// Number of texts that may be within each other: more are not written by programs, but could take time without limit.
const MAX_DEPTH: usize = 8;

/// Number of levels that a text without its escapes counts as: each text has three of them, so that more than two levels would multiply
/// the time of a text that is all escapes.
const VIEW_DEPTH: usize = 3;

/// Structure of a text, which decides how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextForm {
    /// Recognised by its beginning.
    Unknown,
    Plain,
    Json,
    /// Server-sent events, a JSON value on each line, or a list of them.
    Events,
    Fields,
    Address,
    Multipart,
}

impl TextForm {
    fn of(text: &str) -> Self {
        let start = text.trim_start();
        match start.as_bytes().first() {
            // Gemini streams a list where no events are requested.
            Some(b'[') if start.contains("\"candidates\"") => Self::Events,
            Some(b'{') if is_lines_of_json(start) => Self::Events,
            Some(b'{' | b'[') => Self::Json,
            Some(b'd' | b'e' | b':') if is_events(start) => Self::Events,
            Some(b'h') if is_address(text) => Self::Address,
            // Both `Content-` and `content-` occur as the beginning of a header.
            Some(b'-') if start.starts_with("--") && start.contains("ontent-") => Self::Multipart,
            _ => Self::Plain,
        }
    }
}

/// Returns whether a text is a web address and nothing else.
pub(super) fn is_address(text: &str) -> bool {
    let has_scheme = text.starts_with("http://") || text.starts_with("https://");
    has_scheme && !text.contains(|c: char| c.is_whitespace() || "<>\"".contains(c))
}

fn is_events(text: &str) -> bool {
    ["data:", "event:", ": "].iter().any(|p| text.starts_with(p)) && text.contains("data:")
}

fn is_lines_of_json(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_whole = |line: &str| line.starts_with('{') && line.trim_end().ends_with('}');
    // One line alone is an ordinary document.
    lines.next().is_some_and(is_whole) && lines.next().is_some_and(is_whole)
}

/// Reads texts for one search.
pub(super) struct TextWalk<'s> {
    pub(super) search: &'s mut dyn TextSearch,
    streams: &'s JoinedStreams,
    /// Finds in the pieces of the event that is read, by the text that each piece continues.
    pieces: BTreeMap<String, Vec<Part>>,
}

impl<'s> TextWalk<'s> {
    pub(super) fn new(search: &'s mut dyn TextSearch, streams: &'s JoinedStreams) -> Self {
        Self { search, streams, pieces: BTreeMap::new() }
    }

    /// Searches a text, which is `depth` texts within others.
    pub(super) fn text(
        &mut self,
        text: &str,
        name: TextName<'_>,
        form: TextForm,
        depth: usize,
    ) -> Vec<Part> {
        if depth >= MAX_DEPTH {
            return self.search.search(text, name);
        }
        let form = if form == TextForm::Unknown { TextForm::of(text) } else { form };
        let is_cookie =
            |name: &str| ["cookie", "set-cookie"].iter().any(|n| name.eq_ignore_ascii_case(n));
        match (form, name) {
            (_, TextName::Header(header)) if is_cookie(header) => self.cookies(text, name, depth),
            // Most texts have no mark, and parsing them costs much more than looking for one.
            (TextForm::Json, _) if self.pieces.is_empty() && !self.may_have(text) => Vec::new(),
            (TextForm::Json, _) => match parse(text) {
                Some(tree) => self.json(&tree, depth),
                None => self.plain(text, name, Vec::new(), false, depth),
            },
            (TextForm::Events, _) => self.events(text, depth),
            (TextForm::Fields, _) => self.fields(text, depth),
            (TextForm::Multipart, _) => self.multipart(text.as_bytes(), depth),
            (TextForm::Address, _) => {
                let query = text.find(['?', '#']).map_or(text.len(), |at| at + 1);
                let mut parts = self.fields(&text[query..], depth);
                parts.iter_mut().for_each(|part| part.shift(query));
                self.plain(text, name, parts, true, depth)
            }
            _ => self.plain(text, name, Vec::new(), false, depth),
        }
    }

    /// Returns whether a text with a structure may have something, without reading it.
    fn may_have(&self, text: &str) -> bool {
        let marks = self.search.marks(text);
        marks.is_none_or(|marks| !marks.is_empty())
            || first_hidden(text, 0).is_some()
            || !base64_texts(text).is_empty()
            // A stream may have a secret in pieces, none of which has a whole mark.
            || inner_streams(text).next().is_some()
    }

    /// Returns where something may be in the events of a stream, sorted; `None` if everywhere.
    fn marks_in_events(&self, text: &str) -> Option<Vec<usize>> {
        let mut marks = self.search.marks(text)?;
        marks.extend(hidden_escapes(text));
        marks.extend(base64_texts(text).into_iter().map(|(range, _)| range.start));
        marks.extend(inner_streams(text));
        marks.sort_unstable();
        Some(marks)
    }

    /// Searches a text without a structure: as it is, without its escapes, and in its Base64. `structure_parts` was found in its parts.
    fn plain(
        &mut self,
        text: &str,
        name: TextName<'_>,
        structure_parts: Vec<Part>,
        is_address: bool,
        depth: usize,
    ) -> Vec<Part> {
        let mut parts = structure_parts;
        // An address has no backslashes.
        let escapes = [Escape::Percent, Escape::Entity, Escape::Backslash];
        let escapes = &escapes[..if is_address { 2 } else { 3 }];
        let views: Vec<Unescaped<'_>> = escapes
            .iter()
            .map(|escape| Unescaped::new(text, *escape))
            .filter(Unescaped::has_escapes)
            .collect();
        for view in &views {
            let mut view_parts = self.text(&view.text, name, TextForm::Unknown, depth + VIEW_DEPTH);
            as_written(&mut view_parts, view);
            parts.extend(view_parts);
        }
        parts.sort_by_key(|part| part.range.start);
        remove_overlapping(&mut parts, |part| &part.range);
        let mut base64_parts = self.base64(text, depth);
        let mut list = self.search.search(text, name);
        // The letter of an escape such as `\n` is no letter of a word.
        let is_letter = |part: &Part| views.iter().any(|v| v.is_inside_escape(part.range.start));
        list.retain(|part| !is_letter(part));
        if is_address {
            list.iter_mut().for_each(|part| part.new = Escape::Percent.write(&part.new));
        }
        // What is found the same without escapes keeps its own spelling.
        let is_escaped = |part: &Part| views.iter().any(|v| v.is_escaped(&part.range));
        parts.retain(|part| {
            !overlapping(&list, &part.range).any(|p| p.range == part.range) || is_escaped(part)
        });
        list.retain(|part| overlapping(&parts, &part.range).next().is_none());
        // A token may be valid Base64 as a whole: then the token counts, and not what it decodes to.
        base64_parts.retain(|part| {
            let encloses = |text_part: &Part| {
                text_part.range.start <= part.range.start && part.range.end <= text_part.range.end
            };
            !overlapping(&list, &part.range).any(encloses)
        });
        list.retain(|part| overlapping(&base64_parts, &part.range).next().is_none());
        parts.extend(list);
        parts.extend(base64_parts);
        parts.sort_by_key(|part| part.range.start);
        remove_overlapping(&mut parts, |part| &part.range);
        parts
    }

    fn base64(&mut self, text: &str, depth: usize) -> Vec<Part> {
        let mut base64_parts = Vec::new();
        for (range, inner_text) in base64_texts(text) {
            let parts = self.text(&inner_text, TextName::None, TextForm::Unknown, depth + 2);
            if parts.is_empty() {
                continue;
            }
            let run = &text[range.clone()];
            let padding = text[range.end..].bytes().take_while(|b| *b == b'=').count();
            let is_url_safe = run.contains(['-', '_']);
            let is_padded = padding > 0 || run.len().is_multiple_of(4) && !is_url_safe;
            // The result has the form of the old text, because its reader may accept no other.
            let engine = match (is_url_safe, is_padded) {
                (false, true) => STANDARD,
                (false, false) => STANDARD_NO_PAD,
                (true, true) => URL_SAFE,
                (true, false) => URL_SAFE_NO_PAD,
            };
            let new = engine.encode(with_parts(&inner_text, &parts));
            let range = range.start..range.end + padding;
            let mut part = Part { range, new, ..Part::merge(parts) };
            part.cover(Covering::Base64);
            base64_parts.push(part);
        }
        base64_parts
    }

    /// Searches the values of JSON.
    pub(super) fn json(&mut self, tree: &Tree, depth: usize) -> Vec<Part> {
        let streams = (!self.pieces.is_empty()).then(|| pieces(tree)).into_iter().flatten();
        let streams: BTreeMap<_, _> = streams.map(|(stream, node)| (node.id(), stream)).collect();
        let mut nodes = self.candidates(tree, &StructuredTexts::find(tree)).nodes;
        nodes.extend(streams.keys().map(|id| tree.node(*id)));
        nodes.sort_by_key(|node| node.id());
        nodes.dedup_by_key(|node| node.id());
        let mut all_parts = Vec::new();
        for node in nodes {
            let key = node.key().zip(node.key_span());
            if let Some((key, span)) = key {
                let mut parts = self.text(key, TextName::None, TextForm::Plain, depth + 1);
                in_string(&mut parts, tree, span.range());
                all_parts.extend(parts);
            }
            let Some(text) = node.as_str() else {
                all_parts.extend(self.number(node).map(|part| Part {
                    range: node.span().range(),
                    new: json::quote(&part.new),
                    ..part
                }));
                continue;
            };
            let mut parts = self.text(text, name_of(node), TextForm::Unknown, depth + 1);
            let stream = streams.get(&node.id());
            if let Some(mut stream_parts) = stream.and_then(|key| self.pieces.remove(key)) {
                stream_parts.sort_by_key(|part| part.range.start);
                parts.retain(|part| overlapping(&stream_parts, &part.range).next().is_none());
                parts.extend(stream_parts);
                parts.sort_by_key(|part| part.range.start);
            }
            in_string(&mut parts, tree, node.span().range());
            let place = || format!("#{}", node.bounded_pointer());
            parts.iter_mut().for_each(|part| part.lead(&place));
            all_parts.extend(parts);
        }
        all_parts
    }

    /// Searches a number, which becomes a text.
    pub(super) fn number(&mut self, node: Node<'_>) -> Option<Part> {
        let text = node.scalar_text().filter(|_| node.kind() == NodeKind::Number)?;
        let mut parts = self.search.search(text, name_of(node)).into_iter();
        // A placeholder is no number, so none can replace a part of one.
        parts.find(|part| part.range == (0..text.len()))
    }

    /// Searches the events of a stream, one by one and joined.
    fn events(&mut self, text: &str, depth: usize) -> Vec<Part> {
        let list = text.trim_start().starts_with('[').then(|| parse(text)).flatten();
        let items = list.as_ref().and_then(Tree::root).into_iter().flat_map(Node::items);
        let mut events: Vec<Range<usize>> = items.map(|item| item.span().range()).collect();
        let mut start = 0;
        for line in text.split(['\n', '\r']).filter(|_| list.is_none()) {
            let data = line
                .strip_prefix("data:")
                .map_or(line, |data| data.strip_prefix(' ').unwrap_or(data));
            let end = start + line.len();
            events.push(end - data.len()..end);
            start = end + 1;
        }
        let texts: Vec<&str> = events.iter().map(|range| &text[range.clone()]).collect();
        let joined_texts = self.streams.of(text, || joined(&texts));
        let marks = self.marks_in_events(text);
        let is_marked = |number: usize| {
            let range: &Range<usize> = &events[number];
            let has_mark = |marks: &Vec<usize>| {
                let next = marks.partition_point(|at| *at < range.start);
                marks.get(next).is_some_and(|at| *at < range.end)
            };
            // The query of an address may have a secret without a mark.
            marks.as_ref().is_none_or(has_mark) || texts[number].starts_with('h')
        };
        let mut parts = self.stream(&texts, &joined_texts, is_marked, depth);
        let mut all_parts = Vec::new();
        for (parts, range) in parts.iter_mut().zip(events) {
            for mut part in parts.drain(..) {
                part.shift(range.start);
                part.found.iter_mut().for_each(|f| f.place.clear());
                all_parts.push(part);
            }
        }
        all_parts
    }

    /// Searches the events of a stream, of which only those that `is_marked` may have something by themselves, and returns what was found
    /// in each.
    fn stream(
        &mut self,
        events: &[&str],
        texts: &JoinedTexts,
        is_marked: impl Fn(usize) -> bool,
        depth: usize,
    ) -> Vec<Vec<Part>> {
        let mut piece_parts: PieceParts =
            texts.search(|text| self.text(text, TextName::None, TextForm::Unknown, depth + 1));
        let event_parts = events.iter().enumerate().map(|(number, event)| {
            let pieces = piece_parts.remove(&number).unwrap_or_default();
            if pieces.is_empty() {
                let search = || self.text(event, TextName::None, TextForm::Unknown, depth + 1);
                return is_marked(number).then(search).unwrap_or_default();
            }
            // An event may contain a stream with pieces of its own.
            let outer_pieces = std::mem::replace(&mut self.pieces, pieces);
            let tree = parse(event);
            let parts = tree.map_or_else(Vec::new, |tree| self.json(&tree, depth + 1));
            self.pieces = outer_pieces;
            parts
        });
        event_parts.collect()
    }

    /// Searches the fields of a form or of the query of an address.
    fn fields(&mut self, text: &str, depth: usize) -> Vec<Part> {
        let mut all_parts = Vec::new();
        let mut start = 0;
        for field in text.split(['&', '#']) {
            let (name, value) = field.split_once('=').unwrap_or(("", field));
            let view = Unescaped::new(value, Escape::Form);
            let name = decode_escapes(name);
            let name = TextName::Member(&name);
            let mut parts = self.text(&view.text, name, TextForm::Unknown, depth + 1);
            as_written(&mut parts, &view);
            let at = start + field.len() - value.len();
            parts.iter_mut().for_each(|part| part.shift(at));
            all_parts.extend(parts);
            start += field.len() + 1;
        }
        // Some secrets are recognised only by the name of their field in a query.
        let mut query_parts = self.search.search(text, TextName::Query);
        query_parts.retain(|part| overlapping(&all_parts, &part.range).next().is_none());
        for part in &mut query_parts {
            part.new = Escape::Form.write(&part.new);
            for find in &mut part.found {
                find.text = decode_escapes(&find.text);
            }
        }
        all_parts.extend(query_parts);
        all_parts.sort_by_key(|part| part.range.start);
        all_parts
    }

    /// Searches the cookies of a header one by one; what follows the one that is set are its attributes.
    fn cookies(&mut self, text: &str, name: TextName<'_>, depth: usize) -> Vec<Part> {
        // Only `set-cookie` is longer, in any case of its letters.
        let is_set = matches!(name, TextName::Header(name) if name.len() > "cookie".len());
        let mut all_parts = Vec::new();
        let mut start = 0;
        for pair in text.split(';').take(if is_set { 1 } else { usize::MAX }) {
            let mut parts = self.plain(pair, name, Vec::new(), false, depth + 1);
            parts.iter_mut().for_each(|part| part.shift(start));
            all_parts.extend(parts);
            start += pair.len() + 1;
        }
        all_parts
    }

    /// Searches the parts of a form in parts, which are named by their headers. What is no text is left out.
    pub(super) fn multipart(&mut self, bytes: &[u8], depth: usize) -> Vec<Part> {
        let mut all_parts = Vec::new();
        for [head_at, content_at] in form_parts(bytes) {
            let (start, gap) = (head_at.start, content_at.start);
            let (head, content) = (&bytes[head_at], &bytes[content_at]);
            let head = std::str::from_utf8(head).unwrap_or_default();
            let name = head.split_once("name=\"").and_then(|(_, tail)| tail.split_once('"'));
            let name = TextName::Member(name.map_or("", |(name, _)| name));
            let content = std::str::from_utf8(content.trim_ascii_end()).unwrap_or_default();
            for (text, name, at) in [(head, TextName::None, start), (content, name, gap)] {
                let mut parts = self.text(text, name, TextForm::Unknown, depth + 1);
                parts.iter_mut().for_each(|part| part.shift(at));
                all_parts.extend(parts);
            }
        }
        all_parts
    }

    /// Searches a body that is not text; returns it with what is new, if something was found.
    pub(super) fn bytes(&mut self, bytes: &[u8], is_stream: bool) -> Option<(Vec<u8>, Part)> {
        if !is_stream {
            let parts = self.multipart(bytes, 0);
            let (mut new, mut end) = (Vec::new(), 0);
            for part in &parts {
                new.extend_from_slice(bytes.get(end..part.range.start)?);
                new.extend_from_slice(part.new.as_bytes());
                end = part.range.end;
            }
            new.extend_from_slice(&bytes[end..]);
            return (!parts.is_empty()).then(|| (new, Part::merge(parts)));
        }
        let messages = event_stream(bytes);
        let payloads: Vec<Cow<'_, str>> =
            messages.iter().map(|(_, payload)| String::from_utf8_lossy(payload)).collect();
        let texts: Vec<&str> = payloads.iter().map(|p| &**p).collect();
        let event_parts = self.stream(&texts, &joined(&texts), |_| true, 0);
        let changes = event_parts
            .iter()
            .enumerate()
            .filter(|(_, parts)| !parts.is_empty())
            .map(|(number, parts)| (number, with_parts(texts[number], parts)));
        let new = with_payloads(bytes, &changes.collect());
        let parts: Vec<Part> = event_parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| (new.unwrap_or_default(), Part::merge(parts)))
    }

    /// Returns the values and keys of a tree that may have something, and where something may be outside of them.
    pub(super) fn candidates<'t>(
        &self,
        tree: &'t Tree,
        structured: &StructuredTexts,
    ) -> Candidates<'t> {
        let text = tree.source().text();
        let Some(mut marks) = self.search.marks(text) else {
            return Candidates { nodes: tree.nodes().collect(), outside: None };
        };
        marks.extend(&structured.escapes);
        marks.sort_unstable();
        let mut nodes: Vec<_> = structured.nodes.iter().map(|id| tree.node(*id)).collect();
        let mut outside: Vec<usize> = Vec::new();
        let mut last_node: Option<Node<'t>> = None;
        for at in marks {
            let is_in = |node: &Node<'_>| node.span().range().contains(&at) && is_scalar(*node);
            if last_node.as_ref().is_some_and(is_in) {
                continue;
            }
            match node_at(tree, at) {
                Some(node) => {
                    nodes.push(node);
                    // `{"name": "x-api-key", "value": "…"}`: the mark is in the name, the secret beside it.
                    let pair = node.parent().filter(|_| node.key() == Some("name"));
                    nodes.extend(pair.and_then(|pair| pair.get("value")));
                    last_node = nodes.last().copied();
                }
                None => outside.push(at),
            }
        }
        nodes.sort_by_key(|node| node.id());
        nodes.dedup_by_key(|node| node.id());
        Candidates { nodes, outside: Some(outside) }
    }
}

/// The parts of a tree that each search looks at, whatever it searches for.
#[derive(Debug)]
pub(super) struct StructuredTexts {
    /// Places of escapes behind which a mark could be.
    escapes: Vec<usize>,
    /// Values that may have a secret without any mark: headers, fields and cookies with known names, streams in pieces, and Base64.
    nodes: Vec<NodeId>,
}

impl StructuredTexts {
    pub(super) fn find<'t>(tree: &'t Tree) -> Self {
        let mut nodes = Vec::new();
        // The calls of a file have the same headers.
        let mut headers: HashMap<&str, bool> = HashMap::new();
        let mut is_secret_header = |value: &Node<'t>| match name_of(*value) {
            TextName::Header(name) => {
                *headers.entry(name).or_insert_with(|| names_secret_header(name))
            }
            _ => true,
        };
        for node in tree.nodes() {
            match node.as_str() {
                Some(text) if !node.is_alias() => {
                    let is_query = || text.starts_with("http") && text.contains('?');
                    let is_packed =
                        || text.len() >= MIN_BASE64_BYTES && !base64_texts(text).is_empty();
                    let is_stream = || TextForm::of(text) == TextForm::Events;
                    if is_query() || is_stream() || is_packed() {
                        nodes.push(node.id());
                    }
                }
                None if matches!(node.key(), Some("headers" | "cookies")) => {
                    let values = tree.nodes_at(node.positions());
                    nodes.extend(values.filter(&mut is_secret_header).map(Node::id));
                }
                _ => {}
            }
        }
        Self { escapes: hidden_marks(tree), nodes }
    }
}

/// Places at which something may be.
pub(super) struct Candidates<'t> {
    pub(super) nodes: Vec<Node<'t>>,
    /// Bytes outside of all values; `None` for any.
    pub(super) outside: Option<Vec<usize>>,
}

fn parse(text: &str) -> Option<Tree> {
    let (tree, _) = json::parse(&Source::new(text));
    tree.is_well_formed().then_some(tree)
}

/// Returns what the events of a stream bring in pieces.
fn joined(events: &[&str]) -> JoinedTexts {
    let mut texts = JoinedTexts::default();
    let is_json = |event: &&str| event.trim_start().starts_with(['{', '[']);
    for (number, event) in events.iter().enumerate().filter(|(_, e)| is_json(e)) {
        add_pieces(number, event, &mut texts);
    }
    texts
}

/// Returns the places in a text at which an event of a stream may begin.
fn inner_streams(text: &str) -> impl Iterator<Item = usize> + '_ {
    let is_event = |at: &usize| {
        let data = &text.as_bytes()[at + "data:".len()..];
        data.starts_with(b"{") || data.starts_with(b" {")
    };
    memchr::memmem::find_iter(text.as_bytes(), "data:").filter(is_event)
}

/// Returns the places of the escapes of ordinary characters.
fn hidden_escapes(text: &str) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(first_hidden(text, 0), |at| first_hidden(text, at + 1))
}

/// Adds the pieces of an event, which may be in Base64 in a message of Amazon.
fn add_pieces(number: usize, event: &str, texts: &mut JoinedTexts) {
    let Some(mut tree) = parse(event) else { return };
    if let Some(base64) = tree.root().and_then(|root| root.get("bytes")?.as_str()) {
        let text = decode_base64(base64).and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(inner_tree) = text.as_deref().and_then(parse) else { return };
        tree = inner_tree;
    }
    for (stream, node) in pieces(&tree) {
        texts.add(number, stream, node.as_str().unwrap_or_default());
    }
}

/// Returns what names a value: its key, its place among headers, cookies and fields, or the `name` beside it.
pub(super) fn name_of(node: Node<'_>) -> TextName<'_> {
    let parent = node.parent();
    let group = |node: Option<Node<'_>>| {
        let key = node.and_then(Node::key);
        ["headers", "cookies"].into_iter().find(|g| key == Some(g))
    };
    let Some(key) = node.key() else {
        // A header may have several values.
        let name = parent.filter(|p| group(p.parent()) == Some("headers"));
        return name.and_then(Node::key).map_or(TextName::None, TextName::Header);
    };
    if group(parent) == Some("headers") {
        return TextName::Header(key);
    }
    let sibling_name = || parent?.get("name")?.as_str();
    match (key, sibling_name()) {
        ("value", Some(name)) => match group(parent.and_then(Node::parent)) {
            Some("headers") => TextName::Header(name),
            Some("cookies") => TextName::Cookie(name),
            _ => TextName::Member(name),
        },
        _ if is_name_of_person(node) => TextName::NameOfPerson(key),
        _ => TextName::Member(key),
    }
}

fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.kind(), NodeKind::Object | NodeKind::Array) || node.is_alias()
}

/// Returns the scalar, or the member with the key, that has a byte.
fn node_at(tree: &Tree, at: usize) -> Option<Node<'_>> {
    let has_byte = |node: &Node<'_>| {
        let is_in_key = node.key_span().is_some_and(|key| key.range().contains(&at));
        is_in_key || is_scalar(*node) && node.span().range().contains(&at)
    };
    tree.nodes_from(at).take(2).find(has_byte)
}

/// Returns escapes behind which a mark could be; in YAML the first of each value that has escapes at all.
fn hidden_marks(tree: &Tree) -> Vec<usize> {
    let text = tree.source().text();
    let mut marks: Vec<usize> = hidden_escapes(text).collect();
    let bytes = text.as_bytes();
    match tree.syntax() {
        Syntax::Json => {}
        Syntax::Yaml => {
            let mut start = 0;
            while let Some(offset) = memchr::memchr(b'\\', &bytes[start..]) {
                let at = start + offset;
                let node = node_at(tree, at);
                let value = node.filter(|node| node.span().range().contains(&at));
                if value.is_none_or(has_escapes) {
                    marks.push(at);
                }
                start = value.map_or(at + 1, |value| value.span().range().end);
            }
        }
        // Also those in literal strings: a candidate too many costs only time.
        Syntax::Toml | Syntax::Code | Syntax::Machine => {
            marks.extend(memchr::memchr_iter(b'\\', bytes));
        }
    }
    marks
}

/// Returns whether a YAML scalar differs from its text in more than doubled quotes and indentation.
fn has_escapes(node: Node<'_>) -> bool {
    let raw = node.raw();
    // Only in a root may a line end be as long as the space that it becomes: elsewhere there is indentation after it.
    let is_same_length = |text: &str| text.len() + 2 == raw.len();
    let is_verbatim = raw.starts_with('\'')
        && node.parent().is_some()
        && node.as_str().is_some_and(is_same_length);
    let has_lines = || memchr::memchr(b'\n', raw.as_bytes()).is_some() || has_any(raw);
    raw.starts_with('"') || !is_verbatim && !raw.starts_with('|') && has_lines()
}

/// Returns those of some parts, which are in order and apart, that overlap a range.
fn overlapping<'p>(parts: &'p [Part], range: &Range<usize>) -> impl Iterator<Item = &'p Part> {
    let first = parts.partition_point(|part| part.range.end <= range.start);
    let end = range.end;
    parts[first..].iter().take_while(move |part| part.range.start < end)
}

/// Maps the parts of what a text reads to those of what is written.
fn as_written(parts: &mut [Part], view: &Unescaped<'_>) {
    for part in parts {
        part.range = view.written(&part.range);
        if view.is_escaped(&part.range) {
            part.cover(Covering::Escapes);
        }
        part.new = view.escape.write(&part.new);
    }
}

/// Maps the parts of a string of JSON, which is written in `span`, to those of the text of the tree.
fn in_string(parts: &mut Vec<Part>, tree: &Tree, span: Range<usize>) {
    if parts.is_empty() {
        return;
    }
    let raw = &tree.source().text()[span.clone()];
    let ends: Vec<usize> = parts.iter().flat_map(|p| [p.range.start, p.range.end]).collect();
    let places = json::places_in_raw(raw, &ends);
    let mut ranges = places.chunks_exact(2).map(|pair| pair[0].zip(pair[1]));
    parts.retain_mut(|part| {
        let Some((start, end)) = ranges.next().flatten() else { return false };
        // Other escapes, such as `\n`, hide nothing from a reader of the file.
        if raw[start..end].contains("\\u") {
            part.cover(Covering::Escapes);
        }
        part.range = span.start + start..span.start + end;
        part.new = in_json(&part.new);
        true
    });
}

/// Returns a text with its new parts.
pub(super) fn with_parts(text: &str, parts: &[Part]) -> String {
    with_replaced(text, &parts.iter().map(|p| (p.range.clone(), &*p.new)).collect::<Vec<_>>())
}

/// Returns where a part of a value is written in the file, or the whole value.
pub(super) fn span_in(node: Node<'_>, range: &Range<usize>) -> Range<usize> {
    let value = node.span().range();
    let part = node.as_str().and_then(|text| text.get(range.clone()));
    let span = text_ranges(node, &[range]).pop().flatten().or_else(|| lines_in(node.raw(), part?));
    span.map_or(value.clone(), |r| value.start + r.start..value.start + r.end)
}

/// Finds a text of several lines of which each is written as it reads, and only the indentation differs.
fn lines_in(raw: &str, text: &str) -> Option<Range<usize>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, last) = (lines.next()?, lines.next_back()?);
    let start = raw.find(first)?;
    Some(start..start + raw[start..].rfind(last)? + last.len())
}
