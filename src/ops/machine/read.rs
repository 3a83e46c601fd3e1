//! Parses tokens to a machine: statement by statement, without recursion, and with recovery after every error.

mod edge;
mod head;
mod value;

use super::token::{Kind, Token, tokens, unquoted};
use super::{Attribute, Fault, Machine, MachineProblem, Node, Note, Text};
use crate::text::{Source, Span, quoted};

/// Maximum nesting depth of nodes; deeper ones are read as if they were at this depth.
pub(super) const MAX_DEPTH: usize = 64;

/// Maximum number of reported problems.
const MAX_PROBLEMS: usize = 100;

pub(super) fn read(source: &Source) -> Machine {
    let (tokens, comments) = tokens(source.text(), source.content_start());
    let mut reader = Reader {
        source,
        tokens,
        at: 0,
        scopes: Vec::new(),
        machine: Machine {
            comments,
            ..Machine::default()
        },
    };
    while let Some(token) = reader.peek() {
        reader.statement(token);
    }
    reader.close_all();
    reader.machine
}

/// The owner of the attributes inside a pair of braces.
#[derive(Clone, Copy)]
enum Owner {
    Machine,
    Node(usize),
    Edge(usize),
}

/// An open pair of braces.
struct Scope {
    owner: Owner,
    /// The innermost enclosing node.
    node: Option<usize>,
    /// Number of enclosing nodes.
    depth: usize,
    open: Span,
}

struct Reader<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
    scopes: Vec<Scope>,
    machine: Machine,
}

impl Reader<'_> {
    fn statement(&mut self, token: Token) {
        match token.kind {
            Kind::Sign(b';') => self.at += 1,
            Kind::Sign(b'}') => self.close(token),
            Kind::Sign(b'{') => {
                self.tell(Fault::Skipped, token.span, "`{` without a name before it");
                self.open(self.owner());
            }
            Kind::Word | Kind::External | Kind::Number => self.named(token),
            _ => self.unexpected("a name"),
        }
    }

    /// Parses a statement that begins with a name.
    fn named(&mut self, first: Token) {
        let text = self.text(first);
        match (text, self.kind(1)) {
            ("machine", Some(Kind::String)) => return self.header(),
            ("import", Some(Kind::Sign(b'{') | Kind::String)) => return self.import(),
            ("note", Some(Kind::Word))
                if self.is_word(1, "for") && self.kind(2) == Some(Kind::Word) =>
            {
                return self.note_for();
            }
            _ => {}
        }
        match self.kind(1) {
            Some(Kind::Sign(b':' | b'<' | b'?')) => self.attribute(),
            Some(Kind::Sign(b',')) => self.edges(),
            Some(Kind::Word | Kind::External | Kind::Number) => self.two_names(first),
            _ if self.arrow_at(1) => self.edges(),
            _ => {
                let name = self.name();
                self.node(None, name);
            }
        }
    }

    /// Parses two names in a row: a type and a name, or an unterminated statement before another.
    fn two_names(&mut self, first: Token) {
        let begins_other =
            self.arrow_at(2) || matches!(self.kind(2), Some(Kind::Sign(b':' | b'<' | b'?' | b',')));
        let name = self.name();
        let Some(second) = self.peek().filter(|_| begins_other) else {
            let kind = Some(name);
            let name = self.name();
            return self.node(kind, name);
        };
        if second.leads {
            self.node(None, name);
        } else {
            let what = format!(
                "Unexpected {} before {}",
                quoted(&name.text),
                quoted(self.text(second))
            );
            self.tell(Fault::Skipped, first.span, &what);
        }
    }

    /// Parses the rest of a node after its name.
    fn node(&mut self, kind: Option<Text>, name: Text) {
        let start = kind.as_ref().unwrap_or(&name).span.start;
        let mut title = self.string();
        let annotations = self.annotations();
        title = title.or_else(|| self.string());
        let scope = self.scopes.last();
        let parent = scope.and_then(|scope| scope.node);
        let mut node = Node {
            qualified: name.text.clone(),
            kind,
            name,
            title,
            parent,
            attributes: Vec::new(),
            annotations,
            span: self.since(start),
        };
        if let (true, Some(text)) = (node.is_a("note"), node.title.clone()) {
            self.machine.notes.push(Note {
                name: node.name.clone(),
                target: node.name,
                text,
                span: node.span,
            });
            return match self.kind(0) {
                Some(Kind::Sign(b'{')) => self.open(self.owner()),
                _ => self.end(),
            };
        }
        if let Some(parent) = parent {
            let around = &self.machine.nodes[parent].qualified;
            node.qualified = format!("{around}.{}", node.name.text).into();
        }
        self.machine.nodes.push(node);
        match self.kind(0) {
            Some(Kind::Sign(b'{')) => self.open(Owner::Node(self.machine.nodes.len() - 1)),
            _ => self.end(),
        }
    }

    fn attribute(&mut self) {
        let name = self.name();
        let start = name.span.start;
        self.take(Kind::Sign(b'?'));
        let kind = self.kind_of_attribute();
        self.take(Kind::Sign(b'?'));
        let mut value = None;
        if self.take(Kind::Sign(b':')) {
            value = self.value();
            if value.is_none() {
                self.unexpected("a value");
            }
        }
        let attribute = Attribute {
            name,
            kind,
            value,
            span: self.since(start),
        };
        self.take(Kind::Sign(b';'));
        match self.owner() {
            Owner::Machine => self.machine.attributes.push(attribute),
            Owner::Node(node) => self.machine.nodes[node].attributes.push(attribute),
            Owner::Edge(edge) => self.machine.edges[edge].attributes.push(attribute),
        }
    }

    /// Parses an opening brace.
    fn open(&mut self, owner: Owner) {
        let open = self.tokens[self.at].span;
        self.at += 1;
        let (around, depth) = match self.scopes.last() {
            Some(scope) => (scope.node, scope.depth),
            None => (None, 0),
        };
        let (node, depth) = match owner {
            Owner::Node(node) if around != Some(node) && depth < MAX_DEPTH => {
                (Some(node), depth + 1)
            }
            Owner::Node(node) if around != Some(node) => {
                let what = format!("More than {MAX_DEPTH} nested nodes");
                self.tell(Fault::Skipped, open, &what);
                (around, depth)
            }
            _ => (around, depth),
        };
        self.scopes.push(Scope {
            owner,
            node,
            depth,
            open,
        });
    }

    fn close(&mut self, brace: Token) {
        self.at += 1;
        let Some(scope) = self.scopes.pop() else {
            return self.tell(Fault::Skipped, brace.span, "`}` without a `{` before it");
        };
        self.take(Kind::Sign(b';'));
        self.reach(scope.owner, brace.span.end);
    }

    fn close_all(&mut self) {
        let end = self.tokens.last().map_or(0, |token| token.span.end);
        while let Some(scope) = self.scopes.pop() {
            self.tell(Fault::Unended, scope.open, "`{` without a `}` behind it");
            self.reach(scope.owner, end);
        }
    }

    /// Extends the span of the owner of braces to their end.
    fn reach(&mut self, owner: Owner, end: u32) {
        match owner {
            Owner::Machine => {}
            Owner::Node(node) => self.machine.nodes[node].span.end = end,
            Owner::Edge(edge) => self.machine.edges[edge].span.end = end,
        }
    }

    /// Returns the owner of attributes at the current place.
    fn owner(&self) -> Owner {
        self.scopes
            .last()
            .map_or(Owner::Machine, |scope| scope.owner)
    }

    /// Parses the end of a statement: `;`, or the end of its line, of the enclosing braces, or of the text.
    fn end(&mut self) {
        let goes_on = |token: &Token| !token.leads && token.kind != Kind::Sign(b'}');
        if self.take(Kind::Sign(b';')) || !self.peek().as_ref().is_some_and(goes_on) {
            return;
        }
        let end = self.tokens[self.at - 1].span.end;
        self.tell(Fault::Unended, Span::empty(end as usize), "`;` is missing");
    }

    /// Reports an unexpected token, and continues after the next `;`, or before a new line or brace.
    fn unexpected(&mut self, expected: &str) {
        let Some(token) = self.peek() else {
            let end = Span::empty(self.source.text().len());
            return self.tell(
                Fault::Skipped,
                end,
                &format!("Expected {expected}, found the end of the text"),
            );
        };
        let what = format!("Expected {expected}, found {}", quoted(self.text(token)));
        self.tell(Fault::Skipped, token.span, &what);
        if matches!(token.kind, Kind::Sign(b'{' | b'}')) {
            return;
        }
        self.at += 1;
        while let Some(token) = self.peek() {
            if token.leads || matches!(token.kind, Kind::Sign(b'{' | b'}')) {
                return;
            }
            self.at += 1;
            if token.kind == Kind::Sign(b';') {
                return;
            }
        }
    }

    fn tell(&mut self, fault: Fault, span: Span, message: &str) {
        let problems = &mut self.machine.problems;
        let may_add = match fault {
            Fault::Skipped => MAX_PROBLEMS,
            Fault::Unended => MAX_PROBLEMS / 2,
        };
        if problems.len() < may_add {
            problems.push(MachineProblem {
                fault,
                span,
                place: self.source.place(span.start as usize),
                message: message.into(),
            });
        }
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn kind(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|token| token.kind == Kind::Word && self.text(*token) == word)
    }

    /// Returns whether an arrow follows, or a string and then an arrow.
    fn arrow_at(&self, ahead: usize) -> bool {
        let is_arrow = |kind| {
            matches!(
                kind,
                Some(Kind::Arrow(_) | Kind::Opener | Kind::LabelledBoth)
            )
        };
        is_arrow(self.kind(ahead))
            || self.kind(ahead) == Some(Kind::String) && is_arrow(self.kind(ahead + 1))
    }

    fn take(&mut self, kind: Kind) -> bool {
        let takes = self.kind(0) == Some(kind);
        self.at += usize::from(takes);
        takes
    }

    /// Returns the current name. Callers have checked the kind of the token.
    fn name(&mut self) -> Text {
        let token = self.tokens[self.at];
        self.at += 1;
        Text {
            text: self.text(token).trim_start_matches('#').into(),
            span: token.span,
        }
    }

    /// Parses an optional string.
    fn string(&mut self) -> Option<Text> {
        let token = self.peek().filter(|token| token.kind == Kind::String)?;
        self.at += 1;
        Some(Text {
            text: unquoted(self.text(token)),
            span: token.span,
        })
    }

    fn text(&self, token: Token) -> &str {
        self.source.slice(token.span)
    }

    /// Returns the span from a byte to the end of the last token.
    fn since(&self, start: u32) -> Span {
        let end = self.tokens[..self.at]
            .last()
            .map_or(start, |token| token.span.end);
        Span::new(start as usize, end as usize)
    }
}
