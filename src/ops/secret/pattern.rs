//! Finds keys by the [forms](super::format) that their issuers publish.

use std::sync::OnceLock;

use regex::Regex;

use super::format::{Certainty, FORMATS, SecretFormat};
use super::guard::{entropy, is_inside_base64, is_part_of_word, is_placeholder};
use super::marker_search::{MARKS, MarkGroup};
use super::{FoundSecret, SecretKind, named};

/// Each form's expression, made when it is first needed.
static REGEXES: [OnceLock<Option<Regex>>; FORMATS.len()] =
    [const { OnceLock::new() }; FORMATS.len()];

/// What a fast scan of a text says of its secrets.
pub(super) struct MarkedForms {
    /// Whether there is a mark of each form.
    is_marked: [bool; FORMATS.len()],
    /// Whether there is the name of a secret that is given a value.
    pub(super) has_name: bool,
}

impl MarkedForms {
    pub(super) fn find(text: &str) -> Self {
        let mut forms = Self {
            is_marked: [false; FORMATS.len()],
            has_name: false,
        };
        MARKS.each(text, &mut |group, _, end| match group {
            MarkGroup::Form(number) => forms.is_marked[number] = true,
            MarkGroup::Name => forms.has_name |= named::is_given(text, end),
        });
        forms
    }

    /// Returns whether the text may contain a secret in one of the forms.
    pub(super) fn has_any(&self) -> bool {
        self.is_marked.contains(&true)
    }
}

/// Finds what has one of the forms that a text has marks of.
pub(super) fn find(text: &str, forms: &MarkedForms) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    for ((form, regex), is_marked) in FORMATS.iter().zip(&REGEXES).zip(forms.is_marked) {
        let Some(regex) = is_marked
            .then(|| regex.get_or_init(|| Regex::new(form.regex).ok()).as_ref())
            .flatten()
        else {
            continue;
        };
        for captures in regex.captures_iter(text) {
            let Some(all) = captures.get(0) else { continue };
            let secret = captures.get(1).unwrap_or(all);
            if form.is_certain(text, all.range(), secret.as_str()) {
                let kind = SecretKind {
                    name: form.name,
                    label: form.label,
                    class: form.class,
                };
                found.push(FoundSecret {
                    kind,
                    range: secret.range(),
                });
            }
        }
    }
    found
}

impl SecretFormat {
    fn is_certain(&self, text: &str, all: std::ops::Range<usize>, secret: &str) -> bool {
        let is_separate = || {
            !is_part_of_word(text, all.start, all.end)
                && !is_inside_base64(text, all.start, all.end)
        };
        let is_real = || !secret.ends_with("EXAMPLE") && !is_placeholder(secret);
        match self.certainty {
            Certainty::Always => !is_placeholder(secret) && !is_common(secret),
            Certainty::Alone => is_separate() && is_real(),
            Certainty::Random => {
                let digits = secret.bytes().filter(u8::is_ascii_digit).count();
                is_separate() && is_real() && digits >= 2 && entropy(secret) >= 3.3
            }
            Certainty::Login => login(secret).is_some_and(|(name, password)| {
                !name.is_empty() && !is_placeholder(&password) && !is_common(&password)
            }),
            Certainty::Reachable => {
                is_reachable(secret) && !text[all.end..].starts_with(['/', ':'])
            }
        }
    }
}

/// Decodes the name and the password in Base64 after `Basic`.
pub(super) fn login(base64: &str) -> Option<(String, String)> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in base64.trim_end_matches('=').bytes() {
        let value = ALPHABET.iter().position(|&known| known == letter)?;
        (bits, count) = (bits << 6 | value as u32, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let is_printable = !text.chars().any(char::is_control);
    let (name, password) = text.split_once(':').filter(|_| is_printable)?;
    (password.len() >= 3).then(|| (name.to_owned(), password.to_owned()))
}

/// Returns whether it is a common default password, as of databases on a developer's own machine.
fn is_common(secret: &str) -> bool {
    const COMMON: [&str; 12] = [
        "password", "pass", "secret", "postgres", "root", "guest", "admin", "test", "user",
        "mysql", "redis", "pwd",
    ];
    COMMON.contains(&secret.to_ascii_lowercase().as_str())
}

/// Whether an address could be somebody's: not one that is kept for examples, and no file or package with an `@` in it.
fn is_reachable(address: &str) -> bool {
    const ENDS: [&str; 21] = [
        "example",
        "test",
        "invalid",
        "localhost",
        "local",
        "internal",
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "css",
        "js",
        "ts",
        "tsx",
        "jsx",
        "mjs",
        "json",
        "yaml",
        "html",
    ];
    const EXAMPLE_HOSTS: [&str; 6] = [
        "noreply",
        "no-reply",
        "donotreply",
        "do-not-reply",
        "git",
        "user",
    ];
    let Some((name, host)) = address.rsplit_once('@') else {
        return false;
    };
    let (name, host) = (name.to_ascii_lowercase(), host.to_ascii_lowercase());
    let end = host.rsplit('.').next().unwrap_or_default();
    let is_example = [
        "example.com",
        "example.org",
        "example.net",
        "example.edu",
        "noreply.github.com",
    ]
    .iter()
    .any(|kept| {
        host == *kept
            || host
                .strip_suffix(kept)
                .is_some_and(|rest| rest.ends_with('.'))
    });
    !is_example && !ENDS.contains(&end) && !EXAMPLE_HOSTS.contains(&name.as_str())
}

/// Returns the prefix that all keys of its format have in common.
pub(super) fn public_prefix(secret: &str) -> Option<&'static str> {
    let marks = FORMATS.iter().flat_map(|form| form.marks.iter().copied());
    marks
        .filter(|mark| secret.starts_with(mark))
        .max_by_key(|mark| mark.len())
}
