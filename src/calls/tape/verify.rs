//! Compares a request with the one a tape was recorded for, strictly as its owner does, or loosely.
//!
//! A request of the shape `{model, systemPrompt, history}` is compared by these three members, and one of the shape
//! `{model, contents, config}` by its three, each by its `JSON.stringify` text: the owner reads only these from the
//! tape and from the call, so other keys beside them and their order do not count. Within them, the order of keys
//! counts, and so does white space within strings; white space around values does not. A request of any other shape is
//! compared as a whole.

pub mod ignore;
mod values;

use document::tape::RequestShape;
use document::text::{Place, named_enum};
use document::{Document, DocumentBody, Node, Severity};
use values::{RequestComparison, compared_keys};

/// Strictness of a comparison of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Like the tape's owner.
    #[default]
    Strict,
    /// Ignores ids, dates, and differences without meaning (the order of keys, white space of JSON within strings).
    Loose,
}

/// A difference at one place of the requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestDifference {
    pub kind: DifferenceKind,
    /// JSON Pointer within the request; the tape's if it has the value.
    pub pointer: String,
    /// Line and column in the tape's file; if the tape lacks the value, of the enclosing value.
    pub tape_place: Place,
    /// Line and column in the request's file; if it lacks the value, of the enclosing value.
    pub request_place: Place,
    /// Message, as a sentence without a full stop.
    pub message: String,
}

named_enum! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum DifferenceKind {
        Value = "value",
        /// The request lacks what the tape has.
        Missing = "missing",
        /// The request has what the tape lacks.
        Extra = "extra",
        /// The same meaning in other bytes: the order of keys, or white space and spelling of JSON within a string.
        Bytes = "bytes",
        Id = "id",
        /// A date or time.
        Date = "date",
    }

    /// Returns its name in JSON.
    pub fn as_str;
}

/// The result of comparing two requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyVerdict {
    /// The shape of the tape's request.
    pub shape: RequestShape,
    /// Reasons why the tape does not answer the request; empty if it does.
    pub differences: Vec<RequestDifference>,
    pub ignored: Vec<RequestDifference>,
}

impl VerifyVerdict {
    /// Returns whether the tape answers the request.
    pub fn matches(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares a request with the one of a tape. `request` may be a bare request, or a tape whose request is used.
///
/// # Errors
///
/// Returns why they cannot be compared, as a sentence without a full stop.
pub fn verify(
    tape: &Document,
    request: &Document,
    strictness: Strictness,
) -> Result<VerifyVerdict, String> {
    let (shape, pair) = requests(tape, request)?;
    let mut comparison = RequestComparison::new(strictness, pair);
    match compared_keys(shape) {
        [] => comparison.whole(),
        keys => comparison.members(keys),
    }
    let (differences, ignored) = comparison.finish();
    Ok(VerifyVerdict { shape, differences, ignored })
}

/// Returns the request of a tape and the one it is compared with.
fn requests<'a>(
    tape: &'a Document,
    request: &'a Document,
) -> Result<(RequestShape, [Node<'a>; 2]), String> {
    let DocumentBody::Tape(tape_body) = &tape.body else {
        return Err("The file is not a tape".to_owned());
    };
    let ours = tape_body.request.map(|id| tape.node(id)).ok_or("The tape has no request")?;
    for (document, subject) in [(tape, "The tape"), (request, "The request")] {
        // A value that could not be parsed would be reported as one that is missing.
        if !document.tree.is_well_formed() {
            return Err(format!(
                "{subject} cannot be read completely{}",
                describe_syntax_error(document)
            ));
        }
    }
    let theirs = match &request.body {
        DocumentBody::Tape(body) => body.request.map(|id| request.node(id)),
        _ => request.tree.root(),
    };
    Ok((tape_body.request_shape, [ours, theirs.ok_or("The file contains no request")?]))
}

/// Describes the first syntax error and its place, to append to a sentence.
fn describe_syntax_error(document: &Document) -> String {
    let fault = document.problems.iter().find(|problem| problem.severity == Severity::Error);
    fault.map_or_else(String::new, |problem| {
        let Place { line, column } = problem.place;
        format!(": line {line}, column {column}: {}", problem.message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::javascript::stringify;
    use document::read;
    use document::text::Source;
    use proptest::prelude::*;

    fn describe(ours: &str, theirs: &str, strictness: Strictness) -> String {
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {ours}, "stream": []}}"#
        );
        let tape = read(Source::new(tape), "tape.json");
        let request = read(Source::new(theirs), "request.json");
        let verdict = match verify(&tape, &request, strictness) {
            Ok(verdict) => verdict,
            Err(reason) => return reason,
        };
        let line = |lead: &str, difference: &RequestDifference| {
            format!(
                "{lead}{} {:?} {} {}\n",
                difference.kind.as_str(),
                difference.pointer,
                difference.request_place,
                difference.message
            )
        };
        let mut lines = format!("{}\n", verdict.matches());
        verdict.differences.iter().for_each(|d| lines += &line("", d));
        verdict.ignored.iter().for_each(|d| lines += &line("ignored ", d));
        lines
    }

    fn strict(ours: &str, theirs: &str) -> String {
        describe(ours, theirs, Strictness::Strict)
    }

    fn loose(ours: &str, theirs: &str) -> String {
        describe(ours, theirs, Strictness::Loose)
    }

    const CONTENTS: &str = r#"{"model": "m", "contents": "[{\"date\":\"2025-01-01\",\"title\":\"A\"}]", "config": {"a": 1.0, "b": [1, 2]}}"#;

    #[test]
    fn the_whole_request_is_compared_by_its_stringified_text() {
        let same = r#" { "model":"m","contents":"[{\"date\":\"2025-01-01\",\"title\":\"\u0041\"}]", "config": { "a":1, "b": [ 1,2 ] } } "#;
        assert_eq!(strict(CONTENTS, same), "true\n");
        insta::assert_snapshot!(strict(CONTENTS, r#"{"contents": "[{\"date\":\"2025-01-01\",\"title\":\"A\"}]", "model": "m", "config": {"b": [1, 2], "a": 1}}"#), @r#"
        false
        bytes "/config" 1:85 Equal in meaning, different in bytes: the keys are `a` and `b` in the tape, `b` and `a` in the request
        "#);
        insta::assert_snapshot!(strict(CONTENTS, r#"{"model": "m", "contents": "[{\"date\": \"2025-01-01\",\"title\":\"A\"}]", "config": {"a": 1, "b": [1, 2]}}"#), @r#"
        false
        bytes "/contents" 1:28 Equal in meaning, different in bytes at line 1, column 10 of the text: `"2025-01-01","title":"A"` in the tape, ` "2025-01-01","title":"A` in the request
        "#);
        insta::assert_snapshot!(strict(CONTENTS, r#"{"model": "n", "contents": "[{\"date\":\"2025-01-02\",\"title\":\"B\"}]", "config": {"b": [2, 3], "c": null}}"#), @r#"
        false
        value "/model" 1:11 The tape has `"m"`, the request has `"n"`
        value "/contents" 1:28 In the JSON of the text, at `/0/date`: the tape has `"2025-01-01"`, the request has `"2025-01-02"`
        value "/contents" 1:28 In the JSON of the text, at `/0/title`: the tape has `"A"`, the request has `"B"`
        missing "/config/a" 1:85 The request lacks `a`
        missing "/config/b/0" 1:91 The request lacks element 1, `1`
        extra "/config/b/1" 1:95 The tape lacks element 2, `3`
        extra "/config/c" 1:104 The tape lacks `c`
        "#);
    }

    #[test]
    fn loose_comparison_ignores_ids_dates_and_spelling() {
        insta::assert_snapshot!(loose(CONTENTS, r#"{"contents": "[ {\"title\":\"A\",\"date\":\"2025-01-02\"}]", "model": "m", "requestId": 7, "config": {"a": 1, "b": [1, 2]}}"#), @r#"
        true
        ignored date "/contents" 1:14 In the JSON of the text, at `/0/date`: the texts first differ at line 1, column 10 of the text: `1` in the tape, `2` in the request
        ignored bytes "/contents" 1:14 In the JSON of the text, at `/0`: equal in meaning, different in bytes: the keys are `date` and `title` in the tape, `title` and `date` in the request
        ignored extra "/requestId" 1:89 `requestId` is not compared
        "#);
        insta::assert_snapshot!(loose(r#"{"contents": "At 2025-01-01: go", "model": 1}"#, r#"{"contents": "At 2025-02-01: go", "model": 2}"#), @r#"
        false
        value "/model" 1:44 The tape has `1`, the request has `2`
        ignored date "/contents" 1:14 The texts first differ at line 1, column 10 of the text: `1-01: go` in the tape, `2-01: go` in the request
        "#);
        insta::assert_snapshot!(loose(CONTENTS, r#"{"contents": "[{\"date\": \"2025-01-01\",\"title\":\"A\"}]", "model": "m", "config": {"a": 1, "b": [1, 2]}}"#), @r#"
        true
        ignored bytes "/contents" 1:14 Equal in meaning, different in bytes at line 1, column 10 of the text: `"2025-01-01","title":"A"` in the tape, ` "2025-01-01","title":"A` in the request
        "#);
    }

    #[test]
    fn a_history_is_compared_event_by_event() {
        let ours = r#"{"model": "m", "systemPrompt": "Be kind.", "history": [{"role": "user", "text": "a"}, {"role": "model", "text": "b"}, {"role": "user", "text": "c"}], "materialsUsed": [1]}"#;
        let same = r#"{"history": [ {"role":"user","text":"\u0061"}, {"role": "model", "text": "b"}, {"role": "user", "text": "c"}], "systemPrompt": "Be kind.", "model": "m", "more": 1}"#;
        insta::assert_snapshot!(strict(ours, same), @r#"
        true
        ignored missing "/materialsUsed" 1:1 `materialsUsed` is not compared
        ignored extra "/more" 1:162 `more` is not compared
        "#);
        let other = r#"{"model": "m", "systemPrompt": "Be brief.", "history": [{"role": "user", "text": "new"}, {"role": "user", "text": "a"}, {"role": "model", "text": "B"}, {"role": "user", "text": "c"}], "materialsUsed": [1]}"#;
        insta::assert_snapshot!(strict(ours, other), @r#"
        false
        value "/systemPrompt" 1:32 The tape has `"Be kind."`, the request has `"Be brief."`
        extra "/history/0" 1:57 The tape lacks event 1, `{"role": "user", "text": "new"}`
        value "/history/1/text" 1:147 The tape has `"b"`, the request has `"B"`
        "#);
        insta::assert_snapshot!(strict(ours, r#"{"model": "m", "history": [{"role": "user", "text": "a"}]}"#), @r#"
        false
        missing "/systemPrompt" 1:1 The request lacks `systemPrompt`
        missing "/history/1" 1:27 The request lacks event 2, `{"role": "model", "text": "b"}`
        missing "/history/2" 1:27 The request lacks event 3, `{"role": "user", "text": "c"}`
        ignored missing "/materialsUsed" 1:1 `materialsUsed` is not compared
        "#);
    }

    #[test]
    fn in_an_event_the_order_of_keys_and_white_space_of_texts_count() {
        let ours = r#"{"model": "m", "systemPrompt": "s", "history": [{"role": "user", "at": {"x": 1, "y": 2}}, {"text": "{\"a\":1}"}]}"#;
        let theirs = r#"{"model": "m", "systemPrompt": "s", "history": [{"at": {"y": 2, "x": 1}, "role": "user"}, {"text": "{\"a\": 1}"}]}"#;
        insta::assert_snapshot!(strict(ours, theirs), @r#"
        false
        bytes "/history/0/at" 1:56 Equal in meaning, different in bytes: the keys are `x` and `y` in the tape, `y` and `x` in the request
        bytes "/history/0" 1:49 Equal in meaning, different in bytes: the keys are `role` and `at` in the tape, `at` and `role` in the request
        bytes "/history/1/text" 1:100 Equal in meaning, different in bytes at line 1, column 6 of the text: `1}` in the tape, ` 1}` in the request
        "#);
        insta::assert_snapshot!(loose(ours, theirs), @r#"
        true
        ignored bytes "/history/0/at" 1:56 Equal in meaning, different in bytes: the keys are `x` and `y` in the tape, `y` and `x` in the request
        ignored bytes "/history/0" 1:49 Equal in meaning, different in bytes: the keys are `role` and `at` in the tape, `at` and `role` in the request
        ignored bytes "/history/1/text" 1:100 Equal in meaning, different in bytes at line 1, column 6 of the text: `1}` in the tape, ` 1}` in the request
        "#);
        insta::assert_snapshot!(strict(ours, r#"{"model": "m", "systemPrompt": "s", "history": [{"role": "user"}, {"text": "{\"a\":1}"}, {}]}"#), @r#"
        false
        missing "/history/0/at" 1:49 The request lacks `at`
        extra "/history/2" 1:90 The tape lacks event 3, `{}`
        "#);
    }

    /// Returns a small value of JSON, written with white space, escapes and the order of keys as they come.
    fn value() -> impl Strategy<Value = String> {
        let key = prop::sample::select(vec!["a", "b", "1", "id"]);
        let leaf = prop::sample::select(vec![
            "1",
            "1.0",
            "1e999",
            "null",
            "true",
            "\"x\"",
            "\"\\u0078\"",
            "\"{\\\"a\\\":1}\"",
            "\"{\\\"a\\\": 1}\"",
            "\"\\ud83d\"",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, move |inner| {
            let members = prop::collection::vec((key.clone(), inner.clone()), 0..4);
            let object = members.prop_map(|members| {
                let members = members.iter().map(|(key, value)| format!("\"{key}\" : {value}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            });
            let list = prop::collection::vec(inner, 0..4);
            prop_oneof![object, list.prop_map(|items| format!("[{}]", items.join(" ,")))]
        })
    }

    /// Returns what `JSON.stringify` makes of a text.
    fn stringified(text: &str) -> String {
        let document = read(Source::new(text), "value.json");
        stringify(document.tree.root().unwrap())
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn strictly_a_request_is_answered_exactly_when_its_text_is_the_same(ours in value(), theirs in value(), same in any::<bool>()) {
            let theirs = if same { ours.replace(" : ", ":") } else { theirs };
            let is_same = stringified(&ours) == stringified(&theirs);
            let whole = |value: &str| format!("{{\"model\":\"m\",\"contents\":\"c\",\"config\":{value}}}");
            prop_assert_eq!(strict(&whole(&ours), &whole(&theirs)).starts_with("true"), is_same);
            let history = |value: &str| format!("{{\"model\":\"m\",\"history\":[{value}]}}");
            prop_assert_eq!(strict(&history(&ours), &history(&theirs)).starts_with("true"), is_same);
        }
    }

    #[test]
    fn beside_model_contents_and_config_nothing_counts() {
        let other = r#"{"config": {"a": 1, "b": [1, 2]}, "extra": [1], "contents": "[{\"date\":\"2025-01-01\",\"title\":\"A\"}]", "model": "m"}"#;
        insta::assert_snapshot!(strict(CONTENTS, other), @r#"
        true
        ignored extra "/extra" 1:44 `extra` is not compared
        "#);
        insta::assert_snapshot!(strict(other, CONTENTS), @r#"
        true
        ignored missing "/extra" 1:1 `extra` is not compared
        "#);
        insta::assert_snapshot!(strict(r#"{"model": "m", "contents": "c", "history": []}"#, r#"{"model": "m", "contents": "d"}"#), @r#"
        false
        value "/contents" 1:28 The tape has `"c"`, the request has `"d"`
        ignored missing "/history" 1:1 `history` is not compared
        "#);
        insta::assert_snapshot!(strict(r#"{"model": "m", "contents": "c"}"#, r#"{"model": "m", "contents": "c", "config": {}}"#), @r#"
        false
        extra "/config" 1:43 The tape lacks `config`
        "#);
        // No known shape: all of it counts.
        insta::assert_snapshot!(strict(r#"{"model": "m", "input": "c"}"#, r#"{"input": "c", "model": "m"}"#), @r#"
        false
        bytes "" 1:1 Equal in meaning, different in bytes: the keys are `model` and `input` in the tape, `input` and `model` in the request
        "#);
    }

    #[test]
    fn a_tape_can_be_given_as_its_request() {
        let other = format!(
            r#"{{"meta": {{"model": "x", "recordedAt": "y"}}, "request": {CONTENTS}, "stream": [{{"text": "a"}}]}}"#
        );
        assert_eq!(strict(CONTENTS, &other), "true\n");
        insta::assert_snapshot!(strict(CONTENTS, &other.replace("\"m\"", "\"n\"")), @r#"
        false
        value "/model" 1:66 The tape has `"m"`, the request has `"n"`
        "#);
        assert_eq!(
            strict(CONTENTS, "{\"model\":"),
            "The request cannot be read completely: line 1, column 10: The file ends inside the object that starts at line 1; `}` is \
             expected"
        );
        assert_eq!(
            strict(CONTENTS, ""),
            "The request cannot be read completely: line 1, column 1: The file is empty"
        );
        insta::assert_snapshot!(strict(CONTENTS, "[]"), @r#"
        false
        value "" 1:1 The tape has `{"model": "m", "contents": "[{\"date\":\"2025-01-01\",\"titl…`, the request has `[]`
        "#);
    }
}
