//! State of the list of sections between frames, and the data that a section paints.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::content::{FoldKind, InspectorSection};
use super::drafts::ValueDrafts;
use super::inspector_data::{InspectorData, Ready};
use super::media_ui::MediaTextures;
use super::value_action::ValueAction;
use document::{Document, Node};
use widgets::markdown::Markdown;
use widgets::theme::Tokens;
use workbench::Actions;

/// Estimated height of a section before it is first painted.
const ESTIMATED_HEIGHT: f32 = 96.0;
/// Estimated height of a row.
const ESTIMATED_ROW_HEIGHT: f32 = 33.0;
/// The height of the row that shows and hides sections.
pub(super) const FOLD_HEIGHT: f32 = 32.0;

/// State of the list of sections between frames.
#[derive(Default)]
pub struct SectionsState {
    /// The file and the call in it that were painted last, and the document.
    shown: Option<(Subject, Arc<Document>)>,
    /// The width for which the heights are valid.
    width: u32,
    pub(super) heights: Vec<f32>,
    /// Top of each section, and the bottom of the last one.
    pub(super) tops: Vec<f32>,
    /// The sections that folds show and hide.
    folds: Vec<(Range<usize>, FoldKind)>,
    /// The open folds, of all files.
    open_folds: HashSet<FoldKind>,
    /// Unfolded sections and parts.
    pub(super) open: HashSet<(usize, usize)>,
    /// Whether texts are shown as written instead of as Markdown.
    pub(super) as_written: bool,
    /// Whether prompts of nodes are shown as text instead of as a card.
    pub(super) full_prompt: bool,
    /// Parsed Markdown of texts, whole or only their beginnings.
    markdown: HashMap<((usize, usize), bool), Arc<Markdown>>,
    /// The media of the call that is shown.
    pub(super) media: MediaTextures,
    /// Values being edited, in any tab.
    pub(super) drafts: ValueDrafts,
}

/// The path of a file, and the call in it that is shown.
type Subject = (Arc<str>, Option<usize>);

impl SectionsState {
    /// Drops the state of another file. For a new parse of the same file, unfolded parts and heights remain
    /// approximately valid.
    pub(super) fn reset_for(&mut self, data: &InspectorData, ready: &Ready, width: f32) {
        let (width, count) = (width.round() as u32, ready.len());
        let previous = self.shown.take();
        let subject = (Arc::clone(&data.path), data.call);
        let is_same_file =
            previous.as_ref().is_some_and(|(old_subject, _)| *old_subject == subject);
        let is_same_text = is_same_file
            && previous.is_some_and(|(_, document)| Arc::ptr_eq(&document, &ready.document));
        self.shown = Some((subject, Arc::clone(&ready.document)));
        if is_same_text && self.width == width && self.heights.len() == count {
            return;
        }
        if !is_same_text {
            self.markdown.clear();
        }
        if !is_same_file {
            self.open.clear();
        }
        if !is_same_file || self.width != width {
            self.heights.clear();
        }
        let folds = folds(ready);
        // With other folds, heights would belong to other sections.
        if self.folds != folds {
            self.heights.clear();
        }
        self.folds = folds;
        self.width = width;
        self.heights.truncate(count);
        let guess = |index: usize| match ready.sections.get(index) {
            // Sections that a closed fold hides take no space.
            Some(_) if self.first_shown(index) > index => 0.0,
            Some(InspectorSection::Fold(_)) => FOLD_HEIGHT,
            // After the sections come the chunks of a tape, which are rows.
            None | Some(InspectorSection::Row(_)) => ESTIMATED_ROW_HEIGHT,
            Some(_) => ESTIMATED_HEIGHT,
        };
        let guesses: Vec<f32> = (self.heights.len()..count).map(guess).collect();
        self.heights.extend(guesses);
        self.update_tops();
    }

    pub(super) fn update_tops(&mut self) {
        let mut y = 0.0;
        self.tops.clear();
        self.tops.push(0.0);
        self.tops.extend(self.heights.iter().map(|height| {
            y += height;
            y
        }));
    }

    /// Returns a section's index, or the one after the closed fold that it is in.
    pub(super) fn first_shown(&self, index: usize) -> usize {
        let mut folds = self.folds.iter();
        let fold = folds
            .find(|(sections, kind)| sections.contains(&index) && !self.open_folds.contains(kind));
        fold.map_or(index, |(sections, _)| sections.end)
    }

    pub(super) fn is_open(&self, kind: FoldKind) -> bool {
        self.open_folds.contains(&kind)
    }

    /// Opens or closes a fold.
    pub(super) fn toggle_fold(&mut self, kind: FoldKind) {
        let is_open = !self.open_folds.remove(&kind) && self.open_folds.insert(kind);
        let height = if is_open { ESTIMATED_HEIGHT } else { 0.0 };
        for (sections, fold_kind) in &self.folds {
            if *fold_kind == kind
                && let Some(heights) = self.heights.get_mut(sections.clone())
            {
                heights.fill(height);
            }
        }
        self.update_tops();
    }

    /// Returns a part of a section as Markdown, parsed when first shown.
    pub(super) fn markdown(
        &mut self,
        key: (usize, usize),
        is_unfolded: bool,
        text: &str,
    ) -> Arc<Markdown> {
        let read = || Arc::new(Markdown::new(text));
        self.markdown.entry((key, is_unfolded)).or_insert_with(read).clone()
    }

    /// Folds or unfolds a part of a section.
    pub(super) fn toggle(&mut self, key: (usize, usize)) {
        if !self.open.remove(&key) {
            self.open.insert(key);
        }
    }
}

/// Returns the sections that each fold shows and hides.
fn folds(ready: &Ready) -> Vec<(Range<usize>, FoldKind)> {
    let folds = ready.sections.iter().enumerate().filter_map(|(index, section)| match section {
        InspectorSection::Fold(fold) => {
            let first = index + 1;
            Some((first..first + fold.sections, fold.kind))
        }
        _ => None,
    });
    folds.collect()
}

/// Data that a section paints, and the state that it changes.
pub(super) struct SectionContext<'a> {
    pub(super) data: &'a InspectorData,
    pub(super) ready: &'a Ready,
    pub(super) tokens: &'static Tokens,
    /// The section's index.
    pub(super) index: usize,
    pub(super) state: &'a mut SectionsState,
    pub(super) actions: &'a mut Actions,
}

impl SectionContext<'_> {
    /// Starts to edit a value in place.
    pub(super) fn start_edit(&mut self, node: Node<'_>) {
        let (data, ready) = (self.data, self.ready);
        self.state.drafts.start_action(ValueAction::Edit, node, data, ready, self.actions);
    }
}
