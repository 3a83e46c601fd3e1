//! Reads the fields of an object one by one, and reports which are missing or have a wrong type.

use super::field::Field;
use super::problem::{Problem, RuleId};
use super::problems::ProblemList;
use super::tree::{Node, NodeId, NodeKind};
use super::{Syntax, scalar};
use crate::text::{Span, quoted, visible};

/// An object whose fields are being read. A field that is `null` counts as absent, as it does for the programs that read these files; one that is
/// [code](NodeKind::Expression) has an unknown value.
pub(super) struct Fields<'t, 'p> {
    pub(super) node: Node<'t>,
    pub(super) problems: &'p mut ProblemList,
}

impl<'t, 'p> Fields<'t, 'p> {
    pub(super) fn new(node: Node<'t>, problems: &'p mut ProblemList) -> Self {
        Self { node, problems }
    }

    /// The value of a field, whatever it is.
    pub(super) fn get(&self, key: &str) -> Option<Node<'t>> {
        let field = self.node.get(key);
        field.filter(|field| !matches!(field.kind(), NodeKind::Null | NodeKind::Expression))
    }

    /// The id of a field's value, whatever it is, `null` included.
    pub(super) fn any(&self, key: &str) -> Option<NodeId> {
        self.node.get(key).map(Node::id)
    }

    /// A string, if the field is there.
    pub(super) fn text(&mut self, key: &str) -> Option<Field<String>> {
        self.value(key, NodeKind::String.name(), |node| node.as_str().map(str::to_owned))
    }

    pub(super) fn required_text(&mut self, key: &str) -> Option<Field<String>> {
        self.require(key);
        self.text(key)
    }

    /// A number, if the field is there.
    pub(super) fn number(&mut self, key: &str) -> Option<Field<f64>> {
        self.value(key, NodeKind::Number.name(), Node::as_f64)
    }

    /// A whole number, if the field is there.
    pub(super) fn whole(&mut self, key: &str) -> Option<Field<i64>> {
        self.value(key, "a whole number", whole)
    }

    /// A boolean, if the field is there.
    pub(super) fn boolean(&mut self, key: &str) -> Option<Field<bool>> {
        self.value(key, NodeKind::Bool.name(), Node::as_bool)
    }

    fn value<T>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(Node<'t>) -> Option<T>,
    ) -> Option<Field<T>> {
        let node = self.get(key)?;
        if let Some(value) = read(node) {
            return Some(Field::new(value, node.id()));
        }
        wrong_type(self.problems, node, expected);
        None
    }

    /// A list, if the field is there.
    pub(super) fn list(&mut self, key: &str) -> Option<Node<'t>> {
        self.container(key, NodeKind::Array)
    }

    /// An object, if the field is there.
    pub(super) fn object(&mut self, key: &str) -> Option<Node<'t>> {
        self.container(key, NodeKind::Object)
    }

    fn container(&mut self, key: &str, kind: NodeKind) -> Option<Node<'t>> {
        let read = |node: Node<'t>| (node.kind() == kind).then_some(node);
        self.value(key, kind.name(), read).map(|field| field.value)
    }

    /// The objects of a list; other elements are reported and left out.
    pub(super) fn objects(&mut self, key: &str) -> Vec<Node<'t>> {
        let read = |node: Node<'t>| (node.kind() == NodeKind::Object).then_some(node);
        self.elements(key, NodeKind::Object, read)
    }

    /// The objects of a list, read one by one; other elements are reported and left out.
    pub(super) fn read_objects<T>(
        &mut self,
        key: &str,
        read: fn(Node<'_>, &mut ProblemList) -> T,
    ) -> Vec<T> {
        self.objects(key).into_iter().map(|node| read(node, self.problems)).collect()
    }

    /// The strings of a list; other elements are reported and left out.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        self.elements(key, NodeKind::String, |node| node.as_str().map(str::to_owned))
    }

    fn elements<T>(
        &mut self,
        key: &str,
        kind: NodeKind,
        read: impl Fn(Node<'t>) -> Option<T>,
    ) -> Vec<T> {
        let Some(list) = self.list(key) else { return Vec::new() };
        let mut elements = Vec::with_capacity(list.len());
        for item in list.items() {
            match read(item) {
                Some(element) => elements.push(element),
                None => wrong_type(self.problems, item, kind.name()),
            }
        }
        elements
    }

    /// Reports a field that is missing.
    pub(super) fn require(&mut self, key: &str) {
        match self.node.get(key) {
            None => self.missing(key),
            Some(null) if null.kind() == NodeKind::Null => self.problems.at(
                RuleId::MissingField,
                null,
                format!("`{key}` is null; a value is expected"),
            ),
            Some(_) => {}
        }
    }

    fn missing(&mut self, key: &str) {
        let node = self.node;
        self.problems.add_with(RuleId::MissingField, || {
            let start = node.span().start as usize;
            let source = node.tree().source();
            // The span of a whole object would mark the whole file.
            let opening = Span::new(start, start + 1);
            let span = if source.slice(opening).is_empty() { Span::empty(start) } else { opening };
            let message = format!("`{key}` is missing");
            Problem::at(RuleId::MissingField, source, span, node.bounded_pointer(), message)
        });
    }
}

/// Returns a whole number, as the integer types of the reading programs accept it.
pub(super) fn whole(node: Node<'_>) -> Option<i64> {
    let number = node.as_f64()?;
    // `i64::MAX as f64` is rounded up to 2^63, which is out of range.
    let is_exact = number.fract() == 0.0 && number.abs() < i64::MAX as f64;
    is_exact.then_some(number as i64)
}

/// Reports a value of a wrong type.
pub(super) fn wrong_type(problems: &mut ProblemList, node: Node<'_>, goal: &str) {
    let name = || match (node.key(), node.parent()) {
        (Some(key), _) => quoted(key),
        (None, Some(_)) => "The element".to_owned(),
        (None, None) => "The file".to_owned(),
    };
    if let Some(reading) = yaml_reading(node, goal) {
        return problems.add_with(RuleId::YamlTyping, || {
            let message = format!(
                "{} is {reading} to YAML 1.1, which PyYAML reads; {goal} is expected",
                name()
            );
            let problem = node.problem(RuleId::YamlTyping, message);
            if node.kind() != NodeKind::String && node.span().len() <= MAX_SUGGESTED_BYTES {
                problem.with_help(format!("Put it in quotes: `\"{}\"`.", visible(node.raw())))
            } else {
                problem
            }
        });
    }
    problems.add_with(RuleId::WrongType, || {
        let value_name = match (node.kind(), goal) {
            (NodeKind::Number, "a whole number") => quoted(node.raw()),
            (kind, _) => kind.name().to_owned(),
        };
        node.problem(RuleId::WrongType, format!("{} is {value_name}; {goal} is expected", name()))
    });
}

/// The longest value, in bytes, that is written out in a suggestion.
const MAX_SUGGESTED_BYTES: usize = 80;

/// Describes how PyYAML reads an unquoted scalar that was probably meant as the expected type: a text that it reads as another type, or a number
/// that it reads as text.
fn yaml_reading(node: Node<'_>, expected: &str) -> Option<String> {
    if node.tree().syntax() != Syntax::Yaml || node.is_alias() {
        return None;
    }
    if !expected.starts_with(NodeKind::String.name()) {
        let text = node.as_str().filter(|text| *text == node.raw())?;
        let wants_number = matches!(expected, "a number" | "a whole number");
        let is_number = wants_number && scalar::number(text).is_some();
        return is_number.then(|| format!("the text {}", quoted(text)));
    }
    match node.kind() {
        NodeKind::Number => {
            let number = node.as_f64()?;
            // From 1e21 on, JavaScript writes an exponent as well, instead of hundreds of digits.
            Some(if number.abs() < 1e21 {
                format!("the number {number}")
            } else {
                format!("the number {number:e}")
            })
        }
        NodeKind::Bool => Some(format!("the boolean {}", node.as_bool()?)),
        NodeKind::Timestamp => Some("a date".to_owned()),
        NodeKind::Null
        | NodeKind::String
        | NodeKind::Array
        | NodeKind::Object
        | NodeKind::Expression => None,
    }
}
