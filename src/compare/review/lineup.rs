//! Pairs old and new takes of one request: equal shape first, then the nearest in time, in their order.

use std::collections::BTreeMap;

use super::candidate::PairCandidate;

/// Takes that are further apart than this, in milliseconds, are from different recording runs.
const RUN_GAP_MILLIS: i64 = 10 * 60 * 1000;
/// Maximum number of pairs of takes that are weighed; beyond that only time decides.
// The table of choices has one byte for each pair: 256 KiB.
const MAX_WEIGHED_PAIRS: usize = 1 << 18;

/// Signature as a player sees it: whether it is stored, and its hash.
type SignatureShape = (bool, Option<u64>);

/// Pairs old with new takes that answer the same request, as many as there are on the smaller side. Takes of one shape stay
/// together where each of the smaller side has one on the other, and keep their order.
pub(super) fn line_up<'a>(
    old: &[&'a PairCandidate],
    new: &[&'a PairCandidate],
) -> Vec<(&'a PairCandidate, &'a PairCandidate)> {
    let sides = [old, new].map(|side| {
        let mut side = side.to_vec();
        side.sort_by(|a, b| a.order(b));
        side
    });
    let shapes: [fn(&PairCandidate) -> SignatureShape; 2] =
        [|r| (r.has_signature, r.signature), |recording| (recording.has_signature, None)];
    let (short, long) = if old.len() > new.len() { (1, 0) } else { (0, 1) };
    for shape in shapes {
        let mut groups: BTreeMap<SignatureShape, [Vec<&PairCandidate>; 2]> = BTreeMap::new();
        for (number, side) in sides.iter().enumerate() {
            for candidate in side {
                groups.entry(shape(candidate)).or_default()[number].push(candidate);
            }
        }
        if groups.values().all(|sides| sides[short].len() <= sides[long].len()) {
            return groups.values().flat_map(|[old, new]| pair_in_order(old, new)).collect();
        }
    }
    pair_in_order(&sides[0], &sides[1])
}

/// Pairs sorted takes in their order; of the longer side those are chosen that fit best.
fn pair_in_order<'a>(
    old: &[&'a PairCandidate],
    new: &[&'a PairCandidate],
) -> Vec<(&'a PairCandidate, &'a PairCandidate)> {
    let pick = |all: &[&'a PairCandidate], indices: Vec<usize>| -> Vec<&'a PairCandidate> {
        indices.into_iter().map(|at| all[at]).collect()
    };
    let (old, new) = if old.len() > new.len() {
        // Runs of earlier days may not have been deleted; the latest one is replaced.
        (pick(old, choose(old, new, Prefer::Last)), new.to_vec())
    } else {
        (old.to_vec(), pick(new, choose(new, old, Prefer::First)))
    };
    old.into_iter().zip(new).collect()
}

/// Choice among takes that fit equally well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefer {
    First,
    Last,
}

/// Scores of a choice, the most important first; sums are compared.
type FitScore = [i64; 5];

/// Chooses as many of `long` as `short` has: those of the same shape, then those of the nearest recording runs; within a run those whose answers are the
/// most similar, one after the other. Answers their places, rising.
fn choose(long: &[&PairCandidate], short: &[&PairCandidate], prefer: Prefer) -> Vec<usize> {
    let surplus = long.len() - short.len();
    if short.is_empty() || surplus == 0 {
        return (0..short.len()).collect();
    }
    let distances = run_distances(long, short);
    let weighs_answers = long.len().saturating_mul(short.len()) <= MAX_WEIGHED_PAIRS;
    if !weighs_answers {
        let mut indices: Vec<usize> = (0..long.len()).collect();
        indices.sort_by_key(|at| match prefer {
            Prefer::First => (distances[*at], *at),
            Prefer::Last => (distances[*at], long.len() - at),
        });
        indices.truncate(short.len());
        indices.sort_unstable();
        return indices;
    }
    let fit = |at: usize, other: usize| -> FitScore {
        let time_distance = long[at].time.zip(short[other].time).map_or(0, |(a, b)| a.abs_diff(b));
        let is_same = [
            long[at].has_signature == short[other].has_signature,
            long[at].signature == short[other].signature,
        ];
        [
            is_same.into_iter().filter(|flag| *flag).count() as i64,
            -distances[at],
            long[at].answer_similarity(short[other]),
            // At most 35 years, so that the sum over all takes does not overflow.
            -(time_distance.min(1 << 40) as i64),
            match prefer {
                Prefer::First => -(at as i64),
                Prefer::Last => at as i64,
            },
        ]
    };
    // The best fit of the first `matched` of the short side with the first takes of the long one, and whether the last of
    // these is used for it. Only choices that leave enough for the rest are looked at.
    let mut best: Vec<Option<FitScore>> = vec![None; short.len() + 1];
    best[0] = Some([0; 5]);
    let mut is_used = vec![false; long.len() * short.len()];
    for at in 0..long.len() {
        // Backwards, so that `best[matched]` does not contain this take yet, and it is used once.
        for matched in (at.saturating_sub(surplus)..short.len().min(at + 1)).rev() {
            let Some(total) = best[matched] else { continue };
            let fit = fit(at, matched);
            let with = std::array::from_fn(|part| total[part] + fit[part]);
            if best[matched + 1].is_none_or(|without| with > without) {
                best[matched + 1] = Some(with);
                is_used[at * short.len() + matched] = true;
            }
        }
    }
    let mut indices = Vec::with_capacity(short.len());
    let mut remaining = short.len();
    for at in (0..long.len()).rev() {
        if remaining > 0 && is_used[at * short.len() + remaining - 1] {
            indices.push(at);
            remaining -= 1;
        }
    }
    indices.reverse();
    indices
}

/// For each take of the long side how far its recording run is from the other side, counted in runs.
fn run_distances(long: &[&PairCandidate], short: &[&PairCandidate]) -> Vec<i64> {
    let times = || short.iter().filter_map(|recording| recording.time);
    let Some((first, last)) = times().min().zip(times().max()) else {
        return vec![0; long.len()];
    };
    let run_distance = |time: Option<i64>| match time {
        Some(time) if time < first => first.saturating_sub(time),
        Some(time) => time.saturating_sub(last).max(0),
        // A take without a time is the last choice.
        None => i64::MAX,
    };
    let mut runs: Vec<i64> = Vec::new();
    let mut run_of = Vec::with_capacity(long.len());
    let mut previous_time: Option<i64> = None;
    for candidate in long {
        let gap = previous_time.zip(candidate.time);
        let is_same = gap.is_some_and(|(p, t)| t.saturating_sub(p) <= RUN_GAP_MILLIS);
        match runs.last_mut() {
            Some(run) if is_same || candidate.time.is_none() => {
                *run = run_distance(candidate.time).min(*run);
            }
            _ => runs.push(run_distance(candidate.time)),
        }
        run_of.push(runs.len() - 1);
        previous_time = candidate.time;
    }
    let mut sorted = runs.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let distance = |run: usize| sorted.partition_point(|index| *index < runs[run]) as i64;
    run_of.into_iter().map(distance).collect()
}
