//! Which new take stands in place of which old one.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::likeness::{hash, said};
use super::{Pair, PairedBy, Take};
use crate::format::{Body, Document};
use crate::ops::signature::{SignatureText, utf16_order};

/// How many features of a take are compared.
const FEATURES: usize = 64;
/// What more takes than these have in common tells none of them.
const COMMON: usize = 24;
/// Of how many features both have to have one, for takes to be alike.
const SHARE: usize = 4;

/// Pairs takes: as the user said, by path, by content, by signature and order, by likeness. What is left stands alone. The
/// pairs come in the order of their paths.
pub fn pair_up(
    old: Vec<Arc<Take>>,
    new: Vec<Arc<Take>>,
    by_hand: &[(Arc<str>, Arc<str>)],
) -> Vec<Pair> {
    let mut pairing = Pairing {
        free: [old, new].map(|takes| takes.into_iter().map(Some).collect()),
        pairs: Vec::new(),
    };
    let hand: HashMap<Arc<str>, Arc<str>> = by_hand.iter().cloned().collect();
    let of_old = |take: &Take| hand.get(&take.path).map(|path| hash(&**path));
    pairing.first_come(PairedBy::Hand, &of_old, &|take| Some(hash(&*take.path)));
    let path = |take: &Take| Some(hash(&*take.path));
    pairing.first_come(PairedBy::Path, &path, &path);
    let content = |take: &Take| Some(hash(&*take.sha256));
    pairing.first_come(PairedBy::Content, &content, &content);
    pairing.by_reading();
    pairing.finish()
}

struct Pairing {
    /// Old and new takes that have no partner yet.
    free: [Vec<Option<Arc<Take>>>; 2],
    pairs: Vec<Pair>,
}

/// What a take that has no partner by its path is known by.
struct Known {
    at: usize,
    folder: Box<str>,
    signature: Option<u64>,
    features: Vec<u64>,
}

type Mark<'a> = &'a dyn Fn(&Take) -> Option<u64>;

impl Pairing {
    fn pair(&mut self, old: usize, new: usize, by: PairedBy) {
        let take = |side: &mut Vec<Option<Arc<Take>>>, at: usize| side.get_mut(at)?.take();
        let [olds, news] = &mut self.free;
        let (old, new) = (take(olds, old), take(news, new));
        self.pairs.push(Pair { old, new, by });
    }

    /// Pairs what bears the same mark, one after the other.
    fn first_come(&mut self, by: PairedBy, of_old: Mark<'_>, of_new: Mark<'_>) {
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

    /// Pairs what has to be read for it.
    fn by_reading(&mut self) {
        let is_empty = |takes: &Vec<Option<Arc<Take>>>| takes.iter().all(Option::is_none);
        if self.free.iter().any(is_empty) {
            return;
        }
        let known = |takes: &Vec<Option<Arc<Take>>>| -> Vec<Known> {
            let takes = takes.iter().enumerate();
            takes
                .filter_map(|(at, take)| Some(Known::of(at, take.as_deref()?)))
                .collect()
        };
        let known = self.free.each_ref().map(known);
        self.by_signature(&known);
        self.by_likeness(&known);
    }

    /// Pairs those of a signature in a folder, one after the other, where there are as many as before.
    fn by_signature(&mut self, known: &[Vec<Known>; 2]) {
        let mut sets: BTreeMap<(&str, u64), [Vec<usize>; 2]> = BTreeMap::new();
        for (side, known) in known.iter().enumerate() {
            for one in known {
                if let Some(signature) = one.signature {
                    sets.entry((&*one.folder, signature)).or_default()[side].push(one.at);
                }
            }
        }
        for [old, new] in sets
            .into_values()
            .filter(|[old, new]| old.len() == new.len())
        {
            for (old, new) in old.into_iter().zip(new) {
                self.pair(old, new, PairedBy::Signature);
            }
        }
    }

    /// Pairs those that have the most in common, without comparing each with each.
    fn by_likeness(&mut self, known: &[Vec<Known>; 2]) {
        let is_free =
            |pairing: &Self, side: usize, one: &Known| pairing.free[side][one.at].is_some();
        let mut having: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, one) in known[1]
            .iter()
            .enumerate()
            .filter(|(_, one)| is_free(self, 1, one))
        {
            for feature in &one.features {
                having.entry(*feature).or_default().push(at);
            }
        }
        let mut alike: Vec<(usize, usize, usize)> = Vec::new();
        for (old, one) in known[0]
            .iter()
            .enumerate()
            .filter(|(_, one)| is_free(self, 0, one))
        {
            let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
            let having = one
                .features
                .iter()
                .filter_map(|feature| having.get(feature));
            for new in having.filter(|having| having.len() <= COMMON).flatten() {
                *votes.entry(*new).or_default() += 1;
            }
            let least = (one.features.len() / SHARE).max(1);
            let votes = votes.into_iter().filter(|(_, votes)| *votes >= least);
            alike.extend(votes.map(|(new, votes)| (votes, old, new)));
        }
        alike.sort_by_key(|(votes, old, new)| (Reverse(*votes), *old, *new));
        for (_, old, new) in alike {
            let (old, new) = (&known[0][old], &known[1][new]);
            if is_free(self, 0, old) && is_free(self, 1, new) {
                self.pair(old.at, new.at, PairedBy::Likeness);
            }
        }
    }

    fn finish(mut self) -> Vec<Pair> {
        let by = PairedBy::Alone;
        let [old, new] = self.free;
        let alone = |old, new| Pair { old, new, by };
        self.pairs
            .extend(old.into_iter().flatten().map(|old| alone(Some(old), None)));
        self.pairs
            .extend(new.into_iter().flatten().map(|new| alone(None, Some(new))));
        self.pairs.sort_by(|a, b| utf16_order(a.path(), b.path()));
        self.pairs
    }
}

impl Known {
    fn of(at: usize, take: &Take) -> Self {
        let document = take.read();
        Self {
            at,
            folder: take.folder().into(),
            signature: signature(&document),
            features: features(&document),
        }
    }
}

fn signature(document: &Document) -> Option<u64> {
    let signature = match &document.body {
        Body::Recording(recording) => SignatureText::of_recording(recording),
        Body::Request(request) => SignatureText::of_request(request),
        _ => return None,
    };
    Some(hash(signature))
}

/// Some of what a take says, three words at a time: in takes that are alike mostly the same.
fn features(document: &Document) -> Vec<u64> {
    let Some(root) = document.tree.root() else {
        return Vec::new();
    };
    let said = said(root);
    let words: Vec<&str> = said.split_whitespace().collect();
    let mut features: Vec<u64> = words.windows(3).map(hash).collect();
    features.sort_unstable();
    features.dedup();
    features.truncate(FEATURES);
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(files: &[(&str, &str)]) -> Vec<Arc<Take>> {
        let take =
            |(path, text): &(&str, &str)| Arc::new(Take::new(path, text.as_bytes().to_vec()));
        files.iter().map(take).collect()
    }

    fn told(
        old: &[(&str, &str)],
        new: &[(&str, &str)],
        by_hand: &[(Arc<str>, Arc<str>)],
    ) -> String {
        let pairs = pair_up(takes(old), takes(new), by_hand);
        let path = |take: &Option<Arc<Take>>| {
            take.as_ref()
                .map_or("-".to_owned(), |it| it.path.to_string())
        };
        let line = |pair: &Pair| {
            format!(
                "{} -> {} {}\n",
                path(&pair.old),
                path(&pair.new),
                pair.by.as_str()
            )
        };
        pairs.iter().map(line).collect()
    }

    fn recording(tool: &str, said: &str) -> String {
        format!(
            r#"{{"request": {{"messages": [{{"role": "user", "content": "{said}"}}], "tools": [{{"name": "{tool}"}}]}}, "response": {{}}}}"#
        )
    }

    #[test]
    fn pairs_are_found_by_path_content_signature_and_likeness() {
        let long =
            "the customer asks where the parcel is and why nobody answered the mail of last week";
        let moved = recording("a", "moved and not changed");
        let [one, two] = ["x", "y"].map(|said| recording("b", said));
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
        insta::assert_snapshot!(told(&old, &new, &[]), @"
        - -> come.json alone
        gone.json -> - alone
        s/req-1-2.json -> s/req-2-1.json content
        s/req-1-1.json -> s/req-2-2.json signature
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
        insta::assert_snapshot!(told(&old, &new, &[("gone.json".into(), "come.json".into())]), @"
        gone.json -> come.json hand
        s/req-1-2.json -> s/req-2-1.json content
        s/req-1-1.json -> s/req-2-2.json signature
        s/same.json -> s/same.json path
        s/here.json -> u/there.json content
        t/a.json -> v/b.json likeness
        ");
    }
}
