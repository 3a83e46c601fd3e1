//! `source-unstamped`: nobody knows what a recording was made from.

use super::project::Project;
use crate::format::{Problem, RuleId, Severity};
use crate::ops::source::SourceState;

rule! {
    /// The recording does not say from which source it was made, or not how that looked: `sourceMetadata` with `sourceFile`
    /// and `contentHash` is missing. Nobody can tell whether it is stale.
    ///
    /// Recordings older than the third version are all like this, which is a note. Once any recording of the project is
    /// stamped it is a warning, and with `--require-metadata` an error.
    SourceUnstamped {
        title: "The recording does not name its source",
        fix: "Record it again with a recorder that stamps, or stamp it with the source it belongs to.",
        before: "Nobody can tell" => "\"recordedAt\": \"…\"",
        after: "Compared with each check" => "\"recordedAt\": \"…\",\n\"sourceMetadata\": {\n  \"sourceFile\": \"machines/triage.dygram\",\n  \"contentHash\": \"9f2c41d7…\"\n}",
    }
}

pub(super) fn judge(source: &SourceState, project: &Project<'_>) -> Problem {
    let message = match (&source.file, &source.recorded_hash) {
        (None, None) => "Does not say which source it was recorded from",
        (Some(_), _) => "Names its source and not how that looked: there is no `contentHash`",
        (None, Some(_)) => "Has the hash of its source and not its name: there is no `sourceFile`",
    };
    let mark = source.file_mark.or(source.hash_mark).unwrap_or_default();
    let pointer = match (&source.file, &source.recorded_hash) {
        (None, None) => "",
        _ => "/sourceMetadata",
    };
    let severity = match project.any_stamped() {
        true => Severity::Warning,
        false => Severity::Note,
    };
    mark.problem(RuleId::SourceUnstamped, pointer, message)
        .with_severity(severity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{at_source, judged};
    use crate::ops::source::Found;

    #[test]
    fn a_note_until_the_project_has_begun_to_stamp() {
        let old = || at_source("old/turn-1.json", Found::Unstamped);
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &[old()]), @"old/turn-1.json: note 1:1  Does not say which source it was recorded from");
        let stamped = at_source("new/turn-1.json", Found::Missing(None));
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &[old(), stamped]), @"old/turn-1.json: warning 1:1  Does not say which source it was recorded from");
    }
}
