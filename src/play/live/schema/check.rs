//! Validation of a value against a schema.

use std::collections::{HashMap, HashSet};

use fancy_regex::{Regex, RegexBuilder};

use super::Misfit;
use super::format::format_mismatch;
use super::limit::LIMITS;
use super::resolve::{Schemas, is_null};
use calls::javascript::{canonical, stringify};
use document::text::listed;
use document::{Node, NodeKind, member_pointer};

/// Deeper parts of schemas are not checked.
const MAX_DEPTH: usize = 64;

/// The greatest number of schemas that are checked for one value: alternatives that contain themselves multiply.
const MAX_CHECKS: usize = 20_000;

/// Steps of a pattern that backtracks; beyond them it counts as matched.
const MAX_BACKTRACKING_STEPS: usize = 100_000;

/// Checks one value.
pub(super) struct Checker<'s> {
    schemas: Schemas<'s>,
    patterns: HashMap<&'s str, Option<Regex>>,
    checks: usize,
    depth: usize,
}

impl<'s> Checker<'s> {
    pub(super) fn new(root: Node<'s>) -> Self {
        Self { schemas: Schemas { root }, patterns: HashMap::new(), checks: 0, depth: 0 }
    }

    /// Returns the violations of a schema by the value at `path`.
    pub(super) fn misfits(&mut self, schema: Node<'s>, value: Node<'_>, path: &str) -> Vec<Misfit> {
        self.checks += 1;
        let is_nullable = schema.get("nullable").and_then(Node::as_bool) == Some(true);
        if self.depth > MAX_DEPTH || self.checks > MAX_CHECKS || is_nullable && is_null(value) {
            return Vec::new();
        }
        let misfit = |message| Misfit { pointer: path.to_owned(), message };
        // As a schema, `false` allows no value.
        if schema.as_bool() == Some(false) {
            return vec![misfit("Expected no value".to_owned())];
        }
        // All other messages about a value of a wrong type would only repeat that.
        if let Some(expected) = wrong_type(schema, value) {
            return vec![misfit(format!("Expected {expected}, found {}", stringify(value)))];
        }
        let mut list: Vec<Misfit> = self.of_scalar(schema, value).into_iter().map(misfit).collect();
        self.depth += 1;
        if let Some(target) = self.schemas.target(schema) {
            list.extend(self.misfits(target, value, path));
        }
        for part in schema.get("allOf").into_iter().flat_map(Node::items) {
            list.extend(self.misfits(part, value, path));
        }
        list.extend(self.of_alternatives(schema, value, path));
        if let Some(excluded) = schema.get("not")
            && self.misfits(excluded, value, path).is_empty()
        {
            let value = stringify(value);
            list.push(misfit(format!("The tool does not allow {value}")));
        }
        match value.kind() {
            NodeKind::Array => list.extend(self.of_list(schema, value, path)),
            NodeKind::Object => list.extend(self.of_object(schema, value, path)),
            _ => {}
        }
        self.depth -= 1;
        list
    }

    /// Returns messages about the value itself.
    fn of_scalar(&mut self, schema: Node<'s>, value: Node<'_>) -> Vec<String> {
        let mut messages = Vec::new();
        let options: Option<Vec<Node<'_>>> = match (schema.get("enum"), schema.get("const")) {
            (Some(values), _) => Some(values.items().collect()),
            (None, Some(value)) => Some(vec![value]),
            (None, None) => None,
        };
        if let Some(values) = options
            && !values.iter().any(|node| canonical(*node) == canonical(value))
        {
            let (found_value, texts) = (stringify(value), values.into_iter().map(stringify));
            let texts: Vec<String> = texts.collect();
            messages.push(match &*texts {
                [one] => format!("Expected {one}, found {found_value}"),
                _ => format!("Expected one of {}, found {found_value}", listed(&texts)),
            });
        }
        messages.extend(LIMITS.iter().filter_map(|limit| limit.violation(schema, value)));
        if let Some(text) = value.as_str() {
            if let Some(pattern) = schema.get("pattern").and_then(Node::as_str)
                && !self.matches(pattern, text)
            {
                messages.push(format!("Expected a text that matches the pattern {pattern}"));
            }
            let format = schema.get("format").and_then(Node::as_str);
            messages.extend(format.and_then(|format| format_mismatch(format, text)));
        }
        messages
    }

    fn of_alternatives(&mut self, schema: Node<'s>, value: Node<'_>, pointer: &str) -> Vec<Misfit> {
        let mut all_misfits = Vec::new();
        for key in ["anyOf", "oneOf"] {
            let Some(all) = schema.get(key) else { continue };
            let tried: Vec<(Node<'s>, Vec<Misfit>)> =
                all.items().map(|one| (one, self.misfits(one, value, pointer))).collect();
            let fitting = tried.iter().filter(|(_, misfits)| misfits.is_empty()).count();
            if tried.is_empty() || fitting == 1 || fitting > 1 && key == "anyOf" {
                continue;
            }
            let root = |message| Misfit { pointer: pointer.to_owned(), message };
            if fitting > 1 {
                let message =
                    format!("Expected a value of exactly one alternative, found one of {fitting}");
                all_misfits.push(root(message));
                continue;
            }
            // Alternatives of constants are an enum, for which one message says more than one for each.
            let constants = tried.iter().map(|(one, _)| one.get("const").map(stringify));
            if let Some(constants) = constants.collect::<Option<Vec<String>>>() {
                let (all, value) = (listed(&constants), stringify(value));
                all_misfits.push(root(format!("Expected one of {all}, found {value}")));
                continue;
            }
            // What an author meant: the alternative whose constants match, then the one with the fewest violations.
            let of_type = tried
                .iter()
                .filter(|(one, _)| wrong_type(self.schemas.resolved(*one), value).is_none());
            let nearest = of_type
                .min_by_key(|(o, m)| (is_another_kind(self.schemas.resolved(*o), value), m.len()));
            if let Some((_, misfits)) = nearest {
                all_misfits.extend(misfits.iter().cloned());
                continue;
            }
            let mut types: Vec<String> = tried
                .iter()
                .filter_map(|(one, _)| wrong_type(self.schemas.resolved(*one), value))
                .collect();
            types.dedup();
            let types = types.join(" or ");
            all_misfits.push(root(format!("Expected {types}, found {}", stringify(value))));
        }
        all_misfits
    }

    fn of_list(&mut self, schema: Node<'s>, value: Node<'_>, pointer: &str) -> Vec<Misfit> {
        let mut all_misfits = Vec::new();
        let items = schema.get("items");
        // Before draft 2020-12, tuples were lists in `items`, with `additionalItems` for the rest.
        let is_tuple = items.is_some_and(|items| items.kind() == NodeKind::Array);
        let (first, rest) = if is_tuple {
            (items, schema.get("additionalItems"))
        } else {
            (schema.get("prefixItems"), items)
        };
        let first: Vec<Node<'s>> = first.into_iter().flat_map(Node::items).collect();
        for (index, item) in value.items().enumerate() {
            if let Some(schema) = first.get(index).copied().or(rest) {
                all_misfits.extend(self.misfits(schema, item, &format!("{pointer}/{index}")));
            }
        }
        if schema.get("uniqueItems").and_then(Node::as_bool) == Some(true) {
            let mut seen = HashSet::new();
            let repeated = value.items().enumerate().find(|(_, i)| !seen.insert(canonical(*i)));
            all_misfits.extend(repeated.map(|(index, item)| Misfit {
                pointer: format!("{pointer}/{index}"),
                message: format!("Expected each element once, found {} again", stringify(item)),
            }));
        }
        all_misfits
    }

    fn of_object(&mut self, schema: Node<'s>, value: Node<'_>, pointer: &str) -> Vec<Misfit> {
        let mut all_misfits = Vec::new();
        for name in schema.get("required").into_iter().flat_map(Node::items) {
            let name = name.as_str().unwrap_or_default();
            if value.get(name).is_none() {
                all_misfits.push(Misfit {
                    pointer: member_pointer(pointer, name),
                    message: format!("`{name}` is missing"),
                });
            }
        }
        let properties = schema.get("properties");
        let others = schema.get("additionalProperties");
        for item in value.items() {
            let key = item.key().unwrap_or_default();
            let below = member_pointer(pointer, key);
            let mut is_known = false;
            if let Some(schema) = properties.and_then(|properties| properties.get(key)) {
                is_known = true;
                all_misfits.extend(self.misfits(schema, item, &below));
            }
            for of_pattern in schema.get("patternProperties").into_iter().flat_map(Node::items) {
                if of_pattern.key().is_some_and(|pattern| self.matches(pattern, key)) {
                    is_known = true;
                    all_misfits.extend(self.misfits(of_pattern, item, &below));
                }
            }
            match others.filter(|_| !is_known) {
                Some(others) if others.as_bool() == Some(false) => {
                    let message = format!("The tool has no property `{key}`");
                    all_misfits.push(Misfit { pointer: below, message });
                }
                Some(others) => all_misfits.extend(self.misfits(others, item, &below)),
                None => {}
            }
        }
        all_misfits
    }

    /// Returns whether a text matches a pattern; true if the pattern cannot be read.
    fn matches(&mut self, pattern: &'s str, text: &str) -> bool {
        let regex = self.patterns.entry(pattern).or_insert_with(|| {
            let mut builder = RegexBuilder::new(&from_javascript(pattern));
            builder.backtrack_limit(MAX_BACKTRACKING_STEPS).build().ok()
        });
        regex.as_ref().is_none_or(|regex| regex.is_match(text).unwrap_or(true))
    }
}

/// Translates what a pattern of JavaScript means otherwise: `\d` and `\w` are ASCII only.
fn from_javascript(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut signs = pattern.chars();
    while let Some(sign) = signs.next() {
        match (sign, sign == '\\') {
            (_, true) => match signs.next() {
                Some('d') => translated += "[0-9]",
                Some('w') => translated += "[A-Za-z0-9_]",
                Some('D') => translated += "[^0-9]",
                Some('W') => translated += "[^A-Za-z0-9_]",
                Some(letter) => translated.extend(['\\', letter]),
                None => translated.push('\\'),
            },
            _ => translated.push(sign),
        }
    }
    translated
}

/// Returns whether a constant of an object's schema, such as the name of its kind, differs from that in a value.
fn is_another_kind(schema: Node<'_>, value: Node<'_>) -> bool {
    schema.get("properties").into_iter().flat_map(Node::items).any(|property| {
        let member = property.key().and_then(|key| value.get(key));
        let (Some(constant), Some(member)) = (property.get("const"), member) else { return false };
        // Equal values may be written differently: 1 and 1.0, or keys in another order.
        canonical(constant) != canonical(member)
    })
}

/// Returns the expected types, with articles, if the value has none of them.
fn wrong_type(schema: Node<'_>, value: Node<'_>) -> Option<String> {
    let kind = schema.get("type")?;
    let kinds: Vec<&str> = match kind.as_str() {
        Some(kind) => vec![kind],
        None => kind.items().filter_map(Node::as_str).collect(),
    };
    // In JSON Schema 1.0 is an integer.
    let is_whole = value.as_f64().is_some_and(|number| number.fract() == 0.0);
    let fits = |kind: &&str| match (*kind, value.kind()) {
        ("string", NodeKind::String)
        | ("number", NodeKind::Number)
        | ("boolean", NodeKind::Bool)
        | ("object", NodeKind::Object)
        | ("array", NodeKind::Array)
        | ("null", NodeKind::Null) => true,
        ("integer", NodeKind::Number) => is_whole,
        ("string" | "number" | "boolean" | "object" | "array" | "null" | "integer", _) => false,
        // A type that JSON Schema does not have is not checked.
        _ => true,
    };
    if kinds.is_empty() || kinds.iter().any(fits) {
        return None;
    }
    let names = kinds.iter().map(|kind| match *kind {
        "string" => "a text",
        "number" => "a number",
        "integer" => "a whole number",
        "boolean" => "true or false",
        "object" => "an object",
        "array" => "a list",
        _ => "null",
    });
    Some(names.collect::<Vec<_>>().join(" or "))
}
