//! Dates formatted for sentences.

use jiff::Timestamp;

/// Formats the day of an ISO 8601 time as `12 Mar 2026` (UTC). Text that is not a time is returned unchanged.
pub fn day_of_iso(written: &str) -> String {
    match written.parse::<Timestamp>() {
        Ok(time) => day(time),
        // The text of a foreign file: control characters must not reach the window.
        Err(_) => document::text::visible(written).into_owned(),
    }
}

/// Formats the minute of an ISO 8601 time as `2026-03-12 14:31` (UTC). Text that is not a time is returned unchanged.
pub fn minute_of_iso(written: &str) -> String {
    match written.parse::<Timestamp>() {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => document::text::visible(written).into_owned(),
    }
}

/// Formats the day of a time in seconds since 1970 as `12 Mar 2026` (UTC).
pub fn day_of_seconds(seconds: i64) -> String {
    // The time may be out of range, as in a damaged git object.
    Timestamp::from_second(seconds).map_or_else(|_| "unknown date".to_owned(), day)
}

/// Formats a time in seconds since 1970 as `12 Mar 2026, 14:31 UTC`.
pub fn minute_of_seconds(seconds: i64) -> String {
    let minute = |time: Timestamp| time.strftime("%-d %b %Y, %H:%M UTC").to_string();
    Timestamp::from_second(seconds).map_or_else(|_| "unknown date".to_owned(), minute)
}

fn day(time: Timestamp) -> String {
    time.strftime("%-d %b %Y").to_string()
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
