//! Edits of JSON in every style.

use proptest::prelude::*;
use serde_json::Value;

use super::edited;
use super::generate::{Choices, apply, choices, describe, edit_request, value};
use crate::edit::Edit;
use crate::{Node, NodeKind, Syntax};

/// Spacing of a whole document.
struct JsonSpacing {
    newline: &'static str,
    /// One step of indentation; `None` for one line.
    unit: Option<&'static str>,
    colon: &'static str,
    comma: &'static str,
    is_odd: bool,
}

fn document(value: &Value, choices: &mut Choices<'_>) -> String {
    let style = JsonSpacing {
        newline: choices.one_of(&["\n", "\n", "\r\n"]),
        unit: choices.one_of(&[None, Some("  "), Some("    "), Some("\t"), Some("")]),
        colon: choices.one_of(&[":", ": ", ": ", " : "]),
        comma: choices.one_of(&[",", ", ", " , "]),
        is_odd: choices.rarely(4),
    };
    let mut text = choices.one_of(&["", "", "\u{feff}"]).to_owned();
    write(value, &style, "", choices, &mut text);
    text.push_str(choices.one_of(&["", style.newline, style.newline, "  ", "\n\n"]));
    text
}

fn write(
    value: &Value,
    style: &JsonSpacing,
    margin: &str,
    choices: &mut Choices<'_>,
    text: &mut String,
) {
    let odd_space = |choices: &mut Choices<'_>| {
        if style.is_odd { choices.one_of(&["", " ", "\n", "\t ", "\r\n\r\n"]) } else { "" }
    };
    let (open, close, parts): (char, char, Vec<(Option<&String>, &Value)>) = match value {
        Value::Array(list) => ('[', ']', list.iter().map(|value| (None, value)).collect()),
        Value::Object(map) => {
            ('{', '}', map.iter().map(|(key, value)| (Some(key), value)).collect())
        }
        Value::String(string) => return text.push_str(&quoted(string, choices)),
        Value::Number(_) => {
            let spellings = ["1.50", "-0", "1E5", "0.5e-7", "12345678901234567890123", "7"];
            return text.push_str(choices.one_of(&spellings));
        }
        other => return text.push_str(&other.to_string()),
    };
    text.push(open);
    let unit = style.unit.filter(|_| !choices.rarely(5));
    let inner_margin = unit.map(|unit| format!("{margin}{unit}"));
    let line = inner_margin.as_ref().map(|inner_margin| format!("{}{inner_margin}", style.newline));
    let inner_margin = inner_margin.unwrap_or_else(|| margin.to_owned());
    for (index, (key, part)) in parts.iter().enumerate() {
        if index > 0 {
            let comma = if line.is_some() { "," } else { style.comma };
            text.push_str(odd_space(choices));
            text.push_str(comma);
        }
        text.push_str(line.as_deref().unwrap_or_default());
        text.push_str(odd_space(choices));
        if let Some(key) = key {
            text.push_str(&quoted(key, choices));
            text.push_str(odd_space(choices));
            text.push_str(style.colon);
        }
        write(part, style, &inner_margin, choices, text);
    }
    if let (Some(_), false) = (&line, parts.is_empty()) {
        text.push_str(style.newline);
        text.push_str(margin);
    }
    text.push_str(odd_space(choices));
    text.push(close);
}

fn quoted(string: &str, choices: &mut Choices<'_>) -> String {
    let json = Value::from(string).to_string();
    match choices.below(5) {
        0 => json.replace('a', "\\u0061"),
        1 => json.replace('é', "\\u00E9").replace('😀', "\\ud83d\\uDE00"),
        _ => json,
    }
}

/// Returns a value as `JSON.stringify` writes it, with so much indentation.
fn stringified(node: Node<'_>, unit: &str, margin: &str) -> String {
    let (open, close) = match node.kind() {
        NodeKind::Array => ('[', ']'),
        NodeKind::Object => ('{', '}'),
        _ => return node.raw().to_owned(),
    };
    let inner_margin = format!("{margin}{unit}");
    let (line, last) = match unit {
        "" => (String::new(), String::new()),
        _ => (format!("\n{inner_margin}"), format!("\n{margin}")),
    };
    let parts = node.items().map(|part| {
        let key = part.key_span().map(|key| node.tree().source().slice(key));
        let colon = if unit.is_empty() { ":" } else { ": " };
        let key = key.map_or(String::new(), |key| format!("{key}{colon}"));
        format!("{line}{key}{}", stringified(part, unit, &inner_margin))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        format!("{open}{close}")
    } else {
        format!("{open}{}{last}{close}", parts.join(","))
    }
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn only_the_edited_bytes_change(old_value in value(), bytes in choices(), request in edit_request()) {
        let text = document(&old_value, &mut Choices::new(&bytes));
        let tree = super::tree(Syntax::Json, &text);
        prop_assert!(tree.fault().is_none(), "{text:?}");
        let Some(edit) = request.edit(&tree) else { return Ok(()) };
        let node = tree.at_pointer(edit.pointer());
        let is_taken = matches!(&edit, Edit::Rename { key, .. } if node.unwrap().parent().unwrap().get(key).is_some());
        let (planned_edit, new_text) = match edited(Syntax::Json, &text, &edit) {
            Ok(outcome) => outcome,
            Err(refusal) => {
                prop_assert!(is_taken, "{} of {text:?}: {refusal}", describe(&edit));
                return Ok(());
            }
        };

        let old = &text[planned_edit.range.clone()];
        match &edit {
            Edit::Set { .. } => prop_assert_eq!(planned_edit.range, node.unwrap().span().range()),
            Edit::Rename { .. } => prop_assert_eq!(planned_edit.range, node.unwrap().key_span().unwrap().range()),
            Edit::Insert { .. } | Edit::InsertBefore { .. } => prop_assert!(old.is_empty() || matches!(old.replace(char::is_whitespace, "").as_str(), "[]" | "{}"), "{old:?}"),
            Edit::Remove { .. } => {
                prop_assert_eq!(&planned_edit.new, "");
                let node = node.unwrap();
                let value = node.span().range();
                let key = node.key_span().map_or(value.start..value.start, |key| key.range());
                let rest = [planned_edit.range.start..key.start, key.end..value.start, value.end..planned_edit.range.end];
                let rest: String = rest.map(|range| &text[range]).concat();
                prop_assert!(rest.chars().all(|c| c.is_whitespace() || ",:".contains(c)), "{old:?}");
            }
            Edit::Move { .. } => prop_assert_eq!(old.len(), planned_edit.new.len()),
        }

        let read = |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'));
        let mut expected = read(&text).unwrap();
        apply(&mut expected, &edit).unwrap();
        prop_assert_eq!(read(&new_text).unwrap(), expected, "{} of {}", describe(&edit), text);
    }
    #[test]
    fn what_a_machine_wrote_looks_as_if_it_had_written_the_edit(
        old_json in value(),
        unit in prop::sample::select(["", "  ", "    ", "\t"].as_slice()),
        request in edit_request(),
    ) {
        let old_json = serde_json::json!({ "first": [1, 2], "then": old_json }).to_string();
        let root = super::tree(Syntax::Json, &old_json);
        let text = stringified(root.root().unwrap(), unit, "");
        let tree = super::tree(Syntax::Json, &text);
        let Some(edit) = request.edit(&tree) else { return Ok(()) };
        if let Ok((_, after)) = edited(Syntax::Json, &text, &edit) {
            let tree = super::tree(Syntax::Json, &after);
            prop_assert_eq!(&after, &stringified(tree.root().unwrap(), unit, ""), "{} of\n{}", describe(&edit), text);
        }
    }
}
