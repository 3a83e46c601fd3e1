//! `delay-lost`: fractions of a millisecond that players drop.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::tape::Tape;
use document::text::count;

rule! {
    /// A player waits whole milliseconds before each chunk and drops the rest of each delay. A tape with many short delays
    /// plays faster than it was recorded; if all delays are shorter than a millisecond, it plays without any delay.
    ///
    /// This matters only to tests of what happens while an answer streams.
    DelayLost {
        title: "Players drop a part of the delays",
        fix: "No change is necessary unless the test is about timing; then use whole milliseconds, such as 2000000.",
        before: "Waits 1 ms" => "{ \"delayNs\": 1999999, \"text\": \"…\" }",
        after: "Waits 2 ms" => "{ \"delayNs\": 2000000, \"text\": \"…\" }",
    }
}

/// A millisecond, in the unit of delays.
const NANOS_PER_MILLISECOND: f64 = 1e6;

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    let stream = findings.tree.root().and_then(|root| root.get("stream"));
    let rests = tape.chunks.iter().map(|chunk| chunk.delay_nanos % NANOS_PER_MILLISECOND);
    let losses = rests.filter(|nanos| *nanos > 0.0);
    let (chunks, nanos) = losses.fold((0, 0.0), |(chunks, sum), nanos| (chunks + 1, sum + nanos));
    let Some(stream) = stream.filter(|_| chunks > 0) else { return };
    let total_nanos: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    let message = format!(
        "Players drop what is less than a millisecond: {} of {} ms, in {} of {}",
        millis(nanos),
        millis(total_nanos),
        chunks,
        count(tape.chunks.len(), "chunk")
    );
    findings.add_at(RuleId::DelayLost, stream, message);
}

/// Formats nanoseconds as milliseconds with at most three decimals, and at least `0.001`.
fn millis(nanos: f64) -> String {
    // A loss that is reported must not read as 0.
    let decimals = format!("{:.3}", (nanos / NANOS_PER_MILLISECOND).max(0.001));
    decimals.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, tape};
    use document::RuleId;

    #[test]
    fn what_all_chunks_lose_is_reported_once() {
        let judge = |delays: &[&str]| {
            let chunk = |delay: &&str| format!(r#"{{ "delayNs": {delay}, "text": "a" }}"#);
            let stream: Vec<String> = delays.iter().map(chunk).collect();
            let text = tape("m", "m", &format!("[{}]", stream.join(", ")));
            found(RuleId::DelayLost, "tape.json", &text).join("\n")
        };
        insta::assert_snapshot!(judge(&["1999999", "2e6", "500000.5", "0"]), @"note 3:11 /stream Players drop what is less than a millisecond: 1.5 of 4.5 ms, in 2 of 4 chunks");
        insta::assert_snapshot!(judge(&["1.5"]), @"note 3:11 /stream Players drop what is less than a millisecond: 0.001 of 0.001 ms, in 1 of 1 chunk");
        assert_eq!(judge(&["0", "2000000", "-5", "1e400"]), "");
    }
}
