//! Parses values: strings, names, lists, templates, and types and arguments.

use super::super::token::{Kind, Token, unquoted};
use super::super::{Fault, Text, Value, ValueKind};
use super::Reader;

impl Reader<'_> {
    /// Parses an optional value.
    pub(super) fn value(&mut self) -> Option<Value> {
        let from = self.at;
        let first = self.peek()?;
        let mut kind = match first.kind {
            Kind::String => ValueKind::String,
            Kind::Number => ValueKind::Number,
            Kind::Word => ValueKind::Name,
            Kind::External => ValueKind::External,
            Kind::Template => ValueKind::Template,
            Kind::Sign(b'[') => ValueKind::List,
            Kind::Sign(b'{') => ValueKind::Object,
            Kind::Opener if self.kind(1) == Some(Kind::Number) => ValueKind::Number,
            Kind::Sign(b'(' | b'!') => ValueKind::Expression,
            _ => return None,
        };
        match first.kind {
            Kind::Sign(b'[' | b'{' | b'(') => self.brackets(),
            Kind::Opener => self.at += 2,
            _ => self.at += 1,
        }
        if !matches!(kind, ValueKind::List | ValueKind::Object) && self.operation() {
            kind = ValueKind::Expression;
        }
        let span = self.since(first.span.start);
        let text = match kind {
            ValueKind::String => unquoted(self.text(first)),
            _ => self.joined(from..self.at),
        };
        let elements = match kind {
            ValueKind::List | ValueKind::Object => self.elements(from..self.at),
            _ => Box::default(),
        };
        Some(Value {
            text,
            kind,
            elements,
            span,
        })
    }

    /// Returns the strings and names in a range of tokens, without keys.
    fn elements(&self, range: std::ops::Range<usize>) -> Box<[Box<str>]> {
        let is_key = |at: usize| {
            self.tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == Kind::Sign(b':'))
        };
        let elements = range.filter(|at| !is_key(*at)).filter_map(|at| {
            let token = self.tokens[at];
            match token.kind {
                Kind::String => Some(unquoted(self.text(token))),
                Kind::Word => Some(self.text(token).into()),
                _ => None,
            }
        });
        elements.collect()
    }

    /// Parses operators and operands after a first operand: `> 3 && ready`.
    fn operation(&mut self) -> bool {
        let from = self.at;
        let mut expects_operand = self.at > 0 && self.tokens[self.at - 1].kind == Kind::Sign(b'!');
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Sign(b'(') if expects_operand => {
                    self.brackets();
                    expects_operand = false;
                    continue;
                }
                Kind::Sign(b'<' | b'>' | b'&' | b'|' | b'!' | b'+' | b'*' | b'/' | b'%') => {
                    expects_operand = true;
                }
                Kind::Opener if self.text(token) == "=" => expects_operand = true,
                Kind::Word | Kind::Number | Kind::String | Kind::Template if expects_operand => {
                    expects_operand = false;
                }
                _ => break,
            }
            self.at += 1;
        }
        self.at > from
    }

    /// Skips from an opening bracket to its end, or to where the value cannot continue: no value has an arrow, and no
    /// list a `;`.
    fn brackets(&mut self) {
        let Some(open) = self.peek() else { return };
        let mut closers = Vec::new();
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Sign(b'[') => closers.push(b']'),
                Kind::Sign(b'{') => closers.push(b'}'),
                Kind::Sign(b'(') => closers.push(b')'),
                Kind::Sign(sign @ (b']' | b'}' | b')')) if closers.pop() != Some(sign) => break,
                Kind::Arrow(_) => break,
                Kind::Sign(b';') if closers.last() == Some(&b']') => break,
                _ => {}
            }
            self.at += 1;
            if closers.is_empty() {
                return;
            }
        }
        let what = format!("`{}` without its end", self.text(open));
        self.tell(Fault::Skipped, open.span, &what);
    }

    /// Parses optional arguments of an annotation; a single string is unquoted.
    pub(super) fn arguments(&mut self) -> Option<Box<str>> {
        if self.kind(0) != Some(Kind::Sign(b'(')) {
            return None;
        }
        let from = self.at;
        self.brackets();
        let ends = self.tokens[self.at - 1].kind == Kind::Sign(b')');
        let inner = from + 1..self.at - usize::from(ends && self.at > from + 1);
        match self.tokens[inner.clone()] {
            [only] if only.kind == Kind::String => Some(unquoted(self.text(only))),
            _ => Some(self.joined(inner)),
        }
    }

    /// Parses an optional `<Type>`; angle brackets are counted, so that `Array<string>` is complete.
    pub(super) fn kind_of_attribute(&mut self) -> Option<Text> {
        let open = self.peek().filter(|token| token.kind == Kind::Sign(b'<'))?;
        self.at += 1;
        let (from, mut depth) = (self.at, 1);
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Sign(b'<') => depth += 1,
                Kind::Sign(b'>') => depth -= 1,
                Kind::Sign(b';' | b'{' | b'}') => break,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let kind = Text {
            text: self.joined(from..self.at),
            span: self.since(open.span.end),
        };
        if !self.take(Kind::Sign(b'>')) {
            self.tell(Fault::Skipped, open.span, "`<` without a `>` behind it");
        }
        Some(kind)
    }

    /// Joins tokens to one text with normalized white space.
    pub(super) fn joined(&self, range: std::ops::Range<usize>) -> Box<str> {
        let mut joined = String::new();
        let mut before: Option<Token> = None;
        for token in &self.tokens[range] {
            let parts = before.is_some_and(|before| {
                is_operand(before.kind) && is_operand(token.kind)
                    || matches!(before.kind, Kind::Sign(b',' | b':' | b';'))
                        && !is_closer(token.kind)
            });
            if parts {
                joined.push(' ');
            }
            joined.push_str(self.text(*token));
            before = Some(*token);
        }
        joined.into()
    }
}

fn is_closer(kind: Kind) -> bool {
    matches!(kind, Kind::Sign(b')' | b']' | b'}'))
}

fn is_operand(kind: Kind) -> bool {
    !matches!(kind, Kind::Sign(_) | Kind::Opener | Kind::Arrow(_))
}
