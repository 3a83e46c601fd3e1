//! The content of an answer and its timing, built from a tape or a recording, before it is written in the format of an
//! API.

use crate::live::received::ReceivedAnswer;
use calls::api::{
    AnswerEnd, AnswerStop, Api, ContentBlock, ResponseContext, ResponseForm, whole_response,
};
use calls::tape::content::{TapeEnd, parse_call, split_content};
use calls::tape::playback::{TapePlayback, Utf8Chunks};
use document::recording::{MessageBlock, Recording};
use document::tape::Tape;
use document::text::counted;
use document::time::parse_time;
use document::{Document, Node, text};

/// An answer to a model call, independent of the API.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedAnswer {
    /// Name of the model, if known.
    pub model: Option<String>,
    /// The content in order, one fragment for each chunk of the tape.
    pub fragments: Vec<Fragment>,
    /// The end of the answer.
    pub ending: AnswerEnding,
    /// The answer as it was received, which a client of the same API gets.
    pub received: Option<ReceivedAnswer>,
}

/// Content that is sent at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fragment {
    /// When it is due, in nanoseconds since the call arrived.
    pub due_nanos: u64,
    /// Text, tool calls or both; empty for an empty chunk that is not next to text.
    pub blocks: Vec<ContentBlock>,
}

/// The end of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerEnding {
    /// Completely.
    Whole(AnswerStop),
    /// The upstream server refused the call: only a body with this status is sent.
    Refused {
        /// Such as 429.
        status: u16,
        /// The body, in any format.
        body: String,
    },
    /// The stream reports an error and ends.
    Error {
        /// Such as `overloaded_error`.
        kind: String,
        /// Human-readable message.
        message: String,
    },
    /// The connection is closed in the middle.
    CutOff,
}

impl ServedAnswer {
    /// Builds the answer of a tape. A tool call is a separate line that holds a JSON object of the type `tool_use`, as
    /// in recordings, in one chunk or in several consecutive ones; its input is sent as it is written there.
    pub fn from_tape(document: &Document, tape: &Tape, playback: &TapePlayback) -> Self {
        let utf8 = Utf8Chunks::new(document, tape);
        let chunks: Vec<_> = (0..tape.chunks.len()).map(|index| utf8.chunk(index)).collect();
        let mut broken = broken_ending(document);
        let last = if broken.is_some() { TapeEnd::Broken } else { TapeEnd::Whole };
        let due = playback.due_nanos(tape).into_iter();
        // A client must not run what the server ran itself.
        let is_clients = |block: &ContentBlock| match block {
            ContentBlock::Call(part) => !part.call.is_server_call(),
            ContentBlock::Text(_) => true,
        };
        let pieces = due.zip(split_content(&chunks, last)).map(|(due_nanos, mut blocks)| {
            blocks.retain(is_clients);
            Fragment { due_nanos, blocks }
        });
        let pieces: Vec<Fragment> = pieces.collect();
        // A call without its end was cut, whatever else the tape says.
        let last_block = pieces.last().and_then(|piece| piece.blocks.last());
        let is_within_call = matches!(last_block, Some(ContentBlock::Call(part)) if !part.is_last);
        if may_be_complete(document) && !is_within_call {
            broken = None;
        }
        let whole_ending =
            || AnswerEnding::Whole(stop_reason(pieces.iter().flat_map(|piece| &piece.blocks)));
        Self {
            model: text(&tape.model).map(str::to_owned),
            ending: broken.unwrap_or_else(whole_ending),
            received: ReceivedAnswer::from_tape(document, tape),
            fragments: pieces,
        }
    }

    /// Builds the answer of a recording. Everything is due at once, after the time between the recording's two
    /// timestamps.
    pub fn from_recording(doc: &Document, recording: &Recording, play: &TapePlayback) -> Self {
        let answer = recording.answer.as_ref();
        let blocks = answer.iter().flat_map(|answer| &answer.blocks);
        let blocks: Vec<ContentBlock> = blocks.filter_map(|b| parse_block(doc, b)).collect();
        let answer_time = answer.and_then(|answer| text(&answer.timestamp));
        let took = took_nanos(text(&recording.request.timestamp), answer_time);
        let stop = answer.and_then(|answer| text(&answer.stop_reason));
        let stop = match stop.and_then(AnswerStop::from_word) {
            Some(stop @ (AnswerStop::Length | AnswerStop::Tools | AnswerStop::Filter)) => stop,
            // Not every API says that the answer waits for tool results.
            _ => stop_reason(&blocks),
        };
        Self {
            model: None,
            fragments: vec![Fragment { due_nanos: play.wait_nanos(took).round() as u64, blocks }],
            ending: AnswerEnding::Whole(stop),
            received: None,
        }
    }

    /// Prepares it for a call of an API: only one in the same form gets it as it was received. Returns what another one does not get,
    /// as a sentence.
    pub fn fit(&mut self, api: Api, form: ResponseForm) -> Option<String> {
        let received = self.received.take_if(|received| !received.is_for(api, form))?;
        let (stop, others) = received.outline().unwrap_or_default();
        if let (AnswerEnding::Whole(ending), Some(stop)) = (&mut self.ending, stop) {
            *ending = stop;
        }
        let others = match others {
            0 => String::new(),
            count => {
                let blocks = counted(count, "block", "blocks");
                format!(", without {blocks} of other content")
            }
        };
        Some(format!(
            "It was received in the form of another call, so it is written from its texts and tool calls{others}."
        ))
    }

    /// Returns all content blocks in order.
    pub fn blocks(&self) -> impl Iterator<Item = &ContentBlock> {
        self.fragments.iter().flat_map(|piece| &piece.blocks)
    }

    /// Returns the blocks of a fragment, if there is one, and what follows them.
    pub fn fragment(&self, index: usize) -> (Option<&[ContentBlock]>, AnswerEnd<'_>) {
        let is_last = index + 1 >= self.fragments.len();
        let end = match &self.ending {
            AnswerEnding::Whole(stop) if is_last => AnswerEnd::Whole(*stop),
            AnswerEnding::Error { kind, message } if is_last => AnswerEnd::Error { kind, message },
            _ => AnswerEnd::Open,
        };
        let fragment = self.fragments.get(index);
        (fragment.map(|fragment| &*fragment.blocks), end)
    }

    /// Returns the answer as one document.
    pub fn document(&self, api: Api, context: &ResponseContext) -> String {
        if let Some(received) = &self.received {
            return received.text();
        }
        let stop = match self.ending {
            AnswerEnding::Whole(stop) => stop,
            _ => AnswerStop::End,
        };
        whole_response(api, self.blocks(), stop, context)
    }

    /// Returns when the last fragment is due, in nanoseconds.
    pub fn last_nanos(&self) -> u64 {
        self.fragments.last().map_or(0, |piece| piece.due_nanos)
    }
}

fn parse_block(document: &Document, block: &MessageBlock) -> Option<ContentBlock> {
    match block {
        MessageBlock::Text(text) => Some(ContentBlock::Text(text.value.clone())),
        MessageBlock::ToolUse(call) => {
            parse_call(document.node(call.node)).map(ContentBlock::whole_call)
        }
        _ => None,
    }
}

fn stop_reason<'a>(blocks: impl IntoIterator<Item = &'a ContentBlock>) -> AnswerStop {
    let is_call = |block: &ContentBlock| matches!(block, ContentBlock::Call(_));
    if blocks.into_iter().any(is_call) { AnswerStop::Tools } else { AnswerStop::End }
}

/// Returns the ending of a tape that did not end normally, from `meta.ended`, where the recorder writes what went
/// wrong.
fn broken_ending(document: &Document) -> Option<AnswerEnding> {
    let ended = document.tree.root()?.get("meta")?.get("ended")?;
    let field = |key| ended.get(key).and_then(Node::as_str);
    let status = ended.get("status").and_then(Node::as_f64);
    match field("how")? {
        "refused" => Some(AnswerEnding::Refused {
            // Tapes may be written by hand: without its status, a refusal is still an error.
            status: status.map_or(500, |status| status as u16),
            body: field("body").unwrap_or_default().to_owned(),
        }),
        "error" => Some(AnswerEnding::Error {
            kind: field("kind").unwrap_or("error").to_owned(),
            message: field("message").unwrap_or_default().to_owned(),
        }),
        "cut-off" | "cancelled" => Some(AnswerEnding::CutOff),
        "length" => Some(AnswerEnding::Whole(AnswerStop::Length)),
        _ => None,
    }
}

/// Returns whether a tape was marked as cancelled by an earlier version of the recorder although its answer may be
/// complete. Clients of OpenAI's chat completions close the connection as soon as they have read `[DONE]`, and that
/// recorder treated this as a client that disconnected. No chunk holds that event, so nothing in such a tape
/// distinguishes the two cases, and most are complete. A tape whose client really disconnected has `"complete": false`.
/// Clients of the other APIs read to the end of the transfer.
fn may_be_complete(document: &Document) -> bool {
    let is = || {
        let meta = document.tree.root()?.get("meta")?;
        let ended = meta.get("ended")?;
        let is_cancelled = ended.get("how")?.as_str()? == "cancelled";
        let is_chat = meta.get("sdk")?.as_str()? == Api::OpenAiChat.as_str();
        Some(is_cancelled && is_chat && ended.get("complete").is_none())
    };
    is().unwrap_or_default()
}

/// Returns the time between the two timestamps of a call, in nanoseconds.
fn took_nanos(request_time: Option<&str>, answer_time: Option<&str>) -> f64 {
    let times = request_time.and_then(parse_time).zip(answer_time.and_then(parse_time));
    // The two times may be of different clocks.
    times.map_or(0.0, |(from, to)| to.duration_since(from).as_nanos().max(0) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;
    use document::{DocumentBody, read};

    fn describe(document: &Document) -> String {
        let answer = match &document.body {
            DocumentBody::Tape(tape) => {
                ServedAnswer::from_tape(document, tape, &TapePlayback::default())
            }
            DocumentBody::Recording(recording) => {
                ServedAnswer::from_recording(document, recording, &TapePlayback::default())
            }
            other => panic!("{other:?}"),
        };
        let pieces = answer.fragments.iter().map(|piece| {
            let blocks: Vec<String> = piece.blocks.iter().map(one).collect();
            format!("{} {}\n", piece.due_nanos, blocks.join(", "))
        });
        format!("{}{:?}", pieces.collect::<String>(), answer.ending)
    }

    fn one(block: &ContentBlock) -> String {
        let (call, part) = match block {
            ContentBlock::Text(text) => return format!("{text:?}"),
            ContentBlock::Call(part) => (&part.call, part),
        };
        let begins = if part.is_first {
            format!("{} {}", call.name, call.id.as_deref().unwrap_or("-"))
        } else {
            "…".to_owned()
        };
        let ends = if part.is_last { "." } else { "…" };
        format!("[{begins} {}{ends}]", part.input)
    }

    fn tape(ended: &str, stream: &str) -> String {
        let text = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"{ended}}}, "request": {{}}, "stream": {stream}}}"#
        );
        describe(&read(Source::new(text), "tape.json"))
    }

    #[test]
    fn a_tape_says_its_chunks_at_their_times_and_lines_of_tool_calls_are_calls() {
        insta::assert_snapshot!(tape("", r#"[{"delayNs": 5, "text": "Let me \ud83d"}, {"delayNs": 2, "text": "\ude00"}, {"delayNs": 1, "text": "\n{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"go\",\"input\":{\"b\":1.0,\"a\":2}}"}, {"delayNs": 0, "text": "So.\n{\"type\":\"tool_use\",\"name\":\"stop\"}"}, {"delayNs": 0, "text": "{\"type\":\"tool_use\""}, {"delayNs": 0, "text": ""}]"#), @r#"
        5 "Let me "
        7 "😀"
        8 [go t {"b":1.0,"a":2}.]
        8 "So.", [stop - {}.]
        8 "{\"type\":\"tool_use\""
        8 ""
        Whole(Tools)
        "#);
    }

    #[test]
    fn what_the_server_ran_itself_is_no_call_for_the_client() {
        insta::assert_snapshot!(tape("", r#"[{"delayNs": 1, "text": "{\"type\":\"tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}"}, {"delayNs": 1, "text": "\nSunny."}]"#), @r#"
        1 
        2 "\nSunny."
        Whole(End)
        "#);
    }

    #[test]
    fn a_call_in_several_chunks_is_sent_in_parts() {
        insta::assert_snapshot!(tape("", r#"[{"delayNs": 1, "text": "Hi\n{\"ty"}, {"delayNs": 1, "text": "pe\":\"tool_use\",\"name\":\"go\",\"input\":{\"a\": \"}"}, {"delayNs": 1, "text": ""}, {"delayNs": 1, "text": "\""}, {"delayNs": 1, "text": "}}\nSo"}]"#), @r#"
        1 "Hi", [go - …]
        2 [… {"a": "}…]
        3 [… …]
        4 [… "…]
        5 [… }.], "So"
        Whole(Tools)
        "#);
        insta::assert_snapshot!(tape("", r#"[{"delayNs": 1, "text": "{\"type\":\"tool_use\",\"name\":\"go\""}, {"delayNs": 1, "text": "} or so"}, {"delayNs": 1, "text": "\n{\"type\":\"tool_use\",\n\"name\":\"go\"}"}]"#), @r#"
        1 "{\"type\":\"tool_use\",\"name\":\"go\""
        2 "} or so"
        3 "\n{\"type\":\"tool_use\",\n\"name\":\"go\"}"
        Whole(End)
        "#);
        let broken = r#", "ended": {"how": "cut-off"}"#;
        insta::assert_snapshot!(tape(broken, r#"[{"delayNs": 1, "text": "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"go\",\"input\":"}, {"delayNs": 1, "text": "{\"a"}]"#), @r#"
        1 [go t …]
        2 [… {"a…]
        CutOff
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
    fn a_chat_that_an_earlier_recorder_took_for_cancelled_is_served_to_its_end() {
        let served = |sdk: &str, ended: &str, text: &str| {
            let ended = format!(r#", "sdk": "{sdk}", "ended": {ended}"#);
            let description = tape(&ended, &format!(r#"[{{"delayNs": 0, "text": "{text}"}}]"#));
            description.lines().last().unwrap().to_owned()
        };
        let (chat, cancelled) = ("OpenAI chat completions", r#"{"how": "cancelled"}"#);
        assert_eq!(served(chat, cancelled, "Done."), "Whole(End)");
        let call = r#"{\"type\":\"tool_use\",\"name\":\"go\",\"input\":{\"a\":1"#;
        assert_eq!(served(chat, cancelled, &format!("{call}}}}}")), "Whole(Tools)");
        assert_eq!(served(chat, cancelled, call), "CutOff");
        let ending = r#"{"how": "cancelled", "complete": false}"#;
        assert_eq!(served(chat, ending, "Half"), "CutOff");
        assert_eq!(served("Anthropic messages", cancelled, "Half"), "CutOff");
        assert_eq!(served(chat, r#"{"how": "cut-off"}"#, "Half"), "CutOff");
    }

    #[test]
    fn a_recording_answers_after_the_time_it_took_then() {
        let recording = r#"{"request": {"type": "llm_invocation_request", "timestamp": "2025-12-05T19:07:42.176Z", "messages": [], "tools": []},
            "response": {"timestamp": "2025-12-05T19:07:43.047Z", "response": {"content": [{"type": "text", "text": "Go."}, {"type": "tool_use", "id": "t", "name": "go", "input": {}}, {"type": "image"}], "stop_reason": "tool_use"}}, "recordedAt": "t"}"#;
        insta::assert_snapshot!(describe(&read(Source::new(recording), "turn.json")), @r#"
        871000000 "Go.", [go t {}.]
        Whole(Tools)
        "#);
    }

    #[test]
    fn a_recording_ends_as_the_word_of_any_api_says() {
        let call = r#"{"type": "tool_use", "id": "t", "name": "go", "input": {}}"#;
        for (content, word, expected) in [
            ("", "end_turn", "Whole(End)"),
            ("", "refusal", "Whole(Filter)"),
            ("", "content_filter", "Whole(Filter)"),
            ("", "SAFETY", "Whole(Filter)"),
            ("", "max_tokens", "Whole(Length)"),
            ("", "length", "Whole(Length)"),
            ("", "max_output_tokens", "Whole(Length)"),
            // It says neither that a limit nor that a filter ended the answer.
            ("", "incomplete", "Whole(End)"),
            (call, "tool_calls", "Whole(Tools)"),
            (call, "completed", "Whole(Tools)"),
        ] {
            let recording = format!(
                r#"{{"request": {{"messages": [], "tools": []}}, "response": {{"response": {{"content": [{content}], "stop_reason": "{word}"}}}}, "recordedAt": "t"}}"#
            );
            let described = describe(&read(Source::new(recording), "turn.json"));
            assert!(described.ends_with(expected), "{word}: {described}");
        }
    }
}
