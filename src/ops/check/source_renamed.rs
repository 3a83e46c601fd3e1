//! `source-renamed`: the source goes by another name now.

use std::sync::Arc;

use super::project::{Project, short};
use crate::format::{Problem, RuleId};
use crate::ops::Item;
use crate::ops::diff::listed;
use crate::ops::source::{Present, SourceState};
use crate::text::{quoted, visible};

rule! {
    /// There is no source where `sourceFile` says, but the very text that was recorded stands in another file of the
    /// project. It was renamed or moved, and the recording still tests the machine it was made from.
    ///
    /// Where several files hold that text, which of them is meant is for a person to say.
    SourceRenamed {
        title: "The source was renamed",
        fix: "Write the new path into `sourceFile`, or stamp the recording anew.",
        before: "Its old name" => "\"sourceFile\": \"machines/triage.dygram\"",
        after: "Its new one" => "\"sourceFile\": \"machines/triage-ticket.dygram\"",
    }
}

pub(super) fn judge(
    item: &Item,
    source: &SourceState,
    now: &[Arc<Present>],
    project: &Project<'_>,
) -> Problem {
    let recorded = source.recorded_hash.as_deref().unwrap_or_default();
    let file = source.file.as_deref().unwrap_or_default();
    let paths: Vec<_> = now.iter().map(|present| visible(&present.path)).collect();
    let (stands, help) = match paths.as_slice() {
        [path] => (
            format!("its text stands in {path}"),
            format!("Write the new path: \"sourceFile\": \"{path}\""),
        ),
        paths => (
            format!("its text stands in {}", listed(paths)),
            "Choose one of them, and write its path into \"sourceFile\"".to_owned(),
        ),
    };
    let message = format!(
        "The source of {} was renamed: there is no {}, and {stands}; recorded hash {} ({})",
        quoted(item.label()),
        quoted(file),
        short(recorded),
        project.how_many(item, source)
    );
    let mark = source.file_mark.unwrap_or_default();
    mark.problem(RuleId::SourceRenamed, "/sourceMetadata/sourceFile", message)
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{at_source, judged_with_help, present};
    use crate::ops::source::Found;

    #[test]
    fn the_new_name_is_told_and_several_are_offered() {
        let renamed = |paths: &[&str]| {
            let now = paths.iter().map(|path| present(path, true)).collect();
            let items = [at_source("turn-1.json", Found::Renamed(now))];
            judged_with_help(RuleId::SourceRenamed, &items)
        };
        insta::assert_snapshot!(renamed(&["machines/b.dygram"]), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text stands in machines/b.dygram; recorded hash 777777777777 (the only recording in the project's root folder)
          Write the new path: "sourceFile": "machines/b.dygram"
        "#);
        insta::assert_snapshot!(renamed(&["machines/b.dygram", "old/a.dygram"]), @r#"
        turn-1.json: warning 20:17 /sourceMetadata/sourceFile The source of `turn-1.json` was renamed: there is no `machines/a.dygram`, and its text stands in machines/b.dygram and old/a.dygram; recorded hash 777777777777 (the only recording in the project's root folder)
          Choose one of them, and write its path into "sourceFile"
        "#);
    }
}
