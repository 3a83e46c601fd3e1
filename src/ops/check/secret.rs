//! `secret`: a key, a token, a password or an address in a file.

use super::document::Findings;
use crate::format::tape::Tape;
use crate::format::{Body, Document, Node, RuleId, Severity};
use crate::ops::secret::{Class, Found, Kind, Mask, Own, find, hint, scan};
use crate::ops::tape::text::TapeText;
use crate::text::Span;

rule! {
    /// A text holds what looks like a key, a token or a password. Fixtures are committed and shared: whoever may read the
    /// repository, now or later, may use it.
    ///
    /// Such things are told by the forms that their issuers publish, or by a name such as `password` or `api_key`; hashes,
    /// UUIDs, images and signatures are none. An e-mail address is told as a note. What else is a secret in a project,
    /// and what is none although it looks like one, is said under `[secrets]` in its `retake.toml`.
    Secret {
        title: "The text holds a secret",
        fix: "Take the secret back where it was issued, since it has been written down, and put a word in its place.",
        before: "Readable by all" => "\"authorization\": \"Bearer b7Zk03…\"",
        after: "Redacted" => "\"authorization\": \"Bearer [redacted-bearer-token-1]\"",
    }
}

/// Judges a document, and answers with the secrets that were found in it.
pub(super) fn judge(document: &Document, own: &Own, findings: &mut Findings<'_>) -> Mask {
    let mut mask = Mask::default();
    let marked = scan(&document.tree, own);
    for one in &marked {
        let (name, hint) = (one.kind.name, &one.hint);
        let message = format!("Holds what looks like {name}: `{hint}`");
        report(one.kind, one.span, one.node, message, findings);
        mask.add(one.kind, &one.text);
    }
    if let Body::Tape(tape) = &document.body {
        judge_chunks(document, tape, own, findings, &mut mask);
    }
    mask
}

/// Finds what stands in no chunk of a tape alone, but in several together.
fn judge_chunks(
    document: &Document,
    tape: &Tape,
    own: &Own,
    findings: &mut Findings<'_>,
    mask: &mut Mask,
) {
    let text = TapeText::of(tape);
    for Found { kind, range } in find(text.text(), own) {
        let chunks = text.chunks_of(range.clone());
        let secret = &text.text()[range];
        let node = tape.chunks.get(chunks.start).map(|first| first.node);
        let node = node.and_then(|first| document.node(first).get("text"));
        let (Some(node), 2..) = (node, chunks.len()) else {
            continue;
        };
        let hint = hint(kind, secret);
        let message = format!(
            "Holds what looks like {}, cut into {} chunks: `{hint}`",
            kind.name,
            chunks.len()
        );
        report(kind, node.span(), node, message, findings);
        mask.add(kind, secret);
    }
}

fn report(kind: Kind, span: Span, node: Node<'_>, message: String, findings: &mut Findings<'_>) {
    let problem = findings.at_span(RuleId::Secret, span, node, message);
    if let Some(problem) = problem.filter(|_| kind.class == Class::Address) {
        problem.severity = Severity::Note;
        problem.help =
            Some("Put an address of example.com in its place, if it is somebody's.".into());
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, project, recording, with_facts};

    /// A key as its issuer writes it, put together here so that no whole one stands in this file.
    fn token() -> String {
        format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2))
    }

    #[test]
    fn a_token_that_is_cut_into_chunks_of_a_tape_is_found_once() {
        let token = token();
        let (first, rest) = token.split_at(20);
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {{"model": "m", "contents": ""}}, "stream": [
            {{"delayNs": 1, "text": "Use {first}"}}, {{"delayNs": 1, "text": "{rest}."}}, {{"delayNs": 1, "text": " Or {token}."}}]}}"#
        );
        insta::assert_snapshot!(found(RuleId::Secret, "tape.json", &tape).join("\n"), @"
        warning 2:36 /stream/0/text Holds what looks like a GitHub token, cut into 2 chunks: `ghp_…`
        warning 2:146 /stream/2/text Holds what looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn no_message_about_a_file_shows_a_secret_of_it() {
        let token = token();
        let texts = [
            // As a key twice, and as a value without quotes.
            format!(
                r#"{{"request": {{"messages": [], "tools": [], "{token}": 1, "{token}": 2, "a": {token}}}, "response": {{}}}}"#
            ),
            format!(
                "id: a\ninput: b\n{token}: 1\n{token}: 2\nname: [1]\ntool_responses:\n- tool: t\n  response: [{token}]\n"
            ),
            "password: \"abc-7rX!\"\ninput: 3\nid: b\ncontract: [abc-7rX!]\ntool_responses: \"abc-7rX!\"\n".to_owned(),
            format!(
                r#"{{"request": {{"messages": [], "tools": [{{"name": "b"}}], "context": {{"{token}": 1}}}},
                "response": {{"response": {{"content": [{{"type": "tool_use", "name": "{token}", "input": {{}}}}]}}}},
                "signature": {{"toolNames": ["{token}"], "messageCount": 0, "contextKeys": []}}}}"#
            ),
        ];
        for (name, text) in ["a.json", "a.yaml", "a.yaml", "a.json"].iter().zip(texts) {
            let problems = with_facts(name, &text, &Default::default());
            assert!(problems.iter().any(|it| it.rule == RuleId::Secret));
            assert!(
                problems.iter().any(|it| it.rule != RuleId::Secret),
                "{problems:?}"
            );
            let said = format!("{problems:?}");
            assert!(
                !said.contains(&token[4..14]) && !said.contains("abc-7rX"),
                "{said}"
            );
        }
    }

    #[test]
    fn no_message_about_files_together_shows_a_secret_of_one() {
        let token = token();
        let tools = format!(r#"[{{"name": "{token}"}}]"#);
        let file = recording("{}", "[]", &tools, "");
        let said = project(
            RuleId::SignatureShared,
            &[("a/turn-1.json", file.clone()), ("a/turn-2.json", file)],
        );
        assert!(
            said.contains("note") && !said.contains(&token[4..14]),
            "{said}"
        );
    }
}
