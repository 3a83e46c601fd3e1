//! Parses the output of `curl --trace FILE --trace-time`: all bytes in hex, with the time of each part.

use super::lines::SseEvents;
use super::{CaptureTiming, nanos};
use crate::ops::api::{SseEvent, SseReader};

/// Returns whether a text is a curl trace, in hex or not.
pub(super) fn is_trace(text: &str) -> bool {
    text.lines().take(64).any(|line| heading(line).is_some())
}

/// A heading line, which contains the direction of the bytes below it.
struct TraceHeading {
    /// The time of day in nanoseconds; `None` without `--trace-time`.
    at_nanos: Option<f64>,
    is_body: bool,
    is_sent: bool,
}

fn heading(line: &str) -> Option<TraceHeading> {
    let (before, rest) = line.split_once("<= ").or_else(|| line.split_once("=> "))?;
    let is_known = ["Recv", "Send"].iter().any(|way| rest.starts_with(way));
    if !is_known {
        return None;
    }
    let at_nanos = match before.trim() {
        "" => None,
        time => Some(time_of_day(time)?),
    };
    Some(TraceHeading {
        at_nanos,
        is_body: rest.starts_with("Recv data"),
        is_sent: rest.starts_with("Send"),
    })
}

/// Parses a time of day such as `11:02:17.123456` to nanoseconds.
fn time_of_day(time: &str) -> Option<f64> {
    let mut parts = time.splitn(3, ':');
    let (hours, minutes): (f64, f64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let seconds: f64 = parts.next()?.parse().ok()?;
    Some(nanos(hours.mul_add(3600.0, minutes * 60.0) + seconds))
}

const DAY_NANOS: f64 = 86_400e9;

pub(super) fn read(text: &str) -> Result<SseEvents, String> {
    let mut pieces: Vec<(Option<f64>, Vec<u8>)> = Vec::new();
    let (mut start_nanos, mut last, mut within) = (None, 0.0, false);
    for line in text.lines() {
        if let Some(found) = heading(line) {
            let at_nanos = found.at_nanos.map(|at| {
                // The trace has passed midnight.
                if at < last - DAY_NANOS / 2.0 { at + DAY_NANOS } else { at }
            });
            last = at_nanos.unwrap_or(last);
            if found.is_sent {
                start_nanos = start_nanos.or(at_nanos);
            }
            within = found.is_body;
            if within {
                pieces.push((at_nanos, Vec::new()));
            }
        } else if within && let Some((_, piece)) = pieces.last_mut() {
            piece.extend(row(line).ok_or(
                "The trace is not in hex; `curl --trace FILE --trace-time` writes one that is",
            )?);
        }
    }
    let is_timed = pieces.iter().all(|(at, _)| at.is_some());
    Ok(SseEvents {
        events: events(&pieces),
        timing: if is_timed { CaptureTiming::CurlTrace } else { CaptureTiming::Estimated },
        start_nanos: start_nanos.filter(|_| is_timed),
    })
}

/// Parses the bytes of a row such as `0010: 64 61 74 61 3a                                  data:`.
fn row(line: &str) -> Option<Vec<u8>> {
    let (offset, rest) = line.split_once(": ")?;
    u64::from_str_radix(offset.trim(), 16).ok()?;
    // Sixteen bytes of three characters, then the same as text.
    let hex = rest.get(..rest.len().min(48))?;
    hex.split_ascii_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).ok().filter(|_| byte.len() == 2))
        .collect()
}

/// Returns the events in the parts; each arrived with the part that completed it.
fn events(pieces: &[(Option<f64>, Vec<u8>)]) -> Vec<SseEvent> {
    let mut reader = SseReader::default();
    let mut rest: Vec<u8> = Vec::new();
    let mut last = None;
    for (at, piece) in pieces {
        rest.extend(piece);
        last = *at;
        while let Some(end) = memchr::memchr(b'\n', &rest) {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            reader.line(line.trim_end_matches(['\n', '\r']), *at);
        }
    }
    reader.line(&String::from_utf8_lossy(&rest), last);
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_times_are_found_in_a_trace() {
        let trace = "11:02:17.000000 == Info: Connected\n\
                     11:02:17.100000 => Send header, 5 bytes (0x5)\n0000: 50 4f 53 54 0a                                  POST.\n\
                     11:02:17.500000 <= Recv header, 3 bytes (0x3)\n0000: 48 3a 0a                                        H:.\n\
                     23:59:59.750000 <= Recv data, 18 bytes (0x12)\n0000: 64 61 74 61 3a 20 c3 a9 0a 0a 64 61 74 61 3a 20 data: ....data: \n0010: 62 0a                                           b.\n\
                     00:00:00.250000 <= Recv data, 1 bytes (0x1)\n0000: 0a                                              .\n";
        let lines = read(trace).unwrap();
        assert_eq!((lines.timing, lines.start_nanos), (CaptureTiming::CurlTrace, Some(39_737.1e9)));
        let events: Vec<_> =
            lines.events.iter().map(|event| (event.data.as_str(), event.at_nanos)).collect();
        assert_eq!(events, [("é", Some(86_399.75e9)), ("b", Some(86_399.75e9))]);
    }

    #[test]
    fn a_trace_without_hex_is_refused() {
        let trace = "11:02:17.100000 <= Recv data, 5 bytes (0x5)\n0000: data: hello\n";
        assert!(read(trace).unwrap_err().starts_with("The trace is not in hex"));
    }
}
