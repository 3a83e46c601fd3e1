//! Secrets that are recognised by the name of the value: `password`, `api_key`, `client_secret`.

use std::sync::LazyLock;

use regex::Regex;

use super::guard::{entropy, is_placeholder};
use super::{FoundSecret, SecretClass, SecretKind};
use crate::tape::verify::ignore::is_uuid;
use document::body::decode_base64;

const PASSWORD: SecretKind =
    SecretKind { name: "a password", label: "password", class: SecretClass::Key };
const KEY: SecretKind =
    SecretKind { name: "a key or token", label: "key", class: SecretClass::Key };

/// Fragments of names of secrets. They are short so that `Password`, `PASSWORD` and `password` need only a few.
pub(super) const MARKS: &[&str] = &[
    "assw",
    "ASSW",
    "assphr",
    "ASSPHR",
    "pwd",
    "PWD",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "pi_k",
    "pi-k",
    "PI_K",
    "PI-K",
    "piK",
    "pik",
    "PIK",
    "pi-K",
    "ApiK",
    "ess_k",
    "essK",
    "ess-k",
    "ESS_K",
    "ate_k",
    "ateK",
    "ATE_K",
    "uthoriz",
    "redential",
    "REDENTIAL",
    "ennwor",
    "hasł",
    "Hasł",
    "contrase",
    "Contrase",
    "achtwoord",
    "de passe",
];

/// The marks of passwords, which people also write in sentences.
const PASSWORD_MARKS: &str =
    "assw|ASSW|assphr|ASSPHR|ennwor|hasł|Hasł|contrase|Contrase|achtwoord|de passe";

/// Returns true if a value probably follows the name whose fragment ends at `end`: `"password": "…`, `token=…`.
pub(super) fn is_given(text: &str, end: usize) -> bool {
    // Bounded, so that a long run of letters is not read again for each mark in it.
    let mut bytes = text.as_bytes()[end..].iter().copied().take(80).peekable();
    let mut skip = |is_skipped: fn(u8) -> bool| {
        let mut count = 0;
        while bytes.next_if(|&byte| is_skipped(byte)).is_some() {
            count += 1;
        }
        (count, bytes.peek().copied())
    };
    let is_password = || PASSWORD_MARKS.split('|').any(|mark| text[..end].ends_with(mark));
    if is_password()
        && SENTENCE_REGEX.as_ref().is_some_and(|r| r.is_match(sentence_after(text, end)))
    {
        return true;
    }
    skip(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let (_, sign) = skip(|byte| b"\\\"' ".contains(&byte));
    // Before a comma, the name is itself a value, as in `{"name": "x-api-key", "value": "…"}`.
    if sign == Some(b',') {
        return true;
    }
    let (signs, _) = skip(|byte| b":=>".contains(&byte));
    skip(|byte| b" \\\n\r\t".contains(&byte));
    let (digits, next) = skip(|byte| byte.is_ascii_digit());
    let is_end = next.is_none_or(|byte| b",}] .\n\r{[".contains(&byte));
    // A short number is a count or a limit: `max_tokens: 4096`.
    signs > 0 && !(is_end && digits < 12)
}

/// The kind of value that a name announces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameHint {
    Password,
    Key,
    /// The name alone says little: `token`, `auth`.
    Perhaps,
}

fn name_hint(name: &str) -> Option<NameHint> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain_name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    let ends = |words: &str| words.split(' ').any(|word| plain_name.ends_with(word));
    let starts = |words: &str| words.split(' ').any(|word| plain_name.starts_with(word));
    // These tokens are places in a list, marks of web forms, or limits of a model.
    let is_position = starts("next page continuation sync csrf xsrf xcsrf cursor max stop");
    // The password of one connection of WebRTC, `a=ice-pwd:`, counts only while the connection is open.
    if is_position && ends("token") || ends("icepwd") {
        None
    } else if ends(
        // The letters of `hasło` and `contraseña` that are ASCII.
        "password passwd passphrase pwd userpass passwort kennwort haso haslo contrasea contrasena motdepasse wachtwoord senha",
    ) {
        Some(NameHint::Password)
    } else if ends(
        "apikey secret secretkey accesskey privatekey accesstoken refreshtoken authtoken sessiontoken bearertoken apitoken \
         signingkey encryptionkey",
    ) {
        Some(NameHint::Key)
    } else {
        ends("token authorization credential").then_some(NameHint::Perhaps)
    }
}

/// Returns whether a name announces a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    name_hint(name).is_some()
}

/// Returns the secret that a value is according to its name.
pub(super) fn under(name: &str, value: &str) -> Option<FoundSecret> {
    let hint = name_hint(name)?;
    // In `Basic dXNlcjpwYXNz`, the first word is no part of the secret.
    let start = match value.split_once(' ') {
        Some((scheme, _)) if matches!(scheme, "Basic" | "Bearer" | "Token" | "token") => {
            scheme.len() + 1
        }
        _ => 0,
    };
    let secret = &value[start..];
    let is_masked = |(_, password): (String, String)| is_placeholder(&password);
    if value.starts_with("Basic ") && login(secret).is_some_and(is_masked) {
        return None;
    }
    let is_secret = is_secret(hint, secret)
        // A scheme such as `Bearer` is followed by a credential, whatever that looks like.
        || start > 0 && secret.len() >= 8 && !secret.contains(' ') && !is_placeholder(secret);
    let kind = if hint == NameHint::Password { PASSWORD } else { KEY };
    is_secret.then_some(FoundSecret { kind, range: start..value.len() })
}

/// Decodes the name and the password in Base64 after `Basic`.
pub(super) fn login(base64: &str) -> Option<(String, String)> {
    let text = String::from_utf8(decode_base64(base64)?).ok()?;
    // A word that is Base64 by chance may decode to bytes with a colon, but hardly to text.
    let is_printable = !text.chars().any(char::is_control);
    let (name, password) = text.split_once(':').filter(|_| is_printable)?;
    (password.len() >= 3).then(|| (name.to_owned(), password.to_owned()))
}

fn is_secret(hint: NameHint, value: &str) -> bool {
    // The less the name says, the more the value itself must look like a key.
    let (min_bytes, min_bits) = match hint {
        NameHint::Password => (6, 2.2),
        NameHint::Key => (12, 3.0),
        NameHint::Perhaps => (20, 3.3),
    };
    let has_space = value.contains(char::is_whitespace);
    let is_long_enough = (min_bytes..=4096).contains(&value.len());
    // Identifiers have none of these: `transition_to_escalate`.
    let is_mixed =
        value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+?~".contains(&byte));
    // These are times, versions and counts; only a password may be a plain number.
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b".:-TZ".contains(&byte));
    let is_name = value.contains("://") || value.starts_with(['/', '.']);
    !has_space
        && is_long_enough
        && is_mixed
        && (!is_number || hint == NameHint::Password)
        && !is_name
        && !is_uuid(value)
        && !is_placeholder(value)
        && entropy(value) >= min_bits
}

/// A name, a sign and a value in running text, a log or an inner JSON.
static ASSIGNMENT_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?i)([a-z0-9_.-]{0,40}(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key))(?:\\?["'])? {0,4}(?::=|=>|[:=])\s{0,4}(?:\\?"([^"\\\s]{6,})|'([^'\s]{6,})|([^\s"'`\\,;&<>(){}\[\]]{6,}))"#;
    Regex::new(pattern).ok()
});

/// A password in a sentence, such as `my password for the portal is Sommer2024!`, in some languages: from the end of the mark on. What
/// follows must have a digit, and letters or signs. Its words have no limit, which would make it take long to build.
static SENTENCE_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"^\p{L}{0,4}(?: [\p{L}\p{N}'’-]+){0,6}?(?: (is|was|ist|war|lautet|to|brzmi|est|es)[: ]|:) ?["'„“”`«]{0,1}([^\s"'„“”`«»<>(){}\[\]]{6,64})"#;
    Regex::new(pattern).ok()
});

/// Returns the part of a text behind a mark in which [`SENTENCE_REGEX`] is looked for.
fn sentence_after(text: &str, end: usize) -> &str {
    // The expression matches at most some 210 characters.
    const MAX_BYTES: usize = 240;
    &text[end..text.floor_char_boundary(end + MAX_BYTES)]
}

/// Finds passwords in sentences.
fn in_sentences(text: &str) -> Vec<FoundSecret> {
    // Longer words are none of a sentence.
    const MAX_WORD_CHARS: usize = 20;
    let is_long = |word: &str| word.trim_end_matches(':').chars().count() > MAX_WORD_CHARS;
    let marks = PASSWORD_MARKS.split('|').flat_map(|mark| text.match_indices(mark));
    let mut secrets: Vec<FoundSecret> = marks
        .filter_map(|(at, mark)| {
            let end = at + mark.len();
            let captures = SENTENCE_REGEX.as_ref()?.captures(sentence_after(text, end))?;
            // `to` is a verb in Polish only.
            let is_place = captures.get(1).is_some_and(|verb| verb.as_str() == "to");
            let value = captures.get(2).filter(|_| !is_place || mark.ends_with('ł'))?;
            if text[end..end + value.start()].split(' ').any(is_long) {
                return None;
            }
            let secret = value.as_str().trim_end_matches(['.', ',', ';', ':', '?']);
            let has_char = |condition: fn(char) -> bool| secret.chars().any(condition);
            let is_word = has_char(|c| c.is_ascii_digit()) && has_char(|c| !c.is_ascii_digit());
            let start = end + value.start();
            (is_word && is_secret(NameHint::Password, secret))
                .then_some(FoundSecret { kind: PASSWORD, range: start..start + secret.len() })
        })
        .collect();
    // The marks were searched one after the other, so the finds are not in the order of the text.
    secrets.sort_by_key(|s| s.range.start);
    secrets
}

/// Finds what is given a name in the text itself, which [has a name](super::pattern::MarkedForms).
pub(super) fn assigned(text: &str) -> Vec<FoundSecret> {
    let Some(regex) = &*ASSIGNMENT_REGEX else { return Vec::new() };
    let secrets = regex.captures_iter(text).filter_map(|captures| {
        let name = captures.get(1)?;
        let value = (2..=4).find_map(|group| captures.get(group))?;
        let secret = under(name.as_str(), value.as_str())?;
        let range = value.start() + secret.range.start..value.start() + secret.range.end;
        Some(FoundSecret { range, ..secret })
    });
    secrets.chain(in_sentences(text)).collect()
}
