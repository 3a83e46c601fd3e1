//! The form that replaces something in many files: its input, the places that it finds, and those that the user excludes.

use std::collections::HashSet;
use std::sync::Arc;

use crate::{Core, Effect, Latest, Overlay};
use author::replace::{ReplaceChange, ReplaceForm, ReplaceKind, SkippedPlaces};
use check::change::Change;
use document::text::Place;
use protocol::{
    Cancellable, DocId, PlanReplace, PlannedChange, PreviewPlace, ReplaceKey, ReplacePreview,
    ReplaceScope,
};

/// An action in the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplaceAction {
    /// Sets the input.
    Type(ReplaceForm),
    /// Sets the files that are searched.
    Limit(ReplaceScope),
    /// Includes or excludes places.
    Include(Vec<(DocId, Place)>, bool),
    /// Plans the change of the included places, which is shown before it is applied.
    Apply,
}

/// The form with what it found.
#[derive(Debug, Default)]
pub struct Replacing {
    pub form: ReplaceForm,
    pub scope: ReplaceScope,
    /// The file that is searched for [`ReplaceScope::Selected`].
    pub selected: Option<DocId>,
    pub preview: Latest<ReplaceKey, Result<Arc<ReplacePreview>, String>>,
    excluded: HashSet<(DocId, Place)>,
    /// Whether the change is being planned.
    pub is_applying: bool,
    /// Whether the change is to be planned when its places are found.
    is_apply_awaited: bool,
}

impl Replacing {
    /// Drops what belongs to the open files. The input stays.
    pub(crate) fn reset(&mut self) {
        *self = Self { form: std::mem::take(&mut self.form), ..Self::default() };
    }

    /// Whether a place is changed.
    pub fn includes(&self, place: &PreviewPlace) -> bool {
        !self.excluded.contains(&place.key())
    }

    /// Returns the places that were found for the present input; `None` while they are searched.
    pub fn current(&self) -> Option<&Result<Arc<ReplacePreview>, String>> {
        let is_current = !self.preview.is_awaited();
        self.preview.value.as_ref().filter(|_| is_current)
    }

    /// Returns how many places are changed, and the files that contain them.
    pub fn included(&self, preview: &ReplacePreview) -> (usize, Vec<DocId>) {
        let places = preview.groups.iter().flat_map(|g| &g.places).filter(|p| self.includes(p));
        let mut docs: Vec<DocId> = places.map(|p| p.doc).collect();
        // Places that are not listed cannot be excluded.
        let count = docs.len() + preview.more_places;
        docs.extend(&preview.more_docs);
        docs.sort_unstable();
        docs.dedup();
        (count, docs)
    }
}

impl Core {
    /// Shows the form. `kind` is chosen unless the form already has one of the same family.
    pub(crate) fn show_replace_form(&mut self, kind: ReplaceKind, selected: Option<DocId>) {
        self.keep_step_below(Overlay::Replace);
        let form = &mut self.replacing;
        let renames = |kind| matches!(kind, ReplaceKind::Rename(_));
        if renames(form.form.kind) != renames(kind) {
            form.form.kind = kind;
            // The excluded places were found for the other kind.
            form.excluded.clear();
        }
        form.selected = selected;
        // A filter shows which files the user is working on.
        let is_limited = !self.list.filter.trim().is_empty() || self.list.verdict.is_some();
        form.scope = if is_limited { ReplaceScope::Listed } else { ReplaceScope::All };
        self.overlay = Some(Overlay::Replace);
    }

    pub(crate) fn on_replace_action(&mut self, action: ReplaceAction) {
        // Any other action cancels an Apply that still waits.
        self.replacing.is_apply_awaited = false;
        match action {
            ReplaceAction::Type(form) => {
                self.replacing.form = form;
                self.replacing.excluded.clear();
            }
            ReplaceAction::Limit(scope) => self.replacing.scope = scope,
            ReplaceAction::Include(places, true) => {
                for place in &places {
                    self.replacing.excluded.remove(place);
                }
            }
            ReplaceAction::Include(places, false) => self.replacing.excluded.extend(places),
            ReplaceAction::Apply => self.apply_replace_form(),
        }
    }

    fn apply_replace_form(&mut self) {
        let form = &mut self.replacing;
        // A second click must not plan the change twice.
        if form.is_applying {
            return;
        }
        form.is_apply_awaited = form.current().is_none();
        let Some(Ok(preview)) = form.current().cloned() else { return };
        let mut spots = SkippedPlaces::new();
        let places = preview.groups.iter().flat_map(|group| &group.places);
        for place in places.filter(|place| !form.includes(place)) {
            spots.entry(Arc::clone(&place.path)).or_default().insert(place.place);
        }
        let (_, docs) = form.included(&preview);
        if let Some(change) = ReplaceChange::new(&form.form, spots).filter(|_| !docs.is_empty()) {
            form.is_applying = true;
            self.plan_batch(Change::Replace(change), docs);
        }
    }

    /// Shows the step of the form in place of the form, unless that was closed meanwhile.
    pub(crate) fn on_replace_ready(&mut self, plan: PlannedChange) {
        if !std::mem::take(&mut self.replacing.is_applying) {
            return;
        }
        let is_replaced = self.overlay == Some(Overlay::Replace) && !plan.edits.is_empty();
        if is_replaced {
            self.overlay = None;
        }
        self.on_batch_planned(plan);
        if is_replaced {
            // Cancelling the step leads back to the form.
            self.waiting_overlays.push_front(Overlay::Replace);
        }
    }

    pub(crate) fn on_replace_planned(
        &mut self,
        key: &ReplaceKey,
        result: Result<Arc<ReplacePreview>, String>,
    ) {
        if self.replacing.preview.receive(key, result)
            && std::mem::take(&mut self.replacing.is_apply_awaited)
        {
            self.apply_replace_form();
        }
    }

    /// Requests the places for the form as it is now, and stops the search when the form is closed.
    pub(crate) fn sync_replacing(&mut self) {
        let is_shown = self.overlay == Some(Overlay::Replace);
        self.replacing.is_applying &= is_shown;
        self.replacing.is_apply_awaited &= is_shown;
        let form = Some(&self.replacing.form).filter(|_| is_shown);
        let Some(replacement) = form.and_then(|form| form.replacement().ok().flatten()) else {
            // The places are found again when the form is shown again.
            if self.replacing.preview.cancel() {
                self.request(Effect::Cancel(Cancellable::PlanReplace));
            }
            self.replacing.preview = Latest::default();
            return;
        };
        let scope = self.replacing.scope;
        let key = ReplaceKey {
            form: self.replacing.form.clone(),
            scope,
            filter: match scope {
                // Only this scope depends on the filter, so typing in it starts no search for the others.
                ReplaceScope::Listed => self.list.options_revision,
                ReplaceScope::All | ReplaceScope::Selected => 0,
            },
            revision: self.library.revision,
        };
        if self.replacing.preview.want(&key) {
            let documents =
                self.replace_scope(scope).into_iter().filter_map(|doc| self.library.current(doc));
            let request = PlanReplace { key, replacement, documents: documents.collect() };
            self.request(Effect::run(request));
        }
    }

    /// Returns the files that are searched, in the order of their paths.
    fn replace_scope(&self, scope: ReplaceScope) -> Vec<DocId> {
        let is_in = |doc: DocId| match scope {
            ReplaceScope::All => true,
            ReplaceScope::Listed => self.library.get(doc).is_some_and(|item| {
                self.list.lists_verdict_of(item) && self.passes_filter(doc, item)
            }),
            ReplaceScope::Selected => self.replacing.selected == Some(doc),
        };
        let items = self.library.iter().filter(|(doc, _)| is_in(*doc));
        let mut docs: Vec<_> = items.map(|(doc, item)| (item.root_path(), doc)).collect();
        docs.sort_unstable();
        docs.into_iter().map(|(_, doc)| doc).collect()
    }
}
