//! `source-outside`: a source that is not ours to read.

use crate::format::{Problem, RuleId};
use crate::ops::source::SourceState;
use crate::text::{quoted, visible};

rule! {
    /// The recording names a source outside the project root: by `..`, by an absolute path, a drive letter, a backslash, or
    /// over a link that leads out. It was not read.
    ///
    /// What a file from elsewhere points to must not make a tool read the rest of a disk. On another machine such a path
    /// leads nowhere anyhow.
    SourceOutside {
        title: "The source lies outside the project root",
        fix: "Write the path from the project root, with `/`; or name a wider root with `--root`.",
        before: "Not read" => "\"sourceFile\": \"../shop/machines/triage.dygram\"",
        after: "Compared" => "\"sourceFile\": \"machines/triage.dygram\"",
    }
}

pub(super) fn judge(source: &SourceState, why: &str) -> Problem {
    let file = source.file.as_deref().unwrap_or_default();
    let message = format!("{} was not read: {}", quoted(file), visible(why));
    let mark = source.file_mark.unwrap_or_default();
    mark.problem(RuleId::SourceOutside, "/sourceMetadata/sourceFile", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{at_source, judged};
    use crate::ops::source::Found;

    #[test]
    fn the_reason_is_told() {
        let items = [at_source(
            "a/turn-1.json",
            Found::Outside("`..` leads out of the project root".into()),
        )];
        insta::assert_snapshot!(judged(RuleId::SourceOutside, &items), @"a/turn-1.json: warning 20:17 /sourceMetadata/sourceFile `machines/a.dygram` was not read: `..` leads out of the project root");
    }
}
