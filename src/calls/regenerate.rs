//! Expands the command by which a project regenerates recordings, for the recordings to regenerate.
//!
//! A command in `[regenerate]` may contain placeholders. A placeholder in the singular is replaced by one value, and the
//! command runs once for each value; one in the plural is replaced by all values, as separate words:
//!
//! | placeholder | value |
//! |---|---|
//! | `{source}`, `{sources}` | the machine a recording was made from, as a path from the project root |
//! | `{set}`, `{sets}` | the name of a recording's folder |
//! | `{folder}`, `{folders}` | the path of that folder from the project root |
//! | `{recording}`, `{recordings}` | the recording's file, as a path from the project root |
//!
//! Values are quoted for the shell, so that a file name cannot run as a command.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::Item;
use document::ValueMark;
use document::shell::{CommandShell, is_bare_behind};
use document::text::{HiddenKind, quoted, with_replaced};

/// The most commands that are run one after another.
const MAX_RUNS: usize = 500;

/// The kind of value of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceholderKind {
    Source,
    Set,
    Folder,
    Recording,
}

/// Number of values of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceholderCount {
    One,
    All,
}

/// Every placeholder.
const PLACEHOLDERS: &[(&str, PlaceholderKind, PlaceholderCount)] = &[
    ("source", PlaceholderKind::Source, PlaceholderCount::One),
    ("sources", PlaceholderKind::Source, PlaceholderCount::All),
    ("set", PlaceholderKind::Set, PlaceholderCount::One),
    ("sets", PlaceholderKind::Set, PlaceholderCount::All),
    ("folder", PlaceholderKind::Folder, PlaceholderCount::One),
    ("folders", PlaceholderKind::Folder, PlaceholderCount::All),
    ("recording", PlaceholderKind::Recording, PlaceholderCount::One),
    ("recordings", PlaceholderKind::Recording, PlaceholderCount::All),
];

/// A command with placeholders, as written in a project's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: Arc<str>,
    mark: ValueMark,
}

/// Reason for which a text is no such command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Message, without a full stop.
    pub message: String,
    /// Advice.
    pub help: String,
}

/// An expanded command: one or more lines, which run one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLines {
    /// Each is passed to the shell unchanged.
    pub commands: Vec<String>,
    /// Recordings that are skipped, with the reason, one sentence for each reason.
    pub skipped: Vec<String>,
}

/// A placeholder in a command.
struct Placeholder<'a> {
    range: Range<usize>,
    name: &'a str,
}

impl Placeholder<'_> {
    fn meaning(&self) -> Option<(PlaceholderKind, PlaceholderCount)> {
        let row = PLACEHOLDERS.iter().find(|(name, ..)| *name == self.name);
        row.map(|(_, kind, number)| (*kind, *number))
    }
}

/// Finds everything that looks like a placeholder; `${name}` belongs to the shell.
fn slots(command: &str) -> impl Iterator<Item = Placeholder<'_>> {
    command.match_indices('{').filter_map(|(at, _)| {
        let (name, _) = command[at + 1..].split_once('}')?;
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_slot = is_name && !name.is_empty() && !command[..at].ends_with('$');
        let range = at..at + name.len() + 2;
        is_slot.then_some(Placeholder { range, name })
    })
}

impl Template {
    /// Parses a command, which is at `mark` in its file.
    ///
    /// # Errors
    ///
    /// Returns an error if the command is empty, contains hidden characters or an unknown placeholder, or has a placeholder where quoting
    /// would not work.
    pub fn parse(command: &str, mark: ValueMark) -> Result<Self, TemplateError> {
        // A shell takes a carriage return for a part of the last word.
        let text = command.replace("\r\n", "\n");
        let refuse = |message: String, help: &str| {
            let help = help.to_owned();
            Err(TemplateError { message, help })
        };
        if text.trim().is_empty() {
            return refuse(
                "The command is empty".to_owned(),
                "Write a command, or remove the setting.",
            );
        }
        let is_hidden = |c: &char| HiddenKind::classify(*c).is_some() || *c == '\r';
        if let Some(c) = text.chars().find(is_hidden) {
            let name = HiddenKind::classify(c).map_or("a carriage return", HiddenKind::name);
            return refuse(
                format!("The command contains {name}, U+{:04X}", u32::from(c)),
                "Remove the character, so that the command runs as it is displayed.",
            );
        }
        for slot in slots(&text) {
            let is_bare = is_bare_behind(&text[..slot.range.start]);
            match (slot.meaning(), is_bare) {
                (None, true) => {
                    let message = format!("Unknown placeholder {}", quoted(slot.name));
                    return refuse(message, &format!("The placeholders are {}.", names()));
                }
                (Some(_), false) => {
                    let name = &text[slot.range.clone()];
                    let message =
                        format!("The placeholder {name} is in a place where quoting does not work");
                    let help = "Write it without quotes around it, and not in backquotes, arithmetic or a here-document: Retake quotes each value.";
                    return refuse(message, help);
                }
                _ => {}
            }
        }
        Ok(Self { text: text.into(), mark })
    }

    /// Returns its place in the file.
    pub fn mark(&self) -> ValueMark {
        self.mark
    }

    /// Expands the command for recordings, in their order.
    ///
    /// # Errors
    ///
    /// Returns an error that says what to do if a command would be too long, or there would be too many.
    pub fn write<'a>(
        &self,
        recordings: impl IntoIterator<Item = &'a Item>,
        shell: CommandShell,
    ) -> Result<CommandLines, String> {
        let slots: Vec<Placeholder> = slots(&self.text).filter(|s| s.meaning().is_some()).collect();
        let (mut runs, mut places) = (Vec::<CommandRun>::new(), HashMap::new());
        let mut reasons: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
        for item in recordings {
            match command_words(item, &slots, shell) {
                Err(reason) => reasons.entry(reason).or_default().push(item.root_path()),
                Ok(words) => {
                    let singular_words = slots.iter().zip(&words).filter(|(slot, _)| is_one(slot));
                    let key: Vec<String> = singular_words.map(|(_, word)| word.clone()).collect();
                    let index = *places.entry(key).or_insert(runs.len());
                    runs.resize_with(runs.len().max(index + 1), CommandRun::default);
                    runs[index].add(words);
                }
            }
        }
        if runs.len() > MAX_RUNS {
            return Err(format!(
                "This would run {} commands one after another. Choose fewer recordings, or use a placeholder in the plural, such as {{recordings}}.",
                runs.len()
            ));
        }
        let commands: Vec<String> = runs.iter().map(|run| self.filled(&slots, run)).collect();
        if commands.iter().any(|command| command.len() > shell.longest()) {
            return Err("The command would be longer than the system allows. Choose fewer recordings, or use a placeholder with fewer values, such as {sets}.".to_owned());
        }
        let skipped = reasons.into_iter().map(|(reason, names)| left_out(reason, &names)).collect();
        Ok(CommandLines { commands, skipped })
    }

    fn filled(&self, slots: &[Placeholder], run: &CommandRun) -> String {
        let words = run.words.iter().map(|words| words.join(" "));
        let parts = slots.iter().map(|slot| slot.range.clone()).zip(words);
        with_replaced(&self.text, &parts.collect::<Vec<_>>())
    }
}

/// The words of one command for each placeholder.
#[derive(Default)]
struct CommandRun {
    words: Vec<Vec<String>>,
    known: HashSet<(usize, String)>,
}

impl CommandRun {
    fn add(&mut self, words: Vec<String>) {
        self.words.resize_with(words.len(), Vec::new);
        for (slot, word) in words.into_iter().enumerate() {
            // Recordings share folders, sets and sources, each of which is named once.
            if self.known.insert((slot, word.clone())) {
                self.words[slot].push(word);
            }
        }
    }
}

fn is_one(slot: &Placeholder<'_>) -> bool {
    slot.meaning().is_some_and(|(_, number)| number == PlaceholderCount::One)
}

/// Returns the value of a placeholder for a recording, or why it has none.
fn command_words(
    item: &Item,
    slots: &[Placeholder<'_>],
    shell: CommandShell,
) -> Result<Vec<String>, &'static str> {
    let word = |slot: &Placeholder| {
        let value = slot.meaning().map_or(Ok(String::new()), |(kind, _)| value(item, kind))?;
        // The bytes of such a name are lost, so the command would get another file, or none.
        if value.contains(char::REPLACEMENT_CHARACTER) {
            return Err("has a name that is not valid Unicode");
        }
        shell.quote(&value).ok_or("has a name that cannot be quoted for a shell")
    };
    slots.iter().map(word).collect()
}

fn value(item: &Item, kind: PlaceholderKind) -> Result<String, &'static str> {
    match kind {
        PlaceholderKind::Recording => Ok(path(item.root_path())),
        // An empty word is no path.
        PlaceholderKind::Folder if item.folder().is_empty() => Ok(".".to_owned()),
        PlaceholderKind::Folder => Ok(path(item.folder())),
        PlaceholderKind::Set if item.set().is_empty() => Err("is not in a folder of the project"),
        // A set is a name and not a path, so `./` cannot protect it from being read as an option.
        PlaceholderKind::Set if item.set().starts_with('-') => {
            Err("is in a set whose name looks like an option")
        }
        PlaceholderKind::Set => Ok(item.set().to_owned()),
        PlaceholderKind::Source => {
            let source = item.source.as_ref().ok_or("is not a recording")?;
            // The recorded path may be one from before a rename.
            let present_path = source.found.present().map(|p| &*p.path);
            present_path.or(source.file.as_deref()).map(path).ok_or("names no source")
        }
    }
}

/// Returns a path that no program reads as an option.
fn path(path: &str) -> String {
    if path.starts_with('-') { format!("./{path}") } else { path.to_owned() }
}

fn left_out(reason: &str, names: &[&str]) -> String {
    match names {
        [name] => format!("{} is skipped: it {reason}.", quoted(name)),
        [first, ..] => {
            let count = names.len();
            format!("{count} recordings are skipped; the first, {}, {reason}.", quoted(first))
        }
        [] => String::new(),
    }
}

/// Lists all placeholders, for a sentence.
fn names() -> String {
    PLACEHOLDERS.iter().map(|(name, ..)| format!("{{{name}}}")).collect::<Vec<_>>().join(", ")
}
