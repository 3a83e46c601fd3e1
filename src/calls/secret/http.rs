//! Secrets at known places of HTTP messages: cookies, keys in addresses, ids of accounts, and Base64.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use regex::Regex;

use super::custom::intern;
use super::guard::{entropy, is_placeholder};
use super::{CustomPatterns, FoundSecret, SecretClass, SecretKind, find, find_named, named};
use crate::tape::verify::ignore::is_uuid;
use document::body::{decode_any_base64, decode_escapes};

const SESSION_COOKIE: SecretKind = SecretKind {
    name: "the cookie of a session",
    label: "session-cookie",
    class: SecretClass::Key,
};
const ACCOUNT_COOKIE: SecretKind =
    SecretKind { name: "a cookie", label: "cookie", class: SecretClass::Account };
const ORGANIZATION: SecretKind = SecretKind {
    name: "the id of an organization or a project",
    label: "account-id",
    class: SecretClass::Account,
};

/// Headers whose value is the id of an account.
const ACCOUNT_HEADERS: [&str; 5] = [
    "openai-organization",
    "openai-project",
    "anthropic-organization-id",
    "anthropic-workspace-id",
    "x-goog-user-project",
];

/// Fields of addresses with a key whose names do not say so elsewhere.
// `key` is Google's, `sig` is of Azure's shared access signatures, `subscription-key` of Azure's API management.
const KEY_FIELDS: [&str; 3] = ["key", "sig", "subscription-key"];

/// The fewest letters of a `code` that is a key of Azure Functions, also without the `state` of a login.
const MIN_FUNCTION_KEY_BYTES: usize = 40;

/// Headers with a key whose names do not say so elsewhere.
const KEY_HEADERS: [&str; 7] = [
    "authentication",
    "ocp-apim-subscription-key",
    "x-access-key-id",
    "x-auth",
    "x-auth-key",
    "x-functions-key",
    "x-session-id",
];

/// Returns whether the value of a header with this lower-case name is a key, although its name does not say so elsewhere.
pub fn is_key_header(name: &str) -> bool {
    let endings = ["-jwt", "-credential", "-credentials"];
    KEY_HEADERS.contains(&name) || endings.iter().any(|end| name.ends_with(end))
}

/// Returns whether the name of a header shows that its value may be a secret.
pub fn names_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, "cookie" | "set-cookie")
        || ACCOUNT_HEADERS.contains(&&*name)
        || is_key_header(&name)
        || named::is_secret_name(&name)
}

/// Finds the secrets in the value of a header.
pub fn find_in_header(name: &str, value: &str, rules: &CustomPatterns) -> Vec<FoundSecret> {
    let name = name.to_ascii_lowercase();
    // Behind the first pair of `set-cookie` are its attributes.
    let cookies = match &*name {
        "cookie" => Some(usize::MAX),
        "set-cookie" => Some(1),
        _ => None,
    };
    if let Some(count) = cookies {
        let secrets = pairs(value, ';').take(count).flat_map(|pair| cookie(pair, rules)).collect();
        return allowed(value, secrets, rules);
    }
    let secrets = find_named(&name, value, rules);
    if !secrets.is_empty() {
        return secrets;
    }
    let secrets = match &*name {
        _ if ACCOUNT_HEADERS.contains(&&*name) => {
            let is_id = value.len() >= 6 && !is_placeholder(value);
            let range = 0..value.len();
            is_id.then_some(FoundSecret { kind: ORGANIZATION, range }).into_iter().collect()
        }
        _ if is_key_header(&name) => named::under("api_key", value).into_iter().collect(),
        _ => Vec::new(),
    };
    allowed(value, secrets, rules)
}

/// Finds the secrets in the query of an address, by the names of its fields.
pub fn find_in_query(query: &str, patterns: &CustomPatterns) -> Vec<FoundSecret> {
    // The code of a login (OAuth) is sent back with its `state`; others are codes of countries, languages or errors.
    let is_login = pairs(query, '&').any(|(name, ..)| name == "state");
    let fields = pairs(query, '&').filter_map(|(name, value, range)| {
        let plain_value = decode_escapes(value);
        let is_key = match &*name.to_ascii_lowercase() {
            "code" => is_login || plain_value.len() >= MIN_FUNCTION_KEY_BYTES,
            name => KEY_FIELDS.contains(&name),
        };
        // Checked as an authorization, whose value is long: short values of a field `key` are no secrets.
        let found = named::under("authorization", &plain_value).filter(|_| is_key)?;
        Some(FoundSecret { kind: found.kind, range })
    });
    allowed(query, fields.collect(), patterns)
}

fn allowed(text: &str, secrets: Vec<FoundSecret>, patterns: &CustomPatterns) -> Vec<FoundSecret> {
    secrets.into_iter().filter(|s| !patterns.allows(&text[s.range.clone()])).collect()
}

/// Returns the pairs of a list such as `a=b; c=d`, each with the place of its value.
fn pairs(text: &str, separator: char) -> impl Iterator<Item = (&str, &str, Range<usize>)> {
    text.split(separator).filter_map(move |pair| {
        let (name, value) = pair.split_once('=')?;
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        Some((name.trim(), value, start..start + value.len()))
    })
}

/// The beginnings of the names of cookies with which firewalls and load balancers know a client: they give no access.
const FIREWALL_COOKIES: &str = "__cf _cf cf_ __ddg _abck ak_ akavpau bm_ aws-waf-token awsalb arraffinity bigipserver citrix_ns_id \
                                datadome hwwafses incap_ visid_incap nlbi_ reese84 rdwr ts01";

/// Returns the kind of a cookie with its name, which is text from a file: only a token of HTTP, and not of any length.
fn named_cookie(name: &str, is_session: bool) -> SecretKind {
    const MAX_NAME_BYTES: usize = 48;
    let kind = if is_session { SESSION_COOKIE } else { ACCOUNT_COOKIE };
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(is_token) {
        return kind;
    }
    let kind_name = if is_session { "session cookie" } else { "cookie" };
    let name = intern(&format!("the {kind_name} `{name}`")).unwrap_or(kind.name);
    SecretKind { name, ..kind }
}

/// Returns the keys in the value of a cookie; else the cookie if it identifies a client, by its name and its value.
fn cookie(
    (name, value, range): (&str, &str, Range<usize>),
    patterns: &CustomPatterns,
) -> Vec<FoundSecret> {
    let mut keys = find(value, patterns);
    for key in &mut keys {
        key.range = range.start + key.range.start..range.start + key.range.end;
    }
    if !keys.is_empty() {
        return keys;
    }
    let id = name.to_ascii_lowercase();
    // Google's session cookies are `SID`, `__Secure-1PSIDTS` and `LSOLH`, with values such as `g.a000…` and `sidts-…`.
    let parts = ["sess", "auth", "token", "jwt", "login", "remember", "psid", "lsolh"];
    let is_firewall = FIREWALL_COOKIES.split_whitespace().any(|start| id.starts_with(start));
    let is_session = !is_firewall
        && (parts.iter().any(|part| id.contains(part))
            || id.ends_with("sid")
            || value.starts_with("sidts-")
            || value.starts_with("g.a000"));
    let plain_value = decode_escapes(value);
    let has_digit = plain_value.bytes().any(|byte| byte.is_ascii_digit());
    // Settings that sites store, such as a language, are shorter or plainer.
    let is_random = plain_value.len() >= 16 && has_digit && entropy(&plain_value) >= 3.0;
    let is_id = (is_random || is_uuid(&plain_value)) && !is_placeholder(&plain_value);
    is_id.then(|| FoundSecret { kind: named_cookie(name, is_session), range }).into_iter().collect()
}

const fn account(name: &'static str) -> SecretKind {
    SecretKind { name, label: "account-id", class: SecretClass::Account }
}

/// The forms of ids of accounts; the group is the id.
static ACCOUNTS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    let aws = account("the id of an AWS account");
    let google = account("the number of a Google project");
    let forms = [
        (aws, r"arn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:([0-9]{12}):"),
        (aws, r"(?i)//(?:[a-z0-9-]*[.-])?([0-9]{12})(?:[.-][a-z0-9.-]*)?\.amazonaws\.com"),
        (google, r"(?-u:\b)projects/([0-9]{6,20})(?:[^0-9A-Za-z-]|$)"),
        (google, r"//(?:[a-z0-9-]*-)?([0-9]{6,20})(?:\.[a-z0-9-]+)?\.run\.app"),
        (google, r"(?-u:\b)([0-9]{6,20})-[a-z0-9]+\.apps\.googleusercontent\.com"),
        (google, r"(?-u:\b)([0-9]{6,20})-compute@developer\.gserviceaccount\.com"),
    ]
    .into_iter();
    forms.filter_map(|(kind, form)| Some((kind, Regex::new(form).ok()?))).collect()
});

/// Finds the texts without which there is no id of an account.
static ACCOUNT_MARKS: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    Searcher::new(["arn:aws", "projects/", "amazonaws.com", ".run.app", "google", "gservice"])
});

/// Finds the ids of accounts in a text, in order. Numbers of examples are none.
pub fn find_accounts(text: &str, patterns: &CustomPatterns) -> Vec<FoundSecret> {
    let is_unmarked = |marks: &Searcher| marks.find(text).is_none();
    if ACCOUNT_MARKS.as_ref().is_some_and(is_unmarked) {
        return Vec::new();
    }
    let secrets = ACCOUNTS.iter().flat_map(|(kind, form)| {
        let matches = form.captures_iter(text);
        let ids = matches.filter_map(|c| c.get(1)).filter(|id| !is_example_number(id.as_str()));
        ids.map(|id| FoundSecret { kind: *kind, range: id.range() })
    });
    let mut secrets = allowed(text, secrets.collect(), patterns);
    secrets.sort_by_key(|s| s.range.start);
    // Two forms may find the same number.
    secrets.dedup_by_key(|s| s.range.start);
    secrets
}

/// Returns whether a number only counts up, as `123456789012`, or has hardly any digits, as `111122223333`.
fn is_example_number(digits: &str) -> bool {
    let counts_up = |pair: &[u8]| (pair[1] + 10 - pair[0]) % 10 == 1;
    digits.as_bytes().windows(2).all(counts_up) || is_placeholder(digits)
}

/// The least length of a text in Base64 that is decoded: shorter ones have no room for a secret.
pub const MIN_BASE64_BYTES: usize = 24;

/// Returns the texts that are in a text in Base64, each with its place.
pub fn base64_texts(text: &str) -> Vec<(Range<usize>, String)> {
    /// The beginning decides whether the rest is decoded: pictures are long.
    const HEAD_BYTES: usize = 32;
    const LETTERS: [bool; 256] = {
        let mut letters = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            letters[byte] = matches!(byte as u8, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_');
            byte += 1;
        }
        letters
    };
    let is_letter = |byte: &u8| LETTERS[usize::from(*byte)];
    // The first bytes of pictures and of compressed data have control characters.
    let is_text = |data: &[u8]| {
        let control = |byte: &u8| byte.is_ascii_control() && !b"\t\r\n".contains(byte);
        !data.iter().any(control)
    };
    let decode = |run: &str| {
        // No Base64 has one letter more than a multiple of four: the last letter belongs to the text after it.
        let base64 = &run[..run.len() - usize::from(run.len() % 4 == 1)];
        decode_any_base64(base64).filter(|data| is_text(data))
    };
    let data = text.as_bytes();
    let (mut texts, mut at) = (Vec::new(), 0);
    // Every run that is long enough contains the last byte of a window of this length: others are looked at only beside a letter.
    while let Some((last, head)) = data[at..].get(..MIN_BASE64_BYTES).and_then(<[u8]>::split_last) {
        if !is_letter(last) {
            at += MIN_BASE64_BYTES;
            continue;
        }
        let start = at + head.iter().rposition(|byte| !is_letter(byte)).map_or(0, |i| i + 1);
        let tail = data[at + MIN_BASE64_BYTES..].iter();
        let end = at + MIN_BASE64_BYTES + tail.take_while(|byte| is_letter(byte)).count();
        if end - start >= MIN_BASE64_BYTES {
            let run = &text[start..end];
            let is_likely = decode(&run[..run.len().min(HEAD_BYTES)]).is_some();
            let content = is_likely.then(|| decode(run)).flatten();
            if let Some(inner_text) = content.and_then(|data| String::from_utf8(data).ok()) {
                texts.push((start..end, inner_text));
            }
        }
        at = (end + 1).min(data.len());
    }
    texts
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, found: Vec<FoundSecret>) -> String {
        let found = found.into_iter().map(|s| format!("{}: {}", s.kind.label, &text[s.range]));
        found.collect::<Vec<_>>().join(", ")
    }

    fn header(name: &str, value: &str) -> String {
        shown(value, find_in_header(name, value, &CustomPatterns::default()))
    }

    #[test]
    fn headers_are_known_by_their_names() {
        let lines = [
            header(
                "Set-Cookie",
                "__cf_bm=jQ2l1nB3xK.9s0aPq7; path=/; expires=Wed, 01 Jan 2025 00:00:00 GMT; token=a",
            ),
            header(
                "cookie",
                "lang=en; sessionid=38afes7a8d91c0b2e4f6; JSESSIONID=REDACTED; sid=2f1c5a4e-0b1d-4c6e-8f3a-9b7d5e1c2a40",
            ),
            header("set-cookie", "theme=dark-mode-and-more"),
            header("OpenAI-Organization", "user-ab3kq91m"),
            header("openai-project", "REDACTED"),
            header("anthropic-organization-id", "scrubbed"),
            header("Ocp-Apim-Subscription-Key", "8f3e9d1c7b5a4e2f"),
            header("x-api-key", "8f3e9d1c7b5a4e2f"),
            header("x-request-id", "8f3e9d1c7b5a4e2f"),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        cookie: jQ2l1nB3xK.9s0aPq7
        session-cookie: 38afes7a8d91c0b2e4f6, session-cookie: 2f1c5a4e-0b1d-4c6e-8f3a-9b7d5e1c2a40

        account-id: user-ab3kq91m


        key: 8f3e9d1c7b5a4e2f
        key: 8f3e9d1c7b5a4e2f
        ");
    }

    #[test]
    fn keys_of_addresses_are_known_by_their_names() {
        let query = |text: &str| shown(text, find_in_query(text, &CustomPatterns::default()));
        assert_eq!(
            query("v=1&key=9f8e7d6c5b4a39281706f5e4&sig=a%2Bb%2F9d8c7e6f5a4b3c2d1e0f9g8h"),
            "key: 9f8e7d6c5b4a39281706f5e4, key: a%2Bb%2F9d8c7e6f5a4b3c2d1e0f9g8h"
        );
        assert_eq!(query("key=name&sig=1&alt=sse"), "");
        let code = "4/0AX4XfWh9f8e7d6c5b4a39";
        assert_eq!(query(&format!("code={code}")), "");
        assert_eq!(query(&format!("state=x1&code={code}")), format!("key: {code}"));
    }

    #[test]
    fn names_of_headers_say_what_is_a_key() {
        let value = "8f3e9d1c7b5a4e2f";
        for name in [
            "X-Auth",
            "Authentication",
            "X-Session-Id",
            "Cf-Access-Jwt",
            "X-Amz-Credential",
            "X-Access-Key-Id",
            "X-Auth-Key",
            "x-functions-key",
        ] {
            assert_eq!(header(name, value), format!("key: {value}"), "{name}");
            assert_eq!(header(name, "REDACTED-12345678"), "", "{name}");
        }
        for name in [
            "x-request-id",
            "x-monkey",
            "idempotency-key",
            "x-csrf-token",
            "sec-websocket-key",
            "x-author",
        ] {
            assert_eq!(header(name, value), "", "{name}");
        }
    }

    #[test]
    fn a_cookie_is_called_by_its_name_and_that_of_a_firewall_gives_no_access() {
        let kind = |name: &str, value: &str| {
            let text = format!("{name}={value}");
            let secrets = find_in_header("cookie", &text, &CustomPatterns::default());
            secrets
                .iter()
                .map(|s| format!("{:?} {}", s.kind.class, s.kind.name))
                .collect::<String>()
        };
        let value = "38afes7a8d91c0b2e4f6";
        for name in
            ["LSID", "HSID", "SAPISID", "__Secure-3PSIDTS", "sessionid", "PHPSESSID", "connect.sid"]
        {
            assert_eq!(kind(name, value), format!("Key the session cookie `{name}`"));
        }
        assert_eq!(kind("id", "g.a0008f3e9d1c7b5a4e2f"), "Key the session cookie `id`");
        for name in ["__cf_bm", "HWWAFSESID", "aws-waf-token", "incap_ses_1_2", "theme2"] {
            assert_eq!(kind(name, value), format!("Account the cookie `{name}`"));
        }
        assert_eq!(kind("s{x}id", value), "Account a cookie");
        assert_eq!(kind(&"s".repeat(60), value), "Account a cookie");
        assert_eq!(kind("SID", "REDACTED-SESSION-1"), "");
        assert_eq!(kind("SID", "{{ session_1234567 }}"), "");
    }

    #[test]
    fn ids_of_accounts_are_known_by_their_forms() {
        let accounts = |text: &str| shown(text, find_accounts(text, &CustomPatterns::default()));
        let lines = [
            accounts(
                "arn:aws:bedrock:us-east-1:380917264509:inference-profile/x and arn:aws:iam::123456789012:role/x",
            ),
            accounts(
                "https://380917264509.dkr.ecr.us-east-1.amazonaws.com/ https://bedrock-runtime.us-east-1.amazonaws.com/",
            ),
            accounts("https://logs-380917264509.s3.amazonaws.com/"),
            accounts(
                "https://a.googleapis.com/v1/projects/748392016534/locations projects/my-1 projects/1234567-a/",
            ),
            accounts(
                "https://mail-748392016534.europe-west1.run.app/ 748392016534-ab1.apps.googleusercontent.com",
            ),
            accounts("arn:aws:iam::111122223333:role/x"),
        ];
        insta::assert_snapshot!(lines.join("\n"), @"
        account-id: 380917264509
        account-id: 380917264509
        account-id: 380917264509
        account-id: 748392016534
        account-id: 748392016534, account-id: 748392016534
        ");
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn base64_is_decoded_wherever_it_is(
            parts in proptest::collection::vec(("[ \\\\\"=é]{0,3}", "[a-z ]{0,40}"), 0..5),
        ) {
            let parts = parts.iter().map(|(separator, inner)| format!("{separator}{}", STANDARD.encode(inner)));
            let text: String = parts.collect();
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
            let runs = text.split(|c| !is_letter(c)).filter(|run| run.len() >= MIN_BASE64_BYTES);
            let start = |run: &str| run.as_ptr() as usize - text.as_ptr() as usize;
            let runs: Vec<_> = runs.map(|run| start(run)..start(run) + run.len()).collect();
            let ranges: Vec<_> = base64_texts(&text).into_iter().map(|(range, _)| range).collect();
            // A run of several that were joined may be no text.
            prop_assert!(ranges.iter().all(|range| runs.contains(range)), "{}", text);
            let is_alone = |range: &&Range<usize>| text[range.end..].starts_with('=') || range.len().is_multiple_of(4);
            let first = runs.first().filter(|range| range.start == 0 && is_alone(range));
            prop_assert!(first.is_none_or(|first| ranges.contains(first)), "{}", text);
        }
    }

    #[test]
    fn texts_in_base64_are_decoded() {
        let texts = base64_texts(
            "a eyJ0b2tlbiI6ICJ4In0gYW5kIG1vcmU= api/v1/chat/completions/of/all iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYA",
        );
        assert_eq!(texts, [(2..33, "{\"token\": \"x\"} and more".to_owned())]);
    }
}
