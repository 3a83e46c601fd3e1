//! `source-missing`: the source does not exist any more.

use super::project::{JudgedSource, short_hash, steps};
use document::commit::CommitId;
use document::text::quoted;
use document::{Problem, RuleId};

rule! {
    /// The source that the recording names does not exist, neither below the project root nor in the folders above the
    /// recording. It was deleted, renamed or moved, or `--root` is not the folder in which it was recorded.
    ///
    /// The recording still plays, but it tests a machine that does not exist any more.
    SourceMissing {
        title: "The source does not exist",
        fix: "Restore the source, or record again from the source that replaced it; delete the recording if nothing replaced it.",
    }
}

pub(super) fn judge(judgment: JudgedSource<'_>, deletion: Option<&CommitId>) -> Problem {
    let recorded_hash = judgment.recorded_hash();
    let remark = deletion.map_or_else(String::new, |commit| {
        format!(", it was deleted in commit {}", commit.short())
    });
    let message = format!(
        "The source of {} does not exist: there is no {} below the project root or above the recording{remark}; recorded hash {} ({})",
        quoted(judgment.item.label()),
        quoted(judgment.file()),
        short_hash(recorded_hash),
        judgment.describe_affected()
    );
    judgment.problem_at_file(RuleId::SourceMissing, message).with_help(steps(judgment.item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, commit, judged, judged_with_help};
    use calls::source::SourceFinding;

    #[test]
    fn the_name_is_reported_as_written() {
        let items = [at_source("turn-1.json", SourceFinding::Missing(None))];
        insta::assert_snapshot!(judged_with_help(RuleId::SourceMissing, &items), @"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` does not exist: there is no `machines/a.dygram` below the project root or above the recording; recorded hash 777777777777 (the only recording in the project's root folder)
          1. Review the change: `retake source turn-1.json`
          2. Regenerate: `DYGRAM_TEST_MODE=interactive npm test`
          3. Commit the recordings with their source.
        ");
    }
    #[test]
    fn the_commit_that_deleted_it_is_reported() {
        let deleted = SourceFinding::Missing(Some(commit("c2e90b4")));
        let items = [at_source("turn-1.json", deleted)];
        insta::assert_snapshot!(judged(RuleId::SourceMissing, &items), @"turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` does not exist: there is no `machines/a.dygram` below the project root or above the recording, it was deleted in commit c2e90b4; recorded hash 777777777777 (the only recording in the project's root folder)");
    }
}
