//! Judges one document by itself.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::*;
use crate::format::{Body, Document, Node, NodeKind, Problem, RuleId, Syntax, Tree, code};
use crate::ops::Mark;
use crate::ops::secret::{Mask, Own};
use crate::text::{Places, Span};

/// What a document cannot know of its surroundings. The default knows nothing, and then nothing is judged by it.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The contracts that sessions of this document may refer to; `None` when no configuration was found.
    pub contracts: Option<ContractFacts>,
    /// What the project itself calls a secret, and what it does not.
    pub secrets: Arc<Own>,
}

/// Which contracts there are for a session, seen from its configuration.
///
/// For a session's file the configuration is the one found above it. A configuration is its own: its names are taken from
/// itself, and `files` from its folder.
#[derive(Clone, Debug, Default)]
pub struct ContractFacts {
    /// The configuration's path, for messages.
    pub config: Box<str>,
    /// Names of the contracts that are defined.
    pub names: HashSet<Box<str>>,
    /// Which of [`contract_references`] are paths of files, taken from the configuration's folder.
    pub files: HashSet<Box<str>>,
}

/// What came of judging one document.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// What its reader found, and what every rule that looks at one document found, in the order of the text. No text in
    /// them shows a secret of the document.
    pub problems: Vec<Problem>,
    /// The secrets of the document, for whatever else is said about it.
    pub secrets: Mask,
}

/// Judges a document; the problems of [`judge_document`].
pub fn check_document(document: &Document, facts: &Facts) -> Vec<Problem> {
    judge_document(document, facts).problems
}

/// Judges a document by itself.
pub fn judge_document(document: &Document, facts: &Facts) -> Judged {
    let mut findings = Findings::new(&document.tree);
    match &document.body {
        Body::Recording(recording) => {
            response_not_wrapped::judge(recording, &mut findings);
            response_empty::judge(recording, &mut findings);
            tool_not_offered::judge(recording, &mut findings);
            signature_missing::judge(recording, &mut findings);
            signature_outdated::judge(recording, &mut findings);
            signature_unmatchable::judge(recording, &mut findings);
        }
        Body::Session(session) => {
            session_incomplete::judge(session, &mut findings);
            tool_response_type::judge(session, &mut findings);
            tool_responses_unused::judge(session, &mut findings);
            contract_not_found::judge(document, facts, &mut findings);
        }
        Body::Config(config) => {
            for session in &config.sessions {
                session_incomplete::judge(session, &mut findings);
                tool_response_type::judge(session, &mut findings);
                tool_responses_unused::judge(session, &mut findings);
            }
            session_id_reused::judge(config, &mut findings);
            if let Some(contract) = &config.contract {
                invariant_unknown::judge(contract, &mut findings);
            }
            contract_not_found::judge(document, facts, &mut findings);
        }
        Body::Tape(tape) => {
            delay_invalid::judge(tape, &mut findings);
            delay_lost::judge(tape, &mut findings);
            stream_empty::judge(tape, &mut findings);
            model_mismatch::judge(tape, &mut findings);
            request_incomplete::judge(tape, &mut findings);
        }
        Body::Seeds(seeds) => {
            seed_empty::judge(seeds, &mut findings);
            seed_hash_key::judge(seeds, &mut findings);
            seed_key_reused::judge(seeds, &mut findings);
            seed_key_separator::judge(seeds, &mut findings);
            seed_prompt_in_key::judge(seeds, &mut findings);
            seed_wildcard_ambiguous::judge(seeds, &mut findings);
            seed_not_json::judge(seeds, &mut findings);
        }
        Body::Contract(contract) => invariant_unknown::judge(contract, &mut findings),
        Body::Machine => syntax::judge_machine(&mut findings),
        Body::Request(_) | Body::Report(_) | Body::Unknown => {}
        // What is wrong in it is for its own tool to say.
        Body::Foreign(_) => return Judged::default(),
    }
    let secrets = secret::judge(document, &facts.secrets, &mut findings);
    hidden_characters::judge(&mut findings);
    let mut problems = findings.with_those_of(&document.problems);
    // Also without a known one: what does not parse is scanned only here.
    problems.iter_mut().for_each(|it| secrets.hide_in(it));
    Judged { problems, secrets }
}

/// Collects what the rules find in one document, up to a bound for each rule: a file made of nothing but faults must not
/// fill the memory.
pub(super) struct Findings<'a> {
    tree: &'a Tree,
    places: Places<'a>,
    problems: Vec<Problem>,
    /// How often each rule found something, told or not.
    found: BTreeMap<RuleId, usize>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            places: Places::new(tree.source()),
            problems: Vec::new(),
            found: BTreeMap::new(),
        }
    }

    pub(super) fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// Adds a problem at a value: all of a scalar, the beginning of a list or an object. The answer is the problem, to be
    /// changed, unless there are too many of its rule.
    pub(super) fn at(
        &mut self,
        rule: RuleId,
        node: Node<'_>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        self.at_span(rule, beginning(node), node, message)
    }

    /// Adds a problem of a value at certain bytes.
    pub(super) fn at_span(
        &mut self,
        rule: RuleId,
        span: Span,
        node: Node<'_>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        self.at_bytes(rule, span, node.told_pointer(), message)
    }

    /// Adds a problem at certain bytes; the pointer is empty where they are no value.
    pub(super) fn at_bytes(
        &mut self,
        rule: RuleId,
        span: Span,
        pointer: impl Into<Arc<str>>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        let found = self.found.entry(rule).or_default();
        *found += 1;
        if *found > most(rule) {
            return None;
        }
        let mark = Mark {
            span,
            place: self.places.of(span.start as usize),
        };
        self.problems.push(mark.problem(rule, pointer, message));
        self.problems.last_mut()
    }

    /// Puts them together with what the reader found, in the order of the text. Where some were left out, the last of their
    /// rule says how many.
    fn with_those_of(mut self, of_reader: &[Problem]) -> Vec<Problem> {
        for (&rule, found) in &self.found {
            let untold = found.saturating_sub(most(rule));
            let last = self
                .problems
                .iter_mut()
                .rfind(|problem| problem.rule == rule);
            if let Some(last) = last {
                last.stand_for(untold);
            }
        }
        self.problems.extend_from_slice(of_reader);
        self.problems.sort_by_key(|problem| problem.span.start);
        self.problems
    }
}

/// How many problems of one rule are told of one file; the rest is counted.
pub(super) const MOST_PER_RULE: usize = 1000;

fn most(rule: RuleId) -> usize {
    match rule {
        // What a tool prints in colour has them in every line.
        RuleId::HiddenCharacters => 10,
        // A list of customers has an address in every line.
        RuleId::Secret => 100,
        _ => MOST_PER_RULE,
    }
}

/// The bytes to point at: all of a scalar, the first key of a YAML mapping, else the bracket that opens.
fn beginning(node: Node<'_>) -> Span {
    let span = node.span();
    if node.tree().syntax() == Syntax::Code && node.kind() == NodeKind::Object {
        return code::name_span(node);
    }
    if node.is_alias() || !matches!(node.kind(), NodeKind::Object | NodeKind::Array) {
        return span;
    }
    let start = span.start as usize;
    if node.raw().starts_with(['{', '[']) {
        return Span::new(start, start + 1);
    }
    match node.items().next().and_then(Node::key_span) {
        Some(key) if key.start == span.start => key,
        _ => Span::empty(start),
    }
}
