//! `retake edit`: changes values in JSON, YAML or TOML, and no other byte.

mod many;
mod replacements;
mod report;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::{Arg, ArgAction, ArgMatches, Command};

pub(super) use report::EditDocument;

use super::common::{ColorOption, ScanOptions};
use super::difference::difference;
use super::outbox::write_file;
use super::output::shown;
use super::{CommandError, CommandResult, CommandVerdict, print_summary, report_error, write};
use author::saving::Expected;
use calls::javascript::stringify;
use document::edit::{self, Edit, JsonValue};
use document::text::{Place, Source};
use document::{Document, Node};
use engine::SourceLookup;
use engine::save::SaveTarget;
use engine::undo::StepRecorder;

/// Change values in JSON, YAML or TOML files, and no other byte.
///
/// Values are named by JSON Pointers, such as /tool_responses/0/status. New values are given as JSON and written in the style
/// of the surrounding text. In TOML, elements cannot be moved. In a single file, edits are made in the order of the arguments, each
/// on the result of the previous one, and either all are made or none.
///
/// In folders, in several files, and with an option that finds places (a * in a pointer, --where, --replace, --rename-tool and
/// the like), every place that matches is changed, in each file as it was, and files without such a place are skipped. A place
/// that cannot be changed is reported, the others are changed, and the exit code is 2. If nothing matches, it is 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake edit replays/loop.yaml --set /tool_responses/0/status=504 --dry-run\n  \
                  retake edit tape.json --insert '/stream/-={\"delayNs\": 0, \"text\": \"\"}' --remove /meta/comment\n  \
                  retake edit replays/loop.yaml --move /tool_responses/2=0\n  \
                  retake edit fixtures --rename-tool respond=reply --dry-run\n  \
                  retake edit fixtures --where kind:tape --replace v1.example.org v2.example.org --at /request"
)]
pub(super) struct EditArgs {
    /// JSON, YAML or TOML files, and folders.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    edits: EditOptions,
    #[command(flatten)]
    many: replacements::ManyOptions,
    /// Change no file; show the difference, or of many places each change and where it is made.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

/// The edits in the arguments, in their order.
#[derive(Debug)]
struct EditOptions(Vec<EditOption>);

#[derive(Debug)]
struct EditOption {
    option: &'static str,
    argument: String,
}

/// The options that edit: name, value name, help.
const OPTIONS: [(&str, &str, &str); 5] = [
    ("set", "POINTER=JSON", "Replace a value"),
    (
        "insert",
        "POINTER=JSON",
        "Insert a value into a list before an index (- is the end), or into an object with a new key",
    ),
    ("remove", "POINTER", "Remove a value from its list or object"),
    ("rename", "POINTER=KEY", "Rename the key of a member of an object"),
    ("move", "POINTER=INDEX", "Move an element of a list to another index"),
];

impl clap::Args for EditOptions {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, &(name, value_name, help_text)| {
            let option = Arg::new(name).long(name).value_name(value_name).help(help_text);
            command.arg(option.action(ArgAction::Append))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for EditOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Vec::new();
        for (option, ..) in OPTIONS {
            let places = matches.indices_of(option).into_iter().flatten();
            let args = matches.get_many::<String>(option).into_iter().flatten();
            options.extend(places.zip(args.map(|a| EditOption { option, argument: a.clone() })));
        }
        // Edits of different options are made in the order of the command line, which clap keeps only as indices.
        options.sort_by_key(|(place, _)| *place);
        Ok(Self(options.into_iter().map(|(_, option)| option).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl EditOption {
    fn edit(&self) -> CommandResult<Edit> {
        let fault = |reason: String| {
            let (option, argument) = (self.option, shown(&self.argument));
            CommandError(format!("{reason}: --{option} {argument}"))
        };
        let value_name =
            OPTIONS.iter().find(|(name, ..)| *name == self.option).map_or("POINTER", |(_, v, _)| v);
        let format_fault = || fault(format!("expected {value_name}"));
        if self.option == "remove" {
            let pointer = self.argument.clone();
            return Ok(Edit::Remove { pointer });
        }
        if self.option == "move" {
            // From the end: an index has no `=`, while a key may.
            let (pointer, index) = self.argument.rsplit_once('=').ok_or_else(format_fault)?;
            return Ok(Edit::Move {
                pointer: pointer.to_owned(),
                to: index.parse().map_err(|_| format_fault())?,
            });
        }
        let (pointer, rest) = self.argument.split_once('=').ok_or_else(format_fault)?;
        if self.option == "rename" {
            return Ok(Edit::Rename { pointer: pointer.to_owned(), key: rest.to_owned() });
        }
        let (pointer, value) = value(&self.argument, pointer, rest).map_err(fault)?;
        let pointer = pointer.to_owned();
        Ok(match self.option {
            "insert" => Edit::Insert { pointer, value },
            _ => Edit::Set { pointer, value },
        })
    }
}

/// Splits an argument into pointer and value. A key may contain `=`, so the first one that JSON follows counts.
fn value<'a>(
    argument: &'a str,
    pointer: &'a str,
    rest: &'a str,
) -> Result<(&'a str, JsonValue), String> {
    let first = JsonValue::parse(rest).map(|value| (pointer, value));
    let mut later_values = argument.match_indices('=').skip(1).filter_map(|(index, _)| {
        let value = JsonValue::parse(&argument[index + 1..]).ok()?;
        Some((&argument[..index], value))
    });
    // The message is that of the first `=`, where most values begin.
    first.or_else(|reason| later_values.next().ok_or(reason))
}

pub(super) fn run(arguments: &EditArgs, recorder: &StepRecorder) -> CommandResult {
    let edits: CommandResult<Vec<Edit>> = arguments.edits.0.iter().map(EditOption::edit).collect();
    let edits = edits?;
    if edits.is_empty() && !arguments.many.has_replacements() {
        return Err("No edit given; use --set, --insert, --remove, --rename or --move".into());
    }
    let ([file], false) = (arguments.paths.as_slice(), arguments.many.is_used()) else {
        return many::run(arguments, &edits, recorder);
    };
    let input = arguments.within.read(&arguments.paths, SourceLookup::LeaveAlone)?;
    let path = file.to_string_lossy();
    let item = match input.items.as_slice() {
        // A folder with one file is edited as a folder: a file without the place is skipped and not refused.
        [item] if !input.project.has_folder() => item,
        _ => return many::run(arguments, &edits, recorder),
    };
    let old_document =
        input.project.read(0, item).map_err(|r| CommandError(format!("{r}: {}", shown(&path))))?;
    if many::finds_places(&old_document.tree, &edits) {
        return many::run(arguments, &edits, recorder);
    }
    let source = old_document.source().clone();
    let (new_source, made_edits) = apply_edits(old_document, &arguments.edits, &edits, &path)?;
    if !arguments.dry_run {
        // A killed save may have left a temporary file. It is removed before a new one is written beside it.
        input.project.clean_leftovers(&AtomicBool::new(false));
        if new_source != source {
            let target = input.project.target(0, item)?;
            store(recorder, target, &source, &new_source)?;
        }
    }
    if arguments.many.json {
        let document = EditDocument::of_one(&path, &made_edits, new_source != source);
        write(arguments.look.color, |output| {
            output.hide(input.secrets());
            output.document(&document)
        })?;
    } else if arguments.dry_run {
        write(arguments.look.color, |output| {
            difference(output, &path, source.text(), new_source.text())
        })?;
    } else {
        made_edits.iter().for_each(|edit| print_summary(&shown(&edit.description)));
    }
    Ok(CommandVerdict::Passed)
}

/// An edit that was made.
struct MadeEdit {
    description: String,
    pointer: String,
    place: Place,
    /// The value before and after, as JSON.
    old: Option<String>,
    new: Option<String>,
}

/// Makes all edits in memory.
fn apply_edits(
    mut document: Document,
    options: &EditOptions,
    edits: &[Edit],
    path: &str,
) -> CommandResult<(Source, Vec<MadeEdit>)> {
    let mut made_edits = Vec::with_capacity(edits.len());
    for (option, edit) in options.0.iter().zip(edits) {
        let fault = |reason: &str, place| {
            let (option, pointer) = (option.option, shown(edit.pointer()));
            let path = shown(path);
            CommandError(format!("{reason}: --{option} {pointer}: {path}:{place}"))
        };
        let plan = edit::plan(&document.tree, edit).map_err(|r| fault(&r.reason, r.place))?;
        // YAML has one value for an anchor and its aliases, so the edit changes more than was named.
        for alias in edit::followers(&document.tree, edit) {
            report_error(&format!(
                "The alias {} refers to the changed value and changes, too: {path}:{}",
                alias.raw(),
                alias.place()
            ));
        }
        let old = document.tree.at_pointer(edit.pointer());
        let new = match edit {
            Edit::Set { value, .. }
            | Edit::Insert { value, .. }
            | Edit::InsertBefore { value, .. } => Some(value.json().to_owned()),
            Edit::Remove { .. } => None,
            Edit::Rename { .. } | Edit::Move { .. } => old.map(stringify),
        };
        // An inserted value has the place of what it is inserted into.
        let parent = || edit.pointer().rsplit_once('/').map_or("", |(parent, _)| parent);
        let node = old.or_else(|| document.tree.at_pointer(parent()));
        made_edits.push(MadeEdit {
            description: edit::describe_edit(&document, edit),
            pointer: edit.pointer().to_owned(),
            place: node.map_or(Place::START, Node::place),
            old: match edit {
                Edit::Insert { .. } | Edit::InsertBefore { .. } => None,
                _ => old.map(stringify),
            },
            new,
        });
        let mut text = document.source().text().to_owned();
        plan.apply(&mut text);
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        // Read again, since each edit is planned in the result of the one before.
        document = document.read_again(Source::new(text), name);
    }
    Ok((document.source().clone(), made_edits))
}

/// Writes the file if its content is still what was read.
pub(super) fn store(
    recorder: &StepRecorder,
    target: SaveTarget,
    old_source: &Source,
    new_source: &Source,
) -> CommandResult<()> {
    let expected = Expected::from_bytes(Some(old_source.text().as_bytes()));
    write_file(recorder, target, new_source.text().as_bytes(), expected).map(drop)
}
