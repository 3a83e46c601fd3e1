//! The queue: all pairs, which of their changes are consequences of others, and their groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::change_pattern::find_replacement;
use super::group::{ReviewGroup, groups};
use super::reviewed::Reviewed;
use super::similarity::hash;
use super::{
    ChangeKind, ChangeSubject, Decisions, Follows, IgnoreRule, PairComparison, ReviewLane,
    ReviewVerdict, TakeChange, TakePair,
};

/// All pairs and groups of a review.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// In the order of paths.
    pub pairs: Vec<Reviewed>,
    /// By lane; in a lane those with different changes first, then the largest.
    pub groups: Vec<ReviewGroup>,
    /// The folder from which the paths of the new files are, as it was given; empty for the project root.
    pub base: Box<str>,
}

/// The status of a turn in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnStatus {
    /// Nothing differs except for ignored differences.
    Equal,
    /// The first that changed.
    First,
    /// It changed because an earlier one did.
    Follows,
}

/// Progress of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewProgress {
    /// Pairs that differ and are decided, or need no decision.
    pub decided: usize,
    /// Pairs that differ.
    pub pairs: usize,
    /// Groups in which something is undecided.
    pub groups_left: usize,
}

/// The changes that a rule would ignore and that are not ignored yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleEffect {
    /// Number of changes.
    pub changes: usize,
    /// The pairs that contain them, by their place in the queue.
    pub pairs: Vec<usize>,
    /// Number of these pairs that would have no other change.
    pub nothing_left: usize,
}

impl Review {
    /// Builds a queue of compared pairs: which changes follow from others, and which pairs changed alike.
    pub fn new(pairs: Vec<(TakePair, PairComparison)>) -> Self {
        let pairs = pairs.into_iter().map(|(pair, comparison)| Reviewed {
            pair,
            compared: comparison,
            before: None,
            first_cause: None,
            group: None,
            lane: ReviewLane::Noise,
        });
        let mut pairs: Vec<Reviewed> = pairs.collect();
        link_turns(&mut pairs);
        find_causes(&mut pairs);
        let groups = groups(&mut pairs);
        Self { pairs, groups, base: Box::default() }
    }

    /// Returns the conversation that a pair is a turn of, from its first turn on.
    pub fn chain(&self, pair: usize) -> Vec<(usize, TurnStatus)> {
        let previous = |at: &usize| self.pairs.get(*at)?.before;
        let mut chain: Vec<usize> = std::iter::successors(Some(pair), previous).collect();
        chain.reverse();
        let following = |at: usize| self.pairs.iter().position(|pair| pair.before == Some(at));
        let mut last = pair;
        while let Some(next) = following(last) {
            chain.push(next);
            last = next;
        }
        let with_status = |at: usize| (at, self.turn_status(at));
        chain.into_iter().map(with_status).collect()
    }

    fn turn_status(&self, pair: usize) -> TurnStatus {
        match self.pairs.get(pair) {
            Some(reviewed) if reviewed.first_cause.is_some() => TurnStatus::Follows,
            Some(reviewed) if reviewed.needs_decision() => TurnStatus::First,
            _ => TurnStatus::Equal,
        }
    }

    /// Returns whether a pair is decided, or needs no decision and is not to be discussed.
    pub fn is_decided(&self, pair: usize, decisions: &Decisions) -> bool {
        self.pairs.get(pair).is_none_or(|reviewed| {
            let decision = decisions.decision(&reviewed.pair.key());
            match decision.and_then(|decision| decision.verdict.as_ref()) {
                // Also a pair in which only noise differs waits until it has been discussed.
                Some(ReviewVerdict::Discuss) => false,
                Some(verdict) if verdict.is_decision() => true,
                _ => !reviewed.needs_decision(),
            }
        })
    }

    /// Returns the groups of a lane.
    pub fn groups_in(&self, lane: ReviewLane) -> impl Iterator<Item = &ReviewGroup> + Clone {
        self.groups.iter().filter(move |group| group.lane == lane)
    }

    /// Returns how many pairs are decided.
    pub fn progress(&self, decisions: &Decisions) -> ReviewProgress {
        let is_decided = |at: &usize| self.is_decided(*at, decisions);
        let in_groups = self.groups.iter().flat_map(|group| &group.pairs);
        let is_left = |group: &&ReviewGroup| !group.pairs.iter().all(is_decided);
        ReviewProgress {
            decided: in_groups.clone().filter(|at| is_decided(at)).count(),
            pairs: in_groups.count(),
            groups_left: self.groups.iter().filter(is_left).count(),
        }
    }

    /// Returns what a rule would ignore.
    pub fn effect_of_rule(&self, rule: &IgnoreRule) -> RuleEffect {
        let mut silenced = RuleEffect::default();
        for (at, reviewed) in self.pairs.iter().enumerate() {
            let open = reviewed.compared.changes.iter().filter(|change| change.ignored.is_none());
            let (ignored, rest): (Vec<_>, Vec<_>) = open.partition(|c| c.is_ignored_by(rule));
            if !ignored.is_empty() {
                silenced.changes += ignored.len();
                silenced.pairs.push(at);
                silenced.nothing_left += usize::from(rest.is_empty());
            }
        }
        silenced
    }
}

fn folder(reviewed: &Reviewed) -> &str {
    reviewed.pair.shown().map_or("", |take| take.folder())
}

/// Finds for each turn the one before it: the recording of its set whose messages its own begin with.
fn link_turns(pairs: &mut [Reviewed]) {
    let mut ends: HashMap<(u64, u64), usize> = HashMap::new();
    for (at, reviewed) in pairs.iter().enumerate() {
        if let Some(end) = reviewed.compared.history.last() {
            // Several recordings may have the same messages; the first path is the turn that later ones continue.
            ends.entry((hash(folder(reviewed)), *end)).or_insert(at);
        }
    }
    for reviewed in pairs.iter_mut() {
        let set = hash(folder(reviewed));
        let shorter = reviewed.compared.history.iter().rev().skip(1);
        // The longest of the shorter beginnings is the turn just before.
        reviewed.before = shorter.filter_map(|end| ends.get(&(set, *end))).next().copied();
    }
}

/// The old and the new text of an answer, which later turns repeat.
type AnswerChange = (u64, String, String);

/// Finds the turns that changed because an earlier one did.
fn find_causes(pairs: &mut [Reviewed]) {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    // Earlier turns first, so that their own first cause is known when later ones look it up.
    order.sort_by_key(|at| (pairs[*at].compared.history.len(), *at));
    let mut changed_answers: HashMap<AnswerChange, usize> = HashMap::new();
    for at in order {
        let set = hash(folder(&pairs[at]));
        let direct = pairs[at].compared.direct_changes();
        let requested: Vec<&TakeChange> = direct.filter(|change| change.is_request()).collect();
        let cause = match pairs[at].before.filter(|previous| pairs[*previous].needs_decision()) {
            Some(previous) => {
                let is_message = |change: &&TakeChange| change.subject == ChangeSubject::Message;
                requested.iter().any(is_message).then_some(previous)
            }
            // No turn before it changed; a message may still repeat an answer of another conversation in the folder.
            None => {
                let mut changes = requested.into_iter().flat_map(|c| answer_changes(set, c));
                changes.find_map(|change| changed_answers.get(&change)).copied()
            }
        };
        if let Some(cause) = cause {
            // All consequences name the beginning of the chain, so that one decision covers them.
            let first = pairs[cause].first_cause.unwrap_or(cause);
            let turn: Arc<str> = pairs[first].pair.path().into();
            pairs[at].first_cause = Some(first);
            for change in &mut pairs[at].compared.changes {
                if change.is_request() && change.ignored.is_none() {
                    change.follows = Some(Follows::Turn(Arc::clone(&turn)));
                }
            }
        }
        for answer_change in answers(&pairs[at]).flat_map(|change| answer_changes(set, change)) {
            changed_answers.entry(answer_change).or_insert(at);
        }
    }
}

fn answers(reviewed: &Reviewed) -> impl Iterator<Item = &TakeChange> {
    let is_answer = |change: &&TakeChange| {
        matches!(
            change.subject,
            ChangeSubject::Answer | ChangeSubject::ToolCall | ChangeSubject::Reasoning
        )
    };
    reviewed.compared.direct_changes().filter(is_answer)
}

/// Returns the old and the new text of a change: the whole value, and the replaced phrase.
fn answer_changes(set: u64, edit: &TakeChange) -> Vec<AnswerChange> {
    /// A shorter phrase may be the same by chance.
    const MIN_LENGTH: usize = 8;
    let (ChangeKind::Changed, Some(old), Some(new)) = (edit.kind, &edit.old, &edit.new) else {
        return Vec::new();
    };
    let text = |json: &str| serde_json::from_str::<String>(json).ok();
    let Some((old, new)) = text(&old.json).zip(text(&new.json)) else { return Vec::new() };
    let phrase = find_replacement(&old, &new)
        .filter(|(old, new)| old.len() + new.len() >= MIN_LENGTH)
        .map(|(old, new)| (set, old, new));
    // The phrase may be the whole text, which counts once.
    let unique: BTreeSet<AnswerChange> = phrase.into_iter().chain([(set, old, new)]).collect();
    unique.into_iter().collect()
}
