//! The file made from a draft, on another thread.

use std::sync::Arc;

use super::ImportDesk;
use crate::core::Core;
use crate::core::effect::Effect;
use crate::core::navigation::DeskView;
use author::import::{DraftSecret, Incident, file_name};
use author::session::SessionFormat;
use document::text::{Source, quoted};
use protocol::{Compute, DraftPreview, EngineEvent, ImportEvent, Lane};

/// Inputs of the preview of a draft.
struct DraftInput {
    /// The key of the response: the revision of the decisions, and the position of the draft.
    key: (u64, usize),
    incident: Arc<Incident>,
    /// The secrets with their decisions.
    secrets: Vec<DraftSecret>,
    /// The pattern of the file name.
    pattern: String,
}

/// Makes the file, or returns why it cannot be written, as a sentence without a full stop.
fn make_preview(input: &DraftInput) -> Result<Arc<DraftPreview>, String> {
    let draft = input.key.1;
    // The draft is one of this incident, so it has a session.
    let session = input.incident.session(draft, &input.secrets).unwrap_or_default();
    let name = file_name(&input.pattern, &session, draft + 1);
    let form = if name.ends_with(".json") { SessionFormat::Json } else { SessionFormat::Yaml };
    let text = input.incident.text(draft, &input.secrets, form)?;
    Ok(Arc::new(DraftPreview {
        document: Arc::new(document::read(Source::new(text), &name)),
        name,
    }))
}

impl ImportDesk {
    /// Reason the file of the selected draft cannot be shown.
    pub fn preview_failure(&self) -> Option<&str> {
        self.preview.value.as_ref()?.as_ref().err().map(String::as_str)
    }

    /// Requests the file of the selected draft if it is out of date.
    pub(super) fn request_preview(&mut self, core: &mut Core) {
        let key = (self.decisions_revision, self.selected);
        let is_shown = core.here().view == DeskView::Import;
        if !is_shown || self.incident.drafts.is_empty() || !self.preview.want(&key) {
            return;
        }
        core.request(Effect::run(Compute::answering(
            Lane::Newest("draft"),
            format!("making a draft of {}", quoted(&self.incident.name)),
            DraftInput {
                key,
                incident: Arc::clone(&self.incident),
                secrets: self.secrets.clone(),
                pattern: self.to.pattern.clone(),
            },
            make_preview,
            |input, preview| EngineEvent::Import(ImportEvent::Previewed(input.key, preview)),
        )));
    }
}
