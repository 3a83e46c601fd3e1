//! Flakestorm reports: the results of a run with mutated prompts.

use super::field::Field;
use super::fields::Fields;
use super::problems::ProblemList;
use super::tree::{Node, NodeId};

#[derive(Clone, Debug)]
pub struct FlakestormReport {
    /// As written.
    pub started_at: Option<Field<String>>,
    /// As written.
    pub completed_at: Option<Field<String>>,
    /// In order.
    pub mutations: Vec<MutationResult>,
}

impl FlakestormReport {
    /// Counts the runs that failed.
    pub fn failed(&self) -> usize {
        // A run without `passed` is not known to have failed.
        let results = self.mutations.iter().filter_map(|run| Some(run.passed.as_ref()?.value));
        results.filter(|has_passed| !has_passed).count()
    }
}

/// One mutated prompt and the agent's answer.
#[derive(Clone, Debug)]
pub struct MutationResult {
    /// The object.
    pub node: NodeId,
    /// `mutation.id`
    pub id: Option<Field<String>>,
    /// `mutation.type`, such as `paraphrase`
    pub kind: Option<Field<String>>,
    /// The prompt before it was mutated.
    pub original_prompt: Option<Field<String>>,
    /// `mutation.mutated`: the prompt that was sent.
    pub mutated: Option<Field<String>>,
    /// The agent's answer.
    pub response: Option<Field<String>>,
    /// Milliseconds until the answer.
    pub latency_ms: Option<Field<f64>>,
    /// Whether all checks passed.
    pub passed: Option<Field<bool>>,
    /// The checks, in order.
    pub checks: Vec<CheckResult>,
    /// Error because of which there is no answer.
    pub error: Option<Field<String>>,
}

/// One check of a mutation's answer.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// The object.
    pub node: NodeId,
    /// `check_type`
    pub kind: Option<Field<String>>,
    pub passed: Option<Field<bool>>,
    /// Reason for the result.
    pub details: Option<Field<String>>,
}

impl FlakestormReport {
    /// Reads a report. Wrong types are reported, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(root, problems);
        Self {
            started_at: fields.text("started_at"),
            completed_at: fields.text("completed_at"),
            mutations: fields.read_objects("mutations", MutationResult::read),
        }
    }
}

impl MutationResult {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        let (mut id, mut kind, mut mutated) = (None, None, None);
        if let Some(mutation) = fields.object("mutation") {
            let mut mutation = Fields::new(mutation, fields.problems);
            id = mutation.text("id");
            kind = mutation.text("type");
            mutated = mutation.text("mutated");
        }
        Self {
            node: node.id(),
            id,
            kind,
            original_prompt: fields.text("original_prompt"),
            mutated,
            response: fields.text("response"),
            latency_ms: fields.number("latency_ms"),
            passed: fields.boolean("passed"),
            error: fields.text("error"),
            checks: fields.read_objects("checks", CheckResult::read),
        }
    }
}

impl CheckResult {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            node: node.id(),
            kind: fields.text("check_type"),
            passed: fields.boolean("passed"),
            details: fields.text("details"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{DocumentBody, read, text};

    #[test]
    fn the_mutated_prompt_is_read_beside_the_original() {
        let json = r#"{"version": "1.0", "started_at": "t", "statistics": {}, "mutations": [
  {"original_prompt": "a", "mutation": {"id": "m1", "mutated": "A!", "type": "noise"}, "response": "r", "latency_ms": 12.5,
   "passed": "no", "checks": [{"check_type": "contains", "passed": false, "details": "d"}], "error": null}]}"#;
        let document = read(Source::new(json), "report.json");
        let DocumentBody::Report(report) = &document.body else { panic!("{:?}", document.body) };
        let result = &report.mutations[0];
        assert_eq!((text(&result.original_prompt), text(&result.mutated)), (Some("a"), Some("A!")));
        assert_eq!(result.checks[0].passed.as_ref().map(|mark| mark.value), Some(false));
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"3:14 wrong-type at "/mutations/0/passed": `passed` is a string; a boolean is expected"#);
    }
}
