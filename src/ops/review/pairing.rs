//! Finds which new take replaces which old one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::candidate::PairCandidate;
use super::lineup::line_up;
use super::similarity::hash;
use super::{PairedBy, Take, TakePair};
use crate::ops::signature::utf16_order;

/// A feature that more classes of takes than these have says nothing about them; the same of folders with a request.
const COMMON: usize = 24;
/// Of how many features both have to have one, for takes to be similar.
const SHARE: usize = 4;

/// Pairs takes: by the user's choice, by path unless files were renumbered, by content, by request, by signature, by similar text. The others are unpaired. The
/// pairs are in the order of their paths.
pub fn pair_up(
    old: Vec<Arc<Take>>,
    new: Vec<Arc<Take>>,
    by_hand: &[(Arc<str>, Arc<str>)],
) -> Vec<TakePair> {
    let mut pairing = Pairing {
        free: [old, new].map(|takes| takes.into_iter().map(Some).collect()),
        pairs: Vec::new(),
    };
    let hand: HashMap<Arc<str>, Arc<str>> = by_hand.iter().cloned().collect();
    let of_old = |take: &Take| hand.get(&take.path).map(|path| hash(&**path));
    pairing.pair_equal(PairedBy::Hand, &of_old, &|take| Some(hash(&*take.path)));
    let moved = pairing.pair_by_path();
    if pairing.has_both_sides() {
        let content = |take: &Take| Some(hash(&**take.sha256()));
        pairing.pair_equal(PairedBy::Content, &content, &content);
    }
    if pairing.has_both_sides() {
        pairing.pair_by_content();
    }
    for (old, new) in moved {
        if pairing.free[0][old].is_some() && pairing.free[1][new].is_some() {
            pairing.pair(old, new, PairedBy::Path);
        }
    }
    pairing.finish()
}

struct Pairing {
    /// Old and new takes that have no partner yet.
    free: [Vec<Option<Arc<Take>>>; 2],
    pairs: Vec<TakePair>,
}

type PairingKeyFn<'a> = &'a dyn Fn(&PairCandidate) -> Option<u64>;
type TakeMarkFn<'a> = &'a dyn Fn(&Take) -> Option<u64>;

impl Pairing {
    /// Returns whether takes of both sides have no partner yet.
    fn has_both_sides(&self) -> bool {
        let is_free = |takes: &Vec<Option<Arc<Take>>>| takes.iter().any(Option::is_some);
        self.free.iter().all(is_free)
    }

    fn pair(&mut self, old: usize, new: usize, by: PairedBy) {
        let take = |side: &mut Vec<Option<Arc<Take>>>, at: usize| side.get_mut(at)?.take();
        let [olds, news] = &mut self.free;
        let (old, new) = (take(olds, old), take(news, new));
        self.pairs.push(TakePair { old, new, by });
    }

    /// Pairs what bears the same mark, one after the other.
    fn pair_equal(&mut self, by: PairedBy, of_old: TakeMarkFn<'_>, of_new: TakeMarkFn<'_>) {
        let mut waiting: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, take) in self.free[1].iter().enumerate().rev() {
            if let Some(mark) = take.as_deref().and_then(of_new) {
                waiting.entry(mark).or_default().push(at);
            }
        }
        for old in 0..self.free[0].len() {
            let mark = self.free[0][old].as_deref().and_then(of_old);
            let new = mark.and_then(|mark| waiting.get_mut(&mark)?.pop());
            if let Some(new) = new {
                self.pair(old, new, by);
            }
        }
    }

    /// Pairs takes of the same path. Where a folder has takes on one side only, as when files are numbered and one call was added or
    /// left out, a take whose request is that of another file keeps no partner yet: these pairs are returned.
    fn pair_by_path(&mut self) -> Vec<(usize, usize)> {
        let by_path = |side: &Vec<Option<Arc<Take>>>| -> HashMap<Arc<str>, usize> {
            let takes = side.iter().enumerate();
            let takes = takes.filter_map(|(at, take)| Some((Arc::clone(&take.as_ref()?.path), at)));
            takes.collect()
        };
        let [old, new] = self.free.each_ref().map(by_path);
        let folder = |path: &str| {
            path.rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned()
        };
        let alone = old.keys().filter(|path| !new.contains_key(*path));
        let alone = alone.chain(new.keys().filter(|path| !old.contains_key(*path)));
        let shifted: BTreeSet<String> = alone.map(|path| folder(path)).collect();
        let mut pairs: Vec<(usize, usize)> = old
            .iter()
            .filter_map(|(path, old)| Some((*old, *new.get(path)?)))
            .collect();
        pairs.sort_unstable();
        // The requests of each side in a folder.
        let mut requests: [BTreeSet<(Box<str>, u64)>; 2] = Default::default();
        let mut of: [HashMap<usize, (Box<str>, u64)>; 2] = Default::default();
        for (side, paths) in [&old, &new].into_iter().enumerate() {
            let in_folders = paths
                .iter()
                .filter(|(path, _)| shifted.contains(&folder(path)));
            for at in in_folders.map(|(_, at)| *at) {
                let take = self.free[side][at].as_deref();
                let candidate = take.map(|take| PairCandidate::new(at, take));
                let request = candidate.and_then(|it| Some((it.folder, it.request?)));
                if let Some(request) = request {
                    requests[side].insert(request.clone());
                    of[side].insert(at, request);
                }
            }
        }
        let mut moved = Vec::new();
        for (old, new) in pairs {
            let is_moved = match (of[0].get(&old), of[1].get(&new)) {
                (Some(was), Some(is)) if was != is => {
                    requests[0].contains(is) || requests[1].contains(was)
                }
                _ => false,
            };
            if is_moved {
                moved.push((old, new));
            } else {
                self.pair(old, new, PairedBy::Path);
            }
        }
        moved
    }

    /// Pairs what has to be read for it.
    fn pair_by_content(&mut self) {
        let candidates = |takes: &Vec<Option<Arc<Take>>>| -> Vec<PairCandidate> {
            let takes = takes.iter().enumerate();
            let known =
                takes.filter_map(|(at, take)| Some(PairCandidate::new(at, take.as_deref()?)));
            let mut candidates: Vec<PairCandidate> = known.collect();
            candidates.sort_by(PairCandidate::order);
            candidates
        };
        let known = &self.free.each_ref().map(candidates);
        let folder = |it: &PairCandidate| hash(&*it.folder);
        let signature = |it: &PairCandidate| Some(hash((&it.folder, it.signature?)));
        self.pair_by_request(known);
        self.pair_by_text(known, PairedBy::Signature, &signature);
        self.pair_by_request_across_folders(known);
        self.pair_by_text(known, PairedBy::Similarity, &|it| Some(folder(it)));
        self.pair_by_signature(known, &signature);
        self.pair_by_text(known, PairedBy::Similarity, &|_| Some(0));
    }

    /// Returns the takes of both sides that have no partner yet, by a key that both sides share. In order.
    fn grouped<'a, K: Ord>(
        &self,
        known: &'a [Vec<PairCandidate>; 2],
        key: impl Fn(&'a PairCandidate) -> Option<K>,
    ) -> BTreeMap<K, [Vec<&'a PairCandidate>; 2]> {
        let mut groups: BTreeMap<K, [Vec<&PairCandidate>; 2]> = BTreeMap::new();
        for (side, known) in known.iter().enumerate() {
            let free = known.iter().filter(|it| self.free[side][it.at].is_some());
            for candidate in free {
                if let Some(key) = key(candidate) {
                    groups.entry(key).or_default()[side].push(candidate);
                }
            }
        }
        groups
    }

    /// Pairs those of one request, as far as they have no partner yet.
    fn line_up(&mut self, old: &[&PairCandidate], new: &[&PairCandidate], by: PairedBy) {
        let free = |side: usize, all: &[&'_ PairCandidate]| -> Vec<usize> {
            let free = all.iter().enumerate();
            let free = free.filter(|(_, it)| self.free[side][it.at].is_some());
            free.map(|(at, _)| at).collect()
        };
        let old: Vec<&PairCandidate> = free(0, old).into_iter().map(|at| old[at]).collect();
        let new: Vec<&PairCandidate> = free(1, new).into_iter().map(|at| new[at]).collect();
        for (old, new) in line_up(&old, &new) {
            self.pair(old.at, new.at, by);
        }
    }

    /// Pairs those of the same request in a folder.
    fn pair_by_request(&mut self, known: &[Vec<PairCandidate>; 2]) {
        let groups = self.grouped(known, |it| Some((&*it.folder, it.request?)));
        for [old, new] in groups.into_values() {
            self.line_up(&old, &new, PairedBy::Request);
        }
    }

    /// Pairs those of the same request in different folders: folders that share the most requests first.
    fn pair_by_request_across_folders(&mut self, known: &[Vec<PairCandidate>; 2]) {
        let groups = self.grouped(known, |it| it.request);
        let mut shared: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for sides in groups.values() {
            let [old, new] = sides.each_ref().map(|side| {
                let folders: BTreeSet<&str> = side.iter().map(|it| &*it.folder).collect();
                folders
            });
            if old.len().max(new.len()) <= COMMON {
                for old in old {
                    new.iter()
                        .for_each(|new| *shared.entry((old, *new)).or_default() += 1);
                }
            }
        }
        let mut shared: Vec<_> = shared.into_iter().collect();
        shared.sort_by_key(|((old, new), count)| {
            (Reverse(*count), Reverse(common_affix_len(old, new)))
        });
        let keyed = |it: &'_ PairCandidate| Some((it.folder.clone(), it.request?));
        let mut by_folder: [BTreeMap<Box<str>, Vec<u64>>; 2] = Default::default();
        let groups = self.grouped(known, keyed);
        for ((folder, request), sides) in &groups {
            for (side, candidates) in sides.iter().enumerate() {
                if !candidates.is_empty() {
                    let requests = by_folder[side].entry(folder.clone()).or_default();
                    requests.push(*request);
                }
            }
        }
        for ((old, new), _) in shared {
            for request in by_folder[0].get(old).into_iter().flatten() {
                let of = |folder: &str, side: usize| {
                    let group = groups.get(&(Box::from(folder), *request));
                    group.map_or(&[][..], |group| &*group[side])
                };
                self.line_up(of(old, 0), of(new, 1), PairedBy::Request);
            }
        }
    }

    /// Pairs those of a signature in a folder in their order, where there are as many as before.
    fn pair_by_signature(&mut self, known: &[Vec<PairCandidate>; 2], key: PairingKeyFn<'_>) {
        for [old, new] in self.grouped(known, key).into_values() {
            if old.len() == new.len() {
                self.line_up(&old, &new, PairedBy::Signature);
            }
        }
    }

    /// Pairs those whose requests have the most in common, within each scope, without comparing each with each. Takes of
    /// one request are lined up as a whole.
    fn pair_by_text(
        &mut self,
        known: &[Vec<PairCandidate>; 2],
        by: PairedBy,
        scope: PairingKeyFn<'_>,
    ) {
        let class = |it: &PairCandidate| {
            let alone = it.request.is_none().then(|| it.path.clone());
            Some((scope(it)?, it.folder.clone(), it.request, alone))
        };
        let mut classes: [Vec<(u64, Vec<&PairCandidate>)>; 2] = Default::default();
        for ((scope, ..), sides) in self.grouped(known, class) {
            for (side, candidates) in sides.into_iter().enumerate() {
                if !candidates.is_empty() {
                    classes[side].push((scope, candidates));
                }
            }
        }
        for classes in &mut classes {
            classes.sort_by(|(_, a), (_, b)| a[0].order(b[0]));
        }
        let [old, new] = classes;
        let mut having: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
        for (at, (scope, candidates)) in new.iter().enumerate() {
            for feature in &candidates[0].features {
                having.entry((*scope, *feature)).or_default().push(at);
            }
        }
        let mut alike: Vec<(usize, usize, usize)> = Vec::new();
        for (at, (scope, candidates)) in old.iter().enumerate() {
            let features = &candidates[0].features;
            let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
            let having = features.iter().filter_map(|it| having.get(&(*scope, *it)));
            for new in having.filter(|having| having.len() <= COMMON).flatten() {
                *votes.entry(*new).or_default() += 1;
            }
            let least = (features.len() / SHARE).max(1);
            let votes = votes.into_iter().filter(|(_, votes)| *votes >= least);
            alike.extend(votes.map(|(new, votes)| (votes, at, new)));
        }
        alike.sort_by_key(|(votes, old, new)| (Reverse(*votes), *old, *new));
        for (_, at, other) in alike {
            self.line_up(&old[at].1, &new[other].1, by);
        }
    }

    fn finish(mut self) -> Vec<TakePair> {
        let by = PairedBy::Unpaired;
        let [old, new] = self.free;
        let alone = |old, new| TakePair { old, new, by };
        self.pairs
            .extend(old.into_iter().flatten().map(|old| alone(Some(old), None)));
        self.pairs
            .extend(new.into_iter().flatten().map(|new| alone(None, Some(new))));
        self.pairs.sort_by(|a, b| utf16_order(a.path(), b.path()));
        self.pairs
    }
}

/// Returns how many bytes two paths have in common at both ends.
fn common_affix_len(a: &str, b: &str) -> usize {
    let start = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let end = a.bytes().rev().zip(b.bytes().rev());
    start + end.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(files: &[(&str, &str)]) -> Vec<Arc<Take>> {
        let take =
            |(path, text): &(&str, &str)| Arc::new(Take::new(path, text.as_bytes().to_vec()));
        files.iter().map(take).collect()
    }

    fn describe_pairs(
        old: &[(&str, &str)],
        new: &[(&str, &str)],
        by_hand: &[(Arc<str>, Arc<str>)],
    ) -> String {
        let pairs = pair_up(takes(old), takes(new), by_hand);
        let path = |take: &Option<Arc<Take>>| {
            take.as_ref()
                .map_or("-".to_owned(), |it| it.path.to_string())
        };
        let line = |pair: &TakePair| {
            format!(
                "{} -> {} {}\n",
                path(&pair.old),
                path(&pair.new),
                pair.by.as_str()
            )
        };
        pairs.iter().map(line).collect()
    }

    fn recording(tool: &str, shown: &str) -> String {
        format!(
            r#"{{"request": {{"messages": [{{"role": "user", "content": "{shown}"}}], "tools": [{{"name": "{tool}"}}]}}, "response": {{}}}}"#
        )
    }

    #[test]
    fn files_that_were_renumbered_are_paired_by_their_requests() {
        let calls: Vec<String> = [
            "Where is order 1?",
            "Cancel order 2",
            "Thank you",
            "Good bye",
        ]
        .iter()
        .map(|shown| recording("go", shown))
        .collect();
        let [one, two, three, four] = &calls[..] else {
            unreachable!()
        };
        let old = [("s/1", &**one), ("s/2", &**two), ("s/3", &**three)];
        // The first call is left out: each file has the number of the one before.
        let shifted = describe_pairs(&old, &[("s/1", two), ("s/2", three)], &[]);
        insta::assert_snapshot!(shifted, @"
        s/2 -> s/1 content
        s/1 -> - alone
        s/3 -> s/2 content
        ");
        // One more is recorded at the beginning.
        let added = [("s/1", &**four), ("s/2", one), ("s/3", two), ("s/4", three)];
        insta::assert_snapshot!(describe_pairs(&old, &added, &[]), @"
        - -> s/1 alone
        s/1 -> s/2 content
        s/2 -> s/3 content
        s/3 -> s/4 content
        ");
        // A request that no other file has stays with its path, also where a file was added.
        let changed = [("s/1", &**one), ("s/2", four), ("s/3", three), ("s/4", two)];
        insta::assert_snapshot!(describe_pairs(&old[..2], &[("s/1", one), ("s/2", four), ("s/3", three)], &[]), @"
        s/1 -> s/1 path
        s/2 -> s/2 path
        - -> s/3 alone
        ");
        insta::assert_snapshot!(describe_pairs(&old, &changed[..3], &[]), @"
        s/1 -> s/1 path
        s/2 -> s/2 path
        s/3 -> s/3 path
        ");
    }

    #[test]
    fn archives_are_paired_by_the_first_call() {
        use crate::ops::calls::testing::archive;
        let old = archive(&[("go", "go", 200)]);
        let new = archive(&[("go", "go", 200), ("go", "go", 200)]);
        let other = archive(&[("stop", "stop", 200), ("go", "go", 200)]);
        let new = [("t/1.har", other.as_str()), ("t/2.har", new.as_str())];
        insta::assert_snapshot!(describe_pairs(&[("s/a.har", old.as_str())], &new, &[]), @"
        - -> t/1.har alone
        s/a.har -> t/2.har request
        ");
    }

    #[test]
    fn pairs_are_found_by_path_content_signature_and_similarity() {
        let long =
            "the customer asks where the parcel is and why nobody answered the mail of last week";
        let moved = recording("a", "moved and not changed");
        let [one, two] = ["x", "y"].map(|shown| recording("b", shown));
        let renamed = [
            recording("old", long),
            recording("new", &long.replace("parcel", "letter")),
        ];
        let old = [
            ("s/same.json", "{}"),
            ("s/here.json", moved.as_str()),
            ("s/req-1-1.json", &one),
            ("s/req-1-2.json", &two),
            ("t/a.json", &renamed[0]),
            ("gone.json", "[1]"),
        ];
        let new = [
            ("s/same.json", "{\"a\": 1}"),
            ("u/there.json", moved.as_str()),
            ("s/req-2-1.json", &two),
            ("s/req-2-2.json", &recording("b", "z")),
            ("v/b.json", &renamed[1]),
            ("come.json", "[2]"),
        ];
        insta::assert_snapshot!(describe_pairs(&old, &new, &[]), @"
        - -> come.json alone
        gone.json -> - alone
        s/req-1-2.json -> s/req-2-1.json content
        s/req-1-1.json -> s/req-2-2.json signature
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
        insta::assert_snapshot!(describe_pairs(&old, &new, &[("gone.json".into(), "come.json".into())]), @"
        gone.json -> come.json hand
        s/req-1-2.json -> s/req-2-1.json content
        s/req-1-1.json -> s/req-2-2.json signature
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
    }
}
