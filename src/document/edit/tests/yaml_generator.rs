//! Generates YAML documents in all styles of YAML.

use serde_json::Value;

use super::generate::Choices;
use crate::yaml::write::{self, ScalarContext};

struct YamlGenerator<'a, 'c> {
    text: String,
    newline: &'static str,
    choices: &'c mut Choices<'a>,
    /// Number of anchors, and those that are complete, with whether they name a mapping.
    anchors: usize,
    complete: Vec<(usize, bool)>,
    has_comments: bool,
}

/// Generates a document with `value`, except for aliases and merges.
pub(super) fn document(value: &Value, choices: &mut Choices<'_>) -> String {
    let mut page = YamlGenerator {
        text: choices.one_of(&["", "", "", "\u{feff}"]).to_owned(),
        newline: choices.one_of(&["\n", "\n", "\r\n"]),
        has_comments: !choices.rarely(3),
        choices,
        anchors: 0,
        complete: Vec::new(),
    };
    let start = page.choices.one_of(&["", "", "# top", "---", "--- # top", "%YAML 1.1\n---"]);
    if !start.is_empty() {
        let start = start.replace('\n', page.newline);
        page.text.push_str(&start);
        page.line(0);
    }
    page.value(value, ParentPosition::Document);
    let end = page.choices.one_of(&["", "\n", "\n", "\n", "\n\n", "\n# end\n", "\n...\n"]);
    let end = end.replace('\n', page.newline);
    page.text.push_str(&end);
    page.text
}

#[derive(Clone, Copy)]
enum ParentPosition {
    Document,
    /// Behind the colon of a key at this column.
    Key(usize),
    /// Behind the dash of a list at this column.
    Dash(usize),
}

impl YamlGenerator<'_, '_> {
    fn line(&mut self, column: usize) {
        self.text.push_str(self.newline);
        self.text.extend(std::iter::repeat_n(' ', column));
    }

    fn comment(&mut self) {
        let comment = self.choices.one_of(&["", "", "", "", "  ", " # note", "   # one: two"]);
        if self.has_comments || comment.trim().is_empty() {
            self.text.push_str(comment);
        }
    }

    /// Generates text that is allowed between two parts in block style.
    fn between(&mut self, column: usize) {
        self.comment();
        if self.choices.rarely(7) {
            self.text.push_str(self.newline);
        }
        if self.has_comments && self.choices.rarely(6) {
            self.line(column);
            self.text.push_str("# about the next");
        }
        self.line(column);
    }

    fn value(&mut self, value: &Value, position: ParentPosition) {
        let is_part = !matches!(position, ParentPosition::Document);
        if is_part && !self.complete.is_empty() && self.choices.rarely(9) {
            let index = self.choices.below(self.complete.len());
            return self.text.push_str(&format!(" *a{}", self.complete[index].0));
        }
        let tag = match value {
            Value::String(_) => " !!str",
            Value::Array(_) => " !!seq",
            Value::Object(_) => " !!map",
            _ => "",
        };
        let has_tag = is_part && !tag.is_empty() && self.choices.rarely(12);
        if has_tag {
            self.text.push_str(tag);
        }
        if !is_part || !self.choices.rarely(9) {
            return self.own_value(value, position, has_tag);
        }
        self.anchors += 1;
        let anchor = self.anchors;
        self.text.push_str(&format!(" &a{anchor}"));
        self.own_value(value, position, true);
        self.complete.push((anchor, value.is_object()));
    }

    fn own_value(&mut self, value: &Value, position: ParentPosition, has_properties: bool) {
        let (gap, parent) = match position {
            ParentPosition::Document => ("", 0),
            ParentPosition::Key(column) | ParentPosition::Dash(column) => (" ", column),
        };
        let is_part = !matches!(position, ParentPosition::Document);
        let is_empty = value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(|map| map.is_empty());
        match value {
            Value::Null if is_part && self.choices.rarely(3) => {}
            Value::String(text)
                if self.choices.rarely(2) && self.block_text(text, gap, position) => {}
            Value::String(text)
                if self.choices.rarely(3) && self.long_text(text, gap, parent + 1) => {}
            Value::Array(_) | Value::Object(_) if !is_empty && !self.choices.rarely(4) => {
                let column = match position {
                    ParentPosition::Document => 0,
                    ParentPosition::Dash(column)
                        if !has_properties && self.choices.below(3) > 0 =>
                    {
                        let gap = self.choices.one_of(&[1, 1, 1, 3]);
                        self.text.extend(std::iter::repeat_n(' ', gap));
                        return self.block(value, column + 1 + gap);
                    }
                    ParentPosition::Key(column) if value.is_array() => {
                        column + self.choices.one_of(&[0, 2, 4])
                    }
                    ParentPosition::Key(column) | ParentPosition::Dash(column) => {
                        column + self.choices.one_of(&[2, 2, 4])
                    }
                };
                if is_part {
                    self.between(column);
                }
                self.block(value, column);
            }
            _ => {
                if is_part && self.choices.rarely(12) {
                    self.line(parent + 2);
                } else {
                    self.text.push_str(gap);
                }
                self.flow(value, parent + 2);
            }
        }
    }

    fn block(&mut self, value: &Value, column: usize) {
        match value {
            Value::Array(list) => {
                for (index, part) in list.iter().enumerate() {
                    if index > 0 {
                        self.between(column);
                    }
                    self.text.push('-');
                    self.value(part, ParentPosition::Dash(column));
                }
            }
            Value::Object(map) => {
                for (index, (key, part)) in map.iter().enumerate() {
                    if index > 0 {
                        self.between(column);
                    }
                    let mapping = self.complete.iter().rfind(|(_, is_mapping)| *is_mapping);
                    if let (Some((anchor, _)), 0, true) = (mapping, index, self.choices.rarely(5)) {
                        self.text.push_str(&format!("<<: *a{anchor}"));
                        self.between(column);
                    }
                    if self.choices.rarely(20) {
                        self.text.push_str("? ");
                        self.scalar(key, ScalarContext::Block);
                        self.line(column);
                    } else {
                        let properties =
                            self.choices.one_of(&["", "", "", "", "", "", "", "!!str "]);
                        self.text.push_str(properties);
                        self.scalar(key, ScalarContext::Block);
                    }
                    self.text.push(':');
                    self.value(part, ParentPosition::Key(column));
                }
            }
            _ => {}
        }
    }

    /// Returns a text as a block, if a plain reader can see that it fits.
    fn block_text(&mut self, text: &str, gap: &str, position: ParentPosition) -> bool {
        let body = text.trim_end_matches('\n');
        let is_simple = |c: char| c.is_ascii_lowercase() || matches!(c, ' ' | '\n' | 'é');
        let fits =
            !body.is_empty() && !body.starts_with([' ', '\n']) && body.chars().all(is_simple);
        if !fits || body.ends_with(' ') {
            return false;
        }
        let sign = if body.contains("\n ") || body.contains(" \n") || body.contains("\n\n") {
            "|"
        } else {
            self.choices.one_of(&["|", "|", ">"])
        };
        let column = match position {
            ParentPosition::Document => 2,
            ParentPosition::Key(column) | ParentPosition::Dash(column) => {
                column + self.choices.one_of(&[1, 2, 4])
            }
        };
        let chomp = self.choices.one_of(&["-", "", "+"]);
        self.text.push_str(&format!("{gap}{sign}{chomp}"));
        if self.has_comments && self.choices.rarely(8) {
            self.text.push_str(" # header");
        }
        for line in body.split('\n') {
            self.text.push_str(self.newline);
            if !line.is_empty() {
                self.text.extend(std::iter::repeat_n(' ', column));
                self.text.push_str(line);
            }
        }
        true
    }

    /// Writes a text that continues on the next line, with or without quotes.
    fn long_text(&mut self, text: &str, gap: &str, column: usize) -> bool {
        let words: Vec<&str> = text.split(' ').collect();
        let is_word =
            |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        if words.len() < 2 || !words.iter().all(is_word) {
            return false;
        }
        let quote = self.choices.one_of(&["", "'", "\""]);
        let depth = self.choices.below(3);
        self.text.push_str(gap);
        self.text.push_str(quote);
        for (index, word) in words.iter().enumerate() {
            match index {
                0 => {}
                _ if self.choices.rarely(2) => self.text.push(' '),
                _ => self.line(column + depth),
            }
            self.text.push_str(word);
        }
        self.text.push_str(quote);
        true
    }

    fn flow(&mut self, value: &Value, column: usize) {
        let (open, close, parts): (char, char, Vec<(Option<&String>, &Value)>) = match value {
            Value::Array(list) => ('[', ']', list.iter().map(|value| (None, value)).collect()),
            Value::Object(map) => {
                ('{', '}', map.iter().map(|(key, value)| (Some(key), value)).collect())
            }
            Value::String(text) => return self.scalar(text, ScalarContext::Flow),
            Value::Number(number) => {
                let number = write::number(&number.to_string());
                return self.text.push_str(&number);
            }
            Value::Null => return self.text.push_str(self.choices.one_of(&["null", "~"])),
            Value::Bool(is) => return self.text.push_str(if *is { "true" } else { "false" }),
        };
        let is_long = self.choices.rarely(4);
        let pad = self.choices.one_of(&["", "", " "]);
        let comma = self.choices.one_of(&[", ", ", ", ",", " , "]);
        self.text.push(open);
        for (index, (key, part)) in parts.iter().enumerate() {
            match (is_long, index) {
                (false, 0) => self.text.push_str(pad),
                (false, _) => self.text.push_str(comma),
                (true, 0) => self.between(column),
                (true, _) => {
                    self.text.push(',');
                    self.between(column);
                }
            }
            if let Some(key) = key {
                self.scalar(key, ScalarContext::Flow);
                self.text.push_str(": ");
            }
            self.flow(part, column + 2);
        }
        if is_long && !parts.is_empty() {
            self.text.push_str(self.choices.one_of(&["", ","]));
            self.comment();
            self.line(column.saturating_sub(1));
        } else if !parts.is_empty() {
            self.text.push_str(pad);
        }
        self.text.push(close);
    }

    fn scalar(&mut self, text: &str, spot: ScalarContext) {
        let is_plain = text.chars().all(|c| c.is_ascii_lowercase() || matches!(c, ' ' | 'é'))
            && text.trim() == text
            && !["", "no", "on", "y", "true", "null"].contains(&text);
        let is_single = text.chars().all(|c| (' '..='~').contains(&c));
        let text_yaml = match self.choices.below(3) {
            0 if is_single => format!("'{}'", text.replace('\'', "''")),
            1 | 2 if is_plain && text.len() < 9 || write::plain(text, spot).is_none() => {
                write::double_quoted(text)
            }
            _ if is_plain => text.to_owned(),
            _ => write::double_quoted(text),
        };
        self.text.push_str(&text_yaml);
    }
}
