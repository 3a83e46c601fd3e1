//! Data of the view of a run: its causes, and the failures of the selected one.

use std::sync::Arc;

use document::text::{counted, visible};
use play::playback::failure_log::LoggedFailure;
use play::triage::{Cause, CauseGroup};
use protocol::TriagedRun;
use workbench::{TriageDesk, Workbench};

/// Data of the view of a run, rebuilt when it has changed.
#[derive(Debug, Default)]
pub(super) struct TriageData {
    key: (u64, u64, usize),
    /// Number of failures without a set: `1 not assigned`; empty for none.
    pub(super) unassigned: String,
    /// The causes, and last, the failures without a set.
    pub(super) causes: Vec<CauseRow>,
    pub(super) detail: CauseDetail,
    /// The failures of the selected cause, below the headings of their sets.
    pub(super) rows: Vec<FailureRow>,
}

/// Progress in solving a cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CauseStatus {
    /// None of its failures is answered.
    #[default]
    Open,
    /// Some are.
    Partly,
    /// All are.
    Solved,
}

/// A row of the list of causes.
#[derive(Debug)]
pub(super) struct CauseRow {
    /// Code in it is between backticks.
    pub(super) title: String,
    pub(super) count: usize,
    /// Its sets, or how far it is solved.
    pub(super) detail: String,
    pub(super) status: CauseStatus,
    /// Whether only recording again helps.
    pub(super) needs_recording: bool,
}

/// The selected cause.
#[derive(Debug, Default)]
pub(super) struct CauseDetail {
    /// Code in these is between backticks.
    pub(super) title: String,
    pub(super) sentence: String,
    pub(super) status: CauseStatus,
    pub(super) evidence: Option<Evidence>,
    /// Effect of its fix, and the extent of the changes; empty without a fix.
    pub(super) fix: String,
    pub(super) needs_recording: bool,
    /// The command that restores its recordings, if a revision has them.
    pub(super) restore: Option<String>,
}

/// A recording to look at.
#[derive(Debug)]
pub(super) struct Evidence {
    /// From the project root.
    pub(super) path: Arc<str>,
    pub(super) shown: String,
    /// Problem that was found in it; may be empty.
    pub(super) why: String,
    pub(super) is_stale: bool,
}

/// A row of the list of failures.
#[derive(Debug)]
pub(super) enum FailureRow {
    /// The folder of a set, with the number of failures.
    Set {
        name: String,
        count: usize,
        /// The position of its first failure among those of the cause.
        first: usize,
    },
    /// Reason why failures have no set; code in it is between backticks.
    Reason { words: String, count: usize, first: usize },
    Failure {
        /// The position among the failures of the cause.
        at: usize,
        test: String,
        /// The log and the line.
        place: String,
        is_answered: bool,
    },
}

impl TriageData {
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.triage;
        let key = (desk.revision, workbench.core.library.documents_revision(), desk.failure);
        if self.key == key {
            return;
        }
        // Another failure or an edited document changes only the details, and a run may have thousands of failures.
        let is_same_list = self.key.0 == desk.revision;
        self.key = key;
        let Some(run) = &desk.triaged else { return };
        if !is_same_list {
            let unassigned_count = run.triage.unassigned().count();
            self.unassigned = match unassigned_count {
                0 => String::new(),
                count => format!("{count} not assigned"),
            };
            self.causes = causes(run, unassigned_count);
            self.rows = rows(workbench, desk, run);
        }
        self.detail = detail(workbench, desk, run);
    }
}

fn status(run: &TriagedRun, group: &CauseGroup) -> (CauseStatus, usize) {
    let answer_count = run.progress.count_of(&group.failures);
    let status = match answer_count {
        0 => CauseStatus::Open,
        count if count == group.failures.len() => CauseStatus::Solved,
        _ => CauseStatus::Partly,
    };
    (status, answer_count)
}

fn needs_recording(run: &TriagedRun, group: &CauseGroup) -> bool {
    // Recordings that git restored answer again, so no new recording is needed.
    group.cause.needs_recording() && !run.progress.is_all_restored(group)
}

fn causes(run: &TriagedRun, unassigned_count: usize) -> Vec<CauseRow> {
    let groups = run.triage.groups.iter().map(|group| {
        let (status, answer_count) = status(run, group);
        let sets = counted(group.fixes.len(), "set", "sets");
        CauseRow {
            title: visible(&run.progress.title(group)).into_owned(),
            count: group.failures.len(),
            detail: match status {
                CauseStatus::Open => sets,
                CauseStatus::Partly => {
                    format!("{sets}, {answer_count} of {} answered", group.failures.len())
                }
                CauseStatus::Solved => format!("{sets}, solved"),
            },
            status,
            needs_recording: needs_recording(run, group),
        }
    });
    let unassigned_row = (unassigned_count > 0).then(|| CauseRow {
        title: UNASSIGNED.to_owned(),
        count: unassigned_count,
        detail: "no set".to_owned(),
        // Without a set they are not played, so none is ever answered.
        status: CauseStatus::Open,
        needs_recording: false,
    });
    groups.chain(unassigned_row).collect()
}

/// Title of the failures without a set.
const UNASSIGNED: &str = "Not assigned";
const UNASSIGNED_SENTENCE: &str = "These failures belong to no certain set. Open one on the playback desk and choose its set there.";

fn detail(workbench: &Workbench, desk: &TriageDesk, run: &TriagedRun) -> CauseDetail {
    let Some(group) = desk.group() else {
        return CauseDetail {
            title: UNASSIGNED.to_owned(),
            sentence: UNASSIGNED_SENTENCE.to_owned(),
            ..CauseDetail::default()
        };
    };
    let fix = desk.cause_fix().map(|fix| {
        let titles = fix.titles().join(", then ");
        visible(&format!("{titles}: {}", fix.extent())).into_owned()
    });
    let (status, _) = status(run, group);
    let first = group.failures.first().and_then(|index| run.triage.failures.get(*index));
    // For a folder without recordings, the evidence says which one was looked at.
    let empty_evidence = first.and_then(|f| Some(&f.result.as_ref().ok()?.diagnosis.evidence));
    let mut evidence = evidence(workbench, desk, run, group);
    if let Some(evidence) = evidence.as_mut().filter(|_| status == CauseStatus::Solved) {
        let why = std::mem::take(&mut evidence.why);
        if !why.is_empty() {
            // The reason is of the moment of the failure, and may be fixed by now.
            evidence.why = format!("When the run was read: {why}");
        }
    }
    let description = run.progress.describe_present(group);
    CauseDetail {
        title: visible(&run.progress.title(group)).into_owned(),
        sentence: match (&description, &group.cause, empty_evidence) {
            (Some(description), ..) => visible(description).into_owned(),
            (None, Cause::NoRecordings { .. }, Some(empty_evidence)) => {
                visible(&format!("{empty_evidence}.")).into_owned()
            }
            (None, cause, _) => cause.describe().to_owned(),
        },
        status,
        evidence,
        fix: fix.unwrap_or_default(),
        needs_recording: needs_recording(run, group) || group.cause == Cause::RecordingBroken,
        restore: run.triage.restore_command(group, Some(&run.progress)),
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
    let (path, why) = failures.find_map(|index| {
        let assignment = run.triage.failures.get(index)?.result.as_ref().ok()?;
        let diagnosis = &assignment.diagnosis;
        Some((diagnosis.recording.clone()?, &diagnosis.evidence))
    })?;
    let library = &workbench.core.library;
    let mut items = library.iter();
    // A recording outside of what is open has no item, and its source is not known.
    let item = items.find(|(_, item)| *item.root_path == *path);
    let source = item.and_then(|(_, item)| item.source.as_ref());
    Some(Evidence {
        shown: visible(library.shown_path(&path)).into_owned(),
        why: visible(why).into_owned(),
        is_stale: source.is_some_and(|source| source.found.has_changed()),
        path,
    })
}

fn rows(workbench: &Workbench, desk: &TriageDesk, run: &TriagedRun) -> Vec<FailureRow> {
    let library = &workbench.core.library;
    let mut rows = Vec::new();
    let mut position = 0;
    for (name, failures) in desk.sets() {
        let count = failures.len();
        rows.push(match desk.group() {
            Some(_) => FailureRow::Set {
                name: visible(library.shown_path(name)).into_owned(),
                count,
                first: position,
            },
            None => {
                FailureRow::Reason { words: visible(name).into_owned(), count, first: position }
            }
        });
        for failure in failures {
            let log_entry = &run.triage.failures[*failure].failure;
            rows.push(FailureRow::Failure {
                at: position,
                test: test_name(log_entry),
                place: visible(&format!("{}:{}", log_entry.log(), log_entry.line)).into_owned(),
                is_answered: run.progress.answered.get(*failure) == Some(&true),
            });
            position += 1;
        }
    }
    rows
}

fn test_name(failure: &LoggedFailure) -> String {
    // Some logs do not name the test.
    let name = failure.test.as_deref().map(str::to_owned).unwrap_or_else(|| failure.title());
    // The title of a failure may have several lines, and a row has room for one.
    visible(name.lines().next().unwrap_or_default()).into_owned()
}
