//! The forms that issuers of keys publish.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::packed;
use regex::Regex;

use super::guard::{entropy, is_inside_base64, is_part_of_word, is_placeholder};
use super::{FoundSecret, SecretClass, SecretKind};

/// A published form.
struct SecretFormat {
    name: &'static str,
    label: &'static str,
    class: SecretClass,
    /// Every secret in this format contains one of these. At least three bytes each, so that the search is fast.
    marks: &'static [&'static str],
    /// The form; where it has a group, that is the secret.
    regex: &'static str,
    certainty: Certainty,
}

/// The additional condition of a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    Always,
    /// If it is not part of a longer word.
    Alone,
    /// If it also has digits and is as random as a key.
    Random,
    /// If it is an address that may belong to a person.
    Reachable,
    /// If it is a name and a password in Base64.
    Login,
}

const fn key(
    name: &'static str,
    label: &'static str,
    marks: &'static [&'static str],
    regex: &'static str,
) -> SecretFormat {
    SecretFormat {
        name,
        label,
        class: SecretClass::Key,
        marks,
        regex,
        certainty: Certainty::Alone,
    }
}

const FORMATS: &[SecretFormat] = &[
    key(
        "an AWS access key id",
        "aws-key-id",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}",
    ),
    key(
        "a GitHub token",
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{36,251}",
    ),
    key(
        "a GitHub token",
        "github-token",
        &["github_pat_"],
        r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    ),
    key(
        "a GitLab token",
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-"],
        r"gl(?:pat|dt|rt|cbt|ptt|oas)-[A-Za-z0-9_-]{20,64}",
    ),
    key(
        "a Slack token",
        "slack-token",
        &[
            "xoxb-", "xoxa-", "xoxp-", "xoxe-", "xoxr-", "xoxs-", "xapp-",
        ],
        r"(?:xox[abeprs]|xapp)-[A-Za-z0-9-]*[0-9]{6,}[A-Za-z0-9-]{8,}",
    ),
    key(
        "a Slack webhook",
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})",
    ),
    key(
        "a Stripe key",
        "stripe-key",
        &["k_live_", "k_test_"],
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,247}",
    ),
    key(
        "a webhook signing secret",
        "webhook-secret",
        &["whsec_"],
        r"whsec_[A-Za-z0-9+/=]{24,}",
    ),
    key(
        "a Google API key",
        "google-key",
        &["AIza"],
        r"AIza[A-Za-z0-9_-]{35}",
    ),
    key(
        "a Google client secret",
        "google-secret",
        &["GOCSPX-"],
        r"GOCSPX-[A-Za-z0-9_-]{28}",
    ),
    key(
        "a Google access token",
        "google-token",
        &["ya29."],
        r"ya29\.[A-Za-z0-9_-]{30,}",
    ),
    key(
        "an Anthropic key",
        "anthropic-key",
        &["sk-ant-"],
        r"sk-ant-[a-z]{2,6}[0-9]{2}-[A-Za-z0-9_-]{24,}",
    ),
    key(
        "an OpenAI key",
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "T3BlbkFJ"],
        r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}|[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})",
    ),
    SecretFormat {
        name: "a secret key",
        label: "secret-key",
        class: SecretClass::Key,
        marks: &["sk-"],
        regex: r"sk-(?:[A-Za-z0-9]+-){0,2}[A-Za-z0-9]{20,}",
        certainty: Certainty::Random,
    },
    key(
        "a Hugging Face token",
        "hugging-face-token",
        &["hf_"],
        r"hf_[A-Za-z]{34}",
    ),
    key(
        "a LangSmith key",
        "langsmith-key",
        &["lsv2_"],
        r"lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}",
    ),
    key("a Groq key", "groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}"),
    key(
        "an npm token",
        "npm-token",
        &["npm_"],
        r"npm_[A-Za-z0-9]{36}",
    ),
    key(
        "a PyPI token",
        "pypi-token",
        &["pypi-AgE"],
        r"pypi-AgE[A-Za-z0-9_-]{50,}",
    ),
    key(
        "a SendGrid key",
        "sendgrid-key",
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    ),
    key(
        "a DigitalOcean token",
        "digitalocean-token",
        &["dop_v1_", "doo_v1_"],
        r"do[op]_v1_[0-9a-f]{64}",
    ),
    key(
        "a storage account key",
        "account-key",
        &["AccountKey="],
        r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    key(
        "a JSON Web Token",
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    SecretFormat {
        name: "a private key",
        label: "private-key",
        class: SecretClass::Key,
        marks: &["PRIVATE KEY"],
        regex: r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?s:.{32,}?)(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|\z)",
        certainty: Certainty::Always,
    },
    SecretFormat {
        name: "a bearer token",
        label: "bearer-token",
        class: SecretClass::Key,
        marks: &["earer ", "EARER "],
        regex: r"(?i)\bbearer +([A-Za-z0-9._~+/-]{20,}=*)",
        certainty: Certainty::Random,
    },
    SecretFormat {
        name: "a login (Basic authentication)",
        label: "basic-login",
        class: SecretClass::Key,
        marks: &["asic ", "ASIC "],
        regex: r"(?i)\bbasic +([A-Za-z0-9+/]{8,}={0,2})",
        certainty: Certainty::Login,
    },
    SecretFormat {
        name: "a password in a URL",
        label: "password",
        class: SecretClass::Key,
        marks: &["@"],
        regex: r#"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/?\#@"'<>]{0,100}:([^\s:/?\#@"'<>]{3,200})@[a-z0-9\[]"#,
        certainty: Certainty::Always,
    },
    SecretFormat {
        name: "an e-mail address",
        label: "address",
        class: SecretClass::Address,
        marks: &["@"],
        regex: r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}",
        certainty: Certainty::Reachable,
    },
];

/// Where something may be that is worth a closer look: the marks of all forms but `@`, which is too common to be looked for
/// among them.
pub(super) static MARKS: LazyLock<MarkerSearch> = LazyLock::new(|| {
    let marks = FORMATS.iter().flat_map(|form| form.marks);
    MarkerSearch::new(marks.copied().filter(|mark| *mark != "@"))
});

/// Looks for any of some short texts.
pub(super) struct MarkerSearch {
    /// Many bytes at once, on processors that can.
    packed: Option<packed::Searcher>,
    one_by_one: Option<aho_corasick::AhoCorasick>,
}

impl MarkerSearch {
    pub(super) fn new(marks: impl Iterator<Item = &'static str>) -> Self {
        let marks: Vec<&str> = marks.collect();
        let packed = packed::Searcher::new(&marks);
        let one_by_one = match packed {
            Some(_) => None,
            None => aho_corasick::AhoCorasick::new(&marks).ok(),
        };
        Self { packed, one_by_one }
    }

    /// Calls `found` with the start and the end of each occurrence.
    pub(super) fn each(&self, text: &str, found: &mut impl FnMut(usize, usize)) {
        if let Some(packed) = &self.packed {
            for hit in packed.find_iter(text) {
                found(hit.start(), hit.end());
            }
        }
        if let Some(searcher) = &self.one_by_one {
            for hit in searcher.find_iter(text) {
                found(hit.start(), hit.end());
            }
        }
    }
}

/// Each form's expression, made when it is first needed.
static REGEXES: [OnceLock<Option<Regex>>; FORMATS.len()] =
    [const { OnceLock::new() }; FORMATS.len()];

/// Returns true if a fast scan cannot exclude that a text contains a secret in one of the formats.
pub(super) fn may_hold(text: &str) -> bool {
    let mut has_mark = memchr::memchr(b'@', text.as_bytes()).is_some();
    if !has_mark {
        MARKS.each(text, &mut |_, _| has_mark = true);
    }
    has_mark
}

/// Finds what has one of the forms.
pub(super) fn find(text: &str) -> Vec<FoundSecret> {
    let mut found = Vec::new();
    for (form, regex) in FORMATS.iter().zip(&REGEXES) {
        let is_marked = form
            .marks
            .iter()
            .any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
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
fn login(base64: &str) -> Option<(String, String)> {
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
