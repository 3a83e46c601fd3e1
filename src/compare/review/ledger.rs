//! `.retake/review.json`: what was decided, so that a review can be left and resumed.
//!
//! ```json
//! { "version": 3, "decisions": [ { "path": "a/turn-2.json", "old": "<sha256 or null>", "new": "<sha256 or null>",
//!   "verdict": "part", "from_old": [ { "kind": "changed", "pointer": "/request/tools/1/name" } ],
//!   "note": "…", "applied": "<sha256 of what applying left, \"nothing\" for no file, or null>" } ],
//!   "groups": [ { "id": "tool-respond-became-reply", "note": "…" } ] }
//! ```
//!
//! Version 1 had no notes on groups and no verdict `discuss`, and version 2 no verdict `keep-noise`. What has none of them is still written
//! as an earlier version, for earlier programs. A field that is not known is an error: writing the ledger would remove it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Applied, ChangeKey, ChangeKind, Decision, Decisions, PairKey, ReviewVerdict};

/// Its path from the project root.
pub const PATH: &str = ".retake/review.json";

const VERSION: u32 = 3;
/// The version without the verdict `keep-noise`.
const SECOND_VERSION: u32 = 2;
/// The first version, which is still read.
const FIRST_VERSION: u32 = 1;
/// Is in the place of a SHA-256 where applying left no file.
const NO_FILE: &str = "nothing";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerFile {
    version: u32,
    decisions: Vec<LedgerEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<LedgerGroup>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerGroup {
    id: Box<str>,
    note: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerEntry {
    path: Box<str>,
    old: Option<Box<str>>,
    new: Option<Box<str>>,
    verdict: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    from_old: Vec<LedgerPlace>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
    #[serde(default)]
    applied: Option<Box<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerPlace {
    kind: Box<str>,
    pointer: Box<str>,
}

/// Writes a ledger, one decision after the other in the order of paths.
pub fn write(decisions: &Decisions) -> String {
    let entries = decisions.iter().map(|(pair, decision)| LedgerEntry {
        path: (*pair.path).into(),
        old: pair.old.as_deref().map(Into::into),
        new: pair.new.as_deref().map(Into::into),
        verdict: decision.verdict.as_ref().map(|verdict| verdict.as_str().into()),
        from_old: match &decision.verdict {
            Some(ReviewVerdict::Part(changes)) => changes.iter().map(LedgerPlace::new).collect(),
            _ => Vec::new(),
        },
        note: decision.note.clone(),
        applied: decision.applied.as_ref().map(|applied| match applied {
            Applied::File(sha256) => (**sha256).into(),
            Applied::Nothing => NO_FILE.into(),
        }),
    });
    let notes = decisions.group_notes.iter();
    let groups = notes.map(|(id, note)| LedgerGroup { id: (**id).into(), note: note.clone() });
    let has = |verdict: &ReviewVerdict| {
        decisions.iter().any(|(_, decision)| decision.verdict.as_ref() == Some(verdict))
    };
    let version = if has(&ReviewVerdict::KeepNoise) {
        VERSION
    } else if !decisions.group_notes.is_empty() || has(&ReviewVerdict::Discuss) {
        SECOND_VERSION
    } else {
        FIRST_VERSION
    };
    let file = LedgerFile { version, groups: groups.collect(), decisions: entries.collect() };
    // What is written here has only texts for keys, which is all that could fail.
    // Indented, because projects commit the ledger: git shows each decision by itself.
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads a ledger.
///
/// # Errors
///
/// The reason that it is no ledger, as a sentence without a full stop.
pub fn read(text: &str) -> Result<Decisions, String> {
    let file: LedgerFile = serde_json::from_str(text)
        .map_err(|error| format!("The decisions cannot be read: {error}"))?;
    if !(FIRST_VERSION..=VERSION).contains(&file.version) {
        let version = file.version;
        return Err(format!("The decisions are of version {version}, which is not known here"));
    }
    let entries = file.decisions.into_iter().map(LedgerEntry::decision);
    let decisions: Result<BTreeMap<_, _>, String> = entries.collect();
    // Empty notes are never stored; a ledger that was edited by hand may have one.
    let groups = file.groups.into_iter().filter(|group| !group.note.is_empty());
    Ok(Decisions::from_stored(decisions?, groups.map(|g| (g.id.into(), g.note)).collect()))
}

impl LedgerEntry {
    fn decision(self) -> Result<(PairKey, Decision), String> {
        let verdict = match self.verdict.as_deref() {
            None => None,
            Some("accept") => Some(ReviewVerdict::Accept),
            Some("keep-noise") => Some(ReviewVerdict::KeepNoise),
            Some("reject") => Some(ReviewVerdict::Reject),
            Some("skip") => Some(ReviewVerdict::Skip),
            Some("discuss") => Some(ReviewVerdict::Discuss),
            Some("part") => {
                let changes: Option<_> = self.from_old.into_iter().map(LedgerPlace::key).collect();
                Some(ReviewVerdict::Part(changes.ok_or("A change is of a kind that is not known")?))
            }
            // Skipping it would remove it from the file when the ledger is written next.
            Some(other) => return Err(format!("There is no verdict {other:?}")),
        };
        let pair = PairKey {
            path: self.path.into(),
            old: self.old.map(Into::into),
            new: self.new.map(Into::into),
        };
        let decision = Decision {
            verdict,
            note: self.note,
            applied: self.applied.map(|applied| match &*applied {
                NO_FILE => Applied::Nothing,
                _ => Applied::File(applied.into()),
            }),
        };
        Ok((pair, decision))
    }
}

impl LedgerPlace {
    fn new(change: &ChangeKey) -> Self {
        Self { kind: change.kind.as_str().into(), pointer: change.pointer.clone() }
    }

    fn key(self) -> Option<ChangeKey> {
        let kind = ChangeKind::ALL.into_iter().find(|kind| kind.as_str() == &*self.kind)?;
        Some(ChangeKey { kind, pointer: self.pointer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut decisions = Decisions::default();
        let pair = |path: &str| PairKey { path: path.into(), old: Some("1".into()), new: None };
        let change = ChangeKey { kind: ChangeKind::Moved, pointer: "/a/0".into() };
        decisions.decide([pair("a")], &ReviewVerdict::Part([change].into()));
        decisions.decide([pair("b")], &ReviewVerdict::Reject);
        decisions.set_note(pair("b"), "not \"this\"");
        decisions.set_applied(&pair("b"), Some(Applied::File("2".into())));
        decisions.decide([pair("c")], &ReviewVerdict::Accept);
        decisions.set_applied(&pair("c"), Some(Applied::Nothing));
        decisions.decide([pair("d")], &ReviewVerdict::Discuss);
        decisions.set_note(pair("d"), "Is this meant?");
        decisions.set_group_note("renamed", "Since the new prompt");
        let text = write(&decisions);
        let again = read(&text).unwrap();
        assert!(again.iter().eq(decisions.iter()));
        assert_eq!(again.group_notes, decisions.group_notes);
        assert_eq!(write(&again), text);
        assert!(text.contains("\"version\": 2,"));
        decisions.decide([pair("e")], &ReviewVerdict::KeepNoise);
        let text = write(&decisions);
        assert!(read(&text).unwrap().iter().eq(decisions.iter()));
        assert!(text.contains("\"version\": 3,"));
    }

    #[test]
    fn the_first_version_is_still_read() {
        let first = r#"{"version": 1, "decisions": [{"path": "a", "old": null, "new": "1", "verdict": "accept", "applied": null}]}"#;
        let read = read(first).unwrap();
        assert_eq!(read.iter().count(), 1);
        assert!(write(&read).contains("\"version\": 1,"));
    }

    #[test]
    fn what_is_no_ledger_is_reported() {
        let fault = |text: &str| read(text).err().unwrap_or_default();
        insta::assert_snapshot!(fault("{}"), @"The decisions cannot be read: missing field `version` at line 1 column 2");
        insta::assert_snapshot!(fault(r#"{"version": 4, "decisions": []}"#), @"The decisions are of version 4, which is not known here");
        insta::assert_snapshot!(fault(r#"{"version": 1, "decisions": [], "owner": "a"}"#), @"The decisions cannot be read: unknown field `owner`, expected one of `version`, `decisions`, `groups` at line 1 column 39");
        let json = r#"{"version": 1, "decisions": [{"path": "a", "old": null, "new": null, "verdict": "maybe"}]}"#;
        insta::assert_snapshot!(fault(json), @r#"There is no verdict "maybe""#);
    }
}
