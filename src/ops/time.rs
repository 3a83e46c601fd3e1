//! Times as exports write them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Returns a time in ISO 8601; one without a zone is UTC, and a date alone is its beginning.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let local = || {
        let local: DateTime = text.parse().ok()?;
        Some(local.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    text.parse().ok().or_else(local)
}

/// Milliseconds from one time to a later one.
pub(super) fn milliseconds(from: &str, to: &str) -> Option<i64> {
    let between = parse_time(to)?.duration_since(parse_time(from)?);
    let millis = (between.as_nanos() + 500_000).div_euclid(1_000_000);
    i64::try_from(millis).ok().filter(|millis| *millis >= 0)
}

/// When a range of days such as `last_7_days` or `24h` begins that ends `now`; `None` when it is no such range.
pub fn start_of_range(words: &str, now: Timestamp) -> Option<Timestamp> {
    let words = words.trim().to_ascii_lowercase().replace('-', "_");
    let words = words.strip_prefix("last_").unwrap_or(&words);
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
