use std::fmt::Write as _;

use super::*;

fn value(expression: &PythonExpression) -> String {
    let values = |items: &[PythonExpression]| items.iter().map(value).collect::<Vec<_>>();
    let entries_text = |items: &[(Option<Box<str>>, PythonExpression)]| {
        let items = items.iter();
        let item = |(name, expression): &(Option<Box<str>>, PythonExpression)| {
            format!("{}={}", name.as_deref().unwrap_or("**"), value(expression))
        };
        items.map(item).collect::<Vec<_>>()
    };
    match &expression.value {
        PythonValue::None => "None".into(),
        PythonValue::Bool(flag) => flag.to_string(),
        PythonValue::Number(number) => number.to_string(),
        PythonValue::Text(text) => format!("{text:?}"),
        PythonValue::List(items) => format!("[{}]", values(items).join(", ")),
        PythonValue::Dict(entries) => format!("{{{}}}", entries_text(entries).join(", ")),
        PythonValue::Name(name) => name.to_string(),
        PythonValue::Call(call) => {
            let arguments = [values(&call.positional), entries_text(&call.named)].concat();
            format!("{}({})", call.callee, arguments.join(", "))
        }
        PythonValue::Unknown => "?".into(),
    }
}

fn describe(text: &str) -> String {
    let module = PythonModule::parse(&Source::new(text));
    let mut description = String::new();
    for (name, expression) in &module.assignments {
        let _ = writeln!(description, "{} {name} = {}", expression.place, value(expression));
    }
    for function in &module.functions {
        let class = function
            .class
            .map(|class| &*module.classes[class].name)
            .map_or_else(String::new, |class| format!("{class}."));
        let _ = write!(description, "{} {class}{}", function.place, function.name);
        let groups = [
            ("@", &function.decorators),
            ("returns ", &function.results),
            ("with ", &function.contexts),
        ];
        for (word, expressions) in groups {
            for expression in expressions {
                let _ = write!(description, " {word}{}", value(expression));
            }
        }
        description.push('\n');
    }
    for class in &module.classes {
        let shown_all =
            |expressions: &[PythonExpression]| expressions.iter().map(value).collect::<Vec<_>>();
        let marks = class.marks.iter().map(value).collect::<String>();
        let bases = shown_all(&class.bases).join(", ");
        let decorators = shown_all(&class.decorators).join(", ");
        let _ = writeln!(description, "{}({bases}) @{decorators} {marks}.", class.name);
    }
    for (module, place) in &module.modules {
        let _ = writeln!(description, "{place} import {module}");
    }
    let _ = write!(
        description,
        "{}",
        module
            .imported
            .iter()
            .map(|(name, full)| format!("{name}={full}"))
            .collect::<Vec<_>>()
            .join(" ")
    );
    description
}

#[test]
fn tests_fixtures_and_configurations_are_found_with_their_places() {
    let text = r#"# -*- coding: utf-8 -*-
"""A module.

def test_in_a_text(): pass
"""
import pytest, os.path as p
from vcr import (VCR as V,  # its class
                 mode)
pytestmark = [pytest.mark.vcr, pytest.mark.asyncio]
my_vcr = vcr.VCR(
    match_on=("method", "uri",),
    before_record=lambda r, x: None, cassette_library_dir='tests/' "fixtures",
    **OPTIONS,
)

@pytest.fixture(scope="module")
def vcr_config() -> dict[str, Any]:
    x = {"not": "this"}
    def inner():
        return 1
    return {"match_on": ['method', r"a\b"], "ignore_localhost": True, "n": -1.5e3, **more, key: "v"}

@pytest.mark.vcr(match_on=["body"])
@pytest.mark.parametrize("a", [1, 2])
async def test_a(a, *, b={"x": ":"}): return None

@pytest.mark.vcr()
class TestMail(Base, metaclass=M):
    pytestmark = pytest.mark.default_cassette("one.yaml")

    class TestInner:
	@my_vcr.use_cassette
	def test_b(self):
	    with my_vcr.use_cassette("b.yaml") as cass, other():
	        yield f"{x}"

if x:
    FLAG = 1
def test_c(): pass
"#;
    insta::assert_snapshot!(describe(text), @r#"
    9:14 pytestmark = [pytest.mark.vcr, pytest.mark.asyncio]
    10:10 my_vcr = vcr.VCR(match_on=["method", "uri"], before_record=?, cassette_library_dir="tests/fixtures", **=?)
    38:12 FLAG = ?
    17:5 vcr_config @pytest.fixture(scope="module") returns {match_on=["method", "a\\b"], ignore_localhost=true, n=-1.5e3, **=?, **=?}
    25:11 test_a @pytest.mark.vcr(match_on=["body"]) @pytest.mark.parametrize("a", [1, 2]) returns None
    33:6 TestInner.test_b @my_vcr.use_cassette returns ? with my_vcr.use_cassette("b.yaml") with other()
    39:5 test_c
    TestMail(Base) @pytest.mark.vcr() pytest.mark.default_cassette("one.yaml").
    TestInner() @ .
    6:8 import pytest
    6:16 import os.path
    7:6 import vcr
    pytest=pytest p=os.path V=vcr.VCR mode=vcr.mode
    "#);
}

#[test]
fn what_is_no_literal_is_unknown() {
    let text = r#"
a = b or c
a2 = [x for x, y in z]
b = "x" + "y"
c = "\x41\u00e9\N{DASH}"
d = "\x41\u00e9\101\q" '\''
e = f"{a}" "b"
f = ()
g = (1)
h = (1,)
i = 1, 2
j: list[str] = ["a"]
k = m = {"a"}
k["b"] = 1
l = {"a": 1, **b, "c": 2}
l.update(x=1)
n += 1
o = x if y else z
p = x[1:2]
q = f(*a, 1)(2)
r = None; s = True
t == 1
u = "unclosed
v = lambda: [1, 2]
"#;
    insta::assert_snapshot!(describe(text), @r#"
    2:5 a = ?
    3:6 a2 = [?, ?]
    4:5 b = ?
    5:5 c = ?
    6:5 d = "AéA\\q'"
    7:5 e = ?
    8:5 f = []
    9:5 g = 1
    10:5 h = [1]
    11:5 i = [1, 2]
    12:16 j = ["a"]
    13:9 k = ["a"]
    13:9 m = ["a"]
    14:1 k = {b=?}
    15:5 l = {a=1, **=?, c=2}
    16:1 l = ?
    17:1 n = ?
    18:5 o = ?
    19:5 p = ?
    20:5 q = ?
    21:5 r = None
    21:15 s = true
    23:5 u = ?
    24:5 v = ?
    "#);
}

#[test]
fn a_key_that_something_unknown_may_set_is_unknown() {
    let text = "a = {'x': 1, **b, 'y': 2}\nc = f(x=1, **b)\n";
    let module = PythonModule::parse(&Source::new(text));
    let entry = |name: &str, key| module.value(name).unwrap().entry(key).map(value);
    let three_entries = |name| [entry(name, "x"), entry(name, "y"), entry(name, "z")];
    assert_eq!(three_entries("a").map(Option::unwrap), ["?", "2", "?"]);
    assert_eq!(three_entries("c").map(Option::unwrap), ["1", "?", "?"]);
}

proptest::proptest! {
    #![proptest_config(document::text::cases(512))]

    #[test]
    fn no_text_is_too_strange(text in "([\\[\\](){}\"'@:=,.*\\\\ \n\t;]|def |class |with |import |from |as |lambda |x|1|é){0,60}") {
        PythonModule::parse(&Source::new(text));
    }
}

#[test]
fn deep_nesting_ends() {
    for bracket in ["[", "(", "{", "f(", "lambda: ", "-", "{'a': "] {
        let text = format!("a = {}", bracket.repeat(20_000));
        assert_eq!(PythonModule::parse(&Source::new(text)).assignments.len(), 1);
    }
}
