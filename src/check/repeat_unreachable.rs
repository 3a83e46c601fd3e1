//! `repeat-unreachable`: a call of a cassette is never played, because an earlier one always answers.

use crate::check_document::ProblemCollector;
use document::RuleId;
use play::client::CallGroups;

rule! {
    /// With `allow_playback_repeats`, vcrpy answers each request with the first call that matches, however often it was played.
    /// A later call that is equal in all that is compared is never played, even if it has another answer: the test gets the same
    /// answer again and again, and may still pass.
    ///
    /// The setting is read where it is a literal, in `retake.toml` or at the test. go-vcr has it as `ReplayableInteractions`,
    /// which only `retake.toml` can state.
    RepeatUnreachable {
        title: "A recorded call is never played",
        fix: "Delete the call, compare more (`match_on` with `body`), or remove `allow_playback_repeats`.",
        before: "The first always answers" => "allow_playback_repeats=True\n…\nuri: https://api.openai.com/v1/responses\n…\nuri: https://api.openai.com/v1/responses",
        after: "Each answers once" => "allow_playback_repeats=False",
    }
}

pub(super) fn judge(calls: &CallGroups<'_>, findings: &mut ProblemCollector<'_>) {
    let Some(origin) = calls.repeats else { return };
    for group in &calls.groups {
        let [(first, _), rest @ ..] = &group[..] else { continue };
        for (number, call) in rest {
            let message = format!(
                "Call {number} is never played: {} always answers with call {first}, which is equal in {}; repeats are allowed ({origin})",
                calls.client.as_str(),
                calls.compared
            );
            findings.add_at(RuleId::RepeatUnreachable, call.node, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, with_facts};
    use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};
    use document::cassette::CassetteClient;

    const CALLS: &str = "interactions:
- request: {method: GET, uri: 'http://a.example/', body: a, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '1'}}
- request: {method: GET, uri: 'http://b.example/', body: a, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '1'}}
- request: {method: GET, uri: 'http://a.example/', body: b, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '2'}}
- request: {method: GET, uri: 'http://a.example/', body: a, headers: {}}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '1'}}
version: 1
";

    fn reported(change: impl FnOnce(&mut CassetteFacts)) -> String {
        let origin = |line| ConfigOrigin { path: "conftest.py".into(), line };
        let mut cassette = CassetteFacts {
            repeats: Some(origin(5)),
            match_on: Some(ConfigTexts {
                key: "match_on".into(),
                texts: Some(vec!["uri".into()]),
                origin: origin(4),
            }),
            ..CassetteFacts::default()
        };
        change(&mut cassette);
        let facts = CheckFacts { cassette, ..CheckFacts::default() };
        let problems = with_facts("a.yaml", CALLS, &facts);
        let rules = [RuleId::CallAmbiguous, RuleId::RepeatUnreachable];
        rules.map(|rule| shown(rule, &problems)).concat().join("\n")
    }

    #[test]
    fn later_calls_are_never_played_and_their_order_decides_nothing() {
        insta::assert_snapshot!(reported(|_| ()), @"
        warning 6:3 /interactions/2 Call 3 is never played: vcrpy always answers with call 1, which is equal in uri (conftest.py:4); repeats are allowed (conftest.py:5)
        warning 8:3 /interactions/3 Call 4 is never played: vcrpy always answers with call 1, which is equal in uri (conftest.py:4); repeats are allowed (conftest.py:5)
        ");
        insta::assert_snapshot!(reported(|set| set.match_on = None), @"
        warning 6:3 /interactions/2 Call 3 is never played: vcrpy always answers with call 1, which is equal in method, scheme, host, port, path and query; repeats are allowed (conftest.py:5)
        warning 8:3 /interactions/3 Call 4 is never played: vcrpy always answers with call 1, which is equal in method, scheme, host, port, path and query; repeats are allowed (conftest.py:5)
        ");
        insta::assert_snapshot!(reported(|set| set.repeats = None), @"warning 2:3 /interactions/0 vcrpy cannot distinguish calls 1, 3 and 4: it compares uri (conftest.py:4), and their answers differ");
    }

    #[test]
    fn a_program_that_goes_on_with_the_next_call_is_not_reported() {
        insta::assert_snapshot!(reported(|set| {
            let (_, origin) = (set.match_on.take(), set.repeats.clone());
            set.client = origin.map(|origin| (CassetteClient::Cassetter, origin));
        }), @"warning 2:3 /interactions/0 cassetter cannot distinguish calls 1, 3 and 4: it compares method and address, and their answers differ");
    }

    #[test]
    fn a_call_that_is_never_loaded_answers_nothing() {
        insta::assert_snapshot!(reported(|set| {
            let mut ignored = set.match_on.take();
            if let Some(ignored) = &mut ignored {
                ignored.texts = Some(vec!["a.example".into()]);
            }
            set.ignored.extend(ignored);
        }), @"");
    }
}
