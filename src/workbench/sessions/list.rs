//! The sessions of a project: those in files of their own, and those that stand in a configuration.

use std::sync::Arc;

use crate::format::Kind;
use crate::text::Source;
use crate::workbench::items::Items;
use crate::workbench::library::{DocId, Library};

/// Names a session for as long as its file stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId {
    /// Its document.
    pub doc: DocId,
    /// Where it stands in it, as a JSON Pointer: empty for a file of its own.
    pub pointer: Arc<str>,
}

impl SessionId {
    /// The session that a file holds.
    pub fn file(doc: DocId) -> Self {
        Self {
            doc,
            pointer: "".into(),
        }
    }

    /// Whether it stands in a configuration, among others.
    pub fn is_inline(&self) -> bool {
        !self.pointer.is_empty()
    }
}

/// A session in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Which.
    pub id: SessionId,
    /// Its id, else the name of its file.
    pub name: Arc<str>,
    /// Where it stands, such as `replays/refund-twice.yaml`.
    pub place: Arc<str>,
}

/// Sessions that are wanted, with all they are read from.
#[derive(Clone, Debug)]
pub struct ListSessions {
    /// Names the answer.
    pub key: u64,
    /// All items.
    pub items: Items,
    /// The texts of those configurations that were edited.
    pub texts: Vec<(DocId, Source)>,
}

/// Requests of the same name are the same.
impl PartialEq for ListSessions {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl ListSessions {
    pub(super) fn of(library: &Library) -> Self {
        let is_config = |doc: DocId| {
            let item = library.get(doc);
            item.is_some_and(|item| item.kind == Kind::Config)
        };
        let edited = library.copies().filter(|(doc, _)| is_config(*doc));
        Self {
            key: library.items_revision(),
            items: library.items().clone(),
            texts: edited
                .map(|(doc, copy)| (doc, copy.text().clone()))
                .collect(),
        }
    }
}
