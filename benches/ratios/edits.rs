//! An edit: the document is looked at, the new text is read, all values are compared. Beside it: reading the text once.

use document::edit::{Edit, JsonValue, plan};
use document::text::Source;
use document::{Tree, json, yaml};

use super::{line, shortest};

/// How many elements the lists have that are edited.
const ELEMENT_COUNT: usize = 20_000;

pub(crate) fn measure() {
    let chunk = |n| format!("    {{ \"delayNs\": {n}, \"text\": \"a piece of text\" }}");
    let chunks: Vec<String> = (0..ELEMENT_COUNT).map(chunk).collect();
    let tape = format!("{{\n  \"stream\": [\n{}\n  ]\n}}\n", chunks.join(",\n"));
    edits("in a tape", &tape, |source| json::parse(source).0, "/stream/100");

    let response = |n| format!("  - tool: store # {n}\n    response: {{ id: \"{n}\" }}\n");
    let responses: String = (0..ELEMENT_COUNT).map(response).collect();
    let session = format!("id: a\ntool_responses:\n{responses}");
    edits("in a session", &session, |source| yaml::parse(source).0, "/tool_responses/100");
}

fn edits(place: &str, text: &str, parse: fn(&Source) -> Tree, pointer: &str) {
    let source = Source::new(text);
    let read = || parse(&source);
    let tree = read();
    let reference = ("reading the text", shortest(read));
    let pointer = pointer.to_owned();
    let set = Edit::Set { pointer: pointer.clone(), value: JsonValue::text("new") };
    let shift = Edit::Move { pointer, to: 0 };
    line(&format!("set {place}"), shortest(|| planned(&tree, &set)), reference);
    line(&format!("move {place}"), shortest(|| planned(&tree, &shift)), reference);
}

fn planned(tree: &Tree, edit: &Edit) -> bool {
    let is_planned = plan(tree, edit).is_ok();
    assert!(is_planned, "the edit is possible");
    is_planned
}
