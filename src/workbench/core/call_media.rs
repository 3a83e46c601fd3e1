//! The pictures and sounds of the call that is shown.

use std::sync::Arc;

use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::latest::Latest;
use crate::core::library::OpenDocument;
use calls::media::{Medium, media_of_call};
use document::text::quoted;
use document::{FileKind, NodeId};
use protocol::{Compute, DocId, EngineEvent, Lane, MediaKey};

/// The pictures and sounds of the call that was shown last.
#[derive(Debug, Default)]
pub struct ShownMedia {
    decoded: Latest<MediaKey, Arc<[Medium]>>,
}

impl ShownMedia {
    /// Returns those of a file, with the key of the call that they are of.
    pub fn of(&self, doc: DocId) -> Option<(MediaKey, &Arc<[Medium]>)> {
        let key = self.decoded.key.filter(|key| key.doc == doc)?;
        Some((key, self.decoded.value.as_ref()?))
    }
}

impl Core {
    /// Requests the media of the selected call once its file was read and is shown. Files are searched off the frame: they may be large.
    pub(crate) fn sync_media(&mut self) {
        let Some(doc) = self.list.selected.filter(|_| self.inspector.is_shown()) else { return };
        let Some(OpenDocument::Ready(document, revision)) = self.library.opened(doc) else {
            return;
        };
        let Some(item) = self.library.get(doc) else { return };
        let call = match item.kind {
            FileKind::Recording | FileKind::Request => None,
            _ if item.calls.is_empty() => return,
            _ => Some(self.list.selected_call.unwrap_or_else(|| item.main_call())),
        };
        let node = match call {
            Some(call) => item.calls.get(call).map(|row| row.node),
            None => Some(NodeId::ROOT),
        };
        let Some(node) = node else { return };
        let key = MediaKey { generation: self.generation, doc, revision: *revision, call };
        let work = format!("decoding the pictures of {}", quoted(&item.root_path));
        let document = Arc::clone(document);
        if self.media.decoded.want(&key) {
            self.request(Effect::run(Compute::new(Lane::Newest("media"), work, move || {
                EngineEvent::MediaDecoded(key, media_of_call(&document, node).into())
            })));
        }
    }

    pub(crate) fn on_media_decoded(&mut self, key: MediaKey, media: Arc<[Medium]>) {
        if self.media.decoded.accept(&key) {
            self.media.decoded.value = Some(media);
        }
    }
}
