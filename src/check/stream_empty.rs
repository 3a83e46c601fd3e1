//! `stream-empty`: a tape without text.

use crate::check_document::ProblemCollector;
use document::tape::Tape;
use document::{NodeKind, RuleId};

rule! {
    /// The tape's `stream` has no chunks, or only chunks without text. Playing it produces an empty answer.
    ///
    /// This may be intended: an empty answer can be worth a test. More often the call was interrupted during recording.
    StreamEmpty {
        title: "The tape has no text",
        fix: "Record the tape again, unless the test is about an empty answer.",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    let stream = findings.tree.root().and_then(|root| root.get("stream"));
    let Some(stream) = stream.filter(|stream| stream.kind() == NodeKind::Array) else { return };
    if tape.chunks.iter().any(|chunk| !chunk.text.is_empty()) {
        return;
    }
    let message = match tape.chunks.len() {
        0 => "The stream has no chunks".to_owned(),
        1 => "The only chunk of the stream has no text".to_owned(),
        chunks => format!("None of the {chunks} chunks of the stream has text"),
    };
    findings.add_at(RuleId::StreamEmpty, stream, message);
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, tape};
    use document::RuleId;

    #[test]
    fn a_tape_without_text_is_noted() {
        let judge = |stream: &str| {
            found(RuleId::StreamEmpty, "tape.json", &tape("m", "m", stream)).join("\n")
        };
        insta::assert_snapshot!(judge("[]"), @"note 3:11 /stream The stream has no chunks");
        insta::assert_snapshot!(judge(r#"[{ "delayNs": 1, "text": "" }, { "delayNs": 1, "text": "" }]"#), @"note 3:11 /stream None of the 2 chunks of the stream has text");
        assert_eq!(judge(r#"[{ "delayNs": 1, "text": " " }]"#), "");
    }
}
