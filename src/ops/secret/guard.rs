//! Recognises values that look like secrets but are not.

/// Returns whether a text is a file in a data URI, such as an image: long, random, and no secret.
pub(super) fn is_data_uri(text: &str) -> bool {
    let head = text.get(..text.len().min(120)).unwrap_or_default();
    text.starts_with("data:") && head.contains(";base64,")
}

/// The longest run of Base64 in which something is still looked for.
const LONGEST_RUN: usize = 1024;

/// Returns true if the bytes at `start..end` are inside a long run of Base64, where any text can occur by chance.
pub(super) fn is_inside_base64(text: &str, start: usize, end: usize) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let bytes = text.as_bytes();
    let before = bytes[..start].iter().rev().take(LONGEST_RUN);
    let after = bytes[end..].iter().take(LONGEST_RUN);
    let run = before.take_while(|it| is_base64(it)).count()
        + after.take_while(|it| is_base64(it)).count();
    run >= LONGEST_RUN
}

/// Returns true if there is a letter, digit or `_` directly before or after: then it is a part of a longer word.
pub(super) fn is_part_of_word(text: &str, start: usize, end: usize) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    is_word(start.checked_sub(1).and_then(|at| bytes.get(at))) || is_word(bytes.get(end))
}

/// Returns true if a value is only a placeholder for a secret: a variable, a mask, a word of an instruction.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 24] = [
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "change-me",
        "redacted",
        "your-",
        "your_",
        "yourpassword",
        "xxxx",
        "****",
        "....",
        "dummy",
        "sample",
        "process.env",
        "os.environ",
        "getenv",
        "<",
        "insert",
        "scrubbed",
        "filtered",
        "masked",
        "removed",
        "hidden",
    ];
    let lower = value.to_ascii_lowercase();
    let is_variable =
        value.contains("${") || value.contains("{{") || value.starts_with(['$', '%', '{', '(']);
    is_variable || WORDS.iter().any(|word| lower.contains(word)) || is_monotonous(value)
}

/// Returns whether a value has very few distinct letters.
fn is_monotonous(value: &str) -> bool {
    let mut seen: Vec<u8> = value.bytes().collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() <= 3
}

/// Returns whether it is a UUID.
pub(super) fn is_uuid(value: &str) -> bool {
    let parts: Vec<&str> = value.split('-').collect();
    let lens: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lens == [8, 4, 4, 4, 12]
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the Shannon entropy per byte in bits: 0 for `aaaa`, about 4.5 for a random token.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let len = value.len() as f64;
    let share = |count: u32| f64::from(count) / len;
    let bits = counts.iter().filter(|count| **count > 0);
    bits.map(|&count| -share(count) * share(count).log2()).sum()
}
