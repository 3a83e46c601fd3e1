//! Finds the closest candidates for a call that nothing matches.

use std::sync::{Arc, PoisonError};

use super::Catalog;
use crate::live::client_call::ClientCall;
use crate::playback::{PlaybackMode, PlaybackRules, PlaybackRun, PlayedRequest, Reason};
use document::text::counted;

/// A tape or recording that almost matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// Its file.
    pub path: Arc<str>,
    /// Its differences in a few words.
    pub short: String,
    /// Its differences as sentences.
    pub differences: Vec<String>,
}

/// Maximum number of candidates.
pub(super) const MAX_CANDIDATES: usize = 3;

/// Maximum number of tapes that are compared.
const MAX_COMPARED_TAPES: usize = 500;

pub(super) fn nearest(
    catalog: &Catalog,
    call: &ClientCall,
    request: Option<&Arc<PlayedRequest>>,
) -> Vec<NearMiss> {
    let mut all = tapes(catalog, call);
    all.truncate(MAX_CANDIDATES);
    // A call with tools was more likely meant for a set, and one without tools for a tape.
    let recordings = request.map(|request| recordings(catalog, request)).unwrap_or_default();
    match call.tools {
        0 => all.extend(recordings),
        _ => all.splice(0..0, recordings).for_each(drop),
    }
    all.truncate(MAX_CANDIDATES);
    all
}

fn tapes(catalog: &Catalog, call: &ClientCall) -> Vec<NearMiss> {
    // The client waits for its refusal until all are compared.
    let tapes = catalog.tapes.iter().take(MAX_COMPARED_TAPES);
    let near = tapes.filter_map(|tape| {
        let verdict = tape.compare(call, catalog.rules.tapes)?;
        let differences: Vec<String> = verdict.differences.into_iter().map(|d| d.message).collect();
        let short = counted(differences.len(), "difference", "differences");
        Some(NearMiss { path: Arc::clone(&tape.path), short, differences })
    });
    let mut near: Vec<NearMiss> = near.collect();
    near.sort_by_key(|near| near.differences.len());
    near
}

pub(super) fn recordings(catalog: &Catalog, request: &Arc<PlayedRequest>) -> Vec<NearMiss> {
    let mut ranked = Vec::new();
    for (set, state) in &catalog.sets {
        let run = PlaybackRun::resume(
            Arc::clone(set),
            // By position some recording would be served, and none would be a miss.
            PlaybackRules { mode: PlaybackMode::Signature, ..PlaybackRules::default() },
            state.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            vec![Arc::clone(request)],
        );
        for miss in run.misses(0, MAX_CANDIDATES).nearest {
            let Some(recording) = set.recordings.get(miss.index) else { continue };
            let short: Vec<String> = miss.reasons.iter().map(Reason::short).collect();
            let near = NearMiss {
                path: Arc::clone(&recording.path),
                short: short.join(", "),
                differences: miss.reasons.iter().map(Reason::sentence).collect(),
            };
            ranked.push((miss.distance, near));
        }
    }
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, near)| near).take(MAX_CANDIDATES).collect()
}
