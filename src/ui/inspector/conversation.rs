//! The read-only conversation of a request that is not in the library.

use std::sync::Arc;

use egui::{Rect, Ui};

use super::content::{FoldKind, Section};
use super::inspector_data::{InspectorContent, InspectorData, Ready};
use super::recording;
use super::sections_ui::{SectionsState, visible_ui};
use calls::ItemStatus;
use document::text::visible;
use document::{Document, FileKind};
use protocol::{DocId, Revision};
use widgets::code::CodeData;
use workbench::Actions;

/// The messages of a request, ready to be shown.
#[derive(Clone, Debug)]
pub struct RequestConversation {
    data: InspectorData,
}

impl RequestConversation {
    /// Reads the prompt and the messages of a request from its file. `path` identifies the file.
    pub fn new(path: &Arc<str>, document: &Arc<Document>) -> Self {
        let sections = recording::conversation(document).into_iter();
        let read_only = |section| match section {
            Section::Turn(turn) => Some(Section::Turn(turn.read_only())),
            Section::Prompt(mut card) => {
                card.turn = card.turn.read_only();
                Some(Section::Prompt(card))
            }
            // The tools are the choices of the answer.
            Section::Fold(fold) if fold.kind == FoldKind::Tools => None,
            section @ Section::Fold(_) => Some(section),
            _ => None,
        };
        let ready = Ready {
            sections: sections.filter_map(read_only).collect(),
            chunks: Default::default(),
            code: CodeData::new(document, &[]),
            document: Arc::clone(document),
        };
        let data = InspectorData {
            // The request is not in the library; a read-only conversation requests nothing for this id.
            id: DocId::new(0),
            revision: Revision::default(),
            unsaved: None,
            kind: FileKind::Request,
            call: None,
            label: String::new(),
            title: Default::default(),
            strip: Default::default(),
            path: Arc::clone(path),
            shown_path: visible(path).into_owned(),
            status: ItemStatus::Pending,
            foot: None,
            problems: Vec::new(),
            worst: None,
            content: InspectorContent::Ready(Box::new(ready)),
        };
        Self { data }
    }
}

/// Allocates space for all messages and paints those within `viewport`, which is relative to the first one.
pub fn conversation_ui(
    ui: &mut Ui,
    viewport: Rect,
    conversation: &RequestConversation,
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    if let InspectorContent::Ready(ready) = &conversation.data.content {
        visible_ui(ui, viewport, (&conversation.data, &**ready), state, actions);
    }
}
