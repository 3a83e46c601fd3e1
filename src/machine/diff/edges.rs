//! Compares edges.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{MachineComparison, TouchedNodes, part, span_on, spans_of, users};
use crate::describe::{ChangedPart, MachineChangeKind, MachineSubject};
use crate::{Edge, Graph, Link, SpannedText};
use document::diff::Side;

impl MachineComparison<'_> {
    pub(super) fn edges(&mut self) {
        let partners = self.partners();
        let mut compared = HashSet::new();
        for (at, then) in partners.iter().enumerate() {
            let now = self.now.links[at];
            match then {
                None => self.link(Side::Right, now, MachineChangeKind::Added),
                // One arrow may be several links, and is compared once.
                Some(then) if compared.insert((then.edge, now.edge)) => self.edge(*then, now),
                Some(_) => {}
            }
        }
        let kept: HashSet<_> = partners.into_iter().flatten().map(key).collect();
        // A copy, since reporting a change needs all of `self`.
        for link in self.then.links.clone() {
            if !kept.contains(&key(link)) {
                self.link(Side::Left, link, MachineChangeKind::Gone);
            }
        }
    }

    /// Returns the old link for each current one: between the same nodes, and of several the one with the same content,
    /// else the first unpaired one.
    fn partners(&self) -> Vec<Option<Link>> {
        let contents = [&self.then, &self.now]
            .map(|graph| graph.edges().map(content).collect::<Vec<String>>());
        let ends =
            |link: &Link| Some((self.pairs.then[link.source]?, self.pairs.then[link.target]?));
        let mut partners = vec![None; self.now.links.len()];
        let mut left: HashMap<_, VecDeque<Link>> = HashMap::new();
        for link in &self.then.links {
            let key = (link.source, link.target, contents[0][link.edge].as_str());
            left.entry(key).or_default().push_back(*link);
        }
        for (at, link) in self.now.links.iter().enumerate() {
            let Some((source, target)) = ends(link) else { continue };
            let key = (source, target, contents[1][link.edge].as_str());
            partners[at] = left.get_mut(&key).and_then(VecDeque::pop_front);
        }
        let taken: HashSet<_> = partners.iter().flatten().copied().map(key).collect();
        let mut rest: HashMap<_, VecDeque<Link>> = HashMap::new();
        for link in self.then.links.iter().filter(|link| !taken.contains(&key(**link))) {
            rest.entry((link.source, link.target)).or_default().push_back(*link);
        }
        for (at, link) in self.now.links.iter().enumerate() {
            if partners[at].is_none() {
                let found = ends(link).and_then(|ends| rest.get_mut(&ends));
                partners[at] = found.and_then(VecDeque::pop_front);
            }
        }
        partners
    }

    /// Reports a link that only one side has.
    fn link(&mut self, side: Side, link: Link, what: MachineChangeKind) {
        let graph = self.graph(side);
        let [source, target] = [link.source, link.target].map(|id| graph.qualified(id).into());
        let touched = touched(graph, side, &[link]);
        let spans = span_on(side, graph.edge(link).span);
        self.push(MachineSubject::Edge(source, target), what, spans, &touched);
    }

    /// Compares an edge that both sides have.
    fn edge(&mut self, then: Link, now: Link) {
        let both = [self.then.edge(then), self.now.edge(now)];
        if content(both[0]) == content(both[1]) {
            return;
        }
        // Copies, since reporting a change needs all of `self`.
        let copies = both.map(Edge::clone);
        let both = copies.each_ref();
        let names = |all: &[SpannedText]| -> Box<str> {
            all.iter().map(|name| &*name.text).collect::<Vec<_>>().join(", ").into()
        };
        let subject = MachineSubject::Edge(names(&both[1].sources), names(&both[1].targets));
        let touched = if self.then.role(then) == self.now.role(now) {
            TouchedNodes::new()
        } else {
            let links = self.now.links.iter().filter(|link| link.edge == now.edge);
            touched(&self.now, Side::Right, &links.copied().collect::<Vec<_>>())
        };
        let labels = both.map(|edge| edge.label.as_ref());
        let texts = labels.map(|label| label.map(|label| label.text.clone()));
        let spans = spans_of(labels.map(|label| label.map(|label| label.span)));
        self.text(&subject, ChangedPart::Label, texts, spans, &touched);

        let spans = spans_of(both.map(|edge| Some(edge.span)));
        let arrows = both.map(|edge| Some(edge.arrow.as_str().into()));
        self.text(&subject, ChangedPart::Arrow, arrows, spans, &[]);
        self.text(&subject, ChangedPart::Counts, both.map(counts), spans, &[]);
        self.annotations(&subject, both.map(|edge| edge.annotations.as_slice()), &touched);
        let from = self.changes.len();
        self.attributes(&subject, both.map(|edge| edge.attributes.as_slice()));
        self.concern(from, &touched);
    }

    pub(super) fn text(
        &mut self,
        subject: &MachineSubject,
        kind: ChangedPart,
        [then, now]: [Option<Box<str>>; 2],
        spans: super::Spans,
        touched: &[(Side, usize)],
    ) {
        if then != now {
            self.push(subject.clone(), part(kind, then, now), spans, touched);
        }
    }

    /// Adds these nodes to the changes from `from` on.
    fn concern(&mut self, from: usize, touched: &[(Side, usize)]) {
        for change in self.changes.split_off(from) {
            self.push(change.subject, change.kind, change.spans, touched);
        }
    }
}

fn touched(graph: &Graph<'_>, side: Side, links: &[Link]) -> TouchedNodes {
    links.iter().flat_map(|link| users(graph, *link)).map(|id| (side, id)).collect()
}

/// Returns the identity of a link within its machine.
fn key(link: Link) -> (usize, usize, usize) {
    (link.edge, link.source, link.target)
}

fn counts(edge: &Edge) -> Option<Box<str>> {
    let texts = [&edge.source_count, &edge.target_count].map(Option::as_ref);
    if texts == [None, None] {
        return None;
    }
    let [source, target] = texts.map(|text| text.map_or("any", |text| &text.text));
    Some(format!("{source} to {target}").into())
}

/// Returns everything in an edge except its ends, as one text.
fn content(edge: &Edge) -> String {
    use std::fmt::Write as _;
    let mut content = format!(
        "{:?} {:?} {:?}",
        edge.arrow,
        edge.label.as_ref().map(|label| &label.text),
        counts(edge)
    );
    for attribute in &edge.attributes {
        let kind = attribute.value.as_ref().map(|value| value.kind);
        // Writing into a string cannot fail.
        let _ = write!(content, " {attribute:?}", attribute = (attribute.to_string(), kind));
    }
    for annotation in &edge.annotations {
        let _ = write!(content, " @{}{:?}", annotation.name.text, annotation.value);
    }
    content
}
