//! Finds secrets in the text of a tape, also across chunk borders, ready to be redacted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::edits::{Fill, RedactTarget, TapeEdit};
use super::text::TapeText;
use crate::ops::secret::{CustomPatterns, FoundSecret, Redaction, SecretKind, find, hint};

/// A secret in the text of a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeSecret {
    pub kind: SecretKind,
    /// The part that may be shown.
    pub hint: String,
    /// All occurrences, as byte ranges of the whole text.
    parts: Vec<Range<usize>>,
    /// The replacement.
    word: String,
}

impl TapeSecret {
    /// Returns the number of occurrences.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the edit that redacts all occurrences and keeps all chunks and delays.
    pub fn redaction(&self) -> TapeEdit {
        TapeEdit::Redact {
            target: RedactTarget::Parts(self.parts.clone()),
            fill: Fill::Text(self.word.clone()),
        }
    }
}

/// Returns the secrets of a text in the order of their first occurrence. `own` has the project's own patterns.
pub fn secrets(text: &TapeText, own: &CustomPatterns) -> Vec<TapeSecret> {
    let text = text.text();
    let found = find(text, own);
    let mut words = Redaction::default();
    words.add_all(text, &found);
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut secrets: Vec<TapeSecret> = Vec::new();
    for FoundSecret { kind, range } in found {
        let secret = text.get(range.clone()).unwrap_or_default();
        let at = *known.entry(secret).or_insert(secrets.len());
        match secrets.get_mut(at) {
            Some(secret) => secret.parts.push(range),
            None => secrets.push(TapeSecret {
                kind,
                hint: hint(kind, secret),
                parts: vec![range],
                word: words.placeholder(secret).unwrap_or_default().to_owned(),
            }),
        }
    }
    secrets
}

#[cfg(test)]
mod tests {
    use super::super::edits::plan;
    use super::super::testing::{document, read, stream, tape_of, text};
    use super::*;

    #[test]
    fn a_secret_is_redacted_across_chunk_borders_and_everywhere() {
        let chunks = [
            (1e6, "Write to ann"),
            (2e6, "a@acme"),
            (3e6, ""),
            (4e6, ".org or anna@acme.org, not bob@acme.org."),
        ];
        let source = text(&stream(&chunks));
        let before = document(&source);
        let tape = read(&stream(&chunks));
        let found = secrets(&TapeText::new(&tape), &CustomPatterns::default());
        let reported: Vec<_> = found.iter().map(|secret| (&*secret.hint, secret.count())).collect();
        assert_eq!(reported, [("…@acme.org", 2), ("…@acme.org", 1)]);
        let planned = plan(&before, &found[0].redaction()).unwrap().unwrap();
        let mut after = source;
        planned.edit.apply(&mut after).unwrap();
        let after = tape_of(&document(&after));
        insta::assert_snapshot!(
            after.chunks.iter().map(|chunk| format!("{} {:?}", chunk.delay_nanos, chunk.text)).collect::<Vec<_>>().join("\n"),
            @r#"
        1000000 "Write to redact"
        2000000 "ed-1@examp"
        3000000 ""
        4000000 "le.com or redacted-1@example.com, not bob@acme.org."
        "#
        );
    }
}
