//! Parses edges: names, arrows with labels, and chains of both.

use super::super::token::{Arrow, MachineTokenKind};
use super::super::{Annotation, Attribute, Edge, SpannedText};
use super::{MachineReader, ScopeOwner};
use document::text::Span;

/// The label of an arrow.
#[derive(Default)]
struct ArrowLabel {
    text: Option<SpannedText>,
    attributes: Vec<Attribute>,
    annotations: Vec<Annotation>,
}

impl MachineReader<'_> {
    /// Parses `a, b -> c -> d;`: names, then arrows followed by names.
    pub(super) fn edges(&mut self) {
        let Some(mut sources) = self.names() else { return self.unexpected("the name of a node") };
        if !self.arrow_at(0) {
            return self.unexpected("an arrow");
        }
        while self.arrow_at(0) {
            let source_count = self.string();
            let Some((arrow, label)) = self.arrow() else {
                return self.unexpected("the end of an arrow");
            };
            let target_count = self.string();
            let Some(targets) = self.names() else { return self.unexpected("the name of a node") };
            self.machine.edges.push(Edge {
                span: self.since(sources[0].span.start),
                sources,
                // In a chain, they are the sources of the next arrow as well.
                targets: targets.clone(),
                arrow,
                label: label.text,
                attributes: label.attributes,
                annotations: label.annotations,
                source_count,
                target_count,
                inside: self.scopes.last().and_then(|scope| scope.node),
            });
            sources = targets;
        }
        self.edge_end();
    }

    /// Parses what may follow the last target: annotations, braces with attributes, `;`.
    fn edge_end(&mut self) {
        let annotations = self.annotations();
        if let Some(edge) = self.machine.edges.last_mut() {
            edge.annotations.extend(annotations);
        }
        self.open_or_end(ScopeOwner::Edge(self.machine.edges.len() - 1));
    }

    /// Parses names between commas; `None` if one is missing.
    fn names(&mut self) -> Option<Vec<SpannedText>> {
        let mut names = Vec::new();
        loop {
            let Some(
                MachineTokenKind::Word | MachineTokenKind::External | MachineTokenKind::Number,
            ) = self.kind(0)
            else {
                return None;
            };
            names.push(self.name());
            if !self.take(MachineTokenKind::Sign(b',')) {
                return Some(names);
            }
        }
    }

    /// Parses an arrow with its label; `None` if a label is not terminated.
    fn arrow(&mut self) -> Option<(Arrow, ArrowLabel)> {
        let token = self.peek()?;
        self.at += 1;
        match token.kind {
            MachineTokenKind::Arrow(arrow) => Some((arrow, ArrowLabel::default())),
            MachineTokenKind::LabelledBoth => {
                let text = self.text(token).trim_matches(['<', '-', '>']);
                let start = token.span.start as usize + "<--".len();
                let span = Span::new(start, start + text.len());
                let text = Some(SpannedText { text: text.into(), span });
                Some((Arrow::Both, ArrowLabel { text, ..ArrowLabel::default() }))
            }
            _ => self.label(),
        }
    }

    /// Parses the label of an arrow, up to its head.
    fn label(&mut self) -> Option<(Arrow, ArrowLabel)> {
        let mut label = ArrowLabel::default();
        let mut texts: Vec<SpannedText> = Vec::new();
        loop {
            match self.peek()?.kind {
                MachineTokenKind::Arrow(arrow) if arrow.ends_label() => {
                    self.at += 1;
                    label.text = whole(&texts);
                    return Some((arrow, label));
                }
                // No label contains a brace, so the head of the arrow is missing.
                MachineTokenKind::Sign(b'{' | b'}') => return None,
                // These only separate the attributes of a label.
                MachineTokenKind::Sign(b',' | b';') => self.at += 1,
                MachineTokenKind::Sign(b'@') => {
                    let start = self.at;
                    label.annotations.extend(self.annotations());
                    // A lone `@` is reported and skipped.
                    self.at = self.at.max(start + 1);
                }
                MachineTokenKind::Word if self.kind(1) == Some(MachineTokenKind::Sign(b':')) => {
                    label.attributes.push(self.label_attribute());
                }
                _ => texts.push(self.label_text()),
            }
        }
    }

    fn label_attribute(&mut self) -> Attribute {
        let name = self.name();
        self.at += 1;
        let value = self.value();
        let span = self.since(name.span.start);
        if value.is_none() {
            self.skipped(span, "Expected a value");
        }
        Attribute { name, kind: None, value, span }
    }

    /// Parses a part of the text in an arrow: a value, or any other token.
    fn label_text(&mut self) -> SpannedText {
        let start = self.at;
        match self.value() {
            Some(value) => SpannedText { text: value.text, span: value.span },
            None => {
                self.at += 1;
                SpannedText { text: self.joined(start..self.at), span: self.tokens[start].span }
            }
        }
    }
}

/// Joins several texts.
fn whole(texts: &[SpannedText]) -> Option<SpannedText> {
    let (first, last) = (texts.first()?, texts.last()?);
    let parts: Vec<&str> = texts.iter().map(|text| &*text.text).collect();
    Some(SpannedText {
        text: parts.join(" ").into(),
        span: Span { start: first.span.start, end: last.span.end },
    })
}
