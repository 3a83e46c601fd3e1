//! Summarizes a run in one sentence.

use foldhash::{HashSet, HashSetExt as _};

use super::call::WrongAnswer;
use super::{
    CallOutcome, CallVerdict, MatchStep, PlaybackClient, PlaybackMode, PlaybackRun, PlayedCall,
    Reason, RequestOrigin, ResponseShape, ResultStatus, RunSummary, SetRecording, ToolsKnown,
    TypeError,
};
use compare::signature::short;
use document::text::{counted, listed, lower_first, some, thousands, visible};

/// Number of failing calls examined to find the cause. Each needs a ranking of the set, and the first ones suffice to name the most common.
const MAX_EXAMINED_CALLS: usize = 32;

/// Maximum number of names listed in a sentence.
const MAX_NAMED_TOOLS: usize = 3;

impl RunSummary {
    pub(super) fn new(run: &PlaybackRun) -> Self {
        let has_bad_call = run.calls.iter().any(|call| call.verdict.is_bad());
        let doubtful = |call: &PlayedCall| call.verdict != CallVerdict::Right;
        let (status, title) = if run.calls.is_empty() {
            (ResultStatus::Doubtful, "There are no calls to play.".into())
        } else if has_bad_call {
            (ResultStatus::Bad, bad_title(run))
        } else if run.calls.iter().any(doubtful) {
            (ResultStatus::Doubtful, doubtful_title(run))
        } else {
            (ResultStatus::Good, good_title(&run.calls))
        };
        // The file is no set that a client plays, so the title names the rules.
        let title = if run.set.is_file {
            format!("By DyGram's rules, {}", lower_first(&title))
        } else {
            title
        };
        let remark = run.set.is_file.then(|| "The file itself has no player.".to_owned());
        let details = [Some(detail(run)).filter(|text| !text.is_empty()), remark];
        Self { status, title, detail: details.into_iter().flatten().collect::<Vec<_>>().join(" ") }
    }
}

fn good_title(calls: &[PlayedCall]) -> String {
    // A log shows no messages, so more is not known.
    let is_log = |call: &PlayedCall| matches!(call.request.origin, RequestOrigin::Log { .. });
    let answer = if calls.iter().any(is_log) { "an answer that fits" } else { "the right answer" };
    match calls.len() {
        1 => format!("The call gets {answer}."),
        2 => format!("Both calls get {answer}."),
        calls => format!("All {} get {answer}.", counted(calls, "call", "calls")),
    }
}

fn doubtful_title(run: &PlaybackRun) -> String {
    let count = |is: fn(&CallVerdict) -> bool| run.calls.iter().filter(|c| is(&c.verdict)).count();
    let by_position = count(|verdict| matches!(verdict, CallVerdict::ByPosition(_)));
    let firsts = count(|verdict| matches!(verdict, CallVerdict::FirstOf(_)));
    let unknown = count(|verdict| matches!(verdict, CallVerdict::Unknown(_)));
    let known_count = run.calls.len() - unknown;
    if known_count == 0 {
        let title = match unknown {
            1 => "It is uncertain whether the call is made; no recording answers it.",
            _ => "It is uncertain whether the calls are made; no recording answers them.",
        };
        return title.to_owned();
    }
    let doubts = [(by_position, "only by position"), (firsts, "as the first of several matches")];
    let phrases = doubts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = phrases.map(|(count, what)| format!("{count} {what}")).collect();
    let calls = match (known_count, unknown) {
        (1, 0) => "The call gets an answer that fits".to_owned(),
        (2, 0) => "Both calls get an answer that fits".to_owned(),
        (calls, 0) => format!("All {} get an answer that fits", counted(calls, "call", "calls")),
        (known_count, unknown) => {
            let get = if known_count == 1 { "gets" } else { "get" };
            format!(
                "{} of {} {get} an answer that fits, {unknown} may not be made at all",
                thousands(known_count),
                counted(run.calls.len(), "call", "calls"),
            )
        }
    };
    if parts.is_empty() {
        return calls + ".";
    }
    match cause(run, |call| matches!(call.verdict, CallVerdict::ByPosition(_))) {
        Some(cause) => format!("{calls}, {}: {cause}.", listed(&parts)),
        None => format!("{calls}, {}.", listed(&parts)),
    }
}

fn bad_title(run: &PlaybackRun) -> String {
    let all = run.calls.len();
    let breaks = |call: &PlayedCall| call.verdict == CallVerdict::Breaks;
    // Every request that reaches the broken file fails there, so no other cause counts before it is fixed.
    if let Some(at) = run.calls.iter().position(breaks) {
        return broken_title(run, at);
    }
    let findings = &run.findings;
    let of_all = |count: usize, one: &str, many: &str| {
        let verb = if count == 1 { one } else { many };
        match (count, all) {
            (1, 1) => format!("The call {one}"),
            _ => {
                let count = thousands(count);
                format!("{count} of {} {verb}", counted(all, "call", "calls"))
            }
        }
    };
    let unanswered = findings.unanswered.len();
    let mut title = match (unanswered, findings.wrong.len(), findings.undefined.len()) {
        (0, 0, undefined) => {
            let title = of_all(undefined, "gets undefined", "get undefined");
            return format!("{title}, because the recorded answers are not wrapped.");
        }
        (0, wrong_count, _) => of_all(wrong_count, "gets a wrong answer", "get a wrong answer"),
        (none, 0, _) => of_all(none, "finds no recording", "find no recording"),
        (none, wrong_count, _) => format!(
            "{}, and {wrong_count} {} a wrong answer",
            of_all(none, "finds no recording", "find no recording"),
            if wrong_count == 1 { "gets" } else { "get" }
        ),
    };
    if let Some(cause) = cause(run, |call| call.verdict.is_bad()) {
        title += &format!(", because {cause}");
    }
    title + "."
}

fn broken_title(run: &PlaybackRun, at: usize) -> String {
    let (index, error) = match &run.calls[at].outcome {
        CallOutcome::Breaks { index, error } => (Some(*index), Some(*error)),
        CallOutcome::Served(served) => match served.response {
            ResponseShape::Breaks(error) => (Some(served.index), Some(error)),
            _ => (Some(served.index), None),
        },
        _ => (None, None),
    };
    let recording = index.and_then(|index| run.set.recordings.get(index));
    let file = recording.map_or("a file", |recording| recording.file_name());
    format!(
        "The client fails at call {} with {}, because {} lacks a value that it reads.",
        at + 1,
        match error.map(TypeError::is_type_error) {
            Some(true) => "a TypeError",
            Some(false) => "an internal error",
            None => "an error",
        },
        visible(file)
    )
}

/// Returns the most common cause of failing calls, as the end of a sentence.
fn cause(run: &PlaybackRun, is_relevant: impl Fn(&PlayedCall) -> bool) -> Option<String> {
    let calls = run.calls.iter().enumerate().filter(|(_, call)| is_relevant(call));
    let tool_names = known_tools(run);
    let mut causes: Vec<(usize, String)> = Vec::new();
    for (at, call) in calls.take(MAX_EXAMINED_CALLS) {
        let Some(cause) = cause_of(run, at, call, &tool_names) else { continue };
        match causes.iter_mut().find(|(_, other)| *other == cause) {
            Some((count, _)) => *count += 1,
            None => causes.push((1, cause)),
        }
    }
    // `max_by_key` would take the last of the most frequent ones.
    let most = causes.iter().map(|(count, _)| *count).max()?;
    causes.into_iter().find(|(count, _)| *count == most).map(|(_, cause)| cause)
}

/// Returns every tool that a recording of the set offers.
fn known_tools(run: &PlaybackRun) -> HashSet<&str> {
    let mut names = HashSet::new();
    for recording in &run.set.recordings {
        // A stored signature may name other tools than the request beside it.
        names.extend(recording.signature().tool_names.iter().map(|name| &**name));
        names.extend(recording.offered().iter().map(|name| &**name));
    }
    names
}

fn cause_of(
    run: &PlaybackRun,
    at: usize,
    call: &PlayedCall,
    tool_names: &HashSet<&str>,
) -> Option<String> {
    let set = run.set.recordings.len();
    if set == 0 {
        return Some("the set is empty".to_owned());
    }
    match (call.request.tools_known, call.index().and_then(|index| run.set.recordings.get(index))) {
        (ToolsKnown::Yes, _) => {}
        (ToolsKnown::Count(count), Some(recording)) => {
            let tools = counted(count, "tool", "tools");
            let recorded_count = recording.offered().len();
            return Some(format!(
                "the request offers {tools}, but the next recording has {recorded_count}"
            ));
        }
        _ if matches!(call.outcome, CallOutcome::PastEnd { .. }) => {
            let set_text = match set {
                1 => "the 1 recording is".to_owned(),
                set => format!("all {} are", recordings(set)),
            };
            return Some(format!("{set_text} already used by position"));
        }
        _ => return None,
    }
    let offered_tools = &call.request.signature().tool_names;
    let new: Vec<&str> = offered_tools
        .iter()
        .map(|name| &**name)
        .filter(|name| !tool_names.contains(name))
        .collect();
    if !new.is_empty() {
        let who = call.request.node.as_deref().map_or("the request".into(), visible);
        let new = some(new.iter().map(|name| visible(short(name))), MAX_NAMED_TOOLS);
        return Some(format!("{who} now offers {new}, but no recording does"));
    }
    if let (PlaybackMode::Sequential, CallOutcome::PastEnd { .. }) = (run.rules.mode, &call.outcome)
    {
        let are = if set == 1 { "is" } else { "are" };
        return Some(format!("there {are} only {}", recordings(set)));
    }
    let by_signature = call.served().is_some_and(|served| served.step == MatchStep::Signature);
    if by_signature && matches!(call.verdict, CallVerdict::Wrong(WrongAnswer::ToolsNotOffered(_))) {
        return Some("recorded answers call tools that these requests do not offer".to_owned());
    }
    Some(match &run.nearest(at)?.reasons[..] {
        [] => "the calls are in a different order than the recordings".to_owned(),
        // Reasons are in the order tools, messages, keys, use: what is not listed here is equal.
        [Reason::ContextKeys { .. }] | [Reason::ContextKeys { .. }, Reason::Used { .. }] => {
            keys(run)
        }
        [Reason::Used { .. }] if run.rules.mode == PlaybackMode::Sequential => {
            "the calls are in a different order than the recordings".to_owned()
        }
        [Reason::Used { .. }] => "every recording of such a request is already used".to_owned(),
        [Reason::OtherCount { .. }, ..] => {
            "no unused recording with these tools has the same number of messages".to_owned()
        }
        [Reason::MessageCount { expected, .. }, ..] => format!(
            "no unused recording with these tools has {}",
            counted(*expected as usize, "message", "messages")
        ),
        _ => match call.request.node.as_deref() {
            Some(node) => format!("no recording offers exactly what {} offers", visible(node)),
            None => "no recording offers exactly these tools".to_owned(),
        },
    })
}

/// Describes the recordings that do not match because of stored context keys.
fn keys(run: &PlaybackRun) -> String {
    let stores_keys =
        |entry: &&SetRecording| entry.is_stored && !entry.signature().context_keys.is_empty();
    let stores = match run.set.recordings.iter().filter(stores_keys).count() {
        1 => "1 recording stores".to_owned(),
        count => format!("{count} recordings store"),
    };
    match run.rules.client {
        PlaybackClient::Documented => {
            "the stored context keys differ from those of the request".to_owned()
        }
        client => format!("{stores} context keys, but {} computes none", client.name()),
    }
}

fn recordings(count: usize) -> String {
    counted(count, "recording", "recordings")
}

/// Describes the first failing call.
fn detail(run: &PlaybackRun) -> String {
    let is_bad = |call: &PlayedCall| call.verdict.is_bad();
    let Some(at) = run.calls.iter().position(is_bad) else { return doubtful_detail(run) };
    let (call, number) = (&run.calls[at], at + 1);
    let falls = match (run.rules.mode, &call.outcome) {
        (PlaybackMode::Hybrid, CallOutcome::Served(served))
            if served.step == super::MatchStep::Sequential =>
        {
            "Hybrid mode falls back to position. "
        }
        _ => "",
    };
    let then = if falls.is_empty() { "" } else { "then " };
    match &call.verdict {
        CallVerdict::Wrong(WrongAnswer::ToolsNotOffered(tools)) => {
            let names: Vec<&str> = tools.iter().map(|name| &**name).collect();
            let (what, is) =
                if names.len() == 1 { ("a tool that", "is") } else { ("tools that", "are") };
            let names: Vec<_> = names.iter().map(|name| visible(name)).collect();
            let names = listed(&names);
            format!("{falls}Call {number} {then}gets a call of {names}, {what} {is} not offered.")
        }
        CallVerdict::Wrong(WrongAnswer::OtherTools) => {
            format!("{falls}Call {number} {then}gets an answer that was recorded with other tools.")
        }
        CallVerdict::Empty => format!("Call {number} gets an empty answer, and the run continues."),
        CallVerdict::None if number == run.calls.len() => "The test stops here.".to_owned(),
        CallVerdict::None => {
            format!("A test stops at call {number}; the calls after it are played anyway.")
        }
        CallVerdict::Breaks => match call.outcome {
            CallOutcome::Breaks { .. } => {
                "Each request that no recording before it answers makes the client read that file."
                    .to_owned()
            }
            _ => "The client fails when it reads that answer.".to_owned(),
        },
        CallVerdict::Undefined => format!(
            "Starting with call {number}. The failure shows up later, where the answer is used."
        ),
        CallVerdict::Wrong(WrongAnswer::OfCall(_))
        | CallVerdict::Right
        | CallVerdict::FirstOf(_)
        | CallVerdict::ByPosition(_)
        | CallVerdict::Unknown(_) => String::new(),
    }
}

fn doubtful_detail(run: &PlaybackRun) -> String {
    let finds = &run.findings;
    let counts =
        [(finds.served_twice.len(), "served more than once"), (finds.unused.len(), "never used")];
    let phrases = counts.into_iter().filter(|(count, _)| *count > 0);
    let parts = phrases.map(|(count, what)| {
        let is = if count == 1 { "is" } else { "are" };
        format!("{} {is} {what}", recordings(count))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { listed(&parts) + "." }
}
