//! What is said to a client and when: a tape or a recording, ready to be told in the words of any API.

use crate::format::recording::{Block, Recording};
use crate::format::tape::Tape;
use crate::format::{Document, Node, NodeKind, json, text};
use crate::ops::import::parse_time;
use crate::ops::tape::javascript::stringify;
use crate::ops::tape::playback::{Playback, Utf8};
use crate::text::Source;

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The model that gave it, if it is known.
    pub model: Option<String>,
    /// What is said, in order; a piece a chunk.
    pub pieces: Vec<Piece>,
    /// How it ends.
    pub ending: Ending,
}

/// What is said at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// When, in nanoseconds since the call was there.
    pub due_nanos: u64,
    /// What: text, tool calls, or both.
    pub said: Vec<Said>,
}

/// A piece of what a model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Words.
    Text(String),
    /// It calls a tool.
    Call(Call),
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// Its input, as JSON.
    pub input: String,
}

/// How an answer ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As it should.
    Whole(Stop),
    /// The model's side refused it: nothing is said but a body with this status.
    Refused {
        /// Such as 429.
        status: u16,
        /// Of whatever form.
        body: String,
    },
    /// The stream tells an error and ends.
    Error {
        /// Such as `overloaded_error`.
        kind: String,
        /// For people.
        message: String,
    },
    /// The connection breaks.
    CutOff,
}

/// Why a model stops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// It has said all.
    #[default]
    End,
    /// It waits for what its tools answer.
    Tools,
    /// It may say no more.
    Length,
}

impl Answer {
    /// What a tape says. A tool call is a line of its own that holds a JSON object of the type `tool_use`, as recordings have
    /// it.
    pub fn of_tape(document: &Document, tape: &Tape, playback: &Playback) -> Self {
        let utf8 = Utf8::of(document, tape);
        let due = playback.due_nanos(tape).into_iter().enumerate();
        let pieces: Vec<Piece> = due
            .map(|(index, due_nanos)| Piece {
                due_nanos,
                said: said(&utf8.chunk(index)),
            })
            .collect();
        Self {
            model: text(&tape.model).map(str::to_owned),
            ending: ending(document, &pieces),
            pieces,
        }
    }

    /// What a recording answers, all at once: when it was answered then, by its two timestamps.
    pub fn of_recording(document: &Document, recording: &Recording, playback: &Playback) -> Self {
        let answer = recording.answer.as_ref();
        let blocks = answer.iter().flat_map(|answer| &answer.blocks);
        let said: Vec<Said> = blocks
            .filter_map(|block| of_block(document, block))
            .collect();
        let answered = answer.and_then(|answer| text(&answer.timestamp));
        let took = took_nanos(text(&recording.request.timestamp), answered);
        let stop = answer.and_then(|answer| text(&answer.stop_reason));
        let stop = match stop {
            Some("max_tokens") => Stop::Length,
            Some("tool_use") => Stop::Tools,
            Some(_) => Stop::End,
            None => stop_of(&said),
        };
        Self {
            model: None,
            pieces: vec![Piece {
                due_nanos: playback.waits(took).round() as u64,
                said,
            }],
            ending: Ending::Whole(stop),
        }
    }

    /// All that is said, one after the other.
    pub fn said(&self) -> impl Iterator<Item = &Said> {
        self.pieces.iter().flat_map(|piece| &piece.said)
    }

    /// When the last of it is due, in nanoseconds.
    pub fn last_nanos(&self) -> u64 {
        self.pieces.last().map_or(0, |piece| piece.due_nanos)
    }
}

impl Piece {
    /// How many characters it brings.
    pub fn chars(&self) -> usize {
        let chars = self.said.iter().map(|said| match said {
            Said::Text(text) => text.chars().count(),
            Said::Call(call) => call.input.chars().count(),
        });
        chars.sum()
    }
}

fn of_block(document: &Document, block: &Block) -> Option<Said> {
    match block {
        Block::Text(text) => Some(Said::Text(text.value.clone())),
        Block::ToolUse(call) => call_of(document.node(call.node)).map(Said::Call),
        Block::ToolResult { .. } | Block::Other { .. } => None,
    }
}

/// A tool call in the form of recordings.
fn call_of(node: Node<'_>) -> Option<Call> {
    if node.get("type")?.as_str()? != "tool_use" {
        return None;
    }
    Some(Call {
        id: node.get("id").and_then(Node::as_str).map(str::to_owned),
        name: node.get("name")?.as_str()?.to_owned(),
        input: node.get("input").map_or_else(|| "{}".to_owned(), stringify),
    })
}

/// What a chunk says. Only at its end, line by line, there may be tool calls.
fn said(chunk: &str) -> Vec<Said> {
    let mut rest = chunk;
    let mut calls = Vec::new();
    while let Some((before, call)) = last_call(rest) {
        calls.push(Said::Call(call));
        rest = before;
    }
    if !rest.is_empty() || calls.is_empty() {
        calls.push(Said::Text(rest.to_owned()));
    }
    calls.reverse();
    calls
}

/// The tool call on the last line of a text, and what stands before it.
fn last_call(text: &str) -> Option<(&str, Call)> {
    let (before, line) = text.rsplit_once('\n').unwrap_or(("", text));
    if !line.starts_with("{\"type\":\"tool_use\"") {
        return None;
    }
    let (tree, problems) = json::parse(&Source::new(line));
    let call = call_of(tree.root().filter(|_| problems.is_empty())?)?;
    Some((before, call))
}

fn stop_of<'a>(said: impl IntoIterator<Item = &'a Said>) -> Stop {
    let is_call = |said: &Said| matches!(said, Said::Call(_));
    match said.into_iter().any(is_call) {
        true => Stop::Tools,
        false => Stop::End,
    }
}

/// How a tape ends, by `meta.ended`: there the recorder writes what went wrong.
fn ending(document: &Document, pieces: &[Piece]) -> Ending {
    let whole = || Ending::Whole(stop_of(pieces.iter().flat_map(|piece| &piece.said)));
    let meta = document.tree.root().and_then(|root| root.get("meta"));
    let Some(ended) = meta.and_then(|meta| meta.get("ended")) else {
        return whole();
    };
    let field = |key| ended.get(key).and_then(Node::as_str);
    let status = ended.get("status").and_then(Node::as_f64);
    match field("how") {
        Some("refused") => Ending::Refused {
            status: status.map_or(500, |status| status as u16),
            body: field("body").unwrap_or_default().to_owned(),
        },
        Some("error") => Ending::Error {
            kind: field("kind").unwrap_or("error").to_owned(),
            message: field("message").unwrap_or_default().to_owned(),
        },
        Some("cut-off" | "cancelled") => Ending::CutOff,
        _ => whole(),
    }
}

/// How long a call took that was made and answered at these times, in nanoseconds.
fn took_nanos(asked: Option<&str>, answered: Option<&str>) -> f64 {
    let (Some(asked), Some(answered)) = (asked.and_then(parse_time), answered.and_then(parse_time))
    else {
        return 0.0;
    };
    let nanos = answered.duration_since(asked).as_nanos();
    nanos.max(0) as f64
}

/// True for an object: what bodies of calls have to be.
pub(super) fn is_object(node: &Node<'_>) -> bool {
    node.kind() == NodeKind::Object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Body, read};

    fn told(document: &Document) -> String {
        let answer = match &document.body {
            Body::Tape(tape) => Answer::of_tape(document, tape, &Playback::default()),
            Body::Recording(recording) => {
                Answer::of_recording(document, recording, &Playback::default())
            }
            other => panic!("{other:?}"),
        };
        let pieces = answer.pieces.iter();
        let pieces = pieces.map(|piece| format!("{} {:?}\n", piece.due_nanos, piece.said));
        format!("{}{:?}", pieces.collect::<String>(), answer.ending)
    }

    fn tape(ended: &str, stream: &str) -> String {
        let text = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"{ended}}}, "request": {{}}, "stream": {stream}}}"#
        );
        told(&read(Source::new(text), "tape.json"))
    }

    #[test]
    fn a_tape_says_its_chunks_at_their_times_and_lines_of_tool_calls_are_calls() {
        insta::assert_snapshot!(tape("", r#"[{"delayNs": 5, "text": "Let me \ud83d"}, {"delayNs": 2, "text": "\ude00"}, {"delayNs": 1, "text": "\n{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"go\",\"input\":{\"b\":1.0,\"a\":2}}"}, {"delayNs": 0, "text": "So.\n{\"type\":\"tool_use\",\"name\":\"stop\"}"}, {"delayNs": 0, "text": "{\"type\":\"tool_use\""}, {"delayNs": 0, "text": ""}]"#), @r#"
        5 [Text("Let me ")]
        7 [Text("😀")]
        8 [Call(Call { id: Some("t"), name: "go", input: "{\"b\":1,\"a\":2}" })]
        8 [Text("So."), Call(Call { id: None, name: "stop", input: "{}" })]
        8 [Text("{\"type\":\"tool_use\"")]
        8 [Text("")]
        Whole(Tools)
        "#);
    }

    #[test]
    fn a_tape_ends_as_its_call_did() {
        let ended = |ended: &str| tape(&format!(", \"ended\": {ended}"), "[]");
        assert_eq!(ended(r#"{"how": "cut-off"}"#), "CutOff");
        assert_eq!(
            ended(r#"{"how": "refused", "status": 429, "body": "{}"}"#),
            r#"Refused { status: 429, body: "{}" }"#
        );
        assert_eq!(
            ended(r#"{"how": "error", "kind": "overloaded_error", "message": "Later"}"#),
            r#"Error { kind: "overloaded_error", message: "Later" }"#
        );
        assert_eq!(ended("7"), "Whole(End)");
    }

    #[test]
    fn a_recording_answers_after_the_time_it_took_then() {
        let recording = r#"{"request": {"type": "llm_invocation_request", "timestamp": "2025-12-05T19:07:42.176Z", "messages": [], "tools": []},
            "response": {"timestamp": "2025-12-05T19:07:43.047Z", "response": {"content": [{"type": "text", "text": "Go."}, {"type": "tool_use", "id": "t", "name": "go", "input": {}}, {"type": "image"}], "stop_reason": "tool_use"}}, "recordedAt": "t"}"#;
        insta::assert_snapshot!(told(&read(Source::new(recording), "turn.json")), @r#"
        871000000 [Text("Go."), Call(Call { id: Some("t"), name: "go", input: "{}" })]
        Whole(Tools)
        "#);
    }
}
