//! Another take laid over the tape that is shown: which one, what differs, and which difference is looked at.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::action::TapesEffect;
use super::desk::TapesDesk;
use super::transport::Transport;
use crate::format::Kind;
use crate::ops::Item;
use crate::ops::tape::overlay::{Differing, Kinship, Step, Takes};
use crate::ops::tape::timeline::Stretch;
use crate::ops::tape::timing::MILLISECOND;
use crate::workbench::action::Overlay;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

/// From which difference in time on a step counts, at first.
const TOLERANCE_NANOS: f64 = 5.0 * MILLISECOND;
/// How many chunks before and behind a difference are shown with it.
const AROUND: usize = 8;

/// Another take of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    /// Another tape that is open.
    Open(DocId),
    /// The tape's own file, as it is in the commit that is checked out.
    Head,
    /// A file.
    File(PathBuf),
}

/// What the user asks for of another take.
#[derive(Clone, Debug, PartialEq)]
pub enum TakesAction {
    /// Choose which one is laid over the tape.
    Choose,
    /// Choose a file.
    Pick,
    /// Lay this one over the tape.
    Lay(Take),
    /// Take it away.
    LayOff,
    /// Count a difference in time from so many nanoseconds on.
    SetTolerance(f64),
    /// Look at a difference, by its number from 0.
    Show(usize),
}

/// What is laid over what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayOrder {
    /// The tape.
    pub doc: DocId,
    /// Names the text of it that is meant.
    pub revision: Revision,
    /// The other take.
    pub take: Take,
    /// Names its text, where that is at hand.
    pub take_revision: Option<Revision>,
}

/// What the engine is to do with takes.
#[derive(Clone, Debug, PartialEq)]
pub enum TakesEffect {
    /// Find out how near these tapes are to the first.
    Rank(DocId, Vec<DocId>),
    /// Lay a take over the tape, and find what differs at a tolerance in nanoseconds.
    Lay(LayOrder, f64),
    /// Find what differs at another tolerance.
    Sift(LayOrder, f64),
}

/// What the engine answers.
#[derive(Clone, Debug)]
pub enum TakesEvent {
    /// How near tapes are to this one.
    Ranked(DocId, Vec<(DocId, Kinship)>),
    /// A take is laid over the tape; else why it cannot be.
    Laid(LayOrder, Result<(Arc<Takes>, Arc<Differing>), String>),
    /// What differs at another tolerance.
    Sifted(LayOrder, Arc<Differing>),
}

/// How another take lies over the tape.
#[derive(Clone, Copy, Debug)]
pub enum Lies<'a> {
    /// None does.
    Not,
    /// It is being read and compared.
    Coming,
    /// Here it is.
    Here(&'a Arc<Takes>, &'a Arc<Differing>),
    /// It cannot be shown, for this reason.
    Failed(&'a str),
}

/// Another take over the tape that is shown.
#[derive(Debug, Default)]
pub struct Over {
    take: Option<Take>,
    awaited: Option<LayOrder>,
    laid: Option<Laid>,
    tolerance_nanos: Option<f64>,
    at: usize,
    candidates: Vec<(DocId, Kinship)>,
}

#[derive(Debug)]
struct Laid {
    order: LayOrder,
    result: Result<(Arc<Takes>, Arc<Differing>), Arc<str>>,
}

impl Over {
    /// The other take, if one was chosen.
    pub fn take(&self) -> Option<&Take> {
        self.take.as_ref()
    }

    /// How it lies over the tape. While it is compared again, as it was before.
    pub fn lies(&self) -> Lies<'_> {
        let laid = self.laid.as_ref();
        match (&self.take, laid.map(|laid| &laid.result)) {
            (None, _) => Lies::Not,
            (_, Some(Ok((takes, differing)))) => Lies::Here(takes, differing),
            (_, Some(Err(reason))) => Lies::Failed(reason),
            (_, None) => Lies::Coming,
        }
    }

    /// From which difference in time on a step counts, in nanoseconds.
    pub fn tolerance_nanos(&self) -> f64 {
        self.tolerance_nanos.unwrap_or(TOLERANCE_NANOS)
    }

    /// Which difference is looked at, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The step that is looked at.
    pub fn step(&self) -> Option<&Step> {
        let (takes, differing) = self.here()?;
        takes.steps().get(*differing.steps().get(self.at)?)
    }

    /// What can be laid over the tape, the likeliest first.
    pub fn candidates(&self) -> &[(DocId, Kinship)] {
        &self.candidates
    }

    fn here(&self) -> Option<(&Arc<Takes>, &Arc<Differing>)> {
        match self.lies() {
            Lies::Here(takes, differing) => Some((takes, differing)),
            _ => None,
        }
    }

    /// The take that was laid by an order, for it to be sifted again.
    pub fn laid_by(&self, order: &LayOrder) -> Option<&Arc<Takes>> {
        let laid = self.laid.as_ref().filter(|laid| laid.order == *order)?;
        laid.result.as_ref().ok().map(|(takes, _)| takes)
    }

    /// Nothing laid over, at the same tolerance; what can be laid over the tape is still known.
    pub(super) fn off(&mut self) -> Self {
        Self {
            candidates: std::mem::take(&mut self.candidates),
            ..self.fresh()
        }
    }

    /// Nothing laid over another tape, at the same tolerance.
    pub(super) fn fresh(&self) -> Self {
        Self {
            tolerance_nanos: self.tolerance_nanos,
            ..Self::default()
        }
    }

    /// How long the other take is, in nanoseconds; 0 where none lies over the tape.
    pub(super) fn total_nanos(&self, transport: &Transport) -> f64 {
        self.here().map_or(0.0, |(takes, _)| {
            takes.other().schedule(transport.pace()).total_nanos()
        })
    }
}

impl TapesDesk {
    /// Another take over the tape that is shown.
    pub fn over(&self) -> &Over {
        &self.over
    }

    /// Whether another take lies over the tape, or a request beside it.
    pub fn is_compared(&self) -> bool {
        self.over.take.is_some() || self.verifying.is_some()
    }

    /// Looks at a difference: the playhead goes there, and both takes are shown about it.
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
        let (Some(step), Some(reel)) = (step, self.reel().cloned()) else {
            return;
        };
        self.over.at = at;
        let pace = self.transport.pace();
        let [ours, theirs] = takes.stretches(&reel, step, pace);
        let schedule = reel.schedule(pace);
        let last = schedule.len().saturating_sub(1);
        let before = schedule.arrival_nanos(step.left.start.saturating_sub(AROUND).min(last));
        let behind = schedule.arrival_nanos((step.left.end + AROUND).min(last));
        let arrived = step.left.end.min(step.left.start + 1);
        self.play(|transport, schedule, _| transport.go_to(schedule, arrived));
        let about = Stretch {
            from_nanos: before.min(ours.from_nanos).min(theirs.from_nanos),
            to_nanos: behind.max(ours.to_nanos).max(theirs.to_nanos),
        };
        let margin = about.nanos() * 0.05;
        let about = Stretch {
            from_nanos: about.from_nanos - margin,
            to_nanos: about.to_nanos + margin,
        };
        self.window.show(about, self.total_nanos());
    }
}

impl Workbench {
    /// Does what the user asked for of another take.
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
                let order = tapes.over.laid.as_ref().map(|laid| laid.order.clone());
                let sift = order.map(|order| TakesEffect::Sift(order, nanos));
                return sift.map(takes_effect).into_iter().collect();
            }
            TakesAction::Show(at) => tapes.show_difference(at),
        }
        Vec::new()
    }

    /// Lists what can be laid over the tape: at first by what is known of each, then by what is read in it.
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
                () if has(|item| item.id.as_ref()) => Kinship::SameLabel,
                () if has(|item| item.model.as_ref()) => Kinship::SameModel,
                () => Kinship::Other,
            }
        };
        let others = library.iter();
        let others = others.filter(|(other, item)| *other != doc && item.kind == Kind::Tape);
        // What was read in a tape before is better known than what its row says.
        let known: HashMap<DocId, Kinship> = self.tapes.over.candidates.drain(..).collect();
        let kinship = |other, item| known.get(&other).copied().unwrap_or_else(|| near(item));
        let candidates = others.map(|(other, item)| (other, kinship(other, item)));
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

    /// Takes what the engine found out about takes.
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
                let laid = over.laid.as_mut().filter(|laid| laid.order == order);
                if let Some(Ok((_, old))) = laid.map(|laid| &mut laid.result) {
                    *old = differing;
                }
                over.keep_in_range();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Sifts what was just laid where the tolerance was changed meanwhile.
    fn sift_again(&mut self) -> Vec<Effect> {
        let over = &self.tapes.over;
        let wanted = over.tolerance_nanos();
        let is_other = |differing: &Differing| differing.tolerance_nanos() != wanted;
        match over.here() {
            Some((_, differing)) if is_other(differing) => {
                self.act_on_takes(TakesAction::SetTolerance(wanted))
            }
            _ => Vec::new(),
        }
    }

    /// Has the other take compared with the tape as it is now.
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
        let is_laid = over.laid.as_ref().is_some_and(|laid| laid.order == order);
        if is_laid || over.awaited.as_ref() == Some(&order) {
            return None;
        }
        over.awaited = Some(order.clone());
        let lay = TakesEffect::Lay(order, over.tolerance_nanos());
        Some(takes_effect(lay))
    }

    /// Goes on by some differences, where there are any to go on by.
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
