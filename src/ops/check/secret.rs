//! `secret`: a key, a token, a password or an address in a file.

use super::document::Findings;
use crate::format::{RuleId, Severity};
use crate::ops::secret::{Class, Own, scan};

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

pub(super) fn judge(own: &Own, findings: &mut Findings<'_>) {
    let tree = findings.tree();
    for marked in scan(tree, own) {
        let message = format!(
            "Holds what looks like {}: `{}`",
            marked.kind.name, marked.hint
        );
        let problem = findings.at_span(RuleId::Secret, marked.span, marked.node, message);
        if let Some(problem) = problem.filter(|_| marked.kind.class == Class::Address) {
            problem.severity = Severity::Note;
            problem.help =
                Some("Put an address of example.com in its place, if it is somebody's.".into());
        }
    }
}
