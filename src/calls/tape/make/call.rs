//! Creates a tape from a call in a file of calls.

use jiff::Timestamp;

use super::{Material, NewTape, TapePlan, from_recording};
use document::call::{BodyForm, HttpBody, ModelCall};
use document::json;
use document::text::Source;
use document::time::recorded_at;

/// Creates a tape from a call in a file of calls: of its stream, with the pieces that were received, else of its answer as
/// if it were streamed.
///
/// # Errors
///
/// Returns why there is no answer, as a sentence without a full stop.
pub fn from_call(call: &ModelCall<'_>, plan: &TapePlan) -> Result<NewTape, String> {
    let facts = &call.facts;
    let body = facts.http.as_ref().and_then(|http| http.response_body.as_ref());
    let start = facts.started_at.clone();
    let time = start.or_else(|| Some(recorded_at(call).or_else(|| created(body?))?.to_string()));
    let plan = TapePlan {
        model: plan.model.clone().or_else(|| facts.model.clone()),
        recorded_at: time.unwrap_or_else(|| plan.recorded_at.clone()),
        ..plan.clone()
    };
    let events = body.filter(|body| body.form == BodyForm::Events);
    // A stream that cannot be read is no loss: the call may have an answer all the same.
    let stream = events.and_then(|body| Material::stream(body.text()?).ok());
    let Some(stream) = stream else {
        if call.answer().is_none() {
            return Err("The call has no answer".to_owned());
        }
        return from_recording(&call.document, &plan);
    };
    let request = call.document.body.request().map(|request| call.document.node(request.node));
    let part = |name: &str| request.and_then(|request| request.get(name));
    let model = plan.model.as_deref().or(stream.model()).unwrap_or_default();
    stream.tape(&plan, Some(&plan.request(model, part("systemPrompt"), part("messages"))))
}

/// Returns when the service made an answer, which is a number of seconds in it.
fn created(body: &HttpBody) -> Option<Timestamp> {
    let tree = json::parse(&Source::new(body.text()?)).0;
    let root = tree.root()?;
    let node = root.get("created").or_else(|| root.get("created_at"))?;
    let seconds: f64 = node.scalar_text()?.parse().ok()?;
    // A smaller number is no time.
    (seconds >= 1e8).then(|| Timestamp::from_second(seconds as i64).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::calls;
    use crate::tape::make::{PieceTiming, TextSplit};
    use document::read;
    use document::tape::RequestShape;

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
                let chunks: Vec<&str> = tape.chunks.iter().map(|c| &*c.text).collect();
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
        assert_eq!(made(&cassette("''", "application/json")), "The call has no answer");
    }
    #[test]
    fn the_time_of_a_tape_is_that_of_its_call() {
        let whole = r#"'{"model": "gpt-5", "created": 1767225600, "choices": [{"message": {"role": "assistant", "content": "Hi."}}]}'"#;
        let created = cassette(whole, "application/json");
        let sent = created.replace(
            "headers: {content-type",
            "headers: {date: ['Mon, 05 Jan 2026 09:00:00 GMT'], content-type",
        );
        let written =
            sent.replace("version: 1", "  recorded_at: '2026-01-06T09:00:00Z'\nversion: 1");
        let unknown = created.replace("1767225600", "0");
        let times = [written, sent, created, unknown].map(|text| {
            let document = read(Source::new(text), "a.yaml");
            let plan = TapePlan {
                model: None,
                recorded_at: "now".to_owned(),
                label: None,
                split: TextSplit::Sentences,
                timing: PieceTiming::default(),
                shape: RequestShape::Contents,
            };
            from_call(&calls(&document)[0], &plan).unwrap().meta.recorded_at
        });
        assert_eq!(
            times,
            ["2026-01-06T09:00:00Z", "2026-01-05T09:00:00Z", "2026-01-01T00:00:00Z", "now"]
        );
    }
}
