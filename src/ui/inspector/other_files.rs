//! Inspector sections of machines, files of an unknown kind, and invalid files.

use super::calls;
use super::content::{
    ConversationTurn, HeadingIcon, InspectorFact, InspectorSection, SectionHeading, SectionPart,
    count,
};
use super::file_context::FileContext;
use super::values::Values;
use ::calls::Item;
use ::calls::cassette_config::ConfigOrigin;
use document::foreign::Foreign;
use document::text::{upper_first, visible};
use document::{Document, FileKind, Problem, RuleId, Severity};
use machine::Machine;
use workbench::Action;

/// Builds the sections of a file of another tool: its kind, its actions, and its values.
pub(super) fn foreign(
    foreign: &Foreign,
    document: &Document,
    context: &FileContext<'_>,
) -> Vec<InspectorSection> {
    if foreign.format.kind() == FileKind::Cassette {
        let mut sections = calls::list(document, &context.item.calls);
        let recorder = foreign.client.map(|it| InspectorFact::prose("Recorded by", it.as_str()));
        let mut facts = Vec::from_iter(recorder);
        facts.extend(configured(context.item));
        facts.push(context.file_fact());
        sections.push(InspectorSection::facts(HeadingIcon::File, "File", foreign.label(), facts));
        return sections;
    }
    let title = format!("{}.", upper_first(&foreign.describe()));
    let help = foreign.format.help().replace('`', "");
    let mut sections = vec![InspectorSection::banner(Severity::Note, &title, &help, Vec::new())];
    sections.extend(calls::list(document, &context.item.calls));
    sections.extend(values(document, context, foreign.label()));
    sections
}

/// Returns what is configured about a cassette, each value with the place where it is written.
fn configured(item: &Item) -> Vec<InspectorFact> {
    let Some(set) = item.cassette.as_deref() else { return Vec::new() };
    let fact = |name: &str, value: &str, origin: &ConfigOrigin| InspectorFact {
        remark: origin.to_string(),
        ..InspectorFact::data(name, value)
    };
    let played =
        set.client.as_ref().map(|(client, origin)| fact("Played by", client.as_str(), origin));
    let test = set.test.as_ref().map(|test| fact("Test", &test.name, &test.origin));
    let texts = set.match_on.iter().chain(&set.record_mode).chain(&set.ignored).map(|setting| {
        let joined = setting.texts.as_ref().map(|texts| texts.join(", "));
        // A setting that is an expression of code is known only to a run.
        let value = joined.as_deref().unwrap_or("not known");
        fact(&setting.key, value, &setting.origin)
    });
    let repeats = set.repeats.as_ref().map(|origin| fact("allow_playback_repeats", "true", origin));
    played.into_iter().chain(test).chain(texts).chain(repeats).collect()
}

/// Maximum size of a machine that is parsed for the inspector, in bytes: parsing must not delay a frame.
const LARGEST_MACHINE: usize = 256 << 10;

/// Builds the sections of a machine: title, nodes, and number of edges. The text is in another tab.
pub(super) fn machine(document: &Document, context: &FileContext<'_>) -> Vec<InspectorSection> {
    let source = document.source();
    let mut facts = vec![context.file_fact()];
    if source.text().len() <= LARGEST_MACHINE {
        let machine = Machine::read(source);
        let title = machine.title().map(|title| InspectorFact::prose("Title", title));
        let nodes = machine.node_names().join(", ");
        facts.extend(title);
        facts.push(InspectorFact::data("Nodes", &nodes));
        facts.push(InspectorFact::prose("Edges", &machine.edges.len().to_string()));
    }
    vec![InspectorSection::facts(HeadingIcon::File, "Machine", "source of recordings", facts)]
}

/// Builds the sections of a file of an unknown kind: its values.
pub(super) fn unknown(document: &Document, context: &FileContext<'_>) -> Vec<InspectorSection> {
    values(document, context, "of an unknown kind")
}

fn values(document: &Document, context: &FileContext<'_>, what: &str) -> Vec<InspectorSection> {
    let mut sections =
        vec![InspectorSection::facts(HeadingIcon::File, "File", what, [context.file_fact()])];
    if let Some(root) = document.tree.root() {
        sections.push(InspectorSection::Turn(ConversationTurn {
            is_main: false,
            heading: SectionHeading::new(
                HeadingIcon::File,
                "Values",
                count(document.tree.len(), "value"),
            ),
            right: String::new(),
            node: Some(root.id()),
            parts: vec![SectionPart::Value(String::new(), Values::from_node(root))],
        }));
    }
    sections
}

/// Returns the banner of a file that could not be fully parsed. What was parsed follows below.
pub(super) fn broken(context: &FileContext<'_>) -> Option<InspectorSection> {
    let fatal = |problem: &&Problem| {
        use RuleId::{Encoding, NestingTooDeep, Syntax, Unreadable};
        // Only problems of these rules keep a part of the file from being read.
        matches!(problem.rule, Unreadable | Syntax | Encoding | NestingTooDeep)
    };
    let problem = context.item.problems.iter().find(fatal)?;
    let title = format!("Invalid at line {}, column {}.", problem.place.line, problem.place.column);
    let show = Action::Reveal(context.id, problem.span);
    // Elsewhere backticks mark data; a banner has only one font.
    let message = visible(&problem.message).replace('`', "");
    let mut rest = message.chars();
    let text: String =
        rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).chain(['.']).collect();
    Some(InspectorSection::banner(
        Severity::Error,
        &title,
        &text,
        vec![("Show the place".into(), show)],
    ))
}
