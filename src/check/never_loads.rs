//! `never-loads`: a recorded call is dropped when its cassette is loaded, or the program refuses the file.

use crate::check_document::{ProblemCollector, start_span};
use calls::cassette_config::{CassetteFacts, ConfigOrigin};
use document::cassette::{self, CassetteClient};
use document::text::{Span, listed, quoted, visible};
use document::{Document, Node, NodeKind, RuleId, Severity, yaml};
use play::client::AddressParts;

rule! {
    /// The settings of the test drop the call when the cassette is loaded, because its host is ignored. The call of the test is sent
    /// over the network, in every record mode, and the recorded answer is never used.
    ///
    /// With the record mode `all`, or `rewrite` of pytest-recording, the test records every call again, and no answer of the cassette is ever
    /// used. That is a note. vcrpy does not know any name but `all`, `any`, `new_episodes`, `none` and `once`, as written: since 8.2.1 it
    /// refuses others when the test starts, and before it recorded what was missing.
    ///
    /// `ignore_hosts`, `ignore_localhost` and `record_mode` are read where they are literals; functions such as `before_record_request` are not run.
    ///
    /// It is an error if the program refuses the whole file: vcrpy for a tag of YAML that it does not construct, for null in place
    /// of the list of calls, or for a request with other fields than it writes; cassetter for a call without a response; go-vcr for another version of its format.
    NeverLoads {
        title: "A recorded call is never loaded",
        fix: "Remove the host from the setting, or delete the call.",
        before: "Dropped" => "ignore_localhost=True\n…\nuri: http://localhost:8000/v1/chat",
        after: "Loaded" => "ignore_localhost=False\n…\nuri: http://localhost:8000/v1/chat",
    }
}

pub(super) fn judge(player: CassetteClient, findings: &mut ProblemCollector<'_>) {
    let ProblemCollector { document, calls, facts, .. } = *findings;
    let cassette_facts = &facts.cassette;
    if player == CassetteClient::Vcrpy
        && let Some((mode, origin)) = fixed_mode(cassette_facts)
        && let Some(list) = document.tree.root().and_then(cassette::list)
        && !calls.is_empty()
    {
        let finding = match mode {
            "all" | "rewrite" => Some((
                format!("No call is ever played: record_mode is {mode} ({origin})"),
                Severity::Note,
                "Choose another record mode, such as none or once.",
            )),
            mode if VCRPY_MODES.contains(&mode) => None,
            mode => Some((
                format!("vcrpy has no record mode {} ({origin})", quoted(mode)),
                Severity::Warning,
                "Write all, any, new_episodes, none or once, in lower case and without spaces.",
            )),
        };
        if let Some((message, severity, help)) = finding
            && let Some(problem) = findings.add_at(RuleId::NeverLoads, list, message)
        {
            problem.severity = severity;
            problem.help = Some(help.into());
        }
    }
    for (number, call) in (1..).zip(calls) {
        let Some(http) = call.facts.http.as_ref() else { continue };
        let host = AddressParts::parse(&http.url).host;
        if let Some(setting) = cassette_facts.ignoring(&host) {
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

/// The record modes of vcrpy besides `all`.
const VCRPY_MODES: [&str; 4] = ["any", "new_episodes", "none", "once"];

/// Returns the record mode that a test sets itself, whatever the command line says.
fn fixed_mode(facts: &CassetteFacts) -> Option<(&str, &ConfigOrigin)> {
    let mode = facts.record_mode.as_ref().filter(|mode| *mode.key == *"record_mode")?;
    let [name] = mode.texts.as_deref()? else { return None };
    Some((name, &mode.origin))
}

/// Reports a file that its program refuses. `client` is the program that wrote it, `player` the one that plays it.
pub(super) fn judge_file(
    client: CassetteClient,
    player: CassetteClient,
    findings: &mut ProblemCollector<'_>,
) {
    let Some((span, node, message)) = refusal(findings.document, client, player) else { return };
    if let Some(problem) = findings.add_at_span(RuleId::NeverLoads, span, node, message) {
        problem.severity = Severity::Error;
        problem.help =
            Some("Record the cassette again, or correct it as its program writes it.".into());
    }
}

/// Returns why a client refuses a cassette that it wrote, as a sentence without a full stop.
pub fn load_refusal(document: &Document, client: CassetteClient) -> Option<String> {
    refusal(document, client, client).map(|(_, _, message)| message)
}

fn refusal(
    document: &Document,
    client: CassetteClient,
    player: CassetteClient,
) -> Option<Refusal<'_>> {
    let root = document.tree.root()?;
    // The client's parser has stopped before it sees the shape of the file.
    if document.problems.iter().any(|problem| problem.rule == RuleId::Syntax) {
        return None;
    }
    match (client, player) {
        (CassetteClient::Vcrpy, CassetteClient::Vcrpy) => {
            (null_list(root).or_else(|| refused_tag(document))).or_else(|| refused_shape(root))
        }
        (CassetteClient::Cassetter, CassetteClient::Cassetter) => missing_message(root),
        (CassetteClient::GoVcr, CassetteClient::GoVcr) => {
            other_version(root, &["1", "2"]).map(|version| {
                let reason = format!(
                    "go-vcr refuses this file: unsupported cassette version format: {}",
                    visible(version.scalar_text().unwrap_or_default())
                );
                (version.span(), version, reason)
            })
        }
        _ => None,
    }
}

/// A place, its value, and what the program says.
type Refusal<'a> = (Span, Node<'a>, String);

/// Returns the first tag that vcrpy does not construct.
fn refused_tag(document: &Document) -> Option<Refusal<'_>> {
    let nodes = document.tree.nodes().filter(|node| !node.is_alias());
    nodes.filter_map(|node| Some((node, yaml::tag(node)?))).find_map(|(node, tag)| {
        let full_tag = match tag.strip_prefix("!!") {
            Some(name) => format!("{STANDARD_TAG_PREFIX}{name}"),
            None => tag.trim_start_matches("!<").trim_end_matches('>').to_owned(),
        };
        let name = full_tag.strip_prefix(STANDARD_TAG_PREFIX);
        // `!` alone names no type.
        if tag == "!" || name.is_some_and(|name| CONSTRUCTED_TAGS.contains(&name)) {
            return None;
        }
        let end = node.span().start as usize;
        // A tag is before its value, perhaps with an anchor between them.
        let start = document.source().text().get(..end)?.rfind(tag)?;
        let message = format!(
            "vcrpy refuses this file: could not determine a constructor for the tag '{}'",
            visible(&full_tag)
        );
        Some((Span::new(start, start + tag.len()), node, message))
    })
}

/// Beginning of the tags of YAML itself.
const STANDARD_TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// The tags that vcrpy constructs since 8.2.1. Before, it ran the code that a tag names.
const CONSTRUCTED_TAGS: [&str; 18] = [
    "binary",
    "bool",
    "float",
    "int",
    "map",
    "null",
    "omap",
    "pairs",
    "seq",
    "set",
    "str",
    "timestamp",
    "merge",
    "python/str",
    "python/unicode",
    "python/tuple",
    "python/object/apply:builtins.iter",
    "python/object/new:_io.BytesIO",
];

/// Returns the null in place of a list of calls, which vcrpy iterates.
fn null_list(root: Node<'_>) -> Option<Refusal<'_>> {
    let list = cassette::null_list(root)?;
    let reason = "vcrpy refuses this file: TypeError: 'NoneType' object is not iterable; write []";
    Some((start_span(list), list, reason.to_owned()))
}

/// Returns the first recorded call with other fields than vcrpy loads. With `parsed_body`, a serializer of the project loads it.
fn refused_shape(root: Node<'_>) -> Option<Refusal<'_>> {
    const FIELDS: [&str; 4] = ["method", "uri", "body", "headers"];
    let items = || cassette::list(root).into_iter().flat_map(Node::items);
    let has_parsed_body = |item: Node<'_>| {
        let messages = ["request", "response"].into_iter().filter_map(|key| item.get(key));
        messages.into_iter().any(|message| message.get("parsed_body").is_some())
    };
    if items().any(has_parsed_body) {
        return None;
    }
    items().find_map(|item| {
        let Some(request) = item.get("request") else {
            return Some((item, "KeyError: 'request'".to_owned()));
        };
        if item.get("response").is_none() {
            return Some((item, "KeyError: 'response'".to_owned()));
        }
        if request.kind() != NodeKind::Object {
            return None;
        }
        let mut fields = request.items();
        let unknown_field = fields.find(|field| field.key().is_some_and(|key| !FIELDS.contains(&key)));
        if let Some(unknown_field) = unknown_field {
            let key = visible(unknown_field.key()?);
            return Some((unknown_field, format!("TypeError: Request.__init__() got an unexpected keyword argument '{key}'")));
        }
    let missing_fields: Vec<String> = FIELDS.iter().filter(|field| request.get(field).is_none()).map(|field| format!("'{field}'")).collect();
        let arguments = if missing_fields.len() == 1 { "argument" } else { "arguments" };
        (!missing_fields.is_empty()).then(|| {
            let count = missing_fields.len();
            (request, format!("TypeError: Request.__init__() missing {count} required positional {arguments}: {}", listed(&missing_fields)))
        })
    })
    .map(|(node, reason)| (start_span(node), node, format!("vcrpy refuses this file: {reason}")))
}

/// Returns the first recorded call without a request or a response, which cassetter does not read.
fn missing_message(root: Node<'_>) -> Option<Refusal<'_>> {
    let items = cassette::list(root).into_iter().flat_map(Node::items);
    let mut refusals = items.into_iter().filter_map(|item| {
        let mut fields = ["request", "response"].into_iter();
        let missing_field = fields.find(|field| item.get(field).is_none())?;
        let message = format!("cassetter refuses this file: missing field `{missing_field}`");
        Some((start_span(item), item, message))
    });
    refusals.next()
}

/// Returns the version of a file if it is none of these.
fn other_version<'a>(root: Node<'a>, known_versions: &[&str]) -> Option<Node<'a>> {
    let version = root.get("version")?;
    (!known_versions.contains(&version.scalar_text()?)).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, with_facts};
    use calls::cassette_config::ConfigTexts;

    #[test]
    fn a_call_of_an_ignored_host_is_reported() {
        let setting = |key: &str, hosts: Option<&[&str]>| ConfigTexts {
            key: key.into(),
            texts: hosts.map(|hosts| hosts.iter().map(|host| Box::from(*host)).collect()),
            origin: ConfigOrigin { path: "conftest.py".into(), line: 7 },
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
        let calls = ["http://a.example/", "http://me@LOCALHOST:80/x", "http://[::1]:80/"];
        let text = format!("interactions:\n{}version: 1\n", calls.map(call).concat());
        let problems = with_facts("a.yaml", &text, &facts);
        insta::assert_snapshot!(shown(RuleId::NeverLoads, &problems).join("\n"), @"
        warning 4:3 /interactions/1 Call 2 is never loaded: ignore_localhost ignores localhost (conftest.py:7)
        warning 6:3 /interactions/2 Call 3 is never loaded: ignore_localhost ignores ::1 (conftest.py:7)
        ");
    }

    #[test]
    fn a_cassette_that_is_always_recorded_again_is_a_note() {
        let noted = |key: &str, mode: Option<&str>, uri: &str| {
            let facts = CheckFacts {
                cassette: CassetteFacts {
                    record_mode: Some(ConfigTexts {
                        key: key.into(),
                        texts: mode.map(|mode| vec![mode.into()]),
                        origin: ConfigOrigin { path: "test_a.py".into(), line: 3 },
                    }),
                    ..CassetteFacts::default()
                },
                ..CheckFacts::default()
            };
            let text = format!(
                "interactions:\n- request: {{method: GET, uri: '{uri}', body: null, headers: {{}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: ''}}}}\nversion: 1\n"
            );
            let problems = with_facts("a.yaml", &text, &facts);
            shown(RuleId::NeverLoads, &problems).join("\n")
        };
        insta::assert_snapshot!(noted("record_mode", Some("all"), "http://a.example/"), @"note 2:1 /interactions No call is ever played: record_mode is all (test_a.py:3)");
        insta::assert_snapshot!(noted("record_mode", Some("rewrite"), "http://a.example/"), @"note 2:1 /interactions No call is ever played: record_mode is rewrite (test_a.py:3)");
        for mode in ["replay", "none ", "ALL", ""] {
            let expected = format!(
                "warning 2:1 /interactions vcrpy has no record mode `{mode}` (test_a.py:3)"
            );
            assert_eq!(noted("record_mode", Some(mode), "http://a.example/"), expected);
        }
        for mode in ["any", "none", "new_episodes"] {
            assert_eq!(noted("record_mode", Some(mode), "http://a.example/"), "");
        }
        // The command line may say otherwise, and what is no literal is not known.
        assert_eq!(noted("--record-mode", Some("all"), "http://a.example/"), "");
        assert_eq!(noted("record_mode", Some("once"), "http://a.example/"), "");
        assert_eq!(noted("record_mode", None, "http://a.example/"), "");
    }

    #[test]
    fn a_file_that_its_program_refuses_is_an_error_with_what_the_program_says() {
        let call = |request: &str| {
            format!(
                "interactions:\n- request: {request}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: ''}}}}\nversion: 1\n"
            )
        };
        let refusal_of = |text: &str| {
            let problems = with_facts("a.yaml", text, &CheckFacts::default());
            shown(RuleId::NeverLoads, &problems).join("\n")
        };
        let template = call("{method: GET, uri: 'http://a.example/', body: BODY, headers: {}}");
        let refusal_of_body = |body: &str| refusal_of(&template.replace("BODY", body));
        let lines = [
            refusal_of("interactions: null\nversion: 1\n"),
            refusal_of("version: 1\ninteractions:\n"),
            refusal_of_body("!binary aGk="),
            refusal_of_body("!!python/object:a.B {}"),
            refusal_of_body("!<tag:yaml.org,2002:python/name:os.system> ''"),
            refusal_of(&call(
                "{method: GET, uri: 'http://a.example/', body: null, headers: {}, time: 1}",
            )),
            refusal_of(&call("{method: GET, uri: 'http://a.example/'}")),
            refusal_of(
                "interactions:\n- request: {method: GET, uri: 'http://a.example/', body: null, headers: {}}\nversion: 1\n",
            ),
            refusal_of(
                "version: 1\ninteractions:\n- request: {method: GET, uri: 'http://a.example/', headers: {}, body: {type: none}}\n  response: {status: 200, headers: {}, body: {type: none}}\n- request: {method: GET, uri: 'http://b.example/'}\n",
            ),
            refusal_of(
                "version: 3\ninteractions:\n- id: 0\n  request: {body: '', headers: {}, url: 'http://a.example/', method: GET}\n  response: {body: '', headers: {}, code: 200}\n",
            ),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        error 1:15 /interactions vcrpy refuses this file: TypeError: 'NoneType' object is not iterable; write []
        error 2:14 /interactions vcrpy refuses this file: TypeError: 'NoneType' object is not iterable; write []
        error 2:58 /interactions/0/request/body vcrpy refuses this file: could not determine a constructor for the tag '!binary'
        error 2:58 /interactions/0/request/body vcrpy refuses this file: could not determine a constructor for the tag 'tag:yaml.org,2002:python/object:a.B'
        error 2:58 /interactions/0/request/body vcrpy refuses this file: could not determine a constructor for the tag 'tag:yaml.org,2002:python/name:os.system'
        error 2:83 /interactions/0/request/time vcrpy refuses this file: TypeError: Request.__init__() got an unexpected keyword argument 'time'
        error 2:12 /interactions/0/request vcrpy refuses this file: TypeError: Request.__init__() missing 2 required positional arguments: 'body' and 'headers'
        error 2:3 /interactions/0 vcrpy refuses this file: KeyError: 'response'
        error 5:3 /interactions/1 cassetter refuses this file: missing field `response`
        error 1:10 /version go-vcr refuses this file: unsupported cassette version format: 3
        ");
        for body in [
            "!!binary aGk=",
            "!!python/unicode 'a'",
            "!!python/object/new:_io.BytesIO {state: !!python/tuple [!!binary aGk=]}",
            "! a",
            "\n    # no !tag\n    a",
        ] {
            assert_eq!(refusal_of_body(body), "", "{body}");
        }
        let parsed_body_call =
            call("{method: GET, uri: 'http://a.example/', headers: {}, parsed_body: {}}");
        assert_eq!(refusal_of(&parsed_body_call), "");
        // The parser of YAML stops first, with another error than of a missing key.
        let cut_index = template.find("code").unwrap_or_default();
        assert_eq!(refusal_of(&template[..cut_index]), "");
        assert_eq!(refusal_of(&format!("{template}- request: 'cut")), "");
    }
}
