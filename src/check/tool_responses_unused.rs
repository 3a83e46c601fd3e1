//! `tool-responses-unused`: recorded tool responses that are not played.

use crate::check_document::ProblemCollector;
use document::session::Session;
use document::text::count;
use document::{Node, RuleId};

rule! {
    /// The session contains responses of tools, or the conversation before it. Flakestorm does not send these to an agent
    /// that it calls over HTTP: it sends only `input` and checks the answer. The agent calls its real tools.
    ///
    /// The result of the test depends on what those tools return today, not on what they returned in the incident.
    ToolResponsesUnused {
        title: "The recorded tool responses are not played",
        fix: "The session needs no change; provide these responses to the agent under test in another way.",
    }
}

pub(super) fn judge(session: &Session, findings: &mut ProblemCollector<'_>) {
    let session = findings.tree.node(session.node);
    let list_of = |key: &str, is_counted: fn(&Node<'_>) -> bool| {
        let list = session.get(key)?;
        let number = list.items().filter(is_counted).count();
        (number > 0).then_some((list, number))
    };
    let responses = list_of("tool_responses", |_| true);
    // An import stores the incident in the context, which is no turn of a conversation.
    let context = list_of("context", |turn| turn.get("provenance").is_none());
    let parts = [(responses, "tool response"), (context, "turn")];
    let parts: Vec<String> =
        parts.into_iter().filter_map(|(list, noun)| Some(count(list?.1, noun))).collect();
    if let Some((list, _)) = responses.or(context) {
        let message = format!(
            "Flakestorm sends only `input` over HTTP and does not use the {} in this session",
            parts.join(" and ")
        );
        findings.add_at(RuleId::ToolResponsesUnused, list, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn only_what_is_recorded_can_be_unused() {
        let judge = |more: &str| {
            let text = format!("id: a\ninput: hello\n{more}");
            found(RuleId::ToolResponsesUnused, "session.yaml", &text).join("\n")
        };
        insta::assert_snapshot!(judge("tool_responses:\n  - { tool: t, response: fine }\n  - { tool: u }\ncontext:\n  - { role: user }\n"), @"note 4:3 /tool_responses Flakestorm sends only `input` over HTTP and does not use the 2 tool responses and 1 turn in this session");
        insta::assert_snapshot!(judge("context:\n  - { role: user }\ntool_responses: []\n"), @"note 4:3 /context Flakestorm sends only `input` over HTTP and does not use the 1 turn in this session");
        assert_eq!(judge("tool_responses: []\ncontext: ~\n"), "");
        assert_eq!(judge("context:\n  - { provenance: langsmith_run }\n"), "");
    }
}
