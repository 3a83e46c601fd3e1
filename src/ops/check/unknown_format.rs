//! `unknown-format`: a file of an unknown format in a folder of known files, or one that the user names.

use super::document::ProblemCollector;
use super::project::ProjectIndex;
use crate::format::foreign::unread_kind;
use crate::format::{Document, FileKind, Problem, RuleId};
use crate::ops::item::{BASELINE_FILE_NAME, SETTINGS_FILE_NAME};
use crate::ops::secret::GITLEAKS_FILE_NAME;
use crate::text::Span;

rule! {
    /// The file is JSON or YAML in a format that Retake does not read, in a folder with files that it reads, or named by you.
    ///
    /// Players load every `*.json` file of a folder, including this one. Unknown files in other folders are not reported. Files with
    /// calls that Retake does not read yet are named: mocks of httpmock, recordings of llama-stack and of the Azure test proxy, replays of
    /// MCP servers.
    UnknownFormat {
        title: "The format of the file is unknown",
        fix: "Move the file to another folder if it is not a recording; if it is one, check which fields are missing.",
    }
}

/// Names a file with calls that are not read.
pub(super) fn judge(document: &Document, findings: &mut ProblemCollector<'_>) {
    if let Some(kind) = unread_kind(document) {
        let message = format!(
            "The file is {kind}, which Retake does not read yet: its calls are not checked"
        );
        if let Some(problem) =
            findings.add_at_bytes(RuleId::UnknownFormat, Span::empty(0), "", message)
        {
            problem.help = Some("Leave the file to its own program.".into());
        }
    }
}

/// Unknown files are items only beside known ones, or where they are named.
pub(super) fn judge_project(project: &ProjectIndex<'_>, found: &mut Vec<(usize, Problem)>) {
    for (index, item) in project.items() {
        let mut rules = item.problems.iter().map(|problem| problem.rule);
        let is_reported = rules.any(|rule| rule.hides_content() || rule == RuleId::UnknownFormat);
        let is_ours = [SETTINGS_FILE_NAME, GITLEAKS_FILE_NAME].contains(&&*item.root_path)
            || item.file_name() == BASELINE_FILE_NAME;
        if item.kind == FileKind::Unknown && !is_reported && !is_ours {
            let message = "The file is not a fixture that Retake reads: no recording, cassette, session, tape, seeds or any other known format";
            found.push((*index, Problem::whole_file(RuleId::UnknownFormat, message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{project, recording};

    #[test]
    fn only_when_it_could_be_read() {
        let files = [
            ("a/turn-1.json", recording("{}", "[]", "[]", "")),
            ("a/other.json", "{ \"any\": 1 }".to_owned()),
            ("a/broken.json", "{ \"any\": ".to_owned()),
        ];
        insta::assert_snapshot!(project(RuleId::UnknownFormat, &files), @"a/other.json: note 1:1  The file is not a fixture that Retake reads: no recording, cassette, session, tape, seeds or any other known format");
    }

    #[test]
    fn files_with_calls_that_are_not_read_are_named() {
        use crate::ops::check::{CheckFacts, check_document};
        use crate::text::Source;
        let named = |name: &str, text: &str| {
            let document = crate::format::read(Source::new(text), name);
            let problems = check_document(&document, &CheckFacts::default());
            let messages: Vec<&str> = problems.iter().map(|problem| &*problem.message).collect();
            let text = messages.join("|");
            text.replace(
                ", which Retake does not read yet: its calls are not checked",
                "",
            )
        };
        let cases = [
            (
                "a.json",
                r#"{"Entries": [{"RequestUri": "https://a", "StatusCode": 200}], "Variables": {}}"#,
                "The file is a recording of the Azure test proxy",
            ),
            (
                "a.yaml",
                "when:\n  path: /v1/messages\nthen:\n  status: 200\n",
                "The file is a mock of httpmock",
            ),
            (
                "a.json",
                r#"{"request": {"url": "u", "endpoint": "/v1/chat"}, "response": {"body": {"__type__": "x"}}}"#,
                "The file is a recording of llama-stack",
            ),
            (
                "time",
                "STDIN: {\"jsonrpc\":\"2.0\"}\nSTDERR: a\nSTDOUT: {\"id\":1}\nSTDOUT: {\"id\":2}\n",
                "The file is a replay of an MCP server",
            ),
            ("a.json", r#"{"Entries": [1]}"#, ""),
            (
                "a.yaml",
                "when:\n  path: /v1/messages\nthen:\n  status: 200\n---\nwhen:\n  path: /b\nthen:\n  status: 200\n",
                "The file is a mock of httpmock",
            ),
            ("a.yaml", "when: now\nthen: later\n", ""),
            ("a.yaml", "STDIN_FILE: a\n", ""),
        ];
        for (name, text, wanted) in cases {
            assert_eq!(named(name, text), wanted, "{text}");
        }
    }
}
