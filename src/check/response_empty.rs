//! `response-empty`: the answer is empty.

use crate::check_document::ProblemCollector;
use calls::api::ApiError;
use document::RuleId;
use document::call::{BodyContent, BodyForm, ModelCall};
use document::recording::{MessageBlock, Recording};

rule! {
    /// The answer has no text and calls no tool: a recording of DyGram, or a call of a model in a cassette or in a file of another recorder, whose status is no error. A test
    /// that plays it proves nothing about what a model answers.
    ///
    /// The usual cause is a call that failed or was interrupted while it was recorded.
    ResponseEmpty {
        title: "The answer is empty",
        fix: "Record the call again, or delete the recording if no answer is expected here.",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let Some(answer) = &recording.answer else { return };
    // The reader has already reported a missing `content`.
    let Some(content) = findings.tree.node(answer.node).get("content") else { return };
    if answer.blocks.iter().all(is_silent) {
        findings.add_at(RuleId::ResponseEmpty, content, "The answer has no text and calls no tool");
    }
}

/// Judges the calls of models in a file of another tool.
pub(super) fn judge_calls(findings: &mut ProblemCollector<'_>) {
    let document = findings.document;
    for (number, call) in (1..).zip(findings.calls).filter(|(_, call)| call.is_of_model()) {
        let Some(http) = call.facts.http.as_ref().filter(|http| http.status < 300) else {
            continue;
        };
        if !is_empty(call) || ApiError::of_exchange(document, http).is_some() {
            continue;
        }
        let body = http.response_body.as_ref();
        let is_stream = |form| matches!(form, BodyForm::Events | BodyForm::EventStream);
        let noun = if body.is_some_and(|b| is_stream(b.form)) { "stream" } else { "answer" };
        let message = format!("The {noun} of call {number} has no text and calls no tool");
        let node = body.map_or(call.node, |body| body.node);
        findings.add_at(RuleId::ResponseEmpty, document.node(node), message);
    }
}

fn is_empty(call: &ModelCall<'_>) -> bool {
    let Some(answer) = call.answer() else {
        let body = call.facts.http.as_ref().and_then(|http| http.response_body.as_ref());
        // A body that was not stored, or in a form that is not read, may have been any.
        let text = body.filter(|body| body.fault.is_none()).map(|body| &body.content);
        return matches!(text, Some(BodyContent::Text(text)) if text.text().lines().all(is_blank));
    };
    answer.blocks.iter().all(is_silent)
}

/// Returns whether a line of a body has no content: it is blank, or only ends or frames a stream.
fn is_blank(line: &str) -> bool {
    let line = line.trim();
    let data = line.strip_prefix("data:").map(str::trim);
    let is_frame = || [":", "event:", "id:", "retry:"].iter().any(|name| line.starts_with(name));
    line.is_empty() || data.is_some_and(|data| data.is_empty() || data == "[DONE]") || is_frame()
}

fn is_silent(block: &MessageBlock) -> bool {
    matches!(block, MessageBlock::Text(text) if text.value.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    #[test]
    fn white_space_is_no_answer_and_a_tool_call_is_one() {
        let judge = |content: &str| {
            found(RuleId::ResponseEmpty, "turn-1.json", &recording("{}", "[]", content, "")).len()
        };
        assert_eq!(judge("[]"), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": " \n" }]"#), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": "yes" }]"#), 0);
        assert_eq!(judge(r#"[{ "type": "tool_use", "id": "t", "name": "go", "input": {} }]"#), 0);
    }

    #[test]
    fn an_answer_without_text_and_tools_is_reported_of_a_call() {
        let reported = |status: u16, kind: &str, received: &str| {
            let received = serde_json::to_string(received).unwrap();
            let text = format!(
                "interactions:\n- request:\n    body: '{{\"model\":\"m\",\"messages\":[]}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  response:\n    body:\n      string: {received}\n    headers:\n      content-type: [{kind}]\n    status:\n      code: {status}\n      message: X\nversion: 1\n"
            );
            found(RuleId::ResponseEmpty, "a.yaml", &text).join("\n")
        };
        let (json, stream) = ("application/json", "text/event-stream");
        let message = |message: &str| format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
        let chunk = |delta: &str| {
            format!(
                "data: {{\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\ndata: [DONE]\n\n"
            )
        };
        for (status, kind, received, noun) in [
            (200, json, message(r#"{"role":"assistant","content":""}"#), "answer"),
            (200, json, message(r#"{"role":"assistant","content":null}"#), "answer"),
            (200, json, String::new(), "answer"),
            (200, stream, "data: [DONE]\n\n".to_owned(), "stream"),
            (200, stream, chunk(r#"{"role":"assistant","content":""}"#), "stream"),
            (200, json, message(r#"{"role":"assistant","content":"Hi"}"#), ""),
            (200, json, message(r#"{"content":null,"refusal":"I cannot."}"#), ""),
            (
                200,
                json,
                message(
                    r#"{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"go","arguments":"{}"}}]}"#,
                ),
                "",
            ),
            (200, stream, chunk(r#"{"content":"Hi"}"#), ""),
            (200, json, r#"{"answer":"in another form"}"#.to_owned(), ""),
            (200, json, r#"{"error":{"message":"Later"}}"#.to_owned(), ""),
            (500, json, String::new(), ""),
        ] {
            let found = reported(status, kind, &received);
            let has_noun =
                !noun.is_empty() && found.contains(&format!("The {noun} of call 1 has no text"));
            assert_eq!(
                (has_noun, noun.is_empty()),
                (!found.is_empty(), found.is_empty()),
                "{received}: {found}"
            );
        }
    }
}
