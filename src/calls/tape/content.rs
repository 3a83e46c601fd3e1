//! Splits the chunks of a tape into text and tool calls; a tool call may be split over several chunks.
//!
//! A tool call is a separate line that holds a JSON object of the type `tool_use`, as in recordings; chunk borders may
//! be anywhere inside it. It may also start at the beginning of a chunk and end at the end of one. The line ends around
//! it, if they are in the same chunk as its end, separate it from text and belong to neither.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::api::{CallPart, ContentBlock, ToolCall, input_text};
use document::text::Source;
use document::{Node, json};

/// State of the last line of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeEnd {
    /// The line is complete.
    Whole,
    /// The call broke off: the last tool call may be incomplete.
    Broken,
}

/// The start of a tool call.
// `JSON.stringify` and the conversion of streams write a call like this; with other spacing it is text.
const CALL_START: &str = "{\"type\":\"tool_use\"";

/// Returns the content of each chunk. An empty chunk next to text contains an empty text, any other empty chunk
/// nothing.
pub fn split_content(chunks: &[Cow<'_, str>], tape_end: TapeEnd) -> Vec<Vec<ContentBlock>> {
    let text = JoinedChunks::new(chunks);
    let mut contents: Vec<Vec<ContentBlock>> = vec![Vec::new(); chunks.len()];
    let mut position = 0;
    for line in text.calls(tape_end) {
        text.push_text(position..line.lead, &mut contents);
        text.push_call(&line, &mut contents);
        position = line.end;
    }
    text.push_text(position..text.text.len(), &mut contents);
    fill_empty(&mut contents);
    contents
}

/// The chunks of a tape joined into one text.
struct JoinedChunks {
    text: String,
    /// Start of each chunk, and the end of the last one.
    starts: Vec<usize>,
}

/// A tool call inside the text.
struct CallLine {
    /// Start, including the line end before it.
    lead: usize,
    /// Range of its JSON object.
    object: Range<usize>,
    /// Range of its input; empty if it has none.
    input: Range<usize>,
    /// Start of the text after it.
    end: usize,
    call: ToolCall,
    is_whole: bool,
}

impl JoinedChunks {
    fn new(chunks: &[Cow<'_, str>]) -> Self {
        let mut text = String::new();
        let mut starts = vec![0];
        for chunk in chunks {
            text += chunk;
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// Returns the chunk that holds a byte.
    fn chunk_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    fn is_start(&self, at: usize) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.text.as_bytes().get(at) == Some(&b'\n')
    }

    /// Returns all tool calls in order. Takes linear time: a line that starts like a call but is none contains no
    /// other.
    fn calls(&self, stop: TapeEnd) -> Vec<CallLine> {
        let mut calls = Vec::new();
        let mut search_start = 0;
        for (at, _) in self.text.match_indices(CALL_START) {
            // 0 is the start of the first chunk, so `at - 1` is never computed for it.
            let is_begin = self.is_start(at) || self.is_line_end(at - 1);
            if at < search_start || !is_begin {
                continue;
            }
            let end = self.end_of_object(at);
            search_start = end.unwrap_or_else(|end| end);
            calls.extend(match end {
                Ok(end) if self.is_start(end) || self.is_line_end(end) => self.call(at..end),
                Err(end) if end == self.text.len() && stop == TapeEnd::Broken => self.broken(at),
                _ => None,
            });
        }
        calls
    }

    /// Returns the end of the object that starts here, or else (as an error) the end of the line.
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

    fn call(&self, object: Range<usize>) -> Option<CallLine> {
        let (tree, problems) = json::parse(&Source::new(&self.text[object.clone()]));
        let root = tree.root().filter(|_| problems.is_empty())?;
        let input = root.get("input").map(|input| input.span().range());
        let call = parse_call(root)?;
        // A line end in the same chunk keeps what follows apart.
        let is_apart = self.is_line_end(object.end) && !self.is_start(object.end);
        Some(self.line(object, input, call, is_apart))
    }

    /// Parses a call that breaks off at the end of the text.
    fn broken(&self, at: usize) -> Option<CallLine> {
        let object = at..self.text.len();
        let (tree, _) = json::parse(&Source::new(&self.text[object.clone()]));
        let root = tree.root()?;
        let input_start = root.get("input").map(|input| input.span().range().start);
        let missing_start = self.text.ends_with("\"input\":").then_some(object.len());
        let input = input_start.or(missing_start)?..object.len();
        let line = self.line(object, Some(input), parse_call(root)?, false);
        Some(CallLine { is_whole: false, ..line })
    }

    fn line(
        &self,
        object: Range<usize>,
        input: Option<Range<usize>>,
        mut call: ToolCall,
        is_apart: bool,
    ) -> CallLine {
        let input = input.map(|r| object.start + r.start..object.start + r.end);
        if let Some(input) = input.clone() {
            call.input = self.text[input].to_owned();
        }
        let has_lead = !self.is_start(object.start);
        CallLine {
            lead: object.start - usize::from(has_lead),
            end: object.end + usize::from(is_apart),
            input: input.unwrap_or(object.end..object.end),
            object,
            call,
            is_whole: true,
        }
    }

    /// Adds text to the chunks that contain it.
    fn push_text(&self, words: Range<usize>, contents: &mut [Vec<ContentBlock>]) {
        let (first, last) = self.chunks_of(&words);
        for (chunk, blocks) in contents.iter_mut().enumerate().take(last).skip(first) {
            let words = &self.text[self.clip(chunk, &words)];
            if !words.is_empty() {
                blocks.push(ContentBlock::Text(words.to_owned()));
            }
        }
    }

    /// Adds each part of a call to the chunk that contains it.
    fn push_call(&self, line: &CallLine, contents: &mut [Vec<ContentBlock>]) {
        let (first, last) = self.chunks_of(&line.object);
        let call = Arc::new(line.call.clone());
        for (chunk, blocks) in contents.iter_mut().enumerate().take(last).skip(first) {
            let is_last = chunk + 1 == last && line.is_whole;
            // A call without an input has `{}`, which is nowhere in the text.
            let input = if line.input.is_empty() && is_last {
                line.call.input.as_str()
            } else {
                &self.text[self.clip(chunk, &line.input)]
            };
            blocks.push(ContentBlock::Call(CallPart {
                call: Arc::clone(&call),
                input: input.to_owned(),
                is_first: chunk == first,
                is_last,
            }));
        }
    }

    /// Returns the chunks that a range overlaps, as first and one past the last.
    fn chunks_of(&self, range: &Range<usize>) -> (usize, usize) {
        if range.is_empty() {
            (0, 0)
        } else {
            (self.chunk_of(range.start), self.chunk_of(range.end - 1) + 1)
        }
    }

    /// Returns the part of a range that is inside a chunk.
    fn clip(&self, chunk: usize, range: &Range<usize>) -> Range<usize> {
        let start = range.start.max(self.starts[chunk]);
        start..range.end.min(self.starts[chunk + 1]).max(start)
    }
}

/// Gives chunks without content an empty text where they are next to text.
fn fill_empty(contents: &mut [Vec<ContentBlock>]) {
    let fill = |blocks: &mut Vec<ContentBlock>,
                after_words: &mut bool,
                next: fn(&[ContentBlock]) -> Option<&ContentBlock>| {
        match next(blocks) {
            Some(block) => *after_words = matches!(block, ContentBlock::Text(_)),
            None if *after_words => blocks.push(ContentBlock::Text(String::new())),
            None => {}
        }
    };
    let mut after_words = false;
    for blocks in contents.iter_mut() {
        fill(blocks, &mut after_words, |blocks| blocks.last());
    }
    let mut before_words = false;
    // Backwards as well, because an empty chunk before the first text is next to it, too.
    for blocks in contents.iter_mut().rev() {
        fill(blocks, &mut before_words, |blocks| blocks.first());
    }
}

/// Parses a tool call in the format of recordings.
pub fn parse_call(node: Node<'_>) -> Option<ToolCall> {
    if node.get("type")?.as_str()? != "tool_use" {
        return None;
    }
    Some(ToolCall {
        id: node.get("id").and_then(Node::as_str).map(str::to_owned),
        name: node.get("name")?.as_str()?.to_owned(),
        input: node.get("input").map_or_else(|| "{}".to_owned(), input_text),
    })
}
