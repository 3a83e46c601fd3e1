//! Parses YAML as PyYAML's `safe_load` accepts it (YAML 1.1), with places and up to the first syntax error.
//!
//! Tags construct nothing: those of YAML itself set the type of a value, and any other is reported, since
//! `safe_load` refuses it. Aliases are followed unless they expand a file out of all proportion.

mod aliases;
mod block_lines;
mod byte_places;
pub mod line_breaks;
mod quoted_texts;
mod syntax_faults;
mod tags;
#[cfg(test)]
mod tests;
pub mod write;

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::Syntax;
use super::json::{MAX_DEPTH, duplicate_key, duplicates};
use super::problem::{Problem, RuleId};
use super::problems::ProblemList;
use super::scalar::{self, Plain};
use super::tree::{MAX_VALUES, MemberKey, Node, NodeId, NodeKind, Scalar, Tree};
use crate::text::{Source, Span, quoted};
use aliases::{AliasWeight, Aliases, YamlAnchor};
use byte_places::CharIndex;
use quoted_texts::ShortenedText;
use syntax_faults::refused_as;

/// Parses a YAML text. Never fails: a syntax error becomes a problem, and everything before it is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    parse_up_to(source, MAX_VALUES)
}

/// Returns the tag of a value as it is written, such as `!!binary`.
pub fn tag(node: Node<'_>) -> Option<&str> {
    let node = node.alias_target().unwrap_or(node);
    let tree = node.tree();
    if tree.syntax() != Syntax::Yaml {
        return None;
    }
    // What precedes the properties of the value may contain anything, so the search for the tag starts behind it.
    let previous = node.id().number().checked_sub(1).map(|id| tree.node(NodeId::from_number(id)));
    let is_around = |node: &Node<'_>| !node.is_empty() && !node.is_alias();
    let search_start = match (node.key_span(), previous) {
        (Some(key), _) => key.end,
        (None, Some(parent)) if is_around(&parent) => parent.span().start,
        (None, previous) => previous.map_or(0, |previous| previous.span().end),
    };
    byte_places::tag(tree.source().text(), search_start as usize, node.span().start as usize)
}

/// Parses a text up to a number of values.
fn parse_up_to(source: &Source, most_values: usize) -> (Tree, Vec<Problem>) {
    // Only a first reading shows which of the line breaks are in quotes or brackets.
    let result = parse_lines(source, source.text(), most_values);
    if !line_breaks::has_any(source.text()) {
        return result;
    }
    line_breaks::as_line_feeds(&result.0)
        .map_or(result, |text| parse_lines(source, &text, most_values))
}

/// Parses `text`, which is that of the source except for its line ends.
fn parse_lines(source: &Source, text: &str, most_values: usize) -> (Tree, Vec<Problem>) {
    let unprintable = syntax_faults::unprintable(source.text());
    let lines = unprintable.is_none().then(|| block_lines::read(source, most_values));
    lines.flatten().unwrap_or_else(|| scan_lines(source, text, unprintable, most_values))
}

/// Parses it with the scanner.
fn scan_lines(
    source: &Source,
    text: &str,
    unprintable: Option<(usize, char)>,
    most_values: usize,
) -> (Tree, Vec<Problem>) {
    let read = |short_text| {
        let mut reader = YamlReader::new(source, text, short_text, most_values);
        if let Some((at, c)) = unprintable {
            reader.report_unprintable(at, c);
        }
        reader.read_all()
    };
    let (result, unindented_start, _) = read(ShortenedText::unchanged(text));
    // If libyaml refuses the text as well, the errors of the stricter reading are reported.
    unindented_start.and_then(|first| read_unindented(text, first, read)).unwrap_or(result)
}

/// The content that was read; the quote of a text that the scanner refuses since a further line is not indented; and whether it confirmed all that was
/// left out.
type YamlReading = ((Tree, Vec<Problem>), Option<usize>, bool);

/// Reads a text with lines in quotes that the scanner refuses, as libyaml does. `None` if it is no YAML there either.
fn read_unindented<'a>(
    text: &'a str,
    first: usize,
    read: impl Fn(ShortenedText<'a>) -> YamlReading,
) -> Option<(Tree, Vec<Problem>)> {
    // Each round reads the text from its start.
    const MAX_ROUNDS: usize = 64;
    if let Some((result, _, true)) = ShortenedText::without_quoted_lines(text, first).map(&read) {
        return Some(result);
    }
    // Quoted texts at other places, such as in brackets, are found only by the scanner, one at a time.
    let mut starts = vec![first];
    while starts.len() <= MAX_ROUNDS {
        let (result, next, is_confirmed) = read(ShortenedText::without_quoted(text, &starts)?);
        match next {
            Some(next) => starts.push(next),
            None => return is_confirmed.then_some(result),
        }
    }
    None
}

struct YamlReader<'a> {
    source: &'a Source,
    /// The text of the source, with the line breaks of YAML 1.1 outside of quotes as line feeds at the same places.
    text: &'a str,
    /// Whether the source has such line breaks anywhere.
    has_breaks: bool,
    shortened: ShortenedText<'a>,
    tree: Tree,
    problems: ProblemList,
    /// The collections around what is read, outermost first.
    open: Vec<OpenCollection>,
    /// The byte after the last piece of a value that was read.
    before: usize,
    /// A collection as a key is skipped: where it starts, and the present depth in it.
    skipping: Option<(usize, usize)>,
    documents: usize,
    /// Up to this byte no tab was found between values; the end of the text once one was reported.
    without_tab: usize,
    anchors: HashMap<usize, YamlAnchor>,
    aliases: Aliases,
    merges: Vec<NodeId>,
    /// The collections whose tag requires something of their parts.
    tagged: Vec<(NodeId, tags::TagParts)>,
    most_values: usize,
    unindented: Option<usize>,
}

struct OpenCollection {
    id: NodeId,
    kind: NodeKind,
    /// Requirement of its tag on its parts.
    parts: tags::TagParts,
    /// A mapping's key whose value comes next, and whether it merges.
    key: Option<(MemberKey, KeyKind)>,
    anchor: usize,
    weight: AliasWeight,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Ordinary,
    Merge,
}

/// Whether reading goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    Continue,
    Stop,
}

impl<'a> YamlReader<'a> {
    fn new(source: &'a Source, text: &'a str, shortened: ShortenedText<'a>, limit: usize) -> Self {
        Self {
            source,
            text,
            has_breaks: line_breaks::has_any(source.text()),
            shortened,
            tree: Tree::new(source.clone(), Syntax::Yaml),
            problems: ProblemList::default(),
            open: Vec::new(),
            before: source.content_start(),
            skipping: None,
            documents: 0,
            without_tab: 0,
            anchors: HashMap::new(),
            aliases: Aliases::Resolved(Vec::new(), AliasWeight::default()),
            merges: Vec::new(),
            tagged: Vec::new(),
            most_values: limit,
            unindented: None,
        }
    }

    fn read_all(mut self) -> YamlReading {
        self.read();
        self.finish()
    }

    fn finish(mut self) -> YamlReading {
        while !self.open.is_empty() {
            self.close(self.before);
        }
        if let Aliases::Resolved(aliases, _) = &self.aliases {
            for &(alias, target) in aliases {
                self.tree.set_alias(alias, target);
            }
        }
        self.report_unmergeable();
        self.report_unfit_parts();
        let problems = self.problems.finish();
        self.tree.set_fault(&problems);
        let is_confirmed = self.shortened.is_confirmed();
        ((self.tree, problems), self.unindented, is_confirmed)
    }

    fn read(&mut self) {
        // Taken, because the parser borrows it while the reader changes.
        let text = std::mem::take(&mut self.shortened.text);
        let places = CharIndex::new(&text);
        let mut parser = Parser::new_from_str(&text);
        while let Some(next) = parser.next_event() {
            if self.tree.len() > self.most_values {
                return self.report_too_many();
            }
            // A line break that was replaced takes several bytes.
            let source_text = self.source.text();
            let place =
                |index| source_text.floor_char_boundary(self.shortened.place(places.byte(index)));
            let flow = match next {
                Ok((event, span)) => {
                    let start = place(span.start.index());
                    self.event(event, start, place(span.end.index()).max(start))
                }
                Err(_) if self.shortened.is_guess => return self.shortened.reject(),
                Err(error) => self.scan_error(&error, place(error.marker().index())),
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    fn event(&mut self, event: Event<'_>, start: usize, end: usize) -> Flow {
        self.report_tab(self.before, start);
        if self.skipping.is_some() {
            self.skip(&event, end);
            return Flow::Continue;
        }
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(explicit) => return self.document(explicit, start, end),
            Event::Alias(anchor) => self.alias(anchor, start, end),
            Event::Scalar(text, style, anchor, tag) => {
                return self.scalar(text, style, anchor, tag.as_deref(), start, end);
            }
            Event::SequenceStart(anchor, tag) => {
                return self.collection(NodeKind::Array, anchor, tag.as_deref(), start, end);
            }
            Event::MappingStart(anchor, tag) => {
                return self.collection(NodeKind::Object, anchor, tag.as_deref(), start, end);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                // Flow collections end with their bracket, block collections with their last part.
                if end > start
                    && let Some(bracket) = byte_places::bracket(self.text, start)
                {
                    self.before = bracket + 1;
                }
                self.close(self.before);
            }
        }
        Flow::Continue
    }

    fn document(&mut self, explicit: bool, start: usize, end: usize) -> Flow {
        self.documents += 1;
        if self.documents == 1 {
            if explicit {
                // Properties and signs of the first value come after the `---`.
                self.before = end;
            }
            return Flow::Continue;
        }
        let message =
            "A second document starts here; PyYAML's `safe_load` reads one document per file";
        self.syntax(start, end, message);
        Flow::Stop
    }

    /// Starts a list or a mapping.
    fn collection(
        &mut self,
        kind: NodeKind,
        anchor: usize,
        tag: Option<&Tag>,
        start: usize,
        end: usize,
    ) -> Flow {
        let properties = start;
        let text = self.text;
        let properties_count = usize::from(anchor > 0) + usize::from(tag.is_some());
        let start = if properties_count > 0 {
            byte_places::after_some_properties(text, start, text.len(), properties_count)
        } else if kind == NodeKind::Array && self.expects_value() {
            // The scanner places an unindented list after its first dash.
            byte_places::dash(text, self.before, start).unwrap_or(start)
        } else {
            start
        };
        if self.expects_key() {
            let message = "A key that is a collection; PyYAML accepts only scalars as keys";
            self.syntax(start, end.max(start), message);
            self.skipping = Some((start, 1));
            self.before = start;
            return Flow::Continue;
        }
        let id = self.add(kind, Span::empty(start), None);
        let mut parts = tags::TagParts::Any;
        if let Some(tag) = tag {
            let expected = match kind {
                NodeKind::Array => ["seq", "omap", "pairs"].as_slice(),
                _ => ["map", "set"].as_slice(),
            };
            if self.check_tag(tag, expected, properties, start) {
                parts = tags::TagParts::from_tag(tag);
            }
        }
        if anchor > 0 {
            self.report_anchor(properties, start);
            self.anchors.insert(anchor, YamlAnchor::Open);
        }
        self.before = start;
        self.open.push(OpenCollection {
            id,
            kind,
            parts,
            key: None,
            anchor,
            weight: AliasWeight::of_collection(),
        });
        if self.open.len() <= MAX_DEPTH {
            return Flow::Continue;
        }
        self.too_deep(start);
        Flow::Stop
    }

    /// Ends the innermost collection before byte `end`.
    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.tree.close(open.id, end);
        self.note_part(open.weight);
        if open.parts != tags::TagParts::Any {
            self.tagged.push((open.id, open.parts));
        }
        if open.anchor > 0 {
            let anchor = YamlAnchor::Value(open.id, open.weight);
            self.anchors.insert(open.anchor, anchor);
        }
        if open.kind == NodeKind::Object {
            let (tree, problems) = (&self.tree, &mut self.problems);
            for (first, last) in duplicates(tree, open.id) {
                problems.add_with(RuleId::DuplicateKey, || duplicate_key(tree, first, last));
            }
        }
    }

    /// Counts a part of the innermost collection.
    fn note_part(&mut self, weight: AliasWeight) {
        if let Some(open) = self.open.last_mut() {
            open.weight.add(weight);
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        start: usize,
        end: usize,
    ) -> Flow {
        let is_key = self.expects_key();
        let has_properties = anchor > 0 || tag.is_some();
        let begin = self.scalar_start(style, has_properties, start, end);
        let (text, quoted_end) = if self.shortened.omits(start, end) {
            match self.shortened.confirm(style, begin, &text) {
                Some((full_text, end)) => (Cow::Owned(full_text), Some(end)),
                // The text is then read again, with nothing left out.
                None => return Flow::Stop,
            }
        } else {
            (text, None)
        };
        let span = match quoted_end {
            Some(end) => Span::new(begin, end),
            None => self.scalar_span(&text, style, has_properties, is_key, begin, end),
        };
        let text = self.without_missing_end(text, style, span);
        let text = self.with_line_breaks(text, style, span);
        self.add_scalar(text, style, (anchor, tag), start, span);
        Flow::Continue
    }

    /// Adds a scalar at its place; its properties, an anchor and a tag, begin at `start`.
    fn add_scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        (anchor, tag): (usize, Option<&Tag>),
        start: usize,
        span: Span,
    ) {
        let is_key = self.expects_key();
        let has_properties = anchor > 0 || tag.is_some();
        let raw = self.source.slice(span);
        let previous_end = std::mem::replace(&mut self.before, span.end as usize);
        if style == ScalarStyle::Plain {
            self.report_tab(span.start as usize, self.before);
        }
        // Tabs in quotes and in blocks are legal.
        self.without_tab = self.without_tab.max(self.before);
        let plain_kind = match style {
            ScalarStyle::Plain if tag.is_none() => scalar::resolve(&text),
            _ => Plain::Text,
        };
        if anchor > 0 {
            self.report_anchor(start, span.start as usize);
        }
        if is_key {
            if style == ScalarStyle::Plain {
                if text.is_empty() && !has_properties {
                    self.report_missing_key(previous_end);
                }
                self.report_flow_sign(span);
            }
            self.report_stale_key(previous_end, start.min(span.start as usize), span.end as usize);
            if anchor > 0 {
                self.anchors.insert(anchor, YamlAnchor::Key(text.clone().into_owned()));
            }
            if let Some(tag) = tag {
                // Only for what it reports: keys have no type.
                self.scalar_kind(tag, raw, start, span.start as usize);
            }
            let kind = if plain_kind == Plain::Merge { KeyKind::Merge } else { KeyKind::Ordinary };
            let text = to_scalar(raw, text, style);
            self.set_key(MemberKey { span, text }, kind);
            return;
        }
        let kind = match tag {
            Some(tag) => self.scalar_kind(tag, &text, start, span.start as usize),
            None => kind_of(plain_kind),
        };
        if style == ScalarStyle::Plain {
            self.report_flow_sign(span);
        }
        if plain_kind != Plain::Text && !scalar::is_accepted(&text, plain_kind) {
            let message = format!(
                "{} without quotes is refused by PyYAML, which reads it as {}",
                quoted(&text),
                refused_as(plain_kind)
            );
            self.syntax(span.start as usize, span.end as usize, message);
        }
        let weight = AliasWeight::of_scalar(&text);
        let scalar = to_scalar(raw, text, style);
        // A number, date or boolean needs its text only where that differs from its bytes.
        let scalar =
            (kind == NodeKind::String || !matches!(scalar, Scalar::Plain)).then_some(scalar);
        let id = self.add(kind, span, scalar);
        self.note_part(weight);
        if anchor > 0 {
            self.anchors.insert(anchor, YamlAnchor::Value(id, weight));
        }
    }

    /// A block that the file ends without a line end has none in PyYAML either; the parser adds one.
    fn without_missing_end<'t>(
        &self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Cow<'t, str> {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let rest = &self.text[span.end as usize..];
        match text.strip_suffix('\n') {
            Some(line) if is_block && !rest.contains(['\n', '\r']) => Cow::Owned(line.to_owned()),
            _ => text,
        }
    }

    /// Returns the value of a scalar with the line breaks that the scanner did not get.
    fn with_line_breaks<'t>(
        &self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Cow<'t, str> {
        let source_text = self.source.text();
        if !self.has_breaks {
            return text;
        }
        // The line breaks after a block may belong to it.
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let rest_len = source_text[span.end as usize..].trim_start().len();
        let end = if is_block { source_text.len() - rest_len } else { span.end as usize };
        let has_breaks = line_breaks::has_any(&source_text[span.start as usize..end]);
        let source_rest = &source_text[span.start as usize..];
        let decode = || line_breaks::decode(source_rest, span.len(), style, &text);
        has_breaks.then(decode).flatten().map_or(text, Cow::Owned)
    }

    /// Start of a scalar, after the anchor and the tag before it; of a block scalar, its header.
    fn scalar_start(&self, style: ScalarStyle, has_tag: bool, start: usize, end: usize) -> usize {
        let yaml = self.text;
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded if has_tag => {
                byte_places::block_header(yaml, start, end)
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                byte_places::block_header(yaml, self.before, start.max(self.before))
            }
            _ if has_tag => byte_places::after_properties(yaml, start, end),
            _ => start,
        }
    }

    /// The bytes of a scalar that begins at [`start`](Self::scalar_start).
    fn scalar_span(
        &self,
        text: &str,
        style: ScalarStyle,
        has_properties: bool,
        is_key: bool,
        start: usize,
        end: usize,
    ) -> Span {
        let yaml = self.text;
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let end = byte_places::block_end(yaml, start, end, text);
                // As above, a line break that was replaced takes several bytes.
                Span::new(start, self.source.text().floor_char_boundary(end))
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                Span::new(start, byte_places::quoted_end(yaml, start, end))
            }
            ScalarStyle::Plain if text.is_empty() && !has_properties && is_key => {
                Span::empty(start.max(self.before))
            }
            ScalarStyle::Plain if text.is_empty() && !has_properties => {
                Span::empty(byte_places::after_sign(yaml, self.before).unwrap_or(self.before))
            }
            ScalarStyle::Plain => Span::new(start, end),
        }
    }

    /// True when the next value is a mapping's key.
    fn expects_key(&self) -> bool {
        let open = self.open.last();
        open.is_some_and(|open| open.kind == NodeKind::Object && open.key.is_none())
    }

    /// True when the next value is that of a mapping's key.
    fn expects_value(&self) -> bool {
        self.open.last().is_some_and(|open| open.key.is_some())
    }

    fn set_key(&mut self, key: MemberKey, kind: KeyKind) {
        if let Some(open) = self.open.last_mut() {
            open.key = Some((key, kind));
        }
    }

    fn add(&mut self, kind: NodeKind, span: Span, text: Option<Scalar>) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        let key = self.open.last_mut().and_then(|open| open.key.take());
        let (key, key_kind) = key.unzip();
        let id = self.tree.push(parent, key, kind, span, text);
        if key_kind == Some(KeyKind::Merge) {
            self.merge(id, kind, span);
        }
        id
    }

    fn merge(&mut self, id: NodeId, kind: NodeKind, span: Span) {
        if matches!(kind, NodeKind::Object | NodeKind::Array) {
            self.tree.set_merge(id);
            self.merges.push(id);
            return;
        }
        let message = format!("`<<` merges mappings, and {} is none", kind.name());
        self.syntax(span.start as usize, span.end as usize, message);
    }

    /// Reports lists merged by `<<` whose elements are not all mappings; aliases are resolved by now.
    fn report_unmergeable(&mut self) {
        let (tree, problems) = (&self.tree, &mut self.problems);
        for merge in self.merges.iter().map(|&id| tree.node(id)) {
            let mut parts = merge.items().filter(|_| merge.kind() == NodeKind::Array);
            if let Some(element) = parts.find(|part| part.kind() != NodeKind::Object) {
                let kind = element.kind().name();
                let message =
                    format!("`<<` merges mappings, and {kind} in this list is not a mapping");
                problems.at(RuleId::Syntax, merge, message);
            }
        }
    }

    /// Skips a collection as a key, up to its end.
    fn skip(&mut self, event: &Event<'_>, end: usize) {
        let Some((start, depth)) = self.skipping else { return };
        let depth = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth + 1,
            Event::SequenceEnd | Event::MappingEnd => depth - 1,
            _ => depth,
        };
        self.before = self.before.max(end);
        self.skipping = (depth > 0).then_some((start, depth));
        if depth == 0 {
            let span = Span::new(start, self.before);
            let text = Scalar::Plain;
            self.set_key(MemberKey { span, text }, KeyKind::Ordinary);
        }
    }
}

/// Returns how the tree refers to the text of a scalar that is written as `raw`.
fn to_scalar(raw: &str, text: Cow<'_, str>, style: ScalarStyle) -> Scalar {
    // A quoted text is borrowed only from the text of the file.
    let is_same = || matches!(text, Cow::Borrowed(_)) || raw.get(1..raw.len() - 1) == Some(&*text);
    match style {
        ScalarStyle::Plain if raw == text => Scalar::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
            if raw.len() == text.len() + 2 && is_same() =>
        {
            Scalar::Quoted
        }
        _ => Scalar::Decoded(text.into_owned()),
    }
}

fn kind_of(plain_kind: Plain) -> NodeKind {
    match plain_kind {
        Plain::Null => NodeKind::Null,
        Plain::Bool => NodeKind::Bool,
        Plain::Number => NodeKind::Number,
        Plain::Timestamp => NodeKind::Timestamp,
        Plain::Merge | Plain::Default | Plain::Text => NodeKind::String,
    }
}
