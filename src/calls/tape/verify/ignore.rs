//! Detects what a loose comparison ignores: ids and dates.

use std::borrow::Cow;

use super::DifferenceKind;
use document::{Node, NodeKind};

/// Returns the kind of two different values that may be ignored; `None` if they may not.
pub(super) fn kind_of([left, right]: [Node<'_>; 2]) -> Option<DifferenceKind> {
    let is_each = |condition: fn(Node<'_>) -> bool| condition(left) && condition(right);
    let key = left.key().unwrap_or_default();
    if names_id(key) && is_each(is_scalar) || is_each(|node| node.as_str().is_some_and(is_id)) {
        return Some(DifferenceKind::Id);
    }
    let is_time =
        |node: Node<'_>| node.kind() == NodeKind::Number || node.as_str().is_some_and(is_date);
    let dates = is_each(|node| node.as_str().is_some_and(is_date));
    (dates || names_date(key) && is_time(left) && is_time(right)).then_some(DifferenceKind::Date)
}

/// Returns the kind of a value on one side only that may be ignored.
pub(super) fn kind_of_one(value: Node<'_>) -> Option<DifferenceKind> {
    let key = value.key()?;
    // Without a value on the other side, the form does not suffice.
    kind_of([value; 2]).filter(|kind| match kind {
        DifferenceKind::Id => names_id(key),
        _ => names_date(key),
    })
}

/// Replaces all ids and dates in a text, and returns what was found.
pub fn masked(text: &str) -> (Cow<'_, str>, Option<DifferenceKind>) {
    masked_where(text, &|_, _| true)
}

/// Replaces the ids in a text that are `is_given`.
pub fn masked_ids<'t>(text: &'t str, is_given: &dyn Fn(&str) -> bool) -> Cow<'t, str> {
    masked_where(text, &|id, kind| kind == DifferenceKind::Id && is_given(id)).0
}

fn masked_where<'t>(
    text: &'t str,
    is_masked: &dyn Fn(&str, DifferenceKind) -> bool,
) -> (Cow<'t, str>, Option<DifferenceKind>) {
    let is_token_char =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '+');
    let (mut mask, mut found_kind) = (String::new(), None);
    let (mut copy_start, mut at) = (0, 0);
    // Each id and each date contains one of these, which most texts do not.
    while let Some(len) = memchr::memchr2(b'-', b'_', &text.as_bytes()[at..]) {
        let sign = at + len;
        let offset = text[at..sign].trim_end_matches(is_token_char).len();
        let token = text[at + offset..].split(|c| !is_token_char(c)).next().unwrap_or_default();
        // At the end of a sentence these signs are not part of the token.
        let core = token.trim_end_matches(['.', ':', '-', '_', '+']);
        let start = at + offset;
        let kind = if is_date(core) {
            Some(DifferenceKind::Date)
        } else {
            is_id(core).then_some(DifferenceKind::Id)
        };
        let kind = kind.filter(|kind| is_masked(core, *kind));
        if let Some(kind) = kind {
            mask.push_str(&text[copy_start..start]);
            // With a zero byte, which no ordinary text has, so that a mark equals only a mark.
            mask.push_str(if kind == DifferenceKind::Date { "\u{0}date" } else { "\u{0}id" });
            copy_start = start + core.len();
        }
        found_kind = found_kind.or(kind);
        at = start + token.len();
    }
    if copy_start == 0 {
        return (Cow::Borrowed(text), None);
    }
    mask.push_str(&text[copy_start..]);
    (Cow::Owned(mask), found_kind)
}

fn is_scalar(node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::String | NodeKind::Number)
}

/// `id`, `requestId`, `request_id`, `uuid`.
pub fn names_id(key: &str) -> bool {
    let is_word = ["id", "ID", "uuid", "guid"].contains(&key);
    is_word || ["Id", "ID", "_id", "-id"].iter().any(|end| key.ends_with(end))
}

/// `date`, `timestamp`, `createdAt`, `created_at`, `lastModified`.
pub fn names_date(key: &str) -> bool {
    let is_word = ["date", "time", "timestamp", "now", "created", "lastModified"].contains(&key);
    is_word
        || ["At", "_at", "Date", "_date", "Time", "_time", "Timestamp"]
            .iter()
            .any(|end| key.ends_with(end))
}

/// `delayNs`, `latency_ms`, `duration`, `elapsedMs`: how long something took.
pub fn names_duration(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["duration", "latency", "elapsed", "delay", "took"]
        .iter()
        .any(|start| key.starts_with(start) || key.ends_with(start))
        || key.ends_with("_ms")
}

/// Returns whether a text is an ISO 8601 date, with or without a time, a time as HTTP headers and mails have it, or one as Ruby writes it.
pub fn is_date(text: &str) -> bool {
    match text.as_bytes() {
        [_, _, _, _, b'-', _, _, _, _, _, ..] => {
            text.parse::<jiff::Timestamp>().is_ok()
                || without_zone(text).parse::<jiff::civil::DateTime>().is_ok()
        }
        // `Mon, 08 Jun 2026 18:46:15 GMT`
        [_, _, _, b',', b' ', ..] => jiff::fmt::rfc2822::DateTimeParser::new()
            .relaxed_weekday(true)
            .parse_timestamp(text)
            .is_ok(),
        _ => false,
    }
}

/// Returns the rest of `2026-06-08 18:46:15 UTC` and `2026-06-08 18:46:15 +0200`, as Ruby writes times.
fn without_zone(text: &str) -> &str {
    let is_zone = |zone: &str| match zone.as_bytes() {
        [b'+' | b'-', digits @ ..] => digits.len() == 4 && digits.iter().all(u8::is_ascii_digit),
        _ => matches!(zone, "UTC" | "Z"),
    };
    let (time, zone) = text.rsplit_once(' ').unwrap_or((text, ""));
    // The length of `2026-06-08 18:46:15`.
    if time.len() >= 19 && is_zone(zone) { time } else { text }
}

/// The first words of ids, before a hyphen or an underscore.
const ID_PREFIXES: [&str; 9] =
    ["req", "msg", "toolu", "call", "chatcmpl", "resp", "run", "trace", "session"];

/// The first words of ids besides those that are known everywhere.
const OTHER_ID_PREFIXES: [&str; 33] = [
    "asst",
    "batch",
    "ci",
    "cmpl",
    "compl",
    "container",
    "conv",
    "cu",
    "embd",
    "event",
    "fc",
    "file",
    "fs",
    "ftjob",
    "gen",
    "ig",
    "item",
    "mcp",
    "mcpa",
    "mcpl",
    "mcpr",
    "modr",
    "msgbatch",
    "ocr",
    "rs",
    "servertoolu",
    "srvtoolu",
    "step",
    "thread",
    "tooluse",
    "upload",
    "vs",
    "ws",
];

/// Those whose ids may have hyphens and underscores in them.
const SEPARATED_ID_PREFIXES: [&str; 9] =
    ["call", "chatcmpl", "cmpl", "gen", "msg", "req", "resp", "toolu", "tooluse"];

/// Returns whether a text is a UUID.
pub fn is_uuid(text: &str) -> bool {
    let is_separator = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| {
            if is_separator(at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        })
}

/// Returns how many bytes of an id are its prefix, such as `msg_bdrk_`; 0 if it has none that is known.
pub fn prefix_len(text: &str) -> usize {
    let Some((word, tail)) = text.split_once(['-', '_']) else { return 0 };
    if !ID_PREFIXES.contains(&word) && !OTHER_ID_PREFIXES.contains(&word) {
        return 0;
    }
    // LangChain writes `run--`.
    let tail = tail.trim_start_matches('-');
    // Bedrock and Vertex AI write their own mark behind the prefix.
    let part = ["bdrk_", "vrtx_", "tool-"].into_iter().find_map(|mark| tail.strip_prefix(mark));
    text.len() - part.unwrap_or(tail).len()
}

/// Returns whether a text where an id is expected is one that a service made: letters and digits at random.
pub(crate) fn is_random(text: &str) -> bool {
    let prefix = prefix_len(text);
    let part = &text[prefix..];
    let has_byte = |condition: fn(&u8) -> bool| part.as_bytes().iter().any(&condition);
    let has_digit = has_byte(u8::is_ascii_digit);
    let is_mixed = has_byte(u8::is_ascii_uppercase) && has_byte(u8::is_ascii_lowercase);
    let has_letter = has_byte(u8::is_ascii_alphabetic);
    let is_word = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') && part.len() >= 16 && is_mixed
    };
    // A known prefix already shows that it is an id.
    let min_bytes = if prefix > 0 { 4 } else { 8 };
    let is_random = has_digit && has_letter || is_mixed && part.len() >= 9;
    part.len() >= min_bytes && is_random && part.bytes().all(is_word)
}

/// Returns whether a text is an id by its form alone: a UUID, or a known prefix with a long random rest.
pub(crate) fn has_id_form(text: &str) -> bool {
    if is_uuid(text) {
        return true;
    }
    let (prefix, part) = text.split_at(prefix_len(text));
    if prefix.is_empty() {
        return false;
    }
    if is_uuid(part) {
        return true;
    }
    let word = prefix.split(['-', '_']).next().unwrap_or_default();
    let has_byte = |condition: fn(&u8) -> bool| part.as_bytes().iter().any(&condition);
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    // Requests are numbered by the time, `req-1780281201443-1`; seconds since 1970 already have ten digits.
    if part.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return digits >= 10 && part.starts_with(|c: char| c.is_ascii_digit());
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_mixed = has_byte(u8::is_ascii_uppercase) && has_byte(u8::is_ascii_lowercase);
    let is_dashed = part.contains(['-', '_']);
    let may_dash = SEPARATED_ID_PREFIXES.contains(&word) && is_mixed && part.len() >= 16;
    part.len() >= 12 && digits >= 1 && part.bytes().all(is_word) && (!is_dashed || may_dash)
}

/// Returns whether a text is a UUID, or a prefix with a long number or mixture as services create:
/// `req-1780281201443-1`, `toolu_01A09q90qw90lq917835lq9`, `thread_abc123…`.
pub fn is_id(text: &str) -> bool {
    let is_prefixed = text.split_once(['-', '_']).is_some_and(|(prefix, tail)| {
        ID_PREFIXES.contains(&prefix)
            && tail.len() >= 8
            && tail.bytes().any(|byte| byte.is_ascii_digit())
    });
    is_prefixed || has_id_form(text)
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
            "2026-03-09 11:02:17 UTC",
            "2026-03-09 11:02:17.5 +0200",
            "Mon, 08 Jun 2026 18:46:15 GMT",
            "Mon, 08 Jun 2026 18:46:15 +0200",
            "Tue, 8 Jun 2026 18:46:15 GMT",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in [
            "2026-13-09",
            "20260309",
            "2026",
            "last week",
            "2026-03-09 UTC",
            "2026-03-09 11:02:17 +x200",
            "Mon, come at 18:46:15 GMT",
            "Yes, it is",
        ] {
            assert!(!is_date(other), "{other}");
        }
        for id in [
            "req-1780281201443-1",
            "550e8400-e29b-41d4-a716-446655440000",
            "toolu_01A09q90qw",
            "thread_MPKsf6rKSKPyP4DZiZg9yoxd",
            "compl_01EjfrPvPEsRDRUKD6VoBxtK",
        ] {
            assert!(is_id(id), "{id}");
        }
        for other in ["request", "req-x", "run-of-the-mill", "thread_of-2026", "550e8400"] {
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
            ("né–$id-é $id_ -550e8400-e29b-41d4-a716-446655440000", Some(DifferenceKind::Id))
        );
    }
}
