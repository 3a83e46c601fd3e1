//! Evidence that two takes with different requests are one call: text that no other take of their folder and signature contains.

use foldhash::{HashMap, HashSet};

use super::candidate::PairCandidate;
use super::similarity::hash;

/// Similar takes share at least one of this number of features.
pub(super) const FEATURES_PER_SHARED: usize = 4;

/// Features of all takes of both sides, paired or not.
pub(super) struct PairEvidence {
    /// For each side the features of a folder and signature, with the request that contains it; `None` if several do.
    owners: [HashMap<(u64, u64), Option<u64>>; 2],
    /// For each side the features, with the folder that contains it; `None` if several do.
    folders: [HashMap<u64, Option<u64>>; 2],
    /// The folders and signatures in which a request is on both sides, and with it the rest of its text.
    unchanged: HashSet<u64>,
}

/// Takes of a folder and a signature differ only in their texts.
pub(super) fn shape(candidate: &PairCandidate) -> u64 {
    hash((&candidate.folder, candidate.signature))
}

/// Takes of one request contain the same; others are compared by themselves.
fn request(candidate: &PairCandidate) -> u64 {
    let path = || hash(&*candidate.path);
    candidate.request.unwrap_or_else(path)
}

impl PairEvidence {
    pub(super) fn new(sides: [&[&PairCandidate]; 2]) -> Self {
        let mut owners: [HashMap<(u64, u64), Option<u64>>; 2] = Default::default();
        let mut folders: [HashMap<u64, Option<u64>>; 2] = Default::default();
        let mut requests: [HashSet<(u64, u64)>; 2] = Default::default();
        for (side, candidates) in sides.into_iter().enumerate() {
            for candidate in candidates {
                let (shape, request) = (shape(candidate), request(candidate));
                let folder = hash(&*candidate.folder);
                requests[side].insert((shape, request));
                for feature in &candidate.features {
                    let owner = owners[side].entry((shape, *feature)).or_insert(Some(request));
                    *owner = owner.filter(|owner| *owner == request);
                    let only = folders[side].entry(*feature).or_insert(Some(folder));
                    *only = only.filter(|only| *only == folder);
                }
            }
        }
        let unchanged = requests[0].intersection(&requests[1]);
        Self { unchanged: unchanged.map(|(shape, _)| *shape).collect(), owners, folders }
    }

    /// Returns whether a take of its folder and signature kept its request. Then another one that lost its own was left out rather
    /// than changed.
    fn is_unchanged(&self, candidate: &PairCandidate) -> bool {
        self.unchanged.contains(&shape(candidate))
    }

    /// Returns the features that no take with another request has, of those of the same folder and signature on its side.
    fn distinctive(&self, side: usize, candidate: &PairCandidate) -> Vec<u64> {
        let shape = shape(candidate);
        let is_own = |f: &u64| self.owners[side].get(&(shape, *f)).is_some_and(Option::is_some);
        candidate.features.iter().copied().filter(is_own).collect()
    }

    /// Returns how many features of an old take that no other has are in a new one; `None` if that is too few for one call. What
    /// all takes contain, such as a common prompt, is no evidence.
    pub(super) fn shared(&self, old: &PairCandidate, new: &PairCandidate) -> Option<usize> {
        let (own, other) = (self.distinctive(0, old), self.distinctive(1, new));
        if own.is_empty() || other.is_empty() {
            // Long texts that differ in a few words may have no feature of their own.
            let is_possible = !self.is_unchanged(old) && !self.is_unchanged(new);
            return is_possible.then_some(0);
        }
        let is_shared = |feature: &&u64| new.features.binary_search(feature).is_ok();
        let shared = own.iter().filter(is_shared).count();
        (shared >= (own.len() / FEATURES_PER_SHARED).max(1)).then_some(shared)
    }

    /// As [`Self::shared`], for takes of different folders: at least half of what only the folder of each contains is in the other.
    pub(super) fn shared_across_folders(
        &self,
        old: &PairCandidate,
        new: &PairCandidate,
    ) -> Option<usize> {
        let shared = self.shared(old, new)?;
        let is_half = |side: usize, candidate: &PairCandidate, other: &PairCandidate| {
            let is_own = |f: &&u64| self.folders[side].get(*f).is_some_and(Option::is_some);
            let own = candidate.features.iter().filter(is_own);
            let is_shared = |f: &&u64| other.features.binary_search(f).is_ok();
            let (own_count, shared_count) = (own.clone().count(), own.filter(is_shared).count());
            // Folders without a feature of their own would be half of nothing.
            shared_count > 0 && shared_count * 2 >= own_count
        };
        (is_half(0, old, new) && is_half(1, new, old)).then_some(shared)
    }
}
