//! `delay-invalid`: the delay of a chunk is missing or is not a valid time.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::tape::Tape;
use document::text::quoted;

rule! {
    /// A chunk's `delayNs` is missing, negative, infinite, or not a number. It is the time to wait before the chunk, in
    /// nanoseconds since the chunk before it; fractions are allowed.
    ///
    /// Recorders reject such a tape. A player that accepts it would not wait at all, or would wait forever.
    DelayInvalid {
        title: "The delay is invalid",
        fix: "Write the delay as a number of nanoseconds, 0 or more.",
        before: "Refused" => "{ \"delayNs\": \"150ms\", \"text\": \"…\" }",
        after: "Waits 150 ms" => "{ \"delayNs\": 150000000, \"text\": \"…\" }",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    for chunk in &tape.chunks {
        let Some(delay) = chunk.delay else {
            let chunk = findings.tree.node(chunk.node);
            findings.add_at(RuleId::DelayInvalid, chunk, "The chunk has no `delayNs`");
            continue;
        };
        let delay = findings.tree.node(delay);
        let fault = match delay.as_f64() {
            None => format!("is {}, not a number", delay.kind().name()),
            Some(nanos) if nanos.is_nan() => "is not a number".to_owned(),
            Some(nanos) if nanos.is_infinite() => {
                format!("is {}, which is read as infinite", quoted(delay.raw()))
            }
            Some(nanos) if nanos < 0.0 => format!("is {}, less than 0", quoted(delay.raw())),
            Some(_) => continue,
        };
        findings.add_at(RuleId::DelayInvalid, delay, format!("`delayNs` {fault}"));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, tape};
    use document::RuleId;

    #[test]
    fn only_finite_numbers_from_zero_on_are_delays() {
        let stream = r#"[
  { "delayNs": 0, "text": "a" }, { "delayNs": -0, "text": "a" }, { "delayNs": 0.5, "text": "a" }, { "delayNs": 8e6, "text": "a" },
  { "delayNs": -1, "text": "a" },
  { "delayNs": 1e400, "text": "a" },
  { "delayNs": "5", "text": "a" },
  { "delayNs": null, "text": "a" },
  { "text": "a" }
]"#;
        insta::assert_snapshot!(found(RuleId::DelayInvalid, "tape.json", &tape("m", "m", stream)).join("\n"), @"
        error 5:16 /stream/4/delayNs `delayNs` is `-1`, less than 0
        error 6:16 /stream/5/delayNs `delayNs` is `1e400`, which is read as infinite
        error 7:16 /stream/6/delayNs `delayNs` is a string, not a number
        error 8:16 /stream/7/delayNs `delayNs` is null, not a number
        error 9:3 /stream/8 The chunk has no `delayNs`
        ");
    }
}
