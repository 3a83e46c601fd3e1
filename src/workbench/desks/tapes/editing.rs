//! Edits of the selected tape: previewed while a form is open, then applied.

use std::sync::Arc;

use super::{EditPreview, TapesDesk};
use crate::core::Core;
use crate::core::effect::Effect;
use calls::tape::edits::{self, TapeEdit};
use calls::tape::prepared_tape::TapeTiming;
use check::change::Change;
use document::text::{Source, quoted};
use document::{Document, DocumentBody, Severity};
use protocol::{Compute, EngineEvent, Lane, TapesEvent};

impl TapesDesk {
    /// Requests the bytes that an edit replaces.
    pub(super) fn edit_tape(&mut self, core: &mut Core, edit: TapeEdit) {
        let (Some(doc), Some(base)) = (self.selected, self.revision()) else { return };
        if core.begin_edit(doc, base) {
            core.request(core.plan_change(doc, Change::Tape(edit)));
        }
    }

    pub(super) fn apply_form(&mut self, core: &mut Core) {
        match self.form_edit() {
            Some(Ok(edit)) => {
                self.form = None;
                self.edit_tape(core, edit);
            }
            Some(Err(reason)) => core.refuse(Severity::Warning, format!("{reason}.")),
            None => {}
        }
    }

    /// Previews the edit of the form or of a drag. Only one preview runs at a time; the latest edit is previewed next.
    pub(super) fn preview_edit(&mut self, core: &Core) -> Option<Effect> {
        let Some(edit) = self.edit_to_preview() else {
            // Until the tape is prepared again, an edit that is being applied is shown as it was previewed.
            if self.selected.is_none_or(|doc| self.is_idle(core, doc)) {
                self.preview = None;
            }
            return None;
        };
        let (doc, revision) = (self.selected?, self.revision()?);
        let is_tried =
            |view: &EditPreview| (view.doc, view.revision, &view.edit) == (doc, revision, &edit);
        let is_same_text = |view: &EditPreview| (view.doc, view.revision) == (doc, revision);
        if !self.preview.as_ref().is_some_and(is_same_text) {
            self.preview = None;
        }
        if let Some(view) = &self.preview
            && (view.is_awaited || is_tried(view))
        {
            return None;
        }
        let document = Arc::clone(core.library.document(doc)?);
        let path = &core.library.get(doc)?.root_path;
        self.preview = Some(EditPreview {
            doc,
            revision,
            edit: edit.clone(),
            timing: self.preview.take().and_then(|p| p.timing),
            is_awaited: true,
        });
        Some(Effect::run(Compute::answering(
            // Shared with the preview of a new tape.
            Lane::Newest("tape preview"),
            format!("previewing an edit of {}", quoted(path)),
            (document, edit),
            |(document, edit)| timing_after(document, edit),
            |(_, edit), timing| EngineEvent::Tapes(TapesEvent::EditPreviewed(edit.clone(), timing)),
        )))
    }
}

/// Returns the timing of a tape after an edit.
fn timing_after(document: &Document, edit: &TapeEdit) -> Result<Arc<TapeTiming>, String> {
    let plan = edits::plan(document, edit).map_err(|refusal| refusal.to_string())?;
    let mut text = document.source().text().to_owned();
    if let Some(plan) = plan {
        plan.edit.apply(&mut text);
    }
    // The name is only for the syntax.
    match &document::read(Source::new(text), "tape.json").body {
        DocumentBody::Tape(tape) => Ok(Arc::new(TapeTiming::new(tape))),
        _ => Err("The result would not be a tape".to_owned()),
    }
}
