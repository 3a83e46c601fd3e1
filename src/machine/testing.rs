//! Machines as text, for tests.

use super::{Annotation, Machine};
use document::text::Source;

pub(super) fn machine(text: &str) -> Machine {
    Machine::read(&Source::new(text))
}

fn annotations(list: &[Annotation]) -> String {
    let texts = list.iter().map(|annotation| match &annotation.value {
        Some(value) => format!(" @{}({value})", annotation.name.text),
        None => format!(" @{}", annotation.name.text),
    });
    texts.collect()
}

/// Lists the parts of a machine, one per line.
pub(super) fn describe_machine(machine: &Machine) -> String {
    let mut lines = Vec::new();
    let title = machine.title().unwrap_or("without title");
    lines.push(format!("{title}{}", annotations(&machine.annotations)));
    for import in &machine.imports {
        let names =
            import.names.iter().map(|(there, here)| format!("{} as {}", there.text, here.text));
        lines.push(format!("import {:?} from {}", names.collect::<Vec<_>>(), import.path.text));
    }
    lines.extend(machine.attributes.iter().map(|attribute| format!("  {attribute}")));
    for node in &machine.nodes {
        let kind = node.kind.as_ref().map_or("node", |kind| &kind.text);
        let title = node.title.as_ref().map(|title| format!(" {:?}", title.text));
        lines.push(format!(
            "{kind} {}{}{}",
            node.qualified,
            title.unwrap_or_default(),
            annotations(&node.annotations)
        ));
        for attribute in &node.attributes {
            let kind = attribute.kind.as_ref().map(|kind| format!(" <{}>", kind.text));
            let value = attribute.value.as_ref().map(|value| format!(" {:?}", value.kind));
            lines.push(format!(
                "  {attribute}{}{}",
                kind.unwrap_or_default(),
                value.unwrap_or_default()
            ));
        }
    }
    for edge in &machine.edges {
        let names = |list: &[super::SpannedText]| {
            list.iter().map(|name| &*name.text).collect::<Vec<_>>().join(", ")
        };
        let label = edge.label.as_ref().map(|label| format!(" {:?}", label.text));
        let attributes: String =
            edge.attributes.iter().map(|attribute| format!(" [{attribute}]")).collect();
        let counts = match (&edge.source_count, &edge.target_count) {
            (None, None) => String::new(),
            (source, target) => {
                let count = |count: &Option<super::SpannedText>| {
                    count.as_ref().map_or("?".into(), |count| count.text.clone())
                };
                format!(" {} to {}", count(source), count(target))
            }
        };
        lines.push(format!(
            "{} {} {}{}{attributes}{}{counts}",
            names(&edge.sources),
            edge.arrow.as_str(),
            names(&edge.targets),
            label.unwrap_or_default(),
            annotations(&edge.annotations)
        ));
    }
    lines.extend(
        machine
            .notes
            .iter()
            .map(|note| format!("note for {}: {}", note.target.text, note.text.text)),
    );
    lines.extend(
        machine
            .problems
            .iter()
            .map(|problem| format!("{} {:?} {}", problem.place, problem.recovery, problem.message)),
    );
    lines.join("\n")
}
