//! `[[answer]]`: rules that answer requests which wait at a queue.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SettingsReader;
use document::text::{Source, quoted};
use document::{NodeKind, json};
use play::live::queue::{AnswerRule, RuleAnswer};

const HELP: &str = "Write a table [[answer]] with name = 'intake-reads', one of node, offers and says, and one of tool, text and recording.";

pub(super) const KEYS: &[&str] = &[
    "name",
    "node",
    "offers",
    "says",
    "tool",
    "input",
    "before",
    "text",
    "recording",
    "reasoning",
];

/// The fields of a rule.
#[derive(Default)]
struct AnswerFields<'v> {
    name: Option<&'v str>,
    node: Option<&'v str>,
    offers: Vec<String>,
    says: Option<&'v str>,
    tool: Option<&'v str>,
    input: Option<&'v str>,
    before: Option<&'v str>,
    text: Option<&'v str>,
    recording: Option<&'v str>,
    reasoning: Option<&'v str>,
}

impl SettingsReader<'_> {
    pub(super) fn answers(&mut self, value: &Spanned<DeValue>) {
        let rules = value.get_ref().as_array();
        let rules = self.toml.expect(rules, "a list of tables", value, "/answer", HELP);
        for (index, value) in rules.into_iter().flatten().enumerate() {
            let pointer = format!("/answer/{index}");
            let Some(rule) = self.answer(value, &pointer) else { continue };
            // The log of a queue names the rule that answered.
            let is_same_name = |other: &AnswerRule| other.name == rule.name;
            if self.settings.answers.iter().any(is_same_name) {
                let message = format!("Another rule has the name {}", quoted(&rule.name));
                self.toml.report_value(value, &pointer, &message, "Give each rule a unique name.");
            } else {
                self.settings.answers.push(rule);
            }
        }
    }

    /// Reads one rule. What is not understood in it makes it no rule: it would answer what it is not meant for.
    fn answer(&mut self, value: &Spanned<DeValue>, pointer: &str) -> Option<AnswerRule> {
        let problem_count = self.toml.problems.len();
        let table = self.toml.table(value, pointer, HELP)?;
        let fields = self.read_fields(table, pointer);
        if self.toml.problems.len() > problem_count {
            return None;
        }
        let rule = fields.into_rule();
        rule.map_err(|message| self.toml.report_value(value, pointer, message, HELP)).ok()
    }

    fn read_fields<'v>(&mut self, table: &'v DeTable, pointer: &str) -> AnswerFields<'v> {
        let mut fields = AnswerFields::default();
        for (key, value) in table {
            let place = format!("{pointer}/{}", key.get_ref());
            let slot = match key.get_ref().as_ref() {
                "offers" => {
                    let texts = self.toml.texts(value, &place, "Write tools as a list.");
                    fields.offers = texts.iter().map(|(_, tool)| (*tool).to_owned()).collect();
                    continue;
                }
                "input" => {
                    fields.input = self.input(value, &place);
                    continue;
                }
                "name" => &mut fields.name,
                "node" => &mut fields.node,
                "says" => &mut fields.says,
                "tool" => &mut fields.tool,
                "before" => &mut fields.before,
                "text" => &mut fields.text,
                "recording" => &mut fields.recording,
                "reasoning" => &mut fields.reasoning,
                _ => {
                    self.toml.report_key(key, pointer, KEYS);
                    continue;
                }
            };
            *slot = self.toml.text(value, &place, HELP);
        }
        fields
    }

    /// Returns the input of a tool from a text that is a JSON object.
    fn input<'v>(&mut self, value: &'v Spanned<DeValue>, pointer: &str) -> Option<&'v str> {
        let help =
            "Write the input as JSON in single quotes: input = '{\"reason\": \"paid twice\"}'.";
        let text = self.toml.text(value, pointer, help)?;
        let (tree, _) = json::parse(&Source::new(text));
        let is_object = tree.root().is_some_and(|root| root.kind() == NodeKind::Object);
        if tree.fault().is_some() || !is_object {
            self.toml.report_value(value, pointer, "The input is not a JSON object", help);
            return None;
        }
        Some(text)
    }
}

impl AnswerFields<'_> {
    fn into_rule(self) -> Result<AnswerRule, &'static str> {
        let owned_text = |text: Option<&str>| text.map(str::to_owned);
        let answer = match (self.tool, self.text, self.recording) {
            (Some(tool), None, None) => RuleAnswer::Call {
                tool: tool.to_owned(),
                // A tool without parameters gets an empty object.
                input: self.input.unwrap_or("{}").to_owned(),
                text: self.before.unwrap_or_default().to_owned(),
            },
            (None, Some(text), None) => RuleAnswer::Text(text.to_owned()),
            (None, None, Some(path)) => RuleAnswer::Recording(path.to_owned()),
            (None, None, None) => {
                return Err("The rule has no answer: `tool`, `text` and `recording` are missing");
            }
            _ => {
                return Err(
                    "The rule has several answers: use only one of `tool`, `text` and `recording`",
                );
            }
        };
        if self.tool.is_none() && (self.input.is_some() || self.before.is_some()) {
            return Err("`input` and `before` require a `tool`");
        }
        let rule = AnswerRule {
            name: owned_text(self.name).ok_or("`name` is missing")?,
            node: owned_text(self.node),
            offers: self.offers,
            says: owned_text(self.says),
            answer,
            reasoning: owned_text(self.reasoning),
        };
        if rule.has_condition() {
            Ok(rule)
        } else {
            Err("The rule would answer every request: `node`, `offers` and `says` are missing")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use document::text::Source;

    #[test]
    fn a_rule_that_is_not_understood_is_none() {
        let text = "[[answer]]\nname = 'a'\nnod = 'x'\ntext = 'y'\n\n[[answer]]\nname = 'b'\ntext = 'y'\n\n\
            [[answer]]\nname = 'c'\nnode = 'x'\ntool = 'go'\ninput = '[]'\n\n[[answer]]\nname = 'd'\nnode = 'x'\n\n\
            [[answer]]\nname = 'e'\nnode = 'x'\ntext = 'y'\ntool = 'go'\n\n[[answer]]\nname = 'f'\nsays = 'x'\ntext = 'y'\n\n\
            [[answer]]\nname = 'f'\nsays = 'x'\ntext = 'z'\n\n[[answer]]\nsays = 'x'\ntext = 'z'\n\n\
            [[answer]]\nname = 'g'\nsays = 'x'\ntext = 'z'\nbefore = 'a'\n";
        let (settings, problems) = parse(&Source::new(text));
        let names: Vec<&str> = settings.answers.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["f"]);
        let lines = problems.iter().map(|p| format!("{} {} {}\n", p.place, p.pointer, p.message));
        insta::assert_snapshot!(lines.collect::<String>(), @"
        3:1 /answer/0/nod Unknown setting `nod`; did you mean `node`?
        6:1 /answer/1 The rule would answer every request: `node`, `offers` and `says` are missing
        14:9 /answer/2/input The input is not a JSON object
        16:1 /answer/3 The rule has no answer: `tool`, `text` and `recording` are missing
        20:1 /answer/4 The rule has several answers: use only one of `tool`, `text` and `recording`
        31:1 /answer/6 Another rule has the name `f`
        36:1 /answer/7 `name` is missing
        40:1 /answer/8 `input` and `before` require a `tool`
        ");
    }
}
