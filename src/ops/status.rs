//! The status of an item.

use super::Item;
use super::source::{Found, SourceState};
use crate::format::{Kind, RuleId, Severity};

/// The status of an item: the first that applies, in this order, which is also the sort order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// It could not be read, decoded or parsed.
    Unreadable,
    /// It parses, but a required value is missing or wrong.
    Incomplete,
    /// Its source has changed, and a request made from it now would no longer match.
    StaleBreaks,
    /// Its source does not exist.
    SourceGone,
    /// Its source is outside the project root and was not read.
    Outside,
    /// Its source has changed.
    Stale,
    /// Its source was renamed or moved.
    Renamed,
    /// Only the line ends of its source have changed.
    LineEnds,
    /// It does not name its source.
    Unstamped,
    /// A request that waits for an answer.
    Pending,
    /// Its source has not changed.
    Fresh,
    /// No problem, for items without a source.
    Ok,
    /// It belongs to another tool.
    Foreign,
}

impl Status {
    /// Every status, the worst first.
    pub const ALL: &[Self] = &[
        Self::Unreadable,
        Self::Incomplete,
        Self::StaleBreaks,
        Self::SourceGone,
        Self::Outside,
        Self::Stale,
        Self::Renamed,
        Self::LineEnds,
        Self::Unstamped,
        Self::Pending,
        Self::Fresh,
        Self::Ok,
        Self::Foreign,
    ];

    /// Returns the label for the window.
    pub fn label(self) -> &'static str {
        match self {
            Self::Unreadable => "Unreadable",
            Self::Incomplete => "Incomplete",
            Self::StaleBreaks => "Stale, breaks",
            Self::Renamed => "Renamed",
            Self::SourceGone => "Source gone",
            Self::Outside => "Outside root",
            Self::Stale => "Stale",
            Self::LineEnds => "Line ends",
            Self::Unstamped => "Unstamped",
            Self::Pending => "Pending",
            Self::Fresh => "Fresh",
            Self::Ok => "OK",
            Self::Foreign => "Other tool",
        }
    }

    /// Returns the word used in filters; items that are stale and break also match `stale`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Incomplete => "incomplete",
            Self::StaleBreaks => "breaks",
            Self::Renamed => "renamed",
            Self::SourceGone => "missing",
            Self::Outside => "outside",
            Self::Stale => "stale",
            Self::LineEnds => "line-endings",
            Self::Unstamped => "unstamped",
            Self::Pending => "pending",
            Self::Fresh => "fresh",
            Self::Ok => "ok",
            Self::Foreign => "foreign",
        }
    }

    /// Returns its rank: 0 is the worst.
    pub fn rank(self) -> u8 {
        self as u8
    }
}

impl SourceState {
    /// Returns the status of the source, regardless of other problems.
    pub fn status(&self) -> Status {
        match &self.found {
            found if found.has_changed() && self.affected == Some(true) => Status::StaleBreaks,
            found if found.has_changed() => Status::Stale,
            Found::Stale(_) => Status::Stale,
            Found::LineEndings(_) => Status::LineEnds,
            Found::Renamed(_) => Status::Renamed,
            Found::Missing(_) => Status::SourceGone,
            Found::Outside(_) => Status::Outside,
            Found::Unstamped => Status::Unstamped,
            Found::Fresh(_) => Status::Fresh,
        }
    }
}

impl Item {
    /// Returns the status of this item.
    pub fn status(&self) -> Status {
        if self.foreign.is_some() {
            return Status::Foreign;
        }
        if self.has(RuleId::hides_content) {
            return Status::Unreadable;
        }
        if self.has(refuses) {
            return Status::Incomplete;
        }
        if self.kind == Kind::Request {
            return Status::Pending;
        }
        self.source.as_ref().map_or(Status::Ok, SourceState::status)
    }

    /// Returns every status by which a filter finds this item: an item that is stale and breaks is also stale, and a source
    /// that was renamed may have changed since.
    pub fn statuses(&self) -> impl Iterator<Item = Status> {
        let status = self.status();
        let found = self.source.as_ref().map(|source| &source.found);
        let is_stale = status == Status::StaleBreaks;
        let is_renamed = status == Status::Stale || is_stale;
        let is_renamed = is_renamed && matches!(found, Some(Found::Renamed(_)));
        [
            Some(status),
            is_stale.then_some(Status::Stale),
            is_renamed.then_some(Status::Renamed),
        ]
        .into_iter()
        .flatten()
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
    use crate::format::Problem;

    #[test]
    fn the_order_of_weight_is_the_order_of_all() {
        assert!(Status::ALL.is_sorted());
        assert_eq!(
            Status::ALL.last().map(|last| usize::from(last.rank())),
            Some(Status::ALL.len() - 1)
        );
    }

    #[test]
    fn a_fault_in_the_content_outweighs_the_source() {
        let mut item = crate::ops::check::testing::at_source("a/turn-1.json", Found::Missing(None));
        let table = [
            (None, Status::SourceGone),
            (
                Some((RuleId::HiddenCharacters, Severity::Error)),
                Status::SourceGone,
            ),
            (
                Some((RuleId::WrongType, Severity::Note)),
                Status::SourceGone,
            ),
            (
                Some((RuleId::ResponseNotWrapped, Severity::Error)),
                Status::Incomplete,
            ),
            (Some((RuleId::Syntax, Severity::Error)), Status::Unreadable),
        ];
        for (problem, expected) in table {
            let problem = problem
                .map(|(rule, severity)| Problem::whole_file(rule, "").with_severity(severity));
            item.problems = problem.into_iter().collect();
            assert_eq!(item.status(), expected);
        }
    }
}
