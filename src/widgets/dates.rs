//! Dates formatted for sentences.

use jiff::Timestamp;

/// Formats the day of an ISO 8601 time as `12 Mar 2026` (UTC). Text that is not a time is returned unchanged.
pub fn day_of_iso(text: &str) -> String {
    of_iso(text, DAY_FORMAT)
}

/// Formats the minute of an ISO 8601 time as `2026-03-12 14:31` (UTC). Text that is not a time is returned unchanged.
pub fn minute_of_iso(text: &str) -> String {
    of_iso(text, "%Y-%m-%d %H:%M")
}

/// Formats the day of a time in seconds since 1970 as `12 Mar 2026` (UTC).
pub fn day_of_seconds(seconds: i64) -> String {
    of_seconds(seconds, DAY_FORMAT)
}

/// Formats a time in seconds since 1970 as `12 Mar 2026, 14:31 UTC`.
pub fn minute_of_seconds(seconds: i64) -> String {
    of_seconds(seconds, "%-d %b %Y, %H:%M UTC")
}

const DAY_FORMAT: &str = "%-d %b %Y";

fn of_iso(text: &str, format: &str) -> String {
    // The text of a foreign file: control characters must not reach the window.
    let as_written = |_| document::text::visible(text).into_owned();
    text.parse().map_or_else(as_written, |time: Timestamp| time.strftime(format).to_string())
}

fn of_seconds(seconds: i64, format: &str) -> String {
    // Out of range, which a damaged git object can be.
    let unknown_date = |_| "unknown date".to_owned();
    Timestamp::from_second(seconds)
        .map_or_else(unknown_date, |time| time.strftime(format).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_formatted_for_sentences() {
        assert_eq!(day_of_iso("2026-03-12T08:00:00.000Z"), "12 Mar 2026");
        assert_eq!(day_of_iso("soon"), "soon");
        assert_eq!(minute_of_iso("2026-03-12T08:00:59.000+02:00"), "2026-03-12 06:00");
        assert_eq!(minute_of_iso("soon"), "soon");
        assert_eq!(day_of_seconds(0), "1 Jan 1970");
        assert_eq!(minute_of_seconds(86_399), "1 Jan 1970, 23:59 UTC");
    }
}
