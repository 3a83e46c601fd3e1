//! The comparison of the selected tape with another one: which one, the differences, and the selected difference.

use crate::workbench::core::latest::Latest;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesAction;
use super::desk::TapesDesk;
use crate::format::FileKind;
use crate::ops::Item;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps, OverlayStep, TapeSimilarity};
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::MILLISECOND;
use crate::text::quoted;
use crate::workbench::core::dialog::DialogKind;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::{CurrentDocument, DocId};
use crate::workbench::core::navigation::StepDirection;
use crate::workbench::core::state::Core;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::transport::Transport;
use crate::workbench::core::view::Overlay;
use crate::workbench::core::working_copy::Revision;

/// The default of the smallest difference in time that counts.
const TOLERANCE_NANOS: f64 = 5.0 * MILLISECOND;
/// How many chunks are shown before and after a difference.
const CONTEXT_CHUNKS: usize = 8;

/// A tape to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparedTape {
    /// Another open tape.
    Open(DocId),
    /// The same file in the current commit.
    Head,
    File(PathBuf),
}

/// An action of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    ShowCandidates,
    /// Opens a dialog to choose a file.
    Pick,
    CompareWith(ComparedTape),
    Stop,
    /// Sets the smallest difference in time that counts, in nanoseconds.
    SetTolerance(f64),
    /// Selects a difference, by its number from 0.
    Show(usize),
}

/// The inputs of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareRequest {
    /// The tape.
    pub doc: DocId,
    /// The revision of its text.
    pub revision: Revision,
    pub other: ComparedTape,
    /// The revision of its text, if it is loaded.
    pub other_revision: Option<Revision>,
}

/// Ranks tapes by their similarity to one of them.
#[derive(Debug)]
pub struct RankTapes {
    pub tape: CurrentDocument,
    pub others: Vec<CurrentDocument>,
}

/// Compares a tape with another one, and finds the differences at a tolerance.
#[derive(Debug)]
pub struct CompareTapes {
    pub request: CompareRequest,
    pub tape: CurrentDocument,
    /// The other tape, if it is open.
    pub other: Option<CurrentDocument>,
    pub tolerance_nanos: f64,
}

/// Finds the differences of compared tapes at another tolerance.
#[derive(Debug)]
pub struct FilterDifferences {
    pub request: CompareRequest,
    /// The path of the tape, for messages.
    pub path: Arc<str>,
    pub takes: Arc<ComparedTake>,
    pub tolerance_nanos: f64,
}

impl TaskRequest for RankTapes {
    fn describe(&self) -> String {
        format!("looking for tapes like {}", quoted(&self.tape.item.root_path))
    }
}

impl TaskRequest for CompareTapes {
    fn describe(&self) -> String {
        format!("comparing {}", quoted(&self.tape.item.root_path))
    }
}

impl TaskRequest for FilterDifferences {
    fn describe(&self) -> String {
        format!("comparing {}", quoted(&self.path))
    }
}

/// An event of a comparison.
#[derive(Clone, Debug)]
pub enum CompareEvent {
    /// The similarity of tapes to this one, and whether its file is in the current commit.
    Ranked(DocId, Vec<(DocId, TapeSimilarity)>, bool),
    /// The result of a comparison, or why it failed.
    Compared(CompareRequest, Result<(Arc<ComparedTake>, Arc<DifferingSteps>), String>),
    /// The differences at another tolerance.
    Filtered(CompareRequest, Arc<DifferingSteps>),
}

/// The state of a comparison.
#[derive(Clone, Copy, Debug)]
pub enum ComparisonState<'a> {
    /// Not compared.
    None,
    /// In progress.
    Loading,
    Ready(&'a Arc<ComparedTake>, &'a Arc<DifferingSteps>),
    /// Failed, for this reason.
    Failed(&'a str),
}

/// The comparison of the selected tape with another one.
#[derive(Debug, Default)]
pub struct TapeComparison {
    pub other: Option<ComparedTape>,
    done: Latest<CompareRequest, CompareResult>,
    tolerance_nanos: Option<f64>,
    pub at: usize,
    /// Whether both texts are shown up to the playhead; else around the selected difference.
    pub is_at_playhead: bool,
    pub candidates: Vec<(DocId, TapeSimilarity)>,
    /// Whether the file of the tape is in the current commit; false until it is known.
    pub is_committed: bool,
}

type CompareResult = Result<(Arc<ComparedTake>, Arc<DifferingSteps>), Arc<str>>;

impl TapeComparison {
    /// The state; while it is compared again, the previous result.
    pub fn state(&self) -> ComparisonState<'_> {
        match (&self.other, &self.done.value) {
            (None, _) => ComparisonState::None,
            (_, Some(Ok((takes, differing)))) => ComparisonState::Ready(takes, differing),
            (_, Some(Err(reason))) => ComparisonState::Failed(reason),
            (_, None) => ComparisonState::Loading,
        }
    }

    /// The smallest difference in time that counts, in nanoseconds.
    pub fn tolerance_nanos(&self) -> f64 {
        self.tolerance_nanos.unwrap_or(TOLERANCE_NANOS)
    }

    /// The selected step.
    pub fn step(&self) -> Option<&OverlayStep> {
        let (takes, differing) = self.ready()?;
        takes.steps().get(*differing.steps().get(self.at)?)
    }

    fn ready(&self) -> Option<(&Arc<ComparedTake>, &Arc<DifferingSteps>)> {
        match self.state() {
            ComparisonState::Ready(takes, differing) => Some((takes, differing)),
            _ => None,
        }
    }

    /// Returns a state without comparison of the same tape, with the same tolerance and candidates.
    pub(super) fn stop(&mut self) -> Self {
        Self {
            candidates: std::mem::take(&mut self.candidates),
            is_committed: self.is_committed,
            ..self.reset()
        }
    }

    /// Returns a state for another tape, with the same tolerance.
    pub(super) fn reset(&self) -> Self {
        Self { tolerance_nanos: self.tolerance_nanos, ..Self::default() }
    }

    /// The duration of the other tape, in nanoseconds; 0 without a comparison.
    pub(super) fn total_nanos(&self, transport: &Transport) -> f64 {
        self.ready().map_or(0.0, |(takes, _)| takes.other().schedule(transport.pace).total_nanos())
    }
}

impl TapesDesk {
    /// Whether the tape is compared with another one.
    pub fn is_compared(&self) -> bool {
        self.comparison.other.is_some()
    }

    /// Selects a difference: moves the playhead there, and shows the range around it in both tapes.
    fn show_difference(&mut self, at: usize) {
        let Some((takes, differing)) = self.comparison.ready() else {
            return;
        };
        let (takes, differing) = (Arc::clone(takes), Arc::clone(differing));
        let at = at.min(differing.steps().len().saturating_sub(1));
        let step = differing.steps().get(at).and_then(|at| takes.steps().get(*at));
        let (Some(step), Some(tape)) = (step, self.prepared().cloned()) else {
            return;
        };
        self.comparison.at = at;
        self.comparison.is_at_playhead = false;
        let pace = self.transport.pace;
        let [ours, theirs] = takes.time_ranges(&tape, step, pace);
        let schedule = tape.schedule(pace);
        let last = schedule.len().saturating_sub(1);
        let before =
            schedule.arrival_nanos(step.left.start.saturating_sub(CONTEXT_CHUNKS).min(last));
        let behind = schedule.arrival_nanos((step.left.end + CONTEXT_CHUNKS).min(last));
        let arrived = step.left.end.min(step.left.start + 1);
        self.with_transport(|transport, schedule, _| transport.go_to(schedule, arrived));
        let about = TimeRange {
            from_nanos: before.min(ours.from_nanos).min(theirs.from_nanos),
            to_nanos: behind.max(ours.to_nanos).max(theirs.to_nanos),
        };
        let margin = about.nanos() * 0.05;
        let about =
            TimeRange { from_nanos: about.from_nanos - margin, to_nanos: about.to_nanos + margin };
        self.visible_range.show(about, self.total_nanos());
    }

    /// Handles an action of the comparison.
    pub(super) fn act_on_comparison(&mut self, core: &mut Core, action: CompareAction) {
        match action {
            CompareAction::ShowCandidates => self.list_candidates(core),
            CompareAction::Pick => {
                let title = "Choose the tape to compare with";
                let compare = |path| {
                    let compare = CompareAction::CompareWith(ComparedTape::File(path));
                    TapesAction::Compare(compare)
                };
                core.request(Effect::pick(title, DialogKind::File, compare));
            }
            CompareAction::CompareWith(take) => {
                self.comparison = TapeComparison { other: Some(take), ..self.comparison.stop() };
                self.form = None;
                core.overlay = None;
            }
            CompareAction::Stop => self.comparison = self.comparison.stop(),
            CompareAction::SetTolerance(nanos) => {
                self.comparison.tolerance_nanos = Some(nanos);
                let effect = self.filter_differences(core);
                core.request(effect);
            }
            CompareAction::Show(at) => self.show_difference(at),
        }
    }

    /// Lists the candidates: first ranked by their items, then by their content.
    fn list_candidates(&mut self, core: &mut Core) {
        let Some(doc) = self.selected else {
            return;
        };
        let library = &core.library;
        let ours = library.get(doc);
        let near = |item: &Item| {
            let has = |of: fn(&Item) -> Option<&Arc<str>>| {
                of(item).is_some() && ours.and_then(of) == of(item)
            };
            if has(|item| item.id.as_ref()) {
                TapeSimilarity::SameLabel
            } else if has(|item| item.model.as_ref()) {
                TapeSimilarity::SameModel
            } else {
                TapeSimilarity::Other
            }
        };
        let others = library.iter();
        let others = others.filter(|(other, item)| *other != doc && item.kind == FileKind::Tape);
        // An earlier ranking by content is better than one by items.
        let known: HashMap<DocId, TapeSimilarity> = self.comparison.candidates.drain(..).collect();
        let similarity = |other, item| known.get(&other).copied().unwrap_or_else(|| near(item));
        let candidates = others.map(|(other, item)| (other, similarity(other, item)));
        let candidates: Vec<_> = candidates.collect();
        let others = candidates.iter();
        let others = others.filter_map(|(other, _)| library.current(*other));
        let (tape, others) = (library.current(doc), others.collect());
        self.comparison.candidates = candidates;
        self.sort_candidates(core);
        core.overlay = Some(Overlay::CompareTape);
        let request = tape.map(|tape| RankTapes { tape, others });
        core.request(request.map(Effect::run));
    }

    /// Finds the differences of the last comparison at the current tolerance.
    fn filter_differences(&self, core: &Core) -> Option<Effect> {
        let comparison = &self.comparison;
        let request = comparison.done.key.as_ref()?;
        let (takes, _) = comparison.done.value.as_ref()?.as_ref().ok()?;
        Some(Effect::run(FilterDifferences {
            request: request.clone(),
            path: Arc::clone(&core.library.get(request.doc)?.root_path),
            takes: Arc::clone(takes),
            tolerance_nanos: comparison.tolerance_nanos(),
        }))
    }

    fn sort_candidates(&mut self, core: &Core) {
        let library = &core.library;
        let path = |doc: DocId| library.get(doc).map(|item| &item.root_path);
        let candidates = &mut self.comparison.candidates;
        candidates.sort_by(|a, b| (a.1, path(a.0)).cmp(&(b.1, path(b.0))));
    }

    /// Handles an event of the comparison.
    pub(super) fn on_compare_event(&mut self, core: &mut Core, event: CompareEvent) {
        let over = &mut self.comparison;
        match event {
            CompareEvent::Ranked(doc, kinships, is_committed) if self.selected == Some(doc) => {
                over.candidates = kinships;
                over.is_committed = is_committed;
                self.sort_candidates(core);
            }
            CompareEvent::Compared(order, result) if over.done.accept(&order) => {
                over.done.value = Some(result.map_err(Arc::from));
                over.keep_in_range();
                self.filter_again(core);
            }
            CompareEvent::Filtered(order, differing) => {
                if over.done.key.as_ref() == Some(&order)
                    && let Some(Ok((_, old))) = &mut over.done.value
                {
                    *old = differing;
                }
                over.keep_in_range();
            }
            _ => {}
        }
    }

    /// Finds the differences again if the tolerance has changed meanwhile.
    fn filter_again(&mut self, core: &mut Core) {
        let over = &self.comparison;
        let wanted = over.tolerance_nanos();
        let is_other = |differing: &DifferingSteps| differing.tolerance_nanos() != wanted;
        match over.ready() {
            Some((_, differing)) if is_other(differing) => {
                self.act_on_comparison(core, CompareAction::SetTolerance(wanted));
            }
            _ => {}
        }
    }

    /// Compares again if the tape has changed.
    pub(super) fn sync_comparison(&mut self, core: &Core) -> Option<Effect> {
        let until = self.comparison.total_nanos(&self.transport);
        if self.transport.until_nanos() != until {
            self.with_transport(|transport, schedule, now| {
                transport.play_until(schedule, until, now);
            });
        }
        let take = self.comparison.other.clone()?;
        self.prepared()?;
        let take_revision = match &take {
            ComparedTape::Open(other) => core.library.text(*other).map(|(_, revision)| revision),
            ComparedTape::Head | ComparedTape::File(_) => None,
        };
        let order = CompareRequest {
            doc: self.selected?,
            revision: self.revision()?,
            other: take,
            other_revision: take_revision,
        };
        let over = &mut self.comparison;
        let other = match order.other {
            ComparedTape::Open(other) => core.library.current(other),
            ComparedTape::Head | ComparedTape::File(_) => None,
        };
        let tape = core.library.current(order.doc)?;
        if !over.done.want(&order) {
            return None;
        }
        Some(Effect::run(CompareTapes {
            request: order,
            tape,
            other,
            tolerance_nanos: over.tolerance_nanos(),
        }))
    }

    /// Moves the selection by some differences, if there are any.
    pub(super) fn step_differences(&mut self, step: StepDirection, by: usize) {
        self.show_difference(step.target(self.comparison.at, by));
    }
}

impl TapeComparison {
    fn keep_in_range(&mut self) {
        let differing = self.ready().map_or(0, |(_, differing)| differing.steps().len());
        self.at = self.at.min(differing.saturating_sub(1));
    }
}
