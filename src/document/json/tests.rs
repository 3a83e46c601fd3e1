use proptest::prelude::*;

use super::{JsonDialect, parse, parse_python, parse_up_to};
use crate::testing::{assert_spans_fit, describe_problems, outline, spans};
use crate::text::Source;
use crate::{Node, NodeKind};

/// Returns the values of a text, then the problems that are reported.
fn reading(text: &str) -> String {
    let (tree, problems) = parse(&Source::new(text));
    assert_spans_fit(&tree, &problems);
    format!("{}\n{}", outline(&tree), describe_problems(&problems))
}

fn assert_good(text: &str) {
    let (_, problems) = parse(&Source::new(text));
    assert_eq!(describe_problems(&problems), "", "{text}");
}

#[test]
fn every_value_knows_its_bytes() {
    let (tree, problems) =
        parse(&Source::new("\u{feff}{ \"é\" : [1e5, \"a\\n\"],\r\n\t\"o\": {} }\n"));
    assert_eq!(describe_problems(&problems), "");
    insta::assert_snapshot!(spans(&tree), @r#"
     "{ \"é\" : [1e5, \"a\\n\"],\r\n\t\"o\": {} }"
    /é "\"é\"" = "[1e5, \"a\\n\"]"
    /é/0 "1e5"
    /é/1 "\"a\\n\""
    /o "\"o\"" = "{}"
    "#);
}

#[test]
fn what_json_parse_accepts_is_no_fault() {
    for text in [
        r#""\ud83d""#,
        "[1e400, -1e400, -0, 1E5, 0.5e-7, 1e+2]",
        " \t\r\nnull ",
        "\"\u{7f}\u{2028}\"",
        "{\"\": {\"a\": [[], {}]}}",
        "0",
    ] {
        assert_good(text);
    }
    let (tree, _) = parse(&Source::new("[1e400, -0]"));
    let numbers: Vec<_> = tree.root().unwrap().items().map(|n| n.as_f64().unwrap()).collect();
    assert_eq!(numbers, [f64::INFINITY, 0.0]);
    assert!(numbers[1].is_sign_negative());
}

#[test]
fn a_comma_too_few_or_too_many() {
    insta::assert_snapshot!(reading("{\"a\": 1\n \"b\": 2}"), @r#"
    {a: 1, b: 2}
    2:2 syntax at "": A comma or `}` is expected before `"b"`
    "#);
    insta::assert_snapshot!(reading("[1, 2,]"), @r#"
    [1, 2]
    1:6 syntax at "": A trailing comma before `]`; JSON allows none
    "#);
    insta::assert_snapshot!(reading("{\"a\": 1,, \"b\": [,]}"), @r#"
    {a: 1, b: []}
    1:9 syntax at "": A key with its value is expected before this comma
    1:17 syntax at "/b": A value is expected before this comma
    "#);
}

#[test]
fn what_other_languages_allow() {
    insta::assert_snapshot!(reading("{ // note\n 'a': NaN, b: +1, \"c\": .5, \"d\": 01, \"e\": True, \"f\": 0x1F, \"g\": 1. /* x */}"), @r#"
    {a: null, b: 1, c: 0.5, d: 1, e: null, f: 31, g: 1}
    1:3 syntax at "": A comment; JSON allows none
    2:2 syntax at "": Single quotes; JSON allows only double quotes
    2:7 syntax at "": `NaN` is not a JSON value; text needs double quotes
    2:12 syntax at "": The key `b` is not in double quotes
    2:15 syntax at "": `+1` is not a JSON number: it starts with a plus sign
    2:24 syntax at "": `.5` is not a JSON number: a digit is expected before the point
    2:33 syntax at "": `01` is not a JSON number: it starts with a zero
    2:42 syntax at "": `True` is not a JSON value; text needs double quotes
    2:53 syntax at "": `0x1F` is not a JSON number: only digits, one point and an exponent are expected
    2:64 syntax at "": `1.` is not a JSON number: a digit is expected after the point
    2:67 syntax at "": A comment; JSON allows none
    "#);
}

#[test]
fn strings_that_are_not_closed_or_not_clean() {
    insta::assert_snapshot!(reading("{\"a\": \"one,\n \"b\": \"two\"}"), @r#"
    {a: "one", b: "two"}
    1:7 syntax at "": A closing quote is expected before the line ends
    "#);
    insta::assert_snapshot!(reading("{\"a\": \"one\ntwo\"}"), @r#"
    {a: "one\ntwo"}
    1:11 syntax at "": A line break inside a string; `\n` is expected instead
    "#);
    insta::assert_snapshot!(reading(r#"{"a": "C:\dir"}"#), @r#"
    {a: "C:\\dir"}
    1:10 syntax at "": `\d` is not a JSON escape; a backslash itself is written `\\`
    "#);
    insta::assert_snapshot!(reading("{\"\u{1b}[2J\": \"x\" \u{202e}: 1}"), @r#"
    {\u{1b}[2J: "x"}
    1:3 syntax at "": The control character U+001B inside a string; `\u001b` is expected instead
    1:14 syntax at "": A comma or `}` is expected before a character that reorders text (U+202E)
    1:15 syntax at "": A comma or `}` is expected before `:`
    1:17 syntax at "": A comma or `}` is expected before `1`
    "#);
}

#[test]
fn python_reads_numbers_that_json_has_not() {
    let fault = |text: &str| {
        let (tree, _) = parse_python(&Source::new(text));
        tree.fault().map(|fault| fault.span.start)
    };
    let numbers = r#"[NaN, -Infinity, {"a": Infinity, "a": "\ud800"}]"#;
    assert_eq!(fault(numbers), None);
    assert_eq!(fault("[NaN, -NaN]"), Some(6));
    assert_eq!(fault("[Infinity, +Infinity]"), Some(11));
    assert_eq!(fault("{NaN: 1}"), Some(1));
    assert_eq!(fault("[NaN,]"), Some(4));
    assert!(parse(&Source::new(numbers)).0.fault().is_some());
}

#[test]
fn a_half_written_file_keeps_what_it_has() {
    insta::assert_snapshot!(reading("{\"a\": [1,\n {\"b\": \"c\", \"d"), @r#"
    {a: [1, {b: "c"}]}
    2:15 syntax at "/a/1": The file ends inside a string that starts at line 2
    "#);
    insta::assert_snapshot!(reading("{\n \"a\": [1,\n {\"b\": \"c\"},\n"), @r#"
    {a: [1, {b: "c"}]}
    3:13 syntax at "/a": The file ends inside the list that starts at line 2; `]` is expected
    "#);
    insta::assert_snapshot!(reading("{\"a\":"), @r#"
    {}
    1:6 syntax at "": The file ends inside the object that starts at line 1; `}` is expected
    "#);
    insta::assert_snapshot!(reading("{\"a\": tr"), @r#"
    {a: null}
    1:9 syntax at "": The file ends inside the object that starts at line 1; `}` is expected
    "#);
}

#[test]
fn brackets_that_do_not_match() {
    insta::assert_snapshot!(reading("{\"a\": [1, {\"b\": 2}, \"c\": 3}"), @r#"
    {a: [1, {b: 2}, "c", 3]}
    1:24 syntax at "/a": A colon in a list; only objects have keys
    1:27 syntax at "/a": `]` is expected before `}`: the list that starts at line 1 is not closed
    "#);
    insta::assert_snapshot!(reading("{\"a\": [1}"), @r#"
    {a: [1]}
    1:9 syntax at "/a": `]` is expected before `}`: the list that starts at line 1 is not closed
    "#);
    insta::assert_snapshot!(reading("[1}, 2]"), @r#"
    [1, 2]
    1:3 syntax at "": `}` closes nothing; `]` is expected
    "#);
}

#[test]
fn one_value_a_file() {
    insta::assert_snapshot!(reading("{\"a\": 1}\n{\"a\": 2}"), @r#"
    {a: 1}
    2:1 syntax at "": `{` after the value; a file contains one value
    "#);
    insta::assert_snapshot!(reading("{\"a\": 1}}"), @r#"
    {a: 1}
    1:9 syntax at "": `}` closes nothing; the value has already ended
    "#);
    insta::assert_snapshot!(reading("hello world"), @r#"
    null
    1:1 syntax at "": `hello` is not a JSON value; text needs double quotes
    1:7 syntax at "": `world` after the value; a file contains one value
    "#);
}

#[test]
fn members_without_key_colon_or_value() {
    insta::assert_snapshot!(reading("{\"a\" 1, \"b\": , \"c\", : 4, {\"d\": 5}}"), @r#"
    {a: 1, d: 5}
    1:6 syntax at "": A colon is expected after the key, not `1`
    1:9 syntax at "": The key `"b"` has no value
    1:16 syntax at "": The key `"c"` has no value
    1:21 syntax at "": A key in double quotes is expected, not `:`
    1:23 syntax at "": The key `4` is not in double quotes
    1:26 syntax at "": A key in double quotes is expected, not `{`
    1:34 syntax at "": `}` closes nothing; the value has already ended
    "#);
}

#[test]
fn a_key_that_is_twice_is_reported_at_the_earlier_one() {
    insta::assert_snapshot!(reading("{\"a\": 1, \"b\": 2, \"\\u0061\": 3,\n\"a\": 4}"), @r#"
    {a: 1, b: 2, a: 3, a: 4}
    1:2 duplicate-key at "/a": The key `"a"` is repeated at line 2, column 1; only the last one counts
    1:18 duplicate-key at "/a": The key `"\u0061"` is repeated at line 2, column 1; only the last one counts
    "#);
    let many: Vec<String> = (0..40).map(|n| format!("\"k{}\": {n}", n % 39)).collect();
    insta::assert_snapshot!(reading(&format!("[{{{}}}]", many.join(","))).lines().last().unwrap(), @r#"1:3 duplicate-key at "/0/k0": The key `"k0"` is repeated at line 1, column 373; only the last one counts"#);
}

#[test]
fn reading_ends_when_nothing_makes_sense() {
    let (_, problems) = parse(&Source::new("[".to_owned() + &"? ".repeat(1000)));
    assert_eq!(problems.len(), super::MAX_FAULTS);
}

#[test]
fn what_is_too_deep_is_passed_over() {
    let nested_lists = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert_good(&nested_lists(512));
    let text = format!("{{\"a\": {}, \"b\": {}, \"c\": 1}}", nested_lists(600), nested_lists(600));
    let (tree, problems) = parse(&Source::new(text));
    insta::assert_snapshot!(describe_problems(&problems).replace("/0", ""), @r#"1:518 nesting-too-deep at "/a": More than 512 nested values; deeper values are not read"#);
    assert_eq!(tree.at_pointer("/c").unwrap().as_f64(), Some(1.0));
    let endless = reading(&"[{\"a\":".repeat(1_000_000));
    insta::assert_snapshot!(endless.lines().skip(1).map(|line| line.replace("/0/a", "")).collect::<Vec<_>>().join("\n"), @r#"
    1:1537 nesting-too-deep at "": More than 512 nested values; deeper values are not read
    1:6000001 syntax at "": The file ends inside the list that starts at line 1; `]` is expected
    "#);
}

#[test]
fn more_values_than_are_read_are_reported_once() {
    let (tree, problems) =
        parse_up_to(&Source::new("[1, {\"a\": 2}, 3, 4]"), 4, JsonDialect::JavaScript);
    insta::assert_snapshot!(format!("{}\n{}", outline(&tree), describe_problems(&problems)), @r#"
    [1, {a: 2}, 3]
    1:16 unreadable at "": More than 4 values in one file; the rest of it is not read
    "#);
    assert_eq!(
        describe_problems(&parse_up_to(&Source::new("[1, 2, 3]"), 4, JsonDialect::JavaScript).1),
        ""
    );
}

#[test]
fn a_problem_under_a_giant_key_points_to_what_is_around_it() {
    let key = "k".repeat(5_000);
    let text = format!("{{\"a\": [{{\"{key}\": [1,]}}]}}");
    let (tree, problems) = parse(&Source::new(text));
    assert_eq!(&*problems[0].pointer, "/a/0");
    let list = tree.at_pointer(&format!("/a/0/{key}")).unwrap();
    assert_eq!(list.pointer().len(), 5_005);
    assert_eq!(list.bounded_pointer(), "/a/0");
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), value, 0..20)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Compares through `serde_json`'s own types, so that the test has no reading of its own.
fn to_serde(node: Node<'_>) -> serde_json::Value {
    match node.kind() {
        NodeKind::Null | NodeKind::Timestamp | NodeKind::Expression => serde_json::Value::Null,
        NodeKind::Bool => node.as_bool().unwrap().into(),
        NodeKind::Number => match node.raw().parse::<i64>() {
            Ok(integer) => integer.into(),
            Err(_) => node.as_f64().into(),
        },
        NodeKind::String => node.as_str().unwrap().into(),
        NodeKind::Array => node.items().map(to_serde).collect::<Vec<_>>().into(),
        NodeKind::Object => {
            let members = node.items().map(|item| (item.key().unwrap().to_owned(), to_serde(item)));
            serde_json::Value::Object(members.collect())
        }
    }
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn values_are_those_of_serde_json(value in any_json(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let (tree, problems) = parse(&Source::new(text));
        prop_assert_eq!(describe_problems(&problems), "");
        assert_spans_fit(&tree, &problems);
        prop_assert_eq!(to_serde(tree.root().unwrap()), value);
    }

    #[test]
    fn what_serde_json_accepts_is_no_fault_and_the_other_way_round(text in r#"[\[\]{}:,"0-9eE+\-. atrufnl\\]{0,12}"#) {
        let (_, problems) = parse(&Source::new(text.clone()));
        let is_good = !problems.iter().any(|problem| problem.severity == crate::Severity::Error);
        let reference = serde_json::from_str::<serde_json::Value>(&text);
        // Numbers beyond every range are the one thing in which `JSON.parse` is more generous.
        let is_accepted = reference.is_ok() || reference.is_err_and(|e| e.to_string().contains("number out of range"));
        prop_assert_eq!(is_good, is_accepted, "{}", text);
    }

    #[test]
    fn any_bytes_are_read_to_the_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (tree, problems) = parse(&Source::from_bytes(bytes));
        assert_spans_fit(&tree, &problems);
    }

    #[test]
    fn mutated_json_is_read_to_the_end(value in any_json(), at: prop::sample::Index, len in 0usize..6, new in r#"[\[\]{}:,"'/\\u\n0-9a-f]{0,4}"#) {
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap();
        let start = at.index(bytes.len());
        let end = (start + len).min(bytes.len());
        bytes.splice(start..end, new.bytes());
        let (tree, problems) = parse(&Source::from_bytes(bytes));
        assert_spans_fit(&tree, &problems);
        prop_assert!(problems.len() <= 2 * super::MAX_FAULTS);
    }
}
