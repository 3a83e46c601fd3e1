//! Inspector sections of seeds.

use std::collections::HashMap;

use super::content::{RowState, RowText, Section, SectionPart, SectionRow};
use super::prose::preview;
use document::seeds::Seeds;
use document::{Document, Field, Node, NodeKind, json, text};
use widgets::icons;

/// Builds the sections of seeds as the provider sees them: a key and its response.
pub(super) fn seeds(document: &Document, seeds: &Seeds) -> Vec<Section> {
    let keys: Vec<Option<String>> = seeds.seeds.iter().map(|seed| seed.key()).collect();
    // Of two seeds with one key the provider keeps the last.
    let entries = keys.iter().enumerate().filter_map(|(index, key)| Some((key.as_deref()?, index)));
    let last_indices: HashMap<&str, usize> = entries.collect();
    let mut sections = vec![heading("Seeds", "schema:model:job:round", seeds.seeds.len())];
    for (index, (seed, key)) in seeds.seeds.iter().zip(&keys).enumerate() {
        let winner = key.as_deref().and_then(|key| last_indices.get(key)).copied();
        let right = match winner {
            Some(winner) if winner > index => format!("replaced by {}", winner + 1),
            _ => String::new(),
        };
        sections.push(row(index, document.node(seed.node), key.clone(), right, &seed.response));
    }
    if !seeds.hash_seeds.is_empty() {
        sections.push(heading("Hash seeds", "step:model:hash, deprecated", seeds.hash_seeds.len()));
        for (index, seed) in seeds.hash_seeds.iter().enumerate() {
            let node = document.node(seed.node);
            sections.push(row(index, node, seed.key(), String::new(), &seed.response));
        }
    }
    sections
}

fn heading(title: &str, note: &str, number: usize) -> Section {
    let note = format!("{}, by {note}", document::text::thousands(number));
    Section::heading(icons::SPROUT, title, note)
}

/// Formats a key with unknown parts: code is shown in braces.
fn parts(seed: Node<'_>) -> String {
    let parts = seed.items().filter(|part| part.key() != Some("response"));
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
    key: Option<String>,
    right: String,
    response: &Option<Field<String>>,
) -> Section {
    let code = node.get("response").filter(|code| code.kind() == NodeKind::Expression);
    // The provider treats an empty response as none.
    let has_answer = code.is_some() || text(response).is_some_and(|response| !response.is_empty());
    let part = match response {
        None if has_answer => SectionPart::Remark(format!(
            "The response is known only when the code runs: {}",
            preview(code.map_or("", Node::raw))
        )),
        Some(field) if has_answer => SectionPart::of(field),
        _ => {
            SectionPart::Remark("No response: the provider treats this seed as missing.".to_owned())
        }
    };
    let title = RowText::computed(preview(&key.unwrap_or_else(|| parts(node))));
    Section::Row(SectionRow {
        state: (!has_answer || !right.is_empty()).then_some(RowState::Doubtful),
        ..SectionRow::new(index, node.id(), title, vec![RowText::computed(right)], vec![part])
    })
}
