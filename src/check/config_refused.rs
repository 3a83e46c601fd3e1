//! Values that Flakestorm (2.0) rejects in its configuration, by the schema of its own models.

use std::sync::LazyLock;

use crate::check_document::ProblemCollector;
use author::contract::required_member;
use document::text::{Source, lower_first};
use document::{Node, NodeKind, RuleId, Tree, json};
use play::live::schema::misfits;

/// As `FlakeStormConfig.model_json_schema()` writes it, without descriptions, and with what its validators add in code. Sessions are
/// checked by other rules.
static SCHEMA: LazyLock<Tree> = LazyLock::new(|| {
    json::parse(&Source::new(include_str!("../../assets/flakestorm-2.0.schema.json"))).0
});

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let document = findings.document;
    let (Some(root), Some(schema)) = (document.tree.root(), SCHEMA.root()) else { return };
    for misfit in misfits(schema, root) {
        // A missing member has a pointer, and no value.
        let node = document.tree.at_pointer(&misfit.pointer);
        let (parent, name) = misfit.pointer.rsplit_once('/').unwrap_or_default();
        let Some(place_node) = node.or_else(|| document.tree.at_pointer(parent)) else { continue };
        let is_same_place = |problem: &document::Problem| {
            problem.rule.default_level() == document::Severity::Error
                && (*problem.pointer == *misfit.pointer || *problem.pointer == *parent)
        };
        let is_reported = document.problems.iter().any(is_same_place);
        if is_reported || node.is_some_and(|node| is_converted(node, &misfit.message)) {
            continue;
        }
        let (rule, message) = match node {
            Some(node) => {
                let name = node.key().map_or_else(String::new, |key| format!("`{key}`: "));
                let message = lower_first(&misfit.message);
                (RuleId::WrongType, format!("{name}{message}; Flakestorm rejects it"))
            }
            None => (RuleId::MissingField, format!("`{name}` is missing; Flakestorm requires it")),
        };
        findings.add_at(rule, place_node, message);
    }
    for invariant in root.get("invariants").into_iter().flat_map(Node::items) {
        let kind = invariant.get("type").and_then(Node::as_str);
        if let Some(kind) = kind
            && let Some(required_name) = required_member(invariant, kind)
        {
            let message =
                format!("`{kind}` requires `{required_name}`; Flakestorm rejects it without that");
            findings.add_at(RuleId::MissingField, invariant, message);
        }
    }
    let member = |object, key| root.get(object)?.get(key);
    // Flakestorm's defaults, for weights that are not written.
    let weights = [("mutation", 0.2), ("chaos", 0.35), ("contract", 0.35), ("replay", 0.1)];
    // A weight that is no number has a problem of its own.
    let weight = |(key, default)| member("scoring", key).map_or(Some(default), converted_number);
    let sum: Option<f64> = weights.into_iter().map(weight).sum();
    let is_refused = sum.is_some_and(|sum| sum > 0.0 && (sum - 1.0).abs() > 0.001);
    if let Some(scoring) = root.get("scoring").filter(|_| is_refused) {
        let message = "The weights do not have the sum 1, so Flakestorm rejects them";
        findings.add_at(RuleId::WrongType, scoring, message);
    }
    let text = |key| member("model", key).and_then(Node::as_str).unwrap_or_default().trim();
    let (provider, key) = (text("provider").to_lowercase(), text("api_key"));
    // Ollama runs locally, without a key.
    let is_checked = !["", "ollama"].contains(&&*provider) && !key.is_empty();
    if let Some(node) = member("model", "api_key").filter(|_| is_checked)
        && !(key.starts_with("${") && key.ends_with('}'))
    {
        let message = "`api_key` is no variable such as `${OPENAI_API_KEY}`; Flakestorm rejects it";
        findings.add_at(RuleId::WrongType, node, message);
    }
}

/// Returns the number that the models make of a value; `None` if they refuse it.
fn converted_number(node: Node<'_>) -> Option<f64> {
    match node.kind() {
        NodeKind::Bool => Some(f64::from(u8::from(node.as_bool()?))),
        NodeKind::String => node.as_str()?.trim().parse().ok(),
        _ => node.as_f64(),
    }
}

/// Returns whether the models convert a value of another type: `"5"` and `true` are numbers to them, and `"yes"` is a boolean.
fn is_converted(node: Node<'_>, message: &str) -> bool {
    // The texts that pydantic takes for booleans.
    const BOOLEAN_WORDS: &str = " off f false n no on t true y yes 0 1 ";
    let text = node.scalar_text().unwrap_or_default().trim().to_lowercase();
    let is_number = || node.kind() != NodeKind::Number && converted_number(node).is_some();
    message.contains("number, found") && is_number()
        || message.contains("true or false, found") && BOOLEAN_WORDS.contains(&format!(" {text} "))
}

#[cfg(test)]
mod tests {
    use crate::CheckFacts;
    use crate::testing::with_facts;

    fn described(text: &str) -> String {
        let problems = with_facts("flakestorm.yaml", text, &CheckFacts::default());
        let errors = problems.iter().filter(|p| p.severity == document::Severity::Error);
        let line = |p: &document::Problem| format!("{} {} {}", p.place, p.pointer, p.message);
        errors.map(line).collect::<Vec<_>>().join("\n")
    }

    const ACCEPTED: &str = "agent: {endpoint: http://a, timeout: '5000', headers: {a: b}}\ngolden_prompts: [a]\ninvariants:\n- {type: valid_json, negate: 'no'}\n";

    #[test]
    fn what_flakestorm_accepts_has_no_problem() {
        for lines in [
            "",
            "model: {provider: ' OpenAI ', api_key: '${KEY}', temperature: true}\n",
            "model: {provider: null, api_key: literal}\n",
            "scoring: {mutation: 0.1, chaos: 0.45}\n",
            "scoring: {mutation: '0.1', chaos: ' 0.45 '}\n",
            "scoring: {mutation: 0, chaos: false, contract: true, replay: '0'}\n",
            "advanced: {retries: 5.0, seed: null}\nchaos: {context_attacks: {a: 1}}\n",
            "mutations: {types: [noise], weights: {noise: '2'}}\n",
        ] {
            assert_eq!(described(&format!("{ACCEPTED}{lines}")), "", "{lines}");
        }
    }

    #[test]
    fn a_weight_is_reported_once() {
        for (weights, reported) in [
            ("mutation: much", "expected a number, found \"much\""),
            ("mutation: null", "expected a number, found null"),
            ("mutation: [0.2]", "expected a number, found [0.2]"),
            ("mutation: '2'", "sum 1"),
            ("mutation: 0.9", "sum 1"),
        ] {
            let text = format!("{ACCEPTED}scoring: {{{weights}}}\n");
            let problems = described(&text);
            assert!(
                problems.contains(reported) && problems.lines().count() == 1,
                "{weights}: {problems}"
            );
        }
    }

    #[test]
    fn what_flakestorm_rejects_is_reported_at_the_value() {
        let broken = "agent: {endpoint: http://a, timeout: 500, method: SEND, type: grpc, headers: {a: 1}}\n\
            golden_prompts: []\n\
            invariants:\n- {type: contains, value: ''}\n- {type: contain}\n- {threshold: 2, negate: 3}\n\
            model: {provider: openai, api_key: sk-literal, name: null}\n\
            mutations: {count: 51, types: [nois], weights: {noise: much, nois: 1}}\n\
            advanced: {retries: 1.5}\n\
            output: {format: pdf}\n\
            chaos: {tool_faults: [{mode: error, probability: 2}]}\n\
            contract: {name: c, invariants: [{id: a, type: latency, max_ms: soon, negate: maybe}], chaos_matrix: [{}]}\n\
            replays: {sources: [{type: langsmith, project: p, auto_import: 7}]}\n\
            scoring: {mutation: 0.9}\n";
        insta::assert_snapshot!(described(broken), @r#"
        1:38 /agent/timeout `timeout`: expected at least 1000; Flakestorm rejects it
        1:51 /agent/method `method`: expected a text that matches the pattern ^(?i:GET|POST|PUT|PATCH|DELETE)$; Flakestorm rejects it
        1:63 /agent/type `type`: expected one of "http", "python" and "langchain", found "grpc"; Flakestorm rejects it
        1:82 /agent/headers/a `a`: expected a text, found 1; Flakestorm rejects it
        2:17 /golden_prompts `golden_prompts`: expected at least 1 element; Flakestorm rejects it
        4:3 /invariants/0 `contains` requires `value`; Flakestorm rejects it without that
        5:10 /invariants/1/type `type`: expected one of "contains", "latency", "valid_json", "regex", "similarity", "excludes_pii", "refusal_check", "contains_any", "output_not_empty", "completes", "excludes_pattern" and "behavior_unchanged", found "contain"; Flakestorm rejects it
        6:3 /invariants/2 `type` is missing; Flakestorm requires it
        6:15 /invariants/2/threshold `threshold`: expected at most 1; Flakestorm rejects it
        6:26 /invariants/2/negate `negate`: expected true or false, found 3; Flakestorm rejects it
        7:36 /model/api_key `api_key` is no variable such as `${OPENAI_API_KEY}`; Flakestorm rejects it
        7:54 /model/name `name`: expected a text, found null; Flakestorm rejects it
        8:20 /mutations/count `count`: expected at most 50; Flakestorm rejects it
        8:32 /mutations/types/0 expected one of "paraphrase", "noise", "tone_shift", "prompt_injection", "encoding_attacks", "context_manipulation", "length_extremes", "custom", "multi_turn_attack", "advanced_jailbreak", "semantic_similarity_attack", "format_poisoning", "language_mixing", "token_manipulation", "temporal_attack", "http_header_injection", "payload_size_attack", "content_type_confusion", "query_parameter_poisoning", "request_method_attack", "protocol_level_attack", "resource_exhaustion", "concurrent_request_pattern" and "timeout_manipulation", found "nois"; Flakestorm rejects it
        8:56 /mutations/weights/noise `noise`: expected a number, found "much"; Flakestorm rejects it
        9:21 /advanced/retries `retries`: expected a whole number, found 1.5; Flakestorm rejects it
        10:18 /output/format `format`: expected one of "html", "json" and "terminal", found "pdf"; Flakestorm rejects it
        11:23 /chaos/tool_faults/0 `tool` is missing; Flakestorm requires it
        11:50 /chaos/tool_faults/0/probability `probability`: expected at most 1; Flakestorm rejects it
        12:34 /contract/invariants/0 `latency` requires `max_ms`; Flakestorm rejects it without that
        12:65 /contract/invariants/0/max_ms `max_ms`: expected a whole number, found "soon"; Flakestorm rejects it
        12:79 /contract/invariants/0/negate `negate`: expected true or false, found "maybe"; Flakestorm rejects it
        12:103 /contract/chaos_matrix/0 `name` is missing; Flakestorm requires it
        13:64 /replays/sources/0/auto_import `auto_import`: expected true or false, found 7; Flakestorm rejects it
        14:10 /scoring The weights do not have the sum 1, so Flakestorm rejects them
        "#);
        insta::assert_snapshot!(described("agent: {}\ncontract: {name: c}\n"), @"
        1:1  `golden_prompts` is missing; Flakestorm requires it
        1:1  `invariants` is missing; Flakestorm requires it
        1:8 /agent `endpoint` is missing; Flakestorm requires it
        ");
    }
}
