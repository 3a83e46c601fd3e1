//! Workflow commands of GitHub Actions, which show each problem beside its line in a pull request.
//!
//! `::error file=…,line=…,col=…,title=…::message`; characters that would end a value or a line are percent-encoded. GitHub
//! shows ten annotations of each level for each step; the log contains all.

use std::path::Path;

use super::report::{CheckReport, CheckedFile, help};
use crate::output::{guard_line, shown};
use check::rule;
use document::{Problem, Severity};

/// The commands, one on each line, and the summary. Paths are relative to `workspace`, the folder of the checkout.
pub(super) fn text(report: &CheckReport, workspace: Option<&Path>) -> String {
    let mut text = String::new();
    for (file, problem) in report.problems() {
        text.push_str(&command(&path(file, workspace), problem));
        text.push('\n');
    }
    // A line of a log that begins with `::` would be a command.
    text.push_str(&guard_line(&report.summary.sentence()));
    text.push('\n');
    text
}

fn command(path: &str, problem: &Problem) -> String {
    let level = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = format!("{} ({})", rule(problem.rule).title, problem.rule);
    // An annotation has one text; the help is the part that a reader of a pull request needs.
    let lines = std::iter::once(&*problem.message).chain(help(problem).lines());
    let message: Vec<_> = lines.map(|line| shown(line)).collect();
    format!(
        "::{level} file={},line={},col={},title={}::{}",
        property(&shown(path)),
        problem.place.line,
        problem.place.column,
        property(&title),
        data(&message.join("\n"))
    )
}

/// The path of a file relative to the workspace, else to its project root.
fn path(file: &CheckedFile, workspace: Option<&Path>) -> String {
    let item = file.item;
    let from_workspace = || {
        let place = file.root?.join(item.root_path());
        // GitHub shows an annotation only at a path from the root of the checkout, which may be above the project.
        Some(place.strip_prefix(workspace?).ok()?.to_string_lossy().replace('\\', "/"))
    };
    from_workspace().unwrap_or_else(|| item.root_path().to_string())
}

fn data(text: &str) -> String {
    // The percent sign first, or the others would be encoded twice.
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::testing::{items, report};

    #[test]
    fn what_would_end_a_value_is_encoded() {
        insta::assert_snapshot!(text(&report(&items()), None), @r#"
        ::error file=fixtures/set/a%2C 50%25 <b>.json,line=3,col=7,title=The text does not parse (syntax)::Ends & "too" early\u{1b}%0AFix the text at the marked place, or record the file again if writing it was interrupted.
        ::warning file=fixtures/set/a%2C 50%25 <b>.json,line=9,col=2,title=The source has changed since the recording (source-stale)::The source has changed%0A1. Review: it%0A2. Regenerate
        ::error file=fixtures/set/a%2C 50%25 <b>.json,line=9,col=2,title=The delay is invalid (delay-invalid)::Is negative%0AWrite the delay as a number of nanoseconds, 0 or more.
        ::notice file=fixtures/ü.json,line=1,col=1,title=Several recordings have the same signature (signature-shared)::Is shared%0ANo change is necessary if the calls are made in the order of the file names; otherwise rename the files.
        2 errors, 1 warning, 1 note in 3 items (3 files)
        "#);
    }

    #[test]
    fn paths_are_relative_to_the_workspace_if_it_contains_the_root() {
        let items = items();
        let report = report(&items);
        let from = |workspace| path(&report.files[1], Some(Path::new(workspace)));
        assert_eq!(from("/home"), "a b/fixtures/set/b.json");
        assert_eq!(from("/other"), "fixtures/set/b.json");
    }
}
