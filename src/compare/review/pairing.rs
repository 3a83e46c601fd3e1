//! Finds which new take replaces which old one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashMapExt as _};

use super::candidate::{PairCandidate, only_request};
use super::evidence::{FEATURES_PER_SHARED, PairEvidence, shape};
use super::lineup::line_up;
use super::pair::without_numbers;
use super::similarity::hash;
use super::{PairedBy, Take, TakePair};
use document::signature::utf16_order;

/// A feature that more classes of takes than these have says nothing about them; the same of folders with a request.
const MAX_CLASSES: usize = 24;
/// Maximum number of paired takes of a folder that are read for the text that all takes of the folder share.
const MAX_SAMPLED_TAKES: usize = 64;

/// Calls a function with each number below the first one, in any order, also at the same time.
pub type EachNumber = dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Pairs takes: by the user's choice, by path unless files were renumbered, by content, by request, by signature, by similar text.
/// The others are unpaired: a call that was left out and one that was added share nothing that other calls do not contain as well.
/// The pairs are in the order of their paths.
pub fn pair_up(
    old: Vec<Arc<Take>>,
    new: Vec<Arc<Take>>,
    by_hand: &[(Arc<str>, Arc<str>)],
) -> Vec<TakePair> {
    pair_up_with(old, new, by_hand, &|count, read| (0..count).for_each(read))
}

/// As [`pair_up`]; what has to be read for it is read by `each`.
pub fn pair_up_with(
    old: Vec<Arc<Take>>,
    new: Vec<Arc<Take>>,
    by_hand: &[(Arc<str>, Arc<str>)],
    each: &EachNumber,
) -> Vec<TakePair> {
    let mut pairing = Pairing {
        each,
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
    // Renumbered files whose request found no partner: only the path is left as evidence.
    for (old, new) in moved {
        if pairing.free[0][old].is_some() && pairing.free[1][new].is_some() {
            pairing.pair(old, new, PairedBy::Path);
        }
    }
    pairing.finish()
}

struct Pairing<'e> {
    each: &'e EachNumber,
    /// Old and new takes that have no partner yet.
    free: [Vec<Option<Arc<Take>>>; 2],
    pairs: Vec<TakePair>,
}

type PairingKeyFn<'a> = &'a dyn Fn(&PairCandidate) -> Option<u64>;
type TakeMarkFn<'a> = &'a dyn Fn(&Take) -> Option<u64>;

impl Pairing<'_> {
    /// Returns whether takes of both sides have no partner yet.
    fn has_both_sides(&self) -> bool {
        let is_free = |takes: &Vec<Option<Arc<Take>>>| takes.iter().any(Option::is_some);
        self.free.iter().all(is_free)
    }

    /// Reads each of some things. Returns what was read, in their order.
    fn read<T: Sync, R: Send + Sync>(&self, things: &[T], read: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let results: Vec<OnceLock<R>> = things.iter().map(|_| OnceLock::new()).collect();
        (self.each)(things.len(), &|at| {
            results[at].get_or_init(|| read(&things[at]));
        });
        let result =
            // The result is right even if `each` left a number out.
            |(result, thing): (OnceLock<R>, &T)| result.into_inner().unwrap_or_else(|| read(thing));
        results.into_iter().zip(things).map(result).collect()
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
        // Reversed, so that `pop` gives the first one.
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

    /// Pairs takes of the same path. Where files are numbered and a call was added or left out, a take whose request is that of a
    /// file with another number keeps no partner yet: these pairs are returned.
    fn pair_by_path(&mut self) -> Vec<(usize, usize)> {
        let by_path = |side: &Vec<Option<Arc<Take>>>| -> BTreeMap<Arc<str>, usize> {
            let path = |(at, take): (usize, &Option<Arc<Take>>)| {
                Some((Arc::clone(&take.as_ref()?.path), at))
            };
            side.iter().enumerate().filter_map(path).collect()
        };
        let sides = self.free.each_ref().map(by_path);
        let take =
            |side: usize, path: &Arc<str>| self.free[side][*sides[side].get(path)?].as_deref();
        // A file with equal bytes is read only if it has no other partner.
        let is_other = |path: &Arc<str>| match (take(0, path), take(1, path)) {
            (Some(old), Some(new)) => old.bytes != new.bytes,
            _ => true,
        };
        let paths = sides.iter().flat_map(BTreeMap::keys).collect();
        let mut numbered: BTreeMap<(&str, String), Vec<&Arc<str>>> = BTreeMap::new();
        for path in BTreeSet::into_iter(paths) {
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
            let name = without_numbers(file);
            if is_other(path) && name.len() < file.len() {
                numbered.entry((folder, name)).or_default().push(path);
            }
        }
        let is_possible = |paths: &Vec<&Arc<str>>| {
            let has_both = |path: &&Arc<str>| sides.iter().all(|side| side.contains_key(*path));
            paths.len() > 1 && paths.iter().any(has_both)
        };
        let numbered: Vec<_> = numbered.into_values().filter(is_possible).collect();
        let paths: Vec<&Arc<str>> = numbered.iter().flatten().copied().collect();
        let read = |path: &&Arc<str>| [0, 1].map(|side| only_request(take(side, path)?));
        let mut read = self.read(&paths, read).into_iter();
        let mut moved = BTreeSet::new();
        for paths in numbered {
            let read: Vec<_> = paths.iter().copied().zip(read.by_ref()).collect();
            let hashes = [0, 1].map(|side| -> BTreeMap<&Arc<str>, u64> {
                read.iter().filter_map(|(path, sides)| Some((*path, sides[side]?))).collect()
            });
            let all = hashes.each_ref().map(|r| -> BTreeSet<u64> { r.values().copied().collect() });
            moved.extend(paths.into_iter().filter(|path| {
                hashes[0].get(path).zip(hashes[1].get(path)).is_some_and(|(was, is)| {
                    was != is && (all[0].contains(is) || all[1].contains(was))
                })
            }));
        }
        let paths = sides[0].iter().filter_map(|(p, o)| Some((p, (*o, *sides[1].get(p)?))));
        let (moved, same): (Vec<_>, Vec<_>) = paths.partition(|(path, _)| moved.contains(path));
        let [moved, same] = [moved, same].map(|pairs| -> Vec<(usize, usize)> {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(_, pair)| pair).collect();
            pairs.sort_unstable();
            pairs
        });
        for (old, new) in same {
            self.pair(old, new, PairedBy::Path);
        }
        moved
    }

    /// Pairs what has to be read for it.
    fn pair_by_content(&mut self) {
        let candidates = |takes: &Vec<Option<Arc<Take>>>| -> Vec<PairCandidate> {
            let takes = takes.iter().enumerate().filter_map(|(a, t)| Some((a, t.as_deref()?)));
            let takes: Vec<(usize, &Take)> = takes.collect();
            let mut candidates = self.read(&takes, |(at, take)| PairCandidate::new(*at, take));
            candidates.sort_by(PairCandidate::order);
            candidates
        };
        let paired = self.sampled();
        let candidates = &self.free.each_ref().map(candidates);
        self.pair_by_request(candidates);
        if !self.has_both_sides() {
            return;
        }
        // Takes with a partner are only evidence, so their place is not needed.
        let paired = paired.map(|paired| self.read(&paired, |take| PairCandidate::new(0, take)));
        let all = [0, 1]
            .map(|s| -> Vec<&PairCandidate> { candidates[s].iter().chain(&paired[s]).collect() });
        let all = all.each_ref().map(Vec::as_slice);
        let evidence = &PairEvidence::new(all);
        let folder = |item: &PairCandidate| hash(&*item.folder);
        let signature = |item: &PairCandidate| item.signature.map(|_| shape(item));
        // From strong evidence to weak: each step sees only what is still free.
        self.pair_by_text(candidates, evidence, PairedBy::Signature, &signature);
        self.pair_by_request_across_folders(candidates);
        self.pair_by_text(candidates, evidence, PairedBy::Similarity, &|item| Some(folder(item)));
        self.pair_by_signature(candidates, all);
        self.pair_by_text(candidates, evidence, PairedBy::Similarity, &|_| Some(0));
    }

    /// Returns some of the takes of each side that have a partner already, in folders where others have none.
    fn sampled(&self) -> [Vec<Arc<Take>>; 2] {
        let free = self.free.iter().flatten().flatten();
        let folders: BTreeSet<&str> = free.map(|take| take.folder()).collect();
        let mut of_folder: BTreeMap<(usize, &str), Vec<&Arc<Take>>> = BTreeMap::new();
        for pair in &self.pairs {
            for (side, take) in [&pair.old, &pair.new].into_iter().enumerate() {
                if let Some(take) = take.as_ref().filter(|take| folders.contains(take.folder())) {
                    of_folder.entry((side, take.folder())).or_default().push(take);
                }
            }
        }
        let mut sampled: [Vec<Arc<Take>>; 2] = Default::default();
        for ((side, _), takes) in of_folder {
            let step = takes.len().div_ceil(MAX_SAMPLED_TAKES);
            sampled[side].extend(takes.into_iter().step_by(step).cloned());
        }
        sampled
    }

    /// Returns the takes of both sides that have no partner yet, by a key that both sides share. In order.
    fn grouped<'a, K: Ord>(
        &self,
        candidates: &'a [Vec<PairCandidate>; 2],
        key: impl Fn(&'a PairCandidate) -> Option<K>,
    ) -> BTreeMap<K, [Vec<&'a PairCandidate>; 2]> {
        let mut groups: BTreeMap<K, [Vec<&PairCandidate>; 2]> = BTreeMap::new();
        for (side, side_candidates) in candidates.iter().enumerate() {
            for candidate in side_candidates.iter().filter(|c| self.free[side][c.at].is_some()) {
                if let Some(key) = key(candidate) {
                    groups.entry(key).or_default()[side].push(candidate);
                }
            }
        }
        groups
    }

    /// Pairs those of one request, as far as they have no partner yet.
    fn line_up<'c>(&mut self, old: &[&'c PairCandidate], new: &[&'c PairCandidate], by: PairedBy) {
        let free = |side: usize, all: &[&'c PairCandidate]| -> Vec<&'c PairCandidate> {
            all.iter().copied().filter(|c| self.free[side][c.at].is_some()).collect()
        };
        for (old, new) in line_up(&free(0, old), &free(1, new)) {
            self.pair(old.at, new.at, by);
        }
    }

    /// Pairs those of the same request in a folder.
    fn pair_by_request(&mut self, pool: &[Vec<PairCandidate>; 2]) {
        for [old, new] in self.grouped(pool, |c| Some((&*c.folder, c.request?))).into_values() {
            self.line_up(&old, &new, PairedBy::Request);
        }
    }

    /// Pairs those of the same request in different folders: folders that share the most requests first.
    fn pair_by_request_across_folders(&mut self, all_candidates: &[Vec<PairCandidate>; 2]) {
        let groups = self.grouped(all_candidates, |item| item.request);
        let mut shared: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for sides in groups.values() {
            let [old, new] = sides.each_ref().map(|side| {
                let folders: BTreeSet<&str> = side.iter().map(|c| &*c.folder).collect();
                folders
            });
            if old.len().max(new.len()) <= MAX_CLASSES {
                for old in old {
                    new.iter().for_each(|new| *shared.entry((old, *new)).or_default() += 1);
                }
            }
        }
        let mut shared: Vec<_> = shared.into_iter().collect();
        shared.sort_by_key(|((old, new), count)| {
            (Reverse(*count), Reverse(common_affix_len(old, new)))
        });
        let keyed = |item: &'_ PairCandidate| Some((item.folder.clone(), item.request?));
        let mut by_folder: [BTreeMap<Box<str>, Vec<u64>>; 2] = Default::default();
        let groups = self.grouped(all_candidates, keyed);
        for ((folder, request), sides) in &groups {
            for (side, candidates) in sides.iter().enumerate() {
                if !candidates.is_empty() {
                    by_folder[side].entry(folder.clone()).or_default().push(*request);
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

    /// Pairs those of a signature in a folder in their order, where there are as many as before and no other one has a partner.
    fn pair_by_signature(&mut self, pool: &[Vec<PairCandidate>; 2], all: [&[&PairCandidate]; 2]) {
        let is_free = |side: usize, candidate: &PairCandidate| {
            let take = self.free[side].get(candidate.at).and_then(Option::as_ref);
            // Sampled takes all have the place 0, so the path is compared as well.
            take.is_some_and(|take| take.path == candidate.path)
        };
        let paired = all.into_iter().enumerate().flat_map(|(side, all)| {
            all.iter().filter(move |c| !is_free(side, c)).map(|candidate| shape(candidate))
        });
        let paired: BTreeSet<u64> = paired.collect();
        let key = |candidate: &PairCandidate| {
            let shape = candidate.signature.map(|_| shape(candidate));
            shape.filter(|shape| !paired.contains(shape))
        };
        for [old, new] in self.grouped(pool, key).into_values() {
            if old.len() == new.len() {
                self.line_up(&old, &new, PairedBy::Signature);
            }
        }
    }

    /// Pairs those whose requests have the most in common, within each scope, without comparing each with each. Takes of
    /// one request are lined up as a whole.
    fn pair_by_text(
        &mut self,
        all_candidates: &[Vec<PairCandidate>; 2],
        evidence: &PairEvidence,
        by: PairedBy,
        scope: PairingKeyFn<'_>,
    ) {
        let class = |candidate: &PairCandidate| {
            let alone = candidate.request.is_none().then(|| candidate.path.clone());
            Some((scope(candidate)?, candidate.folder.clone(), candidate.request, alone))
        };
        let mut classes: [Vec<(u64, Vec<&PairCandidate>)>; 2] = Default::default();
        for ((scope, ..), sides) in self.grouped(all_candidates, class) {
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
        let mut pairs_by_votes: Vec<([usize; 2], usize, usize)> = Vec::new();
        for (at, (scope, candidates)) in old.iter().enumerate() {
            let features = &candidates[0].features;
            let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
            let having = features.iter().filter_map(|feature| having.get(&(*scope, *feature)));
            for new in having.filter(|having| having.len() <= MAX_CLASSES).flatten() {
                *votes.entry(*new).or_default() += 1;
            }
            let least = (features.len() / FEATURES_PER_SHARED).max(1);
            let votes = votes.into_iter().filter(|(_, votes)| *votes >= least);
            pairs_by_votes.extend(votes.filter_map(|(other, votes)| {
                let (old, new) = (candidates[0], new[other].1[0]);
                let shared = if old.folder == new.folder {
                    evidence.shared(old, new)
                } else {
                    evidence.shared_across_folders(old, new)
                }?;
                Some(([shared, votes], at, other))
            }));
        }
        // Equal fits stay in the order of time.
        pairs_by_votes.sort_by_key(|(fit, old, new)| (Reverse(*fit), *old, *new));
        for (_, at, other) in pairs_by_votes {
            self.line_up(&old[at].1, &new[other].1, by);
        }
    }

    fn finish(mut self) -> Vec<TakePair> {
        let by = PairedBy::Unpaired;
        let [old, new] = self.free;
        let alone = |old, new| TakePair { old, new, by };
        self.pairs.extend(old.into_iter().flatten().map(|old| alone(Some(old), None)));
        self.pairs.extend(new.into_iter().flatten().map(|new| alone(None, Some(new))));
        // The order in which DyGram's player loads the files of a set.
        self.pairs.sort_by(|a, b| utf16_order(a.path(), b.path()));
        self.pairs
    }
}

/// Returns the number of bytes that two paths have in common at both ends.
fn common_affix_len(a: &str, b: &str) -> usize {
    let start = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    start + a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count()
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
            take.as_ref().map_or("-".to_owned(), |take| take.path.to_string())
        };
        let line = |pair: &TakePair| {
            format!("{} -> {} {}\n", path(&pair.old), path(&pair.new), pair.by.as_str())
        };
        pairs.iter().map(line).collect()
    }

    fn recording(tool: &str, text: &str) -> String {
        format!(
            r#"{{"request": {{"messages": [{{"role": "user", "content": "{text}"}}], "tools": [{{"name": "{tool}"}}]}}, "response": {{}}}}"#
        )
    }

    #[test]
    fn files_that_were_renumbered_are_paired_by_their_requests() {
        let calls: Vec<String> = ["Where is order 1?", "Cancel order 2", "Thank you", "Good bye"]
            .iter()
            .map(|text| recording("go", text))
            .collect();
        let [one, two, three, four] = &calls[..] else { unreachable!() };
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
    fn what_was_left_out_is_not_paired_with_what_was_added() {
        let call = |number: &str| {
            recording(
                "go",
                &format!(
                    "You answer for a shop that sends parcels. Where is order {number} of today?"
                ),
            )
        };
        let [a, b, c, d] = ["one", "two", "three", "four"].map(call);
        // The files are numbered, and there are as many as before.
        let old = [("s/1", &*a), ("s/2", &b), ("s/3", &c)];
        insta::assert_snapshot!(describe_pairs(&old, &[("s/1", &a), ("s/2", &c), ("s/3", &d)], &[]), @"
        s/1 -> s/1 path
        s/3 -> s/2 content
        s/2 -> - alone
        - -> s/3 alone
        ");
        insta::assert_snapshot!(describe_pairs(&old, &[("s/1", &d), ("s/2", &a), ("s/3", &c)], &[]), @"
        - -> s/1 alone
        s/1 -> s/2 content
        s/2 -> - alone
        s/3 -> s/3 path
        ");
        // The files are named after when they were recorded.
        let old = [("s/req-1-1", &*a), ("s/req-1-2", &b)];
        insta::assert_snapshot!(describe_pairs(&old, &[("s/req-2-1", &a), ("s/req-2-2", &d)], &[]), @"
        s/req-1-2 -> - alone
        s/req-1-1 -> s/req-2-1 content
        - -> s/req-2-2 alone
        ");
        // Other names stay what they are.
        let old = [("s/ask", &*a), ("s/answer", &b)];
        insta::assert_snapshot!(describe_pairs(&old, &[("s/ask", &b), ("s/answer", &d)], &[]), @"
        s/answer -> s/answer path
        s/ask -> s/ask path
        ");
        // All have another prompt, one was left out, and another one was added.
        let old = [("s/req-1-1", &*a), ("s/req-1-2", &b), ("s/req-1-3", &c)];
        let [one, two, three] =
            [&a, &c, &d].map(|text| text.replace("shop that sends parcels", "store"));
        let new = [("s/req-2-1", &*one), ("s/req-2-2", &two), ("s/req-2-3", &three)];
        insta::assert_snapshot!(describe_pairs(&old, &new, &[]), @"
        s/req-1-2 -> - alone
        s/req-1-1 -> s/req-2-1 signature
        s/req-1-3 -> s/req-2-2 signature
        - -> s/req-2-3 alone
        ");
    }

    #[test]
    fn calls_of_different_folders_need_more_in_common_than_a_prompt() {
        let call = |tool: &str, what: &str| {
            recording(tool, &format!("You answer for a shop that sends parcels. {what}"))
        };
        let kept_text = call("close", "Close the ticket about the broken lamp");
        let old_text = call("merge", "Merge both tickets that this customer wrote yesterday");
        let come = call("close", "Can you close my complaint from last Monday please?");
        let old = [("close/1.json", &*kept_text), ("merge/turn-2.json", &old_text)];
        let new = [("close/1.json", &*kept_text), ("close/4.json", &come)];
        insta::assert_snapshot!(describe_pairs(&old, &new, &[]), @"
        close/1.json -> close/1.json path
        - -> close/4.json alone
        merge/turn-2.json -> - alone
        ");
    }

    #[test]
    fn archives_are_paired_by_the_first_call() {
        use calls::reading::testing::archive;
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
        let [one, two] = ["x", "y"].map(|text| recording("b", text));
        let renamed = [recording("old", long), recording("new", &long.replace("parcel", "letter"))];
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
        s/req-1-1.json -> - alone
        s/req-1-2.json -> s/req-2-1.json content
        - -> s/req-2-2.json alone
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
        insta::assert_snapshot!(describe_pairs(&old, &new, &[("gone.json".into(), "come.json".into())]), @"
        gone.json -> come.json hand
        s/req-1-1.json -> - alone
        s/req-1-2.json -> s/req-2-1.json content
        - -> s/req-2-2.json alone
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
    }
}
