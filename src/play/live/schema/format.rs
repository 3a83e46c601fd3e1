//! The keyword `format` of a text in a schema.

use std::net::{Ipv4Addr, Ipv6Addr};

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use calls::tape::verify::ignore::is_uuid;

/// Returns what is expected if a text does not have a format. Unknown formats are not checked.
pub(super) fn format_mismatch(format: &str, text: &str) -> Option<String> {
    let (fits, expected) = match format {
        "date-time" => (
            // The parser also accepts a space between date and time.
            text.contains(['T', 't']) && text.parse::<Timestamp>().is_ok(),
            "a date and time with its zone, such as 2026-03-01T10:00:00Z",
        ),
        // The parser also accepts `20260301`, and a date with a time.
        "date" => (text.len() == 10 && text.parse::<Date>().is_ok(), "a date, such as 2026-03-01"),
        "time" => (is_time(text), "a time, such as 10:00:00Z"),
        "email" => (is_address(text), "an e-mail address"),
        "uuid" => (is_uuid(text), "a UUID"),
        "uri" => (is_uri(text), "a URI, such as https://example.com/"),
        "ipv4" => (text.parse::<Ipv4Addr>().is_ok(), "an IPv4 address"),
        "ipv6" => (text.parse::<Ipv6Addr>().is_ok(), "an IPv6 address"),
        _ => return None,
    };
    (!fits).then(|| format!("Expected {expected}"))
}

/// Python and JavaScript write times with and without a zone.
fn is_time(text: &str) -> bool {
    let clock = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    let zone = clock.rfind(['+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at(zone);
    let is_zone = zone.is_empty()
        || zone.len() == 6
            && zone
                .bytes()
                .enumerate()
                .skip(1)
                .all(|(at, byte)| byte == b':' && at == 3 || byte.is_ascii_digit() && at != 3);
    // The parser also accepts a time without seconds.
    clock.len() >= 8 && clock.parse::<Time>().is_ok() && is_zone
}

fn is_address(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    text.rsplit_once('@').is_some_and(|(n, h)| is_part(n) && is_part(h) && !h.starts_with('.'))
}

fn is_uri(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let is_plain = |sign: char| sign.is_ascii_graphic() && !"<>\"{}|\\^`".contains(sign);
    text.split_once(':').is_some_and(|(s, r)| is_scheme(s) && r.chars().all(is_plain))
}
