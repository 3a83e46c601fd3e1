//! Parses server-sent events line by line, with the time before each line if there is one.

use super::{CaptureTiming, stamps, trace};

/// One event that has data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SseEvent {
    /// The lines of its data, joined.
    pub(super) data: String,
    /// When its last line arrived, in nanoseconds.
    pub(super) at_nanos: Option<f64>,
}

/// All events of a stream.
#[derive(Debug)]
pub(super) struct SseEvents {
    pub(super) events: Vec<SseEvent>,
    pub(super) timing: CaptureTiming,
    /// When the call began, in nanoseconds, if known.
    pub(super) start_nanos: Option<f64>,
}

/// Parses the events of a stream in any supported file format.
pub(super) fn read(text: &str) -> Result<SseEvents, String> {
    if trace::is_trace(text) {
        return trace::read(text);
    }
    let stamped = stamps::read(text);
    let mut reader = SseReader::default();
    match &stamped {
        Some(stamped) => stamped
            .lines
            .iter()
            .for_each(|(at, line)| reader.line(line, Some(*at))),
        None => lines(text).for_each(|line| reader.line(line, None)),
    }
    Ok(SseEvents {
        events: reader.finish(),
        timing: stamped
            .as_ref()
            .map_or(CaptureTiming::Estimated, |stamped| stamped.timing),
        start_nanos: stamped.and_then(|stamped| stamped.start_nanos),
    })
}

/// Returns the lines of a text, which end with `\n`, `\r\n` or `\r`.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Assembles events from their lines.
#[derive(Debug, Default)]
pub(super) struct SseReader {
    events: Vec<SseEvent>,
    data: Option<String>,
    at_nanos: Option<f64>,
}

impl SseReader {
    pub(super) fn line(&mut self, line: &str, at_nanos: Option<f64>) {
        if line.is_empty() {
            self.dispatch();
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        // A comment has an empty name; other fields say nothing of the answer.
        if field != "data" {
            return;
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
        self.at_nanos = at_nanos;
    }

    fn dispatch(&mut self) {
        if let Some(data) = self.data.take() {
            self.events.push(SseEvent {
                data,
                at_nanos: self.at_nanos,
            });
        }
    }

    /// Takes the complete events.
    pub(super) fn take(&mut self) -> Vec<SseEvent> {
        std::mem::take(&mut self.events)
    }

    /// Returns the data of the incomplete event.
    pub(super) fn unfinished(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// Returns the events, including one at the end without its empty line: files are often saved without it.
    pub(super) fn finish(mut self) -> Vec<SseEvent> {
        self.dispatch();
        self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<String> {
        read(text).map_or_else(
            |reason| vec![reason],
            |lines| lines.events.into_iter().map(|event| event.data).collect(),
        )
    }

    #[test]
    fn data_over_several_lines_is_one_and_comments_are_none() {
        let text = ": hello\nevent: a\nid: 1\ndata: {\ndata:  \"a\": 1}\n\n: ping\n\nretry: 5\ndata\n\r\ndata:x\r\n\r\ndata: y";
        assert_eq!(events(text), ["{\n \"a\": 1}", "", "x", "y"]);
        assert_eq!(events("data: a\r\rdata: b\r\r"), ["a", "b"]);
        assert!(events("HTTP/2 200\ncontent-type: text/event-stream\n\n").is_empty());
    }
}
