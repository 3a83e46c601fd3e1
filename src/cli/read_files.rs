//! Opens and reads what a command is given, with its problems.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{
    CommandError, CommandResult, CommandVerdict, open_error_message, output, print_summary,
    report_error,
};
use ::calls::Item;
use ::calls::item::{BASELINE_FILE_NAME, SETTINGS_FILE_NAME};
use ::calls::reading;
use ::calls::secret::Mask;
use check::SharedFinding;
use check::search::FilterQuery;
use document::foreign::{Foreign, ForeignFormat};
use document::text::{count, some_and_others, upper_first};
use document::{Document, FileKind, Problem, RuleId, Severity};
use engine::root::ReadBounds;
use engine::{
    IgnoredCount, Phase, Project, ReadProgress, ScanStep, SourceLookup, scan, search_bodies,
};

/// All files that were read, in the order of listing, with their problems.
pub(super) struct ReadFiles {
    pub(super) project: Project,
    /// The number of paths that could not be opened.
    pub(super) unopened: usize,
    pub(super) items: Vec<Arc<Item>>,
    /// The number of each item in the order of arrival.
    pub(super) numbers: Vec<usize>,
    pub(super) progress: ReadProgress,
    pub(super) elapsed: Duration,
    /// Number of items that are no files that were read, but have a finding of several of those.
    pub(super) inserted: usize,
}

/// Returns whether a file is one of another tool whose calls are not checked. Of a large file only the beginning was read.
pub(super) fn is_unread(item: &Item) -> bool {
    let is_read = |foreign: Foreign| reading::reads(foreign.format) && foreign.entries.is_some();
    item.foreign.is_some_and(|foreign| !is_read(foreign))
}

/// Number of files that are named of each kind.
const MAX_NAMED_FILES: usize = 3;

/// Returns a sentence about files of another tool.
fn describe_unread(format: ForeignFormat, paths: &[&str]) -> String {
    format!(
        "{} of another tool ({}): {}. {}",
        count(paths.len(), "file"),
        format.label(),
        some_and_others(paths.iter().map(|path| output::shown(path)), MAX_NAMED_FILES),
        format.help()
    )
}

impl ReadFiles {
    /// Returns the one file that was read at this path.
    ///
    /// # Errors
    ///
    /// Returns an error if the path is a folder.
    pub(super) fn only_item(&self, path: &str) -> CommandResult<&Arc<Item>> {
        match self.items.as_slice() {
            [item] if !self.project.has_folder() => Ok(item),
            _ => Err(CommandError(format!("Expected a file, found a folder: {path}"))),
        }
    }

    /// Adds the problems of rules that are off by default, if they are on: of machines whose tasks have no recordings, and of
    /// conversations that a prompt cache cannot serve.
    pub(super) fn check_optional_rules(&mut self) {
        let uncovered_nodes = self.project.uncovered_nodes(self.numbered());
        let cache_breaks = self.project.cache_breaks(self.numbered());
        for (number, problem) in uncovered_nodes.into_iter().chain(cache_breaks) {
            let index = self.numbers.iter().position(|n| *n == number);
            if let Some(item) = index.and_then(|index| self.items.get_mut(index)) {
                *item = Arc::new(Item::clone(item).with_problems(vec![problem]));
            }
        }
    }

    /// The items in the order of listing, each with the number by which the project reads it.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &Arc<Item>)> {
        self.numbers.iter().copied().zip(&self.items)
    }

    /// The items that pass a filter, as [`numbered`](Self::numbered). Only the files that pass all other terms are searched, and only of
    /// those the history is read.
    pub(super) fn filtered(&self, query: &FilterQuery) -> Vec<(usize, &Arc<Item>)> {
        let mut matches: Vec<(usize, &Arc<Item>)> =
            self.numbered().filter(|(_, item)| query.matches(item)).collect();
        if let Some(bodies) = query.body() {
            let files: Vec<(usize, &Item)> =
                matches.iter().map(|(number, item)| (*number, &***item)).collect();
            let mut verdicts = search_bodies(&self.project, &files, bodies).into_iter();
            matches.retain(|_| verdicts.next() == Some(true));
        }
        if query.has_provenance() {
            let mut fitting = HashSet::new();
            let files = matches.iter().map(|(number, item)| (*number, &***item));
            self.project.provenances(files, &AtomicBool::new(false), |number, provenance| {
                fitting.extend(query.fits_provenance(Some(provenance)).then_some(number));
                true
            });
            matches.retain(|(number, _)| fitting.contains(number));
        }
        matches
    }

    /// Keeps only some of the items.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&Project, usize, &Item) -> bool) {
        let rows = self
            .items
            .drain(..)
            .zip(self.numbers.drain(..))
            .filter(|(item, number)| is_kept(&self.project, *number, item));
        (self.items, self.numbers) = rows.collect::<Vec<_>>().into_iter().unzip();
    }

    /// Keeps only the items that are to be checked; the others were read because they are judged together with those.
    pub(super) fn keep_checked(&mut self, is_checked: impl FnMut(&Project, usize, &Item) -> bool) {
        self.retain(is_checked);
        self.progress.read = self.items.len();
        // Files that were not opened are not among those to check.
        self.progress.not_opened = 0;
    }

    /// Returns whether only files were named, and Retake reads none of them.
    pub(super) fn is_nothing_read(&self) -> bool {
        let is_ours = |item: &Item| {
            *item.root_path() == *SETTINGS_FILE_NAME || item.file_name() == BASELINE_FILE_NAME
        };
        let is_nothing = |item: &Item| {
            is_unread(item)
                || item.kind == FileKind::Unknown
                    && !is_ours(item)
                    && item.count(Severity::Error) == 0
        };
        !self.project.has_folder()
            && !self.items.is_empty()
            && self.items.iter().all(|item| is_nothing(item))
    }

    /// Reports on stderr that folders contain nothing that Retake reads, and what they contain instead.
    pub(super) fn report_nothing_found(&self) {
        let is_run = |foreign: Foreign| foreign.format.is_agent_run() && foreign.entries.is_some();
        let is_other = |item: &Item| {
            item.foreign.is_some_and(|foreign| !is_run(foreign)) && !item.kind.is_known()
        };
        let is_nothing = self.items.iter().all(|item| is_other(item));
        // A commit without recordings is normal, and a file that is named is reported by itself.
        if !self.project.has_folder() || !is_nothing || self.project.is_staged() {
            return;
        }
        let mut formats: BTreeMap<ForeignFormat, Vec<&str>> = BTreeMap::new();
        for item in &self.items {
            if let Some(foreign) = item.foreign {
                formats.entry(foreign.format).or_default().push(&item.path);
            }
        }
        match (self.files(), formats.is_empty()) {
            (0, _) => {
                report_error("No recording, tape or session found: no JSON or YAML files");
            }
            (files, true) => {
                let files = count(files, "file");
                report_error(&format!(
                    "No recording, tape or session found: {files} of unknown format"
                ));
            }
            (_, false) => {
                let lines: Vec<String> =
                    formats.iter().map(|(format, paths)| describe_unread(*format, paths)).collect();
                report_error(&format!("No recording, tape or session found: {}", lines.join(" ")));
            }
        }
    }

    /// Removes files of other tools without findings, except those whose calls are read; reports the format of those that are named in the
    /// arguments.
    pub(super) fn leave_out_other_tools(&mut self, paths: &[PathBuf]) {
        let says_so = |problem: &Problem| problem.rule == RuleId::UnknownFormat;
        for item in self.items.iter().filter(|item| is_unread(item)) {
            if let Some(foreign) = item.foreign
                && !item.problems.iter().any(says_so)
                && paths.iter().any(|path| path == Path::new(&*item.path))
            {
                let description = upper_first(&foreign.describe());
                let path = output::shown(&item.path);
                report_error(&format!("{path}: {description}. {}", foreign.format.help()));
            }
        }
        self.retain(|_, _, item| !is_unread(item) || !item.problems.is_empty());
    }

    /// Reports the files in folders that cannot be parsed: whether a command would use them is not known. Returns their paths with the
    /// reasons. Those that are named in the arguments are left to the command.
    pub(super) fn report_broken(&self, paths: &[PathBuf]) -> Vec<(&str, String)> {
        let is_cause = |p: &&Problem| p.severity == Severity::Error && p.rule.hides_content();
        let unknown_items = self.items.iter().filter(|row| {
            row.kind == FileKind::Unknown && !paths.iter().any(|path| path == Path::new(&*row.path))
        });
        let mut broken_files = Vec::new();
        for item in unknown_items {
            let Some(problem) = item.problems.iter().find(is_cause) else { continue };
            let reason = format!("The file cannot be read completely: {}", problem.message);
            let (path, place) = (output::shown(&item.path), problem.place);
            report_error(&format!("{path}:{place}: {}", output::shown(&reason)));
            broken_files.push((&*item.path, reason));
        }
        broken_files
    }

    /// Adds findings, each before the first item in which it was found. They are sorted by those.
    pub(super) fn insert(&mut self, mut findings: Vec<SharedFinding>) {
        findings.sort_by_key(|finding| finding.first);
        self.inserted += findings.len();
        // From the end, so that the positions of earlier findings stay valid.
        for finding in findings.into_iter().rev() {
            let number = self.numbers.get(finding.first).copied();
            self.items.insert(finding.first, Arc::new(finding.item));
            self.numbers.insert(finding.first, number.unwrap_or_default());
        }
    }

    /// The secrets of all items.
    pub(super) fn secrets(&self) -> Mask {
        let mut secrets = Mask::default();
        let masks = self.items.iter().filter_map(|item| item.secrets.as_ref());
        masks.for_each(|m| secrets.merge(m));
        secrets
    }

    /// The number of files that were examined.
    pub(super) fn files(&self) -> usize {
        self.progress.read + self.progress.not_opened
    }

    /// The final verdict: incomplete if not everything could be read.
    pub(super) fn verdict(&self, verdict: CommandVerdict) -> CommandVerdict {
        if self.unopened == 0 { verdict } else { CommandVerdict::Incomplete }
    }
}

/// Reads one complete file.
pub(super) fn read_document(file: &Path, root: Option<&Path>) -> CommandResult<Document> {
    read_with_secrets(file, root).map(|(document, _)| document)
}

/// Reads one complete file and finds the secrets in it.
pub(super) fn read_with_secrets(
    file: &Path,
    root: Option<&Path>,
) -> CommandResult<(Document, Mask)> {
    let input = read_everything(&[file.to_owned()], root, SourceLookup::LeaveAlone)?;
    let name = output::shown(&file.to_string_lossy()).into_owned();
    let document = input
        .project
        .read(0, input.only_item(&name)?)
        .map_err(|reason| CommandError(format!("{reason}: {name}")))?;
    Ok((document, input.secrets()))
}

/// Reports on stderr what git ignores.
///
/// # Errors
///
/// Returns an error if nothing else was found.
pub(super) fn report_ignored(ignored: IgnoredCount, is_nothing: bool) -> CommandResult<()> {
    let counts: Vec<String> = [(ignored.files, "file"), (ignored.folders, "folder")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(number, noun))
        .collect();
    let names = counts.join(" and ");
    if names.is_empty() {
        return Ok(());
    }
    if is_nothing {
        return Err(CommandError(format!(
            "Nothing to read: .gitignore ignores {names}; --no-ignore reads them"
        )));
    }
    print_summary(&format!("Ignored by .gitignore: {names}; --no-ignore reads them"));
    Ok(())
}

/// A project that is open and not yet read.
pub(super) struct OpenedPaths {
    pub(super) project: Project,
    /// The number of paths that could not be opened.
    pub(super) unopened: usize,
    /// Whether what git ignores is reported when it is read.
    pub(super) reports_ignored: bool,
    pub(super) started: Instant,
}

/// Opens and reads all paths.
pub(super) fn read_everything<'a>(
    paths: &[PathBuf],
    bounds: impl Into<ReadBounds<'a>>,
    lookup: SourceLookup,
) -> CommandResult<&'static mut ReadFiles> {
    OpenedPaths::new(paths, bounds)?.read(lookup)
}

impl OpenedPaths {
    /// Opens all paths. One that cannot be opened is reported; if there is no other, that is an error.
    pub(super) fn new<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
    ) -> CommandResult<Self> {
        let (mut opened_paths, complaints) = Self::open(paths, bounds)?;
        report_error(&complaints);
        opened_paths.reports_ignored = true;
        Ok(opened_paths)
    }

    /// Opens all paths. Also returns which of them cannot be opened, a line for each; if there is no other, that is an error.
    pub(super) fn open<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
    ) -> CommandResult<(Self, String)> {
        let started = Instant::now();
        let result = Project::open_found(paths, bounds);
        let (project, errors) = result.map_err(|error| CommandError(open_error_message(&error)))?;
        let complaints: Vec<String> = errors.iter().map(open_error_message).collect();
        let unopened = complaints.len();
        let complaints = complaints.join("\n");
        if project.is_empty() {
            return Err(CommandError(complaints));
        }
        Ok((Self { project, unopened, reports_ignored: false, started }, complaints))
    }

    /// Opens the staged files of the repository in the current folder.
    pub(super) fn staged() -> CommandResult<Self> {
        let started = Instant::now();
        let project = Project::open_staged(Path::new(".")).map_err(|reason| {
            CommandError(format!("Cannot read the staged files: {}", output::shown(&reason)))
        })?;
        Ok(Self { project, unopened: 0, reports_ignored: false, started })
    }

    /// Reads everything and shows progress on a terminal.
    ///
    /// The result is never freed: freeing it piece by piece would take longer than printing it.
    pub(super) fn read(self, lookup: SourceLookup) -> CommandResult<&'static mut ReadFiles> {
        Ok(Box::leak(Box::new(self.read_owned(lookup)?)))
    }

    /// As [`read`](Self::read), for a command that reads several times.
    pub(super) fn read_owned(self, lookup: SourceLookup) -> CommandResult<ReadFiles> {
        let Self { project, unopened, reports_ignored, started } = self;
        let phase = Phase::new("Reading", 0);
        let mut scanned_items: Vec<Arc<Item>> = Vec::new();
        let mut findings = Vec::new();
        let outcome = scan(&project, lookup, &AtomicBool::new(false), &mut |step| match step {
            ScanStep::Rows(rows) => scanned_items.extend(rows),
            ScanStep::Progress(progress) => {
                phase.set(progress.read, progress.known, progress.bytes);
            }
            ScanStep::Judged(problems) => findings = problems,
        });
        drop(phase);
        let outcome = outcome
            .map_err(|err| CommandError(format!("Cannot start a thread to read files: {err}")))?;
        outcome.caches.write();
        let progress = outcome.progress;
        if reports_ignored {
            let is_nothing = progress.read + progress.not_opened == 0;
            report_ignored(outcome.ignored, is_nothing)?;
        }
        // Threads judge in any order.
        findings.sort_by_key(|(index, _)| *index);
        for group in findings.chunk_by(|(a, _), (b, _)| a == b) {
            let Some(item) = scanned_items.get_mut(group[0].0) else { continue };
            let problems = item.problems.iter().chain(group.iter().map(|(_, problem)| problem));
            let problems = problems.cloned().collect();
            Arc::make_mut(item).problems = problems;
        }
        let key = |problem: &Problem| (problem.place, problem.rule);
        for item in &mut scanned_items {
            // Nearly all lists are sorted already, and need not be copied.
            if item.problems.is_sorted_by_key(key) {
                continue;
            }
            let mut problems = item.problems.to_vec();
            problems.sort_by_key(key);
            Arc::make_mut(item).problems = problems.into();
        }
        let (numbers, items) = outcome.sort(scanned_items).into_iter().unzip();
        Ok(ReadFiles {
            items,
            numbers,
            project,
            unopened,
            progress,
            elapsed: started.elapsed(),
            inserted: 0,
        })
    }
}
