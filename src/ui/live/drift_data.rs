//! Data of the side *Drift*: the causes, the selected one, and the tests to record again.

use crate::triage::ChangedValue;
use compare::review::TakeValue;
use document::text::{thousands, visible};
use play::drift::{DriftCause, DriftReport, DriftVerdict};
use widgets::icons;
use workbench::Workbench;

/// Number of tests that are listed of a cause.
const MAX_TESTS: usize = 12;

/// Most characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 1200;

/// Data of the side, rebuilt when the report or the selection changes.
#[derive(Debug, Default)]
pub(super) struct DriftData {
    key: Option<(u64, usize)>,
    /// `5 causes: 10 of 40 calls in 10 of 40 tests`.
    pub(super) title: String,
    pub(super) rows: Vec<CauseRow>,
    /// Numbers of calls with their labels, by verdict; those as recorded first.
    pub(super) counts: Vec<(Option<DriftVerdict>, &'static str, String)>,
    /// What the logs lack, as sentences.
    pub(super) notes: Vec<String>,
    pub(super) detail: Option<CauseDetail>,
    pub(super) record: Option<RecordDetail>,
}

/// A row of the list.
#[derive(Debug)]
pub(super) struct CauseRow {
    pub(super) verdict: DriftVerdict,
    /// Code in it is between backticks.
    pub(super) name: String,
    /// `2 calls in 2 tests`.
    pub(super) counts: String,
}

/// The selected cause.
#[derive(Debug)]
pub(super) struct CauseDetail {
    pub(super) verdict: DriftVerdict,
    pub(super) name: String,
    pub(super) reason: String,
    pub(super) change: Option<ChangedValue>,
    pub(super) tests: Vec<String>,
    /// The recorded call of the first request: the cassette from the project root and its number.
    pub(super) call: Option<String>,
}

/// What is recorded again.
#[derive(Debug)]
pub(super) struct RecordDetail {
    /// `8 tests, 8 calls`.
    pub(super) counts: String,
    pub(super) command: Option<String>,
    pub(super) tokens: String,
}

impl DriftData {
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.live.drift;
        let key = Some((desk.revision, desk.selected));
        let Some(report) = desk.report.as_ref().filter(|_| self.key != key) else { return };
        let shown = |text: &str| visible(text).into_owned();
        let counts = report.counts();
        let mut rows = vec![(None, "Same as recorded", report.same())];
        for verdict in
            [DriftVerdict::Harmless, DriftVerdict::RecordAgain, DriftVerdict::MatcherTooLoose]
        {
            let count = counts.get(&verdict).copied().unwrap_or_default();
            rows.push((Some(verdict), verdict.label(), count));
        }
        let rows = rows.into_iter().map(|(verdict, name, n)| (verdict, name, thousands(n)));
        // The first has the numbers, which are rows here.
        let notes = report.notes().into_iter().skip(1);
        *self = Self {
            key,
            title: shown(&report.title()),
            rows: report.causes.iter().map(|cause| row(report, cause)).collect(),
            counts: rows.collect(),
            notes: notes.map(|note| shown(&format!("{note}."))).collect(),
            detail: desk.cause().map(|(report, cause)| detail(report, cause)),
            record: record(report),
        };
    }
}

fn row(report: &DriftReport, cause: &DriftCause) -> CauseRow {
    CauseRow {
        verdict: cause.verdict,
        name: visible(&cause.name).into_owned(),
        counts: report.counts_of(cause),
    }
}

fn detail(report: &DriftReport, cause: &DriftCause) -> CauseDetail {
    let example = report.example(cause);
    let change = example.map(|(_, change)| {
        let text = |value: &Option<TakeValue>| {
            value.as_ref().map_or_else(String::new, |value| start_of(value.text()))
        };
        ChangedValue {
            label: "First call",
            icon: icons::BRACES,
            sent: text(&change.new),
            recorded: text(&change.old),
        }
    });
    let names = cause.users.iter().take(MAX_TESTS).map(|user| visible(user).into_owned());
    let mut tests: Vec<String> = names.collect();
    if cause.users.len() > MAX_TESTS {
        tests.push(format!("{} more", thousands(cause.users.len() - MAX_TESTS)));
    }
    CauseDetail {
        verdict: cause.verdict,
        name: visible(&cause.name).into_owned(),
        reason: visible(&format!("{}.", cause.reason)).into_owned(),
        change,
        tests,
        call: example
            .and_then(|(request, _)| Some(visible(request.cassette.as_ref()?).into_owned())),
    }
}

/// Returns the beginning of a long value.
fn start_of(text: String) -> String {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn record(report: &DriftReport) -> Option<RecordDetail> {
    let plan = Some(&report.record).filter(|plan| !plan.cassettes.is_empty())?;
    Some(RecordDetail {
        counts: plan.counts(),
        command: plan.command(None),
        tokens: format!("{}.", plan.describe_tokens()),
    })
}
