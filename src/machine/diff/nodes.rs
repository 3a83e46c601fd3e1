//! Compares nodes.

use super::{MachineComparison, TouchedNodes, span_on, spans_of, users};
use crate::describe::{ChangedPart, MachineChangeKind, MachineSubject};
use crate::{GraphNodeId, MachineNode};
use document::diff::Side;

impl MachineComparison<'_> {
    pub(super) fn nodes(&mut self) {
        for now in 0..self.now.machine.nodes.len() {
            let then = self.pairs.then[now];
            match then.and_then(|then| Some((then, self.then.node(then)?))) {
                Some((then, node)) => self.node(then, node, now),
                None => self.one_sided(Side::Right, now, MachineChangeKind::Added),
            }
        }
        for then in 0..self.then.machine.nodes.len() {
            let now = self.pairs.now[then];
            // An arrow may still name the node although its declaration is gone.
            if now.is_none_or(|now| self.now.node(now).is_none()) {
                self.one_sided(Side::Left, then, MachineChangeKind::Gone);
            }
        }
    }

    /// Reports a node that only one side declares. Arrows may name it on both.
    fn one_sided(&mut self, side: Side, id: GraphNodeId, what: MachineChangeKind) {
        let Some(node) = self.graph(side).node(id) else { return };
        let subject = MachineSubject::Node(node.qualified.clone());
        // Arrows that name the node on one side only have their own changes.
        let paired = match side {
            Side::Left => self.pairs.now[id],
            Side::Right => self.pairs.then[id],
        };
        let touched =
            if paired.is_some() { self.with_referrers(side, id) } else { vec![(side, id)] };
        self.push(subject, what, span_on(side, node.span), &touched);
    }

    /// Compares a node that both sides declare.
    fn node(&mut self, then: GraphNodeId, was: &MachineNode, now: GraphNodeId) {
        let Some(is) = self.now.node(now) else { return };
        let subject = MachineSubject::Node(was.qualified.clone());
        if was.qualified != is.qualified {
            self.push(
                subject.clone(),
                MachineChangeKind::Renamed(is.qualified.clone()),
                spans_of([Some(was.name.span), Some(is.name.span)]),
                &self.with_all_referrers(then, now),
            );
        }
        let both = [was, is];
        let subject = MachineSubject::Node(is.qualified.clone());
        for kind in [ChangedPart::Type, ChangedPart::Title] {
            let texts = both.map(|node| match kind {
                ChangedPart::Type => node.kind.as_ref(),
                _ => node.title.as_ref(),
            });
            // A title is for people; with the type, the node may become a context or cease to be one.
            let touched = match kind {
                ChangedPart::Type => self.with_all_referrers(then, now),
                _ => TouchedNodes::new(),
            };
            let spans = spans_of(texts.map(|text| text.map(|text| text.span)));
            let texts = texts.map(|text| text.map(|text| text.text.clone()));
            self.text(&subject, kind, texts, spans, &touched);
        }
        let own = [(Side::Right, now)];
        self.annotations(&subject, both.map(|node| node.annotations.as_slice()), &own);
        self.attributes(&subject, both.map(|node| node.attributes.as_slice()));
    }

    /// Returns a node of both sides and all nodes whose offer names it on either.
    fn with_all_referrers(&self, then: GraphNodeId, now: GraphNodeId) -> TouchedNodes {
        let mut touched = self.with_referrers(Side::Left, then);
        touched.extend(self.with_referrers(Side::Right, now));
        touched
    }

    /// Returns a node and all nodes whose offer names it.
    fn with_referrers(&self, side: Side, id: GraphNodeId) -> TouchedNodes {
        let graph = self.graph(side);
        let entering = graph.entering(id).flat_map(|link| users(graph, link));
        let leaving = graph.leaving(id).flat_map(|link| users(graph, link));
        [id].into_iter().chain(entering).chain(leaving).map(|id| (side, id)).collect()
    }
}
