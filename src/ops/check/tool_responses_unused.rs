//! `tool-responses-unused`: recorded answers that nobody plays.

use super::document::Findings;
use super::words::count;
use crate::format::session::Session;
use crate::format::{Node, RuleId};

rule! {
    /// The session records what its tools answered, or the conversation before it, and its runner does not play that to an
    /// agent which it asks over HTTP: it sends `input` and checks the answer. The agent calls its real tools.
    ///
    /// The test passes or fails by what those tools say today, not by what they said in the incident.
    ToolResponsesUnused {
        title: "The recorded tool responses are not played",
        fix: "Nothing has to be done to the session; see to it that the agent under test gets these answers by other means.",
    }
}

pub(super) fn judge(session: &Session, findings: &mut Findings<'_>) {
    let session = findings.tree().node(session.node);
    let filled = |key: &str| session.get(key).filter(|list| !list.is_empty());
    let (responses, context) = (filled("tool_responses"), filled("context"));
    let what = [(responses, "tool response"), (context, "turn")];
    let what: Vec<String> = what
        .into_iter()
        .filter_map(|(list, noun)| Some(count(list.map(Node::len)?, noun)))
        .collect();
    if let Some(at) = responses.or(context) {
        let message = format!(
            "Runners send only `input` over HTTP, and do not play the {} recorded here",
            what.join(" and ")
        );
        findings.at(RuleId::ToolResponsesUnused, at, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn only_what_is_recorded_can_be_unused() {
        let judge = |more: &str| {
            let text = format!("id: a\ninput: hello\n{more}");
            found(RuleId::ToolResponsesUnused, "session.yaml", &text).join("\n")
        };
        insta::assert_snapshot!(judge("tool_responses:\n  - { tool: t, response: fine }\n  - { tool: u }\ncontext:\n  - { role: user }\n"), @"note 4:3 /tool_responses Runners send only `input` over HTTP, and do not play the 2 tool responses and 1 turn recorded here");
        insta::assert_snapshot!(judge("context:\n  - { role: user }\ntool_responses: []\n"), @"note 4:3 /context Runners send only `input` over HTTP, and do not play the 1 turn recorded here");
        assert_eq!(judge("tool_responses: []\ncontext: ~\n"), "");
    }
}
