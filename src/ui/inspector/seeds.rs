//! Inspector sections of seeds.

use std::collections::HashMap;

use super::content::{
    HeadingIcon, InspectorSection, RowState, RowText, SectionHeading, SectionPart, SectionRow,
};
use super::prose::preview;
use super::recording::text_part;
use document::seeds::Seeds;
use document::{Document, Field, Node, NodeId, NodeKind, json, text};

/// Builds the sections of seeds as the provider sees them: a key and its response.
pub(super) fn seeds(document: &Document, seeds: &Seeds) -> Vec<InspectorSection> {
    let keys: Vec<Option<String>> = seeds.seeds.iter().map(|seed| seed.key()).collect();
    let mut last: HashMap<&str, usize> = HashMap::new();
    // Of two seeds with one key the provider keeps the last.
    for (index, key) in keys.iter().enumerate() {
        last.extend(key.as_deref().map(|key| (key, index)));
    }
    let mut sections = vec![heading("Seeds", "schema:model:job:round", seeds.seeds.len())];
    for (index, (seed, key)) in seeds.seeds.iter().zip(&keys).enumerate() {
        let winner = key.as_deref().and_then(|key| last.get(key)).copied();
        let right = match winner {
            Some(winner) if winner > index => format!("replaced by {}", winner + 1),
            _ => String::new(),
        };
        let key = key.clone().unwrap_or_else(|| parts(document, seed.node));
        sections.push(row(index, document.node(seed.node), &key, right, &seed.response));
    }
    if !seeds.hash_seeds.is_empty() {
        sections.push(heading("Hash seeds", "step:model:hash, deprecated", seeds.hash_seeds.len()));
        for (index, seed) in seeds.hash_seeds.iter().enumerate() {
            let key = seed.key().unwrap_or_else(|| parts(document, seed.node));
            let node = document.node(seed.node);
            sections.push(row(index, node, &key, String::new(), &seed.response));
        }
    }
    sections
}

fn heading(title: &str, note: &str, number: usize) -> InspectorSection {
    InspectorSection::Heading(SectionHeading::new(
        HeadingIcon::Seeds,
        title,
        format!("{}, by {note}", document::text::thousands(number)),
    ))
}

/// Formats a key with unknown parts: code is shown in braces.
fn parts(document: &Document, seed: NodeId) -> String {
    let parts = document.node(seed).items().filter(|part| part.key() != Some("response"));
    let is_code = |part: &Node<'_>| part.kind() == NodeKind::Expression;
    if !parts.clone().any(|part| is_code(&part)) {
        return "part of the key is missing".to_owned();
    }
    let parts = parts.map(|part| match (is_code(&part), part.as_str()) {
        (true, _) => format!("{{{}}}", part.raw()),
        (false, text) => text.map_or_else(|| json::text(part).into_owned(), str::to_owned),
    });
    parts.collect::<Vec<_>>().join(":")
}

fn row(
    index: usize,
    node: Node<'_>,
    key: &str,
    right: String,
    response: &Option<Field<String>>,
) -> InspectorSection {
    let code = node.get("response").filter(|code| code.kind() == NodeKind::Expression);
    // The provider treats an empty response as none.
    let answers = code.is_some() || text(response).is_some_and(|response| !response.is_empty());
    let part = match response {
        None if answers => {
            let code = code.map_or("", Node::raw);
            SectionPart::Remark(format!(
                "The response is known only when the code runs: {}",
                preview(code)
            ))
        }
        Some(field) if answers => text_part(field.node, &field.value),
        _ => {
            SectionPart::Remark("No response: the provider treats this seed as missing.".to_owned())
        }
    };
    InspectorSection::Row(SectionRow {
        node: node.id(),
        state: (!answers || !right.is_empty()).then_some(RowState::Doubtful),
        lead: (index + 1).to_string(),
        title: RowText::computed(preview(key)),
        right: vec![RowText::computed(right)],
        parts: vec![part],
    })
}
