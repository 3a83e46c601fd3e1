//! Edits of the selected tape: previewed while a form is open, then applied.

use std::sync::Arc;

use super::desk::EditPreview;
use super::requests::PreviewTapeEdit;
use crate::format::Severity;
use crate::ops::change::Change;
use crate::ops::tape::edits::TapeEdit;
use crate::workbench::core::effect::Effect;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Requests the bytes that an edit replaces.
    pub(super) fn edit_tape(&mut self, cut: TapeEdit) {
        let (Some(doc), Some(base)) = (self.tapes.selected, self.tapes.revision()) else {
            return;
        };
        if self.core.begin_edit(doc, base) {
            let plan = self.core.plan_change(doc, Change::Tape(cut));
            self.core.request(plan);
        }
    }

    pub(super) fn apply_form_of_tape(&mut self) {
        match self.tapes.form_edit() {
            Some(Ok(cut)) => {
                self.tapes.form = None;
                self.edit_tape(cut);
            }
            Some(Err(reason)) => {
                self.core.notify(Severity::Warning, format!("{reason}."));
            }
            None => {}
        }
    }

    /// Closes the topmost of: the drag, the request, the form, the comparison, the selected range.
    pub(in crate::workbench) fn close_top_of_tape(&mut self) {
        let tapes = &mut self.tapes;
        if tapes.cancel_drag() || tapes.verification.take().is_some() || tapes.form.take().is_some()
        {
            return;
        }
        match tapes.comparison.other.as_ref() {
            Some(_) => tapes.comparison = tapes.comparison.stop(),
            None => tapes.transport.set_range(None),
        }
    }

    /// Previews the edit of the form or of a drag. Only one preview runs at a time; the latest edit is previewed next.
    pub(super) fn preview_edit(&mut self) -> Option<Effect> {
        let tapes = &mut self.tapes;
        let Some(cut) = tapes.edit_to_preview() else {
            tapes.preview = None;
            return None;
        };
        let (doc, revision) = (tapes.selected?, tapes.revision()?);
        let is_tried =
            |tried: &EditPreview| (tried.doc, tried.revision, &tried.edit) == (doc, revision, &cut);
        let of_text = |tried: &EditPreview| (tried.doc, tried.revision) == (doc, revision);
        if !tapes.preview.as_ref().is_some_and(of_text) {
            tapes.preview = None;
        }
        if let Some(tried) = &tapes.preview
            && (tried.is_awaited || is_tried(tried))
        {
            return None;
        }
        let document = Arc::clone(self.core.library.document(doc)?);
        let path = Arc::clone(&self.core.library.get(doc)?.root_path);
        tapes.preview = Some(EditPreview {
            doc,
            revision,
            edit: cut.clone(),
            stats: tapes.preview.take().and_then(|before| before.stats),
            is_awaited: true,
        });
        Some(Effect::run(PreviewTapeEdit {
            path,
            document,
            edit: cut,
        }))
    }
}
