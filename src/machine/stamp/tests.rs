//! Promises of stamps: only the stamp is written, in the style of the file, and only once.

use proptest::prelude::*;

use super::*;
use document::read;
use document::text::Source;

const REQUEST: &str = r#""request": {"context": {"testName": "x", "node": "y"}, "messages": [{"role": "user", "content": "hi"}], "tools": [{"name": "go"}, {"name": "back"}]}"#;
const RESPONSE: &str = r#""response": {"response": {"content": []}}"#;

fn source() -> SourceStamp {
    SourceStamp {
        file: "machines/triage.dygram".into(),
        hash: "5e1f".into(),
        size: 812,
        modified: Some("2026-02-02T02:40:00.000Z".into()),
        names: MachineNames {
            title: Some("Triage".into()),
            nodes: Some(vec!["a".to_owned(), "b".to_owned()]),
            labels: Some(Vec::new()),
        },
    }
}

fn stamp_options(source: &SourceStamp) -> StampOptions<'_> {
    StampOptions {
        source: Some(source),
        renewal: Renewal::Renew,
        context_keys: StampContextKeys::AsStored,
    }
}

/// Returns the text with its stamp, after making sure that a second stamp finds nothing to do.
fn stamped_as(text: &str, options: &StampOptions<'_>) -> String {
    let once = |text: &str| {
        let document = read(Source::new(text), "turn-1.json");
        stamp(&document, options).map(|edit| {
            let mut text = text.to_owned();
            if let Some(stamp) = edit {
                stamp.edit.apply(&mut text).unwrap();
            }
            text
        })
    };
    let result = once(text).unwrap_or_else(|reason| panic!("{reason}\n{text}"));
    assert_eq!(once(&result).as_ref(), Ok(&result));
    result
}

fn stamped(text: &str) -> String {
    stamped_as(text, &stamp_options(&source()))
}

/// Returns what a stamp puts behind the response.
fn tail(text: &str) -> String {
    let at = text.find(RESPONSE).map_or(0, |at| at + RESPONSE.len());
    text[at..].to_owned()
}

#[test]
fn a_recording_of_the_first_version_gets_both_in_the_style_of_its_file() {
    let value: Json = serde_json::from_str(&format!("{{{REQUEST},{RESPONSE}}}")).unwrap();
    let pretty = stamped(&serde_json::to_string_pretty(&value).unwrap());
    let at = pretty.find("  \"signature\"").unwrap();
    insta::assert_snapshot!(&pretty[at..], @r#"
      "signature": {
        "toolNames": [
          "back",
          "go"
        ],
        "messageCount": 1,
        "contextKeys": []
      },
      "sourceMetadata": {
        "sourceFile": "machines/triage.dygram",
        "contentHash": "5e1f",
        "fileSize": 812,
        "lastModified": "2026-02-02T02:40:00.000Z",
        "machineTitle": "Triage",
        "nodeNames": [
          "a",
          "b"
        ],
        "edgeLabels": []
      }
    }
    "#);
    let minified = stamped(&value.to_string());
    let at = minified.find(",\"signature\"").unwrap();
    insta::assert_snapshot!(&minified[at..], @r#","signature":{"toolNames":["back","go"],"messageCount":1,"contextKeys":[]},"sourceMetadata":{"sourceFile":"machines/triage.dygram","contentHash":"5e1f","fileSize":812,"lastModified":"2026-02-02T02:40:00.000Z","machineTitle":"Triage","nodeNames":["a","b"],"edgeLabels":[]}}"#);
    let one_line_each = stamped(&format!("{{\r\n\t{REQUEST},\r\n\t{RESPONSE}\r\n}}\r\n"));
    insta::assert_snapshot!(tail(&one_line_each).replace('\r', "\\r").replace('\t', "\\t"), @r#"
    ,\r
    \t"signature": {\r
    \t\t"toolNames": [\r
    \t\t\t"back",\r
    \t\t\t"go"\r
    \t\t],\r
    \t\t"messageCount": 1,\r
    \t\t"contextKeys": []\r
    \t},\r
    \t"sourceMetadata": {\r
    \t\t"sourceFile": "machines/triage.dygram",\r
    \t\t"contentHash": "5e1f",\r
    \t\t"fileSize": 812,\r
    \t\t"lastModified": "2026-02-02T02:40:00.000Z",\r
    \t\t"machineTitle": "Triage",\r
    \t\t"nodeNames": [\r
    \t\t\t"a",\r
    \t\t\t"b"\r
    \t\t],\r
    \t\t"edgeLabels": []\r
    \t}\r
    }\r
    "#);
}

#[test]
fn order_spacing_and_unknown_fields_of_a_stamp_stay() {
    let text = format!(
        r#"{{"sourceMetadata": {{"note": 1e3, "contentHash" : "00",
    "extra": [ ], "fileSize":8.12E2, "lastModified": "then", "sourceFile": "machines/triage.dygram"}},
  "signature": {{"messageCount": 2, "by": null, "toolNames": ["back","go"], "contextKeys": ["gone"]}},
  {REQUEST}, {RESPONSE}, "lastValidated": "t"}}"#
    );
    let at = |text: &str| text[..text.find("\"request\"").unwrap()].to_owned();
    insta::assert_snapshot!(at(&stamped(&text)), @r#"
    {"sourceMetadata": {"note": 1e3, "contentHash" : "5e1f",
        "extra": [ ], "fileSize":8.12E2, "lastModified": "2026-02-02T02:40:00.000Z", "sourceFile": "machines/triage.dygram", "machineTitle": "Triage", "nodeNames": ["a", "b"], "edgeLabels": []},
      "signature": {"messageCount": 1, "by": null, "toolNames": ["back","go"], "contextKeys": ["gone"]},
    "#);
}

#[test]
fn what_was_reported_about_the_same_text_stays_and_what_is_unknown_of_another_is_removed() {
    let with = |hash: &str| {
        format!(
            r#"{{{REQUEST}, {RESPONSE}, "signature": {{"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": []}},
"sourceMetadata": {{"sourceFile": "old.dygram", "contentHash": "{hash}", "fileSize": 812, "lastModified": "then", "machineTitle": "Old", "nodeNames": null}}}}"#
        )
    };
    let same = stamped(&with("5e1f"));
    let metadata = |text: &str| text[text.find("\"sourceMetadata\"").unwrap()..].to_owned();
    insta::assert_snapshot!(metadata(&same), @r#""sourceMetadata": {"sourceFile": "machines/triage.dygram", "contentHash": "5e1f", "fileSize": 812, "lastModified": "then", "machineTitle": "Old", "nodeNames": ["a", "b"], "edgeLabels": []}}"#);
    let unknown = SourceStamp { names: MachineNames::default(), ..source() };
    let other = stamped_as(&with("00"), &stamp_options(&unknown));
    insta::assert_snapshot!(metadata(&other), @r#""sourceMetadata": {"sourceFile": "machines/triage.dygram", "contentHash": "5e1f", "fileSize": 812, "lastModified": "2026-02-02T02:40:00.000Z"}}"#);
}

#[test]
fn context_keys_stay_as_they_are_unless_requested() {
    let with = |keys: &str| {
        format!(
            r#"{{{REQUEST}, {RESPONSE}, "signature": {{"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": {keys}}}}}"#
        )
    };
    let stamped = |text: &str, context_keys| {
        let options = StampOptions { source: None, renewal: Renewal::Renew, context_keys };
        tail(&stamped_as(text, &options))
    };
    let none = format!("{{{REQUEST}, {RESPONSE}}}");
    let signatures = [
        stamped(&with(r#"["testFile"]"#), StampContextKeys::AsStored),
        stamped(&with(r#"["testFile"]"#), StampContextKeys::Shipped),
        stamped(&with(r#"["testFile"]"#), StampContextKeys::Documented),
        stamped(&none, StampContextKeys::AsStored),
        stamped(&none, StampContextKeys::Documented),
    ];
    insta::assert_snapshot!(signatures.join("\n"), @r#"
    , "signature": {"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": ["testFile"]}}
    , "signature": {"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": []}}
    , "signature": {"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": ["node", "testName"]}}
    , "signature": {"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": []}}
    , "signature": {"toolNames": ["back", "go"], "messageCount": 1, "contextKeys": ["node", "testName"]}}
    "#);
}

#[test]
fn what_is_there_is_left_alone_where_only_what_is_missing_is_requested() {
    let source = source();
    let options = StampOptions { renewal: Renewal::Keep, ..stamp_options(&source) };
    let text = format!(r#"{{{REQUEST}, {RESPONSE}, "signature": {{"toolNames": ["old"]}}}}"#);
    insta::assert_snapshot!(tail(&stamped_as(&text, &options)), @r#", "signature": {"toolNames": ["old"]}, "sourceMetadata": {"sourceFile": "machines/triage.dygram", "contentHash": "5e1f", "fileSize": 812, "lastModified": "2026-02-02T02:40:00.000Z", "machineTitle": "Triage", "nodeNames": ["a", "b"], "edgeLabels": []}}"#);
    let stamped_text = format!(
        r#"{{{REQUEST}, {RESPONSE}, "signature": {{}}, "sourceMetadata": {{"sourceFile": "x"}}}}"#
    );
    assert_eq!(stamped_as(&stamped_text, &options), stamped_text);
}

#[test]
fn what_cannot_be_stamped_is_left_with_the_reason() {
    let refusal = |text: &str| {
        let document = read(Source::new(text), "turn-1.json");
        stamp(&document, &stamp_options(&source())).unwrap_err()
    };
    let request = |request: &str| format!(r#"{{"request": {request}, {RESPONSE}}}"#);
    let messages = [
        refusal(r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {}, "stream": []}"#),
        refusal("[1]"),
        refusal(&format!("{{{REQUEST}, {RESPONSE}")),
        refusal(&request(r#"{"type": "llm_invocation_request"}"#)),
        refusal(&request(r#"{"messages": ["hi"], "tools": []}"#)),
        refusal(&request(r#"{"messages": [], "tools": [{}]}"#)),
        refusal(&request("5")),
    ];
    insta::assert_snapshot!(messages.join("\n"), @"
    Expected a recording, found a file of kind tape
    The file is not a recording
    The file cannot be read completely: The file ends inside the object that starts at line 1; `}` is expected (line 1)
    The request has no messages, so it has no signature
    The messages of the request are not understood, so they cannot be counted
    A tool of the request has no name, so it has no signature
    The file is not a recording
    ");
}

/// Returns a JSON value, in some spelling, that a recording may hold anywhere.
fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("-0".to_owned()),
        Just("1E5".to_owned()),
        Just(r#""\ud83d""#.to_owned()),
        Just(r#""a\/b""#.to_owned()),
        "[a-z ]{0,5}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3);
        let members = prop::collection::vec(("[a-z]{1,3}", inner), 0..3);
        prop_oneof![
            list.prop_map(|list| format!("[{}]", list.join(" , "))),
            members.prop_map(|members| {
                let members = members.iter().map(|(key, json)| format!("\"{key}\" :{json}"));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn stamping_again_changes_nothing_and_no_other_value_ever_changes(
        values in prop::collection::vec(any_json(), 5),
        gap in "[ \t\n]{0,3}",
        newline in prop_oneof![Just("\n"), Just("\r\n")],
        mix in prop::bool::ANY,
    ) {
        let [a, b, c, d, e] = &values[..] else { unreachable!() };
        let text = format!(
            r#"{{{gap}"a": {a},{gap}{REQUEST},{gap}"signature": {{{gap}"toolNames": {b}, "messageCount": {c}}},{gap}"sourceMetadata": {d},{gap}{RESPONSE},{gap}"b":{e}{gap}}}"#
        );
        let text = if mix { text.replace('\n', newline) } else { text };
        let result = stamped(&text);
        let (before, after) = (read(Source::new(text), "a.json"), read(Source::new(result), "a.json"));
        for key in ["a", "b", "request", "response"] {
            let raw = |document: &Document| document.tree.at_pointer(&format!("/{key}")).unwrap().raw().to_owned();
            prop_assert_eq!(raw(&before), raw(&after));
        }
    }
}
