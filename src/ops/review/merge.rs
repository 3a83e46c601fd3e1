//! Merges the decisions of two reviewers.
//!
//! What only one of them changed since a common base is taken. Of two changes, a decision is stronger than none, and two
//! different decisions become *discuss*, the strongest, with both verdicts in the note. So the order of merging does not matter, and
//! merging the same decisions twice changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Decision, Decisions, PairKey, ReviewVerdict};

/// The decisions of two reviewers in one.
#[derive(Clone, Debug)]
pub struct MergedDecisions {
    /// All decisions and notes.
    pub decisions: Decisions,
    /// The pairs whose verdict is theirs and was not ours.
    pub taken: Vec<PairKey>,
    /// The pairs that need a talk, because the reviewers decided differently.
    pub conflicts: Vec<DecisionConflict>,
}

/// A pair on which two reviewers decided differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionConflict {
    /// The pair, which is to be discussed now.
    pub pair: PairKey,
    /// Our verdict, as [`ReviewVerdict::label`] describes it.
    pub ours: &'static str,
    /// Their verdict.
    pub theirs: &'static str,
}

/// Merges two reviewers' decisions, which both began from `base`: no decisions if that is not known.
pub fn merge(base: &Decisions, ours: &Decisions, theirs: &Decisions) -> MergedDecisions {
    let [base_pairs, our_pairs, their_pairs] =
        [base, ours, theirs].map(|it| it.iter().collect::<BTreeMap<_, _>>());
    let (mut made, mut taken, mut conflicts) = (BTreeMap::new(), Vec::new(), Vec::new());
    let none = Decision::default();
    let pairs: BTreeSet<&PairKey> = our_pairs.keys().chain(their_pairs.keys()).copied().collect();
    for pair in pairs {
        let [base, ours, theirs] =
            [&base_pairs, &our_pairs, &their_pairs].map(|it| it.get(pair).copied());
        let [base, ours, theirs] = [base, ours, theirs].map(|it| it.unwrap_or(&none));
        let merged = merge_decision(base, ours, theirs);
        if merged.verdict != ours.verdict && merged.verdict == theirs.verdict {
            taken.push(pair.clone());
        }
        if let (Some(our), Some(their)) = (&ours.verdict, &theirs.verdict)
            && ![ours, theirs].contains(&&merged)
            && is_conflict(our, their)
            && merged.verdict == Some(ReviewVerdict::Discuss)
        {
            conflicts.push(DecisionConflict {
                pair: pair.clone(),
                ours: our.label(),
                theirs: their.label(),
            });
        }
        if merged != none {
            made.insert(pair.clone(), merged);
        }
    }
    let [base, our, their] = [base, ours, theirs].map(Decisions::group_notes);
    let groups: BTreeSet<&Arc<str>> = our.keys().chain(their.keys()).collect();
    let notes = groups.into_iter().map(|id| {
        let [base, ours, theirs] =
            [base, our, their].map(|it| it.get(id).map_or("", String::as_str));
        (Arc::clone(id), merge_notes(base, ours, theirs))
    });
    let notes = notes.filter(|(_, note)| !note.is_empty()).collect();
    MergedDecisions { decisions: Decisions::from_stored(made, notes), taken, conflicts }
}

fn merge_decision(base: &Decision, ours: &Decision, theirs: &Decision) -> Decision {
    let verdicts = [base, ours, theirs].map(|it| &it.verdict);
    let verdict = match (changed(verdicts), &ours.verdict, &theirs.verdict) {
        (Some(changed), ..) => changed.clone(),
        (None, Some(our), Some(their)) if is_conflict(our, their) => {
            let notes = [(our, &ours.note), (their, &theirs.note)];
            let notes = notes.map(|(verdict, note)| labeled(verdict, note));
            return Decision {
                verdict: Some(ReviewVerdict::Discuss),
                note: without_bare(notes.into_iter().flatten().collect()),
                applied: None,
            };
        }
        (None, our, their) => {
            let strength = |it: &&Option<ReviewVerdict>| it.as_ref().map(ReviewVerdict::strength);
            let stronger = [our, their].into_iter().max_by_key(strength);
            stronger.cloned().flatten()
        }
    };
    // An equal verdict was applied if one of them has applied it.
    let with_verdict = [ours, theirs].into_iter().filter(|it| it.verdict == verdict);
    let applied = with_verdict.filter_map(|it| it.applied.clone()).max();
    Decision { note: merge_notes(&base.note, &ours.note, &theirs.note), applied, verdict }
}

/// Returns what both have, or what one of them changed; none if each changed it to something else.
fn changed<T: PartialEq + ?Sized>([base, ours, theirs]: [&T; 3]) -> Option<&T> {
    match (ours == theirs, ours == base, theirs == base) {
        (true, ..) | (_, _, true) => Some(ours),
        (_, true, _) => Some(theirs),
        _ => None,
    }
}

fn is_conflict(ours: &ReviewVerdict, theirs: &ReviewVerdict) -> bool {
    ours != theirs && ours.strength().min(theirs.strength()) >= ReviewVerdict::Accept.strength()
}

impl ReviewVerdict {
    fn strength(&self) -> u8 {
        match self {
            Self::Skip => 0,
            Self::Accept | Self::KeepNoise | Self::Reject | Self::Part(_) => 1,
            Self::Discuss => 2,
        }
    }
}

/// Returns the paragraphs of a note, each with the verdict that it explains.
fn labeled(verdict: &ReviewVerdict, note: &str) -> Vec<String> {
    if *verdict == ReviewVerdict::Discuss {
        return paragraphs(note).collect();
    }
    let label = label(verdict);
    let mut lines: Vec<String> =
        paragraphs(note).map(|paragraph| format!("{label}: {paragraph}")).collect();
    if lines.is_empty() {
        lines.push(label);
    }
    lines
}

fn label(verdict: &ReviewVerdict) -> String {
    let label = crate::text::upper_first(verdict.label());
    match verdict {
        ReviewVerdict::Part(from_old) => {
            let places: Vec<&str> = from_old.iter().map(|change| &*change.pointer).collect();
            format!("{label}, old at {}", crate::text::listed(&places))
        }
        _ => label,
    }
}

fn paragraphs(note: &str) -> impl Iterator<Item = String> {
    let paragraphs = note.split("\n\n").map(str::trim);
    paragraphs.filter(|paragraph| !paragraph.is_empty()).map(str::to_owned)
}

/// Joins paragraphs without a verdict that another one also gives, with a reason.
fn without_bare(lines: BTreeSet<String>) -> String {
    let has_reason = |bare: &String| {
        let mut others = lines.iter();
        others.any(|other| other.strip_prefix(bare).is_some_and(|it| it.starts_with(": ")))
    };
    let lines: Vec<&str> = lines.iter().filter(|it| !has_reason(it)).map(String::as_str).collect();
    lines.join("\n\n")
}

/// Merges notes: those of both if both changed, by paragraphs.
fn merge_notes(base: &str, ours: &str, theirs: &str) -> String {
    match changed([base, ours, theirs]) {
        Some(note) => note.to_owned(),
        None => without_bare(paragraphs(ours).chain(paragraphs(theirs)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ops::review::{Applied, ChangeKey, ChangeKind, ledger};

    fn key(path: &str) -> PairKey {
        PairKey { path: path.into(), old: Some("1".into()), new: Some("2".into()) }
    }

    fn part(pointer: &str) -> ReviewVerdict {
        let change = ChangeKey { kind: ChangeKind::Changed, pointer: pointer.into() };
        ReviewVerdict::Part([change].into())
    }

    fn of(made: &[(&str, ReviewVerdict, &str)]) -> Decisions {
        let mut decisions = Decisions::default();
        for (path, verdict, note) in made {
            decisions.decide([key(path)], verdict);
            decisions.set_note(key(path), note);
        }
        decisions
    }

    fn describe(merged: &MergedDecisions) -> String {
        let mut text = String::new();
        for (pair, decision) in merged.decisions.iter() {
            let verdict = decision.verdict.as_ref().map_or("none", |it| it.as_str());
            text += &format!("{} {verdict}: {:?}\n", pair.path, decision.note);
        }
        for (id, note) in merged.decisions.group_notes() {
            text += &format!("{id}: {note:?}\n");
        }
        for it in &merged.conflicts {
            text += &format!("conflict {}: {}, {}\n", it.pair.path, it.ours, it.theirs);
        }
        text
    }

    #[test]
    fn decisions_of_two_reviewers_become_one_and_differences_a_talk() {
        use ReviewVerdict::{Accept, Discuss, Reject, Skip};
        let mut ours = of(&[
            ("a", Accept, "same"),
            ("b", Accept, "looks right"),
            ("c", Skip, ""),
            ("d", Accept, "mine"),
            ("e", part("/a"), ""),
            ("f", Discuss, "Why?"),
            ("g", Reject, ""),
        ]);
        let mut theirs = of(&[
            ("a", Accept, "same"),
            ("b", Reject, "the tool is wrong"),
            ("c", Accept, "fine"),
            ("d", Accept, "theirs"),
            ("e", part("/b"), ""),
            ("f", Accept, ""),
            ("h", Discuss, ""),
        ]);
        ours.set_group_note("renamed", "since Monday");
        theirs.set_group_note("renamed", "by the new prompt");
        theirs.set_group_note("dropped", "on purpose");
        let merged = merge(&Decisions::default(), &ours, &theirs);
        insta::assert_snapshot!(describe(&merged), @r#"
        a accept: "same"
        b discuss: "Accepted: looks right\n\nRejected: the tool is wrong"
        c accept: "fine"
        d accept: "mine\n\ntheirs"
        e discuss: "Partly accepted, old at /a\n\nPartly accepted, old at /b"
        f discuss: "Accepted\n\nWhy?"
        g reject: ""
        h discuss: ""
        dropped: "on purpose"
        renamed: "by the new prompt\n\nsince Monday"
        conflict b: accepted, rejected
        conflict e: partly accepted, partly accepted
        conflict f: to discuss, accepted
        "#);
        let taken: Vec<&str> = merged.taken.iter().map(|it| &*it.path).collect();
        assert_eq!(taken, ["c", "h"]);
        // The conflicts are known then, and are reported once.
        let again = merge(&Decisions::default(), &merged.decisions, &theirs);
        assert!(again.conflicts.is_empty() && again.taken.is_empty());
    }

    #[test]
    fn what_only_one_changed_since_the_base_is_taken() {
        use ReviewVerdict::{Accept, Discuss, Reject};
        let base = of(&[
            ("a", Discuss, "Why?"),
            ("b", Accept, "old"),
            ("c", Accept, ""),
            ("d", Accept, ""),
        ]);
        let ours = of(&[("a", Discuss, "Why?"), ("b", Accept, "new"), ("c", Reject, "")]);
        let theirs = of(&[
            ("a", Accept, "Therefore."),
            ("b", Reject, "old"),
            ("c", Reject, "for a reason"),
            ("d", Accept, ""),
        ]);
        let merged = merge(&base, &ours, &theirs);
        insta::assert_snapshot!(describe(&merged), @r#"
        a accept: "Therefore."
        b reject: "new"
        c reject: "for a reason"
        "#);
        assert_eq!(merged.conflicts, []);
    }

    fn verdict() -> impl Strategy<Value = ReviewVerdict> {
        prop_oneof![
            Just(ReviewVerdict::Skip),
            Just(ReviewVerdict::Accept),
            Just(ReviewVerdict::KeepNoise),
            Just(ReviewVerdict::Reject),
            Just(ReviewVerdict::Discuss),
            prop_oneof![Just("/a"), Just("/b")].prop_map(part),
        ]
    }

    fn decisions() -> impl Strategy<Value = Decisions> {
        let note = || prop_oneof![Just(""), Just("x"), Just("y"), Just("y\n\nx")];
        let applied = prop_oneof![Just(None), Just(Some(Applied::Nothing))];
        let made = (prop_oneof![Just("a"), Just("b")], verdict(), note(), applied);
        let groups = proptest::collection::vec((prop_oneof![Just("g"), Just("h")], note()), 0..3);
        (proptest::collection::vec(made, 0..4), groups).prop_map(|(made, groups)| {
            let mut decisions = Decisions::default();
            for (path, verdict, note, applied) in made {
                decisions.decide([key(path)], &verdict);
                decisions.set_note(key(path), note);
                let applied = applied.filter(|_| verdict.is_decision());
                decisions.set_applied(&key(path), applied);
            }
            for (id, note) in groups {
                decisions.set_group_note(id, note);
            }
            decisions
        })
    }

    fn both(ours: &Decisions, theirs: &Decisions) -> Decisions {
        merge(&Decisions::default(), ours, theirs).decisions
    }

    proptest! {
        #[test]
        fn the_order_of_merging_does_not_matter(a in decisions(), b in decisions(), c in decisions()) {
            let text = ledger::write;
            prop_assert_eq!(text(&both(&a, &a)), text(&a));
            prop_assert_eq!(text(&both(&a, &b)), text(&both(&b, &a)));
            let once = both(&a, &b);
            prop_assert_eq!(text(&both(&once, &b)), text(&once));
            let pairs = [(&a, &b), (&b, &c), (&a, &c)];
            let none = Decisions::default();
            if pairs.iter().all(|(ours, theirs)| merge(&none, ours, theirs).conflicts.is_empty()) {
                prop_assert_eq!(text(&both(&both(&a, &b), &c)), text(&both(&a, &both(&b, &c))));
            }
            // With a base: what did not change there is what the other has.
            prop_assert_eq!(text(&merge(&a, &a, &b).decisions), text(&merge(&a, &b, &a).decisions));
            prop_assert_eq!(text(&merge(&a, &b, &b).decisions), text(&b));
            prop_assert_eq!(text(&merge(&c, &a, &b).decisions), text(&merge(&c, &b, &a).decisions));
        }
    }
}
