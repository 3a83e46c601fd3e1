//! Parts of a file as links name them, behind the path and a `#`: `fixtures/turns.yaml#call=3`.

use std::fmt;

use super::Item;
use document::shell::CommandShell;
use document::text::{Place, quoted};
use document::{FileKind, Problem};

/// The forms of a part behind the `#`, for messages.
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
    /// Returns what a problem is about: its call in a file of several, its chunk of a tape, else its line.
    pub fn of_problem(item: &Item, problem: &Problem) -> Self {
        let named_call = problem.calls.as_ref().and_then(|calls| calls.numbers.first().copied());
        let mut calls = item.calls.iter();
        let call = named_call.or_else(|| calls.position(|call| call.has_problem(problem)));
        let is_tape = item.kind == FileKind::Tape;
        match (call, Self::chunk_at(&problem.pointer)) {
            (Some(call), _) => Self::Call(call + 1),
            (None, Some(chunk)) if is_tape => chunk,
            (None, _) => Self::Place(problem.place),
        }
    }

    /// Returns the chunk of a tape that is, or is around, the value at a JSON Pointer.
    pub fn chunk_at(pointer: &str) -> Option<Self> {
        let chunk: usize = pointer.strip_prefix("/stream/")?.split('/').next()?.parse().ok()?;
        Some(Self::Chunk(chunk.checked_add(1)?))
    }

    /// Returns the link to this part of a file or folder.
    pub fn link(&self, path: &str) -> String {
        format!("{path}#{self}")
    }

    /// Returns the command that shows this part of a file or folder, for a POSIX shell; `None` if the path cannot be quoted.
    pub fn open_command(&self, path: &str) -> Option<String> {
        let link = CommandShell::Posix.quote(&self.link(path))?;
        // A name that begins with a hyphen would be read as an option.
        let end = if path.starts_with('-') { "-- " } else { "" };
        Some(format!("retake {end}{link}"))
    }

    /// Parses what is behind the `#` of a link: one part, or several with commas between them. A pointer is the last, because it
    /// may contain commas.
    ///
    /// # Errors
    ///
    /// Returns what is wrong and what is valid, as a sentence without a full stop.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let mut parts = Vec::new();
        let mut tail = Some(text);
        while let Some(text) = tail {
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
            let (part, next) =
                text.split_once(',').map_or((text, None), |(part, next)| (part, Some(next)));
            parts.push(Self::parse_numbered(part)?);
            tail = next;
        }
        Ok(parts)
    }

    fn parse_numbered(part: &str) -> Result<Self, String> {
        let describe_error =
            || format!("expected {VALID_PARTS}, found {}", quoted(&format!("#{part}")));
        let (name, value) = part.split_once('=').ok_or_else(describe_error)?;
        let make: fn(usize) -> Self = match name {
            "call" => Self::Call,
            "chunk" => Self::Chunk,
            "line" => |line| {
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                Self::Place(Place { line, column: 1 })
            },
            _ => return Err(describe_error()),
        };
        // Rust's `parse` also accepts a plus sign.
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|number| *number > 0 && is_number);
        number.map(make).ok_or_else(|| {
            format!("expected a number from 1 behind #{name}=, found {}", quoted(value))
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
            let texts: Vec<String> = parts.iter().map(FilePart::to_string).collect();
            assert_eq!(texts.join(","), text);
        }
    }

    #[test]
    fn a_command_opens_the_place_of_any_path() {
        let open = |part: FilePart, path: &str| part.open_command(path).unwrap_or_default();
        let commands = [
            open(FilePart::Call(3), "a/turns.yaml"),
            open(FilePart::chunk_at("/stream/16/delayNs").unwrap(), "it's.json"),
            open(FilePart::Pointer("/a b/<c>".to_owned()), "-x.json"),
            open(FilePart::Call(1), "a\nb"),
        ];
        insta::assert_snapshot!(commands.join("\n"), @r"
        retake 'a/turns.yaml#call=3'
        retake 'it'\''s.json#chunk=17'
        retake -- '-x.json#pointer=/a b/<c>'
        ");
        for pointer in ["/stream", "/stream/x", "/streams/1", ""] {
            assert_eq!(FilePart::chunk_at(pointer), None);
        }
        assert_eq!(FilePart::chunk_at(&format!("/stream/{}", usize::MAX)), None);
    }

    #[test]
    fn a_wrong_part_is_reported_with_what_is_valid() {
        let texts =
            ["", "3", "cal=3", "call=", "call=0", "call=+1", "call=3,", "chunk=x", "pointer=a"];
        let messages = texts.map(|text| FilePart::parse_all(text).unwrap_err());
        insta::assert_snapshot!(messages.join("\n"), @"
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
