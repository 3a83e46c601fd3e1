//! Compares two machines: what changed, and which nodes offer other tools because of it.

mod edges;
mod nodes;

use std::collections::HashSet;
use std::fmt;

use super::describe::{ChangedPart, MachineChangeKind, MachineSubject, describe};
use super::offer::is_meta;
use super::rename::NodePairs;
use super::{Annotation, Attribute, Graph, GraphNodeId, Link, Machine};
use document::diff::Side;
use document::text::{Span, counted};

/// The changes between two machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineDiff {
    /// Changes of the machine, its imports, nodes, edges and notes, each in the order of the text.
    pub changes: Vec<MachineChange>,
    pub comments_differ: bool,
    /// Reason that the changes may be incomplete.
    pub remark: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineChange {
    /// The changed part, by its old name if it existed.
    pub subject: MachineSubject,
    pub kind: MachineChangeKind,
    /// Its place on both sides.
    pub spans: Spans,
    /// The nodes whose offered tools it changes: by current name, or by old name if removed.
    pub offers: Vec<Box<str>>,
}

/// Old and current place; `None` where it does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spans {
    /// In the old text.
    pub then: Option<Span>,
    /// In the current text.
    pub now: Option<Span>,
}

impl fmt::Display for MachineChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe(&self.subject, &self.kind))
    }
}

impl MachineDiff {
    /// Compares the old and the current version of a machine.
    pub fn new(then: &Machine, now: &Machine) -> Self {
        let mut comparison = MachineComparison::new(then, now);
        comparison.machines();
        comparison.nodes();
        comparison.edges();
        comparison.notes();
        // Comments change no request, but a source in which only they changed is not unchanged.
        let comments = |machine: &Machine| -> Vec<Box<str>> {
            machine.comments.iter().map(|comment| comment.text.clone()).collect()
        };
        Self {
            comments_differ: comments(then) != comments(now),
            remark: (then.is_partial() || now.is_partial())
                .then_some("Parts could not be read, so there may be more changes"),
            changes: comparison.changes,
        }
    }

    /// Describes all changes in a few words.
    pub fn describe(&self) -> String {
        match (self.changes.len(), self.comments_differ) {
            (0, true) => "only comments changed".to_owned(),
            (0, false) => "only the layout changed".to_owned(),
            (count, _) => counted(count, "change", "changes"),
        }
    }
}

/// Two machines side by side.
struct MachineComparison<'a> {
    then: Graph<'a>,
    now: Graph<'a>,
    pairs: NodePairs,
    /// Nodes whose offer differs: removed ones by their old ids, the others by their current ids.
    differs: HashSet<(Side, GraphNodeId)>,
    changes: Vec<MachineChange>,
}

/// Nodes that a change may affect.
type TouchedNodes = Vec<(Side, GraphNodeId)>;

impl<'a> MachineComparison<'a> {
    fn new(then: &'a Machine, now: &'a Machine) -> Self {
        let (then, now) = (Graph::new(then), Graph::new(now));
        let pairs = NodePairs::new(&then, &now);
        let mut differs = HashSet::new();
        for id in then.ids() {
            let old_offer = then.offer(id);
            match pairs.now[id] {
                Some(pair) if !old_offer.is_alike(&now.offer(pair)) => {
                    differs.insert((Side::Right, pair));
                }
                // A removed node without tools offered nothing that could be missing.
                None if !old_offer.tools.is_empty() => {
                    differs.insert((Side::Left, id));
                }
                _ => {}
            }
        }
        Self { then, now, pairs, differs, changes: Vec::new() }
    }

    fn push(
        &mut self,
        subject: MachineSubject,
        kind: MachineChangeKind,
        spans: Spans,
        touched: &[(Side, GraphNodeId)],
    ) {
        let mut keys = HashSet::new();
        let names = touched.iter().filter_map(|&(side, id)| {
            // A node that still exists is listed as it is now.
            let key = match self.pairs.now.get(id) {
                Some(Some(now)) if side == Side::Left => (Side::Right, *now),
                _ => (side, id),
            };
            // One change may touch a node on both sides.
            let concerns = self.differs.contains(&key) && keys.insert(key);
            concerns.then(|| self.graph(key.0).qualified(key.1).into())
        });
        let offers = names.collect();
        self.changes.push(MachineChange { subject, kind, spans, offers });
    }

    fn graph(&self, side: Side) -> &Graph<'a> {
        match side {
            Side::Left => &self.then,
            Side::Right => &self.now,
        }
    }

    /// Title, annotations, attributes and imports.
    fn machines(&mut self) {
        let (then, now) = (self.then.machine, self.now.machine);
        let titles = [then, now].map(|machine| machine.title.as_ref());
        let texts = titles.map(|title| title.map(|title| title.text.clone()));
        let spans = spans_of(titles.map(|title| title.map(|title| title.span)));
        self.text(&MachineSubject::Machine, ChangedPart::Title, texts, spans, &[]);
        // Of the annotations of a machine only one concerns what is offered.
        let touched = if is_meta(&then.annotations) == is_meta(&now.annotations) {
            TouchedNodes::new()
        } else {
            // A set has no order, but the nodes are listed.
            let mut differing: TouchedNodes = self.differs.iter().copied().collect();
            differing.sort_unstable();
            differing
        };
        let annotations = [&*then.annotations, &now.annotations];
        self.annotations(&MachineSubject::Machine, annotations, &touched);
        self.attributes(&MachineSubject::Machine, [&then.attributes, &now.attributes]);
        self.imports();
    }

    fn imports(&mut self) {
        let (then, now) = (self.then.machine, self.now.machine);
        let list_imports = |machine: &'a Machine| {
            let import_row = |import: &'a super::Import| {
                let names = import.names.iter().map(|(name, alias)| {
                    if name.text == alias.text {
                        name.text.to_string()
                    } else {
                        format!("{} as {}", name.text, alias.text)
                    }
                });
                let names: Vec<String> = names.collect();
                (import.path.text.clone(), import.span, names.join(", "))
            };
            machine.imports.iter().map(import_row).collect()
        };
        self.listed(
            MachineSubject::Import,
            ChangedPart::Names,
            list_imports(then),
            list_imports(now),
        );
    }

    fn notes(&mut self) {
        let (then, now) = (self.then.machine, self.now.machine);
        let list_notes = |machine: &Machine| {
            let list = machine.notes.iter();
            list.map(|note| (note.target.text.clone(), note.span, note.text.text.to_string()))
                .collect()
        };
        self.listed(MachineSubject::Note, ChangedPart::Text, list_notes(then), list_notes(now));
    }

    /// Compares parts with a name and a text.
    fn listed(
        &mut self,
        subject: fn(Box<str>) -> MachineSubject,
        kind: ChangedPart,
        then: Vec<(Box<str>, Span, String)>,
        now: Vec<(Box<str>, Span, String)>,
    ) {
        let names = [&then, &now].map(|rows| rows.iter().map(|r| &*r.0).collect::<Vec<_>>());
        for pair in paired(&names[0], &names[1]) {
            let (old, new) = (pair.0.map(|at| &then[at]), pair.1.map(|at| &now[at]));
            let spans = spans_of([old, new].map(|row| row.map(|row| row.1)));
            let (name, change) = match (old, new) {
                (Some(old), Some(new)) if old.2 == new.2 => continue,
                (Some(old), Some(new)) => {
                    let [then, now] = [old, new].map(|row| Some(row.2.as_str().into()));
                    (&old.0, part(kind.clone(), then, now))
                }
                (Some(old), None) => (&old.0, MachineChangeKind::Gone),
                (None, Some(new)) => (&new.0, MachineChangeKind::Added),
                (None, None) => continue,
            };
            self.push(subject(name.clone()), change, spans, &[]);
        }
    }

    fn annotations(
        &mut self,
        subject: &MachineSubject,
        sides: [&[Annotation]; 2],
        touched: &[(Side, GraphNodeId)],
    ) {
        let texts = sides.map(|list| {
            let text_of = |annotation: &Annotation| match &annotation.value {
                Some(value) => format!("@{}({value})", annotation.name.text),
                None => format!("@{}", annotation.name.text),
            };
            let texts: Vec<String> = list.iter().map(text_of).collect();
            (!texts.is_empty()).then(|| texts.join(" ").into_boxed_str())
        });
        let spans = sides
            .map(|list| Some(Span { start: list.first()?.span.start, end: list.last()?.span.end }));
        self.text(subject, ChangedPart::Annotations, texts, spans_of(spans), touched);
    }

    fn attributes(&mut self, subject: &MachineSubject, sides: [&[Attribute]; 2]) {
        let names =
            sides.map(|attrs| attrs.iter().map(|attr| &*attr.name.text).collect::<Vec<_>>());
        for pair in paired(&names[0], &names[1]) {
            let attrs = [pair.0.map(|at| &sides[0][at]), pair.1.map(|at| &sides[1][at])];
            let Some(attr) = attrs[1].or(attrs[0]) else { continue };
            let values = match attrs {
                [Some(then), Some(now)] => match values(then, now) {
                    Some(values) => values.map(Some),
                    None => continue,
                },
                attrs => attrs.map(|attr| Some(describe_value(attr?))),
            };
            let [then, now] = values.map(|text| text.map(Into::into));
            let kind = ChangedPart::Attribute(attr.name.text.clone());
            let spans = spans_of(attrs.map(|attr| attr.map(|attr| attr.span)));
            self.push(subject.clone(), part(kind, then, now), spans, &[]);
        }
    }
}

/// Returns the nodes whose offer includes a link.
fn users(graph: &Graph<'_>, link: Link) -> impl Iterator<Item = GraphNodeId> {
    // Children without edges have those of their parent, and a context is read at the target.
    let inherits = graph.inside(link.source).iter().copied();
    let reads = graph.is_context(link.source).then_some(link.target);
    [link.source].into_iter().chain(inherits).chain(reads)
}

fn describe_value(attribute: &Attribute) -> String {
    let value = attribute.value.as_ref();
    value.map(|value| value.text.to_string()).unwrap_or_default()
}

/// Returns the different texts of two attributes; `None` if they are equal.
fn values(then: &Attribute, now: &Attribute) -> Option<[String; 2]> {
    let attributes = [then, now];
    let texts = attributes.map(describe_value);
    if texts[0] != texts[1] {
        return Some(texts);
    }
    let kinds = attributes.map(|attribute| attribute.value.as_ref().map(|value| value.kind));
    // `5` and `"5"` have the same text: only quotes show the difference.
    if kinds[0] != kinds[1] {
        let quote = |(text, kind): (String, Option<super::ValueKind>)| match kind {
            Some(super::ValueKind::String) => format!("{text:?}"),
            _ => text,
        };
        return Some([0, 1].map(|side| quote((texts[side].clone(), kinds[side]))));
    }
    let types = attributes.map(|attribute| attribute.kind.as_ref().map_or("", |kind| &kind.text));
    (types[0] != types[1]).then(|| types.map(|kind| format!("<{kind}>")))
}

fn part(part: ChangedPart, then: Option<Box<str>>, now: Option<Box<str>>) -> MachineChangeKind {
    MachineChangeKind::Part { part, then, now }
}

fn spans_of([then, now]: [Option<Span>; 2]) -> Spans {
    Spans { then, now }
}

fn span_on(side: Side, span: Span) -> Spans {
    match side {
        Side::Left => spans_of([Some(span), None]),
        Side::Right => spans_of([None, Some(span)]),
    }
}

/// Pairs equal names in order: in the order of `now`, then removed ones.
fn paired(then: &[&str], now: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
    // Names may repeat: the first of a name is paired with the first, and so on.
    let mut places: std::collections::HashMap<&str, std::collections::VecDeque<usize>> =
        Default::default();
    for (at, name) in then.iter().enumerate() {
        places.entry(name).or_default().push_back(at);
    }
    let mut is_paired = vec![false; then.len()];
    let mut pairs = Vec::new();
    for (at, name) in now.iter().enumerate() {
        let old_at = places.get_mut(name).and_then(std::collections::VecDeque::pop_front);
        if let Some(old_at) = old_at {
            is_paired[old_at] = true;
        }
        pairs.push((old_at, Some(at)));
    }
    pairs.extend((0..then.len()).filter(|at| !is_paired[*at]).map(|at| (Some(at), None)));
    pairs
}
