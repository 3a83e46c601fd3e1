//! Recordings and bare requests of DyGram: one model call per JSON file.
//!
//! Defined by DyGram's recording and playback clients. Two shapes are met: *wrapped* (the answer is in
//! `response.response.content`, which is where the players look) and *flat* (`response.content`).

mod answer;
mod block;
mod request;
mod stamp;

use super::field::Field;
use super::fields::Fields;
use super::problems::ProblemList;
use super::tree::Node;
use crate::text::named_enum;

pub use answer::RecordedAnswer;
pub use block::{MessageBlock, ToolUse};
pub use request::{Message, Request, Tool};
pub use stamp::{SourceMetadata, StoredSignature};

named_enum! {
    /// The version of a recording's format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RecordingVersion {
        /// Neither signature nor source.
        V1 = "v1",
        /// With `signature`.
        V2 = "v2",
        /// With `sourceMetadata`.
        V3 = "v3",
    }

    /// `v1`, `v2` or `v3`.
    pub fn as_str;
}

/// Place of the answer in the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerShape {
    /// `response.response.content`: the shape that players serve.
    Wrapped,
    /// `response.content`: loads, but is served as `undefined`.
    Flat,
}

/// One recorded call.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The version, by the fields that exist.
    pub version: RecordingVersion,
    /// Place of its answer.
    pub shape: AnswerShape,
    pub request: Request,
    /// The answer; `None` when `response` is missing or not an object.
    pub answer: Option<RecordedAnswer>,
    /// When, as written (ISO 8601, UTC).
    pub recorded_at: Option<Field<String>>,
    /// As stored; `None` for v1.
    pub signature: Option<Field<StoredSignature>>,
    /// The source it was recorded from, with its metadata.
    pub source: Option<Field<SourceMetadata>>,
    /// When its owner last found it valid, as written.
    pub last_validated: Option<Field<String>>,
}

impl Recording {
    /// Reads a recording. Missing fields and wrong types are reported, and the rest is read.
    pub(super) fn read(root: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut root = Fields::new(root, problems);
        root.require("request");
        root.require("response");
        let signature = root.object("signature");
        let source = root.object("sourceMetadata");
        // No field of a recording states its version.
        let version = match (source, signature) {
            (Some(_), _) => RecordingVersion::V3,
            (None, Some(_)) => RecordingVersion::V2,
            (None, None) => RecordingVersion::V1,
        };
        let request = match root.object("request") {
            Some(request) => Request::read(request, root.problems),
            None => Request::absent(root.node),
        };
        let (shape, answer) = match root.object("response") {
            Some(response) => RecordedAnswer::read(response, root.problems),
            // The response is reported as missing; the flat shape would be reported as well.
            None => (AnswerShape::Wrapped, None),
        };
        Self {
            version,
            shape,
            request,
            answer,
            recorded_at: root.text("recordedAt"),
            signature: signature
                .map(|node| Field::new(StoredSignature::read(node, root.problems), node.id())),
            source: source
                .map(|node| Field::new(SourceMetadata::read(node, root.problems), node.id())),
            last_validated: root.text("lastValidated"),
        }
    }
}

/// Returns a string from a field in which any type is legal.
pub(super) fn text_of(node: Option<Node<'_>>) -> Option<Field<String>> {
    let node = node?;
    Some(Field::new(node.as_str()?.to_owned(), node.id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{Document, read, text};

    fn recording_of(text: &str) -> (Recording, Document) {
        let document = read(Source::new(text), "turn-1.json");
        let recording = document.body.recording().unwrap();
        (recording.clone(), document)
    }

    #[test]
    fn a_wrapped_recording_is_read_whole() {
        let (recording, document) = recording_of(
            r#"{"request": {"type": "llm_invocation_request", "requestId": "req-1", "timestamp": "t", "context": {"currentNode": "a", "x": 1},
  "messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": []}, {"type": "image"}]}],
  "tools": [{"name": "go", "input_schema": {}}], "systemPrompt": "s"},
 "response": {"requestId": "req-1", "reasoning": "", "response": {"content": [{"type": "text", "text": "ok"},
  {"type": "tool_use", "id": "tool-1", "name": "go", "input": {}}], "stop_reason": "tool_use"}},
 "recordedAt": "t", "signature": {"toolNames": ["go"], "messageCount": 2, "contextKeys": []},
 "sourceMetadata": {"sourceFile": "a.dygram", "contentHash": "00", "fileSize": 3, "lastModified": "t"}, "lastValidated": null}"#,
        );
        assert_eq!(describe_problems(&document.problems), "");
        assert_eq!(
            (recording.version, recording.shape),
            (RecordingVersion::V3, AnswerShape::Wrapped)
        );
        let request = &recording.request;
        assert_eq!(request.context_keys, ["currentNode", "x"]);
        assert_eq!(text(&request.current_node), Some("a"));
        let blocks: Vec<_> = request.messages.iter().flat_map(|message| &message.blocks).collect();
        assert!(matches!(
            blocks[..],
            [MessageBlock::Text(_), MessageBlock::ToolResult { .. }, MessageBlock::Image { .. }]
        ));
        let answer = recording.answer.as_ref().unwrap();
        assert!(matches!(answer.blocks[..], [MessageBlock::Text(_), MessageBlock::ToolUse(_)]));
        assert_eq!(document.node(answer.node).pointer(), "/response/response");
        assert_eq!(recording.signature.unwrap().value.message_count, Some(2));
    }

    #[test]
    fn a_flat_recording_lacks_nothing_that_is_reported() {
        let (recording, document) = recording_of(
            r#"{"request": {"messages": [{"role": "user", "content": "hi"}], "tools": [], "systemPrompt": ""},
 "response": {"content": [{"type": "tool_use", "name": "go", "input": {}}], "stop_reason": "tool_use"}, "recordedAt": "t"}"#,
        );
        assert_eq!(describe_problems(&document.problems), "");
        assert_eq!((recording.version, recording.shape), (RecordingVersion::V1, AnswerShape::Flat));
        let answer = recording.answer.unwrap();
        assert_eq!(text(&answer.stop_reason), Some("tool_use"));
    }

    #[test]
    fn what_is_missing_or_of_a_wrong_type_is_reported_at_its_place() {
        let (recording, document) = recording_of(
            r#"{"request": {"requestId": 7, "messages": [{"role": "user"}, "x", {"content": 1}], "tools": [{}, {"name": null}]},
 "response": {"response": {"content": "plain"}},
 "signature": {"toolNames": ["a", 1], "messageCount": 1.5},
 "sourceMetadata": []}"#,
        );
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        1:27 wrong-type at "/request/requestId": `requestId` is a number; a string is expected
        1:43 missing-field at "/request/messages/0": `content` is missing
        1:61 wrong-type at "/request/messages/1": The element is a string; an object is expected
        1:66 missing-field at "/request/messages/2": `role` is missing
        1:78 wrong-type at "/request/messages/2/content": `content` is a number; a string or a list is expected
        1:93 missing-field at "/request/tools/0": `name` is missing
        1:106 missing-field at "/request/tools/1/name": `name` is null; a value is expected
        2:39 wrong-type at "/response/response/content": `content` is a string; a list is expected
        3:15 missing-field at "/signature": `contextKeys` is missing
        3:35 wrong-type at "/signature/toolNames/1": The element is a number; a string is expected
        3:55 wrong-type at "/signature/messageCount": `messageCount` is `1.5`; a whole number is expected
        4:20 wrong-type at "/sourceMetadata": `sourceMetadata` is a list; an object is expected
        "#);
        assert_eq!(recording.request.messages.len(), 2);
        assert_eq!(recording.answer.unwrap().blocks.len(), 1);
        assert_eq!(recording.signature.unwrap().value.tool_names, ["a"]);
    }

    #[test]
    fn one_side_alone_is_still_a_recording() {
        let (recording, document) = recording_of(r#"{"request": 5, "recordedAt": "t"}"#);
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        1:1 missing-field at "": `response` is missing
        1:13 wrong-type at "/request": `request` is a number; an object is expected
        "#);
        assert!(recording.answer.is_none());
        let (_, document) = recording_of(
            r#"{"request": {"messages": [], "tools": []}, "response": {"type": "llm_invocation_response"}}"#,
        );
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"1:56 missing-field at "/response": `response` is missing"#);
        let (_, document) =
            recording_of(r#"{"request": {"type": "llm_invocation_request", "messages": [{"ro"#);
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"1:65 syntax at "/request/messages/0": The file ends inside a string that starts at line 1"#);
    }
}
