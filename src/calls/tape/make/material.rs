//! Detects what a new tape can be created from.

use super::{NewTape, TapePlan, from_recording, from_text};
use crate::tape::sse::{self, Capture, CaptureTiming};
use document::{Document, FileKind};

/// The material for a new tape.
#[derive(Clone, Debug)]
pub enum Material<'a> {
    /// A recording, whose answer is split and timed.
    Recording(&'a Document),
    /// A saved stream, with its own chunks.
    Stream(Box<Capture>),
    /// A plain text, split and timed.
    Text(&'a str),
}

impl<'a> Material<'a> {
    /// Detects the material in a document.
    ///
    /// # Errors
    ///
    /// Returns why no tape can be created from it, as a sentence without a full stop.
    pub fn detect(document: &'a Document, file_name: &str) -> Result<Self, String> {
        let text = document.source().text();
        match document.kind() {
            FileKind::Recording => Ok(Self::Recording(document)),
            FileKind::Tape => Err("The file is already a tape".to_owned()),
            // Gemini also streams one JSON list.
            _ if sse::is_capture(text) || text.trim_start().starts_with('[') => Self::stream(text),
            _ => match document.not_plain_text(file_name) {
                Some(kind) => Err(format!("It is {kind}, not a text")),
                None => Ok(Self::text(text)),
            },
        }
    }

    /// Parses a text as a saved stream.
    ///
    /// # Errors
    ///
    /// Returns why it is not valid, as a sentence without a full stop.
    pub fn stream(text: &str) -> Result<Self, String> {
        Ok(Self::Stream(Box::new(sse::read(text)?)))
    }

    /// Uses a text as the answer.
    pub fn text(text: &'a str) -> Self {
        // A byte order mark is of the file, not of the answer.
        Self::Text(text.trim_start_matches('\u{feff}'))
    }

    /// Describes it for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Recording(_) => "the answer of a recording".to_owned(),
            Self::Stream(capture) => format!("a saved stream of {}", capture.api.as_str()),
            Self::Text(_) => "a plain text".to_owned(),
        }
    }

    /// Returns the source of its timing.
    pub fn timing(&self) -> CaptureTiming {
        match self {
            Self::Stream(capture) => capture.timing,
            Self::Recording(_) | Self::Text(_) => CaptureTiming::Estimated,
        }
    }

    /// Returns the model that it names.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Stream(capture) => capture.model.as_deref(),
            Self::Recording(_) | Self::Text(_) => None,
        }
    }

    /// Creates the tape. `request` is the request as JSON, for material that does not contain it.
    ///
    /// # Errors
    ///
    /// Returns why it contains no answer, as a sentence without a full stop.
    pub fn tape(&self, plan: &TapePlan, request: Option<&str>) -> Result<NewTape, String> {
        match self {
            Self::Recording(document) => from_recording(document, plan),
            Self::Stream(capture) => Ok(capture.tape(plan, request)),
            Self::Text(text) => {
                let mut tape = from_text(text, plan);
                if let Some(request) = request {
                    request.clone_into(&mut tape.request);
                }
                Ok(tape)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    #[test]
    fn a_file_is_taken_for_what_it_holds() {
        let describe =
            |text: &str| match Material::detect(&read(Source::new(text), "a.txt"), "a.txt") {
                Ok(material) => format!("{}, timing {:?}", material.describe(), material.timing()),
                Err(reason) => reason,
            };
        let stream =
            "1.5 data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n1.9 data: [DONE]\n";
        insta::assert_snapshot!([
            describe(stream),
            describe("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n"),
            describe("Just words."),
            describe(r#"{"request": {"messages": [], "tools": []}, "response": {"content": "Hi"}}"#),
            describe(r#"{"meta": {"model": "m", "recordedAt": ""}, "request": {}, "stream": []}"#),
            describe("[1]"),
        ].join("\n"), @"
        a saved stream of OpenAI chat completions, timing SinceStart
        a saved stream of Gemini streamGenerateContent, timing Estimated
        a plain text, timing Estimated
        the answer of a recording, timing Estimated
        The file is already a tape
        No stream of Anthropic, OpenAI or Gemini was found in the text
        ");
    }
}
