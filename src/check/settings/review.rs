//! `[[review.ignore]]`: differences that a review of regenerated recordings ignores.

use regex::Regex;
use toml::Spanned;
use toml::de::DeValue;

use super::SettingsReader;
use compare::review::IgnoreRule;
use document::text::quoted;

const HELP: &str = "Write a table [[review.ignore]] with at = '/**/usage'; text = 'build \\d+' and tolerance = 0.01 restrict it.";

impl SettingsReader<'_> {
    pub(super) fn review(&mut self, value: &Spanned<DeValue>) {
        let Some(table) = self.toml.table(value, "/review", HELP) else { return };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "ignore" => {
                    let rules = value.get_ref().as_array();
                    let rules =
                        self.toml.expect(rules, "a list of tables", value, "/review/ignore", HELP);
                    for (index, rule) in rules.into_iter().flatten().enumerate() {
                        let rule = self.rule(rule, &format!("/review/ignore/{index}"));
                        self.settings.review.extend(rule);
                    }
                }
                "difftool" => {
                    let difftool =
                        self.toml.text(value, "/review/difftool", "Write difftool = 'meld'.");
                    self.settings.difftool = difftool.map(str::to_owned);
                }
                _ => self.toml.report_key(key, "/review", &["difftool", "ignore"]),
            }
        }
    }

    /// Reads one rule. A rule that is not understood completely is skipped: it would ignore more than intended.
    fn rule(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Option<IgnoreRule> {
        let count = self.toml.problems.len();
        let table = self.toml.table(value, pointer, HELP)?;
        let (mut at, mut text, mut tolerance) = (None, None, None);
        for (key, value) in table {
            let place = format!("{pointer}/{}", key.get_ref());
            match key.get_ref().as_ref() {
                "at" => at = self.toml.text(value, &place, HELP),
                "text" => text = self.regex(value, &place),
                "tolerance" => tolerance = self.number(value, &place),
                _ => self.toml.report_key(key, pointer, &["at", "text", "tolerance"]),
            }
        }
        let rule = at
            .ok_or_else(|| "`at` is missing".to_owned())
            .and_then(IgnoreRule::at)
            .map_err(|text| self.toml.report_value(value, pointer, &text, HELP))
            .ok()?;
        (self.toml.problems.len() == count).then_some(IgnoreRule { text, tolerance, ..rule })
    }

    fn regex(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Option<Regex> {
        let text = self.toml.text(value, pointer, HELP)?;
        let regex = Regex::new(text);
        if regex.is_err() {
            let message = format!("{} is not a regular expression", quoted(text));
            let help = "In TOML, write regular expressions in single quotes: '\\d{12}'.";
            self.toml.report_value(value, pointer, &message, help);
        }
        regex.ok()
    }

    fn number(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Option<f64> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        // This also excludes NaN, which TOML can write.
        let number = number.filter(|number: &f64| *number >= 0.0);
        self.toml.expect(number, "a number that is not negative", value, pointer, HELP)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use document::text::Source;

    #[test]
    fn rules_are_read_as_they_are_written() {
        let text = "[[review.ignore]]\nat = '/**/usage'\n\n[[review.ignore]]\nat = 'note'\ntext = 'build \\d+'\n\n[[review.ignore]]\nat = '/x'\ntolerance = 0.5\n";
        let (settings, problems) = parse(&Source::new(text));
        assert!(problems.is_empty(), "{problems:?}");
        let texts: Vec<String> = settings.review.iter().map(|rule| rule.toml()).collect();
        assert_eq!(texts.join("\n"), text);
    }

    #[test]
    fn a_rule_that_is_not_understood_is_none() {
        let text = "[review]\nignored = 1\nignore = [{ text = 'a' }, { at = '/a', text = '(' }, { at = '/a', tolerance = -1 }, { at = '' }, 5]\n";
        let (settings, problems) = parse(&Source::new(text));
        assert!(settings.review.is_empty());
        let lines = problems.iter().map(|p| format!("{} {} {}\n", p.place, p.pointer, p.message));
        insta::assert_snapshot!(lines.collect::<String>(), @"
        2:1 /review/ignored Unknown setting `ignored`; did you mean `ignore`?
        3:11 /review/ignore/0 `at` is missing
        3:47 /review/ignore/1/text `(` is not a regular expression
        3:79 /review/ignore/2/tolerance Expected a number that is not negative, found a number
        3:85 /review/ignore/3 The pattern is empty
        3:98 /review/ignore/4 Expected a table, found a number
        ");
    }
}
