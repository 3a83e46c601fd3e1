//! Finds the closest candidates for a call that nothing matches.

use std::sync::{Arc, PoisonError};

use super::Repertoire;
use crate::ops::diff::counted;
use crate::ops::live::wire::ClientCall;
use crate::ops::playback::{Asked, Mode, Rules, Run};

/// A tape or recording that almost matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// Its file.
    pub path: Arc<str>,
    /// Display name.
    pub label: Arc<str>,
    /// Its differences in a few words.
    pub short: String,
    /// Its differences as sentences.
    pub against: Vec<String>,
}

/// Maximum number of candidates.
const MOST: usize = 3;

/// Maximum number of tapes that are compared.
const MOST_COMPARED: usize = 500;

pub(super) fn nearest(
    repertoire: &Repertoire,
    call: &ClientCall,
    asked: Option<&Arc<Asked>>,
) -> Vec<Near> {
    let mut all = tapes(repertoire, call);
    all.truncate(MOST);
    // A call with tools was rather made for a set, and one without for a tape.
    let recordings = asked
        .map(|asked| recordings(repertoire, asked))
        .unwrap_or_default();
    match call.tools {
        0 => all.extend(recordings),
        _ => all.splice(0..0, recordings).for_each(drop),
    }
    all.truncate(MOST);
    all
}

fn tapes(repertoire: &Repertoire, call: &ClientCall) -> Vec<Near> {
    let tapes = repertoire.tapes.iter().take(MOST_COMPARED);
    let mut near: Vec<Near> = tapes
        .filter_map(|spool| {
            let verdict = spool.compare(call, repertoire.rules.tapes)?;
            let against: Vec<String> = verdict
                .differences
                .into_iter()
                .map(|it| it.message)
                .collect();
            Some(Near {
                path: Arc::clone(&spool.path),
                label: spool.label(),
                short: counted(against.len(), "difference", "differences"),
                against,
            })
        })
        .collect();
    near.sort_by_key(|near| near.against.len());
    near
}

pub(super) fn recordings(repertoire: &Repertoire, asked: &Arc<Asked>) -> Vec<Near> {
    let mut ranked = Vec::new();
    for (set, state) in &repertoire.sets {
        let rules = Rules {
            mode: Mode::Signature,
            ..Rules::default()
        };
        let run = Run::resume(
            Arc::clone(set),
            rules,
            state.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            vec![Arc::clone(asked)],
        );
        for miss in run.misses(0, MOST).nearest {
            let Some(recorded) = set.recordings.get(miss.index) else {
                continue;
            };
            let short: Vec<String> = miss.reasons.iter().map(super::Reason::short).collect();
            let near = Near {
                path: Arc::clone(&recorded.path),
                label: recorded.label().into(),
                short: short.join(", "),
                against: miss.reasons.iter().map(super::Reason::sentence).collect(),
            };
            ranked.push((miss.distance, near));
        }
    }
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked
        .into_iter()
        .map(|(_, near)| near)
        .take(MOST)
        .collect()
}
