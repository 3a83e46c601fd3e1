//! `source-path-mismatch`: a source that its owner would not find.

use crate::format::{Problem, RuleId};
use crate::ops::source::SourceState;
use crate::text::{quoted, visible};

rule! {
    /// The source is not where `sourceFile` says, taken from the project root; it was found by looking from the recording's
    /// folder upwards. The recording was made in another working directory than the root.
    ///
    /// Its owner runs in the root and looks nowhere else, so there the source is missing.
    SourcePathMismatch {
        title: "The source's path is not from the project root",
        fix: "Write `sourceFile` from the project root, or record from there.",
        before: "Missing, from the root" => "\"sourceFile\": \"machines/triage.dygram\"",
        after: "Found" => "\"sourceFile\": \"packages/shop/machines/triage.dygram\"",
    }
}

pub(super) fn judge(source: &SourceState) -> Option<Problem> {
    let now = source.found.present().filter(|now| !now.at_root)?;
    let file = source.file.as_deref().unwrap_or_default();
    let path = visible(&now.path);
    let message = format!(
        "{} is not there from the project root; above the recording there is {path}",
        quoted(file)
    );
    let mark = source.file_mark.unwrap_or_default();
    let problem = mark.problem(
        RuleId::SourcePathMismatch,
        "/sourceMetadata/sourceFile",
        message,
    );
    Some(problem.with_help(format!(
        "Write the path from the project root: \"sourceFile\": \"{path}\""
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{at_source, judged_with_help, present};
    use crate::ops::source::Found;

    #[test]
    fn the_path_to_write_is_told() {
        let found = |at_root| Found::Fresh(present("shop/machines/a.dygram", at_root));
        let items = [
            at_source("shop/a/turn-1.json", found(false)),
            at_source("shop/a/turn-2.json", found(true)),
        ];
        insta::assert_snapshot!(judged_with_help(RuleId::SourcePathMismatch, &items), @r#"
        shop/a/turn-1.json: warning 20:17 /sourceMetadata/sourceFile `machines/a.dygram` is not there from the project root; above the recording there is shop/machines/a.dygram
          Write the path from the project root: "sourceFile": "shop/machines/a.dygram"
        "#);
    }
}
