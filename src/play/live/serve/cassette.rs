//! Cassettes that are served, each by the rules of the client that plays it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::near_miss::{MAX_CANDIDATES, NearMiss};
use super::{Catalog, ChosenAnswer, MatchedBy, ServeChoice};
use crate::client::{
    CassettePlayer, HttpRequest, Outcome, PartDifference, differ_phrase, matcher_names,
};
use crate::playback::RecordingSet;
use document::text::{counted, listed};

/// A cassette with its client.
#[derive(Debug)]
pub(super) struct ServedCassette {
    pub(super) set: Arc<RecordingSet>,
    player: Mutex<CassettePlayer>,
    /// The paths of the calls that are served, by their indices in the file.
    paths: HashMap<usize, Arc<str>>,
}

impl Catalog {
    /// Adds the calls of a cassette with the client that plays them. `paths` are those of the recordings by the indices of the calls.
    pub fn add_cassette(
        &mut self,
        set: RecordingSet,
        player: CassettePlayer,
        paths: HashMap<usize, Arc<str>>,
    ) {
        self.cassettes.push(ServedCassette {
            set: Arc::new(set),
            player: Mutex::new(player),
            paths,
        });
    }

    /// Plays a request against the cassettes, those first that have recorded an equal one, then the nearest, then in their order.
    pub(super) fn by_cassette(
        &self,
        request: &HttpRequest,
        choice: &mut ServeChoice,
    ) -> Option<ChosenAnswer> {
        let mut nearest = Vec::new();
        let mut cassettes: Vec<&ServedCassette> = self.cassettes.iter().collect();
        if cassettes.len() > 1 {
            cassettes.sort_by_cached_key(|cassette| {
                let player = cassette.player.lock().unwrap_or_else(PoisonError::into_inner);
                let is_other = !player.has_equal(request);
                (is_other, if is_other { player.distance(request) } else { 0 })
            });
        }
        for cassette in cassettes {
            let mut player = cassette.player.lock().unwrap_or_else(PoisonError::into_inner);
            let client = player.rules().client;
            let outcome = player.answer(request).outcome;
            if let Some(index) = outcome.played()
                && let Some(path) = cassette.paths.get(&index)
            {
                let compared = player.rules().compared();
                choice.why.push(format!("{} plays it: it compares {compared}.", client.name()));
                let uncompared = player.uncompared_differences(request, index);
                let names = matcher_names(&uncompared);
                if !names.is_empty() {
                    choice.differences.push(format!(
                        "it was recorded for another {}, which is not compared",
                        listed(&names)
                    ));
                }
                choice.nearest.clear();
                choice.played = Some((Arc::clone(&cassette.set.folder), index));
                let matched_by = MatchedBy::Client(client);
                return Some(ChosenAnswer { path: Arc::clone(path), matched_by });
            }
            let folder = &cassette.set.folder;
            choice.why.push(format!("`{folder}`, by {}: {}.", client.name(), reason(&outcome)));
            nearest.extend(near_misses(cassette, &player, request, &outcome));
        }
        nearest.truncate(MAX_CANDIDATES);
        choice.nearest = nearest;
        None
    }
}

/// Returns why a request has no answer.
fn reason(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Consumed(indices) => {
            let calls = counted(indices.len(), "call that matches was", "calls that match were");
            format!("{calls} already played")
        }
        Outcome::Ignored => "its host is ignored".to_owned(),
        Outcome::Raised(error) => format!("it fails with {error}"),
        _ => "no call matches".to_owned(),
    }
}

/// Returns the calls that a client names in its error.
fn near_misses(
    cassette: &ServedCassette,
    player: &CassettePlayer,
    request: &HttpRequest,
    outcome: &Outcome,
) -> Vec<NearMiss> {
    let path = |index: usize| match cassette.paths.get(&index) {
        Some(path) => Arc::clone(path),
        None => format!("{}#{}", cassette.set.folder, index + 1).into(),
    };
    match outcome {
        Outcome::NoMatch(candidates) => {
            let miss = |candidate: &crate::client::CallCandidate| {
                let parts = player.differences(request, candidate.index, &candidate.failed);
                NearMiss {
                    path: path(candidate.index),
                    short: differ_phrase(&candidate.failed),
                    differences: parts.iter().flat_map(sentences).collect(),
                }
            };
            candidates.iter().take(MAX_CANDIDATES).map(miss).collect()
        }
        Outcome::Consumed(indices) => {
            let miss = |index: &usize| NearMiss {
                path: path(*index),
                short: "already played".to_owned(),
                differences: Vec::new(),
            };
            indices.iter().take(MAX_CANDIDATES).map(miss).collect()
        }
        _ => Vec::new(),
    }
}

fn sentences(part: &PartDifference) -> Vec<String> {
    let value = |value: &crate::client::ValueDifference| {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
        let place =
            if value.place.is_empty() { String::new() } else { format!(" {}", value.place) };
        let (sent, recorded) = (text(&value.sent), text(&value.recorded));
        format!("{}{place}: sent {sent}, recorded {recorded}", part.matcher.as_str())
    };
    part.values.iter().map(value).collect()
}
