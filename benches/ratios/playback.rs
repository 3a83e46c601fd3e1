//! A run: as many calls as recordings, each found by its signature. Beside it: hashing all these signatures once.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use calls::Pool;
use document::text::Source;
use play::playback::{
    PlaybackRules, PlaybackRun, PlayedRequest, Ranking, RecordingSet, SetRecording, requests,
};
use serde_json::json;

use super::{heading, line, shortest};

/// How many recordings the set has, and how many calls there are.
const CALL_COUNT: usize = 10_000;

/// The number of recordings that are listed for each call, as with `retake match --json`.
const NEAREST_COUNT: usize = 20;

/// Of how many calls the misses are ranked.
const REQUEST_COUNT: usize = 100;

pub(crate) fn measure() -> io::Result<()> {
    heading("10,000 calls, 10,000 recordings");
    for (name, signatures) in [("1 signature", 1), ("100 signatures", 100), ("10,000", CALL_COUNT)]
    {
        let set = Arc::new(set(signatures));
        let requests_of_set = requests::from_set(&set);
        let reference = ("hashing them", shortest(|| hashed(&requests_of_set)));
        let play = || {
            PlaybackRun::new(Arc::clone(&set), PlaybackRules::default(), requests_of_set.clone())
        };
        let run = play();
        let found_calls = run.calls.iter().filter(|call| call.index().is_some());
        assert_eq!(found_calls.count(), CALL_COUNT, "each call finds its recording");
        line(&format!("a run, {name}"), shortest(play), reference);
        if signatures < CALL_COUNT {
            line(
                &format!("misses of {REQUEST_COUNT} calls, {name}"),
                shortest(|| misses(&run)),
                reference,
            );
        }
    }
    Ok(())
}

/// Recordings of the given number of signatures, in turn.
fn set(signatures: usize) -> RecordingSet {
    let pool = Pool::default();
    let recordings = (0..CALL_COUNT).map(|call| {
        let kind = call % signatures;
        let names = [format!("read_{}", kind % 7), format!("transition_to_{kind}"), "write".to_owned()];
        let tools = names.map(|name| json!({ "name": name }));
        let text = json!({
            "request": { "requestId": call.to_string(), "messages": [{}], "tools": tools },
            "response": { "response": { "content": [{ "type": "text", "text": call.to_string() }] } },
        });
        let document = document::read(Source::new(text.to_string()), "turn-1.json");
        SetRecording::read(format!("set/{call:05}.json").into(), &document, &pool)
    });
    RecordingSet::new("set", recordings.collect::<Vec<_>>())
}

fn hashed(requests_of_set: &[Arc<PlayedRequest>]) -> usize {
    let mut counts: HashMap<_, usize> = HashMap::new();
    for request in requests_of_set {
        *counts.entry(request.signature()).or_default() += 1;
    }
    counts.len()
}

/// Ranks what does not answer a call, for as many calls as people look at.
fn misses(run: &PlaybackRun) -> usize {
    let ranking = Ranking::new(run);
    let calls = (0..run.calls.len()).step_by(CALL_COUNT / REQUEST_COUNT);
    calls.map(|call| ranking.misses(call, NEAREST_COUNT).nearest.len()).sum()
}
