//! Seeds in test code: literal calls of the provider's seeding functions, read from JavaScript and TypeScript without
//! running anything.
//!
//! The calls `seedMemoryTraceResponse(schema, model, jobId, round, response)` and the deprecated
//! `seedMemoryResponse(step, model, userTextHash, response)` become values of a [`Tree`]: a list with one object per call,
//! whose members are its arguments. So all code that reads values with their places can read them. An argument that is not a
//! literal is an [expression](NodeKind::Expression): it has a place and a text, but no value.
//! Strings, templates without `${…}`, numbers, and `JSON.stringify` of literals are literals.

mod literal;
mod literal_reader;
mod token;

use super::Syntax;
use super::json::javascript_number;
use super::tree::{MAX_VALUES, MemberKey, Node, NodeId, NodeKind, Scalar, Tree};
use crate::text::{Source, Span};
use literal::Literal;
use literal_reader::literal;
use token::{CodeToken, NO_PAIR, TokenKind, tokens};

/// The extensions of code files.
const ENDINGS: [&str; 8] = ["ts", "js", "mts", "cts", "tsx", "jsx", "mjs", "cjs"];

/// A function that seeds, with its parameters.
struct SeedFunction {
    name: &'static str,
    parameters: &'static [&'static str],
}

const FUNCTIONS: [SeedFunction; 2] = [
    SeedFunction {
        name: "seedMemoryTraceResponse",
        parameters: &["schema", "model", "jobId", "round", "response"],
    },
    SeedFunction {
        name: "seedMemoryResponse",
        parameters: &["step", "model", "userTextHash", "response"],
    },
];

/// Whether a file of this name is JavaScript or TypeScript.
pub fn is_code(file_name: &str) -> bool {
    let ending = file_name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.iter().any(|e| ending.eq_ignore_ascii_case(e)))
}

/// Returns whether a text contains the name of a seeding function. This fast check is all that a project's other code costs.
pub fn may_seed(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"seedMemory")
        .any(|at| FUNCTIONS.iter().any(|function| text[at..].starts_with(function.name.as_bytes())))
}

/// True for the call of the function with trace keys, false for that of the deprecated one.
pub(super) fn is_trace_call(call: Node<'_>) -> bool {
    call.raw().starts_with(FUNCTIONS[0].name)
}

/// Returns the span of the name of the called function.
pub fn name_span(call: Node<'_>) -> Span {
    let start = call.span().start as usize;
    let function = &FUNCTIONS[usize::from(!is_trace_call(call))];
    Span::new(start, start + function.name.len())
}

/// Reads the calls of a text. Never fails; takes time in proportion to the text.
pub fn parse(source: &Source) -> Tree {
    let text = source.text();
    let mut tree = Tree::new(source.clone(), Syntax::Code);
    let span = Span::new(source.content_start(), text.len());
    let root = tree.push(None, None, NodeKind::Array, span, None);
    if may_seed(text.as_bytes()) {
        let mut calls = CallParser { text, tokens: tokens(text), tree, root };
        calls.read();
        tree = calls.tree;
    }
    tree.close(root, text.len());
    tree
}

struct CallParser<'a> {
    text: &'a str,
    tokens: Vec<CodeToken>,
    tree: Tree,
    root: NodeId,
}

impl CallParser<'_> {
    fn read(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && self.tree.len() < MAX_VALUES {
            at = match self.function(at).and_then(|function| self.call(at, function)) {
                Some(close) => close + 1,
                None => at + 1,
            };
        }
    }

    fn written(&self, token: CodeToken) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Returns the function that the word at `at` names, if it is called there.
    fn function(&self, at: usize) -> Option<&'static SeedFunction> {
        let token = self.tokens[at];
        if token.kind != TokenKind::Word {
            return None;
        }
        let previous = at.checked_sub(1).map(|previous| self.tokens[previous]);
        // `function` or, for a generator, `*` comes before the name in a declaration.
        if previous.is_some_and(|previous| matches!(self.written(previous), "function" | "*")) {
            return None;
        }
        FUNCTIONS.iter().find(|function| function.name == self.written(token))
    }

    /// Reads the call of the function named at `at`. Returns the index of its closing bracket.
    fn call(&mut self, at: usize, function: &'static SeedFunction) -> Option<usize> {
        let opening = self.opening(at + 1)?;
        let close = self.tokens[opening].pair as usize;
        if self.tokens[opening].pair == NO_PAIR {
            return None;
        }
        let arguments = self.arguments(opening + 1, close);
        let literals: Vec<Option<Literal>> =
            arguments.iter().map(|range| literal(self.text, &self.tokens, range.clone())).collect();
        if self.is_declaration(close, &literals) {
            return None;
        }
        let (start, end) = (self.tokens[at].start, self.tokens[close].end);
        let span = Span { start, end };
        let call = self.tree.push(Some(self.root), None, NodeKind::Object, span, None);
        let mut spread = None;
        for (index, name) in function.parameters.iter().enumerate() {
            let (span, literal) = match (&spread, arguments.get(index)) {
                // After `...arguments`, it is unknown which value a parameter has.
                (Some(span), _) => (*span, None),
                (None, Some(range)) => (self.span(range), literals[index].as_ref()),
                (None, None) => break,
            };
            if self.text[span.range()].starts_with("...") {
                spread = Some(span);
            }
            self.argument(call, name, span, literal);
        }
        self.tree.close(call, end as usize);
        Some(close)
    }

    /// The index of the bracket that opens the arguments, behind `?.` and types.
    fn opening(&self, mut at: usize) -> Option<usize> {
        /// No real call has more type arguments than that.
        const MAX_TYPE_TOKENS: usize = 64;
        if self.kind(at)? == TokenKind::Sign(b'?') && self.kind(at + 1)? == TokenKind::Sign(b'.') {
            at += 2;
        }
        if self.kind(at)? == TokenKind::Sign(b'<') {
            let mut depth = 0;
            for _ in 0..MAX_TYPE_TOKENS {
                match self.kind(at)? {
                    TokenKind::Sign(b'<') => depth += 1,
                    TokenKind::Sign(b'>') => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        (self.kind(at)? == TokenKind::Open(b'(')).then_some(at)
    }

    /// The tokens of each argument between two brackets.
    fn arguments(&self, from: usize, close: usize) -> Vec<std::ops::Range<usize>> {
        let mut arguments = Vec::new();
        let (mut start, mut at) = (from, from);
        while at < close {
            let token = self.tokens[at];
            match token.kind {
                TokenKind::Sign(b',') => {
                    arguments.push(start..at);
                    start = at + 1;
                    at += 1;
                }
                TokenKind::Open(_) if token.pair != NO_PAIR => at = token.pair as usize + 1,
                _ => at += 1,
            }
        }
        if start < close {
            arguments.push(start..close);
        }
        arguments
    }

    /// Returns whether this is a declaration of the function, as a method or in a type, and not a call.
    fn is_declaration(&self, close: usize, literals: &[Option<Literal>]) -> bool {
        match self.kind(close + 1) {
            Some(TokenKind::Open(b'{')) => true,
            // A method of a type goes on with its result, but the middle of `a ? seed("x") : b` looks the same except for its
            // literals.
            Some(TokenKind::Sign(b':')) => literals.iter().all(Option::is_none),
            _ => false,
        }
    }

    fn span(&self, range: &std::ops::Range<usize>) -> Span {
        match (self.tokens.get(range.start), range.is_empty()) {
            (Some(first), false) => {
                Span { start: first.start, end: self.tokens[range.end - 1].end }
            }
            (first, _) => Span::empty(first.map_or(self.text.len(), |first| first.start as usize)),
        }
    }

    fn argument(&mut self, call: NodeId, name: &str, span: Span, literal: Option<&Literal>) {
        let key = MemberKey {
            // Arguments have no names in the code, so the key has no bytes.
            span: Span::empty(span.start as usize),
            text: Scalar::Decoded(name.to_owned()),
        };
        let (kind, text) = match literal {
            Some(Literal::Text(text)) => (NodeKind::String, Some(text.clone())),
            Some(Literal::Number(number)) => (NodeKind::Number, Some(javascript_number(*number))),
            Some(Literal::Bool(value)) => (NodeKind::Bool, Some(value.to_string())),
            Some(Literal::Null | Literal::Undefined) => (NodeKind::Null, None),
            Some(Literal::List(_) | Literal::Object(_)) | None => (NodeKind::Expression, None),
        };
        self.tree.push(Some(call), Some(key), kind, span, text.map(Scalar::Decoded));
    }
}

#[cfg(test)]
mod tests;
