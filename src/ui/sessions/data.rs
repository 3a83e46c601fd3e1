//! What the sessions desk shows, read from the workbench.

use std::sync::Arc;

use crate::format::Document;
use crate::format::session::Session;
use crate::ops::Item;
use crate::ops::session::session_at;
use crate::ui::code::CodeData;
use crate::ui::editor::EditorData;
use crate::workbench::{Revision, SessionId, SessionShown, Workbench};

/// What is shown of the selected session. Built anew when its text, its reading or its row changes.
#[derive(Default)]
pub(super) struct SessionData {
    key: Option<(SessionId, u64)>,
    item: Option<Arc<Item>>,
    document: Option<Arc<Document>>,
    /// Names the text that was read.
    revision: Revision,
    text: Option<EditorData>,
}

impl SessionData {
    /// Follows the workbench.
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let library = workbench.library();
        let desk = workbench.sessions_desk();
        let key = desk
            .selected()
            .map(|id| (id.clone(), library.documents_revision()));
        let item = desk.selected().and_then(|id| library.share(id.doc));
        let same_item = match (&item, &self.item) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            (now, before) => now.is_none() == before.is_none(),
        };
        if self.key == key && same_item {
            return;
        }
        let SessionShown::Ready(document, revision) = workbench.session_shown() else {
            *self = Self::default();
            return;
        };
        self.text = desk.selected().zip(item.as_ref()).and_then(|(id, item)| {
            let code = CodeData::new(&document, &item.problems);
            let text = library.text(id.doc)?;
            let before = self.text.take();
            Some(EditorData::new(
                id.doc,
                item.file_name(),
                text,
                code,
                before.as_ref(),
            ))
        });
        self.key = key;
        self.item = item;
        self.document = Some(document);
        self.revision = revision;
    }

    /// Which session it is.
    pub(super) fn id(&self) -> Option<&SessionId> {
        self.key.as_ref().map(|(id, _)| id)
    }

    /// The row of its file.
    pub(super) fn item(&self) -> Option<&Item> {
        self.item.as_deref()
    }

    /// Its document.
    pub(super) fn document(&self) -> Option<&Arc<Document>> {
        self.document.as_ref()
    }

    /// The session; `None` where the text is no session any more.
    pub(super) fn session(&self) -> Option<&Session> {
        session_at(self.document()?, &self.id()?.pointer)
    }

    /// Names the text that was read.
    pub(super) fn revision(&self) -> Revision {
        self.revision
    }

    /// Its text.
    pub(super) fn text(&self) -> Option<&EditorData> {
        self.text.as_ref()
    }
}
