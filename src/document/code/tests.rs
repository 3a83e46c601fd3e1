use proptest::prelude::*;

use super::*;
use crate::seeds::Seeds;
use crate::testing::{assert_spans_fit, describe_problems, outline};
use crate::{Document, DocumentBody, read};

fn calls(text: &str) -> String {
    let tree = parse(&Source::new(text));
    assert_spans_fit(&tree, &[]);
    let root = tree.root().unwrap();
    let line = |call: Node<'_>| {
        let arguments: Vec<String> = call.items().map(argument).collect();
        format!("{} {}", call.place(), arguments.join(", "))
    };
    let lines: Vec<String> = root.items().map(line).collect();
    lines.join("\n")
}

fn argument(node: Node<'_>) -> String {
    let value = match (node.kind(), node.as_str()) {
        (_, Some(text)) => format!("{text:?}"),
        (NodeKind::Expression, None) => format!("<{}>", node.raw()),
        (_, None) => node.scalar_text().unwrap_or_default().to_owned(),
    };
    format!("{}={value}", node.key().unwrap_or_default())
}

/// The response that a call gets by this expression.
fn response(expression: &str) -> String {
    let text = format!("seedMemoryTraceResponse('s', 'm', 'j', 0, {expression})");
    let tree = parse(&Source::new(text));
    let response = tree.at_pointer("/0/response").unwrap();
    match response.as_str() {
        Some(text) => text.to_owned(),
        None => format!("{:?} {}", response.kind(), response.raw()),
    }
}

fn seeds(text: &str) -> (Document, Seeds) {
    let document = read(Source::new(text), "a.test.ts");
    let DocumentBody::Seeds(seeds) = document.body.clone() else { panic!("{:?}", document.body) };
    (document, seeds)
}

#[test]
fn calls_are_found_wherever_they_are() {
    insta::assert_snapshot!(calls(r#"
import { seedMemoryTraceResponse, seedMemoryResponse } from './memory';
// seedMemoryTraceResponse('in', 'a', 'comment', 0, '')
const text = "seedMemoryResponse('in', 'a', 'text', '')";
beforeEach(async () => {
  await memory.provider?.seedMemoryTraceResponse(
    'critique', // who
    "router",
    `copy-1`,
    1,
    '{"best":1}',
  );
  seedMemoryTraceResponse<Reply<string>>('a' as const, ('b'), 'c' + "-" + 'd' as string, +2, x!);
  memory.seedMemoryResponse?.('generate_candidates', "m", '1k3zq9', "")
});
it(`works for ${seedMemoryResponse('s', 'm', 'h', 'r')}`)"#), @r#"
    6:26 schema="critique", model="router", jobId="copy-1", round=1, response="{\"best\":1}"
    13:3 schema="a", model="b", jobId="c-d", round=2, response=<x!>
    14:10 step="generate_candidates", model="m", userTextHash="1k3zq9", response=""
    16:17 step="s", model="m", userTextHash="h", response="r"
    "#);
}

#[test]
fn what_is_no_literal_is_kept_as_it_is() {
    insta::assert_snapshot!(calls(
        "seedMemoryTraceResponse(SCHEMA, `m-${n}`, job(1, 2), i + 1, { a: 1 });\n\
         seedMemoryTraceResponse('critique', ...rest);\n\
         seedMemoryResponse('a', 'b' + c, tag`d`, JSON.stringify({ a: b }))"
    ), @r#"
    1:1 schema=<SCHEMA>, model=<`m-${n}`>, jobId=<job(1, 2)>, round=<i + 1>, response=<{ a: 1 }>
    2:1 schema="critique", model=<...rest>, jobId=<...rest>, round=<...rest>, response=<...rest>
    3:1 step="a", model=<'b' + c>, userTextHash=<tag`d`>, response=<JSON.stringify({ a: b })>
    "#);
}

#[test]
fn what_declares_the_function_calls_nothing() {
    insta::assert_snapshot!(calls(
        "export function seedMemoryTraceResponse(schema: string, model: string) { }\n\
         class A { seedMemoryResponse(step, model) { return 1 } }\n\
         interface B { seedMemoryResponse(step: string): void }\n\
         const c = on ? seedMemoryResponse('s', 'm', 'h', 'r') : null;\n\
         seedMemoryResponse('not closed'"
    ), @r#"4:16 step="s", model="m", userTextHash="h", response="r""#);
}

#[test]
fn objects_become_the_json_that_stringify_makes() {
    insta::assert_snapshot!(response(r#"JSON.stringify({ best: 1, 'why not': "a\"b", list: [true, null, undefined, -0.50,], gone: undefined, 2: 'two', "1": 1e21, best: 3 })"#), @r#"{"1":1e+21,"2":"two","best":3,"why not":"a\"b","list":[true,null,null,-0.5]}"#);
    insta::assert_snapshot!(response("JSON.stringify({ a: [1], b: {}, c: [] } satisfies Reply, null, 2)"), @r#"
    {
      "a": [
        1
      ],
      "b": {},
      "c": []
    }
    "#);
    insta::assert_snapshot!(response("JSON.stringify('text')"), @r#""text""#);
    insta::assert_snapshot!(response("JSON.stringify(JSON.stringify([0x10, 1_000]))"), @r#""[16,1000]""#);
    for expression in [
        "JSON.stringify({ a })",
        "JSON.stringify({ ...a })",
        "JSON.stringify({ [a]: 1 })",
        "JSON.stringify({ a() {} })",
        "JSON.stringify(10n)",
        "JSON.stringify([1], keys)",
        "JSON.stringify({ a: 1 }).trim()",
        "JSON.parse('1')",
        "'a'.repeat(3)",
        "010",
    ] {
        assert_eq!(response(expression), format!("Expression {expression}"));
    }
}

#[test]
fn a_small_file_makes_no_large_texts() {
    let nested_calls = |times: usize| {
        let open = "JSON.stringify(".repeat(times);
        format!("{open}'\"'{}", ")".repeat(times))
    };
    assert_eq!(response(&nested_calls(1)), r#""\"""#);
    assert!(response(&nested_calls(40)).starts_with("Expression JSON"));
}

#[test]
fn escapes_are_those_of_javascript() {
    assert_eq!(response(r"'\x41\u0042\u{43}\0\v\q\'é\ud83d\ude00'"), "ABC\0\u{b}q'é😀");
    assert_eq!(response("'a\\\nb\\\r\nc'"), "abc");
    assert_eq!(response("`a\r\nb`"), "a\nb");
    assert_eq!(response(r"'\ud83dx'"), r"\ud83dx");
    assert_eq!(response(r"'\07'"), r"Expression '\07'");
}

#[test]
fn calls_are_seeds_with_their_places() {
    let (document, seeds) = seeds(
        "seedMemoryTraceResponse('critique', 'router', 'a', 1, '{}');\n\
         seedMemoryTraceResponse('critique', 'router', 'b');\n\
         seedMemoryTraceResponse('critique', 7, 'c', round, response);\n\
         seedMemoryResponse('critique', 'router', '1a', undefined);",
    );
    let keys: Vec<Option<String>> = seeds.seeds.iter().map(|seed| seed.key()).collect();
    assert_eq!(
        keys,
        [Some("critique:router:a:1".to_owned()), Some("critique:router:b:0".to_owned()), None]
    );
    assert_eq!(seeds.hash_seeds[0].key().as_deref(), Some("critique:router:1a"));
    insta::assert_snapshot!(describe_problems(&document.problems), @r#"
    2:1 missing-field at "/1": `response` is missing
    3:37 wrong-type at "/2/model": `model` is a number; a string is expected
    4:48 missing-field at "/3/response": `response` is null; a value is expected
    "#);
}

#[test]
fn code_that_seeds_nothing_is_no_file_of_ours() {
    for text in
        ["", "const a = 1;", "import { seedMemoryResponse } from './memory';", "{\"seeds\": []}"]
    {
        let document = read(Source::new(text), "a.ts");
        assert!(matches!(document.body, DocumentBody::Unknown), "{text}");
    }
    assert!(may_seed(b"x.seedMemoryResponse(") && !may_seed(b"seedMemory('a')"));
    assert!(is_code("a.test.TSX") && is_code("a.mjs") && !is_code("ts") && !is_code("a.json"));
    assert_eq!(outline(&parse(&Source::new("f()"))), "[]");
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn any_text_gives_an_answer(text in "(seedMemoryTraceResponse\\(|seedMemoryResponse|JSON\\.stringify\\(|'[a-z]*'|[\\(\\)\\[\\]{}`$'\"/\\\\\n*,:.?<>aé1 -]|\\.\\.\\.|as |\\PC){0,80}") {
        let tree = parse(&Source::new(text.as_str()));
        assert_spans_fit(&tree, &[]);
        let document = read(Source::new(text.as_str()), "a.ts");
        assert_spans_fit(&document.tree, &document.problems);
    }

    #[test]
    fn stringify_is_understood_by_every_json_reader(text in "\\PC{0,20}", number in any::<f64>()) {
        let literal = Literal::Object(vec![(text.clone(), Literal::List(vec![Literal::Text(text.clone()), Literal::Number(number)]))]);
        let indent = literal::Indent::from_argument(Some(&Literal::Number(3.0))).unwrap();
        let Some(Literal::Text(json)) = literal::stringify(&literal, &indent, usize::MAX) else {
            panic!("an object has a text")
        };
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(read[&text][0].as_str(), Some(text.as_str()));
    }
}
