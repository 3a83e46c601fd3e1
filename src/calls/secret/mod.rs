//! Secrets in what was recorded: keys, tokens, passwords and, more softly, e-mail addresses.
//!
//! They are recognised by the formats that their issuers publish, or by the name of the value; never by randomness alone, so that
//! hashes, UUIDs, images and signatures raise no alarm. [`find`] looks at one text, [`Redaction`] replaces the same secret by the same placeholder everywhere, [`Mask`] hides them in
//! texts about a document.

mod custom;
mod format;
mod guard;
mod http;
mod marker_search;
mod mask;
mod named;
mod pattern;
mod redact;
mod spelling;

use std::ops::Range;

use document::text::remove_overlapping;
use marker_search::{MARKS, MarkGroup};

pub use custom::CustomPatterns;
pub use http::{
    MIN_BASE64_BYTES, base64_texts, find_accounts, find_in_header, find_in_query, is_key_header,
    names_secret_header,
};
pub use mask::{HashKey, HashedSecrets, Mask};
pub use redact::{
    Redaction, RedactionFinder, RedactionKey, common_spelling, find_placeholders, is_redacted,
};

/// The class of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecretClass {
    /// Gives access to everyone who reads it.
    Key,
    /// Identifies a person.
    Address,
    /// Identifies an account or a client, and gives no access.
    Account,
    /// Other personal data, which is replaced only where it is no part of a longer word.
    Personal,
}

/// The kind of something that should not be in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretKind {
    /// For people, with its article, such as "a GitHub token".
    pub name: &'static str,
    /// For what is put in its place, such as `github-token`.
    pub label: &'static str,
    /// Decides how it is reported, and where it is replaced.
    pub class: SecretClass,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    pub kind: SecretKind,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// Finds the secrets of a text, in order; they do not overlap.
pub fn find(text: &str, patterns: &CustomPatterns) -> Vec<FoundSecret> {
    let mut secrets = patterns.find(text);
    // A file in a data URI is long and random, so any form may occur in it by chance.
    if !guard::is_data_uri(text) {
        let forms = pattern::MarkedForms::find(text);
        secrets.extend(pattern::find(text, &forms));
        // The expression may begin at any letter, so it is tried only on texts with a name.
        if forms.has_name {
            secrets.extend(named::assigned(text));
        }
    }
    secrets.retain(|s| !patterns.allows(&text[s.range.clone()]));
    // If two overlap, the one that begins first counts, then the project's own, then a published form.
    secrets.sort_by_key(|s| s.range.start);
    remove_overlapping(&mut secrets, |s| &s.range);
    secrets
}

/// Finds the places of a text where a secret may be: what every secret has, such as the beginning of a form or a name.
pub fn find_marks(text: &str) -> Vec<usize> {
    let mut marks = Vec::new();
    MARKS.each(text, &mut |group, start, end| {
        if group != MarkGroup::Name || named::is_given(text, end) {
            marks.push(start);
        }
    });
    marks
}

/// Finds the secrets in a named value, such as a member of an object.
pub fn find_named(name: &str, value: &str, patterns: &CustomPatterns) -> Vec<FoundSecret> {
    let secrets = find(value, patterns);
    // A published form says more about the value than the name of its member.
    if !secrets.is_empty() {
        return secrets;
    }
    let secret = named::under(name, value);
    secret.filter(|s| !patterns.allows(&value[s.range.clone()])).into_iter().collect()
}

/// Returns the part of a secret that may be displayed: it shows the kind, and does not help to guess the secret.
pub fn hint(kind: SecretKind, secret: &str) -> String {
    let prefix = pattern::public_prefix(secret);
    match (kind.class, prefix) {
        (SecretClass::Address, _) => {
            let host = secret.rsplit('@').next().unwrap_or_default();
            format!("…@{host}")
        }
        (_, Some(prefix)) => format!("{prefix}…"),
        (_, None) => "…".to_owned(),
    }
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
