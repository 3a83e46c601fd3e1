//! What a project itself calls a secret, and what it does not.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet, RegexSetBuilder};

use super::guard::entropy;
use super::{FoundSecret, Redaction, RedactionKey, SecretClass, SecretKind};

const OWN: SecretKind =
    SecretKind { name: "a secret of this project", label: "secret", class: SecretClass::Key };

/// The project's own patterns: regular expressions for secrets and for values that are not secrets, of its `retake.toml` and its
/// `.gitleaks.toml`.
#[derive(Clone, Debug, Default)]
pub struct CustomPatterns {
    rules: Arc<RuleSet>,
    /// Whether each rule is left out, in the file that this is for; empty: none is.
    left_out: Vec<bool>,
    pub(super) allow_lists: Vec<AllowList>,
    /// Whether nothing is a secret: in a file that is left out.
    is_off: bool,
    /// The project's key for placeholders, if it has one.
    key: Option<RedactionKey>,
}

/// The rules, and what finds in one pass over a text which of them may match.
#[derive(Clone, Debug, Default)]
struct RuleSet {
    rules: Vec<NamedRule>,
    selector: OnceLock<RuleSelector>,
}

/// Selects the rules that may match in a text.
#[derive(Clone, Debug)]
struct RuleSelector {
    /// The keywords of all rules, and the number of the rule of each.
    keywords: Option<AhoCorasick>,
    rule_of_keyword: Vec<usize>,
    /// The expressions of rules without keywords; `None` if they are too large for one pass.
    expressions: Option<RegexSet>,
    rule_of_expression: Vec<usize>,
}

/// A form of secrets.
#[derive(Clone, Debug)]
pub(super) struct NamedRule {
    kind: SecretKind,
    regex: Regex,
    /// The group that is the secret; `None`: the first one that matches, else the whole match.
    pub(super) group: Option<usize>,
    /// The least entropy of a secret.
    pub(super) entropy: f64,
    /// Lower-case words, one of which the text must contain; empty: any text.
    pub(super) keywords: Vec<String>,
    /// The files that the rule is for.
    pub(super) path: Option<Regex>,
    pub(super) allow: Vec<AllowList>,
}

/// Values and files that only look as if they were secrets.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowList {
    pub(super) secrets: Vec<Regex>,
    /// Lower-case parts of secrets.
    pub(super) words: Vec<String>,
    pub(super) paths: Vec<Regex>,
}

impl NamedRule {
    pub(super) fn new(id: &str, regex: Regex) -> Self {
        let name = match id {
            "" => OWN.name,
            id => intern(&format!("a secret of the rule {id}")).unwrap_or(OWN.name),
        };
        Self {
            kind: SecretKind { name, ..OWN },
            regex,
            group: None,
            entropy: 0.0,
            keywords: Vec::new(),
            path: None,
            allow: Vec::new(),
        }
    }

    fn find(&self, text: &str) -> Vec<FoundSecret> {
        let found = self.regex.captures_iter(text).filter_map(|captures| {
            let mut groups = captures.iter().skip(1).flatten();
            let secret = match self.group {
                Some(group) => captures.get(group),
                None => groups.next().or(captures.get(0)),
            }?;
            let is_secret = !secret.is_empty()
                && (self.entropy == 0.0 || entropy(secret.as_str()) > self.entropy)
                && !self.allow.iter().any(|list| list.allows(secret.as_str()));
            is_secret.then(|| FoundSecret { kind: self.kind, range: secret.range() })
        });
        found.collect()
    }

    /// What distinguishes it from other rules.
    fn identity(&self) -> String {
        format!("{self:?}")
    }
}

impl RuleSet {
    /// Returns the numbers of the rules that may match in a text, in order.
    fn select(&self, text: &str) -> Vec<usize> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let selector = self.selector.get_or_init(|| RuleSelector::new(&self.rules));
        let mut numbers = match &selector.expressions {
            Some(set) => {
                let found = set.matches(text).into_iter();
                found.map(|it| selector.rule_of_expression[it]).collect()
            }
            None => selector.rule_of_expression.clone(),
        };
        if let Some(keywords) = &selector.keywords {
            let found = keywords.find_overlapping_iter(text);
            let found: HashSet<usize> = found.map(|it| it.pattern().as_usize()).collect();
            numbers.extend(found.into_iter().map(|it| selector.rule_of_keyword[it]));
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl RuleSelector {
    fn new(rules: &[NamedRule]) -> Self {
        /// The size of the program and of the cache of all expressions together.
        const MAX_BYTES: usize = 64 << 20;
        let rules = || rules.iter().enumerate();
        let keywords = rules().flat_map(|(number, rule)| {
            let keywords = rule.keywords.iter();
            keywords.map(move |word| (number, word))
        });
        let (rule_of_keyword, keywords): (Vec<usize>, Vec<&String>) = keywords.unzip();
        let expressions = rules().filter(|(_, rule)| rule.keywords.is_empty());
        let (rule_of_expression, expressions): (Vec<usize>, Vec<&str>) =
            expressions.map(|(number, rule)| (number, rule.regex.as_str())).unzip();
        let mut builder = AhoCorasick::builder();
        let mut set = RegexSetBuilder::new(expressions);
        Self {
            keywords: builder.ascii_case_insensitive(true).build(keywords).ok(),
            rule_of_keyword,
            expressions: set.size_limit(MAX_BYTES).dfa_size_limit(MAX_BYTES).build().ok(),
            rule_of_expression,
        }
    }
}

impl AllowList {
    fn allows(&self, secret: &str) -> bool {
        let lower = secret.to_lowercase();
        self.secrets.iter().any(|allowed| allowed.is_match(secret))
            || self.words.iter().any(|word| lower.contains(word))
    }

    fn leaves_out(&self, path: &str) -> bool {
        self.paths.iter().any(|left_out| left_out.is_match(path))
    }
}

impl PartialEq for CustomPatterns {
    fn eq(&self, other: &Self) -> bool {
        let rules = |it: &Self| -> Vec<String> {
            let rules = it.rules.rules.iter();
            rules.map(NamedRule::identity).collect()
        };
        let lists = |it: &Self| format!("{:?}", it.allow_lists);
        (Arc::ptr_eq(&self.rules, &other.rules) || rules(self) == rules(other))
            && self.left_out == other.left_out
            && lists(self) == lists(other)
            && self.is_off == other.is_off
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
        self.add_named("", pattern)
    }

    /// Adds a pattern for secrets with a name, which messages show.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_named(&mut self, name: &str, pattern: &str) -> Result<(), String> {
        let mut rule = NamedRule::new(name, compile_pattern(pattern)?);
        // All of a match is the secret, with or without groups.
        rule.group = Some(0);
        self.add_rules([rule]);
        Ok(())
    }

    pub(super) fn add_rules(&mut self, rules: impl IntoIterator<Item = NamedRule>) {
        let all = Arc::make_mut(&mut self.rules);
        all.rules.extend(rules);
        all.selector = OnceLock::new();
    }

    /// Adds a pattern for values that look like secrets but are not. It has to match the whole value.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not a valid regular expression.
    pub fn add_allowed(&mut self, pattern: &str) -> Result<(), String> {
        compile_pattern(pattern)?;
        self.allow_lists.push(AllowList {
            secrets: vec![compile_pattern(&format!("^(?:{pattern})$"))?],
            ..AllowList::default()
        });
        Ok(())
    }

    /// Adds the patterns of another file of the project.
    pub fn merge(&mut self, other: Self) {
        self.add_rules(other.rules.rules.iter().cloned());
        self.allow_lists.extend(other.allow_lists);
    }

    /// Returns what counts in one file, by its path from the project root.
    pub fn for_path(&self, path: &str) -> Cow<'_, Self> {
        if self.allow_lists.iter().any(|list| list.leaves_out(path)) {
            return Cow::Owned(Self::off());
        }
        let is_left_out = |rule: &NamedRule| {
            rule.path.as_ref().is_some_and(|it| !it.is_match(path))
                || rule.allow.iter().any(|list| list.leaves_out(path))
        };
        let left_out: Vec<bool> = self.rules.rules.iter().map(is_left_out).collect();
        if !left_out.contains(&true) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { left_out, ..self.clone() })
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
    pub(in crate::ops) fn has_patterns(&self) -> bool {
        !self.rules.rules.is_empty()
    }

    /// Returns whether the project says that a value is no secret.
    pub(in crate::ops) fn allows(&self, secret: &str) -> bool {
        self.is_off || self.allow_lists.iter().any(|list| list.allows(secret))
    }

    pub(super) fn find(&self, text: &str) -> Vec<FoundSecret> {
        let numbers = self.rules.select(text).into_iter();
        let here = numbers.filter(|number| self.left_out.get(*number) != Some(&true));
        here.flat_map(|number| self.rules.rules[number].find(text)).collect()
    }

    /// Finds the secrets in a value by rules that also describe its name, as in `acme_key = "…"`.
    pub(super) fn find_named(&self, name: &str, value: &str) -> Vec<FoundSecret> {
        if !self.has_patterns() {
            return Vec::new();
        }
        let whole = format!("{name}=\"{value}\"");
        let start = name.len() + 2;
        let found = self.find(&whole).into_iter();
        let inside = found.filter_map(|it| {
            let range = it.range.start.checked_sub(start)?..it.range.end.checked_sub(start)?;
            (range.end <= value.len()).then_some(FoundSecret { range, ..it })
        });
        inside.filter(|it| !self.allows(&value[it.range.clone()])).collect()
    }
}

/// The most names, and regular expressions, that are kept as long as the program runs: they come from files.
const MAX_NAMES: usize = 10_000;

/// Returns a name that is kept as long as the program runs, each once; `None` if there are too many.
pub(super) fn intern(name: &str) -> Option<&'static str> {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return Some(known);
    }
    if names.len() >= MAX_NAMES {
        return None;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    Some(kept)
}

/// Compiles a regular expression, once for as long as the program runs: settings are read again and again.
pub(super) fn compile_pattern(pattern: &str) -> Result<Regex, String> {
    type Compiled = HashMap<String, Result<Regex, String>>;
    static KNOWN: Mutex<Option<Compiled>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if known.len() >= MAX_NAMES {
        known.clear();
    }
    let compile = || {
        Regex::new(pattern).map_err(|error| {
            let last = error.to_string();
            let last = last.lines().last().unwrap_or_default().trim();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        })
    };
    let compiled = known.entry(pattern.to_owned()).or_insert_with(compile);
    compiled.clone()
}
