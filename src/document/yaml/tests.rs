use proptest::prelude::*;

use super::{block_lines, parse, parse_up_to, scan_lines, syntax_faults};
use crate::testing::{assert_spans_fit, describe_problems, outline, spans};
use crate::text::Source;
use crate::tree::{MAX_VALUES, Tree};
use crate::{Node, NodeKind, RuleId, scalar};

/// Returns the values of a text, then the problems that are reported.
fn reading(text: &str) -> String {
    let (tree, problems) = parse(&Source::new(text));
    assert_spans_fit(&tree, &problems);
    format!("{}\n{}", outline(&tree), describe_problems(&problems))
}

/// Every value of a text that is good with its bytes.
fn places(text: &str) -> String {
    let (tree, problems) = parse(&Source::new(text));
    assert_spans_fit(&tree, &problems);
    assert_eq!(describe_problems(&problems), "", "{text}");
    spans(&tree)
}

#[test]
fn block_collections_end_with_their_last_part() {
    insta::assert_snapshot!(places("# top\na: 1 # one\nb:\n  c: x\n  d:   # later\n    - 1\n    - two  # trailing\n\n# end of b\ne:\n- f\n-\n  g: h\n"), @r#"
     "a: 1 # one\nb:\n  c: x\n  d:   # later\n    - 1\n    - two  # trailing\n\n# end of b\ne:\n- f\n-\n  g: h"
    /a "a" = "1"
    /b "b" = "c: x\n  d:   # later\n    - 1\n    - two"
    /b/c "c" = "x"
    /b/d "d" = "- 1\n    - two"
    /b/d/0 "1"
    /b/d/1 "two"
    /e "e" = "- f\n-\n  g: h"
    /e/0 "f"
    /e/1 "g: h"
    /e/1/g "g" = "h"
    "#);
}

#[test]
fn flow_collections_end_with_their_bracket() {
    insta::assert_snapshot!(places("a: [1, {b: c, \"d\": e} , [ ]]  # x\nf: {\n  g: 'h',\n}\ni: [j: k]\n"), @r#"
     "a: [1, {b: c, \"d\": e} , [ ]]  # x\nf: {\n  g: 'h',\n}\ni: [j: k]"
    /a "a" = "[1, {b: c, \"d\": e} , [ ]]"
    /a/0 "1"
    /a/1 "{b: c, \"d\": e}"
    /a/1/b "b" = "c"
    /a/1/d "\"d\"" = "e"
    /a/2 "[ ]"
    /f "f" = "{\n  g: 'h',\n}"
    /f/g "g" = "'h'"
    /i "i" = "[j: k]"
    /i/0 "j: k"
    /i/0/j "j" = "k"
    "#);
}

#[test]
fn plain_and_quoted_texts_over_several_lines() {
    insta::assert_snapshot!(places("a: one\n  two\n\n  three\nb: \"x\n  y \\\n  z\"\nc: 'it''s\n  so'\n"), @r#"
     "a: one\n  two\n\n  three\nb: \"x\n  y \\\n  z\"\nc: 'it''s\n  so'"
    /a "a" = "one\n  two\n\n  three"
    /b "b" = "\"x\n  y \\\n  z\""
    /c "c" = "'it''s\n  so'"
    "#);
}

#[test]
fn texts_in_quotes_end_with_their_quote() {
    insta::assert_snapshot!(places("a: \"x\" # c\nb: 'it''s'   \n\"c\" : [\"\\\"\" , '' # d\n ]\nd: &e !!str \"\\\\\" # f\n"), @r#"
     "a: \"x\" # c\nb: 'it''s'   \n\"c\" : [\"\\\"\" , '' # d\n ]\nd: &e !!str \"\\\\\""
    /a "a" = "\"x\""
    /b "b" = "'it''s'"
    /c "\"c\"" = "[\"\\\"\" , '' # d\n ]"
    /c/0 "\"\\\"\""
    /c/1 "''"
    /d "d" = "\"\\\\\""
    "#);
}

#[test]
fn block_scalars_begin_with_their_header_and_end_with_their_last_line() {
    insta::assert_snapshot!(places("a: |\n  one\n   two\n\nb: >- # folded | not a header\n  x\n  y\n# comment\nc:\n  - |+2\n    z\n\n  - >\n\n    w"), @r#"
     "a: |\n  one\n   two\n\nb: >- # folded | not a header\n  x\n  y\n# comment\nc:\n  - |+2\n    z\n\n  - >\n\n    w"
    /a "a" = "|\n  one\n   two"
    /b "b" = ">- # folded | not a header\n  x\n  y"
    /c "c" = "- |+2\n    z\n\n  - >\n\n    w"
    /c/0 "|+2\n    z"
    /c/1 ">\n\n    w"
    "#);
    insta::assert_snapshot!(places("a: |\nb: &x !!str |\n  t\n"), @r#"
     "a: |\nb: &x !!str |\n  t"
    /a "a" = "|"
    /b "b" = "|\n  t"
    "#);
    insta::assert_snapshot!(places("--- |\n text\n"), @r#" "|\n text""#);
}

#[test]
fn a_block_ends_without_a_line_end_where_the_file_does() {
    assert_eq!(reading("a: |\n  x\n"), "{a: \"x\\n\"}\n");
    assert_eq!(reading("a: |\n  x"), "{a: \"x\"}\n");
    assert_eq!(reading("a: |+\n  x"), "{a: \"x\"}\n");
    assert_eq!(reading("a: >\n  x\n  y"), "{a: \"x y\"}\n");
    assert_eq!(reading("a: |\n  x\n "), "{a: \"x\\n\"}\n");
}

#[test]
fn places_are_bytes_with_a_mark_line_ends_and_long_characters() {
    insta::assert_snapshot!(places("\u{feff}é: 😀 ü\r\nb:\r\n  - 'ñ'\r\n  - |\r\n    ö\r\n    p\r\nc: {ß: ø}\r\n"), @r#"
     "é: 😀 ü\r\nb:\r\n  - 'ñ'\r\n  - |\r\n    ö\r\n    p\r\nc: {ß: ø}"
    /é "é" = "😀 ü"
    /b "b" = "- 'ñ'\r\n  - |\r\n    ö\r\n    p"
    /b/0 "'ñ'"
    /b/1 "|\r\n    ö\r\n    p"
    /c "c" = "{ß: ø}"
    /c/ß "ß" = "ø"
    "#);
}

#[test]
fn nothing_has_a_place_too() {
    insta::assert_snapshot!(places("a:\nb: ~\nc: # none\nd:\n  -\n  - x\n  - \n? e\n? f\n: g\nh: {i: , j, k: }\nl: [m: ]\n"), @r#"
     "a:\nb: ~\nc: # none\nd:\n  -\n  - x\n  - \n? e\n? f\n: g\nh: {i: , j, k: }\nl: [m: ]"
    /a "a" = ""
    /b "b" = "~"
    /c "c" = ""
    /d "d" = "-\n  - x\n  -"
    /d/0 ""
    /d/1 "x"
    /d/2 ""
    /e "e" = ""
    /f "f" = "g"
    /h "h" = "{i: , j, k: }"
    /h/i "i" = ""
    /h/j "j" = ""
    /h/k "k" = ""
    /l "l" = "[m: ]"
    /l/0 "m:"
    /l/0/m "m" = ""
    "#);
}

#[test]
fn anchors_and_tags_are_no_part_of_a_value() {
    insta::assert_snapshot!(places("a: &x !!str 5\nb: &y\n  - 1\nc: !!map {d: e}\nf: !!str\n&k g: *x\nh: &e\n*x : 2\n"), @r#"
     "a: &x !!str 5\nb: &y\n  - 1\nc: !!map {d: e}\nf: !!str\n&k g: *x\nh: &e\n*x : 2"
    /a "a" = "5"
    /b "b" = "- 1"
    /b/0 "1"
    /c "c" = "{d: e}"
    /c/d "d" = "e"
    /f "f" = ""
    /g "g" = "*x"
    /h "h" = ""
    /5 "*x" = "2"
    "#);
    insta::assert_snapshot!(reading("a: &x !!str 5\nb: *x\nc: !!int \"7\"\nd: !!float 1e3\ne: !!bool yes\nf: ! 5\ng: !<tag:yaml.org,2002:str> 5\n"), @r#"{a: "5", b: *"5", c: 7, d: 1000, e: Some(true), f: "5", g: "5"}"#);
}

#[test]
fn a_tag_is_found_before_its_value_and_not_in_a_text_before_it() {
    let tag = |text: &str, pointer: &str| {
        let (tree, _) = parse(&Source::new(text));
        tree.at_pointer(pointer).and_then(super::tag).map(str::to_owned)
    };
    for (text, pointer) in [
        ("a: !!binary aGk=\n", "/a"),
        ("- !!binary &x\n  aGk=\n", "/0"),
        ("[b, !!binary aGk=]\n", "/1"),
        ("[!!binary aGk=]\n", "/0"),
        ("a: [[], {}, !!binary aGk=]\n", "/a/2"),
        ("x !!str y: !!binary # !!int\n  aGk=\n", "/x !!str y"),
    ] {
        assert_eq!(tag(text, pointer).as_deref(), Some("!!binary"), "{text}");
    }
    for (text, pointer) in [
        ("['a !!binary', aGk=]\n", "/1"),
        ("['a !!binary' , aGk=]\n", "/1"),
        ("a !!binary : aGk=\n", "/a !!binary"),
        ("- a\n  !!binary\n- aGk=\n", "/1"),
        ("!!map\n!!str a: b\n", "/a"),
        ("- # !!binary\n  aGk=\n", "/0"),
    ] {
        assert_eq!(tag(text, pointer), None, "{text}");
    }
}

#[test]
fn the_anchor_of_a_first_key_is_part_of_its_mapping() {
    insta::assert_snapshot!(places("- &m !!map\n  &k a: 1\n  b: 2\n- &l\n  - !!str c\n"), @r#"
     "- &m !!map\n  &k a: 1\n  b: 2\n- &l\n  - !!str c"
    /0 "&k a: 1\n  b: 2"
    /0/a "a" = "1"
    /0/b "b" = "2"
    /1 "- !!str c"
    /1/0 "c"
    "#);
}

#[test]
fn tags_that_safe_load_refuses_are_reported_and_make_nothing() {
    insta::assert_snapshot!(reading("a: !!python/object/apply:os.system [\"ls\"]\nb: &q !Ref x\nc: !!str [1]\nd: !!int abc\ne: !!seq x\n"), @r#"
    {a: ["ls"], b: "x", c: [1], d: "abc", e: "x"}
    1:4 syntax at "": The tag `!!python/object/apply:os.system` is refused by PyYAML's `safe_load`; it has no value here
    2:7 syntax at "": The tag `!Ref` is refused by PyYAML's `safe_load`; it has no value here
    3:4 syntax at "": The tag `!!str` does not fit this value
    4:4 syntax at "": `abc` is no `!!int`
    5:4 syntax at "": The tag `!!seq` does not fit this value
    "#);
}

#[test]
fn what_pyyaml_cannot_make_of_a_plain_text_is_reported() {
    insta::assert_snapshot!(reading("a: 2026-02-30\nb: =\nc: <<\nd: \"\\e\"\n"), @r#"
    {a: @2026-02-30, b: "=", c: "<<", d: "\u{1b}"}
    1:4 syntax at "": `2026-02-30` without quotes is refused by PyYAML, which reads it as an invalid date
    2:4 syntax at "": `=` without quotes is refused by PyYAML, which reads it as a default value
    3:4 syntax at "": `<<` without quotes is refused by PyYAML, which reads it as a merge
    "#);
    insta::assert_snapshot!(reading("a: b\u{1b}c\n"), @r#"
    {a: "b\u{1b}c"}
    1:5 syntax at "": The character U+001B, which PyYAML refuses; in double quotes `\u001b` is its escape
    "#);
}

#[test]
fn line_breaks_of_yaml_1_1_end_lines() {
    let text = "a: 'x\u{2028}  y\u{85}  z'\nb: |-\n  x\u{2028}  y\n   z\nc: >\n  x\u{85}  y\u{2028}d: p\u{2029} q\u{85}e: \"x \\\u{2028}  y\\L\" # f\u{2028}g: 1\n";
    // As PyYAML 6.0 reads it.
    insta::assert_snapshot!(reading(text), @r#"{a: "x\u{2028}y z", b: "x\u{2028}y\n z", c: "x y\u{2028}", d: "p\u{2029}q", e: "x y\u{2028}", g: 1}"#);
    insta::assert_snapshot!(places(text), @r#"
     "a: 'x\u{2028}  y\u{85}  z'\nb: |-\n  x\u{2028}  y\n   z\nc: >\n  x\u{85}  y\u{2028}d: p\u{2029} q\u{85}e: \"x \\\u{2028}  y\\L\" # f\u{2028}g: 1"
    /a "a" = "'x\u{2028}  y\u{85}  z'"
    /b "b" = "|-\n  x\u{2028}  y\n   z"
    /c "c" = ">\n  x\u{85}  y"
    /d "d" = "p\u{2029} q"
    /e "e" = "\"x \\\u{2028}  y\\L\""
    /g "g" = "1"
    "#);
}

#[test]
fn aliases_represent_what_they_name() {
    insta::assert_snapshot!(reading("a: &x {k: [1, 2]}\nb: *x\nc: [*x, &y z, *y]\n*y : w\n"), @r#"{a: {k: [1, 2]}, b: *{k: [1, 2]}, c: [*{k: [1, 2]}, "z", *"z"], z: "w"}"#);
    let (tree, _) = parse(&Source::new("a: &x {k: 1}\nb: *x\n"));
    let alias = tree.at_pointer("/b").unwrap();
    assert_eq!((alias.raw(), alias.kind(), alias.len()), ("*x", NodeKind::Object, 1));
    assert_eq!(tree.at_pointer("/b/k").unwrap().pointer(), "/a/k");
}

#[test]
fn merges_give_way_to_what_a_mapping_says_itself() {
    let text = "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\nboth: {<<: [*one, *two], c: 3}\nlast:\n  <<: *one\n  <<: *two\n";
    let (tree, problems) = parse(&Source::new(text));
    assert_eq!(describe_problems(&problems), "");
    let number_at = |mapping: &str, key: &str| tree.at_pointer(mapping)?.get(key)?.as_f64();
    assert_eq!(
        ["a", "b", "c"].map(|key| number_at("/both", key)),
        [Some(1.0), Some(1.0), Some(3.0)]
    );
    assert_eq!(
        ["a", "b", "c"].map(|key| number_at("/last", key)),
        [Some(1.0), Some(2.0), Some(2.0)]
    );
    insta::assert_snapshot!(reading("<<: 5\na: 1\n"), @r#"
    {<<: 5, a: 1}
    1:5 syntax at "": `<<` merges mappings, and a number is none
    "#);
    let (_, problems) = parse(&Source::new("a: &a [1]\nb: {<<: *a}\nc: {<<: [{d: 1}, *a]}\n"));
    insta::assert_snapshot!(describe_problems(&problems), @r#"
    2:9 syntax at "/b/<<": `<<` merges mappings, and a number in this list is not a mapping
    3:9 syntax at "/c/<<": `<<` merges mappings, and a list in this list is not a mapping
    "#);
}

#[test]
fn more_values_than_are_read_are_reported_once() {
    let (tree, problems) = parse_up_to(&Source::new("a: [1, 2]\nb: [3, 4]\n"), 5);
    insta::assert_snapshot!(format!("{}\n{}", outline(&tree), describe_problems(&problems)), @r#"
    {a: [1, 2], b: [3]}
    2:6 unreadable at "/b": More than 5 values in one file; the rest of it is not read
    "#);
}

#[test]
fn what_only_pyyaml_refuses_is_good_yaml() {
    let well_formed = |text: &str| {
        let (tree, problems) = parse(&Source::new(text));
        assert_ne!(describe_problems(&problems), "", "{text}");
        tree.is_well_formed()
    };
    for text in ["a: 1\n---\nb: 2\n", "a: !Ref b\n", "? [a]\n: b\n", "a: =\n"] {
        assert!(well_formed(text), "{text}");
    }
    for text in ["a: [1\n", "a: }\n", "- a\nb: 1\n", "@a\n"] {
        assert!(!well_formed(text), "{text}");
    }
}

#[test]
fn circles_and_bombs_are_reported_once_and_not_followed() {
    insta::assert_snapshot!(reading("a: &x [1, *x]\nb: &y {c: {d: *y}}\n"), @r#"
    {a: [1, null], b: {c: {d: null}}}
    1:11 nesting-too-deep at "/a": `*x` is inside the value that it refers to, so the value would never end
    2:15 nesting-too-deep at "/b/c": `*y` is inside the value that it refers to, so the value would never end
    "#);
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let list = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    let (tree, problems) = parse(&Source::new(bomb));
    insta::assert_snapshot!(describe_problems(&problems), @r#"5:45 nesting-too-deep at "/a4": Aliases expand to more than 100000 values; no alias is followed"#);
    assert!(tree.nodes().all(|node| !node.is_alias()));
    let quadratic = format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(20_000), "*a, ".repeat(20_000));
    let (_, problems) = parse(&Source::new(quadratic));
    insta::assert_snapshot!(describe_problems(&problems), @r#"2:21 nesting-too-deep at "/b": Aliases expand to more than 100000 values; no alias is followed"#);
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(200_000), "*a, ".repeat(1_000));
    let (_, problems) = parse(&Source::new(text));
    insta::assert_snapshot!(describe_problems(&problems), @r#"2:337 nesting-too-deep at "/b": Aliases expand to more than 16 MiB of text; no alias is followed"#);
    // A key, and a text as a key, are copied by their aliases.
    for bomb in [
        format!("&a {}: 1\nb: [{}]\n", "x".repeat(900), "*a, ".repeat(20_000)),
        format!("a: &a {}\nb: {{{}}}\n", "x".repeat(900), "*a : 1, ".repeat(20_000)),
    ] {
        let (tree, problems) = parse(&Source::new(bomb));
        let count_of = |rule| problems.iter().filter(|problem| problem.rule == rule).count();
        assert_eq!(count_of(RuleId::NestingTooDeep), 1);
        let copies = |node: Node<'_>| node.as_str().or(node.key()).map_or(0, str::len);
        assert!(tree.nodes().map(copies).sum::<usize>() < 20 << 20);
    }
    let mut nested_text = "a0: &a0 [x]\n".to_owned();
    for n in 1..60 {
        let (open, close) = ("[".repeat(20), "]".repeat(20));
        nested_text.push_str(&format!("a{n}: &a{n} {open}*a{}{close}\n", n - 1));
    }
    let (_, problems) = parse(&Source::new(nested_text));
    insta::assert_snapshot!(describe_problems(&problems), @r#"27:31 nesting-too-deep at "/a26/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0": Aliases lead to more than 512 nested values; no alias is followed"#);
}

#[test]
fn keys_that_are_twice_or_are_collections() {
    insta::assert_snapshot!(reading("a: 1\nb: 2\n\"a\": 3\n"), @r#"
    {a: 1, b: 2, a: 3}
    1:1 duplicate-key at "/a": The key `a` is repeated at line 3, column 1; only the last one counts
    "#);
    insta::assert_snapshot!(reading("? [x, {y: z}]\n: 1\nb: 2\n{c: d}: 3\n"), @r#"
    {[x, {y: z}]: 1, b: 2, {c: d}: 3}
    1:3 syntax at "": A key that is a collection; PyYAML accepts only scalars as keys
    4:1 syntax at "": A key that is a collection; PyYAML accepts only scalars as keys
    "#);
    insta::assert_snapshot!(reading("1: a\ntrue: b\n~: c\n2026-01-01: d\n"), @r#"{1: "a", true: "b", ~: "c", 2026-01-01: "d"}"#);
}

#[test]
fn tabs_that_pyyaml_does_not_take_are_reported_once() {
    insta::assert_snapshot!(reading("# a\tb\na: \"x\ty\" # c\td\nb: [x,\ty\t]\n"), @r#"
    {a: "x\ty", b: ["x", "y"]}
    3:7 syntax at "/b": A tab, which PyYAML accepts only inside quotes; spaces are expected
    "#);
    insta::assert_snapshot!(reading("a: 1\t# c\n"), @r#"
    {a: 1}
    1:5 syntax at "": A tab, which PyYAML accepts only inside quotes; spaces are expected
    "#);
    insta::assert_snapshot!(reading("a: x\ty\n"), @r#"
    {a: "x\ty"}
    1:5 syntax at "": A tab, which PyYAML accepts only inside quotes; spaces are expected
    "#);
    insta::assert_snapshot!(reading("a: |\n  x\ty\n"), @r#"{a: "x\ty\n"}"#);
}

/// Texts in quotes whose further lines are indented less than YAML 1.2 says, and whether PyYAML reads them.
const UNINDENTED_TEXTS: [(&str, bool); 25] = [
    ("a:\n  b: 'x\n  y'\n  c: z\n", true),
    ("a:\n  b: \"x\n y\\\n z\n\nw\"\n", true),
    ("a:\n- b:\n    c: 'x\n''y'''\n  d: 'x\n\n  y'  # z\n", true),
    ("a:\r\n  b: 'x\r\n\r\ny'\r\n  c: z\r\n", true),
    ("a:\n  b: 'x\n\ty'\n", true),
    ("a:\n  b: {c: 'x', d: ['y', 'z\n\ty']}\n", true),
    ("a:\n  b: &x !!str 'x\ny'\n  c: *x\n", true),
    ("a:\n  b: {c: 'x\ny', d: \"z\nw\"}\n  e: ['f\n ', 'g\n']\n", true),
    ("a:\n  - 'x\n- y'\n  - \"x\n# y\"\n", true),
    ("a:\n  b: 'x\nc: d'\n", true),
    ("a:\n  ? 'x\ny'\n  : z\n", true),
    ("a: 'x\ny'\n", true),
    ("a:\n  b: >\n    c: 'x\n    y\n  d: 'x\n y'\n", true),
    ("a:\n  b: 'x\n---y'\n", true),
    ("a:\n  b: 'x\n--- y'\n", false),
    ("a:\n  b: \"x\n...\"\n", true),
    ("a:\n  b: \"x\n...\n\"\n", false),
    ("a:\n  'x\ny': z\n", false),
    ("a:\n  {'x\ny': z}\n", false),
    ("a:\n  b: 'x\ny' z\n", false),
    ("a:\n  b: 'x\nc: 'y'\n", false),
    ("a:\n  b: 'x\ny\n", false),
    ("a:\n  b: \"x\n\\q\"\n", false),
    ("a:\n  b: 'x\ny'\n  c: @d\n", false),
    ("a:\n  b: 'x\ny'\n c: d\n", false),
];

#[test]
fn texts_in_quotes_need_no_indentation() {
    for (text, is_read) in UNINDENTED_TEXTS {
        let (tree, problems) = parse(&Source::new(text));
        assert_spans_fit(&tree, &problems);
        assert_eq!(problems.is_empty(), is_read, "{text}{problems:?}");
        let theirs = serde_yaml::from_str::<serde_yaml::Value>(text);
        assert_eq!(theirs.is_ok(), is_read, "{text}");
        if let (Ok(theirs), Some(root)) = (theirs, tree.root()) {
            assert_eq!(to_serde(root), theirs, "{text}");
        }
    }
    insta::assert_snapshot!(places("a:\n  b: 'x\n y'\n  c: {d: \"z\nw\"}\n"), @r#"
     "a:\n  b: 'x\n y'\n  c: {d: \"z\nw\"}"
    /a "a" = "b: 'x\n y'\n  c: {d: \"z\nw\"}"
    /a/b "b" = "'x\n y'"
    /a/c "c" = "{d: \"z\nw\"}"
    /a/c/d "d" = "\"z\nw\""
    "#);
    let faults = |text: &str| describe_problems(&parse(&Source::new(text)).1);
    insta::assert_snapshot!(faults("a:\n  b: 'x\ny'\n  c: @d\n"), @r#"4:6 syntax at "/a": `@` cannot start unquoted text"#);
    insta::assert_snapshot!(faults("a:\n  b: 'x\n  c: 'y'\n"), @r#"2:6 syntax at "/a": Quoted text continues at a lower indentation; its closing quote may be missing"#);
    // Each of these is found by the scanner alone.
    let lists = |count: usize| format!("a:\n  b: [{}]\n", "'x\ny', ".repeat(count));
    let is_read = |text: String| parse(&Source::new(text)).1.is_empty();
    assert!(is_read(lists(64)) && !is_read(lists(65)));
}

/// Yields texts in quotes in blocks and in brackets, with lines of any indentation.
fn any_unindented() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-z:#,\\[{}-]{1,4}",
        1 => prop::sample::select(vec!["---", "...", "--- a", "- a", "a: b", "# a", "''", "\\\"", "\\"]).prop_map(str::to_owned),
    ];
    let end = prop::sample::select(vec!["\n", "\n\n", " \n", "\r\n", "\n \n"]);
    let line = (line, end, "[ ]{0,5}\t?").prop_map(|(line, end, indent)| line + end + &indent);
    let lines_and_last = (prop::collection::vec(line, 0..3), "[a-z ]{1,3}");
    let text = (lines_and_last, prop::sample::select(vec!['\'', '"']))
        .prop_map(|((lines, last), quote)| format!("{quote}{}{last}{quote}", lines.concat()));
    let form = prop::sample::select(vec![
        "k@: %\n",
        "k@:\n  l: %\n  m: z\n",
        "k@:\n- l: %\n  m: %\n",
        "k@:\n  - - %\n    - z\n",
        "k@:\n  l: {m: %, n: %}\n",
        "k@:\n  l: [%, %]\n",
        "k@:\n  l: % # c\n  m: %\n",
        "k@:\n  ? %\n  : %\n",
        "k@:\n  l: >\n    'x\n  m: %\n",
        "k@:\n  %: z\n",
    ]);
    let member = (form, text.clone(), text).prop_map(|(form, first, second)| {
        let text = form.replacen('%', &first, 1);
        // A text may contain the sign itself only in the second.
        text.replacen('%', &second, 1)
    });
    prop::collection::vec(member, 1..4).prop_map(|members| {
        let members = members.iter().enumerate();
        members.map(|(index, member)| member.replace('@', &index.to_string())).collect()
    })
}

#[test]
fn one_document_a_file() {
    insta::assert_snapshot!(reading("---\na: 1\n...\n"), @"{a: 1}");
    insta::assert_snapshot!(reading("a: 1\n---\nb: 2\n"), @r#"
    {a: 1}
    2:1 syntax at "": A second document starts here; PyYAML's `safe_load` reads one document per file
    "#);
    insta::assert_snapshot!(reading("# nothing\n"), @"nothing");
}

#[test]
fn faults_are_reported_at_their_place_and_what_came_before_stays() {
    insta::assert_snapshot!(reading("a: 1\nb: c: d\n"), @r#"
    {a: 1, b: "c"}
    2:5 syntax at "": A colon that starts a value is not allowed here; text that contains `: ` needs quotes
    "#);
    insta::assert_snapshot!(reading("a: 1\n  b: 2\n"), @r#"
    {a: "1 b"}
    2:4 syntax at "": A colon that starts a value is not allowed here; text that contains `: ` needs quotes
    "#);
    insta::assert_snapshot!(reading("a:\n  - 1\n b: 2\n"), @r#"
    {a: [1]}
    3:2 syntax at "": A key is expected here, at the indentation of the keys before it
    "#);
    insta::assert_snapshot!(reading("a: [1, 2\nb: 3\n"), @r#"
    {a: [1]}
    2:2 syntax at "/a": A colon is not allowed here; the bracket that closes the list before may be missing
    "#);
    insta::assert_snapshot!(reading("a: \"x\nb: 3\n"), @r#"
    {}
    1:4 syntax at "": Quoted text continues at a lower indentation; its closing quote may be missing
    "#);
    insta::assert_snapshot!(reading("a:\n\tb: 1\n"), @r#"
    {}
    2:2 syntax at "": A tab as indentation; YAML allows only spaces
    "#);
    insta::assert_snapshot!(reading("a: *nobody\n"), @r#"
    {}
    1:4 syntax at "": An alias without an anchor before it
    "#);
    insta::assert_snapshot!(reading("a: \"C:\\dir\"\n"), @r#"
    {}
    1:4 syntax at "": This text contains an escape that YAML does not have; a backslash in double quotes is written `\\`
    "#);
    insta::assert_snapshot!(reading("é: 1\nb: @x\n"), @r#"
    {é: 1}
    2:4 syntax at "": `@` cannot start unquoted text
    "#);
    insta::assert_snapshot!(reading("a: {b: 1\n"), @r#"
    {a: {b: 1}}
    2:1 syntax at "/a": A comma or `}` is expected here
    "#);
    insta::assert_snapshot!(reading("a: 1\nplain\n"), @r#"
    {a: 1}
    2:1 syntax at "": A colon is expected after this key
    "#);
}

#[test]
fn what_is_too_deep_ends_the_reading() {
    for (text, at) in
        [("- ".repeat(5_000), "1:1025"), ("[".repeat(5_000), "1:256"), ("? ".repeat(5_000), "1:")]
    {
        let (_, problems) = parse(&Source::new(text));
        let report = describe_problems(&problems);
        assert!(report.starts_with(at), "{report}");
    }
}

/// Compares through `serde_yaml`'s own types, so that the test has no reading of its own.
fn to_serde(node: Node<'_>) -> serde_yaml::Value {
    match node.kind() {
        NodeKind::Null | NodeKind::Timestamp | NodeKind::Expression => serde_yaml::Value::Null,
        NodeKind::Bool => node.as_bool().unwrap().into(),
        NodeKind::Number => node.as_f64().unwrap().into(),
        NodeKind::String => node.as_str().unwrap().into(),
        NodeKind::Array => serde_yaml::Value::Sequence(node.items().map(to_serde).collect()),
        NodeKind::Object => {
            let members = node.items().map(|item| (item.key().unwrap().into(), to_serde(item)));
            serde_yaml::Value::Mapping(members.collect())
        }
    }
}

/// Values that YAML 1.1 and 1.2 read alike, with texts of every sort.
fn any_yaml() -> impl Strategy<Value = serde_yaml::Value> {
    let text = || {
        let text =
            prop_oneof!["[a-z]{1,8}", "[ -~\\n\\té😀]{0,24}", "[a-z]{1,6}( [a-z]{1,9}\\n?){0,6}"];
        // The writer follows YAML 1.2: it leaves out quotes that 1.1 needs.
        let is_text = |text: &String| scalar::resolve(text) == scalar::Plain::Text;
        text.prop_filter("a text to every reader", is_text)
    };
    let leaf = prop_oneof![
        Just(serde_yaml::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i16>().prop_map(|number| f64::from(number).into()),
        text().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, move |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..6).prop_map(serde_yaml::Value::Sequence),
            prop::collection::btree_map("[a-zé][a-z0-9]{0,6}x", value, 0..6).prop_map(|map| {
                let members = map.into_iter().map(|(key, value)| (key.into(), value));
                serde_yaml::Value::Mapping(members.collect())
            }),
        ]
    })
}

/// Yields a mapping of scalars in all styles, whose lines end in all ways.
fn any_line_breaks() -> impl Strategy<Value = String> {
    const BREAKS: [&str; 4] = ["\n", "\u{2028}", "\u{2029}", "\u{85}"];
    let part = || {
        let line_break = (prop::sample::select(BREAKS.to_vec()), " {0,3}");
        let pieces = vec!["\\\u{2028} ", "\\n", "\\L", "\\ ", "''", "\\\"", "\r\n ", " "];
        prop_oneof![
            4 => "[a-zé]{1,4}",
            3 => line_break.prop_map(|(end, indent)| format!("{end}{indent}")),
            1 => prop::sample::select(pieces).prop_map(str::to_owned),
        ]
    };
    let styles = [
        "\"@\"", "'@'", "x@", "|\n  x@", "|-\n  x@", "|+\n  x@", ">\n  x@", ">-\n  x@", ">+\n  x@",
        "|1\n  x@",
    ];
    let parts = prop::collection::vec(part(), 0..8).prop_map(|parts| parts.concat());
    let member = (prop::sample::select(styles.to_vec()), parts, 0..3_usize).prop_map(
        |(style, text, end)| {
            let end = ["\n", "\u{2028}", "\n\u{85}"][end];
            // Most lines are indented enough to belong to a block.
            let indent = |text: String, end: &&str| text.replace(end, &format!("{end}  "));
            let text = BREAKS.iter().fold(text, indent);
            format!("{}{end}", style.replace('@', &text))
        },
    );
    prop::collection::vec(member, 1..4).prop_map(|members| {
        let members =
            members.iter().enumerate().map(|(index, member)| format!("k{index}: {member}"));
        members.collect::<String>() + "z: z\n"
    })
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn values_are_those_of_serde_yaml(value in any_yaml()) {
        let text = serde_yaml::to_string(&value).unwrap();
        let (tree, problems) = parse(&Source::new(text.clone()));
        prop_assert_eq!(describe_problems(&problems), "", "{}", text);
        assert_spans_fit(&tree, &problems);
        let value_again: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        let root = to_serde(tree.root().unwrap());
        prop_assert_eq!(root, value_again, "{}", text);
    }

    /// libyaml makes of the line breaks that only YAML 1.1 has what PyYAML makes of them.
    #[test]
    fn line_breaks_of_yaml_1_1_are_read_as_libyaml_reads_them(text in any_line_breaks()) {
        let Ok(theirs) = serde_yaml::from_str::<serde_yaml::Value>(&text) else { return Ok(()) };
        let (tree, problems) = parse(&Source::new(text.as_str()));
        assert_spans_fit(&tree, &problems);
        if problems.is_empty() {
            prop_assert_eq!(tree.root().map_or(serde_yaml::Value::Null, to_serde), theirs, "{:?}", text);
        }
    }

    #[test]
    fn texts_in_quotes_are_read_as_libyaml_reads_them(text in any_unindented()) {
        let (tree, problems) = parse(&Source::new(text.as_str()));
        assert_spans_fit(&tree, &problems);
        let theirs = serde_yaml::from_str::<serde_yaml::Value>(&text);
        prop_assert_eq!(problems.is_empty(), theirs.is_ok(), "{:?} {:?}", text, theirs);
        if let Ok(theirs) = theirs {
            prop_assert_eq!(tree.root().map_or(serde_yaml::Value::Null, to_serde), theirs, "{:?}", text);
        }
    }

    #[test]
    fn any_text_is_read_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (tree, problems) = parse(&Source::from_bytes(bytes));
        assert_spans_fit(&tree, &problems);
    }

    #[test]
    fn any_signs_are_read_to_an_end(text in "[-?:,\\[\\]{}&*!|>'\"%@#a1 \\t\\n\\ré]{0,40}") {
        let (tree, problems) = parse(&Source::new(text));
        assert_spans_fit(&tree, &problems);
    }

    #[test]
    fn mutated_yaml_is_read_to_an_end(value in any_yaml(), at: prop::sample::Index, len in 0usize..6, new in "[-?:,\\[\\]{}&*!|>'\"#a \\t\\n]{0,4}") {
        let (tree, problems) = parse(&Source::new(mutated(&value, at, len, &new)));
        assert_spans_fit(&tree, &problems);
    }
}

#[test]
fn what_only_pyyaml_refuses_of_signs_keys_and_anchors_is_reported() {
    let faults = |text: &str| {
        let (tree, problems) = parse(&Source::new(text));
        assert_spans_fit(&tree, &problems);
        describe_problems(&problems)
    };
    insta::assert_snapshot!(faults("- :\n"), @r#"1:3 syntax at "/0": A key is missing before this colon"#);
    insta::assert_snapshot!(faults("a:\n  b: 1\n  : x\n"), @r#"3:3 syntax at "/a": A key is missing before this colon"#);
    insta::assert_snapshot!(faults("{a: 1, : x}\n"), @r#"1:8 syntax at "": A key is missing before this colon"#);
    insta::assert_snapshot!(faults("- { \"key\"::value }\n"), @r#"1:11 syntax at "/0": `:` in unquoted text between brackets, where PyYAML reads it as syntax; put the text in quotes"#);
    insta::assert_snapshot!(faults("- [what?]\n"), @r#"1:8 syntax at "/0": `?` in unquoted text between brackets, where PyYAML reads it as syntax; put the text in quotes"#);
    insta::assert_snapshot!(faults("- {what?: 1}\n"), @r#"1:8 syntax at "/0": `?` in unquoted text between brackets, where PyYAML reads it as syntax; put the text in quotes"#);
    insta::assert_snapshot!(faults("k: &an:chor v\n"), @r#"1:5 syntax at "": `:` in the name of an anchor; PyYAML accepts only the letters A to Z, digits, `-` and `_` there"#);
    insta::assert_snapshot!(faults("k: !!map &a.b {}\n"), @r#"1:11 syntax at "": `.` in the name of an anchor; PyYAML accepts only the letters A to Z, digits, `-` and `_` there"#);
    insta::assert_snapshot!(faults("- { multi\n  line, a: b, c\n  : d }\n"), @r#"
    2:15 syntax at "/0": A key and its colon on more than one line, which PyYAML refuses
    "#);
    let too_long_key = "k".repeat(1025);
    insta::assert_snapshot!(faults(&format!("{{{too_long_key}: 1}}\n")), @r#"1:2 syntax at "": A key of more than 1,024 characters, which PyYAML refuses"#);
    // What PyYAML takes.
    let long_key = format!("{{{}: 1}}: x\n", "k".repeat(1022));
    let long_key = &long_key[..long_key.len() - 4];
    for text in [
        long_key,
        "? \n: x\n",
        "? a\n? b\n",
        "{? a : b, c: d}\n",
        "? |\n  long\n  key\n: 1\n",
        "{? multi\n  line : 1}\n",
        "- { multi\n  line, a: b}\n",
        "- ?a\n- :a\n- a?b\n- [a:b, \"c?\", '::']\n",
        "k: &a-b_1 !!str v\nl: *a-b_1\n",
    ] {
        assert_eq!(faults(text), "", "{text}");
    }
}

#[test]
fn tags_of_yaml_itself_hold_only_what_pyyaml_makes_of_them() {
    let faults = |text: &str| describe_problems(&parse(&Source::new(text)).1);
    insta::assert_snapshot!(faults("a: !!int 3.5\n"), @r#"1:4 syntax at "": `3.5` is no `!!int`"#);
    insta::assert_snapshot!(faults("a: !!binary \"x y\"\n"), @r#"1:4 syntax at "": `x y` is no `!!binary`"#);
    insta::assert_snapshot!(faults("a: !!omap [{b: 1}, c]\n"), @r#"1:20 syntax at "/a/1": An element of `!!omap` or `!!pairs` that is not a mapping with one member, which PyYAML refuses"#);
    insta::assert_snapshot!(faults("a: !!set {b: 1}\n"), @r#"1:14 syntax at "/a/b": A value in a set (`!!set`), which PyYAML drops"#);
    let tagged_text = "a: !!int \"0x2a\"\nb: !!binary \"aGk=\"\nc: !!omap [{b: 1}]\nd: !!set {b, c: ~}\ne: !!float 3\nf: !!pairs []\n";
    assert_eq!(faults(tagged_text), "");
}

#[test]
fn a_last_line_of_white_space_belongs_to_a_block_that_is_not_indented_as_far() {
    insta::assert_snapshot!(places("a: |\n \t\nb: 1\n"), @r#"
     "a: |\n \t\nb: 1"
    /a "a" = "|\n \t"
    /b "b" = "1"
    "#);
    insta::assert_snapshot!(places("a: |\n  x\n  \t\n\nb: >-\n  y\n   \n"), @r#"
     "a: |\n  x\n  \t\n\nb: >-\n  y\n   "
    /a "a" = "|\n  x\n  \t"
    /b "b" = ">-\n  y\n   "
    "#);
}

/// Yields a YAML text of scalars and what may be around them.
fn any_scalars() -> impl Strategy<Value = String> {
    let prefix = prop_oneof![
        Just(""),
        Just("k: "),
        Just("- "),
        Just("- k: "),
        Just("  "),
        Just("  k: "),
        Just("  - k: "),
        Just("k: !!binary "),
        Just("k: &a !!str "),
        Just("? "),
        Just("{k: "),
        Just("["),
        Just("*a : "),
        Just("# "),
        Just("k:\n  "),
    ];
    let content = prop_oneof![
        4 => "[a-zé ]{1,12}",
        1 => "[a \\t#:'\"\\\\-]{0,6}",
        1 => prop::sample::select(vec!["\n  ", "\n", "\n\n   ", "\n \t", "''", "\\\"", "\\\n  ", "\\n", "\\x41", "\\u00e9", "\\ ", " \n    "]).prop_map(str::to_owned),
    ];
    let content = prop::collection::vec(content, 0..5).prop_map(|parts| parts.concat());
    let scalar = (content, 0..4_usize, 1..5_usize).prop_map(|(content, form, indent)| {
        let indented_content = content.replace('\n', &format!("\n{}", " ".repeat(indent)));
        match form {
            0 => format!("'{content}'"),
            1 => format!("\"{content}\""),
            2 => format!(
                "|\n{0}{indented_content}\n{0}{indented_content}\n{0}{indented_content}",
                " ".repeat(indent)
            ),
            _ => format!("|-\n{0}{indented_content}\n{0}x\n{0}y", " ".repeat(indent)),
        }
    });
    let suffix = prop::sample::select(vec![
        "\n", "\n", "\n", " \n", "", " # c\n", "}\n", "]\n", ": x\n", "\n: x\n", ", b\n", "\t\n",
    ]);
    let part = (prefix, scalar, suffix)
        .prop_map(|(prefix, scalar, suffix)| format!("{prefix}{scalar}{suffix}"));
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::text::cases(1024))]

    #[test]
    fn lines_are_read_as_the_scanner_reads_them(lines in any_lines(), end in "\n{0,2}") {
        assert_lines_are_read_as_scanned(&(lines + &end));
    }

    #[test]
    fn scalars_are_read_as_the_scanner_reads_them(text in any_scalars()) {
        assert_lines_are_read_as_scanned(&text);
    }

    #[test]
    fn mutated_yaml_is_read_as_the_scanner_reads_it(value in any_yaml(), at: prop::sample::Index, len in 0usize..6, new in "[-?:,\\[\\]{}&*!|>'\"#a \\t\\n]{0,4}") {
        let text = mutated(&value, at, len, &new);
        assert_lines_are_read_as_scanned(&text);
    }
}

/// Returns the text of a value in which some bytes are replaced.
fn mutated(value: &serde_yaml::Value, at: prop::sample::Index, len: usize, new: &str) -> String {
    let mut bytes = serde_yaml::to_string(value).unwrap().into_bytes();
    let start = at.index(bytes.len());
    let end = (start + len).min(bytes.len());
    bytes.splice(start..end, new.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Yields lines of block collections, most of which fit each other.
fn any_lines() -> impl Strategy<Value = String> {
    let begin = prop::sample::select(vec!["", "", "", "- ", "- ", "-  ", "- - "]);
    let key = prop::sample::select(vec![
        "",
        "a: ",
        "b: ",
        "é c:",
        "'d': ",
        "\"e\\n\": ",
        "f:  ",
        "g:",
        "<<: ",
        "-h: ",
    ]);
    let value = prop::sample::select(vec![
        "",
        "1",
        "x y",
        "null",
        "2026-01-01",
        "-1",
        "'it''s'",
        "\"\\u00e9 \"",
        "[]",
        "{} ",
        "|",
        "|-",
        ">",
        ">+",
        "|2",
        "!!binary |",
        "!binary |-",
        "..",
        "'one",
        "so'",
        "x: y",
        "http://a/b?c=d",
        "text ",
        "- ",
        "#no",
        "x #c",
        "# c",
        " deeper",
        "---",
        "!!str x",
    ]);
    let line = (0..4_usize, begin, key, value).prop_map(|(indent, begin, key, value)| {
        format!("{}{begin}{key}{value}", "  ".repeat(indent))
    });
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

/// Compares what is read line by line with what the scanner reads. Returns whether the text is of the kind that is read so.
fn assert_lines_are_read_as_scanned(text: &str) -> bool {
    let source = Source::new(text);
    if syntax_faults::unprintable(text).is_some() {
        return false;
    }
    let Some((tree, problems)) = block_lines::read(&source, MAX_VALUES) else { return false };
    let (scanned, scanned_problems) = scan_lines(&source, text, None, MAX_VALUES);
    let show = |tree: &Tree, problems: &[_]| {
        format!("{}\n{}\n{}", outline(tree), spans(tree), describe_problems(problems))
    };
    assert_eq!(show(&tree, &problems), show(&scanned, &scanned_problems), "{text}");
    true
}

#[test]
fn what_recorders_write_is_read_line_by_line() {
    let texts = [
        "interactions:\n- request:\n    body: null\n    headers:\n      accept:\n      - '*/*'\n  response: {}\nversion: 1\n",
        "a: one\n  two\n\n  three: 3\n",
        "---\na:\n  - - b: 'it''s\n\n             so'\n      c: \"x\\\n        y\\u00e9\"\n  -\n  # none\n",
        "a: |-\n  x\n\n   y\n\n\nb: >\n  one\n  two\n\n  three\n    four\n  five\nc: >+\n  x\n\n",
        "a: !!binary |\n  aGk=\nb: |2\n    x\n  y",
        "a:\n- b\n-  c: d\n   e:\n   - f\ng:\n",
        "a: !binary |-\n  aGk=\nb: |+\n  x\n\n...\n",
    ];
    for text in texts {
        assert_eq!(assert_lines_are_read_as_scanned(text), !text.contains("three: 3"), "{text}");
    }
}

#[test]
fn what_is_not_written_by_recorders_is_read_as_the_scanner_reads_it() {
    let texts = [
        "a: 'it''s' \nb: 1\n",
        "a: \"x\\n\\u00e9\\\"\"\n",
        "a: 'one \n  two\n\n\n   three '\n- b\n",
        "- a: \"one \\t \n    two\\\n      \\ three \\\n\n    four\"\n",
        "- !!binary |\n  YWJj\n  ZGVm\n  Z2hp\n  \n- 'x'",
        "a: &b !!str |-\n  one\n  two\n  three\n   four\nc: *b\n",
        "a:\n- é: 'ü é'\n  ß: 'ñ'\n- 'ö'\n",
        // What only looks like a long scalar.
        "a: |\n  b: 'c\n  d: e'\n",
        "a: b\n  'c d'\n",
        "'a': 'b': c\n",
        "[\n 'a'\n : b]\n",
        "a: 'b\nc'\n",
        "a: \"\\q\"\n",
        "a: \"\\ud83d\"\n",
        "a: 'b' # c\n",
        "a: 'b'\r\n",
        "a: 'b\0'\n",
        "? 'a'\n? {'b': c,\n  'd'\n  }\n",
        "a: 'b'\na: \n'c'\nd: [\n",
    ];
    for text in texts {
        assert_lines_are_read_as_scanned(text);
    }
}
