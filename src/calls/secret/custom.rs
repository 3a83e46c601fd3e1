//! The patterns of a project: its own secrets, and values that are none.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

use regex::{Regex, RegexSet, RegexSetBuilder};

use super::{FoundSecret, Redaction, RedactionKey, SecretClass, SecretKind};

const OWN_KIND: SecretKind =
    SecretKind { name: "a secret of this project", label: "secret", class: SecretClass::Key };

/// The project's own patterns: regular expressions for secrets and for values that are not secrets, of its `retake.toml`.
#[derive(Clone, Debug, Default)]
pub struct CustomPatterns {
    rules: Arc<RuleSet>,
    /// Values that look like secrets but are not; each expression matches whole values.
    allowed: Vec<Regex>,
    /// Whether nothing is a secret: in a file that is left out.
    is_off: bool,
    /// The project's key for placeholders, if it has one.
    key: Option<RedactionKey>,
}

/// The rules, and what finds in one pass over a text which of them may match.
#[derive(Clone, Debug, Default)]
struct RuleSet {
    rules: Vec<NamedRule>,
    /// All expressions; `None` if they are too large for one pass.
    all: OnceLock<Option<RegexSet>>,
}

/// A form of secrets: all of a match is the secret, with or without groups.
#[derive(Clone, Debug)]
struct NamedRule {
    kind: SecretKind,
    regex: Regex,
}

impl RuleSet {
    fn find(&self, text: &str) -> Vec<FoundSecret> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let numbers: Vec<usize> = match self.all.get_or_init(|| self.compile_all()) {
            Some(set) => set.matches(text).into_iter().collect(),
            None => (0..self.rules.len()).collect(),
        };
        let matches = numbers.into_iter().flat_map(|number| {
            let rule = &self.rules[number];
            rule.regex.find_iter(text).map(|m| (rule.kind, m.range()))
        });
        matches
            // A pattern such as `a*` also matches between characters.
            .filter(|(_, range)| !range.is_empty())
            .map(|(kind, range)| FoundSecret { kind, range })
            .collect()
    }

    fn compile_all(&self) -> Option<RegexSet> {
        /// The size of the program and of the cache of all expressions together.
        const MAX_BYTES: usize = 64 << 20;
        let mut set = RegexSetBuilder::new(self.rules.iter().map(|rule| rule.regex.as_str()));
        set.size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build().ok()
    }
}

impl PartialEq for CustomPatterns {
    fn eq(&self, other: &Self) -> bool {
        // By their texts, since compiled expressions have no equality.
        fn patterns(custom: &CustomPatterns) -> Vec<(Option<SecretKind>, &str)> {
            let list = custom.rules.rules.iter().map(|rule| (Some(rule.kind), rule.regex.as_str()));
            list.chain(custom.allowed.iter().map(|r| (None, r.as_str()))).collect()
        }
        patterns(self) == patterns(other) && self.is_off == other.is_off && self.key == other.key
    }
}

impl Eq for CustomPatterns {}

impl CustomPatterns {
    /// Adds a pattern for secrets. Messages show its name, unless that is empty.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_named(&mut self, name: &str, pattern: &str) -> Result<(), String> {
        let regex = compile_pattern(pattern)?;
        let name = match name {
            "" => OWN_KIND.name,
            name => intern(&format!("a secret of the rule {name}")).unwrap_or(OWN_KIND.name),
        };
        let rule_set = Arc::make_mut(&mut self.rules);
        rule_set.rules.push(NamedRule { kind: SecretKind { name, ..OWN_KIND }, regex });
        // The set was compiled from fewer rules.
        rule_set.all = OnceLock::new();
        Ok(())
    }

    /// Adds a pattern for values that look like secrets but are not. It has to match the whole value.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_allowed(&mut self, pattern: &str) -> Result<(), String> {
        // Compiled without the brackets first: inside them, a wrong pattern such as `a)(b` could become valid.
        compile_pattern(pattern)?;
        self.allowed.push(compile_pattern(&format!("^(?:{pattern})$"))?);
        Ok(())
    }

    /// Returns patterns for a file in which nothing is a secret.
    pub fn off() -> Self {
        Self { is_off: true, ..Self::default() }
    }

    /// Sets the key from which placeholders follow.
    pub fn set_key(&mut self, key: RedactionKey) {
        self.key = Some(key);
    }

    /// Returns a redaction without secrets, with the project's key if it has one.
    pub fn redaction(&self) -> Redaction {
        self.key.clone().map_or_else(Redaction::default, Redaction::with_key)
    }

    /// Returns whether there are patterns for secrets.
    pub(crate) fn has_patterns(&self) -> bool {
        !self.rules.rules.is_empty()
    }

    /// Returns whether the project says that a value is no secret.
    pub fn allows(&self, secret: &str) -> bool {
        self.is_off || self.allowed.iter().any(|r| r.is_match(secret))
    }

    pub(super) fn find(&self, text: &str) -> Vec<FoundSecret> {
        self.rules.find(text)
    }
}

/// The most names, and regular expressions, that are kept as long as the program runs: they come from files.
const MAX_NAMES: usize = 10_000;

/// Returns a name that is kept as long as the program runs, each once; `None` if there are too many.
pub(super) fn intern(name: &str) -> Option<&'static str> {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    // An insertion is not left half done by a panic, so the set stays usable.
    let mut guard = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let names = guard.get_or_insert_default();
    if let Some(static_name) = names.get(name) {
        return Some(static_name);
    }
    if names.len() >= MAX_NAMES {
        return None;
    }
    // Kinds are copied with their names, which are otherwise constants.
    let new_name: &'static str = Box::leak(name.into());
    names.insert(new_name);
    Some(new_name)
}

/// Compiles a regular expression, once for as long as the program runs: settings are read again and again.
fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    type Compiled = HashMap<String, Result<Regex, String>>;
    static REGEXES: Mutex<Option<Compiled>> = Mutex::new(None);
    let mut guard = REGEXES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let regexes = guard.get_or_insert_default();
    if regexes.len() >= MAX_NAMES {
        // Not refused, since an expression can be compiled again.
        regexes.clear();
    }
    let compile = || {
        Regex::new(pattern).map_err(|error| {
            let message = error.to_string();
            // The lines before draw the expression with a mark below it.
            let last_line = message.lines().last().unwrap_or_default().trim();
            last_line.strip_prefix("error: ").unwrap_or(last_line).to_owned()
        })
    };
    regexes.entry(pattern.to_owned()).or_insert_with(compile).clone()
}
