//! Recordings, calls and answers that no test used, as far as the log of the plugin shows it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::test_index::same_end;
use super::test_log::TestLog;
use super::{AuditInput, AuditKind, AuditPlace, Places};
use crate::run_log::TestOutcome;
use crate::run_requests::{LoggedRequest, RunRequests, SendingPhase};
use crate::triage::CassetteIndex;
use calls::Item;
use calls::python::statement_at;
use document::cassette::CassetteClient;
use document::text::{counted, quoted};

/// Functions that are called around a request and assert nothing.
const BUILTINS: [&str; 12] = [
    "list", "dict", "tuple", "set", "str", "len", "next", "print", "sorted", "if", "with", "await",
];

/// The use of a recording by all tests.
#[derive(Default)]
struct Usage<'r> {
    calls: BTreeSet<usize>,
    played: BTreeSet<usize>,
    tests: Vec<&'r str>,
    /// Whether a test that loaded it did not pass, so that it may have ended before its calls.
    is_cut_short: bool,
}

pub(super) fn judge(
    input: &AuditInput<'_>,
    log: &TestLog,
    places: &mut Places,
    unknown: &mut Vec<String>,
) {
    let items: HashMap<&Arc<str>, &Item> =
        input.items.iter().map(|item| (&item.path, *item)).collect();
    let of_sets = input.unused.unused.iter().map(|recording| {
        let path = &recording.file.path;
        let path = items.get(path).map_or(&**path, |item| input.name(item));
        AuditPlace { note: recording.reason.clone(), ..AuditPlace::new(path) }
    });
    places.entry(AuditKind::NotPlayed).or_default().extend(of_sets);
    let has_vcrpy = input.items.iter().any(|item| is_of_vcrpy(item));
    match &log.requests {
        Some(run) if run.is_complete() => judge_run(input, run, places, unknown),
        None if has_vcrpy && !input.logs.is_empty() => unknown.push(
            "Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`"
                .to_owned(),
        ),
        _ => {}
    }
    places.retain(|_, places| !places.is_empty());
}

fn is_of_vcrpy(item: &Item) -> bool {
    item.is_cassette() && item.client() == Some(CassetteClient::Vcrpy)
}

fn judge_run(
    input: &AuditInput<'_>,
    run: &RunRequests,
    places: &mut Places,
    unknown: &mut Vec<String>,
) {
    let index = CassetteIndex::new(input.items.iter().copied());
    let usages = usages(run, &index);
    let requests = requests(run, &index);
    let reported: BTreeSet<Arc<str>> =
        [AuditKind::TestNotRun, AuditKind::Orphan, AuditKind::SkippedElsewhere]
            .iter()
            .flat_map(|kind| places.get(kind).into_iter().flatten())
            .filter_map(|place| place.path.clone())
            .collect();
    let mut changed = 0;
    for item in input.items.iter().filter(|item| is_of_vcrpy(item)) {
        let Some(usage) = usages.get(item.root_path()) else {
            if !reported.contains(input.name(item)) {
                let place = AuditPlace {
                    note: "no test loaded it".into(),
                    ..AuditPlace::new(input.name(item))
                };
                places.entry(AuditKind::NotPlayed).or_default().push(place);
            }
            continue;
        };
        // The numbers of a file that was recorded again are others.
        if !usage.calls.iter().eq([&item.calls.len()]) {
            changed += 1;
            continue;
        }
        let calls = places.entry(AuditKind::CallNotPlayed).or_default();
        calls.extend(calls_not_played(item, usage, input));
        let path: Arc<str> = item.root_path().into();
        let of_call = |call| requests.get(&(Arc::clone(&path), call));
        let answers = (0..item.calls.len())
            .filter_map(|call| answer_not_read(item, call, of_call(call)?, input));
        places.entry(AuditKind::AnswerNotRead).or_default().extend(answers);
    }
    if changed > 0 {
        let recordings = counted(changed, "recording has", "recordings have");
        unknown.push(format!(
            "Not known: which calls of changed recordings the tests played. {recordings} another number of calls than in the log"
        ));
    }
}

/// Returns the use of each recording, by its path.
fn usages<'r>(run: &'r RunRequests, index: &CassetteIndex) -> BTreeMap<Arc<str>, Usage<'r>> {
    let mut usages: BTreeMap<Arc<str>, Usage<'_>> = BTreeMap::new();
    for test in &run.tests {
        for (printed, calls) in &test.cassettes {
            let Ok((path, _)) = index.named(printed) else { continue };
            let usage = usages.entry(Arc::clone(path)).or_default();
            usage.calls.insert(calls.calls);
            usage.played.extend(&calls.played);
            usage.tests.push(&test.test);
            usage.is_cut_short |= test.outcome != TestOutcome::Passed;
        }
    }
    usages
}

/// Requests by the path of the recording and the index of the call that answered.
type RequestsOfCalls<'r> = BTreeMap<(Arc<str>, usize), Vec<&'r LoggedRequest>>;

fn requests<'r>(run: &'r RunRequests, index: &CassetteIndex) -> RequestsOfCalls<'r> {
    let mut requests = RequestsOfCalls::new();
    for request in &run.requests {
        if let (Some(printed), Some(call)) = (&request.cassette, request.call)
            && let Ok((path, _)) = index.named(printed)
        {
            requests.entry((Arc::clone(path), call)).or_default().push(request);
        }
    }
    requests
}

/// Returns the calls of a recording that no test played, if all tests that loaded it passed.
fn calls_not_played(item: &Item, usage: &Usage<'_>, input: &AuditInput<'_>) -> Vec<AuditPlace> {
    if usage.is_cut_short {
        return Vec::new();
    }
    let unplayed = (0..item.calls.len()).filter(|call| !usage.played.contains(call));
    let place = |call: usize| AuditPlace {
        call: Some(call + 1),
        test: usage.tests.first().map(|test| Arc::from(*test)),
        note: match &usage.tests[..] {
            [test] => format!("loaded by {test}"),
            tests => format!("loaded by {}", counted(tests.len(), "test", "tests")),
        },
        ..AuditPlace::new(input.name(item))
    };
    unplayed.map(place).collect()
}

/// Returns the answer of a call if no assertion follows where it was played.
fn answer_not_read(
    item: &Item,
    call: usize,
    requests: &[&LoggedRequest],
    input: &AuditInput<'_>,
) -> Option<AuditPlace> {
    let is_late = |request: &&LoggedRequest| match request.phase? {
        SendingPhase::Teardown => Some("played when the test had ended".to_owned()),
        SendingPhase::Setup => None,
        SendingPhase::Call => {
            let line = request.line.filter(|_| request.after_assertions == Some(true))?;
            let sent = sent_by(request.test.as_deref()?, line, input)?;
            let code = sent.lines().next().unwrap_or_default();
            // A helper may assert on what it receives.
            (!calls_own_function(sent))
                .then(|| format!("played by {} in line {line}", quoted(code)))
        }
    };
    let notes: Option<Vec<String>> = requests.iter().map(is_late).collect();
    Some(AuditPlace {
        call: Some(call + 1),
        test: requests.first()?.test.clone(),
        note: notes?.into_iter().next()?,
        ..AuditPlace::new(input.name(item))
    })
}

/// Returns the statement in a line of the file of a test; `None` if the file is not known for certain.
fn sent_by<'i>(test: &str, line: usize, input: &'i AuditInput<'_>) -> Option<&'i str> {
    let (file, _) = test.split_once("::")?;
    let mut modules = input.modules.iter().filter(|(path, _)| same_end(path, file));
    let (_, module) = modules.next().filter(|_| modules.next().is_none())?;
    statement_at(module, u32::try_from(line).ok()?)
}

fn calls_own_function(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices('(').any(|(at, _)| {
        let start = text[..at]
            .rfind(|c| !is_name(c))
            .map_or(0, |start| start + text[start..].chars().next().map_or(1, char::len_utf8));
        let name = &text[start..at];
        let owner = &text[..start];
        let is_bare = !owner.ends_with('.') || owner.ends_with("self.");
        let is_class = name.starts_with(|c: char| c.is_uppercase());
        !name.is_empty() && is_bare && !is_class && !BUILTINS.contains(&name)
    })
}
