//! Masks the credentials of a client in everything that is stored of a call.
//!
//! Servers repeat credentials, for example in an error that names the refused key or in a debugging response with all
//! headers. The recorder knows the values, so it masks them in any form, also across chunk borders and in JSON escapes.

use std::fmt;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;

use calls::decoded_view::{Part, TextName, TextSearch, replace_in_text};
use calls::secret::{Mask, is_key_header};
use document::body::{decode_base64, decode_escapes};
use document::text::{counted, with_replaced};

/// The credentials of one call. They are never written.
#[derive(Clone, Default)]
pub struct Credentials {
    /// Longest first.
    secrets: Vec<String>,
    /// Finds all forms of the secrets in a text without backslashes, of two with the same beginning the longer one.
    finder: Option<AhoCorasick>,
    /// For each form the number of its secret, from 1.
    numbers: Vec<usize>,
}

/// Shorter values are not secrets and occur in any text: `on`, `test`, `dark`.
const MIN_SECRET_BYTES: usize = 8;

impl Credentials {
    /// Collects the credentials of a request: its headers `authorization`, `proxy-authorization`, `cookie` and all
    /// whose names contain a word for a key, a token, a secret or a password, and its query parameters with such names.
    /// Values of fewer than 8 characters are left out.
    pub fn from_request<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        query: Option<&str>,
    ) -> Self {
        let mut all = Self::default();
        for (name, value) in headers {
            let value = String::from_utf8_lossy(value);
            match name.to_ascii_lowercase().as_str() {
                "authorization" | "proxy-authorization" => all.add_authorization(&value),
                "cookie" => {
                    let values = value.split(';').filter_map(|pair| pair.split_once('='));
                    // Cookies may be quoted; what a server repeats is the value.
                    values.for_each(|(_, value)| all.add(value.trim().trim_matches('"')));
                }
                name if is_name_of_secret(name) => all.add(&value),
                _ => {}
            }
        }
        let pairs = query.unwrap_or_default().split('&');
        for (name, value) in pairs.filter_map(|pair| pair.split_once('=')) {
            if is_name_of_secret(&name.to_ascii_lowercase()) {
                all.add(value);
                // Servers repeat a parameter as it was sent, or decoded.
                all.add(&decode_escapes(value));
            }
        }
        all.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let secrets = all.secrets.iter().enumerate();
        let forms = secrets.flat_map(|(a, s)| forms(s).into_iter().map(move |form| (a + 1, form)));
        let (numbers, forms): (Vec<usize>, Vec<String>) = forms.unzip();
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest);
        all.finder = (!forms.is_empty()).then(|| builder.build(forms).ok()).flatten();
        all.numbers = numbers;
        all
    }

    /// Adds the value after the scheme; for `Basic` also the password.
    fn add_authorization(&mut self, value: &str) {
        let value = value.trim();
        let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
        self.add(rest);
        if scheme.eq_ignore_ascii_case("basic")
            && let Some(decoded_bytes) = decode_base64(rest.trim())
            && let Some((_, password)) = String::from_utf8_lossy(&decoded_bytes).split_once(':')
        {
            self.add(password);
        }
    }

    fn add(&mut self, secret: &str) {
        let secret = secret.trim();
        if secret.len() >= MIN_SECRET_BYTES && !self.secrets.iter().any(|other| other == secret) {
            self.secrets.push(secret.to_owned());
        }
    }

    /// Returns a text without credentials, and without keys of published forms.
    pub fn hide(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        self.mask(&mut hidden);
        Mask::default().apply(&hidden).into_owned()
    }

    /// Returns the path and the query of an address without parameters that hold a secret.
    pub fn public_address(&self, path: &str, query: Option<&str>) -> String {
        let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        let is_public = |pair: &&str| !pair.is_empty() && !is_name_of_secret(&name(pair));
        let pairs = query.unwrap_or_default().split('&');
        let query = pairs.filter(is_public).collect::<Vec<_>>().join("&");
        self.hide(&if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") })
    }

    /// Masks a text and returns the number of replacements.
    pub(super) fn mask(&self, text: &mut String) -> usize {
        let places = self.find(text);
        if !places.is_empty() {
            let words = places.iter().cloned();
            let words: Vec<(Range<usize>, String)> =
                words.map(|(range, number)| (range, placeholder(number))).collect();
            *text = with_replaced(text, &words);
        }
        places.len()
    }

    /// Masks the text of an answer, also where a secret spans several events.
    pub(super) fn mask_streamed(&self, text: &mut String) {
        if self.finder.is_some() {
            *text = replace_in_text(text, &mut &*self);
            self.mask(text);
        }
    }

    /// Masks the strings inside JSON, which remains valid.
    pub(super) fn mask_json(&self, json: &mut String) -> usize {
        if self.secrets.is_empty() {
            return 0;
        }
        let (mut masked_json, mut rest, mut times) = (String::new(), json.as_str(), 0);
        while let Some((head, string)) = rest.split_once('"') {
            let end = string_end(string);
            let mut inner = string[..end].to_owned();
            times += self.mask(&mut inner);
            masked_json.extend([head, "\"", &inner, "\""]);
            rest = string.get(end + 1..).unwrap_or_default();
        }
        if times > 0 {
            masked_json += rest;
            *json = masked_json;
        }
        times
    }

    /// Masks the fragments of an answer, each a JSON string, also where a secret spans several.
    pub(super) fn mask_pieces(&self, pieces: &mut [(f64, String)]) -> usize {
        if self.secrets.is_empty() {
            return 0;
        }
        let mut joined_text = String::new();
        let mut ranges = Vec::with_capacity(pieces.len());
        for (_, text) in &*pieces {
            let start = joined_text.len();
            joined_text += inner(text);
            ranges.push(start..joined_text.len());
        }
        let places = self.find(&joined_text);
        let mut next = 0;
        for (range, (_, text)) in ranges.into_iter().zip(pieces) {
            while places.get(next).is_some_and(|(place, _)| place.end <= range.start) {
                next += 1;
            }
            let mut of_piece =
                places[next..].iter().take_while(|(place, _)| place.start < range.end).peekable();
            if of_piece.peek().is_none() {
                continue;
            }
            let mut masked_piece = String::from("\"");
            let mut at = range.start;
            for (place, number) in of_piece {
                if place.start >= range.start {
                    masked_piece += &joined_text[at..place.start];
                    masked_piece += &placeholder(*number);
                }
                at = place.end.min(range.end);
            }
            masked_piece += &joined_text[at..range.end];
            masked_piece.push('"');
            *text = masked_piece;
        }
        places.len()
    }

    /// Finds secrets in order, each with its number, in one pass. The text may be JSON, or JSON inside JSON: each character of a
    /// secret may be preceded by backslashes or written as `\uXXXX`.
    fn find(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let Some(finder) = &self.finder else { return Vec::new() };
        let view = PlainText::new(text);
        let places = finder.find_iter(&view.text).map(|hit| {
            (view.place(hit.start())..view.place(hit.end()), self.numbers[hit.pattern().as_usize()])
        });
        places.collect()
    }
}

impl TextSearch for &Credentials {
    fn search(&mut self, text: &str, _: TextName<'_>) -> Vec<Part> {
        let part = |(range, number)| Part { range, new: placeholder(number), ..Part::default() };
        self.find(text).into_iter().map(part).collect()
    }

    fn marks(&self, text: &str) -> Option<Vec<usize>> {
        Some(self.find(text).into_iter().map(|(range, _)| range.start).collect())
    }
}

/// A text without its backslashes, and with its escapes decoded.
struct PlainText {
    text: String,
    /// Beginnings of characters that were not directly behind the one before: its places in the plain text and in the other one.
    jumps: Vec<(usize, usize)>,
}

impl PlainText {
    fn new(source: &str) -> Self {
        let mut plain = Self { text: String::with_capacity(source.len()), jumps: vec![(0, 0)] };
        let mut at = 0;
        while at < source.len() {
            let next = memchr::memchr(b'\\', &source.as_bytes()[at..])
                .map_or(source.len(), |ahead| at + ahead);
            plain.text.push_str(&source[at..next]);
            let behind = source[next..].trim_start_matches('\\');
            let digits = behind.strip_prefix('u').and_then(|rest| rest.get(..4));
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let (character, len) = match (code, behind.chars().next()) {
                // Half of a surrogate pair becomes NUL, which no header contains.
                (Some(code), _) => (char::from_u32(code).unwrap_or_default(), "uXXXX".len()),
                (None, Some(first)) => (first, first.len_utf8()),
                (None, None) => break,
            };
            plain.jumps.push((plain.text.len(), next));
            plain.text.push(character);
            at = source.len() - behind.len() + len;
            plain.jumps.push((plain.text.len(), at));
        }
        plain
    }

    /// Returns the place in the written text of a place in the plain one: of an escape, where its backslashes begin.
    fn place(&self, at: usize) -> usize {
        let next = self.jumps.partition_point(|(plain, _)| *plain <= at);
        self.jumps.get(next.saturating_sub(1)).map_or(at, |(plain, offset)| offset + (at - plain))
    }
}

/// Hides the secrets from debug output.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({})", self.secrets.len())
    }
}

/// Returns the replacement of a secret.
fn placeholder(number: usize) -> String {
    format!("[redacted-credential-{number}]")
}

/// Returns whether a header or parameter with this lower-case name holds a secret.
fn is_name_of_secret(name: &str) -> bool {
    let ends = ["key", "token", "secret", "password", "signature"];
    // `sig` signs addresses of Azure's storage; a `code` is exchanged for a token (OAuth) or is a key (Azure's functions).
    let is_named = ends.iter().any(|end| name.ends_with(end)) || ["sig", "code"].contains(&name);
    is_named || is_key_header(name)
}

/// Returns a secret as it is found in a text without backslashes: itself, with escapes of addresses, and what Base64 makes of its bytes
/// wherever they are in the encoded text.
fn forms(secret: &str) -> Vec<String> {
    /// Shorter texts in Base64 occur by chance.
    const MIN_ENCODED_BYTES: usize = 12;
    let plain = secret.replace('\\', "");
    // Encoders write hex digits in either case.
    let mut forms = vec![percent_encoded(&plain, false), percent_encoded(&plain, true)];
    // Base64 encodes three bytes at a time, so the letters depend on where in a group the secret begins.
    for offset in 0..3 {
        let padded = [&b"\0\0\0"[..offset], secret.as_bytes()].concat();
        let base64 = BASE64_STANDARD_NO_PAD.encode(&padded);
        // The first and last letters depend on the bytes beside the secret.
        let byte_count = padded.len() * 8 / 6;
        let sure = base64.get((offset * 8).div_ceil(6)..byte_count).unwrap_or_default();
        if sure.len() >= MIN_ENCODED_BYTES {
            // The alphabet of Base64 for addresses.
            forms.push(sure.replace('+', "-").replace('/', "_"));
            forms.push(sure.to_owned());
        }
    }
    forms.push(plain);
    forms.retain(|form| form.len() >= MIN_SECRET_BYTES);
    forms.sort();
    forms.dedup();
    forms
}

/// Writes all but letters and digits as escapes of addresses, without the characters that no encoder escapes.
fn percent_encoded(text: &str, is_upper: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match (byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte), is_upper) {
            (true, _) => encoded.push(char::from(byte)),
            (false, true) => encoded += &format!("%{byte:02X}"),
            (false, false) => encoded += &format!("%{byte:02x}"),
        }
    }
    encoded
}

/// Returns the length of the character or escape at the start of a text.
fn unit(text: &str) -> usize {
    let mut chars = text.chars();
    let first = chars.next().map_or(0, char::len_utf8);
    match (text.as_bytes().first(), chars.next()) {
        (Some(b'\\'), Some('u')) => text.floor_char_boundary(6),
        (Some(b'\\'), Some(second)) => first + second.len_utf8(),
        _ => first,
    }
}

/// Returns where a JSON string ends, given the text after its opening quote.
fn string_end(text: &str) -> usize {
    let mut at = 0;
    while at < text.len() && !text[at..].starts_with('"') {
        at += unit(&text[at..]);
    }
    at.min(text.len())
}

/// Returns a JSON string without its quotes.
fn inner(json: &str) -> &str {
    let json = json.strip_prefix('"').unwrap_or(json);
    json.strip_suffix('"').unwrap_or(json)
}

/// Returns a note on how often credentials were masked, as a sentence without a full stop; `None` if none were.
pub(super) fn note(in_request: usize, in_answer: usize) -> Option<String> {
    let times = |count: usize, place: &str| {
        let times = counted(count, "time", "times");
        (count > 0).then(|| format!("{times} in the {place}"))
    };
    let places: Vec<String> =
        [times(in_request, "request"), times(in_answer, "answer")].into_iter().flatten().collect();
    (!places.is_empty())
        .then(|| format!("Credentials that the client sent are masked, {}", places.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: [(&str, &[u8]); 6] = [
        ("Authorization", b"Bearer sk-ant-1/234+5=="),
        ("Proxy-Authorization", b"Basic dXNlcjpodW50ZXIyLWxvbmc="),
        ("x-goog-api-key", b"AIzaSy-6789"),
        ("cookie", b"theme=dark; session=\"0a1b2c3d4e\""),
        ("x-request-id", b"no-secret-at-all"),
        ("api-key", b"short"),
    ];

    fn credentials() -> Credentials {
        Credentials::from_request(HEADERS, Some("alt=sse&key=in%2Fquery-1&x=no-secret"))
    }

    fn masked(text: &str) -> String {
        let mut text = text.to_owned();
        credentials().mask(&mut text);
        text
    }

    #[test]
    fn what_a_client_proves_itself_with_is_masked_and_nothing_else() {
        let text = "sk-ant-1/234+5==|dXNlcjpodW50ZXIyLWxvbmc=|hunter2-long|AIzaSy-6789|0a1b2c3d4e|in%2Fquery-1|in/query-1|dark short no-secret-at-all no-secret sk-ant-1";
        let masked_text = masked(text);
        let parts: Vec<&str> = masked_text.split('|').collect();
        let words = &parts[..7];
        assert!(
            words
                .iter()
                .all(|word| word.starts_with("[redacted-credential-") && word.ends_with(']')),
            "{masked_text}"
        );
        assert_eq!(parts[7], "dark short no-secret-at-all no-secret sk-ant-1");
        assert_eq!(format!("{:?}", credentials()), "Credentials(7)");
    }

    #[test]
    fn escapes_hide_no_secret() {
        for text in [
            r"sk-ant-1\/234+5==",
            r"sk-ant-1/234\u002b5\u003d\u003D",
            r#"\\\"sk-ant-1\\/234\\u002b5=\\u003d\\\""#,
            r"\u0073k-ant-1/234+5==",
        ] {
            let masked_text = masked(text);
            assert!(masked_text.contains("[redacted-credential-"), "{masked_text}");
            assert!(!masked_text.contains("234"), "{masked_text}");
        }
        let hex = Credentials::from_request([("x-api-key", b"e9-secret".as_slice())], None);
        let mut text = r"\u00e9-secret \\ \n".to_owned();
        assert_eq!(hex.mask(&mut text), 0, "no escape is cut");
    }

    #[test]
    fn a_secret_that_chunks_cut_is_masked_in_the_first_of_them() {
        let texts = [
            r#""My key is sk-""#,
            r#""""#,
            r#""ant-1\/23""#,
            r#""4+5==. And AIza""#,
            r#""Sy-6789""#,
            r#""!""#,
        ];
        let mut pieces: Vec<(f64, String)> =
            texts.iter().map(|text| (1.0, (*text).to_owned())).collect();
        assert_eq!(credentials().mask_pieces(&mut pieces), 2);
        let texts: Vec<&str> = pieces.iter().map(|(_, text)| text.as_str()).collect();
        let word = |secret: &str| {
            let mut word = secret.to_owned();
            credentials().mask(&mut word);
            word
        };
        let first = format!("\"My key is {}\"", word("sk-ant-1/234+5=="));
        let fourth = format!("\". And {}\"", word("AIzaSy-6789"));
        assert_eq!(texts, [&*first, "\"\"", "\"\"", &*fourth, "\"\"", "\"!\""]);
    }

    #[test]
    fn a_secret_is_masked_as_it_is_encoded() {
        let key = "sk-ant-1/234+5==";
        for padding in ["", "a", "ab", "abc:"] {
            let encoded = BASE64_STANDARD_NO_PAD.encode(format!("{padding}{key}{padding}"));
            for text in [&encoded, &encoded.replace('/', "_").replace('+', "-")] {
                let masked_text = masked(text);
                assert!(masked_text.contains("[redacted-credential-"), "{masked_text}");
                assert!(masked_text.len() < "[redacted-credential-1]".len() + 16, "{masked_text}");
            }
        }
        for text in ["sk-ant-1%2F234%2B5%3D%3D", "sk-ant-1%2f234%2b5%3d%3d"] {
            assert!(masked(text).starts_with("[redacted-credential-"), "{text}");
        }
        assert_eq!(credentials().hide("model sk-ant-1/234+5=="), masked("model sk-ant-1/234+5=="));
        let token = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        assert_eq!(Credentials::default().hide(&token), "ghp_…");
    }

    #[test]
    fn runs_of_one_character_take_no_longer_than_other_text() {
        // Each took minutes when runs were skipped at each of their places.
        for run in ["\\", "\\\\u", "%", "\"", "sk-ant-1/234+5==", "\\u0073"] {
            let mut text = run.repeat(1_000_000);
            credentials().mask(&mut text);
            let mut json = format!("[\"{}\"]", "\\\\".repeat(500_000));
            assert_eq!(credentials().mask_json(&mut json), 0);
        }
    }

    #[test]
    fn a_request_stays_json() {
        let digits = Credentials::from_request([("x-api-key", b"12345678".as_slice())], None);
        let mut json = r#"{"a\"12345678":12345678,"b":["\\",{"c":"x12345678"}]}"#.to_owned();
        assert_eq!(digits.mask_json(&mut json), 2);
        assert_eq!(
            json,
            r#"{"a\"[redacted-credential-1]":12345678,"b":["\\",{"c":"x[redacted-credential-1]"}]}"#
        );
    }
}
