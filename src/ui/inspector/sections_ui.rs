//! Paints the sections of an inspector that are on screen, however many there are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use super::content::{FoldKind, InspectorSection};
use super::data::{InspectorData, Ready};
use super::drafts::ValueDrafts;
use super::value_action::ValueAction;
use super::{card_ui, fold_ui, prompt_ui, turn_ui};
use crate::format::{Document, Node};
use crate::ui::markdown::Markdown;
use crate::ui::theme::{self, Tokens, tokens};
use crate::workbench::Action;

/// Estimated height of a section before it is first painted.
const ESTIMATED_HEIGHT: f32 = 96.0;
/// Estimated height of a row.
const ESTIMATED_ROW_HEIGHT: f32 = 33.0;

/// State of the list of sections between frames.
#[derive(Default)]
pub struct SectionsState {
    /// The file and the call in it that were painted last, and the document.
    shown: Option<(Subject, Arc<Document>)>,
    /// The width for which the heights are valid.
    width: u32,
    heights: Vec<f32>,
    /// Where each section begins, and where the last one ends.
    tops: Vec<f32>,
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
    /// Values being edited, in any tab.
    pub(super) drafts: ValueDrafts,
}

/// Data that a section paints, and the state that it changes.
pub(super) struct SectionContext<'a> {
    pub(super) data: &'a InspectorData,
    pub(super) ready: &'a Ready,
    pub(super) tokens: &'static Tokens,
    /// The section's index.
    pub(super) index: usize,
    pub(super) state: &'a mut SectionsState,
    pub(super) actions: &'a mut Vec<Action>,
}

impl SectionContext<'_> {
    /// Starts to edit a value in place.
    pub(super) fn start_edit(&mut self, node: Node<'_>) {
        let (data, ready) = (self.data, self.ready);
        self.state.drafts.start_action(ValueAction::Edit, node, data, ready, self.actions);
    }
}

/// Paints the sections on screen.
pub(super) fn sections_ui(
    ui: &mut Ui,
    data: &InspectorData,
    ready: &Ready,
    state: &mut SectionsState,
    actions: &mut Vec<Action>,
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
    actions: &mut Vec<Action>,
) {
    let width = ui.available_width();
    state.reset_for(data, ready, width);
    let height = state.tops.last().copied().unwrap_or_default();
    let (room, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let first = state.tops.partition_point(|&top| top <= viewport.min.y).saturating_sub(1);
    let mut changed = false;
    let mut y = state.tops.get(first).copied().unwrap_or_default();
    let mut next = first;
    while y <= viewport.max.y {
        let index = state.first_shown(next);
        next = index + 1;
        let Some(section) = ready.section(index) else { break };
        let corner = pos2(room.left(), room.top() + y);
        let rect = Rect::from_min_size(corner, vec2(width, f32::INFINITY));
        let builder = UiBuilder::new().max_rect(rect).id_salt(("section", &data.path, index));
        let mut painted = ui.new_child(builder);
        painted.set_clip_rect(ui.clip_rect());
        let tokens = tokens(ui);
        let mut context = SectionContext { data, ready, tokens, index, state, actions };
        section_ui(&mut painted, &section, &mut context);
        let height = painted.min_rect().height().ceil();
        if state.heights.get(index).is_some_and(|known| (known - height).abs() >= 1.0) {
            state.heights[index] = height;
            changed = true;
        }
        y += height;
    }
    if changed {
        state.update_tops();
        ui.request_repaint();
    }
}

/// The path of a file, and the call in it that is shown.
type Subject = (Arc<str>, Option<usize>);

impl SectionsState {
    /// Drops the state of another file. For a new parse of the same file, unfolded parts and heights remain
    /// approximately valid.
    fn reset_for(&mut self, data: &InspectorData, ready: &Ready, width: f32) {
        let (width, count) = (width.round() as u32, ready.len());
        let known = self.shown.take();
        let subject = (Arc::clone(&data.path), data.call);
        let is_same_file = known.as_ref().is_some_and(|(known, _)| *known == subject);
        let is_same_text = is_same_file
            && known.is_some_and(|(_, document)| Arc::ptr_eq(&document, &ready.document));
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
        if self.folds != folds {
            self.heights.clear();
        }
        self.folds = folds;
        self.width = width;
        self.heights.truncate(count);
        let guess = |index: usize| match ready.sections.get(index) {
            Some(_) if self.first_shown(index) > index => 0.0,
            Some(InspectorSection::Fold(_)) => fold_ui::HEIGHT,
            None | Some(InspectorSection::Row(_)) => ESTIMATED_ROW_HEIGHT,
            Some(_) => ESTIMATED_HEIGHT,
        };
        let guesses: Vec<f32> = (self.heights.len()..count).map(guess).collect();
        self.heights.extend(guesses);
        self.update_tops();
    }

    fn update_tops(&mut self) {
        let mut y = 0.0;
        self.tops.clear();
        self.tops.push(0.0);
        self.tops.extend(self.heights.iter().map(|height| {
            y += height;
            y
        }));
    }

    /// Returns a section's index, or the one after the closed fold that it is in.
    fn first_shown(&self, index: usize) -> usize {
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
        for (sections, of) in &self.folds {
            if *of == kind
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
        unfolded: bool,
        text: &str,
    ) -> Arc<Markdown> {
        let read = || Arc::new(Markdown::new(text));
        self.markdown.entry((key, unfolded)).or_insert_with(read).clone()
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
    let sections = ready.sections.iter().enumerate();
    let folds = sections.filter_map(|(index, section)| match section {
        InspectorSection::Fold(fold) => {
            let first = index + 1;
            Some((first..first + fold.sections, fold.kind))
        }
        _ => None,
    });
    folds.collect()
}

fn section_ui(ui: &mut Ui, section: &InspectorSection, context: &mut SectionContext<'_>) {
    ui.spacing_mut().item_spacing = vec2(theme::ICON_GAP, 4.0);
    match section {
        InspectorSection::Banner(banner) => card_ui::banner_ui(ui, banner, context.actions),
        InspectorSection::Turn(turn) => turn_ui::turn_ui(ui, turn, context),
        InspectorSection::Prompt(card) => prompt_ui::prompt_ui(ui, card, context),
        InspectorSection::Tools(tools) => card_ui::tools_ui(ui, tools, context),
        InspectorSection::Facts(facts) => card_ui::facts_ui(ui, facts, context),
        InspectorSection::Heading(heading) => card_ui::list_heading_ui(ui, heading),
        InspectorSection::Fold(fold) => fold_ui::fold_ui(ui, fold, context),
        InspectorSection::Row(row) => turn_ui::row_ui(ui, row, context),
    }
}
