//! Rules that answer requests, as `retake.toml` writes them.

use std::sync::Arc;

use proptest::prelude::*;

use calls::Pool;
use document::text::Source;
use document::{Document, json};
use play::live::queue::*;
use play::playback::requests;

const REQUEST: &str = r#"{"type": "llm_invocation_request", "requestId": "r", "context": {"currentNode": "intake"}, "systemPrompt": "",
    "messages": [{"role": "user", "content": "First"}, {"role": "user", "content": [{"type": "text", "text": "Charged twice"}]}],
    "tools": [{"name": "read_Ticket", "description": "", "input_schema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}},
              {"name": "go", "description": "", "input_schema": {}}]}"#;

fn question() -> RuleRequest {
    let document = document::read(Source::new(REQUEST), "r.json");
    let played = requests::from_document(&"r.json".into(), &document, &Pool::default());
    RuleRequest::new(played.unwrap().swap_remove(0), Arc::new(document))
}

fn read_back(toml: &str) -> Vec<AnswerRule> {
    let (settings, problems) = super::parse(&Source::new(toml));
    assert!(problems.is_empty(), "{toml}\n{problems:?}");
    settings.answers
}

fn none(_: &str) -> Result<Document, String> {
    Err("It is not there".to_owned())
}

#[test]
fn a_rule_answers_where_all_of_its_conditions_hold() {
    let answers = |toml: &str| {
        let rules = read_back(&format!("[[answer]]\nname = 'a'\n{toml}"));
        rules[0].answers(&question())
    };
    assert!(answers("node = 'intake'\noffers = ['go']\nsays = 'twice'\ntext = 'x'"));
    assert!(!answers("node = 'other'\ntext = 'x'"));
    assert!(!answers("offers = ['go', 'stop']\ntext = 'x'"));
    assert!(!answers("says = 'First'\ntext = 'x'"), "only the last message counts");
    assert!(!answers("node = 'intake'\ntool = 'stop'"), "it is not offered");
}

#[test]
fn a_rule_says_why_and_holds_to_the_schema() {
    let rules = read_back(
        "[[answer]]\nname = 'intake-reads'\nnode = 'intake'\ntool = 'read_Ticket'\ninput = '{\"path\": \"a\"}'\n\n\
         [[answer]]\nname = 'b'\nnode = 'intake'\ntool = 'read_Ticket'\nreasoning = 'So'\n",
    );
    let reply = rules[0].reply(&question(), none).unwrap();
    assert_eq!(reply.reasoning, "Retake: rule intake-reads");
    assert_eq!(
        reply.content,
        r#"[{"type":"tool_use","id":"tool-1","name":"read_Ticket","input":{"path": "a"}}]"#
    );
    let unfit = rules[1].reply(&question(), none);
    assert_eq!(unfit, Err("Its input does not fit: `path` is missing".to_owned()));
}

fn rule() -> impl Strategy<Value = AnswerRule> {
    let text = || ".{1,12}";
    let gives = prop_oneof![
        (text(), text(), ".{0,8}").prop_map(|(tool, value, text)| {
            let input = format!("{{\"a\": {}}}", json::quote(&value));
            RuleAnswer::Call { tool, input, text }
        }),
        text().prop_map(RuleAnswer::Text),
        "[a-z]{1,8}\\.json".prop_map(RuleAnswer::Recording),
    ];
    let when =
        (prop::option::of(text()), prop::collection::vec(text(), 0..3), prop::option::of(text()));
    let rule = (text(), when, gives, prop::option::of(text())).prop_map(
        |(name, (node, offers, says), gives, reasoning)| AnswerRule {
            name,
            node,
            offers,
            says,
            answer: gives,
            reasoning,
        },
    );
    rule.prop_filter("a rule has a condition", AnswerRule::has_condition)
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn a_rule_that_is_kept_and_read_again_is_the_same(rule in rule()) {
        prop_assert_eq!(read_back(&rule.toml()), vec![rule]);
    }
}
