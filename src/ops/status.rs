//! The one word that says how it stands with an item.

use super::Item;
use super::source::{Found, SourceState};
use crate::format::{Kind, RuleId, Severity};

/// How it stands with an item, in one word: the first that applies, in this order, which is also how rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// It could not be read, decoded or parsed.
    Unreadable,
    /// It parses, and something its owner needs is missing or wrong.
    Incomplete,
    /// Its source has changed, and a request made from it now would no longer match.
    StaleBreaks,
    /// Its source is not there.
    SourceGone,
    /// Its source lies outside the project root and was not read.
    Outside,
    /// Its source has changed.
    Stale,
    /// Its source goes by another name now.
    Renamed,
    /// Its source has changed in its line ends alone.
    LineEnds,
    /// It does not say which source it was made from.
    Unstamped,
    /// A request that waits for its answer.
    Pending,
    /// Its source is as it was.
    Fresh,
    /// Nothing to tell, for what has no source.
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

    /// The words shown in the window.
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

    /// The word used in filters; what is stale and breaks answers to `stale` as well.
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

    /// Its place in the order of weight: 0 is the worst.
    pub fn rank(self) -> u8 {
        self as u8
    }
}

impl SourceState {
    /// How it stands with the source, whatever else may be wrong.
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
    /// How it stands with this item.
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

    /// Every status by which a filter finds this item: what is stale and breaks is stale as well, and a source that was
    /// renamed may have changed since.
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

    /// Whether such a rule found an error here. What the user has made less than that does not count.
    fn has(&self, rules: fn(RuleId) -> bool) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.severity == Severity::Error && rules(problem.rule))
    }
}

/// True for the rules that find what a file's owner would refuse, or could not play.
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
