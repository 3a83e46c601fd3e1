//! Answers that a contract can be tried on: what an incident kept, and what files hold.

use crate::import::AgentAnswer;
use ::calls::reading;
use document::call::ModelCall;
use document::report::MutationResult;
use document::session::Session;
use document::text::named_enum;
use document::{Document, DocumentBody, text};

/// An answer that a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct FileAnswer {
    /// Its JSON Pointer in the file.
    pub pointer: String,
    /// Its name in the file; empty if the file contains only this answer.
    pub title: String,
    /// The question, if the file contains it.
    pub question: Option<String>,
    /// The words, and how long they took.
    pub answer: AgentAnswer,
    /// Origin of the answer.
    pub origin: AnswerOrigin,
}

named_enum! {
    /// Origin of an answer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum AnswerOrigin {
        /// It was given when the run failed.
        Failed = "failed",
        /// It was recorded; it is not known whether it is wrong.
        Recorded = "recorded",
        /// Somebody wrote it.
        Given = "given",
    }

    /// Returns its name in JSON.
    pub fn as_str;
}

/// Returns what the agent answered when the incident happened, as an import has kept it in the session's `context`.
pub fn incident_answer(document: &Document, session: &Session) -> Option<AgentAnswer> {
    let (words, latency_ms) = reading::incident_answer(document, session)?;
    Some(AgentAnswer { text: words.to_owned(), latency_ms })
}

/// Every answer that a report or the calls of a file hold, in its order.
pub fn file_answers(document: &Document) -> Vec<FileAnswer> {
    match &document.body {
        DocumentBody::Report(report) => {
            report.mutations.iter().filter_map(|r| answer_of_result(document, r)).collect()
        }
        // The answer of an incident is the one of `incident_answer`.
        DocumentBody::Session(_) | DocumentBody::Config(_) => Vec::new(),
        _ => {
            let calls = reading::calls(document);
            calls.iter().filter_map(|call| answer_of_call(document, call)).collect()
        }
    }
}

fn answer_of_result(document: &Document, result: &MutationResult) -> Option<FileAnswer> {
    let response = result.response.as_ref()?;
    let has_passed = result.passed.as_ref().map(|field| field.value);
    let parts = [text(&result.kind), text(&result.id)];
    // The mutated prompt is the one that was sent.
    let question = text(&result.mutated).or(text(&result.original_prompt));
    Some(FileAnswer {
        pointer: document.node(response.node).pointer(),
        title: parts.into_iter().flatten().collect::<Vec<_>>().join(" "),
        question: question.map(str::to_owned),
        answer: AgentAnswer {
            text: response.value.clone(),
            latency_ms: result.latency_ms.as_ref().map(|number| number.value),
        },
        origin: match has_passed {
            Some(false) => AnswerOrigin::Failed,
            _ => AnswerOrigin::Recorded,
        },
    })
}

fn answer_of_call(document: &Document, call: &ModelCall<'_>) -> Option<FileAnswer> {
    let texts: Vec<&str> = call.answer()?.texts().collect();
    let nanos = call.facts.duration_nanos;
    (!texts.is_empty()).then(|| FileAnswer {
        pointer: document.node(call.node).pointer(),
        title: String::new(),
        question: None,
        answer: AgentAnswer {
            text: texts.join("\n"),
            latency_ms: nanos.map(|nanos| (nanos / 1e6).round()),
        },
        origin: AnswerOrigin::Recorded,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    fn describe_answers(name: &str, text: &str) -> String {
        let document = read(Source::new(text), name);
        let lines = file_answers(&document).into_iter().map(|offer| {
            let AgentAnswer { text, latency_ms } = offer.answer;
            let (title, since) = (offer.title, offer.origin);
            format!("{title} | {text:?} | {latency_ms:?} ms | {since:?}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn reports_recordings_and_tapes_hold_answers() {
        let report = r#"{"version": "1.0", "started_at": "t", "statistics": {}, "mutations": [
            {"original_prompt": "a", "mutation": {"id": "m1", "mutated": "A!", "type": "noise"}, "response": "r", "latency_ms": 12.5, "passed": false},
            {"original_prompt": "b", "mutation": {"id": "m2", "mutated": "B!", "type": "noise"}, "response": null, "passed": false, "error": "e"},
            {"original_prompt": "c", "mutation": {"id": "m3", "mutated": "C!", "type": "noise"}, "response": "s", "passed": true}]}"#;
        let recording = r#"{"request": {"messages": [], "tools": []},
            "response": {"response": {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}}}"#;
        let tape = r#"{"meta": {}, "request": {"model": "m", "contents": "x", "config": {}},
            "stream": [{"delayNs": 2e6, "text": "a"}, {"delayNs": 1500000, "text": "b"}]}"#;
        let all = [
            describe_answers("r.json", report),
            describe_answers("a.json", recording),
            describe_answers("t.json", tape),
        ];
        insta::assert_snapshot!(all.join("\n"), @r#"
        noise m1 | "r" | Some(12.5) ms | Failed
        noise m3 | "s" | None ms | Recorded
         | "one\ntwo" | None ms | Recorded
         | "ab" | Some(4.0) ms | Recorded
        "#);
    }

    #[test]
    fn a_session_keeps_the_answer_of_its_incident_with_how_long_it_took() {
        let answer_of = |context: &str| {
            let text =
                format!("id: a\ninput: b\ntool_responses: []\ncontext:\n  - role: user\n{context}");
            let document = read(Source::new(text), "a.yaml");
            let DocumentBody::Session(session) = &document.body else { panic!("a session") };
            incident_answer(&document, session).map(|answer| (answer.text, answer.latency_ms))
        };
        let report =
            "  - provenance: flakestorm_report\n    response: paid twice\n    latency_ms: 31200\n";
        assert_eq!(answer_of(report), Some(("paid twice".to_owned(), Some(31200.0))));
        let run = "  - provenance: langsmith_run\n    outputs: {output: paid}\n";
        assert_eq!(answer_of(run), Some(("paid".to_owned(), None)));
        let other = "  - response: of nobody\n";
        assert_eq!(answer_of(other), None);
    }
}
