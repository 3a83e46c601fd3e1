//! Terms that look into the content of files.

use regex::bytes::{Regex, RegexBuilder};

use super::pattern::TermPiece;
use document::Syntax;
use document::text::Source;

/// Pattern that a term looks for in the content of a file: in its text as written, with the escapes of JSON decoded, and in the values
/// of YAML.
#[derive(Clone, Debug)]
pub(super) struct BodyPattern {
    pub(super) regex: Regex,
    /// Beginning of the escapes that can hide it in the content as written: those by number, such as `\u00e9`, or all.
    escapes: &'static str,
}

const NUMBER_ESCAPE: &str = "\\u";

impl BodyPattern {
    /// Looks for a text: for this, its spaces and line ends included, in any case.
    ///
    /// # Errors
    ///
    /// Returns an error, as a sentence, if the text is too long to look for.
    pub(super) fn of_text(pieces: &[TermPiece]) -> Result<Self, String> {
        let mut pattern = String::new();
        let mut is_any = false;
        for piece in pieces {
            let TermPiece::Text(text) = piece else {
                is_any = true;
                continue;
            };
            for c in text.chars() {
                if is_any && !pattern.is_empty() {
                    // A star also spans line ends, as little as possible.
                    pattern.push_str("(?s:.*?)");
                }
                push_character(&mut pattern, c);
                is_any = false;
            }
        }
        Self::compile(&pattern, NUMBER_ESCAPE)
    }

    /// Looks for what matches a regular expression.
    ///
    /// # Errors
    ///
    /// Returns the fault of the expression, as a sentence.
    pub(super) fn of_regex(pattern: &str) -> Result<Self, String> {
        // Without these no character of a match can be written as a short escape.
        let is_plain = |c: char| c.is_alphanumeric() || " _-:,|()?*+{}".contains(c);
        let escapes = if pattern.chars().all(is_plain) { NUMBER_ESCAPE } else { "\\" };
        Self::compile(pattern, escapes)
    }

    fn compile(pattern: &str, escapes: &'static str) -> Result<Self, String> {
        let regex = RegexBuilder::new(pattern)
            .case_insensitive(true)
            .multi_line(true)
            .build()
            .map_err(|error| describe(&error))?;
        Ok(Self { regex, escapes })
    }

    /// Returns true for a pattern that fits everything, because nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.regex.as_str().is_empty()
    }

    pub(super) fn matches(&self, body: &mut BodyText<'_>) -> bool {
        // The cheapest first: most files match as written, and only few need to be decoded or parsed.
        self.regex.is_match(body.written)
            || body.may_hide(self.escapes) && self.regex.is_match(body.decoded())
            || self.regex.is_match(body.values())
    }
}

/// The content of a file that is searched.
pub(super) struct BodyText<'a> {
    written: &'a [u8],
    file_name: &'a str,
    /// The content without escapes, once that was needed; and room for it, which is used for the next file.
    decoded: &'a mut Vec<u8>,
    is_decoded: bool,
    /// The texts that YAML writes otherwise than they read, once they were needed.
    values: Option<Vec<u8>>,
}

impl<'a> BodyText<'a> {
    pub(super) fn new(content: &'a [u8], file_name: &'a str, scratch: &'a mut Vec<u8>) -> Self {
        Self { written: content, file_name, decoded: scratch, is_decoded: false, values: None }
    }

    fn may_hide(&self, escapes: &str) -> bool {
        memchr::memmem::find(self.written, escapes.as_bytes()).is_some()
    }

    fn decoded(&mut self) -> &[u8] {
        if !self.is_decoded {
            decode(self.written, self.decoded);
            self.is_decoded = true;
        }
        self.decoded
    }

    /// Returns the texts that YAML folds, indents or escapes, as they read; those of JSON in them also without its escapes.
    fn values(&mut self) -> &[u8] {
        self.values.get_or_insert_with(|| {
            let source = Source::from_bytes(self.written.to_vec());
            if document::syntax(source.text(), self.file_name) != Syntax::Yaml {
                return Vec::new();
            }
            let (tree, _) = document::yaml::parse(&source);
            let mut values = tree.decoded_texts().collect::<Vec<_>>().join("\n").into_bytes();
            if memchr::memchr(b'\\', &values).is_some() {
                let mut decoded_values = Vec::new();
                decode(&values, &mut decoded_values);
                values.push(b'\n');
                values.append(&mut decoded_values);
            }
            values
        })
    }
}

/// Adds a character to a regular expression, also as a string in JSON has it, and a string in such a string.
fn push_character(pattern: &mut String, c: char) {
    let prefix = match c {
        // At the beginning the backslashes before it make no difference.
        '"' | '/' | '\\' if pattern.is_empty() => "",
        '"' | '/' | '\\' => r"\\*",
        '\n' => return pattern.push_str(r"(?:\n|\\+n)"),
        '\r' => return pattern.push_str(r"(?:\r|\\+r)"),
        '\t' => return pattern.push_str(r"(?:\t|\\+t)"),
        '\u{8}' => return pattern.push_str(r"(?:\x08|\\+b)"),
        '\u{c}' => return pattern.push_str(r"(?:\f|\\+f)"),
        _ => "",
    };
    pattern.push_str(prefix);
    pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// Writes a text into `output` with the escapes of JSON replaced by what they stand for. Others stay as they are.
fn decode(content: &[u8], output: &mut Vec<u8>) {
    output.clear();
    let mut rest = content;
    while let Some(index) = memchr::memchr(b'\\', rest) {
        output.extend_from_slice(&rest[..index]);
        rest = &rest[index..];
        let (c, length) = match rest.get(1) {
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'"') => ('"', 2),
            Some(b'/') => ('/', 2),
            Some(b'u') => escaped_number(rest).unwrap_or(('\\', 1)),
            Some(b'\\') => ('\\', 2),
            _ => ('\\', 1),
        };
        output.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[length..];
    }
    output.extend_from_slice(rest);
}

/// Reads an escape by number, or two that make one character. Returns it with its length.
fn escaped_number(text: &[u8]) -> Option<(char, usize)> {
    let unit = |start: usize| {
        let digits = text.get(start..start + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        u16::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    // A unit that is no character by itself may be the first half of a surrogate pair.
    let first = unit(0)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((c, 6));
    }
    Some((char::decode_utf16([first, unit(6)?]).next()?.ok()?, 12))
}

/// Returns what is wrong with a regular expression, without its picture of the place.
fn describe(error: &regex::Error) -> String {
    let text = error.to_string();
    let cause = text.rsplit("error: ").next().unwrap_or_default().trim().trim_end_matches('.');
    match error {
        regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
        _ => format!("the regular expression is invalid: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fits(pattern: &BodyPattern, content: &str) -> bool {
        pattern.matches(&mut BodyText::new(content.as_bytes(), "a.json", &mut Vec::new()))
    }

    fn text(text: &str) -> BodyPattern {
        BodyPattern::of_text(&[TermPiece::Text(text.to_owned())]).unwrap()
    }

    #[test]
    fn a_text_is_found_as_written_and_as_it_reads() {
        let content = r#"{"a": "He said \"caf\u00e9\".\nÄrger: C:\\temp \ud83d\ude00 {\"b\": \"{\\\"c\\\"\"}"}"#;
        let texts = [
            "he SAID",
            "said \"café\"",
            "\".\närger",
            r"\n",
            r"c:\temp",
            r"C:\\temp",
            "😀",
            r#""b": "{"c""#,
            r"\u00E9",
        ];
        for pattern in texts {
            assert!(fits(&text(pattern), content), "{pattern}");
        }
        for pattern in ["cafe", "said \"\"", "temp\\", "b: "] {
            assert!(!fits(&text(pattern), content), "{pattern}");
        }
    }

    #[test]
    fn values_of_yaml_are_found_however_they_are_written() {
        let content = "a: one\n  two\nb: 'it''s\n\n  here'\nc: >-\n  three\n  four\nd: |\n  five\n  six\ne: \"s\\x65v\\\n  en\"\nf: '{\"g\": \"\\\"eight\n  nine\\\"\"}'\n";
        let fits = |pattern: &str| {
            let mut room = Vec::new();
            let mut body = BodyText::new(content.as_bytes(), "a.yaml", &mut room);
            text(pattern).matches(&mut body)
        };
        for pattern in [
            "one two",
            "it's\nhere",
            "three four",
            "five\nsix",
            "seven",
            "\"eight nine\"",
            "'it''s",
        ] {
            assert!(fits(pattern), "{pattern}");
        }
        for pattern in ["five six", "two it", "three\nfour"] {
            assert!(!fits(pattern), "{pattern}");
        }
    }

    #[test]
    fn stars_stand_for_any_characters() {
        let piece = |text: &str| TermPiece::Text(text.to_owned());
        let pieces = [TermPiece::Any, piece("one"), TermPiece::Any, piece("two")];
        let pattern = BodyPattern::of_text(&pieces).unwrap();
        assert!(fits(&pattern, "x one\ntwo"));
        assert!(!fits(&pattern, "two one"));
        assert!(BodyPattern::of_text(&[TermPiece::Any]).unwrap().is_empty());
    }

    #[test]
    fn a_regular_expression_is_found_as_written_and_as_it_reads() {
        let fits = |pattern: &str| {
            fits(&BodyPattern::of_regex(pattern).unwrap(), r#""a\nB \u0041bc \"q\"""#)
        };
        assert!(fits("a$") && fits("^b") && fits("abc") && fits(" \"q\"\"$") && fits(r"\\n"));
        assert!(!fits("(?-i)^b") && !fits("a.b"));
        let error = |pattern: &str| BodyPattern::of_regex(pattern).unwrap_err();
        assert_eq!(error("(a"), "the regular expression is invalid: unclosed group");
        assert_eq!(error(r"\w{1000}{1000}"), "the regular expression is too large");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        /// The value of a JSON string is found, whatever characters it has.
        #[test]
        fn each_part_of_a_string_is_found_in_the_json(before in ".{0,8}", part in "[\\x00-\\x7fé😀\\\\\"]{1,8}", after in ".{0,8}") {
            let json = serde_json::to_string(&format!("{before}{part}{after}")).unwrap();
            prop_assert!(fits(&text(&part), &json), "{part:?} {json}");
        }
    }
}
