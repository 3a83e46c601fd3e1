//! `request-incomplete`: a tape whose request the player of such tapes refuses.

use super::document::Findings;
use crate::format::tape::Tape;
use crate::format::{Node, NodeKind, RuleId, Severity};
use crate::ops::diff::listed;
use crate::text::quoted;

rule! {
    /// The player of tapes loads one only if its request has `model` and `contents`, both as strings; `config` may be left out.
    /// Any other request it refuses by its schema, before the test begins.
    ///
    /// Older players read `model`, `systemPrompt` and `history` instead: a request in which these three are whole is a note,
    /// since today's player refuses it. So is one with `contents` as a list, as Gemini's API takes it. Requests to other APIs,
    /// such as `retake record` keeps, are served by Retake and by no other player, and are not judged.
    RequestIncomplete {
        title: "The tape's request is refused by its player",
        fix: "Give the request `model` and `contents` as strings, in which `contents` is what the client sends; or tape the call again.",
        before: "Refused" => "\"request\": { \"model\": \"m\" }",
        after: "Loaded" => "\"request\": { \"model\": \"m\", \"contents\": \"Hi\", \"config\": {} }",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut Findings<'_>) {
    let Some(request) = tape.request.map(|id| findings.tree().node(id)) else {
        return;
    };
    let Some((severity, message)) = fault(request) else {
        return;
    };
    if let Some(problem) = findings.at(RuleId::RequestIncomplete, request, message) {
        problem.severity = severity;
    }
}

/// Why the player refuses a request, and how much that weighs.
fn fault(request: Node<'_>) -> Option<(Severity, String)> {
    const REFUSES: &str = "the player's schema refuses the tape";
    if request.kind() != NodeKind::Object {
        let kind = request.kind().name();
        let message = format!("`request` is {kind}; an object is expected, and {REFUSES}");
        return Some((Severity::Warning, message));
    }
    let is = |key: &str, kind: NodeKind| request.get(key).is_some_and(|it| it.kind() == kind);
    let has_model = is("model", NodeKind::String);
    if has_model && is("contents", NodeKind::String) {
        return None;
    }
    if has_model && is("contents", NodeKind::Array) {
        let message = format!("`contents` is a list; a string is expected, and {REFUSES}");
        return Some((Severity::Note, message));
    }
    if has_model && is("systemPrompt", NodeKind::String) && is("history", NodeKind::Array) {
        let message = "Has `systemPrompt` and `history`, which older players read; today's wants \
                       `contents` as a string and refuses the tape";
        return Some((Severity::Note, message.to_owned()));
    }
    let has = |key: &str| request.get(key).is_some();
    let is_of_a_known_shape = ["contents", "systemPrompt", "history"].into_iter().any(has);
    let has_more = request.items().any(|it| it.key() != Some("model"));
    if has_more && !is_of_a_known_shape {
        return None;
    }
    let wanted = if has("contents") || !is_of_a_known_shape {
        [("model", NodeKind::String), ("contents", NodeKind::String)].as_slice()
    } else {
        &[
            ("model", NodeKind::String),
            ("systemPrompt", NodeKind::String),
            ("history", NodeKind::Array),
        ]
    };
    let lacks = wanted.iter().filter(|(key, kind)| !is(key, *kind));
    let lacks: Vec<String> = lacks
        .map(|(key, kind)| format!("{} as {}", quoted(key), kind.name()))
        .collect();
    let message = format!("The request lacks {}; {REFUSES}", listed(&lacks));
    Some((Severity::Warning, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::found;

    fn judged(request: &str) -> String {
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {request}, "stream": []}}"#
        );
        found(RuleId::RequestIncomplete, "tape.json", &tape).join("\n")
    }

    #[test]
    fn a_request_that_the_player_refuses_is_reported() {
        insta::assert_snapshot!(judged("{}"), @"warning 1:56 /request The request lacks `model` as a string and `contents` as a string; the player's schema refuses the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m"}"#), @"warning 1:56 /request The request lacks `contents` as a string; the player's schema refuses the tape");
        insta::assert_snapshot!(judged(r#"{"contents": "c", "config": {}}"#), @"warning 1:56 /request The request lacks `model` as a string; the player's schema refuses the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "contents": 3}"#), @"warning 1:56 /request The request lacks `contents` as a string; the player's schema refuses the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "history": []}"#), @"warning 1:56 /request The request lacks `systemPrompt` as a string; the player's schema refuses the tape");
        insta::assert_snapshot!(judged("[]"), @"warning 1:56 /request `request` is a list; an object is expected, and the player's schema refuses the tape");
    }

    #[test]
    fn the_shape_of_older_players_and_of_the_api_is_a_note() {
        insta::assert_snapshot!(judged(r#"{"model": "m", "systemPrompt": "", "history": []}"#), @"note 1:56 /request Has `systemPrompt` and `history`, which older players read; today's wants `contents` as a string and refuses the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "contents": []}"#), @"note 1:56 /request `contents` is a list; a string is expected, and the player's schema refuses the tape");
    }

    #[test]
    fn what_the_player_loads_and_requests_to_other_apis_are_left_alone() {
        let good = r#"{"model": "m", "contents": "c"}"#;
        let other = r#"{"model": "m", "messages": [], "stream": true}"#;
        assert_eq!((judged(good), judged(other)), Default::default());
    }
}
