//! Finds keys by the [forms](super::format) that their issuers publish.

use std::collections::HashSet;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::format::{Certainty, FORMATS, SecretFormat};
use super::guard::{entropy, is_inside_base64, is_part_of_word, is_placeholder};
use super::marker_search::{MARKS, MarkGroup};
use super::{FoundSecret, SecretKind, named};

/// Each form's expression, made when it is first needed.
static REGEXES: [OnceLock<Option<Regex>>; FORMATS.len()] =
    [const { OnceLock::new() }; FORMATS.len()];

/// The result of a fast scan of a text for marks of secrets.
pub(super) struct MarkedForms {
    /// Whether there is a mark of each form.
    is_marked: [bool; FORMATS.len()],
    /// Whether there is the name of a secret that is given a value.
    pub(super) has_name: bool,
}

impl MarkedForms {
    pub(super) fn find(text: &str) -> Self {
        let mut forms = Self { is_marked: [false; FORMATS.len()], has_name: false };
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
    let mut secrets = Vec::new();
    for ((form, regex), is_marked) in FORMATS.iter().zip(&REGEXES).zip(forms.is_marked) {
        // A form that does not compile finds nothing; a test has a secret of each.
        let Some(regex) =
            is_marked.then(|| regex.get_or_init(|| Regex::new(form.regex).ok()).as_ref()).flatten()
        else {
            continue;
        };
        for captures in regex.captures_iter(text) {
            let Some(full_match) = captures.get(0) else { continue };
            let secret = captures.get(1).unwrap_or(full_match);
            if form.is_certain(text, full_match.range(), secret.as_str()) {
                let kind = SecretKind { name: form.name, label: form.label, class: form.class };
                secrets.push(FoundSecret { kind, range: secret.range() });
            }
        }
    }
    secrets
}

impl SecretFormat {
    fn is_certain(&self, text: &str, range: std::ops::Range<usize>, secret: &str) -> bool {
        let is_separate = || {
            !is_part_of_word(text, range.start, range.end)
                && !is_inside_base64(text, range.start, range.end)
        };
        // The keys in AWS's documents end with this word.
        let is_real = || !secret.ends_with("EXAMPLE") && !is_placeholder(secret);
        match self.certainty {
            Certainty::Always => !is_placeholder(secret) && !is_common(secret),
            Certainty::Alone => is_separate() && is_real(),
            Certainty::Random => {
                let digits = secret.bytes().filter(u8::is_ascii_digit).count();
                // A long name may have the form of a key, but has few digits, or the same letters again and again.
                is_separate() && is_real() && digits >= 2 && entropy(secret) >= 3.3
            }
            Certainty::Login => named::login(secret).is_some_and(|(name, password)| {
                !name.is_empty() && !is_placeholder(&password) && !is_common(&password)
            }),
            Certainty::Reachable => {
                let next_char = text[range.end..].chars().next();
                is_reachable(secret)
                    // With one of these behind it, it is the address of a server: `git@host.com:path`, `user@host.com/path`.
                    && !matches!(next_char, Some('/' | ':'))
                    && !is_decorator(&text[..range.start], secret, next_char)
            }
        }
    }
}

/// Returns whether it is a common default password, as of databases on a developer's own machine.
fn is_common(secret: &str) -> bool {
    const DEFAULT_PASSWORDS: [&str; 12] = [
        "password", "pass", "secret", "postgres", "root", "guest", "admin", "test", "user",
        "mysql", "redis", "pwd",
    ];
    DEFAULT_PASSWORDS.contains(&secret.to_ascii_lowercase().as_str())
}

/// Whether an address could be somebody's: not one that is kept for examples, and no file or package with an `@` in it.
fn is_reachable(address: &str) -> bool {
    // `js` and `ts` are no countries, but endings of files.
    const FILE_ENDINGS: [&str; 2] = ["js", "ts"];
    // Mailboxes that no person reads, the user of git servers, and a name for examples.
    const IMPERSONAL_NAMES: &str = "noreply no-reply donotreply do-not-reply git user";
    // Domains that are reserved for examples, and the host with which GitHub hides addresses.
    const EXAMPLE_HOSTS: &str =
        "example.com example.org example.net example.edu noreply.github.com";
    // The most characters of a name and of a part of a host (RFC 5321, RFC 1035).
    const MAX_NAME_CHARS: usize = 64;
    const MAX_LABEL_CHARS: usize = 63;
    let Some((name, host)) = address.rsplit_once('@') else { return false };
    let is_within = |text: &str, max: usize| text.chars().count() <= max;
    if !is_within(name, MAX_NAME_CHARS) || !host.split('.').all(|l| is_within(l, MAX_LABEL_CHARS)) {
        return false;
    }
    let (name, host) = (name.to_ascii_lowercase(), host.to_ascii_lowercase());
    let end = host.rsplit('.').next().unwrap_or_default();
    let is_part = |prefix: &str| prefix.is_empty() || prefix.ends_with('.');
    let is_example = EXAMPLE_HOSTS.split(' ').any(|d| host.strip_suffix(d).is_some_and(is_part));
    let is_known =
        if end.len() == 2 { !FILE_ENDINGS.contains(&end) } else { TOP_LEVEL_DOMAINS.contains(end) };
    let is_mask = name.bytes().all(|byte| byte == b'x');
    !is_example && is_known && !is_mask && !IMPERSONAL_NAMES.split(' ').any(|n| n == name)
}

/// The top-level domains of more than two letters. Reserved ones, such as `example` and `test` (RFC 2606), are not among them.
static TOP_LEVEL_DOMAINS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("top_level_domains.txt").split_whitespace().collect());

/// Returns whether what looks like an address is code: `\n@app.get` as it is written in a string, or `x@app.run(…)`.
fn is_decorator(prefix: &str, address: &str, next_char: Option<char>) -> bool {
    const COMMON_ENDS: [&str; 4] = [".com", ".org", ".net", ".edu"];
    let is_escape = prefix.ends_with('\\') && address.find('@') == Some(1);
    // Hardly any function is called `com`, so a bracket after `.com` belongs to a sentence.
    let is_common = COMMON_ENDS.iter().any(|end| address.ends_with(end));
    is_escape || next_char == Some('(') && !is_common
}

/// Returns the prefix that all keys of its format have in common.
pub(super) fn public_prefix(secret: &str) -> Option<&'static str> {
    let marks = FORMATS.iter().flat_map(|form| form.marks.iter().copied());
    // `sk-ant-` says more than `sk-`, and is as public.
    marks.filter(|mark| secret.starts_with(mark)).max_by_key(|mark| mark.len())
}
