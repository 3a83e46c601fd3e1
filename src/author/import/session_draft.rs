//! A session to be imported, with the origin of each of its fields.

use std::sync::Arc;

use crate::redact::{redact_text, remaining_place};
use crate::session::{Acceptance, NewSession, NewToolResponse, ResponseFix, acceptance};
use calls::secret::Redaction;
use calls::source::sha256_hex;
use document::edit::JsonValue;
use document::text::Place;
use document::{Node, NodeKind};

/// A session that is yet to be looked at and written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionDraft {
    /// The session that will be written.
    pub session: NewSession,
    /// Origins of fields, by their JSON Pointer in the session.
    pub origins: Vec<(String, FieldOrigin)>,
    /// The agent's answer then, on which the contract can be tried at once.
    pub answer: Option<AgentAnswer>,
    /// Notes on parts that did not fit, a sentence each without a full stop.
    pub notes: Vec<String>,
}

/// Origin of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldOrigin {
    /// It was read.
    Read {
        /// The file, as people know it.
        file: Arc<str>,
        /// The value's JSON Pointer there.
        pointer: String,
        /// Its place there.
        place: Place,
    },
    /// It was generated, as described by the text.
    Generated(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentAnswer {
    /// The words.
    pub text: String,
    /// Milliseconds until it was there, if known.
    pub latency_ms: Option<f64>,
}

impl SessionDraft {
    /// Notes that a field is as it was read.
    pub(super) fn mark_read(&mut self, pointer: impl Into<String>, file: &str, node: Node<'_>) {
        let origin = FieldOrigin::Read {
            file: file.into(),
            pointer: node.bounded_pointer(),
            place: node.place(),
        };
        self.set_origin(pointer.into(), origin);
    }

    /// Notes of all fields that were read only where they are from.
    pub(super) fn forget_places(&mut self, from: &'static str) {
        for (_, origin) in &mut self.origins {
            if matches!(origin, FieldOrigin::Read { .. }) {
                *origin = FieldOrigin::Generated(from);
            }
        }
    }

    /// Notes how a field was made.
    pub(super) fn mark_generated(&mut self, pointer: impl Into<String>, how: &'static str) {
        self.set_origin(pointer.into(), FieldOrigin::Generated(how));
    }

    pub(super) fn set_source(&mut self, source: &str, how: &'static str) {
        self.session.source = Some(source.to_owned());
        self.mark_generated("/source", how);
    }

    fn set_origin(&mut self, pointer: String, origin: FieldOrigin) {
        self.origins.retain(|(origin, _)| *origin != pointer);
        self.origins.push((pointer, origin));
    }

    /// Returns where a field came from: its own origin, or that of what it is a part of.
    pub fn origin(&self, pointer: &str) -> Option<&FieldOrigin> {
        match (self.origins.iter().find(|(o, _)| o == pointer), pointer.rsplit_once('/')) {
            (Some((_, origin)), _) => Some(origin),
            (None, Some((around, _))) if !around.is_empty() => self.origin(around),
            (None, _) => None,
        }
    }

    /// Gives the draft an id that is the same whenever the same is imported: a word and a digest of what makes it up.
    pub(super) fn identify(&mut self, word: &str, parts: &[&str]) {
        let digest = sha256_hex(parts.join("\0").as_bytes());
        // 48 bits are enough for the sessions of one project, and short in the name of a file.
        self.session.id = format!("{word}-{}", &digest[..12]);
        self.mark_generated("/id", "A digest of the imported content, the same at each import");
    }

    /// Takes a tool's answer. One that the owner would not accept is put into an object, and noted.
    pub(super) fn push_response(&mut self, tool: &str, answer: JsonValue) -> &mut NewToolResponse {
        let fixed_response = match acceptance(answer.root().kind()) {
            Acceptance::Accepted => answer,
            Acceptance::Refused(kind) => {
                let number = self.session.tool_responses.len() + 1;
                self.notes.push(format!(
                    "Tool response {number} is {kind}, which sessions do not support, so it is put into an object under `result`"
                ));
                ResponseFix::Wrapped.apply(&answer)
            }
        };
        let at = self.session.tool_responses.len();
        self.session.tool_responses.push(NewToolResponse {
            tool: tool.to_owned(),
            response: fixed_response,
            status: None,
            latency_ms: None,
            comment: None,
        });
        &mut self.session.tool_responses[at]
    }

    /// Returns why the owner would refuse the session, if it would; as a sentence without a full stop.
    pub fn fault(&self) -> Option<&'static str> {
        match &self.session {
            NewSession { input, .. } if input.is_empty() => {
                Some("The input is empty, but sessions require one")
            }
            NewSession { id, .. } if id.is_empty() => {
                Some("The id is empty, but sessions require one")
            }
            _ => None,
        }
    }

    /// Takes the secrets out of every field alike.
    ///
    /// # Errors
    ///
    /// The place of one that remains, in a sentence without a full stop; the session must not be written then.
    pub fn redact(&mut self, redaction: &Redaction) -> Result<(), String> {
        let find = redaction.finder()?;
        let session = &mut self.session;
        let redact = |text: &str| redact_text(text, &find);
        let texts = [Some(&mut session.id), Some(&mut session.input)].into_iter().flatten();
        let optional = [&mut session.name, &mut session.captured_at, &mut session.expected_failure];
        for text in texts.chain(optional.into_iter().flatten()) {
            *text = redact(text);
        }
        for turn in &mut session.context {
            *turn = turn.with_texts(&redact);
        }
        for response in &mut session.tool_responses {
            response.tool = redact(&response.tool);
            response.response = response.response.with_texts(&redact);
            response.comment = response.comment.as_deref().map(redact);
        }
        match remaining_place(session.value_with_comments().tree(), &find) {
            None => Ok(()),
            Some(place) => Err(format!(
                "A value that has to be replaced remains at {place}, where it cannot be replaced; change it in the source, or keep it"
            )),
        }
    }
}

/// Returns what belongs to an incident and has no field of its own: an object for `context`.
pub(super) fn provenance(kind: &str, members: &[(&str, Option<JsonValue>)]) -> JsonValue {
    let mut object = vec![("provenance", JsonValue::text(kind))];
    object.extend(members.iter().filter_map(|(key, value)| Some((*key, value.clone()?))));
    JsonValue::object(&object)
}

/// Returns a field's value, unless it is missing or null.
pub(super) fn value_of(node: Node<'_>, key: &str) -> Option<JsonValue> {
    Some(JsonValue::from_node(node.get(key).filter(|field| field.kind() != NodeKind::Null)?))
}
