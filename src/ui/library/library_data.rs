//! Data of the library's view, built for the rows on screen.

use std::collections::HashMap;
use std::rc::Rc;

use super::findings::FindingRow;
use calls::{Item, ItemStatus, ItemSummary};
use check::AccountNotes;
use document::text::{counted, thousands, visible};
use document::{FileKind, Problem, RuleId, Severity};
use protocol::{BlockVerdict, DocId, LibraryRow, LibrarySet};
use widgets::problem_label::problem_label;
use widgets::{CallBlock, DistinctName, RowStrip, icons, strip_label};
use workbench::{Command, Library, LibraryList, Workbench, WorkingCopy};

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
    /// Whether it is a set, which has a button in place of the problem under the pointer.
    pub is_set: bool,
    pub verdict: BlockVerdict,
    pub strip: Rc<StripData>,
    /// The block of the row, if the strip is that of the row above.
    pub own_block: Option<(usize, BlockVerdict)>,
    pub model: String,
    pub summary: SummaryCell,
    /// Label of what is wrong; empty if nothing is.
    pub problem: String,
    /// Whether rows are listed below it; `None` if there are none.
    pub is_unfolded: Option<bool>,
}

/// A strip of calls.
#[derive(Debug, Default, PartialEq)]
pub struct StripData {
    pub strip: RowStrip,
    /// Description for screen readers.
    pub label: String,
}

/// The rows that were last on screen, and the strips of these and of the rows that contain them.
#[derive(Debug, Default)]
pub struct RowCache {
    /// The revisions of items and listing, and whether notes are shown.
    key: (u64, u64, bool),
    rows: HashMap<usize, Rc<RowData>>,
    strips: HashMap<usize, Rc<StripData>>,
}

/// The state of an item with unsaved edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsavedState {
    /// It can be saved.
    Edited,
    /// The file changed on disk in the meantime.
    InConflict,
}

impl UnsavedState {
    /// Returns the label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Edited => "unsaved",
            Self::InConflict => "unsaved and changed on disk",
        }
    }

    /// Returns the state of a copy; `None` if it has no unsaved edits.
    pub fn new(copy: &WorkingCopy) -> Option<Self> {
        match (copy.is_unsaved(), copy.is_in_conflict()) {
            (_, true) => Some(Self::InConflict),
            (true, false) => Some(Self::Edited),
            (false, false) => None,
        }
    }
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

    /// Returns whether a command is enabled, or the reason why not.
    pub fn enabled(&self, command: Command) -> Result<(), &'static str> {
        command.enabled(self.workbench)
    }

    /// Returns what is wrong or waits for a decision, in the order of what it breaks.
    pub fn findings(&self) -> Vec<FindingRow> {
        self.workbench.findings().iter().map(FindingRow::new).collect()
    }

    /// Returns the side of an item in the comparison that a mark has begun: the marked item is A.
    pub fn side(&self, doc: DocId) -> Option<&'static str> {
        let is_selected = self.list.target() == Some((doc, None));
        match self.list.marked? {
            id if id == doc => Some("A"),
            _ => is_selected.then_some("B"),
        }
    }

    /// Returns the row at a place of the list, which is built once and not in each frame; `None` for a heading.
    pub fn row(&self, at: usize, cache: &mut RowCache) -> Option<Rc<RowData>> {
        /// More than any screen has; the others are out of sight.
        const MAX_ROWS: usize = 256;
        let key = (self.library.items_revision, self.list.listing_revision, self.list.shows_notes);
        if cache.key != key {
            *cache = RowCache { key, ..RowCache::default() };
        }
        if let Some(row) = cache.rows.get(&at) {
            return Some(Rc::clone(row));
        }
        if cache.rows.len() == MAX_ROWS {
            cache.rows.clear();
        }
        if cache.strips.len() >= MAX_ROWS {
            cache.strips.clear();
        }
        let strip_row = self.named_row(at);
        let new_strip = || self.new_strip(strip_row).into();
        let strip = Rc::clone(cache.strips.entry(strip_row).or_insert_with(new_strip));
        let row = match &self.list.listing.rows[at] {
            LibraryRow::Group(_) => return None,
            LibraryRow::Set(set) => self.set_row(set),
            LibraryRow::Item(doc) => self.item_row(self.library.get(*doc)?),
            LibraryRow::Member(doc, number) => self.member_row(*number, self.library.get(*doc)?),
            LibraryRow::Call(doc, call) => self.call_row(self.library.get(*doc)?, *call)?,
        };
        let name = match self.name_at(at) {
            Some(name) => DistinctName::new(name, self.neighbors(at).iter().map(String::as_str)),
            None => DistinctName::default(),
        };
        let is_unfolded = row.is_unfolded.map(|_| self.child_count(at) > 0);
        let row = Rc::new(RowData { name, strip, is_unfolded, ..row });
        cache.rows.insert(at, Rc::clone(&row));
        Some(row)
    }

    /// Returns the name in the row at a place of the list; `None` for rows without one.
    fn name_at(&self, row: usize) -> Option<String> {
        match self.list.listing.rows.get(row)? {
            LibraryRow::Item(doc) => self.library.get(*doc).map(row_name),
            LibraryRow::Set(set) => Some(set_name(self.set_folder(set))),
            _ => None,
        }
    }

    /// Returns the place of a row, or of the row that contains a recording of a set or a call.
    fn named_row(&self, at: usize) -> usize {
        match self.list.listing.rows.get(at) {
            Some(LibraryRow::Member(_, number) | LibraryRow::Call(_, number)) => at - number - 1,
            _ => at,
        }
    }

    /// Returns the number of rows that are listed below a set or an item.
    fn child_count(&self, at: usize) -> usize {
        let rows = &self.list.listing.rows;
        match (&rows[at], rows.get(at + 1)) {
            (LibraryRow::Set(set), Some(LibraryRow::Member(..))) => set.count,
            (LibraryRow::Item(doc), Some(LibraryRow::Call(..))) => {
                self.library.get(*doc).map_or(0, |item| item.calls.len())
            }
            _ => 0,
        }
    }

    /// Returns the names in the nearest rows above and below that have one.
    fn neighbors(&self, row: usize) -> Vec<String> {
        let above = row.checked_sub(1).map(|at| self.named_row(at));
        let below = row + 1 + self.child_count(row);
        above.into_iter().chain([below]).filter_map(|at| self.name_at(at)).collect()
    }

    fn new_strip(&self, at: usize) -> StripData {
        let listing = &self.list.listing;
        let verdicts = match &listing.rows[at] {
            LibraryRow::Set(set) => self.set_verdicts(set).collect(),
            row => {
                let item = row.item().and_then(|doc| self.library.get(doc));
                item.map(BlockVerdict::of_calls).unwrap_or_default()
            }
        };
        let blocks: Vec<CallBlock> = verdicts.into_iter().map(CallBlock::from).collect();
        StripData { strip: RowStrip::new(&blocks), label: strip_label(&blocks) }
    }

    /// Returns the row of an item.
    fn item_row(&self, item: &Item) -> RowData {
        let (verdict, problem) = (BlockVerdict::of_item(item), self.problem_of(item));
        let is_cassette = item.kind == FileKind::Cassette && !problem.is_empty();
        let status = if is_cassette { problem.clone() } else { status_label(item) };
        RowData {
            reader_name: format!("{}, {}, {status}", visible(item.label()), item.kind.as_str()),
            tip: visible(&item.root_path).into_owned(),
            verdict,
            model: visible(item.models().first().unwrap_or(&"")).into_owned(),
            summary: item_summary(item),
            problem,
            is_unfolded: (!item.calls.is_empty()).then_some(false),
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
        let count = counted(set.count, "recording", "recordings");
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
            is_set: true,
            verdict,
            summary: SummaryCell { words: count, ..SummaryCell::default() },
            problem,
            is_unfolded: Some(false),
            ..RowData::default()
        }
    }

    /// Returns the row of a recording below its set.
    fn member_row(&self, number: usize, item: &Item) -> RowData {
        let mut data = self.item_row(item);
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
        RowData { own_block: Some((number, data.verdict)), ..data }
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
            ItemStatus::Failed | ItemStatus::Incomplete | ItemStatus::Unreadable => {
                status_label(item)
            }
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
        // The first of the worst, as the file has them.
        let rank = |problem: &Problem| (BlockVerdict::of_problem(problem, item), problem.severity);
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
    let after_set = label
        .split_once(item.set())
        .filter(|(prefix, _)| !item.set().is_empty() && matches!(*prefix, "" | "req-"))
        .and_then(|(_, suffix)| suffix.strip_prefix('-'));
    visible(after_set.filter(|rest| !rest.is_empty()).unwrap_or(label)).into_owned()
}
