//! State of the import view, and its texts.

use std::sync::Arc;

use author::import::{Duplicate, ImportKind, RunStatus};
use calls::secret::find_placeholders;
use document::diff::text::TextDiff;
use document::text::{Span, counted, visible};
use protocol::{DraftPreview, ExistingFile, SessionPlan};
use widgets::code::{CodeData, CodeState};
use widgets::highlight::Language;
use widgets::sheet::Sheet;
use workbench::ImportDesk;

/// Maximum number of lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 40;
/// Maximum number of listed files of a plan.
pub(super) const MAX_LISTED_FILES: usize = 200;

/// State of the view that is kept between frames.
#[derive(Default)]
pub struct ImportView {
    preview: Option<(Arc<DraftPreview>, CodeData)>,
    pub(super) code: CodeState,
    plan: Option<Arc<SessionPlan>>,
    sheets: Vec<Option<Arc<Sheet>>>,
    pub(super) config: Option<Arc<Sheet>>,
}

impl ImportView {
    /// Updates the preview if another draft is selected.
    pub(super) fn sync_preview(&mut self, desk: &ImportDesk) {
        // A failed preview is reported in place of the fields; the previous one would belong to another draft.
        let Some(Ok(preview)) = &desk.preview.value else {
            self.preview = None;
            return;
        };
        // The stored preview is kept alive, so no other one can have its address.
        let is_same =
            self.preview.as_ref().is_some_and(|(old_preview, _)| Arc::ptr_eq(old_preview, preview));
        if !is_same {
            let mut code = CodeData::new(&preview.document, &[]);
            let places = find_placeholders(preview.document.source().text()).into_iter();
            code.tinted = places.map(|place| Span::new(place.start, place.end)).collect();
            self.preview = Some((Arc::clone(preview), code));
        }
    }

    /// Returns the file of the draft, with what is needed to paint it.
    pub(super) fn text(&mut self) -> Option<(&DraftPreview, &CodeData, &mut CodeState)> {
        let (preview, code) = self.preview.as_ref()?;
        Some((preview, code, &mut self.code))
    }

    /// Updates the plan of what saving would do.
    pub(super) fn sync_plan(&mut self, desk: &ImportDesk) {
        let is_same = match (desk.plan.as_ref(), &self.plan) {
            (Some(new_plan), Some(old_plan)) => Arc::ptr_eq(new_plan, old_plan),
            (new_plan, old_plan) => new_plan.is_none() && old_plan.is_none(),
        };
        if is_same {
            return;
        }
        self.plan = desk.plan.clone();
        let of_file = |file: &ExistingFile| match file {
            ExistingFile::Other(_, diff) => Some(sheet(diff)),
            ExistingFile::Nothing | ExistingFile::Same | ExistingFile::DuplicateName => None,
        };
        let plan = self.plan.as_ref();
        // As many as the dialog lists; each sheet costs a layout.
        let files = plan.into_iter().flat_map(|plan| plan.files.iter().take(MAX_LISTED_FILES));
        self.sheets = files.map(|file| of_file(&file.existing)).collect();
        self.config = plan.and_then(|plan| plan.config.as_ref()).map(|config| sheet(&config.diff));
    }

    /// Returns the difference that replacing the file at this index would make.
    pub(super) fn sheet(&self, file: usize) -> Option<&Arc<Sheet>> {
        self.sheets.get(file)?.as_ref()
    }
}

fn sheet(diff: &Arc<TextDiff>) -> Arc<Sheet> {
    Sheet::unified(diff, Language::Yaml, MAX_DIFF_LINES)
}

/// Describes an import: its kind, and its size.
pub(super) fn incident_summary(desk: &ImportDesk) -> (&'static str, String) {
    let incident = &desk.incident;
    let drafts = match (incident.drafts.len(), desk.calls.rows.len()) {
        (_, calls) if desk.makes_fixture() => counted(calls, "model call", "model calls"),
        (drafts, _) => counted(drafts, "draft", "drafts"),
    };
    let kind = match incident.kind {
        ImportKind::Report => "Flakestorm report",
        ImportKind::LangSmith => "LangSmith export",
        ImportKind::AgentRun => desk.calls.label.unwrap_or("Run of an agent"),
        ImportKind::ChatLog => "Chat",
        ImportKind::Recording => "Recordings",
        ImportKind::Har => "HTTP archive",
        ImportKind::FailureLog => "Failure log",
        ImportKind::Text => "Text",
        ImportKind::Session => "Session",
    };
    let skipped = match incident.skipped {
        0 => String::new(),
        count => format!(", {}", describe_skipped(incident.kind, count)),
    };
    (kind, format!(", {drafts}{skipped}"))
}

/// Describes what is not a draft, with the reason.
fn describe_skipped(kind: ImportKind, count: usize) -> String {
    let (one, many) = match kind {
        ImportKind::Report => ("passing run skipped", "passing runs skipped"),
        ImportKind::LangSmith => {
            ("run skipped by the filter below", "runs skipped by the filter below")
        }
        ImportKind::Har => {
            ("request that is no call skipped", "requests that are no calls skipped")
        }
        _ => ("skipped", "skipped"),
    };
    counted(count, one, many)
}

/// Describes in which way a draft already exists; `None` for a new one.
pub(super) fn duplicate_label(duplicate: Option<&Duplicate>) -> Option<String> {
    duplicate.map(|duplicate| match duplicate {
        Duplicate::Content(place) => format!("Already exists: {}", visible(place)),
        Duplicate::Id(place) => format!("ID in use: {}", visible(place)),
    })
}

/// The filters of runs by their outcome.
pub(super) const STATUSES: [(RunStatus, &str); 3] = [
    (RunStatus::All, "All"),
    (RunStatus::Error, "With errors"),
    (RunStatus::Warning, "Without errors"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use author::import::{Imported, Incident, KnownSessions};
    use author::redact::NameList;
    use calls::secret::CustomPatterns;

    #[test]
    fn an_incident_has_a_short_summary() {
        let summary_of = |count| {
            let imported = Imported { skipped: count, ..Imported::default() };
            let (sessions, patterns) = (KnownSessions::default(), CustomPatterns::default());
            let (kind, names) = (ImportKind::LangSmith, NameList::default());
            let mut desk = ImportDesk::default();
            desk.incident =
                Arc::new(Incident::new("runs.json", kind, imported, &sessions, &patterns, &names));
            incident_summary(&desk).1
        };
        assert_eq!(summary_of(0), ", 0 drafts");
        assert_eq!(summary_of(1200), ", 0 drafts, 1,200 runs skipped by the filter below");
        assert_eq!(describe_skipped(ImportKind::Report, 1), "1 passing run skipped");
        let duplicate = Duplicate::Content("replays/a.yaml".to_owned());
        assert_eq!(
            duplicate_label(Some(&duplicate)).as_deref(),
            Some("Already exists: replays/a.yaml")
        );
    }
}
