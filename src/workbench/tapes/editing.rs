//! Edits of the selected tape: previewed while a form is open, then applied.

use super::action::TapesEffect;
use super::desk::Tried;
use crate::format::Severity;
use crate::ops::tape::edits::TapeEdit;
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Requests the bytes that an edit replaces.
    pub(super) fn cut_tape(&mut self, cut: TapeEdit) -> Vec<Effect> {
        let (Some(doc), Some(base)) = (self.tapes.selected, self.tapes.revision()) else {
            return Vec::new();
        };
        if self.is_to_be_edited(doc, base) {
            return vec![Effect::Tapes(TapesEffect::Cut(doc, base, cut))];
        }
        Vec::new()
    }

    pub(super) fn apply_form_of_tape(&mut self) -> Vec<Effect> {
        match self.tapes.form_cut() {
            Some(Ok(cut)) => {
                self.tapes.form = None;
                self.cut_tape(cut)
            }
            Some(Err(reason)) => {
                self.notify(Severity::Warning, format!("{reason}."));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Closes the topmost of: the drag, the request, the form, the comparison, the selected range.
    pub(in crate::workbench) fn close_form_of_tape(&mut self) {
        let tapes = &mut self.tapes;
        if tapes.give_pull_up() || tapes.verifying.take().is_some() || tapes.form.take().is_some() {
            return;
        }
        match tapes.over.take() {
            Some(_) => tapes.over = tapes.over.off(),
            None => tapes.transport.set_range(None),
        }
    }

    /// Previews the edit of the form or of a drag. Only one preview runs at a time; the latest edit is previewed next.
    pub(super) fn try_cut(&mut self) -> Option<Effect> {
        let tapes = &mut self.tapes;
        let Some(cut) = tapes.cut_to_try() else {
            tapes.tried = None;
            return None;
        };
        let (doc, revision) = (tapes.selected?, tapes.revision()?);
        let is_tried =
            |tried: &Tried| (tried.doc, tried.revision, &tried.cut) == (doc, revision, &cut);
        let of_text = |tried: &Tried| (tried.doc, tried.revision) == (doc, revision);
        if !tapes.tried.as_ref().is_some_and(of_text) {
            tapes.tried = None;
        }
        if let Some(tried) = &tapes.tried
            && (tried.is_awaited || is_tried(tried))
        {
            return None;
        }
        tapes.tried = Some(Tried {
            doc,
            revision,
            cut: cut.clone(),
            stats: tapes.tried.take().and_then(|before| before.stats),
            is_awaited: true,
        });
        Some(Effect::Tapes(TapesEffect::Try(doc, cut)))
    }
}
