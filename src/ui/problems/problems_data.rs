//! Data of the problems desk. Each part is rebuilt only if its own inputs change: project, notes or selection.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::source;
use calls::Item;
use calls::source::SourceState;
use check::change::{Change, fix_of};
use check::rule;
use document::diff::fold::OpenFolds;
use document::diff::text::TextDiff;
use document::text::{Span, counted, thousands, visible, visible_lines};
use document::{RuleId, Severity};
use protocol::DocId;
use widgets::code::CodeData;
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent};
use workbench::{
    Action, DiffLayout, FoundRule, Library, OpenDocument, ProblemId, ProblemsAction, RecordingFit,
    TerminalAction, Workbench,
};

/// All problems, as the desk shows them.
#[derive(Debug, Default)]
pub struct ProblemsData {
    /// The first line: `19 problems`.
    pub title: String,
    /// The reason why no rule is listed.
    pub no_rules: &'static str,
    pub shows_notes: bool,
    /// The rules with problems, worst first, each with the label of its fix.
    pub rules: Vec<(FoundRule, Option<String>)>,
    /// The selected rule.
    pub rule: Option<RuleDetail>,
    /// Its places below their headings.
    pub rows: Vec<PlaceRow>,
    /// The selected place.
    pub preview: Option<ProblemPreview>,
    rules_key: Option<RulesKey>,
    places_key: Option<(RulesKey, Option<RuleRow>)>,
    preview_key: Option<PreviewKey>,
}

/// Inputs: the revision of the items, and whether notes are listed.
type RulesKey = (u64, bool);
/// Inputs of the preview: the problem, the addresses of its document and of what its fix changes, the revision of the items, and the
/// number of open folds.
type PreviewKey = (ProblemId, usize, usize, u64, usize);
/// A rule, and the severity of its problems; `None` for any.
type RuleRow = (RuleId, Option<Severity>);

/// A rule and its fix.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDetail {
    pub rule: RuleId,
    pub severity: Severity,
    /// The problem as a title.
    pub title: &'static str,
    /// The first sentence of its explanation.
    pub sentence: String,
    /// Its id and its whole explanation.
    pub about: String,
    /// The fix of all places; `None` where each heading has its own, or there is none.
    pub fix: Option<PlaceFix>,
    /// Whether the source of a recording is shown.
    pub is_about_source: bool,
    /// Whether all places have the same message, which their rows then leave out.
    pub has_one_message: bool,
}

/// A button that fixes places.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceFix {
    pub label: String,
    pub tip: String,
    pub action: Action,
}

/// A row of the list of places.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only the rows of one rule exist at a time")]
pub enum PlaceRow {
    /// A heading: a folder, or whether recordings still match.
    Group {
        fit: Option<RecordingFit>,
        name: String,
        fix: Option<PlaceFix>,
    },
    Place(ProblemId),
}

/// The selected place, and what its fix changes.
#[derive(Clone, Debug)]
pub struct ProblemPreview {
    pub id: ProblemId,
    /// The path from the project root, with line and column, in the form that editors open.
    pub path_line: String,
    pub span: Span,
    pub message: String,
    /// Advice, if no fix does it: the problem's own, else the rule's.
    pub advice: String,
    /// A fix that depends on the source of the file.
    pub source_fix: Option<PlaceFix>,
    pub text: PreviewText,
}

/// The content of the preview.
#[derive(Clone, Debug)]
pub enum PreviewText {
    /// It is being read, or the fix is being planned.
    Awaited,
    /// The file could not be read, or the fix cannot be made, for this reason.
    Failed(String),
    /// The file around the place.
    Place(Box<CodeData>),
    /// The changes of the fix, with the number of lines.
    Fix(Arc<Sheet>, usize),
}

impl ProblemsData {
    /// Synchronizes with the workbench. Costs nothing if nothing changed; while many files are being read, places are
    /// updated in the same steps as the library's list.
    pub fn update(&mut self, workbench: &Workbench, folds: &OpenFolds) {
        let (desk, core) = (&workbench.problems, &workbench.core);
        let library = &core.library;
        self.shows_notes = desk.shows_notes;
        let key = (library.items_revision, desk.shows_notes);
        if self.rules_key != Some(key) {
            self.build_rules(library);
            self.rules_key = Some(key);
        }
        let count = self.rules.iter().map(|(found, _)| found.count).sum();
        self.title = match count {
            0 => "Problems".to_owned(),
            count => counted(count, "problem", "problems"),
        };
        self.no_rules = if core.progress.is_some() {
            "Reading the files."
        } else if library.is_empty() {
            "This folder has no recordings, cassettes, sessions, tapes or seeds."
        } else {
            "No problems found."
        };
        // While files are read, items change with every event; the list is built again only a few times a second.
        let items =
            if core.progress.is_some() { core.list.built.0 } else { library.items_revision };
        let key = (items, desk.shows_notes);
        // Without a choice the most severe rule is open.
        let first = || self.rules.first().map(|(found, _)| (found.rule, Some(found.severity)));
        let row = desk.rule.map(|rule| (rule, desk.severity)).or_else(first);
        if self.places_key != Some((key, row)) {
            self.build_places(workbench, row);
            self.places_key = Some((key, row));
        }
        self.sync_preview(workbench, folds);
    }

    fn build_rules(&mut self, library: &Library) {
        let rules = library.rules_found(self.shows_notes).into_iter();
        let fix_label = |rule: RuleId| {
            let fix = fix_of(rule)?;
            // Not the number of places: a file with several problems is changed once, and some places cannot be fixed.
            let targets = library.fix_targets(rule, None).len();
            (targets > 0).then(|| fix.count_label(targets))
        };
        self.rules = rules.map(|found| (found, fix_label(found.rule))).collect();
    }

    fn build_places(&mut self, workbench: &Workbench, row: Option<RuleRow>) {
        let library = &workbench.core.library;
        self.rows.clear();
        self.rule = None;
        let Some((id, severity)) = row else { return };
        let places = workbench.problems.places_of(&workbench.core, (id, severity));
        // No places while the list lags behind the rules.
        let Some(first) = places.first().and_then(|place| library.problem(*place)) else { return };
        let is_same = |place: &ProblemId| {
            library.problem(*place).is_some_and(|problem| problem.message == first.message)
        };
        let has_one_message = places.len() > 1 && places.iter().all(is_same);
        let folder = |place: &ProblemId| library.get(place.doc).map_or("", |item| item.folder());
        let group = |place: &ProblemId| match library.place_fit(id, place.doc) {
            Some(fit) => (Some(fit), ""),
            None => (None, folder(place)),
        };
        let groups: Vec<&[ProblemId]> = places.chunk_by(|a, b| group(a) == group(b)).collect();
        for places in &groups {
            let (fit, folder) = group(&places[0]);
            let name = match fit {
                Some(fit) => fit.label(places.len()),
                None => {
                    format!("{}, {}", visible(library.shown_path(folder)), thousands(places.len()))
                }
            };
            // One folder needs no heading.
            if fit.is_some() || groups.len() > 1 {
                let fix = fit.and_then(|fit| fit_fix(fit, places));
                self.rows.push(PlaceRow::Group { fit, name, fix });
            }
            self.rows.extend(places.iter().copied().map(PlaceRow::Place));
        }
        let rule = rule(id);
        let text = rule.text();
        let end = text.find(". ").or_else(|| text.find(".\n")).map_or(text.len(), |end| end + 1);
        let sentence = match id {
            RuleId::SourceStale => edited_sources(library, &places),
            _ => text[..end].lines().next().unwrap_or_default().to_owned(),
        };
        self.rule = Some(RuleDetail {
            rule: id,
            severity: severity.unwrap_or(first.severity),
            title: rule.title,
            sentence,
            about: format!("{id}\n\n{text}"),
            fix: fix_all(library, id).filter(|_| id != RuleId::SourceStale),
            is_about_source: id.as_str().starts_with("source-") && id != RuleId::SourceUnstamped,
            has_one_message,
        });
    }

    fn sync_preview(&mut self, workbench: &Workbench, folds: &OpenFolds) {
        let library = &workbench.core.library;
        // A file that was read again may have fewer problems than the selection counts.
        let found = workbench.problems.problem.and_then(|id| Some((id, library.problem(id)?)));
        let Some((id, problem)) = found else {
            (self.preview, self.preview_key) = (None, None);
            return;
        };
        let address = match library.opened(id.doc) {
            // No document is at these addresses, so the states need no field of their own in the key.
            None | Some(OpenDocument::Reading) => 0,
            Some(OpenDocument::Failed(_)) => 1,
            Some(OpenDocument::Ready(document, _)) => Arc::as_ptr(document) as usize,
        };
        let fix = workbench.problems.fix_preview(id.doc, problem.rule);
        let fix_address = match fix {
            None => 0,
            Some(Err(_)) => 1,
            Some(Ok(diff)) => Arc::as_ptr(diff) as usize,
        };
        let key = (id, address, fix_address, workbench.core.list.built.0, folds.len());
        if self.preview_key != Some(key) {
            self.preview = ProblemPreview::new(workbench, id, fix, folds);
            self.preview_key = Some(key);
        }
    }

    /// Returns the row of the selected place.
    pub fn selected_row(&self) -> Option<usize> {
        // From the preview, which exists only for a problem that is still there.
        let id = self.preview.as_ref()?.id;
        self.rows.iter().position(|row| *row == PlaceRow::Place(id))
    }
}

impl ProblemPreview {
    fn new(
        workbench: &Workbench,
        id: ProblemId,
        fix: Option<&Result<Arc<TextDiff>, String>>,
        folds: &OpenFolds,
    ) -> Option<Self> {
        let library = &workbench.core.library;
        let (item, problem) = (library.get(id.doc)?, library.problem(id)?);
        let has_fix = check::change::fix_at(problem, item).is_some();
        let text = match (library.opened(id.doc), fix) {
            (_, Some(Ok(diff))) => {
                let lines = diff.changes.iter().map(|change| change.rows.len()).sum();
                let is_json = item.path.ends_with(".json");
                let language = if is_json { Language::Json } else { Language::Yaml };
                let content = SheetContent::Document(Arc::clone(diff), language);
                let sheet = Sheet::with_folds(content, &|_| Some(folds), DiffLayout::Unified);
                PreviewText::Fix(Arc::new(sheet), lines)
            }
            (_, Some(Err(reason))) => PreviewText::Failed(format!("{}.", visible(reason))),
            (_, None) if has_fix => PreviewText::Awaited,
            (None | Some(OpenDocument::Reading), None) => PreviewText::Awaited,
            (Some(OpenDocument::Failed(reason)), None) => {
                PreviewText::Failed(visible(reason).into_owned())
            }
            (Some(OpenDocument::Ready(document, _)), None) => {
                PreviewText::Place(Box::new(CodeData::new(document, &item.problems)))
            }
        };
        let help = problem.help.as_deref().unwrap_or(rule(problem.rule).fix);
        Some(Self {
            id,
            path_line: format!("{}:{}", item.path, problem.place),
            span: problem.span,
            message: visible(&problem.message).into_owned(),
            advice: if has_fix { String::new() } else { visible_lines(help) },
            source_fix: source_fix(workbench, problem.rule, id.doc, item),
            text,
        })
    }
}

/// Says which sources have changed since recordings were made from them.
fn edited_sources(library: &Library, places: &[ProblemId]) -> String {
    let source = |place: &ProblemId| library.get(place.doc)?.source.as_ref()?.file.as_deref();
    let files: BTreeSet<&str> = places.iter().filter_map(source).collect();
    let names = match files.first() {
        Some(only) if files.len() == 1 => visible(source::stem(only)).into_owned(),
        _ => counted(files.len(), "source", "sources"),
    };
    let verb = if files.len() == 1 { "was" } else { "were" };
    format!("{names} {verb} edited after these were recorded.")
}

/// Returns the fix of recordings whose changed source they still match, or no longer match.
fn fit_fix(fit: RecordingFit, places: &[ProblemId]) -> Option<PlaceFix> {
    let docs: Vec<DocId> = places.iter().map(|place| place.doc).collect();
    let count = thousands(docs.len());
    match fit {
        RecordingFit::Matches => Some(PlaceFix {
            label: format!("Restamp {count}…"),
            tip: "Stores the hash of the current source. The changes are shown before they are saved.".to_owned(),
            action: Action::Batch(Change::Restamp, docs),
        }),
        RecordingFit::Breaks => Some(PlaceFix {
            label: format!("Record {count} again…"),
            tip: "Shows the project's command. It runs only when you click Run.".to_owned(),
            action: TerminalAction::Regenerate(docs).into(),
        }),
        RecordingFit::Unknown | RecordingFit::Other(_) => None,
    }
}

/// Returns the button that fixes all places of a rule.
fn fix_all(library: &Library, rule: RuleId) -> Option<PlaceFix> {
    let fix = fix_of(rule)?;
    let targets = library.fix_targets(rule, None).len();
    let question = fix.question.map(|question| format!("{question}\n")).unwrap_or_default();
    let tip = format!("{question}{}\nThe changes are shown before they are saved.", fix.leaves);
    let action = Action::from(ProblemsAction::Fix(rule, None));
    (targets > 0).then(|| PlaceFix { label: fix.label(targets), tip, action })
}

/// Returns the fix of a problem that depends on the source of its file.
fn source_fix(workbench: &Workbench, rule: RuleId, doc: DocId, item: &Item) -> Option<PlaceFix> {
    let source = item.source.as_ref()?;
    let row = workbench.core.list.listing.orders.sources.of_recording(source)?;
    match (rule, row.places.len()) {
        // With one new location the rule's own fix changes it; several need a choice.
        (RuleId::SourceRenamed, 2..) => Some(PlaceFix {
            label: "Choose the new location…".to_owned(),
            tip: String::new(),
            action: Action::CompareSource(doc),
        }),
        (RuleId::SourceLineEndings, _) if row.restampable > 0 => {
            let library = &workbench.core.library;
            let source = |doc: &DocId| library.get(*doc)?.source.as_deref();
            let can_restamp = |doc: &DocId| source(doc).is_some_and(SourceState::can_be_restamped);
            let docs = row.recordings.iter().copied().filter(can_restamp).collect();
            Some(PlaceFix {
                label: format!("Restamp {}…", thousands(row.restampable)),
                tip: "Fixes every recording of this source.".to_owned(),
                action: Action::Batch(Change::Restamp, docs),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;

    use super::*;
    use calls::ItemFacts;
    use calls::source::{PresentSource, SourceFinding};
    use document::text::Source;
    use document::{FileKind, Problem};
    use protocol::{EngineEvent, ProjectInfo, ReadProgress, Remembered, Request};
    use workbench::Effect;

    /// Builds a project of these files, each with problems of these rules.
    pub(crate) fn project(files: &[(&str, &[RuleId])]) -> Workbench {
        let source = Source::new("{\n  \"response\": {}\n}");
        let item = |(path, rules): &(&str, &[RuleId])| {
            let mut item = Item::new(path);
            let problem = |rule: &RuleId| {
                Problem::at(*rule, &source, Span::new(16, 17), "/response", "it is `odd`")
            };
            item.problems = rules.iter().map(problem).collect();
            Arc::new(item)
        };
        project_of(files.iter().map(item).collect())
    }

    fn project_of(items: Vec<Arc<Item>>) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, progress) = (1, ReadProgress::default());
        let project = ProjectInfo::default();
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        workbench.receive(EngineEvent::ItemsFound { generation, items });
        workbench.receive(EngineEvent::ScanEnded { generation, progress, cancelled: false });
        workbench.refresh();
        workbench
    }

    fn picture(data: &ProblemsData, workbench: &Workbench) -> String {
        let mut text = format!("{}\n", data.title);
        for (found, fix) in &data.rules {
            let fix = fix.as_deref().unwrap_or_default();
            let _ = writeln!(text, "  {} {} {} {fix}", found.severity, found.rule, found.count);
        }
        for row in &data.rows {
            let _ = match row {
                PlaceRow::Group { name, fix, .. } => {
                    let fix = fix.as_ref().map_or("", |fix| &*fix.label);
                    writeln!(text, "[{name}] {fix}")
                }
                PlaceRow::Place(id) => {
                    let item = workbench.core.library.get(id.doc).unwrap();
                    writeln!(text, "{}:{}", item.file_name(), item.problems[id.index].place)
                }
            };
        }
        text
    }

    fn shown(workbench: &Workbench) -> String {
        let mut data = ProblemsData::default();
        data.update(workbench, &OpenFolds::default());
        let text = picture(&data, workbench);
        text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn rules_are_sorted_by_severity_without_notes_and_places_in_natural_order() {
        use RuleId::{ResponseNotWrapped, SeedEmpty, SignatureMissing};
        let mut workbench = project(&[
            ("b/turn-10.json", &[ResponseNotWrapped, SignatureMissing]),
            ("b/turn-2.json", &[ResponseNotWrapped]),
            ("a/x.json", &[SeedEmpty, ResponseNotWrapped]),
            ("fine.json", &[]),
        ]);
        insta::assert_snapshot!(shown(&workbench), @"
        4 problems
          error response-not-wrapped 3 Wrap 3…
          warning seed-empty 1
        [a, 1]
        x.json:2:15
        [b, 2]
        turn-2.json:2:15
        turn-10.json:2:15
        ");
        let _ = workbench.apply(Action::from(ProblemsAction::ToggleNotes));
        assert!(shown(&workbench).contains("note signature-missing 1"));
    }

    #[test]
    fn recordings_of_a_changed_source_are_split_by_whether_they_still_match() {
        let item = |index: usize, affected: Option<bool>| {
            let now = Arc::new(PresentSource::from_bytes("m.dygram", b"now", true));
            let source = SourceState {
                affected,
                ..SourceState::new(
                    Some("m.dygram".into()),
                    Some("0".repeat(64).into()),
                    SourceFinding::Stale(now),
                )
            };
            let facts = ItemFacts {
                kind: FileKind::Recording,
                source: Some(source.into()),
                ..ItemFacts::new(&format!("set/{index}.json"))
            };
            let problem = Problem::whole_file(RuleId::SourceStale, "the source has changed");
            Arc::new(Item::from(facts).with_problems(vec![problem]))
        };
        let states = [Some(true), Some(false), None, Some(false)];
        let items = states.into_iter().enumerate().map(|(index, state)| item(index, state));
        insta::assert_snapshot!(shown(&project_of(items.collect())), @"
        4 problems
          warning source-stale 4 Restamp 2…
        [2 still match] Restamp 2…
        1.json:1:1
        3.json:1:1
        [1 may match]
        2.json:1:1
        [1 breaks] Record 1 again…
        0.json:1:1
        ");
    }

    #[test]
    fn the_selected_place_is_shown_with_its_fix_or_in_its_file() {
        use RuleId::{ResponseNotWrapped, SeedEmpty};
        let files: [(&str, &[RuleId]); 2] =
            [("a.json", &[SeedEmpty, ResponseNotWrapped]), ("fine.json", &[])];
        let mut workbench = project(&files);
        let id = ProblemId { doc: DocId::new(0), index: 0 };
        let effects = workbench.apply(Action::from(ProblemsAction::Select(id)));
        assert!(
            matches!(&effects[0], Effect::Run(Request::ReadDocument(read)) if read.doc == id.doc)
        );
        let mut data = ProblemsData::default();
        data.update(&workbench, &OpenFolds::default());
        assert!(matches!(data.preview.as_ref().unwrap().text, PreviewText::Awaited));

        let document = document::read(Source::new("{\n  \"response\": {}\n}"), "a.json");
        workbench.receive(EngineEvent::Opened(id.doc, Ok(Arc::new(document))));
        data.update(&workbench, &OpenFolds::default());
        let preview = data.preview.as_ref().unwrap();
        assert_eq!(preview.path_line, "a.json:2:15");
        assert!(matches!(&preview.text, PreviewText::Place(code) if code.marks.len() == 2));

        let _ = workbench.apply(Action::Go(protocol::Desk::Problems));
        let select = ProblemsAction::Select(ProblemId { index: 1, ..id });
        let _ = workbench.apply(Action::from(select));
        let effects = workbench.refresh();
        let key = effects.iter().find_map(|effect| match effect {
            Effect::Run(Request::PreviewFix(request)) => Some(request.key.clone()),
            _ => None,
        });
        let texts = ["{\n  \"response\": {}\n}", "{\n  \"response\": {\"response\": {}}\n}"];
        let [old, new] = texts.map(Source::new);
        let diff = TextDiff::new(&old, &new, document::diff::outline::Outline::Plain);
        workbench.receive(EngineEvent::FixPreviewed(key.unwrap(), Ok(Arc::new(diff))));
        data.update(&workbench, &OpenFolds::default());
        assert!(matches!(data.preview.as_ref().unwrap().text, PreviewText::Fix(_, 1)));
    }
}
