//! The status of an item.

use super::Item;
use super::source::{SourceFinding, SourceState};
use document::foreign::Foreign;
use document::text::named_enum;
use document::{FileKind, RuleId, Severity};

named_enum! {
    /// The status of an item: the first that applies, in this order, which is also the sort order of rows.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
    )]
    pub enum ItemStatus {
        /// It could not be read, decoded or parsed.
        Unreadable = "Unreadable" "unreadable",
        /// It parses, but a required value is missing or wrong.
        Incomplete = "Incomplete" "incomplete",
        /// A report with runs that failed.
        Failed = "Failed" "failed",
        /// Its source has changed, and a request made from it now would no longer match.
        StaleBreaks = "Stale, breaks" "breaks",
        /// Its source does not exist.
        SourceGone = "Source missing" "missing",
        /// Its source is outside the project root and was not read.
        Outside = "Outside root" "outside",
        /// Its source has changed, or the tests send something else now.
        Stale = "Stale" "stale",
        /// A warning or an error that is not about its source, for items without one.
        Problems = "Problems" "other-problems",
        /// Its source was renamed or moved.
        Renamed = "Renamed" "renamed",
        /// Only the line ends of its source have changed.
        LineEnds = "Line endings" "line-endings",
        /// A request that waits for an answer.
        Pending = "Pending" "pending",
        /// It does not name its source.
        Unstamped = "Unstamped" "unstamped",
        /// Its source has not changed.
        Fresh = "Fresh" "fresh",
        /// No problem, for items without a source.
        Ok = "OK" "ok",
        /// It belongs to another tool, or its format is unknown.
        Foreign = "Other format" "foreign",
    }

    /// Every status, the worst first.
    const ALL;

    /// Returns the label for the window.
    pub fn label;

    /// Returns the word used in filters; items that are stale and break also match `stale`.
    pub fn as_str;
}

impl ItemStatus {
    /// Returns its rank: 0 is the worst.
    pub fn rank(self) -> u8 {
        self as u8
    }
}

impl SourceState {
    /// Returns the status of the source, regardless of other problems.
    pub fn status(&self) -> ItemStatus {
        match &self.found {
            finding if finding.has_changed() && self.affected == Some(true) => {
                ItemStatus::StaleBreaks
            }
            finding if finding.has_changed() => ItemStatus::Stale,
            SourceFinding::Stale(_) => ItemStatus::Stale,
            SourceFinding::LineEndings(_) => ItemStatus::LineEnds,
            SourceFinding::Renamed(_) => ItemStatus::Renamed,
            SourceFinding::Missing(_) => ItemStatus::SourceGone,
            SourceFinding::Outside(_) => ItemStatus::Outside,
            SourceFinding::Unstamped => ItemStatus::Unstamped,
            SourceFinding::Fresh(_) => ItemStatus::Fresh,
        }
    }
}

impl Item {
    /// Returns the status of this item.
    pub fn status(&self) -> ItemStatus {
        // Cassettes are checked like files of Retake's own kinds. Of a large file only the beginning is read.
        let is_read = |foreign: Foreign| foreign.format.is_agent_run() && foreign.entries.is_some();
        if self.kind != FileKind::Cassette && self.foreign.is_some_and(|foreign| !is_read(foreign))
        {
            return ItemStatus::Foreign;
        }
        if self.has(RuleId::hides_content) {
            return ItemStatus::Unreadable;
        }
        if self.has(refuses) {
            return ItemStatus::Incomplete;
        }
        if self.failed_runs > 0 {
            return ItemStatus::Failed;
        }
        // A request has no recording yet that could have a source.
        if self.kind == FileKind::Request {
            return ItemStatus::Pending;
        }
        match self.source.as_deref() {
            Some(source) => source.status(),
            None if self.is_drifted => ItemStatus::Stale,
            None if self.worst() >= Some(Severity::Warning) => ItemStatus::Problems,
            // Files of this kind were not read, but the problem is only a note, as for a compressed file.
            None if self.kind == FileKind::Unknown && self.finds(RuleId::hides_content) => {
                ItemStatus::Foreign
            }
            None if self.finds(|rule| rule == RuleId::UnknownFormat) => ItemStatus::Foreign,
            None => ItemStatus::Ok,
        }
    }

    /// Returns every status by which a filter finds this item: what is wrong with its source counts also if the item is wrong, an
    /// item that is stale and breaks is also stale, and a source that was renamed may have changed since.
    pub fn statuses(&self) -> impl Iterator<Item = ItemStatus> {
        let status = self.status();
        let source_status = self.source.as_deref().map(SourceState::status);
        let is_status = |expected| status == expected || source_status == Some(expected);
        let is_breaking = is_status(ItemStatus::StaleBreaks);
        let finding = self.source.as_ref().map(|source| &source.found);
        let is_renamed = matches!(finding, Some(SourceFinding::Renamed(_)));
        let is_renamed = is_renamed && (is_breaking || is_status(ItemStatus::Stale));
        [
            Some(status),
            source_status.filter(|s| *s != status && *s != ItemStatus::Fresh),
            is_breaking.then_some(ItemStatus::Stale),
            is_renamed.then_some(ItemStatus::Renamed),
        ]
        .into_iter()
        .flatten()
    }

    /// Returns whether a filter by a status finds this item.
    pub fn has_status(&self, expected: ItemStatus) -> bool {
        self.statuses().any(|status| status == expected)
    }

    /// Returns true if such a rule found something, at any level.
    fn finds(&self, rules: fn(RuleId) -> bool) -> bool {
        self.problems.iter().any(|problem| rules(problem.rule))
    }

    /// Returns true if such a rule found an error. Problems that the user has set to a lower level do not count.
    fn has(&self, rules: fn(RuleId) -> bool) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.severity == Severity::Error && rules(problem.rule))
    }
}

/// Returns true for rules that find files which their own tool would reject or could not play.
fn refuses(rule: RuleId) -> bool {
    matches!(
        rule,
        RuleId::WrongType
            | RuleId::MissingField
            | RuleId::ResponseNotWrapped
            | RuleId::DelayInvalid
            | RuleId::SessionIncomplete
            | RuleId::ContractNotFound
            | RuleId::ToolResponseType
            | RuleId::YamlTyping
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ItemFacts;
    use document::Problem;

    fn at_source(finding: SourceFinding) -> Item {
        let source = SourceState::new(None, None, finding);
        Item::from(ItemFacts { source: Some(source.into()), ..ItemFacts::new("a/turn-1.json") })
    }

    #[test]
    fn the_order_of_weight_is_the_order_of_all() {
        assert!(ItemStatus::ALL.is_sorted());
        assert_eq!(
            ItemStatus::ALL.last().map(|last| usize::from(last.rank())),
            Some(ItemStatus::ALL.len() - 1)
        );
    }

    #[test]
    fn a_file_with_a_warning_is_not_ok() {
        let levels = [
            (None, ItemStatus::Ok),
            (Some(Severity::Note), ItemStatus::Ok),
            (Some(Severity::Warning), ItemStatus::Problems),
            (Some(Severity::Error), ItemStatus::Problems),
        ];
        for (severity, expected) in levels {
            let problem = severity
                .map(|severity| Problem::whole_file(RuleId::SeedEmpty, "").with_severity(severity));
            let item = Item::from(crate::ItemFacts::new("a.json"))
                .with_problems(problem.into_iter().collect());
            assert_eq!(item.status(), expected);
        }
    }

    #[test]
    fn what_is_not_read_is_not_ok() {
        for (rule, severity, expected) in [
            (RuleId::UnknownFormat, Severity::Note, ItemStatus::Foreign),
            (RuleId::Unreadable, Severity::Note, ItemStatus::Foreign),
            (RuleId::Unreadable, Severity::Warning, ItemStatus::Problems),
            (RuleId::Unreadable, Severity::Error, ItemStatus::Unreadable),
        ] {
            let problem = Problem::whole_file(rule, "").with_severity(severity);
            let item = Item::from(crate::ItemFacts::new("a.json"));
            assert_eq!(item.with_problems([problem].into()).status(), expected);
        }
    }

    #[test]
    fn a_filter_finds_what_is_wrong_with_the_source_of_an_incomplete_item() {
        let found = |finding, severity| {
            let problem =
                Problem::whole_file(RuleId::ResponseNotWrapped, "").with_severity(severity);
            let item = at_source(finding).with_problems(vec![problem]);
            item.statuses().map(ItemStatus::as_str).collect::<Vec<_>>().join(" ")
        };
        let (error, note) = (Severity::Error, Severity::Note);
        assert_eq!(found(SourceFinding::Unstamped, error), "incomplete unstamped");
        assert_eq!(found(SourceFinding::Unstamped, note), "unstamped");
        assert_eq!(found(SourceFinding::Missing(None), error), "incomplete missing");
    }

    #[test]
    fn a_fault_in_the_content_outweighs_the_source() {
        let mut item = at_source(SourceFinding::Missing(None));
        let table = [
            (None, ItemStatus::SourceGone),
            (Some((RuleId::HiddenCharacters, Severity::Error)), ItemStatus::SourceGone),
            (Some((RuleId::WrongType, Severity::Note)), ItemStatus::SourceGone),
            (Some((RuleId::ResponseNotWrapped, Severity::Error)), ItemStatus::Incomplete),
            (Some((RuleId::Syntax, Severity::Error)), ItemStatus::Unreadable),
        ];
        for (problem, expected) in table {
            let problem = problem
                .map(|(rule, severity)| Problem::whole_file(rule, "").with_severity(severity));
            item.problems = problem.into_iter().collect();
            assert_eq!(item.status(), expected);
        }
    }
}
