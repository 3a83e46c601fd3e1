//! Data of the library's view, built for the rows on screen.

use super::findings::FindingRow;
use calls::{CallRow, Item, ItemStatus, ItemSummary};
use check::AccountNotes;
use check::search::{FilterKey, FilterQuery, Term};
use document::call::CallFailure;
use document::text::{counted, thousands, upper_first, visible};
use document::{FileKind, Problem, RuleId, Severity};
use protocol::{CASSETTE_RULES, DocId, Grouping, JudgedSet};
use widgets::icons;
use widgets::problem_label::problem_label;
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
}

/// Content of an item or a call, as its row shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SummaryCell {
    /// A muted word before the rest: the kind of what is not a recording.
    pub kind: String,
    /// Icon and short name of the tool that is called.
    pub tool: Option<(&'static str, String)>,
    /// In quotation marks, or a description.
    pub words: String,
    /// Value that players return in place of a usable answer; empty if there is an answer.
    pub fault: String,
}

/// The most severe problem of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemLabel {
    pub severity: Severity,
    pub label: String,
    /// Number of other problems.
    pub others: usize,
}

/// The place of a call among calls that its program cannot distinguish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlikeCall {
    /// Label of all of them, at the first: `all 4 match alike`.
    pub label: Option<String>,
    /// Whether the row above is one of them, and the row below.
    pub neighbors: (bool, bool),
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

/// Returns the folder of a heading.
pub(super) fn folder_of(heading: &str) -> &str {
    // The root has a heading that can be seen, but is empty in paths.
    if heading == "." { "" } else { heading }
}

impl<'a> LibraryData<'a> {
    /// Reads the workbench.
    pub fn new(workbench: &'a Workbench) -> Self {
        Self {
            workbench,
            library: &workbench.core.library,
            list: &workbench.core.list,
            reading: workbench.core.progress.is_some(),
            searching: workbench.core.bodies.progress.is_some(),
            has_ignored: workbench.core.last_progress.ignored > 0,
        }
    }

    /// Returns how many items match the filter and the status, and the number of open items.
    pub fn counts(&self) -> (usize, usize) {
        (self.list.listing.len, self.library.len())
    }

    /// Describes how many cassettes are listed, with how many calls, and how many other files.
    pub fn describe_cassettes(&self) -> String {
        let listing = &self.list.listing;
        let calls = counted(listing.calls, "call", "calls");
        let cassettes = counted(listing.cassettes, "cassette", "cassettes");
        match listing.len.saturating_sub(listing.cassettes) {
            0 => format!("{calls} in {cassettes}"),
            others => {
                format!("{calls} in {cassettes}, {}", counted(others, "other file", "other files"))
            }
        }
    }

    /// Returns whether a command is enabled, or the reason why not.
    pub fn enabled(&self, command: Command) -> Result<(), &'static str> {
        command.enabled(self.workbench)
    }

    /// Returns what is wrong or waits for a decision, in the order of what it breaks.
    pub fn findings(&self) -> Vec<FindingRow> {
        self.workbench.findings().iter().map(FindingRow::new).collect()
    }

    /// Returns whether only cassettes are listed, which have columns of their own.
    pub fn lists_cassettes(&self) -> bool {
        self.list.listing.totals.are_cassettes()
    }

    /// Returns the counts for the filters by rule: those that report something, or that the filter names.
    pub fn rules(&self) -> Vec<(RuleId, usize)> {
        CASSETTE_RULES
            .into_iter()
            .zip(self.list.listing.totals.by_rule)
            // A rule that the filter names stays, even without problems, so that it can be removed.
            .filter(|(rule, count)| *count > 0 || self.list.query.find(&rule_term(*rule)).is_some())
            .collect()
    }

    /// Returns the verdict on the set in the folder of a heading; `None` while it is not known.
    pub fn verdict(&self, heading: &str) -> Option<&'a JudgedSet> {
        if self.list.grouping != Grouping::Folder {
            return None;
        }
        self.workbench.playback.judged(folder_of(heading))
    }

    /// Returns the side of an item in the comparison that a mark has begun: the marked item is A.
    pub fn side(&self, doc: DocId) -> Option<&'static str> {
        let is_selected = self.list.target() == Some((doc, None));
        match self.list.marked? {
            id if id == doc => Some("A"),
            _ => is_selected.then_some("B"),
        }
    }
}

/// Returns the status of a call: that of HTTP, or why it has no usable answer; empty if it has an answer and no status.
pub(super) fn call_status(call: &CallRow) -> String {
    match (call.failure, &call.http) {
        (Some(CallFailure::Status(status)), _) => format!("HTTP {status}"),
        (Some(CallFailure::NoAnswer), _) => "No answer".to_owned(),
        (_, Some(http)) => format!("HTTP {}", http.status),
        (_, None) => String::new(),
    }
}

/// Returns the number of tools that a call's request offers; `–` if none, empty if it is of no model.
pub(super) fn tool_count(call: &CallRow) -> String {
    match (call.signature.tool_names.len(), &call.api) {
        (_, None) => String::new(),
        (0, _) => "–".to_owned(),
        (count, _) => thousands(count),
    }
}

/// Returns the tokens of a call's request and of its answer; empty if unknown.
pub(super) fn call_tokens(call: &CallRow) -> String {
    match call.tokens {
        (Some(input), Some(output)) => format!("{} + {}", token_count(input), token_count(output)),
        (Some(only), None) | (None, Some(only)) => token_count(only),
        (None, None) => String::new(),
    }
}

impl LibraryData<'_> {
    /// Returns the API of a call, or `HTTP` if it is of no model; empty where calls have none.
    pub fn api(&self, call: &CallRow) -> String {
        match (&call.api, &call.http) {
            (None, Some(_)) => "HTTP".to_owned(),
            (Some(api), _) if self.lists_cassettes() => {
                api_of_provider(api, call.provider.as_deref())
            }
            (api, _) => visible(api.as_deref().unwrap_or_default()).into_owned(),
        }
    }

    /// Returns the most severe of these problems of an item.
    pub fn worst_of<'p>(
        &self,
        item: &Item,
        problems: impl Iterator<Item = &'p Problem>,
    ) -> Option<ProblemLabel> {
        // Other lists have the numbers of problems in this column.
        if !self.lists_cassettes() {
            return None;
        }
        // Notes that nearly each row would have are counted in Problems.
        let problems: Vec<&Problem> = problems.filter(|p| !AccountNotes::is_one(p)).collect();
        let others = problems.len().checked_sub(1)?;
        // The first of the most severe, as the file has them.
        let worst = problems.iter().rev().max_by_key(|p| p.severity)?;
        Some(ProblemLabel { severity: worst.severity, label: problem_label(worst, item), others })
    }
}

impl AlikeCall {
    /// Reads the place of a call; `None` if no other matches alike.
    pub fn new(item: &Item, call: usize) -> Option<Self> {
        let mut groups =
            item.problems.iter().filter_map(|p| p.calls.as_ref()).map(|calls| &*calls.numbers);
        let group = groups.find(|group| group.contains(&call))?;
        let is_alike = |call: Option<usize>| call.is_some_and(|call| group.contains(&call));
        let label = match group.len() {
            _ if group.first() != Some(&call) => None,
            2 => Some("both match alike".to_owned()),
            count => Some(format!("all {} match alike", thousands(count))),
        };
        let neighbors = (is_alike(call.checked_sub(1)), is_alike(call.checked_add(1)));
        Some(Self { label, neighbors })
    }
}

/// Returns an API with who answers it in place of who made it: `Mistral chat completions`.
fn api_of_provider(api: &str, provider: Option<&str>) -> String {
    let name = match (api.split_once(' '), provider) {
        // “Azure OpenAI” names the maker already.
        (Some((maker, rest)), Some(provider)) if !provider.contains(maker) => {
            format!("{provider} {rest}")
        }
        _ => api.to_owned(),
    };
    visible(&name).into_owned()
}

fn problem_terms(query: &FilterQuery) -> impl Iterator<Item = &Term> {
    query.terms().iter().filter(|term| FilterKey::OF_PROBLEMS.contains(&term.key))
}

/// Returns whether the filter keeps exactly what this rule reports; any problem and none for `None`.
pub(super) fn is_chosen(query: &FilterQuery, rule: Option<RuleId>) -> bool {
    let terms = chip_terms(rule);
    // A further term about problems would make the filter narrower than the rule.
    problem_terms(query).count() == terms.len()
        && terms.iter().all(|term| query.find(term).is_some())
}

/// Returns the filter with this rule in place of all terms about problems; without any for `None`.
pub(super) fn filter_by_rule(mut query: FilterQuery, rule: Option<RuleId>) -> String {
    let first = |query: &FilterQuery| problem_terms(query).next().map(|term| term.span);
    while let Some(span) = first(&query) {
        // Parsed again each time, because a removed term moves those after it.
        query = FilterQuery::parse(&query.without(span));
    }
    for term in chip_terms(rule) {
        query = FilterQuery::parse(&query.toggled(&term));
    }
    query.text().to_owned()
}

/// Returns the terms of a filter by rule. Notes about accounts are no secrets.
fn chip_terms(rule: Option<RuleId>) -> Vec<String> {
    let levels =
        ["severity:error", "severity:warning"].into_iter().filter(|_| rule == Some(RuleId::Secret));
    rule.map(rule_term).into_iter().chain(levels.map(str::to_owned)).collect()
}

fn rule_term(rule: RuleId) -> String {
    format!("{}:{rule}", FilterKey::Rule.as_str())
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
            ..Self::default()
        }
    }

    /// Builds the cell of an item.
    pub fn of_item(item: &Item, is_among_cassettes: bool) -> Self {
        let mut cell = item.summary.as_deref().map(Self::new).unwrap_or_default();
        if is_not_wrapped(item) {
            // The client of DyGram returns this if the answer is not where it looks.
            cell.fault = "undefined".to_owned();
            cell.words = "instead of an answer".to_owned();
            cell.tool = None;
        }
        // The usual kind of the list needs no word.
        let is_plain = item.kind == FileKind::Recording
            || is_among_cassettes && item.kind == FileKind::Cassette;
        if !is_plain {
            cell.kind = match item.foreign {
                Some(foreign) => foreign.format.short().to_owned(),
                None => upper_first(item.kind.as_str()),
            };
        }
        cell
    }
}

/// Whether the answer of a recording is not where players look for it.
pub fn is_not_wrapped(item: &Item) -> bool {
    let mut rules = item.problems.iter().map(|problem| problem.rule);
    rules.any(|rule| rule == RuleId::ResponseNotWrapped)
}

pub(super) fn status_label(item: &Item) -> String {
    match item.status() {
        ItemStatus::Failed => format!("{} failed", thousands(item.failed_runs as usize)),
        ItemStatus::Incomplete if is_not_wrapped(item) => "Not wrapped".to_owned(),
        status => status.label().to_owned(),
    }
}

/// Returns the label without what the row shows elsewhere: the name of the set, and the ending of a file.
pub(super) fn short_label(item: &Item) -> String {
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

pub(super) fn token_count(count: u64) -> String {
    thousands(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Formats an ISO time to the minute for tables; any other text stays as it is.
pub fn to_the_minute(time: Option<&str>) -> String {
    let Some(time) = time else { return "–".to_owned() };
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(date), Some("T" | " "), Some(clock)) if date.is_ascii() => format!("{date} {clock}"),
        _ => visible(time).chars().take(24).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_that_is_marked_is_the_one_that_lists() {
        let ambiguous = Some(RuleId::CallAmbiguous);
        let secret = "rule:secret severity:error severity:warning";
        // The filter, which of three is marked, and the filter after a click on each.
        let table = [
            ("", Some(None), ["", "rule:call-ambiguous", secret]),
            (secret, Some(Some(RuleId::Secret)), ["", "rule:call-ambiguous", secret]),
            (
                "a Rule:Call-Ambiguous",
                Some(ambiguous),
                ["a", "a rule:call-ambiguous", "a {secret}"],
            ),
            ("rule:secret", None, ["", "rule:call-ambiguous", secret]),
            ("rule:tool-not-offered", None, ["", "rule:call-ambiguous", secret]),
            (
                "problem:error kind:tape",
                None,
                ["kind:tape", "kind:tape rule:call-ambiguous", "kind:tape {secret}"],
            ),
            ("rule:secret rule:call-ambiguous", None, ["", "rule:call-ambiguous", secret]),
            ("-rule:call-ambiguous", None, ["", "rule:call-ambiguous", secret]),
        ];
        for (filter, marked, clicked) in table {
            let query = FilterQuery::parse(filter);
            let rules = [None, ambiguous, Some(RuleId::Secret)];
            let selection = rules.into_iter().find(|rule| is_chosen(&query, *rule));
            assert_eq!(selection, marked, "{filter}");
            let filters = rules.map(|rule| filter_by_rule(query.clone(), rule));
            let clicked = clicked.map(|filter| filter.replace("{secret}", secret));
            assert_eq!(filters, clicked, "{filter}");
        }
    }

    #[test]
    fn times_are_shortened_to_the_minute_and_other_texts_stay() {
        assert_eq!(to_the_minute(Some("2025-12-05T19:07:42.176Z")), "2025-12-05 19:07");
        assert_eq!(to_the_minute(Some("yesterday")), "yesterday");
        assert_eq!(to_the_minute(None), "–");
    }
}
