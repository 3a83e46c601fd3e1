//! Reads TOML with a place for everything that is not understood.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use document::text::{Source, Span, quoted, upper_first};
use document::{Problem, RuleId};

/// Reads the values of a settings file, and collects what is wrong with them.
#[derive(Debug)]
pub struct TomlReader<'a> {
    pub(super) source: &'a Source,
    pub(super) problems: Vec<Problem>,
}

impl<'a> TomlReader<'a> {
    /// Creates a reader of a text.
    pub fn new(source: &'a Source) -> Self {
        Self { source, problems: Vec::new() }
    }

    /// Parses the text, and reports its first syntax error. Returns what was understood; `None` if the text is not UTF-8.
    pub fn parse(&mut self) -> Option<Spanned<DeTable<'a>>> {
        if self.source.fault().is_some() {
            let help = "Save the file as UTF-8.";
            self.report(RuleId::Encoding, Span::default(), "", "The file is not UTF-8", help);
            return None;
        }
        let (table, faults) = DeTable::parse_recoverable(self.source.text());
        // One error causes others, so only the first is reported.
        if let Some(fault) = faults.first() {
            let start = fault.span().map_or(0, |span| span.start);
            let message = upper_first(fault.message().trim());
            let help = "Fix the text at the marked place; until then the defaults apply. In TOML, strings are in quotes.";
            self.report(RuleId::Syntax, Span::empty(start), "", &message, help);
        }
        Some(table)
    }

    /// Returns what was reported, in the order of the text.
    pub fn into_problems(mut self) -> Vec<Problem> {
        // The parser sorts tables by their keys, not by their places.
        self.problems.sort_by_key(|problem| problem.span);
        self.problems
    }

    fn report(&mut self, rule: RuleId, span: Span, pointer: &str, message: &str, help: &str) {
        self.problems.push(Problem::at(rule, self.source, span, pointer, message).with_help(help));
    }

    /// Reports a value that its key does not accept.
    pub fn report_value<T>(&mut self, value: &Spanned<T>, pointer: &str, text: &str, help: &str) {
        let span = value.span();
        self.report(RuleId::WrongType, Span::new(span.start, span.end), pointer, text, help);
    }

    /// Reports an unknown key, so that the user does not rely on it.
    pub fn report_key(&mut self, key: &Spanned<DeString>, table: &str, known_keys: &[&str]) {
        let name: &str = key.get_ref();
        // Each suggestion compares the name with all known ones, which adds up in a file of unknown keys.
        let is_crowded = self.problems.len() >= super::MAX_SUGGESTIONS;
        let candidates = if is_crowded { &[] } else { known_keys };
        // 0.6 is the default cutoff of Python's function of this name (`difflib`).
        let matches = similar::get_close_matches(name, candidates, 1, 0.6);
        let advice = match matches.first() {
            Some(nearest_key) => format!("; did you mean `{nearest_key}`?"),
            None => String::new(),
        };
        let message = format!("Unknown setting {}{advice}", quoted(name));
        let help = format!("The settings here are {}.", known_keys.join(", "));
        self.report_value(key, &format!("{table}/{name}"), &message, &help);
    }

    /// Returns a string; a value of another type is reported.
    /// Reports a value that is not of the expected type.
    pub(super) fn expect<T>(
        &mut self,
        content: Option<T>,
        expected: &str,
        value: &Spanned<DeValue>,
        pointer: &str,
        help: &str,
    ) -> Option<T> {
        if content.is_none() {
            let message = describe_wrong_type(expected, value.get_ref());
            self.report_value(value, pointer, &message, help);
        }
        content
    }

    pub fn text<'v>(
        &mut self,
        value: &'v Spanned<DeValue>,
        pointer: &str,
        help: &str,
    ) -> Option<&'v str> {
        self.expect(value.get_ref().as_str(), "a string", value, pointer, help)
    }

    /// Returns a table; a value of another type is reported.
    pub fn table<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        pointer: &str,
        help: &str,
    ) -> Option<&'v DeTable<'i>> {
        self.expect(value.get_ref().as_table(), "a table", value, pointer, help)
    }

    /// Returns the strings of a list; values of other types are reported.
    pub fn texts<'v, 'i>(
        &mut self,
        value: &'v Spanned<DeValue<'i>>,
        pointer: &str,
        help: &str,
    ) -> Vec<(&'v Spanned<DeValue<'i>>, &'v str)> {
        let list = value.get_ref().as_array();
        let list = self.expect(list, "a list of strings", value, pointer, help);
        let texts = list.into_iter().flatten().enumerate().filter_map(|(index, element)| {
            Some((element, self.text(element, &format!("{pointer}/{index}"), help)?))
        });
        texts.collect()
    }
}

fn describe_wrong_type(expected: &str, value: &DeValue) -> String {
    let kind = match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    format!("Expected {expected}, found {kind}")
}
