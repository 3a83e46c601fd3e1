//! Bodies for tests.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use super::*;

/// A message of an event stream of Amazon, with its type and without valid checksums.
pub fn event_message(kind: &str, payload: &str) -> Vec<u8> {
    let mut headers = vec![11];
    headers.extend(b":event-type\x07");
    headers.extend((kind.len() as u16).to_be_bytes());
    headers.extend(kind.as_bytes());
    let total = 16 + headers.len() + payload.len();
    let mut bytes = (total as u32).to_be_bytes().to_vec();
    bytes.extend((headers.len() as u32).to_be_bytes());
    bytes.extend(checksum(&bytes));
    bytes.extend(headers);
    bytes.extend(payload.as_bytes());
    bytes.extend(checksum(&bytes));
    bytes
}

/// A body as vcrpy stores what was sent packed: its value, and the headers that describe it.
pub fn packed_body(content: &str, coding: BodyLayer) -> [String; 2] {
    let layers = [BodyLayer::Base64, coding];
    let (body, sent_bytes) = pack(content.as_bytes().to_vec(), &layers, "").unwrap();
    let lines: Vec<&str> =
        body.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let value = format!("!!binary |\n        {}", lines.join("\n        "));
    let headers = format!(
        "      content-encoding:\n      - {}\n      content-length:\n      - '{sent_bytes}'\n",
        coding.as_str()
    );
    [value, headers]
}
