//! Machines of DyGram: parsing, comparison, effects of changes on recordings, and drawings.
//!
//! [`Machine::read`] parses a source and never fails. [`Graph`] resolves its names and knows which tools a request made
//! at a node [offers](Graph::offer). [`MachineDiff`] describes the changes between two machines, and [`affected`]
//! decides whether a recording still matches the request that its node would make today. The language is defined by
//! DyGram. [`picture`] has the shapes that window and SVG files draw, for other drawings too, and [`layout`] places nodes.
//!
//! It does not find or read files: versions of a source come from the caller.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod html;
pub mod layout;
pub mod picture;
pub mod stamp;

mod affected;
mod coverage;
mod describe;
mod diff;
mod edge_role;
mod expand;
mod graph;
mod map;
pub mod map_picture;
mod offer;
mod read;
mod rename;
mod stored;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod token;

use std::collections::HashSet;
use std::fmt;

use document::text::{Place, Source, Span};

pub use affected::{Affected, BreakLocation, RecordingFacts, SourceVersions, affected, node_line};
pub use coverage::{
    CallAtNode, CoveredShare, LinkCoverage, MachineCoverage, NodeCoverage, PlacedCall,
};
pub use describe::{ChangedPart, MachineChangeKind, MachineSubject};
pub use diff::{MachineChange, MachineDiff, Spans};
pub use graph::{Graph, GraphNodeId, Link};
pub use map::{
    EdgeState, MachineMap, MachineVersion, MapEdge, MapNode, MapNodeKind, MapVersion, NodeChange,
    NodeState, VersionFit,
};
pub use offer::{ModelUse, NodeOffer, ToolName, Uncertain, renamed_tools, short_tool, tool_prefix};
pub use stored::StoredNames;
pub use token::{Arrow, Comment};

/// A parsed source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// `machine "Title"`
    pub title: Option<SpannedText>,
    /// Annotations after the title.
    pub annotations: Vec<Annotation>,
    /// Attributes outside of every node.
    pub attributes: Vec<Attribute>,
    /// All nodes, including nested ones, in the order of the text.
    pub nodes: Vec<MachineNode>,
    /// All edges, in the order of the text. A chain `a -> b -> c` is two.
    pub edges: Vec<Edge>,
    /// `import { a } from "./x"`
    pub imports: Vec<Import>,
    /// Notes for nodes: for people, as comments are.
    pub notes: Vec<MachineNote>,
    /// All comments, in the order of the text.
    pub comments: Vec<Comment>,
    /// Problems in the order of the text.
    pub problems: Vec<MachineProblem>,
}

/// A name or text with its place. For a string, the text is unquoted and unescaped; its span includes the quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpannedText {
    pub text: Box<str>,
    pub span: Span,
}

/// A node: `[type] name ["title"] [@annotation] [{ … }]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineNode {
    /// The type before the name.
    pub kind: Option<SpannedText>,
    /// Its own name, without `#`.
    pub name: SpannedText,
    /// Its qualified name: `a.b`.
    pub qualified: Box<str>,
    /// Title that is shown instead of the name.
    pub title: Option<SpannedText>,
    /// Index of its parent node.
    pub parent: Option<usize>,
    /// In order.
    pub attributes: Vec<Attribute>,
    /// In order.
    pub annotations: Vec<Annotation>,
    /// The whole node, with its children.
    pub span: Span,
}

/// `name<Type>: value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Before the colon.
    pub name: SpannedText,
    /// Between angle brackets, without white space.
    pub kind: Option<SpannedText>,
    /// Behind the colon.
    pub value: Option<AttributeValue>,
    pub span: Span,
}

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeValue {
    /// The text: a string unquoted, anything else normalized.
    pub text: Box<str>,
    pub kind: ValueKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// In quotes.
    String,
    /// `12`, `-0.5`
    Number,
    /// A name, or `true` and `false`.
    Name,
    /// `#name`
    External,
    /// `{{ … }}`
    Template,
    /// `[ … ]`
    List,
    /// `{ … }`
    Object,
    /// Several signs and names: `count > 3`.
    Expression,
}

/// `@name` or `@name(…)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Behind the `@`.
    pub name: SpannedText,
    /// Between the parentheses; of a single string what it means.
    pub value: Option<Box<str>>,
    pub span: Span,
}

/// One arrow, with everything at both of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Before the arrow; at least one.
    pub sources: Vec<SpannedText>,
    /// Behind the arrow; at least one.
    pub targets: Vec<SpannedText>,
    /// Its kind, by its head.
    pub arrow: Arrow,
    /// Text in the arrow, without attributes and annotations.
    pub label: Option<SpannedText>,
    /// `name: value` in the arrow or in braces behind the targets.
    pub attributes: Vec<Attribute>,
    /// In the arrow.
    pub annotations: Vec<Annotation>,
    /// The string before the arrow.
    pub source_count: Option<SpannedText>,
    /// The string behind the arrow.
    pub target_count: Option<SpannedText>,
    /// The node that contains it.
    pub inside: Option<usize>,
    /// From its first source to its last target.
    pub span: Span,
}

/// An import from another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The names there, each with the name here.
    pub names: Vec<(SpannedText, SpannedText)>,
    /// Path of the other machine.
    pub path: SpannedText,
    pub span: Span,
}

/// A note for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineNote {
    /// The name of the node that DyGram makes of it: `for` in `note for a "…"`, `a` in `note a "…"`.
    pub name: SpannedText,
    /// The node it is for.
    pub target: SpannedText,
    pub text: SpannedText,
    pub span: Span,
}

/// A part that could not be parsed, or is not terminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineProblem {
    /// Recovery of the parser.
    pub recovery: ParseRecovery,
    /// Its place.
    pub span: Span,
    /// Line and column.
    pub place: Place,
    /// One sentence.
    pub message: Box<str>,
}

/// Recovery of the parser after a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParseRecovery {
    /// A missing end was assumed; nothing is lost.
    Unended,
    /// A part was skipped.
    Skipped,
}

impl Machine {
    /// Parses a source. Never fails, and takes linear time. A node with a path as name is inside the nodes of the path:
    /// `node a.b;` is `a { node b; }`.
    pub fn read(source: &Source) -> Self {
        expand::expand(read::read(source))
    }

    /// Returns the title, as in `sourceMetadata.machineTitle`.
    pub fn title(&self) -> Option<&str> {
        self.title.as_ref().map(|title| &*title.text)
    }

    /// Returns the names of all nodes, as in `sourceMetadata.nodeNames`: declared ones, then those that only edges and
    /// notes name.
    pub fn node_names(&self) -> Vec<&str> {
        self.named_spans().into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the names of all nodes with the place of their first mention.
    fn named_spans(&self) -> Vec<(&str, Span)> {
        let declared_spans = self.nodes.iter().map(|node| (&*node.name.text, node.span));
        let mut spans: Vec<(&str, Span)> = declared_spans.collect();
        let mut unique_names: HashSet<&str> = spans.iter().map(|(name, _)| *name).collect();
        if !self.is_strict() {
            let graph = Graph::new(self);
            let undeclared_ids = self.nodes.len()..graph.ids().end;
            for id in undeclared_ids.filter(|id| unique_names.insert(graph.name(*id))) {
                let ends = graph.entering(id).chain(graph.leaving(id)).next();
                // A node that only a path names may have no link of its own.
                let inner = || graph.inside(id).iter().find_map(|id| graph.entering(*id).next());
                let span = ends.or_else(inner).map(|link| graph.edge(link).span);
                spans.push((graph.name(id), span.unwrap_or_default()));
            }
        }
        for note in &self.notes {
            // A path in a note leads to a node, and DyGram creates no node for it.
            let names = [&note.name, &note.target].into_iter();
            for name in names.filter(|name| !name.text.contains('.')) {
                if unique_names.insert(&name.text) {
                    spans.push((&name.text, note.span));
                }
            }
        }
        spans
    }

    /// Returns whether only declared nodes exist, because of `@StrictMode`.
    pub fn is_strict(&self) -> bool {
        edge_role::is_on(&self.annotations, &["strictmode", "strict"])
    }

    /// Returns the labels of edges, each once, as in `sourceMetadata.edgeLabels`.
    pub fn edge_labels(&self) -> Vec<String> {
        let mut unique_labels = HashSet::new();
        let labels = self.edges.iter().filter_map(Edge::label);
        labels.filter(|label| unique_labels.insert(label.clone())).collect()
    }

    /// Returns whether a part of the source was skipped, so that missing parts may still exist.
    pub fn is_partial(&self) -> bool {
        let mut faults = self.problems.iter().map(|problem| problem.recovery);
        faults.any(|fault| fault == ParseRecovery::Skipped)
    }
}

impl AttributeValue {
    /// Returns the text that may name a node: a string or a name. DyGram looks for none in lists and objects.
    pub fn named(&self) -> Option<&str> {
        matches!(self.kind, ValueKind::String | ValueKind::Name).then_some(&*self.text)
    }
}

impl MachineNode {
    /// Returns whether the node has this type, ignoring case.
    pub fn is_a(&self, kind: &str) -> bool {
        let node_kind = self.kind.as_ref();
        node_kind.is_some_and(|k| k.text.eq_ignore_ascii_case(kind))
    }

    /// Finds an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| &*attribute.name.text == name)
    }
}

impl Edge {
    /// Returns the label of the arrow: its text, or else its attributes.
    pub fn label(&self) -> Option<String> {
        if let Some(label) = &self.label {
            return Some(label.text.as_ref().to_owned());
        }
        let attributes: Vec<String> = self.attributes.iter().map(ToString::to_string).collect();
        (!attributes.is_empty()).then(|| attributes.join("; "))
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        self.value.as_ref().map_or(Ok(()), |value| write!(f, ": {}", value.text))
    }
}
