//! Groups pairs with the same change patterns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt as _};

use super::change_pattern::{ChangePattern, ChangePatterns, PatternRank};
use super::queue::Reviewed;
use super::{ChangeSubject, IgnoreReason, PairStatus, TakeChange};
use crate::text::{listed, lower_first, natural_order};

/// Pairs that changed in the same way, to be decided at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewGroup {
    /// Names it on the command line, such as `tool-respond-became-reply`. The same in the next review of the same takes.
    pub id: String,
    /// A description of the change; names are in backquotes.
    pub name: String,
    /// Where in the conversation, such as "offered tools and calls".
    pub detail: String,
    /// What it is about above all.
    pub subject: ChangeSubject,
    /// Its pairs, by their place in the queue: each first cause with what follows from it behind it.
    pub pairs: Vec<usize>,
    /// How many of them are worded otherwise besides.
    pub reworded: usize,
    /// Whether its pairs have to be decided; false if all differences are ignored.
    pub needs_decision: bool,
}

/// The share of a coarse pattern that must have changed in the same words to become a separate pattern: one of this number.
const ONE_OF: usize = 10;

/// Puts pairs into groups, and answers these: those that need a decision first, the largest first. The changes that a group is
/// named after become the first ones of its pairs.
pub(super) fn groups(pairs: &mut [Reviewed]) -> Vec<ReviewGroup> {
    let counts = PatternCounts::new(pairs);
    let patterns: Vec<BTreeSet<ChangePattern>> =
        pairs.iter().map(|pair| counts.patterns_of(pair)).collect();
    let mut members: BTreeMap<Vec<ChangePattern>, Vec<usize>> = BTreeMap::new();
    for (at, reviewed) in pairs.iter().enumerate() {
        let own = distinctive_patterns(&patterns[at]);
        let cause = reviewed
            .first_cause
            .map(|cause| distinctive_patterns(&patterns[cause]));
        // A consequence is in the group of its cause, unless it also has other changes.
        let is_explained = |cause: &Vec<ChangePattern>| {
            let mut own = own.iter();
            own.all(|pattern| pattern.rank == PatternRank::Wording || cause.contains(pattern))
        };
        let key = cause.filter(is_explained).unwrap_or_else(|| own.clone());
        if !key.is_empty() {
            members.entry(key).or_default().push(at);
        }
    }
    for (key, members) in &members {
        let Some(first) = key.first() else { continue };
        let is_named = |change: &TakeChange| {
            let ChangePatterns { exact, coarse } = &change.patterns;
            exact.as_ref() == Some(first) || coarse == first
        };
        for at in members {
            let changes = &mut pairs[*at].compared.changes;
            // A renamed tool is also in messages; the tool itself comes first.
            changes.sort_by_key(|change| {
                let subject = is_named(change).then_some(change.subject);
                (subject.is_none(), subject)
            });
        }
    }
    let groups = members.into_iter().map(|(key, mut members)| {
        let path = |at: usize| pairs[at].pair.path();
        let cause = |at: usize| pairs[at].first_cause.unwrap_or(at);
        members.sort_by(|a, b| {
            let by_cause = natural_order(path(cause(*a)), path(cause(*b)));
            let is_cause = |at: usize| cause(at) != at;
            by_cause
                .then(is_cause(*a).cmp(&is_cause(*b)))
                .then_with(|| natural_order(path(*a), path(*b)))
                .then(a.cmp(b))
        });
        let is_worded = |at: &&usize| {
            patterns[**at]
                .iter()
                .any(|pattern| pattern.rank == PatternRank::Wording)
        };
        let (subject, detail) = group_detail(pairs, &members, &key);
        ReviewGroup {
            id: id(&key),
            name: group_name(&key),
            detail,
            subject,
            reworded: if is_wording(&key) {
                0
            } else {
                members.iter().filter(is_worded).count()
            },
            needs_decision: members.iter().any(|at| pairs[*at].needs_decision()),
            pairs: members,
        }
    });
    let mut groups: Vec<ReviewGroup> = groups.collect();
    groups.sort_by_key(|group| (!group.needs_decision, Reverse(group.pairs.len())));
    let mut taken = BTreeSet::new();
    for (number, group) in groups.iter_mut().enumerate() {
        if !taken.insert(group.id.clone()) {
            group.id = format!("{}-{}", group.id, number + 1);
        }
        for at in &group.pairs {
            pairs[*at].group = Some(number);
        }
    }
    groups
}

/// Number of pairs in which each pattern occurs.
struct PatternCounts(HashMap<ChangePattern, usize>);

impl PatternCounts {
    fn new(pairs: &[Reviewed]) -> Self {
        let mut counts = HashMap::new();
        for pair in pairs {
            let own = pair.compared.direct_changes();
            let patterns = own.flat_map(|it| it.patterns.exact.iter().chain([&it.patterns.coarse]));
            let patterns: BTreeSet<&ChangePattern> = patterns.collect();
            for pattern in patterns {
                match counts.get_mut(pattern) {
                    Some(count) => *count += 1,
                    None => drop(counts.insert(pattern.clone(), 1)),
                }
            }
        }
        Self(counts)
    }

    fn is_common(&self, exact: &ChangePattern, coarse: &ChangePattern) -> bool {
        let count = |pattern: &ChangePattern| self.0.get(pattern).copied().unwrap_or_default();
        count(exact) > 1 && count(exact) * ONE_OF >= count(coarse)
    }

    /// Returns the patterns of the direct changes of a pair.
    fn patterns_of(&self, reviewed: &Reviewed) -> BTreeSet<ChangePattern> {
        let compared = &reviewed.compared;
        let whole = |key: &str, name: &str| {
            BTreeSet::from([
                ChangePatterns::without_variant(PatternRank::Changed, key, name).coarse,
            ])
        };
        let is_given = |change: &TakeChange| {
            matches!(change.ignored, Some(IgnoreReason::Time | IgnoreReason::Id))
        };
        match compared.status {
            PairStatus::Added => whole("takes added", "Files added"),
            PairStatus::Removed => whole("takes removed", "Files removed"),
            PairStatus::Renamed => whole("moved, nothing else", "Moved, nothing else"),
            PairStatus::Same if compared.bytes_only => {
                whole("only bytes differ", "Only formatting differs")
            }
            PairStatus::Same => BTreeSet::new(),
            PairStatus::IgnoredOnly if compared.changes.iter().all(is_given) => {
                whole("only times and ids differ", "Only times and ids differ")
            }
            PairStatus::IgnoredOnly => {
                // Scripts contain the id that this key makes.
                whole("only what is set aside differs", "Only ignored differences")
            }
            PairStatus::Changed => {
                let pattern = |change: &TakeChange| {
                    let ChangePatterns { exact, coarse } = &change.patterns;
                    let exact = exact.as_ref().filter(|exact| self.is_common(exact, coarse));
                    exact.unwrap_or(coarse).clone()
                };
                compared.direct_changes().map(pattern).collect()
            }
        }
    }
}

/// Returns the patterns that distinguish groups: wording varies anyway.
fn distinctive_patterns(patterns: &BTreeSet<ChangePattern>) -> Vec<ChangePattern> {
    let distinctive = patterns
        .iter()
        .filter(|pattern| pattern.rank != PatternRank::Wording);
    let distinctive: Vec<ChangePattern> = distinctive.cloned().collect();
    if distinctive.is_empty() && !patterns.is_empty() {
        vec![ChangePattern {
            rank: PatternRank::Wording,
            key: "worded otherwise".to_owned(),
            name: "Reworded".to_owned(),
        }]
    } else {
        distinctive
    }
}

fn is_wording(patterns: &[ChangePattern]) -> bool {
    patterns
        .iter()
        .all(|pattern| pattern.rank == PatternRank::Wording)
}

/// Returns the name of a group, from the first of its patterns, which are the most informative.
fn group_name(patterns: &[ChangePattern]) -> String {
    match patterns {
        [] => String::new(),
        [one] => one.name.clone(),
        [one, other] => format!("{}, and {}", one.name, lower_first(&other.name)),
        [one, rest @ ..] => format!("{}, and {} more", one.name, rest.len()),
    }
}

/// Returns the most important subject of a group's changes, and a description of all subjects.
fn group_detail(
    pairs: &[Reviewed],
    members: &[usize],
    patterns: &[ChangePattern],
) -> (ChangeSubject, String) {
    let own = members
        .iter()
        .flat_map(|at| pairs[*at].compared.direct_changes());
    let wording = is_wording(patterns);
    let counts = |change: &&TakeChange| {
        wording
            || change.patterns.coarse.rank != PatternRank::Wording
            || change
                .patterns
                .exact
                .as_ref()
                .is_some_and(|pattern| patterns.contains(pattern))
    };
    let subjects: BTreeSet<ChangeSubject> =
        own.filter(counts).map(|change| change.subject).collect();
    let words: Vec<&str> = subjects.iter().take(3).map(|it| it.description()).collect();
    let detail = match words.as_slice() {
        [one] => format!("{one} only"),
        words => listed(words),
    };
    (
        subjects.first().copied().unwrap_or(ChangeSubject::Text),
        detail,
    )
}

/// Returns the id for the command line, from the keys of the first patterns: words of letters and digits, joined by `-`.
fn id(patterns: &[ChangePattern]) -> String {
    let keys = match patterns {
        [] => String::new(),
        [one] => one.key.clone(),
        [one, other] => format!("{} and {}", one.key, other.key),
        [one, rest @ ..] => format!("{} and {} more", one.key, rest.len()),
    };
    let words = keys
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<&str>>().join("-").to_lowercase()
}
