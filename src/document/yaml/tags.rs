//! Tags: the types they give to values, and which of them `safe_load` refuses.

use std::borrow::Cow;

use saphyr_parser::Tag;

use super::YamlReader;
use crate::problem::RuleId;
use crate::scalar::{self, Plain};
use crate::text::{Span, count_bytes, quoted};
use crate::tree::{Node, NodeKind};

/// Names of the tags of YAML that scalars have.
const SCALAR_TAGS: [&str; 7] = ["str", "int", "float", "bool", "null", "timestamp", "binary"];

/// Names of the tags of YAML that lists and mappings have.
const COLLECTION_TAGS: [&str; 5] = ["seq", "map", "omap", "pairs", "set"];

/// Requirement of a tag on the parts of a collection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagParts {
    /// Anything.
    Any,
    /// Mappings of one member each: `!!omap` and `!!pairs`.
    Pairs,
    /// Members without a value: `!!set`.
    Nulls,
}

impl TagParts {
    pub(super) fn from_tag(tag: &Tag) -> Self {
        match core_tag(tag).as_deref() {
            Some("omap" | "pairs") => Self::Pairs,
            Some("set") => Self::Nulls,
            _ => Self::Any,
        }
    }
}

impl YamlReader<'_> {
    /// Reports collections whose tag does not allow their parts; aliases are resolved by now.
    pub(super) fn report_unfit_parts(&mut self) {
        let (tree, problems) = (&self.tree, &mut self.problems);
        for &(id, parts) in &self.tagged {
            let is_unfit = |part: &Node<'_>| match parts {
                TagParts::Any => false,
                TagParts::Pairs => part.kind() != NodeKind::Object || part.len() != 1,
                TagParts::Nulls => part.kind() != NodeKind::Null,
            };
            let message = match parts {
                TagParts::Nulls => "A value in a set (`!!set`), which PyYAML drops",
                _ => {
                    "An element of `!!omap` or `!!pairs` that is not a mapping with one member, which PyYAML refuses"
                }
            };
            if let Some(part) = tree.node(id).items().find(is_unfit) {
                problems.at(RuleId::Syntax, part, message);
            }
        }
    }

    /// Returns the type that a tag gives to a scalar. Reports a tag that `safe_load` refuses.
    pub(super) fn scalar_kind(
        &mut self,
        tag: &Tag,
        text: &str,
        start: usize,
        end: usize,
    ) -> NodeKind {
        let core = core_tag(tag);
        let kind = match core.as_deref() {
            Some("int" | "float") => NodeKind::Number,
            Some("bool") => NodeKind::Bool,
            Some("null") => NodeKind::Null,
            Some("timestamp") => NodeKind::Timestamp,
            _ => NodeKind::String,
        };
        let fits = match kind {
            NodeKind::Number if core.as_deref() == Some("int") => scalar::is_int(text),
            NodeKind::String if core.as_deref() == Some("binary") => is_base64(text),
            NodeKind::Number => scalar::number(text).is_some(),
            NodeKind::Bool => scalar::boolean(text).is_some(),
            NodeKind::Timestamp => scalar::is_accepted(text, Plain::Timestamp),
            _ => true,
        };
        if self.check_tag(tag, &SCALAR_TAGS, start, end) && !fits {
            let tag_text = self.source.slice(Span::new(start, end)).trim();
            self.syntax(start, end, format!("{} is no {}", quoted(text), quoted(tag_text)));
            return NodeKind::String;
        }
        kind
    }

    /// Reports a tag that `safe_load` refuses at its place; `start` is where it begins, `end` where the value begins.
    pub(super) fn check_tag(
        &mut self,
        tag: &Tag,
        expected: &[&str],
        start: usize,
        end: usize,
    ) -> bool {
        let core = core_tag(tag);
        if core.as_deref().is_some_and(|core| core == "!" || expected.contains(&core)) {
            return true;
        }
        // An anchor may come before the tag.
        let at = start + self.source.slice(Span::new(start, end)).find('!').unwrap_or_default();
        let tag_text = self
            .source
            .slice(Span::new(at, end))
            .split_ascii_whitespace()
            .next()
            .unwrap_or_default();
        let is_known = |tag: &str| SCALAR_TAGS.contains(&tag) || COLLECTION_TAGS.contains(&tag);
        let message = if core.as_deref().is_some_and(is_known) {
            format!("The tag {} does not fit this value", quoted(tag_text))
        } else {
            format!(
                "The tag {} is refused by PyYAML's `safe_load`; it has no value here",
                quoted(tag_text)
            )
        };
        self.syntax(at, at + tag_text.len(), message);
        false
    }
}

/// Returns the name of a YAML tag (`str` for `!!str`), `!` for the non-specific tag, `None` for any other.
fn core_tag(tag: &Tag) -> Option<Cow<'_, str>> {
    const CORE_PREFIX: &str = "tag:yaml.org,2002:";
    if tag.handle == CORE_PREFIX {
        return Some(Cow::Borrowed(&tag.suffix));
    }
    // How a tag is split between handle and suffix depends on its spelling.
    let full_tag = format!("{}{}", tag.handle, tag.suffix);
    match full_tag.strip_prefix(CORE_PREFIX) {
        Some(name) => Some(Cow::Owned(name.to_owned())),
        None => (full_tag == "!").then_some(Cow::Borrowed("!")),
    }
}

/// Returns whether PyYAML can decode a `!!binary` text: it is ASCII and valid Base64.
fn is_base64(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let letters = count_bytes(text.as_bytes(), is_letter);
    let padding = text
        .bytes()
        .rev()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take_while(|&byte| byte == b'=')
        .count();
    // Python skips other characters, but refuses wrong padding and a number of letters that is one more than a multiple of 4.
    text.is_ascii() && letters % 4 != 1 && (letters + padding) % 4 == 0
}
