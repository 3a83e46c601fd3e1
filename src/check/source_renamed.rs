//! `source-renamed`: the source has been renamed or moved.

use super::project::{JudgedSource, short_hash};
use calls::source::MovedSource;
use document::text::{listed, quoted, visible};
use document::{Problem, RuleId};

rule! {
    /// The file that `sourceFile` names does not exist, but another file of the project has the text that was recorded, or
    /// the git history shows that the source was moved there and has changed since. If it has changed, the recording is
    /// compared with the file as it is now.
    ///
    /// If there are several such files, you have to choose one.
    SourceRenamed {
        title: "The source was renamed",
        fix: "Write the new path into `sourceFile`, or stamp the recording again.",
        before: "The old path" => "\"sourceFile\": \"machines/triage.dygram\"",
        after: "The new path" => "\"sourceFile\": \"machines/triage-ticket.dygram\"",
    }
}

pub(super) fn judge(judged_source: JudgedSource<'_>, moves: &[MovedSource]) -> Problem {
    let recorded_hash = judged_source.recorded_hash();
    let help = match moves {
        [moved_source] => {
            format!("Write the new path: \"sourceFile\": \"{}\"", visible(&moved_source.now.path))
        }
        _ => "Choose one of them and write its path into \"sourceFile\"".to_owned(),
    };
    let message = format!(
        "The source of {} was renamed: there is no {}, and {}; recorded hash {} ({})",
        quoted(judged_source.item.label()),
        quoted(judged_source.file()),
        describe_destination(moves),
        short_hash(recorded_hash),
        judged_source.describe_affected()
    );
    judged_source.problem_at_file(RuleId::SourceRenamed, message).with_help(help)
}

/// Describes where the source is now: `its text is in machines/b.dygram (moved there in commit 51c0ab9)`.
fn describe_destination(moves: &[MovedSource]) -> String {
    let files = |same_text: bool| {
        let files: Vec<_> = moves.iter().filter(|m| m.same_text == same_text).map(file).collect();
        (!files.is_empty()).then(|| listed(&files))
    };
    let same_files = files(true).map(|files| format!("its text is in {files}"));
    let changed_files = files(false).map(|files| format!("it was moved and changed, now {files}"));
    same_files.into_iter().chain(changed_files).collect::<Vec<_>>().join(", and ")
}

fn file(moved_source: &MovedSource) -> String {
    let path = visible(&moved_source.now.path);
    match &moved_source.commit {
        Some(commit) => format!("{path} (moved there in commit {})", commit.short()),
        None => path.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, commit, judged_with_help, present};
    use calls::source::SourceFinding;

    /// Returns a file in which a source continues: its path, whether its text is the same, and the id of the commit that moved it.
    fn moved(path: &str, same_text: bool, moved_in: Option<&str>) -> MovedSource {
        MovedSource { now: present(path, true), same_text, commit: moved_in.map(commit) }
    }

    fn renamed(rule: RuleId, moves: &[MovedSource]) -> String {
        let items = [at_source("turn-1.json", SourceFinding::Renamed(moves.into()))];
        judged_with_help(rule, &items)
    }

    #[test]
    fn the_new_name_is_reported_and_several_are_offered() {
        let report_of = |moves: &[MovedSource]| renamed(RuleId::SourceRenamed, moves);
        insta::assert_snapshot!(report_of(&[moved("machines/b.dygram", true, None)]), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text is in machines/b.dygram; recorded hash 777777777777 (the only recording in the project's root folder)
          Write the new path: "sourceFile": "machines/b.dygram"
        "#);
        insta::assert_snapshot!(report_of(&[moved("machines/b.dygram", true, Some("51c0ab9"))]), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text is in machines/b.dygram (moved there in commit 51c0ab9); recorded hash 777777777777 (the only recording in the project's root folder)
          Write the new path: "sourceFile": "machines/b.dygram"
        "#);
        insta::assert_snapshot!(report_of(&[moved("machines/b.dygram", true, None), moved("old/a.dygram", true, None)]), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text is in machines/b.dygram and old/a.dygram; recorded hash 777777777777 (the only recording in the project's root folder)
          Choose one of them and write its path into "sourceFile"
        "#);
        insta::assert_snapshot!(
            report_of(&[moved("old/a.dygram", true, None), moved("machines/b.dygram", false, Some("51c0ab9"))]),
            @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text is in old/a.dygram, and it was moved and changed, now machines/b.dygram (moved there in commit 51c0ab9); recorded hash 777777777777 (the only recording in the project's root folder)
          Choose one of them and write its path into "sourceFile"
        "#
        );
    }

    #[test]
    fn one_that_has_changed_since_is_stale_as_well() {
        let moves = [moved("machines/b.dygram", false, Some("51c0ab9"))];
        insta::assert_snapshot!(renamed(RuleId::SourceRenamed, &moves), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and it was moved and changed, now machines/b.dygram (moved there in commit 51c0ab9); recorded hash 777777777777 (the only recording in the project's root folder)
          Write the new path: "sourceFile": "machines/b.dygram"
        "#);
        insta::assert_snapshot!(renamed(RuleId::SourceStale, &moves), @"
        turn-1.json: warning 21:17 /sourceMetadata/contentHash machines/b.dygram has changed since `turn-1.json` was recorded: recorded hash 777777777777, current hash 0caa7019760a (the only recording in the project's root folder)
          1. Review the change: `retake source turn-1.json`
          2. Regenerate: `DYGRAM_TEST_MODE=interactive npm test`
          3. Commit the recordings with their source.
        ");
        // If there are several, it is unknown which one is meant.
        let several = [moves[0].clone(), moved("machines/c.dygram", false, None)];
        assert_eq!(renamed(RuleId::SourceStale, &several), "");
    }
}
