//! `expired`: a call was recorded too long ago.

use crate::check_document::ProblemCollector;
use calls::cassette_config::MaxAge;
use document::RuleId;
use document::text::counted;
use document::time::recorded_at;

rule! {
    /// A call was recorded more days ago than `max_age_days` in `[cassettes]` of `retake.toml` allows. The model may answer otherwise
    /// now, and the test does not show it.
    ///
    /// The time is the one that the cassette has for the call, else the header `date` of the response. A call with neither has no
    /// age. Without the setting nothing is reported.
    Expired {
        title: "A call was recorded too long ago",
        fix: "Record the cassette again.",
        before: "max_age_days = 180" => "date:\n- Mon, 06 Jan 2025 09:00:00 GMT",
        after: "Recorded again" => "date:\n- Mon, 05 Jan 2026 09:00:00 GMT",
    }
}

pub(super) fn judge(max_age: &MaxAge, findings: &mut ProblemCollector<'_>) {
    let calls = (1..).zip(findings.calls);
    let dated_calls = calls.filter_map(|(number, call)| Some((recorded_at(call)?, number, call)));
    // The oldest call is enough: a cassette is recorded again as a whole.
    let Some((time, number, call)) = dated_calls.min_by_key(|(time, _, _)| *time) else { return };
    // Whole days since 1970, in which the limit is given.
    if time.as_second().div_euclid(86_400) < i64::from(max_age.earliest) {
        let message = format!(
            "Call {number} was recorded on {}; at most {} are allowed ({})",
            time.strftime("%Y-%m-%d"),
            counted(max_age.days as usize, "day", "days"),
            max_age.origin
        );
        findings.add_at(RuleId::Expired, findings.document.node(call.node), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, with_facts};
    use calls::cassette_config::{CassetteFacts, ConfigOrigin};

    #[test]
    fn the_oldest_call_is_reported() {
        let report_of = |earliest| {
            let facts = CheckFacts {
                cassette: CassetteFacts {
                    max_age: Some(MaxAge {
                        days: 180,
                        origin: ConfigOrigin { path: "retake.toml".into(), line: 2 },
                        earliest,
                    }),
                    ..CassetteFacts::default()
                },
                ..CheckFacts::default()
            };
            let call = |date: &str| {
                format!(
                    "- request: {{method: GET, uri: 'http://a.example/', body: null, headers: {{}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{{date}}}, body: {{string: ''}}}}\n"
                )
            };
            let dates = [
                "",
                "Date: ['Tue, 07 Jan 2025 09:00:00 GMT']",
                "date: ['Mon, 06 Jan 2025 09:00:00 GMT']",
            ];
            let text = format!("interactions:\n{}version: 1\n", dates.map(call).concat());
            let problems = with_facts("a.yaml", &text, &facts);
            shown(RuleId::Expired, &problems).join("\n")
        };
        // 2025-01-06 is day 20,094.
        assert_eq!(report_of(20_094), "");
        insta::assert_snapshot!(report_of(20_095), @"warning 6:3 /interactions/2 Call 3 was recorded on 2025-01-06; at most 180 days are allowed (retake.toml:2)");
    }
}
