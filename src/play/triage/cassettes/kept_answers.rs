//! The mark of answers that stay while the requests that they are recorded for are changed: a note in the ledger of reviews.

use std::collections::BTreeSet;
use std::sync::Arc;

use calls::source::sha256_hex;
use compare::review::{Decisions, PairKey, ledger};
use document::files::FileStep;
use document::text::listed;

/// The ledger of a project.
#[derive(Clone, Debug)]
pub struct ReviewLedger {
    bytes: Option<Arc<[u8]>>,
    decisions: Decisions,
}

/// Changed calls of a file whose answers stay.
pub(super) struct KeptAnswers<'a> {
    pub(super) path: &'a Arc<str>,
    pub(super) old_text: &'a str,
    pub(super) new_text: String,
    /// Numbers of the calls in the changed file, from 1.
    pub(super) calls: BTreeSet<usize>,
}

impl ReviewLedger {
    /// Reads the ledger; without bytes there is none yet. `None` if it cannot be read: then nothing is added to it.
    pub fn read(bytes: Option<Vec<u8>>) -> Option<Self> {
        let decisions = match &bytes {
            Some(bytes) => ledger::read(std::str::from_utf8(bytes).ok()?).ok()?,
            None => Decisions::default(),
        };
        Some(Self { bytes: bytes.map(Arc::from), decisions })
    }

    /// Plans to mark answers as not recorded again, for the review of their files.
    pub(super) fn mark(&self, files: &[KeptAnswers<'_>]) -> Option<FileStep> {
        let mut decisions = self.decisions.clone();
        for file in files {
            let hash =
                |text: &str| -> Option<Arc<str>> { Some(sha256_hex(text.as_bytes()).into()) };
            let (old, new) = (hash(file.old_text), hash(&file.new_text));
            let numbers: Vec<String> = file.calls.iter().map(usize::to_string).collect();
            let word = if numbers.len() == 1 { "call" } else { "calls" };
            let mark = format!(
                "Not recorded again: the answer of {word} {}. Only the request was changed.",
                listed(&numbers)
            );
            // What was noted before a second change is compared with the first version.
            let is_before = |key: &&PairKey| key.path == *file.path && key.new == old;
            let notes = self.decisions.iter().map(|(key, decision)| (key, &*decision.note));
            let earlier_notes = notes.filter(|(key, note)| is_before(key) && !note.is_empty());
            let marks =
                earlier_notes.map(|(key, note)| (key.old.clone(), format!("{note}\n{mark}")));
            for (old, note) in marks.chain([(old.clone(), mark.clone())]) {
                let pair = PairKey { path: Arc::clone(file.path), old, new: new.clone() };
                decisions.set_note(pair, &note);
            }
        }
        (!files.is_empty()).then(|| FileStep::Write {
            path: ledger::PATH.into(),
            before: self.bytes.clone(),
            after: Some(ledger::write(&decisions).into_bytes().into()),
        })
    }
}
