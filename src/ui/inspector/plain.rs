//! What the inspector shows of machines, of files that are of no known kind, and of broken ones.

use super::content::{Fact, Facts, Heading, Part, Section, Sign, Turn, count};
use super::data::{About, banner};
use super::values::Values;
use crate::format::foreign::Foreign;
use crate::format::{Document, Problem, RuleId, Severity};
use crate::ops::machine::Machine;
use crate::text::{upper_first, visible};
use crate::workbench::Action;

/// A file of another tool: what it is and what can be done with it, then its values.
pub(super) fn foreign(foreign: &Foreign, document: &Document, about: &About<'_>) -> Vec<Section> {
    let title = format!("{}.", upper_first(&foreign.describe()));
    let help = foreign.format.help().replace('`', "");
    let mut sections = vec![banner(Severity::Note, &title, &help, Vec::new())];
    sections.extend(values(document, about, foreign.format.label()));
    sections
}

/// The largest machine that is read for the inspector, in bytes: reading must not hold up a frame.
const LARGEST_MACHINE: usize = 256 << 10;

/// A machine: its title, its nodes and how many edges connect them. The text is in a tab of its own.
pub(super) fn machine(document: &Document, about: &About<'_>) -> Vec<Section> {
    let source = document.source();
    let mut facts = vec![about.file()];
    if source.text().len() <= LARGEST_MACHINE {
        let machine = Machine::read(source);
        let title = machine.title().map(|title| Fact::words("Title", title));
        let nodes = machine.node_names().join(", ");
        facts.extend(title);
        facts.push(Fact::data("Nodes", &nodes));
        facts.push(Fact::words("Edges", &machine.edges.len().to_string()));
    }
    vec![Section::Facts(Facts {
        heading: Heading::new(Sign::File, "Machine", "source of recordings"),
        facts,
        foot: None,
    })]
}

/// A file of no known kind: its values, as they are.
pub(super) fn unknown(document: &Document, about: &About<'_>) -> Vec<Section> {
    values(document, about, "of an unknown kind")
}

fn values(document: &Document, about: &About<'_>, what: &str) -> Vec<Section> {
    let mut sections = vec![Section::Facts(Facts {
        heading: Heading::new(Sign::File, "File", what),
        facts: vec![about.file()],
        foot: None,
    })];
    if let Some(root) = document.tree.root() {
        sections.push(Section::Turn(Turn {
            heading: Heading::new(Sign::File, "Values", count(document.tree.len(), "value")),
            right: String::new(),
            node: Some(root.id()),
            parts: vec![Part::Value(String::new(), Values::of(root))],
        }));
    }
    sections
}

/// The banner of a file that could not be read as what it should be; what could be understood follows below.
pub(super) fn broken(about: &About<'_>) -> Option<Section> {
    let fatal = |problem: &&Problem| {
        use RuleId::{Encoding, NestingTooDeep, Syntax, Unreadable};
        matches!(
            problem.rule,
            Unreadable | Syntax | Encoding | NestingTooDeep
        )
    };
    let problem = about.item.problems.iter().find(fatal)?;
    let title = format!(
        "Invalid at line {}, column {}.",
        problem.place.line, problem.place.column
    );
    let show = Action::Reveal(about.id, problem.span);
    // Backticks set words as data elsewhere; a banner has one face.
    let message = visible(&problem.message).replace('`', "");
    let mut rest = message.chars();
    let text: String = rest
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(rest)
        .chain(['.'])
        .collect();
    Some(banner(
        Severity::Error,
        &title,
        &text,
        vec![("Show the place".into(), show)],
    ))
}
