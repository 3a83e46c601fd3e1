//! Python's regular expressions, as its module `re` understands them in version 3.11 and later.
//!
//! A pattern is parsed by Python's grammar and translated for the engine used here, with all differences made explicit: `$` also
//! matches before a last line end, `\w` and `\s` are Python's, a look-behind has a fixed width. What Python refuses is
//! rejected with its reason; patterns that cannot be checked here are reported as unsupported.

mod class;
mod parse;

use std::ops::Range;

use parse::Parser;

/// A pattern, ready to search with.
#[derive(Debug)]
pub struct PythonPattern {
    regex: fancy_regex::Regex,
    /// Whether a reference to a group ignores case.
    folds_references: bool,
}

/// Reason for which a pattern gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// Python rejects it, too.
    Invalid(String),
    /// Python may accept it, but it is not supported here.
    Unsupported(String),
}

/// Maximum number of steps of a search.
const MAX_STEPS: usize = 2_000_000;

/// The longest pattern that is tried.
const MAX_PATTERN_BYTES: usize = 20_000;

type Parsed<T> = Result<T, PatternError>;

fn invalid<T>(reason: impl Into<String>) -> Parsed<T> {
    Err(PatternError::Invalid(reason.into()))
}

fn unsupported<T>(reason: impl Into<String>) -> Parsed<T> {
    Err(PatternError::Unsupported(reason.into()))
}

impl PythonPattern {
    /// Reads a pattern as `re.search(pattern, text, re.DOTALL)` does.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            return unsupported("The pattern is very long");
        }
        let translated = Parser::translate(pattern)?;
        let refusal = |error: fancy_regex::Error| {
            let reason = error.to_string();
            // The engine quotes the pattern in the lines before.
            let line = reason.lines().last().unwrap_or_default().trim();
            PatternError::Unsupported(format!("The pattern is not supported here: {line}"))
        };
        let mut builder = fancy_regex::RegexBuilder::new(&translated.pattern);
        let regex = builder.backtrack_limit(MAX_STEPS).build().map_err(refusal)?;
        Ok(Self { regex, folds_references: translated.folds_references })
    }

    /// Returns the first match in a text.
    ///
    /// # Errors
    ///
    /// [`PatternError::Unsupported`] when it takes too long, or would compare the cases of letters as the engine cannot.
    pub fn search(&self, text: &str) -> Result<Option<Range<usize>>, PatternError> {
        let has_case = |c: char| c.to_lowercase().ne([c]) || c.to_uppercase().ne([c]);
        if self.folds_references && text.chars().any(|c| !c.is_ascii() && has_case(c)) {
            return unsupported(
                "A group reference that ignores case is supported here for ASCII letters only",
            );
        }
        let first_match = self.regex.find(text).map_err(|_| {
            PatternError::Unsupported("The search takes too many steps here".to_owned())
        })?;
        Ok(first_match.map(|first_match| first_match.start()..first_match.end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> String {
        match PythonPattern::new(pattern).and_then(|pattern| pattern.search(text)) {
            Ok(Some(range)) => format!("{}..{}", range.start, range.end),
            Ok(None) => "none".to_owned(),
            Err(PatternError::Invalid(reason)) => format!("invalid: {reason}"),
            Err(PatternError::Unsupported(reason)) => format!("beyond: {reason}"),
        }
    }

    #[test]
    fn what_differs_from_other_engines_is_as_in_python() {
        let cases = [
            ("a$", "a\n", "0..1"),
            (r"a\Z", "a\n", "none"),
            ("a.b", "a\nb", "0..3"),
            ("{a}", "{a}", "0..3"),
            ("a{,2}b", "aab", "0..3"),
            ("a{x}", "a{x}", "0..4"),
            ("[]a]+", "]a", "0..2"),
            ("[[a&&b]+", "[&b", "0..3"),
            (r"[\w-]+", "é-_", "0..4"),
            (r"\w+", "e\u{301}", "0..1"),
            (r"(?P<q>['\x22]).(?P=q)", "'x'", "0..3"),
            (r"(?<=ab)c(?!d)", "abcd abce", "7..8"),
            (r"(a)?(?(1)b|c)", "ab", "0..2"),
            (r"\101\x42\u0043", "ABC", "0..3"),
            ("(?i)straße", "STRAßE", "0..7"),
            ("(?x) a b # c", "ab", "0..2"),
            (r"\bfoo\b", "a foo.", "2..5"),
            ("a++b", "aab", "0..3"),
            ("(?i)İ", "i", "0..1"),
            ("(?i)İ", "I", "0..1"),
            ("(?i)i", "ı", "0..2"),
            ("(?i)[a-j]", "İ", "0..2"),
            ("(?i)[^i]", "İıI", "none"),
            ("(?i:x)İ", "Xi", "none"),
            ("(?i)x(?-i:İ)", "Xi", "none"),
            ("(?i)ſ", "S", "0..1"),
            ("(?i)[j-l]", "\u{212a}", "0..3"),
            ("(?i)µ", "Μ", "0..2"),
            (r"(?i)\w", "\u{345}", "none"),
            (r"(?i)[\Wa]", "ι", "none"),
            (r"(?i)[^\W\d_]", "\u{345}é", "2..4"),
            (r"(?i)(?<=[\s;])k", ";\u{212a}", "1..4"),
            ("(?ai)k", "\u{212a}", "none"),
            ("(?i)(?a)é[a-c]", "éB", "0..3"),
            ("(?ai)(?i:k)É", "Ké", "none"),
            (r"(?i)(k)\1", "kK", "0..2"),
            (r"(?ai)(k)\1", "kK", "0..2"),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(found(pattern, text), expected, "{pattern}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused() {
        let patterns = [
            "a(", "a)", "[a", "*a", "a**", "^*", r"\h", r"\p{L}", "(?<n>a)", "(?P<1>a)", r"\2",
            "(?<=a+)b", "a{3,2}", "[z-a]", r"(\1)", "a(?i)b", "(?P=x)", r"a\",
        ];
        let lines: Vec<String> =
            patterns.iter().map(|pattern| format!("{pattern}  {}", found(pattern, ""))).collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        a(  invalid: missing ), unterminated subpattern
        a)  invalid: unbalanced parenthesis
        [a  invalid: unterminated character set
        *a  invalid: nothing to repeat
        a**  invalid: multiple repeat
        ^*  invalid: nothing to repeat
        \h  invalid: bad escape \h
        \p{L}  invalid: bad escape \p
        (?<n>a)  invalid: unknown extension ?<
        (?P<1>a)  invalid: bad character in group name '1'
        \2  invalid: invalid group reference 2
        (?<=a+)b  invalid: look-behind requires fixed-width pattern
        a{3,2}  invalid: min repeat greater than max repeat
        [z-a]  invalid: bad character range
        (\1)  invalid: cannot refer to an open group
        a(?i)b  invalid: global flags not at the start of the expression
        (?P=x)  invalid: unknown group name 'x'
        a\  invalid: bad escape at the end of the pattern
        ");
    }
}
