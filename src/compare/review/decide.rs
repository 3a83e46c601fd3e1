//! Decisions about pairs, until they are applied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{ChangeKey, PairKey};

/// Decision on the two takes of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewVerdict {
    /// The new take stays.
    Accept,
    /// The new take stays with the ids, times, headers, order and format of the old one, as [`keep_noise`](super::keep_noise()) writes it.
    KeepNoise,
    /// The old bytes come back.
    Reject,
    /// It was looked at and is left for later: still undecided.
    Skip,
    /// It needs a talk with others before it can be decided: still undecided.
    Discuss,
    /// The new take stays, except for these changes, which are as in the old one.
    Part(BTreeSet<ChangeKey>),
}

impl ReviewVerdict {
    /// Returns its name in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::KeepNoise => "keep-noise",
            Self::Reject => "reject",
            Self::Skip => "skip",
            Self::Discuss => "discuss",
            Self::Part(_) => "part",
        }
    }

    /// Returns the description of a pair with this verdict.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::KeepNoise => "old noise kept",
            Self::Reject => "rejected",
            Self::Skip => "skipped",
            Self::Discuss => "to discuss",
            Self::Part(_) => "partly accepted",
        }
    }

    /// Returns true if the pair is decided.
    pub fn is_decision(&self) -> bool {
        !matches!(self, Self::Skip | Self::Discuss)
    }
}

/// Result of an applied decision at the path of its pair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applied {
    /// A file, by its SHA-256.
    File(Arc<str>),
    /// No file: it was removed, or stays removed.
    Nothing,
}

impl Applied {
    /// From the SHA-256 of the file, if there is one.
    pub fn from_sha256(sha256: Option<Arc<str>>) -> Self {
        sha256.map_or(Self::Nothing, Self::File)
    }
}

/// The decision about a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The verdict; none while there is only a note.
    pub verdict: Option<ReviewVerdict>,
    /// Reason in the user's words; may be empty.
    pub note: String,
    /// Result of applying it; none before that.
    pub applied: Option<Applied>,
}

/// All decisions of a review. Each call is one step that can be undone.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    made: BTreeMap<PairKey, Decision>,
    /// Notes on groups, by their ids; none is empty.
    pub(super) group_notes: BTreeMap<Arc<str>, String>,
    /// The state before each step, the oldest first.
    steps: Vec<DecisionStep>,
}

/// The state before a step.
#[derive(Clone, Debug)]
enum DecisionStep {
    /// The decisions about pairs.
    Pairs(Vec<(PairKey, Option<Decision>)>),
    /// The note on a group.
    GroupNote(Arc<str>, Option<String>),
}

impl Decisions {
    /// Returns the decision about a pair. A pair that an applied decision has changed is decided.
    pub fn decision(&self, pair: &PairKey) -> Option<&Decision> {
        // Applying changes the bytes of the file, so its pair has another key afterwards.
        let applied = || {
            // `None` is less than every hash.
            let first = PairKey { path: Arc::clone(&pair.path), old: None, new: None };
            let from_path = self.made.range(first..);
            let mut same_path = from_path.take_while(|(key, _)| key.path == pair.path);
            let is_left = |(key, decision): &(&PairKey, &Decision)| {
                let applied = decision.applied.as_ref();
                key.old == pair.old
                    && applied.is_some()
                    && applied == pair.new.clone().map(Applied::File).as_ref()
            };
            same_path.find(is_left).map(|(_, decision)| decision)
        };
        self.made.get(pair).or_else(applied)
    }

    /// Returns the verdict on a pair, if it is decided.
    pub fn verdict(&self, pair: &PairKey) -> Option<&ReviewVerdict> {
        let verdict = self.decision(pair)?.verdict.as_ref();
        verdict.filter(|verdict| verdict.is_decision())
    }

    /// Decides about pairs, in one step; notes stay.
    pub fn decide(&mut self, pairs: impl IntoIterator<Item = PairKey>, verdict: &ReviewVerdict) {
        self.step(pairs, |decision| {
            decision.verdict = Some(verdict.clone());
            // What was applied belongs to the verdict before this one.
            decision.applied = None;
        });
    }

    /// Writes a note on a pair.
    pub fn set_note(&mut self, pair: PairKey, note: &str) {
        self.step([pair], |decision| note.clone_into(&mut decision.note));
    }

    /// Returns the note on a group; may be empty.
    pub fn group_note(&self, id: &str) -> &str {
        self.group_notes.get(id).map_or("", String::as_str)
    }

    /// Writes a note on a group; an empty one removes it.
    pub fn set_group_note(&mut self, id: &str, note: &str) {
        let id: Arc<str> = id.into();
        let old_note = self.replace_group_note(&id, Some(note.to_owned()));
        self.steps.push(DecisionStep::GroupNote(id, old_note));
    }

    fn replace_group_note(&mut self, id: &Arc<str>, note: Option<String>) -> Option<String> {
        match note.filter(|note| !note.is_empty()) {
            Some(note) => self.group_notes.insert(Arc::clone(id), note),
            None => self.group_notes.remove(id),
        }
    }

    /// Remembers what applying the decision about a pair left; none when it was undone. Is no step of its own.
    pub fn set_applied(&mut self, pair: &PairKey, applied: Option<Applied>) {
        if let Some(decision) = self.made.get_mut(pair) {
            decision.applied = applied;
        }
    }

    /// Withdraws the verdict on a pair that cannot be carried out. Notes stay. Is no step of its own.
    pub fn withdraw(&mut self, pair: &PairKey) {
        if let Some(decision) = self.made.get_mut(pair) {
            decision.verdict = None;
        }
    }

    fn step(&mut self, pairs: impl IntoIterator<Item = PairKey>, change: impl Fn(&mut Decision)) {
        let pairs = pairs.into_iter().map(|pair| {
            let old_decision = self.made.get(&pair).cloned();
            change(self.made.entry(pair.clone()).or_default());
            (pair, old_decision)
        });
        let step: Vec<_> = pairs.collect();
        if !step.is_empty() {
            self.steps.push(DecisionStep::Pairs(step));
        }
    }

    /// Takes the latest step back, and names the pairs it was about.
    pub fn undo(&mut self) -> Vec<PairKey> {
        let step = match self.steps.pop() {
            Some(DecisionStep::Pairs(step)) => step,
            Some(DecisionStep::GroupNote(id, old_note)) => {
                self.replace_group_note(&id, old_note);
                Vec::new()
            }
            None => Vec::new(),
        };
        let pairs = step.into_iter().map(|(pair, old_decision)| {
            match old_decision {
                Some(old_decision) => drop(self.made.insert(pair.clone(), old_decision)),
                None => drop(self.made.remove(&pair)),
            }
            pair
        });
        pairs.collect()
    }

    /// Returns the decisions about these pairs, without steps to undo. Those made in the window and not yet applied stay unapplied.
    #[must_use]
    pub fn only(&self, pairs: &BTreeSet<PairKey>) -> Self {
        let decisions = pairs.iter().filter_map(|p| Some((p.clone(), self.decision(p)?.clone())));
        Self::from_stored(decisions.collect(), BTreeMap::new())
    }

    /// Returns true if there is a step to undo.
    pub fn can_undo(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns all decisions, in the order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&PairKey, &Decision)> {
        self.made.iter()
    }

    /// Creates stored decisions and notes on groups, without steps to undo.
    pub(super) fn from_stored(
        decisions: BTreeMap<PairKey, Decision>,
        group_notes: BTreeMap<Arc<str>, String>,
    ) -> Self {
        Self { made: decisions, group_notes, steps: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, old: &str, new: &str) -> PairKey {
        PairKey { path: path.into(), old: Some(old.into()), new: Some(new.into()) }
    }

    #[test]
    fn each_decision_is_undone_separately_and_notes_stay() {
        let mut decisions = Decisions::default();
        let pairs = [key("a", "1", "2"), key("b", "1", "2")];
        decisions.set_note(pairs[0].clone(), "why");
        decisions.decide(pairs.clone(), &ReviewVerdict::Accept);
        decisions.decide([pairs[0].clone()], &ReviewVerdict::Reject);
        assert_eq!(decisions.verdict(&pairs[0]), Some(&ReviewVerdict::Reject));
        assert_eq!(decisions.undo(), pairs[..1]);
        assert_eq!(decisions.verdict(&pairs[0]), Some(&ReviewVerdict::Accept));
        decisions.undo();
        assert_eq!(decisions.verdict(&pairs[1]), None);
        assert_eq!(decisions.decision(&pairs[0]).unwrap().note, "why");
        decisions.undo();
        assert!(decisions.decision(&pairs[0]).is_none() && !decisions.can_undo());
    }

    #[test]
    fn another_text_is_undecided_unless_the_decision_itself_made_it() {
        let mut decisions = Decisions::default();
        let pair = key("a", "1", "2");
        decisions.decide([pair.clone()], &ReviewVerdict::Part(BTreeSet::new()));
        assert_eq!(decisions.verdict(&key("a", "1", "3")), None);
        decisions.set_applied(&pair, Some(Applied::File("3".into())));
        assert!(decisions.verdict(&key("a", "1", "3")).is_some());
        assert_eq!(decisions.verdict(&key("a", "0", "3")), None);
        for verdict in [ReviewVerdict::Skip, ReviewVerdict::Discuss] {
            decisions.decide([pair.clone()], &verdict);
            assert_eq!(decisions.verdict(&pair), None);
        }
    }

    #[test]
    fn a_note_on_a_group_is_a_step_of_its_own() {
        let mut decisions = Decisions::default();
        decisions.set_group_note("renamed", "first");
        decisions.decide([key("a", "1", "2")], &ReviewVerdict::Accept);
        decisions.set_group_note("renamed", "");
        assert_eq!(decisions.group_note("renamed"), "");
        assert_eq!(decisions.undo(), []);
        assert_eq!(decisions.group_note("renamed"), "first");
        assert_eq!(decisions.undo().len(), 1);
        decisions.undo();
        assert!(decisions.group_notes.is_empty() && !decisions.can_undo());
    }
}
