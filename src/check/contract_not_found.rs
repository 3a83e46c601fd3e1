//! `contract-not-found`: a session refers to a contract that does not exist.

use std::collections::HashSet;

use super::phrases::format_list;
use crate::check_document::{ContractFacts, ProblemCollector};
use author::contract::DEFAULT;
use document::session::Session;
use document::text::{quoted, visible};
use document::{Document, DocumentBody, Node, NodeKind, RuleId, text};

rule! {
    /// A session's `contract` is either the name of a contract in the configuration, or a path relative to the
    /// configuration's folder. Neither exists. A session without `contract` uses the contract named `default`.
    ///
    /// When only this session runs, it ends with an error. When its whole folder runs, it passes as soon as the agent
    /// answers: no invariant is checked, and the test is green for the wrong reason.
    ///
    /// Without a configuration, this rule does not check anything.
    ContractNotFound {
        title: "The contract is not found",
        fix: "Use the name of a contract in the configuration, or the path of a contract file relative to the configuration's folder.",
        before: "Nothing is checked" => "contract: Reserch Agent Contract",
        after: "The contract is checked" => "contract: Research Agent Contract",
    }
}

/// Returns what the sessions of a document refer to as their contract, without duplicates, for [`ContractFacts::files`].
pub fn contract_references(document: &Document) -> Vec<String> {
    let name_of = |session| Some(reference(session, document)?.to_owned());
    let mut references: Vec<String> = sessions(document).iter().filter_map(name_of).collect();
    references.sort();
    references.dedup();
    references
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let ProblemCollector { document, facts, .. } = *findings;
    let Some(contracts) = &facts.contracts else { return };
    let mut names: HashSet<&str> = contracts.names.iter().map(|name| &**name).collect();
    if let DocumentBody::Config(config) = &document.body {
        names.extend(config.contract.as_ref().and_then(|contract| text(&contract.name)));
    }
    let known_names = describe_known_contracts(contracts, &names);
    for session in sessions(document) {
        let Some(reference) = reference(session, document) else { continue };
        if !names.contains(reference) && !contracts.files.contains(reference) {
            let node = session.contract.as_ref().map_or(session.node, |contract| contract.node);
            let message = message(session, reference, &known_names);
            let problem = findings.add_at(RuleId::ContractNotFound, document.node(node), message);
            if let Some(problem) = problem {
                let nearest_name = nearest(reference, &names);
                problem.help = nearest_name.map(|n| format!("Did you mean {}?", quoted(n)).into());
            }
        }
    }
}

/// Lists the defined contracts, as the end of a sentence.
fn describe_known_contracts(contracts: &ContractFacts, names: &HashSet<&str>) -> String {
    let config = visible(&contracts.config);
    let mut names: Vec<&str> = names.iter().copied().collect();
    // The order of a hash set differs from run to run.
    names.sort_unstable();
    if names.is_empty() {
        format!("{config} defines none")
    } else {
        format!("{config} defines {}", format_list(names))
    }
}

fn message(session: &Session, reference: &str, names: &str) -> String {
    match session.contract {
        Some(_) => {
            format!("{} is neither the name of a contract nor a file; {names}", quoted(reference))
        }
        None => format!(
            "The session has no `contract`, so it uses `{DEFAULT}`, which does not exist; {names}"
        ),
    }
}

/// Returns the contract with the most similar name. Names longer than 200 bytes are not compared.
fn nearest<'a>(reference: &str, names: &HashSet<&'a str>) -> Option<&'a str> {
    // The time of a comparison grows with the product of both lengths.
    const MAX_NAME_BYTES: usize = 200;
    if reference.len() > MAX_NAME_BYTES {
        return None;
    }
    let names: Vec<&str> = names.iter().copied().filter(|n| n.len() <= MAX_NAME_BYTES).collect();
    // 0.6 is the default cutoff of Python's function of this name (`difflib`).
    similar::get_close_matches(reference, &names, 1, 0.6).pop()
}

fn sessions(document: &Document) -> &[Session] {
    match &document.body {
        DocumentBody::Session(session) => std::slice::from_ref(session),
        DocumentBody::Config(config) => &config.sessions,
        _ => &[],
    }
}

/// Returns what a session refers to; `None` if the session is loaded from another file (that file is checked instead), or
/// if its `contract` is not a string (already reported by the reader).
fn reference<'a>(session: &'a Session, document: &Document) -> Option<&'a str> {
    if session.file.is_some() {
        return None;
    }
    match (&session.contract, document.node(session.node).get("contract").map(Node::kind)) {
        (Some(contract), _) => Some(&contract.value),
        (None, None | Some(NodeKind::Null)) => Some(DEFAULT),
        (None, Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, shown_with_help, with_facts};
    use document::read;
    use document::text::Source;

    fn facts(names: &[&str], files: &[&str]) -> CheckFacts {
        let boxed_texts = |texts: &[&str]| texts.iter().map(|text| Box::from(*text)).collect();
        CheckFacts {
            contracts: Some(ContractFacts {
                config: "flakestorm.yaml".into(),
                names: boxed_texts(names),
                files: boxed_texts(files),
            }),
            ..CheckFacts::default()
        }
    }

    fn judge(facts: &CheckFacts, contract: &str) -> String {
        let text = format!("id: a\ninput: hello\ntool_responses: []\n{contract}");
        let problems = with_facts("session.yaml", &text, facts);
        shown_with_help(RuleId::ContractNotFound, &problems)
    }

    #[test]
    fn a_name_comes_first_then_a_path_then_the_problem() {
        let facts = facts(&["Research"], &["contracts/a.yaml"]);
        assert_eq!(judge(&facts, "contract: Research\n"), "");
        assert_eq!(judge(&facts, "contract: contracts/a.yaml\n"), "");
        insta::assert_snapshot!(judge(&facts, "contract: Reserch\n"), @"
        error 4:11 /contract `Reserch` is neither the name of a contract nor a file; flakestorm.yaml defines `Research`
          Did you mean `Research`?
        ");
        insta::assert_snapshot!(judge(&facts, ""), @"
        error 1:1  The session has no `contract`, so it uses `default`, which does not exist; flakestorm.yaml defines `Research`
          no help
        ");
        assert_eq!(judge(&CheckFacts::default(), "contract: Reserch\n"), "");
        assert_eq!(judge(&facts, "contract: no\n"), "");
    }

    #[test]
    fn a_configuration_knows_its_own_contract() {
        let text = "version: '2.0'
agent: { endpoint: x }
contract: { name: c, invariants: [] }
replays:
  sessions:
    - { id: a, input: hello, contract: c }
    - { id: b, input: hello, contract: d.yaml }
    - { file: replays/e.yaml }
";
        let document = read(Source::new(text), "flakestorm.yaml");
        assert_eq!(contract_references(&document), ["c", "d.yaml"]);
        let problems = with_facts("flakestorm.yaml", text, &facts(&[], &[]));
        insta::assert_snapshot!(shown(RuleId::ContractNotFound, &problems).join("\n"), @"error 7:40 /replays/sessions/1/contract `d.yaml` is neither the name of a contract nor a file; flakestorm.yaml defines `c`");
    }
}
