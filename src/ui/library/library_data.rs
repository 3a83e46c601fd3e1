//! Data of the library's view, built for the rows on screen.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::findings::FindingRow;
use calls::{Item, ItemStatus, ItemSummary};
use check::AccountNotes;
use document::text::{counted, thousands, upper_first, visible};
use document::{FileKind, Problem, RuleId, Severity};
use protocol::{BlockVerdict, DocId, Finding, LibraryRow, LibrarySet};
use widgets::problem_label::problem_label;
use widgets::{DistinctName, RowStrip, icons};
use workbench::{Command, Library, LibraryList, Workbench};

/// The library for its view. It borrows, so building it costs nothing however many files are open.
pub struct LibraryData<'a> {
    workbench: &'a Workbench,
    pub library: &'a Library,
    pub list: &'a LibraryList,
    /// True while files are being read.
    pub reading: bool,
    /// Whether the content of files is being searched.
    pub searching: bool,
    /// Whether something was left out because git ignores it.
    pub has_ignored: bool,
    /// Number of files that were found.
    pub known: usize,
    /// Number of files that were not opened.
    pub not_opened: usize,
}

/// Content of an item or a call, as its row shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryCell {
    /// Icon and short name of the tool that is called.
    pub tool: Option<(&'static str, String)>,
    /// In quotation marks, or a description.
    pub words: String,
}

/// The row of an item, a set, a recording of a set, or a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowData {
    /// Its name for screen readers.
    pub reader_name: String,
    /// The name; empty for recordings of a set and for calls.
    pub name: DistinctName<'static>,
    /// Text of the tooltip.
    pub tip: String,
    pub verdict: BlockVerdict,
    pub strip: Rc<RowStrip>,
    /// The block of the row, if the strip is that of the row above.
    pub own_block: Option<(usize, BlockVerdict)>,
    pub model: String,
    pub summary: SummaryCell,
    /// Label of what is wrong; empty if nothing is.
    pub problem: String,
    /// Origin of the file, if it is known to be other than a recording.
    pub provenance: &'static str,
    /// Whether rows are listed below it; `None` if there are none.
    pub is_unfolded: Option<bool>,
    /// Path of the set or the cassette that can be played.
    pub plays: Option<Arc<str>>,
}

/// The rows that were last on screen, and those that contain them.
#[derive(Debug, Default)]
pub struct RowCache {
    /// The revisions of items, listing and origins, and whether notes are shown.
    key: (u64, u64, u64, bool),
    rows: HashMap<usize, Rc<RowData>>,
}

impl<'a> LibraryData<'a> {
    /// Reads the workbench.
    pub fn new(workbench: &'a Workbench) -> Self {
        let last_progress = workbench.core.last_progress;
        Self {
            workbench,
            library: &workbench.core.library,
            list: &workbench.core.list,
            reading: workbench.core.progress.is_some(),
            searching: workbench.core.bodies.progress.is_some(),
            has_ignored: last_progress.ignored > 0,
            known: workbench.core.progress.unwrap_or(last_progress).known,
            not_opened: last_progress.not_opened,
        }
    }

    /// Returns how many items match the filter and the verdict, and the number of open items.
    pub fn counts(&self) -> (usize, usize) {
        (self.list.listing.len, self.library.len())
    }

    /// Returns the verdicts that items have, after that for all, with their labels and numbers.
    pub fn verdicts(&self) -> Vec<(Option<BlockVerdict>, &'static str, usize)> {
        let totals = &self.list.listing.totals;
        let verdicts = totals.by_verdict().map(|(v, count)| (Some(v), v.label(), count));
        [(None, "All", totals.all)].into_iter().chain(verdicts).collect()
    }

    /// Returns the name of the open folder.
    pub fn project_name(&self) -> Cow<'a, str> {
        self.workbench.core.project.as_ref().map_or("".into(), |project| visible(&project.name))
    }

    /// Returns whether a command is enabled, or the reason why not.
    pub fn enabled(&self, command: Command) -> Result<(), &'static str> {
        command.enabled(self.workbench)
    }

    /// Returns what is wrong or waits for a decision, in the order of what it breaks.
    pub fn findings(&self) -> Vec<FindingRow> {
        let row = |finding: &Finding| {
            let mut row = FindingRow::new(finding);
            // A button that would change nothing.
            if self.workbench.is_listed(&finding.kind) {
                row.button.clear();
            }
            row
        };
        self.workbench.findings().iter().map(row).collect()
    }

    /// Returns the side of an item in the comparison that a mark has begun: the marked item is A.
    pub fn side(&self, doc: DocId) -> Option<&'static str> {
        let is_selected = self.list.target() == Some((doc, None));
        match self.list.marked? {
            id if id == doc => Some("A"),
            _ => is_selected.then_some("B"),
        }
    }

    /// Returns the label of unsaved edits, and whether the file changed on disk in the meantime; `None` if there are none.
    pub fn unsaved(&self, doc: DocId) -> Option<(&'static str, bool)> {
        let copy = self.library.copy(doc)?;
        match (copy.is_unsaved(), copy.is_in_conflict()) {
            (_, true) => Some(("unsaved and changed on disk", true)),
            (true, false) => Some(("unsaved", false)),
            (false, false) => None,
        }
    }

    /// Returns the row at a place of the list, which is built once and not in each frame; `None` for a heading.
    pub fn row(&self, at: usize, cache: &mut RowCache) -> Option<Rc<RowData>> {
        /// More than any screen has; the others are out of sight.
        const MAX_ROWS: usize = 256;
        let (items, listing) = (self.library.items_revision, self.list.listing_revision);
        let origins = self.workbench.core.provenance.revision;
        let key = (items, listing, origins, self.list.shows_notes);
        if cache.key != key {
            *cache = RowCache { key, ..RowCache::default() };
        }
        if let Some(row) = cache.rows.get(&at) {
            return Some(Rc::clone(row));
        }
        let mut row = match &self.list.listing.rows[at] {
            LibraryRow::Group(_) => return None,
            LibraryRow::Set(set) => self.set_row(set),
            LibraryRow::Item(doc) => self.item_row(*doc, self.library.get(*doc)?),
            LibraryRow::Member(doc, number) => self.member_row(*number, *doc)?,
            LibraryRow::Call(doc, call) => self.call_row(self.library.get(*doc)?, *call)?,
        };
        if let Some((number, _)) = row.own_block {
            row.strip = Rc::clone(&self.row(at - number - 1, cache)?.strip);
        }
        let name = match self.name_at(at) {
            name if name.is_empty() => DistinctName::default(),
            name => DistinctName::new(name, self.neighbors(at).iter().map(String::as_str)),
        };
        if cache.rows.len() >= MAX_ROWS {
            cache.rows.clear();
        }
        let row = Rc::new(RowData { name, ..row });
        cache.rows.insert(at, Rc::clone(&row));
        Some(row)
    }

    /// Returns the name in the row at a place of the list; empty for rows without one.
    fn name_at(&self, row: usize) -> String {
        match &self.list.listing.rows[row] {
            LibraryRow::Item(doc) => self.library.get(*doc).map(row_name).unwrap_or_default(),
            LibraryRow::Set(set) => set_name(self.set_folder(set)),
            _ => String::new(),
        }
    }

    /// Returns the names in the nearest rows above and below that have one.
    fn neighbors(&self, row: usize) -> Vec<String> {
        let rows = &self.list.listing.rows;
        let has_name =
            |at: &usize| !matches!(rows[*at], LibraryRow::Member(..) | LibraryRow::Call(..));
        let (above, below) = ((0..row).rfind(has_name), (row + 1..rows.len()).find(has_name));
        above.into_iter().chain(below).map(|at| self.name_at(at)).collect()
    }

    /// Returns the row of an item.
    fn item_row(&self, doc: DocId, item: &Item) -> RowData {
        let (verdict, problem) = (BlockVerdict::of_item(item), self.problem_of(item));
        let has_calls = item.kind == FileKind::Cassette;
        let status =
            if has_calls && !problem.is_empty() { problem.clone() } else { status_label(item) };
        let is_recorder = has_calls && !item.is_cassette();
        let kind = if is_recorder { visible(item.kind_label()) } else { item.kind.as_str().into() };
        let provenance = self.workbench.core.provenance.of(doc).unwrap_or_default().label();
        let origin = if provenance.is_empty() { "" } else { ", " };
        RowData {
            reader_name: format!("{}, {kind}, {status}{origin}{provenance}", visible(item.label())),
            provenance,
            tip: visible(item.root_path()).into_owned(),
            verdict,
            strip: RowStrip::new(BlockVerdict::of_calls(item)).into(),
            model: visible(item.models().first().unwrap_or(&"")).into_owned(),
            summary: item_summary(item),
            problem,
            is_unfolded: (!item.calls.is_empty()).then(|| self.list.unfolded.contains(&doc)),
            plays: item.client().map(|_| item.root_path().into()),
            ..RowData::default()
        }
    }

    /// Returns the folder of a set.
    pub fn set_folder(&self, set: &LibrarySet) -> &'a str {
        self.library.get(set.worst).map_or("", Item::folder)
    }

    /// Returns the verdicts on the recordings of a set, as they were when it was listed: it may have more than a frame can judge.
    fn set_verdicts(&self, set: &LibrarySet) -> impl Iterator<Item = BlockVerdict> {
        let listing = &self.list.listing;
        listing.members(set).iter().map(|doc| listing.orders.verdicts[doc.index()])
    }

    /// Returns the row of a set.
    fn set_row(&self, set: &LibrarySet) -> RowData {
        let verdict = self.set_verdicts(set).max().unwrap_or_default();
        let count = counted(set.count as usize, "recording", "recordings");
        let worst_count = self.set_verdicts(set).filter(|other| *other == verdict).count();
        let worst = self.library.get(set.worst);
        let problem = match verdict {
            BlockVerdict::Breaks if worst_count == 1 => "1 breaks".to_owned(),
            BlockVerdict::Breaks => format!("{} break", thousands(worst_count)),
            _ => worst.map(|item| self.problem_of(item)).unwrap_or_default(),
        };
        let words = if problem.is_empty() { count.clone() } else { format!("{count}, {problem}") };
        let folder = self.set_folder(set);
        RowData {
            reader_name: format!("{}, {words}", visible(self.library.shown_path(folder))),
            tip: visible(folder).into_owned(),
            verdict,
            strip: RowStrip::new(self.set_verdicts(set)).into(),
            summary: SummaryCell { words: count, ..SummaryCell::default() },
            problem,
            is_unfolded: Some(set.is_unfolded),
            plays: Some(folder.into()),
            ..RowData::default()
        }
    }

    /// Returns the row of a recording below its set.
    fn member_row(&self, number: usize, doc: DocId) -> Option<RowData> {
        let item = self.library.get(doc)?;
        let mut data = self.item_row(doc, item);
        if data.summary == SummaryCell::default() {
            data.summary.words = short_label(item);
        }
        // The set says that its source has changed, and the block shows what that means.
        if item.source.is_some()
            && matches!(
                data.verdict,
                BlockVerdict::Breaks | BlockVerdict::StillMatches | BlockVerdict::Renamed
            )
        {
            data.problem.clear();
        }
        Some(RowData { own_block: Some((number, data.verdict)), ..data })
    }

    /// Returns the row of a call; `None` if there is none with this number.
    fn call_row(&self, item: &Item, number: usize) -> Option<RowData> {
        let call = item.calls.get(number)?;
        let verdict = BlockVerdict::of_call(item, number, call);
        let mut reader_name = format!("Call {}, {}", number + 1, visible(call.summary.label()));
        if verdict == BlockVerdict::OrderDecides {
            reader_name.push_str(", order decides");
        }
        // Problems of several calls are shown by their blocks, and the only problem of a file is in the row of the file.
        let is_own = |problem: &&Problem| problem.calls.is_none() && call.has_problem(problem);
        let problem = self.worst_of(item, item.problems.iter().filter(is_own));
        Some(RowData {
            reader_name,
            verdict,
            own_block: Some((number, verdict)),
            summary: SummaryCell::new(&call.summary),
            problem: problem.filter(|_| item.problems.len() > 1).unwrap_or_default(),
            ..RowData::default()
        })
    }

    /// Returns the label of what is wrong with an item; empty if nothing is.
    fn problem_of(&self, item: &Item) -> String {
        match item.status() {
            // The words of a report say how many of its runs failed.
            ItemStatus::Failed => String::new(),
            ItemStatus::Incomplete | ItemStatus::Unreadable => status_label(item),
            ItemStatus::Renamed => "Source renamed".to_owned(),
            ItemStatus::Pending => "Waiting".to_owned(),
            ItemStatus::Problems
            | ItemStatus::Ok
            | ItemStatus::Fresh
            | ItemStatus::LineEnds
            | ItemStatus::Unstamped => {
                self.worst_of(item, item.problems.iter()).unwrap_or_default()
            }
            ItemStatus::Foreign => String::new(),
            status => status.label().to_owned(),
        }
    }

    /// Returns the label of the most severe of these problems of an item. Notes are hidden unless the user shows them.
    fn worst_of<'p>(
        &self,
        item: &Item,
        problems: impl Iterator<Item = &'p Problem>,
    ) -> Option<String> {
        let min_severity = if self.list.shows_notes { Severity::Note } else { Severity::Warning };
        // Notes that nearly each row would have are counted in Problems.
        let is_shown =
            |problem: &&Problem| problem.severity >= min_severity && !AccountNotes::is_one(problem);
        let problems: Vec<&Problem> = problems.filter(is_shown).collect();
        // The first of the worst, as the file has them. An error says more than that order decides, which most calls would say.
        let is_error = |problem: &Problem| problem.rule == RuleId::RecordedError;
        let rank = |problem: &Problem| {
            (problem.severity, is_error(problem), BlockVerdict::of_problem(problem))
        };
        let worst = problems.iter().rev().max_by_key(|problem| rank(problem))?;
        Some(problem_label(worst, item))
    }
}

/// Returns the name of a set: the last part of its folder's path.
fn set_name(folder: &str) -> String {
    visible(folder.rsplit('/').next().unwrap_or(folder)).into_owned()
}

/// Returns the name of an item; a recording outside the row of its set begins with the set.
fn row_name(item: &Item) -> String {
    match item.set() {
        set if item.kind == FileKind::Recording && !set.is_empty() => {
            format!("{}/{}", visible(set), short_label(item))
        }
        _ => short_label(item),
    }
}

/// Summarises an item: in a file of calls, the last call of a model.
fn item_summary(item: &Item) -> SummaryCell {
    let is_fault = |problem: &&Problem| problem.severity == Severity::Error;
    if item.status() == ItemStatus::Unreadable
        && let Some(fault) = item.problems.iter().find(is_fault)
    {
        let words = visible(&upper_first(&fault.message)).replace('`', "");
        return SummaryCell { words, ..SummaryCell::default() };
    }
    let last_call = item.calls.iter().rev().find(|call| call.api.is_some());
    let summary = last_call.map(|call| &call.summary).or(item.summary.as_deref());
    if is_not_wrapped(item) {
        // The client of DyGram returns this if the answer is not where it looks.
        let words = "Loads as undefined".to_owned();
        return SummaryCell { words, ..SummaryCell::default() };
    }
    summary.map(SummaryCell::new).unwrap_or_default()
}

impl SummaryCell {
    /// Builds the cell of a summary.
    pub fn new(summary: &ItemSummary) -> Self {
        let tool = summary
            .tool
            .as_deref()
            .map(|name| (icons::tool(name), visible(machine::short_tool(name)).into_owned()));
        Self {
            tool,
            words: match &*summary.quote {
                "" => visible(&summary.note).into_owned(),
                quote => format!("“{}”", visible(quote)),
            },
        }
    }
}

/// Whether the answer of a recording is not where players look for it.
pub fn is_not_wrapped(item: &Item) -> bool {
    let mut rules = item.problems.iter().map(|problem| problem.rule);
    rules.any(|rule| rule == RuleId::ResponseNotWrapped)
}

fn status_label(item: &Item) -> String {
    match item.status() {
        ItemStatus::Failed => format!("{} failed", thousands(item.failed_runs as usize)),
        ItemStatus::Incomplete if is_not_wrapped(item) => "Not wrapped".to_owned(),
        status => status.label().to_owned(),
    }
}

/// Returns the label without what the row shows elsewhere: the name of the set, and the ending of a file.
fn short_label(item: &Item) -> String {
    let label = item.label();
    // A file may be called only `.json`, and then needs its name.
    let is_suffix = |ending: &&str| label.len() > ending.len() && label.ends_with(*ending);
    let ending = [".json", ".yaml", ".yml", ".toml"].into_iter().find(is_suffix);
    let label = label.strip_suffix(ending.unwrap_or("")).unwrap_or(label);
    // A file that cannot be read is only its name.
    let label = if item.status() == ItemStatus::Unreadable { item.file_name() } else { label };
    let after_set = label
        .split_once(item.set())
        .filter(|(prefix, _)| !item.set().is_empty() && matches!(*prefix, "" | "req-"))
        .and_then(|(_, suffix)| suffix.strip_prefix('-'));
    visible(after_set.filter(|rest| !rest.is_empty()).unwrap_or(label)).into_owned()
}
