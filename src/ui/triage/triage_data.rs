//! Data of the view of a run: its causes with their failures, and what is known of the selected cause.

use std::sync::Arc;

use super::call_marks::CallMarks;
use super::value_ui::ChangedValue;
use compare::review::ledger;
use document::text::{counted, thousands, visible};
use play::playback::failure_log::LoggedFailure;
use play::playback::fixes::RECORD_ALL_LABEL;
use play::triage::{CassetteCause, Cause, CauseGroup, RequestPart, TestCount, TriagedFailure};
use protocol::TriagedRun;
use widgets::icons;
use workbench::{FIRST_FAILURES, TriageDesk, Unfolding, Workbench};

/// Data of the view of a run, rebuilt when it has changed.
#[derive(Debug, Default)]
pub struct TriageData {
    key: Option<(u64, u64)>,
    /// `41 of 1,204 tests failed, 3 skipped`.
    pub(super) title: String,
    /// `5 causes`.
    pub(super) note: String,
    /// `9 solved, 32 left`; empty if nothing is solved.
    pub(super) progress: String,
    /// The causes in the order of the bar, solved ones first.
    pub(super) bar: Vec<BarPart>,
    pub(super) rows: Vec<RunRow>,
    pub(super) detail: CauseDetail,
}

/// A cause in the bar.
#[derive(Debug)]
pub(super) struct BarPart {
    pub(super) count: usize,
    pub(super) is_solved: bool,
    pub(super) is_selected: bool,
}

/// A row of the list.
#[derive(Debug)]
pub(super) enum RunRow {
    Cause {
        cause: usize,
        /// Code in it is between backticks.
        title: String,
        count: usize,
        is_open: bool,
        is_solved: bool,
    },
    Failure {
        /// The position in the run.
        failure: usize,
        name: String,
        /// The log and the line.
        place: String,
        marks: CallMarks,
        is_solved: bool,
        /// Whether it is the first and the last of its cause that is listed.
        ends: (bool, bool),
    },
    /// Number of the failures of a cause that are not listed.
    More { cause: usize, count: usize },
}

/// The selected cause.
#[derive(Debug, Default)]
pub(super) struct CauseDetail {
    /// Code in these is between backticks.
    pub(super) title: String,
    pub(super) sentence: String,
    /// What was sent in place of what is recorded, with the number of tests in which it is the same.
    pub(super) change: Option<(ChangedValue, String)>,
    /// The label of its fix; empty without a fix.
    pub(super) fix: String,
    /// The label for recording again; empty if that is not needed.
    pub(super) record: String,
    /// The command that restores its recordings, if a revision has them.
    pub(super) restore: Option<String>,
    /// The command that records its tests again, if they play cassettes.
    pub(super) command: Option<String>,
    pub(super) evidence: Option<Evidence>,
    /// Whether these are the failures without a set.
    pub(super) is_unassigned: bool,
}

/// A recording to look at.
#[derive(Debug)]
pub(super) struct Evidence {
    /// From the project root.
    pub(super) path: Arc<str>,
    pub(super) shown: String,
    /// The number of a call in it, from 1.
    pub(super) call: Option<usize>,
    /// Whether it can be opened.
    pub(super) exists: bool,
    /// Problem that was found in it; may be empty.
    pub(super) why: String,
    pub(super) is_stale: bool,
}

impl TriageData {
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.triage;
        let key = Some((desk.revision, workbench.core.library.documents_revision()));
        let Some(run) = desk.triaged.as_ref().filter(|_| self.key != key) else { return };
        let all = run.triage.failures.len();
        let tests = desk.run.as_ref().and_then(|run| run.tests);
        // A runner counts more failed tests than logs show reasons for; a report may count fewer than other logs have.
        let failed = tests.map_or(all, |tests| tests.failed.max(all));
        self.title = match tests.filter(|tests| tests.total >= failed) {
            Some(TestCount { total, skipped, .. }) => {
                let tests = counted(total + skipped, "test", "tests");
                let failed = thousands(failed);
                match skipped {
                    0 => format!("{failed} of {tests} failed"),
                    _ => format!("{failed} of {tests} failed, {} skipped", thousands(skipped)),
                }
            }
            None => format!("{} failed", counted(failed, "test", "tests")),
        };
        let order = desk.order();
        self.note = counted(run.triage.groups.len(), "cause", "causes");
        if failed > all {
            self.note += &format!(", {} without output", thousands(failed - all));
        }
        self.progress = match run.progress.count() {
            0 => String::new(),
            solved if solved == all => format!("All {} solved", thousands(all)),
            solved => format!("{} solved, {} left", thousands(solved), thousands(all - solved)),
        };
        self.bar = bar(desk, &order);
        self.rows = order.iter().flat_map(|cause| cause_rows(desk, run, *cause)).collect();
        self.detail = detail(workbench, desk, run);
        self.key = key;
    }
}

fn bar(desk: &TriageDesk, order: &[usize]) -> Vec<BarPart> {
    let part = |cause: &usize| BarPart {
        count: desk.failures_of(*cause).len(),
        is_solved: desk.is_solved(*cause),
        is_selected: *cause == desk.cause,
    };
    let (solved, open): (Vec<BarPart>, Vec<BarPart>) =
        order.iter().map(part).partition(|part| part.is_solved);
    solved.into_iter().chain(open).collect()
}

fn cause_rows(desk: &TriageDesk, run: &TriagedRun, cause: usize) -> Vec<RunRow> {
    let failures = desk.failures_of(cause);
    let count = match desk.unfolding(cause) {
        Unfolding::None => 0,
        Unfolding::First => failures.len().min(FIRST_FAILURES),
        Unfolding::All => failures.len(),
    };
    let is_open = count > 0;
    let title = cause_title(run, run.triage.groups.get(cause));
    let mut rows = vec![RunRow::Cause {
        cause,
        title,
        count: failures.len(),
        is_open,
        is_solved: desk.is_solved(cause),
    }];
    rows.extend(failures.iter().take(count).enumerate().map(|(at, failure)| {
        let log_entry = &run.triage.failures[*failure].failure;
        let is_solved = run.progress.answered.get(*failure) == Some(&true);
        let played = run.runs.get(*failure).and_then(Option::as_ref);
        RunRow::Failure {
            failure: *failure,
            name: test_name(log_entry),
            place: visible(&format!("{}:{}", log_entry.log(), log_entry.line)).into_owned(),
            marks: CallMarks::new(log_entry, played, is_solved),
            is_solved,
            ends: (at == 0, at + 1 == count),
        }
    }));
    if is_open && count < failures.len() {
        rows.push(RunRow::More { cause, count: failures.len() - count });
    }
    rows
}

/// Returns the title of a cause, or of the failures without a set.
fn cause_title(run: &TriagedRun, group: Option<&CauseGroup>) -> String {
    match group {
        Some(group) => visible(&run.progress.title(group)).into_owned(),
        None if has_cassette(run) => "Not assigned".to_owned(),
        None => "No set named".to_owned(),
    }
}

/// Returns whether a failure without a set is of a test that may play a cassette.
fn has_cassette(run: &TriagedRun) -> bool {
    let failures = &run.triage.failures;
    run.triage.unassigned().any(|(at, _)| failures[at].failure.cassette_test().is_some())
}

fn detail(workbench: &Workbench, desk: &TriageDesk, run: &TriagedRun) -> CauseDetail {
    let Some(group) = desk.group() else { return unassigned(desk, run) };
    let is_solved = desk.is_solved(desk.cause);
    let description = run.progress.describe_present(group);
    let first = group.failures.first().and_then(|index| run.triage.failures.get(*index));
    // For a folder without recordings, the evidence says which one was looked at.
    let empty_evidence = first.and_then(|f| Some(&f.result.as_ref().ok()?.diagnosis.evidence));
    let change = change(&group.cause).filter(|_| !is_solved).map(|change| {
        let note = match group.failures.len() {
            1 => String::new(),
            count => format!("the same in all {}", thousands(count)),
        };
        (change, note)
    });
    CauseDetail {
        title: cause_title(run, Some(group)),
        sentence: match (&description, &group.cause, empty_evidence) {
            (Some(description), ..) => visible(description).into_owned(),
            (None, Cause::NoRecordings { .. }, Some(empty_evidence)) => {
                visible(&format!("{empty_evidence}.")).into_owned()
            }
            (None, cause @ Cause::Cassette(_), _) if is_solved => {
                cause.solved().describe().to_owned()
            }
            (None, cause, _) => {
                let advice = first.and_then(cassette_advice);
                [Some(cause.describe().to_owned()), advice]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            }
        },
        command: run.triage.record_command(group).filter(|_| !is_solved),
        evidence: evidence(workbench, desk, run, group).map(|mut evidence| {
            let is_of_cassette = matches!(group.cause, Cause::Cassette(_));
            if change.is_some() && !is_of_cassette || is_solved {
                // The values that differ say the same, and a solved cause has none.
                evidence.why.clear();
            }
            evidence
        }),
        change,
        fix: fix_label(desk),
        record: record_label(workbench),
        restore: run.triage.restore_command(group, Some(&run.progress)).filter(|_| !is_solved),
        is_unassigned: false,
    }
}

fn unassigned(desk: &TriageDesk, run: &TriagedRun) -> CauseDetail {
    let count = desk.failures().len();
    let failure = desk.selected().and_then(|failure| run.triage.failures.get(failure));
    let reason = failure.and_then(|failure| failure.result.as_ref().err());
    let is_of_cassette = has_cassette(run);
    CauseDetail {
        title: match count {
            1 if is_of_cassette => "1 failure is not assigned".to_owned(),
            count if is_of_cassette => format!("{} failures are not assigned", thousands(count)),
            1 => "1 failure names no set".to_owned(),
            count => format!("{} failures name no set", thousands(count)),
        },
        sentence: visible(&format!("{}.", reason.map_or("", String::as_str))).into_owned(),
        is_unassigned: !is_of_cassette,
        ..CauseDetail::default()
    }
}

/// Returns the advice on a failure of a test that plays a cassette, as a sentence.
fn cassette_advice(failure: &TriagedFailure) -> Option<String> {
    let cassette = failure.result.as_ref().ok()?.diagnosis.cassette.as_ref()?;
    cassette.fix.advice.as_ref().map(|advice| format!("{advice}."))
}

/// Returns the value that requests have in place of the recorded one, if the cause is one.
pub(super) fn change(cause: &Cause) -> Option<ChangedValue> {
    if let Cause::Cassette(CassetteCause::ValueChanged { part, recorded, sent }) = cause {
        return cassette_change(*part, recorded, sent);
    }
    let (label, sent, recorded) = match cause {
        Cause::ToolRenamed { from, to } => ("Tool", to.to_string(), from.to_string()),
        Cause::ToolsChanged { missing, extra } if missing.len() + extra.len() > 0 => {
            ("Tools", missing.join(", "), extra.join(", "))
        }
        _ => return None,
    };
    Some(ChangedValue { label, icon: icons::WRENCH, sent, recorded })
}

/// Returns the part of a request that differs from the recorded one.
fn cassette_change(part: RequestPart, recorded: &str, sent: &str) -> Option<ChangedValue> {
    let (label, icon) = match part {
        RequestPart::Method => ("Method", icons::BRACES),
        RequestPart::Host => ("Host", icons::BRACES),
        RequestPart::Path => ("Path", icons::BRACES),
        RequestPart::Query => ("Query", icons::BRACES),
        RequestPart::Model => ("Model", icons::BRACES),
        RequestPart::Tools => ("Tools", icons::WRENCH),
        RequestPart::Prompt => ("Prompt", icons::MESSAGES_SQUARE),
        RequestPart::Parameter => ("Parameter", icons::BRACES),
        RequestPart::Headers => return None,
    };
    Some(ChangedValue { label, icon, sent: sent.to_owned(), recorded: recorded.to_owned() })
}

/// Returns the label of the fix of the selected cause, with the number of files that it changes; empty without a fix.
pub(super) fn fix_label(desk: &TriageDesk) -> String {
    let Some(fix) = desk.cause_fix() else { return String::new() };
    let files = counted(fix.docs.len() + fix.steps.len(), "file", "files");
    let title = fix.titles().join(", then ").replace('`', "");
    // The ledger does not contain what the title names.
    let has_ledger = fix.steps.iter().any(|step| **step.path() == *ledger::PATH);
    let separator = if has_ledger { ":" } else { " in" };
    visible(&format!("{title}{separator} {files}…")).into_owned()
}

/// Returns the label for recording the selected cause again; empty if that is not needed.
pub(super) fn record_label(workbench: &Workbench) -> String {
    match workbench.triage.to_record() {
        None => String::new(),
        Some(_) if !workbench.core.can_regenerate() => RECORD_ALL_LABEL.to_owned(),
        Some(0) => "Record again…".to_owned(),
        Some(count) => format!("Record {} again…", thousands(count)),
    }
}

/// Returns the recording to look at for the selected failure; without one, that of another failure of the cause.
fn evidence(
    workbench: &Workbench,
    desk: &TriageDesk,
    run: &TriagedRun,
    group: &CauseGroup,
) -> Option<Evidence> {
    // The selected one first, since its recording is what the user is looking for.
    let mut failures = desk.selected().into_iter().chain(group.failures.iter().copied());
    let (path, call, why) = failures.find_map(|index| {
        let assignment = run.triage.failures.get(index)?.result.as_ref().ok()?;
        let diagnosis = &assignment.diagnosis;
        let call = diagnosis.cassette.as_ref().and_then(|cassette| cassette.call);
        // A missing cassette cannot be opened, but its path says which it is.
        let missing = diagnosis.cassette.as_ref().and_then(|cassette| cassette.path.as_ref());
        let path = diagnosis.recording.as_ref().or(missing)?;
        Some((Arc::clone(path), call, &diagnosis.evidence))
    })?;
    let library = &workbench.core.library;
    let mut items = library.iter();
    // A recording outside of what is open has no item, and its source is not known.
    let item = items.find(|(_, item)| *item.root_path() == *path);
    let source = item.and_then(|(_, item)| item.source.as_ref());
    Some(Evidence {
        // The set and the file; the folders before them are the same for most recordings of a project.
        shown: match call {
            Some(call) => {
                visible(&format!("{}, call {call}", last_parts(library.shown_path(&path))))
                    .into_owned()
            }
            None => visible(last_parts(library.shown_path(&path))).into_owned(),
        },
        exists: item.is_some(),
        call,
        why: visible(why).into_owned(),
        is_stale: source.is_some_and(|source| source.found.has_changed()),
        path,
    })
}

/// Returns the last two parts of a path.
fn last_parts(path: &str) -> &str {
    let folder = path.rmatch_indices('/').nth(1);
    folder.map_or(path, |(slash, _)| &path[slash + 1..])
}

/// Returns the name of a test in one line.
pub(super) fn test_name(failure: &LoggedFailure) -> String {
    // Some logs do not name the test.
    let name = failure.test.as_deref().map(str::to_owned).unwrap_or_else(|| failure.title());
    // The title of a failure may have several lines, and a row has room for one.
    visible(name.lines().next().unwrap_or_default()).into_owned()
}
