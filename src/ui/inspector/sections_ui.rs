//! Paints the sections of an inspector that are on screen, however many there are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use super::content::{FoldKind, Section};
use super::drafts::DraftFields;
use super::inspector_data::{InspectorData, Ready};
use super::media_ui::MediaTextures;
use super::value_action::ValueAction;
use super::{card_ui, prompt_ui, turn_ui};
use document::{Document, Node};
use widgets::markdown::Markdown;
use widgets::theme::{self, Tokens, tokens};
use workbench::Actions;

/// Paints the sections on screen.
pub(super) fn sections_ui(
    ui: &mut Ui,
    data: &InspectorData,
    ready: &Ready,
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let area = egui::ScrollArea::vertical().auto_shrink(false).id_salt(("sections", &data.path));
    area.show_viewport(ui, |ui, viewport| visible_ui(ui, viewport, (data, ready), state, actions));
}

/// Allocates space for all sections and paints those within `viewport`, which is relative to the first one.
pub(super) fn visible_ui(
    ui: &mut Ui,
    viewport: Rect,
    (data, ready): (&InspectorData, &Ready),
    state: &mut SectionsState,
    actions: &mut Actions,
) {
    let width = ui.available_width();
    state.reset_for(data, ready, width);
    let height = state.tops.last().copied().unwrap_or_default();
    let (room, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    // The section before begins above the view and reaches into it.
    let first = state.tops.partition_point(|&top| top <= viewport.min.y).saturating_sub(1);
    let mut has_changed = false;
    let mut y = state.tops.get(first).copied().unwrap_or_default();
    let mut next = first;
    while y <= viewport.max.y {
        let index = state.first_shown(next);
        next = index + 1;
        let Some(section) = ready.section(index) else { break };
        let corner = pos2(room.left(), room.top() + y);
        let rect = Rect::from_min_size(corner, vec2(width, f32::INFINITY));
        // With the path, so that fields of another file have other ids.
        let builder = UiBuilder::new().max_rect(rect).id_salt(("section", &data.path, index));
        let mut child = ui.new_child(builder);
        child.set_clip_rect(ui.clip_rect());
        let mut context = SectionContext { data, ready, tokens: tokens(ui), index, state, actions };
        section_ui(&mut child, &section, &mut context);
        let height = child.min_rect().height().ceil();
        if state.heights.get(index).is_some_and(|old_height| (old_height - height).abs() >= 1.0) {
            state.heights[index] = height;
            has_changed = true;
        }
        y += height;
    }
    if has_changed {
        state.update_tops();
        // The sections below were placed by the old height.
        ui.request_repaint();
    }
}

fn section_ui(ui: &mut Ui, section: &Section, context: &mut SectionContext<'_>) {
    ui.spacing_mut().item_spacing = vec2(theme::ICON_GAP, 4.0);
    match section {
        Section::Banner(banner) => card_ui::banner_ui(ui, banner, context.actions),
        Section::Turn(turn) => turn_ui::turn_ui(ui, turn, context),
        Section::Prompt(card) => prompt_ui::prompt_ui(ui, card, context),
        Section::Tools(tools) => card_ui::tools_ui(ui, tools, context),
        Section::Facts(facts) => card_ui::facts_ui(ui, facts, context),
        Section::Heading(heading) => card_ui::list_heading_ui(ui, heading),
        Section::Fold(fold) => card_ui::fold_ui(ui, fold, context),
        Section::Row(row) => turn_ui::row_ui(ui, row, context),
    }
}

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
    pub(super) drafts: DraftFields,
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
            Some(Section::Fold(_)) => FOLD_HEIGHT,
            // After the sections come the chunks of a tape, which are rows.
            None | Some(Section::Row(_)) => ESTIMATED_ROW_HEIGHT,
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
        Section::Fold(fold) => {
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
