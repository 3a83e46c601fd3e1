//! The sessions of a project: in files of their own, or inside a configuration.

use std::sync::Arc;

use crate::text::Source;
use crate::workbench::requests::{ContractEvent, DocId, Items};

/// An event of the sessions desk.
#[derive(Clone, Debug)]
pub enum SessionsEvent {
    /// All sessions, as requested with this number.
    Listed(u64, Result<Arc<[ListedSession]>, String>),
    /// An event of the contract column.
    Contract(ContractEvent),
}

/// Identifies a session while its file is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId {
    pub doc: DocId,
    /// Its JSON Pointer: empty for a file of its own.
    pub pointer: Arc<str>,
}

impl SessionId {
    /// The session in a file of its own.
    pub fn file(doc: DocId) -> Self {
        Self { doc, pointer: "".into() }
    }

    /// Whether it is inside a configuration.
    pub fn is_inline(&self) -> bool {
        !self.pointer.is_empty()
    }
}

/// A session in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    pub id: SessionId,
    /// The session's `id`, else the name of its file.
    pub name: Arc<str>,
    /// Its location, such as `replays/refund-twice.yaml`.
    pub place: Arc<str>,
}

/// A request to list all sessions.
#[derive(Debug)]
pub struct ListSessions {
    /// The number that the response carries.
    pub key: u64,
    pub items: Items,
    /// The texts of edited configurations.
    pub texts: Vec<(DocId, Source)>,
}
