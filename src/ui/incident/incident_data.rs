//! State of the import view, and its texts.

use std::sync::Arc;

use author::import::{DraftField, Duplicate, FieldOrigin, ImportKind, Incident, RunStatus};
use document::diff::text::TextDiff;
use document::text::{counted, visible};
use protocol::{DraftPreview, ExistingFile, SessionPlan};
use widgets::code::{CodeData, CodeState};
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent};
use widgets::theme;
use workbench::{DiffLayout, ImportDesk};

/// Maximum number of lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 40;
/// Height of a field: its name, its origin, and one line of its value.
pub(super) const FIELD_HEIGHT: f32 = 52.0;
/// Length in bytes from which a value gets a second line.
const LONG_VALUE_BYTES: usize = 60;
/// Maximum number of listed files of a plan.
pub(super) const MAX_LISTED_FILES: usize = 200;

/// State of the view that is kept between frames.
#[derive(Default)]
pub struct ImportViewState {
    preview: Option<(Arc<DraftPreview>, CodeData)>,
    /// The top of each field of the draft, and the bottom of the last one.
    tops: Vec<f32>,
    pub(super) code: CodeState,
    plan: Option<Arc<SessionPlan>>,
    sheets: Vec<Option<Arc<Sheet>>>,
    pub(super) config: Option<Arc<Sheet>>,
}

impl ImportViewState {
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
            let code = CodeData::new(&preview.document, &[]);
            self.tops = tops(&preview.fields);
            self.preview = Some((Arc::clone(preview), code));
        }
    }

    /// Returns the file of the draft, with what is needed to paint it.
    pub(super) fn text(&mut self) -> Option<(&DraftPreview, &CodeData, &mut CodeState)> {
        let (preview, code) = self.preview.as_ref()?;
        Some((preview, code, &mut self.code))
    }

    /// Returns the fields of the draft, and their tops.
    pub(super) fn fields(&self) -> Option<(&DraftPreview, &[f32])> {
        let (preview, _) = self.preview.as_ref()?;
        Some((preview, &self.tops))
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

fn tops(fields: &[DraftField]) -> Vec<f32> {
    let mut tops = vec![0.0];
    for field in fields {
        let is_long = field.value.len() > LONG_VALUE_BYTES || field.value.contains('\n');
        let height = if is_long { FIELD_HEIGHT + theme::TEXT_LINE } else { FIELD_HEIGHT };
        tops.push(tops[tops.len() - 1] + height);
    }
    tops
}

fn sheet(diff: &Arc<TextDiff>) -> Arc<Sheet> {
    let content = SheetContent::Document(Arc::clone(diff), Language::Yaml);
    let mut sheet = Sheet::with_folds(content, &|_| None, DiffLayout::Unified);
    sheet.truncate(MAX_DIFF_LINES);
    Arc::new(sheet)
}

/// Describes an import: its kind, and its size.
pub(super) fn incident_summary(incident: &Incident) -> String {
    let drafts = counted(incident.drafts.len(), "draft", "drafts");
    let kind = match incident.kind {
        ImportKind::Report => "Flakestorm report",
        ImportKind::LangSmith => "LangSmith export",
        ImportKind::Recording => "recordings",
        ImportKind::Har => "HTTP archive",
        ImportKind::FailureLog => "failure log",
        ImportKind::Text => "text",
        ImportKind::Session => "session",
    };
    match incident.skipped {
        0 => format!("{kind}, {drafts}"),
        count => format!("{kind}, {drafts}, {}", describe_skipped(incident.kind, count)),
    }
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

/// Describes where a field is from.
pub(super) fn describe_origin(origin: Option<&FieldOrigin>) -> String {
    match origin {
        Some(FieldOrigin::Read { file, pointer, place }) => {
            format!("{}:{place}  {}", visible(file), visible(pointer))
        }
        Some(FieldOrigin::Generated(method)) => (*method).to_owned(),
        None => String::new(),
    }
}

/// Describes where a field is from in little room: the file without its folders, which the header of the import names.
pub(super) fn short_origin(origin: Option<&FieldOrigin>) -> String {
    let origin_text = describe_origin(origin);
    let Some(FieldOrigin::Read { file, .. }) = origin else { return origin_text };
    let folders = file.rfind('/').map_or("", |end| &file[..=end]);
    // The whole text is escaped already, so the folders must be, too.
    origin_text.strip_prefix(&*visible(folders)).map_or_else(|| origin_text.clone(), str::to_owned)
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
    use author::import::{Imported, KnownSessions};
    use calls::secret::CustomPatterns;
    use document::read;
    use document::text::Source;

    #[test]
    fn the_origin_of_a_field_names_file_line_and_pointer() {
        let document = read(Source::new("{\n \"a\": 1}"), "a.json");
        let place = document.tree.at_pointer("/a").unwrap().place();
        let origin =
            FieldOrigin::Read { file: "traces/runs.json".into(), pointer: "/a".to_owned(), place };
        assert_eq!(describe_origin(Some(&origin)), "traces/runs.json:2:7  /a");
        assert_eq!(short_origin(Some(&origin)), "runs.json:2:7  /a");
        assert_eq!(describe_origin(Some(&FieldOrigin::Generated("A digest"))), "A digest");
        assert_eq!(describe_origin(None), "");
    }

    #[test]
    fn an_incident_has_a_short_summary() {
        let summary_of = |count| {
            let imported = Imported { skipped: count, ..Imported::default() };
            let (sessions, patterns) = (KnownSessions::default(), CustomPatterns::default());
            let kind = ImportKind::LangSmith;
            incident_summary(&Incident::new("runs.json", kind, imported, &sessions, &patterns))
        };
        assert_eq!(summary_of(0), "LangSmith export, 0 drafts");
        assert_eq!(
            summary_of(1200),
            "LangSmith export, 0 drafts, 1,200 runs skipped by the filter below"
        );
        assert_eq!(describe_skipped(ImportKind::Report, 1), "1 passing run skipped");
        let duplicate = Duplicate::Content("replays/a.yaml".to_owned());
        assert_eq!(
            duplicate_label(Some(&duplicate)).as_deref(),
            Some("Already exists: replays/a.yaml")
        );
    }
}
