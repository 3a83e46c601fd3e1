//! What a project itself calls a secret, and what it does not.

use regex::Regex;

use super::{FoundSecret, Redaction, RedactionKey, SecretClass, SecretKind};

const OWN: SecretKind = SecretKind {
    name: "a secret of this project",
    label: "secret",
    class: SecretClass::Key,
};

/// The project's own patterns: regular expressions for secrets and for values that are not secrets.
#[derive(Clone, Debug, Default)]
pub struct CustomPatterns {
    patterns: Vec<Regex>,
    allow: Vec<Regex>,
    /// The project's key for placeholders, if it has one.
    key: Option<RedactionKey>,
}

impl PartialEq for CustomPatterns {
    fn eq(&self, other: &Self) -> bool {
        let texts = |list: &[Regex]| -> Vec<String> {
            list.iter().map(|it| it.as_str().to_owned()).collect()
        };
        texts(&self.patterns) == texts(&other.patterns)
            && texts(&self.allow) == texts(&other.allow)
            && self.key == other.key
    }
}

impl Eq for CustomPatterns {}

impl CustomPatterns {
    /// Adds a pattern for secrets.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_pattern(&mut self, pattern: &str) -> Result<(), String> {
        self.patterns.push(compile_pattern(pattern)?);
        Ok(())
    }

    /// Adds a pattern for values that look like secrets but are not. It has to match the whole value.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_allowed(&mut self, pattern: &str) -> Result<(), String> {
        compile_pattern(pattern)?;
        self.allow
            .push(compile_pattern(&format!("^(?:{pattern})$"))?);
        Ok(())
    }

    /// Sets the key from which placeholders follow.
    pub fn set_key(&mut self, key: RedactionKey) {
        self.key = Some(key);
    }

    /// Returns a redaction without secrets, with the project's key if it has one.
    pub fn redaction(&self) -> Redaction {
        self.key
            .clone()
            .map_or_else(Redaction::default, Redaction::with_key)
    }

    pub(super) fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Returns whether the project says that a value is no secret.
    pub(in crate::ops) fn allows(&self, secret: &str) -> bool {
        self.allow.iter().any(|allowed| allowed.is_match(secret))
    }

    pub(super) fn find(&self, text: &str) -> Vec<FoundSecret> {
        let all = self.patterns.iter().flat_map(|it| it.find_iter(text));
        let real = all.filter(|it| !it.is_empty());
        real.map(|it| FoundSecret {
            kind: OWN,
            range: it.range(),
        })
        .collect()
    }
}

fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| {
        let last = error.to_string();
        let last = last.lines().last().unwrap_or_default().trim();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}
