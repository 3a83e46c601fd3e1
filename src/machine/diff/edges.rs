//! Compares edges.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{MachineComparison, TouchedNodes, part, span_on, spans_of, users};
use crate::describe::{ChangedPart, MachineChangeKind, MachineSubject};
use crate::{Edge, Graph, Link, SpannedText};
use document::diff::Side;

impl MachineComparison<'_> {
    pub(super) fn edges(&mut self) {
        let partners = self.partners();
        let mut edge_pairs = HashSet::new();
        for (at, then) in partners.iter().enumerate() {
            let now = self.now.links[at];
            match then {
                None => self.link(Side::Right, now, MachineChangeKind::Added),
                // One arrow may be several links, and is compared once.
                Some(then) if edge_pairs.insert((then.edge, now.edge)) => self.edge(*then, now),
                Some(_) => {}
            }
        }
        let paired_keys: HashSet<_> = partners.into_iter().flatten().map(key).collect();
        // A copy, since reporting a change needs all of `self`.
        for link in self.then.links.clone() {
            if !paired_keys.contains(&key(link)) {
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
        let mut links_by_content: HashMap<_, VecDeque<Link>> = HashMap::new();
        for link in &self.then.links {
            let key = (link.source, link.target, contents[0][link.edge].as_str());
            links_by_content.entry(key).or_default().push_back(*link);
        }
        for (at, link) in self.now.links.iter().enumerate() {
            let Some((source, target)) = ends(link) else { continue };
            let key = (source, target, contents[1][link.edge].as_str());
            partners[at] = links_by_content.get_mut(&key).and_then(VecDeque::pop_front);
        }
        let paired_keys: HashSet<_> = partners.iter().flatten().copied().map(key).collect();
        let mut links_by_ends: HashMap<_, VecDeque<Link>> = HashMap::new();
        for link in self.then.links.iter().filter(|link| !paired_keys.contains(&key(**link))) {
            links_by_ends.entry((link.source, link.target)).or_default().push_back(*link);
        }
        for (at, link) in self.now.links.iter().enumerate() {
            if partners[at].is_none() {
                let links = ends(link).and_then(|ends| links_by_ends.get_mut(&ends));
                partners[at] = links.and_then(VecDeque::pop_front);
            }
        }
        partners
    }

    /// Reports a link that only one side has.
    fn link(&mut self, side: Side, link: Link, kind: MachineChangeKind) {
        let graph = self.graph(side);
        let [source, target] = [link.source, link.target].map(|id| graph.qualified(id).into());
        let touched = touched(graph, side, &[link]);
        let spans = span_on(side, graph.edge(link).span);
        self.push(MachineSubject::Edge(source, target), kind, spans, &touched);
    }

    /// Compares an edge that both sides have.
    fn edge(&mut self, then: Link, now: Link) {
        let edges = [self.then.edge(then), self.now.edge(now)];
        if content(edges[0]) == content(edges[1]) {
            return;
        }
        // Copies, since reporting a change needs all of `self`.
        let copies = edges.map(Edge::clone);
        let edges = copies.each_ref();
        let names = |ends: &[SpannedText]| -> Box<str> {
            ends.iter().map(|name| &*name.text).collect::<Vec<_>>().join(", ").into()
        };
        let subject = MachineSubject::Edge(names(&edges[1].sources), names(&edges[1].targets));
        let touched = if self.then.role(then) == self.now.role(now) {
            TouchedNodes::new()
        } else {
            let links = self.now.links.iter().filter(|link| link.edge == now.edge);
            touched(&self.now, Side::Right, &links.copied().collect::<Vec<_>>())
        };
        let labels = edges.map(|edge| edge.label.as_ref());
        let texts = labels.map(|label| label.map(|label| label.text.clone()));
        let spans = spans_of(labels.map(|label| label.map(|label| label.span)));
        self.text(&subject, ChangedPart::Label, texts, spans, &touched);

        let spans = spans_of(edges.map(|edge| Some(edge.span)));
        let arrows = edges.map(|edge| Some(edge.arrow.as_str().into()));
        self.text(&subject, ChangedPart::Arrow, arrows, spans, &[]);
        self.text(&subject, ChangedPart::Counts, edges.map(counts), spans, &[]);
        self.annotations(&subject, edges.map(|edge| edge.annotations.as_slice()), &touched);
        let start = self.changes.len();
        self.attributes(&subject, edges.map(|edge| edge.attributes.as_slice()));
        self.concern(start, &touched);
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

    /// Adds these nodes to the changes from `start` on.
    fn concern(&mut self, start: usize, touched: &[(Side, usize)]) {
        for change in self.changes.split_off(start) {
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
