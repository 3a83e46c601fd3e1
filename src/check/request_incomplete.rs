//! `request-incomplete`: the player rejects the request of a tape.

use crate::check_document::ProblemCollector;
use document::tape::Tape;
use document::text::{listed, quoted};
use document::{Node, NodeKind, RuleId, Severity};

rule! {
    /// The tape player loads a tape only if its request has `model` and `contents`, both strings; `config` is optional.
    /// It rejects any other request before the test starts.
    ///
    /// Older players read `model`, `systemPrompt` and `history` instead. A request with these three complete fields is
    /// reported as a note, because the current player rejects it. The same applies to `contents` as a list, the form of
    /// Gemini's API. Requests to other APIs, such as those that `retake record` stores, are served only by Retake and are
    /// not checked.
    RequestIncomplete {
        title: "The player rejects the tape's request",
        fix: "Add `model` and `contents` to the request, both as strings, with what the client sends as `contents`; or record the tape again.",
        before: "Refused" => "\"request\": { \"model\": \"m\" }",
        after: "Loaded" => "\"request\": { \"model\": \"m\", \"contents\": \"Hi\", \"config\": {} }",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    let Some(request) = tape.request.map(|id| findings.tree.node(id)) else { return };
    let Some((severity, message)) = fault(request) else { return };
    if let Some(problem) = findings.add_at(RuleId::RequestIncomplete, request, message) {
        problem.severity = severity;
    }
}

/// Returns why the player rejects a request, and with which severity.
fn fault(request: Node<'_>) -> Option<(Severity, String)> {
    const REJECTION: &str = "the player rejects the tape";
    if request.kind() != NodeKind::Object {
        let kind = request.kind().name();
        let message = format!("Expected `request` to be an object, found {kind}; {REJECTION}");
        return Some((Severity::Warning, message));
    }
    let has_kind = |key: &str, kind: NodeKind| request.get(key).is_some_and(|v| v.kind() == kind);
    let has_id = has_kind("model", NodeKind::String);
    if has_id && has_kind("contents", NodeKind::String) {
        return None;
    }
    if has_id && has_kind("contents", NodeKind::Array) {
        let message = format!("Expected `contents` to be a string, found a list; {REJECTION}");
        return Some((Severity::Note, message));
    }
    if has_id && has_kind("systemPrompt", NodeKind::String) && has_kind("history", NodeKind::Array)
    {
        let message = "The request has `systemPrompt` and `history`, which only older players read; the \
                       current player requires `contents` as a string and rejects the tape";
        return Some((Severity::Note, message.to_owned()));
    }
    let has = |key: &str| request.get(key).is_some();
    let is_older = ["systemPrompt", "history"].into_iter().any(has);
    // Other APIs have settings of this name beside the conversation.
    let is_of_another_api = ["messages", "input", "prompt"].into_iter().any(has);
    let is_of_a_known_shape = is_older || has("contents") || has("config") && !is_of_another_api;
    let has_more = request.items().any(|i| i.key() != Some("model"));
    // Only Retake serves requests of another API, and it needs no certain fields.
    if has_more && !is_of_a_known_shape {
        return None;
    }
    let required_fields = if has("contents") || !is_older {
        [("model", NodeKind::String), ("contents", NodeKind::String)].as_slice()
    } else {
        &[
            ("model", NodeKind::String),
            ("systemPrompt", NodeKind::String),
            ("history", NodeKind::Array),
        ]
    };
    let fields = required_fields.iter().filter(|(key, kind)| !has_kind(key, *kind));
    let fields: Vec<String> =
        fields.map(|(key, kind)| format!("{} as {}", quoted(key), kind.name())).collect();
    Some((Severity::Warning, format!("The request does not have {}; {REJECTION}", listed(&fields))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::found;

    fn judged(request: &str) -> String {
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {request}, "stream": []}}"#
        );
        found(RuleId::RequestIncomplete, "tape.json", &tape).join("\n")
    }

    #[test]
    fn a_request_that_the_player_refuses_is_reported() {
        insta::assert_snapshot!(judged("{}"), @"warning 1:56 /request The request does not have `model` as a string and `contents` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m"}"#), @"warning 1:56 /request The request does not have `contents` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "config": {}}"#), @"warning 1:56 /request The request does not have `contents` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"config": {}, "label": "l"}"#), @"warning 1:56 /request The request does not have `model` as a string and `contents` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"contents": "c", "config": {}}"#), @"warning 1:56 /request The request does not have `model` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "contents": 3}"#), @"warning 1:56 /request The request does not have `contents` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "history": []}"#), @"warning 1:56 /request The request does not have `systemPrompt` as a string; the player rejects the tape");
        insta::assert_snapshot!(judged("[]"), @"warning 1:56 /request Expected `request` to be an object, found a list; the player rejects the tape");
    }

    #[test]
    fn the_shape_of_older_players_and_of_the_api_is_a_note() {
        insta::assert_snapshot!(judged(r#"{"model": "m", "systemPrompt": "", "history": []}"#), @"note 1:56 /request The request has `systemPrompt` and `history`, which only older players read; the current player requires `contents` as a string and rejects the tape");
        insta::assert_snapshot!(judged(r#"{"model": "m", "contents": []}"#), @"note 1:56 /request Expected `contents` to be a string, found a list; the player rejects the tape");
    }

    #[test]
    fn what_the_player_loads_and_requests_to_other_apis_are_left_alone() {
        let valid_request = r#"{"model": "m", "contents": "c"}"#;
        let requests = [
            r#"{"model": "m", "messages": [], "stream": true}"#,
            r#"{"model": "m", "messages": [], "config": {}}"#,
            r#"{"model": "m", "input": "Hi", "config": {}}"#,
        ];
        for request in requests.into_iter().chain([valid_request]) {
            assert_eq!(judged(request), "", "{request}");
        }
    }
}
