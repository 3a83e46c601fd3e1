//! Verdicts on calls and on items, by which the library is sorted and filtered, and which strips show as colours.

use serde::{Deserialize, Serialize};

use calls::{CallRow, Item, ItemStatus};
use document::call::CallFailure;
use document::{FileKind, Problem, RuleId, Severity};

/// Verdict on a call of a strip, or on an item. Verdicts that need attention are greater.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum BlockVerdict {
    /// The run did not reach it.
    NotReached,
    /// An HTTP call that is of no model, or a file that is not read.
    OtherCall,
    /// Answered as recorded.
    #[default]
    Right,
    /// Its source was renamed.
    Renamed,
    /// Waits for its answer.
    Waiting,
    /// Its source has changed, and it still matches.
    StillMatches,
    /// Its answer is not stored.
    Unanswered,
    /// A warning about something else.
    Warned,
    /// Its source has changed so that it no longer matches.
    Breaks,
    /// The order of the file decides which answer is played.
    OrderDecides,
    /// No recording answers it.
    Missing,
    /// Fails, or gets a wrong answer.
    Wrong,
}

impl BlockVerdict {
    /// The verdicts on items, the worst first.
    pub const OF_ITEMS: [Self; 10] = [
        Self::Wrong,
        Self::OrderDecides,
        Self::Breaks,
        Self::Warned,
        Self::Unanswered,
        Self::StillMatches,
        Self::Waiting,
        Self::Renamed,
        Self::Right,
        Self::OtherCall,
    ];

    /// Returns the label of the items with this verdict.
    pub fn label(self) -> &'static str {
        match self {
            Self::Wrong | Self::Missing => "Errors",
            Self::OrderDecides => "Order decides",
            Self::Breaks => "Stale, breaks",
            Self::Warned => "Warnings",
            Self::Unanswered => "Without answer",
            Self::StillMatches => "Stale",
            Self::Waiting => "Waiting",
            Self::Renamed => "Renamed",
            Self::Right => "Right",
            Self::OtherCall | Self::NotReached => "Not read",
        }
    }

    /// Judges an item by what is wrong with it, with its source and with its calls.
    pub fn of_item(item: &Item) -> Self {
        let of_failures = item.calls.iter().filter_map(|call| Self::of_failure(item, call)).max();
        if of_failures == Some(Self::Wrong) {
            return Self::Wrong;
        }
        match item.status() {
            ItemStatus::Unreadable
            | ItemStatus::Incomplete
            | ItemStatus::Failed
            | ItemStatus::Outside => Self::Wrong,
            ItemStatus::StaleBreaks => Self::Breaks,
            ItemStatus::Stale => Self::StillMatches,
            ItemStatus::SourceGone => Self::Warned,
            ItemStatus::Renamed => Self::Renamed,
            ItemStatus::Pending => Self::Waiting,
            ItemStatus::Foreign if item.calls.is_empty() => Self::OtherCall,
            ItemStatus::Foreign => of_failures.unwrap_or(Self::Right),
            ItemStatus::Problems
            | ItemStatus::LineEnds
            | ItemStatus::Unstamped
            | ItemStatus::Fresh
            | ItemStatus::Ok => {
                let verdicts = item.problems.iter().filter_map(Self::of_problem);
                verdicts.chain(of_failures).max().unwrap_or(Self::Right)
            }
        }
    }

    /// Judges whether a call failed. A cassette is judged by its rules, which know the tests that expect an error.
    fn of_failure(item: &Item, call: &CallRow) -> Option<Self> {
        match call.failure.filter(|_| item.kind != FileKind::Cassette)? {
            CallFailure::NoAnswer => Some(Self::Unanswered),
            failure => failure.is_of_call().then_some(Self::Wrong),
        }
    }

    /// Judges each call of an item; an item without calls is one block, and a cassette in which no call was recorded none.
    pub fn of_calls(item: &Item) -> Vec<Self> {
        if item.calls.is_empty() {
            let block = Self::of_item(item);
            let is_empty_cassette = item.kind == FileKind::Cassette && block == Self::Right;
            return if is_empty_cassette { Vec::new() } else { vec![block] };
        }
        let calls = item.calls.iter().enumerate();
        calls.map(|(number, call)| Self::of_call(item, number, call)).collect()
    }

    /// Judges a call of an item, which has this number from 0.
    pub fn of_call(item: &Item, number: usize, call: &CallRow) -> Self {
        let is_about = |problem: &&Problem| match &problem.calls {
            Some(calls) => calls.numbers.contains(&number),
            None => call.has_problem(problem),
        };
        let problems = item.problems.iter().filter(is_about);
        let of_problems = problems.filter_map(Self::of_problem);
        match of_problems.chain(Self::of_failure(item, call)).max() {
            Some(verdict) => verdict,
            None if call.api.is_none() => Self::OtherCall,
            None => Self::Right,
        }
    }

    /// Judges what a problem is about, with the severity that its rule has in the project; `None` for a note.
    pub fn of_problem(problem: &Problem) -> Option<Self> {
        match (problem.severity, problem.rule) {
            (Severity::Note, _) => None,
            (Severity::Error, _) => Some(Self::Wrong),
            (_, RuleId::CallAmbiguous | RuleId::SignatureShared) => Some(Self::OrderDecides),
            _ => Some(Self::Warned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::reading::listed_calls;
    use calls::{ItemFacts, Pool, RareFacts};

    #[test]
    fn an_item_has_the_verdict_of_the_worst_that_is_known_of_it() {
        use BlockVerdict::{OrderDecides, Right, Warned, Wrong};
        use Severity::{Error, Note, Warning};
        for (problems, expected) in [
            (&[][..], Right),
            (&[(RuleId::Secret, Note)], Right),
            (&[(RuleId::Secret, Warning), (RuleId::CallAmbiguous, Note)], Warned),
            (&[(RuleId::Secret, Warning), (RuleId::CallAmbiguous, Warning)], OrderDecides),
            (&[(RuleId::CallAmbiguous, Warning), (RuleId::RecordedError, Error)], Wrong),
            (&[(RuleId::RecordedError, Warning)], Warned),
            (&[(RuleId::RecordedError, Note)], Right),
            (&[(RuleId::SeedEmpty, Error)], Wrong),
        ] {
            let problem = |(rule, severity): &(RuleId, Severity)| {
                Problem::whole_file(*rule, "").with_severity(*severity)
            };
            let facts = ItemFacts { kind: FileKind::Cassette, ..ItemFacts::new("a.yaml") };
            let item = Item::from(facts).with_problems(problems.iter().map(problem).collect());
            assert_eq!(BlockVerdict::of_item(&item), expected, "{problems:?}");
        }
    }

    #[test]
    fn a_call_without_a_stored_answer_is_no_error() {
        use BlockVerdict::{Right, Unanswered, Wrong};
        const RUN: &str = r#"{"type": "assistant", "sessionId": "s", "message": {"id": "1", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]}}"#;
        let document = document::read(document::text::Source::new(RUN), "a.jsonl");
        let (path, pool, calls) = (|| "a.jsonl".into(), Pool::default(), listed_calls(&document));
        let run = calls::summarise(path(), &path(), 0, &document, Vec::new(), None, &pool)
            .with_calls(&document, &calls, &pool);
        for (failure, expected) in [
            (None, Right),
            (Some(CallFailure::UnreadAnswer), Right),
            (Some(CallFailure::NoAnswer), Unanswered),
            (Some(CallFailure::Failed), Wrong),
            (Some(CallFailure::Status(429)), Wrong),
        ] {
            let call = CallRow { failure, ..run.calls[0].clone() };
            let facts = ItemFacts {
                kind: run.kind,
                rare: RareFacts {
                    calls: [call.clone()].into(),
                    foreign: run.foreign,
                    ..RareFacts::default()
                }
                .into(),
                ..ItemFacts::new("a.jsonl")
            };
            let item = Item::from(facts);
            assert_eq!(BlockVerdict::of_item(&item), expected, "{failure:?}");
            assert_eq!(BlockVerdict::of_call(&item, 0, &call), expected, "{failure:?}");
        }
    }

    #[test]
    fn the_verdicts_on_items_are_in_their_order() {
        assert!(BlockVerdict::OF_ITEMS.is_sorted_by(|a, b| a > b));
    }
}
