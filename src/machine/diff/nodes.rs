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
    fn one_sided(&mut self, side: Side, id: GraphNodeId, kind: MachineChangeKind) {
        let Some(node) = self.graph(side).node(id) else { return };
        let subject = MachineSubject::Node(node.qualified.clone());
        // Arrows that name the node on one side only have their own changes.
        let pair = match side {
            Side::Left => self.pairs.now[id],
            Side::Right => self.pairs.then[id],
        };
        let touched = if pair.is_some() { self.with_referrers(side, id) } else { vec![(side, id)] };
        self.push(subject, kind, span_on(side, node.span), &touched);
    }

    /// Compares a node that both sides declare.
    fn node(&mut self, then: GraphNodeId, old: &MachineNode, now: GraphNodeId) {
        let Some(new) = self.now.node(now) else { return };
        let subject = MachineSubject::Node(old.qualified.clone());
        if old.qualified != new.qualified {
            self.push(
                subject.clone(),
                MachineChangeKind::Renamed(new.qualified.clone()),
                spans_of([Some(old.name.span), Some(new.name.span)]),
                &self.with_all_referrers(then, now),
            );
        }
        let nodes = [old, new];
        let subject = MachineSubject::Node(new.qualified.clone());
        for kind in [ChangedPart::Type, ChangedPart::Title] {
            let texts = nodes.map(|node| match kind {
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
        let touched = [(Side::Right, now)];
        self.annotations(&subject, nodes.map(|node| node.annotations.as_slice()), &touched);
        self.attributes(&subject, nodes.map(|node| node.attributes.as_slice()));
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
        let incoming_users = graph.entering(id).flat_map(|link| users(graph, link));
        let outgoing_users = graph.leaving(id).flat_map(|link| users(graph, link));
        [id].into_iter().chain(incoming_users).chain(outgoing_users).map(|id| (side, id)).collect()
    }
}
