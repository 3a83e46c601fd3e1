//! Data of the audit desk, rebuilt when a report comes or the user folds something.

use document::Severity;
use document::text::{thousands, upper_first, visible};
use play::audit::AuditKind;
use workbench::{AuditRow, Workbench};

/// All that the desk shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditData {
    /// The number of causes and the logs: `6 causes, with report.xml`.
    pub note: String,
    pub rows: Vec<RowText>,
    /// Says that no cause was found.
    pub headline: Option<String>,
    /// Level of the headline: `None` if all was read and has no errors.
    pub headline_level: Option<Severity>,
    revision: Option<u64>,
}

/// A row of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RowText {
    pub row: AuditRow,
    /// The sentence, or the first words of a place.
    pub text: String,
    /// The rest of a place, or the number of places of a cause.
    pub note: String,
    /// The label of the button of a cause.
    pub button: &'static str,
}

impl AuditData {
    /// Reads the desk if it has changed.
    pub fn update(&mut self, workbench: &Workbench) {
        let desk = &workbench.audit;
        if self.revision == Some(desk.revision) {
            return;
        }
        let logs = desk.logs.as_ref().map(|logs| format!("with {}", visible(&logs.name())));
        let report = desk.report.value.as_ref();
        let is_all_read = report.is_some_and(|report| report.unread.is_empty());
        let empty_report = report.filter(|report| report.findings.is_empty());
        let headline_level = match report {
            Some(report) if report.errors > 0 => Some(Severity::Error),
            _ => (!is_all_read).then_some(Severity::Note),
        };
        let parts = [Some(desk.summary()).filter(|text| !text.is_empty()), logs];
        *self = Self {
            note: parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
            rows: desk.rows.iter().filter_map(|row| row_text(workbench, *row)).collect(),
            headline: empty_report.map(|report| report.nothing_found(is_all_read).replace('`', "")),
            headline_level,
            revision: Some(desk.revision),
        };
    }
}

fn row_text(workbench: &Workbench, row: AuditRow) -> Option<RowText> {
    let desk = &workbench.audit;
    let text = |text: &str, note: String| RowText {
        row,
        text: visible(text).into_owned(),
        note: visible(&note).into_owned(),
        button: "",
    };
    Some(match row {
        AuditRow::Finding(kind) => {
            let finding = desk.finding(kind)?;
            let places = finding.places.len();
            // Where each place is one of what is counted, the sentence has the number.
            let note = if places == finding.count { String::new() } else { thousands(places) };
            RowText { button: button(kind), ..text(&finding.sentence, note) }
        }
        AuditRow::Advice(kind) => text(&format!("{}.", desk.finding(kind)?.action), String::new()),
        AuditRow::Place(kind, index) => {
            let finding = desk.finding(kind)?;
            let place = finding.places.get(index)?;
            text(&finding.label(place), place.note.clone())
        }
        AuditRow::Unknown(index) => {
            let report = desk.report.value.as_ref()?;
            let sentence = report.unread.iter().chain(&report.unknown).nth(index)?;
            text(&format!("{}.", upper_first(sentence)), String::new())
        }
    })
}

fn button(kind: AuditKind) -> &'static str {
    match kind {
        AuditKind::EmptyAnswer => "Show in library",
        _ => "Copy list",
    }
}
