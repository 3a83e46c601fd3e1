//! Creates a tape from a call in a file of calls.

use super::{Material, NewTape, TapePlan, from_recording};
use crate::format::call::{BodyForm, ModelCall};

/// Creates a tape from a call in a file of calls: of its stream, with the pieces that were received, else of its answer as
/// if it were streamed.
///
/// # Errors
///
/// Returns why there is no answer, as a sentence without a full stop.
pub fn from_call(call: &ModelCall<'_>, plan: &TapePlan) -> Result<NewTape, String> {
    let facts = &call.facts;
    let plan = TapePlan {
        model: plan.model.clone().or_else(|| facts.model.clone()),
        recorded_at: match &facts.started_at {
            Some(at) => at.clone(),
            None => plan.recorded_at.clone(),
        },
        ..plan.clone()
    };
    let body = facts.http.as_ref();
    let body = body.and_then(|http| http.response_body.as_ref());
    let events = body.filter(|body| body.form == BodyForm::Events);
    let stream = events.and_then(|body| Material::stream(body.text()?).ok());
    let Some(stream) = stream else {
        if call.answer().is_none() {
            return Err("The call has no answer".to_owned());
        }
        return from_recording(&call.document, &plan);
    };
    let request = call.document.body.request();
    let request = request.map(|request| call.document.node(request.node));
    let part = |name: &str| request.and_then(|request| request.get(name));
    let model = plan.model.as_deref().or(stream.model());
    let model = model.unwrap_or_default();
    let request = plan.request(model, part("systemPrompt"), part("messages"));
    stream.tape(&plan, Some(&request))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use crate::format::tape::RequestShape;
    use crate::ops::calls::calls;
    use crate::ops::tape::make::{PieceTiming, TextSplit};
    use crate::text::Source;

    fn made(text: &str) -> String {
        let document = read(Source::new(text), "a.yaml");
        let plan = TapePlan {
            model: None,
            recorded_at: "2026-03-09T11:02:17Z".to_owned(),
            label: None,
            split: TextSplit::Sentences,
            timing: PieceTiming::default(),
            shape: RequestShape::Contents,
        };
        let calls = calls(&document);
        match from_call(&calls[0], &plan) {
            Ok(tape) => {
                let chunks: Vec<&str> = tape.chunks.iter().map(|it| &*it.text).collect();
                format!("{} {}\n{}", tape.meta.model, tape.request, chunks.join(" "))
            }
            Err(reason) => reason,
        }
    }

    fn cassette(body: &str, kind: &str) -> String {
        let sent = r#"{"model": "gpt-5", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}"#;
        format!(
            "interactions:\n- request: {{method: POST, uri: 'https://api.openai.com/v1/chat/completions', headers: {{}}, body: '{sent}'}}\n  response:\n    status: {{code: 200, message: OK}}\n    headers: {{content-type: ['{kind}']}}\n    body: {{string: {body}}}\nversion: 1\n"
        )
    }

    #[test]
    fn a_stream_keeps_its_pieces_and_another_answer_is_split() {
        let events = r#""data: {\"choices\": [{\"delta\": {\"content\": \"Hi \"}}]}\n\ndata: {\"choices\": [{\"delta\": {\"content\": \"you. Bye.\"}}]}\n\ndata: [DONE]\n\n""#;
        insta::assert_snapshot!(made(&cassette(events, "text/event-stream")), @r#"
        gpt-5 {"model":"gpt-5","contents":"Hello","config":{}}
        "Hi " "you. Bye."
        "#);
        let whole = r#"'{"model": "gpt-5", "choices": [{"message": {"role": "assistant", "content": "Hi you. Bye."}, "finish_reason": "stop"}]}'"#;
        insta::assert_snapshot!(made(&cassette(whole, "application/json")), @r#"
        gpt-5 {"model":"gpt-5","contents":"Hello","config":{}}
        "Hi you. " "Bye."
        "#);
        assert_eq!(
            made(&cassette("''", "application/json")),
            "The call has no answer"
        );
    }
}
