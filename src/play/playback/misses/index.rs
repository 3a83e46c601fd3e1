//! Index of the compared properties of a run's recordings, collected once for the distances of many requests.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::playback::comparison::{ClientComparison, MatchKey, name_order};
use crate::playback::player::compared_keys;
use crate::playback::{MessagesKnown, PlaybackClient, PlayedRequest, PlayerState, RecordingSet};

/// Weight of each difference. Context keys matter least for whether an answer fits, tools most.
const TOOL_WEIGHT: usize = 4;
const MESSAGES_WEIGHT: usize = 3;
pub(super) const USED: usize = 2;
const KEYS_WEIGHT: usize = 1;
// No compared recording is as far, however many of its tools differ.
const NEVER_WEIGHT: usize = 1 << 20;

/// `None` for a tool without a name.
pub(super) type Name = Option<Arc<str>>;

/// Recordings that are compared in the same way, except for the names of their tools.
#[derive(Debug)]
struct RecordingShape {
    /// The position of the first one.
    first: usize,
    /// Number of tools of each; `None` if they match nothing.
    tools: Option<usize>,
    /// Whether their tools are in the order in which a client sorts those of a request.
    is_sorted: bool,
    messages: u64,
}

/// The recordings of a run by what a client compares of them.
#[derive(Debug, Default)]
pub(crate) struct MissIndex {
    shapes: Vec<RecordingShape>,
    /// For each group of recordings that are compared in the same way its shape, and how many they are.
    groups: Vec<(u32, u32)>,
    /// For each recording its group.
    group_of: Vec<u32>,
    /// For each name of a tool the groups that have it, with how often.
    having: HashMap<Name, Vec<(u32, u32)>>,
    /// For each recording how many calls were played when it was used first.
    used_from: Vec<usize>,
}

impl MissIndex {
    pub(crate) fn new(set: &RecordingSet, start: &PlayerState, served_in: &[Vec<usize>]) -> Self {
        let mut index = Self::default();
        let mut shapes = HashMap::new();
        let mut groups: HashMap<Option<(&MatchKey, bool)>, u32> = HashMap::new();
        for (at, recording) in set.recordings.iter().enumerate() {
            let own = match &recording.comparison {
                ClientComparison::Compared(own) => Some(own),
                _ => None,
            };
            let names = own.map_or(&[][..], |own| &*own.names);
            let key = own.map(|own| (own, recording.is_stored));
            let group = *groups.entry(key).or_insert_with(|| {
                let group = index.groups.len() as u32;
                for (name, count) in count_names(names) {
                    index.having.entry(name.clone()).or_default().push((group, count));
                }
                let is_sorted = names.is_sorted_by(|a, b| name_order(a, b).is_le());
                let kind = own.map(|own| (own.messages, &*own.keys, recording.is_stored));
                let shape = *shapes.entry((names.len(), is_sorted, kind)).or_insert_with(|| {
                    index.shapes.push(RecordingShape {
                        first: at,
                        tools: own.map(|own| own.names.len()),
                        is_sorted,
                        messages: own.map_or(0, |own| own.messages),
                    });
                    index.shapes.len() as u32 - 1
                });
                index.groups.push((shape, 0));
                group
            });
            index.groups[group as usize].1 += 1;
            index.group_of.push(group);
            let was_used = start.used.get(at).copied().unwrap_or_default();
            index.used_from.push(match served_in.get(at).and_then(|calls| calls.first()) {
                _ if was_used => 0,
                Some(call) => call + 1,
                None => usize::MAX,
            });
        }
        index
    }

    /// Returns whether a recording was used before a call.
    pub(super) fn is_used(&self, recording: usize, call: usize) -> bool {
        self.used_from[recording] <= call
    }

    /// Returns the recordings that can be among the nearest of a call with this request, whatever was used before it and whatever
    /// answers it: by their distance from the request, then by position.
    pub(super) fn candidates(
        &self,
        set: &RecordingSet,
        client: PlaybackClient,
        request: &PlayedRequest,
        limit: usize,
    ) -> Vec<(usize, usize)> {
        let distances = self.distances(set, client, request);
        // One more than requested, because one of them may answer the call.
        let farthest = self.farthest(&distances, limit.saturating_add(1));
        let groups = self.group_of.iter().enumerate();
        let all = groups.map(|(at, group)| (distances[*group as usize], at));
        let mut near: Vec<(usize, usize)> = all.filter(|(d, _)| *d <= farthest).collect();
        // The sort is stable: equally distant recordings stay in file order.
        near.sort_by_key(|(distance, _)| *distance);
        near
    }

    /// Returns the distance of each group from a request, without use.
    fn distances(
        &self,
        set: &RecordingSet,
        client: PlaybackClient,
        request: &PlayedRequest,
    ) -> Vec<usize> {
        let match_key = &request.match_key;
        let mut common = vec![0_u32; self.groups.len()];
        for (name, count) in count_names(&match_key.names) {
            for (group, own) in self.having.get(name).into_iter().flatten() {
                common[*group as usize] += count.min(*own);
            }
        }
        let is_unknown = request.messages_known() == MessagesKnown::No;
        // For each shape: how many tools both have, the distance without them, and that of the same tools in another order.
        let shape = |shape: &RecordingShape| {
            let Some(tools) = shape.tools else { return (0, NEVER_WEIGHT, 0) };
            let messages = match shape.messages.abs_diff(match_key.messages) {
                0 => 0,
                _ if is_unknown => 0,
                // Capped: beyond a few messages, more of them make a recording no less similar.
                distance => MESSAGES_WEIGHT + (distance as usize).min(MESSAGES_WEIGHT),
            };
            let recording = &set.recordings[shape.first];
            let (own, wanted_keys) = compared_keys(recording, request, client);
            let rest = messages + KEYS_WEIGHT * usize::from(own != wanted_keys);
            (tools + match_key.names.len(), rest, usize::from(!shape.is_sorted))
        };
        let shapes: Vec<(usize, usize, usize)> = self.shapes.iter().map(shape).collect();
        let distance = |((shape, _), common): (&(u32, u32), u32)| {
            let (tools, rest, other_order) = shapes[*shape as usize];
            // Recordings that match nothing have no names in the index.
            match tools - 2 * common as usize {
                0 => other_order + rest,
                tools => tools * TOOL_WEIGHT + rest,
            }
        };
        self.groups.iter().zip(common).map(distance).collect()
    }

    /// Returns a distance within which there are this many recordings, also if they are used.
    fn farthest(&self, distances: &[usize], enough: usize) -> usize {
        /// Greater distances are not distinguished.
        const COUNTED_DISTANCES: usize = 1024;
        let mut counts = [0; COUNTED_DISTANCES];
        for (distance, (_, count)) in distances.iter().zip(&self.groups) {
            if let Some(sum) = counts.get_mut(*distance) {
                *sum += *count as usize;
            }
        }
        let mut sum = 0;
        let within = counts.iter().position(|count| {
            sum += count;
            sum >= enough
        });
        // Use is added later, and may move a recording back by this much.
        within.map_or(usize::MAX, |distance| distance + USED)
    }
}

/// Returns each different name with how often it occurs.
fn count_names(names: &[Name]) -> Vec<(&Name, u32)> {
    let mut counted: Vec<(&Name, u32)> = Vec::with_capacity(names.len());
    let mut sorted: Vec<&Name> = names.iter().collect();
    sorted.sort_unstable();
    for name in sorted {
        match counted.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => counted.push((name, 1)),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::playback::misses::Reason;
    use crate::playback::testing::{play, recording, set, stored};
    use crate::playback::{PlaybackMode, PlaybackRules};

    /// Returns the distance that reasons add up to.
    fn weigh(reasons: &[Reason]) -> usize {
        let weigh = |reason: &Reason| match reason {
            Reason::ToolNames { missing, extra } => {
                (TOOL_WEIGHT * (missing.len() + extra.len())).max(1)
            }
            Reason::MessageCount { expected, actual } => {
                MESSAGES_WEIGHT + (expected.abs_diff(*actual) as usize).min(MESSAGES_WEIGHT)
            }
            Reason::OtherCount { .. } => 0,
            Reason::ContextKeys { .. } => KEYS_WEIGHT,
            Reason::Used { .. } => USED,
            Reason::Never(_) | Reason::Breaks(_) => NEVER_WEIGHT,
        };
        reasons.iter().map(weigh).sum()
    }

    fn recordings(most: usize) -> impl Strategy<Value = Vec<Value>> {
        let keys = proptest::option::of(vec("[xy]", 0..2));
        let one = ("([abc] ){0,4}", 1..5_usize, keys).prop_map(|(tools, messages, keys)| {
            let recording = recording("req", "node", &tools, messages);
            match keys {
                None => recording,
                Some(keys) => {
                    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                    let mut stored = stored(recording, &keys);
                    if keys.len() == 1 {
                        // Some files make the client fail.
                        stored["signature"]["messageCount"] = "many".into();
                    }
                    stored
                }
            }
        });
        vec(one, 0..most)
    }

    proptest! {
        #![proptest_config(document::text::cases(128))]

        #[test]
        fn the_nearest_are_those_with_the_lightest_reasons(files in recordings(12), calls in recordings(6), documented in any::<bool>()) {
            let client = if documented { PlaybackClient::Documented } else { PlaybackClient::Shipped };
            let rules = PlaybackRules { mode: PlaybackMode::Hybrid, client };
            let names: Vec<String> = (10..10 + files.len()).map(|at| at.to_string()).collect();
            let set = set(names.iter().map(String::as_str).zip(files));
            let run = play(&set, rules, &calls);
            for call in 0..run.calls.len() {
                let all = run.misses(call, usize::MAX).nearest;
                let places: Vec<(usize, usize)> = all.iter().map(|miss| (miss.distance, miss.index)).collect();
                prop_assert!(places.is_sorted());
                for miss in &all {
                    prop_assert_eq!(miss.distance.min(NEVER_WEIGHT), weigh(&miss.reasons).min(NEVER_WEIGHT));
                }
                let served = usize::from(run.calls[call].served().is_some());
                prop_assert_eq!(all.len(), set.recordings.len() - served);
                for limit in 0..=all.len() {
                    let few = run.misses(call, limit);
                    prop_assert_eq!(&few.nearest, &all[..limit]);
                    prop_assert_eq!(few.count, all.len());
                }
            }
        }
    }
}
