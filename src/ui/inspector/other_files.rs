//! Inspector sections of machines, files of an unknown kind, and invalid files.

use super::content::{
    ConversationTurn, InspectorFact, InspectorSection, SectionHeading, SectionPart, count,
};
use super::file_context::FileContext;
use ::calls::Item;
use ::calls::cassette_config::ConfigOrigin;
use document::foreign::Foreign;
use document::text::{upper_first, visible};
use document::{Document, Problem, RuleId, Severity};
use machine::Machine;
use widgets::icons;
use workbench::Action;

/// Builds the sections of a file of another tool: its kind, its actions, and its values.
pub(super) fn foreign(
    foreign: &Foreign,
    document: &Document,
    context: &FileContext<'_>,
) -> Vec<InspectorSection> {
    let title = format!("{}.", upper_first(&foreign.describe()));
    let help = foreign.format.help().replace('`', "");
    let mut sections = vec![InspectorSection::banner(Severity::Note, &title, &help, Vec::new())];
    sections.extend(values(document, context, foreign.label()));
    sections
}

/// Returns what is configured about a cassette, each value with the place where it is written.
pub(super) fn configured(item: &Item) -> Vec<InspectorFact> {
    let recorder = item.client().map(|client| InspectorFact::prose("Recorded by", client.as_str()));
    let Some(set) = item.cassette.as_deref() else { return Vec::from_iter(recorder) };
    let fact = |name: &str, value: &str, origin: &ConfigOrigin| InspectorFact {
        remark: origin.to_string(),
        ..InspectorFact::data(name, value)
    };
    let player =
        set.client.as_ref().map(|(client, origin)| fact("Played by", client.as_str(), origin));
    let test = set.test.as_ref().map(|test| fact("Test", &test.name, &test.origin));
    let texts = set.match_on.iter().chain(&set.record_mode).chain(&set.ignored).map(|setting| {
        let joined_texts = setting.texts.as_ref().map(|texts| texts.join(", "));
        // A setting that is an expression of code is known only to a run.
        let value = joined_texts.as_deref().unwrap_or("not known");
        fact(&setting.key, value, &setting.origin)
    });
    let repeats = set.repeats.as_ref().map(|origin| fact("allow_playback_repeats", "true", origin));
    recorder.into_iter().chain(player).chain(test).chain(texts).chain(repeats).collect()
}

/// Maximum size of a machine that is parsed for the inspector, in bytes: parsing must not delay a frame.
const MAX_MACHINE_BYTES: usize = 256 << 10;

/// Builds the sections of a machine: title, nodes, and number of edges. The text is in another tab.
pub(super) fn machine(document: &Document, context: &FileContext<'_>) -> Vec<InspectorSection> {
    let source = document.source();
    let mut facts = vec![context.file_fact()];
    if source.text().len() <= MAX_MACHINE_BYTES {
        let machine = Machine::read(source);
        let title = machine.title().map(|title| InspectorFact::prose("Title", title));
        let nodes = machine.node_names().join(", ");
        facts.extend(title);
        facts.push(InspectorFact::data("Nodes", &nodes));
        facts.push(InspectorFact::prose("Edges", &machine.edges.len().to_string()));
    }
    vec![InspectorSection::facts(icons::FILE_TEXT, "Machine", "source of recordings", facts)]
}

/// Builds the sections of a file of an unknown kind: its values.
pub(super) fn unknown(document: &Document, context: &FileContext<'_>) -> Vec<InspectorSection> {
    values(document, context, "of an unknown kind")
}

fn values(document: &Document, context: &FileContext<'_>, note: &str) -> Vec<InspectorSection> {
    let file = InspectorSection::facts(icons::FILE_TEXT, "File", note, [context.file_fact()]);
    let values = document.tree.root().map(|root| {
        let count = count(document.tree.len(), "value");
        let heading = SectionHeading::new(icons::FILE_TEXT, "Values", count);
        let parts = vec![SectionPart::value(root)];
        InspectorSection::Turn(ConversationTurn::new(heading, Some(root), parts))
    });
    [file].into_iter().chain(values).collect()
}

/// Returns the banner of a file that could not be fully parsed. What was parsed follows below.
pub(super) fn broken(context: &FileContext<'_>) -> Option<InspectorSection> {
    let is_fatal = |problem: &&Problem| {
        use RuleId::{Encoding, NestingTooDeep, Syntax, Unreadable};
        // Only problems of these rules keep a part of the file from being read.
        matches!(problem.rule, Unreadable | Syntax | Encoding | NestingTooDeep)
    };
    let problem = context.item.problems.iter().find(is_fatal)?;
    let title = format!("Invalid at line {}, column {}.", problem.place.line, problem.place.column);
    // Elsewhere backticks mark data; a banner has only one font.
    let text = format!("{}.", upper_first(&visible(&problem.message).replace('`', "")));
    let action = ("Show the place".into(), Action::Reveal(context.id, problem.span));
    Some(InspectorSection::banner(Severity::Error, &title, &text, vec![action]))
}
