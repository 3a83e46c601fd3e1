//! Output to a terminal, a log or a script: text from files is escaped.

use std::borrow::Cow;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::ser::{CharEscape, Formatter};

use super::ColorMode;
use super::progress::clear_progress;
use calls::secret::Mask;
use document::Severity;
use document::text::{HiddenKind, escape_commands, starts_command, visible, visible_lines};
use engine::map_quietly;

/// The version of all JSON documents. Fields are only added; one that is removed or gets another meaning needs a new version.
pub(super) const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct VersionedDocument<'d, D> {
    schema_version: u32,
    #[serde(flatten)]
    document: &'d D,
}

/// Stdout, buffered, with or without colours.
pub(super) struct Output {
    writer: BufWriter<OutputSink>,
    colored: bool,
    /// The secrets to mask in lines and JSON; `None` if contents are printed unchanged.
    mask: Option<Mask>,
}

/// Destination of output.
enum OutputSink {
    Stdout(AutoStream<StdoutLock<'static>>),
    /// Until all of it is there, for a pager.
    Memory(Vec<u8>),
}

impl Write for OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Memory(_) => Ok(()),
        }
    }
}

/// The style of a text on a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) enum OutputStyle {
    Plain,
    Strong,
    Quiet,
    Added,
    Removed,
    Of(Severity),
}

impl Output {
    pub(super) fn new(color: ColorMode) -> Self {
        clear_progress();
        let stdout = io::stdout().lock();
        let choice = match color {
            ColorMode::Always => ColorChoice::Always,
            ColorMode::Never => ColorChoice::Never,
            ColorMode::Auto if is_dumb() => ColorChoice::Never,
            ColorMode::Auto => AutoStream::choice(&stdout),
        };
        let colored = choice != ColorChoice::Never;
        // Without colours, too, contents are printed unchanged: `Never` would remove escapes from them.
        let stream =
            if colored { AutoStream::always(stdout) } else { AutoStream::always_ansi(stdout) };
        Self {
            // 64 KiB is the capacity of a pipe on Linux.
            writer: BufWriter::with_capacity(1 << 16, OutputSink::Stdout(stream)),
            colored,
            mask: None,
        }
    }

    /// Output that is collected, with the colors that it would have on stdout.
    pub(super) fn in_memory(color: ColorMode) -> Self {
        Self { writer: BufWriter::new(OutputSink::Memory(Vec::new())), ..Self::new(color) }
    }

    /// Takes what was collected in memory.
    pub(super) fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        self.writer.flush()?;
        match self.writer.get_mut() {
            OutputSink::Memory(bytes) => Ok(std::mem::take(bytes)),
            OutputSink::Stdout(_) => Ok(Vec::new()),
        }
    }

    /// Masks secrets in all further lines and JSON: for commands that report on files, not for those that print their
    /// contents.
    pub(super) fn hide(&mut self, mask: Mask) {
        self.mask = Some(mask);
    }

    /// A text without hidden characters, in a style.
    pub(super) fn styled<'a>(&self, style: OutputStyle, text: &'a str) -> Cow<'a, str> {
        if !self.colored || text.is_empty() {
            return Cow::Borrowed(text);
        }
        let code = match style {
            OutputStyle::Plain => return Cow::Borrowed(text),
            OutputStyle::Strong => "1",
            OutputStyle::Quiet => "2",
            OutputStyle::Added => "32",
            OutputStyle::Removed => "31",
            OutputStyle::Of(Severity::Error) => "1;31",
            OutputStyle::Of(Severity::Warning) => "33",
            OutputStyle::Of(Severity::Note) => "34",
        };
        Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
    }

    /// Writes one line.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        let masked_line = self.mask.as_ref().map(|mask| mask.apply(line));
        let line = masked_line.as_deref().unwrap_or(line);
        self.writer.write_all(guard_line(line).as_bytes())?;
        self.writer.write_all(b"\n")
    }

    /// Writes bytes unchanged.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Writes a JSON document of Retake, with the version of its schema.
    pub(super) fn document(&mut self, document: &impl Serialize) -> io::Result<()> {
        self.json(&VersionedDocument { schema_version: SCHEMA_VERSION, document })
    }

    /// Writes a JSON document of Retake of which the field `list` is a long list, empty in `document`. Its elements are
    /// made of `rows` and formatted on all processors. No object in an earlier field has a field of this name.
    pub(super) fn document_with_rows<R: Sync, E: Serialize, I: IntoIterator<Item = E>>(
        &mut self,
        document: &impl Serialize,
        list: &str,
        rows: &[R],
        elements: impl Fn(&R) -> I + Sync,
    ) -> io::Result<()> {
        /// Number of rows that are formatted in one go, and at the same time, so that memory is bounded.
        const ROWS_PER_PART: usize = 128;
        const ROWS_PER_WAVE: usize = 32 * ROWS_PER_PART;
        let mut frame = Vec::new();
        let versioned_document = VersionedDocument { schema_version: SCHEMA_VERSION, document };
        write_masked(&mut frame, self.mask.as_ref(), &versioned_document)?;
        // Within a string, the quotes would be escaped.
        let empty_list = format!("\"{list}\":[]");
        let position = memchr::memmem::find(&frame, empty_list.as_bytes());
        let (head, tail) =
            frame.split_at(position.map_or(frame.len(), |index| index + empty_list.len() - 1));
        self.writer.write_all(head)?;
        let mask = self.mask.as_ref();
        let format = |rows: &&[R]| -> io::Result<Vec<u8>> {
            let mut json = Vec::new();
            for element in rows.iter().flat_map(&elements) {
                if !json.is_empty() {
                    json.push(b',');
                }
                push_masked(&mut json, mask, &element)?;
            }
            Ok(json)
        };
        let mut is_first = true;
        for wave in rows.chunks(ROWS_PER_WAVE) {
            let parts: Vec<&[R]> = wave.chunks(ROWS_PER_PART).collect();
            for part in map_quietly(&parts, format) {
                let part = part?;
                if !is_first && !part.is_empty() {
                    self.writer.write_all(b",")?;
                }
                // A part of rows without elements writes nothing, not even a comma.
                is_first &= part.is_empty();
                self.writer.write_all(&part)?;
            }
        }
        self.writer.write_all(tail)?;
        self.writer.write_all(b"\n")
    }

    /// Writes JSON. Hidden characters in its strings are escaped.
    pub(super) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        write_masked(&mut self.writer, self.mask.as_ref(), value)?;
        self.writer.write_all(b"\n")
    }

    /// Writes serialized JSON on one line. Hidden characters in its strings are escaped.
    pub(super) fn json_line(&mut self, json: &str) -> io::Result<()> {
        Escaping.write_string_fragment(&mut self.writer, json)?;
        self.writer.write_all(b"\n")
    }

    /// Flushes the buffer.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Whether the terminal shows no colors, even if CLICOLOR is set; CLICOLOR_FORCE is stronger.
fn is_dumb() -> bool {
    let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some();
    !is_forced && std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Text from a file or a file name on one line, with hidden characters and commands for build logs escaped.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let visible_text = visible(text);
    match escape_commands(&visible_text, "\\[") {
        Cow::Owned(safe_text) => Cow::Owned(safe_text),
        Cow::Borrowed(_) => visible_text,
    }
}

/// Returns a document for a terminal with hidden characters escaped: in JSON as JSON escapes, elsewhere as `\u{…}`.
pub(super) fn on_terminal(document: &str) -> String {
    if serde_json::from_str::<IgnoredAny>(document).is_err() {
        return visible_lines(document);
    }
    let mut json = Vec::with_capacity(document.len());
    // Writing to a vector cannot fail.
    let _ = Escaping.write_string_fragment(&mut json, document);
    String::from_utf8_lossy(&json).into_owned()
}

/// A path for the start of a line: with `./` in front if a build log would interpret it as a command.
pub(super) fn shown_path(path: &str) -> Cow<'_, str> {
    let text = shown(path);
    if text.trim_start().starts_with("::") || text.starts_with("##") {
        Cow::Owned(format!("./{text}"))
    } else {
        text
    }
}

/// Returns the widths of columns that are at least as wide as these: escapes and bytes have none, so characters are counted.
pub(super) fn column_widths<const N: usize>(floor: [usize; N], rows: &[[String; N]]) -> [usize; N] {
    std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.fold(floor[column], usize::max)
    })
}

/// Prints an empty line, and a table of rows, each in its style.
pub(super) fn print_table<const N: usize>(
    output: &mut Output,
    head: [&str; N],
    rows: &[(OutputStyle, [String; N])],
) -> io::Result<()> {
    let cells: Vec<[String; N]> = rows.iter().map(|(_, cells)| cells.clone()).collect();
    let widths = column_widths(head.map(str::len), &cells);
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(widths);
        let texts: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        texts.join("  ").trim_end().to_owned()
    };
    output.line("")?;
    output.line(&output.styled(OutputStyle::Quiet, &line(&head.map(str::to_owned))))?;
    rows.iter().try_for_each(|(style, cells)| output.line(&output.styled(*style, &line(cells))))
}

/// Escapes a line that starts like a command for a build log.
pub(super) fn guard_line(line: &str) -> Cow<'_, str> {
    let start = line.trim_start();
    if start.starts_with("::") || start.starts_with("##[") {
        Cow::Owned(format!("\\{line}"))
    } else {
        Cow::Borrowed(line)
    }
}

/// Writes hidden characters in strings, and brackets that start a command for a build log, as `\uXXXX`.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if is_plain(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut start = 0;
        let escapes = fragment
            .char_indices()
            .filter(|&(index, c)| is_hidden(c) || c == '[' && starts_command(&fragment[..index]));
        for (index, hidden_char) in escapes {
            writer.write_all(&fragment.as_bytes()[start..index])?;
            // JSON escapes UTF-16 units, so a character beyond U+FFFF takes two.
            for unit in hidden_char.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            start = index + hidden_char.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[start..])
    }
}

/// Appends JSON as [`write_masked`] writes it. Most elements of a list have no secret, and are searched for one as a whole.
fn push_masked(
    json: &mut Vec<u8>,
    mask: Option<&Mask>,
    element: &impl Serialize,
) -> io::Result<()> {
    let start = json.len();
    write_json(&mut *json, Escaping, element)?;
    let Some(mask) = mask else { return Ok(()) };
    // An escape may divide a secret. Without one, each string is in the JSON as it is, between two quotes.
    let text = str::from_utf8(&json[start..]).ok().filter(|text| !text.contains('\\'));
    if text.is_none_or(|text| mask.may_hide(text)) {
        json.truncate(start);
        write_masked(json, Some(mask), element)?;
    }
    Ok(())
}

/// Writes JSON with hidden characters escaped, and secrets masked if there is a mask.
fn write_masked(
    writer: &mut impl Write,
    mask: Option<&Mask>,
    value: &impl Serialize,
) -> io::Result<()> {
    match mask {
        None => write_json(writer, Escaping, value),
        Some(mask) => write_json(writer, Masking { mask, string: String::new() }, value),
    }
}

fn write_json<W: Write, F: Formatter>(
    writer: &mut W,
    formatter: F,
    value: &impl Serialize,
) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(writer, formatter);
    Ok(value.serialize(&mut serializer)?)
}

/// Like [`Escaping`], and masks secrets: each string is collected, masked and then written.
struct Masking<'a> {
    mask: &'a Mask,
    string: String,
}

impl Formatter for Masking<'_> {
    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.string.clear();
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // serde_json splits a string at its escapes, and a secret may contain one.
        self.string.push_str(fragment);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.string.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let masked_text = self.mask.apply(&self.string);
        if is_plain(&masked_text) && !masked_text.contains(['"', '\\']) {
            writer.write_all(b"\"")?;
            writer.write_all(masked_text.as_bytes())?;
            return writer.write_all(b"\"");
        }
        write_json(&mut &mut *writer, Escaping, &masked_text)
    }
}

/// Whether nothing has to be escaped: printable ASCII without a bracket, which is nearly every text.
fn is_plain(text: &str) -> bool {
    let is_plain_byte = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'[';
    // Without a branch for each byte, so that the compiler can use vector instructions.
    text.bytes().fold(true, |is_all, byte| is_all & is_plain_byte(byte))
}

fn is_hidden(c: char) -> bool {
    !c.is_ascii_graphic() && HiddenKind::classify(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_raw_reaches_a_terminal_or_a_build_log() {
        assert_eq!(shown("a\x1b[2J\u{202e}b\n"), "a\\u{1b}[2J\\u{202e}b\\n");
        assert_eq!(shown("see ##[error]x[1]"), "see ##\\[error]x[1]");
        assert_eq!(shown("##vso[a]##[b]"), "##vso\\[a]##\\[b]");
        assert_eq!(shown_path("::error::x.json"), "./::error::x.json");
        assert_eq!(shown_path("##vso[x]"), "./##vso\\[x]");
        assert_eq!(guard_line("  ::set-output"), "\\  ::set-output");
    }

    #[test]
    fn a_document_on_a_terminal_hides_nothing() {
        let json = "{\n  \"a\": \"\u{202e}b\u{9b}é\"\n}\n";
        let text = on_terminal(json);
        assert_eq!(text, "{\n  \"a\": \"\\u202eb\\u009bé\"\n}\n");
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(value(&text), value(json));
        assert_eq!(on_terminal("a: \u{202e}\n\t- b"), "a: \\u{202e}\n\t- b");
    }

    #[test]
    fn json_without_secrets_is_still_json() {
        // Concatenated so that this file contains no complete key.
        let token = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        let value =
            serde_json::json!({ &token: [format!("a \"{token}\"\n\t\u{1}é\u{202e}"), 1, null] });
        let mut json = Vec::new();
        write_masked(&mut json, Some(&Mask::default()), &value).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert_eq!(json, r#"{"ghp_…":["a \"ghp_…\"\n\t\u0001é\u202e",1,null]}"#);
    }

    #[test]
    fn an_element_of_a_list_is_masked_as_any_other_json() {
        let (text, key) = ("password=hunter2", format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2)));
        let mut mask = Mask::default();
        for secret in calls::secret::find(text, &calls::secret::CustomPatterns::default()) {
            mask.add(secret.kind, &text[secret.range]);
        }
        for text in [
            "plain",
            "hunter2",
            "a hunter2.",
            "hunter22",
            "hunter2\n",
            "é\u{202e}",
            &key,
            &key[..20],
        ] {
            let element = serde_json::json!({ text: [text, "other"] });
            let [mut expected, mut json] = [b"[".to_vec(), b"[".to_vec()];
            write_masked(&mut expected, Some(&mask), &element).unwrap();
            push_masked(&mut json, Some(&mask), &element).unwrap();
            assert_eq!(String::from_utf8_lossy(&json), String::from_utf8_lossy(&expected));
        }
    }

    #[test]
    fn a_long_list_is_written_as_the_document_with_it() {
        #[derive(Serialize)]
        struct Numbers {
            empty: [u8; 0],
            title: &'static str,
            numbers: Vec<usize>,
            others: [u8; 0],
        }
        let render = |write: &dyn Fn(&mut Output) -> io::Result<()>| {
            let mut output = Output::in_memory(ColorMode::Never);
            write(&mut output).unwrap();
            String::from_utf8(output.take_bytes().unwrap()).unwrap()
        };
        for count in [0, 1, 3, 100_000] {
            let rows: Vec<usize> = (0..count).collect();
            // Some rows have no element, the first ones included.
            let elements = |row: &usize| (!row.is_multiple_of(3)).then_some(*row);
            let numbers_of =
                |numbers| Numbers { empty: [], title: "\"numbers\":[]", numbers, others: [] };
            let document = numbers_of(rows.iter().filter_map(elements).collect());
            let (json, frame) = (render(&|o| o.document(&document)), numbers_of(Vec::new()));
            let parts = render(&|o| o.document_with_rows(&frame, "numbers", &rows, elements));
            assert!(json == parts, "{count}");
        }
    }

    #[test]
    fn hidden_characters_in_json_are_escaped_and_mean_the_same() {
        let text = "a\u{9b}31m\u{202e}\u{7f}\u{e0041}\n\"é ##[error][";
        let mut json = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut json, Escaping);
        text.serialize(&mut serializer).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert_eq!(json, r####""a\u009b31m\u202e\u007f\udb40\udc41\n\"é ##\u005berror][""####);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
