//! Creates tapes from a recording's answer, from plain text, or from a saved stream.

mod call;
mod material;
mod recording;
mod request;
mod text_split;
mod write;

use document::json::{javascript_number, quote};
use document::tape::RequestShape;

pub use call::from_call;
pub use material::Material;
pub use recording::from_recording;
pub use text_split::TextSplit;

/// A new tape. [`Self::json`] returns the text of its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewTape {
    /// Facts of the call, as far as they are known.
    pub meta: TapeMeta,
    /// The request as JSON. If empty, an object with only the model is written.
    pub request: String,
    /// The chunks in order.
    pub chunks: Vec<NewChunk>,
    /// The answer as it was received.
    pub received: Option<String>,
    /// Notes for the user on what was left out or guessed: sentences without a full stop.
    pub notes: Vec<String>,
}

/// The `meta` object of a new tape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TapeMeta {
    /// Its name, if it has one.
    pub label: Option<String>,
    /// The model (required).
    pub model: String,
    /// When it was recorded, in ISO 8601 (required).
    pub recorded_at: String,
    /// The API or SDK.
    pub sdk: Option<String>,
    /// Comment for people.
    pub comment: Option<String>,
}

/// A chunk of a new tape.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChunk {
    /// In nanoseconds, 0 or more.
    pub delay_nanos: f64,
    /// The text as a JSON string, which can contain half a character.
    pub text: String,
}

/// Options for creating a tape: values the source does not have, and how its text is split and timed.
#[derive(Clone, Debug, PartialEq)]
pub struct TapePlan {
    /// The model, if the source does not name it.
    pub model: Option<String>,
    /// When it was recorded, if the source does not contain it; ISO 8601.
    pub recorded_at: String,
    /// The tape's name.
    pub label: Option<String>,
    /// Split of the text into chunks.
    pub split: TextSplit,
    /// Timing of the chunks.
    pub timing: PieceTiming,
    /// The shape of a generated request. [`RequestShape::Other`] is treated like [`RequestShape::Contents`].
    pub shape: RequestShape,
}

/// Timing of the chunks of a text, if it was not measured. Shapes ([`TapeEdit::Shape`](super::edits::TapeEdit::Shape)) can be
/// applied later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceTiming {
    /// Delay of the first chunk, in nanoseconds.
    pub first_nanos: f64,
    /// Number of characters that arrive in a second after it: the delay of each other chunk follows from its length.
    pub chars_per_second: f64,
}

impl Default for PieceTiming {
    /// Half a second to the first chunk, then 250 characters a second, which is common for hosted models.
    fn default() -> Self {
        Self { first_nanos: 500e6, chars_per_second: 250.0 }
    }
}

impl PieceTiming {
    /// Returns the delay of the chunk with this index and number of characters, in nanoseconds.
    pub fn delay_nanos(&self, index: usize, chars: usize) -> f64 {
        if index == 0 {
            return self.first_nanos;
        }
        (chars as f64 / self.chars_per_second * super::timing::SECOND).round()
    }
}

impl NewChunk {
    /// Creates a chunk with this text.
    pub fn new(delay_nanos: f64, text: &str) -> Self {
        Self { delay_nanos, text: quote(text) }
    }
}

impl NewTape {
    /// Returns the text of the file, formatted like `JSON.stringify(tape, null, 2)`, with a line feed at the end.
    pub fn json(&self) -> String {
        write::json(self)
    }
}

/// Name for an unknown model.
const UNKNOWN_MODEL: &str = "unknown";

/// Creates a tape whose answer is this text.
pub fn from_text(text: &str, plan: &TapePlan) -> NewTape {
    let meta = plan.meta(None);
    let mut tape =
        NewTape { request: plan.request(&meta.model, None, None), meta, ..NewTape::default() };
    tape.push_text(text, plan);
    tape.notes.push(plan.timing_note());
    tape
}

impl TapePlan {
    pub(super) fn meta(&self, recorded_at: Option<String>) -> TapeMeta {
        TapeMeta {
            label: self.label.clone(),
            // The format requires a model.
            model: self.model.clone().unwrap_or_else(|| UNKNOWN_MODEL.to_owned()),
            recorded_at: recorded_at.unwrap_or_else(|| self.recorded_at.clone()),
            sdk: None,
            // In the file, so that an estimate is not taken for a measurement later.
            comment: Some(format!("{}.", self.timing_note())),
        }
    }

    /// Returns the note that the timing is estimated, and how.
    pub(super) fn timing_note(&self) -> String {
        let rate = self.timing.chars_per_second;
        let noun = if rate == 1.0 { "character" } else { "characters" };
        let rate = format!("{} {noun} a second", javascript_number(rate));
        let first = super::timing::format_duration(self.timing.first_nanos);
        format!("The timing is estimated: {first} to the first chunk, then {rate}")
    }
}

impl NewTape {
    /// Adds a text, split and timed.
    fn push_text(&mut self, text: &str, plan: &TapePlan) {
        for piece in plan.split.split(text) {
            self.push_whole(piece, plan);
        }
    }

    /// Adds one chunk, timed.
    fn push_whole(&mut self, text: &str, plan: &TapePlan) {
        let delay = plan.timing.delay_nanos(self.chunks.len(), text.chars().count());
        self.chunks.push(NewChunk::new(delay, text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;
    use document::{DocumentBody, read};

    fn plan() -> TapePlan {
        TapePlan {
            model: Some("m".to_owned()),
            recorded_at: "2026-03-09T11:02:17Z".to_owned(),
            label: Some("turn".to_owned()),
            split: TextSplit::Sentences,
            timing: PieceTiming::default(),
            shape: RequestShape::History,
        }
    }

    #[test]
    fn a_recording_becomes_the_tape_of_its_answer() {
        let recording = r#"{"request": {"messages": [{"role": "user", "content": "When?"}], "tools": [], "systemPrompt": "Be kind."},
            "response": {"response": {"content": [{"type": "text", "text": "Soon. On Tuesday."}, {"type": "tool_use", "id": "t", "name": "go", "input": {"day": 2}}, {"type": "image"}]}}, "recordedAt": "2025-12-05T19:07:42Z"}"#;
        let recording = read(Source::new(recording), "turn.json");
        let tape = from_recording(&recording, &plan()).unwrap();
        insta::assert_snapshot!(tape.notes.join("\n"), @"
        The timing is estimated: 500 ms to the first chunk, then 250 characters a second
        1 of 3 blocks are neither text nor tool calls and were left out
        ");
        insta::assert_snapshot!(tape.json(), @r#"
        {
          "meta": {
            "label": "turn",
            "model": "m",
            "recordedAt": "2025-12-05T19:07:42Z",
            "comment": "The timing is estimated: 500 ms to the first chunk, then 250 characters a second."
          },
          "request": {
            "model": "m",
            "systemPrompt": "Be kind.",
            "history": [
              {
                "role": "user",
                "content": "When?"
              }
            ]
          },
          "stream": [
            {
              "delayNs": 500000000,
              "text": "Soon. "
            },
            {
              "delayNs": 44000000,
              "text": "On Tuesday."
            },
            {
              "delayNs": 236000000,
              "text": "\n{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"go\",\"input\":{\"day\":2}}"
            }
          ]
        }
        "#);
    }

    #[test]
    fn what_holds_no_answer_makes_no_tape() {
        let error =
            |text: &str| from_recording(&read(Source::new(text), "a.json"), &plan()).unwrap_err();
        assert_eq!(error("{}"), "The file is not a recording");
        assert_eq!(
            error(r#"{"request": {"messages": [], "tools": []}, "response": {"content": []}}"#),
            "The recording has no answer"
        );
    }

    #[test]
    fn a_text_becomes_a_tape_that_is_read_again_as_that_text() {
        let text = "It \u{1F600}\u{7f} goes.\n\"On\" Tuesday?";
        let tape = from_text(text, &TapePlan { split: TextSplit::Tokens, ..plan() });
        let document = read(Source::new(tape.json()), "tape.json");
        assert_eq!(document.problems, []);
        let DocumentBody::Tape(read) = &document.body else { panic!("{}", tape.json()) };
        assert_eq!(read.joined(), text);
        let empty = NewTape { meta: tape.meta, ..NewTape::default() };
        assert_eq!(document::read(Source::new(empty.json()), "tape.json").problems, []);
    }
}
