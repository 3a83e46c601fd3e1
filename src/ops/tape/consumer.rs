//! Parses each chunk of a tape on its own, as JSON or as lines of JSON, as a consumer of the stream may do.

mod scanner;

use crate::format::tape::Tape;
use scanner::{ScanState, Scanner};

/// The result of parsing a chunk on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkReading {
    /// Nothing to parse: no text, or white space only.
    Empty,
    Json,
    /// Several lines, each a JSON value.
    Lines(usize),
    /// The chunk ends inside a value that starts in it.
    Cut,
    /// The chunk continues a value that started in an earlier chunk.
    Rest {
        /// The chunk in which the value starts.
        since: usize,
    },
    /// Not JSON, and not a part of a JSON value.
    NotJson {
        /// The first invalid byte of the chunk's text.
        at: usize,
    },
}

impl ChunkReading {
    /// Returns whether the chunk can be parsed on its own.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Empty | Self::Json | Self::Lines(_))
    }
}

/// Number of chunks with each result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadingSummary {
    pub chunks: usize,
    /// Without anything to parse.
    pub empty: usize,
    /// Valid on their own: JSON or lines of JSON.
    pub whole: usize,
    /// Ending inside a value.
    pub cut: usize,
    /// Continuing a value.
    pub rest: usize,
    pub not_json: usize,
    /// Whether the text starts as an object or a list does. Prose does not, and is not meant to be parsed.
    pub starts_like_json: bool,
    /// Whether all chunks joined are JSON or lines of JSON.
    pub joined_is_json: bool,
}

/// Parses each chunk on its own, in order, in linear time.
pub fn readings(tape: &Tape) -> Vec<ChunkReading> {
    let mut open: Option<OpenValue> = None;
    let chunks = tape.chunks.iter().enumerate();
    chunks
        .map(|(index, chunk)| {
            let alone = OpenValue::new(index).feed(&chunk.text);
            let reading = match alone.end() {
                ValueEnd::Whole(reading) => reading,
                end => {
                    let rest = open.take().map(|open| open.feed(&chunk.text));
                    if let Some(rest) = rest.filter(|rest| rest.scanner.fault().is_none()) {
                        let since = rest.since;
                        open = rest.continue_reading(index);
                        return ChunkReading::Rest { since };
                    }
                    open = matches!(end, ValueEnd::Within).then_some(alone);
                    return match end {
                        ValueEnd::Fault(at) => ChunkReading::NotJson { at },
                        _ => ChunkReading::Cut,
                    };
                }
            };
            open = match reading {
                // An incomplete value may contain white space.
                ChunkReading::Empty => open.take().map(|open| open.feed(&chunk.text)),
                _ => None,
            };
            reading
        })
        .collect()
}

impl ReadingSummary {
    /// Counts the readings of a tape.
    pub fn from_readings(tape: &Tape, readings: &[ChunkReading]) -> Self {
        let mut characters = tape.chunks.iter().flat_map(|chunk| chunk.text.chars());
        let first = characters.find(|character| !character.is_whitespace());
        let mut summary = Self {
            chunks: readings.len(),
            starts_like_json: matches!(first, Some('{' | '[')),
            joined_is_json: is_json(tape),
            ..Self::default()
        };
        for reading in readings {
            *match reading {
                ChunkReading::Empty => &mut summary.empty,
                ChunkReading::Json | ChunkReading::Lines(_) => &mut summary.whole,
                ChunkReading::Cut => &mut summary.cut,
                ChunkReading::Rest { .. } => &mut summary.rest,
                ChunkReading::NotJson { .. } => &mut summary.not_json,
            } += 1;
        }
        summary
    }

    /// Describes which chunks cannot be parsed on their own, in sentences; `None` if all can, or if the text is prose.
    pub fn describe(&self) -> Option<String> {
        if !self.starts_like_json {
            return None;
        }
        let with_text = self.chunks - self.empty;
        let broken = with_text - self.whole;
        let joined = if self.joined_is_json {
            if with_text > 1 {
                format!(" The consumer must join all {}.", self.chunks)
            } else {
                String::new()
            }
        } else {
            " Joined, they are not valid JSON either.".to_owned()
        };
        match (broken, self.whole) {
            (0, _) => None,
            (_, 0) => Some(format!("No chunk is valid JSON on its own.{joined}")),
            (1, _) => {
                Some(format!("1 of {} chunks is not valid JSON on its own.{joined}", self.chunks))
            }
            _ => Some(format!(
                "{broken} of {} chunks are not valid JSON on their own.{joined}",
                self.chunks
            )),
        }
    }
}

/// Returns whether all chunks joined are JSON or lines of JSON.
fn is_json(tape: &Tape) -> bool {
    let mut all = OpenValue::new(0);
    for chunk in &tape.chunks {
        all = all.feed(&chunk.text);
    }
    matches!(all.end(), ValueEnd::Whole(_))
}

/// Parser state of a text that may span several chunks.
struct OpenValue {
    scanner: Scanner,
    /// The chunk in which the incomplete value starts.
    since: usize,
    /// Number of values that were complete before the last chunk.
    before: usize,
}

/// How a part of the text ended.
enum ValueEnd {
    Whole(ChunkReading),
    Within,
    Fault(usize),
}

impl OpenValue {
    fn new(since: usize) -> Self {
        Self { scanner: Scanner::default(), since, before: 0 }
    }

    fn feed(mut self, text: &str) -> Self {
        self.before = self.scanner.complete();
        self.scanner.feed(text);
        self
    }

    fn end(&self) -> ValueEnd {
        match self.scanner.state() {
            ScanState::Fault(at) => ValueEnd::Fault(at),
            ScanState::Within => ValueEnd::Within,
            ScanState::Between => ValueEnd::Whole(match self.scanner.complete() {
                0 => ChunkReading::Empty,
                1 => ChunkReading::Json,
                lines => ChunkReading::Lines(lines),
            }),
        }
    }

    /// Returns the state if a value is still incomplete after chunk `index`.
    fn continue_reading(mut self, index: usize) -> Option<Self> {
        if self.scanner.complete() > self.before {
            self.since = index;
        }
        matches!(self.scanner.state(), ScanState::Within).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tape;
    use super::*;

    fn read(texts: &[&str]) -> String {
        let chunks: Vec<(f64, &str)> = texts.iter().map(|text| (0.0, *text)).collect();
        let tape = tape(&chunks);
        let readings = readings(&tape);
        let sentence = ReadingSummary::from_readings(&tape, &readings).describe();
        let lines =
            texts.iter().zip(&readings).map(|(text, reading)| format!("{text:?} {reading:?}\n"));
        lines.collect::<String>() + &sentence.unwrap_or_default()
    }

    #[test]
    fn chunks_that_are_json_by_themselves_need_no_others() {
        insta::assert_snapshot!(read(&[
            "[{\"a\":1}]",
            "",
            " \n",
            "{\"a\":1}\n{\"b\":[]}\n",
            "{\n \"a\": 1\n}",
            "12",
            "\"x\"",
            "null"
        ]), @r#"
        "[{\"a\":1}]" Json
        "" Empty
        " \n" Empty
        "{\"a\":1}\n{\"b\":[]}\n" Lines(2)
        "{\n \"a\": 1\n}" Json
        "12" Json
        "\"x\"" Json
        "null" Json
        "#);
    }

    #[test]
    fn a_value_in_pieces_is_marked_at_the_chunk_that_cut_it() {
        insta::assert_snapshot!(read(&[
            "[{\"type\":",
            "\"tick",
            " ",
            "et\"}",
            "]",
            "{}",
            "{\"a\":",
            "1}\n{\"b\"",
            ":2}",
            "{\"c\"",
            "{\"d\":3}"
        ]), @r#"
        "[{\"type\":" Cut
        "\"tick" Rest { since: 0 }
        " " Empty
        "et\"}" Rest { since: 0 }
        "]" Rest { since: 0 }
        "{}" Json
        "{\"a\":" Cut
        "1}\n{\"b\"" Rest { since: 6 }
        ":2}" Rest { since: 7 }
        "{\"c\"" Cut
        "{\"d\":3}" Json
        8 of 11 chunks are not valid JSON on their own. Joined, they are not valid JSON either.
        "#);
        insta::assert_snapshot!(read(&["[1,", "2]"]), @r#"
        "[1," Cut
        "2]" Rest { since: 0 }
        No chunk is valid JSON on its own. The consumer must join all 2.
        "#);
    }

    #[test]
    fn invalid_json_is_reported_with_its_place() {
        insta::assert_snapshot!(read(&[
            "[It goes",
            "{\"a\":1} x",
            "{\"a\":1}{\"b\":2}",
            "{\"a\":\n1}\n{}",
            "{'a':1}",
            "\"a\\q\"",
            "01",
            "-",
            "1.",
            "[1,]",
            "tru"
        ]), @r#"
        "[It goes" NotJson { at: 1 }
        "{\"a\":1} x" NotJson { at: 8 }
        "{\"a\":1}{\"b\":2}" NotJson { at: 7 }
        "{\"a\":\n1}\n{}" NotJson { at: 9 }
        "{'a':1}" NotJson { at: 1 }
        "\"a\\q\"" NotJson { at: 3 }
        "01" NotJson { at: 1 }
        "-" Cut
        "1." Rest { since: 7 }
        "[1,]" NotJson { at: 3 }
        "tru" Cut
        No chunk is valid JSON on its own. Joined, they are not valid JSON either.
        "#);
        insta::assert_snapshot!(read(&["It goes", " out on", " 12"]), @r#"
        "It goes" NotJson { at: 0 }
        " out on" NotJson { at: 1 }
        " 12" Json
        "#);
    }
}
