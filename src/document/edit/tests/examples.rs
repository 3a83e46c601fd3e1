//! Edits as text in, text out.

use super::{edited, insert, remove, rename, set, shift};
use crate::Syntax;
use crate::edit::Edit;

fn json(text: &str, edit: &Edit) -> String {
    shown(edited(Syntax::Json, text, edit))
}

fn yaml(text: &str, edit: &Edit) -> String {
    shown(edited(Syntax::Yaml, text, edit))
}

fn shown(outcome: Result<(crate::text::TextEdit, String), String>) -> String {
    match outcome {
        Ok((_, after)) => after.replace('\r', "\\r").replace('\t', "→"),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

const TABBED_JSON: &str = "{\r\n\t\"a\": 1.50,\r\n\t\"chunks\": [\r\n\t\t{ \"ns\":1, \"text\": \"q\" },\r\n\t\t{ \"ns\":2, \"text\": \"r\" }\r\n\t],\r\n\t\"none\": {},\r\n\t\"few\": [1, 2,3]\r\n}";

#[test]
fn json_takes_the_layout_of_what_is_beside_it() {
    insta::assert_snapshot!(json(TABBED_JSON, &insert("/chunks/-", r#"{"ns": 3, "text": ["x"]}"#)), @r#"
    {\r
    →"a": 1.50,\r
    →"chunks": [\r
    →→{ "ns":1, "text": "q" },\r
    →→{ "ns":2, "text": "r" },\r
    →→{ "ns":3, "text":["x"] }\r
    →],\r
    →"none": {},\r
    →"few": [1, 2,3]\r
    }
    "#);
    insta::assert_snapshot!(json(TABBED_JSON, &insert("/none/new", r#"{"deep": [1, {"a": null}]}"#)), @r#"
    {\r
    →"a": 1.50,\r
    →"chunks": [\r
    →→{ "ns":1, "text": "q" },\r
    →→{ "ns":2, "text": "r" }\r
    →],\r
    →"none": {\r
    →→"new": {\r
    →→→"deep": [\r
    →→→→1,\r
    →→→→{\r
    →→→→→"a": null\r
    →→→→}\r
    →→→]\r
    →→}\r
    →},\r
    →"few": [1, 2,3]\r
    }
    "#);
    insta::assert_snapshot!(json(TABBED_JSON, &insert("/few/1", "1e400")), @r#"
    {\r
    →"a": 1.50,\r
    →"chunks": [\r
    →→{ "ns":1, "text": "q" },\r
    →→{ "ns":2, "text": "r" }\r
    →],\r
    →"none": {},\r
    →"few": [1, 1e400, 2,3]\r
    }
    "#);
    insta::assert_snapshot!(json(r#"{"a":[1,2],"b":{}}"#, &insert("/b/c", r#"{"d": [1, 2]}"#)), @r#"{"a":[1,2],"b":{"c":{"d":[1,2]}}}"#);
    insta::assert_snapshot!(json("[]\n", &insert("/-", r#"{"a": 1}"#)), @r#"
    [
      {
        "a": 1
      }
    ]
    "#);
}

#[test]
fn json_keeps_the_spelling_of_what_is_put_in_and_of_what_stays() {
    insta::assert_snapshot!(json(r#"{ "a": -0, "b": "\ud83d", "c": 1E5 }"#, &set("/a", r#""\ude00 \/""#)), @r#"{ "a": "\ude00 \/", "b": "\ud83d", "c": 1E5 }"#);
    insta::assert_snapshot!(json(r#"{"caf\u00e9": 1}"#, &insert("/thé", r#""é😀""#)), @r#"{"caf\u00e9": 1, "th\u00e9": "\u00e9\ud83d\ude00"}"#);
    insta::assert_snapshot!(json(r#"{"a": 1, "a": 2}"#, &set("/a", "3")), @r#"{"a": 1, "a": 3}"#);
}

#[test]
fn what_is_removed_goes_with_its_comma() {
    insta::assert_snapshot!(json(TABBED_JSON, &remove("/chunks/1")), @r#"
    {\r
    →"a": 1.50,\r
    →"chunks": [\r
    →→{ "ns":1, "text": "q" }\r
    →],\r
    →"none": {},\r
    →"few": [1, 2,3]\r
    }
    "#);
    insta::assert_snapshot!(json("[1 , 2, 3 ]", &remove("/0")), @"[2, 3 ]");
    insta::assert_snapshot!(json("[1 , 2, 3 ]", &remove("/2")), @"[1 , 2 ]");
    insta::assert_snapshot!(json("{ \"a\": [ 1 ] }", &remove("/a/0")), @r#"{ "a": [] }"#);
}

#[test]
fn what_is_moved_keeps_its_text_and_leaves_what_is_between() {
    insta::assert_snapshot!(json("[ 1,  2 , [3]]", &shift("/2", 0)), @"[ [3],  1 , 2]");
    insta::assert_snapshot!(yaml("- a # one\n# about b\n- b: |\n    x\n\n- c", &shift("/1", 0)), @"
    # about b
    - b: |
        x
    - a # one

    - c
    ");
}

const SESSION: &str = r#"# the incident
id: ticket-loop
tool_responses:
  - tool: store   # saved
    response: {name: "Jun", plan: "team"}
    status: 200

  # the second write
  - tool: mail
    status: 504 # late

expected_failure: "Loops"
context: []
"#;

#[test]
fn yaml_takes_the_style_of_what_is_beside_it() {
    let new = r#"{"tool": "mail", "response": {"name": "no", "plan": "x"}, "status": 0}"#;
    insta::assert_snapshot!(yaml(SESSION, &insert("/tool_responses/-", new)), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      - tool: store   # saved
        response: {name: "Jun", plan: "team"}
        status: 200

      # the second write
      - tool: mail
        status: 504 # late

      - tool: mail
        response: {name: "no", plan: "x"}
        status: 0

    expected_failure: "Loops"
    context: []
    "#);
    insta::assert_snapshot!(yaml(SESSION, &insert("/context/-", r#"{"role": "user", "content": "Hi\nthere\n"}"#)), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      - tool: store   # saved
        response: {name: "Jun", plan: "team"}
        status: 200

      # the second write
      - tool: mail
        status: 504 # late

    expected_failure: "Loops"
    context:
      - role: "user"
        content: |
          Hi
          there
    "#);
    insta::assert_snapshot!(yaml(SESSION, &set("/tool_responses/1/status", r#""12:30""#)), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      - tool: store   # saved
        response: {name: "Jun", plan: "team"}
        status: 200

      # the second write
      - tool: mail
        status: "12:30" # late

    expected_failure: "Loops"
    context: []
    "#);
}

#[test]
fn yaml_comments_and_blank_lines_stay_with_what_they_are_about() {
    insta::assert_snapshot!(yaml(SESSION, &remove("/tool_responses/0")), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      # the second write
      - tool: mail
        status: 504 # late

    expected_failure: "Loops"
    context: []
    "#);
    insta::assert_snapshot!(yaml(SESSION, &remove("/tool_responses/0/tool")), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      - response: {name: "Jun", plan: "team"}
        status: 200

      # the second write
      - tool: mail
        status: 504 # late

    expected_failure: "Loops"
    context: []
    "#);
    insta::assert_snapshot!(yaml(SESSION, &shift("/tool_responses/1", 0)), @r#"
    # the incident
    id: ticket-loop
    tool_responses:
      # the second write
      - tool: mail
        status: 504 # late

      - tool: store   # saved
        response: {name: "Jun", plan: "team"}
        status: 200

    expected_failure: "Loops"
    context: []
    "#);
    insta::assert_snapshot!(yaml("a: {\n    x: 1, # one\n    y: 2  # two\n  }\n", &insert("/a/z", "3")), @"
    a: {
        x: 1, # one
        y: 2,  # two
        z: 3
      }
    ");
    insta::assert_snapshot!(yaml("a: {\n    x: 1, # one\n    y: 2  # two\n  }\n", &remove("/a/y")), @"
    a: {
        x: 1 # one
      }
    ");
}

#[test]
fn yaml_texts_keep_their_style_where_it_can_hold_them() {
    const TEXTS: &str = "plain: old # c\nsingle: 'old'\ndouble: \"old\"\nblock: |\n    old\n    text\nfolded: >-\n  old text that\n  is folded\n";
    insta::assert_snapshot!(yaml(TEXTS, &set("/plain", r#""new: one""#)), @r#"
    plain: "new: one" # c
    single: 'old'
    double: "old"
    block: |
        old
        text
    folded: >-
      old text that
      is folded
    "#);
    insta::assert_snapshot!(yaml(TEXTS, &set("/single", r#""it's new""#)), @r#"
    plain: old # c
    single: 'it''s new'
    double: "old"
    block: |
        old
        text
    folded: >-
      old text that
      is folded
    "#);
    insta::assert_snapshot!(yaml(TEXTS, &set("/double", r#""\ud83d\ude00 \u001b \u2028""#)), @r#"
    plain: old # c
    single: 'old'
    double: "😀 \u001b \u2028"
    block: |
        old
        text
    folded: >-
      old text that
      is folded
    "#);
    insta::assert_snapshot!(yaml(TEXTS, &set("/block", r#""  new\n\ntext""#)), @r#"
    plain: old # c
    single: 'old'
    double: "old"
    block: |4-
          new

        text
    folded: >-
      old text that
      is folded
    "#);
    insta::assert_snapshot!(yaml(TEXTS, &set("/folded", r#""a new text that is folded\nand goes on""#)), @r#"
    plain: old # c
    single: 'old'
    double: "old"
    block: |
        old
        text
    folded: >-
      a new text
      that is
      folded

      and goes on
    "#);
    insta::assert_snapshot!(yaml(TEXTS, &set("/plain", r#""two\nlines\n""#)), @r#"
    plain: | # c
      two
      lines
    single: 'old'
    double: "old"
    block: |
        old
        text
    folded: >-
      old text that
      is folded
    "#);
}

#[test]
fn yaml_lists_and_mappings_change_their_shape_in_place() {
    insta::assert_snapshot!(yaml("a:\n- 1\n- 2 # two\nb:\n", &set("/a", r#"{"x": [1], "y": {}}"#)), @r#"
    a:
      x:
      - 1
      "y": {} # two
    b:
    "#);
    insta::assert_snapshot!(yaml("a: # why\n  x: 1\nb:\n", &set("/a", "null")), @"
    a: null # why
    b:
    ");
    insta::assert_snapshot!(yaml("a: 5 # five\n", &set("/a", r#"{"x": 1e3}"#)), @"
    a:
      x: 1.0e+3 # five
    ");
    insta::assert_snapshot!(yaml("- - 1\n- &k\n  a: 1\n- !!str x\n", &set("/1", "[2, [3]]")), @"
    - - 1
    - &k
      - 2
      - - 3
    - !!str x
    ");
    insta::assert_snapshot!(yaml("a: # why\n  x: 1 # one\n", &remove("/a/x")), @"a: {} # why");
    insta::assert_snapshot!(yaml("--- 5\n", &set("", r#"{"a": 1}"#)), @"
    ---
    a: 1
    ");
}

#[test]
fn keys_are_renamed_in_place() {
    insta::assert_snapshot!(yaml("a: 1\n'b': 2\n\"c\" : 3\n", &rename("/a", "yes")), @r#"
    "yes": 1
    'b': 2
    "c" : 3
    "#);
    insta::assert_snapshot!(yaml("a: 1\n'b': 2\n\"c\" : 3\n", &rename("/c", "d")), @r#"
    a: 1
    'b': 2
    "d" : 3
    "#);
    insta::assert_snapshot!(json("{ \"a\" :1 }", &rename("/a", "\"")), @r#"{ "\"" :1 }"#);
    insta::assert_snapshot!(json("{\"a\": 1, \"b\": 2}", &rename("/a", "b")), @"refused: The key `b` already exists (line 1, column 15)");
}

#[test]
fn what_is_written_elsewhere_is_refused_with_the_place() {
    const ANCHORS_TEXT: &str =
        "base: &base {a: 1}\nsame: *base\nmore:\n  <<: *base\n  b: 2\nlist: [k: 1]\n";
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &set("/same/a", "2")), @"refused: The alias `*base` refers to a value at line 1; edit it there, or set the alias itself (line 2, column 7)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &set("/more/a", "2")), @"refused: The key `a` is inserted by this merge (`<<`); edit it where it is defined, or insert it here to override it (line 4, column 7)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &remove("/more/<<")), @"refused: A merge (`<<`) inserts the members of other mappings; edit the text itself (line 4, column 7)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &remove("/base")), @"refused: The alias `*base` refers to a value that would be removed (line 2, column 7)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &shift("/list/0", 1)), @"refused: There is no element 1 in `/list`, which has 1, counted from 0 (line 6, column 7)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &insert("/list/0/l", "1")), @"refused: A mapping without braces in a list can have only one member (line 6, column 8)");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &set("/base/a", "2")), @"
    base: &base {a: 2}
    same: *base
    more:
      <<: *base
      b: 2
    list: [k: 1]
    ");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &set("/same", "2")), @"
    base: &base {a: 1}
    same: 2
    more:
      <<: *base
      b: 2
    list: [k: 1]
    ");
    insta::assert_snapshot!(yaml(ANCHORS_TEXT, &insert("/more/a", "2")), @"
    base: &base {a: 1}
    same: *base
    more:
      <<: *base
      b: 2
      a: 2
    list: [k: 1]
    ");
    insta::assert_snapshot!(yaml("a: !!str 5\n", &set("/a", "6")), @"refused: The tag before the value would change its type (line 1, column 10)");
    insta::assert_snapshot!(yaml("a: b\n", &set("/a", r#""\ud83d""#)), @"refused: The text contains an unpaired surrogate, which YAML cannot represent (line 1, column 4)");
}

#[test]
fn what_pyyaml_would_refuse_or_drop_is_refused() {
    let prefix = "refused: The edited text would not be readable: ";
    let reason_of = |text: &str, edit: &Edit| {
        let report = yaml(text, edit);
        let reason = report.strip_prefix(prefix).unwrap_or(&report);
        reason.split(" (line").next().unwrap_or_default().to_owned()
    };
    let tag = "The tag before the value would change its type";
    assert_eq!(reason_of("a: !!int \"42\"\n", &set("/a", "3.5")), format!("refused: {tag}"));
    assert_eq!(reason_of("a: !!binary aGk=\n", &set("/a", "\"x y\"")), format!("refused: {tag}"));
    let pair = "An element of `!!omap` or `!!pairs` that is not a mapping with one member, which PyYAML refuses";
    assert_eq!(reason_of("a: !!omap [{b: 1}]\n", &set("/a/0", "5")), pair);
    assert_eq!(reason_of("a: !!omap\n- b: 1\n", &insert("/a/0/c", "5")), pair);
    let member = "A value in a set (`!!set`), which PyYAML drops";
    assert_eq!(reason_of("a: !!set {b, c}\n", &set("/a/b", "5")), member);
    let long_key = "k".repeat(1100);
    let key = "A key of more than 1,024 characters, which PyYAML refuses";
    assert_eq!(reason_of("a: [x]\n", &set("/a/0", &format!("{{\"{long_key}\": 1}}"))), key);
    assert_eq!(reason_of("a: {b: 1}\n", &insert(&format!("/a/{long_key}"), "1")), key);
    let lines = "A key and its colon on more than one line, which PyYAML refuses";
    assert_eq!(reason_of("- { multi\n  line, a: b}\n", &set("/0/multi line", "5")), lines);
    // It reads quotes after `!` as if they were not there.
    for text in ["2001-01-01", "12", "yes", "", "~"] {
        for old_value in ["! \"b\"", "! b", "! |\n  b", "[! b]"] {
            let pointer = if old_value.starts_with('[') { "/a/0" } else { "/a" };
            let edit = set(pointer, &format!("\"{text}\""));
            let old_value = format!("a: {old_value}\n");
            assert_eq!(reason_of(&old_value, &edit), format!("refused: {tag}"));
        }
    }
    assert_eq!(yaml("a: ! \"b\"\n", &set("/a", "\"c\"")), "a: ! \"c\"\n");
    assert_eq!(yaml("a: ! '12'\n", &set("/a", "\"13\"")), "a: ! '13'\n");
    // What the tag holds is written.
    assert_eq!(yaml("a: !!int 42\n", &set("/a", "7")), "a: !!int 7\n");
    assert_eq!(yaml("a: !!omap [{b: 1}]\n", &set("/a/0/b", "2")), "a: !!omap [{b: 2}]\n");
}

#[test]
fn what_is_not_there_or_not_clear_is_refused() {
    insta::assert_snapshot!(json("{\"a\": 1, \"a\": 2}", &remove("/a")), @"refused: The key `a` also occurs at line 1 and would become effective; edit the text itself (line 1, column 15)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &set("/a/01", "2")), @"refused: `01` is not an index, but `/a` is a list (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &set("/a/1", "2")), @"refused: There is no element 1 in `/a`, which has 1, counted from 0 (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &insert("/a/2", "2")), @"refused: There is no element 2 in `/a`, which has 1, counted from 0 (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &set("/b", "2")), @"refused: There is no key `b` in the document (line 1, column 1)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &insert("/a", "2")), @"refused: The key `a` already exists; set its value instead (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &set("/a/0/b", "2")), @"refused: There is nothing inside `/a/0`, which is a number (line 1, column 8)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &set("a", "2")), @"refused: `a` is not a JSON Pointer, which starts with `/`, as in `/stream/0/text` (line 1, column 1)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &remove("")), @"refused: The document itself cannot be removed (line 1, column 1)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &shift("/a", 0)), @"refused: Only an element of a list can be moved (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1]}", &shift("/a/0", 1)), @"refused: There is no element 1 in `/a`, which has 1, counted from 0 (line 1, column 7)");
    insta::assert_snapshot!(json("{\"a\": [1,]}", &set("/a/0", "2")), @"refused: The file cannot be read completely: A trailing comma before `]`; JSON allows none (line 1, column 9)");
    insta::assert_snapshot!(yaml("# nothing\n", &set("", "2")), @"refused: The file contains no value (line 1, column 1)");
    insta::assert_snapshot!(yaml("a: |\n  text", &insert("/b", "2")), @"refused: The text of `/a` ends at the end of the file without a line end, and would get one (line 1, column 1)");
}
