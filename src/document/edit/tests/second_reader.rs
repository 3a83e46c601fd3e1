//! Texts that the second reader confirms, skips and refuses.

use proptest::prelude::*;
use serde_json::Value;

use super::generate::{Choices, apply, choices, describe, edit_request, value};
use super::yaml_generator::document;
use super::{insert, remove, rename, set, shift, tree};
use crate::Syntax;
use crate::edit::expected_edit::ExpectedValues;
use crate::edit::second_reader::{SecondReading, check_edit, check_new, check_replaced};
use crate::edit::{Edit, JsonValue, candidates, plan};
use crate::text::TextEdit;

/// Compares a text with the supposed result of an edit.
fn reading(old_text: &str, edit: &Edit, new_text: &str) -> Result<SecondReading, String> {
    let (tree, new) = (tree(Syntax::Yaml, old_text), tree(Syntax::Yaml, new_text));
    let plans = candidates(&tree, edit).unwrap();
    let pieces = ExpectedValues::new(&tree, &plans.outcome);
    check_edit(&tree, &new, &plans.outcome, &pieces)
}

#[test]
fn a_result_that_differs_elsewhere_is_refused_with_the_place() {
    let old_text = "a: 1\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n";
    let report = |edit: &Edit, new_text: &str| match reading(old_text, edit, new_text) {
        Ok(reading) => format!("{reading:?}"),
        Err(reason) => reason,
    };
    let edits = [
        (set("/a", "2"), "a: 2\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (set("/a", "2"), "a: 2\nb: [yes, 12:31]\nc: {d: x}\n---\ne: 1\n"),
        (set("/a", "2"), "a: 3\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (set("/a", "\"on\""), "a: on\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (set("/a", "\"3\""), "a: 3\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (set("/a", "2"), "a: 2\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 2\n"),
        (set("/a", "2"), "a: 2\nb: [yes, 12:30]\nc: {d: x}\n"),
        (set("/a", "2"), "a: 2\nb: [yes, 12:30\nc: {d: x}\n"),
        (set("/a", "2"), "a: !!float 2\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (insert("/b/0", "null"), "a: 1\nb: [~, yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (remove("/c/d"), "a: 1\nb: [yes, 12:30]\nc: {}\n---\ne: 1\n"),
        (remove("/c/d"), "a: 1\nb: [yes, 12:30]\nc:\n---\ne: 1\n"),
        (rename("/a", "no"), "no: 1\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (rename("/a", "7"), "7: 1\nb: [yes, 12:30]\nc: {d: x}\n---\ne: 1\n"),
        (shift("/b/0", 1), "a: 1\nb: [12:30, yes]\nc: {d: x}\n---\ne: 1\n"),
    ];
    let reports = edits.map(|(edit, new_text)| report(&edit, new_text));
    insta::assert_snapshot!(reports.join("\n"), @"
    Confirmed
    Another YAML reader would read `/b/1` differently; edit the text instead
    Another YAML reader would read `/a` differently; edit the text instead
    Confirmed
    Another YAML reader would read `/a` differently; edit the text instead
    Another YAML reader would read the result differently; edit the text instead
    Another YAML reader would read the result differently; edit the text instead
    Another YAML reader could not read the result: did not find expected ',' or ']' at line 3 column 2, while parsing a flow sequence at line 2 column 4; edit the text instead
    Confirmed
    Confirmed
    Confirmed
    Another YAML reader would read `/c` differently; edit the text instead
    Confirmed
    Another YAML reader would read `/7` differently; edit the text instead
    Confirmed
    ");
}

#[test]
fn what_it_cannot_compare_is_skipped() {
    let nested_lists =
        |depth: usize| format!("a: 1\nb: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    let long_text = format!("a: 1\nb: {}\n", "x".repeat(1 << 20));
    let texts = [
        "a: 1\nb: [1]\n".to_owned(),
        long_text,
        "a: 1\nb: &b 1\nc: *b\n".to_owned(),
        "a: 1\nb: !own 1\n".to_owned(),
        "a: 1\n? [b]\n: 1\n".to_owned(),
        "a: 1\nb: \u{7}\n".to_owned(),
        nested_lists(100),
        nested_lists(140),
    ];
    let readings = texts.map(|text| {
        let new_text = text.replacen('1', "2", 1);
        format!("{:?}", reading(&text, &set("/a", "2"), &new_text).unwrap())
    });
    insta::assert_snapshot!(readings.join(" "), @"Confirmed TooLong HasAliases Unreadable Unreadable Unreadable Confirmed Unreadable");
    let outcome = reading(
        "a: 1\n",
        &set("/a", &nested_lists(140)[8..288]),
        &nested_lists(140)[5..].replace('b', "a"),
    );
    assert_eq!(outcome, Ok(SecondReading::TooDeep));
}

#[test]
fn a_new_text_is_exactly_what_was_meant() {
    let expected =
        JsonValue::parse(r#"{"a": ["yes", 1e400, 12345678901234567890123, -0, 1.50], "7": null}"#);
    let expected = expected.unwrap();
    let read = |text: &str| {
        check_new(text, &expected).map_or_else(|reason| reason, |reading| format!("{reading:?}"))
    };
    let texts = [
        "a: [\"yes\", 1.0e+400, 12345678901234567890123, -0, 1.50]\n\"7\": null\n",
        "a: [\"yes\", 1.0e+400, 12345678901234567890124, -0, 1.50]\n\"7\": null\n",
        "a: [\"yes\", 1.0e+400, 12345678901234567890123, -0, 1.50]\n7: null\n",
        "a: [\"yes\", 1.0e+400, 12345678901234567890123, -0, 1.50]\n\"7\": null\nb: 1\n",
        "a: [yes, 1.0e+400\n",
    ];
    insta::assert_snapshot!(texts.map(read).join("\n"), @"
    Confirmed
    Another YAML reader would read `/a/2` differently; write it as JSON instead
    Another YAML reader would read `/7` differently; write it as JSON instead
    Another YAML reader would read the result differently; write it as JSON instead
    Another YAML reader could not read the result: did not find expected ',' or ']' at line 2 column 1, while parsing a flow sequence at line 1 column 4; write it as JSON instead
    ");
}

#[test]
fn a_value_that_is_put_back_leaves_the_others_as_they_are() {
    let (old_text, new_text) = ("a: {b: 1}\nc: yes\n", "a: 0x1f # c\nc: yes\n");
    let read = |old_text: &str, new_text: &str| {
        let (tree, new) = (tree(Syntax::Yaml, old_text), tree(Syntax::Yaml, new_text));
        check_replaced(tree.at_pointer("/a").unwrap(), new.at_pointer("/a").unwrap())
    };
    assert_eq!(read(old_text, new_text), Ok(SecondReading::Confirmed));
    assert!(read(old_text, "a: 0x1f\nc: no\n").is_err());
    assert!(read(old_text, "a: 0x1f\nc: yes\nd:\n").is_err());
}

/// Numbers by their value: `0.` is `0`.
fn by_value(value: Value) -> Value {
    match value {
        Value::Number(number) => number
            .as_f64()
            .filter(|n| n.fract() == 0.0 && n.abs() < 1e15)
            .map_or(Value::Number(number), |integer| (integer as i64).into()),
        Value::Array(items) => items.into_iter().map(by_value).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, by_value(value))).collect()
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(crate::text::cases(512))]

    #[test]
    fn planned_edits_are_confirmed_and_what_breaks_them_is_refused(
        before in value(),
        bytes in choices(),
        request in edit_request(),
        changed in prop::collection::vec((any::<prop::sample::Index>(), 0u8..128), 1..20),
    ) {
        let text = document(&before, &mut Choices::new(&bytes));
        let tree = tree(Syntax::Yaml, &text);
        let has_aliases = text.contains(" *a");
        let Some(edit) = request.edit(&tree).filter(|_| !has_aliases) else { return Ok(()) };
        let Ok(TextEdit { range, new }) = plan(&tree, &edit) else { return Ok(()) };
        let place = range.start..range.start + new.len();
        let mut new_text = text.clone();
        TextEdit { range, new }.apply(&mut new_text);
        prop_assert_eq!(reading(&text, &edit, &new_text), Ok(SecondReading::Confirmed), "{}", describe(&edit));
        let value = |text: &str| serde_yaml::from_str::<Value>(text.trim_start_matches('\u{feff}')).ok();
        let mut expected = value(&text).unwrap();
        apply(&mut expected, &edit).unwrap();
        for (at, byte) in changed {
            let (at, mut broken_text) = (at.index(new_text.len()), new_text.clone());
            if !new_text.is_char_boundary(at) || !new_text.is_char_boundary(at + 1) || place.contains(&at) {
                continue;
            }
            broken_text.replace_range(at..=at, char::from(byte).encode_utf8(&mut [0; 4]));
            let is_same = value(&broken_text).is_some_and(|read| by_value(read) == by_value(expected.clone()));
            prop_assert!(is_same || reading(&text, &edit, &broken_text).is_err(), "{}\n->\n{}", new_text, broken_text);
        }
    }
}
