//! `syntax`: found by the readers of JSON and YAML; of machines here.

use crate::check_document::ProblemCollector;
use document::text::Span;
use document::{RuleId, Severity, Syntax};
use machine::{Machine, ParseRecovery};

rule! {
    /// The text is not valid JSON (as `JSON.parse` accepts it) or YAML (as PyYAML's `safe_load` accepts it). The part before
    /// the error is still displayed. In a machine, a part that cannot be parsed is an error, and a missing end is a warning.
    ///
    /// DyGram's player prints a warning for such a recording and skips it, so every later recording in the folder is served one
    /// position earlier; clients of cassettes fail the test with the error of their parser. Recorders write files in place: a file that is being written looks like this for a moment.
    Syntax {
        title: "The text does not parse",
        fix: "Fix the text at the marked place, or record the file again if writing it was interrupted.",
        before: "Not loaded by players" => "{ \"request\": { \"messages\": [ … ]",
        after: "Loads" => "{ \"request\": { \"messages\": [ … ] } }",
    }
}

/// Checks the start of a recording, which `JSON.parse` reads.
pub(super) fn judge_start(findings: &mut ProblemCollector<'_>) {
    let tree = findings.tree;
    if tree.syntax() != Syntax::Json || !tree.source().has_bom() {
        return;
    }
    let message = "The file begins with a byte order mark, which DyGram's player refuses";
    if let Some(problem) = findings.add_at_bytes(RuleId::Syntax, Span::empty(0), "", message) {
        problem.help = Some("Save the file as UTF-8 without a byte order mark.".into());
    }
}

/// Checks the text of a machine.
pub(super) fn judge_machine(findings: &mut ProblemCollector<'_>) {
    let machine = Machine::read(findings.tree.source());
    for problem in &machine.problems {
        let new_problem =
            findings.add_at_bytes(RuleId::Syntax, problem.span, "", &*problem.message);
        if let (Some(new_problem), ParseRecovery::Unended) = (new_problem, problem.recovery) {
            new_problem.severity = Severity::Warning;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    #[test]
    fn a_file_that_was_cut_off_is_reported_at_its_end() {
        let text = "{ \"request\": {\n  \"messages\": [";
        let problems = found(RuleId::Syntax, "turn-1.json", text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("error 2:16"), "{problems:?}");
    }

    #[test]
    fn recordings_of_other_programs_are_reported_where_they_are_cut_off() {
        let request = r#"{"model": "m", "messages": [{"role": "user", "content": "a"}]}"#;
        let answer = r#"{"choices": [{"message": {"role": "assistant", "content": "b"}}]}"#;
        let call = format!(r#"{{"request": {request}, "response": {answer}}}"#);
        let (whole, half) = (call.as_str(), &call[..call.len() - 4]);
        let lines = |first: &str, second: &str| format!("{first}\n{second}\n{whole}\n");
        let har_entry = format!(
            r#"{{"request": {{"url": "https://a.example/", "method": "POST", "postData": {{"text": {}}}}}"#,
            document::json::quote(request)
        );
        let har = format!(r#"{{"log": {{"version": "1.2", "entries": [{har_entry}, "response": "#);
        let claude = r#"{"type": "user", "sessionId": "s", "message": {"role": "user"}}"#;
        let cases = [
            ("a.json", whole.to_owned(), ""),
            ("a.json", half.to_owned(), "error 1:151"),
            ("a.json", format!("{{\"calls\": [\n{whole},\n{half}"), "error 3:151"),
            ("a.json", format!("[{whole}, NaN]"), ""),
            ("a.har", har, "error 1:"),
            ("a.jsonl", lines(whole, whole), ""),
            ("a.jsonl", lines(half, whole), "error 1:151"),
            ("a.jsonl", lines(whole, half), "error 2:151"),
            ("a.jsonl", format!("{whole}\n{half}"), "error 2:151"),
            ("a.jsonl", lines("{\"a\": }", "{\"b\": }"), "error 1:2, error 2:2"),
            ("a.jsonl", half.to_owned(), "error 1:151"),
            ("a.jsonl", format!("{claude}\n{{\"type\": \n{claude}\n"), "error 2:"),
            ("a.yaml", format!("call:\n  {whole}\nother: [\n"), "error "),
        ];
        for (name, text, expected) in cases {
            let problems = found(RuleId::Syntax, &format!("recordings/{name}"), &text);
            let place = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
            let places: Vec<String> = problems.iter().map(place).collect();
            assert!(places.join(", ").starts_with(expected), "{name} {text}: {problems:?}");
            assert_eq!(places.is_empty(), expected.is_empty(), "{name} {text}: {problems:?}");
        }
    }

    #[test]
    fn a_recording_with_a_byte_order_mark_is_not_loaded() {
        let text = recording("{}", "[]", "[]", "");
        let problems = |name: &str, text: &str| found(RuleId::Syntax, name, text).join("\n");
        insta::assert_snapshot!(problems("turn-1.json", &format!("\u{feff}{text}")), @"error 1:1  The file begins with a byte order mark, which DyGram's player refuses");
        assert_eq!(problems("turn-1.json", &text), "");
        let session = "\u{feff}id: a\ninput: x\ntool_responses: []\n";
        assert_eq!(problems("a.yaml", session), "");
    }

    #[test]
    fn a_machine_is_read_in_its_own_language() {
        let problems = found(RuleId::Syntax, "machines/a.dygram", "task a {\n  a -> -> b;\n");
        assert_eq!(
            problems,
            [
                "warning 1:8  `{` without a `}` behind it",
                "error 2:8  Expected the name of a node, found `->`",
            ]
        );
        for name in ["a.dygram", "a.dy", "a.mach"] {
            assert_eq!(found(RuleId::Syntax, name, "task a; a -> b;"), [""; 0]);
        }
    }
}
