//! The sessions of a project: in files of their own, or inside a configuration.

use std::sync::Arc;

use crate::format::FileKind;
use crate::text::Source;
use crate::workbench::items::Items;
use crate::workbench::library::{DocId, Library};

/// Identifies a session while its file is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId {
    /// Its document.
    pub doc: DocId,
    /// Its JSON Pointer: empty for a file of its own.
    pub pointer: Arc<str>,
}

impl SessionId {
    /// The session in a file of its own.
    pub fn file(doc: DocId) -> Self {
        Self {
            doc,
            pointer: "".into(),
        }
    }

    /// Whether it is inside a configuration.
    pub fn is_inline(&self) -> bool {
        !self.pointer.is_empty()
    }
}

/// A session in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Its id.
    pub id: SessionId,
    /// The session's `id`, else the name of its file.
    pub name: Arc<str>,
    /// Its location, such as `replays/refund-twice.yaml`.
    pub place: Arc<str>,
}

/// A request to list all sessions, with all inputs.
#[derive(Clone, Debug)]
pub struct ListSessions {
    /// The number that the response carries.
    pub key: u64,
    /// All items.
    pub items: Items,
    /// The texts of edited configurations.
    pub texts: Vec<(DocId, Source)>,
}

/// Requests with the same number are equal.
impl PartialEq for ListSessions {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl ListSessions {
    pub(super) fn new(library: &Library) -> Self {
        let is_config = |doc: DocId| {
            let item = library.get(doc);
            item.is_some_and(|item| item.kind == FileKind::Config)
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
