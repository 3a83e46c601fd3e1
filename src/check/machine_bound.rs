//! `machine-bound`: a recording names the machine that it was made on.

use crate::check_document::ProblemCollector;
use author::redact::scan_machine;
use calls::decoded_view::MarkedSecret;
use document::text::some_and_others;
use document::{Node, RuleId, Severity};

rule! {
    /// What was sent or answered names one machine: the user in a path such as `/home/ada`, a temporary folder, the name of a computer, or
    /// the id of a process or a shell. On another machine the program sends something else. If the body is compared, no recorded call
    /// answers then; if not, an answer speaks of files that are not there.
    ///
    /// It is a warning where it was sent, and a note where it was only answered. Users and folders that are the same on many machines, such as
    /// `/home/runner` and `/tmp/out`, are not reported. Paths that a terminal has broken over two lines are.
    MachineBound {
        title: "The recording names the machine it was made on",
        fix: "Replace it with `retake redact --only machine`, and let the program send a relative path, or the same one on every machine.",
        before: "Sent on one machine only" => "\"path\": \"/home/ada/shop/a.py\"",
        after: "Sent everywhere" => "\"path\": \"/home/[redacted-machine-1]/shop/a.py\"",
    }
}

/// The most values that a message names.
const MAX_VALUES: usize = 3;

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let found = scan_machine(&findings.texts, &findings.facts.secrets);
    if found.is_empty() {
        return;
    }
    let answers = answer_spans(findings);
    let is_answer = |found: &&MarkedSecret<'_>| {
        answers.iter().any(|answer| answer.contains(&(found.span.start as usize)))
    };
    let (answered, sent): (Vec<_>, Vec<_>) = found.iter().partition(is_answer);
    for (values, side) in [(sent, "sent"), (answered, "answered")] {
        let Some(first) = values.first() else { continue };
        let names =
            values.iter().map(|v| format!("`{}` ({})", v.text.replace('\n', ""), v.kind.name));
        let message =
            format!("What is {side} names one machine: {}", some_and_others(names, MAX_VALUES));
        let pointer = first.node.map(Node::bounded_pointer).unwrap_or_default();
        let pointer = format!("{pointer}{}", first.place);
        let problem = findings.add_at_bytes(RuleId::MachineBound, first.span, pointer, message);
        if let Some(problem) = problem.filter(|_| side == "answered") {
            problem.severity = Severity::Note;
        }
    }
}

/// Returns where a document has what was answered.
fn answer_spans(findings: &ProblemCollector<'_>) -> Vec<std::ops::Range<usize>> {
    let http = findings.calls.iter().filter_map(|call| call.facts.http.as_ref());
    let bodies = http.filter_map(|http| Some(http.response_body.as_ref()?.node));
    let response = findings.document.tree.root().and_then(|root| root.get("response"));
    let nodes = bodies.map(|node| findings.document.node(node)).chain(response);
    nodes.map(|node| node.span().range()).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn the_values_of_a_file_are_one_problem_and_what_is_sent_counts_more() {
        let cassette = |sent: &str, answered: &str| {
            format!(
                "interactions:\n- request:\n    body: '{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{sent}\"}}]}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  response:\n    body:\n      string: '{{\"choices\":[{{\"message\":{{\"role\":\"assistant\",\"content\":\"{answered}\"}}}}]}}'\n    headers: {{}}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
            )
        };
        let lines = |sent: &str, answered: &str| {
            found(RuleId::MachineBound, "a.yaml", &cassette(sent, answered)).join("\n")
        };
        let text = lines("Read /home/ada/a.py and /home/ada/b.py", "On DESKTOP-4F7QK2M");
        insta::assert_snapshot!(text, @"
        warning 3:74 /interactions/0/request/body#/messages/0/content What is sent names one machine: `ada` (the name of a user in a path)
        note 9:73 /interactions/0/response/body/string#/choices/0/message/content What is answered names one machine: `DESKTOP-4F7QK2M` (the name of a computer)
        ");
        assert!(lines("Read a.py", "It is in /home/ada").starts_with("note 9:"));
        assert_eq!(lines("Read /home/runner/a.py", "Done"), "");
    }
}
