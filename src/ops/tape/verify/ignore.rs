//! Detects what a loose comparison ignores: ids and dates.

use std::borrow::Cow;

use super::DifferenceKind;
use crate::format::{Node, NodeKind};

/// Returns the kind of two different values that may be ignored; `None` if they may not.
pub(super) fn kind_of(
    key: Option<&str>,
    left: Node<'_>,
    right: Node<'_>,
) -> Option<DifferenceKind> {
    let both = |is: fn(Node<'_>) -> bool| is(left) && is(right);
    let key = key.unwrap_or_default();
    if names_id(key) && both(is_scalar) || both(|node| node.as_str().is_some_and(is_id)) {
        return Some(DifferenceKind::Id);
    }
    let is_time =
        |node: Node<'_>| node.kind() == NodeKind::Number || node.as_str().is_some_and(is_date);
    let dates = both(|node| node.as_str().is_some_and(is_date));
    (dates || names_date(key) && is_time(left) && is_time(right)).then_some(DifferenceKind::Date)
}

/// Returns the kind of a value on one side only that may be ignored.
pub(super) fn kind_of_one(key: Option<&str>, value: Node<'_>) -> Option<DifferenceKind> {
    kind_of(Some(key?), value, value).filter(|kind| match kind {
        DifferenceKind::Id => names_id(key.unwrap_or_default()),
        _ => names_date(key.unwrap_or_default()),
    })
}

/// Replaces all ids and dates in a text, and returns what was found.
pub(in crate::ops) fn masked(text: &str) -> (Cow<'_, str>, Option<DifferenceKind>) {
    let in_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '+');
    let (mut masked, mut found) = (String::new(), None);
    let (mut copied, mut at) = (0, 0);
    // Each id and each date contains one of these, which most texts do not.
    while let Some(len) = memchr::memchr2(b'-', b'_', &text.as_bytes()[at..]) {
        let sign = at + len;
        let before = text[at..sign].trim_end_matches(in_token).len();
        let token = text[at + before..].split(|c| !in_token(c)).next();
        let token = token.unwrap_or_default();
        let core = token.trim_end_matches(['.', ':', '-', '_', '+']);
        let start = at + before;
        let kind = if is_date(core) {
            Some(DifferenceKind::Date)
        } else {
            is_id(core).then_some(DifferenceKind::Id)
        };
        if let Some(kind) = kind {
            masked.push_str(&text[copied..start]);
            masked.push_str(match kind {
                DifferenceKind::Date => "\u{0}date",
                _ => "\u{0}id",
            });
            copied = start + core.len();
        }
        found = found.or(kind);
        at = start + token.len();
    }
    if copied == 0 {
        return (Cow::Borrowed(text), None);
    }
    masked.push_str(&text[copied..]);
    (Cow::Owned(masked), found)
}

fn is_scalar(node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::String | NodeKind::Number)
}

/// `id`, `requestId`, `request_id`, `uuid`.
pub(in crate::ops) fn names_id(key: &str) -> bool {
    let is_word = ["id", "ID", "uuid", "guid"].contains(&key);
    is_word
        || ["Id", "ID", "_id", "-id"]
            .iter()
            .any(|end| key.ends_with(end))
}

/// `date`, `timestamp`, `createdAt`, `created_at`, `lastModified`.
pub(in crate::ops) fn names_date(key: &str) -> bool {
    let is_word = [
        "date",
        "time",
        "timestamp",
        "now",
        "created",
        "lastModified",
    ]
    .contains(&key);
    is_word
        || ["At", "_at", "Date", "_date", "Time", "_time", "Timestamp"]
            .iter()
            .any(|end| key.ends_with(end))
}

/// Returns whether a text is an ISO 8601 date, with or without a time.
pub(in crate::ops) fn is_date(text: &str) -> bool {
    let looks_so = text.len() >= 10 && text.as_bytes().get(4) == Some(&b'-');
    looks_so
        && (text.parse::<jiff::Timestamp>().is_ok()
            || text.parse::<jiff::civil::DateTime>().is_ok())
}

/// The first words of ids, before a hyphen or an underscore.
pub(in crate::ops) const ID_PREFIXES: [&str; 9] = [
    "req", "msg", "toolu", "call", "chatcmpl", "resp", "run", "trace", "session",
];

/// Returns whether a text is a UUID, or a prefix with a long number or mixture as services create:
/// `req-1780281201443-1`, `toolu_01A09q90qw90lq917835lq9`.
pub(in crate::ops) fn is_id(text: &str) -> bool {
    let in_uuid = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let is_uuid = text.len() == 36 && text.bytes().enumerate().all(in_uuid);
    let is_given = text.split_once(['-', '_']).is_some_and(|(prefix, rest)| {
        ID_PREFIXES.contains(&prefix)
            && rest.len() >= 8
            && rest.bytes().any(|byte| byte.is_ascii_digit())
    });
    is_uuid || is_given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_dates_are_recognised_by_their_form() {
        for date in [
            "2026-03-09",
            "2026-03-09T11:02:17Z",
            "2026-03-09T11:02:17.123+01:00",
            "2026-03-09T11:02",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in ["2026-13-09", "20260309", "2026", "last week"] {
            assert!(!is_date(other), "{other}");
        }
        for id in [
            "req-1780281201443-1",
            "550e8400-e29b-41d4-a716-446655440000",
            "toolu_01A09q90qw",
        ] {
            assert!(is_id(id), "{id}");
        }
        for other in ["request", "req-x", "run-of-the-mill", "550e8400"] {
            assert!(!is_id(other), "{other}");
        }
        assert!(
            names_id("requestId")
                && !names_id("valid")
                && names_date("recordedAt")
                && !names_date("that")
        );
    }

    #[test]
    fn they_are_found_within_texts() {
        let (text, found) = masked("On 2026-03-09, at 2026-03-09T11:02:17Z: req-1780281201443-1.");
        assert_eq!(
            (text.replace('\0', "$").as_str(), found),
            ("On $date, at $date: $id.", Some(DifferenceKind::Date))
        );
        assert_eq!(masked("né. a-b"), (Cow::Borrowed("né. a-b"), None));
        let (text, found) =
            masked("né–req-17802812-é msg_12345678_ -550e8400-e29b-41d4-a716-446655440000");
        assert_eq!(
            (text.replace('\0', "$").as_str(), found),
            (
                "né–$id-é $id_ -550e8400-e29b-41d4-a716-446655440000",
                Some(DifferenceKind::Id)
            )
        );
    }
}
