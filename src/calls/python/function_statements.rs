//! The statements of one function, for what is judged by its words.

use super::tokens::{LogicalLine, Token, split};

/// A statement of a function, or the beginning of a compound one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PythonStatement<'t> {
    /// As written, with the comments up to the next statement.
    pub text: &'t str,
    /// The line in which it begins, from 1.
    pub line: u32,
}

/// Returns the decorators of the function whose name is in a line, from 1, its `def` and its statements; none if no function is there.
pub fn function_statements(text: &str, line: u32) -> Vec<PythonStatement<'_>> {
    let lines = split(text);
    let statements = places(text, &lines);
    let is_def = |index: &usize| {
        let has_line = statements[*index].1 == line;
        has_line && names(&lines[*index]).take(2).any(|name| name == "def")
    };
    let Some(def) = (0..lines.len()).find(is_def) else { return Vec::new() };
    let is_decorator = |index: &usize| matches!(lines[*index].tokens[0].token, Token::Sign("@"));
    let decorators = (0..def).rev().take_while(is_decorator).count();
    let is_inside = |index: &usize| lines[*index].indent > lines[def].indent;
    let end = def + 1 + (def + 1..lines.len()).take_while(is_inside).count();
    let statement = |index: usize| {
        let (start, line) = statements[index];
        let end = statements.get(index + 1).map_or(text.len(), |(at, _)| *at);
        PythonStatement { text: text[start..end].trim_end(), line }
    };
    (def - decorators..end).map(statement).collect()
}

/// Returns the statement that a line, from 1, belongs to.
pub fn statement_at(text: &str, line: u32) -> Option<&str> {
    let lines = split(text);
    let places = places(text, &lines);
    let index = places.iter().rposition(|(_, start)| *start <= line)?;
    let end = places.get(index + 1).map_or(text.len(), |(at, _)| *at);
    Some(text[places[index].0..end].trim_end())
}

/// Returns the byte and the line at which each statement begins.
fn places(text: &str, lines: &[LogicalLine<'_>]) -> Vec<(usize, u32)> {
    let (mut start, mut number) = (0, 1);
    let place = |line: &LogicalLine<'_>| {
        let at = line.tokens[0].at;
        number += text[start..at].matches('\n').count();
        start = at;
        (at, u32::try_from(number).unwrap_or(u32::MAX))
    };
    lines.iter().map(place).collect()
}

fn names<'a>(line: &LogicalLine<'a>) -> impl Iterator<Item = &'a str> {
    line.tokens.iter().map_while(|token| match token.token {
        Token::Name(name) => Some(name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_its_decorators_and_all_its_lines() {
        let text = "import a\n\n@mark(\n  1)\n@vcr\nasync def test_b(x):\n    '''One\ntwo'''\n    # why\n    if x:\n        assert (x ==\n2)\n\n    y\n\ndef test_c():\n    pass\n";
        let statements = |line| {
            let found = function_statements(text, line).into_iter();
            found.map(|s| format!("{} {:?}", s.line, s.text)).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(statements(6), @r##"
        3 "@mark(\n  1)"
        5 "@vcr"
        6 "async def test_b(x):"
        7 "'''One\ntwo'''\n    # why"
        10 "if x:"
        11 "assert (x ==\n2)"
        14 "y"
        "##);
        assert_eq!(statements(1), "");
        assert_eq!(
            [11, 14].map(|line| statement_at(text, line)),
            [Some("assert (x ==\n2)"), Some("y")]
        );
        assert_eq!(statements(16).lines().count(), 2);
    }
}
