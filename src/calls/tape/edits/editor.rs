//! The editor of a tape's chunks, on which all edits are built.

use std::ops::Range;

use super::patch::Patch;
use super::style::ChunkStyle;
use crate::tape::timing::has_delay;
use document::edit::{self, Edit, EditRefusal, JsonValue, TextPlan, readable, writes_ascii};
use document::json::{javascript_number, places_in_raw, quote, to_ascii};
use document::tape::{Chunk, RECEIVED, Tape};
use document::text::{Place, counted};
use document::{Document, DocumentBody, Node, NodeKind, Syntax};

/// A tape that is being edited.
pub(super) struct TapeEditor<'a> {
    document: &'a Document,
    pub(super) tape: &'a Tape,
    stream: Node<'a>,
    patch: Patch,
    /// Whether the file escapes non-ASCII characters; determined on first use.
    is_ascii: Option<bool>,
    pub(super) remark: Option<String>,
}

impl<'a> TapeEditor<'a> {
    pub(super) fn new(document: &'a Document) -> Result<Self, EditRefusal> {
        let refusal = |reason: &str| EditRefusal { reason: reason.to_owned(), place: Place::START };
        let DocumentBody::Tape(tape) = &document.body else {
            return Err(refusal("The file is not a tape"));
        };
        // All edits of a tape are written as JSON.
        if document.syntax != Syntax::Json {
            return Err(refusal("The tape is not written as JSON"));
        }
        readable(&document.tree)?;
        let stream = document
            .tree
            .root()
            .and_then(|root| root.get("stream"))
            .ok_or_else(|| refusal("The tape has no `stream`"))?;
        if stream.kind() != NodeKind::Array {
            return Err(EditRefusal::at(stream, "The stream is not a list"));
        }
        Ok(Self { document, tape, stream, patch: Patch::default(), is_ascii: None, remark: None })
    }

    pub(super) fn finish(self) -> Option<TextPlan> {
        let edit = self.patch.finish(self.document.source().text())?;
        Some(TextPlan { edit, remark: self.remark })
    }

    /// Deletes the answer as it was received, unless nothing changes.
    ///
    /// # Errors
    ///
    /// If it cannot be deleted, such as one of two.
    pub(super) fn drop_received(&mut self) -> Result<(), EditRefusal> {
        let root = self.document.tree.root();
        if self.patch.is_empty() || root.and_then(|root| root.get(RECEIVED)).is_none() {
            return Ok(());
        }
        let pointer = format!("/{RECEIVED}");
        let text_edit = edit::plan(&self.document.tree, &Edit::Remove { pointer })?;
        self.patch.replace(text_edit.range, text_edit.new);
        Ok(())
    }

    pub(super) fn refuse(&self, reason: impl Into<String>) -> EditRefusal {
        EditRefusal::at(self.stream, reason)
    }

    pub(super) fn refuse_at(&self, chunk: usize, reason: impl Into<String>) -> EditRefusal {
        let node =
            self.tape.chunks.get(chunk).map_or(self.stream, |chunk| self.document.node(chunk.node));
        EditRefusal::at(node, reason)
    }

    pub(super) fn chunk(&self, at: usize) -> Result<&'a Chunk, EditRefusal> {
        let refusal = || {
            let len = counted(self.tape.chunks.len(), "chunk", "chunks");
            self.refuse(format!("There is no chunk {}; the tape has {len}", at.saturating_add(1)))
        };
        self.tape.chunks.get(at).ok_or_else(refusal)
    }

    /// Returns an error unless the range is not empty and all its chunks exist.
    pub(super) fn check_range(&self, chunks: &Range<usize>) -> Result<(), EditRefusal> {
        match chunks.end.checked_sub(1).filter(|_| !chunks.is_empty()) {
            Some(last) => self.chunk(last).map(|_| ()),
            None => Err(self.refuse("No chunks are selected")),
        }
    }

    /// Returns an error unless the delay is valid.
    pub(super) fn check_delay(&self, nanos: f64) -> Result<(), EditRefusal> {
        if nanos.is_finite() && nanos >= 0.0 {
            Ok(())
        } else {
            Err(self.refuse("A delay must be a number of nanoseconds, 0 or more"))
        }
    }

    /// Returns an error unless the number is above zero.
    pub(super) fn check_above_zero(&self, number: f64, name: &str) -> Result<(), EditRefusal> {
        if number.is_finite() && number > 0.0 {
            Ok(())
        } else {
            Err(self.refuse(format!("{name} must be a number above 0")))
        }
    }

    /// Returns whether the delays of all these chunks are whole nanoseconds; then edits keep them whole.
    pub(super) fn are_whole(&self, chunks: &Range<usize>) -> bool {
        let chunks = self.tape.chunks.get(chunks.clone()).unwrap_or_default();
        chunks.iter().all(|chunk| chunk.delay_nanos.fract() == 0.0)
    }

    /// Sets the delay of a chunk. An equal delay keeps its spelling.
    pub(super) fn set_delay(&mut self, index: usize, nanos: f64) {
        let Some(chunk) = self.tape.chunks.get(index) else { return };
        // Turns -0 into 0, which is the same delay.
        let nanos = nanos + 0.0;
        if !(has_delay(self.document, chunk) && chunk.delay_nanos == nanos) {
            self.set(chunk, &[("delayNs", &javascript_number(nanos))]);
        }
    }

    /// Replaces or adds members of an element.
    fn set(&mut self, chunk: &Chunk, members: &[(&str, &str)]) {
        let element = self.document.node(chunk.node);
        let last = element.items().last();
        let style = ChunkStyle::from_element(element).unwrap_or_default();
        let mut new_members = String::new();
        for (key, value) in members {
            match element.get(key) {
                Some(old) => self.patch.replace(old.span().range(), *value),
                None => new_members += &style.next_member(key, value),
            }
        }
        if new_members.is_empty() {
            return;
        }
        match last.map(|last| last.span().range().end) {
            Some(end) => self.patch.replace(end..end, new_members),
            None => {
                // The style puts a separator before each member, also before the first.
                let members = new_members.trim_start_matches([',', ' ']);
                self.patch.replace(element.span().range(), format!("{{ {members} }}"));
            }
        }
    }

    /// Writes a chunk's text (a JSON string) and, if given, its delay.
    pub(super) fn write(&mut self, index: usize, delay: Option<f64>, text: &str) {
        let Some(chunk) = self.tape.chunks.get(index) else { return };
        let is_same = |nanos: &f64| has_delay(self.document, chunk) && chunk.delay_nanos == *nanos;
        match delay.filter(|nanos| !is_same(nanos)) {
            Some(nanos) => {
                self.set(chunk, &[("delayNs", &javascript_number(nanos)), ("text", text)]);
            }
            None => self.set(chunk, &[("text", text)]),
        }
    }

    /// Returns a chunk's text as the JSON string in the file.
    pub(super) fn raw(&self, chunk: &Chunk) -> &'a str {
        let text = self.document.node(chunk.node).get("text");
        text.filter(|text| text.kind() == NodeKind::String).map_or("\"\"", Node::raw)
    }

    /// Returns whether an element has other members than a delay and a text.
    pub(super) fn has_other_members(&self, chunk: &Chunk) -> bool {
        let is_known = |node: Node<'_>| matches!(node.key(), Some("delayNs" | "text"));
        !self.document.node(chunk.node).items().all(is_known)
    }

    /// Returns the text escaped for a JSON string in the style of the file, without quotes.
    pub(super) fn content(&mut self, text: &str) -> String {
        let source = self.document.source();
        let is_ascii = *self.is_ascii.get_or_insert_with(|| writes_ascii(source.text()));
        let json = quote(text);
        let content = json.get(1..json.len() - 1).unwrap_or_default();
        if is_ascii { to_ascii(content).into_owned() } else { content.to_owned() }
    }

    /// Returns a chunk's text as a JSON string with parts replaced, given in bytes of [`Chunk::text`] and in order; the
    /// rest keeps its spelling. `None` if a part begins or ends inside an escape.
    pub(super) fn replaced(
        &mut self,
        chunk: &Chunk,
        parts: &[(Range<usize>, String)],
    ) -> Option<String> {
        let raw = self.raw(chunk);
        let borders: Vec<usize> =
            parts.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
        let places = places_in_raw(raw, &borders);
        let mut new = String::with_capacity(raw.len());
        let mut end = 0;
        for ((_, part), place) in parts.iter().zip(places.chunks_exact(2)) {
            new.push_str(raw.get(end..place[0]?)?);
            new.push_str(&self.content(part));
            end = place[1]?;
        }
        new.push_str(raw.get(end..)?);
        Some(new)
    }

    /// Inserts an element before the chunk with this index, or at the end.
    pub(super) fn insert(
        &mut self,
        index: usize,
        nanos: f64,
        text: &str,
    ) -> Result<(), EditRefusal> {
        let delay = javascript_number(nanos);
        let Some(first) = self.stream.items().next() else {
            // Without a neighbour, the general edit finds the style of the file.
            let value = JsonValue::parse(&format!("{{\"delayNs\": {delay}, \"text\": {text}}}"))
                .map_err(|reason| self.refuse(reason))?;
            let pointer = "/stream/-".to_owned();
            let text_edit = edit::plan(&self.document.tree, &Edit::Insert { pointer, value })?;
            self.patch.replace(text_edit.range, text_edit.new);
            return Ok(());
        };
        let node =
            |chunk: usize| self.tape.chunks.get(chunk).map(|chunk| self.document.node(chunk.node));
        let neighbours = [index.checked_sub(1).and_then(node), node(index)];
        let style =
            neighbours.into_iter().flatten().find_map(ChunkStyle::from_element).unwrap_or_default();
        let element = style.element(&delay, text);
        let next = node(index);
        let comma = self.separator(first, next);
        match next {
            Some(next) => {
                let at = next.span().range().start;
                self.patch.replace(at..at, format!("{element}{comma}"));
            }
            None => {
                let at = self.stream.items().last().unwrap_or(first).span().range().end;
                self.patch.replace(at..at, format!("{comma}{element}"));
            }
        }
        Ok(())
    }

    /// Returns the separator of elements near `next`, or near the end.
    fn separator(&self, first: Node<'a>, next: Option<Node<'a>>) -> String {
        let text = self.document.source().text();
        let slice = |range: Range<usize>| text.get(range).unwrap_or_default();
        let index = next.map_or(self.stream.len(), Node::index).max(1);
        // Elements have no index, so they are walked from the first on.
        let mut walk = self.stream.items().skip(index.min(self.stream.len() - 1).max(1) - 1);
        let separator = match (walk.next(), walk.next()) {
            (Some(left), Some(right)) => slice(left.span().range().end..right.span().range().start),
            _ => "",
        };
        if separator.trim() == "," {
            return separator.to_owned();
        }
        let lead = slice(self.stream.span().range().start + 1..first.span().range().start);
        match lead {
            lead if lead.contains(['\n', '\r']) && lead.trim().is_empty() => format!(",{lead}"),
            _ if ChunkStyle::from_element(first).is_some_and(|style| style.colon == ":") => {
                ",".to_owned()
            }
            _ => ", ".to_owned(),
        }
    }

    /// Removes elements with their separators.
    pub(super) fn remove(&mut self, is_removed: impl Fn(usize) -> bool) {
        let items: Vec<Node<'_>> = self.stream.items().collect();
        let mut is_gone = vec![false; items.len()];
        for (index, chunk) in self.tape.chunks.iter().enumerate() {
            // The list may have elements that are no chunks, so numbers of chunks are not those of elements.
            is_gone[self.document.node(chunk.node).index()] = is_removed(index);
        }
        let mut start = 0;
        // A run at once: between neighbours that both go there is one separator, which must not be removed twice.
        for run in is_gone.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            if run[0] {
                let range = match (items.get(end), start.checked_sub(1)) {
                    (Some(next), _) => items[start].span().range().start..next.span().range().start,
                    (None, Some(previous)) => {
                        items[previous].span().range().end..items[end - 1].span().range().end
                    }
                    (None, None) => {
                        let list = self.stream.span().range();
                        list.start + 1..list.end - 1
                    }
                };
                self.patch.replace(range, "");
            }
            start = end;
        }
    }
}
