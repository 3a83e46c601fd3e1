//! Parses values: strings, names, lists, templates, and types and arguments.

use super::super::token::{MachineToken, MachineTokenKind, unquoted};
use super::super::{AttributeValue, SpannedText, ValueKind};
use super::MachineReader;

impl MachineReader<'_> {
    /// Parses an optional value.
    pub(super) fn value(&mut self) -> Option<AttributeValue> {
        let start = self.at;
        let first = self.peek()?;
        let mut kind = match first.kind {
            MachineTokenKind::String => ValueKind::String,
            MachineTokenKind::Number => ValueKind::Number,
            MachineTokenKind::Word => ValueKind::Name,
            MachineTokenKind::External => ValueKind::External,
            MachineTokenKind::Template => ValueKind::Template,
            MachineTokenKind::Sign(b'[') => ValueKind::List,
            MachineTokenKind::Sign(b'{') => ValueKind::Object,
            // A minus is a token of its own, because it may open the label of an arrow.
            MachineTokenKind::Opener if self.kind(1) == Some(MachineTokenKind::Number) => {
                ValueKind::Number
            }
            MachineTokenKind::Sign(b'(' | b'!') => ValueKind::Expression,
            _ => return None,
        };
        match first.kind {
            MachineTokenKind::Sign(b'[' | b'{' | b'(') => self.brackets(),
            MachineTokenKind::Opener => self.at += 2,
            _ => self.at += 1,
        }
        if !matches!(kind, ValueKind::List | ValueKind::Object) && self.operation() {
            kind = ValueKind::Expression;
        }
        let span = self.since(first.span.start);
        let text = match kind {
            ValueKind::String => unquoted(self.text(first)),
            _ => self.joined(start..self.at),
        };
        Some(AttributeValue { text, kind, span })
    }

    /// Parses operators and operands after a first operand: `> 3 && ready`.
    fn operation(&mut self) -> bool {
        let start = self.at;
        // `!ready` begins with its operator.
        let mut expects_operand =
            self.at > 0 && self.tokens[self.at - 1].kind == MachineTokenKind::Sign(b'!');
        while let Some(token) = self.peek() {
            match token.kind {
                MachineTokenKind::Sign(b'(') if expects_operand => {
                    self.brackets();
                    expects_operand = false;
                    continue;
                }
                MachineTokenKind::Sign(
                    b'<' | b'>' | b'&' | b'|' | b'!' | b'+' | b'*' | b'/' | b'%',
                ) => {
                    expects_operand = true;
                }
                // `==` and `>=` contain the sign that opens an arrow elsewhere.
                MachineTokenKind::Opener if self.text(token) == "=" => expects_operand = true,
                MachineTokenKind::Word
                | MachineTokenKind::Number
                | MachineTokenKind::String
                | MachineTokenKind::Template
                    if expects_operand =>
                {
                    expects_operand = false;
                }
                _ => break,
            }
            self.at += 1;
        }
        self.at > start
    }

    /// Skips from an opening bracket to its end, or to where the value cannot continue: no value has an arrow, and no
    /// list a `;`.
    fn brackets(&mut self) {
        let Some(bracket) = self.peek() else { return };
        let mut closers = Vec::new();
        while let Some(token) = self.peek() {
            match token.kind {
                MachineTokenKind::Sign(b'[') => closers.push(b']'),
                MachineTokenKind::Sign(b'{') => closers.push(b'}'),
                MachineTokenKind::Sign(b'(') => closers.push(b')'),
                MachineTokenKind::Sign(sign @ (b']' | b'}' | b')'))
                    if closers.pop() != Some(sign) =>
                {
                    break;
                }
                MachineTokenKind::Arrow(_) => break,
                MachineTokenKind::Sign(b';') if closers.last() == Some(&b']') => break,
                _ => {}
            }
            self.at += 1;
            if closers.is_empty() {
                return;
            }
        }
        let message = format!("`{}` without its end", self.text(bracket));
        self.skipped(bracket.span, &message);
    }

    /// Parses optional arguments of an annotation; a single string is unquoted.
    pub(super) fn arguments(&mut self) -> Option<Box<str>> {
        if self.kind(0) != Some(MachineTokenKind::Sign(b'(')) {
            return None;
        }
        let start = self.at;
        self.brackets();
        let is_closed = self.tokens[self.at - 1].kind == MachineTokenKind::Sign(b')');
        let range = start + 1..self.at - usize::from(is_closed && self.at > start + 1);
        match self.tokens[range.clone()] {
            [token] if token.kind == MachineTokenKind::String => Some(unquoted(self.text(token))),
            _ => Some(self.joined(range)),
        }
    }

    /// Parses an optional `<Type>`; angle brackets are counted, so that `Array<string>` is complete.
    pub(super) fn kind_of_attribute(&mut self) -> Option<SpannedText> {
        let bracket = self.peek().filter(|token| token.kind == MachineTokenKind::Sign(b'<'))?;
        self.at += 1;
        let (start, mut depth) = (self.at, 1);
        while let Some(token) = self.peek() {
            match token.kind {
                MachineTokenKind::Sign(b'<') => depth += 1,
                MachineTokenKind::Sign(b'>') => depth -= 1,
                // A missing `>` must not take the rest of the source with it.
                MachineTokenKind::Sign(b';' | b'{' | b'}') => break,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let kind =
            SpannedText { text: self.joined(start..self.at), span: self.since(bracket.span.end) };
        if !self.take(MachineTokenKind::Sign(b'>')) {
            self.skipped(bracket.span, "`<` without a `>` behind it");
        }
        Some(kind)
    }

    /// Joins tokens to one text with normalized white space.
    pub(super) fn joined(&self, range: std::ops::Range<usize>) -> Box<str> {
        let mut text = String::new();
        let mut previous: Option<MachineToken> = None;
        for token in &self.tokens[range] {
            // Values are compared as texts, so only the tokens may make a difference.
            let is_separate = previous.is_some_and(|previous| {
                is_operand(previous.kind) && is_operand(token.kind)
                    || matches!(previous.kind, MachineTokenKind::Sign(b',' | b':' | b';'))
                        && !matches!(token.kind, MachineTokenKind::Sign(b')' | b']' | b'}'))
            });
            if is_separate {
                text.push(' ');
            }
            text.push_str(self.text(*token));
            previous = Some(*token);
        }
        text.into()
    }
}

fn is_operand(kind: MachineTokenKind) -> bool {
    !matches!(
        kind,
        MachineTokenKind::Sign(_) | MachineTokenKind::Opener | MachineTokenKind::Arrow(_)
    )
}
