//! Records an answer while it passes through the proxy.

use super::unpack::Unpack;
use super::{MOST_KEPT, ProxyOutcome, ResponseHead};
use calls::api::{Api, BlockContent, ModelAnswer, ResponseForm, Route};
use calls::tape::sse::{ParsedStream, StreamParser, call_text};
use document::json::{self, quote};
use document::text::{Source, counted};

/// Records an answer incrementally; keeps at most [`MOST_KEPT`] bytes of it.
pub struct StreamRecorder {
    api: Option<Api>,
    head: ResponseHead,
    parser: BodyParser,
    /// The bytes that were parsed.
    received: Vec<u8>,
    unpack: Option<Unpack>,
    /// Number of bytes that the tape may still get.
    left: usize,
    last_nanos: f64,
    notes: Vec<String>,
}

enum BodyParser {
    Events(Box<StreamParser>),
    Lines(LineParser),
    List(Box<JsonListParser>),
    Whole,
}

/// Number of bytes parsed between two checks of the size of the tape.
const PART_BYTES: usize = 4096;

/// Approximate size of a chunk on a tape without its text.
const CHUNK_BYTES: usize = 60;

/// Parser of a JSON list of objects, each of which is an event.
#[derive(Default)]
struct JsonListParser {
    parser: StreamParser,
    element: Vec<u8>,
    depth: usize,
    in_text: bool,
    after_backslash: bool,
}

/// Parser of lines, each of which is a fragment.
#[derive(Default)]
struct LineParser {
    rest: Vec<u8>,
    pieces: Vec<(f64, String)>,
}

impl StreamRecorder {
    /// Starts with the head of a response.
    pub fn new(route: Option<&Route>, head: ResponseHead) -> Self {
        let is_list = route.is_some_and(|route| route.form == ResponseForm::List);
        // An error is no stream, whatever its content type says.
        let parser = if head.status >= 400 {
            BodyParser::Whole
        } else if head.is_events() {
            BodyParser::Events(Box::default())
        } else if head.is_lines() {
            BodyParser::Lines(LineParser::default())
        } else if is_list {
            BodyParser::List(Box::default())
        } else {
            BodyParser::Whole
        };
        let unpack = Unpack::new(&head.encoding, MOST_KEPT);
        let notes = match unpack {
            Some(_) => Vec::new(),
            None => vec![format!(
                "The answer came packed as {}, which is not understood; its text is missing",
                head.encoding
            )],
        };
        Self {
            api: route.map(|route| route.api),
            head,
            parser,
            received: Vec::new(),
            unpack,
            left: MOST_KEPT,
            last_nanos: 0.0,
            notes,
        }
    }

    /// Parses bytes that arrived `at_nanos` nanoseconds after the call. Returns the number of fragments so far.
    pub fn push_bytes(&mut self, bytes: &[u8], at_nanos: u64) -> usize {
        self.last_nanos = at_nanos as f64;
        let Some(unpack) = &mut self.unpack else { return 0 };
        let mut plain = Vec::new();
        let unpacked = unpack.bytes(bytes, &mut plain);
        for part in plain.chunks(PART_BYTES) {
            let piece_count = self.pieces();
            self.parse(part);
            let Some(rest) = self.left.checked_sub(self.written_bytes(part, piece_count)) else {
                self.truncate("The answer is longer than 16 MiB as a tape writes it; the rest is missing here");
                return self.pieces();
            };
            self.left = rest;
        }
        if let Err(error) = unpacked {
            self.truncate(match error.kind() {
                std::io::ErrorKind::FileTooLarge => {
                    "The answer is longer than 16 MiB; the rest was not recorded"
                }
                _ => "The answer is not packed as it says; the rest is missing here",
            });
        }
        self.pieces()
    }

    fn parse(&mut self, plain: &[u8]) {
        self.received.extend_from_slice(plain);
        match &mut self.parser {
            BodyParser::Events(live) => live.push_bytes(plain, self.last_nanos),
            BodyParser::Lines(lines) => lines.bytes(plain, self.last_nanos),
            BodyParser::List(list) => list.bytes(plain, self.last_nanos),
            BodyParser::Whole => {}
        }
    }

    /// Returns how many bytes the part that was just parsed adds to the tape, given the number of fragments before it.
    /// A byte may become six, and a fragment of one byte a chunk of sixty.
    fn written_bytes(&self, part: &[u8], piece_count: usize) -> usize {
        let as_json = || quote(&String::from_utf8_lossy(part)).len();
        let chunks = self.pieces().saturating_sub(piece_count) * CHUNK_BYTES;
        match &self.parser {
            BodyParser::Events(live) => live.chars_after(piece_count) + chunks,
            BodyParser::List(list) => list.parser.chars_after(piece_count) + chunks,
            BodyParser::Lines(_) => as_json() + chunks,
            // The body of an error is on the tape twice: as a chunk and in `meta.ended`.
            BodyParser::Whole if self.head.status >= 400 => 2 * (as_json() - 2),
            BodyParser::Whole => as_json() - 2,
        }
    }

    /// Stops recording and adds a note.
    pub fn truncate(&mut self, note: &str) {
        if self.unpack.take().is_some() {
            self.notes.push(note.to_owned());
        }
    }

    fn pieces(&self) -> usize {
        match &self.parser {
            BodyParser::Events(live) => live.pieces(),
            BodyParser::Lines(lines) => lines.pieces.len(),
            BodyParser::List(list) => list.parser.pieces(),
            BodyParser::Whole => usize::from(!self.received.is_empty()),
        }
    }

    /// Returns how the call ended. An answer whose last event arrived is complete, even if the connection is closed
    /// afterwards, as clients do that read no further.
    pub fn final_outcome(&self, outcome: ProxyOutcome) -> ProxyOutcome {
        let is_end = match &self.parser {
            BodyParser::Events(live) => live.is_complete(),
            BodyParser::List(list) => list.parser.is_complete(),
            // Neither has an event that says it is over.
            BodyParser::Lines(_) | BodyParser::Whole => false,
        };
        match outcome {
            ProxyOutcome::CutOff(_) | ProxyOutcome::Cancelled | ProxyOutcome::Stopped if is_end => {
                ProxyOutcome::Done
            }
            outcome => outcome,
        }
    }

    /// Returns the status of the response.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// Returns the recorded answer, and its text as received if that is all of an answer of a known API, or the body of an error.
    pub(crate) fn finish(self) -> (ParsedStream, Option<String>) {
        let Self { api, head, received, last_nanos, mut notes, .. } = self;
        let is_cut = !notes.is_empty();
        // A tape is JSON, which cannot hold other bytes.
        let text = String::from_utf8_lossy(&received).into_owned();
        let mut caught = match self.parser {
            BodyParser::Events(live) => live.finish(),
            BodyParser::Lines(lines) => lines.finish(last_nanos),
            BodyParser::List(list) => list.parser.finish(),
            BodyParser::Whole => document(api, &text, last_nanos, head.status),
        };
        caught.is_over |= is_cut;
        notes.append(&mut caught.notes);
        caught.notes = notes;
        let is_kept = head.status >= 400 || !is_cut && api.is_some();
        (caught, is_kept.then_some(text))
    }
}

impl LineParser {
    fn bytes(&mut self, bytes: &[u8], at_nanos: f64) {
        for byte in bytes {
            self.rest.push(*byte);
            if *byte == b'\n' {
                self.push(at_nanos);
            }
        }
    }

    fn push(&mut self, at_nanos: f64) {
        let line = std::mem::take(&mut self.rest);
        if !line.is_empty() {
            self.pieces.push((at_nanos, quote(&String::from_utf8_lossy(&line))));
        }
    }

    fn finish(mut self, last_nanos: f64) -> ParsedStream {
        self.push(last_nanos);
        ParsedStream { pieces: self.pieces, is_over: true, ..ParsedStream::default() }
    }
}

/// Returns an answer as one fragment: its text where it is an answer of the API, else the whole document.
fn document(api: Option<Api>, text: &str, at_nanos: f64, status: u16) -> ParsedStream {
    let (tree, problems) = json::parse(&Source::new(text));
    let root = tree.root().filter(|_| problems.is_empty() && status < 400);
    let answer = root.and_then(|root| api?.read_answer(root));
    let piece_text = answer.as_ref().map_or_else(|| text.to_owned(), tape_text);
    let blocks = answer.iter().flat_map(|answer| &answer.blocks);
    let left_out = |what: &str, is_it: fn(&BlockContent<'_>) -> bool| {
        let count = blocks.clone().filter(|block| is_it(&block.content)).count();
        let pieces = counted(count, "piece", "pieces");
        (count > 0).then(|| format!("{what} is not in the chunks ({pieces})"))
    };
    let notes = [
        left_out("Thinking", |content| matches!(content, BlockContent::Reasoning(_))),
        left_out("What is neither text nor a tool call", |content| {
            matches!(content, BlockContent::Image | BlockContent::Other)
        }),
    ];
    ParsedStream {
        api,
        notes: notes.into_iter().flatten().collect(),
        stop: answer.as_ref().and_then(|answer| answer.stop),
        model: answer.and_then(|answer| answer.model),
        pieces: vec![(at_nanos, quote(&piece_text))],
        // An answer of a known API is never empty.
        is_over: !text.is_empty() || api.is_none(),
        ..ParsedStream::default()
    }
}

/// Returns the text of an answer; each tool call is a separate line, as in a tape of a stream.
fn tape_text(answer: &ModelAnswer<'_>) -> String {
    let mut all = String::new();
    for block in &answer.blocks {
        match &block.content {
            BlockContent::Text(text) => all += text,
            BlockContent::ToolUse(call) => {
                all += if all.is_empty() { "" } else { "\n" };
                all += &call_text(call);
            }
            _ => {}
        }
    }
    all
}

impl JsonListParser {
    fn bytes(&mut self, bytes: &[u8], at_nanos: f64) {
        for byte in bytes {
            let is_escaped = std::mem::take(&mut self.after_backslash);
            match byte {
                _ if is_escaped => {}
                b'\\' if self.in_text => self.after_backslash = true,
                b'"' => self.in_text = !self.in_text,
                _ if self.in_text => {}
                // Brackets need no count: each element of the list is an object.
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth > 0 || *byte == b'}' {
                self.element.push(*byte);
            }
            if self.depth == 0 && *byte == b'}' && !self.in_text {
                let element = std::mem::take(&mut self.element);
                self.parser.push_event(&String::from_utf8_lossy(&element), at_nanos);
            }
        }
    }
}
