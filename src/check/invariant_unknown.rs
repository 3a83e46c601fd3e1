//! `invariant-unknown`: the type of an invariant is not one that Flakestorm knows.

use crate::check_document::ProblemCollector;
use author::contract::{INVARIANT_TYPES, nearest_type, refusal_of};
use document::contract::Contract;
use document::text::quoted;
use document::{Field, RuleId};

rule! {
    /// Flakestorm does not know the `type` of the invariant. It does not reject the invariant: it treats it as a `regex`, and
    /// the intended check never runs.
    ///
    /// Without a `pattern` such an invariant passes for every answer, so the contract seems to be fulfilled.
    InvariantUnknown {
        title: "The type of the invariant is unknown",
        fix: "Use a type that Flakestorm knows, such as `contains`, `excludes_pattern`, `regex` or `latency`.",
        before: "Checked as a regex" => "- { id: polite, type: contain, value: sorry }",
        after: "Checked" => "- { id: polite, type: contains, value: sorry }",
    }
}

pub(super) fn judge(contract: &Contract, findings: &mut ProblemCollector<'_>) {
    for invariant in &contract.invariants {
        // A missing type is reported by the reader.
        let is_read = invariant.kind.is_some();
        if let Some(refusal) = refusal_of(findings.document, invariant).filter(|_| is_read) {
            findings.add_at(RuleId::MissingField, findings.tree.node(invariant.node), refusal);
        }
        let Some(Field { value, node }) = &invariant.kind else { continue };
        if INVARIANT_TYPES.contains(&value.as_str()) {
            continue;
        }
        let message =
            format!("{} is not an invariant type, so it is treated as `regex`", quoted(value));
        let node = findings.tree.node(*node);
        let Some(problem) = findings.add_at(RuleId::InvariantUnknown, node, message) else {
            continue;
        };
        let nearest_name = nearest_type(value);
        problem.help = nearest_name.map(|name| format!("Did you mean `{name}`?").into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown_with_help, with_facts};

    #[test]
    fn what_is_near_is_suggested_in_a_file_and_in_a_configuration() {
        let judge = |name: &str, text: &str| {
            let problems = with_facts(name, text, &CheckFacts::default());
            shown_with_help(RuleId::InvariantUnknown, &problems)
        };
        let invariants =
            "[ { type: contain }, { type: regex }, { type: vibe }, { type: behavior_unchanged } ]";
        insta::assert_snapshot!(judge("contract.yaml", &format!("name: c\ninvariants: {invariants}\n")), @"
        warning 2:23 /invariants/0/type `contain` is not an invariant type, so it is treated as `regex`
          Did you mean `contains`?
        warning 2:59 /invariants/2/type `vibe` is not an invariant type, so it is treated as `regex`
          no help
        ");
        insta::assert_snapshot!(judge("flakestorm.yaml", &format!("agent: {{ endpoint: x }}\ncontract: {{ name: c, invariants: {invariants} }}\n")), @"
        warning 2:44 /contract/invariants/0/type `contain` is not an invariant type, so it is treated as `regex`
          Did you mean `contains`?
        warning 2:80 /contract/invariants/2/type `vibe` is not an invariant type, so it is treated as `regex`
          no help
        ");
    }

    #[test]
    fn what_flakestorm_refuses_is_an_error() {
        let text = "name: c\ninvariants:\n- {id: a, type: excludes_pattern}\n- {type: valid_json}\n- {id: c, type: vibe}\n- {id: d, type: vibe, pattern: a}\n- {id: e, type: contains, value: a}\n";
        let problems = with_facts("contract.yaml", text, &CheckFacts::default());
        insta::assert_snapshot!(shown_with_help(RuleId::MissingField, &problems), @"
        error 3:3 /invariants/0 `excludes_pattern` requires `patterns`; Flakestorm rejects it without that
          no help
        error 4:3 /invariants/1 It has no `id`, so Flakestorm rejects the contract
          no help
        error 5:3 /invariants/2 “vibe” is not an invariant type, so it is treated as `regex`, which Flakestorm rejects without a `pattern`
          no help
        ");
    }
}
