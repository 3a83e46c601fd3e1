//! Python's regular expressions, in the syntax of the engine used here.

use std::ops::Range;

/// A pattern as `re.search` takes it, with the flag `re.DOTALL`.
#[derive(Debug)]
pub struct PythonPattern(fancy_regex::Regex);

/// Number of steps of a search; a pattern that backtracks without end is not decided.
const MAX_STEPS: usize = 2_000_000;

/// Letters that have a meaning in Python after a backslash. All others are reserved, and refused.
const ESCAPES: &str = "AbBdDsSwWZafnrtvxuUN";

/// Number of repetitions that a pattern may have: `{2}`, `{,2}`, `{2,}`, `{2,4}`. Python reads every other brace as itself.
fn is_repetition(rest: &str) -> bool {
    let bounds = rest.split_once('}').map_or("", |(bounds, _)| bounds);
    bounds.bytes().all(|byte| byte.is_ascii_digit() || byte == b',')
        && bounds.matches(',').count() <= 1
        && !bounds.is_empty()
}

impl PythonPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern means nothing to Python, or nothing to the engine.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let regex = Self::translate(pattern)?;
        let mut builder = fancy_regex::RegexBuilder::new(&regex);
        let refusal = |error: fancy_regex::Error| {
            let reason = error.to_string();
            // The engine quotes the pattern in the lines before.
            let line = reason.lines().last().unwrap_or_default().trim();
            format!("The pattern is not supported here: {line}")
        };
        builder.backtrack_limit(MAX_STEPS).build().map(Self).map_err(refusal)
    }

    /// Writes what means something else to the engine: `$`, `\Z`, braces, and signs in a class.
    fn translate(pattern: &str) -> Result<String, String> {
        let is_multiline = pattern.starts_with("(?") && {
            let flags = pattern[2..].split(')').next().unwrap_or_default();
            flags.contains('m') && flags.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        let mut regex = "(?s)".to_owned();
        let mut in_class = false;
        let mut chars = pattern.char_indices().peekable();
        while let Some((at, sign)) = chars.next() {
            match sign {
                '\\' => match chars.next() {
                    Some((_, 'Z')) if !in_class => regex += r"\z",
                    Some((_, letter))
                        if letter.is_ascii_alphabetic() && !ESCAPES.contains(letter) =>
                    {
                        return Err(format!("Python rejects the pattern: bad escape \\{letter}"));
                    }
                    escaped => regex.extend(['\\'].into_iter().chain(escaped.map(|(_, c)| c))),
                },
                // A bracket right at the start of a class is a member of it.
                '[' if !in_class => {
                    in_class = true;
                    regex.push('[');
                    regex.extend(chars.next_if(|(_, sign)| *sign == '^').map(|(_, sign)| sign));
                    regex += chars.next_if(|(_, sign)| *sign == ']').map_or("", |_| r"\]");
                }
                ']' => {
                    in_class = false;
                    regex.push(']');
                }
                // The engine has operations on classes.
                '[' | '&' | '~' if in_class => regex.extend(['\\', sign]),
                // Python's `$` also matches before a last line end.
                '$' if !in_class && !is_multiline => regex += r"(?=\n?\z)",
                // The engine reads a condition on the name of a group as something else.
                '(' if !in_class && pattern[at + 1..].starts_with("?(") => {
                    if !pattern[at + 3..].starts_with(|c: char| c.is_ascii_digit()) {
                        return Err(
                            "The pattern is not supported here: a condition on a name".into()
                        );
                    }
                    regex.push('(');
                }
                '{' if !in_class && !is_repetition(&pattern[at + 1..]) => regex += r"\{",
                _ => regex.push(sign),
            }
        }
        Ok(regex)
    }

    /// Returns the first match.
    ///
    /// # Errors
    ///
    /// If the search takes too many steps.
    pub fn search(&self, text: &str) -> Result<Option<Range<usize>>, String> {
        let found = self.0.find(text).map_err(|_| "The search takes too many steps here")?;
        Ok(found.map(|found| found.range()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> String {
        match PythonPattern::new(pattern).and_then(|pattern| pattern.search(text)) {
            Ok(Some(range)) => format!("{}..{}", range.start, range.end),
            Ok(None) => "none".to_owned(),
            Err(reason) => reason,
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
            (r"(?P<q>['\x22]).(?P=q)", "'x'", "0..3"),
            (r"(?<=ab)c(?!d)", "abcd abce", "7..8"),
            (r"(a)?(?(1)b|c)", "ab", "0..2"),
            (r"\x42\u0043", "BC", "0..2"),
            ("(?i)straße", "STRAßE", "0..7"),
            ("(?x) a b # c", "ab", "0..2"),
            ("(?m)a$", "a\nb", "0..1"),
            (r"\bfoo\b", "a foo.", "2..5"),
            ("a++b", "aab", "0..3"),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(found(pattern, text), expected, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for pattern in ["(?P<y>a)?(?(y)b|c)", "a(", "a)", "[a", "*a", r"\h", r"\p{L}", r"a\"] {
            assert!(PythonPattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
