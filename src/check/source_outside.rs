//! `source-outside`: a source outside the project root, which is not read.

use super::project::JudgedSource;
use document::text::{quoted, visible};
use document::{Problem, RuleId};

rule! {
    /// The recording names a source outside the project root: by `..`, an absolute path, a drive letter, a backslash, or a
    /// link to a folder outside. The source was not read.
    ///
    /// A file from another person must not make a tool read other parts of the disk. On another computer such a path usually
    /// does not exist anyway.
    SourceOutside {
        title: "The source is outside the project root",
        fix: "Write the path relative to the project root, with `/`; or set a parent folder as the root with `--root`.",
        before: "Not read" => "\"sourceFile\": \"../shop/machines/triage.dygram\"",
        after: "Compared" => "\"sourceFile\": \"machines/triage.dygram\"",
    }
}

pub(super) fn judge(judged_source: JudgedSource<'_>, reason: &str) -> Problem {
    let message = format!("{} was not read: {}", quoted(judged_source.file()), visible(reason));
    judged_source.problem_at_file(RuleId::SourceOutside, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, judged};
    use calls::source::SourceFinding;

    #[test]
    fn the_reason_is_reported() {
        let items = [at_source(
            "a/turn-1.json",
            SourceFinding::Outside("`..` leads out of the project root".into()),
        )];
        insta::assert_snapshot!(judged(RuleId::SourceOutside, &items), @"a/turn-1.json: warning 20:17 /sourceMetadata/sourceFile `machines/a.dygram` was not read: `..` leads out of the project root");
    }
}
