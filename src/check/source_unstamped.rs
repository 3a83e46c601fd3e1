//! `source-unstamped`: a recording does not name its source.

use super::phrases;
use super::project::{JudgedSource, ProjectIndex};
use calls::Item;
use document::{Problem, RuleId, Severity};

rule! {
    /// The recording does not contain the path or the hash of its source: `sourceFile` or `contentHash` in `sourceMetadata`
    /// is missing. It is therefore unknown whether the recording is stale.
    ///
    /// All recordings older than the third version are like this, and each gets a note. As soon as one recording of the
    /// project is stamped, there is one warning for each folder instead, at the first recording without a stamp. With
    /// `--require-metadata` it is an error.
    SourceUnstamped {
        title: "The recording does not name its source",
        fix: "Record it again with a recorder that writes `sourceMetadata`, or add it with `retake stamp`.",
        before: "Unknown whether it is stale" => "\"recordedAt\": \"…\"",
        after: "Compared at each check" => "\"recordedAt\": \"…\",\n\"sourceMetadata\": {\n  \"sourceFile\": \"machines/triage.dygram\",\n  \"contentHash\": \"9f2c41d7…\"\n}",
    }
}

pub(super) fn judge(index: usize, judged_source: JudgedSource<'_>) -> Option<Problem> {
    let JudgedSource { item, source, project } = judged_source;
    if project.any_stamped {
        return aggregated(index, item, project);
    }
    let (pointer, message) = match (&source.file, &source.recorded_hash) {
        (None, None) => ("", "The recording does not name its source"),
        (Some(_), _) => {
            ("/sourceMetadata", "The recording names its source, but `contentHash` is missing")
        }
        (None, Some(_)) => (
            "/sourceMetadata",
            "The recording has the hash of its source, but `sourceFile` is missing",
        ),
    };
    let mark = source.file_mark.or(source.hash_mark).unwrap_or_default();
    Some(mark.problem(RuleId::SourceUnstamped, pointer, message))
}

/// Returns the warning of a folder, at the first of its recordings without a stamp.
fn aggregated(index: usize, item: &Item, project: &ProjectIndex<'_>) -> Option<Problem> {
    let group = project.unstamped[item.folder()];
    if group.first != index {
        return None;
    }
    let (number, total) = (group.number, project.recordings_in(item.folder()));
    let folder = phrases::folder_name(item.folder());
    let message = match (number, total.max(number)) {
        (1, 1) => format!("The only recording in {folder} does not name its source"),
        (1, total) => format!("1 of {total} recordings in {folder} does not name its source"),
        (number, total) => {
            format!("{number} of {total} recordings in {folder} do not name their source")
        }
    };
    Some(Problem::whole_file(RuleId::SourceUnstamped, message).with_severity(Severity::Warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, judged};
    use calls::source::SourceFinding;

    #[test]
    fn a_note_until_the_project_has_begun_to_stamp() {
        let old = || at_source("old/turn-1.json", SourceFinding::Unstamped);
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &[old()]), @"old/turn-1.json: note 1:1  The recording does not name its source");
        let stamped_item = || at_source("new/turn-1.json", SourceFinding::Missing(None));
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &[old(), stamped_item()]), @"old/turn-1.json: warning 1:1  The only recording in old does not name its source");
    }

    #[test]
    fn then_a_folder_has_one_warning_at_its_first_recording() {
        let item = |path: &str, found: SourceFinding| at_source(path, found);
        let items = [
            item("set/turn-10.json", SourceFinding::Unstamped),
            item("set/turn-2.json", SourceFinding::Unstamped),
            item("set/turn-1.json", SourceFinding::Missing(None)),
            item("other/turn-1.json", SourceFinding::Missing(None)),
            item("other/turn-2.json", SourceFinding::Unstamped),
        ];
        insta::assert_snapshot!(judged(RuleId::SourceUnstamped, &items), @r"
        set/turn-10.json: warning 1:1  2 of 3 recordings in set do not name their source
        other/turn-2.json: warning 1:1  1 of 2 recordings in other does not name its source
        ");
    }
}
