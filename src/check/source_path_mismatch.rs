//! `source-path-mismatch`: a source path that is not relative to the project root.

use super::project::JudgedSource;
use document::text::{quoted, visible};
use document::{Problem, RuleId};

rule! {
    /// The path in `sourceFile` does not exist below the project root; the source was found relative to a folder above the
    /// recording. The recording was made in a different working directory than the root.
    ///
    /// DyGram runs in the root and does not search other folders, so it does not find the source.
    SourcePathMismatch {
        title: "The source path is not relative to the root",
        fix: "Write `sourceFile` relative to the project root, or record in the root folder.",
        before: "Not found from the root" => "\"sourceFile\": \"machines/triage.dygram\"",
        after: "Found" => "\"sourceFile\": \"packages/shop/machines/triage.dygram\"",
    }
}

pub(super) fn judge(judged_source: JudgedSource<'_>) -> Option<Problem> {
    let path = visible(&judged_source.source.found.present().filter(|s| !s.at_root)?.path);
    let message = format!(
        "{} does not exist below the project root, but above the recording there is {path}",
        quoted(judged_source.file())
    );
    let help = format!("Write the path relative to the project root: \"sourceFile\": \"{path}\"");
    Some(judged_source.problem_at_file(RuleId::SourcePathMismatch, message).with_help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_source, judged_with_help, present};
    use calls::source::SourceFinding;

    #[test]
    fn the_path_to_write_is_reported() {
        let finding = |at_root| SourceFinding::Fresh(present("shop/machines/a.dygram", at_root));
        let items = [
            at_source("shop/a/turn-1.json", finding(false)),
            at_source("shop/a/turn-2.json", finding(true)),
        ];
        insta::assert_snapshot!(judged_with_help(RuleId::SourcePathMismatch, &items), @r#"
        shop/a/turn-1.json: warning 20:17 /sourceMetadata/sourceFile `machines/a.dygram` does not exist below the project root, but above the recording there is shop/machines/a.dygram
          Write the path relative to the project root: "sourceFile": "shop/machines/a.dygram"
        "#);
    }
}
