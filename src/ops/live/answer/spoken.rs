//! What the chunks of a tape say: words, and tool calls, which may be cut into several chunks.
//!
//! A tool call is a line of its own that holds a JSON object of the type `tool_use`, as recordings have it; chunks may be cut
//! anywhere within it. It may also begin with a chunk and end with one. The line ends around it, where they are in the same
//! chunk as its end, keep it apart from words and belong to neither.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::{Call, Part, Said};
use crate::format::json;
use crate::text::Source;

/// How a tape's last line may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// What it holds is all.
    Whole,
    /// The call broke: its last tool call may be a part.
    Broken,
}

/// How a tool call begins.
const MARK: &str = "{\"type\":\"tool_use\"";

/// What each chunk says. An empty chunk says an empty text where words stand beside it, and else nothing.
pub(super) fn of(chunks: &[Cow<'_, str>], last: Last) -> Vec<Vec<Said>> {
    let text = Joined::new(chunks);
    let mut said: Vec<Vec<Said>> = vec![Vec::new(); chunks.len()];
    let mut told = 0;
    for line in text.calls(last) {
        text.say_words(told..line.lead, &mut said);
        text.say_call(&line, &mut said);
        told = line.end;
    }
    text.say_words(told..text.text.len(), &mut said);
    say_empty(&mut said);
    said
}

/// The chunks of a tape as one text.
struct Joined {
    text: String,
    /// Where each chunk begins, and where the last one ends.
    starts: Vec<usize>,
}

/// A tool call within a text.
struct Line {
    /// Where it begins, with the line end before it.
    lead: usize,
    /// Its object.
    object: Range<usize>,
    /// Its input, within the text; empty where it has none.
    input: Range<usize>,
    /// Where what follows begins.
    end: usize,
    call: Call,
    is_whole: bool,
}

impl Joined {
    fn new(chunks: &[Cow<'_, str>]) -> Self {
        let mut text = String::new();
        let mut starts = vec![0];
        for chunk in chunks {
            text += chunk;
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// The chunk that holds a byte.
    fn chunk_of(&self, at: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1)
    }

    fn is_start(&self, at: usize) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.text.as_bytes().get(at) == Some(&b'\n')
    }

    /// All tool calls, in order. Each byte is looked at a few times at most: where a line that begins like a call is none,
    /// there is no other in it.
    fn calls(&self, last: Last) -> Vec<Line> {
        let mut calls = Vec::new();
        let mut seen = 0;
        for (at, _) in self.text.match_indices(MARK) {
            let is_begin = self.is_start(at) || self.is_line_end(at - 1);
            if at < seen || !is_begin {
                continue;
            }
            let end = self.end_of_object(at);
            seen = end.unwrap_or_else(|end| end);
            calls.extend(match end {
                Ok(end) if self.is_start(end) || self.is_line_end(end) => self.call(at..end),
                Err(end) if end == self.text.len() && last == Last::Broken => self.broken(at),
                _ => None,
            });
        }
        calls
    }

    /// Where the object ends that begins here; or else where the line does.
    fn end_of_object(&self, at: usize) -> Result<usize, usize> {
        let (mut depth, mut in_text, mut is_escaped) = (0usize, false, false);
        for (index, byte) in self.text.bytes().enumerate().skip(at) {
            match byte {
                b'\n' => return Err(index),
                _ if std::mem::take(&mut is_escaped) => {}
                b'\\' if in_text => is_escaped = true,
                b'"' => in_text = !in_text,
                _ if in_text => {}
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(index + 1);
            }
        }
        Err(self.text.len())
    }

    fn call(&self, object: Range<usize>) -> Option<Line> {
        let (tree, problems) = json::parse(&Source::new(&self.text[object.clone()]));
        let root = tree.root().filter(|_| problems.is_empty())?;
        let input = root.get("input").map(|input| input.span().range());
        let call = super::call_of(root)?;
        // A line end in the same chunk keeps what follows apart.
        let is_apart = self.is_line_end(object.end) && !self.is_start(object.end);
        Some(self.line(object, input, call, is_apart))
    }

    /// A call that breaks off at the end of the text.
    fn broken(&self, at: usize) -> Option<Line> {
        let object = at..self.text.len();
        let (tree, _) = json::parse(&Source::new(&self.text[object.clone()]));
        let root = tree.root()?;
        let begun = root.get("input").map(|input| input.span().range().start);
        let awaited = self.text.ends_with("\"input\":").then_some(object.len());
        let input = begun.or(awaited)?..object.len();
        let call = super::call_of(root)?;
        let mut line = self.line(object, Some(input), call, false);
        line.is_whole = false;
        Some(line)
    }

    fn line(
        &self,
        object: Range<usize>,
        input: Option<Range<usize>>,
        mut call: Call,
        is_apart: bool,
    ) -> Line {
        let input = input.map(|it| object.start + it.start..object.start + it.end);
        if let Some(input) = input.clone() {
            call.input = self.text[input].to_owned();
        }
        let has_lead = !self.is_start(object.start);
        Line {
            lead: object.start - usize::from(has_lead),
            end: object.end + usize::from(is_apart),
            input: input.unwrap_or(object.end..object.end),
            object,
            call,
            is_whole: true,
        }
    }

    /// Says words, each with the chunk they are in.
    fn say_words(&self, words: Range<usize>, said: &mut [Vec<Said>]) {
        let (first, last) = self.chunks_of(&words);
        for (chunk, said) in said.iter_mut().enumerate().take(last).skip(first) {
            let words = &self.text[self.within(chunk, &words)];
            if !words.is_empty() {
                said.push(Said::Text(words.to_owned()));
            }
        }
    }

    /// Says a call, each part with the chunk it is in.
    fn say_call(&self, line: &Line, said: &mut [Vec<Said>]) {
        let (first, last) = self.chunks_of(&line.object);
        let call = Arc::new(line.call.clone());
        for (chunk, said) in said.iter_mut().enumerate().take(last).skip(first) {
            let is_last = chunk + 1 == last && line.is_whole;
            let input = if line.input.is_empty() && is_last {
                line.call.input.as_str()
            } else {
                &self.text[self.within(chunk, &line.input)]
            };
            said.push(Said::Call(Part {
                call: Arc::clone(&call),
                input: input.to_owned(),
                is_first: chunk == first,
                is_last,
            }));
        }
    }

    /// The first chunk that holds something of a range, and the one after the last.
    fn chunks_of(&self, range: &Range<usize>) -> (usize, usize) {
        if range.is_empty() {
            (0, 0)
        } else {
            (self.chunk_of(range.start), self.chunk_of(range.end - 1) + 1)
        }
    }

    /// What of a range lies in a chunk.
    fn within(&self, chunk: usize, range: &Range<usize>) -> Range<usize> {
        let start = range.start.max(self.starts[chunk]);
        start..range.end.min(self.starts[chunk + 1]).max(start)
    }
}

/// Lets chunks say an empty text that say nothing beside words.
fn say_empty(said: &mut [Vec<Said>]) {
    let fill =
        |said: &mut Vec<Said>, after_words: &mut bool, next: fn(&[Said]) -> Option<&Said>| {
            match next(said) {
                Some(one) => *after_words = matches!(one, Said::Text(_)),
                None if *after_words => said.push(Said::Text(String::new())),
                None => {}
            }
        };
    let mut after_words = false;
    for said in said.iter_mut() {
        fill(said, &mut after_words, |said| said.last());
    }
    let mut before_words = false;
    for said in said.iter_mut().rev() {
        fill(said, &mut before_words, |said| said.first());
    }
}
