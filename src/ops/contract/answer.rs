//! Answers that a contract can be tried on: what an incident kept, and what files hold.

use crate::format::recording::{Block, Recording};
use crate::format::report::MutationResult;
use crate::format::session::Session;
use crate::format::tape::Tape;
use crate::format::{Body, Document, Node, text};
use crate::ops::import::Answer;

/// An answer that a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its JSON Pointer in the file.
    pub pointer: String,
    /// What it is called in its file; empty where the file is all there is to say.
    pub title: String,
    /// The question, if the file contains it.
    pub asked: Option<String>,
    /// The words, and how long they took.
    pub answer: Answer,
    /// How it came about.
    pub since: Since,
}

/// How an answer came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Since {
    /// It was given when the run failed.
    Failed,
    /// It was recorded; it is not known whether it is wrong.
    Recorded,
    /// Somebody wrote it.
    Given,
}

impl Since {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Recorded => "recorded",
            Self::Given => "given",
        }
    }
}

/// The names under which an import keeps an answer in what belongs to an incident.
const NAMES: [&str; 6] = ["output", "answer", "text", "result", "response", "content"];

/// What the agent answered when the incident happened, as an import has kept it in the session's `context`.
pub fn kept_answer(document: &Document, session: &Session) -> Option<Answer> {
    let context = document.node(session.context?);
    context.items().find_map(|turn| {
        turn.get("provenance").and_then(Node::as_str)?;
        let words = said(turn, "response").or_else(|| said(turn, "outputs"))?;
        Some(Answer {
            text: words.to_owned(),
            latency_ms: turn.get("latency_ms").and_then(Node::as_f64),
        })
    })
}

/// A text, or the words in an object of outputs.
fn said<'d>(turn: Node<'d>, key: &str) -> Option<&'d str> {
    let node = turn.get(key)?;
    let within = || NAMES.iter().find_map(|name| node.get(name)?.as_str());
    node.as_str().or_else(within)
}

/// Every answer that a report, a recording or a tape holds, in its order.
pub fn offers(document: &Document) -> Vec<Offer> {
    match &document.body {
        Body::Report(report) => {
            let results = report.mutations.iter();
            results.filter_map(|it| of_result(document, it)).collect()
        }
        Body::Recording(recording) => of_recording(recording).into_iter().collect(),
        Body::Tape(tape) => vec![of_tape(tape)],
        _ => Vec::new(),
    }
}

fn of_result(document: &Document, result: &MutationResult) -> Option<Offer> {
    let response = result.response.as_ref()?;
    let passed = result.passed.as_ref().map(|passed| passed.value);
    let named = [text(&result.kind), text(&result.id)];
    let asked = text(&result.mutated).or(text(&result.original_prompt));
    Some(Offer {
        pointer: document.node(response.node).pointer(),
        title: named.into_iter().flatten().collect::<Vec<_>>().join(" "),
        asked: asked.map(str::to_owned),
        answer: Answer {
            text: response.value.clone(),
            latency_ms: result.latency_ms.as_ref().map(|it| it.value),
        },
        since: match passed {
            Some(false) => Since::Failed,
            _ => Since::Recorded,
        },
    })
}

fn of_recording(recording: &Recording) -> Option<Offer> {
    let blocks = &recording.answer.as_ref()?.blocks;
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.value.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| Offer {
        pointer: String::new(),
        title: String::new(),
        asked: None,
        answer: Answer {
            text: texts.join("\n"),
            latency_ms: None,
        },
        since: Since::Recorded,
    })
}

fn of_tape(tape: &Tape) -> Offer {
    let nanos: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    Offer {
        pointer: String::new(),
        title: String::new(),
        asked: None,
        answer: Answer {
            text: tape.chunks.iter().map(|chunk| &*chunk.text).collect(),
            latency_ms: nanos.is_finite().then_some((nanos / 1e6).round()),
        },
        since: Since::Recorded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use crate::text::Source;

    fn told(name: &str, text: &str) -> String {
        let document = read(Source::new(text), name);
        let told = offers(&document).into_iter().map(|offer| {
            let Answer { text, latency_ms } = offer.answer;
            let (title, since) = (offer.title, offer.since);
            format!("{title} | {text:?} | {latency_ms:?} ms | {since:?}")
        });
        told.collect::<Vec<_>>().join("\n")
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
            told("r.json", report),
            told("a.json", recording),
            told("t.json", tape),
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
        let kept = |context: &str| {
            let text =
                format!("id: a\ninput: b\ntool_responses: []\ncontext:\n  - role: user\n{context}");
            let document = read(Source::new(text), "a.yaml");
            let Body::Session(session) = &document.body else {
                panic!("a session")
            };
            kept_answer(&document, session).map(|it| (it.text, it.latency_ms))
        };
        let report =
            "  - provenance: flakestorm_report\n    response: paid twice\n    latency_ms: 31200\n";
        assert_eq!(kept(report), Some(("paid twice".to_owned(), Some(31200.0))));
        let run = "  - provenance: langsmith_run\n    outputs: {output: paid}\n";
        assert_eq!(kept(run), Some(("paid".to_owned(), None)));
        let other = "  - response: of nobody\n";
        assert_eq!(kept(other), None);
    }
}
