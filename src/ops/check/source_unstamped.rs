//! `source-unstamped`: nobody knows what a recording was made from.

use super::project::Project;
use super::words;
use crate::format::{Problem, RuleId, Severity};
use crate::ops::Item;
use crate::ops::source::SourceState;

rule! {
    /// The recording does not say from which source it was made, or not how that looked: `sourceMetadata` with `sourceFile`
    /// and `contentHash` is missing. Nobody can tell whether it is stale.
    ///
    /// Recordings older than the third version are all like this, which is a note for each. Once any recording of the project
    /// is stamped, there is one warning for each folder, at the first recording that is not, and with `--require-metadata` an
    /// error.
    SourceUnstamped {
        title: "The recording does not name its source",
        fix: "Record it again with a recorder that stamps, or stamp it with the source it belongs to.",
        before: "Nobody can tell" => "\"recordedAt\": \"…\"",
        after: "Compared with each check" => "\"recordedAt\": \"…\",\n\"sourceMetadata\": {\n  \"sourceFile\": \"machines/triage.dygram\",\n  \"contentHash\": \"9f2c41d7…\"\n}",
    }
}

pub(super) fn judge(
    index: usize,
    item: &Item,
    source: &SourceState,
    project: &Project<'_>,
) -> Option<Problem> {
    if project.any_stamped() {
        return aggregated(index, item, project);
    }
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
    Some(mark.problem(RuleId::SourceUnstamped, pointer, message))
}

/// The warning of a folder, at the first of its recordings that are not stamped.
fn aggregated(index: usize, item: &Item, project: &Project<'_>) -> Option<Problem> {
    let unstamped = project.unstamped_in(item.folder());
    if unstamped.first != index {
        return None;
    }
    let (number, all) = (unstamped.number, project.recordings_in(item.folder()));
    let folder = words::folder_name(item.folder());
    let message = match (number, all.max(number)) {
        (1, 1) => {
            format!("The only recording in {folder} does not say which source it was recorded from")
        }
        (1, all) => format!(
            "1 of {all} recordings in {folder} does not say which source it was recorded from"
        ),
        (number, all) => {
            format!(
                "{number} of {all} recordings in {folder} do not say which source they were recorded from"
            )
        }
    };
    let problem = Problem::whole_file(RuleId::SourceUnstamped, message);
    Some(problem.with_severity(Severity::Warning))
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
        let stamped = || at_source("new/turn-1.json", Found::Missing(None));
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &[old(), stamped()]), @"old/turn-1.json: warning 1:1  The only recording in old does not say which source it was recorded from");
    }

    #[test]
    fn then_a_folder_has_one_warning_at_its_first_recording() {
        let at = |path: &str, found: Found| at_source(path, found);
        let items = [
            at("set/turn-10.json", Found::Unstamped),
            at("set/turn-2.json", Found::Unstamped),
            at("set/turn-1.json", Found::Missing(None)),
            at("other/turn-1.json", Found::Missing(None)),
            at("other/turn-2.json", Found::Unstamped),
        ];
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &items), @r"
        set/turn-10.json: warning 1:1  2 of 3 recordings in set do not say which source they were recorded from
        other/turn-2.json: warning 1:1  1 of 2 recordings in other does not say which source it was recorded from
        ");
    }
}
