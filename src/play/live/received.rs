//! An answer as it was received: with all that chunks and recordings have no word for.

use crate::live::record::{ResponseHead, StreamRecorder};
use calls::api::{AnswerStop, Api, BlockContent, ModelAnswer, ResponseForm, Route};
use document::tape::{self, Tape};
use document::text::Source;
use document::{Document, json, text};

/// An answer as it was received, to be sent again to a client of the same API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedAnswer {
    api: Api,
    form: ResponseForm,
    /// The text in order, one part for each fragment of the answer.
    parts: Vec<String>,
}

impl ReceivedAnswer {
    /// Reads the one that is kept on a tape. `None` if there is none, or if it is not that of the tape's chunks, which then were
    /// edited.
    pub fn from_tape(document: &Document, tape: &Tape) -> Option<Self> {
        let received = tape::received(document)?.as_str()?;
        let chunks: Vec<&str> = tape.chunks.iter().map(|chunk| &*chunk.text).collect();
        Self::of_chunks(Api::from_name(text(&tape.sdk)?)?, received, &chunks)
    }

    /// Splits a text by the chunks that a recorder makes of it; `None` if it makes others. Events without a chunk of their own come
    /// with the next one.
    pub(super) fn of_chunks(api: Api, received: &str, chunks: &[&str]) -> Option<Self> {
        // Not stored on the tape: the first character shows the form.
        let form = form_of(received);
        let route = Route { form, ..Route::new(api) };
        let content_type = form.content_type().split(';').next().unwrap_or_default();
        let head = ResponseHead {
            // Answers of refused calls are not kept as received.
            status: 200,
            content_type: content_type.to_owned(),
            encoding: String::new(),
        };
        let mut recorder = StreamRecorder::new(Some(&route), head);
        let (mut parts, mut pending): (Vec<String>, _) = (Vec::new(), String::new());
        for line in received.split_inclusive('\n') {
            pending.push_str(line);
            let count = recorder.push_bytes(line.as_bytes(), 0);
            // Fragments before the API was known do not count any more, so their text joins the next one.
            if count < parts.len() {
                pending.insert_str(0, &parts.drain(..).collect::<String>());
            }
            if let Some(new) = count.checked_sub(parts.len()).filter(|new| *new > 0) {
                parts.push(std::mem::take(&mut pending));
                // One event can complete several fragments; the first of them takes its text.
                parts.extend(std::iter::repeat_n(String::new(), new - 1));
            }
        }
        let (stream, _) = recorder.finish();
        let texts = stream.pieces.iter().map(|(_, piece)| {
            let (tree, _) = json::parse(&Source::new(piece.as_str()));
            tree.root().and_then(|piece| piece.as_str()).unwrap_or_default().to_owned()
        });
        // Where a secret is cut by chunks, its replacement may be cut elsewhere than in the events.
        let is_same = stream.api.is_none_or(|stream_api| stream_api == api)
            && stream.pieces.len() == chunks.len()
            && texts.collect::<String>() == chunks.concat();
        parts.resize(chunks.len().max(1), String::new());
        parts.last_mut()?.push_str(&pending);
        is_same.then_some(Self { api, form, parts })
    }

    /// Wraps one that is sent at one time.
    pub fn whole(api: Api, received: String) -> Self {
        Self { api, form: form_of(&received), parts: vec![received] }
    }

    /// Returns whether it is an answer to a call of this API in this form.
    pub fn is_for(&self, api: Api, form: ResponseForm) -> bool {
        (self.api, self.form) == (api, form)
    }

    /// Returns why it ends, if that is known, and the number of its blocks that are neither texts nor calls for the client.
    pub(super) fn outline(&self) -> Option<(Option<AnswerStop>, usize)> {
        let outline = |answer: &ModelAnswer<'_>| {
            let is_written = |content: &BlockContent<'_>| {
                matches!(content, BlockContent::Text(_) | BlockContent::ToolUse(_))
            };
            (answer.stop, answer.blocks.iter().filter(|block| !is_written(&block.content)).count())
        };
        let text = self.text();
        if self.form != ResponseForm::Whole {
            return ModelAnswer::from_stream(&text).as_ref().map(outline);
        }
        let (tree, _) = json::parse(&Source::new(text));
        self.api.read_answer(tree.root()?).as_ref().map(outline)
    }

    /// Returns what is sent with a fragment.
    pub fn part(&self, index: usize) -> Option<&str> {
        self.parts.get(index).map(String::as_str)
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        self.parts.concat()
    }
}

fn form_of(received: &str) -> ResponseForm {
    match received.trim_start().as_bytes().first() {
        Some(b'{') => ResponseForm::Whole,
        Some(b'[') => ResponseForm::List,
        _ => ResponseForm::Events,
    }
}
