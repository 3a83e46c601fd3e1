//! Checks the items of a project together.

use std::panic::resume_unwind;
use std::thread;

use foldhash::{HashMap, HashMapExt as _};

use super::*;
use ::document::{FileKind, Problem, RuleId, Severity};
use calls::Item;
use calls::secret::Mask;
use calls::source::{SourceFinding, SourceState};

/// Checks items together: shared signatures, sources, keys that are seeded in several files, unknown formats.
///
/// The caller gives each item a number, and each problem is returned with the number of its item. The result does not
/// depend on earlier results, so the caller may call this function again whenever items have changed. The texts of the
/// problems do not show secrets of their item.
pub fn check_project<'a>(
    items: impl IntoIterator<Item = (usize, &'a Item)>,
) -> Vec<(usize, Problem)> {
    let project = ProjectIndex::new(items);
    let mut findings = judge_folders(&project);
    seed_key_reused::judge_project(&project, &mut findings);
    project.hide_secrets(&mut findings);
    findings
}

/// Checks the items of some folders together, all of each, and none of them seeds. `any_stamped` says whether any recording of the
/// project names its source. The problems are those that [`check_project`] finds for these items among all.
pub fn check_folders<'a>(
    items: impl IntoIterator<Item = (usize, &'a Item)>,
    any_stamped: bool,
) -> Vec<(usize, Problem)> {
    let mut project = ProjectIndex::new(items);
    project.any_stamped = any_stamped;
    let mut findings = judge_folders(&project);
    project.hide_secrets(&mut findings);
    findings
}

/// Number of items from which their rules are applied on two threads: starting one takes as long as judging hundreds of items.
const MIN_PARALLEL_ITEMS: usize = 5_000;

/// Judges everything but the keys of seeds.
fn judge_folders(project: &ProjectIndex<'_>) -> Vec<(usize, Problem)> {
    let judge_signatures = || {
        let mut findings = Vec::new();
        signature_shared::judge_project(project, &mut findings);
        findings
    };
    thread::scope(|scope| {
        let is_long = project.items.len() >= MIN_PARALLEL_ITEMS;
        let builder = || thread::Builder::new().name("retake check".into());
        // If no thread can be started, this one does its work.
        let other_thread = is_long.then(|| builder().spawn_scoped(scope, judge_signatures).ok());
        let (mut findings, mut later_findings) = (judge_sources(project), Vec::new());
        session_id_reused::judge_project(project, &mut later_findings);
        unknown_format::judge_project(project, &mut later_findings);
        findings.extend(match other_thread.flatten() {
            Some(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            None => judge_signatures(),
        });
        findings.append(&mut later_findings);
        findings
    })
}

fn judge_sources(project: &ProjectIndex<'_>) -> Vec<(usize, Problem)> {
    let mut findings = Vec::new();
    for (index, item) in &project.items {
        let Some(source) = &item.source else { continue };
        let case = JudgedSource { item, source, project };
        let problem = match &source.found {
            // A file that players skip needs no source.
            SourceFinding::Unstamped if !is_loaded(item) => None,
            SourceFinding::Unstamped => source_unstamped::judge(*index, case),
            SourceFinding::Fresh(_) => None,
            SourceFinding::LineEndings(text) => Some(source_line_endings::judge(case, text)),
            SourceFinding::Stale(text) => Some(source_stale::judge(case, text)),
            SourceFinding::Renamed(moves) => Some(source_renamed::judge(case, moves)),
            SourceFinding::Missing(commit) => Some(source_missing::judge(case, commit.as_deref())),
            SourceFinding::Outside(reason) => Some(source_outside::judge(case, reason)),
        };
        // A source that was moved may have changed as well, which is another problem.
        let new_source = match &source.found {
            SourceFinding::Renamed(_) => source.found.changed(),
            _ => None,
        };
        let stale_problem = new_source.map(|text| source_stale::judge(case, text));
        let path_problem = source_path_mismatch::judge(case);
        let problems = problem.into_iter().chain(stale_problem).chain(path_problem);
        findings.extend(problems.map(|problem| (*index, problem)));
    }
    findings
}

/// Returns true if a rule's problems are found by [`check_project`].
pub fn needs_other_files(rule: RuleId) -> bool {
    matches!(
        rule,
        RuleId::SourceUnstamped
            | RuleId::SourceLineEndings
            | RuleId::SourceStale
            | RuleId::SourceRenamed
            | RuleId::SourceMissing
            | RuleId::SourceOutside
            | RuleId::SourcePathMismatch
            | RuleId::SignatureShared
            | RuleId::SessionIdReused
            | RuleId::SeedKeyReused
            | RuleId::UnknownFormat
    )
}

/// Returns whether players load a recording: they skip one that does not parse, and its end may hold what it seems to lack.
pub(super) fn is_loaded(item: &Item) -> bool {
    let is_broken = |p: &Problem| p.severity == Severity::Error && p.rule.hides_content();
    item.kind == FileKind::Recording && !item.problems.iter().any(is_broken)
}

/// The items, with statistics that several rules use.
pub(super) struct ProjectIndex<'a> {
    pub(super) items: Vec<(usize, &'a Item)>,
    /// Number of recordings of each folder.
    recordings: HashMap<&'a str, usize>,
    /// Number of recordings of a folder that have the same source in the same state.
    same_source_counts: HashMap<SourceCase<'a>, usize>,
    /// Whether any recording names its source: then all recordings of the project should.
    pub(super) any_stamped: bool,
    pub(super) unstamped: HashMap<&'a str, Unstamped<'a>>,
}

/// The recordings of a folder that do not name their source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unstamped<'a> {
    pub(super) number: usize,
    /// The number of the recording whose path sorts first.
    pub(super) first: usize,
    path: &'a str,
}

/// Folder, source file, and the state of the source.
type SourceCase<'a> = (&'a str, Option<&'a str>, &'static str);

impl<'a> ProjectIndex<'a> {
    pub(super) fn new(items: impl IntoIterator<Item = (usize, &'a Item)>) -> Self {
        let mut project = Self {
            items: items.into_iter().collect(),
            recordings: HashMap::new(),
            same_source_counts: HashMap::new(),
            any_stamped: false,
            unstamped: HashMap::new(),
        };
        // The files of a folder mostly follow each other; then its name is looked up once for all of them.
        for group in project.items.chunk_by(|(_, a), (_, b)| a.folder() == b.folder()) {
            let folder = group[0].1.folder();
            let loaded_count = group.iter().filter(|(_, item)| is_loaded(item)).count();
            if loaded_count > 0 {
                *project.recordings.entry(folder).or_default() += loaded_count;
            }
            let sources = || group.iter().filter_map(|(_, item)| item.source.as_deref());
            for source in sources() {
                let case = (folder, source.file.as_deref(), source.found.as_str());
                *project.same_source_counts.entry(case).or_default() += 1;
                project.any_stamped |= source.found != SourceFinding::Unstamped;
            }
            let is_unstamped = |item: &Item| {
                let source = item.source.as_ref();
                source.is_some_and(|source| source.found == SourceFinding::Unstamped)
                    && is_loaded(item)
            };
            for (index, item) in group.iter().filter(|(_, item)| is_unstamped(item)) {
                let entry = Unstamped { number: 0, first: *index, path: item.root_path() };
                let unstamped = project.unstamped.entry(folder).or_insert(entry);
                unstamped.number += 1;
                // By path, so that the place does not depend on the order in which files were read.
                if *item.root_path() < *unstamped.path {
                    (unstamped.first, unstamped.path) = (*index, item.root_path());
                }
            }
        }
        project
    }

    /// Removes the secrets of each item from the texts of its problems.
    fn hide_secrets(&self, findings: &mut [(usize, Problem)]) {
        let masks: HashMap<usize, &Mask> = (self.items.iter())
            .filter_map(|(index, item)| Some((*index, item.secrets.as_deref()?)))
            .collect();
        for (index, problem) in findings {
            if let Some(secrets) = masks.get(index) {
                secrets.hide_in(problem);
            }
        }
    }

    /// Returns how many recordings a folder has.
    pub(super) fn recordings_in(&self, folder: &str) -> usize {
        self.recordings.get(folder).copied().unwrap_or_default()
    }
}

/// An item whose source is judged.
#[derive(Clone, Copy)]
pub(super) struct JudgedSource<'a> {
    pub(super) item: &'a Item,
    pub(super) source: &'a SourceState,
    pub(super) project: &'a ProjectIndex<'a>,
}

impl JudgedSource<'_> {
    /// Returns the recorded path of the source; empty if there is none.
    pub(super) fn file(&self) -> &str {
        self.source.file.as_deref().unwrap_or_default()
    }

    /// Returns the recorded hash of the source; empty if there is none.
    pub(super) fn recorded_hash(&self) -> &str {
        self.source.recorded_hash.as_deref().unwrap_or_default()
    }

    /// Returns a problem at the recorded path.
    pub(super) fn problem_at_file(&self, rule: RuleId, message: String) -> Problem {
        let mark = self.source.file_mark.unwrap_or_default();
        mark.problem(rule, "/sourceMetadata/sourceFile", message)
    }

    /// Returns a problem at the recorded hash.
    pub(super) fn problem_at_hash(&self, rule: RuleId, message: String) -> Problem {
        let mark = self.source.hash_mark.unwrap_or_default();
        mark.problem(rule, "/sourceMetadata/contentHash", message)
    }

    /// Describes how many recordings are affected: "4 of 23 recordings in recordings/triage".
    pub(super) fn describe_affected(&self) -> String {
        let Self { item, source, project } = self;
        let same_count =
            project.same_source_counts.get(&source_case(item, source)).copied().unwrap_or(1);
        let total = project.recordings_in(item.folder()).max(1);
        let folder = phrases::folder_name(item.folder());
        match total {
            1 => format!("the only recording in {folder}"),
            _ => format!("{same_count} of {total} recordings in {folder}"),
        }
    }
}

fn source_case<'a>(item: &'a Item, source: &'a SourceState) -> SourceCase<'a> {
    (item.folder(), source.file.as_deref(), source.found.as_str())
}

/// Returns the steps that fix a recording whose source has changed. The path is as given by the caller, or else from the project
/// root: long absolute paths are hard to read.
pub(super) fn steps(item: &Item) -> String {
    let is_absolute = std::path::Path::new(&*item.path).is_absolute();
    let path = if is_absolute { item.root_path() } else { &item.path };
    let path = phrases::shell_word(path);
    let tests = match item.set() {
        "" => String::new(),
        set => format!(" -- {}", phrases::shell_word(set)),
    };
    format!(
        "1. Review the change: `retake source {path}`\n\
         2. Regenerate: `DYGRAM_TEST_MODE=interactive npm test{tests}`\n\
         3. Commit the recordings with their source."
    )
}

/// Returns the first 12 digits of a hash.
pub(super) fn short_hash(hash: &str) -> String {
    // A recorded hash may be any text, so bytes could cut a character.
    let end = hash.char_indices().nth(12).map_or(hash.len(), |(end, _)| end);
    ::document::text::visible(&hash[..end]).into_owned()
}
