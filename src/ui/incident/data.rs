//! What the view of an import keeps between frames, and the words it says.

use std::sync::Arc;

use crate::ops::diff::text::TextDiff;
use crate::ops::diff::{counted, thousands};
use crate::ops::import::{DraftField, Duplicate, Incident, Origin, Status, What};
use crate::text::visible;
use crate::ui::code::{CodeData, CodeState};
use crate::ui::compare::{Content, Sheet};
use crate::ui::highlight::Language;
use crate::ui::theme;
use crate::workbench::{FileThere, ImportDesk, Pane, Preview, SessionPlan};

/// How many lines of a difference are shown before the rest is only counted.
const LINES: usize = 40;
/// How high a field is: its name and origin, and a line of its value.
pub(super) const FIELD: f32 = 52.0;
/// From how many bytes on a value gets a second line.
const LONG: usize = 60;
/// How many files of a plan are shown; more than that nobody reads.
pub(super) const LISTED: usize = 200;

/// What the view keeps to itself between frames.
#[derive(Default)]
pub struct ImportView {
    preview: Option<(Arc<Preview>, CodeData)>,
    /// Where each field of the draft begins, from the top, and where the last one ends.
    tops: Vec<f32>,
    pub(super) code: CodeState,
    plan: Option<Arc<SessionPlan>>,
    sheets: Vec<Option<Arc<Sheet>>>,
    config: Option<Arc<Sheet>>,
    /// The draft that the list was last scrolled to.
    pub(super) shown: Option<usize>,
}

impl ImportView {
    /// Follows the draft that is looked at.
    pub(super) fn follow_preview(&mut self, desk: &ImportDesk) {
        let Some(now) = desk.preview() else {
            self.preview = None;
            return;
        };
        let is_same = self
            .preview
            .as_ref()
            .is_some_and(|(before, _)| Arc::ptr_eq(before, now));
        if !is_same {
            let code = CodeData::new(&now.document, &[]);
            self.tops = tops(&now.fields);
            self.preview = Some((Arc::clone(now), code));
        }
    }

    /// The file of the draft, with what is needed to paint it.
    pub(super) fn text(&mut self) -> Option<(&Preview, &CodeData, &mut CodeState)> {
        let (preview, code) = self.preview.as_ref()?;
        Some((preview, code, &mut self.code))
    }

    /// The fields of the draft, and where each begins.
    pub(super) fn fields(&self) -> Option<(&Preview, &[f32])> {
        let (preview, _) = self.preview.as_ref()?;
        Some((preview, &self.tops))
    }

    /// Follows what saving would do.
    pub(super) fn follow_plan(&mut self, desk: &ImportDesk) {
        let is_same = match (desk.plan(), &self.plan) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            (now, before) => now.is_none() && before.is_none(),
        };
        if is_same {
            return;
        }
        self.plan = desk.plan().cloned();
        let Some(plan) = &self.plan else {
            (self.sheets, self.config) = (Vec::new(), None);
            return;
        };
        let of_file = |there: &FileThere| match there {
            FileThere::Other(_, diff) => Some(sheet(diff)),
            FileThere::Nothing | FileThere::Same | FileThere::Twice => None,
        };
        let files = plan.files.iter().take(LISTED);
        self.sheets = files.map(|file| of_file(&file.there)).collect();
        self.config = plan.config.as_ref().map(|config| sheet(&config.diff));
    }

    /// The difference that replacing the file at a position would make.
    pub(super) fn sheet(&self, file: usize) -> Option<&Arc<Sheet>> {
        self.sheets.get(file)?.as_ref()
    }

    /// What becomes of the configuration.
    pub(super) fn config_sheet(&self) -> Option<&Arc<Sheet>> {
        self.config.as_ref()
    }
}

fn tops(fields: &[DraftField]) -> Vec<f32> {
    let mut top = 0.0;
    let mut tops = vec![top];
    for field in fields {
        let is_long = field.value.len() > LONG || field.value.contains('\n');
        top += if is_long {
            FIELD + theme::TEXT_LINE
        } else {
            FIELD
        };
        tops.push(top);
    }
    tops
}

fn sheet(diff: &Arc<TextDiff>) -> Arc<Sheet> {
    let content = Content::Document(Arc::clone(diff), Language::Yaml);
    let mut sheet = Sheet::with_folds(content, &|_| None, Pane::Unified);
    sheet.cut(LINES);
    Arc::new(sheet)
}

/// What an incident is, and how much of it there is.
pub(super) fn gist(incident: &Incident) -> String {
    let drafts = counted(incident.drafts.len(), "draft", "drafts");
    let what = match incident.what {
        What::Report => "Flakestorm report",
        What::LangSmith => "LangSmith export",
        What::Recording => "recordings",
        What::Har => "HTTP archive",
        What::FailureLog => "failure log",
        What::Text => "text",
        What::Session => "session",
    };
    match incident.passed_over {
        0 => format!("{what}, {drafts}"),
        over => format!("{what}, {drafts}, {} skipped", thousands(over)),
    }
}

/// In what way a draft is there already, in words; `None` for a new one.
pub(super) fn standing(duplicate: Option<&Duplicate>) -> Option<String> {
    duplicate.map(|duplicate| match duplicate {
        Duplicate::Content(place) => format!("Already exists: {}", visible(place)),
        Duplicate::Id(place) => format!("ID in use: {}", visible(place)),
    })
}

/// Where a field came from, in words.
pub(super) fn origin(origin: Option<&Origin>) -> String {
    match origin {
        Some(Origin::Read {
            file,
            pointer,
            place,
        }) => format!("{}:{place}  {}", visible(file), visible(pointer)),
        Some(Origin::Made(how)) => (*how).to_owned(),
        None => String::new(),
    }
}

/// How runs are told apart by how they ended.
pub(super) const STATUSES: [(Status, &str); 3] = [
    (Status::All, "All"),
    (Status::Error, "With errors"),
    (Status::Warning, "Without errors"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use crate::ops::import::{Imported, Known};
    use crate::ops::secret::Own;
    use crate::text::Source;

    #[test]
    fn where_a_field_came_from_is_told_by_file_line_and_pointer() {
        let document = read(Source::new("{\n \"a\": 1}"), "a.json");
        let place = document.tree.at_pointer("/a").unwrap().place();
        let read = Origin::Read {
            file: "runs.json".into(),
            pointer: "/a".to_owned(),
            place,
        };
        assert_eq!(origin(Some(&read)), "runs.json:2:7  /a");
        assert_eq!(origin(Some(&Origin::Made("A digest"))), "A digest");
        assert_eq!(origin(None), "");
    }

    #[test]
    fn an_incident_is_told_in_a_few_words() {
        let gist_of = |passed_over| {
            let imported = Imported {
                passed_over,
                ..Imported::default()
            };
            let (known, own) = (Known::default(), Own::default());
            let what = What::LangSmith;
            gist(&Incident::new("runs.json", what, imported, &known, &own))
        };
        assert_eq!(gist_of(0), "LangSmith export, 0 drafts");
        assert_eq!(gist_of(1200), "LangSmith export, 0 drafts, 1,200 skipped");
        let there = Duplicate::Content("replays/a.yaml".to_owned());
        assert_eq!(
            standing(Some(&there)).as_deref(),
            Some("Already exists: replays/a.yaml")
        );
    }
}
