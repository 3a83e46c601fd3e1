//! Plays each set, one after the other, and sends the verdicts as they are ready.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::run::{TaskContext, Work};
use crate::tasks::set_reader::SetReader;
use play::playback::{PlaybackRules, PlaybackRun, PlayedRequest, SetVerdict, requests};
use protocol::{EngineEvent, JudgeSets, JudgedSet, Lane, PlaybackEvent, SetToJudge};

/// Interval at which verdicts are sent: each time, the window is painted.
const SEND_INTERVAL: Duration = Duration::from_millis(100);

/// The requests of machines by path; `None` for one that cannot be read completely.
type MachineRequests = HashMap<Arc<str>, Option<Vec<Arc<PlayedRequest>>>>;

pub(crate) fn judge_sets(request: JudgeSets) -> Work {
    Work::new(Lane::Newest("verdicts"), request, |request, context| {
        let number = request.number;
        let answer = |sets| EngineEvent::Playback(PlaybackEvent::SetsJudged(number, sets));
        let mut machines = MachineRequests::new();
        let mut verdicts = Vec::new();
        let mut last_send = Instant::now();
        for set in request.changed() {
            let verdict = judge(request, &set, context, &mut machines)?;
            verdicts.push((set.folder, verdict));
            if last_send.elapsed() >= SEND_INTERVAL {
                context.send(answer(std::mem::take(&mut verdicts)));
                last_send = Instant::now();
            }
        }
        (!verdicts.is_empty()).then(|| answer(verdicts))
    })
}

/// Plays a set; `None` when it was cancelled.
fn judge(
    request: &JudgeSets,
    set: &SetToJudge,
    context: &TaskContext,
    machines: &mut MachineRequests,
) -> Option<JudgedSet> {
    let project = context.project.as_deref()?;
    let texts = request.edited.iter().map(|(doc, _, text)| (*doc, text));
    let reader = SetReader {
        project,
        items: set.files.iter().map(|file| (file.doc, &file.item)).collect(),
        edited: texts.collect(),
        cancel: &context.cancel,
    };
    let read_result = reader.read_set(&set.folder);
    let machine = set.machine.as_ref().and_then(|path| {
        let requests = machines
            // Several sets may be of one machine.
            .entry(Arc::clone(path))
            .or_insert_with(|| reader.read_machine_requests(path).ok());
        Some((Arc::clone(path), requests.clone()?))
    });
    // A cancelled reader returns only a part of the set.
    if context.is_cancelled() {
        return None;
    }
    let (machine, requests) = machine.unzip();
    let verdict = match read_result {
        Ok((recordings, _)) => {
            let requests = requests.unwrap_or_else(|| requests::from_set(&recordings));
            SetVerdict::new(&PlaybackRun::new(recordings, PlaybackRules::default(), requests))
        }
        Err(reason) => SetVerdict::not_played(reason),
    };
    Some(JudgedSet { files: Some(set.files.clone().into()), machine, verdict: Arc::new(verdict) })
}
