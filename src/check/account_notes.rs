//! Counts the notes about cookies and ids of accounts.

use document::text::{counted, listed};
use document::{Problem, RuleId, Severity};

/// The help of a note about a cookie or the id of an account.
pub(super) const HELP: &str = "Replace it with a placeholder unless it may be public.";

/// Numbers of notes about cookies and ids of accounts. Nearly every call of some projects has one, and they give no access, so
/// reports for people have one line for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountNotes {
    cookies: usize,
    ids: usize,
    keys: usize,
    files: usize,
}

impl AccountNotes {
    /// Returns whether a problem is such a note.
    pub fn is_one(problem: &Problem) -> bool {
        problem.rule == RuleId::Secret
            && problem.severity == Severity::Note
            && problem.help.as_deref() == Some(HELP)
    }

    /// Adds the notes of a file.
    pub fn add<'p>(&mut self, problems: impl Iterator<Item = &'p Problem>) {
        let mut is_first = true;
        for problem in problems.filter(|problem| Self::is_one(problem)) {
            self.files += usize::from(std::mem::take(&mut is_first));
            // A problem has no field for the kind of its secret; only the message names it.
            if problem.message.contains("cookie") {
                self.cookies += 1;
            } else if problem.message.contains("access key") {
                self.keys += 1;
            } else {
                self.ids += 1;
            }
        }
    }

    /// Says how many places of what kinds there are, not how many values; `None` if there are none.
    pub fn sentence(&self) -> Option<String> {
        let Self { cookies, ids, keys, files } = *self;
        let kinds: Vec<String> =
            [(cookies, "cookies"), (ids, "ids of accounts"), (keys, "ids of access keys")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, noun)| format!("{} with {noun}", counted(count, "place", "places")))
                .collect();
        let files = counted(files, "file", "files");
        (!kinds.is_empty()).then(|| format!("{} in {files}", listed(&kinds)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_counted_by_kind_and_file_and_other_problems_are_none() {
        let note = |message: &str, help: &str| {
            let note = Problem::whole_file(RuleId::Secret, message).with_help(help);
            note.with_severity(Severity::Note)
        };
        let first = [
            note("This looks like the cookie `__cf_bm`: `…`", HELP),
            note("This looks like the id of an AWS account: `…`", HELP),
            note("This looks like an e-mail address: `…@a.dev`", "Replace it."),
            note("This looks like a cookie: `…`", HELP).with_severity(Severity::Error),
        ];
        let mut notes = AccountNotes::default();
        assert_eq!(notes.sentence(), None);
        notes.add(first[2..].iter());
        assert_eq!(notes.sentence(), None);
        notes.add(first.iter());
        let sentence = notes.sentence();
        assert_eq!(
            sentence.as_deref(),
            Some("1 place with cookies and 1 place with ids of accounts in 1 file")
        );
        notes.add(first[1..2].iter());
        let sentence = notes.sentence();
        assert_eq!(
            sentence.as_deref(),
            Some("1 place with cookies and 2 places with ids of accounts in 2 files")
        );
        let key = note("This looks like the id of an AWS access key: `…`", HELP);
        notes.add([key].iter());
        let sentence = notes.sentence();
        assert_eq!(
            sentence.as_deref(),
            Some(
                "1 place with cookies, 2 places with ids of accounts and 1 place with ids of access keys in 3 files"
            )
        );
    }
}
