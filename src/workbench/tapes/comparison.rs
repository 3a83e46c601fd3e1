//! The comparison of the selected tape with another one: which one, the differences, and the selected difference.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesEffect;
use super::desk::TapesDesk;
use super::transport::Transport;
use crate::format::FileKind;
use crate::ops::Item;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps, OverlayStep, TapeSimilarity};
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::MILLISECOND;
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

/// The default of the smallest difference in time that counts.
const TOLERANCE_NANOS: f64 = 5.0 * MILLISECOND;
/// How many chunks are shown before and after a difference.
const AROUND: usize = 8;

/// A tape to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// Another open tape.
    Open(DocId),
    /// The same file in the current commit.
    Head,
    /// A file.
    File(PathBuf),
}

/// An action of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum TakesAction {
    /// Shows the candidates.
    Choose,
    /// Opens a dialog to choose a file.
    Pick,
    /// Compares with this tape.
    Lay(Take),
    /// Stops comparing.
    LayOff,
    /// Sets the smallest difference in time that counts, in nanoseconds.
    SetTolerance(f64),
    /// Selects a difference, by its number from 0.
    Show(usize),
}

/// The inputs of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayOrder {
    /// The tape.
    pub doc: DocId,
    /// The revision of its text.
    pub revision: Revision,
    /// The other tape.
    pub take: Take,
    /// The revision of its text, if it is loaded.
    pub take_revision: Option<Revision>,
}

/// Work for a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum TakesEffect {
    /// Ranks these tapes by similarity to the first one.
    Rank(DocId, Vec<DocId>),
    /// Compares, and finds the differences at a tolerance in nanoseconds.
    Lay(LayOrder, f64),
    /// Finds the differences at another tolerance.
    Sift(LayOrder, f64),
}

/// An event of a comparison.
#[derive(Clone, Debug)]
pub enum TakesEvent {
    /// The similarity of tapes to this one.
    Ranked(DocId, Vec<(DocId, TapeSimilarity)>),
    /// The result of a comparison, or why it failed.
    Laid(
        LayOrder,
        Result<(Arc<ComparedTake>, Arc<DifferingSteps>), String>,
    ),
    /// The differences at another tolerance.
    Sifted(LayOrder, Arc<DifferingSteps>),
}

/// The state of a comparison.
#[derive(Clone, Copy, Debug)]
pub enum Lies<'a> {
    /// Not compared.
    Not,
    /// In progress.
    Coming,
    /// Ready.
    Here(&'a Arc<ComparedTake>, &'a Arc<DifferingSteps>),
    /// Failed, for this reason.
    Failed(&'a str),
}

/// The comparison of the selected tape with another one.
#[derive(Debug, Default)]
pub struct Over {
    take: Option<Take>,
    awaited: Option<LayOrder>,
    laid: Option<Laid>,
    tolerance_nanos: Option<f64>,
    at: usize,
    candidates: Vec<(DocId, TapeSimilarity)>,
}

#[derive(Debug)]
struct Laid {
    order: LayOrder,
    result: Result<(Arc<ComparedTake>, Arc<DifferingSteps>), Arc<str>>,
}

impl Over {
    /// The other tape, if one was chosen.
    pub fn take(&self) -> Option<&Take> {
        self.take.as_ref()
    }

    /// The state; while it is compared again, the previous result.
    pub fn lies(&self) -> Lies<'_> {
        let done = self.laid.as_ref();
        match (&self.take, done.map(|done| &done.result)) {
            (None, _) => Lies::Not,
            (_, Some(Ok((takes, differing)))) => Lies::Here(takes, differing),
            (_, Some(Err(reason))) => Lies::Failed(reason),
            (_, None) => Lies::Coming,
        }
    }

    /// The smallest difference in time that counts, in nanoseconds.
    pub fn tolerance_nanos(&self) -> f64 {
        self.tolerance_nanos.unwrap_or(TOLERANCE_NANOS)
    }

    /// The selected difference, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The selected step.
    pub fn step(&self) -> Option<&OverlayStep> {
        let (takes, differing) = self.here()?;
        takes.steps().get(*differing.steps().get(self.at)?)
    }

    /// The candidates, the most similar first.
    pub fn candidates(&self) -> &[(DocId, TapeSimilarity)] {
        &self.candidates
    }

    fn here(&self) -> Option<(&Arc<ComparedTake>, &Arc<DifferingSteps>)> {
        match self.lies() {
            Lies::Here(takes, differing) => Some((takes, differing)),
            _ => None,
        }
    }

    /// The result for these inputs, to find differences at another tolerance.
    pub fn laid_by(&self, order: &LayOrder) -> Option<&Arc<ComparedTake>> {
        let done = self.laid.as_ref().filter(|done| done.order == *order)?;
        done.result.as_ref().ok().map(|(takes, _)| takes)
    }

    /// Returns a state without comparison, with the same tolerance and candidates.
    pub(super) fn off(&mut self) -> Self {
        Self {
            candidates: std::mem::take(&mut self.candidates),
            ..self.fresh()
        }
    }

    /// Returns a state for another tape, with the same tolerance.
    pub(super) fn fresh(&self) -> Self {
        Self {
            tolerance_nanos: self.tolerance_nanos,
            ..Self::default()
        }
    }

    /// The duration of the other tape, in nanoseconds; 0 without a comparison.
    pub(super) fn total_nanos(&self, transport: &Transport) -> f64 {
        self.here().map_or(0.0, |(takes, _)| {
            takes.other().schedule(transport.pace()).total_nanos()
        })
    }
}

impl TapesDesk {
    /// The comparison with another tape.
    pub fn over(&self) -> &Over {
        &self.over
    }

    /// Whether the tape is compared with another one, or with a request.
    pub fn is_compared(&self) -> bool {
        self.over.take.is_some() || self.verifying.is_some()
    }

    /// Selects a difference: moves the playhead there, and shows the range around it in both tapes.
    fn show_difference(&mut self, at: usize) {
        let Some((takes, differing)) = self.over.here() else {
            return;
        };
        let (takes, differing) = (Arc::clone(takes), Arc::clone(differing));
        let at = at.min(differing.steps().len().saturating_sub(1));
        let step = differing
            .steps()
            .get(at)
            .and_then(|at| takes.steps().get(*at));
        let (Some(step), Some(tape)) = (step, self.reel().cloned()) else {
            return;
        };
        self.over.at = at;
        let pace = self.transport.pace();
        let [ours, theirs] = takes.time_ranges(&tape, step, pace);
        let schedule = tape.schedule(pace);
        let last = schedule.len().saturating_sub(1);
        let before = schedule.arrival_nanos(step.left.start.saturating_sub(AROUND).min(last));
        let behind = schedule.arrival_nanos((step.left.end + AROUND).min(last));
        let arrived = step.left.end.min(step.left.start + 1);
        self.play(|transport, schedule, _| transport.go_to(schedule, arrived));
        let about = TimeRange {
            from_nanos: before.min(ours.from_nanos).min(theirs.from_nanos),
            to_nanos: behind.max(ours.to_nanos).max(theirs.to_nanos),
        };
        let margin = about.nanos() * 0.05;
        let about = TimeRange {
            from_nanos: about.from_nanos - margin,
            to_nanos: about.to_nanos + margin,
        };
        self.window.show(about, self.total_nanos());
    }
}

impl Workbench {
    /// Handles an action of the comparison.
    pub(super) fn act_on_takes(&mut self, action: TakesAction) -> Vec<Effect> {
        let tapes = &mut self.tapes;
        match action {
            TakesAction::Choose => return self.choose_take(),
            TakesAction::Pick => {
                return vec![Effect::Tapes(TapesEffect::Pick(super::ForTape::Take))];
            }
            TakesAction::Lay(take) => {
                tapes.over = Over {
                    take: Some(take),
                    ..tapes.over.off()
                };
                tapes.form = None;
                self.overlay = None;
            }
            TakesAction::LayOff => tapes.over = tapes.over.off(),
            TakesAction::SetTolerance(nanos) => {
                tapes.over.tolerance_nanos = Some(nanos);
                let order = tapes.over.laid.as_ref().map(|done| done.order.clone());
                let sift = order.map(|order| TakesEffect::Sift(order, nanos));
                return sift.map(takes_effect).into_iter().collect();
            }
            TakesAction::Show(at) => tapes.show_difference(at),
        }
        Vec::new()
    }

    /// Lists the candidates: first ranked by their items, then by their content.
    fn choose_take(&mut self) -> Vec<Effect> {
        let Some(doc) = self.tapes.selected else {
            return Vec::new();
        };
        let library = &self.library;
        let ours = library.get(doc);
        let near = |item: &Item| {
            let has = |of: fn(&Item) -> Option<&Arc<str>>| {
                of(item).is_some() && ours.and_then(of) == of(item)
            };
            match () {
                () if has(|item| item.id.as_ref()) => TapeSimilarity::SameLabel,
                () if has(|item| item.model.as_ref()) => TapeSimilarity::SameModel,
                () => TapeSimilarity::Other,
            }
        };
        let others = library.iter();
        let others = others.filter(|(other, item)| *other != doc && item.kind == FileKind::Tape);
        // An earlier ranking by content is better than one by items.
        let known: HashMap<DocId, TapeSimilarity> = self.tapes.over.candidates.drain(..).collect();
        let similarity = |other, item| known.get(&other).copied().unwrap_or_else(|| near(item));
        let candidates = others.map(|(other, item)| (other, similarity(other, item)));
        let candidates: Vec<_> = candidates.collect();
        let docs = candidates.iter().map(|(other, _)| *other).collect();
        self.tapes.over.candidates = candidates;
        self.sort_candidates();
        self.overlay = Some(Overlay::Takes);
        vec![takes_effect(TakesEffect::Rank(doc, docs))]
    }

    fn sort_candidates(&mut self) {
        let library = &self.library;
        let path = |doc: DocId| library.get(doc).map(|item| &item.root_path);
        let candidates = &mut self.tapes.over.candidates;
        candidates.sort_by(|a, b| (a.1, path(a.0)).cmp(&(b.1, path(b.0))));
    }

    /// Handles an event of the comparison.
    pub(super) fn takes_made(&mut self, event: TakesEvent) -> Vec<Effect> {
        let over = &mut self.tapes.over;
        match event {
            TakesEvent::Ranked(doc, kinships) if self.tapes.selected == Some(doc) => {
                over.candidates = kinships;
                self.sort_candidates();
            }
            TakesEvent::Laid(order, result) if over.awaited.as_ref() == Some(&order) => {
                over.awaited = None;
                let result = result.map_err(Arc::from);
                over.laid = Some(Laid { order, result });
                over.keep_in_range();
                return self.sift_again();
            }
            TakesEvent::Sifted(order, differing) => {
                let done = over.laid.as_mut().filter(|done| done.order == order);
                if let Some(Ok((_, old))) = done.map(|done| &mut done.result) {
                    *old = differing;
                }
                over.keep_in_range();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Finds the differences again if the tolerance has changed meanwhile.
    fn sift_again(&mut self) -> Vec<Effect> {
        let over = &self.tapes.over;
        let wanted = over.tolerance_nanos();
        let is_other = |differing: &DifferingSteps| differing.tolerance_nanos() != wanted;
        match over.here() {
            Some((_, differing)) if is_other(differing) => {
                self.act_on_takes(TakesAction::SetTolerance(wanted))
            }
            _ => Vec::new(),
        }
    }

    /// Compares again if the tape has changed.
    pub(super) fn follow_takes(&mut self) -> Option<Effect> {
        let tapes = &mut self.tapes;
        let take = tapes.over.take.clone()?;
        tapes.reel()?;
        let take_revision = match &take {
            Take::Open(other) => self.library.text(*other).map(|(_, revision)| revision),
            Take::Head | Take::File(_) => None,
        };
        let order = LayOrder {
            doc: tapes.selected?,
            revision: tapes.revision()?,
            take,
            take_revision,
        };
        let over = &mut tapes.over;
        let is_done = over.laid.as_ref().is_some_and(|done| done.order == order);
        if is_done || over.awaited.as_ref() == Some(&order) {
            return None;
        }
        over.awaited = Some(order.clone());
        let compare = TakesEffect::Lay(order, over.tolerance_nanos());
        Some(takes_effect(compare))
    }

    /// Moves the selection by some differences, if there are any.
    pub(in crate::workbench) fn step_differences(&mut self, by: isize) {
        if self.tapes.verifying.is_some() {
            return self.step_verdict(by);
        }
        let at = self.tapes.over.at.saturating_add_signed(by);
        self.tapes.show_difference(at);
    }
}

impl Over {
    fn keep_in_range(&mut self) {
        let differing = self
            .here()
            .map_or(0, |(_, differing)| differing.steps().len());
        self.at = self.at.min(differing.saturating_sub(1));
    }
}

fn takes_effect(effect: TakesEffect) -> Effect {
    Effect::Tapes(TapesEffect::Takes(effect))
}
