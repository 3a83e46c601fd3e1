//! Times, and what they become.

use crate::tape::verify::ignore::{is_date, names_date};

/// The numbers of Ollama and llama.cpp that say how long a part of the work took.
const DURATIONS: [&str; 8] = [
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
    "prompt_ms",
    "prompt_per_second",
    "predicted_ms",
    "predicted_per_second",
];

/// Numbers below this are no seconds since 1970: it is a day in 1973.
const MIN_EPOCH_SECONDS: f64 = 1e8;

/// Returns whether a key names a time. When something expires decides what clients do.
pub(super) fn names_time(key: &str) -> bool {
    names_date(key) && !key.to_ascii_lowercase().contains("expir")
}

/// Returns a text that is a time, with another time in the same form: 1970-01-01 at midnight. `None` for another text.
pub(super) fn zero(text: &str) -> Option<String> {
    if !is_date(text) {
        return None;
    }
    if !text.contains(", ") {
        return Some(zero_iso(text));
    }
    // A zone follows the time of day, in mails also with a comment.
    let tail = text.find(':').map_or("", |colon| &text[colon..]);
    let zone = tail.find(' ').map_or("", |space| &tail[space..]);
    Some(format!("Thu, 01 Jan 1970 00:00:00{zone}"))
}

/// Keeps what separates date and time, the precision and the zone of a time in ISO 8601.
fn zero_iso(text: &str) -> String {
    // The sign is searched behind the date, whose hyphens are no sign of a zone.
    let (time, zone) = match text.get(11..).and_then(|time| time.find(['Z', 'z', '+', '-', '['])) {
        Some(at) => text.split_at(11 + at),
        None => (text, ""),
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut zero = "1970-01-01".to_owned();
    let digit = |c: char| if c.is_ascii_digit() { '0' } else { c };
    zero.extend(time.chars().skip(10).map(digit));
    if !fraction.is_empty() {
        // Some programs leave out zeros at the end.
        let digits = fraction.len().div_ceil(3) * 3;
        zero.push('.');
        zero.extend(std::iter::repeat_n('0', digits));
    }
    zero + zone
}

/// Returns what a number with a key becomes: zero for a time and a duration. `None` for another number.
pub(super) fn zero_number(key: &str, raw: &str) -> Option<&'static str> {
    let number: f64 = raw.parse().ok()?;
    let is_time = names_time(key) && number >= MIN_EPOCH_SECONDS;
    let is_duration = DURATIONS.contains(&key) && number != 0.0;
    // An integer stays an integer, for clients that distinguish the two.
    (is_time || is_duration).then(|| if raw.contains('.') { "0.0" } else { "0" })
}

/// Returns what a duration of Go becomes; `None` for another text.
pub(super) fn zero_duration(text: &str) -> Option<&'static str> {
    let is_duration = text.ends_with('s') && text.starts_with(|c: char| c.is_ascii_digit());
    // `0s` is already the shortest duration that Go writes.
    (is_duration && text != "0s").then_some("0s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_form_and_stay_zero() {
        let times = [
            "2026-03-12",
            "2026-03-12T09:14:07Z",
            "2026-03-12 09:14:07.25",
            "2026-03-12T09:14:07.250000+00:00",
            "2026-03-12T09:14:07.123456789-05:00",
            "2026-03-12T09:14",
            "Thu, 12 Mar 2026 09:14:07 GMT",
            "Mon, 1 Jan 2024 10:00:00 +0200 (CEST)",
            "Mon, 1 Jan 2024 10:00:00 +0200",
            "a week ago",
            "12.5",
        ];
        let zeros = times.map(|text| {
            let zero = zero(text);
            if let Some(zero) = &zero {
                assert_eq!(super::zero(zero).as_ref(), Some(zero));
            }
            zero.unwrap_or_else(|| "-".to_owned())
        });
        insta::assert_snapshot!(zeros.join("\n"), @"
        1970-01-01
        1970-01-01T00:00:00Z
        1970-01-01 00:00:00.000
        1970-01-01T00:00:00.000000+00:00
        1970-01-01T00:00:00.000000000-05:00
        1970-01-01T00:00
        Thu, 01 Jan 1970 00:00:00 GMT
        Thu, 01 Jan 1970 00:00:00 +0200 (CEST)
        Thu, 01 Jan 1970 00:00:00 +0200
        -
        -
        ");
    }

    #[test]
    fn numbers_are_times_only_by_their_keys() {
        let numbers = [
            ("created", "1773306847"),
            ("created_at", "1773306847.25"),
            ("createdAt", "1773306847123"),
            ("created", "0"),
            ("expires_at", "1773306847"),
            ("total_time", "0.25"),
            ("seed", "1773306847"),
            ("eval_duration", "182"),
        ];
        let zeros = numbers.map(|(key, raw)| zero_number(key, raw).unwrap_or("-"));
        assert_eq!(zeros, ["0", "0.0", "0", "-", "-", "-", "-", "0"]);
        assert_eq!(zero_duration("812.5ms"), Some("0s"));
        assert_eq!(zero_duration("0s"), None);
    }
}
