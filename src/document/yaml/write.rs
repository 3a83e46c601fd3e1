//! Writes texts as YAML scalars that every parser reads as the same text: PyYAML, which reads YAML 1.1, and those of
//! YAML 1.2.
//!
//! A text that parsers could read differently is put in quotes, even if the two most important ones agree.

use crate::scalar::{self, Plain};

/// The context of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarContext {
    /// A key or a value in a block collection, or the whole document.
    Block,
    /// A key or a value between brackets.
    Flow,
}

/// The layout of a text over several lines.
#[derive(Clone, Copy, Debug)]
pub struct BlockLayout<'a> {
    /// The column (from 0) of the collection around it.
    pub parent: usize,
    /// The column (from 0) at which its lines begin.
    pub indent: usize,
    /// The line end.
    pub newline: &'a str,
}

/// Writes a text on one line: without quotes where that is safe, else in double quotes.
pub fn scalar(text: &str, spot: ScalarContext) -> String {
    plain(text, spot).map_or_else(|| double_quoted(text), str::to_owned)
}

/// Returns the text without quotes, if every parser reads it as the same text.
pub fn plain(text: &str, spot: ScalarContext) -> Option<&str> {
    let mut letters = text.chars();
    let starts = match letters.next()? {
        // In a block, a dash before a letter is never a list; between brackets parsers differ.
        '-' => {
            spot == ScalarContext::Block && letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        }
        first => !"?:,[]{}#&*!|>'\"%@`".contains(first),
    };
    let breaks_off = text.contains(": ")
        || text.contains(" #")
        || text.ends_with(':')
        // `...` at the start of a line ends a document.
        || text.starts_with("...")
        || spot == ScalarContext::Flow
            && (text.ends_with(" -") || text.contains([',', '[', ']', '{', '}', ':', '?']));
    let is_text = scalar::resolve(text) == Plain::Text && !looks_typed(text);
    let is_safe = starts && !breaks_off && text.trim() == text && text.chars().all(is_printable);
    (is_safe && is_text).then_some(text)
}

/// Returns whether some parser could read an unquoted text as another type.
fn looks_typed(text: &str) -> bool {
    // `y` and `n` are booleans in YAML 1.1, although PyYAML reads them as text.
    const SPECIAL_WORDS: [&str; 11] =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    if SPECIAL_WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return true;
    }
    // Numbers, dates and times of every version of YAML consist of these.
    let is_part = |c: char| c.is_ascii_hexdigit() || "xXoO_:.+-tTzZinfINF".contains(c);
    text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && text.chars().all(is_part)
}

/// The text in single quotes; `None` when it holds what only double quotes can.
pub fn single_quoted(text: &str) -> Option<String> {
    text.chars().all(is_printable).then(|| format!("'{}'", text.replace('\'', "''")))
}

/// The text in double quotes, on one line. Escapes are those that JSON has too.
pub fn double_quoted(text: &str) -> String {
    let mut yaml = String::with_capacity(text.len() + 2);
    yaml.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => yaml.extend(['\\', c]),
            '\n' => yaml.push_str("\\n"),
            '\r' => yaml.push_str("\\r"),
            '\t' => yaml.push_str("\\t"),
            c if is_printable(c) => yaml.push(c),
            // Four digits suffice: all characters beyond U+FFFF are printable.
            c => yaml.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    yaml.push('"');
    yaml
}

/// The text as a literal block (`|`), from its header to its last line, without that line's end. `None` when a literal
/// block cannot hold it.
pub fn literal(text: &str, lines: BlockLayout<'_>) -> Option<String> {
    let block = BlockText::from_text(text)?;
    let mut yaml = block.header('|', lines)?;
    for line in block.body.split('\n') {
        yaml.push_str(lines.newline);
        push_line(&mut yaml, line, lines.indent);
    }
    block.end(&mut yaml, lines);
    Some(yaml)
}

/// The text as a folded block (`>`) of lines up to `width` characters where words allow it. `None` when folding would
/// change it.
pub fn folded(text: &str, lines: BlockLayout<'_>, width: usize) -> Option<String> {
    let block = BlockText::from_text(text)?;
    let is_folded = |line: &str| !line.starts_with([' ', '\t']) && !line.ends_with([' ', '\t']);
    if block.body.starts_with('\n') || !block.body.split('\n').all(is_folded) {
        return None;
    }
    let mut yaml = block.header('>', lines)?;
    for (index, line) in block.body.split('\n').enumerate() {
        if index > 0 && !line.is_empty() {
            // The first line end between two lines of text represents a space.
            yaml.push_str(lines.newline);
        }
        for piece in wrap_line(line, width.saturating_sub(lines.indent)) {
            yaml.push_str(lines.newline);
            push_line(&mut yaml, piece, lines.indent);
        }
    }
    block.end(&mut yaml, lines);
    Some(yaml)
}

/// Splits a line at single spaces, which are removed.
fn wrap_line(line: &str, width: usize) -> Vec<&str> {
    let bytes = line.as_bytes();
    let is_blank = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
    // At byte 0, the index before it wraps to one that has no byte, so a leading space is not single.
    let is_single = |at: usize| !is_blank(at.wrapping_sub(1)) && !is_blank(at + 1);
    let spaces = line.match_indices(' ').map(|(at, _)| at);
    let (mut pieces, mut start, mut last) = (Vec::new(), 0, None);
    for at in spaces.filter(|&at| is_single(at)).chain([line.len()]) {
        if line[start..at].chars().count() > width
            && let Some(end) = last.filter(|&end| end > start)
        {
            pieces.push(&line[start..end]);
            start = end + 1;
        }
        last = Some(at);
    }
    pieces.push(&line[start..]);
    pieces
}

/// A text that a block can hold.
struct BlockText<'a> {
    /// Without the line ends it ends with.
    body: &'a str,
    /// Number of those line ends.
    ends: usize,
}

impl<'a> BlockText<'a> {
    fn from_text(text: &'a str) -> Option<Self> {
        let body = text.trim_end_matches('\n');
        let fits = |c: char| is_printable(c) || matches!(c, '\n' | '\t');
        let is_held = !body.rsplit('\n').next()?.trim_matches([' ', '\t']).is_empty()
            && body.chars().all(fits)
            // The parser refuses a block that starts with a tab.
            && !body.trim_start_matches('\n').starts_with('\t');
        let ends = text.len() - body.len();
        is_held.then_some(Self { body, ends })
    }

    fn header(&self, sign: char, lines: BlockLayout<'_>) -> Option<String> {
        let mut header = String::from(sign);
        if self.body.trim_start_matches('\n').starts_with(' ') {
            // The reader would take the first line's spaces for indentation.
            let depth = lines.indent.checked_sub(lines.parent)?;
            // The indicator is one digit, and 0 is none.
            header.push(char::from_digit(u32::try_from(depth).ok()?, 10).filter(|c| *c != '0')?);
        }
        match self.ends {
            0 => header.push('-'),
            1 => {}
            _ => header.push('+'),
        }
        Some(header)
    }

    fn end(&self, yaml: &mut String, lines: BlockLayout<'_>) {
        yaml.push_str(&lines.newline.repeat(self.ends.saturating_sub(1)));
    }
}

fn push_line(yaml: &mut String, line: &str, indent: usize) {
    if !line.is_empty() {
        yaml.extend(std::iter::repeat_n(' ', indent));
        yaml.push_str(line);
    }
}

/// Writes a JSON number so that all parsers read a number: PyYAML needs a point and a sign with an exponent.
pub fn number(json: &str) -> String {
    let Some(at) = json.find(['e', 'E']) else { return json.to_owned() };
    let (mantissa, exponent) = json.split_at(at);
    let (sign, digits) = exponent.split_at(1);
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let plus = if digits.starts_with(['+', '-']) { "" } else { "+" };
    format!("{mantissa}{point}{sign}{plus}{digits}")
}

/// Returns whether a character needs no escape in a text on one line: a tab could be lost, and some parsers read U+0085, U+2028 and U+2029 as line
/// ends.
fn is_printable(c: char) -> bool {
    match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Source;
    use crate::yaml::parse;

    /// Values of a text that is written into `document` in place of `@`, as both readers read it: ours as PyYAML does, the other by
    /// YAML 1.2. Empty where either takes it for something else than text.
    fn read_back(document: &str, scalar: &str) -> [String; 2] {
        let document = document.replace('@', scalar);
        let (tree, problems) = parse(&Source::new(document.as_str()));
        let ours = tree.at_pointer("/k").filter(|_| problems.is_empty());
        let theirs: Option<serde_json::Value> = serde_yaml::from_str(&document).ok();
        [
            ours.and_then(|node| node.as_str()).unwrap_or_default().to_owned(),
            theirs.and_then(|value| Some(value["k"].as_str()?.to_owned())).unwrap_or_default(),
        ]
    }

    #[test]
    fn a_text_is_without_quotes_only_where_every_reader_takes_it_for_text() {
        for text in [
            "timeout",
            "4 days",
            "No way",
            "a:b",
            "it's",
            "é 日本 😀",
            "a#b",
            "-v",
            "http://a.b/c?d=1",
            "x, y",
            "1st",
        ] {
            assert_eq!(plain(text, ScalarContext::Block), Some(text));
        }
        for text in [
            "",
            " a",
            "a ",
            "no",
            "Yes",
            "ON",
            "y",
            "~",
            "null",
            "12:30",
            "0o17",
            "1e3",
            "1_000",
            "0x1f",
            ".5",
            "+1",
            "2026-02-15",
            "2026-02-15 10:00:00",
            "=",
            "<<",
            "-",
            "- a",
            "--- a",
            "...",
            "?",
            "a: b",
            "a:",
            "a #b",
            "#a",
            "[a",
            "{a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "'a",
            "\"a",
            "%a",
            "@a",
            "`a",
            "a\nb",
            "a\tb",
            "\u{7}",
            "a\u{85}b",
            "\u{feff}",
        ] {
            assert_eq!(plain(text, ScalarContext::Block), None, "{text:?}");
        }
        for text in ["a, b", "a]", "{}", "a:b", "a?", "a -"] {
            assert_eq!(plain(text, ScalarContext::Flow), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_numbers_to_all() {
        let numbers = ["1", "-0", "1.50", "1e3", "1E5", "1.5e-7", "2E+4", "1e400"];
        assert_eq!(
            numbers.map(number),
            ["1", "-0", "1.50", "1.0e+3", "1.0E+5", "1.5e-7", "2.0E+4", "1.0e+400"]
        );
        for number in numbers.map(number) {
            assert_eq!(scalar::resolve(&number), Plain::Number);
        }
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn every_text_reads_as_itself(text in prop_oneof![
            any::<String>(),
            "[-?:,\\[\\]{}&*!|>'\"%@` #a0-9eoxn.~=<\n\t\r\u{85}\u{2028}\u{feff}😀\u{1b}]{0,10}",
            "[a ]{0,3}(\n[a ]{0,3}){0,4}",
        ]) {
            let expected = [text.clone(), text.clone()];
            prop_assert_eq!(&read_back("k: @ # c\n", &super::scalar(&text, ScalarContext::Block)), &expected);
            prop_assert_eq!(&read_back("{k: @}\n", &super::scalar(&text, ScalarContext::Flow)), &expected);
            if let Some(yaml) = single_quoted(&text) {
                prop_assert_eq!(&read_back("k: @\n", &yaml), &expected);
            }
            let lines = BlockLayout { parent: 0, indent: 3, newline: "\n" };
            if let Some(block) = literal(&text, lines) {
                prop_assert_eq!(&read_back("k: @\nl: 1\n", &block), &expected);
            }
            if let Some(block) = folded(&text, lines, 5) {
                prop_assert_eq!(&read_back("k: @\nl: 1\n", &block), &expected, "{}", block);
            }
        }
    }
}
