//! Recognises sessions that already exist.

use std::collections::{HashMap, HashSet};

use super::SessionDraft;
use crate::session::NewSession;
use calls::source::sha256_hex;
use document::edit::JsonValue;
use document::session::Session;
use document::{Document, DocumentBody, text};

/// The existing sessions.
#[derive(Clone, Debug, Default)]
pub struct KnownSessions {
    ids: HashMap<String, String>,
    contents: HashMap<String, String>,
}

/// Kind of duplicate of an existing session, with the place of that session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Duplicate {
    /// A session has the same input and the same tool responses.
    Content(String),
    /// A session has the same id, and differs.
    Id(String),
}

impl Duplicate {
    /// Returns the place of the existing session.
    pub fn place(&self) -> &str {
        match self {
            Self::Content(place) | Self::Id(place) => place,
        }
    }
}

impl KnownSessions {
    /// Takes note of the sessions of a document, if it is a session or a configuration with some in it.
    pub fn add_all(&mut self, document: &Document, path: &str) {
        match &document.body {
            DocumentBody::Session(session) => self.add(document, session, path),
            DocumentBody::Config(config) => {
                // Sessions in files of their own are added with those files.
                let inline = config.sessions.iter().filter(|session| session.file.is_none());
                inline.for_each(|session| self.add(document, session, path));
            }
            _ => {}
        }
    }

    /// Adds a session of a document; `place` is reported if it is found again.
    pub fn add(&mut self, document: &Document, session: &Session, place: &str) {
        if let Some(id) = text(&session.id) {
            self.ids.entry(id.to_owned()).or_insert_with(|| place.to_owned());
        }
        let Some(input) = text(&session.input) else { return };
        let responses = session.tool_responses.iter().map(|response| {
            let answer = response.response.map(|(n, _)| JsonValue::from_node(document.node(n)));
            let tool = text(&response.tool).unwrap_or_default().to_owned();
            (tool, answer.unwrap_or_else(JsonValue::null))
        });
        self.contents.entry(digest(input, responses)).or_insert_with(|| place.to_owned());
    }

    /// Finds the existing session that a session duplicates.
    pub fn find(&self, session: &NewSession) -> Option<Duplicate> {
        let responses = session.tool_responses.iter().map(|r| (r.tool.clone(), r.response.clone()));
        let same = self.contents.get(&digest(&session.input, responses));
        let id = || self.ids.get(&session.id);
        same.map(|place| Duplicate::Content(place.clone()))
            .or_else(|| id().map(|place| Duplicate::Id(place.clone())))
    }
}

/// Returns a digest of a session's input and tool responses, independent of spelling.
fn digest(input: &str, responses: impl Iterator<Item = (String, JsonValue)>) -> String {
    // A block in YAML may end with a line end that was not meant.
    let mut all = input.trim_end().to_owned();
    for (tool, response) in responses {
        // Parsed, so that spaces and escapes make no difference.
        let plain: serde_json::Value = serde_json::from_str(response.json()).unwrap_or_default();
        all.push_str(&format!("\0{tool}\0{plain}"));
    }
    sha256_hex(all.as_bytes()).into_string()
}

/// Gives drafts that would have the same id different ones, the same at each import: the second ends in `-2`.
pub fn make_ids_unique(drafts: &mut [SessionDraft]) {
    let mut ids: HashSet<String> = HashSet::new();
    for draft in drafts {
        let id = draft.session.id.clone();
        let mut number = 1;
        while !ids.insert(draft.session.id.clone()) {
            number += 1;
            draft.session.id = format!("{id}-{number}");
        }
    }
}
