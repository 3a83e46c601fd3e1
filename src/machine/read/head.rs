//! Parses the header, imports, notes and annotations.

use super::super::token::MachineTokenKind;
use super::super::{Annotation, Import, MachineNote};
use super::{MachineReader, ScopeOwner};

impl MachineReader<'_> {
    /// `machine "Title" @annotation { … }`
    pub(super) fn header(&mut self) {
        self.at += 1;
        let title = self.string();
        if self.machine.title.is_some() {
            let span = title.map(|title| title.span).unwrap_or_default();
            self.skipped(span, "Duplicate title; the first one is used");
        } else {
            self.machine.title = title;
        }
        let annotations = self.annotations();
        self.machine.annotations.extend(annotations);
        if self.kind(0) == Some(MachineTokenKind::Sign(b'{')) {
            self.open(ScopeOwner::Machine);
        }
    }

    /// Parses `note for name "text"`.
    pub(super) fn note_for(&mut self) {
        let start = self.name().span.start;
        let name = self.name();
        let target = self.name();
        // A note is for people, so its annotations are not kept.
        self.annotations();
        let Some(text) = self.string() else { return self.unexpected("the text of a note") };
        let span = self.since(start);
        self.machine.notes.push(MachineNote { name, target, text, span });
        if self.kind(0) == Some(MachineTokenKind::Sign(b'{')) {
            self.open(self.owner());
        }
    }

    /// Parses `import { a, b as c } from "./x"`, or `import "./x"`.
    pub(super) fn import(&mut self) {
        let start = self.name().span.start;
        let mut names = Vec::new();
        if self.take(MachineTokenKind::Sign(b'{')) {
            while matches!(self.kind(0), Some(MachineTokenKind::Word)) {
                let name = self.name();
                let has_alias =
                    self.is_word(0, "as") && self.kind(1) == Some(MachineTokenKind::Word);
                self.at += usize::from(has_alias);
                let alias = if has_alias { self.name() } else { name.clone() };
                names.push((name, alias));
                self.take(MachineTokenKind::Sign(b','));
            }
            if !self.take(MachineTokenKind::Sign(b'}')) {
                return self.unexpected("a name or `}` in an import");
            }
            if !self.is_word(0, "from") {
                return self.unexpected("`from` in an import");
            }
            self.at += 1;
        }
        let Some(path) = self.string() else { return self.unexpected("the path of an import") };
        let span = self.since(start);
        self.machine.imports.push(Import { names, path, span });
        self.take(MachineTokenKind::Sign(b';'));
    }

    /// Parses any number of `@name(…)`.
    pub(super) fn annotations(&mut self) -> Vec<Annotation> {
        let mut annotations = Vec::new();
        while self.kind(0) == Some(MachineTokenKind::Sign(b'@')) {
            let start = self.tokens[self.at].span.start;
            self.at += 1;
            let Some(MachineTokenKind::Word | MachineTokenKind::Number) = self.kind(0) else {
                let span = self.since(start);
                self.skipped(span, "Expected the name of an annotation");
                break;
            };
            let name = self.name();
            let value = self.arguments();
            let span = self.since(start);
            annotations.push(Annotation { name, value, span });
        }
        annotations
    }
}
