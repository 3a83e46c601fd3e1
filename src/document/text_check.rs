//! Checks whether a file contains text at all, before its values are parsed.

use super::problem::{Problem, RuleId};
use crate::text::{EncodingFault, Source, Span};

/// The result of the check.
pub(super) enum TextCheck {
    /// It is text: parse it.
    Fine,
    /// Parse it; this is an additional problem.
    FineExcept(Problem),
    /// Parse it; this is the cause of every syntax problem that parsing will find.
    Explains(Problem),
    /// There is nothing to parse.
    Unreadable(Problem),
}

// The first of the two bytes that begin gzip; the second, 0x8b, is not valid UTF-8.
const GZIP_MARK: &str = "\u{1f}";
const LFS_POINTER: &str = "version https://git-lfs.github.com/spec/v1";

/// Returns whether a file's bytes are a Git LFS pointer instead of the file itself.
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(LFS_POINTER.as_bytes())
}

/// Checks a file.
pub(super) fn check_text(source: &Source) -> TextCheck {
    let whole_file = |rule, message: &str, help: &str| {
        TextCheck::Unreadable(Problem::whole_file(rule, message).with_help(help))
    };
    let text = source.text();
    match source.fault() {
        Some(EncodingFault::NotUtf8 { offset: 1, byte: 0x8b }) if text.starts_with(GZIP_MARK) => {
            return whole_file(
                RuleId::Encoding,
                "Gzip-compressed data (bytes 1f 8b at offset 0), not text",
                "Unpack it with gunzip.",
            );
        }
        Some(EncodingFault::Utf16 { little_endian }) => {
            let order = if little_endian { "little" } else { "big" };
            return whole_file(
                RuleId::Encoding,
                &format!("UTF-16 ({order}-endian) from byte offset 0; UTF-8 is expected"),
                "Save it as UTF-8; Windows PowerShell writes UTF-16 unless you pass `-Encoding utf8`.",
            );
        }
        Some(EncodingFault::NotUtf8 { offset, byte }) => {
            // In the text, the three bytes of U+FFFD are in place of the invalid byte.
            let span = Span::new(offset, offset + char::REPLACEMENT_CHARACTER.len_utf8());
            let message = format!("Byte {byte:#04x} at offset {offset} is not UTF-8");
            let problem = Problem::at(RuleId::Encoding, source, span, "", message);
            return TextCheck::FineExcept(problem.with_help(
                "Save it as UTF-8. Until then the invalid bytes are shown as \u{fffd}, and the file cannot be edited here.",
            ));
        }
        None => {}
    }
    let content = &text[source.content_start()..];
    if content.starts_with(LFS_POINTER) {
        return whole_file(
            RuleId::Syntax,
            "A Git LFS pointer, not the file itself",
            "Fetch the file with `git lfs pull`.",
        );
    }
    if content.trim().is_empty() {
        return whole_file(
            RuleId::Syntax,
            "The file is empty",
            "The program that wrote it was probably stopped. Record it again, or restore it from version control.",
        );
    }
    match conflict(content) {
        Some(at) => {
            let start = source.content_start() + at;
            let span = Span::new(start, start + "<<<<<<<".len());
            let message =
                "Unresolved merge conflict: both sides are between `<<<<<<<` and `>>>>>>>`";
            TextCheck::Explains(Problem::at(RuleId::Syntax, source, span, "", message).with_help(
                "Keep one side and delete the marker lines, or take one whole side: `git checkout --ours FILE` or `--theirs`.",
            ))
        }
        None => TextCheck::Fine,
    }
}

/// Finds the first of Git's conflict markers, if the others follow it.
fn conflict(text: &str) -> Option<usize> {
    let line_start = |from: usize, marker: &str| {
        memchr::memmem::find_iter(&text.as_bytes()[from..], marker)
            .map(|at| from + at)
            .find(|&at| at == 0 || matches!(text.as_bytes()[at - 1], b'\n' | b'\r'))
    };
    let ours = line_start(0, "<<<<<<< ")?;
    // Git writes no name behind this marker.
    let theirs = line_start(ours, "=======")?;
    // A text about conflicts may have one of the markers; all three in order are a conflict.
    line_start(theirs, ">>>>>>> ").map(|_| ours)
}

#[cfg(test)]
mod tests {
    use crate::read;
    use crate::testing::describe_problems;
    use crate::text::Source;

    fn describe_bytes(bytes: &[u8]) -> String {
        describe_problems(&read(Source::from_bytes(bytes.to_vec()), "a.json").problems)
    }

    #[test]
    fn what_is_no_text_is_named() {
        insta::assert_snapshot!(describe_bytes(b"\x1f\x8b\x08\x00\x00\x00"), @r#"1:1 encoding at "": Gzip-compressed data (bytes 1f 8b at offset 0), not text"#);
        insta::assert_snapshot!(describe_bytes(b"\xff\xfe{\0}\0"), @r#"1:1 encoding at "": UTF-16 (little-endian) from byte offset 0; UTF-8 is expected"#);
        insta::assert_snapshot!(describe_bytes(b"\0{\0}"), @r#"1:1 encoding at "": UTF-16 (big-endian) from byte offset 0; UTF-8 is expected"#);
        insta::assert_snapshot!(describe_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n"), @r#"1:1 syntax at "": A Git LFS pointer, not the file itself"#);
        insta::assert_snapshot!(describe_bytes(b""), @r#"1:1 syntax at "": The file is empty"#);
        insta::assert_snapshot!(describe_bytes(b"\xef\xbb\xbf \n"), @r#"1:1 syntax at "": The file is empty"#);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_reported_and_the_rest_is_read() {
        let document =
            read(Source::from_bytes(b"{\"a\": \"\xe9\", \"b\": [1,]}".to_vec()), "a.json");
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        1:8 encoding at "": Byte 0xe9 at offset 7 is not UTF-8
        1:19 syntax at "/b": A trailing comma before `]`; JSON allows none
        "#);
        assert!(document.tree.at_pointer("/b/0").is_some());
    }

    #[test]
    fn a_merge_conflict_is_one_problem_not_twenty() {
        insta::assert_snapshot!(describe_bytes(b"{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> other\n}\n"), @r#"2:1 syntax at "": Unresolved merge conflict: both sides are between `<<<<<<<` and `>>>>>>>`"#);
        insta::assert_snapshot!(describe_bytes(b"{\"a\": \"<<<<<<< HEAD\"}"), @"");
        let yaml = read(
            Source::new("id: a\n<<<<<<< HEAD\ninput: b\n=======\ninput: c\n>>>>>>> x\n"),
            "a.yaml",
        );
        insta::assert_snapshot!(describe_problems(&yaml.problems), @r#"2:1 syntax at "": Unresolved merge conflict: both sides are between `<<<<<<<` and `>>>>>>>`"#);
    }
}
