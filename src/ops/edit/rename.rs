//! Gives a member another key.

use super::page::{Page, Shape};
use super::verify::Outcome;
use super::writer::{Care, Writer};
use super::{Plans, Refusal};
use crate::format::Node;
use crate::format::yaml::write::Spot;
use crate::text::TextEdit;
use crate::text::quoted;

pub(super) fn plans<'a>(node: Node<'a>, key: &str) -> Result<Plans<'a>, Refusal> {
    let (Some(span), Some(parent)) = (node.key_span(), node.parent()) else {
        return Err(Refusal::at(node, "Only a member of a mapping has a key"));
    };
    let mut others = parent.items().filter(|other| other.id() != node.id());
    if let Some(other) = others.find(|other| !other.is_merge() && other.key() == Some(key)) {
        let what = format!("The key {} already exists", quoted(key));
        return Err(Refusal::at(other, what));
    }
    let spot = match Page::of(node.tree()).shape(parent) {
        Shape::Block => Spot::Block,
        Shape::Brackets | Shape::Pair => Spot::Flow,
    };
    let mut writer = Writer::new(node.tree(), span.range().start);
    let mut ways = Vec::new();
    for care in [Care::Fitting, Care::Plainest] {
        writer.care = care;
        ways.push(TextEdit {
            range: span.range(),
            new: writer.key(key, Some(node), spot),
        });
    }
    ways.dedup();
    let outcome = Outcome::Rename(node, key.to_owned());
    Ok(Plans { outcome, ways })
}
