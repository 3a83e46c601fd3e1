//! Parses a saved stream in any supported file format, with the time before each line if there is one.

use super::{CaptureTiming, stamps};
use crate::api::{SseEvent, SseReader, lines};

/// All events of a stream.
#[derive(Debug)]
pub(super) struct SseEvents {
    pub(super) events: Vec<SseEvent>,
    pub(super) timing: CaptureTiming,
    /// When the call began, in nanoseconds, if known.
    pub(super) start_nanos: Option<f64>,
}

/// Parses the events of a stream in any supported file format.
pub(super) fn read(text: &str) -> SseEvents {
    let rows = stamps::read(text);
    let mut reader = SseReader::default();
    match &rows {
        Some(rows) => {
            rows.lines.iter().for_each(|(at, line)| reader.line(line, Some(*at)));
        }
        None => lines(text).for_each(|line| reader.line(line, None)),
    }
    SseEvents {
        events: reader.finish(),
        timing: rows.as_ref().map_or(CaptureTiming::Estimated, |rows| rows.timing),
        start_nanos: rows.and_then(|rows| rows.start_nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Vec<String> {
        read(text).events.into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn data_over_several_lines_is_one_and_comments_are_none() {
        let text = ": hello\nevent: a\nid: 1\ndata: {\ndata:  \"a\": 1}\n\n: ping\n\nretry: 5\ndata\n\r\ndata:x\r\n\r\ndata: y";
        assert_eq!(events(text), ["{\n \"a\": 1}", "", "x", "y"]);
        assert_eq!(events("data: a\r\rdata: b\r\r"), ["a", "b"]);
        assert!(events("HTTP/2 200\ncontent-type: text/event-stream\n\n").is_empty());
    }
}
