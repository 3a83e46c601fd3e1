//! `secret`: a key, a token, a password or an address in a file.

use super::account_notes;
use super::document::ProblemCollector;
use crate::format::tape::Tape;
use crate::format::{Document, DocumentBody, Node, RuleId, Severity};
use crate::ops::secret::{
    CustomPatterns, FoundSecret, MarkedSecret, Mask, SecretClass, SecretKind, find, hint, scan,
};
use crate::ops::tape::text::TapeText;
use crate::text::Span;

rule! {
    /// A text contains what looks like a key, a token or a password. Fixtures are committed and shared: everyone who can read
    /// the repository, now or later, can use it.
    ///
    /// Secrets are recognised by the formats that their issuers publish, or by a name such as `password` or `api_key`.
    /// Hashes, UUIDs, images and signatures are not secrets. An e-mail address is reported as a note. In cassettes, cookies are
    /// known by their names, also without a published format, and ids of accounts and organizations are notes; Base64, escapes and
    /// compressed bodies are decoded. In sessions, phone numbers, bank accounts, cards, street addresses and the values of fields such
    /// as `customer_name` are notes. To add patterns for
    /// other secrets, or to allow a text that only looks like a secret, use `[secrets]` in `retake.toml`.
    Secret {
        title: "The text contains a secret",
        fix: "Revoke the secret where it was issued, because it is stored in a file, and replace it with a placeholder.",
        before: "Readable by everyone" => "\"authorization\": \"Bearer b7Zk03…\"",
        after: "Redacted" => "\"authorization\": \"Bearer [redacted-bearer-token-1]\"",
    }
}

/// Checks a document and returns the secrets that were found in it.
pub(super) fn judge(
    document: &Document,
    own: &CustomPatterns,
    findings: &mut ProblemCollector<'_>,
) -> Mask {
    let mut mask = Mask::default();
    report_marked(&scan(&document.tree, own), findings, &mut mask);
    if let DocumentBody::Tape(tape) = &document.body {
        judge_chunks(document, tape, own, findings, &mut mask);
    }
    mask
}

/// Reports secrets that are readable in the file.
pub(super) fn report_marked(
    marked: &[MarkedSecret<'_>],
    findings: &mut ProblemCollector<'_>,
    mask: &mut Mask,
) {
    for one in marked {
        let (name, hint) = (one.kind.name, &one.hint);
        let message = format!("This looks like {name}: `{hint}`");
        report(one.kind, one.span, one.node, message, findings);
        mask.add(one.kind, &one.text);
    }
}

/// Finds secrets that are split over several chunks of a tape.
fn judge_chunks(
    document: &Document,
    tape: &Tape,
    own: &CustomPatterns,
    findings: &mut ProblemCollector<'_>,
    mask: &mut Mask,
) {
    let text = TapeText::new(tape);
    for FoundSecret { kind, range } in find(text.text(), own) {
        let chunks = text.chunks_of(range.clone());
        let secret = &text.text()[range];
        let node = tape.chunks.get(chunks.start).map(|first| first.node);
        let node = node.and_then(|first| document.node(first).get("text"));
        let (Some(node), 2..) = (node, chunks.len()) else {
            continue;
        };
        let hint = hint(kind, secret);
        let message = format!(
            "This looks like {}, split over {} chunks: `{hint}`",
            kind.name,
            chunks.len()
        );
        report(kind, node.span(), node, message, findings);
        mask.add(kind, secret);
    }
}

/// Adds a problem about a secret; those that give no access are notes.
pub(super) fn report_at(
    kind: SecretKind,
    span: Span,
    pointer: String,
    message: String,
    findings: &mut ProblemCollector<'_>,
) {
    let problem = findings.add_at_bytes(RuleId::Secret, span, pointer, message);
    let help = match kind.class {
        SecretClass::Key => return,
        SecretClass::Address => {
            "Replace it with an address of example.com if it belongs to a person."
        }
        SecretClass::Personal => "Replace it with `retake redact` if it belongs to a person.",
        SecretClass::Account => account_notes::HELP,
    };
    if let Some(problem) = problem {
        problem.severity = Severity::Note;
        problem.help = Some(help.into());
    }
}

fn report(
    kind: SecretKind,
    span: Span,
    node: Node<'_>,
    message: String,
    findings: &mut ProblemCollector<'_>,
) {
    report_at(kind, span, node.bounded_pointer(), message, findings);
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, project, recording, with_facts};

    /// Returns a key in the issuer's format, assembled at run time so that this file contains no complete key.
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
        warning 2:36 /stream/0/text This looks like a GitHub token, split over 2 chunks: `ghp_…`
        warning 2:146 /stream/2/text This looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn a_token_in_a_decoded_body_of_a_cassette_is_found_at_its_place_in_it() {
        let token = token();
        let body = base64::Engine::encode(
            &base64::prelude::BASE64_STANDARD,
            format!(r#"{{"a": [1, "{token}"]}}"#),
        );
        let cassette = format!(
            "interactions:\n- request:\n    body: a=b&c=%67hp_{}\n    headers:\n      content-type: [application/x-www-form-urlencoded]\n    method: POST\n    uri: https://a.example/?x=%67hp_{}\n  response:\n    body:\n      string: !!binary |\n        {body}\n    headers: {{}}\n    status: {{code: 200, message: OK}}\nversion: 1\n",
            &token[4..],
            &token[4..]
        );
        insta::assert_snapshot!(found(RuleId::Secret, "a.yaml", &cassette).join("\n"), @"
        warning 3:11 /interactions/0/request/body An escaped field contains what looks like a GitHub token: `ghp_…`
        warning 7:10 /interactions/0/request/uri An escaped field contains what looks like a GitHub token: `ghp_…`
        warning 10:24 /interactions/0/response/body/string#/a/1 The decoded body contains what looks like a GitHub token: `ghp_…`
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
            let shown = format!("{problems:?}");
            assert!(
                !shown.contains(&token[4..14]) && !shown.contains("abc-7rX"),
                "{shown}"
            );
        }
    }

    #[test]
    fn no_message_about_files_together_shows_a_secret_of_one() {
        let token = token();
        let tools = format!(r#"[{{"name": "{token}"}}]"#);
        let file = recording("{}", "[]", &tools, "");
        let shown = project(
            RuleId::SignatureShared,
            &[("a/turn-1.json", file.clone()), ("a/turn-2.json", file)],
        );
        assert!(
            shown.contains("note") && !shown.contains(&token[4..14]),
            "{shown}"
        );
    }
}
