//! Edits of YAML in every style.

use proptest::prelude::*;
use serde_json::Value;

use super::generate::{Choices, apply, choices, describe, edit_request, value};
use super::yaml_generator::document;
use super::{edited, rename};
use crate::edit::Edit;
use crate::{Node, Syntax, Tree};

/// Texts that without quotes are something else to YAML 1.1, to YAML 1.2, or to both.
pub(super) const TRICKY_TEXTS: &[&str] = &[
    "no",
    "Yes",
    "on",
    "y",
    "N",
    "true",
    "null",
    "~",
    "",
    "12:30",
    "0o17",
    "017",
    "0x1f",
    "1e3",
    "1_000",
    "1.5",
    ".5",
    "-1",
    "+12",
    "2026-02-15",
    "2026-02-15 10:00:00",
    "2026-02-15T10:00:00Z",
    "2026-02-30",
    "=",
    "<<",
    "-",
    "- a",
    "-a",
    "--- a",
    "---",
    "...",
    "?",
    "? a",
    ":",
    ": a",
    "a:",
    "a: b",
    "a:b",
    "http://a.b/c?d",
    "#a",
    "a #b",
    "a# b",
    " a",
    "a ",
    "\ta",
    "a\t",
    "a\tb",
    "[a]",
    "{a}",
    "a, b",
    "a]",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'a'",
    "\"a\"",
    "it's",
    "say \"x\"",
    "%a",
    "@a",
    "`a`",
    "a\\b",
    "\\n",
    "a\nb",
    "a\n",
    "\na",
    "a\n\nb\n",
    "a\n  b\n",
    "  a\nb",
    "a\n\n",
    "\n",
    "a \nb",
    "a\n b\n\n\n",
    "a\r\nb",
    "a\rb",
    "\u{0}",
    "\u{7}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "a\u{85}b",
    "\u{a0}",
    "\u{2028}",
    "a\u{2029}b",
    "\u{feff}",
    "a\u{feff}b",
    "\u{fffe}",
    "\u{ffff}",
    "😀",
    "👩\u{200d}💻",
    "\u{10ffff}",
    "é",
    "日本",
    ".inf",
    "-.INF",
    ".nan",
    "NaN",
    "Infinity",
    "0",
    "-0",
    "08",
    "0b1",
    "1e+3",
    "1.e3",
    "190:20:30",
    "685_230.15",
    "null ",
    "No way",
    "4 days",
    "1st",
    "a\n\tb",
    "\ta\nb",
    "a: |",
    "a\n---\nb",
    "a\n...\nb",
    "# a\nb",
    "a\n# b\n",
    "trailing  \nspaces \n",
    "x\n \ny",
];

#[test]
fn texts_that_look_like_something_else_stay_texts() {
    let places = [
        ("k: old # c\n", "/k"),
        ("- k: 'old'\n  l: 1\n", "/0/k"),
        ("{k: [old]}\n", "/k/0"),
        ("k: |\n  old\n  text\nl: 1\n", "/k"),
        ("k: >-\n  old\nl: 1\n", "/k"),
        ("k:\r\n  - old\r\n", "/k/0"),
    ];
    let read = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
    for text in TRICKY_TEXTS {
        for (document, pointer) in places {
            let (_, new_text) = edited(Syntax::Yaml, document, &set_text(pointer, text)).unwrap();
            assert_eq!(read(&new_text).pointer(pointer), Some(&Value::from(*text)), "{new_text}");
        }
        let (_, new_text) = edited(Syntax::Yaml, "k: 1\nl: 2\n", &rename("/k", text)).unwrap();
        assert_eq!(read(&new_text).get(text), Some(&Value::from(1)), "{new_text}");
    }
}

fn set_text(pointer: &str, text: &str) -> Edit {
    Edit::Set { pointer: pointer.to_owned(), value: crate::edit::JsonValue::text(text) }
}

/// Returns true if an alias elsewhere refers to the value, or to one inside or around it.
fn is_reported_elsewhere(tree: &Tree, pointer: &str) -> bool {
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    let mut node = tree.at_pointer(pointer).or(tree.at_pointer(parent));
    let mut ancestors = Vec::new();
    while let Some(ancestor) = node {
        ancestors.push(ancestor.id());
        node = ancestor.parent();
    }
    let targets: Vec<Node<'_>> = tree.nodes().filter_map(Node::alias_target).collect();
    targets.iter().any(|target| ancestors.contains(&target.id()))
}

proptest! {
    #![proptest_config(crate::text::cases(512))]

    #[test]
    fn only_the_edited_bytes_change(old_value in value(), bytes in choices(), request in edit_request()) {
        let text = document(&old_value, &mut Choices::new(&bytes));
        let tree = super::tree(Syntax::Yaml, &text);
        prop_assert!(tree.fault().is_none(), "{text}\n{:?}", tree.fault());
        let Some(edit) = request.edit(&tree) else { return Ok(()) };
        let description = describe(&edit);
        let (_, new_text) = match edited(Syntax::Yaml, &text, &edit) {
            Ok(outcome) => outcome,
            Err(refusal) => {
                // A block of text at the end of a file without a last line end reads otherwise anywhere else.
                let has_block = tree.nodes().any(|node| node.raw().starts_with(['|', '>']));
                let is_open = has_block && !text.ends_with('\n');
                // What is named elsewhere cannot go, nor come after what it is named by.
                let names = ["alias", "Aliases", "anchor", "merge"];
                let is_named = text.contains(": *a") || text.contains("- *a");
                let is_tagged = refusal.contains("The tag before the value");
                let is_named = is_tagged || is_named && names.iter().any(|name| refusal.contains(name));
                prop_assert!(is_open || is_named, "{description} of\n{text}\n: {refusal}");
                return Ok(());
            }
        };
        if is_reported_elsewhere(&tree, edit.pointer()) {
            return Ok(());
        }
        let read = |text: &str| {
            let text = text.trim_start_matches('\u{feff}');
            serde_yaml::from_str::<Value>(text).map_err(|error| error.to_string())
        };
        let old_value = read(&text);
        prop_assert!(old_value.is_ok(), "{text}\n{old_value:?}");
        let expected = old_value.map(|mut value| {
            apply(&mut value, &edit).unwrap();
            value
        });
        prop_assert_eq!(read(&new_text), expected, "{} of\n{}\n->\n{}", description, text, new_text);
    }
}
