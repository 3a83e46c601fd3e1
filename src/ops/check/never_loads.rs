//! `never-loads`: a filter of the project drops a recorded call.

use super::address::AddressParts;
use super::document::ProblemCollector;
use crate::format::call::ModelCall;
use crate::format::{Document, RuleId};
use crate::ops::cassette_config::CassetteFacts;
use crate::text::visible;

rule! {
    /// The settings of the test drop the call when the cassette is loaded, because its host is ignored. The call of the test is sent
    /// over the network, in every record mode, and the recorded answer is never used.
    ///
    /// `ignore_hosts` and `ignore_localhost` are read where they are literals; functions such as `before_record_request` are not run.
    NeverLoads {
        title: "A recorded call is never loaded",
        fix: "Remove the host from the setting, or delete the call.",
        before: "Dropped" => "ignore_localhost=True\n…\nuri: http://localhost:8000/v1/chat",
        after: "Loaded" => "ignore_localhost=False\n…\nuri: http://localhost:8000/v1/chat",
    }
}

pub(super) fn judge(
    document: &Document,
    set: &CassetteFacts,
    calls: &[ModelCall<'_>],
    findings: &mut ProblemCollector<'_>,
) {
    for (number, call) in (1..).zip(calls) {
        let Some(http) = call.facts.http.as_ref() else {
            continue;
        };
        let host = AddressParts::parse(&http.url).host;
        if let Some(setting) = set.ignoring(&host) {
            let message = format!(
                "Call {number} is never loaded: {} ignores {} ({})",
                setting.key,
                visible(&host),
                setting.origin
            );
            findings.add_at(RuleId::NeverLoads, document.node(call.node), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::cassette_config::{ConfigOrigin, ConfigTexts};
    use crate::ops::check::CheckFacts;
    use crate::ops::check::testing::{shown, with_facts};

    #[test]
    fn a_call_of_an_ignored_host_is_reported() {
        let setting = |key: &str, hosts: Option<&[&str]>| ConfigTexts {
            key: key.into(),
            texts: hosts.map(|hosts| hosts.iter().map(|host| Box::from(*host)).collect()),
            origin: ConfigOrigin {
                path: "conftest.py".into(),
                line: 7,
            },
        };
        let facts = CheckFacts {
            cassette: CassetteFacts {
                ignored: vec![
                    setting("ignore_hosts", None),
                    setting("ignore_localhost", Some(&["localhost", "::1"])),
                ],
                ..CassetteFacts::default()
            },
            ..CheckFacts::default()
        };
        let call = |uri: &str| {
            format!(
                "- request: {{method: GET, uri: '{uri}', body: null, headers: {{}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: ''}}}}\n"
            )
        };
        let calls = [
            "http://a.example/",
            "http://me@LOCALHOST:80/x",
            "http://[::1]:80/",
        ];
        let text = format!("interactions:\n{}version: 1\n", calls.map(call).concat());
        let problems = with_facts("a.yaml", &text, &facts);
        insta::assert_snapshot!(shown(RuleId::NeverLoads, &problems).join("\n"), @"
        warning 4:3 /interactions/1 Call 2 is never loaded: ignore_localhost ignores localhost (conftest.py:7)
        warning 6:3 /interactions/2 Call 3 is never loaded: ignore_localhost ignores ::1 (conftest.py:7)
        ");
    }
}
