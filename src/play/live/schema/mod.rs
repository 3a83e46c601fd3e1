//! The input schema of a tool: its fields, and validation of values.
//!
//! Supports what offered tools use, as pydantic and zod write it: `type`, `nullable`, `enum`, `const`, `$ref` within the schema,
//! `anyOf`, `oneOf`, `allOf`, `not`, `properties`, `required`, `patternProperties`, `additionalProperties`, `items`, `prefixItems`,
//! `uniqueItems`, `pattern`, `format`, and limits of numbers, lengths and counts. Other keywords are ignored.

mod check;
mod format;
mod limit;
mod resolve;
mod template;

use self::check::Checker;
use self::resolve::{Schemas, alternatives};
use self::template::template;
use calls::javascript::stringify;
use document::{Node, NodeKind};

/// A field of a tool's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSchemaField {
    pub name: String,
    /// Type of its value.
    pub kind: FieldKind,
    /// Description for the model.
    pub description: Option<String>,
    pub is_required: bool,
    /// Whether null is a value.
    pub is_nullable: bool,
    /// The value if it is left out, as JSON.
    pub default: Option<String>,
}

/// Type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Plain text.
    Text,
    Number {
        /// Whether it must be an integer.
        whole: bool,
    },
    /// True or false.
    Boolean,
    /// One of these values, each as JSON.
    Choice(Vec<String>),
    /// A value of one of several kinds.
    OneOf(Vec<Alternative>),
    /// Any other value, written as JSON.
    Json,
}

/// One of several kinds of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its title, or the name of its definition.
    pub name: String,
    pub kind: FieldKind,
    /// For a value that is written as JSON: the least that it contains.
    pub template: String,
}

/// A violation of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// JSON Pointer of the place within the value.
    pub pointer: String,
    /// Message, as a sentence without a full stop.
    pub message: String,
}

/// Returns the fields of an input in the order of the schema.
pub fn fields(schema: Node<'_>) -> Vec<InputSchemaField> {
    let schemas = Schemas { root: schema };
    let schema = schemas.resolved(schema);
    // The properties of an `allOf` count as its own.
    let parts: Vec<Node<'_>> = schema
        .get("allOf")
        .into_iter()
        .flat_map(Node::items)
        .map(|part| schemas.resolved(part))
        .collect();
    let parts = || [schema].into_iter().chain(parts.iter().copied());
    let is_required = |name: &str| {
        let mut names = parts().filter_map(|part| part.get("required")).flat_map(Node::items);
        names.any(|node| node.as_str() == Some(name))
    };
    let properties = parts().filter_map(|part| part.get("properties"));
    let fields = properties.flat_map(Node::items).filter_map(|property| {
        let name = property.key()?;
        Some(InputSchemaField {
            name: name.to_owned(),
            kind: FieldKind::from_schema(schemas, property),
            description: description(schemas, property, name),
            is_required: is_required(name),
            is_nullable: schemas.is_nullable(property),
            default: property.get("default").map(stringify),
        })
    });
    fields.collect()
}

/// Returns the description of a property, or its title if that says more than its name.
fn description(schemas: Schemas<'_>, property: Node<'_>, name: &str) -> Option<String> {
    let text = |schema: Node<'_>, key| schema.get(key).and_then(Node::as_str).map(str::to_owned);
    let plain = |text: &str| text.replace(['_', '-', ' '], "").to_lowercase();
    // pydantic gives each property a title that is its name in other letters.
    let title = text(property, "title").filter(|title| plain(title) != plain(name));
    let described = text(property, "description").or(title);
    described.or_else(|| text(schemas.resolved(property), "description"))
}

impl FieldKind {
    fn from_schema(schemas: Schemas<'_>, schema: Node<'_>) -> Self {
        let schema = schemas.resolved(schema);
        if let Some(values) = schema.get("enum") {
            return Self::Choice(values.items().map(stringify).collect());
        }
        if let Some(value) = schema.get("const") {
            return Self::Choice(vec![stringify(value)]);
        }
        let all = alternatives(schema);
        if !all.is_empty() {
            // zod writes a union of literals as alternatives of constants.
            let constants = all.iter().map(|one| one.get("const").map(stringify));
            if let Some(constants) = constants.collect() {
                return Self::Choice(constants);
            }
            let all = all.into_iter().enumerate();
            return Self::OneOf(all.map(|(at, one)| Alternative::new(schemas, one, at)).collect());
        }
        let kind = schema.get("type");
        let several: Vec<&str> = kind
            .into_iter()
            .flat_map(Node::items)
            .filter_map(Node::as_str)
            .filter(|kind| *kind != "null")
            .collect();
        let kind = kind.and_then(Node::as_str);
        match kind.or(several.first().copied().filter(|_| several.len() == 1)) {
            Some("string") => Self::Text,
            Some("number") => Self::Number { whole: false },
            Some("integer") => Self::Number { whole: true },
            Some("boolean") => Self::Boolean,
            _ => Self::Json,
        }
    }
}

impl FieldKind {
    /// Returns whether a value is of this kind, as far as its form shows.
    pub(super) fn fits(&self, value: Node<'_>) -> bool {
        match (self, value.kind()) {
            (Self::Text, kind) => kind == NodeKind::String,
            (Self::Number { .. }, kind) => kind == NodeKind::Number,
            (Self::Boolean, kind) => kind == NodeKind::Bool,
            (Self::Choice(values), _) => values.contains(&stringify(value)),
            (Self::Json | Self::OneOf(_), kind) => {
                matches!(kind, NodeKind::Array | NodeKind::Object)
            }
        }
    }
}

impl Alternative {
    fn new(schemas: Schemas<'_>, node: Node<'_>, at: usize) -> Self {
        let resolved = schemas.resolved(node);
        let kind = match FieldKind::from_schema(schemas, resolved) {
            // A choice within a choice is written as JSON.
            FieldKind::OneOf(_) => FieldKind::Json,
            kind => kind,
        };
        let text = |node: Node<'_>, key| node.get(key).and_then(Node::as_str).map(str::to_owned);
        // The name of a definition is that of the class or schema in the program.
        let reference = text(node, "$ref").and_then(|r| Some(r.rsplit('/').next()?.to_owned()));
        let constant = || {
            let mut all = resolved.get("properties").into_iter().flat_map(Node::items);
            all.find_map(|property| property.get("const")?.as_str().map(str::to_owned))
        };
        let plain = || match kind {
            FieldKind::Text => "text".to_owned(),
            FieldKind::Number { .. } => "number".to_owned(),
            FieldKind::Boolean => "yes or no".to_owned(),
            _ => match resolved.get("type").and_then(Node::as_str) {
                Some("array") => "list".to_owned(),
                _ => format!("form {}", at + 1),
            },
        };
        let name = text(node, "title").or(reference).or_else(constant);
        Self {
            name: name.unwrap_or_else(plain),
            template: match kind {
                FieldKind::Json => template(schemas, resolved),
                _ => String::new(),
            },
            kind,
        }
    }
}

/// Returns the violations of a schema by a value; empty if it is valid.
pub fn misfits(schema: Node<'_>, value: Node<'_>) -> Vec<Misfit> {
    let mut misfits = Checker::new(schema).misfits(schema, value, "");
    // A part that is reached by several references or alternatives reports the same each time.
    let mut seen = std::collections::HashSet::new();
    misfits.retain(|misfit| seen.insert((misfit.pointer.clone(), misfit.message.clone())));
    misfits
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::json;
    use document::text::Source;

    const SCHEMA: &str = r#"{"type": "object", "required": ["reason", "day"], "additionalProperties": false, "properties": {
        "reason": {"type": "string", "minLength": 2, "description": "Why"}, "day": {"type": "integer", "minimum": 1, "maximum": 7},
        "how": {"enum": ["fast", "slow"]}, "tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2}, "more": {}}}"#;

    fn describe(value: &str) -> String {
        let (schema, value) =
            (json::parse(&Source::new(SCHEMA)).0, json::parse(&Source::new(value)).0);
        let found = misfits(schema.root().unwrap(), value.root().unwrap());
        found.iter().map(|misfit| format!("{:?} {}\n", misfit.pointer, misfit.message)).collect()
    }

    #[test]
    fn a_value_that_does_not_fit_is_reported_at_its_place() {
        assert_eq!(
            describe(
                r#"{"reason": "so", "day": 2, "how": "fast", "tags": ["a", null], "more": 1}"#
            ),
            ""
        );
        insta::assert_snapshot!(describe("[]"), @r#""" Expected an object, found []"#);
        insta::assert_snapshot!(describe(r#"{"reason": "s", "how": "soon", "tags": [1, "b", "c"], "a/b": 1}"#), @r#"
        "/day" `day` is missing
        "/reason" Expected at least 2 characters
        "/how" Expected one of "fast" and "slow", found "soon"
        "/tags" Expected at most 2 elements
        "/tags/0" Expected a text or null, found 1
        "/a~1b" The tool has no property `a/b`
        "#);
        insta::assert_snapshot!(describe(r#"{"reason": 7, "day": 1.5}"#), @r#"
        "/reason" Expected a text, found 7
        "/day" Expected a whole number, found 1.5
        "#);
        insta::assert_snapshot!(describe(r#"{"reason": "so", "day": 9}"#), @r#""/day" Expected at most 7"#);
    }

    #[test]
    fn a_schema_says_which_fields_a_form_has() {
        let tree = json::parse(&Source::new(SCHEMA)).0;
        let fields = fields(tree.root().unwrap());
        let lines: Vec<String> = fields
            .iter()
            .map(|field| format!("{} {:?} {}", field.name, field.kind, field.is_required))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        reason Text true
        day Number { whole: true } true
        how Choice(["\"fast\"", "\"slow\""]) false
        tags Json false
        more Json false
        "#);
    }

    const UNION: &str = r##"{"type": "object", "required": ["pet", "day"], "$defs": {
        "Cat": {"type": "object", "required": ["kind", "lives"], "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer", "exclusiveMaximum": 10}}},
        "Dog": {"type": "object", "required": ["kind", "name"], "properties": {"kind": {"const": "dog"}, "name": {"type": "string", "pattern": "^\\w+$"}}},
        "Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {
        "pet": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}], "title": "Whose turn"},
        "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "size": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3},
        "level": {"anyOf": [{"const": "low"}, {"const": "high"}]},
        "tags": {"type": "array", "uniqueItems": true},
        "loop": {"$ref": "#/$defs/Loop"}, "gone": {"$ref": "#/$defs/Gone"}}}"##;

    #[test]
    fn alternatives_references_and_formats_are_judged_at_their_place() {
        let judge = |value: &str| {
            let (schema, value) =
                (json::parse(&Source::new(UNION)).0, json::parse(&Source::new(value)).0);
            let found = misfits(schema.root().unwrap(), value.root().unwrap());
            found
                .iter()
                .map(|misfit| format!("{} {}\n", misfit.pointer, misfit.message))
                .collect::<String>()
        };
        let valid = r#"{"pet": {"kind": "dog", "name": "Rex"}, "day": null, "size": "L", "level": "low", "tags": [1, "1"], "loop": 1, "gone": 2}"#;
        assert_eq!(judge(valid), "");
        let wrong = r#"{"pet": {"kind": "cat", "lives": 10}, "day": "soon", "size": [], "level": "mid", "tags": [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]}"#;
        insta::assert_snapshot!(judge(wrong), @r#"
        /pet/lives Expected less than 10
        /day Expected a date, such as 2026-03-01
        /size Expected a whole number or a text, found []
        /level Expected one of "low" and "high", found "mid"
        /tags/1 Expected each element once, found {"b":2,"a":1} again
        "#);
        insta::assert_snapshot!(judge(r#"{"pet": {"kind": "dog", "name": "é"}, "day": "2026-02-30"}"#), @r"
        /pet/name Expected a text that matches the pattern ^\w+$
        /day Expected a date, such as 2026-03-01
        ");
    }

    #[test]
    fn a_field_of_several_kinds_offers_them_with_a_value_to_begin_with() {
        let tree = json::parse(&Source::new(UNION)).0;
        let fields = fields(tree.root().unwrap());
        let lines: Vec<String> = fields
            .iter()
            .map(|field| {
                format!(
                    "{} {:?} null {} {:?} {:?}",
                    field.name, field.kind, field.is_nullable, field.default, field.description
                )
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        pet OneOf([Alternative { name: "Cat", kind: Json, template: "{\"kind\":\"cat\",\"lives\":0}" }, Alternative { name: "Dog", kind: Json, template: "{\"kind\":\"dog\",\"name\":\"\"}" }]) null false None Some("Whose turn")
        day Text null true None None
        size OneOf([Alternative { name: "number", kind: Number { whole: true }, template: "" }, Alternative { name: "text", kind: Text, template: "" }]) null false Some("3") None
        level Choice(["\"low\"", "\"high\""]) null false None None
        tags Json null false None None
        loop Json null false None None
        gone Json null false None None
        "#);
    }
}
