//! What the inspector shows of seeds.

use std::collections::HashMap;

use super::content::{Heading, Part, Row, RowState, Section, Sign, Told, preview};
use super::recording::words;
use crate::format::seeds::Seeds;
use crate::format::{Document, Field, NodeId, text};

/// Seeds as the provider sees them: a key and what it answers.
pub(super) fn seeds(_: &Document, seeds: &Seeds) -> Vec<Section> {
    let keys: Vec<Option<String>> = seeds.seeds.iter().map(|seed| seed.key()).collect();
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (index, key) in keys.iter().enumerate() {
        last.extend(key.as_deref().map(|key| (key, index)));
    }
    let mut sections = vec![heading(
        "Seeds",
        "schema:model:job:round",
        seeds.seeds.len(),
    )];
    for (index, (seed, key)) in seeds.seeds.iter().zip(&keys).enumerate() {
        let winner = key.as_deref().and_then(|key| last.get(key)).copied();
        let right = match winner {
            Some(winner) if winner > index => format!("replaced by {}", winner + 1),
            _ => String::new(),
        };
        let key = key.as_deref().unwrap_or("a part of the key is missing");
        sections.push(row(index, seed.node, key, right, &seed.response));
    }
    if !seeds.hash_seeds.is_empty() {
        sections.push(heading(
            "Hash seeds",
            "step:model:hash, deprecated",
            seeds.hash_seeds.len(),
        ));
        for (index, seed) in seeds.hash_seeds.iter().enumerate() {
            let key = seed.key();
            let key = key.as_deref().unwrap_or("a part of the key is missing");
            sections.push(row(index, seed.node, key, String::new(), &seed.response));
        }
    }
    sections
}

fn heading(title: &str, note: &str, number: usize) -> Section {
    Section::Heading(Heading::new(
        Sign::Seeds,
        title,
        format!("{}, by {note}", crate::ui::code::grouped(number)),
    ))
}

fn row(
    index: usize,
    node: NodeId,
    key: &str,
    right: String,
    response: &Option<Field<String>>,
) -> Section {
    let answers = text(response).is_some_and(|response| !response.is_empty());
    let part = match response {
        Some(field) if answers => words(field.node, &field.value),
        _ => Part::Remark("No response: the provider takes this seed for absent.".to_owned()),
    };
    Section::Row(Row {
        node,
        state: (!answers || !right.is_empty()).then_some(RowState::Odd),
        lead: (index + 1).to_string(),
        title: Told::words(preview(key)),
        right: vec![Told::words(right)],
        parts: vec![part],
    })
}
