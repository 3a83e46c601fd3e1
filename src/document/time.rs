//! Times as exports write them.

use jiff::civil::DateTime;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::call::ModelCall;

/// Returns a time in ISO 8601; one without a zone is UTC, and a date alone is its beginning.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let parse_local = || {
        let time: DateTime = text.parse().ok()?;
        Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    text.parse().ok().or_else(parse_local)
}

/// Milliseconds from one time to a later one.
pub fn milliseconds(from: &str, to: &str) -> Option<i64> {
    let duration = parse_time(to)?.duration_since(parse_time(from)?);
    let millis = (duration.as_nanos() + 500_000).div_euclid(1_000_000);
    // An end before its start means that one of the times is wrong.
    i64::try_from(millis).ok().filter(|millis| *millis >= 0)
}

/// When a range of days such as `last_7_days` or `24h` begins that ends `now`; `None` when it is no such range.
pub fn start_of_range(words: &str, now: Timestamp) -> Option<Timestamp> {
    let name = words.trim().to_ascii_lowercase().replace('-', "_");
    let words = name.strip_prefix("last_").unwrap_or(&name);
    let digits = words.len() - words.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count: i64 = words[..digits].parse().ok()?;
    let hours = match words[digits..].trim_matches('_') {
        "h" | "hour" | "hours" => count,
        "d" | "day" | "days" => count.checked_mul(24)?,
        "w" | "week" | "weeks" => count.checked_mul(24 * 7)?,
        _ => return None,
    };
    now.checked_sub(SignedDuration::from_hours(hours)).ok()
}

/// Returns when a call was recorded, from the file or from its response.
pub fn recorded_at(call: &ModelCall<'_>) -> Option<Timestamp> {
    let parse = |text: &str| {
        // Dates in HTTP headers have the form of those in mails.
        let of_http = || DateTimeParser::new().parse_timestamp(text.trim()).ok();
        parse_time(text).or_else(of_http)
    };
    call.facts.started_at.as_deref().and_then(parse).or_else(|| {
        let mut headers = call.facts.http.as_ref()?.response_headers.iter();
        parse(&headers.find(|(name, _)| name.eq_ignore_ascii_case("date"))?.1)
    })
}
