//! Parts of a file as links name them, behind the path and a `#`: `fixtures/turns.yaml#call=3`.

use std::fmt;

use crate::text::{Place, quoted};

/// What can be written behind the `#`, for messages.
pub const VALID_PARTS: &str = "#call=3, #chunk=17, #line=12 or #pointer=/a/b";

/// A part of a file. Calls and chunks are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// A call of a file that holds several, or of a set.
    Call(usize),
    /// A chunk of a tape.
    Chunk(usize),
    /// A place in the text.
    Place(Place),
    /// A value, by its JSON Pointer.
    Pointer(String),
}

impl FilePart {
    /// Parses what is behind the `#` of a link: one part, or several with commas between them. A pointer is the last, because it
    /// may contain commas.
    ///
    /// # Errors
    ///
    /// Returns what is wrong and what is valid, as a sentence without a full stop.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let mut parts = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            if let Some(pointer) = text.strip_prefix("pointer=") {
                if !pointer.is_empty() && !pointer.starts_with('/') {
                    return Err(format!(
                        "expected a JSON Pointer such as /a/b, found {}",
                        quoted(pointer)
                    ));
                }
                parts.push(Self::Pointer(pointer.to_owned()));
                break;
            }
            let (part, after) = match text.split_once(',') {
                Some((part, after)) => (part, Some(after)),
                None => (text, None),
            };
            parts.push(Self::parse_numbered(part)?);
            rest = after;
        }
        Ok(parts)
    }

    fn parse_numbered(part: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "expected {VALID_PARTS}, found {}",
                quoted(&format!("#{part}"))
            )
        };
        let (name, value) = part.split_once('=').ok_or_else(unknown)?;
        let make: fn(usize) -> Self = match name {
            "call" => Self::Call,
            "chunk" => Self::Chunk,
            "line" => |line| {
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                Self::Place(Place { line, column: 1 })
            },
            _ => return Err(unknown()),
        };
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|number| *number > 0 && is_number);
        number.map(make).ok_or_else(|| {
            format!(
                "expected a number from 1 behind #{name}=, found {}",
                quoted(value)
            )
        })
    }
}

impl fmt::Display for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => write!(f, "call={call}"),
            Self::Chunk(chunk) => write!(f, "chunk={chunk}"),
            Self::Place(place) => write!(f, "line={}", place.line),
            Self::Pointer(pointer) => write!(f, "pointer={pointer}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_parsed_as_they_are_written() {
        for text in [
            "call=3",
            "chunk=17",
            "line=12",
            "pointer=/a/b,c=1",
            "pointer=",
            "call=3,chunk=17",
            "call=1,pointer=/x",
        ] {
            let parts = FilePart::parse_all(text).unwrap();
            let written: Vec<String> = parts.iter().map(FilePart::to_string).collect();
            assert_eq!(written.join(","), text);
        }
    }

    #[test]
    fn a_wrong_part_is_reported_with_what_is_valid() {
        let wrong = [
            "",
            "3",
            "cal=3",
            "call=",
            "call=0",
            "call=+1",
            "call=3,",
            "chunk=x",
            "pointer=a",
        ];
        let wrong = wrong.map(|text| FilePart::parse_all(text).unwrap_err());
        insta::assert_snapshot!(wrong.join("\n"), @"
        expected #call=3, #chunk=17, #line=12 or #pointer=/a/b, found `#`
        expected #call=3, #chunk=17, #line=12 or #pointer=/a/b, found `#3`
        expected #call=3, #chunk=17, #line=12 or #pointer=/a/b, found `#cal=3`
        expected a number from 1 behind #call=, found ``
        expected a number from 1 behind #call=, found `0`
        expected a number from 1 behind #call=, found `+1`
        expected #call=3, #chunk=17, #line=12 or #pointer=/a/b, found `#`
        expected a number from 1 behind #chunk=, found `x`
        expected a JSON Pointer such as /a/b, found `a`
        ");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_parsing_fail_otherwise(text in "(call|chunk|line|pointer|,|=|#|[0-9]|/|.){0,12}") {
            if let Ok(parts) = FilePart::parse_all(&text) {
                proptest::prop_assert!(!parts.is_empty());
            }
        }
    }
}
