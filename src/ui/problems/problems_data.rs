//! Data of the problems desk. Each part is rebuilt only if its own inputs change: project, filter or selection.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::preview::{ProblemPreview, SourceFix};
use check::change::fix_of;
use check::{AccountNotes, rule};
use document::text::{counted, thousands, visible};
use document::{RuleId, Severity};
use protocol::DocId;
use workbench::{FoundRule, Library, OpenDocument, ProblemId, Workbench};

/// All problems, as the problems desk shows them.
#[derive(Clone, Debug, Default)]
pub struct ProblemsData {
    /// Counts of errors, warnings and notes, regardless of the filter.
    pub counts: [usize; 3],
    /// The reason why no rule is listed.
    pub no_rules: &'static str,
    /// The rules with problems, grouped by level.
    pub rules: Vec<ListRow>,
    /// The selected rule.
    pub rule: Option<RuleDetail>,
    /// Its folders, each with the range of its places.
    pub folders: Vec<PlaceFolder>,
    /// Its places, folder by folder. Their texts are read from the project when they are painted.
    pub places: Vec<ProblemId>,
    /// The file of the selected problem.
    pub preview: Option<ProblemPreview>,
    /// Increases whenever `folders` and `places` are rebuilt.
    pub places_version: u64,
    /// The selected level.
    pub level: Option<Severity>,
    rules_key: Option<ProblemsKey>,
    places_key: Option<(ProblemsKey, Option<RuleRow>)>,
    preview_key: Option<PreviewKey>,
}

/// Inputs: the revision of the items, and the selected level.
type ProblemsKey = (u64, Option<Severity>);
/// Inputs of the preview: the problem, the address of its document, and the revision of the items.
type PreviewKey = (ProblemId, usize, u64);

/// A row of the list of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRow {
    /// A heading.
    Level {
        severity: Severity,
        /// Number of problems of this level.
        count: usize,
    },
    Rule(FoundRule),
}

/// A rule, and the severity of its problems; `None` for any.
type RuleRow = (RuleId, Option<Severity>);

/// The places of one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceFolder {
    /// Path from the project root, with hidden characters made visible.
    pub name: String,
    /// Their indexes in [`ProblemsData::places`].
    pub places: std::ops::Range<usize>,
    /// Whether it stands for notes about cookies and ids of accounts in all folders, which are shown only when it is opened.
    pub is_summary: bool,
}

/// A rule with its explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDetail {
    pub rule: RuleId,
    /// The problem as a title.
    pub title: &'static str,
    /// The highest severity of its problems.
    pub severity: Severity,
    /// The explanation, in paragraphs of Markdown.
    pub text: String,
    pub fix: &'static str,
    /// Such as `7 in 2 folders`.
    pub extent: String,
    /// The label of the button that fixes all places, and its tooltip; `None` if the rule has no fix for them.
    pub fix_all: Option<(String, String)>,
}

impl ProblemsData {
    /// Synchronizes with the workbench. Costs nothing if nothing changed; while many files are being read, places are
    /// updated in the same steps as the library's list.
    pub fn update(&mut self, workbench: &Workbench) {
        let (desk, list) = (&workbench.problems, &workbench.core.list);
        let library = &workbench.core.library;
        self.level = desk.level;
        self.no_rules = if workbench.core.progress.is_some() {
            "Reading the files."
        } else if workbench.core.project.is_none() {
            "No folder is open."
        } else if library.is_empty() {
            "This folder has no recordings, cassettes, sessions, tapes or seeds."
        } else {
            "No problems found."
        };
        let key = (library.items_revision, self.level);
        if self.rules_key != Some(key) {
            self.build_rules(library);
            self.rules_key = Some(key);
        }
        // While files are read, items change with every event; the list is built again only a few times a second.
        let items = match workbench.core.progress {
            Some(_) => list.built.0,
            None => library.items_revision,
        };
        let key = (items, self.level);
        let selected = desk.rule.map(|rule| (rule, desk.severity));
        // After the rules were built: without a choice the most severe rule is open.
        let rule = selected.or_else(|| self.first_rule());
        if self.places_key != Some((key, rule)) {
            self.build_places(library, &list.listing.orders.by_path, rule);
            self.places_key = Some((key, rule));
            self.places_version += 1;
        }
        self.sync_problem(workbench, desk.problem);
    }

    fn sync_problem(&mut self, workbench: &Workbench, problem: Option<ProblemId>) {
        let library = &workbench.core.library;
        // A file that was read again may have fewer problems than the selection counts.
        let Some(id) = problem.filter(|id| library.problem(*id).is_some()) else {
            (self.preview, self.preview_key) = (None, None);
            return;
        };
        let address = match library.opened(id.doc) {
            // No document is at these addresses, so the states need no field of their own in the key.
            None | Some(OpenDocument::Reading) => 0,
            Some(OpenDocument::Failed(_)) => 1,
            Some(OpenDocument::Ready(document, _)) => Arc::as_ptr(document) as usize,
        };
        let key = (id, address, workbench.core.list.built.0);
        if self.preview_key != Some(key) {
            self.preview = ProblemPreview::new(library, id, self.preview.take());
            if let Some(preview) = &mut self.preview {
                // Apart from the preview, since it needs the listing of sources and not only the library.
                preview.source = SourceFix::new(workbench, id);
            }
            self.preview_key = Some(key);
        }
    }

    fn first_rule(&self) -> Option<RuleRow> {
        self.rules.iter().find_map(|row| match row {
            ListRow::Rule(rule) => Some((rule.rule, Some(rule.severity))),
            ListRow::Level { .. } => None,
        })
    }

    fn build_rules(&mut self, library: &Library) {
        self.counts =
            [Severity::Error, Severity::Warning, Severity::Note].map(|level| library.count(level));
        self.rules.clear();
        // Sorted by severity, which `chunk_by` relies on.
        let rules = library.rules_found(self.level);
        for group in rules.chunk_by(|a, b| a.severity == b.severity) {
            let count = group.iter().map(|r| r.count).sum();
            // A group has at least one rule.
            self.rules.push(ListRow::Level { severity: group[0].severity, count });
            self.rules.extend(group.iter().copied().map(ListRow::Rule));
        }
    }

    /// Builds the places of a rule, in the order of all items by path.
    fn build_places(&mut self, library: &Library, by_path: &[DocId], row: Option<RuleRow>) {
        self.places.clear();
        self.folders.clear();
        self.rule = None;
        let Some((id, level)) = row else { return };
        // A filter narrows also the rule that was selected before it.
        let level = self.level.or(level);
        let mut severity = None;
        let mut last = None;
        let (mut account_notes, mut account_places) = (AccountNotes::default(), Vec::new());
        // By path, so that the places of a folder follow each other and one pass finds the groups.
        for &doc in by_path {
            let Some(item) = library.get(doc) else { continue };
            let start = self.places.len();
            for (index, problem) in library.listed_problems(doc) {
                if problem.rule == id && level.is_none_or(|level| level == problem.severity) {
                    severity = severity.max(Some(problem.severity));
                    // Hundreds of cookies and ids of accounts would hide the real secrets; they get one folder at the end.
                    let is_note = AccountNotes::is_one(problem);
                    let places = if is_note { &mut account_places } else { &mut self.places };
                    places.push(ProblemId { doc, index });
                }
            }
            if id == RuleId::Secret {
                account_notes.add(item.problems.iter());
            }
            if self.places.len() == start {
                continue;
            }
            match self.folders.last_mut() {
                Some(folder) if last == Some(item.folder()) => {
                    folder.places.end = self.places.len();
                }
                _ => self.folders.push(PlaceFolder {
                    name: match library.shown_folder(item) {
                        // A lone dot is easily overlooked.
                        "." => "opened folder".to_owned(),
                        name => visible(name).into_owned(),
                    },
                    places: start..self.places.len(),
                    is_summary: false,
                }),
            }
            last = Some(item.folder());
        }
        if let Some(sentence) = account_notes.sentence().filter(|_| !account_places.is_empty()) {
            let start = self.places.len();
            self.places.extend(account_places);
            let places = start..self.places.len();
            self.folders.push(PlaceFolder { name: sentence, places, is_summary: true });
        }
        // Counted from the places, because the summary at the end is no folder.
        let docs: BTreeSet<DocId> = self.places.iter().map(|place| place.doc).collect();
        let folders: BTreeSet<&str> =
            docs.into_iter().filter_map(|doc| Some(library.get(doc)?.folder())).collect();
        let folders = counted(folders.len(), "folder", "folders");
        let extent = format!("{} in {folders}", thousands(self.places.len()));
        // No places while the list lags behind the rules.
        let (severity, rule) = (severity.unwrap_or(id.default_level()), rule(id));
        self.rule = Some(RuleDetail {
            rule: id,
            title: rule.title,
            severity,
            text: rule.text(),
            fix: rule.fix,
            extent,
            fix_all: fix_all(library, id),
        });
    }

    /// Returns the index of the selected problem among the places.
    pub fn selected_place(&self) -> Option<usize> {
        // From the preview, which exists only for a problem that is still there.
        let id = self.preview.as_ref()?.id;
        self.places.iter().position(|place| *place == id)
    }
}

/// Returns the label and the tooltip of the button that fixes all places of a rule.
fn fix_all(library: &Library, rule: RuleId) -> Option<(String, String)> {
    let fix = fix_of(rule)?;
    // Not the number of places: a file with several problems is changed once, and some places cannot be fixed.
    let targets = library.fix_targets(rule, None).len();
    let question = fix.question.map(|question| format!("{question}\n"));
    let tip = format!(
        "{}{}\nThe changes are shown before they are saved.",
        question.unwrap_or_default(),
        fix.leaves
    );
    (targets > 0).then(|| (fix.label(targets), tip))
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;
    use workbench::ProblemsAction;

    use super::*;
    use crate::problems::PreviewText;
    use calls::Item;
    use document::Problem;
    use document::text::{Source, Span};
    use protocol::{EngineEvent, ProjectInfo, ReadProgress, Remembered, Request};
    use workbench::{Action, Effect};

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
        let mut text = format!("{:?}\n", data.counts);
        for row in &data.rules {
            let _ = match row {
                ListRow::Level { severity, count } => writeln!(text, "{severity} {count}"),
                ListRow::Rule(found) => writeln!(text, "  {} {}", found.rule, found.count),
            };
        }
        if let Some(rule) = &data.rule {
            let _ = writeln!(text, "= {}, {}", rule.rule, rule.extent);
        }
        for folder in &data.folders {
            let _ = writeln!(text, "{}", folder.name);
            for id in &data.places[folder.places.clone()] {
                let item = workbench.core.library.get(id.doc).unwrap();
                let place = item.problems[id.index].place;
                let _ = writeln!(text, "  {}:{place}", item.file_name());
            }
        }
        text
    }

    #[test]
    fn rules_are_sorted_by_severity_and_places_in_natural_order() {
        use RuleId::{ResponseNotWrapped, SeedEmpty, SignatureMissing};
        let workbench = project(&[
            ("b/turn-10.json", &[ResponseNotWrapped, SignatureMissing]),
            ("b/turn-2.json", &[ResponseNotWrapped]),
            ("a/x.json", &[SeedEmpty, ResponseNotWrapped]),
            ("fine.json", &[]),
        ]);
        let mut data = ProblemsData::default();
        data.update(&workbench);
        insta::assert_snapshot!(picture(&data, &workbench), @r#"
        [3, 1, 1]
        error 3
          response-not-wrapped 3
        warning 1
          seed-empty 1
        note 1
          signature-missing 1
        = response-not-wrapped, 3 in 2 folders
        a
          x.json:2:15
        b
          turn-2.json:2:15
          turn-10.json:2:15
        "#);
    }

    #[test]
    fn notes_about_accounts_are_one_row_that_is_folded() {
        let problem = |message: &str| Problem::whole_file(RuleId::Secret, message);
        let note = problem("This looks like the cookie `__cf_bm`: `…`")
            .with_help("Replace it with a placeholder unless it may be public.")
            .with_severity(Severity::Note);
        let item = |path: &str, problems: Vec<Problem>| {
            let mut item = Item::new(path);
            item.problems = problems.into();
            Arc::new(item)
        };
        let mut workbench = project_of(vec![
            item("a/1.yaml", vec![note.clone(), problem("A key")]),
            item("b/2.yaml", vec![note.clone(), note.clone()]),
        ]);
        // Each row of a rule has the places of its own severity; that of the worst is the first.
        let mut shown = |severity: Option<Severity>| {
            let select = ProblemsAction::SelectRule(RuleId::Secret, severity);
            assert_eq!(workbench.apply(Action::from(select)), []);
            let mut data = ProblemsData::default();
            data.update(&workbench);
            let folders = data.folders.iter();
            let folders = folders.map(|f| format!("{} {:?} {}", f.name, f.places, f.is_summary));
            let rule = data.rule.as_ref();
            let rule = rule.map(|rule| format!("{}, {}", rule.severity, rule.extent));
            folders.chain(rule).collect::<Vec<_>>().join("; ")
        };
        let summary = "3 places with cookies in 2 files";
        assert_eq!(shown(Some(Severity::Warning)), "a 0..1 false; warning, 1 in 1 folder");
        assert_eq!(
            shown(Some(Severity::Note)),
            format!("{summary} 0..3 true; note, 3 in 2 folders")
        );
        assert_eq!(
            shown(None),
            format!("a 0..1 false; {summary} 1..4 true; warning, 4 in 2 folders")
        );
        let extent = |items| {
            let mut data = ProblemsData::default();
            data.update(&project_of(items));
            data.rule.map(|rule| rule.extent).unwrap_or_default()
        };
        let alone = || item("b/2.yaml", vec![note.clone()]);
        assert_eq!(extent(vec![alone()]), "1 in 1 folder");
        let files = [alone(), item("b/3.yaml", vec![note.clone()])];
        assert_eq!(extent(files.to_vec()), "2 in 1 folder");
        let nested = [alone(), item("b/c/4.yaml", vec![problem("A key")])];
        assert_eq!(extent(nested.to_vec()), "1 in 1 folder");
    }

    #[test]
    fn the_level_filter_leaves_the_counts_and_the_selection_shows_its_text() {
        use RuleId::{ResponseNotWrapped, SeedEmpty};
        let files: [(&str, &[RuleId]); 2] =
            [("a.json", &[SeedEmpty, ResponseNotWrapped]), ("fine.json", &[])];
        let mut workbench = project(&files);
        let filter = Action::from(ProblemsAction::Filter(Some(Severity::Warning)));
        assert_eq!(workbench.apply(filter), []);
        let id = ProblemId { doc: DocId::new(0), index: 0 };
        let effects = workbench.apply(Action::from(ProblemsAction::Select(id)));
        let Effect::Run(Request::ReadDocument(read)) = &effects[0] else {
            panic!("{effects:?}");
        };
        assert_eq!(read.doc, id.doc);

        let mut data = ProblemsData::default();
        data.update(&workbench);
        assert_eq!(data.counts, [1, 1, 0]);
        assert_eq!(data.rules.len(), 2);
        let preview = data.preview.as_ref().unwrap();
        assert!(matches!(preview.text, PreviewText::Reading));

        let document = document::read(Source::new("{\n  \"response\": {}\n}"), "a.json");
        workbench.receive(EngineEvent::Opened(id.doc, Ok(Arc::new(document))));
        data.update(&workbench);
        let preview = data.preview.as_ref().unwrap();
        assert_eq!(preview.path_line, "a.json:2:15");
        assert!(matches!(&preview.text, PreviewText::Ready(code) if code.marks.len() == 2));
    }
}
