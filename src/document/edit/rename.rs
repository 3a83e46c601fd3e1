//! Gives a member another key.

use super::expected_edit::ExpectedEdit;
use super::lines::{ContainerSyntax, DocumentLines};
use super::writer::{FormatStrictness, ValueWriter};
use super::{EditCandidates, EditRefusal};
use crate::Node;
use crate::text::{TextEdit, quoted};
use crate::yaml::write::ScalarContext;

pub(super) fn plans<'a>(node: Node<'a>, key: &str) -> Result<EditCandidates<'a>, EditRefusal> {
    let (Some(span), Some(parent)) = (node.key_span(), node.parent()) else {
        return Err(EditRefusal::at(node, "Only a member of a mapping has a key"));
    };
    let mut peers = parent.items().filter(|sibling| sibling.id() != node.id());
    if let Some(sibling) = peers.find(|sibling| !sibling.is_merge() && sibling.key() == Some(key)) {
        return Err(EditRefusal::at(sibling, format!("The key {} already exists", quoted(key))));
    }
    let spot = match DocumentLines::new(node.tree()).shape(parent) {
        ContainerSyntax::Block => ScalarContext::Block,
        ContainerSyntax::Brackets | ContainerSyntax::Pair => ScalarContext::Flow,
    };
    let mut writer = ValueWriter::new(node.tree(), span.range().start);
    let mut ways = Vec::new();
    for strictness in [FormatStrictness::MatchStyle, FormatStrictness::Plainest] {
        writer.strictness = strictness;
        ways.push(TextEdit { range: span.range(), new: writer.key(key, Some(node), spot) });
    }
    ways.dedup();
    let outcome = ExpectedEdit::Rename(node, key.to_owned());
    Ok(EditCandidates { outcome, candidates: ways })
}
