//! Recognises values that look like secrets but are not.

use document::body::decode_any_base64;

/// Returns whether a text is a file in a data URI, such as an image: long, random, and no secret.
pub(super) fn is_data_uri(text: &str) -> bool {
    let head = text.get(..text.len().min(120)).unwrap_or_default();
    text.starts_with("data:") && head.contains(";base64,")
}

/// The longest run of Base64 in which something is still looked for.
const MAX_RUN_BYTES: usize = 1024;

/// The fewest letters of Base64 around a key that show that it is a part of them, if they are as mixed as encoded bytes.
const MIN_MIXED_RUN_BYTES: usize = 64;

/// Returns true if the bytes at `start..end` are inside Base64 of either alphabet, where any text can occur by chance.
pub(super) fn is_inside_base64(text: &str, start: usize, end: usize) -> bool {
    let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let (bytes, max_bytes) = (text.as_bytes(), MAX_RUN_BYTES);
    let head: Vec<u8> =
        (bytes[..start].iter().rev().take(max_bytes).take_while(is_base64)).copied().collect();
    let tail = bytes[end..].iter().take(max_bytes).take_while(is_base64);
    let has_begun = !head.is_empty();
    let run: Vec<u8> = head.into_iter().chain(tail.copied()).collect();
    let share = |is_kind: fn(&u8) -> bool| run.iter().filter(|byte| is_kind(byte)).count() * 24;
    // Encoded bytes have 26 capitals, 26 small letters and 10 digits in 64 letters; about a third of each share suffices.
    let is_mixed = share(u8::is_ascii_uppercase) >= 3 * run.len()
        && share(u8::is_ascii_lowercase) >= 3 * run.len()
        && share(u8::is_ascii_digit) >= run.len();
    // By chance a form is hardly ever exactly at the beginning of a run.
    run.len() >= MAX_RUN_BYTES || has_begun && run.len() >= MIN_MIXED_RUN_BYTES && is_mixed
}

/// Returns true if there is a letter, digit or `_` directly before or after: then it is a part of a longer word.
pub(super) fn is_part_of_word(text: &str, start: usize, end: usize) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    is_word(start.checked_sub(1).and_then(|at| bytes.get(at))) || is_word(bytes.get(end))
}

/// The beginnings of keys that are published with their issuers' consent: those of clients of PostHog, Stripe, Langfuse, Mapbox and
/// Supabase.
const PUBLIC_KEYS: &str = "phc_ pk_live_ pk_test_ pk-lf- pk.eyJ sb_publishable_";

/// Returns true if a value is only a placeholder for a secret: a variable, a mask, a word of an instruction, or a key that is public.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: &str = "example placeholder changeme change_me change-me redacted your- your_ yourpassword yourapi xxxx *** ... … \
                         not-a-real fake- fake_ mock- mock_ dummy sample process.env os.environ getenv < insert scrubbed \
                         filtered masked removed hidden";
    let lower_value = value.to_ascii_lowercase();
    let is_variable =
        value.contains("${") || value.contains("{{") || value.starts_with(['$', '%', '{', '(']);
    let is_x = |part: &str| part.len() >= 3 && part.bytes().all(|byte| byte == b'x');
    is_variable
        || WORDS.split_whitespace().any(|word| lower_value.contains(word))
        || lower_value.split(|c: char| !c.is_alphanumeric()).any(is_x)
        || is_monotonous(value)
        || PUBLIC_KEYS.split(' ').any(|prefix| value.starts_with(prefix))
        || is_example_token(value)
}

/// Returns whether a JSON Web Token is not signed, or is the one with which the format is explained.
fn is_example_token(value: &str) -> bool {
    let parts = value.starts_with("eyJ").then(|| value.split('.').take(2));
    // Programs write the JSON of a token with and without spaces, and `none` in any case.
    let mut parts =
        parts.into_iter().flatten().filter_map(decode_any_base64).map(|bytes| {
            String::from_utf8_lossy(&bytes).replace([' ', '\n'], "").to_ascii_lowercase()
        });
    parts.next().is_some_and(|head| head.contains(r#""alg":"none""#))
        // The subject alone does not suffice: real tokens have `1234567890`, too.
        || parts.next().is_some_and(|body| body.contains(r#""sub":"1234567890","name":"johndoe""#))
}

/// Returns whether a value has very few distinct letters.
fn is_monotonous(value: &str) -> bool {
    let mut letters: Vec<u8> = value.bytes().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() <= 3
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
