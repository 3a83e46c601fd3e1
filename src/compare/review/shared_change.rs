//! Changes that several pairs have in common, each by itself: a pair has as many causes as it has kinds of change.

use std::collections::{BTreeMap, BTreeSet};

use super::change_pattern::{ChangePattern, is_prose};
use super::group::group_name;
use super::{ChangeKind, ChangeSubject, TakeChange, TakeValue};

/// Changes of the same kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange<K> {
    /// The key that all of them have.
    pub key: K,
    /// Describes the change; names are in backquotes.
    pub name: String,
    pub subject: ChangeSubject,
    /// Each pair with those of its changes, by their positions. Not empty.
    pub members: BTreeMap<usize, Vec<usize>>,
}

/// Gathers the changes of pairs, each with a key, by key and pattern. Kinds of change with one key and one subject that are in the same
/// pairs are one. In the order of the keys, those of most pairs first.
pub fn shared_changes<K: Copy + Ord>(pairs: &[Vec<(K, TakeChange)>]) -> Vec<SharedChange<K>> {
    let all = || pairs.iter().enumerate().flat_map(|(at, pair)| pair.iter().map(move |c| (at, c)));
    let mut exact_pairs: BTreeMap<(K, &ChangePattern), BTreeSet<usize>> = BTreeMap::new();
    let mut ways: BTreeMap<(K, &ChangePattern), BTreeSet<Option<&ChangePattern>>> = BTreeMap::new();
    for (at, (key, change)) in all() {
        let exact = change.patterns.exact.as_ref();
        ways.entry((*key, &change.patterns.coarse)).or_default().insert(exact);
        if let Some(exact) = exact {
            exact_pairs.entry((*key, exact)).or_default().insert(at);
        }
    }
    let pattern = |key: K, change: &'_ TakeChange| {
        let coarse = &change.patterns.coarse;
        // The same words in several pairs are a cause of their own, and those that all have are its name.
        let is_common = |exact: &&ChangePattern| {
            exact_pairs.get(&(key, *exact)).is_some_and(|pairs| pairs.len() > 1)
                || ways.get(&(key, coarse)).is_some_and(|ways| ways.len() == 1)
        };
        change.patterns.exact.as_ref().filter(is_common).unwrap_or(coarse).clone()
    };
    let mut members: BTreeMap<(K, ChangeSubject, ChangePattern), BTreeMap<usize, Vec<usize>>> =
        BTreeMap::new();
    for (at, pair) in pairs.iter().enumerate() {
        for (index, (key, change)) in pair.iter().enumerate() {
            let kind = (*key, change.subject, pattern(*key, change));
            members.entry(kind).or_default().entry(at).or_default().push(index);
        }
    }
    joined(members, pairs)
}

/// Joins the kinds of change that are in the same pairs.
fn joined<K: Copy + Ord>(
    kinds: BTreeMap<(K, ChangeSubject, ChangePattern), BTreeMap<usize, Vec<usize>>>,
    pairs: &[Vec<(K, TakeChange)>],
) -> Vec<SharedChange<K>> {
    type Kinds = (Vec<ChangePattern>, BTreeMap<usize, Vec<usize>>);
    let mut by_pairs: BTreeMap<(K, ChangeSubject, Vec<usize>), Kinds> = BTreeMap::new();
    for ((key, subject, pattern), members) in kinds {
        let pairs = members.keys().copied().collect();
        let (patterns, all) = by_pairs.entry((key, subject, pairs)).or_default();
        patterns.push(pattern);
        for (at, changes) in members {
            all.entry(at).or_default().extend(changes);
        }
    }
    let shared = by_pairs.into_iter().map(|((key, subject, _), (patterns, members))| {
        let mut name = group_name(&patterns, &|_| 1..=1);
        let mut changes =
            members.iter().flat_map(|(at, all)| all.iter().map(|i| &pairs[*at][*i].1));
        // Other numbers say something else.
        if changes.any(|change| !change.patterns.is_reworded) {
            name = name.replace(" reworded", " changed");
        }
        SharedChange { key, name, subject, members }
    });
    let mut shared: Vec<SharedChange<K>> = shared.collect();
    shared.sort_by(|a, b| a.key.cmp(&b.key).then(b.members.len().cmp(&a.members.len())));
    shared
}

impl TakeChange {
    /// Returns whether it changes the words of a text, and none of its numbers and negations.
    pub fn is_rewording(&self) -> bool {
        let text = |value: &Option<TakeValue>| {
            serde_json::from_str::<String>(&value.as_ref()?.json).ok().filter(|text| is_prose(text))
        };
        self.kind == ChangeKind::Changed
            && self.patterns.is_reworded
            && text(&self.old).is_some()
            && text(&self.new).is_some()
    }

    /// Returns the number of the conversation's message that it is in, from 0, in the new take.
    pub fn message(&self) -> Option<usize> {
        let pointer = self.call.as_ref()?.shown_at[1].as_deref()?;
        pointer.strip_prefix("/request/messages/")?.parse().ok()
    }

    /// Returns the key of the value that changed, without those around it.
    pub fn last_key(&self) -> &str {
        self.pointer().rsplit(['/', '#']).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{PairedBy, Take, TakePair, compare};
    use std::sync::Arc;

    fn cassette(body: &str) -> Option<Arc<Take>> {
        let text = format!(
            r#"{{"interactions": [{{"request": {{"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": {{}}, "body": {body:?}}}, "response": {{"status": {{"code": 200, "message": "OK"}}, "headers": {{}}, "body": {{"string": "{{}}"}}}}}}], "version": 1}}"#
        );
        Some(Arc::new(Take::new("c.json", text.into_bytes())))
    }

    #[test]
    fn a_pair_with_two_kinds_of_change_is_in_two_causes() {
        let body = |model: &str, prompt: &str| {
            format!(
                r#"{{"model": "{model}", "messages": [{{"role": "user", "content": "{prompt}"}}]}}"#
            )
        };
        let changes = |old: &str, new: &str| {
            let pair = TakePair { old: cassette(old), new: cassette(new), by: PairedBy::Path };
            compare(&pair, &[]).changes.into_iter().map(|change| ((), change)).collect()
        };
        let prompt = "Where is the order now?";
        let pairs: Vec<Vec<((), TakeChange)>> = vec![
            changes(&body("a", prompt), &body("b", prompt)),
            changes(&body("a", prompt), &body("b", "Where is the parcel now?")),
            changes(&body("a", "Send order 17 today"), &body("a", "Send order 18 today")),
        ];
        let shared = shared_changes(&pairs);
        let lines = shared.iter().map(|shared| {
            let pairs: Vec<String> = shared.members.keys().map(ToString::to_string).collect();
            format!("{} ({}): {}", shared.name, shared.subject.as_str(), pairs.join(" "))
        });
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
        Message changed (message): 1 2
        Model `a` became `b` (model): 0 1
        ");
        let rewordings = pairs.iter().flatten().map(|(_, change)| change.is_rewording());
        assert_eq!(rewordings.collect::<Vec<_>>(), [false, false, true, false]);
    }
}
