//! The old takes that the user can pair a new one with, each with what would differ.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{IgnoreRule, PairComparison, Review, ReviewLane, Take, TakeChange, TakePair, compare};
use document::FileKind;
use document::text::counted;

/// Maximum number of old takes that are listed; a longer list is not useful.
const MAX_OLD_TAKES: usize = 12;

/// An old take without a partner, compared with a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerCandidate {
    /// Of the old take.
    pub path: Arc<str>,
    /// Differences as sentences without a full stop; names are in backquotes. In recordings one of the request and one of the
    /// answer.
    pub differences: Vec<String>,
}

impl Review {
    /// Returns the old takes without a partner that the new take of a pair can be paired with: those with the nearest paths, at most
    /// 12; the one with the fewest changes first.
    pub fn partner_candidates(&self, pair: usize, rules: &[IgnoreRule]) -> Vec<PartnerCandidate> {
        let new = self.pairs.get(pair).and_then(|reviewed| reviewed.pair.new.as_ref());
        let Some(new) = new else { return Vec::new() };
        let alone = self.pairs.iter().filter(|reviewed| reviewed.pair.new.is_none());
        let mut alone: Vec<_> = alone.filter_map(|reviewed| reviewed.pair.old.as_ref()).collect();
        let in_common =
            |path: &str| path.bytes().zip(new.path.bytes()).take_while(|(a, b)| a == b).count();
        // Paths choose what is compared, since each comparison parses both files.
        alone.sort_by_key(|old| Reverse(in_common(&old.path)));
        let compared =
            |old: &Arc<Take>| (Arc::clone(&old.path), compare(&TakePair::by_hand(old, new), rules));
        let mut compared: Vec<_> = alone.into_iter().take(MAX_OLD_TAKES).map(compared).collect();
        compared.sort_by_key(|(_, comparison)| comparison.direct_changes().count());
        let candidate = |(path, comparison): (Arc<str>, PairComparison)| PartnerCandidate {
            path,
            differences: comparison.describe_parts(),
        };
        compared.into_iter().map(candidate).collect()
    }
}

impl PairComparison {
    /// Returns what differs in the request and in the answer; in files that have neither, what differs.
    fn describe_parts(&self) -> Vec<String> {
        let of_lane = |lane: ReviewLane| -> Vec<&TakeChange> {
            self.direct_changes().filter(|change| change.lane() == lane).collect()
        };
        let all: Vec<&TakeChange> = self.direct_changes().collect();
        let has_request = matches!(
            self.kind,
            FileKind::Recording | FileKind::Request | FileKind::Tape | FileKind::Cassette
        );
        if all.is_empty() {
            return vec!["Nothing but times and ids differs".to_owned()];
        }
        // The whole value is another one, so neither a request nor an answer can be named.
        let is_other_file = all.iter().any(|change| change.pointer().is_empty());
        if !has_request || self.fault.is_some() || is_other_file {
            return vec![first_of(&all, "")];
        }
        let (sent, answered) = (of_lane(ReviewLane::Sent), of_lane(ReviewLane::Answered));
        let rest = all.len() - sent.len() - answered.len();
        let mut parts = vec![first_of(&sent, "Same request"), first_of(&answered, "Same answer")];
        if rest > 0 {
            parts.push(counted(rest, "other change", "other changes"));
        }
        parts
    }
}

/// Returns the first change in words, and how many others there are.
fn first_of(changes: &[&TakeChange], none: &str) -> String {
    match changes {
        [] => none.to_owned(),
        [one] => one.sentence.to_string(),
        [first, rest @ ..] => {
            let more = counted(rest.len(), "more change", "more changes");
            format!("{}, and {more}", first.sentence)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Take, pair_up};

    fn recording(text: &str, answer: &str) -> String {
        format!(
            r#"{{"request": {{"messages": [{{"role": "user", "content": "{text}"}}], "tools": []}},
            "response": {{"response": {{"content": [{{"type": "text", "text": "{answer}"}}]}}}}}}"#
        )
    }

    #[test]
    fn old_takes_without_a_partner_are_listed_with_what_would_differ() {
        let take = |(path, text): (&str, String)| Arc::new(Take::new(path, text.into_bytes()));
        let old = [
            ("s/req-1-1.json", recording("Where is the parcel of today?", "It is late.")),
            ("s/req-1-2.json", recording("Cancel the order of today.", "It is done.")),
            ("s/req-1-3.json", recording("Thank you for all of it.", "You are welcome.")),
            ("s/notes.json", "[1]".to_owned()),
        ];
        let new = [
            ("s/req-2-1.json", recording("Thank you for all of it.", "You are welcome.")),
            ("s/req-2-2.json", recording("Who sends the parcel?", "It is done.")),
        ];
        let pairs = pair_up(old.map(take).into(), new.map(take).into(), &[]);
        let compared = pairs.into_iter().map(|pair| {
            let comparison = compare(&pair, &[]);
            (pair, comparison)
        });
        let review = Review::new(compared.collect());
        let place =
            |path: &str| review.pairs.iter().position(|reviewed| reviewed.pair.path() == path);
        let partners = review.partner_candidates(place("s/req-2-2.json").unwrap(), &[]);
        let lines = partners
            .iter()
            .map(|partner| format!("{}: {}\n", partner.path, partner.differences.join("; ")));
        insta::assert_snapshot!(lines.collect::<String>(), @"
        s/req-1-2.json: Message 1, 4 words became 3; Same answer
        s/notes.json: All of it is an object with 2 fields, was a list with 1 element
        s/req-1-1.json: Message 1, 4 words became 2; Answer text, 1 word replaced
        ");
        // A take that was removed has no new one that could be paired.
        assert!(review.partner_candidates(place("s/notes.json").unwrap(), &[]).is_empty());
    }
}
