//! A form for the input of a tool: a field for each property of its schema, and validation.

use super::schema::{FieldKind, InputSchemaField, Misfit, fields, misfits};
use calls::javascript::stringify;
use calls::json::Json;
use document::json::quote;
use document::text::Source;
use document::{Node, NodeKind, json, member_pointer};

/// A form for the input of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputForm {
    /// Fields in the order of the schema; empty if it names no property.
    pub entries: Vec<InputField>,
    /// The whole input as JSON, for a tool whose schema names no property; an empty text means `{}`.
    pub whole: String,
}

/// One field of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputField {
    /// The property of the schema.
    pub field: InputSchemaField,
    /// The entered value: plain text for strings, else JSON. An empty field is left out, or null if it is required and may be.
    pub typed: String,
    /// The kind of its value, by its position among several.
    pub alternative: usize,
}

/// The input that was entered in a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledInput {
    /// The input as JSON, without values that are not valid JSON.
    pub json: String,
    /// A violation of the schema.
    pub misfits: Vec<Misfit>,
}

impl InputForm {
    /// Creates an empty form for a schema.
    pub fn new(schema: Option<Node<'_>>) -> Self {
        let entries = schema.map(fields).unwrap_or_default().into_iter().map(|field| InputField {
            field,
            typed: String::new(),
            alternative: 0,
        });
        Self { entries: entries.collect(), whole: String::new() }
    }

    /// Fills in the values of an input. Values without a field in the form are lost.
    pub fn fill(&mut self, input: Node<'_>) {
        if self.entries.is_empty() {
            self.whole = stringify(input);
        }
        for entry in &mut self.entries {
            let value = input.get(&entry.field.name);
            if let (Some(value), FieldKind::OneOf(all)) = (value, &entry.field.kind) {
                let fitting = all.iter().position(|one| one.kind.fits(value));
                entry.alternative = fitting.unwrap_or_default();
            }
            entry.typed = match (value, entry.kind()) {
                (None, _) => String::new(),
                // An empty field is written as null again if it is required, and else left out.
                (Some(value), _) if value.kind() == NodeKind::Null && entry.field.is_nullable => {
                    String::new()
                }
                (Some(value), FieldKind::Text) if value.kind() == NodeKind::String => {
                    value.as_str().unwrap_or_default().to_owned()
                }
                (Some(value), _) => stringify(value),
            };
        }
    }

    /// Returns the entered input with its schema violations.
    pub fn to_input(&self, schema: Option<Node<'_>>) -> FilledInput {
        let (mut members, mut flaws) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            // An empty text may be meant where a value is required and may be null.
            if entry.typed.is_empty() && !(entry.field.is_required && entry.field.is_nullable) {
                continue;
            }
            match entry.json() {
                Ok(value) => members.push((entry.field.name.as_str(), Json::raw(value))),
                Err(message) => {
                    flaws.push(Misfit { pointer: member_pointer("", &entry.field.name), message });
                }
            }
        }
        let json = if self.entries.is_empty() {
            if self.whole.trim().is_empty() {
                "{}".to_owned()
            } else {
                value(&self.whole).unwrap_or_else(|| {
                    flaws.push(Misfit {
                        pointer: String::new(),
                        message: "This is not valid JSON".to_owned(),
                    });
                    "{}".to_owned()
                })
            }
        } else {
            Json::object(members).into_string()
        };
        let (tree, _) = json::parse(&Source::new(json.as_str()));
        if let (Some(schema), Some(root)) = (schema, tree.root()) {
            // A value that is not JSON is left out of the input, and would also be reported as missing.
            let is_new = |misfit: &Misfit| flaws.iter().all(|o| o.pointer != misfit.pointer);
            let more: Vec<Misfit> = misfits(schema, root).into_iter().filter(is_new).collect();
            flaws.extend(more);
        }
        FilledInput { json, misfits: flaws }
    }
}

impl InputField {
    /// Returns the kind of its value; of several kinds, the chosen one.
    pub fn kind(&self) -> &FieldKind {
        match &self.field.kind {
            FieldKind::OneOf(all) => {
                all.get(self.alternative).map_or(&FieldKind::Json, |alternative| &alternative.kind)
            }
            kind => kind,
        }
    }

    /// Chooses the kind of its value, and starts with the least value of this kind.
    pub fn choose(&mut self, alternative: usize) {
        if let FieldKind::OneOf(all) = &self.field.kind
            && let Some(alternative_kind) = all.get(alternative)
        {
            self.typed.clone_from(&alternative_kind.template);
            self.alternative = alternative;
        }
    }

    /// Returns the entered value as JSON.
    fn json(&self) -> Result<String, String> {
        let text = self.typed.as_str();
        if text.is_empty() {
            // Only a required field that may be null is written without a value.
            return Ok("null".to_owned());
        }
        if *self.kind() == FieldKind::Text {
            return Ok(quote(text));
        }
        value(text).ok_or_else(|| match self.kind() {
            FieldKind::Number { .. } => "This is not a number".to_owned(),
            _ => "This is not valid JSON".to_owned(),
        })
    }
}

impl FilledInput {
    /// Returns the violations in a field or inside its value.
    pub fn misfits_at(&self, field: &str) -> impl Iterator<Item = &Misfit> {
        let at = member_pointer("", field);
        self.misfits.iter().filter(move |misfit| {
            let rest = misfit.pointer.strip_prefix(&at);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// Parses a JSON value and returns it as JavaScript writes it; `None` if it is not valid.
fn value(text: &str) -> Option<String> {
    let (tree, _) = json::parse(&Source::new(text));
    tree.root().filter(|_| tree.fault().is_none()).map(stringify)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "required": ["reason"], "properties": {
        "reason": {"type": "string", "minLength": 3}, "day": {"type": "integer"}, "is/it": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}}}"#;

    /// Returns the result of filling in a form, field by field.
    fn filled(schema: &str, texts: &[&str]) -> String {
        let (tree, _) = json::parse(&Source::new(schema));
        let mut form = InputForm::new(tree.root());
        if form.entries.is_empty() {
            form.whole = texts.concat();
        } else {
            let entries = form.entries.iter_mut().zip(texts);
            entries.for_each(|(entry, text)| entry.typed = (*text).to_owned());
        }
        let filled = form.to_input(tree.root());
        let misfits =
            filled.misfits.iter().map(|misfit| format!("\n{} {}", misfit.pointer, misfit.message));
        format!("{}{}", filled.json, misfits.collect::<String>())
    }

    #[test]
    fn what_is_filled_in_becomes_an_input_and_is_held_against_the_schema() {
        insta::assert_snapshot!(filled(SCHEMA, &["Say \"so\"", "7", "true", "[ \"a\" ]"]), @r#"{"reason":"Say \"so\"","day":7,"is/it":true,"tags":["a"]}"#);
        insta::assert_snapshot!(filled(SCHEMA, &["", "soon", "", "[1, \"b\"]"]), @r#"
        {"tags":[1,"b"]}
        /day This is not a number
        /reason `reason` is missing
        /tags/0 Expected a text, found 1
        "#);
        insta::assert_snapshot!(filled(SCHEMA, &["so", "1.5", "maybe", "[1"]), @r#"
        {"reason":"so","day":1.5}
        /is~1it This is not valid JSON
        /tags This is not valid JSON
        /reason Expected at least 3 characters
        /day Expected a whole number, found 1.5
        "#);
        insta::assert_snapshot!(filled("{}", &[""]), @"{}");
        insta::assert_snapshot!(filled("{}", &["{\"b\": 1, \"a\": 2}"]), @r#"{"b":1,"a":2}"#);
        insta::assert_snapshot!(filled("{\"type\": \"object\"}", &["nothing"]), @"
        {}
         This is not valid JSON
        ");
    }

    proptest::proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn an_input_that_is_filled_in_comes_out_again(reason in ".{1,20}", day in 0i64..99, tags in proptest::collection::vec("[a-z]{1,3}", 0..3)) {
            let (schema, _) = json::parse(&Source::new(SCHEMA));
            let tags: Vec<String> = tags.iter().map(|tag| quote(tag)).collect();
            let input = format!("{{\"reason\":{},\"day\":{day},\"tags\":[{}]}}", quote(&reason), tags.join(","));
            let (tree, _) = json::parse(&Source::new(input.as_str()));
            let mut form = InputForm::new(schema.root());
            form.fill(tree.root().unwrap());
            let json = form.to_input(schema.root()).json;
            let (again, _) = json::parse(&Source::new(json.as_str()));
            proptest::prop_assert_eq!(stringify(again.root().unwrap()), stringify(tree.root().unwrap()));
        }
    }
}
