//! Fixes of rules: which rules have one, what each is called, and which change fixes an item.
//!
//! The command line, the problems desk and the inspector offer these, and no others.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{CassetteFix, Change};
use calls::Item;
use calls::source::SourceFinding;
use document::text::{counted, thousands};
use document::{FileKind, Problem, RuleId};
use play::playback::fixes::Fix;

/// The fix of a rule: its labels, and the change of each item.
#[derive(Debug)]
pub struct RuleFix {
    pub rule: RuleId,
    /// Description of the problem, for one item and for several: `answer loads as …`.
    pub found: (&'static str, &'static str),
    /// The label for one item, without dots: `Wrap the answer`.
    pub one: &'static str,
    /// The label for one item in a row of a list, without dots: `Wrap`.
    short: &'static str,
    /// Report of the fix of one item: `Wrapped the answer`.
    pub done: &'static str,
    /// The name of the step around its number: `Wrap`, `answer`, `answers`.
    step: (&'static str, &'static str, &'static str),
    /// Description of the text that it writes, as a sentence.
    pub does: &'static str,
    /// Description of the parts that it does not change, as a sentence.
    pub leaves: &'static str,
    /// Facts that the user has to know or decide first; `None` if the fix is safe for every project.
    pub question: Option<&'static str>,
    change: fn(&Item) -> Option<Change>,
}

/// Returns the fix of a rule, if it has one.
pub fn fix_of(rule: RuleId) -> Option<&'static RuleFix> {
    FIXES.iter().find(|fix| fix.rule == rule)
}

/// Returns the fix of a problem of an item, if it has one.
pub fn fix_at(problem: &Problem, item: &Item) -> Option<&'static RuleFix> {
    fix_of(problem.rule).filter(|fix| fix.fixes(problem) && fix.change(item).is_some())
}

/// All fixes. In this order, several are applied to one file.
pub static FIXES: &[RuleFix] = &[
    RuleFix {
        rule: RuleId::ResponseNotWrapped,
        found: ("answer loads as `undefined`", "answers load as `undefined`"),
        one: "Wrap the answer",
        short: "Wrap",
        done: "Wrapped the answer",
        step: ("Wrap", "answer", "answers"),
        does: "Puts the answer one level deeper, where players look for it.",
        leaves: "The answer itself and all other bytes stay unchanged.",
        question: None,
        change: |_| Some(Change::Fix(Fix::WrapResponses(Vec::new()))),
    },
    RuleFix {
        rule: RuleId::SignatureOutdated,
        found: ("signature differs from its request", "signatures differ from their requests"),
        one: "Recompute the signature",
        short: "Recompute",
        done: "Recomputed the signature",
        step: ("Recompute", "signature", "signatures"),
        does: "Computes the stored signature again from the request.",
        leaves: "Stored context keys stay unchanged; a signature in which only these differ is left alone.",
        question: None,
        change: |_| Some(Change::Fix(Fix::RecomputeSignatures(Vec::new()))),
    },
    RuleFix {
        rule: RuleId::SignatureMissing,
        found: ("recording has no signature", "recordings have no signature"),
        one: "Add the signature",
        short: "Sign",
        done: "Added the signature",
        step: ("Add", "signature", "signatures"),
        does: "Stores the signature of the request.",
        leaves: "The recording matches the same requests as before, and still names no source.",
        question: None,
        change: |_| Some(Change::Sign),
    },
    RuleFix {
        rule: RuleId::SignatureUnmatchable,
        found: ("signature matches no request", "signatures match no request"),
        one: "Drop the context keys",
        short: "Drop keys",
        done: "Dropped the context keys",
        step: ("Drop the context keys of", "signature", "signatures"),
        does: "Empties the stored context keys, which no shipped client computes.",
        leaves: "Tool names and the number of messages stay unchanged.",
        question: Some("A client that computes context keys needs them."),
        change: |_| Some(Change::Fix(Fix::DropContextKeys(Vec::new()))),
    },
    RuleFix {
        rule: RuleId::SourceRenamed,
        found: (
            "recording names a source that was renamed",
            "recordings name a source that was renamed",
        ),
        one: "Update the path",
        short: "Update path",
        done: "Updated the source path",
        step: ("Update the path in", "recording", "recordings"),
        does: "Writes the path that the source has now.",
        leaves: "The recorded hash stays unchanged; a recording whose source could be one of several files is left alone.",
        question: None,
        change: |item| {
            let SourceFinding::Renamed(places) = &item.source.as_ref()?.found else { return None };
            // Of several, only a person can choose.
            let [place] = &**places else { return None };
            Some(Change::RewritePath((&*place.now.path).into()))
        },
    },
    RuleFix {
        rule: RuleId::SourcePathMismatch,
        found: (
            "recording names its source from another folder",
            "recordings name their source from another folder",
        ),
        one: "Update the path",
        short: "Update path",
        done: "Updated the source path",
        step: ("Update the path in", "recording", "recordings"),
        does: "Writes the path of the source from the project root.",
        leaves: "The recorded hash stays unchanged.",
        question: None,
        change: |item| {
            let file = item.source.as_ref()?.found.present()?;
            (!file.at_root).then(|| Change::RewritePath((&*file.path).into()))
        },
    },
    RuleFix {
        rule: RuleId::SourceUnstamped,
        found: ("recording does not name its source", "recordings do not name their source"),
        one: "Stamp the source",
        short: "Stamp",
        done: "Stamped the source",
        step: ("Stamp", "recording", "recordings"),
        does: "Stores the path and the hash of the source, and the signature.",
        leaves: "A recording whose path, text, machine title and folder do not lead to one source is left alone.",
        question: Some("Whether the source has changed since the recording is not known."),
        change: |item| {
            let is_unstamped = item.source.as_ref()?.found == SourceFinding::Unstamped;
            (item.kind == FileKind::Recording && is_unstamped).then_some(Change::Stamp)
        },
    },
    RuleFix {
        rule: RuleId::SourceStale,
        found: (
            "recording still matches its changed source",
            "recordings still match their changed source",
        ),
        one: "Restamp the source",
        short: "Restamp",
        done: "Restamped the source",
        step: ("Restamp", "recording that still matches", "recordings that still match"),
        does: "Stores the hash of the current source, and the signature.",
        leaves: "A recording that the changed source breaks, or may break, is left alone.",
        question: Some("Review the change of the source before you save."),
        change: |item| item.source.as_ref()?.can_be_restamped().then_some(Change::Restamp),
    },
    RuleFix {
        rule: RuleId::EncodingMismatch,
        found: (
            "cassette names an encoding that a body does not have",
            "cassettes name an encoding that a body does not have",
        ),
        one: "Remove the header",
        short: "Remove",
        done: "Removed the header",
        step: ("Remove wrong encodings from", "cassette", "cassettes"),
        does: "Removes the header `content-encoding` of bodies that are readable, and corrects their `content-length`.",
        leaves: "A body that is compressed, and of which no header says so, or that is damaged, is left alone.",
        question: None,
        change: |item| of_cassette(item, CassetteFix::Encodings),
    },
    RuleFix {
        rule: RuleId::LengthMismatch,
        found: ("cassette has a wrong length of a body", "cassettes have a wrong length of a body"),
        one: "Correct the length",
        short: "Correct",
        done: "Corrected the length",
        step: ("Correct the lengths in", "cassette", "cassettes"),
        does: "Writes the number of bytes of each body into its header `content-length`.",
        leaves: "All other headers and the bodies stay unchanged; a length that shows that a body may be damaged is left alone.",
        question: None,
        change: |item| of_cassette(item, CassetteFix::Lengths),
    },
    RuleFix {
        rule: RuleId::MachineBound,
        found: (
            "file names the machine it was made on",
            "files name the machine they were made on",
        ),
        one: "Replace the names",
        short: "Replace",
        done: "Replaced what names the machine",
        step: ("Replace what names the machine in", "file", "files"),
        does: "Replaces users in paths, temporary folders, computers and ids of processes by placeholders, as `retake redact --only machine` does.",
        leaves: "A file in which a value decides which recording answers is left alone.",
        question: Some(
            "If the client compares what is replaced, the tested program has to send the same.",
        ),
        change: |_| Some(Change::RedactMachine),
    },
    // This fix is the last, because it changes the places of others.
    RuleFix {
        rule: RuleId::RepeatUnreachable,
        found: (
            "cassette has calls that are never played",
            "cassettes have calls that are never played",
        ),
        one: "Delete the calls",
        short: "Delete",
        done: "Deleted the calls that are never played",
        step: ("Delete the calls that are never played from", "cassette", "cassettes"),
        does: "Deletes the calls that are never played, because an equal one before them always answers.",
        leaves: "The calls that are played stay unchanged.",
        question: Some("If the other answers are meant to be played, compare the body as well."),
        change: |item| {
            let problems = item.problems.iter();
            let rule_problems =
                problems.filter(|problem| problem.rule == RuleId::RepeatUnreachable);
            let pointers = rule_problems.map(|problem| Arc::clone(&problem.pointer)).collect();
            of_cassette(item, CassetteFix::Remove(pointers))
        },
    },
];

fn of_cassette(item: &Item, fix: CassetteFix) -> Option<Change> {
    (item.kind == FileKind::Cassette).then_some(Change::Cassette(fix))
}

/// Each rule has at most one fix.
impl PartialEq for RuleFix {
    fn eq(&self, other: &Self) -> bool {
        self.rule == other.rule
    }
}

impl Eq for RuleFix {}

impl RuleFix {
    /// Returns the label of its button for some items: `Wrap 3 answers…`.
    pub fn label(&self, items: usize) -> String {
        match items {
            1 => format!("{}…", self.one),
            _ => format!("{}…", self.step_name(items)),
        }
    }

    /// Returns the name of the step that fixes some items: `Wrap 3 answers`.
    pub(super) fn step_name(&self, items: usize) -> String {
        let (verb, singular, plural) = self.step;
        format!("{verb} {}", counted(items, singular, plural))
    }

    /// Whether it fixes this problem, if the item allows it.
    pub fn fixes(&self, row: &Problem) -> bool {
        let is_kept = match self.rule {
            // Context keys are stored on purpose, and often missing in the request.
            RuleId::SignatureOutdated => &*row.pointer == "/signature/contextKeys",
            // Reported at the body: its bytes are no text, no header says what they are, or some may be missing.
            RuleId::EncodingMismatch | RuleId::LengthMismatch => !row.pointer.contains("/headers/"),
            _ => false,
        };
        row.rule == self.rule && !is_kept
    }

    /// Returns the change of an item; `None` if it cannot be fixed without more information.
    pub fn change(&self, item: &Item) -> Option<Change> {
        (self.change)(item)
    }

    /// Whether a problem at one item is reported for all items of its folder.
    fn is_of_folder(&self) -> bool {
        self.rule == RuleId::SourceUnstamped
    }

    /// Returns the label in a row of a list: `Wrap…`.
    pub fn row_label(&self) -> String {
        format!("{}…", self.short)
    }

    /// Returns the label in a list of rules, with the number of items: `Wrap 3…`.
    pub fn count_label(&self, items: usize) -> String {
        // `Drop keys 3` would count the keys.
        let of = if self.short.contains(' ') { "in " } else { "" };
        format!("{} {of}{}…", self.short, thousands(items))
    }

    /// Returns the items that it fixes, of those in which it is reported and that are wanted. A rule that reports one problem for a
    /// folder is fixed in the whole folder.
    pub fn targets<K: Copy>(
        &self,
        items: &[(K, &Item)],
        is_wanted: impl Fn(K, &Item) -> bool,
    ) -> Vec<K> {
        let is_reported = |(key, item): &&(K, &Item)| {
            item.problems.iter().any(|problem| self.fixes(problem)) && is_wanted(*key, item)
        };
        let reported_items = items.iter().filter(is_reported);
        let can_be_fixed = |(_, item): &&(K, &Item)| self.change(item).is_some();
        if !self.is_of_folder() {
            return reported_items.filter(can_be_fixed).map(|(key, _)| *key).collect();
        }
        let folders: BTreeSet<&str> = reported_items.map(|(_, item)| item.folder()).collect();
        let folder_items = items.iter().filter(|(_, item)| folders.contains(item.folder()));
        folder_items.filter(can_be_fixed).map(|(key, _)| *key).collect()
    }

    /// Returns the folders whose problem remains after some items are fixed: it is also about an item that is not, and that has no
    /// problem of its own.
    pub fn remaining_folders<'a>(
        &self,
        items: impl Iterator<Item = &'a Item>,
        is_fixed: impl Fn(&Item) -> bool,
    ) -> BTreeSet<&'a str> {
        let items = items.filter(|item| {
            self.is_of_folder()
                && self.change(item).is_some()
                && !is_fixed(item)
                && !item.problems.iter().any(|problem| self.fixes(problem))
        });
        items.map(|item| item.folder()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, present};
    use calls::ItemFacts;
    use calls::source::MovedSource;

    fn item(path: &str, rule: RuleId, pointer: &str, finding: SourceFinding) -> Item {
        let mut problem = Problem::whole_file(rule, "…");
        problem.pointer = pointer.into();
        Item::from(ItemFacts {
            kind: FileKind::Recording,
            ..ItemFacts::clone(&at_source(path, finding))
        })
        .with_problems(vec![problem])
    }

    #[test]
    fn every_fix_belongs_to_one_rule_and_has_labels() {
        for fix in FIXES {
            assert!(std::ptr::eq(fix_of(fix.rule).unwrap(), fix), "{}", fix.rule);
            assert!(fix.leaves.ends_with('.'), "{}", fix.rule);
            assert!(fix.does.ends_with('.'), "{}", fix.rule);
            assert!(fix.question.is_none_or(|q| q.ends_with('.')), "{}", fix.rule);
        }
        let wrap = fix_of(RuleId::ResponseNotWrapped).unwrap();
        assert_eq!(wrap.label(1), "Wrap the answer…");
        assert_eq!(wrap.label(3), "Wrap 3 answers…");
        assert_eq!(wrap.row_label(), "Wrap…");
        assert_eq!(wrap.step_name(1), "Wrap 1 answer");
        assert!(fix_of(RuleId::Syntax).is_none());
    }

    #[test]
    fn what_needs_a_choice_is_left_alone() {
        let change = |rule, pointer, found| {
            let item = item("a/turn-1.json", rule, pointer, found);
            fix_at(&item.problems[0], &item)?.change(&item)
        };
        let moved = |path| MovedSource::unchanged(present(path, true));
        let renamed = |to: &[MovedSource]| SourceFinding::Renamed(to.into());
        let rule = RuleId::SourceRenamed;
        assert_eq!(
            change(rule, "", renamed(&[moved("b.dygram")])),
            Some(Change::RewritePath("b.dygram".into()))
        );
        let two = renamed(&[moved("b.dygram"), moved("c.dygram")]);
        assert_eq!(change(rule, "", two), None);

        // A signature of which only the context keys differ.
        let rule = RuleId::SignatureOutdated;
        let finding = || SourceFinding::Unstamped;
        assert_eq!(change(rule, "/signature/contextKeys", finding()), None);
        assert!(change(rule, "/signature/toolNames", finding()).is_some());
    }

    #[test]
    fn a_problem_of_a_folder_is_fixed_in_the_whole_folder() {
        let reported_item =
            item("a/turn-1.json", RuleId::SourceUnstamped, "", SourceFinding::Unstamped);
        let other = |path| {
            let mut item = item(path, RuleId::SourceUnstamped, "", SourceFinding::Unstamped);
            item.change_problems(Vec::clear);
            item
        };
        let (same_folder_item, other_folder_item) =
            (other("a/turn-2.json"), other("b/turn-1.json"));
        let stamp = fix_of(RuleId::SourceUnstamped).unwrap();
        let items = [(0, &reported_item), (1, &same_folder_item), (2, &other_folder_item)];
        assert_eq!(stamp.targets(&items, |_, _| true), [0, 1]);
        assert!(stamp.targets(&items, |key, _| key != 0).is_empty());
    }
}
