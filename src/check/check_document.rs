//! Checks one document, without other files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use super::*;
use ::document::ValueMark;
use ::document::call::{BodyContent, HttpExchange, ModelCall};
use ::document::cassette::CassetteClient;
use ::document::text::{PlaceFinder, Span};
use ::document::{
    Document, DocumentBody, FileKind, Node, NodeKind, Problem, RuleId, Syntax, Tree, code,
};
use calls::cassette_config::CassetteFacts;
use calls::decoded_view::DocumentTexts;
use calls::reading::listed_calls;
use calls::secret::{CustomPatterns, Mask};
use calls::source::sha256_hex;
use play::client::CallGroups;

/// Facts about the project that rules need to check a document. Rules whose facts are unknown, as in the default, are skipped.
#[derive(Clone, Debug, Default)]
pub struct CheckFacts {
    /// The contracts that sessions of this document may refer to; `None` when no configuration was found.
    pub contracts: Option<ContractFacts>,
    /// The project's patterns of secrets, and of texts that are not secrets.
    pub secrets: Arc<CustomPatterns>,
    /// The name of the file; empty if it is unknown.
    pub file_name: Arc<str>,
    /// Settings that apply to a cassette.
    pub cassette: CassetteFacts,
}

/// The contracts that a session can refer to, according to its configuration.
///
/// For a session file, this is the nearest configuration in the folders above. For a configuration, it is the file itself:
/// it provides the names, and `files` are relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractFacts {
    /// The configuration's path, for messages.
    pub config: Box<str>,
    /// Names of the contracts that are defined.
    pub names: HashSet<Box<str>>,
    /// Those of [`contract_references`] that are existing files, relative to the configuration's folder.
    pub files: HashSet<Box<str>>,
}

/// The result of checking one document.
#[derive(Clone, Debug, Default)]
pub struct CheckedDocument {
    /// The problems that the reader and the rules for single documents found, in the order of the text. Their texts do not
    /// show secrets of the document.
    pub problems: Vec<Problem>,
    /// The secrets of the document, to hide them in other messages about it.
    pub secrets: Mask,
}

/// Checks a document and returns the problems of [`judge_document`].
pub fn check_document(document: &Document, facts: &CheckFacts) -> Vec<Problem> {
    judge_document(document, &listed_calls(document), facts).problems
}

/// Checks a document without other files. `calls` are those that are [listed below it](listed_calls).
pub fn judge_document(
    document: &Document,
    calls: &[ModelCall<'_>],
    facts: &CheckFacts,
) -> CheckedDocument {
    let mut findings = ProblemCollector::new(document, calls, facts);
    match &document.body {
        DocumentBody::Recording(recording) => {
            syntax::judge_start(&mut findings);
            response_not_wrapped::judge(recording, &mut findings);
            response_empty::judge(recording, &mut findings);
            tool_not_offered::judge(recording, &mut findings);
            machine_bound::judge(&mut findings);
            signature_missing::judge(recording, &mut findings);
            signature_outdated::judge(recording, &mut findings);
            signature_unmatchable::judge(recording, &mut findings);
        }
        DocumentBody::Session(session) => {
            session_incomplete::judge(session, &mut findings);
            tool_response_type::judge(session, &mut findings);
            tool_responses_unused::judge(session, &mut findings);
            contract_not_found::judge(&mut findings);
        }
        DocumentBody::Config(config) => {
            for session in &config.sessions {
                session_incomplete::judge(session, &mut findings);
                tool_response_type::judge(session, &mut findings);
                tool_responses_unused::judge(session, &mut findings);
            }
            session_id_reused::judge(config, &mut findings);
            config_refused::judge(&mut findings);
            if let Some(contract) = &config.contract {
                invariant_unknown::judge(contract, &mut findings);
            }
            contract_not_found::judge(&mut findings);
        }
        DocumentBody::Tape(tape) => {
            delay_invalid::judge(tape, &mut findings);
            delay_lost::judge(tape, &mut findings);
            stream_empty::judge(tape, &mut findings);
            model_mismatch::judge(tape, &mut findings);
            request_incomplete::judge(tape, &mut findings);
            machine_bound::judge(&mut findings);
        }
        DocumentBody::Seeds(seeds) => {
            seed_empty::judge(seeds, &mut findings);
            seed_hash_key::judge(seeds, &mut findings);
            seed_key_reused::judge(seeds, &mut findings);
            seed_key_separator::judge(seeds, &mut findings);
            seed_prompt_in_key::judge(seeds, &mut findings);
            seed_wildcard_ambiguous::judge(seeds, &mut findings);
            seed_not_json::judge(seeds, &mut findings);
        }
        DocumentBody::Contract(contract) => {
            invariant_unknown::judge(contract, &mut findings);
        }
        DocumentBody::Machine => syntax::judge_machine(&mut findings),
        DocumentBody::Unknown => {
            calls_unsure::judge(&mut findings);
            unknown_format::judge_request(&mut findings);
        }
        DocumentBody::Request(_) | DocumentBody::Report(_) => {}
        // The program of a foreign file reports what is wrong in it, except that it is cut off.
        DocumentBody::Foreign(foreign) => {
            tool_not_offered::judge_calls(&mut findings);
            if foreign.format.kind() == FileKind::Cassette {
                return judge_cassette(foreign.client, findings);
            }
            unknown_format::judge(foreign, &mut findings);
            let secrets = secret::judge(&mut findings);
            // An archive that could not be unpacked may only be too large.
            let is_read = document.tree.root().is_some();
            let mut problems = findings.merge_with(if is_read { &document.problems } else { &[] });
            problems.iter_mut().for_each(|problem| secrets.hide_in(problem));
            hash_calls(document, calls, &mut problems);
            return CheckedDocument { problems, secrets };
        }
    }
    let secrets = secret::judge(&mut findings);
    hidden_characters::judge(&mut findings);
    let mut problems = findings.merge_with(&document.problems);
    // Needed even if no secret was found, because the mask also finds keys by their form in the messages.
    problems.iter_mut().for_each(|p| secrets.hide_in(p));
    CheckedDocument { problems, secrets }
}

/// Checks a cassette with these calls. Without a client, the rules of one are left out.
fn judge_cassette(
    client: Option<CassetteClient>,
    mut findings: ProblemCollector<'_>,
) -> CheckedDocument {
    let ProblemCollector { document, calls, facts, .. } = findings;
    let cassette_facts = &facts.cassette;
    if let Some(client) = client {
        // The settings may name another program than the one that wrote the file.
        let player = cassette_facts.client.as_ref().map_or(client, |(client, _)| *client);
        if let Some(groups) = CallGroups::find(document, player, cassette_facts, calls) {
            call_ambiguous::judge(&groups, &mut findings);
            repeat_unreachable::judge(&groups, &mut findings);
        }
        cassette_orphan::judge(&mut findings);
        never_loads::judge(player, &mut findings);
        never_loads::judge_file(client, player, &mut findings);
        encoding_mismatch::judge(client, &mut findings);
    }
    if let Some(max_age) = &cassette_facts.max_age {
        expired::judge(max_age, &mut findings);
    }
    calls_unsure::judge(&mut findings);
    machine_bound::judge(&mut findings);
    recorded_error::judge(&mut findings);
    response_empty::judge_calls(&mut findings);
    stream_truncated::judge(&mut findings);
    body_not_decodable::judge(&mut findings);
    length_mismatch::judge(&mut findings);
    let secrets = secret::judge(&mut findings);
    let mut problems = findings.merge_with(&document.problems);
    hash_calls(document, calls, &mut problems);
    problems.iter_mut().for_each(|p| secrets.hide_in(p));
    CheckedDocument { problems, secrets }
}

/// Notes for each problem the call that it is in: method, address and body of the request. Of calls that are equal in what their program
/// compares, the first may be deleted, so their bodies do not count.
fn hash_calls(document: &Document, calls: &[ModelCall<'_>], problems: &mut [Problem]) {
    let mut hashes: HashMap<(usize, bool), Option<NonZeroU32>> = HashMap::new();
    // A problem of the whole file is in no call.
    for problem in problems.iter_mut().filter(|p| !p.pointer.is_empty()) {
        let contains = |call: &ModelCall<'_>| {
            let span = document.node(call.node).span();
            span.start <= problem.span.start && problem.span.end <= span.end
        };
        let index = calls.iter().position(contains);
        let http = index.and_then(|index| Some((index, calls.get(index)?.facts.http.as_ref()?)));
        if let Some((index, http)) = http {
            let has_body = problem.calls.is_none();
            let hash = hashes.entry((index, has_body));
            problem.call_hash = *hash.or_insert_with(|| hash_request(document, http, has_body));
        }
    }
}

fn hash_request(document: &Document, http: &HttpExchange, has_body: bool) -> Option<NonZeroU32> {
    let body = http.request_body.as_ref().filter(|_| has_body);
    let tree = body.and_then(|body| match body.content {
        BodyContent::Tree(node) => Some(document.node(node).raw().as_bytes()),
        _ => None,
    });
    let body = body.and_then(|body| body.bytes()).or(tree);
    let mut bytes = format!("{} {}\n", http.method, http.url).into_bytes();
    bytes.extend_from_slice(body.unwrap_or_default());
    // 32 bits distinguish the calls of one file; as a number that is not 0, the field takes no space where it is missing.
    NonZeroU32::new(u32::from_str_radix(sha256_hex(&bytes).get(..8)?, 16).ok()?)
}

/// Collects the problems of one document, up to a limit for each rule, so that a file full of problems cannot fill the
/// memory.
pub(super) struct ProblemCollector<'a> {
    pub(super) document: &'a Document,
    /// Calls that are [listed below the document](listed_calls).
    pub(super) calls: &'a [ModelCall<'a>],
    pub(super) facts: &'a CheckFacts,
    pub(super) tree: &'a Tree,
    pub(super) texts: DocumentTexts<'a, 'a>,
    places: PlaceFinder<'a>,
    problems: Vec<Problem>,
    /// Number of problems that each rule found, including those above the limit.
    counts: BTreeMap<RuleId, usize>,
}

impl<'a> ProblemCollector<'a> {
    fn new(document: &'a Document, calls: &'a [ModelCall<'a>], facts: &'a CheckFacts) -> Self {
        Self {
            document,
            calls,
            facts,
            tree: &document.tree,
            texts: DocumentTexts::new(document, calls),
            places: PlaceFinder::new(document.source()),
            problems: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Adds a problem at a value: at all of a scalar, or at the beginning of a list or an object. Returns the problem so that
    /// the caller can change it, or `None` above the limit of its rule.
    pub(super) fn add_at(
        &mut self,
        rule: RuleId,
        node: Node<'_>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        self.add_at_span(rule, start_span(node), node, message)
    }

    /// Adds a problem of a value at `span`.
    pub(super) fn add_at_span(
        &mut self,
        rule: RuleId,
        span: Span,
        node: Node<'_>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        self.add_at_bytes(rule, span, node.bounded_pointer(), message)
    }

    /// Adds a problem at `span`; the pointer is empty if there is no value at `span`.
    pub(super) fn add_at_bytes(
        &mut self,
        rule: RuleId,
        span: Span,
        pointer: impl Into<Arc<str>>,
        message: impl Into<Arc<str>>,
    ) -> Option<&mut Problem> {
        let number = self.counts.entry(rule).or_default();
        *number += 1;
        if *number > limit_of(rule) {
            return None;
        }
        let mark = ValueMark { span, place: self.places.place_at(span.start as usize) };
        self.problems.push(mark.problem(rule, pointer, message));
        self.problems.last_mut()
    }

    /// Merges the problems with those of the reader, in the order of the text. The last problem of a rule above its limit
    /// states how many were omitted.
    fn merge_with(mut self, reader_problems: &[Problem]) -> Vec<Problem> {
        for (&rule, number) in &self.counts {
            let omitted_count = number.saturating_sub(limit_of(rule));
            let last = self.problems.iter_mut().rfind(|problem| problem.rule == rule);
            if let Some(last) = last {
                last.add_unlisted_count(omitted_count);
            }
        }
        self.problems.extend_from_slice(reader_problems);
        // The sort is stable: problems at one place have the same order in each run.
        self.problems.sort_by_key(|problem| problem.span.start);
        self.problems
    }
}

/// Maximum number of problems of one rule that are listed for one file; the others are only counted.
pub(super) const MAX_PER_RULE: usize = 1000;

fn limit_of(rule: RuleId) -> usize {
    match rule {
        // Coloured output of a tool has them in every line.
        RuleId::HiddenCharacters => 10,
        // A list of customers has an address in every line.
        RuleId::Secret => 100,
        _ => MAX_PER_RULE,
    }
}

/// Returns the bytes to point at: all of a scalar, the first key of a YAML mapping, or the opening bracket.
pub(super) fn start_span(node: Node<'_>) -> Span {
    let span = node.span();
    if node.tree().syntax() == Syntax::Code && node.kind() == NodeKind::Object {
        return code::name_span(node);
    }
    if node.is_alias() || !matches!(node.kind(), NodeKind::Object | NodeKind::Array) {
        return span;
    }
    // All of a list or an object would mark most of the file.
    let start = span.start as usize;
    if node.raw().starts_with(['{', '[']) {
        return Span::new(start, start + 1);
    }
    match node.items().next().and_then(Node::key_span) {
        Some(key) if key.start == span.start => key,
        _ => Span::empty(start),
    }
}
