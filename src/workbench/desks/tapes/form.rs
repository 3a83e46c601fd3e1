//! Forms for edits that need numbers.

use std::ops::Range;
use std::sync::Arc;

use super::{EditPreview, TapesDesk};
use crate::{Core, Effect};
use calls::tape::edits::{self, DelayShape, FollowingChunks, TapeEdit};
use calls::tape::prepared_tape::TapeTiming;
use calls::tape::timing::MILLISECOND;
use check::change::Change;
use document::text::{Source, named_enum, quoted};
use document::{Document, DocumentBody, Severity};
use protocol::{Compute, EngineEvent, Lane, TapesEvent};

named_enum! {
    /// The edit of a form.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TapeEditKind {
        /// Multiplies their delays.
        Scale = "Scale" "times as long" "2",
        /// Moves them, and all later chunks.
        Shift = "Shift" "ms later (negative: earlier)" "500",
        /// Gives them a steady rate.
        Steady = "Steady rate" "ms before each chunk" "50",
        /// Delays the first of them.
        SlowStart = "Slow start" "ms before the first chunk" "5000",
        /// Adds a stall to one of them.
        Stall = "Stall" "ms longer" "7000",
        /// Groups them into bursts.
        Burst = "Bursts" "chunks at once" "4",
    }

    /// All kinds, in the order of the menu.
    const ALL;

    /// The label.
    pub fn name;

    /// The label of its field.
    pub fn field;

    /// The first value of its field.
    fn default_value;
}

/// A form with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeEditForm {
    pub kind: TapeEditKind,
    pub value: String,
}

impl TapeEditForm {
    /// Creates a form with its default value.
    pub fn new(kind: TapeEditKind) -> Self {
        Self { kind, value: kind.default_value().to_owned() }
    }

    /// The edit of these chunks, or what is invalid: a sentence without a full stop.
    ///
    /// # Errors
    ///
    /// If the field is empty or not a number.
    pub fn edit(&self, chunks: Range<usize>) -> Result<TapeEdit, String> {
        let name = self.kind.field();
        // Rust also parses `inf` and `nan`.
        let value = self.value.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let number = value.ok_or_else(|| format!("Expected a number: {name}"))?;
        let shape = |shape| TapeEdit::Shape { chunks: chunks.clone(), shape };
        let nanos = number * MILLISECOND;
        Ok(match self.kind {
            TapeEditKind::Scale => TapeEdit::Scale { factor: number, chunks },
            TapeEditKind::Shift => {
                TapeEdit::Shift { nanos, chunks, rest: FollowingChunks::Follows }
            }
            TapeEditKind::Steady => TapeEdit::Steady { delay_nanos: nanos, chunks },
            TapeEditKind::SlowStart => shape(DelayShape::SlowStart { first_nanos: nanos }),
            TapeEditKind::Stall => shape(DelayShape::Stall { nanos }),
            TapeEditKind::Burst => shape(DelayShape::Burst { chunks: number as usize }),
        })
    }
}

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
        let path = core.library.get(doc)?.root_path();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_makes_an_edit_as_it_begins() {
        for kind in TapeEditKind::ALL {
            assert!(TapeEditForm::new(*kind).edit(2..5).is_ok(), "{kind:?}");
        }
        let form = |kind, value: &str| TapeEditForm { kind, value: value.to_owned() };
        assert_eq!(
            form(TapeEditKind::Shift, "-1.5").edit(2..5),
            Ok(TapeEdit::Shift { chunks: 2..5, nanos: -1.5e6, rest: FollowingChunks::Follows })
        );
        let result = form(TapeEditKind::Burst, " ").edit(0..1);
        assert_eq!(result, Err("Expected a number: chunks at once".to_owned()));
    }
}
