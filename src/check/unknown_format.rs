//! `unknown-format`: a file of an unknown format in a folder of known files, or one that the user names.

use super::project::ProjectIndex;
use crate::check_document::ProblemCollector;
use calls::item::{BASELINE_FILE_NAME, SETTINGS_FILE_NAME};
use document::foreign::Foreign;
use document::shapes::of_request;
use document::text::Span;
use document::{FileKind, Problem, RuleId};

rule! {
    /// The file is JSON or YAML in a format that Retake does not read, in a folder with files that it reads, or named by you.
    ///
    /// Players load every `*.json` file of a folder, including this one. Unknown files in other folders are not reported. Replays of MCP
    /// servers, which Retake does not read yet, are named only if you name the file.
    UnknownFormat {
        title: "The format of the file is unknown",
        fix: "If it is a recording of your own recorder, describe its format in retake.toml with [[format]]; otherwise move the file to another folder, or exclude it there.",
    }
}

/// Names a file with calls that are not read.
pub(super) fn judge(foreign: &Foreign, findings: &mut ProblemCollector<'_>) {
    if !foreign.format.is_recording() {
        return;
    }
    let message = format!(
        "The file is {}, which Retake does not read yet: its calls are not checked",
        foreign.describe()
    );
    if let Some(problem) = findings.add_at_bytes(RuleId::UnknownFormat, Span::empty(0), "", message)
    {
        problem.help = Some(HELP.into());
    }
}

/// Names a file that is a request to a model and nothing else, whose answer is in another file.
pub(super) fn judge_request(findings: &mut ProblemCollector<'_>) {
    let Some(root) = findings.document.tree.root() else { return };
    if of_request(root).is_none() || findings.document.format.is_some() {
        return;
    }
    let message = "The file is a request to a model without its answer: Retake reads a call only where both are in one file";
    if let Some(problem) = findings.add_at(RuleId::UnknownFormat, root, message) {
        problem.help = Some(
            "Record the request and its answer into one file, or exclude the file in retake.toml."
                .into(),
        );
    }
}

const HELP: &str = "Leave the file to its own program.";

/// The same for several files.
pub(super) const MANY_HELP: &str = "Leave the files to their own program.";

/// Unknown files are items only beside known ones, or where they are named.
pub(super) fn judge_project(project: &ProjectIndex<'_>, findings: &mut Vec<(usize, Problem)>) {
    for (index, item) in &project.items {
        let mut rules = item.problems.iter().map(|problem| problem.rule);
        let is_reported = rules.any(|rule| rule.hides_content() || rule == RuleId::UnknownFormat);
        // Retake's settings and baseline are no fixtures, and belong in a project.
        let is_ours =
            *item.root_path() == *SETTINGS_FILE_NAME || item.file_name() == BASELINE_FILE_NAME;
        if item.kind == FileKind::Unknown && !is_reported && !is_ours {
            let message = "The file is not a fixture that Retake reads: no recording, cassette, session, tape, seeds or any other known format";
            findings.push((*index, Problem::whole_file(RuleId::UnknownFormat, message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{found, project, recording};

    #[test]
    fn a_request_whose_answer_is_in_another_file_is_named_as_one() {
        let lines = |text: &str| found(RuleId::UnknownFormat, "fixtures/a.json", text).join("\n");
        let request = r#"{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}"#;
        insta::assert_snapshot!(lines(request), @"note 1:1  The file is a request to a model without its answer: Retake reads a call only where both are in one file");
        let answer = r#"{"choices": [{"message": {"role": "assistant", "content": "a"}}]}"#;
        assert_eq!(lines(answer), "");
    }

    #[test]
    fn only_when_it_could_be_read() {
        let files = [
            ("a/turn-1.json", recording("{}", "[]", "[]", "")),
            ("a/other.json", "{ \"any\": 1 }".to_owned()),
            ("a/broken.json", "{ \"any\": ".to_owned()),
        ];
        insta::assert_snapshot!(project(RuleId::UnknownFormat, &files), @"a/other.json: note 1:1  The file is not a fixture that Retake reads: no recording, cassette, session, tape, seeds or any other known format");
    }
}
