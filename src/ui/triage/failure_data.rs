//! Data of the view of one failure: the recordings of its set over its calls, and the recordings that are nearest.

use super::call_marks::{CallMarks, failing_call};
use super::triage_data::{change, fix_label, record_label, test_name};
use super::value_ui::ChangedValue;
use document::files::file_name;
use document::text::{counted, listed, visible};
use play::playback::{CallVerdict, Miss, PlaybackRun, PlayedCall, Reason, ToolsKnown};
use play::triage::Diagnosis;
use protocol::TriagedRun;
use widgets::{BlockVerdict, CallBlock, icons};
use workbench::{TriageDesk, Workbench};

/// Number of recordings that are compared.
const MAX_NEAREST: usize = 12;

/// Parts of a signature, in the order in which a client compares them.
const MATCHERS: [&str; 3] = ["tools", "messages", "context keys"];

/// Data of the view of one failure, rebuilt when it has changed.
#[derive(Debug, Default)]
pub struct FailureData {
    key: Option<(u64, Option<usize>)>,
    pub(super) name: String,
    /// `1 of 14`.
    pub(super) position: String,
    /// `Call 2 found no recording: its tools differ.`
    pub(super) title: String,
    pub(super) is_answered: bool,
    /// Whether its test plays a cassette, so that nothing is played on the playback desk.
    pub(super) is_of_cassette: bool,
    pub(super) sent: Vec<CallBlock>,
    /// The position of the failing call.
    pub(super) failing: usize,
    pub(super) recorded: Vec<CallBlock>,
    /// Each part of the signature and whether it is equal.
    pub(super) matchers: Vec<(&'static str, bool)>,
    pub(super) values: Vec<ChangedValue>,
    pub(super) nearest: Vec<NearestRow>,
    /// The position in the set of the recording that is compared.
    pub(super) shown: Option<usize>,
    pub(super) fix: String,
    pub(super) record: String,
}

/// A recording that does not answer.
#[derive(Debug)]
pub(super) struct NearestRow {
    /// The position in the set.
    pub(super) position: usize,
    pub(super) name: String,
    pub(super) difference: String,
    pub(super) verdict: BlockVerdict,
}

impl FailureData {
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.triage;
        let key = Some((desk.revision, desk.recording));
        let (Some(run), Some(failure)) = (&desk.triaged, desk.selected()) else { return };
        if self.key != key {
            *self = Self { key, ..Self::new(workbench, desk, run, failure) };
        }
    }

    fn new(workbench: &Workbench, desk: &TriageDesk, run: &TriagedRun, failure: usize) -> Self {
        let log_entry = &run.triage.failures[failure].failure;
        let played = run.runs.get(failure).and_then(Option::as_ref);
        let is_answered = run.progress.answered.get(failure) == Some(&true);
        let marks = CallMarks::new(log_entry, played, is_answered);
        let mut data = Self {
            name: test_name(log_entry),
            position: match desk.failures().len() {
                1 => String::new(),
                count => format!("{} of {count}", desk.failure + 1),
            },
            title: "The log shows none of its calls.".to_owned(),
            failing: marks.failing,
            fix: fix_label(desk),
            record: record_label(workbench),
            ..Self::default()
        };
        data.sent = marks.blocks;
        data.sent.retain(|block| block.verdict != BlockVerdict::NotReached);
        let result = run.triage.failures[failure].result.as_ref();
        if let Some(result) = result.ok().filter(|result| result.diagnosis.cassette.is_some()) {
            data.show_cassette(&result.diagnosis, is_answered);
            return data;
        }
        let Some(played) = played.filter(|played| !played.calls.is_empty()) else { return data };
        let call = failing_call(played);
        data.recorded = recorded(played);
        let nearest = played.misses(call, MAX_NEAREST).nearest;
        let miss = nearest.iter().find(|miss| desk.recording.is_none_or(|at| at == miss.index));
        data.compare(played, call, miss);
        data.nearest = nearest.iter().map(|miss| nearest_row(played, miss)).collect();
        data
    }

    /// Shows why no call of a cassette answered.
    fn show_cassette(&mut self, diagnosis: &Diagnosis, is_answered: bool) {
        let solved_cause = is_answered.then(|| diagnosis.cause.solved());
        let cause = solved_cause.as_ref().unwrap_or(&diagnosis.cause);
        let title = cause.title().replace('`', "");
        self.title = visible(&format!("{title}.")).into_owned();
        self.is_answered = is_answered;
        self.is_of_cassette = true;
        self.values.extend(change(&diagnosis.cause).filter(|_| !is_answered));
        let cassette = diagnosis.cassette.as_ref();
        if let Some(path) = cassette.and_then(|cassette| cassette.path.as_ref()) {
            let call = cassette.and_then(|cassette| cassette.call);
            let name = file_name(path);
            self.nearest.push(NearestRow {
                position: call.map_or(0, |call| call - 1),
                name: match call {
                    Some(call) => visible(&format!("{name}, call {call}")).into_owned(),
                    None => visible(name).into_owned(),
                },
                difference: if is_answered {
                    String::new()
                } else {
                    visible(&diagnosis.evidence.replace('`', "")).into_owned()
                },
                verdict: BlockVerdict::NotReached,
            });
        }
    }

    /// Returns the recording that is compared.
    pub(super) fn shown_row(&self) -> Option<&NearestRow> {
        self.nearest.iter().find(|row| Some(row.position) == self.shown)
    }

    /// Compares the failing call with a recording.
    fn compare(&mut self, run: &PlaybackRun, call: usize, miss: Option<&Miss>) {
        let at = &run.calls[call];
        self.is_answered = !at.verdict.is_bad();
        let reasons = miss.map_or(&[][..], |miss| &miss.reasons);
        let differing: Vec<&str> = reasons.iter().filter_map(matcher).collect();
        let number = self.failing + 1;
        self.title = match &at.verdict {
            CallVerdict::Wrong(_) => format!("Call {number} gets a wrong answer"),
            CallVerdict::Undefined => format!("Call {number} gets no answer: it is not wrapped"),
            CallVerdict::Breaks => format!("Call {number} makes the client fail"),
            verdict if !verdict.is_bad() => "Each call finds its answer".to_owned(),
            _ => format!("Call {number} found no recording"),
        };
        if matches!(at.verdict, CallVerdict::None | CallVerdict::Empty) {
            self.title += &match &differing[..] {
                [] if miss.is_none() => ": the set has no recording left".to_owned(),
                [] => ": each that matches is used".to_owned(),
                [only] => format!(
                    ": its {only} {}",
                    if only.ends_with('s') { "differ" } else { "differs" }
                ),
                names => format!(": its {} differ", listed(names)),
            };
        }
        self.title.push('.');
        let Some(miss) = miss.filter(|_| !self.is_answered) else { return };
        self.shown = Some(miss.index);
        self.matchers = MATCHERS.iter().map(|name| (*name, !differing.contains(name))).collect();
        self.values =
            reasons.iter().filter_map(|reason| changed_value(run, at, miss, reason)).collect();
    }
}

/// Returns the part of the signature that a reason is about.
fn matcher(reason: &Reason) -> Option<&'static str> {
    match reason {
        Reason::ToolNames { .. } => Some(MATCHERS[0]),
        Reason::MessageCount { .. } | Reason::OtherCount { .. } => Some(MATCHERS[1]),
        Reason::ContextKeys { .. } => Some(MATCHERS[2]),
        Reason::Used { .. } | Reason::Never(_) | Reason::Breaks(_) => None,
    }
}

fn changed_value(
    run: &PlaybackRun,
    call: &PlayedCall,
    miss: &Miss,
    reason: &Reason,
) -> Option<ChangedValue> {
    let messages = |count: &u64| counted(*count as usize, "message", "messages");
    let recording = run.set.recordings.get(miss.index)?;
    let (label, icon, sent, recorded) = match reason {
        Reason::ToolNames { missing, extra } if call.request.tools_known == ToolsKnown::Yes => {
            let lists = match missing.len() + extra.len() {
                // The same names in another order.
                0 => [&call.request.offered, recording.offered()].map(|names| names.join(", ")),
                // Those that both offer say nothing about the failure.
                _ => [missing, extra].map(|names| names.join(", ")),
            };
            let [sent, recorded] = lists;
            ("Tools", icons::WRENCH, sent, recorded)
        }
        Reason::MessageCount { expected, actual } => {
            ("Messages", icons::MESSAGES_SQUARE, messages(expected), messages(actual))
        }
        Reason::OtherCount { actual } => {
            let unknown = "not in the log".to_owned();
            ("Messages", icons::MESSAGES_SQUARE, unknown, messages(actual))
        }
        Reason::ContextKeys { missing, extra } => {
            ("Context keys", icons::BRACES, missing.join(", "), extra.join(", "))
        }
        _ => return None,
    };
    Some(ChangedValue { label, icon, sent, recorded })
}

/// Returns the recordings of the set in file order: those that were used, and the others.
fn recorded(run: &PlaybackRun) -> Vec<CallBlock> {
    let used = run.state_after(run.calls.len()).used;
    let verdict =
        |is_used: &bool| if *is_used { BlockVerdict::Right } else { BlockVerdict::OtherCall };
    used.iter().map(|is_used| verdict(is_used).into()).collect()
}

fn nearest_row(run: &PlaybackRun, miss: &Miss) -> NearestRow {
    let recording = run.set.recordings.get(miss.index);
    let is_used = miss.reasons.iter().any(|reason| matches!(reason, Reason::Used { .. }));
    NearestRow {
        position: miss.index,
        name: recording.map_or_else(String::new, |r| visible(r.file_name()).into_owned()),
        difference: visible(&miss.short()).into_owned(),
        verdict: if is_used { BlockVerdict::Right } else { BlockVerdict::NotReached },
    }
}
