//! Flakestorm's main configuration, `flakestorm.yaml`.

use super::contract::Contract;
use super::field::{Field, text};
use super::fields::Fields;
use super::problems::ProblemList;
use super::session::Session;
use super::tree::{Node, NodeId};

/// Fields of a configuration that are read.
#[derive(Clone, Debug)]
pub struct FlakestormConfig {
    /// `version`, as written.
    pub version: Option<Field<String>>,
    /// The one contract it defines.
    pub contract: Option<Contract>,
    /// `replays.sessions`: inline, or by `file`.
    pub sessions: Vec<Session>,
    /// `replays.sources`: where sessions are imported from.
    pub sources: Vec<ReplaySource>,
}

/// An element of `replays.sources`.
#[derive(Clone, Debug)]
pub struct ReplaySource {
    /// The mapping.
    pub node: NodeId,
    /// `langsmith` or `langsmith_run`.
    pub kind: Option<Field<String>>,
    /// `project`, or `run_id` for a single run.
    pub name: Option<Field<String>>,
}

impl FlakestormConfig {
    /// Reads a configuration. Missing fields and wrong types are reported, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(root, problems);
        let version = fields.text("version");
        let contract = fields.object("contract").map(|node| Contract::read(node, fields.problems));
        let (mut sessions, mut sources) = (Vec::new(), Vec::new());
        if let Some(replays) = fields.object("replays") {
            let mut replays = Fields::new(replays, fields.problems);
            sessions = replays.read_objects("sessions", Session::read);
            sources = replays.read_objects("sources", ReplaySource::read);
        }
        Self { version, contract, sessions, sources }
    }
}

impl ReplaySource {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        let kind = fields.required_text("type");
        let is_run = text(&kind) == Some("langsmith_run");
        Self {
            node: node.id(),
            name: fields.required_text(if is_run { "run_id" } else { "project" }),
            kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{DocumentBody, read, text};

    #[test]
    fn inline_and_pointed_sessions_the_contract_and_sources_are_read() {
        let yaml = "version: \"2.0\"\ncontract:\n  name: Support\n  invariants:\n    - {id: a, type: latency}\n    - {id: b}\n\
            replays:\n  sessions:\n    - file: replays/one.yaml\n    - id: two\n      input: 3\n  sources:\n\
            \x20   - {type: langsmith_run, run_id: r}\n    - {type: langsmith}\n";
        let document = read(Source::new(yaml), "flakestorm.yaml");
        let DocumentBody::Config(config) = &document.body else { panic!("{:?}", document.body) };
        let contract = config.contract.as_ref().unwrap();
        assert_eq!((text(&contract.name), contract.invariants.len()), (Some("Support"), 2));
        assert_eq!(text(&config.sessions[0].file), Some("replays/one.yaml"));
        assert_eq!(text(&config.sources[0].name), Some("r"));
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        6:7 missing-field at "/contract/invariants/1": `type` is missing
        11:14 yaml-typing at "/replays/sessions/1/input": `input` is the number 3 to YAML 1.1, which PyYAML reads; a string is expected
        14:7 missing-field at "/replays/sources/1": `project` is missing
        "#);
    }
}
