//! Groups pairs with the same change patterns.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use foldhash::{HashMap, HashMapExt as _};

use super::change_pattern::{ChangePattern, ChangePatterns, PatternRank};
use super::reviewed::Reviewed;
use super::similarity::hash;
use super::{
    ChangeSubject, IgnoreReason, PairComparison, PairStatus, ReviewLane, TakeChange, TakeValue,
};
use calls::tape::verify::ignore;
use document::text::{counted, lower_first, natural_order, some, thousands};

/// Pairs that changed in the same way, to be decided at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewGroup {
    /// Names it on the command line, such as `tool-respond-became-reply`. The same in the next review of the same takes.
    pub id: String,
    /// A description of the change; names are in backquotes.
    pub name: String,
    /// Parts of the conversation that changed, such as "offered tools and calls".
    pub detail: String,
    /// Most important subject of its causes.
    pub subject: ChangeSubject,
    /// Its pairs, by their place in the queue: each first cause with what follows from it behind it.
    pub pairs: Vec<usize>,
    /// Whether its pairs have to be decided; false if all differences are ignored.
    pub needs_decision: bool,
    /// The lane of all of its pairs.
    pub lane: ReviewLane,
    /// The number of different causes, by the words that changed; 1 if one decision is enough.
    pub causes: usize,
    /// Number of ways in which its pairs changed, by everything that is not ignored, consequences as well.
    pub variants: usize,
}

impl ReviewGroup {
    /// Returns whether all of its pairs changed in the same way, as a mark: `uniform`, `3 different changes` or, if more differs than the
    /// causes, `1 cause, changed in 3 ways`. Empty for whole files, and if all is ignored.
    pub fn uniformity(&self) -> String {
        let variants = thousands(self.variants);
        match (self.causes, self.variants) {
            _ if self.detail.is_empty() => String::new(),
            (_, 0 | 1) => "uniform".to_owned(),
            (causes, all) if causes == all => format!("{variants} different changes"),
            (causes, _) => {
                let causes = counted(causes, "cause", "causes");
                format!("{causes}, changed in {variants} ways")
            }
        }
    }
}

/// The share of a coarse pattern that must have changed in the same words to become a separate pattern: one of this number.
const COARSE_PER_EXACT: usize = 10;

/// Puts pairs into groups, and answers these: those that need a decision first, the largest first. The changes that a group is
/// named after become the first ones of its pairs.
pub(super) fn groups(pairs: &mut [Reviewed]) -> Vec<ReviewGroup> {
    let counts = PatternCounts::new(pairs);
    let patterns: Vec<BTreeSet<ChangePattern>> =
        pairs.iter().map(|pair| counts.patterns_of(pair)).collect();
    let comparisons = pairs.iter().map(|pair| &pair.compared);
    let causes: Vec<u64> = comparisons.clone().map(|pair| variant(pair.causes())).collect();
    let is_shown = |change: &&TakeChange| change.ignored.is_none();
    let wholes = comparisons.zip(&*pairs).map(|(pair, reviewed)| match pair.status {
        // Each file that was added or removed is a variant of its own.
        PairStatus::Added | PairStatus::Removed => hash(reviewed.pair.key()),
        _ => variant(pair.changes.iter().filter(is_shown)),
    });
    let wholes: Vec<u64> = wholes.collect();
    // Sorted by the patterns, so that equal groups have the same number and id in the next review.
    let mut members: BTreeMap<(ReviewLane, Vec<ChangePattern>), Vec<usize>> = BTreeMap::new();
    for (at, reviewed) in pairs.iter().enumerate() {
        let own = distinctive_patterns(&patterns[at]);
        let cause = reviewed.first_cause.map(|cause| distinctive_patterns(&patterns[cause]));
        // A consequence is in the group of its cause, unless it also has other changes.
        let is_explained = |cause: &Vec<ChangePattern>| {
            let mut own = own.iter();
            own.all(|pattern| pattern.rank == PatternRank::Wording || cause.contains(pattern))
        };
        let own_lane = reviewed.compared.lane();
        let (lane, key) = match cause.filter(is_explained).zip(reviewed.first_cause) {
            Some((key, cause)) => (pairs[cause].compared.lane(), key),
            None => (own_lane, own.clone()),
        };
        if !key.is_empty() {
            members.entry((lane, key)).or_default().push(at);
        }
    }
    for ((lane, key), members) in &members {
        let Some(first) = key.first() else { continue };
        let is_named = |change: &TakeChange| {
            let ChangePatterns { exact, coarse, .. } = &change.patterns;
            exact.as_ref() == Some(first) || coarse == first
        };
        for at in members {
            let changes = &mut pairs[*at].compared.changes;
            // A renamed tool is also in messages; the tool itself comes first. A group of other words has no name of a change.
            changes.sort_by_key(|change| {
                let subject = is_named(change).then_some(change.subject);
                (subject.is_none(), subject, change.lane() != *lane)
            });
        }
    }
    let groups = members.into_iter().map(|((lane, key), mut members)| {
        let path = |at: usize| pairs[at].pair.path();
        let cause = |at: usize| pairs[at].first_cause.unwrap_or(at);
        let mut frequency: HashMap<u64, usize> = HashMap::new();
        for at in members.iter().filter(|at| cause(**at) == **at) {
            *frequency.entry(causes[*at]).or_default() += 1;
        }
        let rarity = |at: usize| frequency.get(&causes[cause(at)]).copied();
        members.sort_by(|left, right| {
            // Pairs that changed in another way than most come first.
            let rank = natural_order(path(cause(*left)), path(cause(*right)));
            let rank = rarity(*left).cmp(&rarity(*right)).then(rank);
            let is_cause = |at: usize| cause(at) != at;
            rank.then(is_cause(*left).cmp(&is_cause(*right)))
                .then_with(|| natural_order(path(*left), path(*right)))
                .then(left.cmp(right))
        });
        let variants: BTreeSet<u64> = members.iter().map(|at| wholes[*at]).collect();
        let (subject, detail) = group_detail(pairs, &members);
        let mut changes = members.iter().flat_map(|at| pairs[*at].compared.causes());
        let is_reworded = changes.all(|change| change.patterns.is_reworded);
        let name = match &*key {
            [one] if one.rank == PatternRank::Wording && !is_reworded => "Text changed".to_owned(),
            _ => group_name(&key, &|pattern| call_counts(pairs, &members, pattern)),
        };
        ReviewGroup {
            id: id(&key),
            name,
            detail,
            subject,
            needs_decision: members.iter().any(|at| pairs[*at].needs_decision()),
            lane,
            // All of its pairs may follow from pairs of other groups.
            causes: frequency.len().max(1),
            variants: variants.len(),
            pairs: members,
        }
    });
    let mut groups: Vec<ReviewGroup> = groups.collect();
    groups.sort_by_key(|g| (g.lane, !g.needs_decision, g.causes < 2, Reverse(g.pairs.len())));
    let mut ids = BTreeSet::new();
    for (number, group) in groups.iter_mut().enumerate() {
        if !ids.insert(group.id.clone()) {
            // Two lanes may have a group of the same patterns, but commands select by the id alone.
            let of_lane = format!("{}-{}", group.id, group.lane.as_str());
            group.id = if ids.insert(of_lane.clone()) {
                of_lane
            } else {
                format!("{}-{}", group.id, number + 1)
            };
        }
        for at in &group.pairs {
            (pairs[*at].group, pairs[*at].lane) = (Some(number), group.lane);
        }
    }
    groups
}

/// Returns the same number for changes of the same words in the same way. Ids and dates in them are no words.
fn variant<'a>(changes: impl Iterator<Item = &'a TakeChange>) -> u64 {
    let changes = changes.map(|change| {
        let ChangePatterns { exact, coarse, .. } = &change.patterns;
        // Other coarse patterns name where something changed, or a tool without its arguments.
        let is_whole = coarse.rank == PatternRank::Renamed;
        let pattern = exact.as_ref().or(Some(coarse).filter(|_| is_whole));
        let json = |at: &Option<TakeValue>| Some(ignore::masked(&at.as_ref()?.json).0.into_owned());
        let values =
            if pattern.is_some() { [None, None] } else { [json(&change.old), json(&change.new)] };
        hash((change.kind, change.subject, pattern, values))
    });
    let changes: BTreeSet<u64> = changes.collect();
    hash(changes.into_iter().collect::<Vec<u64>>())
}

/// Number of pairs in which each pattern occurs.
struct PatternCounts(HashMap<ChangePattern, usize>);

impl PatternCounts {
    fn new(pairs: &[Reviewed]) -> Self {
        let mut counts = HashMap::new();
        for pair in pairs {
            let own = pair.compared.causes();
            let patterns = own.flat_map(|c| c.patterns.exact.iter().chain([&c.patterns.coarse]));
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

    /// Returns the exact pattern if it is a group of its own.
    fn common<'p>(&self, patterns: &'p ChangePatterns) -> Option<&'p ChangePattern> {
        let ChangePatterns { exact, reverse, coarse, .. } = patterns;
        let count = |pattern: &ChangePattern| self.0.get(pattern).copied().unwrap_or_default();
        // An answer that changes in both directions is worded by chance.
        let is_chance = reverse.as_ref().is_some_and(|reverse| count(reverse) > 0);
        exact.as_ref().filter(|exact| {
            // Words that only one pair has would give each answer a group of its own.
            !is_chance && count(exact) > 1 && count(exact) * COARSE_PER_EXACT >= count(coarse)
        })
    }

    /// Returns the patterns of the direct changes of a pair.
    fn patterns_of(&self, reviewed: &Reviewed) -> BTreeSet<ChangePattern> {
        let diff = &reviewed.compared;
        let file_group = |key: &str, name: &str| {
            BTreeSet::from(
                [ChangePatterns::without_variant(PatternRank::Changed, key, name).coarse],
            )
        };
        let is_given = |change: &TakeChange| {
            matches!(change.ignored, Some(IgnoreReason::Time | IgnoreReason::Id))
        };
        let is_equal = diff.changes.is_empty() && !diff.bytes_only;
        match diff.status {
            PairStatus::Added if diff.is_unreadable() => {
                file_group("takes added that are unreadable", "Files added that cannot be read")
            }
            PairStatus::Added => file_group("takes added", "Files added"),
            PairStatus::Removed => file_group("takes removed", "Files removed"),
            // Names that contain ids are noise like the ids in the file.
            PairStatus::Renamed if !reviewed.pair.is_renumbered() || is_equal => {
                file_group("moved, nothing else", "Moved, nothing else")
            }
            PairStatus::Same | PairStatus::Renamed if diff.bytes_only => {
                file_group("only bytes differ", "Only formatting differs")
            }
            PairStatus::Same => BTreeSet::new(),
            PairStatus::IgnoredOnly | PairStatus::Renamed if diff.changes.iter().all(is_given) => {
                file_group("only times and ids differ", "Only times and ids differ")
            }
            PairStatus::IgnoredOnly | PairStatus::Renamed => {
                // Scripts contain the id that this key makes.
                file_group("only what is set aside differs", "Only ignored differences")
            }
            PairStatus::Changed => {
                let pattern = |change: &TakeChange| {
                    self.common(&change.patterns).unwrap_or(&change.patterns.coarse).clone()
                };
                diff.causes().map(pattern).collect()
            }
        }
    }
}

/// Returns the patterns that distinguish groups: wording varies anyway.
fn distinctive_patterns(patterns: &BTreeSet<ChangePattern>) -> Vec<ChangePattern> {
    let distinctive: Vec<ChangePattern> =
        patterns.iter().filter(|pattern| pattern.rank != PatternRank::Wording).cloned().collect();
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

/// Returns the name of a group, from the first of its patterns, which are the most informative. `counts` gives how many calls a pair of the
/// group has at least and at most to which a pattern applies.
pub(super) fn group_name(
    patterns: &[ChangePattern],
    counts: &dyn Fn(&ChangePattern) -> RangeInclusive<usize>,
) -> String {
    // The names of added and removed calls of cassettes begin with this.
    let name = |pattern: &ChangePattern| match pattern.name.strip_prefix("Call ") {
        Some(rest) => match counts(pattern).into_inner() {
            (_, 0 | 1) => pattern.name.clone(),
            (least, most) if least == most => format!("{least} calls {rest}"),
            (least, most) => format!("{least} to {most} calls {rest}"),
        },
        None => pattern.name.clone(),
    };
    match patterns {
        [] => String::new(),
        [one] => name(one),
        [one, other] => {
            let [one, other] = [one, other].map(name);
            let replaced = replaced_name(&one, &other);
            replaced.unwrap_or_else(|| format!("{one}, and {}", lower_first(&other)))
        }
        [one, rest @ ..] => format!("{}, and {} more kinds of change", name(one), rest.len()),
    }
}

/// Returns how many calls that were added or removed have a pattern, in the pair of a group that has the fewest and in the one that has the most.
fn call_counts(
    pairs: &[Reviewed],
    members: &[usize],
    pattern: &ChangePattern,
) -> RangeInclusive<usize> {
    let count = |at: &usize| {
        let is_meant = |change: &&TakeChange| {
            change.subject == ChangeSubject::HttpCall && change.patterns.coarse == *pattern
        };
        pairs[*at].compared.changes.iter().filter(is_meant).count()
    };
    let counts = || members.iter().map(count).filter(|count| *count > 0);
    counts().min().unwrap_or_default()..=counts().max().unwrap_or_default()
}

/// Returns the name of two patterns of which one says that something was added and the other that the same was removed.
fn replaced_name(one: &str, other: &str) -> Option<String> {
    let (added, removed) = match one.strip_suffix(" added") {
        Some(added) => (added, other.strip_suffix(" removed")?),
        None => (other.strip_suffix(" added")?, one.strip_suffix(" removed")?),
    };
    (added == removed).then(|| format!("{added} replaced"))
}

/// Returns the most important subject of a group's causes, and a description of the subjects of all that is not ignored.
fn group_detail(pairs: &[Reviewed], members: &[usize]) -> (ChangeSubject, String) {
    let comparisons = || members.iter().map(|at| &pairs[*at].compared);
    let open = comparisons().flat_map(|p| &p.changes).filter(|change| change.ignored.is_none());
    let subjects: BTreeSet<ChangeSubject> = open.map(|change| change.subject).collect();
    // One more word is not longer than its number.
    let most = if subjects.len() == 4 { 4 } else { 3 };
    let detail = some(subjects.iter().map(|subject| subject.description()), most);
    let causes = comparisons().flat_map(PairComparison::causes);
    (causes.map(|change| change.subject).min().unwrap_or(ChangeSubject::Text), detail)
}

/// Returns the id for the command line, from the keys of the first patterns: words of letters and digits, joined by `-`.
fn id(patterns: &[ChangePattern]) -> String {
    let keys = match patterns {
        [] => String::new(),
        [one] => one.key.clone(),
        [one, other] => format!("{} and {}", one.key, other.key),
        [one, rest @ ..] => format!("{} and {} more", one.key, rest.len()),
    };
    // Ids are typed in a shell: nothing in them needs quotes.
    let words = keys.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<&str>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::replaced_name;

    #[test]
    fn what_is_added_and_removed_is_named_replaced() {
        let name = replaced_name("Answer added", "Answer removed");
        assert_eq!(name.as_deref(), Some("Answer replaced"));
        assert_eq!(replaced_name("Answer added", "Prompt removed"), None);
        assert_eq!(replaced_name("Answer added", "Answer reworded"), None);
    }
}
