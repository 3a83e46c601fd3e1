//! Parses tokens to a machine: statement by statement, without recursion, and with recovery after every error.

mod edge;
mod head;
mod value;

use super::token::{MachineToken, MachineTokenKind, tokens, unquoted};
use super::{
    Attribute, Machine, MachineNode, MachineNote, MachineProblem, ParseRecovery, SpannedText,
};
use document::text::{Source, Span, quoted};

/// Maximum nesting depth of nodes; deeper ones are read as if they were at this depth.
// A qualified name contains all names around it: without a limit, the names of deep nodes would take quadratic room.
pub(super) const MAX_DEPTH: usize = 64;

/// Maximum number of reported problems.
const MAX_PROBLEMS: usize = 100;

pub(super) fn read(source: &Source) -> Machine {
    let (tokens, comments) = tokens(source.text(), source.content_start());
    let mut reader = MachineReader {
        source,
        tokens,
        at: 0,
        scopes: Vec::new(),
        machine: Machine { comments, ..Machine::default() },
    };
    while let Some(token) = reader.peek() {
        reader.statement(token);
    }
    reader.close_all();
    reader.machine
}

/// The owner of the attributes inside a pair of braces.
#[derive(Clone, Copy)]
enum ScopeOwner {
    Machine,
    Node(usize),
    Edge(usize),
}

/// An open pair of braces.
struct ReadScope {
    owner: ScopeOwner,
    /// The innermost enclosing node.
    node: Option<usize>,
    /// Number of enclosing nodes.
    depth: usize,
    open: Span,
}

struct MachineReader<'a> {
    source: &'a Source,
    tokens: Vec<MachineToken>,
    at: usize,
    scopes: Vec<ReadScope>,
    machine: Machine,
}

impl MachineReader<'_> {
    fn statement(&mut self, token: MachineToken) {
        match token.kind {
            MachineTokenKind::Sign(b';') => self.at += 1,
            MachineTokenKind::Sign(b'}') => self.close(token),
            MachineTokenKind::Sign(b'{') => {
                // It is opened nevertheless, so that its `}` does not close what is around it.
                self.skipped(token.span, "`{` without a name before it");
                self.open(self.owner());
            }
            MachineTokenKind::Word | MachineTokenKind::External | MachineTokenKind::Number => {
                self.named(token);
            }
            _ => self.unexpected("a name"),
        }
    }

    /// Parses a statement that begins with a name.
    fn named(&mut self, first: MachineToken) {
        // These words are keywords only by what follows: a node may be called `note`.
        match (self.text(first), self.kind(1)) {
            ("machine", Some(MachineTokenKind::String)) => return self.header(),
            ("import", Some(MachineTokenKind::Sign(b'{') | MachineTokenKind::String)) => {
                return self.import();
            }
            // A note may itself be called `for`: only another name behind it makes it `note for NAME`.
            ("note", Some(MachineTokenKind::Word))
                if self.is_word(1, "for") && self.kind(2) == Some(MachineTokenKind::Word) =>
            {
                return self.note_for();
            }
            _ => {}
        }
        match self.kind(1) {
            Some(MachineTokenKind::Sign(b':' | b'<' | b'?')) => self.attribute(),
            Some(MachineTokenKind::Sign(b',')) => self.edges(),
            Some(
                MachineTokenKind::Word | MachineTokenKind::External | MachineTokenKind::Number,
            ) => self.two_names(first),
            _ if self.arrow_at(1) => self.edges(),
            _ => {
                let name = self.name();
                self.node(None, name);
            }
        }
    }

    /// Parses two names in a row: a type and a name, or an unterminated statement before another.
    fn two_names(&mut self, first: MachineToken) {
        let begins_other = self.arrow_at(2)
            || matches!(self.kind(2), Some(MachineTokenKind::Sign(b':' | b'<' | b'?' | b',')));
        let name = self.name();
        let Some(second) = self.peek().filter(|_| begins_other) else {
            let kind = Some(name);
            let name = self.name();
            return self.node(kind, name);
        };
        // Names on two lines are two statements, of which the first has no `;`.
        if second.leads {
            self.node(None, name);
        } else {
            let message =
                format!("Unexpected {} before {}", quoted(&name.text), quoted(self.text(second)));
            self.skipped(first.span, &message);
        }
    }

    /// Parses the rest of a node after its name.
    fn node(&mut self, kind: Option<SpannedText>, name: SpannedText) {
        let start = kind.as_ref().unwrap_or(&name).span.start;
        let mut title = self.string();
        let annotations = self.annotations();
        title = title.or_else(|| self.string());
        let scope = self.scopes.last();
        let parent = scope.and_then(|scope| scope.node);
        let mut node = MachineNode {
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
            self.machine.notes.push(MachineNote {
                name: node.name.clone(),
                target: node.name,
                text,
                span: node.span,
            });
            return self.open_or_end(self.owner());
        }
        if let Some(parent) = parent {
            let parent_name = &self.machine.nodes[parent].qualified;
            node.qualified = format!("{parent_name}.{}", node.name.text).into();
        }
        self.machine.nodes.push(node);
        self.open_or_end(ScopeOwner::Node(self.machine.nodes.len() - 1));
    }

    fn attribute(&mut self) {
        let name = self.name();
        let start = name.span.start;
        self.take(MachineTokenKind::Sign(b'?'));
        let kind = self.kind_of_attribute();
        self.take(MachineTokenKind::Sign(b'?'));
        let mut value = None;
        if self.take(MachineTokenKind::Sign(b':')) {
            value = self.value();
            if value.is_none() {
                self.unexpected("a value");
            }
        }
        let attribute = Attribute { name, kind, value, span: self.since(start) };
        self.take(MachineTokenKind::Sign(b';'));
        match self.owner() {
            ScopeOwner::Machine => self.machine.attributes.push(attribute),
            ScopeOwner::Node(node) => self.machine.nodes[node].attributes.push(attribute),
            ScopeOwner::Edge(edge) => self.machine.edges[edge].attributes.push(attribute),
        }
    }

    /// Parses an opening brace.
    fn open(&mut self, owner: ScopeOwner) {
        let open = self.tokens[self.at].span;
        self.at += 1;
        let (parent, depth) = self.scopes.last().map_or((None, 0), |s| (s.node, s.depth));
        let (node, depth) = match owner {
            ScopeOwner::Node(node) if parent != Some(node) && depth < MAX_DEPTH => {
                (Some(node), depth + 1)
            }
            ScopeOwner::Node(node) if parent != Some(node) => {
                let message = format!("More than {MAX_DEPTH} nested nodes");
                self.skipped(open, &message);
                (parent, depth)
            }
            _ => (parent, depth),
        };
        self.scopes.push(ReadScope { owner, node, depth, open });
    }

    /// Opens the scope of what was just read, or ends its statement.
    fn open_or_end(&mut self, owner: ScopeOwner) {
        if self.kind(0) == Some(MachineTokenKind::Sign(b'{')) {
            self.open(owner);
        } else {
            self.end();
        }
    }

    fn close(&mut self, brace: MachineToken) {
        self.at += 1;
        let Some(scope) = self.scopes.pop() else {
            return self.skipped(brace.span, "`}` without a `{` before it");
        };
        self.take(MachineTokenKind::Sign(b';'));
        self.reach(scope.owner, brace.span.end);
    }

    fn close_all(&mut self) {
        let end = self.tokens.last().map_or(0, |token| token.span.end);
        while let Some(scope) = self.scopes.pop() {
            self.report(ParseRecovery::Unended, scope.open, "`{` without a `}` behind it");
            self.reach(scope.owner, end);
        }
    }

    /// Extends the span of the owner of braces to their end.
    fn reach(&mut self, owner: ScopeOwner, end: u32) {
        match owner {
            ScopeOwner::Machine => {}
            ScopeOwner::Node(node) => self.machine.nodes[node].span.end = end,
            ScopeOwner::Edge(edge) => self.machine.edges[edge].span.end = end,
        }
    }

    /// Returns the owner of attributes at the current place.
    fn owner(&self) -> ScopeOwner {
        self.scopes.last().map_or(ScopeOwner::Machine, |scope| scope.owner)
    }

    /// Parses the end of a statement: `;`, or the end of its line, of the enclosing braces, or of the text.
    fn end(&mut self) {
        let is_open =
            |token: &MachineToken| !token.leads && token.kind != MachineTokenKind::Sign(b'}');
        if self.take(MachineTokenKind::Sign(b';')) || !self.peek().as_ref().is_some_and(is_open) {
            return;
        }
        let end = self.tokens[self.at - 1].span.end;
        self.report(ParseRecovery::Unended, Span::empty(end as usize), "`;` is missing");
    }

    /// Reports an unexpected token, and continues after the next `;`, or before a new line or brace.
    fn unexpected(&mut self, expected: &str) {
        let Some(token) = self.peek() else {
            let end = Span::empty(self.source.text().len());
            return self.skipped(end, &format!("Expected {expected}, found the end of the text"));
        };
        let message = format!("Expected {expected}, found {}", quoted(self.text(token)));
        self.skipped(token.span, &message);
        if matches!(token.kind, MachineTokenKind::Sign(b'{' | b'}')) {
            return;
        }
        self.at += 1;
        while let Some(token) = self.peek() {
            if token.leads || matches!(token.kind, MachineTokenKind::Sign(b'{' | b'}')) {
                return;
            }
            self.at += 1;
            if token.kind == MachineTokenKind::Sign(b';') {
                return;
            }
        }
    }

    fn report(&mut self, recovery: ParseRecovery, span: Span, message: &str) {
        let problems = &mut self.machine.problems;
        let max_problems = match recovery {
            ParseRecovery::Skipped => MAX_PROBLEMS,
            // Room is left for skipped parts, since they are what makes a machine partial.
            ParseRecovery::Unended => MAX_PROBLEMS / 2,
        };
        if problems.len() < max_problems {
            let place = self.source.place(span.start as usize);
            problems.push(MachineProblem { recovery, span, place, message: message.into() });
        }
    }

    /// Reports a part that is skipped.
    fn skipped(&mut self, span: Span, message: &str) {
        self.report(ParseRecovery::Skipped, span, message);
    }

    fn peek(&self) -> Option<MachineToken> {
        self.tokens.get(self.at).copied()
    }

    fn kind(&self, ahead: usize) -> Option<MachineTokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|token| token.kind == MachineTokenKind::Word && self.text(*token) == word)
    }

    /// Returns whether an arrow follows, or a string and then an arrow.
    fn arrow_at(&self, ahead: usize) -> bool {
        let has_count = self.kind(ahead) == Some(MachineTokenKind::String);
        let arrow = self.kind(ahead + usize::from(has_count));
        arrow.is_some_and(|kind| {
            use MachineTokenKind::{Arrow, LabelledBoth, Opener};
            matches!(kind, Arrow(_) | Opener | LabelledBoth)
        })
    }

    fn take(&mut self, kind: MachineTokenKind) -> bool {
        let is_next = self.kind(0) == Some(kind);
        self.at += usize::from(is_next);
        is_next
    }

    /// Returns the current name. Callers have checked the kind of the token.
    fn name(&mut self) -> SpannedText {
        let token = self.tokens[self.at];
        self.at += 1;
        SpannedText { text: self.text(token).trim_start_matches('#').into(), span: token.span }
    }

    /// Parses an optional string.
    fn string(&mut self) -> Option<SpannedText> {
        let token = self.peek().filter(|token| token.kind == MachineTokenKind::String)?;
        self.at += 1;
        Some(SpannedText { text: unquoted(self.text(token)), span: token.span })
    }

    fn text(&self, token: MachineToken) -> &str {
        self.source.slice(token.span)
    }

    /// Returns the span from a byte to the end of the last token.
    fn since(&self, start: u32) -> Span {
        let end = self.tokens[..self.at].last().map_or(start, |token| token.span.end);
        Span::new(start as usize, end as usize)
    }
}
