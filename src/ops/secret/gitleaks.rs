//! `.gitleaks.toml`: the rules and allow lists of [gitleaks](https://github.com/gitleaks/gitleaks), as far as they are about texts.
//!
//! Read are, of `[[rules]]`, `id`, `regex`, `secretGroup`, `entropy`, `keywords`, `path` and the allow lists, and the global
//! `[allowlist]` and `[[allowlists]]` with `regexes`, `stopwords` and `paths`. Retake's own forms always count, with or without
//! `useDefault`. A part that cannot be read is reported with its place, and skipped.

use regex::Regex;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::CustomPatterns;
use super::custom::{AllowList, NamedRule, compile_pattern};
use crate::format::{Problem, RuleId, Severity};
use crate::text::{Source, Span, quoted, upper_first};

/// The name of the file, in the project root.
pub const GITLEAKS_FILE_NAME: &str = ".gitleaks.toml";

/// The most rules that are used: more than gitleaks itself has by default.
const MAX_RULES: usize = 250;

/// Reads the file: what it adds to the patterns of the project, and warnings in the order of the text.
pub fn read_gitleaks(source: &Source) -> (CustomPatterns, Vec<Problem>) {
    let mut reader = GitleaksReader { source, problems: Vec::new() };
    let mut own = CustomPatterns::default();
    let (table, faults) = DeTable::parse_recoverable(source.text());
    match faults.first() {
        Some(fault) => {
            let at = fault.span().map_or(0, |span| span.start);
            let message = upper_first(fault.message().trim());
            let span = Span::empty(at);
            reader.report(
                RuleId::Syntax,
                span,
                &message,
                "Correct the text at this place; until then the file is not used.",
            );
        }
        None => reader.file(table.get_ref(), &mut own),
    }
    reader.problems.sort_by_key(|problem| problem.span);
    (own, reader.problems)
}

struct GitleaksReader<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl GitleaksReader<'_> {
    fn report(&mut self, rule: RuleId, span: Span, message: &str, help: &str) {
        let mut problem = Problem::at(rule, self.source, span, "", message).with_help(help);
        problem.severity = Severity::Warning;
        self.problems.push(problem);
    }

    fn skip<T>(&mut self, value: &Spanned<T>, message: &str, help: &str) {
        let span = Span::new(value.span().start, value.span().end);
        self.report(RuleId::WrongType, span, message, help);
    }

    fn file(&mut self, table: &DeTable<'_>, own: &mut CustomPatterns) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "rules" => {
                    let rules = self.tables(value).into_iter();
                    if rules.len() > MAX_RULES {
                        let message = format!(
                            "Retake uses the first {MAX_RULES} of the {} rules, because each takes time to compile",
                            rules.len()
                        );
                        let help = "Remove the rules that this project does not need; the forms that issuers publish always count.";
                        self.skip(value, &message, help);
                    }
                    let rules = rules.take(MAX_RULES);
                    let rules: Vec<NamedRule> = rules.filter_map(|it| self.rule(it)).collect();
                    own.add_rules(rules);
                }
                "allowlist" | "allowlists" => {
                    for table in self.tables(value) {
                        own.allow_lists.extend(self.allow_list(table));
                    }
                }
                "extend" => {
                    let path = value.get_ref().get("path");
                    if path.is_some() {
                        self.skip(
                            value,
                            "Retake does not read the file that this one extends",
                            "Copy its rules to this file.",
                        );
                    }
                }
                // Text for people.
                _ => {}
            }
        }
    }

    /// Returns one table, or all of a list.
    fn tables<'v, 'i>(&mut self, value: &'v Value<'i>) -> Vec<&'v Value<'i>> {
        let all: Vec<&Value<'i>> = match value.get_ref().as_array() {
            Some(list) => list.iter().collect(),
            None => vec![value],
        };
        let (tables, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| one.get_ref().as_table().is_some());
        for other in others {
            self.skip(other, "Expected a table", "Write it as in the documentation of gitleaks.");
        }
        tables
    }

    fn rule(&mut self, value: &Value<'_>) -> Option<NamedRule> {
        let table = value.get_ref().as_table()?;
        let id = table.get("id").and_then(|id| id.get_ref().as_str());
        let id = id.unwrap_or_default();
        let Some(regex) = table.get("regex") else {
            // A rule that only names paths is about files, not about texts in them. One without both changes a default rule.
            return None;
        };
        let regex = self.regex(regex)?;
        let number = |key: &str| {
            let number = match table.get(key)?.get_ref() {
                DeValue::Integer(number) => number.to_string().parse().ok(),
                DeValue::Float(number) => number.to_string().parse().ok(),
                _ => None,
            };
            number.map(|number: f64| (key.to_owned(), number))
        };
        let group = number("secretGroup").map(|(_, group)| group as usize);
        if let Some(group) = group.filter(|group| *group >= regex.captures_len())
            && let Some(at) = table.get("secretGroup")
        {
            let message = format!("The regular expression has no group {group}");
            self.skip(at, &message, "Write the number of a group in the regular expression.");
            return None;
        }
        let mut rule = NamedRule::new(id, regex);
        rule.group = group.filter(|group| *group > 0);
        rule.entropy = number("entropy").map_or(0.0, |(_, entropy)| entropy);
        if let Some(keywords) = table.get("keywords") {
            let keywords = self.texts(keywords);
            rule.keywords = keywords.iter().map(|(_, it)| it.to_lowercase()).collect();
        }
        if let Some(path) = table.get("path") {
            rule.path = Some(self.regex(path)?);
        }
        for key in ["allowlist", "allowlists"] {
            let lists = table.get(key).map(|lists| self.tables(lists));
            for list in lists.unwrap_or_default() {
                rule.allow.extend(self.allow_list(list));
            }
        }
        Some(rule)
    }

    fn allow_list(&mut self, value: &Value<'_>) -> Option<AllowList> {
        let table = value.get_ref().as_table()?;
        let text = |key: &str| table.get(key).and_then(|it| it.get_ref().as_str());
        let is_all = text("condition").is_some_and(|it| it.eq_ignore_ascii_case("and"));
        if is_all || text("regexTarget").is_some_and(|target| target != "secret") {
            let key = if is_all { "condition" } else { "regexTarget" };
            if let Some(at) = table.get(key) {
                let message = format!(
                    "Retake does not support this {}, and skips the allow list",
                    quoted(key)
                );
                self.skip(at, &message, "Describe the secret itself in `regexes`.");
            }
            return None;
        }
        let mut list = AllowList::default();
        if let Some(regexes) = table.get("regexes") {
            list.secrets = self.regexes(regexes);
        }
        if let Some(paths) = table.get("paths") {
            list.paths = self.regexes(paths);
        }
        if let Some(words) = table.get("stopwords") {
            let words = self.texts(words);
            list.words = words.iter().map(|(_, it)| it.to_lowercase()).collect();
        }
        Some(list)
    }

    fn texts<'v, 'i>(&mut self, value: &'v Value<'i>) -> Vec<(&'v Value<'i>, &'v str)> {
        let all = value.get_ref().as_array();
        if all.is_none() {
            self.skip(value, "Expected a list of strings", "Write the values in square brackets.");
        }
        let all = all.into_iter().flatten();
        all.filter_map(|one| Some((one, one.get_ref().as_str()?))).collect()
    }

    fn regexes(&mut self, value: &Value<'_>) -> Vec<Regex> {
        let all = self.texts(value).into_iter();
        let all: Vec<&Value<'_>> = all.map(|(one, _)| one).collect();
        all.into_iter().filter_map(|one| self.regex(one)).collect()
    }

    fn regex(&mut self, value: &Value<'_>) -> Option<Regex> {
        let Some(text) = value.get_ref().as_str() else {
            self.skip(value, "Expected a regular expression", "Write it in three single quotes.");
            return None;
        };
        // RE2 writes the end of the text as `\z`, as the library does.
        match compile_pattern(text) {
            Ok(regex) => Some(regex),
            Err(reason) => {
                let message = format!("Retake cannot read this regular expression: {reason}");
                self.skip(value, &message, "Write it without the part that is not supported, or add the form to [secrets] in retake.toml.");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::secret::{find, find_named};

    const FILE: &str = r#"
title = "ours"
[extend]
useDefault = true
[[rules]]
id = "acme-key"
regex = '''(?i)acme[a-z_]*["\s=:]+([a-z0-9]{16})'''
keywords = ["ACME"]
entropy = 3
[[rules]]
id = "ticket-code"
regex = '''T-([0-9]{4})-([0-9]{4})'''
secretGroup = 2
path = '''private/'''
[rules.allowlist]
regexes = ['''^0000$''']
[[rules]]
id = "odd"
regex = '''(?<=x)y'''
[[rules]]
id = "far"
regex = "x"
secretGroup = 3
[allowlist]
paths = ['''fakes/''']
stopwords = ["Notreal"]
[[allowlists]]
condition = "AND"
regexes = ["a"]
"#;

    fn read() -> (CustomPatterns, Vec<Problem>) {
        read_gitleaks(&Source::new(FILE))
    }

    #[test]
    fn its_rules_and_allow_lists_count_as_those_of_the_project() {
        let (own, _) = read();
        let found = |text: &str, own: &CustomPatterns| {
            let found = find(text, own).into_iter();
            let found = found.map(|it| format!("{}: {}", it.kind.name, &text[it.range]));
            found.collect::<Vec<_>>()
        };
        let key = ["a1b2c3d4", "e5f6g7h8"].concat();
        let in_text = found(&format!("acme_key = {key}"), &own);
        assert_eq!(in_text, [format!("a secret of the rule acme-key: {key}")]);
        let named = find_named("acme_code", &key, &own);
        assert_eq!(named.first().map(|it| it.range.clone()), Some(0..16));
        // Too little entropy, no keyword, a stop word.
        assert_eq!(found("acme_key = aaaaaaaaaaaaaaaa", &own), [""; 0]);
        assert_eq!(found("acne_key = a1b2c3d4e5f6g7hh", &own), [""; 0]);
        assert_eq!(found("acme_key = a1b2c3notrealh8", &own), [""; 0]);
        // A rule for paths, with its own allow list.
        let codes = "T-1111-2222 T-1111-0000";
        let there = own.for_path("private/a.json");
        assert_eq!(found(codes, &there), ["a secret of the rule ticket-code: 2222"]);
        assert_eq!(found(codes, &own.for_path("a.json")), [""; 0]);
        let mail = "me@private.dev";
        assert_eq!(found(mail, &own.for_path("fakes/a.json")), [""; 0]);
        assert_eq!(found(mail, &own.for_path("a.json")).len(), 1);
    }

    #[test]
    fn the_number_of_rules_is_limited() {
        let rules = (0..300)
            .map(|number| format!("[[rules]]\nid = 'r{number}'\nregex = 'ACME-{number}-x'\n"));
        let (own, problems) = read_gitleaks(&Source::new(rules.collect::<String>()));
        let messages: Vec<&str> = problems.iter().map(|it| &*it.message).collect();
        assert_eq!(
            messages,
            ["Retake uses the first 250 of the 300 rules, because each takes time to compile"]
        );
        assert_eq!(find("ACME-249-x ACME-250-x", &own).len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_a_warning_at_its_place() {
        let (_, problems) = read();
        let lines = problems.iter();
        let lines: Vec<String> =
            lines.map(|it| format!("{} {:?} {}", it.place, it.severity, it.message)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        19:9 Warning Retake cannot read this regular expression: look-around, including look-ahead and look-behind, is not supported
        23:15 Warning The regular expression has no group 3
        28:13 Warning Retake does not support this `condition`, and skips the allow list
        ");
        let (own, problems) = read_gitleaks(&Source::new("[[rules]]\nregex = 'a"));
        assert_eq!((own, problems.len()), (CustomPatterns::default(), 1));
    }
}
