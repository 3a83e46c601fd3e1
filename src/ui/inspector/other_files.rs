//! Inspector sections of machines, files of an unknown kind, and invalid files.

use std::borrow::Cow;

use super::content::{Fact, Heading, Section, SectionPart, count};
use super::inspector_data::FileItem;
use ::calls::Item;
use ::calls::cassette_config::ConfigOrigin;
use document::foreign::{Foreign, ForeignFormat};
use document::format::{FormatPart, guess};
use document::text::{upper_first, visible};
use document::{Document, DocumentBody, Problem, RuleId, Severity, Syntax};
use machine::Machine;
use widgets::icons;
use workbench::{Action, FormatAction};

/// Builds the sections of a file of another tool: its kind, its actions, and its values.
pub(super) fn foreign(foreign: &Foreign, document: &Document, file: &FileItem<'_>) -> Vec<Section> {
    let title = format!("{}.", upper_first(&foreign.describe()));
    let help = foreign.format.help().replace('`', "");
    let describe = (foreign.format == ForeignFormat::JsonLines).then(|| describe_action(file));
    let actions = describe.into_iter().collect();
    let mut sections = vec![Section::banner(Severity::Note, &title, &help, actions)];
    sections.extend(values(document, file, foreign.label()));
    sections
}

/// Returns why calls may be missing, as sentences.
fn uncertainty(file: &FileItem<'_>) -> String {
    // What is worse than a note has a banner of its own.
    let is_about_calls = |problem: &&Problem| problem.rule == RuleId::CallsUnsure;
    let problems = file.item.problems.iter().filter(is_about_calls);
    // A banner has one font, and would show backticks as they are.
    let sentence = |problem: &Problem| format!("{}. ", visible(&problem.message).replace('`', ""));
    problems.map(sentence).collect()
}

fn describe_action(file: &FileItem<'_>) -> (Cow<'static, str>, Action) {
    ("Describe this format…".into(), Action::Format(FormatAction::Describe(file.id)))
}

/// Returns the banner of a file whose calls were found by their shape or by a description: where in it they are.
pub(super) fn recorder(document: &Document, file: &FileItem<'_>) -> Option<Section> {
    let DocumentBody::Foreign(foreign) = &document.body else { return None };
    if !matches!(foreign.format, ForeignFormat::Recorded | ForeignFormat::Answers) {
        return None;
    }
    let pointers = guess(document);
    let [request, answer] =
        [FormatPart::Request, FormatPart::Answer].map(|part| pointers.full(part));
    let places = match (&*request, &*answer) {
        ("", _) | (_, "") => String::new(),
        (request, answer) => {
            format!("Request at {}, answer at {}.", visible(request), visible(answer))
        }
    };
    let exclude = ("Not a recording".into(), Action::Format(FormatAction::Exclude(file.id)));
    let (title, actions) = match &document.format {
        Some(format) if format.name.is_empty() => {
            ("Read as described in retake.toml.".to_owned(), vec![describe_action(file)])
        }
        Some(format) => {
            (format!("Recorded by {}.", visible(&format.name)), vec![describe_action(file)])
        }
        None if foreign.format == ForeignFormat::Answers => {
            ("Prepared answers, by their shape.".to_owned(), vec![exclude, describe_action(file)])
        }
        None => ("Recorded by your own recorder.".to_owned(), vec![exclude, describe_action(file)]),
    };
    let text = format!("{places} {}", uncertainty(file)).trim().to_owned();
    Some(Section::banner(Severity::Note, &title, &text, actions))
}

/// Returns what is configured about a cassette, each value with the place where it is written.
pub(super) fn configured(item: &Item) -> Vec<Fact> {
    let recorder = item.client().map(|client| Fact::prose("Recorded by", client.as_str()));
    let Some(set) = item.cassette.as_deref() else { return Vec::from_iter(recorder) };
    let fact = |name: &str, value: &str, origin: &ConfigOrigin| Fact {
        remark: origin.to_string(),
        ..Fact::data(name, value)
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
pub(super) fn machine(document: &Document, file: &FileItem<'_>) -> Vec<Section> {
    let source = document.source();
    let mut facts = vec![file.file_fact()];
    if source.text().len() <= MAX_MACHINE_BYTES {
        let machine = Machine::read(source);
        let title = machine.title().map(|title| Fact::prose("Title", title));
        let nodes = machine.node_names().join(", ");
        facts.extend(title);
        facts.push(Fact::data("Nodes", &nodes));
        facts.push(Fact::prose("Edges", &machine.edges.len().to_string()));
    }
    vec![Section::facts(icons::FILE_TEXT, "Machine", "source of recordings", facts)]
}

/// Builds the sections of a file of an unknown kind: its values.
pub(super) fn unknown(document: &Document, file: &FileItem<'_>) -> Vec<Section> {
    let is_data = matches!(document.syntax, Syntax::Json | Syntax::Yaml | Syntax::Toml)
        && document.tree.fault().is_none()
        && document.tree.root().is_some_and(|root| !root.is_empty());
    let banner = is_data.then(|| {
        let text = uncertainty(file)
            + "If it is a recording, describe where its requests and answers are.";
        Section::banner(
            Severity::Note,
            "Not a known kind of file.",
            &text,
            vec![describe_action(file)],
        )
    });
    banner.into_iter().chain(values(document, file, "of an unknown kind")).collect()
}

fn values(document: &Document, file: &FileItem<'_>, note: &str) -> Vec<Section> {
    let file = Section::facts(icons::FILE_TEXT, "File", note, [file.file_fact()]);
    let values = document.tree.root().map(|root| {
        let count = count(document.tree.len(), "value");
        let heading = Heading::new(icons::FILE_TEXT, "Values", count);
        let parts = vec![SectionPart::value(root)];
        Section::turn(heading, Some(root), parts)
    });
    [file].into_iter().chain(values).collect()
}

/// Returns whether a problem keeps a part of the file from being read.
pub(super) fn is_fatal(problem: &Problem) -> bool {
    use document::RuleId::{Encoding, NestingTooDeep, Syntax, Unreadable};
    matches!(problem.rule, Unreadable | Syntax | Encoding | NestingTooDeep)
}

/// Returns the banner of a file that could not be fully parsed. What was parsed follows below.
pub(super) fn broken(file: &FileItem<'_>) -> Option<Section> {
    let problem = file.item.problems.iter().find(|problem| is_fatal(problem))?;
    let title = format!("Invalid at line {}, column {}.", problem.place.line, problem.place.column);
    // Elsewhere backticks mark data; a banner has only one font.
    let plain = |words: &str| visible(words).replace('`', "");
    let help = problem.help.as_deref().map_or_else(String::new, |help| format!(" {}", plain(help)));
    let text = format!("{}.{help}", upper_first(&plain(&problem.message)));
    let action = ("Show the place".into(), Action::Reveal(file.id, problem.span));
    Some(Section::banner(Severity::Error, &title, &text, vec![action]))
}
