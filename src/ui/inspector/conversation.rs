//! The read-only conversation of a request that is not in the library.

use std::sync::Arc;

use egui::{Rect, Ui};

use super::content::{ConversationTurn, InspectorSection, SectionPart};
use super::data::{InspectorContent, InspectorData, Ready};
use super::prose::Prose;
use super::recording;
use super::sections_ui::{SectionsState, visible_ui};
use super::values::Values;
use crate::format::recording::Request;
use crate::format::{Document, FileKind};
use crate::ops::ItemStatus;
use crate::text::visible;
use crate::ui::code::CodeData;
use crate::workbench::{Action, DocId, Revision};

/// The messages of a request, ready to be shown.
#[derive(Clone, Debug)]
pub struct RequestConversation {
    data: InspectorData,
}

impl RequestConversation {
    /// Reads the messages of a request from its file. `path` identifies the file.
    pub fn new(path: &Arc<str>, document: &Arc<Document>, request: &Request) -> Self {
        let turns = recording::messages(document, request)
            .into_iter()
            .map(|turn| InspectorSection::Turn(read_only(turn)));
        let ready = Ready {
            sections: turns.collect(),
            chunks: Default::default(),
            code: CodeData::new(document, &[]),
            document: Arc::clone(document),
        };
        let data = InspectorData {
            id: DocId::new(0),
            revision: Revision::default(),
            unsaved: None,
            kind: FileKind::Request,
            call: None,
            label: String::new(),
            title: String::new(),
            worst_problem: None,
            path: Arc::clone(path),
            shown_path: visible(path).into_owned(),
            status: ItemStatus::Pending,
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
    actions: &mut Vec<Action>,
) {
    if let InspectorContent::Ready(ready) = &conversation.data.content {
        let shown = (&conversation.data, &**ready);
        visible_ui(ui, viewport, shown, state, actions);
    }
}

/// Texts up to this many bytes are not folded: who answers a request has no time to unfold them.
const FOLD_FROM: usize = 8 * 1024;

/// Removes the nodes from a turn, so that it has no edit buttons and no links.
pub(super) fn read_only(turn: ConversationTurn) -> ConversationTurn {
    let prose = |prose: Prose| Prose {
        node: None,
        folded: if prose.text.len() <= FOLD_FROM { prose.text.len() } else { prose.folded },
        ..prose
    };
    let values = |values: Values| Values { node: None, ..values };
    let parts = turn.parts.into_iter().map(|part| match part {
        SectionPart::Prose(text) => SectionPart::Prose(prose(text)),
        SectionPart::Json(text, taken_apart) => SectionPart::Json(prose(text), values(taken_apart)),
        SectionPart::Value(caption, value) => SectionPart::Value(caption, values(value)),
        SectionPart::Call(mut call) => {
            call.input = values(call.input);
            SectionPart::Call(call)
        }
        part @ (SectionPart::Data(_)
        | SectionPart::Remark(_)
        | SectionPart::Verdict(..)
        | SectionPart::Layers(_)
        | SectionPart::Events(_)) => part,
    });
    ConversationTurn {
        is_main: turn.is_main,
        right: String::new(),
        node: None,
        parts: parts.collect(),
        heading: turn.heading,
    }
}
