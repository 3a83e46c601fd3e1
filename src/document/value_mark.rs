//! Marks the place of a value.

use std::sync::Arc;

use crate::text::{Place, Span};
use crate::{Node, Problem, RuleId};

/// The place of a value in its file, which stays valid when the text is dropped from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueMark {
    /// The bytes.
    pub span: Span,
    /// Line and column of the first.
    pub place: Place,
}

impl ValueMark {
    /// Returns the place of a value.
    pub fn new(node: Node<'_>) -> Self {
        Self { span: node.span(), place: node.place() }
    }

    /// Creates a problem at this place, with the rule's default level and help.
    pub fn problem(
        self,
        rule: RuleId,
        pointer: impl Into<Arc<str>>,
        message: impl Into<Arc<str>>,
    ) -> Problem {
        Problem {
            span: self.span,
            place: self.place,
            pointer: pointer.into(),
            ..Problem::whole_file(rule, message)
        }
    }
}

impl Default for ValueMark {
    /// Returns the beginning of the file, for problems of the whole file.
    fn default() -> Self {
        Self { span: Span::default(), place: Place::START }
    }
}
