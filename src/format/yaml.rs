//! YAML as PyYAML's `safe_load` accepts it (YAML 1.1), read with places and up to the first fault.
//!
//! Tags construct nothing: those of YAML itself say what kind of value stands there, and any other is told, since
//! `safe_load` refuses it. Aliases stand for the value they name, as long as a file does not grow out of all proportion.

mod places;
#[cfg(test)]
mod tests;
pub mod write;

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::json::{MAX_DEPTH, duplicate_key, duplicates, quoted};
use super::problem::{Problem, RuleId};
use super::problems::Problems;
use super::scalar::{self, Plain};
use super::tree::{Key, NodeId, NodeKind, Scalar, Tree};
use super::{Node, Syntax};
use crate::text::{Source, Span};
use places::Places;

/// How many values all aliases of a file may stand for together.
const MAX_ALIASED_VALUES: u64 = 100_000;

/// How many bytes of text all aliases of a file may stand for together.
const MAX_ALIASED_BYTES: u64 = 16 << 20;

/// Reads a YAML text. Always answers: what is broken becomes a problem, and everything before it is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    let text = source.text();
    let mut reader = Reader {
        source,
        places: Places::new(text),
        tree: Tree::new(source.clone(), Syntax::Yaml),
        problems: Problems::default(),
        open: Vec::new(),
        before: source.content_start(),
        skipping: None,
        documents: 0,
        without_tab: 0,
        anchors: HashMap::new(),
        aliases: Aliases::Resolved(Vec::new(), Weight::default()),
    };
    reader.tell_unprintable();
    reader.read(Parser::new_from_str(text));
    while !reader.open.is_empty() {
        reader.close(reader.before);
    }
    if let Aliases::Resolved(aliases, _) = &reader.aliases {
        for &(alias, target) in aliases {
            reader.tree.set_alias(alias, target);
        }
    }
    let problems = reader.problems.finish();
    reader.tree.set_fault(&problems);
    (reader.tree, problems)
}

struct Reader<'a> {
    source: &'a Source,
    places: Places<'a>,
    tree: Tree,
    problems: Problems,
    /// The collections around what is read, outermost first.
    open: Vec<Open>,
    /// The byte after the last piece of a value that was read.
    before: usize,
    /// A key that is a collection is passed over; where it starts, and how deep reading is in it.
    skipping: Option<(usize, usize)>,
    documents: usize,
    /// Up to this byte no tab was found between values; the end of the text once one was told.
    without_tab: usize,
    anchors: HashMap<usize, Anchor>,
    aliases: Aliases,
}

struct Open {
    id: NodeId,
    kind: NodeKind,
    /// A mapping's key whose value comes next, and whether it merges.
    key: Option<(Key, KeyKind)>,
    anchor: usize,
    weight: Weight,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    Ordinary,
    Merge,
}

/// What an anchor names.
enum Anchor {
    /// A value that is read, and what an alias of it stands for.
    Value(NodeId, Weight),
    /// A collection that is still being read.
    Open,
    /// A scalar that is a key.
    Key(String),
}

/// What a value amounts to when every alias in it is followed.
#[derive(Clone, Copy, Default)]
struct Weight {
    values: u64,
    bytes: u64,
    depth: usize,
}

impl Weight {
    fn of_scalar(text: &str) -> Self {
        Self {
            values: 1,
            bytes: text.len() as u64,
            depth: 0,
        }
    }

    fn take_in(&mut self, part: Self) {
        self.values = self.values.saturating_add(part.values);
        self.bytes = self.bytes.saturating_add(part.bytes);
        self.depth = self.depth.max(part.depth + 1);
    }
}

/// The aliases of a file, each with what it stands for.
enum Aliases {
    /// They will be followed; with what they amount to together.
    Resolved(Vec<(NodeId, NodeId)>, Weight),
    /// They stand for too much, and none is followed.
    TooMany,
}

/// Whether reading goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    Stop,
}

impl<'a> Reader<'a> {
    fn read(&mut self, mut parser: Parser<'a, StrInput<'a>>) {
        while let Some(next) = parser.next_event() {
            let flow = match next {
                Ok((event, span)) => {
                    let start = self.places.byte(span.start.index());
                    let end = self.places.byte(span.end.index()).max(start);
                    self.event(event, start, end)
                }
                Err(error) => self.scan_error(&error),
            };
            if flow == Flow::Stop {
                return;
            }
        }
    }

    fn event(&mut self, event: Event<'a>, start: usize, end: usize) -> Flow {
        self.tell_tab(self.before, start);
        if self.skipping.is_some() {
            self.skip(&event, end);
            return Flow::On;
        }
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(explicit) => return self.document(explicit, start, end),
            Event::Alias(anchor) => self.alias(anchor, start, end),
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, anchor, tag.as_deref(), start, end);
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
                    && let Some(bracket) = places::bracket(self.source.text(), start)
                {
                    self.before = bracket + 1;
                }
                self.close(self.before);
            }
        }
        Flow::On
    }

    fn document(&mut self, explicit: bool, start: usize, end: usize) -> Flow {
        self.documents += 1;
        if self.documents == 1 {
            if explicit {
                self.before = end;
            }
            return Flow::On;
        }
        let what = "A second document starts here; PyYAML's `safe_load` takes one document a file";
        self.syntax(start, end, what);
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
        let text = self.source.text();
        let start = match anchor > 0 || tag.is_some() {
            true => places::after_properties(text, start, text.len()),
            // The scanner places a list that is not indented behind its first dash.
            false if kind == NodeKind::Array && self.expects_value() => {
                places::dash(text, self.before, start).unwrap_or(start)
            }
            false => start,
        };
        if self.expects_key() {
            let what = "A key that is a collection; PyYAML takes only scalars as keys";
            self.syntax(start, end.max(start), what);
            self.skipping = Some((start, 1));
            self.before = start;
            return Flow::On;
        }
        let id = self.add(kind, Span::empty(start), None);
        if let Some(tag) = tag {
            let expected = match kind {
                NodeKind::Array => ["seq", "omap", "pairs"].as_slice(),
                _ => ["map", "set"].as_slice(),
            };
            self.check_tag(tag, expected, properties, start);
        }
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Open);
        }
        self.before = start;
        self.open.push(Open {
            id,
            kind,
            key: None,
            anchor,
            weight: Weight {
                values: 1,
                ..Weight::default()
            },
        });
        if self.open.len() <= MAX_DEPTH {
            return Flow::On;
        }
        self.too_deep(start);
        Flow::Stop
    }

    fn too_deep(&mut self, start: usize) {
        let what = format!(
            "More than {MAX_DEPTH} values inside each other; the rest of the file is not read"
        );
        let around = self.open.last().map(|open| self.tree.node(open.id));
        let pointer = around.map_or(String::new(), Node::pointer);
        let span = Span::empty(start);
        let problem = Problem::at(RuleId::NestingTooDeep, self.source, span, pointer, what);
        self.problems.add(problem);
    }

    /// Ends the innermost collection before byte `end`.
    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.tree.close(open.id, end);
        self.came(open.weight);
        if open.anchor > 0 {
            let anchor = Anchor::Value(open.id, open.weight);
            self.anchors.insert(open.anchor, anchor);
        }
        if open.kind == NodeKind::Object {
            let (tree, problems) = (&self.tree, &mut self.problems);
            for (earlier, last) in duplicates(tree, open.id) {
                problems.add_with(RuleId::DuplicateKey, || duplicate_key(tree, earlier, last));
            }
        }
    }

    /// Counts a part of the innermost collection.
    fn came(&mut self, weight: Weight) {
        if let Some(open) = self.open.last_mut() {
            open.weight.take_in(weight);
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        start: usize,
        end: usize,
    ) {
        let is_key = self.expects_key();
        let has_properties = anchor > 0 || tag.is_some();
        let span = self.scalar_span(&text, style, has_properties, is_key, start, end);
        let text = self.without_missing_end(text, style, span);
        let raw = self.source.slice(span);
        let kept = match style {
            ScalarStyle::Plain if raw == text => Scalar::Plain,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted
                if raw.len() == text.len() + 2 && raw.get(1..raw.len() - 1) == Some(&*text) =>
            {
                Scalar::Quoted
            }
            _ => Scalar::Decoded(text.clone().into_owned()),
        };
        self.before = span.end as usize;
        if style == ScalarStyle::Plain {
            self.tell_tab(span.start as usize, self.before);
        }
        self.without_tab = self.without_tab.max(self.before);
        let plain = match style {
            ScalarStyle::Plain if tag.is_none() => scalar::resolve(&text),
            _ => Plain::Text,
        };
        if is_key {
            if anchor > 0 {
                self.anchors.insert(anchor, Anchor::Key(text.into_owned()));
            }
            if let Some(tag) = tag {
                self.scalar_kind(tag, raw, start, span.start as usize);
            }
            let kind = match plain {
                Plain::Merge => KeyKind::Merge,
                _ => KeyKind::Ordinary,
            };
            self.set_key(Key { span, text: kept }, kind);
            return;
        }
        let kind = match tag {
            Some(tag) => self.scalar_kind(tag, &text, start, span.start as usize),
            None => kind_of(plain),
        };
        if plain != Plain::Text && !scalar::is_accepted(&text, plain) {
            let what = format!(
                "{} without quotes is refused by PyYAML; it takes it for {}",
                quoted(&text),
                refused_as(plain)
            );
            self.syntax(span.start as usize, span.end as usize, what);
        }
        let kept = (kind == NodeKind::String || !matches!(kept, Scalar::Plain)).then_some(kept);
        let id = self.add(kind, span, kept);
        let weight = Weight::of_scalar(&text);
        self.came(weight);
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Value(id, weight));
        }
    }

    /// A block that the file ends without a line end has none in PyYAML either; the parser adds one.
    fn without_missing_end(
        &self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        span: Span,
    ) -> Cow<'a, str> {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let rest = &self.source.text()[span.end as usize..];
        match text.strip_suffix('\n') {
            Some(cut) if is_block && !rest.contains(['\n', '\r']) => Cow::Owned(cut.to_owned()),
            _ => text,
        }
    }

    /// The bytes of a scalar without the anchor and tag before it, block scalars with their header.
    fn scalar_span(
        &self,
        text: &str,
        style: ScalarStyle,
        has_properties: bool,
        is_key: bool,
        start: usize,
        end: usize,
    ) -> Span {
        let whole = self.source.text();
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let header = places::block_header(whole, self.before, start.max(self.before));
                let header = match has_properties {
                    true => places::block_header(whole, start, end),
                    false => header,
                };
                Span::new(header, places::block_end(whole, header, end))
            }
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let start = match has_properties {
                    true => places::after_properties(whole, start, end),
                    false => start,
                };
                Span::new(start, places::quoted_end(whole, start, end))
            }
            _ if has_properties => {
                let start = places::after_properties(whole, start, end);
                Span::new(start, end)
            }
            ScalarStyle::Plain if text.is_empty() && is_key => Span::empty(start.max(self.before)),
            ScalarStyle::Plain if text.is_empty() => {
                Span::empty(places::after_sign(whole, self.before).unwrap_or(self.before))
            }
            _ => Span::new(start, end),
        }
    }

    fn alias(&mut self, anchor: usize, start: usize, end: usize) {
        let span = Span::new(start, end);
        let name = quoted(self.source.slice(span));
        self.before = end;
        if self.expects_key() {
            let text = match self.anchors.get(&anchor) {
                Some(Anchor::Key(text)) => Some(text.clone()),
                Some(&Anchor::Value(id, _)) => self.tree.node(id).scalar_text().map(str::to_owned),
                Some(Anchor::Open) | None => None,
            };
            if text.is_none() {
                let what = format!(
                    "{name} as a key stands for a collection; PyYAML takes only scalars as keys"
                );
                self.syntax(start, end, what);
            }
            let text = text.map_or(Scalar::Plain, Scalar::Decoded);
            self.set_key(Key { span, text }, KeyKind::Ordinary);
            return;
        }
        let target = match self.anchors.get(&anchor) {
            Some(&Anchor::Value(id, weight)) => Ok((id, weight)),
            Some(Anchor::Key(text)) => Err(text.clone()),
            Some(Anchor::Open) | None => {
                self.add(NodeKind::Null, span, None);
                let what =
                    format!("{name} stands inside the value it stands for, which would never end");
                return self.alias_problem(span, what);
            }
        };
        let (target, weight) = match target {
            Ok(target) => target,
            Err(text) => {
                self.came(Weight::of_scalar(&text));
                self.add(NodeKind::String, span, Some(Scalar::Decoded(text)));
                return;
            }
        };
        let kind = self.tree.node(target).kind();
        let id = self.add_alias(kind, span);
        self.came(weight);
        self.follow(id, target, weight, span);
    }

    /// Keeps in mind what an alias stands for, unless all together stand for too much.
    fn follow(&mut self, alias: NodeId, target: NodeId, weight: Weight, span: Span) {
        let Aliases::Resolved(aliases, sum) = &mut self.aliases else {
            return;
        };
        sum.take_in(weight);
        aliases.push((alias, target));
        let what = if self.open.len() + weight.depth > MAX_DEPTH {
            format!(
                "Aliases lead to more than {MAX_DEPTH} values inside each other; none is followed"
            )
        } else if sum.values > MAX_ALIASED_VALUES {
            format!("Aliases stand for more than {MAX_ALIASED_VALUES} values; none is followed")
        } else if sum.bytes > MAX_ALIASED_BYTES {
            let mib = MAX_ALIASED_BYTES >> 20;
            format!("Aliases stand for more than {mib} MiB of text; none is followed")
        } else {
            return;
        };
        self.aliases = Aliases::TooMany;
        self.alias_problem(span, what);
    }

    fn alias_problem(&mut self, span: Span, what: String) {
        let around = self.open.last().map(|open| self.tree.node(open.id));
        let pointer = around.map_or(String::new(), Node::pointer);
        let problem = Problem::at(RuleId::NestingTooDeep, self.source, span, pointer, what);
        self.problems.add(problem);
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

    fn set_key(&mut self, key: Key, kind: KeyKind) {
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

    /// Adds an alias. Until all are read it stands for nothing.
    fn add_alias(&mut self, target: NodeKind, span: Span) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        let key = self.open.last_mut().and_then(|open| open.key.take());
        let (key, key_kind) = key.unzip();
        let id = self.tree.push(parent, key, NodeKind::Null, span, None);
        if key_kind == Some(KeyKind::Merge) {
            self.merge(id, target, span);
        }
        id
    }

    fn merge(&mut self, id: NodeId, kind: NodeKind, span: Span) {
        if matches!(kind, NodeKind::Object | NodeKind::Array) {
            self.tree.set_merge(id);
            return;
        }
        let what = format!("`<<` merges mappings, and {} is none", kind.name());
        self.syntax(span.start as usize, span.end as usize, what);
    }

    /// Passes over a key that is a collection, up to its end.
    fn skip(&mut self, event: &Event<'a>, end: usize) {
        let Some((start, depth)) = self.skipping else {
            return;
        };
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
            self.set_key(Key { span, text }, KeyKind::Ordinary);
        }
    }

    /// What kind of value a tag makes of a scalar. One that `safe_load` refuses is told.
    fn scalar_kind(&mut self, tag: &Tag, text: &str, start: usize, end: usize) -> NodeKind {
        let core = core_tag(tag);
        let kind = match core.as_deref() {
            Some("int" | "float") => NodeKind::Number,
            Some("bool") => NodeKind::Bool,
            Some("null") => NodeKind::Null,
            Some("timestamp") => NodeKind::Timestamp,
            _ => NodeKind::String,
        };
        let fits = match kind {
            NodeKind::Number => scalar::number(text).is_some(),
            NodeKind::Bool => scalar::boolean(text).is_some(),
            NodeKind::Timestamp => scalar::is_accepted(text, Plain::Timestamp),
            _ => true,
        };
        let scalars = ["str", "int", "float", "bool", "null", "timestamp", "binary"];
        if self.check_tag(tag, &scalars, start, end) && !fits {
            let written = self.source.slice(Span::new(start, end)).trim();
            let what = format!("{} is no {}", quoted(text), quoted(written));
            self.syntax(start, end, what);
            return NodeKind::String;
        }
        kind
    }

    /// Tells of a tag that `safe_load` refuses where it stands; `start` is where it begins, `end` where the value begins.
    fn check_tag(&mut self, tag: &Tag, expected: &[&str], start: usize, end: usize) -> bool {
        let core = core_tag(tag);
        if core
            .as_deref()
            .is_some_and(|core| core == "!" || expected.contains(&core))
        {
            return true;
        }
        let properties = self.source.slice(Span::new(start, end));
        let at = start + properties.find('!').unwrap_or_default();
        let written = self.source.slice(Span::new(at, end));
        let written = written.split_ascii_whitespace().next().unwrap_or_default();
        let known = [
            "str",
            "int",
            "float",
            "bool",
            "null",
            "timestamp",
            "binary",
            "seq",
            "map",
            "omap",
            "pairs",
            "set",
        ];
        let what = match core.as_deref().is_some_and(|core| known.contains(&core)) {
            true => format!("The tag {} does not fit this value", quoted(written)),
            false => format!(
                "The tag {} is refused by PyYAML's `safe_load`; nothing is made of it here",
                quoted(written)
            ),
        };
        self.syntax(at, at + written.len(), what);
        false
    }

    /// Between values, and in a text without quotes, PyYAML takes no tab but in comments.
    fn tell_tab(&mut self, start: usize, end: usize) {
        let start = start.max(self.without_tab);
        if start >= end {
            return;
        }
        self.without_tab = end;
        if let Some(at) = places::tab(self.source.text(), start, end) {
            self.without_tab = self.source.text().len();
            let what = "A tab, which PyYAML takes only inside quotes; spaces are expected";
            self.syntax(at, at + 1, what);
        }
    }

    /// PyYAML refuses a text that holds a control character, wherever it stands.
    fn tell_unprintable(&mut self) {
        let text = self.source.text();
        let is_refused = |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
        let found = text.char_indices().find(|(_, c)| is_refused(*c));
        if let Some((at, c)) = found {
            let code = c as u32;
            let what = format!(
                "The character U+{code:04X}, which PyYAML refuses; in double quotes `\\u{code:04x}` stands for it"
            );
            self.syntax(at, at + c.len_utf8(), what);
        }
    }

    fn scan_error(&mut self, error: &ScanError) -> Flow {
        let at = self.places.byte(error.marker().index());
        if error.info() == "recursion limit exceeded" {
            self.too_deep(at);
            return Flow::Stop;
        }
        let at = match error.info().starts_with("simple key") {
            // The scanner has passed the key when it misses the colon.
            true => places::last_line(self.source.text(), at),
            false => at,
        };
        self.syntax(at, at, explain(error.info()));
        Flow::Stop
    }

    fn syntax(&mut self, start: usize, end: usize, message: impl Into<Box<str>>) {
        let around = self.open.last().map(|open| self.tree.node(open.id));
        let pointer = around.map_or(String::new(), Node::pointer);
        let span = Span::new(start, end);
        let problem = Problem::at(RuleId::Syntax, self.source, span, pointer, message);
        self.problems.add(problem);
    }
}

fn kind_of(plain: Plain) -> NodeKind {
    match plain {
        Plain::Null => NodeKind::Null,
        Plain::Bool => NodeKind::Bool,
        Plain::Number => NodeKind::Number,
        Plain::Timestamp => NodeKind::Timestamp,
        Plain::Merge | Plain::Default | Plain::Text => NodeKind::String,
    }
}

/// What PyYAML takes a scalar for that it then cannot make.
fn refused_as(plain: Plain) -> &'static str {
    match plain {
        Plain::Timestamp => "a date, which it is not",
        Plain::Number => "a number, which it is not",
        Plain::Merge => "a merge",
        _ => "a default value",
    }
}

/// The name of a tag of YAML itself (`str` for `!!str`), `!` for the tag that says nothing, `None` for any other.
fn core_tag(tag: &Tag) -> Option<Cow<'_, str>> {
    const CORE: &str = "tag:yaml.org,2002:";
    if tag.handle == CORE {
        return Some(Cow::Borrowed(&tag.suffix));
    }
    let whole = format!("{}{}", tag.handle, tag.suffix);
    match whole.strip_prefix(CORE) {
        Some(name) => Some(Cow::Owned(name.to_owned())),
        None => (whole == "!").then_some(Cow::Borrowed("!")),
    }
}

/// The parser's words for the commonest faults, said so that one knows what to do.
fn explain(info: &str) -> String {
    let said = match info {
        "mapping values are not allowed in this context" => {
            "A colon that starts a value is not allowed here; a text with `: ` in it needs quotes"
        }
        "while parsing a block mapping, did not find expected key" => {
            "A key is expected here, at the indentation of the keys before it"
        }
        "while parsing a block collection, did not find expected '-' indicator" => {
            "`-` is expected here, at the indentation of the elements before it"
        }
        "simple key expect ':'" | "simple key expected" | "simple key expected ':'" => {
            "A colon is expected after this key"
        }
        "while parsing a flow mapping, did not find expected ',' or '}'" => {
            "A comma or `}` is expected here"
        }
        "while parsing a flow sequence, expected ',' or ']'" => "A comma or `]` is expected here",
        "while scanning a quoted scalar, found unexpected end of stream" => {
            "The file ends inside a text in quotes"
        }
        "while parsing node, found unknown anchor" => {
            "An alias for which there is no anchor before"
        }
        "tab cannot be used as indentation"
        | "tabs disallowed in this context"
        | "tabs disallowed within this context (block indentation)"
        | "a block scalar content cannot start with a tab" => {
            "A tab as indentation; YAML takes only spaces"
        }
        "while parsing a quoted scalar, found unknown escape character" => {
            "An escape in this text is none of YAML; a backslash in double quotes is written `\\\\`"
        }
        "illegal placement of ':' indicator" => {
            "A colon is not allowed here; the bracket that closes the list before may be missing"
        }
        "invalid indentation in quoted scalar" => {
            "A text in quotes goes on at a lower indentation; its closing quote may be missing"
        }
        "':' must be followed by a valid YAML whitespace" => "A space is expected after the colon",
        "unexpected eof" => "The file ends too early",
        _ => match info.strip_prefix("unexpected character: `") {
            Some(c) => {
                let c = c.trim_end_matches('\'');
                return format!("{} cannot start a text without quotes", quoted(c));
            }
            None => return format!("The YAML parser says: {info}"),
        },
    };
    said.to_owned()
}
